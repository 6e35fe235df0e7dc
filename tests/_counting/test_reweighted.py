"""The areas of both kernels are those of the reweighted table (`isometrics.spaces`), to 1e-12."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics._counting.replicates import AREAS, COMPILED, CellOrder, areas_plain
from isometrics.testing.strategies import binary_samples
from isometrics.uncertainty.resampling import Grain, grouping_of, scores_of

pytestmark = pytest.mark.usefixtures("compiled_loops")

MEASURES = (
    lambda points: points.roc.area(),
    lambda points: points.pr.area(),
    lambda points: points.pr.area("average-precision"),
    lambda points: points.prg.area(),
)


def areas(fill, cells, weights, ratio=0.0, *, stepwise=True):
    found = np.empty((len(weights), len(AREAS)))
    size = cells.positive.size
    places = (cells.before.astype(np.int32), cells.through.astype(np.int32))
    order = CellOrder(*places, ratio, stepwise)
    with np.errstate(all="raise"):
        fill(weights[:, :size], weights[:, size:], order, found)
    return found


def exact(cells, weights, ratio):
    size = cells.positive.size
    if not weights[:size].any() or not weights[size:].any():
        return [np.nan] * len(AREAS)
    points = iso.OperatingPoints(cells.table(weights, ratio))
    return [measure(points) for measure in MEASURES]


@given(
    binary_samples(dtypes=["float64"], max_size=40),
    st.sampled_from([Grain.SCORES, Grain.NEGATIVE_RUNS]),
    st.sampled_from([0.0, 0.25, 19.0]),
    st.integers(0, 2**32),
)
@settings(max_examples=150)
def test_areas_are_those_of_the_reweighted_table(sample, detail, ratio, seed):
    table = iso.OperatingPoints.from_scores(*sample).table
    cells = grouping_of(scores_of(table), detail, np.empty(0)).cells
    random = np.random.default_rng(seed)
    size = cells.counts.size
    weights = np.vstack([cells.counts, random.poisson(1.0, (4, size)), random.random((1, size))])
    expected = [exact(cells, row, ratio) for row in weights]
    for fill in (areas_plain, COMPILED.areas):
        np.testing.assert_allclose(
            areas(fill, cells, weights, ratio), expected, rtol=1e-12, atol=1e-12
        )


@given(binary_samples(dtypes=["float64"], max_size=40), st.integers(0, 2**32))
@settings(max_examples=60)
def test_runs_of_one_class_are_as_good_as_their_rows(sample, seed):
    """The weight of a run is the sum of those of its rows; average precision is not asked for."""
    scores = scores_of(iso.OperatingPoints.from_scores(*sample).table)
    fine, coarse = (
        grouping_of(scores, detail, np.empty(0)) for detail in (Grain.SCORES, Grain.RUNS)
    )
    drawn = np.random.default_rng(seed).poisson(1.0, fine.cells.counts.size).astype(float)
    runs = np.zeros(coarse.cells.counts.size)
    sizes = (fine.cells.positive.size, coarse.cells.positive.size)
    for score in range(scores.thresholds.size):
        if scores.positive[score]:
            runs[coarse.positive_cell[score]] += drawn[fine.positive_cell[score]]
        if scores.negative[score]:
            place = sizes[1] + coarse.negative_cell[score]
            runs[place] += drawn[sizes[0] + fine.negative_cell[score]]
    for fill in (areas_plain, COMPILED.areas):
        one = areas(fill, fine.cells, drawn[None], stepwise=False)
        two = areas(fill, coarse.cells, runs[None], stepwise=False)
        assert np.isnan(one[0, 2])
        np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("rows", [3, 40, 3000])
@pytest.mark.parametrize("detail", [Grain.SCORES, Grain.RUNS])
def test_the_compiled_areas_have_the_bits_of_numpy(rows, detail):
    random = np.random.default_rng(rows)
    labels = np.arange(rows) < rows / 3
    scores = random.normal(1.0 * labels).round(2)
    points = iso.OperatingPoints.from_scores(labels, scores)
    cells = grouping_of(scores_of(points.table), detail, np.empty(0)).cells
    drawn = random.poisson(1.0, (12, cells.counts.size)).astype(float)
    for weights in (drawn, drawn * random.random(drawn.shape), drawn * 1e-9):
        for ratio in (0.0, 3.0):
            stepwise = detail is Grain.SCORES
            options = {"ratio": ratio, "stepwise": stepwise}
            expected = areas(areas_plain, cells, weights, **options)
            found = areas(COMPILED.areas, cells, weights, **options)
            np.testing.assert_array_equal(found, expected)
