"""Maps of scores that `isometrics calibrate` learns from a file and applies to another."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import isometrics as iso
from isometrics.calibration import read_map

from .conftest import names, read, sample

LABEL, GOOD, _, _ = sample()


@pytest.mark.parametrize(
    ("kind", "made"), [("f", iso.FCalibrator), ("accuracy", iso.AccuracyCalibrator)]
)
def test_calibrated_scores(call, predictions, other, kind, made):
    tmp_path = other.parent
    learnt, target = tmp_path / "map.json", tmp_path / "calibrated.csv"
    call("calibrate", predictions, "--kind", kind, "-o", learnt)
    assert call("calibrate", "--apply", learnt, other, "-o", target).out == f"{target}\n"
    expected = made().fit(LABEL, GOOD).transform(sample(seed=2)[1])
    rows = read(target)
    assert list(rows[0]) == ["label", "good", "bad", "good_calibrated", "bad_calibrated"]
    assert [float(row["good_calibrated"]) for row in rows] == expected.tolist()
    assert [row["good"] for row in rows] == [row["good"] for row in read(other)]


def test_a_map_tells_what_it_was_learnt_from_and_needs_no_labels(call, predictions, tmp_path):
    data = call("calibrate", predictions, "-o", tmp_path / "m.json", "--json").data
    assert data["segments"]["good"] == iso.FCalibrator().fit(LABEL, GOOD).table().values.size
    on_screen = json.loads(call("calibrate", predictions, "-o", "-").out)
    assert on_screen == json.loads((tmp_path / "m.json").read_text())
    assert list(read_map(tmp_path / "m.json")) == ["good", "bad"]
    call("calibrate", predictions, "--scores", "good", "-o", tmp_path / "m.json")
    new = tmp_path / "new.parquet"
    pq.write_table(pa.table({"id": ["a", "b"], "s": [0.5, -0.5]}), new)
    words = ["--apply", tmp_path / "m.json", new, "--scores", "s", "-o"]
    done = call("calibrate", *words, tmp_path / "out.parquet", "--json")
    assert (done.data["rows"], done.data["columns"]) == (2, ["good_calibrated"])
    assert pq.read_table(tmp_path / "out.parquet")["id"].to_pylist() == ["a", "b"]
    assert call("calibrate", *words, "-").out.splitlines()[0] == "id,s,good_calibrated"


def test_one_column_of_scores_and_one_of_models(call, predictions, tmp_path):
    call("calibrate", predictions, "-o", tmp_path / "m.json")
    rows = {"which": ["bad", "good", "bad"], "s": [0.1, 0.2, 0.3]}
    pq.write_table(pa.table(rows), tmp_path / "long.parquet")
    words = ["--apply", tmp_path / "m.json", tmp_path / "long.parquet", "--model", "which"]
    call("calibrate", *words, "--scores", "s", "-o", tmp_path / "out.csv")
    found = [float(row["calibrated"]) for row in read(tmp_path / "out.csv")]
    maps = read_map(tmp_path / "m.json")
    expected = [maps[which].transform([s])[0] for which, s in zip(*rows.values(), strict=True)]
    assert found == expected
    named = call("calibrate", *words, "--scores", "x=s", "-o", "-")
    assert named.out == (tmp_path / "out.csv").read_text()
    assert "one column of --scores" in call("calibrate", *words, "-o", "-", code=2).err


@pytest.mark.parametrize(
    ("table", "words", "message"),
    [
        ({"good": [1.0]}, [], "has no column 'bad'; it has good; say which"),
        ({"good": [1.0], "bda": [1.0]}, [], "say which one holds the scores with --scores bad="),
        ({"good": [1.0], "bad": ["x"]}, [], "bad has values that are not real numbers"),
        ({"good": [1], "bad": [1]}, ["--scores", "good", "--scores", "worse=bad"], "'worse'"),
        ({"good": [1.0, None], "bad": [1.0, 1.0]}, [], "missing values, the first in row 2"),
        ({"good": [1.0]}, ["--scores", "x=good"], "the map has no model 'x', only 'good', 'bad'"),
        ({"good": [1.0], "bad": [1.0], "bad_calibrated": [1]}, [], "already has a column"),
        ({"s": [1.0], "m": ["other"]}, ["--model", "m", "--scores", "s"], "names 'other' in row 1"),
        ({"s": [1.0], "m": [None]}, ["--model", "m", "--scores", "s"], "names '' in row 1"),
        ({"s": [1.0]}, ["--model", "m", "--scores", "s"], "has no column 'm'; it has s"),
        ({"m": ["good"]}, ["--model", "m", "--scores", "s"], "has no column 's'; it has m"),
    ],
)
def test_a_map_that_does_not_fit(call, predictions, table, words, message):
    tmp_path = predictions.parent
    call("calibrate", predictions, "-o", tmp_path / "m.json")
    new, target = tmp_path / "new.parquet", tmp_path / "out.csv"
    pq.write_table(pa.table(table), new)
    done = call("calibrate", "--apply", tmp_path / "m.json", new, "-o", target, *words, code=2)
    assert message in done.err
    assert "out.csv" not in names(tmp_path)


def test_a_file_without_rows_and_a_map_that_is_none(call, predictions, tmp_path):
    call("calibrate", predictions, "--scores", "good", "-o", tmp_path / "m.json")
    (tmp_path / "new.csv").write_text("id,good\n")
    words = ("--apply", tmp_path / "m.json", tmp_path / "new.csv", "-o", tmp_path / "out.csv")
    assert call("calibrate", *words, "--json").data["rows"] == 0
    assert (tmp_path / "out.csv").read_text() == "id,good,good_calibrated\n"
    (tmp_path / "m.json").write_text("{}")
    assert "is no calibration map" in call("calibrate", *words, code=2).err
