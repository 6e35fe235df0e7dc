"""A user's own index: any rising function of precision and recall."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.errors import ParameterError
from isometrics.indices.rows import Rows
from isometrics.indices.weighted import WeightedIndex

if TYPE_CHECKING:
    from collections.abc import Callable

    from isometrics.aliases import Floats

_HALVINGS = 64
_TOLERANCE = 1e-9
"""How far a function that should rise may fall by its own rounding."""

_PARTS = [part / 8 for part in range(1, 8)]
"""A quadrature of each part by itself does not overlook a narrow peak in a wide range."""

_WORST = 1e-8
"""The largest error of an area that is accepted; most are below 1e-12."""


@dataclass(frozen=True, slots=True, repr=False)
class Index(WeightedIndex):
    """An index of your own, for `OperatingPoints.tradeoff` and everything built on it.

    Parameters
    ----------
    name
        Its name in tables and pictures.
    function
        A NumPy function of (precision, recall, lam) or of (precision, recall, lam, prevalence),
        where lam is the weight of recall. It is called with arrays that broadcast. For every
        lam it must never fall as precision or recall rises, which is checked on a grid.

    Notes
    -----
    The function should be continuous in lam. The envelope is found numerically: the best points
    on a grid of 1025 weights, then every change between neighbours by bisection, until no other
    point is better where two of them meet. It is complete when the curves of two points cross at
    most once, as for all the built-in indices; otherwise a piece shorter than a step of the grid,
    1/1024, may be missed. The same holds for the winners of `compare` and for `useful_range`,
    where ranges shorter than 1e-6 are taken for rounding.

    Examples
    --------
    Precision that counts only when recall is at least λ/2:

    >>> import numpy as np
    >>> import isometrics as iso
    >>> wide = iso.Index("wide", lambda p, r, lam: p * np.minimum(1, r / np.maximum(lam / 2, 0.1)))
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> pts.tradeoff(wide)(0.5)
    1.0
    """

    name: str
    function: Callable[..., Any]
    needs_prevalence: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        """Check the function on a grid."""
        if not isinstance(self.name, str) or not self.name:
            raise ParameterError(f"the name of an index must be a text but is {self.name!r}")
        if not callable(self.function):
            raise ParameterError(
                f"the function of index {self.name!r} must be callable but is {self.function!r}"
            )
        object.__setattr__(self, "needs_prevalence", _arguments(self.function) > 3)
        for prevalence in (0.1, 0.5) if self.needs_prevalence else (0.5,):
            self._check(prevalence)

    def _check(self, prevalence: float) -> None:
        rates, weights = np.linspace(0, 1, 26)[1:], np.linspace(0, 1, 9)
        precision, recall, lam = np.meshgrid(rates, rates, weights, indexing="ij")
        values = self._values(precision, recall, lam, prevalence)
        # Points that no set can have at this prevalence (Boyd et al. 2012) prove nothing.
        lowest = prevalence * recall / (1 - prevalence + prevalence * recall)
        possible = (precision >= lowest) if self.needs_prevalence else np.full(lowest.shape, True)
        wrong = np.argwhere(possible & ~np.isfinite(values))
        if wrong.size:
            p, r, at = (axis[tuple(wrong[0])] for axis in (precision, recall, lam))
            raise ParameterError(
                f"index {self.name!r} is not finite at precision {p:g}, recall {r:g}, lam {at:g}"
            )
        for axis, rate in enumerate(("precision", "recall")):
            first, second = (np.swapaxes(values, 0, axis)[part] for part in (np.s_[:-1], np.s_[1:]))
            both = np.swapaxes(possible, 0, axis)
            falls = (second < first - _TOLERANCE * np.maximum(1, abs(first))) & both[:-1] & both[1:]
            if falls.any():
                at = lam[0, 0, np.argwhere(falls)[0][2]]
                raise ParameterError(
                    f"index {self.name!r} falls where {rate} rises, at lam {at:g}; "
                    "an index must never fall as precision or recall rises"
                )

    def _values(self, precision: Floats, recall: Floats, lam: Floats, prevalence: float) -> Floats:
        shape = np.broadcast_shapes(precision.shape, recall.shape, lam.shape)
        arguments = (prevalence,) if self.needs_prevalence else ()
        with np.errstate(all="ignore"):
            values = self.function(precision, recall, lam, *arguments)
        try:
            return np.broadcast_to(np.asarray(values, dtype=np.float64), shape)
        except (TypeError, ValueError):
            raise ParameterError(
                f"index {self.name!r} must return an array of numbers as large as its arguments "
                f"but returned {values!r:.60}"
            ) from None

    def of_rows(self, rows: Rows, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        return self._values(rows.precision, rows.recall, np.asarray(lam), rows.prevalence)

    def crossing(self, one: Rows, other: Rows, lo: Floats, hi: Floats) -> Floats:
        """Return where the sign of the difference of two points changes in [lo, hi], else NaN."""

        def ahead(lam: Floats) -> Floats:
            return self.of_rows(one, lam) - self.of_rows(other, lam)

        low, high = (np.broadcast_to(end, np.shape(one.tp)).astype(np.float64) for end in (lo, hi))
        start, end = np.sign(ahead(low)), np.sign(ahead(high))
        meet = (start * end <= 0) & (start != end)
        # Towards the end that differs from a start where both are equal.
        leader = np.where(start != 0, start, -end)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            before = np.sign(ahead(middle)) == leader
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        return np.where(meet, (low + high) / 2, np.nan)

    def areas(self, rows: Rows, lo: Floats, hi: Floats) -> Floats:
        """Return the area under the curve of each point, by adaptive quadrature."""
        from scipy.integrate import quad

        def area(row: int) -> float:
            point = rows.take(row)
            low, high = float(lo[row]), float(hi[row])

            def height(lam: float) -> float:
                return float(self.of_rows(point, np.asarray(lam)))

            inner = [part for part in _PARTS if low < part < high]
            total = 0.0
            for begin, end in pairwise([low, *inner, high]):
                # With its full output it tells about trouble by the error, not by warnings.
                value, error, *_ = quad(
                    height, begin, end, epsabs=1e-14, epsrel=1e-12, limit=200, full_output=1
                )
                if not error <= _WORST * max(1, abs(value)):
                    raise ParameterError(
                        f"index {self.name!r} has no finite area from lam {begin:g} to {end:g}, "
                        "or too many jumps to find it"
                    )
                total += value
            return total

        return np.array([area(row) for row in range(rows.tp.size)])


def _arguments(function: Callable[..., Any]) -> int:
    """Return how many arguments a function takes by position; 3 where it does not tell."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 3
    required = [
        parameter
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        and (parameter.default is parameter.empty or parameter.name == "prevalence")
    ]
    return len(required)
