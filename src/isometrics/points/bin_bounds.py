"""Bounds of areas of a stream whose counts are on a device: only sums and hulls leave it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from isometrics._counting.hull import vertices
from isometrics._table.table import ClassTotals, Kind, Stored, Table
from isometrics.points.bounds import Bracket, GapBounds, apart, apart_tradeoff
from isometrics.points.devices import measures
from isometrics.points.operating_points import OperatingPoints
from isometrics.spaces import pr

if TYPE_CHECKING:
    from collections.abc import Callable

    from isometrics._counting.bin_bounds import BinWays
    from isometrics._table.table import Totals


class BinBounds(GapBounds):
    """Bounds of areas from the worst and the best way through bins.

    Parameters
    ----------
    ways
        The ways.
    table
        Returns the table of the ends of bins, for measures that ask for it.
    """

    def __init__(self, ways: BinWays, table: Callable[[], Table]) -> None:
        self._ways = ways
        self._table = table
        self._interpolations = ()

    @cached_property
    def table(self) -> Table:  # type: ignore[override]
        """The table of the ends of bins."""
        return self._table()

    @property
    def totals(self) -> Totals:
        """The totals of both classes."""
        return ClassTotals(*self._ways.totals)

    @cached_property
    def roc(self) -> Bracket:
        """Bounds of the area in ROC space."""
        return self._bracket(Stored.ROC)

    @cached_property
    def prg(self) -> Bracket:
        """Bounds of the area in PRG space."""
        return self._bracket(Stored.PRG)

    @cached_property
    def y0(self) -> Bracket:
        """Bounds of the precision gain where recall gain is 0."""
        return self._bracket(Stored.Y0)

    def pr(self, interpolation: str) -> Bracket:
        """Return bounds of an area in PR space."""
        return self._bracket(Stored(interpolation))

    def normalised_pr(self) -> Bracket:
        """Return bounds of the normalised area in PR space."""
        widest = pr.widest_gap(self.totals)
        return apart(*(1 - known[Stored.ABOVE] / widest for known in self._known))

    def achievable_pr(self) -> Bracket:
        """Return bounds of the area under the PR curve of the hull."""
        return apart(*(hull.pr.area() for hull in self._hulls))

    def tradeoff(self) -> Bracket:
        """Return bounds of the area under the best F-measure for every weight of recall."""
        return apart_tradeoff(*(hull.tradeoff().area() for hull in self._hulls))

    def _bracket(self, measure: Stored) -> Bracket:
        return apart(*(known[measure] for known in self._known))

    @cached_property
    def _known(self) -> list[dict[str, float]]:
        """Measures of the worst and of the best way."""
        return [measures(sums, *self._ways.totals) for sums in self._ways.sums]

    @cached_property
    def _hulls(self) -> list[OperatingPoints]:
        """The hulls of the ends of bins, and of the best way."""
        found = []
        for best in (False, True):
            rows = self._ways.hull(vertices, best=best)
            thresholds = np.full(rows.tp.size, np.nan)
            table = Table(thresholds, rows.tp, rows.fp, *self._ways.totals, Kind.HULL)
            found.append(OperatingPoints(table))
        return found
