"""Influence is the derivative of an area, and near what leaving a row out does to it."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics._counting.replicates import AREAS, Order, areas_plain
from isometrics.measures import IN_KERNELS
from isometrics.testing.strategies import binary_samples
from isometrics.uncertainty.influence import Shape, influence_of, shape_of
from isometrics.uncertainty.resampling import Detail, grouping_of, scores_of


def cells_of(points, detail=Detail.SCORES):
    return grouping_of(scores_of(points.table), detail, np.empty(0)).cells


def area(cells, weights, ratio, name):
    found, size = np.empty((1, len(AREAS))), cells.positive.size
    order = Order(cells.before, cells.through, ratio, True)
    areas_plain(weights[None, :size], weights[None, size:], order, found)
    return found[0, AREAS.index(name)]


def difference(cells, weights, ratio, name, place):
    step = 1e-6
    up, down = weights.copy(), weights.copy()
    up[place] += step
    down[place] -= step
    return (area(cells, up, ratio, name) - area(cells, down, ratio, name)) / (2 * step)


def influence(name, cells, weights, ratio=0.0):
    size = cells.positive.size
    return influence_of(name, cells, weights[:size], weights[size:], ratio)


@pytest.mark.parametrize("name", AREAS)
@given(
    binary_samples(dtypes=["float64"], max_size=14),
    st.sampled_from([0.0, 0.4, 3.7]),
    st.integers(0, 2**32),
)
@settings(max_examples=60)
def test_influence_is_the_derivative(name, sample, ratio, seed):
    """Weights are not whole, so that recall gain 0 lies at no row."""
    cells = cells_of(iso.OperatingPoints.from_scores(*sample))
    weights = cells.counts * np.random.default_rng(seed).uniform(0.5, 2, cells.counts.size)
    found = influence(name, cells, weights, ratio)
    numeric = [difference(cells, weights, ratio, name, place) for place in range(weights.size)]
    np.testing.assert_allclose(found, numeric, rtol=2e-5, atol=2e-5 * (1 + np.abs(found).max()))


@given(st.integers(0, 2**32))
@settings(max_examples=20)
@example(0)
def test_at_a_kink_influence_is_the_mean_of_both_sides(seed):
    """With 20 of 100 rows positive, recall gain 0 is exactly at the fourth positive."""
    random = np.random.default_rng(seed)
    labels = np.arange(100) < 20
    points = iso.OperatingPoints.from_scores(labels, random.normal(1.0 * labels).round(1))
    cells = cells_of(points, Detail.RUNS)
    weights = cells.counts.astype(float)
    found = influence("auprg", cells, weights)
    numeric = [difference(cells, weights, 0, "auprg", place) for place in range(weights.size)]
    np.testing.assert_allclose(found, numeric, rtol=1e-4, atol=1e-4 * np.abs(found).max())


@pytest.fixture(scope="module")
def left_out():
    """Labels, points, and all areas without each of 1000 rows, by brute force."""
    labels = np.arange(1000) < 300
    scores = np.random.default_rng(6).normal(1.2 * labels)
    rest = ~np.eye(1000, dtype=bool)
    tables = [iso.OperatingPoints.from_scores(labels[rows], scores[rows]) for rows in rest]
    areas = {name: np.array([IN_KERNELS[name].of(table) for table in tables]) for name in AREAS}
    return labels, iso.OperatingPoints.from_scores(labels, scores), areas


@pytest.mark.parametrize("name", AREAS)
def test_shape_is_near_that_of_leaving_out_each_row(name, left_out):
    """The infinitesimal jackknife differs from the jackknife by terms of order 1/n."""
    labels, points, areas = left_out
    left = areas[name]
    cells = cells_of(points)
    found = influence(name, cells, cells.counts.astype(float))
    variance = (found**2 @ cells.counts, ((left.mean() - left) ** 2).sum())
    assert np.sqrt(variance[0]) == pytest.approx(np.sqrt(variance[1]), rel=0.04)
    for strata, parts in (
        ([slice(0, None)], [slice(0, None)]),
        ([slice(0, cells.positive.size), slice(cells.positive.size, None)], [labels, ~labels]),
    ):
        shape = shape_of(found, cells.counts, strata)
        centred = np.concatenate([left[rows].mean() - left[rows] for rows in parts])
        exact = (centred**3).sum() / (6 * (centred**2).sum() ** 1.5)
        assert shape.acceleration == pytest.approx(exact, abs=0.003)
        freedom = 2 / ((centred**4).sum() / (centred**2).sum() ** 2 - 1 / 1000)
        assert shape.freedom == pytest.approx(freedom, rel=0.2)


def test_the_influence_on_auroc_has_delongs_variance():
    """Sums of squares over n² against DeLong's sample variances over n - 1, exactly."""
    random = np.random.default_rng(7)
    labels = np.arange(200) < 60
    points = iso.OperatingPoints.from_scores(labels, random.normal(1.0 * labels).round(1))
    cells = cells_of(points)
    found = influence("auroc", cells, cells.counts.astype(float))
    size = cells.positive.size
    parts = []
    for part, total in ((slice(0, size), 60), (slice(size, None), 140)):
        counts = cells.counts.astype(float)
        counts[: part.start or 0] = 0
        counts[part.stop or counts.size :] = 0
        centred = found - found @ counts / total
        parts.append(float(centred**2 @ counts) * total / (total - 1))
    assert sum(parts) == pytest.approx(float(iso.delong(points).covariance[0, 0]), rel=1e-12)


def test_no_influence_has_no_shape():
    assert Shape.of_centred(np.zeros(3), np.ones(3)) == (0.0, np.inf)
    assert Shape.of_centred(np.array([1.0, -1.0]), np.ones(2)).freedom == 2
