"""`isometrics apply`: flag the rows of a new file by a rule that was saved."""

from __future__ import annotations

import math
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from isometrics.cli.options import ANSWERS, Answers, EscapeFormulas, File, Target, readable
from isometrics.cli.output import Meter, answer, note, plain
from isometrics.cli.row_copies import (
    RowCopy,
    check_expected_column,
    check_named_column,
    check_numeric,
    refuse_overwriting,
)
from isometrics.cli.table_files import writer_for
from isometrics.errors import Advice, ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

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
        refuse_overwriting(output, rule, "the rule itself")
    elif answers.json:
        raise ParameterError("--json tells what was written to a file; name one with -o")
    decision = load_decision(rule)
    opened = open_source(file, memory_limit, writing=Writing.of(decimal, header))
    with closing(opened) as source:
        flagging = _Flagging(decision, source, scores, readable(column))
        with Meter("flagging", quiet=answers.quiet) as meter:
            flagging.copy.write(output, flagging.flags, meter, escape_formulas=escape_formulas)
    _tell(flagging, output, answers)


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
        self.column = column
        self.scores = _score_column(decision, source, scores)
        self.model_column = decision.model_column if decision.model_column in names else None
        self.copy = RowCopy(source, [self.scores], [pa.field(column, pa.bool_())])
        self.flagged = 0

    def flags(self, batch: pa.RecordBatch) -> list[pa.Array]:
        """Return which rows of a batch are flagged, as the new column."""
        import pyarrow as pa

        if self.model_column is not None:
            self._refuse_other_models(batch.column(self.model_column))
        flags = self.decision.predict(self.copy.scores(batch, self.scores))
        self.flagged += int(flags.sum())
        return [pa.array(flags)]

    def _refuse_other_models(self, column: pa.Array) -> None:
        import numpy as np

        from isometrics.sources.arrow import codes

        row_codes, models = codes(column)
        # The last one is that of code -1, which is null.
        other = np.array([str(model) != self.decision.model for model in models] + [True])
        if other[row_codes].any():
            raise ParameterError(
                f"the rule is for the model {self.decision.model!r}, but {self.model_column!r} "
                f"names another one {self.copy.row_location(other[row_codes])}; keep the rows of "
                "one model"
            )

    @property
    def rows(self) -> int:
        """The rows so far, flagged or not."""
        return self.copy.n_rows

    @property
    def share(self) -> float:
        """The share of the rows that is flagged; NaN without rows."""
        return self.flagged / self.rows if self.rows else math.nan


def _score_column(decision: Decision, source: Source, scores: str | None) -> str:
    chosen = next((name for name in (scores, decision.scores, decision.model) if name), None)
    advice = Advice("say which one holds the scores with {scores}")
    if chosen is None:
        raise ParameterError("the rule names no column", advice)
    if scores is not None:
        check_named_column(chosen, source, "scores")
    check_expected_column(chosen, source, "the rule", advice)
    check_numeric(chosen, source)
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
        note(f"flagged {flagging.flagged:,} of {flagging.rows:,} rows{_shares(share, expected)}")
    if _differs(share, expected, flagging.rows):
        note(
            f"Beware: {_percent(share)} is far from {_percent(expected)}; look whether these are "
            "the same scores on the same scale, or choose a threshold on newer data"
        )


def _shares(share: float, expected: float) -> str:
    """Say which share of the rows is flagged; without rows there is none."""
    if math.isnan(share):
        return ""
    compared = "" if math.isnan(expected) else f", {_percent(expected)} where it was chosen"
    return f" ({_percent(share)}{compared})"


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
