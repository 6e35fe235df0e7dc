"""Models on the same rows, ready to be chosen among under any weighting of these rows."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from isometrics._counting.best_rules import (
    NO_RULE,
    Chosen,
    Counts,
    Ranking,
    Task,
    at_least_finite,
    block_sums,
    choose_compiled,
    choose_plain,
    worth_of,
)
from isometrics._counting.draws import draws_of, streams
from isometrics._counting.replicates import kernel_named
from isometrics.decisions.objective import Objective
from isometrics.errors import ParameterError
from isometrics.spaces.pr import f_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._core.sample import Sample
    from isometrics._counting.best_rules import ClassRows
    from isometrics._counting.draws import Stream
    from isometrics._counting.replicates import Kernel
    from isometrics._table.table import Table
    from isometrics.points import OperatingPoints

    Progress = Callable[[int, int], None]
    Drawn = NDArray[Any]

Result = TypeVar("Result")

_AT_ONCE = 1 << 17
"""Weights that are drawn at once, so that they stay in the processor's cache."""


class Choices(NamedTuple):
    """The best rule of each model (first axis) under each weighting (second axis).

    Where no rule keeps the constraints, the rule is -1 and its counts are NaN.
    """

    rule: NDArray[np.int64]
    tp: Floats
    fp: Floats
    fixed_tp: Floats
    fixed_fp: Floats
    positives: Floats
    negatives: Floats

    @classmethod
    def joined(cls, parts: list[Choices]) -> Choices:
        """Return the choices under all weightings of the parts."""
        return cls(*(np.concatenate(column, axis=-1) for column in zip(*parts, strict=True)))

    def counts(self, ratio: float) -> Counts:
        """Return the counts of the chosen rules."""
        return Counts(self.tp, self.fp, self.positives, self.negatives).at_ratio(ratio)

    @property
    def fixed_counts(self) -> Counts:
        """The counts of the fixed rules, at the prevalence of the sample."""
        return Counts(self.fixed_tp, self.fixed_fp, self.positives, self.negatives)


class Drawing(NamedTuple):
    """How units are drawn again: how often, from which seed, and how the work is done."""

    n_resamples: int
    seed: np.random.SeedSequence
    n_jobs: int
    kernel_name: str
    progress: Progress | None = None

    @property
    def kernel(self) -> Kernel:
        """The kernel that was asked for, or the compiled one where it is there."""
        return kernel_named(self.kernel_name)

    def map(self, contest: Contest, work: Callable[[Drawn], Result]) -> list[Result]:
        """Return what `work` makes of the weights of units of some replicates, in their order."""
        size = contest.units.shape[0]
        draws = draws_of(np.ones(size, np.int64), [slice(0, size)], scheme="multinomial")
        kernel = self.kernel
        at_once = max(1, _AT_ONCE // size)

        def block(replicates: range, stream: Stream) -> tuple[int, list[Result]]:
            found = []
            for start in range(replicates.start, replicates.stop, at_once):
                # No unit is drawn nearly as often as a byte can count.
                drawn = np.empty((min(at_once, replicates.stop - start), size), np.uint8)
                draws.draw(stream, drawn, kernel.pick)
                found.append(work(drawn))
            return len(replicates), found

        # A seed that has spawned children would spawn others.
        seed = np.random.SeedSequence(self.seed.entropy, spawn_key=self.seed.spawn_key)
        blocks = zip(*streams(seed, self.n_resamples), strict=True)
        results: list[Result] = []
        done = 0
        with ThreadPoolExecutor(self.n_jobs) as pool:
            for count, found in pool.map(block, *blocks):
                results += found
                done += count
                if self.progress is not None:
                    self.progress(done, self.n_resamples)
        return results


@dataclass(frozen=True)
class Contest:
    """The models, their rows in order, and the units that rows belong to."""

    names: tuple[str, ...]
    tables: tuple[Table, ...]
    """The table of each model as counted: row i is the rule that flags the i highest scores."""
    rankings: tuple[Ranking, ...]
    units: Floats
    """The weight of the positives and of the negatives in each unit: two columns."""
    unit_of_row: NDArray[np.int32]
    """The unit of each row, in the order of the sample."""
    clustered: bool
    objective: Objective
    ratio: float
    """Negatives for each positive where a prevalence is fixed, else 0."""

    @classmethod
    def of_sample(
        cls,
        sample: Sample,
        points: dict[str, OperatingPoints],
        objective: Objective,
        *,
        clustered: bool,
        prevalence: float | None,
    ) -> Contest:
        """Sort the rows of each model once."""
        unit = np.arange(sample.size, dtype=np.int32)
        if clustered and sample.groups is not None:
            _, codes = np.unique(sample.groups.codes, return_inverse=True)
            unit = codes.astype(np.int32)
        rankings = [
            Ranking.of_rows(scores, sample.labels, unit, sample.weights)
            for scores in sample.scores.values()
        ]
        weight = np.ones(sample.size) if sample.weights is None else sample.weights
        sums = [np.bincount(unit, weight * rows) for rows in (sample.labels, ~sample.labels)]
        return cls(
            tuple(points),
            tuple(each.table for each in points.values()),
            tuple(rankings),
            np.column_stack(sums),
            unit,
            clustered,
            objective,
            0.0 if prevalence is None else (1 - prevalence) / prevalence,
        )

    @cached_property
    def class_rows(self) -> tuple[tuple[ClassRows, ClassRows], ...]:
        """The positive and the negative rows of each model."""
        return tuple(ranking.split() for ranking in self.rankings)

    @property
    def totals(self) -> tuple[float, float]:
        """The positives and the negatives of the sample."""
        return float(self.units[:, 0].sum()), float(self.units[:, 1].sum())

    @cached_property
    def _whole(self) -> bool:
        """Whether all weights are whole numbers, whose sums are exact in any order."""
        return bool((self.units == np.rint(self.units)).all())

    def _totals(self, weights: Drawn) -> Floats:
        """Return the positives and the negatives under each weighting."""
        if self._whole:
            return np.asarray(weights @ self.units)
        return np.stack([(weights * column).sum(axis=1) for column in self.units.T], axis=1)

    @property
    def task(self) -> Task:
        """The objective in numbers."""
        objective = self.objective
        levels = {each.quantity: each.limit for each in objective.constraints}
        costs = objective.costs is not None
        beta = 1.0 if objective.beta is None else objective.beta
        first, second = map(float, objective.cost_shares) if costs else f_weights(beta)
        return Task(
            costs,
            first,
            second,
            levels.get("precision", -1.0),
            levels.get("recall", -1.0),
            levels.get("flagged", math.inf),
            self.z,
            objective.effective,
            objective.allows_nothing,
            self.ratio,
        )

    @property
    def z(self) -> float:
        """How many standard errors a bound lies below what is seen, 0 without ``sure``.

        The best of k models is taken at its best threshold, so the error is divided by k + 1.
        """
        if self.objective.sure is None:
            return 0.0
        return -NormalDist().inv_cdf((1 - self.objective.sure) / (len(self.names) + 1))

    @property
    def gain(self) -> Callable[[Counts], Floats] | None:
        """The function to maximise where a task has no numbers for it, as for an index."""
        if self.objective.index is None and self.objective.criterion in (None, "accuracy"):
            return None
        return self.objective.gain

    def worth(self, counts: Counts) -> Floats:
        """Return what is maximised for rules whose counts are at the prevalence asked for."""
        task = self.task._replace(ratio=0.0)
        return worth_of(task, Counts(*map(np.atleast_1d, counts)), self.gain)

    def counts(self, model: int, rule: NDArray[np.intp] | int) -> Counts:
        """Return the counts of rules in the sample itself."""
        table = self.tables[model]
        totals = (table.positives, table.negatives)
        return Counts(table.tp[rule], table.fp[rule], *totals).at_ratio(self.ratio)

    def tasks(self, fixed: tuple[int, ...] | None) -> tuple[Task, ...]:
        """Return the objective in numbers for each model, with the rules fixed in advance."""
        rules = (0,) * len(self.names) if fixed is None else fixed
        return tuple(
            self.task._replace(fixed=rule, fixed_end=ranking.end_of(rule))
            for ranking, rule in zip(self.rankings, rules, strict=True)
        )

    def choose(self, weights: Drawn, kernel: str, fixed: tuple[int, ...] | None = None) -> Choices:
        """Return the best rules of all models under each row of the weights of units."""
        return Chooser([self], kernel, [fixed]).choose(weights)[0]

    def folds(self, folds: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Assign units to folds at random, stratified by whether they have positives."""
        order = random.permutation(self.units.shape[0])
        with_positives = self.units[order, 0] > 0
        order = np.concatenate([order[with_positives], order[~with_positives]])
        fold = np.empty(order.size, np.int64)
        fold[order] = np.arange(order.size) % folds
        return fold

    def held_out(self, chosen: Choices) -> Counts:
        """Return the pooled counts of choices on the rows that each was not made on."""
        gain = at_least_finite(self.objective.gain(chosen.counts(self.ratio)))
        best = np.where(np.isnan(gain), -np.inf, gain).argmax(axis=0)
        rule = chosen.rule
        without = rule == NO_RULE
        held = []
        for name in ("tp", "fp"):
            whole = np.stack(
                [getattr(table, name)[rows] for table, rows in zip(self.tables, rule, strict=True)]
            )
            held.append(np.where(without, 0.0, whole - getattr(chosen, name)))
        folds = np.arange(rule.shape[1])
        picked = (held[0][best, folds].sum(), held[1][best, folds].sum())
        return Counts(*picked, *self.totals).at_ratio(self.ratio)


class Chooser:
    """Chooses for one objective or several under weightings of the same rows.

    The rows are added up once for all objectives, so that many cost little more than one.
    """

    def __init__(
        self,
        contests: Sequence[Contest],
        kernel: str,
        fixed: Sequence[tuple[int, ...] | None] | None = None,
    ) -> None:
        """Prepare contests that differ in their objectives alone, each with its fixed rules."""
        self.contests = contests
        rules = [None] * len(contests) if fixed is None else fixed
        self._tasks = [
            each.tasks(fixed_rules) for each, fixed_rules in zip(contests, rules, strict=True)
        ]
        self._is_compiled = kernel == "compiled" and all(each.gain is None for each in contests)

    def choose(self, weights: Drawn) -> list[Choices]:
        """Return the best rules of all models under each row of the weights, by objective."""
        rows = self.contests[0]
        sums = [block_sums(weights, each) for each in rows.rankings] if self._is_compiled else []
        unweighted = not rows.rankings[0].weight.size
        totals = sums[0][:, -1].copy() if sums and unweighted else rows._totals(weights)
        found: list[list[Chosen]] = [[] for _ in self.contests]
        for model, ranking in enumerate(rows.rankings):
            counts = () if sums else tuple(each.sums(weights) for each in rows.class_rows[model])
            for contest, tasks, models in zip(self.contests, self._tasks, found, strict=True):
                chosen = Chosen.empty(weights.shape[0])
                models.append(chosen)
                if sums:
                    choose_compiled(
                        weights, sums[model], totals, ranking, tasks[model], chosen=chosen
                    )
                else:
                    choose_plain(Counts(*counts, *totals.T), tasks[model], chosen, contest.gain)
        return [Choices(*map(np.stack, zip(*models, strict=True)), *totals.T) for models in found]

    def resample(self, drawing: Drawing) -> list[Choices]:
        """Draw the units again many times, and choose anew each time."""
        parts = drawing.map(self.contests[0], self.choose)
        return [Choices.joined(list(each)) for each in zip(*parts, strict=True)]

    def crossed(self, fold: NDArray[np.int64]) -> list[Counts]:
        """Choose on all folds but one, and judge on that one; return the pooled counts."""
        count = int(fold.max()) + 1
        trains = ((fold != each)[None].astype(np.uint8) for each in range(count))
        parts = [self.choose(train) for train in trains]
        joined = (Choices.joined(list(each)) for each in zip(*parts, strict=True))
        return [
            contest.held_out(chosen) for contest, chosen in zip(self.contests, joined, strict=True)
        ]


def fold_codes(folds: NDArray[np.int64], unit: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the fold of each unit; a unit must lie in one fold."""
    codes = np.zeros(int(unit.max()) + 1, np.int64)
    codes[unit] = folds
    if (codes[unit] != folds).any():
        raise ParameterError("a cluster has rows in several folds; put each cluster into one fold")
    return codes


def effective_rows(contest: Contest) -> float:
    """Return how many independent rows a weight of 1 is worth, for bounds of precision and recall.

    Notes
    -----
    The variance of the precision of the rule that would be chosen without a bound, from the sums
    of its residuals over units, is compared with the one that as many independent rows would have.
    Rows of weight 1 without clusters are worth 1 each, exactly.
    """
    plain = replace(contest, objective=replace(contest.objective, sure=None))
    found = plain.choose(np.ones((1, contest.units.shape[0])), "plain")
    worth = []
    for model, rule in enumerate(found.rule[:, 0].tolist()):
        ranking = contest.rankings[model]
        end = ranking.end_of(rule) + 1 if rule != NO_RULE else ranking.unit.size
        weight = ranking.weight[:end] if ranking.weight.size else np.ones(end)
        positive = ranking.positive[:end]
        if contest.ratio > 0:
            positives, negatives = contest.totals
            weight = np.where(positive, weight, weight * (positives * contest.ratio / negatives))
        total = weight.sum()
        if total == 0:
            continue
        precision = float(weight[positive].sum() / total)
        deviations = weight if precision in (0.0, 1.0) else weight * (positive - precision)
        sums = np.bincount(ranking.unit[:end], deviations)
        squares = float((sums * sums).sum())
        spread = 1.0 if precision in (0.0, 1.0) else precision * (1 - precision)
        # Clusters that are more alike than chance makes them are worth no more than their rows.
        rows = min(spread * total**2 / squares, end) if squares > 0 else end
        worth.append(rows / total)
    return min(worth, default=1.0)
