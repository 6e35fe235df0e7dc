"""Bins over the order of the scores, planned on the first rows and counted in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.kernels.keys import blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CELL_BITS = 16
FEWEST_BINS, MOST_BINS = 1 << 14, 1 << 20


@dataclass(frozen=True, slots=True)
class BinPlan:
    """Where bins lie: equal cells over a range of keys, each cut into equal bins.

    A cell's bins are a power of two in number, so that the bin of a key is found by shifts and
    two small tables. Keys outside the range belong to the first or the last bin.
    """

    lowest: int
    cell_shift: int
    base: NDArray[np.int64]
    """The first bin of each cell."""
    shift: NDArray[Any]
    """How far an offset inside the cell is shifted to the number of its bin."""
    word: np.dtype[Any]

    @property
    def size(self) -> int:
        """The number of bins."""
        return int(self.base[-1]) + (1 << (self.cell_shift - int(self.shift[-1])))

    def cells(self, keys: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Return the cells of keys, and the keys counted from the lowest one."""
        span = (self.base.size << self.cell_shift) - 1
        highest = min(self.lowest + span, int(np.iinfo(self.word).max))
        offsets = np.clip(keys, self.word.type(self.lowest), self.word.type(highest))
        offsets -= self.word.type(self.lowest)
        return (offsets >> self.word.type(self.cell_shift)).astype(np.intp), offsets

    def bins(self, keys: NDArray[Any]) -> NDArray[np.int64]:
        """Return the bins of keys, worked out in blocks that stay in the processor's cache."""
        found = np.empty(keys.size, np.int64)
        for rows in blocks(keys.size):
            found[rows] = self._bins_of_block(keys[rows])
        return found

    def _bins_of_block(self, keys: NDArray[Any]) -> NDArray[np.int64]:
        cells, offsets = self.cells(keys)
        offsets &= self.word.type((1 << self.cell_shift) - 1)
        offsets >>= self.shift[cells]
        found = offsets.astype(np.int64)
        found += self.base[cells]
        return found

    def cells_of(self, bins: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the cells that bins lie in."""
        return np.asarray(np.searchsorted(self.base, bins, "right") - 1)

    def edges(self, bins: NDArray[np.int64]) -> NDArray[Any]:
        """Return the lowest keys of bins."""
        cells = self.cells_of(bins)
        inside = (bins - self.base[cells]).astype(self.word) << self.shift[cells]
        starts = cells.astype(self.word) << self.word.type(self.cell_shift)
        return np.asarray(starts + inside + self.word.type(self.lowest))


def bins_for(tolerance: float) -> int:
    """Return how many bins make the brackets of areas about as wide as a tolerance."""
    return int(np.clip(16 / tolerance, FEWEST_BINS, MOST_BINS))


def plan_of(positives: NDArray[Any], negatives: NDArray[Any], most: int = MOST_BINS) -> BinPlan:
    """Plan at most about so many bins on the keys of some rows.

    A poor plan only makes bounds wider.

    Notes
    -----
    A bin of p positives and n negatives leaves p·n pairs undecided. Their sum is smallest where
    bins are allotted in proportion to √(p·n); one is added to both, so that rare classes count.
    """
    word = positives.dtype
    everything = np.concatenate([positives, negatives])
    lowest, highest = int(everything.min()), int(everything.max())
    cell_shift = max((highest - lowest).bit_length() - _CELL_BITS, 0)
    count = ((highest - lowest) >> cell_shift) + 1
    span = np.iinfo(word).max - lowest
    count = min(count, (span >> cell_shift) + 1)
    seen = [
        np.bincount(((keys - word.type(lowest)) >> word.type(cell_shift)).astype(np.intp),
                    minlength=count)
        for keys in (positives, negatives)
    ]  # fmt: skip
    wanted = np.sqrt((seen[0] + 1.0) * (seen[1] + 1.0))
    wanted[seen[0] + seen[1] == 0] = 0
    share = np.maximum(wanted * (most / 2 / wanted.sum()), 1)
    bits = np.minimum(np.ceil(np.log2(share)).astype(np.int64), cell_shift)
    numbers = 1 << bits
    base = np.cumsum(numbers) - numbers
    return BinPlan(lowest, cell_shift, base, (cell_shift - bits).astype(word), word)
