"""Areas of random rankings: exact expectations against all rankings, and the simulation."""

import math
import tracemalloc
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.measures import IN_KERNELS
from isometrics.uncertainty.permutation import chance_level, permutation_test

NAMED = {each.name: each for each in IN_KERNELS.values()}


def all_rankings(scores, positives):
    """The areas of every way to deal out the labels."""
    rows = []
    for chosen in combinations(range(len(scores)), positives):
        labels = np.isin(np.arange(len(scores)), chosen)
        points = iso.OperatingPoints.from_scores(labels, scores)
        rows.append([NAMED[name].of(points) for name in NAMED])
    return np.array(rows)


@pytest.mark.parametrize(("positives", "negatives"), [(1, 1), (1, 6), (3, 5), (5, 3), (4, 4)])
def test_expectations_without_ties_are_those_of_all_rankings(positives, negatives):
    scores = np.arange(positives + negatives)
    expected = all_rankings(scores, positives).mean(axis=0)
    found = chance_level(positives, negatives)
    np.testing.assert_allclose(list(found.values()), expected, rtol=1e-12, atol=1e-12)
    assert tuple(found) == tuple(NAMED)


@given(st.lists(st.integers(0, 3), min_size=3, max_size=8), st.data())
@settings(max_examples=30)
def test_the_expected_average_precision_counts_ties(scores, data):
    positives = data.draw(st.integers(1, len(scores) - 1))
    labels = np.arange(len(scores)) < positives
    result = permutation_test(labels, scores, measures="average precision", n_permutations=2)
    exact = all_rankings(np.array(scores), positives)[:, 2].mean()
    assert result.expected[0] == pytest.approx(exact, rel=1e-12)
    assert result.error[0] == 0


@pytest.mark.parametrize("positives", [3, 6])
@pytest.mark.parametrize("scores", [[9, 8, 7, 6, 5, 4, 3, 2, 1], [5, 5, 5, 4, 4, 3, 2, 2, 1]])
def test_the_simulation_has_the_distribution_of_all_rankings(scores, positives):
    """Means and p-values within 5 standard errors; also where positives are the larger class."""
    exact = all_rankings(np.array(scores), positives)
    labels = np.arange(9) < positives
    result = permutation_test(labels, scores, measures=NAMED, n_permutations=4000, random_state=1)
    spread = exact.std(axis=0) / np.sqrt(4000)
    assert (np.abs(result.expected - exact.mean(axis=0)) <= 5 * spread + 1e-12).all()
    chance = (exact >= result.observed - 1e-9).mean(axis=0)
    error = 5 * np.sqrt(chance * (1 - chance) / 4000) + 1 / 4000
    assert (np.abs(result.p - chance) <= error).all()
    assert ((exact >= result.reached - 1e-9).mean(axis=0) >= 0.05 - 5 * np.sqrt(0.05 / 4000)).all()
    tied = len(set(scores)) < 9
    np.testing.assert_array_equal(result.error > 0, [False, tied, False, tied])


@pytest.mark.parametrize("seed", range(3))
def test_what_is_reached_by_chance_is_the_area_of_a_ranking(seed):
    """Also with so few permutations that one in 20 is none of them: nothing is interpolated."""
    exact = all_rankings(np.arange(7), 3)
    labels = np.arange(7) < 3
    result = permutation_test(
        labels, np.arange(7), measures=NAMED, n_permutations=5, random_state=seed
    )
    assert np.isclose(exact, result.reached, rtol=1e-12).any(axis=0).all()


def test_few_positives_exceed_the_prevalence_by_chance():
    """Bestgen (2015): the expected average precision is (H + (P-1)/(n-1)·(n - H))/n."""
    harmonic = sum(1 / k for k in range(1, 1001))
    found = chance_level(5, 995)
    assert found["average precision"] == pytest.approx(
        (harmonic + 4 / 999 * (1000 - harmonic)) / 1000, rel=1e-12
    )
    assert found["average precision"] > 2 * 0.005
    assert found["AUPR"] > 1.5 * 0.005
    assert np.isnan(chance_level(10_000, 10_000)["AUPR"])


def test_threads_and_kernels_do_not_matter():
    labels = np.arange(200) < 50
    scores = np.random.default_rng(0).normal(1.0 * labels).round(1)
    options = {"n_permutations": 100, "random_state": 3}
    one = permutation_test(labels, scores, kernel="plain", **options)
    two = permutation_test(labels, scores, kernel="plain", n_jobs=2, **options)
    np.testing.assert_array_equal(one.expected, two.expected)
    points = iso.OperatingPoints.from_scores(labels, scores)
    np.testing.assert_array_equal(permutation_test(points, **options).p, one.p)
    assert one.p.tolist() == [1 / 101] * 4
    assert repr(one).startswith("ChanceTest: against 100 random rankings at prevalence 0.25\n")
    assert len(one.to_frame("pandas")) == 4
    three = permutation_test(labels, scores, **options)
    np.testing.assert_allclose(one.expected, three.expected, rtol=1e-12)


def test_what_is_refused():
    points = iso.OperatingPoints.from_scores([1, 0, 1], [3, 2, 1])
    with pytest.raises(ParameterError, match=r"must be among 'AUROC', .* but one is 'trade"):
        permutation_test(points, measures="tradeoff area")
    with pytest.raises(ParameterError, match="pass operating points alone, or labels with scores"):
        permutation_test(points, [1, 2, 3])
    with pytest.raises(ParameterError, match="labels need scores"):
        permutation_test([1, 0])
    totals = {"positives": 2, "negatives": 3, "thresholds": [3, 1]}
    half_a_positive = iso.OperatingPoints.from_counts([1.5, 2], [1, 3], **totals)
    for weighted in (points.at_prevalence(0.1), half_a_positive):
        with pytest.raises(NotAnswerableError, match="so labels cannot be permuted"):
            permutation_test(weighted)
    with pytest.raises(ParameterError, match=r"must be whole numbers but are 2.5 and 3"):
        chance_level(2.5, 3)


@pytest.mark.parametrize(
    ("positives", "negatives"),
    [(1, 1), (7, 3), (3, 500), (900, 40), (40_000, 10), (70_000, 35_000)],
)
def test_sums_over_distinct_scores_in_closed_form(positives, negatives):
    found = chance_level(positives, negatives)
    total = positives + negatives
    one = Fraction(positives, total)
    both = one * (positives - 1) / (total - 1)
    harmonic = math.fsum(1 / n for n in range(1, total + 1))
    precision = (float(one - both) * harmonic + float(total * both)) / positives
    assert found["average precision"] == pytest.approx(precision, rel=1e-13)
    crossing = positives * one
    terms = (
        rank * (1 / max(rank - 1, crossing) ** 2 - Fraction(1, rank**2))
        for rank in range(math.floor(crossing) + 1, positives + 1)
    )
    lost = math.fsum(map(float, terms))
    loss = float(Fraction(positives, negatives) ** 2 * positives * negatives / (positives + 1) / 2)
    assert found["AUPRG"] == pytest.approx(1 - loss * lost, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("totals", [(10, 10**8), (10**8, 10), (2**52, 2**52), (2, 600_000)])
def test_two_numbers_need_little_memory(totals):
    tracemalloc.start()
    try:
        found = chance_level(*totals)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10**8
    assert found["average precision"] == pytest.approx(totals[0] / sum(totals), rel=1e-1, abs=1e-4)
    assert np.isfinite(found["AUPRG"])


def test_every_permutation_is_as_good_as_the_worst():
    """Equal areas far below 0 count as equal, though kernels and spaces round in another order."""
    worst = iso.OperatingPoints.from_counts(
        [0, 3], [1000, 2000], positives=3, negatives=2000, thresholds=[2, 1]
    )
    result = permutation_test(
        worst, measures=["AUROC", "AUPRG"], n_permutations=100, random_state=0
    )
    assert result.p.tolist() == [1, 1]
