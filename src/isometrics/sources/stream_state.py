"""What an accumulator has seen, as plain arrays that another process or a file may hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.sample import LARGEST_COUNT
from isometrics.errors import ParameterError
from isometrics.sources.dyadic import DyadicCounts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isometrics._counting.numpy_kernel import Order

_TYPES = {"starts": np.uint64, "levels": np.uint8, "positives": np.int64, "negatives": np.int64}
_LABELS = "biufU"
"""The kinds of arrays that hold a label: truth values, numbers or text."""


class StreamState(NamedTuple):
    """What an accumulator has seen, and the parameters it was made with."""

    counts: DyadicCounts
    lowest: int
    """The lowest key; the highest one there is where there are no rows."""
    rows: int
    max_bytes: int
    pos_label: object
    negative_label: object
    """None where no negative was seen."""

    @property
    def positives(self) -> int:
        """The positives, with their weights."""
        return int(self.counts.positives.sum())

    @property
    def negatives(self) -> int:
        """The negatives, with their weights."""
        return int(self.counts.negatives.sum())


def as_array(label: object) -> NDArray[Any]:
    """Return a label as an array without dimensions."""
    array = np.array(label)
    if array.dtype.kind not in _LABELS or array.ndim:
        raise ParameterError(
            f"the label {label!r} cannot be stored as an array; use labels that are truth values, "
            "numbers or text"
        )
    return array


def parse_state(state: Mapping[str, ArrayLike], order: Order) -> StreamState:
    """Return what a state says, if an accumulator can have said it; each entry is checked."""
    if not isinstance(state, Mapping):
        raise _damaged(f"it is a {type(state).__name__} and not a mapping of names to arrays")
    counts, lowest = _counts(state, order)
    found = StreamState(
        counts,
        lowest,
        rows=_whole_number(state, "rows"),
        max_bytes=_whole_number(state, "max_bytes"),
        pos_label=_label(state, "pos_label"),
        negative_label=_label(state, "negative_label"),
    )
    # A row has one class and a weight of 1 or more.
    fewest = np.count_nonzero(counts.positives) + np.count_nonzero(counts.negatives)
    if not fewest <= found.rows <= found.positives + found.negatives:
        raise _damaged(f"'rows' is {found.rows}, which its counts contradict")
    positive = 1 if found.pos_label is None else found.pos_label
    if found.negative_label is not None and found.negative_label == positive:
        raise _damaged(f"{positive!r} is the label of both classes")
    return found


def _counts(state: Mapping[str, ArrayLike], order: Order) -> tuple[DyadicCounts, int]:
    """Return the counts of a state and its lowest key, if they can be those of a stream."""
    parts = {name: _entry(state, name) for name in _TYPES}
    for name, dtype in _TYPES.items():
        if parts[name].dtype != dtype or parts[name].shape != parts["starts"].shape:
            raise _damaged(f"{name!r} is not an array of {np.dtype(dtype)} as long as the others")
    counts = DyadicCounts(**parts)
    lowest = _whole_number(state, "lowest")
    if counts.starts.ndim != 1:
        raise _damaged("its intervals are not one-dimensional")
    if (counts.levels >= order.bits).any():
        raise _damaged("intervals are larger than all keys together")
    size = np.uint64(1) << counts.levels.astype(np.uint64)
    if (counts.starts & (size - np.uint64(1))).any():
        raise _damaged("intervals do not begin at multiples of their sizes")
    if (counts.starts[1:] <= counts.ends[:-1]).any():
        raise _damaged("intervals overlap")
    _check_counts(counts)
    none = int(np.iinfo(order.word).max)
    if counts.size == 0 and lowest != none:
        raise _damaged("it has a lowest key but no intervals")
    if counts.size:
        keys = counts.starts.copy()
        inside = int(keys[0]) <= lowest <= int(counts.ends[0])
        keys[0] = lowest if inside else none
        if np.isnan(order.scores(keys)).any():
            raise _damaged("some keys are those of no score")
    return counts, lowest


def _check_counts(counts: DyadicCounts) -> None:
    """Check that the rows of each interval are some, and those of all no more than 2**53."""
    both = (counts.positives, counts.negatives)
    if any((each < 0).any() for each in both) or (np.maximum(*both) == 0).any():
        raise _damaged("counts are not positive")
    # The sum of floats is off by less than a part in a million, and far from overflowing.
    rounded = sum(float(each.sum(dtype=np.float64)) for each in both)
    if rounded > 2 * LARGEST_COUNT or sum(int(each.sum()) for each in both) > LARGEST_COUNT:
        raise _damaged("its rows add up to more than 2**53")


def _whole_number(state: Mapping[str, ArrayLike], name: str) -> int:
    found = _entry(state, name)
    if found.ndim or found.dtype.kind not in "iu" or found < 0:
        raise _damaged(f"{name!r} is not one whole number, 0 or more")
    return int(found)


def _label(state: Mapping[str, ArrayLike], name: str) -> object:
    """Return a label; None where it is not known."""
    if name not in state:
        return None
    found = _entry(state, name)
    if found.ndim or found.dtype.kind not in _LABELS or found != found:  # noqa: PLR0124 (NaN)
        raise _damaged(f"{name!r} is not one truth value, number or text")
    return found.item()


def _entry(state: Mapping[str, ArrayLike], name: str) -> NDArray[Any]:
    if name not in state:
        raise _damaged(f"{name!r} is missing")
    try:
        return np.asarray(state[name])
    except (TypeError, ValueError):
        raise _damaged(f"{name!r} is not an array") from None


def _damaged(why: str) -> ParameterError:
    return ParameterError(f"this is not the state of an accumulator: {why}")
