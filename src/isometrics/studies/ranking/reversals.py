"""Pairs of models that two measures rank the other way round, as in Figure 5 of Flach & Kull."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.results import ResultTable
from isometrics.studies.ranking.scoring import NAMES

if TYPE_CHECKING:
    from isometrics._core.arrays import Floats
    from isometrics.studies.ranking.results import TaskResult


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reversals(ResultTable):
    """Pairs of models of one task that two measures order differently, the clearest first.

    Attributes
    ----------
    task
        The task.
    measures
        The two measures: the first one prefers the first model, the second one the second.
    pairs
        The models of each row.
    leads
        By how much the first measure prefers the first model, and the second one the second.
    all_pairs
        The number of all pairs of models.
    """

    task: str
    measures: tuple[str, str]
    pairs: tuple[tuple[str, str], ...]
    leads: Floats
    all_pairs: int

    def _title(self) -> str:
        one, other = (NAMES[measure] for measure in self.measures)
        return (
            f"{len(self.pairs)} of {self.all_pairs} pairs of models that {one} and {other} order "
            f"differently on {self.task}"
        )

    def _columns(self) -> dict[str, Any]:
        one, other = (NAMES[measure] for measure in self.measures)
        return {
            f"better by {one}": [first for first, _ in self.pairs],
            f"better by {other}": [second for _, second in self.pairs],
            f"lead in {one}": self.leads[:, 0],
            f"lead in {other}": self.leads[:, 1],
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
    found = []
    for first, second in permutations(range(len(task.models)), 2):
        leads = (by_one[first] - by_one[second], by_other[second] - by_other[first])
        if min(leads) > 0:
            found.append((leads, (task.models[first], task.models[second])))
    found.sort(key=lambda pair: -min(pair[0]))
    return Reversals(
        task.name,
        (one, other),
        tuple(pair for _, pair in found),
        np.array([leads for leads, _ in found]).reshape(-1, 2),
        len(task.models) * (len(task.models) - 1) // 2,
    )
