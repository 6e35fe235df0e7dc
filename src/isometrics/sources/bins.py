"""Bins over the order of the scores, planned on the rows seen so far and counted in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._counting.keys import blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics.sources.dyadic import DyadicCounts

_CELL_BITS, _PART_BITS = 14, 16
_HALVINGS = 12
_SPREAD = 0.5
"""Which part of the positives a plan takes to lie anywhere, because few of them were seen."""
FEWEST_BINS, MOST_BINS = 1 << 16, 3 << 18


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
        found = _signed(shifted)
        found += self.add[intervals]
        return found

    def whole(self, pieces: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the intervals that pieces belong to."""
        return np.asarray(np.searchsorted(self.first, pieces, "right") - 1)

    def starts(self, pieces: NDArray[np.int64]) -> NDArray[Any]:
        """Return the first keys of pieces."""
        intervals = self.whole(pieces)
        numbers = (pieces - self.add[intervals]).astype(self.shift.dtype)
        return np.asarray(numbers << self.shift[intervals])


@dataclass(frozen=True, slots=True)
class BinPlan:
    """Where bins lie: equal cells over a range of keys, cut into parts, and these into bins.

    Cells, parts and bins are aligned: each begins at a multiple of its size, a power of two. So
    bins of different plans are equal, or one lies inside the other, or they are apart; and the
    bin of a key is found by shifts and two small tables. Keys outside the range belong to the
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
        found = np.empty(keys.size, np.int64)
        lowest, highest = self.word.type(self.lowest), self.word.type(self.highest)
        for rows in blocks(keys.size):
            block = np.clip(keys[rows], lowest, highest)
            parts = self.parts.pieces(block, self._cells(block, self.cell_shift))
            found[rows] = self.cut.pieces(block, parts)
        return found

    def bins_without(self, seen: DyadicCounts) -> NDArray[np.bool_]:
        """Tell which bins belong to parts in which nothing was counted."""
        parts = np.ones(self.cut.shift.size, np.bool_)
        parts[self.cut.whole(self.bins(seen.starts))] = False
        return np.repeat(parts, np.diff(np.append(self.cut.first, self.size)))

    def edges(self, bins: NDArray[np.int64]) -> NDArray[Any]:
        """Return the lowest keys of bins."""
        return self.cut.starts(bins)

    def levels(self, bins: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the sizes of bins, as powers of two."""
        return np.asarray(self.cut.shift[self.cut.whole(bins)].astype(np.uint8))


def _signed(numbers: NDArray[Any]) -> NDArray[np.int64]:
    """Return unsigned numbers as int64, modulo 2**64 and without a copy where possible."""
    wide = numbers.dtype.itemsize == 8
    return np.asarray(numbers.view(np.int64) if wide else numbers.astype(np.int64))


def bins_for(tolerance: float) -> int:
    """Return how many bins make the brackets of areas about as wide as a tolerance."""
    return int(np.clip(16 / tolerance, FEWEST_BINS, MOST_BINS))


def doubts(tp_above: Floats, fp_above: Floats, rise: Floats, run: Floats) -> Floats:
    """Return how much bins may add to the brackets of AUROC, AUPR and AUPRG: three rows.

    Bins come from the highest to the lowest, with all counts above and inside each.
    """
    tp, fp = tp_above + rise, fp_above + run
    positives, negatives = float(tp[-1]), float(fp[-1])
    roc = (rise / positives) * (run / negatives)
    best = tp / np.maximum(tp + fp_above, 1)
    worst = tp_above / np.maximum(tp_above + fp, 1)
    # Average precision also depends on which positives of a bin are tied.
    pr = (rise / positives) * (best - worst)
    odds = positives / negatives
    baseline = positives * positives / (positives + negatives)
    start = np.maximum(tp_above, baseline)
    inside = np.maximum(tp - start, 0.0)
    prg = odds * odds * positives * inside * run / (start * start * np.maximum(tp, start))
    return np.array([roc, pr, prg])


def plan_of(seen: DyadicCounts, most: int = MOST_BINS) -> BinPlan:
    """Plan at most so many bins, four or more, on what was counted so far.

    A poor plan only makes bounds wider. What was counted of several keys together stays in one
    bin.

    Notes
    -----
    A cell that leaves the doubt d as one bin leaves about d/k as k bins. The sum of the doubts is
    smallest where k is in proportion to √d. For AUROC d is p·n/(P·N), with p positives and n
    negatives in the cell; for PR and PRG the top of the ranking counts more. Each cell with rows
    is taken to have a little of both classes besides, so that rare ones count.
    """
    lowest, highest = int(seen.starts[0]), int(seen.ends[-1])
    cell_shift = int(seen.levels.max())
    most_cells = min(1 << _CELL_BITS, max(most // 8, 2))
    while (highest >> cell_shift) - (lowest >> cell_shift) >= most_cells:
        cell_shift += 1
    first, last = lowest >> cell_shift, highest >> cell_shift
    word = seen.starts.dtype
    starts = np.arange(first, last + 1, dtype=word) << word.type(cell_shift)
    shifts = np.full(starts.size, cell_shift)
    most_parts = min(1 << _PART_BITS, max(most // 4, 2))
    parts, count = _cut(seen, starts, np.full(starts.size, cell_shift), most_parts)
    numbers = np.arange(count)
    shifts = parts.shift[parts.whole(numbers)].astype(np.int64)
    cut, size = _cut(seen, parts.starts(numbers), shifts, most)
    highest = ((last + 1) << cell_shift) - 1
    return BinPlan(first << cell_shift, highest, cell_shift, parts, cut, size)


def _cut(
    seen: DyadicCounts, starts: NDArray[Any], shifts: NDArray[np.int64], most: int
) -> tuple[Cut, int]:
    """Cut intervals of some sizes into `most` pieces or fewer; return how many, too."""
    begin = np.searchsorted(seen.starts, starts)
    filled = np.flatnonzero(np.diff(begin, append=seen.size))
    coarsest = np.zeros(starts.size, np.int64)
    coarsest[filled] = np.maximum.reduceat(seen.levels, begin[filled])
    wanted = np.zeros(starts.size)
    wanted[filled] = _wanted(
        *(np.add.reduceat(counts, begin[filled]) for counts in (seen.positives, seen.negatives))
    )
    bits = _allotted(wanted, shifts - coarsest, most)
    last = np.cumsum(1 << bits)
    first = last - (1 << bits)
    shift = (shifts - bits).astype(starts.dtype)
    return Cut(shift, first - (starts >> shift).astype(np.int64), first), int(last[-1])


def _wanted(positives: NDArray[np.int64], negatives: NDArray[np.int64]) -> Floats:
    """Return in which proportion intervals with rows should be cut, the lowest one first."""
    rows = (positives + negatives).astype(np.float64)[::-1]
    # Positives are also taken to lie where all rows do, and each class a little everywhere.
    rise = positives[::-1] * (1 - _SPREAD) + rows * (positives.sum() * _SPREAD / rows.sum())
    rise += 1.0 / rows.size
    run = negatives[::-1].astype(np.float64) + 1
    tp, fp = np.cumsum(rise), np.cumsum(run)
    wanted: Floats = np.sqrt(doubts(tp - rise, fp - run, rise, run).sum(axis=0))
    return wanted[::-1]


def _allotted(wanted: Floats, finest: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return the bins of each cell, as powers of two: at least one, and not more than `most`."""
    with np.errstate(divide="ignore"):
        shares = np.log2(wanted / wanted.sum())

    def bits(log_total: float) -> NDArray[np.int64]:
        return np.asarray(np.clip(np.round(shares + log_total), 0, finest).astype(np.int64))

    low, high = 0.0, np.log2(most) + 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        few = int((1 << bits(middle)).sum()) <= most
        low, high = (middle, high) if few else (low, middle)
    return bits(low)
