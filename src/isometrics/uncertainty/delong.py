"""AUROC with the standard errors of DeLong, DeLong & Clarke-Pearson (1988), in O(n log n)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.parameters import check_confidence
from isometrics._core.results import ResultTable, percent
from isometrics._core.sample import UNNAMED
from isometrics.errors import NotAnswerableError, ParameterError, UndefinedWarning, warn
from isometrics.measures import AUROC, Grain
from isometrics.uncertainty.influence import unit_influence
from isometrics.uncertainty.intervals import (
    NORMAL,
    UNDEFINED,
    Difference,
    Differences,
    Interval,
    differences_of,
    two_sided_p,
)
from isometrics.uncertainty.resampling import Plan, parse_evidence, resampling_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from isometrics._core.arrays import Counts, Floats
    from isometrics.points import OperatingPoints


_NO_VARIANCE = 1e-24
"""A variance below this is 0, but for the rounding of sums."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DeLong(ResultTable):
    """AUROC of one or more models on the same rows, with confidence intervals.

    Attributes
    ----------
    models
        The names of the models, ``""`` for one that has none.
    estimates
        The areas.
    covariance
        The estimated covariance matrix of the areas.
    lower, upper
        The ends of the confidence intervals.
    confidence_level
        The confidence of each interval.
    positives, negatives
        The numbers of rows.
    """

    models: tuple[str, ...]
    estimates: Floats
    covariance: Floats
    lower: Floats
    upper: Floats
    confidence_level: float
    positives: int
    negatives: int

    @property
    def standard_errors(self) -> Floats:
        """The standard errors of the areas."""
        return np.sqrt(np.diag(self.covariance))

    def differences(self) -> Differences:
        """Return the paired differences of the areas of each two models, with z and p.

        With more than two models, `p_adjusted` corrects the p-values for the number of pairs.
        """
        if len(self.models) < 2:
            raise NotAnswerableError(
                "differences need two models or more; pass their scores as {'A': …, 'B': …}, or "
                "compare models of different samples with against()"
            )
        order = np.argsort(-self.estimates, kind="stable").tolist()
        found = []
        for one, other in combinations(order, 2):
            covariance = self.covariance[np.ix_([one, other], [one, other])]
            variance = float(covariance.trace() - 2 * covariance[0, 1])
            gap = float(self.estimates[one] - self.estimates[other])
            found.append(self._difference(self.models[one], self.models[other], gap, variance))
        return self._differences(found)

    def against(
        self, other: DeLong, *, names: tuple[str, str] = ("first", "second")
    ) -> Differences:
        """Return the difference of two models that were tested on different samples.

        Parameters
        ----------
        other
            The result of the second model alone.
        names
            The names of the two models in the result.
        """
        for result in (self, other):
            if len(result.models) != 1:
                raise ParameterError(
                    f"against() compares two single models, but one result has {len(result.models)}"
                )
        gap = float(self.estimates[0] - other.estimates[0])
        variance = float(self.covariance[0, 0] + other.covariance[0, 0])
        first, second = names[::-1] if gap < 0 else names
        return self._differences([self._difference(first, second, abs(gap), variance)])

    def _difference(self, first: str, second: str, gap: float, variance: float) -> Difference:
        error = math.sqrt(variance) if variance > _NO_VARIANCE else math.nan
        if math.isnan(error):
            warn(
                f"the difference of {first} and {second} has no standard error (NaN): "
                "its variance is 0 or not known",
                UndefinedWarning,
            )
        half = NORMAL.inv_cdf((1 + self.confidence_level) / 2) * error
        ends = Interval(gap - half, gap + half)
        return Difference(first, second, gap, ends, error, two_sided_p(gap / error), math.nan)

    def _differences(self, found: list[Difference]) -> Differences:
        return differences_of(AUROC.name, found, level=self.confidence_level, replicates=0)

    def _title(self) -> str:
        return (
            f"DeLong: {AUROC} with {percent(self.confidence_level)} intervals, "
            f"{self.positives} positives, {self.negatives} negatives"
        )

    def _columns(self) -> dict[str, Any]:
        named = {} if self.models == (UNNAMED,) else {"model": list(self.models)}
        return named | {
            AUROC.name: self.estimates,
            "lower": self.lower,
            "upper": self.upper,
            "standard_error": self.standard_errors,
        }


def delong(
    y_true: OperatingPoints | ArrayLike,
    y_score: Any = None,
    *,
    pos_label: object = None,
    confidence_level: float = 0.95,
) -> DeLong:
    """Return AUROC with standard errors that need no resampling, paired for several models.

    Parameters
    ----------
    y_true
        The operating points of one model; or labels.
    y_score
        With labels: the scores of one model, or of several by name.
    pos_label
        The label of the positive class.
    confidence_level
        The confidence of each interval.

    Notes
    -----
    DeLong et al. (1988). A positive row is ranked correctly against the share V₁₀ of the negatives
    that lie below it, ties counted half, and a negative row against the share V₀₁ of the
    positives above it. Their sample covariances, divided by the numbers of rows, add up to the
    covariance of the areas. Centred, and divided by the numbers of rows, these shares are the
    influence of the rows on the area, which one sort of each model gives (Sun & Xu 2014).
    Intervals are symmetric in log(A/(1-A)), and so lie between 0 and 1.

    Examples
    --------
    >>> import isometrics as iso
    >>> labels = [1, 1, 1, 0, 1, 0, 0, 1, 0, 0]
    >>> result = iso.delong(labels, {"A": range(10, 0, -1), "B": [9, 4, 6, 5, 8, 7, 2, 1, 3, 0]})
    >>> result
    DeLong: AUROC with 95% intervals, 5 positives, 5 negatives
    model  AUROC     lower     upper  standard_error
        A   0.84  0.410364  0.975372        0.138564
        B   0.72  0.306555  0.937333        0.181108
    >>> round(float(result.differences().p[0]), 4)
    0.3545
    """
    level = check_confidence(confidence_level)
    evidence = parse_evidence(y_true, y_score, pos_label=pos_label)
    sample = resampling_of(evidence, Plan(Grain.RUNS, np.empty(0), True, None))
    effects = np.array([unit_influence(sample, row, "auroc") for row in range(len(sample.points))])
    of_positives, of_negatives = (
        _covariance(effects[:, stratum], sample.counts[stratum], of_class)
        for stratum, of_class in zip(sample.strata, ("positive", "negative"), strict=True)
    )
    covariance = of_positives + of_negatives
    estimates = np.array([AUROC.of(points) for points in sample.points.values()])
    names = tuple(sample.points)
    ends = [
        _interval(float(area), float(variance), name, level)
        for area, variance, name in zip(estimates, np.diag(covariance), names, strict=True)
    ]
    lower, upper = np.array(ends).T
    return DeLong(names, estimates, covariance, lower, upper, level, *sample.class_rows[0])


def _covariance(influence: Floats, counts: Counts, of_class: str) -> Floats:
    """Return what the rows of one class add to the covariance of the areas."""
    total = int(counts.sum())
    if total < 2:
        warn(
            f"DeLong's variance is undefined (NaN): there is only one {of_class} row",
            UndefinedWarning,
        )
        return np.full((len(influence), len(influence)), np.nan)
    centred = influence - (influence @ counts / total)[:, None]
    return np.asarray((centred * counts) @ centred.T * (total / (total - 1)))


def _interval(area: float, variance: float, name: str, level: float) -> Interval:
    if math.isnan(variance):
        return UNDEFINED
    if variance < _NO_VARIANCE:
        label = f"{AUROC} of {name}" if name else AUROC.name
        warn(
            f"the confidence interval of {label} is undefined (NaN): its variance is 0, because "
            "all rows of a class are ranked equally well",
            UndefinedWarning,
        )
        return UNDEFINED
    half = NORMAL.inv_cdf((1 + level) / 2) * math.sqrt(variance)
    # 0 < area < 1, since the shares of an area of 0 or 1 are all equal.
    middle, stretch = math.log(area / (1 - area)), half / (area * (1 - area))
    low, high = (1 / (1 + math.exp(-end)) for end in (middle - stretch, middle + stretch))
    return Interval(low, high)
