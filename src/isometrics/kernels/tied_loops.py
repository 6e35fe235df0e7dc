"""Scores of few distinct values counted without sorting them: a loop that Numba compiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

U = np.uint64
_GOLDEN, _HALF = U(0x9E3779B1), U(0xFFFFFFFF)
ZERO, ONE, TWO = U(0), U(1), U(2)


@njit(nogil=True, cache=True)
def tally(keys: NDArray[Any], slots: NDArray[np.uint64], most: np.uint64) -> bool:
    """Count the keys of each score, and the positives among them, in a table with open slots.

    A row of `slots` has ``(key >> 1) + 1`` in its first place, 0 where it is free; then the keys
    and the positives. What row 0 has in its last place is the number of scores. As soon as there
    are more than `most`, the loop gives up and returns False.
    """
    last = U(slots.shape[0]) - ONE
    bits = ZERO
    while last >> bits:
        bits += ONE
    distinct = slots[ZERO, U(3)]
    for row in range(keys.size):
        key = U(keys[row])
        score = (key >> ONE) + ONE
        mixed = ((score ^ (score >> U(32))) & _HALF) * _GOLDEN & _HALF
        slot = mixed >> (U(32) - bits)
        while slots[slot, ZERO] != score:
            if slots[slot, ZERO] == ZERO:
                slots[slot, ZERO] = score
                distinct += ONE
                break
            slot = (slot + ONE) & last
        slots[slot, ONE] += ONE
        slots[slot, TWO] += ~key & ONE
        if distinct > most:
            return False
    slots[ZERO, U(3)] = distinct
    return True
