"""The axes of a space: names, limits, a light grid and the legend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from isometrics._core.arrays import Floats

MARGIN = 0.02

NAMES = {
    "roc": ("false positive rate", "true positive rate"),
    "pr": ("recall", "precision"),
    "prg": ("recall gain", "precision gain"),
}
TITLES = {"roc": "ROC", "pr": "PR", "prg": "PRG"}

CORNERS: dict[Any, tuple[int, int]] = {
    "lower right": (1, 0),
    "lower left": (0, 0),
    "upper right": (1, 1),
    "upper left": (0, 1),
}


def frame(ax: Axes | None, space: str, low: float = 0.0) -> Axes:
    """Return the axes, new ones if none are given, set up for a space."""
    if ax is None:
        _, ax = plt.subplots(figsize=(5.6, 5.6), layout="constrained")
    x, y = NAMES[space]
    limits = (low - MARGIN, 1 + MARGIN)
    ax.set(xlabel=x, ylabel=y, xlim=limits, ylim=limits)
    ax.set_aspect("equal")
    ax.grid(color="0.94", linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def legend(ax: Axes, curves: Sequence[Line2D], *, own_figure: bool) -> None:
    """Draw the legend in the corner that the curves enter least, or below the axes."""
    lines, labels = ax.get_legend_handles_labels()
    # The size of the letters is fixed, so these are parts of axes of a usual size.
    room = np.array([0.12 + 0.011 * max(map(len, labels)), 0.06 + 0.05 * len(lines)])
    low, high = ax.get_xlim()
    places = np.vstack([_stations(line, low, high) for line in curves])

    def entered(corner: Any) -> int:
        return int((abs(places - CORNERS[corner]) < room).all(axis=1).sum())

    corner = min(CORNERS, key=entered)
    look: dict[str, Any] = {"loc": corner, "fontsize": "small", "framealpha": 0.9}
    if own_figure and entered(corner):
        # Every corner is taken; a figure of our own can grow and have the legend below.
        look |= {"loc": "upper center", "bbox_to_anchor": (0.5, -0.12), "ncols": 2}
        figure = cast("Figure", ax.figure)
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + 0.4 + 0.11 * (len(lines) + 1))
        ax.set_anchor("N")
    ax.legend(lines, labels, **look)


def _stations(line: Line2D, low: float, high: float, steps: int = 400) -> Floats:
    """Return points at equal distances along a line, as parts of the axes."""
    data = np.asarray(line.get_xydata(), dtype=np.float64)
    # What lies far outside is drawn to the border, where no legend stands.
    points = np.clip((data[np.isfinite(data).all(axis=1)] - low) / (high - low), -0.1, 1.1)
    if line.get_linestyle() == "None":
        return points
    way = np.append(0, np.cumsum(np.hypot(*np.diff(points, axis=0).T)))
    at = np.linspace(0, way[-1], steps)
    return np.column_stack([np.interp(at, way, axis) for axis in points.T])
