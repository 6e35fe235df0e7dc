"""Results as values: arrays that cannot be written to, and equality by what a result holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Scalar = TypeVar("Scalar", bound=np.generic)
Tuple = TypeVar("Tuple", bound=tuple[Any, ...])


class Value:
    """Base of frozen dataclasses that are compared, copied and pickled by what they hold.

    Notes
    -----
    Arrays are read-only. Two values are equal when they are of one class and all their fields
    are equal; NaN equals NaN. Values have no hash, because their arrays have none.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for name in _field_names(type(self)):  # type: ignore[arg-type]
            content = getattr(self, name)
            if isinstance(content, np.ndarray | dict):
                object.__setattr__(self, name, _locked(content))

    def _fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in _field_names(type(self)))  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        """Compare with a value of the same class, field by field."""
        if type(self) is not type(other):
            return NotImplemented
        return same(self._fields(), other._fields())

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Copy and pickle through the constructor, which makes the arrays read-only again."""
        return type(self), self._fields()


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    """Return the names of a dataclass's fields; asking it anew for each value would be slow."""
    return tuple(field.name for field in fields(kind))


def read_only(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Lock an array and return it without a way to unlock it; nothing is copied.

    An array that owns its memory can be made writable again by its flag. One that stands on a
    read-only buffer cannot.
    """
    if isinstance(array.base, memoryview) and array.base.readonly:
        return array
    array.setflags(write=False)
    try:
        buffer = memoryview(cast("Any", array))
    except ValueError:  # dates and times have no buffer; a view of the locked array is locked too
        return array.view()
    return np.asarray(buffer.toreadonly())


def _locked(content: Any) -> Any:
    """Return a field of a result with its arrays read-only: itself, or those of a dictionary."""
    if isinstance(content, np.ndarray):
        return read_only(content)
    if isinstance(content, dict):
        return {key: _locked(value) for key, value in content.items()}
    return content


def same(one: object, other: object) -> bool:
    """Return whether two fields of results are equal; NaN equals NaN, also inside arrays."""
    if one is other:
        return True
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return _same_arrays(one, other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list) and type(one) is type(other):
        return len(one) == len(other) and all(map(same, one, other))
    equal = one == other
    # A label may be anything, also something whose comparison is no truth value.
    return (isinstance(equal, bool | np.bool_) and bool(equal)) or (_is_nan(one) and _is_nan(other))


def _same_arrays(one: NDArray[Any], other: NDArray[Any]) -> bool:
    if one.shape != other.shape:
        return False
    if "O" in (one.dtype.kind, other.dtype.kind):
        return all(map(same, one.ravel().tolist(), other.ravel().tolist()))
    may_be_nan = all(array.dtype.kind in "fc" for array in (one, other))
    return np.array_equal(one, other, equal_nan=may_be_nan)


def _is_nan(number: object) -> bool:
    return isinstance(number, float | np.floating) and bool(np.isnan(number))


def tuple_value(cls: type[Tuple]) -> type[Tuple]:
    """Let a named tuple be a value too: it equals any tuple of the same content."""

    def equal(self: tuple[Any, ...], other: object) -> Any:
        if not isinstance(other, tuple):
            return NotImplemented
        return same(tuple(self), tuple(other))

    def unequal(self: tuple[Any, ...], other: object) -> Any:
        if not isinstance(other, tuple):
            return NotImplemented
        return not equal(self, other)

    def reduced(self: tuple[Any, ...]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _restored, (cls, *self)

    methods = {"__eq__": equal, "__ne__": unequal, "__hash__": None, "__reduce__": reduced}
    for name, method in methods.items():
        setattr(cls, name, method)
    return cls


def _restored(cls: type[Tuple], *content: Any) -> Tuple:
    return cls(*map(_locked, content))
