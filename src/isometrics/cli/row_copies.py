"""Rows of a file that are copied with new columns, which are computed from columns of scores."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isometrics.cli.output import free_name, note
from isometrics.cli.table_files import is_text, write_batches
from isometrics.errors import MissingValueError, ParameterError, ScoreError, redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from isometrics.cli.output import Meter
    from isometrics.errors import Advice
    from isometrics.sources.batches import Source

    Compute = Callable[[pa.RecordBatch], Sequence[pa.Array]]


def check_named_column(column: str, source: Source, parameter: str) -> None:
    """Refuse a column that the user named with a parameter, and that the file does not have."""
    if column not in source.schema.names:
        raise ParameterError(
            f"is {column!r}, which is no column of {source.name!r}; "
            f"{_columns_instead(column, source)}",
            parameter=parameter,
        )


def check_expected_column(column: str, source: Source, what: str, advice: Advice) -> None:
    """Refuse a file without the column that a rule or a map was made for."""
    if column not in source.schema.names:
        raise ParameterError(
            f"{source.name!r} has no column {column!r}, which {what} is for; "
            f"{_columns_instead(column, source)}",
            advice,
        )


def _columns_instead(column: str, source: Source) -> str:
    """Return which column may be meant, or which ones there are."""
    from isometrics._core.results import several

    names = source.schema.names
    near = get_close_matches(column, names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"it has {several(names)}"


def tell_of_order(source: Source) -> None:
    """Say where the rows that are written may come in another order than they are kept in."""
    if not source.ordered:
        note(f"the rows of {redacted(source.name)!r} have no order; name them by a column")


def check_numeric(column: str, source: Source) -> None:
    """Refuse a column of scores that are no numbers; of a file without rows, nobody knows."""
    from isometrics.sources.arrow import NUMERIC, kind_of
    from isometrics.sources.cleaning import refuse_texts

    source.settle([column], [column])
    dtype = source.schema.field(column).type
    if kind_of(dtype) == "string":
        refuse_texts(source, column)
    elif kind_of(dtype) not in NUMERIC:
        raise ScoreError(f"{column} holds {dtype} values; scores must be numbers")


def refuse_overwriting(output: str, file: str, what: str) -> None:
    """Refuse to write rows over the rule or the map that they are made by."""
    if Path(output).exists() and Path(file).exists() and Path(output).samefile(file):
        raise ParameterError(
            f"is {output!r}, which is {what}; write the rows to another file", parameter="output"
        )


class RowCopy:
    """The rows of a source, which are written with new columns.

    Parameters
    ----------
    source
        The rows.
    score_columns
        The columns that are read as numbers; they are copied, too.
    added
        The new columns, which come last.
    """

    def __init__(
        self, source: Source, score_columns: Sequence[str], added: Sequence[pa.Field]
    ) -> None:
        self._source = source
        self._added = added
        # Where texts are kept, the numbers have columns of their own, which are not written.
        self._number_columns = {column: column for column in score_columns}
        self.n_rows = 0
        """The rows of the batches that were copied so far."""

    def write(self, output: str, compute: Compute, meter: Meter, *, escape_formulas: bool) -> None:
        """Write the rows to a file, with the new columns that `compute` returns of a batch."""
        import pyarrow as pa

        from isometrics.sources.problems import raise_together

        names = self._source.schema.names
        if not (is_text(output) and self._keep_texts()):
            self._source.settle(names, names)
        raise_together([], self._source)
        tell_of_order(self._source)
        copied = [self._source.schema.field(name) for name in names]
        schema = pa.schema([*copied, *self._added])
        batches = self._batches(names, schema, compute, meter)
        write_batches(schema, batches, output, escape_formulas=escape_formulas)

    def _keep_texts(self) -> bool:
        """Let the columns of CSV files be written as they are there: 0.10, NA, yes."""
        names = self._source.schema.names
        others = {column: free_name(column, names) for column in self._number_columns}
        kept = self._source.keep_texts(others)
        if kept:
            self._number_columns = others
        return kept

    def _batches(
        self, names: Sequence[str], schema: pa.Schema, compute: Compute, meter: Meter
    ) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in self._source.batches(self._source.schema.names):
            added = compute(batch)
            self.n_rows += batch.num_rows
            meter(self.n_rows, self._source.rows)
            copied = [batch.column(name) for name in names]
            yield pa.record_batch([*copied, *added], schema=schema)

    def scores(self, batch: pa.RecordBatch, column: str) -> NDArray[Any]:
        """Return scores of a batch as numbers; missing and inexact ones are refused."""
        from isometrics._core.arrays import UNHOLDABLE
        from isometrics.sources.arrow import numbers, unholdable

        values = batch.column(self._number_columns[column])
        scores, missing = numbers(values)
        if missing is not None:
            raise MissingValueError(
                f"{column!r} has missing values, the first {self.row_location(missing)}; leave "
                "such rows out, or give them a score"
            )
        inexact = unholdable(values)
        if inexact is not None and inexact.any():
            raise ScoreError(f"{column!r} has {UNHOLDABLE} {self.row_location(inexact)}")
        return scores

    def row_location(self, offending: NDArray[np.bool_]) -> str:
        """Say where the first offending row of a batch is: on a line, where rows have lines."""
        from isometrics.sources.problems import listed_lines

        position = self.n_rows + int(offending.argmax())
        lines = self._source.lines([position])
        if not lines:
            return f"in row {position + 1}"
        return f"on {listed_lines(lines.values(), self._source.line_name)}"
