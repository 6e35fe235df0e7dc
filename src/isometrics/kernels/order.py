"""Scores as unsigned integers of the same order, without room for a label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.kernels.keys import blocks, flip_negatives

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WORDS: dict[str, tuple[np.dtype[Any], np.dtype[Any]]] = {
    "float32": (np.dtype(np.int32), np.dtype(np.uint32)),
    "float64": (np.dtype(np.int64), np.dtype(np.uint64)),
    "int64": (np.dtype(np.int64), np.dtype(np.uint64)),
    "uint64": (np.dtype(np.uint64), np.dtype(np.uint64)),
}


@dataclass(frozen=True, slots=True)
class Order:
    """An exact map between the scores of one type and unsigned integers of the same order."""

    dtype: np.dtype[Any]
    """The type of the scores once widened: float32, float64, int64 or uint64."""

    @property
    def word(self) -> np.dtype[Any]:
        """The unsigned type of the keys."""
        return _WORDS[self.dtype.name][1]

    @property
    def bits(self) -> int:
        """The number of bits of a key."""
        return 8 * self.word.itemsize

    def keys(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return the keys of scores; -0.0 has that of 0.0."""
        keys = np.empty(scores.size, self.word)
        # In blocks that stay in the cache; fresh memory costs more than the arithmetic.
        for rows in blocks(scores.size):
            keys[rows] = self._block(scores[rows])
        return keys

    def _block(self, scores: NDArray[Any]) -> NDArray[Any]:
        signed, word = _WORDS[self.dtype.name]
        widened = scores.astype(self.dtype)
        if self.dtype.kind == "u":
            return widened
        if self.dtype.kind == "f":
            widened += 0  # turns -0.0 into 0.0
            widened = flip_negatives(widened.view(signed))
        keys: NDArray[Any] = widened.view(word)
        keys ^= word.type(1 << (self.bits - 1))
        return keys

    def scores(self, keys: NDArray[Any]) -> NDArray[Any]:
        """Read the scores back, exactly."""
        signed, word = _WORDS[self.dtype.name]
        if self.dtype.kind == "u":
            return keys.copy()
        order: NDArray[Any] = (keys ^ word.type(1 << (self.bits - 1))).view(signed)
        if self.dtype.kind == "f":
            return flip_negatives(order).view(self.dtype)
        return order


def order_of(dtype: np.dtype[Any]) -> Order:
    """Return the order of the scores of a type; all floats and integers of 64 bits have one."""
    if dtype.kind == "f":
        return Order(np.dtype(np.float64 if dtype.itemsize > 4 else np.float32))
    return Order(np.dtype(np.uint64 if dtype == np.uint64 else np.int64))
