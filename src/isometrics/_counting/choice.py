"""When the loops compiled by Numba (extra ``fast``) are used: where they are there, and pay."""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

COMPILE, LOAD = 1 << 24, 1 << 23
"""Rows that NumPy counts in the seconds in which Numba compiles the loops, once on a machine, and
in which it loads them from then on."""

FEWEST = 1 << 14
"""Rows from which on the compiled loops are faster, once they are loaded."""

LOOPS = "isometrics._counting.numba_loops"

_seen = 0


def compiled_pays(rows: int) -> bool:
    """Tell whether so many rows are worth the compiled loops; both ways give the same rows.

    Notes
    -----
    Loading them takes as long as counting some million rows without them, and compiling them
    longer. So they are loaded for a sample that long, or once that many rows were counted in all:
    this costs at most twice what knowing the future would.
    """
    global _seen  # noqa: PLW0603
    if rows < FEWEST or not installed():
        return False
    if loaded_and_pays(rows):
        return True
    _seen += rows
    return _seen >= (LOAD if compiled() else COMPILE)


def sorting_pays(rows: int) -> bool:
    """Tell whether so many keys alone are worth the compiled loops.

    Without AVX-512 NumPy sorts about as fast on processors that have it, so nothing is loaded for
    that; see `isometrics.cli.running`.
    """
    features = numpy_features()
    if features.get("AVX512F") and not features.get("AVX512_SKX"):
        return loaded_and_pays(rows)
    return compiled_pays(rows)


def numpy_features() -> dict[str, bool]:
    """Return what the processor has (``AVX512F``), and what NumPy uses of it (``AVX512_SKX``)."""
    umath = import_module("numpy._core._multiarray_umath")
    features: dict[str, bool] = umath.__cpu_features__
    return features


def loaded_and_pays(rows: int) -> bool:
    """Tell whether the compiled loops are there already, and so many rows are enough for them."""
    return rows >= FEWEST and LOOPS in sys.modules


@cache
def compiled(folder: Path = Path(__file__).parent) -> bool:
    """Tell whether Numba has compiled the loops before, and keeps them beside their source."""
    source = folder / f"{LOOPS.rpartition('.')[2]}.py"
    kept = (folder / "__pycache__").glob(f"{source.stem}.*.nbi")
    return any(each.stat().st_mtime >= source.stat().st_mtime for each in kept)


def installed() -> bool:
    """Tell whether Numba is there."""
    return find_spec("numba") is not None


def threads_for(rows: int) -> int:
    """Return how many threads pay: a second one, for many rows, where there is a second core."""
    return 2 if rows >= 1 << 19 and (os.cpu_count() or 1) > 1 else 1
