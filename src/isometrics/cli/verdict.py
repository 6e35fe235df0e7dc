"""`isometrics verdict` and `thresholds`: which model, which threshold, how sure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from isometrics.cli.options import (
    CERTAINTY,
    OBJECTIVES,
    REQUEST,
    Certainty,
    File,
    Numbers,
    Objectives,
    Request,
    Target,
    TuningFile,
    about,
    load,
    tell_written,
)
from isometrics.cli.output import Part, answer, meter, note, part_of, say, stacked
from isometrics.cli.table_files import SUFFIXES, suffix_of, write_table
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from isometrics.analysis import Analysis
    from isometrics.analysis.verdicts import Verdicts
    from isometrics.cli.output import Columns
    from isometrics.decisions.decision import Decision
    from isometrics.decisions.thresholds import Entry

BETAS = (0.5, 1.0, 2.0)
_RULE = ".json"
"""How the file of a rule ends."""


def verdict(
    file: File,
    /,
    *,
    objectives: Objectives = OBJECTIVES,
    thresholds_from: TuningFile = None,
    fold: Annotated[str | None, Parameter(group="Columns", show_default=False)] = None,
    clusters: Annotated[
        bool, Parameter(group="Certainty", negative="", show_default=False)
    ] = False,
    threshold: Numbers = (),
    output: Target | None = None,
    certainty: Certainty = CERTAINTY,
    request: Request = REQUEST,
) -> None:
    """Say which model to use, which scores to flag, what to expect of it, and how sure that is.

    The choice is made among the rules that are best in resamples of the rows, and what to expect on
    new data is corrected for having chosen on them.

    For example:
      isometrics verdict predictions.csv
      isometrics verdict predictions.csv --miss-cost 100 --false-alarm-cost 5
      isometrics verdict predictions.csv --min-precision 0.9 --sure 0.95 --json
      isometrics verdict test.csv --thresholds-from tuning.csv --beta 2
      isometrics verdict cross_validated.csv --fold fold
      isometrics verdict predictions.csv --budget 200 -o rule.json
      isometrics verdict predictions.csv --threshold 0.5

    Parameters
    ----------
    fold
        The column of folds, where scores come from cross-validation: each fold is judged by
        choices that were made on the others.
    clusters
        Draw whole groups again, such as all rows of a patient, instead of single rows.
    threshold
        What these thresholds do, such as the present one, beside the best one of each model.
    output
        Write the rule that was chosen to this JSON file, by which isometrics apply flags new rows;
        - prints it instead of the verdict.
    """
    from isometrics.analysis.verdicts import verdicts_of

    # What cannot be answered is said before a long file is read.
    objective = objectives.only()
    drawing = certainty.drawing()
    if threshold:
        from isometrics.analysis.threshold_check import parse_given

        parse_given(list(threshold))
    demands = (fold, objectives.sure, objectives.guarantee)
    if threshold and any(each is not None for each in demands):
        raise ParameterError(
            "--threshold is told beside the best threshold of each model; give it without --fold, "
            "--sure and --guarantee"
        )
    _refuse_dependent(objectives, clusters=clusters, fold=fold)
    if fold is not None and (request.group or thresholds_from is not None):
        raise ParameterError(
            "--fold takes its column for the groups, and judges by choices made on other folds; "
            "give it without --group and --thresholds-from"
        )
    if fold is None:
        analysis = load(file, request, keep_rows=None)
    else:
        analysis = _load_folds(file, request, fold)
    guessed = analysis._guessed_group or ""
    if guessed.lower() == "fold" and not request.json:
        note(f"if the scores come from a cross-validation, add --fold {guessed}")
    options: dict[str, Any] = objective | drawing | {"clusters": clusters}
    if thresholds_from is not None:
        options["thresholds_from"] = load(thresholds_from, request, keep_rows=None)
    parts = []
    with meter("resampling", unit="resamples", quiet=request.quiet) as progress:
        options["progress"] = progress
        found = verdicts_of(analysis, options | ({} if fold is None else {"folds": True}))
        if threshold:
            check = analysis.at(list(threshold), by_group=False, **options)
            # The verdict has its own threshold, and is corrected for the choice of the model, too.
            where = "of the tuning data" if check.tuned else "on these rows"
            best = f"the best {where} for {check.objective.label}, each model judged by itself"
            parts.append(part_of("thresholds", check, f"Given thresholds beside {best}"))
    if output is not None:
        if len(found.verdicts) > 1:
            raise ParameterError("-o writes the rule of one class; choose one with --scores")
        next(iter(found.verdicts.values())).decision.save(output)
        if output == "-":
            return
    if request.json:
        written = {} if output is None else {"written": output}
        answer(about(analysis) | data_of(found) | written, parts, as_json=True)
        return
    _print(found, parts)


def _load_folds(file: str, request: Request, fold: str) -> Analysis:
    """Read a file with its rows; folds are its groups."""
    try:
        return load(file, replace(request, group=fold), keep_rows=None)
    except ParameterError as error:
        parameter = "fold" if error.parameter == "group" else error.parameter
        raise ParameterError(error.problem, error.advice, parameter=parameter) from error


def _print(found: Verdicts, parts: list[Part]) -> None:
    """Print all lines of verdicts, with a table of their groups."""
    for number, (name, each) in enumerate(found.verdicts.items()):
        said = [f"{name}: {line}" if found.by_class else line for line in each.lines()[:1]]
        say([*[""] * (number > 0), *said, *each.lines()[1:]])
        if each.groups:
            print()
            answer({}, [Part("groups", "By group:", each._by_group())], as_json=False)
    if parts:
        print()
        answer({}, parts, as_json=False)


def data_of(found: Verdicts) -> dict[str, object]:
    """Return what JSON says of verdicts."""
    if found.by_class:
        return {"verdict_by_class": {name: each.to_dict() for name, each in found.verdicts.items()}}
    (verdict,) = found.verdicts.values()
    return {"verdict": verdict.to_dict()}


# ---------------------------------------------------------------------- thresholds


def thresholds(
    file: File,
    /,
    *,
    objectives: Objectives = OBJECTIVES,
    all: Annotated[bool, Parameter(negative="", group="Objectives", show_default=False)] = False,
    on: Annotated[File | None, Parameter(help="Judge the thresholds on this file too.")] = None,
    output: Target | None = None,
    threshold: Numbers = (),
    certainty: Certainty = CERTAINTY,
    request: Request = REQUEST,
) -> None:
    """Print the best thresholds for F scores, costs and indices, alone or under constraints.

    Several objectives may be given; by default they are F0.5, F1 and F2. Constraints apply to
    every objective. Without one, each asks for the most of what it leaves free.

    For example:
      isometrics thresholds predictions.csv --beta 0.5 1 2
      isometrics thresholds predictions.csv --beta 1 --min-precision 0.8
      isometrics thresholds tuning.csv --min-precision 0.9 --on test.csv
      isometrics thresholds predictions.csv --threshold 0.5
      isometrics thresholds tuning.csv --on test.csv --threshold 0.5
      isometrics thresholds predictions.csv --all --json
      isometrics thresholds tuning.csv --scores forest --beta 1 -o rule.json
      isometrics thresholds predictions.csv --all -o thresholds.csv

    Parameters
    ----------
    all
        Every threshold that is best for some β, with the β for which it is.
    output
        Write the rule to this JSON file, which isometrics apply flags new rows by; one objective
        and one model must be chosen. - prints it instead of the table. A file that ends in .csv,
        .tsv, .parquet, .arrow or .jsonl, or in .csv.gz, gets the table instead.
    threshold
        What these thresholds do, such as the present one, beside the best one for one objective,
        by default F1, with intervals.
    """
    rule = output is not None and _is_rule(output)
    drawing = certainty.drawing()
    _refuse(objectives, request, all=all, on=on, threshold=threshold, certainty=certainty)
    asked = objectives.each((1.0,) if threshold else BETAS)
    if rule and (all or len(asked) > 1):
        raise ParameterError(
            "-o writes one rule; give one objective, such as --beta 1, or a file that ends in .csv "
            "for the table"
        )
    if threshold and len(asked) > 1:
        raise ParameterError("--threshold is told beside the best one for one objective; give one")
    if threshold:
        from isometrics.analysis.threshold_check import parse_given

        parse_given(list(threshold))
    # Judged are the rows of the other file, where there is one.
    kept = None if threshold else False
    analysis = load(file, request, keep_rows=False if on is not None else kept)
    test = None if on is None else load(on, request, keep_rows=kept)
    if output is not None and rule:
        _only_rule(analysis, asked[0]).save(output)
        if output == "-":
            return
    said = about(analysis) | ({} if output is None else {"written": output})
    if all:
        part = Part(
            "thresholds",
            "The best threshold on these rows for every β",
            stacked(analysis, _optimal),
        )
    elif threshold:
        judged_on, tuning = (analysis, None) if test is None else (test, analysis)
        with meter("resampling", unit="resamples", quiet=request.quiet) as progress:
            drawing |= {"thresholds_from": tuning, "progress": progress}
            check = judged_on.at(list(threshold), **asked[0], **drawing)
        part = part_of("thresholds", check)
        said["objective"] = check.objective.label
    elif test is None:
        best = stacked(analysis, lambda entry: _best(entry, asked))
        part = Part("thresholds", "The best thresholds on these rows", best)
    else:
        title = "The best thresholds on these rows, and what they achieve on other data"
        part = Part("thresholds", title, _judged(analysis, test, asked))
    if output is None or rule:
        answer(said, [part], as_json=request.json)
        return
    write_table(part.columns, output)
    tell_written(said, output, request)


def _refuse(
    objectives: Objectives,
    request: Request,
    *,
    all: bool,
    on: str | None,
    threshold: tuple[float, ...],
    certainty: Certainty,
) -> None:
    """Refuse options that contradict each other."""
    if all and (on is not None or threshold or objectives != OBJECTIVES):
        raise ParameterError(
            "--all lists the thresholds for every β; give it without objectives, --on and "
            "--threshold"
        )
    if certainty.wanted and not threshold:
        raise ParameterError(
            "--confidence is that of --threshold; isometrics verdict says what to expect of the "
            "one that it chooses"
        )
    if objectives.budget and request.prevalence is not None:
        raise ParameterError(
            "--budget counts rows of the file, which --prevalence replaces by scaled ones; give "
            "one of the two, or --min-precision or --min-recall with --prevalence"
        )


def _refuse_dependent(objectives: Objectives, *, clusters: bool, fold: str | None) -> None:
    """Refuse a guarantee of rows that depend on one another."""
    if objectives.guarantee is not None and (clusters or fold is not None):
        raise ParameterError(
            "--guarantee is proven of rows that are independent; give it without --clusters and "
            "--fold"
        )


def _is_rule(output: str) -> bool:
    """Tell whether a file is that of a rule, and not of a table."""
    suffix = suffix_of(output)
    if output != "-" and suffix not in SUFFIXES:
        tables = ", ".join(name for name in SUFFIXES if name != _RULE)
        raise ParameterError(
            f"{output!r} should end in {_RULE} for a rule, or in {tables} for a table"
        )
    return output == "-" or suffix == _RULE


def _only_rule(analysis: Analysis, asked: dict[str, Any]) -> Decision:
    """Return the rule of the only model for all rows; several models are refused."""
    from isometrics._core.results import join_names

    if len(analysis.models) > 1:
        names = join_names(list(map(repr, analysis.models)))
        raise ParameterError(
            f"-o writes the rule of one model, but there are {names}; choose one with --scores, or "
            "let isometrics verdict -o choose"
        )
    if analysis.groups:
        note("the rule is for all rows, whatever their group")
    return analysis.decision(**asked)


def _optimal(entry: Entry) -> Columns:
    from isometrics.decisions.best import optimal_thresholds

    optimal = optimal_thresholds(entry.points)
    return optimal._columns() | optimal._printed_names()


def _best(entry: Entry, asked: list[dict[str, Any]]) -> Columns:
    from isometrics._core.threshold_text import ThresholdTexts
    from isometrics.decisions.objective import parse_objective
    from isometrics.decisions.thresholds import decision_or_nan

    where = f"{entry.model} {entry.group}"
    decisions = [decision_or_nan(entry.points, parse_objective(**each), where) for each in asked]
    names = ("objective", "threshold", "value", "tp", "fp", "fn", "tn", "precision", "recall")
    found: Columns = {name: [getattr(decision, name) for decision in decisions] for name in names}
    below = [decision._below for decision in decisions]
    return found | {"threshold": ThresholdTexts(found["threshold"], below)}


def _judged(tuning: Analysis, test: Analysis, asked: list[dict[str, Any]]) -> Columns:
    """Return what thresholds promised, and what they achieve on the same model of other data."""
    from isometrics._core.threshold_text import ThresholdTexts
    from isometrics.decisions.objective import parse_objective
    from isometrics.decisions.thresholds import decision_or_nan, transferred
    from isometrics.points.models import check_has_model

    rows: list[dict[str, Any]] = []
    for model, points in tuning.models.items():
        check_has_model("the file to judge on", test.models, model)
        for objective in (parse_objective(**each) for each in asked):
            decision = decision_or_nan(points, objective, model)
            # A budget counts rows of the tuning data, and is the same share of the test data.
            shared = objective.for_rows(points.positives + points.negatives)
            found = transferred(decision, shared, test.models[model])
            # With the next lower scores of both files.
            row: dict[str, Any] = {"model": model, "objective": decision.objective}
            row |= {"threshold": (decision.threshold, *found.below)}
            names = ("value", "precision", "recall")
            for name, *both in zip(names, found.promised, found.achieved, strict=True):
                row |= zip((f"{name}_promised", f"{name}_achieved"), both, strict=True)
            rows.append(row | {"value_best": found.best})
    table: Columns = {name: [row[name] for row in rows] for name in rows[0]}
    columns = zip(*table["threshold"], strict=True)
    return table | {"threshold": ThresholdTexts(*columns)}
