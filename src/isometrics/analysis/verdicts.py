"""A verdict on an analysis: over all rows, for each group, and for each of several classes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import column, plain
from isometrics._core.groups import Groups
from isometrics._core.parameters import check_confidence, check_size
from isometrics._core.progress import part_of_progress, reporting
from isometrics._counting.replicates import kernel_named
from isometrics.analysis.origins import Origin, with_origin
from isometrics.decisions.objective import parse_objective
from isometrics.decisions.thresholds import ALL_ROWS
from isometrics.errors import Advice, NotAnswerableError, ParameterError
from isometrics.points.models import count_models
from isometrics.verdict.contest import Contest, effective_rows, fold_codes
from isometrics.verdict.estimates import FOLDS, REPEATS
from isometrics.verdict.judge import Options, judge, judge_betas, judge_tuned
from isometrics.verdict.without_rows import judge_tables, rows_of_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from isometrics._core.progress import ProgressLike
    from isometrics._core.sample import Sample
    from isometrics.analysis.analysis import Analysis
    from isometrics.decisions.objective import Objective
    from isometrics.points import OperatingPoints
    from isometrics.verdict.verdict import Verdict


class Request(NamedTuple):
    """What is asked of an analysis."""

    objective: Objective
    options: Options
    clustered: bool
    folds: Any
    prevalence: float | None


class Verdicts(NamedTuple):
    """One verdict, or one for each class."""

    verdicts: dict[str, Verdict]
    """By the name of the class; of one alone ``""``."""
    by_class: bool
    n_resamples: int
    """How often rows were drawn again; 0 if only the tables were looked at."""
    by_beta: tuple[Verdict, ...] = ()
    """Those for the β of `JUDGED_BETAS`, where they were asked for and are affordable."""


RESAMPLES = 2000
_STEPS = 40
JUDGED_BETAS = (
    *(float(f"{math.sqrt(step / (_STEPS - step)):.4g}") for step in range(_STEPS)),
    math.inf,
)
"""The β of the weights of recall 0, 1/40, … 1, with the digits that the page shows.

F0.5, F1, F2 and F3 are among them; the ends are precision alone and recall alone."""
_MOST_WORK = 215_000
"""Rows times models up to which a quick verdict draws rows again."""
ROWS_OF_A_MODEL = 3000
"""A model takes as long as so many rows, however few there are."""
WORK = 2e8
"""Rows times models times resamples that take about two seconds on two processors."""
_WORK_BY_BETA = 4e8
"""The same for verdicts of many β, which take about five seconds; of many rows twice that."""
_PLAIN_WORK_BY_BETA = 5e7
"""The same without compiled loops, where the choices on parts of the rows count as well."""
_FEWEST_RESAMPLES = 100
"""With fewer, many β are not judged; as many judge what was chosen on tuning data."""


def verdicts_of(analysis: Analysis, options: dict[str, Any]) -> Verdicts:
    """Return the verdict with options of `Analysis.verdict`, or one for each of several classes."""
    n_resamples = options.get("n_resamples", RESAMPLES)
    if analysis.one_vs_rest:
        return Verdicts(analysis.verdict_by_class(**options), True, n_resamples)
    return Verdicts({"": analysis.verdict(**options)}, False, n_resamples)


def quick_verdicts(
    analysis: Analysis,
    objective: dict[str, Any],
    *,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    random_state: object = 0,
    progress: ProgressLike = None,
    thresholds_from: Analysis | None = None,
    by_beta: bool = False,
) -> Verdicts:
    """Return verdicts over all rows that take a second or two at most.

    By default as many resamples are drawn as that allows; of many rows none, except of those that
    judge what was chosen on tuning data. With `by_beta` and no tuning data, what the page cannot
    judge by itself is judged for many β, in some seconds, and the verdict for F1 is one of these.
    """
    # Groups that are left out are announced by whoever asks.
    whole = replace(analysis, groups={}, skipped={})
    many: tuple[Verdict, ...] = ()
    if by_beta and thresholds_from is None:
        many = verdicts_by_beta(
            whole,
            confidence_level=confidence_level,
            n_resamples=n_resamples,
            random_state=random_state,
            progress=progress,
        )
        if many and not objective:
            first = many[JUDGED_BETAS.index(1.0)]
            return Verdicts({"": first}, False, first.replicates, many)
    work = (_count_rows(whole) + ROWS_OF_A_MODEL) * len(whole.models)
    if thresholds_from is not None:
        work += (_count_rows(thresholds_from) + ROWS_OF_A_MODEL) * len(whole.models)
    elif work > _MOST_WORK:
        return _verdicts_of_tables(whole, objective, confidence_level)._replace(by_beta=many)
    if n_resamples is None:
        n_resamples = min(RESAMPLES, max(int(WORK / work) // 100 * 100, _FEWEST_RESAMPLES))
    options = {
        "confidence_level": confidence_level,
        "n_resamples": n_resamples,
        "random_state": random_state,
        "progress": progress,
        "thresholds_from": thresholds_from,
    }
    return verdicts_of(whole, objective | options)._replace(by_beta=many)


def verdicts_by_beta(
    analysis: Analysis,
    *,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    random_state: object = 0,
    progress: ProgressLike = None,
) -> tuple[Verdict, ...]:
    """Return the verdicts over all rows for the β of `JUDGED_BETAS`, for a page without the rows.

    Each is that of `Analysis.verdict` with as many resamples. There are none where the page judges
    by itself, where rows are not known, and where they would take much longer than ten seconds.
    As many resamples are drawn as take some seconds, and at most those that are asked for.
    """
    from isometrics.report.model import MOST_ROWS

    models = analysis._tables_as_counted()
    # Tables of several models do not tell which scores belong to one row.
    apart = analysis.rows is None and len(models) > 1
    work = _count_rows(analysis) * len(models)
    if analysis.one_vs_rest or apart or work <= MOST_ROWS:
        return ()
    wanted = RESAMPLES if n_resamples is None else check_size(n_resamples, "n_resamples")
    n_resamples = min(wanted, _resamples_by_beta(work))
    options = Options(
        check_confidence(confidence_level), n_resamples, random_state, -1, progress=progress
    )
    request = Request(parse_objective(), options, False, None, analysis.prevalence)
    rows = analysis.rows
    if rows is None and n_resamples:
        rows = _rows_of_tables(models, request)
    if rows is None or not n_resamples:
        return ()
    contest = contest_of_rows(rows, models, request)
    return tuple(
        _with_origin(
            each,
            analysis,
            ALL_ROWS,
            analysis.rows,
            request._replace(objective=parse_objective(beta=beta)),
        )
        for beta, each in zip(
            JUDGED_BETAS, judge_betas(contest, JUDGED_BETAS, options), strict=True
        )
    )


def _resamples_by_beta(work: int) -> int:
    """Return how many resamples of so many rows times models take some seconds; 0 if too few."""
    if kernel_named("auto").name == "compiled":
        most = int(_WORK_BY_BETA / work)
    else:
        most = int(_PLAIN_WORK_BY_BETA / work) - REPEATS * FOLDS
    return most // 100 * 100 if most >= _FEWEST_RESAMPLES else 0


def _count_rows(analysis: Analysis) -> int:
    """Return the number of rows; of a table, the weight of its rows."""
    if analysis.rows is not None:
        return analysis.rows.size
    models = analysis._tables_as_counted()
    return max(round(points.positives + points.negatives) for points in models.values())


def _verdicts_of_tables(
    analysis: Analysis, objective: dict[str, Any], confidence_level: float
) -> Verdicts:
    """Judge the tables without drawing their rows again."""
    models = analysis.models
    parts = (
        {name: {name: models[name]} for name in models} if analysis.one_vs_rest else {"": models}
    )
    parsed = parse_objective(**objective).for_rows(float(_count_rows(analysis)))
    reason = "the rows were not drawn again"
    verdicts = {
        name: replace(
            judge_tables(part, parsed, confidence_level, reason), _of_class=analysis.one_vs_rest
        )
        for name, part in parts.items()
    }
    return Verdicts(verdicts, analysis.one_vs_rest, 0)


def verdict_on(
    analysis: Analysis, request: Request, tuning: Analysis | None, *, by_group: bool
) -> Verdict:
    """Return the verdict over all rows, with those of the groups."""
    options = request.options._replace(
        confidence_level=check_confidence(request.options.confidence_level),
        n_resamples=check_size(request.options.n_resamples, "n_resamples"),
    )
    if request.clustered:
        check_clusters(analysis, tuning)
    if tuning is not None and request.folds is not None:
        raise ParameterError("pass folds= or thresholds_from=, not both")
    by_group = by_group and not request.clustered and request.folds is None and tuning is None
    parts = 1 + len(analysis.groups) if by_group else 1
    with reporting(options.progress, "resamples") as report:
        progress = [part_of_progress(report, part, parts) for part in range(parts)]
        request = request._replace(options=options._replace(progress=progress[0]))
        if tuning is not None:
            judged = _tuned(analysis, tuning, request)
            return _with_origin(judged, analysis, ALL_ROWS, analysis.rows, request)
        models = analysis._tables_as_counted()
        whole = _over_rows(analysis.rows, models, request, analysis._why_without_rows())
        whole = _with_origin(whole, analysis, ALL_ROWS, analysis.rows, request)
        if request.clustered or request.folds is True:
            return whole
        groups, skipped = group_verdicts(analysis, request, progress[1:]) if by_group else ({}, {})
    skipped = analysis.skipped | skipped
    warnings = (*whole.warnings, *_about_groups(analysis, skipped))
    return replace(whole, groups=groups, warnings=warnings)


def check_clusters(analysis: Analysis, tuning: Analysis | None = None) -> None:
    """Refuse to draw whole groups where there are none, or where their rows are not known."""
    _check_groups_of_rows(analysis)
    if tuning is not None:
        try:
            _check_groups_of_rows(tuning)
        except NotAnswerableError as error:
            raise error.within("the tuning data") from None


def _check_groups_of_rows(analysis: Analysis) -> None:
    rows = analysis.rows
    samples = list(analysis.class_rows.values()) if rows is None else [rows]
    has_groups = any(sample.groups is not None for sample in samples)
    if not samples:
        has_groups = bool(analysis.groups or analysis.skipped)
    if not has_groups:
        raise NotAnswerableError(
            "there are no groups to draw",
            Advice("{clusters:True} needs groups, such as a column of patients"),
        )
    if not samples:
        raise NotAnswerableError(
            "draws groups of rows, which this analysis does not have: "
            f"{analysis._why_without_rows()}",
            parameter="clusters",
        )


def group_verdicts(
    analysis: Analysis, request: Request, progress: Sequence[ProgressLike]
) -> tuple[dict[str, Verdict], dict[str, str]]:
    """Return the verdict for each group, and the reason for each group without one."""
    groups, skipped = {}, {}
    rows = {} if analysis.rows is None else analysis.rows.split_by_group()
    for group, own_progress in zip(analysis.groups, progress, strict=True):
        alone = request._replace(options=request.options._replace(progress=own_progress))
        try:
            models = analysis._tables_as_counted(group)
            judged = _over_rows(rows.get(group), models, alone, analysis._why_without_rows())
            groups[group] = _with_origin(judged, analysis, group, rows.get(group), request)
        except (NotAnswerableError, ParameterError) as error:
            skipped[group] = str(error)
    return groups, skipped


def _with_origin(
    verdict: Verdict, analysis: Analysis, group: str, rows: Sample | None, request: Request
) -> Verdict:
    """Return a verdict whose decision can be saved and applied."""
    # Choices made on tuning data are shown with the counts of the data they are judged on.
    decision = replace(
        verdict.decision,
        threshold=plain(verdict.threshold),  # type: ignore[arg-type]
        parameters=request.objective.parameters,
    )
    if request.prevalence is not None:
        decision = replace(decision, prevalence=request.prevalence)
    name = verdict.model
    origin = analysis.origins.get(name, Origin())
    points = analysis._tables_as_counted(group)[name]
    decision = with_origin(decision, name, origin, points, rows)
    return replace(verdict, decision=decision)


def _tuned(analysis: Analysis, tuning: Analysis, request: Request) -> Verdict:
    """Choose on tuning data and judge on an analysis; a budget counts rows of the latter."""
    test = _contest(analysis, request)
    request = request._replace(objective=test.objective)
    found = judge_tuned(_contest(tuning, request), test, request.options)
    if not analysis.groups or request.clustered:
        return found
    left_out = "the groups have no verdicts of their own where the choice is made on tuning data"
    return replace(found, warnings=(*found.warnings, left_out))


def _over_rows(
    rows: Sample | None, models: dict[str, OperatingPoints], request: Request, reason: str
) -> Verdict:
    """Judge models on their rows; or, where these are not known, their tables."""
    if rows is None:
        rows = _rows_of_tables(models, request)
    if rows is not None:
        contest = contest_of_rows(rows, models, request)
        return judge(contest, request.options, _folds(rows, contest, request))
    if request.folds is not None:
        raise NotAnswerableError(
            f"folds are groups of rows, which this analysis does not have: {reason}"
        )
    if request.prevalence is not None:
        models = {name: each.at_prevalence(request.prevalence) for name, each in models.items()}
    total = sum(next((each.positives, each.negatives) for each in models.values()))
    objective = request.objective.for_rows(total)
    return judge_tables(models, objective, request.options.confidence_level, reason)


def _rows_of_tables(models: dict[str, OperatingPoints], request: Request) -> Sample | None:
    """Return the rows that the table of a single model tells, but not their folds."""
    if len(models) > 1 or request.folds is not None:
        return None
    ((name, points),) = models.items()
    return rows_of_table(name, points)


def _contest(analysis: Analysis, request: Request) -> Contest:
    """Return the models of an analysis whose rows are known."""
    models = analysis._tables_as_counted()
    rows = _rows_of_tables(models, request) if analysis.rows is None else analysis.rows
    if rows is None:
        raise NotAnswerableError(
            "choosing on tuning data needs the rows of both files, which an analysis does not "
            f"have: {analysis._why_without_rows()}"
        )
    return contest_of_rows(rows, models, request)


def contest_of_rows(rows: Sample, models: dict[str, OperatingPoints], request: Request) -> Contest:
    """Return the models on their rows, with the budget as a share of these."""
    if not all(points.table.complete for points in models.values()):
        models = count_models(rows)
    weight = rows.size if rows.weights is None else float(rows.weights.sum())
    objective = request.objective.for_rows(weight)
    contest = Contest.of_sample(
        rows,
        {name: models[name] for name in rows.scores},
        objective,
        clustered=request.clustered,
        prevalence=request.prevalence,
    )
    if objective.sure is None:
        return contest
    return replace(contest, objective=replace(objective, effective=effective_rows(contest)))


def _folds(rows: Sample, contest: Contest, request: Request) -> NDArray[np.int64] | None:
    """Return the fold of each unit, where folds are given."""
    if request.folds is None:
        return None
    if request.folds is True:
        if rows.groups is None:
            raise ParameterError("folds=True takes the groups for folds, but there are no groups")
        groups = rows.groups
    else:
        given = column(request.folds, "folds")
        if given.size != rows.size:
            absent = "" if rows.weights is None else " whose weight is not 0"
            raise ParameterError(
                f"folds must have one entry for each of the {rows.size} rows{absent} but has "
                f"{given.size}"
            )
        groups = Groups.of_column(given)
    _, codes = np.unique(groups.codes, return_inverse=True)
    if codes.max() < 1:
        raise ParameterError("folds has one fold only; two or more are needed")
    if not contest.clustered:
        return np.asarray(codes, np.int64)
    return fold_codes(codes, contest.unit_of_row)


def _about_groups(analysis: Analysis, skipped: dict[str, str]) -> list[str]:
    """Warn about groups that were left out, and about prevalences that differ widely."""
    said = [f"group {name} is left out: {why}" for name, why in skipped.items()]
    shares = [next(iter(models.values())).prevalence for models in (analysis.groups or {}).values()]
    if shares and max(shares) > 2 * min(shares):
        said.append(
            f"the prevalence differs between groups, from {min(shares):.3g} to {max(shares):.3g}; "
            "F1 and precision depend on it"
        )
    return said
