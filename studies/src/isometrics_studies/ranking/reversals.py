"""Pairs of models that two measures order differently, as in Figure 5 of Flach & Kull (2015)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.results import ResultTable
from isometrics_studies.ranking.scoring import NAMES

if TYPE_CHECKING:
    from isometrics._core.arrays import Floats
    from isometrics_studies.ranking.results import TaskResult


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reversals(ResultTable):
    """Pairs of models of one task that two measures order differently, the largest leads first.

    Attributes
    ----------
    task
        The task.
    measures
        The two measures; the first one prefers the first model of a pair, the second the second.
    pairs
        The models of each row.
    leads
        The lead of the first model by the first measure, and of the second by the second.
    all_pairs
        The number of all pairs of models.
    """

    task: str
    measures: tuple[str, str]
    pairs: tuple[tuple[str, str], ...]
    leads: Floats
    all_pairs: int

    def _title(self) -> str:
        first, second = (NAMES[measure] for measure in self.measures)
        return (
            f"{len(self.pairs)} of {self.all_pairs} pairs of models that {first} and {second} "
            f"order differently on {self.task}"
        )

    def _columns(self) -> dict[str, Any]:
        first, second = (NAMES[measure] for measure in self.measures)
        return {
            f"better by {first}": [model for model, _ in self.pairs],
            f"better by {second}": [model for _, model in self.pairs],
            f"lead in {first}": self.leads[:, 0],
            f"lead in {second}": self.leads[:, 1],
        }


def reversals(task: TaskResult, one: str = "aupr", other: str = "auprg") -> Reversals:
    """Return all pairs of models that two measures order differently.

    Parameters
    ----------
    task
        One of the results of `read_results`.
    one, other
        The measures.

    Notes
    -----
    Pairs are sorted by the smaller of the two leads, the largest first.
    """
    by_one, by_other = task.columns[one], task.columns[other]
    reversed_pairs = []
    for first, second in permutations(range(len(task.models)), 2):
        leads = (by_one[first] - by_one[second], by_other[second] - by_other[first])
        if min(leads) > 0:
            reversed_pairs.append((leads, (task.models[first], task.models[second])))
    reversed_pairs.sort(key=lambda item: -min(item[0]))
    return Reversals(
        task.name,
        (one, other),
        tuple(pair for _, pair in reversed_pairs),
        np.array([leads for leads, _ in reversed_pairs]).reshape(-1, 2),
        len(task.models) * (len(task.models) - 1) // 2,
    )
