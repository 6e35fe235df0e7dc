"""A table becomes a file by its suffix, batch by batch, whole or not at all."""

from __future__ import annotations

import csv
import gzip
import io
import json
from contextlib import contextmanager
from functools import partial
from pathlib import PurePath
from typing import IO, TYPE_CHECKING, Any, cast

from isometrics._core.writing import STANDARD_OUTPUT, whole_file
from isometrics.cli.options import readable
from isometrics.cli.output import plain
from isometrics.errors import FileError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from isometrics.cli.output import Columns

    Write = Callable[[pa.Schema, Iterable[pa.RecordBatch], IO[bytes]], None]

_ROWS = 65_536
_JSONS = (".json", ".jsonl")
_SPECIAL = r'[",;\t\r\n]'
_GZIP = ".gz"


def write_table(columns: Columns, target: str, *, escape_formulas: bool = False) -> None:
    """Write columns of results to a file, in JSON as `answer` prints them; ``-`` is CSV."""
    table = arrow_table(columns)
    if suffix_of(target).startswith(_JSONS):
        table = _as_strict_json(table)
    write_batches(table.schema, table.to_batches(_ROWS), target, escape_formulas=escape_formulas)


def write_batches(
    schema: pa.Schema,
    batches: Iterable[pa.RecordBatch],
    target: str,
    suffix: str | None = None,
    *,
    escape_formulas: bool = False,
) -> None:
    """Write batches to a file as they come; ``-`` is standard output.

    Every value is written so that it is read back as it is, or refused. In JSON, NaN and infinity
    are NaN and Infinity, as Python and DuckDB write and read them.

    Parameters
    ----------
    schema, batches
        The table.
    target
        The file.
    suffix
        What kind of file it is, if its own suffix does not tell.
    escape_formulas
        Whether texts and names of columns in CSV and TSV that a spreadsheet would take for formulas
        get an apostrophe.
    """
    kind = suffix or (".csv" if target == STANDARD_OUTPUT else suffix_of(target))
    if escape_formulas and kind in TEXTS:
        schema, batches = _without_formulas(schema, batches)
    with _sentences(target), whole_file(target, binary=True) as file:
        WRITERS[kind](schema, batches, file)


def suffix_of(target: str) -> str:
    """Return how a file ends, in small letters; of a compressed one, also what is inside.

    Examples
    --------
    >>> suffix_of("a.b/C.CSV"), suffix_of("flagged.csv.gz"), suffix_of("x.gz")
    ('.csv', '.csv.gz', '.gz')
    """
    suffixes = [suffix.lower() for suffix in PurePath(target).suffixes]
    return "".join(suffixes[-2:] if suffixes[-1:] == [_GZIP] else suffixes[-1:])


def is_text(target: str) -> bool:
    """Tell whether a file, or standard output, is written as text with columns."""
    return target == STANDARD_OUTPUT or suffix_of(target) in TEXTS


def writer_for(target: str) -> Write:
    """Return what writes files of this suffix."""
    suffix = suffix_of(target)
    if suffix not in WRITERS:
        raise ParameterError(
            f"{target!r} should end in {', '.join(WRITERS)}, or be - for CSV on standard output"
        )
    return WRITERS[suffix]


def _without_formulas(
    schema: pa.Schema, batches: Iterable[pa.RecordBatch]
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    import pyarrow as pa

    from isometrics.sources.arrow import without_formulas

    written = _written(schema)
    names = without_formulas(pa.array(schema.names, pa.string())).to_pylist()
    escaped = pa.schema(
        [
            pa.field(name, without_formulas(pa.array([], field.type)).type)
            for name, field in zip(names, written, strict=True)
        ]
    )
    return escaped, (
        pa.RecordBatch.from_arrays(
            [without_formulas(column) for column in batch.cast(written).columns], schema=escaped
        )
        for batch in batches
    )


@contextmanager
def _sentences(target: str) -> Iterator[None]:
    """Turn what a format cannot hold into one sentence."""
    import duckdb
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, duckdb.Error) as error:
        where = "to standard output" if target == STANDARD_OUTPUT else repr(target)
        raise FileError(f"cannot write {where}: {error}") from error


# ---------------------------------------------------------------------- text


def _write_text(
    schema: pa.Schema, batches: Iterable[pa.RecordBatch], file: IO[bytes], delimiter: str = ","
) -> None:
    """Write the lines of a text table; numbers read back as they were."""
    from pyarrow.csv import WriteOptions, write_csv

    written = _written(schema)
    head = io.StringIO()
    csv.writer(head, delimiter=delimiter, lineterminator="\n").writerow(schema.names)
    file.write(head.getvalue().encode())
    for coded in batches:
        batch = coded.cast(written)
        # Arrow would quote every text, needed or not.
        style = "needed" if any(map(_has_special, batch.columns)) else "none"
        options = WriteOptions(include_header=False, delimiter=delimiter, quoting_style=style)
        write_csv(batch, file, options)


def _written(schema: pa.Schema) -> pa.Schema:
    """Return the types that text is written from: values instead of codes; bytes are refused."""
    import pyarrow as pa

    def written(kind: pa.DataType) -> pa.DataType:
        if pa.types.is_dictionary(kind):
            return written(kind.value_type)
        # Text is read as numbers of 64 bits, so those of fewer need the digits of these.
        if pa.types.is_floating(kind):
            return pa.float64()
        return pa.string() if pa.types.is_string_view(kind) else kind

    for field in schema:
        if "binary" in str(field.type):
            raise FileError(
                f"{field.name!r} holds bytes, which text cannot; write a .parquet or .arrow file"
            )
    return pa.schema([field.with_type(written(field.type)) for field in schema])


def _has_special(column: pa.Array) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        # Whatever else is written as text is quoted to be safe; numbers never are.
        return not (pa.types.is_primitive(column.type) or pa.types.is_decimal(column.type))
    return bool(pc.any(pc.match_substring_regex(column, _SPECIAL)).as_py())


def _write_json(
    schema: pa.Schema,
    batches: Iterable[pa.RecordBatch],
    file: IO[bytes],
    marks: tuple[bytes, bytes, bytes] = (b"[\n", b",\n", b"\n]\n"),
) -> None:
    """Write one object for each row, with marks before, between and behind them."""
    import duckdb
    import pyarrow as pa

    from isometrics.sources.files import literal

    written = _written(schema)
    first, next_, last = marks
    before = first
    # DuckDB gives columns other names where case is all that differs.
    columns = {f"c{position}": name for position, name in enumerate(schema.names)}
    named = ", ".join(f"{literal(name)}, {column}" for column, name in columns.items())
    with duckdb.connect() as connection:
        for batch in batches:
            rows = pa.Table.from_batches([batch.cast(written)]).rename_columns(list(columns))
            connection.register("rows", rows)
            texts = connection.execute(f"SELECT json_object({named}) FROM rows").fetchall()
            if texts:
                file.write(before + next_.join(text.encode() for (text,) in texts))
                before = next_
    file.write(last if before == next_ else first + last)


def _as_strict_json(table: pa.Table) -> pa.Table:
    """Return a table whose numbers any reader of JSON takes: NaN is null, infinities are texts."""
    import pyarrow as pa

    is_json = {"ARROW:extension:name": "arrow.json"}
    for position, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            numbers = map(plain, table[position].to_pylist())
            texts = [None if number is None else json.dumps(number) for number in numbers]
            table = table.set_column(
                position,
                pa.field(field.name, pa.string(), metadata=is_json),
                pa.array(texts, pa.string()),
            )
    return table


# ---------------------------------------------------------------------- columns


def _write_parquet(schema: pa.Schema, batches: Iterable[pa.RecordBatch], file: IO[bytes]) -> None:
    from pyarrow import parquet

    with parquet.ParquetWriter(file, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def _write_arrow(schema: pa.Schema, batches: Iterable[pa.RecordBatch], file: IO[bytes]) -> None:
    import pyarrow as pa

    with pa.ipc.new_file(file, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def _write_compressed(
    schema: pa.Schema, batches: Iterable[pa.RecordBatch], file: IO[bytes], write: Write
) -> None:
    """Write a file of another kind, compressed; the same rows give the same bytes."""
    with gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as content:
        write(schema, batches, cast("IO[bytes]", content))


WRITERS: dict[str, Write] = {
    ".csv": _write_text,
    ".tsv": partial(_write_text, delimiter="\t"),
    ".parquet": _write_parquet,
    ".arrow": _write_arrow,
    ".json": _write_json,
    ".jsonl": partial(_write_json, marks=(b"", b"\n", b"\n")),
}
WRITERS |= {
    f"{suffix}{_GZIP}": partial(_write_compressed, write=WRITERS[suffix])
    for suffix in (".csv", ".tsv", ".jsonl")
}
TEXTS = (".csv", ".tsv", f".csv{_GZIP}", f".tsv{_GZIP}")
"""What is written as text with columns, which a spreadsheet may open."""


def arrow_table(columns: Columns) -> pa.Table:
    """Return columns as an Arrow table."""
    import numpy as np
    import pyarrow as pa

    def array(name: str, values: Any) -> pa.Array:
        if not isinstance(values, np.ndarray):
            # Thresholds are printed as texts, and written as the numbers they are.
            values = values.tolist() if hasattr(values, "tolist") else list(values)
            if all(type(value) in (int, float) for value in values):
                values = np.array(values)
        if not isinstance(values, np.ndarray) or values.dtype.kind in "OUS":
            return pa.array(map(_text, values), pa.string())
        if values.dtype.itemsize > 8:
            raise ParameterError(f"the {name}s have more than 64 bits, which no file format holds")
        return pa.array(values)

    return pa.table({_text(name): array(name, values) for name, values in columns.items()})


def _text(value: Any) -> str | None:
    if value is None:
        return None
    return readable(str(plain(value)))
