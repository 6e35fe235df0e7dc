"""What the page saves: pictures, tables, a program that gives the same numbers."""

import csv
import io
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import isometrics as iso
from isometrics.report import write_report

from .reading import copied, count, give, saved, set_number
from .stage import points


@pytest.mark.parametrize("panel", ["ROC", "Precision–recall", "Precision–recall gain", "Tradeoff"])
def test_a_panel_as_svg_stands_on_its_own(open_page, report, tmp_path, panel):
    page = open_page(report)
    path = saved(page, f"Save as SVG: {panel}", tmp_path)
    text = path.read_text(encoding="utf-8")
    picture = ET.fromstring(text)
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    curves = [one for one in picture.iter() if "curve" in one.get("class", "").split()]
    assert len(curves) == 2
    assert all(one.get("stroke").startswith("rgb(") for one in curves)
    assert "var(" not in text
    shown = page.evaluate(
        """async (text) => {
            const image = new Image();
            image.src = "data:image/svg+xml," + encodeURIComponent(text);
            await image.decode();
            return image.naturalWidth;
        }""",
        text,
    )
    assert shown == round(float(picture.get("width")))
    for scheme, ground in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(18, 22, 28)")):
        page.emulate_media(color_scheme=scheme)
        text = saved(page, f"Save as SVG: {panel}", tmp_path).read_text(encoding="utf-8")
        assert ET.fromstring(text)[0].get("fill") == ground
        assert "light-dark(" not in text


def test_pictures_have_a_title_a_legend_and_a_name(open_page, tmp_path):
    models = {"forest": points(1), "<b>linear</b>": points(2, shift=1.0)}
    page = open_page(write_report(models, tmp_path / "page.html", title="Spam, May"))
    for button, name, starts in (
        ("Save as SVG: ROC", "Spam-May-ROC", ["Spam, May: ROC", "forest", "<b>linear</b>"]),
        ("Save as SVG: histogram", "Spam-May-Scores-of-forest", ["Spam, May: Scores of forest"]),
    ):
        path = saved(page, button, tmp_path)
        assert path.name == f"{name}.svg"
        texts = [one.text for one in ET.parse(path).iter() if one.tag.endswith("}text")]
        assert texts[: len(starts)] == starts
        path = saved(page, button.replace("SVG", "PNG"), tmp_path)
        assert path.name == f"{name}.png"
        content = path.read_bytes()
        assert content.startswith(b"\x89PNG\r\n\x1a\n")
        assert int.from_bytes(content[16:20]) > 600


def test_points_as_csv(open_page, report, two_models, tmp_path):
    page = open_page(report)
    path = saved(page, "Points (CSV)", tmp_path)
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    for name, one in two_models.items():
        mine = [row for row in rows if row["model"] == name]
        for column in ("threshold", "tp", "fn", "precision", "recall", "recall_gain"):
            values = getattr(one, f"{column}s" if column == "threshold" else column)
            found = np.array([float(row[column]) for row in mine])
            assert np.array_equal(found, values, equal_nan=True) or found == pytest.approx(
                values, rel=1e-14, nan_ok=True
            )


def test_thresholds_as_csv(open_page, report, two_models, tmp_path):
    page = open_page(report)
    path = saved(page, "Thresholds (CSV)", tmp_path)
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    for name, one in two_models.items():
        mine = [float(row["threshold"]) for row in rows if row["model"] == name]
        assert mine == iso.optimal_thresholds(one).thresholds.tolist()


def run(path):
    done = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, check=False, cwd=path.parent
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_program_gives_the_numbers_of_the_view(open_page, report, two_models, tmp_path):
    page = open_page(report)
    set_number(page, "β", 2)
    set_number(page, "Prevalence", 0.05)
    page.get_by_label("index", exact=True).select_option("jaccard")
    page.get_by_label("PR interpolation").select_option("linear")
    printed = run(saved(page, "Python program", tmp_path))
    moved = {name: one.at_prevalence(0.05) for name, one in two_models.items()}
    for one in moved.values():
        assert f"areas: {one.roc.area()} {one.pr.area('linear')} {one.prg.area()}" in printed
        assert str(iso.best_threshold(one, beta=2)) in printed
    assert str(iso.compare(moved, "jaccard")) in printed


def test_the_program_of_other_classes_sets_and_thinned_models(open_page, tmp_path):
    sets = iso.OperatingPoints.from_sets({1, 2, 3}, {"a'b": {1, 2}, 'c"d': {3, 4}}, universe_size=9)
    page = open_page(write_report({"sets": sets}, tmp_path / "sets.html"))
    printed = run(saved(page, "Python program", tmp_path))
    assert str(iso.best_threshold(sets, beta=1)) in printed
    many = points(3, rows=9000)
    page = open_page(write_report({"many": many}, tmp_path / "many.html"))
    page.get_by_label("class of interest").select_option("negatives")
    printed = run(saved(page, "Python program", tmp_path))
    other = iso.OperatingPoints.from_counts(
        many.tn[::-1], many.fn[::-1], positives=many.negatives, negatives=many.positives
    )
    assert str(iso.best_threshold(other, beta=1)) in printed


def test_the_program_for_a_file_reads_that_file(open_page, start_page, tmp_path):
    path = tmp_path / "my file.csv"
    path.write_text("kind,forest,w\nyes,0.5,2\nno,0.25,1\nyes,0.125,1\n")
    page = open_page(start_page)
    give(page, path)
    page.get_by_label("Label", exact=True).select_option("kind")
    count(page)
    file = saved(page, "Python program", tmp_path)
    program = file.read_text()
    assert (
        'analysis = iso.read_predictions("my file.csv", label="kind", scores=["forest"], '
        'model=False, weight="w")\n'
        'models = {name: analysis.models[name] for name in ["forest"]}\n'
    ) in program
    points = iso.OperatingPoints.from_scores([1, 0, 1], [0.5, 0.25, 0.125], sample_weight=[2, 1, 1])
    assert str(iso.best_threshold(points, beta=1)) in run(file)


def test_the_program_can_be_copied(open_page, report):
    page = open_page(report)
    program = copied(page, "Copy the Python program of this view")
    assert program.startswith("import isometrics as iso\n")
    float(copied(page, "Copy threshold with all its digits"))


def test_the_rule_is_copied_for_other_programs(open_page, report, two_models, tmp_path):
    page = open_page(report)
    path = tmp_path / "rule.json"
    path.write_text(copied(page, "Copy the rule as JSON"), encoding="utf-8")
    decision = iso.load_decision(path)
    best = iso.best_threshold(two_models[decision.origin.model])
    assert (decision.threshold, decision.tp, decision.fp) == (best.threshold, best.tp, best.fp)
    assert decision.objective == best.objective
    sql, python = (copied(page, f"Copy the rule as {what}") for what in ("SQL", "Python"))
    assert sql.startswith(f'SELECT *, "{decision.origin.model}" >= CAST(')
    assert python == f'flagged = new_scores["{decision.origin.model}"] >= {decision.threshold!r}\n'
    page.get_by_label("Class of interest").select_option(index=1)
    assert not page.get_by_role("button", name="Copy the rule as JSON").is_visible()
