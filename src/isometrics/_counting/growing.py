"""A tally that grows by rows in any order, and stays within a number of bins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._counting.bins import plan_bins, reduce
from isometrics._counting.tally import Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._counting.bins import BinPlan
    from isometrics._counting.keys import Order

    Labels = NDArray[np.bool_]
    Weights = NDArray[np.int64]
    Rows = tuple[NDArray[Any], Labels, Weights]

_WAITING_SHARE = 4
"""For so many bins there is room for one row that waits."""

_SINGLE, _MIXED, _VOID = 0, 1, 2
"""A bin has rows of one key at most, or of several; or nothing was there when it was planned."""


class GrowingTally:
    """Counts of both classes that stay within a number of bins, whatever arrives.

    Keys are counted one by one while there are no more of them than bins. Then bins are planned
    on these counts. Rows where nothing had been counted by then wait, and when many do, all is
    planned anew. Bins with several keys never get smaller; so counts at their borders stay exact.
    All intervals are aligned blocks of keys, as those of `Tally.align`.

    Parameters
    ----------
    order
        The map between scores and keys; 0 must not be among the keys.
    bins
        The most bins, four or more.
    """

    def __init__(self, order: Order, bins: int) -> None:
        self._order = order
        self._bins = bins
        self._room = max(bins // _WAITING_SHARE, 1)
        self._waiting = _WaitingRows(self._room, order)
        self._keep(Tally.empty(order), planned=False)

    @property
    def nbytes(self) -> int:
        """The memory that counts, the plan and waiting rows take."""
        counted = sum(column.nbytes for column in self._blocks)
        planned = 0 if self._planned is None else self._planned.nbytes
        return counted + planned + self._waiting.nbytes

    @property
    def empty(self) -> bool:
        """Whether there are no rows."""
        return self._planned is None and self._blocks[0].size == 0 and self._waiting.size == 0

    def append(self, keys: NDArray[Any], labels: Labels, weights: Weights) -> None:
        """Count rows."""
        rows = (keys, labels, weights)
        while rows[0].size:
            if self._planned is not None:
                rows = self._planned.append(rows)
            rows = self._waiting.append(rows)
            if self._waiting.full:
                tally = self.tally()
                self._keep(tally, planned=not tally.exact or tally.size > self._bins)

    def merge(self, other: Tally) -> None:
        """Count what was counted elsewhere, in aligned blocks of keys."""
        tally = self.tally().merge(other)
        self._keep(tally, planned=self._is_exceeded_by(tally))

    def merged(self, other: Tally) -> Tally:
        """Return what would be counted after `merge`, and count nothing."""
        tally = self.tally().merge(other)
        return reduce(tally, self._bins) if self._is_exceeded_by(tally) else tally

    def _is_exceeded_by(self, tally: Tally) -> bool:
        # What `tally` can return is kept as it is, so that nothing is lost on the way.
        return tally.size > self._bins + self._room

    def tally(self) -> Tally:
        """Return all that was counted."""
        if self._planned is None:
            counted = Tally.from_blocks(self._order, *self._blocks)
        else:
            counted = self._planned.tally()
        return counted.merge(self._waiting.tally())

    def _keep(self, tally: Tally, *, planned: bool) -> None:
        """Replace all counts, as they are or in bins that are planned on them."""
        self._waiting.clear()
        self._planned: _PlannedCounts | None = None
        if planned:
            self._planned = _PlannedCounts(plan_bins(tally, self._bins), tally)
            tally = Tally.empty(self._order)
        # Sizes of blocks take an eighth of the memory that the upper ends take.
        self._blocks = (tally.lo, tally.levels, tally.positives, tally.negatives)


class _PlannedCounts:
    """Counts of planned bins, which know whether all their rows have one key.

    Parameters
    ----------
    plan
        Where the bins lie; 0 must not be among the keys.
    tally
        What the plan was made on, in intervals that each lie in one bin.
    """

    def __init__(self, plan: BinPlan, tally: Tally) -> None:
        self._plan = plan
        self._order = tally.order
        self._counts = np.zeros(2 * plan.size, np.int64)
        self._first = np.zeros(plan.size, plan.word)
        self._states = np.where(plan.bins_without(tally), _VOID, _SINGLE).astype(np.uint8)
        bins, several = plan.bins(tally.lo), tally.open
        self._mark(bins[~several], tally.lo[~several])
        self._states[bins[several]] = _MIXED
        np.add.at(self._counts, 2 * bins, tally.negatives)
        np.add.at(self._counts, 2 * bins + 1, tally.positives)

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

    def tally(self) -> Tally:
        """Return the bins with rows; one that has a single key is that key."""
        negatives, positives = self._counts[::2], self._counts[1::2]
        bins = np.flatnonzero(negatives + positives)
        mixed = self._states[bins] == _MIXED
        lo = self._first[bins]
        hi = lo.copy()
        lo[mixed], hi[mixed] = self._plan.ends(bins[mixed])
        return Tally(self._order, lo, hi, positives[bins], negatives[bins])


class _WaitingRows:
    """Rows that are not counted yet."""

    def __init__(self, room: int, order: Order) -> None:
        self._order = order
        self._rows: Rows = (
            np.empty(room, order.word),
            np.empty(room, np.bool_),
            np.empty(room, np.int64),
        )
        self.size = 0

    @property
    def nbytes(self) -> int:
        """The memory that is taken."""
        return sum(column.nbytes for column in self._rows)

    @property
    def full(self) -> bool:
        """Whether there is no room left."""
        return self.size == self._rows[0].size

    def append(self, rows: Rows) -> Rows:
        """Keep the first rows, as far as there is room; return the others."""
        start = self.size
        self.size = min(start + rows[0].size, self._rows[0].size)
        added = self.size - start
        for mine, given in zip(self._rows, rows, strict=True):
            mine[start : self.size] = given[:added]
        return rows[0][added:], rows[1][added:], rows[2][added:]

    def tally(self) -> Tally:
        """Return the rows, counted key by key."""
        keys, labels, weights = self._rows
        rows = slice(self.size)
        return Tally.from_rows(self._order, keys[rows], labels[rows], weights[rows])

    def clear(self) -> None:
        """Forget all rows."""
        self.size = 0
