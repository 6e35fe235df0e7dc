"""CSV and JSON files as a source: DuckDB splits the text, and all rows decide the types."""

from __future__ import annotations

import csv
import gzip
import json
import re
import zlib
from abc import abstractmethod
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

import numpy as np

from isometrics.errors import FileError
from isometrics.sources.arrow import as_numpy, numbers
from isometrics.sources.batches import FIRST_ROWS, ColumnTypesChangedError, reading
from isometrics.sources.files import (
    COMPRESSED,
    JSON,
    QuerySource,
    literal,
    only_this,
    quoted,
    settings,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import duckdb
    import pyarrow as pa


LONGEST = 2**21
"""The longest line that DuckDB takes."""

_LOOKED_AT = 4 * LONGEST
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_LINE_ENDS = b"\r\n"
_GLANCE = 64


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


def copy_without_blank_blocks(path: Path, target: BinaryIO) -> None:
    """Copy a file but for blocks of blank lines, which no value is long enough to hold."""
    with reading(str(path)), path.open("rb") as file:
        while block := file.read(LONGEST):
            if block.strip(_LINE_ENDS):
                target.write(block)


def start_of(path: Path) -> bytes:
    """Return the first megabytes of a file, decompressed; nothing if the archive is broken."""
    file = opened(path)
    # What is wrong with an archive is said by who reads all of it.
    with suppress(EOFError, OSError, zlib.error), file:
        return file.read(_LOOKED_AT)
    return b""


def opened(path: Path) -> BinaryIO:
    """Open a file of bytes; one that is compressed by gzip or Zstandard is decompressed."""
    with path.open("rb") as file:
        first = file.read(len(_ZSTD))
    if first.startswith(_GZIP):
        return cast("BinaryIO", gzip.open(path))
    if first == _ZSTD:
        import pyarrow as pa

        return cast("BinaryIO", pa.CompressedInputStream(str(path), "zstd"))
    return path.open("rb")


_NULLS = ("", "NA", "N/A", "null", "NULL", "None")
"""What stands for a missing value in CSV; it is refused, as any missing value is."""

_WHOLE = ("BIGINT", "HUGEINT")
_TIMES = ("DATE", "TIME", "TIMESTAMP")
_TRUTH = {
    "BOOLEAN": ("true", "false"),
    "T/F": ("t", "f"),
    "YES/NO": ("yes", "no"),
    "Y/N": ("y", "n"),
}
"""Truth values by their spelling; those of DuckDB mix all spellings."""
_CHECKED = (*_WHOLE, *_TIMES, *_TRUTH)
_WIDER = {
    **dict.fromkeys(_WHOLE, (*_WHOLE, "NUMBER", "VARCHAR")),
    **{time: (time, "VARCHAR") for time in _TIMES},
    **dict.fromkeys(_TRUTH, (*_TRUTH, "VARCHAR")),
    "NUMBER": ("NUMBER", "VARCHAR"),
    "DOUBLE": ("DOUBLE", "VARCHAR"),
}
"""The types that a column may have in the end, by its first rows.

``NUMBER`` is a ``DOUBLE`` whose texts have no zero in front: 007 is an identifier.
"""
_NUMBER = re.compile(r"[+-]?(?:(?!0\d)\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf(?:inity)?|nan", re.I)

_BLOCK = 1 << 20
_TAIL = 1 << 12


def _fits(column: str, kind: str) -> str:
    """Return a condition in SQL: a text is a value of a type, and nothing of it is lost."""
    if kind in _TRUTH:
        return f"lower({column}) IN ({', '.join(map(literal, _TRUTH[kind]))})"
    if kind == "DOUBLE":
        return f"TRY_CAST({column} AS DOUBLE) IS NOT NULL"
    if kind == "NUMBER":
        zero = f"regexp_matches({column}, '^\\s*[+-]?0[0-9]')"
        return f"TRY_CAST({column} AS DOUBLE) IS NOT NULL AND NOT {zero}"
    return f"CAST(TRY_CAST({column} AS {kind}) AS VARCHAR) = {column}"


def _value(column: str, kind: str) -> str:
    """Return the value of a text in SQL, null where it does not fit."""
    if kind in _TRUTH:
        true, false = map(literal, _TRUTH[kind])
        return f"CASE lower({column}) WHEN {true} THEN true WHEN {false} THEN false END"
    value = f"TRY_CAST({column} AS {kind})"
    # Most labels are one digit, which needs no other check.
    short = f"strlen({column}) = 1 OR " if kind in _WHOLE else ""
    return f"CASE WHEN {short}{_fits(column, kind)} THEN {value} END"


class TextFiles(QuerySource):
    """Files of text, whose columns have the types of the first rows until later rows differ.

    Then `batches` finds the types of all rows and raises `ColumnTypesChangedError`.
    """

    _keys: Sequence[str] = ()
    """The columns whose missing values are counted."""

    def __init__(self, name: str, connection: duckdb.DuckDBPyConnection) -> None:
        self.name = name
        self._connection = connection
        self._settled = False
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

    def settle(self) -> bool:
        """Take the types from all rows; tell whether they are others than until now."""
        if self._settled:
            return False
        before = self._types
        with reading(self.name):
            self._types = self._found_types(all_rows=True)
            self._types = self._fitting(None)
            self._settled = True
            self._table = self._typed()
            self._schema = self._query("*", 0).schema
        return self._types != before

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns."""
        if limit is None:
            yield from self._all_batches(list(columns))
        else:
            # The types fit the first rows.
            yield from super().batches(columns, limit=limit)

    def _all_batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        import duckdb
        import pyarrow as pa

        checked = [name for name in columns if self._types.get(name) in _CHECKED]
        floats = [name for name in columns if self._types.get(name) in ("DOUBLE", "NUMBER")]
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
                        self._settle_or_go_on()
                    for name in floats:
                        self._refuse_overflow(name, batch.column(name))
                    yield batch
            except (OSError, duckdb.Error):
                # Arrow passes on what DuckDB raises as an error of its own.
                self._settle_or_go_on()
                raise
            if not self._is_complete(rows, missing):
                self._settle_or_go_on()

    def _settle_or_go_on(self) -> None:
        if self.settle():
            raise ColumnTypesChangedError

    def _refuse_overflow(self, name: str, column: pa.Array) -> None:
        """Refuse numbers that become infinite; to be infinite by name is legal."""
        if name in self._bounded or not np.isinf(numbers(column).values).any():
            return
        self._bounded.add(name)
        text = quoted(name)
        infinite = f"isinf(TRY_CAST({text} AS DOUBLE)) AND NOT contains(lower({text}), 'inf')"
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
            {name: "VARCHAR" if kind in _WIDER else kind for name, kind in self._types.items()}
        )

    def _typed(self) -> str:
        """Return the table with all columns in their types; texts that do not fit are null."""
        checked = {name: kind for name, kind in self._types.items() if kind in _CHECKED}
        doubles = {name: "DOUBLE" for name, kind in self._types.items() if kind == "NUMBER"}
        table = self._table_of(self._types | doubles | dict.fromkeys(checked, "VARCHAR"))
        if not checked:
            return table
        values = [
            f"{_value(quoted(name), kind)} AS {quoted(name)}" for name, kind in checked.items()
        ]
        return f"(SELECT * REPLACE ({', '.join(values)}) FROM {table})"

    def _fitting(self, limit: int | None) -> dict[str, str]:
        """Return the types that all rows fit, or the first ones."""
        wider = {name: _WIDER[kind] for name, kind in self._types.items() if kind in _WIDER}
        pairs = [(name, kind) for name, kinds in wider.items() for kind in kinds[:-1]]
        if not pairs:
            return self._types
        fits = [
            f"bool_and(coalesce({_fits(quoted(name), kind)}, false)) "
            f"FILTER ({quoted(name)} IS NOT NULL)"
            for name, kind in pairs
        ]
        some = "" if limit is None else f" LIMIT {limit}"
        query = f"SELECT {', '.join(fits)} FROM (SELECT * FROM {self._raw()}{some})"
        (answers,) = self._rows_of(query)
        fitting = {pair for pair, fits in zip(pairs, answers, strict=True) if fits is not False}
        return self._types | {
            name: next((kind for kind in kinds if (name, kind) in fitting), "VARCHAR")
            for name, kinds in wider.items()
        }


class _Dialect(NamedTuple):
    """How a CSV file is written."""

    delimiter: str
    quote: str
    escape: str
    new_line: str
    skipped: int
    header: bool
    names: tuple[str, ...]


class CSVFiles(TextFiles):
    """CSV files, which may be written in different ways."""

    def __init__(self, path: str, files: Sequence[Path], memory: int) -> None:
        import duckdb

        connection = duckdb.connect(config=settings(memory))
        self._partitioned = Path(path).is_dir()
        self._dialects: dict[Path, _Dialect] = {}
        self._sniffed: dict[str, set[str]] = {}
        for file in files:
            with reading(str(file)):
                self._dialects[file], types = _sniff(connection, file)
            for name, kind in types.items():
                self._sniffed.setdefault(name, set()).add(kind)
        super().__init__(path, connection)
        if any(len(kinds) > 1 and "VARCHAR" in kinds for kinds in self._sniffed.values()):
            # A file without values in a column says nothing about its type.
            self.settle()

    def _found_types(self, *, all_rows: bool) -> dict[str, str]:
        if all_rows:
            return self._types
        types = {name: _joined(kinds) for name, kinds in self._sniffed.items()}
        texts = [name for name, kind in types.items() if kind in ("VARCHAR", *_TIMES)]
        if not texts:
            return types
        columns = ", ".join(map(quoted, texts))
        table = self._table_of(types | dict.fromkeys(texts, "VARCHAR"))
        query = f"SELECT {columns} FROM {table} LIMIT {FIRST_ROWS}"
        rows = self._rows_of(query)
        for position, name in enumerate(texts):
            there = [row[position].strip() for row in rows if row[position] is not None]
            if there and all(map(_NUMBER.fullmatch, there)):
                # DuckDB takes a column with "inf" for text, or for infinite dates.
                types[name] = "NUMBER"
        return types

    def _table_of(self, types: dict[str, str]) -> str:
        tables = []
        for dialect, files in groupby(self._dialects, self._dialects.__getitem__):
            named = ", ".join(f"{literal(name)}: {literal(types[name])}" for name in dialect.names)
            tables.append(
                f"read_csv([{', '.join(literal(only_this(file)) for file in files)}], "
                f"auto_detect = false, delim = {literal(dialect.delimiter)}, "
                f"quote = {literal(dialect.quote)}, escape = {literal(dialect.escape)}, "
                f"new_line = {literal(dialect.new_line)}, skip = {dialect.skipped}, "
                f"header = {dialect.header}, {_EVERY_LINE}, columns = {{{named}}}, "
                f"hive_partitioning = {self._partitioned})"
            )
        if len(tables) == 1:
            return tables[0]
        return f"({' UNION ALL BY NAME '.join(f'SELECT * FROM {table}' for table in tables)})"

    def _is_complete(self, rows: int, missing: int) -> bool:  # noqa: ARG002
        plain = not any(file.suffix.lower() in COMPRESSED for file in self._dialects)
        # In files of one column a blank line is a missing value.
        if not plain or any(len(dialect.names) == 1 for dialect in self._dialects.values()):
            return True
        written = sum(_lines(file, dialect) for file, dialect in self._dialects.items())
        quotes = {dialect.quote for dialect in self._dialects.values()}
        if rows != written and quotes <= {"", _QUOTE}:
            written = sum(_records(file, dialect) for file, dialect in self._dialects.items())
        if rows != written:
            raise FileError.unreadable(
                self.name,
                f"it has {written} rows, of which {rows} can be told "
                "apart; put values with quotes or line breaks into double quotes",
            )
        return True


_EVERY_LINE = (
    f"comment = '', nullstr = [{', '.join(map(literal, _NULLS))}], buffer_size = {2 * LONGEST}"
)
"""No line is a comment: DuckDB would take a row that begins with the identifier #7 for one.

Its buffers would be of 32 MB, too much for many a limit and not faster.
"""
_NONE = "(empty)"
_QUOTE = '"'
_DELIMITERS = ",;\t|"


def _sniff(connection: duckdb.DuckDBPyConnection, file: Path) -> tuple[_Dialect, dict[str, str]]:
    """Find out how a file is written, and the types of its first rows."""
    start = start_of(file)
    quotes = f", quote = {literal(_QUOTE)}, escape = {literal(_QUOTE)}"
    dialect, types = _sniffed(connection, file)
    if dialect.quote not in (_NONE, _QUOTE):
        # Between two apostrophes that are values, rows would be lost.
        standard, its_types = _sniffed(connection, file, quotes)
        if standard.names == dialect.names:
            dialect, types = standard, its_types
        elif file.suffix.lower() in COMPRESSED:
            raise FileError.unreadable(
                file, "values stand in apostrophes; put them into double quotes"
            )
    _refuse_skipped(file, start, dialect)
    if len(dialect.names) == 1:
        _refuse_ragged(file, start)
    if dialect.quote in (_NONE, _QUOTE) and dialect.escape == _NONE:
        # Quotes, or quotes inside of quotes, may come later.
        standard = dialect._replace(quote=_QUOTE, escape=_QUOTE)
        if _QUOTE.encode() not in start or _sniffed(connection, file, quotes)[0] == standard:
            dialect = standard
    quote, escape = ("" if mark == _NONE else mark for mark in (dialect.quote, dialect.escape))
    return dialect._replace(quote=quote, escape=escape), types


def _sniffed(
    connection: duckdb.DuckDBPyConnection, file: Path, options: str = ""
) -> tuple[_Dialect, dict[str, str]]:
    columns = "Delimiter, Quote, Escape, NewLineDelimiter, SkipRows, HasHeader, Columns"
    given = f"{literal(only_this(file))}, {_EVERY_LINE}{options}"
    ((*written, found),) = connection.execute(
        f"SELECT {columns} FROM sniff_csv({given})"
    ).fetchall()
    kinds = {column["name"]: column["type"] for column in found}
    types = {name: kind if kind in _WIDER else "VARCHAR" for name, kind in kinds.items()}
    return _Dialect._make([*written, tuple(types)]), types


def _refuse_skipped(file: Path, start: bytes, dialect: _Dialect) -> None:
    """Refuse lines above the table that DuckDB would pass over, unless they are comments."""
    lines = start.splitlines()[: dialect.skipped] if dialect.skipped else []
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith((b"#", b"sep=")):
            raise FileError.unreadable(
                file,
                f"line {number} does not have the "
                f"{len(dialect.names)} values of other lines; remove it, or begin it with #",
            )


def _refuse_ragged(file: Path, start: bytes) -> None:
    """Name the line because of which a table of several columns looks like one of one column."""
    lines = start.decode(errors="replace").splitlines()
    delimiter = max(_DELIMITERS, key="".join(lines[:1]).count)
    reader = csv.reader(lines, delimiter=delimiter)
    width = len(next(reader, []))
    ragged = next((row for row in reader if row and len(row) != width), None)
    if width > 1 and ragged is not None:
        raise FileError.unreadable(
            file,
            f"line {reader.line_num} has {len(ragged)} values but the "
            f"first line {width}; correct or remove it",
        )


def _joined(kinds: set[str]) -> str:
    """Return the type of a column that has several ones in several files."""
    known = kinds - {"VARCHAR"} or kinds
    if len(known) == 1:
        return next(iter(known))
    if known <= {*_WHOLE}:
        return "HUGEINT"
    return "DOUBLE" if known <= {*_WHOLE, "DOUBLE"} else "VARCHAR"


def _lines(file: Path, dialect: _Dialect) -> int:
    """Count rows as lines, quickly: no line is taken to be blank but the last ones."""
    end = b"\r" if dialect.new_line == "\\r" else b"\n"
    # Other quotes than these enclose no line breaks, so that every line is a row.
    quote = dialect.quote.encode() if dialect.quote == _QUOTE else b""
    ends = quotes = 0
    last = b""
    with file.open("rb") as content:
        while block := content.read(_BLOCK):
            marks = np.frombuffer(block, np.uint8)
            is_end = marks == end[0]
            if quote and (quotes or quote in block):
                quoted_here = np.flatnonzero(marks == quote[0])
                before = quotes + np.searchsorted(quoted_here, np.flatnonzero(is_end))
                ends += int(np.count_nonzero(before % 2 == 0))
                quotes = (quotes + quoted_here.size) % 2
            else:
                ends += int(np.count_nonzero(is_end))
            last = (last + block)[-_TAIL:]
    blank = last[len(last.rstrip(b"\r\n")) :].count(end)
    return ends - blank + 1 - dialect.skipped - dialect.header


def _records(file: Path, dialect: _Dialect) -> int:
    """Count rows as Python's own reader does, which is slow."""
    limit = csv.field_size_limit(LONGEST)
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.reader(
                lines,
                delimiter=dialect.delimiter,
                quotechar=dialect.quote or None,
                quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
                escapechar=dialect.escape if dialect.escape not in ("", dialect.quote) else None,
            )
            rows = sum(bool(row) for row in reader if reader.line_num > dialect.skipped)
    finally:
        csv.field_size_limit(limit)
    return rows - dialect.header


class JSONFiles(TextFiles):
    """JSON files: lines, or arrays of objects."""

    def __init__(self, path: str, files: Sequence[Path], memory: int) -> None:
        import duckdb

        self._files = files
        self._names = "[" + ", ".join(literal(only_this(file)) for file in files) + "]"
        # Only what lies inside a given folder says something about the rows.
        self._partitioned = Path(path).is_dir()
        super().__init__(path, duckdb.connect(config=settings(memory)))

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

    def _is_complete(self, rows: int, missing: int) -> bool:
        return self._settled or rows * len(self._keys) - missing == sum(map(_colons, self._files))


_OF_JSON = {"UBIGINT": "HUGEINT"} | dict.fromkeys(
    ("JSON", "UUID", "TIMESTAMP WITH TIME ZONE"), "VARCHAR"
)
"""Types that are read as others: those of mixed values as text, and whole numbers exactly."""


def _colons(file: Path) -> int:
    """Count what looks like a key in JSON: a quote and a colon."""
    count, last = 0, b""
    with opened(file) as content:
        while block := content.read(_BLOCK):
            joined = last + block
            count += joined.count(b'":')
            last = b'"' if joined.endswith(b'"') else b""
    return count


def text_files(path: str, files: Sequence[Path], kind: str, memory: int) -> TextFiles:
    """Return CSV or JSON files."""
    return (JSONFiles if kind == JSON else CSVFiles)(path, files, memory)
