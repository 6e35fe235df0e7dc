"""Rows counted in bounded memory: key by key while keys are few, in bins from then on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.sources.bins import plan_of
from isometrics.sources.dyadic import DyadicCounts, joined, nothing, of_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.sources.bins import BinPlan

    Labels = NDArray[np.bool_]
    Weights = NDArray[np.int64]
    Rows = tuple[NDArray[Any], Labels, Weights]

WAITING_SHARE = 4
"""For so many bins there is room for one row that waits."""

_SINGLE, _MIXED, _VOID = 0, 1, 2
"""A bin has rows of one key at most, or of several; or nothing was known when it was planned."""


class PlannedCounts:
    """Counts of planned bins, which know whether all their rows have one key.

    Parameters
    ----------
    plan
        Where the bins lie; 0 must not be among the keys.
    seen
        What the plan was made on, in intervals that each lie in one bin.
    """

    def __init__(self, plan: BinPlan, seen: DyadicCounts) -> None:
        self._plan = plan
        self._counts = np.zeros(2 * plan.size, np.int64)
        self._first = np.zeros(plan.size, plan.word)
        self._states = np.where(plan.bins_without(seen), _VOID, _SINGLE).astype(np.uint8)
        bins = plan.bins(seen.starts)
        single = seen.levels == 0
        self._mark(bins[single], seen.starts[single])
        self._states[bins[~single]] = _MIXED
        np.add.at(self._counts, 2 * bins, seen.negatives)
        np.add.at(self._counts, 2 * bins + 1, seen.positives)

    @property
    def nbytes(self) -> int:
        """The memory that is taken."""
        own = (self._counts, self._first, self._states, self._plan)
        return sum(part.nbytes for part in own)

    def append(self, rows: Rows) -> Rows:
        """Count the rows for which bins were planned, and return the others."""
        keys, labels, weights = rows
        bins = self._plan.bins(keys)
        states = self._states[bins]
        planned = states != _VOID
        lowest, highest = self._plan.lowest, self._plan.highest
        if int(keys.min()) < lowest or highest < int(keys.max()):
            word = self._plan.word
            planned &= (keys >= word.type(lowest)) & (keys <= word.type(highest))
        left: Rows = (keys[:0], labels[:0], weights[:0])
        if not planned.all():
            left = (keys[~planned], labels[~planned], weights[~planned])
            bins, states = bins[planned], states[planned]
            keys, labels, weights = keys[planned], labels[planned], weights[planned]
        single = np.flatnonzero(states == _SINGLE)
        self._mark(bins[single], keys[single])
        bins <<= 1
        bins |= labels
        np.add.at(self._counts, bins, weights)
        return left

    def _mark(self, bins: NDArray[np.int64], keys: NDArray[Any]) -> None:
        """Remember the key of each bin that has one, and which bins have several."""
        new = self._first[bins] == 0
        self._first[bins[new]] = keys[new]
        self._states[bins[self._first[bins] != keys]] = _MIXED

    def counts(self) -> DyadicCounts:
        """Return the bins with rows; one that has a single key is that key."""
        negatives, positives = self._counts[::2], self._counts[1::2]
        bins = np.flatnonzero(negatives + positives)
        mixed = self._states[bins] == _MIXED
        starts, levels = self._first[bins], np.zeros(bins.size, np.uint8)
        starts[mixed] = self._plan.edges(bins[mixed])
        levels[mixed] = self._plan.levels(bins[mixed])
        return DyadicCounts(starts, levels, positives[bins], negatives[bins])


class Waiting:
    """Rows that are not counted yet."""

    def __init__(self, room: int, word: np.dtype[Any]) -> None:
        self._rows: Rows = (
            np.empty(room, word),
            np.empty(room, np.bool_),
            np.empty(room, np.int64),
        )
        self._size = 0

    @property
    def nbytes(self) -> int:
        """The memory that is taken."""
        return sum(part.nbytes for part in self._rows)

    @property
    def empty(self) -> bool:
        """Whether no rows wait."""
        return self._size == 0

    @property
    def full(self) -> bool:
        """Whether there is no room left."""
        return self._size == self._rows[0].size

    def put(self, rows: Rows) -> int:
        """Keep the first rows, as far as there is room; return how many."""
        start = self._size
        self._size = min(start + rows[0].size, self._rows[0].size)
        for mine, given in zip(self._rows, rows, strict=True):
            mine[start : self._size] = given[: self._size - start]
        return self._size - start

    def counts(self) -> DyadicCounts:
        """Return the rows, counted key by key."""
        keys, labels, weights = self._rows
        return of_rows(keys[: self._size], labels[: self._size], weights[: self._size])

    def clear(self) -> None:
        """Forget all rows."""
        self._size = 0


class AdaptiveCounts:
    """Counts of both classes that stay within a number of bins, whatever arrives.

    Keys are counted one by one while there are no more of them than bins. Then bins are planned
    on what was seen. Rows where nothing had been seen by then wait, and when many do, all is
    planned anew. Bins with several keys never get smaller; so counts at their borders stay exact.

    Parameters
    ----------
    bins
        The most bins, four or more.
    word
        The type of the keys; 0 must not be among them.
    """

    def __init__(self, bins: int, word: np.dtype[Any]) -> None:
        self._bins = bins
        self._room = max(bins // WAITING_SHARE, 1)
        self._kept = nothing(word)
        self._planned: PlannedCounts | None = None
        self._waiting = Waiting(self._room, word)

    @property
    def nbytes(self) -> int:
        """The memory that counts, the plan and waiting rows take."""
        planned = 0 if self._planned is None else self._planned.nbytes
        return self._kept.nbytes + planned + self._waiting.nbytes

    @property
    def empty(self) -> bool:
        """Whether there are no rows."""
        return self._planned is None and self._kept.size == 0 and self._waiting.empty

    def append(self, keys: NDArray[Any], labels: Labels, weights: Weights) -> None:
        """Count rows."""
        rows = (keys, labels, weights)
        while rows[0].size:
            if self._planned is not None:
                rows = self._planned.append(rows)
            kept = self._waiting.put(rows)
            rows = (rows[0][kept:], rows[1][kept:], rows[2][kept:])
            if self._waiting.full:
                seen = self.counts()
                self._keep(seen, planned=not seen.exact or seen.size > self._bins)

    def absorb(self, other: DyadicCounts) -> None:
        """Count what was counted elsewhere."""
        seen = joined(self.counts(), other)
        self._keep(seen, planned=self._exceeded_by(seen))

    def together(self, other: DyadicCounts) -> DyadicCounts:
        """Return what would be counted after `absorb`, and count nothing."""
        seen = joined(self.counts(), other)
        if not self._exceeded_by(seen):
            return seen
        return PlannedCounts(plan_of(seen, self._bins), seen).counts()

    def _exceeded_by(self, seen: DyadicCounts) -> bool:
        # What one of these can return is kept as it is, so that nothing is lost on the way.
        return seen.size > self._bins + self._room

    def counts(self) -> DyadicCounts:
        """Return all that was counted."""
        counted = self._kept if self._planned is None else self._planned.counts()
        return joined(counted, self._waiting.counts())

    def _keep(self, seen: DyadicCounts, *, planned: bool) -> None:
        """Replace all counts, as they are or in bins that are planned on them."""
        self._waiting.clear()
        self._kept, self._planned = seen, None
        if planned:
            self._planned = PlannedCounts(plan_of(seen, self._bins), seen)
            self._kept = nothing(seen.starts.dtype)
