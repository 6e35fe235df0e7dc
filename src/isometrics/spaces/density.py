"""Densities of the weight λ of recall, and integrals under them."""

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

_MAX_ERROR = 1e-8
"""The largest accepted error of an integral; most are below 1e-12."""

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
        The density as a function of λ, without the factors of `exponents`.
    exponents
        Exponents (a, b) of further factors λ^a and (1-λ)^b. These may be infinite at the ends, so
        they are passed to the quadrature separately.
    kinks
        Weights at which the density is not smooth.
    scale
        A factor that makes the integral about 1.
    distribution
        The frozen distribution with this density, or None.
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
        """Return the integral of a smooth function times the density from lo to hi."""
        borders = [lo, *self.within(lo, hi), hi]
        return math.fsum(self._smooth(function, *ends) for ends in pairwise(borders))

    def _smooth(self, function: Callable[[float], float], lo: float, hi: float) -> float:
        if self.distribution is not None and not np.isfinite(self.distribution.pdf([lo, hi])).all():
            # The density is infinite at an end, so integrate over the quantiles instead.
            ends = (float(self.distribution.cdf(end)) for end in (lo, hi))
            return self.scale * _integral(
                lambda mass: function(float(self.distribution.ppf(mass))), *ends
            )
        a, b = self.exponents
        # Factors that are singular at an end of this range are left to the quadrature.
        a_quad, b_quad = (a if lo == 0 else 0.0), (b if hi == 1 else 0.0)

        def integrand(lam: float) -> float:
            factors = lam ** (a - a_quad) * (1 - lam) ** (b - b_quad)
            return float(self.scale * function(lam) * self.function(lam) * factors)

        if a_quad or b_quad:
            return _integral(integrand, lo, hi, weight="alg", wvar=(a_quad, b_quad))
        return _integral(integrand, lo, hi)


def _integral(function: Callable[[float], float], lo: float, hi: float, **options: Any) -> float:
    from scipy.integrate import quad

    # With full_output, quad reports problems by the error estimate and not by warnings.
    value, error, *_ = quad(
        function, lo, hi, epsabs=1e-13, epsrel=1e-11, limit=500, full_output=1, **options
    )
    if not error <= _MAX_ERROR * max(1, abs(value)):
        raise ParameterError(
            f"density has no finite integral from {number(lo)} to {number(hi)}, or too many jumps "
            "to find it"
        )
    return float(value)


def parse_density(density: DensityLike, lo: float, hi: float) -> Density:
    """Convert what a user passes as a density, and check its values from lo to hi."""
    parsed = _parse_form(density)
    weights = [*np.linspace(lo, hi, 1003)[1:-1].tolist(), *parsed.within(lo, hi)]
    values = [_value(parsed.function, lam) for lam in weights]
    for lam, value in zip(weights, values, strict=True):
        if not value >= 0 or math.isinf(value):
            raise ParameterError(
                f"density must be ≥ 0 and finite between lo and hi but is {number(value)} at "
                f"λ = {number(lam)}"
            )
    mass = math.fsum(values) / len(values)
    if parsed.distribution is not None:
        mass = float(parsed.distribution.cdf(hi) - parsed.distribution.cdf(lo))
    if mass == 0:
        raise ParameterError(f"density is 0 everywhere from {number(lo)} to {number(hi)}")
    return parsed._replace(scale=1 / mass)


def _parse_form(density: DensityLike) -> Density:
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
        # Splitting at quantiles keeps the quadrature from missing a narrow peak.
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

    def triangle(lam: float) -> float:
        return lam / mode if lam < mode else (1 - lam) / (1 - mode) if mode < 1 else 1.0

    return Density(triangle, kinks=(float(mode),))


def _value(function: Callable[[float], float], lam: float) -> float:
    try:
        return float(function(lam))
    except (TypeError, ValueError):
        raise ParameterError("density must return one number for one λ") from None


def beta_masses(ends: Floats, a: float, b: float) -> Floats:
    """Return the mass of Beta(a, b) between neighbouring ends."""
    from scipy.special import betainc

    return np.diff(betainc(a, b, ends))
