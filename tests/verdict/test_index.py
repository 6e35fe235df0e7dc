"""Verdicts about a weighted index, against brute force over all rules in exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics._core.counts import HIGHEST_SCORE
from isometrics.errors import NotAnswerableError
from isometrics.testing.strategies import binary_samples

FEW = {"n_resamples": 60, "random_state": 1, "by_group": False}
LABELS, SCORES = [0, 0, 1, 0, 0, 0], [5, 4, 3, 2, 1, 0]
"""The highest scores are of negatives."""


def rules_of(labels, scores):
    rules = {threshold: scores >= threshold for threshold in np.unique(scores)[::-1].tolist()}
    if math.inf in rules:
        rules = {HIGHEST_SCORE: rules.pop(math.inf)} | rules
    rules = {math.inf: np.zeros(len(scores), bool)} | rules
    return {
        threshold: (int(flagged[labels].sum()), int(flagged[~labels].sum()))
        for threshold, flagged in rules.items()
    }


@given(
    binary_samples(dtypes=["float64"]),
    st.sampled_from([0.0, 0.125, 0.5, 0.75, 1.0]),
    st.none() | st.integers(0, 6),
)
def test_the_cost_is_the_best_of_all_rules(sample, lam, budget):
    """λ·tpr + (1-λ)·(1-fpr) of every rule, the empty one included."""
    labels, scores = sample
    rules = rules_of(labels, scores)
    positives, negatives = int(labels.sum()), int((~labels).sum())
    weight = Fraction(lam)
    values = {
        threshold: weight * tp / positives + (1 - weight) * (1 - Fraction(fp, negatives))
        for threshold, (tp, fp) in rules.items()
        if budget is None or tp + fp <= budget
    }
    asked = {"index": "cost", "lam": lam, "budget": budget, **FEW, "n_resamples": 2}
    analysis = iso.analyse(labels, scores)
    verdict = analysis.verdict(**asked)
    best = float(max(values.values()))
    # A budget is kept more safely by rules that are almost as good.
    assert (0.99 * best if budget is not None else 0) <= verdict.value <= best + 1e-15
    edge = min((each for each in rules if each >= verdict.threshold), default=math.inf)
    assert float(values[edge]) == pytest.approx(verdict.value, abs=1e-15)
    decision = iso.best_threshold(
        iso.OperatingPoints.from_scores(labels, scores), index="cost", lam=lam, budget=budget
    )
    assert decision.value == pytest.approx(best, abs=1e-15)


@pytest.mark.parametrize("budget", [None, 2, 0])
def test_flagging_nothing_may_have_the_highest_cost(budget):
    verdict = iso.analyse(LABELS, SCORES).verdict(index="cost", lam=0.1, budget=budget, **FEW)
    assert (verdict.threshold, verdict.value) == (math.inf, 0.9)
    assert verdict.doing_nothing["flagging nothing"] == 0.9
    assert verdict.sentence() == (
        "This model is not better than flagging nothing, beyond chance. Cost (λ 0.1) is 0.90 on "
        "these rows."
    )


def many():
    random = np.random.default_rng(4)
    labels = random.random(1000) < 0.2
    scores = random.normal(labels)
    scores[np.flatnonzero(~labels)[0]] = 9
    return labels, scores


@pytest.mark.parametrize("budget", [None, 1])
def test_what_to_expect_of_a_cost_lies_within_its_range(budget):
    labels, scores = many()
    verdict = iso.analyse(labels, scores).verdict(index="cost", lam=0.1, budget=budget, **FEW)
    assert verdict.expected == pytest.approx(0.9, abs=0.01)
    assert 0.88 < verdict.interval.lower <= verdict.expected <= verdict.interval.upper <= 1
    assert verdict.better_than_nothing is False
    assert "not better than flagging nothing" in verdict.sentence()


def test_rules_given_in_advance_have_their_cost():
    """At 5 no positive is flagged, and one negative of 800 or so."""
    labels, scores = many()
    check = iso.analyse(labels, scores).at([5.0], index="cost", lam=0.1, n_resamples=60)
    frame = check.to_frame("polars")
    given_rule, best = frame.rows(named=True)
    assert given_rule["value"] == pytest.approx(0.9 * (1 - 1 / (~labels).sum()))
    assert 0.89 < given_rule["lower"] <= given_rule["value"] <= given_rule["upper"] <= 1
    assert best["expected"] == pytest.approx(0.9, abs=0.01)
    assert 0.88 < best["lower"] <= best["upper"] <= 1


@pytest.mark.parametrize("index", ["f-measure", "jaccard", "kulczynski", "folke", "f-gain"])
def test_rules_without_a_hit_are_rules(index):
    """As for F, only the rule that flags one negative keeps the budget."""
    analysis = iso.analyse(LABELS, SCORES)
    verdict = analysis.verdict(index=index, budget=1, **FEW)
    assert (verdict.threshold, verdict.value) == (4.5, -math.inf if index == "f-gain" else 0)
    assert verdict.threshold == analysis.verdict(beta=1, budget=1, **FEW).threshold


@pytest.mark.parametrize("asked", [{"index": "jaccard"}, {"beta": 1}])
def test_a_budget_that_leaves_no_rule_is_to_be_raised(asked):
    message = "^no threshold that flags a row of any model has at most 0% flagged; allow more$"
    with pytest.raises(NotAnswerableError, match=message):
        iso.analyse(LABELS, SCORES).verdict(budget=0, **asked, **FEW)


def two_models():
    """Of one model the highest row is a rare positive, of the other a negative."""
    labels = np.arange(40) % 8 == 0
    good = np.where(labels, 2.0, 1.0) * np.arange(40, 0, -1)
    return labels, {"bad": np.where(labels, -1.0, 1.0) * np.arange(40, 0, -1), "good": good}


def test_an_f_gain_without_a_bound_leaves_the_other_end_of_its_interval():
    """A third of the resamples do not have the only positive that the best rule flags."""
    labels = np.isin(np.arange(40), [0, 36, 37, 38, 39])
    scores = -np.maximum(np.arange(40), 1)
    verdict = iso.analyse(labels, scores).verdict(index="f-gain", lam=0.05, **FEW)
    assert (verdict.decision.tp, verdict.decision.fp) == (1, 1)
    assert math.isfinite(verdict.expected)
    assert verdict.interval.lower < -1
    assert verdict.expected <= verdict.interval.upper <= 1


def test_models_without_a_hit_come_last():
    """Under the budget the first model has rules without a positive only."""
    labels, scores = two_models()
    verdict = iso.analyse(labels, scores).verdict(index="f-gain", budget=2, **FEW)
    assert (verdict.model, verdict.runner_up) == ("good", "bad")
    assert verdict.wins["good"] > 0.9
    assert verdict.confidence_set == ("good",)
    values = {each.name: each.here for each in verdict.models}
    assert values["bad"] == -math.inf
    # Equal scores leave the first model no rule that keeps the budget.
    none = [9, 9, 3, 2, 1, 0]
    verdict = iso.analyse(LABELS, {"none": none, "one": SCORES}).verdict(
        index="f-gain", budget=1, **FEW
    )
    assert (verdict.model, verdict.threshold) == ("one", 4.5)
    assert verdict.runner_up == "none"
    labels, scores = two_models()
    tuning = iso.analyse(labels, {"a": scores["good"], "b": scores["good"] + 1})
    test = iso.analyse(labels, {"a": scores["bad"] * 99, "b": scores["bad"] * 99})
    verdict = test.verdict(index="f-gain", budget=1, thresholds_from=tuning, **FEW)
    assert verdict.value == verdict.expected == -math.inf
    assert math.isnan(verdict.interval.lower)
