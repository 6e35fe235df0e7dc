"""The strict upper hull of nested counts, exact for integers."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._counting import native

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts

    Indices = NDArray[np.intp]


class HullRows(NamedTuple):
    """The vertices of a hull, on the host; the first is the empty rule."""

    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    marks: NDArray[Any]
    """Of each row but the first, which has none; see `array_api.TieGroups`."""
    gaps: NDArray[np.bool_]
    """For each pair of neighbours, whether the table has other rows between them."""


SPACING = 64
"""Rows between those whose hull tells which others need to be looked at."""
FEW = 256
"""Rows for which the chain alone is fastest."""
_EXACT = 2.0**53
_SHORTEST_STEP = 1e-150
_DOUBT = 8 * np.finfo(np.float64).eps


def vertices(x: Counts, y: Counts) -> Indices:
    """Return the rows of the strict upper hull; x never falls, the ends belong to it.

    Rows near the hull are thinned as long as that removes many at once; the chain finishes what is
    left.
    """
    if _underflows(x) or _underflows(y):
        rows = _distinct(x, y)
        exact = (list(map(Fraction, counts[rows].tolist())) for counts in (x, y))
        return np.take(rows, _chain(*exact))
    found = compiled_vertices(x, y)
    if found is not None:
        return found
    if x.size <= FEW and x.dtype.kind == y.dtype.kind == "i":
        rows = _distinct(x, y)
        return np.take(rows, _chain(x[rows].tolist(), y[rows].tolist()))
    near = _near(x, y)
    x, y = x[near], y[near]
    rows = _distinct(x, y)
    while rows.size > 2:
        below, certain = _below_chord(x[rows], y[rows])
        removed = int(below.sum())
        # Both ends stay.
        rows = rows[np.concatenate([[True], ~below, [True]])]
        if removed == 0 and certain:
            break
        if removed * 16 < rows.size:
            rows = np.take(rows, _chain(x[rows].tolist(), y[rows].tolist()))
            break
    return np.take(near, rows)


def compiled_vertices(x: Counts, y: Counts) -> NDArray[np.intp] | None:
    """Return the rows of the strict upper hull of nested counts.

    None where there are no loops, and for counts whose products are beyond 64 bits.
    """
    if not native.available() or not _small(x) or not _small(y):
        return None
    rows: NDArray[Any] = np.empty(x.size, np.int64)
    coarse = np.empty(x.size // SPACING + 2, np.int64)
    x, y = native.as_argument(x), native.as_argument(y)
    return rows[: native.hull(x, y, x.size, coarse, rows)].astype(np.intp)


def _small(counts: Counts) -> bool:
    return counts.dtype == np.int64 and int(counts[0]) >= 0 and int(counts[-1]) < 2**31


def _underflows(counts: Counts) -> bool:
    """Tell whether steps are so short that their products are rounded to 0."""
    if counts.dtype.kind != "f":
        return False
    steps = np.diff(counts)
    return bool(steps.min(where=steps > 0, initial=np.inf) < _SHORTEST_STEP)


def _near(x: Counts, y: Counts) -> Indices:
    """Return the rows that may be vertices, by the hull of few of them.

    The rows from one of the spaced ones to the next lie below that hull if it is higher than all
    of them already where they begin.
    """
    last = x.size - 1
    if last < SPACING * SPACING:
        return np.arange(x.size)
    spaced = np.arange(0, last, SPACING)
    ends = np.append(spaced, last)
    corners = ends[vertices(x[ends], y[ends])]
    there = np.interp(x[spaced], x[corners], y[corners])
    # np.interp rounds, and overflows where an edge is very steep; a row too many costs little.
    doubt = 1e-12 * float(np.abs(y[corners]).max())
    hidden = (np.maximum.reduceat(y, spaced + 1) < there - doubt) & np.isfinite(there)
    rows = spaced[~hidden, np.newaxis] + np.arange(1, SPACING + 1)
    return np.concatenate([[0], rows[rows <= last]])


def _distinct(x: Counts, y: Counts) -> Indices:
    """Return the first of equal neighbours: each would lie on the other's chord."""
    moves = (np.diff(x) != 0) | (np.diff(y) != 0)
    return np.append(0, np.flatnonzero(moves) + 1)


def _below_chord(x: Counts, y: Counts) -> tuple[NDArray[np.bool_], bool]:
    """Tell which inner rows lie on or below the chord of their neighbours, where that is certain.

    Dropping all of them at once is safe: each lies below a chord between rows of the table. For
    integer counts the products are exact up to 2**53; beyond, a margin keeps what is in doubt.
    """
    step_x, step_y = np.diff(x).astype(np.float64), np.diff(y).astype(np.float64)
    falls = step_y[:-1] * step_x[1:]
    rises = step_y[1:] * step_x[:-1]
    highest = max(falls.max(initial=0.0), rises.max(initial=0.0))
    if "f" in (x.dtype.kind, y.dtype.kind) or highest < _EXACT:
        return rises >= falls, True
    return rises - falls > _DOUBT * (rises + falls), False


def _chain(x: list[Any], y: list[Any]) -> list[int]:
    """Return the strict upper hull by the monotone chain, in Python's exact integers."""
    chain: list[int] = []
    for row in range(len(x)):
        while len(chain) > 1:
            middle, start = chain[-1], chain[-2]
            rise = (y[row] - y[middle]) * (x[middle] - x[start])
            if rise < (y[middle] - y[start]) * (x[row] - x[middle]):
                break
            chain.pop()
        chain.append(row)
    return chain
