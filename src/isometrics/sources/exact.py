"""The exact table of rows that arrive in chunks, in bounded memory."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.sample import as_thresholds, check_totals
from isometrics._counting.numpy_kernel import Order, order_of
from isometrics._table.table import Kind, Table
from isometrics.points import OperatingPoints
from isometrics.points.compact import Compacting
from isometrics.sources.arrow import ahead
from isometrics.sources.runs import SHORT, Run, Runs, SpillFolder
from isometrics.sources.sections import Sections

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts

BYTES_OF_A_ROW = 64
"""A full table and what building it takes, for each distinct score."""


@lru_cache(maxsize=1)
def _threads_of(process: int) -> ThreadPoolExecutor:  # noqa: ARG001
    """Return the threads that sort and copy for all tables; a forked process needs its own."""
    return ThreadPoolExecutor(2)


class ExactTable:
    """Scores are kept as sorted runs of keys, on disk where they do not fit into memory.

    Parameters
    ----------
    dtype
        The type of the scores.
    weights
        The type of the weights, int64 or float64; None without weights.
    folder
        Where runs go that do not fit.
    """

    def __init__(
        self,
        dtype: np.dtype[Any],
        weights: np.dtype[Any] | None,
        *,
        folder: SpillFolder,
    ) -> None:
        self._order: Order = order_of(dtype)
        word = self._order.word
        self._classes = tuple(
            Runs(word, weights, folder=folder, threads=_threads_of(os.getpid())) for _ in range(2)
        )

    def append(
        self, labels: NDArray[np.bool_], scores: NDArray[Any], weights: Counts | None
    ) -> None:
        """Add rows."""
        keys = self._order.keys(scores)
        for runs, mine in zip(self._classes, (labels, ~labels), strict=True):
            runs.append(keys[mine], None if weights is None else weights[mine])

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(runs.rows for runs in self._classes)

    @property
    def nbytes(self) -> int:
        """The memory that rows take."""
        return sum(runs.nbytes for runs in self._classes)

    def spill(self) -> None:
        """Move all rows to the disk."""
        for runs in self._classes:
            runs.spill()

    def runs(self) -> tuple[list[Run], list[Run]]:
        """Return the sorted runs of positives and of negatives."""
        positives, negatives = (runs.finished() for runs in self._classes)
        return positives, negatives

    def points(self, name: str, *, budget: int) -> OperatingPoints:
        """Return the table; `name` is what errors call the labels.

        A table that is too long for `budget` bytes is compacted: its hull and its areas stay
        exact.
        """
        sections = Sections(*self.runs())
        check_totals(*sections.totals, counted=name)
        if self.rows * BYTES_OF_A_ROW <= budget:
            return OperatingPoints(self._full(sections))
        compacting = Compacting(sections.totals)
        for keys, tp, fp in ahead(iter(sections)):
            compacting.add(self._thresholds(keys[1:]), tp, fp)
        return OperatingPoints(compacting.table())

    def _full(self, sections: Sections) -> Table:
        """Fill the rows of a whole table from its end, where the lowest scores are."""
        size = self.rows + 1
        totals = sections.totals
        counts = np.result_type(*(np.asarray(total).dtype for total in totals))
        thresholds = np.empty(size, self._thresholds(sections.extremes).dtype)
        tp, fp = np.empty(size, counts), np.empty(size, counts)
        start = size
        for part in iter(sections) if self.rows <= SHORT else ahead(iter(sections)):
            end, start = start, start - (part.keys.size - 1)
            rows = slice(start, end)
            if part.keys.size <= SHORT:
                self._write(thresholds[rows], part.keys[1:])
                tp[rows], fp[rows] = part.tp[1:], part.fp[1:]
                continue
            # Fresh memory is dear: both processors write to it.
            threads = _threads_of(os.getpid())
            written = threads.submit(self._write, thresholds[rows], part.keys[1:])
            tp[rows], fp[rows] = part.tp[1:], part.fp[1:]
            written.result()
        # There is a row for the empty rule: ties only make room.
        rows = slice(start - 1, None)
        thresholds[start - 1], tp[start - 1], fp[start - 1] = np.inf, 0, 0
        thresholds, tp, fp = thresholds[rows], tp[rows], fp[rows]
        if start > size // 2:
            thresholds, tp, fp = thresholds.copy(), tp.copy(), fp.copy()
        return Table(thresholds, tp, fp, *totals, Kind.SCORES)

    def _write(self, thresholds: NDArray[Any], keys: NDArray[Any]) -> None:
        thresholds[:] = self._thresholds(keys)

    def _thresholds(self, keys: NDArray[Any]) -> NDArray[Any]:
        return as_thresholds(self._order.scores(keys))
