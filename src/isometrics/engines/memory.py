"""How much memory reading may take."""

from __future__ import annotations

import os
import re

from isometrics.errors import ParameterError

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_TEXT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)

SHARE = 0.6
"""The part of the limit that rows may fill; the rest is for batches, libraries and results."""


def clean_memory(memory_limit: str | int | None) -> int:
    """Return a number of bytes; by default half of the machine's memory."""
    if memory_limit is None:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return clean_bytes(memory_limit, "memory_limit")


def clean_bytes(size: str | int, name: str) -> int:
    """Return a number of bytes that a user gave.

    Examples
    --------
    >>> clean_bytes("2GB", "memory_limit"), clean_bytes("1.5 MiB", "memory_limit")
    (2000000000, 1572864)
    """
    found = None if isinstance(size, bool) else _TEXT.fullmatch(str(size))
    if found is None or float(found[1]) == 0:
        raise ParameterError(
            f"{name} must be a number of bytes or a text such as '2GB' but is {size!r}"
        )
    units = _BINARY if found[3] else _UNITS
    return int(float(found[1]) * units[found[2].lower()])


def budget_of(memory_limit: str | int | None) -> int:
    """Return the bytes that rows may fill under a limit."""
    return int(clean_memory(memory_limit) * SHARE)
