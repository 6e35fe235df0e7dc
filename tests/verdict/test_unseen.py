"""Rules with few errors or none, and how many rows weighted or clustered rows are worth."""

import numpy as np
import pytest
from scipy import stats

import isometrics as iso
from isometrics.verdict.estimates import _half_gammas

OPTIONS = {"n_resamples": 400, "random_state": 3, "by_group": False}


def test_variates_have_the_gamma_distribution_of_shape_one_half():
    drawn = _half_gammas(2000)
    assert drawn.shape == (4, 2000)
    for cell in drawn:
        assert stats.kstest(cell, stats.gamma(0.5).cdf).statistic < 0.02
    correlations = np.corrcoef(drawn)[np.triu_indices(4, 1)]
    assert np.abs(correlations).max() < 0.06


@pytest.mark.parametrize(("positives", "negatives"), [(30, 200), (100, 100), (400, 40)])
def test_without_errors_the_interval_is_about_that_of_jeffreys(positives, negatives):
    """Recall and false positive rate have independent beta distributions; F1 follows."""
    labels = np.arange(positives + negatives) < positives
    scores = labels * 2.0 + np.random.default_rng(1).random(labels.size)
    found = iso.analyse(labels, scores).verdict(**OPTIONS)
    assert found.value == 1
    random = np.random.default_rng(2)
    recall = random.beta(positives + 0.5, 0.5, 10**5)
    false = negatives * random.beta(0.5, negatives + 0.5, 10**5)
    f1 = 2 * positives * recall / (positives + positives * recall + false)
    width = 1 - np.quantile(f1, 0.025)
    assert found.interval.upper == 1
    # The correction is not sure either, which makes the interval wider.
    moved = np.mean(f1) - found.expected
    assert width - moved < 1 - found.interval.lower < 2 * (width - moved)


def test_precision_without_false_positives_is_not_certain():
    labels = np.arange(400) < 60
    scores = labels * 2.0 + np.random.default_rng(1).random(labels.size)
    kept = iso.analyse(labels, scores).verdict(min_precision=0.99, **OPTIONS).kept[0]
    assert kept.here == 1
    assert 0.88 < kept.interval.lower < 0.99
    assert 0.1 < kept.missed < 0.6


def test_errors_of_five_rows_each_are_left_to_the_bootstrap():
    """So are rules that flag everything or nothing: what they miss is known."""
    order = np.arange(200)
    labels = order < 100
    scores = np.where((order < 5) | (order >= 195), ~labels, labels) * 1.0
    analysis = iso.analyse(labels, scores)
    at = analysis.at(1.0, **OPTIONS)
    assert (at.fp[0], at.fn[0]) == (5, 5)
    random = np.random.default_rng(0)
    errors = random.binomial(100, 0.05, (2, 10**5))
    f1 = 2 * (100 - errors[0]) / (200 - errors[0] + errors[1])
    lower, upper = np.quantile(f1, [0.025, 0.975])
    # An interval of Wilson's kind reaches farther from the end of the scale than percentiles.
    assert lower - 0.015 < at.lower[0] < lower
    assert upper - 0.01 < at.upper[0] < upper
    everything = analysis.at(0.0, **OPTIONS)
    assert everything.lower[0] > 0.58


def test_clusters_and_weights_count_as_fewer_rows():
    labels = np.arange(400) < 100
    scores = labels * 2.0 + np.random.default_rng(1).random(labels.size)
    lower = []
    for weight, size in ((1.0, 1), (3.0, 1), (1.0, 10)):
        analysis = iso.analyse(
            labels, scores, sample_weight=np.full(400, weight), groups=np.arange(400) // size
        )
        lower.append(analysis.verdict(clusters=True, **OPTIONS).interval.lower)
    plain, weighted, clustered = lower
    # A common weight changes nothing; ten clusters of positives are not a hundred rows.
    assert weighted == pytest.approx(plain, abs=1e-9)
    assert 1 - clustered > 4 * (1 - plain)


LABELS = np.arange(300) < 100
SCORES = np.random.default_rng(1).normal(2.0 * LABELS)


def effective(labels=LABELS, scores=SCORES, *, prevalence=None, clusters=False, **options):
    asked = {"min_recall": 0.3, "sure": 0.9} | options.pop("asked", {})
    analysis = iso.analyse(labels, scores, **options)
    if prevalence is not None:
        analysis = analysis.at_prevalence(prevalence)
    return analysis.verdict(clusters=clusters, n_resamples=10, **asked).objective.effective


def test_rows_of_weight_1_are_worth_1_each():
    assert effective() == pytest.approx(1, rel=1e-14)
    assert effective(scores=LABELS + SCORES / 100) == pytest.approx(1, rel=1e-14)
    assert 4 * effective(sample_weight=np.full(300, 4.0)) == pytest.approx(1, rel=1e-14)
    asked = {"cost": 0.999, "min_recall": 0.0}
    assert effective(scores=-SCORES, asked=asked) == 1
    scores = {"a": SCORES, "b": -9.0 * LABELS}
    asked = {"min_recall": None, "min_precision": 0.8, "sure": 0.5}
    assert effective(scores=scores, asked=asked) == pytest.approx(1, rel=1e-12)


def test_repeated_rows_of_a_cluster_are_worth_one():
    groups = np.repeat(np.arange(300), 4)
    found = effective(np.repeat(LABELS, 4), np.repeat(SCORES, 4), groups=groups, clusters=True)
    assert found == pytest.approx(0.25, rel=1e-12)
    # Two rows, one of each class, with the same score: every cluster has the same precision.
    labels = np.arange(200) % 2 == 0
    scores = np.repeat(np.arange(100.0), 2)
    found = effective(
        labels,
        scores,
        groups=np.repeat(np.arange(100), 2),
        clusters=True,
        asked={"min_recall": 0.1, "min_precision": 0.1},
    )
    assert found == 1


def test_uneven_weights_are_worth_less():
    """Kish (1965): weights are worth (sum w)^2 / sum w^2 rows."""
    weights = np.where(np.arange(300) % 2, 1.0, 9.0)
    found = effective(scores=LABELS + SCORES / 100, sample_weight=weights)
    assert found * weights.sum() < 0.8 * 300
    assert effective(prevalence=0.05) != effective()
    assert 0 < effective(prevalence=0.05) <= 1.5
