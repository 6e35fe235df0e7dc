"""Rows counted in bins, and looked at again where it matters: areas to a tolerance, exact hulls."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.counts import check_totals
from isometrics._core.sample import Sample
from isometrics._counting.bins import BinCounts, bins_for, plan_bins
from isometrics._counting.hull import vertices
from isometrics._counting.keys import blocks, order_of
from isometrics._counting.tally import Tally
from isometrics._table.building import table_of_sample, table_of_tally
from isometrics.errors import FileError
from isometrics.points import OperatingPoints
from isometrics.sources.sorted_rows import BYTES_OF_A_ROW

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from isometrics._counting.bins import BinPlan
    from isometrics._counting.tally import Refinement
    from isometrics._table.table import Table

    Mask = NDArray[np.bool_]

FIRST_ROWS = 1 << 21
"""So many rows are kept and sorted as they are; only behind them are bins planned."""
PLANNED_SHARE = 4
"""Bins are planned on every so many of the first rows; more do not make them better."""
_BYTES_OF_A_KEY = 24
"""What a row takes that is kept and sorted in a later pass."""
_SECTION_ROWS = 1 << 18
_NEAR_BITS = 20
"""Small cells tell at once that most rows lie in no chosen bin: so many as fit into the cache."""


class BinnedRows:
    """Counts the scores of each model in bins, then looks again at the bins that matter.

    The first pass gives exact counts at the ends of bins. Later ones sort the rows of the bins
    where the hull may have vertices, so the hull is exact, and of those that leave the most
    uncertainty about an area. Few rows are sorted, and every score is counted by itself.

    Parameters
    ----------
    label
        What errors call the labels.
    tolerance
        How wide the bounds of an area may be.
    budget
        The bytes that rows may fill.
    """

    def __init__(self, label: str, tolerance: float, budget: int) -> None:
        self._label = label
        self._tolerance = tolerance
        self._budget = budget
        self._models: dict[str, _Model] = {}

    def append(self, samples: Sequence[Sample]) -> None:
        """Count rows in the first pass, and look into chosen bins later; rows have no weights."""
        for sample in samples:
            for name in sample.scores:
                if name not in self._models:
                    self._models[name] = _Model(self._tolerance)
                self._models[name].append(sample.of_model(name))
        held = sorted(self._models.values(), key=lambda model: model.first_rows)
        rows = sum(model.first_rows for model in held)
        while rows * BYTES_OF_A_ROW > self._budget:
            longest = held.pop()
            rows -= longest.first_rows
            longest.start_counting()

    def end_pass(self) -> bool:
        """End a pass; tell whether another one is needed."""
        room = self._budget // (_BYTES_OF_A_KEY * len(self._models))
        wanted = [model.end_pass(self._label, room) for model in self._models.values()]
        return any(wanted)

    def points(self, model: str) -> OperatingPoints:
        """Return the table of a model; that of few rows is exact."""
        return OperatingPoints(self._models[model].table(self._label))


class _Model:
    """The rows of one model: held as they are, then counted in bins, then looked at again."""

    def __init__(self, tolerance: float) -> None:
        self._tolerance = tolerance
        self._first: list[Sample] = []
        self._counts: BinCounts | None = None
        self._refining: _Refining | None = None
        self._ended = False

    @property
    def first_rows(self) -> int:
        """How many rows are held as they are."""
        return sum(sample.size for sample in self._first)

    def append(self, sample: Sample) -> None:
        """Hold rows, count them, or see them again."""
        if self._counts is not None:
            target = self._counts if self._refining is None else self._refining
            target.append(self._counts.order.keys(sample.only_scores), sample.labels)
        elif not self._ended:
            # Later passes are for other models, which have more rows.
            self._first.append(sample)
            if self.first_rows > FIRST_ROWS:
                self.start_counting()

    def start_counting(self) -> None:
        """Plan bins on the rows that are held, and count these."""
        sample = Sample.joined(self._first)
        self._first = []
        order = order_of(sample.only_scores.dtype)
        keys = order.keys(sample.only_scores)
        sampled = slice(None, None, PLANNED_SHARE)
        seen = Tally.from_rows(order, keys[sampled], sample.labels[sampled])
        self._counts = BinCounts(order, plan_bins(seen, bins_for(self._tolerance)))
        self._counts.append(keys, sample.labels)

    def end_pass(self, label: str, room: int) -> bool:
        """End a pass; tell whether another one is needed, in which `room` rows may be kept."""
        self._ended = True
        if self._counts is None:
            return False
        if self._refining is None:
            tally = self._counts.tally()
            check_totals(*tally.totals, counted=label)
            self._refining = _Refining(self._counts.plan, tally)
        else:
            self._refining.end_look()
        return self._refining.choose(self._tolerance, room)

    def table(self, label: str) -> Table:
        """Return the table, once no other pass is needed."""
        if self._refining is None:
            return table_of_sample(Sample.joined(self._first), counted=label)
        return table_of_tally(self._refining.tally, counted=label)


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
            positives, negatives = threads.map(np.sort, map(np.concatenate, self._rows))
        self._rows = ([], [])
        if (positives.size, negatives.size) == self._tally.take(self._chosen).totals:
            finer = [self._thinned(*section) for section in self._sections(positives, negatives)]
            merged = finer[0].merge(*finer[1:])
            if self._tally.is_refined_by(merged, self._chosen):
                return self._tally.refine(merged)
        raise FileError("the predictions changed while they were read; read them again")

    def _sections(
        self, positives: NDArray[Any], negatives: NDArray[Any]
    ) -> Iterator[tuple[Tally, tuple[int, int]]]:
        """Yield the tallies of ranges of keys with their counts above, from the lowest one on."""
        longer = max(positives, negatives, key=len)
        borders = np.unique(longer[::_SECTION_ROWS])[1:]
        cuts = [[0, *np.searchsorted(keys, borders), keys.size] for keys in (positives, negatives)]
        for (start, first), (end, last) in pairwise(zip(*cuts, strict=True)):
            keys = np.concatenate([positives[start:end], negatives[first:last]])
            labels = np.arange(keys.size) < end - start
            above = (positives.size - int(end), negatives.size - int(last))
            yield Tally.from_rows(self._tally.order, keys, labels), above

    @cached_property
    def _skipped(self) -> list[NDArray[np.int64]]:
        """Return the rows of each class above each interval that lie in bins not chosen."""
        skipped = []
        for counts in (self._tally.positives, self._tally.negatives):
            left_out = np.where(self._chosen, 0, counts)[::-1]
            skipped.append((np.cumsum(left_out) - left_out)[::-1])
        return skipped

    def _thinned(self, tally: Tally, above: tuple[int, int]) -> Tally:
        """Join the rows of a section that are not to be kept to the next lower one that is.

        Among the rows of chosen bins alone the counts begin at 0, and skip the other bins.
        """
        bins = self._plan.bins(tally.lo)
        starts = np.flatnonzero(np.diff(bins, prepend=-1))
        times = np.diff(starts, append=bins.size)
        interval = np.searchsorted(self._tally.lo, tally.lo[starts], "right") - 1
        tp, fp = (
            counts[1:] + np.repeat(skipped[interval], times)[::-1]
            for counts, skipped in zip(tally.curve(above), self._skipped, strict=True)
        )
        kept = np.repeat(self._all_rows[bins[starts]], times)
        # The lowest row of each bin, what a hull of these rows is made of, the most precise one.
        kept[starts] = True
        kept[tally.size - 1 - vertices(fp, tp)] = True
        kept[tally.size - 1 - np.argmax(tp / (tp + fp))] = True
        return tally.join(np.flatnonzero(kept))


def _cells_over(plan: BinPlan, bins: NDArray[np.int64]) -> tuple[Mask, int]:
    """Return which of many small cells overlap with some bins, and how far keys are shifted."""
    span = plan.highest - plan.lowest
    shift = max(span.bit_length() - _NEAR_BITS, 0)
    lo, hi = plan.ends(bins)
    begun = np.zeros((span >> shift) + 2, np.int64)
    np.add.at(begun, plan.cells(lo, shift), 1)
    np.add.at(begun, plan.cells(hi, shift) + 1, -1)
    return np.cumsum(begun) > 0, shift
