"""Scores and labels packed into unsigned integers whose order is the order of the table.

Sorting such keys in place replaces ``argsort`` and two gathers, and one key carries everything the
count needs. A key is ``~(order << 1 | label)``: the complement puts the highest score first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_UNSIGNED = {4: np.dtype(np.uint32), 8: np.dtype(np.uint64)}
_SIGNED = {4: np.dtype(np.int32), 8: np.dtype(np.int64)}


class Keys(NamedTuple):
    """Packed keys and what it takes to read the scores back."""

    keys: NDArray[Any]
    lowest: int
    """The smallest order-preserving integer, which was subtracted."""
    exponent: int
    """The scores were multiplied by 2**-exponent before they were packed."""
    dtype: np.dtype[Any]
    """The type of the packed scores: a float, or a signed integer for integer scores."""

    def scores(self, keys: NDArray[Any]) -> NDArray[Any]:
        """Read scores back from some of the keys, exactly."""
        signed = _SIGNED[keys.dtype.itemsize]
        order = (np.invert(keys) >> np.ones((), keys.dtype)).view(signed) + signed.type(self.lowest)
        if self.dtype.kind != "f":
            return order
        scores = _flip_negatives(order).view(self.dtype)
        return np.ldexp(scores, self.exponent) if self.exponent else scores


def pack(labels: NDArray[np.bool_], scores: NDArray[Any]) -> Keys | None:
    """Pack labels and scores, or return None where no exact packing exists.

    Notes
    -----
    The bits of an IEEE float, read as a signed integer with the magnitude of negative numbers
    inverted, have the order of the floats. A score then needs the word's width less one bit for
    the label, which is free unless the scores reach both below -2 and above 2. Those are scaled
    by a power of two, which is exact unless something underflows.
    """
    if scores.dtype.kind == "f":
        return _pack_floats(labels, scores)
    order = scores.astype(np.int64) if scores.dtype != np.uint64 else _uint64_order(scores)
    return _pack_order(labels, order, 0, order.dtype)


def _pack_floats(labels: NDArray[np.bool_], scores: NDArray[Any]) -> Keys | None:
    if scores.dtype.itemsize < 4:
        scores = scores.astype(np.float32)
    if scores.dtype.itemsize not in _SIGNED:
        return None
    scores = np.ascontiguousarray(scores + scores.dtype.type(0))  # adding 0 turns -0.0 into 0.0
    exponent = 0
    lowest, highest = scores.min(), scores.max()
    if lowest < 0 and max(-lowest, highest) >= 2:
        exponent = int(np.frexp(max(-lowest, highest))[1]) - 1
        with np.errstate(under="ignore"):
            scaled = np.ldexp(scores, -exponent)
        if not np.array_equal(np.ldexp(scaled, exponent), scores):
            return None
        scores = scaled
    order = scores.view(_SIGNED[scores.dtype.itemsize])
    if lowest < 0:
        order = _flip_negatives(order)
    return _pack_order(labels, order, exponent, scores.dtype)


def _pack_order(
    labels: NDArray[np.bool_], order: NDArray[Any], exponent: int, dtype: np.dtype[Any]
) -> Keys | None:
    lowest, highest = int(order.min()), int(order.max())
    spread = highest - lowest
    if dtype.kind != "f" and spread < 2**31 and -(2**31) <= lowest and highest < 2**31:
        order = order.astype(np.int32)
    word = _UNSIGNED[order.dtype.itemsize]
    if spread >= 2 ** (8 * word.itemsize - 1):
        return None
    # In place: fresh memory costs more than the arithmetic, and the caller hands over its array.
    np.subtract(order, order.dtype.type(lowest), out=order)
    keys = order.view(word)
    np.left_shift(keys, word.type(1), out=keys)
    np.bitwise_or(keys, labels, out=keys, casting="unsafe")
    np.invert(keys, out=keys)
    return Keys(keys, lowest, exponent, dtype if dtype.kind == "f" else order.dtype)


def _flip_negatives(bits: NDArray[Any]) -> NDArray[Any]:
    """Map sign-and-magnitude order to the order of integers, and back: it is its own inverse."""
    width = 8 * bits.dtype.itemsize - 1
    sign = np.right_shift(bits, bits.dtype.type(width))
    flipped: NDArray[Any] = bits ^ (sign & bits.dtype.type(2**width - 1))
    return flipped


def _uint64_order(scores: NDArray[np.uint64]) -> NDArray[np.int64]:
    return (scores ^ np.uint64(2**63)).view(np.int64)
