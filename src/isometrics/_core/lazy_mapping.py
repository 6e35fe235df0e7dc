"""Mappings whose values are read when they are asked for, because all of them are too many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

V_co = TypeVar("V_co", covariant=True)


class LazyMapping(Mapping[str, V_co]):
    """A mapping that reads or computes a value each time it is asked for, and keeps none.

    Parameters
    ----------
    keys
        The keys, in their order.
    read
        Returns the value of a key.

    Examples
    --------
    >>> lengths = LazyMapping(["one", "three"], len)
    >>> lengths["three"], dict(lengths)
    (5, {'one': 3, 'three': 5})
    """

    def __init__(self, keys: Iterable[str], read: Callable[[str], V_co]) -> None:
        self._keys = dict.fromkeys(keys)
        self._read = read

    def __getitem__(self, key: str) -> V_co:
        """Read the value of a key."""
        if key not in self._keys:
            raise KeyError(key)
        return self._read(key)

    def __contains__(self, key: object) -> bool:
        """Tell whether there is a key, without reading its value."""
        return key in self._keys

    def __iter__(self) -> Iterator[str]:
        """Iterate over the keys."""
        return iter(self._keys)

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self._keys)

    def __eq__(self, other: object) -> bool:
        """Compare with another mapping, one value after another."""
        if not isinstance(other, Mapping):
            return NotImplemented
        return self._keys.keys() == other.keys() and all(self[key] == other[key] for key in self)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Copy and pickle all values: what they are read from may not be there any more."""
        return dict, (list(self.items()),)

    def __repr__(self) -> str:
        """Return the number of keys."""
        return f"<{len(self)} values that are read when they are asked for>"
