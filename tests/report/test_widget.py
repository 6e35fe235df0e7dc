"""The widget holds the same data, follows and moves its page, and is missed in one sentence."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import isometrics as iso
from isometrics import OperatingPoints
from isometrics.errors import ParameterError
from isometrics.report.model import report_model

SMALL = OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])


def test_the_widget_has_the_data_of_the_report():
    widget = pytest.importorskip("isometrics.report.widget")
    options = {"title": "Notebook", "description": "drawn", "one_vs_rest": True}
    made = widget.ReportWidget({"forest": SMALL}, **options)
    assert made.data == report_model({"forest": SMALL}, **options)
    assert "render" in str(made._esm)
    assert ".isometrics" in str(made._css)


@pytest.fixture
def made():
    widget = pytest.importorskip("isometrics.report.widget")
    rng = np.random.default_rng(7)
    labels = np.arange(300) < 60
    models = {
        "linear": OperatingPoints.from_scores(labels, rng.normal(1.0 * labels)),
        "forest": OperatingPoints.from_scores(labels, rng.normal(2.0 * labels)),
    }
    return SimpleNamespace(models=models, widget=widget.ReportWidget(models))


def test_the_widget_begins_at_the_best_rule_of_the_best_model(made):
    best = iso.best_threshold(made.models["forest"])
    assert repr(made.widget) == f"ReportWidget(model='forest', threshold={best.threshold}, beta=1)"
    analysis = iso.analyse([1, 0, 1, 0, 1, 0], {"a": [6, 5, 4, 3, 2, 1]})
    verdict = analysis.verdict(beta=2)
    widget = type(made.widget)(analysis.models, verdict=verdict)
    assert widget.beta == 2
    assert widget._repr_mimebundle_()[0]["text/plain"] == "\n".join(verdict.lines())


NUMBER = "threshold must be a number, or None for the best one, but is"


def test_what_cannot_be_set_is_one_sentence_and_changes_nothing(made):
    sets = OperatingPoints.from_counts(
        [1, 2, 2], [0, 2, 1], positives=3, negatives=4, labels=["a", "b", "c"]
    )
    clusters = type(made.widget)({"clusters": sets})
    assert clusters.threshold is None
    for widget, name, value, sentence in (
        (made.widget, "model", "tree", "model must be one of 'linear', 'forest' but is 'tree'"),
        (made.widget, "model", None, "model must be one of 'linear', 'forest' but is None"),
        (made.widget, "beta", -1, "beta must be a number ≥ 0 but is -1"),
        (made.widget, "beta", None, "beta must be a number ≥ 0 but is None"),
        (made.widget, "threshold", "x", f"{NUMBER} 'x'"),
        (made.widget, "threshold", True, f"{NUMBER} True"),
        (made.widget, "threshold", float("nan"), f"{NUMBER} nan"),
        (
            clusters,
            "threshold",
            0.5,
            "threshold cannot be set: the points of 'clusters' have no thresholds",
        ),
    ):
        before = repr(widget)
        with pytest.raises(ParameterError) as caught:
            setattr(widget, name, value)
        assert str(caught.value) == sentence
        assert repr(widget) == before


def test_the_model_and_beta_choose_the_threshold(made):
    widget, seen = made.widget, []
    widget.observe(lambda change: seen.append((change.name, change.new)), "threshold")
    widget.model = "linear"
    best = iso.best_threshold(made.models["linear"]).threshold
    assert widget.threshold == best
    widget.beta = Fraction(1, 2)
    strict = iso.best_threshold(made.models["linear"], beta=0.5).threshold
    assert widget.threshold == strict
    widget.threshold = 0.1
    widget.threshold = None
    chosen = made.models["linear"].thresholds
    at = float(chosen[chosen >= 0.1].min())
    assert seen == [("threshold", value) for value in (best, strict, at, strict)]


@pytest.mark.parametrize("given", [0.05, np.float32(0.25), -99, 3, float("inf"), float("-inf")])
def test_a_threshold_becomes_the_score_that_flags_the_same_items(made, given):
    made.widget.threshold = given
    points = made.models["forest"]
    assert made.widget.threshold in points.thresholds
    assert points.at(made.widget.threshold).tp == points.at(given).tp
    assert points.at(made.widget.threshold).fp == points.at(given).fp


def test_what_the_page_tells_is_taken_as_it_is(made):
    widget, seen = made.widget, []
    widget.observe(lambda change: seen.append(change.name), ["model", "threshold", "beta"])
    # Under another prevalence the best threshold is another one.
    widget.set_state({"beta": 2, "threshold": 0.123456, "model": "linear"})
    assert (widget.model, widget.threshold, widget.beta) == ("linear", 0.123456, 2)
    assert sorted(seen) == ["beta", "model", "threshold"]
    # JSON has no infinity.
    for name in ("beta", "threshold"):
        widget.set_state({name: "inf"})
        assert getattr(widget, name) == float("inf")
        assert widget.get_state(name) == {name: "inf"}
    for beta in (float("inf"), 3):
        widget.beta = beta
        widget.set_state({"threshold": None})
        assert widget.threshold == iso.best_threshold(made.models["linear"], beta=beta).threshold
    analysis = iso.analyse([1, 0, 1, 0], {"m": [3, 2, 1, 0]})
    verdict = analysis.verdict(beta=float("inf"), n_resamples=20)
    assert type(widget)(analysis.models, verdict=verdict).beta == float("inf")


def test_a_converted_notebook_shows_the_areas():
    widget = pytest.importorskip("isometrics.report.widget")
    hostile = '<script>alert("x")</script>'
    models = {hostile: SMALL} | {f"model {k}": SMALL for k in range(9)}
    bundle, _ = widget.ReportWidget(models)._repr_mimebundle_()
    assert bundle["text/plain"].startswith("The report of <script>")
    shown = bundle["text/html"]
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown
    assert shown.count("<td>0.750</td>") == 10
