"""What the library in C is asked for, and what is said where it cannot be."""

from types import SimpleNamespace

import numpy as np
import pytest

from isometrics._counting import native
from isometrics.errors import ParameterError

load = native.library.__wrapped__


def test_a_library_that_is_not_there_or_none_is_left_out(tmp_path):
    assert load(tmp_path / "loops.so") is None
    (tmp_path / "loops.so").write_text("no library")
    assert load(tmp_path / "loops.so") is None


@pytest.mark.usefixtures("compiled_loops")
def test_a_library_of_other_sources_or_of_a_narrow_machine_is_left_out(monkeypatch):
    assert load(native.LIBRARY) is not None
    monkeypatch.setattr(native, "LAYOUT", native.LAYOUT + 1)
    assert load(native.LIBRARY) is None
    monkeypatch.undo()
    monkeypatch.setattr(native, "sys", SimpleNamespace(maxsize=2**31 - 1))
    assert load(native.LIBRARY) is None


def test_a_loop_says_that_the_library_is_missing(monkeypatch):
    monkeypatch.setattr(native, "library", lambda: None)
    with pytest.raises(ParameterError, match="the compiled loops are missing: they are built"):
        native.Loop("hull")()


@pytest.mark.usefixtures("compiled_loops")
@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (np.arange(4.0), "int64"),
        (np.arange(8)[::2], "contiguous"),
        ([0, 1, 2, 3], "int64"),
        (None, "int64"),
    ],
)
def test_an_array_of_another_kind_never_reaches_a_loop(counts, said):
    room = np.empty(4, np.int64)
    with pytest.raises(Exception, match=said):
        native.hull(np.arange(4), counts, 4, room, room.copy())


@pytest.mark.usefixtures("compiled_loops")
def test_rows_may_lie_apart_but_are_contiguous_themselves():
    weights = np.ones((2, 6))
    for positive in (None, weights.astype(np.float32), weights[:, ::2]):
        with pytest.raises(Exception, match="rows of"):
            native.fill_areas(positive, 6, weights, 6, 2, 3, None, None, None, 0.0, 1, None)
