"""Whether a row that a table left out may be better than all rows that it keeps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._counting.best_rules import Counts
from isometrics._table.hull import hull_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._table.table import Table
    from isometrics.decisions.objective import Constraint, Objective

_ROUNDING = 1e-9
"""What rounding may add to a bound; where it decides, a row may be hidden."""


class _Segments(NamedTuple):
    """A straight line for each gap, from fewer to more predicted positives."""

    tp: Floats
    fp: Floats
    end_tp: Floats
    end_fp: Floats

    def at(self, share: Floats) -> tuple[Floats, Floats]:
        """Return the true and the false positives at a share of the way."""
        return (
            self.tp + share * (self.end_tp - self.tp),
            self.fp + share * (self.end_fp - self.fp),
        )


def may_hide_better(
    table: Table, objective: Objective, allowed: NDArray[np.bool_], gain: float
) -> bool:
    """Tell whether a missing row may be better than those that are allowed.

    Parameters
    ----------
    table
        The rows there are.
    objective
        What is to be best, under its constraints.
    allowed
        Which of the rows keep the constraints and have a gain.
    gain
        The highest gain of these; minus infinity where there are none.

    Notes
    -----
    A row between two rows has at least the counts of the first and at most those of the second.
    Where true positives do not rise, it is no better than the first: as many true and no fewer
    false positives. Elsewhere it lies below the hull, if the table keeps the hull. More true and
    fewer false positives keep a precision and a recall and raise every gain, so nothing is better
    than the border of that region: the hull between the fewest false and the most true positives,
    or the way from the first row to the point that has both.
    Constraints are linear in the counts and leave a part of that line. Gains are monotonic along
    it, because they are ratios of linear functions; those of indices need not be, and are bounded
    by the point with the fewest false and the most true positives, as everything is where the hull
    is not known. No missing row is better than an end of the line that is a row itself: it ties
    with the first at most, which flags less, and has a lower gain than the last if gains rise.
    """
    if table.gaps is None:
        return False
    if objective.criterion == "break-even":
        return True
    rises = table.tp[1:] > table.tp[:-1]
    # Where the empty rule is no answer, the next row may be one, though it has no true positive.
    rises[0] |= not allowed[0]
    gap = np.flatnonzero(table.gaps.between & rises)
    border = _border(table, gap, below_hull=table.has_hull and objective.index is None)
    totals = (table.positives, table.negatives)
    for constraint in objective.constraints:
        if constraint.is_limit:
            # Fewer true positives at the fewest false ones keep it too, down to the first row.
            most = np.maximum(_most(constraint, table) - border.fp, table.tp[gap])
            border = border._replace(tp=np.minimum(border.tp, most))
    first, last = np.zeros(gap.size), np.ones(gap.size)
    for constraint in objective.constraints:
        start, end = (_slack(constraint, tp, fp, table) for tp, fp in (border[:2], border[2:]))
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = start / (start - end)
        first = np.where(start < 0, np.where(end < 0, np.inf, np.maximum(first, crossing)), first)
        last = np.where((start >= 0) & (end < 0), np.minimum(last, crossing), last)
    possible = first <= last
    if any(not each.is_limit and each.limit > 0 for each in objective.constraints):
        # Rows without a true positive have no precision and no recall.
        possible &= table.tp[gap + 1] > 0
    ends = [Counts(*border.at(np.where(possible, share, 0.0)), *totals) for share in (first, last)]
    # Of rows without predicted positives there is no gain; those next to them have the lowest.
    lowest, _ = objective.gain_limits
    gains = [np.where(np.isnan(each), lowest, each) for each in map(objective.gain, ends)]
    margin = _ROUNDING * abs(gain) if math.isfinite(gain) else 0.0
    first_is_row = (first == 0) & allowed[gap] & _same(border[:2], table, gap)
    last_is_row = (last == 1) & allowed[gap + 1] & _same(border[2:], table, gap + 1)
    first_is_better = ~first_is_row & (gains[0] >= gain - margin)
    rising = gains[1] > gains[0] + margin
    last_is_better = ~(last_is_row & (first_is_row | rising)) & (gains[1] >= gain - margin)
    # Where gains do not rise, the best is near the first end, which is a row.
    last_is_better &= ~(first_is_row & (gains[1] <= gains[0]))
    return bool((possible & (first_is_better | last_is_better)).any())


def _same(counts: tuple[Any, ...], table: Table, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    return np.asarray((counts[0] == table.tp[rows]) & (counts[1] == table.fp[rows]))


def _most(constraint: Constraint, table: Table) -> float:
    """Return how many rows may be flagged."""
    rows = 1 if constraint.quantity == "budget" else table.positives + table.negatives
    return constraint.limit * rows


def _slack(constraint: Constraint, tp: Floats, fp: Floats, table: Table) -> Floats:
    """Return a linear function of the counts that is negative where they break a constraint."""
    total = table.positives + table.negatives
    if constraint.is_limit:
        slack = _most(constraint, table) - tp - fp
    elif constraint.quantity == "recall":
        slack = tp - constraint.limit * table.positives
    else:
        slack = (1 - constraint.limit) * tp - constraint.limit * fp
    return np.asarray(slack + _ROUNDING * total)


def _border(table: Table, gap: NDArray[np.intp], *, below_hull: bool) -> _Segments:
    """Return the line along which the best missing rows may lie."""
    lowest, highest = table.fp[gap].astype(np.float64), table.tp[gap + 1].astype(np.float64)
    start = table.tp[gap].astype(np.float64)
    if not below_hull:
        return _Segments(start, lowest, highest, lowest)
    vertices = hull_rows(table)
    tp, fp = table.tp[vertices].astype(np.float64), table.fp[vertices].astype(np.float64)
    after = np.clip(np.searchsorted(tp, highest), 1, tp.size - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = (fp[after] - fp[after - 1]) / (tp[after] - tp[after - 1])
        reached = np.maximum(fp[after - 1] + slope * (highest - tp[after - 1]), lowest)
        after = np.clip(np.searchsorted(fp, lowest, "right"), 1, tp.size - 1)
        rise = (tp[after] - tp[after - 1]) / (fp[after] - fp[after - 1])
        top = tp[after - 1] + rise * (lowest - fp[after - 1])
    # Along a line of constant counts the last vertex is the highest, and the first the earliest.
    top = np.where(np.isfinite(top), top, tp[after])
    reached = np.where(np.isfinite(reached), reached, lowest)
    # Where the fewest false and the most true positives are possible together, the line leads
    # there from the first row.
    return _Segments(np.where(top < highest, top, start), lowest, highest, reached)
