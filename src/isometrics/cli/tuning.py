"""What the command asks of NumPy and of the C library, before NumPy is loaded.

A library must leave this to the program it is part of; the command is a program of its own. What
a user has set in the environment stays, but for windows of matplotlib, which no command opens.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from pathlib import Path

_FEATURES = "NPY_DISABLE_CPU_FEATURES"
_SLOW_WITH_AVX512 = re.compile(
    r"^vendor_id\s*:\s*AuthenticAMD$.*^cpu family\s*:\s*25$.*^flags\s*:.*\bavx512f\b",
    re.MULTILINE | re.DOTALL,
)

_BACKEND = "MPLBACKEND"
_THRESHOLDS = {-3: 64 << 20, -1: 128 << 20}
"""M_MMAP_THRESHOLD and M_TRIM_THRESHOLD of glibc's ``malloc.h``."""
_MALLOC = ("MALLOC_", "GLIBC_TUNABLES")


def tune() -> None:
    """Set up NumPy and matplotlib, unless they were loaded by someone else already."""
    if "numpy" not in sys.modules:
        prefer_fast_sort()
        keep_freed_memory()
    backend = os.environ.get(_BACKEND, "module")
    if "matplotlib" not in sys.modules and not backend.startswith("module"):
        # Matplotlib refuses to load if it does not know the user's choice of windows, of which no
        # command opens any. A module is the choice of a notebook that called the command.
        del os.environ[_BACKEND]


def prefer_fast_sort(description: Path = Path("/proc/cpuinfo")) -> None:
    """Have NumPy sort without AVX-512 on processors of AMD's fourth Zen generation.

    They store compressed vectors so slowly that NumPy's sort with AVX-512 takes four to seven
    times as long as that with AVX2.
    """
    if _FEATURES in os.environ:
        return
    try:
        text = description.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return  # other systems tell nothing there
    if _SLOW_WITH_AVX512.search(text.split("\n\n", maxsplit=1)[0]):
        # The first is what NumPy 2.4 and later call it, the second its name before; NumPy
        # passes over names it does not know.
        os.environ[_FEATURES] = "X86_V4 AVX512_SKX AVX512_ICL"


def keep_freed_memory() -> bool:
    """Have glibc keep memory of arrays that were freed for those that follow; tell whether it does.

    By default it gives large pieces back to the system, which clears each page of the next one
    again. With rows that come in millions of equal arrays, that is a tenth of all the time.
    """
    if any(name.startswith(_MALLOC) for name in os.environ):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, TypeError):
        return False  # other C libraries
    return all(mallopt(name, value) for name, value in _THRESHOLDS.items())
