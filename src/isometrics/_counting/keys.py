"""Scores and labels packed into integers whose order is the order of the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import prepend_zero
from isometrics._core.counts import as_thresholds

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts


BLOCK = 1 << 15
UNSIGNED: dict[int, np.dtype[Any]] = {4: np.dtype(np.uint32), 8: np.dtype(np.uint64)}
SIGNED: dict[int, np.dtype[Any]] = {4: np.dtype(np.int32), 8: np.dtype(np.int64)}


def blocks(end: int, start: int = 0) -> Iterator[slice]:
    """Cut rows into blocks that stay in the processor's cache."""
    return (slice(row, min(row + BLOCK, end)) for row in range(start, end, BLOCK))


def flip_negatives(bits: Any, width: int) -> Any:
    """Map the bits of floats to signed integers of the same order, and back.

    This is the one map between floats and ordered integers. It takes arrays of any library, and
    single integers in compiled loops.

    Notes
    -----
    The bits of an IEEE float without its sign, read as an integer, have the order of the
    magnitudes. With the bits of negative magnitudes inverted, they have the order of the floats.
    -0.0 becomes -1, which is nothing else's; callers turn it into 0.
    """
    flips = bits >> (width - 1)
    flips &= (1 << (width - 1)) - 1
    flips ^= bits
    return flips


@dataclass(frozen=True, slots=True)
class Order:
    """An exact map between the scores of one type and unsigned integers of the same order.

    Saved streams hold such integers.
    """

    dtype: np.dtype[Any]
    """The type of the scores once widened: float32, float64, int64 or uint64."""

    @property
    def word(self) -> np.dtype[Any]:
        """The unsigned type of the keys."""
        return UNSIGNED[self.dtype.itemsize]

    @property
    def bits(self) -> int:
        """The number of bits of a key."""
        return 8 * self.word.itemsize

    @property
    def _zero(self) -> Any:
        """The key of 0."""
        return self.word.type(0 if self.dtype.kind == "u" else 1 << (self.bits - 1))

    def keys(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return the keys of scores; -0.0 has that of 0.0."""
        keys = np.empty(scores.size, self.word)
        # In blocks that stay in the cache; fresh memory costs more than the arithmetic.
        for rows in blocks(scores.size):
            keys[rows] = signed_order(scores[rows], self.dtype).view(self.word) ^ self._zero
        return keys

    def scores(self, keys: NDArray[Any]) -> NDArray[Any]:
        """Read the scores back, exactly."""
        return scores_of((keys ^ self._zero).view(SIGNED[self.dtype.itemsize]), self.dtype)


def order_of(dtype: np.dtype[Any]) -> Order:
    """Return the order of the scores of a type; all floats and integers of 64 bits have one."""
    if dtype.kind == "f":
        return Order(np.dtype(np.float64 if dtype.itemsize > 4 else np.float32))
    return Order(np.dtype(np.uint64 if dtype == np.uint64 else np.int64))


def signed_order(scores: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return integers in the order of scores, once these are widened to a type."""
    widened = scores.astype(dtype)
    if dtype.kind != "f":
        return widened
    widened += 0  # turns -0.0 into 0.0
    order: NDArray[Any] = flip_negatives(widened.view(SIGNED[dtype.itemsize]), 8 * dtype.itemsize)
    return order


def scores_of(order: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Read scores of a type back from signed integers of their order."""
    order = order.astype(SIGNED[dtype.itemsize], copy=False)
    if dtype.kind == "f":
        order = flip_negatives(order, 8 * dtype.itemsize)
    return order.view(dtype)


class ScoreCounts(NamedTuple):
    """What is counted at each distinct score, in descending order, behind the empty rule."""

    thresholds: NDArray[Any]
    tp: Counts
    fp: Counts

    @classmethod
    def of_rows(cls, scores: NDArray[Any], tp: Counts, fp: Counts) -> ScoreCounts:
        """Put the empty rule before the counts at each distinct score."""
        infinity = np.array([np.inf], scores.dtype)
        return cls(np.concatenate([infinity, scores]), prepend_zero(tp), prepend_zero(fp))

    def first(self, size: int) -> ScoreCounts:
        """Return so many rows, without holding on to much memory."""
        copied = size <= self.tp.size // 2
        return ScoreCounts(*(part[:size].copy() if copied else part[:size] for part in self))


@dataclass(frozen=True, slots=True)
class Encoding:
    """An exact, order-preserving map of scores to integers that leave one bit free."""

    dtype: np.dtype[Any]
    """The type of the scores once widened: float32, float64, int32 or int64."""
    gap: int
    """How many integers on either side of 0 do not occur, and are left out."""
    lowest: int
    """The smallest integer, which is subtracted."""
    highest: int
    """The largest integer."""

    @property
    def word(self) -> np.dtype[Any]:
        """The unsigned type of the keys."""
        return UNSIGNED[self.dtype.itemsize]

    @property
    def ends(self) -> tuple[int, int]:
        """The lowest and the highest key that can occur."""
        mask = 2 ** (8 * self.word.itemsize) - 1
        return mask - 2 * (self.highest - self.lowest) - 1, mask

    @property
    def widened(self) -> np.dtype[Any]:
        """The type of thresholds that can hold every score of the sample, and +inf."""
        if self.dtype.kind == "f" or self.dtype.itemsize < 8:
            return np.dtype(np.float64)
        return as_thresholds(self.scores(np.array(self.ends, self.word))).dtype

    def encode(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return signed integers in the order of the scores, before `lowest` is subtracted."""
        order = signed_order(scores, self.dtype)
        if self.gap:
            order -= np.sign(order) * order.dtype.type(self.gap)
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
        if self.gap:
            order += np.sign(order) * order.dtype.type(self.gap)
        return scores_of(order, self.dtype)


def encoding_of(scores: NDArray[Any]) -> Encoding | None:
    """Return an encoding of the scores, or None where one bit is not free."""
    return encoding_within(
        scores.dtype, scores.min(), scores.max(), lambda dtype: _smallest_magnitude(scores, dtype)
    )


def encoding_within(
    dtype: np.dtype[Any],
    lowest: Any,
    highest: Any,
    smallest_magnitude: Callable[[np.dtype[Any]], int],
) -> Encoding | None:
    """Return an encoding of the scores of a range, or None where one bit is not free.

    `smallest_magnitude` is asked for the bits of the smallest magnitude above 0 where it matters,
    with the type that the scores are widened to.

    Notes
    -----
    Floats of one sign always leave a bit, and so do those of both signs within (-2, 2). Others
    leave one unless their magnitudes reach from the smallest to the largest ones that a float can
    have. Integers need a spread below half their word.
    """
    if dtype.kind != "f":
        spread, reach = int(highest) - int(lowest), max(-int(lowest), int(highest))
        if reach >= 2**63 or spread >= 2**63:
            return None
        narrow = reach < 2**31 and spread < 2**31
        return Encoding(np.dtype(np.int32 if narrow else np.int64), 0, int(lowest), int(highest))
    dtype = np.dtype(np.float32) if dtype.itemsize < 4 else dtype.newbyteorder("=")
    if dtype.itemsize not in SIGNED:
        return None
    gap, room = 0, 2 ** (8 * dtype.itemsize - 1)
    if lowest < 0 < highest and max(-lowest, highest) >= 2:
        gap = smallest_magnitude(dtype) - 1
    first, last = (_encoded(end, dtype, gap) for end in (lowest, highest))
    return Encoding(dtype, gap, first, last) if last - first < room else None


def _encoded(score: Any, dtype: np.dtype[Any], gap: int) -> int:
    """Do what `Encoding.encode` does, for one score."""
    bits = (dtype.type(score) + dtype.type(0)).view(SIGNED[dtype.itemsize]).item()
    order: int = flip_negatives(bits, 8 * dtype.itemsize)
    return order - gap if order > 0 else order + gap if order < 0 else 0


def _smallest_magnitude(scores: NDArray[Any], dtype: np.dtype[Any]) -> int:
    """Return the bits of the smallest magnitude above 0."""
    word = UNSIGNED[dtype.itemsize]
    smallest = []
    for rows in blocks(scores.size):
        magnitudes: NDArray[Any] = np.abs(scores[rows].astype(dtype)).view(word)
        magnitudes -= word.type(1)  # 0 becomes the largest word
        smallest.append(int(magnitudes.min()))
    return min(smallest) + 1


@dataclass(frozen=True, slots=True)
class Packing:
    """A map of scores to integers with a free bit for the label; the highest score comes first.

    Notes
    -----
    Integers in the order of floats of both signs leave no bit free. But the numbers between 0 and
    the smallest magnitude that occurs are not used, and a gap of that size is taken out on both
    sides of 0.
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


def order_on_device(xp: Any, scores: Any) -> Any:
    """Return signed integers in the order of float scores; -0.0 has that of 0.0."""
    word, width = (xp.int64, 64) if scores.dtype == xp.float64 else (xp.int32, 32)
    order = flip_negatives(scores.view(word), width)
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
