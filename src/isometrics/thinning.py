"""Rows enough to draw a curve: what a reader could not see is left out.

Along every curve x never falls. So rows are grouped into columns half a pixel wide, and of each
column the first, last, lowest and highest row stay. Within a column, the curve and what is drawn
both run through all heights from the lowest to the highest, so neither is farther from the other
than the column is wide; between columns they are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isometrics.hull import vertices
from isometrics.spaces import SPACES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.aliases import Floats
    from isometrics.table import Table

    Indices = NDArray[np.intp]

MOST_VERTICES = 2000
"""A hull with more vertices is as smooth as a curve, and is drawn as exactly as one."""


def most_rows(width: int = 800) -> int:
    """Return the most rows that `rows_to_draw` keeps: 8,408 on 800 pixels.

    Examples
    --------
    >>> most_rows(800)
    8408
    """
    return 4 * (2 * width + 2) + MOST_VERTICES


def rows_to_draw(table: Table, space: str, *, width: int = 800, low: float = 0.0) -> Indices:
    """Return the rows that draw the curve of a table to within half a pixel.

    The first and the last row and the vertices of the hull are among them; a hull of more than
    `MOST_VERTICES` is only drawn to within half a pixel, too. Tables that are short enough keep
    all their rows.

    Parameters
    ----------
    table
        Nested rows, as scores, curves and hulls have them.
    space
        ``"roc"``, ``"pr"`` or ``"prg"``.
    width
        Pixels of the x axis from `low` to 1.
    low
        The lowest x that is shown. Of the rows beyond it only those remain that the shown part
        needs.

    Examples
    --------
    >>> import numpy as np
    >>> import isometrics as iso
    >>> labels = np.random.default_rng(1).random(100_000) < 0.3
    >>> pts = iso.OperatingPoints.from_scores(labels, np.arange(100_000.0))
    >>> len(pts), len(rows_to_draw(pts.table, "roc")) <= most_rows()
    (100001, True)
    """
    columns = 2 * width
    if table.size <= 4 * (columns + 2):
        return np.arange(table.size)
    here = SPACES[space](table)
    # An empty rule has no height in some spaces; its column has other rows to go by.
    places = np.clip(np.floor((here.x - low) * (columns / (1 - low))), -1, columns)
    starts = np.flatnonzero(np.diff(places, prepend=-2))
    kept = [starts, np.append(starts[1:], table.size) - 1, *_extremes(here.y, starts)]
    corners = vertices(table.fp, table.tp)
    if corners.size <= MOST_VERTICES:
        kept.append(corners)
    return np.unique(np.concatenate(kept))


def _extremes(y: Floats, starts: Indices) -> tuple[Indices, Indices]:
    """Return the first lowest and the first highest row of each column."""
    column = np.zeros(y.size, np.intp)
    column[starts[1:]] = 1
    np.cumsum(column, out=column)

    def first(found: NDArray[np.bool_]) -> Indices:
        rows = np.flatnonzero(found)
        return rows[np.diff(column[rows], prepend=-1) > 0]

    lowest, highest = np.fmin.reduceat(y, starts), np.fmax.reduceat(y, starts)
    return first(y == lowest[column]), first(y == highest[column])
