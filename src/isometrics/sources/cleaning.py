"""Batches of a source validated as the whole would be: the same rules, the same sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import UNHOLDABLE
from isometrics._core.groups import GroupNames, Groups
from isometrics._core.labels import Positions
from isometrics._core.missing import ALL_DROPPED, MISSING, Dropped
from isometrics._core.sample import Sample
from isometrics.errors import (
    Advice,
    EmptyInputError,
    LabelError,
    MissingValueError,
    ParameterError,
    ScoreError,
    WeightError,
)
from isometrics.sources.arrow import (
    NUMERIC,
    can_name,
    codes,
    kind_of,
    missing_values,
    numbers,
    taken,
    unholdable,
)
from isometrics.sources.batches import columns_of
from isometrics.sources.labels import Labels
from isometrics.sources.problems import MOST_LINES, Problem, raise_together
from isometrics.sources.written_numbers import advice_about

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts
    from isometrics.errors import InputError, IsometricsError
    from isometrics.sources.batches import Source
    from isometrics.sources.columns import Layout

    Coded = tuple[NDArray[np.int32], list[Any]]
    """The codes of rows, and the values that they stand for."""

NOT_NUMBERS = "values that are not real numbers of 64 bits"
WRITTEN_AS_TEXT = "numbers that are written as text"
NEGATIVE, INFINITE, BEYOND = "negative values", "infinite values", "values of 2**63 or more"
LARGEST_WEIGHT = np.iinfo(np.int64).max
_LEAVE_OUT = Advice("leave such rows out, or give them a score")


class _Columns(NamedTuple):
    """The validated columns of one batch."""

    labels: dict[str, NDArray[np.bool_]]
    """The positive rows, for each model that has a class of its own; else under ``""``."""
    scores: dict[str, NDArray[Any]]
    weights: Counts | None
    models: Coded | None
    groups: Coded | None


class Offences:
    """Values that cannot be used, counted over all batches."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], _Offence] = {}

    def __bool__(self) -> bool:
        """Tell whether there are any."""
        return bool(self._found)

    def add(
        self,
        name: str,
        bad: NDArray[np.bool_] | None,
        error: type[InputError],
        kind: str,
        rows: Positions,
        *,
        example: str | None = None,
        advice: Advice | None = None,
    ) -> bool:
        """Count bad values at some positions of the sample; tell whether there are any."""
        if bad is None or not bad.any():
            return False
        before = self._found.get((name, kind), _Offence(error, (), example, advice))
        count = before.rows + int(np.count_nonzero(bad))
        first = before.first
        if len(first) < MOST_LINES:
            new = map(rows.of, np.flatnonzero(bad)[: MOST_LINES - len(first)])
            first += tuple(position for position in new if position is not None)
        self._found[name, kind] = before._replace(rows=count, first=first)
        return True

    def recount(
        self,
        name: str,
        count: int,
        error: type[InputError],
        kind: str,
        example: str | None = None,
    ) -> None:
        """Take over a count over all rows, of which only the first were looked at."""
        if count:
            before = self._found.get((name, kind), _Offence(error, (), example))
            self._found[name, kind] = before._replace(rows=count)

    def of(self, name: str) -> list[Problem]:
        """Return what was found in a column."""
        return [
            Problem(
                offence.error,
                name,
                kind if offence.example is None else f"{kind}, such as {offence.example!r}",
                offence.rows,
                offence.first,
                offence.advice,
            )
            for (column, kind), offence in self._found.items()
            if column == name
        ]


class _Offence(NamedTuple):
    """Values of one column that cannot be used for one reason."""

    error: type[InputError]
    first: tuple[int, ...]
    """The positions of the first ones, where they are known."""
    example: str | None
    """The first of the values, where it says something."""
    advice: Advice | None = None
    """What to do about them."""
    rows: int = 0


class _Texts:
    """Counts texts of a source that stand where numbers should.

    Those that are no numbers are counted in `offences`, and all of them in `as_text`.
    """

    def __init__(self, offences: Offences, as_text: Offences, source: Source) -> None:
        self._offences = offences
        self._as_text = as_text
        self._is_number = source.is_number
        self._decimal = source.decimal

    def add(self, name: str, coded: Coded, error: type[InputError], rows: Positions) -> None:
        """Count the texts of a batch."""
        row_codes, values = coded
        # The last one is that of code -1, which is null.
        strange = np.array([*(not self._is_number(text) for text in values), False], np.bool_)[
            row_codes
        ]
        for offences, bad, kind in (
            (self._offences, strange, NOT_NUMBERS),
            (self._as_text, row_codes >= 0, WRITTEN_AS_TEXT),
        ):
            if bad.any():
                example = values[row_codes[np.argmax(bad)]]
                advice = advice_about(example, self._decimal) if kind == NOT_NUMBERS else None
                offences.add(name, bad, error, kind, rows, example=example, advice=advice)


def refuse_texts(source: Source, column: str) -> None:
    """Refuse scores that are texts, and say which ones and where; without rows there are none."""
    offences, as_text = Offences(), Offences()
    texts = _Texts(offences, as_text, source)
    n_rows = 0
    for batch in source.batches([column]):
        rows, coded = Positions(n_rows), codes(batch.column(column))
        n_rows += batch.num_rows
        offences.add(column, coded[0] < 0, MissingValueError, MISSING, rows, advice=_LEAVE_OUT)
        texts.add(column, coded, ScoreError, rows)
    problems = offences.of(column) or as_text.of(column)
    raise_together(problems, source)


def _groups(coded: Coded, names: GroupNames) -> Groups:
    """Return the groups of rows whose codes point into the values of one batch."""
    codes, values = coded
    return Groups(names.encode(values).astype(np.int32)[codes], names)


class Cleaner:
    """Turns batches into samples; what is wrong is counted, and raised at the end.

    Zero-weight rows are absent. Once something is wrong, batches are only counted.
    """

    def __init__(
        self,
        layout: Layout,
        source: Source,
        *,
        drop_missing: bool = False,
    ) -> None:
        self.layout = layout
        self.dropped = Dropped() if drop_missing else None
        self._source = source
        schema = source.schema
        self.labels = Labels(layout.label, schema.field(layout.label).type)
        self.models = GroupNames(layout.model or "")
        self.groups = GroupNames(layout.group or "")
        self.offences = Offences()
        self.as_text = Offences()
        self._texts_found = _Texts(self.offences, self.as_text, source)
        self.positive_label: object = None
        """The positive label; known in the end."""
        self._rows = 0
        self._kept = 0
        self._weight = 0.0
        for name in (*layout.scores.values(), layout.weight):
            if name is not None and kind_of(dtype := schema.field(name).type) == "other":
                error = WeightError if name == layout.weight else ScoreError
                what = "weights" if name == layout.weight else "scores"
                raise error(f"{name} holds {dtype} values; {what} must be numbers")
        for name in (layout.model, layout.group):
            if name is not None and not can_name(dtype := schema.field(name).type):
                raise ParameterError(
                    f"{name} holds {dtype} values; models and groups must be named by texts, "
                    "numbers or times"
                )

    def samples(self, batch: pa.RecordBatch) -> list[Sample]:
        """Return the rows of a batch: models that share rows and labels are in one sample.

        Once anything in the source is wrong there are none.
        """
        columns = self.validate(batch)
        if columns is None:
            return []
        labels, scores, weights, models, groups = columns
        grouped = None if groups is None else _groups(groups, self.groups)
        if self.layout.multiclass:
            return [
                Sample(labels[name], {name: values}, weights, grouped)
                for name, values in scores.items()
            ]
        sample = Sample(labels[""], scores, weights, grouped)
        if models is None:
            return [sample]
        return [
            Sample(part.labels, {model: part.only_scores}, part.weights, part.groups)
            for model, rows in _groups(models, self.models).row_index().items()
            for part in [sample.take(rows)]
        ]

    def validate(self, batch: pa.RecordBatch) -> _Columns | None:
        """Validate the columns of a batch; None once anything in the source is wrong."""
        rows = Positions(self._rows)
        self._rows += batch.num_rows
        if self.dropped is not None:
            batch, rows = self._complete(batch, rows, self.dropped)
        weights, batch, rows = self._present(batch, rows)
        self._kept += batch.num_rows
        labels = self._positive(batch.column(self.layout.label), rows)
        scores = {
            model: self._scores(name, batch.column(name), rows)
            for model, name in self.layout.scores.items()
        }
        models, groups = (
            None if name is None else self._coded(name, batch.column(name), rows)
            for name in (self.layout.model, self.layout.group)
        )
        if self.offences or self.as_text:
            return None
        return _Columns(labels, scores, weights, models, groups)

    def recount(self, rows: int, kept: int, weight: float) -> None:
        """Take over the numbers of all rows, of those of some weight, and the sum of weights."""
        self._rows, self._kept, self._weight = rows, kept, weight

    @property
    def rows(self) -> int:
        """The number of rows so far, those that are left out included."""
        return self._rows

    def finish(self) -> None:
        """Raise what is wrong with the sample, if anything.

        Of a source whose rows stand on lines, all problems are told together.
        """
        problems = self.problems()
        first = next(problems, None)
        # Where rows have no lines, the first problem is the only one that is told.
        rest = problems if self._source.has_lines else ()
        raise_together([] if first is None else [first, *rest], self._source)

    @property
    def positive_word(self) -> object:
        """The positive label, where labels such as yes and no told it; else None."""
        chosen = self.layout.pos_label is None and isinstance(self.positive_label, str)
        return self.positive_label if chosen else None

    def problems(self) -> Iterator[Problem | IsometricsError]:
        """Yield what is wrong with weights, labels, scores, models and groups."""
        layout = self.layout
        yield from self._of_weights()
        if self._rows == 0 or self._all_dropped:
            return
        yield from self.offences.of(layout.label)
        if not layout.multiclass:
            if self.labels.surplus is not None:
                what, count, position = self.labels.surplus
                yield Problem(
                    LabelError, layout.label, what, count, () if position is None else (position,)
                )
            else:
                try:
                    self.positive_label = self.labels.check(layout.pos_label)
                except LabelError as error:
                    yield error
        for name in (*layout.scores.values(), layout.model, layout.group):
            if name is not None:
                yield from self._of_column(name)

    def finish_weights(self) -> None:
        """Raise what is wrong with the weights, if anything, and where there are no rows."""
        for problem in self._of_weights():
            raise problem.as_error() if isinstance(problem, Problem) else problem

    def _of_weights(self) -> Iterator[Problem | IsometricsError]:
        name = self.layout.weight
        if self._rows == 0:
            yield EmptyInputError(f"{self.layout.label} is empty; at least one row is needed")
        elif name is not None:
            wrong = self._of_column(name)
            yield from wrong
            if math.isinf(self._weight):
                yield WeightError(f"{name} adds up to infinity; divide it by its maximum")
            elif self._kept == 0 and not wrong and not self._all_dropped:
                yield WeightError(f"{name} is zero for every row; at least one weight must be > 0")

        if self._all_dropped:
            yield MissingValueError(ALL_DROPPED)

    @property
    def _all_dropped(self) -> bool:
        return self.dropped is not None and 0 < self._rows == self.dropped.rows

    def _add_missing(self, name: str, missing: NDArray[np.bool_] | None, rows: Positions) -> bool:
        advice = None if missing is None else self._source.missing_advice(name)
        return self.offences.add(name, missing, MissingValueError, MISSING, rows, advice=advice)

    def _of_column(self, name: str) -> list[Problem]:
        return self.offences.of(name) or self.as_text.of(name)

    def _complete(
        self, batch: pa.RecordBatch, rows: Positions, dropped: Dropped
    ) -> tuple[pa.RecordBatch, Positions]:
        """Leave out the rows that miss a value in any column that is used."""
        missing = {
            name: mask
            for name in columns_of(self.layout)
            if (mask := missing_values(batch.column(name))) is not None
        }
        if not missing:
            return batch, rows
        weight = self.layout.weight
        if weight is not None and kind_of(batch.column(weight).type) in NUMERIC:
            # A row of weight 0 is absent, whatever it misses.
            values, unknown = numbers(batch.column(weight))
            present = (values != 0) if unknown is None else (values != 0) | unknown
            missing = {name: mask & present for name, mask in missing.items()}
        incomplete = np.logical_or.reduce(list(missing.values()))
        for name, mask in missing.items():
            dropped.columns[name] += int(np.count_nonzero(mask))
        dropped.rows += int(np.count_nonzero(incomplete))
        kept = np.flatnonzero(~incomplete)
        return taken(batch, kept), rows.take(kept)

    def _present(
        self, batch: pa.RecordBatch, rows: Positions
    ) -> tuple[Counts | None, pa.RecordBatch, Positions]:
        """Leave out the rows of zero weight."""
        name = self.layout.weight
        if name is None:
            return None, batch, rows
        column = batch.column(name)
        if kind_of(column.type) not in NUMERIC:
            self._texts(name, column, rows, WeightError)
            return None, batch, rows
        values, missing = numbers(column)
        whole = values.dtype.kind in "bui"
        weights: Counts = values.astype(np.int64 if whole else np.float64)
        beyond = values > LARGEST_WEIGHT if whole else None
        bad = [
            self._add_missing(name, missing, rows),
            self.offences.add(name, unholdable(column), WeightError, UNHOLDABLE, rows),
            self.offences.add(name, beyond, WeightError, BEYOND, rows),
            self.offences.add(name, values < 0, WeightError, NEGATIVE, rows),
            self.offences.add(name, np.isinf(values), WeightError, INFINITE, rows),
        ]
        if any(bad):
            return weights, batch, rows
        with np.errstate(over="ignore"):
            self._weight += float(weights.sum())
        kept = np.flatnonzero(weights)
        if kept.size == weights.size:
            return weights, batch, rows
        return weights[kept], taken(batch, kept), rows.take(kept)

    def _positive(self, column: pa.Array, rows: Positions) -> dict[str, NDArray[np.bool_]]:
        values, missing = self.labels.read(column)
        if self._add_missing(self.layout.label, missing, rows) and missing is not None:
            present = np.flatnonzero(~missing)
            self.labels.remember(values[present], rows.take(present))
            return {}
        self.offences.add(self.layout.label, unholdable(column), LabelError, UNHOLDABLE, rows)
        self.labels.remember(values, rows)
        return self.positive(values)

    def positive(self, values: NDArray[Any]) -> dict[str, NDArray[np.bool_]]:
        """Tell which labels are positive, for each model that has a class of its own, or ``""``."""
        if self.layout.multiclass:
            classes = self.layout.classes
            return {name: self.labels.equal(values, label) for name, label in classes.items()}
        return {"": self.labels.positive(values, self.layout.pos_label)}

    def _scores(self, name: str, column: pa.Array, rows: Positions) -> NDArray[Any]:
        if kind_of(column.type) == "string":
            return self._texts(name, column, rows, ScoreError)
        values, missing = numbers(column)
        self._add_missing(name, missing, rows)
        self.offences.add(name, unholdable(column), ScoreError, UNHOLDABLE, rows)
        return values

    def _texts(
        self, name: str, column: pa.Array, rows: Positions, error: type[InputError]
    ) -> NDArray[Any]:
        """Refuse texts; where some are numbers, those that are not are named."""
        coded = codes(column)
        self._add_missing(name, coded[0] < 0, rows)
        self._texts_found.add(name, coded, error, rows)
        return np.zeros(coded[0].size)

    def _coded(self, name: str, column: pa.Array, rows: Positions) -> Coded:
        row_codes, values = codes(column)
        self._add_missing(name, row_codes < 0, rows)
        return row_codes, values
