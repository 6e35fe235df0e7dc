"""The first sheet of a workbook is read as a CSV file of its cells would be."""

import csv
import importlib.util
import io
from contextlib import closing

import numpy as np
import pytest

import isometrics as iso
from isometrics.errors import (
    FileError,
    IsometricsError,
    MissingPackageError,
    MissingValueError,
    ParameterError,
)
from isometrics.sources.files import open_source

from .workbooks import write_workbook

pytest.importorskip("python_calamine")

HEADER = ["y", "a", "b"]
ROWS = [[1, 0.5, 0.75], [0, 0.25, 0.625], [1, 0.75, 0.125], [0, 0.125, 0.5]]


def read(tmp_path, rows, *, more=None, **options):
    path = write_workbook(tmp_path / "x.xlsx", {"data": rows} | (more or {}))
    return iso.read_predictions(path, **options)


def refused(tmp_path, rows, **options):
    with pytest.raises(IsometricsError) as result:
        read(tmp_path, rows, **options)
    return str(result.value)


def test_a_sheet(tmp_path):
    analysis = read(tmp_path, [HEADER, *ROWS])
    labels, first, second = zip(*ROWS, strict=True)
    assert analysis.models == iso.analyse(labels, {"a": first, "b": second}).models
    assert analysis.description.endswith(
        "x.xlsx: label: y (guessed); models: a, b (guessed: the remaining numeric columns)"
    )


def test_line_ends_inside_of_cells(tmp_path):
    notes = ["one", "two\nlines", "\r\n", "four"]
    rows = [[*row, note] for row, note in zip(ROWS, notes, strict=True)]
    path = write_workbook(tmp_path / "x.xlsx", {"data": [[*HEADER, "a\nnote"], [], *rows]})
    with closing(open_source(path)) as source:
        (batch,) = source.batches(["a\nnote"])
    assert [note.replace("\r", "") for note in batch.column(0).to_pylist()] == [
        *("one", "two\nlines", "\n", "four")
    ]
    rows[3][1] = "high"
    said = refused(tmp_path, [[*HEADER, "a\nnote"], [], *rows], label="y", scores="a")
    assert "'high': 1 in all, on row 6" in said


@pytest.mark.slow
def test_the_same_as_csv(tmp_path):
    """Random tables with missing cells, words and texts that are numbers."""
    rng = np.random.default_rng(5)
    cells = [None, "NA", 0.5, 2, "0.25", "7", "high", -1.5, "57.8%"]
    for _ in range(60):
        odd = rng.choice(len(cells), 2)
        rows = [["y", "s"]]
        for row in range(8):
            value = float(rng.integers(0, 9)) / 4 if rng.random() < 0.8 else cells[rng.choice(odd)]
            rows.append([row % 2, value])
        text = io.StringIO()
        csv.writer(text).writerows([["" if v is None else v for v in row] for row in rows])
        (tmp_path / "x.csv").write_text(text.getvalue())
        for options in ({}, {"drop_missing": True}):
            expected, found = (
                outcome(given, label="y", scores="s", **options)
                for given in (tmp_path / "x.csv", write_workbook(tmp_path / "x.xlsx", {"d": rows}))
            )
            assert found == expected, rows


def outcome(path, **options):
    try:
        return iso.read_predictions(path, **options).models
    except IsometricsError as error:
        return type(error), str(error).replace(" row", " line")


def test_rows_are_those_of_the_sheet(tmp_path):
    rows = [[], HEADER, ROWS[0], [], [0, "high", 1.5], [0, None, "#N/A"], ROWS[1]]
    assert refused(tmp_path, rows, scores=["a", "b"]) == (
        "a has missing values (NaN or null): 1 in all, on row 6; a has values that are not real "
        "numbers of 64 bits, such as 'high': 1 in all, on row 5; b has missing values (NaN or "
        "null): 1 in all, on row 6; leave out rows with missing values with drop_missing=True"
    )


def test_missing_cells_left_out_and_sheets_named(tmp_path):
    rows = [HEADER, *ROWS, [1, None, 0.2], [1, "#N/A", None]]
    analysis = read(tmp_path, rows, more={"notes": [["x"]]}, drop_missing=True)
    assert analysis.description.endswith(
        "; sheet data, the first of 2; 2 rows with missing values are left out, for all models "
        "(a: 2, b: 1)"
    )
    with pytest.raises(MissingValueError):
        read(tmp_path, rows)


def test_texts_that_are_numbers(tmp_path):
    rows = [["y", "s"], ["yes", "57,8%"], ["no", "1.234 %"], ["yes", "25%"]]
    analysis = read(tmp_path, rows, decimal=",")
    assert sorted(analysis.models["s"].thresholds[1:].tolist()) == [0.25, 0.578, 12.34]
    assert "positive: yes; " in analysis.description
    assert analysis.description.endswith("; s in percent, read as shares")
    assert "57,8% looks like a decimal comma; pass decimal=','" in refused(tmp_path, rows)
    rows = [["y", "s"], [1, "0.5"], [0, 0.25], [1, "2"]]
    thresholds = read(tmp_path, rows).models["s"].thresholds
    assert thresholds.tolist() == [np.inf, 2, 0.5, 0.25]
    rows = [["y", "s"], [1, "50%"], [0, 0.25], [1, "2"]]
    assert "such as '50%'" in refused(tmp_path, rows)
    assert "such as '0.25'" in refused(tmp_path, [["y", "s"], [1, "0,5"], [0, "0.25"]], decimal=",")


def test_truth_values_times_and_large_numbers(tmp_path):
    rows = [["y", "score", "site"], [True, 0.5, "2024-01-01"], [False, 2.0**60, 3.0]]
    rows += [[False, 0.125, "2024-01-01"], [True, 0.75, 3.0]]
    analysis = read(tmp_path, rows, group="site")
    assert len(analysis.groups) == 2
    assert "3" in analysis.groups
    assert analysis.models["score"].thresholds[1] == 2.0**60


def test_sheets_without_a_header(tmp_path):
    analysis = read(tmp_path, ROWS)
    assert list(analysis.models) == ["column1", "column2"]
    assert analysis.description.endswith("; the file has no header line")
    named = read(tmp_path, [[0, 1, 2], *ROWS], header=True, label="0", scores="1")
    assert list(named.models) == ["1"]
    assert "no header" in read(tmp_path, ROWS, header=False).description


def test_columns_without_cells_are_none(tmp_path):
    rows = [[*HEADER, None, ""], *ROWS]
    assert list(read(tmp_path, rows).models) == ["a", "b"]
    rows = [[*HEADER, None], *([*row, "x"] for row in ROWS)]
    assert "not used: column3" in read(tmp_path, rows).description


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "its first sheet, 'data', is empty"),
        ([[None], ["NA"]], "its first sheet, 'data', is empty"),
        ([["y", "s", "s"], [1, 0.5, 0.25]], "it has two columns called 's'"),
    ],
)
def test_sheets_that_are_no_table(tmp_path, rows, said):
    assert said in refused(tmp_path, rows)


def test_broken_workbooks(tmp_path):
    for content, said in (
        (b"PK\x03\x04 no archive", "it is no whole Excel workbook"),
        (b"y,s\n1,0.5\n", "its name says Excel but its first bytes do not"),
    ):
        (tmp_path / "x.xlsx").write_bytes(content)
        with pytest.raises(FileError, match=said):
            iso.read_predictions(tmp_path / "x.xlsx")
    import zipfile

    with zipfile.ZipFile(tmp_path / "x.xlsx", "w") as archive:
        archive.writestr("a.txt", "no workbook")
    with pytest.raises(FileError, match="cannot read"):
        iso.read_predictions(tmp_path / "x.xlsx")


def test_an_archive_that_asks_for_a_later_version_of_zip(tmp_path):
    """A damaged byte may do so; Python's zipfile then says what it has not implemented."""
    path = write_workbook(tmp_path / "x.xlsx", {"data": [HEADER, *ROWS]})
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 6] = 222
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"no whole Excel workbook: zip file version 22\.2$"):
        iso.read_predictions(path)


def test_workbooks_beyond_the_memory_limit_are_refused_before_they_are_read(tmp_path, monkeypatch):
    path = write_workbook(tmp_path / "x.xlsx", {"data": [HEADER, *ROWS * 5000]})
    monkeypatch.setattr("isometrics.sources.excel._BYTES_HELD", 200)
    with pytest.raises(ParameterError) as result:
        iso.read_predictions(path, memory_limit="250MB")
    said = str(result.value)
    assert "within the memory limit: workbooks are held in memory; raise memory_limit= to " in said
    enough = said.partition("memory_limit= to ")[2].partition(",")[0]
    assert iso.read_predictions(path, memory_limit=enough).models["a"].positives == 10_000


def test_a_workbook_on_standard_input(tmp_path, standard_input):
    path = write_workbook(tmp_path / "x.xlsx", {"data": [HEADER, *ROWS, [1, None, 2]]})
    standard_input(path.read_bytes())
    with pytest.raises(MissingValueError, match="1 in all, on row 6"):
        iso.read_predictions("-")


def test_without_the_package(tmp_path, monkeypatch):
    path = write_workbook(tmp_path / "x.xlsx", {"data": [HEADER, *ROWS]})
    installed = importlib.util.find_spec
    monkeypatch.setattr(
        "isometrics.errors.find_spec", lambda name: None if "calamine" in name else installed(name)
    )
    with pytest.raises(MissingPackageError, match=r"python_calamine: pip install .*\[excel\]"):
        iso.read_predictions(path)
