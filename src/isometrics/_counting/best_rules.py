"""The best rule of a ranking under many weightings of its rows, with NumPy or compiled loops.

Both ways add up and compare in the same order, so they choose the same rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import prepend_zero
from isometrics._counting import native
from isometrics._counting.confusion import Confusion, wilson_bound

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats

NO_RULE = -1
"""The row of a weighting under which no rule is allowed."""
_LEAST_GAIN = -np.finfo(np.float64).max
_LEAST_BLOCK, _MOST_BLOCKS = 64, 2048
"""Rows from which on rules make up a block, and how many blocks of rows there are.

Their counts stay in the processor's first cache. Long rules at most double the number of blocks,
whose cells 16 bits can tell apart."""


class Ranking(NamedTuple):
    """The rows of a sample from the highest score of a model to the lowest.

    Rule 0 flags nothing, rule i the rows of the i highest distinct scores. Rules that follow one
    another make up a block, whose rows are added up before any of its rules is looked at.
    """

    unit: NDArray[np.int32]
    """The unit of each row: the weightings give weights to units."""
    positive: NDArray[np.bool_]
    last: NDArray[np.bool_]
    """Whether a row is the last one of its score, which ends a rule."""
    rule: NDArray[np.int32]
    """The rule that ends with a row of this score."""
    weight: Floats
    """The weight of each row within its unit; empty where all are 1."""
    block_ends: NDArray[np.int64]
    """The row behind the last one of each block, which ends a rule."""
    cell: NDArray[np.uint16]
    """Twice the block of each row, and 1 more for a negative; rows in the order of the sample."""
    cell_unit: NDArray[np.int32]
    """The unit of each row in the order of the sample; empty where each row is its own."""

    @classmethod
    def of_rows(
        cls,
        scores: NDArray[Any],
        positive: NDArray[np.bool_],
        unit: NDArray[np.int32],
        weight: Floats | None,
    ) -> Ranking:
        """Sort the rows of a model."""
        order = np.argsort(scores, kind="stable")[::-1]
        ordered = scores[order]
        last = np.append(ordered[1:] != ordered[:-1], True)
        rule = (np.cumsum(last) - last + 1).astype(np.int32)
        weights = np.empty(0) if weight is None else weight[order].astype(np.float64)
        ends = np.flatnonzero(last) + 1
        block = blocks_of(ends)
        cell = np.empty(order.size, np.uint16)
        cell[order] = 2 * block[rule - 1] + ~positive[order]
        alone = np.array_equal(unit, np.arange(order.size))
        return cls(
            unit[order],
            positive[order],
            last,
            rule,
            weights,
            ends[np.append(block[1:] != block[:-1], True)],
            cell,
            unit[:0] if alone else unit,
        )

    def split(self) -> tuple[ClassRows, ClassRows]:
        """Return the positive and the negative rows apart."""
        positive, negative = (
            ClassRows(
                self.unit[rows],
                self.weight[rows] if self.weight.size else self.weight,
                prepend_zero(np.cumsum(rows)[self.last]),
            )
            for rows in (self.positive, ~self.positive)
        )
        return positive, negative

    def end_of(self, rule: int) -> int:
        """Return the last row that a rule flags, -1 for the rule that flags nothing."""
        # A number of another type would copy all rules.
        return int(np.searchsorted(self.rule, self.rule.dtype.type(rule), "right")) - 1


def blocks_of(ends: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the block of each rule, from the row behind its last one.

    A block has the rules that end among some hundred rows; one of more rows is a block by itself.
    """
    size = max(_LEAST_BLOCK, -(-int(ends[-1]) // _MOST_BLOCKS))
    window = (ends - 1) // size
    alone = np.append(0, ends[:-1]) // size != window
    starts = alone[1:] | alone[:-1] | (window[1:] != window[:-1])
    return np.append(0, np.cumsum(starts))


class ClassRows(NamedTuple):
    """The rows of one class from the highest score to the lowest, and how many each rule flags."""

    unit: NDArray[np.int32]
    weight: Floats
    flagged: NDArray[np.intp]

    def sums(self, weights: NDArray[Any]) -> Floats:
        """Return the weight that each rule flags, by weighting."""
        drawn = weights[:, self.unit]
        if self.weight.size:
            drawn = drawn * self.weight
        sums = np.zeros((drawn.shape[0], drawn.shape[1] + 1))
        np.cumsum(drawn, axis=1, out=sums[:, 1:])
        return np.take(sums, self.flagged, axis=1)


class Task(NamedTuple):
    """What is maximised, in numbers.

    With `costs`, minus ``first * misses + second * false alarms``; without, F with the weights
    `first` of recall and `second` of precision. Levels that are not asked for are -1 and infinity.
    Rates are replaced by their bounds `z` standard errors on the worse side; a weight of 1 counts
    as `effective` rows there. A `ratio` above 0 fixes the negatives for each positive.
    What these numbers cannot say is a `gain`, a function of the counts that compiled loops do not
    have.
    """

    costs: bool
    first: float
    second: float
    min_precision: float
    min_recall: float
    max_fpr: float
    most_flagged: float
    z: float
    effective: float
    allows_nothing: bool
    ratio: float
    gain: Callable[[Confusion], Floats] | None = None


class BestRules(NamedTuple):
    """The best rule under each weighting, and its counts.

    Of several models, they are the first axis of the rules and their counts. Where no rule keeps
    the constraints, or a class is missing, the rule is -1 and its counts are NaN.
    """

    rule: NDArray[np.int64]
    tp: Floats
    fp: Floats
    positives: Floats
    negatives: Floats

    @classmethod
    def joined(cls, parts: Sequence[BestRules]) -> BestRules:
        """Return the best rules under all weightings of the parts."""
        return cls(*(np.concatenate(column, axis=-1) for column in zip(*parts, strict=True)))

    def counts(self, ratio: float) -> Confusion:
        """Return the counts of the chosen rules."""
        return Confusion(self.tp, self.fp, self.positives, self.negatives).at_ratio(ratio)


def choose_plain(counts: Confusion, task: Task) -> BestRules:
    """Return the best rule of a model under each weighting.

    Parameters
    ----------
    counts
        The true and false positives of each rule (second axis) under each weighting (first axis),
        as `ClassRows.sums` adds them up, and the totals under each weighting.
    task
        What is maximised.
    """
    tp, fp, positives, negatives = counts
    gains = allowed_gain(task, Confusion(tp, fp, positives[:, None], negatives[:, None]))
    rule = gains.argmax(axis=1)
    each = np.arange(len(rule))
    missing = ~(gains[each, rule] > -np.inf)
    return BestRules(
        np.where(missing, NO_RULE, rule),
        np.where(missing, np.nan, tp[each, rule]),
        np.where(missing, np.nan, fp[each, rule]),
        positives,
        negatives,
    )


def allowed_gain(task: Task, counts: Confusion) -> Floats:
    """Return the gain of each rule; -inf for rules that are not allowed."""
    with np.errstate(divide="ignore", invalid="ignore"):
        counts = counts.at_ratio(task.ratio)
        tp, fp, positives, negatives = counts
        if task.gain is None:
            gains = task.first * (positives - tp)
            gains += task.second * fp
            if task.costs:
                np.negative(gains, out=gains)
            else:
                gains += tp
                np.divide(tp, gains, out=gains)
        else:
            gains = at_least_finite(task.gain(counts))
        flagged = tp + fp
        allowed = (positives > 0) & (negatives > 0) & ~np.isnan(gains)
        if not task.allows_nothing:
            allowed &= flagged > 0
        if task.min_precision >= 0:
            bound = wilson_bound(tp / flagged, flagged * task.effective, task.z)
            allowed &= bound >= task.min_precision
        if task.min_recall > 0:
            bound = wilson_bound(tp / positives, positives * task.effective, task.z)
            allowed &= bound >= task.min_recall
        if task.max_fpr < np.inf:
            rate = fp / negatives
            if task.z:
                rate = 1 - wilson_bound(1 - rate, negatives * task.effective, task.z)
            allowed &= rate <= task.max_fpr
        if task.most_flagged < np.inf:
            allowed &= flagged <= task.most_flagged * (positives + negatives)
    return np.where(allowed, gains, -np.inf)


def at_least_finite(gains: Floats) -> Floats:
    """Replace gains of minus infinity, which a rule may have, by less than any other; NaN stays.

    Minus infinity can then stand for no rule at all.
    """
    return np.maximum(gains, _LEAST_GAIN)


def block_sums(weights: NDArray[Any], ranking: Ranking) -> Floats:
    """Return the positives and the negatives before each block, and all of them at the end.

    The axes are weightings, blocks and classes.
    """
    sums = np.empty((weights.shape[0], ranking.block_ends.size + 1, 2))
    native.add_up(weights, *weights.shape, native.ranking_of(ranking), sums)
    return sums


def counts_at(
    weights: NDArray[Any], ranking: Ranking, rules: Sequence[int], *, compiled: bool
) -> tuple[Floats, Floats]:
    """Return the true and the false positives of some rules, weightings × rules."""
    ends = [ranking.end_of(rule) + 1 for rule in rules]
    starts, sums = [0] * len(ends), np.zeros((weights.shape[0], 1, 2))
    blocks = [0] * len(ends)
    if compiled:
        # Only the rows of the last block are looked at one by one.
        sums = block_sums(weights, ranking)
        blocks = np.searchsorted(ranking.block_ends, ends, "right").tolist()
        starts = prepend_zero(ranking.block_ends)[blocks].tolist()
    found = []
    for block, start, end in zip(blocks, starts, ends, strict=True):
        own = weights[:, ranking.unit[start:end]]
        if ranking.weight.size:
            own = own * ranking.weight[start:end]
        positive = ranking.positive[start:end]
        parts = (own[:, positive].sum(axis=1), own[:, ~positive].sum(axis=1))
        found.append([sums[:, block, place] + part for place, part in enumerate(parts)])
    tp, fp = np.transpose(np.array(found, np.float64), (1, 2, 0))
    return tp, fp


def choose_compiled(
    weights: NDArray[Any], sums: Floats, totals: Floats, ranking: Ranking, task: Task
) -> BestRules:
    """Do the same as `choose_plain` for whole weights, from the sums of blocks."""
    rules = (np.empty(len(weights), np.int64), *np.empty((2, len(weights))))
    of_ranking = native.ranking_of(ranking)
    of_task = native.Task(**{field[0]: getattr(task, field[0]) for field in native.Task._fields_})
    native.choose(weights, *weights.shape, sums, totals, of_ranking, of_task, *rules)
    return BestRules(*rules, *totals.T)
