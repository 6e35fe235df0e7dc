"""Hanczar & Nadif: the experiments of Figures 5 to 8, on data of our own."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from isometrics.comparison import compare
from isometrics.plot.tradeoff import NAMES, comparison, tradeoff
from isometrics_studies.bicluster_search import biclustering_study
from isometrics_studies.linear_models import gaussian_data, lda_and_svm
from isometrics_studies.papers.item import FROM_ENDS, Item, Number
from isometrics_studies.papers.panels import curve_panel, panels
from isometrics_studies.planted import planted_bicluster

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from isometrics.points import OperatingPoints

PAPER = "HN"
INDICES = ("kulczynski", "f-measure", "folke", "jaccard")

PLANTED = (
    "The authors' matrix is not public: ours has 100 × 60 uniform cells and a planted additive "
    "bicluster of 30 × 20 with noise."
)
GAUSSIAN = (
    "The authors' data are not public: ours are 2000 rows of two normal classes of different "
    "shape, 10% positive."
)
IMPOSSIBLE = (
    "F and Jaccard have the same points and winners, at λ_F = 2λ/(1+2λ) up to λ = ½ and 1/(3-2λ) "
    "beyond, so the two printed numbers contradict each other (errata, Hanczar and Nadif, "
    "Figure 5)."
)
NESTED = (
    "A point that is best for some λ by Kulczynski is so by Folke, and then by F, so no index has "
    "more intervals than the next (errata, Hanczar and Nadif, Figure 5)."
)


@cache
def biclusters() -> dict[str, OperatingPoints]:
    """Run Cheng & Church and ISA on a planted bicluster."""
    return biclustering_study(planted_bicluster(level=0.2, noise=0.2, seed=1))


@cache
def classifiers() -> dict[str, OperatingPoints]:
    """Fit LDA and a linear SVM to two normal classes."""
    return lda_and_svm(gaussian_data())


# ---------------------------------------------------------------------- one algorithm


def figure_5() -> list[Number]:
    """Count the relevant biclusters for each index, and find where the maximal one is best."""
    points = biclusters()["CC"]
    printed = dict(zip(INDICES, ("8", "7", "7", "6"), strict=True))
    rows = [
        Number(f"intervals, {name}", float(len(points.tradeoff(name).intervals)), text, PLANTED)
        for name, text in printed.items()
    ]
    by_f = points.tradeoff("f-measure").intervals
    return [
        *rows,
        Number("maximal from λ, f-measure", float(by_f.lambda_lo[-1]), "0.74", PLANTED),
        Number("intervals of Jaccard, from F's 7", 7.0, printed["jaccard"], IMPOSSIBLE),
        Number("most of Kulczynski, from Folke's 7", 7.0, printed["kulczynski"], NESTED),
    ]


def figure_6() -> list[Number]:
    """Count the relevant thresholds for each index."""
    points = classifiers()["LDA"]
    return [
        Number(f"intervals, {name}", float(len(points.tradeoff(name).intervals)))
        for name in INDICES
    ]


def draw_selection(name: str, points: OperatingPoints) -> Figure:
    """Draw one algorithm in PR space, and its best points for every weight of recall."""
    figure, (first, *others) = panels(5, 3, size=4.8)
    curve_panel(first, "pr", {name: points}, hull=False, baseline=False)
    first.set_title(f"{name} in precision-recall space")
    for ax, index in zip(others, INDICES, strict=True):
        tradeoff(points, ax, index=index)
        ax.set_ylim(0, 1.02)
    return figure


# ---------------------------------------------------------------------- two algorithms


def lead_shares(models: dict[str, OperatingPoints], index: str) -> dict[str, float]:
    """Return the share of the weights for which each model is the only best one.

    For Kulczynski, as in the paper, weights at which the minimal set is better do not count.
    """
    winners = compare(models, index).winners
    shares = {}
    for name, points in models.items():
        useful = points.tradeoff(index).useful_range() if index == "kulczynski" else None
        total = 0.0
        for lo, hi, names in zip(winners.lambda_lo, winners.lambda_hi, winners.names, strict=True):
            if names != (name,):
                continue
            if useful is None:
                total += hi - lo
            else:
                for start, end in zip(useful.lambda_lo, useful.lambda_hi, strict=True):
                    total += max(0.0, min(hi, end) - max(lo, start))
        shares[name] = float(total)
    return shares


SHARES_7 = {
    "kulczynski": ("0.00", "0.20"),
    "f-measure": ("0.28", "0.55"),
    "folke": ("0.30", "0.39"),
    "jaccard": ("0.20", "0.67"),
}
"""The shares of the weights for which CC and ISA win, from the ends that the text prints."""

SHARES_8 = {
    "kulczynski": ("0.21", "0.37"),
    "f-measure": ("0.23", "0.77"),
    "folke": ("0.50", "0.39"),
    "jaccard": ("0.46", "0.50"),
}
"""The same for LDA and SVM."""


def _shares(
    models: dict[str, OperatingPoints], printed: dict[str, tuple[str, str]], reason: str
) -> list[Number]:
    return [
        Number(f"share of λ, {name}, {index}", share, text, reason, source=FROM_ENDS)
        for index, texts in printed.items()
        for (name, share), text in zip(lead_shares(models, index).items(), texts, strict=True)
    ]


def jaccard_weight(weight: float) -> float:
    """Return the weight of Jaccard's index at which the same points are best as for F.

    Examples
    --------
    >>> from isometrics_studies.papers.hanczar_nadif_experiments import jaccard_weight
    >>> jaccard_weight(0.5), jaccard_weight(0.25), jaccard_weight(0.75)
    (0.5, 0.16666666666666666, 0.8333333333333334)
    """
    if weight <= 0.5:
        return weight / (2 * (1 - weight))
    return (3 - 1 / weight) / 2


def figure_7() -> list[Number]:
    """Compute the shares of the winners, and the ends for Jaccard that follow from those for F."""
    return [
        *_shares(biclusters(), SHARES_7, PLANTED),
        Number("Jaccard's λ from F's 0.28", jaccard_weight(0.28), "0.2"),
        Number("Jaccard's λ from F's 0.83", jaccard_weight(0.83), "0.87", IMPOSSIBLE),
    ]


def figure_8() -> list[Number]:
    """Compute the shares of the winners, and the ends for Jaccard that follow from those for F."""
    return [
        *_shares(classifiers(), SHARES_8, GAUSSIAN),
        Number("Jaccard's λ from F's 0.23", jaccard_weight(0.23), "0.29", IMPOSSIBLE),
        Number("changes for Jaccard, from F's 1", 1.0, "3", IMPOSSIBLE),
    ]


def draw_comparison(models: dict[str, OperatingPoints]) -> Figure:
    """Draw two algorithms in PR space, and the better one for every weight of recall."""
    figure, (first, *others) = panels(5, 3, size=4.8)
    curve_panel(first, "pr", models, hull=False, baseline=False)
    first.set_title(f"{' and '.join(models)} in precision-recall space")
    for ax, index in zip(others, INDICES, strict=True):
        comparison(compare(models, index), ax)
        ax.set_title(NAMES[index])
    return figure


# ---------------------------------------------------------------------- all of it


def items() -> list[Item]:
    """Return the four figures of the experiments."""
    return [
        Item(
            *(PAPER, "Fig. 5", "The best biclusters of Cheng & Church"),
            "Biclusters in PR space, and for each index the upper envelope of their curves, with "
            "the parameter of the best one above each interval.",
            *(figure_5, lambda: draw_selection("CC", biclusters()["CC"]), PLANTED),
        ),
        Item(
            *(PAPER, "Fig. 6", "The best thresholds of LDA"),
            "The PR curve of LDA, and for each index the upper envelope of its thresholds' curves.",
            *(figure_6, lambda: draw_selection("LDA", classifiers()["LDA"]), GAUSSIAN),
        ),
        Item(
            *(PAPER, "Fig. 7", "Cheng & Church against ISA"),
            "Both families of biclusters in PR space, and for each index both optimal curves and "
            "the better algorithm for every weight of recall.",
            *(figure_7, lambda: draw_comparison(biclusters()), PLANTED),
        ),
        Item(
            *(PAPER, "Fig. 8", "LDA against SVM"),
            "Both PR curves, and for each index both optimal curves and the better model for every "
            "weight of recall.",
            *(figure_8, lambda: draw_comparison(classifiers()), GAUSSIAN),
        ),
    ]
