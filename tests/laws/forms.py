"""The forms in which a table of predictions arrives and leaves, and what each cannot say.

A form takes a `Predictions` and a folder, and returns what `read_predictions` is given.
"""

import gzip
import io
import json
from itertools import pairwise

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import feather

from ..conformance.engines import duckdb_file, in_sqlite
from ..sources.workbooks import write_workbook
from .predictions import EXACT

NULLS = ("", "NA", "null")
"""Texts of the random tables that stand for a missing value in CSV and Excel."""

LACKS = {
    "arrays": {
        "long": "models are columns",
        "guessed": "arrays have no names to guess by",
    },
    "Excel": {
        "beyond floats": "all numbers are floats of 64 bits",
        "many rows": "a sheet is for small tables",
        "null": "an empty cell is null and an empty text, and so are NA and null",
    },
    "CSV": {
        "null": "an empty cell is null and an empty text, and to types so are NA and null",
    },
    "TSV": {"null": "as CSV"},
    "JSON lines": {},
    "SQLite": {"many rows": "it is written row by row, which takes long"},
}
"""What a form cannot say, by the traits below; what is not named here must come out the same.

Two more have no trait, because numbers are compared by value: text, JSON, SQLite and Excel have one
kind of float, and SQLite, CSV and JSON have texts for dates and 0 and 1 for truth values.
"""

MANY = 3000


def traits(table, *, copied=False):
    """Return what is in a table that some forms cannot say: in all columns, if they are copied."""
    found = {"long"} if table.model else set()
    found |= set() if table.named else {"guessed"}
    found |= {"many rows"} if table.rows.num_rows > MANY else set()
    read = (table.label, *table.scores.values(), table.weight, table.group)
    for name in table.rows.column_names if copied else filter(None, read):
        column = table.rows[name]
        if pa.types.is_int64(column.type) and (pc.max(column).as_py() or 0) >= EXACT:
            found |= {"beyond floats"}
    return found


def can_say(form, table, *, copied=False):
    return not traits(table, copied=copied) & set(LACKS.get(form.partition(",")[0], {}))


# ---------------------------------------------------------------------- text


def csv_bytes(table, separator=",", *, always=False, end="\n"):
    """Write CSV: quotes where they are needed, or everywhere."""
    columns = {name: table.text(name) for name in table.rows.column_names}
    frame = pl.from_arrow(pa.table(columns))
    file = io.BytesIO()
    frame.write_csv(
        file,
        separator=separator,
        line_terminator=end,
        quote_style="always" if always else "necessary",
    )
    return file.getvalue()


def json_bytes(table):
    pieces = []
    for name, column in zip(table.rows.column_names, table.rows.columns, strict=True):
        spelled = table.text(name)
        if is_text(column) or pa.types.is_date(column.type):
            codes = spelled.combine_chunks().dictionary_encode()
            words = [json.dumps(word, ensure_ascii=False) for word in codes.dictionary.to_pylist()]
            spelled = pa.array(words, pa.string()).take(codes.indices)
        elif name in table.texts and str(spelled[0]).endswith("%"):
            spelled = column.cast(pa.string())
        spelled = pc.fill_null(spelled, "null")
        pieces += [f"{', ' if pieces else '{'}{json.dumps(name, ensure_ascii=False)}: ", spelled]
    lines = pc.binary_join_element_wise(*pieces, "}\n", "").combine_chunks()
    return lines.buffers()[2].to_pybytes()[: pc.sum(pc.binary_length(lines)).as_py()]


def is_text(column):
    return pa.types.is_string(column.type) or pa.types.is_large_string(column.type)


def in_file(name, write):
    def form(table, folder):
        path = folder / name
        path.write_bytes(write(table))
        return path

    return form


# ---------------------------------------------------------------------- binary files


def parquet_bytes(table):
    file = io.BytesIO()
    pq.write_table(table.rows, file, row_group_size=group_rows(table))
    return file.getvalue()


def group_rows(table):
    return max(table.rows.num_rows // 7, 5)


def arrow_bytes(table):
    file = io.BytesIO()
    with pa.ipc.new_file(file, table.rows.schema) as writer:
        writer.write_table(table.rows, max_chunksize=group_rows(table))
    return file.getvalue()


def feather_bytes(table):
    file = io.BytesIO()
    feather.write_feather(table.rows, file, "lz4", chunksize=group_rows(table))
    return file.getvalue()


def excel(table, folder):
    """Write a sheet; percent and codes are texts there as in CSV."""
    rows = table.rows.to_pydict()
    for name, column in table.texts.items():
        if str(column[0]).endswith("%"):
            rows[name] = column.to_pylist()
    for name, values in rows.items():
        if pa.types.is_date(table.rows[name].type):
            rows[name] = [str(value) for value in values]
    lines = zip(*rows.values(), strict=True)
    return write_workbook(folder / "predictions.xlsx", {"rows": [list(rows), *map(list, lines)]})


# ---------------------------------------------------------------------- databases


def sqlite_table(table, folder):
    columns = {}
    for name, column in zip(table.rows.column_names, table.rows.columns, strict=True):
        values = column.cast(pa.string()) if pa.types.is_date(column.type) else column
        values = values.to_pylist()
        if name in table.texts and "." not in str(table.texts[name][0]):
            # SQLite has a type for each value, not for a column.
            values = [int(value) if value == int(value) else value for value in values]
        columns[name] = values
    return in_sqlite(folder, columns)


# ---------------------------------------------------------------------- folders


def in_folder(suffix, write):
    """Write consecutive rows to several files."""

    def form(table, folder):
        below = folder / "parts"
        below.mkdir()
        n = table.rows.num_rows
        for place, (start, end) in enumerate(pairwise((0, n // 5, n // 5 + n // 3, n))):
            part = table.slice(start, end - start)
            (below / f"part-{place}{suffix}").write_bytes(write(part))
        return below

    return form


class Arrays:
    def __init__(self, table, _):
        rows, scores = table.rows, table.scores
        self.y_true = rows[table.label].to_numpy()
        self.scores = {name: rows[column].to_numpy() for name, column in scores.items()}
        self.options = {
            "sample_weight": None if table.weight is None else rows[table.weight].to_numpy(),
            "groups": None if table.group is None else rows[table.group].to_pandas(),
            "pos_label": table.pos_label,
        }
        if table.classes:
            self.scores = pd.DataFrame(self.scores)


FRAMES = {
    "pandas": lambda table, _: table.rows.to_pandas(),
    "polars": lambda table, _: pl.from_arrow(table.rows),
    "pyarrow": lambda table, _: table.rows,
    "arrays": Arrays,
}
BYTES = {
    "CSV": ("predictions.csv", csv_bytes),
    "CSV, quoted": ("quoted.csv", lambda table: csv_bytes(table, always=True)),
    "CSV, CRLF": ("crlf.csv", lambda table: csv_bytes(table, end="\r\n")),
    "CSV, gzip": ("predictions.csv.gz", lambda table: gzip.compress(csv_bytes(table), 1)),
    "TSV": ("predictions.tsv", lambda table: csv_bytes(table, "\t")),
    "JSON lines": ("predictions.jsonl", json_bytes),
    "Parquet": ("predictions.parquet", parquet_bytes),
    "Arrow": ("predictions.arrow", arrow_bytes),
    "Feather": ("predictions.feather", feather_bytes),
}
"""The forms that are bytes: in a file, in several, or on standard input."""
FILES = {form: in_file(*how) for form, how in BYTES.items()} | {
    "CSV, folder": in_folder(".csv", csv_bytes),
    "Parquet, folder": in_folder(".parquet", parquet_bytes),
    "JSON lines, folder": in_folder(".jsonl", json_bytes),
    "Excel": excel,
    "SQLite": sqlite_table,
    "DuckDB": lambda table, folder: duckdb_file(table.rows, folder),
}
FORMS = FILES | FRAMES
TEXTS = ("CSV", "CSV, quoted", "CSV, CRLF", "CSV, gzip", "TSV", "CSV, folder")
UNTYPED = (*TEXTS, "Excel")
"""Forms in which NA and an empty cell are null to whoever asks for types."""
