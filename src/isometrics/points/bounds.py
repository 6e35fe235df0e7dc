"""Bounds of areas where rows are missing: those of the worst and the best table that fits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from isometrics._core.parameters import check_choice
from isometrics._core.results import ResultTable, number, tuple_value
from isometrics._table.path import Pieces, Segments
from isometrics._table.table import Kind, Measure, Table
from isometrics.points.operating_points import OperatingPoints
from isometrics.spaces import pr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from isometrics._core.arrays import Floats


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
    gaps = np.flatnonzero(table.gaps.between)
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
    rows = np.flatnonzero(~table.gaps.between & (np.diff(table.tp) > 0))
    tp, fp, tp_end, fp_end = (
        counts[places].astype(np.float64)
        for places in (rows, rows + 1)
        for counts in (table.tp, table.fp)
    )
    return Segments(tp, fp, tp_end, fp_end, tp_end - tp, fp_end - fp)


def _sides(table: Table, *, late: bool) -> Segments:
    """Return the rising sides of the gaps' corners: behind all negatives, or before them."""
    assert table.gaps is not None
    gaps = np.flatnonzero(table.gaps.between & (np.diff(table.tp) > 0))
    tp, tp_end = (table.tp[rows].astype(np.float64) for rows in (gaps, gaps + 1))
    fp = table.fp[gaps + 1 if late else gaps].astype(np.float64)
    return Segments(tp, fp, tp_end, fp, tp_end - tp, np.zeros(gaps.size))


def _side_areas(sides: Segments, names: tuple[str, ...]) -> dict[str, float]:
    """Return areas under segments, in units of true positives."""
    if sides.x.size == 0:
        return dict.fromkeys(names, 0.0)
    pieces = pr.PrecisionPieces(Pieces(sides, sides, np.zeros(1), sides.rise))
    return {name: pr.AREAS[name]()(pieces) for name in names}


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


_ROUNDING_TRADEOFF = 1e-12
"""The bounds of areas over λ are moved apart by this: they have logarithms in every piece."""


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
        place = self.names.index(check_choice(name, "the name of an area", self.names))
        return Bracket(float(self.lo[place]), float(self.hi[place]))

    def __len__(self) -> int:
        """Return the number of areas."""
        return len(self.names)

    def _title(self) -> str:
        return f"AreaBrackets: {len(self)} areas, bounds at most {number(self.width.max())} apart"

    def _columns(self) -> dict[str, Any]:
        return {"area": list(self.names), "lo": self.lo, "hi": self.hi, "width": self.width}


EXACT: dict[str, Callable[[OperatingPoints], float]] = {
    "AUROC": lambda points: points.roc.area(),
    "AUPR": lambda points: points.pr.area(),
    "average precision": lambda points: points.pr.area("average-precision"),
    "AUPR, linear": lambda points: points.pr.area("linear"),
    "AUPR, integer steps": lambda points: points.pr.area("integer-steps"),
    "AUPR, max precision": lambda points: points.pr.area("max-precision"),
    "AUPR, normalised": lambda points: points.pr.normalised_area(),
    "AUPRG": lambda points: points.prg.area(),
    "expected F1 gain": lambda points: points.prg.expected_f_gain(),
    "expected accuracy": lambda points: points.roc.expected_accuracy(),
}
"""The areas and expectations of one curve, by the names that results print."""

_NEEDS: dict[str, set[str]] = {
    "AUROC": {Measure.ROC},
    "AUPR": {Measure.DAVIS_GOADRICH},
    "average precision": {Measure.AVERAGE_PRECISION},
    "AUPR, linear": {Measure.LINEAR},
    "AUPR, integer steps": {Measure.INTEGER_STEPS},
    "AUPR, max precision": {Measure.MAX_PRECISION},
    "AUPR, normalised": {Measure.ABOVE},
    "AUPRG": {Measure.PRG},
    "expected F1 gain": {Measure.MISSES, Measure.FALSE_ALARMS},
    "expected accuracy": {Measure.ROC},
}
"""What must be known of a table with missing rows to know an area exactly."""

ON_DEVICES = {"AUROC": Measure.ROC, "AUPR": Measure.DAVIS_GOADRICH, "AUPRG": Measure.PRG}
"""Areas that are bounded where the counts of a stream are, which takes a part of the time."""


def area_brackets(
    points: OperatingPoints, areas: Iterable[str] | None = None
) -> dict[str, Bracket]:
    """Return bounds of areas, equal ones where a table knows its areas exactly.

    A table that was read with a tolerance keeps only some rows. Between two of them the curve may
    take any way up and to the right; the bounds are the areas of the worst and the best way.

    Parameters
    ----------
    points
        Any table with a curve.
    areas
        The names of the areas that are wanted, such as ``"AUROC"``; by default all.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> iso.area_brackets(pts, ["AUROC"])
    {'AUROC': Bracket(lo=0.75, hi=0.75)}
    """
    names = tuple(EXACT) if areas is None else check_areas(areas)
    table = points.table
    known = [name for name in names if not table.partial or table.known.keys() >= _NEEDS[name]]
    exact = _exact(points, known)
    ways = Ways(table, tuple(name for name in names if name not in exact))
    return {
        name: Bracket(exact[name], exact[name]) if name in exact else BOUNDS[name](ways)
        for name in names
    }


def check_areas(areas: Iterable[str], known: Iterable[str] = EXACT) -> tuple[str, ...]:
    """Return the names of areas that are known, in the order given."""
    names = (areas,) if isinstance(areas, str) else tuple(areas)
    return tuple(check_choice(name, "the name of an area", tuple(known)) for name in names)


def brackets_between(worst: Mapping[str, float], best: Mapping[str, float]) -> dict[str, Bracket]:
    """Return bounds from the measures of the worst and of the best way, for `ON_DEVICES`."""
    return {name: apart(worst[measure], best[measure]) for name, measure in ON_DEVICES.items()}


def tradeoff_bracket(points: OperatingPoints) -> Bracket:
    """Return bounds of the area under the best F-measure for every weight of recall.

    It follows from the hull, which only a binned table does not have. A threshold inside a bin is
    at best as good as one with all positives of the bin and none of its negatives.
    """
    area = points.tradeoff().area()
    if points.table.has_hull:
        return Bracket(area, area)
    best = OperatingPoints(best_way(points.table)).tradeoff().area()
    return Bracket(area - _ROUNDING_TRADEOFF, best + _ROUNDING_TRADEOFF)


def _exact(points: OperatingPoints, names: Iterable[str]) -> dict[str, float]:
    """Return areas; those of PR space come from one pass over the rows."""
    wanted = {name: INTERPOLATION[name] for name in names if name in INTERPOLATION}
    pr = points.pr.areas(interpolations=tuple(wanted.values())) if wanted else {}
    return {name: pr[wanted[name]] if name in wanted else EXACT[name](points) for name in names}
