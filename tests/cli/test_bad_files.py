"""Bad files: one sentence, exit code 2, no traceback, and nothing half-written."""

import gzip
import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from isometrics.sources import files

GOOD = "label,score\n" + "".join(f"{k % 2},{k / 10}\n" for k in range(40))


def parquet(path, rows=50):
    table = {"label": [k % 2 for k in range(rows)], "score": [k / rows for k in range(rows)]}
    pq.write_table(pa.table(table), path)
    return path


def truncated(path):
    data = parquet(path).read_bytes()
    path.write_bytes(data[: len(data) // 2])


def without_end(path):
    path.write_bytes(parquet(path).read_bytes()[:-4])


def directory(path):
    path.mkdir()


def text(content):
    return lambda path: path.write_bytes(content)


BAD = {
    "truncated.parquet": truncated,
    "without end.parquet": without_end,
    "named.parquet": text(GOOD.encode()),
    "utf-16.csv": text(GOOD.encode("utf-16")),
    "latin-1.csv": text("label,größe\n1,0.5\n0,0.2\n".encode("latin-1")),
    "ragged.csv": text(b"label,score\n1,0.5\n0,0.25,7\n1,0.75\n0\n"),
    "three labels.csv": text(b"label,score\n1,0.5\n0,0.25\n2,0.75\n"),
    "missing score.csv": text(b"label,score\n1,0.5\n0,\n1,0.75\n0,0.2\n"),
    "one class.csv": text(b"label,score\n1,0.5\n1,0.25\n"),
    "text scores.csv": text(b"label,score\n1,high\n0,low\n"),
    "empty.csv": text(b""),
    "header only.csv": text(b"label,score\n"),
    "nul.csv": text(b"\0" * 5000),
    "random.bin": text(bytes(range(256)) * 40),
    "broken.csv.gz": text(gzip.compress(GOOD.encode())[:60]),
    "broken.jsonl": text(b'{"label": 1, "score": 0.5}\n{"label": 0, "sc'),
    "broken.arff": text(b"@relation x\n@attribute a {1,0\n@data\n1"),
    "broken.npz": text(b"PK\x03\x04 no archive"),
    "folder": directory,
    "quotes\";'<b>.csv": text(b"label\n1\n"),
}
COMMANDS = {
    "verdict": [],
    "summary": [],
    "thresholds": [],
    "compare": [],
    "tradeoff": [],
    "curve": ["-o", "out.csv"],
    "calibrate": ["-o", "map.json"],
    "plot": ["-o", "out.png"],
    "report": ["-o", "out.html"],
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files(call, tmp_path, monkeypatch, name):
    BAD[name](tmp_path / name)
    monkeypatch.chdir(tmp_path)
    for command, words in COMMANDS.items():
        done = call(command, name, *words, code=2)
        assert done.out == ""
        assert os.listdir(tmp_path) == [name]  # noqa: PTH208


def test_a_file_that_disappears(call, tmp_path, monkeypatch):
    path = tmp_path / "short-lived.csv"
    path.write_text(GOOD)
    real = files.kind_of_file

    def kind_and_remove(file):
        kind = real(file)
        file.unlink()
        return kind

    monkeypatch.setattr(files, "kind_of_file", kind_and_remove)
    assert "cannot read" in call("summary", path, code=2).err


@pytest.mark.parametrize("command", ["curve", "plot", "report", "calibrate", "convert"])
def test_a_folder_that_is_not_there(call, predictions, tmp_path, command):
    target = tmp_path / "nowhere" / {"curve": "c.csv", "plot": "p.png"}.get(command, "x.json")
    words = [target] if command == "convert" else ["-o", target]
    assert "cannot write" in call(command, predictions, *words, code=2).err


def test_a_full_disk_behind_standard_output(predictions):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "isometrics", "curve", predictions],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(
        b"standard output: no space left on device; see that it has room, and the folder TMPDIR"
    )


def test_a_reader_that_has_enough(tmp_path):
    path = parquet(tmp_path / "long.parquet", 300_000)
    command = f'"{sys.executable}" -m isometrics curve "{path}" | head -n 2'
    done = subprocess.run(command, shell=True, check=True, capture_output=True)
    assert done.stdout.splitlines()[0] == b"model,threshold,tp,fp,recall,precision"
    assert b"Error" not in done.stderr


def test_names_are_data(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    label, score = "la\"bel'; DROP TABLE x; --", "<b class>sc;ore</b>"
    name = "a \"file\"; rm -rf '$HOME' <i>ünï [x] *.parquet"
    table = {label: [1, 0, 1, 0, 1], score: [0.9, 0.8, 0.7, 0.2, 0.1]}
    pq.write_table(pa.table(table), name)
    words = [name, "--label", label, "--scores", score]
    assert score in call("summary", *words).out
    call("curve", *words, "-o", f"{score.replace('/', '')} ; x.csv")
    call("plot", *words, "-o", "p.svg")
    assert "<b class" not in (tmp_path / "p.svg").read_text(encoding="utf-8")
    call("convert", name, "copy;'.csv")
    assert call("summary", "copy;'.csv", *words[1:]).out == call("summary", *words).out


def test_names_that_are_no_text(call, predictions, tmp_path):
    words = [predictions, "--scores", "m\udc80=good", "--scores", "bad"]
    assert call("summary", *words, "--json").data["summary"][0]["model"] == "m\\udc80"
    call("report", *words, "--title", "t\udc80", "-o", tmp_path / "r\udc80.html")
    call("plot", *words, "--title", "t\udc80", "-o", tmp_path / "p\udc80.png")
    call("calibrate", *words, "-o", tmp_path / "m\udc80.json")
    call("convert", predictions, tmp_path / "c\udc80.csv")
    assert len(list(tmp_path.iterdir())) == 5
    # DuckDB does not open such files; that is said, too.
    call("summary", tmp_path / "c\udc80.csv", code=2)
