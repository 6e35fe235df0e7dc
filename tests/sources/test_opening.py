"""Standard input, URLs and data frames."""

import os
import sqlite3
import tempfile
from contextlib import ExitStack, closing
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import isometrics as iso
from isometrics._core.files import ScratchFolder
from isometrics.errors import FileError, MissingValueError, ParameterError, ScoreError
from isometrics.sources import databases, files
from isometrics.sources.batches import peek, reading
from isometrics.sources.files import FrameSource, open_source

from .test_files import CSV, EXPECTED, LABELS, SCORES


def failure(given):
    with pytest.raises(FileError) as refused:
        iso.read_predictions(given)
    said = str(refused.value)
    assert "\n" not in said
    return said


# ---------------------------------------------------------------------- standard input


@pytest.fixture
def piped(monkeypatch, standard_input, tmp_path):
    """Return a function that reads bytes from standard input; nothing may be left behind."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def read(content, **options):
        standard_input(content)
        return iso.read_predictions("-", **options)

    yield read
    assert list(tmp_path.iterdir()) == []


def test_what_is_on_standard_input_is_known_by_how_it_begins(piped):
    content = pa.BufferOutputStream()
    pq.write_table(pa.table({"label": LABELS, "score": SCORES}), content)
    rows = zip(LABELS, SCORES, strict=True)
    objects = "".join(f'{{"label": {label}, "score": {score}}}\n' for label, score in rows)
    for given in (
        *(CSV.encode(), objects.encode(), content.getvalue().to_pybytes()),
        *(pa.compress(CSV.encode(), codec, asbytes=True) for codec in ("gzip", "zstd")),
    ):
        analysis = piped(given)
        assert analysis.models["score"] == EXPECTED
        assert analysis.description.startswith("standard input: label")


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"", "the file is empty"), (b"label,score\n1,\xe9\n", "not UTF-8 on line 2"),
     (b"PAR1", "smaller than the minimum"),
     (b"1;0,5\n0;0,2\n", "separated by ';'; 0,5 looks like a decimal comma; pass decimal=','"),
     (b"label,score\n" + b"1,0.5\n0,0.2\n" * 20_000 + b"1,2,3\n", "line 40002 has 3 values")],
)  # fmt: skip
def test_broken_standard_input(piped, content, reason):
    with pytest.raises(FileError) as refused:
        piped(content)
    assert str(refused.value).startswith("cannot read 'standard input': ")
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_interrupt_removes_the_copy_of_standard_input(piped, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "_files", interrupt)
    with pytest.raises(KeyboardInterrupt):
        piped(b"x")


def test_a_full_disk_is_not_about_what_is_read(monkeypatch, standard_input):
    class FullFolder(ScratchFolder):
        def __init__(self):
            super().__init__()
            Path(self.name, "copy").symlink_to("/dev/full")

    monkeypatch.setattr(files, "ScratchFolder", FullFolder)
    standard_input(CSV.encode())
    said = failure("-")
    assert said.startswith("cannot write a copy of 'standard input' to '")
    assert "no space left on device; set TMPDIR to a folder with room" in said


# ---------------------------------------------------------------------- pipes


@pytest.fixture
def pipe(monkeypatch, tmp_path):
    """Return a function that gives the path of a pipe with some bytes, as a shell's <(…) does.

    Nothing may be left behind.
    """
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with ExitStack() as opened:

        def path_of(content):
            read, write = os.pipe()
            opened.callback(os.close, read)
            os.write(write, content)
            os.close(write)
            return f"/dev/fd/{read}"

        yield path_of
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_is_read_from_its_first_byte(pipe):
    path = pipe(CSV.encode())
    analysis = iso.read_predictions(path)
    assert analysis.models["score"] == EXPECTED
    assert analysis.description.startswith(f"{path}: label")


@pytest.mark.parametrize(
    ("content", "reason"), [(b"", "the file is empty"), (b"label,score\n1,\xe9\n", "not UTF-8")]
)
def test_errors_call_a_pipe_as_the_user_does(pipe, content, reason):
    path = pipe(content)
    said = failure(path)
    assert said.startswith(f"cannot read {path!r}: ")
    assert reason in said


def test_pipes_among_files_are_refused(tmp_path):
    """Reading them would wait for whoever writes them."""
    (tmp_path / "a.csv").write_text(CSV)
    os.mkfifo(tmp_path / "b.csv")
    for path in (tmp_path, f"{tmp_path}/*.csv"):
        assert failure(path) == (
            f"cannot read '{tmp_path}/b.csv': it is a pipe or a device, which is read only if it "
            "is named alone"
        )


# ---------------------------------------------------------------------- URLs


@pytest.fixture
def store(tmp_path):
    """Return a DuckDB file with tables of odd names."""
    path = tmp_path / "st@re {x}.db"
    with duckdb.connect(str(path)) as connection:
        connection.execute('CREATE SCHEMA "my ""schema"')
        connection.register("given", pa.table({"label": LABELS, "score": SCORES}))
        connection.execute('CREATE TABLE "my ""schema"."a;b" AS SELECT * FROM given')
    return path


def test_a_table_in_a_schema(store):
    url = f"duckdb:///{store}?table=my%20%22schema.a%3Bb"
    analysis = iso.read_predictions(url)
    assert analysis.models["score"] == EXPECTED
    assert analysis.description.startswith(url)


def test_names_of_tables_are_no_commands(store):
    said = failure(f'duckdb:///{store}?table=x"; DROP SCHEMA main; --')
    assert "does not exist" in said


ONE_TABLE = f"say which table, for example {databases.EXAMPLE!r}"
SLASHES = "the path of the file follows three slashes"
UNKNOWN = ":// is not known; use a path or duckdb://, sqlite://, postgresql://"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        *((url, ONE_TABLE) for url in ("duckdb:///x.db", "sqlite:///x.db?t=1", "postgresql://h/d",
                                       "duckdb:///x.db?table=a&table=b")),
        *((url, f"cannot read {url!r}: {SLASHES}") for url in (
            "duckdb://x.db?table=t", "duckdb://?table=t", "sqlite:///?table=t",
            "sqlite://folder/x.db?table=t")),
        ("mysql://h/d?table=t", f"mysql{UNKNOWN}"), ("s3://bucket/x.parquet", f"s3{UNKNOWN}"),
        ("a://b", f"a{UNKNOWN}"),
    ],
)  # fmt: skip
def test_urls_that_name_no_table(url, said):
    assert said in failure(url)


def test_a_url_of_several_files(store, tmp_path, monkeypatch):
    (tmp_path / "other.db").touch()
    for path in (f"{tmp_path}/*.db", tmp_path):
        (tmp_path / "x.csv").touch()
        said = failure(f"duckdb:///{path}?table=t")
        assert said.endswith("name one file, not a folder or a pattern")
    assert "there is no such file" in failure(f"duckdb:///{tmp_path}/no.db?table=t")
    assert store.exists()
    monkeypatch.setattr(databases, "find_spec", lambda _: None)
    said = failure(f"sqlite:///{tmp_path}/other.db?table=t")
    assert said.endswith("the driver is not installed; pip install 'isometrics[databases]'")


@pytest.mark.parametrize("scheme", ["duckdb", "sqlite"])
def test_a_file_that_is_no_database(tmp_path, scheme):
    (tmp_path / "x.db").write_text("label,score\n" * 1000)
    assert "database" in failure(f"{scheme}:///{tmp_path}/x.db?table=t")


SECRETS = [
    "mysql://me:{0}@host/data?table=t",
    "https://me:{0}@host/x.csv",
    "https://host/x.csv?token={0}",
    "postgresql://me:{0}@127.0.0.1:1/data?table=t",
    "postgresql://me:{0}@127.0.0.1:1/data",
    "postgresql://127.0.0.1:1/data?user=me&password={0}&table=t",
    "postgresql://127.0.0.1:1/data?user=me&password={0}",
    "postgresql://me:{0}@127.0.0.1:99999999/data?table=t",
    "my sql://me:{0}@host/data",
]


@pytest.mark.parametrize("url", SECRETS)
@pytest.mark.parametrize(
    "secret", ["hunter2", "hunter2/x", "x/hunter2", "hunter2#x", "x#hunter2", "hunter2?x",
               "x?hunter2", "hunter2@x", "x@hunter2", "hunter2[", "hunter2℀", "hunter2%zz",
               "hunter2%00", "hunter2%40x"],
)  # fmt: skip
def test_a_password_is_never_shown(url, secret):
    """Whatever marks it has, neither the sentence nor what caused it may have it."""
    with pytest.raises(FileError) as refused:
        iso.read_predictions(url.format(secret))
    shown, error = [], refused.value
    while error is not None:
        shown.append(str(error))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    assert "hunter2" not in " ".join(shown)
    assert "\n" not in shown[0]


def test_the_description_of_a_server_has_no_password(monkeypatch):
    """It is printed above summaries and in reports."""

    class Table:
        def __init__(self, name, driver, address, table):
            self.shown, self.given = name, (driver, address, table)

    monkeypatch.setattr(databases, "DriverTable", Table)
    result = open_source("postgresql://me:hunter2@host/data?sslmode=require&table=s.t")
    assert result.shown == "postgresql://host/data?table=s.t"
    assert result.given == (
        "postgresql",
        "postgresql://me:hunter2@host/data?sslmode=require",
        '"s"."t"',
    )  # fmt: skip


@pytest.fixture
def sqlite(tmp_path):
    """Return a function that stores rows in an SQLite file and returns its URL."""

    def store(rows):
        path = tmp_path / "x.sqlite"
        connection = sqlite3.connect(path)
        connection.execute("DROP TABLE IF EXISTS t")
        connection.execute("CREATE TABLE t (label, score)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        connection.commit()
        connection.close()
        return f"sqlite:///{path}?table=t"

    return store


def test_sqlite(sqlite):
    url = sqlite(zip(LABELS, SCORES, strict=True))
    assert iso.read_predictions(url).models["score"] == EXPECTED
    with closing(open_source(url)) as source:
        assert source.rows is None
    assert "no such table" in failure(url.replace("table=t", "table=u"))


def test_sqlite_with_values_of_several_types(sqlite):
    rows = [*((place % 2, place) for place in range(3000)), (1, 0.5)]
    points = iso.read_predictions(sqlite(rows)).models["score"]
    assert points.thresholds[-2:].tolist() == [0.5, 0]
    with pytest.raises(ScoreError, match="not real numbers of 64 bits, such as 'high': 1 in all"):
        iso.read_predictions(sqlite([*rows, (0, "high")]))


def test_a_reader_that_stops_early_leaves_no_warning(sqlite):
    def stop(*_):
        raise KeyError("enough")

    url = sqlite((place % 2, place + 0.5) for place in range(5000))
    with pytest.raises(KeyError):
        iso.read_predictions(url, progress=stop)


def test_a_view_reads_no_other_files(tmp_path):
    """What a database holds may come from anyone."""
    (tmp_path / "x.csv").write_text(CSV)
    (tmp_path / "secret.txt").write_text("hunter2")
    with duckdb.connect(str(tmp_path / "x.db")) as connection:
        for view, columns, file in (("csv", "*", "x.csv"), ("text", "content", "secret.txt")):
            table = f"read_{view}('{tmp_path}/{file}')"
            connection.execute(f'CREATE VIEW "{view}" AS SELECT {columns} FROM {table}')
        connection.execute("CREATE TABLE t AS SELECT * FROM csv")
        connection.execute("CREATE VIEW good AS SELECT label, score FROM t")
    url = f"duckdb:///{tmp_path}/x.db?table="
    for view in ("csv", "text"):
        said = failure(url + view)
        assert "disabled by configuration" in said
        assert "hunter2" not in said
    assert iso.read_predictions(url + "good").models["score"] == EXPECTED


@pytest.mark.parametrize("scheme", ["duckdb", "sqlite"])
def test_a_database_that_may_not_be_read(tmp_path, monkeypatch, scheme):
    """Nothing is forbidden to root, so the refusal is made up."""
    (tmp_path / "x.db").touch()

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert failure(f"{scheme}:///{tmp_path}/x.db?table=t").endswith(
        "x.db?table=t': permission denied"
    )


# ---------------------------------------------------------------------- data frames


TWICE = pa.Table.from_arrays([pa.array([0])] * 2, names=["score", "score"])
WHOLE = pd.DataFrame({"label": [1, 0, 1, 0], "score": [0.5, 0.0, 0.0, 0.2]})


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        *((each, ParameterError, "predictions must be a path, a URL or a data frame but are ")
          for each in (17, None, b"path", [1, 2], {"a": [1]})),
        (pd.DataFrame([[0, 0.5], [1, 0.25]]), ParameterError,
         r"column names must be texts but are \[0, 1\]$"),
        (pd.DataFrame([[0, 1, 2]], columns=["label", "score", "score"]), ParameterError,
         "the data frame has two columns of one name"),
        (TWICE, ParameterError, "the data frame has two columns of one name"),
        (WHOLE.astype(pd.SparseDtype("float64", 0.0)), FileError, ".*Sparse pandas data"),
        (pd.DataFrame({"label": [1, 0], "score": pd.Series([0.5, "x"], dtype=object)}), FileError,
         "cannot read 'the data frame': Could not convert 'x'"),
    ],
)  # fmt: skip
def test_frames_that_are_refused(given, error, said):
    with pytest.raises(error, match=f"^{said}"):
        iso.read_predictions(given)


def test_objects_that_begin_with_null():
    """The first rows of an object column may not tell its type; absent rows do not matter."""
    labels = pd.Series([None] * 1200 + ["a", "b", "a"], dtype=object)
    frame = pd.DataFrame({"label": labels, "score": range(1203), "w": [0] * 1200 + [1] * 3})
    result = iso.read_predictions(frame, pos_label="a", weight="w", label="label", scores="score")
    assert result.models["score"].tp.tolist() == [0, 1, 1, 2]
    with pytest.raises(MissingValueError, match="1200 in all, the first at position 0"):
        iso.read_predictions(frame, pos_label="a", weight=False, label="label", scores="score")


def test_columns_of_other_kinds_are_not_looked_at():
    """A date beyond the year 9999 has no counterpart in Python, and lists are no keys."""
    table = pa.table(
        {"label": LABELS, "score": SCORES, "day": pa.array([10**7] * 5, pa.date32()),
         "list": [[1]] * 5}
    )  # fmt: skip
    peeked = peek(FrameSource(table))
    assert {name: result.kind for name, result in peeked.items()} == {
        "label": "integer", "score": "float", "day": "other", "list": "other"
    }  # fmt: skip
    assert peeked["day"].values == []
    assert peeked["label"].values == LABELS
    assert iso.read_predictions(table).models["score"] == EXPECTED
    assert peek(FrameSource(table.select(["list"])))["list"].values == []


# ---------------------------------------------------------------------- errors of libraries


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(13, "Permission denied"), "permission denied"),
        (OSError("Bad File X"), "Bad File X"),
        (OSError(), "OSError"),
        (pa.ArrowInvalid("Some Error: too bad.\nmore"), "too bad"),
        (pa.ArrowInvalid("first", "second"), "first"),
        (pa.ArrowInvalid("x" * 5000), "x" * 400),
        (duckdb.Error("CSV Error on Line: 7\nOriginal Line: 1,2\nToo wide\nmore"),
         "CSV Error on Line: 7, Too wide"),
        (duckdb.Error("CSV Error on Line: 7"), "CSV Error on Line: 7"),
        (UnicodeDecodeError("utf-8", b"x", 0, 1, "bad start"), "utf-8"),
        (KeyError("'gone'"), "'gone'"),
    ],
)  # fmt: skip
def test_one_sentence_of_what_libraries_say(error, said):
    with pytest.raises(FileError) as refused, reading("x", KeyError):
        raise error
    assert str(refused.value) == f"cannot read 'x': {said}"
    with pytest.raises(ZeroDivisionError), reading("x"):
        raise ZeroDivisionError
