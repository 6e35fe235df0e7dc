"""The base of result tables."""

import pytest

from isometrics.results import ResultTable


def test_the_base_has_neither_title_nor_columns():
    for face in (ResultTable._title, ResultTable._columns):
        with pytest.raises(NotImplementedError):
            face(ResultTable())
