"""What the best rule of a model and rules given in advance achieve on new data."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics._core.parameters import parse_random_state
from isometrics._core.progress import reporting
from isometrics._counting.best_rules import Counts
from isometrics.decisions.objective import within
from isometrics.uncertainty.intervals import UNDEFINED, Interval
from isometrics.verdict.contest import Choices
from isometrics.verdict.estimates import fixed_values, interval_at, mean_known, resampled_of
from isometrics.verdict.judge import count_parts, cross_fitted, drawing_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isometrics._core.arrays import Floats
    from isometrics.verdict.contest import Contest, Drawn
    from isometrics.verdict.judge import Options


class Estimate(NamedTuple):
    """A value to expect on new data, with an interval."""

    expected: float
    interval: Interval

    def within(self, limits: tuple[float, float]) -> Estimate:
        """Return the nearest estimate of what lies between limits."""
        expected, *ends = (within(each, limits) for each in (self.expected, *self.interval))
        return Estimate(expected, Interval(*ends))


UNKNOWN = Estimate(float("nan"), UNDEFINED)


class RuleEstimates(NamedTuple):
    """The best rule, the rules given, and how much better the best one is than each of these."""

    best: Estimate
    given: tuple[Estimate, ...]
    shortfall: tuple[Estimate, ...]


@np.errstate(invalid="ignore")  # gains may be minus infinity
def estimate_rules(
    contest: Contest,
    best: int,
    given: Sequence[int],
    options: Options,
    *,
    chosen_elsewhere: bool = False,
) -> RuleEstimates:
    """Estimate rules of the only model of a contest.

    The rule that was chosen on these rows is corrected for the choice, as in a verdict. A rule
    given in advance needs no correction: its interval is that of a plain bootstrap. Differences
    are taken in the same replicates.

    Parameters
    ----------
    contest
        The rows of one model.
    best
        The rule that was chosen on them: so many of the highest distinct scores are flagged.
    given
        The rules given in advance.
    options
        How the rows are drawn again.
    chosen_elsewhere
        Whether the best rule was chosen on other rows, so that it needs no correction either.
    """
    seeds = parse_random_state(options.random_state).spawn(2)
    with reporting(options.progress, "resamples") as report:
        drawing = drawing_of(options, seeds[0], report)
        kernel, flags = drawing.kernel.name, _flags(contest, given)
        parts = drawing.map(
            contest,
            lambda drawn: (contest.choose(drawn, kernel, (best,)), _sums(drawn, flags)),
        )
    choices = Choices.joined([part for part, _ in parts])
    sums = np.concatenate([part for _, part in parts], axis=-1)
    quantity, level = contest.objective.value, options.confidence_level

    drawn = resampled_of(contest, choices, [best], quantity)
    here = float(quantity(contest.counts(0, best)))
    corrected = honest = here
    if not chosen_elsewhere:
        corrected = here - mean_known(drawn.inside[0] - drawn.outside[0])
        parts_of_rows = count_parts(contest)
        (crossed,) = cross_fitted([contest], seeds[1], options.kernel, None, parts_of_rows)
        honest = mean_known(quantity(crossed))
    noise = drawn.fixed[0] - here
    interval = interval_at(noise, (corrected, honest), level=level)
    chosen = Estimate(honest, interval).within(contest.objective.limits)

    estimates, shortfalls = [], []
    sign = 1 if contest.objective.higher_is_better else -1
    counts = Counts(sums[:, 0], sums[:, 1], choices.positives, choices.negatives)
    in_replicates = fixed_values(contest, counts, [(0, rule) for rule in given], quantity)
    for rule, values in zip(given, in_replicates, strict=True):
        value = float(quantity(contest.counts(0, rule)))
        own = values - value
        given_rule = Estimate(value, interval_at(own, (value,), level=level))
        estimates.append(given_rule.within(contest.objective.limits))
        if contest.objective.criterion == "break-even":
            # It is the closest to 0, and neither the highest nor the lowest.
            shortfalls.append(UNKNOWN)
            continue
        centres = [sign * (centre - value) for centre in (corrected, honest)]
        interval = interval_at(sign * (noise - own), centres, level=level)
        shortfalls.append(Estimate(centres[1], interval))
    return RuleEstimates(chosen, tuple(estimates), tuple(shortfalls))


def _flags(contest: Contest, rules: Sequence[int]) -> Floats:
    """Return the weight of the positives and the negatives of each unit that each rule flags."""
    ranking = contest.rankings[0]
    weight = ranking.weight if ranking.weight.size else np.ones(ranking.unit.size)
    size = contest.units.shape[0]
    columns = [
        np.bincount(ranking.unit, weight * (ranking.rule <= rule) * rows, size)
        for rule in rules
        for rows in (ranking.positive, ~ranking.positive)
    ]
    return np.array(columns, np.float64).reshape(len(rules), 2, size)


def _sums(drawn: Drawn, flags: Floats) -> Floats:
    """Return true and false positives of each rule (first axes) under each weighting (last)."""
    return np.asarray(flags @ drawn.T.astype(np.float64))
