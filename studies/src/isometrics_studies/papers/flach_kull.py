"""Flach & Kull (2015): every figure and table."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.decisions.best import segment_precisions, segment_shares
from isometrics.errors import FileError
from isometrics.measures import AUPR, AUPRG, AUROC
from isometrics.plot.frame import BLUE, GREEN, VERMILLION
from isometrics.plot.spaces import LEVELS
from isometrics.points import OperatingPoints
from isometrics.spaces.drawing import f_gain_isoline, grid
from isometrics_studies.linear_models import LabelledData, read_data
from isometrics_studies.papers import tasks, theorems
from isometrics_studies.papers.item import BY_FORMULA, CLAIMED, FROM_FIGURE, Item, Number
from isometrics_studies.papers.panels import (
    TITLES,
    curve_panel,
    legend_below,
    panels,
    undominated,
)

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from isometrics._core.arrays import Floats


PAPER = "FK15"

RECONSTRUCTED = (
    "The authors do not print their table. Ours, 50 positives and 450 negatives, was found by a "
    "search; its hull carries all 17 labels of Figure 3, and between its vertices it is random."
)


SEGMENTS = ((1, 0), (6, 2), (10, 25), (25, 115), (1, 18), (4, 80), (2, 70), (1, 70), (0, 70))
"""Positives and negatives in each segment of the hull, from the highest scores on."""

FOR_ACCURACY = ("1", "0.75", "0.29", "0.18", "0.053", "0.048", "0.028", "0.014", "0")
"""The labels of the ROC hull in Figure 3 (left), from the figure's text."""

FOR_F = ("0.99", "0.76", "0.49", "0.075", "0.067", "0.034", "0.016", "0")
"""The labels of the PRG hull in Figure 3 (right), from the second segment on."""


@cache
def running_example() -> OperatingPoints:
    """Return a ranking whose hull has these segments."""
    rng = np.random.default_rng(2015)
    labels = np.concatenate([_below_its_chord(rng, *segment) for segment in SEGMENTS])
    return OperatingPoints.from_scores(labels, -np.arange(labels.size))


def _below_its_chord(
    rng: np.random.Generator, positives: int, negatives: int
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return shuffled labels whose curve is nowhere above the line from its start to its end.

    The shuffled labels are rotated so that they begin where their curve is highest above the
    chord (the cycle lemma).
    """
    labels = rng.permutation(np.repeat([1, 0], [positives, negatives]))
    # Integers, so that ties are exact.
    height_above_chord = np.cumsum(labels * negatives - (1 - labels) * positives)
    return np.roll(labels, -1 - int(np.argmax(height_above_chord)))


# ---------------------------------------------------------------------- Figures 1 and 2


def figure_1() -> list[Number]:
    """Count the points that are not dominated, and compute the areas."""
    points = running_example()
    in_roc = undominated(-points.roc.x, points.roc.y)
    in_pr = undominated(points.pr.x, points.pr.y)
    return [
        Number(AUROC.name, points.roc.area()),
        Number(f"{AUROC}, hull", points.hull().roc.area()),
        Number(AUPR.name, points.pr.area()),
        Number("non-dominated points, ROC", float(in_roc.sum())),
        Number("non-dominated points, PR", float(in_pr.sum())),
        Number("of these, dominated in ROC", float((in_pr & ~in_roc).sum())),
    ]


def draw_figure_1() -> Figure:
    """Draw the ROC curve with its hull, the PR curve, and the non-dominated points of each."""
    points = running_example()
    figure, axes = panels(2)
    for ax, space in zip(axes, ("roc", "pr"), strict=True):
        curve_panel(ax, space, points, hull=space == "roc", baseline=False, legend=False)
        view = getattr(points, space)
        best = undominated(-view.x if space == "roc" else view.x, view.y)
        look: dict[str, Any] = {"color": VERMILLION, "fillstyle": "none", "zorder": 4}
        ax.plot(view.x[best], view.y[best], "o", label="non-dominated points", **look)
        ax.set_title(TITLES[space])
    legend_below(figure, axes[0], 3)
    return figure


def figure_2() -> list[Number]:
    """Compute the baseline in both spaces, and the slope of its isometric."""
    points = running_example()
    x, y = f_gain_isoline(0.5, "prg", points.prevalence)
    return [
        Number("F₁ of always positive", float(points.f()[-1])),
        Number(
            "F₁ gain of always positive",
            float(points.f_gain()[-1]),
            "0.5",
            within=1e-12,
            source=CLAIMED,
        ),
        Number("slope of F₁ isometrics", float((y[1] - y[0]) / (x[1] - x[0])), "-1", within=1e-12),
        Number(AUPRG.name, points.prg.area()),
        Number(f"{AUPRG}, hull", points.hull().prg.area()),
    ]


def draw_figure_2() -> Figure:
    """Draw isometrics of F₁ and the baseline in PR space and in PRG space."""
    figure, axes = panels(2, size=5.0)
    for ax, space in zip(axes, ("pr", "prg"), strict=True):
        curve_panel(
            ax,
            space,
            running_example(),
            isolines=LEVELS,
            hull=space == "prg",
            legend=False,
        )
        ax.set_title(TITLES[space], pad=16)
    axes[1].lines[0].set_label("equal F1 (left), equal F1 gain (right)")
    legend_below(figure, axes[1], 5)
    return figure


# ---------------------------------------------------------------------- Figure 3


def steps_up(cost: float) -> float:
    """Return the number of the most accurate vertex, counted from the origin."""
    return float(np.argmax(running_example().hull().accuracy(cost)))


def figure_3() -> list[Number]:
    """Compute the calibrated scores of all segments, and the β and c that belong to them."""
    hull = running_example().hull()
    scores, shares = segment_precisions(hull.table), segment_shares(hull.table)
    swapped = (
        "Section 1 prints acc_c with c and 1 - c exchanged, against its own calibrated scores; "
        "the paper's number is what its formula gives (errata, Flach and Kull, Section 1)."
    )
    from_figure: dict[str, Any] = {"source": FROM_FIGURE, "fitted": True}
    return [
        *(
            Number(f"c, segment {segment}", float(score), printed, **from_figure)
            for segment, (score, printed) in enumerate(zip(scores, FOR_ACCURACY, strict=True), 1)
        ),
        *(
            Number(f"d, segment {segment}", float(share), printed, **from_figure)
            for segment, (share, printed) in enumerate(zip(shares[1:], FOR_F, strict=True), 2)
        ),
        Number("β² of a score of 0.76", (1 - 0.76) / 0.76, "0.32"),
        Number("β² of a score of 0.49", (1 - 0.49) / 0.49, "1.04"),
        Number("steps up, best for accuracy", steps_up(0.5), "2", fitted=True),
        Number(
            *("steps up, best at c = 0.72", steps_up(0.72), f"{steps_up(0.28):g}", swapped),
            source=BY_FORMULA,
        ),
    ]


def draw_figure_3() -> Figure:
    """Draw the hulls with the scores of their segments, each over a grid of the other space."""
    points = running_example()
    hull = points.hull()
    figure, axes = panels(2, size=5.4)
    labels = {
        "roc": segment_precisions(hull.table),
        "prg": np.array([float(share) for share in segment_shares(hull.table)]),
    }
    for ax, (space, scores) in zip(axes, labels.items(), strict=True):
        other = "prg" if space == "roc" else "roc"
        ax.plot(*grid(other, space, points.prevalence), ".", color=GREEN, markersize=2.5)
        curve_panel(ax, space, points, baseline=False, legend=False)
        _label_segments(ax, space, hull, scores)
        ax.set_title(f"{TITLES[space]}, calibrated for {'accuracy' if space == 'roc' else 'F'}")
    axes[0].lines[0].set_label("regular grid of the other space")
    legend_below(figure, axes[0], 4)
    return figure


def _label_segments(ax: Axes, space: str, hull: OperatingPoints, scores: Floats) -> None:
    """Write the score of each visible segment next to its middle, outside the hull."""
    view = getattr(hull, space)
    corners = np.clip(np.column_stack([view.x, view.y]), 0, 1)
    low, high = (-0.12, 1.1) if space == "roc" else (-0.02, 1.12)
    ax.set(xlim=(low, high), ylim=(low, high))
    for score, (start, end) in zip(scores, pairwise(corners), strict=True):
        direction = end - start
        if not np.hypot(*direction) > 0:
            continue  # outside the axes, or from the empty rule, which PRG space does not have
        outward = np.array([-direction[1], direction[0]]) / np.hypot(*direction)
        sideways = outward[0] > 0.8
        ax.annotate(
            *(f"{score:.2g}", (start + end) / 2),
            xytext=(6 if sideways else 13) * outward,
            textcoords="offset points",
            ha="left" if sideways else "center",
            va="center",
            fontsize=9,
            color=VERMILLION,
            zorder=6,
        )


SIMULATED_TASKS = (
    "The predictions of the 886 OpenML tasks are not at hand; these are 60 simulated tasks of 30 "
    "models."
)

# ---------------------------------------------------------------------- Figure 4

DISAGREE = {
    (AUPR.name, AUPRG.name): ("24", "58", "0.95"),
    (AUPR.name, AUROC.name): ("29", "65", "0.95"),
    (AUPRG.name, AUROC.name): ("22", "57", "0.96"),
}


def figure_4() -> list[Number]:
    """Compute how often measures disagree on the best models, and how ranks correlate."""
    rows = []
    for pair, agreement in tasks.agreements().items():
        first, three, correlation = DISAGREE[pair]
        name = "/".join(pair)
        rows += [
            Number(f"% other best, {name}", 100 * agreement.other_first, first, SIMULATED_TASKS),
            Number(
                *(f"% other top 3, {name}", 100 * agreement.other_top_three, three),
                SIMULATED_TASKS,
            ),
            Number(
                *(f"rank correlation, {name}", agreement.correlation, correlation),
                SIMULATED_TASKS,
            ),
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
    by_pr, by_prg = (tasks.ranks()[:, :, measure].ravel() for measure in (0, 1))
    bins = np.arange(0.5, tasks.MODELS + 1)
    *_, cells = left.hist2d(by_pr, by_prg, bins=[bins, bins], norm=LogNorm(), cmap="viridis_r")
    figure.colorbar(cells, ax=left, label="models", shrink=0.8)
    left.set(xlabel=f"rank of {AUPR}", ylabel=f"rank of {AUPRG}", aspect="equal")
    left.invert_xaxis()
    left.invert_yaxis()
    left.set_title(f"{tasks.TASKS} tasks of {tasks.MODELS} models")
    correlations = tasks.rank_correlations()
    for task, marker, colour in zip(tasks.at_quartiles(), "^o", (BLUE, VERMILLION), strict=True):
        pr, prg, _ = tasks.areas()[task].T
        label = f"task {task}, rank correlation {correlations[task]:.3f}"
        right.plot(pr, prg, marker, color=colour, fillstyle="none", label=label)
    right.set(xlabel=AUPR.name, ylabel=AUPRG.name, xlim=(0, 1), ylim=(0, 1), aspect="equal")
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


PATTERN = "*white*clover*.arff"
MAJORITY = "0<=WhiteClover-94<8.8225"

RANKINGS = {
    "AdaBoost": "101111101101100111111110100110000000011010000000100000000000000",
    "Logistic regression": "111111110011010101011101000110010100110000000010000000001000000",
}
"""Rankings of 25 positives and 38 negatives, as many as in the data, whose areas are the printed
ones; they were found by a search."""


def with_printed_areas() -> dict[str, OperatingPoints]:
    """Return rankings that have the printed areas."""
    return {
        name: OperatingPoints.from_scores([int(label) for label in row], -np.arange(len(row)))
        for name, row in RANKINGS.items()
    }


def clover_file(folder: Path) -> Path:
    """Return the file of the data inside a folder."""
    files = sorted(folder.rglob(PATTERN)) if folder.is_dir() else []
    if not files:
        raise FileError(
            f"there is no file {PATTERN} in {str(folder)!r}; give the folder that holds OpenML's "
            "or WEKA's white-clover data, or leave --data away"
        )
    return files[0]


@cache
def fitted(path: Path) -> dict[str, OperatingPoints]:
    """Fit both models to the data in ten stratified folds, and pool their scores.

    All classes except the largest are positive, as in OpenML's binary version of the data.
    """
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    data = read_data(path, pos_label=MAJORITY)
    data = LabelledData(data.features, ~data.positive)
    models = {
        "AdaBoost": AdaBoostClassifier(random_state=0),
        "Logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000)),
    }
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    points = {}
    for name, model in models.items():
        scores = cross_val_predict(model, *data, cv=folds, method="decision_function")
        points[name] = OperatingPoints.from_scores(data.positive, scores)
    return points


def clover_models(data: Path | None) -> dict[str, OperatingPoints]:
    """Return the two models of Figure 5, fitted to the data if a folder is given."""
    if data is None:
        return with_printed_areas()
    return fitted(clover_file(data))


def figure_5(data: Path | None) -> list[Number]:
    """Compute the areas of both models."""
    rows = []
    for name, points in clover_models(data).items():
        for measure, area, printed in zip(
            (AUPR.name, AUPRG.name),
            (points.pr.area(), points.prg.area()),
            PRINTED_AREAS[name],
            strict=True,
        ):
            reason = REFITTED if data else ""
            rows.append(Number(f"{measure}, {name}", area, printed, reason, fitted=not data))
        rows.append(Number(f"{AUROC}, {name}", points.roc.area()))
    return rows


def draw_figure_5(data: Path | None) -> Figure:
    """Draw both models in the three spaces."""
    figure, axes = panels(3, size=4.4)
    for ax, space in zip(axes, ("roc", "pr", "prg"), strict=True):
        curve_panel(ax, space, clover_models(data), hull=False, baseline=False)
        ax.set_title(TITLES[space])
    return figure


# ---------------------------------------------------------------------- the text


def text() -> list[Number]:
    """Check statements of the text about numbers of models, baselines and thresholds."""
    early = OperatingPoints.from_counts([4], [0], positives=10, negatives=10).f(0.5)
    labels = [int(label) for label in "1110111111011101001000101"]
    ranking = OperatingPoints.from_scores(labels, np.arange(25, 0, -1))
    thresholds = [
        float(ranking.thresholds[values.argmax()])
        for values in (ranking.accuracy(), ranking.f(0.25))
    ]
    return [
        Number(
            *("models in all tasks", 886.0 * 30, "25980"),
            "Section 4 has 886 tasks of 30 models, and 886 · 30 is 26,580 (errata, Flach and Kull, "
            "Section 4).",
        ),
        Number(
            "recall 0.4 < π = 0.5, in F of β = ½",
            "wins" if early[1] > early[-1] else "loses",
            "loses",
            f"Section 3.1 holds for β ≥ 1: a rule of precision 1 has {early[1]:.3f}, always "
            f"positive {early[-1]:.3f} (errata, Flach and Kull, Section 3.1).",
        ),
        Number(
            "threshold for β = ¼, to accuracy's",
            "lower" if thresholds[1] < thresholds[0] else "higher",
            "lower",
            f"Section 2.1 holds for β ≥ 1: a ranking of 25 labels has {thresholds[1]:g} for F and "
            f"{thresholds[0]:g} for accuracy (errata, Flach and Kull, Section 2.1).",
        ),
    ]


# ---------------------------------------------------------------------- all of it

THEOREMS = {
    "0": (f"Expected accuracy and {AUROC}", theorems.theorem_0),
    "1": ("Interpolation is linear in PRG space", theorems.theorem_1),
    "2": ("F gain is linear in both gains", theorems.theorem_2),
    "3": (f"Expected F₁ gain and {AUPRG}", theorems.theorem_3),
    "4": ("The β² at which two points have equal F", theorems.theorem_4),
}


def items(data: Path | None = None) -> list[Item]:
    """Return all figures and theorems of the paper, in its order.

    Parameters
    ----------
    data
        A folder with the white-clover data, for Figure 5.
    """
    return [
        Item(
            *(PAPER, "Fig. 1", "ROC and PR curve with their non-dominated points"),
            "A ROC curve below its dashed hull, and the PR curve of the same ranking; circles mark "
            "points that no other one dominates.",
            *(figure_1, draw_figure_1, RECONSTRUCTED),
        ),
        Item(
            *(PAPER, "Fig. 2", "F₁ isometrics in PR and in PRG space"),
            "Lines of equal F₁ are hyperbolas in PR space and parallel straight lines in PRG "
            "space, where the baseline is the minor diagonal.",
            *(figure_2, draw_figure_2, RECONSTRUCTED),
        ),
        Item(
            *(PAPER, "Fig. 3", "Scores calibrated for accuracy and for F"),
            "The hull in both spaces, each segment labelled with its calibrated score, over the "
            "points of a regular grid of the other space.",
            *(figure_3, draw_figure_3, RECONSTRUCTED),
        ),
        Item(
            *(PAPER, "Fig. 4", f"Ranks by {AUPRG} and by {AUPR}"),
            "A map of how often models have a pair of ranks, dense along its diagonal; and "
            f"{AUPRG} over {AUPR} for the models of two tasks.",
            *(figure_4, draw_figure_4, SIMULATED_TASKS),
        ),
        Item(
            *(PAPER, "Fig. 5", "AdaBoost and logistic regression on white clover"),
            "Two models in ROC, PR and PRG space.",
            lambda: figure_5(data),
            lambda: draw_figure_5(data),
            REFITTED
            if data
            else "The runs are not public here, and no folder with the data was given: two "
            "rankings of as many rows, found by a search, carry the four printed areas.",
        ),
        *(
            Item(
                *(PAPER, f"Th. {number}", title),
                "There is nothing to draw: both sides are computed in exact fractions on "
                f"{theorems.TABLES} random tables.",
                check,
            )
            for number, (title, check) in THEOREMS.items()
        ),
        Item(
            *(PAPER, "text", "Numbers and statements of the text"),
            "There is nothing to draw: statements are checked.",
            text,
        ),
    ]
