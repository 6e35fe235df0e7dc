"""scikit-learn shaped functions: labels with scores or predictions in, curves and numbers out."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypedDict, Unpack

import numpy as np

from isometrics._core.arrays import SEVERAL_CLASSES, Column, column, plain
from isometrics._core.labels import positive_rows
from isometrics._core.parameters import check_beta, check_choice, check_prevalence
from isometrics._core.rows import parse_device_sample, parse_sample, present_rows
from isometrics._core.sample import UNNAMED
from isometrics._counting.confusion import Confusion, f_weights
from isometrics._table.building import path_of_sample
from isometrics._table.table import KnownArea
from isometrics.errors import LabelError, OneClassError, ParameterError
from isometrics.measures import (
    AUPR,
    AUPRG,
    AUROC,
    TRADEOFF_AREA,
    Measure,
    parse_measures,
    pr_area,
)
from isometrics.points import OperatingPoints
from isometrics.points.compact import THREE, areas_on_device
from isometrics.spaces import pr, prg, roc
from isometrics.spaces.pr import INTERPOLATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Counts, Floats
    from isometrics._counting.confusion import Totals
    from isometrics._table.path import Path
    from isometrics.measures import MeasureLike
    from isometrics.spaces.indices import WeightedIndex
    from isometrics.spaces.tradeoff import DensityLike


def _binary_counts(
    truth: Column, predicted: Column, weights: Counts | None, pos_label: object
) -> Confusion:
    """Count the positive class."""
    positive = [positive_rows(labels, pos_label, advice=None) for labels in (truth, predicted)]
    known = truth.values[~positive[0]]
    if known.size:
        strange = ~positive[1] & (predicted.values != known[0])
        if strange.any():
            example = plain(predicted.values[np.argmax(strange)])
            what = f"labels that y_true does not have ({example!r})"
            predicted.refuse(strange, LabelError, what)
    return _confusion(positive[0], positive[1], weights)


def _multiclass_counts(
    truth: Column, predicted: Column, weights: Counts | None, labels: Sequence[object] | None
) -> dict[str, Confusion]:
    """Count each class against the rest: those of `labels`, or all that occur, sorted."""
    true_labels, predicted_labels = truth.present(), predicted.present()
    if labels is None:
        classes = set(true_labels.tolist()) | set(predicted_labels.tolist())
        labels = sorted(classes, key=lambda label: (type(label).__name__, label))
    if len(labels) == 0:
        raise ParameterError("is empty; name at least one class", parameter="labels")
    return {
        f"class {label!r}": _confusion(true_labels == label, predicted_labels == label, weights)
        for label in labels
    }


def _confusion(
    truth: NDArray[np.bool_], predicted: NDArray[np.bool_], weights: Counts | None
) -> Confusion:
    cells = 2 * truth.astype(np.intp) + predicted
    tn, fp, fn, tp = np.bincount(cells, weights, minlength=4).tolist()
    return Confusion(tp, fp, tp + fn, fp + tn)


class PrecisionRecallGainCurve(NamedTuple):
    """Precision gain, recall gain and threshold of every operating point, of equal lengths."""

    precision_gain: Floats
    recall_gain: Floats
    thresholds: Floats


def precision_recall_gain_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> PrecisionRecallGainCurve:
    """Return the points of the precision-recall-gain curve, from the strictest threshold on.

    Examples
    --------
    >>> import isometrics as iso
    >>> gain, _, thresholds = iso.precision_recall_gain_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> thresholds
    array([inf, 0.9, 0.8, 0.7, 0.1])
    >>> gain
    array([nan, 1. , 0. , 0.5, 0. ])
    """
    points = OperatingPoints.from_scores(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight
    )
    return PrecisionRecallGainCurve(points.precision_gain, points.recall_gain, points.thresholds)


class AreaScores(NamedTuple):
    """The areas of one ranking in three spaces."""

    auroc: float
    aupr: float
    auprg: float


def area_scores(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    undefined: str = "raise",
) -> AreaScores:
    """Return AUROC, AUPR (Davis & Goadrich 2006) and AUPRG (Flach & Kull 2015) from one sort.

    Arrays of torch, CuPy and JAX are sorted and added up on the device they lie on.

    Examples
    --------
    >>> import isometrics as iso
    >>> iso.area_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).auprg
    0.25
    """
    rows = (y_true, y_score, pos_label, sample_weight)
    return AreaScores(*_values((AUROC, AUPR, AUPRG), rows, undefined))


def measure_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    measure: MeasureLike,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    undefined: str = "raise",
) -> float:
    """Return any measure of scores, by its name, its key or its formula.

    Examples
    --------
    >>> from isometrics.score_functions import measure_score
    >>> round(measure_score([1, 0, 1, 0], [4, 3, 2, 1], measure="average precision"), 6)
    0.833333
    """
    rows = (y_true, y_score, pos_label, sample_weight)
    return _values(parse_measures(measure), rows, undefined)[0]


def auprg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    undefined: str = "raise",
) -> float:
    """Return the signed area under the precision-recall-gain curve (Flach & Kull 2015).

    Examples
    --------
    >>> import isometrics as iso
    >>> iso.auprg_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    0.25
    """
    return _values((AUPRG,), (y_true, y_score, pos_label, sample_weight), undefined)[0]


def aupr_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    interpolation: str = "davis-goadrich",
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    undefined: str = "raise",
) -> float:
    """Return the area under the precision-recall curve, exact unless another one is named.

    Examples
    --------
    >>> import isometrics as iso
    >>> round(iso.aupr_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]), 6)
    0.797267
    """
    check_choice(interpolation, "interpolation", INTERPOLATIONS)
    rows = (y_true, y_score, pos_label, sample_weight)
    return _values((pr_area(interpolation),), rows, undefined)[0]


def auroc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    undefined: str = "raise",
) -> float:
    """Return the area under the ROC curve.

    Examples
    --------
    >>> import isometrics as iso
    >>> iso.auroc_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    0.75
    """
    return _values((AUROC,), (y_true, y_score, pos_label, sample_weight), undefined)[0]


def tradeoff_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    index: str | WeightedIndex = "f-measure",
    lo: float = 0.0,
    hi: float = 1.0,
    density: DensityLike = None,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    undefined: str = "raise",
) -> float:
    """Return the area under the optimal tradeoff curve (Hanczar & Nadif); see `Tradeoff.area`.

    Examples
    --------
    >>> import isometrics as iso
    >>> round(iso.tradeoff_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]), 6)
    0.863046
    """
    area = replace(TRADEOFF_AREA, of=lambda points: points.tradeoff(index).area(lo, hi, density))
    return _values((area,), (y_true, y_score, pos_label, sample_weight), undefined)[0]


SCORE_FUNCTIONS: dict[Measure, Callable[..., float]] = {
    AUROC: auroc_score,
    AUPR: aupr_score,
    AUPRG: auprg_score,
    TRADEOFF_AREA: tradeoff_score,
}
"""The measures that have a score function of their own."""


_UNDER_CURVES = (KnownArea.ROC, KnownArea.PRG, *INTERPOLATIONS)


def _area_along(path: Path, totals: Totals, name: KnownArea) -> float:
    """Return one of the areas under curves."""
    if name is KnownArea.ROC:
        return roc.area_along(path, totals)
    if name is KnownArea.PRG:
        return prg.area_along(path, totals)
    (area,) = pr.areas_along(path, totals.positives, (name,)).values()
    return area


def _values(
    measures: Sequence[Measure],
    rows: tuple[ArrayLike, ArrayLike, object, ArrayLike | None],
    undefined: str,
) -> list[float]:
    """Return measures of a sample: areas where it lies and without a table, others from a table.

    The rows are labels and scores, with the positive label and the weights.
    """
    y_true, y_score, pos_label, sample_weight = rows
    check_choice(undefined, "undefined", ("raise", "nan"))
    try:
        stored = [KnownArea[each.stored] for each in measures if each.stored]
        if len(stored) == len(measures):
            sample = sums = None
            if sample_weight is None:
                sample = parse_device_sample(y_true, y_score, pos_label, check_labels=False)
            if sample is not None:
                sums = areas_on_device(sample, everything=not set(stored) <= set(THREE))
            if sums is not None:
                if sums.keys() >= set(stored):
                    return [sums[each] for each in stored]
            elif all(each in _UNDER_CURVES for each in stored):
                sample = parse_sample(
                    y_true, {UNNAMED: y_score}, sample_weight=sample_weight, pos_label=pos_label
                )
                path, totals = path_of_sample(sample)
                return [_area_along(path, totals, each) for each in stored]
        points = OperatingPoints.from_scores(
            y_true,
            y_score,
            pos_label=pos_label,
            sample_weight=sample_weight,
            # What is bounded by a curve needs only its corners.
            rows="corners" if all(each.bounds for each in measures) else "all",
        )
    except OneClassError:
        if undefined == "raise":
            raise
        return [math.nan] * len(measures)
    return [each.of(points) for each in measures]


class GainOptions(TypedDict, total=False):
    """The options of gains of hard predictions; `fbeta_gain_score` describes them."""

    pos_label: object
    labels: Sequence[object] | None
    average: str | None
    sample_weight: ArrayLike | None
    prevalence: float | None
    undefined: str


def precision_gain_score(
    y_true: ArrayLike, y_pred: ArrayLike, **options: Unpack[GainOptions]
) -> float | Floats:
    """Return the precision gain of hard predictions, with the options of `fbeta_gain_score`."""
    return fbeta_gain_score(y_true, y_pred, beta=0.0, **options)


def recall_gain_score(
    y_true: ArrayLike, y_pred: ArrayLike, **options: Unpack[GainOptions]
) -> float | Floats:
    """Return the recall gain of hard predictions, with the options of `fbeta_gain_score`."""
    return fbeta_gain_score(y_true, y_pred, beta=math.inf, **options)


def f1_gain_score(
    y_true: ArrayLike, y_pred: ArrayLike, **options: Unpack[GainOptions]
) -> float | Floats:
    """Return the F₁ gain of hard predictions, with the options of `fbeta_gain_score`."""
    return fbeta_gain_score(y_true, y_pred, beta=1.0, **options)


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
        Labels and predicted labels.
    beta
        0 is the precision gain, ``inf`` the recall gain.
    pos_label
        The positive class of binary data.
    labels
        The classes to score, by default all that occur.
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
    beta = check_beta(beta)
    check_choice(undefined, "undefined", ("raise", "nan"))
    reference = None if prevalence is None else check_prevalence(prevalence)
    columns, weights = present_rows(
        column(y_true, "y_true"),
        column(y_pred, "y_pred", f"predicted labels are needed here; {SEVERAL_CLASSES}"),
        sample_weight=sample_weight,
    )
    truth, predicted = columns
    if average is not None:
        check_choice(average, "average", ("binary", "macro", "micro", "weighted"))
    if average == "binary":
        if labels is not None:
            raise ParameterError("labels= is for several classes; choose an average= or pos_label=")
        counts = {"the positive class": _binary_counts(truth, predicted, weights, pos_label)}
    else:
        if pos_label is not None:
            raise ParameterError("pos_label= is for average='binary'; choose classes with labels=")
        counts = _multiclass_counts(truth, predicted, weights, labels)
    if average == "micro":
        counts = {"all classes": Confusion(*map(sum, zip(*counts.values(), strict=True)))}
    if average == "weighted":
        counts = {label: count for label, count in counts.items() if count.positives > 0}
        if not counts:
            return _undefined("no class has a positive to be weighted by", undefined)
    gains = np.array(
        [_gain(label, count, beta, reference, undefined) for label, count in counts.items()]
    )
    if average is None:
        return gains
    supports = [count.positives for count in counts.values()] if average == "weighted" else None
    return float(np.average(gains, weights=supports))


def _gain(
    name: str, counts: Confusion, beta: float, prevalence: float | None, undefined: str
) -> float:
    tp, fp, positives, negatives = counts
    recall_weight, precision_weight = f_weights(beta)
    missed = recall_weight * (positives - tp) + precision_weight * fp
    if prevalence is None and (positives == 0 or negatives == 0):
        only = "negatives" if positives == 0 else "positives"
        return _undefined(f"{name} has only {only}, and no prevalence= is given", undefined)
    if tp == 0:
        if missed == 0:
            return _undefined(f"{name} has neither a true positive nor an error", undefined)
        return -math.inf
    odds = positives / negatives if prevalence is None else prevalence / (1 - prevalence)
    return float(1 - odds * missed / tp)


def _undefined(reason: str, undefined: str) -> float:
    if undefined == "raise":
        raise OneClassError(f'the gain is undefined: {reason}; undefined="nan" returns NaN')
    return math.nan
