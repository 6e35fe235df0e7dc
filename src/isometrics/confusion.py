"""Confusion matrices of hard predictions: of two classes, of each class, of each label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from isometrics.columns import Column, column, plain
from isometrics.errors import DimensionError, EmptyInputError, LabelError, ParameterError
from isometrics.inputs import positive_rows, present_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from isometrics.aliases import Counts, Total


Label = TypeVar("Label")


class Confusion(NamedTuple):
    """The four counts of one class against the rest."""

    tp: Total
    fp: Total
    fn: Total
    tn: Total


def binary_confusion(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> Confusion:
    """Count the positive class."""
    (truth, predicted), weights = _present(y_true, y_pred, sample_weight)
    positive = [positive_rows(labels, pos_label) for labels in (truth, predicted)]
    known = truth.values[~positive[0]]
    if known.size:
        strange = ~positive[1] & (predicted.values != known[0])
        if strange.any():
            example = plain(predicted.values[np.argmax(strange)])
            what = f"labels that y_true does not have ({example!r})"
            predicted.refuse(strange, LabelError, what)
    return _confusion(positive[0], positive[1], weights)


def multiclass_confusions(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[object] | None = None,
    sample_weight: ArrayLike | None = None,
) -> dict[object, Confusion]:
    """Count each class against the rest: those of `labels`, or all that occur, sorted."""
    (truth, predicted), weights = _present(y_true, y_pred, sample_weight)
    true_labels, predicted_labels = truth.present(), predicted.present()
    if labels is None:
        classes = set(true_labels.tolist()) | set(predicted_labels.tolist())
        labels = sorted(classes, key=lambda label: (type(label).__name__, label))
    return {
        label: _confusion(true_labels == label, predicted_labels == label, weights)
        for label in _some(labels)
    }


def multilabel_confusions(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[int] | None = None,
    sample_weight: ArrayLike | None = None,
) -> dict[object, Confusion]:
    """Count each column of two indicator matrices: those numbered in `labels`, or all."""
    truth, predicted = _matrix(y_true), _matrix(y_pred)
    if truth.shape != predicted.shape:
        raise DimensionError(
            f"y_true has shape {truth.shape} but y_pred has shape {predicted.shape}"
        )
    if truth.size == 0:
        raise EmptyInputError(f"y_true has shape {truth.shape}; rows and columns are needed")
    numbers = _some(range(truth.shape[1]) if labels is None else labels)
    unknown = [number for number in numbers if number not in range(truth.shape[1])]
    if unknown:
        raise ParameterError(
            f"labels must be column numbers below {truth.shape[1]} but has {unknown[0]!r}"
        )
    counts: dict[object, Confusion] = {}
    for number in numbers:
        columns, weights = present_rows(
            Column(f"y_true[:, {number}]", truth[:, number]),
            Column(f"y_pred[:, {number}]", predicted[:, number]),
            sample_weight=sample_weight,
        )
        positive = [positive_rows(each, None) for each in columns]
        counts[number] = _confusion(positive[0], positive[1], weights)
    return counts


def _matrix(values: Any) -> NDArray[Any]:
    """Return a dense matrix, also of a sparse one."""
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values)


def _some(labels: Sequence[Label]) -> Sequence[Label]:
    if len(labels) == 0:
        raise ParameterError("labels is empty; name at least one class")
    return labels


def _present(
    y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[list[Column], Counts | None]:
    return present_rows(
        column(y_true, "y_true"), column(y_pred, "y_pred"), sample_weight=sample_weight
    )


def _confusion(
    truth: NDArray[np.bool_], predicted: NDArray[np.bool_], weights: Counts | None
) -> Confusion:
    cells = 2 * truth.astype(np.intp) + predicted
    tn, fp, fn, tp = np.bincount(cells, weights, minlength=4).tolist()
    return Confusion(tp, fp, fn, tn)
