"""The NumPy kernel: sort once, count in blocks that stay in the processor's cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import prepend_zero
from isometrics._core.sample import as_thresholds
from isometrics._counting.keys import Encoding, blocks, encoding_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts


# The GNU allocator returns freed memory to the system, and fetches it again page by page, until it
# has seen a larger array freed (mallopt(3), M_TRIM_THRESHOLD); blocks of rows would pay that often.
np.empty(1 << 19)


class Rows(NamedTuple):
    """One row for each distinct score, in descending order, behind the empty rule."""

    thresholds: NDArray[Any]
    tp: Counts
    fp: Counts


def count(
    labels: NDArray[np.bool_],
    scores: NDArray[Any],
    weights: Counts | None = None,
    *,
    corners: bool = False,
) -> Rows:
    """Count the positives and negatives at or above each distinct score, or those of corners."""
    encoding = encoding_of(scores) if weights is None else None
    if encoding is None:
        rows = _count_by_order(labels, scores, weights)
        return corners_of(rows) if corners else rows
    return _count_by_keys(labels, scores, encoding, corners=corners)


def corners_of(rows: Rows) -> Rows:
    """Keep the rows at which true positives rise, those before them, and both ends.

    All others lie on straight lines of constant true positives between these.
    """
    rises = rows.tp[1:] > rows.tp[:-1]
    kept = np.append(True, rises)
    kept[:-1] |= rises
    kept[-1] = True
    return Rows(*(column[kept] for column in rows))


def trimmed(thresholds: NDArray[Any], tp: Counts, fp: Counts, size: int) -> Rows:
    """Return the first rows of arrays that may be longer, without holding on to much memory."""
    if size <= tp.size // 2:
        return Rows(thresholds[:size].copy(), tp[:size].copy(), fp[:size].copy())
    return Rows(thresholds[:size], tp[:size], fp[:size])


def sorted_keys(
    labels: NDArray[np.bool_],
    scores: NDArray[Any],
    encoding: Encoding,
    room: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return the keys of a sample in their order, in `room` where it is given."""
    keys = np.empty(scores.size, encoding.word) if room is None else room
    for rows in blocks(keys.size):
        keys[rows] = encoding.pack(scores[rows], labels[rows])
    keys.sort()
    return keys


def _count_by_keys(
    labels: NDArray[np.bool_], scores: NDArray[Any], encoding: Encoding, *, corners: bool = False
) -> Rows:
    # Fresh memory costs more than arithmetic, so the thresholds take the place of the keys they
    # are read from wherever both have 64 bits and no row is lost to a tie.
    room = np.empty(scores.size + 1, encoding.word)
    keys = sorted_keys(labels, scores, encoding, room[1:])
    ends = _group_ends(keys)
    distinct = int(np.count_nonzero(ends))
    dtype = encoding.widened
    in_place = dtype.itemsize == room.itemsize and distinct == keys.size
    thresholds = room.view(dtype) if in_place else np.empty(distinct + 1, dtype)
    tp, fp = np.empty(distinct + 1, np.int64), np.empty(distinct + 1, np.int64)
    thresholds[0], tp[0], fp[0] = np.inf, 0, 0
    filled, positives, waits = 1, 0, False
    for rows in blocks(keys.size):
        block = keys[rows]
        at_or_above = np.cumsum(~block & block.dtype.type(1), dtype=np.int64)
        at_or_above += positives
        positives = int(at_or_above[-1])
        predicted = np.arange(rows.start + 1, rows.start + 1 + block.size)
        if distinct < keys.size:
            last = np.flatnonzero(ends[rows])
            block, at_or_above, predicted = block[last], at_or_above[last], predicted[last]
        if corners and block.size:
            rises = np.diff(at_or_above, prepend=tp[filled - 1]) > 0
            # The last row of a block waits for what the next one begins with.
            filled -= int(waits and not rises[0])
            waits = not rises[-1]
            kept = np.append(rises[:-1] | rises[1:], True)
            block, at_or_above, predicted = block[kept], at_or_above[kept], predicted[kept]
        table_rows = slice(filled, filled + block.size)
        tp[table_rows] = at_or_above
        np.subtract(predicted, at_or_above, out=fp[table_rows])
        thresholds[table_rows] = encoding.scores(block)
        filled += block.size
    return trimmed(thresholds, tp, fp, filled)


def _group_ends(keys: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which sorted keys differ from the next one in more than the label."""
    ends = np.ones(keys.size, np.bool_)
    for rows in blocks(keys.size - 1):
        here, following = keys[rows], keys[rows.start + 1 : rows.stop + 1]
        np.greater(here[: following.size] ^ following, 1, out=ends[rows][: following.size])
    return ends


def _count_by_order(
    labels: NDArray[np.bool_], scores: NDArray[Any], weights: Counts | None
) -> Rows:
    """Weights have to travel with their rows, and so do labels that no key can hold."""
    order = np.argsort(scores, kind="stable")[::-1]
    scores, labels = scores[order], labels[order]
    ends = np.append(np.flatnonzero(scores[1:] != scores[:-1]), scores.size - 1)
    weights = np.ones(scores.size, np.int64) if weights is None else weights[order]
    distinct = as_thresholds(scores[ends]) + 0.0  # -0.0 equals 0.0; show the plain one
    return Rows(
        np.concatenate([np.array([np.inf], distinct.dtype), distinct]),
        prepend_zero(running_sum(np.where(labels, weights, 0))[ends]),
        prepend_zero(running_sum(np.where(labels, 0, weights))[ends]),
    )


def running_sum(values: Counts, width: int = 1024) -> Counts:
    """Cumulative sum whose error grows with the block's width, not with the length.

    `np.cumsum` adds one rounding error a row: 1e-9 relative after 1e7 rows in the worst case.
    """
    if values.dtype.kind != "f" or values.size <= width:
        return np.cumsum(values)
    padded = np.zeros(-(-values.size // width) * width)
    padded[: values.size] = values
    sums = np.cumsum(padded.reshape(-1, width), axis=1)
    sums[1:] += running_sum(sums[:-1, -1].copy(), width)[:, None]
    # Two roundings of one sum may differ in the last bit across a border; counts never fall.
    return np.maximum.accumulate(sums.ravel()[: values.size])
