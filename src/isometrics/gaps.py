"""What areas can be where rows of a table are missing: those of the worst and the best way."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics.path import Pieces, Segments
from isometrics.points import OperatingPoints
from isometrics.spaces import pr_pieces
from isometrics.table import Kind, Table
from isometrics.values import tuple_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from isometrics.aliases import Floats

_ROUNDING = 1e-14
"""The sums of the bounds are rounded too; so they are moved apart by this, relative to 1."""

INTERPOLATION = {
    "AUPR": "davis-goadrich",
    "average precision": "average-precision",
    "AUPR, linear": "linear",
    "AUPR, integer steps": "integer-steps",
    "AUPR, max precision": "max-precision",
}
"""The interpolations of areas in PR space."""


@tuple_value
class Bracket(NamedTuple):
    """Two numbers with the exact value between them; equal where it is known."""

    lo: float
    hi: float

    @property
    def width(self) -> float:
        """The distance of the bounds."""
        return self.hi - self.lo


class Ways:
    """The worst and the best way through the gaps of a table, and areas along them."""

    def __init__(self, table: Table, names: tuple[str, ...]) -> None:
        self.table = table
        # Integer steps are costly to add up, and where they lie inside gaps is not known anyway.
        added_up = INTERPOLATION.keys() - {"AUPR, integer steps"}
        self._interpolations = tuple(INTERPOLATION[name] for name in names if name in added_up)

    @cached_property
    def worst(self) -> OperatingPoints:
        """The negatives of each gap come first."""
        return OperatingPoints(worst_way(self.table))

    @cached_property
    def best(self) -> OperatingPoints:
        """The positives of each gap come first."""
        return OperatingPoints(best_way(self.table))

    @cached_property
    def low(self) -> dict[str, float]:
        """Areas of PR space along the worst way."""
        return self.worst.pr.areas(interpolations=self._interpolations)

    @cached_property
    def high(self) -> dict[str, float]:
        """Areas of PR space along the best way."""
        return self.best.pr.areas(interpolations=self._interpolations)

    @cached_property
    def late(self) -> dict[str, float]:
        """Areas under the rises in gaps, behind all their negatives, in units of positives."""
        return _side_areas(_sides(self.table, late=True), _IN_GAPS)

    @cached_property
    def early(self) -> dict[str, float]:
        """The same, before all their negatives."""
        return _side_areas(_sides(self.table, late=False), _IN_GAPS)

    @cached_property
    def roc(self) -> Bracket:
        """Bounds of AUROC."""
        return apart(self.worst.roc.area(), self.best.roc.area())

    @cached_property
    def prg(self) -> Bracket:
        """Bounds of AUPRG."""
        return apart(self.worst.prg.area(), self.best.prg.area())

    def pr(self, lo: float, hi: float) -> Bracket:
        """Return bounds from areas in units of positives."""
        return apart(lo / self.table.positives, hi / self.table.positives)


def _average_precision(ways: Ways) -> Bracket:
    """Bound it: where the steps of a gap lie is not known, and they are lowest if they are many."""
    positives, name = ways.table.positives, "average-precision"
    lowest = ways.low[name] * positives - ways.late[name] + ways.late["davis-goadrich"]
    return ways.pr(lowest, ways.high[name] * positives)


def _linear(ways: Ways) -> Bracket:
    """Bound it: lines lie below the curve in gaps, and highest if they are many."""
    positives = ways.table.positives
    highest = ways.high["linear"] * positives - ways.early["linear"] + ways.early["davis-goadrich"]
    return ways.pr(ways.low["linear"] * positives, highest)


def _integer_steps(ways: Ways) -> Bracket:
    known = _side_areas(_without_gaps(ways.table), ("integer-steps",))["integer-steps"]
    return ways.pr(known + ways.late["linear"], known + ways.early["davis-goadrich"])


def _normalised(ways: Ways) -> Bracket:
    return apart(ways.worst.pr.normalised_area(), ways.best.pr.normalised_area())


def _expected_accuracy(ways: Ways) -> Bracket:
    balance = ways.table.prevalence * (1 - ways.table.prevalence)
    return apart(*(0.5 + balance * (2 * area - 1) for area in ways.roc))


BOUNDS: dict[str, Callable[[Ways], Bracket]] = {
    "AUROC": lambda ways: ways.roc,
    "AUPR": lambda ways: apart(ways.low["davis-goadrich"], ways.high["davis-goadrich"]),
    "average precision": _average_precision,
    "AUPR, linear": _linear,
    "AUPR, integer steps": _integer_steps,
    "AUPR, max precision": lambda ways: apart(
        ways.low["max-precision"], ways.high["max-precision"]
    ),
    "AUPR, normalised": _normalised,
    "AUPRG": lambda ways: ways.prg,
    "expected F1 gain": lambda ways: _expected_gain(
        ways.table, ways.prg, apart(ways.worst.prg.y0, ways.best.prg.y0)
    ),
    "expected accuracy": _expected_accuracy,
}
"""Bounds of each area, by the names of `brackets.EXACT`."""


def apart(lo: float, hi: float) -> Bracket:
    """Return bounds that hold although both were rounded."""
    return Bracket(lo - _ROUNDING * max(1, abs(lo)), hi + _ROUNDING * max(1, abs(hi)))


def worst_way(table: Table) -> Table:
    """Let the negatives of each gap come first."""
    return _with_corners(table, table.tp[:-1], table.fp[1:])


def best_way(table: Table) -> Table:
    """Let the positives of each gap come first."""
    return _with_corners(table, table.tp[1:], table.fp[:-1])


def _with_corners(table: Table, tp: Floats, fp: Floats) -> Table:
    assert table.gaps is not None
    gaps = np.flatnonzero(table.gaps)
    tps, fps = (
        np.insert(rows, gaps + 1, corners[gaps])
        for rows, corners in ((table.tp, tp), (table.fp, fp))
    )
    thresholds = np.full(tps.size, np.nan)
    return Table(thresholds, tps, fps, table.positives, table.negatives, Kind.CURVE)


_IN_GAPS = ("davis-goadrich", "average-precision", "linear")


def _without_gaps(table: Table) -> Segments:
    """Return the rising segments between rows that follow each other."""
    assert table.gaps is not None
    rows = np.flatnonzero(~table.gaps & (np.diff(table.tp) > 0))
    tp, fp, tp_end, fp_end = (
        counts[places].astype(np.float64)
        for places in (rows, rows + 1)
        for counts in (table.tp, table.fp)
    )
    return Segments(tp, fp, tp_end, fp_end, tp_end - tp, fp_end - fp)


def _sides(table: Table, *, late: bool) -> Segments:
    """Return the rising sides of the gaps' corners: behind all negatives, or before them."""
    assert table.gaps is not None
    gaps = np.flatnonzero(table.gaps & (np.diff(table.tp) > 0))
    tp, tp_end = (table.tp[rows].astype(np.float64) for rows in (gaps, gaps + 1))
    fp = table.fp[gaps + 1 if late else gaps].astype(np.float64)
    return Segments(tp, fp, tp_end, fp, tp_end - tp, np.zeros(gaps.size))


def _side_areas(sides: Segments, names: tuple[str, ...]) -> dict[str, float]:
    """Return areas under segments, in units of true positives."""
    if sides.x.size == 0:
        return dict.fromkeys(names, 0.0)
    pieces = pr_pieces.PrecisionPieces(Pieces(sides, sides, np.zeros(1), sides.rise))
    return {name: pr_pieces.AREAS[name]()(pieces) for name in names}


def _expected_gain(table: Table, area: Bracket, y0: Bracket) -> Bracket:
    """Bound the expected F₁ gain, which depends on AUPRG and y₀ alone.

    Notes
    -----
    With the mean taken over Δ = recG/π - precG/(1-π) (Flach & Kull 2015, Th. 3), it is
    (A·(1/π + 1/(1-π))/2 + 1/(4π) + y₀²/(4(1-π)))/(1/π + y₀/(1-π)), A being AUPRG. It rises with
    A. As a function of y₀ it falls up to one place at most and rises from there on.
    """
    pi = Fraction(table.positives) / (Fraction(table.positives) + Fraction(table.negatives))
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
