"""Rows of many groups gathered together, and split once at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.groups import GroupNames
from isometrics._core.results import several
from isometrics._core.sample import LARGEST_COUNT, Sample
from isometrics._table.building import table_of_sample
from isometrics.errors import Advice, OneClassError, ParameterError
from isometrics.points import OperatingPoints
from isometrics.sources.memory import limit_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts

_WORKING = 3
"""Splitting and counting take so many times the memory of the rows themselves."""
_BYTES_OF_A_TABLE = 24_000
"""What the table of one model in one group takes until its numbers are printed, measured."""


class GroupTables(NamedTuple):
    """The tables of groups, which are sorted by value."""

    groups: dict[str, dict[str, OperatingPoints]]
    """The tables by group and model."""
    skipped: dict[str, str]
    """The groups in which models have no table, and why."""


class GroupedRows:
    """The rows of each model with the codes of their groups.

    Parameters
    ----------
    group
        The column of groups.
    budget
        The bytes of memory to keep within; more rows are refused.
    """

    def __init__(self, group: str, budget: int) -> None:
        self._budget = budget
        self._names = GroupNames(group)
        self._models: dict[str, list[list[NDArray[Any]]]] = {}
        self._held = 0

    def append(
        self, model: str, sample: Sample, codes: NDArray[np.int32], values: list[Any]
    ) -> None:
        """Add rows of one model; the codes point into the values of this batch."""
        columns = [column for column in sample if column is not None]
        parts = [self._names.codes_of(values)[codes].astype(np.int32), *columns]
        kept = self._models.setdefault(model, [[] for _ in parts])
        for column, part in zip(kept, parts, strict=True):
            column.append(part)
            self._held += part.nbytes
        tables = len(self._names) * len(self._models)
        needed = self._held * _WORKING + tables * _BYTES_OF_A_TABLE
        if needed > self._budget:
            raise ParameterError(
                f"the tables of {len(self._names)} groups and more do not fit into the memory "
                "limit",
                Advice("raise {memory_limit} above {}, or leave the groups out", limit_for(needed)),
            )

    def tables(self, models: Iterable[str]) -> GroupTables:
        """Return the tables by group and model, and why some groups have none."""
        found: dict[str, dict[str, OperatingPoints | str]] = {
            group: {} for group in self._names.in_order()[0]
        }
        for model in models:
            codes, *columns = (np.concatenate(part) for part in self._models[model])
            for group, rows in self._names.rows_by_group(codes).items():
                labels, scores, *weights = (column[rows] for column in columns)
                sample = Sample(labels, scores, _countable(weights[0]) if weights else None)
                try:
                    points = OperatingPoints(table_of_sample(sample, None, None))
                except OneClassError:
                    found[group][model] = "positives" if labels[0] else "negatives"
                else:
                    found[group][model] = points
        return group_tables(found)


def group_tables(found: Mapping[str, Mapping[str, OperatingPoints | str]]) -> GroupTables:
    """Take tables and the only class of models that have none apart, by group and model."""
    groups: dict[str, dict[str, OperatingPoints]] = {}
    skipped: dict[str, str] = {}
    for group, models in found.items():
        counted = {name: each for name, each in models.items() if not isinstance(each, str)}
        if counted:
            groups[group] = counted
        one_class: dict[str, list[str]] = {}
        for name, each in models.items():
            if isinstance(each, str):
                one_class.setdefault(each, []).append(name)
        reasons = [
            f"only {only}" if len(names) == len(models) else f"only {only} for {several(names)}"
            for only, names in one_class.items()
        ]
        if reasons:
            skipped[group] = "; ".join(reasons)
    return GroupTables(groups, skipped)


def _countable(weights: Counts) -> Counts:
    """Return weights whose sums are exact, or else floats."""
    floats = weights.astype(np.float64)
    return weights if floats.sum() <= LARGEST_COUNT else floats
