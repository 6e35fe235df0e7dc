"""Ranges of scores counted in a cluster: exact at their borders, and cut again where it matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.sample import as_thresholds, check_totals
from isometrics._counting.numpy_kernel import running_sum
from isometrics._table.table import ClassTotals, Gaps, Table
from isometrics.points import OperatingPoints
from isometrics.points.bounds import area_brackets
from isometrics.sources.binned import Borders, Choice, bins_to_refine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts, Floats

ROOM = 1 << 20
"""The rows that one pass may collect."""
FIRST_PIECES = 1 << 16
"""A range is never cut into more pieces at once, as long as each may hold many rows."""
FINEST = 1 << 40
"""So many pieces part the scores of a range, unless they lie extremely close together."""
BRACKETED = ("AUROC", "AUPR", "average precision", "AUPRG")
_ROWS = float(1 << 40)
_ALL = 1 << 62
_SPARE = 0.25
"""The share of a pass that may go to vertices of the hull before doubts about areas."""
_AIM = 0.3
"""Doubts are brought this far below the tolerance, as pieces are never equally doubtful."""


class Leaves(NamedTuple):
    """Ranges with rows: those of one series after those of another, the highest scores first.

    A series is what gets a table of its own: all rows, or those of one model, one group or both.
    """

    series: NDArray[np.int64]
    node: NDArray[np.int64]
    """The number by which rows find their range."""
    parent: NDArray[np.int64]
    """The range it is a piece of."""
    lo: NDArray[Any]
    """The lowest score."""
    hi: NDArray[Any]
    positives: Counts
    negatives: Counts
    rows: NDArray[np.int64]

    @property
    def open(self) -> NDArray[np.bool_]:
        """Which ranges hold several scores."""
        return np.asarray(self.lo != self.hi)

    def take(self, which: NDArray[Any] | slice) -> Leaves:
        """Return some of them."""
        return Leaves(*(column[which] for column in self))

    def with_pieces(self, cut: NDArray[np.intp], pieces: Leaves) -> Leaves:
        """Return the ranges with some of them replaced by their pieces."""
        left = np.ones(self.node.size, np.bool_)
        left[cut] = False
        joined = Leaves(
            *(np.concatenate(both) for both in zip(self.take(left), pieces, strict=True))
        )
        return joined.ordered()

    def ordered(self) -> Leaves:
        """Return them in their order."""
        rank = np.lexsort((self.lo, -self.series))[::-1]
        return self.take(rank)

    def of_series(self) -> Iterator[tuple[int, slice]]:
        """Return the ranges of each series."""
        starts = np.flatnonzero(np.diff(self.series, prepend=-1))
        ends = np.append(starts, self.series.size)[1:]
        for start, end in zip(starts, ends, strict=True):
            yield int(self.series[start]), slice(int(start), int(end))

    def points(self, name: str) -> OperatingPoints:
        """Return the table of one series; `name` is what errors call the labels.

        It has every distinct score where no range is left open, and else the rows at the borders.
        """
        tp, fp = running_sum(self.positives), running_sum(self.negatives)
        totals = ClassTotals(*check_totals(tp[-1].item(), fp[-1].item(), counted=name))
        # Adding 0 turns -0.0 into 0.0.
        thresholds = as_thresholds(self.lo + self.lo.dtype.type(0))
        gaps = Gaps(self.open) if self.open.any() else None
        return OperatingPoints(Table.of_rows(thresholds, tp, fp, totals, gaps))


def widest(points: OperatingPoints) -> float:
    """Return how wide the widest bracket of the areas is that a tolerance speaks of."""
    if not points.table.partial:
        return 0.0
    return max(bracket.width for bracket in area_brackets(points, BRACKETED).values())


class Plan(NamedTuple):
    """Which ranges to cut, and into how many pieces each."""

    cut: NDArray[np.intp]
    pieces: NDArray[np.int64]


def plan_of(leaves: Leaves, tolerances: dict[int, float], room: int) -> Plan:
    """Plan the next pass, which may collect `room` rows; nothing is cut if all is known.

    Where the rows of all open ranges fit, all scores are told apart. Else those ranges are cut
    that may hold vertices of the hull, or leave the most doubt about an area.

    Parameters
    ----------
    leaves
        What is known so far.
    tolerances
        How wide the brackets of each series may be.
    room
        The most rows to collect.
    """
    inside = np.flatnonzero(leaves.open)
    if leaves.rows[inside].sum() > room:
        wanted = _wanted(leaves, tolerances)
        inside = np.flatnonzero((wanted.doubts > 0) | wanted.vertex)
        if leaves.rows[inside].sum() > room:
            return _shared(inside, leaves.rows, wanted, room)
    return Plan(inside, np.full(inside.size, FINEST))


class _Wanted(NamedTuple):
    """What speaks for cutting each range."""

    doubts: Floats
    """How much it may add to the bracket of an area; 0 where that may stay."""
    vertex: NDArray[np.bool_]
    """Whether it may hold vertices of the hull, where nothing else speaks for a cut."""
    enough: float
    """So many pieces in all bring the doubts below the tolerance."""


def _wanted(leaves: Leaves, tolerances: dict[int, float]) -> _Wanted:
    doubts, vertex = np.zeros(leaves.node.size), np.zeros(leaves.node.size, np.bool_)
    enough = 0.0
    for series, part in leaves.of_series():
        borders, closed = _borders(leaves.take(part)), ~leaves.open[part]
        tolerance = tolerances[series]
        choice = bins_to_refine(borders, tolerance, Choice(closed, closed), _ALL)
        if choice.all_rows.any():
            # What is left alone takes half of the tolerance, the pieces of the others the rest.
            choice = bins_to_refine(borders, tolerance / 2, Choice(closed, closed), _ALL)
        doubts[part] = np.where(choice.all_rows, borders.doubts().max(axis=0), 0.0)
        vertex[part] = choice.vertices
        enough += float(np.sqrt(doubts[part]).sum()) ** 2 / (_AIM * tolerance)
    return _Wanted(doubts, vertex, enough)


def _borders(leaves: Leaves) -> Borders:
    """Return the counts at the borders; sums of weights are scaled, as doubts take no notice."""
    rise, run = leaves.positives, leaves.negatives
    if rise.dtype.kind == "f":
        scale = _ROWS / (rise.sum() + run.sum())
        rise, run = rise * scale, run * scale
    tp, fp = running_sum(rise), running_sum(run)
    return Borders(np.arange(tp.size), tp, fp, tp - rise, fp - run)


def _shared(
    inside: NDArray[np.intp], all_rows: NDArray[np.int64], wanted: _Wanted, room: int
) -> Plan:
    """Share the room of a pass among ranges.

    Notes
    -----
    A doubt d is about d/k once its range is cut into k pieces. The sum is smallest where k is in
    proportion to √d.
    """
    most = max(room // 4, 1)
    if inside.size > most:
        urgent = np.where(wanted.vertex[inside], np.inf, wanted.doubts[inside])
        inside = np.sort(inside[np.argsort(-urgent, kind="stable")[:most]])
    need, vertex, rows = np.sqrt(wanted.doubts[inside]), wanted.vertex[inside], all_rows[inside]
    room = max(room - 2 * inside.size, 0)
    share = np.zeros(inside.size)
    share[vertex] = rows[vertex] * min(1.0, _SPARE * room / max(rows[vertex].sum(), 1))
    left = min(room - share.sum(), wanted.enough)
    sated = vertex.copy()
    for _ in range(4):
        hungry = ~sated
        if not hungry.any():
            break
        # What is shared out beyond the rows of a range is of no use there.
        over = max(left - rows[sated & ~vertex].sum(), 0)
        share[hungry] = need[hungry] * (over / need[hungry].sum())
        sated |= rows <= share
    pieces = np.minimum(2 + share.astype(np.int64), FIRST_PIECES)
    return Plan(inside, np.where(rows <= pieces, FINEST, pieces))
