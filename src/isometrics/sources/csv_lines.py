"""The lines of CSV files as editors count them, read with Python's own module; this is slow."""

from __future__ import annotations

import csv
import re
import zlib
from contextlib import closing, contextmanager, suppress
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from isometrics.sources.text_files import LONGEST, opened

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from pathlib import Path

_BOM = b"\xef\xbb\xbf"
_OLD_LINE_END = "\\r"
_LONGEST_FIELD = 2**31 - 1
"""The longest field that the csv module can be told to take on every system."""
_LIMIT_LOCK = RLock()
_LIMITS_BEFORE: list[int] = []
"""The limit of fields before each of those who read now; the first one is that of the program."""


class Dialect(NamedTuple):
    """How a CSV file is written."""

    delimiter: str
    quote: str
    escape: str
    new_line: str
    skipped: int
    header: bool
    names: tuple[str, ...]
    codec: str | None = None
    """How the file is compressed, whatever its name says; None if it is not."""


class Record(NamedTuple):
    """One row of a file."""

    line: int
    """The line on which it begins; the first one of a file is 1."""
    offset: int
    """The bytes before it."""
    values: list[str]


class _Lines:
    """The lines of a file as text, and how many bytes were before each."""

    def __init__(self, file: Path, *, old: bool) -> None:
        self._file = file
        self._old = old
        self.offsets: list[int] = []

    def __iter__(self) -> Iterator[str]:
        offset = 0
        for line in self.raw():
            skipped = len(_BOM) if offset == 0 and line.startswith(_BOM) else 0
            self.offsets.append(offset + skipped)
            offset += len(line)
            yield line[skipped:].decode(errors="replace")

    def raw(self) -> Iterator[bytes]:
        """Yield the lines as bytes, those of a broken archive as far as they go."""
        with suppress(EOFError, OSError, zlib.error), opened(self._file) as content:
            if not self._old:
                yield from content
                return
            rest = b""
            while block := content.read(LONGEST):
                *whole, rest = re.split(rb"(?<=\r)", rest + block)
                yield from whole
            yield from [rest] * bool(rest)


def records(file: Path, dialect: Dialect) -> Generator[Record]:
    """Yield the rows of a file, the header left out."""
    lines = _Lines(file, old=dialect.new_line == _OLD_LINE_END)
    single = len(dialect.names) == 1
    header = dialect.header
    with long_fields():
        reader = _reader(lines, dialect)
        before = 0
        for values in reader:
            line, before = before + 1, reader.line_num
            offset = lines.offsets[0]
            lines.offsets.clear()
            # In files of one column a blank line is a missing value.
            if line <= dialect.skipped or not (values or single):
                continue
            if header:
                header = False
                continue
            yield Record(line, offset, values)


def header_of(file: Path, dialect: Dialect) -> list[str]:
    """Return the names of columns as the header has them; nothing if it cannot be read."""
    with closing(records(file, dialect._replace(header=False))) as rows:
        return next((row.values for row in rows), [])


def _reader(lines: Iterable[str], dialect: Dialect) -> Any:
    return csv.reader(
        # A carriage return inside a line is a character like others; csv refuses it.
        (line.rstrip("\r\n").replace("\r", " ") + "\n" for line in lines),
        delimiter=dialect.delimiter,
        quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        escapechar=dialect.escape if dialect.escape not in ("", dialect.quote) else None,
    )


@contextmanager
def long_fields() -> Iterator[None]:
    """Let the csv module take long fields, of which it refuses those above 131,072 characters.

    The limit is one for the whole process: whoever ends last restores it, so that no thread lowers
    it while another one reads.
    """
    with _LIMIT_LOCK:
        _LIMITS_BEFORE.append(csv.field_size_limit(_LONGEST_FIELD))
    try:
        yield
    finally:
        with _LIMIT_LOCK:
            before = _LIMITS_BEFORE.pop()
            if not _LIMITS_BEFORE:
                csv.field_size_limit(before)


def lines_of_rows(
    file: Path, dialect: Dialect, positions: Sequence[int], broken: Sequence[int]
) -> tuple[list[int], int]:
    """Return the lines of some rows, and how many rows there are up to the last of them.

    Parameters
    ----------
    file
        The file.
    dialect
        How it is written.
    positions
        Which rows, in rising order; those beyond the end of the file are left out.
    broken
        The offsets of records that are no rows, in rising order. One may begin with blank lines.
    """
    found: list[int] = []
    row = skipped = 0
    for record in records(file, dialect):
        if skipped < len(broken) and broken[skipped] <= record.offset:
            skipped += 1
            continue
        if len(found) == len(positions):
            break
        if positions[len(found)] == row:
            found.append(record.line)
        row += 1
    return found, row


def lines_at(file: Path, dialect: Dialect, offsets: Sequence[int]) -> list[tuple[int, int]]:
    """Return the lines that hold some bytes, given in rising order, and how many values they have.

    Ends of lines at the given bytes are skipped.
    """
    found: list[tuple[int, int]] = []
    start = 0
    for number, line in enumerate(_Lines(file, old=dialect.new_line == _OLD_LINE_END).raw(), 1):
        while len(found) < len(offsets):
            if not line[max(offsets[len(found)] - start, 0) :].strip(b"\r\n"):
                break
            with long_fields():
                values = next(_reader([line.decode(errors="replace")], dialect))
            found.append((number, len(values)))
        if len(found) == len(offsets):
            break
        start += len(line)
    return found


def lines_of_other_encodings(file: Path) -> list[int]:
    """Return the lines that are not UTF-8."""
    found: list[int] = []
    for number, line in enumerate(_Lines(file, old=False).raw(), 1):
        try:
            line.decode()
        except UnicodeDecodeError:
            found.append(number)
    return found
