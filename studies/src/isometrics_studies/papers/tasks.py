"""Simulated tasks of 30 models, used in place of the 886 OpenML tasks of Flach & Kull (2015)."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from isometrics._core.arrays import Floats
from isometrics.measures import AUPR, AUPRG, AUROC
from isometrics.points import OperatingPoints

TASKS, MODELS = 60, 30
MEASURES = (AUPR.name, AUPRG.name, AUROC.name)
SEED = 886


class Agreement(NamedTuple):
    """The disagreement of two measures about the models of all tasks."""

    other_first: float
    """The share of tasks in which they disagree on the best model."""
    other_top_three: float
    """The share of tasks in which they disagree on the first, the second or the third."""
    correlation: float
    """The correlation of the ranks of all models of all tasks."""


@cache
def areas() -> Floats:
    """Return the areas of all models: tasks × models × measures.

    A task has 100 to 600 rows and a share of positives between 0.05 and 0.5. A model has normal
    scores; the mean and the standard deviation of its positives are random, so that curves cross.
    """
    rng = np.random.default_rng(SEED)
    result = np.empty((TASKS, MODELS, len(MEASURES)))
    for task in result:
        rows, share = rng.integers(100, 601), rng.uniform(0.05, 0.5)
        labels = np.arange(rows) < max(3, round(rows * share))
        level = rng.uniform(0.4, 2.0)
        for model in task:
            shift, spread = max(0.0, rng.normal(level, 0.35)), rng.uniform(0.7, 1.5)
            scores = rng.normal(shift * labels, np.where(labels, spread, 1.0))
            points = OperatingPoints.from_scores(labels, scores)
            model[:] = points.pr.area(), points.prg.area(), points.roc.area()
    return result


@cache
def ranks() -> Floats:
    """Return the ranks of the models of each task by each measure, 1 for the best."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-areas(), axis=1))


def agreements() -> dict[tuple[str, str], Agreement]:
    """Compare all pairs of measures."""
    by_pair = {}
    for first, second in combinations(range(len(MEASURES)), 2):
        first_ranks, second_ranks = ranks()[:, :, first], ranks()[:, :, second]
        top_three = [np.argsort(order, axis=1)[:, :3] for order in (first_ranks, second_ranks)]
        differ = top_three[0] != top_three[1]
        by_pair[MEASURES[first], MEASURES[second]] = Agreement(
            float(differ[:, 0].mean()),
            float(differ.any(axis=1).mean()),
            float(np.corrcoef(first_ranks.ravel(), second_ranks.ravel())[0, 1]),
        )
    return by_pair


def rank_correlations() -> Floats:
    """Return the correlation of AUPR-ranks and AUPRG-ranks in each task."""
    return np.array([np.corrcoef(task[:, 0], task[:, 1])[0, 1] for task in ranks()])


def at_quartiles() -> tuple[int, int]:
    """Return the tasks whose rank correlations are nearest to the lower and the upper quartile."""
    correlations = rank_correlations()
    low, high = (
        int(np.argmin(abs(correlations - np.quantile(correlations, share))))
        for share in (0.25, 0.75)
    )
    return low, high
