"""A chosen rule ``score >= threshold``, with its counts, its measures and its objective."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.results import ResultTable, number
from isometrics._table.table import Kind, Table
from isometrics.errors import NotAnswerableError
from isometrics.measures import f_name
from isometrics.points import OperatingPoints
from isometrics.spaces import pr

if TYPE_CHECKING:
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
    precision, recall
        Its precision, NaN for the empty rule, and recall.
    f, f_gain
        F_β and its gain, for `beta`.
    objective, value
        What was maximised, in words, and its value.
    beta
        The β of `f` and `f_gain`; 1 where the objective has none.
    label
        The name of the row, in a family of sets.
    """

    threshold: float
    tp: Total
    fp: Total
    fn: Total
    tn: Total
    precision: float
    recall: float
    f: float
    f_gain: float
    objective: str
    value: float
    beta: float = 1.0
    label: object = None

    def __float__(self) -> float:
        """Return the threshold, unless it would be rounded to that of another rule."""
        threshold = float(self.threshold)
        if threshold != self.threshold and not math.isnan(threshold):
            raise NotAnswerableError(
                f"the threshold {self.threshold} is not a float of 64 bits; use .threshold, which "
                "is exact"
            )
        return threshold

    def _title(self) -> str:
        where = number(self.threshold) if self.label is None else repr(self.label)
        what = "threshold" if self.label is None else "row"
        return f"Decision: {what} {where}, best for {self.objective}: {number(self.value)}"

    def _columns(self) -> dict[str, Any]:
        shown = ("threshold", "tp", "fp", "fn", "tn", "precision", "recall", "f", "f_gain")
        columns = {name: [getattr(self, name)] for name in (*shown, "objective", "value", "beta")}
        return columns if self.label is None else {"label": [str(self.label)]} | columns

    def _shown(self) -> dict[str, Any]:
        measures = ("tp", "fp", "fn", "tn", "precision", "recall")
        f = f_name(self.beta)
        return {name: [getattr(self, name)] for name in measures} | {
            f: [self.f],
            "F gain": [self.f_gain],
        }


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
        precision=float(points.precision[0]),
        recall=float(points.recall[0]),
        f=float(points.f(beta)[0]),
        f_gain=float(points.f_gain(beta)[0]),
        objective=objective,
        value=value,
        beta=beta,
        label=None if points.labels is None else points.labels[0],
    )
