"""Packed numbers come back to the bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from isometrics.report.model import packed, unpacked

integers = arrays(np.int64, st.integers(0, 30), elements=st.integers(-(2**63), 2**63 - 1))
floats = arrays(np.float64, st.integers(0, 30), elements=st.floats(allow_nan=True))


@given(integers | floats)
def test_packing_is_exact(values):
    text = packed(values)
    result = unpacked(text)
    assert result.dtype == values.dtype
    assert result.tobytes() == values.tobytes()


def test_the_kind_is_named():
    assert list(packed(np.array([1, 2]))) == ["integers"]
    assert list(packed(np.array([1.0]))) == ["floats"]


def test_small_steps_take_one_byte():
    counts = np.arange(0, 3000, 3)
    assert len(packed(counts)["integers"]) == pytest.approx(1000 * 4 / 3, abs=4)
