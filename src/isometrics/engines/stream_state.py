"""What an accumulator has seen, as plain arrays that another process or a file may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.engines.dyadic import DyadicCounts
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from isometrics.kernels.order import Order

_TYPES = {"starts": np.uint64, "levels": np.uint8, "positives": np.int64, "negatives": np.int64}


def as_array(label: object) -> NDArray[Any]:
    """Return a label as an array without dimensions."""
    array = np.array(label)
    if array.dtype.kind not in "biufU" or array.ndim:
        raise ParameterError(
            f"the label {label!r} cannot be stored as an array; use labels that are truth values, "
            "numbers or text"
        )
    return array


def checked_scalar(state: Mapping[str, ArrayLike], name: str, *, missing: bool = False) -> object:
    """Return one value of a state; None where it may be `missing`, and is."""
    if missing and name not in state:
        return None
    found = np.asarray(_entry(state, name))
    if found.ndim or found.dtype.kind not in "biufU":
        raise ParameterError(f"the state of an accumulator needs one value as {name!r}")
    return found.item()


def checked_counts(state: Mapping[str, ArrayLike], order: Order) -> tuple[DyadicCounts, int]:
    """Return the counts of a state and its lowest key, if they can be those of a stream."""
    parts = {name: np.asarray(_entry(state, name)) for name in _TYPES}
    for name, dtype in _TYPES.items():
        if parts[name].dtype != dtype or parts[name].shape != parts["starts"].shape:
            raise _damaged(f"{name!r} is not an array of {np.dtype(dtype)} as long as the others")
    counts = DyadicCounts(**parts)
    lowest = checked_scalar(state, "lowest")
    if counts.starts.ndim != 1 or not isinstance(lowest, int):
        raise _damaged("its intervals are not one-dimensional or 'lowest' is no whole number")
    if (counts.levels >= order.bits).any():
        raise _damaged("intervals are larger than all keys together")
    size = np.uint64(1) << counts.levels.astype(np.uint64)
    if (counts.starts & (size - np.uint64(1))).any():
        raise _damaged("intervals do not begin at multiples of their sizes")
    if (counts.starts[1:] <= counts.ends[:-1]).any():
        raise _damaged("intervals overlap")
    if (np.minimum(counts.positives, counts.negatives) < 0).any() or (
        counts.positives + counts.negatives <= 0
    ).any():
        raise _damaged("counts are not positive")
    if counts.size:
        keys = counts.starts.copy()
        keys[0] = np.uint64(lowest)
        inside = counts.starts[0] <= keys[0] <= counts.ends[0]
        if not inside or np.isnan(order.scores(keys)).any():
            raise _damaged("some keys are those of no score")
    return counts, lowest


def _entry(state: Mapping[str, ArrayLike], name: str) -> ArrayLike:
    if name not in state:
        raise _damaged(f"{name!r} is missing")
    return state[name]


def _damaged(why: str) -> ParameterError:
    return ParameterError(f"this is not the state of an accumulator: {why}")
