"""Every number that summarises a curve, by name: what the laws range over."""

from collections.abc import Callable

from isometrics import OperatingPoints
from isometrics.spaces.pr import INTERPOLATIONS

AREAS: dict[str, Callable[[OperatingPoints], float]] = {
    "roc.area": lambda points: points.roc.area(),
    "roc.standardised_area": lambda points: points.roc.standardised_area(0.1, 0.7),
    "roc.expected_accuracy": lambda points: points.roc.expected_accuracy(),
    **{
        f"pr.area {name}": lambda points, name=name: points.pr.area(name) for name in INTERPOLATIONS
    },
    "pr.area of a part": lambda points: points.pr.area("linear", 0.2, 0.9) / 0.7,
    "pr.normalised_area": lambda points: points.pr.normalised_area(),
    "prg.area": lambda points: points.prg.area(),
    "prg.area of a part": lambda points: points.prg.area(-1.5, 0.8) / 2.3,
    "prg.y0": lambda points: points.prg.y0,
    "prg.expected_f_gain": lambda points: points.prg.expected_f_gain(2.0),
    "prg.expected_reciprocal_f": lambda points: points.prg.expected_reciprocal_f(),
}
