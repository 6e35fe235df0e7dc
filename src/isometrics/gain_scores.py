"""scikit-learn shaped functions: labels and hard predictions in, gains out.

Input with one class only raises `OneClassError`; with ``undefined="nan"`` the result is NaN.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.confusion import (
    Confusion,
    binary_confusion,
    multiclass_confusions,
    multilabel_confusions,
)
from isometrics.errors import DimensionError, OneClassError, ParameterError
from isometrics.parameters import clean_beta, clean_choice, clean_prevalence
from isometrics.spaces.pr import f_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from isometrics.aliases import Floats

__all__ = ["f1_gain_score", "fbeta_gain_score", "precision_gain_score", "recall_gain_score"]


def precision_gain_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: object = None,
    labels: Sequence[object] | None = None,
    average: str | None = "binary",
    sample_weight: ArrayLike | None = None,
    prevalence: float | None = None,
    undefined: str = "raise",
) -> float | Floats:
    """Return the precision gain of hard predictions; see `fbeta_gain_score`."""
    return fbeta_gain_score(
        y_true,
        y_pred,
        beta=0.0,
        pos_label=pos_label,
        labels=labels,
        average=average,
        sample_weight=sample_weight,
        prevalence=prevalence,
        undefined=undefined,
    )


def recall_gain_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: object = None,
    labels: Sequence[object] | None = None,
    average: str | None = "binary",
    sample_weight: ArrayLike | None = None,
    prevalence: float | None = None,
    undefined: str = "raise",
) -> float | Floats:
    """Return the recall gain of hard predictions; see `fbeta_gain_score`."""
    return fbeta_gain_score(
        y_true,
        y_pred,
        beta=math.inf,
        pos_label=pos_label,
        labels=labels,
        average=average,
        sample_weight=sample_weight,
        prevalence=prevalence,
        undefined=undefined,
    )


def f1_gain_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: object = None,
    labels: Sequence[object] | None = None,
    average: str | None = "binary",
    sample_weight: ArrayLike | None = None,
    prevalence: float | None = None,
    undefined: str = "raise",
) -> float | Floats:
    """Return the F₁ gain of hard predictions; see `fbeta_gain_score`."""
    return fbeta_gain_score(
        y_true,
        y_pred,
        beta=1.0,
        pos_label=pos_label,
        labels=labels,
        average=average,
        sample_weight=sample_weight,
        prevalence=prevalence,
        undefined=undefined,
    )


def fbeta_gain_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float,
    pos_label: object = None,
    labels: Sequence[object] | None = None,
    average: str | None = "binary",
    sample_weight: ArrayLike | None = None,
    prevalence: float | None = None,
    undefined: str = "raise",
) -> float | Floats:
    """Return the F_β gain of hard predictions: F_β on the scale where it may be averaged.

    Parameters
    ----------
    y_true, y_pred
        Labels and predicted labels; for multilabel data two indicator matrices, one column a
        class.
    beta
        0 is the precision gain, ``inf`` the recall gain.
    pos_label
        The positive class of binary data.
    labels
        The classes to score, by default all that occur; for multilabel data, column numbers.
    average
        ``"binary"``: the positive class. ``"macro"``: the mean of the classes' gains, on the gain
        scale. ``"weighted"``: the same weighted by the classes' positives. ``"micro"``: the gain
        of the pooled counts. ``None``: one gain for each class.
    prevalence
        The reference π; by default the share of positives in `y_true`. The baseline of gain 0
        is always-positive at that prevalence.
    undefined
        What to do where a gain is not defined: ``"raise"`` or ``"nan"``.

    Notes
    -----
    FG_β = (F_β - π)/((1-π)·F_β) (Flach & Kull 2015). Without a true positive it is -inf; where
    F_β itself is 0/0, or one class is missing and no `prevalence` is given, it is undefined.

    Examples
    --------
    >>> import isometrics as iso
    >>> iso.f1_gain_score([1, 1, 0, 0], [1, 0, 1, 0])
    0.0
    """
    beta = clean_beta(beta)
    clean_choice(undefined, "undefined", ("raise", "nan"))
    reference = None if prevalence is None else clean_prevalence(prevalence)
    counts = _class_counts(
        y_true, y_pred, average, pos_label=pos_label, labels=labels, sample_weight=sample_weight
    )
    supports = {label: count.tp + count.fn for label, count in counts.items()}
    if average == "weighted":
        counts = {label: count for label, count in counts.items() if supports[label] > 0}
        if not counts:
            return _undefined("no class has a positive to be weighted by", undefined)
    gains = np.array(
        [_gain(label, count, beta, reference, undefined) for label, count in counts.items()]
    )
    if average is None:
        return gains
    weights = [supports[label] for label in counts] if average == "weighted" else None
    return float(np.average(gains, weights=weights))


def _class_counts(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    average: str | None,
    *,
    pos_label: object,
    labels: Sequence[Any] | None,
    sample_weight: ArrayLike | None,
) -> dict[str, Confusion]:
    """Return the counts to be averaged, by class."""
    if average is not None:
        clean_choice(average, "average", ("binary", "macro", "micro", "weighted"))
    multilabel = np.ndim(y_true) == 2 or hasattr(y_true, "toarray")
    if average == "binary":
        if multilabel:
            raise DimensionError(
                "y_true is multilabel; choose average='macro', 'micro', 'weighted' or None"
            )
        if labels is not None:
            raise ParameterError("labels= is for several classes; choose an average= or pos_label=")
        count = binary_confusion(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
        return {"the positive class": count}
    if pos_label is not None:
        raise ParameterError("pos_label= is for average='binary'; choose classes with labels=")
    confusions = multilabel_confusions if multilabel else multiclass_confusions
    by_label = confusions(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    counts = {f"class {label!r}": count for label, count in by_label.items()}
    if average == "micro":
        return {"all classes": Confusion(*map(sum, zip(*counts.values(), strict=True)))}
    return counts


def _gain(
    name: str, counts: Confusion, beta: float, prevalence: float | None, undefined: str
) -> float:
    tp, fp, fn, tn = counts
    recall_weight, precision_weight = f_weights(beta)
    missed = recall_weight * fn + precision_weight * fp
    if prevalence is None and (tp + fn == 0 or fp + tn == 0):
        only = "negatives" if tp + fn == 0 else "positives"
        return _undefined(f"{name} has only {only}, and no prevalence= is given", undefined)
    if tp == 0:
        if missed == 0:
            return _undefined(f"{name} has neither a true positive nor an error", undefined)
        return -math.inf
    odds = (tp + fn) / (fp + tn) if prevalence is None else prevalence / (1 - prevalence)
    return 1 - odds * missed / tp


def _undefined(reason: str, undefined: str) -> float:
    if undefined == "raise":
        raise OneClassError(f'the gain is undefined: {reason}; undefined="nan" returns NaN')
    return math.nan
