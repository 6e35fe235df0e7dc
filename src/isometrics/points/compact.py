"""Tables that keep some rows, with areas that were added up in sections or on a device."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.counts import as_thresholds, check_totals
from isometrics._counting import compiled_kernel
from isometrics._counting.array_api import gathered, sorted_keys_of, sums_of
from isometrics._counting.array_api import hull_rows as device_hull_rows
from isometrics._counting.confusion import Totals
from isometrics._counting.keys import encoding_of
from isometrics._table.building import corners_of_table, table_of_sample
from isometrics._table.path import Path, hull_rows
from isometrics._table.table import Gaps, Kind, KnownArea, Table
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.spaces import pr, prg, roc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts
    from isometrics._core.sample import Sample
    from isometrics._counting.array_api import SortedKeys
    from isometrics._counting.segments import DeviceSums


class SectionSums:
    """Sums along a path that arrives in sections, the last one first.

    Neighbouring sections share a row: the first row of one is the last row of the other.
    """

    def __init__(self, totals: Totals) -> None:
        self._totals = totals
        self._baseline = prg.true_positives_at(0, totals)
        self._crossing: prg.Point | None = None
        self._areas = {name: areas() for name, areas in pr.AREAS.items()}
        self._areas[KnownArea.ABOVE] = pr.area_above
        self._sums: dict[str, list[float]] = {
            name: [] for name in (*self._areas, KnownArea.ROC, KnownArea.PRG)
        }
        self._losses: list[tuple[float, float]] = []

    def add(self, section: Path) -> None:
        """Add the section that comes before all those seen so far."""
        flipped = section.flipped()
        self._sums[KnownArea.ROC] += roc.doubled_sums(flipped, *flipped.ends)
        start, end = section.ends
        for name, sums in section.sums(self._areas, start, end, compiled=pr.COMPILED).items():
            self._sums[name] += sums
        if end >= self._baseline:
            begin = max(start, self._baseline)
            self._sums[KnownArea.PRG] += prg.lost_sums(section, begin, end)
            row = section.first_row_from(self._baseline)
            if row > 0:
                self._crossing = (self._baseline, section.crossing(self._baseline))
                reached = section.at(row)
                self._losses.append(prg.loss_of_piece(self._totals, self._crossing, reached))
            self._losses += prg.loss_terms(section, self._totals, row)

    def known(self) -> dict[str, float]:
        """Return all measures, once the whole path was seen."""
        assert self._crossing is not None, "the path must begin at the empty rule"
        positives, negatives = self._totals.positives, self._totals.negatives
        misses, false_alarms = prg.mean_losses(self._losses, self._totals, self._crossing)
        return {name: math.fsum(self._sums[name]) / positives for name in self._areas} | {
            KnownArea.ROC: math.fsum(self._sums[KnownArea.ROC]) / (2 * positives * negatives),
            KnownArea.PRG: 1 - prg.lost_area(math.fsum(self._sums[KnownArea.PRG]), self._totals),
            KnownArea.Y0: prg.gain_at(*self._crossing, self._totals),
            KnownArea.MISSES: misses,
            KnownArea.FALSE_ALARMS: false_alarms,
        }


FINENESS = 1000
"""Kept rows are dense: no count grows by more than one part in so many between two of them,
unless a single row does, and none by more than half as much of its total."""


class Compacting:
    """Rows of a long table that arrive in sections, the lowest thresholds first.

    Every section begins with the last row of the section of higher scores, or the empty rule.

    Parameters
    ----------
    totals
        The totals of both classes.
    fineness
        How dense the rows are that are kept.
    memory_limit
        The memory limit under which the table would have all its rows, where that left rows out.
    """

    def __init__(self, totals: Totals, *, fineness: int = FINENESS, memory_limit: str = "") -> None:
        self._totals = totals
        self._memory_limit = memory_limit
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
        known = Gaps(gaps, self._sums.known(), memory_limit=self._memory_limit)
        return Table.of_rows(thresholds, tp, fp, self._totals, gaps=known, below=below)


def rows_to_keep(whole: Table, fineness: int) -> NDArray[np.intp]:
    """Return the rows to keep: hull, highest precision, and a dense choice of the others."""
    tp, fp, totals = whole.tp, whole.fp, (whole.positives, whole.negatives)
    # The row behind the first one may have the highest score of all.
    ends = np.array([0, 1, tp.size - 1])
    most_precise = np.array([np.nanargmax(whole.counts.precision)])
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
    totals = Totals(table.positives, table.negatives)
    needed = rows_to_keep(table, 0).size
    if needed > most:
        raise ParameterError(
            f"must be at least {needed} for this table, whose hull and best rows are so many, but "
            f"is {most}",
            parameter="max_points",
        )
    # The densest choice of rows that is not too long.
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        fits = rows_to_keep(table, middle).size <= most
        low, high = (middle, high) if fits else (low, middle - 1)
    rows = rows_to_keep(table, low)
    known = table.known
    if not table.partial:
        sums = SectionSums(totals)
        sums.add(Path(table.tp, table.fp))
        known = sums.known()
    between = np.diff(rows) > 1
    if table.gaps is not None:
        between |= np.logical_or.reduceat(table.gaps.between, rows[:-1])
    return replace(table.take(rows, table.kind), gaps=Gaps(between, known, table.has_hull))


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
    keys = compiled_kernel.sorted_keys(labels, scores, encoding)
    compacting = Compacting(Totals(positives, labels.size - positives), fineness=0)
    end = keys.size
    while end:
        # Rows that are tied stay together; of these the positives come first.
        first = keys[max(end - section, 0)] & ~keys.dtype.type(1)
        start = int(np.searchsorted(keys, first))
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
    compacting = Compacting(Totals(table.positives, table.negatives), fineness=0)
    compacting.add(table.thresholds[1:], table.tp, table.fp)
    return compacting.table()


# ---------------------------------------------------------------------- samples on a device

THREE = (KnownArea.ROC, KnownArea.DAVIS_GOADRICH, KnownArea.PRG)
"""AUROC, AUPR and AUPRG, which cost less than all that is added up."""


def table_on_device(sample: Sample, rows: str) -> Table | None:
    """Return a table of a device's sample, with the rows asked for; it is on the host.

    None where the host has to say what is wrong.
    """
    ranking = sorted_keys_of(sample)
    if ranking is None:
        return None
    totals = _totals_of(ranking)
    if rows == "hull":
        hull = device_hull_rows(ranking)
        gaps = Gaps(hull.gaps, measures_of_sums(sums_of(ranking), totals))
        thresholds = as_thresholds(ranking.scores(hull.marks))
        return Table.of_rows(thresholds, hull.tp[1:], hull.fp[1:], totals, gaps=gaps)
    scores, tp, fp = gathered(ranking)
    table = Table.of_rows(as_thresholds(scores), tp, fp, totals)
    return table if rows == "all" else corners_of_table(table)


def areas_on_device(sample: Sample, *, everything: bool) -> dict[str, float] | None:
    """Return AUROC, AUPR and AUPRG, or all measures that are added up on devices, by `KnownArea`.

    None where the host has to say what is wrong.
    """
    ranking = sorted_keys_of(sample)
    if ranking is None:
        return None
    totals = _totals_of(ranking)
    return measures_of_sums(sums_of(ranking, everything=everything), totals)


def _totals_of(ranking: SortedKeys) -> Totals:
    negatives = ranking.size - ranking.positives
    return Totals(*check_totals(ranking.positives, negatives, counted="y_true"))


def measures_of_sums(sums: DeviceSums, totals: Totals) -> dict[str, float]:
    """Return the measures that the sums make known; the one cut piece is added exactly."""
    positives, negatives = totals
    # Where the recall gain is 0, and where the group of rows around it ends.
    tp_before, fp_before, x_end, y_end = map(Fraction, sums.crossing)
    x = prg.true_positives_at(0, totals)
    y = fp_before + (x - tp_before) / (x_end - tp_before) * (y_end - fp_before)
    crossing = x, y
    # The area between the PRG curve and 1; see `prg.lost_area`.
    odds = Fraction(positives) / Fraction(negatives)
    cut = (x_end - x) / x / (x_end / Fraction(positives)) * (y / x + y_end / x_end)
    known: dict[str, float] = {
        KnownArea.ROC: sums.pairs / (2 * positives * negatives),
        KnownArea.DAVIS_GOADRICH: sums.davis_goadrich / positives,
        KnownArea.PRG: 1 - float(odds * odds / 2 * (cut + Fraction(sums.lost))),
    }
    if math.isnan(sums.above):
        return known
    known |= {
        KnownArea.Y0: prg.gain_at(*crossing, totals),
        KnownArea.ABOVE: sums.above / positives,
        KnownArea.AVERAGE_PRECISION: sums.average_precision / positives,
        KnownArea.LINEAR: sums.linear / positives,
    }
    cut_losses = prg.loss_of_piece(totals, crossing, (x_end, y_end))
    terms = [cut_losses, (sums.misses, sums.false_alarms)]
    misses, false_alarms = prg.mean_losses(terms, totals, crossing)
    return known | {KnownArea.MISSES: misses, KnownArea.FALSE_ALARMS: false_alarms}
