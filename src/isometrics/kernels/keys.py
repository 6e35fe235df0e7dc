"""Scores and labels packed into unsigned integers whose order is the order of the table.

Sorting such keys in place replaces ``argsort`` and two gathers, and one key carries everything the
count needs. A key is ``~(order << 1 | label)``: the complement puts the highest score first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 1 << 15
_UNSIGNED: dict[int, np.dtype[Any]] = {4: np.dtype(np.uint32), 8: np.dtype(np.uint64)}
_SIGNED: dict[int, np.dtype[Any]] = {4: np.dtype(np.int32), 8: np.dtype(np.int64)}


def blocks(size: int) -> Iterator[slice]:
    """Cut rows into blocks that stay in the processor's cache."""
    return (slice(start, start + BLOCK) for start in range(0, size, BLOCK))


@dataclass(frozen=True, slots=True)
class Encoding:
    """An exact, order-preserving map of scores to integers that leave one bit free."""

    dtype: np.dtype[Any]
    """The type of the scores once widened: float32, float64, int32 or int64."""
    exponent: int
    """Floats are multiplied by 2**-exponent."""
    lowest: int
    """The smallest integer, which is subtracted."""

    @property
    def word(self) -> np.dtype[Any]:
        """The unsigned type of the keys."""
        return _UNSIGNED[self.dtype.itemsize]

    def encode(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return signed integers in the order of the scores, before `lowest` is subtracted.

        Notes
        -----
        The bits of an IEEE float, read as a signed integer with the magnitude of negative
        numbers inverted, have the order of the floats.
        """
        scores = scores.astype(self.dtype)
        if self.dtype.kind == "i":
            return scores
        scores += 0  # turns -0.0 into 0.0
        if self.exponent:
            np.ldexp(scores, -self.exponent, out=scores)
        return flip_negatives(scores.view(_SIGNED[self.dtype.itemsize]))

    def pack(self, scores: NDArray[Any], labels: NDArray[np.bool_]) -> NDArray[Any]:
        """Return the keys of some rows."""
        order = self.encode(scores)
        order -= order.dtype.type(self.lowest)
        keys: NDArray[Any] = order.view(self.word)
        keys <<= self.word.type(1)
        np.bitwise_or(keys, labels, out=keys, casting="unsafe")
        np.invert(keys, out=keys)
        return keys

    def scores(self, keys: NDArray[Any]) -> NDArray[Any]:
        """Read the scores back from keys, exactly."""
        order: NDArray[Any] = np.invert(keys)
        order >>= self.word.type(1)
        order = order.view(_SIGNED[self.word.itemsize])
        order += order.dtype.type(self.lowest)
        if self.dtype.kind == "i":
            return order
        scores: NDArray[Any] = flip_negatives(order).view(self.dtype)
        if self.exponent:
            np.ldexp(scores, self.exponent, out=scores)
        return scores


def encoding_of(scores: NDArray[Any]) -> Encoding | None:
    """Return an encoding of the scores, or None where one bit is not free.

    Notes
    -----
    Floats of one sign always leave a bit, and so do those of both signs within (-2, 2). Others
    are scaled by a power of two, which is exact unless something underflows. Integers need a
    spread below half their word.
    """
    lowest, highest = scores.min(), scores.max()
    if scores.dtype.kind != "f":
        spread, reach = int(highest) - int(lowest), max(-int(lowest), int(highest))
        if reach >= 2**63 or spread >= 2**63:
            return None
        narrow = reach < 2**31 and spread < 2**31
        return Encoding(np.dtype(np.int32 if narrow else np.int64), 0, int(lowest))
    dtype = np.dtype(np.float32) if scores.dtype.itemsize < 4 else scores.dtype.newbyteorder("=")
    if dtype.itemsize not in _SIGNED:
        return None
    exponent = 0
    reach = max(-lowest, highest)
    if lowest < 0 < highest and reach >= 2:
        exponent = int(np.frexp(reach)[1]) - 1
        if not np.isfinite(reach) or not _scales_exactly(scores, dtype, exponent):
            return None
    smallest = Encoding(dtype, exponent, 0).encode(np.array([lowest]))
    return Encoding(dtype, exponent, int(smallest[0]))


def _scales_exactly(scores: NDArray[Any], dtype: np.dtype[Any], exponent: int) -> bool:
    with np.errstate(under="ignore"):
        return all(
            np.array_equal(np.ldexp(np.ldexp(block, -exponent), exponent), block)
            for block in (scores[rows].astype(dtype) for rows in blocks(scores.size))
        )


def flip_negatives(bits: NDArray[Any]) -> NDArray[Any]:
    """Map sign-and-magnitude order to the order of integers, and back: it is its own inverse."""
    width = 8 * bits.dtype.itemsize - 1
    flips: NDArray[Any] = bits >> bits.dtype.type(width)
    flips &= bits.dtype.type(2**width - 1)
    flips ^= bits
    return flips
