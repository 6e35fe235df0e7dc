"""How much each row moves an area: its derivative by the weights of the cells, in one pass.

The derivatives are the empirical influence values of the infinitesimal jackknife (Efron 1982,
chapter 6). Their squares add up to the variance of an area, and their cubes give the acceleration
of a BCa interval. For AUROC they are the structural components of DeLong et al. (1988).
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics.uncertainty.resampling import Cells

_SHORT, _NODES = 0.01, (3, 12)
"""Quadratures of 3 points for short segments, 12 for others; both are exact to 1e-13."""


class Influence(NamedTuple):
    """The derivative of one area by the weight of a row, for the rows of each cell."""

    positive: Floats
    negative: Floats


class _Segments(NamedTuple):
    """The way of the curve over each positive cell: from (x, y) on by (rise, run)."""

    x: Floats
    rise: Floats
    y: Floats
    run: Floats

    @property
    def x_end(self) -> Floats:
        return self.x + self.rise

    @property
    def y_end(self) -> Floats:
        return self.y + self.run


class _Partials(NamedTuple):
    """Derivatives of a sum over segments by their parts, and by the totals P and N."""

    x: Floats
    rise: Floats
    y: Floats
    run: Floats
    total: float
    others: float


def influence_of(
    name: str, cells: Cells, positive: Floats, negative: Floats, ratio: float = 0.0
) -> Influence:
    """Return the influence of the rows of each cell on an area that the kernels compute.

    Parameters
    ----------
    name
        One of `isometrics._counting.draws.AREAS`.
    cells, positive, negative
        The cells and their weights.
    ratio
        Above 0: the negatives are scaled to so many for each positive, as for another prevalence.
    """
    total, others = float(positive.sum()), float(negative.sum())
    scale = total * ratio / others if ratio > 0 else 1.0
    fp = np.concatenate([[0.0], np.cumsum(negative)]) * scale
    y, y_end = fp[cells.before], fp[cells.through]
    way = _Segments(np.cumsum(positive) - positive, positive, y, y_end - y)
    partials = _PARTIALS[name](way, total, others * scale)
    by_positive = partials.rise + _later(partials.x) + partials.total
    by_negative = _by_negative(partials, cells) + partials.others
    if ratio > 0:
        # The scale itself moves with both totals.
        moved = float(by_negative @ negative) * scale
        by_positive = by_positive + moved / total
        by_negative = by_negative * scale - moved / others
    return Influence(by_positive, by_negative)


def _by_negative(partials: _Partials, cells: Cells) -> Floats:
    """Add up what a negative does to the cells below it and to the cell it is tied with."""
    gathered = np.zeros(cells.negative.size + 1)
    np.add.at(gathered, cells.before, partials.y)
    # A negative cell j stands before the positive cells whose `before` exceeds j.
    below = np.cumsum(gathered[::-1])[::-1][1:]
    tied = np.flatnonzero(cells.through > cells.before)
    below[cells.before[tied]] += partials.run[tied]
    return np.asarray(below)


def _later(values: Floats) -> Floats:
    """Return for each value the sum of those behind it."""
    return np.append(np.cumsum(values[:0:-1])[::-1], 0.0)


# ---------------------------------------------------------------------- the areas


def _roc(way: _Segments, total: float, others: float) -> _Partials:
    """Differentiate Σ rise·(N - y - run/2)/(P·N)."""
    kept = others - way.y - way.run / 2
    area = float(way.rise @ kept) / (total * others)
    product = total * others
    return _Partials(
        np.zeros(way.x.size),
        kept / product,
        -way.rise / product,
        -way.rise / 2 / product,
        -area / total,
        (1 - area) / others,
    )


def _average_precision(way: _Segments, total: float, _: float) -> _Partials:
    predicted = way.x_end + way.y_end
    precision = way.x_end / predicted
    rising = way.rise * way.y_end / predicted**2
    falling = -way.rise * way.x_end / predicted**2
    area = float(way.rise @ precision) / total
    height = precision + rising
    parts = (rising / total, height / total, falling / total, falling / total)
    return _Partials(*parts, -area / total, 0.0)


def _pr(way: _Segments, total: float, _: float) -> _Partials:
    """Differentiate the area under tp/(tp+fp) below the integral.

    Along a segment, tp/(tp+fp) changes by fp/(tp+fp)² with tp and by -tp/(tp+fp)² with fp.
    Where counts grow by less than their sum, the integrals are smooth and taken at the nodes of
    Gauss and Legendre, to 1e-13; the few others, at the top of the ranking, in closed form.
    """
    parts = np.empty((5, way.x.size))
    step, before = way.rise + way.run, way.x + way.y
    short, smooth = step < _SHORT * before, step < before
    few, many = (partial(_by_nodes, nodes=nodes) for nodes in _NODES)
    for rows, integrals in ((short, few), (smooth & ~short, many), (~smooth, _closed)):
        parts[:, rows] = integrals(_Segments(*(part[rows] for part in way)))
    height, plain_y, late_y, plain_x, late_x = parts
    area = float(way.rise @ height) / total
    return _Partials(
        way.rise * plain_y / total,
        (height + way.rise * late_y) / total,
        -way.rise * plain_x / total,
        -way.rise * late_x / total,
        -area / total,
        0.0,
    )


def _by_nodes(way: _Segments, nodes: int) -> Floats:
    """Integrate over u in [0, 1]: tp/n, fp/n², u·fp/n², tp/n² and u·tp/n², n = tp + fp."""
    sums = np.zeros((5, way.x.size))
    places, lengths = np.polynomial.legendre.leggauss(nodes)
    for node, length in zip(places.tolist(), lengths.tolist(), strict=True):
        u, du = (node + 1) / 2, length / 2
        tp, fp = way.x + u * way.rise, way.y + u * way.run
        predicted = tp + fp
        by_fp, by_tp = fp / predicted**2, tp / predicted**2
        for row, value in enumerate((tp / predicted, by_fp, u * by_fp, by_tp, u * by_tp)):
            sums[row] += du * value
    return sums


def _closed(way: _Segments) -> Floats:
    """Take the same integrals with logarithms, which are exact for long segments."""
    begin, step = way.x + way.y, way.rise + way.run
    first = begin == 0
    start = np.where(first, 1.0, begin)
    growth = np.log1p(step / start)
    # Integrals of 1/n, 1/n², u/n² and u²/n².
    inverse = growth / step
    square = 1 / (start * (start + step))
    late = (inverse - 1 / (start + step)) / step
    latest = (1 - 2 * start * inverse + start / (start + step)) / step**2
    height = (way.rise + (way.x * step - way.rise * start) * inverse) / step
    sums = np.array(
        [
            height,
            way.y * square + way.run * late,
            way.y * late + way.run * latest,
            way.x * square + way.rise * late,
            way.x * late + way.rise * latest,
        ]
    )
    # From the empty rule both counts grow with u, so u cancels; nothing lies before it that could
    # move its start.
    at = np.flatnonzero(first)
    rise, run, whole = way.rise[at], way.run[at], step[at]
    none = np.zeros(at.size)
    sums[:, at] = np.array([rise / whole, none, run / whole**2, none, rise / whole**2])
    return sums


def _prg(way: _Segments, total: float, others: float) -> _Partials:
    """Differentiate the area from recall gain 0 on; see `_prg_from`.

    Where recall gain is 0 exactly at a row, the area has a kink there, since more rows come in on
    one side than on the other; the mean of both sides stands for it.
    """
    crossing = total * total / (total + others)
    if not (np.abs(way.x_end - crossing) <= 1e-12 * crossing).any():
        return _prg_from(way, total, others, crossing)
    left, right = (_prg_from(way, total, others, crossing * side) for side in (1 - 1e-9, 1 + 1e-9))
    return _Partials(
        (left.x + right.x) / 2,
        (left.rise + right.rise) / 2,
        (left.y + right.y) / 2,
        (left.run + right.run) / 2,
        (left.total + right.total) / 2,
        (left.others + right.others) / 2,
    )


def _prg_from(way: _Segments, total: float, others: float, crossing: float) -> _Partials:
    """Differentiate 1 - P³/(2N²) · Σ (1/begin - 1/end)·(fp/tp at begin + fp/tp at end)."""
    inside = way.x_end > crossing
    cut = inside & (way.x < crossing)
    begin = np.where(cut, crossing, np.where(inside, way.x, 1.0))
    share = np.where(cut, (crossing - way.x) / way.rise, 0.0)
    y_begin = way.y + share * way.run
    end, y_end = way.x_end, way.y_end
    width, height = 1 / begin - 1 / end, y_begin / begin + y_end / end
    lost = float((width * height)[inside].sum())
    by_begin = -(height + width * y_begin) / begin**2
    by_end = (height - width * y_end) / end**2
    by_y_begin, by_y_end = width / begin, width / end
    slope = np.where(cut, by_y_begin * way.run / way.rise, 0.0)
    by_crossing = float((by_begin + slope)[cut].sum())
    factor = total**3 / (2 * others**2)
    sample = total + others
    within = np.where(inside, -factor, 0.0)
    return _Partials(
        within * (by_end + np.where(cut, -slope, by_begin)),
        within * (by_end - share * slope),
        within * (by_y_begin + by_y_end),
        within * (by_y_end + share * by_y_begin),
        -3 * factor / total * lost
        - factor * by_crossing * total * (total + 2 * others) / sample**2,
        2 * factor / others * lost + factor * by_crossing * (total / sample) ** 2,
    )


_PARTIALS: dict[str, Callable[[_Segments, float, float], _Partials]] = {
    "auroc": _roc,
    "aupr": _pr,
    "average_precision": _average_precision,
    "auprg": _prg,
}


# ---------------------------------------------------------------------- from influence to shape


class Shape(NamedTuple):
    """What the influence of all units says about an estimate.

    Attributes
    ----------
    standard_error
        Its spread.
    acceleration
        Its asymmetry: how the spread changes with the value.
    freedom
        How well the spread itself is known, as the degrees of freedom of Student's distribution.
        Few where few units have most of the influence.
    """

    standard_error: float
    acceleration: float
    freedom: float

    @classmethod
    def of_centred(cls, influence: Floats, times: Floats) -> Shape:
        """Return the shape from centred influence, each value of which occurs so many times.

        A variance that is a sum of squares has the relative variance Σl⁴/(Σl²)² - 1/n, and one of
        f degrees of freedom has 2/f (Satterthwaite 1946).
        """
        square = influence * influence
        squares, cubes = float(square @ times), float((square * influence) @ times)
        fourths = float((square * square) @ times)
        if squares == 0:
            return cls(0.0, 0.0, math.inf)
        doubt = fourths / squares**2 - 1 / float(times.sum())
        # A single pair of equal and opposite influences would claim to know the spread exactly.
        freedom = 2 / max(doubt, 2 / float(times.sum()))
        return cls(math.sqrt(squares), cubes / (6 * squares**1.5), freedom)


def shape_of(influence: Floats, counts: NDArray[np.int64], strata: list[slice]) -> Shape:
    """Return the spread and the acceleration from the influence of `counts` equal units each.

    Influence is centred in each stratum, which keeps its total; the acceleration of several
    samples is that of all their influence values together (Davison & Hinkley 1997, section 5.3).
    """
    centred = np.empty(influence.size)
    for part in strata:
        centred[part] = influence[part] - (influence[part] @ counts[part]) / counts[part].sum()
    return Shape.of_centred(centred, counts.astype(np.float64))
