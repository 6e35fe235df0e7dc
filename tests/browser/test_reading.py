"""Reading the panels: which curve is which, with two models and with thirty."""

import numpy as np
import pytest

from isometrics import OperatingPoints
from isometrics.report import write_report

from .reading import PANELS, boxes, overlap, pixels, row, set_number, svg
from .stage import points

LOOKS = 8
"""How many models have a colour of their own."""


@pytest.fixture(scope="module")
def thirty(tmp_path_factory):
    models = {f"model {k:02d}": points(k, rows=300, shift=0.4 + k / 12) for k in range(30)}
    path = tmp_path_factory.mktemp("thirty") / "thirty.html"
    return models, write_report(models, path, title="Thirty models")


@pytest.fixture(scope="module")
def eight(tmp_path_factory):
    models = {f"m{k}": points(k, rows=300, shift=0.8 + k / 5) for k in range(LOOKS)}
    return write_report(models, tmp_path_factory.mktemp("eight") / "eight.html")


def curves(page, panel="ROC"):
    """Return colour, dash and width of every curve of a panel, from the bottom to the top."""
    return svg(page, panel).evaluate(
        """(svg) => [...svg.querySelectorAll(".curve")].map((curve) => {
            const {stroke, strokeDasharray, strokeWidth} = getComputedStyle(curve);
            return [stroke, strokeDasharray, strokeWidth];
        })"""
    )


def names_of_coloured(page):
    return {
        row.locator(".name-button").inner_text()
        for row in page.locator(".summary tbody tr").all()
        if "model-rest" not in row.locator(".chip").get_attribute("class")
    }


def best_by_f(models, beta):
    f = {name: float(pts.f(beta)[1:].max()) for name, pts in models.items()}
    return set(sorted(f, key=f.get, reverse=True)[:LOOKS])


def test_eight_models_have_eight_colours_and_marks(open_page, eight):
    page = open_page(eight)
    assert len({stroke for stroke, _, _ in curves(page)}) == LOOKS
    marks = svg(page, "ROC").locator(".best").evaluate_all("all => all.map(one => one.outerHTML)")
    shapes = {mark.split(' d="')[1].split('"')[0] for mark in marks}
    assert len(shapes) == LOOKS
    # Some shapes consist of lines alone, so marks beside names need lines too.
    lines = (
        svg(page, "Tradeoff")
        .locator(".curve-name path")
        .evaluate_all(
            "all => all.map(one => getComputedStyle(one).stroke === getComputedStyle(one).fill)"
        )
    )
    assert lines
    assert all(lines)
    # Where colours are close, dashes tell them apart.
    assert len({dash for _, dash, _ in curves(page)}) == 5
    assert page.get_by_label("Search the names of the models").count() == 0


def test_of_thirty_models_the_best_eight_have_colours(open_page, thirty):
    models, path = thirty
    page = open_page(path)
    for beta in (1, 0.25, 4):
        set_number(page, "β", beta)
        assert names_of_coloured(page) == best_by_f(models, beta)
        drawn = curves(page)
        assert len(drawn) == 30
        grey, coloured = drawn[:-LOOKS], drawn[-LOOKS:]
        assert len({stroke for stroke, _, _ in grey}) == 1
        assert len({stroke for stroke, _, _ in coloured}) == LOOKS
        assert max(width for *_, width in grey) < min(width for *_, width in coloured)
    assert svg(page, "ROC").locator(".best").count() == LOOKS


def test_the_best_eight_are_the_best_for_what_matters(open_page, thirty):
    models, path = thirty
    page = open_page(path)
    page.get_by_label("What matters", exact=True).select_option("money")
    for miss, alarm in ((20, 1), (1, 20)):
        page.get_by_label("A miss costs", exact=True).fill(str(miss))
        page.get_by_label("A false alarm costs", exact=True).fill(str(alarm))
        page.keyboard.press("Enter")
        cost = {
            name: float((miss * (pts.positives - pts.tp) + alarm * pts.fp).min())
            for name, pts in models.items()
        }
        best = sorted(cost, key=cost.get)[:LOOKS]
        assert max(cost[name] for name in names_of_coloured(page)) == cost[best[-1]]
        assert names_of_coloured(page) != best_by_f(models, 1)


def test_a_model_keeps_its_colour_while_others_change(open_page, thirty):
    page = open_page(thirty[1])

    def looks():
        return {
            row.locator(".name-button").inner_text(): row.locator(".chip").get_attribute("class")
            for row in page.locator(".summary tbody tr").all()
        }

    before = looks()
    set_number(page, "β", 0.25)
    after = looks()
    both = [
        name
        for name in before
        if "rest" not in before[name] + after[name] and before[name] == after[name]
    ]
    stayed = [name for name in before if "rest" not in before[name] + after[name]]
    assert both == stayed
    assert len(stayed) > 3


def test_thirty_models_leave_the_panels_on_the_screen(open_page, thirty):
    page = open_page(thirty[1])
    table = page.locator(".summary .scroll").bounding_box()
    assert table["height"] < 330
    assert svg(page, "ROC").bounding_box()["y"] < 900


def test_a_search_brings_models_forward(open_page, thirty):
    models, path = thirty
    page = open_page(path)
    box = page.get_by_label("Search the names of the models")
    box.fill("MODEL 02")
    assert "model 02" in names_of_coloured(page)
    assert len(names_of_coloured(page)) == LOOKS
    assert "1 name contains this" in page.locator(".search").inner_text()
    row = page.get_by_role("button", name="model 02").bounding_box()
    frame = page.locator(".summary .scroll").bounding_box()
    assert frame["y"] <= row["y"] <= frame["y"] + frame["height"]
    box.fill("nobody")
    assert "None of 30 names" in page.locator(".search").inner_text()
    assert names_of_coloured(page) == best_by_f(models, 1)
    box.fill("")
    assert "The best 8 of 30" in page.locator(".search").inner_text()


def test_a_click_on_a_name_shows_it_alone_and_another_goes_back(open_page, thirty):
    page = open_page(thirty[1])
    page.get_by_label("Show model 05").uncheck()
    assert len(curves(page)) == 29
    name = page.get_by_role("button", name="model 07", exact=True)
    name.focus()
    page.keyboard.press("Enter")
    assert len(curves(page)) == 1
    assert page.locator(".card h2").inner_text() == "model 07"
    assert name.get_attribute("aria-pressed") == "true"
    assert name.evaluate("one => one === document.activeElement")
    page.keyboard.press("Enter")
    assert len(curves(page)) == 29
    assert not page.get_by_label("Show model 05").is_checked()


def covered(words, pixels):
    """Return the words that a line crosses; letters do not fill their boxes."""
    return [
        word
        for word in words
        if any(word[0] + 1 < x < word[1] - 1 and word[2] + 2 < y < word[3] - 2 for x, y in pixels)
    ]


@pytest.mark.parametrize("width", [1400, 360])
def test_words_collide_neither_with_each_other_nor_with_curves(open_page, eight, width):
    page = open_page(eight, width=width)
    for beta in (1, 3):
        set_number(page, "β", beta)
        for panel in ("ROC", "Precision–recall", "Precision–recall gain"):
            words = boxes(svg(page, panel), ".curve-name text, .words .isoline-label")
            assert words
            for place, one in enumerate(words):
                assert not any(overlap(one, two) for two in words[:place])
            lines = pixels(page, panel, ".curve:not(.model-rest)")
            assert covered(words, lines) == [], panel


@pytest.mark.parametrize("width", [1300, 360])
def test_baselines_collide_with_no_words(open_page, tmp_path, width):
    """Values stood on the dotted lines, and the names of these on the curves."""
    rows = np.arange(400)
    labels = rows % 5 == 0
    models = {
        "constant": OperatingPoints.from_scores(labels, np.zeros(400)),
        "perfect": OperatingPoints.from_scores(labels, labels * 1.0),
        "forest": points(3, rows=400),
    }
    path = write_report(models, tmp_path / "page.html")
    page = open_page(path, width=width)
    for panel in ("ROC", "Precision–recall", "Precision–recall gain"):
        words = boxes(svg(page, panel), ".words .isoline-label")
        assert len(words) >= 3
        assert covered(words, pixels(page, panel, ".baseline")) == [], panel
    words = boxes(svg(page, "Tradeoff"), ".words .isoline-label")
    assert covered(words, pixels(page, "Tradeoff", ".curve")) == []
    page.get_by_label("Show constant").uncheck()
    names = ["everything", "one true positive"]
    shown = svg(page, "Tradeoff").locator(".words .isoline-label")
    assert shown.all_text_contents() == names
    # Of many positives, a single one lies along the edge.
    models = {"forest": points(3, rows=3000), "linear": points(4, rows=3000, shift=1.0)}
    page = open_page(write_report(models, path), width=width)
    assert svg(page, "Tradeoff").locator(".words .isoline-label").all_text_contents() == names


def test_the_hull_of_sets_collides_with_no_words(open_page, tmp_path):
    sets = OperatingPoints.from_counts(
        [26, 30, 12, 9], [24, 77, 19, 60], positives=60, negatives=940, labels=list("abcd")
    )
    page = open_page(write_report({"sets": sets}, tmp_path / "page.html"), width=1300)
    for panel in ("ROC", "Precision–recall"):
        words = boxes(svg(page, panel), ".words .isoline-label")
        assert words
        assert covered(words, pixels(page, panel, ".hull")) == [], panel


def test_curves_carry_their_names(open_page, report):
    page = open_page(report)
    for panel in PANELS:
        names = svg(page, panel).locator(".curve-name text").all_text_contents()
        assert sorted(names) == ["forest", "linear"], panel
    page.get_by_role("button", name="forest", exact=True).click()
    assert svg(page, "ROC").locator(".curve-name").count() == 0


def test_isolines_say_what_they_show(open_page, report):
    page = open_page(report)
    said = {
        "ROC": "accuracy = 0.",
        "Precision–recall": "F1 = 0.",
        "Precision–recall gain": "F1 gain = 0.",
    }
    for panel, start in said.items():
        words = svg(page, panel).locator(".words .isoline-label").all_text_contents()
        assert words[0].startswith(start)
        # The value alone only where another line says what it is.
        assert all(word.startswith(start) or word.startswith("0.") for word in words)
    set_number(page, "β", 2)
    words = svg(page, "Precision–recall").locator(".words .isoline-label").all_text_contents()
    assert words[0].startswith("F2 = 0.")
    assert "isoline: equal accuracy, F or F gain" in page.locator(".legend").inner_text()


def test_a_tooltip_follows_the_pointer(open_page, report, two_models):
    page = open_page(report)
    chart = svg(page, "ROC")
    chart.scroll_into_view_if_needed()
    tooltip = page.locator("figure.panel").first.locator(".tooltip")
    assert tooltip.is_hidden()
    box = chart.bounding_box()
    for across in (0.3, 0.9):
        x, y = box["x"] + across * box["width"], box["y"] + 0.4 * box["height"]
        page.mouse.move(x, y)
        at = row(page)
        name = chart.get_attribute("aria-valuetext").split(",")[0]
        pts = two_models[name]
        text = tooltip.inner_text()
        assert text.startswith(f"{name}\nscore ≥ ")
        assert f"tp {pts.tp[at]}, fp {pts.fp[at]}, fn {pts.fn[at]}, tn {pts.tn[at]}" in text
        assert "precision " in text
        assert "recall " in text
        where = tooltip.bounding_box()
        nearest = max(where["x"] - x, x - where["x"] - where["width"])
        assert 0 < nearest < 40
        assert where["x"] + where["width"] < box["x"] + box["width"] + 20
    page.mouse.move(2, 2)
    assert tooltip.is_hidden()
