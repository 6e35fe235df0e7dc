"""Numbers packed into text: differences of neighbours as bytes of variable length, in base64.

Counts and thresholds fall or rise slowly from row to row, so most differences fit into one to
three bytes where JSON would take a dozen characters.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.aliases import Counts

    Words = NDArray[np.uint64]

_SIGN = np.uint64(1 << 63)
_ONE, _SEVEN = np.uint64(1), np.uint64(7)
_LONGEST = 10


def packed(values: Counts) -> dict[str, str]:
    """Pack numbers exactly: ``{"integers": …}`` or ``{"floats": …}``.

    Notes
    -----
    Floats are read as 64-bit integers in the order of the floats: the bits of negative numbers
    are inverted, and the sign bit of the others is set. Differences are taken modulo 2**64 and
    folded (0, -1, 1, -2 … become 0, 1, 2, 3 …); each is written seven bits a byte, lowest first,
    and the highest bit of a byte says that another follows.

    Examples
    --------
    >>> packed(np.array([0, 1, 3, 3]))
    {'integers': 'AAIEAA=='}
    >>> unpacked(packed(np.array([np.inf, 0.75, -0.5]))).tolist()
    [inf, 0.75, -0.5]
    """
    if values.dtype.kind == "i":
        return {"integers": _text(values.astype(np.int64).view(np.uint64))}
    bits = values.astype(np.float64).view(np.uint64)
    return {"floats": _text(np.where(bits & _SIGN, ~bits, bits | _SIGN))}


def unpacked(text: dict[str, str]) -> NDArray[Any]:
    """Return the numbers of `packed`."""
    ((kind, data),) = text.items()
    words = _words(data)
    if kind == "integers":
        return words.view(np.int64)
    return np.where(words & _SIGN, words ^ _SIGN, ~words).view(np.float64)


def _text(words: Words) -> str:
    differences = np.diff(words, prepend=np.uint64(0)).view(np.int64)
    folded = ((differences << 1) ^ (differences >> 63)).view(np.uint64)
    shifts = _SEVEN * np.arange(_LONGEST, dtype=np.uint64)
    digits = (folded[:, None] >> shifts) & np.uint64(127)
    # A byte is needed as long as it or a higher one is not zero; the first always is.
    needed = (folded[:, None] >> shifts) > 0
    needed[:, 0] = True
    follows = np.zeros_like(needed)
    follows[:, :-1] = needed[:, 1:]
    written = (digits | (follows.astype(np.uint64) << _SEVEN)).astype(np.uint8)
    return b64encode(written[needed].tobytes()).decode("ascii")


def _words(data: str) -> Words:
    written = np.frombuffer(b64decode(data), np.uint8).astype(np.uint64)
    last = np.flatnonzero(written < 128)
    starts = np.concatenate([[0], last[:-1] + 1])[: last.size]
    place = np.arange(written.size) - np.repeat(starts, last - starts + 1)
    shifted = (written & np.uint64(127)) << (_SEVEN * place.astype(np.uint64))
    folded = np.add.reduceat(shifted, starts) if last.size else shifted
    differences = (folded >> _ONE) ^ (~(folded & _ONE) + _ONE)
    return np.cumsum(differences, dtype=np.uint64)
