"""Missing values: what counts as one, and what errors call them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MISSING = "missing values (NaN or null)"
"""What errors call them, in front of their number."""


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
