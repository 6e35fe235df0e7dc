"""What a user chooses: numbers, names, parts of an axis, options, who is told of progress."""

from __future__ import annotations

import math
import os
import sys
from contextlib import contextmanager, suppress
from decimal import Decimal
from difflib import get_close_matches
from functools import partial
from inspect import Parameter, signature
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from isometrics.errors import ParameterError, require

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from numpy.typing import ArrayLike, NDArray

    ProgressLike: TypeAlias = bool | Callable[[int, int], None] | None


_LARGEST = int(sys.float_info.max)


def parse_number(value: object) -> int | float | None:
    """Return a real number of any type as Python's own, and None for anything else.

    This decides for every parameter what a number is: those of Python, NumPy, `fractions` and
    `decimal`, and arrays of any library that have no dimension. Booleans, times and texts are none.

    Examples
    --------
    >>> import numpy as np
    >>> from fractions import Fraction
    >>> parse_number(np.int64(2)), parse_number(np.array(0.5)), parse_number(Fraction(1, 4))
    (2, 0.5, 0.25)
    >>> parse_number(True) is None
    True
    """
    if type(value) in (int, float):
        return value  # type: ignore[return-value]
    if isinstance(value, np.generic) and not isinstance(value, np.number):
        return None
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return None
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real | Decimal):
        # Signalling NaNs, and fractions that no double holds.
        with suppress(ValueError, OverflowError):
            return float(value)
    return None


def parse_whole(value: object) -> int | None:
    """Return a whole number of any integer type as Python's own, and None for anything else."""
    number = parse_number(value)
    return number if isinstance(number, int) else None


def parse_numbers(values: object) -> NDArray[np.float64] | None:
    """Return a number, or an array of numbers of any shape; None where one is no number."""
    if isinstance(values, list | tuple) and any(
        # NumPy would take it for 0 or 1 beside numbers.
        isinstance(value, bool) or getattr(value, "dtype", None) == np.bool_
        for value in values
    ):
        return None
    number = parse_number(values)
    try:
        array = np.asarray(values if number is None else number)
        if array.dtype.kind == "O":
            numbers = [parse_number(value) for value in array.flat]
            return None if None in numbers else np.array(numbers, float).reshape(array.shape)
    except (TypeError, ValueError, OverflowError):
        return None
    return array.astype(np.float64) if array.dtype.kind in "iuf" else None


_ACCEPTED: dict[str, Callable[[float], bool]] = {
    "a number": lambda value: not math.isnan(value),
    "a number ≥ 0": lambda value: value >= 0,
    "a number up to 1": lambda value: -math.inf < value <= 1,
    "a finite number above 0": lambda value: 0 < value < math.inf,
    "above 0 and at most 1": lambda value: 0 < value <= 1,
    "between 0 and 1": lambda value: 0 <= value <= 1,
    "between 0 and 2": lambda value: 0 <= value <= 2,
    "strictly between 0 and 1": lambda value: 0 < value < 1,
}
"""What parameters may be, by the words of the message that refuses others."""


def check_number(
    value: float,
    name: str,
    accepted: str = "a number",
    holds: Callable[[float], bool] | None = None,
) -> float:
    """Check a number by what is accepted: a key of `_ACCEPTED`, or what `holds` tells.

    By default it may be any number, infinities included, but not NaN.
    """
    holds = holds or _ACCEPTED[accepted]
    number = parse_number(value)
    if isinstance(number, int):
        # No double holds integers of any size.
        number = None if abs(number) > _LARGEST else float(number)
    if number is None or not holds(number):
        raise ParameterError(f"must be {accepted} but is {value!r}", parameter=name)
    return number


check_beta = partial(check_number, name="beta", accepted="a number ≥ 0")
"""Check β: any number ≥ 0, infinity (recall only) included."""
check_budget = partial(check_number, accepted="a number ≥ 0")
"""Check a number of predicted positives."""
check_cost = partial(check_number, name="cost", accepted="between 0 and 1")
"""Check a cost proportion."""
check_level = partial(check_number, accepted="between 0 and 1")
"""Check a precision or a recall that a rule must reach."""
check_confidence = partial(
    check_number, name="confidence_level", accepted="strictly between 0 and 1"
)
"""Check the confidence of an interval."""
check_prevalence = partial(check_number, name="prevalence", accepted="strictly between 0 and 1")
"""Check a prevalence."""


def check_size(size: int, name: str = "size") -> int:
    """Check how many points or pixels to use."""
    whole = parse_whole(size)
    if whole is None or whole < 2:
        raise ParameterError(f"must be a whole number, 2 or more, but is {size!r}", parameter=name)
    return whole


def parse_betas(betas: float | Iterable[float]) -> tuple[float, ...]:
    """Check one β or several."""
    given: list[Any] = [betas]
    if parse_number(betas) is None and not isinstance(betas, str):
        # What is not iterable is refused as a number.
        with suppress(TypeError):
            given = list(betas)  # type: ignore[arg-type]
    values = tuple(check_beta(beta) for beta in given)
    if not values:
        raise ParameterError("is empty; give at least one β", parameter="betas")
    return values


def check_range(lo: float, hi: float, *, axis: str, lowest: float = 0.0) -> tuple[float, float]:
    """Check a part of an axis."""
    start, end = (
        check_number(
            value,
            name,
            f"a {axis} between {lowest:g} and 1",
            lambda value: lowest <= value <= 1 and math.isfinite(value),
        )
        for name, value in (("lo", lo), ("hi", hi))
    )
    if not start < end:
        raise ParameterError(f"lo must be below hi but lo is {lo!r} and hi is {hi!r}")
    return start, end


def parse_positions(x: ArrayLike, *, axis: str, lowest: float = 0.0) -> NDArray[np.float64]:
    """Check positions on an axis."""
    array = parse_numbers(x)
    if array is None or not ((array >= lowest) & (array <= 1)).all():
        raise ParameterError(f"must be a {axis} between {lowest:g} and 1", parameter="x")
    return array


def parse_values(
    values: ArrayLike,
    name: str,
    holds: Callable[[NDArray[np.float64]], NDArray[np.bool_]],
    accepted: str,
) -> NDArray[np.float64]:
    """Check a number, or an array of numbers, that a user wants an answer for."""
    array = parse_numbers(values)
    if array is None or not holds(array).all():
        raise ParameterError(f"must be {accepted}", parameter=name)
    return array


def parse_lambdas(lam: ArrayLike) -> NDArray[np.float64]:
    """Check a weight of recall, or an array of them."""
    accepted = "a weight of recall between 0 and 1"
    array = parse_values(lam, "lam", lambda array: ~np.isnan(array), accepted)
    outside = array[(array < 0) | (array > 1)]
    if outside.size:
        raise ParameterError(f"must be {accepted} but is {outside[0]:g}", parameter="lam")
    return array


def check_choice(value: str, name: str, choices: tuple[str, ...]) -> str:
    """Check a named option."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(map(repr, choices))
        raise ParameterError(f"must be one of {listed} but is {value!r}", parameter=name)
    return value


def check_options(
    function: Callable[..., object], options: Iterable[str], shared: Iterable[str] = ()
) -> None:
    """Refuse names that a function does not take, as Python does for a list of parameters.

    Parameters
    ----------
    function
        The function that was called.
    options
        The names that it was given in ``**options``.
    shared
        The names that it takes there: the keys of a TypedDict.

    Examples
    --------
    >>> check_options(parse_betas, ["beta"])
    Traceback (most recent call last):
    TypeError: parse_betas() has no option 'beta'; did you mean 'betas'?
    """
    own = signature(function).parameters.values()
    names = [*(each.name for each in own if each.kind is not Parameter.VAR_KEYWORD), *shared]
    for name in options:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            advice = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(names)}"
            raise TypeError(f"{function.__name__}() has no option {name!r}; {advice}")


def index_of(value: str | None, name: str, choices: tuple[str, ...]) -> int:
    """Return the position of a name; the only one there is need not be named, or with ``""``."""
    if value in (None, "") and len(choices) == 1:
        return 0
    return choices.index(check_choice(cast("str", value), name, choices))


def check_threshold(threshold: float) -> float:
    """Check one threshold, and keep its type: rounded, it could pass its own score."""
    number = check_number(threshold, "threshold")
    return threshold if isinstance(threshold, int | np.number) else number


def parse_jobs(n_jobs: int | None) -> int:
    """Check a number of threads; None is one, and -1 is as many as there are processors."""
    if n_jobs is None:
        return 1
    threads = parse_whole(n_jobs)
    if threads is None or (threads < 1 and threads != -1):
        raise ParameterError(
            f"must be a number of threads, -1 for all or None for one, but is {n_jobs!r}",
            parameter="n_jobs",
        )
    return threads if threads > 0 else (os.cpu_count() or 1)


def parse_random_state(random_state: object) -> np.random.SeedSequence:
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
    seed = parse_whole(random_state)
    if seed is not None and seed < 0:
        raise ParameterError(
            f"must be a whole number, 0 or more, but is {seed}", parameter="random_state"
        )
    if random_state is not None and seed is None:
        raise ParameterError(
            "must be None, a whole number ≥ 0, a NumPy Generator or a SeedSequence "
            f"but is {random_state!r}",
            parameter="random_state",
        )
    return np.random.SeedSequence(seed)


@contextmanager
def reporting(
    progress: ProgressLike, what: str = "replicates"
) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function to call with what is done and its total: None, a user's own, or a bar's."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        require("progress=True", "rich")
        from rich.progress import Progress

        with Progress() as bar:
            task = bar.add_task(what, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
    elif callable(progress):
        yield progress
    else:
        raise ParameterError(
            f"must be True, False or a function but is {progress!r}", parameter="progress"
        )


def part_of_progress(
    report: Callable[[int, int], None] | None, part: int, parts: int
) -> Callable[[int, int], None] | None:
    """Give a function for one of several parts of the work, which are taken to be equally long."""
    if report is None:
        return None
    return lambda done, total: report(part * total + done, parts * total)
