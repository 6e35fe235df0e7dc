"""Packed numbers come back to the bit."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from isometrics.report.model import bytes_of, packed, text_of, unpacked

integers = arrays(np.int64, st.integers(0, 30), elements=st.integers(-(2**63), 2**63 - 1))
floats = arrays(np.float64, st.integers(0, 30), elements=st.floats(allow_nan=True))
small = arrays(np.int64, st.integers(0, 30), elements=st.integers(-3, 3))


@given(integers | floats | small)
@example(np.array([-(2**63)] * 3 + [0, 2**63 - 1]))
@example(np.array([-(2**63), 0, -(2**63)] * 20))
def test_packing_is_exact(values):
    text = packed(values)
    result = unpacked(text)
    assert result.dtype == values.dtype
    assert result.tobytes() == values.tobytes()


def test_the_kind_is_named():
    assert list(packed(np.array([1, 2]))) == ["whole"]
    assert list(packed(np.array([1.0]))) == ["real"]


def test_small_steps_take_few_bits():
    counts = np.cumsum(np.arange(3000) % 3)
    assert len(packed(counts)["whole"]) < 3000 * 4 / 8 * 5 / 4
    # 52 bits of chance, less what the order tells, plus what the code adds.
    scores = np.sort(np.random.default_rng(1).random(2000))
    assert len(packed(scores)["real"]) < 2000 * 47 / 8 * 5 / 4


@given(st.binary(max_size=40))
def test_text_needs_no_escapes(octets):
    text = text_of(octets)
    assert bytes_of(text) == octets
    assert not set(text) & set("\"'\\&<>$` \n")
    assert len(text) == -(-len(octets) * 5 // 4)
