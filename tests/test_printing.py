"""Text and HTML tables: short, aligned, and harmless whatever the labels are."""

from html.parser import HTMLParser

import numpy as np
import pytest

from isometrics import OperatingPoints
from isometrics.printing import html_table, text_table

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


def test_titles_and_names_are_escaped():
    html = html_table(SCRIPT, {SCRIPT: [1]})
    assert "<script" not in html
    assert Cells(html).texts == [SCRIPT, SCRIPT, "1"]


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


def test_a_table_without_rows():
    assert text_table("title", {"a": [], "bc": np.array([])}) == "title\na  bc"


def test_lines_of_a_table_are_equally_long():
    text = text_table("t", {"x": [1.0, 1e-300, -np.inf], "label": ["β", "long label", 3]})
    assert text.splitlines()[1:] == [
        "     x       label",
        "     1           β",
        "1e-300  long label",
        "  -inf           3",
    ]


def test_a_newline_in_a_label_does_not_break_the_row():
    text = text_table("t", {"label": ["a\nb"], "x": [1]})
    assert len(text.splitlines()) == 3


def test_large_totals_are_printed_in_full():
    points = OperatingPoints.from_counts([1], [1], positives=12_345_678, negatives=2)
    assert "12345678 positives" in repr(points).splitlines()[0]
