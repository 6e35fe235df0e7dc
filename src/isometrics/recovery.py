"""Counts recovered from the coordinates of ROC and PR curves, and checked against their totals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.errors import LengthError, PointsError
from isometrics.inputs import clean_counts, clean_rates

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isometrics.aliases import Counts, Floats, Total


def counts_within_totals(
    tp: ArrayLike, fp: ArrayLike, positives: Total, negatives: Total
) -> tuple[Counts, Counts]:
    """Check counts against their totals."""
    counts = clean_counts(tp, "tp"), clean_counts(fp, "fp")
    _same_length(("fp", counts[1]), ("tp", counts[0]))
    totals = ("tp", "positives", positives), ("fp", "negatives", negatives)
    for (name, total_name, total), values in zip(totals, counts, strict=True):
        outside = np.flatnonzero((values < 0) | (values > total))
        if outside.size:
            raise PointsError(
                f"{name} must lie between 0 and {total_name} ({total}) but is "
                f"{values[outside[0]]} at position {outside[0]}"
            )
    return counts


def counts_from_roc(
    fpr: ArrayLike, tpr: ArrayLike, positives: Total, negatives: Total
) -> tuple[Counts, Counts]:
    """Recover (tp, fp) from ROC coordinates, in the order of a curve."""
    (x, y), rounding = _rates(fpr=clean_rates(fpr, "fpr"), tpr=clean_rates(tpr, "tpr"))
    tp, fp = y * positives, x * negatives
    return _in_curve_order(
        _whole(tp, rounding * (tp + 1), positives),
        _whole(fp, rounding * (fp + 1), negatives),
        rounding,
        np.arange(x.size),
    )


def counts_from_pr(
    recall: ArrayLike, precision: ArrayLike, positives: Total, negatives: Total
) -> tuple[Counts, Counts]:
    """Recover (tp, fp) from PR coordinates, in the order of a curve.

    Notes
    -----
    Where recall is 0 the false positives cannot be recovered (Davis & Goadrich 2006, Th. 3.1).
    The empty rule (precision NaN) is known anyway, and so is the point (0, 1) that scikit-learn
    appends without a threshold behind it: both are left out. Any other such point is refused.
    """
    (x, y), rounding = _rates(
        recall=clean_rates(recall, "recall"),
        precision=clean_rates(precision, "precision", missing=True),
    )
    appended = (x == 0) & (np.isnan(y) | (y == 1))
    unknown = np.flatnonzero(((x == 0) | (y == 0) | np.isnan(y)) & ~appended)
    if unknown.size:
        first = unknown[0]
        raise PointsError(
            f"the point at position {first} (recall {x[first]:g}, precision {y[first]:g}; "
            f"{unknown.size} such in all) does not tell its false positives; "
            "use from_counts, from_roc or from_scores instead"
        )
    rows = np.flatnonzero(~appended)
    x, y = x[rows], y[rows]
    tp = x * positives
    with np.errstate(over="ignore"):
        fp = tp * (1 - y) / y
    beyond = np.flatnonzero(fp > negatives + rounding * (positives + negatives))
    if beyond.size:
        first = beyond[0]
        raise PointsError(
            f"the point at position {rows[first]} (recall {x[first]:g}, precision {y[first]:g}) "
            f"needs {fp[first]:g} false positives but there are only {negatives} negatives"
        )
    fp = np.minimum(fp, negatives)
    return _in_curve_order(
        _whole(tp, rounding * (tp + 1), positives),
        # The rounding of precision moves false positives by its share of all that is predicted.
        _whole(fp, rounding * (tp + fp + 1), negatives),
        rounding,
        rows,
    )


def _rates(**columns: NDArray[Any]) -> tuple[tuple[Floats, Floats], float]:
    """Return both coordinates in double precision, and how far rounding may have moved them."""
    (name, one), (other_name, other) = columns.items()
    _same_length((other_name, other), (name, one))
    # A rate computed from whole counts is off by an ulp or two of its own type.
    rounding = 8 * max(float(np.finfo(values.dtype).eps) for values in (one, other))
    return (one.astype(np.float64), other.astype(np.float64)), rounding


def _whole(counts: Floats, doubt: Floats, total: Total) -> Counts:
    """Return integers where every count is surely one and the total is one, else floats."""
    whole = np.rint(counts)
    sure = (np.abs(counts - whole) <= doubt) & (doubt < 0.25)
    if isinstance(total, int) and sure.all():
        return whole.astype(np.int64)
    return np.where(np.abs(counts - total) <= doubt, float(total), counts)


def _in_curve_order(
    tp: Counts, fp: Counts, rounding: float, rows: NDArray[np.intp]
) -> tuple[Counts, Counts]:
    """Return the points from the strictest rule on; a fall beyond rounding is refused."""
    if tp.size > 1 and (tp[-1] < tp[0] or (tp[-1] == tp[0] and fp[-1] < fp[0])):
        tp, fp, rows = tp[::-1], fp[::-1], rows[::-1]
    for name, counts in (("true", tp), ("false", fp)):
        highest = np.maximum.accumulate(counts)
        falls = np.flatnonzero(highest - counts > 2 * rounding * (tp + fp))
        if falls.size:
            at = falls[0]
            raise PointsError(
                f"the points are not those of one curve: at position {rows[at]} there are fewer "
                f"{name} positives ({counts[at]:g}) than before ({highest[at]:g})"
            )
    return np.maximum.accumulate(tp), np.maximum.accumulate(fp)


def _same_length(one: tuple[str, NDArray[Any]], other: tuple[str, NDArray[Any]]) -> None:
    if one[1].size != other[1].size:
        raise LengthError(f"{one[0]} has {one[1].size} values but {other[0]} has {other[1].size}")
