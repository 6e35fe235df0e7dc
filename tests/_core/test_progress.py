"""A progress bar, a user's own function, or silence."""

import pytest

from isometrics._core.parameters import part_of_progress, reporting
from isometrics.errors import ParameterError


def test_silence():
    for nothing in (None, False):
        with reporting(nothing) as report:
            assert report is None


def test_a_function_is_told():
    with reporting(print) as report:
        assert report is print


def test_a_bar(capsys):
    with reporting(True, "replicates") as report:
        report(1, 4)
        report(4, 4)
    shown = capsys.readouterr().out
    assert "replicates" in shown
    assert "100%" in shown


def test_anything_else():
    said = "progress must be True, False or a function but is 3"
    with pytest.raises(ParameterError, match=said), reporting(3):
        pass


def test_parts_of_the_work_are_equally_long():
    told = []
    for part in range(2):
        part_of_progress(lambda *done: told.append(done), part, 2)(3, 5)
    assert told == [(3, 10), (8, 10)]
    assert part_of_progress(None, 0, 2) is None
