"""Platt's sigmoid and the reliability table against scikit-learn and scipy."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import binomtest
from sklearn import metrics as sklearn
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression

from isometrics.calibration.reliability import PlattScaling, calibration_report, platt_scaling
from isometrics.errors import MissingValueError, OneClassError, ParameterError, ScoreError
from isometrics.testing.strategies import binary_samples

RNG = np.random.default_rng(5)
LABELS = RNG.random(500) < 0.3
SCORES = RNG.normal(2.0 * LABELS)


def test_many_rows_are_logistic_regression():
    """Platt's targets tend to 0 and 1, so with many rows nothing else is left."""
    labels, scores = np.tile(LABELS, 200), np.tile(SCORES, 200)
    sigmoid = platt_scaling(labels, scores)
    model = LogisticRegression(C=np.inf).fit(scores[:, None], labels)
    assert sigmoid.slope == pytest.approx(model.coef_[0, 0], rel=2e-3)
    assert sigmoid.intercept == pytest.approx(model.intercept_[0], rel=2e-3)
    weighted = platt_scaling(LABELS, SCORES, sample_weight=np.full(500, 200))
    assert weighted.slope == pytest.approx(sigmoid.slope, rel=1e-6)


def test_platts_own_optimum():
    """The gradient of the log-likelihood of Platt's targets is zero."""
    sigmoid = platt_scaling(LABELS, SCORES)
    positives, negatives = LABELS.sum(), (~LABELS).sum()
    target = np.where(LABELS, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    excess = sigmoid.transform(SCORES) - target
    assert excess.sum() == pytest.approx(0, abs=1e-3)
    assert excess @ SCORES == pytest.approx(0, abs=1e-3)


def test_separable_scores_stay_finite():
    sigmoid = platt_scaling(["no", "no", "yes", "yes"], [1, 2, 3, 4], pos_label="yes")
    assert 0 < sigmoid.slope < 10
    assert sigmoid.transform([2.5])[0] == pytest.approx(0.5, abs=1e-4)
    other = platt_scaling(["no", "no", "yes", "yes"], [1, 2, 3, 4], pos_label="no")
    assert other.slope == pytest.approx(-sigmoid.slope, rel=1e-6)


def test_a_sigmoid_by_hand():
    assert PlattScaling(1, -1).transform([1, 1000, -1000]).tolist() == [0.5, 1, 0]


def test_what_a_sigmoid_refuses():
    with pytest.raises(ScoreError, match=r"^scores has values that are not real numbers"):
        PlattScaling(1, -1).transform(["high"])


def test_scores_without_a_sigmoid():
    with pytest.raises(ScoreError, match="y_score has infinite values; a sigmoid needs finite"):
        platt_scaling([1, 0], [np.inf, 0])
    with pytest.raises(ScoreError, match="y_score has one value only"):
        platt_scaling([1, 0], [3, 3])
    with pytest.raises(OneClassError, match="y_true has only negatives"):
        platt_scaling([0, 0], [3, 4])


@settings(max_examples=30)
@given(binary_samples(ties=True, dtypes=["float64"]))
def test_the_report_adds_up(sample):
    y_true, probabilities = sample[0], np.clip(sample[1], 0.001, 0.999)
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
    report = calibration_report(LABELS, probabilities, bins=5)
    assert report.items.tolist() == [100] * 5
    observed, predicted = calibration_curve(LABELS, probabilities, n_bins=5, strategy="quantile")
    np.testing.assert_allclose(report.observed, observed)
    np.testing.assert_allclose(report.predicted, predicted)
    error = np.abs(observed - predicted).mean()
    assert report.calibration_error == pytest.approx(error)


def test_certain_probabilities_that_are_right():
    report = calibration_report([0, 1, 1], [0, 1, 1])
    assert (report.brier_score, report.calibration_error) == (0, 0)
    assert report.lower.tolist() == report.upper.tolist() == [0, 1]


def test_faces_of_a_report():
    report = calibration_report([0, 1], [0.25, 0.75], bins=1)
    assert repr(report).startswith("CalibrationReport: Brier score 0.0625, log loss 0.287682, ")
    assert list(report.to_frame("pandas").columns) == [
        "lower",
        "upper",
        "items",
        "positives",
        "predicted",
        "observed",
        "observed_lower",
        "observed_upper",
    ]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([0, 1], [0.5, 1.5]), {}, ScoreError, "probabilities has values outside [0, 1]: 1 in all"),
        (([0, 1], [0.5, np.nan]), {}, MissingValueError, "probabilities has missing values"),
        (([1, 1], [0.5, 0.6]), {}, OneClassError, "y_true has only positives"),
        (([0, 1], [0.5, 0.6]), {"bins": 0}, ParameterError, "bins must be a whole number ≥ 1"),
        (([0, 1], [0.5, 0.6]), {"bins": 2.5}, ParameterError, "bins must be a whole number ≥ 1"),
        (([0, 1], [0.5, 0.6]), {"confidence": 1}, ParameterError, "confidence must be strictly"),
    ],
)
def test_refusals(arguments, options, error, message):
    with pytest.raises(error) as caught:
        calibration_report(*arguments, **options)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("function", [platt_scaling, calibration_report])
def test_a_missing_scikit_learn_is_named(function, monkeypatch):
    for module in ("sklearn.metrics", "sklearn.linear_model"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError) as caught:
        function([0, 1], [0.2, 0.8])
    assert str(caught.value) == (
        f"{function.__name__} needs scikit-learn: pip install 'isometrics[sklearn]'"
    )
