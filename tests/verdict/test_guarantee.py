"""Proven rules: the binomial sums, the error of the tests over all samples, refusals, words."""

import json
import math
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.report.model import settings_of
from isometrics.verdict.guarantee import (
    least_counts,
    most_errors,
    needed_for_precision,
    precision_tests,
)

QUICK = {"n_resamples": 20, "by_group": False}
RANDOM = np.random.default_rng(4)
LABELS = RANDOM.random(600) < 0.3
SCORES = {"good": RANDOM.normal(1.8 * LABELS), "bad": RANDOM.normal(0.9 * LABELS)}
ANALYSIS = iso.analyse(LABELS, SCORES)
HALVES = st.sampled_from([Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(7, 8)])


def tail(count, size, share):
    """P(X ≥ count) of a binomial variate, by its definition."""
    return sum(
        math.comb(size, hits) * share**hits * (1 - share) ** (size - hits)
        for hits in range(max(count, 0), size + 1)
    )


@given(st.integers(1, 40), HALVES, st.sampled_from([0.3, 0.05, 0.001]))
def test_most_errors_are_those_of_the_definition(rows, share, error):
    allowed = [most for most in range(rows + 1) if 1 - tail(most + 1, rows, share) <= error]
    assert most_errors(rows, float(share), error) == max(allowed, default=-1)
    assert most_errors(rows, 1.0, error) == rows


@given(st.integers(1, 40), HALVES, st.sampled_from([0.3, 0.05, 0.001, 0.0]))
def test_least_counts_are_those_of_the_definition(size, share, error):
    rare = [count for count in range(size + 2) if tail(count, size, share) <= error]
    assert least_counts(np.array([size]), float(share), np.array([error])).tolist() == [min(rare)]


@pytest.mark.parametrize(("rows", "level", "error"), [(12, 0.5, 0.2), (30, 0.75, 0.3)])
def test_what_tests_spend_is_how_often_a_walk_reaches_a_start(rows, level, error):
    """The sums of binomial chances, in fractions."""
    tests = precision_tests(rows, level, error)
    share, crossings = Fraction(level), []
    # The chance to be at a start, and below the one before, from both binomials.
    before, least = 0, 1
    for rank, start in zip(tests.ranks.tolist(), tests.starts.tolist(), strict=True):
        crossings.append(
            sum(
                math.comb(before, tp)
                * share**tp
                * (1 - share) ** (before - tp)
                * tail(start - tp, rank - before, share)
                for tp in range(min(least, before + 1))
            )
        )
        before, least = rank, start
    np.testing.assert_allclose(tests.spent, np.cumsum(np.array(crossings, float)), rtol=1e-9)
    assert tests.spent[-1] <= error


ROWS, LEVEL, ERROR = 12, 0.5, 0.2
TESTS = {tied: precision_tests(ROWS, LEVEL, ERROR, tied=tied) for tied in (False, True)}


def proven(labels, ends):
    """Return how many rows the proven rules flag."""
    flagged = np.array([0, *ends])
    tp = np.append(0, np.cumsum(labels))[flagged]
    needed = needed_for_precision(tp, flagged, LEVEL, TESTS[len(ends) < ROWS])
    return {int(rows) for rows in flagged[tp >= needed] if rows}


ENDS = {
    "no ties": range(1, ROWS + 1),
    "pairs": range(2, ROWS + 1, 2),
    "odd groups": (1, 2, 3, 5, 6, 9, 10, 12),
}
NULL = [
    [(0, ROWS)],
    *([(start, ROWS)] for start in range(2, ROWS)),
    [(3, 5), (8, ROWS)],
    [(4, 6), (7, 9), (10, ROWS)],
    [(0, 3), (7, ROWS)],
    [(5, 6)],
]


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("null", NULL, ids=str)
def test_the_tests_prove_too_much_in_no_more_samples_than_promised(ends, null):
    """Whatever is true above and between the ranks whose rules lack the precision.

    All samples of the hardest population are counted, with a precision of exactly the level at the
    ends of these ranks. Between them the positives come first, so that chains reach these ranks.
    """
    wrong = 0
    known = {}
    for labels in product((0, 1), repeat=ROWS):
        seen, at = [], 0
        for start, end in [*null, (ROWS, ROWS)]:
            seen += sorted(labels[at:start], reverse=True)
            seen += labels[start:end]
            at = end
        key = tuple(seen)
        if key not in known:
            found = proven(key, ENDS[ends])
            known[key] = any(start < rank <= end for rank in found for start, end in null)
        wrong += known[key]
    assert wrong / 2**ROWS <= ERROR


def test_a_chain_goes_on_with_less_than_a_start_needs():
    tests = precision_tests(400, 0.5, 0.05)
    rules = np.arange(401)
    needed = needed_for_precision(rules, rules, 0.5, tests)
    proven_ranks = np.flatnonzero(needed < np.inf)
    assert set(proven_ranks) <= set(tests.ranks)
    # From some rank on there are no starts, and chains reach on to the last row.
    beyond = (tests.starts > 400) & (tests.ranks > 100)
    assert beyond.any()
    assert np.isfinite(needed[tests.ranks[beyond]]).all()
    # Where the first start is reached only later, less has been spent by then.
    late = needed_for_precision(np.maximum(rules - 8, 0), rules, 0.5, tests)
    assert late[tests.ranks[-1]] > needed[tests.ranks[-1]]
    # Where scores tie there are no chains, but starts at all ranks.
    tests = precision_tests(400, 0.5, 0.05, tied=True)
    needed = needed_for_precision(rules, rules, 0.5, tests)
    possible = tests.starts <= tests.ranks
    np.testing.assert_array_equal(needed[tests.ranks[possible]], tests.starts[possible])
    assert possible[-1]


@pytest.mark.slow
@pytest.mark.parametrize("first_null", [0, 20, 60, 200, 400])
def test_long_chains_err_in_no_more_samples_than_promised(first_null):
    """All rules up to a rank have the precision, and from there on it is just missed."""
    random = np.random.default_rng(first_null)
    tests, rules = precision_tests(500, 0.6, 0.05), np.arange(501)
    wrong = 0
    for _ in range(3000):
        labels = random.random(500) < 0.6
        labels[:first_null] = np.sort(labels[:first_null])[::-1]
        tp = np.append(0, np.cumsum(labels))
        proven_ranks = np.flatnonzero(tp >= needed_for_precision(tp, rules, 0.6, tests))
        wrong += proven_ranks.size and proven_ranks[-1] > first_null
    # Four standard errors more than promised.
    assert wrong / 3000 <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 3000)


@given(
    st.integers(1, 3000),
    st.floats(0.01, 0.99),
    st.sampled_from([0.2, 0.05, 0.01, 0.001]),
    st.booleans(),
)
def test_every_plan_can_start(rows, level, error, tied):
    tests = precision_tests(rows, level, error, tied=tied)
    assert (np.diff(tests.ranks) > 0).all()
    assert (tests.starts <= tests.ranks).any()
    assert 0 < tests.spent[-1] <= error


@pytest.mark.parametrize(
    "asked",
    [
        {"min_precision": 0.6},
        {"min_recall": 0.6},
        {"max_fpr": 0.2},
        {"min_specificity": 0.8},
        {"budget": 150},
        {"beta": 2, "min_precision": 0.5, "max_fpr": 0.3},
        {"miss_cost": 3, "false_alarm_cost": 1, "min_recall": 0.5},
    ],
)
def test_a_proven_rule_keeps_more_than_was_asked_for(asked):
    seen, proven_ = (ANALYSIS.verdict(**asked, **how, **QUICK) for how in ({}, {"guarantee": 0.95}))
    sign = 1 if seen.objective.higher_is_better else -1
    # What is seen may give a hundredth of its value for slack.
    assert sign * proven_.value <= sign * seen.value + 0.0101 * abs(seen.value)
    for kept in proven_.kept:
        margin = kept.here - kept.level
        assert margin < 0 if kept.is_limit else margin > 0
        assert (kept.missed, kept.guarantee) == (0.05, 0.95)
    assert proven_.guarantee == proven_.to_dict()["guarantee"] == 0.95
    assert seen.guarantee is None
    assert seen.to_dict()["guarantee"] is None
    assert str(proven_.objective) == f"{seen.objective} (proven at 95%)"
    assert [each.constraint for each in proven_.kept] == [each.constraint for each in seen.kept]
    assert proven_.decision.objective == seen.decision.objective


@pytest.mark.parametrize("asked", [{"min_recall": 0.6}, {"max_fpr": 0.2}, {"min_precision": 0.6}])
def test_less_must_be_seen_for_less(asked):
    """A lower level, and a lower guarantee of a rate of one class, never leave a worse rule."""
    ((name, level),) = asked.items()
    easier = {name: level - 0.05 if name.startswith("min") else level + 0.05}
    values = [
        ANALYSIS.verdict(**each, guarantee=guarantee, **QUICK).value
        for each, guarantee in ((easier, 0.95), (asked, 0.9), (asked, 0.95), (asked, 0.999))
    ]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("asked", [{"min_precision": 0.6}, {"min_recall": 0.6, "beta": 1}])
def test_only_the_order_of_scores_matters(asked):
    moved = {name: np.exp(scores / 3) for name, scores in SCORES.items()}
    order = RANDOM.permutation(LABELS.size)
    other = iso.analyse(LABELS[order], {name: each[order] for name, each in moved.items()})
    one, two = (each.verdict(**asked, guarantee=0.9, **QUICK) for each in (ANALYSIS, other))
    assert (one.model, one.decision.tp, one.decision.fp) == (
        two.model,
        two.decision.tp,
        two.decision.fp,
    )
    assert math.exp(one.threshold / 3) == pytest.approx(two.threshold)


def test_recall_is_proven_by_the_exact_number_of_misses():
    analysis = iso.analyse(LABELS, SCORES["good"])
    decision = analysis.verdict(min_recall=0.75, guarantee=0.95, **QUICK).decision
    positives = int(LABELS.sum())
    most = most_errors(positives, 0.25, 0.05)
    # The highest threshold with as few misses; the next one up has more.
    assert decision.fn <= most
    scores = np.sort(SCORES["good"][LABELS])
    assert decision.threshold == scores[most]


def test_tied_scores_are_proven_as_far_as_their_ties_allow():
    rounded = iso.analyse(LABELS, SCORES["good"].round(1))
    fine = iso.analyse(LABELS, SCORES["good"])
    asked = {"min_precision": 0.6, "guarantee": 0.95, **QUICK}
    coarse, exact = rounded.verdict(**asked), fine.verdict(**asked)
    assert 0.5 * exact.value < coarse.value <= exact.value
    assert coarse.kept[0].here > 0.6


def test_several_models_share_the_error():
    pair = ANALYSIS.verdict(max_fpr=0.2, guarantee=0.9, **QUICK)
    alone = iso.analyse(LABELS, {"good": SCORES["good"]})
    assert pair.model == "good"
    own = alone.verdict(max_fpr=0.2, guarantee=0.95, **QUICK)
    assert pair.threshold == own.threshold
    two = alone.verdict(max_fpr=0.2, min_recall=0.3, beta=np.inf, guarantee=0.9, **QUICK)
    assert two.threshold == own.threshold


def test_a_guarantee_of_a_rate_holds_at_every_prevalence():
    there = ANALYSIS.at_prevalence(0.01).verdict(max_fpr=0.2, guarantee=0.95, **QUICK)
    assert there.threshold == ANALYSIS.verdict(max_fpr=0.2, guarantee=0.95, **QUICK).threshold


def test_a_choice_on_tuning_data_is_proven_there():
    order = RANDOM.permutation(LABELS.size)
    test = iso.analyse(LABELS[order[:300]], {n: s[order[:300]] for n, s in SCORES.items()})
    tuned = test.verdict(thresholds_from=ANALYSIS, min_precision=0.6, guarantee=0.95, **QUICK)
    here = ANALYSIS.verdict(min_precision=0.6, guarantee=0.95, **QUICK)
    assert (tuned.model, tuned.threshold) == (here.model, here.threshold)
    assert tuned.guarantee == 0.95
    assert tuned.kept[0].level == 0.6


def test_each_group_has_a_guarantee_of_its_own():
    groups = np.where(np.arange(LABELS.size) < 300, "north", "south")
    analysis = iso.analyse(LABELS, SCORES, groups=groups)
    whole = analysis.verdict(max_fpr=0.2, guarantee=0.95, n_resamples=20)
    assert whole.groups["north"].guarantee == 0.95


def test_a_proven_rule_says_so_and_is_saved(tmp_path):
    found = ANALYSIS.verdict(min_precision=0.6, guarantee=0.95, **QUICK)
    said = found.lines()
    assert any("the chance to miss it is at most 5%." in line for line in said)
    assert (
        "It is proven at 95% to have precision of 0.6 or more, if the rows are independent draws "
        "of the population. Expect recall "
    ) in found.sentence()
    both = ANALYSIS.verdict(min_precision=0.5, max_fpr=0.3, guarantee=0.9, **QUICK)
    assert "to have precision of 0.5 or more and false positive rate ≤ 30%, if" in both.sentence()
    idle = iso.analyse(LABELS, RANDOM.random(600)).verdict(max_fpr=0.9, guarantee=0.95, **QUICK)
    assert "It is proven at 95%" in idle.sentence()
    only = ANALYSIS.verdict(min_precision=0.75, guarantee=0.95, **QUICK)
    assert "No other model has a threshold that is proven to keep this" in only.sentence()
    found.decision.save(tmp_path / "rule.json")
    rule = iso.load_decision(tmp_path / "rule.json")
    assert rule.parameters == {"min_precision": 0.6, "guarantee": 0.95}
    assert rule.parameters == found.objective.parameters
    assert json.loads(found.to_json())["guarantee"] == 0.95
    # The page has no proofs of its own: it shows the verdict as one that only Python gives.
    assert settings_of(found) == {"goal": "given"}
    page = ANALYSIS.report(tmp_path / "page.html", min_precision=0.6, guarantee=0.95)
    assert "(proven at 95%)" in Path(page or tmp_path / "page.html").read_text()


FEW = iso.analyse([True] * 8 + [False] * 30, np.arange(38.0, 0, -1))


@pytest.mark.parametrize(
    ("analysis", "asked", "message"),
    [
        (FEW, {"min_recall": 0.8}, "8 positives are too few to prove recall of 0.8 or more at 95%; "
         "at least 14 are needed"),
        (FEW, {"max_fpr": 0.05}, "30 negatives are too few to prove false positive rate ≤ 5% at "
         "95%; at least 59 are needed"),
        (FEW, {"min_specificity": 0.95}, "30 negatives are too few to prove specificity of 0.95"),
        (FEW, {"min_precision": 0.9}, "8 positives are too few to prove precision of 0.9 or more"),
        (FEW, {"budget": 1}, "38 rows are too few to prove at most 2.63158% flagged at 95%; at "
         "least 113 are needed"),
        (FEW, {"min_recall": 1}, "no number of rows proves recall of 1; ask for less"),
        (FEW, {"max_fpr": 0}, "no number of rows proves false positive rate ≤ 0%; allow more"),
        (
            ANALYSIS,
            {"min_precision": 0.97},
            "no threshold of any model is proven to have precision of 0.97 or more at 95%; ask for "
            "less, or give more rows",
        ),
        (ANALYSIS, {"beta": 1}, "guarantee is that a constraint holds; give one, such as min_pr"),
        (ANALYSIS, {"min_recall": 0.5, "sure": 0.9}, "what is proven is sure; give sure= or guar"),
        (ANALYSIS, {"min_recall": 0.5, "clusters": True}, "guarantee is proven of rows that are"),
        (ANALYSIS, {"min_recall": 0.5, "folds": True}, "guarantee is proven of rows that are inde"),
        (
            iso.analyse(LABELS, SCORES, sample_weight=1 + LABELS),
            {"min_recall": 0.5},
            "guarantee needs rows that count once each",
        ),
        (
            ANALYSIS.at_prevalence(0.01),
            {"min_precision": 0.1},
            "guarantee is about the prevalence of the rows",
        ),
        (
            iso.Analysis(ANALYSIS.models),
            {"min_recall": 0.5},
            "guarantee needs the rows, which this analysis does not have",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_proven_is_refused_in_one_sentence(analysis, asked, message):
    with pytest.raises((NotAnswerableError, ParameterError), match=message):
        analysis.verdict(**asked, guarantee=0.95, **QUICK)


def test_levels_that_every_rule_keeps_are_proven_of_all():
    asked = {"min_precision": 0, "min_recall": 0, "max_fpr": 1}
    proven_ = ANALYSIS.verdict(beta=1, **asked, guarantee=0.95, **QUICK)
    assert proven_.threshold == iso.best_threshold(ANALYSIS.models[proven_.model]).threshold
