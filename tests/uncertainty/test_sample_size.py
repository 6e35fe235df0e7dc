"""The answer of a pilot sample is what simulated samples of that size achieve."""

import numpy as np
import pytest
from scipy import stats

import isometrics as iso
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.measures import IN_KERNELS
from isometrics.uncertainty.sample_size import sample_size

NAMED = {each.name: each for each in IN_KERNELS.values()}


def sample(positives, negatives, seed):
    labels = np.arange(positives + negatives) < positives
    return iso.OperatingPoints.from_scores(labels, np.random.default_rng(seed).normal(1.0 * labels))


PILOT = sample(4000, 16_000, 0)


@pytest.mark.parametrize("measure", NAMED)
@pytest.mark.parametrize("per_positive", [None, 1.0])
def test_samples_of_that_size_spread_as_promised(measure, per_positive):
    """300 samples: their standard deviation is known to 4%, here to 5 of these."""
    asked = sample_size(
        PILOT, half_width=0.04, measure=measure, negatives_per_positive=per_positive
    )
    random = np.random.default_rng(1)
    values = []
    for seed in range(300):
        positives, negatives = asked.positives, asked.negatives
        if per_positive is None:
            rows = positives + negatives
            positives = int(random.binomial(rows, 0.2))
            negatives = rows - positives
        points = sample(positives, negatives, seed)
        points = points if per_positive is None else points.at_prevalence(0.2)
        values.append(NAMED[measure].of(points))
    half = stats.norm.ppf(0.975) * np.std(values, ddof=1)
    assert half == pytest.approx(0.04, rel=5 * 0.041)


def test_four_times_the_rows_halve_the_interval():
    one, half = (sample_size(PILOT, half_width=width) for width in (0.02, 0.01))
    assert half.positives == pytest.approx(4 * one.positives, rel=0.01)
    assert one.negatives == pytest.approx(4 * one.positives, rel=0.01)


def test_the_pilots_own_width_needs_the_pilots_own_rows():
    for options in ({}, {"negatives_per_positive": 4}, {"prevalence": 0.2}):
        now = sample_size(PILOT, half_width=1, **options).half_width_now
        found = sample_size(PILOT, half_width=now, **options)
        assert found.positives == pytest.approx(4000, abs=1)
        assert found.negatives == pytest.approx(16_000, abs=4)


def test_widths_are_those_of_delong_and_of_the_bootstrap():
    pilot = sample(100, 300, 3)
    options = {"half_width": 0.01, "measure": "AUROC", "negatives_per_positive": 3}
    plain = iso.delong(pilot, scale="plain")
    width = (plain.upper[0] - plain.lower[0]) / 2
    assert sample_size(pilot, **options).half_width_now == pytest.approx(width, rel=0.01)
    drawn = iso.bootstrap(pilot, measures="AUPR", random_state=0, method="normal")
    found = sample_size(pilot, half_width=0.01, measure="AUPR").half_width_now
    assert found == pytest.approx((drawn.upper[0, 0] - drawn.lower[0, 0]) / 2, rel=0.1)


@pytest.mark.parametrize("measure", NAMED)
def test_the_pilots_own_width_is_the_infinitesimal_jackknife(measure):
    """Its variance is the sum of the squared slopes of the measure in the weight of each row."""
    labels = np.array([1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1])
    scores = np.array([9, 8, 8, 7, 6, 5, 4, 3, 3, 2, 1, 1])

    def value(row, change):
        weights = np.ones(12)
        weights[row] += change
        points = iso.OperatingPoints.from_scores(labels, scores, sample_weight=weights)
        return NAMED[measure].of(points)

    step = 1e-5
    slopes = [(value(row, step) - value(row, -step)) / (2 * step) for row in range(12)]
    pilot = iso.OperatingPoints.from_scores(labels, scores)
    found = sample_size(pilot, half_width=0.1, measure=measure).half_width_now
    assert found == pytest.approx(stats.norm.ppf(0.975) * np.linalg.norm(slopes), rel=1e-6)


def test_another_prevalence():
    found = sample_size(PILOT, half_width=0.02, prevalence=0.02)
    assert found.estimate == pytest.approx(PILOT.at_prevalence(0.02).prg.area())
    assert found.negatives == pytest.approx(49 * found.positives, rel=0.01)


@pytest.mark.parametrize("measure", NAMED)
def test_another_prevalence_is_that_of_repeated_negatives(measure):
    pilot = sample(100, 300, 5)
    totals = {"positives": 100, "negatives": 900, "thresholds": pilot.thresholds[1:]}
    repeated = iso.OperatingPoints.from_counts(pilot.tp[1:], 3 * pilot.fp[1:], **totals)
    options = {"half_width": 0.02, "measure": measure}
    expected, found = (
        sample_size(repeated, **options),
        sample_size(pilot, prevalence=0.1, **options),
    )
    assert found.half_width_now == pytest.approx(expected.half_width_now, rel=1e-9)
    assert (found.positives, found.negatives) == (expected.positives, expected.negatives)


def test_faces_and_refusals():
    found = sample_size(PILOT, half_width=0.02, measure="AUROC")
    assert (found.positives_now, found.negatives_now) == (4000, 16_000)
    assert found.sentence() == repr(found).splitlines()[0]
    assert found.sentence().startswith("A 95% interval of AUROC of about ±0.02 takes about ")
    assert found.to_frame("pandas")["sample"].tolist() == ["pilot", "needed"]
    with pytest.raises(ParameterError, match="half_width must be a finite number above 0 but is 0"):
        sample_size(PILOT, half_width=0)
    with pytest.raises(ParameterError, match="measure must be one of 'AUROC', 'AUPR', "):
        sample_size(PILOT, half_width=0.1, measure="F")
    with pytest.raises(ParameterError, match="negatives_per_positive must be a number above 0 but"):
        sample_size(PILOT, half_width=0.1, negatives_per_positive=0)
    totals = {"positives": 2, "negatives": 3, "thresholds": [3, 1]}
    half_a_positive = iso.OperatingPoints.from_counts([1.5, 2], [1, 3], **totals)
    for weighted in (PILOT.at_prevalence(0.1), half_a_positive):
        with pytest.raises(NotAnswerableError, match="of this pilot sample are not whole rows"):
            sample_size(weighted, half_width=0.1)
