"""Random weights are multinomial, whatever the kernel and the number of threads."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isometrics._counting import native
from isometrics._counting.replicates import (
    BLOCK,
    COMPILED,
    PLAIN,
    Draws,
    _alias,
    kernel_named,
    streams,
)
from isometrics.errors import ParameterError


def stream(seed=0):
    ((_, found),) = streams(np.random.SeedSequence(seed), 1)
    return found


def drawn(counts, strata, replicates, *, seed=0, pick=PLAIN.pick, **options):
    weights = np.empty((replicates, len(counts)))
    draws = Draws(np.asarray(counts), strata, **options)
    draws.draw(stream(seed), weights, pick)
    return weights


@pytest.mark.parametrize("mean", [0.05, 0.87, 1.0, 7.3, 64.0])
def test_an_alias_table_has_the_chances_of_poisson(mean):
    accept, value, other = _alias(mean)
    assert accept.size & (accept.size - 1) == 0
    chances = {}
    for row in range(accept.size):
        share = int(accept[row]) / 2**32
        chances[value[row]] = chances.get(value[row], 0) + share / accept.size
        chances[other[row]] = chances.get(other[row], 0) + (1 - share) / accept.size
    for k, chance in chances.items():
        exact = math.exp(k * math.log(mean) - mean - math.lgamma(k + 1))
        assert chance == pytest.approx(exact, abs=2.0**-31)
    assert sum(chances.values()) == pytest.approx(1)


@given(
    st.lists(st.integers(1, 200), min_size=2, max_size=12),
    st.booleans(),
    st.integers(0, 2**32),
    st.sampled_from([0.0, 4.0, 1e3]),
)
@settings(max_examples=60)
def test_multinomial_weights_keep_the_total_of_each_stratum(counts, two, seed, margin):
    """Also where the Poisson numbers exceed it (margin 0) and where all is left to single draws."""
    middle = len(counts) // 2
    strata = [slice(0, middle), slice(middle, None)] if two else [slice(0, None)]
    weights = drawn(counts, strata, 3, seed=seed, margin=margin)
    assert (weights >= 0).all()
    assert (weights == weights.round()).all()
    for part in strata:
        assert (weights[:, part].sum(axis=1) == sum(counts[part])).all()


@pytest.mark.parametrize("margin", [0.0, 4.0, 1e3])
@pytest.mark.parametrize(
    "counts", [[1] * 40, [1, 2, 3, 34], [100, 300, 5, 70]], ids=["rows", "cells", "large cells"]
)
def test_multinomial_weights_have_the_moments_of_multinomial(counts, margin):
    """Mean n·p, variance n·p·(1-p) and covariance -n·p·q, within 5 standard errors."""
    counts = np.array(counts)
    size = 20_000
    weights = drawn(counts, [slice(0, None)], size, seed=3, margin=margin)
    n, p = counts.sum(), counts / counts.sum()
    exact = n * (np.diag(p) - np.outer(p, p))
    spread = np.sqrt(np.diag(exact))
    assert (np.abs(weights.mean(axis=0) - counts) < 5 * spread / math.sqrt(size)).all()
    found = np.cov(weights.T, ddof=1)
    error = np.sqrt((exact**2 + np.outer(spread, spread) ** 2 * 1.5) / size)
    assert (np.abs(found - exact) < 5 * error).all()


@pytest.mark.usefixtures("compiled_loops")
@pytest.mark.parametrize(
    ("size", "strata"), [(8, [slice(0, None)]), (300, [slice(100), slice(100, None)])]
)
@pytest.mark.parametrize("seed", range(10))
def test_the_loop_draws_what_numpy_draws(size, strata, seed):
    counts = np.random.default_rng(seed).integers(1, 90, size)
    one = drawn(counts, strata, 5, seed=seed)
    two = drawn(counts, strata, 5, seed=seed, pick=COMPILED.pick)
    np.testing.assert_array_equal(one, two)


def test_replicates_do_not_depend_on_how_many_are_drawn_at_once():
    draws = Draws(np.array([1, 3, 80]), [slice(0, None)])
    together, single, shared = np.empty((6, 3)), np.empty((6, 3)), stream(2)
    draws.draw(stream(2), together)
    for row in range(6):
        draws.draw(shared, single[row : row + 1])
    np.testing.assert_array_equal(together, single)


def test_units_are_listed_or_searched_for(monkeypatch):
    counts, strata = [1, 3, 60, 2, 5, 1], [slice(0, 3), slice(3, None)]
    listed = drawn(counts, strata, 50, seed=8)
    monkeypatch.setattr("isometrics._counting.replicates.LISTED", 5)
    np.testing.assert_array_equal(drawn(counts, strata, 50, seed=8), listed)


def test_blocks_do_not_depend_on_the_number_of_replicates():
    few = [(rows, s.words.random_raw()) for rows, s in streams(np.random.SeedSequence(1), BLOCK)]
    many = [
        (rows, s.words.random_raw()) for rows, s in streams(np.random.SeedSequence(1), BLOCK + 1)
    ]
    assert few[0] == many[0]
    assert many[1][0] == range(BLOCK, BLOCK + 1)


@pytest.mark.usefixtures("compiled_loops")
def test_a_kernel_is_chosen_by_name_and_what_is_there(monkeypatch):
    assert kernel_named("plain") is PLAIN
    assert kernel_named("auto") is kernel_named("compiled") is COMPILED
    with pytest.raises(ParameterError, match="kernel must be one of 'auto', 'plain', 'compiled'"):
        kernel_named("fast")
    monkeypatch.setattr(native, "available", lambda: False)
    assert kernel_named("auto") is PLAIN
    with pytest.raises(ParameterError, match="the compiled loops are missing"):
        kernel_named("compiled")


@given(st.integers(1, 30), st.integers(0, 2**32))
@settings(max_examples=20)
@pytest.mark.usefixtures("compiled_loops")
def test_weights_of_rows_are_gathered_alike(rows, seed):
    random = np.random.default_rng(seed)
    cell, weights = random.integers(0, 5, rows), random.random(rows)
    plain, looped = np.empty(5), np.empty(5)
    PLAIN.gather(weights, cell, plain)
    COMPILED.gather(weights, cell, looped)
    np.testing.assert_array_equal(plain, looped)
    exact = [sum(weights[cell == k]) for k in range(5)]
    np.testing.assert_allclose(plain, exact, rtol=1e-12, atol=1e-15)
