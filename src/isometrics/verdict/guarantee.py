"""Rules that are proven to keep rates on new data, whatever the distribution of the scores.

`docs/theory/guarantee.md` has the theorems, and `benchmarks/guarantee.md` what they cost.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.results import join_names, number
from isometrics._counting.best_rules import NO_RULE
from isometrics.errors import NotAnswerableError
from isometrics.verdict.choosing import Choice, mean_of_bests

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts, Floats
    from isometrics.decisions.objective import Constraint, Objective
    from isometrics.verdict.choosing import Resamples
    from isometrics.verdict.contest import Contest
    from isometrics.verdict.verdict import Verdict

_SPACING = 0.25
"""The first two ranks that are tested are about so far apart, as a share of the first."""
_STARTING_SHARE = 0.15
"""A chain of tests may start among so many of the rows; see `benchmarks/guarantee.md`."""
_NEVER = np.iinfo(np.int64).max
"""More true positives than any rule has."""


class RankTests(NamedTuple):
    """Tests of the precision of so many of the highest scores, for all numbers of them at once.

    Attributes
    ----------
    ranks
        How many of the highest scores each test is about.
    starts
        The least true positives among these with which a chain of tests starts.
    spent
        The error that the tests up to each have spent: a chain may use what has been spent since
        its start.
    """

    ranks: NDArray[np.int64]
    starts: NDArray[np.int64]
    spent: Floats


def least_counts(sizes: NDArray[np.int64], share: float, errors: Floats) -> NDArray[np.int64]:
    """Return the least counts that binomial variates reach with at most these probabilities.

    A count is one more than the size where no count is that rare.
    """
    from scipy.special import bdtrc

    low, high = np.zeros(sizes.size, np.int64), sizes + 1
    while (low < high).any():
        middle = (low + high) // 2
        # P(X ≥ middle)
        tail = np.where(middle > 0, bdtrc(np.maximum(middle - 1, 0), sizes, share), 1.0)
        rare = tail <= errors
        high, low = np.where(rare, middle, high), np.where(rare, low, np.minimum(middle + 1, high))
    return low


def most_errors(rows: int, share: float, error: float) -> int:
    """Return how many of so many rows may err so that more than a share of all is improbable.

    The highest r with P(X ≤ r) ≤ `error` for a binomial X (Tong, Feng & Li 2018); -1 if none.
    """
    from scipy.special import bdtr

    if share >= 1:
        return rows
    return bisect_right(range(rows + 1), error, key=lambda r: bdtr(r, rows, share)) - 1


def precision_tests(rows: int, level: float, error: float, *, tied: bool = False) -> RankTests:
    """Plan the tests of a precision before any label is looked at.

    Where scores tie there are no chains, and starts at all ranks.

    Notes
    -----
    Under the hypothesis that no rule has the precision `level`, the labels from the highest score
    on are dominated by independent draws with that share of positives. `error` is the expected
    number of times that such a walk passes from below the starts to a start or above.
    """
    first = math.ceil(math.log(error) / math.log(level) - 1e-9)
    ranks = [first]
    while True:
        # The standard error of a precision falls with the root of the rank.
        step = _SPACING * math.sqrt(10 * ranks[-1] / level)
        rank = ranks[-1] + max(1, round(step))
        if rank > rows:
            break
        ranks.append(rank)
    tested = np.array(ranks, np.int64)
    starting = tested if tied else tested[tested <= max(_STARTING_SHARE * rows, 3 * first)]
    # The chance of each start is the same, and as high as their sum allows.
    low, high = math.log(error / 300), math.log(error)
    tried = high
    for _ in range(12):
        starts = least_counts(starting, level, np.full(starting.size, math.exp(tried)))
        if _crossings(starting, starts, level).sum() <= error:
            low = tried
        else:
            high = tried
        tried = (low + high) / 2
    starts = least_counts(starting, level, np.full(starting.size, math.exp(low)))
    spent = np.cumsum(_crossings(starting, starts, level))
    if tied:
        # A chain may use nothing.
        spent[:] = spent[-1]
    beyond = tested.size - starting.size
    return RankTests(
        tested,
        np.append(np.where(starts > starting, _NEVER, starts), np.full(beyond, _NEVER)),
        np.append(spent, np.full(beyond, spent[-1])),
    )


def _crossings(ranks: NDArray[np.int64], starts: NDArray[np.int64], share: float) -> Floats:
    """Return the chance of each test that a walk reaches its start from below the one before."""
    from scipy.special import bdtrc, gammaln

    found = np.zeros(ranks.size)
    before, below = 0, 1
    for place, (rank, start) in enumerate(zip(ranks.tolist(), starts.tolist(), strict=True)):
        step = rank - before
        counts = np.arange(max(start - step, 0), below)
        if counts.size:
            ways = gammaln(before + 1) - gammaln(counts + 1) - gammaln(before - counts + 1)
            logs = ways + counts * math.log(share) + (before - counts) * math.log1p(-share)
            needed = start - counts
            tail = np.where(needed > 0, bdtrc(np.maximum(needed - 1, 0), step, share), 1.0)
            found[place] = (np.exp(logs) * tail).sum()
        before, below = rank, start
    return found


def needed_for_precision(tp: Counts, flagged: Counts, level: float, tests: RankTests) -> Floats:
    """Return the true positives with which each rule is proven to have a precision.

    Infinity where nothing is proven. `tp` and `flagged` are those of all rules of a ranking, from
    the one that flags nothing on.

    Notes
    -----
    The rule of a test is the last one that flags no more rows than its rank. One that flags fewer,
    where scores tie, is judged as if the missing rows were negatives.
    """
    ranks, starts, spent = tests
    needed = np.full(flagged.size, np.inf)
    rules = np.searchsorted(flagged, ranks, "right") - 1
    has_rule = flagged[rules] > np.append(0, ranks[:-1])
    chain = None
    for place, rule in enumerate(rules.tolist()):
        least = starts[place] if chain is None else min(starts[place], chain[place])
        if not has_rule[place] or tp[rule] < least:
            chain = None
            continue
        needed[rule] = least
        if chain is None:
            chain = least_counts(ranks, level, spent - spent[place])
    return needed


class Proof(NamedTuple):
    """The best of the rules that are proven to keep all constraints."""

    contest: Contest
    """The models, asked for as much as the rows must show, so that resamples do the same."""
    choice: Choice
    asked: Objective
    guarantee: float

    def chosen(self, drawn: Resamples) -> Choice:
        """Return the choice among the models with a proven rule: the best in the resamples."""
        means = mean_of_bests(self.contest, drawn.best)
        proven = np.array(self.choice.rules) != NO_RULE
        return self.choice._replace(model=int(np.where(proven, means, -np.inf).argmax()))

    def told(self, verdict: Verdict) -> Verdict:
        """Return a verdict on the choice with what was asked for and is proven."""
        asked, level = self.asked, self.guarantee
        decision = replace(
            verdict.decision, objective=asked.label, parameters=dict(asked.parameters)
        )
        kept = tuple(
            replace(
                each,
                constraint=str(constraint),
                level=constraint.level,
                missed=round(1 - level, 12),
                guarantee=level,
            )
            for each, constraint in zip(verdict.kept, asked.constraints, strict=True)
        )
        return replace(verdict, objective=asked, decision=decision, kept=kept, guarantee=level)


def prove(contest: Contest) -> Proof:
    """Choose the best rule of those that are proven to keep all constraints.

    The constraints of all models share the error, so that whatever is chosen among their rules is
    proven.
    """
    objective = contest.objective
    guarantee = cast("float", objective.guarantee)
    at = f"at {number(100 * guarantee)}%"
    _check_rows(contest)
    error = (1 - guarantee) / (len(contest.names) * len(objective.constraints))
    positives, negatives = (round(each) for each in contest.totals)
    sizes = {"recall": positives, "flagged": positives + negatives}
    tied = any(table.size <= positives + negatives for table in contest.tables)
    plans = [
        precision_tests(positives + negatives, each.level, error, tied=tied)
        if each.quantity == "precision" and each.level > 0
        else most_errors(sizes.get(each.quantity, negatives), _share_of_errors(each), error)
        for each in objective.constraints
    ]
    for each, plan in zip(objective.constraints, plans, strict=True):
        _check_numbers(contest, each, plan, error, at)
    free = replace(contest, objective=replace(objective, constraints=()))
    rules, gains, needs = [], [], []
    for model, table in enumerate(contest.tables):
        tp, flagged = table.tp, table.tp + table.fp
        errors = {"recall": positives - tp, "flagged": flagged}
        needed = [
            needed_for_precision(tp, flagged, each.level, plan)
            if isinstance(plan, RankTests)
            else np.where(errors.get(each.quantity, table.fp) <= plan, 0.0, np.inf)
            for each, plan in zip(objective.constraints, plans, strict=True)
        ]
        counts = contest.counts(model, np.arange(tp.size))
        proven = np.logical_and.reduce([tp >= each for each in needed])
        gain = np.where(proven, free.allowed_gain(counts), -np.inf)
        rule = int(gain.argmax())
        found = gain[rule] > -np.inf
        rules.append(rule if found else NO_RULE)
        gains.append(float(objective.gain(contest.counts(model, rule))) if found else math.nan)
        needs.append([each[rule] / max(flagged[rule], 1) for each in needed])
    if all(rule == NO_RULE for rule in rules):
        asked = join_names([str(each) for each in objective.constraints])
        raise NotAnswerableError(
            f"no threshold of any model is proven to have {asked} {at}; {objective.advice}, or "
            "give more rows"
        )
    best = int(np.nanargmax(np.where(np.array(rules) != NO_RULE, gains, np.nan)))
    shown = tuple(
        each._replace(level=need)
        if isinstance(plan, RankTests)
        else each._replace(level=_level_of(each, plan, sizes.get(each.quantity, negatives)))
        for each, plan, need in zip(objective.constraints, plans, needs[best], strict=True)
    )
    # What is proven holds for the scores themselves, not for what lies between them.
    thresholds = tuple(
        plain(table.thresholds[max(rule, 0)])
        for table, rule in zip(contest.tables, rules, strict=True)
    )
    return Proof(
        replace(contest, objective=replace(objective, constraints=shown)),
        Choice(tuple(rules), thresholds, np.array(gains), best),
        objective,
        guarantee,
    )


def _share_of_errors(constraint: Constraint) -> float:
    """Return the share of the rows of a class, or of all, that may err."""
    return constraint.level if constraint.is_limit else 1 - constraint.level


def _level_of(constraint: Constraint, errors: int, rows: int) -> float:
    """Return the level that rows show with so many errors."""
    return errors / rows if constraint.is_limit else (rows - errors) / rows


def _check_rows(contest: Contest) -> None:
    """Refuse rows that are not independent draws of the population that is spoken of."""
    if contest.rankings[0].weight.size:
        raise NotAnswerableError(
            "needs rows that count once each, not weighted ones; leave it out, or the weights",
            parameter="guarantee",
        )
    quantities = {each.quantity for each in contest.objective.constraints}
    if contest.ratio > 0 and quantities & {"precision", "flagged"}:
        raise NotAnswerableError(
            "is about the prevalence of the rows where a precision or a budget is asked for; "
            "leave it out, or the other prevalence",
            parameter="guarantee",
        )
    for each in contest.objective.constraints:
        if _share_of_errors(each) == 0:
            raise NotAnswerableError(f"no number of rows proves {each}; {contest.objective.advice}")


def _check_numbers(
    contest: Contest, constraint: Constraint, plan: RankTests | int, error: float, at: str
) -> None:
    """Refuse what so few rows cannot prove, and say how many would do."""
    positives, negatives = (round(each) for each in contest.totals)
    rows, name = {
        "precision": (positives, "positives"),
        "recall": (positives, "positives"),
        "flagged": (positives + negatives, "rows"),
    }.get(constraint.quantity, (negatives, "negatives"))
    needed = 0
    if isinstance(plan, RankTests):
        needed = int(plan.starts.min())
    elif plan < 0:
        needed = math.ceil(math.log(error) / math.log1p(-_share_of_errors(constraint)))
    if rows < needed:
        raise NotAnswerableError(
            f"{rows:,} {name} are too few to prove {constraint} {at}; at least {needed:,} are "
            "needed"
        )
