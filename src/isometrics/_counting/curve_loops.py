"""Sums along a path of counts, and its hull: loops that Numba compiles.

The formulas are those of `isometrics.spaces`, written for one segment at a time; a block of
segments has a sum of its own, so that rounding does not grow with the number of rows. Within a
block the terms may be added up in any order, so that the processor takes several at once.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats

    Counts = NDArray[Any]

BLOCK = 1 << 10
SPACING = 64
"""Rows between those whose hull tells which others need to be looked at."""

SHORT = 1e-3
"""Steps below this share of all that is predicted have a logarithm that is a short series."""

ONE = np.uint64(1)

exact = njit(nogil=True, cache=True, error_model="numpy")
summing = njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "nsz"})


@exact
def share(one: float, one_step: float, other: float, other_step: float) -> float:
    """Mean of one/(one+other) while both move linearly; see `pr_pieces.area_below`."""
    total, step = one + other, one_step + other_step
    if total == 0:
        return one_step / step
    log = step * short_log(total, step) if step < SHORT * total else math.log1p(step / total)
    return (one_step + (one * other_step - one_step * other) / step * log) / step


@exact
def short_log(total: float, step: float) -> float:
    """Return ln(1 + t)/step for a small t = step/total.

    ln(1+t) = 2·artanh(t/(2+t)); the next term is below 1e-21 of the first.
    """
    base = 1 / (2 * total + step)
    square = (step * base) * (step * base)
    return 2 * base * (1 + square * (1 / 3 + square * 0.2))


@exact
def rows_of(block: int, start: int, x: Counts) -> tuple[np.uint64, np.uint64]:
    """Return the first row of a block of segments, and the last."""
    first = start + block * BLOCK
    return np.uint64(first), np.uint64(min(first + BLOCK, x.size - 1))


@exact
def rising_rows(block: int, start: int, x: Counts) -> tuple[np.uint64, np.uint64]:
    """Do the same; where x does not rise, there is nothing to add up, and both are equal."""
    first, last = rows_of(block, start, x)
    return first, last if x[last] > x[first] else first


@summing
def all_short(x: Counts, y: Counts, first: np.uint64, last: np.uint64) -> bool:
    """Tell whether the logarithm of no step of a block needs more than the series."""
    longest = (x[first] - x[first]) + (y[first] - y[first])
    for row in range(first, last):
        ahead = np.uint64(row) + ONE
        longest = max(longest, (x[ahead] - x[row]) + (y[ahead] - y[row]))
    return float(longest) < SHORT * (float(x[first]) + float(y[first]))


@summing
def below(x: Counts, y: Counts, start: int, sums: Floats) -> None:
    """Areas under precision, exactly."""
    for block in range(sums.size):
        area = 0.0
        first, last = rising_rows(block, start, x)
        if all_short(x, y, first, last):
            for row in range(first, last):
                ahead = np.uint64(row) + ONE
                tp, fp = float(x[row]), float(y[row])
                rise, run = float(x[ahead] - x[row]), float(y[ahead] - y[row])
                turn = (tp * run - rise * fp) * short_log(tp + fp, rise + run)
                area += rise * (rise + turn) / (rise + run if rise > 0 else 1.0)
        else:
            for row in range(first, last):
                ahead = np.uint64(row) + ONE
                tp, fp = float(x[row]), float(y[row])
                rise, run = float(x[ahead] - x[row]), float(y[ahead] - y[row])
                if rise > 0:
                    area += rise * share(tp, rise, fp, run)
        sums[block] = area


@summing
def above(x: Counts, y: Counts, start: int, sums: Floats) -> None:
    """Areas between precision and 1, exactly."""
    for block in range(sums.size):
        area = 0.0
        first, last = rising_rows(block, start, x)
        if all_short(x, y, first, last):
            for row in range(first, last):
                ahead = np.uint64(row) + ONE
                tp, fp = float(x[row]), float(y[row])
                rise, run = float(x[ahead] - x[row]), float(y[ahead] - y[row])
                turn = (rise * fp - tp * run) * short_log(tp + fp, rise + run)
                area += rise * (run + turn) / (rise + run if rise > 0 else 1.0)
        else:
            for row in range(first, last):
                ahead = np.uint64(row) + ONE
                tp, fp = float(x[row]), float(y[row])
                rise, run = float(x[ahead] - x[row]), float(y[ahead] - y[row])
                if rise > 0:
                    area += rise * share(fp, run, tp, rise)
        sums[block] = area


@summing
def average_precision(x: Counts, y: Counts, start: int, sums: Floats) -> None:
    """Areas of steps at the precision of each end."""
    for block in range(sums.size):
        area = 0.0
        first, last = rising_rows(block, start, x)
        for row in range(first, last):
            ahead = np.uint64(row) + ONE
            predicted = float(x[ahead]) + float(y[ahead])
            precision = float(x[ahead]) / (predicted if predicted > 0 else 1.0)
            area += float(x[ahead] - x[row]) * precision
        sums[block] = area


@summing
def linear(x: Counts, y: Counts, start: int, sums: Floats) -> None:
    """Areas under straight lines between precisions."""
    for block in range(sums.size):
        area = 0.0
        first, last = rising_rows(block, start, x)
        for row in range(first, last):
            ahead = np.uint64(row) + ONE
            predicted = float(x[ahead]) + float(y[ahead])
            precision = float(x[ahead]) / (predicted if predicted > 0 else 1.0)
            before = float(x[row]) + float(y[row])
            height = float(x[row]) / before if before > 0 else precision
            area += float(x[ahead] - x[row]) * (height + precision)
        sums[block] = area / 2


@summing
def lost(x: Counts, y: Counts, start: int, sums: Floats) -> None:
    """Add up (1/tp - 1/tp′)·(fp/tp + fp′/tp′), what the area above a PRG curve is made of."""
    for block in range(sums.size):
        area = 0.0
        first, last = rising_rows(block, start, x)
        for row in range(first, last):
            ahead = np.uint64(row) + ONE
            begin, end = 1 / float(x[row]), 1 / float(x[ahead])
            width = float(x[ahead] - x[row]) * begin * end
            area += width * (float(y[row]) * begin + float(y[ahead]) * end)
        sums[block] = area


@summing
def doubled(x: Counts, y: Counts, start: int, sums: Floats) -> None:
    """Twice the areas under y over x."""
    for block in range(sums.size):
        area = 0.0
        first, last = rows_of(block, start, x)
        if y[first] == y[last]:
            area = float(x[last] - x[first]) * float(y[last] + y[first])
        else:
            for row in range(first, last):
                ahead = np.uint64(row) + ONE
                area += float(x[ahead] - x[row]) * float(y[ahead] + y[row])
        sums[block] = area


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
