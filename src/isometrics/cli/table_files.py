"""A table becomes a file by its suffix, batch by batch, whole or not at all."""

from __future__ import annotations

import csv
import gzip
import io
import json
from contextlib import AbstractContextManager, nullcontext
from decimal import Decimal
from pathlib import PurePath
from typing import IO, TYPE_CHECKING, Any

from isometrics._core.files import STANDARD_OUTPUT, whole_file
from isometrics.cli.options import readable
from isometrics.cli.output import plain, records
from isometrics.errors import FileError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from isometrics.cli.output import Columns

    Batches = Iterable[pa.RecordBatch]

_ROWS = 65_536
_SPECIAL = r'[",;\t\r\n]'
_GZIP = ".gz"
SUFFIXES = (
    *(".csv", ".tsv", ".parquet", ".arrow", ".json", ".jsonl"),
    *(".csv.gz", ".tsv.gz", ".jsonl.gz"),
)
"""How the names of files end that a table can become."""
TEXTS = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
"""What is written as text with columns."""


def write_table(columns: Columns, target: str) -> None:
    """Write columns of results to a file, in JSON as `answer` prints them; ``-`` is CSV."""
    kind = kind_of(target)
    if ".json" in kind:
        with whole_file(target, binary=True) as file, _content(file, kind) as content:
            _write_json(records(columns), content, kind)
        return
    table = arrow_table(columns)
    write_batches(table.schema, table.to_batches(_ROWS), target)


def write_batches(
    schema: pa.Schema, batches: Batches, target: str, suffix: str | None = None
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
    """
    kind = suffix or kind_of(target)
    import pyarrow as pa

    try:
        with whole_file(target, binary=True) as file:
            _write(schema, batches, file, kind)
    except pa.ArrowException as error:
        # What a format cannot hold is one sentence.
        where = "to standard output" if target == STANDARD_OUTPUT else repr(target)
        raise FileError(f"cannot write {where}: {error}") from error


def _write(schema: pa.Schema, batches: Batches, file: IO[bytes], kind: str) -> None:
    if kind in (".parquet", ".arrow"):
        import pyarrow as pa
        from pyarrow import parquet

        opened = parquet.ParquetWriter if kind == ".parquet" else pa.ipc.new_file
        with opened(file, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        return
    written = _written(schema)
    rows = (batch.cast(written) for batch in batches)
    with _content(file, kind) as content:
        if kind in TEXTS:
            _write_text(written, rows, content, "\t" if "tsv" in kind else ",")
        else:
            _write_json((row for batch in rows for row in batch.to_pylist()), content, kind)


def kind_of(target: str) -> str:
    """Return the suffix that tells what to write; that of standard output is ``.csv``."""
    return ".csv" if target == STANDARD_OUTPUT else suffix_of(target)


def suffix_of(target: str) -> str:
    """Return how a file ends, in small letters; of a compressed one, also what is inside.

    Examples
    --------
    >>> suffix_of("a.b/C.CSV"), suffix_of("flagged.csv.gz"), suffix_of("x.gz")
    ('.csv', '.csv.gz', '.gz')
    """
    suffixes = [suffix.lower() for suffix in PurePath(target).suffixes]
    return "".join(suffixes[-2:] if suffixes[-1:] == [_GZIP] else suffixes[-1:])


def check_suffix(target: str | None) -> None:
    """Refuse a file whose name does not tell what to write."""
    if target is not None and kind_of(target) not in SUFFIXES:
        raise ParameterError(
            f"{target!r} should end in {', '.join(SUFFIXES)}, or be - for CSV on standard output"
        )


def _content(file: IO[bytes], kind: str) -> AbstractContextManager[Any]:
    """Return the file, or what compresses into it; the same rows give the same bytes."""
    if not kind.endswith(_GZIP):
        return nullcontext(file)
    return gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0)


# ---------------------------------------------------------------------- text


def _write_text(schema: pa.Schema, batches: Batches, file: IO[bytes], delimiter: str) -> None:
    """Write the lines of a text table; numbers read back as they were."""
    from pyarrow.csv import WriteOptions, write_csv

    head = io.StringIO()
    csv.writer(head, delimiter=delimiter, lineterminator="\n").writerow(schema.names)
    file.write(head.getvalue().encode())
    for batch in batches:
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


def _write_json(rows: Iterable[dict[str, Any]], file: IO[bytes], kind: str) -> None:
    """Write one object for each row: those of a list, or one on each line."""
    first, between, last = ("", "\n", "\n") if ".jsonl" in kind else ("[\n", ",\n", "\n]\n")
    before = first
    for row in rows:
        text = json.dumps(row, ensure_ascii=False, default=_as_json, separators=(",", ":"))
        # Names of files that are no text have halves of characters.
        file.write(f"{before}{text}".encode(errors="backslashreplace"))
        before = between
    file.write(f"{'' if before == between else first}{last}".encode())


def _as_json(value: object) -> float | str:
    """Return a value of Arrow that JSON does not have: decimals, times."""
    return float(value) if isinstance(value, Decimal) else str(value)


# ---------------------------------------------------------------------- columns


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
