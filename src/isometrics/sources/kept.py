"""Rows kept as they are, for what needs them paired: the same row seen by several models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.groups import GroupNames
from isometrics.errors import Advice, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts
    from isometrics.sources.cleaning import Chunk
    from isometrics.sources.columns import Layout


class KeptRows(NamedTuple):
    """Clean rows in the order of the source."""

    labels: NDArray[np.bool_]
    scores: dict[str, NDArray[Any]]
    weights: Counts | None
    groups: dict[str, NDArray[np.intp]]
    """The rows of each group, the groups sorted by value."""


def shares_rows(layout: Layout) -> bool:
    """Tell whether all models have scores of the same rows, for the same positive class."""
    return layout.model is None and not layout.multiclass


class RowKeeper:
    """Collects clean rows.

    Parameters
    ----------
    layout
        Which column is what; each model must have a column of its own, for one and the same
        class.
    budget
        The bytes of memory to keep within.
    required
        Refuse more rows than fit; else let go of all of them.
    """

    def __init__(self, layout: Layout, budget: int, *, required: bool = True) -> None:
        if not shares_rows(layout):
            raise ParameterError(
                "rows are kept to compare models on the same rows, so each model needs a column "
                "of its own, and all of them the same positive class"
            )
        self._budget = budget
        self._group = layout.group
        self._required = required
        self._chunks: list[Chunk] = []
        self._held = 0

    def append(self, chunk: Chunk) -> None:
        """Keep the rows of a batch."""
        arrays = [*chunk.labels.values(), *chunk.scores.values()]
        arrays += [] if chunk.weights is None else [chunk.weights]
        arrays += [] if chunk.groups is None else [chunk.groups[0]]
        self._held += sum(array.nbytes for array in arrays)
        if self.fits:
            self._chunks.append(chunk)
            return
        self._chunks.clear()
        if self._required:
            raise ParameterError(
                "the rows do not fit into the memory limit",
                Advice("raise {memory_limit}, or do without intervals, which need all rows"),
            )

    @property
    def fits(self) -> bool:
        """Whether all rows so far fit into the budget."""
        # They are joined once at the end, and stand twice in memory for a moment.
        return 2 * self._held <= self._budget

    def rows(self) -> KeptRows | None:
        """Return all rows; None where they did not fit."""
        chunks = self._chunks
        if not chunks:
            return None
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
