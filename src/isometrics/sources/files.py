"""Files as a source: which there are and of which kind; Parquet and Arrow through pyarrow."""

from __future__ import annotations

import glob
import os
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isometrics.errors import Advice, FileError, ParameterError
from isometrics.sources.arrow import kind_of
from isometrics.sources.batches import batch_rows, reading
from isometrics.sources.memory_limit import SHARE_OF_BATCHES, in_megabytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb
    import pyarrow as pa

PARQUET, ARROW, JSON, CSV, EXCEL = "parquet", "arrow", "json", "csv", "excel"
_SUFFIXES = {
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
_EXCEL_SUFFIXES = (".xlsx", ".xlsm")
_PICKLE = (
    "it looks like a pickle, which may run any program when it is opened, so it is never read; "
    "load it yourself, and save a table as Parquet or CSV, or pass arrays to isometrics.analyse"
)
_UTF_16 = "it is text in UTF-16; save it as UTF-8"
_REFUSED_BEGINNINGS = {
    b"\x93NUMPY": "it is a single NumPy array, without names of columns; save labels and scores "
    "together with np.savez(file, y_true=..., y_score=...), or pass arrays to isometrics.analyse",
    **dict.fromkeys((bytes([128, protocol]) for protocol in range(2, 6)), _PICKLE),
    b"\xd0\xcf\x11\xe0": "it looks like a workbook of Excel 97; save it as .xlsx or CSV",
    b"\xff\xfe": _UTF_16,
    b"\xfe\xff": _UTF_16,
}
_REFUSED_SUFFIXES = dict.fromkeys((".pkl", ".pickle", ".joblib"), _PICKLE)


def files_of(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files that a path, a folder or a pattern names; there is at least one."""
    if not os.fspath(path):
        raise FileError.unreadable("", "the name is empty; name a file, a folder or a pattern")
    given = Path(path)
    with reading(f"{given!s:.100}"):
        there, folder = given.exists(), given.is_dir()
    if folder:
        found = _inside(given)
        if not found:
            raise FileError.unreadable(given, "the folder has no Parquet, Arrow, CSV or JSON files")
        return found
    if there:
        return [given]
    # A pattern may be absolute, which Path.glob does not take.
    found = sorted(map(Path, glob.glob(str(path), recursive=True)))  # noqa: PTH207
    _refuse_closed_folders(str(path))
    if not found:
        raise FileError.unreadable(given, _absent(given))
    return found


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
                kind = None if entry.name.startswith((".", "_")) else _by_name(entry)
                if entry.is_dir():
                    # What is no link comes first, and has the name that a reader knows.
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
    with reading(str(path)), path.open("rb") as file:
        first = file.read(8)
    if not first:
        raise FileError.unreadable(path, "the file is empty")
    for magic, kind in _MAGIC.items():
        if first.startswith(magic):
            return kind
    _refuse_other_kinds(path, first)
    if first.startswith(_ZIP) and path.suffix.lower() in _EXCEL_SUFFIXES:
        return EXCEL
    kind = _by_name(path) or CSV
    if kind in (PARQUET, ARROW):
        raise FileError.unreadable(path, f"its name says {kind} but its first bytes do not")
    return kind


def _refuse_other_kinds(path: Path, first: bytes) -> None:
    """Refuse what is no table, or none that is read, by its first bytes and its name."""
    suffix = _suffix(path)
    for beginning, reason in _REFUSED_BEGINNINGS.items():
        if first.startswith(beginning):
            raise FileError.unreadable(path, reason)
    if suffix in _REFUSED_SUFFIXES:
        raise FileError.unreadable(path, _REFUSED_SUFFIXES[suffix])
    if suffix in _EXCEL_SUFFIXES and not first.startswith(_ZIP):
        raise FileError.unreadable(path, "its name says Excel but its first bytes do not")
    if suffix not in _EXCEL_SUFFIXES and first.startswith(_ZIP):
        raise FileError.unreadable(
            path, "it is a zip archive; unpack it, and name the file inside, or compress it as .gz"
        )


def _by_name(path: Path) -> str | None:
    return _SUFFIXES.get(_suffix(path))


def _suffix(path: Path) -> str:
    """Return the suffix of a name in small letters, that of compression left out."""
    name = path.name.lower()
    for suffix in COMPRESSED:
        name = name.removesuffix(suffix)
    return Path(name).suffix


_NARROW = 16
"""So many columns of a Parquet file are read together without a look at what they take."""
_PAGE_AND_DICTIONARY = 2_200_000
"""What a column takes while it is decoded: writers cut pages and dictionaries at a megabyte."""


def _opened(path: str) -> Any:
    import pyarrow.parquet as pq

    # Buffering ahead would hold all row groups until the end of the file, and without a buffer
    # of its own a column is read as a whole.
    return pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 16)


def refuse_wide_parquet(name: str, metadata: Any, columns: Sequence[str], memory: int) -> None:
    """Refuse more columns than can be decoded together within so many bytes."""
    if len(columns) <= _NARROW:
        return
    wanted = set(columns)
    needed = max(
        sum(
            min(chunk.total_uncompressed_size, _PAGE_AND_DICTIONARY)
            for chunk in map(group.column, range(group.num_columns))
            if chunk.path_in_schema in wanted
        )
        for group in map(metadata.row_group, range(metadata.num_row_groups))
    )
    if needed > memory:
        raise ParameterError(
            f"cannot read {len(columns)} columns of {name!r} together within the memory limit",
            Advice(
                "raise {memory_limit} to {}, or choose some of them with {scores}",
                in_megabytes(SHARE_OF_BATCHES * needed),
            ),
        )


class ParquetFile:
    """One Parquet file, read a batch at a time.

    pyarrow's data sets, which `ArrowFiles` needs, take longer to load than many a file to read.
    """

    def __init__(self, path: str, memory: int) -> None:
        self.name = path
        self._path = path
        self._memory = memory
        with reading(path), _opened(path) as file:
            self.schema: pa.Schema = file.schema_arrow
            self.rows: int | None = file.metadata.num_rows
        names = self.schema.names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise FileError.unreadable(path, f"it has two columns called {twice!r}")

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns."""
        with reading(self.name), _opened(self._path) as file:
            if limit is not None:
                yield from self._first(file, columns, limit)
                return
            refuse_wide_parquet(self.name, file.metadata, columns, self._memory)
            for batch in file.iter_batches(batch_rows(len(columns)), columns=list(columns)):
                # In a damaged file, offsets may lead anywhere, and pyarrow follows them.
                batch.validate(full=True)
                yield batch.select(list(columns))

    def _first(self, file: Any, columns: Sequence[str], limit: int) -> Iterator[pa.RecordBatch]:
        """Read the first rows, some columns at a time: each takes a page or two of memory."""
        import pyarrow as pa

        arrays: dict[str, pa.Array] = {}
        for start in range(0, len(columns), _NARROW):
            names = list(columns[start : start + _NARROW])
            size = max(min(limit, batch_rows(len(names))), 1)
            for batch in file.iter_batches(size, columns=names):
                arrays |= zip(names, batch.select(names).columns, strict=True)
                break
        if arrays:
            batch = pa.RecordBatch.from_pydict({name: arrays[name] for name in columns})
            batch.validate(full=True)
            yield batch.slice(0, limit)

    def close(self) -> None:
        """Nothing stays open between reads."""


class ArrowFiles:
    """Parquet or Arrow files, in folders ``name=value`` too, read in batches by pyarrow.

    pyarrow finds out what the files have in common. They are read one after another and a batch
    at a time, because its own scanner reads far ahead and fills the memory.
    """

    def __init__(self, path: str, files: Sequence[Path], kind: str, memory: int) -> None:
        import pyarrow.dataset as ds

        self.name = path
        self._memory = memory
        self._kind = kind
        root = path if Path(path).is_dir() else None
        with reading(path):
            dataset = partial(
                ds.dataset,
                [str(file.absolute()) for file in files],
                format=kind,
                partitioning=None if root is None else ds.HivePartitioning.discover(),
                partition_base_dir=root,
            )
            first = dataset()
            schemas = [fragment.physical_schema for fragment in first.get_fragments()]
            self._dataset = dataset(schema=_widest(path, first.schema, schemas))
            self._rows: int = self._dataset.count_rows()

    @property
    def rows(self) -> int | None:
        """The number of rows, which the files' footers tell."""
        return self._rows

    @property
    def schema(self) -> pa.Schema:
        """The names and types of all columns."""
        return self._dataset.schema

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns."""
        with reading(self.name):
            for batch in self._unchecked(columns, limit):
                # In a damaged file, offsets may lead anywhere, and pyarrow follows them.
                batch.validate(full=True)
                yield batch

    def _unchecked(self, columns: Sequence[str], limit: int | None) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        if limit is not None:
            yield from self._dataset.head(limit, columns=list(columns)).to_batches()
            return
        schema = pa.schema([self.schema.field(name) for name in columns])
        for fragment in self._dataset.get_fragments():
            yield from self._fragment(fragment, schema)

    def _fragment(self, fragment: Any, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Read one file; what its folders say is the same in all its rows."""
        import pyarrow as pa
        import pyarrow.dataset as ds

        if self._kind == ARROW:
            yield from fragment.to_batches(
                columns=schema.names, schema=schema, batch_size=batch_rows(len(schema.names))
            )
            return
        said = ds.get_partition_keys(fragment.partition_expression)
        with _opened(fragment.path) as file:
            refuse_wide_parquet(self.name, file.metadata, schema.names, self._memory)
            own = [name for name in schema.names if name in file.schema_arrow.names]
            for batch in file.iter_batches(batch_rows(len(own)), columns=own):
                yield pa.RecordBatch.from_arrays(
                    [
                        batch.column(field.name).cast(field.type)
                        if field.name in own
                        else pa.repeat(pa.scalar(said.get(field.name), field.type), batch.num_rows)
                        for field in schema
                    ],
                    schema=schema,
                )

    def close(self) -> None:
        """Nothing stays open between reads."""


def _widest(name: str, first: pa.Schema, schemas: Sequence[pa.Schema]) -> pa.Schema:
    """Return all columns of several files, in types that hold the values of each."""
    import pyarrow as pa

    fields = {field.name: field for field in first}
    for field in (field for schema in schemas for field in schema):
        known = fields.setdefault(field.name, field)
        if known.type.equals(field.type):
            continue
        alone = [pa.schema([known.with_metadata(None)]), pa.schema([field.with_metadata(None)])]
        try:
            fields[field.name] = pa.unify_schemas(alone, promote_options="permissive").field(0)
        except pa.ArrowException:
            if not kind_of(known.type) == kind_of(field.type) == "string":
                raise FileError.unreadable(
                    name,
                    f"{field.name} holds {known.type} values in some files "
                    f"and {field.type} in others; write it in one type",
                ) from None
            fields[field.name] = field.with_type(pa.large_string())
    return pa.schema(list(fields.values()))


class QuerySource:
    """The rows of a DuckDB query, streamed."""

    def __init__(self, name: str, connection: duckdb.DuckDBPyConnection, table: str) -> None:
        self.name = name
        self._connection = connection
        self._table = table
        with reading(name):
            empty = self._query("*", 0)
            self._schema = empty.schema

    @property
    def rows(self) -> int | None:
        """Not known before all is read."""
        return None

    @property
    def schema(self) -> pa.Schema:
        """The names and types of all columns."""
        return self._schema

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns."""
        with reading(self.name):
            yield from self._query(", ".join(map(quoted, columns)), limit)

    def _query(self, columns: str, limit: int | None) -> pa.RecordBatchReader:
        some = "" if limit is None else f" LIMIT {limit}"
        query = f"SELECT {columns} FROM {self._table}{some}"
        # Rows of another query may be on their way through the connection itself.
        relation = self._connection.cursor().sql(query)
        return relation.to_arrow_reader(batch_rows(len(relation.columns)))

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def settings(memory: int) -> dict[str, Any]:
    """Return how DuckDB is to work: within memory, and never fetching anything."""
    megabytes = max(memory // 2**20, _THREAD_MEGABYTES)
    found: dict[str, Any] = {
        "memory_limit": f"{megabytes}MiB",
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    threads = megabytes // _THREAD_MEGABYTES
    return found if threads >= (os.cpu_count() or 1) else found | {"threads": threads}


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
