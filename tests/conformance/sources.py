"""Every form in which a table of predictions arrives, and what it cannot hold.

A form takes an Arrow table and a folder, and returns what `read_predictions` is given: a frame,
a path or a URL.
"""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

from .engines import ENGINES, halves

# ---------------------------------------------------------------------- pandas


def pandas_filtered(table, _):
    """Every second row is another one, and left out again."""
    frame = table.to_pandas()
    doubled = frame.loc[frame.index.repeat(2)].reset_index(drop=True)
    return doubled[np.arange(len(doubled)) % 2 == 1]


def pandas_shuffled(table, _):
    """The rows are in their order, and their names are not."""
    frame = table.to_pandas()
    order = np.random.default_rng(5).permutation(len(frame))
    return frame.iloc[order].reset_index(drop=True).iloc[np.argsort(order)]


def pandas_text_index(table, _):
    frame = table.to_pandas()
    return frame.set_index(pd.Index([f"row {row}" for row in reversed(range(len(frame)))]))


def pandas_named_index(table, _):
    """The index has the name that a score column would be found by."""
    frame = table.to_pandas()
    return frame.set_index(pd.Index(np.linspace(0, 1, len(frame)), name="prob"))


def pandas_multi_index(table, _):
    frame = table.to_pandas()
    levels = [np.arange(len(frame)) // 3, np.arange(len(frame)) % 3]
    return frame.set_index(pd.MultiIndex.from_arrays(levels, names=["fold", None]))


def pandas_nullable(table, _):
    return table.to_pandas().convert_dtypes(dtype_backend="numpy_nullable")


# ---------------------------------------------------------------------- Arrow


def arrow_chunked(table, _):
    """Chunks whose ends differ from column to column."""
    columns = {}
    for place, name in enumerate(table.column_names):
        step = 2 + place
        starts = range(0, table.num_rows, step)
        columns[name] = pa.chunked_array(
            [table[name].slice(start, step).combine_chunks() for start in starts],
            table[name].type,
        )
    return pa.table(columns)


def with_empty_batches(table):
    """Return batches of a table, with empty ones first, between and last."""
    (whole,) = table.combine_chunks().to_batches()
    empty = whole.slice(0, 0)
    parts = []
    for start in range(0, table.num_rows, 4):
        parts += [empty, whole.slice(start, 4)]
    return [*parts, empty]


def arrow_empty_batches(table, _):
    return pa.Table.from_batches(with_empty_batches(table))


def encoded(table):
    """Return a table with dictionaries, whose values come in the order of the rows."""
    columns = {
        name: column
        if pa.types.is_dictionary(column.type) or pa.types.is_floating(column.type)
        else column.dictionary_encode()
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return pa.table(columns)


class Own(pa.ExtensionType):
    """Someone's type of numbers or texts."""

    def __init__(self, storage):
        super().__init__(storage, f"example.{storage}")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage, _):
        return cls(storage)


def arrow_extension(table, _):
    """Extension types, but for groups that they cannot name: all but texts."""
    columns = {}
    for name in table.column_names:
        column = table[name].combine_chunks()
        if name == "site" and not pa.types.is_string(column.type):
            columns[name] = column
        else:
            columns[name] = pa.ExtensionArray.from_storage(Own(column.type), column)
    return pa.table(columns)


# ---------------------------------------------------------------------- files


def parquet_dictionary(table, folder):
    pq.write_table(encoded(table), folder / "coded.parquet")
    return folder / "coded.parquet"


def parquet_empty_parts(table, folder):
    """A file without rows among files with rows, and row groups of two rows."""
    for place, part in halves(table):
        pq.write_table(part.slice(0, 0), folder / f"part-{place}-0.parquet")
        pq.write_table(part, folder / f"part-{place}-1.parquet", row_group_size=2)
    return str(folder / "part-*.parquet")


def feather_empty_batches(table, folder):
    path = folder / "predictions.arrow"
    with pa.ipc.new_file(path, table.schema) as writer:
        for batch in with_empty_batches(table):
            writer.write_batch(batch)
    return path


def polars_categorical(table, _):
    frame = pl.from_arrow(table)
    return frame.with_columns(pl.col(pl.String).cast(pl.Categorical))


FRAMES = {
    "pyarrow": ENGINES["pyarrow"],
    "pyarrow, chunked": arrow_chunked,
    "pyarrow, dictionaries": lambda table, _: encoded(table),
    "pyarrow, extension types": arrow_extension,
    "pyarrow, empty batches": arrow_empty_batches,
    "pandas": ENGINES["pandas"],
    "pandas, filtered": pandas_filtered,
    "pandas, shuffled": pandas_shuffled,
    "pandas, text index": pandas_text_index,
    "pandas, named index": pandas_named_index,
    "pandas, multi-index": pandas_multi_index,
    "pandas, nullable": pandas_nullable,
    "pandas, Arrow types": ENGINES["pandas, Arrow types"],
    "polars": ENGINES["polars"],
    "polars, categorical": polars_categorical,
}
"""Frames in memory, whose columns `analyse` takes too."""

LAZY = {name: ENGINES[name] for name in ("polars, lazy", "DuckDB relation")}

FILES = {name: write for name, write in ENGINES.items() if name not in {*FRAMES, *LAZY, "Dask"}} | {
    "Parquet, dictionaries": parquet_dictionary,
    "Parquet, empty parts": parquet_empty_parts,
    "Arrow, empty batches": feather_empty_batches,
}
"""Files and tables in files, which the command reads too."""

SOURCES = FRAMES | LAZY | FILES
