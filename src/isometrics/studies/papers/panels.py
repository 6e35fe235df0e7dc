"""Figures made of panels, without the global state of pyplot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.figure import Figure

from isometrics.plot.spaces import pr, prg, roc
from isometrics.plot.styles import BLACK

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from isometrics.points import OperatingPoints

SPACES: dict[str, Callable[..., Axes]] = {"roc": roc, "pr": pr, "prg": prg}
TITLES = {"roc": "ROC space", "pr": "precision-recall space", "prg": "precision-recall-gain space"}


class Panels(NamedTuple):
    """A figure and its axes, row by row."""

    figure: Figure
    axes: list[Axes]


def panels(count: int, columns: int | None = None, *, size: float = 4.6) -> Panels:
    """Return a figure with some square panels, all in one row unless told otherwise."""
    across = columns or count
    down = -(-count // across)
    figure = Figure(figsize=(size * across, (size + 0.6) * down))
    figure.set_layout_engine("constrained", w_pad=0.07, h_pad=0.09)
    grid = figure.subplots(down, across, squeeze=False)
    axes = list(grid.flat)
    for left_over in axes[count:]:
        left_over.set_axis_off()
    return Panels(figure, axes[:count])


def curve_panel(ax: Axes, space: str, points: Any, **options: Any) -> None:
    """Draw curves in a space, without isometrics unless they are asked for."""
    chosen = {"isolines": False} | ({"unachievable": False} if space == "pr" else {}) | options
    SPACES[space](points, ax, **chosen)


def named_point(ax: Axes, x: float, y: float, name: str, offset: tuple[float, float]) -> None:
    """Mark one point, with its name beside it."""
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


def rows_marked(ax: Axes, space: str, points: OperatingPoints, **look: Any) -> None:
    """Mark the rows of a table."""
    here = getattr(points, space)
    ax.plot(here.x, here.y, linestyle="", marker="o", markersize=5, **look)


def legend_below(figure: Figure, ax: Axes, columns: int) -> None:
    """Draw one legend below all panels, without the areas of the panel it is taken from."""
    handles, names = ax.get_legend_handles_labels()
    names = [name.split(" (AU")[0] for name in names]
    figure.legend(handles, names, loc="outside lower center", ncols=columns, frameon=False)


def two_spaces(models: dict[str, OperatingPoints]) -> Figure:
    """Draw some models in ROC and in PR space."""
    figure, axes = panels(2)
    for ax, space in zip(axes, ("roc", "pr"), strict=True):
        curve_panel(ax, space, models, hull=False, baseline=False)
        ax.set_title(TITLES[space])
    return figure
