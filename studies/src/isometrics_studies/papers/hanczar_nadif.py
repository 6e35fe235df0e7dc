"""Hanczar & Nadif: all of it; the indices and the experiments are in modules of their own."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from isometrics.plot.frame import BLACK, frame
from isometrics.plot.spaces import unachievable
from isometrics.plot.tradeoff import tradeoff
from isometrics.points import OperatingPoints
from isometrics.spaces.indices import index_named
from isometrics_studies.papers import hanczar_nadif_experiments as experiments
from isometrics_studies.papers import hanczar_nadif_indices as indices
from isometrics_studies.papers.item import BY_FORMULA, Item, Number
from isometrics_studies.papers.panels import named_point, panels, undominated

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = experiments.PAPER
INDICES = experiments.INDICES
CLUSTERS = indices.CLUSTERS

MADE_UP = "The authors do not give the points; ours are made up, a target of 200 among 1000."

# ---------------------------------------------------------------------- Figures 1 and 4


@cache
def one_algorithm() -> OperatingPoints:
    """Return the clusters of an algorithm, by size, for a target of 200 among 1000 elements.

    Two clusters are worse than others in both precision and recall.
    """
    tp_by_size = {20: 19, 50: 42, 90: 68, 120: 72, 170: 107, 260: 139, 330: 138, 450: 171, 700: 191}
    tp, sizes = np.array(list(tp_by_size.values())), np.array(list(tp_by_size))
    return OperatingPoints.from_counts(
        tp, sizes - tp, positives=200, negatives=800, labels=sizes.tolist()
    )


def figure_1() -> list[Number]:
    """Compute the lowest achievable precision, and the rates of the trivial clusters."""
    points = one_algorithm()
    share, recall = points.prevalence, 0.5
    lowest = share * recall / (1 - share + share * recall)
    # The worst cluster with half of the target contains all other elements, too.
    worst = OperatingPoints.from_counts([100], [800], positives=200, negatives=800)
    return [
        Number(
            "lowest precision at recall 0.5",
            float(worst.precision[1]),
            f"{share * recall:g}",
            "The bound pre ≥ π·rec lies too low; it is π·rec/(1 - π + π·rec) "
            "(errata, Hanczar and Nadif, Section 3).",
            within=1e-9,
            source=BY_FORMULA,
        ),
        Number("the same by the right formula", lowest),
        Number("precision of the maximal cluster", share),
        Number("recall of the minimal cluster", 1 / 200),
        Number("dominant points", float(undominated(points.recall, points.precision).sum())),
    ]


def draw_figure_1() -> Figure:
    """Draw the marks of PR space, and the points of one algorithm."""
    points = one_algorithm()
    share = points.prevalence
    figure, (left, right) = panels(2)
    frame(left, "pr")
    unachievable(left, share)
    left.plot([0, 1], [share, share], color=BLACK, linewidth=2.2, label="random clusters")
    named_point(left, 1, 1, "perfect", (-56, -14))
    named_point(left, 1, share, "everything", (-76, 7))
    named_point(left, 1 / 200, 1, "one element", (8, -14))
    named_point(left, 0, 0, "no overlap", (8, 7))
    left.legend(loc="center", fontsize="small")
    left.set_title("the precision-recall space")
    frame(right, "pr")
    order = np.argsort(points.recall)
    right.plot(points.recall[order], points.precision[order], color="0.6", linewidth=1)
    best = undominated(points.recall, points.precision)
    for rows, face, name in ((best, BLACK, "dominant"), (~best, "none", "dominated")):
        right.plot(
            points.recall[rows],
            points.precision[rows],
            "o",
            color=BLACK,
            markerfacecolor=face,
            label=f"{name} points",
        )
    right.legend(loc="lower left")
    right.set_title("one algorithm, clusters of nine sizes")
    return figure


def figure_4() -> list[Number]:
    """Count the pieces of each optimal curve, and check that dominated points have none."""
    points = one_algorithm()
    labels = points.labels or ()
    best = undominated(points.recall, points.precision)
    dominated = {label for label, is_best in zip(labels, best, strict=True) if not is_best}
    pieces = {name: points.tradeoff(name).intervals.labels or () for name in INDICES}
    in_pieces = {label for piece_labels in pieces.values() for label in piece_labels}
    off_the_hull = set(pieces["kulczynski"]) - _on_pr_hull(points)
    return [
        *(Number(f"pieces, {name}", float(len(rows))) for name, rows in pieces.items()),
        Number.claimed("pieces of dominated points", float(len(in_pieces & dominated))),
        Number.claimed("Kulczynski pieces off the PR hull", float(len(off_the_hull))),
    ]


def _on_pr_hull(points: OperatingPoints) -> set[object]:
    """Return the labels of the points on the convex hull of PR space."""
    recall = np.append(points.recall, 1.0)
    precision = np.append(points.precision, points.prevalence)
    labels = [*(points.labels or ()), "(everything)"]
    # A point is on the upper right hull if some line with a falling slope touches it.
    angles = np.linspace(0, np.pi / 2, 20_001)
    touched = np.argmax(np.outer(np.sin(angles), recall) + np.outer(np.cos(angles), precision), 1)
    return {labels[row] for row in np.unique(touched)}


def draw_figure_4() -> Figure:
    """Draw the tradeoff curves of all points, and their envelope."""
    return _four(one_algorithm())


def _four(points: OperatingPoints) -> Figure:
    figure, axes = panels(4, 2, size=5.2)
    for ax, name in zip(axes, INDICES, strict=True):
        tradeoff(points, ax, index=name)
        ax.set_ylim(0, 1.02)
    return figure


# ---------------------------------------------------------------------- the text


def text() -> list[Number]:
    """Evaluate the printed formulas and statements of sections 2 to 4."""
    precision, recall = CLUSTERS["C3"]
    kulczynski, folke = index_named("kulczynski"), index_named("folke")
    at_half = {
        cluster: min(float(index_named(name).value(*rates, 0.5)) for name in INDICES)
        for cluster, rates in CLUSTERS.items()
    }
    rho = 3.0
    steep, flat = (float(index_named("f-measure").value(precision, recall, b)) for b in (0.2, 0.8))
    says = "the paper's number is what its formula gives"
    return [
        Number(
            "Kulczynski of C3 at ρ = 3",
            float(kulczynski.value(precision, recall, 1 / (1 + rho))),
            f"{float(kulczynski.value(precision, recall, rho / (1 + rho))):.3f}",
            f"ρ multiplies precision, so λ = 1/(1+ρ); {says} (errata, Hanczar and Nadif, "
            "Section 2.2).",
            source=BY_FORMULA,
        ),
        Number(
            "with β grows the importance of",
            "recall" if flat < steep else "precision",
            "precision",
            "λ = β²/(1+β²) is the weight of recall (errata, Hanczar and Nadif, Section 2.3).",
        ),
        Number(
            "Folke of C3, λ 0.5, by section 2.4",
            float(folke.value(precision, recall, 0.5)),
            f"{recall**0.25 * precision**0.75:.3f}",
            f"The exponents λ/2 and 1 - λ/2 do not give Table 1; {says} (errata, Hanczar and "
            "Nadif, Section 2.4).",
            source=BY_FORMULA,
        ),
        Number(
            "the best cluster at λ 0.5",
            max(at_half, key=at_half.__getitem__),
            "C3",
            "Table 1 itself has C1 first (errata, Hanczar and Nadif, Section 3).",
        ),
        Number(
            "precision of everything, π = 0.2",
            one_algorithm().prevalence,
            "1",
            "Section 4.1 prints |X|/|D|, which is 1 for X = D; it is |T|/|D| (errata, Hanczar and "
            "Nadif, Section 4.1).",
            source=BY_FORMULA,
        ),
    ]


# ---------------------------------------------------------------------- all of it


def items() -> list[Item]:
    """Return all figures and tables of the paper, in its order."""
    return [
        Item(
            *(PAPER, "Fig. 1", "The precision-recall space and one algorithm in it"),
            "Left: the perfect, the maximal, a minimal and an empty-handed cluster, random "
            "clusters and the region that none can reach. Right: nine clusters, seven of them "
            "dominant.",
            *(figure_1, draw_figure_1, MADE_UP),
        ),
        Item(
            *(PAPER, "Table 1", "Four indices of three clusters"),
            "The curves of three clusters over the weight of recall, for each index; dotted lines "
            "at the weights 0.2 and 0.5 of the table.",
            *(indices.table_1, indices.draw_table_1),
        ),
        Item(
            *(PAPER, "Fig. 2", "Isolines of the four indices"),
            "Lines of equal index in PR space, bold for λ = 0.5, dotted for 0.2 and thin for 0.8: "
            "straight for Kulczynski, bent for the others.",
            *(indices.figure_2, indices.draw_figure_2),
        ),
        Item(
            *(PAPER, "Fig. 3", "One result in the four tradeoff spaces"),
            "A bold curve from precision 0.85 to recall 0.5 above the grey region where the "
            "maximal cluster is better, and the dotted curve of the minimal one.",
            *(indices.figure_3, indices.draw_figure_3),
            "The share of the target is not given; ours is 0.2, with 170 elements.",
        ),
        Item(
            *(PAPER, "Fig. 4", "The algorithm of Figure 1 in tradeoff space"),
            "Grey curves of all clusters, and their bold upper envelope, for each index.",
            *(figure_4, draw_figure_4, MADE_UP),
        ),
        *experiments.items(),
        Item(
            *(PAPER, "text", "Formulas and statements of the text"),
            "There is nothing to draw: printed formulas are evaluated.",
            text,
        ),
    ]
