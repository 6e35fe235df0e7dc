"""What to expect of a choice on new data, and how sure and firm it is.

All values are gains, of which more is better. `benchmarks/verdict_real.md` compares these
estimators with the truth, and `benchmarks/verdict.md` simple ones with each other.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from isometrics._counting.best_rules import NO_RULE
from isometrics._counting.confusion import Confusion, wilson_bound
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
    from isometrics.verdict.contest import Contest, Options


_SHRUNK = 0.9
"""How much of the loss on rows left out a choice on all rows has.

The parts of a cross-fitting are made on four fifths of the rows, and losses shrink about like the
root of their number.
"""
_STRETCHED = 1.2
"""How much more a choice loses than the bootstrap tells, whose replicates repeat rows."""
_UNSURE = 0.4
"""The variance of a correction, as a share of its square."""


class Estimate(NamedTuple):
    """What to expect of a quantity on new data, and how sure that is."""

    expected: float
    interval: Interval
    correction: float = 0.0
    """By how much the value in the sample was lowered."""
    limits: tuple[float, float] = (-math.inf, math.inf)
    rows: float = math.nan
    """How many independent rows tell as much, if the quantity is a share of its limits."""

    def chance_beyond(self, level: float, *, is_limit: bool) -> float:
        """Return the chance that the truth lies below a level, or above one that is a limit.

        It is the confidence of the interval that ends there on one side.
        """
        low, high = self.limits
        share, at = ((each - low) / (high - low) for each in (self.expected, level))
        if math.isnan(self.rows):
            return math.nan
        short = share - at if is_limit else at - share
        if not 0 < at < 1 or self.rows == math.inf:
            return float(short > 0)
        return NormalDist().cdf(short / math.sqrt(at * (1 - at) / self.rows))


def correction(here: float, elsewhere: float, optimism: float = math.nan) -> float:
    """Return how much better a choice looks on the rows that it was made on.

    Parameters
    ----------
    here
        A quantity in the sample.
    elsewhere
        The same of such choices on rows that they were not made on.
    optimism
        How much better choices look in the replicates that they are made in; NaN if not known.

    Notes
    -----
    The mean of two estimates, by cross-fitting and by the bootstrap (Efron 1983), is less noisy
    than either. `benchmarks/verdict_real.md` compares it with the truth.
    """
    crossed = _SHRUNK * (here - elsewhere)
    return crossed if math.isnan(optimism) else (crossed + _STRETCHED * optimism) / 2


def optimism(contest: Contest, best: BestRules, quantity: Callable[[Confusion], Floats]) -> float:
    """Return how much higher a quantity of the best rules is in replicates than in the sample.

    A choice without a true positive may have a gain of minus infinity, of which there is no mean.
    """
    gains = contest.objective.gain(best.counts(contest.ratio))
    winner = np.where(np.isnan(gains), -np.inf, gains).argmax(axis=0)
    rules = np.take_along_axis(best.rule, winner[None], axis=0)[0]
    inside = np.take_along_axis(quantity(best.counts(contest.ratio)), winner[None], axis=0)[0]
    outside = np.full(inside.shape, np.nan)
    for model in range(len(contest.names)):
        own = (winner == model) & (rules != NO_RULE)
        outside[own] = quantity(contest.counts(model, rules[own]))
    differences = inside - outside
    return mean_known(differences[np.isfinite(differences)])


def estimate(
    expected: float, correction: float, drawn: Floats, limits: tuple[float, float], level: float
) -> Estimate:
    """Return what to expect of a rule, with an interval.

    Parameters
    ----------
    expected
        The quantity in the sample, less the correction.
    correction
        How much that is; 0 for a rule that was chosen elsewhere.
    drawn
        The quantity of this rule in replicates of the rows.
    limits
        The least and the highest value there can be.
    level
        The confidence of the interval.

    Notes
    -----
    The interval is that of Wilson (1927) for a share of so many rows that its variance is the one
    seen: that of the rule in the replicates, and that of the correction. Choices with a small
    correction are often those that were lucky, so a share of its square counts as variance.
    `benchmarks/verdict_real.md` compares the intervals with the truth.
    """
    low, high = limits
    # NaN stays.
    expected = float(np.clip(expected, low, high))
    known = drawn[np.isfinite(drawn)]
    if known.size < 2 or not math.isfinite(expected):
        return Estimate(expected, UNDEFINED, correction, limits)
    error = math.sqrt(float(known.var(ddof=1)) + _UNSURE * correction**2)
    z = NormalDist().inv_cdf((1 + level) / 2)
    if not math.isfinite(high - low):
        ends = Interval(max(expected - z * error, low), min(expected + z * error, high))
        return Estimate(expected, ends, correction, limits)
    share, mean = ((each - low) / (high - low) for each in (expected, float(known.mean())))
    typical = (share + mean) / 2
    rows = math.inf
    if error > 0:
        # Rules that no row contradicts are as sure as one more row could make them.
        rows = max(typical * (1 - typical) * ((high - low) / error) ** 2, 1.0)
    if rows == math.inf:
        return Estimate(expected, Interval(expected, expected), correction, limits, rows)
    lower, upper = (low + (high - low) * wilson_bound(share, rows, side * z) for side in (1, -1))
    # No row contradicts a limit that the sample itself reaches. Rounding may put an end on the
    # wrong side.
    here = expected + correction
    ends = Interval(
        low if min(here, expected) <= low else min(float(lower), expected),
        high if max(here, expected) >= high else max(float(upper), expected),
    )
    return Estimate(expected, ends, correction, limits, rows)


def lower_end_error(found: Estimate, elsewhere: Floats, drawn: Floats, level: float) -> float:
    """Return the standard error of the lower end of an estimate between seeds.

    Parameters
    ----------
    found
        The estimate.
    elsewhere
        The quantity of choices on rows they were not made on, in each dealing of the rows; a
        single dealing is taken to be as far off as half the spread of the rule, as is typical.
    drawn, level
        As for `estimate`.

    Notes
    -----
    The end is e - z √(v + u c²), where the correction c lowers e, too, and v is the variance in R
    replicates, whose own error is v √(2/R). Its derivatives by c and v are -1 - z u c/√(v + u c²)
    and -z/(2 √(v + u c²)). Half of the correction is a mean over dealings, and half one over
    replicates, in which differences vary about as much as the rule itself.
    """
    known = elsewhere[np.isfinite(elsewhere)]
    values = drawn[np.isfinite(drawn)]
    if min(known.size, values.size - 1) < 1:
        return 0.0
    variance, z = float(values.var(ddof=1)), NormalDist().inv_cdf((1 + level) / 2)
    of_mean = variance / 4 if known.size == 1 else float(known.var(ddof=1)) / known.size
    total = variance + _UNSURE * found.correction**2
    if total == 0:
        return 0.0
    slope = 1 + z * _UNSURE * found.correction / math.sqrt(total)
    of_correction = (_SHRUNK**2 * of_mean + _STRETCHED**2 * variance / values.size) / 4
    of_variance = z**2 * variance**2 / (2 * values.size * total)
    return math.sqrt(slope**2 * of_correction + of_variance)


def fixed_values(
    contest: Contest,
    counts: Confusion,
    rules: Sequence[tuple[int, int]],
    quantity: Callable[[Confusion], Floats],
) -> Floats:
    """Return a quantity of fixed rules in the replicates.

    A bootstrap draws the rows that are there. If a rule has no false positive among them, it has
    none in any replicate, and its precision would seem to be certain. So rows are drawn besides
    for those of tp, fp, fn and tn that are fewer than five; the same for all rules, so that equal
    rules stay equal.

    Parameters
    ----------
    contest
        The rows.
    counts
        The counts of the rules (first axis) in the replicates (second axis), as drawn.
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
    row is worth Σw²/Σw.
    """
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
    return np.where(np.isnan(plain), np.nan, wider)


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


def known_gains(gains: Floats) -> Floats:
    """Replace what is not known, or infinite, by less than anything that is."""
    known = np.isfinite(gains)
    worst = gains[known].min() - 1 if known.any() else 0.0
    return np.where(known, gains, worst)


class Leads(NamedTuple):
    """How much better a model is than each model, and half the width of the intervals."""

    lead: Floats
    margin: Floats
    error: Floats
    """The standard error of the ends of the intervals between seeds."""

    @property
    def told_apart(self) -> NDArray[np.bool_]:
        """Which models are worse than this one beyond chance."""
        return self.lead > self.margin

    @property
    def ahead(self) -> NDArray[np.bool_]:
        """Which models are better than the chosen one beyond chance, as tuning data may have it."""
        return -self.lead > self.margin

    @property
    def barely(self) -> bool:
        """Whether other resamples may well tell other models apart."""
        return any(map(is_near, np.abs(self.lead), self.margin, self.error))

    def interval(self, model: int) -> Interval:
        """Return the interval of the lead over a model."""
        lead, margin = float(self.lead[model]), float(self.margin[model])
        return Interval(lead - margin, lead + margin)


def leads(model: int, best: Floats, fixed: Floats, level: float) -> Leads:
    """Compare a model with all models, by the mean gain of their best rules.

    The chosen one has the highest, unless it was chosen elsewhere. The intervals hold for all
    models together.

    Parameters
    ----------
    model
        The number of the chosen model.
    best
        The gain of each model's best rule in each replicate; a number everywhere.
    fixed
        The gains of the chosen rules there.
    level
        The confidence.

    Notes
    -----
    The margins are those of multiple comparisons with one model (Dunnett 1955): the quantile of
    the largest studentised difference in the replicates. How much the difference varies is told
    by rules that are chosen anew, and by fixed ones: in noise the latter hardly vary, of good
    models the former.

    The ends of the intervals move between seeds. The mean of R differences has the variance σ²/R.
    The quantile q of the largest difference, at the confidence c, has the variance
    c(1 - c)/(R f²), where f is the density there. The tail 1 - c beyond q is that of some normal
    variates, so f is (1 - c) φ(q)/(1 - Φ(q)). A spread s has the variance s²/(2R); with a single
    difference it cancels, as the quantile is that of the difference itself.
    """
    differences = best[model] - best
    with np.errstate(invalid="ignore"):
        of_fixed = fixed[model] - fixed
    known = [each[np.isfinite(each)] for each in of_fixed]
    spread = [float(each.std()) if each.size else 0.0 for each in known]
    lead = differences.mean(axis=1)
    own = differences.std(axis=1)
    error = np.maximum(own, spread)
    studentised = np.abs(differences - lead[:, None]) / np.where(own > 0, own, np.inf)[:, None]
    quantile = float(np.quantile(studentised.max(axis=0), level))
    normal = NormalDist()
    tail = 1 - normal.cdf(quantile)
    density = (1 - level) * normal.pdf(quantile) / tail if tail > 0 else math.inf
    of_margin = level * (1 - level) / density**2
    if np.count_nonzero(error) > 1:
        of_margin += quantile**2 / 2
    variance = differences.var(axis=1) + of_margin * error**2
    return Leads(lead, quantile * error, np.sqrt(variance / best.shape[1]))


def is_near(end: float, border: float, error: float) -> bool:
    """Tell whether an end lies within two or three of its errors of a border, if it has any."""
    return error > 0 and abs(end - border) <= 2.5 * error


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


class BetterThanNothing(NamedTuple):
    """Whether a choice is better than flagging nothing or everything; None where not known."""

    answer: bool | None
    barely: bool = False


def better_than_nothing(
    contest: Contest,
    chosen: Estimate,
    drawn: tuple[Floats, Confusion],
    elsewhere: Floats,
    level: float,
) -> BetterThanNothing:
    """Tell whether a choice is better than the best trivial rule that is allowed.

    Parameters
    ----------
    contest
        The models.
    chosen
        The gain to expect of the choice.
    drawn
        Its gain in the replicates, and the totals there.
    elsewhere
        The gain of choices on rows they were not made on, in each dealing of the rows.
    level
        The confidence, of an interval with one end.

    Notes
    -----
    Both are compared in the same replicates: that of flagging everything depends on how many rows
    are positive, and so does that of the choice. Half of the correction is subtracted, which calls
    noise better in 1% of samples, and weak models often enough: `benchmarks/verdict_demands.md`.
    Where the whole interval of the choice lies above what the trivial rule has on these rows, it
    is better, too.
    """
    gain, ratio = contest.objective.gain, contest.ratio
    shares = np.array([0.0, 1.0])
    positives, negatives = contest.totals
    rules = Confusion(shares * positives, shares * negatives, positives, negatives).at_ratio(ratio)
    # What ranks rules is not always their gain.
    gains = np.where(contest.allowed_gain(rules) > -np.inf, gain(rules), -np.inf)
    share, base = int(gains[1] >= gains[0]), float(gains.max())
    if base == -math.inf:
        return BetterThanNothing(None)
    values, (_, _, *totals) = drawn
    trivial = gain(Confusion(share * totals[0], share * totals[1], *totals).at_ratio(ratio))
    apart, one_end = values - trivial, max(2 * level - 1, 0.0)
    known, lower = apart[~np.isnan(apart)], chosen.interval.lower
    if known.size and not known.any():
        # The choice is the trivial rule itself.
        return BetterThanNothing(False)
    both_classes = np.count_nonzero((totals[0] > 0) & (totals[1] > 0))
    # A choice that often flags nothing in the replicates is hardly known.
    if math.isnan(lower) or known.size < 0.95 * both_classes:
        return BetterThanNothing(None)
    unlimited = (-math.inf, math.inf)
    lead = estimate(chosen.expected + chosen.correction / 2 - base, 0.0, apart, unlimited, one_end)
    end = max(lead.interval.lower, lower - base)
    error = lower_end_error(lead, elsewhere, apart, one_end)
    return BetterThanNothing(end > 0, is_near(end, 0.0, error))


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
    high, low = np.quantile(rules, [0.025, 0.975], method="inverted_cdf").tolist()
    return Interval(contest.threshold_of(model, low), contest.threshold_of(model, high))


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
            return Interval(contest.threshold_of(model, high), contest.threshold_of(model, low))
        reach *= 4


WEIGHTS = (np.arange(41) + 0.5) / 41
"""The weights of recall at which the models are compared."""
_SWEPT = (20, 200)
"""The least and the most replicates in which they are; of more rows fewer are taken."""
_SWEPT_ROWS = 4e7
_WINS = 0.95


def other_weights(contest: Contest, options: Options) -> OtherWeights | None:
    """Return how often each model wins at other weights of recall, in the first replicates."""
    if contest.objective.weights is None or len(contest.names) < 2:
        return None

    def wins(drawn: Floats, _: int) -> tuple[Floats, int]:
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
