"""How many independent rows weighted or clustered rows are worth."""

import numpy as np
import pytest

import isometrics as iso

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
