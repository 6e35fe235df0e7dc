"""The disagreement of measures about models over many tasks, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.results import ResultTable
from isometrics_studies.ranking.ranks import disagreement_of
from isometrics_studies.ranking.results import TaskResamples
from isometrics_studies.ranking.scoring import MEASURES, NAMES

if TYPE_CHECKING:
    from isometrics._core.arrays import Floats
    from isometrics_studies.ranking.results import TaskResult

_NUMBERS = ("top_1", "top_3", "top_3_in_order", "kendall", "spearman", "rank_correlation")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Agreement(ResultTable):
    """How much pairs of measures disagree, each number with an interval.

    Attributes
    ----------
    pairs
        The two measures of each row.
    tasks, origins
        The number of tasks, and the number of data sets they come from, according to their names.
    confidence_level
        The level of the intervals.
    values, low, high
        One row for each pair. The columns are the shares of tasks on which the best model differs,
        on which the set of the best three differs, and on which the best three or their order
        differ; Kendall's τ-b and Spearman's correlation, averaged over tasks; and the correlation
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
        return tuple(float(table[row, column]) for table in (self.values, self.low, self.high))  # type: ignore[return-value]

    def _title(self) -> str:
        return (
            f"Disagreement between measures on {self.tasks} tasks of {self.origins} origins; "
            f"intervals of {100 * self.confidence_level:g}%"
        )

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {
            "measure": [NAMES[first] for first, _ in self.pairs],
            "against": [NAMES[second] for _, second in self.pairs],
        }
        for column, name in enumerate(_NUMBERS):
            columns[name] = self.values[:, column]
            columns[f"{name}_low"] = self.low[:, column]
            columns[f"{name}_high"] = self.high[:, column]
        return columns

    def _shown(self) -> dict[str, Any]:
        columns = self._columns()
        shown = {name: columns[name] for name in ("measure", "against")}
        for name in ("top_1", "top_3", "rank_correlation"):
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
        For the intervals: percentiles over resamples of the origins.

    Notes
    -----
    A model is among the best k if fewer than k models are strictly better, so that all models tied
    at rank k are included. Two measures have the best three in the same order if their best one,
    best two and best three are the same. `rank_correlation` is the correlation of the ranks of all
    models of all tasks, as in Flach & Kull (2015).
    """
    pairs = tuple(combinations(range(len(measures)), 2))
    resamples = TaskResamples(
        [task.name for task in results], n_resamples, confidence_level, random_state
    )
    tables = [task.table(measures) for task in results]
    by_task = np.array([_numbers_of(measures, table, pairs) for table in tables])
    moments = np.array([_rank_moments(task, measures, pairs) for task in results])
    values, low, high = (np.empty((len(pairs), len(_NUMBERS))) for _ in range(3))
    for row in range(len(pairs)):
        for column in range(by_task.shape[2]):
            over_tasks = by_task[:, row, column]
            defined = over_tasks[~np.isnan(over_tasks)]
            values[row, column] = defined.mean() if defined.size else np.nan
            low[row, column], high[row, column] = resamples.interval_of_means(over_tasks)
        values[row, -1] = _correlation(moments[:, row].sum(axis=0)[None])[0]
        replicates = _correlation(resamples.counts @ moments[:, row])
        low[row, -1], high[row, -1] = resamples.interval(replicates)
    named = tuple((measures[first], measures[second]) for first, second in pairs)
    return Agreement(named, len(results), resamples.origins, confidence_level, values, low, high)


def _numbers_of(
    measures: tuple[str, ...], table: Floats, pairs: tuple[tuple[int, int], ...]
) -> Floats:
    """Return all but the last number for one task, for each pair."""
    result = disagreement_of(measures, [table])
    n_better = (table[None, :, :] > table[:, None, :]).sum(axis=1)
    differs = [
        any(((n_better[:, first] < k) != (n_better[:, second] < k)).any() for k in (1, 2, 3))
        for first, second in pairs
    ]
    return np.column_stack([result.top_1, result.top_3, differs, result.kendall, result.spearman])


def _rank_moments(
    task: TaskResult, measures: tuple[str, ...], pairs: tuple[tuple[int, int], ...]
) -> Floats:
    """Return the sums from which a correlation of ranks is computed, for each pair."""
    ranks = task.table(tuple(f"rank_{measure}" for measure in measures))
    rows = []
    for first, second in pairs:
        x, y = ranks[:, first], ranks[:, second]
        rows.append([x.size, x.sum(), y.sum(), x @ x, y @ y, x @ y])
    return np.array(rows)


def _correlation(sums: Floats) -> Floats:
    n, x, y, xx, yy, xy = sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y)))


def heat_map(results: list[TaskResult], one: str = "aupr", other: str = "auprg") -> Floats:
    """Return how many models have each pair of ranks.

    Row r and column s count the models of rank r + 1 by `other` and of rank s + 1 by `one`. Tied
    models, whose rank is the mean of several ranks, count for each of these in equal shares.
    """
    size = max(len(task.models) for task in results)
    counts = np.zeros((size, size))
    for task in results:
        x, y = (_rank_shares(task.columns[f"rank_{measure}"]) for measure in (one, other))
        counts[: len(task.models), : len(task.models)] += y.T @ x
    return counts


def _rank_shares(ranks: Floats) -> Floats:
    """Return the share of each model (row) in each rank (column)."""
    integer_ranks = np.arange(1, ranks.size + 1)
    n_tied = (ranks[:, None] == ranks).sum(axis=1)[:, None]
    return np.where(np.abs(integer_ranks - ranks[:, None]) <= (n_tied - 1) / 2, 1 / n_tied, 0.0)
