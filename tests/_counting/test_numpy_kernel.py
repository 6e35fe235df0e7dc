"""The NumPy kernel against the exact reference, a second implementation and `math.fsum`."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isometrics._counting.keys import BLOCK, encoding_of
from isometrics._counting.numpy_kernel import (
    FEW,
    _count_by_order,
    corner_counts,
    count,
    running_sum,
)
from isometrics.testing import reference
from isometrics.testing.strategies import binary_samples

TINY = 5e-324
LARGEST = np.finfo(np.float64).max
DTYPES = [
    *("float16", "float32", "float64"),
    *("int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64"),
]


def exactly(number):
    """Return the rational value of a number that may need more than 53 bits."""
    return number if np.isinf(number) else Fraction(*number.as_integer_ratio())


def check_rows(rows, expected):
    """Compare with the reference: thresholds and counts to the bit, zeros without a sign."""
    assert [exactly(t) for t in rows.thresholds] == [exactly(row.threshold) for row in expected]
    assert rows.tp.tolist() == [row.tp for row in expected]
    assert rows.fp.tolist() == [row.fp for row in expected]
    assert not np.signbit(rows.thresholds[rows.thresholds == 0]).any()


def by_unique(labels, scores):
    """Count with np.unique: shares neither the sort nor the blocks of the kernel."""
    distinct, group = np.unique(scores, return_inverse=True)
    positives = np.bincount(group[labels], minlength=distinct.size)
    negatives = np.bincount(group[~labels], minlength=distinct.size)
    return distinct[::-1], positives[::-1].cumsum(), negatives[::-1].cumsum()


def check_against_unique(labels, scores):
    rows = count(labels, scores)
    thresholds, tp, fp = by_unique(labels, scores)
    np.testing.assert_array_equal(rows.thresholds, np.append(np.inf, thresholds))
    np.testing.assert_array_equal(rows.tp, np.append(0, tp))
    np.testing.assert_array_equal(rows.fp, np.append(0, fp))


@given(st.booleans().flatmap(lambda ties: binary_samples(ties=ties, dtypes=DTYPES)))
def test_count_is_the_reference(sample):
    labels, scores = sample
    expected = reference.count(labels, scores)
    check_rows(count(labels, scores), expected)
    check_rows(_count_by_order(labels, scores, None), expected)


@given(binary_samples(dtypes=["float64"]))
def test_count_of_long_doubles_is_the_reference(sample):
    labels, scores = sample
    check_rows(count(labels, scores.astype(np.longdouble)), reference.count(labels, scores))


@given(binary_samples(weights="float", dtypes=DTYPES))
def test_float_weights_are_summed_to_rounding(sample):
    labels, scores, weights = sample
    present = weights > 0
    rows = count(labels[present], scores[present], weights[present])
    expected = reference.count(labels, scores, weights)
    np.testing.assert_array_equal(
        rows.thresholds.astype(float), [float(row.threshold) for row in expected]
    )
    np.testing.assert_allclose(rows.tp, [float(row.tp) for row in expected], rtol=1e-12)
    np.testing.assert_allclose(rows.fp, [float(row.fp) for row in expected], rtol=1e-12)


EXTREMES = {
    "both signs, large": [1e300, -1e300, 1.0, -1.0, 0.0, -0.0, 1e-7, -1e-7],
    "underflow": [1e-310, 1e300, -1e300, -1e-310],
    "subnormals": [TINY, -TINY, 0.0, -0.0, 1e-310, -1e-310, 1.0],
    "subnormals beside 3": [TINY, -TINY, 3.0, -3.0],
    "all of float64": [LARGEST, -LARGEST, 1.0, -1.0, 2.0],
    "infinities": [np.inf, -np.inf, 1.0, -1.0, -0.0, LARGEST, TINY],
    "+inf": [np.inf, LARGEST, 0.0],
    "-inf": [-np.inf, -LARGEST, -0.0],
    "neighbours of 2": [2.0, -2.0, np.nextafter(2, 0), np.nextafter(2, 3), np.nextafter(-2, 0)],
    "neighbours of 1": [1.0, np.nextafter(1, 0), np.nextafter(1, 2)],
    "int64": np.array([-(2**63), 1 - 2**63, 2**63 - 1, 2**63 - 2, 2**53, 2**53 + 1, 0]),
    "int64 of one sign": np.array([2**63 - 1, 2**63 - 2, 2**53 + 1, 2**53]),
    "uint64": np.array([2**64 - 1, 2**64 - 2, 2**63, 2**63 - 1, 0], np.uint64),
    "int8": np.array([-128, 127, 0, -1], np.int8),
    "float32 neighbours": np.nextafter(np.float32(0.1), np.array([0, 0.1, 1], np.float32)),
    "float32, both signs": np.array([3.4e38, -3.4e38, 1e-45, -1e-45, 1.0], np.float32),
}


@pytest.mark.parametrize("scores", EXTREMES.values(), ids=EXTREMES.keys())
def test_extreme_scores(scores):
    scores = np.tile(np.asarray(scores), 3)
    labels = np.arange(scores.size) % 2 == 0
    expected = reference.count(labels, scores)
    check_rows(count(labels, scores), expected)
    check_rows(_count_by_order(labels, scores, None), expected)


def test_long_doubles_finer_than_float64_stay_distinct():
    one = np.longdouble(1)
    scores = np.array([np.nextafter(one, 2), one, np.nextafter(one, 0)])
    rows = count(np.array([True, False, True]), scores)
    np.testing.assert_array_equal(rows.thresholds, np.append(np.longdouble(np.inf), scores))
    assert rows.tp.tolist() == [0, 1, 1, 2]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64", "int32", "uint64"])
@pytest.mark.parametrize("size", [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 1])
@pytest.mark.parametrize("levels", [1, 2, 37, BLOCK // 3, 2**31])
def test_tables_longer_than_a_block(dtype, size, levels):
    generator = np.random.default_rng([size, levels])
    scores = generator.integers(0, levels, size)
    scores = (scores % 2048 if dtype == "float16" else scores).astype(dtype)
    check_against_unique(generator.random(size) < 0.4, scores)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
@pytest.mark.parametrize("shift", [-1, 0, 1])
def test_a_tie_across_the_border_of_two_blocks(dtype, shift):
    ranks = np.arange(2 * BLOCK + 3)
    ranks[BLOCK + shift - 1 : BLOCK + shift + 1] = BLOCK  # the last of a block, the first of one
    scores = ranks[::-1].astype(dtype)
    labels = ranks % 3 == 0
    assert encoding_of(scores) is not None
    check_against_unique(labels, scores)


def test_a_small_score_in_a_later_block_is_seen():
    scores = np.append(np.linspace(-3, 3, BLOCK + 8), TINY)
    assert encoding_of(scores) is None
    check_against_unique(np.arange(scores.size) % 2 == 0, scores)


@pytest.fixture(scope="module")
def wide_weights():
    """A million weights over sixteen orders of magnitude."""
    return 10 ** np.random.default_rng(1).uniform(-8, 8, 1_000_000)


@pytest.mark.parametrize("order", ["given", "ascending", "descending"])
def test_running_sum_is_accurate_and_monotone(wide_weights, order):
    weights = wide_weights if order == "given" else np.sort(wide_weights)
    weights = weights[::-1] if order == "descending" else weights
    sums = running_sum(weights)
    assert sums.shape == weights.shape
    assert (np.diff(sums) >= 0).all()
    for rows in (1, 1023, 1024, 1025, 2048, 65_537, 999_999, 1_000_000):
        assert sums[rows - 1] == pytest.approx(math.fsum(weights[:rows]), rel=1e-12, abs=0)


def test_running_sum_does_better_than_cumsum():
    """Equal weights of 0.1 are the bad case of a plain cumulative sum."""
    weights = np.full(2**20 + 1, 0.1)
    exact = math.fsum(weights)
    assert abs(running_sum(weights)[-1] / exact - 1) < 1e-13
    assert abs(np.cumsum(weights)[-1] / exact - 1) > 1e-12


@given(st.lists(st.floats(0, 1e6), max_size=50), st.integers(2, 7))
def test_running_sum_of_any_width(values, width):
    """Several levels of blocks, as a sum of 1e9 rows would have them."""
    sums = running_sum(np.array(values, np.float64), width)
    expected = [math.fsum(values[: row + 1]) for row in range(len(values))]
    np.testing.assert_allclose(sums, expected, rtol=1e-12)
    assert (np.diff(sums) >= 0).all()


def test_running_sum_does_not_fall_where_two_roundings_meet():
    """Without care the ninth sum of these would be below the eighth."""
    sums = running_sum(np.array([0.1, 0.1, 0.7, 0.2, 0.3, 0.1, 0, 0.3, 0, 0.7, 0.7]), width=2)
    assert (np.diff(sums) >= 0).all()


@given(binary_samples(dtypes=DTYPES))
def test_counts_of_corners_need_no_thresholds(sample):
    """Those of few rows are sorted by position; they are the rows of the other way."""
    rows = count(*sample, corners=True)
    for counts, expected in zip(corner_counts(*sample), rows[1:], strict=True):
        assert counts.dtype == np.int64
        np.testing.assert_array_equal(counts, expected)


@pytest.mark.parametrize("size", [FEW, FEW + 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_counts_of_corners_of_more_rows(size, weighted):
    generator = np.random.default_rng(size)
    labels = generator.random(size) < 0.3
    scores = np.round(generator.normal(size=size), 2)
    scores[:4] = [0.0, -0.0, np.inf, -np.inf]
    weights = generator.random(size) if weighted else None
    rows = count(labels, scores, weights, corners=True)
    np.testing.assert_array_equal(corner_counts(labels, scores, weights), rows[1:])


def test_corners_where_a_tie_is_longer_than_a_block():
    labels = np.arange(3 * BLOCK) % 3 == 0
    scores = np.where(np.arange(3 * BLOCK) < 5, 1.0, 0.0)
    rows = count(labels, scores, None, corners=True)
    assert rows[1].tolist() == [0, 2, BLOCK]
    assert rows[2].tolist() == [0, 3, 2 * BLOCK]
