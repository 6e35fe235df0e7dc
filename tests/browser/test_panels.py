"""Four panels that show one operating point, moved by pointer and by keys."""

import numpy as np
import pytest

from .reading import PANELS, exact, place, row, set_number, svg
from .stage import settle


def coordinates(points, at, lam=0.5):
    """Return where a row lies in the four spaces."""
    f = points.tradeoff("f-measure").index
    value = float(
        f.value(points.precision[at], points.recall[at], lam) if points.tp[at] else np.nan
    )
    return {
        "ROC": (points.false_positive_rate[at], points.recall[at]),
        "Precision–recall": (points.recall[at], points.precision[at]),
        "Precision–recall gain": (points.recall_gain[at], points.precision_gain[at]),
        "Tradeoff": (lam, value),
    }


def assert_everywhere(page, points, at, lam=0.5):
    for panel, right in coordinates(points, at, lam).items():
        assert place(page, panel) == pytest.approx(right, abs=1e-9), panel


def position(page, panel, x, y):
    """Return the pixel of a point of a panel, from the ends of its axes."""
    box = svg(page, panel).locator(".plot").bounding_box()
    return box["x"] + x * box["width"], box["y"] + (1 - y) * box["height"]


@pytest.mark.parametrize("panel", PANELS[:3])
@pytest.mark.parametrize("at", [40, 110])
def test_a_drag_in_one_panel_moves_the_point_in_all(open_page, report, two_models, panel, at):
    page = open_page(report)
    points = two_models["linear"]
    svg(page, panel).scroll_into_view_if_needed()
    x, y = position(page, panel, *coordinates(points, at)[panel])
    page.mouse.move(x + 60, y + 30)
    page.mouse.down()
    page.mouse.move(x + 20, y)
    page.mouse.move(x, y)
    page.mouse.up()
    found = row(page)
    # Neighbouring rows share a pixel.
    assert abs(found - at) <= 3
    assert "linear" in page.locator(".card h2").inner_text()
    assert_everywhere(page, points, found)
    page.mouse.move(5, 5)
    assert row(page) == found


def test_a_drag_in_tradeoff_space_sets_the_weight_and_the_point(open_page, report, two_models):
    page = open_page(report)
    panel = svg(page, "Tradeoff")
    panel.scroll_into_view_if_needed()
    best = two_models["forest"].tradeoff()
    x, y = position(page, "Tradeoff", 0.8, best(0.8))
    page.mouse.move(x - 40, y)
    page.mouse.down()
    page.mouse.move(x, y)
    page.mouse.up()
    lam = place(page, "Tradeoff")[0]
    assert lam == pytest.approx(0.8, abs=0.01)
    found = row(page)
    points = two_models["forest"]
    assert points.thresholds[found] in best.best(lam).thresholds
    assert_everywhere(page, points, found, lam)
    beta = float(page.get_by_label("β, as a number").input_value())
    assert beta**2 / (1 + beta**2) == pytest.approx(lam, abs=1e-3)


def test_hover_shows_a_point_and_leaving_returns_to_the_chosen_one(open_page, report, two_models):
    page = open_page(report)
    points = two_models["forest"]
    before = row(page)
    x, y = position(page, "ROC", points.false_positive_rate[300], points.recall[300])
    page.mouse.move(x, y)
    assert abs(row(page) - 300) <= 3
    assert_everywhere(page, points, row(page))
    page.mouse.move(2, 2)
    assert row(page) == before


def test_the_keyboard_alone_does_it_all(open_page, report, two_models):
    page = open_page(report)
    for _ in range(80):
        page.keyboard.press("Tab")
        focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
        if focused == "Operating point in the ROC panel":
            break
    else:
        pytest.fail("the panel cannot be reached with Tab")
    start = row(page)
    points = two_models["forest"]
    for key, expected in [
        ("ArrowRight", start + 1),
        ("ArrowDown", start + 2),
        ("ArrowLeft", start + 1),
        ("ArrowUp", start),
        ("PageDown", start + 12),
        ("PageUp", start),
        ("End", len(points) - 1),
        ("ArrowRight", len(points) - 1),
        ("Home", 0),
    ]:
        page.keyboard.press(key)
        assert row(page) == expected, key
    page.keyboard.press("PageDown")
    assert_everywhere(page, points, row(page))
    said = svg(page, "ROC").get_attribute("aria-valuetext")
    assert said.startswith("forest, score ≥ ")
    page.keyboard.press("m")
    assert svg(page, "ROC").get_attribute("aria-valuetext").startswith("linear, score ≥ ")
    assert_everywhere(page, two_models["linear"], row(page))


def test_the_card_has_every_measure_of_the_point(open_page, report, two_models):
    page = open_page(report)
    set_number(page, "β", 2)
    page.get_by_label("What matters", exact=True).select_option("money")
    for label, cost in (("A miss costs", 7), ("A false alarm costs", 3)):
        box = page.get_by_label(label, exact=True)
        box.fill(str(cost))
        box.press("Enter")
    svg(page, "ROC").focus()
    page.keyboard.press("ArrowRight")
    points, at = two_models["forest"], row(page)
    right = {
        "precision": points.precision,
        "recall": points.recall,
        "fpr": points.false_positive_rate,
        "f": points.f(2.0),
        "precision-gain": points.precision_gain,
        "recall-gain": points.recall_gain,
        "f-gain": points.f_gain(2.0),
        "accuracy": points.accuracy(),
        "cost-accuracy": points.accuracy(0.3),
        "loss": 2 * (0.3 * points.fp + 0.7 * points.fn) / 600,
    }
    for name, values in right.items():
        assert exact(page, name) == pytest.approx(values[at], rel=1e-12), name
    for name in ("tp", "fp", "fn", "tn"):
        shown = page.locator(f'.confusion [data-value="{name}"]').inner_text()
        assert int(shown.replace(",", "")) == getattr(points, name)[at]
    assert repr(float(points.thresholds[at])) in page.locator(".card .rule").inner_text()


def test_the_histogram_line_moves_the_point(open_page, report, two_models):
    page = open_page(report)
    panel = page.locator(".histogram > svg")
    panel.scroll_into_view_if_needed()
    box = panel.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.3, box["y"] + 60)
    low = row(page)
    assert_everywhere(page, two_models["forest"], low)
    panel.focus()
    page.keyboard.press("ArrowLeft")
    assert row(page) == low - 1


def test_zoom_and_full_screen(open_page, report):
    page = open_page(report)
    axis = svg(page, "ROC").locator(".axis").first
    before = axis.text_content()
    page.get_by_label("Zoom in (or Ctrl and the wheel; Shift and drag moves): ROC").click()
    assert axis.text_content() != before
    page.get_by_label("1:1, show all: ROC").click()
    assert axis.text_content() == before
    page.get_by_label("Full screen: ROC").click()
    page.locator("figure.panel:fullscreen").wait_for()
    settle(page)
    assert svg(page, "ROC").bounding_box()["width"] > 1000
