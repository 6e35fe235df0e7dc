"""What is asked of a picture, checked before anything is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

from isometrics.errors import ParameterError
from isometrics.parameters import clean_beta, clean_choice, clean_cost, clean_gain, clean_size
from isometrics.plot.marks import SCORES
from isometrics.points import OperatingPoints
from isometrics.spaces import SPACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

Models: TypeAlias = OperatingPoints | Mapping[str, OperatingPoints]


class Options(NamedTuple):
    """The options of all spaces; those that a space lacks keep their defaults."""

    hull: bool
    isolines: bool | Sequence[float]
    baseline: bool
    points: ArrayLike | None
    annotate_hull: str | None
    grid_of: str | None
    legend: bool
    pixels: int
    beta: float = 1.0
    cost: float = 0.5
    unachievable: bool = False
    low: float = 0.0

    def checked(self, space: str, prevalences: Sequence[float]) -> Self:
        """Refuse what cannot be drawn for models of these prevalences, in rising order."""
        numbers: dict[str, Any] = {
            "beta": clean_beta(self.beta),
            "cost": clean_cost(self.cost),
            "pixels": clean_size(self.pixels, "pixels"),
            "low": clean_gain(self.low, "low"),
        }
        if numbers["low"] >= 1:
            raise ParameterError(f"low must be below 1 but is {self.low!r}")
        if self.annotate_hull is not None:
            clean_choice(self.annotate_hull, "annotate_hull", tuple(SCORES))
        if self.grid_of is not None:
            clean_choice(self.grid_of, "grid_of", tuple(SPACES))
        # Lines of equal F and of equal F gain are the same at every prevalence, each in its space.
        needed = {"isolines": space == "roc" and self.isolines, "grid_of": self.grid_of}
        for option, wanted in needed.items():
            if wanted and len(prevalences) > 1:
                raise ParameterError(
                    f"{option} needs models of one prevalence but theirs lie between "
                    f"{prevalences[0]:g} and {prevalences[-1]:g}; bring them to one with "
                    f"at_prevalence() or leave {option} out"
                )
        return self._replace(**numbers)


def named(pts: Models) -> list[tuple[str | None, OperatingPoints]]:
    """Return the models with their names; a model alone has none."""
    if isinstance(pts, OperatingPoints):
        return [(None, pts)]
    if not isinstance(pts, Mapping) or not pts:
        raise ParameterError(
            f"pts must be OperatingPoints or a mapping of names to them but is {pts!r:.60}"
        )
    for name, points in pts.items():
        if not isinstance(points, OperatingPoints):
            raise ParameterError(
                f"pts[{name!r}] must be OperatingPoints but is {type(points).__name__}"
            )
    return [(str(name), points) for name, points in pts.items()]
