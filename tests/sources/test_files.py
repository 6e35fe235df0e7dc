"""Files by path, pattern and folder; whatever is wrong with them is said in one sentence."""

import gzip
import os
import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import isometrics as iso
from isometrics._core.counts import HIGHEST_SCORE
from isometrics.errors import FileError, MissingValueError
from isometrics.sources import files as files_module
from isometrics.sources.files import files_of, kind_of_file, open_source, settings
from isometrics.sources.text_files import CSVFiles, JSONFiles
from isometrics.sources.written_numbers import Dialect

from .test_text_files import write as write_text

LABELS, SCORES = [1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.2, 0.1]
CSV = "label,score\n" + "".join(f"{y},{s}\n" for y, s in zip(LABELS, SCORES, strict=True))
EXPECTED = iso.OperatingPoints.from_scores(LABELS, SCORES)


def arrow(labels=LABELS, scores=SCORES):
    return pa.table({"label": labels, "score": scores})


def failure(path, **options):
    """Return the sentence about a file that cannot be read: one line that names the file."""
    with pytest.raises(FileError) as refused:
        iso.read_predictions(path, **options)
    said = str(refused.value)
    assert "\n" not in said
    assert len(said) < 800
    assert said.startswith(f"cannot read {str(path)!r}: ")
    return said.removeprefix(f"cannot read {str(path)!r}: ")


# ---------------------------------------------------------------------- names

NAMES = [
    "it's.csv", 'a "file".csv', "a;b.csv", "[x].csv", "*.csv", "what?.csv", "naïve 名前 🙂.csv",
    "two words", "a{b}.csv", "{types}.csv", "{}.csv", "back\\slash.csv", "per%20cent.csv",
    "new\nline.csv", "CAPITAL.CSV", "fold=3.csv", "-.csv", "[*].parquet", "a{b}.feather",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_are_taken_as_they_are(tmp_path, name):
    """A decoy that a pattern would find beside it must not be read."""
    write(arrow(), tmp_path / name)
    for decoy in ("x.csv", "what!.csv", "a.csv", "b.csv"):
        (tmp_path / decoy).write_text("label,score\n1,5\n")
    assert iso.read_predictions(tmp_path / name).models["score"] == EXPECTED


@pytest.mark.parametrize("column", ['a "score"', "it's", "a;b", "p.cat", "{x}", "naïve 名"])
def test_names_of_columns(tmp_path, column):
    table = arrow().rename_columns(["label", column])
    pq.write_table(table, tmp_path / "x.parquet")
    mark = column.replace('"', '""')
    (tmp_path / "x.csv").write_text(CSV.replace("score", f'"{mark}"').replace("0.9", "inf"))
    result = iso.read_predictions(tmp_path / "x.parquet", scores=column).models[column]
    assert result == EXPECTED
    result = iso.read_predictions(tmp_path / "x.csv", scores=column).models[column]
    assert result.thresholds[1] == HIGHEST_SCORE


# ---------------------------------------------------------------------- folders and patterns


def test_a_folder_is_all_its_files_but_hidden_ones(tmp_path):
    (tmp_path / "b").mkdir()
    for name, part in (("a.csv", slice(0, 2)), ("b/c.csv", slice(2, 5))):
        rows = zip(LABELS[part], SCORES[part], strict=True)
        text = "label,score\n" + "".join(f"{y},{s}\n" for y, s in rows)
        (tmp_path / name).write_text(text)
    for name in (".hidden.csv", "_SUCCESS", "_x.csv", "notes.md"):
        (tmp_path / name).write_text("nothing of use")
    assert [file.name for file in files_of(tmp_path)] == ["a.csv", "c.csv"]
    assert iso.read_predictions(tmp_path).models["score"] == EXPECTED
    assert iso.read_predictions(str(tmp_path / "**" / "*.csv")).models["score"] == EXPECTED


@pytest.mark.parametrize("kind", ["parquet", "feather", "csv", "jsonl"])
def test_what_folders_say_is_a_column(tmp_path, kind):
    groups = {"a b": ([1, 0], [0.5, 0.25]), "c": ([1, 0, 1], [0.75, 0.5, 0.125])}
    for group, (labels, scores) in groups.items():
        folder = tmp_path / "data" / f"site={group}"
        folder.mkdir(parents=True)
        write(arrow(labels, scores), folder / f"x.{kind}")
    analysis = iso.read_predictions(tmp_path / "data")
    assert list(analysis.groups) == ["a b", "c"]
    for group, (labels, scores) in groups.items():
        expected = iso.OperatingPoints.from_scores(labels, scores)
        assert analysis.groups[group]["score"] == expected
    one = iso.read_predictions(tmp_path / "data" / "site=c" / f"x.{kind}")
    assert one.groups == {}


def write(table, path):
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    elif path.suffix == ".feather":
        pyarrow.feather.write_feather(table, str(path))
    else:
        write_text(path, table.to_pydict())


@pytest.mark.parametrize("kind", ["parquet", "feather"])
@pytest.mark.parametrize(
    ("first", "scores"), [(pa.int64(), [2, 3]), (pa.float32(), [0.5, 0.25]), (pa.null(), [])]
)
def test_the_widest_type_of_all_files_is_taken(tmp_path, kind, first, scores):
    """Whole numbers and floats of 32 bits in the first file do not round those of the next."""
    labels = [1, 0][: len(scores)]
    write(pa.table({"label": labels, "score": pa.array(scores, first)}), tmp_path / f"a.{kind}")
    rest = [0.1, 0.1 + 1e-12, 0.1 + 2e-12]
    write(arrow([0, 1, 1], rest), tmp_path / f"b.{kind}")
    write(pa.table({"label": labels, "score": pa.array(scores, first)}), tmp_path / f"c.{kind}")
    result = iso.read_predictions(tmp_path).models["score"]
    expected = [*labels, 0, 1, 1, *labels], [*scores, *rest, *scores]
    assert result == iso.OperatingPoints.from_scores(*expected)


def test_integers_beyond_what_floats_hold_are_not_rounded(tmp_path):
    pq.write_table(pa.table({"label": [1, 0], "score": [2**60, 2**60 + 1]}), tmp_path / "a.parquet")
    pq.write_table(arrow(), tmp_path / "b.parquet")
    with pytest.raises(FileError, match=r"^cannot read '.*a\.parquet': .* not in range"):
        iso.read_predictions(tmp_path, scores="score")


def test_texts_of_several_types_are_joined(tmp_path):
    words = pa.array(["b", "a"])
    pq.write_table(pa.table({"label": words, "score": [2, 3]}), tmp_path / "a.parquet")
    coded = pa.table({"label": words.dictionary_encode(), "score": [4, 5]})
    pq.write_table(coded, tmp_path / "b.parquet")
    result = iso.read_predictions(tmp_path, pos_label="a").models["score"]
    assert result == iso.OperatingPoints.from_scores([0, 1, 0, 1], [2, 3, 4, 5])


# ---------------------------------------------------------------------- what folders may hide


def in_parts(folder):
    """Write the rows as two files, one of them in a folder of its own, and return both."""
    (folder / "deep").mkdir(parents=True)
    lines = CSV.splitlines(keepends=True)
    (folder / "a.csv").write_text("".join(lines[:3]))
    (folder / "deep" / "b.csv").write_text("".join([lines[0], *lines[3:]]))
    return folder / "a.csv", folder / "deep" / "b.csv"


def test_links_to_files_and_folders_are_followed(tmp_path):
    first, second = in_parts(tmp_path / "real")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "x.csv").symlink_to(first)
    (tmp_path / "links" / "folder").symlink_to(second.parent)
    assert iso.read_predictions(tmp_path / "links").models["score"] == EXPECTED
    assert len(files_of(str(tmp_path / "links" / "**" / "*.csv"))) == 2


def test_what_a_folder_links_to_inside_itself_is_read_once(tmp_path):
    in_parts(tmp_path / "data")
    (tmp_path / "data" / "latest.csv").symlink_to("a.csv")
    (tmp_path / "data" / "again").symlink_to(tmp_path / "data" / "deep")
    (tmp_path / "data" / "loop").symlink_to(tmp_path / "data")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "loop").symlink_to(tmp_path / "other")
    for name in ("one", "two"):
        (tmp_path / "data" / name).symlink_to(tmp_path / "other")
    assert iso.read_predictions(tmp_path / "data").models["score"] == EXPECTED


@pytest.mark.parametrize("name", ["c.csv", "c.parquet"])
def test_links_that_lead_nowhere(tmp_path, name):
    in_parts(tmp_path / "data")
    (tmp_path / "data" / name).symlink_to("gone")
    link = str(tmp_path / "data" / name)
    with pytest.raises(FileError) as refused:
        iso.read_predictions(tmp_path / "data")
    assert str(refused.value) == f"cannot read {link!r}: no such file or directory"


AS_ANOTHER_USER = """
import os, sys, pyarrow
from isometrics.sources.files import files_of
from isometrics.errors import FileError
if os.geteuid() == 0:
    os.setuid(65534)
try:
    print(files_of(sys.argv[1]))
except FileError as error:
    print(error)
"""


def test_folders_that_may_not_be_listed():
    """Root may list all, so another user reads; pytest's own folders are closed to that one."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        _, two = in_parts(Path(name, "data"))
        two.parent.chmod(0o000)
        done = subprocess.run(
            [sys.executable, "-c", AS_ANOTHER_USER, str(Path(name, "data"))],
            capture_output=True, text=True, check=True, cwd="/",
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
        two.parent.chmod(0o755)
    assert done.stdout == f"cannot read {str(two.parent)!r}: permission denied\n"


def test_an_empty_name_is_no_folder(tmp_path, monkeypatch):
    in_parts(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError, match="the name is empty; name a file, a folder or a pattern"):
        iso.read_predictions("")


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "feather"])
def test_a_folder_that_is_called_like_the_home_folder(tmp_path, monkeypatch, suffix):
    home = tmp_path / "home"
    for folder, scores in ((home, SCORES[::-1]), (tmp_path / "~", SCORES)):
        folder.mkdir()
        write(arrow(LABELS, scores), folder / f"x.{suffix}")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path)
    assert iso.read_predictions(f"./~/x.{suffix}").models["score"] == EXPECTED


# ---------------------------------------------------------------------- formats of other tools

WEKA = "inst#,actual,predicted,error,prediction\n" + "".join(
    f"{row},{actual},{predicted},{'' if actual == predicted else '+'},{score}\n"
    for row, (actual, predicted, score) in enumerate(
        [("1:no", "1:no", 0.9), ("2:yes", "2:yes", 0.8), ("1:no", "1:no", 0.7)], 1
    )
)


def test_formats_are_not_read_as_plain_tables(tmp_path, standard_input):
    """The score of WEKA's table is that of the predicted class, whichever it is."""
    (tmp_path / "weka.csv").write_text(WEKA)
    (points,) = iso.read_predictions(tmp_path / "weka.csv", pos_label="yes").models.values()
    assert points.positives == 1
    for given in (tmp_path, str(tmp_path / "*.csv"), str(tmp_path / "w[e]ka.csv")):
        with pytest.raises(FileError, match=r"weka.csv' as a plain table: it looks like WEKA's"):
            iso.read_predictions(given, label="actual", scores="prediction", pos_label="2:yes")
    standard_input(WEKA.encode())
    with pytest.raises(FileError, match=r"^cannot read 'standard input' as a plain table"):
        iso.read_predictions("-", label="actual", scores="prediction", pos_label="2:yes")


# ---------------------------------------------------------------------- what is not there


def test_what_is_not_there_or_no_table(tmp_path):
    folder, mixed = tmp_path / "empty", tmp_path / "mixed"
    for each in (folder, mixed):
        each.mkdir()
    (tmp_path / "predictions.csv").write_text(CSV)
    (mixed / "a.csv").write_text(CSV)
    twice = pa.Table.from_arrays([pa.array([0, 1])] * 2, names=["label", "label"])
    pq.write_table(twice, mixed / "x.parquet")
    for path, said in (
        (tmp_path / "prediction.csv", "there is no such file; did you mean 'predictions.csv'?"),
        (tmp_path / "quite another", "there is no such file"),
        (tmp_path / "no" / "x.csv", f"there is no folder {str(tmp_path / 'no')!r}"),
        (folder, "the folder has no Parquet, Arrow, CSV or JSON files"),
        (str(tmp_path / "*.tsv"), "no file matches this pattern"),
        (mixed, "it holds files of several kinds, csv and parquet"),
        (mixed / "x.parquet", "it has two columns called 'label'; rename one of them"),
    ):
        assert failure(path) == said
    with pytest.raises(FileError, match=r"^cannot read '.*mixed': is a directory$"):
        iso.read_predictions(str(tmp_path / "mix*"))


def test_a_text_in_place_of_a_path():
    with pytest.raises(FileError, match=r"file name too long$"):
        iso.read_predictions("label,score\n" + "1,0.5\n" * 2000)


def test_no_permission(tmp_path, monkeypatch):
    """Nothing is forbidden to root, so the refusal is made up."""
    (tmp_path / "x.csv").write_text(CSV)

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(FileError, match=r"permission denied$"):
        kind_of_file(tmp_path / "x.csv")
    monkeypatch.setattr(Path, "exists", refuse)
    with pytest.raises(FileError, match=r"permission denied$"):
        files_of(tmp_path / "x.csv")


# ---------------------------------------------------------------------- what is broken

FEATHER = pa.BufferOutputStream()
pyarrow.feather.write_feather(arrow(), FEATHER)
PARQUET = pa.BufferOutputStream()
pq.write_table(arrow(), PARQUET)

BROKEN = {
    "empty.csv": (b"", "the file is empty"),
    "empty.parquet": (b"", "the file is empty"),
    "cut.parquet": (PARQUET.getvalue().to_pybytes()[:-20], "magic bytes not found in footer"),
    "short.parquet": (b"PAR1", "smaller than the minimum"),
    "text.parquet": (b"label,score\n", "its name says parquet but its first bytes do not"),
    "text.feather": (b"label,score\n", "its name says arrow but its first bytes do not"),
    "cut.feather": (FEATHER.getvalue().to_pybytes()[:-20], "Not an Arrow file"),
    "latin.csv": (
        "label,score,é\n1,0.5,ü\n".encode("latin-1"),
        "text that is not UTF-8 on lines 1 and 2",
    ),
    "wide.csv": (
        b"label,score\n" + b"1,0.5\n0,0.25\n" * 20_000 + b"1,2,3\n",
        "line 40002 has 3 values but the first line 2; correct or remove it",
    ),
    "long.csv": (b"x" * 3_000_000, "a line of more than"),
    "bytes.csv": (
        bytes(range(256)) * 20,
        "text that is not UTF-8 on lines 2, 3, 4, 5 and 6 and 15 more; save it as UTF-8",
    ),
    "cut.csv.gz": (gzip.compress(CSV.encode() * 3000)[:-30], "GZIP stream"),
    "cut.jsonl": (b'{"label": 1, "score": 0.5}\n{"label": 0, "sc\n', "line 2 is no JSON"),
    "page.json": (b"<html></html>", "line 1 is no JSON"),
    "twins.jsonl": (
        b'{"label": 1, "Label": 0, "score": 0.5}\n',
        "keys that differ from 'Label' in capital letters alone",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files(tmp_path, name):
    content, reason = BROKEN[name]
    (tmp_path / name).write_bytes(content)
    assert reason in failure(tmp_path / name)


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz"])
@pytest.mark.parametrize(
    ("header", "twice"),
    [("y,s,s", "'s'"), ("y,y,s", "'y'"), ('y,"s, s","s, s"', "'s, s'"), ("#\n\ny,s,s", "'s'")],
)
def test_two_columns_of_one_name_in_csv(tmp_path, name, header, twice):
    """DuckDB would rename one, and nobody would know which was meant."""
    text = f"{header}\n1,0,0.5\n0,1,0.25\n".encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    said = f"it has two columns called {twice}; rename one of them"
    assert failure(tmp_path / name) == said
    (tmp_path / "y.csv").write_text("y,s\n1,0.5\n0,0.25\n")
    with pytest.raises(FileError, match=name):
        iso.read_predictions(tmp_path)


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_compressed_files_are_known_by_their_first_bytes(tmp_path, codec):
    with pa.CompressedOutputStream(str(tmp_path / "x.csv"), codec) as stream:
        stream.write(CSV.encode())
    assert iso.read_predictions(tmp_path / "x.csv").models["score"] == EXPECTED
    (tmp_path / "y.csv").write_text(CSV)
    doubled = iso.OperatingPoints.from_scores(LABELS * 2, SCORES * 2)
    assert iso.read_predictions(tmp_path).models["score"] == doubled


# ---------------------------------------------------------------------- text


@pytest.mark.parametrize("missing", ["NA", "", "N/A", "null", "NULL", "None"])
def test_missing_cells_are_refused(tmp_path, missing):
    (tmp_path / "x.csv").write_text(f"id,label,score\n1,1,0.5\n2,0,{missing}\n3,1,0.25\n")
    with pytest.raises(MissingValueError, match=r"score .* 1 in all, on line 3; leave out "):
        iso.read_predictions(tmp_path / "x.csv")


def test_duckdb_never_fetches_extensions(monkeypatch, tmp_path):
    """Also a CSV file with an address in its name does not make it look anywhere."""

    def refuse(*_, **__):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert settings(0)["autoinstall_known_extensions"] is False
    assert settings(0)["autoload_known_extensions"] is False
    assert settings(0)["memory_limit"] == "64MiB"
    assert settings(0).get("threads", 1) == 1
    assert "threads" not in settings(2**50)
    assert settings(2**30)["memory_limit"] == "1024MiB"
    (tmp_path / "x.csv").write_text(CSV)
    source = open_source(tmp_path / "x.csv")
    options = dict(
        source._connection.sql(
            "SELECT name, value FROM duckdb_settings() WHERE name LIKE 'auto%extensions'"
        ).fetchall()
    )
    with pytest.raises(Exception, match="requires the extension httpfs"):
        source._connection.sql("SELECT * FROM read_csv('https://localhost/x.csv')")
    source.close()
    assert set(options.values()) == {"false"}


def test_the_number_of_rows_is_told_by_footers_only(tmp_path):
    (tmp_path / "x.csv").write_text(CSV)
    pq.write_table(arrow(), tmp_path / "x.parquet")
    assert open_source(tmp_path / "x.csv").rows is None
    source = open_source(tmp_path / "x.parquet")
    assert source.rows == 5
    assert files_module.kind_of_file(tmp_path / "x.csv") == "csv"
    source.close()


# ---------------------------------------------------------------------- what is left open


@pytest.fixture
def connections(monkeypatch):
    opened = []
    connect = duckdb.connect

    def recording(*given, **options):
        opened.append(connect(*given, **options))
        return opened[-1]

    monkeypatch.setattr(duckdb, "connect", recording)
    return opened


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.db?table=absent", b""),
        ("latin.csv", "label,größe\n1,0.5\n".encode("latin-1")),
        ("above.csv", b"a title, and more\nlabel,score,x\n1,0.5,1\n0,0.25,2\n"),
        ("broken.jsonl", b'{"label": 1, "score": 0.5}\n{"label": 0, "sc'),
    ],
)
def test_a_file_that_is_refused_leaves_no_connection(tmp_path, connections, name, content):
    path = tmp_path / name.partition("?")[0]
    if path.suffix == ".db":
        duckdb.connect(path).close()
    else:
        path.write_bytes(content)
    with pytest.raises(FileError):
        open_source(f"duckdb:///{tmp_path}/{name}" if path.suffix == ".db" else path)
    assert connections
    for connection in connections:
        with pytest.raises(duckdb.ConnectionException, match="closed"):
            connection.execute("SELECT 1")


def test_files_that_are_gone_before_their_size_is_known(tmp_path):
    path = tmp_path / "gone.csv"
    said = "gone.csv': no such file"
    with pytest.raises(FileError, match=said):
        CSVFiles(str(path), [path], 2**28, Dialect())
    with pytest.raises(FileError, match=said):
        JSONFiles(str(path), [path], 2**28)


def test_offsets_that_lead_out_of_the_file(tmp_path):
    """They are refused before pyarrow follows them."""
    table = pa.table({"label": ["no", "yes"] * 20, "score": [k / 40 for k in range(40)]})
    with pa.ipc.new_file(tmp_path / "x.arrow", table.schema) as writer:
        writer.write_table(table)
    data = (tmp_path / "x.arrow").read_bytes()
    offsets = struct.pack("<4i", 0, 2, 5, 7)
    assert data.count(offsets) == 1
    (tmp_path / "x.arrow").write_bytes(data.replace(offsets, struct.pack("<4i", 0, 2**28, 5, 7)))
    with pytest.raises(FileError, match="offset"):
        iso.read_predictions(tmp_path / "x.arrow", pos_label="yes")
