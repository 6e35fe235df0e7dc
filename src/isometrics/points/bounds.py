"""Bounds of areas where rows are missing: those of the worst and the best table that fits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from isometrics._core.parameters import check_choice
from isometrics._core.results import ResultTable, number
from isometrics._counting.confusion import Totals
from isometrics._counting.segments import Segments
from isometrics._table.path import Pieces
from isometrics._table.table import Kind, Table
from isometrics.points.operating_points import OperatingPoints
from isometrics.spaces import pr

if TYPE_CHECKING:
    from isometrics._core.arrays import Floats


_ROUNDING = 1e-14
"""The sums of the bounds are rounded too; so they are moved apart by this, relative to 1."""

_ROUNDING_TRADEOFF = 1e-12
"""The bounds of areas over λ are moved apart by this: they have logarithms in every piece."""


class Bracket(NamedTuple):
    """Two numbers with the exact value between them; equal where it is known."""

    lo: float
    hi: float

    @property
    def width(self) -> float:
        """The distance of the bounds."""
        return self.hi - self.lo


class GapBounds:
    """Bounds of areas of a table with missing rows: those of the worst and the best order.

    Parameters
    ----------
    table
        A table with gaps.
    interpolations
        The areas of PR space that will be asked for, which are added up in one pass.
    """

    def __init__(self, table: Table, interpolations: tuple[str, ...] = ()) -> None:
        self.table = table
        # Integer steps are costly to add up, and where they lie inside gaps is not known anyway.
        self._interpolations = tuple(name for name in interpolations if name != "integer-steps")

    @cached_property
    def worst(self) -> OperatingPoints:
        """The negatives of each gap come first."""
        return _with_corners(self.table, self.table.tp[:-1], self.table.fp[1:])

    @cached_property
    def best(self) -> OperatingPoints:
        """The positives of each gap come first."""
        return _with_corners(self.table, self.table.tp[1:], self.table.fp[:-1])

    @cached_property
    def roc(self) -> Bracket:
        """Bounds of the area in ROC space."""
        return apart(self.worst.roc.area(), self.best.roc.area())

    @cached_property
    def prg(self) -> Bracket:
        """Bounds of the area in PRG space."""
        return apart(self.worst.prg.area(), self.best.prg.area())

    @cached_property
    def y0(self) -> Bracket:
        """Bounds of the precision gain where recall gain is 0."""
        return apart(self.worst.prg.y0, self.best.prg.y0)

    def pr(self, interpolation: str) -> Bracket:
        """Return bounds of an area in PR space.

        Where the steps of a gap lie is not known. They are lowest if they are many; straight
        lines lie below the curve, and are highest if they are many.
        """
        if interpolation == "integer-steps":
            outside = _rising_areas(self.table, ("integer-steps",))["integer-steps"]
            lo = outside + self._late["linear"]
            hi = outside + self._early["davis-goadrich"]
            return apart(lo / self.table.positives, hi / self.table.positives)
        lo, hi = self._low[interpolation], self._high[interpolation]
        positives = self.table.positives
        if interpolation == "average-precision":
            late = self._late
            lo = (lo * positives - late[interpolation] + late["davis-goadrich"]) / positives
        if interpolation == "linear":
            early = self._early
            hi = (hi * positives - early[interpolation] + early["davis-goadrich"]) / positives
        return apart(lo, hi)

    def normalised_pr(self) -> Bracket:
        """Return bounds of the normalised area in PR space."""
        return apart(self.worst.pr.normalised_area(), self.best.pr.normalised_area())

    def expected_f_gain(self) -> Bracket:
        """Return bounds of the expected F₁ gain."""
        return _expected_gain(self.table.totals, self.prg, self.y0)

    def expected_accuracy(self) -> Bracket:
        """Return bounds of the expected accuracy, which rises with the area in ROC space."""
        balance = self.table.prevalence * (1 - self.table.prevalence)
        return apart(*(0.5 + balance * (2 * area - 1) for area in self.roc))

    def achievable_pr(self) -> Bracket:
        """Return bounds of the area under the PR curve of the hull.

        A curve that dominates another in ROC space does so in PR space, and the hulls of all
        orders lie between those of the worst and the best one.
        """
        if self.table.has_hull:
            area = OperatingPoints(self.table).hull().pr.area()
            return Bracket(area, area)
        return apart(self.worst.hull().pr.area(), self.best.hull().pr.area())

    def tradeoff(self) -> Bracket:
        """Return bounds of the area under the best F-measure for every weight of recall.

        It follows from the hull, which only a binned table does not have. A threshold inside a
        bin is at best as good as one with all positives of the bin and none of its negatives.
        """
        area = OperatingPoints(self.table).tradeoff().area()
        if self.table.has_hull:
            return Bracket(area, area)
        best = self.best.tradeoff().area()
        return Bracket(area - _ROUNDING_TRADEOFF, best + _ROUNDING_TRADEOFF)

    @cached_property
    def _low(self) -> dict[str, float]:
        """Areas of PR space in the worst order."""
        return self.worst.pr.areas(interpolations=self._interpolations)

    @cached_property
    def _high(self) -> dict[str, float]:
        """Areas of PR space in the best order."""
        return self.best.pr.areas(interpolations=self._interpolations)

    @cached_property
    def _late(self) -> dict[str, float]:
        """Areas under the rises in gaps, behind all their negatives, in units of positives."""
        return _rising_areas(self.table, _IN_GAPS, late=True)

    @cached_property
    def _early(self) -> dict[str, float]:
        """The same, before all their negatives."""
        return _rising_areas(self.table, _IN_GAPS, late=False)


def apart(lo: float, hi: float) -> Bracket:
    """Return bounds that hold although both were rounded."""
    return Bracket(lo - _ROUNDING * max(1, abs(lo)), hi + _ROUNDING * max(1, abs(hi)))


def _with_corners(table: Table, tp: Floats, fp: Floats) -> OperatingPoints:
    assert table.gaps is not None
    gaps = np.flatnonzero(table.gaps.between)
    tps, fps = (
        np.insert(rows, gaps + 1, corners[gaps])
        for rows, corners in ((table.tp, tp), (table.fp, fp))
    )
    thresholds = np.full(tps.size, np.nan)
    rows = Table(thresholds, tps, fps, table.positives, table.negatives, Kind.CURVE)
    return OperatingPoints(rows)


_IN_GAPS = ("davis-goadrich", "average-precision", "linear")


def _rising_areas(
    table: Table, names: tuple[str, ...], *, late: bool | None = None
) -> dict[str, float]:
    """Return areas under rising segments, in units of true positives.

    They are those between rows that follow each other; or the rising sides of the gaps' corners,
    which are `late` behind all negatives of the gap, or early before them.
    """
    assert table.gaps is not None
    in_gaps = table.gaps.between == (late is not None)
    start = np.flatnonzero(in_gaps & (np.diff(table.tp) > 0))
    if start.size == 0:
        return dict.fromkeys(names, 0.0)
    end = start + 1
    fp_rows = (start, end) if late is None else (end, end) if late else (start, start)
    columns = (table.tp[start], table.fp[fp_rows[0]], table.tp[end], table.fp[fp_rows[1]])
    sides = Segments.between(*(column.astype(np.float64) for column in columns))
    totals = Pieces(sides).totals(pr.AREAS[name]() for name in names)
    return dict(zip(names, totals, strict=True))


def _expected_gain(totals: Totals, area: Bracket, y0: Bracket) -> Bracket:
    """Bound the expected F₁ gain, which depends on AUPRG and y₀ alone.

    Notes
    -----
    With the mean taken over Δ = recG/π - precG/(1-π) (Flach & Kull 2015, Th. 3), it is
    (A·(1/π + 1/(1-π))/2 + 1/(4π) + y₀²/(4(1-π)))/(1/π + y₀/(1-π)), A being AUPRG. It rises with
    A. As a function of y₀ it falls up to one place at most and rises from there on.
    """
    pi = Fraction(totals.positives) / (Fraction(totals.positives) + Fraction(totals.negatives))
    slope, fixed = (1 / pi + 1 / (1 - pi)) / 2, 1 / (4 * pi)

    if 1 / pi + Fraction(y0.lo) / (1 - pi) <= 0:
        # Perhaps there is nothing to average over; a gain is never above 1.
        return Bracket(-math.inf, 1.0)

    def value(a: float, y: float) -> float:
        gain, length = Fraction(y), 1 / pi + Fraction(y) / (1 - pi)
        return float((Fraction(a) * slope + fixed + gain * gain / (4 * (1 - pi))) / length)

    # Where the derivative in y₀ is 0: y² + 2y(1-π)/π = 4(1-π)·(A·slope + 1/(4π)).
    shift = float((1 - pi) / pi)
    inside = shift * shift + float(4 * (1 - pi) * (Fraction(area.lo) * slope + fixed))
    lowest = min(max(-shift + math.sqrt(max(inside, 0.0)), y0.lo), y0.hi)
    lo = min(value(area.lo, y) for y in (lowest, *y0))
    return apart(lo, min(max(value(area.hi, y) for y in y0), 1.0))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AreaBrackets(ResultTable):
    """Bounds of all areas, one row for each.

    Attributes
    ----------
    names
        The areas, by the names that `area_brackets` has.
    lo, hi
        Two numbers with the exact area between them; equal where it is known.
    """

    _left: ClassVar[tuple[str, ...]] = ("area",)
    _most_rows: ClassVar[int] = 60

    names: tuple[str, ...]
    lo: Floats
    hi: Floats

    @property
    def width(self) -> Floats:
        """The distances of the bounds."""
        return np.asarray(self.hi - self.lo)

    def __getitem__(self, name: str) -> Bracket:
        """Return the bounds of one area."""
        index = self.names.index(check_choice(name, "the name of an area", self.names))
        return Bracket(float(self.lo[index]), float(self.hi[index]))

    def __len__(self) -> int:
        """Return the number of areas."""
        return len(self.names)

    def _title(self) -> str:
        return f"AreaBrackets: {len(self)} areas, bounds at most {number(self.width.max())} apart"

    def _columns(self) -> dict[str, Any]:
        return {"area": list(self.names), "lo": self.lo, "hi": self.hi, "width": self.width}
