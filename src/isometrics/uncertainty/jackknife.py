"""The shape of estimates, from leaving rows out: what a BCa interval needs to know.

Areas that the kernels compute have their influence in closed form. Any other measure is computed
again without each unit, or without 200 random groups of rows where units are more.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics._counting.replicates import PLAIN
from isometrics.measures import kernel_of
from isometrics.uncertainty.influence import Shape, influence_of, shape_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics.measures import Measure
    from isometrics.uncertainty.resampling import Evaluate, Resampling

GROUPS = 200


class Shapes(NamedTuple):
    """Acceleration and degrees of freedom, along the last axis.

    `single` is by model and measure, `pairs` by two models, whose difference it is, and measure;
    `mean` is that of the mean over all models, by measure.
    """

    single: Floats
    pairs: Floats
    mean: Floats


def shapes_of(
    sample: Resampling,
    measures: Sequence[Measure],
    evaluate: Evaluate,
    seed: np.random.SeedSequence,
) -> Shapes:
    """Return the shapes of all estimates; `evaluate` computes the measures of weights."""
    models = len(sample.base)
    single = np.zeros((models, len(measures), 2))
    pairs = np.zeros((models, models, len(measures), 2))
    mean = np.zeros((len(measures), 2))
    left_out = None
    for number, measure in enumerate(measures):
        kernel = kernel_of(measure)
        if kernel is not None:
            effects = [unit_influence(sample, model, kernel) for model in range(models)]
            shape = partial(shape_of, counts=sample.counts, strata=sample.strata)
        else:
            if left_out is None:
                left_out = _left_out(sample, evaluate, (models, len(measures)), seed)
            effects = list(left_out.added[:, :, number].T)
            shape = partial(Shape.of_centred, times=left_out.times)
        mean[number] = shape(np.mean(effects, axis=0))[1:]
        for one in range(models):
            single[one, number] = shape(effects[one])[1:]
            for other in range(one):
                pairs[one, other, number] = shape(effects[one] - effects[other])[1:]
                pairs[other, one, number] = pairs[one, other, number] * (-1, 1)
    return Shapes(single, pairs, mean)


def unit_influence(sample: Resampling, model: int, area: str) -> Floats:
    """Return how much one more of each unit moves an area."""
    cells, base = sample.cells[model], sample.base[model]
    size = cells.positive.size
    by_cell = np.concatenate(
        influence_of(area, cells, base[:size], base[size:], ratio=sample.ratio)
    )
    if sample.rows is None:
        return by_cell
    unit, weight, cell_of_row = sample.rows
    by_row = by_cell[cell_of_row[model]]
    if weight is not None:
        by_row = by_row * weight
    return np.asarray(np.bincount(unit, by_row, minlength=sample.counts.size), np.float64)


# ---------------------------------------------------------------------- any measure


class _LeftOut(NamedTuple):
    """What each part of the sample adds to each measure of each model, and how often it occurs."""

    added: Floats
    times: Floats


def _left_out(
    sample: Resampling,
    evaluate: Evaluate,
    shape: tuple[int, int],
    seed: np.random.SeedSequence,
) -> _LeftOut:
    """Compute all measures without each part of the sample.

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
    return _LeftOut(np.concatenate(centred).reshape(-1, *shape), np.array(times))


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
