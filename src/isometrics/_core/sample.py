"""A sample: labels, the scores of each model, weights and groups, all of them valid.

A group is called what its value prints as. Groups are sorted by value: numbers by size, times by
time, texts by code point. A category without rows is no group. Missing values are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.counts import countable
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Column, Counts


UNNAMED = ""
"""The name of a model that was given without one."""


class Sample(NamedTuple):
    """Validated rows: each array has one entry for each row of non-zero weight.

    A batch of a longer source is a sample too. Arrays may be those of a device; such a sample has
    one model, and neither weights nor groups.
    """

    labels: NDArray[np.bool_]
    """Whether each row is positive."""
    scores: dict[str, NDArray[Any]]
    """The scores of each model, by name."""
    weights: Counts | None = None
    groups: Groups | None = None

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.labels.shape[0])

    @property
    def nbytes(self) -> int:
        """The memory that the arrays take."""
        arrays = [self.labels, *self.scores.values()]
        arrays += [] if self.weights is None else [self.weights]
        arrays += [] if self.groups is None else [self.groups.codes]
        return sum(array.nbytes for array in arrays)

    @property
    def only_scores(self) -> NDArray[Any]:
        """The scores of the only model."""
        (scores,) = self.scores.values()
        return scores

    def of_model(self, name: str) -> Sample:
        """Return the rows with the scores of one model."""
        return self._replace(scores={name: self.scores[name]})

    def take(self, rows: NDArray[np.intp]) -> Sample:
        """Return some rows."""
        return Sample(
            self.labels[rows],
            {name: scores[rows] for name, scores in self.scores.items()},
            None if self.weights is None else self.weights[rows],
            None if self.groups is None else self.groups.take(rows),
        )

    def split_by_group(self) -> dict[str, Sample]:
        """Return the rows of each group, the groups sorted by value; none without groups."""
        if self.groups is None:
            return {}
        alone = self._replace(groups=None)
        return {name: alone.take(rows) for name, rows in self.groups.row_index().items()}

    @classmethod
    def joined(cls, batches: Sequence[Sample]) -> Sample:
        """Return all rows of the batches of one source, in their order."""
        weights = [batch.weights for batch in batches if batch.weights is not None]
        groups = [batch.groups for batch in batches if batch.groups is not None]
        return cls(
            np.concatenate([batch.labels for batch in batches]),
            {
                name: np.concatenate([batch.scores[name] for batch in batches])
                for name in batches[0].scores
            },
            countable(np.concatenate(weights)) if weights else None,
            # Batches of one source share their names.
            groups[0]._replace(codes=np.concatenate([each.codes for each in groups])).in_order()
            if groups
            else None,
        )


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
        if values.dtype.kind in "OT":
            listed = values.tolist()
            code_of = {value: code for code, value in enumerate(dict.fromkeys(listed))}
            distinct = list(code_of)
            codes = np.fromiter(map(code_of.__getitem__, listed), np.intp, len(listed))
        else:
            different, codes = np.unique(values, return_inverse=True)
            distinct = python_values(different)
        names = GroupNames(column.name)
        return cls(names.encode(distinct)[codes], names).in_order()

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

    def groups_of(self, column: Column) -> Groups:
        """Return the groups of a batch, whose values are coded; some categories may have no row."""
        categories = column.categories or []
        used = np.flatnonzero(np.bincount(column.values, minlength=len(categories)))
        codes = np.zeros(len(categories), np.int32)
        codes[used] = self.encode(categories[code] for code in used)
        return Groups(codes[column.values], self)

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
    kind = values.dtype.kind
    if kind not in "mM":
        return list(values)
    if np.datetime_data(values.dtype)[0] == "D":
        return list(values.astype(object))
    times = values.astype(f"{kind}8[us]")
    if (times != values).any():
        raise ParameterError(NANOSECONDS)
    return list(times.astype(object))


NANOSECONDS = "groups and models cannot be named by nanoseconds; round their times to microseconds"
