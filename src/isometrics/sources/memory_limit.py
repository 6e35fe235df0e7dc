"""How much memory reading may take.

A limit is about anonymous memory: what Python and its libraries allocate. Pages of files on disk
are the operating system's cache and do not count.
"""

from __future__ import annotations

import ctypes
import os
import re
from contextlib import suppress
from pathlib import Path

from isometrics._core.parameters import parse_number
from isometrics.errors import ParameterError

_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_TEXT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)

LIBRARIES = 80_000_000
"""What Python and the libraries take before the first row; measured at 56 to 75 MB."""

LEAST = 250_000_000
"""The lowest limit that is kept: the libraries, DuckDB's own buffers, and some rows."""

SHARE = 0.6
"""The part of the rest that rows may fill; what remains is for batches and results."""

SHARE_OF_BATCHES = 4
"""A reader may fill one of so many parts of the limit with what it decodes."""

_MOST = 2.0**60
_UNKNOWN = 4_000_000_000
"""What is assumed where the system does not tell how much memory there is."""


def parse_memory_limit(memory_limit: str | int | None) -> int:
    """Return a number of bytes; by default half of what this process may use."""
    if memory_limit is None:
        return max(usable_memory() // 2, LEAST)
    size = parse_bytes(memory_limit, "memory_limit")
    if size < LEAST:
        raise ParameterError(
            f"is {memory_limit} but must be at least {in_megabytes(LEAST)}: Python and its "
            f"libraries take {in_megabytes(LIBRARIES)} before the first row",
            parameter="memory_limit",
        )
    return size


def parse_bytes(size: str | int, name: str) -> int:
    """Return a number of bytes that a user gave.

    Examples
    --------
    >>> parse_bytes("2GB", "memory_limit"), parse_bytes("1.5 MiB", "memory_limit")
    (2000000000, 1572864)
    """
    number = parse_number(size)
    given = size if number is None else f"{number:.9f}"
    found = _TEXT.fullmatch(given) if isinstance(given, str) else None
    if found is None or float(found[1]) == 0:
        raise ParameterError(
            f"must be a number of bytes or a text such as '2GB' but is {size!r}", parameter=name
        )
    unit = (1024 if found[3] else 1000) ** _POWERS[found[2].lower()]
    # No machine has more, and some libraries refuse it.
    return int(min(float(found[1]) * unit, _MOST))


def rows_budget(memory_limit: str | int | None) -> int:
    """Return the bytes that rows may fill under a limit."""
    return int((parse_memory_limit(memory_limit) - LIBRARIES) * SHARE)


def limit_for(rows: float) -> str:
    """Return the memory limit under which so many bytes of rows fit, as a user writes it.

    Examples
    --------
    >>> limit_for(600_000_000)
    '1100MB'
    """
    return in_megabytes(max(rows / SHARE + LIBRARIES, LEAST))


def in_megabytes(size: float) -> str:
    """Write a number of bytes so that a limit of this text is no smaller."""
    megabytes = -(-int(size) // 10**6)
    # Two digits are enough to go by.
    digits = 10 ** max(len(str(megabytes)) - 2, 0)
    return f"{-(-megabytes // digits) * digits}MB"


def usable_memory(
    cgroups: Path = Path("/sys/fs/cgroup"), process: Path = Path("/proc/self")
) -> int:
    """Return the machine's memory, or what a container leaves of it to this process.

    A container's limits are those of the process's control groups and of all groups around them.

    Notes
    -----
    A line of ``/proc/self/cgroup`` is ``number:controllers:path``; version 2 has no controllers.
    Inside a container its own group is often mounted at the top, where the path does not exist.
    """
    machine = _UNKNOWN
    if hasattr(os, "sysconf"):
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    elif hasattr(ctypes, "windll"):
        status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
        if ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
            machine = int(status.physical)
    found = [machine]
    lines: list[str] = []
    with suppress(OSError):
        lines = (process / "cgroup").read_text().splitlines()
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if not controllers:
            top, name = cgroups, "memory.max"
        elif "memory" in controllers.split(","):
            top, name = cgroups / "memory", "memory.limit_in_bytes"
        else:
            continue
        group = top / path.lstrip("/")
        for folder in [group, *group.parents]:
            with suppress(OSError):
                # What is above the top is no group, and has no such file.
                text = (folder / name).read_text().strip()
                found += [int(text)] if text.isdecimal() else []
    return min(found)


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows API."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("physical", ctypes.c_uint64),
        ("others", ctypes.c_uint64 * 6),
    )
