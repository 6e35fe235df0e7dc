"""Curves and hulls of models, with their areas in the legend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.brackets import area_brackets
from isometrics.errors import NotAnswerableError
from isometrics.plot.styles import Style, plain
from isometrics.printing import bracketed
from isometrics.table import Kind
from isometrics.trace import trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from isometrics.aliases import Floats
    from isometrics.points import OperatingPoints

AREAS = {"roc": "AUROC", "pr": "AUPR", "prg": "AUPRG"}

NO_CURVE = (Kind.SELECTION, Kind.SETS)
"""Kinds of tables that are single points, not the rows of a curve."""


def curve(
    ax: Axes,
    space: str,
    points: OperatingPoints,
    name: str | None,
    style: Style,
    *,
    pixels: int,
    low: float,
) -> Line2D:
    """Draw and return the curve, or the single points of a family of sets."""
    look: dict[str, Any] = {"color": style.curve, "zorder": 3.0}
    here = getattr(points, space)
    if points.table.kind in NO_CURVE:
        title = "points" if name is None else plain(name)
        (line,) = ax.plot(
            here.x, here.y, linestyle="", marker=style.marker, markersize=5, label=title, **look
        )
        return line
    title = "curve" if name is None else plain(name)
    x, y = trace(points.table, space, width=pixels, height=pixels, low=low)
    if name is not None:
        look |= {"marker": style.marker, "markersize": 5, "markevery": _spread(x, y, low)}
    label = f"{title} ({AREAS[space]} {_area(points, space)})"
    (line,) = ax.plot(x, y, linewidth=1.5, label=label, **look)
    return line


def _area(points: OperatingPoints, space: str) -> str:
    """Return the area under a curve as text; of a table that lacks rows, its bounds."""
    try:
        return f"{getattr(points, space).area():.3f}"
    except NotAnswerableError:
        return bracketed(*area_brackets(points, [AREAS[space]])[AREAS[space]])


def _spread(x: Floats, y: Floats, low: float, markers: int = 9) -> list[int]:
    """Return corners of a line that lie about evenly along the part in sight.

    matplotlib can spread markers itself, but counts what lies out of sight; a PRG curve comes
    from so far that it would place millions there.
    """
    seen = (x >= low) & (y >= low)
    way = np.cumsum(np.where(seen[:-1] & seen[1:], np.hypot(np.diff(x), np.diff(y)), 0))
    stations = np.linspace(0, way[-1], markers + 2)[1:-1]
    return [int(corner) for corner in np.unique(np.searchsorted(way, stations) + 1)]


def hull(
    ax: Axes,
    space: str,
    corners: OperatingPoints,
    name: str | None,
    style: Style,
    *,
    pixels: int,
    low: float,
) -> Line2D:
    """Draw and return the hull as a line of its own, never in place of the curve."""
    title = "hull" if name is None else f"{plain(name)}, hull"
    (line,) = ax.plot(
        *trace(corners.table, space, width=pixels, height=pixels, low=low),
        color=style.hull,
        linestyle="--",
        linewidth=1.3,
        zorder=3.2,
        label=f"{title} ({AREAS[space]} {getattr(corners, space).area():.3f})",
    )
    return line
