"""Batches of a source validated as the whole would be: the same rules, the same sentences."""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics._core.arrays import ALL_DROPPED, MISSING, Column, RowNumbers, offence
from isometrics._core.labels import Classes, is_positive_word
from isometrics._core.rows import Dropped, weights_of
from isometrics._core.sample import GroupNames, Sample
from isometrics.errors import (
    Advice,
    EmptyInputError,
    LabelError,
    MissingValueError,
    ParameterError,
    ScoreError,
    WeightError,
)
from isometrics.sources.batches import (
    MOST_LINES,
    NUMERIC,
    can_name,
    codes,
    columns_of,
    kind_of,
    listed_lines,
    numbers,
)
from isometrics.sources.written_numbers import advice_about

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts
    from isometrics.errors import InputError, IsometricsError
    from isometrics.sources.batches import Line, Source
    from isometrics.sources.column_roles import Layout

NOT_NUMBERS = "values that are not real numbers of 64 bits"
WRITTEN_AS_TEXT = "numbers that are written as text"
_LEAVE_OUT = Advice("leave such rows out, or give them a score")


def as_column(name: str, values: pa.Array, rows: RowNumbers, *, coded: bool = False) -> Column:
    """Return a column of a batch: numbers as they are, texts as codes; all as codes if asked."""
    if kind_of(values.type) in NUMERIC and not coded:
        return Column(name, *numbers(values), rows)
    row_codes, categories = codes(values)
    missing = row_codes < 0
    return Column(name, row_codes, missing if missing.any() else None, rows, categories)


class Problem(NamedTuple):
    """Values of a column that cannot be used for one reason."""

    error: type[InputError]
    column: str
    what: str
    n_values: int
    positions: tuple[int, ...]
    """Of the first ones, as far as they are known."""
    advice: Advice | None = None

    def as_error(
        self, lines: Mapping[int, Line] | None = None, name: str = "line"
    ) -> IsometricsError:
        """Return the error, which names lines where they are known, else the first position."""
        first = self.positions[0] if self.positions else None
        if not lines or first is None:
            return self.error(offence(self.column, self.what, self.n_values, first), self.advice)
        listed = listed_lines([lines[position] for position in self.positions], name)
        where = f"the first on {listed}" if self.n_values > len(self.positions) else f"on {listed}"
        return self.error(
            f"{self.column} has {self.what}: {self.n_values} in all, {where}", self.advice
        )


def together(problems: Sequence[Problem | IsometricsError], source: Source) -> IsometricsError:
    """Return one error that says all that is wrong with the values of a source, and on which lines.

    It has the class of the first one. Those about a parameter are left out where others are about
    the data.
    """
    found = [problem for problem in problems if isinstance(problem, Problem)]
    positions = {position for problem in found for position in problem.positions}
    lines = source.lines(sorted(positions)) if positions else {}
    errors = [
        problem.as_error(lines, source.line_name) if isinstance(problem, Problem) else problem
        for problem in problems
    ]
    about_data = [error for error in errors if error.parameter is None] or list(errors[:1])
    if len(about_data) == 1:
        return about_data[0]
    advice = {error.advice.template: error.advice.values for error in about_data if error.advice}
    return type(about_data[0])(
        "; ".join(error.problem for error in about_data),
        Advice("; ".join(advice), *chain.from_iterable(advice.values())) if advice else None,
    )


class BadValues(dict[tuple[str, str], Problem]):
    """Values that cannot be used, by column and kind, counted over all batches."""

    def add(
        self,
        column: Column,
        bad: NDArray[np.bool_] | None,
        error: type[InputError],
        kind: str,
        *,
        example: str | None = None,
        advice: Advice | None = None,
    ) -> None:
        """Count the bad values of a batch, if there are any."""
        if bad is None or not bad.any():
            return
        rows = np.flatnonzero(bad)
        found = self._problem(column.name, error, kind, example)
        positions = found.positions
        new = map(column.rows.of, rows[: MOST_LINES - len(positions)])
        positions += tuple(position for position in new if position is not None)
        self[column.name, kind] = found._replace(
            n_values=found.n_values + rows.size, positions=positions, advice=found.advice or advice
        )

    def _problem(
        self, name: str, error: type[InputError], kind: str, example: str | None
    ) -> Problem:
        """Return what was found so far; the first bad value is the example."""
        what = kind if example is None else f"{kind}, such as {example!r}"
        return self.get((name, kind), Problem(error, name, what, 0, ()))

    def recount(self, name: str, count: int, error: type[InputError], kind: str) -> None:
        """Take over a count over all rows, of which only the first were looked at."""
        if count:
            self[name, kind] = self._problem(name, error, kind, None)._replace(n_values=count)

    def add_texts(self, column: Column, error: type[InputError], source: Source) -> None:
        """Count the texts of a batch that stand where numbers should."""
        categories = column.categories or []
        # The last one is that of code -1, which is null.
        strange = np.array([*(not source.is_number(text) for text in categories), False], np.bool_)
        for bad, kind in (
            (strange[column.values], NOT_NUMBERS),
            (column.values >= 0, WRITTEN_AS_TEXT),
        ):
            if bad.any():
                example = column.label(int(np.argmax(bad)))
                advice = advice_about(example, source.decimal) if kind == NOT_NUMBERS else None
                self.add(column, bad, error, kind, example=example, advice=advice)

    def of(self, name: str) -> list[Problem]:
        """Return what was found in a column; that numbers are texts, where nothing else was."""
        found = {kind: problem for (column, kind), problem in self.items() if column == name}
        as_text = found.pop(WRITTEN_AS_TEXT, None)
        return list(found.values()) or ([] if as_text is None else [as_text])


def refuse_texts(source: Source, column: str) -> None:
    """Refuse scores that are texts, and say which ones and where; without rows there are none."""
    found, n_rows = BadValues(), 0
    for batch in source.batches([column]):
        texts = as_column(column, batch.column(column), RowNumbers(n_rows), coded=True)
        n_rows += batch.num_rows
        found.add(texts, texts.null, MissingValueError, MISSING, advice=_LEAVE_OUT)
        found.add_texts(texts, ScoreError, source)
    if found:
        raise together(found.of(column), source)


class Cleaner:
    """Turns batches into samples; what is wrong is counted, and raised at the end.

    Zero-weight rows are absent. Once something is wrong, batches are only counted.
    """

    def __init__(self, layout: Layout, source: Source, *, drop_missing: bool = False) -> None:
        self.layout = layout
        self.dropped = Dropped() if drop_missing else None
        self._source = source
        self.classes = Classes(layout.label)
        self.names = {
            name: GroupNames(name) for name in (layout.model, layout.group) if name is not None
        }
        """The values of the columns of models and groups."""
        self.found = BadValues()
        self.positive_label: object = None
        """The positive label; known in the end."""
        self.rows = 0
        """The number of rows so far, those that are left out included."""
        self._kept = 0
        self._weight = 0.0
        # Columns whose types can never hold what they are to hold are refused at once.
        for name, error, accepted in (
            (layout.label, LabelError, "labels must be truth values, numbers or text"),
            *((name, ScoreError, "scores must be numbers") for name in layout.scores.values()),
            (layout.weight, WeightError, "weights must be numbers"),
        ):
            if name is not None and kind_of(dtype := source.schema.field(name).type) == "other":
                raise error(f"{name} holds {dtype} values; {accepted}")
        for name in self.names:
            if not can_name(dtype := source.schema.field(name).type):
                raise ParameterError(
                    f"{name} holds {dtype} values; models and groups must be named by texts, "
                    "numbers or times"
                )

    def samples(self, batch: pa.RecordBatch) -> list[Sample]:
        """Return the rows of a batch: models that share rows and labels are in one sample.

        Once anything in the source is wrong there are none.
        """
        layout, rows = self.layout, RowNumbers(self.rows)
        self.rows += batch.num_rows
        columns = {
            name: as_column(name, batch.column(name), rows, coded=name in self.names)
            for name in columns_of(layout)
        }
        weights, columns = self._present(columns)
        for name, column in columns.items():
            self._note_missing(column)
            if name in layout.scores.values() and column.categories is not None:
                self.found.add_texts(column, ScoreError, self._source)
        labels = columns[layout.label]
        self._kept += labels.values.size
        missing = labels.missing()
        self.classes.add(labels if missing is None else labels.take(np.flatnonzero(~missing)))
        if self.found:
            return []
        group_of = {name: each.groups_of(columns[name]) for name, each in self.names.items()}
        groups = None if layout.group is None else group_of[layout.group]
        positive = self.positive(labels)
        scores = {model: columns[name].values for model, name in layout.scores.items()}
        if layout.multiclass:
            return [
                Sample(positive[name], {name: values}, weights, groups)
                for name, values in scores.items()
            ]
        sample = Sample(positive[""], scores, weights, groups)
        if layout.model is None:
            return [sample]
        return [
            part._replace(scores={model: part.only_scores})
            for model, index in group_of[layout.model].row_index().items()
            for part in [sample.take(index)]
        ]

    def recount(self, rows: int, kept: int, weight: float) -> None:
        """Take over the numbers of all rows, of those of some weight, and the sum of weights."""
        self.rows, self._kept, self._weight = rows, kept, weight

    def finish(self) -> None:
        """Raise what is wrong with the sample, if anything.

        Of a source whose rows stand on lines, all problems are told together.
        """
        layout = self.layout
        all_dropped = self.dropped is not None and 0 < self.rows == self.dropped.rows
        problems: list[Problem | IsometricsError] = []
        if self.rows == 0:
            problems.append(EmptyInputError(f"{layout.label} is empty; at least one row is needed"))
        elif layout.weight is not None:
            problems += self.found.of(layout.weight)
            if math.isinf(self._weight):
                what = "adds up to infinity; divide it by its maximum"
                problems.append(WeightError(f"{layout.weight} {what}"))
            elif self._kept == 0 and not problems and not all_dropped:
                what = "is zero for every row; at least one weight must be > 0"
                problems.append(WeightError(f"{layout.weight} {what}"))
        if all_dropped:
            problems.append(MissingValueError(ALL_DROPPED))
        elif self.rows:
            problems += self.found.of(layout.label)
            if self.classes.surplus is not None and not layout.multiclass:
                what, count, position = self.classes.surplus
                positions = () if position is None else (position,)
                problems.append(Problem(LabelError, layout.label, what, count, positions))
            elif not layout.multiclass:
                try:
                    self.positive_label = self.classes.check(layout.pos_label)
                except LabelError as error:
                    problems.append(error)
            for name in (*layout.scores.values(), *self.names):
                problems += self.found.of(name)
        if problems:
            # Where rows have no lines, the first problem is the only one that is told.
            raise together(problems if self._source.has_lines else problems[:1], self._source)

    def positive(self, labels: Column) -> dict[str, NDArray[np.bool_]]:
        """Tell which labels are positive, for each model that has a class of its own, or ``""``.

        The classes of all batches may not be known yet.
        """
        if self.layout.multiclass:
            return {name: labels.equal(label) for name, label in self.layout.classes.items()}
        pos_label = self.layout.pos_label
        if pos_label is not None or labels.categories is None:
            return {"": labels.equal(1 if pos_label is None else pos_label)}
        is_positive = np.array([*map(is_positive_word, labels.categories), False], np.bool_)
        return {"": np.take(is_positive, labels.values)}

    def _present(self, columns: dict[str, Column]) -> tuple[Counts | None, dict[str, Column]]:
        """Leave out the rows of zero weight and, if asked for, those that miss a value."""
        weight = None if self.layout.weight is None else columns[self.layout.weight]
        if self.dropped is not None:
            complete = self.dropped.complete_rows(columns, weight)
            if complete is not None:
                columns = {name: each.take(complete) for name, each in columns.items()}
        if weight is None:
            return None, columns
        weight = columns.pop(weight.name)
        self._note_missing(weight)
        if weight.categories is not None:
            self.found.add_texts(weight, WeightError, self._source)
            return None, columns
        weights = weights_of(weight, self.found.add)
        if self.found.of(weight.name):
            return weights, columns
        with np.errstate(over="ignore"):
            self._weight += float(weights.sum())
        rows = np.flatnonzero(weights)
        if rows.size == weights.size:
            return weights, columns
        return weights[rows], {name: each.take(rows) for name, each in columns.items()}

    def _note_missing(self, column: Column) -> None:
        if (missing := column.missing()) is not None:
            advice = self._source.missing_advice(column.name)
            self.found.add(column, missing, MissingValueError, MISSING, advice=advice)
