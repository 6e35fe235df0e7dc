"""Rows counted in bins, and looked at again where it matters: areas to a tolerance, exact hulls."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.sample import check_totals
from isometrics._counting.bins import BinCounts, bins_for, plan_bins
from isometrics._counting.hull import vertices
from isometrics._counting.keys import blocks, order_of
from isometrics._counting.tally import Section, Tally
from isometrics._table.building import table_of_tally
from isometrics.errors import FileError
from isometrics.points import OperatingPoints
from isometrics.sources.arrow import prefetch
from isometrics.sources.batches import Feeder
from isometrics.sources.sorted_rows import Run, Sections, SortedRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts
    from isometrics._counting.bins import BinPlan
    from isometrics._counting.tally import Refinement
    from isometrics.sources.sorted_rows import SpillFolder

    Mask = NDArray[np.bool_]

FIRST_ROWS = 1 << 21
"""So many rows are kept and sorted as they are; only behind them are bins planned."""
PLANNED_SHARE = 4
"""Bins are planned on every so many of the first rows; more do not make them better."""
_NEAR_BITS = 20
"""Small cells tell at once that most rows lie in no chosen bin: so many as fit into the cache."""


class BinnedRows(Feeder):
    """Counts scores in bins, then looks again at the bins that matter.

    The first pass gives exact counts at the ends of bins. Later ones sort the rows of the bins
    where the hull may have vertices, so the hull is exact, and of those that leave the most
    uncertainty about an area. Few rows are sorted, and every score is counted by itself.

    Parameters
    ----------
    dtype
        The type of the scores.
    tolerance
        How wide the bounds of an area may be.
    folder
        Where rows go that do not fit into memory.
    """

    def __init__(self, dtype: np.dtype[Any], tolerance: float, *, folder: SpillFolder) -> None:
        self._order = order_of(dtype)
        self._tolerance = tolerance
        self._first: SortedRows | None = SortedRows(dtype, None, folder=folder)
        self._counts: BinCounts | None = None
        self._refining: _Refining | None = None
        self._ended = False

    def append(self, labels: Mask, scores: NDArray[Any], weights: Counts | None = None) -> None:
        """Count rows in the first pass, and look into chosen bins later; rows have no weights."""
        assert weights is None
        if self._first is not None:
            # Later passes are for other models, which have more rows.
            if not self._ended:
                self._first.append(labels, scores, None)
            if self._first.rows > FIRST_ROWS:
                self._start_counting(self._first)
            return
        keys = self._order.keys(scores)
        if self._refining is not None:
            self._refining.append(keys, labels)
            return
        assert self._counts is not None, "rows are kept, or else counted"
        self._counts.append(keys, labels)

    def _start_counting(self, first: SortedRows) -> None:
        classes = [np.concatenate([run.keys for run in runs]) for runs in first.runs()]
        keys = np.concatenate(classes)
        labels = np.arange(keys.size) < classes[0].size
        sampled = slice(None, None, PLANNED_SHARE)
        seen = Tally.from_rows(self._order, keys[sampled], labels[sampled])
        plan = plan_bins(seen, bins_for(self._tolerance))
        self._first, self._counts = None, BinCounts(self._order, plan)
        self._counts.append(keys, labels)

    @property
    def nbytes(self) -> int:
        """The memory that rows take, as long as they are kept."""
        return 0 if self._first is None else self._first.nbytes

    def spill(self) -> None:
        """Move rows that are kept to the disk."""
        if self._first is not None:
            self._first.spill()

    def end_pass(self, name: str, room: int) -> bool:
        """End a pass; tell whether another one is needed, in which `room` rows may be kept.

        `name` is what errors call the labels.
        """
        self._ended = True
        if self._counts is None:
            return False
        if self._refining is None:
            tally = self._counts.tally()
            check_totals(*tally.totals, counted=name)
            self._refining = _Refining(self._counts.plan, tally)
        else:
            self._refining.end_look()
        return self._refining.choose(self._tolerance, room)

    def points(self, name: str, *, budget: int) -> OperatingPoints:
        """Return the table; that of few rows is exact."""
        if self._first is not None:
            return self._first.points(name, budget=budget)
        assert self._refining is not None, "a pass must be ended first"
        return OperatingPoints(table_of_tally(self._refining.tally, counted=name))


class _Refining:
    """A tally of bins, some of which are looked into."""

    def __init__(self, plan: BinPlan, tally: Tally) -> None:
        self.tally = tally
        self._plan = plan
        self._looked_into = np.zeros(plan.size, np.bool_)
        self._look: _Look | None = None

    def choose(self, tolerance: float, room: int) -> bool:
        """Choose bins to look into; there are none once all areas are known well enough."""
        bins = self._plan.bins(self.tally.lo)
        # A first look keeps all vertices.
        looked_into = self._looked_into[bins]
        chosen = self.tally.to_refine(tolerance, room=room, without_vertices=looked_into)
        if not chosen.intervals.any():
            return False
        self._look = _Look(self._plan, self.tally, bins, chosen)
        return True

    def append(self, keys: NDArray[Any], labels: Mask) -> None:
        """See rows again."""
        if self._look is not None:
            self._look.append(keys, labels)

    def end_look(self) -> None:
        """Take over what was seen in the chosen bins."""
        if self._look is not None:
            self.tally = self._look.refined()
            self._looked_into |= self._look.bins
            self._look = None


class _Look:
    """A second look at the rows of chosen bins, which are sorted.

    Parameters
    ----------
    plan
        The bins.
    tally
        What is known of the rows; each interval lies in one bin.
    bins
        The bins of the intervals.
    chosen
        The intervals whose rows are all kept, and those in which only vertices of the hull are;
        so it is with the bins around them.
    """

    def __init__(
        self, plan: BinPlan, tally: Tally, bins: NDArray[np.int64], chosen: Refinement
    ) -> None:
        self._plan = plan
        self._tally = tally
        self._all_rows, self.bins = np.zeros((2, plan.size), np.bool_)
        self._all_rows[bins[chosen.all_rows]] = True
        self.bins[bins[chosen.intervals]] = True
        self._chosen = self.bins[bins]
        self._near, self._near_shift = _cells_over(plan, np.flatnonzero(self.bins))
        self._rows: tuple[list[NDArray[Any]], ...] = (
            [np.empty(0, plan.word)],
            [np.empty(0, plan.word)],
        )

    def append(self, keys: NDArray[Any], labels: Mask) -> None:
        """Keep the rows that lie in chosen bins; most lie in cells without any."""
        near = []
        for block in blocks(keys.size):
            cells = self._plan.cells(keys[block], self._near_shift)
            near.append(np.flatnonzero(self._near[cells]) + block.start)
        rows = np.concatenate(near) if near else np.empty(0, np.intp)
        rows = rows[self.bins[self._plan.bins(keys[rows])]]
        keys, labels = keys[rows], labels[rows]
        self._rows[0].append(keys[labels])
        self._rows[1].append(keys[~labels])

    def refined(self) -> Tally:
        """Return the tally with what was seen in the chosen bins: all rows, or vertices."""
        with ThreadPoolExecutor(2) as threads:
            classes = list(threads.map(np.sort, map(np.concatenate, self._rows)))
        self._rows = ([], [])
        if tuple(keys.size for keys in classes) == self._tally.take(self._chosen).totals:
            runs = ([Run(keys, None)] for keys in classes)
            sections = prefetch(iter(Sections(self._tally.order, *runs)))
            skipped = self._skipped()
            finer, *others = [self._thinned(section, *skipped) for section in sections]
            finer = finer.merge(*others)
            if self._tally.is_refined_by(finer, self._chosen):
                return self._tally.refine(finer)
        raise FileError("the predictions changed while they were read; read them again")

    def _skipped(self) -> list[NDArray[np.int64]]:
        """Return the rows of each class above each interval that lie in bins not chosen."""
        skipped = []
        for counts in (self._tally.positives, self._tally.negatives):
            left_out = np.where(self._chosen, 0, counts)[::-1]
            skipped.append((np.cumsum(left_out) - left_out)[::-1])
        return skipped

    def _thinned(
        self, section: Section, positives: NDArray[np.int64], negatives: NDArray[np.int64]
    ) -> Tally:
        """Join the rows of a section that are not to be kept to the next lower one that is.

        Among the rows of chosen bins alone the counts begin at 0, and skip the other bins.
        """
        lo = section.tally.lo
        bins = self._plan.bins(lo)
        starts = np.flatnonzero(np.diff(bins, prepend=-1))
        times = np.diff(starts, append=bins.size)
        interval = np.searchsorted(self._tally.lo, lo[starts], "right") - 1
        tp, fp = (
            counts[1:] + np.repeat(skipped[interval], times)[::-1]
            for counts, skipped in zip(section.curve(), (positives, negatives), strict=True)
        )
        kept = np.repeat(self._all_rows[bins[starts]], times)
        # The lowest row of each bin, what a hull of these rows is made of, the most precise one.
        kept[starts] = True
        kept[lo.size - 1 - vertices(fp, tp)] = True
        kept[lo.size - 1 - np.argmax(tp / (tp + fp))] = True
        return section.tally.join(np.flatnonzero(kept))


def _cells_over(plan: BinPlan, bins: NDArray[np.int64]) -> tuple[Mask, int]:
    """Return which of many small cells overlap with some bins, and how far keys are shifted."""
    span = plan.highest - plan.lowest
    shift = max(span.bit_length() - _NEAR_BITS, 0)
    lo, hi = plan.ends(bins)
    begun = np.zeros((span >> shift) + 2, np.int64)
    np.add.at(begun, plan.cells(lo, shift), 1)
    np.add.at(begun, plan.cells(hi, shift) + 1, -1)
    return np.cumsum(begun) > 0, shift
