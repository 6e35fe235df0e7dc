"""Counts recovered from the coordinates of ROC and PR curves, and checked against their totals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.errors import LengthError, PointsError
from isometrics.inputs import clean_counts, clean_rates

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isometrics.aliases import Counts, Floats, Total

# A rate computed in double precision from whole counts is off by an ulp or two.
_ROUNDING = 8 * np.finfo(np.float64).eps


def counts_within_totals(
    tp: ArrayLike, fp: ArrayLike, positives: Total, negatives: Total
) -> tuple[Counts, Counts]:
    """Check counts against their totals."""
    tps, fps = clean_counts(tp, "tp"), clean_counts(fp, "fp")
    _same_length(("fp", fps), ("tp", tps))
    for name, counts, total_name, total in (
        ("tp", tps, "positives", positives),
        ("fp", fps, "negatives", negatives),
    ):
        outside = np.flatnonzero((counts < 0) | (counts > total))
        if outside.size:
            raise PointsError(
                f"{name} must lie between 0 and {total_name} ({total}) but is "
                f"{counts[outside[0]]} at position {outside[0]}"
            )
    return tps, fps


def counts_from_roc(
    fpr: ArrayLike, tpr: ArrayLike, positives: Total, negatives: Total
) -> tuple[Counts, Counts]:
    """Recover (tp, fp) from ROC coordinates, in the order of a curve."""
    x, y = clean_rates(fpr, "fpr"), clean_rates(tpr, "tpr")
    _same_length(("tpr", y), ("fpr", x))
    tp = whole_where_possible(y * positives, _ROUNDING * positives, positives)
    fp = whole_where_possible(x * negatives, _ROUNDING * negatives, negatives)
    return in_curve_order(tp, fp, np.arange(x.size))


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
    x, y = clean_rates(recall, "recall"), clean_rates(precision, "precision", missing=True)
    _same_length(("precision", y), ("recall", x))
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
    tp_exact = x * positives
    with np.errstate(over="ignore"):
        fp_exact = tp_exact * (1 - y) / y
    beyond = np.flatnonzero(fp_exact > negatives + _ROUNDING * (positives + negatives))
    if beyond.size:
        first = beyond[0]
        raise PointsError(
            f"the point at position {rows[first]} (recall {x[first]:g}, precision {y[first]:g}) "
            f"needs {fp_exact[first]:g} false positives but there are only {negatives} negatives"
        )
    fp_exact = np.minimum(fp_exact, negatives)
    tp = whole_where_possible(tp_exact, _ROUNDING * positives, positives)
    fp = whole_where_possible(fp_exact, _ROUNDING * (positives + fp_exact), negatives)
    return in_curve_order(tp, fp, rows)


def whole_where_possible(counts: Floats, doubt: Floats | float, total: Total) -> Counts:
    """Return integers where every count is one up to rounding and the total is one, else floats."""
    whole = np.rint(counts)
    if isinstance(total, int) and (np.abs(counts - whole) <= doubt).all():
        return whole.astype(np.int64)
    return counts


def in_curve_order(tp: Counts, fp: Counts, rows: NDArray[np.intp]) -> tuple[Counts, Counts]:
    """Return the points from the strictest rule on; a fall beyond rounding is refused."""
    if tp.size > 1 and (tp[-1] < tp[0] or (tp[-1] == tp[0] and fp[-1] < fp[0])):
        tp, fp, rows = tp[::-1], fp[::-1], rows[::-1]
    for name, counts in (("true", tp), ("false", fp)):
        highest = np.maximum.accumulate(counts)
        falls = np.flatnonzero(highest - counts > _ROUNDING * highest)
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
