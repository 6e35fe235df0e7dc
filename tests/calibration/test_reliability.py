"""The reliability table against scikit-learn and scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import binomtest
from sklearn import metrics as sklearn
from sklearn.calibration import calibration_curve

from isometrics.calibration import calibration_report
from isometrics.errors import MissingValueError, OneClassError, ParameterError, ScoreError
from isometrics.testing.strategies import binary_samples

RNG = np.random.default_rng(5)
LABELS = RNG.random(500) < 0.3
SCORES = RNG.normal(2.0 * LABELS)


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
def test_refusals(arguments, options, error, message):
    with pytest.raises(error) as caught:
        calibration_report(*arguments, **options)
    assert str(caught.value).startswith(message)
