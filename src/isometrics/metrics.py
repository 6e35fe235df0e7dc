"""scikit-learn shaped functions: labels and scores in, curves and areas out.

Input with one class only raises `OneClassError`; with ``undefined="nan"`` the result is NaN.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from isometrics.device_inputs import clean_device_sample
from isometrics.errors import OneClassError
from isometrics.on_device import THREE, areas
from isometrics.parameters import clean_choice
from isometrics.points import OperatingPoints
from isometrics.spaces.pr import INTERPOLATIONS
from isometrics.table import Measure
from isometrics.values import tuple_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from isometrics.aliases import Floats
    from isometrics.indices import WeightedIndex
    from isometrics.spaces.density import DensityLike

__all__ = [
    "AreaScores",
    "area_scores",
    "aupr_score",
    "auprg_score",
    "auroc_score",
    "precision_recall_gain_curve",
    "tradeoff_score",
]


@tuple_value
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


@tuple_value
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
    clean_choice(undefined, "undefined", ("raise", "nan"))
    options: Any = {"pos_label": pos_label, "sample_weight": sample_weight}
    try:
        known = _on_device(y_true, y_score, Measure.ROC, **options)
        if known:
            return AreaScores(*(known[measure] for measure in THREE))
        points = OperatingPoints.from_scores(y_true, y_score, **options, rows="corners")
    except OneClassError:
        if undefined == "raise":
            raise
        return AreaScores(math.nan, math.nan, math.nan)
    return AreaScores(points.roc.area(), points.pr.area(), points.prg.area())


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
    options: Any = {"pos_label": pos_label, "sample_weight": sample_weight, "measure": Measure.PRG}
    return _area(lambda points: points.prg.area(), undefined, y_true, y_score, **options)


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
    clean_choice(interpolation, "interpolation", INTERPOLATIONS)
    options: Any = {
        "pos_label": pos_label,
        "sample_weight": sample_weight,
        "measure": interpolation,
    }
    return _area(
        lambda points: points.pr.area(interpolation), undefined, y_true, y_score, **options
    )


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
    options: Any = {"pos_label": pos_label, "sample_weight": sample_weight, "measure": Measure.ROC}
    return _area(lambda points: points.roc.area(), undefined, y_true, y_score, **options)


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
    options: Any = {"pos_label": pos_label, "sample_weight": sample_weight}
    return _area(
        lambda points: points.tradeoff(index).area(lo, hi, density),
        undefined,
        y_true,
        y_score,
        **options,
    )


def _area(
    area: Callable[[OperatingPoints], float],
    undefined: str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    measure: str | None = None,
    **options: Any,
) -> float:
    """Return an area of a sample; on a device, where it has the name `measure`."""
    clean_choice(undefined, "undefined", ("raise", "nan"))
    try:
        known = {} if measure is None else _on_device(y_true, y_score, measure, **options)
        if measure in known:
            return known[measure]
        points = OperatingPoints.from_scores(y_true, y_score, **options, rows="corners")
    except OneClassError:
        if undefined == "raise":
            raise
        return math.nan
    return area(points)


def _on_device(
    y_true: ArrayLike,
    y_score: ArrayLike,
    measure: str,
    *,
    pos_label: object,
    sample_weight: ArrayLike | None,
) -> dict[str, float]:
    """Return what is added up where the sample lies, if that is a device and it has no weights."""
    sample = None if sample_weight is not None else clean_device_sample(y_true, y_score, pos_label)
    return {} if sample is None else areas(sample, everything=measure not in THREE)
