"""Hanczar & Nadif: the indices themselves, in Table 1 and Figures 2 and 3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.plot.frame import BLACK, BLUE, GREEN, ISOLINE, VERMILLION, frame
from isometrics.plot.tradeoff import NAMES
from isometrics.points import OperatingPoints
from isometrics.spaces.indices import index_named
from isometrics_studies.papers.hanczar_nadif_experiments import INDICES
from isometrics_studies.papers.item import Number
from isometrics_studies.papers.panels import legend_below, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CLUSTERS = {"C1": (0.70, 0.70), "C2": (0.75, 0.60), "C3": (0.80, 0.50)}
"""Precision and recall of the clusters of Table 1."""

TABLE_1 = {
    0.5: {
        "C1": ("0.70", "0.70", "0.70", "0.54"),
        "C2": ("0.67", "0.67", "0.67", "0.50"),
        "C3": ("0.65", "0.61", "0.63", "0.44"),
    },
    0.2: {
        "C1": ("0.70", "0.70", "0.70", "0.62"),
        "C2": ("0.72", "0.71", "0.71", "0.62"),
        "C3": ("0.74", "0.71", "0.73", "0.60"),
    },
}
CUT_OFF = "Cut off after two digits, not rounded (errata, Hanczar and Nadif, Table 1)."

# ---------------------------------------------------------------------- Table 1


def table_1() -> list[Number]:
    """Compute the four indices of three clusters for two weights of recall."""
    rows = []
    for lam, clusters in TABLE_1.items():
        for cluster, cells in clusters.items():
            for name, printed in zip(INDICES, cells, strict=True):
                value = float(index_named(name).value(*CLUSTERS[cluster], lam))
                truncated = f"{np.floor(100 * value + 1e-9) / 100:.2f}" == printed
                label = f"{NAMES[name].removesuffix(' index')} of {cluster}, λ {lam}"
                rows.append(Number(label, value, printed, CUT_OFF if truncated else ""))
    return rows


def draw_table_1() -> Figure:
    """Draw the indices of the three clusters over λ, with both weights of the table."""
    figure, axes = panels(4, size=3.6)
    lam = np.linspace(0, 1, 201)
    for ax, name in zip(axes, INDICES, strict=True):
        for (cluster, rates), colour in zip(
            CLUSTERS.items(), (BLUE, VERMILLION, GREEN), strict=True
        ):
            ax.plot(lam, index_named(name).value(*rates, lam), color=colour, label=cluster)
        for weight in TABLE_1:
            ax.axvline(weight, color="0.6", linestyle=":", linewidth=1)
        ax.set(xlabel="λ, the weight of recall", title=NAMES[name], ylim=(0.4, 0.82))
        ax.grid(color="0.94", linewidth=0.6)
    legend_below(figure, axes[0], 3)
    return figure


# ---------------------------------------------------------------------- Figure 2


def figure_2() -> list[Number]:
    """Compute each index where precision and recall are equal, over all weights."""
    lam = np.linspace(0, 1, 101)
    rows = []
    for name in INDICES:
        values = np.asarray(index_named(name).value(0.7, 0.7, lam))
        # Twelve digits: the last ones are rounding, which differs between platforms.
        spread = round(float(values.max() - values.min()), 12)
        label = f"spread at pre = rec, {name}"
        is_claimed = name != "jaccard"
        rows.append(Number.claimed(label, spread) if is_claimed else Number(label, spread))
    precision, recall = np.random.default_rng(2).uniform(0.05, 1, (2, 400))
    f, jaccard = (
        index_named(name).value(precision, recall, 0.5) for name in ("f-measure", "jaccard")
    )
    order = np.argsort(f)
    falls = int((np.diff(np.asarray(jaccard)[order]) < 0).sum())
    rows.append(Number.claimed("pairs F and Jaccard order unlike", float(falls)))
    return rows


def draw_figure_2() -> Figure:
    """Draw the isolines of the four indices."""
    figure, axes = panels(4, 2, size=4.6)
    for ax, name in zip(axes, INDICES, strict=True):
        index_isolines(name, ax)
    legend_below(figure, axes[0], 3)
    return figure


LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)
LOOKS: dict[float, dict[str, Any]] = {
    0.2: {"linewidth": 1.0, "linestyle": ":"},
    0.5: {"linewidth": 2.2, "zorder": 2.2},
    0.8: {"linewidth": 1.0},
}
"""The lines of each weight of recall."""


def index_isolines(name: str, ax: Axes) -> None:
    """Draw lines of equal index in PR space: bold at λ = ½, dotted below, thin above."""
    index = index_named(name)
    frame(ax, "pr")
    ax.set_title(NAMES[name])
    ax.plot([0, 1], [0, 1], color=ISOLINE, linewidth=0.8, zorder=1.2)
    for lam, look in LOOKS.items():
        label = f"λ = {lam}"
        for level in LEVELS:
            recall, precision = index.isoline(level, lam, size=400)
            if not recall.size:
                continue
            ax.plot(recall, precision, color=BLACK, label=label, **look)
            label = "_nolegend_"
            if lam == 0.5:
                # Where precision and recall are equal.
                middle = int(np.argmin(np.abs(recall - precision)))
                white = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
                text: dict[str, Any] = {
                    "ha": "center",
                    "va": "center",
                    "fontsize": 8,
                    "zorder": 2.5,
                }
                ax.text(recall[middle], precision[middle], f"{level}", bbox=white, **text)


# ---------------------------------------------------------------------- Figure 3

PRECISION, RECALL = 0.85, 0.5
TARGET, SHARE = 170, 0.2
"""The size of the target and its share of all elements, which the paper does not print."""


def figure_3() -> list[Number]:
    """Compute the ends and the areas of the curves of one result, and of the maximal cluster."""
    sets = OperatingPoints.from_counts(
        *([85, 170], [15, 680]), positives=TARGET, negatives=680, labels=["result", "everything"]
    )
    ends = np.zeros(2), np.ones(2)
    rows = []
    for name in INDICES:
        index = index_named(name)
        result, everything = index.areas(sets.table.counts, *ends).tolist()
        rows += [
            Number(f"at λ 0, {name}", float(index.value(PRECISION, RECALL, 0.0)), "0.85"),
            Number(f"at λ 1, {name}", float(index.value(PRECISION, RECALL, 1.0)), "0.5"),
            Number(f"area, {name}", result),
            Number(f"area above everything, {name}", 1 - everything),
        ]
    return rows


def draw_figure_3() -> Figure:
    """Draw one result and the trivial clusters, and shade what is worse than the maximal one."""
    figure, axes = panels(4, 2, size=4.6)
    for ax, name in zip(axes, INDICES, strict=True):
        _one_result(ax, name)
    legend_below(figure, axes[0], 3)
    return figure


def _one_result(ax: Axes, name: str) -> None:
    index, lam = index_named(name), np.linspace(0, 1, 1001)
    maximal = np.asarray(index.value(SHARE, 1.0, lam))
    ax.fill_between(lam, maximal, color="0.9", linewidth=0)
    ax.plot(lam, maximal, color="0.35", linewidth=1.2, label="maximal cluster")
    minimal = index.value(1.0, 1 / TARGET, lam)
    ax.plot(lam, minimal, ":", color="0.35", linewidth=1.4, label="minimal cluster")
    label = f"precision {PRECISION}, recall {RECALL}"
    ax.plot(lam, index.value(PRECISION, RECALL, lam), color=BLACK, linewidth=2.6, label=label)
    ax.set(xlabel="λ, the weight of recall", ylabel=NAMES[name], ylim=(0, 1.02), xlim=(0, 1))
