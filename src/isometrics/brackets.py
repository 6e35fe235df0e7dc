"""The areas of a table, each between two bounds that are equal where it is known exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from isometrics.points import OperatingPoints


class Bracket(NamedTuple):
    """Two numbers between which a value lies."""

    lo: float
    hi: float


def area_brackets(points: OperatingPoints) -> dict[str, Bracket]:
    """Return every area of a table by its name.

    Points that are not nested have no areas; see `NoCurveError`.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.brackets import area_brackets
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> area_brackets(pts)["AUROC"]
    Bracket(lo=0.75, hi=0.75)
    """
    pr = points.pr.areas()
    areas = {
        "AUROC": points.roc.area(),
        "AUPR": pr["davis-goadrich"],
        "average precision": pr["average-precision"],
        "AUPR, linear": pr["linear"],
        "AUPR, integer steps": pr["integer-steps"],
        "AUPR, max precision": pr["max-precision"],
        "AUPRG": points.prg.area(),
        "expected F1 gain": points.prg.expected_f_gain(),
        "expected accuracy": points.roc.expected_accuracy(),
    }
    return {name: Bracket(area, area) for name, area in areas.items()}
