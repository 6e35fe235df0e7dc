"""CSV files as a source: how they are written, the types of their columns, and broken lines."""

from __future__ import annotations

import csv
from itertools import compress, groupby
from operator import itemgetter
from secrets import token_hex
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.parameters import check_choice
from isometrics._core.results import several
from isometrics.errors import Advice, FileError, ParameterError
from isometrics.sources.batches import FIRST_ROWS, reading, refuse_doubled
from isometrics.sources.csv_lines import (
    Dialect,
    header_of,
    lines_at,
    lines_of_other_encodings,
    lines_of_rows,
    long_fields,
    records,
)
from isometrics.sources.files import (
    closed_on_failure,
    in_folders,
    literal,
    only_this,
    quoted,
    size_of,
)
from isometrics.sources.problems import MOST_LINES, Line, listed_lines
from isometrics.sources.text_files import (
    INTEGERS,
    LONGEST,
    NULLS,
    TABLE,
    TEXT,
    TIMES,
    TextFiles,
    codec_of,
    may_be,
    opened,
    refuse_mixed_line_ends,
    start_of,
    value_of,
)
from isometrics.sources.written_numbers import (
    KINDS,
    PLAIN,
    has_decimal_comma,
    is_percent,
    kinds_for,
    looks_like_number,
    matches,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    import duckdb

    from isometrics.errors import IsometricsError

_BLOCK = 1 << 20
_TAIL = 1 << 12
_MOST_BROKEN = 10_000
"""So many broken lines are counted."""
_TOGETHER = 100
"""So many columns are judged in one query; of thousands it would take minutes."""
_MOST_WORDS = 100
"""A text column with more words than this in its first rows is read only if it is asked for."""


class Writing(NamedTuple):
    """What a user knows about how CSV files are written."""

    decimal: str | None = None
    """The mark before decimals; by default a point, and no mark between groups of digits."""
    header: bool | None = None
    """Whether the first line has the names of the columns; by default it is recognised."""

    @classmethod
    def of(cls, decimal: str | None, header: bool | None) -> Writing:
        """Check what a user gave."""
        if decimal is not None:
            check_choice(decimal, "decimal", (",", "."))
        if header is not None and not isinstance(header, bool):
            raise ParameterError(f"must be True or False but is {header!r}", parameter="header")
        return cls(decimal, header)


class CSVFiles(TextFiles):
    """CSV files, which may be written in different ways.

    Where lines are broken, the others are read all the same, so that all problems can be reported
    together; `broken_lines` returns them at the end.
    """

    takes_writing = True

    def __init__(self, path: str, files: Sequence[Path], memory: int, writing: Writing) -> None:
        self._partitioned = in_folders(path, files)
        self._size = size_of(path, files)
        self._writing = writing
        self.decimal = writing.decimal
        self._dialects: dict[Path, Dialect] = {}
        self._failure: Exception | None = None
        """What was raised about broken lines; they are skipped from then on."""
        self._broken: dict[Path, list[_Broken]] = {}
        self._nulls: Sequence[str] = NULLS
        super().__init__(path, memory)
        with closed_on_failure(self):
            self._sniff_all(files)
            with reading(path):
                self._first = self._first_rows()

    def _sniff_all(self, files: Sequence[Path]) -> None:
        """Find out how each file is written; those that begin with the same line are alike."""
        known: dict[tuple[bytes, str | None], Dialect] = {}
        for file in files:
            with reading(str(file)):
                start = start_of(file)
                first = start.splitlines(keepends=True)[:1]
                key = (b"".join(first), codec_of(file))
                if key not in known:
                    known[key] = self._sniff(file, start)
                    if not known[key].header or known[key].skipped:
                        self._dialects[file] = known.pop(key)
                        continue
                self._dialects[file] = known[key]

    def _sniff(self, file: Path, start: bytes) -> Dialect:
        import duckdb

        given = "" if self._writing.header is None else f", header = {self._writing.header}"
        if self._writing.decimal == "," and (mark := _delimiter_beside_commas(start)):
            given += f", delim = {literal(mark)}"
        try:
            dialect = _sniff(self._connection, file, start, given)
        except duckdb.Error:
            _refuse_other_encodings(file)
            refuse_mixed_line_ends(file, start)
            raise
        if self._writing.decimal is None and dialect.delimiter == ",":
            _refuse_decimal_commas(file, start)
        if len(dialect.names) == 1 and (ragged := _ragged(file, start)) is not None:
            self._failure = ragged.error
            options = f"{given}, delim = {literal(ragged.delimiter)}, ignore_errors = true"
            return _sniff(self._connection, file, start, options)
        return dialect

    def _first_rows(self) -> dict[str, list[Any]]:
        """Return the first values of all columns: texts, but for what names of folders say."""
        import duckdb

        query = f"SELECT * FROM {self._raw()} LIMIT {FIRST_ROWS}"
        try:
            found = self._connection.cursor().sql(query)
            rows = found.fetchall()
        except duckdb.Error as error:
            if self._failure is not None:
                raise
            self._failure = error
            return self._first_rows()
        in_files = {name for dialect in self._dialects.values() for name in dialect.names}
        self._of_folders = {*found.columns} - in_files
        return {name: [row[k] for row in rows] for k, name in enumerate(found.columns)}

    @property
    def _names(self) -> Sequence[str]:
        return list(self._first)

    def settle(self, columns: Sequence[str], needed: Collection[str] = ()) -> None:
        """Find out the types of columns from all rows; those that are needed are read with them.

        Texts that differ from row to row, such as comments, are texts whatever follows.
        """
        super().settle([name for name in columns if name in needed or not self._is_free(name)])

    def _is_free(self, column: str) -> bool:
        """Tell whether a column holds texts of many kinds by its first rows."""
        many = len(set(self._first[column])) > _MOST_WORDS
        return many and self._candidates(column) == [TEXT]

    def _candidates(self, column: str) -> list[str]:
        """Return the kinds that the first texts of a column allow, the narrowest first."""
        if column in self._of_folders:
            return [TEXT]
        decimal = self._writing.decimal
        numbers = kinds_for(decimal) if decimal is not None else (PLAIN, *kinds_for(None))
        texts = {text for text in self._first[column] if text is not None}
        kinds = ("BOOLEAN", *INTEGERS, *numbers, *TIMES)
        return [kind for kind in kinds if all(may_be(text, kind) for text in texts)] + [TEXT]

    def _read(self, columns: Sequence[str]) -> None:
        import duckdb

        try:
            self._fill(columns)
        except duckdb.Error as error:
            if self._failure is not None:
                raise
            self._failure = error
            self._fill(columns)
        if self._failure is not None:
            self._note_broken()
        else:
            self._refuse_merged()

    def _fill(self, columns: Sequence[str]) -> None:
        """Read columns as the kinds that the first rows allow; again where later rows do not."""
        candidates = {name: self._candidates(name) for name in columns}
        kinds = {name: fitting[0] for name, fitting in candidates.items()}
        self._create(self._values(kinds), self._raw())
        counts = ", ".join(f"count({quoted(name)})" for name in columns)
        ((rows, *present),) = self._connection.execute(
            f"SELECT count(*), {counts} FROM {TABLE}"
        ).fetchall()
        doubtful = [
            name
            for name, count in zip(columns, present, strict=True)
            if kinds[name] != TEXT and (count < rows or count == 0)
        ]
        # A missing value and one of another kind are both null.
        better: dict[str, str] = {}
        for start in range(0, len(doubtful), _TOGETHER):
            some = doubtful[start : start + _TOGETHER]
            better |= self._fitting({name: candidates[name] for name in some})
        if better.items() - kinds.items():
            kinds |= better
            self._create(self._values(kinds), self._raw())
        self._kinds = kinds
        self._refuse_overflow([name for name, kind in kinds.items() if kind in (PLAIN, *KINDS)])

    def _values(self, kinds: Mapping[str, str]) -> dict[str, str]:
        return {name: value_of(quoted(name), kind) for name, kind in kinds.items()}

    def _fitting(self, candidates: Mapping[str, Sequence[str]]) -> dict[str, str]:
        """Return the first kind that all texts of a column have; without texts it is text."""
        pairs = [(name, kind) for name, kinds in candidates.items() for kind in kinds]
        fits = ", ".join(
            f"bool_and({value_of(quoted(name), kind)} IS NOT NULL) "
            f"FILTER (WHERE {quoted(name)} IS NOT NULL)"
            for name, kind in pairs
        )
        (answers,) = self._connection.execute(f"SELECT {fits} FROM {self._raw()}").fetchall()
        fitting = list(compress(pairs, answers))
        return dict.fromkeys(candidates, TEXT) | dict(reversed(fitting))

    def _refuse_overflow(self, floats: Sequence[str]) -> None:
        """Refuse numbers that become infinite; to be infinite by name is legal."""
        if not floats:
            return
        infinite = ", ".join(f"coalesce(bool_or(isinf({quoted(name)})), false)" for name in floats)
        (answers,) = self._connection.execute(f"SELECT {infinite} FROM {TABLE}").fetchall()
        for name, _ in filter(itemgetter(1), zip(floats, answers, strict=True)):
            text = quoted(name)
            infinite = f"isinf({value_of(text, self._kinds[name])})"
            found = self._connection.execute(
                f"SELECT {text} FROM {self._raw()} WHERE {infinite} "
                f"AND NOT contains(lower({text}), 'inf') LIMIT 1"
            ).fetchone()
            if found is not None:
                raise FileError.unreadable(
                    self.name,
                    f"{name} holds {found[0]}, which is beyond what a float can hold; divide the "
                    "column by a power of ten",
                )

    def is_number(self, text: str) -> bool:
        """Tell whether a text is a number as the files write them."""
        decimal = self._writing.decimal
        return super().is_number(text) if decimal is None else matches(text, f"{PLAIN} {decimal}")

    def notes(self) -> list[str]:
        """Return what a reader should know about how the files were read."""
        percents = [name for name, kind in self._kinds.items() if is_percent(kind)]
        said = [f"{several(percents)} in percent, read as shares"] if percents else []
        if not any(dialect.header for dialect in self._dialects.values()):
            said.append("the file has no header line")
        return said

    def _raw(self) -> str:
        """Return the files as a table in SQL, all of whose columns are texts."""
        tables = []
        skipping = f", {_SKIPPING}" if self._failure is not None else ""
        for dialect, files in groupby(self._dialects, self._dialects.__getitem__):
            named = ", ".join(f"{literal(name)}: {literal(TEXT)}" for name in dialect.names)
            tables.append(
                f"read_csv([{', '.join(literal(only_this(file)) for file in files)}], "
                f"auto_detect = false, delim = {literal(dialect.delimiter)}, "
                f"quote = {literal(dialect.quote)}, escape = {literal(dialect.escape)}, "
                f"new_line = {literal(dialect.new_line)}, skip = {dialect.skipped}, "
                f"header = {dialect.header}, {_every_line(self._nulls)}, columns = {{{named}}}, "
                f"hive_partitioning = {self._partitioned}{_decompressed(dialect.codec)}{skipping})"
            )
        if len(tables) == 1:
            return tables[0]
        return f"({' UNION ALL BY NAME '.join(f'SELECT * FROM {table}' for table in tables)})"

    def keep_texts(self, numbers: Mapping[str, str]) -> bool:
        """Read all columns as they are written, and some numbers under other names besides."""
        self.settle(list(numbers), numbers)
        kinds = dict.fromkeys(self._names, TEXT)
        added = {new: value_of(quoted(name), self._kinds[name]) for name, new in numbers.items()}
        # No text stands for null, not even the empty one.
        self._nulls = (token_hex(),)
        with self._filling_table():
            self._create(self._values(kinds) | added, self._raw())
        self._kinds = kinds | dict.fromkeys(added, PLAIN)
        return True

    # ------------------------------------------------------------------ lines

    def broken_lines(self) -> list[IsometricsError]:
        """Return what is wrong with lines that are no rows."""
        if self._failure is None:
            return []
        self.settle(self._names[:1], self._names[:1])
        found = [
            (broken, Line(number, file.name if len(self._dialects) > 1 else ""), width)
            for file, lines in self._broken.items()
            for broken, (number, width) in zip(
                lines,
                lines_at(file, self._dialects[file], [line.offset for line in lines]),
                strict=False,
            )
        ]
        if not found:
            try:
                with reading(self.name):
                    raise self._failure
            except FileError as error:
                return [error.renamed(self.name)]
        width = len(next(iter(self._dialects.values())).names)
        return [FileError.unreadable(self.name, _about_broken(found, width))]

    def _note_broken(self) -> None:
        """Remember the lines that DuckDB has rejected."""
        rejects = self._connection.execute(
            "SELECT s.file_path, e.line_byte_position, any_value(e.error_type), "
            "any_value(e.error_message) FROM broken_lines e JOIN broken_files s "
            "USING (scan_id, file_id) GROUP BY ALL ORDER BY ALL"
        ).fetchall()
        by_name = {only_this(file): file for file in self._dialects}
        by_name |= {str(file.absolute()): file for file in self._dialects}
        self._broken = {file: [] for file in self._dialects}
        for name, position, kind, said in rejects:
            self._broken[by_name[name]].append(_Broken(position - 1, kind, said))

    def lines(self, positions: Sequence[int]) -> dict[int, Line]:
        """Return the lines of some rows by their positions."""
        found: dict[int, Line] = {}
        before = 0
        for file, dialect in self._dialects.items():
            left = [position - before for position in positions if position not in found]
            if not left:
                break
            broken = [line.offset for line in self._broken.get(file, [])]
            numbers, rows = lines_of_rows(file, dialect, left, broken)
            name = file.name if len(self._dialects) > 1 else ""
            for position, number in zip(left, numbers, strict=False):
                found[position + before] = Line(number, name)
            before += rows
        return found if len(found) == len(positions) else {}

    def _refuse_merged(self) -> None:
        """Refuse files of which DuckDB has taken several rows for one, between quotes."""
        # In files of one column a blank line is a missing value.
        if any(dialect.codec or len(dialect.names) == 1 for dialect in self._dialects.values()):
            return
        ((rows,),) = self._connection.execute(f"SELECT count(*) FROM {TABLE}").fetchall()
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


class _Broken(NamedTuple):
    """A line that is no row."""

    offset: int
    """The bytes before it."""
    kind: str
    """What is wrong with it, in DuckDB's words."""
    said: str


_WRONG = {
    "UNQUOTED VALUE": "a quote that does not end, or text after one",
    "INVALID ENCODING": "text that is not UTF-8",
    "INVALID UNICODE": "text that is not UTF-8",
    "LINE SIZE OVER MAXIMUM": f"more than {LONGEST:,} bytes",
}
_RAGGED = ("TOO MANY COLUMNS", "MISSING COLUMNS")


def _about_broken(found: list[tuple[_Broken, Line, int]], width: int) -> str:
    """Say what is wrong with broken lines, and what to do."""
    ragged = [(count, line) for broken, line, count in found if broken.kind in _RAGGED]
    said = []
    if ragged:
        shown = [
            f"{listed_lines([line])} has {count} value{'s' * (count != 1)}"
            for count, line in ragged[:MOST_LINES]
        ]
        shown += [f"{len(ragged) - MOST_LINES:,} more lines another number"] * (
            len(ragged) > MOST_LINES
        )
        said.append(f"{several(shown)} but the first line {width}")
    others = [(broken, line) for broken, line, _ in found if broken.kind not in _RAGGED]
    for kind in dict.fromkeys(broken.kind for broken, _ in others):
        lines = [line for broken, line in others if broken.kind == kind]
        said_by_duckdb = next(broken.said for broken, _ in others if broken.kind == kind)
        what = _WRONG.get(kind, " ".join(said_by_duckdb.split()))
        more = f" and {len(lines) - MOST_LINES:,} more" * (len(lines) > MOST_LINES)
        said.append(f"there is {what} on {listed_lines(lines[:MOST_LINES])}{more}")
    return f"{'; '.join(said)}; correct or remove {'it' if len(found) == 1 else 'them'}"


_SKIPPING = (
    f"ignore_errors = true, store_rejects = true, rejects_limit = {_MOST_BROKEN}, "
    "rejects_table = 'broken_lines', rejects_scan = 'broken_files'"
)
"""Broken lines are skipped, and written down."""


def _every_line(nulls: Sequence[str] = NULLS) -> str:
    """Return options for all files: which texts are null, and that no line is a comment.

    DuckDB would take a row that begins with the identifier #7 for one. Its buffers would be of
    32 MB, too much for many a limit and not faster.
    """
    texts = ", ".join(map(literal, nulls))
    return f"comment = '', nullstr = [{texts}], buffer_size = {2 * LONGEST}"


def _decompressed(codec: str | None) -> str:
    """Return an option for a compressed file, which DuckDB would know by its name alone."""
    return "" if codec is None else f", compression = {literal(codec)}"


_NONE = "(empty)"
_QUOTE = '"'
_DELIMITERS = ",;\t|"


def _sniff(connection: duckdb.DuckDBPyConnection, file: Path, start: bytes, given: str) -> Dialect:
    """Find out how a file is written."""
    quotes = f"{given}, quote = {literal(_QUOTE)}, escape = {literal(_QUOTE)}"
    dialect = _sniffed(connection, file, given)
    if dialect.quote not in (_NONE, _QUOTE):
        # Between two apostrophes that are values, rows would be lost.
        standard = _sniffed(connection, file, quotes)
        better = standard.skipped < dialect.skipped or standard.header > dialect.header
        if better or standard.names == dialect.names:
            dialect = standard
        elif dialect.codec:
            raise FileError.unreadable(
                file, "values stand in apostrophes; put them into double quotes"
            )
    _refuse_skipped(file, start, dialect)
    if dialect.quote in (_NONE, _QUOTE) and dialect.escape == _NONE:
        # Quotes, or quotes inside of quotes, may come later.
        standard = dialect._replace(quote=_QUOTE, escape=_QUOTE)
        if _QUOTE.encode() not in start or _sniffed(connection, file, quotes) == standard:
            dialect = standard
    quote, escape = ("" if mark == _NONE else mark for mark in (dialect.quote, dialect.escape))
    dialect = dialect._replace(quote=quote, escape=escape)
    _refuse_double_names(file, dialect)
    return dialect


def _sniffed(connection: duckdb.DuckDBPyConnection, file: Path, options: str) -> Dialect:
    columns = "Delimiter, Quote, Escape, NewLineDelimiter, SkipRows, HasHeader, Columns"
    codec = codec_of(file)
    given = f"{literal(only_this(file))}, {_every_line()}{_decompressed(codec)}{options}"
    ((*written, found),) = connection.execute(
        f"SELECT {columns} FROM sniff_csv({given})"
    ).fetchall()
    return Dialect._make([*written, tuple(column["name"] for column in found), codec])


def _refuse_double_names(file: Path, dialect: Dialect) -> None:
    """Refuse a header with a name that two columns have, of which DuckDB renames one."""
    if not dialect.header:
        return
    refuse_doubled(file, [name for name in header_of(file, dialect) if name.strip()])


def _refuse_skipped(file: Path, start: bytes, dialect: Dialect) -> None:
    """Refuse lines above the table that DuckDB would pass over, unless they are comments."""
    lines = start.splitlines()[: dialect.skipped] if dialect.skipped else []
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith((b"#", b"sep=")):
            raise FileError.unreadable(
                file,
                f"line {number} does not have the "
                f"{len(dialect.names)} values of other lines; remove it, or begin it with #",
            )


class _Ragged(NamedTuple):
    """A table whose lines have different numbers of values."""

    delimiter: str
    error: FileError


def _ragged(file: Path, start: bytes) -> _Ragged | None:
    """Tell whether a table of several columns looks like one of one column, and by which line."""
    lines = start.decode(errors="replace").splitlines()
    delimiter = max(_DELIMITERS, key="".join(lines[:1]).count)
    reader = csv.reader(lines, delimiter=delimiter)
    with long_fields():
        width = len(next(reader, []))
        ragged = next((row for row in reader if row and len(row) != width), None)
    if width <= 1 or ragged is None:
        return None
    error = FileError.unreadable(
        file,
        f"line {reader.line_num} has {len(ragged)} value{'s' * (len(ragged) != 1)} but the first "
        f"line {width}; correct or remove it",
    )
    return _Ragged(delimiter, error)


def _first_line(start: bytes) -> str:
    line = next((line for line in start.splitlines() if line.strip()), b"")
    return line.decode("utf-8-sig", errors="replace")


def _delimiter_beside_commas(start: bytes) -> str:
    """Return what separates values where commas are those of decimals; nothing if commas do."""
    line = _first_line(start)
    if mark := _other_delimiter(start):
        return mark
    # A column alone is separated by nothing, so that anything will do that it does not hold.
    alone = _QUOTE.encode() not in start and ("," not in line or has_decimal_comma(line))
    return _DELIMITERS[1] if alone else ""


def _other_delimiter(start: bytes) -> str:
    """Return what else than a comma separates values in the first line, if anything."""
    line = _first_line(start)
    mark = max(_DELIMITERS[1:], key=line.count)
    return mark if mark in line else ""


def _refuse_decimal_commas(file: Path, start: bytes) -> None:
    """Refuse a file whose commas are those of decimals, and that something else separates."""
    line = _first_line(start)
    mark = _other_delimiter(start)
    values = line.split(mark) if mark else []
    number = next(filter(has_decimal_comma, values), None)
    if number is not None and all(map(looks_like_number, values)):
        raise FileError.unreadable(
            file,
            f"its values are separated by {mark!r}",
            Advice("{} looks like a decimal comma; pass {decimal:,}", number.strip()),
        )


def _refuse_other_encodings(file: Path) -> None:
    lines = lines_of_other_encodings(file)
    if lines:
        more = f" and {len(lines) - MOST_LINES:,} more" * (len(lines) > MOST_LINES)
        listed = listed_lines(map(Line, lines[:MOST_LINES]))
        raise FileError.unreadable(
            file, f"there is text that is not UTF-8 on {listed}{more}; save it as UTF-8"
        )


def _lines(file: Path, dialect: Dialect) -> int:
    """Count rows as lines, quickly: no line is taken to be blank but the last ones."""
    end = b"\r" if dialect.new_line == "\\r" else b"\n"
    # Other quotes than these enclose no line breaks, so that every line is a row.
    quote = dialect.quote.encode() if dialect.quote == _QUOTE else b""
    ends = quotes = 0
    last = b""
    with opened(file) as content:
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


def _records(file: Path, dialect: Dialect) -> int:
    """Count rows as Python's own reader does, which is slow."""
    return sum(1 for _ in records(file, dialect))
