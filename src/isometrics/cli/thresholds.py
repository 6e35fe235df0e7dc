"""`isometrics thresholds`: where to cut, and what the cut achieves on other data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from isometrics.cli.apply import write_rule
from isometrics.cli.options import ANSWERS, COLUMNS, Answers, Columns, File, Target, about, load
from isometrics.cli.output import Part, answer, stacked
from isometrics.errors import ParameterError, UndefinedWarning, warn

if TYPE_CHECKING:
    from collections.abc import Callable

    from isometrics.analysis import Analysis
    from isometrics.cli.output import Columns as Table
    from isometrics.decisions.decision import Decision
    from isometrics.decisions.thresholds import Entry
    from isometrics.points import OperatingPoints

_SEVERAL = Parameter(group="Objectives", negative="", consume_multiple=True, show_default=False)
BETAS = (0.5, 1.0, 2.0)
_UNKNOWN = ("threshold", "tp", "fp", "fn", "tn", "precision", "recall", "f", "f_gain", "value")


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Objectives:
    """What a threshold should be best for; several may be given."""

    beta: Annotated[tuple[float, ...], _SEVERAL] = ()
    """The highest F of these β; by default, where no objective is given, of 0.5, 1 and 2."""
    cost: Annotated[tuple[float, ...], _SEVERAL] = ()
    """The highest accuracy at these cost proportions of false positives, between 0 and 1."""
    min_precision: Annotated[tuple[float, ...], _SEVERAL] = ()
    """The highest recall with at least these precisions."""
    min_recall: Annotated[tuple[float, ...], _SEVERAL] = ()
    """The highest precision with at least these recalls."""
    budget: Annotated[tuple[float, ...], _SEVERAL] = ()
    """The highest recall with at most so many predicted positives."""
    objective: Annotated[tuple[Literal["accuracy", "youden", "break-even"], ...], _SEVERAL] = ()
    """The highest accuracy, the highest Youden's J, or precision and recall closest together."""

    def each(self) -> list[dict[str, Any]]:
        """Return the objectives, checked, as `best_threshold` takes them."""
        from isometrics._core.parameters import check_beta, check_budget, check_cost, check_level

        checks: dict[str, Callable[[Any], object]] = {
            "beta": check_beta,
            "cost": check_cost,
            "min_precision": lambda level: check_level(level, "min_precision"),
            "min_recall": lambda level: check_level(level, "min_recall"),
            "budget": check_budget,
            "objective": str,
        }
        found = [
            {name: check(value)} for name, check in checks.items() for value in getattr(self, name)
        ]
        return found or [{"beta": beta} for beta in BETAS]


BY_DEFAULT = Objectives()
JUDGED = "The best thresholds, and what they achieve on other data"


def thresholds(
    file: File,
    /,
    *,
    objectives: Objectives = BY_DEFAULT,
    all: Annotated[bool, Parameter(negative="", group="Objectives", show_default=False)] = False,
    on: Annotated[File | None, Parameter(help="Judge the thresholds on this file too.")] = None,
    output: Target | None = None,
    columns: Columns = COLUMNS,
    answers: Answers = ANSWERS,
) -> None:
    """Print the best thresholds for F scores, costs, constraints or budgets.

    For example:
      isometrics thresholds predictions.csv --beta 0.5 1 2
      isometrics thresholds tuning.csv --min-precision 0.9 --on test.csv
      isometrics thresholds predictions.csv --all --json
      isometrics thresholds tuning.csv --scores forest --beta 1 -o rule.json

    Parameters
    ----------
    all
        Every threshold that is best for some β, with the β for which it is.
    output
        Write the rule to this JSON file, which isometrics apply flags new rows by; one objective
        and one model must be chosen. - prints it instead of the table.
    """
    if all and (on is not None or objectives != BY_DEFAULT):
        raise ParameterError("--all lists the thresholds for every β; give it without objectives")
    if objectives.budget and columns.prevalence is not None:
        raise ParameterError(
            "--budget counts rows of the file, which --prevalence replaces by scaled ones; give "
            "one of the two, or --min-precision or --min-recall with --prevalence"
        )
    chosen = objectives.each()
    if output is not None and (all or len(chosen) > 1):
        raise ParameterError("-o writes one rule; give one objective, such as --beta 1")
    analysis = load(file, columns, answers)
    if output is not None:
        write_rule(_only_rule(analysis, chosen[0]), output)
        if output == "-":
            return
    if all:
        from isometrics.decisions.beta_intervals import optimal_thresholds

        found = stacked(analysis, lambda entry: optimal_thresholds(entry.points)._columns())
        title = "The best threshold for every β"
    elif on is None:
        found = stacked(analysis, lambda entry: _best(entry, chosen))
        title = "The best thresholds"
    else:
        found = judged(analysis, load(on, columns, answers), chosen)
        title = JUDGED
    written = {} if output is None else {"written": output}
    answer(about(analysis) | written, [Part("thresholds", title, found)], as_json=answers.json)


def _only_rule(analysis: Analysis, objective: dict[str, Any]) -> Decision:
    """Return the rule of the only model; several models and groups are refused."""
    from isometrics._core.results import several

    if len(analysis.models) > 1:
        names = several(list(map(repr, analysis.models)))
        raise ParameterError(
            f"-o writes the rule of one model, but there are {names}; choose one with --scores, or "
            "let isometrics verdict -o choose"
        )
    if analysis.groups:
        raise ParameterError(
            "-o writes one rule for all rows, but there are groups; leave them out with --group ''"
        )
    return analysis.decision(**objective)


def _best(entry: Entry, objectives: list[dict[str, Any]]) -> Table:
    where = f"{entry.model} {entry.group}"
    decisions = [_decision(entry.points, objective, where) for objective in objectives]
    names = ("objective", "threshold", "value", "tp", "fp", "fn", "tn", "precision", "recall")
    return {name: [getattr(decision, name) for decision in decisions] for name in names}


def _decision(points: OperatingPoints, objective: dict[str, Any], where: str) -> Decision:
    """Return the best threshold; NaN, aloud, where none reaches a precision or keeps a budget."""
    from isometrics._core.results import number
    from isometrics.decisions.best import best_threshold
    from isometrics.decisions.decision import Decision

    try:
        return best_threshold(points, **objective)
    except ParameterError as error:
        warn(str(error.within(where)), UndefinedWarning)
        ((constraint, level),) = objective.items()
        name = {
            "min_precision": f"recall with precision ≥ {number(level)}",
            "budget": f"recall with at most {number(level)} predicted positives",
        }[constraint]
        unknown: Any = dict.fromkeys(_UNKNOWN, math.nan)
        return Decision(objective=name, **unknown)


def judged(tuning: Analysis, test: Analysis, objectives: list[dict[str, Any]]) -> Table:
    """Return what thresholds promised, and what they achieve on the same model of other data."""
    rows: list[dict[str, Any]] = []
    for model, points in tuning.models.items():
        if model not in test.models:
            known = ", ".join(map(repr, test.models))
            raise ParameterError(f"the file to judge on has no model {model!r}, only {known}")
        for objective in objectives:
            decision = _decision(points, objective, model)
            rows.append({"model": model} | _judgement(decision, test.models[model]))
    return {name: [row[name] for row in rows] for name in rows[0]}


def _judgement(decision: Decision, test: OperatingPoints) -> dict[str, Any]:
    from isometrics.decisions.best import best_threshold

    beta = decision.beta
    reached = not math.isnan(decision.threshold)
    achieved = test.at(decision.threshold if reached else math.inf)
    f, precision, recall = (
        float(values[0]) if reached else math.nan
        for values in (achieved.f(beta), achieved.precision, achieved.recall)
    )
    return {
        "objective": decision.objective,
        "threshold": decision.threshold,
        "beta": beta,
        "f_promised": decision.f,
        "f_achieved": f,
        "f_best": best_threshold(test, beta=beta).f,
        "precision_promised": decision.precision,
        "precision_achieved": precision,
        "recall_promised": decision.recall,
        "recall_achieved": recall,
    }
