"""Files of text as a source, CSV and JSON: the types that all rows decide, broken lines."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from abc import abstractmethod
from contextlib import ExitStack, contextmanager, suppress
from itertools import groupby, islice, takewhile
from operator import itemgetter
from secrets import token_hex
from statistics import mode
from threading import Event, Thread
from typing import TYPE_CHECKING, NamedTuple

import duckdb
import pyarrow as pa

from isometrics._core.files import ScratchFolder
from isometrics._core.results import join_names
from isometrics.errors import Advice, FileError
from isometrics.sources.batches import (
    FIRST_ROWS,
    MOST_LINES,
    Line,
    first_lines,
    listed_lines,
    reading,
    refuse_doubled,
)
from isometrics.sources.files import (
    QuerySource,
    base_folder,
    literal,
    megabytes_of,
    only_this,
    quoted,
    settings,
)
from isometrics.sources.written_numbers import (
    KINDS_OF_TEXT,
    NULLS,
    PERCENT,
    PLAIN,
    TEXT,
    Dialect,
    has_decimal_comma,
    is_number,
    looks_like_number,
    matches,
    value_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

LONGEST = 2**21
"""The longest line that DuckDB takes."""
TABLE = "rows_of_text"
_CODECS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""How compressed files begin, and what pyarrow and DuckDB call the compression."""
_SHARE_OF_TABLE = 3
"""Once it is read, the table keeps one of so many parts of its reader's memory."""
_POLL_SECONDS = 0.2
_USUAL_ROW = 40
"""The bytes of a row with two scores, by which progress is told."""


def codec_of(path: Path) -> str | None:
    """Return how a file is compressed by its first bytes; None if it is not."""
    with path.open("rb") as file:
        first = file.read(4)
    return next((codec for magic, codec in _CODECS.items() if first.startswith(magic)), None)


def opened(path: Path) -> io.BufferedReader:
    """Open a file of bytes, which are decompressed."""
    return io.BufferedReader(pa.input_stream(str(path), compression=codec_of(path)))


def start_of(path: Path) -> bytes:
    """Return the first bytes of a file; text in UTF-16 is refused."""
    start = b""
    # A broken archive is reported when all of it is read.
    with reading(str(path)), suppress(OSError), opened(path) as file:
        start = file.read(LONGEST + 1)
    every_second = start[:64:2], start[1:64:2]
    if start.startswith((b"\xff\xfe", b"\xfe\xff")) or any(
        half and not any(half) for half in every_second
    ):
        raise FileError.unreadable(path, "it is text in UTF-16; save it as UTF-8")
    return start


class TextFiles(QuerySource):
    """Files of text, which are read once into a table of typed columns.

    All rows decide what a column holds: the first ones only say what it cannot be. Columns are
    read when they are first asked for, together where that is known. The table belongs to DuckDB,
    which moves it to the disk where it does not fit into memory.
    """

    has_lines = True
    ordered = True
    reads_fast = True
    bytes_read: int | None = 0

    def __init__(self, path: str, files: Sequence[Path], memory: int) -> None:
        self._files = files
        with reading(path):
            self._size = sum(file.stat().st_size for file in files)
        base = base_folder(path)
        inside = (part for file in files for part in file.relative_to(base).parts[:-1])
        self._partitioned = any("=" in part for part in inside)
        """Whether files lie in folders ``name=value`` inside a folder that was given."""
        self._megabytes = megabytes_of(memory)
        folder = ScratchFolder()
        # DuckDB makes joins of long lists of values, and these change the order of rows.
        ordered = {"disabled_optimizers": "in_clause"}
        connection = duckdb.connect(config=settings(memory, folder.name) | ordered)
        super().__init__(path, connection, TABLE)
        self.belongings += (folder,)
        self._names: list[str] = []
        """The names of all columns."""
        self._kinds: dict[str, str] = {}
        """The kinds of the columns that were read."""
        self._free: set[str] = set()
        """Columns of texts that differ from row to row, which are texts whatever follows."""

    @abstractmethod
    def _read(self, columns: Sequence[str]) -> None:
        """Read columns into the table, and note their kinds in `_kinds`."""

    @abstractmethod
    def _lines_of_rows(self) -> Iterator[Line]:
        """Yield the line of each row; fewer where rows are not on lines of their own."""

    def lines(self, positions: Sequence[int]) -> dict[int, Line]:
        """Return the lines of some rows by their positions."""
        wanted = set(positions)
        found: dict[int, Line] = {}
        # What Python's own reader does not take has no lines.
        with suppress(OSError, csv.Error):
            for position, line in enumerate(self._lines_of_rows()):
                if position in wanted:
                    found[position] = line
                if len(found) == len(wanted):
                    return found
        return {}

    def _line(self, number: int, file: Path) -> Line:
        return Line(number, file.name if len(self._files) > 1 else "")

    def _describe(self, known: Iterable[pa.Field] = ()) -> None:
        """Tell the names and types of all columns; those that were not read are texts."""
        fields = {name: pa.field(name, pa.string()) for name in self._names}
        fields |= {field.name: field for field in known}
        self.schema = pa.schema(list(fields.values()))

    def settle(self, columns: Sequence[str], needed: Collection[str] = ()) -> None:
        """Read columns that were not read before, beside those that were; of texts, the needed."""
        wanted = {name for name in columns if name in needed or name not in self._free}
        if not wanted <= self._kinds.keys():
            with self._filling_table():
                self._read([name for name in self._names if name in {*self._kinds, *wanted}])
            self.bytes_read = (self.bytes_read or 0) + self._size

    @contextmanager
    def _filling_table(self) -> Iterator[None]:
        """Let the table take the reader's memory while it is filled, and a part of it then.

        The user's function is told about rows while DuckDB reads them, as far as it knows.
        """
        tell, done = self.progress, Event()
        rows = max(self._size // _USUAL_ROW, 1)

        def poll() -> None:
            while tell is not None and not done.wait(_POLL_SECONDS):
                tell(int(max(self._connection.query_progress(), 0) / 100 * rows), rows)

        watcher = Thread(target=poll, daemon=True)

        with reading(self.name):
            self._rows_of(f"SET memory_limit = '{self._megabytes}MiB'")
            watcher.start()
            try:
                yield
            finally:
                done.set()
                watcher.join()
            # The table goes to the disk where rows that are counted need its place.
            self._rows_of(f"SET memory_limit = '{self._megabytes // _SHARE_OF_TABLE}MiB'")
            table = self._connection.cursor().table(TABLE)
            self._describe(table.limit(0).to_arrow_reader(1).schema)
            ((self.rows,),) = self._rows_of(f"SELECT count(*) FROM {TABLE}")

    def _create(self, kinds: Mapping[str, str], table: str, /, **more: str) -> None:
        """Fill the table with columns of their kinds, and with more values in SQL by name."""
        values = {name: value_of(quoted(name), kind) for name, kind in kinds.items()} | more
        named = ", ".join(f"{value} AS {quoted(name)}" for name, value in values.items())
        query = f"CREATE OR REPLACE TABLE {TABLE} AS SELECT {named} FROM {table}"
        self._connection.execute(query).fetchall()


# ---------------------------------------------------------------------- how CSV is written

_QUOTE = '"'
_DELIMITERS = ";\t|,"
"""What may separate values; where two of them may, a comma is that of decimals."""
_LINE_END = re.compile("\r\n|\n|\r")
_COMMENT = re.compile(r"\s*\Z|#|sep=")
_LOOKED_AT = 100
"""So many rows tell how a file is written."""


class CSVFormat(NamedTuple):
    """How a CSV file is written; delimiters and line breaks in values stand in double quotes."""

    delimiter: str
    line_end: str
    skipped: int
    """How many lines are above the table: comments and blank ones."""
    header: bool
    names: tuple[str, ...]
    codec: str | None
    """How the file is compressed, whatever its name says; None if it is not."""


def format_of(file: Path, dialect: Dialect) -> CSVFormat:
    """Find out how a file is written from its first rows, and from what the user knows."""
    start = start_of(file)
    text = _decoded(file, start)
    end = _LINE_END.search("".join(text.split(_QUOTE)[::2]))
    if len(start) > LONGEST and (end is None or not _ends_in_lines(file)):
        raise FileError.unreadable(
            file, f"it has a line of more than {LONGEST:,} bytes, so it is no table of predictions"
        )
    line_end = "\n" if end is None else end[0]
    lines = list(io.StringIO(text, newline="\r" if line_end == "\r" else "\n"))
    commas_in_numbers = dialect.decimal == "," and _QUOTE not in text
    marks = _DELIMITERS[:-1] if commas_in_numbers else _DELIMITERS
    tables = {mark: _table_among(lines, mark) for mark in marks}

    def likelihood(mark: str) -> tuple[bool, float]:
        """Tell how likely rows are separated rightly: most have the values of the first."""
        widths = [len(row) for row in tables[mark][1]]
        several = widths[0] > 1
        return several, widths.count(widths[0]) / len(widths) if several else mode(widths)

    mark = max(marks, key=likelihood)
    skipped, rows = tables[mark]
    width = mode(map(len, rows))
    if width > len(rows[0]):
        raise FileError.unreadable(
            file,
            f"line {skipped + 1} does not have the {width} values of other lines; remove it, or "
            "begin it with #",
        )
    if width == len(rows[0]) == 1:
        # One column is separated by nothing, so that anything will do that it does not hold.
        mark = next((mark for mark in reversed(_DELIMITERS) if mark not in text), mark)
    header = _has_names(rows) if dialect.header is None else dialect.header
    comma = None if header or mark == "," else next(filter(has_decimal_comma, rows[0]), None)
    if dialect.decimal is None and comma is not None and all(map(looks_like_number, rows[0])):
        raise FileError.unreadable(
            file,
            f"its values are separated by {mark!r}",
            Advice("{} looks like a decimal comma; pass {decimal:,}", comma.strip()),
        )
    names = [
        name if header and name.strip() else f"column{place}" for place, name in enumerate(rows[0])
    ]
    refuse_doubled(file, names)
    return CSVFormat(mark, line_end, skipped, header, tuple(names), codec_of(file))


def _ends_in_lines(file: Path) -> bool:
    """Tell whether a file ends in lines; DuckDB loses a last one that exceeds its buffer.

    The end of a compressed file is not known before all of it is read.
    """
    if codec_of(file) is not None:
        return True
    with file.open("rb") as content:
        content.seek(-LONGEST, io.SEEK_END)
        return not {*b"\r\n"}.isdisjoint(content.read().rstrip(b"\r\n"))


def _decoded(file: Path, start: bytes) -> str:
    # The last character may be cut in two.
    decoder = codecs.getincrementaldecoder("utf-8-sig")
    try:
        return decoder().decode(start)
    except UnicodeDecodeError:
        lines = decoder("replace").decode(start).split("\n")
    wrong = [Line(number) for number, line in enumerate(lines, 1) if "\ufffd" in line]
    raise FileError.unreadable(
        file, f"there is text that is not UTF-8 on {first_lines(wrong)}; save it as UTF-8"
    )


def _table_among(lines: Sequence[str], mark: str) -> tuple[int, list[list[str]]]:
    """Return how many comments are above a table, and its first rows."""
    above = len(list(takewhile(_COMMENT.match, lines)))
    rows = _records(lines[above:], mark)
    # A row may begin with an identifier such as #7.
    while (last := _records(lines[:above][-1:], mark)) and (
        not rows or 1 < len(last[0]) == len(rows[0])
    ):
        above -= 1
        rows = last + rows
    return above, rows or [[""]]


def _records(lines: Sequence[str], mark: str) -> list[list[str]]:
    """Return the first records, as far as they are no longer than Python's reader takes."""
    found: list[list[str]] = []
    with suppress(csv.Error):
        found.extend(filter(None, islice(csv.reader(lines, delimiter=mark), _LOOKED_AT)))
    return found


def _has_names(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row has names: no numbers, or one text above numbers alone."""
    first, *others = rows
    texts = {text for row in rows for text in row}
    numbers = {text for text in texts if is_number(text) or looks_like_number(text)}
    if numbers.isdisjoint(first):
        return True
    numbers.update(NULLS)
    whole = [row for row in others if len(row) == len(first)]
    return any(
        name not in numbers and numbers.issuperset(values)
        for name, *values in zip(first, *whole, strict=True)
        if values
    )


# ---------------------------------------------------------------------- the files

_MOST_BROKEN = 10_000
"""So many broken lines are counted."""
_TOGETHER = 500
"""So many questions about columns are in one query; of many more it would take minutes."""
_MOST_WORDS = 100
"""A text column with more words than this in its first rows is read only if it is asked for."""
_FIRST = "first_rows_of_text"


class CSVFiles(TextFiles):
    """CSV files, which may be written in different ways; broken lines are refused."""

    takes_dialect = True

    def __init__(self, path: str, files: Sequence[Path], memory: int, dialect: Dialect) -> None:
        super().__init__(path, files, memory)
        self.decimal = dialect.decimal
        self._nulls: Sequence[str] = NULLS
        with reading(path), ExitStack() as unless_done:
            unless_done.callback(self.close)
            self._formats = {file: format_of(file, dialect) for file in files}
            with self._broken_lines_named():
                table = f"SELECT * FROM {self._raw()} LIMIT {FIRST_ROWS}"
                self._connection.execute(f"CREATE TABLE {_FIRST} AS {table}").fetchall()
            self._names = [name for name, *_ in self._rows_of(f"DESCRIBE {_FIRST}")]
            self._describe()
            in_files = {name for form in self._formats.values() for name in form.names}
            kinds = KINDS_OF_TEXT[dialect.decimal]
            # What folders say has a type already.
            self._candidates = self._fitting(
                {name: kinds if name in in_files else () for name in self._names}, _FIRST
            )
            texts = [name for name, found in self._candidates.items() if found == [TEXT]]
            words = ", ".join(["count(*)", *(f"count(DISTINCT {quoted(name)})" for name in texts)])
            ((_, *counts),) = self._rows_of(f"SELECT {words} FROM {_FIRST}")
            self._free = {n for n, count in zip(texts, counts, strict=True) if count > _MOST_WORDS}
            unless_done.pop_all()

    def _read(self, columns: Sequence[str]) -> None:
        """Read columns as the kinds that the first rows allow; again where later rows do not."""
        with self._broken_lines_named():
            kinds = {name: self._candidates[name][0] for name in columns}
            self._create(kinds, self._raw())
            counts = ", ".join(f"count({quoted(name)})" for name in columns)
            ((rows, *present),) = self._rows_of(f"SELECT count(*), {counts} FROM {TABLE}")
            counted = dict(zip(columns, present, strict=True))
            # A missing value and one of another kind are both null.
            doubtful = [name for name in columns if kinds[name] != TEXT and counted[name] < rows]
            fitting = self._fitting({n: self._candidates[n][:-1] for n in doubtful}, self._raw())
            better = {name: found[0] for name, found in fitting.items()}
            better |= {name: TEXT for name in columns if not counted[name]}
            if better.items() - kinds.items():
                kinds |= better
                self._create(kinds, self._raw())
            self._kinds = kinds

    def _fitting(self, candidates: Mapping[str, Sequence[str]], table: str) -> dict[str, list[str]]:
        """Return the kinds that all texts of each column have, the narrowest first."""
        found: dict[str, list[str]] = {name: [] for name in candidates}
        pairs = [(name, kind) for name, kinds in candidates.items() for kind in kinds]
        for start in range(0, len(pairs), _TOGETHER):
            some = pairs[start : start + _TOGETHER]
            fits = ", ".join(
                f"bool_and({value_of(quoted(name), kind)} IS NOT NULL OR {quoted(name)} IS NULL)"
                for name, kind in some
            )
            (answers,) = self._rows_of(f"SELECT {fits} FROM {table}")
            for (name, kind), fits_all in zip(some, answers, strict=True):
                found[name] += [kind] * (fits_all is not False)
        return {name: [*kinds, TEXT] for name, kinds in found.items()}

    def is_number(self, text: str) -> bool:
        """Tell whether a text is a number as the files write them."""
        if self.decimal is None:
            return super().is_number(text)
        return matches(text, f"{PLAIN} {self.decimal}")

    def notes(self) -> list[str]:
        """Return what a reader should know about how the files were read."""
        percents = [name for name, kind in self._kinds.items() if kind.startswith(PERCENT)]
        said = [f"{join_names(percents)} in percent, read as shares"] if percents else []
        if not any(form.header for form in self._formats.values()):
            said.append("the file has no header line")
        return said

    def _raw(self, **more: object) -> str:
        """Return the files as a table in SQL, all of whose columns are texts.

        DuckDB's buffers would be of 32 MB, too much for many a limit and not faster, and it would
        take a row that begins with the identifier #7 for a comment.
        """
        tables = []
        for form, files in groupby(self._formats, self._formats.__getitem__):
            named = ", ".join(f"{literal(name)}: {literal(TEXT)}" for name in form.names)
            options = {
                "auto_detect": "false",
                "delim": literal(form.delimiter),
                "quote": literal(_QUOTE),
                "escape": literal(_QUOTE),
                "new_line": literal(form.line_end.replace("\r", "\\r").replace("\n", "\\n")),
                "skip": form.skipped,
                "header": form.header,
                "comment": "''",
                "nullstr": f"[{', '.join(map(literal, self._nulls))}]",
                "buffer_size": 2 * LONGEST,
                "compression": literal(form.codec or "none"),
                "hive_partitioning": self._partitioned,
                "columns": f"{{{named}}}",
                **more,
            }
            given = ", ".join(f"{option} = {value}" for option, value in options.items())
            paths = ", ".join(literal(only_this(file)) for file in files)
            tables.append(f"SELECT * FROM read_csv([{paths}], {given})")
        return f"({' UNION ALL BY NAME '.join(tables)})"

    def keep_texts(self, numbers: dict[str, str]) -> bool:
        """Read all columns as they are written, and some numbers under other names besides."""
        self.settle(list(numbers), numbers)
        kinds = dict.fromkeys(self._names, TEXT)
        added = {new: value_of(quoted(name), self._kinds[name]) for name, new in numbers.items()}
        # No text stands for null, not even the empty one.
        self._nulls = (token_hex(),)
        with self._filling_table():
            self._create(kinds, self._raw(), **added)
        self._kinds = kinds | dict.fromkeys(added, PLAIN)
        return True

    # ------------------------------------------------------------------ lines

    @contextmanager
    def _broken_lines_named(self) -> Iterator[None]:
        """Name the lines that are no rows, which DuckDB tells when it skips them."""
        try:
            yield
        except duckdb.InvalidInputException as error:
            broken = list(self._broken_lines())
            if not broken:
                raise
            width = len(next(iter(self._formats.values())).names)
            raise FileError.unreadable(self.name, _about_broken(broken, width)) from error

    def _broken_lines(self) -> Iterator[tuple[Line, str, str]]:
        """Yield each, what is wrong in DuckDB's words, and how many values it has, if that is."""
        rows = self._raw(ignore_errors=True, store_rejects=True, rejects_limit=_MOST_BROKEN)
        self._connection.execute(f"SELECT count(COLUMNS(*)) FROM {rows}").fetchall()
        rejects = self._connection.execute(
            "SELECT s.file_path, e.line_byte_position - 1, min(e.error_type), "
            "max(regexp_extract(e.error_message, 'Found: ([0-9]+)', 1)), "
            "regexp_extract(min(e.csv_line), '^[\r\n]*') "
            "FROM reject_errors e JOIN reject_scans s USING (scan_id, file_id) "
            "GROUP BY s.file_path, e.line_byte_position ORDER BY ALL"
        ).fetchall()
        found = {name: list(lines) for name, lines in groupby(rejects, itemgetter(0))}
        for file, form in self._formats.items():
            lines = found.get(only_this(file)) or found.get(str(file.absolute())) or []
            end = form.line_end[-1]
            ends = _ends_before(file, end, [offset for _, offset, *_ in lines])
            # The text of a line begins with the blank ones before it.
            for before, (_, _, kind, values, blank) in zip(ends, lines, strict=True):
                yield self._line(1 + before + blank.count(end), file), kind, values

    def _lines_of_rows(self) -> Iterator[Line]:
        for file, form in self._formats.items():
            yield from (self._line(number, file) for number in _lines_of_records(file, form))


def _lines_of_records(file: Path, form: CSVFormat) -> Iterator[int]:
    """Yield the line on which each record below the header begins, as editors count."""
    header = form.header
    newline = "\r" if form.line_end == "\r" else "\n"
    with opened(file) as content:
        text = io.TextIOWrapper(content, "utf-8-sig", "replace", newline=newline)
        reader = csv.reader(text, delimiter=form.delimiter)
        end = 0
        for record in reader:
            begin, end = end + 1, reader.line_num
            # In files of one column a blank line is a missing value.
            if begin <= form.skipped or not (record or len(form.names) == 1):
                continue
            if not header:
                yield begin
            header = False


def _ends_before(file: Path, end: str, offsets: Sequence[int]) -> Iterator[int]:
    """Yield how many lines end before each of some bytes, which are given in rising order."""
    ends = before = 0
    with opened(file) as content:
        for offset in offsets:
            while before < offset and (block := content.read(min(offset - before, LONGEST))):
                ends += block.count(end.encode())
                before += len(block)
            yield ends


_WRONG = {
    "UNQUOTED VALUE": "a quote that does not end, or text after one",
    "INVALID ENCODING": "text that is not UTF-8",
    "INVALID UNICODE": "text that is not UTF-8",
    "LINE SIZE OVER MAXIMUM": f"more than {LONGEST:,} bytes",
}
_RAGGED = ("MISSING COLUMNS", "TOO MANY COLUMNS")


def _about_broken(broken: Sequence[tuple[Line, str, str]], width: int) -> str:
    """Say what is wrong with broken lines, and what to do."""
    ragged = [(line, values) for line, kind, values in broken if kind in _RAGGED]
    said = []
    if ragged:
        shown = [
            f"{listed_lines([line])} has {values} value{'s' * (values != '1')}"
            for line, values in ragged[:MOST_LINES]
        ]
        if len(ragged) > MOST_LINES:
            shown.append(f"{len(ragged) - MOST_LINES:,} more lines another number")
        said.append(f"{join_names(shown)} but the first line {width}")
    for kind in sorted({kind for _, kind, _ in broken} - {*_RAGGED}):
        lines = [line for line, found, _ in broken if found == kind]
        said.append(f"there is {_WRONG.get(kind, kind.lower())} on {first_lines(lines)}")
    return f"{'; '.join(said)}; correct or remove {'it' if len(broken) == 1 else 'them'}"


# ---------------------------------------------------------------------- JSON

_MALFORMED = "Malformed JSON"
_TYPES = {"UBIGINT": "HUGEINT"} | dict.fromkeys(
    ("JSON", "UUID", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"), TEXT
)
"""Types that are read as others: texts stay as they are, and whole numbers are exact."""


class JSONFiles(TextFiles):
    """JSON files, whose types DuckDB finds in all rows."""

    def __init__(self, path: str, files: Sequence[Path], memory: int) -> None:
        super().__init__(path, files, memory)
        paths = ", ".join(literal(only_this(file)) for file in files)
        read = f"read_json([{paths}], format = 'auto'"
        with ExitStack() as unless_done, self._lines_named(), reading(path):
            unless_done.callback(self.close)
            for file in files:
                start_of(file)
            # What folders say is no key of an object.
            keys = self._described(
                f"{read}, union_by_name = true, sample_size = -1, maximum_sample_files = -1, "
                "hive_partitioning = false)"
            )
            named = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in keys.items())
            self._typed = f"{read}, columns = {{{named}}}, hive_partitioning = {self._partitioned})"
            self._refuse_renamed(keys)
            self._types = self._described(self._typed) if self._partitioned else keys
            self._names = list(self._types)
            self._describe()
            unless_done.pop_all()

    @contextmanager
    def _lines_named(self) -> Iterator[None]:
        """Name the first line that is no JSON; DuckDB does not count blank ones."""
        try:
            yield
        except FileError as error:
            for file in self._files if _MALFORMED in error.problem else ():
                if (number := _broken_line(file)) is not None:
                    line = listed_lines([self._line(number, file)])
                    raise FileError.unreadable(
                        self.name, f"{line} is no JSON; correct or remove it"
                    ) from error
            raise

    def _described(self, table: str) -> dict[str, str]:
        """Return the names and types of columns that DuckDB finds in all rows."""
        found = self._rows_of(f"DESCRIBE SELECT * FROM {table}")
        return {name: _TYPES.get(kind, kind) for name, kind, *_ in found}

    def _refuse_renamed(self, keys: Collection[str]) -> None:
        """Refuse keys that differ in capital letters alone, of which DuckDB reads but one."""
        known = set(map(str.lower, keys))
        for name in keys:
            key, _, number = name.rpartition("_")
            renamed = number.isdecimal() and key.lower() in known
            value = f"SELECT 1 FROM {self._typed} WHERE {quoted(name)} IS NOT NULL LIMIT 1"
            if renamed and not self._rows_of(value):
                raise FileError.unreadable(
                    self.name,
                    f"it has keys that differ from {key!r} in capital letters alone, or no value "
                    f"of {name!r}; rename or remove one",
                )

    def _read(self, columns: Sequence[str]) -> None:
        with self._lines_named(), reading(self.name):
            self._create(dict.fromkeys(columns, TEXT), self._typed)
        # DuckDB takes whole numbers of both signs for those of 128 bits, which few are.
        for name in columns:
            if self._types[name] == "HUGEINT":
                with suppress(duckdb.ConversionException):
                    alter = f"ALTER TABLE {TABLE} ALTER {quoted(name)} TYPE BIGINT"
                    self._connection.execute(alter).fetchall()
        self._kinds = {name: self._types[name] for name in columns}

    def _lines_of_rows(self) -> Iterator[Line]:
        for file in self._files:
            with opened(file) as content:
                for number, line in enumerate(content, 1):
                    text = line.strip()
                    if text and not (text.startswith(b"{") and text.endswith(b"}")):
                        return
                    if text:
                        yield self._line(number, file)


def _broken_line(file: Path) -> int | None:
    """Return the first line that is no JSON: of objects on one line each, or of one text."""
    with opened(file) as content:
        for number, line in enumerate(content, 1):
            text = line.strip()
            # An array, or an object on several lines, is one text.
            if number == 1 and not text.endswith(b"}"):
                break
            try:
                json.loads(text or b"null")
            except ValueError:
                return number
        else:
            return None
    with opened(file) as content:
        try:
            json.loads(content.read())
        except json.JSONDecodeError as error:
            return error.lineno
        except ValueError:
            # Text of another encoding is no JSON, but has no lines either.
            return None
    return None
