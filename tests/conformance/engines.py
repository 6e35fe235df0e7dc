"""Every way in which predictions can arrive, by name.

A writer takes an Arrow table and a folder, and returns what `read_predictions` is given.
"""

import gzip
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import tempfile
from contextlib import closing, contextmanager
from datetime import datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq


def parquet(table, folder):
    pq.write_table(table, folder / 'it\'s; a "file".parquet')
    return folder / 'it\'s; a "file".parquet'


def halves(table):
    middle = table.num_rows // 2
    return enumerate((table.slice(0, middle), table.slice(middle)))


def parquet_glob(table, folder):
    for place, part in halves(table):
        pq.write_table(part, folder / f"part-{place}.parquet", row_group_size=3)
    return str(folder / "part-*.parquet")


def hive(table, folder):
    """Partitions are read in the order of their names, which is that of the rows here."""
    for place, part in halves(table):
        below = folder / "data" / f"half={place}"
        below.mkdir(parents=True)
        pq.write_table(part, below / "0.parquet")
    return folder / "data"


def csv_text(table, separator=","):
    options = pyarrow.csv.WriteOptions(delimiter=separator)
    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(times_as_texts(plain(table)), sink, options)
    return sink.getvalue().to_pybytes()


def plain(table):
    """Turn decimals into doubles where text is all the same."""
    fields = [
        pa.field(field.name, pa.float64() if pa.types.is_decimal(field.type) else field.type)
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def times_as_texts(table):
    """Write times as Python does, where a format has none."""
    for place, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            texts = pa.array(map(str, table[field.name].to_pylist()))
            table = table.set_column(place, field.name, texts)
    return table


def in_file(name, content):
    def write(table, folder):
        (folder / name).write_bytes(content(table))
        return folder / name

    return write


def zstd(content):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


def json_lines(table, folder):
    path = folder / "predictions.jsonl"
    duckdb.from_arrow(times_as_texts(plain(table))).create("predictions")
    duckdb.sql(f"COPY predictions TO '{path}' (FORMAT json)")
    duckdb.sql("DROP TABLE predictions")
    return path


def feather(table, folder):
    pyarrow.feather.write_feather(table, folder / "predictions.feather")
    return folder / "predictions.feather"


def duckdb_file(table, folder):
    path = folder / "store.db"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", table)
        connection.execute('CREATE TABLE "pre""dictions" AS SELECT * FROM given')
    return f"duckdb:///{path}?table=pre%22dictions"


def sqlite_file(table, folder):
    columns = (column.to_pylist() for column in plain(table).columns)
    # SQLite has no times. How a time becomes a text depends on what else has been imported.
    texts = ([str(each) if isinstance(each, datetime) else each for each in c] for c in columns)
    return in_sqlite(folder, dict(zip(table.column_names, texts, strict=True)))


def in_sqlite(folder, columns):
    """Store lists of values by name; return the URL for `read_predictions`."""
    path = folder / "store.sqlite"
    names = ", ".join('"{}"'.format(name.replace('"', '""')) for name in columns)
    marks = ", ".join("?" for _ in columns)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE predictions ({names})")
        rows = zip(*columns.values(), strict=True)
        connection.executemany(f"INSERT INTO predictions VALUES ({marks})", rows)
        connection.commit()
    return f"sqlite:///{path}?table=predictions"


def dask(table, _):
    import dask.dataframe as dd

    return dd.from_pandas(pandas_arrow(table), npartitions=2)


def pandas_arrow(table):
    import pandas as pd

    return table.to_pandas(types_mapper=pd.ArrowDtype)


ENGINES = {
    "pyarrow": lambda table, _: table,
    "pandas": lambda table, _: table.to_pandas(),
    "pandas, Arrow types": lambda table, _: pandas_arrow(table),
    "polars": lambda table, _: pl.from_arrow(table),
    "polars, lazy": lambda table, _: pl.from_arrow(table).lazy(),
    "DuckDB relation": lambda table, _: duckdb.from_arrow(table),
    "Dask": dask,
    "Parquet": parquet,
    "Parquet, pattern": parquet_glob,
    "Parquet, hive folder": hive,
    "CSV": in_file("naïve 名前.csv", csv_text),
    "CSV, semicolons": in_file("predictions.txt", lambda table: csv_text(table, ";")),
    "CSV, gzip": in_file("predictions.csv.gz", lambda table: gzip.compress(csv_text(table))),
    "TSV, zstd": in_file("predictions.tsv.zst", lambda table: zstd(csv_text(table, "\t"))),
    "JSON lines": json_lines,
    "Feather": feather,
    "DuckDB": duckdb_file,
    "SQLite": sqlite_file,
}


# ---------------------------------------------------------------------- PostgreSQL


@cache
def _postgres_programs():
    """Return the folder of the server's programs, or None where PostgreSQL is not on the PATH."""
    if initdb := shutil.which("initdb"):
        return str(Path(initdb).parent)
    # Debian puts only the client on the PATH.
    if shutil.which("psql"):
        for initdb in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
            return str(initdb.parent)
    return None


@contextmanager
def postgres_server():
    """Start a server of its own on loopback; yields its URL, or None where there is none."""
    programs = _postgres_programs()
    if programs is None or find_spec("adbc_driver_postgresql") is None:
        yield None
        return
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    folder = tempfile.mkdtemp(prefix="postgres-")
    try:
        if as_user:
            shutil.chown(folder, "postgres")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        data = f"{folder}/data"
        start = [f"{programs}/initdb", "-D", data, "-U", "tester", "--auth=trust", "--no-sync"]
        _run([*as_user, *start], folder)
        options = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder} -c fsync=off"
        control = [*as_user, f"{programs}/pg_ctl", "-D", data]
        _run([*control, "-w", "-o", options, "-l", f"{folder}/log", "start"], folder)
        try:
            yield f"postgresql://tester@127.0.0.1:{port}/postgres"
        finally:
            _run([*control, "-m", "immediate", "stop"], folder)
    finally:
        shutil.rmtree(folder)


def _run(command, folder):
    quiet = subprocess.DEVNULL
    subprocess.run(command, check=True, cwd=folder, stdout=quiet, stderr=quiet)


def postgres_table(url, table, name):
    """Store a table under a name on a server; return its URL for `read_predictions`."""
    import adbc_driver_postgresql.dbapi

    with adbc_driver_postgresql.dbapi.connect(url) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest(name, plain(table), mode="replace")
        connection.commit()
    return f"{url}?table={name}"


def by_position(said, given):
    """Return the sentence of an error with the position of a row in place of its lines."""
    lines = re.search(r", (?:the first )?on lines? (\d+)[^;]*(; leave out .*)?$", said)
    if lines is None:
        # The lines of a file that is compressed are not known.
        return re.sub("; leave out rows with missing values .*$", "", said)
    header = 1 if "json" in str(given) else 2
    return f"{said[: lines.start()]}, the first at position {int(lines[1]) - header}"
