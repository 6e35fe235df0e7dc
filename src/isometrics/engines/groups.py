"""Rows of many groups gathered together, and parted once at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.building import table_of_sample
from isometrics.engines.memory import limit_for
from isometrics.errors import OneClassError, ParameterError
from isometrics.inputs import LARGEST_COUNT, Sample
from isometrics.points import OperatingPoints
from isometrics.printing import several

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.aliases import Counts

_WORKING = 3
"""Splitting and counting take so many times the memory of the rows themselves."""
_BYTES_OF_A_TABLE = 24_000
"""What the table of one model in one group takes until its numbers are printed, measured."""


class GroupedRows:
    """The rows of each model with the codes of their groups.

    Parameters
    ----------
    budget
        The bytes of memory to keep within; more rows are refused.
    """

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._names: dict[str, int] = {}
        self._models: dict[str, list[list[NDArray[Any]]]] = {}
        self._held = 0

    def append(
        self, model: str, sample: Sample, codes: NDArray[np.int32], names: list[str]
    ) -> None:
        """Add rows of one model; the codes point into the names of this batch."""
        known = np.array([self._names.setdefault(name, len(self._names)) for name in names])
        columns = [column for column in sample if column is not None]
        parts = [known[codes].astype(np.int32), *columns]
        kept = self._models.setdefault(model, [[] for _ in parts])
        for column, part in zip(kept, parts, strict=True):
            column.append(part)
            self._held += part.nbytes
        tables = len(self._names) * len(self._models)
        needed = self._held * _WORKING + tables * _BYTES_OF_A_TABLE
        if needed > self._budget:
            raise ParameterError(
                f"the tables of {len(self._names)} groups and more do not fit into the memory "
                f"limit; raise memory_limit= above {limit_for(needed)}, or leave the groups out"
            )

    def tables(self) -> tuple[dict[str, dict[str, OperatingPoints]], dict[str, str]]:
        """Return the tables by group and model, and why some groups have none."""
        groups: dict[str, dict[str, OperatingPoints]] = {name: {} for name in self._names}
        one_class: dict[tuple[str, str], list[str]] = {}
        names = list(self._names)
        for model, parts in self._models.items():
            codes, *columns = (np.concatenate(part) for part in parts)
            order = np.argsort(codes, kind="stable")
            codes = codes[order]
            columns = [column[order] for column in columns]
            starts = np.flatnonzero(np.diff(codes, prepend=-1))
            for start, end in zip(starts, np.append(starts[1:], codes.size), strict=True):
                group = names[codes[start]]
                labels, scores, *weights = (column[start:end] for column in columns)
                sample = Sample(labels, scores, _countable(weights[0]) if weights else None)
                try:
                    points = OperatingPoints(table_of_sample(sample, None, None))
                except OneClassError:
                    only = "positives" if labels[0] else "negatives"
                    one_class.setdefault((group, only), []).append(model)
                else:
                    groups[group][model] = points
        return {group: models for group, models in groups.items() if models}, reasons(one_class)


def reasons(one_class: dict[tuple[str, str], list[str]]) -> dict[str, str]:
    """Say of each group why models have no table there: by group and the only class, which."""
    skipped: dict[str, str] = {}
    for (group, only), models in one_class.items():
        reason = f"only {only} for {several(models)}"
        skipped[group] = f"{skipped[group]}; {reason}" if group in skipped else reason
    return skipped


def _countable(weights: Counts) -> Counts:
    """Return weights whose sums are exact, or else floats."""
    floats = weights.astype(np.float64)
    return weights if floats.sum() <= LARGEST_COUNT else floats
