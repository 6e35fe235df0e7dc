"""Rankings of models by several measures, and how much the measures disagree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from isometrics._core.parameters import check_choice
from isometrics._core.results import ResultTable
from isometrics.comparison import areas_of
from isometrics.errors import EmptyInputError, ParameterError
from isometrics.points.models import parse_models

if TYPE_CHECKING:
    from collections.abc import Iterable

    from isometrics._core.arrays import Floats
    from isometrics.points import OperatingPoints
    from isometrics.spaces.indices import WeightedIndex


Scores: TypeAlias = Mapping[str, Mapping[str, float]]
"""For each model its value of each measure; more is better."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Disagreement(ResultTable):
    """How much pairs of measures disagree about the order of models, over one or many tasks.

    Attributes
    ----------
    pairs
        The two measures of each row.
    tasks
        The number of tasks.
    top_1, top_3
        The share of tasks on which the best model, or the best three, are not the same.
    kendall, spearman
        Kendall's τ-b and Spearman's rank correlation, averaged over the tasks on which they are
        defined; NaN if there is none.
    undefined
        On how many tasks they are not, because a measure ties all models.
    """

    pairs: tuple[tuple[str, str], ...]
    tasks: int
    top_1: Floats
    top_3: Floats
    kendall: Floats
    spearman: Floats
    undefined: Floats

    def _title(self) -> str:
        tasks = "1 task" if self.tasks == 1 else f"{self.tasks} tasks"
        return f"Disagreement between measures on {tasks}; tied models share a place"

    def _columns(self) -> dict[str, Any]:
        return {
            "measure": [first for first, _ in self.pairs],
            "against": [second for _, second in self.pairs],
        } | self._named("top_1", "top_3", "kendall", "spearman", "undefined")


def disagreement(tasks: Iterable[Scores]) -> Disagreement:
    """Return how much measures disagree about the order of models, over many tasks.

    Parameters
    ----------
    tasks
        For each task, for each model, its value of each measure; more is better. All tasks have
        the same measures; their models may differ.

    Notes
    -----
    A model is among the best k if fewer than k models are strictly better, so all models that tie
    for the last of these ranks are included. Two measures disagree on a task if their sets of the
    best k differ; with k models or fewer they never do. Both correlations allow for ties:
    Kendall's τ-b does, and Spearman's uses mean ranks.

    Examples
    --------
    >>> from isometrics_studies.ranking.ranks import disagreement
    >>> tasks = [
    ...     {"A": {"AUROC": 0.9, "AUPRG": 0.6}, "B": {"AUROC": 0.8, "AUPRG": 0.7}},
    ...     {"A": {"AUROC": 0.7, "AUPRG": 0.2}, "B": {"AUROC": 0.6, "AUPRG": 0.1}},
    ... ]
    >>> disagreement(tasks)
    Disagreement between measures on 2 tasks; tied models share a place
    measure  against  top_1  top_3  kendall  spearman  undefined
      AUROC    AUPRG    0.5      0        0         0          0
    """
    parsed = [parse_scores(task, f"tasks[{number}]") for number, task in enumerate(tasks)]
    if not parsed:
        raise EmptyInputError("tasks is empty; give the scores of at least one task")
    first_measures = parsed[0][1]
    tables = []
    for number, (_, measures, values) in enumerate(parsed):
        if set(measures) != set(first_measures):
            raise ParameterError(
                f"tasks[{number}] has the measures {', '.join(measures)} "
                f"but tasks[0] has {', '.join(first_measures)}"
            )
        tables.append(values[:, [measures.index(measure) for measure in first_measures]])
    return disagreement_of(first_measures, tables)


def disagreement_of(measures: tuple[str, ...], tables: list[Floats]) -> Disagreement:
    """Compare all pairs of measures; each table has a row for each model of one task."""
    pairs = tuple(combinations(range(len(measures)), 2))
    # By task and pair: whether the top 1 and the top 3 differ, Kendall's τ-b, Spearman's ρ.
    statistics = np.array([[_compare(table[:, list(pair)]) for pair in pairs] for table in tables])
    statistics = statistics.reshape(len(tables), len(pairs), 4)
    defined = ~np.isnan(statistics[:, :, 2])
    n_defined = defined.sum(axis=0)
    correlations = np.where(defined[:, :, None], statistics[:, :, 2:], 0.0)
    with np.errstate(invalid="ignore"):
        means = correlations.sum(axis=0) / n_defined[:, None]
    return Disagreement(
        tuple((measures[first], measures[second]) for first, second in pairs),
        len(tables),
        statistics[:, :, 0].mean(axis=0),
        statistics[:, :, 1].mean(axis=0),
        means[:, 0],
        means[:, 1],
        len(tables) - n_defined,
    )


def _compare(values: Floats) -> list[float]:
    """Return whether the best model and the best three differ, Kendall's τ-b and Spearman's ρ.

    `values` has a row for each model and a column for each of two measures; models without both
    are left out.
    """
    from scipy.stats import kendalltau, spearmanr

    values = values[~np.isnan(values).any(axis=1)]
    n_better = (values[None, :, :] > values[:, None, :]).sum(axis=1)
    differs = [bool(((n_better[:, 0] < k) != (n_better[:, 1] < k)).any()) for k in (1, 3)]
    is_constant = len(values) < 2 or bool((values == values[0]).all(axis=0).any())
    if is_constant:
        return [*map(float, differs), math.nan, math.nan]
    first, second = values.T
    kendall, spearman = kendalltau(first, second).statistic, spearmanr(first, second).statistic
    return [*map(float, differs), float(kendall), float(spearman)]


def parse_scores(
    raw: Mapping[str, Any], name: str
) -> tuple[tuple[str, ...], tuple[str, ...], Floats]:
    """Return the models, the measures and the values of two models or more.

    All models need the same measures; `name` is what errors call the scores.
    """
    if len(raw) < 2:
        raise ParameterError(f"{name} needs two models or more but has {len(raw)}")
    measures: tuple[str, ...] | None = None
    for model, scores in raw.items():
        if not isinstance(scores, Mapping):
            raise ParameterError(
                f"{name}[{model!r}] must map measures to values but is {type(scores).__name__}"
            )
        measures = tuple(scores) if measures is None else measures
        if set(scores) != set(measures):
            raise ParameterError(
                f"{name}[{model!r}] has the measures {', '.join(map(str, scores))} "
                f"but the first model has {', '.join(map(str, measures))}"
            )
    assert measures is not None
    try:
        rows = [[float(scores[measure]) for measure in measures] for scores in raw.values()]
    except (TypeError, ValueError):
        raise ParameterError(f"{name} has values that are not numbers") from None
    values = np.array(rows)
    if np.isnan(values).any():
        raise ParameterError(f"{name} has {int(np.isnan(values).sum())} missing values (NaN)")
    return tuple(raw), measures, values


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ranking(ResultTable):
    """Models ranked by several measures; rank 1 is the best, tied models share the mean rank.

    Attributes
    ----------
    names
        The models.
    measures
        The measures.
    values
        One row for each model, one column for each measure.
    ranks
        The rank of each model by each measure, in the same order.
    """

    names: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats
    ranks: Floats

    def best(self, measure: str) -> tuple[str, ...]:
        """Return the model, or the tied models, with the highest value of a measure."""
        check_choice(measure, "measure", self.measures)
        column = self.values[:, self.measures.index(measure)]
        return tuple(self.names[row] for row in np.flatnonzero(column == np.fmax.reduce(column)))

    def disagreement(self) -> Disagreement:
        """Return how much the measures disagree about these models."""
        return disagreement_of(self.measures, [self.values])

    def _title(self) -> str:
        tied = "" if self.ranks.size and (self.ranks % 1 == 0).all() else "; ties share a mean rank"
        return f"Ranking: {len(self.names)} models by {len(self.measures)} measures{tied}"

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"model": list(self.names)}
        for column, measure in enumerate(self.measures):
            columns[measure] = self.values[:, column]
            columns[f"rank by {measure}"] = self.ranks[:, column]
        return columns


def rank_models(
    models: Mapping[str, OperatingPoints] | Scores, *, index: str | WeightedIndex = "f-measure"
) -> Ranking:
    """Rank models by the areas in all spaces, or by user-defined measures.

    Parameters
    ----------
    models
        The operating points of two models or more by name; or for each model a mapping of its
        measures to their values, where more is better.
    index
        The index of the tradeoff area, for operating points.

    Notes
    -----
    Tied models share the mean of their ranks.

    Examples
    --------
    >>> from isometrics_studies.ranking.ranks import rank_models
    >>> scores = {
    ...     "LDA": {"AUROC": 0.90, "AUPRG": 0.60},
    ...     "SVM": {"AUROC": 0.88, "AUPRG": 0.70},
    ...     "tree": {"AUROC": 0.88, "AUPRG": 0.50},
    ... }
    >>> rank_models(scores)
    Ranking: 3 models by 2 measures; ties share a mean rank
    model  AUROC  rank by AUROC  AUPRG  rank by AUPRG
      LDA    0.9              1    0.6              2
      SVM   0.88            2.5    0.7              1
     tree   0.88            2.5    0.5              3
    """
    if isinstance(models, Mapping) and any(
        isinstance(scores, Mapping) for scores in models.values()
    ):
        names, measures, values = parse_scores(models, "models")
    else:
        named = parse_models(models)
        areas = areas_of(named, [points.tradeoff(index).area() for points in named.values()])
        names, measures, values = areas.names, areas.measures, areas.values
    return Ranking(names, measures, values, _ranks(values))


def _ranks(values: Floats) -> Floats:
    """Return the mean ranks in each column, 1 for the highest value; NaN has no rank."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-values, axis=0, nan_policy="omit"))
