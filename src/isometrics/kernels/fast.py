"""The compiled kernel: the rows of `isometrics.kernels.plain`, to the bit, several times faster.

Keys are spread over buckets of about equally many keys, then every bucket is sorted and counted
while it is in the processor's cache. Scores of few distinct values are counted in a hash table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.inputs import as_thresholds
from isometrics.kernels import bucket_loops, carrying_loops, tied_loops
from isometrics.kernels.bucket_loops import Coding
from isometrics.kernels.buckets import ROWS_OF_A_BUCKET, buckets_for, plan_of
from isometrics.kernels.choice import threads_for
from isometrics.kernels.keys import SIGNED, Encoding, encoding_of
from isometrics.kernels.order import order_of
from isometrics.kernels.plain import Rows, corners_of, trimmed
from isometrics.kernels.plain import count as plain_count
from isometrics.kernels.rare import RARE, rare_corners
from isometrics.kernels.sorting import (
    Buckets,
    in_threads,
    sample_of,
    sort_long_buckets,
    sorted_with,
    spread_over,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.aliases import Counts

    Keys = NDArray[Any]

SLOTS = 1 << 16
"""Places of the hash table; a quarter of them may be taken."""
_LOOKED_AT = 1 << 12


def count(
    labels: NDArray[np.bool_],
    scores: NDArray[Any],
    weights: Counts | None = None,
    *,
    corners: bool = False,
    threads: int | None = None,
    each: int = ROWS_OF_A_BUCKET,
    slots: int = SLOTS,
) -> Rows:
    """Count the positives and negatives at or above each distinct score.

    Parameters
    ----------
    labels, scores, weights
        The sample.
    corners
        Whether only the rows of `plain.corners_of` are wanted.
    threads
        How many; as many as pay by default.
    each, slots
        The keys of a bucket, and the size of the hash table.
    """
    threads = threads_for(scores.size) if threads is None else threads
    encoding = encoding_of(scores) if weights is None else None
    if encoding is None:
        if scores.dtype.itemsize > 8:
            return plain_count(labels, scores, weights, corners=corners)  # long doubles
        rows = _count_carried(labels, scores, weights, threads, each)
        return corners_of(rows) if corners else rows
    packing = _Packing(labels, scores, encoding)
    if corners:
        rare = _rare(packing, threads)
        if rare is not None:
            return rare
    some = sample_of(packing.keys_at, scores.size)
    if _seem_tied(some):
        tied = _count_tied(packing, threads, slots)
        if tied is not None:
            return corners_of(tied) if corners else tied
    plan = plan_of(some, *encoding.ends, buckets_for(scores.size, each))
    room = np.empty(scores.size + 1, encoding.word)
    found = spread_over(plan, packing.keys, room[1:], threads)
    sort_long_buckets(found, each)
    return _rows_of(found, room, encoding, corners, threads)


def sorted_keys(
    labels: NDArray[np.bool_],
    scores: NDArray[Any],
    encoding: Encoding,
    *,
    threads: int | None = None,
    each: int = ROWS_OF_A_BUCKET,
) -> Keys:
    """Return the keys of a sample in their order; nothing else of that size is in memory."""
    threads = threads_for(scores.size) if threads is None else threads
    packing = _Packing(labels, scores, encoding)
    some = sample_of(packing.keys_at, scores.size)
    plan = plan_of(some, *encoding.ends, buckets_for(scores.size, each))
    room = np.empty(scores.size, encoding.word)
    found = spread_over(plan, packing.keys, room, threads)
    sort_long_buckets(found, each)

    def sort_some(_: int, first: int, last: int) -> None:
        ends = np.uint64(first), np.uint64(last)
        bucket_loops.sort_buckets_in_place(found.keys, found.starts, *ends, *found.scratch())

    in_threads(sort_some, found.cuts(threads))
    return room


def _rare(packing: _Packing, threads: int) -> Rows | None:
    """Return the corners where positives are rare, by far the fastest way."""
    size, number = packing.scores.size, np.count_nonzero(packing.labels)
    if number == 0 or number * RARE > size:
        return None
    positives = packing.keys_at(np.flatnonzero(packing.labels))
    return rare_corners(positives, packing.keys, size, packing.encoding, threads)


class _Packing:
    """The keys of any rows of a sample."""

    def __init__(self, labels: NDArray[np.bool_], scores: NDArray[Any], encoding: Encoding) -> None:
        self.labels, self.scores = labels, scores
        self.encoding, self.coding = encoding, coding_of(encoding)

    def keys(self, rows: slice) -> Keys:
        """Return the keys of a block of rows."""
        scores = self.scores[rows].astype(self.encoding.dtype, copy=False)
        keys = np.empty(scores.size, self.encoding.word)
        bits = np.ascontiguousarray(scores).view(SIGNED[scores.dtype.itemsize])
        labels = np.ascontiguousarray(self.labels[rows])
        bucket_loops.pack(bits, labels, self.coding, keys)
        return keys

    def keys_at(self, rows: NDArray[np.intp]) -> Keys:
        """Return the keys of listed rows."""
        return self.encoding.pack(self.scores[rows], self.labels[rows])


def coding_of(encoding: Encoding) -> Coding:
    """Return the numbers of an encoding."""
    bits = 8 * encoding.word.itemsize
    return Coding(
        encoding.dtype.kind == "f",
        2 ** (bits - 1) - 1,
        encoding.squeeze,
        encoding.lowest,
        np.uint64(2**bits - 1),
    )


def _rows_of(found: Buckets, room: Keys, encoding: Encoding, corners: bool, threads: int) -> Rows:
    """Sort each bucket and count its rows; their scores take the place of the keys."""
    bits = room.view(SIGNED[room.itemsize])
    tp, fp = np.empty(room.size, np.int64), np.empty(room.size, np.int64)
    tp[0], fp[0] = 0, 0
    fill = bucket_loops.fill_corners if corners else bucket_loops.fill_rows
    coding, cuts = coding_of(encoding), found.cuts(threads)

    def fill_some(_: int, first: int, last: int) -> int:
        ends = np.uint64(first), np.uint64(last)
        before = int(found.positives[first])
        filled = fill(
            found.keys, found.starts, *ends, before, coding, *found.scratch(), tp, fp, bits
        )
        return int(filled)

    ends = in_threads(fill_some, cuts)
    size = ends[0]
    for cut, end in zip(cuts[1:], ends[1:], strict=False):
        start = int(found.starts[cut]) + 1
        if corners and end > start and tp[start] == tp[size - 1] == tp[max(size - 2, 0)]:
            size -= 1  # no corner: it was only the last row of a part
        if size < start:
            for array in (bits, tp, fp):
                array[size : size + end - start] = array[start:end]
        size += end - start
    scores, tp, fp = trimmed(bits.view(encoding.dtype), tp, fp, size)
    scores[0] = 0
    thresholds = scores.astype(encoding.widened, copy=False)
    thresholds[0] = np.inf
    return Rows(thresholds, tp, fp)


def _seem_tied(some: Keys) -> bool:
    """Tell whether scores have few distinct values, judged by some of their keys.

    Of 8,192 values that are equally frequent, so many keys have four fifths as many.
    """
    few = np.sort(some[:_LOOKED_AT] >> some.dtype.type(1))
    distinct = 1 + np.count_nonzero(few[1:] != few[:-1])
    return bool(distinct * 5 <= few.size * 4)


def _count_tied(packing: _Packing, threads: int, slots: int) -> Rows | None:
    """Count scores of few distinct values; None if they turn out to be many."""
    size = packing.scores.size
    tables = np.zeros((threads, slots, 4), np.uint64)

    def tally(part: int, start: int, end: int) -> bool:
        most = np.uint64(slots // 4)
        return all(
            tied_loops.tally(packing.keys(slice(row, min(row + step, end))), tables[part], most)
            for row in range(start, end, step)
        )

    step = 1 << 15
    cuts = [round(share * size / threads) for share in range(threads + 1)]
    if not all(in_threads(tally, cuts)):
        return None
    taken = tables.reshape(-1, 4)
    taken = taken[taken[:, 0] > 0]
    scores, group = np.unique(taken[:, 0] - np.uint64(1), return_inverse=True)
    sums = np.zeros((2, scores.size), np.int64)
    for counts, column in zip(sums, (taken[:, 1], taken[:, 2]), strict=True):
        np.add.at(counts, group, column.astype(np.int64))
    tp = np.cumsum(sums[1])
    keys = (scores << np.uint64(1)).astype(packing.encoding.word)
    distinct = packing.encoding.scores(keys).astype(packing.encoding.widened)
    return Rows(
        np.concatenate([np.array([np.inf], distinct.dtype), distinct]),
        np.concatenate([[0], tp]),
        np.concatenate([[0], np.cumsum(sums[0]) - tp]),
    )


def _count_carried(
    labels: NDArray[np.bool_],
    scores: NDArray[Any],
    weights: Counts | None,
    threads: int,
    each: int,
) -> Rows:
    """Let keys carry the weights of their rows, those of negatives below 0."""
    order = order_of(scores.dtype)
    keys = order.keys(scores)
    np.invert(keys, out=keys)
    carried = np.ones(scores.size, np.int64) if weights is None else weights.copy()
    np.negative(carried, out=carried, where=~labels)
    keys, carried = sorted_with(keys, carried, threads=threads, each=each)
    tp, fp = np.empty(keys.size + 1, carried.dtype), np.empty(keys.size + 1, carried.dtype)
    tp[0], fp[0] = 0, 0
    ends = np.empty(keys.size, np.uint64)
    distinct = int(carrying_loops.add_up(keys, carried, tp[1:], fp[1:], ends))
    found = order.scores(~keys[ends[:distinct]])
    thresholds = as_thresholds(found)
    rows = slice(0, distinct + 1)
    return Rows(
        np.concatenate([np.array([np.inf], thresholds.dtype), thresholds]), tp[rows], fp[rows]
    )
