"""From rows or tables to a verdict: choose, correct, compare, warn."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.parameters import parse_jobs, parse_random_state
from isometrics._core.progress import part_of_progress, reporting
from isometrics._core.results import several
from isometrics._core.threshold_text import threshold_text
from isometrics._counting.best_rules import Counts
from isometrics._counting.replicates import kernel_named
from isometrics._table.table import lower_scores
from isometrics.decisions.decision import decision_of
from isometrics.decisions.objective import Objective
from isometrics.errors import ParameterError
from isometrics.uncertainty.intervals import UNDEFINED, Interval
from isometrics.verdict.caveats import caveats_of
from isometrics.verdict.choice import Choice, choose, choose_each
from isometrics.verdict.contest import Chooser, Contest, Drawing
from isometrics.verdict.doing_nothing import better_than_nothing, doing_nothing
from isometrics.verdict.estimates import (
    FOLDS,
    REPEATS,
    ConfidenceSet,
    best_models,
    confidence_set,
    fixed_values,
    interval_at,
    mean_known,
    picked,
    resampled_of,
    win_shares,
)
from isometrics.verdict.firmness import plateau, threshold_range
from isometrics.verdict.other_weights import beta_range, other_weights
from isometrics.verdict.verdict import Kept, ModelValue, OtherWeights, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._core.progress import ProgressLike
    from isometrics._table.table import Table
    from isometrics.decisions.objective import Constraint
    from isometrics.verdict.contest import Choices, Progress


class Options(NamedTuple):
    """How a verdict is reached."""

    confidence_level: float = 0.95
    n_resamples: int = 2000
    random_state: object = 0
    n_jobs: int | None = None
    kernel: str = "auto"
    progress: ProgressLike = None


def judge(contest: Contest, options: Options, folds: NDArray[np.int64] | None = None) -> Verdict:
    """Choose on these rows, and correct what they promise for the choice."""
    return _judge_each([contest], options, folds)[0]


def judge_betas(contest: Contest, betas: Sequence[float], options: Options) -> list[Verdict]:
    """Judge for each β of F what `judge` says of it, from the same resamples and folds.

    Parameters
    ----------
    contest
        The models; its objective is replaced.
    betas
        Numbers from 0 to infinity.
    options
        How the verdicts are reached.
    """
    contests = [replace(contest, objective=Objective(beta=beta)) for beta in betas]
    return _judge_each(contests, options, None)


def _judge_each(
    contests: Sequence[Contest], options: Options, folds: NDArray[np.int64] | None
) -> list[Verdict]:
    """Judge contests that differ in their objectives alone."""
    rows = contests[0]
    seeds = parse_random_state(options.random_state).spawn(2)
    kernel = drawing_of(options, seeds[0]).kernel.name
    choices = choose_each(contests, kernel)
    fixed = [tuple(max(rule, 0) for rule in choice.rules) for choice in choices]
    with reporting(options.progress, "resamples") as report:
        drawing = drawing_of(options, seeds[0], report)
        drawn = Chooser(contests, kernel, fixed).resample(drawing)
    parts = count_parts(rows) if folds is None else 0
    crossed = cross_fitted(contests, seeds[1], options.kernel, folds, parts)
    # How often models win at other weights does not depend on β, but on whether flagging nothing
    # is allowed, as it is for recall alone.
    distinct = {each.objective.allows_nothing: each for each in contests}
    weights = {
        nothing: other_weights(contest, drawing_of(options, seeds[0]))
        for nothing, contest in distinct.items()
    }
    return [
        replace(
            _judged(
                *each,
                options,
                weights=weights[each[0].objective.allows_nothing],
                method=_method(parts),
            ),
            _rows_alone=folds is None and not rows.clustered,
        )
        for each in zip(contests, choices, drawn, crossed, strict=True)
    ]


@np.errstate(invalid="ignore")
def _judged(
    contest: Contest,
    choice: Choice,
    choices: Choices,
    crossed: Counts,
    options: Options,
    *,
    weights: OtherWeights | None,
    method: str,
) -> Verdict:
    """Put a verdict together from the choice on these rows and from those on others."""
    objective = contest.objective
    drawn = resampled_of(contest, choices, choice.rules, objective.gain)
    winners = best_models(drawn.inside)
    level = options.confidence_level

    apparent = float(choice.gains[choice.model])
    corrected = apparent - _optimism(picked(drawn.inside, winners), picked(drawn.outside, winners))
    honest = mean_known(objective.gain(crossed))
    fixed = drawn.fixed[choice.model]
    # Each model is corrected for the choice of its own threshold, and as much as the chosen one for
    # the choice among the models, so that their values can be compared.
    own = choice.gains - np.array([*map(_optimism, drawn.inside, drawn.outside)])
    behind = own[choice.model] - own
    behind[choice.model] = 0.0
    limits = objective.gain_limits
    estimates = [np.clip(centre - behind, *limits) for centre in (corrected, honest)]

    better = better_than_nothing(contest, choices, choice, fixed, corrected)
    return _verdict(
        contest,
        choice,
        options,
        models=_model_values(contest, choice.gains, estimates, drawn.fixed, level),
        kept=tuple(
            _kept(each, contest, choice, choices, crossed=crossed, level=level)
            for each in objective.constraints
        ),
        wins=win_shares(drawn.inside),
        rivals=_rivals(choice, own, estimates[-1], (drawn.inside, drawn.fixed), level),
        threshold_range=threshold_range(contest, choice.model, choices.rule[choice.model]),
        # A choice that cannot be judged on other rows is not known to be better.
        better=None if better and math.isnan(honest) else better,
        weights=weights,
        method=method,
    )


def _optimism(inside: Floats, outside: Floats) -> float:
    """Return how much better choices look on the rows that they were made on, on average.

    A choice without a true positive may have a gain of minus infinity, of which there is no mean.
    """
    differences = inside - outside
    return mean_known(np.where(np.isinf(differences), np.nan, differences))


def _model_values(
    contest: Contest, here: Floats, estimates: Sequence[Floats], fixed: Floats, level: float
) -> tuple[ModelValue, ...]:
    """Return what to expect of each model, all corrected in the same way.

    Parameters
    ----------
    contest
        The models.
    here
        The gain of each on these rows.
    estimates
        The corrected gains of the models, by one correction or two; the last one is shown, and the
        interval holds all of them.
    fixed
        The gains of the same rules in the replicates.
    level
        The confidence of the intervals.
    """
    objective = contest.objective
    ends = [
        interval_at(drawn - gain, centres, level=level)
        for drawn, gain, *centres in zip(fixed, here.tolist(), *estimates, strict=True)
    ]
    values = (map(objective.value_of_gain, gains.tolist()) for gains in (here, estimates[-1]))
    intervals = (_in_units(objective, each) for each in ends)
    return tuple(map(ModelValue, contest.names, *values, intervals))


def _in_units(objective: Objective, ends: Interval) -> Interval:
    """Return an interval of gains in the units of the objective, the lower end first."""
    return Interval(*sorted(map(objective.value_of_gain, ends)))


def drawing_of(
    options: Options, seed: np.random.SeedSequence, progress: Progress | None = None
) -> Drawing:
    """Return how the units of a contest are drawn."""
    jobs = parse_jobs(options.n_jobs)
    return Drawing(options.n_resamples, seed, jobs, options.kernel, progress)


def count_parts(contest: Contest) -> int:
    """Return into how many parts the rows are dealt; both classes have units in each."""
    least = min(int((column > 0).sum()) for column in contest.units.T)
    return min(FOLDS, least)


def _method(parts: int) -> str:
    """Say how the expected value was found; 0 parts are folds that were given."""
    if parts == 0:
        return (
            "The expected value pools the counts of choices that were made on the other folds, so "
            "it is that of the whole procedure; model and threshold use all rows."
        )
    if parts == 1:
        return "What to expect on new data is not known: a class has too few rows to be split."
    made_on = "one half" if parts == 2 else f"{parts - 1} of {parts} parts"
    return (
        f"For the expected value, the choice was made on {made_on} of the rows and judged on the "
        f"other, {REPEATS} times."
    )


def cross_fitted(
    contests: Sequence[Contest],
    seed: np.random.SeedSequence,
    kernel: str,
    folds: NDArray[np.int64] | None,
    parts: int,
) -> list[Counts]:
    """Return the pooled counts of choices that were judged on rows they were not made on."""
    if parts == 1:
        nothing = np.full(1, np.nan)
        return [Counts(nothing, nothing, nothing, nothing) for _ in contests]
    rows = contests[0]
    chooser = Chooser(contests, kernel_named(kernel).name)
    if folds is not None:
        return chooser.crossed(folds)
    random = np.random.default_rng(seed)
    pooled = [chooser.crossed(rows.folds(parts, random)) for _ in range(REPEATS)]
    return [
        Counts(*(np.array(column) for column in zip(*each, strict=True)))
        for each in zip(*pooled, strict=True)
    ]


class Rivals(NamedTuple):
    """The second best model, the lead over it, and the models that cannot be told apart."""

    runner_up: int | None
    lead: float
    interval: Interval
    together: NDArray[np.bool_]


def _rivals(
    choice: Choice,
    own: Floats,
    expected: Floats,
    replicates: tuple[Floats, Floats],
    level: float,
) -> Rivals:
    """Compare the models in their paired replicates, each with its own threshold.

    Parameters
    ----------
    choice
        The models and their rules.
    own
        The gain of each model, corrected for the choice of its own threshold.
    expected
        The gains that are shown.
    replicates
        The gains that tell the spread of the differences: for the set of the models that cannot be
        told apart, and for the interval of the lead.
    level
        The confidence of both.
    """
    first = choice.model
    others = [model for model in choice.order.tolist() if model != first]
    if not others:
        return Rivals(None, math.nan, UNDEFINED, np.ones(1, np.bool_))
    second = max(others, key=np.where(np.isnan(own), -np.inf, own).__getitem__)
    lead = float(expected[first] - expected[second])
    spread, fixed = (_confidence_set(own, drawn, level) for drawn in replicates)
    # The best model as seen on these rows is always in the set.
    spread.stays[choice.order[0]] = True
    margin = float(fixed.margin[first, second])
    lower, upper = lead - margin, lead + margin
    if spread.stays[first] and spread.stays[second]:
        # Of models that cannot be told apart the interval reaches 0, though a margin at fixed
        # thresholds may be narrower. Python's min and max would take a NaN for a number, or not,
        # depending on the order.
        lower, upper = float(np.minimum(lower, 0.0)), float(np.maximum(upper, 0.0))
    return Rivals(second, lead, Interval(lower, upper), spread.stays)


def _confidence_set(values: Floats, replicates: Floats, level: float) -> ConfidenceSet:
    """Leave out models and replicates whose gain is minus infinity, which has no spread."""
    known, drawn = (np.where(np.isinf(gains), np.nan, gains) for gains in (values, replicates))
    return confidence_set(known, drawn, level)


def _kept(
    constraint: Constraint,
    contest: Contest,
    choice: Choice,
    choices: Choices,
    *,
    crossed: Counts,
    level: float,
) -> Kept:
    """Correct what a constraint promises in the same way as the value."""
    here = float(constraint.of(contest.counts(choice.model, choice.rules[choice.model])))
    drawn = resampled_of(contest, choices, choice.rules, constraint.of)
    winners = best_models(contest.objective.gain(choices.counts(contest.ratio)))
    optimism = mean_known(picked(drawn.inside, winners) - picked(drawn.outside, winners))
    expected = mean_known(constraint.of(crossed))
    noise = drawn.fixed[choice.model] - here
    centres = (here - optimism, expected)
    interval = interval_at(noise, centres, level=level)
    known = noise[~np.isnan(noise)]
    missed = float(np.mean(~constraint.met(expected + known))) if known.size else math.nan
    return Kept.of(constraint, here, expected, interval, missed)


# ---------------------------------------------------------------------- tuning data


@np.errstate(invalid="ignore")
def judge_tuned(tuning: Contest, test: Contest, options: Options) -> Verdict:
    """Choose on tuning data and judge on these rows, where nothing needs correcting."""
    if tuning.names != test.names:
        raise ParameterError(
            f"the tuning data has the models {several(list(tuning.names))} but these rows have "
            f"{several(list(test.names))}; give both the same models"
        )
    choice = choose(tuning)
    rules = []
    for model, rule in enumerate(choice.rules):
        threshold = tuning.tables[model].thresholds[max(rule, 0)]
        # No score reaches +inf, so a rule that flags nothing there flags nothing here.
        flagged = np.searchsorted(-test.tables[model].thresholds[1:], -threshold, "right")
        rules.append(int(flagged))
    seeds = parse_random_state(options.random_state).spawn(2)
    on_tuning = tuple(max(rule, 0) for rule in choice.rules)
    with reporting(options.progress, "resamples") as report:
        progress = [part_of_progress(report, part, 2) for part in range(2)]
        drawn_tuning = _resample(tuning, on_tuning, drawing_of(options, seeds[1], progress[0]))
        choices = _resample(test, tuple(rules), drawing_of(options, seeds[0], progress[1]))
    objective = test.objective
    gains = np.array([float(objective.gain(test.counts(m, r))) for m, r in enumerate(rules)])
    judged = Choice(tuple(rules), gains, choice.model)
    fixed = fixed_values(test, choices.fixed_counts, list(enumerate(rules)), objective.gain)
    level = options.confidence_level
    here = float(gains[choice.model])
    inside = objective.gain(drawn_tuning.counts(tuning.ratio))
    found = _verdict(
        test,
        judged,
        options,
        models=_model_values(test, gains, [gains], fixed, level),
        kept=tuple(
            _kept_as_seen(each, test, judged, choices, level) for each in objective.constraints
        ),
        wins=win_shares(inside),
        rivals=_rivals(judged, gains, gains, (fixed, fixed), level),
        threshold_range=threshold_range(tuning, choice.model, drawn_tuning.rule[choice.model]),
        better=better_than_nothing(test, choices, judged, fixed[choice.model], here),
        weights=other_weights(test, drawing_of(options, seeds[0])),
        method=(
            "Model and threshold were chosen on the tuning data and are judged on these rows, so "
            "the value needs no correction."
        ),
    )
    range_below = _lower_ends(tuning.tables[choice.model], found.threshold_range)
    below = (*range_below, *found._below[2:])
    threshold = _tuned_threshold(tuning, test, choice)
    return replace(found, **threshold, _below=below)


def _resample(contest: Contest, fixed: tuple[int, ...], drawing: Drawing) -> Choices:
    """Draw the units again many times, and choose anew each time."""
    return Chooser([contest], drawing.kernel.name, [fixed]).resample(drawing)[0]


def _tuned_threshold(tuning: Contest, test: Contest, choice: Choice) -> dict[str, Any]:
    """Return the threshold of the tuning data; its text flags the same rows in both data sets."""
    tables = (tuning.tables[choice.model], test.tables[choice.model])
    threshold = tables[0].thresholds[choice.rules[choice.model]]
    below = [lower_scores(table, threshold[None])[0] for table in tables]
    return {"threshold": threshold.item(), "threshold_text": threshold_text(threshold, *below)}


def _kept_as_seen(
    constraint: Constraint, contest: Contest, choice: Choice, choices: Choices, level: float
) -> Kept:
    here = float(constraint.of(contest.counts(choice.model, choice.rules[choice.model])))
    rules = list(enumerate(choice.rules))
    values = fixed_values(contest, choices.fixed_counts, rules, constraint.of)[choice.model]
    known = values[~np.isnan(values)]
    interval = interval_at(known - here, (here,), level=level)
    missed = float(np.mean(~constraint.met(known))) if known.size else math.nan
    return Kept.of(constraint, here, here, interval, missed)


# ---------------------------------------------------------------------- the result


def _verdict(
    contest: Contest,
    choice: Choice,
    options: Options,
    *,
    models: tuple[ModelValue, ...],
    kept: tuple[Kept, ...],
    wins: Sequence[float] | Floats,
    rivals: Rivals,
    threshold_range: Interval,
    better: bool | None,
    weights: OtherWeights | None,
    method: str,
) -> Verdict:
    """Put the parts together, with gains converted to values of the objective."""
    objective, model = contest.objective, choice.model
    rule, chosen = choice.rules[model], models[choice.model]
    counts = contest.counts(model, rule)
    table = contest.tables[model]
    value = float(objective.value(counts))
    decision = decision_of(table, rule, str(objective), value, _beta(objective))
    flat = plateau(contest, model, rule)
    names = contest.names
    runner_up = None if rivals.runner_up is None else names[rivals.runner_up]
    return Verdict(
        objective,
        names[model],
        decision.threshold,
        decision._threshold_text(),
        decision,
        value,
        chosen.expected,
        chosen.interval,
        options.confidence_level,
        kept,
        dict(zip(names, np.asarray(wins).tolist(), strict=True)),
        runner_up,
        rivals.lead,
        rivals.interval,
        tuple(name for name, stays in zip(names, rivals.together, strict=True) if stays),
        threshold_range,
        flat,
        doing_nothing(contest, counts),
        better,
        weights,
        beta_range(weights, model, objective),
        caveats_of(contest, choice, chosen.expected),
        method,
        int(sum(ranking_rows(contest))),
        ranking_rows(contest)[0],
        options.n_resamples,
        models=models,
        _below=(*_lower_ends(table, threshold_range), *_lower_ends(table, flat)),
    )


def _lower_ends(table: Table, thresholds: Interval) -> tuple[Any, Any]:
    """Return the next lower score of both ends; None where they are undefined."""
    if math.isnan(thresholds.lower):
        return None, None
    low, high = lower_scores(table, np.array(thresholds, table.thresholds.dtype))
    return low, high


def ranking_rows(contest: Contest) -> tuple[int, int]:
    """Return the numbers of positive and of negative rows, whatever their weights."""
    positive = int(np.count_nonzero(contest.rankings[0].positive))
    return positive, contest.rankings[0].positive.size - positive


def _beta(objective: Objective) -> float:
    return 1.0 if objective.beta is None else objective.beta
