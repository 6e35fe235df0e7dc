"""How much measures disagree about models over many tasks, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.results import ResultTable
from isometrics.comparison.ranking import disagreement_of
from isometrics.studies.ranking.drawing import Draws
from isometrics.studies.ranking.scoring import MEASURES, NAMES

if TYPE_CHECKING:
    from isometrics._core.arrays import Floats
    from isometrics.studies.ranking.results import TaskResult

_NUMBERS = ("top_1", "top_3", "top_3_in_order", "kendall", "spearman", "rank_correlation")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Agreement(ResultTable):
    """How much pairs of measures disagree, each number with an interval.

    Attributes
    ----------
    pairs
        The two measures of each row.
    tasks, origins
        The number of tasks, and of data sets that they were made of as far as names tell.
    confidence_level
        The level of the intervals.
    values, low, high
        One row for each pair. The columns are the share of tasks on which the best model is not
        the same, on which the best three are not, on which they are not or stand in another
        order; Kendall's τ-b and Spearman's correlation, averaged over tasks; and the correlation
        of ranks over all models of all tasks.
    """

    pairs: tuple[tuple[str, str], ...]
    tasks: int
    origins: int
    confidence_level: float
    values: Floats
    low: Floats
    high: Floats

    def of(self, measure: str, against: str, number: str) -> tuple[float, float, float]:
        """Return one number of a pair, with its interval."""
        row, column = self.pairs.index((measure, against)), _NUMBERS.index(number)
        return tuple(float(each[row, column]) for each in (self.values, self.low, self.high))  # type: ignore[return-value]

    def _title(self) -> str:
        return (
            f"Disagreement between measures on {self.tasks} tasks of {self.origins} origins; "
            f"intervals of {100 * self.confidence_level:g}%"
        )

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {
            "measure": [NAMES[one] for one, _ in self.pairs],
            "against": [NAMES[other] for _, other in self.pairs],
        }
        for place, name in enumerate(_NUMBERS):
            columns[name] = self.values[:, place]
            columns[f"{name}_low"] = self.low[:, place]
            columns[f"{name}_high"] = self.high[:, place]
        return columns

    def _shown(self) -> dict[str, Any]:
        columns = self._columns()
        wanted = ("top_1", "top_3", "rank_correlation")
        shown = {name: columns[name] for name in ("measure", "against")}
        for name in wanted:
            shown[name] = [f"{value:.3f}" for value in columns[name]]
            ends = zip(columns[f"{name}_low"], columns[f"{name}_high"], strict=True)
            shown[f"{name} interval"] = [f"{low:.3f} to {high:.3f}" for low, high in ends]
        return shown


def agreement(
    results: list[TaskResult],
    *,
    measures: tuple[str, ...] = MEASURES,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    random_state: int = 0,
) -> Agreement:
    """Compare all pairs of measures over the tasks of a study.

    Parameters
    ----------
    results
        From `read_results`.
    measures
        The columns to compare.
    confidence_level, n_resamples, random_state
        For the intervals: percentiles of resamples in which origins are drawn again.

    Notes
    -----
    A model is among the best k if fewer than k models are strictly better, so ties at the border
    are all in. Two measures have the best three in the same order if their best one, two and three
    are the same. `rank_correlation` is the correlation of the ranks of all models across all
    tasks, as Flach & Kull (2015) report it.
    """
    pairs = tuple(combinations(range(len(measures)), 2))
    draws = Draws([task.name for task in results], n_resamples, confidence_level, random_state)
    tables = [task.table(measures) for task in results]
    each = np.array([_numbers_of(measures, table, pairs) for table in tables])
    moments = np.array([_moments(task, measures, pairs) for task in results])
    values, low, high = (np.empty((len(pairs), len(_NUMBERS))) for _ in range(3))
    for row in range(len(pairs)):
        for column in range(each.shape[2]):
            across = each[:, row, column]
            defined = across[~np.isnan(across)]
            values[row, column] = defined.mean() if defined.size else np.nan
            low[row, column], high[row, column] = draws.interval_of_means(across)
        values[row, -1] = _correlation(moments[:, row].sum(axis=0)[None])[0]
        drawn = _correlation(draws.counts @ moments[:, row])
        low[row, -1], high[row, -1] = draws.interval(drawn)
    named = tuple((measures[one], measures[other]) for one, other in pairs)
    return Agreement(named, len(results), draws.origins, confidence_level, values, low, high)


def _numbers_of(
    measures: tuple[str, ...], table: Floats, pairs: tuple[tuple[int, int], ...]
) -> Floats:
    """Return all but the last number of one task, for each pair."""
    found = disagreement_of(measures, [table])
    better = (table[None, :, :] > table[:, None, :]).sum(axis=1)
    differs = [
        any(((better[:, one] < k) != (better[:, other] < k)).any() for k in (1, 2, 3))
        for one, other in pairs
    ]
    return np.column_stack([found.top_1, found.top_3, differs, found.kendall, found.spearman])


def _moments(
    task: TaskResult, measures: tuple[str, ...], pairs: tuple[tuple[int, int], ...]
) -> Floats:
    """Return the sums that a correlation of ranks is made of, for each pair."""
    ranks = task.table(tuple(f"rank_{measure}" for measure in measures))
    rows = []
    for one, other in pairs:
        x, y = ranks[:, one], ranks[:, other]
        rows.append([x.size, x.sum(), y.sum(), x @ x, y @ y, x @ y])
    return np.array(rows)


def _correlation(sums: Floats) -> Floats:
    n, x, y, xx, yy, xy = sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y))
    return np.asarray(found)


def heat_map(results: list[TaskResult], one: str = "aupr", other: str = "auprg") -> Floats:
    """Return how many models have each pair of ranks; a rank that is shared counts in parts.

    Row r and column s hold the models of rank r + 1 by `other` and of rank s + 1 by `one`. Models
    that share the mean of several ranks count in equal parts for each of them.
    """
    size = max(len(task.models) for task in results)
    counts = np.zeros((size, size))
    for task in results:
        counts_of_task = _shares(task.columns[f"rank_{other}"]).T @ _shares(
            task.columns[f"rank_{one}"]
        )
        counts[: len(task.models), : len(task.models)] += counts_of_task
    return counts


def _shares(ranks: Floats) -> Floats:
    """Return for each model the share of each rank it takes up."""
    places = np.arange(1, ranks.size + 1)
    tied = (ranks[:, None] == ranks).sum(axis=1)[:, None]
    return np.where(np.abs(places - ranks[:, None]) <= (tied - 1) / 2, 1 / tied, 0.0)
