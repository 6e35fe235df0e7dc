"""The reliability of probabilities, and a sigmoid that turns scores into probabilities.

Both use scikit-learn: ``pip install 'isometrics[sklearn]'``.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.arrays import Column, column
from isometrics._core.parameters import check_confidence, parse_whole
from isometrics._core.results import ResultTable, Value, number
from isometrics._core.sample import UNNAMED, check_totals, parse_sample
from isometrics.errors import MissingPackageError, ParameterError, ScoreError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Floats

__all__ = ["CalibrationReport", "PlattScaling", "calibration_report", "platt_scaling"]


@dataclass(frozen=True, slots=True, eq=False)
class PlattScaling(Value):
    """A sigmoid of the score, 1/(1 + exp(-(slope·s + intercept)))."""

    slope: float
    intercept: float

    def transform(self, scores: ArrayLike) -> Floats:
        """Return the probabilities of scores."""
        from scipy.special import expit

        numbers = column(scores, "scores").numbers(ScoreError).astype(np.float64)
        return np.asarray(expit(self.slope * numbers + self.intercept))


def platt_scaling(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> PlattScaling:
    """Fit a sigmoid that turns scores into probabilities (Platt 1999).

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in `OperatingPoints.from_scores`; scores must be finite.

    Notes
    -----
    Logistic regression without penalty on Platt's targets, (P+1)/(P+2) for positives and
    1/(N+2) for negatives. They keep the slope finite where the scores separate the classes.

    Examples
    --------
    >>> from isometrics.calibration.reliability import platt_scaling
    >>> sigmoid = platt_scaling([0, 0, 1, 0, 1, 1], [-2, -1, 0, 0, 1, 2])
    >>> sigmoid.transform([0.0]).round(3)
    array([0.5])
    """
    linear_model = _sklearn("linear_model", "platt_scaling")
    sample = parse_sample(
        y_true, {UNNAMED: y_score}, sample_weight=sample_weight, pos_label=pos_label
    )
    labels, scores, weights = sample.labels, sample.only_scores, sample.weights
    check_totals(int(labels.sum()), int((~labels).sum()), counted="y_true")
    values = scores.astype(np.float64)
    if not np.isfinite(values).all():
        raise ScoreError("y_score has infinite values; a sigmoid needs finite scores")
    mean, deviation = values.mean(), values.std()
    if deviation == 0:
        raise ScoreError("y_score has one value only; a sigmoid needs at least two")
    weights = np.ones(values.size) if weights is None else weights
    positives, negatives = weights[labels].sum(), weights[~labels].sum()
    target = np.where(labels, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    # A target t between 0 and 1 is a positive row of weight t and a negative one of weight 1-t.
    features = np.tile((values - mean) / deviation, 2)[:, None]
    classes = np.repeat([True, False], values.size)
    class_weights = np.concatenate([target * weights, (1 - target) * weights])
    model = linear_model.LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    model.fit(features, classes, sample_weight=class_weights)
    slope = float(model.coef_[0, 0] / deviation)
    return PlattScaling(slope, float(model.intercept_[0] - slope * mean))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CalibrationReport(ResultTable):
    """Brier score, log loss and calibration error of probabilities, and a reliability table.

    Attributes
    ----------
    brier_score, log_loss
        Mean squared error and mean negative log-likelihood (in nats) of the probabilities.
    calibration_error
        The mean distance of predicted and observed shares over the bins, weighted by their items.
    lower, upper
        The lowest and the highest probability in each bin.
    items, positives
        The numbers of items and of positives in each bin.
    predicted, observed
        The mean probability and the share of positives of each bin.
    observed_lower, observed_upper
        Wilson's interval for the share of positives, at the requested confidence.
    """

    brier_score: float
    log_loss: float
    calibration_error: float
    lower: Floats
    upper: Floats
    items: NDArray[np.int64]
    positives: NDArray[np.int64]
    predicted: Floats
    observed: Floats
    observed_lower: Floats
    observed_upper: Floats

    def _title(self) -> str:
        return (
            f"CalibrationReport: Brier score {number(self.brier_score)}, "
            f"log loss {number(self.log_loss)}, "
            f"calibration error {number(self.calibration_error)}"
        )

    def _columns(self) -> dict[str, Any]:
        names = ("lower", "upper", "items", "positives", "predicted", "observed")
        return self._named(*names, "observed_lower", "observed_upper")


def calibration_report(
    y_true: ArrayLike,
    probabilities: ArrayLike,
    *,
    pos_label: object = None,
    bins: int = 10,
    confidence: float = 0.95,
) -> CalibrationReport:
    """Return how well probabilities agree with the observed shares of positives.

    Parameters
    ----------
    y_true, pos_label
        As in `OperatingPoints.from_scores`.
    probabilities
        Predicted probabilities of the positive class.
    bins
        The number of bins. They have equally many items as far as ties allow: equal probabilities
        share a bin, so there may be fewer bins.
    confidence
        The confidence of the intervals.

    Examples
    --------
    >>> from isometrics.calibration.reliability import calibration_report
    >>> calibration_report([0, 0, 1, 0, 1, 1], [0.1, 0.1, 0.4, 0.6, 0.7, 0.9], bins=2)
    CalibrationReport: Brier score 0.14, log loss 0.417556, calibration error 0.1
    lower  upper  items  positives  predicted  observed  observed_lower  observed_upper
      0.1    0.4      3          1        0.2  0.333333       0.0614919         0.79234
      0.6    0.9      3          2   0.733333  0.666667         0.20766        0.938508
    """
    metrics = _sklearn("metrics", "calibration_report")
    argument = "probabilities"
    sample = parse_sample(y_true, {UNNAMED: probabilities}, argument=argument, pos_label=pos_label)
    labels, values = sample.labels, sample.only_scores.astype(np.float64)
    check_totals(int(labels.sum()), int((~labels).sum()), counted="y_true")
    outside = (values < 0) | (values > 1)
    Column(argument, values).refuse(outside, ScoreError, "values outside [0, 1]")
    n_bins = parse_whole(bins)
    if n_bins is None or n_bins < 1:
        raise ParameterError(f"must be a whole number ≥ 1 but is {bins!r}", parameter="bins")
    level = check_confidence(confidence, "confidence")
    bin_index = _bins_of_equal_size(values, n_bins)
    items = np.bincount(bin_index)
    positives = np.bincount(bin_index[labels], minlength=items.size)
    predicted = np.bincount(bin_index, values) / items
    lower, upper = _wilson(positives, items, level)
    lowest, highest = np.full(items.size, np.inf), np.full(items.size, -np.inf)
    np.minimum.at(lowest, bin_index, values)
    np.maximum.at(highest, bin_index, values)
    return CalibrationReport(
        float(metrics.brier_score_loss(labels, values)),
        float(metrics.log_loss(labels, values)),
        float(np.sum(np.abs(predicted - positives / items) * items) / values.size),
        lowest,
        highest,
        items,
        positives,
        predicted,
        positives / items,
        lower,
        upper,
    )


def _bins_of_equal_size(values: Floats, n_bins: int) -> NDArray[np.intp]:
    """Return each value's bin, from 0; equal values are in the bin of the first of them."""
    distinct, distinct_index = np.unique(values, return_inverse=True)
    rank = np.searchsorted(np.sort(values), distinct)
    bin_of_distinct = rank * n_bins // values.size
    # Bins without values are left out of the numbering.
    return np.asarray(np.unique(bin_of_distinct, return_inverse=True)[1][distinct_index])


def _wilson(
    positives: NDArray[np.int64], items: NDArray[np.int64], confidence: float
) -> tuple[Floats, Floats]:
    """Return Wilson's score interval (1927) of each share."""
    from scipy.special import ndtri

    z = ndtri((1 + confidence) / 2)
    share = positives / items
    middle = (share + z * z / (2 * items)) / (1 + z * z / items)
    half = z * np.sqrt(share * (1 - share) / items + (z / (2 * items)) ** 2) / (1 + z * z / items)
    # The share lies inside, which rounding hides where it is 0 or 1.
    return np.clip(middle - half, 0.0, share), np.clip(middle + half, share, 1.0)


def _sklearn(module: str, purpose: str) -> Any:
    try:
        return import_module(f"sklearn.{module}")
    except ImportError as error:
        raise MissingPackageError(f"{purpose} needs scikit-learn", "isometrics[sklearn]") from error
