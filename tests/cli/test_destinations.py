"""Standard output gets what a file would be, whole and alone, under any of its names."""

import io
import math
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from isometrics.cli import main
from isometrics.sources.files import open_source

NAMES = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
COMMANDS = [
    ("apply rule.json a.csv -o OUT", "flagged.csv"),
    ("calibrate --apply map.json a.csv -o OUT", "calibrated.csv"),
    ("calibrate a.csv -o OUT", "map.json"),
    ("convert a.csv OUT --to csv", "a.csv"),
    ("convert a.csv OUT --to jsonl", "a.jsonl"),
    ("convert a.csv OUT --to PR --scores good", "a.pr"),
    ("curve a.csv -o OUT", "curve.csv"),
    ("summary a.csv -o OUT --beta 1", "summary.csv"),
    ("thresholds a.csv --scores good --beta 1 -o OUT", "rule.json"),
    ("verdict a.csv --scores good -o OUT", "verdict.json"),
    ("report a.csv -o OUT --title a", "report.html"),
]


@pytest.fixture
def folder(tmp_path, predictions, call, monkeypatch):
    monkeypatch.chdir(tmp_path)
    predictions.rename(tmp_path / "a.csv")
    call("thresholds", "a.csv", "--scores", "good", "--beta", "1", "-o", "rule.json")
    call("calibrate", "a.csv", "-o", "map.json")
    return tmp_path


@pytest.mark.parametrize(("words", "name"), COMMANDS, ids=lambda x: x)
def test_standard_output_gets_the_file_and_nothing_else(folder, call, words, name):
    printed = {given: call(*words.replace("OUT", given).split()).out for given in NAMES}
    assert len({*printed.values()}) == 1
    if name != "report.html":  # a page says when it was made
        call(*words.replace("OUT", f"written.{name}").split())
        assert printed["-"] == (folder / f"written.{name}").read_text()
    assert printed["-"].strip()


@pytest.mark.parametrize("redirected", ["> q.csv", "| cat > q.csv"])
def test_a_redirected_stream_holds_the_rows_alone(folder, redirected):
    command = f"{sys.executable} -m isometrics convert a.csv /dev/stdout {redirected}"
    subprocess.run(["sh", "-c", command], check=True, cwd=folder)
    assert (folder / "q.csv").read_text() == (folder / "a.csv").read_text()


def test_the_stream_of_a_notebook_takes_text(folder, monkeypatch):
    stream = io.StringIO()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", stream)
        assert main(["convert", "a.csv", "-"]) == 0
    assert stream.getvalue() == (folder / "a.csv").read_text()


@pytest.mark.parametrize("end", ['1,"0.5\n', "1\n"])
@pytest.mark.parametrize(
    "words", ["apply rule.json a.csv", "calibrate --apply map.json a.csv -o -", "convert a.csv -"]
)
def test_no_row_leaves_before_all_are_read(folder, call, words, end):
    rows = "".join((folder / "a.csv").read_text().splitlines(keepends=True)[1:])
    (folder / "a.csv").write_text("label,good,bad\n" + rows * 5000 + end)
    assert call(*words.split(), code=2).out == ""


@pytest.mark.parametrize("words", ["apply rule.json a.parquet", "convert a.parquet -"])
def test_no_row_leaves_a_damaged_column(folder, call, words):
    """Statistics and the footer are whole; the last rows are not."""
    table = pa.table({"good": np.random.default_rng(0).random(400_000)})
    parquet.write_table(table, "a.parquet", row_group_size=50_000, compression="none")
    content = bytearray((folder / "a.parquet").read_bytes())
    place = parquet.read_metadata("a.parquet").row_group(7).column(0).data_page_offset
    content[place : place + 40] = bytes(40)
    (folder / "a.parquet").write_bytes(content)
    assert call(*words.split(), code=2).out == ""


KEPT = {
    "good": [0.1, math.nan, math.inf, -math.inf, -0.0, 5e-324, None],
    "whole": pa.array([2**64 - 1, 2**53 + 1, 0, 1, 2, 3, None], pa.uint64()),
    "exact": pa.array([Decimal("12345678901234567.8"), *[Decimal("0.1")] * 6]),
    "half": np.array([0.1, 1, 2, 3, 4, 5, 6], np.float16),
    "text": ['a"\n', "é😀", "\x1f", "NaN", "", "\\", None],
    "struct": [{"a": 1, "b": {"c": [1.5, None]}}] * 6 + [None],
    "list": [[0.5, math.inf], [], [-1.5], [1.0], [2.0], [3.0], None],
    "codes": pa.array(["x", "y", "x", "y", "x", "y", None]).dictionary_encode(),
    "row": [True, False, True, None, True, True, True],
}


def rows_of(path):
    source = open_source(path)
    source.settle(source.schema.names, source.schema.names)
    (batch,) = source.batches(source.schema.names)
    source.close()
    return batch


@pytest.mark.parametrize("suffix", ["json", "jsonl", "jsonl.gz"])
def test_json_keeps_every_value(folder, call, suffix):
    """Structs and lists are objects and arrays, NaN and infinity are themselves."""
    parquet.write_table(pa.table(KEPT), "kept.parquet")
    call("convert", "kept.parquet", f"kept.{suffix}")
    read = rows_of(folder / f"kept.{suffix}")
    assert read.schema.names == list(KEPT)
    for name, expected in pa.table(KEPT).to_pydict().items():
        # JSON has one kind of number.
        numbers = {"whole": int, "exact": float}.get(name, lambda value: value)
        for columns in zip(read[name].to_pylist(), expected, strict=True):
            found, kept = (x if x is None else numbers(x) for x in columns)
            assert repr(found) == repr(kept), name


@pytest.mark.parametrize("kind", [pa.binary(), pa.list_(pa.large_binary()), pa.binary(1)])
@pytest.mark.parametrize("output", ["out.csv", "out.json", "out.jsonl", "-"])
def test_bytes_are_refused_where_text_cannot_hold_them(folder, call, kind, output):
    value = [b"\xff"] if pa.types.is_list(kind) else b"\xff"
    table = pa.table({"good": [0.5], "raw": pa.array([value], kind)})
    parquet.write_table(table, "raw.parquet")
    done = call("apply", "rule.json", "raw.parquet", "-o", output, code=2)
    assert "'raw' holds bytes, which text cannot; write a .parquet or .arrow file" in done.err
    assert done.out == ""
    assert not (folder / output).exists()
