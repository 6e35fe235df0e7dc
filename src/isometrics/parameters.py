"""Numbers and names a user chooses: β, costs, prevalences, parts of an axis, options."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray


def clean_beta(beta: float) -> float:
    """Check β: any number ≥ 0, infinity (recall only) included."""
    return _parameter(beta, "beta", lambda value: value >= 0, "a number ≥ 0")


def clean_cost(cost: float) -> float:
    """Check a cost proportion."""
    return _parameter(cost, "cost", lambda value: 0 <= value <= 1, "between 0 and 1")


def clean_prevalence(prevalence: float) -> float:
    """Check a prevalence: strictly between 0 and 1."""
    return _parameter(
        prevalence, "prevalence", lambda value: 0 < value < 1, "strictly between 0 and 1"
    )


def clean_range(lo: float, hi: float, *, axis: str, lowest: float = 0.0) -> tuple[float, float]:
    """Check a part of an axis."""
    for name, value in (("lo", lo), ("hi", hi)):
        _parameter(
            value,
            name,
            lambda value: lowest <= value <= 1 and math.isfinite(value),
            f"a {axis} between {lowest:g} and 1",
        )
    if not lo < hi:
        raise ParameterError(f"lo must be below hi but lo is {lo!r} and hi is {hi!r}")
    return float(lo), float(hi)


def clean_positions(x: ArrayLike, *, axis: str, lowest: float = 0.0) -> NDArray[np.float64]:
    """Check positions on an axis."""
    try:
        array = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if not ((array >= lowest) & (array <= 1)).all():
        raise ParameterError(f"x must be a {axis} between {lowest:g} and 1")
    return array


def clean_choice(value: str, name: str, choices: tuple[str, ...]) -> str:
    """Check a named option."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(
            f"{name} must be one of {', '.join(map(repr, choices))} but is {value!r}"
        )
    return value


def _parameter(value: float, name: str, holds: Callable[[float], bool], accepted: str) -> float:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool) or not isinstance(plain, int | float) or not holds(float(plain)):
        raise ParameterError(f"{name} must be {accepted} but is {value!r}")
    return float(plain)
