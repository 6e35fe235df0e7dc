"""Measures without closed form have their shape from groups of rows that are left out."""

import numpy as np
import pytest

import isometrics as iso
from isometrics.measures import Measure, registered
from isometrics.uncertainty.bootstrap import evaluator
from isometrics.uncertainty.influence import _parts, shapes_of, unit_influence
from isometrics.uncertainty.resampling import Plan, parse_evidence, resampling_of

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


def test_undefined_values_have_no_influence():
    """Some groups hold all positives of a tiny sample."""
    labels = np.array([1, 0, 0, 0], bool)
    plan = Plan(DISGUISED.detail, np.empty(0), False, None)
    sample = resampling_of(parse_evidence(labels, [4, 3, 5, 1]), plan)
    measures = (DISGUISED,)
    found = shapes_in(sample, measures)
    assert np.isfinite(found[..., 0]).all()


def test_the_influence_of_a_cluster_is_that_of_its_rows():
    plan = Plan(NAMED["AUPRG"].detail, np.empty(0), False, None)
    rows = resampling_of(parse_evidence(LABELS, SCORES), plan)
    clusters = np.arange(150) // 3
    clustered = resampling_of(parse_evidence(LABELS, SCORES, clusters=clusters), plan)
    one = unit_influence(rows, 1, "auprg")
    np.testing.assert_allclose(
        unit_influence(clustered, 1, "auprg"), np.bincount(clusters, one), atol=1e-15
    )
