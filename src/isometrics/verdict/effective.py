"""How many independent rows weighted or clustered rows are worth."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from isometrics._counting.best_rules import NO_RULE

if TYPE_CHECKING:
    from isometrics.verdict.contest import Contest


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
