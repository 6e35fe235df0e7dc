"""Flach & Kull (2015): what AUPR and AUPRG say of many models, in Figures 4 and 5."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isometrics.plot.styles import BLUE, VERMILLION
from isometrics.studies.papers import clover, tasks
from isometrics.studies.papers.item import Number
from isometrics.studies.papers.panels import TITLES, curve_panel, panels

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from isometrics.points import OperatingPoints

SIMULATED_TASKS = (
    "The predictions of the 886 OpenML tasks are not at hand; these are 60 simulated tasks of 30 "
    "models."
)

# ---------------------------------------------------------------------- Figure 4

DISAGREE = {
    ("AUPR", "AUPRG"): ("24", "58", "0.95"),
    ("AUPR", "AUROC"): ("29", "65", "0.95"),
    ("AUPRG", "AUROC"): ("22", "57", "0.96"),
}


def figure_4() -> list[Number]:
    """Compute how often measures disagree on the best models, and how ranks correlate."""
    rows = []
    for pair, found in tasks.agreements().items():
        first, three, correlation = DISAGREE[pair]
        name = "/".join(pair)
        rows += [
            Number(f"% other best, {name}", 100 * found.other_first, first, SIMULATED_TASKS),
            Number(f"% other top 3, {name}", 100 * found.other_top_three, three, SIMULATED_TASKS),
            Number(f"rank correlation, {name}", found.correlation, correlation, SIMULATED_TASKS),
        ]
    quartiles = np.quantile(tasks.rank_correlations(), [0.25, 0.75])
    for name, value, printed in zip(
        ("lower", "upper"), quartiles.tolist(), ("0.944", "0.991"), strict=True
    ):
        rows.append(Number(f"{name} quartile over tasks", value, printed, SIMULATED_TASKS))
    return rows


def draw_figure_4() -> Figure:
    """Draw how often each pair of ranks occurs, and the areas in two tasks."""
    from matplotlib.colors import LogNorm

    figure, (left, right) = panels(2, size=5.0)
    by_pr, by_prg = (tasks.ranks()[:, :, place].ravel() for place in (0, 1))
    bins = np.arange(0.5, tasks.MODELS + 1)
    *_, cells = left.hist2d(by_pr, by_prg, bins=[bins, bins], norm=LogNorm(), cmap="viridis_r")
    figure.colorbar(cells, ax=left, label="models", shrink=0.8)
    left.set(xlabel="rank of AUPR", ylabel="rank of AUPRG", aspect="equal")
    left.invert_xaxis()
    left.invert_yaxis()
    left.set_title(f"{tasks.TASKS} tasks of {tasks.MODELS} models")
    correlations = tasks.rank_correlations()
    for task, marker, colour in zip(tasks.at_quartiles(), "^o", (BLUE, VERMILLION), strict=True):
        pr, prg, _ = tasks.areas()[task].T
        label = f"task {task}, rank correlation {correlations[task]:.3f}"
        right.plot(pr, prg, marker, color=colour, fillstyle="none", label=label)
    right.set(xlabel="AUPR", ylabel="AUPRG", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    right.grid(color="0.94", linewidth=0.6)
    right.legend(loc="lower right", fontsize="small")
    right.set_title("two tasks, at the quartiles")
    return figure


# ---------------------------------------------------------------------- Figure 5

PRINTED_AREAS = {"AdaBoost": ("0.724", "0.714"), "Logistic regression": ("0.773", "0.687")}
REFITTED = (
    "The predictions of OpenML runs 145651 and 267741 are not at hand: both models were fitted "
    "anew to the data, by other programs, with other folds and other settings."
)


def clover_models(data: Path | None) -> dict[str, OperatingPoints]:
    """Return the two models of Figure 5: fitted to the data where a folder has them."""
    if data is None:
        return clover.with_printed_areas()
    return clover.fitted(clover.clover_file(data))


def figure_5(data: Path | None) -> list[Number]:
    """Compute the areas of both models."""
    rows = []
    for name, points in clover_models(data).items():
        for measure, area, printed in zip(
            ("AUPR", "AUPRG"),
            (points.pr.area(), points.prg.area()),
            PRINTED_AREAS[name],
            strict=True,
        ):
            reason = REFITTED if data else ""
            rows.append(Number(f"{measure}, {name}", area, printed, reason, fitted=not data))
        rows.append(Number(f"AUROC, {name}", points.roc.area()))
    return rows


def draw_figure_5(data: Path | None) -> Figure:
    """Draw both models in the three spaces."""
    figure, axes = panels(3, size=4.4)
    for ax, space in zip(axes, ("roc", "pr", "prg"), strict=True):
        curve_panel(ax, space, clover_models(data), hull=False, baseline=False)
        ax.set_title(TITLES[space])
    return figure
