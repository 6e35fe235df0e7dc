"""The commands that write files: complete, exact, and nothing where something went wrong."""

import csv
import gzip
import json
import os
import shlex
import webbrowser
from importlib import metadata

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import isometrics as iso
from isometrics import formats
from isometrics._counting import native
from isometrics.cli import main

from .conftest import names, read, sample

LABEL, GOOD, BAD, GROUP = sample()


COORDINATES = {
    "roc": ("false_positive_rate", "recall"),
    "pr": ("recall", "precision"),
    "prg": ("recall_gain", "precision_gain"),
}


@pytest.mark.parametrize("space", COORDINATES)
@pytest.mark.parametrize("hull", [False, True])
def test_the_points_of_a_space(call, predictions, tmp_path, space, hull):
    target = tmp_path / f"{space} points.csv"
    call("curve", predictions, "--space", space, *["--hull"] * hull, "-o", target)
    points = iso.OperatingPoints.from_scores(LABEL, GOOD)
    points = points.hull() if hull else points
    rows = [row for row in read(target) if row["model"] == "good"]
    here = getattr(points, space)
    x, y = COORDINATES[space]
    assert np.array_equal([float(row[x]) for row in rows], here.x, equal_nan=True)
    assert np.array_equal([float(row[y]) for row in rows], here.y, equal_nan=True)
    assert [float(row["threshold"]) for row in rows] == points.thresholds.tolist()


def test_the_pieces_of_a_tradeoff_curve(call, predictions, tmp_path):
    target = tmp_path / "pieces.parquet"
    words = ["--space", "tradeoff", "--index", "kulczynski", "-o", target]
    call("curve", predictions, *words)
    pieces = iso.OperatingPoints.from_scores(LABEL, BAD).tradeoff("kulczynski").intervals
    table = pq.read_table(target).to_pylist()
    found = [row["lambda_lo"] for row in table if row["model"] == "bad"]
    assert found == pieces.lambda_lo.tolist()


def test_curves_of_groups_and_as_json(call, grouped, tmp_path):
    target = tmp_path / "c.json"
    words = ("curve", grouped, "--group", "group", "--json")
    assert call(*words, "-o", target).data["written"] == str(target)
    rows = json.loads(target.read_text())
    assert {row["group"] for row in rows} == {"(all rows)", "north", "south"}
    data = call(*words).data
    assert (data["space"], data["points"]) == ("pr", rows)
    assert rows[0]["precision"] is None


BEGINS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.mark.parametrize("form", BEGINS)
def test_pictures(call, predictions, tmp_path, form):
    target = tmp_path / f"a picture.{form}"
    assert call("plot", predictions, "-o", target).out == f"{target}\n"
    assert target.read_bytes().startswith(BEGINS[form])
    before = target.read_bytes()
    call("plot", predictions, "-o", target)
    assert target.read_bytes() == before


def test_spaces_and_titles(call, predictions, tmp_path):
    target = tmp_path / "p.svg"
    for space in ("roc", "prg", "tradeoff", "all", "comparison"):
        data = call("plot", predictions, "--space", space, "-o", target, "--json").data
        assert (data["space"], data["written"]) == (space, str(target))
    words = ("--confidence", "0.9", "--resamples", "20", "--json")
    done = call("plot", predictions, "--space", "pr", "prg", "-o", target, *words)
    assert done.data["space"] == ["pr", "prg"]
    assert target.read_text(encoding="utf-8").count(">good (AUPR ") == 1
    target = tmp_path / "p.svg"
    title = r"costs $5 to $6, \frac{x} & <b>"
    call("plot", predictions, "--title", title, "--no-hull", "--no-isolines", "-o", target)
    assert "costs $5 to $6, \\frac{x} &amp; &lt;b&gt;" in target.read_text(encoding="utf-8")


def test_a_report(call, predictions, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    target = tmp_path / "my report.html"
    words = ["report", predictions, "-o", target, "--title", "<script>a & b"]
    assert call(*words, "--open").out.splitlines()[-1] == str(target)
    assert opened == [target.as_uri()]
    page = target.read_text(encoding="utf-8")
    assert "<title>&lt;script&gt;a &amp; b" in page
    assert call(*words, "--json").data["written"] == str(target)
    assert len(opened) == 1
    page = call("report", predictions, "-o", "-").out
    assert f"<title>{predictions.name}</title>" in page


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_texts_stay_as_they_are_written(call, tmp_path, suffix, packed):
    messy = 'id,label,score,note\n007,1,0.10,"a, b"\n8,0,1e-3,NA\n9,1,.5,yes\n10,0,0,TRUE\n'
    file, target = tmp_path / "messy.csv", tmp_path / f"o.{suffix}{'.gz' * packed}"
    file.write_text(messy)
    call("convert", file, target)
    text = gzip.decompress(target.read_bytes()).decode() if packed else target.read_text()
    given, found = (
        list(csv.reader(each.splitlines(), delimiter=delimiter))
        for each, delimiter in ((messy, ","), (text, "\t" if suffix == "tsv" else ","))
    )
    assert found == given
    # Said how decimals are written, the numbers are read.
    call("convert", file, tmp_path / "o.csv", "--decimal", ".")
    assert "0.001" in (tmp_path / "o.csv").read_text()


@pytest.mark.parametrize("words", ["summary", "thresholds", "curve", "convert"])
def test_compressed_files_hold_what_others_hold(call, predictions, tmp_path, words):
    """And the same rows give the same bytes."""
    option = [] if words == "convert" else ["-o"]
    plain, packed, again = (tmp_path / name for name in ("a.csv", "a.CSV.gz", "b.csv.gz"))
    for target in (plain, packed, again):
        call(words, predictions, *option, target)
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    assert again.read_bytes() == packed.read_bytes()
    refused = call(words, predictions, *option, tmp_path / "a.gz", code=2)
    assert ".csv.gz" in refused.err or "tells no format" in refused.err


def test_a_table_on_standard_output(call, predictions, tmp_path):
    there = tmp_path / "x.txt"
    call("convert", predictions, there, "--to", "parquet")
    assert there.read_bytes()[:4] == b"PAR1"
    assert len(call("convert", predictions, "-").out.splitlines()) == LABEL.size + 1
    assert call("convert", predictions, "-", "--to", "tsv").out.startswith("label\tgood\tbad\n")


def test_formats_of_one_model(call, predictions, tmp_path):
    call("convert", predictions, tmp_path / "m.list", "--scores", "good")
    call("convert", tmp_path / "m.list", tmp_path / "m.csv", "--json")
    found = formats.read(tmp_path / "m.list").points()["score"]
    assert found == iso.OperatingPoints.from_scores(LABEL, GOOD)
    assert (
        call("summary", tmp_path / "m.csv", "--json").data["summary"][0]["positives"] == LABEL.sum()
    )
    call("convert", predictions, tmp_path / "m.txt", "--to", "ROC", "--scores", "good")
    totals = ["--positives", LABEL.sum(), "--negatives", LABEL.size - LABEL.sum()]
    call("convert", tmp_path / "m.txt", tmp_path / "m.csv", "--from", "ROC", *totals)
    points = iso.OperatingPoints.from_scores(LABEL, GOOD)
    assert [int(row["tp"]) for row in read(tmp_path / "m.csv")] == points.tp.tolist()
    call("convert", predictions, tmp_path / "m.list", "--scores", "good")
    call("convert", tmp_path / "m.list", tmp_path / "m.pr")
    assert (tmp_path / "m.pr").stat().st_size > 100


def test_a_table_without_rows(call, tmp_path):
    columns = {"label": pa.array([], pa.int64()), "score": pa.array([], pa.float64())}
    pq.write_table(pa.table(columns), tmp_path / "e.parquet")
    words = ["--label", "label", "--scores", "score"]
    call("convert", tmp_path / "e.parquet", tmp_path / "e.list", *words)
    assert (tmp_path / "e.list").read_text() == ""
    call("summary", tmp_path / "e.parquet", *words, code=2)


def test_a_doctor_finds_everything_well_or_says_what_hurts(call, monkeypatch, capsys):
    data = call("doctor", "--json").data
    assert data["fine"] is True
    parts = {row["part"]: row for row in data["parts"]}
    assert parts["numpy"]["version"] == np.__version__
    assert {row["state"] for row in data["checks"]} == {"fine"}
    monkeypatch.setattr(native, "library", lambda: None)
    said = call("doctor").out
    assert "the compiled loops are missing, damaged or older than their sources; NumPy" in said
    monkeypatch.setattr(iso.ROCSpace, "area", lambda _: 0.5)
    assert main(["doctor", "--json"]) == 2
    checks = json.loads(capsys.readouterr().out)["checks"]
    found = {row["check"]: row["found"] for row in checks if row["state"] == "problem"}
    assert list(found) == ["a small file"]
    assert "0.5 instead of 0.75" in found["a small file"]


def test_a_doctor_says_what_is_missing(capsys, monkeypatch):
    needs = ["numpy>=2.0", "no-such-part>=1", 'no-such-extra>=2; extra == "plot"']
    monkeypatch.setattr(metadata, "requires", lambda _: needs)
    assert main(["doctor", "--json"]) == 2
    data = json.loads(capsys.readouterr().out)
    parts = {row["part"]: row for row in data["parts"]}
    assert parts["no-such-part"]["state"] == "problem"
    assert parts["no-such-part"]["to get it"] == "pip install 'no-such-part'"
    assert parts["no-such-extra"]["state"] == "optional"
    assert parts["no-such-extra"]["to get it"] == "pip install 'isometrics[plot]'"


@pytest.mark.slow
def test_demo(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = call("demo", "-o", "a folder/demo")
    assert done.out.splitlines()[-1] == "a folder/demo/report.html"
    assert names(tmp_path / "a folder" / "demo") == ["report.html", "test.csv", "tuning.csv"]
    said = done.out.splitlines()
    assert len(said) == 17
    next_command = said[said.index("Try next:") + 1]
    assert next_command == "isometrics verdict 'a folder/demo/test.csv' --pos-label fraud"
    # It says what the demo said of F1.
    assert call(*shlex.split(next_command)[1:]).out.splitlines()[0] == said[3]
    # Each area would pick the model that is worse for one of the two weights of recall.
    assert said[3].startswith("Use forest and flag scores of 0.384 or more. Expect F1 0.68")
    assert said[4] == "AUROC would pick logit (0.955 against 0.813), whose best F1 is 0.39:"
    assert said[5] == "it finds 99 frauds at 226 false alarms, forest 98 at 1."
    assert said[8].startswith("Use logit and flag scores of 0.048273 or more. Expect F4 0.69")
    assert said[9] == "AUPR would pick forest (0.570 against 0.302), whose best F4 is 0.55:"
    assert said[10] == "it misses 86 frauds, logit 22."
    again = call("demo", "--json").data
    assert again["verdict"]["sentence"] == said[3]
    assert len(again["summary"]) == 2
    assert again["report"] == "demo-report/report.html"
    (tmp_path / "in the way").write_text("")
    assert "cannot make the folder" in call("demo", "-o", "in the way", code=2).err


def test_a_row_id_of_more_than_64_bits(call, tmp_path):
    file = tmp_path / "big.arff"
    head = "@relation r\n@attribute row_id numeric\n@attribute prediction {a,b}\n"
    head += "@attribute correct {a,b}\n@attribute confidence.a numeric\n"
    head += "@attribute confidence.b numeric\n@data\n"
    file.write_text(f"{head}{10**23},a,a,0.9,0.1\n1,b,b,0.1,0.9\n")
    done = call("summary", file, "--pos-label", "a", code=2)
    assert f"row_id is '{10**23}', which is no whole number of up to 18" in done.err


def test_a_parquet_file_whose_name_is_no_text(call, tmp_path):
    table = pa.table({"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.7, 0.1]})
    pq.write_table(table, tmp_path / "x.parquet")
    file = (tmp_path / "x.parquet").rename(tmp_path / os.fsdecode(b"n\xe8.parquet"))
    assert "its name is not UTF-8" in call("summary", file, code=2).err
