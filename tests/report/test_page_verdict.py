"""The page judges as Python does; what a verdict says, draws and writes is one set of values."""

import math
import re

import numpy as np
import pytest

import isometrics as iso
from isometrics._core.parameters import parse_random_state
from isometrics._core.results import join_names
from isometrics.analysis.verdicts import RESAMPLES, contest_of_rows
from isometrics.decisions.objective import parse_objective
from isometrics.errors import NotAnswerableError
from isometrics.report.model import MOST_ROWS, report_model
from isometrics.uncertainty.intervals import percent_of_replicates
from isometrics.verdict.choosing import least_resamples
from isometrics.verdict.contest import Options
from isometrics.verdict.estimates import estimate
from isometrics.verdict.judge import deal
from isometrics.verdict.sentences import _explained

from .drawn import strange_sample
from .test_same_numbers import close, plain

REPLICATES = 500
"""Enough for two dealings of the rows into parts; the last block is not a whole one."""

OBJECTIVES = [
    {},
    {"beta": 2.0},
    {"beta": 0.3},
    {"beta": 0.0},
    {"beta": np.inf},
    {"miss_cost": 50.0, "false_alarm_cost": 1.0},
    {"miss_cost": 0.0, "false_alarm_cost": 2.5},
    {"min_precision": 0.6},
    {"min_recall": 0.8},
    {"max_fpr": 0.1},
    {"min_specificity": 0.8},
    {"budget": 40},
]


def sample_of(rng, kind):
    rows = int(rng.integers(40, 260))
    labels = rng.random(rows) < rng.choice([0.1, 0.3, 0.6])
    labels[:6] = [True, False] * 3
    weights = None
    models = {
        f"model {place}": rng.normal(2.0 * labels) for place in range(int(rng.integers(1, 5)))
    }
    if kind == "noise":
        models = {name: rng.random(rows) for name in ("coin", "  \n", "die")}
    elif kind == "ties":
        models = {name: each.round(1) for name, each in models.items()}
    elif kind == "twins":
        (name, scores), *_ = models.items()
        models = {name: scores, "twin": scores.copy(), "worse": rng.normal(labels)}
    elif kind == "strange":
        labels, scores = strange_sample(rng, rows)
        models = {"strange": scores, "plain": rng.normal(labels)}
    elif kind == "weights":
        weights = rng.random(rows) + 0.01
    elif kind == "whole weights":
        weights = rng.integers(1, 5, rows)
    elif kind == "few":
        labels = np.arange(rows) < 1 + int(rng.integers(3))
        models = {"score": rng.normal(labels)}
    elif kind == "two scores":
        models = {"said": (labels ^ (rng.random(rows) < 0.2)).astype(float)}
    elif kind == "perfect":
        models = {"perfect": labels + rng.random(rows) / 2, "reversed": -1.0 * labels}
    return labels, models, weights


KINDS = [
    "plain",
    "noise",
    "ties",
    "twins",
    "strange",
    "weights",
    "whole weights",
    "few",
    "two scores",
    "perfect",
]


def ranks_of(scores):
    """Return the number of each row's score among the distinct ones, from the highest on."""
    # As in a table, +inf is the highest number, so that the threshold +inf flags nothing.
    distinct, place = np.unique(np.minimum(scores, np.finfo(float).max), return_inverse=True)
    return (distinct.size - place).tolist(), [np.inf, *distinct[::-1].tolist()]


def question_of(labels, models, weights, asked, prevalence, *, drawn=True):
    """Return what the page is asked, with the draws of Python's own verdict."""
    analysis = iso.analyse(labels, models, sample_weight=weights)
    options = Options(n_resamples=REPLICATES)
    asked = parse_objective(**asked)
    contest = contest_of_rows(analysis.rows, analysis.models, asked, options, prevalence)
    seeds = parse_random_state(0).spawn(2)
    weightings, folds = None, []
    if drawn:
        drawing = options._replace(random_state=seeds[0])
        weightings = np.concatenate(drawing.map(contest, lambda drawn, _: drawn)).tolist()
        folds = [fold.tolist() for fold in deal(contest, options, seeds[1])[0]]
    ranked = [ranks_of(scores) for scores in analysis.rows.scores.values()]
    objective = contest.objective
    constraint = next(iter(objective.constraints), None)
    return {
        "labels": analysis.rows.labels.astype(int).tolist(),
        "weights": None if weights is None else np.asarray(weights, float).tolist(),
        "names": list(analysis.models),
        "ranks": [ranks for ranks, _ in ranked],
        "thresholds": [[plain(value) for value in values] for _, values in ranked],
        "objective": {
            "beta": plain(getattr(objective, "beta", None)),
            "costs": getattr(objective, "costs", None),
            "constraint": constraint
            and {"quantity": constraint.quantity, "level": constraint.level},
        },
        "prevalence": prevalence,
        "level": 0.95,
        "replicates": REPLICATES,
        "weightings": weightings,
        "folds": folds,
    }


def verdict_of(labels, models, weights, asked, prevalence):
    analysis = iso.analyse(labels, models, sample_weight=weights)
    if prevalence is not None:
        analysis = analysis.at_prevalence(prevalence)
    return analysis.verdict(**asked, n_resamples=REPLICATES)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_draws_make_the_same_verdict(ask, drawn_seed, kind):
    rng = np.random.default_rng([drawn_seed, KINDS.index(kind)])
    cases = []
    for asked in OBJECTIVES:
        prevalence = None if rng.random() < 0.7 else float(rng.uniform(0.01, 0.9))
        cases.append((*sample_of(rng, kind), asked, prevalence))
    questions = [question_of(*case) for case in cases]
    for case, found in zip(cases, ask("verdicts", questions), strict=True):
        if "refused" in found:
            with pytest.raises(NotAnswerableError, match=re.escape(found["refused"])):
                verdict_of(*case)
            continue
        right = verdict_of(*case)
        assert found["lines"] == right.lines()
        assert found["model"] == right.model
        assert found["together"] == list(right.confidence_set)
        assert found["better"] == right.better_than_nothing
        assert found["barelyBetter"] == right.barely_better
        assert found["barelyToldApart"] == right.barely_told_apart
        assert found["runnerUp"] == right.runner_up
        for name, value in (
            ("threshold", right.threshold),
            ("value", right.value),
            ("expected", right.expected),
            ("interval", right.interval),
            ("wins", [share for _, share in right.wins.items()]),
            ("lead", right.lead),
            ("leadInterval", right.lead_interval),
            ("thresholdRange", right.threshold_range),
            ("plateau", right.plateau),
            ("doingNothing", list(right.doing_nothing.values())),
            ("betaRange", right.beta_range),
        ):
            told = found[name]
            if name in ("wins", "doingNothing"):
                told = [each for _, each in told]
            close(told, np.asarray(value, float))
        for told, held in zip(found["models"], right.models, strict=True):
            close(
                [told["threshold"], told["here"], told["expected"], *told["interval"]],
                list(held[1:4]) + list(held.interval),
            )
        for told, kept in zip(found["kept"], right.kept, strict=True):
            close(
                [told[each] for each in ("here", "expected", "missed")],
                [kept.here, kept.expected, kept.missed],
            )
            close(told["interval"], kept.interval)


def test_python_draws_all_resamples_of_rows_that_a_page_has():
    """Python may stop early where rows are many; the page never does."""
    labels = np.arange(MOST_ROWS) % 4 == 0
    analysis = iso.analyse(labels, {"score": np.arange(MOST_ROWS)})
    asked = (analysis.rows, analysis.models, parse_objective(), Options(), None)
    contest = contest_of_rows(*asked)
    assert least_resamples(contest, RESAMPLES) == RESAMPLES


def test_draws_of_the_page_agree_within_their_error(ask):
    """Both estimate the same expected value, interval and shares, each with its own chance."""
    rng = np.random.default_rng(5)
    labels = np.arange(400) < 120
    models = {"a": rng.normal(1.6 * labels), "b": rng.normal(1.3 * labels)}
    case = (labels, models, None, {"miss_cost": 4.0, "false_alarm_cost": 1.0}, None)
    question = question_of(*case, drawn=False) | {"replicates": 2000}
    (found,) = ask("verdicts", [question])
    right = iso.analyse(labels, models).verdict(**case[3])
    assert found["model"] == right.model
    width = right.interval.upper - right.interval.lower
    assert found["expected"] == pytest.approx(right.expected, abs=0.05 * width)
    for told, end in zip(found["interval"], right.interval, strict=True):
        assert told == pytest.approx(end, abs=0.12 * width)
    for name, share in found["wins"]:
        # Five standard errors of a share of 2,000 replicates, on both sides.
        assert share == pytest.approx(right.wins[name], abs=5 * np.sqrt(2 * 0.25 / 2000))


def test_numbers_are_printed_as_python_prints_them(ask, drawn_seed):
    """Costs go into the sentences, whatever they are."""
    rng = np.random.default_rng(drawn_seed)
    costs = [0.0078125, 1e-5, 123456.5, 1234565.0, 2.5e17, 0.1 + 0.2, 9.9999995]
    costs += (10.0 ** rng.uniform(-12, 12, 30)).tolist()
    labels = np.array([1, 0, 1, 0, 1, 0])
    models = {"score": np.arange(6.0)}
    cases = [
        (labels, models, None, {"miss_cost": cost, "false_alarm_cost": cost / 4}, None)
        for cost in costs
    ]
    questions = [question_of(*case, drawn=False) | {"replicates": 2} for case in cases]
    for cost, found in zip(costs, ask("verdicts", questions), strict=True):
        objective = parse_objective(miss_cost=cost, false_alarm_cost=cost / 4)
        assert _explained(objective) in found["lines"]


def verdicts(seed, repetitions):
    """Yield analyses and verdicts of small samples: several models, ties, noise and weights."""
    rng = np.random.default_rng(seed)
    for kind in KINDS * repetitions:
        labels, models, weights = sample_of(rng, kind)
        asked = OBJECTIVES[rng.integers(len(OBJECTIVES))]
        analysis = iso.analyse(labels, models, sample_weight=weights)
        try:
            yield analysis, analysis.verdict(**asked, n_resamples=30)
        except NotAnswerableError:
            continue


def check_choice(verdict):
    expected = {each.name: each.expected for each in verdict.models}
    mine = expected[verdict.model]
    close(verdict.expected, mine)
    close(verdict.interval, next(e.interval for e in verdict.models if e.name == verdict.model))
    said = verdict.sentence()
    assert "trail" not in said
    if verdict.runner_up is None or math.isnan(mine):
        return
    sign = 1 if verdict.objective.higher_is_better else -1
    others = [sign * each for name, each in expected.items() if name != verdict.model]
    best = np.nanmax([*others, -math.inf])
    theirs = expected[verdict.runner_up]
    assert math.isnan(theirs) or sign * theirs == best
    unit = sum(getattr(verdict.objective, "costs", (1.0,)))
    # Nothing is expected to lie beyond the worst value, however far behind it is.
    if theirs not in verdict.objective.limits:
        close(verdict.lead * unit, sign * (mine - theirs))
    if " beats " in said:
        assert sign * mine >= best
        assert verdict.confidence_set == (verdict.model,)
    if "cannot tell" in said:
        text = re.search(r"Expect \D.*? (\S+) on new data", said)[1]
        assert f"cannot tell {join_names([verdict.model])} ({text})" in said
        why = "was chosen on the tuning data" if verdict._tuned else "is used by default"
        assert f"; {join_names([verdict.model])} {why}." in said
        assert len(re.findall(r" \([-\d.,e]+\)", said)) == len(verdict.confidence_set)


def check_pictures(analysis, verdict):
    values = [[each.here, each.expected, *each.interval] for each in verdict.models]
    told = verdict.to_dict()["models"]
    picture = report_model(analysis.models, verdict=verdict)["verdicts"][0]["picture"]
    for value, json, drawn in zip(values, told, picture["models"], strict=True):
        known = [each if math.isfinite(each) else None for each in value]
        assert [json["value"], json["expected"], *json["interval"]] == known
        assert [drawn[name] for name in ("here", "expected", "lower", "upper")] == known
    row = verdict.to_frame("pandas").iloc[0]
    close([row["expected"], row["lead"]], [verdict.expected, verdict.lead])


@pytest.mark.parametrize("repetitions", [1, pytest.param(40, marks=pytest.mark.slow)])
def test_statements_do_not_contradict_each_other(drawn_seed, repetitions):
    for analysis, verdict in verdicts(drawn_seed, repetitions):
        check_choice(verdict)
        check_pictures(analysis, verdict)


def test_a_model_in_other_units_has_the_value_of_the_chosen_one(drawn_seed):
    """One of them was corrected for the choice among the models, the other was not."""
    rng = np.random.default_rng(drawn_seed)
    labels = np.arange(120) < 40
    models = {name: rng.normal(1.2 * labels) for name in "abc"}
    models |= {name + "'": np.exp(each) for name, each in models.items()}
    verdict = iso.analyse(labels, models).verdict(n_resamples=100)
    values = {each.name: each[1:] for each in verdict.models}
    for name in "abc":
        close(values[name][1], values[name + "'"][1])
        close(values[name][2], values[name + "'"][2])


def test_a_limit_that_every_row_keeps_is_never_exceeded():
    labels = np.arange(60) < 20
    verdict = iso.analyse(labels, {"same": np.zeros(60)}).verdict(budget=60, n_resamples=64)
    (kept,) = verdict.kept
    assert (kept.expected, kept.missed) == (1, 0)


def test_an_interval_ends_where_the_scale_does():
    """Rounding made an end of 0.9999999999999999, which is printed as 1 and not as 1.00."""
    rng = np.random.default_rng(0)
    for drawn in 1 - rng.random((200, 5)) / 10:
        assert estimate(1.0, 0.0, drawn, (0.0, 1.0), 0.95).interval.upper == 1
        assert estimate(0.0, 0.0, 1 - drawn, (0.0, 1.0), 0.95).interval.lower == 0


def test_a_model_without_a_rule_and_without_a_value():
    rng = np.random.default_rng(0)
    labels = np.arange(200) < 60
    analysis = iso.analyse(labels, {"good": rng.normal(4.0 * labels), "bad": rng.random(200)})
    verdict = analysis.verdict(beta=0, min_precision=0.95, n_resamples=64)
    assert verdict.confidence_set == ("good",)
    assert [math.isnan(each.expected) for each in verdict.models] == [False, True]
    assert math.isnan(verdict.lead)


def test_a_model_without_a_rule_on_the_tuning_data_is_left_out():
    rng = np.random.default_rng(0)
    labels = np.arange(200) < 60
    tuning, judged = (
        iso.analyse(labels, {"good": rng.normal(4.0 * labels), "bad": rng.random(200)})
        for _ in range(2)
    )
    verdict = judged.verdict(thresholds_from=tuning, min_precision=0.95, n_resamples=64)
    assert [math.isnan(each.here) for each in verdict.models] == [False, True]
    assert verdict.confidence_set == ("good",)


def test_what_is_rarer_than_a_resample_has_only_a_bound():
    said = [percent_of_replicates(share, 1000) for share in (0, 1e-9, 0.001, 0.999, 1 - 1e-9, 1)]
    assert said == ["below 0.1%"] * 2 + ["0.1%", "99.9%"] + ["above 99.9%"] * 2


@pytest.mark.parametrize(("better", "said"), [(0.0, "cannot tell"), (4.0, "these rows speak for")])
def test_rows_that_judge_may_speak_against_the_tuning_data(better, said):
    rng = np.random.default_rng(2)
    labels = np.arange(300) < 100

    def drawn(a, b):
        return iso.analyse(labels, {"a": rng.normal(a * labels), "b": rng.normal(b * labels)})

    tuning = drawn(2.2, 1.6)
    verdict = drawn(1.5, 1.5 + better).verdict(thresholds_from=tuning, n_resamples=100)
    assert verdict.model == "a"
    check_choice(verdict)
    assert said in verdict.sentence()
    assert ("a" in verdict.confidence_set) is (better == 0)
    assert (verdict.lead_interval.upper < 0) is (better > 0)
