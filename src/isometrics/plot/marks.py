"""Marks on a curve: operating points, thresholds and hull segments; the options of the plots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

import numpy as np

from isometrics._core.parameters import check_beta, check_choice, check_cost, check_gain, check_size
from isometrics._core.threshold_text import ThresholdTexts
from isometrics._table.table import lower_scores
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


def f_scores(hull: Table) -> Floats:
    """Return the F-calibrated score of each segment, 1/(1+β²)."""
    return np.array([float(share) for share in segment_shares(hull)])


SCORES: dict[str, Callable[[Table], Floats]] = {"accuracy": segment_precisions, "f": f_scores}

Models: TypeAlias = OperatingPoints | Mapping[str, OperatingPoints]


class Options(NamedTuple):
    """The options of all spaces; those that a space does not have are at their defaults."""

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
        """Check the options for models of these prevalences, which are in rising order."""
        numbers: dict[str, Any] = {
            "beta": check_beta(self.beta),
            "cost": check_cost(self.cost),
            "pixels": check_size(self.pixels, "pixels"),
            "low": check_gain(self.low, "low"),
        }
        if numbers["low"] >= 1:
            raise ParameterError(f"must be below 1 but is {self.low!r}", parameter="low")
        if self.annotate_hull is not None:
            check_choice(self.annotate_hull, "annotate_hull", tuple(SCORES))
        if self.grid_of is not None:
            check_choice(self.grid_of, "grid_of", tuple(SPACES))
        # Lines of equal F in PR space, and of equal F gain in PRG space, do not depend on the
        # prevalence.
        dependent = {"isolines": space == "roc" and self.isolines, "grid_of": self.grid_of}
        for option, value in dependent.items():
            if value and len(prevalences) > 1:
                raise ParameterError(
                    f"{option} needs models of one prevalence but theirs lie between "
                    f"{prevalences[0]:g} and {prevalences[-1]:g}; bring them to one with "
                    f"at_prevalence() or leave {option} out"
                )
        return self._replace(**numbers)


def named(pts: Models) -> list[tuple[str | None, OperatingPoints]]:
    """Return the models with their names; a single model has none."""
    if isinstance(pts, OperatingPoints):
        return [(None, pts)]
    if not isinstance(pts, Mapping) or not pts:
        raise ParameterError(
            f"must be OperatingPoints or a mapping of names to them but is {pts!r:.60}",
            parameter="pts",
        )
    for name, points in pts.items():
        if not isinstance(points, OperatingPoints):
            raise ParameterError(
                f"pts[{name!r}] must be OperatingPoints but is {type(points).__name__}"
            )
    return [(str(name), points) for name, points in pts.items()]


BELOW = {"roc": (7, -4, "left"), "pr": (-7, -4, "right"), "prg": (-7, -4, "right")}
"""Offsets, in points, and alignment of labels of operating points: below a good curve."""

OUTSIDE = {"roc": (-3, 3, "right"), "pr": (3, 3, "left"), "prg": (3, 3, "left")}
"""Offsets, in points, and alignment of labels of hull segments: outside the hull."""

_LABEL_SIZE = np.array([0.08, 0.045])
"""Width and height of a label, relative to the axes."""


def operating_points(
    ax: Axes, space: str, points: OperatingPoints, thresholds: ArrayLike, style: Style
) -> None:
    """Mark the rows at these thresholds, with the thresholds as labels."""
    marked = points.at(thresholds)
    view = getattr(marked, space)
    x, y = view.x, view.y
    # The empty rule has no finite coordinates in PR and PRG space.
    finite = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    ax.plot(
        x[finite],
        y[finite],
        linestyle="",
        marker=style.marker,
        markersize=7,
        markerfacecolor="white",
        markeredgecolor=style.curve,
        markeredgewidth=1.6,
        zorder=4.5,
        label="_nolegend_",
    )
    x_offset, y_offset, alignment = BELOW[space]
    texts = ThresholdTexts(marked.thresholds, lower_scores(points.table, marked.thresholds))
    for row in finite.tolist():
        ax.annotate(
            texts[row],
            (x[row], y[row]),
            xytext=(x_offset, y_offset),
            textcoords="offset points",
            ha=alignment,
            va="top",
            fontsize=8,
            color=style.curve,
            zorder=4.6,
        )


def hull_scores(
    ax: Axes, space: str, hull: OperatingPoints, kind: str, style: Style, *, low: float
) -> None:
    """Label the segments of a hull with their calibrated scores, the longest ones first.

    A segment has no label if it would overlap another one.
    """
    scores = SCORES[kind](hull.table)
    segments = sorted(_visible_segments(hull, space, low), key=lambda segment: -segment.length)
    labelled = np.empty((0, 2))
    for index, x, y, _ in segments:
        if (abs(labelled - (x, y)) < _LABEL_SIZE * (1 - low)).all(axis=1).any():
            continue
        labelled = np.vstack([labelled, (x, y)])
        x_offset, y_offset, alignment = OUTSIDE[space]
        if space == "roc" and x < _LABEL_SIZE[0] / 2:
            x_offset, alignment = -x_offset, "left"  # there is no room next to the border
        at_top = y > 1 - _LABEL_SIZE[1]
        ax.annotate(
            f"{scores[index]:.2f}",
            (x, y),
            xytext=(x_offset, -y_offset if at_top else y_offset),
            textcoords="offset points",
            ha=alignment,
            va="top" if at_top else "bottom",
            fontsize=8,
            color=style.hull,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.6, "pad": 0.5},
            zorder=4.4,
        )


class _Segment(NamedTuple):
    """The number, the middle and the length of a hull segment."""

    number: int
    x: float
    y: float
    length: float


def _visible_segments(hull: OperatingPoints, space: str, low: float) -> Iterator[_Segment]:
    """Yield the segments whose middle lies inside the axes."""
    view = getattr(hull, space)
    x, y = np.clip(view.x, low, 1), view.y
    for index in range(len(hull) - 1):
        start, end = float(x[index]), float(x[index + 1])
        if start < end:
            middle = (start + end) / 2
            height = float(view.interpolate(middle))
            length = max(end - start, 2 * abs(height - float(y[index + 1])))
        else:
            middle, height = end, float(y[index] + y[index + 1]) / 2
            length = abs(float(y[index + 1] - y[index]))
        if low < height <= 1 and middle > low - (space == "roc"):
            yield _Segment(index, middle, height, length)
