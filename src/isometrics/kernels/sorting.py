"""Keys sorted by buckets with the compiled loops, alone or with what they carry."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics.kernels import bucket_loops, carrying_loops
from isometrics.kernels.buckets import ROWS_OF_A_BUCKET, BucketPlan, buckets_for, plan_of, some_rows
from isometrics.kernels.keys import BLOCK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Keys = NDArray[Any]
    KeysOfRows = Callable[[slice], Keys]

_SEEN = 1 << 15
_LONG = 16
"""A bucket with so many times the keys it should have is spread again."""

_DEEPEST = 3


class Buckets(NamedTuple):
    """Keys that lie in their buckets; the keys of bucket k begin at ``starts[k]``."""

    keys: Keys
    starts: NDArray[np.uint64]
    positives: NDArray[np.int64]
    """The positives of all buckets before, one number more than there are buckets."""

    def scratch(self) -> tuple[NDArray[np.uint32], Keys]:
        """Return room for counts of parts, and for the keys of any bucket and one more."""
        longest = int(np.diff(self.starts).max())
        return np.empty(4 * longest + 2, np.uint32), np.empty(longest + 1, self.keys.dtype)

    def cuts(self, parts: int) -> list[int]:
        """Return where to cut the buckets for parts of about equally many keys."""
        shares = np.arange(1, parts) * self.keys.size // parts
        inner = np.searchsorted(self.starts, shares.astype(np.uint64)).tolist()
        return [0, *inner, self.starts.size - 1]


def sample_of(keys_of: Callable[[NDArray[np.intp]], Keys], size: int) -> Keys:
    """Return some of the keys."""
    return keys_of(some_rows(size, _SEEN))


def spread_over(plan: BucketPlan, keys_of: KeysOfRows, room: Keys, threads: int) -> Buckets:
    """Move keys, which `keys_of` makes of blocks of rows, into their buckets in `room`."""
    where = (plan.lowest, plan.cell_shift, plan.entries)
    rows = [round(share * room.size / threads) for share in range(threads + 1)]
    found = np.zeros((threads, plan.size, 2), np.uint64)

    def count(part: int, start: int, end: int) -> None:
        for block in _blocks(start, end):
            bucket_loops.census(keys_of(block), *where, found[part])

    in_threads(count, rows)
    sizes, positives = found[:, :, 0], found[:, :, 1].sum(axis=0).astype(np.int64)
    starts = _behind_zero(np.cumsum(sizes.sum(axis=0)))
    places = starts[:-1] + np.cumsum(sizes, axis=0) - sizes

    def move(part: int, start: int, end: int) -> None:
        for block in _blocks(start, end):
            bucket_loops.spread(keys_of(block), *where, places[part], room)

    in_threads(move, rows)
    return Buckets(room, starts, _behind_zero(np.cumsum(positives)))


def sort(keys: Keys, *, threads: int = 1, each: int = ROWS_OF_A_BUCKET, depth: int = 0) -> None:
    """Sort keys in place."""
    if depth == _DEEPEST:
        keys.sort()
        return
    ends = int(keys.min()), int(keys.max())
    plan = plan_of(sample_of(keys.__getitem__, keys.size), *ends, buckets_for(keys.size, each))
    found = spread_over(plan, keys.__getitem__, np.empty_like(keys), threads)
    sort_long_buckets(found, each, depth)

    def sort_some(_part: int, first: int, last: int) -> None:
        places = found.scratch()[0]
        bucket_loops.sort_buckets(
            found.keys, found.starts, np.uint64(first), np.uint64(last), places, keys
        )

    in_threads(sort_some, found.cuts(threads))


def sort_long_buckets(found: Buckets, each: int, depth: int = 0) -> None:
    """Sort the buckets that have far more keys than planned, as keys of their own."""
    for bucket in np.flatnonzero(np.diff(found.starts) > _LONG * each):
        start, end = found.starts[bucket : bucket + 2]
        sort(found.keys[start:end], each=each, depth=depth + 1)


def sorted_with(
    keys: Keys, carried: NDArray[Any], *, threads: int = 1, each: int = ROWS_OF_A_BUCKET
) -> tuple[Keys, NDArray[Any]]:
    """Return keys in their order, and what they carry in the same order."""
    ends = int(keys.min()), int(keys.max())
    plan = plan_of(sample_of(keys.__getitem__, keys.size), *ends, buckets_for(keys.size, each))
    where = (plan.lowest, plan.cell_shift, plan.entries)
    counts = np.zeros((plan.size, 2), np.uint64)
    bucket_loops.census(keys, *where, counts)
    starts = _behind_zero(np.cumsum(counts[:, 0]))
    found = Buckets(np.empty_like(keys), starts, starts.astype(np.int64))
    moved = np.empty_like(carried)
    carrying_loops.spread_both(keys, carried, *where, starts[:-1].copy(), found.keys, moved)
    keys, carried = np.empty_like(keys), np.empty_like(carried)

    def sort_some(_part: int, first: int, last: int) -> None:
        places = found.scratch()[0]
        carrying_loops.sort_both(
            found.keys, moved, starts, np.uint64(first), np.uint64(last), places, keys, carried
        )

    in_threads(sort_some, found.cuts(threads))
    return keys, carried


def in_threads(work: Callable[[int, int, int], Any], cuts: list[int]) -> list[Any]:
    """Do the work between each two neighbouring cuts in a thread of its own."""
    parts = [(part, start, end) for part, (start, end) in enumerate(pairwise(cuts))]
    if len(parts) == 1:
        return [work(*parts[0])]
    with ThreadPoolExecutor(len(parts)) as pool:
        return list(pool.map(lambda part: work(*part), parts))


def _blocks(start: int, end: int) -> Iterator[slice]:
    return (slice(row, min(row + BLOCK, end)) for row in range(start, end, BLOCK))


def _behind_zero(counts: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([np.zeros(1, counts.dtype), counts])
