"""The NumPy kernel: sort once, count in blocks that stay in the processor's cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.counts import as_thresholds
from isometrics._counting.keys import Encoding, ScoreCounts, blocks, encoding_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts


# The GNU allocator returns freed memory to the system, and fetches it again page by page, until it
# has seen a larger array freed (mallopt(3), M_TRIM_THRESHOLD); blocks of rows would pay that often.
np.empty(1 << 19)


FEW, FEW_CORNERS = 1 << 10, 1 << 12
"""Rows up to which packing keys takes longer than sorting positions; of corners, whose scores
nobody reads back, these are more."""


def count(
    labels: NDArray[np.bool_],
    scores: NDArray[Any],
    weights: Counts | None = None,
    *,
    corners: bool = False,
) -> ScoreCounts:
    """Count the positives and negatives at or above each distinct score, or those of corners."""
    has_keys = weights is None and scores.size > FEW
    encoding = encoding_of(scores) if has_keys else None
    if encoding is None:
        rows = _count_by_order(labels, scores, weights)
        return corners_of(rows) if corners else rows
    return _count_by_keys(labels, scores, encoding, corners=corners)


def corner_counts(
    labels: NDArray[np.bool_], scores: NDArray[Any], weights: Counts | None = None
) -> tuple[Counts, Counts]:
    """Return the true and false positives of corners, without their thresholds."""
    if weights is not None or scores.size > FEW_CORNERS:
        _, tp, fp = count(labels, scores, weights, corners=True)
        return tp, fp
    # The order of tied rows does not matter where all count alike.
    order = scores.argsort()[::-1]
    scores, positives = scores.take(order), labels.take(order).cumsum(dtype=np.int64)
    (ends,) = (scores[1:] != scores[:-1]).nonzero()
    tp, predicted = np.zeros(ends.size + 2, np.int64), np.zeros(ends.size + 2, np.int64)
    tp[1:-1], tp[-1] = positives.take(ends), positives[-1]
    predicted[1:-1], predicted[-1] = ends, scores.size - 1
    predicted[1:] += 1
    rows = _corner_rows(tp)
    tp = tp.take(rows)
    return tp, predicted.take(rows) - tp


def corners_of(rows: ScoreCounts) -> ScoreCounts:
    """Keep the rows at which true positives rise, those before them, and both ends.

    All others lie on straight lines of constant true positives between these.
    """
    kept = _corner_rows(rows.tp)
    return ScoreCounts(*(column.take(kept) for column in rows))


def _corner_rows(tp: Counts) -> NDArray[np.intp]:
    rises = np.empty(tp.size, np.bool_)
    rises[0] = True
    np.greater(tp[1:], tp[:-1], out=rises[1:])
    (rows,) = _and_before(rises).nonzero()
    return rows


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
) -> ScoreCounts:
    # Fresh memory costs more than arithmetic, so the thresholds take the place of the keys they
    # are read from wherever both have 64 bits and no row is lost to a tie.
    room = np.empty(scores.size + 1, encoding.word)
    keys = sorted_keys(labels, scores, encoding, room[1:])
    # Which keys differ from the next one in more than the label.
    ends = np.ones(keys.size, np.bool_)
    for rows in blocks(keys.size - 1):
        here, following = keys[rows], keys[rows.start + 1 : rows.stop + 1]
        np.greater(here[: following.size] ^ following, 1, out=ends[rows][: following.size])
    distinct = int(np.count_nonzero(ends))
    dtype = encoding.widened
    in_place = dtype.itemsize == room.itemsize and distinct == keys.size
    thresholds = room.view(dtype) if in_place else np.empty(distinct + 1, dtype)
    tp, fp = np.empty(distinct + 1, np.int64), np.empty(distinct + 1, np.int64)
    thresholds[0], tp[0], fp[0] = np.inf, 0, 0
    filled, positives, waits = 1, 0, False
    for rows in blocks(keys.size):
        block = keys[rows]
        at_or_above = (~block & block.dtype.type(1)).cumsum(dtype=np.int64)
        at_or_above += positives
        positives = int(at_or_above[-1])
        last = None if distinct == keys.size else ends[rows].nonzero()[0]
        if corners:
            counts = at_or_above if last is None else at_or_above.take(last)
            if counts.size:
                rises = np.empty(counts.size, np.bool_)
                rises[0] = counts[0] > tp[filled - 1]
                np.greater(counts[1:], counts[:-1], out=rises[1:])
                # The last row of a block waits for what the next one begins with.
                filled -= int(waits and not rises[0])
                waits = not rises[-1]
                (kept,) = _and_before(rises).nonzero()
                last = kept if last is None else last.take(kept)
        if last is None:
            predicted = np.arange(rows.start + 1, rows.start + 1 + block.size)
        else:
            predicted = last + (rows.start + 1)
            block, at_or_above = block.take(last), at_or_above.take(last)
        table_rows = slice(filled, filled + block.size)
        tp[table_rows] = at_or_above
        np.subtract(predicted, at_or_above, out=fp[table_rows])
        thresholds[table_rows] = encoding.scores(block)
        filled += block.size
    return ScoreCounts(thresholds, tp, fp).first(filled)


def _and_before(rises: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell which rows rise, come before one that does, or are the last."""
    kept = rises.copy()
    kept[:-1] |= rises[1:]
    kept[-1] = True
    return kept


def _count_by_order(
    labels: NDArray[np.bool_], scores: NDArray[Any], weights: Counts | None
) -> ScoreCounts:
    """Weights have to travel with their rows, and so do labels that no key can hold."""
    # Only rounded sums depend on the order of tied rows.
    order = np.argsort(scores, kind=None if weights is None else "stable")[::-1]
    scores, labels = scores[order], labels[order]
    ends = np.append(np.flatnonzero(scores[1:] != scores[:-1]), scores.size - 1)
    weights = np.ones(scores.size, np.int64) if weights is None else weights[order]
    distinct = as_thresholds(scores[ends]) + 0.0  # -0.0 equals 0.0; show the plain one
    tp, fp = (running_sum(np.where(rows, weights, 0))[ends] for rows in (labels, ~labels))
    return ScoreCounts.of_rows(distinct, tp, fp)


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
