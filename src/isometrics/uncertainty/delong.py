"""AUROC with the standard errors of DeLong, DeLong & Clarke-Pearson (1988), in O(n log n)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.class_scores import single_column
from isometrics._core.parameters import check_choice, check_confidence
from isometrics._core.results import ResultTable
from isometrics._core.sample import UNNAMED, parse_sample, scores_by_model
from isometrics.errors import (
    NotAnswerableError,
    OneClassError,
    ParameterError,
    UndefinedWarning,
    warn,
)
from isometrics.measures import AUROC
from isometrics.points import OperatingPoints
from isometrics.uncertainty.intervals import NORMAL, UNDEFINED, Interval, two_sided_p
from isometrics.uncertainty.paired import Difference, Differences, differences_of, percent
from isometrics.uncertainty.resampling import scores_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Floats
    from isometrics._core.sample import Sample

SCALES = ("logit", "plain")


class Components(NamedTuple):
    """Structural components: against which share of the other class each row is ranked correctly.

    One row for each model; `times` says how many rows of the sample a column stands for.
    """

    positive: Floats
    negative: Floats
    positive_times: Floats
    negative_times: Floats


class _Gap(NamedTuple):
    """The difference between the areas of two models, and its variance."""

    first: str
    second: str
    gap: float
    variance: float


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
    confidence_level, scale
        How the intervals were made.
    positives, negatives
        The numbers of rows.
    """

    models: tuple[str, ...]
    estimates: Floats
    covariance: Floats
    lower: Floats
    upper: Floats
    confidence_level: float
    scale: str
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
        pairs = list(combinations(order, 2))
        rows = []
        for one, other in pairs:
            part = self.covariance[np.ix_([one, other], [one, other])]
            variance = float(part[0, 0] + part[1, 1] - 2 * part[0, 1])
            gap = float(self.estimates[one] - self.estimates[other])
            rows.append(_Gap(self.models[one], self.models[other], gap, variance))
        return _differences(rows, self.confidence_level)

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
        return _differences([_Gap(first, second, abs(gap), variance)], self.confidence_level)

    def _title(self) -> str:
        return (
            f"DeLong: {AUROC} with {percent(self.confidence_level)} intervals ({self.scale}), "
            f"{self.positives} positives, {self.negatives} negatives"
        )

    def _columns(self) -> dict[str, Any]:
        named = {} if self.models == ("",) else {"model": list(self.models)}
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
    scale: str = "logit",
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
    scale
        ``"logit"``: intervals are symmetric in log(A/(1-A)), and so lie between 0 and 1.
        ``"plain"``: symmetric around the area, and for areas near 1 they may exceed it.

    Notes
    -----
    DeLong et al. (1988). A positive row is ranked correctly against the share V₁₀ of the negatives
    that lie below it, ties counted half, and a negative row against the share V₀₁ of the
    positives above it. Their sample covariances, divided by the numbers of rows, add up to the
    covariance of the areas. The shares come from one sort of each model (Sun & Xu 2014).

    Examples
    --------
    >>> import isometrics as iso
    >>> labels = [1, 1, 1, 0, 1, 0, 0, 1, 0, 0]
    >>> result = iso.delong(labels, {"A": range(10, 0, -1), "B": [9, 4, 6, 5, 8, 7, 2, 1, 3, 0]})
    >>> result
    DeLong: AUROC with 95% intervals (logit), 5 positives, 5 negatives
    model  AUROC     lower     upper  standard_error
        A   0.84  0.410364  0.975372        0.138564
        B   0.72  0.306555  0.937333        0.181108
    >>> round(float(result.differences().p[0]), 4)
    0.3545
    """
    confidence_level = check_confidence(confidence_level)
    check_choice(scale, "scale", SCALES)
    if isinstance(y_true, OperatingPoints):
        if y_score is not None:
            raise ParameterError("pass operating points alone, or labels with scores, not both")
        names: tuple[str, ...] = (UNNAMED,)
        parts = _of_points(y_true)
    else:
        if y_score is None:
            raise ParameterError("labels need scores: pass y_score=, or operating points alone")
        labels: Any = single_column(y_true, "y_true")
        scores = scores_by_model(y_score, "y_score", UNNAMED, y_true=labels, pos_label=pos_label)
        names = tuple(scores)
        parts = _of_rows(parse_sample(labels, scores, pos_label=pos_label))
    estimates = parts.positive @ parts.positive_times / parts.positive_times.sum()
    covariance = _spread(parts.positive, parts.positive_times, "positive")
    covariance = covariance + _spread(parts.negative, parts.negative_times, "negative")
    ends = [
        _interval(float(area), float(variance), name, confidence_level, scale)
        for area, variance, name in zip(estimates, np.diag(covariance), names, strict=True)
    ]
    return DeLong(
        names,
        estimates,
        covariance,
        np.array([end.lower for end in ends]),
        np.array([end.upper for end in ends]),
        confidence_level,
        scale,
        int(parts.positive_times.sum()),
        int(parts.negative_times.sum()),
    )


def _of_points(points: OperatingPoints) -> Components:
    _, positive, negative = scores_of(points.table)
    if positive.dtype.kind == "f" or negative.dtype.kind == "f":
        raise NotAnswerableError(
            "the counts of these operating points are not whole rows, which DeLong's variance "
            "needs; use bootstrap with labels, scores and sample_weight="
        )
    above, below = np.cumsum(positive) - positive / 2, negative / 2 - np.cumsum(negative)
    shares = (1 + below / points.negatives)[None], (above / points.positives)[None]
    return Components(*shares, positive.astype(np.float64), negative.astype(np.float64))


def _of_rows(sample: Sample) -> Components:
    labels = sample.labels
    if labels.all() or not labels.any():
        only = "positives" if labels.all() else "negatives"
        raise OneClassError(f"y_true has only {only}; both classes are needed")
    shares = [_shares(labels, scores) for scores in sample.scores.values()]
    positive, negative = (np.array(part) for part in zip(*shares, strict=True))
    return Components(positive, negative, np.ones(positive.shape[1]), np.ones(negative.shape[1]))


def _shares(labels: NDArray[np.bool_], scores: NDArray[Any]) -> tuple[Floats, Floats]:
    _, score_rank = np.unique(scores, return_inverse=True)
    size = int(score_rank.max()) + 1
    positive, negative = (
        np.bincount(score_rank[rows], minlength=size) for rows in (labels, ~labels)
    )
    right_of_positive = (np.cumsum(negative) - negative / 2) / negative.sum()
    right_of_negative = 1 - (np.cumsum(positive) - positive / 2) / positive.sum()
    return right_of_positive[score_rank[labels]], right_of_negative[score_rank[~labels]]


def _spread(shares: Floats, times: Floats, of_class: str) -> Floats:
    """Return what one class adds to the covariance of the areas."""
    total = times.sum()
    if total < 2:
        warn(
            f"DeLong's variance is undefined (NaN): there is only one {of_class} row",
            UndefinedWarning,
        )
        return np.full((len(shares), len(shares)), np.nan)
    centred = shares - (shares @ times / total)[:, None]
    return np.asarray((centred * times) @ centred.T / (total - 1) / total)


def _interval(area: float, variance: float, name: str, level: float, scale: str) -> Interval:
    if math.isnan(variance):
        return UNDEFINED
    if variance <= 0:
        label = f"{AUROC} of {name}" if name else AUROC.name
        warn(
            f"the confidence interval of {label} is undefined (NaN): its variance is 0, because "
            "all rows of a class are ranked equally well",
            UndefinedWarning,
        )
        return UNDEFINED
    half = NORMAL.inv_cdf((1 + level) / 2) * math.sqrt(variance)
    if scale == "plain":
        return Interval(area - half, area + half)
    # 0 < area < 1, since the shares of an area of 0 or 1 are all equal.
    middle, stretch = math.log(area / (1 - area)), half / (area * (1 - area))
    low, high = (1 / (1 + math.exp(-end)) for end in (middle - stretch, middle + stretch))
    return Interval(low, high)


def _differences(gaps: list[_Gap], level: float) -> Differences:
    found = []
    for first, second, gap, variance in gaps:
        # Two equal rankings have exactly equal shares, but for the rounding of their sums.
        error = math.sqrt(variance) if variance > 1e-24 else math.nan
        if math.isnan(error):
            warn(
                f"the difference of {first} and {second} has no standard error (NaN): "
                "its variance is 0 or not known",
                UndefinedWarning,
            )
        half = NORMAL.inv_cdf((1 + level) / 2) * error
        ends, p = Interval(gap - half, gap + half), two_sided_p(gap / error)
        found.append(Difference(gap, ends, error, p, math.nan))
    names = [(first, second) for first, second, *_ in gaps]
    return differences_of(AUROC.name, names, found, level=level, replicates=0)
