"""The format of a file, told from its name and first lines."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from isometrics.errors import FileError
from isometrics.formats.text import TextFile, is_number
from isometrics.formats.weka import HEADER

if TYPE_CHECKING:
    import os

_BY_SUFFIX = {".arff": "openml", ".npz": "npz", ".list": "list"}
_CURVES = (".pr", ".roc", ".spr")
_TABLES = (".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson", ".feather", ".arrow")
_LINES = 50


def sniff(path: str | os.PathLike[str]) -> str | None:
    r"""Tell the format of a file from its name and first lines.

    Returns None for a plain table such as CSV or Parquet, for a file that fits no format, and
    where there is no file. A PR or ROC input of AUCCalculator cannot be told from other pairs of
    numbers, so its format has to be named.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from isometrics import formats
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "out.txt"
    >>> _ = path.write_text("inst#,actual,predicted,error,prediction\n1,2:pos,2:pos,,0.9\n")
    >>> formats.sniff(path)
    'weka'
    """
    file = TextFile(path, "")
    try:
        there = file.path.is_file()
    except OSError:  # a name that is too long, or a folder that may not be entered
        there = False
    if not there:
        return None
    suffixes = [suffix.lower() for suffix in file.path.suffixes]
    suffix = next((suffix for suffix in reversed(suffixes) if suffix != ".gz"), "")
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    try:
        lines = [text for _, text in islice(file.lines(), _LINES)]
    except FileError:
        return None
    if any(HEADER.fullmatch(text) for text in lines):
        return "weka"
    rows = [text.replace(",", " ").split() for text in lines]
    if not rows or suffix in _TABLES or not all(is_number(value) for row in rows for value in row):
        return None
    return _of_numbers(rows, suffix)


def _of_numbers(rows: list[list[str]], suffix: str) -> str | None:
    widths = {len(row) for row in rows}
    if widths == {2} and suffix in _CURVES:
        return suffix
    labels = {row[1] for row in rows if len(row) == 2}
    if widths == {2} and labels <= {"0", "1"}:
        # Where both columns are 0 or 1, either of them may be the class.
        return None if {row[0] for row in rows} <= {"0", "1"} else "list"
    return "boosting" if widths == {1} else None
