"""Which rows a compact table keeps, and the sums that stay exact without the others."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.hull import vertices
from isometrics.path import Path
from isometrics.spaces.pr import precision
from isometrics.spaces.sections import SectionSums
from isometrics.table import ClassTotals, Kind, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.aliases import Counts

FINENESS = 1000
"""Kept rows are dense: no count grows by more than one part in so many between two of them,
unless a single row does, and none by more than half as much of its total."""


class Compacting:
    """Rows of a long table that arrive in sections, the lowest thresholds first.

    Every section begins with the last row of the section of higher scores, or the empty rule.
    """

    def __init__(self, totals: ClassTotals, *, fineness: int = FINENESS) -> None:
        self._totals = totals
        self._fineness = fineness
        self._sums = SectionSums(totals)
        self._kept: list[tuple[NDArray[Any], Counts, Counts, NDArray[np.bool_]]] = []

    def add(self, thresholds: NDArray[Any], tp: Counts, fp: Counts) -> None:
        """Add a section; its first row has its threshold in another one."""
        self._sums.add(Path(tp, fp))
        rows = self._wanted(tp, fp)
        gaps = np.diff(rows) > 1
        rows = rows[1:]
        self._kept.append((thresholds[rows - 1], tp[rows], fp[rows], gaps))

    def _wanted(self, tp: Counts, fp: Counts) -> NDArray[np.intp]:
        """Return the rows to keep: hull, highest precision, and a dense choice of the others."""
        whole = Table(tp, tp, fp, *self._totals, Kind.CURVE)
        # The row behind the first one may have the highest score of all.
        ends = np.array([0, 1, tp.size - 1])
        most_precise = np.array([np.nanargmax(precision(whole))])
        kept = [ends, vertices(fp, tp), most_precise]
        for counts, total in zip(
            (tp, fp, tp + fp), (*self._totals, sum(self._totals)), strict=True
        ):
            positive = counts[np.searchsorted(counts, 0, "right") :].astype(np.float64)
            low, high = (math.log(positive[row]) if positive.size else 0.0 for row in (0, -1))
            steps = np.arange(math.ceil(self._fineness * (high - low)) + 1)
            grid = np.exp(low + steps / self._fineness)
            linear = np.arange(2 * self._fineness) * (total / (2 * self._fineness))
            grid = np.concatenate([grid, linear])
            grid = grid[(grid > counts[0]) & (grid <= counts[-1])]
            reached = np.searchsorted(counts, grid)
            kept += [reached, np.maximum(reached - 1, 0)]
        return np.unique(np.concatenate(kept))

    def table(self) -> Table:
        """Return the compact table, once all sections were seen."""
        thresholds, tp, fp, gaps = (
            np.concatenate(part) for part in zip(*self._kept[::-1], strict=True)
        )
        rows = behind_empty_rule(thresholds, tp, fp, self._totals, Kind.COMPACT)
        return replace(rows, gaps=gaps, known=self._sums.known())


def behind_empty_rule(
    thresholds: NDArray[Any], tp: Counts, fp: Counts, totals: ClassTotals, kind: Kind
) -> Table:
    """Return the table of rows that lack the empty rule."""
    return Table(
        np.concatenate([np.array([np.inf], thresholds.dtype), thresholds]),
        np.concatenate([np.zeros(1, tp.dtype), tp]),
        np.concatenate([np.zeros(1, fp.dtype), fp]),
        *totals,
        kind,
    )
