"""A verdict as a result: JSON, data frames, notebooks, and the choices of an analysis."""

import json
import re
from dataclasses import replace
from functools import cache
from math import inf, isnan
from pathlib import Path

import numpy as np
import pytest

import isometrics as iso
from isometrics.errors import NotAnswerableError, ParameterError

PAGE = Path(__file__).parents[2] / "docs" / "verdict.md"
FEW = {"n_resamples": 40}


def sample(*separations, size=300, share=0.3, seed=4):
    random = np.random.default_rng(seed)
    labels = np.arange(size) < round(share * size)
    scores = {"abcdef"[i]: random.normal(each * labels) for i, each in enumerate(separations)}
    return labels, scores


@cache
def verdict():
    labels, scores = sample(1.0, 2.0)
    groups = np.where(np.arange(300) % 3, "north", "south")
    return iso.analyse(labels, scores, groups=groups).verdict(min_recall=0.5, **FEW)


@cache
def undefined():
    """A verdict with most that can be missing: one positive row, the best rule flags nothing."""
    labels = np.arange(30) < 1
    return iso.analyse(labels, -np.arange(30.0)[::-1]).verdict(cost=0.9, **FEW)


@pytest.mark.parametrize("make", [verdict, undefined])
def test_json_is_read_back_as_the_dictionary(make):
    text = make().to_json()
    refuse = pytest.fail
    assert json.loads(text, parse_constant=refuse) == make().to_dict()
    assert not re.search(r"[:\[,] *-?(NaN|Infinity)", text)


def test_the_page_names_every_field():
    rows = re.findall(r"^\| (`.*?`) \|", PAGE.read_text("utf-8").split("## As JSON")[1], re.M)
    names = [name for row in rows for name in re.findall("`(.*?)`", row)]
    assert names == list(verdict().to_dict())


def test_numbers_that_are_not_known_are_null_and_infinite_ones_texts():
    told = undefined().to_dict()
    assert told["threshold"] == "Infinity"
    assert told["expected"] is told["precision"] is told["lead"] is told["runner_up"] is None
    assert told["interval"] == [None, None]
    assert told["better_than_nothing"] is False
    assert told["other_weights"] is None
    assert "groups" not in told


def test_the_dictionary_holds_what_the_verdict_holds():
    told, held = verdict().to_dict(), verdict()
    assert told["schema"] == "isometrics/verdict-1"
    assert told["sentence"] == held.sentence()
    assert told["interval"] == list(held.interval)
    assert told["counts"]["tp"] == held.decision.tp
    (constraint,) = told["constraints"]
    assert constraint["missed"] == held.kept[0].missed
    assert len(told["other_weights"]["lam"]) == len(told["other_weights"]["wins"]["a"]) == 41
    assert told["groups"]["south"] == held.groups["south"].to_dict()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("make", [verdict, undefined])
def test_a_frame_has_a_row_for_all_and_for_each_group(library, make):
    pytest.importorskip(library)
    frame = make().to_frame(library)
    rows = 1 + len(make().groups)
    assert frame.shape[0] == rows
    threshold = next(iter(frame["threshold"]))
    assert float(getattr(threshold, "as_py", lambda: threshold)()) == make().threshold


def test_tables_of_a_verdict():
    frame = undefined().to_frame("pandas")
    assert frame["threshold"].tolist() == [inf]
    assert frame.dtypes[["threshold", "expected", "lower", "lead"]].tolist() == [float] * 4
    weights = verdict().other_weights
    assert len(weights) == 41
    np.testing.assert_allclose(weights.shares.sum(axis=1), 1)
    assert repr(weights).startswith("OtherWeights: the share of resamples that each model wins")
    lines = repr(verdict()).splitlines()
    at = lines.index("By group:")
    assert lines[at + 1].split()[:3] == ["group", "model", "threshold"]
    assert [line.split()[0] for line in lines[at + 2 :]] == ["north", "south"]


def test_notebooks_get_text_and_no_tags_of_names():
    labels, scores = sample(1.0, 2.0)
    name = "<b>&tree"
    groups = np.where(np.arange(300) % 2, "<i>", "x")
    made = iso.analyse(labels, {name: scores["b"], "b": scores["a"]}, groups=groups).verdict(**FEW)
    html = made._repr_html_()
    assert "&lt;b&gt;&amp;tree" in html
    assert "&lt;i&gt;: Use" in html
    assert not re.search("<(b|i)>", html)
    assert html.startswith("<p><strong>Use &lt;b&gt;&amp;tree and flag scores of")
    assert name in repr(made)


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"beta": 2},
        {"beta": 0},
        {"beta": inf},
        {"cost": 0.25},
        {"index": "kulczynski", "lam": 0.3},
        {"min_precision": 0.75},
        {"min_recall": 0.75},
        {"budget": 30},
    ],
)
def test_the_rule_is_almost_as_good_as_the_best_here(asked):
    """Its threshold lies between two scores, and its counts are those of the rows above it."""
    analysis = iso.analyse(*sample(1.5))
    points = analysis.models["a"]
    found = analysis.verdict(**asked, **FEW)
    best = iso.best_threshold(points, **asked)
    at = points.at([found.threshold])
    assert (at.tp[0], at.fp[0]) == (found.decision.tp, found.decision.fp)
    above = points.thresholds[points.thresholds >= found.threshold].min()
    is_lowest = above == points.thresholds[-1]
    assert found.threshold == above if is_lowest else found.threshold < above
    assert all(each.here <= each.level if each.is_limit else each.here >= each.level
               for each in found.kept)  # fmt: skip
    if "cost" not in asked:
        least = 0.99 if found.kept else 0.9
        assert least * best.value <= found.value <= best.value


@pytest.mark.parametrize("seed", range(5))
def test_all_of_weighted_rows_can_be_recalled(seed):
    random = np.random.default_rng(seed)
    labels, scores = sample(0.5, size=60, seed=seed)
    found = iso.analyse(labels, scores, sample_weight=random.random(60)).verdict(
        min_recall=1, **FEW
    )
    assert found.decision.recall == pytest.approx(1)


@pytest.mark.parametrize("unit", [8, 1e-98, 1e100])
def test_costs_in_other_units_are_the_same_choice(unit):
    analysis = iso.analyse(*sample(1.5, 1.0))
    first = analysis.verdict(cost=0.25, **FEW)
    second = analysis.verdict(miss_cost=0.75 * unit, false_alarm_cost=0.25 * unit, **FEW)
    assert (first.model, first.threshold) == (second.model, second.threshold)
    assert second.expected == pytest.approx(unit * first.expected)
    np.testing.assert_allclose(second.interval, unit * np.array(first.interval))
    assert "inf" not in str(second)
    # Models are compared in a unit of their own, which the sentence says.
    assert first.confidence_set == second.confidence_set
    assert second.lead == pytest.approx(first.lead)
    np.testing.assert_allclose(second.lead_interval, first.lead_interval)
    assert second.better_than_nothing == first.better_than_nothing


def test_nothing_costs_less_than_nothing():
    labels = np.arange(100) < 50
    mistaken = np.where(np.arange(100) == 3, 0.0, labels)
    tuning = iso.analyse(labels, labels + 0.0)
    found = iso.analyse(labels, mistaken).verdict(cost=0.5, thresholds_from=tuning, **FEW)
    assert 0 < found.interval.lower < found.expected < found.interval.upper < 0.04
    labels, scores = sample(1.0)
    scores["a"][-1] = inf
    found = iso.analyse(labels, scores).verdict(miss_cost=0.001, false_alarm_cost=1, **FEW)
    assert (found.threshold, found.decision.tp, found.decision.fp) == (inf, 0, 0)
    assert found.value == found.doing_nothing["flagging nothing"]
    assert found.better_than_nothing is False


def test_constraints_by_hand():
    analysis = iso.analyse(*sample(2.0))
    seen, sure = (analysis.verdict(min_precision=0.75, sure=level, **FEW) for level in (None, 0.95))
    assert sure.decision.precision > seen.decision.precision >= 0.75
    assert sure.kept[0].missed < seen.kept[0].missed
    assert str(sure.objective).endswith("(95% sure)")
    found = iso.analyse(*sample(2.0)).verdict(min_precision=0.8, **FEW)
    assert found.better_than_nothing is None
    assert all(map(isnan, found.doing_nothing.values()))
    # 1/49 of 49 rows is less than one row in floats.
    labels = np.arange(49) < 20
    found = iso.analyse(labels, -np.arange(49.0)).verdict(budget=1, **FEW)
    assert found.decision.tp == 1


@pytest.mark.parametrize("grouped", [False, True])
def test_progress_of_all_groups_or_of_tuning_data_is_told(grouped):
    labels, scores = sample(1.0)
    told, beside = [], {}
    analysis = iso.analyse(labels, scores, groups=np.arange(300) % 3)
    if not grouped:
        beside["thresholds_from"], analysis = two_samples()
    analysis.verdict(progress=lambda *done: told.append(done), **beside, **FEW)
    parts = 4 if grouped else 2
    assert told == [(40 * part + done, 40 * parts) for part in range(parts) for done in (32, 40)]


@pytest.mark.parametrize("beta", [0.05, 1, 20])
def test_the_range_of_beta_holds_the_one_asked_for(beta):
    found = iso.analyse(*sample(0.1, 4.0)).verdict(beta=beta, **FEW)
    assert found.beta_range.lower <= max(beta, found.other_weights.beta[0])
    assert found.beta_range.upper >= min(beta, found.other_weights.beta[-1])


def test_models_that_tie():
    labels, scores = sample(1.0)
    found = iso.analyse(labels, scores | {"b": 2 * scores["a"]}).verdict(**FEW)
    assert all(map(isnan, found.beta_range))
    labels, scores = sample(0.5, 0.6, size=100)
    for each in scores.values():
        each[-20:] += 9
    found = iso.analyse(labels, scores).verdict(cost=0.5, **FEW)
    np.testing.assert_array_equal(found.other_weights.shares[0], 0.5)


def test_the_plateau_holds_the_thresholds_that_are_almost_as_good():
    analysis = iso.analyse(*sample(2.0))
    found = analysis.verdict(**FEW)
    points = analysis.models["a"]
    good = points.f(1) >= 0.99 * found.value
    ends = (found.plateau.upper, found.threshold, found.plateau.lower)
    first, chosen, last = (np.count_nonzero(points.thresholds >= end) - 1 for end in ends)
    assert first <= chosen <= last
    assert good[first : last + 1].all()
    assert not good[first - 1]
    assert not good[last + 1]


def test_odd_resamples():
    rows = np.arange(30)
    analysis = iso.analyse((rows == 0) | (rows >= 15), -rows)
    found = analysis.verdict(min_precision=1, n_resamples=2, random_state=20)
    assert found.threshold == -0.5
    assert all(map(isnan, found.threshold_range))
    labels = np.arange(30) < 1
    _, scores = sample(1.0, 1.0, size=30)
    found = iso.analyse(labels, scores).verdict(n_resamples=200)
    assert sum(found.wins.values()) == pytest.approx(1)
    np.testing.assert_allclose(found.other_weights.shares.sum(axis=1), 1)


def test_groups_have_verdicts_of_their_own():
    labels, scores = sample(1.0, 2.0)
    groups = np.where(np.arange(300) % 3, "north", "south")
    alone = iso.analyse(
        labels[groups == "south"], {n: s[groups == "south"] for n, s in scores.items()}
    )
    assert verdict().groups["south"] == alone.verdict(min_recall=0.5, **FEW)
    whole = iso.analyse(labels, scores, groups=groups).verdict(by_group=False, **FEW)
    assert whole.groups == {}
    labels, scores = sample(3.0)
    groups = np.arange(300) % 2
    scores["a"][groups == 0] *= -1
    found = iso.analyse(labels, scores, groups=groups).verdict(min_precision=0.9, **FEW)
    assert list(found.groups) == ["1"]
    assert (
        "group 0 is left out: no threshold of any model has precision of 0.9 or more; ask for less"
        in found.warnings
    )
    labels, scores = sample(1.0)
    analysis = iso.analyse(labels, scores, groups=np.arange(300) // 30)
    warnings = analysis.verdict(**FEW).warnings
    assert "group 0 is left out: only positives" in warnings
    for asked in ({"clusters": True}, {"folds": True}):
        assert not [each for each in analysis.verdict(**asked, **FEW).warnings if "group" in each]


def test_clusters_of_equal_rows_widen_the_interval():
    labels, scores = sample(1.5, size=100)
    several = iso.analyse(
        np.repeat(labels, 5), np.repeat(scores["a"], 5), groups=np.repeat(np.arange(100), 5)
    )
    widths = [
        np.ptp(several.verdict(clusters=clusters, by_group=False, **FEW).interval)
        for clusters in (True, False)
    ]
    assert widths[0] > 1.5 * widths[1]


def test_folds_are_the_parts_that_are_left_out():
    """Scores that are good in all folds but one, where they are reversed, promise less."""
    labels, scores = sample(1.5, 1.2)
    folds = np.arange(300) % 4
    analysis = iso.analyse(labels, scores, groups=folds)
    found = analysis.verdict(folds=True, **FEW)
    assert "choices that were made on the other folds" in found.method
    clustered = analysis.verdict(folds=True, clusters=True, **FEW)
    assert clustered.method == found.method
    assert found.expected < found.value
    turned = {name: np.where(folds == 0, -each, each) for name, each in scores.items()}
    turned = iso.analyse(labels, turned, groups=folds)
    known, unknown = (turned.verdict(folds=each, **FEW) for each in (True, False))
    assert known.value == unknown.value
    assert known.expected < unknown.expected


@pytest.mark.parametrize("objective", ["accuracy", "youden"])
def test_a_criterion_is_judged_as_an_objective(objective):
    labels, scores = sample(1.5, 1.2)
    found = iso.analyse(labels, scores).verdict(objective=objective, **FEW)
    best = [
        iso.best_threshold(iso.OperatingPoints.from_scores(labels, each), objective=objective).value
        for each in scores.values()
    ]
    assert 0.95 * max(best) <= found.value <= max(best)
    assert found.interval.lower <= found.expected <= found.interval.upper
    weights = found.other_weights
    assert (weights is None) == (objective == "youden")
    assert not any("β" in line for line in found.lines())


def test_rows_are_counted_again_where_tables_are_not_complete():
    labels, scores = sample(1.5)
    analysis = iso.analyse(labels, scores)
    hull = replace(analysis, models={"a": analysis.models["a"].hull()})
    assert hull.verdict(**FEW) == analysis.verdict(**FEW)


def grouped(analysis, groups):
    return iso.analyse(analysis.rows.labels, analysis.rows.scores, groups=groups)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"folds": True}, "folds=True takes the groups for folds, but there are no groups"),
        ({"folds": [1, 2]}, "folds must be True or False: the folds of an analysis are its groups"),
        ({"confidence_level": 95}, "confidence_level must be"),
        ({"n_resamples": 0}, "n_resamples must be"),
        ({"kernel": "fast"}, "kernel must be one of"),
        ({"progress": 3}, "progress must be"),
        ({"random_state": "a"}, "random_state must be"),
        ({"beta": 1, "cost": 0.5}, "more than one objective is given"),
        ({"clusters": True}, "there are no groups to draw; clusters=True needs groups, such as"),
        (
            {"min_precision": 1.0, "sure": 0.99},
            "no threshold of any model has precision of 1 with 99% confidence; ask for",
        ),
    ],
)
def test_what_makes_no_sense_or_has_no_answer_is_refused(asked, message):
    with pytest.raises((ParameterError, NotAnswerableError), match=message):
        iso.analyse(*sample(1.0)).verdict(**(FEW | asked))


def test_tuning_data_and_folds_that_do_not_fit_are_refused():
    tuning, test = two_samples()
    name = next(iter(test.models))
    hull = iso.Analysis({name: tuning.models[name].hull()}, without_rows="")
    groups = grouped(test, np.arange(150) % 3)
    for analysis, asked, message in (
        (test, {"thresholds_from": iso.analyse(*sample(1.0))}, "the tuning data has the models a"),
        (test, {"thresholds_from": tuning, "folds": True}, "pass folds= or thresholds_from=, not"),
        (
            test,
            {"thresholds_from": iso.Analysis(dict(tuning.models))},
            "choosing on tuning data needs the rows",
        ),
        (test._only(name), {"thresholds_from": hull}, "have: the table does not tell every row$"),
        # Else single rows of the tuning data were drawn, as if they were independent.
        (
            groups,
            {"thresholds_from": tuning, "clusters": True},
            "^the tuning data: there are no groups to draw; clusters=True needs groups",
        ),
        (
            grouped(test, np.ones(150)),
            {"folds": True},
            "there is one group only; as folds two or more",
        ),
    ):
        with pytest.raises((ParameterError, NotAnswerableError), match=message):
            analysis.verdict(**asked, **FEW)


def two_samples():
    labels, scores = sample(1.5, 1.0)
    even = np.arange(300) % 2 == 0
    return [
        iso.analyse(labels[rows], {name: each[rows] for name, each in scores.items()})
        for rows in (even, ~even)
    ]


def test_tuning_data_choose_and_these_rows_judge():
    tuning, test = two_samples()
    found = test.verdict(thresholds_from=tuning, min_recall=0.5, **FEW)
    chosen = tuning.verdict(min_recall=0.5, **FEW)
    assert (found.model, found.threshold) == (chosen.model, chosen.threshold)
    at = test.models[found.model].at([found.threshold])
    assert found.value == found.expected == pytest.approx(at.precision[0])
    assert found.kept[0].here == found.kept[0].expected == pytest.approx(at.recall[0])
    assert "chosen on the tuning data" in found.method
    assert found.runner_up == chosen.runner_up
    assert found.rows == 150


def test_odd_tuning_data():
    tuning, test = two_samples()
    lower = iso.analyse(test.rows.labels, {n: s - 100 for n, s in test.rows.scores.items()})
    found = lower.verdict(thresholds_from=tuning, **FEW)
    assert found.value == 0
    assert all(map(isnan, found.plateau))
    assert found.better_than_nothing is False
    reversed_b = iso.analyse(
        tuning.rows.labels, {"a": tuning.rows.scores["a"], "b": -9 * tuning.rows.labels + 0.0}
    )
    found = test.verdict(thresholds_from=reversed_b, min_precision=0.8, **FEW)
    assert found.model == "a"
    assert found.wins == {"a": 1, "b": 0}
    few = iso.analyse(test.rows.labels[:60], {n: s[:60] for n, s in test.rows.scores.items()})
    found = few.verdict(thresholds_from=tuning, budget=12, **FEW)
    (kept,) = found.kept
    assert kept.constraint == "at most 20% flagged"
    assert kept.here == (found.decision.tp + found.decision.fp) / 60
    # A fifth of the 150 rows, on which the rule was chosen.
    chosen = tuning.models[found.model].at([found.threshold])
    assert chosen.tp[0] + chosen.fp[0] == 30


def test_groups_without_a_verdict_are_told_with_tuning_data():
    tuning, test = two_samples()
    there, here = (grouped(each, np.arange(150) % 3) for each in (tuning, test))
    found = here.verdict(thresholds_from=tuning, **FEW)
    assert found.groups == {}
    assert found.warnings[-1].startswith("the groups have no verdicts of their own")
    drawn = here.verdict(thresholds_from=there, clusters=True, **FEW)
    assert not any("no verdicts of their own" in each for each in drawn.warnings)
    labels = np.arange(60) % 3
    scores = np.random.default_rng(0).random((60, 3))
    analysis = iso.analyse(labels, scores, groups=np.arange(60) % 5)
    assert analysis.verdict_by_class(clusters=True, **FEW).keys() == {"0", "1", "2"}
    tables = replace(analysis, class_rows={}, without_rows="they are gone")
    with pytest.raises(NotAnswerableError, match=r"^clusters draws .* have: they are gone$"):
        tables.verdict_by_class(clusters=True, **FEW)
