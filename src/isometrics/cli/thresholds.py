"""`isometrics thresholds`: where to cut, and what the cut achieves on other data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from cyclopts import Parameter

from isometrics.cli.options import (
    ANSWERS,
    CERTAINTY,
    COLUMNS,
    Answers,
    Certainty,
    Columns,
    File,
    IndexName,
    Target,
    about,
    load,
)
from isometrics.cli.output import Meter, Part, answer, note, say, stacked
from isometrics.cli.table_files import WRITERS, suffix_of, write_table
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from isometrics.analysis import Analysis
    from isometrics.cli.output import Columns as Table
    from isometrics.decisions.decision import Decision
    from isometrics.decisions.objective import Objective
    from isometrics.decisions.thresholds import Entry
    from isometrics.points import OperatingPoints
    from isometrics.verdict.judge import Options

    Goal: TypeAlias = tuple[Objective, float]

_OBJECTIVE = Parameter(group="Objectives", show_default=False)
_SEVERAL = Parameter(group="Objectives", negative="", consume_multiple=True, show_default=False)
_GIVEN = Parameter(negative="", consume_multiple=True, show_default=False)
_LEVELS = Parameter(group="Constraints", negative="", consume_multiple=True, show_default=False)
_RULE = ".json"
"""How the file of a rule ends."""


BETAS = (0.5, 1.0, 2.0)


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Objectives:
    """What a threshold should be best for; several may be given."""

    beta: Annotated[tuple[float, ...], _SEVERAL] = ()
    """The highest F of these β; by default, where nothing else is given, of 0.5, 1 and 2, or of 1
    with --threshold."""
    cost: Annotated[tuple[float, ...], _SEVERAL] = ()
    """The highest accuracy at these cost proportions of false positives, between 0 and 1."""
    miss_cost: Annotated[float | None, _OBJECTIVE] = None
    """The lowest cost per row, where a miss costs this; give --false-alarm-cost too."""
    false_alarm_cost: Annotated[float | None, _OBJECTIVE] = None
    """What a false alarm costs."""
    index: Annotated[IndexName | None, _OBJECTIVE] = None
    """The highest value of this index of tradeoff space."""
    lam: Annotated[float | None, _OBJECTIVE, Parameter(name="--lambda")] = None
    """The weight of recall in that index, by default 0.5."""
    objective: Annotated[tuple[Literal["accuracy", "youden", "break-even"], ...], _SEVERAL] = ()
    """The highest accuracy, the highest Youden's J, or precision and recall closest together."""
    min_precision: Annotated[tuple[float, ...], _LEVELS] = ()
    """Only rules with at least these precisions; without an objective, the highest recall."""
    min_recall: Annotated[tuple[float, ...], _LEVELS] = ()
    """Only rules with at least these recalls; without an objective, the highest precision."""
    budget: Annotated[tuple[float, ...], _LEVELS] = ()
    """Only rules that flag at most so many rows; without an objective, the highest recall."""

    def each(self, betas: Sequence[float] = BETAS) -> list[Goal]:
        """Return the objectives, checked, each with the β of the F to show; by default these β.

        Constraints apply to every objective, in all combinations of their levels. Without an
        objective each level stands alone, and asks for the most of what it leaves free.
        """
        from isometrics.decisions.best import parse_goal

        levels = {
            name: getattr(self, name)
            for name in ("min_precision", "min_recall", "budget")
            if getattr(self, name)
        }
        asked = self._objectives()
        if asked:
            limits = [dict(zip(levels, each, strict=True)) for each in product(*levels.values())]
            asked = [objective | limit for objective in asked for limit in limits]
        elif levels:
            asked = [{name: level} for name, each in levels.items() for level in each]
        else:
            asked = [{"beta": beta} for beta in betas]
        return [parse_goal(**each) for each in asked]

    def _objectives(self) -> list[dict[str, Any]]:
        asked: list[dict[str, Any]] = [{"beta": beta} for beta in self.beta]
        asked += [{"cost": cost} for cost in self.cost]
        if self.miss_cost is not None or self.false_alarm_cost is not None:
            asked.append({"miss_cost": self.miss_cost, "false_alarm_cost": self.false_alarm_cost})
        if self.index is not None or self.lam is not None:
            asked.append({"index": self.index, "lam": self.lam})
        return asked + [{"objective": name} for name in self.objective]


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
    threshold: Annotated[tuple[float, ...], _GIVEN] = (),
    certainty: Certainty = CERTAINTY,
    columns: Columns = COLUMNS,
    answers: Answers = ANSWERS,
) -> None:
    """Print the best thresholds for F scores, costs and indices, alone or under constraints.

    Constraints apply to every objective that is given. Without one, each asks for the most of what
    it leaves free.

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
        What these thresholds do, such as the present one, beside the best one, with intervals.
    """
    checked = bool(threshold) or certainty.wanted
    _refuse(objectives, columns, all=all, elsewhere=on is not None, checked=checked)
    # Judged are the rows of the other file, where there is one.
    kept = None if checked else False
    chosen = objectives.each([1.0] if threshold else BETAS)
    given, drawing = _given(threshold, certainty)
    rule = output is not None and _is_rule(output)
    if rule and (all or len(chosen) > 1):
        raise ParameterError(
            "-o writes one rule; give one objective, such as --beta 1, or a file that ends in .csv "
            "for the table"
        )
    analysis = load(file, columns, answers, keep_rows=False if on is not None else kept)
    if output is not None and rule:
        _only_rule(analysis, chosen[0]).save(output)
        if output == "-":
            return
    if all:
        from isometrics.decisions.beta_intervals import optimal_thresholds

        def all_optimal(entry: Entry) -> Table:
            optimal = optimal_thresholds(entry.points)
            return optimal._columns() | optimal._printed_names()

        found = stacked(analysis, all_optimal)
        title = "The best threshold for every β"
    elif checked:
        is_said = not answers.json and (output is None or rule)
        with Meter("resampling", unit="resamples", quiet=answers.quiet) as meter:
            options = drawing._replace(progress=meter)
            if on is None:
                found, said = _checked(analysis, given, chosen, options)
            else:
                judged_on = load(on, columns, answers, keep_rows=kept)
                found, said = _checked(judged_on, given, chosen, options, tuning=analysis)
        say([*said, *[""] * bool(said)] if is_said else [])
        title = "Given thresholds beside the best ones" if threshold else "The best thresholds"
        title += "" if on is None else ", on other data"
    elif on is None:
        found = stacked(analysis, lambda entry: _best(entry, chosen))
        title = "The best thresholds"
    else:
        found = judged(analysis, load(on, columns, answers), chosen)
        title = JUDGED
    written = {} if output is None else {"written": output}
    if output is None or rule:
        answer(about(analysis) | written, [Part("thresholds", title, found)], as_json=answers.json)
        return
    write_table(found, output, escape_formulas=True)
    if answers.json:
        answer(about(analysis) | written, [], as_json=True)
    else:
        print(output)


def _refuse(
    objectives: Objectives, columns: Columns, *, all: bool, elsewhere: bool, checked: bool
) -> None:
    """Refuse options that contradict each other."""
    if checked and all:
        raise ParameterError(
            "--all lists the thresholds for every β; give it without --threshold and --confidence"
        )
    if all and (elsewhere or objectives != BY_DEFAULT):
        raise ParameterError("--all lists the thresholds for every β; give it without objectives")
    if objectives.budget and columns.prevalence is not None:
        raise ParameterError(
            "--budget counts rows of the file, which --prevalence replaces by scaled ones; give "
            "one of the two, or --min-precision or --min-recall with --prevalence"
        )


def _is_rule(output: str) -> bool:
    """Tell whether a file is that of a rule, and not of a table."""
    suffix = suffix_of(output)
    if output != "-" and suffix not in WRITERS:
        tables = ", ".join(name for name in WRITERS if name != _RULE)
        raise ParameterError(
            f"{output!r} should end in {_RULE} for a rule, or in {tables} for a table"
        )
    return output == "-" or suffix == _RULE


def _only_rule(analysis: Analysis, goal: Goal) -> Decision:
    """Return the rule of the only model for all rows; several models are refused."""
    from isometrics._core.results import several

    if len(analysis.models) > 1:
        names = several(list(map(repr, analysis.models)))
        raise ParameterError(
            f"-o writes the rule of one model, but there are {names}; choose one with --scores, or "
            "let isometrics verdict -o choose"
        )
    if analysis.groups:
        note("the rule is for all rows, whatever their group")
    asked: dict[str, Any] = goal[0].parameters
    return analysis.decision(**asked)


def _given(thresholds: tuple[float, ...], certainty: Certainty) -> tuple[NDArray[Any], Options]:
    """Check the given thresholds and how rows are drawn again, before a long file is read."""
    import numpy as np

    from isometrics.analysis.threshold_check import parse_given
    from isometrics.verdict.judge import Options

    options = Options(**certainty.drawing(), n_jobs=-1)
    return parse_given(list(thresholds)) if thresholds else np.empty(0), options


def _checked(
    analysis: Analysis,
    given: NDArray[Any],
    goals: list[Goal],
    options: Options,
    tuning: Analysis | None = None,
) -> tuple[Table, list[str]]:
    """Return given thresholds and the best ones, with intervals, and what they say.

    The best ones are chosen on the tuning data, where there are any.
    """
    from isometrics._core.threshold_text import ThresholdTexts
    from isometrics.analysis.threshold_check import check_thresholds

    rows: list[dict[str, Any]] = []
    said: list[str] = []
    for goal in goals:
        check = check_thresholds(
            analysis, given, goal, options, tuning=tuning, budget_of_tuning=True
        )
        if check.note:
            note(check.note)
        said += check.lines()
        columns = check._columns() | {"objective": [goal[0].label] * len(check)}
        columns["next_lower"] = check.next_lower
        each = zip(*columns.values(), strict=True)
        rows += [dict(zip(columns, row, strict=True)) for row in each]
    grouped = bool(analysis.groups) and tuning is None
    names = ["model", *["group"] * grouped, "objective", *["rule"] * bool(given.size)]
    names += ["threshold", "value", "expected", "lower", "upper"]
    names += ["shortfall", "shortfall_lower", "shortfall_upper"] * bool(given.size)
    names += ["tp", "fp", "fn", "tn", "precision", "recall"]
    found = {name: [row[name] for row in rows] for name in [*names, "next_lower"]}
    texts = ThresholdTexts(found["threshold"], found.pop("next_lower"))
    return found | {"threshold": texts}, said


def _best(entry: Entry, goals: list[Goal]) -> Table:
    from isometrics._core.threshold_text import ThresholdTexts
    from isometrics.decisions.thresholds import decision_or_nan

    where = f"{entry.model} {entry.group}"
    decisions = [decision_or_nan(entry.points, *goal, where) for goal in goals]
    names = ("objective", "threshold", "value", "tp", "fp", "fn", "tn", "precision", "recall")
    found: Table = {name: [getattr(decision, name) for decision in decisions] for name in names}
    below = [decision._below for decision in decisions]
    return found | {"threshold": ThresholdTexts(found["threshold"], below)}


def judged(tuning: Analysis, test: Analysis, goals: list[Goal]) -> Table:
    """Return what thresholds promised, and what they achieve on the same model of other data."""
    from isometrics._core.threshold_text import ThresholdTexts
    from isometrics.decisions.thresholds import decision_or_nan
    from isometrics.points.models import check_has_model

    rows: list[dict[str, Any]] = []
    for model, points in tuning.models.items():
        check_has_model("the file to judge on", test.models, model)
        for goal in goals:
            decision = decision_or_nan(points, *goal, model)
            # A budget counts rows of the tuning data, and is the same share of the test data.
            asked = goal[0].for_rows(points.positives + points.negatives)
            rows.append({"model": model} | _judgement(decision, asked, test.models[model]))
    found: Table = {name: [row[name] for row in rows] for name in rows[0]}
    columns = zip(*found["threshold"], strict=True)
    return found | {"threshold": ThresholdTexts(*columns)}


def _judgement(decision: Decision, asked: Objective, test: OperatingPoints) -> dict[str, Any]:
    from isometrics._core.sample import parse_thresholds
    from isometrics._table.table import lower_scores
    from isometrics.decisions.objective import Objective
    from isometrics.decisions.transfer import best_f

    beta = decision.beta
    reached = not math.isnan(decision.threshold)
    threshold = parse_thresholds(decision.threshold if reached else math.inf)
    achieved = test.at(threshold)
    f, precision, recall = (
        float(values[0]) if reached else math.nan
        for values in (achieved.f(beta), achieved.precision, achieved.recall)
    )
    return {
        "objective": decision.objective,
        # With the next lower scores of both files.
        "threshold": (decision.threshold, decision._below, *lower_scores(test.table, threshold)),
        "beta": beta,
        "f_promised": decision.f,
        "f_achieved": f,
        "f_best": best_f(test, Objective(beta=beta, constraints=asked.constraints)),
        "precision_promised": decision.precision,
        "precision_achieved": precision,
        "recall_promised": decision.recall,
        "recall_achieved": recall,
    }
