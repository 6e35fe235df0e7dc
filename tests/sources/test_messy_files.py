"""Files as people have them: what is read, and what is said about the rest.

The cases are a list of files with the rows or the sentence that is expected of each; it is JSON, so
that readers in other languages can be held to it.
"""

import csv
import gzip
import json
import pickle
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics.cli.output import option_of
from isometrics.errors import IsometricsError, MissingValueError, ParameterError
from isometrics.sources.batches import Line, listed_lines
from isometrics.sources.written_numbers import KINDS, matches

from .test_text_files import write

CASES = json.loads((Path(__file__).parent / "cases" / "messy_files.json").read_text())
READ = [case for case in CASES if "says" not in case]
REFUSED = [case for case in CASES if "says" in case]


def named(case):
    return case["name"]


def in_the_command(error):
    return error.phrase(option_of)


def refused(path, **options):
    with pytest.raises(IsometricsError) as result:
        iso.read_predictions(path, **options)
    return in_the_command(result.value)


@pytest.fixture
def file(tmp_path):
    def write(text, name="x.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


# ---------------------------------------------------------------------- the list


@pytest.mark.parametrize("case", READ, ids=named)
def test_a_file_is_read(file, case):
    path = file(case["text"], case.get("file", "x.csv"))
    analysis = iso.read_predictions(path, **case["options"])
    assert analysis.description == f"{path}: {case['description']}"
    labels = np.array(case["positive"])
    # Where labels are texts, each column belongs to the class of its name.
    expected = {
        name: iso.OperatingPoints.from_scores(
            labels if labels.dtype == bool else labels == name, scores
        )
        for name, scores in case["scores"].items()
    }
    assert analysis.models == expected


@pytest.mark.parametrize("case", REFUSED, ids=named)
def test_a_file_is_refused(file, case):
    path = file(case["text"], case.get("file", "x.csv"))
    assert refused(path, **case["options"]) == case["says"].replace("{file}", str(path))


@pytest.mark.parametrize("case", REFUSED, ids=named)
def test_a_compressed_file_has_the_same_lines(file, case):
    path = file(gzip.compress(case["text"].encode()), f"{case.get('file', 'x.csv')}.gz")
    assert refused(path, **case["options"]) == case["says"].replace("{file}", str(path))


@pytest.mark.parametrize("case", [case for case in REFUSED if "file" not in case][-8:], ids=named)
def test_standard_input_has_the_same_lines(standard_input, case):
    standard_input(case["text"].encode())
    assert refused("-", **case["options"]) == case["says"].replace("{file}", "standard input")


@pytest.mark.parametrize("case", [READ[0], REFUSED[0], REFUSED[-1]], ids=named)
def test_the_command_says_the_same(file, capsys, monkeypatch, case):
    from isometrics.cli import main

    path = file(case["text"])
    monkeypatch.chdir(path.parent)
    words = [word for name, value in case["options"].items() for word in (f"--{name}", value)]
    code = main(["summary", "x.csv", *words])
    said = capsys.readouterr().err
    if "says" in case:
        assert (code, said) == (2, f"isometrics: {case['says']}\n")
    else:
        assert code == 0
        assert said.startswith(f"x.csv: {case['description']}\n")


def test_the_command_leaves_rows_out_and_takes_headers(file, capsys):
    from isometrics.cli import main

    path = file("0,1\n1,0.5\n0,0.25\n1,\n0,0.75\n")
    assert main(["summary", str(path), "--drop-missing", "--header"]) == 0
    assert "1 row with missing values is left out, for all models (1: 1)" in capsys.readouterr().err
    for words in (["convert", str(path), str(path.with_name("y.parquet"))],):
        assert main([*words, "--drop-missing"]) == 2
        assert "this one copies all of them" in capsys.readouterr().err
        assert main([*words, "--header"]) == 0
    assert pq.read_table(path.with_name("y.parquet")).column_names == ["0", "1"]


# ---------------------------------------------------------------------- lines

LONG = "x" * (csv.field_size_limit() + 1)
"""Python's own reader takes 131,072 characters for the longest value."""


def test_problems_late_in_a_file(file):
    usual = "y,s\n" + "1,0.5\n0,0.25\n" * 20_000
    assert refused(file(usual + "0,high\n" + "1,0.5\n" * 10 + ",3\n")) == (
        "y has missing values (NaN or null): 1 in all, on line 40013; s has values that are not "
        "real numbers of 64 bits, such as 'high': 1 in all, on line 40002; leave out rows with "
        "missing values with --drop-missing"
    )
    text = usual + "1,2,3\n0,high\n" + "1,0.5\n" * 10 + "9\n,3\n"
    path = file(text)
    assert refused(path) == (
        f"cannot read '{path}': line 40002 has 3 values and line 40014 has 1 value but the first "
        "line 2; correct or remove them"
    )


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            {
                "a.csv": "y,s\n1,0.5\n0,\n",
                "b.csv": "y,s\n1,0.5\n\n0,0.25\n1,\n",
                "c.csv": "y,s\n1,\n",
            },
            "s has missing values (NaN or null): 3 in all, on line 3 of a.csv, line 5 of b.csv and "
            "line 2 of c.csv; leave out rows with missing values with --drop-missing",
        ),
        ({"a.csv": "y,s\n1,0.5\n0,\n", "b.csv": "y,s\n1,0.5\n"}, "1 in all, on line 3 of a.csv;"),
        (
            {
                "a.csv": "y,s\n" + "1,0.5\n0,0.2\n" * 20_000 + "1\n1,\n",
                "b.csv": "y,s\n1,0.5\n0,x\n",
            },
            "line 40002 of a.csv has 1 value but the first line 2; correct or remove it",
        ),
        (
            {"a.jsonl": '{"y": 1, "s": 0.5}\n', "b.jsonl": '{"y": 1, "s": 0.5}\n{"y": 0}\n'},
            "1 in all, on line 2 of b.jsonl;",
        ),
        ({"x.csv": f"text\n{LONG}\nshort\n"}, "no column looks like scores"),
        (
            {"x.csv": "y,s\n" + "1,0.5\n0,0.25\n" * 20_000 + f"1,0.5,{LONG}\n"},
            "line 40002 has 3 values but the first line 2; correct or remove it",
        ),
    ],
    ids=["missing", "first file", "ragged", "JSON", "a long value", "a long value, ragged"],
)
def test_lines_of_files(tmp_path, files, said):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert said in refused(tmp_path)


def test_late_text_of_another_encoding(file):
    path = file(b"y,s\n" + b"1,0.5\n0,0.25\n" * 20_000 + "é,0.5\n1,\n".encode("latin-1"))
    said = "there is text that is not UTF-8 on line 40002; save it as UTF-8"
    assert refused(path) == f"cannot read '{path}': {said}"


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["1", "0", ""]),
            st.sampled_from(["0.5", "0.25", "", "high"]),
            st.sampled_from(["a", "two\nlines", "", 'a "quote"', "\n\n", "x,y"]),
            st.booleans(),
        ),
        min_size=4,
        max_size=12,
    ),
    st.sampled_from(["\n", "\r\n"]),
)
def test_lines_are_those_of_an_editor(tmp_path_factory, rows, end):
    """Random rows with quoted line breaks and blank lines between them."""
    rows = [("1", "0.5", "a", False), ("0", "0.25", "b", False), *rows]
    text, line, expected = f"y,s,n{end}", 2, {}
    for label, score, note, blank in rows:
        if label == "":
            expected.setdefault("y", []).append(line)
        if score == "":
            expected.setdefault("s", []).append(line)
        if score == "high":
            expected.setdefault("high", []).append(line)
        quoted = '"' + note.replace('"', '""') + '"'
        text += f"{label},{score},{quoted}{end}{end * blank}"
        line += 1 + note.count("\n") + blank
    path = tmp_path_factory.mktemp("lines") / "x.csv"
    path.write_bytes(text.encode())
    try:
        iso.read_predictions(path, label="y", scores="s")
        said = ""
    except IsometricsError as error:
        said = in_the_command(error)
    what = {
        "y": "y has missing values (NaN or null)",
        "s": "s has missing values (NaN or null)",
        "high": "s has values that are not real numbers of 64 bits, such as 'high'",
    }
    for key, lines in expected.items():
        listed = listed_lines(map(Line, lines[:5]))
        more = "the first " * (len(lines) > 5)
        assert f"{what[key]}: {len(lines)} in all, {more}on {listed}" in said
    assert bool(said) == bool(expected)


# ---------------------------------------------------------------------- numbers


@given(
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.sampled_from([",", "."]),
    st.booleans(),
)
def test_numbers_of_spreadsheets(value, mark, percent):
    """Written with groups of three digits, and read again by DuckDB."""
    import duckdb

    from isometrics.sources.written_numbers import value_of

    text = f"{value:,.6f}" if abs(value) < 1e30 else f"{value:.0f}"
    text = text.translate({44: ".", 46: ","}) if mark == "," else text
    kind = f"PERCENT {mark}" if percent else f"NUMBER {mark}"
    text += "%" * percent
    plain = float(f"{value:.6f}" if abs(value) < 1e30 else f"{value:.0f}")
    expected = float(f"{plain!r}e-2") if percent and "e" not in repr(plain) else None
    assert matches(text, kind)
    query = f"SELECT {value_of('t', kind)} FROM (SELECT ? AS t)"
    ((found,),) = duckdb.execute(query, [text]).fetchall()
    if not percent:
        assert found == plain
    elif expected is not None:
        assert found == expected


@given(st.text(alphabet="0123456789.,%e-+ inf", max_size=12))
def test_python_and_duckdb_agree_on_what_is_a_number(text):
    import duckdb

    from isometrics.sources.written_numbers import value_of

    columns = ", ".join(value_of("t", kind) for kind in KINDS)
    (found,) = duckdb.execute(f"SELECT {columns} FROM (SELECT ? AS t)", [text]).fetchall()
    assert [value is not None for value in found] == [matches(text, kind) for kind in KINDS]


@pytest.mark.parametrize("place", [3, 20_485])
@pytest.mark.parametrize("odd", ["0.25", "x"])
def test_a_decimal_point_among_decimal_commas(file, place, odd):
    lines = ["1;0,5", "0;0,25"] * 10_250
    lines[place] = f"1;{odd}"
    path = file("\n".join(["y;s", *lines]) + "\n")
    assert f"such as {odd!r}: 1 in all, on line {place + 2}" in refused(path, decimal=",")


def test_a_model_is_not_left_out_because_of_how_it_is_written(file):
    analysis = iso.read_predictions(file("y,age,b\n1,50,1.5\n0,unknown,2.5\n1,60,0.5\n"))
    assert list(analysis.models) == ["b"]
    text = pa.table({"y": [1, 0], "a": ["1.0", "1.1"], "s": [0.5, 0.25]})
    assert refused(text).startswith("a has numbers that are written as text, such as '1.0'")
    assert list(iso.read_predictions(text, scores="s").models) == ["s"]


def test_decimal_commas_after_whole_numbers(file):
    lines = ["1;2", "0;1"] * 10_250
    lines[20_485] = "0;1,5"
    path = file("\n".join(["y;score", *lines]) + "\n")
    analysis = iso.read_predictions(path, decimal=",")
    assert analysis.models["score"].thresholds.tolist() == [np.inf, 2, 1.5, 1]


def test_what_is_about_text_is_refused_elsewhere(tmp_path, file):
    pq.write_table(pa.table({"y": [1, 0], "s": [0.5, 0.25]}), tmp_path / "x.parquet")
    np.savez(tmp_path / "x.npz", y_true=[1, 0], y_score=[0.5, 0.25])
    for given_file in (tmp_path / "x.parquet", tmp_path / "x.npz", file("{}\n", "x.jsonl")):
        said = refused(given_file, decimal=",")
        name = (
            f"--decimal is about CSV files and Excel, and '{given_file}' is neither; leave it out"
        )
        assert said == name
    assert refused(tmp_path / "x.parquet", header=True).startswith("--header is about CSV files")
    path = file("y,s\n1,0.5\n")
    assert refused(path, decimal=";") == "--decimal must be one of ',', '.' but is ';'"
    assert refused(path, header="no") == "--header must be True or False but is 'no'"


# ---------------------------------------------------------------------- other kinds of files


@pytest.mark.parametrize("name", ["x.pkl", "x.csv", "x.joblib", "x.pickle"])
@pytest.mark.parametrize("protocol", [0, 2, 4, 5])
def test_pickles_are_never_opened(file, name, protocol):
    class Bomb:
        def __reduce__(self):
            return pytest.fail, ("a pickle was opened",)

    path = file(pickle.dumps({"y": [1, 0], "bomb": Bomb()}, protocol), name)
    if protocol == 0 and name == "x.csv":
        with pytest.raises(IsometricsError):
            iso.read_predictions(path)
    else:
        assert "it looks like a pickle, which may run any program" in refused(path)


def test_arrays_archives_and_old_workbooks(file, tmp_path):
    np.save(tmp_path / "x.npy", np.arange(4.0))
    assert "it is a single NumPy array" in refused(tmp_path / "x.npy")
    assert "it is a zip archive; unpack it" in refused(file(b"PK\x03\x04..", "x.zip"))
    assert "Excel 97; save it as .xlsx" in refused(file(b"\xd0\xcf\x11\xe0\xa1\xb1", "x.xls"))


# ---------------------------------------------------------------------- missing values


def random_rows(rng, size=40):
    """Return columns with missing values, and which rows miss none that counts."""
    columns = {
        "y": rng.integers(0, 2, size).astype(object),
        "a": rng.random(size).astype(object),
        "b": rng.integers(0, 5, size).astype(object),
        "w": rng.integers(0, 3, size).astype(object),
        "g": rng.choice(["n", "s"], size).astype(object),
    }
    missing = {name: rng.random(size) < 0.08 for name in columns}
    for name, mask in missing.items():
        columns[name][mask] = None
    return columns, missing


OPTIONS = {"label": "y", "scores": ["a", "b"], "weight": "w", "group": "g", "drop_missing": True}


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "polars", "pandas"])
@pytest.mark.parametrize("weighted", [True, False])
def test_rows_that_miss_a_value_are_left_out_for_all_models(tmp_path, kind, weighted):
    rng = np.random.default_rng([7, weighted])
    for _ in range(5):
        columns, missing = random_rows(rng)
        options = OPTIONS | ({} if weighted else {"weight": False})
        used = [name for name in columns if weighted or name != "w"]
        present = np.array([weight != 0 for weight in columns["w"]]) | (not weighted)
        incomplete = np.logical_or.reduce([missing[name] & present for name in used])
        kept = ~incomplete
        table = {name: values.tolist() for name, values in columns.items()}
        found = iso.read_predictions(written(tmp_path, kind, table), **options)
        rows = {name: [v for v, k in zip(table[name], kept, strict=True) if k] for name in table}
        plain = pa.table({name: rows[name] for name in used})
        expected = iso.read_predictions(plain, **options | {"drop_missing": False})
        assert found.models == expected.models
        assert found.groups == expected.groups
        by_column = {name: int((missing[name] & present).sum()) for name in ("y", "a", "b", *used)}
        listed = ", ".join(f"{name}: {count}" for name, count in by_column.items() if count)
        assert f"{incomplete.sum()} rows with missing values are left out, for all models (" in (
            found.description
        )
        for part in listed.split(", "):
            assert part in found.description.rpartition("models (")[2]


def written(folder, kind, table):
    if kind in ("csv", "jsonl"):
        return write(folder / f"x.{kind}", table)
    if kind == "parquet":
        pq.write_table(pa.table(table), folder / "x.parquet", row_group_size=7)
        return folder / "x.parquet"
    return pytest.importorskip(kind).DataFrame(table)


def test_rows_left_out_in_bins_and_in_sorted_runs(monkeypatch):
    monkeypatch.setattr("isometrics.sources.binned_rows.FIRST_ROWS", 500)
    rng = np.random.default_rng(3)
    labels = rng.random(4000) < 0.3
    scores = rng.normal(labels)
    scores[rng.random(4000) < 0.1] = np.nan
    table = pa.table({"y": labels, "s": scores})
    kept = ~np.isnan(scores)
    exact = iso.analyse(labels[kept], scores[kept]).models["score"]
    binned = iso.read_predictions(table, tolerance=1e-3, drop_missing=True)
    lo, hi = iso.area_brackets(binned.models["s"])["AUROC"]
    assert lo <= exact.roc.area() <= hi
    assert f"{(~kept).sum()} rows with missing values" in binned.description
    small = iso.read_predictions(table, memory_limit="250MB", drop_missing=True)
    assert small.models["s"] == exact


def test_a_column_of_models_and_missing_names():
    table = pa.table(
        {
            "y": [1, 0, 1, 0, 1],
            "model": ["a", "a", None, "b", "b"],
            "score": [0.5, 0.2, 0.1, 0.3, 0.4],
        }
    )
    analysis = iso.read_predictions(table, drop_missing=True)
    assert list(analysis.models) == ["a", "b"]
    assert analysis.description.endswith(
        "1 row with missing values is left out, for all models (model: 1)"
    )


def test_a_source_that_counts_itself_and_cannot_leave_rows_out():
    class Counting:
        name, rows = "mine", None
        schema = pa.schema([("y", pa.int64()), ("s", pa.float64())])

        def batches(self, columns, **_):
            yield pa.record_batch({"y": [1, 0], "s": [0.5, 0.2]}).select(columns)

        def count_rows(self, *_, **__):
            raise AssertionError("rows were counted")

        def close(self):
            pass

    with pytest.raises(ParameterError, match="drop_missing cannot be used with 'mine'"):
        iso.read_predictions(Counting(), drop_missing=True)


# ---------------------------------------------------------------------- how files are written


def test_a_rule_is_applied_to_decimal_commas(file, capsys):
    from isometrics.cli import main

    tuning = file("y;s\n1;0,75\n0;0,25\n1;0,5\n0;0,125\n")
    rule, flagged = tuning.with_name("rule.json"), tuning.with_name("flagged.csv")
    words = ["thresholds", str(tuning), "--beta", "1", "--decimal", ",", "-o", str(rule)]
    assert main(words) == 0, capsys.readouterr().err
    new = file("s\n0,375\n0,625\n", "new.csv")
    assert main(["apply", str(rule), str(new), "--decimal", ",", "-o", str(flagged)]) == 0
    assert flagged.read_text() == 's,flagged\n"0,375",false\n"0,625",true\n'
    bare = file("0.375\n0.625\n", "bare.csv")
    words = ["apply", str(rule), str(bare), "--no-header", "--scores", "column0"]
    assert main([*words, "-o", str(flagged)]) == 0
    assert flagged.read_text() == "column0,flagged\n0.375,false\n0.625,true\n"


def test_broken_lines_are_not_copied(file, capsys):
    """Whoever passes rows on skips none."""
    from isometrics.cli import main

    late = "y,s\n" + "1,0.5\n0,0.25\n" * 20_000 + "1\n"
    for text, line in (("y,s\n1,0.5\n0,0.2,7\n1,2\n", 3), (late, 40_002)):
        path = file(text)
        target = path.with_name("y.parquet")
        assert main(["convert", str(path), str(target)]) == 2
        assert f"line {line} has " in capsys.readouterr().err
        assert not target.exists()


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [True, False])
def test_rows_left_out_in_a_cluster(weighted):
    dd = pytest.importorskip("dask.dataframe")
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng([11, weighted])
    columns, _ = random_rows(rng)
    options = OPTIONS | ({} if weighted else {"weight": False})
    frame = pd.DataFrame({name: pd.Series(values.tolist()) for name, values in columns.items()})
    found = iso.read_predictions(dd.from_pandas(frame, npartitions=3), **options)
    table = pa.table({name: values.tolist() for name, values in columns.items()})
    expected = iso.read_predictions(table, **options)
    assert found.models == expected.models
    assert found.groups == expected.groups
    left_out = re.search(r"\d+ rows with missing values .*\)", expected.description)[0]
    assert left_out in found.description
    nothing = dd.from_pandas(pd.DataFrame({"y": [1.0, None], "s": [None, 0.5]}), npartitions=1)
    with pytest.raises(MissingValueError, match="every row misses a value"):
        iso.read_predictions(nothing, label="y", scores="s", drop_missing=True)


def test_labels_that_are_no_words_need_no_note():
    described = iso.analyse(np.array([0, 1, 1], object), [0.1, 0.2, 0.3]).description
    assert described == "3 rows"
