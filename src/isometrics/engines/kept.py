"""Rows kept as they are, for what needs them paired: the same row seen by several models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics.errors import ParameterError
from isometrics.grouping import GroupNames

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.aliases import Counts
    from isometrics.engines.cleaning import Chunk
    from isometrics.layout import Layout


class KeptRows(NamedTuple):
    """Clean rows in the order of the source."""

    labels: NDArray[np.bool_]
    scores: dict[str, NDArray[Any]]
    weights: Counts | None
    groups: dict[str, NDArray[np.intp]]
    """The rows of each group, the groups sorted by value."""


class RowKeeper:
    """Collects clean rows.

    Parameters
    ----------
    layout
        Which column is what; each model must have a column of its own, for one and the same
        class.
    budget
        The bytes of memory to keep within; more rows are refused.
    """

    def __init__(self, layout: Layout, budget: int) -> None:
        if layout.model is not None or layout.multiclass:
            raise ParameterError(
                "rows are kept to compare models on the same rows, so each model needs a column "
                "of its own, and all of them the same positive class"
            )
        self._budget = budget
        self._group = layout.group
        self._chunks: list[Chunk] = []
        self._held = 0

    def append(self, chunk: Chunk) -> None:
        """Keep the rows of a batch."""
        arrays = [*chunk.labels.values(), *chunk.scores.values()]
        self._held += sum(array.nbytes for array in arrays)
        # They are joined once at the end, and stand twice in memory for a moment.
        if 2 * self._held > self._budget:
            raise ParameterError(
                "the rows do not fit into the memory limit; raise memory_limit=, or do without "
                "intervals, which need all rows"
            )
        self._chunks.append(chunk)

    def rows(self) -> KeptRows:
        """Return all rows."""
        chunks = self._chunks
        weights = [chunk.weights for chunk in chunks if chunk.weights is not None]
        return KeptRows(
            np.concatenate([chunk.positive("") for chunk in chunks]),
            {
                name: np.concatenate([chunk.scores[name] for chunk in chunks])
                for name in chunks[0].scores
            },
            np.concatenate(weights) if weights else None,
            self._groups(),
        )

    def _groups(self) -> dict[str, NDArray[np.intp]]:
        if self._group is None:
            return {}
        names = GroupNames(self._group)
        codes = [
            names.codes_of(values)[found]
            for found, values in (chunk.groups for chunk in self._chunks if chunk.groups)
        ]
        return names.rows_by_group(np.concatenate(codes))
