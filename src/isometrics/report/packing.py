"""Numbers packed into text, exactly: differences of neighbours in as many bits as they need."""

from __future__ import annotations

from base64 import b85decode, b85encode
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._counting.keys import flip_negatives

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts

    Words = NDArray[np.uint64]


_SIGN = np.uint64(1 << 63)
_ONE = np.uint64(1)
_POWERS = _ONE << np.arange(64, dtype=np.uint64)
_ESCAPED, _PLAIN = b"$&<>`", b"[,./:"
"""Letters of base 85 that HTML, JSON, templates or replacements escape, and those instead."""
_COUNT_BYTES = 4
"""Bytes of the header that hold how many numbers there are."""


def text_of(octets: bytes) -> str:
    """Return bytes as text that needs no escapes, four of them in five letters.

    Examples
    --------
    >>> text_of(b"four"), bytes_of("W^Z)")
    ('W^Z+J', b'fou')
    """
    return b85encode(octets).translate(bytes.maketrans(_ESCAPED, _PLAIN)).decode("ascii")


def bytes_of(text: str) -> bytes:
    """Return the bytes of `text_of`."""
    return b85decode(text.encode("ascii").translate(bytes.maketrans(_PLAIN, _ESCAPED)))


def packed(values: Counts) -> dict[str, str]:
    """Pack numbers exactly: ``{"whole": …}`` or ``{"real": …}``.

    Notes
    -----
    Floats are mapped to 64-bit integers in the order of the floats: the bits of negative numbers
    are inverted, and the sign bit of the others is set. Differences are computed modulo 2**64 and
    zigzag-encoded (0, -1, 1, -2 … become 0, 1, 2, 3 …). Each is written in the exponential Golomb
    code of one order k for all of them (Teuhola 1978, Inf. Process. Lett. 7:308): the length n of
    ``(z >> k) + 1`` in bits as n - 1 zeros and a one, and ``z + 2**k`` without its highest bit.
    First come k, the number of values, all lengths, then all bits; `text_of` makes text of them.

    Examples
    --------
    >>> packed(np.array([0, 1, 3, 3]))
    {'whole': '000001gAg'}
    >>> unpacked(packed(np.array([np.inf, 0.75, -0.5]))).tolist()
    [inf, 0.75, -0.5]
    """
    if values.dtype.kind == "i":
        return {"whole": _encode(values.astype(np.int64).view(np.uint64))}
    return {"real": _encode(_words(values))}


def packed_below(values: Counts, below: Counts) -> dict[str, str]:
    """Pack floats as their distances below others, in steps from each float to the next.

    Examples
    --------
    >>> text = packed_below(np.array([np.inf, 0.5]), np.array([np.inf, np.nextafter(0.5, 0)]))
    >>> unpacked(text).tolist()
    [0, 1]
    """
    return {"whole": _encode(_words(values) - _words(below))}


def _words(values: Counts) -> Words:
    """Return integers in the order of floats."""
    order: NDArray[np.int64] = flip_negatives(values.astype(np.float64).view(np.int64), 64)
    return order.view(np.uint64) ^ _SIGN


def _floats(words: Words) -> NDArray[np.float64]:
    bits: NDArray[np.int64] = flip_negatives((words ^ _SIGN).view(np.int64), 64)
    return bits.view(np.float64)


def unpacked(text: dict[str, str]) -> NDArray[Any]:
    """Return the numbers of `packed`."""
    ((kind, data),) = text.items()
    words = _decode(data)
    return words.view(np.int64) if kind == "whole" else _floats(words)


def _lengths(words: Words) -> NDArray[np.int64]:
    """Return how many bits each word needs."""
    return np.asarray(np.searchsorted(_POWERS, words, "right"), np.int64)


def _order(zigzag: Words) -> int:
    """Return the order of the code that is shortest, if lengths of 0 cost nothing."""
    lengths = _lengths(zigzag)
    # An order of 0 has no code for 2**64 - 1.
    orders = np.arange(0 if lengths.max(initial=0) < 64 else 1, 63)
    beyond = np.maximum(np.arange(65) - orders[:, None], 0)
    costs = (2 * beyond + orders[:, None]) @ np.bincount(lengths, minlength=65)
    return int(orders[costs.argmin()])


def _encode(words: Words) -> str:
    differences = np.diff(words, prepend=np.uint64(0)).view(np.int64)
    zigzag = ((differences << 1) ^ (differences >> 63)).view(np.uint64)
    order = _order(zigzag)
    lengths = _lengths((zigzag >> np.uint64(order)) + _ONE)
    unary = np.zeros(int(lengths.sum()), np.uint8)
    unary[np.cumsum(lengths) - 1] = 1
    widths = lengths - 1 + order
    rest = zigzag + _POWERS[order]
    # Each bit of each number, from the highest on.
    shifts = np.repeat(np.cumsum(widths), widths) - 1 - np.arange(widths.sum())
    bits = (np.repeat(rest, widths) >> shifts.astype(np.uint64)) & _ONE
    header = bytes([order]) + zigzag.size.to_bytes(_COUNT_BYTES, "big")
    octets = np.packbits(np.concatenate([unary, bits.astype(np.uint8)]))
    return text_of(header + octets.tobytes())


def _decode(data: str) -> Words:
    octets = bytes_of(data)
    order, size = octets[0], int.from_bytes(octets[1 : 1 + _COUNT_BYTES], "big")
    bits = np.unpackbits(np.frombuffer(octets[1 + _COUNT_BYTES :], np.uint8))
    ends = np.flatnonzero(bits)[:size] + 1
    lengths = np.diff(ends, prepend=0)
    widths = lengths - 1 + order
    written = bits[ends[-1] if size else 0 :][: widths.sum()].astype(np.uint64)
    shifts = np.repeat(np.cumsum(widths), widths) - 1 - np.arange(written.size)
    zigzag = np.zeros(size, np.uint64)
    np.add.at(zigzag, np.repeat(np.arange(size), widths), written << shifts.astype(np.uint64))
    # The highest bit of z + 2**k, modulo 2**64.
    highest = np.where(widths < 64, _POWERS[np.minimum(widths, 63)], np.uint64(0))
    zigzag += highest - _POWERS[order]
    differences = (zigzag >> _ONE) ^ (~(zigzag & _ONE) + _ONE)
    return np.cumsum(differences, dtype=np.uint64)
