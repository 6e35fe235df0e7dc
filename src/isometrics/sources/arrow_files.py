"""Files of Parquet and Arrow through pyarrow: one, or many in folders."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from isometrics.errors import FileError
from isometrics.sources.batches import Source, batch_rows, kind_of, reading, refuse_doubled
from isometrics.sources.files import ARROW, base_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from isometrics.sources.batches import Batches

_NARROW = 16
"""So many columns of a Parquet file are read together for a look at their first rows."""
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


class ArrowFiles(Source):
    """Parquet or Arrow files, in folders ``name=value`` too.

    They are read one after another and a batch at a time, because pyarrow's data sets read far
    ahead and fill the memory. A column that a file has counts more than what its folder says.
    """

    reads_fast = True

    def __init__(self, path: str, files: Sequence[Path], kind: str) -> None:
        self.name = path
        self.bytes_read: int = 0
        self.rows = 0
        self._kind = kind
        self._base = base_folder(path)
        self._schemas: dict[Path, pa.Schema] = {}
        self._said: dict[Path, dict[str, str | None]] = {}
        """The texts that folders ``name=value`` give to the rows of each file."""
        for file in files:
            with reading(str(file)):
                if kind == ARROW:
                    import pyarrow.dataset as ds

                    found = ds.dataset(str(file), format=kind)
                    self._schemas[file] = found.schema
                    self.rows += found.count_rows()
                else:
                    with _opened(file) as parquet:
                        self._schemas[file] = parquet.schema_arrow
                        self.rows += parquet.metadata.num_rows
            refuse_doubled(file, self._schemas[file].names)
            parts = [part.partition("=") for part in file.relative_to(self._base).parts[:-1]]
            self._said[file] = {
                unquote(name): None if value == _NO_VALUE else unquote(value)
                for name, equals, value in parts
                if equals
            }
        self.schema = self._widest()

    def batches(self, columns: Sequence[str], *, limit: int | None = None) -> Batches:
        """Read some columns."""
        schema = pa.schema([self.schema.field(name) for name in columns])
        for file, said in self._said.items():
            own = [name for name in columns if name in self._schemas[file].names]
            with reading(str(file)):
                for batch in self._own_batches(file, own, limit):
                    # In a damaged file, offsets may lead anywhere, and pyarrow follows them.
                    batch.validate(full=True)
                    arrays = [
                        batch.column(field.name).cast(field.type)
                        if field.name in own
                        else pa.repeat(
                            pa.scalar(said.get(field.name), pa.string()).cast(field.type),
                            batch.num_rows,
                        )
                        for field in schema
                    ]
                    yield pa.RecordBatch.from_arrays(arrays, schema=schema)
                    limit = None if limit is None else limit - batch.num_rows
                    if limit == 0:
                        return

    def _own_batches(
        self, file: Path, columns: list[str], limit: int | None
    ) -> Iterator[pa.RecordBatch]:
        """Read columns of one file."""
        size = batch_rows(len(columns))
        if self._kind == ARROW:
            self.bytes_read += file.stat().st_size if limit is None else 0
            with pa.memory_map(str(file)) as content, pa.ipc.open_file(content) as reader:
                for batch in map(reader.get_batch, range(reader.num_record_batches)):
                    rows = batch.num_rows if limit is None else min(limit, batch.num_rows)
                    for start in range(0, rows, size):
                        yield batch.select(columns).slice(start, min(size, rows - start))
                        limit = None if limit is None else limit - min(size, rows - start)
            return
        with _opened(file) as parquet:
            if limit is None:
                self.bytes_read += _bytes_of(parquet.metadata, columns)
                for batch in parquet.iter_batches(size, columns=columns):
                    yield batch.select(columns)
            else:
                yield from _first_rows(parquet, columns, limit)

    def _relative(self, file: Path) -> str:
        """Return the name of a file inside the folder that was given."""
        return os.path.relpath(file, self._base)

    def _widest(self) -> pa.Schema:
        """Return all columns of files and folders, in types that hold the values of each."""
        fields: dict[str, pa.Field] = {}
        holders: dict[str, Path] = {}
        for file, schema in self._schemas.items():
            for field in schema:
                known = fields.setdefault(field.name, field)
                holder = holders.setdefault(field.name, file)
                if not known.type.equals(field.type):
                    fields[field.name] = self._wider(known, holder, field, file)
        for name in dict.fromkeys(name for said in self._said.values() for name in said):
            texts = [text for said in self._said.values() if (text := said.get(name)) is not None]
            fields.setdefault(name, pa.field(name, _type_of(texts)))
        return pa.schema(list(fields.values()))

    def _wider(self, known: pa.Field, holder: Path, field: pa.Field, file: Path) -> pa.Field:
        """Return a column in a type that holds the values of two files."""
        alone = [pa.schema([each.with_metadata(None)]) for each in (known, field)]
        try:
            return pa.unify_schemas(alone, promote_options="permissive").field(0)
        except pa.ArrowException:
            if kind_of(known.type) == kind_of(field.type) == "string":
                return field.with_type(pa.large_string())
            raise FileError.unreadable(
                self.name,
                f"{field.name} holds {known.type} values in {self._relative(holder)!r} and "
                f"{field.type} in {self._relative(file)!r}; write it in one type",
            ) from None


def _type_of(texts: list[str]) -> pa.DataType:
    """Return the type of what folders say: whole numbers, or else texts."""
    try:
        return pa.array(texts, pa.string()).cast(pa.int64()).type if texts else pa.string()
    except pa.ArrowInvalid:
        return pa.string()


def _opened(file: Path) -> Any:
    # Buffering ahead would hold all row groups until the end of the file, and without a buffer
    # of its own a column is read as a whole.
    return pq.ParquetFile(file, pre_buffer=False, buffer_size=1 << 16)


def _bytes_of(metadata: Any, columns: Sequence[str]) -> int:
    """Return how many bytes of a Parquet file some columns take, as they are stored."""
    return sum(
        chunk.total_compressed_size
        for group in map(metadata.row_group, range(metadata.num_row_groups))
        for chunk in map(group.column, range(group.num_columns))
        if chunk.path_in_schema in columns
    )


def _first_rows(file: Any, columns: list[str], limit: int) -> Iterator[pa.RecordBatch]:
    """Read the first rows, some columns at a time: each takes a page or two of memory."""
    arrays: list[pa.Array] = []
    for start in range(0, len(columns), _NARROW):
        names = columns[start : start + _NARROW]
        for batch in file.iter_batches(min(limit, batch_rows(len(names))), columns=names):
            arrays += batch.select(names).columns
            break
    if len(arrays) == len(columns):
        yield pa.RecordBatch.from_arrays(arrays, names=columns)
