"""Expected losses from their definitions: integrals over all operating conditions.

The closed forms are those of Hernández-Orallo, Flach and Ferri (JMLR 2012).
"""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, example, given
from scipy.integrate import quad
from sklearn import metrics as sklearn

import isometrics as iso
from isometrics.errors import NotAnswerableError, ScoreError, UndefinedWarning
from isometrics.testing import Curve
from isometrics.testing.strategies import binary_samples, count_tables
from isometrics_studies import threshold_choice

SMALL = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])


def from_counts(drawn):
    tp, fp, positives, negatives = drawn
    return iso.OperatingPoints.from_counts(tp, fp, positives=positives, negatives=negatives)


tables = count_tables().map(from_counts)


@given(binary_samples(dtypes=["float64"]))
def test_score_driven_is_the_brier_score(sample):
    y_true, probabilities = sample[0], np.clip(sample[1], 0, 1)
    pts = iso.OperatingPoints.from_scores(y_true, probabilities)
    assert threshold_choice.score_driven(pts) == pytest.approx(
        sklearn.brier_score_loss(y_true, probabilities), abs=1e-12
    )


def test_score_driven_needs_the_probability_of_every_item():
    with pytest.raises(ScoreError, match="the score-driven choice needs probabilities"):
        threshold_choice.score_driven(iso.OperatingPoints.from_scores([1, 0], [3, 0.5]))
    for pts in (
        SMALL.hull(),
        iso.OperatingPoints.from_scores([1, 0], [0.9, 0.4], positives=5, negatives=7),
    ):
        with pytest.raises(NotAnswerableError, match="needs a table of every item's score"):
            threshold_choice.score_driven(pts)


@given(binary_samples(dtypes=["float64"]))
def test_fixed_is_the_error_rate(sample):
    y_true, y_score = sample
    pts = iso.OperatingPoints.from_scores(y_true, y_score)
    wrong = np.mean((y_score >= 0.5) != y_true)
    assert threshold_choice.fixed(pts, 0.5) == pytest.approx(wrong)


@given(tables)
def test_rate_driven_is_an_integral_over_rates(pts):
    """At cost c a share 1-c is positive; between rows the loss is a polynomial of degree 2."""
    curve = Curve.of(pts.tp.tolist(), pts.fp.tolist(), pts.positives, pts.negatives)
    items = curve.positives + curve.negatives

    def loss(tp, fp):
        rate = (tp + fp) / items
        return (2 * rate * (curve.positives - tp) + 2 * (1 - rate) * fp) / items

    total = Fraction(0)
    for (tp_a, fp_a), (tp_b, fp_b) in pairwise(curve.points):
        width = (tp_b + fp_b - tp_a - fp_a) / items
        middle = loss((tp_a + tp_b) / 2, (fp_a + fp_b) / 2)
        total += width * (loss(tp_a, fp_a) + 4 * middle + loss(tp_b, fp_b)) / 6
    assert threshold_choice.rate_driven(pts) == pytest.approx(float(total), rel=1e-12, abs=1e-12)


@given(tables)
def test_optimal_is_the_area_under_the_lower_envelope(pts):
    """The best row for cost c changes at the shares of positives of the hull's segments."""
    hull = pts.hull()
    tp, fp = list(map(Fraction, hull.tp.tolist())), list(map(Fraction, hull.fp.tolist()))
    cuts = [Fraction(1)] + [
        (tp[j] - tp[j - 1]) / (tp[j] - tp[j - 1] + fp[j] - fp[j - 1]) for j in range(1, len(tp))
    ]
    cuts.append(Fraction(0))
    total = Fraction(0)
    for j in range(len(tp)):
        fn, high, low = Fraction(pts.positives) - tp[j], cuts[j], cuts[j + 1]
        total += fn * ((1 - low) ** 2 - (1 - high) ** 2) + fp[j] * (high**2 - low**2)
    expected = float(total / (Fraction(pts.positives) + Fraction(pts.negatives)))
    assert threshold_choice.optimal(pts) == pytest.approx(expected, rel=1e-12, abs=1e-15)
    assert threshold_choice.optimal(pts) <= threshold_choice.rate_driven(pts) + 1e-12


@given(binary_samples(dtypes=["float64"]))
def test_optimal_is_the_brier_score_of_calibrated_scores(sample):
    y_true, y_score = sample
    calibrated = iso.AccuracyCalibrator().fit(y_true, y_score).transform(y_score)
    pts = iso.OperatingPoints.from_scores(y_true, y_score)
    brier = sklearn.brier_score_loss(y_true, calibrated)
    assert threshold_choice.optimal(pts) == pytest.approx(brier, abs=1e-12)
    again = iso.OperatingPoints.from_scores(y_true, calibrated)
    assert threshold_choice.score_driven(again) == pytest.approx(brier, abs=1e-12)


@given(count_tables(max_count=1000).map(from_counts))
def test_optimal_f_gain_is_an_integral_over_lambda(pts):
    best = iso.optimal_thresholds(pts)
    ends = np.append(best.beta_squared_lo, np.inf)
    with np.errstate(divide="ignore"):
        points = sorted(set((1 / (1 + 1 / ends)).tolist()))

    def loss(weight):
        gains = (1 - weight) * best.points.precision_gain + weight * best.points.recall_gain
        return 1 - gains.max()

    expected = sum((hi - lo) * (loss(lo) + loss(hi)) / 2 for lo, hi in pairwise(points))
    assert threshold_choice.optimal_f_gain(pts) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(count_tables(max_count=1000).map(from_counts))
def test_rate_driven_f_gain_loses_at_least_as_much(pts):
    assume(pts.prg.y0 > 1 - 1 / pts.prevalence + 1e-9)
    loss = threshold_choice.rate_driven_f_gain(pts)
    assert loss >= threshold_choice.optimal_f_gain(pts) - 1e-9


@pytest.mark.parametrize("labels", ["1010", "1110111111011101001000101", "0110100", "11100000"])
def test_rate_driven_f_gain_from_its_definition(labels):
    """Δ = recG/π - precG/(1-π), from recall gain 0 to the end; λ is the share of the way."""
    y_true = [int(label) for label in labels]
    pts = iso.OperatingPoints.from_scores(y_true, range(len(y_true), 0, -1))
    pi = pts.prevalence
    reached = pts.recall >= pi
    gains = [
        (0.0, pts.prg.y0),
        *zip(pts.recall_gain[reached], pts.precision_gain[reached], strict=True),
    ]

    def delta(gain):
        return gain[0] / pi - gain[1] / (1 - pi)

    start, end = delta(gains[0]), delta(gains[-1])
    total = 0.0
    for a, b in pairwise(gains):

        def loss(share, a=a, b=b):
            x, y = (a[k] + share * (b[k] - a[k]) for k in (0, 1))
            weight = (delta((x, y)) - start) / (end - start)
            return 1 - (weight * x + (1 - weight) * y)

        width = (delta(b) - delta(a)) / (end - start)
        total += width * quad(loss, 0, 1)[0]
    assert threshold_choice.rate_driven_f_gain(pts) == pytest.approx(total, rel=1e-9)


def test_special_rankings():
    perfect = iso.OperatingPoints.from_scores([1, 1, 0, 0, 0], [5, 4, 3, 2, 1])
    assert threshold_choice.optimal(perfect) == 0
    assert threshold_choice.optimal_f_gain(perfect) == 0
    assert threshold_choice.rate_driven(perfect) == pytest.approx(1 / 3 - 0.4 * 0.6)
    tied = iso.OperatingPoints.from_scores([1, 1, 0, 0, 0], [1] * 5)
    assert threshold_choice.optimal(tied) == pytest.approx(0.4 * 0.6)
    assert threshold_choice.rate_driven(tied) == pytest.approx(1 / 3)
    assert threshold_choice.optimal_f_gain(tied) == 0.5


def test_all_negatives_first_has_no_way_to_go():
    worst = iso.OperatingPoints.from_scores([0, 0, 1], [3, 2, 1])
    with pytest.warns(UndefinedWarning, match="the rate-driven loss of F gain is undefined"):
        assert math.isnan(threshold_choice.rate_driven_f_gain(worst))


# F gain ---------------------------------------------------------------------------------------


@given(binary_samples(max_size=20))
@example((np.array([True, True, False]), np.array([2**54 + 3] * 3)))  # the nearest float is higher
def test_a_fixed_threshold_loses_what_f1_loses(sample):
    """1 - FG is linear in λ, so its mean is the value at λ = ½."""
    points = iso.OperatingPoints.from_scores(*sample)
    lam = np.linspace(0, 1, 11)
    betas = [*np.sqrt(lam[:-1] / (1 - lam[:-1])).tolist(), math.inf]
    for row, threshold in enumerate(points.thresholds):
        if row and points.tp[row]:
            losses = np.array([1 - points.f_gain(beta)[row] for beta in betas])
            mean = np.sum(np.diff(lam) * (losses[1:] + losses[:-1]) / 2)
            lost = threshold_choice.fixed_f_gain(points, threshold)
            assert lost == pytest.approx(mean, rel=1e-9, abs=1e-9)


@given(binary_samples(max_size=20))
def test_f_calibrated_scores_are_optimal_when_scores_drive(sample):
    """1/(1+β²) is the best threshold on F-calibrated scores, for every β."""
    labels, scores = sample
    calibrated = iso.FCalibrator().fit(labels, scores).transform(scores)
    points = iso.OperatingPoints.from_scores(labels, calibrated)
    driven, best = (
        choice(points)
        for choice in (threshold_choice.score_driven_f_gain, threshold_choice.optimal_f_gain)
    )
    assert driven == pytest.approx(best, rel=1e-9, abs=1e-9)


def test_thresholds_that_find_no_positive_lose_everything():
    """Without a true positive the gain is -inf."""
    low = iso.OperatingPoints.from_scores([1, 0], [0.9, 0.1])
    late = iso.OperatingPoints.from_scores([0, 1], [1.0, 0.5])
    assert threshold_choice.score_driven_f_gain(low) == math.inf
    assert threshold_choice.score_driven_f_gain(late) == math.inf
    assert threshold_choice.fixed_f_gain(low, 0.95) == math.inf
