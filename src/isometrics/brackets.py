"""How exact is this area? Bounds that hold for every table the kept rows can come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from isometrics.gaps import BOUNDS, INTERPOLATION, Bracket, Ways, apart, best_way
from isometrics.parameters import clean_choice
from isometrics.points import OperatingPoints
from isometrics.printing import number
from isometrics.results import ResultTable
from isometrics.table import Kind, Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from isometrics.aliases import Floats

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
    names = tuple(EXACT) if areas is None else clean_areas(areas)
    table = points.table
    known = [name for name in names if not table.partial or table.known.keys() >= _NEEDS[name]]
    exact = _exact(points, known)
    ways = Ways(table, tuple(name for name in names if name not in exact))
    return {
        name: Bracket(exact[name], exact[name]) if name in exact else BOUNDS[name](ways)
        for name in names
    }


def clean_areas(areas: Iterable[str], known: Iterable[str] = EXACT) -> tuple[str, ...]:
    """Return the names of areas that are known, in the order given."""
    names = (areas,) if isinstance(areas, str) else tuple(areas)
    return tuple(clean_choice(name, "the name of an area", tuple(known)) for name in names)


def brackets_between(worst: Mapping[str, float], best: Mapping[str, float]) -> dict[str, Bracket]:
    """Return bounds from the measures of the worst and of the best way, for `ON_DEVICES`."""
    return {name: apart(worst[measure], best[measure]) for name, measure in ON_DEVICES.items()}


def tradeoff_bracket(points: OperatingPoints) -> Bracket:
    """Return bounds of the area under the best F-measure for every weight of recall.

    It follows from the hull, which only a binned table does not have. A threshold inside a bin is
    at best as good as one with all positives of the bin and none of its negatives.
    """
    area = points.tradeoff().area()
    if points.table.kind is not Kind.BINNED:
        return Bracket(area, area)
    best = OperatingPoints(best_way(points.table)).tradeoff().area()
    return Bracket(area - _ROUNDING_TRADEOFF, best + _ROUNDING_TRADEOFF)


def _exact(points: OperatingPoints, names: Iterable[str]) -> dict[str, float]:
    """Return areas; those of PR space come from one pass over the rows."""
    wanted = {name: INTERPOLATION[name] for name in names if name in INTERPOLATION}
    pr = points.pr.areas(interpolations=tuple(wanted.values())) if wanted else {}
    return {name: pr[wanted[name]] if name in wanted else EXACT[name](points) for name in names}
