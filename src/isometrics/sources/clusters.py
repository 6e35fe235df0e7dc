"""Rows that stay in a cluster: frames of Spark and Dask, and tables that Spark reads by URL.

Only aggregates of them are ever collected.
"""

from __future__ import annotations

import socket
import sys
import warnings
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

from isometrics.errors import FileError, ParameterError
from isometrics.sources.batches import FIRST_ROWS, reading
from isometrics.sources.frames import FrameSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import narwhals.stable.v2 as nw
    import pyarrow as pa

_SPARK = ("pyspark", "pyspark[connect]")
_DISTRIBUTED = (*_SPARK, "dask")
_ERRORS = (
    ("pyspark.errors", "PySparkException"),
    ("py4j.protocol", "Py4JError"),
    ("grpc", "RpcError"),
)
SPARK_SCHEMES = ("spark", "sc")
_PORTS = {"spark": 7077, "sc": 15002}
_PATIENCE = 5.0
_EXAMPLE = "spark://host:7077?table=predictions"
_FORMATS = {".csv": "csv", ".json": "json", ".jsonl": "json", ".orc": "orc"}


def frame_source(frame: Any) -> FrameSource | ClusterFrame:
    """Return a data frame as a source: those of Spark and Dask are left where they are."""
    import narwhals.stable.v2 as nw

    given = nw.from_native(frame, pass_through=True) if _may_be_distributed(frame) else None
    if isinstance(given, nw.LazyFrame) and given.implementation.value in _DISTRIBUTED:
        return ClusterFrame(given)
    return FrameSource(frame)


def _may_be_distributed(frame: Any) -> bool:
    return type(frame).__module__.partition(".")[0] in ("pyspark", "dask", "narwhals")


@contextmanager
def asking(name: str, *errors: type[Exception]) -> Iterator[None]:
    """Turn what a cluster's libraries raise into one sentence, and hide what they say of pandas."""
    # Libraries that are not loaded raise nothing, and are not loaded for their errors.
    loaded = tuple(
        getattr(sys.modules[module], error) for module, error in _ERRORS if module in sys.modules
    )
    with reading(name, *errors, *loaded), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        yield


class ClusterFrame:
    """A frame of Spark, classic or Connect, or of Dask.

    Parameters
    ----------
    frame
        The frame, through narwhals.
    name
        What messages call it.
    close
        What to call in the end; a frame that was given is left to its owner.
    """

    most_collected: ClassVar[int] = 1 << 20
    """The most rows that one pass may collect."""

    def __init__(
        self, frame: Any, name: str = "the data frame", close: Callable[[], None] | None = None
    ) -> None:
        import narwhals.stable.v2 as nw

        native = nw.to_native(frame)
        in_spark = frame.implementation.value in _SPARK
        names = list(native.columns) if in_spark else frame.collect_schema().names()
        if len(set(names)) < len(names):
            raise ParameterError(f"{name} has two columns of one name; rename one")
        if not all(isinstance(column, str) for column in names):
            raise ParameterError(f"column names must be texts but are {names!r}")
        self.name = name
        self.backend = frame.implementation
        self._session: Any = None
        self._close = close
        # Spark reads dots and small and large letters in names its own way.
        self._aliases = {name: f"column_{index}" for index, name in enumerate(names)}
        if in_spark:
            self._session = native.sparkSession
            native = native.toDF(*self._aliases.values())
            self._frame: nw.LazyFrame[Any] = nw.from_native(native)
        else:
            self._frame = frame.rename(self._aliases)
        self._first: pa.Table | None = None

    @property
    def rows(self) -> int | None:
        """Not known before they are counted."""
        return None

    @property
    def schema(self) -> pa.Schema:
        """The names and types of all columns."""
        return self.head(list(self._aliases)).schema

    def columns(self, **wanted: str) -> nw.LazyFrame[Any]:
        """Return some columns, under the names of the arguments."""
        import narwhals.stable.v2 as nw

        return self._frame.select(
            **{name: nw.col(self._aliases[column]) for name, column in wanted.items()}
        )

    def collect(self, frame: nw.LazyFrame[Any]) -> pa.Table:
        """Compute what is left of a frame, which must be little."""
        with asking(self.name):
            return frame.collect(backend="pyarrow").to_native()

    def local(
        self, table: pa.Table, rows: nw.LazyFrame[Any], keys: Sequence[str]
    ) -> nw.LazyFrame[Any]:
        """Send a small table to wherever the rows are, to be joined with them by key columns."""
        import narwhals.stable.v2 as nw

        with asking(self.name):
            eager = nw.from_native(table, eager_only=True)
            sent: nw.LazyFrame[Any] = eager.lazy(backend=self.backend, session=self._session)
            native = nw.to_native(sent)
            if self._session is not None:
                native = native.hint("broadcast")
            elif self.backend.is_dask():
                # The same texts, numbers and times have several types in pandas.
                types = nw.to_native(rows).dtypes
                native = native.astype({key: types[key] for key in keys})
            joined: nw.LazyFrame[Any] = nw.from_native(native)
            return joined

    def head(self, columns: Sequence[str]) -> pa.Table:
        """Return the first rows of some columns; they are collected once."""
        if self._first is None:
            first = self.collect(self._frame.head(FIRST_ROWS))
            # The index of a Dask frame may come as one more column.
            first = first.select(list(self._aliases.values()))
            self._first = first.replace_schema_metadata().rename_columns(list(self._aliases))
        return self._first.select(columns)

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read the first rows of some columns; all rows are never read here."""
        if limit is None:
            raise FileError(
                f"cannot read the rows of {self.name!r} one by one: they stay in the cluster; "
                "write them to Parquet files there and name those"
            )
        yield from self.head(columns).slice(0, limit).to_batches()

    def close(self) -> None:
        """Let go of a session that was opened for this frame."""
        if self._close is not None:
            self._close()


# ---------------------------------------------------------------------- Spark by URL


def open_spark(url: str) -> ClusterFrame:
    """Open a table or files of Spark by a URL.

    Parameters
    ----------
    url
        ``spark://host:port`` is the master of a cluster, ``sc://host:port`` a Spark Connect
        server, and ``spark://`` whatever Spark is set up to use by default. ``?table=`` names a
        table, ``?path=`` files that Spark can reach: Parquet, or CSV, JSON and ORC by their names.
    """
    address, _, query = url.partition("?")
    scheme, _, rest = address.partition("://")
    host = rest.partition("/")[0].rpartition("@")[2]
    name = f"{scheme}://{host}"
    options = parse_qsl(query)
    if len(options) != 1 or options[0][0] not in ("table", "path"):
        raise FileError.unreadable(
            name,
            f"say which table or which files, for example {_EXAMPLE!r} or "
            "'spark://?path=folder/predictions.parquet'",
        )
    if find_spec("pyspark") is None:
        raise FileError.unreadable(
            name, "pyspark is not installed; pip install 'isometrics[spark]'"
        )
    ((kind, wanted),) = options
    name = f"{name}?{kind}={wanted}"
    session, close = _session(name, scheme, host, address)
    try:
        with asking(name):
            return ClusterFrame(_frame(session, kind, wanted), name, close)
    except BaseException:
        close()
        raise


def _session(name: str, scheme: str, host: str, address: str) -> tuple[Any, Callable[[], None]]:
    """Return a session, and what ends it: one that was there before is left alone."""
    with asking(name):
        _refuse_unreachable(host, _PORTS[scheme])
        from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None and not host:
        return active, _leave
    builder: Any = SparkSession.builder.appName("isometrics")
    if scheme == "sc":
        builder = builder.remote(address)
    else:
        # Progress and a page of their own are for people at a console of Spark.
        builder = builder.config("spark.ui.enabled", "false")
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        builder = builder.config("spark.log.level", "ERROR")
        builder = builder.master(address.rstrip("/")) if host else builder
    with asking(name, RuntimeError):
        session = builder.getOrCreate()
    return session, (session.stop if active is None else _leave)


def _refuse_unreachable(hosts: str, port: int) -> None:
    """Raise at once where nobody answers; Spark itself would try again for minutes."""
    reasons = []
    for host in filter(None, hosts.split(",")):
        parts = urlsplit(f"//{host}")
        try:
            socket.create_connection((parts.hostname or "", parts.port or port), _PATIENCE).close()
        except OSError as error:
            reasons.append(error)
        else:
            return
    if reasons:
        raise reasons[0]


def _leave() -> None:
    """Leave a session to its owner."""


def _frame(session: Any, kind: str, wanted: str) -> Any:
    """Return the frame of a table or of files; Spark looks for them at once."""
    import narwhals.stable.v2 as nw

    if kind == "table":
        parts = (f"`{part.replace('`', '``')}`" for part in wanted.split("."))
        return nw.from_native(session.table(".".join(parts)))
    suffix = wanted[wanted.rfind(".") :].lower() if "." in wanted else ""
    format_ = _FORMATS.get(suffix, "parquet")
    options = {"header": True, "inferSchema": True} if format_ == "csv" else {}
    return nw.from_native(session.read.format(format_).options(**options).load(wanted))
