"""Sets of elements of one universe, named elements or cells of a matrix, and their overlaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

import numpy as np

from isometrics._core.arrays import column, plain
from isometrics._core.parameters import parse_whole
from isometrics._core.results import read_only
from isometrics._core.sample import LARGEST_COUNT
from isometrics.errors import EmptyInputError, LengthError, MembershipError, OneClassError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence, Set

    from numpy.typing import NDArray

    Indices = NDArray[np.int64]


_WORD_BITS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """A set of positions in a universe: a sorted array, or a bitmap where that is smaller.

    A position in an array takes 64 bits, so a bitmap is smaller from one element in 64 on. Both
    forms are intersected without a Python loop over elements.
    """

    size: int
    sorted_indices: Indices | None
    bitmap: NDArray[np.uint64] | None

    @classmethod
    def of_mask(cls, mask: NDArray[np.bool_]) -> Self:
        """Return the set of positions at which a mask is true."""
        size = int(np.count_nonzero(mask))
        if size * _WORD_BITS < mask.size:
            return cls(size, np.flatnonzero(mask), None)
        packed = np.packbits(mask, bitorder="little")
        bitmap = np.zeros(-(-mask.size // _WORD_BITS), np.uint64)
        bitmap.view(np.uint8)[: packed.size] = packed
        return cls(size, None, bitmap)

    @classmethod
    def of_indices(cls, indices: Indices, universe: int, name: str) -> Self:
        """Return the set of positions in any order; refuse a position that occurs twice."""
        if indices.size * _WORD_BITS < universe:
            ordered = np.sort(indices)
            if (ordered[1:] == ordered[:-1]).any():
                _refuse_duplicates(ordered, name)
            return cls(indices.size, ordered, None)
        mask = np.zeros(universe, np.bool_)
        mask[indices] = True
        members = cls.of_mask(mask)
        if members.size != indices.size:
            _refuse_duplicates(np.sort(indices), name)
        return members

    def indices(self) -> Indices:
        """Return the positions, sorted."""
        if self.bitmap is None:
            assert self.sorted_indices is not None
            return self.sorted_indices
        return np.flatnonzero(np.unpackbits(self.bitmap.view(np.uint8), bitorder="little"))

    def overlap(self, other: Positions) -> int:
        """Return the number of positions in both sets."""
        if self.bitmap is not None and other.bitmap is not None:
            return int(np.bitwise_count(self.bitmap & other.bitmap).sum(dtype=np.int64))
        if self.sorted_indices is None:
            return other.overlap(self)
        if other.bitmap is None:
            return n_common(self.sorted_indices, other.indices())
        indices = self.sorted_indices
        octets = other.bitmap.view(np.uint8)[indices >> 3]
        return int(np.count_nonzero((octets >> (indices & 7).astype(np.uint8)) & 1))


def n_common(first: Indices, second: Indices) -> int:
    """Return how many values two sorted arrays without duplicates have in common."""
    short, long = (first, second) if first.size <= second.size else (second, first)
    if short.size == 0:
        return 0
    last = int(max(short[-1], long[-1]))
    if last < _WORD_BITS * short.size:  # dense enough for a mask, which needs no search
        mask = np.zeros(last + 1, np.bool_)
        mask[long] = True
        return int(np.count_nonzero(mask[short]))
    nearest = np.minimum(np.searchsorted(long, short), long.size - 1)
    return int(np.count_nonzero(long[nearest] == short))


def parse_elements(elements: object, universe: int, name: str) -> Positions | frozenset[Any]:
    """Convert a mask or positions; elements that are names are returned as a frozenset."""
    values = _parse_values(elements, name)
    if isinstance(values, frozenset):
        return values
    if values.dtype == np.bool_:
        if values.size != universe:
            raise LengthError(
                f"{name} is a mask of {values.size} elements but the universe has {universe}"
            )
        return Positions.of_mask(values)
    outside = (values < 0) | (values >= universe)
    if outside.any():
        example = plain(values[np.argmax(outside)])
        raise MembershipError(
            f"{name} has elements outside the universe of {universe}: {int(outside.sum())} in all, "
            f"such as {example}; integers are positions from 0 on, so give identifiers as text"
        )
    return Positions.of_indices(values.astype(np.int64), universe, name)


def parse_names(elements: object, name: str) -> frozenset[Any]:
    """Convert a set whose elements are names, which may be integers."""
    values = _parse_values(elements, name)
    if isinstance(values, frozenset):
        return values
    if values.dtype == np.bool_:
        raise MembershipError(
            f"{name} is a mask but other sets name their elements; give all in the same way"
        )
    return _distinct(values.tolist(), name)


def _parse_values(elements: object, name: str) -> NDArray[Any] | frozenset[Any]:
    """Return a boolean mask or integers as an array, other elements as a frozenset."""
    if isinstance(elements, set | frozenset):
        return _parse_set(elements)
    if isinstance(elements, list | tuple):
        return _parse_list(elements, name)
    if isinstance(elements, str | bytes | int | float | complex | np.generic | dict):
        raise MembershipError(
            f"{name} is {elements!r}, which is no set; pass a set, positions or a boolean mask"
        )
    values = column(elements, name).present()
    if values.size == 0:  # the empty set, whatever its type
        return np.zeros(0, np.int64)
    if values.dtype.kind in "fc":
        raise MembershipError(
            f"{name} has the values {plain(values[0])!r}, …; positions are integers, and a mask "
            "is boolean"
        )
    return values if values.dtype.kind in "iub" else _distinct(values.tolist(), name)


def _parse_list(elements: Sequence[Any], name: str) -> NDArray[Any] | frozenset[Any]:
    if len(elements) == 0:
        return np.zeros(0, np.int64)
    try:
        array = np.asarray(elements)
    except ValueError:  # tuples of different lengths are names too
        return _distinct(elements, name)
    return array if array.ndim == 1 and array.dtype.kind in "iub" else _distinct(elements, name)


def _parse_set(elements: Set[Any]) -> NDArray[Any] | frozenset[Any]:
    # Check types first: NumPy would convert {1, "a"} to text, and 1.5 to 1.
    types = set(map(type, elements))
    if all(issubclass(kind, int | np.integer) and kind is not bool for kind in types):
        try:
            return np.fromiter(elements, np.int64, len(elements))
        except OverflowError:
            pass  # an integer beyond 64 bits is a name
    return frozenset(elements)


def _distinct(elements: Collection[Any], name: str) -> frozenset[Any]:
    try:
        names = frozenset(elements)
    except TypeError:
        raise MembershipError(
            f"{name} has elements that cannot be members of a set, such as lists; pass positions, "
            "a boolean mask, names, or universe_size=(rows, columns) for biclusters"
        ) from None
    if len(names) != len(elements):
        duplicate, _ = Counter(elements).most_common(1)[0]
        raise MembershipError(f"{name} has the element {plain(duplicate)!r} more than once")
    return names


def _refuse_duplicates(ordered: Indices, name: str) -> None:
    duplicates = ordered[1:][ordered[1:] == ordered[:-1]]
    raise MembershipError(f"{name} has the element {plain(duplicates[0])!r} more than once")


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class Bicluster:
    """The cells of a matrix in some of its rows and some of its columns.

    Counts and intersections use rows and columns only; the cells are never listed.

    Parameters
    ----------
    rows, columns
        Positions (a list, an array, a set of integers) or a boolean mask. They are stored as sorted
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
        n_rows, n_columns = parse_shape(shape, "shape")
        # The class is frozen, because a bicluster is a value.
        object.__setattr__(self, "rows", _parse_axis(rows, n_rows, "rows"))
        object.__setattr__(self, "columns", _parse_axis(columns, n_columns, "columns"))
        object.__setattr__(self, "shape", (n_rows, n_columns))

    @property
    def size(self) -> int:
        """The number of cells."""
        return self.rows.size * self.columns.size

    def __and__(self, other: object) -> Bicluster:
        """Return the intersection, which is a bicluster too."""
        if not isinstance(other, Bicluster):
            return NotImplemented
        self._check_same_shape(other)
        return Bicluster(
            np.intersect1d(self.rows, other.rows, assume_unique=True),
            np.intersect1d(self.columns, other.columns, assume_unique=True),
            self.shape,
        )

    def overlap(self, other: Bicluster) -> int:
        """Return the number of cells in both: common rows times common columns."""
        self._check_same_shape(other)
        return n_common(self.rows, other.rows) * n_common(self.columns, other.columns)

    def overlap_with_cells(self, cells: Indices) -> int:
        """Return how many of these cells, numbered row by row, are in the bicluster."""
        in_rows, in_columns = np.zeros(self.shape[0], np.bool_), np.zeros(self.shape[1], np.bool_)
        in_rows[self.rows] = in_columns[self.columns] = True
        row_index, column_index = np.divmod(cells, self.shape[1])
        return int(np.count_nonzero(in_rows[row_index] & in_columns[column_index]))

    def _check_same_shape(self, other: Bicluster) -> None:
        if self.shape != other.shape:
            raise MembershipError(
                f"one bicluster belongs to a matrix of shape {self.shape} and another to one of "
                f"shape {other.shape}"
            )

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


def parse_shape(shape: object, name: str) -> tuple[int, int]:
    """Convert the shape of a matrix: two whole numbers, 1 or more."""
    if isinstance(shape, tuple | list) and len(shape) == 2:
        rows, columns = map(parse_whole, shape)
        if rows is not None and columns is not None and min(rows, columns) > 0:
            return rows, columns
    raise MembershipError(
        f"must be two whole numbers, rows and columns, 1 or more, but is {shape!r}", parameter=name
    )


def _parse_axis(elements: object, length: int, name: str) -> Indices:
    positions = parse_elements(elements, length, name)
    if isinstance(positions, frozenset):
        raise MembershipError(f"{name} must be positions or a boolean mask, not names")
    indices = positions.indices().astype(np.int64)  # a copy: the user's array stays writable
    return read_only(indices)


Members: TypeAlias = Positions | Bicluster
UniverseSize: TypeAlias = int | tuple[int, int]


class Family(NamedTuple):
    """Several sets of one universe, with their labels."""

    members: tuple[Members, ...]
    labels: tuple[object, ...]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of elements of each set."""
        return np.array([members.size for members in self.members], np.int64)


class RawSets(NamedTuple):
    """Sets as the user passed them, their labels, and their names in error messages."""

    sets: list[object]
    labels: tuple[object, ...]
    names: list[str]


def parse_sets(sets: object, name: str, labels: Sequence[object] | None = None) -> RawSets:
    """Split a list or a dict into its sets; the keys of a dict are labels."""
    if isinstance(sets, Mapping):
        if labels is not None:
            raise MembershipError(f"{name} is a dict whose keys are labels; leave out labels=")
        keys: tuple[object, ...] = tuple(sets)
        values = list(sets.values())
    elif isinstance(sets, list | tuple) or (isinstance(sets, np.ndarray) and sets.ndim > 0):
        values = list(sets)
        keys = tuple(range(len(values)))
    else:
        raise MembershipError(
            f"must be a list or a dict of sets but is a {type(sets).__name__}", parameter=name
        )
    if not values:
        raise EmptyInputError(f"{name} is empty; at least one set is needed")
    names = [f"{name}[{key!r}]" for key in keys]
    if labels is not None:
        if not isinstance(labels, list | tuple):
            labels = column(labels, "labels").present().tolist()
        if len(labels) != len(values):
            raise LengthError(f"labels has {len(labels)} values but {name} has {len(values)}")
        keys = tuple(labels)
    return RawSets(values, keys, names)


def parse_families(
    first: RawSets, second: RawSets, universe_size: UniverseSize
) -> tuple[Family, Family, int]:
    """Convert two families of sets of one universe; return them and the size of the universe."""
    sets = [*first.sets, *second.sets]
    names = [*first.names, *second.names]
    shape = _parse_universe_shape(sets, names, universe_size)
    if shape is None:
        size = _parse_universe_size(universe_size)
        members = _parse_elements_of_all(sets, names, size)
    else:
        size = _parse_universe_size(shape[0] * shape[1])
        members = [
            _parse_cells(cells, shape, name) for cells, name in zip(sets, names, strict=True)
        ]
    n_first = len(first.sets)
    return (
        Family(tuple(members[:n_first]), first.labels),
        Family(tuple(members[n_first:]), second.labels),
        size,
    )


def refuse_trivial(family: Family, names: Sequence[str], universe: int) -> None:
    """Refuse targets that leave no positives or no negatives."""
    for members, name in zip(family.members, names, strict=True):
        if members.size == 0:
            raise OneClassError(f"{name} is empty; a target needs at least one element")
        if members.size == universe:
            raise OneClassError(
                f"{name} is the whole universe of {universe} elements; a target must leave some out"
            )


def overlap(first: Members, second: Members) -> int:
    """Return the number of elements in both sets."""
    if isinstance(first, Bicluster):
        if isinstance(second, Bicluster):
            return first.overlap(second)
        return first.overlap_with_cells(second.indices())
    if isinstance(second, Bicluster):
        return second.overlap_with_cells(first.indices())
    return first.overlap(second)


def overlaps(first: Family, second: Family) -> NDArray[np.int64]:
    """Return the number of common elements of every pair of sets, one row for each first set.

    If all sets have few elements, they are multiplied as sparse matrices, so that pairs without a
    common element cost nothing; otherwise they are compared pair by pair, 64 elements at once.
    """
    both = (*first.members, *second.members)
    indices = [
        members.sorted_indices
        for members in both
        if isinstance(members, Positions) and members.sorted_indices is not None
    ]
    if len(indices) < len(both):
        return np.array([[overlap(a, b) for b in second.members] for a in first.members], np.int64)
    from scipy.sparse import csr_array

    # The universe may be far larger than the number of positions in use, so these are renumbered.
    used, columns = np.unique(np.concatenate(indices), return_inverse=True)
    ends = np.concatenate([[0], np.cumsum([array.size for array in indices])])
    incidence = csr_array(
        (np.ones(columns.size, np.int64), columns, ends), shape=(len(indices), used.size)
    )
    n_first = len(first.members)
    return np.asarray((incidence[:n_first] @ incidence[n_first:].T).toarray())


def _parse_universe_shape(
    sets: Sequence[object], names: Sequence[str], universe_size: UniverseSize
) -> tuple[int, int] | None:
    """Return the shape of the matrix whose cells are the universe, or None if it is no matrix."""
    shapes = {
        members.shape: name
        for members, name in zip(sets, names, strict=True)
        if isinstance(members, Bicluster)
    }
    if isinstance(universe_size, tuple | list):
        shapes |= {parse_shape(universe_size, "universe_size"): "universe_size"}
    if len(shapes) > 1:
        listed = " but ".join(f"{name} has the shape {shape}" for shape, name in shapes.items())
        raise MembershipError(f"all biclusters must belong to one matrix: {listed}")
    if not shapes:
        return None
    (shape,) = shapes
    if not isinstance(universe_size, tuple | list) and universe_size != shape[0] * shape[1]:
        raise MembershipError(
            f"a matrix of shape {shape} has {shape[0] * shape[1]} cells but universe_size is "
            f"{universe_size!r}"
        )
    return shape


def _parse_universe_size(universe_size: object) -> int:
    size = parse_whole(universe_size)
    if size is None or not 0 < size <= LARGEST_COUNT:
        raise MembershipError(
            f"must be a whole number between 1 and 2**53 but is {universe_size!r}",
            parameter="universe_size",
        )
    return size


def _parse_elements_of_all(
    sets: Sequence[object], names: Sequence[str], universe: int
) -> list[Members]:
    """Convert sets of elements; if one of them has names for elements, all have names."""
    members: list[Members] = []
    for elements, name in zip(sets, names, strict=True):
        positions = parse_elements(elements, universe, name)
        if isinstance(positions, frozenset):
            return _number_names(sets, names, universe)
        members.append(positions)
    return members


def _number_names(sets: Sequence[object], names: Sequence[str], universe: int) -> list[Members]:
    """Convert sets of names, with an arbitrary position for each name."""
    named = [parse_names(elements, name) for elements, name in zip(sets, names, strict=True)]
    position = {element: k for k, element in enumerate(frozenset().union(*named))}
    if len(position) > universe:
        raise MembershipError(
            f"the sets have {len(position)} different elements but universe_size is {universe}"
        )
    return [
        Positions.of_indices(
            np.fromiter(map(position.__getitem__, elements), np.int64, len(elements)),
            universe,
            name,
        )
        for elements, name in zip(named, names, strict=True)
    ]


def _parse_cells(raw: object, shape: tuple[int, int], name: str) -> Members:
    """Convert a bicluster, (rows, columns), a list of cells or a mask of the whole matrix."""
    if isinstance(raw, Bicluster):
        return raw
    if isinstance(raw, tuple):
        if len(raw) != 2:
            raise MembershipError(
                f"{name} is a tuple of {len(raw)}; a bicluster is a tuple (rows, columns), and "
                "single cells are a list of pairs"
            )
        try:
            return Bicluster(*raw, shape)
        except (MembershipError, LengthError) as error:
            raise error.within(name) from None
    try:
        cells = np.asarray(list(raw) if isinstance(raw, set | frozenset) else raw)
    except ValueError:
        cells = np.asarray(None)  # rows of different lengths
    if cells.dtype == np.bool_ and cells.shape == shape:
        return Positions.of_mask(cells.ravel())
    if cells.size == 0:
        return Positions.of_indices(np.zeros(0, np.int64), shape[0] * shape[1], name)
    if cells.ndim != 2 or cells.shape[1] != 2 or cells.dtype.kind not in "iu":
        raise MembershipError(
            f"{name} must be a Bicluster, a tuple (rows, columns), a list of cells (row, column) "
            f"or a boolean mask of shape {shape}"
        )
    outside = ((cells < 0) | (cells >= np.array(shape))).any(axis=1)
    if outside.any():
        example = tuple(cells[np.argmax(outside)].tolist())
        raise MembershipError(
            f"{name} has cells outside the matrix of shape {shape}: {int(outside.sum())} in all, "
            f"such as {example}"
        )
    indices = cells[:, 0].astype(np.int64) * shape[1] + cells[:, 1].astype(np.int64)
    return Positions.of_indices(indices, shape[0] * shape[1], name)
