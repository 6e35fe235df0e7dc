"""The displays draw what isometrics.plot draws, and hand out its artists."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("matplotlib")

from matplotlib import pyplot as plt
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

import isometrics as iso
from isometrics.integrations.sklearn import (
    AchievablePrecisionRecallDisplay,
    PrecisionRecallGainDisplay,
    RocHullDisplay,
    TradeoffDisplay,
)

DISPLAYS = {
    "prg": PrecisionRecallGainDisplay,
    "pr": AchievablePrecisionRecallDisplay,
    "roc": RocHullDisplay,
}
X, Y = make_classification(303, weights=[0.7], flip_y=0.1, class_sep=0.7, random_state=1)
MODEL = LogisticRegression().fit(X, Y)
POINTS = iso.OperatingPoints.from_scores(Y, MODEL.predict_proba(X)[:, 1])
FOLDS = cross_validate(LogisticRegression(), X, Y, cv=3, return_estimator=True, return_indices=True)


def texts(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


@pytest.mark.parametrize("space", DISPLAYS)
def test_from_estimator(space):
    display = DISPLAYS[space].from_estimator(MODEL, X, Y, plot_chance_level=True)
    assert np.array_equal(display.points.tp, POINTS.tp)
    assert display.name == "LogisticRegression"
    assert display.pos_label == 1
    assert display.area == getattr(POINTS, space).area()
    assert display.hull_area == getattr(POINTS.hull(), space).area() >= display.area
    assert display.line_.get_label().startswith("LogisticRegression (AU")
    assert display.hull_line_.get_label().startswith("LogisticRegression, hull (AU")
    assert display.chance_level_ in display.ax_.lines
    assert display.figure_ is display.ax_.figure
    assert display.line_.get_label() in texts(display)


@pytest.mark.parametrize("space", DISPLAYS)
def test_from_predictions(space):
    weights = np.random.default_rng(0).integers(1, 4, Y.size)
    names = np.where(Y == 1, "yes", "no")
    _, ax = plt.subplots()
    ax.plot([0, 1], [0, 1], label="Classifier (mine)")
    scores = MODEL.decision_function(X)
    display = DISPLAYS[space].from_predictions(
        names, scores, sample_weight=weights, pos_label="yes", ax=ax, hull=False, isolines=False
    )
    assert display.ax_ is ax
    assert display.points.positives == weights[Y == 1].sum()
    assert display.hull_line_ is None
    assert display.chance_level_ is None
    assert display.line_ is ax.lines[1]


def test_the_positive_class_can_be_chosen():
    one = RocHullDisplay.from_estimator(MODEL, X, Y, pos_label=0, name="zero")
    assert one.points.positives == (Y == 0).sum()
    assert one.area == pytest.approx(POINTS.roc.area())
    assert one.name == "zero"
    names = np.where(Y == 1, "yes", "no")
    model = LogisticRegression().fit(X, names)
    assert RocHullDisplay.from_estimator(model, X, names).pos_label == "yes"


@pytest.mark.parametrize("space", DISPLAYS)
def test_folds_share_one_look_and_one_entry(space):
    display = DISPLAYS[space].from_cv_results(FOLDS, X, Y, name="folds of LR")
    assert len(display.line_) == len(display.points) == 3
    assert len({line.get_color() for line in display.line_}) == 1
    mean, spread = np.mean(display.area), np.std(display.area)
    entries = [text for text in texts(display) if text.startswith("folds of LR (")]
    assert len(entries) == 1
    assert f"{mean:.3f} ± {spread:.3f}" in entries[0]
    if space == "prg":
        assert display.hull_line_ is None
    else:
        assert len(display.hull_line_) == 3
        assert f"folds of LR, hull (AU{space.upper()} {np.mean(display.hull_area):.3f}" in " ".join(
            texts(display)
        )
    rows = FOLDS["indices"]["test"][1]
    scores = FOLDS["estimator"][1].predict_proba(X[rows])[:, 1]
    expected = iso.OperatingPoints.from_scores(Y[rows], scores)
    assert np.array_equal(display.points[1].tp, expected.tp)


def test_styles():
    display = PrecisionRecallGainDisplay(POINTS, name="m").plot(
        curve_kwargs={"lw": 4, "c": "red"},
        name="again",
        isolines=[0.5],
        beta=2,
        low=-0.5,
        points=[0.5],
        plot_chance_level=True,
    )
    assert display.line_.get_linewidth() == 4
    assert display.line_.get_label().startswith("again (")
    handles = dict(zip(texts(display), display.ax_.get_legend().get_lines(), strict=True))
    assert handles[display.line_.get_label()].get_color() == "red"
    assert "equal F2 gain" in handles
    assert display.chance_level_.get_label() == "F2 of always positive"
    assert display.ax_.get_xlim()[0] < -0.5
    assert RocHullDisplay(POINTS).plot(legend=False).ax_.get_legend() is None
    assert RocHullDisplay(POINTS).plot().line_.get_label().startswith("curve (")
    weights = np.ones(Y.size, int)
    folds = PrecisionRecallGainDisplay.from_cv_results(FOLDS, X, Y, sample_weight=weights)
    assert texts(folds)[-1].startswith("folds (AUPRG")


def test_tradeoff_display_draws_the_envelope():
    display = TradeoffDisplay.from_estimator(MODEL, X, Y, index="jaccard", plot_chance_level=True)
    curve = POINTS.tradeoff("jaccard")
    assert display.area == curve.area()
    lam, value = display.line_.get_xydata().T
    np.testing.assert_array_equal(value, curve(lam))
    assert display.chance_level_.get_label() == "maximal set"
    assert display.ax_.get_ylabel() == "Jaccard index"
    assert display.hull_line_ is None
    folds = TradeoffDisplay.from_cv_results(FOLDS, X, Y, name="LR")
    assert folds.area == [points.tradeoff().area() for points in folds.points]
    assert f"LR (area {np.mean(folds.area):.3f} ± {np.std(folds.area):.3f})" in texts(folds)
