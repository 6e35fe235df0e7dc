"""The areas of a table, each with the limits between which it lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from isometrics.points import OperatingPoints


class Bracket(NamedTuple):
    """Two numbers with the exact value between them; equal where it is known."""

    lo: float
    hi: float


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

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> area_brackets(pts)["AUROC"]
    Bracket(lo=0.75, hi=0.75)
    """
    areas = {name: area(points) for name, area in EXACT.items()}
    return {name: Bracket(value, value) for name, value in areas.items()}
