"""The page begins with the verdict, and says what it is about."""

import re

import numpy as np
import pytest

import isometrics as iso
from isometrics.report.html import page_of
from isometrics.report.model import report_model

from .reading import answer, set_number
from .stage import sample


@pytest.fixture(scope="module")
def analysis():
    labels, scores = sample(1)
    rng = np.random.default_rng(7)
    return iso.analyse(labels, {"forest": scores, "linear": rng.normal(0.9 * labels)})


def test_the_headline_is_the_verdict_in_all_its_lines(open_page, analysis, tmp_path):
    page = open_page(analysis.report(tmp_path / "page.html"))
    assert answer(page) == analysis.verdict().lines()
    assert page.locator(".headline .first").inner_text().startswith("Use forest and flag scores")


def test_models_of_noise_are_not_recommended(open_page, tmp_path):
    rng = np.random.default_rng(0)
    labels = rng.random(500) < 0.3
    coins = iso.analyse(labels, {f"coin{place}": rng.random(500) for place in range(3)})
    page = open_page(coins.report(tmp_path / "page.html"))
    first = page.locator(".headline .first").inner_text()
    assert first.startswith("No model is better than flagging everything, beyond chance")


def test_flagging_everything_is_not_recommended(open_page, tmp_path):
    """Of three tied values the best cut for F2 is the lowest one, which tells nothing apart."""
    rows = np.arange(600)
    analysis = iso.analyse(rows % 4 == 0, {"grades": (rows * 7 % 3) / 2})
    page = open_page(analysis.report(tmp_path / "page.html"))
    for beta in (1, 2):
        set_number(page, "β", beta)
        first = answer(page)[0]
        assert first.startswith("This model is not better than flagging everything")
        assert "flag scores of" not in first


def test_other_settings_are_not_the_verdicts(open_page, analysis, tmp_path):
    """Tables of long files have no rows on the page, which names the command then."""
    verdict = analysis.verdict(n_resamples=50)
    data = report_model(analysis.models, verdict=verdict)
    path = tmp_path / "page.html"
    path.write_text(page_of(data), encoding="utf-8")
    page = open_page(path)
    assert answer(page) == verdict.lines()
    set_number(page, "β", 2)
    assert answer(page)[0].startswith("On these rows, at β = 2, cut forest")
    assert "isometrics verdict FILE --beta 2 says how much less" in answer(page)[-1]
    set_number(page, "β", 1)
    assert answer(page) == verdict.lines()
    for change, undo, option in (
        (
            lambda: page.get_by_label("Show linear").uncheck(),
            page.get_by_label("Show linear").check,
            "--scores forest --beta 1",
        ),
        (
            lambda: set_number(page, "Prevalence", 0.5),
            page.get_by_role("button", name="Reset the prevalence").click,
            "--beta 1 --prevalence 0.5",
        ),
    ):
        change()
        assert answer(page)[0].startswith("On these rows, at β = 1, cut")
        assert f"isometrics verdict FILE {option} says" in answer(page)[-1]
        undo()
        assert answer(page) == verdict.lines()
    page.get_by_label("class of interest").select_option("negatives")
    assert answer(page)[0].startswith("On these rows, at β = 1, cut")


def test_the_page_begins_at_the_beta_of_its_verdict(open_page, analysis, tmp_path):
    verdict = analysis.verdict(beta=2, n_resamples=50)
    page = open_page(analysis.report(tmp_path / "page.html", verdict=verdict))
    assert page.get_by_label("β, as a number").input_value() == "2"
    assert answer(page) == verdict.lines()
    constrained = analysis.verdict(min_precision=0.5, n_resamples=50)
    page = open_page(analysis.report(tmp_path / "other.html", verdict=constrained))
    assert answer(page) == constrained.lines()


def test_each_class_has_its_verdict(open_page, analysis, tmp_path):
    verdicts = {name: analysis.verdict(n_resamples=50) for name in ("cat", "<b>dog</b>")}
    page = open_page(analysis.report(tmp_path / "page.html", verdict=verdicts))
    first = analysis.verdict(n_resamples=50).sentence()
    assert [line for line in answer(page) if first in line] == [
        f"cat: {first}",
        f"<b>dog</b>: {first}",
    ]


def test_the_highest_number_of_each_column_is_bold(open_page, tmp_path):
    labels = np.array([1] * 20 + [0] * 80)
    # The first has the better top of the ranking, the second the better whole.
    early = np.where(np.arange(100) < 12, 200.0, np.where(labels, -1.0, np.arange(100.0)))
    late = np.where(labels, 70.0, np.arange(100.0)) + np.arange(100) / 1000
    analysis = iso.analyse(labels, {"early": early, "late": late})
    page = open_page(analysis.report(tmp_path / "page.html"))
    areas = {name: points.roc.area() for name, points in analysis.models.items()}
    assert areas["early"] < areas["late"]

    def is_bold(model, column):
        row = page.locator(".summary tbody tr", has=page.get_by_label(f"Show {model}"))
        weight = "cell => Number(getComputedStyle(cell).fontWeight) > 500"
        return row.locator(f"td[data-value='{column}']").evaluate(weight)

    assert is_bold("late", "AUROC")
    assert not is_bold("early", "AUROC")
    assert is_bold("early", "f")
    assert not is_bold("late", "f")
    page.get_by_label("Show late").uncheck()
    assert not is_bold("early", "f")
    assert not is_bold("late", "AUROC")


def test_shown_thresholds_flag_the_rows_beside_them(open_page, tmp_path):
    """Also of a table that is too long to be on the page row by row."""
    rng = np.random.default_rng(3)
    labels = rng.random(30_000) < 0.1
    scores = 1 - 10.0 ** -(rng.normal(size=30_000) + labels + 6)
    page = open_page(iso.analyse(labels, {"close": scores}).report(tmp_path / "page.html"))
    for beta in (0.5, 1, 3):
        set_number(page, "β", beta)
        rows = page.locator(".thresholds tbody tr.here")
        text = rows.locator("button.link").inner_text()
        assert text.startswith("score ≥ ")
        shown = text.removeprefix("score ≥ ")
        assert len(shown) < 18
        best = iso.best_threshold(iso.OperatingPoints.from_scores(labels, scores), beta=beta)
        assert np.array_equal(scores >= float(shown), scores >= best.threshold)
        # The table of models has the rule that its verdict chose.
        cut = page.locator(".summary td[data-value='best']").inner_text()
        flagged = scores >= float(cut.removeprefix("score ≥ "))
        found = page.locator(".card [data-value='tp']").inner_text()
        assert int(re.sub(r"\D", "", found)) == np.count_nonzero(labels & flagged)
