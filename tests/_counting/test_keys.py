"""Keys: an exact map of scores to integers, in the order of the scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from isometrics._counting.keys import BLOCK, blocks, encoding_of

from .test_numpy_kernel import LARGEST, TINY

PACKED = {
    "one sign": np.array([1e308, 1e-308, TINY, 0.0, -0.0, 3.0]),
    "negative only": np.array([-LARGEST, -1.0, -TINY, -0.0]),
    "+inf without a negative": np.array([np.inf, LARGEST, TINY, 0.0]),
    "-inf without a positive": np.array([-np.inf, -LARGEST, -TINY, 0.0]),
    "within (-2, 2)": np.array([np.nextafter(2, 0), -np.nextafter(2, 0), TINY, -TINY, 0.0]),
    "squeezed": np.array([1e300, -1e300, 1e-7, -1e-7, 0.0, -0.0, 2.0]),
    "squeezed, 0 alone beside one magnitude": np.array([-2.0, 2.0, 0.0]),
    "squeezed, infinity among both signs": np.array([np.inf, -1.0]),
    "squeezed, both infinities": np.array([np.inf, -np.inf, 3.0, 0.0]),
    "squeezed, reach is a power of two": np.array([-2.0, 1.0, np.nextafter(2, 0)]),
    "squeezed, up to the largest float64": np.array([LARGEST, -LARGEST, 2.0, -2.0]),
    "float32": np.array([3.4e38, -3.4e38, 1.0, -1.0], np.float32),
    "float32 subnormals": np.array([1e-45, -1e-45, 0.0, -0.0, 1.5], np.float32),
    "float16": np.array([1.5, -1.5, 6e-8, -6e-8, -0.0], np.float16),
    "bool": np.array([True, False]),
    "int8": np.array([-128, 127, 0], np.int8),
    "uint32": np.array([2**32 - 1, 0, 1], np.uint32),
    "int64, spread 2**63 - 1": np.array([-(2**62), 2**62 - 1], np.int64),
    "int64, lowest but one": np.array([1 - 2**63, -1, 0], np.int64),
    "uint64 below 2**63": np.array([2**63 - 1, 0], np.uint64),
}

NOT_PACKED = {
    "infinities beside 1e-9": np.array([np.inf, -np.inf, 1e-9]),
    "a subnormal beside 3": np.array([3.0, -3.0, TINY]),
    "1e-310 beside 1e300": np.array([1e-310, 1e300, -1e300]),
    "float32, from the smallest to the largest": np.array([3.4e38, -3.4e38, 1e-45], np.float32),
    "longdouble": np.array([1.0, 2.0], np.longdouble),
    "int64, spread 2**63": np.array([-(2**62), 2**62], np.int64),
    "int64, extremes": np.array([-(2**63), 2**63 - 1], np.int64),
    "uint64 from 2**63": np.array([2**63, 2**63 + 1], np.uint64),
}


def check_keys(scores):
    """Keys sort as (score, label) in descending order and give the scores back to the bit."""
    encoding = encoding_of(scores)
    for label in (False, True):
        keys = encoding.pack(scores, np.full(scores.size, label))
        back = encoding.scores(keys)
        np.testing.assert_array_equal(back.astype(scores.dtype), scores)
        np.testing.assert_array_equal(back, scores)
        assert ((~keys & 1) == label).all()
    keys = encoding.pack(scores, np.zeros(scores.size, bool))
    np.testing.assert_array_equal(keys[:, None] < keys, scores[:, None] > scores)
    with_label = encoding.pack(scores, np.ones(scores.size, bool))
    # A label never moves a row across another score, and shares all other bits with its tie.
    np.testing.assert_array_equal(keys ^ with_label, np.ones_like(keys))
    np.testing.assert_array_equal((keys[:, None] ^ with_label) <= 1, scores[:, None] == scores)


@pytest.mark.parametrize("scores", PACKED.values(), ids=PACKED.keys())
def test_keys_are_exact_and_ordered(scores):
    check_keys(scores)


@pytest.mark.parametrize("scores", NOT_PACKED.values(), ids=NOT_PACKED.keys())
def test_no_encoding_where_no_bit_is_free(scores):
    assert encoding_of(scores) is None


@pytest.mark.parametrize(
    ("scores", "word"),
    [
        (np.array([0.5], np.float16), np.uint32),
        (np.array([0.5], np.float32), np.uint32),
        (np.array([0.5]), np.uint64),
        (np.array([2**31 - 1, 0]), np.uint32),
        (np.array([2**31, 0]), np.uint64),
        (np.array([-(2**30), 2**30]), np.uint64),
        (np.array([-(2**30), 2**30 - 1]), np.uint32),
        (np.array([1 - 2**31, 0]), np.uint32),
        (np.array([-(2**31), -1]), np.uint64),
    ],
)
def test_keys_are_as_narrow_as_the_scores_allow(scores, word):
    assert encoding_of(scores).word == word


def test_negative_zero_has_the_key_of_zero():
    scores = np.array([0.0, -0.0])
    keys = encoding_of(scores).pack(scores, np.zeros(2, bool))
    assert keys[0] == keys[1]
    assert not np.signbit(encoding_of(scores).scores(keys)).any()


@given(
    st.sampled_from(["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"])
    .map(np.dtype)
    .flatmap(
        lambda dtype: npst.arrays(
            dtype,
            st.integers(1, 8),
            elements=npst.from_dtype(dtype, allow_nan=False) if dtype.kind == "f" else None,
        )
    )
)
def test_keys_of_any_scores(scores):
    if encoding_of(scores) is not None:
        check_keys(scores)


@pytest.mark.parametrize("size", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK])
def test_blocks_cover_every_row_once(size):
    rows = np.concatenate([np.arange(size)[rows] for rows in blocks(size)] or [np.arange(0)])
    np.testing.assert_array_equal(rows, np.arange(size))
    assert all(0 < rows.stop - rows.start <= BLOCK for rows in blocks(size))
