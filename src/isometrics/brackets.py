"""How exact is this area? Bounds that hold for every table the kept rows can come from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from isometrics.parameters import clean_choice
from isometrics.path import Pieces, Segments
from isometrics.points import OperatingPoints
from isometrics.printing import number
from isometrics.results import ResultTable
from isometrics.spaces import pr_pieces
from isometrics.spaces.pr import INTERPOLATIONS
from isometrics.table import Kind, Measure, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from isometrics.aliases import Floats

_ROUNDING = 1e-14
"""The sums of the bounds are rounded too; so they are moved apart by this, relative to 1."""
_ROUNDING_TRADEOFF = 1e-12
"""The same for areas over λ, which have logarithms in every piece."""


class Bracket(NamedTuple):
    """Two numbers with the exact value between them; equal where it is known."""

    lo: float
    hi: float

    @property
    def width(self) -> float:
        """The distance of the bounds."""
        return self.hi - self.lo


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
        place = self.names.index(clean_choice(name, "the name of an area", self.names))
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


def area_brackets(points: OperatingPoints) -> dict[str, Bracket]:
    """Return bounds of all areas, equal ones where a table knows its areas exactly.

    A table that was read with a tolerance keeps only some rows. Between two of them the curve may
    take any way up and to the right; the bounds are the areas of the worst and the best way.

    Parameters
    ----------
    points
        Any table with a curve.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> iso.area_brackets(pts)["AUROC"]
    Bracket(lo=0.75, hi=0.75)
    """
    table = points.table
    if not table.partial or len(table.known) == len(Measure):
        return {name: Bracket(value, value) for name, value in _exact(points).items()}
    return _bounds(table)


def tradeoff_bracket(points: OperatingPoints) -> Bracket:
    """Return bounds of the area under the best F-measure for every weight of recall.

    It follows from the hull, which only a binned table does not have. A threshold inside a bin is
    at best as good as one with all positives of the bin and none of its negatives.
    """
    area = points.tradeoff().area()
    if points.table.kind is not Kind.BINNED:
        return Bracket(area, area)
    best = OperatingPoints(_best(points.table)).tradeoff().area()
    return Bracket(area - _ROUNDING_TRADEOFF, best + _ROUNDING_TRADEOFF)


def _exact(points: OperatingPoints) -> dict[str, float]:
    """Return all areas; those of PR space come from one pass over the rows."""
    pr = points.pr.areas()
    of_pr = {
        "AUPR": "davis-goadrich",
        "average precision": "average-precision",
        "AUPR, linear": "linear",
        "AUPR, integer steps": "integer-steps",
        "AUPR, max precision": "max-precision",
    }
    return {
        name: pr[of_pr[name]] if name in of_pr else area(points) for name, area in EXACT.items()
    }


# ---------------------------------------------------------------------- the worst and best way


def _bounds(table: Table) -> dict[str, Bracket]:
    worst, best = OperatingPoints(_worst(table)), OperatingPoints(_best(table))
    names = tuple(name for name in INTERPOLATIONS if name != "integer-steps")
    low, high = (points.pr.areas(interpolations=names) for points in (worst, best))
    late, early = (_side_areas(_sides(table, late=late), _IN_GAPS) for late in (True, False))
    # Such steps are costly to add up, and where they lie inside gaps is not known anyway.
    known_steps = _side_areas(_without_gaps(table), ("integer-steps",))["integer-steps"]

    def pr(lo: float, hi: float) -> Bracket:
        return _apart(lo / table.positives, hi / table.positives)

    roc = _apart(worst.roc.area(), best.roc.area())
    if Measure.ROC in table.known:
        roc = Bracket(table.known[Measure.ROC], table.known[Measure.ROC])
    prg = _apart(worst.prg.area(), best.prg.area())
    balance = table.prevalence * (1 - table.prevalence)
    return {
        "AUROC": roc,
        "AUPR": _apart(low["davis-goadrich"], high["davis-goadrich"]),
        # Where the steps of a gap lie is not known: they are lowest if they are many.
        "average precision": pr(
            low["average-precision"] * table.positives
            - late["average-precision"]
            + late["davis-goadrich"],
            high["average-precision"] * table.positives,
        ),
        # Lines lie below the curve in gaps, and highest if they are many.
        "AUPR, linear": pr(
            low["linear"] * table.positives,
            high["linear"] * table.positives - early["linear"] + early["davis-goadrich"],
        ),
        "AUPR, integer steps": pr(
            known_steps + late["linear"], known_steps + early["davis-goadrich"]
        ),
        "AUPR, max precision": _apart(low["max-precision"], high["max-precision"]),
        "AUPR, normalised": _apart(worst.pr.normalised_area(), best.pr.normalised_area()),
        "AUPRG": prg,
        "expected F1 gain": _expected_gain(table, prg, _apart(worst.prg.y0, best.prg.y0)),
        "expected accuracy": _apart(*(0.5 + balance * (2 * area - 1) for area in roc)),
    }


def _apart(lo: float, hi: float) -> Bracket:
    return Bracket(lo - _ROUNDING * max(1, abs(lo)), hi + _ROUNDING * max(1, abs(hi)))


def _worst(table: Table) -> Table:
    """Let the negatives of each gap come first."""
    return _with_corners(table, table.tp[:-1], table.fp[1:])


def _best(table: Table) -> Table:
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
    return _apart(lo, min(max(value(area.hi, y) for y in y0), 1.0))
