"""Calibrated scores against isotonic regression and decisions; reliability against others."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn import metrics as sklearn
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression

import isometrics as iso
from isometrics.calibration import calibration_report
from isometrics.errors import (
    DimensionError,
    MissingValueError,
    NotAnswerableError,
    NotFittedError,
    OneClassError,
    ParameterError,
    ScoreError,
)
from isometrics.testing.strategies import binary_samples

LABELS = [1, 0, 1, 1, 0, 0, 1, 0]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
KINDS = (iso.AccuracyCalibrator, iso.FCalibrator)
calibrators = pytest.mark.parametrize("calibrator", KINDS)
samples = binary_samples().map(lambda sample: (*sample, None)) | binary_samples(weights="integer")


def fitted(calibrator, sample):
    y_true, y_score, weights = sample
    return calibrator().fit(y_true, y_score, sample_weight=weights)


def ranks(scores):
    return np.unique(scores + 0, return_inverse=True)[1].astype(float)


@given(samples)
def test_accuracy_calibration_is_isotonic_regression(sample):
    y_true, y_score, weights = sample
    values = fitted(iso.AccuracyCalibrator, sample).transform(y_score)
    kept = np.ones(y_true.size, bool) if weights is None else weights > 0
    expected = IsotonicRegression().fit_transform(
        ranks(y_score[kept]),
        y_true[kept].astype(float),
        sample_weight=None if weights is None else weights[kept],
    )
    np.testing.assert_allclose(values[kept], expected, rtol=0, atol=1e-12)


@given(binary_samples(weights="float", dtypes=["float64"]))
def test_float_weights(sample):
    """Differences of float sums lose digits, so the agreement is weaker."""
    y_true, y_score, weights = sample
    kept = weights > 0
    calibrator = fitted(iso.AccuracyCalibrator, sample)
    expected = IsotonicRegression().fit_transform(
        ranks(y_score[kept]), y_true[kept].astype(float), sample_weight=weights[kept]
    )
    np.testing.assert_allclose(calibrator.transform(y_score[kept]), expected, rtol=0, atol=1e-7)
    assert (np.diff(calibrator.table().values) <= 0).all()
    f_values = fitted(iso.FCalibrator, sample).table().values
    assert (np.diff(f_values) <= 0).all()
    assert f_values[0] == 1


@given(samples, st.floats(0, 1))
def test_accuracy_calibrated_scores_decide_for_every_cost(sample, cost):
    """At the cost of a segment all its rows are equally good, so the accuracies are compared."""
    y_true, y_score, weights = sample
    pts = iso.OperatingPoints.from_scores(y_true, y_score, sample_weight=weights)
    predicted = fitted(iso.AccuracyCalibrator, sample).transform(y_score) >= cost
    tp, fp = counts(y_true, predicted, weights)
    best = iso.best_threshold(pts, cost=cost)
    c = Fraction(cost)
    reached = (1 - c) * tp - c * fp
    promised = float((1 - c) * best.tp - c * best.fp)
    if np.isposinf(y_score).any():
        # No threshold on such scores flags nothing, but one on calibrated scores may.
        assert float(reached) >= promised - 1e-12
    else:
        # A cost within rounding of a segment's share may be taken for it.
        assert float(reached) == pytest.approx(promised, abs=1e-12)


def counts(y_true, predicted, weights):
    weights = np.ones(y_true.size, int) if weights is None else weights
    return int(weights[y_true & predicted].sum()), int(weights[~y_true & predicted].sum())


@given(samples, st.data())
def test_f_calibrated_scores_decide_for_every_beta(sample, data):
    """Around every end of an interval and anywhere else, the decision is that of the hull."""
    y_true, y_score, weights = sample
    pts = iso.OperatingPoints.from_scores(y_true, y_score, sample_weight=weights)
    ends = np.sqrt(iso.optimal_thresholds(pts).beta_squared_lo)
    near = [f(end) for end in ends for f in (float, before, after)]
    beta = data.draw(st.sampled_from([0.0, 0.5, 1.0, 2.0, math.inf, *near]) | st.floats(0.01, 100))
    values = fitted(iso.FCalibrator, sample).transform(y_score)
    exact = Fraction(0) if math.isinf(beta) else 1 / (1 + Fraction(beta) ** 2)
    decided = counts(y_true, values >= float(exact), weights)
    best = iso.best_threshold(pts, beta=beta)
    if float(exact) not in values:
        assert decided == (best.tp, best.fp)
    else:
        # Here two vertices are equally good; they differ from each other by rounding of d only.
        strict = counts(y_true, values > float(exact), weights)
        for tp, fp in (decided, strict) if float(exact) < 1 else (decided,):
            fn = pts.positives - tp
            f = tp / (tp + (1 - exact) * fn + exact * fp)
            assert float(f) == pytest.approx(best.f, rel=1e-14)


def before(value):
    return float(np.nextafter(value, 0))


def after(value):
    return float(np.nextafter(value, math.inf))


def test_the_exact_end_of_an_interval():
    """Both ends of the segment have F₁ = ⅔: >= takes the lower, > and best_threshold the upper."""
    labels, scores = np.array([True, False, False, True]), np.array([0.9, 0.8, 0.7, 0.1])
    values = iso.FCalibrator().fit(labels, scores).transform(scores)
    assert values.tolist() == [1, 0.5, 0.5, 0.5]
    decision = iso.best_threshold(iso.OperatingPoints.from_scores(labels, scores))
    assert counts(labels, values > 0.5, None) == (decision.tp, decision.fp) == (1, 0)
    assert counts(labels, values >= 0.5, None) == (2, 2)


@calibrators
@given(sample=binary_samples(dtypes=["float64", "float32"]), others=st.lists(st.floats(width=32)))
def test_both_maps_are_monotone_and_within_the_segments(calibrator, sample, others):
    learnt = calibrator().fit(*sample)
    scores = np.sort(np.array([*sample[1], *(o for o in others if not math.isnan(o))], float))
    values = learnt.transform(scores)
    assert (np.diff(values) >= 0).all()
    assert (values <= learnt.table().values[0]).all()
    assert (values >= learnt.table().values[-1]).all()


@calibrators
def test_scores_at_and_between_thresholds(calibrator):
    learnt = calibrator().fit(LABELS, SCORES)
    first, second, third, last = learnt.table().values
    given_scores = [math.inf, 5, 0.9, 0.89, 0.6, 0.59, 0.3, 0.25, 0.2, 0.1, -math.inf]
    assert learnt.transform(given_scores).tolist() == [
        *[first] * 3,
        *[second] * 2,
        *[third] * 2,
        *[last] * 4,
    ]
    assert learnt.table().lower.tolist() == [0.9, 0.6, 0.3, 0.2]


@calibrators
def test_a_hull_knows_no_score_above_its_first_vertex(calibrator):
    pts = iso.OperatingPoints.from_scores([1, 1, 1, 0, 1, 0], [9, 8, 7, 4, 2, 1])
    # Of thresholds that were chosen, those above the first vertex need not be scores.
    for points, highest in ((pts, 9), (pts.hull(), 7), (pts.at(pts.thresholds[1:]), 7)):
        assert calibrator.from_points(points).table().highest_score == highest


def test_infinite_and_equal_scores():
    inf = math.inf
    learnt = iso.FCalibrator().fit([1, 0, 1, 0], [inf, 1, 0, -inf])
    assert learnt.transform([inf, 7]).tolist() == learnt.table().values[:2].tolist()
    only = iso.AccuracyCalibrator().fit([1, 0], [inf, -inf])
    assert only.transform([inf, -inf]).tolist() == [1, 0]
    assert iso.AccuracyCalibrator().fit([1, 0, 0], [3, 3, 3]).transform([1, 9]).tolist() == [
        1 / 3,
        1 / 3,
    ]
    assert iso.FCalibrator().fit([1, 0, 0], [3, 3, 3]).table().values.tolist() == [1]


@calibrators
def test_from_points_and_faces(calibrator):
    pts = iso.OperatingPoints.from_scores(LABELS, SCORES)
    learnt, fresh = calibrator.from_points(pts), calibrator()
    assert repr(learnt) == f"{calibrator.__name__}(4 segments)"
    assert repr(fresh) == f"{calibrator.__name__}(not fitted)"
    assert fresh.fit(LABELS, SCORES) is fresh
    np.testing.assert_array_equal(learnt.table().values, fresh.table().values)
    assert learnt == fresh != calibrator() != "a calibrator"
    np.testing.assert_array_equal(
        calibrator.from_points(pts.hull()).table().values, learnt.table().values
    )
    assert learnt.table().tp.sum() == 4
    assert repr(learnt.table()).startswith("CalibrationSegments: 4 segments of the hull\n")
    assert learnt.transform(pd.Series([0.7])).tolist() == [learnt.table().values[1]]


@calibrators
def test_ends_of_segments_are_printed_as_short_as_the_next_score_allows(calibrator):
    learnt = calibrator().fit([1, 0, 1, 0], [0.91234567, 0.8, 0.61234567, 0.1])
    rows = [line.split()[:2] for line in repr(learnt.table()).splitlines()[2:]]
    assert rows == [["0.912", "inf"], ["0.612", "0.912"], ["0.1", "0.612"]]


@calibrators
def test_refusals(calibrator):
    name = calibrator.__name__
    with pytest.raises(NotFittedError) as caught:
        calibrator().transform([1])
    assert str(caught.value) == f"this {name} has learnt nothing yet; call fit or from_points"
    with pytest.raises(OneClassError, match="y_true has only positives; both classes are needed"):
        calibrator().fit([1, 1], [0.2, 0.4])
    curve = iso.OperatingPoints.from_counts([1, 3], [0, 1], positives=4, negatives=4)
    with pytest.raises(NotAnswerableError, match="a curve without thresholds whose thresholds"):
        calibrator.from_points(curve)
    learnt = calibrator().fit(LABELS, SCORES)
    with pytest.raises(MissingValueError, match="scores has missing values"):
        learnt.transform([math.nan])
    with pytest.raises(ScoreError, match="scores has values that are not real numbers"):
        learnt.transform(["high"])
    with pytest.raises(DimensionError, match="scores must be one-dimensional"):
        learnt.transform(np.ones((2, 2)))


RNG = np.random.default_rng(5)
DRAWN = RNG.random(500) < 0.3


@settings(max_examples=30)
@given(binary_samples(ties=True, dtypes=["float64"]))
@example((np.array([True, False]), [1.0, 1.0]))
def test_the_report_adds_up(sample):
    y_true, probabilities = sample[0], np.clip(sample[1], 0, 1)
    report = calibration_report(y_true, probabilities, bins=4)
    assert report.items.sum() == y_true.size
    assert report.positives.sum() == y_true.sum()
    assert report.items.size <= 4
    assert (report.lower <= report.upper).all()
    assert (report.upper[:-1] < report.lower[1:]).all()
    assert report.brier_score == pytest.approx(sklearn.brier_score_loss(y_true, probabilities))
    assert report.log_loss == pytest.approx(sklearn.log_loss(y_true, probabilities))
    for row in range(report.items.size):
        expected = binomtest(int(report.positives[row]), int(report.items[row])).proportion_ci(
            0.95, "wilson"
        )
        assert report.observed_lower[row] == pytest.approx(expected.low, abs=1e-12)
        assert report.observed_upper[row] == pytest.approx(expected.high, abs=1e-12)


def test_equal_bins_are_those_of_scikit_learn():
    probabilities = RNG.permutation(500) / 500
    report = calibration_report(DRAWN, probabilities, bins=5)
    assert report.items.tolist() == [100] * 5
    observed, predicted = calibration_curve(DRAWN, probabilities, n_bins=5, strategy="quantile")
    np.testing.assert_allclose(report.observed, observed)
    np.testing.assert_allclose(report.predicted, predicted)
    error = np.abs(observed - predicted).mean()
    assert report.calibration_error == pytest.approx(error)


def test_certain_probabilities_that_are_right():
    report = calibration_report([0, 1, 1], [0, 1, 1])
    assert (report.brier_score, report.calibration_error) == (0, 0)
    assert report.lower.tolist() == report.upper.tolist() == [0, 1]
    report = calibration_report([0, 1], [0.25, 0.75], bins=2)
    assert repr(report).startswith("CalibrationReport: Brier score 0.0625, log loss 0.287682, ")


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([0, 1], [0.5, 1.5]), {}, ScoreError, "probabilities has values outside [0, 1]: 1 in all"),
        (([0, 1], [0.5, np.nan]), {}, MissingValueError, "probabilities has missing values"),
        (([1, 1], [0.5, 0.6]), {}, OneClassError, "y_true has only positives"),
        (([0, 1], [0.5, 0.6]), {"bins": 2.5}, ParameterError, "bins must be a whole number, 2 or"),
        (([0, 1], [0.5, 0.6]), {"confidence": 1}, ParameterError, "confidence must be strictly"),
    ],
)
def test_refusals_of_a_report(arguments, options, error, message):
    with pytest.raises(error) as caught:
        calibration_report(*arguments, **options)
    assert str(caught.value).startswith(message)
