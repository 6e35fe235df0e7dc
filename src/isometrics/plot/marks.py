"""Marks on a curve: operating points, thresholds, hull segments; and which marks were asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

import numpy as np

from isometrics._core.parameters import check_beta, check_choice, check_cost, check_gain, check_size
from isometrics.decisions.beta_intervals import segment_precisions, segment_shares
from isometrics.errors import ParameterError
from isometrics.points import OperatingPoints
from isometrics.spaces import SPACES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from isometrics._core.arrays import Floats
    from isometrics._table.table import Table
    from isometrics.plot.styles import Style


BELOW = {"roc": (7, -4, "left"), "pr": (-7, -4, "right"), "prg": (-7, -4, "right")}
"""Where labels of operating points go, in points: to the side that a good curve leaves free."""

OUTSIDE = {"roc": (-3, 3, "right"), "pr": (3, 3, "left"), "prg": (3, 3, "left")}
"""Where labels of hull segments go: beyond the hull."""

_LABEL = np.array([0.08, 0.045])
"""Room for one label, as parts of the axes."""


def operating_points(
    ax: Axes, space: str, points: OperatingPoints, thresholds: ArrayLike, style: Style
) -> None:
    """Mark the rows of some thresholds, each labelled with its threshold."""
    chosen = points.at(thresholds)
    here = getattr(chosen, space)
    x, y = here.x, here.y
    # The empty rule has no place in PR and PRG space.
    placed = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    ax.plot(
        x[placed],
        y[placed],
        linestyle="",
        marker=style.marker,
        markersize=7,
        markerfacecolor="white",
        markeredgecolor=style.curve,
        markeredgewidth=1.6,
        zorder=4.5,
        label="_nolegend_",
    )
    across, up, side = BELOW[space]
    for row in placed:
        ax.annotate(
            f"{chosen.thresholds[row]:g}",
            (x[row], y[row]),
            xytext=(across, up),
            textcoords="offset points",
            ha=side,
            va="top",
            fontsize=8,
            color=style.curve,
            zorder=4.6,
        )


def hull_scores(
    ax: Axes, space: str, hull: OperatingPoints, kind: str, style: Style, *, low: float
) -> None:
    """Label the segments of a hull with their calibrated scores, the longest ones first.

    A segment beside a label already there has none.
    """
    scores = SCORES[kind](hull.table)
    places = sorted(_places(hull, space, low), key=lambda place: -place[3])
    taken = np.empty((0, 2))
    for segment, x, y, _ in places:
        if (abs(taken - (x, y)) < _LABEL * (1 - low)).all(axis=1).any():
            continue
        taken = np.vstack([taken, (x, y)])
        across, up, side = OUTSIDE[space]
        if space == "roc" and x < _LABEL[0] / 2:
            across, side = -across, "left"  # beside the border there is no room
        ax.annotate(
            f"{scores[segment]:.2f}",
            (x, y),
            xytext=(across, -up if y > 1 - _LABEL[1] else up),
            textcoords="offset points",
            ha=side,
            va="top" if y > 1 - _LABEL[1] else "bottom",
            fontsize=8,
            color=style.hull,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.6, "pad": 0.5},
            zorder=4.4,
        )


def _places(
    hull: OperatingPoints, space: str, low: float
) -> Iterator[tuple[int, float, float, float]]:
    """Yield the number, the middle and the length of each segment that is in sight."""
    here = getattr(hull, space)
    x, y = np.clip(here.x, low, 1), here.y
    for segment in range(len(hull) - 1):
        start, end = float(x[segment]), float(x[segment + 1])
        if start < end:
            middle = (start + end) / 2
            height = float(here.interpolate(middle))
            length = max(end - start, 2 * abs(height - float(y[segment + 1])))
        else:
            middle, height = end, float(y[segment] + y[segment + 1]) / 2
            length = abs(float(y[segment + 1] - y[segment]))
        if low < height <= 1 and middle > low - (space == "roc"):
            yield segment, middle, height, length


def f_scores(hull: Table) -> Floats:
    """Return the F-calibrated score of each segment, 1/(1+β²)."""
    return np.array([float(share) for share in segment_shares(hull)])


SCORES: dict[str, Callable[[Table], Floats]] = {"accuracy": segment_precisions, "f": f_scores}

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
            "beta": check_beta(self.beta),
            "cost": check_cost(self.cost),
            "pixels": check_size(self.pixels, "pixels"),
            "low": check_gain(self.low, "low"),
        }
        if numbers["low"] >= 1:
            raise ParameterError(f"low must be below 1 but is {self.low!r}")
        if self.annotate_hull is not None:
            check_choice(self.annotate_hull, "annotate_hull", tuple(SCORES))
        if self.grid_of is not None:
            check_choice(self.grid_of, "grid_of", tuple(SPACES))
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
