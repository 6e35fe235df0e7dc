"""Buckets that keys are spread over before they are sorted, planned on a few of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

CELL_BITS = 14
ROWS_OF_A_BUCKET = 1 << 13
MOST_BUCKETS = 1 << 13
"""More would not stay in the processor's cache while keys are spread."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class BucketPlan:
    """Where buckets lie: equal cells over a range of keys, some shared, some cut into several.

    The bucket of a key is ``(entry >> 8) + (offset inside the cell >> (entry & 255))``, with the
    entry of its cell. It never falls as keys rise.
    """

    lowest: np.uint64
    cell_shift: np.uint64
    entries: NDArray[np.uint64]
    size: int
    """The number of buckets."""


def plan_of(some: NDArray[Any], lowest: int, highest: int, wanted: int) -> BucketPlan:
    """Plan about so many buckets of about equally many keys, judged by some of the keys.

    Two keys that differ in their last bit only, the label, never lie in two buckets.
    """
    lowest &= ~1
    span = highest - lowest
    cell_shift = max(span.bit_length() - CELL_BITS, 1)
    cells = (some.astype(np.uint64) - np.uint64(lowest)) >> np.uint64(cell_shift)
    seen = np.bincount(cells.astype(np.intp), minlength=(span >> cell_shift) + 1)
    share = seen * (wanted / some.size)
    bits = np.ceil(np.log2(np.maximum(share, 1))).astype(np.int64)
    np.minimum(bits, cell_shift - 1, out=bits)
    # Cells with less than a bucket's share have one together.
    width = np.where(share > 1, 1 << bits, share)
    base = np.floor(np.cumsum(width) - width).astype(np.int64)
    entries = (base << 8 | (cell_shift - bits)).astype(np.uint64)
    size = int((base + (1 << bits)).max())
    return BucketPlan(np.uint64(lowest), np.uint64(cell_shift), entries, size)


def buckets_for(rows: int, each: int = ROWS_OF_A_BUCKET) -> int:
    """Return how many buckets suit so many rows."""
    return min(max(rows // each, 1), MOST_BUCKETS)


def some_rows(rows: int, most: int) -> NDArray[np.intp]:
    """Return evenly spread rows without a period, all where they are few."""
    if rows <= most:
        return np.arange(rows)
    shares = (np.arange(most, dtype=np.uint64) * _GOLDEN) >> np.uint64(32)
    return (shares.astype(np.float64) * (rows / 2**32)).astype(np.intp)
