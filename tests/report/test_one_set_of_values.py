"""What a verdict says, draws and writes is one set of values, of models corrected alike."""

import math
import re

import numpy as np
import pytest

import isometrics as iso
from isometrics._core.results import join_names
from isometrics.errors import NotAnswerableError
from isometrics.report.model import report_model

from .test_page_verdict import KINDS, OBJECTIVES, sample_of
from .test_same_numbers import close


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
    close(verdict.lead * unit, sign * (mine - theirs))
    if " beats " in said:
        assert sign * mine >= best
        assert verdict.confidence_set == (verdict.model,)
    if "cannot tell" in said:
        text = re.search(r"Expect \D.*? (\S+) on new data", said)[1]
        assert f"cannot tell {join_names([verdict.model])} ({text})" in said
        assert f"; {join_names([verdict.model])} is used by default." in said
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
