"""Tables of databases as a source: DuckDB, SQLite and PostgreSQL, by URL."""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

from isometrics.errors import FileError, require
from isometrics.sources.batches import Source, reading, refuse_doubled
from isometrics.sources.files import (
    QuerySource,
    ambiguous_url,
    closed_on_failure,
    files_of,
    quoted,
    settings,
)
from isometrics.sources.spark_urls import SPARK_SCHEMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import duckdb
    import pyarrow as pa

EXAMPLE = "duckdb:///folder/file.db?table=predictions"
_IN_FILES = ("duckdb", "sqlite")
SCHEMES = (*_IN_FILES, "postgresql")
_BROKEN = re.compile("%(?![0-9A-Fa-f]{2})|%00")
"""What drivers refuse, with a message that shows it."""


def open_table(url: str, memory: int) -> Source:
    """Open a table by a URL such as ``sqlite:///folder/file.db?table=predictions``.

    As elsewhere, a relative path follows three slashes and an absolute one four.
    """
    parts, name = _split(url)
    if parts.scheme not in SCHEMES:
        known = ", ".join(f"{scheme}://" for scheme in (*SCHEMES, *SPARK_SCHEMES))
        raise FileError.unreadable(name, f"{parts.scheme}:// is not known; use a path or {known}")
    options = parse_qsl(parts.query)
    tables = [value for key, value in options if key == "table"]
    if len(tables) != 1:
        raise FileError.unreadable(name, f"say which table, for example {EXAMPLE!r}")
    names = _possible_names(tables[0])
    if parts.scheme not in _IN_FILES:
        others = urlencode([option for option in options if option[0] != "table"])
        # A server without a host is one that is reached by a socket.
        address = f"{parts.scheme}://{parts.netloc}{parts.path}{others and '?'}{others}"
        return DriverTable(f"{name}?table={tables[0]}", "postgresql", address, names)
    file = _file(parts, name)
    if parts.scheme == "sqlite":
        return DriverTable(name, "sqlite", f"{file.absolute().as_uri()}?mode=ro", names)
    require("reading a table of DuckDB", "duckdb")
    import duckdb

    with reading(name):
        # A view of the file could read any other file, or a variable of this program.
        closed = {"enable_external_access": False, "python_enable_replacements": False}
        connection = duckdb.connect(file, read_only=True, config=settings(memory) | closed)
        with closed_on_failure(connection):
            table = _only_existing(names, name, lambda each: _exists(connection, each))
            source = QuerySource(name, connection, table)
            refuse_doubled(name, source.schema.names)
            return source


def _possible_names(table: str) -> list[str]:
    """Return what the name of a table may mean in SQL: a dot ends a schema, or is part of a name.

    Examples
    --------
    >>> _possible_names("a.b")
    ['"a"."b"', '"a.b"']
    """
    parts = table.split(".")
    joined = [parts, [table]]
    joined += [[".".join(parts[:at]), ".".join(parts[at:])] for at in range(1, len(parts))]
    return list(dict.fromkeys(".".join(map(quoted, names)) for names in joined))


def _only_existing(names: list[str], source: str, exists: Callable[[str], bool]) -> str:
    """Return the one name that a table has; where none has, the first, for a message about it."""
    if len(names) == 1:
        return names[0]
    found = [name for name in names if exists(name)]
    if len(found) > 1:
        raise FileError.unreadable(
            source,
            f"the table may be {' or '.join(found)}; rename one, or make a "
            "view with a name of its own",
        )
    return found[0] if found else names[0]


def _exists(connection: duckdb.DuckDBPyConnection, table: str) -> bool:
    import duckdb

    try:
        connection.cursor().execute(f"DESCRIBE {table}").fetchall()
    except duckdb.CatalogException:
        return False
    return True


def _split(url: str) -> tuple[SplitResult, str]:
    """Return the parts of a URL, and what messages show of it: no user, password or option.

    Delimiters inside a password could make a part of it look like the host, and be shown.
    """
    scheme, _, rest = url.partition("://")
    parts = None
    with suppress(ValueError):
        parts = urlsplit(url)
    if parts is not None and parts.scheme in _IN_FILES:
        return parts, url
    users = 0 if parts is None else parts.netloc.count("@")
    if parts is None or users > 1 or rest.count("@") > users or _BROKEN.search(rest):
        raise ambiguous_url(scheme)
    return parts, f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _file(parts: SplitResult, name: str) -> Path:
    path = unquote(parts.path)[1:]
    if parts.netloc or not path:
        raise FileError.unreadable(
            name, f"the path of the file follows three slashes, for example {EXAMPLE!r}"
        )
    files = files_of(path)
    if files != [Path(path)]:
        raise FileError.unreadable(name, "name one file, not a folder or a pattern")
    # Drivers have odd messages for what may not be read.
    with reading(name), files[0].open("rb"):
        return files[0]


class DriverTable(Source):
    """A table that an ADBC driver reads as Arrow batches.

    Parameters
    ----------
    name
        What messages call it.
    driver
        ``"sqlite"`` or ``"postgresql"``.
    address
        Where the database is, in the driver's words.
    tables
        What the table may be called, quoted.
    """

    def __init__(self, name: str, driver: str, address: str, tables: list[str]) -> None:
        module = f"adbc_driver_{driver}"
        if find_spec(module) is None:
            raise FileError.unreadable(
                name, "the driver is not installed; pip install 'isometrics[databases]'"
            )
        self.name = name
        driving = import_module(f"{module}.dbapi")
        self._error: type[Exception] = driving.Error
        with reading(name, self._error), ExitStack() as unless_done:
            self._connection: Any = unless_done.enter_context(driving.connect(address))
            self._table = _only_existing(tables, name, self._exists)
            with self._connection.cursor() as cursor:
                cursor.execute(f"SELECT * FROM {self._table} LIMIT 1")
                found: pa.Schema = cursor.fetch_record_batch().schema
            self._values = {name: quoted(name) for name in found.names}
            if driver == "sqlite":
                found = self._of_one_type(found)
            self.ordered = driver == "sqlite"
            self._schema = self._with_numbers(found)
            unless_done.pop_all()

    def _exists(self, table: str) -> bool:
        with self._connection.cursor() as cursor:
            try:
                cursor.execute(f"SELECT * FROM {table} LIMIT 0")
            except self._error:
                # PostgreSQL refuses all that follows in the same transaction.
                self._connection.rollback()
                return False
        return True

    def _of_one_type(self, schema: pa.Schema) -> pa.Schema:
        """Cast the columns of SQLite, whose values have types of their own, to the widest one."""
        import pyarrow as pa

        types = {"text": pa.string(), "real": pa.float64(), "integer": pa.int64()}
        ranks = " ".join(f"WHEN '{kind}' THEN {rank}" for rank, kind in enumerate(types))
        asked = [f"min(CASE typeof({quoted(name)}) {ranks} END)" for name in schema.names]
        with self._connection.cursor() as cursor:
            cursor.execute(f"SELECT {', '.join(asked)} FROM {self._table}")
            found = cursor.fetchone()
        for position, (name, rank) in enumerate(zip(schema.names, found, strict=True)):
            if rank is not None and not pa.types.is_binary(schema.field(position).type):
                kind = list(types)[rank]
                self._values[name] = f"CAST({quoted(name)} AS {kind})"
                schema = schema.set(position, pa.field(name, types[kind]))
        return schema

    def _with_numbers(self, schema: pa.Schema) -> pa.Schema:
        """Return a schema in which PostgreSQL's NUMERIC, which comes as text, is a number.

        Whole numbers stay exact, others are the nearest floats, as they are in text files.
        """
        import pyarrow as pa

        names = [field.name for field in schema if (field.metadata or {}).get(_TYPE) == b"numeric"]
        for name in names:
            with self._connection.cursor() as cursor:
                cursor.execute(
                    f"SELECT 1 FROM {self._table} WHERE scale({quoted(name)}) IS DISTINCT FROM 0 "
                    f"AND {quoted(name)} IS NOT NULL LIMIT 1"
                )
                dtype = pa.float64() if cursor.fetchall() else pa.decimal128(38, 0)
            schema = schema.set(schema.get_field_index(name), pa.field(name, dtype))
        return schema

    @property
    def schema(self) -> pa.Schema:
        """The names and types of all columns."""
        return self._schema

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns."""
        import pyarrow as pa

        with reading(self.name, self._error), self._reader(columns, limit) as batches:
            schema = pa.schema([self.schema.field(name) for name in columns])
            for batch in batches:
                yield batch if batch.schema.equals(schema) else _cast(batch, schema)

    @contextmanager
    def _reader(self, columns: Sequence[str], limit: int | None) -> Iterator[pa.RecordBatchReader]:
        named = ", ".join(f"{self._values[name]} AS {quoted(name)}" for name in columns)
        limit_clause = "" if limit is None else f" LIMIT {limit}"
        with self._connection.cursor() as cursor:
            cursor.execute(f"SELECT {named} FROM {self._table}{limit_clause}")
            yield cursor.fetch_record_batch()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
        super().close()


_TYPE = b"POSTGRESQL:type"


def _cast(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays(
        [
            (column.storage if isinstance(column, pa.ExtensionArray) else column).cast(field.type)
            for column, field in zip(batch.columns, schema, strict=True)
        ],
        schema=schema,
    )
