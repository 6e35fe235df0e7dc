"""Families of sets in one universe: elements, named elements or cells of a matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from isometrics.bicluster import Bicluster, clean_shape
from isometrics.columns import column
from isometrics.errors import EmptyInputError, LengthError, MembershipError, OneClassError
from isometrics.inputs import LARGEST_COUNT
from isometrics.membership import Positions, names_of, positions_of
from isometrics.parameters import parse_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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
        size = _clean_size(universe_size)
        members = _elements(sets, names, size)
    else:
        size = _clean_size(shape[0] * shape[1])
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
        shapes |= {clean_shape(universe_size, "universe_size"): "universe_size"}
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


def _clean_size(given: object) -> int:
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
            raise type(error)(f"{name}: {error}") from None
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
