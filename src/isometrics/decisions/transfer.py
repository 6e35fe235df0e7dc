"""Thresholds transferred to other data, or to another β."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from isometrics._core.parameters import parse_betas
from isometrics._core.results import ResultTable
from isometrics._core.threshold_text import ThresholdTexts
from isometrics._table.table import Kind, Table, lower_scores
from isometrics.decisions.best import best_rule, best_threshold
from isometrics.decisions.decision import threshold_array
from isometrics.decisions.objective import parse_f_objectives
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.measures import f_name
from isometrics.points import OperatingPoints

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics.decisions.decision import Decision
    from isometrics.decisions.objective import Objective


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation(ResultTable):
    """Measures of thresholds on the tuning data, and on the test data.

    Attributes
    ----------
    betas
        One row for each β.
    thresholds
        The best threshold on the tuning data.
    promised
        F_β, precision and recall on the tuning data: three columns.
    achieved
        The same at the same threshold on the test data; the precision is NaN where no test item
        reaches the threshold.
    best
        The F_β of the best threshold on the test data, which is not known in advance; NaN where
        none keeps the constraints.
    tuning_hull, on_test
        All thresholds of the tuning data's hull, on the tuning and on the test data, row by row.
    """

    betas: Floats
    thresholds: NDArray[Any]
    promised: Floats
    achieved: Floats
    best: Floats
    tuning_hull: OperatingPoints
    on_test: OperatingPoints
    _below: NDArray[Any] | None = field(default=None, compare=False)
    """The next lower scores of the tuning and of the test data: two columns."""

    def _title(self) -> str:
        return "Evaluation: thresholds of the tuning data on the test data"

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"beta": self.betas, "threshold": self.thresholds}
        for column, measure in enumerate(("f", "precision", "recall")):
            columns[f"{measure}_promised"] = self.promised[:, column]
            columns[f"{measure}_achieved"] = self.achieved[:, column]
            if measure == "f":
                columns["f_best"] = self.best
        return columns

    def _shown(self) -> dict[str, Any]:
        below = (None,) if self._below is None else self._below.T
        return self._columns() | {"threshold": ThresholdTexts(self.thresholds, *below)}


def evaluate(
    *,
    thresholds_from: OperatingPoints,
    on: OperatingPoints,
    betas: Iterable[float] | None = None,
    min_precision: float | None = None,
    min_recall: float | None = None,
    budget: float | None = None,
) -> Evaluation:
    """Choose thresholds on one sample and evaluate them on another.

    A threshold is optimistic about the data that it was chosen on; only the achieved values
    should be reported (Davis & Goadrich 2006, section 3).

    Parameters
    ----------
    thresholds_from
        The tuning data, with thresholds.
    on
        The test data: a table with a row for every score.
    betas
        The β for which thresholds are chosen, by default 0.5, 1 and 2; under constraints the one
        of what they leave free, as for `best_threshold`.
    min_precision, min_recall, budget
        Choose among the rules that keep these constraints on the tuning data. A budget counts
        rows of the tuning data; `best` has the same share of the test data.

    Examples
    --------
    >>> import isometrics as iso
    >>> tuning = iso.OperatingPoints.from_scores([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1])
    >>> test = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.8, 0.5, 0.3, 0.2])
    >>> result = iso.evaluate(thresholds_from=tuning, on=test, betas=[1])
    >>> result.thresholds, result.best
    (array([0.4]), array([0.8]))
    >>> result.promised
    array([[0.8       , 0.66666667, 1.        ]])
    >>> result.achieved
    array([[0.5, 0.5, 0.5]])
    """
    constraints = {"min_precision": min_precision, "min_recall": min_recall, "budget": budget}
    objectives = parse_f_objectives(betas, constraints)
    beta_values = [cast("float", objective.beta) for objective in objectives]
    _refuse_unknown_thresholds(thresholds_from.table, "thresholds_from")
    decisions = [
        best_rule(thresholds_from, objective, beta=beta)
        for objective, beta in zip(objectives, beta_values, strict=True)
    ]
    thresholds = threshold_array([decision.threshold for decision in decisions])
    test = on.at(thresholds)
    achieved = [
        (test.f(beta)[row], test.precision[row], test.recall[row])
        for row, beta in enumerate(beta_values)
    ]
    hull = thresholds_from.hull()
    rows = thresholds_from.positives + thresholds_from.negatives
    below = [decision._below for decision in decisions], lower_scores(on.table, thresholds)
    return Evaluation(
        np.array(beta_values),
        thresholds,
        np.array([(decision.f, decision.precision, decision.recall) for decision in decisions]),
        np.array(achieved),
        np.array([best_f(on, objective.for_rows(rows)) for objective in objectives]),
        hull,
        on.at(hull.thresholds),
        np.column_stack(below),
    )


def best_f(points: OperatingPoints, objective: Objective) -> float:
    """Return the highest F_β that keeps the constraints of an objective; NaN where nothing does."""
    try:
        return best_rule(points, objective, beta=cast("float", objective.beta)).f
    except ParameterError:
        return math.nan


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LossTable(ResultTable):
    """How much F is lost when the threshold for one β is used for another.

    Attributes
    ----------
    betas
        The β of rows and columns.
    thresholds
        The best threshold for each β.
    f
        F for the column's β at the threshold for the row's β.
    best
        The highest F for each β, the diagonal of `f`.
    """

    betas: Floats
    thresholds: NDArray[Any]
    f: Floats
    best: Floats
    _below: NDArray[Any] | None = field(default=None, compare=False)
    """The next lower scores, as in `threshold_text`."""

    @property
    def relative(self) -> Floats:
        """F as a share of the best, at most 1."""
        return np.asarray(self.f / self.best)

    @property
    def lost(self) -> Floats:
        """The share of F that is lost, 1 - relative."""
        return 1 - self.relative

    def _title(self) -> str:
        return "LossTable: share of the best F (column) with the threshold of another β (row)"

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"beta": self.betas, "threshold": self.thresholds}
        for column, beta in enumerate(self.betas):
            columns[f_name(beta)] = self.relative[:, column]
        return columns

    def _shown(self) -> dict[str, Any]:
        return self._columns() | {"threshold": ThresholdTexts(self.thresholds, self._below)}


def loss_table(pts: OperatingPoints, betas: Iterable[float] = (0.5, 1.0, 2.0)) -> LossTable:
    """Return how much F is lost when the threshold for one β is used for another.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.decisions.transfer import loss_table
    >>> labels, scores = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> loss_table(iso.OperatingPoints.from_scores(labels, scores), [0.25, 1, 2])
    LossTable: share of the best F (column) with the threshold of another β (row)
    beta  threshold  F (β 0.25)   F (β 1)   F (β 2)
    0.25        0.9           1  0.533333  0.338235
       1        0.6    0.882353         1    0.8625
       2        0.3    0.689655  0.969697         1
    """
    beta_values = parse_betas(betas)
    decisions = [best_threshold(pts, beta=beta) for beta in beta_values]
    rows = _points_of(decisions, pts.table)
    f = np.column_stack([rows.f(beta) for beta in beta_values])
    thresholds = threshold_array([decision.threshold for decision in decisions])
    # The best F is the diagonal, computed by the same formula, so its share is exactly 1.
    below = np.array([decision._below for decision in decisions])
    return LossTable(np.array(beta_values), thresholds, f, f.diagonal().copy(), below)


def _points_of(decisions: Sequence[Decision], table: Table) -> OperatingPoints:
    tp, fp = (
        np.array([getattr(decision, name) for decision in decisions]) for name in ("tp", "fp")
    )
    thresholds = threshold_array([decision.threshold for decision in decisions])
    totals = (table.positives, table.negatives)
    return OperatingPoints(Table(thresholds, tp, fp, *totals, Kind.SELECTION))


def _refuse_unknown_thresholds(table: Table, name: str) -> None:
    if np.isnan(table.thresholds).any():
        raise NotAnswerableError(
            f"{name} is {table.name} whose thresholds are not known; build it from scores"
        )
