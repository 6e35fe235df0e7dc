"""Predictions that WEKA prints as CSV, and ARFF files."""

from __future__ import annotations

import csv
import re
from decimal import Decimal
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics.errors import FileError, LabelError, OneClassError, ParameterError
from isometrics.formats.predictions import Predictions, confidence, of_classes, texts
from isometrics.formats.text import TextFile, shown

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats


HEADER = re.compile(
    r"inst#([,\t])actual\1predicted\1error(?:\1(prediction|distribution)(?:\1.*)?)?"
)
_CLASS = re.compile(r"(\d{1,9}):(.+)", re.DOTALL | re.ASCII)
_QUOTED = re.compile(r"(['\"])(.*)\1", re.DOTALL)


class _Layout(NamedTuple):
    """The columns of a file: their number, and how many of them are confidences."""

    separator: str
    n_fields: int
    n_confidences: int
    distribution: bool


class _Row(NamedTuple):
    """One prediction, with classes as (number, name) and confidences as texts."""

    instance: int
    actual: tuple[int, str]
    predicted: tuple[int, str]
    confidences: list[str]


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
    layout = _parse_header(file, lines)
    rows = [
        _parse_row(file, layout, text, line)
        for line, text in takewhile(lambda numbered: not numbered[1].startswith("==="), lines)
    ]
    if not rows:
        raise file.file_error("has no rows")
    names = _class_names(file, rows, layout)
    columns: dict[str, NDArray[np.generic]] = {
        "inst#": np.array([row.instance for row in rows]),
        "actual": texts([names[row.actual[0]] for row in rows]),
        "predicted": texts([names[row.predicted[0]] for row in rows]),
    }
    scores = _scores_of_all(rows) if layout.distribution else _scores_of_two(rows, names)
    for number, name in names.items():
        columns[confidence(name)] = scores[number]
    folds = np.cumsum(columns["inst#"] == 1)
    if folds[-1] > 1:
        columns["fold"] = folds
    return of_classes(
        columns,
        "actual",
        {name: name for name in names.values()},
        source=file.path,
        group="fold" if "fold" in columns else None,
        pos_label=pos_label,
    )


def _parse_header(file: TextFile, lines: Iterator[tuple[int, str]]) -> _Layout:
    for line, text in lines:
        match = HEADER.fullmatch(text)
        if match is None:
            continue
        separator, confidences = match[1], match[2]
        fields = text.split(separator)
        if confidences is None:
            raise file.line_error(line, "there are no probabilities beside the predictions")
        if confidences == "prediction":
            return _Layout(separator, len(fields), 1, False)
        # Only the first column of a distribution has a name.
        unnamed = next((i for i, name in enumerate(fields[5:]) if name), len(fields) - 5)
        return _Layout(separator, len(fields), 1 + unnamed, True)
    raise file.file_error("has no header inst#,actual,predicted,error")


def _parse_row(file: TextFile, layout: _Layout, text: str, line: int) -> _Row:
    fields = text.split(layout.separator)
    if len(fields) == layout.n_fields + 1 and not fields[-1]:
        del fields[-1]
    if len(fields) != layout.n_fields:
        raise file.line_error(
            line, f"the row has {len(fields)} values, the header {layout.n_fields}"
        )
    if not re.fullmatch(r"\d{1,15}", fields[0], re.ASCII):
        raise file.line_error(line, f"{shown(fields[0])} is no number of an instance")
    actual, predicted = (_parse_class(file, field, line) for field in fields[1:3])
    confidences = fields[4 : 4 + layout.n_confidences]
    if layout.distribution:
        marked = [number for number, value in enumerate(confidences, 1) if value.startswith("*")]
        if marked != [predicted[0]]:
            what = "the asterisk does not mark the probability of the predicted class"
            raise file.line_error(line, what)
        confidences = [value.removeprefix("*") for value in confidences]
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


def _class_names(file: TextFile, rows: list[_Row], layout: _Layout) -> dict[int, str]:
    """Return the classes in WEKA's order; the name of one that never occurs is its number."""
    names = dict(sorted({numbered for row in rows for numbered in (row.actual, row.predicted)}))
    if layout.distribution:
        if max(names) > layout.n_confidences:
            raise file.file_error(f"names class {max(names)} of {layout.n_confidences}")
        names = {
            number: names.get(number, str(number)) for number in range(1, layout.n_confidences + 1)
        }
    if len(set(names.values())) < len(names) or any(
        names[number] != name for row in rows for number, name in (row.actual, row.predicted)
    ):
        raise file.file_error("has different names for the same class, or the same for two")
    if len(names) < 2:
        raise OneClassError(
            f"{file.path} has only the class {shown(*names.values())}; two are needed"
        )
    if len(names) > 2 and not layout.distribution:
        raise LabelError(
            f"{file.path} has {len(names)} classes but only the probability of the predicted one; "
            "let WEKA write all of them with -distribution"
        )
    return names


def _scores_of_all(rows: list[_Row]) -> dict[int, Floats]:
    """Return the probabilities of each class from the distributions."""
    table = np.array([row.confidences for row in rows], dtype=np.float64)
    return {number: values.copy() for number, values in enumerate(table.T, 1)}


def _scores_of_two(rows: list[_Row], names: dict[int, str]) -> dict[int, Floats]:
    """Return the probabilities of both classes from that of the predicted one, p.

    That of the other class is computed as 1 - p in decimals, so that 1 - 0.744 ties with 0.256.
    """
    return {
        number: np.array(
            [
                float(row.confidences[0])
                if row.predicted[0] == number
                else float(1 - Decimal(row.confidences[0]))
                for row in rows
            ]
        )
        for number in names
    }


# ---------------------------------------------------------------------- ARFF files

ARFFRow = list[str | None]

_NAME = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{}%,'"]+)""")
_ESCAPED = re.compile(r"\\(.)")
_IGNORED_WORDS = ("@relation", "@inputs", "@input", "@outputs", "@output")


def attributes_and_rows(file: TextFile) -> tuple[dict[str, str], Iterator[tuple[int, ARFFRow]]]:
    """Return the types of the attributes by name, and the rows, each with its line number.

    A missing value is None. A type is the text after the name: a word such as ``real``, or values
    in braces. The lines ``@inputs`` and ``@outputs`` of KEEL's files are ignored.
    """
    try:
        import arff
    except ImportError:
        raise ParameterError(
            "reading ARFF files needs liac-arff, which is not installed: pip install liac-arff"
        ) from None

    lines = file.lines()
    types = _parse_attributes(file, lines)
    line = 0

    def text_attributes_and_data() -> Iterator[str]:
        """Yield a header in which all attributes are texts, and the data."""
        nonlocal line
        yield "@RELATION predictions"
        for index in range(len(types)):
            yield f"@ATTRIBUTE a{index} STRING"
        yield "@DATA"
        for line, text in lines:
            if text.lstrip().startswith("{"):
                raise file.line_error(line, "the row is sparse, which is not read")
            yield text

    def rows() -> Iterator[tuple[int, ARFFRow]]:
        try:
            for row in arff.load(text_attributes_and_data(), return_type=arff.DENSE_GEN)["data"]:
                # Refuse an unpaired surrogate, which an escape may encode and is no valid text.
                "".join(filter(None, row)).encode()
                yield line, row
        except FileError:
            raise
        except (arff.ArffException, csv.Error, ValueError):
            what = f"the row cannot be split into the values of {len(types)} attributes"
            raise file.line_error(line, what) from None

    return types, rows()


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
        quoted = match[1] if match[2] is None else match[2]
        name = match[3] if quoted is None else _ESCAPED.sub(r"\1", quoted)
        if name in types:
            raise file.line_error(line, f"the attribute {name!r} is there twice")
        types[name] = rest[match.end() :].strip()
    raise file.file_error("has no line @data")
