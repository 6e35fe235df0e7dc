"""What to expect of a choice on new data, and how sure and firm it is.

All values are gains, of which more is better. `benchmarks/verdict.md` and
`benchmarks/verdict_choice.md` compare these estimators with others.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from isometrics._core.arrays import plain
from isometrics._counting.best_rules import NO_RULE
from isometrics._counting.confusion import Confusion
from isometrics._counting.hull import vertices
from isometrics.decisions.objective import Linear
from isometrics.uncertainty.intervals import UNDEFINED, Interval
from isometrics.verdict.verdict import OtherWeights

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._counting.best_rules import BestRules
    from isometrics.decisions.objective import Objective
    from isometrics.verdict.contest import Choice, Contest, Options


REPEATS, FOLDS = 20, 5


class Resampled(NamedTuple):
    """Gains in the replicates: of each model (first axis) in each replicate (second axis)."""

    inside: Floats
    """Of the rules that were chosen in a replicate, in that replicate."""
    outside: Floats
    """Of the same rules in the sample itself."""
    fixed: Floats
    """Of the rules that were chosen in the sample, in the replicate."""

    @property
    def optimism(self) -> Floats:
        """How much better choices look in the replicates that they were made in.

        A choice without a true positive may have a gain of minus infinity, of which there is no
        mean.
        """
        differences = self.inside - self.outside
        return np.where(np.isinf(differences), np.nan, differences)


def resampled_of(
    contest: Contest,
    choices: BestRules,
    fixed: Sequence[int],
    quantity: Callable[[Confusion], Floats],
    *,
    chosen_elsewhere: bool = False,
) -> Resampled:
    """Return a quantity of the rules, such as the gain; `fixed` are those of the sample.

    Rules that were chosen elsewhere are not chosen anew, and show no optimism.
    """
    values = fixed_values(contest, choices, list(enumerate(fixed)), quantity)
    if chosen_elsewhere:
        return Resampled(values, values, values)
    rules = np.where(choices.rule == NO_RULE, 0, choices.rule)
    outside = np.stack([quantity(contest.counts(model, rows)) for model, rows in enumerate(rules)])
    return Resampled(
        quantity(choices.counts(contest.ratio)),
        np.where(choices.rule == NO_RULE, np.nan, outside),
        values,
    )


def fixed_values(
    contest: Contest,
    drawn: BestRules,
    rules: Sequence[tuple[int, int]],
    quantity: Callable[[Confusion], Floats],
) -> Floats:
    """Return a quantity of fixed rules in the replicates, which spreads around its mean there.

    A bootstrap draws the rows that are there. If a rule has no false positive among them, it has
    none in any replicate, and its precision would seem to be certain. So rows are drawn besides
    for those of tp, fp, fn and tn that are fewer than five; the same for all rules, so that equal
    rules stay equal.

    Parameters
    ----------
    contest
        The rows.
    drawn
        The counts of the rules (first axis) in the replicates (second axis).
    rules
        The model and the number of each rule. Flagging everything, or nothing, makes its errors by
        definition, and gets no rows besides.
    quantity
        What to compute of counts.

    Notes
    -----
    A count n is n ± √n in a bootstrap, which is about a gamma distribution with the shape n. With
    a gamma variate of the shape ½ besides, it is one with the shape n + ½: what Jeffreys' prior
    (1946) tells of the mean of a Poisson count of n. Where units are clusters or have weights, one
    row is worth Σw²/Σw. The mean stays, because what a value is corrected by is estimated
    elsewhere.
    """
    counts = Confusion(drawn.fixed_tp, drawn.fixed_fp, drawn.positives, drawn.negatives)
    plain = quantity(counts.at_ratio(contest.ratio))
    positive_unit, negative_unit = ((column**2).sum() / column.sum() for column in contest.units.T)
    units = np.array([positive_unit, negative_unit, positive_unit, negative_unit])
    cells = np.full((len(rules), 4), np.inf)
    for own, (model, rule) in zip(cells, rules, strict=True):
        table = contest.tables[model]
        if 0 < rule < table.size - 1:
            seen = float(table.tp[rule]), float(table.fp[rule])
            own[:] = *seen, float(table.positives) - seen[0], float(table.negatives) - seen[1]
    sizes = np.where(cells < FEW_ERRORS * units, units, 0.0)
    if not sizes.any():
        return plain
    unseen = _half_gammas(counts.positives.size)
    tp, fp, fn, tn = sizes.T[:, :, None] * unseen[:, None]
    positives, negatives = counts.positives + tp + fn, counts.negatives + fp + tn
    more = Confusion(counts.tp + tp, counts.fp + fp, positives, negatives)
    wider = quantity(more.at_ratio(contest.ratio))
    # Where a replicate flags nothing there is nothing to know, whatever was not seen.
    wider = np.where(np.isnan(plain), np.nan, wider)
    with np.errstate(invalid="ignore"):
        shift = np.array([mean_known(row) for row in plain]) - [mean_known(row) for row in wider]
    # A quantity that is infinite without true positives has no finite mean.
    return np.asarray(wider + np.where(np.isfinite(shift), shift, 0.0)[:, None])


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
    # A gain of minus infinity has no spread.
    values, replicates = (np.where(np.isinf(each), np.nan, each) for each in (values, replicates))
    stays = ~np.isnan(values)
    margin = np.full((values.size, values.size), np.nan)
    # Models that are left out must not take replicates from the others.
    compared = np.where(stays[:, None], replicates, 0.0)
    compared = compared[:, ~np.isnan(compared).any(axis=0)]
    if compared.shape[1] < 2:
        return ConfidenceSet(stays, margin)
    centred = compared - compared.mean(axis=1, keepdims=True)
    # The standard error of the difference of every two models.
    error = np.stack([np.std(centred - each, axis=1, ddof=1) for each in centred])
    # Models that never differ cannot be told apart, whatever their corrections are.
    unit = np.where(error > 0, error, np.inf)
    behind = (values - values[:, None]) / unit
    while stays.sum() > 1:
        models = np.flatnonzero(stays)
        pairs = np.ix_(models, models)
        # The largest studentised difference of two models in each replicate.
        largest = np.zeros(centred.shape[1])
        for row, model in enumerate(models[1:], 1):
            others = (
                np.abs(centred[model] - centred[models[:row]]) / unit[model, models[:row], None]
            )
            np.maximum(largest, others.max(axis=0), out=largest)
        if np.isnan(margin).all():
            margin = float(np.quantile(largest, level)) * np.where(error > 0, error, np.nan)
        farthest = behind[pairs].max(axis=1)
        if np.mean(largest >= farthest.max()) >= 1 - level:
            break
        stays[models[np.argmax(farthest)]] = False
    return ConfidenceSet(stays, margin)


# ---------------------------------------------------------------------- rows that were not seen

FEW_ERRORS = 5
"""True or false positives or negatives that are as many spread in a bootstrap as they should."""
_STEPS = 1.0850702454914507 ** -np.arange(1.0, 9.0)
"""Powers of the root of x⁹ = x + 1, whose multiples fill a cube of eight dimensions evenly."""


def _half_gammas(count: int) -> Floats:
    """Return variates of the gamma distribution of the shape ½, in four rows.

    Notes
    -----
    They are half the squares of normal variates, by the formula of Box and Muller (1958), at points
    that fill a cube evenly (Roberts 2018). So they are the same wherever they are computed, and
    `web/src/verdict/contest.ts` has the same ones.
    """
    points = (np.arange(1.0, count + 1)[:, None] * _STEPS) % 1
    return np.asarray(-np.log(points[:, :4]) * np.cos(2 * np.pi * points[:, 4:]) ** 2).T


# ---------------------------------------------------------------------- how firm a choice is


def better_than_nothing(
    contest: Contest,
    choices: BestRules,
    choice: Choice,
    fixed: Floats,
    corrected: float,
) -> bool | None:
    """Tell whether the choice beats the best trivial rule in all but 5% of the replicates.

    `fixed` are the gains of the chosen rule there.

    None where that is not known: the value is not defined in the sample, or the choice flags so few
    rows that it has no value in more than 5% of the replicates.
    """
    positives, negatives = contest.totals
    shares = np.array([0.0, 1.0])
    rules = Confusion(shares * positives, shares * negatives, positives, negatives)
    rules = rules.at_ratio(contest.ratio)
    gains = contest.allowed_gain(rules)
    # Flagging nothing, or flagging everything: the better one of those that are allowed.
    share = int(gains[1] >= gains[0])
    if gains[share] == -np.inf:
        return None
    base = float(contest.objective.gain(rules)[share])
    totals = (choices.positives, choices.negatives)
    counts = Confusion(share * totals[0], share * totals[1], *totals).at_ratio(contest.ratio)
    differences = fixed - contest.objective.gain(counts)
    both_classes = (totals[0] > 0) & (totals[1] > 0)
    known = differences[both_classes & ~np.isnan(differences)]
    if known.size < 2 or known.size < 0.95 * np.count_nonzero(both_classes):
        return None
    if (known == 0).all():
        # The choice is the trivial rule itself.
        return False
    lead = float(choice.gains[choice.model]) - base
    noise = float(np.quantile(known, 0.05)) - lead
    return bool(corrected - base + noise > 0)


def doing_nothing(contest: Contest, counts: Confusion) -> dict[str, float]:
    """Return the values of the trivial rules, and of a coin that flags as many rows.

    Those that break a constraint, or for which the objective is not defined, have NaN.
    """
    positives, negatives = counts.positives, counts.negatives
    share = float(counts.flagged)
    shares = {"flagging everything": 1.0, "flagging nothing": 0.0, "flagging at random": share}
    rules = {
        name: Confusion(each * positives, each * negatives, positives, negatives)
        for name, each in shares.items()
    }
    allowed = {name: contest.allowed_gain(rule)[0] > -np.inf for name, rule in rules.items()}
    return {
        name: float(contest.objective.value(rule)) if allowed[name] else math.nan
        for name, rule in rules.items()
    }


_PLATEAU = 0.01
"""How much of the value thresholds may lose that are almost as good."""
_NEAR = 1024
"""How many rules to both sides are looked at first."""


def threshold_range(contest: Contest, model: int, rules: NDArray[np.int64]) -> Interval:
    """Return the range that holds the thresholds chosen in 95% of the replicates."""
    rules = rules[rules != NO_RULE]
    if rules.size == 0:
        return UNDEFINED
    thresholds = contest.tables[model].thresholds[rules]
    # Integers beyond float64 stay exact.
    ends: Any = map(plain, np.quantile(thresholds, [0.025, 0.975], method="inverted_cdf"))
    return Interval(*ends)


def connected(holds: NDArray[np.bool_], centre: int) -> tuple[int, int]:
    """Return the first and the last index of the run of true values around the centre."""
    before, after = np.flatnonzero(~holds[:centre]), np.flatnonzero(~holds[centre:])
    low = int(before[-1]) + 1 if before.size else 0
    high = centre + int(after[0]) - 1 if after.size else len(holds) - 1
    return low, high


def plateau(contest: Contest, model: int, rule: int) -> Interval:
    """Return the connected range of thresholds that are almost as good as the chosen one."""
    table = contest.tables[model]
    if table.size == 2:
        # There is one score, and no threshold next to it.
        return UNDEFINED
    reach = _NEAR
    while True:
        # Most plateaus are short, and of a long table most rules need not be looked at.
        first, end = max(rule - reach, 0), min(rule + reach + 1, table.size)
        counts = contest.counts(model, np.arange(first, end))
        gain = contest.objective.gain(counts)
        best = float(gain[rule - first])
        holds = (contest.allowed_gain(counts) > -np.inf) & (gain >= best - _PLATEAU * abs(best))
        if not holds[rule - first]:
            return UNDEFINED
        low, high = (first + row for row in connected(holds, rule - first))
        if (low > first or first == 0) and (high < end - 1 or end == table.size):
            ends: Any = map(plain, table.thresholds[[high, low]])
            return Interval(*ends)
        reach *= 4


WEIGHTS = (np.arange(41) + 0.5) / 41
"""The weights of recall at which the models are compared."""
_SWEPT = (40, 200)
"""The least and the most replicates in which they are; of more rows fewer are taken."""
_SWEPT_ROWS = 4e7
_WINS = 0.95


def other_weights(contest: Contest, options: Options) -> OtherWeights | None:
    """Return how often each model wins at other weights of recall, in the first replicates."""
    if contest.objective.weights is None or len(contest.names) < 2:
        return None

    def wins(drawn: Floats) -> tuple[Floats, int]:
        models = range(len(contest.names))
        best = np.stack([_best_gains(contest, each, drawn) for each in models])
        best = best[:, ~np.isneginf(best).any(axis=(0, 2))]
        is_best = best == best.max(axis=0)
        return (is_best / is_best.sum(axis=0)).sum(axis=1).T, best.shape[1]

    affordable = min(max(round(_SWEPT_ROWS / contest.units.shape[0]), _SWEPT[0]), _SWEPT[1])
    fewer = options._replace(n_resamples=min(affordable, options.n_resamples))
    parts = fewer.map(contest, wins)
    count = sum(part for _, part in parts)
    shape = (WEIGHTS.size, len(contest.names))
    shares = (
        sum((part for part, _ in parts), np.zeros(shape)) / count
        if count
        else np.full(shape, np.nan)
    )
    betas = np.sqrt(WEIGHTS / (1 - WEIGHTS))
    return OtherWeights(WEIGHTS.copy(), betas, contest.names, shares)


def _best_gains(contest: Contest, model: int, drawn: Floats) -> Floats:
    """Return the highest gain of a model in each replicate, at each weight of recall.

    A rule can only be best if its lowest score has a positive or if it flags nothing, and of those
    that are allowed the ones on their hull.
    """
    positive, negative = contest.class_rows[model]
    first = 0 if contest.objective.allows_nothing else 1
    rules = np.flatnonzero(np.diff(positive.flagged, prepend=-1))[first:]
    gains = np.full((len(drawn), WEIGHTS.size), -np.inf)
    sums = (positive.sums(drawn), negative.sums(drawn))
    whole = not positive.weight.size
    for row, (tp, fp) in enumerate(zip(*sums, strict=True)):
        totals = (tp[-1], fp[-1])
        if 0 in totals:
            continue
        counts = Confusion(tp[rules], fp[rules], *totals).at_ratio(contest.ratio)
        if contest.objective.constraints:
            allowed = contest.allowed_gain(counts) > -np.inf
            counts = counts._replace(tp=counts.tp[allowed], fp=counts.fp[allowed])
        if counts.tp.size > 2:
            path: tuple[NDArray[Any], ...] = (counts.fp, counts.tp)
            if whole and contest.ratio == 0:
                path = (counts.fp.astype(np.int64), counts.tp.astype(np.int64))
            on_hull = vertices(*path)
            counts = counts._replace(tp=counts.tp[on_hull], fp=counts.fp[on_hull])
        if counts.tp.size:
            weight = WEIGHTS[:, None]
            lost = weight * (counts.positives - counts.tp) + (1 - weight) * counts.fp
            by_cost = isinstance(contest.objective, Linear)
            gains[row] = (-lost if by_cost else counts.tp / (counts.tp + lost)).max(axis=1)
    return gains


def beta_range(weights: OtherWeights, model: int, objective: Objective) -> Interval:
    """Return the range of β around the objective's in which the model wins in 95%."""
    own = cast("tuple[float, float]", objective.weights)[0]
    wins = weights.shares[:, model] >= _WINS
    centre = int(np.argmin(np.abs(weights.lam - own)))
    if not wins[centre]:
        return UNDEFINED
    low, high = connected(wins, centre)
    return Interval(float(weights.beta[low]), float(weights.beta[high]))
