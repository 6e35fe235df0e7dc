"""ARFF files: the names and types of their attributes, and their rows as text.

liac-arff splits the rows, with all their ways of quoting. The header is read here: liac-arff takes
exponential time for some lists of nominal values, and does not know a tab behind ``@attribute``.
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from isometrics.errors import FileError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isometrics.formats.text import TextFile

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
