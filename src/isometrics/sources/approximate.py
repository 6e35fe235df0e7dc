"""A table whose areas are known to a tolerance, from two passes over the rows in small memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.sample import as_thresholds
from isometrics._counting.numpy_kernel import order_of
from isometrics._table.table import ClassTotals, Gaps, Table
from isometrics.points import OperatingPoints
from isometrics.sources.binned import (
    BinCounts,
    Borders,
    Choice,
    KeyRows,
    Refinement,
    bins_to_refine,
    borders_of,
)
from isometrics.sources.bins import bins_for, plan_of
from isometrics.sources.dyadic import of_rows
from isometrics.sources.exact import ExactTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts
    from isometrics._counting.numpy_kernel import Order
    from isometrics.sources.bins import BinPlan
    from isometrics.sources.runs import SpillFolder

FIRST_ROWS = 1 << 21
"""So many rows are kept and sorted as they are; only behind them are bins planned."""

PLANNED_SHARE = 4
"""Bins are planned on every so many of the first rows; more do not make them better."""


class ApproximateTable:
    """Counts scores in bins, then looks again at the bins that matter.

    The first pass gives exact rows at the borders of bins. Later ones sort the rows of the bins
    where the hull may have vertices, so the hull is exact, and of those that leave the most doubt
    about an area.

    Parameters
    ----------
    dtype
        The type of the scores.
    tolerance
        How wide the bracket of an area may be.
    folder
        Where rows go that do not fit into memory.
    """

    def __init__(self, dtype: np.dtype[Any], tolerance: float, *, folder: SpillFolder) -> None:
        self._order = order_of(dtype)
        self._tolerance = tolerance
        self._first: ExactTable | None = ExactTable(dtype, None, folder=folder)
        self._counts: BinCounts | None = None
        self._ended = False
        self._looking: Looking | None = None

    def append(
        self, labels: NDArray[np.bool_], scores: NDArray[Any], weights: Counts | None = None
    ) -> None:
        """See rows, in the first pass or again in a later one; they have no weights."""
        assert weights is None
        if self._first is not None:
            # Later passes are for other models, which have more rows.
            if not self._ended:
                self._first.append(labels, scores, None)
            if self._first.rows > FIRST_ROWS:
                self._plan(self._first)
            return
        keys = self._order.keys(scores)
        if self._looking is not None:
            self._looking.append(keys, labels)
            return
        assert self._counts is not None, "rows are kept, or else counted"
        self._counts.append(keys, labels)

    def _plan(self, first: ExactTable) -> None:
        classes = [np.concatenate([run.keys for run in runs]) for runs in first.runs()]
        keys = np.concatenate(classes)
        labels = np.arange(keys.size) < classes[0].size
        some = slice(None, None, PLANNED_SHARE)
        plan = plan_of(of_rows(keys[some], labels[some]), bins_for(self._tolerance))
        self._first, self._counts = None, BinCounts(plan)
        self._counts.append(keys, labels)

    def end_pass(self, name: str, room: int) -> bool:
        """Take in what a pass has shown; tell whether another one, of `room` rows, is needed.

        `name` is what errors call the labels.
        """
        self._ended = True
        if self._counts is None:
            return False
        if self._looking is None:
            self._looking = Looking(self._counts, borders_of(self._counts, name))
        else:
            self._looking.end_pass()
        return self._looking.choose(self._tolerance, room)

    def points(self, name: str, *, budget: int) -> OperatingPoints:
        """Return the table; a short one is exact."""
        if self._first is not None:
            return self._first.points(name, budget=budget)
        assert self._looking is not None, "a pass must be ended first"
        return self._looking.points(self._order)


class Looking:
    """Bins with exact borders, some of which were looked into."""

    def __init__(self, counts: BinCounts, borders: Borders) -> None:
        self._plan: BinPlan = counts.plan
        self._lowest_key = counts.lowest_key
        self._borders = borders
        nothing = np.zeros(borders.bins.size, np.bool_)
        self._done = Choice(nothing, nothing)
        self._chosen = self._done
        self._seen: list[KeyRows] = []
        self._refinement: Refinement | None = None

    def choose(self, tolerance: float, room: int) -> bool:
        """Choose bins to look into next; there are none once all areas are close enough."""
        self._chosen = bins_to_refine(self._borders, tolerance, self._done, room)
        if not self._chosen.bins.any():
            return False
        self._refinement = Refinement(self._plan, self._borders, self._chosen)
        return True

    def append(self, keys: NDArray[Any], labels: NDArray[np.bool_]) -> None:
        """See rows again."""
        if self._refinement is not None:
            self._refinement.append(keys, labels)

    def end_pass(self) -> None:
        """Keep what was found in the chosen bins."""
        if self._refinement is not None:
            self._seen.append(self._refinement.rows())
            self._done = Choice(
                self._done.all_rows | self._chosen.all_rows,
                self._done.vertices | self._chosen.vertices,
            )
            self._refinement = None

    def points(self, order: Order) -> OperatingPoints:
        """Return the rows at the borders of bins, and all rows of the bins looked into."""
        borders, rest = self._borders, ~self._done.bins
        edges = self._plan.edges(borders.bins)
        edges[-1] = self._lowest_key  # what lies below the plan is in the last bin
        several = borders.positives + borders.negatives > 1
        own = KeyRows(edges[rest], borders.tp[rest], borders.fp[rest], several[rest])
        # Of a bin that was looked into twice, the later look has all rows.
        keys, tp, fp, gaps = map(np.concatenate, zip(*self._seen[::-1], own, strict=True))
        _, rank = np.unique(keys, return_index=True)
        rank = rank[::-1]
        totals = ClassTotals(int(borders.tp[-1]), int(borders.fp[-1]))
        thresholds = as_thresholds(order.scores(keys[rank]))
        table = Table.of_rows(thresholds, tp[rank], fp[rank], totals, Gaps(gaps[rank]))
        return OperatingPoints(table)
