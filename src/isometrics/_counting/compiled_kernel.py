"""Sort and count: from clean labels, scores and weights to the rows of a table.

There are two kernels that give the same rows, to the bit: NumPy's, and the loops written in C here,
which are several times faster where the package was built with them and rows are many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import prepend_zero
from isometrics._core.counts import as_thresholds
from isometrics._counting import native, numpy_kernel
from isometrics._counting.keys import (
    BLOCK,
    SIGNED,
    UNSIGNED,
    Encoding,
    ScoreCounts,
    blocks,
    encoding_within,
    order_of,
    scores_of,
)
from isometrics._counting.keys import encoding_of as plain_encoding_of
from isometrics._counting.native import compiled_pays, in_threads, threads_for
from isometrics._counting.numpy_kernel import corners_of, running_sum
from isometrics.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts

    Keys = NDArray[Any]
    KeysOfRows = Callable[[slice], Keys]


CELL_BITS = 14
ROWS_OF_A_BUCKET = 1 << 13
WIDTH = 1024
"""Weights that are added up together, as `numpy_kernel.running_sum` does."""
MOST_BUCKETS = 1 << 13
"""More would not stay in the processor's cache while keys are spread."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class BucketPlan:
    """Where buckets lie: equal cells over a range of keys, some shared, some cut into several.

    The bucket of a key is ``(entry >> 8) + (offset inside the cell >> (entry & 255))``, with the
    entry of its cell. It never falls as keys rise.
    """

    lowest: int
    cell_shift: int
    entries: NDArray[np.uint64]
    size: int
    """The number of buckets."""

    @property
    def span(self) -> int:
        """How far from the lowest a key may lie."""
        return (self.entries.size << self.cell_shift) - 1


def plan_of(sample_keys: NDArray[Any], lowest: int, highest: int, wanted: int) -> BucketPlan:
    """Plan about so many buckets of about equally many keys, judged by some of the keys.

    Two keys that differ in their last bit only, the label, never lie in two buckets.
    """
    lowest &= ~1
    span = highest - lowest
    cell_shift = max(span.bit_length() - CELL_BITS, 1)
    cells = (sample_keys.astype(np.uint64) - np.uint64(lowest)) >> np.uint64(cell_shift)
    seen = np.bincount(cells.astype(np.intp), minlength=(span >> cell_shift) + 1)
    share = seen * (wanted / sample_keys.size)
    bits = np.ceil(np.log2(np.maximum(share, 1))).astype(np.int64)
    np.minimum(bits, cell_shift - 1, out=bits)
    # Cells with less than a bucket's share have one together.
    width = np.where(share > 1, 1 << bits, share)
    base = np.floor(np.cumsum(width) - width).astype(np.int64)
    entries = (base << 8 | (cell_shift - bits)).astype(np.uint64)
    size = int((base + (1 << bits)).max())
    return BucketPlan(lowest, cell_shift, entries, size)


def buckets_for(rows: int, each: int = ROWS_OF_A_BUCKET) -> int:
    """Return how many buckets suit so many rows."""
    return min(max(rows // each, 1), MOST_BUCKETS)


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
    weights: NDArray[Any] | None = None
    """What the keys carry."""

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
    """Return the keys of evenly spread rows without a period, all where they are few."""
    if size <= _SEEN:
        return keys_of(np.arange(size))
    shares = (np.arange(_SEEN, dtype=np.uint64) * _GOLDEN) >> np.uint64(32)
    return keys_of((shares.astype(np.float64) * (size / 2**32)).astype(np.intp))


def spread_over(
    plan: BucketPlan,
    keys_of: KeysOfRows,
    room: Keys,
    threads: int,
    weights: NDArray[Any] | None = None,
) -> Buckets:
    """Move keys, which `keys_of` makes of blocks of rows, into their buckets in `room`."""
    where = (plan.lowest, plan.cell_shift, plan.span, plan.entries)
    rows = [round(share * room.size / threads) for share in range(threads + 1)]
    found = np.zeros((threads, plan.size, 2), np.uint64)

    def count(part: int, start: int, end: int) -> None:
        for block in blocks(end, start):
            keys = keys_of(block)
            native.census(keys, keys.size, *where, found[part])

    in_threads(count, rows)
    sizes, positives = found[:, :, 0], found[:, :, 1].sum(axis=0).astype(np.int64)
    starts = prepend_zero(np.cumsum(sizes.sum(axis=0)))
    ends = starts[:-1] + np.cumsum(sizes, axis=0)
    positions = ends - sizes

    moved = None if weights is None else np.empty_like(weights)

    def move(part: int, start: int, end: int) -> None:
        for block in blocks(end, start):
            keys = keys_of(block)
            carried = None if weights is None else weights[block]
            native.spread(keys, keys.size, *where, positions[part], room.size, room, carried, moved)

    in_threads(move, rows)
    if not np.array_equal(positions, ends):
        raise InputError("the scores changed while they were counted; copy them first")
    return Buckets(room, starts, prepend_zero(np.cumsum(positives)), moved)


def sort(
    keys: Keys,
    weights: NDArray[Any] | None = None,
    *,
    threads: int = 1,
    each: int = ROWS_OF_A_BUCKET,
    depth: int = 0,
) -> None:
    """Sort keys in place, and with them the weights they carry; equal keys keep their order."""
    if depth == _DEEPEST or not compiled_pays(keys.size):
        if weights is not None:
            weights[:] = weights[np.argsort(keys, kind="stable")]
        keys.sort()
        return
    ends = int(keys.min()), int(keys.max())
    plan = plan_of(sample_of(keys.__getitem__, keys.size), *ends, buckets_for(keys.size, each))
    found = spread_over(plan, keys.__getitem__, np.empty_like(keys), threads, weights)
    sort_long_buckets(found, each, depth)

    def sort_some(_part: int, first: int, last: int) -> None:
        scratch, _ = found.scratch()
        native.sort_buckets(
            found.keys, found.starts, first, last, scratch, keys, found.weights, weights
        )

    in_threads(sort_some, found.cuts(threads))


def sort_long_buckets(found: Buckets, each: int, depth: int = 0) -> None:
    """Sort the buckets that have far more keys than planned, as keys of their own."""
    for bucket in np.flatnonzero(np.diff(found.starts) > _LONG * each):
        rows = slice(*found.starts[bucket : bucket + 2])
        weights = None if found.weights is None else found.weights[rows]
        sort(found.keys[rows], weights, each=each, depth=depth + 1)


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


def rare_corners(packing: _Packing, threads: int) -> ScoreCounts | None:
    """Return the corners where positives are rare, or None where too many rows are near them."""
    size, encoding = packing.scores.size, packing.encoding
    bins = bins_of(packing.keys_at(np.flatnonzero(packing.labels)))
    if bins is None:
        return None
    groups = int(bins.group[-1]) + 1
    counts = np.zeros((threads, groups), np.uint64)
    last = np.zeros((threads, groups), np.uint64)
    where = (bins.lowest, bins.highest, bins.shift, bins.group)

    def sift(part: int, start: int, end: int) -> list[Keys] | None:
        kept, number = [], 0
        room = np.empty(BLOCK, encoding.word)
        for block in blocks(end, start):
            keys = packing.keys(block)
            filled = native.sift(keys, keys.size, *where, counts[part], last[part], room)
            kept.append(room[:filled].copy())
            number += filled
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
) -> ScoreCounts:
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
    tp, fp = np.cumsum(rise[order]), np.cumsum(run[order])
    return corners_of(ScoreCounts.of_rows(thresholds, tp, fp))


SLOTS = 1 << 16
"""Places of the hash table; a quarter of them may be taken."""
_LOOKED_AT = 1 << 12


def count(
    labels: NDArray[np.bool_],
    scores: NDArray[Any],
    weights: Counts | None = None,
    *,
    corners: bool = False,
    thresholds: bool = True,
    threads: int | None = None,
    each: int = ROWS_OF_A_BUCKET,
    slots: int = SLOTS,
) -> ScoreCounts:
    """Count the positives and negatives at or above each distinct score.

    Parameters
    ----------
    labels, scores, weights
        The sample.
    corners
        Whether only the rows of `numpy_kernel.corners_of` are wanted.
    thresholds
        Whether their thresholds are; corners without may have none.
    threads
        How many; as many as pay by default.
    each, slots
        The keys of a bucket, and the size of the hash table.
    """
    if not compiled_pays(scores.size) or scores.dtype.itemsize > 8:  # long doubles
        return numpy_kernel.count(labels, scores, weights, corners=corners)
    threads = threads_for(scores.size) if threads is None else threads
    encoding = encoding_of(scores, threads) if weights is None else None
    if encoding is None:
        rows = _count_weighted(labels, scores, weights, threads, each)
        return corners_of(rows) if corners else rows
    packing = _Packing(labels, scores, encoding)
    if corners and 0 < np.count_nonzero(labels) * RARE <= scores.size:
        rare = rare_corners(packing, threads)
        if rare is not None:
            return rare
    sample_keys = sample_of(packing.keys_at, scores.size)
    if _seem_tied(sample_keys):
        tied = _count_tied(packing, threads, slots)
        if tied is not None:
            return corners_of(tied) if corners else tied
    plan = plan_of(sample_keys, *encoding.ends, buckets_for(scores.size, each))
    room = np.empty(scores.size + 1, encoding.word)
    found = spread_over(plan, packing.keys, room[1:], threads)
    sort_long_buckets(found, each)
    if corners and not thresholds:
        # True positives take the place of keys that are as wide: fresh memory costs as much as
        # counting does.
        tp = room.view(np.int64) if room.itemsize == 8 else np.empty(room.size, np.int64)
        fp = np.empty(room.size, np.int64)
        size = _filled(found, encoding, threads, (tp, fp, None), True)
        return ScoreCounts(np.empty(0), tp[:size], fp[:size])
    return _rows_of(found, room, encoding, corners, threads)


def encoding_of(scores: NDArray[Any], threads: int) -> Encoding | None:
    """Do what `keys.encoding_of` does, in a single pass over floats."""
    dtype = scores.dtype.newbyteorder("=")
    if dtype.kind != "f" or dtype.itemsize not in SIGNED:
        return plain_encoding_of(scores)
    word, signed = UNSIGNED[dtype.itemsize], SIGNED[dtype.itemsize]
    limits = np.iinfo(signed)
    ends = np.array([(limits.max, limits.min)] * threads, signed)
    smallest = np.full((threads, 1), np.iinfo(word).max, word)

    def look(part: int, start: int, end: int) -> None:
        for block in blocks(end, start):
            bits = native.as_argument(scores[block], dtype).view(signed)
            native.find_range(bits, bits.size, ends[part], smallest[part])

    in_threads(look, [round(share * scores.size / threads) for share in range(threads + 1)])
    lowest, highest = scores_of(np.array([ends[:, 0].min(), ends[:, 1].max()]), dtype)
    return encoding_within(dtype, lowest, highest, lambda _: int(smallest.min()) + 1)


ONE_CALL = 1 << 16
"""Rows up to which one call that sorts them all is faster than buckets."""


def corner_counts(
    labels: NDArray[np.bool_], scores: NDArray[Any], weights: Counts | None = None
) -> tuple[Counts, Counts]:
    """Return the true and false positives of corners; their thresholds are not read back."""
    if weights is None and scores.size <= ONE_CALL and native.available():
        counts = _counts_in_one_call(labels, scores)
        if counts is not None:
            return counts
    if not compiled_pays(scores.size):
        return numpy_kernel.corner_counts(labels, scores, weights)
    rows = count(labels, scores, weights, corners=True, thresholds=False)
    return rows.tp, rows.fp


def _counts_in_one_call(
    labels: NDArray[np.bool_], scores: NDArray[Any]
) -> tuple[Counts, Counts] | None:
    """Return the counts of corners; None where a key of 64 bits cannot hold score and label."""
    if scores.dtype.itemsize > 8 or scores.dtype == np.uint64:
        return None
    # Narrower types lose nothing as float64.
    is_float = scores.dtype != np.int64
    bits = native.as_argument(scores, np.float64 if is_float else np.int64).view(np.int64)
    labels, size = native.as_argument(labels), scores.size
    room, scratch = np.empty(2 * size + 1, np.uint64), np.empty(4 * size + 2, np.uint32)
    tp, fp = np.empty(size + 1, np.int64), np.empty(size + 1, np.int64)
    rows = native.corner_counts(bits, labels, size, is_float, room, scratch, tp, fp)
    return (tp[:rows], fp[:rows]) if rows else None


def sorted_keys(
    labels: NDArray[np.bool_],
    scores: NDArray[Any],
    encoding: Encoding,
    *,
    threads: int | None = None,
    each: int = ROWS_OF_A_BUCKET,
) -> Keys:
    """Return the keys of a sample in their order; nothing else of that size is in memory."""
    if not compiled_pays(scores.size):
        return numpy_kernel.sorted_keys(labels, scores, encoding)
    threads = threads_for(scores.size) if threads is None else threads
    packing = _Packing(labels, scores, encoding)
    sample_keys = sample_of(packing.keys_at, scores.size)
    plan = plan_of(sample_keys, *encoding.ends, buckets_for(scores.size, each))
    room = np.empty(scores.size, encoding.word)
    found = spread_over(plan, packing.keys, room, threads)
    sort_long_buckets(found, each)

    def sort_some(_: int, first: int, last: int) -> None:
        native.sort_buckets_in_place(found.keys, found.starts, first, last, *found.scratch())

    in_threads(sort_some, found.cuts(threads))
    return room


def _count_weighted(
    labels: NDArray[np.bool_],
    scores: NDArray[Any],
    weights: Counts | None,
    threads: int,
    each: int,
) -> ScoreCounts:
    """Let keys carry the weights of their rows, those of negatives below 0."""
    order = order_of(scores.dtype)
    keys = order.keys(scores)
    signs = 2 * labels.astype(np.int8) - 1
    carried = signs.astype(np.int64) if weights is None else weights * signs
    sort(keys, carried, threads=threads, each=each)
    blocks = -(-keys.size // WIDTH)
    sums = np.empty((2, blocks), carried.dtype)
    native.block_sums(carried, keys.size, sums, blocks)
    before = np.array([prepend_zero(running_sum(side[:-1])) for side in sums])
    tp, fp = np.empty(keys.size + 1, carried.dtype), np.empty(keys.size + 1, carried.dtype)
    tp[0], fp[0] = 0, 0
    distinct = native.fill_weighted(keys, carried, keys.size, before, blocks, tp[1:], fp[1:])
    thresholds = as_thresholds(order.scores(keys[::-1][:distinct]))
    infinity = np.array([np.inf], thresholds.dtype)
    return ScoreCounts(np.concatenate([infinity, thresholds]), tp, fp).first(distinct + 1)


class _Packing:
    """The keys of any rows of a sample."""

    def __init__(self, labels: NDArray[np.bool_], scores: NDArray[Any], encoding: Encoding) -> None:
        self.labels, self.scores = labels, scores
        self.encoding, self.coding = encoding, coding_of(encoding)

    def keys(self, rows: slice) -> Keys:
        """Return the keys of a block of rows."""
        scores = self.scores[rows].astype(self.encoding.dtype, copy=False)
        keys = np.empty(scores.size, self.encoding.word)
        bits = native.as_argument(scores).view(SIGNED[scores.dtype.itemsize])
        labels = native.as_argument(self.labels[rows])
        native.pack(bits, labels, keys.size, *self.coding, keys)
        return keys

    def keys_at(self, rows: NDArray[np.intp]) -> Keys:
        """Return the keys of listed rows."""
        return self.encoding.pack(self.scores[rows], self.labels[rows])


def coding_of(encoding: Encoding) -> tuple[bool, int, int]:
    """Return what loops need to know of an encoding."""
    return encoding.dtype.kind == "f", encoding.gap, encoding.lowest


def _rows_of(
    found: Buckets, room: Keys, encoding: Encoding, corners: bool, threads: int
) -> ScoreCounts:
    """Sort each bucket and count its rows; their scores take the place of the keys."""
    bits = room.view(SIGNED[room.itemsize])
    tp, fp = np.empty(room.size, np.int64), np.empty(room.size, np.int64)
    size = _filled(found, encoding, threads, (tp, fp, bits), corners)
    scores, tp, fp = ScoreCounts(bits.view(encoding.dtype), tp, fp).first(size)
    scores[0] = 0
    thresholds = scores.astype(encoding.widened, copy=False)
    thresholds[0] = np.inf
    return ScoreCounts(thresholds, tp, fp)


def _filled(
    found: Buckets,
    encoding: Encoding,
    threads: int,
    table: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any] | None],
    corners: bool,
) -> int:
    """Fill the true and false positives of a table and, where asked, the bits of its scores.

    Returns the number of rows.
    """
    tp, fp, bits = table
    tp[0], fp[0] = 0, 0
    fill = native.fill_corners if corners else native.fill_rows
    coding, cuts = coding_of(encoding), found.cuts(threads)

    def fill_some(_: int, first: int, last: int) -> int:
        buckets = (found.keys, found.starts, first, last, int(found.positives[first]))
        filled: int = fill(*buckets, *coding, *found.scratch(), tp, fp, bits)
        return filled

    ends = in_threads(fill_some, cuts)
    size: int = ends[0]
    for cut, end in zip(cuts[1:], ends[1:], strict=False):
        start = int(found.starts[cut]) + 1
        if corners and end > start and size > 1 and tp[start] == tp[size - 1] == tp[size - 2]:
            size -= 1  # no corner: it was only the last row of a part
        if size < start:
            for array in table:
                if array is not None:
                    array[size : size + end - start] = array[start:end]
        size += end - start
    return size


def _seem_tied(sample_keys: Keys) -> bool:
    """Tell whether scores have few distinct values, judged by some of their keys.

    Of 8,192 values that are equally frequent, so many keys have four fifths as many.
    """
    few = np.sort(sample_keys[:_LOOKED_AT] >> sample_keys.dtype.type(1))
    distinct = 1 + np.count_nonzero(few[1:] != few[:-1])
    return bool(distinct * 5 <= few.size * 4)


def _count_tied(packing: _Packing, threads: int, slots: int) -> ScoreCounts | None:
    """Count scores of few distinct values; None if they turn out to be many."""
    size = packing.scores.size
    tables = np.zeros((threads, slots, 4), np.uint64)

    def tally(part: int, start: int, end: int) -> bool:
        for block in blocks(end, start):
            keys = packing.keys(block)
            if not native.tally(keys, keys.size, tables[part], slots, slots // 4):
                return False
        return True

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
    return ScoreCounts.of_rows(distinct, tp, np.cumsum(sums[0]) - tp)
