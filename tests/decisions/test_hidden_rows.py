"""Constraints on tables that left rows out: the answer of the whole table, or none."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import isometrics as iso
from isometrics.decisions.hidden_rows import may_hide_better
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
    {"objective": "break-even"},
    {"index": "kulczynski", "lam": 0.3},
]
LIMITS = [
    {"min_precision": 0.5},
    {"min_precision": 0.8},
    {"min_recall": 0.6},
    {"budget": 4},
    {"min_precision": 0.4, "min_recall": 0.4},
    {"min_precision": 0.4, "budget": 7},
]


# Ten positives, six positives and six negatives of one score, and one positive in ten behind.
LABELS = np.r_[np.ones(10), np.ones(6), np.zeros(6), np.tile(np.arange(10) == 5, 4)]
SCORES = np.r_[np.arange(29.0, 19, -1), np.zeros(12), -np.arange(1.0, 41)]


def answer(points, asked):
    """The counts of the best rule, or that there is none."""
    try:
        decision = iso.best_threshold(points, **asked)
    except ParameterError:
        return "none"
    return decision.threshold, decision.tp, decision.fp


@st.composite
def longer_samples(draw):
    """Labels and scores of rows that are many enough for gaps."""
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
                by_shape = goal.get("objective") == "break-even"
                assert short is not corners or by_shape or expected[1] == 0 or expected == "none"
            else:
                assert given_answer == expected


def test_the_hull_decides_where_the_gap_cannot_reach_the_constraint():
    """Rows are missing among the first ten and the last forty, but not between them."""
    short = iso.OperatingPoints.from_scores(LABELS, SCORES, rows="hull")
    assert short.table.gaps.between.tolist() == [False, True, False, True, True, True]
    best = iso.best_threshold(short, beta=2, min_precision=0.95)
    assert (best.threshold, best.tp, best.fp) == (20, 10, 0)
    with pytest.raises(NotAnswerableError, match="cannot tell the best row under constraints"):
        iso.best_threshold(short, beta=2, min_precision=0.65)
    with pytest.raises(ParameterError, match=r"has precision ≥ 0.95 and recall ≥ 0.9"):
        iso.best_threshold(short, min_precision=0.95, min_recall=0.9)


def test_without_the_hull_only_the_box_between_rows_bounds():
    """The same rows, of which nobody knows whether others lie above."""
    table = iso.OperatingPoints.from_scores(LABELS, SCORES, rows="hull").table
    objective = parse_objective(beta=2, min_precision=0.73)
    allowed = objective.constraints[0].met_by(table)
    assert not may_hide_better(table, objective, allowed, 0.5)
    bins = replace(table, gaps=replace(table.gaps, has_hull=False))
    assert may_hide_better(bins, objective, allowed, 0.5)
    whole = iso.OperatingPoints.from_scores(LABELS, SCORES).table
    assert not may_hide_better(whole, objective, objective.constraints[0].met_by(whole), -math.inf)
    # Precision and recall may be equal anywhere.
    assert may_hide_better(table, parse_objective(objective="break-even", budget=5), allowed, 0.0)
