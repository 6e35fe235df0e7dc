"""Figures made of panels, without the global state of pyplot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from isometrics.plot.frame import BLACK
from isometrics.plot.spaces import pr, prg, roc

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from isometrics._core.arrays import Floats
    from isometrics.points import OperatingPoints

SPACES: dict[str, Callable[..., Axes]] = {"roc": roc, "pr": pr, "prg": prg}
TITLES = {"roc": "ROC space", "pr": "precision-recall space", "prg": "precision-recall-gain space"}


class Panels(NamedTuple):
    """A figure and its axes, row by row."""

    figure: Figure
    axes: list[Axes]


def panels(count: int, columns: int | None = None, *, size: float = 4.6) -> Panels:
    """Return a figure with square panels, by default all in one row."""
    n_columns = columns or count
    n_rows = -(-count // n_columns)
    figure = Figure(figsize=(size * n_columns, (size + 0.6) * n_rows))
    figure.set_layout_engine("constrained", w_pad=0.07, h_pad=0.09)
    grid = figure.subplots(n_rows, n_columns, squeeze=False)
    axes = list(grid.flat)
    for unused in axes[count:]:
        unused.set_axis_off()
    return Panels(figure, axes[:count])


def curve_panel(ax: Axes, space: str, points: Any, **options: Any) -> None:
    """Draw curves in a space, by default without isometrics."""
    defaults = {"isolines": False} | ({"unachievable": False} if space == "pr" else {})
    SPACES[space](points, ax, **(defaults | options))


def named_point(ax: Axes, x: float, y: float, name: str, offset: tuple[float, float]) -> None:
    """Mark a point, with its name next to it."""
    ax.plot(x, y, "o", color=BLACK, markersize=6, zorder=5)
    ax.annotate(
        *(name, (x, y)),
        xytext=offset,
        textcoords="offset points",
        fontsize=11,
        weight="bold",
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5},
        zorder=4.5,
    )


def rows_marked(ax: Axes, space: str, points: OperatingPoints, **line_options: Any) -> None:
    """Mark the rows of a table."""
    view = getattr(points, space)
    ax.plot(view.x, view.y, linestyle="", marker="o", markersize=5, **line_options)


def undominated(x: Floats, y: Floats) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return a mask of the points that no other point dominates.

    A point dominates another if both coordinates are at least as large, and one is larger. Points
    without finite coordinates are not in the mask.
    """
    dominates = (x[:, None] >= x) & (y[:, None] >= y) & ((x[:, None] > x) | (y[:, None] > y))
    return np.asarray(~dominates.any(axis=0) & np.isfinite(x) & np.isfinite(y))


def legend_below(figure: Figure, ax: Axes, columns: int) -> None:
    """Draw a legend below all panels, with the names of one panel, without its areas."""
    handles, labels = ax.get_legend_handles_labels()
    names = [label.split(" (AU")[0] for label in labels]
    figure.legend(handles, names, loc="outside lower center", ncols=columns, frameon=False)


def two_spaces(models: dict[str, OperatingPoints]) -> Figure:
    """Draw models in ROC and in PR space."""
    figure, axes = panels(2)
    for ax, space in zip(axes, ("roc", "pr"), strict=True):
        curve_panel(ax, space, models, hull=False, baseline=False)
        ax.set_title(TITLES[space])
    return figure
