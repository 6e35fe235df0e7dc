"""The work of `draws.pick_plain` and `draws.areas_plain`, to the bit, written as loops to compile.

`isometrics._counting.replicates` has Numba compile them; as Python they are only slow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isometrics._counting.segments import (
    LANES,
    TINY,
    any_log_rate,
    area_below,
    area_of_step,
    bend,
    fold_lanes,
    gain_loss_at_once,
)

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


def fill_areas(
    positive: Floats, negative: Floats, totals: Floats, order: Order, areas: Floats
) -> None:
    """Fill one row of `draws.AREAS` for each row of weights, whose totals are known."""
    ranked, below, stepped, lost = np.empty((4, LANES))
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
        ranked[:], below[:], stepped[:], lost[:] = 0.0, 0.0, 0.0, 0.0
        x, fp, passed = 0.0, 0.0, 0
        for cell in range(positive.shape[1]):
            while passed < order.before[cell]:
                fp += negative[row, passed]
                passed += 1
            y = fp * scale
            while passed < order.through[cell]:
                fp += negative[row, passed]
                passed += 1
            rise = positive[row, cell]
            if rise == 0:
                continue
            lane = cell % LANES
            x_end, y_end = x + rise, fp * scale
            run = y_end - y
            step = rise + run
            ranked[lane] += rise * (2 * others - y - y_end)
            rate = any_log_rate(max(x + y, TINY), step)
            below[lane] += area_below(rise, step, bend(x, y, rise, run, rate))
            if order.stepwise:
                stepped[lane] += area_of_step(rise, x_end / (x_end + y_end))
            if x_end > crossing:
                begin, y_begin = x, y
                if x < crossing:
                    begin, y_begin = crossing, y + (crossing - x) / rise * run
                lost[lane] += gain_loss_at_once(begin, y_begin, x_end, y_end, x_end - begin)
            x = x_end
        odds = total / others
        areas[row, 0] = fold_lanes(ranked) / (2 * total * others)
        areas[row, 1] = fold_lanes(below) / total
        areas[row, 2] = fold_lanes(stepped) / total if order.stepwise else np.nan
        areas[row, 3] = 1 - odds * odds * total / 2 * fold_lanes(lost)


def gather(weights: Floats, cell: NDArray[np.intp], sums: Floats) -> None:
    """Add up the weights of the rows of each cell, for one replicate."""
    sums[:] = 0
    for row in range(cell.size):
        sums[cell[row]] += weights[row]
