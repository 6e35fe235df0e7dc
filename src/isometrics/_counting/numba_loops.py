"""Keys spread over buckets, sorted and counted: loops that Numba compiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

from isometrics._counting.keys import flip_negatives

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Keys = NDArray[Any]
    Places = NDArray[np.uint64]
    Weights = Any
    """An array, or None where keys carry nothing: Numba leaves the branches for them out."""


register_jitable(flip_negatives)

U = np.uint64
ZERO, ONE, EIGHT, LOW_BITS = U(0), U(1), U(8), U(255)
INSERTED = U(24)
"""Longest stretch of keys that is sorted by insertion alone."""


class Coding(NamedTuple):
    """The numbers of an `Encoding`, as loops take them."""

    floats: bool
    width: int
    """The bits of a score."""
    gap: int
    lowest: int
    mask: np.uint64
    """All bits of a key."""


# The machine code runs without Python's lock, and is kept on disk.
@njit(nogil=True, cache=True)
def pack(bits: NDArray[Any], labels: NDArray[np.bool_], coding: Coding, keys: Keys) -> None:
    """Do what `Encoding.pack` does, from the bits of the scores."""
    floats, width, gap, lowest, mask = coding
    for row in range(bits.size):
        order = np.int64(bits[row])
        if floats:
            order = flip_negatives(order, width)
            if order < 0:
                order = order + gap if order < -1 else 0  # -0.0 is -1
            elif order > 0:
                order -= gap
        keys[row] = mask ^ ((U(order - lowest) << ONE) | U(labels[row]))


@njit(nogil=True, cache=True)
def bits_of(key: np.uint64, coding: Coding) -> np.int64:
    """Return the bits of the score of a key."""
    floats, width, gap, lowest, mask = coding
    order = np.int64((mask ^ key) >> ONE) + lowest
    if not floats or order == 0:
        return order
    return flip_negatives(order + gap if order > 0 else order - gap, width)


@njit(nogil=True, cache=True)
def bucket_of(offset: np.uint64, shift: np.uint64, entries: Places) -> np.uint64:
    """Return the bucket of a key that lies so far from the lowest one."""
    entry = entries[offset >> shift]
    inside = offset & ((ONE << shift) - ONE)
    return (entry >> EIGHT) + (inside >> (entry & LOW_BITS))


@njit(nogil=True, cache=True)
def census(keys: Keys, lowest: np.uint64, shift: np.uint64, entries: Places, found: Places) -> None:
    """Count the keys of each bucket, and in a second column those with the bit of a positive."""
    for row in range(keys.size):
        key = U(keys[row])
        bucket = bucket_of(key - lowest, shift, entries)
        found[bucket, ZERO] += ONE
        found[bucket, ONE] += ~key & ONE


@njit(nogil=True, cache=True)
def spread(
    keys: Keys,
    lowest: np.uint64,
    shift: np.uint64,
    entries: Places,
    places: Places,
    out: Keys,
    weights: Weights = None,
    weights_out: Weights = None,
) -> None:
    """Move keys into their buckets; `places` has the next free place of each, and moves on."""
    for row in range(keys.size):
        bucket = bucket_of(U(keys[row]) - lowest, shift, entries)
        place = places[bucket]
        out[place] = keys[row]
        if weights is not None:
            weights_out[place] = weights[row]
        places[bucket] = place + ONE


@njit(nogil=True, cache=True)
def part_places(keys: Keys, start: np.uint64, end: np.uint64, places: NDArray[np.uint32]) -> Any:
    """Cut the range of a bucket's keys into equal parts, and find where each part begins.

    Returns
    -------
    lowest, shift
        The part of a key is its distance from the lowest one, shifted.
    parts
        How many there are: as many as keys or up to four times as many; 0 if all is in order.
    crowded
        Whether a part has more keys than are sorted by insertion alone.
    """
    lowest, highest, ordered = U(keys[start]), U(keys[start]), True
    for row in range(start + ONE, end):
        key = U(keys[row])
        ordered &= U(keys[U(row) - ONE]) <= key
        lowest, highest = min(lowest, key), max(highest, key)
    most, shift = U(4), ZERO
    if ordered:
        return lowest, shift, ZERO, False
    while most < U(2) * (end - start):
        most <<= ONE
    while (highest - lowest) >> shift >= most:
        shift += ONE
    parts = ((highest - lowest) >> shift) + ONE
    for part in range(parts + ONE):
        places[part] = np.uint32(0)
    for row in range(start, end):
        places[((U(keys[row]) - lowest) >> shift) + ONE] += np.uint32(1)
    longest, filled = ZERO, ZERO
    for part in range(parts + ONE):
        longest = max(longest, U(places[part]))
        filled += U(places[part])
        places[part] = np.uint32(filled)
    return lowest, shift, parts, longest > INSERTED


@njit(nogil=True, cache=True)
def put_in_order(
    keys: Keys,
    start: np.uint64,
    end: np.uint64,
    out: Keys,
    places: NDArray[np.uint32],
    weights: Weights = None,
    weights_out: Weights = None,
) -> None:
    """Sort the keys of one bucket into the front of `out`; equal ones keep their order."""
    lowest, shift, parts, crowded = part_places(keys, start, end, places)
    size = end - start
    if parts == ZERO:
        for row in range(size):
            out[row] = keys[start + U(row)]
            if weights is not None:
                weights_out[row] = weights[start + U(row)]
        return
    for row in range(start, end):
        part = (U(keys[row]) - lowest) >> shift
        place = places[part]
        out[U(place)] = keys[row]
        if weights is not None:
            weights_out[U(place)] = weights[row]
        places[part] = place + np.uint32(1)
    if crowded:
        begin = ZERO
        for part in range(parts):
            stop = U(places[part])
            # Many keys in one part are often all the same.
            if stop - begin > INSERTED and not in_order(out[begin:stop]):
                if weights is None:
                    out[begin:stop].sort()
                else:
                    order = np.argsort(out[begin:stop], kind="mergesort")
                    out[begin:stop] = out[begin:stop][order]
                    weights_out[begin:stop] = weights_out[begin:stop][order]
            begin = stop
    insert(out, size, weights_out)


@njit(nogil=True, cache=True)
def in_order(keys: Keys) -> bool:
    """Tell whether keys never fall."""
    row, size = ONE, U(keys.size)
    while row < size and keys[row - ONE] <= keys[row]:
        row += ONE
    return row >= size


@njit(nogil=True, cache=True)
def insert(keys: Keys, size: np.uint64, weights: Weights) -> None:
    """Sort so many keys by insertion, none of which is far from where it belongs."""
    for row in range(ONE, size):
        key, place = keys[row], U(row)
        if weights is not None:
            weight = weights[row]
        while place > ZERO and keys[place - ONE] > key:
            keys[place] = keys[place - ONE]
            if weights is not None:
                weights[place] = weights[place - ONE]
            place -= ONE
        keys[place] = key
        if weights is not None:
            weights[place] = weight


@njit(nogil=True, cache=True)
def sort_buckets(
    keys: Keys,
    starts: Places,
    first: np.uint64,
    last: np.uint64,
    places: NDArray[np.uint32],
    out: Keys,
    weights: Weights = None,
    weights_out: Weights = None,
) -> None:
    """Sort the keys of some buckets into the same places of `out`."""
    for bucket in range(first, last):
        start, end = starts[bucket], starts[U(bucket) + ONE]
        if start < end:
            if weights is None:
                put_in_order(keys, start, end, out[start:end], places)
            else:
                carried = weights_out[start:end]
                put_in_order(keys, start, end, out[start:end], places, weights, carried)


@njit(nogil=True, cache=True)
def sort_buckets_in_place(
    keys: Keys,
    starts: Places,
    first: np.uint64,
    last: np.uint64,
    places: NDArray[np.uint32],
    scratch: Keys,
) -> None:
    """Sort the keys of some buckets where they are, with room for one bucket besides."""
    for bucket in range(first, last):
        start, end = starts[bucket], starts[U(bucket) + ONE]
        if start < end:
            put_in_order(keys, start, end, scratch, places)
            for row in range(start, end):
                keys[row] = scratch[U(row) - start]


@njit(nogil=True, cache=True)
def fill_rows(
    keys: Keys,
    starts: Places,
    first: np.uint64,
    last: np.uint64,
    tps: int,
    coding: Coding,
    places: NDArray[np.uint32],
    room: Keys,
    tp: NDArray[np.int64],
    fp: NDArray[np.int64],
    bits: NDArray[Any],
) -> np.uint64:
    """Sort some buckets and fill in a row for each score, from row ``starts[first] + 1`` on.

    `tps` are the positives of all buckets before. Returns the row behind the last one. `bits` may
    be the memory of the keys, from one word before them on: a bucket is read before it is filled.
    """
    row = starts[first] + ONE
    for bucket in range(first, last):
        start, end = starts[bucket], starts[U(bucket) + ONE]
        if start == end:
            continue
        put_in_order(keys, start, end, room, places)
        size = end - start
        room[size] = coding.mask ^ U(room[size - ONE])  # nothing like the last key
        for place in range(size):
            key = U(room[place])
            tps += np.int64(~key & ONE)
            tp[row] = tps
            fp[row] = np.int64(start + U(place) + ONE) - tps
            bits[row] = bits_of(key, coding)
            # Of tied keys, the last one's row stays.
            row += U((key ^ U(room[U(place) + ONE])) > ONE)
    return row


@njit(nogil=True, cache=True)
def fill_corners(
    keys: Keys,
    starts: Places,
    first: np.uint64,
    last: np.uint64,
    tps: int,
    coding: Coding,
    places: NDArray[np.uint32],
    room: Keys,
    tp: NDArray[np.int64],
    fp: NDArray[np.int64],
    bits: NDArray[Any],
) -> np.uint64:
    """Do the same for the rows at which true positives rise, those before them, and the last."""
    row = starts[first] + ONE
    reached, waits = tps, ZERO
    for bucket in range(first, last):
        start, end = starts[bucket], starts[U(bucket) + ONE]
        if start == end:
            continue
        put_in_order(keys, start, end, room, places)
        size = end - start
        room[size] = coding.mask ^ U(room[size - ONE])
        for place in range(size):
            key = U(room[place])
            tps += np.int64(~key & ONE)
            if (key ^ U(room[U(place) + ONE])) <= ONE:
                continue
            # A row that waits stands already where it belongs, if it stays. Without branches:
            # which rows rise cannot be foreseen.
            rises = U(tps > reached)
            row += waits & rises
            tp[row] = tps
            fp[row] = np.int64(start + U(place) + ONE) - tps
            bits[row] = bits_of(key, coding)
            waits = rises ^ ONE
            row += rises
            reached = tps
    return row + waits


@njit(nogil=True, cache=True)
def sift(
    keys: NDArray[Any],
    ends: tuple[np.uint64, np.uint64],
    shift: np.uint64,
    group: NDArray[np.uint32],
    counts: NDArray[np.uint64],
    last: NDArray[np.uint64],
    kept: NDArray[Any],
) -> np.uint64:
    """Keep the keys in bins with positives, which have odd groups; count those of even groups.

    `group` has the group of each bin between both `ends`; keys beyond belong to the outer bins.
    `last` has the largest key of each group. Returns how many keys are kept, in front of `kept`.
    """
    lowest, highest = ends
    filled = ZERO
    for row in range(keys.size):
        key = U(keys[row])
        mine = U(group[(min(max(key, lowest), highest) - lowest) >> shift])
        if mine & ONE:
            kept[filled] = keys[row]
            filled += ONE
        else:
            counts[mine] += ONE
            last[mine] = max(last[mine], key)
    return filled


WIDTH = 1024
"""Weights that are added up together, as `numpy_kernel.running_sum` does."""


@njit(nogil=True, cache=True)
def block_sums(weights: NDArray[Any], sums: NDArray[Any]) -> None:
    """Add up the weights of both classes, those of negatives being below 0, in each block."""
    for block in range(sums.shape[1]):
        positive = negative = sums[0, block]
        for row in range(block * WIDTH, min((block + 1) * WIDTH, weights.size)):
            weight = weights[row]
            positive += max(weight, 0)
            negative += max(-weight, 0)
        sums[0, block], sums[1, block] = positive, negative


@njit(nogil=True, cache=True)
def fill_weighted(
    keys: Keys, weights: NDArray[Any], before: NDArray[Any], tp: NDArray[Any], fp: NDArray[Any]
) -> int:
    """Fill in the sums of the weights of sorted keys up to each score; return their number.

    `before` has the sums of all blocks before each. Distinct keys are moved to the front.
    """
    distinct = 0
    tps = fps = before[0, 0]
    for block in range(before.shape[1]):
        positive = negative = before[0, 0]
        for row in range(block * WIDTH, min((block + 1) * WIDTH, weights.size)):
            weight = weights[row]
            positive += max(weight, 0)
            negative += max(-weight, 0)
            # Two roundings of one sum may differ in the last bit across a border; counts never
            # fall.
            tps = max(tps, positive + before[0, block])
            fps = max(fps, negative + before[1, block])
            tp[distinct], fp[distinct], keys[distinct] = tps, fps, keys[row]
            distinct += row + 1 == weights.size or keys[row + 1] != keys[row]
    return distinct


_MIX, _HALF = U(0x85EBCA6B), U(0xFFFFFFFF)
"""A multiplier of MurmurHash3. With that of the golden ratio, negative and positive whole numbers
may fall into the same slots."""
TWO = U(2)


@njit(nogil=True, cache=True)
def tally(keys: NDArray[Any], slots: NDArray[np.uint64], most: np.uint64) -> bool:
    """Count the keys of each score, and the positives among them, in a table with open slots.

    A row of `slots` has ``(key >> 1) + 1`` in its first place, 0 where it is free; then the keys
    and the positives. What row 0 has in its last place is the number of scores. As soon as there
    are more than `most`, the loop gives up and returns False.
    """
    last = U(slots.shape[0]) - ONE
    bits = ZERO
    while last >> bits:
        bits += ONE
    distinct = slots[ZERO, U(3)]
    for row in range(keys.size):
        key = U(keys[row])
        score = (key >> ONE) + ONE
        mixed = ((score ^ (score >> U(32))) & _HALF) * _MIX & _HALF
        slot = mixed >> (U(32) - bits)
        while slots[slot, ZERO] != score:
            if slots[slot, ZERO] == ZERO:
                slots[slot, ZERO] = score
                distinct += ONE
                break
            slot = (slot + ONE) & last
        slots[slot, ONE] += ONE
        slots[slot, TWO] += ~key & ONE
        if distinct > most:
            return False
    slots[ZERO, U(3)] = distinct
    return True
