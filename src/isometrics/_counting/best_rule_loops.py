"""The same work as `best_rules.choose_plain`, written as loops to compile.

`isometrics._counting.best_rules` has Numba compile them; as Python they are only slow.

Notes
-----
The rows of blocks of rules are added up first, in the order of the sample: that needs no sorting
and no search in memory. A block whose positives would not make its rules better than the end of
another block, even if they all stood before its negatives, holds no best rule, so only the rows of
few blocks are visited one by one. Numbers of draws are whole, so sums are the same in any order;
where rows have weights, they are added up in the order of the ranking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isometrics._counting.best_rules import NO_RULE, lower_bound

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._counting.best_rules import Chosen, Ranking, Task

_ROUNDING = 1e-9
"""More than rounding can change a gain between 0 and 1, a precision or a recall."""


def add_up(weights: NDArray[np.uint8], ranking: Ranking, sums: Floats) -> None:
    """Fill in the positives and the negatives before each block, and all of them at the end.

    Parameters
    ----------
    weights
        One row for each weighting, one column for each unit: whole numbers.
    ranking
        The rows and their blocks.
    sums
        Weightings × (blocks + 1) × 2.
    """
    for row in range(weights.shape[0]):
        drawn, counts = weights[row], sums[row]
        counts[:] = 0
        if ranking.weight.size:
            add_up_in_order(drawn, ranking, counts)
            continue
        # Block i is counted in row i + 1, and then added to the ones before it.
        flat = counts.reshape(-1)[2:]
        if ranking.cell_unit.size:
            for at in range(ranking.cell.size):
                flat[ranking.cell[at]] += drawn[ranking.cell_unit[at]]
        else:
            for at in range(ranking.cell.size):
                flat[ranking.cell[at]] += drawn[at]
        for at in range(2, flat.size):
            flat[at] += flat[at - 2]


def add_up_in_order(drawn: NDArray[np.uint8], ranking: Ranking, counts: Floats) -> None:
    """Do so for one weighting, row by row from the highest score on."""
    tp, fp, start = 0.0, 0.0, 0
    for block in range(ranking.block_ends.size):
        end = ranking.block_ends[block]
        for at in range(start, end):
            weight = drawn[ranking.unit[at]] * ranking.weight[at]
            hit = weight * ranking.positive[at]
            tp += hit
            fp += weight - hit
        counts[block + 1, 0], counts[block + 1, 1] = tp, fp
        start = end


def choose(
    weights: NDArray[np.uint8],
    sums: Floats,
    totals: Floats,
    ranking: Ranking,
    task: Task,
    chosen: Chosen,
) -> None:
    """Do the same as `best_rules.choose_plain`, from the sums that `add_up` has filled in."""
    for row in range(weights.shape[0]):
        positives, negatives = totals[row, 0], totals[row, 1]
        scale = 1.0
        if task.ratio > 0:
            scale = positives * task.ratio / negatives if negatives > 0 else np.nan
            negatives = positives * task.ratio
        chosen.rule[row] = NO_RULE
        chosen.tp[row], chosen.fp[row] = np.nan, np.nan
        if positives > 0 and negatives > 0 and scale > 0:
            best = -np.inf
            if task.allows_nothing and not (task.min_precision >= 0 or task.min_recall > 0):
                best = -task.first * positives if task.costs else 0.0
                chosen.rule[row], chosen.tp[row], chosen.fp[row] = 0, 0.0, 0.0
            case = (positives, negatives, scale)
            end, tp, fp = best_end(weights[row], sums[row], ranking, task, case, best)
            if end > 0:
                chosen.rule[row] = ranking.rule[end - 1]
                chosen.tp[row], chosen.fp[row] = tp, fp
        fixed = counts_before(weights[row], sums[row], ranking, task.fixed_end + 1)
        chosen.fixed_tp[row], chosen.fixed_fp[row] = fixed


def best_end(
    drawn: NDArray[np.uint8],
    counts: Floats,
    ranking: Ranking,
    task: Task,
    case: tuple[float, float, float],
    best: float,
) -> tuple[int, float, float]:
    """Return the row behind the best rule and its counts; 0 if no rule's gain exceeds `best`."""
    positives, negatives, scale = case
    blocks = ranking.block_ends.size
    floor = best
    for block in range(1, blocks + 1):
        gain = gain_of(counts[block, 0], counts[block, 1] * scale, positives, task)
        if gain > floor and is_allowed(counts[block, 0], counts[block, 1] * scale, case, task):
            floor = gain
    perfect = 0.0 if task.costs else 1.0
    unit = task.first * positives + task.second * negatives if task.costs else 1.0
    best_at, best_tp, best_fp = 0, np.nan, np.nan
    end = 0
    for block in range(blocks):
        start, end = end, ranking.block_ends[block]
        most_tp, least_fp = counts[block + 1, 0], counts[block, 1] * scale
        bound = gain_of(most_tp, least_fp, positives, task) + _ROUNDING * unit
        if bound < floor or breaks_levels(most_tp, counts[block, 0], least_fp, case, task):
            continue
        tp, fp, first = counts[block, 0], counts[block, 1], start
        if ranking.rule[start] == ranking.rule[end - 1]:
            # The end of the block is its only rule.
            tp, fp, first = counts[block + 1, 0], counts[block + 1, 1], end
            gain = gain_of(tp, fp * scale, positives, task)
            if gain > best and is_allowed(tp, fp * scale, case, task):
                best, best_at, best_tp, best_fp = gain, end, tp, fp
        for at in range(first, end):
            weight = drawn[ranking.unit[at]] * 1.0
            if ranking.weight.size:
                weight = weight * ranking.weight[at]
            hit = weight * ranking.positive[at]
            tp += hit
            fp += weight - hit
            if ranking.last[at]:
                gain = gain_of(tp, fp * scale, positives, task)
                if gain > best and is_allowed(tp, fp * scale, case, task):
                    best, best_at, best_tp, best_fp = gain, at + 1, tp, fp
        if best >= perfect:
            break
    return best_at, best_tp, best_fp


def counts_before(
    drawn: NDArray[np.uint8], counts: Floats, ranking: Ranking, end: int
) -> tuple[float, float]:
    """Return the true and the false positives of the rule that ends before a row."""
    block = np.searchsorted(ranking.block_ends, end, "right")
    tp, fp = counts[block, 0], counts[block, 1]
    for at in range(ranking.block_ends[block - 1] if block else 0, end):
        weight = drawn[ranking.unit[at]] * 1.0
        if ranking.weight.size:
            weight = weight * ranking.weight[at]
        hit = weight * ranking.positive[at]
        tp += hit
        fp += weight - hit
    return tp, fp


def gain_of(tp: float, alarms: float, positives: float, task: Task) -> float:
    """Return what is maximised; NaN where it is not defined."""
    lost = task.first * (positives - tp) + task.second * alarms
    return -lost if task.costs else tp / (lost + tp)


def is_allowed(tp: float, alarms: float, case: tuple[float, float, float], task: Task) -> bool:
    """Tell whether a rule keeps all levels."""
    positives, negatives, _ = case
    flagged = tp + alarms
    if flagged == 0 and not task.allows_nothing:
        return False
    if task.min_precision >= 0 and (
        flagged == 0
        or not lower_bound(tp / flagged, flagged * task.effective, task.z) >= task.min_precision
    ):
        return False
    if task.min_recall > 0 and not (
        lower_bound(tp / positives, positives * task.effective, task.z) >= task.min_recall
    ):
        return False
    return bool(flagged <= task.most_flagged * (positives + negatives))


def breaks_levels(
    most_tp: float,
    least_tp: float,
    least_alarms: float,
    case: tuple[float, float, float],
    task: Task,
) -> bool:
    """Tell whether no rule of a block can keep all levels; a bound of a share is never above it."""
    positives, negatives, _ = case
    flagged = most_tp + least_alarms
    return bool(
        (flagged > 0 and most_tp / flagged < task.min_precision - _ROUNDING)
        or most_tp / positives < task.min_recall - _ROUNDING
        or least_tp + least_alarms > task.most_flagged * (positives + negatives) * (1 + _ROUNDING)
    )


PARTS = (add_up_in_order, gain_of, is_allowed, breaks_levels, best_end, counts_before)
"""What the loops call."""
