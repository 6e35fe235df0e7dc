"""Tables of databases as a source: DuckDB, SQLite and PostgreSQL, by URL."""

from __future__ import annotations

import re
from contextlib import ExitStack, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from isometrics.engines.files import QuerySource, files_of, quoted, settings
from isometrics.engines.sources import FIRST_ROWS, reading
from isometrics.engines.spark_urls import SPARK_SCHEMES
from isometrics.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from isometrics.engines.sources import Source

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
        raise FileError(
            f"cannot read {name!r}: {parts.scheme}:// is not known; use a path or {known}"
        )
    options = parse_qsl(parts.query)
    tables = [value for key, value in options if key == "table"]
    if len(tables) != 1:
        raise FileError(f"cannot read {name!r}: say which table, for example {EXAMPLE!r}")
    table = ".".join(map(quoted, tables[0].split(".")))
    if parts.scheme not in _IN_FILES:
        others = urlencode([option for option in options if option[0] != "table"])
        address = urlunsplit(parts._replace(query=others))
        return DriverTable(f"{name}?table={tables[0]}", "postgresql", address, table)
    file = _file(parts, name)
    if parts.scheme == "sqlite":
        return DriverTable(name, "sqlite", f"{file.absolute().as_uri()}?mode=ro", table)
    import duckdb

    with reading(name):
        connection = duckdb.connect(file, read_only=True, config=settings(memory))
    return QuerySource(name, connection, table)


def _split(url: str) -> tuple[SplitResult, str]:
    """Return the parts of a URL, and what messages show of it: no user, password or option.

    A user or a password with marks of its own could be taken for another part, and be shown.
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
        raise FileError(
            f"cannot read {name!r}: the path of the file follows three slashes, for example "
            f"{EXAMPLE!r}"
        )
    files = files_of(path)
    if files != [Path(path)]:
        raise FileError(f"cannot read {name!r}: name one file, not a folder or a pattern")
    return files[0]


class DriverTable:
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
        The quoted name of the table.
    """

    def __init__(self, name: str, driver: str, address: str, table: str) -> None:
        module = f"adbc_driver_{driver}"
        if find_spec(module) is None:
            raise FileError(
                f"cannot read {name!r}: the driver is not installed; "
                "pip install 'isometrics[databases]'"
            )
        self.name = name
        self._table = table
        driving = import_module(f"{module}.dbapi")
        self._error: type[Exception] = driving.Error
        with reading(name, self._error), ExitStack() as unless_done:
            self._connection: Any = unless_done.enter_context(driving.connect(address))
            with self._connection.cursor() as cursor:
                # SQLite has no types but those of its values.
                cursor.execute(f"SELECT * FROM {table} LIMIT {FIRST_ROWS}")
                self._schema: pa.Schema = cursor.fetch_record_batch().schema
            unless_done.pop_all()

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
        some = "" if limit is None else f" LIMIT {limit}"
        with reading(self.name, self._error), self._connection.cursor() as cursor:
            cursor.execute(f"SELECT {', '.join(map(quoted, columns))} FROM {self._table}{some}")
            yield from cursor.fetch_record_batch()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
