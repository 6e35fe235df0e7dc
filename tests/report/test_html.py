"""The report is one file, small, and says nothing it should not."""

import re
from html import escape

import numpy as np
import pandas as pd
import pytest

import isometrics as iso
from isometrics import OperatingPoints
from isometrics.errors import FileError, ParameterError
from isometrics.report import report_html, write_report
from isometrics.report.html import DATA, SUMMARY, TITLE, page_of, summary_html, template, title_of
from isometrics.report.model import report_model

SMALL = OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])


def test_four_models_with_their_rows_fit_too(tmp_path):
    rng = np.random.default_rng(1)
    labels = rng.random(2000) < 0.3
    models = {f"model {k}": rng.normal(labels) for k in range(4)}
    analysis = iso.analyse(labels, models)
    verdict = analysis.verdict(n_resamples=50)
    path = analysis.report(tmp_path / "page.html", verdict=verdict)
    assert path.stat().st_size < 600 * 1024
    weighted = iso.analyse(labels, models, sample_weight=rng.random(2000) + 0.1)
    path = weighted.report(tmp_path / "weighted.html", verdict=verdict)
    assert path.stat().st_size < 600 * 1024


def test_1e8_rows_make_no_larger_report():
    """Counts of eight digits take more room, and so do thresholds of full precision."""
    rng = np.random.default_rng(3)
    scores = np.sort(rng.normal(size=200_000))
    chance = 1 / (1 + np.exp(1.5 - 1.5 * scores))
    positives = rng.binomial(500, 0.2 * chance / chance.mean())
    tp, fp = (np.cumsum(each[::-1]) for each in (positives, 500 - positives))
    points = OperatingPoints.from_counts(
        tp, fp, positives=int(tp[-1]), negatives=int(fp[-1]), thresholds=scores[::-1]
    )
    models = {f"model {k}": points for k in range(4)}
    assert len(report_html(models).encode()) <= 500 * 1024


def test_verdicts_stand_first_areas_may_be_undefined_and_no_models_make_no_table():
    data = report_model({"a": SMALL})
    data["models"][0]["areas"] |= {"AUROC": [None, None], "AUPR": [0.5, 0.625]}
    del data["models"][0]["areas"]["AUPRG"]
    data["verdicts"] = [{"name": "cat & dog", "lines": ["Use a.", "Sure."], "beta": 1}]
    shown = summary_html(data)
    assert "<td>–</td><td>0.500–0.625</td><td>–</td><td>2</td><td>2</td>" in shown
    assert shown.startswith("<p>cat &amp; dog: Use a.</p><p>Sure.</p><table>")
    assert summary_html(data | {"models": [], "verdicts": []}) == ""
    assert "<table" not in without_scripts(page_of(report_model({})))


def test_the_title_is_the_name_of_the_file():
    sources = ("a/May p.csv", "folder/", "s3://bucket/x.parquet", "-", "", "/")
    titles = ["May p.csv", "folder", "s3://bucket/x.parquet", None, None, None]
    assert list(map(title_of, sources)) == titles


def test_the_file_is_the_text_with_its_places_filled_once(tmp_path):
    path = tmp_path / "report of May.html"
    models, title = {"\ud800": SMALL}, f"</title>\ud800{DATA}"
    assert write_report(models, path, title=title, description=TITLE) == path
    page = path.read_text(encoding="utf-8")
    assert page == report_html(models, title=title, description=TITLE)
    assert f"<title>&lt;/title&gt;?{escape(DATA)}</title>" in page
    assert '"name":"\\ud800"' in page
    assert TITLE not in page
    assert DATA not in page
    with pytest.raises(FileError, match="cannot write"):
        write_report(models, tmp_path / "nowhere" / "report.html")
    with pytest.raises(ParameterError, match="path must name a file but is None"):
        write_report(models, None)
    assert [*tmp_path.iterdir()] == [path]


def test_the_page_names_no_address():
    page = template()
    result = set(re.findall(r"https?://[^\s\"'`<>\\]*", page))
    # Names of XML languages are no addresses: nothing is ever fetched from them.
    allowed = {
        "http://www.w3.org/1999/xhtml",
        "http://www.w3.org/1998/Math/MathML",
        "http://www.w3.org/1999/xlink",
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/2000/xmlns/",
        "http://www.w3.org/XML/1998/namespace",
    }
    assert result <= allowed
    assert not re.search(r"<(script|link|img)[^>]*(src|href)=(?!\"data:,\")", page)
    assert "sourceMappingURL" not in page


def without_scripts(page):
    """Return what a browser shows that runs no scripts."""
    (shown,) = re.findall(r"<noscript>(.*?)</noscript>", page, re.DOTALL)
    return shown


def test_without_scripts():
    analysis = iso.analyse([1, 0, 1, 0, 1, 0] * 9, {"forest": np.arange(54.0), "b": np.ones(54)})
    verdict = analysis.verdict(n_resamples=50)
    shown = without_scripts(report_html(analysis.models, verdict=verdict))
    for line in verdict.lines():
        assert f"<p>{escape(line)}</p>" in shown
    for name, points in analysis.models.items():
        assert f"<td>{name}</td><td>{points.roc.area():.3f}</td>" in shown
    names = ["</noscript><script>alert(1)</script>", DATA, SUMMARY, TITLE, "a & b", "\ud800"]
    page = report_html(dict.fromkeys(names, SMALL), title=SUMMARY)
    shown = without_scripts(page)
    assert "<script" not in shown
    for name in names[:-1]:
        assert f"<td>{escape(name)}</td>" in shown
    assert "<td>?</td>" in shown
    assert not {TITLE, SUMMARY, DATA} & set(re.findall("<!--.*?-->", page))


def test_an_analysis_knows_the_file_it_was_read_from(tmp_path):
    file = tmp_path / "May <1>.csv"
    file.write_text("label,score\n1,0.9\n0,0.8\n1,0.7\n0,0.1\n")
    for given in (file, str(file)):
        analysis = iso.read_predictions(given)
        page = analysis.report(tmp_path / "page.html", verdict=False).read_text(encoding="utf-8")
        assert "<title>May &lt;1&gt;.csv</title>" in page
    analysis.at_prevalence(0.1).report(tmp_path / "page.html", verdict=False, title="Mine")
    assert "<title>Mine</title>" in (tmp_path / "page.html").read_text(encoding="utf-8")
    frame = {"label": [1, 0, 1], "score": [0.9, 0.5, 0.1]}
    path = iso.read_predictions(pd.DataFrame(frame)).report(tmp_path / "f.html", verdict=False)
    assert "<title>Which model, which threshold?</title>" in path.read_text(encoding="utf-8")
