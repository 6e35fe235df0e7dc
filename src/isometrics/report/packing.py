"""Numbers packed into text, exactly: differences of neighbours as bytes of variable length."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts

    Words = NDArray[np.uint64]


_SIGN = np.uint64(1 << 63)
_ONE, _SEVEN = np.uint64(1), np.uint64(7)
_MAX_BYTES = 10
"""Bytes of a 64-bit integer, seven bits in each."""


def packed(values: Counts) -> dict[str, str]:
    """Pack numbers exactly: ``{"integers": …}`` or ``{"floats": …}``.

    Notes
    -----
    Floats are mapped to 64-bit integers in the order of the floats: the bits of negative numbers
    are inverted, and the sign bit of the others is set. Differences are computed modulo 2**64 and
    zigzag-encoded (0, -1, 1, -2 … become 0, 1, 2, 3 …). Each is written with seven bits in a byte,
    lowest first; the highest bit of a byte tells whether another one follows.

    Examples
    --------
    >>> packed(np.array([0, 1, 3, 3]))
    {'integers': 'AAIEAA=='}
    >>> unpacked(packed(np.array([np.inf, 0.75, -0.5]))).tolist()
    [inf, 0.75, -0.5]
    """
    if values.dtype.kind == "i":
        return {"integers": _encode(values.astype(np.int64).view(np.uint64))}
    bits = values.astype(np.float64).view(np.uint64)
    return {"floats": _encode(np.where(bits & _SIGN, ~bits, bits | _SIGN))}


def unpacked(text: dict[str, str]) -> NDArray[Any]:
    """Return the numbers of `packed`."""
    ((kind, data),) = text.items()
    words = _decode(data)
    if kind == "integers":
        return words.view(np.int64)
    return np.where(words & _SIGN, words ^ _SIGN, ~words).view(np.float64)


def _encode(words: Words) -> str:
    differences = np.diff(words, prepend=np.uint64(0)).view(np.int64)
    zigzag = ((differences << 1) ^ (differences >> 63)).view(np.uint64)
    shifts = _SEVEN * np.arange(_MAX_BYTES, dtype=np.uint64)
    seven_bits = (zigzag[:, None] >> shifts) & np.uint64(127)
    # The first byte is always written, others if they or a higher one are not zero.
    is_written = (zigzag[:, None] >> shifts) > 0
    is_written[:, 0] = True
    is_followed = np.zeros_like(is_written)
    is_followed[:, :-1] = is_written[:, 1:]
    octets = (seven_bits | (is_followed.astype(np.uint64) << _SEVEN)).astype(np.uint8)
    return b64encode(octets[is_written].tobytes()).decode("ascii")


def _decode(data: str) -> Words:
    octets = np.frombuffer(b64decode(data), np.uint8).astype(np.uint64)
    last = np.flatnonzero(octets < 128)
    starts = np.concatenate([[0], last[:-1] + 1])[: last.size]
    position = np.arange(octets.size) - np.repeat(starts, last - starts + 1)
    shifted = (octets & np.uint64(127)) << (_SEVEN * position.astype(np.uint64))
    zigzag = np.add.reduceat(shifted, starts) if last.size else shifted
    differences = (zigzag >> _ONE) ^ (~(zigzag & _ONE) + _ONE)
    return np.cumsum(differences, dtype=np.uint64)
