"""Tables and areas of samples that lie on a device."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from isometrics._core.sample import as_thresholds, check_totals
from isometrics._counting.array_api import gathered, ranking_of, sums_of
from isometrics._counting.device_hull import hull_rows
from isometrics._counting.hull import vertices
from isometrics._table.building import corners_of_table
from isometrics._table.table import ClassTotals, Gaps, Stored, Table
from isometrics.spaces import prg

if TYPE_CHECKING:
    from isometrics._core.sample import Sample
    from isometrics._counting.array_api import DeviceSums, Ends, Ranking


THREE = (Stored.ROC, Stored.DAVIS_GOADRICH, Stored.PRG)
"""AUROC, AUPR and AUPRG, which cost less than all that is added up."""


def table_on_device(sample: Sample, rows: str) -> Table | None:
    """Return a table of a device's sample, with the rows asked for; it is on the host.

    None where the host has to say what is wrong.
    """
    ranking = ranking_of(sample)
    if ranking is None:
        return None
    counts = _counts(ranking)
    if rows == "hull":
        return _hull_alone(ranking, *counts)
    scores, tp, fp = gathered(ranking)
    table = Table.of_rows(as_thresholds(scores), tp, fp, ClassTotals(*counts))
    return table if rows == "all" else corners_of_table(table)


def _hull_alone(ranking: Ranking, positives: int, negatives: int) -> Table:
    """Return the vertices of the hull, with the areas of the whole table."""
    known = measures(sums_of(ranking), positives, negatives)
    rows = hull_rows(ranking, vertices)
    thresholds = as_thresholds(ranking.scores(rows.marks))
    totals = ClassTotals(positives, negatives)
    gaps = Gaps(rows.gaps, known)
    return Table.of_rows(thresholds, rows.tp[1:], rows.fp[1:], totals, gaps=gaps)


def areas(sample: Sample, *, everything: bool) -> dict[str, float] | None:
    """Return AUROC, AUPR and AUPRG, or all measures that are added up on devices, by `Stored`.

    None where the host has to say what is wrong.
    """
    ranking = ranking_of(sample)
    if ranking is None:
        return None
    counts = _counts(ranking)
    return measures(sums_of(ranking, everything=everything), *counts)


def _counts(ranking: Ranking) -> tuple[int, int]:
    positives, negatives = ranking.positives, ranking.size - ranking.positives
    check_totals(positives, negatives, counted="y_true")
    return positives, negatives


def measures(sums: DeviceSums, positives: int, negatives: int) -> dict[str, float]:
    """Return the measures that the sums make known; the one cut piece is added exactly."""
    totals = ClassTotals(positives, negatives)
    crossing, end = _cut(sums.crossing, totals)
    known: dict[str, float] = {
        Stored.ROC: sums.pairs / (2 * positives * negatives),
        Stored.DAVIS_GOADRICH: sums.davis_goadrich / positives,
        Stored.PRG: 1 - _lost(sums.lost, crossing, end, totals),
    }
    if math.isnan(sums.above):
        return known
    known |= {
        Stored.Y0: prg.gain_at(*crossing, totals),
        Stored.ABOVE: sums.above / positives,
        Stored.AVERAGE_PRECISION: sums.average_precision / positives,
        Stored.LINEAR: sums.linear / positives,
    }
    if math.isnan(sums.misses):
        return known | {
            Stored.INTEGER_STEPS: sums.integer_steps / positives,
            Stored.MAX_PRECISION: sums.max_precision / positives,
        }
    terms = [prg.loss_of_piece(totals, crossing, end), (sums.misses, sums.false_alarms)]
    misses, false_alarms = prg.mean_losses(terms, totals, crossing)
    return known | {Stored.MISSES: misses, Stored.FALSE_ALARMS: false_alarms}


def _cut(ends: Ends, totals: ClassTotals) -> tuple[prg.Point, prg.Point]:
    """Return where the recall gain is 0, and where the group of rows around it ends."""
    tp_before, fp_before, tp, fp = map(Fraction, ends)
    baseline = prg.true_positives_at(0, totals)
    share = (baseline - tp_before) / (tp - tp_before)
    return (baseline, fp_before + share * (fp - fp_before)), (tp, fp)


def _lost(sums: float, start: prg.Point, end: prg.Point, totals: ClassTotals) -> float:
    """Return the area between the PRG curve and 1; see `prg.lost_area`."""
    odds = Fraction(totals.positives) / Fraction(totals.negatives)
    (x, y), (x_end, y_end) = start, end
    width = (x_end - x) / x / (x_end / Fraction(totals.positives))
    cut = width * (y / x + y_end / x_end)
    return float(odds * odds / 2 * (cut + Fraction(sums)))
