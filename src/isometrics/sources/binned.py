"""Rows counted in bins: exact at their borders, and inside those bins that matter."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.sample import check_totals
from isometrics._counting.hull import vertices
from isometrics._counting.keys import blocks
from isometrics.errors import FileError
from isometrics.sources.arrow import ahead
from isometrics.sources.bins import doubts
from isometrics.sources.runs import Run
from isometrics.sources.sections import SectionRows, Sections

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.sources.bins import BinPlan

_BUFFER = 1 << 22
_NEAR_BITS = 20
"""Small cells tell at once that most rows lie in no chosen bin: so many as fit into the cache."""
_SAFETY = 0.75
"""The doubts bound AUROC, AUPR and AUPRG; what is derived from them has wider brackets."""


class BinCounts:
    """How many rows of each class every bin has; rows arrive in chunks."""

    def __init__(self, plan: BinPlan) -> None:
        self.plan = plan
        self._counts = np.zeros(2 * plan.size, np.int64)
        self._waiting: list[NDArray[np.int64]] = []
        self._rows_waiting = 0
        self.lowest_key = int(np.iinfo(plan.word).max)

    def append(self, keys: NDArray[Any], labels: NDArray[np.bool_]) -> None:
        """Count rows; many at a time, because each count visits all bins."""
        self.lowest_key = int(keys.min(initial=self.lowest_key))
        places = self.plan.bins(keys)
        places <<= 1
        places |= labels
        self._waiting.append(places)
        self._rows_waiting += places.size
        if self._rows_waiting >= _BUFFER:
            self._count()

    def _count(self) -> None:
        if self._waiting:
            places = np.concatenate(self._waiting)
            self._counts += np.bincount(places, minlength=self._counts.size)
        self._waiting, self._rows_waiting = [], 0

    def classes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the positives and the negatives of each bin."""
        self._count()
        return self._counts[1::2], self._counts[::2]


class Borders(NamedTuple):
    """Bins with rows, from the highest on, and the counts above and below each."""

    bins: NDArray[np.int64]
    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    tp_above: NDArray[np.int64]
    fp_above: NDArray[np.int64]

    @property
    def positives(self) -> NDArray[np.int64]:
        """The positives inside each bin."""
        return self.tp - self.tp_above

    @property
    def negatives(self) -> NDArray[np.int64]:
        """The negatives inside each bin."""
        return self.fp - self.fp_above

    def may_hold_vertices(self) -> NDArray[np.bool_]:
        """Tell which bins may hold vertices of the hull.

        Whatever the order inside a bin, its rows lie below and to the right of the corner where
        all its positives come first; so that corner must lie above the hull of the borders. A
        border that is a vertex itself has the lowest score of the bin as its threshold.
        """
        tp, fp = np.concatenate([[0], self.tp]), np.concatenate([[0], self.fp])
        corners = vertices(fp, tp)
        there = np.interp(self.fp_above, fp[corners], tp[corners])
        mixed = (self.positives > 0) & (self.negatives > 0)
        # np.interp rounds; a bin too many costs little.
        above = mixed & (self.tp >= there - 1e-9 * self.tp[-1])
        above[corners[1:] - 1] = True
        above[0] = True  # the highest score of all
        above[np.argmax(self.tp / (self.tp + self.fp))] = True  # the first one of highest precision
        return np.asarray(above)

    def doubts(self) -> NDArray[np.float64]:
        """Return how much each bin may add to the bracket of AUROC, AUPR and AUPRG: three rows."""
        counts = (self.tp_above, self.fp_above, self.positives, self.negatives)
        return doubts(*(each.astype(np.float64) for each in counts))


def borders_of(counts: BinCounts, name: str) -> Borders:
    """Return the counts at the border below each bin that has rows, exactly."""
    positives, negatives = counts.classes()
    bins = np.flatnonzero(positives + negatives)[::-1]
    rise, run = positives[bins], negatives[bins]
    tp, fp = np.cumsum(rise), np.cumsum(run)
    check_totals(int(tp[-1]), int(fp[-1]), counted=name)
    return Borders(bins, tp, fp, tp - rise, fp - run)


class Choice(NamedTuple):
    """Bins to look into: all their rows, or only for vertices of the hull."""

    all_rows: NDArray[np.bool_]
    vertices: NDArray[np.bool_]

    @property
    def bins(self) -> NDArray[np.bool_]:
        """All of them."""
        return self.all_rows | self.vertices


def bins_to_refine(borders: Borders, tolerance: float, seen: Choice, room: int) -> Choice:
    """Return the bins whose order must be known, as far as `room` rows go.

    All that may hold vertices of the hull, then those that leave the most doubt, until what is
    left over is well below the tolerance for every area.
    """
    vertex = borders.may_hold_vertices() & ~seen.bins
    doubts = np.where(seen.all_rows, 0.0, borders.doubts())
    doubtful = np.empty(0, np.intp)
    if doubts.sum(axis=1).max() > tolerance * _SAFETY:
        order = np.argsort(-doubts.max(axis=0), kind="stable")
        left = np.cumsum(doubts[:, order][:, ::-1], axis=1)[:, ::-1].max(axis=0)
        doubtful = order[left > tolerance * _SAFETY]
    ranked = np.concatenate([np.flatnonzero(vertex), doubtful])
    rows = np.cumsum((borders.positives + borders.negatives)[ranked])
    some = np.zeros(vertex.size, np.bool_)
    some[ranked[: max(int(np.searchsorted(rows, room, "right")), 1)]] = True
    whole = np.zeros(vertex.size, np.bool_)
    whole[doubtful] = True
    return Choice(some & whole, some & vertex & ~whole)


class Refinement:
    """Rows of chosen bins, in full order."""

    def __init__(self, plan: BinPlan, borders: Borders, choice: Choice) -> None:
        self._plan = plan
        self._borders = borders
        self._choice = choice
        chosen = choice.bins
        self._expected, self._skipped = [], []
        for inside, above in (
            (borders.positives, borders.tp_above),
            (borders.negatives, borders.fp_above),
        ):
            mine = np.where(chosen, inside, 0)
            upto = np.cumsum(mine)
            self._expected.append(int(upto[-1]))
            self._skipped.append(above - (upto - mine))
        bins = borders.bins[chosen]
        self._rising = borders.bins[::-1]
        self._bin = np.zeros(plan.size, np.bool_)
        self._bin[bins] = True
        self._near, self._near_shift = _cells_over(plan, bins)
        self._kept: tuple[list[NDArray[Any]], ...] = (
            [np.empty(0, plan.word)],
            [np.empty(0, plan.word)],
        )

    def append(self, keys: NDArray[Any], labels: NDArray[np.bool_]) -> None:
        """Keep the rows that lie in chosen bins; most lie in cells without any."""
        near = []
        for block in blocks(keys.size):
            cells = self._plan.cells(keys[block], self._near_shift)
            near.append(np.flatnonzero(self._near[cells]) + block.start)
        rows = np.concatenate(near) if near else np.empty(0, np.intp)
        rows = rows[self._bin[self._plan.bins(keys[rows])]]
        keys, labels = keys[rows], labels[rows]
        self._kept[0].append(keys[labels])
        self._kept[1].append(keys[~labels])

    def rows(self) -> KeyRows:
        """Return rows of the chosen bins, from the highest key on: all, or those of the hull."""
        with ThreadPoolExecutor(2) as threads:
            classes = list(threads.map(np.sort, map(np.concatenate, self._kept)))
        self._kept = ([], [])
        if [keys.size for keys in classes] != self._expected:
            raise FileError("the predictions changed while they were read; read them again")
        runs = ([Run(keys, None)] for keys in classes)
        parts = [self._placed(part) for part in ahead(iter(Sections(*runs)))]
        return KeyRows(*(np.concatenate(part) for part in zip(*parts[::-1], strict=True)))

    def _placed(self, section: SectionRows) -> KeyRows:
        """Let the counts of a section continue those above its bins, and thin its rows.

        Among the rows of chosen bins alone the counts begin at 0, and skip the other bins.
        """
        keys = section.keys[1:]
        bins = self._plan.bins(keys)
        starts = np.flatnonzero(np.diff(bins, prepend=-1))
        place = self._borders.bins.size - 1 - np.searchsorted(self._rising, bins[starts])
        times = np.diff(np.append(starts, bins.size))
        tp, fp = (
            counts[1:] + np.repeat(skipped[place], times)
            for counts, skipped in zip((section.tp, section.fp), self._skipped, strict=True)
        )
        kept = np.repeat(self._choice.all_rows[place], times)
        # The last row of each bin, what a hull of these rows is made of, the most precise one.
        kept[np.append(starts[1:], bins.size) - 1] = True
        kept[vertices(fp, tp)] = True
        kept[np.argmax(tp / (tp + fp))] = True
        rows = np.flatnonzero(kept)
        return KeyRows(keys[rows], tp[rows], fp[rows], np.diff(rows, prepend=-1) > 1)


def _cells_over(plan: BinPlan, bins: NDArray[np.int64]) -> tuple[NDArray[np.bool_], int]:
    """Return which of many small cells overlap with some bins, and how far keys are shifted."""
    span, one = plan.highest - plan.lowest, plan.word.type(1)
    shift = max(span.bit_length() - _NEAR_BITS, 0)
    edges = plan.edges(bins)
    ends = edges + ((one << plan.levels(bins)) - one)
    begun = np.zeros((span >> shift) + 2, np.int64)
    np.add.at(begun, plan.cells(edges, shift), 1)
    np.add.at(begun, plan.cells(ends, shift) + 1, -1)
    return np.cumsum(begun) > 0, shift


class KeyRows(NamedTuple):
    """Rows of a table known by their keys; `gaps` tells where rows before one are left out."""

    keys: NDArray[Any]
    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    gaps: NDArray[np.bool_]
