"""Files: which exist, and of which format; the rows of a DuckDB query as a source."""

from __future__ import annotations

import glob
import math
import os
import stat
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isometrics.errors import FileError
from isometrics.sources.batches import Source, batch_rows, reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import duckdb
    import pyarrow as pa

PARQUET, ARROW, JSON, CSV, EXCEL = "parquet", "arrow", "json", "csv", "excel"
SUFFIXES = {
    ".parquet": PARQUET,
    ".pq": PARQUET,
    ".arrow": ARROW,
    ".feather": ARROW,
    ".ipc": ARROW,
    ".jsonl": JSON,
    ".ndjson": JSON,
    ".json": JSON,
    ".csv": CSV,
    ".tsv": CSV,
    ".txt": CSV,
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
_REFUSED_SUFFIXES = dict.fromkeys((".pkl", ".pickle", ".joblib"), _PICKLE)


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
    _refuse_closed_folders(str(path))
    found = [file for file in found if not _is_beside_data(file, given)]
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


def in_folders(path: str, files: Sequence[Path]) -> bool:
    """Tell whether files lie in folders ``name=value`` inside a folder that was given."""
    base = base_folder(path)
    return any("=" in part for file in files for part in file.relative_to(base).parts[:-1])


_TABLES = {"_delta_log": "Delta", ".hoodie": "Hudi"}
"""Folders in which table formats keep a log of the files that count."""


def _is_aside(path: Path) -> bool:
    """Tell whether a writer has put this beside the data, such as ``_SUCCESS`` and ``.crc``."""
    return path.name.startswith(".") or (path.name.startswith("_") and "=" not in path.name)


def _is_beside_data(file: Path, pattern: Path) -> bool:
    """Tell whether a pattern finds what was put aside, without asking for it by name."""
    fixed = len(base_folder(pattern).parts)
    return any(_is_aside(Path(part)) for part in file.parts[fixed:]) and not any(
        part.startswith(("_", ".")) for part in pattern.parts[fixed:]
    )


def _inside(folder: Path) -> list[Path]:
    """Return the files of data in a folder, each once; what may hide some is refused."""
    found: dict[Path, Path] = {}
    seen: set[Path] = set()
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        target = _resolved(here)
        # Links may lead to what is read anyway, or around in a circle.
        if target in seen:
            continue
        seen.add(target)
        with reading(str(here)):
            entries = sorted(here.iterdir(), key=Path.is_symlink)
        for entry in entries:
            with reading(str(entry)):
                if entry.name in _TABLES and entry.is_dir():
                    raise FileError.unreadable(
                        here,
                        f"it is a table of {_TABLES[entry.name]}, whose log tells which of its "
                        "files count; read it with a library of that format, and pass its frame",
                    )
                if _is_aside(entry):
                    continue
                kind = _by_name(entry)
                if entry.is_dir():
                    # Files come before links to them, so that messages show the names of the files.
                    waiting.insert(0 if entry.is_symlink() else len(waiting), entry)
                elif kind and entry.is_symlink():
                    found.setdefault(_resolved(entry), entry)
                elif kind:
                    found[_resolved(entry)] = entry
    return sorted(found.values())


def _resolved(link: Path) -> Path:
    """Return where a link leads to; one that leads nowhere is refused."""
    with reading(str(link)):
        return link.resolve(strict=True)


def _refuse_closed_folders(pattern: str) -> None:
    """Refuse folders that a pattern looks into, but which may not be listed."""
    parts = Path(pattern).parts
    magic = [position for position, part in enumerate(parts) if glob.has_magic(part)]
    for position in magic:
        # Two stars stand for any folders, also for none.
        depth = position + (parts[position] == "**")
        for name in glob.glob(str(Path(*parts[:depth])), recursive=True):  # noqa: PTH207
            if Path(name).is_dir():
                with reading(name):
                    list(Path(name).iterdir())


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
    """Return the kind of a file by its first bytes, then by its name; text is CSV."""
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
    _refuse_other_kinds(path, first)
    if first.startswith(_ZIP) and path.suffix.lower() in EXCEL_SUFFIXES:
        return EXCEL
    kind = _by_name(path) or CSV
    if kind in (PARQUET, ARROW):
        raise FileError.unreadable(path, f"its name says {kind} but its first bytes do not")
    return kind


def _refuse_other_kinds(path: Path, first: bytes) -> None:
    """Refuse what is no table, or none that is read, by its first bytes and its name."""
    suffix = suffix_of(path)
    for beginning, reason in _REFUSED_BEGINNINGS.items():
        if first.startswith(beginning):
            raise FileError.unreadable(path, reason)
    if suffix in _REFUSED_SUFFIXES:
        raise FileError.unreadable(path, _REFUSED_SUFFIXES[suffix])
    if suffix in EXCEL_SUFFIXES and not first.startswith(_ZIP):
        raise FileError.unreadable(path, "its name says Excel but its first bytes do not")
    if suffix not in EXCEL_SUFFIXES and first.startswith(_ZIP):
        raise FileError.unreadable(
            path, "it is a zip archive; unpack it, and name the file inside, or compress it as .gz"
        )


def _by_name(path: Path) -> str | None:
    return SUFFIXES.get(suffix_of(path))


def suffix_of(path: Path) -> str:
    """Return the suffix of a name in small letters, that of compression left out."""
    name = path.name.lower()
    for suffix in COMPRESSED:
        name = name.removesuffix(suffix)
    return Path(name).suffix


def ambiguous_url(scheme: str) -> FileError:
    """Return an error about a URL with marks that may be part of a password; it shows none."""
    return FileError(
        f"cannot read '{scheme}://…': write the marks @ / ? # [ ] and % inside of a user, a "
        "password or an option as %40 %2F %3F %23 %5B %5D and %25"
    )


class QuerySource(Source):
    """A table or a view of DuckDB, streamed."""

    ordered = False

    def __init__(self, name: str, connection: duckdb.DuckDBPyConnection, table: str) -> None:
        self.name = name
        self._connection = connection
        self._table = table
        self._schema: pa.Schema | None = None

    @property
    def schema(self) -> pa.Schema:
        """The names and types of all columns."""
        if self._schema is None:
            with reading(self.name):
                self._schema = self._query("*", 0).schema
        return self._schema

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns."""
        with reading(self.name):
            yield from self._query(", ".join(map(quoted, columns)), limit)

    def _query(self, columns: str, limit: int | None) -> pa.RecordBatchReader:
        limit_clause = "" if limit is None else f" LIMIT {limit}"
        query = f"SELECT {columns} FROM {self._table}{limit_clause}"
        # Rows of another query may be on their way through the connection itself.
        relation = self._connection.cursor().sql(query)
        return relation.to_arrow_reader(batch_rows(len(relation.columns)))

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

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
        super().close()


@contextmanager
def closed_on_failure(opened: duckdb.DuckDBPyConnection | QuerySource) -> Iterator[None]:
    """Close a connection or a source if the block fails, since nobody else would."""
    try:
        yield
    except BaseException:
        opened.close()
        raise


def size_of(path: str, files: Iterable[Path]) -> int:
    """Return how many bytes files have."""
    with reading(path):
        return sum(file.stat().st_size for file in files)


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


def quoted(identifier: str) -> str:
    """Quote a name for SQL."""
    return '"' + identifier.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text for SQL."""
    return "'" + text.replace("'", "''") + "'"
