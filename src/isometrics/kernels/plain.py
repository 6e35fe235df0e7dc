"""The NumPy kernel: sort once, count in blocks that stay in the processor's cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics.inputs import as_thresholds
from isometrics.kernels.keys import Keys, pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.inputs import Counts

BLOCK = 1 << 15


class Rows(NamedTuple):
    """One row for each distinct score, in descending order, behind the empty rule."""

    thresholds: NDArray[Any]
    tp: Counts
    fp: Counts


def count(
    labels: NDArray[np.bool_], scores: NDArray[Any], weights: Counts | None = None
) -> Rows:
    """Count the positives and negatives at or above each distinct score."""
    packed = pack(labels, scores) if weights is None else None
    if packed is None:
        return _count_by_order(labels, scores, weights)
    packed.keys.sort()
    return _count_sorted_keys(packed)


def _count_sorted_keys(packed: Keys) -> Rows:
    keys = packed.keys
    size = keys.size
    starts = range(0, size, BLOCK)
    distinct = 1 + sum(int(np.count_nonzero(_group_ends(keys, start))) for start in starts)
    thresholds = np.empty(distinct + 1, as_thresholds(packed.scores(keys[-1:])).dtype)
    tp = np.empty(distinct + 1, np.int64)
    fp = np.empty(distinct + 1, np.int64)
    thresholds[0], tp[0], fp[0] = np.inf, 0, 0
    row, positives = 1, 0
    for start in starts:
        block = keys[start : start + BLOCK]
        ends = _group_ends(keys, start)
        if start + BLOCK >= size:
            ends = np.append(ends, True)
        places = np.flatnonzero(ends)
        at_or_above = np.cumsum(~block & block.dtype.type(1), dtype=np.int64)
        at_or_above += positives
        positives = int(at_or_above[-1])
        rows = slice(row, row + places.size)
        tp[rows] = at_or_above[places]
        places += start + 1
        np.subtract(places, tp[rows], out=fp[rows])
        thresholds[rows] = packed.scores(block[ends])
        row += places.size
    return Rows(thresholds, tp, fp)


def _group_ends(keys: NDArray[Any], start: int) -> NDArray[np.bool_]:
    """Tell which keys of a block differ from the next key in more than the label."""
    block = keys[start : start + BLOCK]
    following = keys[start + 1 : start + BLOCK + 1]
    differs: NDArray[np.bool_] = (block[: following.size] ^ following) > 1
    return differs


def _count_by_order(
    labels: NDArray[np.bool_], scores: NDArray[Any], weights: Counts | None
) -> Rows:
    """Weights have to travel with their rows, and so do labels that no key can hold."""
    order = np.argsort(scores, kind="stable")[::-1]
    scores, labels = scores[order], labels[order]
    ends = np.append(np.flatnonzero(scores[1:] != scores[:-1]), scores.size - 1)
    if weights is None:
        weights = np.ones(scores.size, np.int64)
    else:
        weights = weights[order]
    tp = running_sum(np.where(labels, weights, 0))[ends]
    fp = running_sum(np.where(labels, 0, weights))[ends]
    return Rows(_behind_infinity(scores[ends]), _behind_zero(tp), _behind_zero(fp))


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


def _behind_infinity(scores: NDArray[Any]) -> NDArray[Any]:
    distinct = as_thresholds(scores)
    thresholds = np.empty(distinct.size + 1, distinct.dtype)
    thresholds[0] = np.inf
    thresholds[1:] = distinct
    # Negative zero equals zero; show the one that needs no explanation.
    thresholds += 0.0
    return thresholds


def _behind_zero(counts: Counts) -> Counts:
    rows = np.zeros(counts.size + 1, counts.dtype)
    rows[1:] = counts
    return rows
