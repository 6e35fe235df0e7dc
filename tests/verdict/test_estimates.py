"""Corrections, intervals and the confidence set of models, against their definitions."""

from math import inf, isnan
from statistics import NormalDist

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
from isometrics.verdict.contest import Contest, choose
from isometrics.verdict.estimates import (
    correction,
    estimate,
    known_gains,
    leads,
    mean_known,
    win_shares,
)

NAN = float("nan")


def drawn(seed, models=4, replicates=60, spread=1.0):
    random = np.random.default_rng(seed)
    values = random.normal(size=models)
    shared = random.normal(size=replicates)
    return values[:, None] + shared + spread * random.normal(size=(models, replicates))


def slow_leads(model, best, fixed, level):
    """The leads one model at a time, and the quantile of the largest studentised difference."""
    leads, own, errors = [], [], []
    for other in range(len(best)):
        apart = [one - two for one, two in zip(best[model], best[other], strict=True)]
        of_fixed = [one - two for one, two in zip(fixed[model], fixed[other], strict=True)]
        leads.append(sum(apart) / len(apart))
        own.append(np.std(apart))
        errors.append(max(own[-1], np.std(of_fixed)))
    largest = [
        max(
            abs(best[model][each] - best[other][each] - leads[other]) / own[other]
            for other in range(len(best))
            if own[other] > 0
        )
        for each in range(best.shape[1])
    ]
    return leads, np.quantile(largest, level) * np.array(errors)


@given(st.integers(0, 2**32), st.sampled_from([0.3, 1.0, 4.0]), st.sampled_from([0.8, 0.95]))
def test_leads_are_those_of_the_slow_twin(seed, spread, level):
    best, fixed = drawn(seed, spread=spread), drawn(seed + 1, spread=1)
    model = int(best.mean(axis=1).argmax())
    found = leads(model, best, fixed, level)
    lead, margin = slow_leads(model, best, fixed, level)
    np.testing.assert_allclose(found.lead, lead, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found.margin, margin, rtol=1e-12)
    assert not found.told_apart[model]
    assert (found.lead >= 0).all()
    for other in range(4):
        low, high = found.interval(other)
        assert found.told_apart[other] == (low > 0)
        assert high - low == pytest.approx(2 * margin[other])


@given(st.integers(0, 2**32), st.permutations(range(4)))
def test_permuted_models_have_the_permuted_leads(seed, order):
    best = drawn(seed)
    model = int(best.mean(axis=1).argmax())
    found = leads(model, best, best, 0.95)
    permuted = leads(order.index(model), best[order], best[order], 0.95)
    np.testing.assert_allclose(permuted.lead, found.lead[order], rtol=1e-12)
    np.testing.assert_allclose(permuted.margin, found.margin[order], rtol=1e-12)


@given(st.integers(0, 2**32))
def test_margins_are_simultaneous(seed):
    """No difference from the chosen model leaves its margin in 95% of the replicates."""
    best = drawn(seed, replicates=200)
    found = leads(0, best, np.zeros_like(best), 0.95)
    apart = np.abs(best[0] - best - found.lead[:, None])
    inside = (apart <= found.margin[:, None] * (1 + 1e-12)).all(axis=0)
    assert inside.mean() == pytest.approx(0.95, abs=0.006)


def test_leads_of_odd_replicates():
    best = drawn(3, models=2)
    twins = np.vstack([best, best[:1]])
    found = leads(0, twins, twins, 0.95)
    assert (found.lead[2], found.margin[2]) == (0, 0)
    assert not found.told_apart[2]
    # Where a fixed rule has no value nothing is known of its spread.
    fixed = best.copy()
    fixed[1] = NAN
    alone = leads(0, best, fixed, 0.95)
    assert alone.margin[1] == leads(0, best, np.zeros_like(best), 0.95).margin[1]
    fixed = 9 * best
    fixed[1, 5] = -inf
    kept = np.delete(9 * best, 5, axis=1)
    margins = [leads(0, best, each, 0.95).margin[1] for each in (fixed, best)]
    spreads = [np.std(each[0] - each[1]) for each in (kept, best)]
    assert margins[0] / margins[1] == pytest.approx(spreads[0] / spreads[1])
    gains = np.array([[0.5, NAN], [-inf, 0.25]])
    np.testing.assert_array_equal(known_gains(gains), [[0.5, -0.75], [-0.75, 0.25]])
    assert not known_gains(np.full((2, 2), NAN)).any()


def test_ties_are_shared_out():
    gains = np.array([[0.5, 0.2, NAN, NAN], [0.5, 0.3, 0.1, NAN]])
    np.testing.assert_allclose(win_shares(gains), [0.5 / 3, 2.5 / 3])
    assert np.isnan(win_shares(np.full((2, 3), NAN))).all()
    assert mean_known(gains) == pytest.approx(1.6 / 5)
    assert isnan(mean_known(gains[:, 3]))


@given(
    st.floats(0.21, 0.79), st.floats(-0.2, 0.2), st.floats(0.005, 0.2), st.sampled_from([0.8, 0.95])
)
def test_an_interval_is_that_of_wilson(share, correction, spread, level):
    """Its ends are the shares that are z standard errors of their own away."""
    limits = (-2.0, 3.0)
    expected = limits[0] + 5 * share
    replicates = expected + 5 * spread * np.array([-1.0, 0.0, 1.0])
    found = estimate(expected, 5 * correction, replicates, limits, level)
    assert found.expected == expected
    variance = spread**2 + 0.4 * correction**2
    rows = max(share * (1 - share) / variance, 1)
    assert found.rows == pytest.approx(rows, rel=1e-9)
    z = NormalDist().inv_cdf((1 + level) / 2)
    for end in found.interval:
        at = (end + 2) / 5
        assert abs(at - share) == pytest.approx(z * (at * (1 - at) / rows) ** 0.5, rel=1e-6)
    for end, chance in zip(found.interval, ((1 - level) / 2, (1 + level) / 2), strict=True):
        assert found.chance_beyond(end, is_limit=False) == pytest.approx(chance, rel=1e-6)
        assert found.chance_beyond(end, is_limit=True) == pytest.approx(1 - chance, rel=1e-6)


def test_an_interval_that_nothing_tells_is_not_defined():
    for expected, replicates in ((0.5, [0.1]), (0.5, [NAN, 0.1]), (NAN, [0.1, 0.2])):
        found = estimate(expected, 0.0, np.array(replicates), (0, 1), 0.9)
        assert all(map(isnan, found.interval))
        assert isnan(found.chance_beyond(0.3, is_limit=False))
    certain = estimate(0.5, 0.0, np.array([0.5, 0.5]), (0, 1), 0.9)
    assert certain.interval == (0.5, 0.5)
    assert certain.chance_beyond(0.5, is_limit=False) == 0
    assert certain.chance_beyond(0.5, is_limit=True) == 0
    assert certain.chance_beyond(0.6, is_limit=False) == 1
    # Values beyond the limits are cut, and a gain without a bound has a symmetric interval.
    assert estimate(1.2, 0.0, np.array([0.9, 1.0]), (0, 1), 0.9).expected == 1
    low, high = estimate(0.5, 0.0, np.array([0.2, 0.8, -inf]), (-inf, 1), 0.9).interval
    z = NormalDist().inv_cdf(0.95)
    assert (low, high) == pytest.approx((0.5 - z * np.std([0.2, 0.8], ddof=1), 1))
    sure = estimate(1.0, 0.0, np.array([0.97, 0.99]), (0, 1), 0.9)
    assert sure.chance_beyond(0, is_limit=False) == 0
    assert sure.chance_beyond(1, is_limit=True) == 0


def test_a_correction_is_the_mean_of_two():
    assert correction(0.8, 0.7) == pytest.approx(0.09)
    assert correction(0.8, 0.7, 0.05) == pytest.approx((0.09 + 0.06) / 2)
    assert isnan(correction(0.8, NAN, 0.05))


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
    found += [model[2:] for model in verdict.models]
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
