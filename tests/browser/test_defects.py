"""What readers stumbled over: each of these was wrong once."""

import re
from itertools import pairwise

import numpy as np
import pytest

import isometrics as iso
from isometrics.report import write_report

from .reading import answer, boxes, overlap, row, set_number, svg
from .stage import points


def test_only_the_main_button_moves_the_threshold(open_page, report):
    page = open_page(report)
    before = row(page)
    for chart in (page.locator(".histogram > svg"), svg(page, "ROC")):
        chart.click(button="right", position={"x": 60, "y": 60})
        page.mouse.move(0, 0)
        assert row(page) == before
    page.locator(".histogram > svg").click(position={"x": 60, "y": 60})
    assert row(page) != before


@pytest.mark.parametrize("chart", [".histogram > svg", "figure.panel > svg >> nth=0"])
def test_a_finger_that_scrolls_does_not_move_the_point(browser, report, chart):
    from playwright.sync_api import expect

    context = browser.new_context(
        viewport={"width": 360, "height": 700}, has_touch=True, is_mobile=True, offline=True
    )
    page = context.new_page()
    page.goto(report.as_uri())
    page.locator(chart).scroll_into_view_if_needed()
    before = row(page)
    box = page.locator(chart).bounding_box()
    x, y = box["x"] + box["width"] / 3, box["y"] + box["height"] / 2
    touch = context.new_cdp_session(page)

    def send(kind, *places):
        given = [{"x": place[0], "y": place[1]} for place in places]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": given})

    top = page.evaluate("scrollY")
    send("touchStart", (x, y))
    for step in range(1, 8):
        send("touchMove", (x, y - 20 * step))
    send("touchEnd")
    page.wait_for_timeout(300)
    assert page.evaluate("scrollY") > top
    assert row(page) == before
    # A tap and a drag to the side do.
    box = page.locator(chart).bounding_box()
    x, y = box["x"] + box["width"] / 3, box["y"] + box["height"] / 2
    page.touchscreen.tap(x, y)
    at = svg(page, "ROC")
    expect(at).not_to_have_attribute("aria-valuenow", str(before))
    tapped = row(page)
    send("touchStart", (x, y))
    for step in range(1, 8):
        send("touchMove", (x + 12 * step, y))
    send("touchEnd")
    expect(at).not_to_have_attribute("aria-valuenow", str(tapped))
    context.close()


def test_zooming_keeps_the_point_in_sight(open_page, report):
    page = open_page(report)
    for panel in ("ROC", "Precision–recall", "Precision–recall gain"):
        for _ in range(3):
            name = f"Zoom in (or Ctrl and the wheel; Shift and drag moves): {panel}"
            page.get_by_label(name, exact=True).click()
        assert svg(page, panel).locator("circle.point:not(.outside)").count() == 1


def test_the_table_of_thresholds_shows_its_row(open_page, tmp_path):
    path = write_report({"forest": points(1, rows=20_000)}, tmp_path / "page.html")
    page = open_page(path)
    for beta in (0.2, 1, 5):
        set_number(page, "β", beta)
        in_sight = page.evaluate(
            """() => {
                const row = document.querySelector(".thresholds .here").getBoundingClientRect();
                const frame = document.querySelector(".thresholds .scroll").getBoundingClientRect();
                return row.top >= frame.top && row.bottom <= frame.bottom;
            }"""
        )
        assert in_sight


def test_intervals_have_the_confidence_of_the_bands(open_page, tmp_path):
    rng = np.random.default_rng(0)
    labels = np.arange(300) < 60
    analysis = iso.analyse(labels, {"a": rng.normal(labels)})
    path = tmp_path / "page.html"
    analysis.report(path, confidence_level=0.9, n_resamples=50, verdict=False)
    page = open_page(path)
    answer(page)
    assert "(95" not in page.locator(".headline").inner_text()
    assert "on new data (90%: " in page.locator(".headline").inner_text()
    assert "90%" in page.locator(".card dl").inner_text()


@pytest.mark.parametrize(("positives", "shift", "has_some"), [(8, 1, False), (10, 2, True)])
def test_bands_that_too_few_rows_decide_about_are_missed_aloud(
    open_page, tmp_path, positives, shift, has_some
):
    rng = np.random.default_rng(0)
    labels = np.arange(2000) < positives
    analysis = iso.analyse(labels, {"rare": rng.normal(shift * labels)})
    path = analysis.report(tmp_path / "page.html", confidence_level=0.95, n_resamples=50)
    page = open_page(path)  # which must not complain in its console
    note = page.locator(".note").first.inner_text()
    assert "rare: confidence bands are missing where too few rows decide about the curves" in note
    if has_some:
        assert page.locator(".band").count() > 0


def test_another_prevalence_is_said(open_page, tmp_path):
    analysis = iso.analyse([1, 0, 1, 0, 0] * 20, {"a": np.arange(100.0)}).at_prevalence(0.01)
    page = open_page(analysis.report(tmp_path / "page.html"))
    said = page.locator(".description").inner_text()
    assert said == "100 rows; at prevalence 0.01, in the data 0.4"
    path = iso.Analysis(analysis.models).at_prevalence(0.5).report(tmp_path / "other.html")
    page = open_page(path)
    assert page.locator(".description").inner_text() == "at prevalence 0.5, in the data 0.01"


def test_labels_of_tiny_scores_do_not_overlap(open_page, tmp_path):
    labels = np.arange(200) < 50
    scores = np.random.default_rng(0).random(200) * 1e-12
    table = iso.OperatingPoints.from_scores(labels, scores)
    page = open_page(write_report({"tiny": table}, tmp_path / "page.html"))
    for left, right in pairwise(sorted(boxes(page, ".histogram .axis .tick text"))):
        assert left[1] < right[0]


def test_gains_close_to_1_are_not_1(open_page, tmp_path):
    rows = np.arange(400_000)
    labels = rows < 30
    scores = 2.0 * labels + 3 * (rows % 2800 == 50)  # 18 % precision
    table = iso.OperatingPoints.from_scores(labels, scores)
    page = open_page(write_report({"rare": table}, tmp_path / "page.html"))
    gain = page.locator('.card [data-value="precision-gain"]').inner_text()
    assert gain == "0.9996"


def test_long_names_stay_in_their_column(open_page, tmp_path):
    models = {"x" * 500: points(1), "forest": points(2)}
    page = open_page(write_report(models, tmp_path / "page.html"))
    for name in page.locator(".summary tbody th").all():
        cell = name.bounding_box()
        text = name.locator(".name-button").bounding_box()
        assert text["x"] + text["width"] <= cell["x"] + cell["width"]
    assert page.locator(".summary tbody th").first.get_attribute("title").startswith("x" * 500)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1400
    # Their boxes are as large as others.
    page.set_viewport_size({"width": 360, "height": 900})
    sizes = {round(right - left, 3) for left, right, _, _ in boxes(page, ".named input")}
    assert len(sizes) == 1


@pytest.fixture(scope="module")
def three_scores(tmp_path_factory):
    """Write a report of scores 0, 0.5 and 1, and of predictions 0 and 1."""
    rows = np.arange(200)
    labels = rows % 4 == 0
    scores = (rows * 7 % 3) / 2
    models = {
        "grades": iso.OperatingPoints.from_scores(labels, scores),
        "calls": iso.OperatingPoints.from_scores(labels, (rows % 6 == 0) * 1.0),
    }
    return write_report(models, tmp_path_factory.mktemp("scores") / "scores.html")


def test_words_of_the_histogram_cover_no_bars(open_page, three_scores):
    """The classes stood on the first bars, and the threshold on the tallest."""
    page = open_page(three_scores)
    bars = boxes(page, ".histogram .bars rect")
    words = boxes(page, ".histogram .isoline-label, .histogram .threshold-label")
    assert (len(words), len(bars)) == (3, 4)
    ticks = boxes(page, ".histogram .axis .tick text")
    for place, word in enumerate(words):
        others = bars + ticks + words[:place]
        assert not any(overlap(word, other) for other in others)


def test_numbers_that_are_printed_alike_stand_out_alike(open_page, tmp_path):
    """One of two recalls of 52% was bold."""
    rows = np.arange(1000)
    labels = rows < 500
    models = {
        "a": iso.OperatingPoints.from_scores(labels, (rows < 260) * 1.0),
        "b": iso.OperatingPoints.from_scores(labels, (rows < 259) * 1.0),
        "c": iso.OperatingPoints.from_scores(labels, (rows < 200) * 1.0),
    }
    page = open_page(write_report(models, tmp_path / "page.html"))
    set_number(page, "β", 0.1)
    cells = page.locator('.summary tbody td[data-value="recall"]')
    assert cells.all_inner_texts() == ["52%", "52%", "40%"]
    assert [cell.get_attribute("class") for cell in cells.all()] == ["highest", "highest", ""]


def test_counts_and_percents_are_written_as_the_verdict_writes_them(open_page, tmp_path):
    rng = np.random.default_rng(3)
    labels = rng.random(4000) < 0.3
    analysis = iso.analyse(labels, {"a": rng.normal(labels), "b": rng.normal(0.5 * labels)})
    path = analysis.report(tmp_path / "page.html", verdict=analysis.verdict(n_resamples=100))
    page = open_page(path)
    assert "95%: " in page.locator(".headline").inner_text()
    text = page.locator(".isometrics").inner_text()
    assert re.search(r"\d,\d{3}", page.locator(".confusion").inner_text())
    assert not re.search(r"\d\s%", text.replace("\n", "|"))


def test_large_sums_of_weights_stay_in_the_card(open_page, tmp_path):
    """Of seven million negatives the cents were shown, beyond the edge of the page."""
    rng = np.random.default_rng(5)
    labels = rng.random(1500) < 0.25
    weights = rng.gamma(2, 70, labels.size)
    scores = rng.normal(2 * labels)
    analysis = iso.analyse(labels, {"forest": scores}, sample_weight=weights).at_prevalence(0.003)
    path = analysis.report(tmp_path / "page.html", verdict=analysis.verdict(n_resamples=50))
    page = open_page(path)
    for width in (1300, 1120, 800, 360):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        card, table = (page.locator(name).bounding_box() for name in (".card", ".confusion"))
        assert table["x"] + table["width"] <= card["x"] + card["width"]
    assert re.fullmatch(r"\d+,\d{3},\d{3}", page.locator(".confusion td").last.inner_text())


def test_the_prevalence_can_be_read_and_moved(open_page, tmp_path):
    """On a wide screen its last digit was cut off, on a phone its slider had 40 pixels."""
    rows = np.arange(60_000)
    models = {"forest": iso.OperatingPoints.from_scores(rows < 1157, rows % 100)}
    page = open_page(write_report(models, tmp_path / "page.html"))
    box = page.get_by_label("Prevalence, as a number")
    assert box.input_value() == "0.01928"
    for width in (1400, 360):
        page.set_viewport_size({"width": width, "height": 900})
        # The arrows of a box for numbers take the room of two letters.
        text = box.evaluate(
            """(box) => {
                const pen = document.createElement("canvas").getContext("2d");
                pen.font = getComputedStyle(box).font;
                return pen.measureText(box.value + "00").width;
            }"""
        )
        assert text <= box.evaluate("(box) => box.clientWidth - 12")
    slider = page.get_by_label("Prevalence", exact=True).bounding_box()
    assert slider["width"] > 200


def test_classes_of_the_histogram_have_the_colour_of_no_model(open_page, tmp_path):
    models = {f"m{k}": points(k, rows=200) for k in range(8)}
    page = open_page(write_report(models, tmp_path / "page.html"))

    def colours(what, name):
        return set(
            page.locator(what).evaluate_all(
                "(all, name) => all.map((one) => getComputedStyle(one)[name])", name
            )
        )

    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        bars, curves = colours(".bars rect", "fill"), colours("figure.panel .curve", "stroke")
        assert (len(bars), len(curves)) == (2, 8)
        assert not bars & curves
