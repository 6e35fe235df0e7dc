"""Which measure picks the model with the better F₁ on unseen rows.

The folds of a task are halved. A measure picks the model with the largest area on one half; the
pick is evaluated on the other half, and then the halves are exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.results import ResultTable
from isometrics.errors import EmptyInputError
from isometrics_studies.ranking.results import TaskResamples
from isometrics_studies.ranking.scoring import HALVES, MEASURES, NAMES

if TYPE_CHECKING:
    from isometrics._core.arrays import Floats
    from isometrics_studies.ranking.results import TaskResult

CRITERIA = {
    "f1": "F1 at the threshold chosen on the other half",
    "expected_f1": "expected F1 over operating points",
}
"""The criteria by which picks are evaluated."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Picks(ResultTable):
    """The mean value of the models that each measure picks.

    Attributes
    ----------
    criterion
        The criterion by which picks are evaluated.
    measures
        The measures that pick.
    tasks
        The number of tasks.
    mean, low, high
        The mean value of the picks over tasks, with an interval.
    regret
        The mean difference between the best model and the pick.
    """

    criterion: str
    measures: tuple[str, ...]
    tasks: int
    mean: Floats
    low: Floats
    high: Floats
    regret: Floats

    def _title(self) -> str:
        return (
            f"Models picked on half of the rows of {self.tasks} tasks, judged on the other half by "
            f"{self.criterion}"
        )

    def _columns(self) -> dict[str, Any]:
        return {"picked by": [NAMES[measure] for measure in self.measures]} | self._named(
            "mean", "low", "high", "regret"
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PickDifferences(ResultTable):
    """Pairs of measures, and which of them has the better picks on unseen rows.

    Attributes
    ----------
    criterion
        The criterion by which picks are evaluated.
    pairs
        The two measures of each row.
    difference, low, high
        The mean over tasks of the value of the first pick minus that of the second, with an
        interval.
    better, worse, equal
        The shares of tasks on which the first pick is better, worse, or as good.
    """

    criterion: str
    pairs: tuple[tuple[str, str], ...]
    difference: Floats
    low: Floats
    high: Floats
    better: Floats
    worse: Floats
    equal: Floats

    def _title(self) -> str:
        return f"Differences between the picks of two measures, by {self.criterion}"

    def _columns(self) -> dict[str, Any]:
        return {
            "picked by": [NAMES[first] for first, _ in self.pairs],
            "against": [NAMES[second] for _, second in self.pairs],
        } | self._named("difference", "low", "high", "better", "worse", "equal")


def picks(
    results: list[TaskResult],
    criterion: str = "f1",
    *,
    measures: tuple[str, ...] = MEASURES,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    random_state: int = 0,
) -> tuple[Picks, PickDifferences]:
    """Evaluate the models that measures pick on unseen rows.

    Parameters
    ----------
    results
        From `read_results`.
    criterion
        ``"f1"``: F₁ at the threshold with the best F₁ on the half on which the model is picked; or
        ``"expected_f1"``: the harmonic mean of F₁ over operating points, as in Theorem 2 of Flach
        & Kull (2015), which is a function of the same curve as AUPRG.
    measures
        The measures that pick.
    confidence_level, n_resamples, random_state
        For the intervals, as in `agreement`.

    Notes
    -----
    If a measure ties several models, the value of its pick is their mean. Models whose value is
    not defined (NaN) on a half cannot be picked there. Tasks that cannot be halved are left out;
    the result has the number of tasks without them.
    """
    results = [task for task in results if _has_halves(task, criterion)]
    if not results:
        raise EmptyInputError("no task has both classes in both halves of its folds")
    values = np.array([_values_of_picks(task, criterion, measures) for task in results])
    resamples = TaskResamples(
        [task.name for task in results], n_resamples, confidence_level, random_state
    )
    description = CRITERIA[criterion]
    picked, best = values[:, :-1], values[:, -1]
    low, high = np.array([resamples.interval_of_means(column) for column in picked.T]).T
    by_measure = Picks(
        description,
        measures,
        len(results),
        picked.mean(axis=0),
        low,
        high,
        (best[:, None] - picked).mean(axis=0),
    )
    pairs = tuple(combinations(range(len(measures)), 2))
    differences = np.column_stack([picked[:, first] - picked[:, second] for first, second in pairs])
    low, high = np.array([resamples.interval_of_means(column) for column in differences.T]).T
    return by_measure, PickDifferences(
        description,
        tuple((measures[first], measures[second]) for first, second in pairs),
        differences.mean(axis=0),
        low,
        high,
        (differences > 0).mean(axis=0),
        (differences < 0).mean(axis=0),
        (differences == 0).mean(axis=0),
    )


def _has_halves(task: TaskResult, criterion: str) -> bool:
    return all((~np.isnan(task.columns[f"{criterion}_{half}"])).any() for half in HALVES)


def _values_of_picks(task: TaskResult, criterion: str, measures: tuple[str, ...]) -> list[float]:
    """Return the value of the pick of each measure, and of the best model, over both halves."""
    values = np.zeros((2, len(measures) + 1))
    for row, (picked_on, evaluated_on) in enumerate((HALVES, HALVES[::-1])):
        model_values = task.columns[f"{criterion}_{evaluated_on}"]
        defined = ~np.isnan(model_values)
        for column, measure in enumerate(measures):
            area = task.columns[f"{measure}_{picked_on}"][defined]
            values[row, column] = model_values[defined][area == area.max()].mean()
        values[row, -1] = model_values[defined].max()
    return [float(value) for value in values.mean(axis=0)]
