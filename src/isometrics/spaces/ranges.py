"""Ranges of λ in which a state is constant, for functions that can only be evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats

    States = NDArray[np.bool_]

STEPS = 1024
"""Steps of the grid over λ; a range shorter than a step may be missed."""

SHORTEST = 1e-6
"""Ranges shorter than this are treated as rounding errors of a crossing."""

_BISECTIONS = 42
_TERNARY_STEPS = 32
_MAX_BORDERS = 1 << 16


class Ranges(NamedTuple):
    """Start and state of each range; the first starts at 0, and neighbours differ in state."""

    starts: Floats
    states: States


def grid_with(*ends: Floats) -> Floats:
    """Return a grid over λ with the given ends of pieces, and the midpoints between all of them."""
    lam = np.unique(np.concatenate([np.linspace(0, 1, STEPS + 1), *ends]))
    return np.unique(np.concatenate([lam, (lam[:-1] + lam[1:]) / 2]))


def with_closest(lam: Floats, gaps: Callable[[Floats], Floats]) -> Floats:
    """Return a grid with the weights added at which a contender's gap to the best has a minimum.

    `gaps` has a column for each contender, ≥ 0, and 0 for the best one. A contender whose gap has
    a minimum between two weights of the grid may be best there for a short range, so the minimum
    is located by ternary search.
    """
    values = gaps(lam)
    inner = values[1:-1]
    is_minimum = (inner > 0) & (inner <= values[:-2]) & (inner <= values[2:])
    rows, columns = np.nonzero(is_minimum & ((inner < values[:-2]) | (inner < values[2:])))
    lo, hi = lam[rows], lam[rows + 2]
    minimum_index = np.arange(rows.size)
    for _ in range(_TERNARY_STEPS):
        third = (hi - lo) / 3
        left, right = (gaps(at)[minimum_index, columns] for at in (lo + third, hi - third))
        lo, hi = np.where(left > right, lo + third, lo), np.where(left > right, hi, hi - third)
    return np.unique(np.concatenate([lam, (lo + hi) / 2]))


def ranges_of(states: Callable[[Floats], States], lam: Floats) -> Ranges:
    """Return the ranges in which the states, one row for each weight, are constant.

    Where neighbours of the grid `lam` differ in state, bisection locates the border between them.
    Where the midpoint has a third state, the interval is split there and both borders are located.
    A range shorter than `SHORTEST` is replaced by a border at its middle.
    """
    grid_states = states(lam)
    change = np.flatnonzero((grid_states[1:] != grid_states[:-1]).any(axis=1))
    lo, hi = lam[change], lam[change + 1]
    before, after = grid_states[change], grid_states[change + 1]
    for _ in range(_BISECTIONS):
        middle = (lo + hi) / 2
        middle_states = states(middle)
        is_before = (middle_states == before).all(axis=1)
        is_third = ~is_before & ~(middle_states == after).all(axis=1)
        if lo.size + is_third.sum() > _MAX_BORDERS:
            break
        left_halves = (lo[is_third], middle[is_third], before[is_third], middle_states[is_third])
        right = is_before | is_third
        lo, hi = np.where(right, middle, lo), np.where(right, hi, middle)
        before = np.where(is_third[:, None], middle_states, before)
        lo, hi, before, after = (
            np.concatenate(pair) for pair in zip((lo, hi, before, after), left_halves, strict=True)
        )
    order = np.argsort(lo, kind="stable")
    starts = np.append(0.0, hi[order])
    return _without_short(starts, np.concatenate([grid_states[:1], after[order]]))


def _without_short(starts: Floats, states: States) -> Ranges:
    ends = np.append(starts[1:], 1.0)
    long = np.flatnonzero(ends - starts >= SHORTEST)
    states = states[long]
    starts = np.append(0.0, (ends[long][:-1] + starts[long][1:]) / 2)
    differs = np.append(True, (states[1:] != states[:-1]).any(axis=1))
    return Ranges(starts[differs], states[differs])
