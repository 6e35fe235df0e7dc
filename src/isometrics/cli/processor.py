"""How NumPy sorts on this processor; it has to be said before NumPy is loaded."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

_VARIABLE = "NPY_DISABLE_CPU_FEATURES"
_SLOW_WITH_AVX512 = re.compile(
    r"^vendor_id\s*:\s*AuthenticAMD$.*^cpu family\s*:\s*25$.*^flags\s*:.*\bavx512f\b",
    re.MULTILINE | re.DOTALL,
)


def prefer_fast_sort(description: Path = Path("/proc/cpuinfo")) -> None:
    """Have NumPy sort without AVX-512 on processors of AMD's fourth Zen generation.

    They store compressed vectors so slowly that NumPy's sort with AVX-512 takes four to seven
    times as long as that with AVX2. A library must leave this to the program it is part of; the
    command is a program of its own. What a user has set in the environment stays.
    """
    if "numpy" in sys.modules or _VARIABLE in os.environ:
        return
    try:
        text = description.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return  # other systems tell nothing there
    if _SLOW_WITH_AVX512.search(text.split("\n\n", maxsplit=1)[0]):
        # The first is what NumPy 2.4 and later call it, the second its name before; NumPy
        # passes over names it does not know.
        os.environ[_VARIABLE] = "X86_V4 AVX512_SKX AVX512_ICL"
