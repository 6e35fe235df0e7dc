"""Columns of Arrow as lists of Python, whatever they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


def python_values(column: pa.Array) -> list[object]:
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
