"""Which measure picks the model with the better F₁ on rows that it has not seen.

The folds of a task are halved. A measure picks the model with the largest area on one half; the
pick is judged on the other half, and then the halves change places.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.results import ResultTable
from isometrics.errors import EmptyInputError
from isometrics.studies.ranking.drawing import Draws
from isometrics.studies.ranking.scoring import HALVES, MEASURES, NAMES

if TYPE_CHECKING:
    from isometrics._core.arrays import Floats
    from isometrics.studies.ranking.results import TaskResult

CRITERIA = {
    "f1": "F1 at the threshold chosen on the other half",
    "expected_f1": "expected F1 over operating points",
}
"""How a pick is judged."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Picks(ResultTable):
    """How good the models are that each measure picks.

    Attributes
    ----------
    criterion
        How picks are judged.
    measures
        The measures that pick.
    tasks
        The number of tasks.
    mean, low, high
        The mean value of the picks over tasks, with an interval.
    regret
        How much better the best model would have been, on average.
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
        return {
            "picked by": [NAMES[measure] for measure in self.measures],
            "mean": self.mean,
            "low": self.low,
            "high": self.high,
            "regret": self.regret,
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PickDifferences(ResultTable):
    """Pairs of measures that pick: whose picks are better on unseen rows, and how often.

    Attributes
    ----------
    criterion
        How picks are judged.
    pairs
        The two measures of each row.
    difference, low, high
        The mean over tasks of the value of the first pick minus that of the second, with an
        interval.
    better, worse, equal
        On what share of tasks the first pick is better, worse, or as good.
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
            "picked by": [NAMES[one] for one, _ in self.pairs],
            "against": [NAMES[other] for _, other in self.pairs],
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "better": self.better,
            "worse": self.worse,
            "equal": self.equal,
        }


def picks(
    results: list[TaskResult],
    criterion: str = "f1",
    *,
    measures: tuple[str, ...] = MEASURES,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    random_state: int = 0,
) -> tuple[Picks, PickDifferences]:
    """Judge the models that measures pick on unseen rows.

    Parameters
    ----------
    results
        From `read_results`.
    criterion
        ``"f1"``: pick a threshold, too, the one with the best F₁ on the half that the model is
        picked on; or ``"expected_f1"``: the harmonic mean of F₁ over operating points, as in
        Theorem 2 of Flach & Kull (2015), which is a function of the same curve as AUPRG.
    measures
        The measures that pick.
    confidence_level, n_resamples, random_state
        For the intervals, as in `agreement`.

    Notes
    -----
    Where a measure ties several models, its pick has the mean of their values. Models whose value
    is not defined (NaN) on a half are no candidates there. Tasks that cannot be halved are left
    out; the result tells how many there are without them.
    """
    results = [task for task in results if _has_halves(task, criterion)]
    if not results:
        raise EmptyInputError("no task has both classes in both halves of its folds")
    values = np.array([_judged(task, criterion, measures) for task in results])
    draws = Draws([task.name for task in results], n_resamples, confidence_level, random_state)
    told = CRITERIA[criterion]
    of_measures, best = values[:, :-1], values[:, -1]
    low, high = np.array([draws.interval_of_means(column) for column in of_measures.T]).T
    found = Picks(
        told,
        measures,
        len(results),
        of_measures.mean(axis=0),
        low,
        high,
        (best[:, None] - of_measures).mean(axis=0),
    )
    pairs = tuple(combinations(range(len(measures)), 2))
    differences = np.column_stack(
        [of_measures[:, one] - of_measures[:, other] for one, other in pairs]
    )
    low, high = np.array([draws.interval_of_means(column) for column in differences.T]).T
    return found, PickDifferences(
        told,
        tuple((measures[one], measures[other]) for one, other in pairs),
        differences.mean(axis=0),
        low,
        high,
        (differences > 0).mean(axis=0),
        (differences < 0).mean(axis=0),
        (differences == 0).mean(axis=0),
    )


def _has_halves(task: TaskResult, criterion: str) -> bool:
    return all((~np.isnan(task.columns[f"{criterion}_{half}"])).any() for half in HALVES)


def _judged(task: TaskResult, criterion: str, measures: tuple[str, ...]) -> list[float]:
    """Return the value of the pick of each measure, and of the best model, over both halves."""
    found = np.zeros((2, len(measures) + 1))
    for place, (picked_on, judged_on) in enumerate((HALVES, HALVES[::-1])):
        worth = task.columns[f"{criterion}_{judged_on}"]
        defined = ~np.isnan(worth)
        for column, measure in enumerate(measures):
            area = task.columns[f"{measure}_{picked_on}"][defined]
            found[place, column] = worth[defined][area == area.max()].mean()
        found[place, -1] = worth[defined].max()
    return [float(value) for value in found.mean(axis=0)]
