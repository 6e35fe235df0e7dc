"""Groups, classes and sets on the page: each shown as what it is."""

import numpy as np
import pytest

import isometrics as iso
from isometrics.report import write_report

from .reading import settle


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    """Return an analysis of three classes of equal size, and its page."""
    rng = np.random.default_rng(4)
    labels = np.repeat(["ant", "bee", "</script><b>cat"], 60)
    values = np.unique(labels)
    scores = rng.normal(labels[:, None] == values, 0.7)
    analysis = iso.analyse(labels, scores)
    path = tmp_path_factory.mktemp("classes") / "classes.html"
    return analysis, analysis.report(path, title="Three classes")


def text_of(page, selector):
    return page.locator(selector).inner_text()


def test_classes_are_no_rivals(open_page, classes):
    analysis, path = classes
    page = open_page(path)
    settle(page)
    assert text_of(page, ".summary thead th >> nth=0") == "class"
    assert page.locator(".summary .highest").count() == 0
    assert page.locator(".summary .leader").count() == 0
    names = [cell.inner_text().strip() for cell in page.locator(".summary tbody th").all()]
    assert names == list(analysis.models)
    macro = (
        f"Macro average over the 3 classes: AUPRG {analysis.macro_average():.3f}, "
        f"best F gain (β 1) {analysis.macro_average('best-f-gain'):.3f}."
    )
    assert text_of(page, ".macro") == macro
    headline = text_of(page, ".headline")
    for name in analysis.models:
        assert f"{name}: " in headline
    for word in ("best model", "beats", "cannot be told apart"):
        assert word not in headline
    # At equal prevalences models would be compared.
    assert "beats" not in text_of(page, "main")


def test_classes_under_other_settings(open_page, classes):
    analysis, path = classes
    page = open_page(path)
    settle(page)
    page.get_by_label("Show ant").uncheck()
    settle(page)
    headline = text_of(page, ".headline")
    assert "each class by itself: </script><b>cat at score ≥" in headline
    assert "bee at score ≥" in headline
    assert "ant at" not in headline
    assert "beats" not in text_of(page, "main")
    rest = {name: analysis.models[name] for name in ("bee", "</script><b>cat")}
    mean = np.mean([points.prg.area() for points in rest.values()])
    assert f"over the 2 classes: AUPRG {mean:.3f}," in text_of(page, ".macro")


def test_hidden_models_are_not_bold(open_page, report):
    page = open_page(report)
    settle(page)
    best = page.locator(".summary tbody tr", has_text="forest")
    assert best.locator(".highest").count() > 0
    page.get_by_label("Show forest").uncheck()
    settle(page)
    assert best.locator(".highest").count() == 0


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    points = iso.OperatingPoints.from_counts(
        [5, 8, 3], [2, 9, 0], positives=10, negatives=40, labels=["one", "=two\t2", "three"]
    )
    path = tmp_path_factory.mktemp("sets") / "sets.html"
    return write_report({"clusters": points}, path, title="Sets")


def test_sets_have_no_thresholds(open_page, sets):
    page = open_page(sets)
    settle(page)
    assert text_of(page, ".thresholds h2").startswith("Sets of clusters")
    assert not page.get_by_label("Copy threshold with all its digits").is_visible()
    assert not page.get_by_text("Copy the rule as").is_visible()
    assert not page.locator(".histogram").is_visible()
    copied = []
    for button in page.locator(".thresholds td button", has_text="Copy").all():
        button.click()
        copied.append(page.evaluate("navigator.clipboard.readText()"))
    assert copied
    assert set(copied) <= {"one", "=two\t2", "three", "(nothing)", "(everything)"}
    page.get_by_label("Copy the table of thresholds").click()
    table = page.evaluate("navigator.clipboard.readText()")
    assert "nan" not in table
    assert table.startswith("beta_lo\tbeta_hi\tset\t")
    assert all(len(line.split("\t")) == 5 for line in table.splitlines())
    assert "nan" not in text_of(page, "main").lower()


def test_points_of_a_curve_without_thresholds_copy_nothing(open_page, tmp_path):
    points = iso.OperatingPoints.from_counts([5, 8], [0, 9], positives=10, negatives=40)
    page = open_page(write_report({"curve": points}, tmp_path / "curve.html"))
    settle(page)
    for button in page.locator(".thresholds td button", has_text="Copy").all():
        button.click()
        assert page.evaluate("navigator.clipboard.readText()") != "nan"
    page.get_by_label("Copy the table of thresholds").click()
    assert "nan" not in page.evaluate("navigator.clipboard.readText()")
