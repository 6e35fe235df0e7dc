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


_WORD = 64


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """A set of positions in a universe: sorted while they are few, else one bit an element.

    A sorted position takes 64 bits, so bits are smaller from one element in 64 on. Both forms
    intersect without a loop over elements.
    """

    size: int
    few: Indices | None
    bits: NDArray[np.uint64] | None

    @classmethod
    def of_mask(cls, mask: NDArray[np.bool_]) -> Self:
        """Take the positions where a mask is true."""
        size = int(np.count_nonzero(mask))
        if size * _WORD < mask.size:
            return cls(size, np.flatnonzero(mask), None)
        packed = np.packbits(mask, bitorder="little")
        bits = np.zeros(-(-mask.size // _WORD), np.uint64)
        bits.view(np.uint8)[: packed.size] = packed
        return cls(size, None, bits)

    @classmethod
    def of_indices(cls, indices: Indices, universe: int, name: str) -> Self:
        """Take positions within the universe, in any order; none may come twice."""
        if indices.size * _WORD < universe:
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
        if self.bits is None:
            assert self.few is not None
            return self.few
        return np.flatnonzero(np.unpackbits(self.bits.view(np.uint8), bitorder="little"))

    def overlap(self, other: Positions) -> int:
        """Return the number of positions in both sets."""
        if self.bits is not None and other.bits is not None:
            return int(np.bitwise_count(self.bits & other.bits).sum(dtype=np.int64))
        if self.few is None:
            return other.overlap(self)
        if other.bits is None:
            return common(self.few, other.indices())
        octets = other.bits.view(np.uint8)[self.few >> 3]
        return int(np.count_nonzero((octets >> (self.few & 7).astype(np.uint8)) & 1))


def common(one: Indices, other: Indices) -> int:
    """Return how many values two sorted arrays without duplicates share."""
    few, many = (one, other) if one.size <= other.size else (other, one)
    if few.size == 0:
        return 0
    last = int(max(few[-1], many[-1]))
    if last < _WORD * few.size:  # dense enough for a mask, which needs no search
        mask = np.zeros(last + 1, np.bool_)
        mask[many] = True
        return int(np.count_nonzero(mask[few]))
    places = np.minimum(np.searchsorted(many, few), many.size - 1)
    return int(np.count_nonzero(many[places] == few))


def positions_of(given: object, universe: int, name: str) -> Positions | frozenset[Any]:
    """Read a mask or positions; elements that are names come back as a plain set."""
    values = _values(given, name)
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


def names_of(given: object, name: str) -> frozenset[Any]:
    """Read a set whose elements are names, integers among them."""
    values = _values(given, name)
    if isinstance(values, frozenset):
        return values
    if values.dtype == np.bool_:
        raise MembershipError(
            f"{name} is a mask but other sets name their elements; give all in the same way"
        )
    return _distinct(values.tolist(), name)


def _values(given: object, name: str) -> NDArray[Any] | frozenset[Any]:
    """Return a boolean mask or integers as an array, other elements as a set."""
    if isinstance(given, set | frozenset):
        return _integers_or_names(given)
    if isinstance(given, list | tuple):
        return _of_list(given, name)
    if isinstance(given, str | bytes | int | float | complex | np.generic | dict):
        raise MembershipError(
            f"{name} is {given!r}, which is no set; pass a set, positions or a boolean mask"
        )
    values = column(given, name).present()
    if values.size == 0:  # of whatever type, it is the empty set
        return np.zeros(0, np.int64)
    if values.dtype.kind in "fc":
        raise MembershipError(
            f"{name} has the values {plain(values[0])!r}, …; positions are integers, and a mask "
            "is boolean"
        )
    return values if values.dtype.kind in "iub" else _distinct(values.tolist(), name)


def _of_list(given: Sequence[Any], name: str) -> NDArray[Any] | frozenset[Any]:
    if len(given) == 0:
        return np.zeros(0, np.int64)
    try:
        array = np.asarray(given)
    except ValueError:  # tuples of different lengths are names too
        return _distinct(given, name)
    return array if array.ndim == 1 and array.dtype.kind in "iub" else _distinct(given, name)


def _integers_or_names(given: Set[Any]) -> NDArray[Any] | frozenset[Any]:
    # Types are compared first: NumPy would make text of {1, "a"}, and 1 of 1.5.
    if all(issubclass(one, int | np.integer) and one is not bool for one in set(map(type, given))):
        try:
            return np.fromiter(given, np.int64, len(given))
        except OverflowError:
            pass  # beyond 64 bits, an integer is a name
    return frozenset(given)


def _distinct(given: Collection[Any], name: str) -> frozenset[Any]:
    try:
        names = frozenset(given)
    except TypeError:
        raise MembershipError(
            f"{name} has elements that cannot be members of a set, such as lists; pass positions, "
            "a boolean mask, names, or universe_size=(rows, columns) for biclusters"
        ) from None
    if len(names) != len(given):
        twice, _ = Counter(given).most_common(1)[0]
        raise MembershipError(f"{name} has the element {plain(twice)!r} more than once")
    return names


def _refuse_duplicates(ordered: Indices, name: str) -> None:
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    raise MembershipError(f"{name} has the element {plain(twice[0])!r} more than once")


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
        cleaned = parse_shape(shape, "shape")
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


def parse_shape(given: object, name: str) -> tuple[int, int]:
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


Members: TypeAlias = Positions | Bicluster
UniverseSize: TypeAlias = int | tuple[int, int]


class Family(NamedTuple):
    """Some sets of one universe, with their labels."""

    members: tuple[Members, ...]
    labels: tuple[object, ...]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of elements of each set."""
        return np.array([one.size for one in self.members], np.int64)


class Given(NamedTuple):
    """Sets as the user gave them: labels, and the words that errors call them by."""

    sets: list[object]
    labels: tuple[object, ...]
    names: list[str]


def as_given(sets: object, name: str, labels: Sequence[object] | None = None) -> Given:
    """Take a list or a dict of sets apart; the keys of a dict are labels."""
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
            f"{name} must be a list or a dict of sets but is a {type(sets).__name__}"
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
    return Given(values, keys, names)


def read(first: Given, second: Given, universe_size: UniverseSize) -> tuple[Family, Family, int]:
    """Read two families of one universe, and its size."""
    sets = [*first.sets, *second.sets]
    names = [*first.names, *second.names]
    shape = _shape(sets, names, universe_size)
    if shape is None:
        size = _check_size(universe_size)
        members = _elements(sets, names, size)
    else:
        size = _check_size(shape[0] * shape[1])
        members = [_cells(one, shape, name) for one, name in zip(sets, names, strict=True)]
    split = len(first.sets)
    return (
        Family(tuple(members[:split]), first.labels),
        Family(tuple(members[split:]), second.labels),
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


def overlap(one: Members, other: Members) -> int:
    """Return the number of elements in both sets."""
    if isinstance(one, Bicluster):
        if isinstance(other, Bicluster):
            return one.overlap(other)
        return one.overlap_with_cells(other.indices())
    if isinstance(other, Bicluster):
        return other.overlap_with_cells(one.indices())
    return one.overlap(other)


def overlaps(first: Family, second: Family) -> NDArray[np.int64]:
    """Return the number of common elements of every pair of sets, one row for each first set.

    Sets with few elements are multiplied as sparse matrices, so that pairs without a common
    element cost nothing; large ones are compared pair by pair, 64 elements at once.
    """
    both = (*first.members, *second.members)
    few = [one.few for one in both if isinstance(one, Positions) and one.few is not None]
    if len(few) < len(both):
        return np.array(
            [[overlap(one, other) for other in second.members] for one in first.members], np.int64
        )
    from scipy.sparse import csr_array

    # The universe may be far larger than the number of positions in use, so these are renumbered.
    used, columns = np.unique(np.concatenate(few), return_inverse=True)
    ends = np.concatenate([[0], np.cumsum([one.size for one in few])])
    incidence = csr_array(
        (np.ones(columns.size, np.int64), columns, ends), shape=(len(few), used.size)
    )
    split = len(first.members)
    return np.asarray((incidence[:split] @ incidence[split:].T).toarray())


def _shape(
    sets: Sequence[object], names: Sequence[str], universe_size: UniverseSize
) -> tuple[int, int] | None:
    """Return the shape of the matrix whose cells are the universe, if it is one."""
    shapes = {
        one.shape: name for one, name in zip(sets, names, strict=True) if isinstance(one, Bicluster)
    }
    if isinstance(universe_size, tuple | list):
        shapes |= {parse_shape(universe_size, "universe_size"): "universe_size"}
    if len(shapes) > 1:
        said = " but ".join(f"{name} has the shape {shape}" for shape, name in shapes.items())
        raise MembershipError(f"all biclusters must belong to one matrix: {said}")
    if not shapes:
        return None
    (shape,) = shapes
    if not isinstance(universe_size, tuple | list) and universe_size != shape[0] * shape[1]:
        raise MembershipError(
            f"a matrix of shape {shape} has {shape[0] * shape[1]} cells but universe_size is "
            f"{universe_size!r}"
        )
    return shape


def _check_size(given: object) -> int:
    size = parse_whole(given)
    if size is None or not 0 < size <= LARGEST_COUNT:
        raise MembershipError(
            f"universe_size must be a whole number between 1 and 2**53 but is {given!r}"
        )
    return size


def _elements(sets: Sequence[object], names: Sequence[str], universe: int) -> list[Members]:
    """Read sets of elements; as soon as one names its elements, all are read as names."""
    members: list[Members] = []
    for one, name in zip(sets, names, strict=True):
        found = positions_of(one, universe, name)
        if isinstance(found, frozenset):
            return _named_elements(sets, names, universe)
        members.append(found)
    return members


def _named_elements(sets: Sequence[object], names: Sequence[str], universe: int) -> list[Members]:
    """Give every name a number: intersections do not depend on which."""
    named = [names_of(one, name) for one, name in zip(sets, names, strict=True)]
    places = {name: place for place, name in enumerate(frozenset().union(*named))}
    if len(places) > universe:
        raise MembershipError(
            f"the sets have {len(places)} different elements but universe_size is {universe}"
        )
    return [
        Positions.of_indices(
            np.fromiter(map(places.__getitem__, each), np.int64, len(each)), universe, name
        )
        for each, name in zip(named, names, strict=True)
    ]


def _cells(given: object, shape: tuple[int, int], name: str) -> Members:
    """Read a bicluster, (rows, columns), a list of cells or a mask of the whole matrix."""
    if isinstance(given, Bicluster):
        return given
    if isinstance(given, tuple):
        if len(given) != 2:
            raise MembershipError(
                f"{name} is a tuple of {len(given)}; a bicluster is a tuple (rows, columns), and "
                "single cells are a list of pairs"
            )
        try:
            return Bicluster(*given, shape)
        except (MembershipError, LengthError) as error:
            raise error.within(name) from None
    try:
        cells = np.asarray(list(given) if isinstance(given, set | frozenset) else given)
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
    flat = cells[:, 0].astype(np.int64) * shape[1] + cells[:, 1].astype(np.int64)
    return Positions.of_indices(flat, shape[0] * shape[1], name)
