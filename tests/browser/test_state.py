"""Settings stay: over reload, back and forward, in a link, in a saved report; and can be undone."""

from urllib.parse import parse_qsl

import pytest

import isometrics as iso
from isometrics.report import write_report

from .reading import copied, count, give, row, saved, set_number, svg
from .stage import points, settle


def fragment(page):
    """Return the settings in the address."""
    return dict(parse_qsl(page.evaluate("location.hash.slice(1)"), keep_blank_values=True))


def steps(page):
    return page.evaluate("history.length")


def rest(page):
    """Wait until a change would be a step of its own."""
    page.wait_for_timeout(750)


def zoom_in(page, panel):
    name = f"Zoom in (or Ctrl and the wheel; Shift and drag moves): {panel}"
    page.get_by_label(name, exact=True).click()


def axes(page, panel):
    return svg(page, panel).locator(".axis").all_text_contents()


def change_everything(page):
    """Set something of every kind."""
    page.get_by_label("index", exact=True).select_option("jaccard")
    page.get_by_label("PR interpolation").select_option("linear")
    page.get_by_label("Show hulls").uncheck()
    page.get_by_label("Show linear", exact=True).uncheck()
    set_number(page, "β", 0.5)
    set_number(page, "Prevalence", 0.01)
    zoom_in(page, "ROC")
    zoom_in(page, "Precision–recall")
    svg(page, "ROC").focus()
    page.keyboard.press("PageDown")
    page.mouse.move(0, 0)
    # What follows so soon on the last step is written a little later.
    rest(page)


def shown(page):
    """Return what a reader sees of the settings."""
    return {
        "index": page.get_by_label("index", exact=True).input_value(),
        "interpolation": page.get_by_label("PR interpolation").input_value(),
        "hulls": svg(page, "ROC").locator(".hull").count(),
        "linear": page.get_by_label("Show linear", exact=True).is_checked(),
        "β": page.get_by_label("β, as a number", exact=True).input_value(),
        "prevalence": page.get_by_label("Prevalence, as a number").input_value(),
        "row": row(page),
        "rule": page.locator(".card .rule").inner_text(),
        "ROC": axes(page, "ROC"),
        "PR": axes(page, "Precision–recall"),
        "PRG": axes(page, "Precision–recall gain"),
    }


def test_a_reload_a_link_and_saved_reports_keep_everything(open_page, report, tmp_path):
    page = open_page(report)
    first = shown(page)
    change_everything(page)
    before = shown(page)
    assert all(before[name] != first[name] for name in before if name != "PRG")
    path = tmp_path / "saved by the browser.html"
    path.write_text(page.content(), encoding="utf-8")
    page.reload()
    assert shown(page) == before
    other = open_page(report, width=900)
    other.goto(page.evaluate("location.href"))
    other.reload()
    assert shown(other) == before
    by_page = open_page(saved(page, "Report (HTML)", tmp_path))
    assert shown(by_page) == before
    assert fragment(by_page) == {}
    # To return to the first settings is a change of a saved report, and stays.
    by_page.get_by_role("button", name="Reset", exact=True).click()
    assert shown(by_page) == first
    by_page.reload()
    assert shown(by_page) == first
    by_browser = open_page(path)
    assert shown(by_browser) == before
    # What was drawn is not saved a second time.
    again = saved(by_browser, "Report (HTML)", tmp_path).read_text(encoding="utf-8")
    assert "<svg" not in again.split("<script")[0]


def test_back_and_forward_go_through_the_steps(open_page, report):
    page = open_page(report)
    seen = [shown(page)]
    for beta in (2, 0.5):
        set_number(page, "β", beta)
        rest(page)
        seen.append(shown(page))
    page.get_by_label("Show linear", exact=True).uncheck()
    seen.append(shown(page))
    for expected in seen[-2::-1]:
        page.go_back()
        assert shown(page) == expected
    assert fragment(page) == {}
    for expected in seen[1:]:
        page.go_forward()
        assert shown(page) == expected


def test_a_drag_is_one_step(open_page, report):
    page = open_page(report)
    before, start = steps(page), shown(page)
    slider = page.get_by_label("Precision or recall", exact=True)
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    for place in range(40):
        page.mouse.move(box["x"] + box["width"] / 2 + place, y)
        if place == 20:
            rest(page)
    page.mouse.up()
    rest(page)
    end = shown(page)
    assert end != start
    assert steps(page) == before + 1
    assert fragment(page)["beta"] == page.get_by_label("β, as a number").input_value()
    # So is one along a curve, and many presses of a key.
    x, y = (svg(page, "ROC").bounding_box()[name] + 150 for name in "xy")
    page.mouse.move(x, y)
    page.mouse.down()
    for place in range(30):
        page.mouse.move(x + 3 * place, y)
    page.mouse.up()
    page.mouse.move(0, 0)
    rest(page)
    assert steps(page) == before + 2
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert steps(page) == before + 3
    page.go_back()
    page.go_back()
    assert shown(page) == end


def test_steps_are_undone_and_done_again(open_page, report):
    page = open_page(report)
    undo, redo, reset = (
        page.get_by_role("button", name=name, exact=True) for name in ("Undo", "Redo", "Reset")
    )
    assert all(button.is_disabled() for button in (undo, redo, reset))
    seen = [shown(page)]
    page.get_by_label("Show hulls").uncheck()
    seen.append(shown(page))
    zoom_in(page, "ROC")
    seen.append(shown(page))
    undo.click()
    assert shown(page) == seen[1]
    page.keyboard.press("Control+z")
    assert shown(page) == seen[0]
    assert undo.is_disabled()
    page.keyboard.press("Control+Shift+Z")
    assert shown(page) == seen[1]
    redo.click()
    assert shown(page) == seen[2]
    assert redo.is_disabled()
    reset.click()
    assert shown(page) == seen[0]
    assert reset.is_disabled()
    undo.click()
    assert shown(page) == seen[2]
    # Text boxes undo their own text.
    page.get_by_label("β, as a number", exact=True).focus()
    page.keyboard.press("Control+z")
    assert shown(page) == seen[2]
    # A step to the side takes what was undone away.
    undo.click()
    page.get_by_label("Show baselines").uncheck()
    assert redo.is_disabled()


def test_what_an_address_cannot_mean_is_ignored(open_page, report):
    text = "beta=oops&point=forest@row99999999&hide=<img src=x onerror=alert(1)>&zoom=ROC:1e99,0,0"
    page = open_page(report)
    before = shown(page)
    page.evaluate("(text) => (location.hash = text)", text)
    settle(page)
    assert shown(page) == before
    page.reload()
    assert shown(page) == before
    page.evaluate("(text) => (location.hash = text + '&beta=2')", text)
    settle(page)
    assert page.get_by_label("β, as a number", exact=True).input_value() == "2"


def test_a_link_to_a_report_of_other_models_keeps_what_it_can(open_page, report, tmp_path):
    page = open_page(report)
    change_everything(page)
    text = page.evaluate("location.hash")
    other = open_page(write_report({"new": points(3)}, tmp_path / "other.html"))
    other.evaluate("(text) => (location.hash = text)", text)
    settle(other)
    assert other.get_by_label("β, as a number", exact=True).input_value() == "0.5"
    assert other.locator(".card h2").inner_text() == "new"


def test_in_a_frame_the_page_around_keeps_its_steps(context, report, tmp_path):
    around = tmp_path / "around.html"
    around.write_text(f'<title>around</title><iframe src="{report.as_uri()}"></iframe>')
    page = context.new_page()
    page.goto(around.as_uri())
    before = steps(page)
    frame = page.frame_locator("iframe")
    frame.get_by_label("Show hulls").uncheck()
    assert frame.get_by_role("button", name="Undo", exact=True).is_enabled()
    assert steps(page) == before
    page.close()


def test_a_dropped_file_begins_anew(open_page, start_page, tmp_path):
    path = tmp_path / "small.csv"
    path.write_text("label,score\n1,0.9\n0,0.5\n1,0.4\n0,0.1\n")
    page = open_page(start_page)
    for beta in ("1", "2"):
        give(page, path)
        count(page)
        settle(page)
        assert fragment(page) == {}
        assert page.get_by_label("β, as a number", exact=True).input_value() == "1"
        set_number(page, "β", beta)
    assert fragment(page) == {"beta": "2"}
    again = open_page(saved(page, "Report (HTML)", tmp_path))
    assert again.get_by_label("β, as a number", exact=True).input_value() == "2"


# ---------------------------------------------------------------------- a threshold of one's own


def type_threshold(page, text):
    box = page.get_by_label("A threshold of your own")
    box.fill(text)
    box.press("Enter")


def typed(page, name):
    """Return a number of the typed threshold with all its digits, or both limits."""
    value = page.locator(f'[data-typed="{name}"]').get_attribute("data-exact")
    return [float(number) for number in value.split()]


@pytest.mark.parametrize("threshold", ["0.5", "-1.25e0", "0,75", "1e300", "-inf", "−2"])
def test_a_typed_threshold_has_the_counts_of_applying_it(open_page, report, two_models, threshold):
    page = open_page(report)
    type_threshold(page, threshold)
    number = float(threshold.replace(",", ".").replace("−", "-"))
    forest = two_models["forest"]
    right = forest.at([number])
    for name in ("tp", "fp", "fn", "tn", "precision", "recall"):
        assert typed(page, name) == pytest.approx([getattr(right, name)[0]], nan_ok=True), name
    assert typed(page, "f") == pytest.approx(right.f(1.0).tolist(), nan_ok=True)
    best = iso.best_threshold(forest)
    assert page.locator('[data-best="tp"]').inner_text() == str(best.tp)
    heads = page.locator(".typed thead th").all_text_contents()
    assert heads[0] == f"score ≥ {fragment(page)['threshold']}"
    assert heads[1].startswith("best: score ≥ ")
    # The panels show the same point.
    assert forest.tp[row(page)] == right.tp[0]
    assert forest.fp[row(page)] == right.fp[0]


def test_a_typed_threshold_stays_until_it_is_cleared(open_page, report):
    page = open_page(report)
    type_threshold(page, "0.5")
    page.reload()
    assert page.get_by_label("A threshold of your own").input_value() == "0.5"
    assert page.locator(".typed table").is_visible()
    page.get_by_label("class of interest").select_option("negatives")
    assert page.locator(".typed thead th").first.inner_text() == "score < 0.5"
    page.get_by_label("Clear your threshold").click()
    assert not page.locator(".typed table").is_visible()
    page.keyboard.press("Control+z")
    assert page.get_by_label("A threshold of your own").input_value() == "0.5"
    page.keyboard.press("Control+Shift+Z")
    assert page.get_by_label("A threshold of your own").input_value() == ""


def test_what_is_no_number_is_refused_in_a_sentence(open_page, report):
    page = open_page(report)
    for text in ("", "half", "0.5.5", "1e", "<b>"):
        type_threshold(page, text)
        assert page.locator(".typed .problem").inner_text().startswith("This is not a number")
        assert not page.locator(".typed table").is_visible()
    type_threshold(page, "0.5")
    assert page.locator(".typed .problem").inner_text() == ""


def test_the_rule_of_a_typed_threshold_is_copied_with_that_number(
    open_page, report, two_models, tmp_path
):
    page = open_page(report)
    type_threshold(page, "0.5")
    start = "Copy the rule of your threshold as"
    path = tmp_path / "rule.json"
    path.write_text(copied(page, f"{start} JSON"), encoding="utf-8")
    decision = iso.load_decision(path)
    right = two_models["forest"].at([0.5])
    assert decision.threshold == 0.5
    assert (decision.tp, decision.fp) == (right.tp[0], right.fp[0])
    assert decision.objective == "chosen by hand"
    assert "CAST('0.5' AS DOUBLE PRECISION)" in copied(page, f"{start} SQL")
    assert copied(page, f"{start} Python") == 'flagged = new_scores["forest"] >= 0.5\n'


def test_limits_are_given_where_rows_were_left_out(open_page, tmp_path):
    many = points(5, rows=30_000)
    page = open_page(write_report({"many": many}, tmp_path / "many.html"))
    below = set()
    for threshold in (0.5, 0.9, 1.1, 1.3):
        type_threshold(page, str(threshold))
        right = many.at([threshold])
        for name in ("tp", "fp", "fn", "tn", "precision", "recall"):
            limits = typed(page, name)
            below.add(len(limits))
            assert limits[0] - 1e-12 <= getattr(right, name)[0] <= limits[-1] + 1e-12
        between = len(typed(page, "tp")) + len(typed(page, "fp")) > 2
        assert page.get_by_label("Copy the rule of your threshold as JSON").is_visible() != between
        assert page.get_by_label("Copy the rule of your threshold as SQL").is_visible()
        said = page.locator(".typed .note").inner_text()
        command = f"isometrics thresholds FILE --threshold {threshold} counts them"
        assert (command in said) == between
    assert below == {1, 2}


# ---------------------------------------------------------------------- keys, sorting, paper


@pytest.fixture(scope="module")
def three_models(tmp_path_factory):
    models = {"b10": points(1, shift=1.2), "b9": points(2, shift=2.0), "a": points(3, shift=0.5)}
    path = tmp_path_factory.mktemp("three") / "three.html"
    return write_report(models, path, title="Three"), models


def names(page):
    return [text.strip() for text in page.locator(".summary tbody th").all_text_contents()]


def test_the_table_is_sorted_by_its_heads(open_page, three_models):
    path, models = three_models
    page = open_page(path)
    first = names(page)
    assert first == list(models)
    area = page.get_by_role("button", name="Sort by AUROC", exact=True)
    head = area.locator("xpath=..")
    by_area = sorted(models, key=lambda name: -models[name].roc.area())
    for expected, order in (
        (by_area, "descending"),
        (by_area[::-1], "ascending"),
        (first, None),
    ):
        area.click()
        assert names(page) == expected
        assert head.get_attribute("aria-sort") == order
    # With keys; names are sorted as people do, and stay so.
    rest(page)
    page.get_by_role("button", name="Sort by name", exact=True).focus()
    page.keyboard.press("Enter")
    assert names(page) == ["a", "b9", "b10"]
    page.reload()
    assert names(page) == ["a", "b9", "b10"]
    # Anywhere on a head, but not on the word that explains itself.
    page.locator(".summary thead th").nth(1).click(position={"x": 3, "y": 3})
    assert names(page) == by_area
    page.locator(".summary thead").get_by_role("button", name="AUPR", exact=True).click()
    assert names(page) == by_area
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Sort by best threshold").click()
    best = {name: iso.best_threshold(one).threshold for name, one in models.items()}
    assert names(page) == sorted(models, key=lambda name: -best[name])


def test_the_keys_are_listed_under_a_question_mark(open_page, report):
    page = open_page(report)
    dialog = page.get_by_role("dialog", name="Keys")
    assert dialog.count() == 0
    page.keyboard.press("?")
    assert "Ctrl+Z" in dialog.inner_text()
    page.keyboard.press("?")
    page.keyboard.press("Escape")
    assert dialog.count() == 0
    page.get_by_role("button", name="Keys (?)").click()
    assert dialog.is_visible()
    dialog.get_by_role("button", name="Close").click()
    assert dialog.count() == 0
    # In a text box a question mark is a question mark.
    page.get_by_label("A threshold of your own").focus()
    page.keyboard.press("?")
    assert dialog.count() == 0


def test_a_link_skips_to_the_panels(open_page, report):
    page = open_page(report)
    link = page.get_by_text("Skip to the curves")
    page.keyboard.press("Tab")
    assert link.evaluate("(link) => link === document.activeElement")
    assert link.bounding_box()["width"] > 50
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('figure').textContent").startswith("ROC")
    assert page.evaluate("location.hash") == ""


def test_paper_has_the_settings_in_a_line_and_no_controls(open_page, report):
    page = open_page(report)
    line = page.locator(".settings-line")
    assert not line.is_visible()
    set_number(page, "β", 2)
    set_number(page, "Prevalence", 0.01)
    page.get_by_label("Show linear", exact=True).uncheck()
    page.emulate_media(media="print")
    assert line.inner_text() == (
        "Settings: beta 2; prevalence 0.01; hide linear; all others as the report was made."
    )
    assert page.locator(".summary tbody").get_by_text("linear", exact=True).is_visible()
    for control in ("Undo", "Reset", "Keys (?)", "Apply", "Sort by AUROC"):
        assert page.get_by_role("button", name=control, exact=True).count() == 0
    assert not page.locator(".typed, .skip, .controls").first.is_visible()


def test_without_scripts_there_is_a_table(browser, tmp_path):
    table = points(1)
    page_of_one = write_report({"<b>forest</b>": table}, tmp_path / "page.html", title="One")
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto(page_of_one.as_uri())
    assert page.title() == "One"
    name, area = page.locator("tbody td").all_inner_texts()[:2]
    assert name == "<b>forest</b>"
    assert area == f"{table.roc.area():.3f}"
    assert page.locator("noscript table").is_visible()
    context.close()
