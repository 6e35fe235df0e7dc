"""Files of text as a source: DuckDB splits the text, and all rows decide the types; JSON files."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from abc import abstractmethod
from contextlib import contextmanager, suppress
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from isometrics.errors import FileError
from isometrics.sources.arrow import as_numpy, numbers
from isometrics.sources.batches import (
    FIRST_ROWS,
    MIXED_LINE_ENDS,
    ColumnTypesChangedError,
    reading,
)
from isometrics.sources.files import (
    QuerySource,
    closed_on_failure,
    in_folders,
    literal,
    only_this,
    quoted,
    settings,
    size_of,
)
from isometrics.sources.problems import MOST_LINES, Line, listed_lines
from isometrics.sources.written_numbers import KINDS, PLAIN, condition, is_number, text_of_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import duckdb
    import pyarrow as pa

    from isometrics.errors import IsometricsError


LONGEST = 2**21
"""The longest line that DuckDB takes."""

_LOOKED_AT = 4 * LONGEST
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_LINE_ENDS = b"\r\n"
_GLANCE = 64
_PACKED, _READ = 1 << 20, 1 << 14
"""The compressed bytes by which a whole file is judged, and how many are unpacked at once."""


def refuse_utf_16(path: Path) -> None:
    """Refuse text in UTF-16, compressed or not: with its mark, or every second byte a zero."""
    with reading(str(path)):
        start = start_of(path, _GLANCE)
    halves = start[::2], start[1::2]
    if start.startswith((b"\xff\xfe", b"\xfe\xff")) or any(
        half and not any(half) for half in halves
    ):
        raise FileError.unreadable(path, "it is text in UTF-16; save it as UTF-8")


def mixes_line_ends(path: Path) -> bool:
    r"""Tell whether some lines end in ``\r\n`` and others in ``\n``, which DuckDB refuses.

    All lines of the first megabytes are looked at, and, in a file that is not compressed, some
    of each later block.
    """
    with reading(str(path)):
        found = _line_ends(start_of(path))
        if codec_of(path) is None:
            with path.open("rb") as file:
                for offset in range(_LOOKED_AT, path.stat().st_size, LONGEST):
                    file.seek(offset)
                    block = file.read(_READ)
                    # Nobody knows which of two quotes is the first.
                    found |= set() if b'"' in block else _line_ends(block)
    return {b"\r\n", b"\n"} <= found


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


def with_one_line_end(path: Path) -> Iterator[bytes]:
    r"""Yield a file, decompressed, whose lines all end in ``\n``."""
    with reading(str(path)), opened(path) as file:
        quoted_here, rest = False, b""
        while block := file.read(LONGEST):
            parts = (rest + block).split(b'"')
            # A line end may be cut in two.
            rest = b"\r" * parts[-1].endswith(b"\r")
            parts[-1] = parts[-1].removesuffix(b"\r")
            for number in range(int(quoted_here), len(parts), 2):
                parts[number] = parts[number].replace(b"\r\n", b"\n")
            quoted_here ^= len(parts) % 2 == 0
            yield b'"'.join(parts)
        yield rest


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


def has_blank_block(path: Path) -> bool:
    """Tell whether a file may have more blank lines on end than DuckDB takes: two blocks.

    Of a block only the first bytes are looked at, unless they are blank.
    """
    with reading(str(path)), path.open("rb") as file:
        size = path.stat().st_size
        for start in range(0, size - LONGEST + 1, LONGEST):
            file.seek(start)
            if not file.read(_GLANCE).strip(_LINE_ENDS):
                file.seek(start)
                if not file.read(LONGEST).strip(_LINE_ENDS):
                    return True
    return False


def blocks_with_rows(path: Path) -> Iterator[bytes]:
    """Yield a file but for blocks of blank lines, which no value is long enough to hold."""
    with reading(str(path)), path.open("rb") as file:
        while block := file.read(LONGEST):
            if block.strip(_LINE_ENDS):
                yield block


def start_of(path: Path, size: int = _LOOKED_AT) -> bytes:
    """Return the first megabytes of a file, decompressed; nothing if the archive is broken."""
    file = opened(path)
    # A broken archive is reported when all of it is read.
    with suppress(EOFError, OSError, zlib.error), file:
        return file.read(size)
    return b""


def compression_of(path: Path) -> float:
    """Return how many times longer than its bytes a compressed file is, by its beginning."""
    with path.open("rb") as file:
        packed = file.read(_PACKED)
    size = 0
    # The beginning ends in the middle.
    with suppress(EOFError, OSError, zlib.error):
        content: Any = gzip.GzipFile(fileobj=BytesIO(packed))
        if packed.startswith(_ZSTD):
            import pyarrow as pa

            content = pa.CompressedInputStream(pa.BufferReader(packed), "zstd")
        while block := content.read(_READ):
            size += len(block)
    return max(size / len(packed), 1.0)


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

WHOLE = ("BIGINT", "HUGEINT")
TIMES = ("DATE", "TIME", "TIMESTAMP")
_TRUTH = ("true", "false")
"""Truth values; those of DuckDB mix all spellings, and "yes" is a text, as in all other sources."""
_CHECKED = (*WHOLE, *TIMES, "BOOLEAN", *KINDS)
_FLOATS = ("DOUBLE", PLAIN, *KINDS)
WIDER = {
    **dict.fromkeys(WHOLE, (*WHOLE, "NUMBER", "VARCHAR")),
    **{time: (time, "VARCHAR") for time in TIMES},
    "BOOLEAN": ("BOOLEAN", "VARCHAR"),
    "NUMBER": ("NUMBER", "VARCHAR"),
    "DOUBLE": ("DOUBLE", "VARCHAR"),
    **{kind: (kind, "VARCHAR") for kind in KINDS},
}
"""The types that a column may have in the end, by its first rows.

``NUMBER`` is a ``DOUBLE`` whose texts have no zero in front: 007 is an identifier.
"""
_BLOCK = 1 << 20


def _fits(column: str, kind: str) -> str:
    """Return a condition in SQL: a text is a value of a type, and nothing of it is lost."""
    if kind == "BOOLEAN":
        return f"lower({column}) IN ({', '.join(map(literal, _TRUTH))})"
    if kind == "DOUBLE":
        return f"TRY_CAST({column} AS DOUBLE) IS NOT NULL"
    if kind in KINDS:
        return condition(column, kind)
    if kind == PLAIN:
        zero = f"regexp_matches({column}, '^\\s*[+-]?0[0-9]')"
        return f"TRY_CAST({column} AS DOUBLE) IS NOT NULL AND NOT {zero}"
    return f"CAST(TRY_CAST({column} AS {kind}) AS VARCHAR) = {column}"


def value_of(column: str, kind: str) -> str:
    """Return the value of a text in SQL, null where it does not fit."""
    if kind == "BOOLEAN":
        true, false = map(literal, _TRUTH)
        return f"CASE lower({column}) WHEN {true} THEN true WHEN {false} THEN false END"
    value = f"TRY_CAST({column} AS {kind})"
    if kind in KINDS:
        value = f"TRY_CAST({text_of_number(column, kind)} AS DOUBLE)"
    # Most labels are one digit, which needs no other check.
    short = f"strlen({column}) = 1 OR " if kind in WHOLE else ""
    return f"CASE WHEN {short}{_fits(column, kind)} THEN {value} END"


class TextFiles(QuerySource):
    """Files of text, whose columns have the types of the first rows until later rows differ.

    Then `batches` finds the types of all rows and raises `ColumnTypesChangedError`.
    """

    line_name = "line"
    bytes_read = 0
    """How many bytes all passes over the rows have read."""
    _size: int
    """How many bytes the files have."""
    _keys: Sequence[str] = ()
    """The columns whose missing values are counted."""

    def __init__(self, name: str, connection: duckdb.DuckDBPyConnection) -> None:
        self.name = name
        self._connection = connection
        self._inferred = False
        self._bounded: set[str] = set()
        with reading(name):
            self._types = self._found_types(all_rows=False)
            self._types = self._fitting(FIRST_ROWS)
        super().__init__(name, connection, self._typed())

    @abstractmethod
    def _found_types(self, *, all_rows: bool) -> dict[str, str]:
        """Return all columns with their types, by all rows or by those that DuckDB looks at."""

    @abstractmethod
    def _table_of(self, types: dict[str, str]) -> str:
        """Return the files as a table in SQL, with these types of columns."""

    @abstractmethod
    def _is_complete(self, rows: int, missing: int) -> bool:
        """Tell whether rows and missing values of `_keys` are as many as the bytes say."""

    @abstractmethod
    def lines(self, positions: Sequence[int]) -> dict[int, Line]:
        """Return the lines of some rows by their positions; none where rows have no lines."""

    def broken_lines(self) -> list[IsometricsError]:
        """Return what is wrong with lines that are no rows."""
        return []

    def notes(self) -> list[str]:
        """Return what a reader should know about how the files were read."""
        return []

    def is_number(self, text: str) -> bool:
        """Tell whether a text is a number as the files write them."""
        return is_number(text)

    def infer_types(self) -> bool:
        """Take the types from all rows; tell whether they are others than until now."""
        if self._inferred:
            return False
        before = self._types
        with reading(self.name):
            self._types = self._found_types(all_rows=True)
            self._types = self._fitting(None)
            self._inferred = True
            self._table = self._typed()
            self._schema = self._query("*", 0).schema
        return self._types != before

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns."""
        if limit is None:
            self.bytes_read += self._size
            yield from self._all_batches(list(columns))
        else:
            # The types fit the first rows.
            yield from super().batches(columns, limit=limit)

    def _all_batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        import duckdb
        import pyarrow as pa

        checked = [name for name in columns if self._types.get(name) in _CHECKED]
        floats = [name for name in columns if self._types.get(name) in _FLOATS]
        keys = [name for name in columns if name in self._keys]
        others = [name for name in self._keys if name not in columns]
        absent = " + ".join(f"({quoted(name)} IS NULL)::INTEGER" for name in others)
        selected = ", ".join([*map(quoted, columns), *([absent] if others else [])])
        rows = missing = 0
        with reading(self.name):
            try:
                for read in self._query(selected, None):
                    batch = pa.RecordBatch.from_arrays(read.columns[: len(columns)], names=columns)
                    rows += batch.num_rows
                    missing += sum(batch.column(name).null_count for name in keys)
                    if others:
                        missing += int(as_numpy(read.columns[-1]).sum())
                    if any(batch.column(name).null_count for name in checked):
                        self._raise_if_types_change()
                    for name in floats:
                        self._refuse_overflow(name, batch.column(name))
                    yield batch
            except (OSError, duckdb.Error) as error:
                # Arrow passes on what DuckDB raises as an error of its own.
                inferred = self._inferred
                self._raise_if_types_change()
                if not inferred:
                    self._skip_broken_lines(error)
                raise
            if not self._is_complete(rows, missing):
                self._raise_if_types_change()

    def _skip_broken_lines(self, error: Exception) -> None:
        """Where lines are broken, begin again without them; they are reported in the end."""

    def _raise_if_types_change(self) -> None:
        """Take the types from all rows; where they are others, readers must begin again."""
        if self.infer_types():
            raise ColumnTypesChangedError

    def _refuse_overflow(self, name: str, column: pa.Array) -> None:
        """Refuse numbers that become infinite; to be infinite by name is legal."""
        if name in self._bounded or not np.isinf(numbers(column).values).any():
            return
        self._bounded.add(name)
        text, kind = quoted(name), self._types[name]
        number = text_of_number(text, kind) if kind in KINDS else text
        infinite = f"isinf(TRY_CAST({number} AS DOUBLE)) AND NOT contains(lower({text}), 'inf')"
        for (found,) in self._rows_of(f"SELECT {text} FROM {self._raw()} WHERE {infinite} LIMIT 1"):
            raise FileError.unreadable(
                self.name,
                f"{name} holds {found}, which is beyond what a float "
                "can hold; divide the column by a power of ten",
            )

    def _rows_of(self, query: str) -> list[tuple[Any, ...]]:
        return self._connection.cursor().execute(query).fetchall()

    def _raw(self) -> str:
        """Return the table with all columns as text but those of other types."""
        return self._table_of(
            {name: "VARCHAR" if kind in WIDER else kind for name, kind in self._types.items()}
        )

    def _typed(self) -> str:
        """Return the table with all columns in their types; texts that do not fit are null."""
        checked = {name: kind for name, kind in self._types.items() if kind in _CHECKED}
        doubles = {name: "DOUBLE" for name, kind in self._types.items() if kind == PLAIN}
        table = self._table_of(self._types | doubles | dict.fromkeys(checked, "VARCHAR"))
        if not checked:
            return table
        values = [
            f"{value_of(quoted(name), kind)} AS {quoted(name)}" for name, kind in checked.items()
        ]
        return f"(SELECT * REPLACE ({', '.join(values)}) FROM {table})"

    def _wider(self, kind: str) -> Sequence[str]:
        """Return the types that a column of a type may have in the end."""
        return WIDER[kind]

    def _fitting(self, limit: int | None) -> dict[str, str]:
        """Return the types that all rows fit, or the first ones."""
        wider = {name: self._wider(kind) for name, kind in self._types.items() if kind in WIDER}
        pairs = [(name, kind) for name, kinds in wider.items() for kind in kinds[:-1]]
        if not pairs:
            return self._types
        fits = [
            f"bool_and(coalesce({_fits(quoted(name), kind)}, false)) "
            f"FILTER ({quoted(name)} IS NOT NULL)"
            for name, kind in pairs
        ]
        limit_clause = "" if limit is None else f" LIMIT {limit}"
        query = f"SELECT {', '.join(fits)} FROM (SELECT * FROM {self._raw()}{limit_clause})"
        (answers,) = self._rows_of(query)
        fitting = {pair for pair, fits in zip(pairs, answers, strict=True) if fits is not False}
        return self._types | {
            name: next((kind for kind in kinds if (name, kind) in fitting), "VARCHAR")
            for name, kinds in wider.items()
        }


class JSONFiles(TextFiles):
    """JSON files: lines, or arrays of objects."""

    def __init__(self, path: str, files: Sequence[Path], memory: int) -> None:
        import duckdb

        self._files = files
        self._size = size_of(path, files)
        self._names = "[" + ", ".join(literal(only_this(file)) for file in files) + "]"
        self._partitioned = in_folders(path, files)
        connection = duckdb.connect(config=settings(memory))
        with closed_on_failure(connection), self._lines_named(path):
            super().__init__(path, connection)

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

    def infer_types(self) -> bool:
        """Take the types from all rows; tell whether they are others than until now."""
        with self._lines_named(self.name):
            return super().infer_types()

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns."""
        with self._lines_named(self.name):
            yield from super().batches(columns, limit=limit)

    def _found_types(self, *, all_rows: bool) -> dict[str, str]:
        rows = "-1, maximum_sample_files = -1" if all_rows else "20480"
        given = "format = 'auto', union_by_name = true, hive_partitioning = false"
        table = f"read_json({self._names}, {given}, sample_size = {rows})"
        found = self._rows_of(f"DESCRIBE SELECT * FROM {table}")
        types = {name: _OF_JSON.get(kind, kind) for name, kind, *_ in found}
        self._refuse_twins(list(types))
        self._keys = tuple(types)
        return types

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

    def _table_of(self, types: dict[str, str]) -> str:
        named = ", ".join(f"{literal(name)}: {literal(types[name])}" for name in self._keys)
        return (
            f"read_json({self._names}, format = 'auto', columns = {{{named}}}, "
            f"hive_partitioning = {self._partitioned})"
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

    def _is_complete(self, rows: int, missing: int) -> bool:
        return self._inferred or rows * len(self._keys) - missing == sum(map(_colons, self._files))


_OF_JSON = {"UBIGINT": "HUGEINT"} | dict.fromkeys(
    ("JSON", "UUID", "TIMESTAMP WITH TIME ZONE"), "VARCHAR"
)
"""Types that are read as others: those of mixed values as text, and whole numbers exactly."""


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


def _colons(file: Path) -> int:
    """Count what looks like a key in JSON: a quote and a colon."""
    count, last = 0, b""
    with opened(file) as content:
        while block := content.read(_BLOCK):
            joined = last + block
            count += joined.count(b'":')
            last = b'"' if joined.endswith(b'"') else b""
    return count
