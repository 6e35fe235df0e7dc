"""Groups, classes and sets on the page: each shown as what it is."""

import numpy as np
import pytest

import isometrics as iso
from isometrics.measures import optimal_f_gain
from isometrics.report import write_report

from .reading import copied
from .test_safety import letters


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


HOSTILE = ["<img src=x onerror=alert(1)>", "=cmd|' /C calc'!A0", "__proto__", "x" * 400, "a\n\tb"]


@pytest.fixture(scope="module")
def groups(tmp_path_factory):
    """Return an analysis of 12 groups, one of them shifted, and its page."""
    rng = np.random.default_rng(7)
    names = HOSTILE + [f"site {place}" for place in range(7)]
    group = np.repeat(names, 100)
    labels = rng.random(group.size) < 0.3
    offset = np.repeat([2.0 * (name == "site 3") for name in names], 100)
    scores = {"forest": rng.normal(2 * labels + offset), "__proto__": rng.normal(1.0 * labels)}
    analysis = iso.analyse(labels, scores, groups=group)
    path = tmp_path_factory.mktemp("groups") / "groups.html"
    return analysis, analysis.report(path, title="Groups")


def cells(page):
    """Return the rows of the table of groups as texts."""
    rows = page.locator(".groups tbody tr").all()
    return [row.locator("th, td").all_inner_texts() for row in rows]


def shown(text, letters=48):
    text = " ".join(text.split())
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def test_groups_have_a_table_and_an_answer(open_page, groups):
    analysis, path = groups
    page = open_page(path)
    said = text_of(page, ".groups .first")
    assert said.startswith("One threshold does not serve all 12 groups: ")
    assert "site 3: F1 is " in text_of(page, ".groups")
    table = cells(page)
    assert {" ".join(row[0].split()) for row in table} == {shown(name) for name in analysis.groups}
    values = [float(row[3].split()[0]) for row in table]
    assert values == sorted(values)
    threshold = float(text_of(page, ".groups .common").split("≥ ")[1].split(",")[0])
    for row in table:
        name = next(name for name in analysis.groups if shown(name) == " ".join(row[0].split()))
        at = analysis.groups[name]["forest"].at(threshold)
        f1 = 2 * at.tp[0] / (at.tp[0] + at.fp[0] + at.positives)
        assert row[3].startswith(f"{f1:.3f}")
        assert row[1] == "100"


def test_groups_are_sorted_and_searched(open_page, groups):
    page = open_page(groups[1])
    page.get_by_label("Order").select_option(label="by name")
    names = [row[0] for row in cells(page)]
    assert [name for name in names if name.startswith("site")] == [f"site {k}" for k in range(7)]
    page.get_by_label("Order").select_option(label="most to gain first")
    assert cells(page)[0][0] == "site 3"
    page.get_by_label("Find a group").fill("SITE")
    assert len(cells(page)) == 7
    assert text_of(page, ".groups .note") == "7 of 12 groups."
    page.wait_for_timeout(500)
    for entry in ("group-order=gain", "group-search=SITE"):
        assert entry in page.url
    page.reload()
    assert len(cells(page)) == 7
    assert cells(page)[0][0] == "site 3"
    assert page.get_by_label("Find a group").input_value() == "SITE"
    page.locator(".history").get_by_role("button", name="Reset").click()
    assert len(cells(page)) == 12
    assert page.get_by_label("Order").input_value() == "worst"
    page.get_by_label("Find a group").fill("none of them")
    assert cells(page) == []


def test_curves_of_groups(open_page, groups):
    page = open_page(groups[1])
    assert page.locator(".group-pictures > svg").count() == 12
    assert page.locator(".group-pictures .group-common").count() > 5
    for picture in page.locator(".group-pictures > svg").all():
        # What leaves a picture is cut off.
        title = picture.locator(".group-title").evaluate("(one) => one.getBBox()['width']")
        assert title <= 174
    page.get_by_label("Find a group").fill("site 3")
    assert page.locator(".group-pictures .group-curve").count() == 1


def test_groups_of_the_command(open_page, tmp_path, capsys):
    from isometrics.cli import main

    rng = np.random.default_rng(2)
    labels = rng.random(300) < 0.4
    scores = rng.normal(1.5 * labels)
    lines = [
        f"{int(y)},{s},{'north' if k % 2 else 'south'}"
        for k, (y, s) in enumerate(zip(labels, scores, strict=True))
    ]
    file = tmp_path / "x.csv"
    file.write_text("\n".join(["y,score,area", *lines]) + "\n")
    target = tmp_path / "x.html"
    assert main(["report", str(file), "--group", "area", "-o", str(target)]) == 0
    said = capsys.readouterr().out
    assert "all 2 groups" in said
    page = open_page(target)
    assert {row[0] for row in cells(page)} == {"north", "south"}
    assert text_of(page, ".groups .first") in said


def test_classes_are_no_rivals(open_page, classes):
    analysis, path = classes
    page = open_page(path)
    assert text_of(page, ".summary thead th >> nth=0") == "class"
    assert page.locator(".summary .highest").count() == 0
    assert page.locator(".summary .leader").count() == 0
    names = [cell.inner_text().strip() for cell in page.locator(".summary tbody th").all()]
    assert names == list(analysis.models)
    macro = (
        f"Macro average over the 3 classes: AUPRG {analysis.macro_average():.3f}, "
        f"best F gain (β 1) {analysis.macro_average(optimal_f_gain()):.3f}."
    )
    assert text_of(page, ".macro") == macro
    # None of them stands out in the answer.
    sizes = page.locator(".headline p").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).fontSize)"
    )
    assert len(sizes) >= 3
    assert len(set(sizes)) == 1
    headline = text_of(page, ".headline")
    for name in analysis.models:
        assert f"{name}: " in headline
    assert "F1 weighs precision" not in headline
    assert "Classes are no rivals, so none of them wins." in page.locator("main").text_content()
    for word in ("best model", "beats", "cannot be told apart"):
        assert word not in headline
    # At equal prevalences models would be compared.
    assert "beats" not in text_of(page, "main")
    page.get_by_label("Show ant").uncheck()
    headline = text_of(page, ".headline")
    assert "each class by itself: </script><b>cat at score ≥" in headline
    assert "bee at score ≥" in headline
    assert "ant at" not in headline
    assert "beats" not in text_of(page, "main")
    rest = {name: analysis.models[name] for name in ("bee", "</script><b>cat")}
    mean = np.mean([points.prg.area() for points in rest.values()])
    assert f"over the 2 classes: AUPRG {mean:.3f}," in text_of(page, ".macro")


def test_sets_have_no_thresholds(open_page, tmp_path):
    found = iso.OperatingPoints.from_counts(
        [5, 8, 3], [2, 9, 0], positives=10, negatives=40, labels=["one", "=two\t2", "three"]
    )
    page = open_page(write_report({"clusters": found}, tmp_path / "sets.html", title="Sets"))
    assert text_of(page, ".thresholds h2").startswith("Sets of clusters")
    assert not page.get_by_label("Copy threshold with all its digits").is_visible()
    assert not page.get_by_text("Copy the rule as").is_visible()
    assert not page.locator(".histogram > svg").is_visible()
    found = []
    for button in page.locator(".thresholds td button", has_text="Copy").all():
        button.click()
        found.append(page.evaluate("navigator.clipboard.readText()"))
    assert found
    assert set(found) <= {"one", "=two\t2", "three", "(nothing)", "(everything)"}
    table = copied(page, "Copy the table of thresholds")
    assert "nan" not in table
    assert table.startswith("beta_lo\tbeta_hi\tset\t")
    assert all(len(line.split("\t")) == 5 for line in table.splitlines())
    assert "nan" not in text_of(page, "main").lower()
    # Nor have points of a curve; there is nothing to copy.
    points = iso.OperatingPoints.from_counts([5, 8], [0, 9], positives=10, negatives=40)
    page = open_page(write_report({"curve": points}, tmp_path / "curve.html"))
    for button in page.locator(".thresholds td button", has_text="Copy").all():
        button.click()
        assert page.evaluate("navigator.clipboard.readText()") != "nan"
    assert "nan" not in copied(page, "Copy the table of thresholds")


def test_a_name_of_a_group_does_not_turn_its_sentence(open_page, tmp_path):
    rng = np.random.default_rng(8)
    group = np.repeat(["\u202eturned\u2069 group", "north"], 300)
    labels = rng.random(group.size) < 0.3
    scores = rng.normal(2 * labels + 2.0 * (group == "north"))
    analysis = iso.analyse(labels, {"forest": scores}, groups=group)
    page = open_page(analysis.report(tmp_path / "turned.html"))
    lines = letters(page, ".groups")
    assert sum(map(len, lines)) > 100
    said = [place for place in page.locator(".groups > p").all_text_contents() if "turned" in place]
    assert said
    for place in range(page.locator(".groups > p").count()):
        lines = letters(page, f".groups > p:nth-of-type({place + 1})")
        assert all(line == sorted(line) for line in lines)
