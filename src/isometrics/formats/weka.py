"""WEKA's files: ARFF, OpenML's predictions in it, and what WEKA prints as CSV."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.files import as_path
from isometrics.errors import LabelError, OneClassError
from isometrics.formats.predictions import Predictions, confidence, of_classes, texts
from isometrics.formats.text import TextFile, shown

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray


_STRING = r"""(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|"""
_NAME = re.compile(_STRING + r"""([^\s{}%,'"]+))""")
_VALUE = re.compile(r"\s*" + _STRING + r"""([^,'"]*))\s*(,|$)""")
_ESCAPED = re.compile(r"\\(.)")
_IGNORED_WORDS = ("@relation", "@inputs", "@input", "@outputs", "@output")

ARFFRow = list[str | None]


def attributes_and_rows(file: TextFile) -> tuple[dict[str, str], Iterator[tuple[int, ARFFRow]]]:
    """Return the types of the attributes by name, and the rows, each with its line number.

    A missing value is None. A type is the text after the name: a word such as ``real``, or values
    in braces. The lines ``@inputs`` and ``@outputs`` of KEEL's files are ignored. Sparse rows are
    refused.
    """
    lines = file.lines()
    types = _parse_attributes(file, lines)

    def rows() -> Iterator[tuple[int, ARFFRow]]:
        for line, text in lines:
            if text.lstrip().startswith("%"):
                continue
            values = _split(text)
            if len(values) != len(types):
                what = f"the row cannot be split into the values of {len(types)} attributes"
                raise file.line_error(line, what)
            yield line, values

    return types, rows()


def _split(text: str) -> ARFFRow:
    """Return the values of a row; none where quotes do not match."""
    values: ARFFRow = []
    end, separator = 0, ","
    while separator:
        match = _VALUE.match(text, end)
        if match is None:
            return []
        value = _unquoted(match).strip() if match[3] is not None else _unquoted(match)
        values.append(None if match[3] is not None and value in ("", "?") else value)
        end, separator = match.end(), match[4]
    return values


def _unquoted(match: re.Match[str]) -> str:
    """Return what a name or value says, without quotes and backslashes."""
    if match[3] is not None:
        return match[3]
    return _ESCAPED.sub(r"\1", match[1] if match[2] is None else match[2])


def _parse_attributes(file: TextFile, lines: Iterator[tuple[int, str]]) -> dict[str, str]:
    """Parse the header up to the line @data."""
    types: dict[str, str] = {}
    for line, text in lines:
        word, _, rest = text.strip().replace("\t", " ").partition(" ")
        if word.startswith("%") or word.lower() in _IGNORED_WORDS:
            continue
        if word.lower() == "@data":
            if not types:
                raise file.line_error(line, "no attributes stand before the data")
            return types
        rest = rest.strip()
        match = _NAME.match(rest) if word.lower() == "@attribute" else None
        if match is None:
            raise file.line_error(line, "this is no line of an ARFF header")
        name = _unquoted(match)
        if name in types:
            raise file.line_error(line, f"the attribute {name!r} is there twice")
        types[name] = rest[match.end() :].strip()
    raise file.file_error("has no line @data")


# ---------------------------------------------------------------------- OpenML

_LABEL_NAMES = ("correct", "truth")
_PREFIX = confidence("")
_SPLIT_NAMES = ("repeat", "fold", "sample")
_INTEGER_NAMES = (*_SPLIT_NAMES, "row_id")
_WHOLE = re.compile(r"[0-9]{1,18}")


def read_openml(path: str | os.PathLike[str], *, pos_label: object = None) -> Predictions:
    """Read the predictions of an OpenML run from an ARFF file.

    Rows of different repeats, folds or samples are distinguished by a group column such as
    ``repeat.fold``, whose values look like ``0.3``.
    """
    columns, label, classes, group = openml_rows(path)
    return of_classes(
        columns,
        label,
        {name: name for name in classes},
        source=as_path(path),
        group=group,
        pos_label=pos_label,
    )


def openml_rows(
    path: str | os.PathLike[str],
) -> tuple[dict[str, NDArray[Any]], str, list[str], str | None]:
    """Return the columns of a prediction file, the label's name, the classes, and the group's."""
    file = TextFile(
        path,
        "an OpenML prediction file has the attributes row_id, prediction, correct (or truth) and "
        "confidence.<class> for each class",
    )
    types, rows = attributes_and_rows(file)
    names = list(types)
    labels = [name for name in _LABEL_NAMES if name in names]
    classes = [name.removeprefix(_PREFIX) for name in names if name.startswith(_PREFIX)]
    if len(labels) != 1:
        raise file.file_error(f"has {len(labels)} attributes named {' or '.join(_LABEL_NAMES)}")
    if len(classes) < 2:
        raise file.file_error(f"has confidences of {len(classes)} classes, too few to rank by")
    label_index = names.index(labels[0])
    cells = []
    for line, row in rows:
        pairs = zip(names, row, strict=True)
        cells.append([_parse_cell(file, name, text, line) for name, text in pairs])
        if (value := row[label_index]) not in classes:
            raise file.line_error(line, f"the class {shown(str(value))} has no confidences")
    if not cells:
        raise file.file_error("has no rows")
    columns: dict[str, NDArray[Any]] = {}
    for name, values in zip(names, zip(*cells, strict=True), strict=True):
        has_text = any(isinstance(value, str) for value in values)
        columns[name] = texts(values) if has_text else np.array(values)
    return columns, labels[0], classes, _add_groups(columns)


def _parse_cell(file: TextFile, name: str, text: str | None, line: int) -> str | float:
    """Convert a value to the type of its column."""
    if text is None:
        raise file.line_error(line, f"the value of {name} is missing")
    if name.startswith(_PREFIX):
        return file.number(text, line)
    if name not in _INTEGER_NAMES:
        return text
    if not _WHOLE.fullmatch(text):
        raise file.line_error(
            line, f"{name} is {shown(text)}, which is no whole number of up to 18 digits"
        )
    return int(text)


def _add_groups(columns: dict[str, NDArray[Any]]) -> str | None:
    """Add a column with the repeat and fold of each row, and its sample if there are several.

    Return the name of the column, or None if all rows belong to one group.
    """
    splits = [name for name in _SPLIT_NAMES if name in columns]
    splits = [
        name for name in splits if name != "sample" or (columns[name] != columns[name][0]).any()
    ]
    if all((columns[name] == columns[name][0]).all() for name in splits):
        return None
    group = ".".join(splits)
    values = zip(*(columns[name].tolist() for name in splits), strict=True)
    # In a file with folds only, this replaces the integers of the column "fold" by texts.
    columns[group] = texts([".".join(map(str, row)) for row in values])
    return group


# ---------------------------------------------------------------------- WEKA's CSV

HEADER = re.compile(
    r"inst#([,\t])actual\1predicted\1error(?:\1(prediction|distribution)(?:\1.*)?)?"
)
_CLASS = re.compile(r"(\d{1,9}):(.+)", re.DOTALL | re.ASCII)
_QUOTED = re.compile(r"(['\"])(.*)\1", re.DOTALL)


class _Row(NamedTuple):
    """One prediction, with classes as (number, name) and confidences as texts."""

    instance: int
    actual: tuple[int, str]
    predicted: tuple[int, str]
    confidences: list[str]

    def confidence(self, number: int) -> float:
        """Return the confidence in a class; of two, there may be that of the predicted one alone.

        That of the other is computed as 1 - p in decimals, so that 1 - 0.744 ties with 0.256.
        """
        if len(self.confidences) > 1:
            return float(self.confidences[number - 1])
        p = Decimal(self.confidences[0])
        return float(p if self.predicted[0] == number else 1 - p)


def read_weka(path: str | os.PathLike[str], *, pos_label: object = None) -> Predictions:
    """Read the output of WEKA with ``-classifications CSV``, preferably with ``-distribution``.

    Lines above the header and WEKA's summary below the predictions are skipped. Where ``inst#``
    starts again from 1, a new fold begins.
    """
    file = TextFile(
        path,
        "WEKA's CSV has the columns inst#, actual, predicted, error and then prediction or "
        "distribution, and classes such as 2:pos",
    )
    lines = file.lines()
    header = next((match for _, text in lines if (match := HEADER.fullmatch(text))), None)
    if header is None or header[2] is None:
        raise file.file_error("has no header inst#,actual,predicted,error with probabilities")
    names = header[0].split(header[1])
    # Only the first column of a distribution has a name.
    unnamed = 0
    if header[2] == "distribution":
        unnamed = next((i for i, name in enumerate(names[5:]) if name), len(names) - 5)
    rows = [
        _parse_row(file, line, text.split(header[1]), len(names), 1 + unnamed)
        for line, text in takewhile(lambda numbered: not numbered[1].startswith("==="), lines)
    ]
    if not rows:
        raise file.file_error("has no rows")
    classes = _class_names(file, rows, 1 + unnamed)
    columns: dict[str, NDArray[np.generic]] = {
        "inst#": np.array([row.instance for row in rows]),
        "actual": texts([classes[row.actual[0]] for row in rows]),
        "predicted": texts([classes[row.predicted[0]] for row in rows]),
    }
    for number, name in classes.items():
        columns[confidence(name)] = np.array([row.confidence(number) for row in rows])
    folds = np.cumsum(columns["inst#"] == 1)
    if folds[-1] > 1:
        columns["fold"] = folds
    return of_classes(
        columns,
        "actual",
        {name: name for name in classes.values()},
        source=file.path,
        group="fold" if "fold" in columns else None,
        pos_label=pos_label,
    )


def _parse_row(
    file: TextFile, line: int, fields: list[str], n_fields: int, n_confidences: int
) -> _Row:
    if len(fields) == n_fields + 1 and not fields[-1]:
        del fields[-1]
    if len(fields) != n_fields:
        raise file.line_error(line, f"the row has {len(fields)} values, the header {n_fields}")
    if not re.fullmatch(r"\d{1,15}", fields[0], re.ASCII):
        raise file.line_error(line, f"{shown(fields[0])} is no number of an instance")
    actual, predicted = (_parse_class(file, field, line) for field in fields[1:3])
    # An asterisk marks the class that is predicted.
    confidences = [value.removeprefix("*") for value in fields[4 : 4 + n_confidences]]
    for value in confidences:
        file.rate(value, line)
    return _Row(int(fields[0]), actual, predicted, confidences)


def _parse_class(file: TextFile, text: str, line: int) -> tuple[int, str]:
    match = _CLASS.fullmatch(text)
    if match is None or match[1].strip("0") == "" or match[2] == "?":
        raise file.line_error(line, f"{shown(text)} is no class")
    quoted = _QUOTED.fullmatch(match[2])
    # WEKA quotes the actual class where necessary, but never the predicted one.
    return int(match[1]), match[2] if quoted is None else re.sub(r"\\(.)", r"\1", quoted[2])


def _class_names(file: TextFile, rows: list[_Row], n_confidences: int) -> dict[int, str]:
    """Return the classes in WEKA's order; the name of one that never occurs is its number."""
    numbered = {each for row in rows for each in (row.actual, row.predicted)}
    names = dict(sorted(numbered))
    if n_confidences > 1:
        if max(names) > n_confidences:
            raise file.file_error(f"names class {max(names)} of {n_confidences}")
        names = {number: names.get(number, str(number)) for number in range(1, n_confidences + 1)}
    if len(set(names.values())) < max(len(names), len(numbered)):
        raise file.file_error("has different names for the same class, or the same for two")
    if len(names) < 2:
        raise OneClassError(
            f"{file.path} has only the class {shown(*names.values())}; two are needed"
        )
    if len(names) > 2 and n_confidences == 1:
        raise LabelError(
            f"{file.path} has {len(names)} classes but only the probability of the predicted one; "
            "let WEKA write all of them with -distribution"
        )
    return names
