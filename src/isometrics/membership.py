"""Sets of elements of one universe, however they are given, and the sizes of their overlaps.

Integers are positions 0, 1, … in the universe; booleans are a mask over it; anything else hashable
is a name.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from isometrics.columns import column, plain
from isometrics.errors import LengthError, MembershipError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence, Set

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
