"""Pictures of spaces, judged by what they are made of: lines, labels, texts, limits."""

import re

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

import isometrics as iso
from isometrics import plot
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.plot.spaces import LEVELS
from isometrics.spaces.drawing import accuracy_isoline, f_gain_isoline, f_isoline
from isometrics.spaces.indices import INDICES

LABELS = [int(label) for label in "1110111111011101001000101"]
SMALL = iso.OperatingPoints.from_scores(LABELS, np.arange(25, 0, -1))
OTHER = iso.OperatingPoints.from_scores(LABELS, np.arange(25) % 7)
DRAW = {"roc": plot.roc, "pr": plot.pr, "prg": plot.prg}
SPACES = list(DRAW)
NAMES = {
    "roc": ("false positive rate", "true positive rate"),
    "pr": ("recall", "precision"),
    "prg": ("recall gain", "precision gain"),
}


def lines(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def starting(ax, text):
    (line,) = [line for label, line in lines(ax).items() if label.startswith(text)]
    return line


def texts(ax):
    return [text.get_text() for text in ax.texts]


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def drawn(ax):
    ax.figure.canvas.draw()
    return ax


@pytest.mark.parametrize("space", SPACES)
def test_curve_and_hull_are_two_lines_with_their_areas(space):
    ax = drawn(DRAW[space](SMALL))
    curve, hull = starting(ax, "curve"), starting(ax, "hull")
    here, corners = getattr(SMALL, space), getattr(SMALL.hull(), space)
    area = {"roc": "AUROC", "pr": "AUPR", "prg": "AUPRG"}[space]
    assert curve.get_label() == f"curve ({area} {here.area():.3f})"
    assert hull.get_label() == f"hull ({area} {corners.area():.3f})"
    assert curve.get_color() != hull.get_color()
    assert (curve.get_linestyle(), hull.get_linestyle()) == ("-", "--")
    assert {curve.get_label(), hull.get_label()} <= set(legend_texts(ax))
    for line, space_of in ((curve, here), (hull, corners)):
        rows = np.column_stack([space_of.x, space_of.y])
        rows = rows[np.isfinite(rows).all(axis=1)]
        points = line.get_xydata()
        assert all((points == row).all(axis=1).any() for row in rows)
    # Straight spaces are drawn straight, and PR is bent.
    assert (curve.get_xdata().size > len(SMALL)) == (space == "pr")
    assert (ax.get_xlabel(), ax.get_ylabel()) == NAMES[space]
    assert ax.get_xlim() == ax.get_ylim() == (-0.02, 1.02)
    _, mine = plt.subplots()
    assert DRAW[space](SMALL, mine, legend=False) is mine
    assert mine.get_legend() is None


@pytest.mark.parametrize("space", SPACES)
def test_several_models_have_names_colours_and_markers(space):
    ax = drawn(DRAW[space]({"A": SMALL, "B": OTHER}, isolines=False))
    curves = [starting(ax, "A ("), starting(ax, "B (")]
    hulls = [starting(ax, "A, hull"), starting(ax, "B, hull")]
    assert len({line.get_color() for line in curves + hulls}) == 4
    assert {line.get_linestyle() for line in hulls} == {"--"}
    ax = DRAW[space]({f"model {number}": SMALL for number in range(12)}, hull=False)
    curves = [line for label, line in lines(ax).items() if label.startswith("model")]
    assert len({(line.get_color(), line.get_marker()) for line in curves}) == 12
    assert not any("hull" in label for label in lines(ax))


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("kind", ["sets", "selection"])
def test_points_without_a_curve(space, kind):
    sets = iso.OperatingPoints.from_counts(
        [2, 4, 3], [3, 1, 2], positives=5, negatives=5, labels=["a", "b", "c"]
    )
    points = sets if kind == "sets" else SMALL.at([20, 3])
    ax = drawn(DRAW[space](points))
    line = starting(ax, "points")
    assert line.get_linestyle() == "None"
    here = getattr(points, space)
    assert np.array_equal(line.get_xydata(), np.column_stack([here.x, here.y]))
    assert starting(ax, "hull").get_linestyle() == "--"
    assert "a family" in legend_texts(DRAW[space]({"a family": points}))


@pytest.mark.parametrize("space", SPACES)
def test_markers_are_few_and_in_sight(space):
    # The first rows lie far to the left of PRG space.
    rng = np.random.default_rng(1)
    labels = rng.random(20_000) < 0.4
    points = iso.OperatingPoints.from_scores(labels, rng.normal(labels))
    line = starting(drawn(DRAW[space]({"A": points})), "A (")
    rows = line.get_markevery()
    assert 5 <= len(rows) <= 9
    x, y = line.get_xdata()[rows], line.get_ydata()[rows]
    assert ((x >= -0.02) & (x <= 1) & (y >= -0.02) & (y <= 1)).all()


@pytest.mark.parametrize("name", ["costs $1 or $2", "_private", r"a\$b$c$", "$x$", "α_1^2 {}"])
def test_names_are_printed_as_they_are(name):
    ax = drawn(plot.roc({name: SMALL}))
    (text,) = [
        text
        for text in ax.get_legend().get_texts()
        if "AUROC" in text.get_text() and "hull" not in text.get_text()
    ]
    shown, kind = text._preprocess_math(text.get_text())
    assert kind is False
    assert shown.strip() == f"{name} (AUROC {SMALL.roc.area():.3f})"


def test_legends_keep_out_of_the_way():
    good = iso.OperatingPoints.from_scores([1] * 9 + [0] * 9, np.arange(18, 0, -1))
    bad = iso.OperatingPoints.from_scores([0] * 9 + [1] * 9, np.arange(18, 0, -1))
    places = {
        (space, points is good): drawn(DRAW[space](points)).get_legend()._loc
        for space in SPACES
        for points in (good, bad)
    }
    codes = mpl.legend.Legend.codes
    assert places["roc", True] == codes["lower right"]
    assert places["roc", False] in (codes["upper right"], codes["upper left"])
    assert places["pr", True] in (codes["lower right"], codes["lower left"])


def test_a_legend_without_room_goes_below_in_a_figure_of_its_own():
    rng = np.random.default_rng(1)
    labels = rng.random(300) < 0.2
    models = {
        f"model {shift}": iso.OperatingPoints.from_scores(labels, rng.normal(shift * labels))
        for shift in (-2, 0, 2, 4)
    }
    ax = drawn(plot.pr(models))
    below = ax.get_legend().get_window_extent()
    assert 0 <= below.y0 < below.y1 < ax.get_window_extent().y0
    assert 0 <= below.x0 < below.x1 <= ax.figure.bbox.width
    _, fixed = plt.subplots()
    inside = drawn(plot.pr(models, fixed)).get_legend().get_window_extent()
    assert inside.y0 > fixed.get_window_extent().y0


@pytest.mark.parametrize("space", SPACES)
def test_isolines_have_their_values(space):
    name = {"roc": "equal accuracy", "pr": "equal F2", "prg": "equal F2 gain"}[space]
    option = {"cost": 0.4} if space == "roc" else {"beta": 2}
    values = [0.6, 0.7, 0.55]
    ax = drawn(DRAW[space](SMALL, isolines=values, baseline=False, **option))
    function = {"roc": accuracy_isoline, "pr": f_isoline, "prg": f_gain_isoline}[space]
    count = 0
    for value in values:
        expected = function(value, space, SMALL.prevalence, **option)
        result = [line for line in ax.lines if np.array_equal(line.get_data(), expected)]
        assert len(result) == 1
        count += result[0].get_label() == name
    assert count == 1
    assert texts(ax) == [f"{value:g}" for value in values]
    assert name in legend_texts(ax)
    everything, nothing = DRAW[space](SMALL), DRAW[space](SMALL, isolines=False)
    assert len(everything.lines) - len(nothing.lines) == len(texts(everything)) == len(LEVELS)
    assert not texts(nothing)
    # Those that miss the square are left out.
    assert texts(plot.roc(SMALL, isolines=[1.5, 0.8])) == ["0.8"]


def test_baselines():
    assert np.array_equal(lines(plot.roc(SMALL))["guessing"].get_data(), ([0, 1], [0, 1]))
    label = "F1 of always positive"
    assert np.array_equal(lines(plot.prg(SMALL))[label].get_data(), ([0, 1], [1, 0]))
    point = lines(plot.prg(SMALL))["always positive"].get_data()
    assert np.array_equal(point, ([1], [0]))
    ax = plot.pr(SMALL)
    assert np.array_equal(lines(ax)["always positive"].get_data(), ([1], [SMALL.prevalence]))
    x, y = lines(ax)[label].get_data()
    prevalence = SMALL.prevalence
    assert np.allclose(2 / (1 / x + 1 / y), 2 * prevalence / (1 + prevalence))
    for space in SPACES:
        labels = lines(DRAW[space](SMALL, baseline=False))
        assert not any("always" in text or text == "guessing" for text in labels)
    vertical = lines(plot.prg(SMALL, beta=np.inf))["Finf of always positive"].get_data()
    assert np.array_equal(vertical, ([1, 1], [0, 1]))
    rare = SMALL.at_prevalence(0.1)
    ax = drawn(plot.pr({"as is": SMALL, "rare": rare}))
    heights = [line.get_ydata()[0] for line in ax.lines if len(line.get_xdata()) == 1]
    assert sorted(heights) == pytest.approx([0.1, SMALL.prevalence])
    assert legend_texts(ax).count("always positive") == 1
    (region,) = ax.collections
    assert region.get_paths()[0].get_extents().ymax == pytest.approx(0.1)


def test_the_unachievable_region():
    (region,) = plot.pr(SMALL).collections
    assert region.get_label() == "cannot be achieved"
    prevalence = SMALL.prevalence
    x, y = region.get_paths()[0].vertices.T
    lowest = prevalence * x / (1 - prevalence + prevalence * x)
    assert np.all(np.isclose(y, lowest) | (y == 0))
    assert not plot.pr(SMALL, unachievable=False).collections
    x, _ = starting(plot.prg(SMALL, isolines=False), "curve").get_data()
    assert x.min() < -1
    assert plot.prg(SMALL, low=-0.5).get_xlim() == (-0.52, 1.02)


@pytest.mark.parametrize("space", SPACES)
def test_operating_points_are_marked_with_their_thresholds(space):
    thresholds = [16, 10.5, 30]
    ax = drawn(DRAW[space](SMALL, points=thresholds, isolines=False))
    here = getattr(SMALL.at(thresholds), space)
    shown = 3 if space == "roc" else 2  # at 30 nothing is predicted, which has no precision
    assert texts(ax) == ["16", "10.5", "30"][:shown]
    marks = ax.lines[-1].get_xydata()
    assert np.array_equal(marks, np.column_stack([here.x, here.y])[:shown])
    assert texts(DRAW[space](SMALL, points=16, isolines=False)) == ["16"]


@pytest.mark.parametrize("space", SPACES)
def test_a_million_rows_make_a_small_file(space, tmp_path):
    rng = np.random.default_rng(1)
    labels = rng.random(1_000_000) < 0.2
    points = iso.OperatingPoints.from_scores(labels, rng.normal(1.5 * labels))
    path = tmp_path / "curve.svg"
    for models in (points, {"one of several": points}):
        DRAW[space](models).figure.savefig(path)
        assert path.stat().st_size < 200_000


BANDS = {
    space: iso.bootstrap_curves(SMALL, space=space, n_resamples=5).band()
    for space in ("roc", "prg")
}
TWO = {"a": SMALL, "b": SMALL.at_prevalence(0.2)}
CURVE = iso.OperatingPoints.from_roc([0, 0.5, 1], [0, 0.8, 1], positives=10, negatives=10)
REFUSED = [
    (lambda: plot.roc([1, 2]), "models must be a mapping of names to OperatingPoints but is list"),
    (lambda: plot.roc({}), "pts is empty; at least one model is needed"),
    (lambda: plot.panels({}), "pts is empty; at least one model is needed"),
    (lambda: plot.roc({"a": 1}), "models['a'] must be OperatingPoints but is int"),
    (lambda: plot.roc(SMALL, cost=2), "cost must be between 0 and 1 but is 2"),
    (lambda: plot.pr(SMALL, beta=-1), "beta must be a number ≥ 0 but is -1"),
    (lambda: plot.prg(SMALL, low=1), "low must be below 1 but is 1"),
    (
        lambda: plot.roc(TWO, isolines=True),
        "isolines needs models of one prevalence but theirs lie between 0.2 and 0.64; bring "
        "them to one with at_prevalence() or leave isolines out",
    ),
    (lambda: plot.panels(SMALL, []), "spaces is empty; name at least one"),
    (lambda: plot.panels(SMALL, ["pr", "pr"]), "spaces must be different but are pr, pr"),
    (
        lambda: plot.panels(SMALL, ["pr", "all"]),
        "space must be one of 'roc', 'pr', 'prg', 'tradeoff' but is 'all'",
    ),
    (
        lambda: plot.panels(SMALL, ["pr", "roc"], plt.Figure().subplots(1, 3)),
        "axes must be 2, one for each",
    ),
    (lambda: plot.band([*BANDS.values()]), "bands must be of one space but are of prg and roc"),
    (lambda: plot.band([]), "bands must be a Band or a list of them"),
    (lambda: plot.band([3]), "bands must be a Band or a list of them"),
    (lambda: plot.comparison(TWO), "result must be what compare() returned but is dict"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_refusals(call, message):
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}"):
        call()
    assert not plt.get_fignums()


def test_refusals_of_what_is_known_when_it_is_drawn():
    with pytest.raises(ParameterError, match="isolines needs models of one prevalence"):
        plot.panels(TWO, isolines=True)
    with pytest.raises(NotAnswerableError, match=r"cannot tell the counts at threshold 0\.5"):
        plot.roc(CURVE, points=[0.5])


SETS = iso.OperatingPoints.from_counts(
    [2, 5, 8], [0, 3, 12], positives=9, negatives=40, labels=["$small$", "middle", "l" * 40]
)


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
    # A long name is cut, a formula is not one.
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
