"""Pictures of tradeoff space and of index isolines, judged by what they are made of."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

import isometrics as iso
from isometrics import plot
from isometrics.spaces.indices import INDICES

LABELS = [int(label) for label in "1110111111011101001000101"]
SMALL = iso.OperatingPoints.from_scores(LABELS, np.arange(25, 0, -1))
OTHER = iso.OperatingPoints.from_scores(LABELS, np.arange(25) % 7)
SETS = iso.OperatingPoints.from_counts(
    [2, 5, 8], [0, 3, 12], positives=9, negatives=40, labels=["$small$", "middle", "l" * 40]
)


def lines(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def drawn(ax):
    ax.figure.canvas.draw()
    return ax


@pytest.mark.parametrize("name", INDICES)
def test_the_best_curve_and_what_it_is_read_against(name):
    ax = drawn(plot.tradeoff(SMALL, index=name))
    t = SMALL.tradeoff(name)
    (best,) = [line for label, line in lines(ax).items() if label.startswith("best")]
    assert best.get_label() == f"best (area {t.area():.3f})"
    x, y = best.get_data()
    assert set(t.intervals.lambda_lo) <= set(x)
    np.testing.assert_array_equal(y, t(x))
    assert best.get_linewidth() > 2
    others = {"single points", "maximal set", "empty rule" if name == "cost" else "minimal set"}
    assert others < set(lines(ax))
    maximal = lines(ax)["maximal set"].get_ydata()
    assert maximal[-1] == 1
    assert ax.get_xlabel() == "λ, the weight of recall"


def test_ends_of_pieces_and_names():
    ax = drawn(plot.tradeoff(SMALL))
    result = SMALL.tradeoff().intervals
    (ends,) = [each for each in ax.collections if isinstance(each, mpl.collections.LineCollection)]
    places = [path.vertices[0, 0] for path in ends.get_paths()]
    np.testing.assert_allclose(places, result.lambda_lo[1:])
    assert [text.get_text() for text in ax.texts] == ["threshold", "23", "16", "12", "10", "1"]


def test_sets_are_named_by_their_labels():
    """A long name is cut, a formula is not one."""
    ax = drawn(plot.tradeoff(SETS, index="folke"))
    names = [text.get_text() for text in ax.texts]
    assert names[0] == "set"
    assert r"\$small\$" in names
    assert "l" * 14 in names


def test_parts_can_be_left_out():
    _, ax = plt.subplots()
    same = plot.tradeoff(SMALL, ax, baseline=False, legend=False)
    assert same is ax
    assert {label.partition(" (")[0] for label in lines(ax)} == {"single points", "best"}
    assert ax.get_legend() is None


def test_an_index_beyond_the_unit_interval_is_all_in_sight():
    double = iso.Index("twice $F$", lambda p, r, lam: 2 * p * r / (lam * p + (1 - lam) * r))
    ax = drawn(plot.tradeoff(SMALL, index=double))
    assert ax.get_ylim()[1] > 2
    assert ax.get_ylabel() == r"twice \$F\$"


def test_several_models_have_their_own_lines_and_no_grey_ones():
    ax = drawn(plot.tradeoff({"a": SMALL, "b": OTHER}, index="jaccard"))
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert [label.split(" (")[0] for label in labels] == ["minimal set", "maximal set", "a", "b"]
    assert not ax.texts
    # Models of other totals have baselines of their own.
    ax = plot.tradeoff({"a": SMALL, "b": SETS})
    assert len(ax.lines) == 2 * 2 + 2
    assert sum(line.get_label() == "maximal set" for line in ax.lines) == 1
