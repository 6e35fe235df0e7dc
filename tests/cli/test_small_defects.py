"""Files that are compressed, missing or broken; texts that stay as they are written."""

import csv
import gzip
import io

import pytest

MESSY = (
    'id,label,score,note,share\n007,1,0.10,"a, b",50%\n8,0,1e-3,NA,\n9,1,.5,yes,7%\n'
    "10,0,0,TRUE,8%\n"
)


@pytest.fixture
def messy(tmp_path):
    file = tmp_path / "messy.csv"
    file.write_text(MESSY)
    return file


def rows(text, delimiter=","):
    return list(csv.reader(io.StringIO(text), delimiter=delimiter))


def test_apply_writes_compressed_csv(call, messy, tmp_path):
    rule, out = tmp_path / "rule.json", tmp_path / "out"
    call("thresholds", messy, "--beta", "1", "-o", rule)
    for suffix in (".csv", ".tsv", ".jsonl", ".CSV"):
        plain, packed = (out.with_suffix(f"{suffix}{more}") for more in ("", ".gz"))
        for target in (plain, packed):
            call("apply", rule, messy, "-o", target)
        assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
        again = packed.read_bytes()
        call("apply", rule, messy, "-o", packed)
        assert packed.read_bytes() == again
    call("summary", out.with_suffix(".csv.gz"), "--label", "label", "--scores", "score")


@pytest.mark.parametrize(
    "words",
    [
        ("summary", "--label", "label", "--scores", "score"),
        ("thresholds", "--label", "label", "--scores", "score"),
        ("curve", "--label", "label", "--scores", "score"),
        ("convert",),
    ],
    ids=lambda words: words[0],
)
def test_others_write_compressed_csv_too(call, messy, tmp_path, words):
    name, *options = words
    targets = [tmp_path / "a.csv", tmp_path / "a.csv.gz"]
    for target in targets:
        where = [target] if name == "convert" else ["-o", target]
        call(name, messy, *where, *options)
    assert gzip.decompress(targets[1].read_bytes()) == targets[0].read_bytes()
    refused = call(name, messy, *(where[:-1]), tmp_path / "a.gz", *options, code=2)
    assert ".csv.gz" in refused.err or "tells no format" in refused.err


def test_convert_leaves_texts_as_they_are_written(call, messy, tmp_path):
    call("convert", messy, tmp_path / "o.csv")
    assert rows((tmp_path / "o.csv").read_text()) == rows(MESSY)
    call("convert", messy, tmp_path / "o.tsv")
    assert rows((tmp_path / "o.tsv").read_text(), "\t") == rows(MESSY)
    # Said how decimals are written, the numbers are read.
    call("convert", messy, tmp_path / "o.csv", "--decimal", ".")
    assert "0.001" in (tmp_path / "o.csv").read_text()


def test_calibrate_leaves_texts_as_they_are_written(call, messy, tmp_path):
    learnt, out = tmp_path / "map.json", tmp_path / "o.csv"
    call("calibrate", messy, "--scores", "score", "--label", "label", "-o", learnt)
    call("calibrate", "--apply", learnt, messy, "-o", out)
    found, given = rows(out.read_text()), rows(MESSY)
    assert [row[:-1] for row in found] == given
    assert found[0][-1] == "score_calibrated"
    values = [float(row[-1]) for row in found[1:]]
    call("calibrate", "--apply", learnt, messy, "-o", tmp_path / "o.jsonl")
    lines = (tmp_path / "o.jsonl").read_text().splitlines()
    for value, line in zip(values, lines, strict=True):
        assert f'"score_calibrated":{value!r}' in line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"y":1,"s":0.5}\n{"y":0,"s":}\n', "line 2 is no JSON; correct or remove it"),
        ('\n{"y":1,"s":0.5}\n{"y":0,"s":1\n{"y":0,"s":1\n', "line 3 is no JSON; corr"),
        ('{"y":1}\n' + "x\n" * 9, "line 2 is no JSON"),
        ('[{"y":1,"s":0.5},\n{"y":0 "s":1}]\n', "line 2 is no JSON"),
        ('{"y":1,"s":0.5}\n{"y":0,"s":0.1}\n' * 30_000 + '{"y":1,"s"\n', "line 60001 is no JSON"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_lines_that_are_no_json_are_named(call, tmp_path, text, message, packed):
    file = tmp_path / ("x.jsonl.gz" if packed else "x.jsonl")
    file.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    done = call("summary", file, code=2)
    assert f"x.jsonl{'.gz' * packed}': {message}" in done.err
    assert "Malformed" not in done.err


def test_broken_json_in_another_encoding(call, tmp_path):
    file = tmp_path / "x.json"
    file.write_bytes(b'[{"y":1,"s":0.5},\n{"y":0 "\xe4":1}]\n')
    assert call("summary", file, code=2).err.startswith("isometrics: cannot read ")
