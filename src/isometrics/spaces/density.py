"""What is known about the weight of recall: a density over λ, and averages under it."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from isometrics._core.parameters import parse_numbers
from isometrics._core.results import number
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from isometrics._core.arrays import Floats

DensityLike: TypeAlias = Any
"""A name, a tuple of a name and parameters, a frozen distribution, a function, or None."""

_WORST = 1e-8
"""The largest error of an integral that is accepted; most are below 1e-12."""

_QUANTILES = (1e-6, 1e-3, 0.05, 0.25, 0.5, 0.75, 0.95, 1 - 1e-3, 1 - 1e-6)

_ACCEPTED = (
    "density must be ('beta', a, b), 'triangular', ('triangular', mode), a frozen distribution of "
    "scipy.stats or a function of λ"
)


class Density(NamedTuple):
    """A density over λ, up to a factor.

    Attributes
    ----------
    function
        λ to the density, without the powers of `exponents`.
    exponents
        The powers (a, b) of λ and 1-λ by which the density also has to be multiplied; these may
        be infinite at the ends, so the quadrature knows them.
    kinks
        Places where the density is not smooth.
    scale
        A factor that brings the integral to the order of 1.
    distribution
        The frozen distribution whose density it is, if there is one.
    """

    function: Callable[[float], float]
    exponents: tuple[float, float] = (0.0, 0.0)
    kinks: tuple[float, ...] = ()
    scale: float = 1.0
    distribution: Any = None

    @property
    def beta(self) -> tuple[float, float]:
        """The parameters of the Beta density with these exponents."""
        return self.exponents[0] + 1, self.exponents[1] + 1

    def within(self, lo: float, hi: float) -> list[float]:
        """Return the kinks between two weights."""
        return [kink for kink in self.kinks if lo < kink < hi]

    def integral(self, function: Callable[[float], float], lo: float, hi: float) -> float:
        """Return the integral of a function, times the density, over a range where it is smooth."""
        cuts = [lo, *self.within(lo, hi), hi]
        return math.fsum(self._smooth(function, *ends) for ends in pairwise(cuts))

    def _smooth(self, function: Callable[[float], float], lo: float, hi: float) -> float:
        if self.distribution is not None and not np.isfinite(self.distribution.pdf([lo, hi])).all():
            # The density is infinite at an end, but quantiles are not.
            ends = (float(self.distribution.cdf(end)) for end in (lo, hi))
            return self.scale * _integral(
                lambda mass: function(float(self.distribution.ppf(mass))), *ends
            )
        a, b = self.exponents
        # Powers that are singular at an end of this piece are left to the quadrature.
        at_lo, at_hi = (a if lo == 0 else 0.0), (b if hi == 1 else 0.0)

        def height(lam: float) -> float:
            rest = lam ** (a - at_lo) * (1 - lam) ** (b - at_hi)
            return float(self.scale * function(lam) * self.function(lam) * rest)

        if at_lo or at_hi:
            return _integral(height, lo, hi, weight="alg", wvar=(at_lo, at_hi))
        return _integral(height, lo, hi)


def _integral(function: Callable[[float], float], lo: float, hi: float, **options: Any) -> float:
    from scipy.integrate import quad

    # With its full output it tells about trouble by the error, not by warnings.
    value, error, *_ = quad(
        function, lo, hi, epsabs=1e-13, epsrel=1e-11, limit=500, full_output=1, **options
    )
    if not error <= _WORST * max(1, abs(value)):
        raise ParameterError(
            f"density has no finite integral from {number(lo)} to {number(hi)}, or too many jumps "
            "to find it"
        )
    return float(value)


def parse_density(density: DensityLike, lo: float, hi: float) -> Density:
    """Check what is known about λ on a range."""
    cleaned = _named(density)
    lam = [*np.linspace(lo, hi, 1003)[1:-1].tolist(), *cleaned.within(lo, hi)]
    heights = [_height(cleaned.function, place) for place in lam]
    for place, height in zip(lam, heights, strict=True):
        if not height >= 0 or math.isinf(height):
            raise ParameterError(
                f"density must be ≥ 0 and finite between lo and hi but is {number(height)} at "
                f"λ = {number(place)}"
            )
    mass = math.fsum(heights) / len(heights)
    if cleaned.distribution is not None:
        mass = float(cleaned.distribution.cdf(hi) - cleaned.distribution.cdf(lo))
    if mass == 0:
        raise ParameterError(f"density is 0 everywhere from {number(lo)} to {number(hi)}")
    return cleaned._replace(scale=1 / mass)


def _named(density: DensityLike) -> Density:
    name, *parameters = density if isinstance(density, tuple) and density else (density,)
    if isinstance(name, str):
        numbers = parse_numbers(parameters)
        if numbers is None:
            raise ParameterError(f"{_ACCEPTED} but is {density!r}")
        if name == "beta" and numbers.size == 2:
            return _beta(*numbers.tolist())
        if name == "triangular" and numbers.size <= 1:
            return _triangular(*numbers.tolist())
    elif callable(getattr(density, "pdf", None)) and callable(getattr(density, "support", None)):
        # Between its quantiles even a narrow peak is not overlooked.
        kinks = tuple(sorted({*map(float, density.support()), *density.ppf(_QUANTILES).tolist()}))
        return Density(density.pdf, kinks=kinks, distribution=density)
    elif callable(density):
        return Density(density)
    raise ParameterError(f"{_ACCEPTED} but is {density!r}")


def _beta(a: float, b: float) -> Density:
    if not (0 < a < math.inf and 0 < b < math.inf):
        raise ParameterError(
            f"a Beta density needs a > 0 and b > 0 but they are {number(a)} and {number(b)}"
        )
    return Density(lambda _: 1.0, (a - 1.0, b - 1.0))


def _triangular(mode: float = 0.5) -> Density:
    if not 0 <= mode <= 1:
        raise ParameterError(
            f"a triangular density needs a mode between 0 and 1, not {number(mode)}"
        )

    def height(lam: float) -> float:
        return lam / mode if lam < mode else (1 - lam) / (1 - mode) if mode < 1 else 1.0

    return Density(height, kinks=(float(mode),))


def _height(function: Callable[[float], float], lam: float) -> float:
    try:
        return float(function(lam))
    except (TypeError, ValueError):
        raise ParameterError("density must return one number for one λ") from None


def beta_masses(ends: Floats, a: float, b: float) -> Floats:
    """Return the mass of Beta(a, b) between neighbouring ends."""
    from scipy.special import betainc

    return np.diff(betainc(a, b, ends))
