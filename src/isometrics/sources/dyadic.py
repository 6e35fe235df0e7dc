"""Counts of both classes in intervals of keys that are aligned powers of two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class DyadicCounts(NamedTuple):
    """Intervals that do not overlap, from the lowest to the highest, and the rows in each.

    An interval begins at a multiple of its size, 2**level keys; one of level 0 is a single key.
    """

    starts: NDArray[Any]
    levels: NDArray[np.uint8]
    positives: NDArray[np.int64]
    negatives: NDArray[np.int64]

    @property
    def size(self) -> int:
        """The number of intervals."""
        return self.starts.size

    @property
    def ends(self) -> NDArray[Any]:
        """The last key of each interval."""
        return _ends(self.starts, self.levels)

    @property
    def nbytes(self) -> int:
        """The memory that is taken."""
        return sum(part.nbytes for part in self)

    @property
    def exact(self) -> bool:
        """Whether each interval is one key."""
        return not self.levels.any()


def nothing(word: np.dtype[Any]) -> DyadicCounts:
    """Return counts without rows."""
    none = np.empty(0, np.int64)
    return DyadicCounts(np.empty(0, word), np.empty(0, np.uint8), none, none)


def of_rows(
    keys: NDArray[Any], labels: NDArray[np.bool_], weights: NDArray[np.int64] | None = None
) -> DyadicCounts:
    """Count rows key by key."""
    # A stable sort is fast on runs that are sorted already.
    order = np.argsort(keys, kind="stable")
    keys, labels = keys[order], labels[order]
    weights = np.ones(keys.size, np.int64) if weights is None else weights[order]
    starts = _starts(keys[1:] != keys[:-1], keys.size)
    every, positives = _sums(weights, starts), _sums(np.where(labels, weights, 0), starts)
    levels = np.zeros(starts.size, np.uint8)
    return DyadicCounts(keys[starts], levels, positives, every - positives)


def joined(*parts: DyadicCounts) -> DyadicCounts:
    """Count several samples together, in the finest intervals that hold those of all."""
    starts = np.concatenate([part.starts for part in parts])
    order = np.argsort(starts, kind="stable")
    starts, levels = starts[order], np.concatenate([part.levels for part in parts])[order]
    reached = np.maximum.accumulate(_ends(starts, levels))
    outer = _starts(starts[1:] > reached[:-1], starts.size)
    # Intervals that overlap lie inside each other; the largest one holds all of them.
    levels = np.maximum.reduceat(levels, outer) if outer.size else levels
    # One column after the other takes little memory.
    positives = _sums(np.concatenate([part.positives for part in parts])[order], outer)
    negatives = _sums(np.concatenate([part.negatives for part in parts])[order], outer)
    return DyadicCounts(starts[outer], levels, positives, negatives)


def _ends(starts: NDArray[Any], levels: NDArray[np.uint8]) -> NDArray[Any]:
    word = starts.dtype
    ends: NDArray[Any] = word.type(1) << levels.astype(word)
    ends -= word.type(1)
    ends += starts
    return ends


def _starts(changes: NDArray[np.bool_], size: int) -> NDArray[np.intp]:
    """Return where something new begins: at 0, and behind the changes between neighbours."""
    return np.append(0, np.flatnonzero(changes) + 1) if size else np.empty(0, np.intp)


def _sums(counts: NDArray[np.int64], starts: NDArray[np.intp]) -> NDArray[np.int64]:
    return np.add.reduceat(counts, starts) if starts.size else counts[:0]
