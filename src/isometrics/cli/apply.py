"""`isometrics apply`: flag the rows of a new file by a rule that was saved."""

from __future__ import annotations

import math
from contextlib import closing
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from isometrics.cli.options import ANSWERS, Answers, EscapeFormulas, File, Target, readable
from isometrics.cli.output import Meter, answer, json_text, note, plain
from isometrics.cli.table_files import is_text, write_batches, writer_for
from isometrics.errors import Advice, MissingValueError, ParameterError, ScoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from isometrics.decisions.decision import Decision
    from isometrics.sources.batches import Source

_READING = Parameter(group="Reading", show_default=False)
_FACTOR = 3
"""Shares that differ by more than this factor, and by more than chance, deserve a warning."""
_SIGMAS = 5


def apply(
    rule: Annotated[File, Parameter(help="The rule: a file that thresholds or verdict wrote.")],
    file: Annotated[File, Parameter(help="The file of new scores, or - for standard input.")],
    /,
    *,
    output: Target = "-",
    scores: Annotated[str | None, Parameter(show_default=False)] = None,
    column: str = "flagged",
    memory_limit: Annotated[str | None, _READING] = None,
    decimal: Annotated[str | None, _READING] = None,
    header: Annotated[bool | None, _READING] = None,
    escape_formulas: EscapeFormulas = False,
    answers: Answers = ANSWERS,
) -> None:
    """Flag the rows of a file whose scores reach the threshold of a saved rule.

    All columns of the file are kept, and a column of truth values is added. The file needs no
    labels. How many rows are flagged is told beside their share where the rule was chosen.

    For example:
      isometrics thresholds tuning.csv --scores forest --beta 1 -o rule.json
      isometrics apply rule.json new.parquet -o flagged.parquet
      isometrics apply rule.json new.csv --scores p_forest > flagged.csv

    Parameters
    ----------
    output
        A file that ends in .csv, .tsv, .parquet, .arrow, .json or .jsonl, or in .csv.gz; - is CSV
        on standard output.
    scores
        The column of scores; by default the one that the rule names.
    column
        The name of the column to add.
    memory_limit
        How much memory reading may use, such as 2GB.
    decimal
        The mark before decimals in CSV and Excel, a comma as in 0,5783 or a point.
    header
        Whether the first line of a CSV file has the names of columns; recognised by default.
    """
    from isometrics.decisions.files import load_decision
    from isometrics.sources.csv_files import Writing
    from isometrics.sources.opening import open_source

    if output != "-":
        writer_for(output)
    elif answers.json:
        raise ParameterError("--json tells what was written to a file; name one with -o")
    decision = load_decision(rule)
    opened = open_source(file, memory_limit, all_rows=True, writing=Writing.of(decimal, header))
    with closing(opened) as source:
        flagging = _Flagging(decision, source, scores, readable(column))
        if is_text(output):
            flagging.keep_texts()
        with Meter("flagging", quiet=answers.quiet) as meter:
            batches = flagging.batches(meter)
            write_batches(flagging.schema, batches, output, escape_formulas=escape_formulas)
    _tell(flagging, output, answers)


def write_rule(decision: Decision, output: str) -> None:
    """Write a rule to a file; ``-`` is standard output."""
    from isometrics.decisions.files import data_of

    if output == "-":
        print(json_text(data_of(decision)))
    else:
        decision.save(output)


class _Flagging:
    """The rows of a source with a column that tells which are flagged, and how many were."""

    def __init__(self, decision: Decision, source: Source, scores: str | None, column: str) -> None:
        import pyarrow as pa

        names = source.schema.names
        if column in names:
            raise ParameterError(
                f"must be a new name, but {source.name!r} already has a column {column!r}",
                parameter="column",
            )
        self.decision = decision
        self.source = source
        self.column = column
        self.scores = _score_column(decision, source, scores)
        self.model_column = decision.model_column if decision.model_column in names else None
        self.schema = pa.schema([*source.schema, pa.field(column, pa.bool_())])
        self.numbers = self.scores
        """The column of the scores as numbers, which is not written where their texts are kept."""
        self.rows = self.flagged = 0

    def keep_texts(self) -> None:
        """Write the columns of CSV files as they are written there: 0.10, NA, yes."""
        import pyarrow as pa

        source: Any = self.source
        if not hasattr(source, "keep_texts"):
            return
        names = source.schema.names
        while self.numbers in names:
            self.numbers += " "
        source.keep_texts({self.scores: self.numbers})
        texts = [source.schema.field(name) for name in names]
        self.schema = pa.schema([*texts, self.schema.field(self.column)])

    def batches(self, meter: Meter) -> Iterator[pa.RecordBatch]:
        """Yield the rows."""
        import pyarrow as pa

        for batch in self.source.batches(self.source.schema.names):
            if self.model_column is not None:
                self._refuse_other_models(batch.column(self.model_column))
            flags = self._flags(batch.column(self.numbers))
            self.rows += batch.num_rows
            self.flagged += int(flags.sum())
            meter(self.rows, self.source.rows)
            columns = [batch.column(name) for name in self.schema.names[:-1]]
            yield pa.record_batch([*columns, pa.array(flags)], schema=self.schema)

    def _flags(self, scores: pa.Array) -> NDArray[np.bool_]:
        from isometrics._core.arrays import UNHOLDABLE
        from isometrics.sources.arrow import numbers, unholdable

        values, missing = numbers(scores)
        if missing is not None:
            raise MissingValueError(
                f"{self.scores!r} has missing values, the first {self._place(missing)}; leave such "
                "rows out, or give them a score"
            )
        rounded = unholdable(scores)
        if rounded is not None and rounded.any():
            raise ScoreError(f"{self.scores!r} has {UNHOLDABLE} {self._place(rounded)}")
        return self.decision.predict(values)

    def _refuse_other_models(self, column: pa.Array) -> None:
        import numpy as np

        from isometrics.sources.arrow import codes

        found, names = codes(column)
        other = np.array([str(name) != self.decision.model for name in names] + [True])
        if other[found].any():
            raise ParameterError(
                f"the rule is for the model {self.decision.model!r}, but {self.model_column!r} "
                f"names another one {self._place(other[found])}; keep the rows of one model"
            )

    def _place(self, offending: NDArray[np.bool_]) -> str:
        """Say where the first offending row of a batch is: on a line, where rows have lines."""
        from isometrics.sources.problems import listed_lines

        position = self.rows + int(offending.argmax())
        source: Any = self.source
        lines = source.lines([position]) if hasattr(source, "lines") else {}
        if not lines:
            return f"in row {position + 1}"
        return f"on {listed_lines(lines.values(), source.line_name)}"

    @property
    def share(self) -> float:
        """The share of the rows that is flagged; NaN without rows."""
        return self.flagged / self.rows if self.rows else math.nan


def _score_column(decision: Decision, source: Source, scores: str | None) -> str:
    from isometrics._core.results import several
    from isometrics.sources.arrow import NUMERIC, kind_of

    schema = source.schema
    chosen = next((name for name in (scores, decision.scores, decision.model) if name), None)
    if chosen is None:
        raise ParameterError(
            "the rule names no column", Advice("say which one holds the scores with {scores}")
        )
    if chosen not in schema.names:
        near = get_close_matches(chosen, schema.names, n=1)
        advice = f"did you mean {near[0]!r}?" if near else f"it has {several(schema.names)}"
        if scores is not None:
            raise ParameterError(
                f"is {chosen!r}, which is no column of {source.name!r}; {advice}",
                parameter="scores",
            )
        raise ParameterError(
            f"{source.name!r} has no column {chosen!r}, which the rule is for; {advice}",
            Advice("say which one holds the scores with {scores}"),
        )
    kind = kind_of(schema.field(chosen).type)
    if kind not in NUMERIC:
        raise ScoreError(f"the scores in {chosen!r} should be numbers but are {kind}s")
    return chosen


# ---------------------------------------------------------------------- what is said of it


def _tell(flagging: _Flagging, output: str, answers: Answers) -> None:
    share, expected = flagging.share, flagging.decision.flagged_share
    if answers.json:
        said = {
            "rows": flagging.rows,
            "flagged": flagging.flagged,
            "share": share,
            "expected_share": expected,
            "threshold": flagging.decision.threshold,
            "scores": flagging.scores,
            "column": flagging.column,
            "written": output,
        }
        answer({name: plain(value) for name, value in said.items()}, [], as_json=True)
    else:
        if output != "-":
            print(output)
        compared = "" if math.isnan(expected) else f", {_percent(expected)} where it was chosen"
        note(
            f"flagged {flagging.flagged:,} of {flagging.rows:,} rows ({_percent(share)}{compared})"
        )
    if _differs(share, expected, flagging.rows):
        note(
            f"Beware: {_percent(share)} is far from {_percent(expected)}; look whether these are "
            "the same scores on the same scale, or choose a threshold on newer data"
        )


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def _differs(share: float, expected: float, rows: int) -> bool:
    """Tell whether shares differ by a large factor, of rows flagged or not, and beyond chance."""
    if math.isnan(share) or math.isnan(expected):
        return False
    chance = math.sqrt(max(expected * (1 - expected), 0) / rows)
    pairs = ((share, expected), (1 - share, 1 - expected))
    return abs(share - expected) > _SIGMAS * chance and any(
        max(pair) > _FACTOR * min(pair) for pair in pairs
    )
