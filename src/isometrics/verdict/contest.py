"""Models on the same rows, and the best model and rule under any weighting of these rows."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.parameters import parse_jobs, parse_random_state
from isometrics._core.threshold_text import threshold_text
from isometrics._counting.best_rules import (
    NO_RULE,
    BestRules,
    Ranking,
    Task,
    allowed_gain,
    block_sums,
    choose_compiled,
    choose_plain,
)
from isometrics._counting.confusion import Confusion
from isometrics._counting.replicates import BLOCK, Draws, kernel_named, streams
from isometrics.decisions.objective import Linear, Objective

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._core.parameters import ProgressLike
    from isometrics._core.sample import Sample
    from isometrics._counting.best_rules import ClassRows
    from isometrics._counting.replicates import Stream
    from isometrics._table.table import Table
    from isometrics.points import OperatingPoints

    Report = Callable[[int, int], None]
    Drawn = NDArray[Any]


Result = TypeVar("Result")

_AT_ONCE = 1 << 17
"""Weights that are drawn at once, so that they stay in the processor's cache."""


class Options(NamedTuple):
    """How a verdict is reached: how sure it is, and how rows are drawn again."""

    confidence_level: float = 0.95
    n_resamples: int = 2000
    random_state: object = 0
    n_jobs: int | None = -1
    kernel: str = "auto"
    progress: ProgressLike = None
    clusters: bool = False
    """Whether whole groups are drawn."""
    folds: bool = False
    """Whether the groups are folds of a cross-validation."""

    def map(
        self,
        contest: Contest,
        work: Callable[[Drawn, int], Result],
        progress: Report | None = None,
        replicates: range | None = None,
    ) -> list[Result]:
        """Return what `work` makes of the weights of units of some replicates, in their order.

        It is given the block of the replicates too, whose random numbers are its own. Without
        `replicates`, which begin and end with a block, these are all.
        """
        size = contest.units.shape[0]
        draws = Draws(np.ones(size, np.int64), [slice(0, size)])
        kernel = kernel_named(self.kernel)
        at_once = max(1, _AT_ONCE // size)
        replicates = range(self.n_resamples) if replicates is None else replicates

        def results_of(own: range, stream: Stream) -> tuple[int, list[Result]]:
            found = []
            for start in range(own.start, own.stop, at_once):
                # No unit is drawn nearly as often as a byte can count.
                drawn = np.empty((min(at_once, own.stop - start), size), np.uint8)
                draws.draw(stream, drawn, kernel.pick)
                found.append(work(drawn, own.start // BLOCK))
            return own.stop, found

        blocks = list(streams(parse_random_state(self.random_state), replicates.stop))
        blocks = blocks[replicates.start // BLOCK :]
        results: list[Result] = []
        with ThreadPoolExecutor(parse_jobs(self.n_jobs)) as pool:
            for done, found in pool.map(results_of, *zip(*blocks, strict=True)):
                results += found
                if progress is not None:
                    progress(done, self.n_resamples)
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

    def totals_under(self, weights: Drawn) -> Floats:
        """Return the positives and the negatives under each weighting."""
        if self._whole:
            return np.asarray(weights @ self.units)
        return np.stack([(weights * column).sum(axis=1) for column in self.units.T], axis=1)

    @cached_property
    def task(self) -> Task:
        """The objective in numbers.

        A bound lies some standard errors below what is seen. The best of k models is taken at its
        best threshold, so the error is divided by k + 1.
        """
        objective, z = self.objective, 0.0
        if objective.sure is not None:
            z = -NormalDist().inv_cdf((1 - objective.sure) / (len(self.names) + 1))
        levels = {each.quantity: each.limit for each in objective.constraints}
        if "specificity" in levels:
            levels["false_positive_rate"] = 1 - levels["specificity"]
        first, second = objective.weights or (0.5, 0.5)
        return Task(
            isinstance(objective, Linear),
            first,
            second,
            levels.get("precision", -1.0),
            levels.get("recall", -1.0),
            levels.get("false_positive_rate", math.inf),
            levels.get("flagged", math.inf),
            z,
            objective.effective,
            objective.allows_nothing,
            self.ratio,
            gain=objective.gain if objective.weights is None else None,
        )

    def allowed_gain(self, counts: Confusion) -> Floats:
        """Return the gain of rules whose counts are at the prevalence asked for.

        It is minus infinity for rules that are not allowed.
        """
        task = self.task._replace(ratio=0.0)
        return allowed_gain(task, Confusion(*map(np.atleast_1d, counts)))

    def counts(self, model: int, rule: NDArray[np.intp] | int | slice) -> Confusion:
        """Return the counts of rules in the sample itself."""
        table = self.tables[model]
        totals = (table.positives, table.negatives)
        return Confusion(table.tp[rule], table.fp[rule], *totals).at_ratio(self.ratio)

    def threshold_of(self, model: int, rule: int) -> Any:
        """Return a threshold in the middle of the gap below the lowest score that a rule flags.

        No score lies in the gap, so it may be any number there; a short one is taken. On new data
        the score itself would be as far as possible from one of the scores that are told apart.
        """
        thresholds = self.tables[model].thresholds
        edge = thresholds[rule]
        if rule in (0, thresholds.size - 1) or thresholds.dtype.itemsize > 8:
            return plain(edge)
        high, low = float(edge), float(thresholds[rule + 1])
        middle = high / 2 + low / 2
        if not low < middle < high:
            return plain(edge)
        short = float(threshold_text(middle, middle / 2 + low / 2))
        return short if low < short <= high else middle

    def rule_at(self, model: int, threshold: Any) -> int:
        """Return the rule of these rows that flags the scores from a threshold on.

        No score reaches +inf, so a rule that flags nothing elsewhere flags nothing here.
        """
        return int(np.searchsorted(-self.tables[model].thresholds[1:], -threshold, "right"))

    def folds(self, folds: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Assign units to folds at random, stratified by whether they have positives."""
        order = random.permutation(self.units.shape[0])
        with_positives = self.units[order, 0] > 0
        order = np.concatenate([order[with_positives], order[~with_positives]])
        fold = np.empty(order.size, np.int64)
        fold[order] = np.arange(order.size) % folds
        return fold


def choose(contests: Sequence[Contest], weights: Drawn, kernel: str) -> list[BestRules]:
    """Return the best rules of all models under each row of the weights, for each objective.

    Parameters
    ----------
    contests
        Models that are the same but for their objectives: their rows are added up once, so that
        many objectives cost little more than one.
    weights
        The weights of units.
    kernel
        ``"compiled"``, or any other.
    """
    rows = contests[0]
    is_compiled = kernel == "compiled" and all(each.task.gain is None for each in contests)
    sums = [block_sums(weights, each) for each in rows.rankings] if is_compiled else []
    unweighted = not rows.rankings[0].weight.size
    totals = sums[0][:, -1].copy() if sums and unweighted else rows.totals_under(weights)
    found: list[list[BestRules]] = [[] for _ in contests]
    for model, ranking in enumerate(rows.rankings):
        counts = () if sums else tuple(each.sums(weights) for each in rows.class_rows[model])
        for contest, chosen in zip(contests, found, strict=True):
            chosen.append(
                choose_compiled(weights, sums[model], totals, ranking, contest.task)
                if sums
                else choose_plain(Confusion(*counts, *totals.T), contest.task)
            )
    # The totals are those of all models.
    stacked = (BestRules(*map(np.stack, zip(*each, strict=True))) for each in found)
    positives, negatives = totals.T
    return [each._replace(positives=positives, negatives=negatives) for each in stacked]


def effective_rows(contest: Contest) -> float:
    """Return how many independent rows a weight of 1 is worth, for bounds of precision and recall.

    Notes
    -----
    The variance of the precision of the rule that would be chosen without a bound, from the sums
    of its residuals over units, is compared with the one that as many independent rows would have.
    Rows of weight 1 without clusters are worth 1 each, exactly.
    """
    plain = replace(contest, objective=replace(contest.objective, sure=None))
    (found,) = choose([plain], np.ones((1, contest.units.shape[0])), "plain")
    values = []
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
        values.append(rows / total)
    return min(values, default=1.0)
