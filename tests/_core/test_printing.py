"""Text and HTML tables: short, aligned, and harmless whatever the labels are."""

import math
from fractions import Fraction
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isometrics import OperatingPoints
from isometrics._core.results import (
    bracketed,
    distinct_decimals,
    html_table,
    join_names,
    table_width,
    text_table,
)

POINTS = OperatingPoints.from_scores([1, 0, 1], [0.5, 0.25, -np.inf])
SCRIPT = '<script>alert("&")</script>'


class Cells(HTMLParser):
    """Collect tags and the text of cells."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(html)

    def handle_starttag(self, tag, _):
        self.tags.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


def test_repr():
    assert repr(POINTS).splitlines() == [
        "OperatingPoints: 4 rows, 2 positives, 1 negatives, prevalence 0.666667",
        "threshold  tp  fp  precision  recall",
        "      inf   0   0        nan       0",
        "      0.5   1   0          1     0.5",
        "     0.25   1   1        0.5     0.5",
        "     -inf   2   1   0.666667       1",
    ]


def test_html_holds_what_the_text_holds():
    cells = Cells(POINTS._repr_html_())
    title, *lines = repr(POINTS).splitlines()
    assert cells.texts == [title, *" ".join(lines).split()]
    assert cells.tags.count("tr") == 5
    assert cells.tags.count("th") == 5
    assert cells.tags.count("td") == 20


def test_labels_are_escaped():
    sets = OperatingPoints.from_counts([1, 0], [0, 1], positives=1, negatives=1, labels=[SCRIPT, 1])
    html = sets._repr_html_()
    assert "<script" not in html
    cells = Cells(html)
    assert SCRIPT in cells.texts
    assert SCRIPT in repr(sets)
    assert "label" in cells.texts
    assert "threshold" not in cells.texts


@pytest.mark.parametrize(("size", "lines"), [(1, 1), (10, 10), (11, 11), (1000, 11)])
def test_long_tables_are_elided(size, lines):
    columns = {"number": np.arange(size), "name": [f"row {row}" for row in range(size)]}
    shown = text_table("title", columns).splitlines()[2:]
    assert len(shown) == lines
    assert shown[-1].split() == [str(size - 1), "row", str(size - 1)]
    if size > 10:
        assert shown[5].split() == ["…", "…"]
        assert shown[6].split()[0] == str(size - 5)
    assert [line.split()[0] for line in shown[:5]] == [str(row) for row in range(min(size, 5))]
    assert sum("…" in line for line in shown) == (size > 10)
    assert html_table("title", columns).count("<td>") == 2 * lines
    assert "…" not in text_table("title", columns, most=size)
    assert html_table("title", columns, most=size).count("<td>") == 2 * size


def test_lines_of_a_table_are_equally_long():
    columns = {"x": [1.0, 1e-300, -np.inf], "la\nbel": ["β", "long\nlabel", 3]}
    assert text_table("t", columns).splitlines()[1:] == [
        "     x      la bel",
        "     1           β",
        "1e-300  long label",
        "  -inf           3",
    ]
    assert table_width(columns) == 18
    assert text_table("title", {"a": [], "bc": np.array([])}) == "title\na  bc"
    points = OperatingPoints.from_counts([1], [1], positives=12_345_678, negatives=2)
    assert "12345678 positives" in repr(points).splitlines()[0]


def test_columns_at_the_left_and_notes():
    columns = {"name": ["a", "long"], "x": [1, 23]}
    text = text_table("title", columns, left=["name"], notes=["A note.", "word " * 40])
    lines = text.splitlines()
    assert lines[:5] == ["title", "name   x", "a      1", "long  23", "A note."]
    assert all(len(line) <= 100 for line in lines)
    assert lines[6].startswith("  word")
    html = html_table(SCRIPT, {SCRIPT: [1]}, notes=[SCRIPT])
    assert "<script" not in html
    assert Cells(html).texts == [SCRIPT, SCRIPT, "1", SCRIPT]


@pytest.mark.parametrize(
    ("lo", "hi", "text"),
    [
        (0.25, 0.25, "0.25"),
        (0.9, 0.9000000001, "0.9"),
        (0.912331, 0.912349, "0.91234 ± 0.00001"),
        (0.5, 0.75, "0.6 ± 0.2"),
        (-520.0, -480.0, "-500 ± 20"),
        (0.4, 2.5, "1 ± 2"),
        (-np.inf, 0.5, "-inf to 0.5"),
        (np.nan, np.nan, "nan"),
    ],
)
def test_brackets(lo, hi, text):
    assert bracketed(lo, hi) == text


@given(
    st.floats(-1e6, 1, allow_subnormal=False),
    st.floats(0, 10, allow_subnormal=False) | st.floats(0, 1e-4, allow_subnormal=False),
)
def test_printed_brackets_contain_the_bounds(lo, width):
    hi = lo + width
    text = bracketed(lo, hi)
    if "±" in text:
        middle, margin = map(Fraction, text.split(" ± "))
        assert middle - margin <= Fraction(lo)
        assert Fraction(hi) <= middle + margin
        assert margin <= 2 * max(Fraction(hi) - Fraction(lo), 1)
    else:
        assert text == f"{lo:.6g}" == f"{hi:.6g}"


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a"], "a"),
        (["a", "b\nc"], "a and b c"),
        (["a", "", "c"], "a, '' and c"),
        ([str(n) for n in range(12)], "0, 1, 2, 3, 4, 5, 6, 7, 8 and 3 more"),
    ],
)
def test_several_names(names, text):
    assert join_names(names) == text
    assert join_names(names, "or") == text.replace(" and ", " or ")


@given(
    st.lists(st.floats(-2, 2), min_size=1, max_size=4),
    st.integers(0, 6),
    st.lists(st.sampled_from([0.0, 1.0]), unique=True),
)
def test_different_numbers_are_told_apart(values, decimals, beside):
    assert distinct_decimals([math.nan, 0.5, math.inf], 3) == ["nan", "0.500", "inf"]
    texts = distinct_decimals(values, decimals, beside)
    digits = len(texts[0].partition(".")[2])
    assert digits >= decimals
    assert texts == [f"{value:.{digits}f}" for value in values]
    numbers = [*values, *beside]
    shown = [round(value, digits) for value in numbers]
    for first, one in zip(numbers, shown, strict=True):
        for second, other in zip(numbers, shown, strict=True):
            assert (one == other) == (round(first, 10) == round(second, 10))
    if digits > decimals:
        # One digit less would not do.
        fewer = {round(value, digits - 1) for value in numbers}
        assert len(fewer) < len(set(shown))
