"""Intervals, bands, prevalences and the page on the command line."""

from shlex import quote

import numpy as np
import pytest

import isometrics as iso
from isometrics.analysis.verdicts import JUDGED_BETAS
from isometrics.cli.summary import serve

from .conftest import sample, write_csv

SURE = ("--confidence", "0.9", "--resamples", "60")
OPTIONS = {"confidence_level": 0.9, "n_resamples": 60}


@pytest.fixture
def analysis(predictions):
    return iso.read_predictions(predictions, keep_rows=True)


def test_a_summary_has_intervals(call, predictions, grouped, analysis):
    words = ("summary", predictions, *SURE, "--json")
    first, again, other = (
        call(*words, "--random-state", seed).data["summary"][0] for seed in (0, 0, 4)
    )
    lower, upper = analysis.bootstrap("AUPR", **OPTIONS).interval("AUPR", first["model"])
    assert (first["aupr_lower"], first["aupr_upper"]) == (lower, upper)
    assert first["auroc_lower"] == again["auroc_lower"] != other["auroc_lower"]
    assert "90% interval" in call(*words[:2], "--group", "", *SURE).out
    data = call("summary", grouped, "--group", "group", *SURE, "--json").data
    assert {row["group"] for row in data["summary"]} == {"(all rows)", "north", "south"}
    assert all(row["auroc_lower"] < row["auroc"] for row in data["summary"])
    assert "The intervals of a group come from its own rows." in data["notes"]


def test_a_comparison_says_how_sure_it_is(call, predictions, analysis):
    done = call("compare", predictions, *SURE, "--measure", "AUROC", "--json")
    sure = analysis.bootstrap("AUROC", **OPTIONS).differences()
    assert done.data["sentence"].endswith(sure.sentence())
    assert done.data["certainty"][0]["better"] == sure.better[0]


def test_bands_are_drawn_in_pictures_and_reports(call, predictions, tmp_path):
    plain, banded = tmp_path / "plain.svg", tmp_path / "banded.svg"
    call("plot", predictions, "--space", "roc", "-o", plain)
    call("plot", predictions, "--space", "roc", *SURE, "-o", banded)
    assert banded.stat().st_size > plain.stat().st_size
    target = tmp_path / "report.html"
    call("report", predictions, *SURE, "-o", target)
    # One of each band, one of the intervals beside them, and one of the picture of the verdict.
    assert target.read_text().count('"level":0.9') == 10
    assert call("report", predictions, *SURE, "-o", "-").out == target.read_text()


def test_everything_at_another_prevalence(call, predictions, analysis):
    words = ("--prevalence", "0.01", "--json")
    found = call("summary", predictions, *words).data["summary"][0]
    moved = analysis.models["good"].at_prevalence(0.01)
    assert found["aupr"] == moved.pr.area()
    found = call("thresholds", predictions, "--beta", "1", *words).data["thresholds"][0]
    assert found["threshold"] == iso.best_threshold(moved).threshold


def test_many_groups_that_are_left_out_are_counted(call, tmp_path):
    file = tmp_path / "groups.csv"
    rows = [f"{row % 2},{row / 50},{'all' if row < 10 else row}" for row in range(30)]
    file.write_text("\n".join(["label,score,group", *rows]))
    lines = call("summary", file).err.splitlines()
    assert sum("is left out: only" in line for line in lines) == 5
    assert lines[-1] == "and 15 more groups, which --json lists"


@pytest.fixture
def pages(monkeypatch):
    """Collect the models and the options of pages instead of serving them until Ctrl-C."""
    found = []

    def serve_page(models, **options):
        found.append((models, options))
        options["announce"]("http://127.0.0.1:1/")

    monkeypatch.setattr("isometrics.report.serve", serve_page)
    return found


@pytest.mark.parametrize("with_file", [True, False])
def test_the_page_is_served(call, predictions, analysis, with_file, pages):
    words = [predictions] if with_file else []
    done = call("serve", *words, "--no-open", "--port", "8123")
    assert "http://127.0.0.1:1/ until you press Ctrl-C" in done.err
    ((models, options),) = pages
    assert options["open_browser"] is False
    assert (options["host"], options["port"]) == ("127.0.0.1", 8123)
    if with_file:
        assert models == analysis.models
        assert options["title"] == predictions.name
        assert "label: label" in options["description"]
        assert options["verdict"][""].sentence() == analysis.verdict().sentence()
        # The page judges by itself, as that of a report does.
        assert options["rows"].size == analysis.rows.size
        assert options["other_verdicts"] == ()
    else:
        assert models is None
        assert not options.keys() & {"title", "description", "verdict", "rows"}
    assert serve.__doc__


@pytest.mark.slow
@pytest.mark.parametrize("command", ["report", "serve"])
def test_a_page_of_many_rows_has_stored_verdicts(call, tmp_path, monkeypatch, command, pages):
    monkeypatch.setattr(
        "isometrics.report.write_report",
        lambda models, _, **options: pages.append((models, options)),
    )
    rng = np.random.default_rng(2)
    labels = rng.random(10_500) < 0.2
    columns = np.column_stack([labels, *(rng.normal(k * labels).round(3) for k in (1, 2))])
    file = tmp_path / "many.csv"
    np.savetxt(file, columns, "%g", ",", header="label,a,b", comments="")
    call(command, file, *(["--resamples", "100"] if command == "report" else ["--no-open"]))
    ((_, page),) = pages
    stored = page["other_verdicts"]
    assert [each.objective.beta for each in stored] == list(JUDGED_BETAS)
    assert page["verdict"][""] is stored[20]
    n_resamples = 100 if command == "report" else 2000
    done = call("verdict", file, "--beta", 2, "--resamples", n_resamples)
    assert stored[32].lines() == done.out.splitlines()


def test_pages_of_tuning_data(call, predictions, analysis, tmp_path, pages):
    label, good, bad, _ = sample(seed=2)
    other = write_csv(tmp_path / "test.csv", label, good, bad, names=("label", "good", "bad"))
    test = iso.analyse(label, {"good": good, "bad": bad})
    sentence = test.verdict(thresholds_from=analysis).sentence()
    path = tmp_path / "report.html"
    done = call("report", other, "--thresholds-from", predictions, "-o", path)
    assert done.out.splitlines()[0] == sentence
    assert '"tuning":{' in path.read_text(encoding="utf-8")
    few = call("report", other, "--thresholds-from", predictions, "-o", path, "--resamples", 50)
    command = f"isometrics verdict {other} --thresholds-from {quote(str(predictions))} draws"
    assert command in few.out
    call("serve", other, "--thresholds-from", predictions, "--no-open")
    ((_, served),) = pages
    assert served["thresholds_from"] == analysis.models
    assert served["verdict"][""].sentence() == sentence
