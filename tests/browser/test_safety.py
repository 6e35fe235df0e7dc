"""Names are data: whatever they say, the page shows it and does not do it."""

import numpy as np
import pandas as pd
import pytest

import isometrics as iso
from isometrics import OperatingPoints
from isometrics.report import report_html, write_report

from .reading import answer, count, give, saved, svg
from .stage import points, sample

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "<!--<script>",
    "</title><svg onload=alert(3)>",
    "'\"><b>bold</b>&amp;",
    "\u202eright to left\u2028\u0000",
    "(everything)x",
    "__proto__",
    "\ud800",
]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    models = {name: points(seed) for seed, name in enumerate(HOSTILE)}
    path = tmp_path_factory.mktemp("hostile") / "hostile.html"
    return write_report(models, path, title=HOSTILE[1] + HOSTILE[3], description=HOSTILE[0])


def test_hostile_names_are_shown_as_text(open_page, hostile):
    page = open_page(hostile)
    assert page.locator("img, b, [onload], [onerror]").count() == 0
    assert page.locator("h1").text_content() == HOSTILE[1] + HOSTILE[3]
    assert page.title() == HOSTILE[1] + HOSTILE[3]
    assert page.locator(".description").text_content() == HOSTILE[0]
    # Models with a colour stand first.
    shown = page.locator(".summary tbody th").all_text_contents()
    assert sorted(text.strip() for text in shown) == sorted(name.strip() for name in HOSTILE)
    # Every place a name goes to: all panels, card, sentences, strip, histogram, tooltips, speech.
    for panel in ("reliability", "cumulative gains", "lift", "net benefit"):
        page.get_by_role("checkbox", name=panel, exact=True).check()
    assert "<img src=x" in "".join(page.locator(".curve-name").all_text_contents())
    svg(page, "ROC").focus()
    for _ in HOSTILE:
        page.keyboard.press("m")
        assert page.locator("img, b, [onload], [onerror]").count() == 0


def test_the_text_of_the_file_has_no_name_as_markup():
    page = report_html({name: points(1, rows=10) for name in HOSTILE})
    for name in HOSTILE[:5]:
        assert name not in page


def test_hostile_labels_of_sets(open_page, tmp_path):
    sets = {name: {1, 2, place + 3} for place, name in enumerate(HOSTILE)}
    found = OperatingPoints.from_sets({1, 2, 3}, sets, universe_size=20)
    page = open_page(write_report({"sets": found}, tmp_path / "sets.html"))
    assert page.locator(".card .rule").text_content() == f"set {HOSTILE[0]}"
    assert page.locator("img").count() == 0


def test_hostile_columns_of_a_file(open_page, start_page, tmp_path):
    path = tmp_path / "<img src=x onerror=alert(4)>.csv"
    frame = pd.DataFrame(
        {"y": [1, 0, 1, 0], HOSTILE[0]: [0.9, 0.8, 0.7, 0.1], HOSTILE[1]: [0.5] * 4}
    )
    frame.to_csv(path, index=False)
    page = open_page(start_page)
    give(page, path)
    assert page.locator("img").count() == 0
    count(page)
    shown = page.locator(".summary tbody th").all_text_contents()
    assert [text.strip() for text in shown] == HOSTILE[:2]
    assert page.locator("h1").text_content() == path.name
    again = open_page(saved(page, "Report (HTML)", tmp_path))
    assert again.locator("img").count() == 0
    assert again.locator("h1").text_content() == path.name


def test_the_policy_forbids_everything_but_the_page_itself(open_page, report):
    page = open_page(report)
    policy = page.locator('meta[http-equiv="Content-Security-Policy"]').get_attribute("content")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["connect-src"] == rules["base-uri"] == "'none'"
    assert rules["script-src"].startswith("'sha256-")
    assert rules["style-src"].startswith("'sha256-")
    assert "unsafe" not in policy
    blocked = page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.broken = true";
            document.body.append(script);
            return window.broken === undefined;
        }"""
    )
    assert blocked
    # The browser says what it refused.
    assert len(page.heard.said) == 1
    page.heard.said.clear()


def test_data_of_another_version_is_refused(open_page, report, tmp_path):
    path = tmp_path / "future.html"
    text = report.read_text(encoding="utf-8")
    path.write_text(text.replace('{"version":2,', '{"version":3,', 1), encoding="utf-8")
    page = open_page(path)
    assert page.locator(".problem").inner_text() == (
        "this page reads reports of version 2, but the data has version 3"
    )


TURNED = "\u202eevil\u2069 model"
LONG = "long " * 100


@pytest.fixture(scope="module")
def odd_names(tmp_path_factory):
    """Return a page of a name that turns the text around it, and of one of 500 letters."""
    labels, scores = sample(1, rows=400)
    rng = np.random.default_rng(3)
    models = {TURNED: scores, LONG: scores + rng.normal(0, 0.1, scores.size)}
    # What is read, in contrast to arrays, is described with its columns.
    analysis = iso.read_predictions(pd.DataFrame({"label": labels, **models}), keep_rows=True)
    path = tmp_path_factory.mktemp("odd") / "odd.html"
    return analysis.report(path, title="Odd names")


def letters(page, selector):
    """Return the lines of an element: of each letter outside of names, how far right it stands."""
    return page.evaluate(
        """(selector) => {
            const element = document.querySelector(selector);
            const lines = new Map();
            const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                if (node.parentElement.closest("bdi")) continue;
                for (let at = 0; at < node.length; at++) {
                    if (!/[a-z]/i.test(node.data[at])) continue;
                    const range = document.createRange();
                    range.setStart(node, at);
                    range.setEnd(node, at + 1);
                    const {left, bottom} = range.getBoundingClientRect();
                    const line = Math.round(bottom);
                    lines.set(line, [...(lines.get(line) ?? []), left]);
                }
            }
            return [...lines.values()];
        }""",
        selector,
    )


@pytest.mark.parametrize(
    "selector", [".description", ".headline .first", "figure.panel .result", ".lower h2"]
)
def test_a_name_does_not_turn_the_sentence_around_it(open_page, odd_names, selector):
    page = open_page(odd_names)
    page.get_by_label(f"Show {LONG}").uncheck()
    answer(page)
    lines = letters(page, selector)
    assert lines
    assert all(line == sorted(line) for line in lines)


def test_long_names_are_cut_in_sentences(open_page, odd_names):
    page = open_page(odd_names)
    page.get_by_label(f"Show {TURNED}").uncheck()
    answer(page)
    short = LONG[:59] + "…"
    assert f"{short} and flag scores of" in page.locator(".headline .first").text_content()
    for selector in (".headline .first", ".card h2", ".lower h2", "figure.panel .result"):
        text = page.locator(selector).first.text_content()
        assert short in text
        assert len(text) < 400
        assert page.locator(f"{selector} bdi").first.get_attribute("title") == LONG
