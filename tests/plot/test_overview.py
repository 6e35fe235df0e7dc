"""All spaces in one figure."""

import matplotlib as mpl
import pytest

import isometrics as iso
from isometrics import plot
from isometrics.errors import ParameterError

mpl.use("agg")
from matplotlib import pyplot as plt

POINTS = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
RARE = iso.OperatingPoints.from_scores([1, 0, 0, 0], [0.9, 0.8, 0.7, 0.1])


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_each_space_has_its_axes():
    axes = plot.overview({"m": POINTS})
    assert axes.shape == (2, 2)
    assert len({ax.figure for ax in axes.flat}) == 1
    areas = ["AUROC 0.750", "AUPR 0.797", "AUPRG 0.250", "area 0.863"]
    for ax, area in zip(axes.flat, areas, strict=True):
        assert any(area in text for text in legend(ax))


def test_axes_of_the_user():
    _, mine = plt.subplots(1, 4)
    axes = plot.overview(POINTS, mine)
    assert list(axes) == list(mine)
    with pytest.raises(ParameterError, match=r"^axes must be four axes but has 3$"):
        plot.overview(POINTS, mine[:3])


def test_spaces_take_the_options_they_have():
    axes = plot.overview(POINTS, index="jaccard", points=[0.7], hull=False, beta=2.0)
    assert axes[1, 1].get_ylabel() == "Jaccard index"
    assert "hull (AUROC 0.875)" not in legend(axes[0, 0])
    assert "single points" in legend(axes[1, 1])
    plain = plot.overview(POINTS, index="jaccard", hull=False, beta=2.0)
    drawn = [
        len(marked.get_children()) - len(bare.get_children())
        for marked, bare in zip(axes.flat, plain.flat, strict=True)
    ]
    assert [count > 0 for count in drawn] == [True, True, True, False]


def test_an_option_of_no_space():
    with pytest.raises(TypeError, match=r"overview\(\) has no option 'colour'; it has pts, axes"):
        plot.overview(POINTS, colour="red")


def test_models_of_different_prevalence():
    """ROC space has no common lines of equal accuracy for them, and draws none."""
    axes = plot.overview({"common": POINTS, "rare": RARE})
    assert "equal accuracy" not in legend(axes[0, 0])
    assert "equal accuracy" in legend(plot.overview({"common": POINTS})[0, 0])
    with pytest.raises(ParameterError, match=r"^isolines needs models of one prevalence"):
        plot.overview({"common": POINTS, "rare": RARE}, isolines=True)


def test_what_is_no_model():
    with pytest.raises(ParameterError, match=r"^pts must be OperatingPoints"):
        plot.overview({})
    assert not plt.get_fignums()
