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
from isometrics.decisions.thresholds import ALL_ROWS, Entry, batches_of, thresholds_of
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.spaces.indices import INDICES
from isometrics.testing.strategies import binary_samples, count_tables, point_clouds

LABELS = [1, 0, 1, 1, 0, 0, 1, 0]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
SMALL = iso.OperatingPoints.from_scores(LABELS, SCORES)


def from_counts(drawn):
    tp, fp, positives, negatives = drawn
    return iso.OperatingPoints.from_counts(tp, fp, positives=positives, negatives=negatives)


def nearly_equal(more, value, step, worse):
    """Two rows that floats may not tell apart, with about two false positives for a true one."""
    tp = 2**49 + more
    fp = 2 * tp - value
    return from_counts(([0, tp, tp + step], [0, fp, fp + 2 * step + worse], tp + step, 2**51))


near_ties = st.builds(
    nearly_equal, st.integers(0, 63), st.integers(-9, 5), st.integers(1, 6), st.integers(0, 6)
)
tables = (
    near_ties
    | count_tables().map(from_counts)
    | point_clouds().map(from_counts)
    | binary_samples().map(lambda sample: iso.OperatingPoints.from_scores(*sample))
    | binary_samples(weights="integer").map(
        lambda sample: iso.OperatingPoints.from_scores(*sample[:2], sample_weight=sample[2])
    )
)
shares = st.sampled_from([0.0, 0.2, 0.5, 0.75, 1.0]) | st.floats(0, 1)


def all_rows(pts):
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


BETAS = st.sampled_from([0.0, 0.5, 1.0, 2.0, 1e200, math.inf]) | st.floats(2**-20, 2**20)
COSTS = st.just(0.0) | st.floats(1e-100, 1e6)
GOALS = {
    "nothing": st.just({}),
    "beta": BETAS.map(lambda beta: {"beta": beta}),
    "cost": shares.map(lambda cost: {"cost": cost}),
    "costs": st.builds(
        lambda miss, alarm: {"miss_cost": miss, "false_alarm_cost": alarm},
        COSTS,
        st.floats(1e-6, 1e6),
    ),
    "accuracy": st.just({"objective": "accuracy"}),
    "youden": st.just({"objective": "youden"}),
}
LEVELS = st.none() | shares


def exact_value(pts, goal, limits):
    """The objective as a function of exact counts, of which more is better; None if undefined."""
    positives, negatives = Fraction(pts.positives), Fraction(pts.negatives)
    if "beta" in goal or not goal:
        free = 0 if "min_recall" in limits else math.inf if limits else 1
        beta = goal.get("beta", 1 if {"min_precision", "min_recall"} <= limits.keys() else free)
        if beta == math.inf:
            return lambda tp, _: tp / positives
        squared = Fraction(beta) ** 2
        return lambda tp, fp: (
            (1 + squared) * tp / (squared * positives + tp + fp) if tp + fp else None
        )
    if goal.get("objective") == "youden":
        return lambda tp, fp: tp / positives - fp / negatives
    cost = Fraction(goal.get("cost", 0.5))
    miss, alarm = (Fraction(goal.get(name, 0)) for name in ("miss_cost", "false_alarm_cost"))
    miss, alarm = (miss, alarm) if miss or alarm else (1 - cost, cost)
    rows = positives + negatives
    if "objective" in goal:
        return lambda tp, fp: (tp + negatives - fp) / rows
    return lambda tp, fp: -(miss * (positives - tp) + alarm * fp) / rows


@pytest.mark.parametrize("kind", GOALS)
@given(pts=tables, levels=st.tuples(LEVELS, LEVELS, LEVELS), data=st.data())
def test_the_best_rule_is_that_of_all_rules(kind, pts, levels, data):
    """For every objective, without constraints and with any."""
    precision, recall, rate = levels
    goal = data.draw(GOALS[kind])
    budget = data.draw(st.none() | st.integers(0, 40) | st.floats(0, 1e13))
    name_of_rate = data.draw(st.sampled_from(["max_fpr", "min_specificity"]))
    limits = {"min_precision": precision, "min_recall": recall, "budget": budget}
    limits[name_of_rate] = rate
    limits = {name: level for name, level in limits.items() if level is not None}
    value = exact_value(pts, goal, limits)

    def allowed(tp, fp):
        if precision is not None and not (tp + fp > 0 and tp / (tp + fp) >= precision):
            return False
        if recall is not None and not tp / pts.positives >= recall:
            return False
        if budget is not None and not tp + fp <= budget:
            return False
        if "max_fpr" in limits and not fp / pts.negatives <= rate:
            return False
        if "min_specificity" in limits and not (pts.negatives - fp) / pts.negatives >= rate:
            return False
        return value(Fraction(tp), Fraction(fp)) is not None

    if not any(allowed(*row) for row in all_rows(pts)):
        with pytest.raises(ParameterError, match=r"ask for less|allow more|the best is"):
            iso.best_threshold(pts, **goal, **limits)
        return
    decision = iso.best_threshold(pts, **goal, **limits)
    best = brute(pts, value, allowed)
    assert chosen(decision) == best
    assert decision.tp + decision.fn == pts.positives
    assert decision.fp + decision.tn == pts.negatives
    assert decision.value == pytest.approx(abs(float(value(*best))), rel=1e-12, abs=1e-15)


@given(near_ties)
@example(nearly_equal(more=0, value=2, step=2, worse=0))
def test_counts_are_compared_exactly_where_floats_round(pts):
    # Twice as many false positives as true ones are worth nothing at cost 1/3.
    cost = Fraction(1 / 3)
    best = brute(pts, lambda tp, fp: (1 - cost) * tp - cost * fp)
    assert chosen(iso.best_threshold(pts, cost=1 / 3)) == best


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
        ({"max_fpr": 0.25}, "recall with false positive rate ≤ 25%"),
        ({"min_specificity": 0.75}, "recall with specificity ≥ 0.75"),
        ({"budget": 3}, "recall with at most 3 predicted positives"),
        ({"index": "jaccard", "lam": 0.25}, "jaccard (λ 0.25)"),
        ({"miss_cost": 5, "false_alarm_cost": 1}, "cost per row"),
        ({"beta": 0, "min_recall": 0.7}, "precision with recall ≥ 0.7"),
        ({"cost": 0.25, "budget": 5}, "cost per row with at most 5 predicted positives"),
        (
            {"beta": 2, "min_precision": 0.7, "budget": 5},
            "F (β 2) with precision ≥ 0.7 and at most 5 predicted positives",
        ),
    ],
)
def test_a_decision_says_what_it_is_best_for(options, objective):
    decision = iso.best_threshold(SMALL, **options)
    assert decision.objective == objective
    assert f", best for {objective}: " in repr(decision)


@given(binary_samples(weights="float"), st.floats(2**-10, 2**10))
def test_float_weights(sample, beta):
    """Sums of float weights are rounded, so the best F is reached to rounding."""
    pts = iso.OperatingPoints.from_scores(*sample[:2], sample_weight=sample[2])
    decision = iso.best_threshold(pts, beta=beta)
    assert decision.f == pytest.approx(np.nanmax(pts.f(beta)), rel=1e-12)
    cost = (0.7 * pts.fn + 0.3 * pts.fp) / (pts.positives + pts.negatives)
    assert cost.min() == pytest.approx(iso.best_threshold(pts, cost=0.3).value, rel=1e-12)


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
    score = np.longdouble(1) + np.finfo(np.longdouble).eps
    pts = iso.OperatingPoints.from_scores([1, 0], np.array([score, 1], np.longdouble))
    assert iso.best_threshold(pts).threshold == score
    with pytest.raises(NotAnswerableError, match="is not a float of 64 bits"):
        float(iso.best_threshold(pts))


def test_constraints_by_hand():
    """Eight of ten is a recall of 0.8, though the float 0.8 is a little more than 8/10."""
    pts = iso.OperatingPoints.from_counts([8, 10], [1, 9], positives=10, negatives=10)
    assert iso.best_threshold(pts, min_recall=0.8).tp == 8
    # Of a little more than nine in twelve, and of three in four, floats are both ¾.
    more = float(np.nextafter(9, 10))
    pts = iso.OperatingPoints.from_counts([3.0, more], [1, 3], positives=10.0, negatives=20)
    assert more / (more + 3) == 0.75
    assert chosen(iso.best_threshold(pts, beta=0)) == (more, 3)
    judged = SMALL.at([0.8, 0.6])
    assert float(iso.best_threshold(judged)) == 0.6
    assert iso.best_threshold(judged, min_recall=1).threshold == -math.inf


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


def test_an_index_has_a_weight_and_a_weight_an_index():
    pts = iso.OperatingPoints.from_scores([1, 0, 1, 1, 0, 0, 1, 0], range(8, 0, -1))
    half = iso.best_threshold(pts, index="jaccard")
    assert (half.threshold, half.value) == (5, 0.6)
    assert iso.best_threshold(pts, lam=0.5).value == iso.best_threshold(pts).value
    own = iso.Index("product", lambda p, r, lam: p ** (1 - lam) * r**lam)
    for lam in (0, 0.3):
        folke = iso.best_threshold(pts, index="folke", lam=lam)
        assert iso.best_threshold(pts, index=own, lam=lam).threshold == folke.threshold


@pytest.mark.parametrize("lam", [0, 0.2, 0.5, 1])
@pytest.mark.parametrize("level", [None, 0.9])
def test_an_index_of_powers(lam, level):
    """Folke's, which fractions do not have."""
    best = iso.best_threshold(SMALL, index="folke", lam=lam, min_recall=level)
    values = INDICES["folke"].of_rows(SMALL.table.counts, np.asarray(lam))
    values = np.where((SMALL.recall >= (level or 0)) & (SMALL.tp > 0), values, -np.inf)
    assert best.value == values.max()
    assert best.threshold == SMALL.thresholds[int(np.argmax(values))]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_decision_is_a_table_of_one_row(library):
    decision = iso.best_threshold(SMALL, beta=2.0)
    (row,) = nw.from_native(decision.to_frame(library)).rows(named=True)
    assert row == {name: getattr(decision, name) for name in row}
    assert {"threshold", "tp", "f_gain", "objective", "value", "beta"} < row.keys()
    sets = iso.OperatingPoints.from_sets({1, 2}, {3: [1], "b": [2, 5]}, universe_size=9)
    assert nw.from_native(iso.best_threshold(sets).to_frame(library))["label"].to_list() == ["3"]


def test_rows_that_are_best_are_tables_with_the_measures_of_rows():
    tradeoff = SMALL.tradeoff()
    assert tradeoff.to_frame("pandas").equals(tradeoff.intervals.to_frame("pandas"))
    intervals = tradeoff.intervals
    at = SMALL.at(intervals.thresholds)
    best = iso.optimal_thresholds(SMALL)
    assert np.array_equal(intervals.f(2.0), at.f(2.0))
    assert np.array_equal(best.recall_gain, best.points.recall_gain)
    assert (best.positives, best.negatives) == (4, 4)


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
@example(nearly_equal(more=0, value=-9, step=3, worse=0), 0.0, (None, None, None))
@example(nearly_equal(more=0, value=-9, step=3, worse=3), 0.5, (None, None, None))
@example(nearly_equal(more=0, value=-9, step=2, worse=1), 0.25, (None, None, None))
@example(nearly_equal(more=0, value=5, step=2, worse=4), 0.75, (None, None, None))
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


BAD = iso.OperatingPoints.from_scores([0, 0, 1, 0, 0, 0], [5, 4, 3, 2, 1, 0])
"""The highest scores are of negatives."""


def test_an_index_of_a_user_may_have_the_name_of_another():
    own = iso.Index("cost", lambda p, r, lam: lam * r + (1 - lam) * p)
    decisions = [iso.best_threshold(SMALL, index=each) for each in (own, "kulczynski")]
    assert decisions[0].value == decisions[1].value
    best = iso.best_threshold(BAD, index=own, budget=1)
    assert (best.threshold, best.value) == (5, 0)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"min_precision": 0.99}, "no threshold reaches precision 0.99; the best is 0.333333"),
        (
            {"min_precision": 0.9, "min_recall": 0.9},
            "no threshold has precision ≥ 0.9 and recall ≥ 0.9; ask for less",
        ),
        (
            {"min_recall": 0.5, "budget": 0.5},
            "no threshold has recall ≥ 0.5 and at most 0.5 predicted positives; ask for less, or "
            "allow more",
        ),
        (
            {"index": "jaccard", "budget": 0},
            "no threshold that flags a row has at most 0 predicted positives; allow more",
        ),
        (
            {"beta": 1, "budget": 0.5, "min_recall": 0},
            "no threshold that flags a row has recall ≥ 0 and at most 0.5 predicted positives; "
            "ask for less, or allow more",
        ),
    ],
)
def test_a_refusal_says_which_way_to_go(asked, message):
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
        iso.best_threshold(BAD, **asked)


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
