"""Influence is the derivative of an area, and near what leaving out rows does to it."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics._counting.replicates import AREAS, CellOrder, areas_plain
from isometrics.measures import IN_KERNELS, Measure, registered
from isometrics.testing.strategies import binary_samples
from isometrics.uncertainty.bootstrap import evaluator
from isometrics.uncertainty.influence import (
    Shape,
    _parts,
    influence_of,
    shape_of,
    shapes_of,
    unit_influence,
)
from isometrics.uncertainty.resampling import (
    Grain,
    Plan,
    grouping_of,
    parse_evidence,
    resampling_of,
    scores_of,
)


def cells_of(points, detail=Grain.SCORES):
    return grouping_of(scores_of(points.table), detail, np.empty(0)).cells


def area(cells, weights, ratio, name):
    found, size = np.empty((1, len(AREAS))), cells.positive.size
    order = CellOrder(cells.before, cells.through, ratio, True)
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
    cells = cells_of(points, Grain.RUNS)
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
    # Some groups hold all positives of a tiny sample.
    labels = np.array([1, 0, 0, 0], bool)
    plan = Plan(DISGUISED.detail, np.empty(0), False, None)
    sample = resampling_of(parse_evidence(labels, [4, 3, 5, 1]), plan)
    measures = (DISGUISED,)
    found = shapes_in(sample, measures)
    assert np.isfinite(found[..., 0]).all()


NAMED = {each.name: each for each in registered()}


LABELS = np.arange(150) < 50
RNG = np.random.default_rng(2)
SCORES = {"A": RNG.normal(1.2 * LABELS), "B": RNG.normal(0.8 * LABELS)}
DISGUISED = Measure("AUROC by another name", NAMED["AUROC"].of)


def shapes(measures, y_score=SCORES, *, stratified=False, **given):
    plan = Plan(max(each.detail for each in measures), np.empty(0), stratified, None)
    sample = resampling_of(parse_evidence(LABELS, y_score, **given), plan)
    return shapes_in(sample, measures)


def shapes_in(sample, measures, seed=0):
    """The shapes of each model, and last of the first one's lead over the last one."""
    models = np.eye(len(sample.points))
    combinations = np.array([*models, models[0] - models[-1]])
    seeds = np.random.SeedSequence(seed)
    return shapes_of(sample, combinations, measures, evaluator(sample, measures), seeds)


@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("y_score", [SCORES, SCORES["A"]], ids=["rows", "table"])
def test_groups_agree_with_the_closed_form(y_score, stratified):
    """Rows are left out one by one, since they are fewer than 200."""
    found = shapes((NAMED["AUROC"], DISGUISED), y_score, stratified=stratified)
    np.testing.assert_allclose(found[:, 0, 0], found[:, 1, 0], atol=0.002)
    np.testing.assert_allclose(found[:-1, 0, 1], found[:-1, 1, 1], rtol=0.05)


@pytest.mark.parametrize("stratified", [False, True])
def test_fewer_than_200_rows_are_left_out_one_by_one(stratified):
    """Efron & Tibshirani 1993, equation 14.15: Σ d³ / (6 (Σ d²)^1.5), by sorting again."""
    measure = NAMED["AUPR, linear"]
    found = shapes((measure,), stratified=stratified)
    rest = ~np.eye(LABELS.size, dtype=bool)
    strata = [LABELS, ~LABELS] if stratified else [slice(None)]
    for model, scores in enumerate(SCORES.values()):
        tables = [iso.OperatingPoints.from_scores(LABELS[rows], scores[rows]) for rows in rest]
        left = np.array([measure.of(table) for table in tables])
        centred = np.concatenate([left[rows].mean() - left[rows] for rows in strata])
        acceleration = (centred**3).sum() / (6 * (centred**2).sum() ** 1.5)
        assert found[model, 0, 0] == pytest.approx(acceleration, rel=1e-9)


@pytest.mark.parametrize("counts", [[3] * 7, range(1, 300), [4 * 10**6] * 250, [10**8] * 300])
def test_every_row_is_left_out_once(counts):
    """In at most 200 parts; the third sample has 10⁹ rows, too many for NumPy to deal out."""
    counts = np.array(counts)
    parts = list(_parts(counts, np.random.default_rng(0)))
    assert len(parts) == min(counts.size, 200)
    np.testing.assert_array_equal(sum(taken * times for taken, times in parts), counts)


@pytest.mark.parametrize("large", [1, 10**8])
def test_random_groups_agree_with_the_closed_form(large):
    """300 scores of one row each, or of 1e8: the acceleration is known to about 0.65/200."""
    labels = np.arange(300) < 100
    order = np.argsort(-np.random.default_rng(4).normal(1.0 * labels))
    counts = np.cumsum(labels[order]) * large, np.cumsum(~labels[order]) * large
    totals = {"positives": 100 * large, "negatives": 200 * large}
    points = iso.OperatingPoints.from_counts(*counts, **totals, thresholds=np.arange(300, 0, -1))
    plan = Plan(DISGUISED.detail, np.empty(0), False, None)
    sample = resampling_of(parse_evidence(points), plan)
    measures = (NAMED["AUROC"], DISGUISED)
    found = shapes_in(sample, measures, seed=1)
    assert found[0, 0, 0] == pytest.approx(found[0, 1, 0], abs=5 * 0.65 / 200)


@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_the_influence_of_a_cluster_is_that_of_its_rows(prevalence):
    plan = Plan(NAMED["AUPRG"].detail, np.empty(0), False, prevalence)
    rows = resampling_of(parse_evidence(LABELS, SCORES), plan)
    clusters = np.arange(150) // 3
    clustered = resampling_of(parse_evidence(LABELS, SCORES, clusters=clusters), plan)
    one = unit_influence(rows, 1, "auprg")
    weights = np.concatenate([rows.cells[1].positive, rows.cells[1].negative]).astype(float)
    ratio = 0.0 if prevalence is None else 9.0
    by_cell = influence("auprg", rows.cells[1], weights, ratio)
    assert set(one.round(12)) == set(by_cell[weights > 0].round(12))
    np.testing.assert_allclose(
        unit_influence(clustered, 1, "auprg"), np.bincount(clusters, one), atol=1e-15
    )
