"""The best rule under many weightings, against all rules with fractions, by every kernel."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from isometrics._counting import native
from isometrics._counting.best_rules import (
    NO_RULE,
    Ranking,
    Task,
    allowed_gain,
    block_sums,
    blocks_of,
    choose_compiled,
    choose_plain,
    counts_at,
)
from isometrics._counting.confusion import Confusion, f_weights, wilson_bound

NO_LEVELS = {"min_precision": -1.0, "min_recall": -1.0, "max_fpr": inf, "most_flagged": inf}
NEAR = Fraction(1, 10**9)


def task_of(*, beta=1.0, costs=None, z=0.0, effective=1.0, ratio=0.0, **levels):
    first, second = f_weights(beta) if costs is None else costs
    return Task(
        costs is not None,
        first,
        second,
        **(NO_LEVELS | levels),
        z=z,
        effective=effective,
        allows_nothing=costs is not None or beta == inf,
        ratio=ratio,
    )


def totals_of(weights, ranking):
    row_weight = ranking.weight if ranking.weight.size else np.ones(ranking.unit.size)
    drawn = weights[:, ranking.unit] * row_weight
    sums = [drawn[:, rows].sum(axis=1) for rows in (ranking.positive, ~ranking.positive)]
    return np.stack(sums, axis=1)


def by_plain(weights, ranking, task):
    sums = [rows.sums(weights) for rows in ranking.split()]
    return choose_plain(Confusion(*sums, *totals_of(weights, ranking).T), task)


def by_loop(weights, ranking, task):
    drawn = weights.astype(np.uint8)
    sums = block_sums(drawn, ranking)
    return choose_compiled(drawn, sums, totals_of(weights, ranking), ranking, task)


def assert_same_bits(found, expected):
    for array, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(array, other)


def rules_of(ranking, multiplicity):
    """Return tp and fp of each rule, the one that flags nothing first, as fractions."""
    row_weight = ranking.weight if ranking.weight.size else np.ones(ranking.unit.size)
    rules = [(Fraction(0), Fraction(0))]
    tp = fp = Fraction(0)
    rows = zip(ranking.unit, ranking.positive, ranking.last, row_weight, strict=True)
    for unit, positive, last, weight in rows:
        drawn = Fraction(float(multiplicity[unit])) * Fraction(float(weight))
        tp, fp = (tp + drawn, fp) if positive else (tp, fp + drawn)
        if last:
            rules.append((tp, fp))
    return rules


def margins(task, tp, fp, positives, negatives):
    """Yield by how much a rule keeps each level; below 0 it does not."""
    flagged = tp + fp
    if not task.allows_nothing:
        yield Fraction(1 if flagged > 0 else -1)
    for level, part, whole in (
        (task.min_precision, tp, flagged),
        (task.min_recall, tp, positives),
    ):
        if level >= 0:
            yield bound(part, whole, task) - Fraction(level) if whole else Fraction(-1)
    if task.max_fpr < inf:
        specificity = bound(negatives - fp, negatives, task)
        # Where nothing is a bound, rates are compared as floats.
        rate = 1 - specificity if task.z else Fraction(float(fp) / float(negatives))
        yield Fraction(task.max_fpr) - rate
    if task.most_flagged < inf:
        yield Fraction(task.most_flagged) * (positives + negatives) - flagged


def bound(part, whole, task):
    share = part / whole
    if task.z == 0:
        return share
    size = float(whole) * task.effective
    z, p = task.z, float(share)
    centre = p + z * z / (2 * size)
    spread = z * (p * (1 - p) / size + z * z / (4 * size * size)) ** 0.5
    return Fraction((centre - spread) / (1 + z * z / size))


def gain_of(task, tp, fp, positives):
    lost = Fraction(task.first) * (positives - tp) + Fraction(task.second) * fp
    if task.costs:
        return -lost
    return tp / (tp + lost) if tp + lost else None


def reference(ranking, multiplicity, task):
    """Return gain and least margin of each rule; None where a class is missing."""
    rules = rules_of(ranking, multiplicity)
    positives, negatives = rules[-1]
    if not (positives and negatives):
        return None
    scale = Fraction(1)
    if task.ratio:
        scale = positives * Fraction(task.ratio) / negatives
        negatives = positives * Fraction(task.ratio)
    found = []
    for tp, fp in rules:
        gain = gain_of(task, tp, fp * scale, positives)
        kept = list(margins(task, tp, fp * scale, positives, negatives))
        found.append((gain, Fraction(-1) if gain is None else min(kept, default=Fraction(1))))
    return found


@st.composite
def rankings(draw):
    size = draw(st.integers(2, 14))
    scores = np.array(draw(st.lists(st.integers(0, 6), min_size=size, max_size=size)), float)
    positive = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    clustered = draw(st.booleans())
    unit = np.arange(size)
    if clustered:
        unit = np.array(draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)))
    weight = None
    if draw(st.booleans()):
        # Quarters are added without rounding.
        quarters = draw(st.lists(st.integers(1, 12), min_size=size, max_size=size))
        weight = np.array(quarters) / 4
    ranking = Ranking.of_rows(scores, positive, unit.astype(np.int32), weight)
    units = int(unit.max()) + 1
    rows = st.lists(st.integers(0, 3), min_size=units, max_size=units)
    return ranking, np.array(draw(st.lists(rows, min_size=1, max_size=4)), float)


OBJECTIVES = st.one_of(
    st.sampled_from([0.0, 0.5, 1.0, 2.0, inf]).map(lambda beta: {"beta": beta}),
    st.sampled_from([(0.5, 0.5), (0.75, 0.25), (4.0, 1.0), (1.0, 0.0), (0.0, 1.0)]).map(
        lambda costs: {"costs": costs}
    ),
)
LEVELS = st.fixed_dictionaries(
    {},
    optional={
        name: st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
        for name in ("min_precision", "min_recall", "max_fpr", "most_flagged")
    },
)
TASKS = st.builds(
    lambda objective, levels, z, ratio: task_of(**objective, **levels, z=z, ratio=ratio),
    OBJECTIVES,
    LEVELS,
    st.sampled_from([0.0, 0.0, 1.0, 1.96]),
    st.sampled_from([0.0, 0.0, 1.0, 9.0, 1 / 3]),
)
HALF_THE_ROWS = Ranking.of_rows(
    np.array([2.0, 1.0]), np.array([False, True]), np.arange(2, dtype=np.int32), None
)


@given(rankings(), TASKS)
@example((HALF_THE_ROWS, np.ones((1, 2))), task_of(min_recall=0.0, beta=inf))
def test_the_rule_is_the_best_of_all_that_are_allowed(drawn, task):
    """Ties in exact arithmetic go to the highest threshold, where floats are exact too."""
    ranking, weights = drawn
    chosen = by_plain(weights, ranking, task)
    exact = task.ratio == 0 and task.z == 0 and task.first in (0.0, 0.25, 0.5, 0.75, 1.0, 4.0)
    for row, multiplicity in enumerate(weights):
        found, rule = reference(ranking, multiplicity, task), chosen.rule[row]
        if found is None:
            assert rule == NO_RULE
            continue
        surely = [gain for gain, margin in found if margin > NEAR]
        if exact:
            allowed = [gain for gain, margin in found if margin >= 0]
            best = max(allowed, default=None)
            at = [i for i, (gain, margin) in enumerate(found) if margin >= 0 and gain == best]
            assert rule == (at[0] if at else NO_RULE)
        elif rule == NO_RULE:
            assert not surely
        else:
            gain, margin = found[rule]
            assert margin >= -NEAR
            assert all(gain >= other - NEAR for other in surely)
        if rule == NO_RULE:
            assert np.isnan(chosen.tp[row])
            assert np.isnan(chosen.fp[row])
        else:
            assert (chosen.tp[row], chosen.fp[row]) == rules_of(ranking, multiplicity)[rule]


@pytest.mark.usefixtures("compiled_loops")
def test_every_recall_keeps_a_level_of_0():
    """Rounding puts the bound of a recall of 0 a little below 0, or not."""
    ranking = Ranking.of_rows(
        np.zeros(14), np.arange(14) > 11, np.zeros(14, np.int32), np.append([0.25] * 13, 1.0)
    )
    task = task_of(costs=(0.5, 0.5), min_recall=0.0, z=1.96)
    for choose in (by_plain, by_loop):
        assert choose(np.ones((1, 1)), ranking, task).rule == 0


@pytest.mark.usefixtures("compiled_loops")
@given(rankings(), TASKS)
def test_all_kernels_agree_to_the_bit(drawn, task):
    ranking, weights = drawn
    assert_same_bits(by_loop(weights, ranking, task), by_plain(weights, ranking, task))


@given(rankings(), st.data())
def test_some_rules_have_the_counts_that_they_have_among_all(drawn, data):
    ranking, weights = drawn
    rule = st.integers(0, int(ranking.rule[-1]))
    wanted = data.draw(st.lists(rule, min_size=1, max_size=4))
    for compiled in {False, native.available()}:
        tp, fp = counts_at(weights, ranking, wanted, compiled=compiled)
        for row, multiplicity in enumerate(weights):
            rules = rules_of(ranking, multiplicity)
            assert [*zip(tp[row], fp[row], strict=True)] == [rules[each] for each in wanted]


@pytest.mark.usefixtures("compiled_loops")
@pytest.mark.parametrize(
    "asked",
    [
        {"beta": 0.0},
        {"beta": 2.0},
        {"beta": inf},
        {"beta": inf, "most_flagged": 0.2},
        {"beta": inf, "min_precision": 0.6},
        {"beta": inf, "max_fpr": 0.1},
        {"beta": inf, "max_fpr": 0.1, "z": 1.96, "effective": 0.7},
        {"beta": 0.0, "max_fpr": 0.15, "min_recall": 0.05},
        {"beta": 0.0, "min_recall": 0.3, "z": 1.96, "effective": 0.7},
        {"costs": (0.3, 0.7), "most_flagged": 0.2},
        {"ratio": 20.0, "min_precision": 0.01, "min_recall": 0.1, "most_flagged": 0.9},
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("decimals", [-1, 0, 3])
def test_kernels_agree_on_many_blocks(asked, weighted, clustered, decimals):
    """Of scores that are all different, of short ties, and of ties longer than a block."""
    random = np.random.default_rng(5)
    positive = random.random(1300) < 0.2
    separation = 4 if decimals == 3 else 1
    scores = (random.normal(separation * positive) * 40).round(decimals)
    weight = random.random(1300) if weighted else None
    unit = np.arange(1300, dtype=np.int32)
    if clustered:
        unit = random.integers(0, 400, 1300).astype(np.int32)
        unit[:400] = np.arange(400)
    ranking = Ranking.of_rows(scores, positive, unit, weight)
    units = int(unit.max()) + 1
    weights = np.vstack([np.ones((1, units)), random.poisson(1.0, (2, units))])
    task = task_of(**asked)
    expected = by_plain(weights, ranking, task)
    assert (expected.rule != NO_RULE).all()
    assert_same_bits(by_loop(weights, ranking, task), expected)


@given(st.lists(st.integers(1, 400), min_size=1, max_size=200), st.sampled_from([1, 1, 50, 3000]))
def test_blocks_are_of_few_rows_or_of_one_rule(lengths, times):
    ends = np.cumsum(np.tile(lengths, times))
    block = blocks_of(ends)
    assert block[0] == 0
    assert set(np.diff(block)) <= {0, 1}
    # Twice the last block, and 1 more, are 16 bits.
    assert 2 * int(block[-1]) + 1 < 2**16
    size = max(64, -(-int(ends[-1]) // 2048))
    starts = np.append(0, ends[:-1])
    first = np.flatnonzero(np.diff(block, prepend=-1))
    last = np.append(first[1:], len(ends)) - 1
    rows = ends[last] - starts[first]
    assert ((rows <= size) | (first == last)).all()


def test_a_block_ends_with_its_last_rule():
    ranking = Ranking.of_rows(
        np.repeat([3.0, 2.0, 1.0], [1, 200, 1]),
        np.arange(202) % 2 == 0,
        np.arange(202, dtype=np.int32),
        None,
    )
    assert ranking.block_ends.tolist() == [1, 201, 202]
    assert ranking.cell[:3].tolist() == [0, 3, 2]
    assert ranking.cell_unit.size == 0


@pytest.mark.parametrize("z", [0.0, 1.0, 1.96, 3.0])
def test_the_bound_is_wilsons(z):
    """At the bound, the share lies z standard errors above it (Wilson 1927)."""
    share, size = np.array([0.0, 0.2, 0.5, 1.0]), 40.0
    low = wilson_bound(share, size, z)
    np.testing.assert_allclose((share - low) ** 2, z * z * low * (1 - low) / size, atol=1e-12)
    assert (low <= share + 1e-15).all()


def test_a_share_above_1_by_rounding_has_a_bound():
    assert wilson_bound(1 + 2**-52, 5.0, 0.0) == 1 + 2**-52


def test_a_gain_of_ones_own_is_maximised():
    counts = Confusion(np.array([[0.0, 1.0, 2.0]]), np.array([[0.0, 0.0, 3.0]]), 2.0, 3.0)
    task = task_of()._replace(gain=lambda counts: counts.tp - counts.fp)
    gains = allowed_gain(task, counts)
    np.testing.assert_array_equal(gains, [[-inf, 1.0, -1.0]])
