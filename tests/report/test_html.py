"""The report is one file, small, and says nothing it should not."""

import re

import numpy as np
import pytest

from isometrics import OperatingPoints
from isometrics.errors import FileError
from isometrics.report import report_html, write_report
from isometrics.report.html import DATA, TITLE, template

from .drawn import sample_points

SMALL = OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])


def test_four_models_of_2000_points_fit_into_500_kib():
    rng = np.random.default_rng(1)
    models = {f"model {k}": sample_points(rng, 1999) for k in range(4)}
    assert {len(points) for points in models.values()} == {2000}
    assert len(report_html(models).encode()) < 500 * 1024


def test_a_million_rows_make_no_larger_report():
    rng = np.random.default_rng(2)
    models = {f"model {k}": sample_points(rng, 250_000) for k in range(4)}
    assert len(report_html(models).encode()) < 500 * 1024


def test_the_file_is_the_text(tmp_path):
    path = tmp_path / "report of May.html"
    assert write_report({"a": SMALL}, path, title="May") == path
    assert path.read_text(encoding="utf-8") == report_html({"a": SMALL}, title="May")


def test_nothing_is_left_where_it_cannot_be_written(tmp_path):
    with pytest.raises(FileError, match="cannot write"):
        write_report({"a": SMALL}, tmp_path / "nowhere" / "report.html")


def test_the_places_are_filled_once():
    page = report_html({"a": SMALL}, title=DATA, description=TITLE)
    assert TITLE not in page
    assert DATA not in page
    assert page.count("&lt;!--data--&gt;") == 1


def test_titles_are_escaped_and_written_whatever_they_hold(tmp_path):
    path = write_report({"\ud800": SMALL}, tmp_path / "report.html", title="</title>\ud800")
    text = path.read_text(encoding="utf-8")
    assert "<title>&lt;/title&gt;?</title>" in text
    assert '"name":"\\ud800"' in text


def test_the_page_names_no_address():
    page = template()
    result = set(re.findall(r"https?://[^\s\"'`<>\\]*", page))
    # Names of XML languages are no addresses: nothing is ever fetched from them.
    allowed = {
        "http://www.w3.org/1999/xhtml",
        "http://www.w3.org/1999/xlink",
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/2000/xmlns/",
        "http://www.w3.org/XML/1998/namespace",
    }
    assert result <= allowed
    assert not re.search(r"<(script|link|img)[^>]*(src|href)=(?!\"data:,\")", page)
    assert "sourceMappingURL" not in page
