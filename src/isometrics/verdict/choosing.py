"""Which model and which rule: chosen from the rules that are best in resamples of the rows.

`benchmarks/verdict_choosers.md` compares this way to choose with others on real populations.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.results import join_names, number
from isometrics._counting.best_rules import NO_RULE, BestRules, counts_at
from isometrics._counting.confusion import Confusion
from isometrics._counting.replicates import BLOCK, kernel_named
from isometrics.errors import NotAnswerableError
from isometrics.verdict.contest import choose
from isometrics.verdict.estimates import known_gains, win_shares

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics.verdict.contest import Contest, Drawn, Options, Report

REPEATS, FOLDS = 8, 5
"""How often, at most, the rows are dealt into parts, and into how many."""
_ENOUGH = 0.03
"""The error of a share of wins, at 95% confidence, from which on more replicates are not needed."""
FEWEST = 8 * BLOCK
"""The replicates that are drawn at least, unless fewer are asked for."""
_CHEAP = 1e8
"""Rows times models times replicates that are always drawn; they take part of a second."""
_SLACK = 0.01
"""How much of the value may be given for constraints that are kept more safely."""


class Resamples(NamedTuple):
    """The best rules in replicates of the rows."""

    best: BestRules
    trained: tuple[tuple[BestRules, ...], ...] = ()
    """For each dealing of the rows into parts, and each part of it, the best rules in some of the
    replicates without the rows of the part."""


class Choice(NamedTuple):
    """The chosen rule of each model, its gain in the sample, and the chosen model."""

    rules: tuple[int, ...]
    thresholds: tuple[Any, ...]
    gains: Floats
    model: int


def resample(
    contests: Sequence[Contest],
    options: Options,
    dealt: Sequence[NDArray[np.int64]] = (),
    progress: Report | None = None,
) -> list[Resamples]:
    """Draw the units again, as often as certainty needs, and choose anew each time.

    Parameters
    ----------
    contests
        Models that are the same but for their objectives.
    options
        How the units are drawn, and how often at most.
    dealt
        The part of each unit, in several dealings. The replicates of one block serve for one.
    progress
        What to tell how many replicates are done.
    """
    kernel = kernel_named(options.kernel).name
    trainers = [
        [_without(contests, fold == part) for part in range(int(fold.max()) + 1)] for fold in dealt
    ]

    def work(drawn: Drawn, block: int) -> tuple[int, list[BestRules], list[list[BestRules]]]:
        best = choose(contests, drawn, kernel)
        if block >= len(dealt):
            return block, best, []
        fold = dealt[block]
        trained = [
            choose(trainer, drawn * (fold != part).astype(np.uint8), kernel)
            for part, trainer in enumerate(trainers[block])
        ]
        return block, best, trained

    results: list[tuple[int, list[BestRules], list[list[BestRules]]]] = []
    for replicates in _stages(contests[0], options.n_resamples):
        results += options.map(contests[0], work, progress, replicates)
        best = [
            BestRules.joined(each) for each in zip(*(own for _, own, _ in results), strict=True)
        ]
        if all(map(_knows_winner, contests, best)):
            break
    trained = defaultdict(list)
    for block, _, own in results:
        if own:
            trained[block].append(own)
    return [
        Resamples(
            each,
            tuple(
                tuple(
                    BestRules.joined([chunk[part][place] for chunk in chunks])
                    for part in range(len(chunks[0]))
                )
                for chunks in trained.values()
            ),
        )
        for place, each in enumerate(best)
    ]


def least_resamples(contest: Contest, most: int) -> int:
    """Return how many replicates are drawn in any case."""
    work = contest.rankings[0].unit.size * len(contest.names)
    return min(max(int(_CHEAP / work) // BLOCK * BLOCK, FEWEST), most)


def _stages(contest: Contest, most: int) -> Iterator[range]:
    """Yield the replicates to draw one after another, as many again each time."""
    start, stop = 0, least_resamples(contest, most)
    while start < most:
        yield range(start, min(stop, most))
        start, stop = stop, 2 * stop


def _knows_winner(contest: Contest, best: BestRules) -> bool:
    """Tell whether more replicates would hardly change how often each model wins."""
    shares = win_shares(contest.objective.gain(best.counts(contest.ratio)))
    error = 1.96 * np.sqrt(shares * (1 - shares) / best.rule.shape[1])
    return not (error > _ENOUGH).any()


def _without(contests: Sequence[Contest], held: NDArray[np.bool_]) -> Sequence[Contest]:
    """Return what is asked of the other units: bounds of rates that all units would have."""
    if contests[0].objective.sure is None:
        return contests
    weight = contests[0].units.sum(axis=1)
    factor = float(weight.sum() / weight[~held].sum())
    return [
        replace(
            each, objective=replace(each.objective, effective=each.objective.effective * factor)
        )
        for each in contests
    ]


# ---------------------------------------------------------------------- the choice


def choose_each(contests: Sequence[Contest], drawn: Sequence[Resamples]) -> list[Choice]:
    """Return the choice for each objective."""
    # The rows, which are the same, are added up once.
    here = choose(contests, np.ones((1, contests[0].units.shape[0]), np.uint8), "plain")
    return [_choice(*each) for each in zip(contests, here, drawn, strict=True)]


def _choice(contest: Contest, here: BestRules, drawn: Resamples) -> Choice:
    best_here = here.rule[:, 0]
    if (best_here == NO_RULE).all():
        objective = contest.objective
        asked = join_names([str(each) for each in objective.constraints])
        sure = objective.sure
        how = "" if sure is None else f" with {number(100 * sure)}% confidence"
        nothing = Confusion(0.0, 0.0, *contest.totals)
        kept = all(each.met(each.of(nothing)) for each in objective.constraints)
        # A rule that keeps them may have no value.
        needs = objective.needs if kept else ""
        raise NotAnswerableError(
            f"no threshold{needs} of any model has {asked}{how}; {objective.advice}"
        )
    rules = []
    for model, best in enumerate(best_here.tolist()):
        rule = best if best == NO_RULE else rule_of(contest, drawn.best, model)
        rules.append(best if rule == NO_RULE else rule)
    gains = np.array(
        [
            float(contest.objective.gain(contest.counts(model, max(rule, 0))))
            for model, rule in enumerate(rules)
        ]
    )
    has_rule = best_here != NO_RULE
    model = int(np.where(has_rule, mean_of_bests(contest, drawn.best), -np.inf).argmax())
    # A model without a rule flags nothing.
    thresholds = tuple(contest.threshold_of(each, max(rule, 0)) for each, rule in enumerate(rules))
    return Choice(tuple(rules), thresholds, np.where(has_rule, gains, np.nan), model)


def mean_of_bests(contest: Contest, best: BestRules) -> Floats:
    """Return the mean, over replicates, of the gain of each model's best rule there.

    A replicate in which a model has no rule counts as worse than all others.
    """
    return np.asarray(known_gains(contest.objective.gain(best.counts(contest.ratio))).mean(axis=1))


def rule_of(
    contest: Contest, best: BestRules, model: int, weights: NDArray[np.uint8] | None = None
) -> int:
    """Return the chosen rule of a model; `NO_RULE` where there is none.

    Without constraints that is the median of the rules that are best in replicates: it hardly
    depends on single rows. Of the rules that keep constraints and have almost the highest value it
    is the one that keeps them most safely.

    Parameters
    ----------
    contest
        The models.
    best
        The best rules in replicates.
    model
        The number of the model.
    weights
        The weights of the units; all are 1 if None.
    """
    constraints = contest.objective.constraints
    if not constraints:
        known = np.sort(best.rule[model][best.rule[model] != NO_RULE])
        return int(known[(known.size - 1) // 2]) if known.size else NO_RULE
    counts = contest.counts(model, slice(None))
    if weights is not None:
        positives, negatives = weights @ contest.units
        tp, fp = (each.sums(weights[None])[0] for each in contest.class_rows[model])
        counts = Confusion(tp, fp, positives, negatives).at_ratio(contest.ratio)
    gains = contest.allowed_gain(counts)
    highest = gains.max()
    if highest == -np.inf:
        return NO_RULE
    with np.errstate(over="ignore"):
        least = highest - _SLACK * abs(highest)
    good = np.flatnonzero((gains > -np.inf) & (gains >= least))
    some = counts.take(good)
    slack = [(-1) ** each.is_limit * (each.of(some) - each.level) for each in constraints]
    return int(good[np.min(slack, axis=0).argmax()])


# ---------------------------------------------------------------------- on other rows


def cross_fitted(
    contest: Contest, drawn: Resamples, dealt: Sequence[NDArray[np.int64]]
) -> Confusion:
    """Return the counts of choices on rows they were not made on, pooled over parts, by dealing."""
    pooled = np.zeros((len(drawn.trained), 2))
    for dealing, (fold, trained) in enumerate(zip(dealt, drawn.trained, strict=False)):
        for part, best in enumerate(trained):
            weights = (fold != part).astype(np.uint8)
            (trainer,) = _without([contest], fold == part)
            for model in np.argsort(-mean_of_bests(trainer, best), kind="stable").tolist():
                rule = rule_of(trainer, best, model, weights)
                if rule != NO_RULE:
                    pooled[dealing] += _held_counts(contest, model, rule, weights)
                    break
    return _pooled(contest, pooled)


def cross_fitted_best(
    contest: Contest, dealt: Sequence[NDArray[np.int64]], kernel: str
) -> Confusion:
    """Return the same of the rules of one model that are best on the rows they are made on."""
    name = kernel_named(kernel).name
    pooled = np.zeros((len(dealt), 2))
    for dealing, fold in enumerate(dealt):
        for part in range(int(fold.max()) + 1):
            weights = (fold != part).astype(np.uint8)
            (best,) = choose(_without([contest], fold == part), weights[None], name)
            rule = int(best.rule[0, 0])
            if rule != NO_RULE:
                pooled[dealing] += _held_counts(contest, 0, rule, weights)
    return _pooled(contest, pooled)


def _pooled(contest: Contest, counts: Floats) -> Confusion:
    """Return pooled counts by dealing; NaN where the rows could not be dealt."""
    counts = counts if len(counts) else np.full((1, 2), np.nan)
    tp, fp = counts.T
    return Confusion(tp, fp, *contest.totals).at_ratio(contest.ratio)


def _held_counts(
    contest: Contest, model: int, rule: int, weights: NDArray[np.uint8]
) -> tuple[float, float]:
    """Return the counts of a rule on the units without weight, which it was not chosen on.

    Its threshold is in the middle of the gap between the scores of the units with weight, where
    the others may have theirs.
    """
    tp, fp = (each.sums(weights[None])[0] for each in contest.class_rows[model])
    flagged, whole = tp + fp, contest.tables[model]
    beyond = int(np.searchsorted(flagged, flagged[rule], "right"))
    if rule > 0 and beyond < flagged.size:
        middle = whole.thresholds[rule] / 2 + whole.thresholds[beyond] / 2
        last = int(np.searchsorted(-whole.thresholds, -middle, "right")) - 1
        rule = min(max(last, rule), beyond - 1)
    return float(whole.tp[rule] - tp[rule]), float(whole.fp[rule] - fp[rule])


def counts_in_replicates(
    contests: Sequence[Contest],
    options: Options,
    rules: Sequence[Sequence[int]],
    progress: Report | None = None,
) -> list[Confusion]:
    """Return the counts of given rules in the replicates, models × replicates, for each objective.

    The replicates are those of `resample`.
    """
    rows = contests[0]
    wanted = np.maximum(rules, 0).T.tolist()
    compiled = kernel_named(options.kernel).name == "compiled"

    def work(drawn: Drawn, _: int) -> tuple[Floats, ...]:
        of_models = [
            counts_at(drawn, ranking, own, compiled=compiled)
            for ranking, own in zip(rows.rankings, wanted, strict=True)
        ]
        tp, fp = (np.stack(each) for each in zip(*of_models, strict=True))
        return tp, fp, rows.totals_under(drawn)

    of_chunks = zip(*options.map(rows, work, progress), strict=True)
    tp, fp, totals = (np.concatenate(each, axis=-2) for each in of_chunks)
    positives, negatives = totals.T
    return [
        Confusion(tp[..., place], fp[..., place], positives, negatives)
        for place in range(len(contests))
    ]
