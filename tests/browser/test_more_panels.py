"""Panels by choice: what they draw, what they say, and that all of them show one point."""

import re

import numpy as np
import pytest

import isometrics as iso
from isometrics.decisions.lift import lift, net_benefit
from isometrics.report import write_report

from .reading import checkbox, figure, row, set_number, svg
from .stage import points, sample

MORE = ["reliability", "cumulative gains", "lift", "net benefit"]
TITLES = ["Reliability", "Cumulative gains", "Lift", "Net benefit"]


def probabilities(seed, shift=1.5, **kinds):
    labels, scores = sample(seed, shift=shift, **kinds)
    return iso.OperatingPoints.from_scores(labels, 1 / (1 + np.exp(1.4 - scores)))


@pytest.fixture(scope="module")
def models():
    return {"forest": probabilities(1, shift=1.8), "linear": probabilities(2)}


@pytest.fixture(scope="module")
def path(models, tmp_path_factory):
    return write_report(models, tmp_path_factory.mktemp("more") / "more.html", title="More")


def choose(page, *labels):
    for label in labels:
        checkbox(page, label).check()


def place(page, title):
    point = figure(page, title).locator("circle.point")
    return tuple(float(point.get_attribute(f"data-{axis}")) for axis in "xy")


def test_four_panels_are_shown_and_others_by_choice(open_page, path):
    page = open_page(path)
    assert page.locator("figure.panel").count() == 4
    choose(page, *MORE)
    titles = page.locator("figure.panel h2").all_inner_texts()
    assert titles[4:] == TITLES
    # They are part of the address, and so of what is shared and saved.
    page.wait_for_timeout(500)
    assert "net-benefit" in page.url
    checkbox(page, "ROC").uncheck()
    checkbox(page, "score histogram").uncheck()
    assert page.locator("figure.panel h2").first.inner_text() == "Precision–recall"
    assert not page.locator(".histogram").is_visible()


def test_one_point_in_all_panels(open_page, path, models):
    page = open_page(path)
    choose(page, *MORE)
    pts = models["forest"]
    svg(page, "ROC").focus()
    for key in ("PageDown", "PageDown", "ArrowLeft"):
        page.keyboard.press(key)
    at = row(page)
    share = (pts.tp[at] + pts.fp[at]) / 600
    assert place(page, "Cumulative gains") == pytest.approx((share, pts.recall[at]), abs=1e-9)
    assert place(page, "Lift") == pytest.approx((share, lift(pts, [share])[0]), abs=1e-8)
    threshold = pts.thresholds[at]
    benefit = net_benefit(pts, [threshold]).model[0]
    assert place(page, "Net benefit") == pytest.approx((threshold, benefit), abs=1e-9)
    # A threshold is a line in a diagram of reliability.
    assert figure(page, "Reliability").locator(".cursor .crosshair").count() == 1
    for title in TITLES:
        said = figure(page, title).locator("> svg").get_attribute("aria-valuetext")
        assert said == svg(page, "ROC").get_attribute("aria-valuetext")


def test_a_drag_in_the_new_panels_moves_the_point(open_page, path):
    page = open_page(path)
    choose(page, *MORE)
    for title in TITLES:
        chart = figure(page, title).locator("> svg")
        chart.scroll_into_view_if_needed()
        before = row(page)
        box = chart.bounding_box()
        page.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.5)
        assert row(page) != before, title
        page.mouse.move(2, 2)
        page.get_by_role("button", name="Best for what matters").click()


def along_axis(chart, score):
    """Return where the axis of scores, by its ticks, has a score."""
    ticks = chart.locator(".axis").first.locator(".tick")
    places = [
        float(re.match(r"translate\(([^,]+)", each.get_attribute("transform"))[1])
        for each in ticks.all()
    ]
    scores = [float(text.replace("−", "-")) for text in ticks.locator("text").all_text_contents()]
    return np.polyval(np.polyfit(scores, places, 1), score)


def test_thresholds_stand_on_the_axis_where_their_labels_say(open_page, models, path):
    """In the histogram a line stood where a bar begins, up to a fortieth of the axis away."""
    page = open_page(path)
    choose(page, "reliability")
    histogram, reliability = page.locator(".histogram > svg"), figure(page, "Reliability")
    histogram.scroll_into_view_if_needed()
    width = histogram.bounding_box()["width"]
    for share in (0.1, 0.35, 0.5, 0.62, 0.9):
        histogram.click(position={"x": share * width, "y": 60})
        for _ in range(3):
            page.keyboard.press("ArrowLeft")
            threshold = float(models["forest"].thresholds[row(page)])
            label = histogram.locator(".threshold-label").text_content()
            assert float(label.removeprefix("≥ ")) == pytest.approx(threshold, rel=0.01)
            for chart, line in ((histogram, ".threshold"), (reliability, ".cursor .crosshair")):
                start = chart.locator(line).get_attribute("d")
                at = float(re.match(r"M([^,]+)", start)[1])
                # Ticks stand in the middle of a pixel.
                assert at == pytest.approx(along_axis(chart, threshold), abs=0.6)


def test_reliability_says_its_counts(open_page, path):
    page = open_page(path)
    choose(page, "reliability")
    said = figure(page, "Reliability").locator(".result").inner_text()
    assert "of 60 items with scores from" in said
    assert "interval" in said
    counts = figure(page, "Reliability").locator(".bin-count").all_text_contents()
    assert set(counts) == {"60"}
    assert figure(page, "Reliability").locator(".bin").count() == 20


def test_scores_that_are_no_probabilities_are_refused_in_words(open_page, report):
    page = open_page(report)
    choose(page, "reliability", "net benefit")
    for title in ("Reliability", "Net benefit"):
        assert figure(page, title).locator(".curve").count() == 0
        said = figure(page, title).locator(".result").inner_text()
        assert "forest has scores from" in said
        assert "which are no probabilities" in said
        assert "isometrics calibrate" in said


def test_infinite_scores_are_named(open_page, tmp_path):
    pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [np.inf, 0.5, 0.25, 0.0])
    page = open_page(write_report({"m": pts}, tmp_path / "infinite.html"))
    choose(page, "reliability")
    said = figure(page, "Reliability").locator(".result").inner_text()
    assert "m has scores of +∞, which are no probabilities" in said


def test_prevalence_and_class_reach_the_new_panels(open_page, path, models):
    page = open_page(path)
    choose(page, *MORE)
    set_number(page, "Prevalence", 0.5)
    moved = models["forest"].at_prevalence(0.5)
    at = row(page)
    share = (moved.tp[at] + moved.fp[at]) / (moved.positives + moved.negatives)
    x, y = place(page, "Lift")
    assert (x, y) == pytest.approx((share, moved.recall[at] / share), abs=1e-8)
    page.get_by_label("class of interest").select_option("negatives")
    x, y = place(page, "Cumulative gains")
    assert 0 < x <= 1
    assert 0 < y <= 1


def ends(page, title):
    """Return the ticks of the two axes."""
    axes = figure(page, title).locator(".frame .axis").all()
    return [
        [float(text.replace("−", "-")) for text in axis.locator("text").all_text_contents()]
        for axis in axes
    ]


def test_at_low_prevalence_panels_zoom_to_the_curves_and_back(open_page, path, tmp_path):
    page = open_page(path)
    assert figure(page, "Precision–recall gain").locator(".near").is_hidden()
    rare = {"m": points(3, rows=20000, shift=2.5, prevalence=0.005)}
    page = open_page(write_report(rare, tmp_path / "rare.html"))
    for title in ("ROC", "Precision–recall gain"):
        button = figure(page, title).get_by_role("button", name="Zoom to the curves")
        button.click()
        across, up = ends(page, title)
        assert across[-1] - across[0] < 0.3
        if title != "ROC":
            # There an isoline is one of F, since all gains are close to 1.
            words = figure(page, title).locator(".isoline-label").all_text_contents()
            assert words
            assert words[0].startswith("F1 = ")
            assert up[0] > 0.3
        figure(page, title).get_by_role("button", name="Show the whole plane").click()
        assert ends(page, title)[0] == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert figure(page, "Tradeoff").locator(".near").is_hidden()


def test_every_panel_explains_itself_with_a_formula(open_page, path):
    page = open_page(path)
    choose(page, *MORE)
    for panel in page.locator("figure.panel").all():
        assert len(panel.locator(".shows").inner_text().split()) > 10
        panel.locator(".why summary").click()
        words = panel.locator(".why").inner_text().split()
        assert 80 < len(words) < 320
        formula = panel.locator(".why math").first
        assert formula.bounding_box()["height"] > 15
        assert formula.get_attribute("aria-label")
    assert "F1 scores of 0.1 and 0.9 average to 0.5" in page.content()


def test_the_example_about_averages_is_right():
    prevalence, scores = 0.1, np.array([0.1, 0.9])
    gain = (scores - prevalence) / ((1 - prevalence) * scores)
    back = prevalence / (1 - (1 - prevalence) * gain.mean())
    everything = 2 * prevalence / (1 + prevalence)
    assert scores.mean() == 0.5
    assert round(back, 2) == 0.18
    assert back < everything


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1400, "light")])
def test_axe_finds_nothing_in_all_panels(open_page, path, violations, width, scheme):
    page = open_page(path, width=width, scheme=scheme)
    choose(page, *MORE)
    for summary in page.locator(".why summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
