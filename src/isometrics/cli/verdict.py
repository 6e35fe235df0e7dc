"""`isometrics verdict`: which model, which threshold, how sure; other commands begin with it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Unpack

from cyclopts import Parameter

from isometrics.cli.options import (
    ANSWERS,
    CERTAINTY,
    COLUMNS,
    RESAMPLES,
    Answers,
    Certainty,
    Columns,
    File,
    IndexName,
    Target,
    TuningFile,
    about,
    load,
)
from isometrics.cli.output import Meter, Part, answer, note, option_of, part_of, say
from isometrics.errors import IsometricsError, ParameterError, redacted

if TYPE_CHECKING:
    from isometrics.analysis import Analysis
    from isometrics.analysis.verdicts import Verdicts
    from isometrics.decisions.decision import Decision
    from isometrics.decisions.objective import Objective, ObjectiveOptions
    from isometrics.verdict.judge import Options
    from isometrics.verdict.verdict import Verdict

_OBJECTIVE = Parameter(group="Objective", show_default=False)
_CONSTRAINT = Parameter(group="Constraints", show_default=False)
_FLAG = Parameter(group="Certainty", negative="", show_default=False)


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Goal:
    """What the model and the threshold should be best for, by default F1."""

    beta: Annotated[float | None, _OBJECTIVE] = None
    """The highest F of this β; 0 is precision, and inf recall."""
    cost: Annotated[float | None, _OBJECTIVE] = None
    """The lowest cost per row at this cost proportion of false alarms, between 0 and 1."""
    miss_cost: Annotated[float | None, _OBJECTIVE] = None
    """The lowest cost per row, where a miss costs this; give --false-alarm-cost too."""
    false_alarm_cost: Annotated[float | None, _OBJECTIVE] = None
    """What a false alarm costs."""
    index: Annotated[IndexName | None, _OBJECTIVE] = None
    """The highest value of this index of tradeoff space."""
    lam: Annotated[float | None, _OBJECTIVE, Parameter(name="--lambda")] = None
    """The weight of recall in that index, by default 0.5."""
    min_precision: Annotated[float | None, _CONSTRAINT] = None
    """Only rules with at least this precision; without an objective, the highest recall."""
    min_recall: Annotated[float | None, _CONSTRAINT] = None
    """Only rules with at least this recall; without an objective, the highest precision."""
    budget: Annotated[float | None, _CONSTRAINT] = None
    """Only rules that flag at most so many rows of FILE; alone, those with the highest recall."""
    sure: Annotated[float | None, _CONSTRAINT] = None
    """Ask for the precision and the recall with this confidence, such as 0.95."""

    def options(self) -> dict[str, Any]:
        """Return the objective, checked, as `Analysis.verdict` takes it."""
        from isometrics.decisions.objective import parse_objective

        options = asdict(self)
        parse_objective(**options)
        return options


GOAL = Goal()


def verdict(
    file: File,
    /,
    *,
    goal: Goal = GOAL,
    thresholds_from: TuningFile = None,
    fold: Annotated[str | None, Parameter(group="Columns", show_default=False)] = None,
    clusters: Annotated[bool, _FLAG] = False,
    threshold: Annotated[
        tuple[float, ...], Parameter(negative="", consume_multiple=True, show_default=False)
    ] = (),
    output: Target | None = None,
    certainty: Certainty = CERTAINTY,
    columns: Columns = COLUMNS,
    answers: Answers = ANSWERS,
) -> None:
    """Say which model to use, which scores to flag, what to expect of it, and how sure that is.

    What to expect on new data is corrected for having chosen on the rows of the file.

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
    from isometrics.verdict.judge import Options

    # What cannot be answered is said before a long file is read.
    options = goal.options() | certainty.drawing()
    _check_given(threshold, elsewhere=fold is not None or goal.sure is not None)
    if fold is not None:
        if columns.group or thresholds_from is not None:
            raise ParameterError(
                "--fold takes its column for the groups, and judges by choices made on other "
                "folds; give it without --group and --thresholds-from"
            )
        columns = replace(columns, group=fold)
        options["folds"] = True
    try:
        analysis = load(file, columns, answers, keep_rows=None)
    except ParameterError as error:
        if fold is None or error.parameter != "group":
            raise
        raise ParameterError(error.problem, error.advice, parameter="fold") from error
    guessed = analysis._guessed_group or ""
    if guessed.lower() == "fold" and not answers.json:
        note(f"if the scores come from a cross-validation, add --fold {guessed}")
    if thresholds_from is not None:
        options["thresholds_from"] = load(thresholds_from, columns, answers, keep_rows=None)
    with Meter("resampling", unit="resamples", quiet=answers.quiet) as meter:
        found = verdicts_of(analysis, options | {"clusters": clusters, "progress": meter})
        parts = _beside(
            analysis,
            threshold,
            _aim(goal),
            Options(**certainty.drawing(), n_jobs=-1, progress=meter),
            clustered=clusters,
            tuning=options.get("thresholds_from"),
        )
    if output is not None:
        _only_rule(found).save(output)
        if output == "-":
            return
    if answers.json:
        written = {} if output is None else {"written": output}
        answer(about(analysis) | _data(found) | written, parts, as_json=True)
        return
    for number, (name, each) in enumerate(found.verdicts.items()):
        said = [f"{name}: {line}" if found.by_class else line for line in each.lines()[:1]]
        say([*[""] * (number > 0), *said, *each.lines()[1:]])
        if each.groups:
            print()
            answer({}, [Part("groups", "By group:", each._by_group())], as_json=False)
    for part in parts:
        print()
        answer({}, [part], as_json=False)


def _check_given(threshold: tuple[float, ...], *, elsewhere: bool) -> None:
    """Refuse thresholds that are no numbers, or beside which there is no best one."""
    if not threshold:
        return
    from isometrics.analysis.threshold_check import parse_given

    parse_given(list(threshold))
    if elsewhere:
        raise ParameterError(
            "--threshold is told beside the best threshold of each model; give it without --fold "
            "and --sure"
        )


def _beside(
    analysis: Analysis,
    threshold: tuple[float, ...],
    aim: tuple[Objective, float],
    options: Options,
    *,
    clustered: bool,
    tuning: Analysis | None,
) -> list[Part]:
    """Return what given thresholds do beside the best ones, where there are any."""
    if not threshold:
        return []
    from isometrics.analysis.threshold_check import check_thresholds, parse_given

    check = check_thresholds(
        analysis,
        parse_given(list(threshold)),
        aim,
        options,
        clustered=clustered,
        by_group=False,
        tuning=tuning,
    )
    # The verdict corrects its model for the choice among the models, too.
    title = f"Given thresholds beside the best for {aim[0].label}, each model judged by itself"
    return [part_of("thresholds", check, title)]


def _aim(goal: Goal) -> tuple[Objective, float]:
    """Return the objective, and the β of the F to show beside it."""
    from isometrics.decisions.objective import parse_objective

    objective = parse_objective(**goal.options())
    return objective, 1.0 if goal.beta is None else goal.beta


def _only_rule(found: Verdicts) -> Decision:
    """Return the rule of the only verdict; several classes are refused."""
    if len(found.verdicts) > 1:
        raise ParameterError("-o writes the rule of one class; choose one with --scores")
    (verdict,) = found.verdicts.values()
    return verdict.decision


# ---------------------------------------------------------------------- the head of other answers

MOST_ROWS = 200_000
"""Rows that are kept for the head of an answer."""
MOST_ROWS_OF_PAGE = 1_000_000
"""Rows that are kept for the verdicts of a page."""
_NAMED = 5
"""How many classes have their sentence at the head."""


class Head(NamedTuple):
    """What a command says before its tables."""

    lines: list[str]
    data: dict[str, object]
    verdicts: dict[str, Verdict]
    """By the name of their class; of one alone ``""``. ``{}`` where there is no verdict."""
    by_beta: tuple[Verdict, ...] = ()
    """Those for other β, for a page that does not have the rows."""

    def show(self) -> None:
        """Print it, and an empty line below."""
        say([*self.lines, ""])


def head(
    analysis: Analysis,
    file: str,
    certainty: Certainty = CERTAINTY,
    answers: Answers = ANSWERS,
    *,
    thresholds_from: Analysis | None = None,
    by_beta: bool = False,
    **objective: Unpack[ObjectiveOptions],
) -> Head:
    """Return the verdict with which a command begins, over all rows.

    It takes a second or two at most: of long files only what their tables tell, and a hint at the
    command that tells the rest. With `by_beta`, for a page, it takes some seconds. With tuning
    data, the choice is made there. It raises nothing.
    """
    from isometrics.analysis.verdicts import quick_verdicts

    try:
        drawing = certainty.drawing()
        with Meter("resampling", unit="resamples", quiet=answers.quiet) as meter:
            found = quick_verdicts(
                analysis,
                {**objective},
                confidence_level=drawing["confidence_level"],
                n_resamples=certainty.resamples,
                random_state=certainty.random_state,
                progress=meter,
                thresholds_from=thresholds_from,
                by_beta=by_beta,
            )
    except IsometricsError as error:
        return Head([f"No verdict: {error.phrase(option_of)}."], {"verdict": None}, {})
    verdicts = found.verdicts
    said = _sentences(found)
    command = f"isometrics verdict {quote(redacted(file))}"
    if thresholds_from is not None:
        command += f" --thresholds-from {quote(redacted(thresholds_from.source))}"
    if not found.n_resamples or analysis._more_rows_than_asked:
        said.append(f"What to expect on new data, and how sure: {command}")
    elif not all(each.replicates for each in verdicts.values()):
        said.append(next(each.method for each in verdicts.values() if not each.replicates))
    elif found.n_resamples < RESAMPLES:
        said.append(f"From {found.n_resamples:,} resamples; {command} draws {RESAMPLES:,}.")
    return Head(said, _data(found), verdicts, found.by_beta)


def _sentences(found: Verdicts) -> list[str]:
    """Return the answer, and what to beware of."""
    if not found.by_class:
        (verdict,) = found.verdicts.values()
        return [verdict.sentence(), *(f"Beware: {warning}" for warning in verdict.warnings)]
    said = [f"{name}: {each.sentence()}" for name, each in found.verdicts.items()]
    more = len(said) - _NAMED
    return said[:_NAMED] + [f"and {more} more classes"] * (more > 0)


def _data(found: Verdicts) -> dict[str, object]:
    """Return what JSON says."""
    if found.by_class:
        return {"verdict_by_class": {name: each.to_dict() for name, each in found.verdicts.items()}}
    (verdict,) = found.verdicts.values()
    return {"verdict": verdict.to_dict()}
