"""When the compiled loops are used: where the package was built with them, and they pay."""

from __future__ import annotations

from isometrics._counting import native

FEWEST = 1 << 14
"""Rows from which on the compiled loops are faster."""


def compiled_pays(rows: int) -> bool:
    """Tell whether so many rows are worth the compiled loops; both ways give the same rows."""
    return rows >= FEWEST and native.available()
