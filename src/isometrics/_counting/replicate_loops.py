"""The same work as `draws.pick_plain` and `reweighted.areas_plain`, written as loops to compile.

`isometrics._counting.replicates` has Numba compile them; as Python they are only slow.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._counting.draws import Alias, Order

_LOW_HALF = np.uint64(0xFFFFFFFF)


def pick(
    state: NDArray[np.uint64],
    which: NDArray[np.uint8],
    alias: Alias,
    units: NDArray[np.intp],
    weights: Floats,
) -> None:
    """Draw the weights of the units that have a table, with the words of an SFC64 generator.

    The generator is the one of Chris Doty-Humphrey's PractRand, as NumPy has it; its state is
    moved on in place.
    """
    every = units.size == weights.shape[1]
    a, b, c, counter = state[0], state[1], state[2], state[3]
    for row in range(weights.shape[0]):
        for unit in range(units.size):
            word = a + b + counter
            counter += np.uint64(1)
            a = b ^ (b >> np.uint64(11))
            b = c + (c << np.uint64(3))
            c = ((c << np.uint64(24)) | (c >> np.uint64(40))) + word
            table = which[unit]
            column = alias.offset[table] + np.int64(word >> alias.shift[table])
            drawn = alias.value[column]
            if (word & _LOW_HALF) >= alias.accept[column]:
                drawn = alias.other[column]
            weights[row, unit if every else units[unit]] = drawn
    state[0], state[1], state[2], state[3] = a, b, c, counter


def fill_areas(  # noqa: PLR0912, PLR0915 (one pass, which is what makes it fast)
    positive: Floats, negative: Floats, totals: Floats, order: Order, areas: Floats
) -> None:
    """Fill one row of `draws.AREAS` for each row of weights, whose totals are known."""
    for row in range(positive.shape[0]):
        total, others = totals[0, row], totals[1, row]
        if total == 0 or others == 0:
            areas[row, :] = np.nan
            continue
        scale = 1.0
        if order.ratio > 0:
            scale = total * order.ratio / others
            others = total * order.ratio
        crossing = total * (total / (total + others))
        x, fp, passed = 0.0, 0.0, 0
        ranked, below, stepped, lost = 0.0, 0.0, 0.0, 0.0
        for start in range(0, positive.shape[1], 128):
            # Sums of blocks: their rounding does not grow with the number of cells.
            block_ranked, block_below, block_stepped, block_lost = 0.0, 0.0, 0.0, 0.0
            for cell in range(start, min(start + 128, positive.shape[1])):
                while passed < order.before[cell]:
                    fp += negative[row, passed]
                    passed += 1
                y = fp * scale
                while passed < order.through[cell]:
                    fp += negative[row, passed]
                    passed += 1
                rise = positive[row, cell]
                x_end = x + rise
                if x_end == 0:
                    continue
                y_end = fp * scale
                run = y_end - y
                predicted = x + y
                block_ranked += rise * (2 * others - y - y_end)
                step = rise + run
                if predicted == 0:
                    block_below += rise * rise / step
                else:
                    if step < 1e-3 * predicted:
                        # ln(1+t) = 2·artanh(t/(2+t)); the next term is below 1e-21 of the first.
                        half = step / (2 * predicted + step)
                        square = half * half
                        log = 2 * half * (1 + square * (1 / 3 + square * 0.2))
                    else:
                        log = math.log1p(step / predicted)
                    if run == 0:
                        block_below += rise - y * log
                    else:
                        bend = (x * run - rise * y) / step
                        block_below += rise * (rise + bend * log) / step
                if order.stepwise:
                    block_stepped += rise * (x_end / (x_end + y_end))
                if x_end > crossing:
                    begin, y_begin = x, y
                    if x < crossing:
                        begin = crossing
                        y_begin = y + (crossing - x) / rise * run
                    inverse = 1 / (begin * x_end)
                    slant = y_begin * x_end + y_end * begin
                    block_lost += (x_end - begin) * inverse * inverse * slant
                x = x_end
            ranked += block_ranked
            below += block_below
            stepped += block_stepped
            lost += block_lost
        odds = total / others
        areas[row, 0] = ranked / (2 * total * others)
        areas[row, 1] = below / total
        areas[row, 2] = stepped / total if order.stepwise else np.nan
        areas[row, 3] = 1 - odds * odds * total / 2 * lost


def gather(weights: Floats, cell: NDArray[np.intp], sums: Floats) -> None:
    """Add up the weights of the rows of each cell, for one replicate."""
    sums[:] = 0
    for row in range(cell.size):
        sums[cell[row]] += weights[row]
