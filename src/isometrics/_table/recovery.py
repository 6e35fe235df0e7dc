"""Counts recovered from the coordinates of ROC and PR curves, and checked against their totals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.sample import parse_counts, parse_rates
from isometrics.errors import LengthError, PointsError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Counts, Floats, Total


_VAGUE = 0.08
"""Eight last digits of precision, each a hundredth of all negatives: too few to tell fp."""


def counts_within_totals(
    tp: ArrayLike, fp: ArrayLike, positives: Total, negatives: Total
) -> tuple[Counts, Counts]:
    """Check counts against their totals."""
    counts = parse_counts(tp, "tp"), parse_counts(fp, "fp")
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
    (x, y), rounding = _rates(fpr=parse_rates(fpr, "fpr"), tpr=parse_rates(tpr, "tpr"))
    tp, fp = y * positives, x * negatives
    return _in_curve_order(
        _Recovered(tp, rounding.of(tp, positives), positives),
        _Recovered(fp, rounding.of(fp, negatives), negatives),
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
        recall=parse_rates(recall, "recall"),
        precision=parse_rates(precision, "precision", missing=True),
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
    beyond = np.flatnonzero(fp > negatives + rounding.relative * (positives + negatives))
    if beyond.size:
        first = beyond[0]
        raise PointsError(
            f"the point at position {rows[first]} (recall {x[first]:g}, precision {y[first]:g}) "
            f"needs {fp[first]:g} false positives but there are only {negatives} negatives"
        )
    fp = np.minimum(fp, negatives)
    # The rounding of precision moves false positives by its share of all that is predicted.
    false = _Recovered(fp, rounding.of(tp + fp, positives + negatives), negatives)
    vague = np.flatnonzero(false.doubt > _VAGUE * negatives)
    if vague.size and not false.surely_whole:
        first = vague[0]
        raise PointsError(
            f"the point at position {rows[first]} (recall {x[first]:g}, precision {y[first]:g}) "
            f"does not tell its false positives: with {positives:g} positives and {negatives:g} "
            "negatives, the last digit of precision is worth more than a hundredth of all "
            "negatives; use from_counts, from_roc or from_scores instead"
        )
    return _in_curve_order(_Recovered(tp, rounding.of(tp, positives), positives), false, rows)


class _Rounding(NamedTuple):
    """How far a rate may be from the exact one: by its last digits, or where it underflows."""

    relative: float
    smallest: float

    def of(self, counts: Floats, total: Total) -> Floats:
        """Return how far rounding may have moved counts that are rates of a total."""
        return np.asarray(self.relative * counts + self.smallest * total)


class _Recovered(NamedTuple):
    """Counts recovered from rates, how far rounding may have moved each, and their total."""

    counts: Floats
    doubt: Floats
    total: Total

    @property
    def surely_whole(self) -> bool:
        """Whether the total is an integer and so, surely, is every count."""
        away = np.abs(self.counts - np.rint(self.counts))
        return isinstance(self.total, int) and bool(
            ((away <= self.doubt) & (self.doubt < 0.25)).all()
        )

    def rounded(self) -> Counts:
        """Return integers where every count is surely one, else floats that reach the total."""
        if self.surely_whole:
            return np.rint(self.counts).astype(np.int64)
        near = np.abs(self.counts - self.total) <= self.doubt
        return np.where(near, float(self.total), self.counts)


def _rates(**columns: NDArray[Any]) -> tuple[tuple[Floats, Floats], _Rounding]:
    """Return both coordinates in double precision, and how far rounding may have moved them."""
    (name, one), (other_name, other) = columns.items()
    _same_length((other_name, other), (name, one))
    # A rate computed from whole counts is off by an ulp or two of its own type.
    types = [np.finfo(values.dtype) for values in (one, other)]
    rounding = _Rounding(
        8 * max(float(kind.eps) for kind in types),
        max(float(kind.smallest_subnormal) for kind in types),
    )
    return (one.astype(np.float64), other.astype(np.float64)), rounding


def _in_curve_order(
    true: _Recovered, false: _Recovered, rows: NDArray[np.intp]
) -> tuple[Counts, Counts]:
    """Return the points from the strictest rule on; a fall beyond rounding is refused."""
    tp, fp = true.rounded(), false.rounded()
    backwards = tp.size > 1 and (tp[-1] < tp[0] or (tp[-1] == tp[0] and fp[-1] < fp[0]))
    order = np.s_[::-1] if backwards else np.s_[:]
    rows = rows[order]
    highest_of_both = []
    for name, counts, doubt in (("true", tp, true.doubt), ("false", fp, false.doubt)):
        highest = np.maximum.accumulate(counts[order])
        allowed = 2 * np.maximum.accumulate(doubt[order])
        falls = np.flatnonzero(highest - counts[order] > allowed)
        if falls.size:
            at = falls[0]
            raise PointsError(
                f"the points are not those of one curve: at position {rows[at]} there are fewer "
                f"{name} positives ({counts[order][at]:g}) than before ({highest[at]:g})"
            )
        highest_of_both.append(highest)
    return highest_of_both[0], highest_of_both[1]


def _same_length(one: tuple[str, NDArray[Any]], other: tuple[str, NDArray[Any]]) -> None:
    if one[1].size != other[1].size:
        raise LengthError(f"{one[0]} has {one[1].size} values but {other[0]} has {other[1].size}")
