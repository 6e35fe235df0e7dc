"""Rows far from every positive counted by groups: a loop that Numba compiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

U = np.uint64
ZERO, ONE = U(0), U(1)


@njit(nogil=True, cache=True)
def sift(
    keys: NDArray[Any],
    ends: tuple[np.uint64, np.uint64],
    shift: np.uint64,
    group: NDArray[np.uint32],
    counts: NDArray[np.uint64],
    last: NDArray[np.uint64],
    kept: NDArray[Any],
) -> np.uint64:
    """Keep the keys in bins with positives, which have odd groups; count those of even groups.

    `group` has the group of each bin between both `ends`; keys beyond belong to the outer bins.
    `last` has the largest key of each group. Returns how many keys are kept, in front of `kept`.
    """
    lowest, highest = ends
    filled = ZERO
    for row in range(keys.size):
        key = U(keys[row])
        mine = U(group[(min(max(key, lowest), highest) - lowest) >> shift])
        if mine & ONE:
            kept[filled] = keys[row]
            filled += ONE
        else:
            counts[mine] += ONE
            last[mine] = max(last[mine], key)
    return filled
