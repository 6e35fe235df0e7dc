"""The influence of each row on an area: the derivative by the weights of the cells, in one pass.

The derivatives are the empirical influence values of the infinitesimal jackknife (Efron 1982,
chapter 6). The variance of an area is the sum of their squares, and the acceleration of a BCa
interval follows from their cubes. For AUROC they are the structural components of DeLong et al.
(1988).
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics._counting.replicates import PLAIN
from isometrics._counting.segments import TINY, area_below, bend, log_rates
from isometrics.measures import kernel_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics.measures import Measure
    from isometrics.uncertainty.resampling import Cells, Evaluate, Resampling

_NODES = 12
"""So many nodes make the quadrature exact to 1e-13."""


class _Segments(NamedTuple):
    """The segment of the curve for each positive cell: from (x, y) to (x + rise, y + run)."""

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
    """Derivatives of a sum over segments by their coordinates, and by the totals P and N."""

    x: Floats
    rise: Floats
    y: Floats
    run: Floats
    positives: float
    negatives: float


def influence_of(
    name: str, cells: Cells, positive: Floats, negative: Floats, ratio: float = 0.0
) -> Floats:
    """Return the derivative of an area by the weight of a row, for each cell.

    Parameters
    ----------
    name
        One of `isometrics._counting.replicates.AREAS`.
    cells, positive, negative
        The cells and their weights.
    ratio
        Above 0: the negatives are scaled to this many for each positive, for another prevalence.
    """
    positives, negatives = float(positive.sum()), float(negative.sum())
    scale = positives * ratio / negatives if ratio > 0 else 1.0
    fp = np.concatenate([[0.0], np.cumsum(negative)]) * scale
    y, y_end = fp[cells.before], fp[cells.through]
    segments = _Segments(np.cumsum(positive) - positive, positive, y, y_end - y)
    partials = _PARTIALS[name](segments, positives, negatives * scale)
    # A positive moves the starts of all segments after its own.
    later = np.append(np.cumsum(partials.x[:0:-1])[::-1], 0.0)
    by_positive = partials.rise + later + partials.positives
    by_negative = _by_negative(partials, cells) + partials.negatives
    if ratio > 0:
        # The scale depends on both totals.
        by_log_scale = float(by_negative @ negative) * scale
        by_positive = by_positive + by_log_scale / positives
        by_negative = by_negative * scale - by_log_scale / negatives
    return np.concatenate([by_positive, by_negative])


def _by_negative(partials: _Partials, cells: Cells) -> Floats:
    """Add up the effect of a negative on the cells below it and on the cell it is tied with."""
    by_start = np.zeros(cells.negative.size + 1)
    np.add.at(by_start, cells.before, partials.y)
    # A negative cell j precedes the positive cells whose `before` exceeds j.
    result = np.cumsum(by_start[::-1])[::-1][1:]
    tied = np.flatnonzero(cells.through > cells.before)
    result[cells.before[tied]] += partials.run[tied]
    return np.asarray(result)


# ---------------------------------------------------------------------- the areas


def _roc(segments: _Segments, positives: float, negatives: float) -> _Partials:
    """Differentiate Σ rise·(N - y - run/2)/(P·N)."""
    rise, product = segments.rise, positives * negatives
    negatives_below = negatives - segments.y - segments.run / 2
    area = float(rise @ negatives_below) / product
    return _Partials(
        np.zeros(segments.x.size),
        negatives_below / product,
        -rise / product,
        -rise / 2 / product,
        -area / positives,
        (1 - area) / negatives,
    )


def _average_precision(segments: _Segments, positives: float, _: float) -> _Partials:
    """Differentiate Σ rise·x_end/(x_end + y_end)/P."""
    rise, x_end, y_end = segments.rise, segments.x_end, segments.y_end
    predicted = x_end + y_end
    precision = x_end / predicted
    by_tp = rise * y_end / predicted**2
    by_fp = -rise * x_end / predicted**2
    area = float(rise @ precision) / positives
    return _Partials(
        by_tp / positives,
        (precision + by_tp) / positives,
        by_fp / positives,
        by_fp / positives,
        -area / positives,
        0.0,
    )


def _pr(segments: _Segments, positives: float, _: float) -> _Partials:
    """Differentiate the area under tp/(tp+fp) inside the integral.

    Along a segment, the derivative of tp/(tp+fp) is fp/(tp+fp)² by tp and -tp/(tp+fp)² by fp.
    Where counts grow by less than their sum, the integrals are smooth and computed by
    Gauss-Legendre quadrature, to 1e-13; the few others, at the top of the ranking, in closed form.
    """
    x, rise, y, run = segments
    step, predicted = rise + run, x + y
    # The rate of a segment from the empty rule does not matter: its bend is 0.
    rates = log_rates(np.maximum(predicted, TINY), step)
    areas = area_below(rise, step, bend(x, y, rise, run, rates))
    height, area = areas / rise, float(areas.sum()) / positives
    integrals = np.empty((4, x.size))
    smooth = step < predicted
    for rows, integrate in ((smooth, _by_quadrature), (~smooth, _in_closed_form)):
        integrals[:, rows] = integrate(
            _Segments(*(column[rows] for column in segments)), rates[rows]
        )
    fp_integral, u_fp_integral, tp_integral, u_tp_integral = integrals
    return _Partials(
        rise * fp_integral / positives,
        (height + rise * u_fp_integral) / positives,
        -rise * tp_integral / positives,
        -rise * u_tp_integral / positives,
        -area / positives,
        0.0,
    )


def _by_quadrature(segments: _Segments, _: Floats) -> Floats:
    """Integrate over u in [0, 1]: fp/n², u·fp/n², tp/n² and u·tp/n², n = tp + fp."""
    integrals = np.zeros((4, segments.x.size))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    for node, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
        u, du = (node + 1) / 2, weight / 2
        tp, fp = segments.x + u * segments.rise, segments.y + u * segments.run
        predicted = tp + fp
        by_fp, by_tp = fp / predicted**2, tp / predicted**2
        for row, value in enumerate((by_fp, u * by_fp, by_tp, u * by_tp)):
            integrals[row] += du * value
    return integrals


def _in_closed_form(segments: _Segments, rates: Floats) -> Floats:
    """Compute the same integrals from that of 1/n, the rate; accurate for long segments."""
    x, rise, y, run = segments
    begin, step = x + y, rise + run
    from_zero = begin == 0
    start = np.where(from_zero, 1.0, begin)
    # Integrals of 1/n², u/n² and u²/n².
    inverse_square = 1 / (start * (start + step))
    u_integral = (rates - 1 / (start + step)) / step
    u_square_integral = (1 - 2 * start * rates + start / (start + step)) / step**2
    integrals = np.array(
        [
            y * inverse_square + run * u_integral,
            y * u_integral + run * u_square_integral,
            x * inverse_square + rise * u_integral,
            x * u_integral + rise * u_square_integral,
        ]
    )
    # From the empty rule both counts are proportional to u, which cancels; no row precedes it that
    # could move its start.
    rows = np.flatnonzero(from_zero)
    zeros, length = np.zeros(rows.size), step[rows]
    integrals[:, rows] = np.array([zeros, run[rows] / length**2, zeros, rise[rows] / length**2])
    return integrals


def _prg(segments: _Segments, positives: float, negatives: float) -> _Partials:
    """Differentiate the area from recall gain 0 on; see `_prg_from`.

    If recall gain is 0 exactly at a row, the derivatives on both sides differ, because another
    segment enters the range; their mean is returned.
    """
    crossing = positives * positives / (positives + negatives)
    if not (np.abs(segments.x_end - crossing) <= 1e-12 * crossing).any():
        return _prg_from(segments, positives, negatives, crossing)
    sides = (
        _prg_from(segments, positives, negatives, crossing * side) for side in (1 - 1e-9, 1 + 1e-9)
    )
    return _Partials(*((left + right) / 2 for left, right in zip(*sides, strict=True)))


def _prg_from(
    segments: _Segments, positives: float, negatives: float, crossing: float
) -> _Partials:
    """Differentiate 1 - P³/(2N²) · Σ (1/begin - 1/end)·(fp/tp at begin + fp/tp at end)."""
    x, rise, run = segments.x, segments.rise, segments.run
    end, y_end = segments.x_end, segments.y_end
    in_range = end > crossing
    crosses = in_range & (x < crossing)
    begin = np.where(crosses, crossing, np.where(in_range, x, 1.0))
    share = np.where(crosses, (crossing - x) / rise, 0.0)
    y_begin = segments.y + share * run
    width, height = 1 / begin - 1 / end, y_begin / begin + y_end / end
    lost = float((width * height)[in_range].sum())
    by_begin = -(height + width * y_begin) / begin**2
    by_end = (height - width * y_end) / end**2
    by_y_begin, by_y_end = width / begin, width / end
    slope = np.where(crosses, by_y_begin * run / rise, 0.0)
    by_crossing = float((by_begin + slope)[crosses].sum())
    factor = positives**3 / (2 * negatives**2)
    total = positives + negatives
    sign = np.where(in_range, -factor, 0.0)
    return _Partials(
        sign * (by_end + np.where(crosses, -slope, by_begin)),
        sign * (by_end - share * slope),
        sign * (by_y_begin + by_y_end),
        sign * (by_y_end + share * by_y_begin),
        -3 * factor / positives * lost
        - factor * by_crossing * positives * (positives + 2 * negatives) / total**2,
        2 * factor / negatives * lost + factor * by_crossing * (positives / total) ** 2,
    )


_PARTIALS: dict[str, Callable[[_Segments, float, float], _Partials]] = {
    "auroc": _roc,
    "aupr": _pr,
    "average_precision": _average_precision,
    "auprg": _prg,
}


# ---------------------------------------------------------------------- from influence to shape


class Shape(NamedTuple):
    """Properties of an estimate's distribution that follow from the influence of all units.

    Attributes
    ----------
    acceleration
        The asymmetry: how the standard error changes with the value.
    freedom
        The degrees of freedom of Student's distribution, which express how precisely the standard
        error is estimated; few if few units have most of the influence.
    """

    acceleration: float
    freedom: float

    @classmethod
    def of_centred(cls, influence: Floats, times: Floats) -> Shape:
        """Return the shape from centred influence values that occur `times` times each.

        A variance that is a sum of squares has the relative variance Σl⁴/(Σl²)² - 1/n, and one of
        f degrees of freedom has 2/f (Satterthwaite 1946).
        """
        square = influence * influence
        squares, cubes = float(square @ times), float((square * influence) @ times)
        fourths = float((square * square) @ times)
        if squares == 0:
            return cls(0.0, math.inf)
        relative_variance = fourths / squares**2 - 1 / float(times.sum())
        # For a single pair of equal and opposite influences it would be 0.
        freedom = 2 / max(relative_variance, 2 / float(times.sum()))
        return cls(cubes / (6 * squares**1.5), freedom)


def shape_of(influence: Floats, counts: NDArray[np.int64], strata: list[slice]) -> Shape:
    """Return the shape from influence values, each of which `counts` equal units have.

    Influence is centred in each stratum, whose total is fixed; the acceleration of several samples
    is that of all their influence values together (Davison & Hinkley 1997, section 5.3).
    """
    centred = np.empty(influence.size)
    for stratum in strata:
        mean = (influence[stratum] @ counts[stratum]) / counts[stratum].sum()
        centred[stratum] = influence[stratum] - mean
    return Shape.of_centred(centred, counts.astype(np.float64))


GROUPS = 200


def combine(weights: Floats, values: Floats) -> Floats:
    """Return the sum of rows under weights; a row of weight 0 may be undefined."""
    used = np.flatnonzero(weights)
    return np.asarray(weights[used] @ values[used])


def shapes_of(
    sample: Resampling,
    combinations: Floats,
    measures: Sequence[Measure],
    evaluate: Evaluate,
    seed: np.random.SeedSequence,
) -> Floats:
    """Return acceleration and degrees of freedom, along the last axis.

    They are by combination of models, such as a difference, and by measure; `evaluate` computes
    the measures of weights.
    """
    shapes = np.zeros((len(combinations), len(measures), 2))
    models = len(sample.cells)
    left_out = None
    for column, measure in enumerate(measures):
        kernel = kernel_of(measure)
        if kernel is not None:
            effects = np.array([unit_influence(sample, model, kernel) for model in range(models)])
            shape = partial(shape_of, counts=sample.counts, strata=sample.strata)
        else:
            if left_out is None:
                left_out = _left_out(sample, evaluate, (models, len(measures)), seed)
            added, times = left_out
            effects, shape = added[:, :, column].T, partial(Shape.of_centred, times=times)
        shapes[:, column] = [shape(combine(weights, effects)) for weights in combinations]
    return shapes


def unit_influence(sample: Resampling, model: int, area: str) -> Floats:
    """Return how much one more of each unit moves an area."""
    cells = sample.cells[model]
    weights = (cells.positive.astype(np.float64), cells.negative.astype(np.float64))
    by_cell = influence_of(area, cells, *weights, ratio=sample.ratio)
    if sample.rows is None:
        return by_cell
    unit, weight, cell_of_row = sample.rows
    by_row = by_cell[cell_of_row[model]]
    if weight is not None:
        by_row = by_row * weight
    return np.asarray(np.bincount(unit, by_row, minlength=sample.counts.size), np.float64)


# ---------------------------------------------------------------------- any measure


def _left_out(
    sample: Resampling,
    evaluate: Evaluate,
    shape: tuple[int, int],
    seed: np.random.SeedSequence,
) -> tuple[Floats, Floats]:
    """Return what each part of the sample adds to each measure of each model, and how often.

    What a part adds is centred on what a part of its size should add, since a stratum keeps its
    total.
    """
    random = np.random.default_rng(seed)
    whole = sample.counts.astype(np.float64)
    buffers = sample.buffers(1)
    estimate = evaluate(PLAIN, sample.gathered(PLAIN, whole[None], buffers))[0]
    centred, times = [], []
    for part in sample.strata:
        sizes, added = [], []
        for taken, repeated in _parts(sample.counts[part], random):
            drawn = whole.copy()
            drawn[part] -= taken
            weights = sample.gathered(PLAIN, drawn[None], buffers)
            added.append(estimate - evaluate(PLAIN, weights)[0])
            sizes.append(float(taken.sum()))
            times.append(float(repeated))
        values, size = np.array(added), np.array(sizes)
        weight = np.array(times[-size.size :])
        defined = ~np.isnan(values)
        centre = np.nansum(values * weight[:, None], axis=0) / np.maximum(
            (weight * size) @ defined, 1
        )
        centred.append(np.where(defined, values - np.outer(size, centre), 0))
    return np.concatenate(centred).reshape(-1, *shape), np.array(times)


def _parts(
    counts: NDArray[np.int64], random: np.random.Generator
) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Yield rows to leave out, and how often: one of each unit, or random groups of many units."""
    if counts.size <= GROUPS:
        for unit, count in enumerate(counts.tolist()):
            taken = np.zeros(counts.size, np.int64)
            taken[unit] = 1
            yield taken, count
        return
    left = counts.copy()
    for group in range(GROUPS, 0, -1):
        rows = int(left.sum())
        # NumPy deals out equal groups of up to 1e9 rows; beyond, equal but for chance.
        taken = (
            random.multivariate_hypergeometric(left, rows // group, method="marginals")
            if rows < 1_000_000_000
            else random.binomial(left, 1 / group)
        )
        left -= taken
        yield taken, 1
