"""Confidence intervals from the replicates of a bootstrap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.results import ResultTable, distinct_decimals, percent
from isometrics.errors import ParameterError, UndefinedWarning, warn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isometrics._core.arrays import Floats


METHODS = ("bca-t", "bca", "percentile")

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
        uncertain.
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
    shares: tuple[float, float] | None = (tail, 1 - tail)
    if method != "percentile":
        # How many standard errors an interval reaches to either side.
        z = NORMAL.inv_cdf((1 + level) / 2)
        if method == "bca-t" and not math.isinf(freedom):
            from scipy.special import stdtrit

            z = float(stdtrit(freedom, (1 + level) / 2))
        shares = _corrected(defined, estimate, z, acceleration)
    if shares is None:
        return _undefined(name, "all replicates lie on one side of it; use another method")
    return Interval(*np.quantile(defined, shares).tolist())


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
    rarest = 1 / (defined.size + 1)
    # The inverse of np.quantile.
    share = float(np.interp(0.0, defined, np.linspace(0, 1, defined.size)))
    share = min(max(share, rarest), 1 - rarest)
    if method == "percentile":
        return min(2 * min(share, 1 - share), 1.0)
    below = _share_below(defined, estimate)
    if not 0 < below < 1:
        return math.nan
    bias = NORMAL.inv_cdf(below)
    moved = NORMAL.inv_cdf(share) - bias
    scale = 1 + acceleration * moved
    # Where the scale is not above 0, no interval reaches as far as 0.
    z = moved / scale - bias if scale > 0 else math.inf
    return max(two_sided_p(z, freedom if method == "bca-t" else math.inf), rarest)


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


def _undefined(name: str, reason: str) -> Interval:
    warn(
        f"the confidence interval of {name} is undefined (NaN): {reason}",
        UndefinedWarning,
    )
    return UNDEFINED


def two_sided_p(z: float, freedom: float = math.inf) -> float:
    """Return the probability that a number of Student's distribution is farther from 0 than z."""
    if math.isinf(freedom):
        return math.erfc(abs(z) / math.sqrt(2))
    from scipy.special import stdtr

    return 2 * float(stdtr(freedom, -abs(z)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Differences(ResultTable):
    """One row for each two models: how much better the first one is, and how sure that is.

    Attributes
    ----------
    measure
        What was compared.
    first, second
        The names of the two models; the first one has the higher estimate.
    difference
        The estimate of the first one minus that of the second one.
    lower, upper
        The ends of the confidence interval of the difference.
    standard_error, z, p
        The standard error of the difference, the difference in standard errors, and the p-value
        of the two-sided test that there is none, which goes with the interval: that of confidence
        1 - p just reaches 0.
    p_adjusted
        The p-values corrected for the number of pairs by Holm's method (1979).
    better
        The share of the replicates in which the first one is better, ties counted half; NaN where
        there are no replicates.
    confidence_level
        The confidence of the intervals, of each row by itself.
    replicates
        The number of replicates that `better` was counted in; 0 if none.
    higher_is_better
        Whether a model can be better by the measure; a threshold only lies higher.
    """

    measure: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    difference: Floats
    lower: Floats
    upper: Floats
    standard_error: Floats
    z: Floats
    p: Floats
    p_adjusted: Floats
    better: Floats
    confidence_level: float
    replicates: int
    higher_is_better: bool = True

    def sentence(self, first: str | None = None, second: str | None = None) -> str:
        """Say how sure it is that the better of two models is; by default of the first row.

        Of a measure by which no model is better, such as a threshold, say how much it differs.

        Examples
        --------
        >>> import numpy as np
        >>> import isometrics as iso
        >>> rng = np.random.default_rng(5)
        >>> labels = np.arange(300) < 60
        >>> scores = {"A": rng.normal(1.6 * labels), "B": rng.normal(1.0 * labels)}
        >>> result = iso.bootstrap(labels, scores, random_state=1)
        >>> said, how_much = result.differences("AUROC").sentence().split(": ")
        >>> print(said)
        A is better than B by AUROC with probability 99.9%
        >>> print(how_much)
        0.128 higher, 95% interval 0.036 to 0.214.
        """
        row = self._row(first, second)
        better, other = self.first[row], self.second[row]
        gap, low, high = (float(each[row]) for each in (self.difference, self.lower, self.upper))
        size, low_end, high_end = distinct_decimals([gap, low, high], 3, beside=(0.0,))
        how_much = f"{size} higher"
        interval = f"{percent(self.confidence_level)} interval {low_end} to {high_end}"
        if not self.higher_is_better:
            return f"The {self.measure} of {better} is {how_much} than that of {other}, {interval}."
        chance = float(self.better[row])
        relation, how_sure = "better than" if gap > 0 else "as good as", ""
        if not np.isnan(chance):
            share = percent_of_replicates(chance, self.replicates)
            relation, how_sure = "better than", f" with probability {share}"
        said = f"{better} is {relation} {other} by {self.measure}{how_sure}"
        return f"{said}: {how_much}, {interval}."

    def _row(self, first: str | None, second: str | None) -> int:
        if first is None and second is None:
            return 0
        pairs = [{*pair} for pair in zip(self.first, self.second, strict=True)]
        asked = {first or "", second or ""}
        if asked in pairs:
            return pairs.index(asked)
        names = ", ".join(sorted({repr(name) for pair in pairs for name in pair}))
        raise ParameterError(
            f"first and second must be two of the models {names} but are {first!r} and {second!r}"
        )

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.first)

    def _title(self) -> str:
        return f"Differences: {self.measure} of {len(self)} pair{'s' * (len(self) != 1)} of models"

    def _columns(self) -> dict[str, Any]:
        names = ("first", "second", "difference", "lower", "upper", "standard_error")
        return self._named(*names, "z", "p", "p_adjusted", "better")

    def _shown(self) -> dict[str, Any]:
        columns = self._columns()
        if len(self) == 1:
            del columns["p_adjusted"]
        return columns


class Difference(NamedTuple):
    """One difference: value, interval, standard error, p-value, how often it is above 0."""

    first: str
    second: str
    gap: float
    interval: Interval
    error: float
    p: float
    better: float


def differences_of(
    measure: str,
    found: Sequence[Difference],
    *,
    level: float,
    replicates: int,
    higher_is_better: bool = True,
) -> Differences:
    """Return the table of differences, with z from their standard errors."""
    first, second, gaps, intervals, errors, p_values, better = zip(*found, strict=True)
    lower, upper = np.array(intervals).T
    gap, error = np.array(gaps), np.array(errors)
    return Differences(
        measure,
        first,
        second,
        gap,
        lower,
        upper,
        error,
        np.divide(gap, error, out=np.full(gap.size, np.nan), where=error > 0),
        np.array(p_values),
        holm(p_values),
        np.array(better),
        level,
        replicates,
        higher_is_better,
    )


def percent_of_replicates(share: float, replicates: int) -> str:
    """Return a share of replicates in percent; what is rarer than one of them has only a bound."""
    if min(share, 1 - share) < 0.5 / replicates:
        return (
            f"{'above' if share > 0.5 else 'below'} {percent(abs(round(share) - 1 / replicates))}"
        )
    return percent(share)


def holm(p_values: Sequence[float] | Floats) -> Floats:
    """Return p-values corrected for their number by Holm's method (1979); NaN stays.

    Examples
    --------
    >>> from isometrics.uncertainty.intervals import holm
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, np.float64)
    adjusted = np.full(values.shape, np.nan)
    defined = np.flatnonzero(~np.isnan(values))
    order = defined[np.argsort(values[defined], kind="stable")]
    steps = values[order] * np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted


def share_above(differences: Floats) -> float:
    """Return the share of the defined differences that are above 0; those of 0 count half."""
    defined = differences[~np.isnan(differences)]
    return _share_below(-defined, 0.0) if defined.size else math.nan
