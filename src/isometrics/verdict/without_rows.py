"""Verdicts from tables whose rows are not known: the best rule, without corrections."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from isometrics._core.sample import Sample
from isometrics._counting.best_rules import Counts
from isometrics.decisions.best import best_rule
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.uncertainty.intervals import UNDEFINED
from isometrics.verdict.verdict import Kept, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isometrics.decisions.decision import Decision
    from isometrics.decisions.objective import Objective
    from isometrics.points import OperatingPoints

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
    decisions = _decisions(models, objective)
    sign = 1 if objective.higher_is_better else -1
    values = {name: _value(decision, objective) for name, decision in decisions.items()}
    order = sorted(values, key=lambda name: -sign * values[name])
    best = decisions[order[0]]
    points = models[order[0]]
    totals = (points.positives, points.negatives)
    counts = Counts(best.tp, best.fp, *totals)
    rules = {"flagging everything": totals, "flagging nothing": (0.0, 0.0)}
    if not objective.allows_nothing:
        del rules["flagging nothing"]
    kept = tuple(
        Kept.of(each, float(each.of(counts)), math.nan, UNDEFINED, math.nan)
        for each in objective.constraints
    )
    return Verdict(
        objective,
        order[0],
        best.threshold,
        best._threshold_text(),
        best,
        values[order[0]],
        math.nan,
        UNDEFINED,
        level,
        kept,
        dict.fromkeys(models, math.nan),
        order[1] if len(order) > 1 else None,
        math.nan,
        UNDEFINED,
        tuple(decisions),
        UNDEFINED,
        UNDEFINED,
        {name: float(objective.value(Counts(*each, *totals))) for name, each in rules.items()},
        None,
        None,
        UNDEFINED,
        _about_prevalences(models),
        f"What to expect on new data is not known: {reason}.",
        round(points.positives + points.negatives),
        round(points.positives),
        0,
    )


def _about_prevalences(models: Mapping[str, OperatingPoints]) -> tuple[str, ...]:
    """Warn about models that were counted on rows of different prevalences."""
    shares = [points.prevalence for points in models.values()]
    if max(shares) <= _SAME_PREVALENCE * min(shares):
        return ()
    return (
        f"the prevalence differs between models, from {min(shares):.3g} to {max(shares):.3g}; F1 "
        "and precision depend on it, and so does who is best",
    )


def _decisions(models: Mapping[str, OperatingPoints], objective: Objective) -> dict[str, Decision]:
    """Return the best rule of each model that has one."""
    decisions, refusals = {}, []
    for name, points in models.items():
        try:
            decisions[name] = _decision(points, objective)
        except ParameterError as error:
            refusals.append(error)
    if not decisions:
        raise refusals[0]
    return decisions


def _decision(points: OperatingPoints, objective: Objective) -> Decision:
    if objective.sure is not None:
        raise NotAnswerableError(
            "needs the rows, which this analysis does not have; leave it out", parameter="sure"
        )
    return best_rule(points, objective)


def _value(decision: Decision, objective: Objective) -> float:
    return float(objective.value(decision.counts))
