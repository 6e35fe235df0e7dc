"""Data sets as their files have them: named columns of text, one of which is the target.

ARFF files and KEEL's ``.dat`` files with a header, CSV files with and without one, and the pairs
``.data`` and ``.labels`` of the agnostic learning challenge.
"""

from __future__ import annotations

import csv
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from isometrics.errors import FileError
from isometrics.formats.attribute_relation import attributes_and_rows
from isometrics.formats.text import TextFile, is_number

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SUFFIXES = (".arff", ".dat", ".csv", ".data")

_MISSING = frozenset({"", "?", "<null>", "NA", "nan", "NaN"})
_TARGETS = ("class", "target", "label")
_NUMERIC = ("real", "numeric", "integer")
_MOST_CLASSES = 10
_ARFF_LINES = "an ARFF or KEEL file has lines @attribute, then @data and rows"
_CSV_LINES = "a CSV file has rows of equal length"


class Column(NamedTuple):
    """A column as its file has it; None is a missing value."""

    name: str
    cells: Sequence[str | None]
    numeric: bool


class RawTable(NamedTuple):
    """The columns of a file, and the one to predict."""

    features: list[Column]
    target: Column


def read_raw(path: Path) -> RawTable:
    """Read a data set.

    The target is the output that KEEL's header names, or else the column called class, target or
    label, or else the last one. In files that declare no types a column is numeric if all its
    values are numbers; a target of at most ten different numbers holds classes all the same.
    """
    if path.suffix == ".data":
        return _read_pair(path)
    with_header = path.suffix == ".arff" or _declares_attributes(path)
    return _read_arff(path) if with_header else _read_csv(path)


# ---------------------------------------------------------------------- ARFF and KEEL


def _declares_attributes(path: Path) -> bool:
    lines = TextFile(path, _CSV_LINES).lines()
    return any(text.lstrip().startswith("@") for _, (_, text) in zip(range(1), lines, strict=False))


def _read_arff(path: Path) -> RawTable:
    file = TextFile(path, _ARFF_LINES)
    types, rows = attributes_and_rows(file)
    if any(name.startswith("confidence.") for name in types):
        raise FileError(f"{path} holds predictions of an OpenML run; give it as runs, not as data")
    cells = [[_cell(text) for text in row] for _, row in rows]
    columns = [
        Column(name, list(values), declared.split("[")[0].strip().lower() in _NUMERIC)
        for (name, declared), values in zip(types.items(), _transposed(file, cells), strict=True)
    ]
    return _with_target(columns, _output(file))


def _output(file: TextFile) -> str | None:
    """Return the output that a header of KEEL names."""
    texts = (text.strip() for _, text in file.lines())
    header = takewhile(lambda text: text.lower() != "@data", texts)
    lines = (text.partition(" ") for text in header)
    outputs = [rest for word, _, rest in lines if word.lower() in ("@output", "@outputs")]
    return outputs[0].strip() if outputs else None


# ---------------------------------------------------------------------- CSV


def _read_csv(path: Path) -> RawTable:
    file = TextFile(path, _CSV_LINES)
    lines = (text for _, text in file.lines())
    try:
        rows = [[_unquoted(cell) for cell in row] for row in csv.reader(lines)]
    except csv.Error as error:
        raise file.file_error(f"cannot be split into cells ({error})") from None
    header = _header_of(rows)
    columns = []
    for position, values in enumerate(_transposed(file, rows[header is not None :])):
        name = f"column {position + 1}" if header is None else header[position]
        cells = [_cell(text) for text in values]
        columns.append(Column(name, cells, _all_numbers(cells)))
    table = _with_target(columns, None)
    few = len(set(table.target.cells) - {None}) <= _MOST_CLASSES
    return table._replace(target=table.target._replace(numeric=table.target.numeric and not few))


def _unquoted(cell: str) -> str:
    """Return a cell without blanks and the single quotes that ARFF's texts have."""
    cell = cell.strip()
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == "'" else cell


def _header_of(rows: list[list[str]]) -> list[str] | None:
    """Return the first row if it holds no numbers while some column below holds nothing else."""
    first, below = rows[:1], rows[1:]
    if not below or any(map(is_number, first[0])):
        return None
    numbers = any(_all_numbers([_cell(text) for text in column]) for column in zip(*below))  # noqa: B905 (lengths are checked later)
    return first[0] if numbers else None


def _read_pair(path: Path) -> RawTable:
    labels = path.with_suffix(".labels")
    if not labels.is_file():
        raise FileError(f"{path} has no file {labels.name} of labels beside it")
    file = TextFile(path, "a .data file has rows of numbers, equally many")
    rows = [text.split() for _, text in file.lines()]
    answers = [text.strip() for _, text in TextFile(labels, "one label on each line").lines()]
    columns = _transposed(file, rows)
    if len(answers) != len(rows):
        raise file.file_error(f"has {len(rows)} rows but {labels.name} has {len(answers)}")
    features = [
        Column(f"column {position + 1}", cells, _all_numbers(cells))
        for position, cells in enumerate([_cell(text) for text in column] for column in columns)
    ]
    return RawTable(features, Column("label", answers, False))


# ---------------------------------------------------------------------- columns


def _cell(text: str | None) -> str | None:
    return None if text is None or text.strip() in _MISSING else text.strip()


def _all_numbers(cells: Sequence[str | None]) -> bool:
    known = [cell for cell in cells if cell is not None]
    return bool(known) and all(map(is_number, known))


def _transposed(
    file: TextFile, rows: Sequence[Sequence[str | None]]
) -> list[tuple[str | None, ...]]:
    if not rows:
        raise file.file_error("has no rows")
    if any(len(row) != len(rows[0]) for row in rows):
        raise file.file_error("has rows of different lengths")
    return list(zip(*rows, strict=True))


def _with_target(columns: list[Column], output: str | None) -> RawTable:
    names = [column.name.lower() for column in columns]
    wanted = (output.lower(),) if output else _TARGETS
    found = [names.index(name) for name in wanted if name in names]
    position = found[0] if found else len(columns) - 1
    return RawTable(columns[:position] + columns[position + 1 :], columns[position])
