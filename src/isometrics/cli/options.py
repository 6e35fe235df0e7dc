"""Options that several commands share, and what they ask for: a file read, rows drawn again."""

from __future__ import annotations

import sys
import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from isometrics._core.writing import STANDARD_OUTPUT, is_standard_output
from isometrics.cli.output import Meter, note, option_of
from isometrics.errors import ParameterError, UndefinedWarning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cyclopts import Token

    from isometrics._core.sample import Sample
    from isometrics.analysis import Analysis
    from isometrics.errors import Advice
    from isometrics.measures import Measure
    from isometrics.sources.csv_files import Writing


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
    str,
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
    str, Parameter(allow_leading_hyphen=True, converter=_target, help="The file to write.")
]
Target = Annotated[Output, Parameter(alias="-o")]

EscapeFormulas = Annotated[
    bool,
    Parameter(
        negative="",
        show_default=False,
        help="In CSV and TSV, put an apostrophe before texts that a spreadsheet would take for "
        "formulas: those that begin with = + - or @ and are no numbers.",
    ),
]

_COLUMN = Parameter(group="Columns", show_default=False)
_READING = Parameter(group="Reading", show_default=False)
_SURE = Parameter(group="Certainty", show_default=False)
_FLAG = Parameter(group="Answers", negative="", show_default=False)


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a file are what, and how it is read."""

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
    memory_limit: Annotated[str | None, _READING] = None
    """How much memory reading may use, such as 2GB."""
    tolerance: Annotated[float | None, _READING] = None
    """Keep only as many rows of a long table as it takes to know every area to this width."""
    drop_missing: Annotated[bool, _READING, Parameter(negative="")] = False
    """Leave out the rows that miss a value in any column that is used, for all models."""
    decimal: Annotated[str | None, _READING] = None
    """The mark before decimals in CSV and Excel, a comma as in 0,5783 or a point."""
    header: Annotated[bool | None, _READING] = None
    """Whether the first line of a CSV file has the names of columns; recognised by default."""
    strict: Annotated[bool, _READING, Parameter(negative="", env_var="ISOMETRICS_STRICT")] = False
    """Refuse to guess which column is what."""
    explain: Annotated[bool, _READING, Parameter(negative="")] = False
    """Print what each pass over the rows read, shuffled and collected, on standard error."""
    prevalence: Annotated[float | None, _READING] = None
    """Look at everything at this prevalence, that of the deployment, instead of the file's own."""

    def score_columns(self) -> dict[str, str] | list[str] | None:
        """Return the score columns as `read_predictions` takes them."""
        if not any("=" in given for given in self.scores):
            return list(self.scores) or None
        pairs = (given.partition("=") for given in self.scores)
        found = {readable(name): column if equals else name for name, equals, column in pairs}
        if len(found) < len(self.scores):
            raise ParameterError("--scores gives one model two columns; use different names")
        return found

    def writing(self) -> Writing:
        """Return how the file is written, for those who copy its rows; none of them is dropped."""
        from isometrics.sources.csv_files import Writing

        for option in ("drop_missing", "explain"):
            if getattr(self, option):
                raise ParameterError(
                    f"{option_of(option)} is for commands that count rows; this one copies all of "
                    "them"
                )
        return Writing.of(self.decimal, self.header)

    def roles(self) -> dict[str, Any]:
        """Return which column is what, as `read_predictions` takes it."""
        optional = {role: getattr(self, role) for role in ("model", "weight", "group")}
        return {
            "label": self.label,
            "scores": self.score_columns(),
            "pos_label": self.pos_label,
            **{role: False if name == "" else name for role, name in optional.items()},
        }


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
        if self.confidence is None:
            return {}
        chosen = {} if self.resamples is None else {"n_resamples": self.resamples}
        return chosen | {
            "confidence_level": self.confidence,
            "random_state": self.random_state,
            "n_jobs": -1,
        }

    def drawing(self) -> dict[str, Any]:
        """Return how rows are drawn again, checked, with defaults for what is not given."""
        from isometrics._core.parameters import check_confidence, check_size, parse_random_state

        level = 0.95 if self.confidence is None else check_confidence(self.confidence)
        size = RESAMPLES if self.resamples is None else check_size(self.resamples, "n_resamples")
        parse_random_state(self.random_state)
        return {"confidence_level": level, "n_resamples": size, "random_state": self.random_state}

    def rows_to_keep(self, otherwise: int | bool = False) -> int | str:
        """Return which rows `load` is to keep: those that intervals need, if they are wanted.

        What cannot be used is refused here, before a long file is read.
        """
        self.drawing()
        return "needed" if self.wanted else otherwise


RESAMPLES = 2000
COLUMNS = Columns()
ANSWERS = Answers()
CERTAINTY = Certainty()


# ---------------------------------------------------------------------- what they ask for

_NAMED = 5
"""How many groups that are left out are named one by one."""


def load(
    file: str, columns: Columns, answers: Answers, *, keep_rows: bool | int | str | None = False
) -> Analysis:
    """Read a prediction file; what was read from where goes to the stream of messages.

    Rows are kept as `read_predictions` keeps them, by default not at all.
    """
    from isometrics.analysis import read_predictions

    with Meter("reading", quiet=answers.quiet) as meter:
        analysis = read_predictions(
            file,
            **columns.roles(),
            memory_limit=columns.memory_limit,
            tolerance=columns.tolerance,
            keep_rows=keep_rows,
            drop_missing=columns.drop_missing,
            decimal=columns.decimal,
            header=columns.header,
            strict=columns.strict,
            progress=meter,
            notify=None if answers.json else _note_advice,
        )
    if not answers.json:
        note(analysis.description)
        for group, reason in islice(analysis.skipped.items(), _NAMED):
            note(f"group {group!r} is left out: {reason}")
        if len(analysis.skipped) > _NAMED:
            note(f"and {len(analysis.skipped) - _NAMED} more groups, which --json lists")
    if columns.explain:
        print(analysis.explain(), file=sys.stderr, flush=True)
    if columns.prevalence is None:
        return analysis
    return analysis.at_prevalence(columns.prevalence)


def _note_advice(advice: Advice) -> None:
    note(advice.phrase(option_of))


_MUCH_WORK = 2e9
"""Rows times models times resamples that may take a minute."""
_TIMED_ROWS = 1 << 19
"""Rows that are timed: more than caches hold, which makes each row slower."""
_FEWER, _ENOUGH = 10, 200
"""How many times fewer resamples are offered, and how many an interval needs at least."""


@contextmanager
def resampling(
    certainty: Certainty, answers: Answers, analysis: Analysis, measure: Measure | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the options of `bootstrap`, with a progress bar; none unless intervals are wanted.

    Where resampling will take minutes, say so beforehand, and what is faster.
    """
    options = certainty.options()
    if not options:
        yield {}
        return
    rows, resamples = analysis.rows, options.get("n_resamples", RESAMPLES)
    if rows is not None and rows.size * len(rows.scores) * float(resamples) > _MUCH_WORK:
        seconds = seconds_per_resample(rows, measure) * resamples
        if seconds >= 60 and not answers.quiet:
            fewer = max(resamples // _FEWER, _ENOUGH)
            faster = (
                f"; --resamples {fewer} takes about {_duration(seconds / resamples * fewer)}, for "
                "ends of the intervals that are a little less certain"
            )
            note(
                f"{resamples:,} resamples of {rows.size:,} rows will take about "
                f"{_duration(seconds)}{faster if fewer < resamples else ''}"
            )
    with Meter("resampling", unit="resamples", quiet=answers.quiet) as meter:
        yield options | {"progress": meter}


def seconds_per_resample(rows: Sample, measure: Measure | None = None) -> float:
    """Estimate what one more resample costs, from a few resamples of some of the rows."""
    import numpy as np

    from isometrics._core.parameters import parse_jobs
    from isometrics._counting.draws import BLOCK
    from isometrics.uncertainty.bootstrap import bootstrap

    both_classes = [rows.labels.argmax(), rows.labels.argmin()]
    step = -(-rows.size // _TIMED_ROWS)
    subsample = rows.take(np.append(both_classes, np.arange(0, rows.size, step)))
    times: list[float] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        # Progress is told after each block; the time of the first has fixed costs in it.
        bootstrap(
            subsample.labels,
            subsample.scores,
            measures=measure,
            sample_weight=subsample.weights,
            n_resamples=2 * BLOCK,
            random_state=0,
            progress=lambda *_: times.append(time.perf_counter()),
        )
    return (times[1] - times[0]) / BLOCK * rows.size / subsample.size / parse_jobs(-1)


def _duration(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    units = ((86_400, "day"), (3600, "hour"), (60, "minute"))
    size, unit = next(each for each in units if seconds >= 2 * each[0] or each == units[-1])
    count = round(seconds / size)
    if count < 1:
        return f"{seconds:.0f} seconds"
    return f"{count:,} {unit}{'s' * (count > 1)}"


def about(analysis: Analysis) -> dict[str, object]:
    """Return what JSON says about the data."""
    return {"description": analysis.description, "skipped": dict(analysis.skipped)}
