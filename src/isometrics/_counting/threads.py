"""Work in threads, for loops that run without Python's lock."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def threads_for(rows: int) -> int:
    """Return how many threads pay: a second one, for many rows, where there is a second core."""
    return 2 if rows >= 1 << 19 and (os.cpu_count() or 1) > 1 else 1


def in_threads(work: Callable[[int, int, int], Any], cuts: list[int]) -> list[Any]:
    """Do the work between each two neighbouring cuts in a thread of its own."""
    parts = [(part, start, end) for part, (start, end) in enumerate(pairwise(cuts))]
    if len(parts) == 1:
        return [work(*parts[0])]
    with ThreadPoolExecutor(len(parts)) as pool:
        return list(pool.map(lambda part: work(*part), parts))
