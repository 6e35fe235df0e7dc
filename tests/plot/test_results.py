"""Pictures of results show the bands, maps and reports they are given."""

import numpy as np
import pytest

import isometrics as iso
from isometrics import plot
from isometrics.calibration import calibration_report

LABELS = np.arange(600) < 200
RNG = np.random.default_rng(1)
SCORES = {"A $": RNG.normal(1.5 * LABELS), "B": RNG.normal(1.0 * LABELS)}
FEW = {"n_resamples": 40, "random_state": 0}


@pytest.mark.parametrize("space", ["roc", "pr", "prg", "tradeoff"])
def test_the_band_is_filled_between_its_ends(space):
    curves = iso.bootstrap_curves(LABELS, SCORES, space=space, **FEW)
    bands = [curves.band(name, kind="simultaneous") for name in SCORES]
    ax = plot.band(bands)
    for band, drawn, line in zip(bands, ax.collections, ax.lines, strict=True):
        corners = np.vstack([path.vertices for path in drawn.get_paths()])
        assert corners[:, 1].min() == pytest.approx(np.nanmin(band.lower))
        assert corners[:, 1].max() == pytest.approx(np.nanmax(band.upper))
        np.testing.assert_allclose(line.get_ydata(), band.estimate)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == [
        "A \\$, 95% band, simultaneous",
        "A \\$",
        "B, 95% band, simultaneous",
        "B",
    ]
    assert ax.get_xlabel()
    ax.figure.canvas.draw()


def test_a_band_on_axes_that_are_there():
    points = iso.OperatingPoints.from_scores(LABELS, SCORES["B"])
    ax = plot.roc(points)
    lines = len(ax.lines)
    assert (
        plot.band(iso.bootstrap_curves(points, **FEW).band(), ax, curve=False, legend=False) is ax
    )
    assert len(ax.lines) == lines
    assert ax.collections[-1].get_label() == "95% band, pointwise"
    folds = [iso.OperatingPoints.from_scores(LABELS[k::2], SCORES["B"][k::2]) for k in (0, 1)]
    ax = plot.band(iso.average(folds).curve())
    assert ax.get_legend().get_texts()[0].get_text() == "95% band, folds"


def test_bands_of_one_model_share_its_colour_and_its_curve():
    curves = iso.bootstrap_curves(LABELS, SCORES, **FEW)
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
