"""Decisions against brute force over all rows, in exact fractions."""

import math
import re
from fractions import Fraction

import narwhals.stable.v2 as nw
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import isometrics as iso
from isometrics.decisions.objective import parse_f_objectives
from isometrics.decisions.thresholds import (
    ALL_ROWS,
    Entry,
    batches_of,
    thresholds_of,
)
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.spaces.indices import INDICES
from isometrics.testing.strategies import binary_samples, count_tables, point_clouds

LABELS = [1, 0, 1, 1, 0, 0, 1, 0]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
SMALL = iso.OperatingPoints.from_scores(LABELS, SCORES)


def from_counts(drawn):
    tp, fp, positives, negatives = drawn
    return iso.OperatingPoints.from_counts(tp, fp, positives=positives, negatives=negatives)


tables = (
    count_tables().map(from_counts)
    | point_clouds().map(from_counts)
    | binary_samples().map(lambda sample: iso.OperatingPoints.from_scores(*sample))
    | binary_samples(weights="integer").map(
        lambda sample: iso.OperatingPoints.from_scores(*sample[:2], sample_weight=sample[2])
    )
)
shares = st.sampled_from([0.0, 0.2, 0.5, 0.75, 1.0]) | st.floats(0, 1)


def all_rows(pts):
    """The counts of all rules, the trivial ones included."""
    return {
        (0, 0),
        *zip(pts.tp.tolist(), pts.fp.tolist(), strict=True),
        (pts.positives, pts.negatives),
    }


def brute(pts, value, allowed=lambda *_: True):
    """The best (tp, fp) by the stated tie rule: the fewest predicted, then the fewest false."""
    rows = [(Fraction(tp), Fraction(fp)) for tp, fp in all_rows(pts) if allowed(tp, fp)]
    return min(rows, key=lambda row: (-value(*row), sum(row), row[1]))


def chosen(decision):
    return (decision.tp, decision.fp)


@given(tables, st.sampled_from([0.0, 0.5, 1.0, 2.0, 1e200, math.inf]) | st.floats(2**-20, 2**20))
def test_f(pts, beta):
    total = Fraction(pts.positives)

    def value(tp, fp):
        if math.isinf(beta):
            return tp / total
        squared = Fraction(beta) ** 2
        return (1 + squared) * tp / ((1 + squared) * tp + squared * (total - tp) + fp)

    decision = iso.best_threshold(pts, beta=beta)
    assert chosen(decision) == brute(pts, value, lambda tp, fp: tp + fp > 0)
    assert decision.f == decision.value == pytest.approx(float(value(*chosen(decision))))
    assert decision.tp + decision.fn == pts.positives
    assert decision.fp + decision.tn == pts.negatives


@given(tables, shares)
def test_cost(pts, cost):
    c = Fraction(cost)
    decision = iso.best_threshold(pts, cost=cost)
    assert chosen(decision) == brute(pts, lambda tp, fp: (1 - c) * tp - c * fp)
    exact = (1 - c) * decision.fn + c * decision.fp
    assert decision.value == pytest.approx(float(exact / (pts.positives + pts.negatives)))


@given(tables, st.just(0.0) | st.floats(1e-100, 1e6), st.floats(1e-6, 1e6))
def test_cost_of_each_error(pts, miss, alarm):
    """What errors cost in all is lowest; only the ratio of the two costs matters."""
    options = {"miss_cost": miss, "false_alarm_cost": alarm}
    decision = iso.best_threshold(pts, **options)
    positives = Fraction(pts.positives)

    def cost(tp, fp):
        return Fraction(miss) * (positives - tp) + Fraction(alarm) * fp

    best = brute(pts, lambda tp, fp: -cost(tp, fp))
    assert chosen(decision) == best
    total = pts.positives + pts.negatives
    assert decision.value == pytest.approx(float(cost(*best)) / total, rel=1e-12)
    assert decision.objective == "cost per row"
    assert decision.beta == 1


@given(st.integers(0, 63), st.integers(1, 5), st.integers(1, 6), st.integers(0, 1))
@example(more=0, value=2, step=2, worse=0)
def test_counts_are_compared_exactly_where_floats_round(more, value, step, worse):
    # Twice as many false positives as true ones are worth nothing at cost 1/3.
    tp = 2**49 + more
    fp = 2 * tp - value
    pts = from_counts(([0, tp, tp + step], [0, fp, fp + 2 * step + worse], tp + step, 2**51))
    cost = Fraction(1 / 3)
    best = brute(pts, lambda tp, fp: (1 - cost) * tp - cost * fp)
    assert chosen(iso.best_threshold(pts, cost=1 / 3)) == best


@given(tables)
def test_accuracy(pts):
    decision = iso.best_threshold(pts, objective="accuracy")
    assert chosen(decision) == brute(pts, lambda tp, fp: tp - fp)
    right = (decision.tp + decision.tn) / (pts.positives + pts.negatives)
    assert decision.value == pytest.approx(right)


@given(tables)
def test_youden(pts):
    def value(tp, fp):
        return tp / Fraction(pts.positives) - fp / Fraction(pts.negatives)

    decision = iso.best_threshold(pts, objective="youden")
    assert chosen(decision) == brute(pts, value)
    assert decision.value == pytest.approx(float(value(*chosen(decision))), abs=1e-15)


@pytest.mark.parametrize(
    ("options", "objective"),
    [
        ({}, "F (β 1)"),
        ({"beta": 2}, "F (β 2)"),
        ({"cost": 0.25}, "cost per row"),
        ({"objective": "accuracy"}, "accuracy"),
        ({"objective": "youden"}, "Youden's J"),
        ({"min_precision": 0.7}, "recall with precision ≥ 0.7"),
        ({"min_recall": 0.7}, "precision with recall ≥ 0.7"),
        ({"budget": 3}, "recall with at most 3 predicted positives"),
        ({"index": "jaccard", "lam": 0.25}, "jaccard (λ 0.25)"),
        ({"miss_cost": 5, "false_alarm_cost": 1}, "cost per row"),
        ({"beta": 0, "min_recall": 0.7}, "precision with recall ≥ 0.7"),
        ({"cost": 0.25, "budget": 5}, "cost per row with at most 5 predicted positives"),
    ],
)
def test_a_decision_says_what_it_is_best_for(options, objective):
    decision = iso.best_threshold(SMALL, **options)
    assert decision.objective == objective
    assert f", best for {objective}: " in repr(decision)


@given(tables, shares)
def test_min_recall(pts, level):
    decision = iso.best_threshold(pts, min_recall=level)
    assert chosen(decision) == brute(
        pts,
        lambda tp, fp: tp / (tp + fp),
        lambda tp, fp: tp + fp > 0 and tp / pts.positives >= level,
    )
    assert decision.recall >= level
    assert decision.value == decision.precision


@given(tables, shares)
def test_min_precision(pts, level):
    def allowed(tp, fp):
        return tp + fp > 0 and tp / (tp + fp) >= level

    rows = [
        *zip(pts.tp.tolist(), pts.fp.tolist(), strict=True),
        (pts.positives, pts.negatives),
    ]
    if any(allowed(*row) for row in rows):
        decision = iso.best_threshold(pts, min_precision=level)
        assert chosen(decision) == brute(pts, lambda tp, _: tp, allowed)
        assert decision.precision >= level
        assert decision.value == decision.recall
    else:
        with pytest.raises(ParameterError, match=r"^no threshold reaches precision .*; the best"):
            iso.best_threshold(pts, min_precision=level)


@given(tables, st.integers(0, 40) | st.floats(0, 1e13))
def test_budget(pts, budget):
    decision = iso.best_threshold(pts, budget=budget)
    assert chosen(decision) == brute(pts, lambda tp, _: tp, lambda tp, fp: tp + fp <= budget)
    assert decision.tp + decision.fp <= budget
    assert decision.value == decision.recall


@given(binary_samples(weights="float"), st.floats(2**-10, 2**10))
def test_float_weights(sample, beta):
    """Sums of float weights are rounded, so the best F is reached to rounding."""
    pts = iso.OperatingPoints.from_scores(*sample[:2], sample_weight=sample[2])
    decision = iso.best_threshold(pts, beta=beta)
    assert decision.f == pytest.approx(np.nanmax(pts.f(beta)), rel=1e-12)
    cost = (0.7 * pts.fn + 0.3 * pts.fp) / (pts.positives + pts.negatives)
    assert cost.min() == pytest.approx(iso.best_threshold(pts, cost=0.3).value, rel=1e-12)


def test_the_threshold_is_the_highest_of_equally_good_ones():
    """F₁ is ⅔ at 0.9, where tp = 1, fp = 0, and at 0.1, where tp = 2, fp = 2."""
    pts = iso.OperatingPoints.from_scores([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.1])
    assert pts.f()[1] == pts.f()[4]
    assert float(iso.best_threshold(pts)) == 0.9
    assert float(iso.best_threshold(pts, beta=math.inf)) == 0.1
    same = iso.OperatingPoints.from_counts(
        [1, 1, 2], [0, 0, 2], positives=2, negatives=2, thresholds=[3, 2, 1]
    )
    assert float(iso.best_threshold(same)) == 3
    top = iso.OperatingPoints.from_scores([1, 1, 1, 0], [4, 3, 2, 1])
    assert float(iso.best_threshold(top, beta=0)) == 4
    assert float(iso.best_threshold(top, beta=1e-9)) == 2


def test_the_empty_rule_only_where_it_is_legal():
    worst = iso.OperatingPoints.from_scores([0, 0, 0, 1], [4, 3, 2, 1])
    assert float(iso.best_threshold(worst, objective="accuracy")) == math.inf
    assert float(iso.best_threshold(worst, cost=1)) == math.inf
    assert float(iso.best_threshold(worst, objective="youden")) == math.inf
    assert float(iso.best_threshold(worst, beta=0)) == 1
    tied = iso.OperatingPoints.from_scores([1, 0, 1], [2, 2, 1])
    decision = iso.best_threshold(tied, budget=1)
    assert float(decision) == math.inf
    assert math.isnan(decision.precision)


def test_a_score_of_infinity_can_be_excluded():
    pts = iso.OperatingPoints.from_scores([0, 0, 0, 1], [math.inf, 3, 2, 1])
    for objective in (
        {"budget": 0.5},
        {"budget": 1},
        {"cost": 0.9},
        {"objective": "accuracy"},
        {"index": "cost", "lam": 0.1},
    ):
        decision = iso.best_threshold(pts, **objective)
        assert (float(decision), decision.tp, decision.fp) == (math.inf, 0, 0)
        assert pts.at([decision.threshold]).fp.tolist() == [0]


@given(binary_samples(dtypes=["float64"]), st.sampled_from([0.1, 0.5, 0.9]))
def test_thresholds_do_what_they_promise(sample, cost):
    labels, scores = sample
    pts = iso.OperatingPoints.from_scores(labels, scores)
    found = [iso.best_threshold(pts, cost=cost), iso.best_threshold(pts, objective="youden")]
    found.append(iso.best_threshold(pts, budget=0))
    for decision in found:
        flagged = (scores >= float(decision)) & (float(decision) < math.inf)
        assert (decision.tp, decision.fp) == (flagged[labels].sum(), flagged[~labels].sum())


def test_the_threshold_keeps_its_precision():
    """Integers beyond 2**53 stay what they are."""
    if np.finfo(np.longdouble).nmant < 63:
        pytest.skip("long doubles are doubles here")
    big = 2**62
    scores = np.array([big + 1, big])
    pts = iso.OperatingPoints.from_scores([1, 0], scores)
    decision = iso.best_threshold(pts)
    assert decision.threshold == big + 1
    assert isinstance(decision.threshold, int)
    assert (scores >= decision.threshold).tolist() == [True, False]
    assert pts.at([decision.threshold]).tp.tolist() == [1]
    message = f"the threshold {big + 1} is not a float of 64 bits; use .threshold, which is exact"
    with pytest.raises(NotAnswerableError, match=f"^{message}$"):
        float(decision)
    assert iso.best_threshold(pts.at_prevalence(0.1)).threshold == big + 1
    flat = iso.OperatingPoints.from_scores([1, 0], np.array([big, big]))
    won = iso.compare({"A": pts, "B": flat}).winners
    assert won.threshold_lo[0] == np.longdouble(big + 1)


def test_long_doubles_between_floats_keep_their_precision():
    if np.finfo(np.longdouble).nmant < 63:
        pytest.skip("long doubles are doubles here")
    score = np.longdouble(1) + np.finfo(np.longdouble).eps
    pts = iso.OperatingPoints.from_scores([1, 0], np.array([score, 1], np.longdouble))
    assert iso.best_threshold(pts).threshold == score
    with pytest.raises(NotAnswerableError, match="is not a float of 64 bits"):
        float(iso.best_threshold(pts))


def test_constraints_are_compared_as_floats():
    """Eight of ten is a recall of 0.8, though the float 0.8 is a little more than 8/10."""
    pts = iso.OperatingPoints.from_counts([8, 10], [1, 9], positives=10, negatives=10)
    assert iso.best_threshold(pts, min_recall=0.8).tp == 8


def test_impossible_precision():
    pts = iso.OperatingPoints.from_scores([0, 1, 1, 0], [4, 3, 2, 1])
    with pytest.raises(ParameterError) as caught:
        iso.best_threshold(pts, min_precision=0.99)
    assert str(caught.value) == "no threshold reaches precision 0.99; the best is 0.666667"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beta": -1}, "beta must be a number ≥ 0 but is -1"),
        ({"cost": 2}, "cost must be between 0 and 1 but is 2"),
        ({"beta": 1, "cost": 0.5}, "more than one objective is given; pass one of beta= and cost="),
        (
            {"objective": "best"},
            "objective must be one of 'accuracy', 'youden' but is 'best'",
        ),
        ({"min_precision": 1.5}, "min_precision must be between 0 and 1 but is 1.5"),
        ({"min_recall": "all"}, "min_recall must be between 0 and 1 but is 'all'"),
        ({"budget": -3}, "budget must be a number ≥ 0 but is -3"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ParameterError) as caught:
        iso.best_threshold(SMALL, **options)
    assert str(caught.value) == message


def test_best_rows_of_sets_are_named_beside_thresholds():
    sets = iso.OperatingPoints.from_counts(
        [1, 3, 2], [0, 1, 3], positives=4, negatives=4, labels=["a", 3, "c"]
    )
    entries = [Entry("sets", ALL_ROWS, sets), Entry("scores", ALL_ROWS, SMALL)]
    best = thresholds_of(batches_of(entries), parse_f_objectives(1.0, {}))
    assert best.labels == (3, None)
    assert best.to_frame("polars")["label"].to_list() == ["3", ""]
    alone = thresholds_of(batches_of(entries[1:]), parse_f_objectives(1.0, {}))
    assert "label" not in alone.to_frame("polars").columns


def test_thresholds_are_best_between_their_ends():
    entries = batches_of([Entry("model", ALL_ROWS, SMALL)])
    best = thresholds_of(entries, parse_f_objectives([0.0, 0.25, 1.0, 2.0], {}))
    intervals = iso.optimal_thresholds(SMALL)
    for row, beta in enumerate(best.beta.tolist()):
        at = intervals.at(beta)
        assert best.threshold[row] == at.thresholds[0]
        assert best.beta_lo[row] ** 2 == pytest.approx(at.beta_squared_lo[0])
        assert best.beta_hi[row] ** 2 == pytest.approx(at.beta_squared_hi[0])


def test_a_selection_is_completed():
    judged = SMALL.at([0.8, 0.6])
    assert float(iso.best_threshold(judged)) == 0.6
    assert iso.best_threshold(judged, min_recall=1).threshold == -math.inf


# weighted indices ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("lam", [0, 0.2, 0.5, 0.83, 1])
def test_an_index_at_a_weight(name, lam):
    """The highest value of all rows, and among equals the fewest predicted positives."""
    rng = np.random.default_rng(8)
    labels = np.arange(60) < 20
    pts = iso.OperatingPoints.from_scores(labels, rng.normal(labels).round(1))
    found = iso.best_threshold(pts, index=name, lam=lam)
    rows = pts.table.counts
    kept = np.flatnonzero((rows.tp > 0) | (name == "cost"))
    values = INDICES[name].of_rows(rows.take(kept), lam)
    assert found.value == pytest.approx(values.max(), rel=1e-13)
    near = kept[values >= values.max() - 1e-12]
    assert found.threshold == pts.thresholds[near[0]]
    assert found.objective == f"{name} (λ {lam:g})"


def test_an_index_has_a_weight_and_a_weight_an_index():
    pts = iso.OperatingPoints.from_scores([1, 0, 1, 1, 0, 0, 1, 0], range(8, 0, -1))
    half = iso.best_threshold(pts, index="jaccard")
    assert (half.threshold, half.value) == (5, 0.6)
    assert iso.best_threshold(pts, lam=0.5).value == iso.best_threshold(pts).value
    own = iso.Index("product", lambda p, r, lam: p ** (1 - lam) * r**lam)
    for lam in (0, 0.3):
        folke = iso.best_threshold(pts, index="folke", lam=lam)
        assert iso.best_threshold(pts, index=own, lam=lam).threshold == folke.threshold
    with pytest.raises(
        ParameterError, match="more than one objective is given; pass one of beta= and index="
    ):
        iso.best_threshold(pts, beta=1, index="folke")
    with pytest.raises(ParameterError, match="pass one of cost= and lam="):
        iso.best_threshold(pts, cost=0.5, lam=0.2)
    with pytest.raises(ParameterError, match="lam must be between 0 and 1 but is 3"):
        iso.best_threshold(pts, lam=3)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_decision_is_a_table_of_one_row(library):
    decision = iso.best_threshold(SMALL, beta=2.0)
    (row,) = nw.from_native(decision.to_frame(library)).rows(named=True)
    assert row == {name: getattr(decision, name) for name in row}
    assert {"threshold", "tp", "f_gain", "objective", "value", "beta"} < row.keys()
    sets = iso.OperatingPoints.from_sets({1, 2}, {3: [1], "b": [2, 5]}, universe_size=9)
    assert nw.from_native(iso.best_threshold(sets).to_frame(library))["label"].to_list() == ["3"]


def test_tradeoffs_are_tables():
    tradeoff = SMALL.tradeoff()
    assert tradeoff.to_frame("pandas").equals(tradeoff.intervals.to_frame("pandas"))


def test_rows_that_are_best_have_the_measures_of_rows():
    intervals = SMALL.tradeoff().intervals
    at = SMALL.at(intervals.thresholds)
    best = iso.optimal_thresholds(SMALL)
    assert np.array_equal(intervals.f(2.0), at.f(2.0))
    assert np.array_equal(best.recall_gain, best.points.recall_gain)
    assert (best.positives, best.negatives) == (4, 4)


LEVELS = st.none() | shares
GOALS = [
    {"beta": 1},
    {"beta": 0.5},
    {"beta": 0},
    {"beta": math.inf},
    {"cost": 0.3},
    {"objective": "accuracy"},
    {"objective": "youden"},
    {"miss_cost": 7, "false_alarm_cost": 0.3},
    {},
]


def exact_value(pts, goal, quantities):
    """The objective as a function of exact counts, and whether the empty rule may have it."""
    positives, negatives = Fraction(pts.positives), Fraction(pts.negatives)
    if "beta" in goal or not goal:
        beta = goal.get("beta")
        if beta is None:
            free = {"precision": math.inf, "recall": 0, "flagged": math.inf}
            both = "precision" in quantities and "recall" in quantities
            beta = 1 if both else 0 if "recall" in quantities else free[quantities[0]]
        if beta == math.inf:
            return lambda tp, _: tp / positives
        squared = Fraction(beta) ** 2
        return lambda tp, fp: (
            (1 + squared) * tp / (squared * positives + tp + fp) if tp + fp else Fraction(-1)
        )
    if goal.get("objective") == "youden":
        return lambda tp, fp: tp / positives - fp / negatives
    cost = Fraction(goal.get("cost", 0.5))
    if "miss_cost" in goal:
        miss, alarm = Fraction(goal["miss_cost"]), Fraction(goal["false_alarm_cost"])
        cost = alarm / (miss + alarm)
    return lambda tp, fp: (1 - cost) * tp - cost * fp


@pytest.mark.parametrize("goal", GOALS)
@given(pts=tables, precision=LEVELS, recall=LEVELS, flagged=LEVELS)
def test_objectives_under_constraints(goal, pts, precision, recall, flagged):
    total = pts.positives + pts.negatives
    budget = None if flagged is None else flagged * total
    limits = {"min_precision": precision, "min_recall": recall, "budget": budget}
    given_limits = {name: level for name, level in limits.items() if level is not None}
    if len(given_limits) + bool(goal) < 2:
        return
    names = {"min_precision": "precision", "min_recall": "recall", "budget": "flagged"}
    value = exact_value(pts, goal, [names[name] for name in given_limits])

    def allowed(tp, fp):
        if precision is not None and not (tp + fp > 0 and tp / (tp + fp) >= precision):
            return False
        if recall is not None and not tp / pts.positives >= recall:
            return False
        if budget is not None and not tp + fp <= budget:
            return False
        # Where precision counts, a rule must predict something.
        legal = {"cost", "miss_cost", "objective"} & goal.keys()
        return value(Fraction(tp), Fraction(fp)) >= 0 or bool(legal)

    if not any(allowed(*row) for row in all_rows(pts)):
        with pytest.raises(ParameterError, match=r"ask for less|allow more|the best is"):
            iso.best_threshold(pts, **goal, **given_limits)
        return
    decision = iso.best_threshold(pts, **goal, **given_limits)
    assert chosen(decision) == brute(pts, value, allowed)


@pytest.mark.parametrize(
    ("rows", "positives", "options", "expected"),
    [
        # 2·10/36 = 2·15/54; nine positives without a negative have the highest F₁, 18/29.
        ([(9, 0), (10, 6), (15, 19)], 20, {"beta": 1, "min_recall": 0.5}, (10, 6)),
        # 6 - 30 = 8 - 32; (4, 2) is the most accurate.
        ([(4, 2), (6, 30), (8, 32)], 10, {"cost": 0.5, "min_recall": 0.5}, (6, 30)),
        ([(4, 2), (6, 30), (8, 32)], 10, {"objective": "accuracy", "min_recall": 0.5}, (6, 30)),
        # J is 0.398, 0.57 and, of 40 predicted positives, 0.768.
        ([(4, 2), (6, 30), (8, 32)], 10, {"objective": "youden", "budget": 39}, (6, 30)),
    ],
)
def test_constraints_by_hand(rows, positives, options, expected):
    """Of equally good rows that keep a constraint, the strictest."""
    tp, fp = zip(*rows, strict=True)
    pts = iso.OperatingPoints.from_counts(tp, fp, positives=positives, negatives=1000)
    assert chosen(iso.best_threshold(pts, **options)) == expected


def test_constraints_are_said_with_the_objective():
    best = iso.best_threshold(SMALL, beta=2, min_precision=0.7, budget=5)
    assert best.objective == "F (β 2) with precision ≥ 0.7 and at most 5 predicted positives"
    assert (best.threshold, best.value) == (0.6, best.f)
    unchanged = iso.best_threshold(SMALL, min_precision=0.5, min_recall=0.5)
    assert unchanged.objective == "F (β 1) with precision ≥ 0.5 and recall ≥ 0.5"
    assert unchanged.f == iso.best_threshold(SMALL).f


@pytest.mark.parametrize("name", ["kulczynski", "folke", "jaccard", "f-measure", "cost"])
def test_an_index_under_a_constraint(name):
    best = iso.best_threshold(SMALL, index=name, min_recall=0.9)
    rows = SMALL.table.counts
    values = INDICES[name].of_rows(rows, np.asarray(0.5))
    values = np.where(SMALL.recall >= 0.9, values, -np.inf)
    assert best.value == values.max()
    assert best.threshold == SMALL.thresholds[int(np.argmax(values))]


EXACT = {
    "f-measure": lambda w, t, tp, fp: tp / (tp + w * (t[0] - tp) + (1 - w) * fp),
    "jaccard": lambda w, t, tp, fp: (
        tp / (tp + min(2 * w, 1) * (t[0] - tp) + min(2 * (1 - w), 1) * fp)
    ),
    "kulczynski": lambda w, t, tp, fp: w * tp / t[0] + (1 - w) * tp / (tp + fp),
    "f-gain": lambda w, t, tp, fp: (
        1 - t[0] * (w * (t[0] - tp) + (1 - w) * fp) / (t[1] * tp) if tp else -math.inf
    ),
    "cost": lambda w, t, tp, fp: w * tp / t[0] + (1 - w) * (1 - fp / t[1]),
}
"""The indices by their definitions, of the weight of recall, the totals and the counts."""


@pytest.mark.parametrize("name", EXACT)
@given(
    pts=tables,
    lam=st.sampled_from([0.0, 0.125, 0.25, 0.5, 0.75, 1.0]),
    limits=st.tuples(LEVELS, LEVELS, st.none() | st.integers(0, 12)),
)
def test_an_index_under_constraints_is_the_best_of_all_rules(name, pts, lam, limits):
    """The empty rule included, where the index is defined for it, and rules without a hit."""
    precision, recall, budget = limits
    weight, totals = Fraction(lam), (Fraction(pts.positives), Fraction(pts.negatives))

    def value(tp, fp):
        return EXACT[name](weight, totals, tp, fp)

    def allowed(tp, fp):
        return (
            (name == "cost" or tp + fp > 0)
            and (precision is None or (tp + fp > 0 and tp / (tp + fp) >= precision))
            and (recall is None or tp / pts.positives >= recall)
            and (budget is None or tp + fp <= budget)
        )

    asked = {"min_precision": precision, "min_recall": recall, "budget": budget}
    if not any(allowed(*row) for row in all_rows(pts)):
        with pytest.raises(ParameterError, match="no threshold"):
            iso.best_threshold(pts, index=name, lam=lam, **asked)
        return
    decision = iso.best_threshold(pts, index=name, lam=lam, **asked)
    assert chosen(decision) == brute(pts, value, allowed)
    best = float(value(*map(Fraction, chosen(decision))))
    assert decision.value == pytest.approx(best, rel=1e-12, abs=1e-15)


@given(tables, st.sampled_from([0.0, 0.5, 1.0, 2.0, math.inf]), st.integers(0, 12))
def test_the_index_f_measure_answers_as_f_does(pts, beta, budget):
    """Under a budget that leaves rules without a hit too."""
    if not any(0 < tp + fp <= budget for tp, fp in all_rows(pts)):
        return
    lam = 1.0 if beta == math.inf else beta**2 / (1 + beta**2)
    by_beta = iso.best_threshold(pts, beta=beta, budget=budget)
    by_index = iso.best_threshold(pts, index="f-measure", lam=lam, budget=budget)
    assert by_index.value == pytest.approx(by_beta.value, rel=1e-12)
    if 0 < beta < math.inf and beta != 2:
        # λ = 4/5 is rounded, and for recall alone the empty rule is an answer too.
        assert chosen(by_index) == chosen(by_beta)


BAD = iso.OperatingPoints.from_scores([0, 0, 1, 0, 0, 0], [5, 4, 3, 2, 1, 0])
"""The highest scores are of negatives."""


@pytest.mark.parametrize("limits", [{}, {"budget": 2}, {"budget": 0}, {"min_recall": 0.0}])
def test_the_index_cost_may_be_best_of_the_empty_rule(limits):
    best = iso.best_threshold(BAD, index="cost", lam=0.1, **limits)
    assert (best.threshold, best.value) == (math.inf, 0.9)


def test_the_empty_rule_never_has_a_precision():
    best = iso.best_threshold(BAD, index="cost", lam=0.1, min_precision=0.0)
    assert (best.threshold, best.value) == (5, pytest.approx(0.72))


@pytest.mark.parametrize(
    ("index", "value"),
    [("f-measure", 0), ("jaccard", 0), ("kulczynski", 0), ("folke", 0), ("f-gain", -math.inf)],
)
def test_rules_without_a_hit_are_rules(index, value):
    best = iso.best_threshold(BAD, index=index, budget=1)
    assert (best.threshold, best.value) == (5, value)
    assert best.threshold == iso.best_threshold(BAD, beta=1, budget=1).threshold


def test_an_index_of_a_user_may_have_the_name_of_another():
    own = iso.Index("cost", lambda p, r, lam: lam * r + (1 - lam) * p)
    decisions = [iso.best_threshold(SMALL, index=each) for each in (own, "kulczynski")]
    assert decisions[0].value == decisions[1].value
    best = iso.best_threshold(BAD, index=own, budget=1)
    assert (best.threshold, best.value) == (5, 0)


@pytest.mark.parametrize(
    ("scores", "asked", "message"),
    [
        (
            [5, 4, 3, 2, 1, 0],
            {"index": "jaccard", "budget": 0},
            "no threshold that flags a row has at most 0 predicted positives; allow more",
        ),
        (
            [5, 4, 3, 2, 1, 0],
            {"beta": 1, "budget": 0.5, "min_recall": 0},
            "no threshold that flags a row has recall ≥ 0 and at most 0.5 predicted positives; "
            "ask for less, or allow more",
        ),
    ],
)
def test_a_refusal_says_which_way_to_go(scores, asked, message):
    pts = iso.OperatingPoints.from_scores([0, 0, 1, 0, 0, 0], scores)
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
        iso.best_threshold(pts, **asked)


def test_a_table_with_gaps_answers_where_the_best_row_keeps_the_constraint():
    rng = np.random.default_rng(2)
    labels = rng.random(500) < 0.3
    whole = iso.OperatingPoints.from_scores(labels, rng.normal(labels))
    short = whole.compact(60)
    free = iso.best_threshold(whole)
    level = free.precision
    assert chosen(iso.best_threshold(short, beta=1, min_precision=level)) == chosen(free)
    with pytest.raises(NotAnswerableError, match="the best row under constraints"):
        iso.best_threshold(short, beta=1, min_precision=level + 0.01)


def test_impossible_constraints_together():
    with pytest.raises(ParameterError) as caught:
        iso.best_threshold(SMALL, min_precision=0.9, min_recall=0.9)
    assert str(caught.value) == "no threshold has precision ≥ 0.9 and recall ≥ 0.9; ask for less"


def test_constraints_together_are_refused_without_a_reason():
    """Each of them may be what is too much."""
    pts = iso.OperatingPoints.from_scores([0, 0, 0, 1], [4, 3, 2, 1])
    with pytest.raises(ParameterError) as caught:
        iso.best_threshold(pts, min_recall=0.5, budget=0.5)
    assert str(caught.value) == (
        "no threshold has recall ≥ 0.5 and at most 0.5 predicted positives; ask for less, or allow "
        "more"
    )


def test_precisions_of_weighted_positives_are_compared_exactly():
    """Of a little more than nine in twelve, and of three in four, floats are both ¾."""
    more = float(np.nextafter(9, 10))
    pts = iso.OperatingPoints.from_counts([3.0, more], [1, 3], positives=10.0, negatives=20)
    assert more / (more + 3) == 0.75
    assert chosen(iso.best_threshold(pts, beta=0)) == (more, 3)


def test_of_equal_f_the_rule_that_flags_less_wins():
    """F1 is 1/3 with 2 of 10 positives and no false one, and with all 10 and 40 false ones."""
    points = iso.OperatingPoints.from_counts([2, 10], [0, 40], positives=10, negatives=90)
    decision = iso.best_threshold(points)
    assert (decision.tp, decision.value) == (2, pytest.approx(1 / 3))


@pytest.mark.parametrize(
    ("goal", "tp", "fp"),
    [
        ({"index": "kulczynski"}, 750_000_000_000_003, 250_000_000_000_005),
        ({"index": "f-measure"}, 750_000_000_000_015, 500_000_000_000_029),
        ({"index": "f-gain"}, 750_000_000_000_015, 500_000_000_000_029),
        ({"beta": 1}, 750_000_000_000_015, 500_000_000_000_029),
    ],
)
def test_rows_that_floats_cannot_tell_apart_are_compared_exactly(goal, tp, fp):
    """Half of all positives and no false one is worse by 1.2e-29, or 3e-16, than the other row."""
    half = 5 * 10**14
    points = iso.OperatingPoints.from_counts(
        [half, tp, 10**15], [0, fp, 9 * 10**14], positives=10**15, negatives=8 * 10**15
    )
    best = iso.best_threshold(points, **goal, budget=10**15 + 3 * half)
    assert (best.tp, best.fp) == (10**15, 9 * 10**14)
    best = iso.best_threshold(points, **goal, budget=tp + fp)
    assert (best.tp, best.fp) == (tp, fp)


def test_entries_are_split_into_batches_in_their_order():
    weighted = iso.OperatingPoints.from_scores([1, 0, 1], [3, 2, 1], sample_weight=[0.5, 1, 2])
    heavy = iso.OperatingPoints.from_scores([1, 0], [2, 1], sample_weight=[2**23, 2**23])
    tables = [SMALL] * 20 + [weighted] + [SMALL] * 3 + [weighted] * 2 + [heavy] * 20
    entries = [Entry("model", str(number), table) for number, table in enumerate(tables)]
    batches = list(batches_of(iter(entries)))
    assert [entry for batch in batches for entry in batch.entries] == entries
    # No more than 8 tables with so large counts may stand together, too few to be worth it.
    assert [len(batch.entries) for batch in batches] == [20, 1, 3, 1, 1, 8, 8, 4]
    assert [batch.tables is not None for batch in batches] == [True] + [False] * 7
