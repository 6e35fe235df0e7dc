"""Sums along a path of counts, and its hull: loops that Numba compiles.

The formulas are those of `isometrics.spaces`, written for one segment at a time; a block of
segments has a sum of its own, so that rounding does not grow with the number of rows.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.aliases import Floats

    Counts = NDArray[Any]

BLOCK = 1 << 10
ONE = np.uint64(1)


@njit(nogil=True, cache=True)
def share(one: float, one_step: float, other: float, other_step: float) -> float:
    """Mean of one/(one+other) while both move linearly; see `pr_pieces.area_below`."""
    total, step = one + other, one_step + other_step
    if total == 0:
        return one_step / step
    if step < 1e-3 * total:
        # ln(1+t) = 2·artanh(t/(2+t)); the next term is below 1e-21 of the first.
        half = step / (2 * total + step)
        square = half * half
        log = 2 * half * (1 + square * (1 / 3 + square * 0.2))
    else:
        log = math.log1p(step / total)
    return (one_step + (one * other_step - one_step * other) / step * log) / step


@njit(nogil=True, cache=True)
def rising(x: Counts, start: int, block: int, found: NDArray[np.uint64]) -> int:
    """Find the rows of a block behind which x rises; a list of them leaves nothing to guess."""
    number = np.uint64(0)
    first = start + block * BLOCK
    for row in range(np.uint64(first), np.uint64(min(first + BLOCK, x.size - 1))):
        found[number] = row
        number += np.uint64(x[np.uint64(row) + ONE] > x[row])
    return np.int64(number)


@njit(nogil=True, cache=True)
def below(x: Counts, y: Counts, start: int, sums: Floats) -> None:
    """Areas under precision, exactly."""
    found = np.empty(BLOCK + 1, np.uint64)
    for block in range(sums.size):
        area = 0.0
        for row in found[: rising(x, start, block, found)]:
            rise, run = float(x[row + ONE] - x[row]), float(y[row + ONE] - y[row])
            area += rise * share(float(x[row]), rise, float(y[row]), run)
        sums[block] = area


@njit(nogil=True, cache=True)
def above(x: Counts, y: Counts, start: int, sums: Floats) -> None:
    """Areas between precision and 1, exactly."""
    found = np.empty(BLOCK + 1, np.uint64)
    for block in range(sums.size):
        area = 0.0
        for row in found[: rising(x, start, block, found)]:
            rise, run = float(x[row + ONE] - x[row]), float(y[row + ONE] - y[row])
            area += rise * share(float(y[row]), run, float(x[row]), rise)
        sums[block] = area


@njit(nogil=True, cache=True)
def average_precision(x: Counts, y: Counts, start: int, sums: Floats) -> None:
    """Areas of steps at the precision of each end."""
    found = np.empty(BLOCK + 1, np.uint64)
    for block in range(sums.size):
        area = 0.0
        for row in found[: rising(x, start, block, found)]:
            end = float(x[row + ONE])
            area += (end - float(x[row])) * (end / (end + float(y[row + ONE])))
        sums[block] = area


@njit(nogil=True, cache=True)
def linear(x: Counts, y: Counts, start: int, sums: Floats) -> None:
    """Areas under straight lines between precisions."""
    found = np.empty(BLOCK + 1, np.uint64)
    for block in range(sums.size):
        area = 0.0
        for row in found[: rising(x, start, block, found)]:
            begin, end = float(x[row]), float(x[row + ONE])
            precision = end / (end + float(y[row + ONE]))
            predicted = begin + float(y[row])
            before = begin / predicted if predicted > 0 else precision
            area += (end - begin) * (before + precision) / 2
        sums[block] = area


@njit(nogil=True, cache=True)
def lost(x: Counts, y: Counts, start: int, sums: Floats) -> None:
    """Add up (1/tp - 1/tp′)·(fp/tp + fp′/tp′), what the area above a PRG curve is made of."""
    found = np.empty(BLOCK + 1, np.uint64)
    for block in range(sums.size):
        area = 0.0
        for row in found[: rising(x, start, block, found)]:
            begin, end = 1 / float(x[row]), 1 / float(x[row + ONE])
            width = float(x[row + ONE] - x[row]) * begin * end
            area += width * (float(y[row]) * begin + float(y[row + ONE]) * end)
        sums[block] = area


@njit(nogil=True, cache=True)
def doubled(x: Counts, y: Counts, start: int, sums: Floats) -> None:
    """Twice the areas under y over x."""
    for block in range(sums.size):
        area, first = 0.0, start + block * BLOCK
        for row in range(np.uint64(first), np.uint64(min(first + BLOCK, x.size - 1))):
            ahead = np.uint64(row) + ONE
            area += float(x[ahead] - x[row]) * float(y[ahead] + y[row])
        sums[block] = area


@njit(nogil=True, cache=True)
def chain(x: NDArray[np.int64], y: NDArray[np.int64], rows: NDArray[np.int64]) -> int:
    """Find the strict upper hull by the monotone chain; its rows stand in front of `rows`.

    Of equal neighbours the first one counts. Counts are below 2**31, so products are exact.
    """
    rows[0], top = 0, 1
    last = x.size - 1
    while last > 0 and x[last] == x[last - 1] and y[last] == y[last - 1]:
        last -= 1
    for row in range(1, last + 1):
        # On a level way to the right only the last row can be a vertex.
        if y[row] == y[row - 1] and row < last:
            continue
        while top > 1:
            middle, before = rows[top - 1], rows[top - 2]
            rise = (y[row] - y[middle]) * (x[middle] - x[before])
            if rise < (y[middle] - y[before]) * (x[row] - x[middle]):
                break
            top -= 1
        rows[top] = row
        top += 1
    return top
