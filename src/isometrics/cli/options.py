"""Options that several commands share, and what they ask for: a file read, rows drawn again."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import dataclass, fields
from itertools import islice, product
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from isometrics._core.files import STANDARD_OUTPUT, is_standard_output
from isometrics.cli.output import answer, meter, note, option_of
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cyclopts import Token

    from isometrics.analysis import Analysis
    from isometrics.sources.batches import Source

    PathText = str
else:
    # Shells complete names of files for this type; a URL stays as it was given, and so does -.
    from pathlib import Path as PathText


def _path(_: Any, tokens: Sequence[Token]) -> str:
    """Accept a path or ``-``, and no mistyped option in its place."""
    given = tokens[0].value
    if given != "-" and given.startswith("-"):
        raise ValueError(f"There is no option {given}; a file of that name is given as ./{given}.")
    return given


def _target(_: Any, tokens: Sequence[Token]) -> str:
    """Accept what a file is written to; all names of standard output become ``-``."""
    given = _path(_, tokens)
    return STANDARD_OUTPUT if is_standard_output(given) else given


def readable(text: str) -> str:
    """Return words of the command line that are no text, in any encoding, as escapes."""
    return text.encode(errors="backslashreplace").decode()


File = Annotated[
    PathText,
    Parameter(
        allow_leading_hyphen=True,
        converter=_path,
        help="The prediction file, a table of a database such as duckdb:///runs.db?table=t, or - "
        "for standard input.",
    ),
]
TuningFile = Annotated[
    File | None, Parameter(help="Choose on this file, of tuning data, and judge on FILE.")
]
IndexName = Literal["f-measure", "kulczynski", "folke", "jaccard", "f-gain", "cost"]
Output = Annotated[
    PathText, Parameter(allow_leading_hyphen=True, converter=_target, help="The file to write.")
]
Target = Annotated[Output, Parameter(alias="-o")]

Numbers = Annotated[
    tuple[float, ...], Parameter(negative="", consume_multiple=True, show_default=False)
]

_COLUMN = Parameter(group="Columns", show_default=False)
_READING = Parameter(group="Reading", show_default=False)
_OBJECTIVE = Parameter(group="Objectives", show_default=False)
_OBJECTIVES = Parameter(group="Objectives", negative="", consume_multiple=True, show_default=False)
_CONSTRAINT = Parameter(group="Constraints", negative="", consume_multiple=True, show_default=False)
_SURE = Parameter(group="Certainty", show_default=False)
_FLAG = Parameter(group="Answers", negative="", show_default=False)


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Answers:
    """How a command answers."""

    json: Annotated[bool, _FLAG] = False
    """Print one JSON object instead of tables."""
    quiet: Annotated[bool, _FLAG] = False
    """Show no progress."""
    debug: Annotated[bool, _FLAG] = False
    """After an error, print where it happened."""


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Reading(Answers):
    """How a file is read, and how a command answers."""

    memory_limit: Annotated[str | None, _READING] = None
    """How much memory reading may use, such as 2GB."""
    decimal: Annotated[str | None, _READING] = None
    """The mark before decimals in CSV and Excel, a comma as in 0,5783 or a point."""
    header: Annotated[bool | None, _READING] = None
    """Whether the first line of a CSV file has the names of columns; recognised by default."""

    def opened(self, file: str) -> closing[Source]:
        """Open a file whose rows are copied; none of them is dropped."""
        from isometrics.sources.files import open_source

        for option in ("drop_missing", "explain"):
            if getattr(self, option, False):
                raise ParameterError(
                    f"{option_of(option)} is for commands that count rows; this one copies all of "
                    "them"
                )
        return closing(
            open_source(file, self.memory_limit, decimal=self.decimal, header=self.header)
        )


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Request(Reading):
    """Which columns of a file are what, how it is read, and how a command answers."""

    label: Annotated[str | None, _COLUMN] = None
    """The column of labels; by default it is recognised."""
    scores: Annotated[tuple[str, ...], _COLUMN, Parameter(negative="", consume_multiple=True)] = ()
    """Columns of scores, one for each model; NAME=COLUMN gives a model another name."""
    model: Annotated[str | None, _COLUMN] = None
    """The column that names the model of each row, where all scores are in one column."""
    weight: Annotated[str | None, _COLUMN] = None
    """The column of weights; an empty name means none, here and for --model and --group."""
    group: Annotated[str | None, _COLUMN] = None
    """The column of groups, each of which is analysed by itself too."""
    pos_label: Annotated[str | None, _COLUMN] = None
    """The label of the positive class."""
    tolerance: Annotated[float | None, _READING] = None
    """Keep only as many rows of a long table as it takes to know every area to this width."""
    drop_missing: Annotated[bool, _READING, Parameter(negative="")] = False
    """Leave out the rows that miss a value in any column that is used, for all models."""
    strict: Annotated[bool, _READING, Parameter(negative="", env_var="ISOMETRICS_STRICT")] = False
    """Refuse to guess which column is what."""
    explain: Annotated[bool, _READING, Parameter(negative="")] = False
    """Print what each pass over the rows read, shuffled and collected, on standard error."""
    prevalence: Annotated[float | None, _READING] = None
    """Look at everything at this prevalence, that of the deployment, instead of the file's own."""

    def roles(self) -> dict[str, Any]:
        """Return which column is what, as `read_predictions` takes it."""
        roles = {role: getattr(self, role) for role in ("model", "weight", "group")}
        roles = {role: False if name == "" else name for role, name in roles.items()}
        scores: dict[str, str] | list[str] | None = list(self.scores) or None
        if any("=" in given for given in self.scores):
            pairs = (given.partition("=") for given in self.scores)
            scores = {readable(name): column if equals else name for name, equals, column in pairs}
            if len(scores) < len(self.scores):
                raise ParameterError("--scores gives one model two columns; use different names")
        return roles | {"label": self.label, "scores": scores, "pos_label": self.pos_label}


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Objectives:
    """What rules are chosen for, and what they must keep; some commands take several."""

    beta: Annotated[tuple[float, ...], _OBJECTIVES] = ()
    """The highest F of this β, by default F1; 0 is precision, and inf recall."""
    cost: Annotated[tuple[float, ...], _OBJECTIVES] = ()
    """The lowest cost per row at this cost proportion of false alarms, between 0 and 1."""
    miss_cost: Annotated[float | None, _OBJECTIVE] = None
    """The lowest cost per row, where a miss costs this; give --false-alarm-cost too."""
    false_alarm_cost: Annotated[float | None, _OBJECTIVE] = None
    """What a false alarm costs."""
    index: Annotated[IndexName | None, _OBJECTIVE] = None
    """The highest value of this index of tradeoff space."""
    lam: Annotated[float | None, _OBJECTIVE, Parameter(name="--lambda")] = None
    """The weight of recall in that index, by default 0.5."""
    objective: Annotated[tuple[Literal["accuracy", "youden"], ...], _OBJECTIVES] = ()
    """The highest accuracy, or the highest Youden's J."""
    min_precision: Annotated[tuple[float, ...], _CONSTRAINT] = ()
    """Only rules with at least this precision; without an objective, the highest recall."""
    min_recall: Annotated[tuple[float, ...], _CONSTRAINT] = ()
    """Only rules with at least this recall; without an objective, the highest precision."""
    max_fpr: Annotated[tuple[float, ...], _CONSTRAINT] = ()
    """Only rules with at most this false positive rate; alone, those with the highest recall."""
    min_specificity: Annotated[tuple[float, ...], _CONSTRAINT] = ()
    """The same said the other way: rules with at least this specificity, 1 minus that rate."""
    budget: Annotated[tuple[float, ...], _CONSTRAINT] = ()
    """Only rules that flag at most so many rows of FILE; alone, those with the highest recall."""
    sure: Annotated[float | None, Parameter(group="Constraints", show_default=False)] = None
    """Ask for these rates with this confidence, such as 0.95; for isometrics verdict."""
    guarantee: Annotated[float | None, Parameter(group="Constraints", show_default=False)] = None
    """Choose among rules that are proven to keep the constraints with this probability, such as
    0.95, whatever the scores are like; for isometrics verdict."""

    def only(self) -> dict[str, Any]:
        """Return the one objective with its constraints, checked, as `Analysis.verdict` has it."""
        from isometrics.decisions.objective import parse_objective

        asked = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, tuple):
                if len(value) > 1 or (value and field.name == "objective"):
                    raise ParameterError(
                        f"is {' '.join(map(str, value))}, which isometrics thresholds takes; give "
                        "one number here",
                        parameter=field.name,
                    )
                value = value[0] if value else None
            if value is not None:
                asked[field.name] = value
        parse_objective(**asked)
        return asked

    def each(self, betas: Sequence[float]) -> list[dict[str, Any]]:
        """Return all objectives, checked, as `best_threshold` has them; by default F of these β.

        Constraints apply to every objective, in all combinations of their levels. Without an
        objective each level stands alone, and asks for the most of what it leaves free.
        """
        from isometrics.decisions.objective import parse_objective

        for name in ("sure", "guarantee"):
            if getattr(self, name) is not None:
                raise ParameterError("is for isometrics verdict; leave it out", parameter=name)
        names = ("min_precision", "min_recall", "max_fpr", "min_specificity", "budget")
        levels = {name: getattr(self, name) for name in names if getattr(self, name)}
        asked: list[dict[str, Any]] = [{"beta": beta} for beta in self.beta]
        asked += [{"cost": cost} for cost in self.cost]
        if self.miss_cost is not None or self.false_alarm_cost is not None:
            asked.append({"miss_cost": self.miss_cost, "false_alarm_cost": self.false_alarm_cost})
        if self.index is not None or self.lam is not None:
            asked.append({"index": self.index, "lam": self.lam})
        asked += [{"objective": name} for name in self.objective]
        if asked:
            limits = [dict(zip(levels, each, strict=True)) for each in product(*levels.values())]
            asked = [objective | limit for objective in asked for limit in limits]
        elif levels:
            asked = [{name: level} for name, each in levels.items() for level in each]
        else:
            asked = [{"beta": beta} for beta in betas]
        for each in asked:
            parse_objective(**each)
        return asked


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Certainty:
    """How sure an answer is to be."""

    confidence: Annotated[float | None, _SURE] = None
    """Add confidence intervals or bands of this level, such as 0.95."""
    resamples: Annotated[int | None, _SURE] = None
    """How often the rows are drawn again; by default 2000 times, for bands 500."""
    random_state: Annotated[int, _SURE] = 0
    """The seed of the draws; the same one gives the same intervals."""

    @property
    def wanted(self) -> bool:
        """Whether intervals are wanted."""
        return self.confidence is not None

    def options(self) -> dict[str, Any]:
        """Return the options of `bootstrap`; none unless intervals are wanted."""
        return self.drawing() | {"n_jobs": -1} if self.wanted else {}

    def drawing(self) -> dict[str, Any]:
        """Return what is given of how rows are drawn again, checked."""
        from isometrics._core.parameters import check_confidence, check_size, parse_random_state

        chosen: dict[str, Any] = {"random_state": self.random_state}
        parse_random_state(self.random_state)
        if self.confidence is not None:
            chosen["confidence_level"] = check_confidence(self.confidence)
        if self.resamples is not None:
            chosen["n_resamples"] = check_size(self.resamples, "n_resamples")
        return chosen

    def rows_to_keep(self, otherwise: int | bool = False) -> int | str:
        """Return which rows `load` is to keep: those that intervals need, if they are wanted.

        What cannot be used is refused here, before a long file is read.
        """
        self.drawing()
        return "needed" if self.wanted else otherwise


ANSWERS = Answers()
READING = Reading()
REQUEST = Request()
CERTAINTY = Certainty()
OBJECTIVES = Objectives()


# ---------------------------------------------------------------------- what they ask for

_NAMED = 5
"""How many groups that are left out are named one by one."""


def load(file: str, request: Request, *, keep_rows: bool | int | str | None = False) -> Analysis:
    """Read a prediction file; what was read from where goes to the stream of messages.

    Rows are kept as `read_predictions` keeps them, by default not at all.
    """
    from isometrics.analysis import read_predictions

    with meter("reading", quiet=request.quiet) as progress:
        analysis = read_predictions(
            file,
            **request.roles(),
            memory_limit=request.memory_limit,
            tolerance=request.tolerance,
            keep_rows=keep_rows,
            drop_missing=request.drop_missing,
            decimal=request.decimal,
            header=request.header,
            strict=request.strict,
            progress=progress,
            notify=None if request.json else lambda advice: note(advice.phrase(option_of)),
        )
    if not request.json:
        note(analysis.description)
        for group, reason in islice(analysis.skipped.items(), _NAMED):
            note(f"group {group!r} is left out: {reason}")
        if len(analysis.skipped) > _NAMED:
            note(f"and {len(analysis.skipped) - _NAMED} more groups, which --json lists")
    if request.explain:
        print(analysis.explain(), file=sys.stderr, flush=True)
    if request.prevalence is None:
        return analysis
    return analysis.at_prevalence(request.prevalence)


def about(analysis: Analysis) -> dict[str, object]:
    """Return what JSON says about the data."""
    return {"description": analysis.description, "skipped": dict(analysis.skipped)}


def tell_written(said: dict[str, object], output: str, answers: Answers) -> None:
    """Say that a file is written: its path, or what JSON says of it; ``-`` speaks for itself."""
    if output == "-":
        return
    if answers.json:
        answer(said | {"written": output}, [], as_json=True)
    else:
        print(output)
