"""Plots of a study: ranks against ranks, areas against areas, and two models in three spaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import BoundaryNorm
from matplotlib.figure import Figure

from isometrics import plot
from isometrics._core.files import whole_file
from isometrics.plot.frame import BLACK, plain, style_of
from isometrics_studies.ranking.agreement import heat_map
from isometrics_studies.ranking.scoring import NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from isometrics.points import OperatingPoints
    from isometrics_studies.ranking.results import TaskResult

_SETTINGS: Any = {"svg.hashsalt": "isometrics", "svg.fonttype": "none"}


def draw_heat_map(results: list[TaskResult], one: str = "aupr", other: str = "auprg") -> Figure:
    """Draw how many models have each pair of ranks, as in Figure 4 of Flach & Kull (2015).

    Parameters
    ----------
    results
        From `read_results`.
    one, other
        The measures whose ranks are the horizontal and the vertical axis.
    """
    counts = heat_map(results, one, other)
    figure = Figure(figsize=(6.4, 5.4), layout="constrained")
    axes = figure.subplots()
    powers = max(3, int(np.ceil(np.log2(max(counts.max(), 2)))) + 1)
    bounds = [0.0, 0.5, *(2.0**power for power in range(powers))]
    ends = np.arange(counts.shape[0] + 1) + 0.5
    mesh = axes.pcolormesh(
        ends, ends, counts, cmap="Greys", norm=BoundaryNorm(bounds, 256), rasterized=False
    )
    axes.set(xlabel=f"rank by {NAMES[one]}", ylabel=f"rank by {NAMES[other]}")
    axes.set_aspect("equal")
    axes.invert_xaxis()
    axes.invert_yaxis()
    bar = figure.colorbar(mesh, ax=axes, ticks=bounds, label="models")
    bar.ax.set_yticklabels([f"{bound:g}" for bound in bounds])
    return figure


def draw_scatter(
    tasks: Sequence[TaskResult],
    one: str = "aupr",
    other: str = "auprg",
    *,
    marked: Sequence[str] = (),
) -> Figure:
    """Draw one measure against another, a mark for each model of each task.

    Parameters
    ----------
    tasks
        The tasks to draw.
    one, other
        The measures of the horizontal and the vertical axis.
    marked
        Models of the first task that are marked with a ring and their names.
    """
    figure = Figure(figsize=(6.4, 5.4), layout="constrained")
    axes = figure.subplots()
    for index, task in enumerate(tasks):
        style = style_of(index, len(tasks))
        axes.plot(
            task.columns[one],
            task.columns[other],
            style.marker,
            color=style.curve,
            fillstyle="none",
            label=plain(task.name),
        )
    for model in marked:
        row = tasks[0].models.index(model)
        point = (float(tasks[0].columns[one][row]), float(tasks[0].columns[other][row]))
        axes.plot(*point, "o", color=BLACK, fillstyle="none", markersize=14)
        axes.annotate(plain(model), point, xytext=(10, -12), textcoords="offset points")
    axes.set(xlabel=NAMES[one], ylabel=NAMES[other])
    axes.grid(color="0.94", linewidth=0.6)
    axes.legend(fontsize="small", loc="lower right")
    return figure


def draw_pair(models: Mapping[str, OperatingPoints]) -> Figure:
    """Draw models in ROC, PR and PRG space, as in Figure 5 of Flach & Kull (2015).

    Parameters
    ----------
    models
        Their operating points by name.
    """
    figure = Figure(figsize=(12.5, 4.6), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    plot.roc(dict(models), left, hull=False, isolines=False)
    plot.pr(dict(models), middle, hull=False, isolines=False)
    plot.prg(dict(models), right, hull=False, isolines=False)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write a reproducible SVG file, completely or not at all."""
    import matplotlib as mpl

    with whole_file(path, binary=True) as file, mpl.rc_context(_SETTINGS):
        figure.savefig(file, format="svg", metadata={"Date": None}, facecolor="white")
