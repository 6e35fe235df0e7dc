"""The one rule for columns that name groups or models: their names, their order, their rows.

A group is called what its value prints as. Groups are sorted by value: numbers by size, times by
time, texts by code point. A category without rows is no group. Whoever reads a column refuses
missing values first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from numpy.typing import NDArray


class GroupNames:
    """The values of one column, collected over its batches.

    Parameters
    ----------
    column
        What errors call the column.

    Examples
    --------
    >>> names = GroupNames("site")
    >>> codes = names.codes_of([10, 9])[[0, 1, 1, 0]]
    >>> {name: rows.tolist() for name, rows in names.rows_by_group(codes).items()}
    {'9': [1, 2], '10': [0, 3]}
    """

    def __init__(self, column: str) -> None:
        self._column = column
        self._codes: dict[str, int] = {}
        self._values: list[Any] = []

    def __len__(self) -> int:
        """Return the number of different values."""
        return len(self._values)

    def codes_of(self, values: Iterable[Any]) -> NDArray[np.intp]:
        """Return the code of each value; a value has the same code in every batch."""
        return np.array([self._code(value) for value in values], np.intp)

    def _code(self, value: Any) -> int:
        if isinstance(value, float | np.floating):
            # The two zeros are one value.
            value = value + type(value)(0)
        name = str(value)
        code = self._codes.setdefault(name, len(self._values))
        if code == len(self._values):
            self._values.append(value)
        elif self._values[code] != value:
            raise ParameterError(
                f"{self._column} has {self._values[code]!r} and {value!r}, which read the same; "
                "make them one value, or two that differ"
            )
        return code

    def in_order(self) -> tuple[list[str], NDArray[np.intp]]:
        """Return the names sorted by value, and for each code the rank of its name."""
        codes = list(range(len(self._values)))
        names = list(self._codes)
        try:
            order = sorted(codes, key=self._values.__getitem__)
        except TypeError:
            order = sorted(codes, key=names.__getitem__)
        ranks = np.empty(len(order), np.intp)
        ranks[order] = codes
        return [names[code] for code in order], ranks

    def rows_by_group(self, codes: NDArray[np.integer[Any]]) -> dict[str, NDArray[np.intp]]:
        """Return the rows of each group that has any, the groups sorted by value."""
        names, ranks = self.in_order()
        ranked = ranks[codes]
        order = np.argsort(ranked, kind="stable")
        starts = np.flatnonzero(np.diff(ranked[order], prepend=-1))
        ends = np.append(starts, order.size)[1:]
        return {
            names[ranked[order[start]]]: order[start:end]
            for start, end in zip(starts, ends, strict=True)
        }


def python_values(values: NDArray[Any]) -> list[Any]:
    """Return NumPy values as values that print the same from every source.

    Times become those of Python; float32 stays as it is, because 0.1 would print as 0.10000000149.
    """
    if values.dtype.kind not in "mM":
        return list(values)
    unit, _ = np.datetime_data(values.dtype)
    if unit in ("h", "m", "s", "ms"):
        values = values.astype(f"{values.dtype.kind}8[us]")
    if unit == "ns":
        return _of_nanoseconds(values)
    return list(values.astype(object)) if unit in _OF_PYTHON else list(map(str, values))


_OF_PYTHON = ("D", "h", "m", "s", "ms", "us")
"""The units of times that Python has."""


def _of_nanoseconds(values: NDArray[Any]) -> list[Any]:
    kind = values.dtype.kind
    times = values.astype(f"{kind}8[us]")
    if (times == values).all():
        return list(times.astype(object))
    nanoseconds = values.astype(np.int64)
    if kind == "m":
        return [f"{each} ns" for each in nanoseconds.tolist()]
    return [
        with_nanoseconds(time, nanosecond % 1000)
        for time, nanosecond in zip(times.astype(object), nanoseconds.tolist(), strict=True)
    ]


def with_nanoseconds(time: datetime, nanosecond: int) -> str:
    """Return a time as text, with the digits that Python's times lack.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> with_nanoseconds(datetime(2026, 1, 1, tzinfo=UTC), 5)
    '2026-01-01 00:00:00.000000005+00:00'
    """
    text = time.isoformat(" ", "microseconds")
    end = len("2026-01-01 00:00:00.000000")
    return f"{text[:end]}{nanosecond:03}{text[end:]}"
