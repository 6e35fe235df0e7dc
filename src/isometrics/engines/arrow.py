"""Columns of Arrow batches as NumPy arrays, with their nulls apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

NUMERIC = ("boolean", "integer", "float")
_NAMES = {"double": "float64", "float": "float32", "halffloat": "float16"}
"""Arrow's names of types that NumPy calls otherwise."""
_EXACT_DIGITS = 15
"""Decimals of so many digits all have doubles of their own."""


class Values(NamedTuple):
    """Values of one column of a batch; a null has some value, and is told in `missing`."""

    values: NDArray[Any]
    missing: NDArray[np.bool_] | None


def kind_of(dtype: pa.DataType) -> str:
    """Return what a column holds: boolean, integer, float, string or other.

    A column of nothing but nulls counts as one of floats, all of them missing.
    """
    from pyarrow import types

    if types.is_dictionary(dtype):
        return kind_of(dtype.value_type)
    if types.is_boolean(dtype):
        return "boolean"
    if types.is_integer(dtype):
        return "integer"
    if types.is_floating(dtype) or types.is_decimal(dtype) or types.is_null(dtype):
        return "float"
    if types.is_string(dtype) or types.is_large_string(dtype) or types.is_string_view(dtype):
        return "string"
    return "other"


def can_name(dtype: pa.DataType) -> bool:
    """Tell whether values can name models and groups: texts, numbers and times can."""
    from pyarrow import types

    return kind_of(dtype) != "other" or types.is_temporal(dtype)


def numbers(column: pa.Array) -> Values:
    """Return a column of numbers or truth values; NaN is missing, as null is.

    Decimals without a fraction become integers, others doubles; `unholdable` tells which do not
    fit.
    """
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64() if column.type.scale > 0 else pa.int64(), safe=False)
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
    word = pa.float64() if column.type.scale > 0 else pa.int64()
    back = column.cast(word, safe=False).cast(wide, safe=False)
    same = pc.fill_null(pc.equal(back, column.cast(wide)), True)
    return ~as_numpy(same)


def codes(column: pa.Array) -> tuple[NDArray[np.int32], list[Any]]:
    """Return small integers for the values of a column, -1 for null, and what they stand for."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type) and column.dictionary.null_count:
        column = column.dictionary_decode()
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    # Some libraries have unsigned codes.
    found = as_numpy(column.indices.cast(pa.int64()).fill_null(-1))
    return found.astype(np.int32), column.dictionary.to_pylist()


def is_number(text: str) -> bool:
    """Tell whether a text is a number, ``inf`` and ``nan`` among them."""
    try:
        float(text)
    except ValueError:
        return False
    return True
