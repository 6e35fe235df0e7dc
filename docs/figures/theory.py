"""The pictures of the theory pages."""

from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import ConnectionPatch

import isometrics as iso
from isometrics import plot
from isometrics.plot.frame import BLACK, BLUE, VERMILLION

GREY = "0.6"


def sample(rows: int = 300, seed: int = 3, shift: float = 1.5) -> iso.OperatingPoints:
    rng = np.random.default_rng(seed)
    labels = np.arange(rows) < rows // 5
    return iso.OperatingPoints.from_scores(labels, rng.normal(shift * labels))


def f_and_jaccard() -> plt.Figure:
    """Draw both tradeoff curves of the same sets, and join the breakpoints."""
    found = iso.OperatingPoints.from_counts(
        [51, 147, 237, 330, 384],
        [9, 53, 163, 470, 1616],
        positives=400,
        negatives=9600,
        labels=[60, 200, 400, 800, 2000],
    )
    figure, panels = plt.subplots(2, 1, figsize=(6.4, 7.6), layout="constrained")
    names = ("f-measure", "jaccard")
    for axes, name in zip(panels, names, strict=True):
        plot.tradeoff(found, axes, index=name, legend=False)
    ends = [found.tradeoff(name).intervals.lambda_hi[:-1] for name in names]
    for upper, lower in zip(*ends, strict=True):
        figure.add_artist(
            ConnectionPatch(
                *((upper, 0), (lower, 1), "data", "data"),
                axesA=panels[0],
                axesB=panels[1],
                color=VERMILLION,
                linestyle=":",
            )
        )
    return figure


def nesting() -> plt.Figure:
    """Draw the same points on three scales, with the best points of each."""
    points = sample()
    scales: dict[str, tuple[str, Callable[..., object]]] = {
        "kulczynski": ("t", lambda t: t),
        "folke": ("ln t", np.log),
        "f-measure": ("−1/t", lambda t: -1 / t),
    }
    figure, panels = plt.subplots(1, 3, figsize=(12.0, 4.0), layout="constrained")
    for axes, (name, (scale, function)) in zip(panels, scales.items(), strict=True):
        shown = points.tp >= 6
        axes.plot(
            *(function(points.recall[shown]), function(points.precision[shown])),
            ".",
            color=GREY,
            markersize=3,
        )
        best = points.tradeoff(name).intervals
        axes.plot(function(best.recall), function(best.precision), "s--", color=VERMILLION)
        axes.set(
            title=f"{name}: {len(best)} best points",
            xlabel=f"recall, h(t) = {scale}",
            ylabel=f"precision, h(t) = {scale}",
        )
    return figure


def delta() -> plt.Figure:
    """Draw dots at equal distances in Δ on a PRG curve."""
    points = sample(rows=500, seed=5)
    start = int(np.searchsorted(points.recall, points.prevalence))
    tp = np.append(points.prevalence * points.positives, points.tp[start:])
    fp = np.append(points.fp[start], points.fp[start:])
    odds = points.positives / points.negatives
    x, y = 1 - odds * (points.positives - tp) / tp, 1 - odds * fp / tp
    along = x / points.prevalence - y / (1 - points.prevalence)
    even = np.linspace(along[0], along[-1], 25)
    axes = plot.prg(points, hull=False, isolines=False, legend=False)
    axes.plot(
        *(np.interp(even, along, x), np.interp(even, along, y)),
        "o",
        color=VERMILLION,
        label="25 points, even in Δ",
    )
    axes.legend(*([part] for part in (axes.lines[-1], "25 points, even in Δ")), loc="lower left")
    return axes.figure


def discounts() -> plt.Figure:
    """Draw the price of a negative, and the pay of a positive in DCG."""
    positives, rows = 50, 500
    share = positives / rows
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.2), layout="constrained")
    above = np.arange(positives + 1)
    price = 1 / np.maximum(above, share * positives) ** 2 - 1 / positives**2
    left.plot(above, price / price.max(), color=BLUE, label="AUPRG")
    left.plot(above, 1 - above / positives, "--", color=BLACK, label="AUROC")
    left.axvline(share * positives, color=GREY, linestyle=":", label="recall π")
    left.set(
        title=f"what a negative costs, {positives} positives in {rows}",
        xlabel="positives above it",
        ylabel="share of the highest price",
    )
    left.legend()
    rank = np.arange(1, rows + 1)
    right.plot(rank, 1 / np.log2(1 + rank), color=VERMILLION, label="DCG")
    right.set(
        title="what a positive earns",
        xlabel="its rank",
        ylabel="share of the highest pay",
        ylim=(0, 1.03),
    )
    right.legend()
    return figure


PICTURES = {
    "theory-f-jaccard": f_and_jaccard,
    "theory-nesting": nesting,
    "theory-delta": delta,
    "theory-discounts": discounts,
}
