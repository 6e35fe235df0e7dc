"""Whether one rule serves all groups: what it does in each, beside the group's own choice."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from isometrics._core.progress import part_of_progress, reporting
from isometrics._core.results import several
from isometrics.analysis.threshold_check import check_thresholds, shown
from isometrics.analysis.verdicts import (
    RESAMPLES,
    ROWS_OF_A_MODEL,
    WORK,
    Request,
    group_verdicts,
)
from isometrics.decisions.thresholds import ALL_ROWS
from isometrics.errors import IsometricsError, UndefinedWarning
from isometrics.report.groups import MOST_GROUPS, GroupRow, Groups
from isometrics.uncertainty.paired import percent
from isometrics.verdict.judge import Options
from isometrics.verdict.verdict import Verdict
from isometrics.verdict.without_rows import judge_tables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isometrics._core.progress import ProgressLike
    from isometrics.analysis.analysis import Analysis
    from isometrics.analysis.threshold_check import ThresholdCheck
    from isometrics.points import OperatingPoints

_FEWEST_RESAMPLES = 100
"""With fewer, there are no intervals."""
_MOST_RESAMPLES = RESAMPLES // 2
_MOST_JUDGED = 25
"""Of more groups than this, only the thresholds are judged by drawing rows again."""
_NAMED = 3
"""So many groups are named in a sentence."""


def check_groups(
    analysis: Analysis,
    verdict: Verdict | Mapping[str, Verdict],
    *,
    confidence_level: float = 0.95,
    progress: ProgressLike = None,
) -> Groups | None:
    """Return what the rule of a verdict does in each group; None where there is nothing to ask.

    It takes some seconds at most: as many resamples are drawn as that allows, of many rows none.

    Parameters
    ----------
    analysis
        Models with groups.
    verdict
        The verdict over all rows; several of them, of classes, have no common rule.
    confidence_level
        The confidence of the intervals.
    progress
        As for `bootstrap`.

    Notes
    -----
    The common rule is taken as given, as `Analysis.at` takes thresholds; the value of a group's own
    threshold is corrected for having been chosen on the rows of the group.
    """
    if not isinstance(verdict, Verdict):
        if list(verdict) != [""]:
            return None
        verdict = verdict[""]
    if math.isnan(verdict.threshold):
        return None
    largest = _largest(analysis, verdict.model)
    if not largest:
        return None
    judged = replace(analysis, groups={name: analysis.groups[name] for name in largest})
    n_rows = sum(_count_rows(models) + ROWS_OF_A_MODEL for models in judged.groups.values())
    resamples = min(_MOST_RESAMPLES, int(WORK / 2 / (n_rows * len(judged.models))) // 100 * 100)
    options = Options(confidence_level, resamples, 0, -1)
    left_out = dict(analysis.skipped)
    with reporting(progress, "resamples") as report:
        told = [options._replace(progress=part_of_progress(report, part, 2)) for part in range(2)]
        if set(largest) <= set(verdict.groups):
            verdicts = {name: verdict.groups[name] for name in largest}
        else:
            verdicts, reasons = _verdicts(judged, verdict, told[0])
            left_out |= reasons
        check = _check(judged, verdict, list(verdicts), told[1])
    rows = [_row(judged, check, row, verdicts) for row in _given_rows(check)]
    sign = 1 if verdict.objective.higher_is_better else -1
    rows.sort(key=lambda row: (math.isnan(row.value), sign * row.value, row.name))
    n_absent = sum(verdict.model not in models for models in analysis.groups.values())
    return Groups(
        verdict.objective.name,
        verdict.objective.higher_is_better,
        verdict.model,
        verdict.threshold_text,
        confidence_level,
        lines_about(verdict, rows, confidence_level),
        rows,
        left_out,
        len(analysis.groups) - len(largest) - n_absent,
    )


def _largest(analysis: Analysis, model: str) -> list[str]:
    """Return the largest groups that have a table of a model, in their order."""
    sizes = {
        name: -_count_rows(models) for name, models in analysis.groups.items() if model in models
    }
    kept = set(sorted(sizes, key=sizes.__getitem__)[:MOST_GROUPS])
    return [name for name in sizes if name in kept]


def _count_rows(models: Mapping[str, OperatingPoints]) -> float:
    return max(float(points.positives + points.negatives) for points in models.values())


def _verdicts(
    analysis: Analysis, verdict: Verdict, options: Options
) -> tuple[dict[str, Verdict], dict[str, str]]:
    """Return the verdict for each group, from its tables alone where there are too many."""
    if options.n_resamples >= _FEWEST_RESAMPLES and len(analysis.groups) <= _MOST_JUDGED:
        request = Request(verdict.objective, options, False, None, analysis.prevalence)
        size = len(analysis.groups)
        with reporting(options.progress) as report:
            told = [part_of_progress(report, part, size) for part in range(size)]
            return group_verdicts(analysis, request, told)
    verdicts, reasons = {}, {}
    why = "the rows were not drawn again"
    for name, models in analysis.groups.items():
        try:
            verdicts[name] = judge_tables(models, verdict.objective, options.confidence_level, why)
        except IsometricsError as error:
            reasons[name] = str(error)
    return verdicts, reasons


def _check(
    analysis: Analysis, verdict: Verdict, names: list[str], options: Options
) -> ThresholdCheck:
    """Return what the common threshold of one model does in some groups, beside their own."""
    model = verdict.model
    alone = replace(
        analysis,
        models={model: analysis.models[model]},
        groups={name: {model: analysis.groups[name][model]} for name in names},
        rows=None if analysis.rows is None else analysis.rows.of_model(model),
        counted=None
        if analysis.counted is None
        else {name: {model: analysis.counted[name][model]} for name in (ALL_ROWS, *names)},
    )
    beta = verdict.objective.beta
    goal = (verdict.objective, 1.0 if beta is None else beta)
    with warnings.catch_warnings():
        # The page shows where no threshold of a group keeps the constraints.
        warnings.simplefilter("ignore", UndefinedWarning)
        return check_thresholds(
            alone,
            np.array([verdict.threshold]),
            goal,
            options if options.n_resamples >= _FEWEST_RESAMPLES else None,
        )


def _given_rows(check: ThresholdCheck) -> list[int]:
    """Return the rows of the given threshold in groups; the best one follows each."""
    return [
        row
        for row, (group, rule) in enumerate(zip(check.groups, check.rules, strict=True))
        if group != ALL_ROWS and rule == "given"
    ]


def _row(
    analysis: Analysis, check: ThresholdCheck, row: int, verdicts: dict[str, Verdict]
) -> GroupRow:
    name, own = check.groups[row], row + 1
    verdict = verdicts[name]
    unknown = math.isnan(check.value[own])
    return GroupRow(
        name,
        analysis.groups[name],
        verdict.model,
        verdict.threshold_text,
        verdict.expected,
        *verdict.interval,
        verdict.sentence(),
        float(check.value[row]),
        float(check.lower[row]),
        float(check.upper[row]),
        (float(check.tp[row]), float(check.fp[row])),
        "" if unknown else check._text(own),
        float(check.value[own]),
        (float(check.tp[own]), float(check.fp[own])),
        *_gain(check, row),
    )


def _gain(check: ThresholdCheck, row: int) -> tuple[float, float, float]:
    """Return how much better the own threshold is; on these rows where no more is known."""
    if (check.tp[row], check.fp[row]) == (check.tp[row + 1], check.fp[row + 1]):
        # Both flag the same rows.
        return (0.0, 0.0, 0.0)
    if not math.isnan(check.shortfall[row]):
        found = (check.shortfall, check.shortfall_lower, check.shortfall_upper)
        return (float(found[0][row]), float(found[1][row]), float(found[2][row]))
    sign = 1 if check.objective.higher_is_better else -1
    return (sign * float(check.value[row + 1] - check.value[row]), math.nan, math.nan)


def lines_about(verdict: Verdict, rows: list[GroupRow], level: float) -> list[str]:
    """Say whether one threshold serves all groups, and what is not known about it."""
    rule = f"{verdict.threshold_text} of {several([verdict.model])}"
    name, n_groups = verdict.objective.name, len(rows)
    known = [row for row in rows if not math.isnan(row.gain)]
    if n_groups == 1:
        return [f"There is one group only, {several([rows[0].name])}."]
    by_gain = sorted(known, key=lambda row: -row.gain)
    judged = [row for row in by_gain if not math.isnan(row.gain_lower)]
    if all(row.counts == row.own_counts for row in judged):
        if len(judged) == n_groups:
            return [
                f"One threshold serves all {n_groups} groups: {rule} is the best one of each of "
                "them on these rows."
            ]
        unsure = f"How much of that is chance is not known: {_HOW}"
        if not by_gain:
            return [f"No group has a threshold of its own to compare {rule} with."]
        first = by_gain[0]
        return [
            f"On these rows, a threshold of its own would make {name} of "
            f"{several([first.name])} better by {shown(first.gain)} than {rule}, and that of every "
            f"other group by no more. {unsure}"
        ]
    better = [row for row in judged if row.gain_lower > 0]
    said = []
    if not better:
        first = judged[0]
        said.append(
            f"One threshold seems to serve all {n_groups} groups: for none of them is a threshold "
            f"of its own better than {rule} beyond chance."
        )
        if first.gain > 0:
            said[0] += (
                f" The largest gain in {name} to expect is {shown(first.gain)}, in "
                f"{several([first.name])}{_ends(first, level)}."
            )
        widest = max(judged, key=lambda row: row.gain_upper)
        if widest.gain_upper > 0:
            said.append(
                f"That is no proof: the rows of {several([widest.name])} allow a gain of up to "
                f"{shown(widest.gain_upper)}."
            )
    else:
        by_chance = len(judged) * (1 - level) / 2
        does = "may" if len(better) <= round(by_chance) else "does not"
        said.append(
            f"One threshold {does} serve all {n_groups} groups: {len(better)} of them "
            f"{'has' if len(better) == 1 else 'have'} a threshold of {_OWN[len(better) > 1]} that "
            f"is better than {rule} beyond chance."
        )
        if by_chance >= 0.5:
            said.append(
                f"By chance alone about {round(by_chance)} of {len(judged)} groups would look so."
            )
        said += [_about(row, name, level) for row in better[:_NAMED]]
    missing = n_groups - len(judged)
    if missing:
        said.append(f"Of {missing} group{'s' * (missing > 1)} nothing can be said for sure.")
    return said


_OWN = ("its own", "their own")
_HOW = "isometrics verdict FILE --group COLUMN judges each group."


def _about(row: GroupRow, name: str, level: float) -> str:
    where = f"at {row.own_threshold}" if row.own_threshold != "inf" else "flagging nothing"
    return (
        f"{several([row.name])}: {name} is {shown(row.value)} with the common threshold; {where} "
        f"expect {shown(row.gain)} better{_ends(row, level)}."
    )


def _ends(row: GroupRow, level: float) -> str:
    return f" ({percent(level)}: {shown(row.gain_lower)} to {shown(row.gain_upper)})"
