"""Sets of elements of one universe, or of rows and columns of a matrix, and their overlaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from isometrics._core.arrays import column, plain
from isometrics._core.counts import LARGEST_COUNT
from isometrics._core.parameters import parse_whole
from isometrics._core.results import Value
from isometrics.errors import EmptyInputError, LengthError, MembershipError, OneClassError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    Indices = NDArray[np.int64]
    Elements: TypeAlias = NDArray[Any]
    """A mask of the universe, or sorted positions in it."""


def _n_common(first: Indices, second: Indices) -> int:
    """Return the number of elements of two sorted arrays of distinct positions that are in both."""
    short, long = (first, second) if first.size <= second.size else (second, first)
    if short.size == 0:
        return 0
    last = int(max(short[-1], long[-1]))
    if last < 64 * short.size:  # dense enough for a mask, which needs no search
        mask = np.zeros(last + 1, np.bool_)
        mask[long] = True
        return int(np.count_nonzero(mask[short]))
    nearest = np.minimum(np.searchsorted(long, short), long.size - 1)
    return int(np.count_nonzero(long[nearest] == short))


def _parse_elements(values: NDArray[Any], universe: int, name: str) -> Elements:
    """Check a mask or positions, as `_parse_values` returns them."""
    if values.dtype == np.bool_:
        if values.size != universe:
            raise LengthError(
                f"{name} is a mask of {values.size} elements but the universe has {universe}"
            )
        return values
    outside = (values < 0) | (values >= universe)
    if outside.any():
        example = plain(values[np.argmax(outside)])
        raise MembershipError(
            f"{name} has elements outside the universe of {universe}: {int(outside.sum())} in all, "
            f"such as {example}; integers are positions from 0 on, so give identifiers as text"
        )
    # A mask if that is as small, else sorted positions.
    indices = values.astype(np.int64)
    if 8 * indices.size < universe:
        elements: Elements = np.sort(indices)
        distinct = indices.size - int(np.count_nonzero(elements[1:] == elements[:-1]))
    else:
        elements = np.zeros(universe, np.bool_)
        elements[indices] = True
        distinct = int(np.count_nonzero(elements))
    if distinct < indices.size:
        _refuse_repeats(indices.tolist(), name)
    return elements


def parse_names(elements: object, name: str) -> frozenset[Any]:
    """Convert a set of elements that are names, without a position; masks are refused."""
    return _names(_parse_values(elements, name), name)


def _names(values: NDArray[Any] | frozenset[Any], name: str) -> frozenset[Any]:
    if isinstance(values, frozenset):
        return values
    if values.dtype == np.bool_:
        raise MembershipError(
            f"{name} is a mask but other sets name their elements; give all in the same way"
        )
    return _distinct(values.tolist(), name)


def _parse_values(elements: object, name: str) -> NDArray[Any] | frozenset[Any]:
    """Convert elements to positions or a mask, an array, or to names, a frozenset."""
    if isinstance(elements, Bicluster):
        raise MembershipError(
            f"{name} is a Bicluster; universe_size must be the shape of its matrix, "
            f"{elements.shape}"
        )
    if isinstance(elements, str | bytes | int | float | complex | np.generic | dict):
        raise MembershipError(
            f"{name} is {elements!r}, which is no set; pass a set, positions or a boolean mask"
        )
    is_set = isinstance(elements, set | frozenset)
    listed: Collection[Any] | None = None
    if isinstance(elements, set | frozenset | list | tuple):
        listed = list(elements)
        try:
            values = np.asarray(listed)
        except ValueError:  # tuples of different lengths are names too
            return _distinct(listed, name)
    else:
        values = column(elements, name).present()
        if values.size and values.dtype.kind in "fc":
            raise MembershipError(
                f"{name} has the values {plain(values[0])!r}, …; positions are integers, and a "
                "mask is boolean"
            )
    if values.size == 0:  # the empty set, whatever its type
        return np.zeros(0, np.int64)
    # A set that holds True is no mask.
    if values.ndim == 1 and values.dtype.kind in ("iu" if is_set else "iub"):
        return values
    return _distinct(values.tolist() if listed is None else listed, name)


def _distinct(elements: Collection[Any], name: str) -> frozenset[Any]:
    """Return names as a set; refuse a name that occurs twice."""
    try:
        names = frozenset(elements)
    except TypeError:
        raise MembershipError(
            f"{name} has elements that cannot be members of a set, such as lists; pass positions, "
            "a boolean mask, names, or universe_size=(rows, columns) for biclusters"
        ) from None
    if len(names) != len(elements):
        _refuse_repeats(elements, name)
    return names


def _refuse_repeats(elements: Collection[Any], name: str) -> None:
    duplicate, _ = Counter(elements).most_common(1)[0]
    raise MembershipError(f"{name} has the element {plain(duplicate)!r} more than once")


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class Bicluster(Value):
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
        self.__post_init__()

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
        return _n_common(self.rows, other.rows) * _n_common(self.columns, other.columns)

    def _check_same_shape(self, other: Bicluster) -> None:
        if self.shape != other.shape:
            raise MembershipError(
                f"one bicluster belongs to a matrix of shape {self.shape} and another to one of "
                f"shape {other.shape}"
            )

    def __hash__(self) -> int:  # type: ignore[override]
        """Biclusters are counted in dictionaries."""
        return hash((self.rows.tobytes(), self.columns.tobytes(), self.shape))

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
    values = _parse_values(elements, name)
    if isinstance(values, frozenset):
        raise MembershipError(f"{name} must be positions or a boolean mask, not names")
    members = _parse_elements(values, length, name)
    return np.flatnonzero(members) if members.dtype == np.bool_ else members


Members: TypeAlias = "Elements | Bicluster"
UniverseSize: TypeAlias = int | tuple[int, int]


class Family(NamedTuple):
    """Several sets of one universe, with their labels and their numbers of elements."""

    members: list[Members]
    labels: tuple[object, ...]
    sizes: NDArray[np.int64]


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
    if isinstance(universe_size, tuple | list):
        shape = parse_shape(universe_size, "universe_size")
        size = _parse_universe_size(shape[0] * shape[1])
        members: list[Members] = [
            _parse_bicluster(each, shape, name) for each, name in zip(sets, names, strict=True)
        ]
    else:
        size = _parse_universe_size(universe_size)
        members = _parse_elements_of_all(sets, names, size)
    sizes = np.array([_size(each) for each in members], np.int64)
    n_first = len(first.sets)
    return (
        Family(members[:n_first], first.labels, sizes[:n_first]),
        Family(members[n_first:], second.labels, sizes[n_first:]),
        size,
    )


def _size(members: Members) -> int:
    if isinstance(members, Bicluster) or members.dtype != np.bool_:
        return members.size
    return int(np.count_nonzero(members))


def refuse_trivial(family: Family, names: Sequence[str], universe: int) -> None:
    """Refuse targets that leave no positives or no negatives."""
    for size, name in zip(family.sizes.tolist(), names, strict=True):
        if size == 0:
            raise OneClassError(f"{name} is empty; a target needs at least one element")
        if size == universe:
            raise OneClassError(
                f"{name} is the whole universe of {universe} elements; a target must leave some out"
            )


def overlap(first: Members, second: Members) -> int:
    """Return the number of elements in both sets."""
    if isinstance(first, Bicluster):
        return first.overlap(cast("Bicluster", second))  # in a matrix all sets are
    second = cast("Elements", second)
    if second.dtype == np.bool_ != first.dtype:
        return overlap(second, first)
    if first.dtype != np.bool_:
        return _n_common(first, second)
    return int(np.count_nonzero(first & second if second.dtype == np.bool_ else first[second]))


def overlaps(first: Family, second: Family) -> NDArray[np.int64]:
    """Return the number of common elements of every pair of sets, one row for each first set.

    Positions are multiplied as sparse matrices, so that pairs without a common element cost
    nothing; masks and biclusters are compared pair by pair.
    """
    both = [*first.members, *second.members]
    positions = [each for each in both if isinstance(each, np.ndarray) and each.dtype != np.bool_]
    if len(positions) < len(both):
        return np.array([[overlap(a, b) for b in second.members] for a in first.members], np.int64)
    from scipy.sparse import csr_array

    # The universe may be far larger than the number of positions in use, so these are renumbered.
    used, columns = np.unique(np.concatenate(positions), return_inverse=True)
    ends = np.append(0, np.cumsum(np.append(first.sizes, second.sizes)))
    shape = (len(positions), used.size)
    incidence = csr_array((np.ones(columns.size, np.int64), columns, ends), shape=shape)
    n_first = len(first.members)
    return np.asarray((incidence[:n_first] @ incidence[n_first:].T).toarray())


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
    values = [_parse_values(elements, name) for elements, name in zip(sets, names, strict=True)]
    if any(isinstance(each, frozenset) for each in values):
        named = list(map(_names, values, names))
        position = {element: k for k, element in enumerate(frozenset().union(*named))}
        if len(position) > universe:
            raise MembershipError(
                f"the sets have {len(position)} different elements but universe_size is {universe}"
            )
        return [np.sort([position[each] for each in some]).astype(np.int64) for some in named]
    return [
        _parse_elements(each, universe, name)  # type: ignore[arg-type]
        for each, name in zip(values, names, strict=True)
    ]


def _parse_bicluster(raw: object, shape: tuple[int, int], name: str) -> Bicluster:
    """Convert a bicluster, or its rows and columns."""
    if isinstance(raw, tuple) and len(raw) == 2:
        try:
            return Bicluster(*raw, shape)
        except (MembershipError, LengthError) as error:
            raise error.within(name) from None
    if not isinstance(raw, Bicluster):
        raise MembershipError(
            f"{name} must be a Bicluster or a tuple (rows, columns); for other sets of cells "
            f"number these from 0 on, and give universe_size={shape[0] * shape[1]}"
        )
    if raw.shape != shape:
        raise MembershipError(
            f"{name} belongs to a matrix of shape {raw.shape} but universe_size is {shape}"
        )
    return raw
