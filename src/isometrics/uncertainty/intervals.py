"""Confidence intervals from the replicates of a bootstrap."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics.errors import UndefinedWarning, warn

if TYPE_CHECKING:
    from isometrics._core.arrays import Floats

METHODS = ("bca-t", "bca", "percentile", "basic", "normal")

NORMAL = NormalDist()


class Interval(NamedTuple):
    """The ends of a confidence interval."""

    lower: float
    upper: float


UNDEFINED = Interval(math.nan, math.nan)


def interval_of(
    replicates: Floats,
    estimate: float,
    *,
    method: str,
    level: float,
    acceleration: float = 0.0,
    freedom: float = math.inf,
    name: str = "the estimate",
) -> Interval:
    """Return a confidence interval; NaN, with a warning, where the replicates give none.

    Parameters
    ----------
    replicates
        The values of the replicates; NaN for those that are not defined, which are left out.
    estimate
        The value in the sample itself.
    method
        ``"percentile"``: quantiles of the replicates. ``"bca"``: quantiles that are corrected for
        the bias of the replicates and for their asymmetry. ``"bca-t"``: the same, and wider where
        few rows have most of the influence, since the spread of the replicates is then itself
        uncertain. ``"basic"``: the percentile interval reflected at the estimate. ``"normal"``:
        the estimate and its standard error.
    level
        The confidence, for example 0.95.
    acceleration
        The asymmetry, for ``"bca"`` and ``"bca-t"``.
    freedom
        The degrees of freedom, for ``"bca-t"``.
    name
        What is estimated, for the warning.

    Notes
    -----
    Efron (1987) for BCa: the quantile α becomes Φ(z₀ + (z₀ + z_α)/(1 - a(z₀ + z_α))), where Φ(z₀)
    is the share of the replicates below the estimate; replicates equal to it count half. For
    ``"bca-t"`` z_α is a quantile of Student's distribution instead of the normal one, which is how
    Hesterberg (2015, section 4.3) widens percentile intervals.
    """
    defined = replicates[~np.isnan(replicates)]
    if defined.size < 2 or math.isnan(estimate):
        return _undefined(name, "fewer than two replicates are defined")
    if (defined == defined[0]).all():
        return _undefined(name, "all replicates are equal, so they do not show how it varies")
    tail = (1 - level) / 2
    z = _quantile(level, freedom if method == "bca-t" else math.inf)
    if method == "normal":
        half = z * float(defined.std(ddof=1))
        return Interval(estimate - half, estimate + half)
    shares: tuple[float, float] | None = (tail, 1 - tail)
    if method in ("bca", "bca-t"):
        shares = _corrected(defined, estimate, z, acceleration)
    if shares is None:
        return _undefined(name, "all replicates lie on one side of it; use another method")
    low, high = np.quantile(defined, shares).tolist()
    if method == "basic":
        return Interval(2 * estimate - high, 2 * estimate - low)
    return Interval(low, high)


def p_of_no_difference(
    replicates: Floats,
    estimate: float,
    *,
    method: str,
    acceleration: float = 0.0,
    freedom: float = math.inf,
) -> float:
    """Return the p-value that goes with `interval_of`: the interval of 1 - p just reaches 0.

    Parameters are those of `interval_of`, of an estimate that is 0 where there is no difference.
    NaN where the replicates give no interval.

    Notes
    -----
    A test of the difference over its standard error would contradict the interval where replicates
    are skewed, as those of AUPRG are at a low prevalence: the tail on the one side widens the
    standard error, however far 0 lies on the other. Replicates cannot show a probability
    below that of one of them, so p is never smaller.
    """
    defined = np.sort(replicates[~np.isnan(replicates)])
    if defined.size < 2 or math.isnan(estimate) or defined[0] == defined[-1]:
        return math.nan
    if method == "normal":
        return two_sided_p(estimate / float(defined.std(ddof=1)))
    rarest = 1 / (defined.size + 1)
    # The inverse of np.quantile. A basic interval is reflected, and 0 with it.
    reflected_zero = 2 * estimate if method == "basic" else 0.0
    share = float(np.interp(reflected_zero, defined, np.linspace(0, 1, defined.size)))
    share = min(max(share, rarest), 1 - rarest)
    if method not in ("bca", "bca-t"):
        return min(2 * min(share, 1 - share), 1.0)
    below = _share_below(defined, estimate)
    if not 0 < below < 1:
        return math.nan
    bias = NORMAL.inv_cdf(below)
    moved = NORMAL.inv_cdf(share) - bias
    scale = 1 + acceleration * moved
    # Where the scale is not above 0, no interval reaches as far as 0.
    z = moved / scale - bias if scale > 0 else math.inf
    return max(_two_sided(z, freedom if method == "bca-t" else math.inf), rarest)


def _two_sided(z: float, freedom: float) -> float:
    if math.isinf(freedom):
        return two_sided_p(z)
    from scipy.special import stdtr

    return 2 * float(stdtr(freedom, -abs(z)))


def _share_below(defined: Floats, estimate: float) -> float:
    """Return the share of the replicates below the estimate; those equal to it count half."""
    return float((np.sum(defined < estimate) + np.sum(defined == estimate) / 2) / defined.size)


def _corrected(
    defined: Floats, estimate: float, z: float, acceleration: float
) -> tuple[float, float] | None:
    below = _share_below(defined, estimate)
    if not 0 < below < 1:
        return None
    bias = NORMAL.inv_cdf(below)
    ends = [bias - z, bias + z]
    # Beyond its pole the correction is meaningless: it has moved past all replicates.
    scales = [1 - acceleration * end for end in ends]
    if min(scales) <= 0:
        return None
    low, high = (NORMAL.cdf(bias + end / s) for end, s in zip(ends, scales, strict=True))
    return low, high


def _quantile(level: float, freedom: float) -> float:
    """Return how many standard errors an interval reaches to either side."""
    if math.isinf(freedom):
        return NORMAL.inv_cdf((1 + level) / 2)
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def _undefined(name: str, reason: str) -> Interval:
    warn(
        f"the confidence interval of {name} is undefined (NaN): {reason}",
        UndefinedWarning,
    )
    return UNDEFINED


def two_sided_p(z: float) -> float:
    """Return the probability that a standard normal number is farther from 0 than z."""
    return math.erfc(abs(z) / math.sqrt(2))
