"""The pictures of the recipes, from the data that they make."""

import matplotlib.pyplot as plt
import numpy as np

import isometrics as iso
from isometrics import plot
from isometrics.decisions.lift import cumulative_gains
from isometrics.plot.frame import BLACK, BLUE
from isometrics_studies.cheng_church import cheng_church
from isometrics_studies.planted import planted_bicluster


def fraud() -> plt.Figure:
    """Draw both fraud models in all spaces."""
    rng = np.random.default_rng(11)
    labels = rng.random(20_000) < 0.02
    known = labels & (rng.random(20_000) < 0.5)
    odd = ~labels & (rng.random(20_000) < 0.03)
    scores = {
        "forest": np.where(known, rng.beta(5, 2.5, 20_000), rng.beta(1, 14, 20_000)),
        "logit": 1 / (1 + np.exp(4.5 - 1.3 * rng.normal(np.where(labels, 2.2, 2.0 * odd - 0.3)))),
    }
    test = np.arange(20_000) >= 10_000
    analysis = iso.analyse(labels[test], {name: score[test] for name, score in scores.items()})
    return analysis.plot("all").flat[0].figure


def budget() -> plt.Figure:
    """Draw how many bad cases a number of reviews finds."""
    rng = np.random.default_rng(3)
    bad = np.arange(5000) < 250
    points = iso.OperatingPoints.from_scores(bad, np.round(rng.normal(1.6 * bad), 2))
    reviewed = np.arange(0, 5001, 20)
    figure, axes = plt.subplots(figsize=(6.0, 4.2), layout="constrained")
    found = np.append(0.0, cumulative_gains(points, reviewed[1:] / 5000))
    axes.plot(reviewed, found, color=BLUE, label="by score")
    axes.plot([0, 5000], [0, 1], "--", color=BLACK, label="at random")
    axes.axvline(200, color=BLACK, linestyle=":", label="200 reviews")
    axes.set(xlabel="cases reviewed", ylabel="share of bad cases found")
    axes.legend(loc="lower right")
    return figure


def prevalences() -> plt.Figure:
    """Draw one model in PR space at four prevalences."""
    rng = np.random.default_rng(2)
    labels = np.arange(4000) < 800
    points = iso.OperatingPoints.from_scores(labels, rng.normal(2 * labels))
    shown = {f"π = {share:g}": points.at_prevalence(share) for share in (0.2, 0.02, 0.005, 0.001)}
    return plot.pr(shown, hull=False, isolines=False, unachievable=False).figure


def biclusters() -> plt.Figure:
    """Draw what Cheng and Church find of a planted bicluster, in tradeoff space."""
    planted = planted_bicluster((60, 40), (20, 12), noise=0.1, seed=3)
    found = {
        f"δ = {delta}": cheng_church(planted.matrix, delta) for delta in (0.005, 0.01, 0.02, 0.04)
    }
    points = iso.OperatingPoints.from_sets(
        planted.target, found, universe_size=planted.matrix.shape
    )
    return plot.tradeoff(points, index="jaccard").figure


PICTURES = {
    "recipe-fraud": fraud,
    "recipe-budget": budget,
    "recipe-prevalence": prevalences,
    "recipe-biclusters": biclusters,
}
