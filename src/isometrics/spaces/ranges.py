"""Ranges of λ in which a state stays the same, for functions known by their values only."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats

    States = NDArray[np.bool_]

STEPS = 1024
"""Steps of the grid over λ; a state that lasts for less than a step may be missed."""

SHORTEST = 1e-6
"""Ranges shorter than this are taken for the rounding of a crossing."""

_HALVINGS = 42
_NARROWINGS = 32
_MOST_BORDERS = 1 << 16


class Ranges(NamedTuple):
    """Where each range starts, the first at 0, and its state; neighbours differ."""

    starts: Floats
    states: States


def grid_with(*ends: Floats) -> Floats:
    """Return a grid over λ together with known ends of pieces, and the middles between all."""
    lam = np.unique(np.concatenate([np.linspace(0, 1, STEPS + 1), *ends]))
    return np.unique(np.concatenate([lam, (lam[:-1] + lam[1:]) / 2]))


def with_closest(lam: Floats, gaps: Callable[[Floats], Floats]) -> Floats:
    """Return a grid together with the weights near which a gap has a minimum.

    `gaps` has a column for each contender, ≥ 0 and 0 for the best. One that comes close between
    two weights of the grid may be best there for a short range; a ternary search finds it.
    """
    values = gaps(lam)
    inner = values[1:-1]
    dips = (inner > 0) & (inner <= values[:-2]) & (inner <= values[2:])
    rows, columns = np.nonzero(dips & ((inner < values[:-2]) | (inner < values[2:])))
    lo, hi = lam[rows], lam[rows + 2]
    order = np.arange(rows.size)
    for _ in range(_NARROWINGS):
        third = (hi - lo) / 3
        left, right = (gaps(at)[order, columns] for at in (lo + third, hi - third))
        lo, hi = np.where(left > right, lo + third, lo), np.where(left > right, hi, hi - third)
    return np.unique(np.concatenate([lam, (lo + hi) / 2]))


def ranges_of(states: Callable[[Floats], States], lam: Floats) -> Ranges:
    """Return the ranges in which the states, a row for each weight, stay the same.

    Between two neighbours of the grid `lam` whose states differ, the change is found by bisection;
    where a third state lies between them, both of its changes are. Of a range shorter than
    `SHORTEST` the middle remains, as a border.
    """
    found = states(lam)
    change = np.flatnonzero((found[1:] != found[:-1]).any(axis=1))
    lo, hi, before, after = lam[change], lam[change + 1], found[change], found[change + 1]
    for _ in range(_HALVINGS):
        middle = (lo + hi) / 2
        there = states(middle)
        to_left = (there == before).all(axis=1)
        between = ~to_left & ~(there == after).all(axis=1)
        if lo.size + between.sum() > _MOST_BORDERS:
            break
        first = (lo[between], middle[between], before[between], there[between])
        behind = to_left | between
        lo, hi = np.where(behind, middle, lo), np.where(behind, hi, middle)
        before = np.where(between[:, None], there, before)
        lo, hi, before, after = (
            np.concatenate(parts) for parts in zip((lo, hi, before, after), first, strict=True)
        )
    order = np.argsort(lo, kind="stable")
    return _without_short(np.append(0.0, hi[order]), np.concatenate([found[:1], after[order]]))


def _without_short(starts: Floats, states: States) -> Ranges:
    ends = np.append(starts[1:], 1.0)
    long = np.flatnonzero(ends - starts >= SHORTEST)
    states = states[long]
    starts = np.append(0.0, (ends[long][:-1] + starts[long][1:]) / 2)
    new = np.append(True, (states[1:] != states[:-1]).any(axis=1))
    return Ranges(starts[new], states[new])
