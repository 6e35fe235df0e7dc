"""The same work as `best_rules.choose_plain`, written as loops to compile.

`isometrics._counting.best_rules` has Numba compile them; as Python they are only slow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isometrics._counting.best_rules import NO_RULE, lower_bound

if TYPE_CHECKING:
    from isometrics._core.arrays import Floats
    from isometrics._counting.best_rules import Chosen, Ranking, Task

_AT_ONCE = 512
"""Rows whose counts a loop holds at once, so that the processor can compare several of them."""


def choose(  # noqa: PLR0912 (one pass, which is what makes it fast)
    weights: Floats, totals: Floats, ranking: Ranking, task: Task, chosen: Chosen
) -> None:
    """Do the same as `best_rules.choose_plain`."""
    weighted = ranking.weight.size > 0
    levels = task.min_precision >= 0 or task.min_recall >= 0 or task.most_flagged < np.inf
    tps, fps, gains = np.empty(_AT_ONCE), np.empty(_AT_ONCE), np.empty(_AT_ONCE)
    for row in range(weights.shape[0]):
        positives, negatives = totals[row, 0], totals[row, 1]
        scale = 1.0
        if task.ratio > 0:
            scale = positives * task.ratio / negatives if negatives > 0 else np.nan
            negatives = positives * task.ratio
        best, best_item = -np.inf, NO_RULE
        chosen.rule[row] = NO_RULE
        chosen.tp[row], chosen.fp[row] = np.nan, np.nan
        chosen.fixed_tp[row], chosen.fixed_fp[row] = 0.0, 0.0
        if not (positives > 0 and negatives > 0 and scale > 0):
            best = np.inf  # which no rule exceeds
        elif task.allows_nothing and not (task.min_precision >= 0 or task.min_recall > 0):
            best = -task.first * positives if task.costs else 0.0
            chosen.rule[row], chosen.tp[row], chosen.fp[row] = 0, 0.0, 0.0
        tp, fp = 0.0, 0.0
        for start in range(0, ranking.unit.size, _AT_ONCE):
            size = min(_AT_ONCE, ranking.unit.size - start)
            for at in range(size):
                weight = weights[row, ranking.unit[start + at]]
                if weighted:
                    weight = weight * ranking.weight[start + at]
                hit = weight * ranking.positive[start + at]
                tp += hit
                fp += weight - hit
                tps[at], fps[at] = tp, fp
            for at in range(size):
                alarms = fps[at] * scale
                lost = task.first * (positives - tps[at]) + task.second * alarms
                gain = -lost if task.costs else tps[at] / (lost + tps[at])
                ends = ranking.last[start + at] & ((tps[at] + alarms > 0) | task.allows_nothing)
                gains[at] = gain if ends else -np.inf
            if levels:
                for at in range(size):
                    flagged = tps[at] + fps[at] * scale
                    if gains[at] > best and not keeps_levels(
                        tps[at], flagged, positives, negatives, task
                    ):
                        gains[at] = -np.inf
            highest = -np.inf
            for at in range(size):
                highest = gains[at] if gains[at] > highest else highest
            if highest > best:
                at = 0
                while gains[at] != highest:
                    at += 1
                best, best_item = highest, start + at
                chosen.tp[row], chosen.fp[row] = tps[at], fps[at]
            if start <= task.fixed_end < start + size:
                at = task.fixed_end - start
                chosen.fixed_tp[row], chosen.fixed_fp[row] = tps[at], fps[at]
        if best_item >= 0:
            chosen.rule[row] = ranking.rule[best_item]


def keeps_levels(tp: float, flagged: float, positives: float, negatives: float, task: Task) -> bool:
    """Tell whether a rule keeps all levels."""
    if task.min_precision >= 0 and (
        flagged == 0
        or not lower_bound(tp / flagged, flagged * task.effective, task.z) >= task.min_precision
    ):
        return False
    if task.min_recall >= 0 and not (
        lower_bound(tp / positives, positives * task.effective, task.z) >= task.min_recall
    ):
        return False
    return bool(flagged <= task.most_flagged * (positives + negatives))
