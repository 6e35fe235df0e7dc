"""A score of ±inf, at every entry: what is printed of a rule is what the rule does to the rows.

The threshold +inf belongs to flagging nothing, and no score reaches it; a score of +inf counts as
the highest float.
"""

import csv
import json
import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics.cli import main
from isometrics.decisions.decision import data_of, decision_of_data
from isometrics.testing.strategies import binary_samples

FEW = {"n_resamples": 20, "random_state": 0}
GOALS = [
    {},
    {"cost": 0.7},
    {"objective": "youden"},
    {"budget": 1},
    {"miss_cost": 1, "false_alarm_cost": 3},
    {"index": "cost", "lam": 0.2},
    {"min_recall": 0.5},
    {"max_fpr": 0.5},
]

samples = binary_samples(dtypes=["float32", "float64"])


def flagged(scores, threshold):
    """The rule as anybody would write it; the threshold +inf is that of flagging nothing."""
    return (scores >= threshold) & (threshold < math.inf)


def counts(labels, scores, threshold):
    rows = flagged(np.asarray(scores, float), threshold)
    return int(rows[labels].sum()), int(rows[~labels].sum())


@given(samples)
def test_every_row_of_a_table_is_what_its_threshold_flags(sample):
    labels, scores = sample
    pts = iso.OperatingPoints.from_scores(labels, scores)
    assert (np.diff(pts.thresholds) < 0).all()
    assert (pts.thresholds[0], pts.tp[0], pts.fp[0]) == (math.inf, 0, 0)
    assert len(pts) == 1 + np.unique(scores + 0.0).size
    for row in (*zip(pts.thresholds, pts.tp, pts.fp, strict=True),):
        assert counts(labels, scores, row[0]) == row[1:]
    at = pts.at(pts.thresholds)
    np.testing.assert_array_equal((at.tp, at.fp), (pts.tp, pts.fp))


@given(samples, samples, st.sampled_from(GOALS))
def test_a_decision_counts_what_it_flags_here_and_elsewhere(sample, other, goal):
    labels, scores = sample
    decision = iso.best_threshold(iso.OperatingPoints.from_scores(labels, scores), **goal)
    read = decision_of_data(json.loads(json.dumps(data_of(decision))))
    for each in (decision, read):
        rows = each.predict(scores)
        assert (rows[labels].sum(), rows[~labels].sum()) == (each.tp, each.fp)
    elsewhere = iso.OperatingPoints.from_scores(*other).at(decision.threshold)
    rows = decision.predict(other[1])
    assert (elsewhere.tp[0], elsewhere.fp[0]) == (rows[other[0]].sum(), rows[~other[0]].sum())
    np.testing.assert_array_equal(rows, flagged(np.asarray(other[1], float), decision.threshold))


@given(samples, st.sampled_from([0.05, 1, 20]))
def test_a_verdict_is_compared_with_doing_nothing(sample, ratio):
    labels, scores = sample
    costs = {"miss_cost": 1, "false_alarm_cost": ratio}
    verdict = iso.analyse(labels, scores).verdict(**costs, **FEW)
    tp, fp = counts(labels, scores, verdict.threshold)
    assert (verdict.decision.tp, verdict.decision.fp) == (tp, fp)
    assert ("lag nothing" in verdict.sentence()) <= (tp + fp == 0)
    size, positives = labels.size, labels.sum()
    nothing = {
        "flagging everything": (size - positives) * ratio / size,
        "flagging nothing": positives / size,
    }
    known = {name: verdict.doing_nothing[name] for name in nothing}
    assert known == pytest.approx(nothing)
    assert verdict.value == pytest.approx(((positives - tp) + ratio * fp) / size)
    assert (
        verdict.value
        >= iso.best_threshold(iso.OperatingPoints.from_scores(labels, scores), **costs).value
        - 1e-12
    )
    # The median of the best rules in resamples may be worse here; then the sentence says so.
    assert (verdict.better_than_nothing is True) <= (verdict.value < min(nothing.values()))
    useless = any(said in verdict.sentence() for said in ("is not better than", "barely fails to"))
    assert useless == (verdict.better_than_nothing is False)


@given(samples, samples, st.sampled_from([0.05, 1, 20]))
def test_a_rule_of_tuning_data_is_judged_as_it_is_applied(tuning, test, ratio):
    costs = {"miss_cost": 1, "false_alarm_cost": ratio}
    verdict = iso.analyse(*test).verdict(thresholds_from=iso.analyse(*tuning), **costs, **FEW)
    found = (verdict.decision.tp, verdict.decision.fp)
    assert found == counts(*test, verdict.threshold)


def rows_of(file):
    with file.open() as lines:
        return list(csv.DictReader(lines))


def test_the_command_says_of_a_rule_what_it_does(tmp_path, capsys):
    """Of 37 rows with log-odds of +inf, 35 are negative."""
    labels = np.arange(200) % 4 == 0
    scores = np.round(np.sin(np.arange(200)) + labels, 2)
    top = [*np.flatnonzero(~labels)[:35], *np.flatnonzero(labels)[:2]]
    scores[top] = math.inf
    file, rule, flags = (tmp_path / name for name in ("a.csv", "rule.json", "flags.csv"))
    file.write_text(
        "label,score\n" + "".join(f"{int(y)},{s}\n" for y, s in zip(labels, scores, strict=True))
    )

    def data(*words):
        assert main([str(word) for word in (*words, "--json")]) == 0
        return json.loads(capsys.readouterr().out)

    def check(told, threshold):
        number = math.inf if threshold == "Infinity" else threshold
        assert (told["tp"], told["fp"]) == counts(labels, scores, number)

    for ratio in (0.01, 1, 100):
        costs = ("--miss-cost", 1, "--false-alarm-cost", ratio)
        (verdict,) = [data("verdict", file, *costs, "--resamples", 40, "-o", rule)["verdict"]]
        check(verdict["counts"], verdict["threshold"])
        assert verdict["doing_nothing"]["flagging nothing"] == pytest.approx(labels.mean())
        (best,) = data("thresholds", file, *costs)["thresholds"]
        check(best, best["threshold"])
        data("apply", rule, file, "-o", flags)
        applied = np.array([row["flagged"] == "true" for row in rows_of(flags)])
        saved = json.loads(rule.read_text())
        assert (applied[labels].sum(), applied[~labels].sum()) == (saved["tp"], saved["fp"])
        check(saved, saved["threshold"])
    for threshold, expected in (("inf", (0, 0)), (sys.float_info.max, (2, 35))):
        given, _ = data("thresholds", file, "--threshold", threshold, "--resamples", 20)[
            "thresholds"
        ]
        assert (given["tp"], given["fp"]) == expected
