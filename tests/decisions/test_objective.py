"""What a rule is chosen for: names, values, constraints, and what is refused."""

from math import inf

import numpy as np
import pytest

import isometrics as iso
from isometrics._counting.confusion import Confusion
from isometrics.decisions.objective import Constraint, parse_objective
from isometrics.errors import ParameterError
from isometrics.spaces.indices import index_named

COUNTS = Confusion(6.0, 2.0, 10.0, 30.0)
POINTS = iso.OperatingPoints.from_counts([6], [2], positives=10, negatives=30)


def parse(**asked):
    return parse_objective(**asked).for_rows(40)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({}, "F1"),
        ({"beta": 2}, "F2"),
        ({"beta": 0.5}, "F (β 0.5)"),
        ({"beta": 999_999}, "F999999"),
        ({"beta": 1e9}, "F (β 1e+09)"),
        ({"objective": "accuracy"}, "accuracy"),
        ({"objective": "youden"}, "Youden's J"),
        (
            {"min_precision": 1, "min_recall": 0.5},
            "F1 with precision of 1 and recall of 0.5 or more",
        ),
        ({"beta": 0}, "precision"),
        ({"beta": inf}, "recall"),
        ({"cost": 0.2}, "cost per row"),
        ({"miss_cost": 5, "false_alarm_cost": 1}, "cost per row"),
        ({"lam": 0.3}, "f-measure (λ 0.3)"),
        ({"index": "cost"}, "cost (λ 0.5)"),
        ({"min_precision": 0.8}, "recall with precision of 0.8 or more"),
        ({"min_recall": 0.8}, "precision with recall of 0.8 or more"),
        ({"max_fpr": 0.07}, "recall with false positive rate ≤ 7%"),
        ({"min_specificity": 0.93}, "recall with specificity of 0.93 or more"),
        ({"budget": 10}, "recall with at most 25% flagged"),
        ({"budget": 400}, "recall with at most 100% flagged"),
        (
            {"min_precision": 0.5, "min_recall": 0.25},
            "F1 with precision of 0.5 or more and recall of 0.25 or more",
        ),
        ({"min_precision": 0.8, "sure": 0.95}, "recall with precision of 0.8 or more (95% sure)"),
        ({"beta": 2, "budget": 4}, "F2 with at most 10% flagged"),
        ({"cost": 0.5, "min_recall": 0.5}, "cost per row with recall of 0.5 or more"),
        ({"index": "cost", "budget": 4}, "cost (λ 0.5) with at most 10% flagged"),
    ],
)
def test_an_objective_says_what_is_wanted(asked, text):
    assert str(parse(**asked)) == text


@pytest.mark.parametrize(
    ("asked", "limits"),
    [
        ({"beta": 2}, (0, 1)),
        ({"objective": "youden"}, (-1, 1)),
        ({"objective": "accuracy"}, (0, 1)),
        ({"miss_cost": 5, "false_alarm_cost": 1}, (0, 5)),
        ({"miss_cost": 0.5, "false_alarm_cost": 2}, (0, 2)),
        ({"index": "kulczynski"}, (0, 1)),
        ({"index": "f-measure"}, (0, 1)),
        ({"index": "jaccard"}, (0, 1)),
        ({"index": "folke"}, (0, 1)),
        ({"index": "cost"}, (0, 1)),
        ({"index": "f-gain"}, (-inf, 1)),
        ({"index": iso.Index("own", lambda p, r, _: 3 * p + 2 * r - 9)}, (-inf, inf)),
    ],
)
def test_values_lie_between_the_worst_and_the_best(asked, limits):
    objective = parse(**asked)
    assert objective.limits == limits
    best, other = Confusion(3.0, 0.0, 3.0, 1.0), Confusion(1.0, 1.0, 3.0, 1.0)
    worst = Confusion(1e-9, 1.0, 3.0, 1.0)
    for counts in (best, other, worst):
        assert limits[0] <= objective.value(counts) <= limits[1]


@pytest.mark.parametrize("beta", [0, 0.5, 1, 2, inf])
def test_f_is_that_of_the_table(beta):
    objective = parse(beta=beta)
    assert objective.value(COUNTS) == pytest.approx(POINTS.f(beta)[1], rel=1e-15)
    assert objective.gain(COUNTS) == objective.value(COUNTS)
    assert objective.higher_is_better
    assert objective.allows_nothing == (beta == inf)


@pytest.mark.parametrize(
    ("asked", "cost"),
    [
        ({"cost": 0.25}, (0.75 * 4 + 0.25 * 2) / 40),
        ({"miss_cost": 8, "false_alarm_cost": 1}, (8 * 4 + 2) / 40),
    ],
)
def test_a_cost_is_that_of_a_row_and_its_gain_the_opposite(asked, cost):
    objective = parse(**asked)
    assert objective.value(COUNTS) == pytest.approx(cost)
    # What is compared does not depend on the unit of the costs.
    assert objective.gain(COUNTS) == pytest.approx(-cost / sum(objective.costs))
    assert objective.value_of_gain(objective.gain(COUNTS)) == pytest.approx(cost)
    assert objective.unit == sum(objective.costs)
    assert objective.value_of_gain(1e-9) == 0
    assert objective.value_of_gain(-1.0) == max(objective.costs)
    assert not objective.higher_is_better
    assert objective.allows_nothing


@pytest.mark.parametrize("index", ["f-measure", "cost", "kulczynski"])
@pytest.mark.parametrize("lam", [0.2, 0.5])
def test_an_index_has_the_value_of_the_tradeoff_curve(index, lam):
    points = iso.OperatingPoints.from_counts([3, 6, 10], [0, 2, 20], positives=10, negatives=30)
    decision = iso.best_threshold(points, index=index, lam=lam)
    objective = parse(index=index, lam=lam)
    counts = Confusion(decision.tp, decision.fp, 10, 30)
    assert objective.value(counts) == pytest.approx(decision.value)
    assert objective.index == index_named(index)
    assert objective.allows_nothing == (index == "cost")


WITHOUT_A_HIT = Confusion(np.zeros(2), np.array([0.0, 3.0]), 10.0, 30.0)
"""The empty rule, and one that flags three negatives."""


@pytest.mark.parametrize("lam", [0, 0.1, 0.5, 1])
@pytest.mark.parametrize(
    ("index", "values"),
    [
        ("f-measure", lambda _: [np.nan, 0]),
        ("jaccard", lambda _: [np.nan, 0]),
        ("folke", lambda _: [np.nan, 0]),
        ("kulczynski", lambda _: [np.nan, 0]),
        ("f-gain", lambda _: [np.nan, -inf]),
        # λ·tpr + (1-λ)·(1-fpr) is defined for every rule.
        ("cost", lambda lam: [1 - lam, 0.9 * (1 - lam)]),
        # 0/0 of a user's function counts as 0, and what is defined as it is.
        (iso.Index("mean", lambda p, r, _: 2 * p * r / (p + r)), lambda _: [np.nan, 0]),
        (iso.Index("low", lambda p, r, _: p + r - 9), lambda _: [np.nan, -9]),
    ],
)
def test_an_index_of_rules_without_a_hit(index, values, lam):
    gain = parse(index=index, lam=lam).gain(WITHOUT_A_HIT)
    np.testing.assert_allclose(gain, values(lam), rtol=1e-15)
    # A single row has a value, and so has a weight below 1.
    of_one = Confusion(np.array([0, 0.5]), np.array([0.5, 0]), 10.0, 30.0)
    assert isinstance(index, iso.Index) or parse(lam=0).gain(of_one).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("constraint", "met", "missed"),
    [
        (Constraint("precision", 0.3), [0.3, 0.3 - 1e-15, 1.0], [0.29, np.nan]),
        (Constraint("recall", 0.0), [0.0, 1.0], [np.nan]),
        (Constraint("flagged", 0.1), [0.0, 0.1, 0.1 + 1e-16], [0.11, np.nan]),
        (Constraint("budget", 10.0), [0.0, 10.0], [10.1, np.nan]),
    ],
)
def test_a_constraint_is_met_to_the_rounding(constraint, met, missed):
    assert constraint.met(np.array(met)).all()
    assert not constraint.met(np.array(missed)).any()


@pytest.mark.parametrize(
    ("constraint", "quantity", "kept"),
    [
        (Constraint("precision", 0.75), 0.75, [False, True, False]),
        (Constraint("recall", 0.6), 0.6, [False, True, True]),
        (Constraint("budget", 8), 8, [True, True, False]),
        (Constraint("budget", 7.9), 8, [True, False, False]),
        (Constraint("flagged", 0.2), 0.2, [True, True, False]),
        (Constraint("flagged", 0.19), 0.2, [True, False, False]),
    ],
)
def test_rows_that_keep_a_constraint(constraint, quantity, kept):
    assert constraint.of(COUNTS) == quantity
    assert constraint.kept_by(POINTS.table.counts).tolist() == kept


def test_a_budget_is_a_number_of_rows_until_the_rows_are_known():
    objective = parse_objective(budget=10, min_recall=0.5)
    assert (
        str(objective) == "precision with recall of 0.5 or more and at most 10 predicted positives"
    )
    assert objective.for_rows(40).constraints[1] == ("flagged", 0.25, 10)
    # A share is not among the parameters; the number that it was asked for as is.
    assert objective.for_rows(40).parameters == objective.parameters
    assert objective.for_rows(40).for_rows(7) == objective.for_rows(40)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"beta": 1, "cost": 0.5}, "more than one objective is given; pass one of beta= and cost="),
        ({"beta": 1, "lam": 0.5}, "more than one objective is given; pass one of beta= and lam="),
        ({"cost": 0.5, "index": "cost"}, "is given; pass one of cost= and index="),
        ({"cost": 0.5, "miss_cost": 1}, "pass one of cost= and miss_cost= and false_alarm_cost="),
        ({"miss_cost": 1}, "one error is given without that of the other; pass"),
        ({"false_alarm_cost": 1}, "one error is given without that of the other; pass"),
        ({"miss_cost": -1, "false_alarm_cost": 1}, "miss_cost must be 0 or lie between 1e-100 and"),
        ({"miss_cost": 1, "false_alarm_cost": inf}, "false_alarm_cost must be 0 or lie between"),
        ({"miss_cost": 1.1e100, "false_alarm_cost": 1}, "miss_cost must be 0 or lie between 1e"),
        ({"miss_cost": 1, "false_alarm_cost": 9e-101}, r"^false_alarm_cost must .* and 1e\+100"),
        ({"miss_cost": 0, "false_alarm_cost": 0}, "are both 0; give what an error costs"),
        ({"miss_cost": "high", "false_alarm_cost": 0}, "miss_cost must be a number"),
        ({"sure": 0.95}, "give min_precision=, min_recall=, max_fpr= or min_specificity="),
        ({"sure": 0.95, "budget": 3}, "sure asks how sure a rate is; give min_precision="),
        ({"max_fpr": 0.1, "min_specificity": 0.9}, "give max_fpr= or min_specificity="),
        ({"max_fpr": 1.5}, "max_fpr must be"),
        ({"min_specificity": -1}, "min_specificity must be"),
        ({"sure": 95, "min_recall": 0.5}, "sure must be"),
        ({"min_precision": 1.5}, "min_precision must be"),
        ({"min_recall": -0.5}, "min_recall must be"),
        ({"budget": -1}, "budget must be a number ≥ 0 but is -1"),
        ({"lam": 2}, "lam must be"),
        ({"beta": -1}, "beta must be"),
        ({"cost": 7}, "cost must be"),
        ({"index": "other"}, "index must be"),
        ({"objective": "f1"}, "objective must be one of"),
        ({"objective": "youden", "beta": 1}, "is given; pass one of beta= and objective="),
    ],
)
def test_what_is_no_objective_is_refused(asked, message):
    with pytest.raises(ParameterError, match=message):
        parse(**asked)


@pytest.mark.parametrize(
    "asked",
    [
        {"beta": 2},
        {"cost": 0.3},
        {"miss_cost": 2, "false_alarm_cost": 1},
        {"index": "jaccard"},
        {"objective": "accuracy"},
        {},
    ],
)
def test_every_objective_keeps_how_sure_it_must_be(asked):
    found = parse(**asked, min_precision=0.5, sure=0.9)
    assert found.sure == found.parameters["sure"] == 0.9
