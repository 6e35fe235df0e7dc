"""Files of Parquet and Arrow through pyarrow: one, or many in folders."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from isometrics.errors import Advice, FileError, ParameterError
from isometrics.sources.arrow import kind_of
from isometrics.sources.batches import Source, batch_rows, reading, refuse_doubled
from isometrics.sources.files import ARROW, base_folder
from isometrics.sources.memory_limit import SHARE_OF_BATCHES, in_megabytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

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
    needed = (
        max(
            sum(
                min(chunk.total_uncompressed_size, _PAGE_AND_DICTIONARY)
                for chunk in map(group.column, range(group.num_columns))
                if chunk.path_in_schema in wanted
            )
            for group in map(metadata.row_group, range(metadata.num_row_groups))
        )
        if metadata.num_row_groups
        else 0
    )
    if needed > memory:
        raise ParameterError(
            f"cannot read {len(columns)} columns of {name!r} together within the memory limit",
            Advice(
                "raise {memory_limit} to {}, or choose some of them with {scores}",
                in_megabytes(SHARE_OF_BATCHES * needed),
            ),
        )


def bytes_of(metadata: Any, columns: Sequence[str]) -> int:
    """Return how many bytes of a Parquet file some columns take, as they are stored."""
    wanted = set(columns)
    return sum(
        chunk.total_compressed_size
        for group in map(metadata.row_group, range(metadata.num_row_groups))
        for chunk in map(group.column, range(group.num_columns))
        if chunk.path_in_schema in wanted
    )


class ParquetFile(Source):
    """One Parquet file, read a batch at a time.

    pyarrow's data sets, which `ArrowFiles` needs, take longer to load than many a file to read.
    """

    def __init__(self, path: str, memory: int) -> None:
        self.name = path
        self.bytes_read: int = 0
        self._path = path
        self._memory = memory
        with reading(path), _opened(path) as file:
            self._schema: pa.Schema = file.schema_arrow
            self.rows = file.metadata.num_rows
        refuse_doubled(path, self._schema.names)

    @property
    def schema(self) -> pa.Schema:
        """The names and types of all columns."""
        return self._schema

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns."""
        with reading(self.name), _opened(self._path) as file:
            if limit is not None:
                yield from _first_rows(file, columns, limit)
                return
            refuse_wide_parquet(self.name, file.metadata, columns, self._memory)
            self.bytes_read += bytes_of(file.metadata, columns)
            for batch in file.iter_batches(batch_rows(len(columns)), columns=list(columns)):
                # In a damaged file, offsets may lead anywhere, and pyarrow follows them.
                batch.validate(full=True)
                yield batch.select(list(columns))


def _first_rows(file: Any, columns: Sequence[str], limit: int) -> Iterator[pa.RecordBatch]:
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


class ArrowFiles(Source):
    """Parquet or Arrow files, in folders ``name=value`` too, read in batches by pyarrow.

    pyarrow finds out what the files have in common. They are read one after another and a batch
    at a time, because its own scanner reads far ahead and fills the memory.
    """

    def __init__(self, path: str, files: Sequence[Path], kind: str, memory: int) -> None:
        import pyarrow as pa
        import pyarrow.dataset as ds

        self.name = path
        self.bytes_read: int = 0
        self._memory = memory
        self._kind = kind
        self._base = base_folder(path).absolute()
        paths = [str(file.absolute()) for file in files]
        said = folder_fields(os.path.relpath(path, self._base) for path in paths)
        with reading(path):
            # Without a schema, pyarrow would ask the first file for one, and go by that.
            fragments = list(ds.dataset(paths, format=kind, schema=pa.schema([])).get_fragments())
            schemas = {each.path: each.physical_schema for each in fragments}
            schema = self._widest(said, schemas)
            self._dataset = ds.dataset(
                paths,
                schema=schema,
                format=kind,
                partitioning=ds.partitioning(
                    pa.schema([schema.field(name) for name in said]), flavor="hive"
                ),
                partition_base_dir=str(self._base),
            )
            self.rows = self._dataset.count_rows()
        self._columns = {
            each.path: {*schemas[each.path].names, *_values_of_folders(each)}
            for each in self._dataset.get_fragments()
        }

    @property
    def schema(self) -> pa.Schema:
        """The names and types of all columns."""
        return self._dataset.schema

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns."""
        import pyarrow as pa

        schema = pa.schema([self.schema.field(name) for name in columns])
        with reading(self.name):
            fragments = list(self._dataset.get_fragments())
        for fragment in fragments:
            with reading(str(fragment.path)):
                for batch in self._fragment(fragment, schema, limit):
                    # In a damaged file, offsets may lead anywhere, and pyarrow follows them.
                    batch.validate(full=True)
                    yield batch if limit is None else batch.slice(0, limit)
                    limit = None if limit is None else max(limit - batch.num_rows, 0)
                    if limit == 0:
                        return

    def missing_advice(self, column: str) -> Advice | None:
        """Say which files have no such column; None where all have it."""
        lacking = [path for path, names in self._columns.items() if column not in names]
        if not lacking:
            return None
        example = repr(self._relative(lacking[0]))
        if len(lacking) == 1:
            return Advice("{} has no such column", example)
        return Advice(
            "{} of {} files have no such column, such as {}",
            str(len(lacking)),
            str(len(self._columns)),
            example,
        )

    def _relative(self, path: str) -> str:
        """Return the name of a file inside the folder that was given."""
        return os.path.relpath(path, self._base)

    def _fragment(
        self, fragment: Any, schema: pa.Schema, limit: int | None
    ) -> Iterator[pa.RecordBatch]:
        """Read one file; what its folders say is the same in all its rows."""
        import pyarrow as pa

        size = batch_rows(len(schema.names))
        if self._kind == ARROW:
            self.bytes_read += Path(fragment.path).stat().st_size if limit is None else 0
            yield from fragment.to_batches(columns=schema.names, schema=schema, batch_size=size)
            return
        said = _values_of_folders(fragment)
        with _opened(fragment.path) as file:
            own = [name for name in schema.names if name in file.schema_arrow.names]
            if limit is None:
                refuse_wide_parquet(self.name, file.metadata, own, self._memory)
                self.bytes_read += bytes_of(file.metadata, own)
                batches = file.iter_batches(size, columns=own)
            else:
                batches = _first_rows(file, own, limit)
            for batch in batches:
                arrays = [
                    batch.column(field.name).cast(field.type)
                    if field.name in own
                    else pa.repeat(pa.scalar(said.get(field.name), field.type), batch.num_rows)
                    for field in schema
                ]
                for name in said.keys() & {*own} if limit is None else ():
                    array = arrays[schema.get_field_index(name)]
                    _refuse_other_values(fragment.path, name, array, said[name])
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _widest(self, said: dict[str, pa.Field], schemas: dict[str, pa.Schema]) -> pa.Schema:
        """Return all columns of files and folders, in types that hold the values of each."""
        import pyarrow as pa

        fields: dict[str, pa.Field] = {}
        holders: dict[str, str] = {}
        given = [(path, field) for path, schema in schemas.items() for field in schema]
        given += [("", field) for field in said.values()]
        for path, field in given:
            known = fields.setdefault(field.name, field)
            holder = holders.setdefault(field.name, path)
            if known.type.equals(field.type):
                continue
            alone = [pa.schema([each.with_metadata(None)]) for each in (known, field)]
            try:
                fields[field.name] = pa.unify_schemas(alone, promote_options="permissive").field(0)
            except pa.ArrowException:
                if not kind_of(known.type) == kind_of(field.type) == "string":
                    other = repr(self._relative(path)) if path else "the names of folders"
                    raise FileError.unreadable(
                        self.name,
                        f"{field.name} holds {known.type} values in {self._relative(holder)!r} and "
                        f"{field.type} in {other}; write it in one type",
                    ) from None
                fields[field.name] = field.with_type(pa.large_string())
        return pa.schema(list(fields.values()))


_WHOLE = re.compile(r"-?[0-9]+")
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def folder_fields(files: Iterable[str]) -> dict[str, pa.Field]:
    """Return the columns that folders ``name=value`` define: whole numbers, or else texts.

    Examples
    --------
    >>> folder_fields(["day=3/site=n/a.parquet", "day=12/site=7/a.parquet"])
    {'day': pyarrow.Field<day: int32>, 'site': pyarrow.Field<site: string>}
    """
    import pyarrow as pa

    values: dict[str, set[str]] = {}
    for file in files:
        for part in Path(file).parts[:-1]:
            name, equals, value = part.partition("=")
            if equals:
                values.setdefault(unquote(name), set()).add(unquote(value))
    return {name: pa.field(name, _type_of(texts - {_NO_VALUE})) for name, texts in values.items()}


def _type_of(texts: set[str]) -> pa.DataType:
    import pyarrow as pa

    if not texts or not all(map(_WHOLE.fullmatch, texts)):
        return pa.string()
    largest = max(abs(int(text)) for text in texts)
    return pa.int32() if largest < 2**31 else pa.int64() if largest < 2**63 else pa.string()


def _values_of_folders(fragment: Any) -> dict[str, Any]:
    """Return the values that the folders of a file give to its rows."""
    import pyarrow.dataset as ds

    found: dict[str, Any] = ds.get_partition_keys(fragment.partition_expression)
    return found


def _refuse_other_values(path: str, name: str, array: pa.Array, said: object) -> None:
    """Refuse a column that is in the file too, and has other values than its folder says."""
    other = next((value for value in array.unique().to_pylist() if value != said), said)
    if other != said:
        raise FileError.unreadable(
            path,
            f"its folder says that {name} is {said!r}, but it holds {other!r}; move it to the "
            "folder of its rows, or leave the column out",
        )
