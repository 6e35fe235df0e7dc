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
    """Where the values of a row stand."""

    separator: str
    fields: int
    confidences: int
    distribution: bool


class _Row(NamedTuple):
    """One prediction: classes as (number, name), and what WEKA says about its confidence."""

    instance: int
    actual: tuple[int, str]
    predicted: tuple[int, str]
    confidences: list[str]


def read_weka(path: str | os.PathLike[str], *, pos_label: object = None) -> Predictions:
    """Read what WEKA writes with ``-classifications CSV``, best with ``-distribution``.

    Whatever stands above the header is skipped, and so is WEKA's summary below the predictions.
    Where ``inst#`` starts again from 1, a new fold begins.
    """
    file = TextFile(
        path,
        "WEKA's CSV has the columns inst#, actual, predicted, error and then prediction or "
        "distribution, and classes such as 2:pos",
    )
    lines = file.lines()
    layout = _layout(file, lines)
    rows = [
        _row(file, layout, text, line)
        for line, text in takewhile(lambda numbered: not numbered[1].startswith("==="), lines)
    ]
    if not rows:
        raise file.file_error("has no rows")
    names = _names(file, rows, layout)
    columns: dict[str, NDArray[np.generic]] = {
        "inst#": np.array([row.instance for row in rows]),
        "actual": texts([names[row.actual[0]] for row in rows]),
        "predicted": texts([names[row.predicted[0]] for row in rows]),
    }
    scores = _distribution(rows) if layout.distribution else _from_predicted(rows, names)
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


def _layout(file: TextFile, lines: Iterator[tuple[int, str]]) -> _Layout:
    for line, text in lines:
        found = HEADER.fullmatch(text)
        if found is None:
            continue
        fields = text.split(found[1])
        if found[2] is None:
            raise file.line_error(line, "there are no probabilities beside the predictions")
        if found[2] == "prediction":
            return _Layout(found[1], len(fields), 1, False)
        unnamed = next((i for i, name in enumerate(fields[5:]) if name), len(fields) - 5)
        return _Layout(found[1], len(fields), 1 + unnamed, True)
    raise file.file_error("has no header inst#,actual,predicted,error")


def _row(file: TextFile, layout: _Layout, text: str, line: int) -> _Row:
    fields = text.split(layout.separator)
    if len(fields) == layout.fields + 1 and not fields[-1]:
        del fields[-1]
    if len(fields) != layout.fields:
        raise file.line_error(line, f"the row has {len(fields)} values, the header {layout.fields}")
    if not re.fullmatch(r"\d{1,15}", fields[0], re.ASCII):
        raise file.line_error(line, f"{shown(fields[0])} is no number of an instance")
    actual, predicted = (_class(file, field, line) for field in fields[1:3])
    confidences = fields[4 : 4 + layout.confidences]
    if layout.distribution:
        marked = [number for number, value in enumerate(confidences, 1) if value.startswith("*")]
        if marked != [predicted[0]]:
            what = "the asterisk does not mark the probability of the predicted class"
            raise file.line_error(line, what)
        confidences = [value.removeprefix("*") for value in confidences]
    for value in confidences:
        file.rate(value, line)
    return _Row(int(fields[0]), actual, predicted, confidences)


def _class(file: TextFile, text: str, line: int) -> tuple[int, str]:
    found = _CLASS.fullmatch(text)
    if found is None or found[1].strip("0") == "" or found[2] == "?":
        raise file.line_error(line, f"{shown(text)} is no class")
    quoted = _QUOTED.fullmatch(found[2])
    # WEKA quotes the actual class where it has to, but not the predicted one.
    return int(found[1]), found[2] if quoted is None else re.sub(r"\\(.)", r"\1", quoted[2])


def _names(file: TextFile, rows: list[_Row], layout: _Layout) -> dict[int, str]:
    """Return the classes in WEKA's order; one that never occurs has its number as its name."""
    seen = dict(sorted({one for row in rows for one in (row.actual, row.predicted)}))
    if layout.distribution:
        if max(seen) > layout.confidences:
            raise file.file_error(f"names class {max(seen)} of {layout.confidences}")
        seen = {
            number: seen.get(number, str(number)) for number in range(1, layout.confidences + 1)
        }
    if len(set(seen.values())) < len(seen) or any(
        seen[number] != name for row in rows for number, name in (row.actual, row.predicted)
    ):
        raise file.file_error("has different names for the same class, or the same for two")
    if len(seen) < 2:
        raise OneClassError(
            f"{file.path} has only the class {shown(*seen.values())}; two are needed"
        )
    if len(seen) > 2 and not layout.distribution:
        raise LabelError(
            f"{file.path} has {len(seen)} classes but only the probability of the predicted one; "
            "let WEKA write all of them with -distribution"
        )
    return seen


def _distribution(rows: list[_Row]) -> dict[int, Floats]:
    table = np.array([row.confidences for row in rows], dtype=np.float64)
    return {position + 1: values.copy() for position, values in enumerate(table.T)}


def _from_predicted(rows: list[_Row], names: dict[int, str]) -> dict[int, Floats]:
    """Return both probabilities of two classes from that of the predicted one.

    The other one is 1 - p in decimals, so that 1 - 0.744 ties with 0.256.
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


Row = list[str | None]

_NAME = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{}%,'"]+)""")
_ESCAPED = re.compile(r"\\(.)")
_PASSED_OVER = ("@relation", "@inputs", "@input", "@outputs", "@output")


def attributes_and_rows(file: TextFile) -> tuple[dict[str, str], Iterator[tuple[int, Row]]]:
    """Return the attributes with their types, and the rows with their lines; None is missing.

    A type is what stands behind the name: a word such as ``real``, or ``{`` and values. KEEL's
    files have lines ``@inputs`` and ``@outputs`` in their header, too; they are passed over.
    """
    try:
        import arff
    except ImportError:
        raise ParameterError(
            "reading ARFF files needs liac-arff, which is not installed: pip install liac-arff"
        ) from None

    lines = file.lines()
    types = _header(file, lines)
    current = 0

    def counted() -> Iterator[str]:
        nonlocal current
        yield "@RELATION predictions"
        for position in range(len(types)):
            yield f"@ATTRIBUTE a{position} STRING"
        yield "@DATA"
        for current, text in lines:
            if text.lstrip().startswith("{"):
                raise file.line_error(current, "the row is sparse, which is not read")
            yield text

    def rows() -> Iterator[tuple[int, Row]]:
        try:
            for row in arff.load(counted(), return_type=arff.DENSE_GEN)["data"]:
                # Half a character, which an escape can stand for, is no text.
                "".join(filter(None, row)).encode()
                yield current, row
        except FileError:
            raise
        except (arff.ArffException, csv.Error, ValueError):
            what = f"the row cannot be split into the values of {len(types)} attributes"
            raise file.line_error(current, what) from None

    return types, rows()


def _header(file: TextFile, lines: Iterator[tuple[int, str]]) -> dict[str, str]:
    types: dict[str, str] = {}
    for line, text in lines:
        word, _, rest = text.strip().replace("\t", " ").partition(" ")
        if word.startswith("%") or word.lower() in _PASSED_OVER:
            continue
        if word.lower() == "@data":
            if not types:
                raise file.line_error(line, "no attributes stand before the data")
            return types
        rest = rest.strip()
        found = _NAME.match(rest) if word.lower() == "@attribute" else None
        if found is None:
            raise file.line_error(line, "this is no line of an ARFF header")
        quoted = found[1] if found[2] is None else found[2]
        name = found[3] if quoted is None else _ESCAPED.sub(r"\1", quoted)
        if name in types:
            raise file.line_error(line, f"the attribute {name!r} is there twice")
        types[name] = rest[found.end() :].strip()
    raise file.file_error("has no line @data")
