"""Davis & Goadrich (2006): every figure, table and theorem."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from matplotlib.transforms import Bbox

from isometrics.measures import AUPR, AUROC
from isometrics.plot.frame import BLACK, BLUE, VERMILLION, frame
from isometrics.points import OperatingPoints
from isometrics_studies.papers.item import BY_FORMULA, Item, Number
from isometrics_studies.papers.panels import (
    curve_panel,
    legend_below,
    named_point,
    panels,
    rows_marked,
    two_spaces,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from isometrics._core.arrays import Floats


PAIRS = 300
POSITIVES, NEGATIVES = 5, 8
_TOLERANCE = 1e-12
_OFFSET = 1e-6
"""Smaller than the distance of any crossing from a count: these are fractions of small integers."""


class ClaimCounts(NamedTuple):
    """The number of pairs in which the first dominates, and how many contradict the claim."""

    dominating: int
    against: int


@cache
def claim(space: str, other: str) -> ClaimCounts:
    """Count pairs of rankings where the first dominates in one space and not in the other.

    Dominance is checked in each space separately, at equal false positive rates (ROC) or at equal
    recalls (PR).
    """
    pairs = [pair for pair in _pairs() if dominates(space, *pair)]
    return ClaimCounts(len(pairs), sum(not dominates(other, *pair) for pair in pairs))


def dominates(space: str, first: OperatingPoints, second: OperatingPoints) -> bool:
    """Return whether the first curve is nowhere below the second in a space.

    Between neighbouring counts one kind of count is linear in the other, so it is enough to
    compare the curves at every count and close to it, on both sides of a jump.
    """
    total = NEGATIVES if space == "roc" else POSITIVES
    counts = np.arange(total + 1)
    positions: Floats = np.concatenate([counts, counts[:-1] + _OFFSET, counts[1:] - _OFFSET])
    positions /= total
    if space == "pr":
        positions = positions[positions > 0]  # precision may be undefined at 0 true positives
    heights = [getattr(points, space).interpolate(positions) for points in (first, second)]
    return bool((heights[0] >= heights[1] - _TOLERANCE).all())


def _pairs() -> Iterator[tuple[OperatingPoints, OperatingPoints]]:
    """Yield pairs of rankings with ties; in half of them the second is a worse copy."""
    rng = np.random.default_rng(32)
    labels = np.arange(POSITIVES + NEGATIVES) < POSITIVES
    for number in range(PAIRS):
        scores = rng.integers(0, 10, labels.size) + 3 * labels
        if number % 2:
            others = rng.integers(0, 10, labels.size) + 2 * labels
        else:
            others = scores - labels * rng.integers(0, 4, labels.size)
        yield (
            OperatingPoints.from_scores(labels, scores),
            OperatingPoints.from_scores(labels, others),
        )


INTERPOLATED = {5: "0.500", 6: "0.375", 7: "0.318", 8: "0.286", 9: "0.265", 10: "0.250"}
"""Table 1: the precision at each number of true positives between two points."""

# ---------------------------------------------------------------------- Table 1


def _interpolated() -> OperatingPoints:
    return OperatingPoints.from_counts([5, 10], [5, 30], positives=20, negatives=2000)


def table_1() -> list[Number]:
    """Compute precision and recall between the points A (5, 5) and B (10, 30)."""
    between = _interpolated().pr
    rows = []
    for tp, printed in INTERPOLATED.items():
        recall = tp / 20
        precision = float(between.interpolate(recall))
        rows += [
            Number(f"FP at TP {tp}", tp / precision - tp, str(5 * tp - 20), within=1e-9),
            Number(f"recall at TP {tp}", recall, f"{recall:.2f}"),
            Number(f"precision at TP {tp}", precision, printed),
        ]
    return rows


def draw_table_1() -> Figure:
    """Draw the interpolation between the two points, as a curve and as a straight line."""
    points = _interpolated()
    figure, (ax,) = panels(1, size=5.2)
    frame(ax, "pr")
    recall = np.linspace(0.25, 0.5, 201)
    ax.plot([0.25, 0.5], [0.5, 0.25], "--", color=VERMILLION, label="straight line (wrong)")
    ax.plot(recall, points.pr.interpolate(recall), color=BLUE, label="interpolated counts")
    steps = np.arange(6, 10) / 20
    ax.plot(steps, points.pr.interpolate(steps), "o", color=BLUE, label="rows of the table")
    named_point(ax, 0.25, 0.5, "A", (-14, 4))
    named_point(ax, 0.5, 0.25, "B", (8, -4))
    ax.set(xlim=(0.2, 0.55), ylim=(0.2, 0.55))
    ax.legend(loc="upper right")
    return figure


# ---------------------------------------------------------------------- Figures 6 and 7


def one_point(tp: float = 9) -> OperatingPoints:
    """Return one point of recall 0.02 and precision 1 among 433 positives."""
    return OperatingPoints.from_counts([tp], [0], positives=433, negatives=56_164)


ENDS = (
    "Rounded ends give the printed area: 9 true positives instead of 8.66, precision 0.008 at "
    "recall 1 instead of 0.00765, and integer steps (errata, Davis and Goadrich, Figure 6)."
)
STRAIGHT = (
    "One straight line from (0, 1) to (1, 0.008) has the printed area, straight lines by way of "
    "the point do not (errata, Davis and Goadrich, Figure 6)."
)
END = 0.008
"""The precision at recall 1, as the paper rounds it."""


def figure_6() -> list[Number]:
    """Compute the area under the curve through one point, curved and straight."""
    integer, fractional = one_point(), one_point(8.66)
    rounded = OperatingPoints.from_counts(
        [9], [0], positives=433, negatives=round(433 * (1 - END) / END)
    )
    return [
        Number(f"{AUPR}, rounded ends, integer steps", rounded.pr.area("integer-steps"), "0.031"),
        Number(f"{AUPR}, TP 9, exact", integer.pr.area(), "0.031", ENDS),
        Number(f"{AUPR}, TP 9, integer steps", integer.pr.area("integer-steps"), "0.031", ENDS),
        Number(f"{AUPR}, TP 8.66, exact", fractional.pr.area(), "0.031", ENDS),
        Number(
            f"{AUPR}, TP 8.66, integer steps", fractional.pr.area("integer-steps"), "0.031", ENDS
        ),
        Number("area, one line from (0, 1)", (1 + END) / 2, "0.50"),
        Number("area, straight lines by the point", integer.pr.area("linear"), "0.50", STRAIGHT),
        Number("precision at recall 1", integer.prevalence, "0.008"),
    ]


def draw_figure_6() -> Figure:
    """Draw the correct curve and the straight line from the point to the end."""
    points = one_point()
    recall = np.geomspace(points.recall[1], 1, 300)
    curved = points.pr.interpolate(recall)
    straight = np.interp(recall, points.recall[1:], points.precision[1:])
    figure, (ax,) = panels(1, size=5.2)
    frame(ax, "pr")
    first = [0, points.recall[1]]
    for y, look, name, method in (
        (curved, "-", "correct", "davis-goadrich"),
        (straight, "--", "incorrect", "linear"),
    ):
        colour = BLUE if name == "correct" else VERMILLION
        label = f"{name}, area {points.pr.area(method):.3f}"
        ax.plot([*first, *recall], [1, 1, *y], look, color=colour, linewidth=1.8, label=label)
    ax.plot(points.recall[1:], points.precision[1:], "o", color=BLACK, label="operating points")
    ax.legend(loc="upper right")
    return figure


def figure_7_curves() -> dict[str, OperatingPoints]:
    """Return two curves of which each has the larger area in one space."""
    counts = {"Curve I": ([9, 13, 20], [0, 84, 2000]), "Curve II": ([20], [500])}
    return {
        name: OperatingPoints.from_counts(tp, fp, positives=20, negatives=2000)
        for name, (tp, fp) in counts.items()
    }


def figure_7() -> list[Number]:
    """Compute both areas of both curves."""
    printed = {"Curve I": ("0.813", "0.514"), "Curve II": ("0.875", "0.038")}
    return [
        Number(f"{measure}, {name}", area, text, fitted=name == "Curve I")
        for name, points in figure_7_curves().items()
        for measure, area, text in zip(
            (AUROC.name, AUPR.name),
            (points.roc.area(), points.pr.area()),
            printed[name],
            strict=True,
        )
    ]


def draw_figure_7() -> Figure:
    """Draw both curves in ROC and PR space."""
    return two_spaces(figure_7_curves())


PAPER = "DG06"

# ---------------------------------------------------------------------- Figure 1


@cache
def skewed() -> dict[str, OperatingPoints]:
    """Simulate two algorithms on rare positives that have about the same AUROC."""
    rng = np.random.default_rng(2006)
    labels = np.arange(60_500) < 500
    noise = rng.normal(size=(2, labels.size))
    scores = {
        "Algorithm 1": noise[0] + 2.17 * labels,
        "Algorithm 2": noise[1] * np.where(labels, 1.6, 1.0) + 2.9 * labels,
    }
    return {name: OperatingPoints.from_scores(labels, values) for name, values in scores.items()}


def figure_1() -> list[Number]:
    """Compute the areas of both algorithms in both spaces."""
    return [
        Number(f"{measure}, {name}", area)
        for name, points in skewed().items()
        for measure, area in ((AUROC.name, points.roc.area()), (AUPR.name, points.pr.area()))
    ]


def draw_figure_1() -> Figure:
    """Draw both algorithms in ROC and PR space."""
    return two_spaces(skewed())


# ---------------------------------------------------------------------- Figure 2


def figure_2() -> list[Number]:
    """Compute the four metrics of one matrix, the point A of Table 1."""
    at_a = OperatingPoints.from_counts([5], [5], positives=20, negatives=2000)
    tpr, fpr = at_a.roc.y[1], at_a.roc.x[1]
    return [
        Number("recall", float(at_a.recall[1])),
        Number("precision", float(at_a.precision[1])),
        Number("false positive rate", float(fpr)),
        Number.claimed("recall less true positive rate", float(at_a.recall[1] - tpr)),
    ]


def draw_figure_2() -> Figure:
    """Draw the matrix of the point A and the definitions, with its numbers."""
    figure, (left, right) = panels(2, size=4.8)
    figure.set_size_inches(9.6, 3.2)
    for ax in (left, right):
        ax.set_axis_off()
    cells = [["TP = 5", "FP = 5"], ["FN = 15", "TN = 1995"]]
    table = left.table(
        cells,
        rowLabels=["predicted\npositive", "predicted\nnegative"],
        colLabels=["actual\npositive", "actual\nnegative"],
        cellLoc="center",
        bbox=Bbox.from_bounds(0.22, 0.1, 0.78, 0.8),
    )
    table.set_fontsize(11)
    lines = (
        r"Recall = $\frac{TP}{TP + FN} = \frac{5}{20}$ = 0.25",
        r"Precision = $\frac{TP}{TP + FP} = \frac{5}{10}$ = 0.5",
        r"True positive rate = $\frac{TP}{TP + FN}$ = 0.25",
        r"False positive rate = $\frac{FP}{FP + TN} = \frac{5}{2000}$ = 0.0025",
    )
    for height, line in zip((0.85, 0.61, 0.37, 0.13), lines, strict=True):
        right.text(0.0, height, line, fontsize=12, va="center", transform=right.transAxes)
    return figure


# ---------------------------------------------------------------------- Figures 3 and 4

DOMINATING = ([8, 14, 18], [1, 4, 10])
DOMINATED = {"lies below": ([4, 9, 15], [2, 6, 12]), "meets": ([4, 14, 16], [2, 4, 12])}
AT = {"lies below": 0.6, "meets": 0.7}
"""The recall at which the points A and B are marked."""


def _small(tp: list[int], fp: list[int]) -> OperatingPoints:
    return OperatingPoints.from_counts(tp, fp, positives=20, negatives=20)


def _fpr(points: OperatingPoints, recall: float) -> float:
    precision = float(points.pr.interpolate(recall))
    return recall * (1 - precision) / precision * float(points.positives / points.negatives)


def draw_cases(space: str) -> Figure:
    """Draw the two cases of a claim of Theorem 3.2: A is worse than B, or equal to it."""
    figure, axes = panels(2)
    first = _small(*DOMINATING)
    for ax, (case, counts) in zip(axes, DOMINATED.items(), strict=True):
        second = _small(*counts)
        curves = {"Curve I": first, "Curve II": second}
        curve_panel(ax, space, curves, hull=False, baseline=False, legend=False)
        _mark_case(ax, space, first, second, AT[case])
        ax.set_title(f"Curve II {case}{' Curve I' * (case == 'meets')}")
    legend_below(figure, axes[0], 2)
    return figure


def _mark_case(
    ax: Axes, space: str, first: OperatingPoints, second: OperatingPoints, recall: float
) -> None:
    coordinates = []
    for points in (second, first):
        height = float(points.pr.interpolate(recall))
        coordinates.append((_fpr(points, recall), recall) if space == "roc" else (recall, height))
    a, b = coordinates
    if a == b:
        named_point(ax, *b, "B = A", (-48, 8) if space == "roc" else (8, 8))
        return
    ax.plot(*zip(a, b, strict=True), ":", color=BLACK, linewidth=1.0)
    named_point(ax, *a, "A", (8, -12) if space == "roc" else (-14, -10))
    named_point(ax, *b, "B", (-14, 6) if space == "roc" else (8, 4))


def _claims(counts: ClaimCounts, spaces: tuple[str, str]) -> list[Number]:
    return [
        Number(f"pairs that dominate in {spaces[0]}", float(counts.dominating)),
        Number.claimed(f"of these, not in {spaces[1]}", float(counts.against)),
    ]


def figure_3() -> list[Number]:
    """Count pairs of rankings against claim 1: dominance in ROC space holds in PR space."""
    return _claims(claim("roc", "pr"), ("ROC", "PR"))


def figure_4() -> list[Number]:
    """Count pairs of rankings against claim 2: dominance in PR space holds in ROC space."""
    return [
        *_claims(claim("pr", "roc"), ("PR", "ROC")),
        Number(
            *("claim 2 supposes", "FPR(A) < FPR(B)", "FPR(A) < TPR(B)"),
            "A slip: the proof itself uses FPR(A) < FPR(B) (errata, Davis and Goadrich, "
            "Theorem 3.2, claim 2).",
        ),
    ]


# ---------------------------------------------------------------------- Figure 5


def dented() -> OperatingPoints:
    """Return four distant points, the second of which lies below the hull."""
    return OperatingPoints.from_counts(
        [4, 5, 12, 20], [0, 20, 24, 200], positives=20, negatives=200
    )


def figure_5() -> list[Number]:
    """Compute the areas of the curve through all points and of the hull."""
    points = dented()
    hull = points.hull()
    dropped = len(points) - len(hull)
    recall = np.linspace(0, 1, 2001)[1:]
    lead = hull.pr.interpolate(recall) - points.pr.interpolate(recall)
    return [
        Number(f"{AUROC}, all points", points.roc.area()),
        Number(f"{AUROC}, hull", hull.roc.area()),
        Number(f"{AUPR}, all points", points.pr.area()),
        Number(f"{AUPR}, achievable curve", hull.pr.area()),
        Number(f"{AUPR}, straight lines", points.pr.area("linear")),
        Number("points below the hull", float(dropped)),
        Number.claimed("places above the achievable one", float((lead < -1e-12).sum())),
    ]


def draw_figure_5() -> Figure:
    """Draw the hull in ROC space, both curves there, and both in PR space."""
    points = dented()
    hull = points.hull()
    figure, axes = panels(3, size=4.2)
    for ax, space, curve in zip(axes, ("roc", "roc", "pr"), (False, True, True), strict=True):
        options = {"legend": False, "baseline": False}
        if curve:
            curve_panel(ax, space, points, **options)
        else:
            frame(ax, space)
            ax.plot(hull.roc.x, hull.roc.y, "--", color=VERMILLION, label="hull")
        rows_marked(ax, space, points, color=BLUE, label="points", zorder=4)
    for ax, title in zip(
        axes,
        ("(a) convex hull in ROC space", "(b) curves in ROC space", "(c) the same in PR space"),
        strict=True,
    ):
        ax.set_title(title)
    legend_below(figure, axes[2], 3)
    return figure


# ---------------------------------------------------------------------- the text


def printed_rule(labels: list[int], scores: list[float]) -> int:
    """Return the number of thresholds by the rule of section 3, for rows sorted by score."""
    rows = pairwise(zip(labels, scores, strict=True))
    return sum(label != following and low < high for (label, low), (following, high) in rows)


def text() -> list[Number]:
    """Compute what section 3 says about thresholds, under ties."""
    labels, scores = [0, 0, 1, 1], [0.1, 0.5, 0.5, 0.9]
    points = OperatingPoints.from_scores(labels, scores)
    return [
        Number(
            "thresholds, scores with a tie",
            float(len(points) - 1),
            str(printed_rule(labels, scores)),
            "The rule of section 3 compares neighbours of the sorted list and misses thresholds "
            "under ties; here there is one for each distinct score (errata, Davis and Goadrich, "
            "Section 3).",
            source=BY_FORMULA,
        )
    ]


# ---------------------------------------------------------------------- all of it


def items() -> list[Item]:
    """Return all figures and tables of the paper, in its order."""
    about_points = "The paper does not give the points; ours are chosen so that the picture shows"
    return [
        Item(
            *(PAPER, "Fig. 1", "Two algorithms in ROC and in PR space"),
            "Two curves that nearly coincide in ROC space; in PR space the second lies far above "
            "the first at low recall.",
            *(figure_1, draw_figure_1),
            "The cancer data are not public: 500 positives among 60,500 simulated rows, with "
            f"normal scores of nearly equal {AUROC} and different spread.",
        ),
        Item(
            *(PAPER, "Fig. 2", "Confusion matrix and metrics"),
            "A matrix of two rows and two columns beside the definitions of recall, precision and "
            "the two rates; the numbers are those of point A of Table 1.",
            *(figure_2, draw_figure_2),
        ),
        Item(
            *(PAPER, "Fig. 3", "Theorem 3.2, claim 1: from ROC to PR space"),
            "Two panels in ROC space: curve I above curve II with A right of B at equal recall; "
            "and curve II meeting curve I, where A and B are one point.",
            *(figure_3, lambda: draw_cases("roc")),
            f"{about_points} the two cases. The counts are of seeded random pairs of rankings.",
        ),
        Item(
            *(PAPER, "Fig. 4", "Theorem 3.2, claim 2: from PR to ROC space"),
            "The curves of Figure 3 in PR space: A below B at equal recall, and A and B at one "
            "point.",
            *(figure_4, lambda: draw_cases("pr")),
            f"{about_points} the two cases. The counts are of seeded random pairs of rankings.",
        ),
        Item(
            *(PAPER, "Fig. 5", "The convex hull and the achievable PR curve"),
            "The hull of four points in ROC space; the curve through all points below it; and both "
            "in PR space, where neither is made of straight lines.",
            *(figure_5, draw_figure_5),
            f"{about_points} one of them below the hull.",
        ),
        Item(
            *(PAPER, "Table 1", "Interpolation between two points"),
            "The precision between A at recall 0.25 and B at recall 0.5 bends below the straight "
            "line.",
            *(table_1, draw_table_1),
        ),
        Item(
            *(PAPER, "Fig. 6", "The effect of incorrect interpolation"),
            "From a point of recall 0.02 and precision 1 the correct curve falls at once to almost "
            "0; the straight line cuts the square in half.",
            *(figure_6, draw_figure_6),
        ),
        Item(
            *(PAPER, "Fig. 7", "Areas in both spaces prefer different curves"),
            "Curve II has the larger area in ROC space; in PR space it lies at the bottom, and "
            "curve I reaches precision 1.",
            *(figure_7, draw_figure_7),
            "The points of curve I are not given: (9, 0), (13, 84) and (20, 2000) true and false "
            "positives carry both of its printed areas.",
        ),
        Item(
            *(PAPER, "text", "The rule for thresholds"),
            "There is nothing to draw: a rule is applied to four rows with one tie.",
            text,
        ),
    ]
