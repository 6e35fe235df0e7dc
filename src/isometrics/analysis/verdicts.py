"""A verdict on an analysis: over all rows, for each group, and for each of several classes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.parameters import check_confidence, check_size, part_of_progress, reporting
from isometrics._counting.replicates import kernel_named
from isometrics.decisions.decision import UNKNOWN, fingerprint_of
from isometrics.decisions.objective import ObjectiveOptions, Ratio, parse_objective
from isometrics.decisions.thresholds import ALL_ROWS
from isometrics.errors import Advice, NotAnswerableError, ParameterError
from isometrics.points.models import count_models
from isometrics.verdict.contest import Contest, Options, effective_rows
from isometrics.verdict.judge import (
    judge,
    judge_tables,
    judge_tuned,
    rows_of_table,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isometrics._core.parameters import ProgressLike
    from isometrics._core.sample import Sample
    from isometrics.analysis.analysis import Analysis
    from isometrics.decisions.decision import Decision
    from isometrics.decisions.objective import Objective
    from isometrics.points import OperatingPoints
    from isometrics.verdict.verdict import Verdict


class CheckOptions(ObjectiveOptions, total=False):
    """What rules are judged for, and how rows are drawn again to judge them."""

    clusters: bool
    n_resamples: int
    random_state: object
    n_jobs: int | None
    kernel: str
    progress: ProgressLike


class VerdictOptions(CheckOptions, total=False):
    """What a verdict is for, and how it is reached."""

    sure: float | None
    guarantee: float | None
    folds: bool
    by_group: bool
    confidence_level: float


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
"""The same without compiled loops."""
_WITH_PARTS = 1.5
"""How much longer resamples take with the choices on parts of them."""
FEWEST_RESAMPLES = 100
"""With fewer, many β are not judged, and groups have no intervals; as many judge what was chosen on
tuning data."""


def verdicts_of(analysis: Analysis, options: dict[str, Any]) -> Verdicts:
    """Return the verdict with options of `Analysis.verdict`, or one for each of several classes."""
    n_resamples = options.get("n_resamples", RESAMPLES)
    if analysis.one_vs_rest:
        return Verdicts(analysis.verdict_by_class(**options), True, n_resamples)
    return Verdicts({"": analysis.verdict(**options)}, False, n_resamples)


def quick_verdicts(
    analysis: Analysis, options: dict[str, Any], *, by_beta: bool = False
) -> Verdicts:
    """Return verdicts over all rows that take a second or two at most.

    `options` are those of `Analysis.verdict`. Without ``n_resamples`` as many are drawn as that
    allows; of many rows none, except of those that judge what was chosen on tuning data. With
    `by_beta` and no tuning data, what the page cannot judge by itself is judged for many β, in some
    seconds, and the verdict for F1 is one of these.
    """
    # Groups that are left out are announced by whoever asks.
    whole = replace(analysis, groups={}, skipped={})
    tuning = options.get("thresholds_from")
    objective = objective_options(options)
    many: tuple[Verdict, ...] = ()
    if by_beta and tuning is None:
        many = verdicts_by_beta(whole, options)
        if many and not objective:
            first = many[JUDGED_BETAS.index(1.0)]
            return Verdicts({"": first}, False, first.replicates, many)
    work = sum(
        (_count_rows(each) + ROWS_OF_A_MODEL) * len(whole.models)
        for each in (whole, tuning)
        if each is not None
    )
    if tuning is None and work > _MOST_WORK:
        level, of_class = options.get("confidence_level", 0.95), whole.one_vs_rest
        parsed = parse_objective(**objective).for_rows(float(_count_rows(whole)))
        parts = {name: {name: whole.models[name]} for name in whole.models}
        verdicts = {
            name: replace(
                judge_tables(part, parsed, level, "the rows were not drawn again"),
                _of_class=of_class,
            )
            for name, part in (parts if of_class else {"": whole.models}).items()
        }
        return Verdicts(verdicts, of_class, 0, many)
    affordable = min(RESAMPLES, max(int(WORK / work) // 100 * 100, FEWEST_RESAMPLES))
    return verdicts_of(whole, {"n_resamples": affordable, **options})._replace(by_beta=many)


def objective_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of some options that say what a verdict is for."""
    names = (*ObjectiveOptions.__annotations__, "sure", "guarantee")
    return {name: options[name] for name in names if name in options}


def judging_options(given: Mapping[str, Any]) -> Options:
    """Return how rows are drawn again to judge rules, from options of `Analysis.verdict`."""
    options = Options(**{name: given[name] for name in Options._fields if name in given})
    if not isinstance(options.folds, bool):
        raise ParameterError(
            "folds must be True or False: the folds of an analysis are its groups, which it is "
            "made with"
        )
    return options._replace(
        confidence_level=check_confidence(options.confidence_level),
        n_resamples=check_size(options.n_resamples, "n_resamples"),
    )


def verdicts_by_beta(analysis: Analysis, options: Mapping[str, Any]) -> tuple[Verdict, ...]:
    """Return the verdicts over all rows for the β of `JUDGED_BETAS`, for a page without the rows.

    Each is that of `Analysis.verdict` with as many resamples. There are none where the page judges
    by itself, where rows are not known, and where they would take much longer than ten seconds.
    As many resamples are drawn as take some seconds, and at most those that are asked for.
    """
    from isometrics.report.model import MOST_ROWS

    models = analysis._tables_of(as_counted=True)
    # Tables of several models do not tell which scores belong to one row.
    apart = analysis.rows is None and len(models) > 1
    work = _count_rows(analysis) * len(models)
    if analysis.one_vs_rest or apart or work <= MOST_ROWS:
        return ()
    judging = judging_options(options)
    judging = judging._replace(n_resamples=min(judging.n_resamples, _resamples_by_beta(work)))
    if not judging.n_resamples:
        return ()
    contest = contest_of_rows(analysis.rows, models, Ratio(), judging, analysis.prevalence)
    if contest is None:
        return ()
    contests = [replace(contest, objective=Ratio(beta=beta)) for beta in JUDGED_BETAS]
    judged = judge(contests, judging)
    return tuple(_with_origin(each, analysis, ALL_ROWS, analysis.rows) for each in judged)


def _resamples_by_beta(work: int) -> int:
    """Return how many resamples of so many rows times models take some seconds; 0 if too few."""
    is_compiled = kernel_named("auto").name == "compiled"
    most = int((_WORK_BY_BETA if is_compiled else _PLAIN_WORK_BY_BETA) / (work * _WITH_PARTS))
    return most // 100 * 100 if most >= FEWEST_RESAMPLES else 0


def _count_rows(analysis: Analysis) -> int:
    """Return the number of rows; of a table, the weight of its rows."""
    if analysis.rows is not None:
        return analysis.rows.size
    models = analysis._tables_of(as_counted=True)
    return max(round(points.positives + points.negatives) for points in models.values())


def verdict_on(analysis: Analysis, asked: VerdictOptions, tuning: Analysis | None) -> Verdict:
    """Return the verdict over all rows, with those of the groups."""
    objective, options = parse_objective(**objective_options(asked)), judging_options(asked)
    if objective.guarantee is not None and (options.clusters or options.folds):
        raise ParameterError(
            "is proven of rows that are independent, not of clusters or folds; leave it out",
            parameter="guarantee",
        )
    if options.clusters:
        check_clusters(analysis, tuning)
    if tuning is not None and options.folds:
        raise ParameterError("pass folds= or thresholds_from=, not both")
    as_wholes = options.clusters or options.folds
    by_group = asked.get("by_group", True) and tuning is None and not as_wholes
    parts = 1 + len(analysis.groups) if by_group else 1
    with reporting(options.progress, "resamples") as report:
        progress = [part_of_progress(report, part, parts) for part in range(parts)]
        options = options._replace(progress=progress[0])
        if tuning is not None:
            judged = _tuned(analysis, tuning, objective, options)
            return _with_origin(judged, analysis, ALL_ROWS, analysis.rows)
        whole = _over_rows(analysis, ALL_ROWS, analysis.rows, objective, options)
        if as_wholes:
            return whole
        groups, skipped = (
            group_verdicts(analysis, objective, options, progress[1:])
            if by_group and analysis.groups
            else ({}, {})
        )
    warnings = [
        *whole.warnings,
        *(f"group {name} is left out: {why}" for name, why in (analysis.skipped | skipped).items()),
    ]
    shares = [next(iter(models.values())).prevalence for models in analysis.groups.values()]
    if shares and max(shares) > 2 * min(shares):
        warnings.append(
            f"the prevalence differs between groups, from {min(shares):.3g} to {max(shares):.3g}; "
            "F1 and precision depend on it"
        )
    return replace(whole, groups=groups, warnings=tuple(warnings))


def check_clusters(analysis: Analysis, tuning: Analysis | None = None) -> None:
    """Refuse to draw whole groups where there are none, or where their rows are not known."""
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
    if tuning is not None:
        try:
            check_clusters(tuning)
        except NotAnswerableError as error:
            raise error.within("the tuning data") from None


def group_verdicts(
    analysis: Analysis,
    objective: Objective,
    options: Options,
    progress: Sequence[ProgressLike],
) -> tuple[dict[str, Verdict], dict[str, str]]:
    """Return the verdict for each group, and the reason for each group without one."""
    groups, skipped = {}, {}
    rows = {} if analysis.rows is None else analysis.rows.split_by_group()
    for group, own_progress in zip(analysis.groups, progress, strict=True):
        own = options._replace(progress=own_progress)
        try:
            groups[group] = _over_rows(analysis, group, rows.get(group), objective, own)
        except (NotAnswerableError, ParameterError) as error:
            skipped[group] = str(error)
    return groups, skipped


def _with_origin(verdict: Verdict, analysis: Analysis, group: str, rows: Sample | None) -> Verdict:
    """Return a verdict whose decision can be saved and applied."""
    decision = verdict.decision
    if analysis.prevalence is not None:
        decision = replace(decision, prevalence=analysis.prevalence)
    return replace(verdict, decision=with_origin(decision, verdict.model, analysis, group, rows))


def with_origin(
    decision: Decision, model: str, analysis: Analysis, group: str, rows: Sample | None
) -> Decision:
    """Return a decision that names its model, the columns of that, and its data.

    The data are those that were counted, whatever prevalence they were moved to. Where the table
    lacks some, the rows are counted again, if they are known.
    """
    counted = analysis._tables_of(group, as_counted=True)[model]
    if rows is not None and not counted.table.complete:
        counted = count_models(rows.of_model(model))[model]
    origin = analysis.origins.get(model, UNKNOWN)
    label = plain(origin.pos_label)
    known = label is None or isinstance(label, bool | int | float | str)
    origin = origin._replace(
        model=model,
        pos_label=label if known else str(label),
        fingerprint=fingerprint_of(counted.table),
    )
    return replace(decision, origin=origin)


def _tuned(analysis: Analysis, tuning: Analysis, objective: Objective, options: Options) -> Verdict:
    """Choose on tuning data and judge on an analysis; a budget counts rows of the latter."""
    contests = []
    for each in (analysis, tuning):
        models = each._tables_of(as_counted=True)
        contest = contest_of_rows(each.rows, models, objective, options, analysis.prevalence)
        if contest is None:
            raise NotAnswerableError(
                "choosing on tuning data needs the rows of both files, which an analysis does not "
                f"have: {each._why_without_rows()}"
            )
        contests.append(contest)
        objective = contest.objective
    found = judge_tuned(contests[1], contests[0], options)
    if not analysis.groups or options.clusters:
        return found
    left_out = "the groups have no verdicts of their own where the choice is made on tuning data"
    return replace(found, warnings=(*found.warnings, left_out))


def _over_rows(
    analysis: Analysis,
    group: str,
    known_rows: Sample | None,
    objective: Objective,
    options: Options,
) -> Verdict:
    """Judge the models on the rows of a group; or, where these are not known, their tables."""
    models = analysis._tables_of(group, as_counted=True)
    contest = contest_of_rows(known_rows, models, objective, options, analysis.prevalence)
    if contest is not None:
        folds = None
        if options.folds and known_rows is not None:
            if known_rows.groups is None:
                raise ParameterError(
                    "folds=True takes the groups for folds, but there are no groups"
                )
            groups, folds = np.unique(known_rows.groups.codes, return_inverse=True)
            if groups.size < 2:
                raise ParameterError("there is one group only; as folds two or more are needed")
            if options.clusters:
                folds = np.arange(groups.size)
        (judged,) = judge([contest], options, folds)
        return _with_origin(judged, analysis, group, known_rows)
    reason = analysis._why_without_rows()
    if options.folds:
        raise NotAnswerableError(
            f"folds are groups of rows, which this analysis does not have: {reason}"
        )
    tables = analysis._tables_of(group)
    total = sum(next((each.positives, each.negatives) for each in tables.values()))
    objective = objective.for_rows(total)
    judged = judge_tables(tables, objective, options.confidence_level, reason)
    return _with_origin(judged, analysis, group, None)


def contest_of_rows(
    rows: Sample | None,
    models: dict[str, OperatingPoints],
    objective: Objective,
    options: Options,
    prevalence: float | None,
) -> Contest | None:
    """Return the models on their rows, with the budget as a share of these.

    Where the rows are not known, the table of a single model tells them, but neither groups nor
    folds; None if it does not.
    """
    if rows is None and len(models) == 1 and not (options.clusters or options.folds):
        ((name, points),) = models.items()
        rows = rows_of_table(name, points)
    if rows is None:
        return None
    if not all(points.table.complete for points in models.values()):
        models = count_models(rows)
    weight = rows.size if rows.weights is None else float(rows.weights.sum())
    contest = Contest.of_sample(
        rows,
        {name: models[name] for name in rows.scores},
        objective.for_rows(weight),
        clustered=options.clusters,
        prevalence=prevalence,
    )
    if objective.sure is None:
        return contest
    sure = replace(contest.objective, effective=effective_rows(contest))
    return replace(contest, objective=sure)
