"""Draw the pictures of the documentation into ``docs/images``, as SVG.

Run from the root of the repository, as ``make docs`` does. Colours are those of Okabe and Ito,
which colour-blind readers can tell apart; line styles and markers differ too, for grey print.
"""

from pathlib import Path

import matplotlib as mpl
import numpy as np

import isometrics as iso

mpl.use("svg")
import matplotlib.pyplot as plt

IMAGES = Path("docs/images")

BLACK, BLUE, ORANGE, GREEN = "#000000", "#0072B2", "#D55E00", "#009E73"
GREY = "0.45"

LABELS = [int(label) for label in "1110111111011101001000101"]

AXES = {
    "roc": ("false positive rate", "true positive rate"),
    "pr": ("recall", "precision"),
    "prg": ("recall gain", "precision gain"),
}
TITLES = {"roc": "ROC", "pr": "precision-recall", "prg": "precision-recall-gain"}

# ---------------------------------------------------------------------- the examples


def small() -> iso.OperatingPoints:
    """Return the ranking of 25 labels that the pages use."""
    return iso.OperatingPoints.from_scores(LABELS, np.arange(25, 0, -1))


def binormal(rows: int, seed: int, shift: float = 1.5) -> iso.OperatingPoints:
    """Return a sample of normal scores whose positives lie higher, with 20% of them."""
    rng = np.random.default_rng(seed)
    labels = np.arange(rows) < rows // 5
    return iso.OperatingPoints.from_scores(labels, rng.normal(shift * labels))


def one_point() -> iso.OperatingPoints:
    """Return the curve of Davis & Goadrich (2006), Figure 6: one point of recall 0.02."""
    return iso.OperatingPoints.from_counts([9], [0], positives=433, negatives=56_164)


def dented() -> iso.OperatingPoints:
    """Return four distant points, the second of which has a lower precision than the third."""
    return iso.OperatingPoints.from_counts(
        [4, 5, 12, 20], [0, 20, 24, 200], positives=20, negatives=200
    )


# ---------------------------------------------------------------------- parts of a picture


def traced(points: iso.OperatingPoints, steps: int) -> iso.OperatingPoints:
    """Return the same way through the counts, each segment cut into steps."""
    rows = np.linspace(0, len(points) - 1, (len(points) - 1) * steps + 1)
    return iso.OperatingPoints.from_counts(
        np.interp(rows, np.arange(len(points)), points.tp),
        np.interp(rows, np.arange(len(points)), points.fp),
        positives=points.positives,
        negatives=points.negatives,
    )


def frame(axes: plt.Axes, space: str, low: float = 0.0) -> None:
    x, y = AXES[space]
    margin = 0.03
    axes.set(xlabel=x, ylabel=y, xlim=(low - margin, 1 + margin), ylim=(low - margin, 1 + margin))
    axes.set_aspect("equal")
    axes.grid(color="0.92", linewidth=0.8)
    axes.set_axisbelow(True)


def baseline(axes: plt.Axes, space: str, prevalence: float) -> None:
    """Draw what can be had without a model."""
    if space == "roc":
        axes.plot([0, 1], [0, 1], ":", color=GREY)
    elif space == "pr":
        recall = np.linspace(prevalence / (2 - prevalence) + 1e-9, 1, 200)
        axes.plot(recall, always_positive(recall, prevalence), ":", color=GREY)
    else:
        axes.plot([-1, 2], [2, -1], ":", color=GREY)


def always_positive(recall: np.ndarray, prevalence: float) -> np.ndarray:
    """Return the precision at which F1 equals that of the always-positive rule."""
    return same_f1(recall, 2 * prevalence / (1 + prevalence))


def same_f1(recall: np.ndarray, f1: float) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = 1 / (2 / f1 - 1 / recall)
    return np.where((precision > 0) & (precision <= 1), precision, np.nan)


def save(figure: plt.Figure, name: str) -> None:
    figure.savefig(IMAGES / f"{name}.svg", metadata={"Date": None}, facecolor="white")
    plt.close(figure)


# ---------------------------------------------------------------------- the pictures


def spaces(points: iso.OperatingPoints, *, rows_shown: bool) -> plt.Figure:
    """Draw the same points, curve and hull in the three spaces."""
    figure, panels = plt.subplots(1, 3, figsize=(11.5, 4.6), layout="constrained")
    hull, steps = points.hull(), 30 if rows_shown else 1
    for axes, space in zip(panels, AXES, strict=True):
        frame(axes, space, low=-0.3 if rows_shown and space == "prg" else 0.0)
        baseline(axes, space, points.prevalence)
        curve, roof = getattr(traced(points, steps), space), getattr(traced(hull, 30), space)
        axes.plot(curve.x, curve.y, color=BLUE, linewidth=1.4, label="curve")
        axes.plot(roof.x, roof.y, "--", color=ORANGE, linewidth=1.6, label="hull")
        here, corners = getattr(points, space), getattr(hull, space)
        if rows_shown:
            axes.plot(here.x, here.y, ".", color=BLUE, markersize=5, label="operating points")
        axes.plot(
            corners.x, corners.y, "s", color=ORANGE, fillstyle="none", label="vertices of the hull"
        )
        axes.plot([], [], ":", color=GREY, label="baseline")
        axes.set_title(TITLES[space])
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=5, frameon=False)
    return figure


def isometrics() -> plt.Figure:
    """Draw lines of equal F1 in PR and PRG space, the baseline and what cannot be achieved."""
    prevalence = 0.3
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 5.6), layout="constrained")
    recall = np.linspace(1e-3, 1, 600)
    frame(left, "pr")
    lowest = prevalence * recall / (1 - prevalence + prevalence * recall)
    left.fill_between(recall, lowest, color="0.8", hatch="//", edgecolor="0.6", linewidth=0)
    left.plot(recall, always_positive(recall, prevalence), color=BLACK, linewidth=1.8)
    frame(right, "prg")
    right.plot([0, 1], [1, 0], color=BLACK, linewidth=1.8, label="F1 of the always-positive rule")
    for f1 in (0.55, 0.65, 0.75, 0.85, 0.95):
        gain = (f1 - prevalence) / ((1 - prevalence) * f1)
        left.plot(recall, same_f1(recall, f1), "--", color=BLUE, linewidth=1.2)
        left.annotate(
            f"{f1}",
            (f1, f1),
            ha="center",
            va="center",
            fontsize=8,
            color=BLUE,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )
        right.plot([2 * gain - 1, 1], [1, 2 * gain - 1], "--", color=BLUE, linewidth=1.2)
        right.annotate(
            f"{f1}",
            (gain, gain),
            ha="center",
            va="center",
            fontsize=8,
            color=BLUE,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )
    right.plot([], [], "--", color=BLUE, label="equal F1")
    right.fill_between(
        [], [], color="0.8", hatch="//", edgecolor="0.6", linewidth=0, label="cannot be achieved"
    )
    for axes in (left, right):
        axes.plot(1, prevalence if axes is left else 0, "o", color=ORANGE, clip_on=False, zorder=5)
    right.plot([], [], "o", color=ORANGE, label="always positive")
    left.set_title(f"precision-recall, prevalence {prevalence}")
    right.set_title("precision-recall-gain")
    handles, names = right.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=4, frameon=False)
    return figure


def interpolation() -> plt.Figure:
    """Draw the curved and the straight way between two distant points."""
    points = one_point()
    recall = np.geomspace(points.recall[1], 1, 300)
    straight = np.interp(recall, points.recall[1:], points.precision[1:])
    figure, axes = plt.subplots(figsize=(6.0, 5.0), layout="constrained")
    frame(axes, "pr")
    exact, linear = points.pr.area(), points.pr.area("linear")
    axes.plot(
        recall,
        straight,
        "--",
        color=ORANGE,
        linewidth=1.8,
        label=f"straight line, area {linear:.3f}",
    )
    axes.plot(
        recall,
        points.pr.interpolate(recall),
        color=BLUE,
        linewidth=1.8,
        label=f"achievable curve, area {exact:.3f}",
    )
    axes.fill_between(recall, points.pr.interpolate(recall), straight, color=ORANGE, alpha=0.12)
    axes.plot(points.recall[1:], points.precision[1:], "o", color=BLACK, label="operating points")
    axes.legend(loc="upper right")
    return figure


def pr_areas() -> plt.Figure:
    """Draw what each of the five areas integrates, on the same four points."""
    points = dented()
    areas = points.pr.areas()
    x, y = np.append(0, points.recall[1:]), np.append(points.precision[1], points.precision[1:])
    recall = np.linspace(0, 1, 401)
    whole = np.arange(points.positives + 1) / points.positives
    ahead = np.maximum.accumulate(y[::-1])[::-1]
    end = np.searchsorted(x, recall, "left")
    lines = {
        "davis-goadrich": points.pr.interpolate(recall),
        "average-precision": y[end],
        "linear": np.interp(recall, x, y),
        "integer-steps": np.interp(recall, whole, points.pr.interpolate(whole)),
        "max-precision": ahead[end],
    }
    figure, panels = plt.subplots(1, 5, figsize=(13.5, 3.4), sharey=True, layout="constrained")
    for axes, (name, area) in zip(panels, areas.items(), strict=True):
        frame(axes, "pr")
        axes.fill_between(recall, lines[name], color=BLUE, alpha=0.18)
        axes.plot(recall, lines[name], color=BLUE, linewidth=1.6)
        if name == "integer-steps":
            axes.plot(whole, points.pr.interpolate(whole), "|", color=BLUE, markersize=6)
        axes.plot(x[1:], y[1:], "o", color=BLACK, markersize=4)
        axes.set_title(f"{name}\n{area:.4f}", fontsize=10)
    for axes in panels[1:]:
        axes.set_ylabel("")
    return figure


def tuning_and_test() -> plt.Figure:
    """Draw a hull chosen on tuning data, and what its thresholds do on test data."""
    tuning, test = binormal(300, seed=3), binormal(300, seed=4)
    hull = tuning.hull()
    judged = test.at(hull.thresholds)
    figure, panels = plt.subplots(1, 2, figsize=(9.6, 5.6), layout="constrained")
    for axes, space in zip(panels, ("roc", "pr"), strict=True):
        frame(axes, space)
        baseline(axes, space, tuning.prevalence)
        curve, roof = getattr(test, space), getattr(traced(hull, 30), space)
        corners, points = getattr(hull, space), getattr(judged, space)
        axes.plot(roof.x, roof.y, "--", color=ORANGE, linewidth=1.6)
        axes.plot(corners.x, corners.y, "s", color=ORANGE, fillstyle="none")
        axes.plot(curve.x, curve.y, color=BLUE, linewidth=1.0)
        axes.plot(points.x, points.y, "^", color=BLUE, markersize=7)
        axes.set_title(TITLES[space])
    panels[0].plot([], [], "s--", color=ORANGE, fillstyle="none", label="hull of the tuning data")
    panels[0].plot([], [], "-", color=BLUE, label="curve of the test data")
    panels[0].plot([], [], "^", color=BLUE, label="its points at the hull's thresholds")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3, frameon=False)
    return figure


PICTURES = {
    "spaces-small": lambda: spaces(small(), rows_shown=True),
    "spaces-large": lambda: spaces(binormal(2000, seed=1), rows_shown=False),
    "isometrics": isometrics,
    "interpolation": interpolation,
    "pr-areas": pr_areas,
    "tuning-and-test": tuning_and_test,
}


def main() -> None:
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "docs", "font.size": 10})
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name, picture in PICTURES.items():
        save(picture(), name)
    print(f"Drew {len(PICTURES)} pictures into {IMAGES}")


if __name__ == "__main__":
    main()
