"""Corners of a sample with few positives: most negatives are counted and never sorted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics.kernels import rare_loops
from isometrics.kernels.keys import BLOCK
from isometrics.kernels.plain import Rows, corners_of
from isometrics.kernels.sorting import in_threads, sort

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from isometrics.kernels.keys import Encoding

    Keys = NDArray[Any]

RARE = 1 << 10
"""Rows for each positive from which on positives count as rare."""

_BITS_MORE = 7
_FEWEST_BITS, _MOST_BITS = 16, 22


class Bins(NamedTuple):
    """Equal bins over the range of the positives' keys, with a free one at either end.

    Group 2k+1 is the k-th bin with positives, group 2k the bins before it.
    """

    lowest: int
    shift: int
    group: NDArray[np.uint32]

    @property
    def highest(self) -> int:
        """The first key of the bin at the upper end."""
        return self.lowest + ((self.group.size - 1) << self.shift)


def bins_of(positives: Keys) -> Bins | None:
    """Plan bins on the keys of all positives; None where keys leave no room for the outer bins."""
    bits = min(max(positives.size.bit_length() + _BITS_MORE, _FEWEST_BITS), _MOST_BITS)
    first, last = int(positives.min()), int(positives.max())
    shift = max((last - first).bit_length() - bits, 1)
    # Bins begin at multiples of their width, so that a score never lies in two of them.
    lowest = ((first >> shift) - 1) << shift
    count = ((last - lowest) >> shift) + 2
    if lowest < 0 or lowest + (count << shift) > 2 ** (8 * positives.itemsize):
        return None
    taken = np.zeros(count, np.bool_)
    taken[((positives.astype(np.uint64) - np.uint64(lowest)) >> np.uint64(shift))] = True
    before: NDArray[np.intp] = np.asarray(np.cumsum(taken) - taken)
    return Bins(lowest, shift, (2 * before + taken).astype(np.uint32))


def rare_corners(
    positives: Keys,
    keys_of: Callable[[slice], Keys],
    size: int,
    encoding: Encoding,
    threads: int,
) -> Rows | None:
    """Return the corners of so many rows, or None where too many of them are near positives."""
    bins = bins_of(positives)
    if bins is None:
        return None
    groups = int(bins.group[-1]) + 1
    counts = np.zeros((threads, groups), np.uint64)
    last = np.zeros((threads, groups), np.uint64)
    ends, shift = (np.uint64(bins.lowest), np.uint64(bins.highest)), np.uint64(bins.shift)

    def sift(part: int, start: int, end: int) -> list[Keys] | None:
        kept, number = [], 0
        room = np.empty(BLOCK, encoding.word)
        for row in range(start, end, BLOCK):
            keys = keys_of(slice(row, min(row + BLOCK, end)))
            filled = rare_loops.sift(keys, ends, shift, bins.group, counts[part], last[part], room)
            kept.append(room[:filled].copy())
            number += int(filled)
            if number > (end - start) // 4:
                return None
        return kept

    parts = in_threads(sift, [round(share * size / threads) for share in range(threads + 1)])
    if any(part is None for part in parts):
        return None
    near = np.concatenate([keys for part in parts for keys in part])
    sort(near, threads=threads)
    return _joined(near, counts.sum(axis=0), last.max(axis=0), encoding)


def _joined(
    near: Keys, counts: NDArray[np.uint64], last: NDArray[np.uint64], encoding: Encoding
) -> Rows:
    """Join the rows near positives, in full, and one for each group of others, its last."""
    is_end = np.append((near[1:] ^ near[:-1]) > 1, True)
    ends = np.flatnonzero(is_end)
    rise = np.diff(np.cumsum(~near & near.dtype.type(1), dtype=np.int64)[ends], prepend=0)
    run = np.diff(ends, prepend=-1) - rise
    far = np.flatnonzero(counts)
    keys = np.concatenate([near[ends], last[far].astype(near.dtype)])
    rise = np.concatenate([rise, np.zeros(far.size, np.int64)])
    run = np.concatenate([run, counts[far].astype(np.int64)])
    order = np.argsort(keys)
    thresholds = encoding.scores(keys[order]).astype(encoding.widened)
    return corners_of(
        Rows(
            np.concatenate([np.array([np.inf], thresholds.dtype), thresholds]),
            np.concatenate([[0], np.cumsum(rise[order])]),
            np.concatenate([[0], np.cumsum(run[order])]),
        )
    )
