"""Calibrated scores from segments of the hull, their JSON files, and how reliable they are."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from isometrics._core.arrays import Column, column
from isometrics._core.counts import as_thresholds, check_totals
from isometrics._core.files import is_count, json_number, parse_real, read_json, write_json
from isometrics._core.parameters import check_confidence, check_size
from isometrics._core.results import ResultTable, number, same
from isometrics._core.rows import parse_sample
from isometrics._core.sample import UNNAMED
from isometrics._core.threshold_text import ThresholdTexts
from isometrics._counting.confusion import wilson_bound
from isometrics._table.path import hull_of
from isometrics._table.table import Kind
from isometrics.decisions.best import segment_precisions, segment_shares
from isometrics.errors import (
    FileError,
    NotAnswerableError,
    NotFittedError,
    ScoreError,
)
from isometrics.points import OperatingPoints
from isometrics.uncertainty.intervals import NORMAL

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Counts, Floats
    from isometrics._table.table import Table


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CalibrationSegments(ResultTable):
    """The step map of a calibrator: one row for each segment of the hull, highest scores first.

    Attributes
    ----------
    lower, upper
        A score s belongs to the segment with lower ≤ s < upper.
    values
        The calibrated score of the segment; it never rises from one row to the next.
    tp, fp
        The positives and negatives whose scores lie in the segment.
    highest_score
        The highest score of the table, which lies in the first segment.
    """

    lower: NDArray[Any]
    upper: NDArray[Any]
    values: Floats
    tp: Counts
    fp: Counts
    highest_score: float
    _below: NDArray[Any] | None = field(default=None, compare=False)
    """The next lower scores of all ends, from the highest on, as in `threshold_text`."""

    def _title(self) -> str:
        return f"CalibrationSegments: {self.values.size} segments of the hull"

    def _columns(self) -> dict[str, Any]:
        return self._named("lower", "upper") | {"value": self.values} | self._named("tp", "fp")

    def _shown(self) -> dict[str, Any]:
        lower, upper = (None, None) if self._below is None else (self._below[1:], self._below[:-1])
        return self._columns() | {
            "lower": ThresholdTexts(self.lower, lower),
            "upper": ThresholdTexts(self.upper, upper),
        }

    def steps(self, scores: NDArray[Any]) -> Floats:
        """Return the value of each score's segment."""
        segment = np.searchsorted(-self.lower, -scores, "left")
        return np.asarray(self.values[np.minimum(segment, self.values.size - 1)])


class HullCalibrator(ABC):
    """Base class of both calibrators: a step map over the segments of the hull."""

    segments_: CalibrationSegments

    def fit(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
    ) -> Self:
        """Fit the map to labels and scores, and return the calibrator.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label
            As in `OperatingPoints.from_scores`.
        """
        points = OperatingPoints.from_scores(
            y_true, y_score, sample_weight=sample_weight, pos_label=pos_label
        )
        return self._fit_points(points)

    @classmethod
    def from_points(cls, pts: OperatingPoints) -> Self:
        """Return a calibrator fitted to a table with thresholds."""
        return cls()._fit_points(pts)

    def _fit_points(self, pts: OperatingPoints) -> Self:
        hull = hull_of(pts.table)
        of_scores = pts.table.kind is Kind.SCORES and pts.table.has_hull
        thresholds = hull.thresholds
        if np.isnan(thresholds).any():
            raise NotAnswerableError(
                f"{pts.table.name} whose thresholds are not known cannot calibrate scores; build "
                "the table from scores"
            )
        self.segments_ = CalibrationSegments(
            thresholds[1:],
            thresholds[:-1],
            self._values(hull),
            np.diff(hull.tp),
            np.diff(hull.fp),
            # A table of scores has the scores above its first vertex; other tables do not.
            float((pts if of_scores else hull).thresholds[1]),
            hull.next_lower(),
        )
        return self

    @staticmethod
    @abstractmethod
    def _values(hull: Table) -> Floats:
        """Return the calibrated score of each segment."""

    def transform(self, scores: ArrayLike) -> Floats:
        """Return calibrated scores.

        Parameters
        ----------
        scores
            Scores on the scale of the fitted ones. Each gets the value of the segment that it lies
            in; scores beyond their range get that of the first or the last segment.
        """
        return self.table().steps(as_thresholds(column(scores, "scores").numbers(ScoreError)))

    def table(self) -> CalibrationSegments:
        """Return the step map as a table."""
        if not hasattr(self, "segments_"):
            name = type(self).__name__
            raise NotFittedError(f"this {name} has learnt nothing yet; call fit or from_points")
        return self.segments_

    def __eq__(self, other: object) -> bool:
        """Compare with a calibrator of the same class by the fitted maps."""
        if type(self) is not type(other):
            return NotImplemented
        return same(vars(self), vars(other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Return the name of the class and the number of segments."""
        fitted = hasattr(self, "segments_")
        state = f"{self.segments_.values.size} segments" if fitted else "not fitted"
        return f"{type(self).__name__}({state})"


class AccuracyCalibrator(HullCalibrator):
    """Scores as probabilities of the positive class, fitted by the convex hull.

    The threshold c on calibrated scores is best for the cost proportion c, and ½ for accuracy.

    Notes
    -----
    The value of a segment is its share of positives, Δtp/(Δtp + Δfp). This is isotonic
    regression by pooling adjacent violators (Fawcett & Niculescu-Mizil 2007). Scores that are all
    equal have one segment, whose value is the prevalence.

    Examples
    --------
    >>> import isometrics as iso
    >>> labels, scores = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> calibrator = iso.AccuracyCalibrator().fit(labels, scores)
    >>> calibrator.table()
    CalibrationSegments: 4 segments of the hull
    lower  upper     value  tp  fp
      0.9    inf         1   1   0
      0.6    0.9  0.666667   2   1
      0.3    0.6  0.333333   1   2
      0.2    0.3         0   0   1
    >>> calibrator.transform([0.65, 2.0])
    array([0.66666667, 1.        ])
    """

    @staticmethod
    def _values(hull: Table) -> Floats:
        return segment_precisions(hull)


class FCalibrator(HullCalibrator):
    """Scores on which the threshold 1/(1+β²) is best for F_β, for every β at once.

    Notes
    -----
    The value of a segment of the hull is d = 1/(1+β²) for the β² at which both of its ends have
    the same F_β (Flach & Kull 2015, section 3.4): 1 for the first segment, 0 for a last one that
    contains only negatives. It is exact for integer counts and rounded once.

    ``transform(s) >= 1/(1+β²)`` is the decision of `best_threshold`. Where 1/(1+β²) is the value
    of a segment, all rows of this segment are equally good: ``>=`` then selects its lower end and
    `best_threshold` the upper, as ``>`` would. So at β = ∞ ``>=`` predicts all positive. At β = 0
    it selects the last row of the highest precision; ``>`` would predict no positive.

    No map from accuracy-calibrated to F-calibrated scores holds for all models.
    Scores that are all equal have one segment, whose value is 1: predicting all positive is best
    for every β.

    Examples
    --------
    >>> import isometrics as iso
    >>> labels, scores = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> calibrator = iso.FCalibrator().fit(labels, scores)
    >>> calibrator.table()
    CalibrationSegments: 4 segments of the hull
    lower  upper     value  tp  fp
      0.9    inf         1   1   0
      0.6    0.9  0.888889   2   1
      0.3    0.6  0.444444   1   2
      0.2    0.3         0   0   1
    >>> calibrator.transform([0.7, 0.5]) >= 1 / (1 + 1**2)
    array([ True, False])
    """

    @staticmethod
    def _values(hull: Table) -> Floats:
        return np.array([float(share) for share in segment_shares(hull)])


FORMAT, VERSION = "isometrics calibration map", 1
KINDS: dict[str, type[HullCalibrator]] = {"f": FCalibrator, "accuracy": AccuracyCalibrator}
_MAX_BYTES = 2**26
_COLUMNS = ("lower", "value", "tp", "fp")


def write_map(calibrators: Mapping[str, HullCalibrator], path: str | os.PathLike[str]) -> None:
    """Write the calibrators of models to a JSON file.

    Parameters
    ----------
    calibrators
        Fitted calibrators of one kind by the names of their models.
    path
        The file.
    """
    write_json(map_of(calibrators), path)


def read_map(path: str | os.PathLike[str]) -> dict[str, HullCalibrator]:
    """Read a file that `write_map` wrote; a file that deviates from the format is refused."""
    return read_json(path, calibrators_of, kind="calibration map", max_bytes=_MAX_BYTES)


# ---------------------------------------------------------------------- to JSON


def map_of(calibrators: Mapping[str, HullCalibrator]) -> dict[str, Any]:
    """Return calibrators as JSON data; floats are written so that they are read back exactly.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.calibration import calibrators_of, map_of
    >>> fitted = iso.FCalibrator().fit([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> data = map_of({"model": fitted})
    >>> data["models"]["model"]["segments"][0]
    {'lower': 0.9, 'value': 1.0, 'tp': 1, 'fp': 0}
    >>> calibrators_of(data)["model"].transform([0.75])
    array([0.66666667])
    """
    types = {type(calibrator) for calibrator in calibrators.values()}
    kinds = {kind for kind, calibrator_type in KINDS.items() if calibrator_type in types}
    if len(kinds) != 1:
        raise NotAnswerableError("a map holds calibrators of one kind, and one at least")
    models = {name: _model(calibrator.table(), name) for name, calibrator in calibrators.items()}
    return {"format": FORMAT, "version": VERSION, "kind": kinds.pop(), "models": models}


def _model(segments: CalibrationSegments, name: str) -> dict[str, Any]:
    if segments.lower.dtype.itemsize > 8:
        raise NotAnswerableError(
            f"the scores of {name!r} need more than 64 bits, which JSON readers would round; "
            "divide the scores by a power of two before you fit"
        )
    columns = (segments.lower, segments.values, segments.tp, segments.fp)
    rows = zip(*(map(json_number, column.tolist()) for column in columns), strict=True)
    return {
        "highest_score": json_number(segments.highest_score),
        "segments": [dict(zip(_COLUMNS, row, strict=True)) for row in rows],
    }


# ---------------------------------------------------------------------- from JSON


def calibrators_of(data: object) -> dict[str, HullCalibrator]:
    """Return the calibrators that JSON data describe; raise FileError if they are not valid."""
    top = _fields(data, ("format", "version", "kind", "models"), "the file")
    if (top["format"], top["version"]) != (FORMAT, VERSION):
        raise FileError(
            f"its format is {top['format']!r:.60} in version {top['version']!r:.20} instead of "
            f"{FORMAT!r} in version {VERSION}"
        )
    if not isinstance(top["kind"], str) or top["kind"] not in KINDS:
        raise FileError(f"its kind is {top['kind']!r:.60} instead of 'f' or 'accuracy'")
    if not isinstance(top["models"], dict) or not top["models"]:
        raise FileError("models should be an object with a model or more")
    return {name: _calibrator(top["kind"], name, model) for name, model in top["models"].items()}


def _calibrator(kind: str, name: str, data: object) -> HullCalibrator:
    where = f"model {name!r:.60}"
    model = _fields(data, ("highest_score", "segments"), where)
    rows = model["segments"]
    if not isinstance(rows, list) or not rows:
        raise FileError(f"the segments of {where} should be a list of one or more")
    segments = [_fields(row, _COLUMNS, f"segment {k} of {where}") for k, row in enumerate(rows)]
    lower, values = (
        [parse_real(row[key], f"{key} in segment {k} of {where}") for k, row in enumerate(segments)]
        for key in ("lower", "value")
    )
    tp, fp = (_counts([row[key] for row in segments], f"{key} of {where}") for key in ("tp", "fp"))
    highest = parse_real(model["highest_score"], f"highest_score of {where}")
    falling = all(high > low for high, low in pairwise(lower)) and lower[0] <= highest
    if not falling or any(high < low for high, low in pairwise([1.0, *values, 0.0])):
        raise FileError(f"scores and values of {where} do not fall, the values from 1 to 0 at most")
    calibrator = KINDS[kind]()
    calibrator.segments_ = CalibrationSegments(
        np.array(lower), np.array([math.inf, *lower[:-1]]), np.array(values), tp, fp, highest
    )
    return calibrator


def _fields(data: object, names: Sequence[str], where: str) -> dict[str, Any]:
    if not isinstance(data, dict) or set(data) != set(names):
        raise FileError(f"{where} should be an object with {', '.join(names)} and nothing else")
    return data


def _counts(values: list[Any], where: str) -> Any:
    types = set(map(type, values))
    if len(types) > 1 or not all(map(is_count, values)):
        raise FileError(f"{where} should be whole numbers, or sums of weights, of 0 or more")
    return np.array(values, np.int64 if types == {int} else np.float64)


# ---------------------------------------------------------------------- reliability


_LEAST = float(np.finfo(np.float64).eps)


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
    >>> from isometrics.calibration import calibration_report
    >>> calibration_report([0, 0, 1, 0, 1, 1], [0.1, 0.1, 0.4, 0.6, 0.7, 0.9], bins=2)
    CalibrationReport: Brier score 0.14, log loss 0.417556, calibration error 0.1
    lower  upper  items  positives  predicted  observed  observed_lower  observed_upper
      0.1    0.4      3          1        0.2  0.333333       0.0614919         0.79234
      0.6    0.9      3          2   0.733333  0.666667         0.20766        0.938508
    """
    argument = "probabilities"
    sample = parse_sample(y_true, {UNNAMED: probabilities}, argument=argument, pos_label=pos_label)
    labels, values = sample.labels, sample.only_scores.astype(np.float64)
    check_totals(int(labels.sum()), int((~labels).sum()), counted="y_true")
    outside = (values < 0) | (values > 1)
    Column(argument, values).refuse(outside, ScoreError, "values outside [0, 1]")
    n_bins = check_size(bins, "bins")
    level = check_confidence(confidence, name="confidence")
    # A certainty that proves wrong would cost infinitely much; scikit-learn cuts it off here, too.
    possible = np.clip(values, _LEAST, 1 - _LEAST)
    distinct, distinct_index = np.unique(values, return_inverse=True)
    # Equal values are in the bin of the first of them; bins without values are not numbered.
    bin_of_distinct = np.searchsorted(np.sort(values), distinct) * n_bins // values.size
    bin_index = np.unique(bin_of_distinct, return_inverse=True)[1][distinct_index]
    items = np.bincount(bin_index)
    positives = np.bincount(bin_index[labels], minlength=items.size)
    predicted = np.bincount(bin_index, values) / items
    z, share = NORMAL.inv_cdf((1 + level) / 2), positives / items
    # The share lies inside, which rounding hides where it is 0 or 1.
    lower = np.clip(wilson_bound(share, items, z), 0.0, share)
    upper = np.clip(wilson_bound(share, items, -z), share, 1.0)
    lowest, highest = np.full(items.size, np.inf), np.full(items.size, -np.inf)
    np.minimum.at(lowest, bin_index, values)
    np.maximum.at(highest, bin_index, values)
    return CalibrationReport(
        float(np.mean((values - labels) ** 2)),
        float(-np.mean(np.log(np.where(labels, possible, 1 - possible)))),
        float(np.sum(np.abs(predicted - share) * items) / values.size),
        lowest,
        highest,
        items,
        positives,
        predicted,
        share,
        lower,
        upper,
    )
