"""Davis & Goadrich (2006): interpolation and areas, in Table 1 and Figures 6 and 7."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isometrics.plot.frame import frame
from isometrics.plot.styles import BLACK, BLUE, VERMILLION
from isometrics.points import OperatingPoints
from isometrics.studies.papers.item import Number
from isometrics.studies.papers.panels import named_point, panels, two_spaces

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    """Draw the way between the two points, curved and straight."""
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
    whole, cut = one_point(), one_point(8.66)
    rounded = OperatingPoints.from_counts(
        [9], [0], positives=433, negatives=round(433 * (1 - END) / END)
    )
    return [
        Number("AUPR, rounded ends, integer steps", rounded.pr.area("integer-steps"), "0.031"),
        Number("AUPR, TP 9, exact", whole.pr.area(), "0.031", ENDS),
        Number("AUPR, TP 9, integer steps", whole.pr.area("integer-steps"), "0.031", ENDS),
        Number("AUPR, TP 8.66, exact", cut.pr.area(), "0.031", ENDS),
        Number("AUPR, TP 8.66, integer steps", cut.pr.area("integer-steps"), "0.031", ENDS),
        Number("area, one line from (0, 1)", (1 + END) / 2, "0.50"),
        Number("area, straight lines by the point", whole.pr.area("linear"), "0.50", STRAIGHT),
        Number("precision at recall 1", whole.prevalence, "0.008"),
    ]


def draw_figure_6() -> Figure:
    """Draw the curved and the straight way from one point to the end."""
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
            ("AUROC", "AUPR"), (points.roc.area(), points.pr.area()), printed[name], strict=True
        )
    ]


def draw_figure_7() -> Figure:
    """Draw both curves in ROC and PR space."""
    return two_spaces(figure_7_curves())
