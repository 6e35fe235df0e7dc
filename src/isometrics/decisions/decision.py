"""A chosen rule ``score >= threshold``, with its counts, its measures and its objective."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.arrays import column, plain
from isometrics._core.results import ResultTable, number
from isometrics._core.threshold_text import threshold_text
from isometrics._counting.best_rules import Counts
from isometrics._table.table import Kind, Table
from isometrics.errors import NotAnswerableError, ScoreError
from isometrics.measures import f_name
from isometrics.points import OperatingPoints
from isometrics.spaces import pr, prg

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Total


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Decision(ResultTable):
    """A chosen rule ``score >= threshold``: its counts, its measures, and its objective.

    ``float(decision)`` is the threshold: +inf for the empty rule, NaN where the table has none. It
    raises an error where the threshold is an integer that a float of 64 bits cannot represent.

    Attributes
    ----------
    threshold
        The threshold; an integer where it is one that floats cannot represent.
    tp, fp, fn, tn
        The counts of the rule.
    objective, value
        What was maximised, in words, and its value.
    beta
        The β of `f` and `f_gain`; 1 where the objective has none.
    label
        The name of the row, in a family of sets.
    prevalence
        The prevalence for which the rule was chosen: that of the data, or of `at_prevalence`.
    parameters
        The objective and the constraints as arguments of `best_threshold` or `Analysis.verdict`.
    model
        The model whose scores are compared; None if it has no name.
    scores
        The column of these scores, and `model_column` the one that names the model of each row;
        None where the data had no such columns.
    pos_label
        The label of the positive class; None if it is 1 or true.
    fingerprint
        The SHA-256 of the data that the counts are of, whatever the order of its rows; None if the
        data are not known to their last row.

    Notes
    -----
    `Analysis.decision` and `Analysis.verdict` know the model, its column and its data;
    `best_threshold` knows a table alone.
    """

    threshold: float
    tp: Total
    fp: Total
    fn: Total
    tn: Total
    objective: str
    value: float
    beta: float = 1.0
    label: object = None
    prevalence: float = math.nan
    parameters: dict[str, float | str] = field(default_factory=dict)
    model: str | None = None
    scores: str | None = None
    model_column: str | None = None
    pos_label: object = None
    fingerprint: str | None = None
    _below: Any = field(default=None, compare=False)
    """The next lower score, as in `threshold_text`."""

    def __float__(self) -> float:
        """Return the threshold, unless it would be rounded to that of another rule."""
        threshold = float(self.threshold)
        if threshold != self.threshold and not math.isnan(threshold):
            raise NotAnswerableError(
                f"the threshold {self.threshold} is not a float of 64 bits; use .threshold, which "
                "is exact"
            )
        return threshold

    @property
    def counts(self) -> Counts:
        """The true and false positives, and the totals of both classes."""
        return Counts(self.tp, self.fp, self.tp + self.fn, self.fp + self.tn)

    @property
    def precision(self) -> float:
        """The precision of the rule; NaN for the empty rule."""
        return float(self.counts.precision)

    @property
    def recall(self) -> float:
        """The recall of the rule."""
        return float(self.counts.recall)

    @property
    def f(self) -> float:
        """F_β of the rule, for `beta`."""
        return float(pr.f(self._table, self.beta)[0])

    @property
    def f_gain(self) -> float:
        """The gain of F_β, for `beta`."""
        return float(prg.f_gain(self._table, self.beta)[0])

    @property
    def _table(self) -> Table:
        tp, fp, positives, negatives = self.counts
        thresholds, counts = np.array([np.nan]), (np.array([tp]), np.array([fp]))
        return Table(thresholds, *counts, positives, negatives, Kind.SELECTION)

    @property
    def flagged_share(self) -> float:
        """The share of all rows that the rule flags, at its prevalence; NaN if it is not known."""
        share_of_positives, share_of_negatives = self.recall, self.fp / (self.fp + self.tn)
        return self.prevalence * share_of_positives + (1 - self.prevalence) * share_of_negatives

    def predict(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Tell which scores are flagged: those at or above the threshold.

        The numbers are compared exactly, whatever their types: nothing is rounded. Missing scores
        are refused. The threshold +inf flags nothing, not even a score of +inf.

        Parameters
        ----------
        scores
            The scores of new rows, as `OperatingPoints.from_scores` takes them.

        Examples
        --------
        >>> import isometrics as iso
        >>> labels, scores = [1, 0, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
        >>> decision = iso.analyse(labels, {"forest": scores}).decision()
        >>> decision.threshold, decision.predict([0.7, 0.2, 0.6])
        (0.6, array([ True, False,  True]))
        """
        self.check_threshold()
        return _at_or_above(column(scores, "scores").numbers(ScoreError), self.threshold)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the rule to a JSON file, which `load_decision` reads.

        Parameters
        ----------
        path
            The file.
        """
        from isometrics.decisions.files import write_decision

        write_decision(self, path)

    def check_threshold(self) -> None:
        """Refuse a decision that is not about scores."""
        if math.isnan(self.threshold):
            raise NotAnswerableError(
                "this decision has no threshold: it chose a set, or a point of a curve whose "
                "scores are not known; choose from OperatingPoints.from_scores"
            )

    def _title(self) -> str:
        where = self._threshold_text() if self.label is None else repr(self.label)
        what = "threshold" if self.label is None else "row"
        whose = "" if self.model is None else f" of {self.model}"
        return f"Decision: {what} {where}{whose}, best for {self.objective}: {number(self.value)}"

    def _threshold_text(self) -> str:
        """Return the threshold as it is printed."""
        return threshold_text(self.threshold, self._below)

    def _columns(self) -> dict[str, Any]:
        shown = ("threshold", "tp", "fp", "fn", "tn", "precision", "recall", "f", "f_gain")
        columns = {name: [getattr(self, name)] for name in (*shown, "objective", "value", "beta")}
        names = {"model": self.model, "label": self.label}
        return {key: [str(name)] for key, name in names.items() if name is not None} | columns

    def _shown(self) -> dict[str, Any]:
        measures = ("tp", "fp", "fn", "tn", "precision", "recall")
        f = f_name(self.beta)
        return {name: [getattr(self, name)] for name in measures} | {
            f: [self.f],
            "F gain": [self.f_gain],
        }


def threshold_array(thresholds: Sequence[float]) -> NDArray[Any]:
    """Return thresholds of decisions as an array that represents each of them exactly."""
    is_wide = any(isinstance(threshold, int) for threshold in thresholds)
    return np.array(thresholds, np.longdouble if is_wide else np.float64)


def decision_at(pts: OperatingPoints, row: int, objective: str, beta: float = 1.0) -> Decision:
    """Return a row as a decision whose value is F_β."""
    value = float(pr.f(pts.table, beta)[row])
    return decision_of(pts.table, row, objective, value, beta)


def decision_of(
    table: Table, row: int, objective: str, value: float, beta: float = 1.0
) -> Decision:
    """Return a row as a decision."""
    points = OperatingPoints(table.take(np.array([row]), Kind.SELECTION))
    return Decision(
        threshold=plain(points.thresholds[0]),  # type: ignore[arg-type]
        tp=points.tp[0].item(),
        fp=points.fp[0].item(),
        fn=points.fn[0].item(),
        tn=points.tn[0].item(),
        objective=objective,
        value=value,
        beta=beta,
        label=None if points.labels is None else points.labels[0],
        prevalence=points.prevalence,
        _below=points.table.next_lower()[0],
    )


def _at_or_above(values: NDArray[Any], threshold: Any) -> NDArray[np.bool_]:
    """Compare numbers of any type with a threshold of any other, exactly.

    The threshold is replaced by the least number of the values' own type that reaches it. No score
    reaches +inf, the threshold of the empty rule.
    """
    if math.isinf(threshold):
        return np.full(values.shape, threshold < 0)
    if values.dtype.kind == "f":
        with np.errstate(over="ignore", under="ignore"):
            least = values.dtype.type(threshold)
            if _exact(least) < _exact(threshold):
                least = np.nextafter(least, values.dtype.type(np.inf))
        return np.asarray(values >= least)
    whole = values.astype(np.uint8) if values.dtype.kind == "b" else values
    limits = np.iinfo(whole.dtype)
    bound = math.ceil(_exact(threshold))
    if not limits.min <= bound <= limits.max:
        return np.full(values.shape, bound < limits.min)
    return np.asarray(whole >= whole.dtype.type(bound))


def _exact(number: Any) -> Fraction | float:
    """Return a number of any type as one that Python compares exactly."""
    infinite = number in (math.inf, -math.inf)
    return float(number) if infinite else Fraction(*number.as_integer_ratio())


def fingerprint_of(table: Table) -> str | None:
    """Return the SHA-256 of a table with a row for every distinct score; None of another one.

    What is hashed are the distinct scores from the highest on, then for each of them the positives
    and the negatives at or above it, all as float64, little-endian. Where a score has more digits,
    what is left of each comes last.
    """
    if not table.complete:
        return None
    hashed = hashlib.sha256()
    # Adding 0 makes -0.0, which is the same score, 0.0.
    scores = table.thresholds[1:] + 0
    rounded = scores.astype("<f8")
    for values in (rounded, table.tp[1:], table.fp[1:]):
        hashed.update(np.ascontiguousarray(values, "<f8").data)
    if scores.dtype.itemsize > 8:
        with np.errstate(invalid="ignore"):
            rest = np.where(np.isinf(scores), 0, scores - rounded).astype("<f8")
        if rest.any():
            hashed.update(rest.data)
    return hashed.hexdigest()
