"""The curve of a table as a polyline to draw: thinned where it is dense, bent where it curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isometrics._counting.hull import vertices
from isometrics._table.table import Kind
from isometrics.spaces import SPACES, PRGSpace, PRSpace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._table.table import Table

    Indices = NDArray[np.intp]


HALF_A_PIXEL = 0.5


def trace(
    table: Table, space: str, *, width: int = 800, height: int = 800, low: float = 0.0
) -> tuple[Floats, Floats]:
    """Return x and y of a polyline within half a pixel of the table's curve.

    Parameters
    ----------
    table
        Nested rows, as scores, curves and hulls have them.
    space
        ``"roc"``, ``"pr"`` or ``"prg"``.
    width, height
        Pixels of the canvas, on which x runs from `low` to 1 and y over a length of 1.
    low
        The lowest x that is shown; only PRG space goes below 0.

    Notes
    -----
    The polyline visits every row that `rows_to_draw` keeps, but for those that have no place in
    the space: in PRG space a curve comes in from -∞ and is begun at `low`.

    Examples
    --------
    Between two distant points the curve of PR space is not a straight line:

    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_counts([9], [0], positives=433, negatives=56164)
    >>> x, y = trace(pts.table, "pr")
    >>> len(pts), x.size > 10
    (3, True)
    """
    kept = table.take(rows_to_draw(table, space, width=width, low=low), Kind.CURVE)
    if space == "pr":
        return _bent(kept, width, height)
    here = SPACES[space](kept)
    return _entering(here, low) if isinstance(here, PRGSpace) else (here.x, here.y)


def _entering(here: PRGSpace, low: float) -> tuple[Floats, Floats]:
    """Begin a curve that comes from -∞ at the border."""
    placed = here.table.tp > 0
    x, y = here.x[placed], here.y[placed]
    if x[0] <= low:
        return x, y
    return np.insert(x, 0, low), np.insert(y, 0, here.interpolate(low))


def _bent(table: Table, width: int, height: int) -> tuple[Floats, Floats]:
    """Cut the segments of a PR curve until no chord leaves the curve by half a pixel.

    Notes
    -----
    With n = tp + fp, a segment is a hyperbola: precision - s is proportional to 1/n (s: share of
    positives in the segment) and recall is linear in n. A hyperbola XY = K looks the same after
    X → ρX, Y → Y/ρ; so steps of equal ratio ρ = eʰ in n serve all its parts equally well. A chord
    is then at most √(2K)·(cosh(h/2) - 1) away, and K follows from the sides of the segment's box
    and H = ln(n₁/n₀): their product is 4K·sinh²(H/2).
    """
    here = PRSpace(table)
    predicted = (table.tp + table.fp).astype(np.float64)
    # The empty rule has no place, and of equal rows one is enough.
    rows = np.flatnonzero(np.diff(predicted, prepend=0.0))
    x, y, n, tp = here.x[rows], here.y[rows], predicted[rows], table.tp[rows]
    wide, tall = np.diff(x) * width, np.abs(np.diff(y)) * height
    growth = np.log(n[1:] / n[:-1])
    steps = np.ones(growth.size, np.intp)
    # In a flat or narrow box the chord has no room to leave the curve.
    large = np.flatnonzero(np.minimum(wide, tall) > HALF_A_PIXEL)
    root = np.sqrt(wide[large] * tall[large]) / (2 * np.sinh(growth[large] / 2))
    step = 2 * np.arccosh(1 + HALF_A_PIXEL / (np.sqrt(2) * root))
    steps[large] = np.ceil(growth[large] / step).astype(np.intp)
    segment = np.repeat(np.arange(steps.size), steps)
    last = np.cumsum(steps)
    done = (np.arange(segment.size) - (last - steps)[segment] + 1) / steps[segment]
    numbers = n[:-1][segment] * np.exp(growth[segment] * done)
    share = (numbers - n[:-1][segment]) / np.diff(n)[segment]
    found = tp[:-1][segment] + share * np.diff(tp)[segment]
    xs, ys = found / table.positives, found / numbers
    # Rows are visited exactly.
    xs[last - 1], ys[last - 1] = x[1:], y[1:]
    # From the empty rule to the first row precision is constant.
    before = [0.0] if x[0] > 0 else []
    return np.concatenate([before, x[:1], xs]), np.concatenate([y[: len(before)], y[:1], ys])


MOST_VERTICES = 2000
"""A hull with more vertices is as smooth as a curve, and is drawn as exactly as one."""

SHORT = 2000
"""A table of so few rows is explored row by row."""

_LOWEST_GAIN = -0.1
"""Farther than a pixel from what is seen of PRG space; beyond it, distances do not count."""


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


def rows_to_explore(table: Table, *, width: int = 800) -> Indices:
    """Return the rows that draw a table in all spaces at once to within half a pixel.

    They are for a page on which the same row is seen everywhere. Every vertex of the hull is among
    them, however many there are, and so is the strictest row of highest precision, for either
    class: all that can be best for some β or cost. Where the table has rows at all, there is one
    every two pixels of ROC space, so that a reader can point at it. Tables of up to `SHORT` rows
    keep them all.

    Parameters
    ----------
    table
        Nested rows, as scores, curves and hulls have them.
    width
        Pixels of every axis from 0 to 1; more than 10.

    Notes
    -----
    A row that is left out is compared with the point that has as many predicted positives on the
    straight way, in counts, between its kept neighbours. Segments with a row that is farther from
    that point than half a pixel in some space are cut there, until none is left (Ramer 1972,
    Douglas & Peucker 1973, with three distances in place of one).

    Examples
    --------
    >>> import numpy as np
    >>> import isometrics as iso
    >>> labels = np.arange(100_000) % 4 == 0
    >>> scores = np.random.default_rng(1).normal(1.5 * labels)
    >>> pts = iso.OperatingPoints.from_scores(labels, scores)
    >>> len(pts), len(rows_to_explore(pts.table)) < 2000
    (100001, True)
    """
    if table.size <= SHORT:
        return np.arange(table.size)
    corners = vertices(table.fp, table.tp)
    steps = np.floor((table.tp / table.positives + table.fp / table.negatives) * (width / 2))
    moves = np.flatnonzero(np.diff(steps))
    kept = np.unique(np.concatenate([[0, table.size - 1], _strictest(table), moves, corners]))
    while True:
        new = _farthest(table, kept, 0.5 / width)
        if new.size == 0:
            return kept
        kept = np.union1d(kept, new)


def _strictest(table: Table) -> Indices:
    """Return the strictest rows of highest precision, for the positives and for the negatives."""
    left = table.positives - table.tp, table.negatives - table.fp
    with np.errstate(invalid="ignore"):
        shares = table.tp / (table.tp + table.fp), left[1] / (left[0] + left[1])
    return np.array(
        [np.nanargmax(shares[0]), table.size - 1 - np.nanargmax(shares[1][::-1])], np.intp
    )


def _farthest(table: Table, kept: Indices, most: float) -> Indices:
    """Return the row of each segment that is farthest from the straight way, where too far."""
    tp, fp = table.tp.astype(np.float64), table.fp.astype(np.float64)
    lengths = np.diff(kept)
    start, stop = np.repeat(kept[:-1], lengths), np.repeat(kept[1:], lengths)
    predicted = tp + fp
    rows = np.arange(table.size - 1)
    run = predicted[stop] - predicted[start]
    # Equal rows have no way between them, and no distance.
    share = np.divide(
        predicted[rows] - predicted[start], run, out=np.zeros(rows.size), where=run > 0
    )
    straight = tp[start] + share * (tp[stop] - tp[start])
    distance = _distance(table, tp[rows], straight, predicted[rows])
    distance[kept[:-1]] = 0.0
    highest = np.maximum.reduceat(distance, kept[:-1])
    segment = np.repeat(np.arange(lengths.size), lengths)
    found = np.flatnonzero((distance > most) & (distance == highest[segment]))
    return found[np.diff(segment[found], prepend=-1) > 0]


def _distance(table: Table, tp: Floats, straight: Floats, predicted: Floats) -> Floats:
    """Return how far points with as many predicted positives are apart, in the space of most."""
    odds, positives = table.odds, table.positives
    miss = np.abs(tp - straight)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = [
            (
                np.maximum(1 - odds * ((positives - found) / found), _LOWEST_GAIN),
                np.maximum(1 - odds * ((predicted - found) / found), _LOWEST_GAIN),
            )
            for found in (tp, straight)
        ]
        apart = [
            np.hypot(miss / positives, miss / table.negatives),
            np.hypot(miss / positives, miss / predicted),
            np.hypot(gains[0][0] - gains[1][0], gains[0][1] - gains[1][1]),
        ]
    # The empty rule has no place in two of the spaces.
    return np.asarray(np.nan_to_num(np.fmax(np.fmax(apart[0], apart[1]), apart[2])))


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
