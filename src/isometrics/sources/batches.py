"""A source of predictions: columns with names, read in batches of Arrow as often as needed."""

from __future__ import annotations

import math
import os
import re
import sys
from abc import abstractmethod
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from isometrics._core.results import join_names
from isometrics._core.sample import NANOSECONDS, python_values
from isometrics.errors import Advice, FileError, ParameterError
from isometrics.sources.column_roles import Peek
from isometrics.sources.written_numbers import is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from isometrics.sources.column_roles import Layout
    from isometrics.sources.tables import Tables

    Batches = Iterator[pa.RecordBatch]

BATCH_ROWS = 1 << 17
_BATCH_VALUES = 1 << 20
"""Rows of many columns come in shorter batches, so that a batch takes some megabytes at most."""
FIRST_ROWS = 1000
DROP_MISSING = Advice("leave out rows with missing values with {drop_missing:True}")
_LONGEST = 400
"""The characters of a library's message that are repeated."""


_ORIGINAL = re.compile(r"\nOriginal Line:\s*\n?.*\n")


MOST_LINES = 5
"""So many lines of one problem are named."""


class Line(NamedTuple):
    """Where a row stands in a file."""

    number: int
    """As editors count: the first line is 1, also of a header; quoted line breaks count."""
    file: str = ""
    """The file, where there are several."""


def listed_lines(lines: Iterable[Line], name: str = "line") -> str:
    """Return the numbers of lines for a sentence, those of each file together.

    Examples
    --------
    >>> listed_lines([Line(3), Line(5)])
    'lines 3 and 5'
    >>> listed_lines([Line(3, "a.csv"), Line(2, "b.csv")])
    'line 3 of a.csv and line 2 of b.csv'
    """
    said = []
    for file, group in groupby(lines, lambda line: line.file):
        numbers = [str(line.number) for line in group]
        plural = "s" * (len(numbers) > 1)
        said.append(f"{name}{plural} {join_names(numbers)}" + (f" of {file}" if file else ""))
    return join_names(said)


def first_lines(lines: Sequence[Line]) -> str:
    """Return the numbers of the first lines for a sentence, and how many more there are."""
    more = f" and {len(lines) - MOST_LINES:,} more" * (len(lines) > MOST_LINES)
    return listed_lines(lines[:MOST_LINES]) + more


class Source:
    """Named columns that can be read again, and what a reader may ask besides.

    A subclass has a `schema` and `batches`. What else it knows replaces the answers below.
    """

    name: str
    """What messages call it."""
    schema: pa.Schema
    """The names and types of all columns; those of text that was not looked at are texts."""
    rows: int | None = None
    """The number of rows, where it is known beforehand."""
    ordered = True
    """Whether rows come in the order in which they are kept; if not, who copies them says so."""
    reads_fast = False
    """Whether reading all rows again takes less time than sorting them on disk."""
    bytes_read: int | None = None
    """How many bytes all passes have read, where that is known."""
    takes_dialect = False
    """Whether a user may say how its numbers and its header are written."""
    decimal: str | None = None
    """The mark before decimals that a user gave."""
    has_lines = False
    """Whether rows stand on lines of text or in rows of a sheet, which messages name."""
    line_name = "line"
    """What a line is called."""
    count_rows: Callable[..., Tables] | None = None
    """Counts the rows where they are, as in a cluster; `batches` serve for the first rows alone.

    Arguments are a layout, and those of `read_tables` called tolerance, keep_rows and progress."""
    progress: Callable[[int, int | None], None] | None = None
    """Told of rows that are read before `batches` are asked for."""
    belongings: tuple[Any, ...] = ()
    """Connections and folders that are closed with the source, in this order."""

    @abstractmethod
    def batches(self, columns: Sequence[str], *, limit: int | None = None) -> Batches:
        """Read some columns, all rows or the first ones."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        for each in self.belongings:
            each.close()

    def settle(self, columns: Sequence[str], needed: Collection[str] = ()) -> None:
        """Find out the types of columns from all rows, where the schema does not have them.

        Those that are `needed` will be read.
        """

    def distinct(self, column: str, most: int) -> list[object]:
        """Return the values of a column without null, or somewhat more than `most` of them."""
        found: dict[object, None] = {}
        for batch in self.batches([column]):
            # A query that is left half read would block the connection of its owner.
            if len(found) <= most:
                found |= dict.fromkeys(codes(batch.column(column))[1])
        return list(found)

    def extent(self, column: str) -> tuple[float, float]:
        """Return the smallest and the largest number of a column; NaN where it has none."""
        low = high = math.nan
        for batch in self.batches([column]):
            values, missing = numbers(batch.column(column))
            present = values if missing is None else values[~missing]
            if present.size:
                low, high = np.fmin(low, present.min()), np.fmax(high, present.max())
        return float(low), float(high)

    def is_number(self, text: str) -> bool:
        """Tell whether a text is a number as the source writes them."""
        return is_number(text)

    def keep_texts(self, numbers: dict[str, str]) -> bool:  # noqa: ARG002
        """Read all columns as they are written, and some numbers under other names besides.

        Tell whether the source has texts to keep.
        """
        return False

    def lines(self, positions: Sequence[int]) -> dict[int, Line]:  # noqa: ARG002
        """Return the lines of some rows by their positions; none where they cannot be known."""
        return {}

    def notes(self) -> list[str]:
        """Return what a user should know about how rows were read."""
        return []

    def missing_advice(self, column: str) -> Advice | None:  # noqa: ARG002
        """Return what to do about missing values of a column."""
        return DROP_MISSING if self.has_lines else None

    def complete_rows(self, layout: Layout) -> tuple[Source, str]:  # noqa: ARG002
        """Return the rows without missing values, of a source that counts its rows itself."""
        raise ParameterError(
            f"cannot be used with {self.name!r}, which counts its rows itself; leave them "
            "out there",
            parameter="drop_missing",
        )


def batch_rows(columns: int) -> int:
    """Return the number of rows to read at a time.

    Examples
    --------
    >>> batch_rows(2), batch_rows(300), batch_rows(10**7)
    (131072, 3495, 1)
    """
    return min(BATCH_ROWS, max(_BATCH_VALUES // max(columns, 1), 1))


def peek(source: Source, wanted: Collection[str] | None = None) -> dict[str, Peek]:
    """Return what is known of all columns; of those that are not wanted, that they are there."""
    names = source.schema.names
    looked_at = [name for name in names if wanted is None or name in wanted]
    source.settle(looked_at, wanted or ())
    kinds = {name: kind_of(source.schema.field(name).type) for name in looked_at}
    values: dict[str, list[object]] = {name: [] for name in names}
    # Values of other kinds tell nothing, and some have no counterpart in Python.
    told = [name for name, kind in kinds.items() if kind != "other"]
    for batch in source.batches(told, limit=FIRST_ROWS) if told else ():
        for name in told:
            values[name] += batch.column(name).to_pylist()
    return {
        name: Peek(
            kinds.get(name, "other"),
            values[name][:FIRST_ROWS],
            cache(partial(source.distinct, name)),
            cache(partial(source.extent, name)),
        )
        for name in names
    }


def columns_of(layout: Layout) -> list[str]:
    """Return the columns that a layout uses."""
    named = (layout.label, *layout.scores.values(), layout.model, layout.weight, layout.group)
    return [name for name in named if name is not None]


MIXED_LINE_ENDS = (
    r"some lines end in another way than others, of \r\n, \n and \r, or quotes do not match; save "
    "it again with one kind of line end"
)


@contextmanager
def reading(name: str, *errors: type[Exception]) -> Iterator[None]:
    """Turn what libraries raise about a file into one sentence; drivers have their own errors."""
    import pyarrow as pa

    if "duckdb" in sys.modules:
        errors += (sys.modules["duckdb"].Error,)
    try:
        yield
    except OSError as error:
        reason = error.strerror.lower() if error.strerror else _first_line(error, name)
        raise FileError.unreadable(name, reason) from error
    except UnicodeEncodeError as error:
        raise FileError.unreadable(
            name, "its name is not UTF-8, which the reader needs; rename it"
        ) from error
    except (pa.ArrowException, UnicodeDecodeError, *errors) as error:
        if type(error).__name__ == "OutOfMemoryException":
            raise FileError.unreadable(
                name,
                "it takes more memory than the limit leaves to its reader",
                Advice("raise {memory_limit}, or save fewer columns"),
            ) from error
        raise FileError.unreadable(name, _first_line(error, name)) from error


def refuse_doubled(file: object, names: Sequence[str]) -> None:
    """Refuse a file with two columns of one name."""
    counts = Counter(names)
    twice = next((name for name, count in counts.items() if count > 1), None)
    if twice is not None:
        raise FileError.unreadable(file, f"it has two columns called {twice!r}; rename one of them")


def _first_line(error: BaseException, name: str) -> str:
    """Return what a library's message begins with, without the kind of error and the file's name.

    Libraries say what is wrong in texts alone. DuckDB names the line of a CSV file, shows it
    whole, and only then says what is wrong.
    """
    # Errors of Spark have a message, but no arguments.
    said = str(error.args[0] if error.args else error)
    said = _ORIGINAL.sub("\n", said)
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    first = lines[0] if lines else type(error).__name__
    _, _, rest = first.partition("Error: ")
    said = rest or first
    if said.startswith("CSV Error on Line:"):
        said = ", ".join([said, *lines[1:2]])
    elif "state machine reached an invalid state" in said:
        said = MIXED_LINE_ENDS
    elif said.startswith("Error when sniffing file"):
        said = "".join(lines[1:2])
    said = said.replace(f' in file "{os.path.abspath(name)}"', "")  # noqa: PTH100
    return f"{said:.{_LONGEST}}".rstrip(".:")


# ---------------------------------------------------------------------- columns as arrays

NUMERIC = ("boolean", "integer", "float")
_BOOL8 = "arrow.bool8"
"""Truth values of one byte each; any byte but 0 is true."""
WHOLE_DIGITS = 18
"""Whole numbers of so many digits fit into 64 bits."""


class Values(NamedTuple):
    """Values of one column of a batch; those of nulls, marked in `missing`, are arbitrary."""

    values: NDArray[Any]
    missing: NDArray[np.bool_] | None


def kind_of(dtype: pa.DataType) -> str:
    """Return what a column holds: boolean, integer, float, string or other.

    A column of nothing but nulls counts as one of floats, all of them missing.
    """
    from pyarrow import types

    if types.is_dictionary(dtype):
        return kind_of(dtype.value_type)
    if types.is_boolean(dtype) or getattr(dtype, "extension_name", "") == _BOOL8:
        return "boolean"
    if types.is_integer(dtype):
        return "integer"
    if types.is_floating(dtype) or types.is_decimal(dtype) or types.is_null(dtype):
        return "float"
    if types.is_string(dtype) or types.is_large_string(dtype) or types.is_string_view(dtype):
        return "string"
    # An extension type is built on another one, in which its values are stored.
    return kind_of(dtype.storage_type) if hasattr(dtype, "storage_type") else "other"


def can_name(dtype: pa.DataType) -> bool:
    """Tell whether values can name models and groups: texts, numbers and times can.

    Numbers of extension types mean something else: a month of pandas is stored as 648.
    """
    from pyarrow import types

    if types.is_dictionary(dtype):
        return can_name(dtype.value_type)
    if hasattr(dtype, "storage_type"):
        return kind_of(dtype) in ("string", "boolean")
    return kind_of(dtype) != "other" or types.is_temporal(dtype)


def stored(column: pa.Array) -> pa.Array:
    """Return the values of an extension type as those that they are stored as."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type) and hasattr(column.type.value_type, "storage_type"):
        column = column.dictionary_decode()
    if not hasattr(column, "storage"):
        return column
    truths = getattr(column.type, "extension_name", "") == _BOOL8
    return column.storage.cast(pa.bool_()) if truths else column.storage


def numbers(column: pa.Array) -> Values:
    """Return a column of numbers or truth values; NaN is missing, as null is.

    Decimals without a fraction become integers if their type has few digits, others doubles.
    """
    import pyarrow as pa

    column = stored(column)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_decimal(column.type):
        whole = column.type.scale <= 0 and column.type.precision <= WHOLE_DIGITS
        # Arrow multiplies by a power of ten, which makes 0.7000000000000001 of 0.7.
        column = column.cast(pa.int64()) if whole else column.cast(pa.string()).cast(pa.float64())
    if pa.types.is_null(column.type):
        column = column.cast(pa.float64())
    missing = None
    if column.null_count:
        missing = as_numpy(column.is_null())
        column = column.fill_null(pa.scalar(0).cast(column.type))
    values = as_numpy(column)
    if values.dtype.kind == "f" and np.isnan(values.min(initial=np.inf)):
        missing = np.isnan(values) if missing is None else np.isnan(values) | missing
    return Values(values, missing)


def as_numpy(column: pa.Array) -> NDArray[Any]:
    """Return truth values or numbers without nulls; Arrow's own way would load pandas for it."""
    if str(column.type) != "bool":
        return np.from_dlpack(column)
    # Truth values are bits, which DLPack does not have.
    rows = slice(column.offset, column.offset + len(column))
    bits = np.frombuffer(column.buffers()[1] or b"", np.uint8)
    return np.unpackbits(bits, count=rows.stop, bitorder="little")[rows].view(np.bool_)


def codes(column: pa.Array) -> tuple[NDArray[np.int32], list[Any]]:
    """Return small integers for the values of a column, and what they stand for.

    Null and NaN have -1. Values of a dictionary that no row has are left out.
    """
    import pyarrow as pa

    column = stored(column)
    if pa.types.is_dictionary(column.type) and column.dictionary.null_count:
        column = column.dictionary_decode()
    if not pa.types.is_dictionary(column.type):
        halves = pa.types.is_float16(column.type)
        column = column.cast(_encodable(column.type)).dictionary_encode()
    else:
        halves = pa.types.is_float16(column.type.value_type)
    # Some libraries have unsigned codes.
    row_codes = as_numpy(column.indices.cast(pa.int64()).fill_null(-1))
    values = column.dictionary.cast(_encodable(column.dictionary.type))
    used = np.bincount(row_codes[row_codes >= 0], minlength=len(values)) > 0
    if pa.types.is_floating(values.type):
        used &= ~np.isnan(as_numpy(values))
    if not used.all():
        # The last place is that of -1.
        row_codes = np.append(np.where(used, np.cumsum(used) - 1, -1), -1)[row_codes]
        values = values.filter(pa.array(used))
    if halves:
        return row_codes.astype(np.int32), list(as_numpy(values).astype(np.float16))
    return row_codes.astype(np.int32), _python_values(values)


def _encodable(dtype: pa.DataType) -> pa.DataType:
    """Return a type that holds the same values, and that Arrow can find the distinct ones of."""
    import pyarrow as pa

    if pa.types.is_float16(dtype):
        return pa.float32()
    if pa.types.is_string_view(dtype):
        return pa.large_string()
    if pa.types.is_decimal(dtype) and dtype.bit_width < 128:
        return pa.decimal128(dtype.precision, dtype.scale)
    return dtype


def _python_values(distinct: pa.Array) -> list[Any]:
    """Return distinct values, none of them null, as they print from every source."""
    import pyarrow as pa

    dtype = distinct.type
    if pa.types.is_float32(dtype):
        return python_values(as_numpy(distinct))
    if getattr(dtype, "unit", "") == "ns":
        # pandas, where it is installed, would have times of its own.
        kind = str(dtype).partition("[")[0]
        of_python = {"timestamp": pa.timestamp("us", getattr(dtype, "tz", None))}
        of_python |= {"duration": pa.duration("us"), "time64": pa.time64("us")}
        try:
            distinct = distinct.cast(of_python[kind])
        except pa.ArrowInvalid:
            raise ParameterError(NANOSECONDS) from None
    return list(distinct.to_pylist())


Item = TypeVar("Item")


def prefetch(items: Iterator[Item]) -> Generator[Item, None, None]:
    """Yield items while a thread computes the next one."""
    with ThreadPoolExecutor(1) as thread:
        following = thread.submit(next, items, None)
        while (item := following.result()) is not None:
            following = thread.submit(next, items, None)
            yield item
