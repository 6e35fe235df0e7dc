"""Bins of scores, planned on a tally of some rows: where they lie, and how many rows each has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._counting.keys import blocks
from isometrics._counting.tally import Tally, uncertainty_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._counting.keys import Order

    Labels = NDArray[np.bool_]
    Weights = NDArray[np.int64]
    Rows = tuple[NDArray[Any], Labels, Weights]


_CELL_BITS, _PART_BITS = 14, 16
_HALVINGS = 12
_SPREAD = 0.5
"""The share of the positives that a plan takes to lie anywhere, because few of them were seen."""
FEWEST_BINS, MOST_BINS = 1 << 16, 3 << 18
_BUFFER = 1 << 22
"""Rows that are counted at a time."""


class Cut(NamedTuple):
    """Equal intervals of keys, each cut into equal pieces: a power of two of them."""

    shift: NDArray[Any]
    """How far a key is shifted to the right, for each interval."""
    add: NDArray[np.int64]
    """What is then added to get the number of its piece."""
    first: NDArray[np.int64]
    """The first piece of each interval."""

    def pieces(self, keys: NDArray[Any], intervals: NDArray[Any]) -> NDArray[np.int64]:
        """Return the pieces of keys that lie in some intervals."""
        shifted = self.shift[intervals]
        np.right_shift(keys, shifted, out=shifted)
        pieces = _signed(shifted)
        pieces += self.add[intervals]
        return pieces

    def whole(self, pieces: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the intervals that pieces, which must be rising, belong to."""
        begin = np.searchsorted(pieces, self.first)
        return np.repeat(np.arange(self.first.size), np.diff(begin, append=pieces.size))

    def starts(self, pieces: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the first keys of pieces, and their sizes as powers of two."""
        intervals = self.whole(pieces)
        shift = self.shift[intervals]
        numbers = (pieces - self.add[intervals]).astype(self.shift.dtype)
        return np.asarray(numbers << shift), shift


@dataclass(frozen=True, slots=True)
class BinPlan:
    """Where bins lie: equal cells over a range of keys, cut into parts, and these into bins.

    Cells, parts and bins are aligned: each begins at a multiple of its size, a power of two. So
    bins of different plans are equal, or one lies inside the other, or they are apart; and the
    bin of a key takes some shifts and two small tables. Keys outside the range belong to the
    first or the last bin.
    """

    lowest: int
    highest: int
    cell_shift: int
    parts: Cut
    """The parts of the cells."""
    cut: Cut
    """The bins of the parts."""
    size: int
    """The number of bins."""

    @property
    def word(self) -> np.dtype[Any]:
        """The type of the keys."""
        return self.cut.shift.dtype

    @property
    def nbytes(self) -> int:
        """The memory that is taken."""
        return sum(array.nbytes for cut in (self.parts, self.cut) for array in cut)

    def cells(self, keys: NDArray[Any], shift: int) -> NDArray[np.int64]:
        """Return the cells of keys, if those had ``2**shift`` keys."""
        inside = np.clip(keys, self.word.type(self.lowest), self.word.type(self.highest))
        return self._cells(inside, shift)

    def _cells(self, keys: NDArray[Any], shift: int) -> NDArray[np.int64]:
        offsets: NDArray[Any] = keys - self.word.type(self.lowest)
        offsets >>= self.word.type(shift)
        return _signed(offsets)

    def bins(self, keys: NDArray[Any]) -> NDArray[np.int64]:
        """Return the bins of keys, worked out in blocks that stay in the processor's cache."""
        bins = np.empty(keys.size, np.int64)
        lowest, highest = self.word.type(self.lowest), self.word.type(self.highest)
        for rows in blocks(keys.size):
            block = np.clip(keys[rows], lowest, highest)
            parts = self.parts.pieces(block, self._cells(block, self.cell_shift))
            bins[rows] = self.cut.pieces(block, parts)
        return bins

    def bins_without(self, seen: Tally) -> NDArray[np.bool_]:
        """Tell which bins belong to parts in which nothing was counted."""
        parts = np.ones(self.cut.shift.size, np.bool_)
        parts[self.cut.whole(self.bins(seen.lo))] = False
        return np.repeat(parts, np.diff(np.append(self.cut.first, self.size)))

    def ends(self, bins: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the lowest and the highest keys of bins."""
        lo, shift = self.cut.starts(bins)
        return lo, lo + ((self.word.type(1) << shift) - self.word.type(1))


def _signed(numbers: NDArray[Any]) -> NDArray[np.int64]:
    """Return unsigned numbers as int64, modulo 2**64 and without a copy where possible."""
    wide = numbers.dtype.itemsize == 8
    return np.asarray(numbers.view(np.int64) if wide else numbers.astype(np.int64))


class BinCounts:
    """How many rows of each class every bin has; rows arrive in chunks."""

    def __init__(self, order: Order, plan: BinPlan) -> None:
        self.plan = plan
        self.order = order
        self._counts = np.zeros(2 * plan.size, np.int64)
        self._waiting: list[NDArray[np.int64]] = []
        self._rows_waiting = 0
        self._lowest, self._highest = int(np.iinfo(plan.word).max), 0

    def append(self, keys: NDArray[Any], labels: NDArray[np.bool_]) -> None:
        """Count rows; many at a time, because each count visits all bins."""
        self._lowest = int(keys.min(initial=self._lowest))
        self._highest = int(keys.max(initial=self._highest))
        cells = self.plan.bins(keys)
        cells <<= 1
        cells |= labels
        self._waiting.append(cells)
        self._rows_waiting += cells.size
        if self._rows_waiting >= _BUFFER:
            self._count()

    def _count(self) -> None:
        if self._waiting:
            cells = np.concatenate(self._waiting)
            self._counts += np.bincount(cells, minlength=self._counts.size)
        self._waiting, self._rows_waiting = [], 0

    def tally(self) -> Tally:
        """Return the bins with rows; there must be some."""
        self._count()
        negatives, positives = self._counts[::2], self._counts[1::2]
        bins = np.flatnonzero(positives + negatives)
        lo, hi = self.plan.ends(bins)
        # Rows beyond the plan are in its outermost bins.
        lo[0], hi[-1] = self._lowest, self._highest
        return Tally(self.order, lo, hi, positives[bins], negatives[bins])


def reduce(tally: Tally, most: int) -> Tally:
    """Return a tally of at most so many intervals, four or more, aligned and planned on it.

    A bin that holds nothing but an exact interval is that interval.
    """
    if tally.size <= most:
        return tally
    aligned = tally.align()
    if aligned.size <= most:
        return aligned
    plan = plan_bins(aligned, most)
    bins = plan.bins(aligned.lo)
    first = np.flatnonzero(np.diff(bins, prepend=-1))
    joined = aligned.join(first)
    lo, hi = plan.ends(bins[first])
    single = joined.lo == joined.hi
    lo[single] = hi[single] = joined.lo[single]
    return replace(joined, lo=lo, hi=hi)


def bins_for(tolerance: float) -> int:
    """Return how many bins make the brackets of areas about as wide as a tolerance."""
    return int(np.clip(16 / tolerance, FEWEST_BINS, MOST_BINS))


def plan_bins(seen: Tally, most: int = MOST_BINS) -> BinPlan:
    """Plan at most so many bins, four or more, on a tally whose intervals are aligned blocks.

    Each interval stays in one bin. A poor plan only makes bounds wider.

    Notes
    -----
    A cell of uncertainty u as one bin has about u/k as k bins. The sum over all cells is smallest
    where k is in proportion to √u. For AUROC u is p·n/(P·N), with p positives and n negatives in
    the cell; for PR and PRG the top of the ranking counts more. Each cell with rows is taken to
    have a little of both classes besides, so that rare ones count.
    """
    lowest, highest = int(seen.lo[0]), int(seen.hi[-1])
    levels = seen.levels
    cell_shift = int(levels.max())
    most_cells = min(1 << _CELL_BITS, max(most // 8, 2))
    while (highest >> cell_shift) - (lowest >> cell_shift) >= most_cells:
        cell_shift += 1
    first, last = lowest >> cell_shift, highest >> cell_shift
    word = seen.lo.dtype
    starts = np.arange(first, last + 1, dtype=word) << word.type(cell_shift)
    most_parts = min(1 << _PART_BITS, max(most // 4, 2))
    parts, count = _cut(seen, levels, (starts, np.full(starts.size, cell_shift)), most_parts)
    starts, shifts = parts.starts(np.arange(count))
    cut, size = _cut(seen, levels, (starts, shifts.astype(np.int64)), most)
    highest = ((last + 1) << cell_shift) - 1
    return BinPlan(first << cell_shift, highest, cell_shift, parts, cut, size)


def _cut(
    seen: Tally,
    levels: NDArray[np.uint8],
    blocks_of_keys: tuple[NDArray[Any], NDArray[np.int64]],
    most: int,
) -> tuple[Cut, int]:
    """Cut blocks, given by first keys and sizes, into `most` pieces or fewer; return how many."""
    starts, shifts = blocks_of_keys
    begin = np.searchsorted(seen.lo, starts)
    filled = np.flatnonzero(np.diff(begin, append=seen.size))
    coarsest = np.zeros(starts.size, np.int64)
    coarsest[filled] = np.maximum.reduceat(levels, begin[filled])
    shares = np.zeros(starts.size)
    shares[filled] = _shares(
        *(np.add.reduceat(counts, begin[filled]) for counts in (seen.positives, seen.negatives))
    )
    bits = _allotted(shares, shifts - coarsest, most)
    last = np.cumsum(1 << bits)
    first = last - (1 << bits)
    shift = (shifts - bits).astype(starts.dtype)
    return Cut(shift, first - (starts >> shift).astype(np.int64), first), int(last[-1])


def _shares(positives: NDArray[np.int64], negatives: NDArray[np.int64]) -> Floats:
    """Return in which proportion intervals with rows should be cut, the lowest one first."""
    rows = (positives + negatives).astype(np.float64)[::-1]
    # Positives are also taken to lie where all rows do, and each class a little everywhere.
    rise = positives[::-1] * (1 - _SPREAD) + rows * (positives.sum() * _SPREAD / rows.sum())
    rise += 1.0 / rows.size
    run = negatives[::-1].astype(np.float64) + 1
    tp, fp = np.cumsum(rise), np.cumsum(run)
    shares: Floats = np.sqrt(uncertainty_of(tp - rise, fp - run, rise, run).sum(axis=0))
    return shares[::-1]


def _allotted(shares: Floats, finest: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return the bins of each cell, as powers of two: at least one, and not more than `most`."""
    with np.errstate(divide="ignore"):
        logs = np.log2(shares / shares.sum())

    def bits(log_total: float) -> NDArray[np.int64]:
        return np.asarray(np.clip(np.round(logs + log_total), 0, finest).astype(np.int64))

    low, high = 0.0, np.log2(most) + 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        few = int((1 << bits(middle)).sum()) <= most
        low, high = (middle, high) if few else (low, middle)
    return bits(low)


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
