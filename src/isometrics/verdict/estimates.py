"""What a choice is worth on new data, and how sure it is: corrections, intervals, rivals.

All values are gains, of which more is better. `benchmarks/verdict.md` and
`benchmarks/verdict_choice.md` compare these estimators with others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics._counting.best_rules import NO_RULE, Counts
from isometrics.uncertainty.intervals import Interval
from isometrics.verdict.unseen import unseen_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics.verdict.contest import Choices, Contest

REPEATS, FOLDS = 20, 5


class Resampled(NamedTuple):
    """Gains in the replicates: of each model (first axis) in each replicate (second axis)."""

    inside: Floats
    """Of the rules that were chosen in a replicate, in that replicate."""
    outside: Floats
    """Of the same rules in the sample itself."""
    fixed: Floats
    """Of the rules that were chosen in the sample, in the replicate."""


def resampled_of(
    contest: Contest,
    choices: Choices,
    fixed: Sequence[int],
    quantity: Callable[[Counts], Floats],
) -> Resampled:
    """Return a quantity of the rules, such as the gain; `fixed` are those of the sample."""
    rules = np.where(choices.rule == NO_RULE, 0, choices.rule)
    outside = np.stack([quantity(contest.counts(model, rows)) for model, rows in enumerate(rules)])
    return Resampled(
        quantity(choices.counts(contest.ratio)),
        np.where(choices.rule == NO_RULE, np.nan, outside),
        fixed_values(contest, choices.fixed_counts, list(enumerate(fixed)), quantity),
    )


def fixed_values(
    contest: Contest,
    counts: Counts,
    rules: Sequence[tuple[int, int]],
    quantity: Callable[[Counts], Floats],
) -> Floats:
    """Return a quantity of fixed rules in the replicates, which spreads around its mean there.

    Parameters
    ----------
    contest
        The rows.
    counts
        Those of the rules (first axis) in the replicates (second axis).
    rules
        The model and the number of each rule.
    quantity
        What to compute of counts.

    Notes
    -----
    Rows that the sample did not show widen the spread; the mean stays, because what a value is
    corrected by is estimated elsewhere.
    """
    plain = quantity(counts.at_ratio(contest.ratio))
    unseen = unseen_rows(contest, rules, counts.positives.size)
    if unseen is None:
        return plain
    wider = quantity(unseen.added_to(counts).at_ratio(contest.ratio))
    # Where a replicate flags nothing there is nothing to know, whatever was not seen.
    wider = np.where(np.isnan(plain), np.nan, wider)
    with np.errstate(invalid="ignore"):
        shift = np.array([mean_known(row) for row in plain]) - [mean_known(row) for row in wider]
    # A quantity that is infinite without true positives has no finite mean.
    return np.asarray(wider + np.where(np.isfinite(shift), shift, 0.0)[:, None])


def best_models(gains: Floats) -> NDArray[np.intp]:
    """Return the model with the highest gain in each replicate, the first of several."""
    return np.asarray(np.where(np.isnan(gains), -np.inf, gains).argmax(axis=0))


def picked(values: Floats, models: NDArray[np.intp]) -> Floats:
    """Return the values of one model in each replicate."""
    return np.asarray(values[models, np.arange(values.shape[1])])


def mean_known(values: Floats) -> float:
    """Return the mean of what is defined; NaN where nothing is."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def win_shares(gains: Floats) -> Floats:
    """Return the share of the replicates in which each model is best; ties are shared out."""
    known = ~np.isnan(gains).all(axis=0)
    values = np.where(np.isnan(gains), -np.inf, gains)[:, known]
    if values.shape[1] == 0:
        return np.full(gains.shape[0], np.nan)
    wins = values == values.max(axis=0)
    return np.asarray((wins / wins.sum(axis=0)).mean(axis=1))


def interval_at(noise: Floats, centres: Sequence[float], *, level: float) -> Interval:
    """Return percentiles of the noise, laid from the lowest centre to the highest one.

    How far two corrections of one value lie apart tells how sure the correction is. The interval
    holds both of them. An infinite value has no interval.
    """
    known = noise[~np.isnan(noise)]
    if known.size < 2 or not np.isfinite(centres).all():
        return Interval(float("nan"), float("nan"))
    with np.errstate(invalid="ignore"):
        ends = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    # No percentile is defined between minus infinity and a number; such an end is not bounded.
    low, high = np.where(np.isnan(ends), -np.inf, ends).tolist()
    return Interval(min(centres) + min(low, 0.0), max(centres) + max(high, 0.0))


class ConfidenceSet(NamedTuple):
    """The models that cannot be told apart from the best one, and the error of each difference."""

    stays: NDArray[np.bool_]
    margin: Floats
    """Half the width of simultaneous intervals of the differences, models × models."""


def confidence_set(values: Floats, replicates: Floats, level: float = 0.95) -> ConfidenceSet:
    """Return which models cannot be told apart from the best one.

    Parameters
    ----------
    values
        The corrected value of each model; NaN leaves a model out.
    replicates
        Values in replicates, models × replicates; only their joint spread is used.
    level
        The confidence with which the best model is in the set.

    Notes
    -----
    The model confidence set of Hansen, Lunde & Nason (2011) with the statistic T_R: as long as the
    largest difference of two models, in its standard errors, is larger than it is in 95% of the
    replicates around their means, the model that is farthest behind another one leaves.
    """
    stays = ~np.isnan(values)
    margin = np.full((values.size, values.size), np.nan)
    # Models that are left out must not take replicates from the others.
    compared = np.where(stays[:, None], replicates, 0.0)
    compared = compared[:, ~np.isnan(compared).any(axis=0)]
    if compared.shape[1] < 2:
        return ConfidenceSet(stays, margin)
    centred = compared - compared.mean(axis=1, keepdims=True)
    error = _errors_of_differences(centred)
    # Models that never differ cannot be told apart, whatever their corrections are.
    unit = np.where(error > 0, error, np.inf)
    behind = (values - values[:, None]) / unit
    while stays.sum() > 1:
        models = np.flatnonzero(stays)
        pairs = np.ix_(models, models)
        largest = _largest_differences(centred[models], unit[pairs])
        if np.isnan(margin).all():
            margin = float(np.quantile(largest, level)) * np.where(error > 0, error, np.nan)
        farthest = behind[pairs].max(axis=1)
        if np.mean(largest >= farthest.max()) >= 1 - level:
            break
        stays[models[np.argmax(farthest)]] = False
    return ConfidenceSet(stays, margin)


def _errors_of_differences(centred: Floats) -> Floats:
    """Return the standard error of the difference of every two models."""
    return np.stack([np.std(centred - each, axis=1, ddof=1) for each in centred])


def _largest_differences(centred: Floats, error: Floats) -> Floats:
    """Return the largest studentised difference of two models in each replicate."""
    largest = np.zeros(centred.shape[1])
    for model in range(1, len(centred)):
        others = np.abs(centred[model] - centred[:model]) / error[model, :model, None]
        np.maximum(largest, others.max(axis=0), out=largest)
    return largest
