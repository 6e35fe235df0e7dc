"""Corrections, intervals and the confidence set of models, against their definitions."""

from itertools import permutations
from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics._core.rows import parse_sample
from isometrics.decisions.objective import parse_objective
from isometrics.errors import IsometricsError
from isometrics.points.models import count_models
from isometrics.testing.strategies import binary_samples
from isometrics.verdict.contest import Contest, best_models, choose
from isometrics.verdict.estimates import confidence_set, interval_at, mean_known, win_shares

NAN = float("nan")


def drawn(seed, models=4, replicates=60, spread=1.0):
    random = np.random.default_rng(seed)
    values = random.normal(size=models)
    shared = random.normal(size=replicates)
    return values, values[:, None] + shared + spread * random.normal(size=(models, replicates))


def slow_set(values, replicates, level):
    """The procedure of Hansen, Lunde & Nason (2011) with T_R, pair by pair."""
    models = list(range(len(values)))
    deviations = {
        (i, j): (replicates[i] - replicates[j]) - (replicates[i] - replicates[j]).mean()
        for i, j in permutations(models, 2)
    }
    error = {pair: each.std(ddof=1) for pair, each in deviations.items()}
    while len(models) > 1:
        pairs = list(permutations(models, 2))
        # How far the first model of a pair is behind the second one.
        behind = {(i, j): (values[j] - values[i]) / error[i, j] for i, j in pairs}
        largest = np.max([np.abs(deviations[pair]) / error[pair] for pair in pairs], axis=0)
        if np.mean(largest >= max(behind.values())) >= 1 - level:
            break
        models.remove(max(behind, key=behind.get)[0])
    return models


@given(st.integers(0, 2**32), st.sampled_from([0.3, 1.0, 4.0]), st.sampled_from([0.8, 0.95]))
def test_the_set_is_that_of_the_procedure(seed, spread, level):
    values, replicates = drawn(seed, spread=spread)
    found = confidence_set(values, replicates, level)
    assert np.flatnonzero(found.stays).tolist() == slow_set(values, replicates, level)
    assert found.stays[values.argmax()]


@given(st.integers(0, 2**32), st.permutations(range(4)))
def test_permuted_models_have_the_permuted_set(seed, order):
    values, replicates = drawn(seed)
    found = confidence_set(values, replicates)
    permuted = confidence_set(values[order], replicates[order])
    np.testing.assert_array_equal(permuted.stays, found.stays[order])
    np.testing.assert_allclose(permuted.margin, found.margin[np.ix_(order, order)], rtol=1e-12)


def test_the_set_of_odd_replicates():
    values, replicates = drawn(3, models=2)
    found = confidence_set(np.append(values, values[0]), np.vstack([replicates, replicates[:1]]))
    assert found.stays[0] == found.stays[2]
    assert isnan(found.margin[0, 2])
    replicates = np.vstack([np.linspace(0, 1, 30)] * 2)
    assert confidence_set(np.array([0.5, 0.4]), replicates).stays.all()
    values, replicates = drawn(2)
    expected = confidence_set(values[1:], replicates[1:])
    found = confidence_set(
        np.array([NAN, *values[1:]]), np.vstack([np.full((1, 60), NAN), replicates[1:]])
    )
    assert found.stays.tolist() == [False, *expected.stays.tolist()]
    values, replicates = drawn(2)
    replicates[1, 5] = NAN
    found = confidence_set(values, replicates)
    expected = confidence_set(values, np.delete(replicates, 5, axis=1))
    np.testing.assert_array_equal(found.stays, expected.stays)
    np.testing.assert_array_equal(found.margin, expected.margin)
    found = confidence_set(np.array([0.1, 0.9]), np.full((2, 5), NAN))
    assert found.stays.all()
    assert np.isnan(found.margin).all()


@given(st.integers(0, 2**32))
def test_margins_are_simultaneous(seed):
    """No difference of two models leaves its margin in 95% of the replicates."""
    values, replicates = drawn(seed, replicates=200)
    margin = confidence_set(values, replicates).margin
    differences = replicates[:, None] - replicates[None]
    differences -= differences.mean(axis=2, keepdims=True)
    np.fill_diagonal(margin, 0)
    inside = (np.abs(differences) <= margin[..., None] * (1 + 1e-12)).all(axis=(0, 1))
    assert inside.mean() == pytest.approx(0.95, abs=0.006)


def test_ties_are_shared_out():
    gains = np.array([[0.5, 0.2, NAN, NAN], [0.5, 0.3, 0.1, NAN]])
    np.testing.assert_allclose(win_shares(gains), [0.5 / 3, 2.5 / 3])
    assert best_models(gains).tolist() == [0, 1, 1, 0]
    assert np.isnan(win_shares(np.full((2, 3), NAN))).all()
    assert mean_known(gains) == pytest.approx(1.6 / 5)
    assert isnan(mean_known(gains[:, 3]))


def test_an_interval_reaches_from_the_lowest_centre_to_the_highest():
    noise = np.append(np.linspace(-0.2, 0.2, 41), NAN)
    low, high = interval_at(noise, (0.5, 0.4), level=0.9)
    assert (low, high) == pytest.approx((0.4 - 0.18, 0.5 + 0.18))
    assert interval_at(noise, (0.9, 0.1), level=0.9) == pytest.approx((0.1 - 0.18, 0.9 + 0.18))
    # No percentile is defined between minus infinity and a number.
    for lost, lowest in ((1, 0.1 - 0.18), (9, -inf)):
        noise[:lost] = -inf
        low, high = interval_at(noise, (0.9, 0.1), level=0.9)
        assert (low, high) == pytest.approx((lowest, 0.9 + 0.18))


@pytest.mark.parametrize(
    ("noise", "centres"),
    [([0.1], (0.5,)), ([NAN, 0.1], (0.5,)), ([0.1, 0.2], (0.5, NAN)), ([0.1, 0.2], (0.5, -inf))],
)
def test_an_interval_that_nothing_tells_is_not_defined(noise, centres):
    assert all(map(isnan, interval_at(np.array(noise), centres, level=0.9)))


def sample(*separations, size=400, share=0.3, seed=4):
    random = np.random.default_rng(seed)
    labels = random.random(size) < share
    scores = {"abcdef"[i]: random.normal(each * labels) for i, each in enumerate(separations)}
    return labels, scores


def test_models_in_another_order_have_the_same_verdict():
    labels, scores = sample(1.0, 2.5, 1.1)
    first = iso.analyse(labels, scores).verdict(n_resamples=60)
    again = iso.analyse(labels, dict(reversed(scores.items()))).verdict(n_resamples=60)
    assert (again.model, again.expected, again.interval) == (
        first.model,
        first.expected,
        first.interval,
    )
    assert again.wins == first.wins
    assert set(again.confidence_set) == set(first.confidence_set)


def test_equal_models_are_not_told_apart():
    labels, scores = sample(1.5)
    verdict = iso.analyse(labels, {"a": scores["a"], "b": np.exp(scores["a"])}).verdict(
        n_resamples=60
    )
    assert verdict.confidence_set == ("a", "b")
    assert verdict.wins == {"a": 0.5, "b": 0.5}
    assert (verdict.runner_up, verdict.lead) == ("b", 0)
    # Of rules without an error, what was not seen is the same of both.
    perfect = iso.analyse(labels, {"a": labels + 0.0, "b": labels + 1.0}).verdict(n_resamples=60)
    assert (perfect.confidence_set, perfect.lead) == (("a", "b"), 0)


def test_a_clearly_worse_model_is_told_apart():
    verdict = iso.analyse(*sample(0.2, 2.5)).verdict(n_resamples=200)
    assert (verdict.model, verdict.confidence_set) == ("b", ("b",))
    assert verdict.wins == {"a": 0, "b": 1}
    assert 0 < verdict.lead_interval.lower < verdict.lead < verdict.lead_interval.upper
    assert verdict.better_than_nothing
    assert verdict.expected <= verdict.value


OBJECTIVES = [
    {},
    {"beta": 2},
    {"beta": float("inf")},
    {"cost": 0.3},
    {"miss_cost": 0.1, "false_alarm_cost": 0.3},
    {"index": "f-gain"},
    {"index": "jaccard"},
    {"min_precision": 0.5},
    {"min_recall": 0.7},
    {"budget": 5},
]


def check_range(analysis, asked):
    """Check that no estimate lies beyond what the objective, or a kept share, can be."""
    verdict = analysis.verdict(**asked, n_resamples=5)
    limits = verdict.objective.limits
    found = [(verdict.value, verdict.expected, verdict.interval)]
    found += [model[1:] for model in verdict.models]
    ranges = [limits] * len(found) + [(0, 1)] * len(verdict.kept)
    found += [(kept.here, kept.expected, kept.interval) for kept in verdict.kept]
    for (here, expected, interval), (low, high) in zip(found, ranges, strict=True):
        values = np.array([here, expected, *interval])
        assert (np.isnan(values) | ((low <= values) & (values <= high))).all(), values
        assert isnan(interval.lower) or interval.lower <= expected <= interval.upper
    # A cost proportion is told as an accuracy there.
    check = analysis.at(0.5, **asked, n_resamples=5)
    low, high = check.objective.limits
    for values in (check.value, check.expected, check.lower, check.upper):
        assert (np.isnan(values) | ((low <= values) & (values <= high))).all(), values


@pytest.mark.parametrize("asked", OBJECTIVES, ids=str)
def test_rounding_carries_no_estimate_past_the_best(asked):
    """Sums of these weights over parts of the rows exceed the sum over all of them."""
    rng = np.random.default_rng(2)
    rows = int(rng.integers(20, 60))
    labels = np.arange(rows) < rows // 3
    weights = rng.choice([0.1, 0.2, 0.3, 0.7, 1.1], rows)
    check_range(iso.analyse(labels, {"a": labels + 0.0}, sample_weight=weights), asked)


@pytest.mark.parametrize("seed", [35, 81, 100])
def test_corrections_carry_no_estimate_past_the_best(seed):
    random = np.random.default_rng(seed)
    labels = np.arange(16) < 9
    scores = {name: random.normal(3.0 * labels) for name in "ab"}
    check_range(iso.analyse(labels, scores), {"min_recall": 0.7})
    check_range(iso.analyse(labels, scores).at_prevalence(0.1), {"budget": 5})


@pytest.mark.filterwarnings("ignore::isometrics.errors.UndefinedWarning")
@given(binary_samples(8, weights="float"), st.sampled_from(OBJECTIVES), st.booleans())
def test_no_estimate_lies_beyond_what_there_can_be(sample, asked, is_moved):
    labels, scores, weights = sample
    try:
        analysis = iso.analyse(labels, {"a": scores, "b": labels}, sample_weight=weights)
        check_range(analysis.at_prevalence(0.1) if is_moved else analysis, asked)
    except IsometricsError:
        pass  # no rule keeps the constraints


def contest_of(labels, scores, **options):
    sample = parse_sample(labels, {"A": scores}, **options)
    objective = parse_objective()
    return Contest.of_sample(
        sample, count_models(sample), objective, clustered=False, prevalence=None
    )


@pytest.mark.parametrize("most", [1, 255, 256, 100_000])
@pytest.mark.usefixtures("compiled_loops")
def test_a_unit_may_be_drawn_any_number_of_times(most):
    rng = np.random.default_rng(most)
    labels = rng.random(60) < 0.4
    contest = contest_of(labels, rng.normal(labels))
    weights = rng.integers(0, most, (5, 60), endpoint=True).astype(float)
    weights[0, 0] = most
    plain, compiled = (choose([contest], weights, kernel)[0] for kernel in ("plain", "compiled"))
    for first, second in zip(plain, compiled, strict=True):
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("unit", [1.0, 2.0, 0.1])
def test_totals_are_those_of_the_sample(unit):
    labels = np.arange(50) < 20
    contest = contest_of(labels, np.arange(50.0), sample_weight=np.full(50, unit))
    (chosen,) = choose([contest], np.ones((1, 50)), "plain")
    assert chosen.positives[0] == pytest.approx(20 * unit, rel=1e-15)
    assert chosen.negatives[0] == pytest.approx(30 * unit, rel=1e-15)
