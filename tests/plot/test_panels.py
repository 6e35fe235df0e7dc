"""Some spaces side by side, with one legend."""

import pytest
from matplotlib import pyplot as plt

import isometrics as iso
from isometrics import plot
from isometrics.errors import ParameterError

LABELS = [1, 0, 1, 1, 0, 0, 1, 0] * 5
SCORES = {"A": [8, 7, 6, 5, 4, 3, 2, 1] * 5, "B": [5, 1, 7, 8, 2, 6, 4, 3] * 5}
ANALYSIS = iso.analyse(LABELS, SCORES)
PLAIN = {"isolines": False, "baseline": False, "hull": False}


def entries(axes):
    (legend,) = axes[0].figure.legends
    return [text.get_text() for text in legend.get_texts()]


def test_one_legend_has_the_areas_of_all_panels():
    axes = plot.panels(ANALYSIS.models, ["pr", "roc", "tradeoff"], **PLAIN)
    assert [ax.get_title() for ax in axes] == ["PR", "ROC", "tradeoff"]
    assert all(ax.get_legend() is None for ax in axes)
    a, b = ANALYSIS.models.values()
    assert entries(axes)[:2] == [
        f"{name} (AUPR {pts.pr.area():.3f}, AUROC {pts.roc.area():.3f}, "
        f"tradeoff area {pts.tradeoff().area():.3f})"
        for name, pts in {"A": a, "B": b}.items()
    ]
    texts = entries(plot.panels(ANALYSIS.models, ["roc", "pr", "prg"]))
    assert len(texts) == len(set(texts))
    assert {"equal accuracy (ROC)", "equal F1 (PR)", "equal F1 gain (PRG)"} <= set(texts)
    assert "always positive (PR, PRG)" in texts
    assert "always positive" in entries(plot.panels(ANALYSIS.models, ["prg", "pr"]))


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_axes_of_ones_own(layout):
    figure, axes = plt.subplots(1, 2, layout=layout)
    size = figure.get_size_inches().tolist()
    assert plot.panels(ANALYSIS.models, ("roc", "pr"), axes)[1] is axes[1]
    assert figure.get_size_inches().tolist() == size
    assert len(figure.legends) == 1
    assert not plot.panels(ANALYSIS.models, ("roc", "pr"), legend=False)[0].figure.legends


def test_an_analysis_draws_panels_with_bands():
    bands = {"confidence_level": 0.9, "n_resamples": 20}
    axes = ANALYSIS.plot(["roc", "pr"], bands=bands, **PLAIN)
    assert [len(ax.collections) for ax in axes] == [2, 3]  # one is where no point can be
    (ax,) = ANALYSIS.plot(("prg",), **PLAIN)
    assert ax.get_title() == "PRG"
    with pytest.raises(ParameterError, match="but is 'all'"):
        ANALYSIS.plot(["all"])


POINTS = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
RARE = iso.OperatingPoints.from_scores([1, 0, 0, 0], [0.9, 0.8, 0.7, 0.1])


def test_spaces_take_the_options_they_have():
    points = ANALYSIS.models["A"]
    axes = plot.panels(points, index="jaccard", points=[7], hull=False, beta=2.0)
    assert axes.shape == (2, 2)
    assert axes[1, 1].get_ylabel() == "Jaccard index"
    plain = plot.panels(points, index="jaccard", hull=False, beta=2.0)
    drawn = [
        len(marked.get_children()) - len(bare.get_children())
        for marked, bare in zip(axes.flat, plain.flat, strict=True)
    ]
    assert [count > 0 for count in drawn] == [True, True, True, False]
    # ROC space has no common lines of equal accuracy for models of different prevalence.
    rare = points.at_prevalence(0.1)
    assert "equal accuracy (ROC)" not in entries(plot.panels({"common": points, "rare": rare})[0])
    assert "equal accuracy (ROC)" in entries(plot.panels({"common": points})[0])
