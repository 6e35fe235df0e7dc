"""The part of a verdict that tables allow."""

from math import isnan

import numpy as np
import pytest

import isometrics as iso
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.verdict.judge import rows_of_table

RANDOM = np.random.default_rng(2)
LABELS = np.arange(200) < 60
SCORES = {name: RANDOM.normal(shift * LABELS).round(1) for name, shift in (("a", 1.5), ("b", 1.0))}
POINTS = {name: iso.OperatingPoints.from_scores(LABELS, each) for name, each in SCORES.items()}
UNKNOWN = "The choice is the best on these rows; what to expect on new data is not known: "


def family():
    return iso.OperatingPoints.from_sets({1, 2, 3}, {"x": [1], "y": [2, 5]}, universe_size=9)


def stream():
    return iso.Accumulator().update(LABELS, SCORES["a"]).points()


TABLES = {
    "hull": lambda: {"a": POINTS["a"].hull()},
    "compact": lambda: {"a": POINTS["a"].compact(20)},
    "sets": lambda: {"a": family()},
    "weighted": lambda: {
        "a": iso.OperatingPoints.from_scores(LABELS, SCORES["a"], sample_weight=LABELS + 0.5)
    },
    "two": lambda: dict(POINTS),
}


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_a_table_gives_the_choice_and_says_why_there_is_no_more(make):
    tables = make()
    analysis = iso.Analysis(tables)
    found = analysis.verdict()
    decisions = {name: iso.best_threshold(points) for name, points in tables.items()}
    best = max(decisions, key=lambda name: decisions[name].f)
    assert (found.model, found.value) == (best, decisions[best].f)
    assert found.decision == analysis.decision(best)
    assert found.decision.to_frame().drop(columns="model").equals(decisions[best].to_frame())
    assert isnan(found.expected)
    assert all(map(isnan, (*found.interval, *found.plateau, *found.threshold_range)))
    assert found.confidence_set == tuple(tables)
    assert found.runner_up == ("b" if len(tables) > 1 else None)
    assert (found.replicates, found.better_than_nothing, found.other_weights) == (0, None, None)
    assert found.method == (
        f"{UNKNOWN}it was made of tables; make it with analyse or read_predictions."
    )
    assert found.sentence().endswith(f"F1 is {found.value:.2f} on these rows.")
    assert found.to_dict()["expected"] is None


@pytest.mark.parametrize("make", [lambda: POINTS["a"], stream])
def test_a_complete_table_of_one_model_tells_its_rows(make):
    of_table = iso.Analysis({"score": make()}).verdict(n_resamples=40)
    of_rows = iso.analyse(LABELS, SCORES["a"]).verdict(n_resamples=40)
    # Which rows of equal scores are drawn differs.
    assert of_table.threshold == pytest.approx(of_rows.threshold, abs=0.15)
    assert of_table.expected == pytest.approx(of_rows.expected, abs=0.02)
    assert (of_table.rows, of_table.positives) == (200, 60)


def test_rows_of_a_table_count_to_the_same_table():
    sample = rows_of_table("a", POINTS["a"])
    again = iso.OperatingPoints.from_scores(sample.labels, sample.scores["a"])
    assert again == POINTS["a"]
    moved = iso.Analysis({"a": POINTS["a"].hull()}).at_prevalence(0.05)
    found = moved.verdict()
    assert found.value == pytest.approx(iso.best_threshold(moved.models["a"]).f)


@pytest.mark.parametrize(
    "asked",
    [
        {"beta": 2},
        {"cost": 0.25},
        {"miss_cost": 3, "false_alarm_cost": 1},
        {"lam": 0.3},
        {"min_precision": 0.7},
        {"min_recall": 0.7},
        {"budget": 20},
        {"budget": 1},
        {"min_precision": 0.5, "min_recall": 0.5},
        {"min_precision": 0.5, "beta": 1},
        {"budget": 5, "cost": 0.5},
        {"budget": 5, "lam": 0.5},
    ],
)
def test_tables_have_the_objectives_of_best_threshold(asked):
    found = iso.Analysis(dict(POINTS)).verdict(**asked)
    same = {"cost": 0.25} if "miss_cost" in asked else asked
    decisions = [iso.best_threshold(points, **same) for points in POINTS.values()]
    assert found.threshold in [decision.threshold for decision in decisions]
    if "cost" in same:
        total = found.objective.costs
        costs = [(total[0] * each.fn + total[1] * each.fp) / 200 for each in decisions]
        assert found.value == pytest.approx(min(costs))
        assert found.doing_nothing["flagging nothing"] == pytest.approx(total[0] * 60 / 200)
    else:
        assert found.value == pytest.approx(max(each.value for each in decisions))
    for kept in found.kept:
        assert isnan(kept.expected)
        assert kept.constraint in str(found.objective)


def test_models_and_groups_that_cannot_keep_a_constraint_are_left_out():
    tables = {"bad": iso.OperatingPoints.from_scores(LABELS, -SCORES["a"]), "a": POINTS["a"]}
    found = iso.Analysis(tables).verdict(min_precision=0.8)
    assert (found.model, found.confidence_set, found.runner_up) == ("a", ("a",), None)
    with pytest.raises(ParameterError, match="no threshold reaches precision 1; the best is"):
        iso.Analysis({"one": tables["bad"], "two": tables["bad"]}).verdict(min_precision=1)
    bad = iso.OperatingPoints.from_scores(LABELS, -SCORES["a"]).hull()
    good = {"a": POINTS["a"]}
    found = iso.Analysis(good, {"x": {"a": bad}, "y": good}).verdict(min_precision=0.8)
    assert list(found.groups) == ["y"]
    assert found.warnings[-1].startswith("group x is left out: ")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"min_precision": 0.5, "sure": 0.9}, "sure needs the rows, which this analysis does"),
        ({"clusters": True}, "there are no groups to draw; clusters=True needs groups"),
        ({"folds": True}, "folds are groups of rows, which this analysis does not have: it was"),
    ],
)
def test_what_needs_rows_is_refused(asked, message):
    # Nor does the table of one model know which row is in which fold.
    for models in (POINTS, {"a": POINTS["a"].hull() if "sure" in asked else POINTS["a"]}):
        with pytest.raises(NotAnswerableError, match=message):
            iso.Analysis(dict(models)).verdict(**asked)
