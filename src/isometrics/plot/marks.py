"""Marks on a curve: operating points with their thresholds, hull segments with their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isometrics.intervals import segment_precisions, segment_shares

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from isometrics.aliases import Floats
    from isometrics.plot.styles import Style
    from isometrics.points import OperatingPoints
    from isometrics.table import Table

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
