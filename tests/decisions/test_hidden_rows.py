"""Constraints on tables that left rows out: the answer of the whole table, or none."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import isometrics as iso
from isometrics._table.table import Gaps
from isometrics.decisions.best import may_hide_better
from isometrics.decisions.objective import parse_objective
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.testing.strategies import binary_samples

GOALS = [
    {},
    {"beta": 1},
    {"beta": 0.5},
    {"beta": 0},
    {"beta": math.inf},
    {"cost": 0.3},
    {"miss_cost": 9, "false_alarm_cost": 1},
    {"objective": "youden"},
    {"index": "kulczynski", "lam": 0.3},
    {"index": "cost", "lam": 0.1},
    {"index": "f-gain", "lam": 0.5},
]
LIMITS = [
    {"min_precision": 0.5},
    {"min_precision": 0.8},
    {"min_recall": 0.6},
    {"max_fpr": 0.1},
    {"min_specificity": 0.8},
    {"budget": 4},
    {"min_precision": 0.4, "min_recall": 0.4},
    {"min_precision": 0.4, "budget": 7},
]


# Ten positives, six positives and six negatives of one score, and one positive in ten behind.
LABELS = np.r_[np.ones(10), np.ones(6), np.zeros(6), np.tile(np.arange(10) == 5, 4)]
SCORES = np.r_[np.arange(29.0, 19, -1), np.zeros(12), -np.arange(1.0, 41)]


def answer(points, asked):
    try:
        decision = iso.best_threshold(points, **asked)
    except ParameterError:
        return "none"
    return decision.threshold, decision.tp, decision.fp


@st.composite
def longer_samples(draw):
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = draw(st.integers(8, 60))
    labels = random.random(size) < draw(st.floats(0.1, 0.9))
    labels[:2] = [True, False]
    scores = random.normal(draw(st.floats(0, 2)) * labels)
    return labels, np.round(scores, draw(st.integers(0, 3)))


@pytest.mark.parametrize("limits", LIMITS)
@given(longer_samples() | binary_samples())
@example(([True] + [False] * 7, [0.0] * 6 + [0.5, math.inf]))
def test_a_table_with_gaps_answers_as_the_whole_one_or_not_at_all(limits, sample):
    whole = iso.OperatingPoints.from_scores(*sample)
    corners, hull = (
        iso.OperatingPoints.from_scores(*sample, rows=rows) for rows in ("corners", "hull")
    )
    middle = whole.compact(max(len(hull), (len(whole) + len(hull)) // 2))
    for goal in GOALS:
        asked = goal | limits
        expected = answer(whole, asked)
        for short in (corners, hull, middle):
            try:
                given_answer = answer(short, asked)
            except NotAnswerableError:
                # Between corners only rows without a rise are missing, and none of them is best
                # if anything else is.
                assert short is not corners or expected[1] == 0 or expected == "none"
            else:
                assert given_answer == expected


def test_constraints_that_a_missing_row_may_keep_are_refused():
    """Rows are missing among the first ten and the last forty, but not between them."""
    short = iso.OperatingPoints.from_scores(LABELS, SCORES, rows="hull")
    assert short.table.gaps.between.tolist() == [False, True, False, True, True, True]
    best = iso.best_threshold(short, beta=2, min_recall=0.5)
    assert best.recall >= 0.5
    with pytest.raises(NotAnswerableError, match="cannot tell the best row under constraints"):
        iso.best_threshold(short, beta=2, min_precision=0.65)
    whole = iso.OperatingPoints.from_scores(LABELS, SCORES).table
    assert not may_hide_better(whole, parse_objective(beta=2, min_precision=0.73))
    own = iso.Index("own", lambda precision, recall, lam: (1 - lam) * precision + lam * recall)
    with pytest.raises(NotAnswerableError, match=r"cannot tell the best row for own \(λ 0.5\)"):
        iso.best_threshold(short, index=own)


def kept(labels, rows, weight=1):
    """A table of distinct scores, and the same with some of its rows only, the hull among them."""
    whole = iso.OperatingPoints.from_scores(
        labels, np.arange(len(labels), 0.0, -1), sample_weight=[weight] * len(labels)
    )
    table = whole.table.take(np.array(rows), whole.table.kind)
    return whole, iso.OperatingPoints(replace(table, gaps=Gaps(np.diff(rows) > 1)))


def test_a_budget_may_be_used_up_by_a_missing_row():
    """The rows (0, 2) and (1, 1) are missing in turn, and only the second finds a positive."""
    labels, others = ([0, 0, 1, 1, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1, 1, 1])
    (whole, short), (other, same) = (kept(each, [0, 1, 4, 6, 8]) for each in (labels, others))
    assert short.table.tp.tolist() == same.table.tp.tolist() == [0, 0, 2, 3, 5]
    assert [answer(each, {"budget": 2})[1:] for each in (whole, other)] == [(0, 0), (1, 1)]
    objective = parse_objective(budget=2)
    for asked in (objective, objective.for_rows(len(labels))):
        assert may_hide_better(short.table, asked)
    with pytest.raises(NotAnswerableError, match="cannot tell the best row under constraints"):
        iso.best_threshold(short, budget=2)


@pytest.mark.parametrize("weight", [1, 0.125])
def test_what_is_best_of_all_is_best_under_a_constraint_that_it_keeps(weight):
    """Of an index alone, a row of three true positives and no false one could be missing."""
    _, short = kept([0, 1, 1, 1, 0, 0], [0, 4, 6], weight)
    best = iso.best_threshold(short, index="kulczynski", min_recall=0.5)
    assert (best.threshold, best.tp, best.fp) == (3, 3 * weight, weight)
    assert best.objective == "kulczynski (λ 0.5) with recall ≥ 0.5"
    assert best.parameters == {"index": "kulczynski", "lam": 0.5, "min_recall": 0.5}
