"""Files of text as a source: DuckDB splits the text, and all rows decide the types; JSON files."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from abc import abstractmethod
from contextlib import contextmanager, suppress
from itertools import islice
from threading import Event, Thread
from typing import TYPE_CHECKING, BinaryIO, cast

from isometrics._core.writing import ScratchFolder
from isometrics.errors import FileError
from isometrics.sources.batches import MIXED_LINE_ENDS, reading
from isometrics.sources.files import (
    QuerySource,
    closed_on_failure,
    in_folders,
    literal,
    megabytes_of,
    only_this,
    quoted,
    settings,
    size_of,
)
from isometrics.sources.problems import MOST_LINES, Line, listed_lines
from isometrics.sources.written_numbers import (
    KINDS,
    PLAIN,
    condition,
    is_number,
    matches,
    text_of_number,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

LONGEST = 2**21
"""The longest line that DuckDB takes."""

_LOOKED_AT = 4 * LONGEST
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_GLANCE = 64
TABLE = "rows_of_text"
_SHARE_OF_TABLE = 3
"""Once it is read, the table keeps one of so many parts of its reader's memory."""
_POLL_SECONDS = 0.2
_USUAL_ROW = 40
"""The bytes of a row with two scores, by which progress is told."""


def refuse_utf_16(path: Path) -> None:
    """Refuse text in UTF-16, compressed or not: with its mark, or every second byte a zero."""
    with reading(str(path)):
        start = start_of(path, _GLANCE)
    halves = start[::2], start[1::2]
    if start.startswith((b"\xff\xfe", b"\xfe\xff")) or any(
        half and not any(half) for half in halves
    ):
        raise FileError.unreadable(path, "it is text in UTF-16; save it as UTF-8")


def refuse_mixed_line_ends(path: Path, start: bytes) -> None:
    """Refuse a file in whose beginning lines end in different ways."""
    if len(_line_ends(start)) > 1:
        raise FileError.unreadable(path, MIXED_LINE_ENDS)


def _line_ends(text: bytes) -> set[bytes]:
    """Return the different ends of lines outside quotes, but for those that may be cut in two."""
    if b"\r" in text:
        text = b" ".join(text.split(b'"')[::2]).removeprefix(b"\n").removesuffix(b"\r")
    both = text.count(b"\r\n")
    counts = {b"\r\n": both, b"\n": text.count(b"\n") - both, b"\r": text.count(b"\r") - both}
    return {end for end, count in counts.items() if count}


def refuse_long_lines(path: Path) -> None:
    """Refuse a file that has a line without end among its first megabytes.

    Finding out how such a line is separated and quoted would take DuckDB minutes.
    """
    with reading(str(path)):
        start = start_of(path)
    at = 0
    while at + LONGEST < len(start):
        end = max(start.rfind(mark, at, at + LONGEST) for mark in (b"\n", b"\r"))
        if end < 0:
            raise FileError.unreadable(
                path,
                f"it has a line of more than {LONGEST:,} bytes, so it is no table of predictions",
            )
        at = end + 1


def start_of(path: Path, size: int = _LOOKED_AT) -> bytes:
    """Return the first megabytes of a file, decompressed; nothing if the archive is broken."""
    file = opened(path)
    # A broken archive is reported when all of it is read.
    with suppress(EOFError, OSError, zlib.error), file:
        return file.read(size)
    return b""


def codec_of(path: Path) -> str | None:
    """Return how a file is compressed by its first bytes, in DuckDB's words; None if it is not."""
    with path.open("rb") as file:
        first = file.read(len(_ZSTD))
    return "gzip" if first.startswith(_GZIP) else "zstd" if first == _ZSTD else None


def opened(path: Path) -> BinaryIO:
    """Open a file of bytes; one that is compressed by gzip or Zstandard is decompressed."""
    codec = codec_of(path)
    if codec == "gzip":
        return cast("BinaryIO", gzip.open(path))
    if codec == "zstd":
        import pyarrow as pa

        return cast("BinaryIO", pa.CompressedInputStream(str(path), "zstd"))
    return path.open("rb")


NULLS = ("", "NA", "N/A", "null", "NULL", "None")
"""What stands for a missing value in CSV; it is refused, as any missing value is."""

TEXT = "VARCHAR"
TIMES = {
    "DATE": r"[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "TIME": r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?",
    "TIMESTAMP": r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?",
}
INTEGERS = {"BIGINT": 2**63, "HUGEINT": 2**127}
_ZERO_IN_FRONT = r"\s*[+-]?0[0-9]"
"""What begins like this is an identifier, as 007 is."""
_INTEGER = re.compile("-?(?:0|[1-9][0-9]{0,38})")
_TRUTH = ("true", "false")
"""Truth values; "yes" is a text, as in all other sources."""


def may_be(text: str, kind: str) -> bool:
    """Tell whether a text may be a value of a kind; where DuckDB says no, all rows decide."""
    if kind == "BOOLEAN":
        return text.lower() in _TRUTH
    if kind in INTEGERS:
        return _INTEGER.fullmatch(text) is not None and abs(int(text)) <= INTEGERS[kind]
    if kind in TIMES:
        return re.fullmatch(TIMES[kind], text) is not None
    if kind == PLAIN:
        return is_number(text) and re.match(_ZERO_IN_FRONT, text) is None
    return matches(text, kind)


def value_of(column: str, kind: str) -> str:
    """Return the value of a text in SQL, null where it is none of its kind.

    Nothing of a text is lost: a number is one whose text can be told from it, but for floats.
    """
    if kind == TEXT:
        return column
    if kind == "BOOLEAN":
        true, false = map(literal, _TRUTH)
        return f"CASE lower({column}) WHEN {true} THEN true WHEN {false} THEN false END"
    value = f"TRY_CAST({column} AS {'DOUBLE' if kind == PLAIN else kind})"
    if kind == PLAIN:
        # Most begin with another digit or with 0, which is decided without an expression.
        zero = f"{column} < '1' AND NOT starts_with({column}, '0.')"
        return (
            f"CASE WHEN {zero} AND regexp_matches({column}, '^{_ZERO_IN_FRONT}') THEN NULL "
            f"ELSE {value} END"
        )
    if kind in KINDS:
        number = f"TRY_CAST({text_of_number(column, kind)} AS DOUBLE)"
        return f"CASE WHEN {condition(column, kind)} THEN {number} END"
    same = f"CAST({value} AS VARCHAR) = {column}"
    if kind in TIMES:
        same += f" AND regexp_full_match({column}, {literal(TIMES[kind])})"
    # Most labels are one digit, which needs no other check.
    short = f"strlen({column}) = 1 OR " if kind in INTEGERS else ""
    return f"CASE WHEN {short}{same} THEN {value} END"


class TextFiles(QuerySource):
    """Files of text, which are read once into a table of typed columns.

    All rows decide what a column holds: the first ones only say what it cannot be. Columns are
    read when they are first asked for, together where that is known. The table belongs to DuckDB,
    which moves it to the disk where it does not fit into memory.
    """

    has_lines = True
    ordered = True
    bytes_read: int | None = 0
    _size: int
    """How many bytes the files have."""

    def __init__(self, name: str, memory: int) -> None:
        import duckdb

        self._megabytes = megabytes_of(memory)
        folder = ScratchFolder()
        self.belongings.append(folder)
        # DuckDB makes joins of long lists of values, and these change the order of rows.
        ordered = {"disabled_optimizers": "in_clause"}
        connection = duckdb.connect(config=settings(memory, folder.name) | ordered)
        super().__init__(name, connection, TABLE)
        self._kinds: dict[str, str] = {}
        """The kinds of the columns that were read."""

    @property
    @abstractmethod
    def _names(self) -> Sequence[str]:
        """The names of all columns."""

    @abstractmethod
    def _read(self, columns: Sequence[str]) -> None:
        """Read columns into the table, and note their kinds in `_kinds`."""

    @property
    def schema(self) -> pa.Schema:
        """The names and types of all columns; those that were not read are texts."""
        import pyarrow as pa

        known = {field.name: field for field in self._schema or ()}
        texts = {name: pa.field(name, pa.string()) for name in self._names}
        return pa.schema(list((texts | known).values()))

    def settle(self, columns: Sequence[str], needed: Collection[str] = ()) -> None:  # noqa: ARG002
        """Read columns that were not read before, beside those that were."""
        if not set(columns) <= self._kinds.keys():
            self._load([name for name in self._names if name in {*self._kinds, *columns}])

    def _load(self, columns: Sequence[str]) -> None:
        with self._filling_table():
            self._read(columns)
        self.bytes_read = (self.bytes_read or 0) + self._size

    @contextmanager
    def _filling_table(self) -> Iterator[None]:
        """Let the table take the reader's memory while it is filled, and a part of it then."""
        with reading(self.name):
            self._limit_memory(self._megabytes)
            with self._telling_progress():
                yield
            # The table goes to the disk where rows that are counted need its place.
            self._limit_memory(self._megabytes // _SHARE_OF_TABLE)
            self._schema = self._query("*", 0).schema
            ((self.rows,),) = self._rows_of(f"SELECT count(*) FROM {TABLE}")

    def _limit_memory(self, megabytes: int) -> None:
        self._connection.execute(f"SET memory_limit = '{megabytes}MiB'").fetchall()

    @contextmanager
    def _telling_progress(self) -> Iterator[None]:
        """Tell the user's function about rows while DuckDB reads them, as far as it knows."""
        if self.progress is None:
            yield
            return
        tell, done = self.progress, Event()
        rows = self._estimated_rows()

        def poll() -> None:
            while not done.wait(_POLL_SECONDS):
                tell(int(max(self._connection.query_progress(), 0) / 100 * rows), rows)

        watcher = Thread(target=poll, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()

    def _estimated_rows(self) -> int:
        return max(self._size // _USUAL_ROW, 1)

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns."""
        self.settle(columns, columns)
        yield from super().batches(columns, limit=limit)

    def _create(self, values: Mapping[str, str], table: str) -> None:
        """Fill the table with values in SQL, by their names."""
        named = ", ".join(f"{value} AS {quoted(name)}" for name, value in values.items())
        query = f"CREATE OR REPLACE TABLE {TABLE} AS SELECT {named} FROM {table}"
        self._connection.execute(query).fetchall()


class JSONFiles(TextFiles):
    """JSON files: lines, or arrays of objects."""

    def __init__(self, path: str, files: Sequence[Path], memory: int) -> None:
        self._files = files
        self._size = size_of(path, files)
        self._paths = "[" + ", ".join(literal(only_this(file)) for file in files) + "]"
        self._partitioned = in_folders(path, files)
        super().__init__(path, memory)
        with closed_on_failure(self), self._lines_named(path), reading(path):
            # What folders say is no key of an object.
            self._keys = self._described(
                "union_by_name = true, sample_size = -1, "
                "maximum_sample_files = -1, hive_partitioning = false"
            )
            self._refuse_twins(list(self._keys))
            self._types = self._described(self._typed()) if self._partitioned else self._keys

    @contextmanager
    def _lines_named(self, path: str) -> Iterator[None]:
        """Name the lines that are no JSON; DuckDB's own numbers of lines are others."""
        try:
            yield
        except FileError as error:
            if _MALFORMED not in error.problem:
                raise
            found = [
                Line(number, file.name if len(self._files) > 1 else "")
                for file in self._files
                for number in islice(_broken_json(file), MOST_LINES + 1)
            ]
            if not found:
                raise
            shown = listed_lines(found[:MOST_LINES])
            more = " and more" * (len(found) > MOST_LINES)
            are = "are" if len(found) > 1 else "is"
            raise FileError.unreadable(
                path,
                f"{shown}{more} {are} no JSON; correct or remove "
                f"{'them' if len(found) > 1 else 'it'}",
            ) from error

    def _described(self, options: str) -> dict[str, str]:
        """Return the names and types of columns that DuckDB finds in all rows."""
        table = f"read_json({self._paths}, format = 'auto', {options})"
        found = self._rows_of(f"DESCRIBE SELECT * FROM {table}")
        return {name: _OF_JSON.get(kind, kind) for name, kind, *_ in found}

    def _typed(self) -> str:
        named = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in self._keys.items())
        return f"columns = {{{named}}}, hive_partitioning = {self._partitioned}"

    @property
    def _names(self) -> Sequence[str]:
        return list(self._types)

    def _read(self, columns: Sequence[str]) -> None:
        import duckdb

        with self._lines_named(self.name), reading(self.name):
            self._create(
                {name: quoted(name) for name in columns},
                f"read_json({self._paths}, format = 'auto', {self._typed()})",
            )
        # DuckDB takes whole numbers of both signs for those of 128 bits, which few are.
        for name in columns:
            if self._types[name] == "HUGEINT":
                with suppress(duckdb.ConversionException):
                    alter = f"ALTER TABLE {TABLE} ALTER {quoted(name)} TYPE BIGINT"
                    self._connection.execute(alter).fetchall()
        self._kinds = {name: self._types[name] for name in columns}

    def _refuse_twins(self, names: list[str]) -> None:
        """Refuse keys that DuckDB gave another name, because case is all that differs."""
        for name in names:
            twin = re.sub(r"_\d+$", "", name)
            if twin == name or twin.lower() not in map(str.lower, names):
                continue
            if not any(json.dumps(name).encode() in start_of(file) for file in self._files):
                raise FileError.unreadable(
                    self.name, f"two of its keys are {twin!r} but for capital letters; rename one"
                )

    def lines(self, positions: Sequence[int]) -> dict[int, Line]:
        """Return the lines of some rows; none where the objects are not one on each line."""
        found: dict[int, Line] = {}
        wanted, row = set(positions), 0
        for file in self._files:
            with opened(file) as content:
                for number, line in enumerate(content, 1):
                    if not (text := line.strip()):
                        continue
                    if not (text.startswith(b"{") and text.endswith(b"}")):
                        return {}
                    if row in wanted:
                        found[row] = Line(number, file.name if len(self._files) > 1 else "")
                        if len(found) == len(wanted):
                            return found
                    row += 1
        return {}


_OF_JSON = {"UBIGINT": "HUGEINT"} | dict.fromkeys(
    ("JSON", "UUID", *TIMES, "TIMESTAMP WITH TIME ZONE"), TEXT
)
"""Types that are read as others: texts stay as they are, and whole numbers are exact."""


_MALFORMED = "Malformed JSON"


def _broken_json(file: Path) -> Iterator[int]:
    """Yield the numbers of lines that are no JSON: of objects on one line each, or of one text."""
    with opened(file) as content:
        lines = ((number, text) for number, line in enumerate(content, 1) if (text := line.strip()))
        is_array = False
        for number, text in lines:
            is_array = is_array or text.startswith(b"[")
            if is_array:
                break
            try:
                json.loads(text)
            except ValueError:
                yield number
    if is_array:
        try:
            with opened(file) as content:
                json.loads(content.read())
        except json.JSONDecodeError as error:
            yield error.lineno
        except ValueError:
            # Text of another encoding is no JSON, but has no lines either.
            return
