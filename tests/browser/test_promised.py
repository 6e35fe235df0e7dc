"""Tuning data on the page: what thresholds promised there, and what they achieve here."""

import json
import re

import numpy as np
import pytest

import isometrics as iso
from isometrics.report import write_report

from .reading import boxes, checkbox, copied, figure, overlap, set_number

NAMES = {"forest": 1.6, "linear": 1.1}
"""Models, and how far they keep positives and negatives apart."""


def rows(seed, n_rows, prevalence=0.25):
    rng = np.random.default_rng(seed)
    labels = rng.random(n_rows) < prevalence
    scores = {name: rng.normal(shift * labels) for name, shift in NAMES.items()}
    return labels, scores


@pytest.fixture(scope="module")
def tuning():
    return iso.analyse(*rows(1, 300))


@pytest.fixture(scope="module")
def judged():
    return iso.analyse(*rows(2, 900))


@pytest.fixture(scope="module")
def path(tuning, judged, tmp_path_factory):
    path = tmp_path_factory.mktemp("promised") / "promised.html"
    return judged.report(path, title="Promised", thresholds_from=tuning)


def marks(page, which, look):
    """Return the value at which a mark stands."""
    mark = figure(page, "Promised and achieved").locator(f".{which}-mark.model-{look}")
    return float(mark.get_attribute("data-value", timeout=5000))


def headline(page):
    return page.locator(".headline .first").inner_text()


def open_at(open_page, path, fragment):
    page = open_page(path)
    page.goto(path.as_uri() + fragment)
    page.reload()
    return page


def evaluated(tuning, judged, name, beta=1, prevalence=None):
    """Return what `evaluate` says was promised and is achieved, and the whole result."""
    models = [each.models[name] for each in (tuning, judged)]
    if prevalence is not None:
        models = [points.at_prevalence(prevalence) for points in models]
    result = iso.evaluate(thresholds_from=models[0], on=models[1], betas=[beta])
    return result.promised[0, 0], result.achieved[0, 0], result


def assert_marks(page, look, promised, achieved, within=1e-12):
    assert marks(page, "promised", look) == pytest.approx(promised, abs=within)
    assert marks(page, "achieved", look) == pytest.approx(achieved, abs=within)


def test_the_page_begins_with_the_verdict_chosen_on_the_tuning_data(
    open_page, path, tuning, judged
):
    page = open_page(path)
    verdict = judged.verdict(thresholds_from=tuning)
    assert headline(page) == verdict.sentence()
    # The table, the card, the point in the panels and the copied rule have the threshold of the
    # verdict, which is no score of these rows.
    threshold = verdict.threshold
    assert threshold not in judged.models[verdict.model].thresholds
    assert page.locator(".card h2").inner_text() == verdict.model
    assert page.locator(".card .rule").inner_text() == f"score ≥ {threshold!r}"
    shown = page.locator('.summary tr.leader [data-value="best"]').inner_text()
    assert shown == f"score ≥ {verdict.threshold_text}"
    assert json.loads(copied(page, "Copy the rule as JSON"))["threshold"] == threshold
    assert f"{verdict.model} at {shown} finds" in figure(page, "ROC").inner_text()
    flagged = judged.models[verdict.model].at(threshold)
    assert page.locator('.card [data-value="fp"]').inner_text() == f"{flagged.fp[0]:g}"
    assert page.locator(".summary thead").inner_text().count("chosen on the tuning data") == 1


def test_a_picture_shows_what_each_threshold_of_the_tuning_data_achieves(
    open_page, path, tuning, judged
):
    page = open_page(path)
    verdict = judged.verdict(thresholds_from=tuning)
    picture = page.locator(".verdict-picture")
    assert picture.locator("line.interval").count() == 2
    low, high = verdict.interval
    chosen = f"{verdict.expected:.2f} ({low:.2f} to {high:.2f})"
    assert picture.locator(".chosen .numbers").inner_text() == chosen
    said = picture.locator("figcaption").inner_text()
    assert said.endswith("with intervals of 95%; each model at its threshold of the tuning data.")
    # For other settings the page has the values on these rows.
    set_number(page, "β", 2)
    chosen = {name: iso.best_threshold(tuning.models[name], beta=2) for name in NAMES}
    right = {name: judged.models[name].at(chosen[name].threshold).f(2)[0] for name in NAMES}
    shown = {
        row.locator(".who").inner_text(): row.locator(".numbers").inner_text()
        for row in picture.locator(".row:has(.who)").all()
    }
    assert shown == {name: f"{value:.2f}" for name, value in right.items()}


def test_names_of_curves_begin_beside_the_marks(open_page, judged, tmp_path):
    """Thresholds of few other rows have points below the curve of the best ones."""
    tuning = iso.analyse(*rows(0, 60))
    verdict = judged.verdict(thresholds_from=tuning, n_resamples=50)
    path = judged.report(tmp_path / "page.html", thresholds_from=tuning, verdict=verdict)
    page = open_page(path)
    panel = figure(page, "Tradeoff")
    names, marks = boxes(panel, ".curve-name text"), boxes(panel, ".best, circle.point")
    assert len(names) == 2
    for name in names:
        assert not any(overlap(name, mark) for mark in marks)


@pytest.mark.parametrize("beta", [0, 0.5, 1, 2, 7])
def test_promise_and_achievement_are_those_of_evaluate(open_page, path, tuning, judged, beta):
    page = open_page(path)
    set_number(page, "β", beta)
    for look, name in enumerate(NAMES):
        promised, achieved, result = evaluated(tuning, judged, name, beta)
        assert marks(page, "promised", look) == pytest.approx(promised, abs=1e-12)
        if result.achieved[0, 2] > 0 or beta:
            assert marks(page, "achieved", look) == pytest.approx(achieved, abs=1e-12)


def test_other_objectives_are_chosen_on_the_tuning_data_too(open_page, path, tuning, judged):
    for fragment, objective in (
        ("#beta=2", {"beta": 2}),
        ("#matters=money&miss-cost=7", {"miss_cost": 7, "false_alarm_cost": 1}),
        ("#matters=precision&min-precision=0.6", {"min_precision": 0.6}),
        ("#matters=recall&min-recall=0.8", {"min_recall": 0.8}),
        ("#matters=alarms&max-fpr=0.1", {"max_fpr": 0.1}),
        # A budget is a share of the rows, of which the tuning data has a third.
        ("#matters=budget&budget=90", {"budget": 30}),
    ):
        page = open_at(open_page, path, fragment)
        sign = -1 if "miss_cost" in objective else 1
        there = {name: tuning.decision(name, **objective) for name in NAMES}
        model = max(there, key=lambda name: sign * there[name].value)
        here = judged.models[model].at(there[model].threshold)
        said = headline(page)
        assert said.startswith("On the tuning data, ")
        read = re.search(rf"{model} at score ≥ (\S+) is best\.", said)[1]
        assert judged.models[model].at(float(read)).tp[0] == here.tp[0]
        recall = here.tp[0] / here.positives
        assert f"at {100 * recall:.0f}" in said.split("achieves")[1]
        command = page.locator(".headline p").nth(1).inner_text()
        assert "isometrics verdict FILE --thresholds-from TUNING_FILE --" in command
        # The table, the card and the marks have the same rule.
        assert page.locator(".card h2").inner_text() == model
        tp = page.locator('.card [data-value="tp"]').inner_text()
        assert int(re.sub(r"\D", "", tp)) == here.tp[0]


def test_the_table_by_beta_has_the_thresholds_of_the_tuning_data(open_page, path, tuning, judged):
    page = open_page(path)
    table = page.locator("section.thresholds")
    assert table.locator(".shows").inner_text() == (
        "Each row is the cut that the tuning data chooses for every β between the two numbers, "
        "with its precision and recall on these rows."
    )
    name = page.locator(".card h2").inner_text()
    shown = [row.split("\t")[:5] for row in table.locator("tbody tr").all_inner_texts()]
    assert len({cut for _, _, cut, _, _ in shown}) == len(shown) > 5
    for low, high, cut, precision, recall in shown:
        if high == "∞":
            continue
        beta = (float(low) + float(high)) / 2
        chosen = iso.best_threshold(tuning.models[name], beta=beta).threshold
        assert float(cut.removeprefix("score ≥ ")) == pytest.approx(chosen, abs=0.01)
        here = judged.models[name].at(chosen)
        found = 100 * here.tp[0] / here.positives
        assert float(recall.rstrip("%")) == pytest.approx(found, abs=0.6)
        flagged = here.tp[0] + here.fp[0]
        assert float(precision.rstrip("%")) == pytest.approx(100 * here.tp[0] / flagged, abs=0.6)
    # The best one for what matters is marked, and the page says where thresholds come from.
    assert table.locator("tr.here").count() == 1
    assert "Thresholds are chosen on the tuning data;" in page.locator(".summary").inner_text()


def test_the_panel_says_what_to_see_and_why(open_page, path, tuning, judged):
    page = open_page(path)
    panel = figure(page, "Promised and achieved")
    promised, achieved, result = evaluated(tuning, judged, "forest")
    said = panel.locator(".result").inner_text()
    assert f"promised F1 {promised:.3f}" in said
    assert f"it achieves F1 {achieved:.3f}." in said
    assert said.endswith(f"has F1 {result.best[0]:.3f}.")
    panel.locator("summary", has_text="Why?").click()
    panel.locator("math").first.wait_for()
    assert panel.locator("math").count() == 3
    assert "only what they achieve there should be reported" in panel.locator(".why").inner_text()


def test_a_drag_sets_beta_and_takes_the_threshold_of_the_tuning_data(open_page, path, tuning):
    page = open_page(path)
    panel = figure(page, "Promised and achieved").locator("> svg")
    panel.scroll_into_view_if_needed()
    bounds = panel.bounding_box()
    page.mouse.move(bounds["x"] + bounds["width"] * 0.4, bounds["y"] + bounds["height"] * 0.4)
    page.mouse.down()
    page.mouse.move(bounds["x"] + bounds["width"] * 0.8, bounds["y"] + bounds["height"] * 0.4)
    page.mouse.up()
    beta = float(page.get_by_label("β, as a number", exact=True).input_value())
    assert 1.2 < beta < 3
    name = page.locator(".card h2").inner_text()
    shown = float(page.locator(".card .rule").inner_text().removeprefix("score ≥ "))
    chosen = iso.best_threshold(tuning.models[name], beta=beta).threshold
    assert shown >= chosen
    assert shown - chosen < 0.05


def test_prevalence_and_class_reach_the_panel(open_page, path, tuning, judged):
    page = open_page(path)
    set_number(page, "Prevalence", 0.05)
    for look, name in enumerate(NAMES):
        promised, achieved, _ = evaluated(tuning, judged, name, prevalence=0.05)
        assert_marks(page, look, promised, achieved, within=1e-6)
    page = open_page(path)
    page.get_by_label("class of interest").select_option("negatives")
    labels, scores = rows(1, 300)
    others, test_scores = rows(2, 900)
    result = iso.evaluate(
        thresholds_from=iso.OperatingPoints.from_scores(~labels, -scores["forest"]),
        on=iso.OperatingPoints.from_scores(~others, -test_scores["forest"]),
        betas=[1],
    )
    assert marks(page, "promised", 0) == pytest.approx(result.promised[0, 0], abs=1e-12)
    # A threshold between scores flags other rows when it is read from below.
    assert marks(page, "achieved", 0) == pytest.approx(result.achieved[0, 0], abs=0.02)


def test_long_tables_keep_what_can_be_best(open_page, tmp_path):
    tuning, long = iso.analyse(*rows(3, 5000)), iso.analyse(*rows(4, 30000))
    path = write_report(
        long.models, tmp_path / "long.html", thresholds_from=tuning.models, title="Long"
    )
    page = open_page(path)
    for beta in (0.5, 2):
        set_number(page, "β", beta)
        for look, name in enumerate(NAMES):
            assert_marks(page, look, *evaluated(tuning, long, name, beta)[:2])
    # The table has the row with exactly these counts.
    best = iso.best_threshold(tuning.models["forest"], beta=2)
    at = long.models["forest"].at(best.threshold)
    tp = page.locator('.card [data-value="tp"]').inner_text()
    assert int(re.sub(r"\D", "", tp)) == at.tp[0]
    # Under a constraint another row may be best, which the page does not have.
    page = open_at(open_page, path, "#matters=precision&min-precision=0.8")
    assert headline(page).startswith("Of the tuning data this page has the thresholds that are")
    assert "--thresholds-from TUNING_FILE --min-precision 0.8 says." in headline(page)
    assert figure(page, "Promised and achieved").locator(".promised-mark").count() == 0


def test_a_constraint_that_nothing_keeps(open_page, path, tmp_path):
    page = open_at(open_page, path, "#matters=budget&budget=0.001")
    # Flagging nothing keeps every budget.
    assert "at score ≥ ∞ is best." in headline(page)
    tuning = iso.OperatingPoints.from_scores([0, 1, 1, 0], [0.9, 0.8, 0.7, 0.1])
    judged = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    small = write_report({"m": judged}, tmp_path / "m.html", thresholds_from={"m": tuning})
    page = open_at(open_page, small, "#matters=precision&min-precision=1")
    assert headline(page) == "No threshold has precision of 1 on the tuning data; ask for less."


def test_without_tuning_data_the_panel_is_not_offered(open_page, report):
    page = open_page(report)
    assert checkbox(page, "tradeoff").count() == 1
    assert checkbox(page, "promised and achieved").count() == 0
    # An address may ask for what this report does not have.
    page = open_at(open_page, report, "#panels=roc,promised")
    assert page.locator("figure.panel h2").all_inner_texts() == ["ROC"]


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1400, "light")])
def test_axe_finds_nothing(open_page, path, violations, width, scheme):
    page = open_page(path, width=width, scheme=scheme)
    figure(page, "Promised and achieved").locator(".why summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []


def test_classes_have_promises_of_their_own(open_page, tmp_path):
    rng = np.random.default_rng(5)

    def classes(n_rows):
        labels = rng.integers(0, 3, n_rows)
        return iso.analyse(labels, rng.normal(labels[:, None] == np.arange(3), 0.8))

    tuning, others = classes(150), classes(200)
    path = others.report(tmp_path / "classes.html", thresholds_from=tuning)
    page = open_page(path)
    verdicts = others.verdict_by_class(thresholds_from=tuning)
    for look, name in enumerate(others.models):
        assert verdicts[name].threshold_text in page.locator(".headline").inner_text()
        assert_marks(page, look, *evaluated(tuning, others, name)[:2])
