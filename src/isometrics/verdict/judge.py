"""From rows or tables to a verdict: choose, correct, compare, warn."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics._core.parameters import parse_random_state, part_of_progress, reporting
from isometrics._core.results import join_names
from isometrics._core.sample import Sample
from isometrics._counting.best_rules import at_least_finite
from isometrics._counting.confusion import Confusion
from isometrics._counting.replicates import kernel_named
from isometrics._table.table import lower_scores
from isometrics.decisions.best import best_rule
from isometrics.decisions.decision import Origin, decision_of
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.uncertainty.intervals import UNDEFINED, Interval
from isometrics.verdict.contest import Choice, best_models, choose_each, cross, resample
from isometrics.verdict.estimates import (
    FOLDS,
    REPEATS,
    beta_range,
    better_than_nothing,
    confidence_set,
    doing_nothing,
    fixed_values,
    interval_at,
    mean_known,
    other_weights,
    plateau,
    resampled_of,
    threshold_range,
    win_shares,
)
from isometrics.verdict.guarantee import prove
from isometrics.verdict.sentences import caveats_of
from isometrics.verdict.verdict import KeptConstraint, ModelValue, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._counting.best_rules import BestRules
    from isometrics.decisions.objective import Constraint, Objective
    from isometrics.points import OperatingPoints
    from isometrics.verdict.contest import Contest, Options
    from isometrics.verdict.verdict import OtherWeights


def judge(
    contests: Sequence[Contest], options: Options, folds: NDArray[np.int64] | None = None
) -> list[Verdict]:
    """Choose for each objective on the same rows, and correct what they promise for the choice.

    Parameters
    ----------
    contests
        Models that are the same but for their objectives; resamples and parts of the rows are too.
    options
        How the verdicts are reached.
    folds
        The fold of each unit, where folds are given.
    """
    rows = contests[0]
    seeds = parse_random_state(options.random_state).spawn(2)
    drawing = options._replace(random_state=seeds[0])
    proofs = [] if rows.objective.guarantee is None else list(map(prove, contests))
    if proofs:
        contests, choices = [each.contest for each in proofs], [each.choice for each in proofs]
    else:
        choices = choose_each(contests, kernel_named(options.kernel).name)
    fixed = [tuple(max(rule, 0) for rule in choice.rules) for choice in choices]
    with reporting(options.progress, "resamples") as report:
        drawn = resample(contests, drawing, fixed, report)
    crossed, method = cross_fitted(contests, seeds[1], options.kernel, folds)
    # How often models win at other weights does not depend on β, but on whether flagging nothing
    # is allowed, as it is for recall alone.
    distinct = {each.objective.allows_nothing: each for each in contests}
    weights = {nothing: other_weights(contest, drawing) for nothing, contest in distinct.items()}
    alone = folds is None and not rows.clustered
    verdicts = []
    for contest, choice, replicates, elsewhere in zip(
        contests, choices, drawn, crossed, strict=True
    ):
        others = weights[contest.objective.allows_nothing]
        found = _judged(contest, choice, Evidence(replicates, elsewhere), options, others)
        verdicts.append(replace(found, method=method, _rows_alone=alone))
    if proofs:
        return [proof.told(found) for proof, found in zip(proofs, verdicts, strict=True)]
    return verdicts


@np.errstate(invalid="ignore")
def judge_tuned(tuning: Contest, test: Contest, options: Options) -> Verdict:
    """Choose on tuning data and judge on these rows, where nothing needs correcting."""
    if tuning.names != test.names:
        raise ParameterError(
            f"the tuning data has the models {join_names(list(tuning.names))} but these rows have "
            f"{join_names(list(test.names))}; give both the same models"
        )
    proof = None if tuning.objective.guarantee is None else prove(tuning)
    if proof is None:
        (there,) = choose_each([tuning], "plain")
    else:
        tuning, there = proof.contest, proof.choice
    on_tuning = tuple(max(rule, 0) for rule in there.rules)
    thresholds = [
        table.thresholds[rule] for table, rule in zip(tuning.tables, on_tuning, strict=True)
    ]
    rules = tuple(map(test.rule_at, range(len(thresholds)), thresholds))
    seeds = parse_random_state(options.random_state).spawn(2)
    drawing = options._replace(random_state=seeds[0])
    with reporting(options.progress, "resamples") as report:
        progress = [part_of_progress(report, part, 2) for part in range(2)]
        tuned = options._replace(random_state=seeds[1])
        (chosen,) = resample([tuning], tuned, [on_tuning], progress[0])
        (drawn,) = resample([test], drawing, [rules], progress[1])
    model = there.model
    counts = [test.counts(each, rule) for each, rule in enumerate(rules)]
    choice = Choice(rules, np.array([float(test.objective.gain(each)) for each in counts]), model)
    evidence = Evidence(drawn, counts[model], (tuning, chosen))
    found = _judged(test, choice, evidence, options, other_weights(test, drawing))
    if proof is not None:
        found = proof.told(found)
    # The text of the threshold flags the same rows in both data sets.
    threshold = thresholds[model]
    lower = [lower_scores(each.tables[model], threshold[None])[0] for each in (tuning, test)]
    decision = replace(found.decision, threshold=threshold.item(), _below=np.max(lower))
    return replace(
        found,
        decision=decision,
        method=(
            "Model and threshold were chosen on the tuning data and are judged on these rows, so "
            "the value needs no correction."
        ),
    )


class Evidence(NamedTuple):
    """What rules do on rows that they were not chosen on."""

    choices: BestRules
    """The rules in replicates of the rows, and those that are best there."""
    crossed: Confusion
    """The counts of choices on rows left out; of rules from tuning data, those on all rows."""
    tuning: tuple[Contest, BestRules] | None = None
    """The tuning data, and the rules that are best in its replicates."""


@np.errstate(invalid="ignore")
def _judged(
    contest: Contest,
    choice: Choice,
    evidence: Evidence,
    options: Options,
    weights: OtherWeights | None,
) -> Verdict:
    """Put a verdict on rules together; `weights` are how often models win at other weights."""
    objective, model, level = contest.objective, choice.model, options.confidence_level
    choices = evidence.choices
    is_tuned = evidence.tuning is not None
    drawn = resampled_of(contest, choices, choice.rules, objective.gain, chosen_elsewhere=is_tuned)
    winners = best_models(drawn.inside)
    optimism = drawn.optimism
    corrected = float(choice.gains[model]) - mean_known(optimism[winners, np.arange(winners.size)])
    honest = mean_known(objective.gain(evidence.crossed))
    # Each model is corrected for the choice of its own threshold, and as much as the chosen one for
    # the choice among the models, so that their values can be compared.
    own = choice.gains - np.array([*map(mean_known, optimism)])
    behind = own[model] - own
    behind[model] = 0.0
    estimates = [np.clip(each - behind, *objective.gain_limits) for each in (corrected, honest)]
    models = _model_values(contest, choice.gains, estimates, drawn.fixed, level)
    rivals = _rivals(choice, own, estimates[-1], (drawn.inside, drawn.fixed), level)
    better = better_than_nothing(contest, choices, choice, drawn.fixed[model], corrected)

    rule, names, table = choice.rules[model], contest.names, contest.tables[model]
    counts = contest.counts(model, rule)
    there, chosen = evidence.tuning or (contest, choices)
    span = threshold_range(there, model, chosen.rule[model])
    flat = plateau(contest, model, rule)
    # Rows are counted, whatever their weights.
    positive = contest.rankings[0].positive
    return Verdict(
        objective,
        replace(
            decision_of(table, rule, objective),
            value=float(objective.value(counts)),
            origin=Origin(names[model]),
        ),
        expected=models[model].expected,
        interval=models[model].interval,
        confidence_level=level,
        kept=tuple(
            _kept(each, contest, choice, evidence, level=level) for each in objective.constraints
        ),
        wins=dict(
            zip(names, win_shares(objective.gain(chosen.counts(there.ratio))).tolist(), strict=True)
        ),
        runner_up=None if rivals.runner_up is None else names[rivals.runner_up],
        lead=rivals.lead,
        lead_interval=rivals.interval,
        confidence_set=tuple(
            name for name, stays in zip(names, rivals.together, strict=True) if stays
        ),
        threshold_range=span,
        plateau=flat,
        doing_nothing=doing_nothing(contest, counts),
        # A choice that cannot be judged on other rows is not known to be better.
        better_than_nothing=None if better and math.isnan(honest) else better,
        other_weights=weights,
        beta_range=UNDEFINED if weights is None else beta_range(weights, model, objective),
        warnings=caveats_of(contest, choice, models[model].expected),
        rows=positive.size,
        positives=int(np.count_nonzero(positive)),
        replicates=options.n_resamples,
        models=models,
        _below=tuple(
            None if math.isnan(end) else lower_scores(own, np.array([end], own.thresholds.dtype))[0]
            for own, ends in ((there.tables[model], span), (table, flat))
            for end in ends
        ),
    )


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
    # The lower end first, also of costs.
    intervals = (Interval(*sorted(map(objective.value_of_gain, each))) for each in ends)
    return tuple(map(ModelValue, contest.names, *values, intervals))


def cross_fitted(
    contests: Sequence[Contest],
    seed: np.random.SeedSequence,
    kernel: str,
    folds: NDArray[np.int64] | None = None,
) -> tuple[list[Confusion], str]:
    """Return the pooled counts of choices judged on rows they were not made on, and how, in words.

    Without folds the rows are dealt into as many parts as both classes have units in.
    """
    name = kernel_named(kernel).name
    if folds is not None:
        return cross(contests, folds, name), (
            "The expected value pools the counts of choices that were made on the other folds, so "
            "it is that of the whole procedure; model and threshold use all rows."
        )
    parts = min(FOLDS, *((column > 0).sum() for column in contests[0].units.T))
    if parts == 1:
        unknown = Confusion(*np.full((4, 1), np.nan))
        how = "What to expect on new data is not known: a class has too few rows to be split."
        return [unknown] * len(contests), how
    random = np.random.default_rng(seed)
    pooled = [cross(contests, contests[0].folds(parts, random), name) for _ in range(REPEATS)]
    counts = [
        Confusion(*(np.array(column) for column in zip(*each, strict=True)))
        for each in zip(*pooled, strict=True)
    ]
    made_on = "one half" if parts == 2 else f"{parts - 1} of {parts} parts"
    return counts, (
        f"For the expected value, the choice was made on {made_on} of the rows and judged on the "
        f"other, {REPEATS} times."
    )


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
    first, gains = choice.model, at_least_finite(choice.gains)
    # From the best on these rows to the worst; models without a rule come last.
    order = np.argsort(-np.where(np.isnan(gains), -np.inf, gains), kind="stable")
    others = [model for model in order.tolist() if model != first]
    if not others:
        return Rivals(None, math.nan, UNDEFINED, np.ones(1, np.bool_))
    second = max(others, key=np.where(np.isnan(own), -np.inf, own).__getitem__)
    lead = float(expected[first] - expected[second])
    spread, fixed = (confidence_set(own, drawn, level) for drawn in replicates)
    # The best model as seen on these rows is always in the set.
    spread.stays[order[0]] = True
    margin = float(fixed.margin[first, second])
    lower, upper = lead - margin, lead + margin
    if spread.stays[first] and spread.stays[second]:
        # Of models that cannot be told apart the interval reaches 0, though a margin at fixed
        # thresholds may be narrower. Python's min and max would take a NaN for a number, or not,
        # depending on the order.
        lower, upper = float(np.minimum(lower, 0.0)), float(np.maximum(upper, 0.0))
    return Rivals(second, lead, Interval(lower, upper), spread.stays)


def _kept(
    constraint: Constraint,
    contest: Contest,
    choice: Choice,
    evidence: Evidence,
    *,
    level: float,
) -> KeptConstraint:
    """Correct what a constraint promises in the same way as the value."""
    here = float(constraint.of(contest.counts(choice.model, choice.rules[choice.model])))
    choices, is_tuned = evidence.choices, evidence.tuning is not None
    drawn = resampled_of(contest, choices, choice.rules, constraint.of, chosen_elsewhere=is_tuned)
    winners = best_models(contest.objective.gain(choices.counts(contest.ratio)))
    optimism = mean_known(drawn.optimism[winners, np.arange(winners.size)])
    expected = mean_known(constraint.of(evidence.crossed))
    noise = drawn.fixed[choice.model] - here
    interval = interval_at(noise, (here - optimism, expected), level=level)
    known = noise[~np.isnan(noise)]
    missed = float(np.mean(~constraint.met(expected + known))) if known.size else math.nan
    return KeptConstraint.of(constraint, here, expected, interval, missed)


class Estimate(NamedTuple):
    """A value to expect on new data, with an interval."""

    expected: float
    interval: Interval


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
    rules = [best, *given]
    with reporting(options.progress, "resamples") as report:
        drawing = options._replace(random_state=seeds[0])
        replicates = resample([contest] * len(rules), drawing, [(rule,) for rule in rules], report)
    objective, level = contest.objective, options.confidence_level
    here = [float(objective.value(contest.counts(0, rule))) for rule in rules]
    corrected = honest = here[0]
    if not chosen_elsewhere:
        drawn = resampled_of(contest, replicates[0], [best], objective.value)
        corrected -= mean_known(drawn.inside[0] - drawn.outside[0])
        (crossed,), _ = cross_fitted([contest], seeds[1], options.kernel)
        honest = mean_known(objective.value(crossed))
    noise = [
        fixed_values(contest, each, [(0, rule)], objective.value)[0] - value
        for each, rule, value in zip(replicates, rules, here, strict=True)
    ]

    def estimate(noise: Floats, *centres: float) -> Estimate:
        found = (centres[-1], *interval_at(noise, centres, level=level))
        expected, low, high = np.clip(found, *objective.limits).tolist()
        return Estimate(expected, Interval(low, high))

    sign = 1 if objective.higher_is_better else -1
    shortfalls = []
    for own, value in zip(noise[1:], here[1:], strict=True):
        centres = [sign * (centre - value) for centre in (corrected, honest)]
        interval = interval_at(sign * (noise[0] - own), centres, level=level)
        shortfalls.append(Estimate(centres[1], interval))
    return RuleEstimates(
        estimate(noise[0], corrected, honest),
        tuple(map(estimate, noise[1:], here[1:])),
        tuple(shortfalls),
    )


_SAME_PREVALENCE = 1.01
"""How many times the lowest prevalence of all models the highest may be without a warning."""
_MOST_ROWS = 1 << 26
"""Rows of a table that are written out one by one, to be drawn again."""


def rows_of_table(name: str, points: OperatingPoints) -> Sample | None:
    """Return the rows that a table of one model counted; None where it does not tell them."""
    table = points.table
    whole = table.tp.dtype.kind == table.fp.dtype.kind == "i"
    if not (table.complete and whole) or table.positives + table.negatives > _MOST_ROWS:
        return None
    counts = [np.diff(table.tp), np.diff(table.fp)]
    scores = [np.repeat(table.thresholds[1:], each) for each in counts]
    labels = np.arange(scores[0].size + scores[1].size) < scores[0].size
    return Sample(labels, {name: np.concatenate(scores)})


def judge_tables(
    models: Mapping[str, OperatingPoints], objective: Objective, level: float, reason: str
) -> Verdict:
    """Return the best rule of these tables, without a correction and without intervals."""
    for name in ("sure", "guarantee"):
        if getattr(objective, name) is not None:
            raise NotAnswerableError(
                "needs the rows, which this analysis does not have; leave it out", parameter=name
            )
    decisions, refusals = {}, []
    for name, each in models.items():
        try:
            decisions[name] = best_rule(each, objective)
        except ParameterError as error:
            refusals.append(error)
    if not decisions:
        raise refusals[0]
    sign = 1 if objective.higher_is_better else -1
    order = sorted(decisions, key=lambda name: -sign * decisions[name].value)
    best = decisions[order[0]]
    points = models[order[0]]
    totals = (points.positives, points.negatives)
    rules = {"flagging everything": totals, "flagging nothing": (0.0, 0.0)}
    if not objective.allows_nothing:
        del rules["flagging nothing"]
    shares = [each.prevalence for each in models.values()]
    differ = (
        f"the prevalence differs between models, from {min(shares):.3g} to {max(shares):.3g}; F1 "
        "and precision depend on it, and so does who is best"
    )
    return Verdict(
        objective,
        replace(best, origin=Origin(order[0])),
        confidence_level=level,
        kept=tuple(
            KeptConstraint.of(each, float(each.of(best.counts)), math.nan, UNDEFINED, math.nan)
            for each in objective.constraints
        ),
        wins=dict.fromkeys(models, math.nan),
        runner_up=order[1] if len(order) > 1 else None,
        confidence_set=tuple(decisions),
        doing_nothing={
            name: float(objective.value(Confusion(*each, *totals))) for name, each in rules.items()
        },
        warnings=(differ,) if max(shares) > _SAME_PREVALENCE * min(shares) else (),
        method=f"What to expect on new data is not known: {reason}.",
        rows=round(points.positives + points.negatives),
        positives=round(points.positives),
    )
