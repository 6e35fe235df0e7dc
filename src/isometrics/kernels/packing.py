"""Scores and labels as signed integers on any device, by integer arithmetic alone.

Floats are never computed with: some devices flush the smallest ones to zero. Nothing here loops
over rows, and every function works on the arrays of torch, CuPy, JAX and NumPy alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Packing:
    """A map of scores to integers with a free bit for the label; the highest score comes first.

    Notes
    -----
    The bits of a float, read as an integer with the magnitude of negative numbers inverted, have
    the order of the floats. Such integers of both signs leave no bit free. But the numbers
    between 0 and the smallest magnitude that occurs are not used, and a gap of that size is
    taken out on both sides of 0.
    """

    dtype: np.dtype[Any]
    """The type of the scores once widened: float32, float64, int32 or int64."""
    width: int
    """The bits of a key: 32 or 64."""
    gap: int
    """How many magnitudes next to 0 do not occur."""
    centre: int
    """The integer in the middle of the range, which is subtracted."""

    def pack(self, xp: Any, order: Any, labels: Any) -> Any:
        """Return keys, whose order is that of the table: high scores first."""
        word = xp.int64 if self.width == 64 else xp.int32
        keys = xp.astype(order, word)
        if self.gap:
            keys -= xp.sign(keys) * self.gap
        keys -= self.centre
        keys *= 2
        keys += xp.astype(labels, word)
        return ~keys

    def scores(self, keys: NDArray[Any]) -> NDArray[Any]:
        """Read the scores back from keys that were moved to the host, exactly."""
        order = (~keys.astype(np.int64) >> 1) + self.centre
        if self.gap:
            order += np.sign(order) * self.gap
        return scores_of(order, self.dtype)


def scores_of(order: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Read scores of a type back from integers of their order, on the host."""
    order = order.astype(f"i{dtype.itemsize}")
    if dtype.kind == "i":
        return order
    bits: NDArray[Any] = order ^ ((order >> (8 * dtype.itemsize - 1)) & np.iinfo(order.dtype).max)
    return bits.view(dtype)


def order_of(xp: Any, scores: Any) -> Any:
    """Return signed integers in the order of float scores; -0.0 has that of 0.0."""
    word, bits = (xp.int64, 64) if scores.dtype == xp.float64 else (xp.int32, 32)
    raw = scores.view(word)
    order = raw >> (bits - 1)
    order &= 2 ** (bits - 1) - 1
    order ^= raw
    order += xp.astype(order == -1, word)  # only -0.0 stands there
    return order


def packing_of(xp: Any, order: Any, dtype: np.dtype[Any]) -> Packing | None:
    """Return how to pack integers of the order of scores; None where no bit is free."""

    def gap() -> int:
        beyond = xp.where(order < 0, ~order, order - 1)  # the magnitude, less 1
        nothing = xp.full_like(order, int(xp.iinfo(order.dtype).max))
        return int(xp.min(xp.where(order == 0, nothing, beyond)))

    return packing_within(int(xp.min(order)), int(xp.max(order)), gap, dtype)


def packing_within(
    lowest: int, highest: int, gap: Callable[[], int], dtype: np.dtype[Any]
) -> Packing | None:
    """Return how to pack integers of a range, in which the numbers next to 0 may not occur."""
    bits = 8 * dtype.itemsize
    half = 2 ** (bits - 2)
    if highest - lowest < 2 * half:
        return Packing(dtype, bits, 0, min(lowest + half, 2 * half - 1))
    unused = gap()
    if max(highest, -lowest) - unused < half:
        return Packing(dtype, bits, unused, 0)
    return Packing(dtype, 64, 0, 0) if bits == 32 else None
