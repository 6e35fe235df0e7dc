"""Controls: what they set, and that every space follows as Python says."""

from types import SimpleNamespace

import numpy as np
import pytest

import isometrics as iso
from isometrics import OperatingPoints
from isometrics.measures import Measure, register, unregister
from isometrics.report import write_report

from .reading import checkbox, copied, exact, figure, place, row, set_number, svg
from .stage import points


def cell(page, model, name):
    line = page.locator(".summary tbody tr").filter(has_text=model)
    return line.locator(f'[data-value="{name}"]').inner_text()


@pytest.mark.parametrize("prevalence", [0.01, 0.5])
def test_the_prevalence_equals_at_prevalence_at_the_points_shown(
    open_page, report, two_models, prevalence
):
    page = open_page(report)
    set_number(page, "Prevalence", prevalence)
    moved = {name: one.at_prevalence(prevalence) for name, one in two_models.items()}
    svg(page, "ROC").focus()
    for at in (30, 90, 200):
        page.keyboard.press("Home")
        for _ in range(at // 12):
            page.keyboard.press("PageDown")
        shown, right = row(page), moved["forest"]
        assert exact(page, "precision") == pytest.approx(right.precision[shown], rel=1e-12)
        assert exact(page, "precision-gain") == pytest.approx(right.precision_gain[shown], rel=1e-9)
        assert exact(page, "f") == pytest.approx(right.f()[shown], rel=1e-12)
        assert place(page, "Precision–recall") == pytest.approx(
            (right.recall[shown], right.precision[shown]), abs=1e-9
        )
    for name, one in moved.items():
        assert cell(page, name, "AUROC") == f"{one.roc.area():.3f}"
        assert cell(page, name, "AUPR") == f"{one.pr.area():.3f}"
        assert cell(page, name, "AUPRG") == f"{one.prg.area():.3f}".replace("-", "−")
        assert cell(page, name, "f") == f"{iso.best_threshold(one, beta=1).f:.3f}"
    reset = page.get_by_label("Reset the prevalence to that of the data")
    reset.click()
    area = f"{two_models['forest'].pr.area():.3f}"
    assert cell(page, "forest", "AUPR") == area
    # A number out of range is not taken.
    set_number(page, "Prevalence", 2)
    assert cell(page, "forest", "AUPR") == area
    assert reset.is_disabled()
    page.get_by_label("Prevalence", exact=True).focus()
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    assert cell(page, "forest", "AUPR") != area


def test_beta_by_slider_and_number(open_page, report, two_models):
    page = open_page(report)
    for beta in (0.5, 3):
        set_number(page, "β", beta)
        best = iso.best_threshold(two_models["forest"], beta=beta)
        assert cell(page, "forest", "f") == f"{best.f:.3f}"
        assert (
            page.locator(".headline .first")
            .inner_text()
            .startswith(f"On these rows, at β = {beta}, cut ")
        )
    slider = page.get_by_label("Precision or recall", exact=True)
    slider.focus()
    page.keyboard.press("End")
    assert page.get_by_label("β, as a number").input_value() == "10"
    set_number(page, "β", 0)
    assert slider.input_value() == slider.get_attribute("min")
    best = iso.best_threshold(two_models["forest"], beta=0)
    assert cell(page, "forest", "recall").startswith(f"{100 * best.recall:.1f}")


@pytest.mark.parametrize("index", ["kulczynski", "folke", "jaccard", "f-gain", "cost"])
def test_every_index_has_its_tradeoff_curves(open_page, report, two_models, index):
    page = open_page(report)
    page.get_by_label("index", exact=True).select_option(index)
    set_number(page, "β", np.sqrt(0.3 / 0.7))
    panel = svg(page, "Tradeoff")
    panel.scroll_into_view_if_needed()
    box = panel.locator(".plot").bounding_box()
    best = two_models["forest"].tradeoff(index)
    page.mouse.click(box["x"] + 0.3 * box["width"], box["y"] + (1 - best(0.3)) * box["height"])
    lam, value = place(page, "Tradeoff")
    assert value == pytest.approx(best(lam), abs=1e-9)


def test_models_can_be_switched_off(open_page, report):
    page = open_page(report)
    assert svg(page, "ROC").locator(".curve").count() == 2
    page.get_by_label("Show forest").uncheck()
    assert svg(page, "ROC").locator(".curve").count() == 1
    assert "linear" in page.locator(".headline .first").inner_text()
    page.get_by_label("Show linear").uncheck()
    assert page.locator(".headline").inner_text() == "No model is shown."
    page.get_by_label("Show forest").check()
    assert "forest" in page.locator(".headline .first").inner_text()


@pytest.mark.parametrize(
    ("label", "panel", "drawn"),
    [
        ("Show curves", "ROC", ".curve"),
        ("Show hulls", "Precision–recall", ".hull"),
        ("Show isolines", "Precision–recall gain", ".isoline"),
        ("Show baselines", "Tradeoff", ".baseline"),
        ("Show unachievable region", "Precision–recall", ".unachievable"),
    ],
)
def test_what_is_drawn_can_be_chosen(open_page, report, label, panel, drawn):
    page = open_page(report)
    lines = svg(page, panel).locator(drawn)
    assert lines.count() > 0
    dashes = lines.first.evaluate("(line) => getComputedStyle(line).strokeDasharray")
    # Never would a hull be taken for a curve.
    assert (dashes != "none") == (drawn in {".hull", ".baseline"})
    page.get_by_label(label).uncheck()
    assert lines.count() == 0


@pytest.mark.parametrize(
    "interpolation", ["average-precision", "linear", "integer-steps", "max-precision"]
)
def test_each_interpolation_has_its_curve_and_its_area(open_page, tmp_path, interpolation):
    # Distant points, the second of which has a lower precision than the third.
    dented = OperatingPoints.from_counts(
        [4, 5, 12, 20], [0, 20, 24, 200], positives=20, negatives=200
    )
    page = open_page(write_report({"dented": dented}, tmp_path / "dented.html"))
    curve = svg(page, "Precision–recall").locator(".curve")
    before = curve.get_attribute("d")
    page.get_by_label("PR interpolation").select_option(interpolation)
    assert cell(page, "dented", "AUPR") == f"{dented.pr.area(interpolation):.3f}"
    assert interpolation in page.locator("figure.panel .result").nth(1).inner_text()
    assert curve.get_attribute("d") != before


def test_the_other_class(open_page, report, two_models):
    page = open_page(report)
    page.get_by_label("class of interest").select_option("negatives")
    points = two_models["forest"]
    other = OperatingPoints.from_counts(
        points.tn[::-1], points.fn[::-1], positives=points.negatives, negatives=points.positives
    )
    assert cell(page, "forest", "AUROC") == f"{other.roc.area():.3f}"
    assert cell(page, "forest", "AUPR") == f"{other.pr.area():.3f}"
    assert cell(page, "forest", "f") == f"{iso.best_threshold(other).f:.3f}"
    assert "score < " in page.locator(".card .rule").inner_text()
    shown = row(page)
    assert exact(page, "precision") == pytest.approx(other.precision[shown], rel=1e-12)


def test_the_winners_are_those_of_compare(open_page, report, two_models):
    page = open_page(report)
    winners = iso.compare(two_models).winners
    titles = svg(page, "Tradeoff").locator(".winner title").all_text_contents()
    right = [
        f"{' = '.join(names).strip('()')}: λ {lo:.3f} to {hi:.3f}"
        for names, lo, hi in zip(winners.names, winners.lambda_lo, winners.lambda_hi, strict=True)
    ]
    assert titles == right


def test_the_thresholds_are_those_of_optimal_thresholds(open_page, report, two_models):
    page = open_page(report)
    optimal = iso.optimal_thresholds(two_models["forest"])
    lines = page.locator(".thresholds tbody tr")
    assert lines.count() == len(optimal)
    table = copied(page, "Copy the table of thresholds").splitlines()
    numbers = np.array([[float(cell) for cell in line.split("\t")] for line in table[1:]])
    assert numbers[:, 0] == pytest.approx(np.sqrt(optimal.beta_squared_lo), rel=1e-12)
    assert numbers[:, 2].tolist() == optimal.thresholds.tolist()
    assert numbers[:, 3] == pytest.approx(optimal.precision, rel=1e-12)
    lines.nth(3).locator("button.link").click()
    assert two_models["forest"].thresholds[row(page)] == optimal.thresholds[3]
    lines.nth(2).get_by_role("button", name="Copy").click()
    assert float(page.evaluate("navigator.clipboard.readText()")) == optimal.thresholds[2]


def test_the_button_of_the_card_chooses_the_best_row(open_page, report, two_models):
    page = open_page(report)
    points = two_models["forest"]
    svg(page, "ROC").focus()
    page.keyboard.press("End")
    assert points.thresholds[row(page)] == points.thresholds[-1]
    page.get_by_role("button", name="Best for what matters").click()
    assert points.thresholds[row(page)] == iso.best_threshold(points).threshold
    # The model in hand stays when β changes.
    svg(page, "ROC").focus()
    page.keyboard.press("m")
    set_number(page, "β", 3)
    assert page.locator(".card h2").inner_text() == "linear"
    points = two_models["linear"]
    assert points.thresholds[row(page)] == iso.best_threshold(points, beta=3).threshold


def band(space, index=""):
    x = np.linspace(0, 1, 11)
    return SimpleNamespace(
        space=space,
        model="forest",
        kind="pointwise",
        confidence_level=0.9,
        x=x,
        lower=np.clip(x - 0.1, 0, 1),
        upper=np.clip(x + 0.1, 0, 1),
        index=index,
    )


def test_bands_are_drawn_and_can_be_left_out(open_page, two_models, tmp_path):
    bands = [band("roc"), band("tradeoff", "jaccard")]
    page = open_page(write_report(two_models, tmp_path / "bands.html", bands=bands))
    assert svg(page, "ROC").locator(".band title").text_content() == ("forest: 90% band, pointwise")
    assert svg(page, "Tradeoff").locator(".band").count() == 0
    page.get_by_label("index", exact=True).select_option("jaccard")
    assert svg(page, "Tradeoff").locator(".band").count() == 1
    page.get_by_label("Show confidence bands").uncheck()
    assert page.locator(".band").count() == 0


def test_thinned_models_have_limits_at_another_prevalence(open_page, tmp_path):
    many = points(5, rows=30_000)
    page = open_page(write_report({"many": many}, tmp_path / "many.html"))
    assert cell(page, "many", "AUPR") == f"{many.pr.area():.3f}"
    assert "within half a pixel" in page.locator(".summary .note").inner_text()
    set_number(page, "Prevalence", 0.02)
    shown = cell(page, "many", "AUPR").split("–")
    area = many.at_prevalence(0.02).pr.area()
    assert float(shown[0]) - 6e-4 <= area <= float(shown[-1]) + 6e-4
    best = iso.best_threshold(many.at_prevalence(0.02), beta=1)
    assert cell(page, "many", "f") == f"{best.f:.3f}"


def test_rounded_thresholds_are_told(open_page, tmp_path):
    large = OperatingPoints.from_scores([1, 0, 1], [2**53 + 1, 2**60, 1])
    page = open_page(write_report({"large": large}, tmp_path / "large.html"))
    assert "thresholds beyond 2**53 are rounded" in page.locator(".summary .note").inner_text()


def test_models_of_different_prevalence_are_compared_once_one_is_set(open_page, tmp_path):
    models = {"one": points(1), "two": points(2, prevalence=0.5)}
    page = open_page(write_report(models, tmp_path / "different.html"))
    assert "different prevalences" in page.locator(".headline").inner_text()
    assert svg(page, "Tradeoff").locator(".winner").count() == 0
    set_number(page, "Prevalence", 0.3)
    assert svg(page, "Tradeoff").locator(".winner").count() > 0


def test_every_panel_draws_sets_or_says_why_not(open_page, tmp_path):
    sets = {"small": [1, 2, 3], "wrong": [9, 10, 11], "broad": list(range(12))}
    found = OperatingPoints.from_sets({1, 2, 3, 4}, sets, universe_size=40)
    page = open_page(write_report({"clusters": found}, tmp_path / "clusters.html"))
    # They are not nested, so that they have names, and no curve.
    assert svg(page, "ROC").locator(".curve").count() == 0
    assert svg(page, "ROC").locator(".set").count() == 5
    assert page.locator(".card .rule").inner_text() == "set small"
    assert cell(page, "clusters", "AUROC") == "–"
    del sets["wrong"]
    found = OperatingPoints.from_sets({1, 2, 3, 4}, sets, universe_size=40)
    page = open_page(write_report({"one": found, "two": found}, tmp_path / "sets.html"))
    said = page.locator(".headline").inner_text()
    assert "take set small of one" in said
    assert "the precision of this set is" in said
    # The command reads scores, and can say nothing about sets.
    assert "isometrics verdict" not in said
    for name in ("reliability", "net benefit", "cumulative gains", "lift"):
        checkbox(page, name).check()
    for panel, what in (("Reliability", "reliability"), ("Net benefit", "net benefit")):
        shown = figure(page, panel)
        assert shown.locator(".result").inner_text() == f"Sets have no scores, and so no {what}."
        assert not shown.get_by_role("button", name="Zoom to the curves").is_visible()
    for panel in ("Cumulative gains", "Lift"):
        assert figure(page, panel).locator(".curve").count() == 2
    histogram = page.locator(".histogram .result")
    assert histogram.is_visible()
    assert histogram.inner_text() == "Sets have no scores, and so no histogram."


def test_a_term_explains_itself(open_page, report):
    page = open_page(report)
    page.get_by_role("button", name="AUPRG", exact=True).click()
    popover = page.locator(".glossary-popover")
    assert popover.is_visible()
    assert "AUPRG" in popover.inner_text()
    page.keyboard.press("Escape")
    assert not popover.is_visible()


def test_the_theme_can_be_chosen(open_page, report):
    page = open_page(report)
    ground = "getComputedStyle(document.getElementById('isometrics')).backgroundColor"
    light = page.evaluate(ground)
    button = page.get_by_role("button", name="Theme")
    button.click()
    assert page.evaluate(ground) == light
    button.click()
    dark = page.evaluate(ground)
    assert dark != light
    assert page.evaluate("location.hash") == "#theme=dark"
    page.reload()
    assert page.evaluate(ground) == dark
    assert button.inner_text() == "Theme: dark"
    page.get_by_role("button", name="Reset", exact=True).first.click()
    assert page.evaluate(ground) == light


def test_a_registered_measure_has_a_column_of_the_data_as_they_are(open_page, two_models, tmp_path):
    best = register(Measure("best accuracy", lambda points: float(points.accuracy().max())))
    try:
        page = open_page(write_report(two_models, tmp_path / "more.html"))
    finally:
        unregister(best)
    for name, one in two_models.items():
        assert cell(page, name, "best accuracy") == f"{best.of(one):.3f}"
    set_number(page, "Prevalence", 0.5)
    assert cell(page, "forest", "best accuracy") == "–"
