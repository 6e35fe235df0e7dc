"""Accuracy-calibrated and F-calibrated scores, from the segments of the hull."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from isometrics._core.arrays import column
from isometrics._core.parameters import check_choice
from isometrics._core.results import ResultTable, same
from isometrics._core.sample import HIGHEST_SCORE, as_thresholds
from isometrics._core.threshold_text import ThresholdTexts
from isometrics._table.hull import hull_of
from isometrics._table.table import Kind
from isometrics.decisions.beta_intervals import segment_precisions, segment_shares
from isometrics.errors import NotAnswerableError, NotFittedError, ScoreError
from isometrics.points import OperatingPoints

if TYPE_CHECKING:
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
        The highest score of the table, where the first segment ends for linear interpolation.
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

    def lines(self, scores: NDArray[Any]) -> Floats:
        """Return values on straight lines between the middles of the segments."""
        knots, values = self._middles()[::-1], self.values[::-1]
        # Division by 4 keeps differences of the largest floats finite.
        interpolated = np.interp(scores.astype(np.float64) / 4, knots / 4, values)
        # Rounding may exceed the range of the values by one bit.
        return np.asarray(np.clip(interpolated, values[0], values[-1]))

    def _middles(self) -> Floats:
        ends = np.concatenate([[self.highest_score], self.lower]).astype(np.float64)
        finite = ends[np.isfinite(ends) & (ends < HIGHEST_SCORE)]
        # Infinite scores have no middle; the nearest finite threshold replaces them.
        lowest, highest = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
        ends = np.clip(ends, lowest, highest)
        return np.asarray(ends[:-1] / 2 + ends[1:] / 2)


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

    def transform(self, scores: ArrayLike, *, interpolate: str = "step") -> Floats:
        """Return calibrated scores.

        Parameters
        ----------
        scores
            Scores on the scale of the fitted ones. Scores beyond their range get the value of the
            first or the last segment.
        interpolate
            ``"step"``: the value of the segment that the score lies in, which keeps every
            decision exact. ``"linear"``: straight lines between the middles of the segments,
            constant beyond the outer middles; it never falls as scores rise, and distinguishes
            scores that the steps tie, but decisions near the thresholds are no longer exact.
        """
        segments = self._fitted()
        check_choice(interpolate, "interpolate", ("step", "linear"))
        numbers = as_thresholds(column(scores, "scores").numbers(ScoreError))
        return segments.steps(numbers) if interpolate == "step" else segments.lines(numbers)

    def table(self) -> CalibrationSegments:
        """Return the step map as a table."""
        return self._fitted()

    def to_frame(self, library: str | None = None) -> Any:
        """Return the step map as a data frame of pandas, polars or pyarrow."""
        return self._fitted().to_frame(library)

    @property
    def thresholds_(self) -> NDArray[Any]:
        """The lower threshold of each segment."""
        return self._fitted().lower

    @property
    def values_(self) -> Floats:
        """The calibrated score of each segment."""
        return self._fitted().values

    def _fitted(self) -> CalibrationSegments:
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
        name = type(self).__name__
        state = f"{self.values_.size} segments" if hasattr(self, "segments_") else "not fitted"
        return f"{name}({state})"


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
