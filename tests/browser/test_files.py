"""Files dropped on the page: read in the browser, with the numbers and errors of Python."""

import base64
import gzip
import json
from shlex import split

import numpy as np
import pandas as pd
import pytest

import isometrics as iso
from isometrics import OperatingPoints
from isometrics.errors import IsometricsError

from .reading import answer, count, give, saved
from .stage import sample


@pytest.fixture(scope="module")
def frame():
    labels, forest = sample(1, shift=1.8)
    _, linear = sample(2, shift=1.2)
    weights = np.random.default_rng(3).integers(0, 4, labels.size)
    return pd.DataFrame(
        {
            "id": np.arange(labels.size),
            "label": labels.astype(int),
            "forest": forest,
            "linear, plain": np.round(linear, 1),
            "weight": weights,
        }
    )


def read(page, path):
    give(page, path)
    count(page)


def problem(page, path=None):
    """Return what is wrong with a file, which the page may still have to count."""
    if path is not None:
        give(page, path)
        page.get_by_role("button", name="Show", exact=True).click()
    problem = page.locator(".problem:not(:empty)")
    problem.wait_for()
    return problem.inner_text()


def areas(page):
    """Return the three areas of each model as the page shows them."""
    return {
        line.locator("th").inner_text().strip(): tuple(
            line.locator(f'[data-value="{name}"]').inner_text()
            for name in ("AUROC", "AUPR", "AUPRG")
        )
        for line in page.locator(".summary tbody tr").all()
    }


def right_areas(points):
    numbers = (points.roc.area(), points.pr.area(), points.prg.area())
    return tuple(f"{area:.3f}".replace("-", "−") for area in numbers)


def saved_report(page, tmp_path):
    """Return the data of the report that the page saves, with all digits."""
    path = saved(page, "Report (HTML)", tmp_path)
    text = path.read_text(encoding="utf-8")
    data = text.split('id="isometrics-data">', 1)[1].split("</script>", 1)[0]
    return path, json.loads(data)


def assert_same(data, points):
    """Check counts to the bit and areas to 1e-12."""
    from isometrics.measures import area_brackets
    from isometrics.report.model import unpacked

    assert data["rows"] == len(points)
    assert (data["positives"], data["negatives"]) == (points.positives, points.negatives)
    if data["rows"] <= 2000 and data["thresholds"] is not None:
        for name in ("thresholds", "tp", "fp"):
            assert unpacked(data[name]).tolist() == getattr(points, name).tolist()
    for name, (value, _) in area_brackets(points).items():
        assert data["areas"][name][0] == pytest.approx(value, rel=1e-12), name


def assert_same_rows(rows, analysis):
    """Check that the page has the rows that Python would have given it."""
    from isometrics.report.model import report_model, unpacked

    right = report_model(analysis.models, rows=analysis.rows)["rows"]
    assert unpacked(rows["labels"]).tolist() == unpacked(right["labels"]).tolist()
    assert rows["weights"] == right["weights"]
    for name in ("ranks", "thresholds"):
        assert rows[name] == right[name]
    assert rows["prevalence"] is None


@pytest.mark.parametrize("kind", ["csv", "snappy", "gzip", "zstd"])
def test_the_same_numbers_as_python(open_page, start_page, frame, tmp_path, kind):
    path = tmp_path / f"predictions of May.{'csv' if kind == 'csv' else 'parquet'}"
    if kind == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path, compression=kind)
    page = open_page(start_page)
    give(page, path)
    assert page.get_by_label("Label", exact=True).input_value() == "label"
    assert page.get_by_label("Weight", exact=True).input_value() == "weight"
    page.get_by_label("Weight", exact=True).select_option(label="none")
    count(page)
    right = {
        name: OperatingPoints.from_scores(frame["label"], frame[name])
        for name in ("forest", "linear, plain")
    }
    assert areas(page) == {name: right_areas(points) for name, points in right.items()}
    _, data = saved_report(page, tmp_path)
    for model in data["models"]:
        assert_same(model, right[model["name"]])
    assert_same_rows(data["rows"], iso.analyse(frame["label"], frame[list(right)]))
    assert page.locator("h1").inner_text() == path.name


def test_weights_and_a_column_of_models(open_page, start_page, frame, tmp_path):
    long = frame.melt(
        id_vars=["label", "weight"],
        value_vars=["forest", "linear, plain"],
        var_name="model",
        value_name="score",
    )
    path = tmp_path / "long.csv"
    long.to_csv(path, index=False)
    page = open_page(start_page)
    give(page, path)
    assert page.get_by_label("Column that names the model").input_value() == "model"
    count(page)
    _, data = saved_report(page, tmp_path)
    for model in data["models"]:
        part = long[long["model"] == model["name"]]
        points = OperatingPoints.from_scores(
            part["label"], part["score"], sample_weight=part["weight"]
        )
        assert_same(model, points)


def test_a_file_of_several_models_has_a_verdict(open_page, start_page, frame, tmp_path):
    path = tmp_path / "predictions.csv"
    frame.to_csv(path, index=False)
    page = open_page(start_page)
    read(page, path)
    columns = ["forest", "linear, plain"]
    analysis = iso.analyse(frame["label"], frame[columns], sample_weight=frame["weight"])
    right = analysis.verdict()
    told = answer(page)
    # Model, threshold and the value on these rows do not depend on the draws.
    assert told[0].split(". ")[0] == right.sentence().split(". ")[0]
    assert "on new data (95%: " in told[0]
    assert page.locator(".verdict-picture .row.chosen").inner_text().startswith(right.model)
    shown = areas(page)
    path, data = saved_report(page, tmp_path)
    assert_same_rows(data["rows"], analysis)
    again = open_page(path)
    assert answer(again) == told
    assert areas(again) == shown
    assert again.title() == "predictions.csv"


def test_a_file_of_many_rows_names_the_command(open_page, start_page, tmp_path):
    rng = np.random.default_rng(4)
    labels = rng.random(10_001) < 0.3
    table = {"y": labels.astype(int), "a": rng.random(10_001), "b": rng.normal(labels)}
    path = tmp_path / "many.csv"
    pd.DataFrame(table).to_csv(path, index=False)
    page = open_page(start_page)
    read(page, path)
    told = answer(page)
    assert told[0].startswith("On these rows, at β = 1, cut b at ")
    assert "isometrics verdict many.csv --label y --scores a b --beta 1 says" in told[-1]
    _, data = saved_report(page, tmp_path)
    assert "rows" not in data


def test_a_large_file_is_counted_exactly_and_thinned(open_page, start_page, tmp_path):
    labels, scores = sample(7, rows=40_000, shift=1.0)
    path = tmp_path / "large.csv"
    pd.DataFrame({"y": labels, "p": scores}).to_csv(path, index=False)
    page = open_page(start_page)
    read(page, path)
    points = OperatingPoints.from_scores(labels, scores)
    _, data = saved_report(page, tmp_path)
    assert_same(data["models"][0], points)
    best = iso.best_threshold(points, beta=1)
    shown = page.locator('.summary [data-value="f"]').inner_text()
    assert shown == f"{best.f:.3f}"


def test_a_file_can_be_dropped_anywhere(open_page, start_page, frame, tmp_path):
    path = tmp_path / "dropped.csv"
    frame.to_csv(path, index=False)
    page = open_page(start_page)
    page.evaluate(
        """(content) => {
            const bytes = Uint8Array.from(atob(content), (one) => one.charCodeAt(0));
            const data = new DataTransfer();
            data.items.add(new File([bytes], "dropped.csv"));
            for (const kind of ["dragover", "drop"])
                document.body.dispatchEvent(
                    new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
        }""",
        base64.b64encode(path.read_bytes()).decode(),
    )
    page.locator("form.columns").wait_for()
    count(page)
    assert "forest" in areas(page)


def test_another_file_takes_the_place_of_a_report(open_page, report, frame, tmp_path):
    path = tmp_path / "predictions.csv"
    frame.to_csv(path, index=False)
    page = open_page(report)
    page.get_by_text("Open another file").click()
    read(page, path)
    page.get_by_role("heading", name="predictions.csv").wait_for()
    assert "linear, plain" in areas(page)


def said_by_python(path):
    """Return what Python says is wrong with a file; what to do the page says in its own words."""
    with pytest.raises(IsometricsError) as caught:
        iso.read_predictions(path)
    return caught.value.problem


SCORES = [0.5, 0.25, 0.75]


@pytest.mark.parametrize(
    "frame",
    [
        {"label": [1, 0, 1], "score": [0.5, np.nan, 0.25]},
        {"label": [1, 0, 2], "score": SCORES},
        {"label": ["a", "b", "c"], "score": SCORES},
        {"label": [1, 1, 1], "score": SCORES},
        {"label": [0, 0, 0], "score": SCORES},
        {"label": [1.0, np.nan, 0.0], "score": SCORES},
        {"label": [1, 0, 1], "score": SCORES, "weight": [1, -1, 1]},
        {"label": [1, 0, 1], "score": SCORES, "weight": [0.0, 0.0, 0.0]},
    ],
    ids=["nan", "three", "words", "positives", "negatives", "no label", "negative", "zero"],
)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_errors_are_those_of_python(open_page, start_page, tmp_path, frame, kind):
    table = pd.DataFrame(frame)
    path = tmp_path / f"bad.{kind}"
    if kind == "csv":
        table.to_csv(path, index=False)
    else:
        table.to_parquet(path)
    page = open_page(start_page)
    said = problem(page, path).split("; leave out rows with")[0]
    assert said == said_by_python(path)


def test_words_need_a_positive_label(open_page, start_page, tmp_path):
    path = tmp_path / "words.csv"
    table = pd.DataFrame({"label": ["spam", "ham", "spam", "ham"], "score": [4, 3, 2, 1]})
    table.to_csv(path, index=False)
    page = open_page(start_page)
    assert problem(page, path) == (
        "label has the labels 'spam' and 'ham'; say which one is positive under “Positive label”"
    )
    page.get_by_label("Positive label").select_option("spam")
    count(page)
    points = OperatingPoints.from_scores(table["label"], table["score"], pos_label="spam")
    assert list(areas(page).values()) == [right_areas(points)]


def test_decimal_commas_and_missing_values(open_page, start_page, tmp_path):
    path = tmp_path / "german.csv.gz"
    text = "y;s\n1;0,75\n0;0,25\n1;\n1;0,5\n0;0,5\n"
    path.write_bytes(gzip.compress(text.encode()))
    page = open_page(start_page)
    assert problem(page, path) == (
        "s has missing values (NaN or null): 1 in all, on line 4; s has values that are not real "
        "numbers of 64 bits, such as '0,75': 4 in all, on lines 2, 3, 5 and 6; leave out rows with "
        "missing values by the box of that name; 0,75 looks like a decimal comma; choose the "
        "decimal mark ,"
    )
    page.get_by_label("Decimal mark").select_option(",")
    page.locator("form.columns").wait_for()
    page.get_by_label("Leave out rows with missing values").check()
    count(page)
    points = OperatingPoints.from_scores([1, 0, 1, 0], [0.75, 0.25, 0.5, 0.5])
    _, data = saved_report(page, tmp_path)
    assert_same(data["models"][0], points)
    assert "1 row with missing values is left out, for all models (s: 1)" in data["description"]
    program = saved(page, "Python program", tmp_path).read_text()
    assert 'decimal=",", drop_missing=True' in program


def test_a_file_without_a_header(open_page, start_page, tmp_path):
    path = tmp_path / "bare.csv"
    path.write_text("1,0.5\n0,0.25\n1,0.75\n0,0.6\n")
    page = open_page(start_page)
    give(page, path)
    page.get_by_label("First line").select_option("names of columns")
    page.get_by_role("checkbox", name="0.5").wait_for()
    page.get_by_label("First line").select_option(label="as it looks")
    page.get_by_role("checkbox", name="column1").wait_for()
    count(page)
    assert "the file has no header line" in page.locator(".description").inner_text()
    points = OperatingPoints.from_scores([1, 0, 1, 0], [0.5, 0.25, 0.75, 0.6])
    assert list(areas(page).values()) == [right_areas(points)]


def test_classes_of_a_dropped_file(open_page, start_page, tmp_path):
    rng = np.random.default_rng(5)
    labels = rng.choice(["ant", "bee", "cat"], 90)
    scores = {f"p_{name}": rng.normal(labels == name) for name in ("ant", "bee", "cat")}
    table = pd.DataFrame({"y": labels} | scores)
    path = tmp_path / "classes.csv"
    table.to_csv(path, index=False)
    page = open_page(start_page)
    read(page, path)
    assert list(areas(page)) == ["ant", "bee", "cat"]
    analysis = iso.read_predictions(path)
    assert list(areas(page).values()) == [right_areas(each) for each in analysis.models.values()]
    macro = page.locator(".macro").inner_text()
    assert f"AUPRG {analysis.macro_average():.3f}" in macro


def test_reversed_scores_and_predictions_are_named(open_page, start_page, tmp_path):
    labels = np.arange(200) < 60
    path = tmp_path / "odd.csv"
    table = pd.DataFrame(
        {"y": labels.astype(int), "upside": -1.5 * labels + np.sin(np.arange(200))}
    )
    table["decided"] = (table["upside"] < -1).astype(float) + 0.5
    table.to_csv(path, index=False)
    page = open_page(start_page)
    read(page, path)
    beware = " ".join(answer(page)), page.locator(".summary .note").inner_text()
    # The verdict says it of the model that it chooses, the table of the others.
    reversed_said = "are the scores reversed, or is the other class the positive one?"
    decided_said = "there are only two distinct scores; these look like predictions"
    assert page.locator(".card h2").inner_text() == "decided"
    assert [said.count(decided_said) for said in beware] == [1, 0]
    assert [said.count(reversed_said) for said in beware] == [0, 1]
    assert "upside: AUROC is 0." in beware[1]


def test_groups_of_a_dropped_file_are_left_to_the_command(open_page, start_page, frame, tmp_path):
    path = tmp_path / "by site.csv"
    sites = np.resize(["north", "south's"], len(frame))
    frame.assign(site=sites, other=sites).to_csv(path, index=False)
    page = open_page(start_page)
    give(page, path)
    assert page.get_by_label("Group", exact=True).input_value() == "site"
    count(page)
    said = page.locator(".description").inner_text()
    assert "group: site" in said
    command = said.split("Whether one threshold serves all groups: ")[1]
    words = split(command)
    assert words[:3] == ["isometrics", "report", path.name]
    assert words[-2:] == ["--group", "site"]
    for column, end in (("other", "--group other"), ("none", "not used: id, site, other.")):
        page = open_page(start_page)
        give(page, path)
        page.get_by_label("Group", exact=True).select_option(label=column)
        count(page)
        assert page.locator(".description").inner_text().endswith(end)


def test_a_file_that_cannot_be_read_is_refused_in_words(open_page, start_page, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_bytes(b"PAR1 but not really")
    page = open_page(start_page)
    page.locator("input[type=file]").set_input_files(str(path))
    assert problem(page).startswith("the file cannot be read as Parquet: ")
