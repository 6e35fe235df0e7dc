"""The upper envelope of all points' curves over λ: which point is best for which weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics.hull import vertices, with_ends
from isometrics.indices import ClosedIndex, Rows, WeightedIndex
from isometrics.spaces.ranges import STEPS
from isometrics.table import Kind, Table

if TYPE_CHECKING:
    from isometrics.aliases import Floats
    from isometrics.hull import Indices

_UNORDERED = (Kind.SELECTION, Kind.SETS)
_CELLS = 1 << 20
_SHORTEST = 1e-12
"""Pieces that are found numerically and are shorter than this are rounding."""

_DOUBT = 8 * np.finfo(np.float64).eps


class Envelope(NamedTuple):
    """Rows in the order of λ, and the ends of their pieces; neighbours share an end."""

    rows: Indices
    ends: Floats


def completed(table: Table) -> Table:
    """Return a table with both trivial rules among its rows."""
    return with_ends(table) if table.kind in _UNORDERED else table


def envelope_of(table: Table, index: WeightedIndex) -> Envelope:
    """Return the envelope of the rows of a table, and of no others."""
    if not isinstance(index, ClosedIndex):
        if not table.has_whole_curve:
            table.refuse_gaps(f"the best rows for the index {index.name!r}")
        return _searched(table, index)
    rows = hull_rows(table, with_empty_rule=index.has_empty_rule)
    points = Rows.of_table(table).take(rows)
    place = index.coordinates(points)
    if place is not None:
        # The curve of a point that is best for these is convex in the coordinates of the hull of
        # counts, 1/recall and 1/precision; so no point inside that hull can be best.
        rows = rows[vertices(*place)]
        points = Rows.of_table(table).take(rows)
    before, after = points.take(np.s_[:-1]), points.take(np.s_[1:])
    return _pieces(rows, index.meeting(before, after))


def _pieces(rows: Indices, meetings: Floats, shortest: float = 0.0) -> Envelope:
    """Drop pieces without length; sums of float weights may bend a hull by their last bits."""
    ends = np.concatenate([[0.0], np.maximum.accumulate(meetings), [1.0]])
    long = np.flatnonzero(np.diff(ends) > shortest)
    return Envelope(rows[long], np.concatenate([[0.0], ends[long[1:]], [1.0]]))


def front(table: Table, *, with_empty_rule: bool = False) -> Indices:
    """Return the rows that no other one has more true and not more false positives than."""
    order = np.lexsort((table.tp, table.fp)) if table.kind in _UNORDERED else np.s_[:]
    tp, fp = table.tp[order], table.fp[order]
    last = np.flatnonzero(np.append(fp[1:] != fp[:-1], True))
    highest = np.maximum.accumulate(tp[last])
    rises = np.append(with_empty_rule or tp[last[0]] > 0, highest[1:] > highest[:-1])
    return np.asarray(np.arange(table.size)[order][last[rises]])


def hull_rows(table: Table, *, with_empty_rule: bool = False) -> Indices:
    """Return the rows on the hull of counts, up to the first of most true positives."""
    rows = front(table, with_empty_rule=with_empty_rule)
    tp, fp = table.tp[rows], table.fp[rows]
    if with_empty_rule:
        return np.asarray(rows[vertices(fp, tp)])
    # The empty rule is no row here, but the hull begins there: its first vertex is the row of
    # highest precision.
    corners = vertices(np.concatenate([[0], fp]), np.concatenate([[0], tp]))
    return np.asarray(rows[corners[1:] - 1])


# ---------------------------------------------------------------------- any rising function


def _searched(table: Table, index: WeightedIndex) -> Envelope:
    """Find the envelope numerically: a grid, then every change between neighbours by bisection.

    Where two winners meet, either no point is better, or the best one there splits the interval.
    """
    rows = _pr_front(table)
    points = Rows.of_table(table).take(rows)
    lam = np.linspace(0, 1, STEPS + 1)
    best, _ = _winners(points, index, lam)
    while True:
        change = np.flatnonzero(best[1:] != best[:-1])
        one, other = points.take(best[change]), points.take(best[change + 1])
        met = index.crossing(one, other, lam[change], lam[change + 1])
        # Equal values at both ends: any border will do.
        met = np.where(np.isnan(met), lam[change + 1], met)
        there, highest = _winners(points, index, met)
        level = index.of_rows(one, met)
        better = highest > level + _DOUBT * np.maximum(1, abs(level))
        # A winner that is one of both sides is that side's own rounding.
        better &= (there != best[change]) & (there != best[change + 1])
        better &= (met > lam[change]) & (met < lam[change + 1])
        if not better.any():
            break
        places = change[better] + 1
        lam = np.insert(lam, places, met[better])
        best = np.insert(best, places, there[better])
    winners = np.append(best[change], best[-1])
    return _pieces(rows[winners], met, _SHORTEST)


def _pr_front(table: Table) -> Indices:
    """Return the rows that no other one exceeds in precision and recall, by rising recall."""
    rows = front(table)
    precision = Rows.of_table(table).take(rows).precision
    ahead = np.maximum.accumulate(precision[::-1])[::-1]
    return np.asarray(rows[np.append(precision[:-1] > ahead[1:], True)])


def _winners(points: Rows, index: WeightedIndex, lam: Floats) -> tuple[Indices, Floats]:
    """Return the best point at each weight, and its value; blocks bound the memory."""
    best = np.zeros(lam.size, np.intp)
    highest = np.full(lam.size, -np.inf)
    step = max(_CELLS // max(lam.size, 1), 1)
    for start in range(0, points.tp.size, step):
        block = points.take(np.s_[start : start + step])
        values = index.of_rows(block.column(), lam)
        row = values.argmax(axis=0)
        value = np.take_along_axis(values, row[None], axis=0)[0]
        best = np.where(value > highest, start + row, best)
        highest = np.maximum(highest, value)
    return best, highest
