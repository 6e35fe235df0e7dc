"""Accumulators as one tensor of whole numbers, which can be sent, joined and stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from isometrics.devices import to_host
from isometrics.engines.stream import Accumulator
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

_COLUMNS = {"starts": np.uint64, "levels": np.uint8, "positives": np.int64, "negatives": np.int64}


class _Header(NamedTuple):
    """What stands before the columns of an accumulator."""

    places: int
    """How many accumulators belong together, one for each label."""
    place: int
    intervals: int
    rows: int
    lowest: int


def packed(streams: list[Accumulator]) -> Tensor:
    """Return all that accumulators have seen; several results can be joined end to end."""
    return torch.from_numpy(
        np.concatenate([_packed(streams, place) for place in range(len(streams))])
    )


def _packed(streams: list[Accumulator], place: int) -> NDArray[np.int64]:
    state = streams[place].state()
    lowest = int(state["lowest"].view(np.int64))
    header = _Header(len(streams), place, state["starts"].size, int(state["rows"]), lowest)
    columns = (state[name] for name in _COLUMNS)
    # Keys use all 64 bits; those of the highest scores are negative here.
    signed = (part.view(np.int64) if part.dtype == np.uint64 else part for part in columns)
    return np.concatenate([np.array(header, np.int64), *signed])


def merge_packed(streams: list[Accumulator], tensors: Iterable[Tensor]) -> None:
    """Add the rows of all packed accumulators to those at their places."""
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise _damaged(f"it is a {type(tensor).__name__} and not a tensor")
        numbers: NDArray[Any] = to_host(tensor)
        if numbers.dtype != np.int64 or numbers.ndim != 1:
            raise _damaged(f"it is of type {tensor.dtype} and has {tensor.ndim} dimensions")
        while numbers.size:
            header = _header(numbers, len(streams))
            end = len(header) + len(_COLUMNS) * header.intervals
            columns = numbers[len(header) : end].reshape(len(_COLUMNS), header.intervals)
            streams[header.place].merge(_unpacked(header, columns))
            numbers = numbers[end:]


def _header(numbers: NDArray[np.int64], places: int) -> _Header:
    fields = len(_Header._fields)
    if numbers.size < fields:
        raise _damaged("it ends early")
    header = _Header(*numbers[:fields].tolist())
    if header.places != places or not 0 <= header.place < places:
        raise _damaged(f"it is that of {header.places} labels, but the metric has {places}")
    if not 0 <= header.intervals <= (numbers.size - fields) // len(_COLUMNS):
        raise _damaged("it ends early")
    return header


def _unpacked(header: _Header, columns: NDArray[np.int64]) -> Accumulator:
    levels = columns[list(_COLUMNS).index("levels")]
    if ((levels < 0) | (levels > 63)).any():  # eight bits would hold another number
        raise _damaged("intervals are larger than all keys together")
    state: dict[str, Any] = {
        name: column.view(np.uint64) if dtype is np.uint64 else column.astype(dtype)
        for (name, dtype), column in zip(_COLUMNS.items(), columns, strict=True)
    }
    # The accumulator that takes these rows over has a limit of its own.
    room = {"max_bytes": np.array(max(10**6, 100 * header.intervals))}
    lowest = np.array(header.lowest, np.int64).view(np.uint64)
    return Accumulator.from_state(state | room | {"rows": np.array(header.rows), "lowest": lowest})


def _damaged(why: str) -> ParameterError:
    return ParameterError(f"this is not the state of a metric with max_bytes=: {why}")
