"""A bicluster: some rows and some columns of a matrix, and the cells where they cross."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.errors import MembershipError
from isometrics.membership import common, positions_of
from isometrics.parameters import parse_whole
from isometrics.values import read_only

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from isometrics.membership import Indices


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class Bicluster:
    """The cells of a matrix where some of its rows cross some of its columns.

    Counts and intersections use rows and columns alone; the cells are never listed.

    Parameters
    ----------
    rows, columns
        Positions (a list, an array, a set of integers) or a boolean mask. They are kept as sorted
        read-only arrays of positions.
    shape
        The numbers of rows and columns of the matrix.

    Examples
    --------
    >>> import isometrics as iso
    >>> target = iso.Bicluster([0, 1, 2], [0, 1], shape=(6, 4))
    >>> found = iso.Bicluster([1, 2, 3], [True, False, True, False], shape=(6, 4))
    >>> found
    Bicluster: 3 rows × 2 columns of a 6 × 4 matrix
    >>> target.size, found.size, target.overlap(found)
    (6, 6, 2)
    >>> (target & found).rows
    array([1, 2])
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    shape: tuple[int, int]

    def __init__(self, rows: object, columns: object, shape: tuple[int, int]) -> None:
        cleaned = clean_shape(shape, "shape")
        # The class is frozen, so that a bicluster is a value.
        object.__setattr__(self, "rows", _side(rows, cleaned[0], "rows"))
        object.__setattr__(self, "columns", _side(columns, cleaned[1], "columns"))
        object.__setattr__(self, "shape", cleaned)

    @property
    def size(self) -> int:
        """The number of cells."""
        return self.rows.size * self.columns.size

    def __and__(self, other: object) -> Bicluster:
        """Return the cells of both, which are a bicluster again."""
        if not isinstance(other, Bicluster):
            return NotImplemented
        return Bicluster(
            np.intersect1d(self.rows, other._of(self.shape).rows, assume_unique=True),
            np.intersect1d(self.columns, other.columns, assume_unique=True),
            self.shape,
        )

    def overlap(self, other: Bicluster) -> int:
        """Return the number of cells in both: common rows times common columns."""
        other = other._of(self.shape)
        return common(self.rows, other.rows) * common(self.columns, other.columns)

    def overlap_with_cells(self, cells: Indices) -> int:
        """Return how many of some cells, numbered row by row, are in the bicluster."""
        in_rows, in_columns = np.zeros(self.shape[0], np.bool_), np.zeros(self.shape[1], np.bool_)
        in_rows[self.rows] = in_columns[self.columns] = True
        row, place = np.divmod(cells, self.shape[1])
        return int(np.count_nonzero(in_rows[row] & in_columns[place]))

    def _of(self, shape: tuple[int, int]) -> Bicluster:
        if self.shape != shape:
            raise MembershipError(
                f"one bicluster belongs to a matrix of shape {shape} and another to one of shape "
                f"{self.shape}"
            )
        return self

    def __eq__(self, other: object) -> bool:
        """Biclusters are equal when rows, columns and shape are."""
        if not isinstance(other, Bicluster):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        """Hash by value."""
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return self.rows.tobytes(), self.columns.tobytes(), self.shape

    def __reduce__(self) -> tuple[Callable[..., Bicluster], tuple[Any, ...]]:
        """Copy and pickle by value, through the constructor that locks the arrays."""
        return Bicluster, (self.rows, self.columns, self.shape)

    def __repr__(self) -> str:
        """Return the numbers of rows and columns."""
        return (
            f"Bicluster: {self.rows.size} rows × {self.columns.size} columns of a "
            f"{self.shape[0]} × {self.shape[1]} matrix"
        )


def clean_shape(given: object, name: str) -> tuple[int, int]:
    """Check the shape of a matrix: two whole numbers, 1 or more."""
    if isinstance(given, tuple | list) and len(given) == 2:
        rows, columns = map(parse_whole, given)
        if rows is not None and columns is not None and min(rows, columns) > 0:
            return rows, columns
    raise MembershipError(
        f"{name} must be two whole numbers, rows and columns, 1 or more, but is {given!r}"
    )


def _side(given: object, length: int, name: str) -> Indices:
    members = positions_of(given, length, name)
    if isinstance(members, frozenset):
        raise MembershipError(f"{name} must be positions or a boolean mask, not names")
    indices = members.indices().astype(np.int64)  # a copy: the given array stays writable
    return read_only(indices)
