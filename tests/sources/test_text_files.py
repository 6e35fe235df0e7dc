"""All rows of a text count, and all of them decide the types, wherever they stand."""

import csv
import gzip
import json
from contextlib import closing
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import isometrics as iso
from isometrics.cli import main
from isometrics.errors import (
    LabelError,
    MissingValueError,
    ScoreError,
)
from isometrics.sources.files import open_source
from isometrics.sources.memory_limit import LEAST

SAMPLE = 20_480
"""The rows from which DuckDB guesses types."""

PLACES = [SAMPLE, SAMPLE + 500]
"""Where the odd value stands, counted from 0; the rows end there or go on."""


def rows_with(odd, place, *, total=SAMPLE + 501, **usual):
    """Return columns of the usual values, with odd ones at one place."""
    columns = {"label": [row % 2 for row in range(total)]}
    columns |= {name: [value] * total for name, value in usual.items()}
    for name, value in odd.items():
        columns[name][place] = value
    return columns


def write(path, columns):
    """Write columns as the suffix says, by other code than that under test."""
    rows = [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.parametrize(
    ("suffix", "place"), [*product(["csv", "tsv", "jsonl"], PLACES), ("csv", 200_000)]
)
def test_a_fraction_after_whole_numbers(tmp_path, suffix, place):
    columns = rows_with({"score": 0.6}, place, total=max(SAMPLE + 501, place + 1), score=0)
    path = write(tmp_path / f"x.{suffix}", columns)
    expected = iso.OperatingPoints.from_scores(columns["label"], columns["score"])
    assert iso.read_predictions(path).models["score"] == expected


@pytest.mark.parametrize("late", ["1.4", "01", "a", '"1"', "1.0", "+1", "1e0"])
def test_names_of_groups_are_as_they_are_written(tmp_path, late):
    """Groups that DuckDB would round, or read without their zeros, are groups of their own."""
    total = SAMPLE + 9
    lines = [f"{row % 2},{row},1" for row in range(total)] + [f"1,5,{late}", f"0,4,{late}"]
    path = tmp_path / "x.csv"
    path.write_text("label,score,fold\n" + "\n".join(lines) + "\n")
    result = iso.read_predictions(path, group="fold").groups
    sizes = [int(group["score"].tp[-1] + group["score"].fp[-1]) for group in result.values()]
    same = late in ('"1"', "1.0", "+1", "1e0")
    assert sorted(sizes) == ([total + 2] if same else [2, total])


def test_a_key_that_first_appears_later(tmp_path):
    columns = rows_with({}, 0, score=0.5)
    path = write(tmp_path / "x.jsonl", columns)
    with path.open("a") as file:
        file.write('{"label": 1, "score": 0.5, "weight": 3}\n')
    with pytest.raises(MissingValueError, match=r"^weight has missing .* 20981 in all"):
        iso.read_predictions(path)
    result = iso.read_predictions(path, weight=False)
    assert result.description.endswith("not used: weight")


def test_keys_with_numbers_behind_them(tmp_path):
    """DuckDB gives such names to keys that differ in capital letters alone, which are refused."""
    lines = ['{"y": 1, "p": 0.5}', '{"y": 0, "p": 0.5, "p_1": 2}']
    (tmp_path / "y.jsonl").write_text("\n".join(lines))
    analysis = iso.read_predictions(tmp_path / "y.jsonl", scores="p")
    assert analysis.description.endswith("not used: p_1")


@pytest.mark.parametrize("packed", [False, True])
def test_keys_that_are_sometimes_null_or_nested(tmp_path, packed):
    """Colons in texts, and values that are null, make no difference."""
    lines = ['{"label": 1, "score": 0.5, "note": null}', '{"label": 0, "score": 0.25}',
             '{"label": 0, "score": 0.75, "note": {"a": 1}}',
             '{"label": 1, "score": 1, "note": {"a": 2}, "text": "a\\": b"}'] * 50  # fmt: skip
    path = tmp_path / ("x.jsonl.gz" if packed else "x.jsonl")
    content = "\n".join(lines).encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    points = iso.read_predictions(path).models["score"]
    assert points == iso.OperatingPoints.from_scores([1, 0, 0, 1] * 50, [0.5, 0.25, 0.75, 1] * 50)


@pytest.mark.parametrize("target", ["csv", "parquet"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_what_is_converted_keeps_every_value(tmp_path, suffix, target):
    columns = rows_with(
        {"score": 0.6, "day": "2020-01-01 12:30:00", "id": "007", "big": 2**70 + 1},
        SAMPLE + 9, score=0, day="2020-01-01", id="7", big=2**60 + 1,
    )  # fmt: skip
    path = write(tmp_path / f"x.{suffix}", columns)
    out = tmp_path / f"y.{target}"
    main(["convert", str(path), str(out), "--quiet"])
    if target == "csv":
        with out.open(newline="") as file:
            result = list(csv.DictReader(file))[SAMPLE + 8 : SAMPLE + 10]
    else:
        result = pq.read_table(out).to_pylist()[SAMPLE + 8 : SAMPLE + 10]
    assert [float(row["score"]) for row in result] == [0, 0.6]
    assert [str(row["day"]) for row in result] == ["2020-01-01", "2020-01-01 12:30:00"]
    assert [str(row["id"]) for row in result] == ["7", "007"]
    if suffix == "csv":
        assert [int(row["big"]) for row in result] == [2**60 + 1, 2**70 + 1]


def test_truth_values_of_a_later_spelling(tmp_path):
    columns = rows_with({}, 0, score=0.5)
    columns["label"] = ["true", "false"] * (SAMPLE // 2) + ["yes"] * 501
    with pytest.raises(LabelError, match="yes"):
        iso.read_predictions(write(tmp_path / "x.csv", columns), pos_label="true")
    columns["label"] = ["yes"] * SAMPLE + ["no"] * 501
    result = iso.read_predictions(write(tmp_path / "y.csv", columns), label="label")
    assert result.models["score"].positives == SAMPLE


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_dates_and_times_are_not_cut(tmp_path, suffix):
    columns = rows_with({"split": "2020-01-01 12:00:00"}, -1, score=0.5, split="2020-01-01")
    columns["split"][-2] = "2020-01-01 12:00:00"
    path = write(tmp_path / f"x.{suffix}", columns)
    result = iso.read_predictions(path, group="split").groups
    assert list(result) == ["2020-01-01", "2020-01-01 12:00:00"]
    columns["split"] = ["2020-01-01T10:00:00.123456789", "2020-01-01T10:00:00.123456780"] * 4
    columns = {name: values[:8] for name, values in columns.items()}
    columns["label"] = [1, 1, 0, 0] * 2
    result = iso.read_predictions(write(tmp_path / f"y.{suffix}", columns), group="split").groups
    assert list(result) == sorted(columns["split"][:2])


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
@pytest.mark.parametrize("usual", [0, 0.5])
def test_a_word_among_scores(tmp_path, suffix, usual):
    path = write(tmp_path / f"x.{suffix}", rows_with({"score": "high"}, SAMPLE + 9, score=usual))
    line = SAMPLE + 9 + (2 if suffix == "csv" else 1)
    said = rf"^score has values that are not real .*'high': 1 in all, on line {line}$"
    with pytest.raises(ScoreError, match=said):
        iso.read_predictions(path)


@pytest.mark.parametrize("place", [1, SAMPLE + 1])
@pytest.mark.parametrize("text", ["-inf", "-Infinity", "-1e400"])
def test_numbers_beyond_floats_are_infinite(tmp_path, place, text):
    path = write(tmp_path / "x.csv", rows_with({"score": text}, place, score=0.5))
    assert iso.read_predictions(path).models["score"].thresholds[-1] == -np.inf


@pytest.mark.parametrize("piped", [False, True])
def test_a_model_that_looks_like_whole_numbers_at_first(tmp_path, standard_input, piped):
    columns = rows_with({"b": 0.6}, SAMPLE + 9, a=0.5, b=0, id=7)
    path = write(tmp_path / "x.csv", columns)
    if piped:
        standard_input(path.read_bytes())
    result = iso.read_predictions("-" if piped else path)
    assert list(result.models) == ["a", "b"]
    columns["b"] = [3] * len(columns["b"])
    result = iso.read_predictions(write(tmp_path / "y.csv", columns))
    assert list(result.models) == ["a"]


def test_files_without_values_say_nothing_about_types(tmp_path):
    (tmp_path / "a.csv").write_text("label,score\n")
    (tmp_path / "b.csv").write_text("label,score\n1,3\n0,2\n")
    (tmp_path / "c.csv").write_text("score;label\n0.5;1\n")
    result = iso.read_predictions(tmp_path).models["score"]
    assert result == iso.OperatingPoints.from_scores([1, 0, 1], [3, 2, 0.5])


def test_types_of_several_files(tmp_path):
    (tmp_path / "a.csv").write_text(f"label,score,id\n1,{2**60},1\n0,{2**60 + 1},2\n")
    (tmp_path / "b.csv").write_text(f"label,score,id\n1,{2**70},x\n0,{2**62},true\n")
    (tmp_path / "c.csv").write_text("label,score,id\n1,7,true\n")
    with closing(open_source(tmp_path)) as source:
        source.settle(source.schema.names)
        assert [str(field.type) for field in source.schema][::2] == ["int64", "string"]
    (tmp_path / "b.csv").write_text("label,score,id\n1,1,x\n0,2,true\n")
    assert iso.read_predictions(tmp_path).models["score"].thresholds[1] == 2**60 + 1


@pytest.mark.parametrize("mark", ["#", "//", ";", "%", "!"])
@pytest.mark.parametrize("first", [0, 30])
def test_rows_that_look_like_comments_are_rows(tmp_path, mark, first):
    """1,000 rows, of which 20 have an identifier such as #50."""
    rows = [f"{mark if row % 50 == first else ''}{row},{row % 2},0.{row}" for row in range(1000)]
    (tmp_path / "x.csv").write_text("\n".join(["id,label,score", *rows]))
    points = iso.read_predictions(tmp_path / "x.csv").models["score"]
    assert points.positives + points.negatives == 1000


def test_a_late_row_that_looks_like_a_comment(tmp_path):
    rows = [f"{row % 2},{row}" for row in range(SAMPLE + 9)]
    (tmp_path / "x.csv").write_text("\n".join(["label,score", *rows, "#1,5"]))
    with pytest.raises(LabelError, match="#1"):
        iso.read_predictions(tmp_path / "x.csv", pos_label="1")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "rows",
    ["1,0.5,a\n0,0.25,b", "1,0.5,a\n0,0.25,b\n", "1,0.5,a\n0,0.25,b\n\n\n", "1,0.5,a\n\n0,0.25,b\n",
     '1,0.5,"a\n\nb"\n0,0.25,"a""\n"\n', '1,0.5,5" a\n0,0.25,b\n'],
)  # fmt: skip
def test_blank_lines_and_lines_inside_of_quotes(tmp_path, rows, end):
    (tmp_path / "x.csv").write_text(f"label,score,note\n{rows}".replace("\n", end), newline="")
    assert iso.read_predictions(tmp_path / "x.csv").models["score"].tp.tolist() == [0, 1, 1]


@pytest.mark.parametrize("quote", ['"a b"', '"a\nb"', '"a""b"', '"a,b"'])
def test_quotes_that_come_late(tmp_path, quote):
    name = quote[1:-1].replace('""', '"')
    rows = [f"{row % 2},{row},c" for row in range(SAMPLE + 9)]
    rows += [f"1,0.5,{quote}", f"0,0.25,{quote}"]
    (tmp_path / "x.csv").write_text("\n".join(["label,score,site", *rows]))
    assert list(iso.read_predictions(tmp_path / "x.csv").groups) == [name, "c"]
    rows.insert(0, '1,0.5,"c"')
    (tmp_path / "x.csv").write_text("\n".join(["label,score,site", *rows]))
    assert list(iso.read_predictions(tmp_path / "x.csv").groups) == [name, "c"]


@pytest.mark.parametrize("note", ['5" a', "'a", "a'b", "'a'"])
def test_marks_that_are_no_quotes(tmp_path, note):
    (tmp_path / "x.csv").write_text(f"label,note,score\n1,{note},0.5\n0,x,0.25\n1,y,0.75\n")
    assert iso.read_predictions(tmp_path / "x.csv").models["score"].tp.tolist() == [0, 1, 2, 2]


def test_one_column_whose_name_has_a_comma(tmp_path):
    (tmp_path / "x.csv").write_text('"a,b"\n1\n2\n')
    with closing(open_source(tmp_path / "x.csv")) as source:
        assert source.schema.names == ["a,b"]


@pytest.mark.parametrize("rows", [2, 50_000])
@pytest.mark.parametrize("name", ["x.csv.gz", "x.csv.zst", "x.csv", "x.jsonl", "x.jsonl.gz"])
def test_text_within_the_lowest_limit(tmp_path, name, rows):
    columns = rows_with({"score": 0.5}, 0, total=rows, score=0.25)
    plain = write(tmp_path / f"plain.{name.split('.')[1]}", columns)
    if name.endswith(".gz"):
        (tmp_path / name).write_bytes(gzip.compress(plain.read_bytes()))
    elif name.endswith(".zst"):
        with pa.CompressedOutputStream(str(tmp_path / name), "zstd") as stream:
            stream.write(plain.read_bytes())
    else:
        plain.rename(tmp_path / name)
    result = iso.read_predictions(tmp_path / name, memory_limit=LEAST).models["score"]
    assert result == iso.OperatingPoints.from_scores(columns["label"], columns["score"])


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_nothing_but_infinities(tmp_path, suffix):
    columns = {"label": [1, 0, 1, 0], "score": [np.inf, -np.inf, np.inf, np.inf]}
    result = iso.read_predictions(write(tmp_path / f"x.{suffix}", columns)).models["score"]
    assert result == iso.OperatingPoints.from_scores(*columns.values())


def test_digits_without_end_are_text(tmp_path):
    rows = [f"{row % 2},{row / 8},{'9' * 5000}" for row in range(4)]
    (tmp_path / "x.csv").write_text("\n".join(["label,score,code", *rows]))
    found = iso.read_predictions(tmp_path / "x.csv", label="label", scores="score")
    assert list(found.models) == ["score"]


def test_columns_with_missing_values_are_judged_together(tmp_path):
    """Many of them, of several kinds, beside one that is always missing."""
    columns = {f"x{k}": [k, "NA", 7, 8] for k in range(120)}
    columns |= {"late": [1, "", 2, "b"], "none": [""] * 4, "half": ["NA", 0.5, 1, 2]}
    table = {"label": [0, 1, 0, 1], "score": [0.25, 0.5, 0.125, 0.75], **columns}
    path = write(tmp_path / "x.csv", table)
    with closing(open_source(path)) as source:
        source.settle(source.schema.names)
        kinds = {field.name: str(field.type) for field in source.schema}
        assert {kinds[f"x{k}"] for k in range(120)} == {"int64"}
        assert [kinds[name] for name in ("late", "none", "half")] == ["string", "string", "double"]
