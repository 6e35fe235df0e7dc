"""Groups of rows: the names, the order and the rows of groups, from a column or its batches.

A group is called what its value prints as. Groups are sorted by value: numbers by size, times by
time, texts by code point. A category without rows is no group. Missing values are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from isometrics._core.arrays import Column


class Groups(NamedTuple):
    """The group of each row.

    Examples
    --------
    >>> from isometrics._core.arrays import column
    >>> groups = Groups.of_column(column([10, 9, 9, 10], "site"))
    >>> {name: rows.tolist() for name, rows in groups.row_index().items()}
    {'9': [1, 2], '10': [0, 3]}
    """

    codes: NDArray[np.integer[Any]]
    """A code for each row."""
    names: GroupNames
    """The names that codes stand for; batches of one column share them."""

    @classmethod
    def of_column(cls, column: Column) -> Groups:
        """Return the groups that a column names, in their order; missing values are refused."""
        values = column.present()
        if values.dtype.kind in "iuU":
            distinct, codes = np.unique(values, return_inverse=True)
            return cls(codes, GroupNames.of_sorted(column.name, distinct.tolist()))
        names = GroupNames(column.name)
        if values.dtype.kind not in "OT":
            distinct, codes = np.unique(values, return_inverse=True)
            return cls(names.encode(python_values(distinct))[codes], names).in_order()
        listed = values.tolist()
        if set(map(type, listed)) != {str}:
            return cls(names.encode(listed), names).in_order()
        texts = sorted(set(listed))
        code_of = {text: code for code, text in enumerate(texts)}
        codes = np.fromiter(map(code_of.__getitem__, listed), np.intp, len(listed))
        return cls(codes, GroupNames.of_sorted(column.name, texts))

    @classmethod
    def joined(cls, batches: Sequence[Groups]) -> Groups:
        """Return the groups of batches that share their names."""
        return batches[0]._replace(codes=np.concatenate([batch.codes for batch in batches]))

    def in_order(self) -> Groups:
        """Return the same groups with codes in the order of their values."""
        names, ranks = self.names.in_order()
        return Groups(ranks[self.codes], names)

    def take(self, rows: NDArray[np.intp]) -> Groups:
        """Return the groups of some rows."""
        return self._replace(codes=self.codes[rows])

    def row_index(self) -> dict[str, NDArray[np.intp]]:
        """Return the rows of each group that has any, the groups sorted by value."""
        names, ranks = self.names.in_order()
        ranked = ranks[self.codes]
        order = np.argsort(ranked, kind="stable")
        starts = np.flatnonzero(np.diff(ranked[order], prepend=-1))
        ends = np.append(starts, order.size)[1:]
        texts = list(names)
        return {
            texts[ranked[order[start]]]: order[start:end]
            for start, end in zip(starts, ends, strict=True)
        }


class GroupNames:
    """The values of one column, collected over its batches.

    Parameters
    ----------
    column
        What errors call the column.
    """

    def __init__(self, column: str) -> None:
        self._column = column
        self._codes: dict[str, int] = {}
        self._values: list[Any] = []

    @classmethod
    def of_sorted(cls, column: str, values: list[Any]) -> GroupNames:
        """Return the names of distinct integers or texts, no two of which print the same."""
        names = cls(column)
        names._codes = {str(value): code for code, value in enumerate(values)}
        names._values = values
        return names

    def __len__(self) -> int:
        """Return the number of different values."""
        return len(self._values)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names in the order of their codes."""
        return iter(self._codes)

    def __eq__(self, other: object) -> bool:
        """Compare the names by their codes."""
        return isinstance(other, GroupNames) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def encode(self, values: Iterable[Any]) -> NDArray[np.intp]:
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

    def in_order(self) -> tuple[GroupNames, NDArray[np.intp]]:
        """Return the names sorted by value, and for each code of these the code in order."""
        codes = list(range(len(self._values)))
        names = list(self._codes)
        try:
            order = sorted(codes, key=self._values.__getitem__)
        except TypeError:
            order = sorted(codes, key=names.__getitem__)
        ranks = np.empty(len(order), np.intp)
        ranks[order] = codes
        ordered = GroupNames(self._column)
        ordered._codes = {names[code]: rank for rank, code in enumerate(order)}
        ordered._values = [self._values[code] for code in order]
        return ordered, ranks


def split_sizes(sizes: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return the first group of each block, and at last the number of groups.

    The groups of a block have at most `most` in all, unless it is a single group.

    Examples
    --------
    >>> split_sizes(np.array([3, 4, 9, 1, 2, 2]), 7).tolist()
    [0, 2, 3, 6]
    """
    borders, filled = [0], 0
    for group, size in enumerate(sizes.tolist()):
        if filled + size > most and group > borders[-1]:
            borders.append(group)
            filled = 0
        filled += size
    return np.array([*borders, sizes.size], np.int64)


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
