"""Numbers and names a user chooses: β, costs, prevalences, parts of an axis, options."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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


def clean_score(value: float) -> float:
    """Check a precision, recall or F score that some point with true positives can have."""
    return _parameter(value, "value", lambda value: 0 < value <= 1, "above 0 and at most 1")


def clean_gain(value: float, name: str = "value") -> float:
    """Check a gain: 1 at most, any loss."""
    return _parameter(value, name, lambda value: -math.inf < value <= 1, "a number up to 1")


def clean_accuracy(value: float) -> float:
    """Check a cost-weighted accuracy, which cannot exceed 2."""
    return _parameter(value, "value", lambda value: 0 <= value <= 2, "between 0 and 2")


def clean_size(size: int, name: str = "size") -> int:
    """Check how many points or pixels to use."""
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 2:
        raise ParameterError(f"{name} must be a whole number, 2 or more, but is {size!r}")
    return int(size)


def clean_level(level: float, name: str) -> float:
    """Check a precision or a recall that a rule must reach."""
    return _parameter(level, name, lambda value: 0 <= value <= 1, "between 0 and 1")


def clean_budget(budget: float) -> float:
    """Check a number of predicted positives."""
    return _parameter(budget, "budget", lambda value: value >= 0, "a number ≥ 0")


def clean_betas(betas: Iterable[float]) -> tuple[float, ...]:
    """Check several β, at least one."""
    values = tuple(clean_beta(beta) for beta in betas)
    if not values:
        raise ParameterError("betas is empty; give at least one β")
    return values


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


def clean_values(
    values: ArrayLike,
    name: str,
    holds: Callable[[NDArray[np.float64]], NDArray[np.bool_]],
    accepted: str,
) -> NDArray[np.float64]:
    """Check a number, or an array of numbers, that a user wants an answer for."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if not holds(array).all():
        raise ParameterError(f"{name} must be {accepted}")
    return array


def clean_lambdas(lam: ArrayLike) -> NDArray[np.float64]:
    """Check a weight of recall, or an array of them."""
    accepted = "a weight of recall between 0 and 1"
    array = clean_values(lam, "lam", lambda array: ~np.isnan(array), accepted)
    outside = array[(array < 0) | (array > 1)]
    if outside.size:
        raise ParameterError(f"lam must be {accepted} but is {outside[0]:g}")
    return array


def clean_tolerance(tolerance: float) -> float:
    """Check how wide a bracket may be."""
    return _parameter(tolerance, "tolerance", lambda value: 0 < value < 1, "between 0 and 1")


def clean_choice(value: str, name: str, choices: tuple[str, ...]) -> str:
    """Check a named option."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(
            f"{name} must be one of {', '.join(map(repr, choices))} but is {value!r}"
        )
    return value


def _parameter(value: float, name: str, holds: Callable[[float], bool], accepted: str) -> float:
    plain = value.item() if isinstance(value, np.generic) else value
    number = math.nan
    if isinstance(plain, int | float) and not isinstance(plain, bool):
        # NaN is refused, and so are integers that no double holds.
        with suppress(OverflowError):
            number = float(plain)
    if not holds(number):
        raise ParameterError(f"{name} must be {accepted} but is {value!r}")
    return number


def clean_confidence(level: float) -> float:
    """Check the confidence of an interval."""
    return _parameter(
        level, "confidence_level", lambda value: 0 < value < 1, "strictly between 0 and 1"
    )


def clean_half_width(width: float) -> float:
    """Check how wide half an interval may be."""
    return _parameter(
        width, "half_width", lambda value: 0 < value < math.inf, "a finite number above 0"
    )


def clean_jobs(n_jobs: int | None) -> int:
    """Check a number of threads; None is one, and -1 is as many as there are processors."""
    if n_jobs is None:
        return 1
    whole = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool)
    if not whole or (n_jobs < 1 and n_jobs != -1):
        raise ParameterError(
            f"n_jobs must be a number of threads, -1 for all or None for one, but is {n_jobs!r}"
        )
    return int(n_jobs) if n_jobs > 0 else (os.cpu_count() or 1)


def clean_random_state(random_state: object) -> np.random.SeedSequence:
    """Return the seeds of a random state: the same for the same integer, fresh ones for None.

    A Generator is asked for some of its numbers, so that it moves on.
    """
    if isinstance(random_state, np.random.SeedSequence):
        # Spawning changes a sequence, and one given twice should give the same twice.
        return np.random.SeedSequence(
            random_state.entropy, spawn_key=random_state.spawn_key, pool_size=random_state.pool_size
        )
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(2**32, size=4).tolist())
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(random_state.randint(2**31, size=5).tolist())
    whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if random_state is not None and (not whole or random_state < 0):  # type: ignore[operator]
        raise ParameterError(
            "random_state must be None, a whole number ≥ 0, a NumPy Generator or a SeedSequence "
            f"but is {random_state!r}"
        )
    return np.random.SeedSequence(None if random_state is None else int(random_state))  # type: ignore[call-overload]
