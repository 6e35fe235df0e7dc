"""Which rows a compact table keeps, and the sums that stay exact without the others.

The shortest one is a hull with the areas of its whole table, which need never be in memory.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics import _counting
from isometrics._core.sample import as_thresholds, check_totals
from isometrics._counting.keys import encoding_of
from isometrics._table.building import table_of_sample
from isometrics._table.hull import hull_rows
from isometrics._table.path import Path
from isometrics._table.table import ClassTotals, Gaps, Kind, Table
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.spaces.pr import precision
from isometrics.spaces.section_sums import SectionSums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts
    from isometrics._core.sample import Sample

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
        self._kept: list[tuple[NDArray[Any], Counts, Counts, NDArray[np.bool_], NDArray[Any]]] = []
        self._lowest = np.array([-np.inf])

    def add(self, thresholds: NDArray[Any], tp: Counts, fp: Counts) -> None:
        """Add a section; its first row has its threshold in another one."""
        self._sums.add(Path(tp, fp))
        rows = rows_to_keep(Table(tp, tp, fp, *self._totals, Kind.CURVE), self._fineness)
        gaps = np.diff(rows) > 1
        rows = rows[1:]
        below = np.concatenate([thresholds[1:], self._lowest])
        self._lowest = thresholds[:1]
        self._kept.append((thresholds[rows - 1], tp[rows], fp[rows], gaps, below[rows - 1]))

    def table(self) -> Table:
        """Return the compact table, once all sections were seen."""
        thresholds, tp, fp, gaps, below = (
            np.concatenate(part) for part in zip(*self._kept[::-1], strict=True)
        )
        known = Gaps(gaps, self._sums.known())
        return Table.of_rows(thresholds, tp, fp, self._totals, gaps=known, below=below)


def rows_to_keep(whole: Table, fineness: int) -> NDArray[np.intp]:
    """Return the rows to keep: hull, highest precision, and a dense choice of the others."""
    tp, fp, totals = whole.tp, whole.fp, (whole.positives, whole.negatives)
    # The row behind the first one may have the highest score of all.
    ends = np.array([0, 1, tp.size - 1])
    most_precise = np.array([np.nanargmax(precision(whole))])
    kept = [ends, hull_rows(whole), most_precise]
    for counts, total in zip((tp, fp, tp + fp), (*totals, sum(totals)), strict=True):
        if fineness == 0:
            break
        positive = counts[np.searchsorted(counts, 0, "right") :].astype(np.float64)
        low, high = (math.log(positive[row]) if positive.size else 0.0 for row in (0, -1))
        steps = np.arange(math.ceil(fineness * (high - low)) + 1)
        grid = np.exp(low + steps / fineness)
        linear = np.arange(2 * fineness) * (total / (2 * fineness))
        grid = np.concatenate([grid, linear])
        grid = grid[(grid > counts[0]) & (grid <= counts[-1])]
        reached = np.searchsorted(counts, grid)
        kept += [reached, np.maximum(reached - 1, 0)]
    return np.unique(np.concatenate(kept))


def compacted(table: Table, most: int) -> Table:
    """Keep at most so many rows of a curve, and its areas."""
    if not table.nested:
        raise NotAnswerableError(
            f"{table.name} cannot be compacted, because its rows need not be nested; take its hull"
        )
    if table.size <= most:
        return table
    totals = ClassTotals(table.positives, table.negatives)
    needed = rows_to_keep(table, 0).size
    if needed > most:
        raise ParameterError(
            f"must be at least {needed} for this table, whose hull and best rows are so many, but "
            f"is {most}",
            parameter="max_points",
        )
    rows = _densest(table, most)
    known = table.known
    if not table.partial:
        sums = SectionSums(totals)
        sums.add(Path(table.tp, table.fp))
        known = sums.known()
    between = np.diff(rows) > 1
    if table.gaps is not None:
        between |= np.logical_or.reduceat(table.gaps.between, rows[:-1])
    return replace(table.take(rows, table.kind), gaps=Gaps(between, known, table.has_hull))


def _densest(table: Table, most: int) -> NDArray[np.intp]:
    """Return the densest choice of rows that is not too long."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        rows = rows_to_keep(table, middle)
        low, high = (middle, high) if rows.size <= most else (low, middle - 1)
    return rows_to_keep(table, low)


# ---------------------------------------------------------------------- hulls with all areas

SECTION = 1 << 16
"""Rows that are looked at together, while they are in the processor's cache."""


def hull_alone(sample: Sample, *, section: int = SECTION) -> Table:
    """Return the vertices of the hull and few rows besides, with the areas of the whole table.

    Only the sorted keys of all rows are in memory, as large as float64 scores.
    """
    labels, scores = sample.labels, sample.only_scores
    positives = int(np.count_nonzero(labels))
    encoding = encoding_of(scores) if sample.weights is None else None
    if encoding is None:
        return hull_with_areas(table_of_sample(sample, None, None))
    check_totals(positives, labels.size - positives, counted="y_true")
    keys = _counting.sorted_keys(labels, scores, encoding)
    compacting = Compacting(ClassTotals(positives, labels.size - positives), fineness=0)
    end = keys.size
    while end:
        start = _start_of_ties(keys, max(end - section, 0))
        part = keys[start:end]
        last = np.append(np.flatnonzero((part[1:] ^ part[:-1]) > 1), part.size - 1)
        upto = np.cumsum(~part & part.dtype.type(1), dtype=np.int64)
        before = positives - int(upto[-1])
        tp = np.concatenate([[before], before + upto[last]])
        fp = np.concatenate([[start], start + 1 + last]) - tp
        compacting.add(as_thresholds(encoding.scores(part[last])), tp, fp)
        end, positives = start, before
    return compacting.table()


def hull_with_areas(table: Table) -> Table:
    """Keep the hull of a table and few rows besides, with all its areas."""
    compacting = Compacting(ClassTotals(table.positives, table.negatives), fineness=0)
    compacting.add(table.thresholds[1:], table.tp, table.fp)
    return compacting.table()


def _start_of_ties(keys: NDArray[Any], row: int) -> int:
    """Return the first row that is tied with a row; of ties, the positives come first."""
    one = keys.dtype.type(1)
    return int(np.searchsorted(keys, keys[row] & ~one))
