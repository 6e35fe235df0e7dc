"""Text files read line by line, with errors that name the line."""

from __future__ import annotations

import gzip
import math
import re
import zlib
from array import array
from typing import TYPE_CHECKING

import numpy as np

from isometrics._core.files import as_path
from isometrics.errors import FileError, system_reason

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

    from isometrics._core.arrays import Floats

LONGEST_LINE = 2**20
"""A longer line, in bytes, is no line of a prediction file, and is not read to its end."""

_NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)", re.ASCII | re.IGNORECASE
)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"


class TextFile:
    """A text file in UTF-8, plain or compressed by gzip.

    Parameters
    ----------
    path
        The file.
    expects
        What the lines of this format contain; the end of every error message.
    """

    def __init__(self, path: str | os.PathLike[str], expects: str) -> None:
        self.path = as_path(path)
        self.expects = expects

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the number and the text of each line that is not blank.

        Notes
        -----
        Some OpenML files end in a NUL byte; a line that consists of NUL bytes is blank, too.
        """
        try:
            with self.path.open("rb") as file:
                compressed = file.peek(len(_GZIP)).startswith(_GZIP)
                plain = gzip.GzipFile(fileobj=file) if compressed else file
                number = 0
                while raw := plain.readline(LONGEST_LINE + 1):
                    number += 1
                    text = self._text(raw, number)
                    if text:
                        yield number, text
        except (OSError, EOFError, zlib.error, ValueError) as error:
            if isinstance(error, FileError):
                raise
            raise unreadable(self.path, error) from error

    def _text(self, raw: bytes, number: int) -> str:
        if len(raw) > LONGEST_LINE:
            raise self.line_error(number, f"the line is longer than {LONGEST_LINE} bytes")
        raw = raw.removeprefix(_BYTE_ORDER_MARK) if number == 1 else raw
        if not raw.strip().strip(b"\0"):
            return ""
        if b"\0" in raw:
            raise self.line_error(number, "the line has a NUL byte, so this is no text in UTF-8")
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            raise self.line_error(
                number, "the line is not encoded in UTF-8; save the file in this encoding"
            ) from None
        # A tab at the end may be an empty last value, so only line ends are stripped.
        return text.rstrip("\r\n") if text.strip() else ""

    def table(self, width: int | None = None) -> Floats:
        """Return the numbers of all lines, separated by blanks or commas, equally many on each."""
        # A number takes 8 bytes in an array, and 32 in lists of Python's numbers.
        numbers = array("d")
        for line, text in self.lines():
            row = text.replace(",", " ").split()
            width = width or len(row)
            if len(row) != width or not row:
                raise self.line_error(
                    line, f"{shown(text)} has {len(row)} numbers instead of {width or 'some'}"
                )
            numbers.extend(self.number(value, line) for value in row)
        if not numbers:
            raise self.file_error("has no rows")
        return np.array(numbers).reshape(-1, width or 1)

    def line_error(self, line: int, what: str) -> FileError:
        """Return an error that names the line."""
        return FileError.about(self.path, f"line {line}: {what}; {self.expects}")

    def file_error(self, what: str) -> FileError:
        """Return an error about the file as a whole."""
        return FileError.about(self.path, f"{what}; {self.expects}")

    def number(self, text: str, line: int) -> float:
        """Parse a number as Python writes it; NaN and overflow are refused."""
        if not _NUMBER.fullmatch(text):
            raise self.line_error(line, f"{shown(text)} is no number")
        value = float(text)
        if math.isinf(value) and text.lstrip("+-")[0] not in "iI":
            raise self.line_error(line, f"{shown(text)} is beyond what a float can hold")
        return value

    def rate(self, text: str, line: int) -> float:
        """Parse a number between 0 and 1."""
        value = self.number(text, line)
        if not 0 <= value <= 1:
            raise self.line_error(line, f"{shown(text)} is not between 0 and 1")
        return value


def unreadable(path: Path, error: Exception) -> FileError:
    """Return an error that says in one sentence why a file cannot be read."""
    reason = system_reason(error) or type(error).__name__.lower()
    sentence = " ".join(reason.split())[:200]
    return FileError.unreadable(path, f"{sentence}; name a whole file that you may read")


def shown(text: str) -> str:
    """Return text of a file in quotes, truncated if it is long."""
    return repr(text if len(text) <= 40 else text[:40] + "…")


def is_number(text: str) -> bool:
    """Return whether a text has the form of a number that `TextFile.number` accepts."""
    return _NUMBER.fullmatch(text) is not None
