"""Rules that commands write, and rows that `isometrics apply` flags by them."""

import csv
import datetime
import decimal
import gzip
import json
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

import isometrics as iso

from .conftest import names, read, sample, write_csv

NASTY = ['a "quoted"', "semi;colon, comma", "<b>html</b>", "=1+1", "ünï", "'); DROP TABLE t; --"]


@pytest.fixture
def rule(call, predictions, tmp_path):
    path = tmp_path / "rule.json"
    call("thresholds", predictions, "--scores", "good", "--beta", "1", "-o", path)
    return path


def save(path, **changes):
    if changes.get("threshold") == "Infinity":
        changes |= {"tp": 0, "fp": 0, "value": None}
    data = json.loads(path.read_text("utf-8")) | changes
    path.write_text(json.dumps(data), "utf-8")
    return path


def as_csv(table, path, delimiter=","):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(table.column_names)
        writer.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))


def as_jsonl(table, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()), "utf-8")


def as_arrow(table, path):
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=100)


FORMATS = {
    "new.csv": as_csv,
    "new.csv.gz": as_csv,
    "new.tsv": lambda table, path: as_csv(table, path, "\t"),
    "new.parquet": lambda table, path: pq.write_table(table, path, row_group_size=100),
    "new.arrow": as_arrow,
    "new.feather": as_arrow,
    "new.jsonl": as_jsonl,
}


def new_rows(rows=500, seed=4):
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "id": [f"{number:05d}" for number in range(rows)],
            'a "name", or two': rng.choice(NASTY, rows),
            "good": rng.normal(0.4, 1, rows).round(3),
            "count": rng.integers(0, 9, rows),
        }
    )


@pytest.mark.parametrize("target", ["out.csv", "out.tsv", "out.parquet", "out.arrow", "out.jsonl"])
@pytest.mark.parametrize("name", FORMATS)
def test_rows_are_flagged_as_a_slow_reader_flags_them(call, rule, tmp_path, name, target):
    table = new_rows()
    FORMATS[name](table, tmp_path / name)
    done = call("apply", rule, tmp_path / name, "-o", tmp_path / target)
    threshold = Fraction(json.loads(rule.read_text())["threshold"])
    expected = [Fraction(score) >= threshold for score in table["good"].to_pylist()]
    found = read(tmp_path / target)
    assert list(found[0]) == [*table.column_names, "flagged"]
    assert [str(row["flagged"]).lower() == "true" for row in found] == expected
    for column in table.column_names:
        given = table[column].to_pylist()
        kind = type(given[0])
        assert [kind(row[column]) for row in found] == given
    count = sum(expected)
    assert done.out == f"{tmp_path / target}\n"
    assert f"flagged {count:,} of 500 rows ({100 * count / 500:.3g}%, " in done.err
    assert "Beware" not in done.err


def test_types_of_columns_stay(call, rule, tmp_path):
    time = datetime.datetime(2024, 2, 29, 12, 30, tzinfo=datetime.UTC)
    table = pa.table(
        {
            "good": pa.array([0.5, 9.0], pa.float32()),
            "when": pa.array([time, None]),
            "price": pa.array([decimal.Decimal("1.10"), None], pa.decimal128(9, 2)),
            "kinds": pa.array(["a", "b"]).dictionary_encode(),
            "several": pa.array([[1, 2], None], pa.list_(pa.int8())),
        }
    )
    pq.write_table(table, tmp_path / "new.parquet")
    call("apply", rule, tmp_path / "new.parquet", "-o", tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.schema.field("flagged").type == pa.bool_()
    assert found.drop_columns("flagged").cast(table.schema).equals(table)


@pytest.mark.parametrize(
    ("dtype", "threshold", "scores"),
    [
        ("float32", 0.1, [np.float32(0.1), np.nextafter(np.float32(0.1), np.float32(0))]),
        ("float32", 0.7, [np.float32(0.7), np.nextafter(np.float32(0.7), np.float32(1))]),
        ("int64", 2**53 + 1, [2**53, 2**53 + 1, 2**53 + 2]),
        ("uint64", 2**64 - 1, [2**64 - 2, 2**64 - 1]),
        ("int8", 0.5, [0, 1, -128, 127]),
        ("float64", "Infinity", [1e308, math.inf, -math.inf]),
        ("float64", "-Infinity", [-math.inf, 0.0]),
        ("float64", -0.0, [0.0, -0.0, -5e-324, 5e-324]),
        ("bool", 0.5, [True, False]),
    ],
)
def test_scores_are_compared_exactly_in_every_type(call, rule, dtype, threshold, scores):
    tmp_path = save(rule, threshold=threshold).parent
    pq.write_table(pa.table({"good": pa.array(scores, dtype)}), tmp_path / "new.parquet")
    call("apply", rule, tmp_path / "new.parquet", "-o", tmp_path / "out.parquet")
    bound = float(threshold) if isinstance(threshold, str) else threshold
    expected = [
        (score if isinstance(score, int) else float(score)) >= bound < math.inf
        for score in pa.array(scores, dtype).to_pylist()
    ]
    assert pq.read_table(tmp_path / "out.parquet")["flagged"].to_pylist() == expected


def test_long_files_keep_their_order_and_replace_whole_files(call, rule, tmp_path):
    rng = np.random.default_rng(0)
    scores = rng.normal(0.4, 1, 300_000).round(4)
    expected = scores >= json.loads(rule.read_text())["threshold"]
    parquet, text = tmp_path / "new.parquet", tmp_path / "new.csv"
    pq.write_table(pa.table({"row": np.arange(scores.size), "good": scores}), parquet)
    write_csv(text, np.arange(scores.size), scores, names=("row", "good"))
    # A file may replace itself.
    for file, target in ((text, tmp_path / "out.parquet"), (parquet, parquet)):
        call("apply", rule, file, "-o", target)
        found = pq.read_table(target)
        assert found["row"].to_numpy().tolist() == list(range(scores.size))
        assert np.array_equal(found["flagged"].to_numpy(), expected)
    # A missing score in a late batch leaves what was there before.
    scores[-1] = np.nan
    pq.write_table(pa.table({"good": scores}), parquet)
    before = text.read_text()
    done = call("apply", rule, parquet, "-o", text, code=2)
    assert "the first in row 300000" in done.err
    assert text.read_text() == before


def test_the_rows_of_the_rule_have_its_counts(call, rule, predictions, tmp_path):
    decision = iso.load_decision(rule)
    done = call("apply", rule, predictions, "-o", tmp_path / "out.csv", "--json")
    assert done.data == {
        "rows": 60,
        "flagged": decision.tp + decision.fp,
        "share": pytest.approx(decision.flagged_share),
        "expected_share": decision.flagged_share,
        "threshold": decision.threshold,
        "scores": "good",
        "column": "flagged",
        "written": str(tmp_path / "out.csv"),
    }
    rows = read(tmp_path / "out.csv")
    right = [row for row in rows if row["flagged"] == "true" and row["label"] == "1"]
    assert len(right) == decision.tp


TEXTS = """\
id,when,ok,note,good,price
007,2024-02-29 00:30:00,yes,NA,0.10,1.50
8,2024-03-01 01:00:00,NO,"a, ""b""
c",+2.5e0,2
09,2024-03-01 02:00:00.5,No,, 9 ,null
"""


@pytest.mark.parametrize("name", ["new.csv", "new.csv.gz"])
def test_csv_is_written_as_it_was(call, rule, tmp_path, name):
    opened = gzip.open if name.endswith(".gz") else open
    with opened(tmp_path / name, "wt", encoding="utf-8", newline="") as file:
        file.write(TEXTS)
    call("apply", save(rule, threshold=1.0), tmp_path / name, "-o", tmp_path / "out.csv")
    found = read(tmp_path / "out.csv")
    assert [row.pop("flagged") for row in found] == ["false", "true", "true"]
    assert found == list(csv.DictReader(TEXTS.splitlines(keepends=True)))
    call("apply", rule, tmp_path / name, "-o", tmp_path / "out.tsv")
    assert [row["price"] for row in read(tmp_path / "out.tsv")] == ["1.50", "2", "null"]


@pytest.mark.parametrize(
    ("scores", "threshold", "expected"),
    [
        ([str(2**53), str(2**53 + 1), str(2**62)], 2**53 + 1, [False, True, True]),
        (["1", "0.5", "inf", "-Infinity"], "Infinity", [False, False, False, False]),
        (["0,5783", "1.000,5", "0,1"], 0.5, [True, True, False]),
        (["50%", "7.5%"], 0.5, [True, False]),
        (["true", "false"], 1.0, [True, False]),
        (["5e-324", "0"], 5e-324, [True, False]),
    ],
)
def test_numbers_as_people_write_them(call, rule, scores, threshold, expected):
    tmp_path = save(rule, threshold=threshold).parent
    comma = any("," in score for score in scores)
    with (tmp_path / "new.csv").open("w", newline="") as file:
        writer = csv.writer(file, delimiter=";" if comma else ",")
        writer.writerows([["id", "good"], *enumerate(scores)])
    words = ["--decimal", ","] if comma else []
    call("apply", rule, tmp_path / "new.csv", "-o", tmp_path / "out.csv", *words)
    found = read(tmp_path / "out.csv")
    assert [row["good"] for row in found] == scores
    assert [row["flagged"] == "true" for row in found] == expected
    call("apply", rule, tmp_path / "new.csv", "-o", tmp_path / "out.parquet", *words)
    assert [row["flagged"] for row in read(tmp_path / "out.parquet")] == expected


def test_columns_that_are_named_otherwise(call, rule, tmp_path, standard_input):
    standard_input(b"good\n9\n-9\n")
    done = call("apply", rule, "-")
    assert done.out == "good,flagged\n9,true\n-9,false\n"
    assert "flagged 1 of 2 rows (50%, " in done.err
    new = tmp_path / "new.csv"
    words = ("apply", rule, new)
    new.write_text('"a ""b""; --",good\n9,-9\n-9,9\n')
    assert call(*words).out.endswith("\n9,-9,false\n-9,9,true\n")
    done = call(*words, "--scores", 'a "b"; --', "--column", "näme, or two")
    assert done.out == '"a ""b""; --",good,"näme, or two"\n9,-9,true\n-9,9,false\n'
    new.write_text("1,9\n2,-9\n")
    done = call(*words, "--no-header", "--scores", "column1")
    assert done.out == "column0,column1,flagged\n1,9,true\n2,-9,false\n"
    # A rule without a column takes that of its model.
    new.write_text("forest\n9\n")
    save(rule, scores=None, model="forest")
    assert call(*words).out == "forest,flagged\n9,true\n"
    save(rule, model=None, prevalence=None)
    said = "the rule names no column; say which one holds the scores with --scores"
    assert call(*words, code=2).err == f"isometrics: {said}\n"
    done = call(*words, "--scores", "forest")
    assert done.out == "forest,flagged\n9,true\n"
    # Nor is the share known where it was chosen.
    assert done.err == "flagged 1 of 1 rows (100%)\n"


REFUSED = [
    ("god\n1\n", [], "has no column 'good'; did you mean 'god'?; say"),
    ("x,y\n1,2\n", [], "'good'; it has x and y; say which one holds the scores"),
    ("x\n1\n", ["--scores", "z"], "has no column 'z'; it has x; say which"),
    ("good,flagged\n1,1\n", [], "already has a column 'flagged'"),
    ("good\n1\n", ["--column", "good"], "already has a column 'good'"),
    ("good\nlow\nhigh\n", [], "real numbers of 64 bits, such as 'low': 2 in all, on lines 2"),
    ("good\n" + "1\n" * 3000 + "oops\n", [], "'oops': 1 in all, on line 3002"),
    ("id;good\n1;0,5\n2;3\n", [], "2; 0,5 looks like a decimal comma; pass --decimal ,"),
    ("id,good\n1,\n2,\n", [], "values (NaN or null): 2 in all, on lines 2 and 3; leave such"),
    ("good,good\n1,2\n", [], "it has two columns called 'good'; rename one of them"),
    ("id,good\n1,1\n2,\n3,1\n", [], "'good' has missing values, the first on line 3; leave"),
    ("id,good\n1,1\n2,nan\n", [], "'good' has missing values, the first on line 3; leave"),
    ("good\n1\n", ["-o", "out.xyz"], "'out.xyz' should end in .csv, "),
    ("good\n1\n", ["-o", "nowhere/out.csv"], "cannot write 'nowhere/out.csv'"),
    ("good\n1\n", ["--memory-limit", "1B"], "--memory-limit"),
    (["0.5", "low"], [], "good has values that are not real numbers of 64 bits, such as 'low'"),
    (["0.5", "0.7"], [], "good has numbers that are written as text, such as '0.5': 2 in all"),
    ([datetime.date(2024, 1, 2)], [], "good holds date32[day] values; scores must be numbers"),
]


def test_what_cannot_be_flagged_is_refused(call, rule, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for content, words, message in REFUSED:
        new = tmp_path / ("new.csv" if isinstance(content, str) else "new.parquet")
        if isinstance(content, str):
            new.write_text(content)
        else:
            pq.write_table(pa.table({"good": content}), new)
        before = names(tmp_path)
        done = call(
            "apply", rule, new, *(words if "-o" in words else [*words, "-o", "o.csv"]), code=2
        )
        assert message in done.err.splitlines()[-1]
        assert names(tmp_path) == before
    rule.write_text("[" * 10**5)
    assert "is no saved decision" in call("apply", rule, "new.csv", code=2).err
    assert "cannot read" in call("apply", "none.json", "new.csv", code=2).err


@pytest.mark.parametrize("name", ["new.csv", "new.csv.gz", "new.parquet", "objects.parquet"])
def test_a_file_without_rows(call, rule, tmp_path, name):
    """A job that runs every night may find nothing to do."""
    if name.startswith("new.csv"):
        as_csv(pa.table({"id": [], "good": []}), tmp_path / name)
    else:
        empty = pd.DataFrame({"id": [], "good": []}, dtype=object if name[0] == "o" else float)
        empty.to_parquet(tmp_path / name)
    for target in (tmp_path / "out.csv", tmp_path / "out.parquet", tmp_path / "out.json"):
        done = call("apply", rule, tmp_path / name, "-o", target)
        assert done.err == "flagged 0 of 0 rows\n"
        assert read(target) == []
        assert call("apply", rule, tmp_path / name, "-o", target, "--json").data["share"] is None
    assert (tmp_path / "out.csv").read_text() == "id,good,flagged\n"


def test_rows_of_other_models_are_refused(call, tmp_path):
    label, good, bad, _ = sample()
    frame = pd.concat(
        [
            pd.DataFrame({"label": label, "model": name, "score": scores})
            for name, scores in (("good", good), ("bad", bad))
        ]
    )
    frame.to_csv(tmp_path / "long.csv", index=False)
    rule = tmp_path / "rule.json"
    call("verdict", tmp_path / "long.csv", "--resamples", "50", "-o", rule)
    decision = iso.load_decision(rule)
    assert (decision.origin.scores, decision.origin.model_column) == ("score", "model")
    done = call("apply", rule, tmp_path / "long.csv", code=2)
    line, other = (62, "bad") if decision.origin.model == "good" else (2, "good")
    assert done.err.splitlines()[-1] == (
        f"isometrics: the rule is for {decision.origin.model!r}, but 'model' names {other!r} on "
        f"line {line}"
    )
    frame[frame.model == decision.origin.model].to_csv(tmp_path / "one.csv", index=False)
    assert f"flagged {decision.tp + decision.fp} of 60 rows" in (
        call("apply", rule, tmp_path / "one.csv").err
    )
    frame[["score"]].to_csv(tmp_path / "scores.csv", index=False)
    assert "of 120 rows" in call("apply", rule, tmp_path / "scores.csv").err


def test_scores_on_another_scale_are_noticed(call, rule, tmp_path):
    table = pa.table({"good": np.linspace(100, 200, 1000)})
    pq.write_table(table, tmp_path / "new.parquet")
    done = call("apply", rule, tmp_path / "new.parquet", "-o", tmp_path / "out.csv")
    said, warning = done.err.splitlines()
    expected = f"{100 * iso.load_decision(rule).flagged_share:.3g}%"
    assert said == f"flagged 1,000 of 1,000 rows (100%, {expected} where it was chosen)"
    assert warning.startswith(f"Beware: 100% is far from {expected}; look whether these are the")


def test_thresholds_write_the_rule_that_they_print(call, predictions, tmp_path):
    rule = tmp_path / "rule.json"
    words = ("thresholds", predictions, "--scores", "good", "--min-recall", "0.8")
    plain = call(*words, "--json").data
    done = call(*words, "--json", "-o", rule).data
    assert done == plain | {"written": str(rule)}
    decision = iso.load_decision(rule)
    (row,) = done["thresholds"]
    for name in ("threshold", "tp", "fp", "fn", "tn", "precision", "recall", "value", "objective"):
        assert getattr(decision, name) == row[name]
    assert (decision.origin.model, decision.origin.scores) == ("good", "good")
    analysis = iso.read_predictions(predictions)
    assert decision == analysis.decision("good", min_recall=0.8)
    printed = call(*words, "-o", "-")
    assert printed.out == rule.read_text("utf-8")


def test_groups_are_printed_and_the_rule_is_for_all_rows(call, grouped, tmp_path):
    rule = tmp_path / "rule.json"
    done = call("thresholds", grouped, "--beta", "1", "--scores", "good", "-o", rule)
    assert done.err.splitlines()[-1] == "the rule is for all rows, whatever their group"
    assert "north" in done.out
    decision = iso.load_decision(rule)
    assert decision == iso.read_predictions(grouped).decision("good")
    assert decision.tp + decision.fp + decision.fn + decision.tn == 60


def test_a_verdict_writes_the_rule_that_it_chose(call, grouped, tmp_path):
    rule = tmp_path / "rule.json"
    words = ("verdict", grouped, "--budget", "20", "--resamples", "50")
    done = call(*words, "-o", rule, "--json").data
    decision = iso.load_decision(rule)
    verdict = done["verdict"]
    assert done["written"] == str(rule)
    assert (decision.origin.model, decision.threshold) == (verdict["model"], verdict["threshold"])
    assert decision.parameters == {"budget": 20.0}
    assert {name: getattr(decision, name) for name in ("tp", "fp", "fn", "tn")} == verdict["counts"]
    assert call(*words, "-o", "-").out == rule.read_text("utf-8")
    assert call(*words, "-o", rule).out == call(*words).out
