"""Missing values: what counts as one, and what errors call them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MISSING = "missing values (NaN or null)"
"""What errors call them, in front of their number."""

ALL_DROPPED = "every row misses a value, so that none is left"


def is_null(value: Any) -> bool:
    """Return whether a value is None, NaN, which is not equal to itself, or pandas.NA."""
    if value is None:
        return True
    try:
        return not bool(value == value)  # noqa: PLR0124
    except (TypeError, ArithmeticError):
        # pandas.NA and a signalling NaN of `decimal` cannot be compared.
        return True


def missing_rows(values: NDArray[Any], null: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    """Return which values are NaN, no time, or among the nulls; None if there are none."""
    absent: NDArray[np.bool_] | None = None
    if values.dtype.kind == "f" and values.size and is_null(values.min()):
        absent = np.isnan(values)
    elif values.dtype.kind in "mM":
        absent = np.isnat(values)
    if absent is None:
        return null
    return absent if null is None else np.logical_or(absent, null)


class Dropped:
    """Rows that were left out because they miss a value in a column that is used."""

    def __init__(self) -> None:
        self.rows = 0
        self.columns: Counter[str] = Counter()
        """How many of them miss a value in each column; some in several."""

    def describe(self) -> str:
        """Say how many rows were left out, and by which columns.

        Examples
        --------
        >>> dropped = Dropped()
        >>> dropped.rows = 3
        >>> dropped.columns.update({"score": 2, "y": 2})
        >>> dropped.describe()
        '3 rows with missing values are left out, for all models (score: 2, y: 2)'
        """
        if not self.rows:
            return "no row has a missing value"
        by_column = ", ".join(f"{name}: {count:,}" for name, count in self.columns.items() if count)
        what = "row with missing values is" if self.rows == 1 else "rows with missing values are"
        return f"{self.rows:,} {what} left out, for all models ({by_column})"
