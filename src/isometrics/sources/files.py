"""Paths, URLs, standard input and data frames become sources; which files there are."""

from __future__ import annotations

import glob
import math
import os
import shutil
import stat
import sys
import warnings
from contextlib import suppress
from difflib import get_close_matches
from functools import cached_property, partial
from itertools import filterfalse, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from isometrics._core.files import ScratchFolder, scratch_errors
from isometrics._core.parameters import check_choice
from isometrics.errors import FileError, ParameterError, redacted, require
from isometrics.formats import FORMATS, sniff
from isometrics.sources.batches import FIRST_ROWS, Source, batch_rows, reading
from isometrics.sources.memory_limit import SHARE_OF_BATCHES, parse_memory_limit, rows_budget
from isometrics.sources.written_numbers import COMMA, POINT, Dialect

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import duckdb
    import pyarrow as pa

    from isometrics.sources.batches import Batches

PARQUET, ARROW, JSON, CSV, EXCEL = "parquet", "arrow", "json", "csv", "Excel"
SUFFIXES = {
    **dict.fromkeys((".parquet", ".pq"), PARQUET),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), ARROW),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), JSON),
    **dict.fromkeys((".csv", ".tsv", ".txt"), CSV),
}
COMPRESSED = (".gz", ".zst")
_MAGIC = {b"PAR1": PARQUET, b"ARROW1": ARROW}
_ZIP = b"PK\x03\x04"
EXCEL_SUFFIXES = (".xlsx", ".xlsm")
_PICKLE = (
    "it looks like a pickle, which may run any program when it is opened, so it is never read; "
    "load it yourself, and save a table as Parquet or CSV, or pass arrays to isometrics.analyse"
)
_REFUSED_BEGINNINGS = {
    b"\x93NUMPY": "it is a single NumPy array, without names of columns; save labels and scores "
    "together with np.savez(file, y_true=..., y_score=...), or pass arrays to isometrics.analyse",
    **dict.fromkeys((bytes([128, protocol]) for protocol in range(2, 6)), _PICKLE),
    b"\xd0\xcf\x11\xe0": "it looks like a workbook of Excel 97; save it as .xlsx or CSV",
}
_SNIFFED_BYTES = 1 << 20
_PICKLE_SUFFIXES = (".pkl", ".pickle", ".joblib")


def files_of(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files that a path, a folder or a pattern names; there is at least one."""
    if not os.fspath(path):
        raise FileError.unreadable("", "the name is empty; name a file, a folder or a pattern")
    given = Path(path)
    with reading(f"{given!s:.100}"):
        exists, folder = given.exists(), given.is_dir()
    if folder:
        found = _inside(given)
        if not found:
            raise FileError.unreadable(given, "the folder has no Parquet, Arrow, CSV or JSON files")
        return found
    if exists:
        return [given]
    # A pattern may be absolute, which Path.glob does not take.
    found = sorted(map(Path, glob.glob(str(path), recursive=True)))  # noqa: PTH207
    named = {*given.parts}
    found = [file for file in found if not any(map(_is_aside, {*file.parts[:-1]} - named))]
    if not found:
        raise FileError.unreadable(given, _absent(given))
    return found


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path is that of a pipe or a device, whose bytes may come only once."""
    # What cannot be asked is no stream; who opens it says why.
    with suppress(OSError, ValueError):
        mode = Path(path).stat().st_mode
        return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
    return False


def base_folder(path: str | os.PathLike[str]) -> Path:
    """Return the folder below which names of folders say something about the rows.

    That is the folder that was given, or what stands before the first mark of a pattern.
    """
    given = Path(path)
    if given.exists():
        return given if given.is_dir() else given.parent
    fixed = takewhile(lambda part: not glob.has_magic(part), given.parts)
    return Path(*fixed)


_TABLES = {"_delta_log": "Delta", ".hoodie": "Hudi"}
"""Folders in which table formats keep a log of the files that count."""


def _is_aside(name: str) -> bool:
    """Tell whether a writer has put this beside the data, such as ``_SUCCESS`` and ``.crc``."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _inside(folder: Path) -> list[Path]:
    """Return the files of data in a folder; links are followed, and each file comes once."""
    found: dict[Path, Path] = {}
    seen: set[Path] = set()
    for here, folders, names in os.walk(folder, onerror=_refuse, followlinks=True):
        for log in {*_TABLES} & {*folders}:
            raise FileError.unreadable(
                here,
                f"it is a table of {_TABLES[log]}, whose log tells which of its files count; "
                "read it with a library of that format, and pass its frame",
            )
        target = Path(here).resolve()
        # Links may lead around in a circle.
        folders[:] = [] if target in seen else filterfalse(_is_aside, sorted(folders))
        seen.add(target)
        for file in map(Path(here).joinpath, filterfalse(_is_aside, sorted(names))):
            if suffix_of(file) in SUFFIXES:
                with reading(str(file)):
                    found.setdefault(file.resolve(strict=True), file)
    return sorted(found.values())


def _refuse(error: OSError) -> None:
    with reading(str(error.filename)):
        raise error


def _absent(path: Path) -> str:
    if any(mark in path.name for mark in "*?["):
        return "no file matches this pattern"
    try:
        names = [each.name for each in path.parent.iterdir()]
    except OSError:
        return f"there is no folder {str(path.parent)!r}"
    near = get_close_matches(path.name, names, n=1)
    return "there is no such file" + (f"; did you mean {near[0]!r}?" if near else "")


def kind_of_file(path: Path) -> str:
    """Return the kind of a file by its first bytes, then by its name; text is CSV.

    What is no table, or none that is read, is refused.
    """
    if is_stream(path):
        raise FileError.unreadable(
            path, "it is a pipe or a device, which is read only if it is named alone"
        )
    with reading(str(path)), path.open("rb") as file:
        first = file.read(8)
    if not first:
        raise FileError.unreadable(path, "the file is empty")
    for magic, kind in _MAGIC.items():
        if first.startswith(magic):
            return kind
    suffix, zipped = suffix_of(path), first.startswith(_ZIP)
    for beginning, reason in _REFUSED_BEGINNINGS.items():
        if first.startswith(beginning):
            raise FileError.unreadable(path, reason)
    if suffix in _PICKLE_SUFFIXES:
        raise FileError.unreadable(path, _PICKLE)
    if zipped and suffix not in EXCEL_SUFFIXES:
        raise FileError.unreadable(
            path, "it is a zip archive; unpack it, and name the file inside, or compress it as .gz"
        )
    kind = EXCEL if suffix in EXCEL_SUFFIXES else SUFFIXES.get(suffix, CSV)
    if kind not in (CSV, JSON) and not zipped:
        raise FileError.unreadable(path, f"its name says {kind} but its first bytes do not")
    return kind


def suffix_of(path: Path) -> str:
    """Return the suffix of a name in small letters, that of compression left out."""
    name = path.name.lower()
    for suffix in COMPRESSED:
        name = name.removesuffix(suffix)
    return Path(name).suffix


class QuerySource(Source):
    """A table or a view of DuckDB, streamed."""

    ordered = False

    def __init__(self, name: str, connection: duckdb.DuckDBPyConnection, table: str) -> None:
        self.name = name
        self._connection = connection
        self._table = table
        self.belongings = (connection,)

    @cached_property
    def schema(self) -> pa.Schema:
        """The names and types of all columns."""
        query = f"SELECT * FROM {self._table} LIMIT 0"
        with reading(self.name):
            return self._connection.cursor().sql(query).to_arrow_reader(1).schema

    def batches(self, columns: Sequence[str], *, limit: int | None = None) -> Batches:
        """Read some columns."""
        self.settle(columns, columns)
        limit_clause = "" if limit is None else f" LIMIT {limit}"
        query = f"SELECT {', '.join(map(quoted, columns))} FROM {self._table}{limit_clause}"
        with reading(self.name):
            # Rows of another query may be on their way through the connection itself.
            relation = self._connection.cursor().sql(query)
            yield from relation.to_arrow_reader(batch_rows(len(columns)))

    def distinct(self, column: str, most: int) -> list[object]:
        """Return the values of a column, or more than `most` of them."""
        self.settle([column], [column])
        name = quoted(column)
        query = f"SELECT DISTINCT {name} FROM {self._table} WHERE {name} IS NOT NULL"
        return [value for (value,) in self._rows_of(f"{query} LIMIT {most + 1}") if value == value]  # noqa: PLR0124

    def extent(self, column: str) -> tuple[float, float]:
        """Return the smallest and the largest number of a column; NaN where it has none."""
        self.settle([column], [column])
        name = quoted(column)
        present = f"{self._table} WHERE NOT isnan({name}::DOUBLE)"
        ((low, high),) = self._rows_of(f"SELECT min({name}), max({name}) FROM {present}")
        return (math.nan, math.nan) if low is None else (float(low), float(high))

    def _rows_of(self, query: str) -> list[tuple[Any, ...]]:
        with reading(self.name):
            return self._connection.cursor().execute(query).fetchall()


def settings(memory: int, scratch: str = "") -> dict[str, Any]:
    """Return how DuckDB is to work: within memory, and never fetching anything.

    What does not fit goes into a folder, where one is given.
    """
    megabytes = megabytes_of(memory)
    found: dict[str, Any] = {
        "memory_limit": f"{megabytes}MiB",
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    if scratch:
        found["temp_directory"] = scratch
    threads = megabytes // _THREAD_MEGABYTES
    return found if threads >= (os.cpu_count() or 1) else found | {"threads": threads}


def megabytes_of(memory: int) -> int:
    """Return how much memory DuckDB is given at least."""
    return max(memory // 2**20, _THREAD_MEGABYTES)


_THREAD_MEGABYTES = 64
"""What a thread needs at most to read text: two buffers of JSON, and some of CSV."""


def only_this(file: Path) -> str:
    """Write a name so that DuckDB finds this very file; it takes ~ for the home folder."""
    name = str(file.absolute())
    if any("\ud800" <= mark <= "\udfff" for mark in name):
        raise FileError.unreadable(file, "its name is no text in UTF-8; rename it")
    return "".join(f"[{mark}]" if mark in "*?[" else mark for mark in name)


def quoted(name: str, mark: str = '"') -> str:
    """Quote a name for SQL."""
    return mark + name.replace(mark, mark * 2) + mark


literal = partial(quoted, mark="'")
"""Quote a text for SQL."""


# ---------------------------------------------------------------------- what is given


class GivenSource(Source):
    """A source of a user: an object with ``name``, ``rows``, ``schema``, ``batches``, ``close``."""

    def __init__(self, given: Any) -> None:
        self._given = given
        self.name = given.name
        self.rows = given.rows
        self.schema = given.schema
        self.count_rows = getattr(given, "count_rows", None)
        self.belongings = (given,)

    def batches(self, columns: Sequence[str], *, limit: int | None = None) -> Batches:
        """Read some columns."""
        yield from self._given.batches(columns, limit=limit)


class FrameSource(Source):
    """A frame of pandas, polars, pyarrow or DuckDB, eager or lazy.

    Only the columns that are needed are ever collected. A DuckDB relation is streamed.
    """

    def __init__(self, frame: Any, name: str = "the data frame") -> None:
        import narwhals.stable.v2 as nw

        try:
            given = nw.from_native(frame, pass_through=True)
        except nw.exceptions.DuplicateError:
            raise ParameterError(f"{name} has two columns of one name; rename one") from None
        if not isinstance(given, nw.DataFrame | nw.LazyFrame):
            raise ParameterError(
                f"must be a path, a URL or a data frame but are {type(frame).__name__}",
                parameter="predictions",
            )
        names = given.collect_schema().names()
        if not all(isinstance(each, str) for each in names):
            raise ParameterError(f"column names must be texts but are {names!r}")
        self.name = name
        self._frame = given
        self.reads_fast = isinstance(given, nw.DataFrame)
        self.rows = len(given) if isinstance(given, nw.DataFrame) else None

    @cached_property
    def schema(self) -> pa.Schema:
        """The names and types of all columns, as the first rows show them."""
        import pyarrow as pa

        # pyarrow does not take all types of pandas, such as sparse ones.
        with reading(self.name, TypeError):
            schema = self._reader(self._frame.head(FIRST_ROWS)).schema
            # Where the first rows are all null, objects of pandas have no type yet.
            unknown = [field.name for field in schema if pa.types.is_null(field.type)]
            if unknown:
                for field in self._reader(self._frame.select(*unknown)).schema:
                    schema = schema.set(schema.get_field_index(field.name), field)
        return schema

    def batches(self, columns: Sequence[str], *, limit: int | None = None) -> Batches:
        """Collect some columns and yield them in batches."""
        with reading(self.name):
            frame = self._frame.select(*columns)
            if limit is not None:
                frame = frame.head(limit)
            yield from self._reader(frame)

    def _reader(self, frame: Any) -> pa.RecordBatchReader:
        import narwhals.stable.v2 as nw
        import pyarrow as pa

        # The index of a pandas frame is not a column.
        frame = nw.maybe_reset_index(frame)
        native = frame.to_native()
        if hasattr(native, "to_arrow_reader"):
            return native.to_arrow_reader(batch_rows(len(frame.columns)))
        with warnings.catch_warnings():
            # pyarrow asks pandas for times in a way that pandas has deprecated.
            warnings.filterwarnings("ignore", "Series.values returning an ndarray that drops")
            table = frame.lazy().collect(backend="pyarrow").to_native()
        return pa.RecordBatchReader.from_batches(
            table.schema, table.to_batches(max_chunksize=batch_rows(table.num_columns))
        )


STANDARD_INPUT = "-"


def open_source(
    given: Any,
    memory_limit: str | int | None = None,
    *,
    decimal: str | None = None,
    header: bool | None = None,
) -> Source:
    """Open a path, a pattern, a folder, the URL of a table, ``-``, a data frame or a source.

    `decimal` and `header` are about CSV files and workbooks of Excel.
    """
    if decimal is not None:
        check_choice(decimal, "decimal", (COMMA, POINT))
    if header is not None and not isinstance(header, bool):
        raise ParameterError(f"must be True or False but is {header!r}", parameter="header")
    dialect = Dialect(decimal, header)
    memory = parse_memory_limit(memory_limit) // SHARE_OF_BATCHES
    open_files = partial(_files, memory=memory, budget=rows_budget(memory_limit), dialect=dialect)
    path = os.fspath(given) if isinstance(given, str | os.PathLike) else None
    source: Source
    if isinstance(given, Source):
        source = given
    elif path is None:
        from isometrics.sources.spark_and_dask import frame_source

        # The class is asked, because some lazy frames compute the attributes they are asked for.
        source = GivenSource(given) if hasattr(type(given), "batches") else frame_source(given)
    elif "://" in path:
        from isometrics.sources.databases import open_table

        source = open_table(path, memory)
    elif path == STANDARD_INPUT:
        if sys.stdin is None:
            raise FileError("standard input is closed; open it or name a file")
        source = _copied("standard input", sys.stdin.buffer, open_files)
    elif is_stream(path):
        with reading(path), Path(path).open("rb") as stream:
            source = _copied(path, stream, open_files)
    else:
        source = open_files(path)
    if dialect != Dialect() and not source.takes_dialect:
        source.close()
        raise ParameterError(
            f"is about CSV files and Excel, and {redacted(source.name)!r} is neither; leave it out",
            parameter="decimal" if decimal is not None else "header",
        )
    return source


def other_format(path: str | os.PathLike[str]) -> str | None:
    """Return the format of a file of another tool, as `sniff` does; None for a plain table.

    A name such as ``a.csv`` says a table, unless what WEKA prints is at the beginning.
    """
    given = Path(path)
    with suppress(OSError, ValueError):
        if given.suffix.lower() in SUFFIXES and given.suffix != ".txt" and given.is_file():
            with given.open("rb") as file:
                start = file.read(_SNIFFED_BYTES)
            if b"inst#" not in start and not start.startswith(b"\x1f\x8b"):
                return None
    return sniff(path)


def _files(path: str, *, memory: int, budget: int, dialect: Dialect) -> Source:
    files = files_of(path)
    kinds = {kind_of_file(file) for file in files}
    if len(kinds) > 1:
        raise FileError.unreadable(
            path, f"it holds files of several kinds, {' and '.join(sorted(kinds))}"
        )
    (kind,) = kinds
    if kind in (PARQUET, ARROW):
        from isometrics.sources.arrow_files import ArrowFiles

        return ArrowFiles(path, files, kind)
    require("reading CSV, JSON and Excel", "duckdb")
    if kind == EXCEL:
        from isometrics.sources.excel import ExcelFile

        return ExcelFile(path, memory, budget, dialect)
    from isometrics.sources.text_files import CSVFiles, JSONFiles

    if kind != CSV:
        return JSONFiles(path, files, memory)
    # A file of another tool would be a wrong table if it were read as plain CSV.
    for file in files:
        if (name := other_format(file)) is not None:
            raise FileError.unreadable(
                file,
                f"it looks like {FORMATS[name].description}; save it as a file, and read or "
                "convert it alone",
                purpose=" as a plain table",
            )
    return CSVFiles(path, files, memory, dialect)


_SUFFIXES = {b"{": ".jsonl", b"PK": ".xlsx"}
"""How a stream begins that is not CSV, and the suffix by which readers know it."""


def _copied(name: str, stream: BinaryIO, open_copy: Callable[[str], Source]) -> Source:
    """Open a copy of what can be read only once; it keeps its own name."""
    folder = ScratchFolder()
    path = Path(folder.name, "copy")
    try:
        with scratch_errors(folder.name, f"a copy of {name!r}"), path.open("wb") as file:
            start = stream.read(2)
            file.write(start)
            shutil.copyfileobj(stream, file)
        suffixes = (suffix for magic, suffix in _SUFFIXES.items() if start.startswith(magic))
        source = open_copy(str(path.rename(path.with_suffix(next(suffixes, "")))))
    except FileError as error:
        folder.close()
        raise error.renamed(name) from error
    except BaseException:
        folder.close()
        raise
    source.name = name
    source.belongings += (folder,)
    return source
