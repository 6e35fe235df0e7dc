"""Tables as files: exact, whole, and harmless whatever the names are."""

import csv
import io
import json
import math
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isometrics.cli.table_files import SUFFIXES, check_suffix, write_batches, write_table
from isometrics.errors import FileError, ParameterError

from .conftest import read

NASTY = ['a "quoted" name', "semi;colon, comma", "<b>html</b>", "two\nlines", "=1+1", "", "näme"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(
    values=st.lists(st.floats(), min_size=1, max_size=20),
    names=st.lists(st.sampled_from(NASTY), min_size=1, max_size=3, unique=True),
)
def test_csv_reads_back_exactly(tmp_path, values, names):
    path = tmp_path / "a file.csv"
    texts = [names[k % len(names)] for k in range(len(values))]
    write_table({name: np.array(values) for name in names} | {"text": texts}, str(path))
    with path.open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert head == [*names, "text"]
    assert [row[-1] for row in rows] == texts
    found = np.array([[float(cell) for cell in row[:-1]] for row in rows])
    assert np.array_equal(found, np.array([values] * len(names)).T, equal_nan=True)


def test_tables_on_standard_output(capsys):
    write_table({"model": ["a", "b c"], "x": np.array([0.5, math.inf])}, "-")
    assert capsys.readouterr().out == "model,x\na,0.5\nb c,inf\n"
    write_table({"x": np.arange(100_000)}, "-")
    lines = capsys.readouterr().out.split()
    assert lines == ["x", *map(str, range(100_000))]
    write_table({"n\udc80": ["\udc80", None]}, "-")
    assert capsys.readouterr().out == "n\\udc80\n\\udc80\n\n"
    column = pa.array([1.25, None]).cast(pa.decimal128(5, 2))
    texts = pa.array(["x", "y"])
    batch = pa.record_batch(
        {
            "d": column,
            "b": pa.array([True, None]),
            "code": texts.dictionary_encode(),
            "view": texts.cast(pa.string_view()),
            "long": texts.cast(pa.large_string()),
        }
    )
    write_batches(batch.schema, [batch], "-")
    assert capsys.readouterr().out == "d,b,code,view,long\n1.25,true,x,x,x\n,,y,y,y\n"


@pytest.mark.parametrize("suffix", ["parquet", "PARQUET", "arrow", "json", "jsonl"])
def test_every_format_reads_back(tmp_path, suffix):
    columns = {"A": NASTY, "a": [*NASTY[:-1], "t\tab"], 'it\'s "q"': np.linspace(0, 1, len(NASTY))}
    columns |= {"tp": np.arange(len(NASTY))}
    write_table(columns, str(tmp_path / f"t.{suffix}"))
    rows = read(tmp_path / f"t.{suffix}")
    assert rows == [
        dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
    ]
    assert type(rows[0]["tp"]) is int


def test_what_a_format_cannot_hold_is_one_sentence_before_the_header_is_out(tmp_path, capsys):
    batch = pa.record_batch({"x": [[1, 2]]})
    for target, name in ((str(tmp_path / "t.csv"), "'.*t.csv'"), ("-", "to standard output")):
        with pytest.raises(FileError, match=f"cannot write {name}: .*list"):
            write_batches(batch.schema, [batch], target)
    assert list(tmp_path.iterdir()) == []
    assert capsys.readouterr().out == ""


def test_json_and_texts_that_need_escapes(tmp_path, monkeypatch):
    path = tmp_path / "t.json"
    write_table({"x": np.array([1.5, math.nan, -math.inf]), "n": ["a", None, "\udc80"]}, str(path))
    assert json.loads(path.read_bytes(), parse_constant=pytest.fail) == [
        {"x": 1.5, "n": "a"},
        {"x": None, "n": None},
        {"x": "-Infinity", "n": "\udc80"},
    ]
    columns = {"modèle": ["€😀", "x"]}
    stream = io.TextIOWrapper(io.BytesIO(), encoding="latin-1", errors="backslashreplace")
    monkeypatch.setattr(sys, "stdout", stream)
    write_table(columns, "-")
    stream.flush()
    write_table(columns, str(tmp_path / "t.csv"))
    assert stream.buffer.getvalue() == (tmp_path / "t.csv").read_bytes()


@pytest.mark.parametrize(("suffix", "content"), [("json", "[\n\n]\n"), ("jsonl", "\n")])
def test_json_without_rows(tmp_path, suffix, content):
    write_table({"x": np.array([])}, str(tmp_path / f"t.{suffix}"))
    assert (tmp_path / f"t.{suffix}").read_text() == content


def test_long_doubles_are_not_rounded():
    values = np.array([2**63 + 1], np.longdouble)
    with pytest.raises(ParameterError, match="the thresholds have more than 64 bits"):
        write_table({"threshold": values}, "-")


@pytest.mark.parametrize("target", ["t.xlsx", "t", "csv"])
def test_other_suffixes_are_refused(target):
    with pytest.raises(ParameterError, match=r"should end in \.csv, .*, or be -"):
        check_suffix(target)


@pytest.mark.parametrize("suffix", [suffix.lstrip(".") for suffix in SUFFIXES])
def test_a_full_disk_leaves_nothing(tmp_path, suffix):
    def batches():
        yield pa.record_batch({"x": [1]})
        raise OSError(28, "No space left on device")

    with pytest.raises(FileError, match="no space left on device"):
        write_batches(pa.schema({"x": pa.int64()}), batches(), str(tmp_path / f"t.{suffix}"))
    assert list(tmp_path.iterdir()) == []
