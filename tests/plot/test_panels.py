"""Some spaces side by side, with one legend; pictures of bands and of reliability."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

import isometrics as iso
from isometrics import plot
from isometrics.calibration import calibration_report
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


DRAWN = np.arange(600) < 200
RNG = np.random.default_rng(1)
DRAWN_SCORES = {"A $": RNG.normal(1.5 * DRAWN), "B": RNG.normal(1.0 * DRAWN)}
FEW = {"n_resamples": 40, "random_state": 0}


@pytest.mark.parametrize("space", ["roc", "pr", "prg", "tradeoff"])
def test_the_band_is_filled_between_its_ends(space):
    curves = iso.bootstrap_curves(DRAWN, DRAWN_SCORES, space=space, **FEW)
    bands = [curves.band(name, kind="simultaneous") for name in DRAWN_SCORES]
    ax = plot.band(bands)
    for band, drawn, line in zip(bands, ax.collections, ax.lines, strict=True):
        corners = np.vstack([path.vertices for path in drawn.get_paths()])
        assert corners[:, 1].min() == pytest.approx(np.nanmin(band.lower))
        assert corners[:, 1].max() == pytest.approx(np.nanmax(band.upper))
        np.testing.assert_allclose(line.get_ydata(), band.estimate)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["A \\$, 95% band, simultaneous", "A \\$", "B, 95% band, simultaneous", "B"]
    assert ax.get_xlabel()
    ax.figure.canvas.draw()


def test_a_band_on_axes_that_are_there():
    points = iso.OperatingPoints.from_scores(DRAWN, DRAWN_SCORES["B"])
    ax = plot.roc(points)
    lines = len(ax.lines)
    assert (
        plot.band(iso.bootstrap_curves(points, **FEW).band(), ax, curve=False, legend=False) is ax
    )
    assert len(ax.lines) == lines
    assert ax.collections[-1].get_label() == "95% band, pointwise"
    folds = [iso.OperatingPoints.from_scores(DRAWN[k::2], DRAWN_SCORES["B"][k::2]) for k in (0, 1)]
    ax = plot.band(iso.average(folds).curve())
    assert ax.get_legend().get_texts()[0].get_text() == "95% band, folds"


def test_bands_of_one_model_share_its_colour_and_its_curve():
    curves = iso.bootstrap_curves(DRAWN, DRAWN_SCORES, **FEW)
    bands = [curves.band("B", kind=kind) for kind in ("simultaneous", "pointwise")]
    ax = plot.band([*bands, curves.band("A $")])
    assert len(ax.lines) == 2
    first, second, third = (tuple(drawn.get_facecolor()[0]) for drawn in ax.collections)
    assert first == second != third


EIGHT, THEIR_SCORES = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]


def test_reliability_shows_the_bins_and_their_intervals():
    report = calibration_report(EIGHT, THEIR_SCORES, bins=4)
    ax = plot.reliability({"_model $1$": report})
    (bars,) = ax.containers
    np.testing.assert_array_equal(bars.lines[0].get_xydata().T, (report.predicted, report.observed))
    ends = np.array([segment[:, 1] for segment in bars.lines[2][0].get_segments()]).T
    np.testing.assert_allclose(ends, (report.observed_lower, report.observed_upper))
    assert bars.get_label().startswith(r" _model \$1\$: Brier score")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted probability", "share of positives")
    assert ax.get_xlim() == ax.get_ylim() == (-0.02, 1.02)
    one_class = calibration_report([0] * 140 + [1] * 140, np.arange(280) / 280, bins=2)
    (bars,) = plot.reliability(one_class).containers
    ends = np.array([segment[:, 1] for segment in bars.lines[2][0].get_segments()])
    assert (ends[:, 0] <= ends[:, 1]).all()
