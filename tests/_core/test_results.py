"""The base of result tables."""

import pytest

from isometrics._core.results import ResultTable


def test_the_base_has_neither_title_nor_columns():
    with pytest.raises(TypeError, match=r"abstract methods '?_columns'?, '?_title"):
        ResultTable()
