"""Lines to draw: isometrics of the spaces, and curves of tables as polylines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from isometrics._core.parameters import (
    check_beta,
    check_choice,
    check_cost,
    check_number,
    check_prevalence,
    check_size,
)
from isometrics._counting.confusion import f_weights
from isometrics._table.path import hull_rows
from isometrics._table.table import Kind
from isometrics.spaces import SPACES, PRSpace

if TYPE_CHECKING:
    from isometrics._core.arrays import Floats

    Coordinates: TypeAlias = tuple[Floats, Floats]
    from numpy.typing import NDArray

    from isometrics._table.table import Table

    Indices = NDArray[np.intp]


__all__ = [
    "accuracy_isoline",
    "f_gain_isoline",
    "f_isoline",
    "grid",
]

_ROUNDING = 1e-12
"""How far outside the unit square rounding may put a point that belongs on its border."""


def f_isoline(
    value: float, space: str, prevalence: float, *, beta: float = 1.0, size: int = 200
) -> Coordinates:
    """Return x and y of the points with an F_β, clipped exactly to the unit square.

    Parameters
    ----------
    value
        The F score, above 0 and at most 1.
    space
        ``"roc"``, ``"pr"`` or ``"prg"``.
    prevalence
        The share of positives. Lines of equal F in PR space do not depend on it.
    beta
        The weight of recall; 0 is precision itself, ``inf`` recall.
    size
        The number of points of a curve. Straight lines have two, which coincide if only a corner
        has that value, and none if no point of the square has it.

    Notes
    -----
    With λ = β²/(1+β²), 1/F = (1-λ)/precision + λ/recall; so the line is a hyperbola in PR space.
    In the others it is straight, in PRG space with slope -β².

    Examples
    --------
    >>> x, y = f_isoline(0.5, "pr", 0.2, size=3)
    >>> x.round(4), y.round(4)
    (array([0.3333, 0.4   , 1.    ]), array([1.    , 0.6667, 0.3333]))
    >>> f_isoline(0.5, "prg", 0.2)
    (array([0.5, 1. ]), array([1. , 0.5]))
    """
    value = check_number(value, "value", "above 0 and at most 1")
    share = check_prevalence(prevalence)
    recall_weight, precision_weight = f_weights(check_beta(beta))
    loss = _odds(share) * ((1 - value) / value)
    return _Line(recall_weight, precision_weight, loss).within(space, share, size)


def f_gain_isoline(
    value: float, space: str, prevalence: float, *, beta: float = 1.0, size: int = 200
) -> Coordinates:
    """Return the points with an F_β gain; see `f_isoline`.

    Notes
    -----
    precision gain + β²·recall gain = (1+β²)·FG (Flach & Kull 2015, Th. 2).

    Examples
    --------
    The minor diagonal of PRG space is the F₁ of the always-positive rule:

    >>> f_gain_isoline(0.5, "prg", 0.2)
    (array([0., 1.]), array([1., 0.]))
    """
    gain = check_number(value, "value", "a number up to 1")
    share = check_prevalence(prevalence)
    return _Line(*f_weights(check_beta(beta)), 1 - gain).within(space, share, size)


def accuracy_isoline(
    value: float, space: str, prevalence: float, *, cost: float = 0.5, size: int = 200
) -> Coordinates:
    """Return the points with an accuracy at a cost proportion of false positives.

    Parameters
    ----------
    value
        The accuracy, as `OperatingPoints.accuracy` defines it.
    space, prevalence, size
        As for `f_isoline`.
    cost
        The cost proportion of false positives; ½ is plain accuracy.

    Notes
    -----
    2(1-c)·π·tpr + 2c·(1-π)·(1-fpr), see `OperatingPoints.accuracy`. In PR space the line of an
    accuracy below that of the empty rule ends in the corner (0, 0).

    Examples
    --------
    >>> accuracy_isoline(0.75, "roc", 0.5)
    (array([0. , 0.5]), array([0.5, 1. ]))
    """
    accuracy = check_number(value, "value", "between 0 and 2")
    share = check_prevalence(prevalence)
    proportion = check_cost(cost)
    # The line a·tpr - b·fpr = d, divided by tpr, is linear in the losses: 1/tpr is
    # 1 + recall loss/odds, and fpr/tpr is the precision loss.
    a, b = 2 * (1 - proportion) * share, 2 * proportion * (1 - share)
    d = accuracy - b
    return _Line(d / _odds(share), b, a - d).within(space, share, size)


def grid(space_from: str, space_to: str, prevalence: float, *, steps: int = 20) -> Coordinates:
    """Return the points of a regular grid in one space, converted to another one.

    Where the points are dense, the first space shows more detail than the second (Flach & Kull
    2015, Fig. 3). Points outside the unit square of the second space are left out.

    Parameters
    ----------
    space_from, space_to
        ``"roc"``, ``"pr"`` or ``"prg"``.
    prevalence
        The share of positives.
    steps
        The number of steps from 0 to 1 along each axis.

    Examples
    --------
    >>> x, y = grid("prg", "roc", 0.5, steps=2)
    >>> x.size, float(y.min()), np.unique(y).round(4)
    (9, 0.5, array([0.5   , 0.6667, 1.    ]))
    """
    check_choice(space_from, "space_from", tuple(SPACES))
    check_choice(space_to, "space_to", tuple(SPACES))
    odds = _odds(check_prevalence(prevalence))
    ticks = np.linspace(0, 1, check_size(steps, "steps") + 1)
    x, y = (axis.ravel() for axis in np.meshgrid(ticks, ticks))
    with np.errstate(divide="ignore", invalid="ignore"):
        # To ROC space first, and from there to the second space.
        if space_from == "pr":
            x, y = odds * x * (1 - y) / y, x
        elif space_from == "prg":
            recall = odds / (odds + 1 - x)
            x, y = (1 - y) * recall, recall
        if space_to == "pr":
            x, y = y, y / (y + x / odds)
        elif space_to == "prg":
            x, y = 1 - odds * (1 - y) / y, 1 - x / y
        inside = (abs(x - 0.5) <= 0.5 + _ROUNDING) & (abs(y - 0.5) <= 0.5 + _ROUNDING)
    return np.clip(x[inside], 0, 1), np.clip(y[inside], 0, 1)


def _odds(prevalence: float) -> float:
    return prevalence / (1 - prevalence)


class _Line(NamedTuple):
    """The points with a·(1 - recall gain) + b·(1 - precision gain) = loss.

    a is the weight of recall and b that of precision.
    """

    a: float
    b: float
    loss: float

    def within(self, space: str, prevalence: float, size: int) -> Coordinates:
        """Return the section of the line in the unit square of a space."""
        check_choice(space, "space", tuple(SPACES))
        size = check_size(size)
        odds = _odds(prevalence)
        if space == "prg":
            # The losses of the points in the unit square are the unit square too.
            x, y = _straight(self.a, self.b, self.loss)
            return 1 - x[::-1], 1 - y[::-1]
        if space == "roc":
            # The losses are c·(1-tpr)/tpr and fpr/tpr; times tpr this is a line.
            missed = self.a * odds
            return _straight(self.b, -(missed + self.loss), -missed)
        # The losses are c·(1/recall - 1) and c·(1/precision - 1).
        excess = self.loss / odds
        if self.b == 0:
            return _straight(excess + self.a, 0.0, self.a)
        if self.a == 0:
            return _straight(0.0, excess + self.b, self.b)
        return _hyperbola(self.a, self.b, excess, size)


def _straight(a: float, b: float, c: float) -> Coordinates:
    """Return the ends of a·x + b·y = c in the unit square, the one with the smaller x first."""
    if abs(a) > abs(b):
        y, x = _straight(b, a, c)
        order = np.argsort(x, kind="stable")
        return x[order], y[order]
    if b == 0:
        return np.empty(0), np.empty(0)
    lo, hi = 0.0, 1.0
    bottom = top = np.nan
    if a != 0:
        bottom, top = c / a, (c - b) / a
        lo, hi = max(lo, min(bottom, top)), min(hi, max(bottom, top))
    x = np.array([lo, hi])
    with np.errstate(over="ignore"):
        y = (c - a * x) / b
    if lo > hi + _ROUNDING or (abs(y - 0.5) > 0.5 + _ROUNDING).any():
        return np.empty(0), np.empty(0)
    # An end on a border must lie there exactly, and rounding must not swap the ends.
    y = np.where(x == bottom, 0.0, np.where(x == top, 1.0, np.clip(y, 0, 1)))
    return np.sort(np.clip(x, 0, 1)), y


def _hyperbola(a: float, b: float, excess: float, size: int) -> Coordinates:
    """Return points of the unit square with a·(1/x - 1) + b·(1/y - 1) = excess, by rising x.

    Half of them are evenly spaced in x and half in y, so that flat and steep sections are both
    smooth.
    """
    y_at_1 = b / (b + excess) if b + excess > 0 else np.inf
    if a < 0:
        # Worse than the empty rule: precision rises from the corner (0, 0).
        start, end = (0.0, 0.0), (1.0, y_at_1)
    elif y_at_1 > 1 + _ROUNDING:
        return np.empty(0), np.empty(0)
    else:
        # If the line does not enter the square, it is the corner (1, 1).
        x_at_1 = min(a / (a + excess), 1.0) if a + excess > 0 else 1.0
        start, end = (x_at_1, 1.0), (1.0, min(y_at_1, 1.0))
    total = excess + a + b
    inner_x = np.linspace(start[0], end[0], size // 2 + 1)[1:-1]
    inner_y = np.linspace(start[1], end[1], size - size // 2 + 1)[1:-1]
    x = np.concatenate([inner_x, a * inner_y / (total * inner_y - b)])
    y = np.concatenate([b * inner_x / (total * inner_x - a), inner_y])
    order = np.argsort(x, kind="stable")
    ends = np.array([start, end]).T
    # Rounding must not move a point beyond the ends.
    inner = np.clip([x[order], y[order]], ends.min(axis=1)[:, None], ends.max(axis=1)[:, None])
    x, y = np.column_stack([ends[:, 0], inner, ends[:, 1]])
    return x, y


HALF_A_PIXEL = 0.5


MOST_VERTICES = 2000
"""A hull with more vertices is as smooth as a curve, and is thinned like one."""

SHORT = 2000
"""A table with at most this many rows is explored with all of them."""

_LOWEST_GAIN = -0.1
"""Farther than a pixel below the visible square of PRG space; distances beyond it do not matter."""


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
    The polyline visits every row of `rows_to_draw` except those without coordinates in the space:
    in PRG space a curve comes from -∞, and its polyline begins at `low`.

    Examples
    --------
    Between two distant points the curve of PR space is not a straight line:

    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_counts([9], [0], positives=433, negatives=56164)
    >>> x, y = trace(pts.table, "pr")
    >>> len(pts), x.size > 10
    (3, True)
    """
    thinned = table.take(rows_to_draw(table, space, width=width, low=low), Kind.CURVE)
    if space == "pr":
        return _pr_polyline(thinned, width, height)
    view = SPACES[space](thinned)
    if space == "roc":
        return view.x, view.y
    finite = thinned.tp > 0
    x, y = view.x[finite], view.y[finite]
    if x[0] <= low:
        return x, y
    return np.insert(x, 0, low), np.insert(y, 0, view.interpolate(low))


def _pr_polyline(table: Table, width: int, height: int) -> tuple[Floats, Floats]:
    """Split the segments of a PR curve until no chord is more than half a pixel off the curve.

    Notes
    -----
    With n = tp + fp, a segment is a hyperbola: precision - s is proportional to 1/n (s: share of
    positives in the segment) and recall is linear in n. A hyperbola XY = K looks the same after
    X → ρX, Y → Y/ρ; so steps of equal ratio ρ = eʰ in n suit all its sections equally well. A chord
    is then at most √(2K)·(cosh(h/2) - 1) away, and K follows from the sides of the segment's
    bounding box and H = ln(n₁/n₀): their product is 4K·sinh²(H/2).
    """
    view = PRSpace(table)
    predicted = (table.tp + table.fp).astype(np.float64)
    # The empty rule has no precision, and equal rows are visited once.
    rows = np.flatnonzero(np.diff(predicted, prepend=0.0))
    x, y, n, tp = view.x[rows], view.y[rows], predicted[rows], table.tp[rows]
    box_width, box_height = np.diff(x) * width, np.abs(np.diff(y)) * height
    log_ratio = np.log(n[1:] / n[:-1])
    n_steps = np.ones(log_ratio.size, np.intp)
    # In a bounding box of less than half a pixel the chord cannot be farther than that.
    large = np.flatnonzero(np.minimum(box_width, box_height) > HALF_A_PIXEL)
    root_k = np.sqrt(box_width[large] * box_height[large]) / (2 * np.sinh(log_ratio[large] / 2))
    step = 2 * np.arccosh(1 + HALF_A_PIXEL / (np.sqrt(2) * root_k))
    n_steps[large] = np.ceil(log_ratio[large] / step).astype(np.intp)
    segment = np.repeat(np.arange(n_steps.size), n_steps)
    stop = np.cumsum(n_steps)
    step_share = (np.arange(segment.size) - (stop - n_steps)[segment] + 1) / n_steps[segment]
    point_n = n[:-1][segment] * np.exp(log_ratio[segment] * step_share)
    share = (point_n - n[:-1][segment]) / np.diff(n)[segment]
    point_tp = tp[:-1][segment] + share * np.diff(tp)[segment]
    xs, ys = point_tp / table.positives, point_tp / point_n
    # The rows themselves are visited exactly.
    xs[stop - 1], ys[stop - 1] = x[1:], y[1:]
    # From the empty rule to the first row precision is constant.
    before = [0.0] if x[0] > 0 else []
    return np.concatenate([before, x[:1], xs]), np.concatenate([y[: len(before)], y[:1], ys])


def rows_to_draw(table: Table, space: str, *, width: int = 800, low: float = 0.0) -> Indices:
    """Return the rows that are needed to draw the curve of a table to within half a pixel.

    The first and the last row and the vertices of the hull are among them; a hull with more than
    `MOST_VERTICES` is only drawn to within half a pixel, too. Of each half pixel there are four
    rows at most besides. All rows of a short table are returned.

    Parameters
    ----------
    table
        Nested rows, as scores, curves and hulls have them.
    space
        ``"roc"``, ``"pr"`` or ``"prg"``.
    width
        Pixels of the x axis from `low` to 1.
    low
        The lowest x that is shown. Of the rows below it only those are returned that the visible
        section needs.

    Examples
    --------
    >>> import numpy as np
    >>> import isometrics as iso
    >>> labels = np.random.default_rng(1).random(100_000) < 0.3
    >>> pts = iso.OperatingPoints.from_scores(labels, np.arange(100_000.0))
    >>> len(pts), len(rows_to_draw(pts.table, "roc")) < 9000
    (100001, True)
    """
    columns = 2 * width
    if table.size <= 4 * (columns + 2):
        return np.arange(table.size)
    view = SPACES[space](table)
    column = np.clip(np.floor((view.x - low) * (columns / (1 - low))), -1, columns)
    starts = np.flatnonzero(np.diff(column, prepend=-2))
    # The y of the empty rule is NaN in some spaces; the extremes of its column ignore it.
    rows = [starts, np.append(starts[1:], table.size) - 1, *_extremes(view.y, starts)]
    corners = hull_rows(table)
    if corners.size <= MOST_VERTICES:
        rows.append(corners)
    return np.unique(np.concatenate(rows))


def _extremes(y: Floats, starts: Indices) -> tuple[Indices, Indices]:
    """Return the first row with the lowest and the first with the highest y of each column."""
    column = np.zeros(y.size, np.intp)
    column[starts[1:]] = 1
    np.cumsum(column, out=column)

    def first_of_column(is_extreme: NDArray[np.bool_]) -> Indices:
        rows = np.flatnonzero(is_extreme)
        return rows[np.diff(column[rows], prepend=-1) > 0]

    lowest, highest = np.fmin.reduceat(y, starts), np.fmax.reduceat(y, starts)
    return first_of_column(y == lowest[column]), first_of_column(y == highest[column])


def rows_to_explore(table: Table, *, width: int = 800) -> Indices:
    """Return the rows that are needed to draw a table in all spaces to within half a pixel.

    They are for a page that shows the same rows in every space. All vertices of the hull are among
    them, and for either class the strictest row of highest precision: every row that can be best
    for some β or cost. Where the table has rows, one is returned for every two pixels of ROC
    space, so that a reader can point at it. All rows of a table with at most `SHORT` are returned.

    Parameters
    ----------
    table
        Nested rows, as scores, curves and hulls have them.
    width
        Pixels of every axis from 0 to 1; more than 10.

    Notes
    -----
    A row that is left out is compared with the point of as many predicted positives on the straight
    line, in counts, between its selected neighbours. Where a row is more than half a pixel from
    that point in some space, the farthest row of the segment is selected too, until there is none
    (Ramer 1972, Douglas & Peucker 1973, with three distances in place of one).

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
    corners = hull_rows(table)
    # Rows at which the sum of both rates passes a multiple of two pixels.
    two_pixels = np.floor((table.tp / table.positives + table.fp / table.negatives) * (width / 2))
    passing = np.flatnonzero(np.diff(two_pixels))
    # The strictest rows of highest precision, for the positives and for the negatives.
    fn, tn = table.positives - table.tp, table.negatives - table.fp
    with np.errstate(invalid="ignore"):
        precision, negative_precision = table.tp / (table.tp + table.fp), tn / (fn + tn)
    last = table.size - 1
    strictest = [np.nanargmax(precision), last - np.nanargmax(negative_precision[::-1])]
    rows = np.unique(np.concatenate([[0, last], strictest, passing, corners]))
    while True:
        farthest = _farthest(table, rows, 0.5 / width)
        if farthest.size == 0:
            return rows
        rows = np.union1d(rows, farthest)


def _farthest(table: Table, selected: Indices, tolerance: float) -> Indices:
    """Return the row of each segment that is farthest from its chord, where beyond the tolerance.

    A segment lies between two neighbours among the selected rows.
    """
    tp, fp = table.tp.astype(np.float64), table.fp.astype(np.float64)
    lengths = np.diff(selected)
    start, stop = np.repeat(selected[:-1], lengths), np.repeat(selected[1:], lengths)
    predicted = tp + fp
    rows = np.arange(table.size - 1)
    run = predicted[stop] - predicted[start]
    # A segment between equal rows has no length; all its rows are equal.
    share = np.divide(
        predicted[rows] - predicted[start], run, out=np.zeros(rows.size), where=run > 0
    )
    chord_tp = tp[start] + share * (tp[stop] - tp[start])
    distance = _distance(table, tp[rows], chord_tp, predicted[rows])
    distance[selected[:-1]] = 0.0
    largest = np.maximum.reduceat(distance, selected[:-1])
    segment = np.repeat(np.arange(lengths.size), lengths)
    farthest = np.flatnonzero((distance > tolerance) & (distance == largest[segment]))
    return farthest[np.diff(segment[farthest], prepend=-1) > 0]


def _distance(table: Table, tp: Floats, chord_tp: Floats, predicted: Floats) -> Floats:
    """Return the largest distance, over all spaces, of points with as many predicted positives."""
    odds, positives = table.odds, table.positives
    difference = np.abs(tp - chord_tp)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = [
            (
                np.maximum(1 - odds * ((positives - count) / count), _LOWEST_GAIN),
                np.maximum(1 - odds * ((predicted - count) / count), _LOWEST_GAIN),
            )
            for count in (tp, chord_tp)
        ]
        roc = np.hypot(difference / positives, difference / table.negatives)
        pr = np.hypot(difference / positives, difference / predicted)
        prg = np.hypot(gains[0][0] - gains[1][0], gains[0][1] - gains[1][1])
    # The empty rule has no coordinates in PR and PRG space.
    return np.asarray(np.nan_to_num(np.fmax(np.fmax(roc, pr), prg)))
