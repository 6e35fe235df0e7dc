"""The page of an analysis: its verdict, its tuning data, and what one rule does in each group."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.files import finite_or_null
from isometrics._core.parameters import part_of_progress, reporting
from isometrics._core.results import join_names, percent
from isometrics.analysis.analysis import refuse_without_intervals
from isometrics.analysis.threshold_check import check_thresholds, written
from isometrics.analysis.verdicts import (
    FEWEST_RESAMPLES,
    RESAMPLES,
    ROWS_OF_A_MODEL,
    WORK,
    group_verdicts,
    objective_options,
    quick_verdicts,
    verdicts_by_beta,
)
from isometrics.decisions.objective import ObjectiveOptions
from isometrics.decisions.thresholds import ALL_ROWS
from isometrics.errors import IsometricsError, ParameterError, UndefinedWarning
from isometrics.report.html import title_of
from isometrics.report.model import MOST_ROWS, packed
from isometrics.spaces.drawing import rows_to_explore
from isometrics.uncertainty.resampling import DrawingOptions
from isometrics.verdict.contest import Options
from isometrics.verdict.judge import judge_tables, rows_of_table
from isometrics.verdict.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from isometrics._core.parameters import ProgressLike
    from isometrics._core.sample import Sample
    from isometrics._table.table import Table
    from isometrics.analysis.analysis import Analysis
    from isometrics.analysis.threshold_check import ThresholdCheck
    from isometrics.points import OperatingPoints
    from isometrics.report.model import PageOptions


class ReportOptions(DrawingOptions, ObjectiveOptions, total=False):
    """How bands are drawn, and what the verdict at the head of a page is for."""

    sure: float | None
    guarantee: float | None


def page_of(
    analysis: Analysis,
    verdict: Verdict | Mapping[str, Verdict] | bool,
    asked: ReportOptions,
    *,
    title: str | None,
    confidence_level: float | None,
    thresholds_from: Analysis | None,
) -> PageOptions:
    """Return what the page of `Analysis.report` shows."""
    objective = objective_options(asked)
    drawing: Any = {name: value for name, value in asked.items() if name not in objective}
    refuse_without_intervals(drawing, confidence_level)
    if objective and verdict is not True:
        raise ParameterError(
            "is for the verdict of the page, but verdict= is given, too; leave one of them out",
            parameter=next(iter(objective)),
        )
    first: Verdict | Mapping[str, Verdict] = {} if isinstance(verdict, bool) else verdict
    others: tuple[Verdict, ...] = ()
    if verdict is True:
        options = objective | {
            "confidence_level": 0.95 if confidence_level is None else confidence_level,
            "thresholds_from": thresholds_from,
        }
        found = quick_verdicts(analysis, options, by_beta=True)
        first, others = found.verdicts, found.by_beta
    elif isinstance(first, Verdict) and first._rows_alone and thresholds_from is None:
        others = verdicts_by_beta(analysis, {"confidence_level": first.confidence_level})
    page = page_options(
        analysis,
        first,
        others,
        title=title,
        confidence_level=confidence_level,
        thresholds_from=thresholds_from,
    )
    if confidence_level is not None:
        index = objective.get("index", "f-measure")
        page["bands"] = analysis.bands(index=index, confidence_level=confidence_level, **drawing)
    return page


def page_options(
    analysis: Analysis,
    verdict: Verdict | Mapping[str, Verdict],
    other_verdicts: tuple[Verdict, ...],
    *,
    title: str | None = None,
    confidence_level: float | None = None,
    thresholds_from: Analysis | None = None,
    progress: ProgressLike = None,
) -> PageOptions:
    """Return what a page shows of an analysis, as `report_html` and `serve` take it.

    The groups are judged here, which takes some seconds and is what `progress` is told of.
    """
    level = 0.95 if confidence_level is None else confidence_level
    tuning = thresholds_from
    if tuning is not None and analysis.prevalence not in (None, tuning.prevalence):
        tuning = tuning.at_prevalence(analysis.prevalence)
    return {
        "title": title or title_of(analysis.source),
        "description": analysis.description or None,
        "verdict": verdict,
        "one_vs_rest": analysis.one_vs_rest,
        "groups": groups_data(analysis, verdict, confidence_level=level, progress=progress),
        "rows": rows_of_page(analysis),
        "other_verdicts": other_verdicts,
        "thresholds_from": None if tuning is None else tuning.models,
    }


def rows_of_page(analysis: Analysis) -> Sample | None:
    """Return the rows for the verdicts of the page; None for classes, which do not compete."""
    if analysis.one_vs_rest or analysis.rows is not None or len(analysis.models) > 1:
        return None if analysis.one_vs_rest else analysis.rows
    ((name, points),) = analysis._tables_of(as_counted=True).items()
    few = points.positives + points.negatives <= MOST_ROWS
    return rows_of_table(name, points) if few else None


_MOST_RESAMPLES = RESAMPLES // 2
_MOST_JUDGED = 25
"""Of more groups than this, only the thresholds are judged by drawing rows again."""
_NAMED = 3
"""So many groups are named in a sentence."""
_MOST_REASONS = 20
"""So many groups that could not be judged are named."""
MOST_GROUPS = 100
"""So many groups are on the page, the largest ones."""
MOST_POINTS = 100
"""So many points the curve of a group has at most."""

Row = dict[str, Any]
"""One group: what the common rule does in it, and its own choice."""


def groups_data(
    analysis: Analysis,
    verdict: Verdict | Mapping[str, Verdict],
    *,
    confidence_level: float = 0.95,
    progress: ProgressLike = None,
) -> dict[str, Any] | None:
    """Return what the page shows of groups: what the rule of a verdict does in each, worst first.

    There is nothing to ask without groups, and of classes, which have no common rule. It takes some
    seconds at most: as many resamples are drawn as that allows, of many rows none.

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

    There are at most `MOST_GROUPS` groups and `MOST_POINTS` points of each curve, about 100 kB but
    for the names.
    """
    if not isinstance(verdict, Verdict):
        if list(verdict) != [""]:
            return None
        verdict = verdict[""]
    largest = _largest(analysis, verdict.model)
    if math.isnan(verdict.threshold) or not largest:
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
    rows = [
        _row(judged, check, row, verdicts[group])
        for row, (group, rule) in enumerate(zip(check.groups, check.rules, strict=True))
        if group != ALL_ROWS and rule == "given"
    ]
    sign = 1 if verdict.objective.higher_is_better else -1
    rows.sort(key=lambda row: (math.isnan(row["value"]), sign * row["value"], row["name"]))
    n_absent = sum(verdict.model not in models for models in analysis.groups.values())
    lines = lines_about(verdict, rows, confidence_level)
    for row in rows:
        row["curve"] = _curve(analysis.groups[row["name"]][verdict.model].table)
    return {
        "objective": verdict.objective.name,
        "higherIsBetter": verdict.objective.higher_is_better,
        "model": verdict.model,
        "threshold": verdict.threshold_text,
        "level": confidence_level,
        "lines": lines,
        "rows": [{name: _or_null(value) for name, value in row.items()} for row in rows],
        "leftOut": list(left_out.items())[:_MOST_REASONS],
        "nLeftOut": len(left_out),
        "smaller": len(analysis.groups) - len(largest) - n_absent,
    }


def _or_null(value: Any) -> Any:
    """Return a number, or each of a list, as JSON knows it; anything else as it is."""
    if isinstance(value, list):
        return list(map(finite_or_null, value))
    return finite_or_null(value) if isinstance(value, float) else value


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
    if options.n_resamples >= FEWEST_RESAMPLES and len(analysis.groups) <= _MOST_JUDGED:
        size = len(analysis.groups)
        with reporting(options.progress) as report:
            told = [part_of_progress(report, part, size) for part in range(size)]
            return group_verdicts(analysis, verdict.objective, options, told)
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
    with warnings.catch_warnings():
        # The page shows where no threshold of a group keeps the constraints.
        warnings.simplefilter("ignore", UndefinedWarning)
        return check_thresholds(
            analysis._only(verdict.model, groups=names),
            np.array([verdict.threshold]),
            verdict.objective,
            options if options.n_resamples >= FEWEST_RESAMPLES else None,
        )


def _row(analysis: Analysis, check: ThresholdCheck, row: int, verdict: Verdict) -> Row:
    """Return one group; in the check, the row of its own threshold follows the common one's."""
    name, own = check.groups[row], row + 1
    points = analysis.groups[name][verdict.model]
    counts, own_counts = ([float(check.tp[each]), float(check.fp[each])] for each in (row, own))
    shortfalls = (check.shortfall, check.shortfall_lower, check.shortfall_upper)
    gain = [float(each[row]) for each in shortfalls]
    if counts == own_counts:
        # Both flag the same rows.
        gain = [0.0, 0.0, 0.0]
    elif math.isnan(gain[0]):
        # What it is on these rows, where no more is known.
        sign = 1 if check.objective.higher_is_better else -1
        gain[0] = sign * float(check.value[own] - check.value[row])
    return {
        "name": name,
        "model": verdict.model,
        "threshold": verdict.threshold_text,
        "sentence": verdict.sentence(),
        "ownThreshold": "" if math.isnan(check.value[own]) else check._text(own),
        "positives": float(points.positives),
        "negatives": float(points.negatives),
        "counts": counts,
        "ownCounts": own_counts,
        "expected": verdict.expected,
        "lower": verdict.interval.lower,
        "upper": verdict.interval.upper,
        "value": float(check.value[row]),
        "valueLower": float(check.lower[row]),
        "valueUpper": float(check.upper[row]),
        "gain": gain[0],
        "gainLower": gain[1],
        "gainUpper": gain[2],
    }


def _curve(table: Table) -> dict[str, Any]:
    rows = _thinned(table)
    return {
        "tp": packed(table.tp[rows]),
        "fp": packed(table.fp[rows]),
        "positives": float(table.positives),
        "negatives": float(table.negatives),
    }


def _thinned(table: Table) -> NDArray[np.intp]:
    """Return rows to draw a small curve from: both ends, and others evenly along the curve."""
    rows = rows_to_explore(table)
    if rows.size <= MOST_POINTS:
        return rows
    tp, fp = table.tp[rows], table.fp[rows]
    length = np.cumsum(
        np.diff(tp, prepend=0) / float(table.positives)
        + np.diff(fp, prepend=0) / float(table.negatives)
    )
    # Precision changes fastest where little is flagged, so points lie denser there.
    wanted = length[-1] * np.linspace(0, 1, MOST_POINTS) ** 2
    kept: NDArray[np.intp] = rows[np.unique(np.searchsorted(length, wanted).clip(0, rows.size - 1))]
    return kept


def lines_about(verdict: Verdict, rows: list[Row], level: float) -> list[str]:
    """Say whether one threshold serves all groups, and what is not known about it."""
    rule = f"{verdict.threshold_text} of {join_names([verdict.model])}"
    name, n_groups = verdict.objective.name, len(rows)
    if n_groups == 1:
        return [f"There is one group only, {join_names([rows[0]['name']])}."]
    known = [row for row in rows if not math.isnan(row["gain"])]
    if not known:
        return [f"No group has a threshold of its own to compare {rule} with."]
    first = max(known, key=itemgetter("gain"))
    judged = [row for row in known if not math.isnan(row["gainLower"])]
    if all(row["counts"] == row["ownCounts"] for row in judged):
        if len(judged) == n_groups:
            return [
                f"One threshold serves all {n_groups} groups: {rule} is the best one of each of "
                "them on these rows."
            ]
        return [
            f"On these rows, a threshold of its own would make {name} of "
            f"{join_names([first['name']])} better by {written(first['gain'])} than {rule}, and "
            "that of every other group by no more. How much of that is chance is not known: "
            "isometrics verdict FILE --group COLUMN judges each group."
        ]
    better = [row for row in judged if row["gainLower"] > 0]
    if better:
        said = _about_better(rule, n_groups, len(judged), len(better), level)
        better.sort(key=itemgetter("gain"), reverse=True)
        said += [_about(row, name, level) for row in better[:_NAMED]]
    else:
        widest = max(judged, key=itemgetter("gainUpper"))
        said = [
            f"One threshold seems to serve all {n_groups} groups: for none of them is a threshold "
            f"of its own better than {rule} beyond chance."
        ]
        if widest["gainUpper"] > 0:
            said.append(
                f"That is no proof: the rows of {join_names([widest['name']])} allow a gain of up "
                f"to {written(widest['gainUpper'])}."
            )
    missing = n_groups - len(judged)
    if missing:
        said.append(f"Of {missing} group{'s' * (missing > 1)} nothing can be said for sure.")
    return said


def _about_better(
    rule: str, n_groups: int, n_judged: int, n_better: int, level: float
) -> list[str]:
    """Say how many groups have a better threshold, and how many would look so by chance."""
    by_chance = n_judged * (1 - level) / 2
    does = "may" if n_better <= round(by_chance) else "does not"
    have = "has a threshold of its own" if n_better == 1 else "have a threshold of their own"
    said = [
        f"One threshold {does} serve all {n_groups} groups: {n_better} of them {have} that is "
        f"better than {rule} beyond chance."
    ]
    if by_chance >= 0.5:
        said.append(f"By chance alone about {round(by_chance)} of {n_judged} groups would look so.")
    return said


def _about(row: Row, name: str, level: float) -> str:
    where = f"at {row['ownThreshold']}" if row["ownThreshold"] != "inf" else "flagging nothing"
    ends = f"{written(row['gainLower'])} to {written(row['gainUpper'])}"
    return (
        f"{join_names([row['name']])}: {name} is {written(row['value'])} with the common "
        f"threshold; {where} expect {written(row['gain'])} better ({percent(level)}: {ends})."
    )
