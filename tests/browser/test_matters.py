"""One control says what matters, and the answer, its picture and the table follow."""

import json
import re

import numpy as np
import pytest

import isometrics as iso
from isometrics.analysis.verdicts import JUDGED_BETAS, verdicts_by_beta
from isometrics.report import report_html
from isometrics.report.html import page_of
from isometrics.report.model import report_model

from .reading import answer, copied, figure, set_number
from .stage import sample


@pytest.fixture(scope="module")
def analysis():
    labels, scores = sample(1)
    rng = np.random.default_rng(7)
    models = {"forest": scores, "linear": rng.normal(0.9 * labels), "coin": rng.random(600)}
    return iso.analyse(labels, models)


@pytest.fixture(scope="module")
def path(analysis, tmp_path_factory):
    folder = tmp_path_factory.mktemp("matters")
    return analysis.report(folder / "page.html", verdict=analysis.verdict(n_resamples=200))


def ask(page, goal, **numbers):
    page.get_by_label("What matters", exact=True).select_option(goal)
    for label, number in numbers.items():
        box = page.get_by_label(label.replace("_", " "), exact=True)
        box.fill(str(number))
        box.press("Enter")


def assert_all_say(page, verdict):
    """Check that the card, the table, the panels and the copied rule have the rule of a verdict."""
    rule = f"score ≥ {verdict.threshold_text}"
    assert page.locator(".card h2").inner_text() == verdict.model
    assert page.locator(".card .rule").inner_text() == rule
    leader = page.locator(".summary tr.leader")
    assert leader.locator("th button").inner_text() == verdict.model
    assert leader.locator('[data-value="best"]').inner_text() == rule
    assert "chosen" in page.locator(".summary thead").inner_text()
    assert f"{verdict.model} at {rule} finds" in figure(page, "ROC").inner_text()
    assert json.loads(copied(page, "Copy the rule as JSON"))["threshold"] == verdict.threshold
    shown = page.locator('.card [data-value="tp"]').inner_text()
    assert int(re.sub(r"\D", "", shown)) == verdict.decision.tp


def test_every_goal_has_its_verdict_and_its_rule(open_page, path, analysis):
    page = open_page(path)
    for goal, numbers, asked in (
        ("f", {"β,_as_a_number": 2}, {"beta": 2}),
        (
            "money",
            {"A_miss_costs": 50, "A_false_alarm_costs": 2},
            {"miss_cost": 50, "false_alarm_cost": 2},
        ),
        ("precision", {"Precision_at_least": 0.6}, {"min_precision": 0.6}),
        ("recall", {"Recall_at_least": 0.8}, {"min_recall": 0.8}),
        ("alarms", {"False_positive_rate_at_most": 0.05}, {"max_fpr": 0.05}),
        ("specificity", {"Specificity_at_least": 0.9}, {"min_specificity": 0.9}),
        ("budget", {"Alarms_at_most": 60}, {"budget": 60}),
    ):
        ask(page, goal, **numbers)
        right = analysis.verdict(**asked)
        told = answer(page)
        # Model, threshold and the value on these rows do not depend on the draws.
        assert told[0].split(". ")[0] == right.sentence().split(". ")[0], goal
        assert told[0].partition("; ")[2][:8] == right.sentence().partition("; ")[2][:8]
        assert any("one of 5 parts, 8 times, and outside" in line for line in told)
        assert_all_say(page, right)
        assert page.locator(".verdict-picture .row.chosen").inner_text().startswith("forest")


def test_a_picture_shows_models_with_intervals_and_flagging_everything(open_page, path):
    page = open_page(path)
    picture = page.locator(".verdict-picture")
    assert picture.locator(".who").all_inner_texts() == ["forest", "linear", "coin"]
    assert picture.locator("line.interval").count() == 3
    assert "flag everything" in picture.locator(".axis").text_content()
    numbers = picture.locator(".numbers").first.inner_text()
    sentence = answer(page)[0]
    expected, low, high = re.findall(r"\d\.\d+", numbers)
    assert f"Expect F1 {expected} on new data (95%: {low} to {high};" in sentence


def test_hidden_models_do_not_speak(open_page, path, analysis):
    page = open_page(path)
    page.get_by_label("Show forest").uncheck()
    told = answer(page)
    assert told[0].startswith("Use linear and flag scores of ")
    assert not any("forest" in line for line in told)
    assert page.locator(".verdict-picture .who").all_inner_texts() == ["linear", "coin"]
    page.get_by_label("Show forest").check()
    assert answer(page) == analysis.verdict(n_resamples=200).lines()


def test_the_answer_is_never_that_of_other_settings(open_page, path):
    page = open_page(path)
    set_number(page, "β", 3)
    first = page.locator(".headline p").first.inner_text()
    assert first.startswith(("On these rows, at β = 3, ", "Use forest and flag"))
    assert "Expect F3 " in answer(page)[0]


def test_alarms_of_a_day(open_page, path, analysis):
    page = open_page(path)
    ask(page, "budget", Items=10_000, Alarms_at_most=500)
    right = analysis.verdict(budget=30)
    assert answer(page)[0].split(". ")[0] == right.sentence().split(". ")[0]
    assert "That is 5% of all items." in page.locator(".matters").inner_text()
    # What no threshold keeps is said.
    ask(page, "precision", Precision_at_least=1)
    page.get_by_label("Show forest").uncheck()
    page.get_by_label("Show linear").uncheck()
    assert answer(page)[0] == "No threshold of any model has precision of 1; ask for less."


def test_a_page_without_rows_has_a_picture_of_these_rows_and_names_the_command(
    open_page, analysis, tmp_path
):
    path = tmp_path / "page.html"
    path.write_text(page_of(report_model(analysis.models)), encoding="utf-8")
    page = open_page(path)
    picture = page.locator(".verdict-picture")
    assert picture.locator(".row.chosen").inner_text().startswith("forest")
    best = {name: float(table.f()[1:].max()) for name, table in analysis.models.items()}
    shown = [float(text) for text in picture.locator(".numbers").all_inner_texts()]
    assert shown == sorted((round(value, 2) for value in best.values()), reverse=True)
    assert picture.locator("line.interval").count() == 0
    said = "F1 on these rows; each model at its own best threshold."
    assert picture.locator("figcaption").inner_text() == said
    everything = float(analysis.models["forest"].f()[-1])
    assert picture.locator(".axis").text_content() == f"flag everything {everything:.2f}"
    ask(page, "money", A_miss_costs=50)
    told = answer(page)
    assert told[0].startswith("On these rows, where a miss costs 50 and a false alarm 1, cut ")
    assert "isometrics verdict FILE --miss-cost 50 --false-alarm-cost 1 says" in told[-1]
    assert picture.locator(".axis").text_content().startswith("flag everything")
    assert "cost per 1,000 items" in picture.locator("figcaption").inner_text().lower()
    ask(page, "precision", Precision_at_least=0.9)
    assert picture.locator(".axis").text_content() == ""
    page.get_by_label("Show coin").uncheck()
    assert "FILE --scores forest linear --min-precision 0.9 says" in answer(page)[-1]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Return an analysis of more rows than a page has, its report, and its verdicts by β."""
    rng = np.random.default_rng(9)
    labels = rng.random(7000) < 0.2
    models = {f"m{k}": rng.normal((0.5 + k / 2) * labels) for k in range(3)}
    analysis = iso.analyse(labels, models)
    verdicts = verdicts_by_beta(analysis, {"n_resamples": 100})
    path = tmp_path_factory.mktemp("stored") / "page.html"
    page = report_html(
        analysis.models, verdict=verdicts[20], rows=analysis.rows, other_verdicts=verdicts
    )
    path.write_text(page, encoding="utf-8")
    return analysis, path, verdicts


def test_a_page_of_many_rows_shows_what_python_stored(open_page, stored):
    analysis, path, verdicts = stored
    page = open_page(path)
    command = "isometrics verdict FILE --beta {} draws 2,000."
    drawn = f"From 100 resamples; {command}"
    assert answer(page) == [*verdicts[20].lines(), drawn.format(1)]
    slider = page.get_by_label("Precision or recall", exact=True)
    for place in (0, 8, 27, 32, 39, 40):
        # The slider stops where verdicts are, and nowhere else.
        slider.fill(str(place))
        beta = JUDGED_BETAS[place]
        box = page.get_by_label("β, as a number", exact=True)
        # A box for numbers cannot hold an infinite one.
        shown = (f"{beta:g}", "") if beta < np.inf else ("", "∞")
        assert (box.input_value(), box.get_attribute("placeholder") or "") == shown
        right = analysis.verdict(beta=beta, n_resamples=100)
        assert answer(page) == [*right.lines(), drawn.format(f"{beta:g}")]
        assert page.locator(".verdict-picture .row.chosen").inner_text().startswith(right.model)
        assert page.locator(".card h2").inner_text() == right.model
        assert page.locator(".card .rule").inner_text() == f"score ≥ {right.threshold_text}"
    # The last one is kept in the address, and with it the verdict.
    assert "recall alone counts" in page.locator(".matters").inner_text()
    page.wait_for_url(lambda address: "beta=inf" in address)
    page.reload()
    assert answer(page) == [*right.lines(), drawn.format("inf")]
    assert (
        "The slider stops at 41 β whose verdicts are stored."
        in page.locator(".matters").inner_text()
    )


def test_what_is_not_stored_is_answered_by_the_command(open_page, stored):
    _, path, verdicts = stored
    page = open_page(path)
    set_number(page, "β", 2.5)
    told = answer(page)
    assert told[0].startswith("On these rows, at β = 2.5, cut ")
    assert "isometrics verdict FILE --beta 2.5 says how much less" in told[-1]
    # A number that was stored is read, however it is set.
    set_number(page, "β", 2)
    assert answer(page)[:-1] == verdicts[32].lines()
    page.get_by_label("Show m0").uncheck()
    assert "--scores m1 m2 --beta 2 says" in answer(page)[-1]
    page.get_by_label("Show m0").check()
    ask(page, "money", A_miss_costs=50)
    assert "isometrics verdict FILE --miss-cost 50" in answer(page)[-1]


def test_an_objective_of_python_alone_has_its_name(open_page, analysis, tmp_path):
    verdict = analysis.verdict(beta=2, min_precision=0.3, n_resamples=50)
    page = open_page(analysis.report(tmp_path / "page.html", verdict=verdict))
    assert answer(page) == verdict.lines()
    goal = page.get_by_label("What matters", exact=True)
    assert goal.locator("option:checked").inner_text() == str(verdict.objective)
    goal.select_option("f")
    assert "Expect F1" in answer(page)[0]


def test_one_model_without_python_has_a_verdict(open_page, tmp_path):
    labels, scores = sample(3)
    points = iso.OperatingPoints.from_scores(labels, scores)
    path = tmp_path / "page.html"
    path.write_text(page_of(report_model({"only": points})), encoding="utf-8")
    page = open_page(path)
    right = iso.analyse(labels, {"only": scores}).verdict()
    assert answer(page)[0].split(". ")[0] == right.sentence().split(". ")[0]
