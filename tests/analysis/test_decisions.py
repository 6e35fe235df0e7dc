"""Decisions of an analysis: the rule of a model, with all it takes to apply it."""

import datetime
import math

import numpy as np
import pandas as pd
import pytest

import isometrics as iso
from isometrics.errors import ParameterError

RNG = np.random.default_rng(8)
LABELS = np.arange(300) < 90
SCORES = {"a": RNG.normal(LABELS).round(2), "b": RNG.normal(1.5 * LABELS).round(2)}
ANALYSIS = iso.analyse(LABELS, SCORES)


def written(tmp_path, frame, name="predictions.csv"):
    path = tmp_path / name
    frame.to_csv(path, index=False) if name.endswith("csv") else frame.to_parquet(path)
    return path


@pytest.mark.parametrize(
    "objective", [{}, {"beta": 2}, {"min_precision": 0.6}, {"budget": 50}, {"objective": "youden"}]
)
def test_a_decision_is_the_best_threshold_of_a_model(objective):
    decision = ANALYSIS.decision("b", **objective)
    best = iso.best_threshold(ANALYSIS.models["b"], **objective)
    for name in ("threshold", "tp", "fp", "fn", "tn", "value", "objective", "prevalence"):
        assert getattr(decision, name) == getattr(best, name)
    assert decision.origin.model == "b"
    assert decision.parameters == best.parameters
    assert decision.parameters.items() >= objective.items()
    flagged = decision.predict(SCORES["b"])
    assert (flagged & LABELS).sum() == decision.tp
    assert repr(decision).startswith(f"Decision: threshold {best.threshold:g} of b, best for ")
    assert decision.to_frame("pandas").columns[0] == "model"


def test_which_model_is_asked_where_there_are_several():
    with pytest.raises(ParameterError) as caught:
        ANALYSIS.decision()
    assert str(caught.value) == "model must be one of 'a' or 'b', or ask verdict() for the best one"
    with pytest.raises(ParameterError, match="model must be one of 'a', 'b' but is 'c'"):
        ANALYSIS.decision("c")
    assert iso.analyse(LABELS, SCORES["a"]).decision().origin.model == "score"


@pytest.mark.parametrize("name", ["predictions.csv", "predictions.parquet"])
def test_order_and_source_do_not_change_the_fingerprint(tmp_path, name):
    frame = pd.DataFrame(SCORES | {"y": LABELS.astype(int)}).sample(frac=1, random_state=3)
    read = iso.read_predictions(written(tmp_path, frame, name), scores={"A": "a", "B": "b"})
    here, there = ANALYSIS.decision("a"), read.decision("A")
    assert here.origin.fingerprint == there.origin.fingerprint
    assert here.origin.fingerprint != ANALYSIS.decision("b").origin.fingerprint
    assert there.origin[:3] == ("A", "a", None)
    assert here.origin[:4] == ("a", None, None, None)


def test_classes_of_one_classifier_have_their_own_labels(tmp_path):
    classes = RNG.integers(0, 3, 300)
    columns = {f"p_{code}": RNG.normal(classes == code) for code in range(3)}
    frame = pd.DataFrame({"y": classes} | columns)
    analysis = iso.read_predictions(written(tmp_path, frame))
    decision = analysis.decision("2")
    assert (decision.origin.scores, decision.origin.pos_label) == ("p_2", 2)
    with pytest.raises(ParameterError) as caught:
        analysis.decision()
    assert str(caught.value) == "model must be one of '0', '1' or '2'"
    verdict = analysis.verdict_by_class(n_resamples=50)["2"]
    assert (verdict.decision.origin.model, verdict.decision.origin.pos_label) == ("2", 2)
    fingerprint = decision.origin.fingerprint
    assert verdict.decision.origin.fingerprint == fingerprint


@pytest.mark.parametrize(
    ("label", "other", "expected"),
    [
        (np.int64(7), 0, 7),
        ("x", "y", "x"),
        (True, False, True),
        (datetime.date(2020, 1, 2), datetime.date(2020, 1, 1), "2020-01-02"),
    ],
)
def test_labels_are_such_as_files_hold(label, other, expected):
    labels = np.array([label if positive else other for positive in LABELS], object)
    decision = iso.analyse(labels, SCORES["a"], pos_label=label).decision()
    assert (type(decision.origin.pos_label), decision.origin.pos_label) == (
        type(expected),
        expected,
    )


def test_a_rule_for_another_prevalence_is_about_the_same_data():
    moved = ANALYSIS.at_prevalence(0.02)
    decision = moved.decision("a", beta=2)
    assert decision.prevalence == pytest.approx(0.02)
    assert decision.origin.fingerprint == ANALYSIS.decision("a").origin.fingerprint
    verdict = moved.verdict(beta=2, n_resamples=50)
    there = moved.models[verdict.model]
    at = there.at(verdict.threshold)
    assert verdict.value == pytest.approx(at.f(2)[0])
    assert verdict.value <= moved.decision(verdict.model, beta=2).value
    assert verdict.decision.prevalence == 0.02
    fingerprint = ANALYSIS.decision(verdict.model).origin.fingerprint
    assert verdict.decision.origin.fingerprint == fingerprint
    flagged = (at.tp[0] + at.fp[0]) / (there.positives + there.negatives)
    assert verdict.decision.flagged_share == pytest.approx(flagged)


def test_a_verdict_has_the_rule_it_chose(tmp_path):
    verdict = ANALYSIS.verdict(min_precision=0.5, sure=0.8, n_resamples=50)
    decision = verdict.decision
    assert (decision.origin.model, decision.threshold) == (verdict.model, verdict.threshold)
    assert decision.parameters == {"min_precision": 0.5, "sure": 0.8}
    assert decision.origin.fingerprint == ANALYSIS.decision(verdict.model).origin.fingerprint
    decision.save(tmp_path / "rule.json")
    assert iso.load_decision(tmp_path / "rule.json") == decision


def test_groups_have_rules_of_their_own():
    groups = np.where(np.arange(300) % 2, "n", "s")
    verdict = iso.analyse(LABELS, SCORES, groups=groups).verdict(n_resamples=50)
    for name, each in verdict.groups.items():
        rows = groups == name
        alone = iso.analyse(LABELS[rows], {m: s[rows] for m, s in SCORES.items()})
        assert each.decision.origin.fingerprint == alone.decision(each.model).origin.fingerprint
        assert each.decision.origin.model == each.model


def test_a_rule_chosen_on_tuning_data_has_their_threshold_and_the_counts_of_the_test_data():
    test = iso.analyse(LABELS, {name: scores + 0.003 for name, scores in SCORES.items()})
    verdict = test.verdict(thresholds_from=ANALYSIS, n_resamples=50)
    decision = verdict.decision
    assert decision.threshold == verdict.threshold
    low, high = verdict.threshold_range
    assert low <= verdict.threshold <= high
    # The range is that of the tuning data, which has other scores.
    assert {low, high} & set(test.models[verdict.model].thresholds.tolist()) == set()
    flagged = decision.predict(SCORES[verdict.model] + 0.003)
    assert ((flagged & LABELS).sum(), (flagged & ~LABELS).sum()) == (decision.tp, decision.fp)
    assert decision.origin.fingerprint == test.decision(verdict.model).origin.fingerprint


def test_tables_that_keep_some_rows_have_no_fingerprint():
    some = iso.Analysis({"a": ANALYSIS.models["a"].compact(60)})
    decision = some.decision()
    assert decision.origin.fingerprint is None
    assert decision.threshold == ANALYSIS.decision("a").threshold
    assert not math.isnan(some.verdict().decision.threshold)


def test_thresholds_among_wide_integers_are_integers():
    """As floats, both scores of the gap are equal."""
    labels = np.arange(100) < 50
    verdict = iso.analyse(labels, np.where(labels, 2**60, 2**60 - 1)).verdict(n_resamples=50)
    assert (verdict.threshold, type(verdict.threshold)) == (2**60, int)
    assert verdict.threshold_text == "1152921504606846976"
    assert (verdict.decision.tp, verdict.decision.fp) == (50, 0)
