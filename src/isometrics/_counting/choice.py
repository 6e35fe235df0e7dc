"""When the compiled loops are used: where the package was built with them, and they pay."""

from __future__ import annotations

import os

from isometrics._counting import native

FEWEST = 1 << 14
"""Rows from which on the compiled loops are faster."""


def compiled_pays(rows: int) -> bool:
    """Tell whether so many rows are worth the compiled loops; both ways give the same rows."""
    return rows >= FEWEST and native.available()


def threads_for(rows: int) -> int:
    """Return how many threads pay: a second one, for many rows, where there is a second core."""
    return 2 if rows >= 1 << 19 and (os.cpu_count() or 1) > 1 else 1
