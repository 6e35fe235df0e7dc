"""Keys sorted together with what they carry, and weights added up: loops that Numba compiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

from isometrics.kernels.bucket_loops import INSERTED, ONE, ZERO, U, bucket_of, part_places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Keys = NDArray[Any]
    Places = NDArray[np.uint64]


@njit(nogil=True, cache=True)
def spread_both(
    keys: Keys,
    carried: NDArray[Any],
    lowest: np.uint64,
    shift: np.uint64,
    entries: Places,
    places: Places,
    out: Keys,
    carried_out: NDArray[Any],
) -> None:
    """Move keys into their buckets, and with them what they carry."""
    for row in range(keys.size):
        bucket = bucket_of(U(keys[row]) - lowest, shift, entries)
        place = places[bucket]
        out[place], carried_out[place] = keys[row], carried[row]
        places[bucket] = place + ONE


@njit(nogil=True, cache=True)
def sort_both(
    keys: Keys,
    carried: NDArray[Any],
    starts: Places,
    first: np.uint64,
    last: np.uint64,
    places: NDArray[np.uint32],
    out: Keys,
    carried_out: NDArray[Any],
) -> None:
    """Sort the keys of some buckets, and what they carry, into the same places of `out`."""
    for bucket in range(first, last):
        start, end = starts[bucket], starts[U(bucket) + ONE]
        if start < end:
            put_both_in_order(
                keys, carried, start, end, places, out[start:end], carried_out[start:end]
            )


@njit(nogil=True, cache=True)
def put_both_in_order(
    keys: Keys,
    carried: NDArray[Any],
    start: np.uint64,
    end: np.uint64,
    places: NDArray[np.uint32],
    out: Keys,
    carried_out: NDArray[Any],
) -> None:
    """Sort the keys of one bucket, and what they carry."""
    lowest, shift, parts, crowded = part_places(keys, start, end, places)
    if parts == ZERO:
        out[:], carried_out[:] = keys[start:end], carried[start:end]
        return
    for row in range(start, end):
        part = (U(keys[row]) - lowest) >> shift
        place = U(places[part])
        out[place], carried_out[place] = keys[row], carried[row]
        places[part] = np.uint32(place + ONE)
    if crowded:
        begin = ZERO
        for part in range(parts):
            stop = U(places[part])
            if stop - begin > INSERTED:
                order = np.argsort(out[begin:stop])
                out[begin:stop] = out[begin:stop][order]
                carried_out[begin:stop] = carried_out[begin:stop][order]
            begin = stop
    for row in range(ONE, end - start):
        key, value, place = out[row], carried_out[row], U(row)
        while place > ZERO and out[place - ONE] > key:
            out[place], carried_out[place] = out[place - ONE], carried_out[place - ONE]
            place -= ONE
        out[place], carried_out[place] = key, value


@njit(nogil=True, cache=True)
def add_up(
    keys: Keys, weights: NDArray[Any], tp: NDArray[Any], fp: NDArray[Any], ends: Places
) -> np.uint64:
    """Add up the weights of sorted keys, negatives' being below 0; return the number of scores.

    `ends` has the last row of each score, `tp` and `fp` the sums up to it. What a sum of floats
    loses is kept beside it (Neumaier), so its error does not grow with the number of rows.
    """
    zero = weights[ZERO] - weights[ZERO]
    sums, lost = [zero, zero], [zero, zero]
    distinct = ZERO
    size = U(keys.size)
    for row in range(size):
        weight = weights[row]
        side = 0 if weight > 0 else 1
        weight = abs(weight)
        total = sums[side] + weight
        if sums[side] >= weight:
            lost[side] += (sums[side] - total) + weight
        else:
            lost[side] += (weight - total) + sums[side]
        sums[side] = total
        following = U(row) + ONE
        if following == size or keys[following] != keys[row]:
            above = distinct - ONE if distinct else ZERO
            # Two roundings of one sum may differ in their last bit; counts never fall.
            tp[distinct] = max(sums[0] + lost[0], tp[above] if distinct else zero)
            fp[distinct] = max(sums[1] + lost[1], fp[above] if distinct else zero)
            ends[distinct] = U(row)
            distinct += ONE
    return distinct
