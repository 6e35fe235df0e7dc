"""Keys have the order of the scores, and give each score back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isometrics._counting.keys import order_of

WIDTHS = {"float16": 16, "float32": 32, "float64": 64}
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
SPECIAL = [0.0, -0.0, float("inf"), float("-inf")]


@st.composite
def scores(draw):
    dtype = draw(st.sampled_from([*WIDTHS, *INTEGERS, "bool"]))
    if dtype in WIDTHS:
        info = np.finfo(dtype)
        ends = [float(info.smallest_subnormal), float(info.tiny), float(info.max)]
        special = SPECIAL + ends + [-end for end in ends]
        value = st.sampled_from(special) | st.floats(width=WIDTHS[dtype], allow_nan=False)
    elif dtype == "bool":
        value = st.booleans()
    else:
        info = np.iinfo(dtype)
        value = st.integers(info.min, info.max) | st.sampled_from([info.min, info.max, 0, 1])
    return np.array(draw(st.lists(value, min_size=1, max_size=12)), dtype)


@given(scores())
def test_keys_have_the_order_of_the_scores_and_give_them_back(given_scores):
    order = order_of(given_scores.dtype)
    before = given_scores.copy()
    keys = order.keys(given_scores)
    assert keys.dtype == order.word
    assert keys.dtype.kind == "u"
    exact = [value.item() for value in given_scores]
    for one, key in zip(exact, keys.tolist(), strict=True):
        for other, other_key in zip(exact, keys.tolist(), strict=True):
            assert (one < other, one == other) == (key < other_key, key == other_key)
    back = order.scores(keys)
    assert [value.item() for value in back] == exact
    assert not np.signbit(back[back == 0]).any()
    np.testing.assert_array_equal(given_scores, before)
    assert not np.shares_memory(back, keys)


@pytest.mark.parametrize(
    ("dtype", "widened", "bits"),
    [("float16", "float32", 32), ("float32", "float32", 32), ("float64", "float64", 64),
     ("bool", "int64", 64), ("int8", "int64", 64), ("uint32", "int64", 64),
     ("uint64", "uint64", 64)],
)  # fmt: skip
def test_scores_are_widened_to_a_type_that_holds_them(dtype, widened, bits):
    order = order_of(np.dtype(dtype))
    assert (order.dtype.name, order.bits) == (widened, bits)


def test_keys_of_a_whole_type_are_all_integers_between_two_ends():
    """Every float16 has a key, and between -inf and inf no two share one but the zeros."""
    values = np.arange(2**16, dtype=np.uint16).view(np.float16)
    values = values[~np.isnan(values)]
    keys = order_of(values.dtype).keys(values)
    assert np.unique(keys).size == np.unique(values).size == values.size - 1
