"""Tables by URL as a source: of DuckDB, SQLite, PostgreSQL and Spark."""

from __future__ import annotations

import re
import socket
from contextlib import ExitStack, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

import pyarrow as pa

from isometrics.errors import FileError, require
from isometrics.sources.batches import Source, reading, refuse_doubled, stored
from isometrics.sources.files import QuerySource, files_of, quoted, settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isometrics.sources.batches import Batches

EXAMPLE = "duckdb:///folder/file.db?table=predictions"
_IN_FILES = ("duckdb", "sqlite")
SCHEMES = (*_IN_FILES, "postgresql")
SPARK_SCHEMES = ("spark", "sc")
_BROKEN = re.compile("%(?![0-9A-Fa-f]{2})|%00")
"""What drivers refuse, with a message that shows it."""


def open_table(url: str, memory: int) -> Source:
    """Open a table by a URL such as ``sqlite:///folder/file.db?table=predictions``.

    As elsewhere, a relative path follows three slashes and an absolute one four.
    """
    if url.partition("://")[0] in SPARK_SCHEMES:
        return _open_spark(url)
    parts, name = _split(url)
    if parts.scheme not in SCHEMES:
        known = ", ".join(f"{scheme}://" for scheme in (*SCHEMES, *SPARK_SCHEMES))
        raise FileError.unreadable(name, f"{parts.scheme}:// is not known; use a path or {known}")
    options = parse_qsl(parts.query)
    tables = [value for key, value in options if key == "table"]
    if len(tables) != 1:
        raise FileError.unreadable(name, f"say which table, for example {EXAMPLE!r}")
    # A dot ends the name of a schema.
    table = ".".join(map(quoted, tables[0].split(".")))
    if parts.scheme not in _IN_FILES:
        others = urlencode([option for option in options if option[0] != "table"])
        # A server without a host is one that is reached by a socket.
        address = f"{parts.scheme}://{parts.netloc}{parts.path}{others and '?'}{others}"
        return DriverTable(f"{name}?table={tables[0]}", "postgresql", address, table)
    file = _file(parts, name)
    if parts.scheme == "sqlite":
        return DriverTable(name, "sqlite", f"{file.absolute().as_uri()}?mode=ro", table)
    require("reading a table of DuckDB", "duckdb")
    import duckdb

    with reading(name), ExitStack() as unless_done:
        # A view of the file could read any other file, or a variable of this program.
        closed = {"enable_external_access": False, "python_enable_replacements": False}
        connection = duckdb.connect(file, read_only=True, config=settings(memory) | closed)
        unless_done.callback(connection.close)
        source = QuerySource(name, connection, table)
        refuse_doubled(name, source.schema.names)
        unless_done.pop_all()
    return source


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
        raise FileError(
            f"cannot read '{scheme}://…': write the marks @ / ? # [ ] and % inside of a user, a "
            "password or an option as %40 %2F %3F %23 %5B %5D and %25"
        )
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
    table
        The name of the table, quoted.
    """

    def __init__(self, name: str, driver: str, address: str, table: str) -> None:
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
            self.belongings = (self._connection,)
            self._table = table
            with self._connection.cursor() as cursor:
                cursor.execute(f"SELECT * FROM {self._table} LIMIT 1")
                found: pa.Schema = cursor.fetch_record_batch().schema
            self._values = {name: quoted(name) for name in found.names}
            if driver == "sqlite":
                found = self._of_one_type(found)
            self.ordered = driver == "sqlite"
            self.schema = self._with_numbers(found)
            unless_done.pop_all()

    def _of_one_type(self, schema: pa.Schema) -> pa.Schema:
        """Cast the columns of SQLite, whose values have types of their own, to the widest one."""
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

    def batches(self, columns: Sequence[str], *, limit: int | None = None) -> Batches:
        """Read some columns."""
        schema = pa.schema([self.schema.field(name) for name in columns])
        named = ", ".join(f"{self._values[name]} AS {quoted(name)}" for name in columns)
        limit_clause = "" if limit is None else f" LIMIT {limit}"
        with reading(self.name, self._error), self._connection.cursor() as cursor:
            cursor.execute(f"SELECT {named} FROM {self._table}{limit_clause}")
            for batch in cursor.fetch_record_batch():
                arrays = map(stored, batch.columns)
                yield pa.RecordBatch.from_arrays(
                    [array.cast(field.type) for array, field in zip(arrays, schema, strict=True)],
                    schema=schema,
                )


_TYPE = b"POSTGRESQL:type"


# ---------------------------------------------------------------------- Spark

_PORTS = {"spark": 7077, "sc": 15002}
_PATIENCE = 5.0
"""Seconds to wait for a server to answer; Spark itself would try again for minutes."""
_FORMATS = {".csv": "csv", ".json": "json", ".jsonl": "json", ".orc": "orc"}


def _open_spark(url: str) -> Source:
    """Open a table or files of Spark by a URL.

    Parameters
    ----------
    url
        ``spark://host:port`` is the master of a cluster, ``sc://host:port`` a Spark Connect
        server, and ``spark://`` whatever Spark is set up to use by default. ``?table=`` names a
        table, ``?path=`` files that Spark can reach: Parquet, or CSV, JSON and ORC by their names.
        A session that is started here lasts as long as the process.
    """
    address, _, query = url.partition("?")
    scheme, _, rest = address.partition("://")
    if "@" in url:
        raise FileError.unreadable(
            f"{scheme}://…", "a URL of Spark has no user; set Spark up to know it, and leave @ out"
        )
    host = rest.partition("/")[0]
    from isometrics.sources.spark_and_dask import ClusterFrame, asking

    options = parse_qsl(query)
    if len(options) != 1 or options[0][0] not in ("table", "path"):
        raise FileError.unreadable(
            f"{scheme}://{host}",
            "say which table or which files, for example 'spark://host:7077?table=predictions' or "
            "'spark://?path=folder/predictions.parquet'",
        )
    require("reading a table of Spark", "pyspark", extra="spark")
    ((kind, wanted),) = options
    name = f"{scheme}://{host}?{kind}={wanted}"
    with asking(name):
        if host and "," not in host:
            parts = urlsplit(f"//{host}")
            server = parts.hostname or "", parts.port or _PORTS[scheme]
            socket.create_connection(server, _PATIENCE).close()
        from pyspark.sql import SparkSession

        builder: Any = SparkSession.builder.appName("isometrics")
        if host:
            builder = (
                builder.remote(address) if scheme == "sc" else builder.master(f"spark://{host}")
            )
        return ClusterFrame(_frame(builder.getOrCreate(), kind, wanted), name)


def _frame(session: Any, kind: str, wanted: str) -> Any:
    """Return the frame of a table or of files; Spark looks for them at once."""
    import narwhals.stable.v2 as nw

    if kind == "table":
        parts = (f"`{part.replace('`', '``')}`" for part in wanted.split("."))
        return nw.from_native(session.table(".".join(parts)))
    form = _FORMATS.get(PurePosixPath(wanted).suffix.lower(), "parquet")
    options = {"header": True, "inferSchema": True} if form == "csv" else {}
    return nw.from_native(session.read.format(form).options(**options).load(wanted))
