"""The axes of a space: names, limits, a light grid and the legend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.artist import Artist
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

_LABELS: WeakKeyDictionary[Artist, tuple[str, str]] = WeakKeyDictionary()
"""The titles and the areas of curves; a label in matplotlib is one text."""

_BASELINES: WeakSet[Artist] = WeakSet()
"""The lines of what is achieved without a model."""


def mark_baseline(line: Artist) -> None:
    """Remember that a line shows what is achieved without a model."""
    _BASELINES.add(line)


def is_baseline(line: Artist) -> bool:
    """Tell whether a line shows what is achieved without a model."""
    return line in _BASELINES


def label_with_area(line: Artist, title: str, area: str) -> None:
    """Label a curve in the legend with its title and the area under it."""
    line.set_label(f"{title} ({area})")
    _LABELS[line] = title, area


def titles_of(lines: Iterable[Artist]) -> dict[Artist, str]:
    """Return the titles of those lines that are labelled with their areas."""
    return {line: _LABELS[line][0] for line in lines if line in _LABELS}


def areas_of(lines: Iterable[Artist]) -> dict[Artist, str]:
    """Return the areas of those lines that are labelled with them, as texts."""
    return {line: _LABELS[line][1] for line in lines if line in _LABELS}


def frame(ax: Axes | None, space: str, low: float = 0.0) -> Axes:
    """Set up the axes, by default those of a new figure, for a space."""
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
    """Draw the legend in the corner with the least of the curves, or below the axes."""
    lines, labels = ax.get_legend_handles_labels()
    # Width and height of the legend, relative to axes of the default size.
    legend_size = np.array([0.12 + 0.011 * max(map(len, labels)), 0.06 + 0.05 * len(lines)])
    low, high = ax.get_xlim()
    curve_points = np.vstack([_evenly_spaced(line, low, high) for line in curves])

    def n_covered(corner: Any) -> int:
        return int((abs(curve_points - CORNERS[corner]) < legend_size).all(axis=1).sum())

    corner = min(CORNERS, key=n_covered)
    legend_options: dict[str, Any] = {"loc": corner, "fontsize": "small", "framealpha": 0.9}
    if own_figure and n_covered(corner):
        # No corner is free; a figure created here can grow and have the legend below.
        legend_options |= {"loc": "upper center", "bbox_to_anchor": (0.5, -0.12), "ncols": 2}
        figure = cast("Figure", ax.figure)
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + 0.4 + 0.11 * (len(lines) + 1))
        ax.set_anchor("N")
    ax.legend(lines, labels, **legend_options)


def _evenly_spaced(line: Line2D, low: float, high: float, size: int = 400) -> Floats:
    """Return points at equal distances along a line, in coordinates relative to the axes."""
    data = np.asarray(line.get_xydata(), dtype=np.float64)
    # Points far outside are moved next to the axes, where there is no legend.
    points = np.clip((data[np.isfinite(data).all(axis=1)] - low) / (high - low), -0.1, 1.1)
    if line.get_linestyle() == "None":
        return points
    length = np.append(0, np.cumsum(np.hypot(*np.diff(points, axis=0).T)))
    positions = np.linspace(0, length[-1], size)
    return np.column_stack([np.interp(positions, length, axis) for axis in points.T])
