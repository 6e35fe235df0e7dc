"""Measures of a whole curve that is seen in sections, so that it never has to be in memory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from isometrics._table.table import Stored
from isometrics.spaces import pr, prg, roc

if TYPE_CHECKING:
    from isometrics._table.path import Path
    from isometrics._table.table import Totals


class SectionSums:
    """Sums along a path that arrives in sections, the last one first.

    Neighbouring sections share a row: the first row of one is the last row of the other.
    """

    def __init__(self, totals: Totals) -> None:
        self._totals = totals
        self._baseline = prg.true_positives_at(0, totals)
        self._crossing: prg.Point | None = None
        self._areas = {name: areas() for name, areas in pr.AREAS.items()}
        self._areas[Stored.ABOVE] = pr.area_above
        self._sums: dict[str, list[float]] = {
            name: [] for name in (*self._areas, Stored.ROC, Stored.PRG)
        }
        self._losses: list[tuple[float, float]] = []

    def add(self, section: Path) -> None:
        """Add the section that comes before all those seen so far."""
        flipped = section.flipped()
        self._sums[Stored.ROC] += roc.doubled_sums(flipped, *flipped.ends)
        start, end = section.ends
        for name, sums in section.sums(self._areas, start, end, compiled=pr.COMPILED).items():
            self._sums[name] += sums
        if end >= self._baseline:
            begin = max(start, self._baseline)
            self._sums[Stored.PRG] += prg.lost_sums(section, begin, end)
            self._add_losses(section)

    def _add_losses(self, section: Path) -> None:
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
            Stored.ROC: math.fsum(self._sums[Stored.ROC]) / (2 * positives * negatives),
            Stored.PRG: 1 - prg.lost_area(math.fsum(self._sums[Stored.PRG]), self._totals),
            Stored.Y0: prg.gain_at(*self._crossing, self._totals),
            Stored.MISSES: misses,
            Stored.FALSE_ALARMS: false_alarms,
        }
