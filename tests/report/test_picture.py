"""The picture and the table that are shown where no script runs."""

import re
import xml.etree.ElementTree as ET
from base64 import b64decode
from pathlib import Path

import numpy as np

from isometrics import OperatingPoints
from isometrics.report.model import report_model
from isometrics.report.picture import COLOURS, SIDE, curves_image, curves_svg
from isometrics.report.summary import summary_html

SMALL = OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
SPACE = "{http://www.w3.org/2000/svg}"


def polylines(picture):
    return [
        np.array([point.split(",") for point in line.get("points").split()], float)
        for line in ET.fromstring(picture).iter(f"{SPACE}polyline")
    ]


def test_the_curves_are_those_of_the_points():
    roc, pr, prg = polylines(curves_svg(report_model({"a": SMALL})))
    corners = np.column_stack([SMALL.fp / 2, 1 - SMALL.tp / 2]) * SIDE
    assert roc.tolist() == corners.tolist()
    assert pr[0].tolist() == [0, 0]
    assert pr[-1].tolist() == [SIDE, SIDE / 2]
    assert prg[-1].tolist() == [SIDE, SIDE]


def test_eight_models_are_drawn_and_the_others_are_counted():
    data = report_model({f"model {k}": SMALL for k in range(30)})
    picture = curves_svg(data)
    assert len(polylines(picture)) == 3 * len(COLOURS)
    assert "and 22 more" in picture
    assert summary_html(data).count("<tr>") == 31


def test_names_are_text_in_the_picture_and_in_the_table():
    hostile = '"><script>alert(1)</script><x y="' + "z" * 500 + "\ud800"
    data = report_model({hostile: SMALL}, title=hostile)
    image = curves_image(data)
    assert image.count("<") == 1
    address = image.split('src="')[1].removesuffix('">')
    picture = b64decode(address.split(",")[1]).decode("utf-8")
    assert "<script" not in picture
    texts = [text.text for text in ET.fromstring(picture).iter(f"{SPACE}text")]
    assert texts[-1] == hostile[:59] + "…"
    assert "<script" not in summary_html(data)


def test_long_curves_make_small_pictures():
    rng = np.random.default_rng(1)
    labels = rng.random(20_000) < 0.3
    points = OperatingPoints.from_scores(labels, rng.normal(labels))
    assert len(curves_svg(report_model({"long": points}))) < 30_000


def test_areas_that_are_not_defined_and_areas_with_limits():
    data = report_model({"a": SMALL})
    data["models"][0]["areas"] |= {"AUROC": [None, None], "AUPR": [0.5, 0.625]}
    del data["models"][0]["areas"]["AUPRG"]
    assert "<td>–</td><td>0.500–0.625</td><td>–</td><td>2</td><td>2</td>" in summary_html(data)


def test_verdicts_stand_first_and_a_page_without_models_has_no_table():
    data = report_model({"a": SMALL})
    data["verdicts"] = [{"name": "cat & dog", "lines": ["Use a.", "Sure."], "beta": 1}]
    assert summary_html(data).startswith("<p>cat &amp; dog: Use a.</p><p>Sure.</p><table>")
    assert summary_html(data | {"models": [], "verdicts": []}) == ""


def test_names_do_not_turn_the_sentences_around_them():
    turned, hebrew = "\u202eevil\n<b>", "שלום"
    data = report_model(dict.fromkeys((turned, hebrew, "plain"), SMALL)) | {
        "verdicts": [{"name": "", "lines": ["Use \u202eevil <b>, not plain.", f"{hebrew} trails."]}]
    }
    html = summary_html(data)
    assert "<p>Use <bdi>\u202eevil &lt;b&gt;</bdi>, not plain.</p>" in html
    assert f"<p><bdi>{hebrew}</bdi> trails.</p>" in html


def test_colours_are_those_of_the_page():
    style = Path(__file__).parents[2] / "web" / "src" / "style.css"
    shown = re.findall(r"--m\d: light-dark\((#\w{6})", style.read_text(encoding="utf-8"))
    assert list(COLOURS) == shown
