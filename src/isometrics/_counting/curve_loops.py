"""Sums along a path of counts, and its hull: loops that Numba compiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from numba.extending import register_jitable

from isometrics._counting import segments

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPACING = 64
"""Rows between those whose hull tells which others need to be looked at."""

# No flag that would let the compiler change results: they are those of NumPy, to the bit.
exact = njit(nogil=True, cache=True, error_model="numpy")

for function in (*segments.FORMULAS, *segments.LOOPS):
    register_jitable(error_model="numpy")(function)
sum_chunks = exact(segments.sum_chunks)


@exact
def hull(x: NDArray[np.int64], y: NDArray[np.int64], rows: NDArray[np.int64]) -> int:
    """Find the strict upper hull of nested counts; its rows stand in front of `rows`.

    Of equal neighbours the first one counts. Counts are below 2**31, so products are exact.
    """
    last = x.size - 1
    while last > 0 and x[last] == x[last - 1] and y[last] == y[last - 1]:
        last -= 1
    coarse = np.append(np.arange(0, last, SPACING), last)
    coarse = coarse[: chain(x, y, coarse)]
    rows[0], found = 0, 1
    for edge in range(coarse.size - 1):
        found = above_edge(x, y, coarse[edge], coarse[edge + 1], rows, found)
    if rows[found - 1] < last:
        rows[found] = last
        found += 1
    return chain(x, y, rows[:found])


@exact
def above_edge(
    x: NDArray[np.int64],
    y: NDArray[np.int64],
    left: int,
    right: int,
    rows: NDArray[np.int64],
    found: int,
) -> int:
    """Append to `rows` those behind `left`, up to `right`, that may be vertices.

    They lie on or above the edge, and y rises to them. Counts never fall, so that the rows from
    one of the spaced ones to the next lie below the edge if its y over this one's x does.
    """
    run, rise = x[right] - x[left], y[right] - y[left]
    level = run * y[left] - rise * x[left]
    for start in range(left, right, SPACING):
        end = min(start + SPACING, right)
        if run * y[end] - rise * x[start] >= level:
            for row in range(start + 1, end + 1):
                rows[found] = row
                found += (y[row] > y[row - 1]) and (run * y[row] - rise * x[row] >= level)
    return found


@exact
def chain(x: NDArray[np.int64], y: NDArray[np.int64], rows: NDArray[np.int64]) -> int:
    """Keep the vertices of the hull of some rows in front of them: the monotone chain."""
    top = 1
    for place in range(1, rows.size):
        row = rows[place]
        while top > 1:
            middle, before = rows[top - 1], rows[top - 2]
            rise = (y[row] - y[middle]) * (x[middle] - x[before])
            if rise < (y[middle] - y[before]) * (x[row] - x[middle]):
                break
            top -= 1
        rows[top] = row
        top += 1
    return top
