"""Columns of Arrow batches as NumPy arrays and Python lists; the next batch is read ahead."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from isometrics._core.groups import python_values, with_nanoseconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from numpy.typing import NDArray


NUMERIC = ("boolean", "integer", "float")
_NAMES = {"double": "float64", "float": "float32", "halffloat": "float16"}
"""Arrow's names of types that NumPy calls otherwise."""
_FORMULA = r"^[=+\-@\t\r]"
_NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$|^[+-]?(?i:inf|infinity|nan)$"
_EXACT_DIGITS = 15
"""Decimals of so many digits all have doubles of their own."""


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
    if types.is_boolean(dtype) or _is_bool8(dtype):
        return "boolean"
    if types.is_integer(dtype):
        return "integer"
    if types.is_floating(dtype) or types.is_decimal(dtype) or types.is_null(dtype):
        return "float"
    if types.is_string(dtype) or types.is_large_string(dtype) or types.is_string_view(dtype):
        return "string"
    return kind_of(dtype.storage_type) if is_extension(dtype) else "other"


def is_floating(dtype: pa.DataType) -> bool:
    """Tell whether a type is one of floats, which may be NaN."""
    import pyarrow as pa

    return bool(pa.types.is_floating(dtype))


def can_name(dtype: pa.DataType) -> bool:
    """Tell whether values can name models and groups: texts, numbers and times can.

    Numbers of extension types mean something else: a month of pandas is stored as 648.
    """
    from pyarrow import types

    if types.is_dictionary(dtype):
        return can_name(dtype.value_type)
    if is_extension(dtype):
        return kind_of(dtype) in ("string", "boolean")
    return kind_of(dtype) != "other" or types.is_temporal(dtype)


def is_extension(dtype: pa.DataType) -> bool:
    """Tell whether a type is built on another one, in which its values are stored."""
    import pyarrow as pa

    return isinstance(dtype, pa.BaseExtensionType)


def _is_bool8(dtype: pa.DataType) -> bool:
    """Tell whether a type has truth values of one byte each; any byte but 0 is true."""
    return getattr(dtype, "extension_name", "") == "arrow.bool8"


def stored(column: pa.Array) -> pa.Array:
    """Return the values of an extension type as those that they are stored as."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type) and is_extension(column.type.value_type):
        column = column.dictionary_decode()
    if not is_extension(column.type):
        return column
    whole = column.storage
    return whole.cast(pa.bool_()) if _is_bool8(column.type) else whole


def numbers(column: pa.Array) -> Values:
    """Return a column of numbers or truth values; NaN is missing, as null is.

    Decimals without a fraction become integers, others doubles; `unholdable` tells which do not
    fit.
    """
    import pyarrow as pa

    column = stored(column)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_decimal(column.type):
        column = _of_64_bits(column)
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


def missing_values(column: pa.Array) -> NDArray[np.bool_] | None:
    """Tell which values are null or NaN; None if there are none."""
    if kind_of(column.type) in NUMERIC:
        missing = numbers(column).missing
    else:
        missing = codes(column)[0] < 0 if column.null_count or is_extension(column.type) else None
    return None if missing is None or not missing.any() else missing


def _of_64_bits(decimals: pa.Array) -> pa.Array:
    """Return decimals with a fraction as the nearest doubles, others as integers."""
    import pyarrow as pa

    if decimals.type.scale <= 0:
        return decimals.cast(pa.int64(), safe=False)
    # Arrow multiplies by a power of ten, which makes 0.7000000000000001 of 0.7.
    return decimals.cast(pa.string()).cast(pa.float64())


def as_numpy(column: pa.Array) -> NDArray[Any]:
    """Return truth values or numbers without nulls; Arrow's own way would load pandas for it."""
    content = column.buffers()[1]
    if len(column) == 0 or content is None:
        return np.empty(0, _NAMES.get(str(column.type), str(column.type)))
    rows = slice(column.offset, column.offset + len(column))
    if str(column.type) == "bool":
        bits = np.frombuffer(content, np.uint8)
        return np.unpackbits(bits, count=rows.stop, bitorder="little")[rows].view(np.bool_)
    return np.frombuffer(content, _NAMES.get(str(column.type), str(column.type)), rows.stop)[rows]


def unholdable(column: pa.Array) -> NDArray[np.bool_] | None:
    """Tell which decimals are not the same once they are read as numbers of 64 bits."""
    import pyarrow as pa

    if not pa.types.is_decimal(column.type) or column.type.precision <= _EXACT_DIGITS:
        return None
    # Loading this takes a while, and few columns need it.
    import pyarrow.compute as pc

    wide = pa.decimal256(76, column.type.scale)
    back = _of_64_bits(column).cast(wide, safe=False)
    same = pc.fill_null(pc.equal(back, column.cast(wide)), True)
    return ~as_numpy(same)


def without_formulas(column: pa.Array) -> pa.Array:
    """Put an apostrophe before texts that a spreadsheet would take for formulas.

    These begin with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return, and are no numbers.
    """
    if kind_of(column.type) != "string":
        return column
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = column.cast(pa.string())
    formula = pc.and_not(
        pc.match_substring_regex(texts, _FORMULA), pc.match_substring_regex(texts, _NUMBER)
    )
    return pc.if_else(formula, pc.binary_join_element_wise("'", texts, ""), texts)


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


def taken(batch: pa.RecordBatch, rows: NDArray[np.intp]) -> pa.RecordBatch:
    """Return some rows of a batch."""
    import pyarrow as pa

    columns = [
        # Arrow has views of texts, but cannot take some of them.
        column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column
        for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names).take(pa.array(rows))


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
    if getattr(dtype, "unit", "") != "ns":
        return list(distinct.to_pylist())
    # pandas, where it is installed, would have times of its own.
    nanoseconds = as_numpy(distinct.cast(pa.int64()))
    if pa.types.is_duration(dtype):
        return python_values(nanoseconds.view("m8[ns]"))
    digits = (nanoseconds % 1000).tolist()
    if pa.types.is_time(dtype):
        shorter = pa.string() if any(digits) else pa.time64("us")
        return list(distinct.cast(shorter).to_pylist())
    times = distinct.cast(pa.timestamp("us", dtype.tz), safe=False).to_pylist()
    return list(map(with_nanoseconds, times, digits)) if any(digits) else times


def as_list(column: pa.Array) -> list[object]:
    """Return a column as a list; dates are texts, because Python's calendar ends before Arrow's."""
    import pyarrow as pa

    if pa.types.is_temporal(column.type):
        column = column.cast(pa.string())
    try:
        values: list[object] = column.to_pylist()
    except (OverflowError, ValueError):
        # Dates inside of lists and the like have no text in Arrow.
        values = ["(not a value of Python)"] * len(column)
    return values


Item = TypeVar("Item")


def prefetch(items: Iterator[Item]) -> Iterator[Item]:
    """Yield items while a thread computes the next one."""
    with ThreadPoolExecutor(1) as thread:
        following = thread.submit(next, items, None)
        while (item := following.result()) is not None:
            following = thread.submit(next, items, None)
            yield item
