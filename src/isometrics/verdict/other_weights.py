"""How often each model wins at other weights of recall, and for which weights a choice holds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._counting.best_rules import Counts
from isometrics._counting.hull import vertices
from isometrics.uncertainty.intervals import UNDEFINED, Interval
from isometrics.verdict.firmness import connected
from isometrics.verdict.verdict import OtherWeights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics.decisions.objective import Objective
    from isometrics.verdict.contest import Contest, Drawing

WEIGHTS = (np.arange(41) + 0.5) / 41
"""The weights of recall at which the models are compared."""
_SWEPT = (40, 200)
"""The least and the most replicates in which they are; of more rows fewer are taken."""
_SWEPT_ROWS = 4e7
_WINS = 0.95


def other_weights(contest: Contest, drawing: Drawing) -> OtherWeights | None:
    """Return how often each model wins at other weights of recall, in the first replicates."""
    if contest.objective.index is not None or len(contest.names) < 2:
        return None

    def wins(drawn: Floats) -> tuple[Floats, int]:
        models = range(len(contest.names))
        best = np.stack([_best_gains(contest, each, drawn) for each in models])
        best = best[:, ~np.isneginf(best).any(axis=(0, 2))]
        is_best = best == best.max(axis=0)
        return (is_best / is_best.sum(axis=0)).sum(axis=1).T, best.shape[1]

    affordable = min(max(round(_SWEPT_ROWS / contest.units.shape[0]), _SWEPT[0]), _SWEPT[1])
    fewer = drawing._replace(n_resamples=min(affordable, drawing.n_resamples))
    parts = fewer.map(contest, wins)
    count = sum(part for _, part in parts)
    shape = (WEIGHTS.size, len(contest.names))
    shares = (
        sum((part for part, _ in parts), np.zeros(shape)) / count
        if count
        else np.full(shape, np.nan)
    )
    betas = np.sqrt(WEIGHTS / (1 - WEIGHTS))
    return OtherWeights(WEIGHTS.copy(), betas, contest.names, shares)


def _best_gains(contest: Contest, model: int, drawn: Floats) -> Floats:
    """Return the highest gain of a model in each replicate, at each weight of recall.

    A rule can only be best if its lowest score has a positive or if it flags nothing, and of those
    that are allowed the ones on their hull.
    """
    positive, negative = contest.class_rows[model]
    first = 0 if contest.objective.allows_nothing else 1
    rules = np.flatnonzero(np.diff(positive.flagged, prepend=-1))[first:]
    gains = np.full((len(drawn), WEIGHTS.size), -np.inf)
    sums = (positive.sums(drawn), negative.sums(drawn))
    whole = not positive.weight.size
    for row, (tp, fp) in enumerate(zip(*sums, strict=True)):
        totals = (tp[-1], fp[-1])
        if 0 in totals:
            continue
        counts = Counts(tp[rules], fp[rules], *totals).at_ratio(contest.ratio)
        if contest.objective.constraints:
            allowed = contest.worth(counts) > -np.inf
            counts = counts._replace(tp=counts.tp[allowed], fp=counts.fp[allowed])
        if counts.tp.size > 2:
            path: tuple[NDArray[Any], ...] = (counts.fp, counts.tp)
            if whole and contest.ratio == 0:
                path = (counts.fp.astype(np.int64), counts.tp.astype(np.int64))
            on_hull = vertices(*path)
            counts = counts._replace(tp=counts.tp[on_hull], fp=counts.fp[on_hull])
        if counts.tp.size:
            gains[row] = _gains_at(counts, costs=contest.objective.costs is not None)
    return gains


def _gains_at(counts: Counts, *, costs: bool) -> Floats:
    """Return the highest gain of some rules at each weight of recall."""
    recall_weight = WEIGHTS[:, None]
    lost = recall_weight * (counts.positives - counts.tp) + (1 - recall_weight) * counts.fp
    if costs:
        return np.asarray(-lost.min(axis=1))
    return np.asarray((counts.tp / (counts.tp + lost)).max(axis=1))


def beta_range(weights: OtherWeights | None, model: int, objective: Objective) -> Interval:
    """Return the range of β around the objective's in which the model wins in 95%."""
    if weights is None:
        return UNDEFINED
    if objective.costs is not None:
        own = float(objective.cost_shares[0])
    else:
        beta = 1.0 if objective.beta is None else objective.beta
        own = 1.0 if math.isinf(beta) else beta**2 / (1 + beta**2)
    wins = weights.shares[:, model] >= _WINS
    centre = int(np.argmin(np.abs(weights.lam - own)))
    if not wins[centre]:
        return UNDEFINED
    low, high = connected(wins, centre)
    return Interval(float(weights.beta[low]), float(weights.beta[high]))
