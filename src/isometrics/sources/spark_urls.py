"""Tables and files that Spark reads, named by a URL: the session, and the frame of their rows."""

from __future__ import annotations

import socket
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from isometrics.errors import FileError
from isometrics.sources.clusters import ClusterFrame, asking
from isometrics.sources.files import ambiguous_url

if TYPE_CHECKING:
    from collections.abc import Callable

SPARK_SCHEMES = ("spark", "sc")
_PORTS = {"spark": 7077, "sc": 15002}
_PATIENCE = 5.0
"""Seconds to wait for a server to answer."""
_EXAMPLE = "spark://host:7077?table=predictions"
_FORMATS = {".csv": "csv", ".json": "json", ".jsonl": "json", ".orc": "orc"}


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
    authority, _, parameters = rest.partition("/")
    host = authority.rpartition("@")[2]
    name = f"{scheme}://{host}"
    options = parse_qsl(query)
    is_clear = len(options) == 1 and options[0][0] in ("table", "path")
    if "@" in parameters or ("@" in query and not is_clear):
        # A slash or a question mark in a password makes its beginning look like the host.
        raise ambiguous_url(scheme)
    if not is_clear:
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
        _refuse_unreachable(name, host, _PORTS[scheme])
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


def _refuse_unreachable(name: str, hosts: str, port: int) -> None:
    """Raise at once where nobody answers; Spark itself would try again for minutes."""
    reasons = []
    for host in filter(None, hosts.split(",")):
        try:
            parts = urlsplit(f"//{host}")
            socket.create_connection((parts.hostname or "", parts.port or port), _PATIENCE).close()
        except OSError as error:
            reasons.append(error)
        except ValueError as error:  # brackets that do not close, a port or a name that cannot be
            raise FileError.unreadable(
                name, f"{host!r} is no host with a port; write it as in {_EXAMPLE!r}"
            ) from error
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
