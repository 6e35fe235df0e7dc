"""From rows or tables to a verdict: choose, correct, compare, warn."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics._core.parameters import parse_random_state, part_of_progress, reporting
from isometrics._core.results import join_names
from isometrics._core.sample import Sample
from isometrics._counting.best_rules import NO_RULE
from isometrics._counting.confusion import Confusion
from isometrics.decisions.best import best_rule
from isometrics.decisions.decision import Origin, decision_of
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.uncertainty.intervals import UNDEFINED, Interval
from isometrics.verdict.choosing import (
    FOLDS,
    REPEATS,
    Choice,
    choose_each,
    counts_in_replicates,
    cross_fitted,
    cross_fitted_best,
    least_resamples,
    resample,
)
from isometrics.verdict.estimates import (
    Estimate,
    beta_range,
    better_than_nothing,
    correction,
    doing_nothing,
    estimate,
    fixed_values,
    known_gains,
    leads,
    mean_known,
    optimism,
    other_weights,
    plateau,
    threshold_range,
    win_shares,
)
from isometrics.verdict.guarantee import prove
from isometrics.verdict.sentences import caveats_of
from isometrics.verdict.verdict import KeptConstraint, ModelValue, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
    dealt, method = deal(rows, options, seeds[1], folds)
    proofs = [] if rows.objective.guarantee is None else list(map(prove, contests))
    if proofs:
        contests = [proof.contest for proof in proofs]
    with reporting(options.progress, "resamples") as report:
        drawn = resample(contests, drawing, dealt, report)
    drawing = drawing._replace(n_resamples=drawn[0].best.rule.shape[-1])
    choices = (
        [proof.chosen(each) for proof, each in zip(proofs, drawn, strict=True)]
        if proofs
        else choose_each(contests, drawn)
    )
    counts = counts_in_replicates(contests, drawing, [choice.rules for choice in choices])
    # How often models win at other weights does not depend on β, but on whether flagging nothing
    # is allowed, as it is for recall alone.
    distinct = {each.objective.allows_nothing: each for each in contests}
    weights = {nothing: other_weights(contest, drawing) for nothing, contest in distinct.items()}
    alone = folds is None and not rows.clustered
    verdicts = []
    for contest, choice, resampled, fixed in zip(contests, choices, drawn, counts, strict=True):
        evidence = Evidence(resampled.best, fixed, cross_fitted(contest, resampled, dealt))
        others = weights[contest.objective.allows_nothing]
        found = _judged(contest, choice, evidence, options.confidence_level, others)
        verdicts.append(replace(found, method=method, _rows_alone=alone))
    if proofs:
        return [proof.told(found) for proof, found in zip(proofs, verdicts, strict=True)]
    return verdicts


def deal(
    contest: Contest,
    options: Options,
    seed: np.random.SeedSequence,
    folds: NDArray[np.int64] | None = None,
) -> tuple[list[NDArray[np.int64]], str]:
    """Return the part of each unit in several dealings, and how choices are judged, in words.

    Without folds the rows are dealt into as many parts as both classes have units in.
    """
    # The more resamples, the more precise is what they are corrected by.
    repeats = max(1, min(REPEATS, least_resamples(contest, options.n_resamples) // 250))
    if folds is not None:
        return [folds] * repeats, (
            "The expected value pools the counts of choices that were made on the other folds, so "
            "it is that of the whole procedure; model and threshold use all rows."
        )
    parts = min(FOLDS, *((column > 0).sum() for column in contest.units.T))
    if parts == 1:
        how = "What to expect on new data is not known: a class has too few rows to be split."
        return [], how
    random = np.random.default_rng(seed)
    times = "once" if repeats == 1 else f"{repeats} times"
    return [contest.folds(parts, random) for _ in range(repeats)], (
        f"The expected value is corrected by what such choices lose on rows left out, one of "
        f"{parts} parts, {times}, and outside of the resamples they are made in."
    )


@np.errstate(invalid="ignore")
def judge_tuned(tuning: Contest, test: Contest, options: Options) -> Verdict:
    """Choose on tuning data and judge on these rows, where nothing needs correcting."""
    if tuning.names != test.names:
        raise ParameterError(
            f"the tuning data has the models {join_names(list(tuning.names))} but these rows have "
            f"{join_names(list(test.names))}; give both the same models"
        )
    proof = None if tuning.objective.guarantee is None else prove(tuning)
    if proof is not None:
        tuning = proof.contest
    seeds = parse_random_state(options.random_state).spawn(2)
    drawing = options._replace(random_state=seeds[0])
    with reporting(options.progress, "resamples") as report:
        tuned = options._replace(random_state=seeds[1])
        drawn = resample([tuning], tuned, progress=part_of_progress(report, 0, 2))
        (there,) = choose_each([tuning], drawn) if proof is None else [proof.chosen(drawn[0])]
        has_rule = [rule != NO_RULE for rule in there.rules]
        rules = tuple(
            test.rule_at(model, threshold) if has_rule[model] else NO_RULE
            for model, threshold in enumerate(there.thresholds)
        )
        progress = part_of_progress(report, 1, 2)
        (counts,) = counts_in_replicates([test], drawing, [rules], progress)
    here = np.array([float(test.objective.gain(test.counts(*each))) for each in enumerate(rules)])
    here[~np.array(has_rule)] = np.nan
    choice = there._replace(rules=rules, gains=here)
    evidence = Evidence(
        drawn[0].best, counts, test.counts(choice.model, rules[choice.model]), tuning
    )
    weights = other_weights(test, drawing)
    found = _judged(test, choice, evidence, options.confidence_level, weights)
    if proof is not None:
        found = proof.told(found)
    # A threshold from other rows may lie between other scores, and flags the same of these rows.
    threshold, (low, high) = found.threshold, found.plateau
    return replace(
        found,
        plateau=Interval(min(low, threshold), max(high, threshold)),
        method=(
            "Model and threshold were chosen on the tuning data and are judged on these rows, so "
            "the value needs no correction."
        ),
        _tuned=True,
    )


class Evidence(NamedTuple):
    """What rules do on rows that they were not chosen on."""

    best: BestRules
    """The best rules in replicates of the rows, or of the tuning data."""
    counts: Confusion
    """The counts of the chosen rules in replicates of the rows."""
    elsewhere: Confusion
    """The counts of choices on rows left out; of rules from tuning data, those on all rows."""
    tuning: Contest | None = None
    """The tuning data."""


@np.errstate(invalid="ignore")
def _judged(
    contest: Contest,
    choice: Choice,
    evidence: Evidence,
    level: float,
    weights: OtherWeights | None,
) -> Verdict:
    """Put a verdict on rules together; `weights` are how often models win at other weights."""
    objective, model, names = contest.objective, choice.model, contest.names
    there = evidence.tuning or contest
    fixed = fixed_values(contest, evidence.counts, list(enumerate(choice.rules)), objective.gain)
    chosen = _estimate(
        contest, choice, evidence, objective.gain, limits=objective.gain_limits, level=level
    )
    # Rules from tuning data are judged on all rows, and not dealt out.
    dealt = np.atleast_1d(objective.gain(evidence.elsewhere))[: 0 if evidence.tuning else None]
    drawn = fixed[model], evidence.counts
    better = better_than_nothing(contest, chosen, drawn, dealt, level)
    inside = objective.gain(evidence.best.counts(there.ratio))
    # With tuning data the rules stay as they are.
    values = inside
    if evidence.tuning:
        values = np.where(np.isnan(choice.gains)[:, None], np.nan, fixed)
    found = leads(model, known_gains(values), fixed, level)
    # Nothing is to be expected of another model without a rule, or without a gain.
    without = ~np.isfinite(choice.gains) & (np.arange(len(names)) != model)
    found = found._replace(lead=np.where(without, np.nan, found.lead))
    # Of each other model so much less is to be expected as it is behind; all are corrected alike.
    estimates = [
        estimate(chosen.expected - less, chosen.correction, own, chosen.limits, level)
        for less, own in zip(found.lead.tolist(), fixed, strict=True)
    ]
    models = tuple(
        ModelValue.of_gains(name, threshold, objective, here, gain)
        for name, threshold, here, gain in zip(
            names, choice.thresholds, choice.gains.tolist(), estimates, strict=True
        )
    )
    # Rules from tuning data may be worse than others on these rows.
    is_beaten = evidence.tuning is not None and bool(found.ahead.any())
    in_set = ~without & (found.ahead if is_beaten else ~found.told_apart)
    others = [each for each in range(len(names)) if each != model]
    second = min(others, key=np.where(without, np.inf, found.lead).__getitem__, default=None)
    rule, table = choice.rules[model], contest.tables[model]
    counts = contest.counts(model, rule)
    # Rows are counted, whatever their weights.
    positive = contest.rankings[0].positive
    return Verdict(
        objective,
        replace(
            decision_of(table, rule, objective),
            threshold=choice.thresholds[model],
            value=float(objective.value(counts)),
            origin=Origin(names[model]),
            _below=None,
        ),
        expected=models[model].expected,
        interval=models[model].interval,
        confidence_level=level,
        kept=tuple(
            _kept(each, contest, choice, evidence, level=level) for each in objective.constraints
        ),
        wins=dict(zip(names, win_shares(values).tolist(), strict=True)),
        runner_up=None if second is None else names[second],
        lead=math.nan if second is None else float(found.lead[second]),
        lead_interval=UNDEFINED if second is None else found.interval(second),
        confidence_set=tuple(name for name, own in zip(names, in_set, strict=True) if own),
        barely_told_apart=found.barely,
        threshold_range=threshold_range(there, model, evidence.best.rule[model]),
        plateau=plateau(contest, model, rule),
        doing_nothing=doing_nothing(contest, counts),
        better_than_nothing=better.answer,
        barely_better=better.barely,
        other_weights=weights,
        beta_range=(
            beta_range(weights, model, objective)
            if weights is not None and np.flatnonzero(in_set).tolist() == [model]
            else UNDEFINED
        ),
        warnings=caveats_of(contest, choice, models[model].expected),
        rows=positive.size,
        positives=int(np.count_nonzero(positive)),
        replicates=evidence.best.rule.shape[-1],
        models=models,
    )


def _estimate(
    contest: Contest,
    choice: Choice,
    evidence: Evidence,
    quantity: Callable[[Confusion], Floats],
    *,
    limits: tuple[float, float],
    level: float,
) -> Estimate:
    """Return what to expect of a quantity of the chosen rule."""
    model, rule = choice.model, choice.rules[choice.model]
    here = float(quantity(contest.counts(model, rule)))
    less = 0.0
    if evidence.tuning is None:
        seen = optimism(contest, evidence.best, quantity)
        less = correction(here, mean_known(quantity(evidence.elsewhere)), seen)
    drawn = fixed_values(contest, evidence.counts.take([model]), [(model, rule)], quantity)[0]
    return estimate(here - less, less, drawn, limits, level)


def _kept(
    constraint: Constraint, contest: Contest, choice: Choice, evidence: Evidence, *, level: float
) -> KeptConstraint:
    """Correct what a constraint promises in the same way as the value."""
    here = float(constraint.of(contest.counts(choice.model, choice.rules[choice.model])))
    share = (0.0, 1.0)
    found = _estimate(contest, choice, evidence, constraint.of, limits=share, level=level)
    missed = found.chance_beyond(constraint.level, is_limit=constraint.is_limit)
    return KeptConstraint.of(constraint, here, found.expected, found.interval, missed)


UNKNOWN = Estimate(math.nan, UNDEFINED)


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
    given in advance needs no correction. Differences are taken in the same replicates.

    Parameters
    ----------
    contest
        The rows of one model.
    best
        The rule that is best on them: so many of the highest distinct scores are flagged.
    given
        The rules given in advance.
    options
        How the rows are drawn again.
    chosen_elsewhere
        Whether the best rule was chosen on other rows, so that it needs no correction either.
    """
    seeds = parse_random_state(options.random_state).spawn(2)
    rules = [best, *given]
    drawing = options._replace(random_state=seeds[0])
    with reporting(options.progress, "resamples") as report:
        drawn = counts_in_replicates(
            [contest] * len(rules), drawing, [(rule,) for rule in rules], report
        )
    objective, level = contest.objective, options.confidence_level
    here = [float(objective.value(contest.counts(0, rule))) for rule in rules]
    elsewhere = here[0]
    if not chosen_elsewhere:
        dealt, _ = deal(contest, options, seeds[1])
        elsewhere = mean_known(objective.value(cross_fitted_best(contest, dealt, options.kernel)))
    values = [
        fixed_values(contest, each, [(0, rule)], objective.value)[0]
        for each, rule in zip(drawn, rules, strict=True)
    ]
    limits = objective.limits
    less = correction(here[0], elsewhere)
    of_best = estimate(here[0] - less, less, values[0], limits, level)
    sign = 1 if objective.higher_is_better else -1
    shortfalls = [
        estimate(
            sign * (of_best.expected - value),
            less,
            sign * (values[0] - own),
            (-math.inf, math.inf),
            level,
        )
        for own, value in zip(values[1:], here[1:], strict=True)
    ]
    return RuleEstimates(
        of_best,
        tuple(
            estimate(value, 0.0, own, limits, level)
            for own, value in zip(values[1:], here[1:], strict=True)
        ),
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
        method=(
            "The choice is the best on these rows; what to expect on new data is not known: "
            f"{reason}."
        ),
        rows=round(points.positives + points.negatives),
        positives=round(points.positives),
    )
