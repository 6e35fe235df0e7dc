"""Scores and labels packed into integers whose order is the order of the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.sample import as_thresholds

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


BLOCK = 1 << 15
_UNSIGNED: dict[int, np.dtype[Any]] = {4: np.dtype(np.uint32), 8: np.dtype(np.uint64)}
SIGNED: dict[int, np.dtype[Any]] = {4: np.dtype(np.int32), 8: np.dtype(np.int64)}


def blocks(size: int) -> Iterator[slice]:
    """Cut rows into blocks that stay in the processor's cache."""
    return (slice(start, start + BLOCK) for start in range(0, size, BLOCK))


@dataclass(frozen=True, slots=True)
class Encoding:
    """An exact, order-preserving map of scores to integers that leave one bit free."""

    dtype: np.dtype[Any]
    """The type of the scores once widened: float32, float64, int32 or int64."""
    squeeze: int
    """How far the magnitudes of floats, read as integers, are moved towards 0."""
    lowest: int
    """The smallest integer, which is subtracted."""
    highest: int
    """The largest integer."""

    @property
    def word(self) -> np.dtype[Any]:
        """The unsigned type of the keys."""
        return _UNSIGNED[self.dtype.itemsize]

    @property
    def ends(self) -> tuple[int, int]:
        """The lowest and the highest key that can occur."""
        mask = 2 ** (8 * self.word.itemsize) - 1
        return mask - 2 * (self.highest - self.lowest) - 1, mask

    @property
    def widened(self) -> np.dtype[Any]:
        """The type of thresholds that can hold every score of the sample, and +inf."""
        return as_thresholds(self.scores(np.array(self.ends, self.word))).dtype

    def encode(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return signed integers in the order of the scores, before `lowest` is subtracted.

        Notes
        -----
        The bits of an IEEE float without its sign, read as an integer, have the order of the
        magnitudes; with the sign they have the order of the floats. Integers below the smallest
        magnitude that occurs are not used, so all others can be moved towards 0.
        """
        scores = scores.astype(self.dtype)
        if self.dtype.kind == "i":
            return scores
        bits = scores.view(SIGNED[self.dtype.itemsize])
        order: NDArray[Any] = magnitudes(bits)
        if self.squeeze:
            order -= order.dtype.type(self.squeeze)
            np.maximum(order, 0, out=order)
        # -0.0 becomes 0, as 0.0 does.
        np.negative(order, out=order, where=bits < 0)
        return order

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
        order = order.view(SIGNED[self.word.itemsize])
        order += order.dtype.type(self.lowest)
        if self.dtype.kind == "i":
            return order
        bits: NDArray[Any] = np.abs(order)
        if self.squeeze:
            np.add(bits, bits.dtype.type(self.squeeze), out=bits, where=bits > 0)
        scores: NDArray[Any] = bits.view(self.dtype)
        np.negative(scores, out=scores, where=order < 0)
        return scores


def encoding_of(scores: NDArray[Any]) -> Encoding | None:
    """Return an encoding of the scores, or None where one bit is not free.

    Notes
    -----
    Floats of one sign always leave a bit, and so do those of both signs within (-2, 2). Others
    leave one unless their magnitudes reach from the smallest to the largest ones that a float can
    have. Integers need a spread below half their word.
    """
    lowest, highest = scores.min(), scores.max()
    if scores.dtype.kind != "f":
        spread, reach = int(highest) - int(lowest), max(-int(lowest), int(highest))
        if reach >= 2**63 or spread >= 2**63:
            return None
        narrow = reach < 2**31 and spread < 2**31
        return Encoding(np.dtype(np.int32 if narrow else np.int64), 0, int(lowest), int(highest))
    dtype = np.dtype(np.float32) if scores.dtype.itemsize < 4 else scores.dtype.newbyteorder("=")
    if dtype.itemsize not in SIGNED:
        return None
    ends = np.array([lowest, highest])
    squeeze, room = 0, 2 ** (8 * dtype.itemsize - 1)
    if lowest < 0 < highest and max(-lowest, highest) >= 2:
        squeeze = _smallest_magnitude(scores, dtype) - 1
    first, last = Encoding(dtype, squeeze, 0, 0).encode(ends).tolist()
    return Encoding(dtype, squeeze, first, last) if last - first < room else None


def _smallest_magnitude(scores: NDArray[Any], dtype: np.dtype[Any]) -> int:
    """Return the bits of the smallest magnitude above 0."""
    word = _UNSIGNED[dtype.itemsize]
    smallest = []
    for rows in blocks(scores.size):
        found: NDArray[Any] = magnitudes(scores[rows].astype(dtype).view(SIGNED[dtype.itemsize]))
        # One less, and 0 becomes the largest word.
        found -= 1
        smallest.append(int(found.view(word).min()))
    return min(smallest) + 1


def magnitudes(bits: NDArray[Any]) -> NDArray[Any]:
    """Return the bits of floats without those of their signs."""
    return np.asarray(bits & bits.dtype.type(2 ** (8 * bits.dtype.itemsize - 1) - 1))


def flip_negatives(bits: NDArray[Any]) -> NDArray[Any]:
    """Map sign-and-magnitude order to the order of integers, and back: it is its own inverse."""
    width = 8 * bits.dtype.itemsize - 1
    flips: NDArray[Any] = bits >> bits.dtype.type(width)
    flips &= bits.dtype.type(2**width - 1)
    flips ^= bits
    return flips


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
