"""The page for everyone: without axe's violations, at every width, in both themes, on paper."""

import numpy as np
import pytest

import isometrics as iso

from .reading import give

WIDTHS = [360, 800, 1400]


@pytest.fixture(scope="module")
def full_report(tmp_path_factory):
    """Write a report with everything a page can show: verdict, groups, bands, nine models."""
    rng = np.random.default_rng(5)
    labels = np.arange(600) < 120
    scores = {f"model {k}": rng.normal((0.6 + 0.15 * k) * labels) for k in range(9)}
    regions = np.where(rng.random(600) < 0.5, "north", "south")
    analysis = iso.analyse(labels, scores, groups=regions)
    path = tmp_path_factory.mktemp("full") / "full.html"
    return analysis.report(
        path, confidence_level=0.9, n_resamples=50, verdict=analysis.verdict(n_resamples=100)
    )


def test_axe_finds_nothing_in_a_report(open_page, full_report, violations):
    page = open_page(full_report)
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    page.locator("button.term").first.click()
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found[width, scheme] = violations(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not any(found.values()), found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_start_page(open_page, start_page, violations, scheme, tmp_path):
    path = tmp_path / "small.csv"
    path.write_text("label,score\n1,0.5\n0,0.25\n")
    page = open_page(start_page, scheme=scheme)
    give(page, path)
    assert violations(page) == []


def test_axe_would_find_something(open_page, report, violations):
    page = open_page(report)
    page.evaluate("document.querySelector('.card').append(document.createElement('button'))")
    assert any("button-name" in one for one in violations(page))


@pytest.mark.parametrize(("width", "columns"), [(360, 1), (800, 2), (1400, 2)])
def test_panels_stand_in_a_square_or_in_a_pile_and_leave_nothing_wider(
    open_page, report, width, columns
):
    page = open_page(report, width=width)
    lefts = {round(panel.bounding_box()["x"]) for panel in page.locator("figure.panel").all()}
    assert len(lefts) == columns
    for summary in page.locator("details.more > summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for name in page.locator(".field .name").all():
        assert name.bounding_box()["height"] < 30


def test_the_first_screen_answers_which_model_which_threshold_how_sure(open_page, report):
    page = open_page(report)
    headline = page.locator(".headline")
    assert headline.locator(".first").bounding_box()["y"] < 200
    said = headline.inner_text()
    assert said.startswith("On these rows, at β = 1, cut forest at score ≥ ")
    assert "forest beats linear for every β" in said
    assert "How sure?" in said
    assert "isometrics verdict FILE --beta 1 says how much less" in said
    box = page.locator(".summary table").bounding_box()
    assert box["y"] + box["height"] < 900


def test_on_paper_there_are_panels_and_no_controls(open_page, report, full_report, tmp_path):
    page = open_page(report, scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    for hidden in (".controls", ".matters", ".tools >> nth=0", ".exports", ".theme"):
        assert not page.locator(hidden).is_visible()
    for shown in (".headline", ".summary table", ".card", ".confusion"):
        assert page.locator(shown).is_visible()
    assert page.locator("figure.panel:visible").count() == 4
    ground = "getComputedStyle(document.getElementById('isometrics')).backgroundColor"
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    paper = tmp_path / "paper.pdf"
    page.pdf(path=str(paper), format="A4")
    assert paper.read_bytes().startswith(b"%PDF")
    page = open_page(full_report, width=720)
    page.emulate_media(media="print")
    assert page.locator(".groups table").is_visible()
    assert page.locator(".groups select:visible, .groups input:visible").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 720


def test_nothing_leaves_its_box_on_a_phone(open_page, full_report):
    page = open_page(full_report, width=360)
    for box in (".controls", ".groups", ".matters", ".typed"):
        right = page.locator(box).evaluate("(box) => box.getBoundingClientRect().right")
        for inside in page.locator(f"{box} :is(button, select, input):visible").all():
            if inside.evaluate("(one) => Boolean(one.closest('.scroll'))"):
                continue
            edge = inside.evaluate("(one) => one.getBoundingClientRect().right")
            assert edge <= right, (box, inside.inner_text())


def test_the_picture_stands_beside_the_details_or_before_them(open_page, full_report):
    page = open_page(full_report)
    places = {}
    for width in (1400, 360):
        page.set_viewport_size({"width": width, "height": 900})
        places[width] = [
            page.locator(name).bounding_box() for name in (".lead", ".details", ".verdict-picture")
        ]
    lead, details, picture = places[1400]
    assert lead["y"] < details["y"] < picture["y"] + picture["height"]
    assert details["x"] + details["width"] <= picture["x"]
    lead, details, picture = places[360]
    assert lead["y"] < picture["y"] < details["y"]
    # Nothing was typed, so nothing is said about it.
    assert not page.locator(".typed table").is_visible()
