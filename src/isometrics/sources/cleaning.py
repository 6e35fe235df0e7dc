"""Batches of a source validated as the whole would be: the same rules, the same sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import UNHOLDABLE, offence
from isometrics._core.groups import GroupNames, Groups
from isometrics._core.labels import Positions
from isometrics._core.missing import MISSING
from isometrics._core.sample import Sample
from isometrics.errors import (
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
    is_number,
    kind_of,
    numbers,
    taken,
    unholdable,
)
from isometrics.sources.labels import Labels

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts
    from isometrics.errors import InputError
    from isometrics.sources.columns import Layout

    Coded = tuple[NDArray[np.int32], list[Any]]
    """The codes of rows, and the values that they stand for."""

NOT_NUMBERS = "values that are not real numbers of 64 bits"
WRITTEN_AS_TEXT = "numbers that are written as text"
NEGATIVE, INFINITE, BEYOND = "negative values", "infinite values", "values of 2**63 or more"
LARGEST_WEIGHT = np.iinfo(np.int64).max


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
    ) -> bool:
        """Count bad values at some positions of the sample; tell whether there are any."""
        if bad is None or not bad.any():
            return False
        before = self._found.get((name, kind), _Offence(error, rows.of(np.argmax(bad)), example))
        count = before.rows + int(np.count_nonzero(bad))
        self._found[name, kind] = before._replace(rows=count)
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
            before = self._found.get((name, kind), _Offence(error, None, example))
            self._found[name, kind] = before._replace(rows=count)

    def raise_of(self, name: str) -> None:
        """Raise the first kind of offence found in a column, if there is one."""
        for (column, kind), found in self._found.items():
            if column == name:
                example = "" if found.example is None else f", such as {found.example!r}"
                raise found.error(offence(name, f"{kind}{example}", found.rows, found.first))


class _Offence(NamedTuple):
    """Values of one column that cannot be used for one reason."""

    error: type[InputError]
    first: int | None
    """The position of the first one, where it is known."""
    example: str | None
    """The first of the values, where it says something."""
    rows: int = 0


def _groups(coded: Coded, names: GroupNames) -> Groups:
    """Return the groups of rows whose codes point into the values of one batch."""
    codes, values = coded
    return Groups(names.encode(values).astype(np.int32)[codes], names)


class Cleaner:
    """Turns batches into samples; what is wrong is counted, and raised at the end.

    Zero-weight rows are absent. Once something is wrong, batches are only counted.
    """

    def __init__(self, layout: Layout, schema: pa.Schema) -> None:
        self.layout = layout
        self.labels = Labels(layout.label, schema.field(layout.label).type)
        self.models = GroupNames(layout.model or "")
        self.groups = GroupNames(layout.group or "")
        self.offences = Offences()
        self.as_text = Offences()
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
        start, self._rows = self._rows, self._rows + batch.num_rows
        weights, batch, rows = self._present(batch, Positions(start))
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

    def finish(self) -> None:
        """Raise what is wrong with the sample, if anything."""
        layout = self.layout
        self.finish_weights()
        self.offences.raise_of(layout.label)
        if not layout.multiclass:
            self.labels.check(layout.pos_label)
        for name in (*layout.scores.values(), layout.model, layout.group):
            if name is not None:
                self._raise_of(name)

    def finish_weights(self) -> None:
        """Raise what is wrong with the weights, if anything, and where there are no rows."""
        name = self.layout.weight
        if self._rows == 0:
            raise EmptyInputError(f"{self.layout.label} is empty; at least one row is needed")
        if name is not None:
            self._raise_of(name)
            if math.isinf(self._weight):
                raise WeightError(f"{name} adds up to infinity; divide it by its maximum")
            if self._kept == 0:
                raise WeightError(f"{name} is zero for every row; at least one weight must be > 0")

    def _raise_of(self, name: str) -> None:
        self.offences.raise_of(name)
        self.as_text.raise_of(name)

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
            self.offences.add(name, missing, MissingValueError, MISSING, rows),
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
        return weights[kept], taken(batch, kept), rows._replace(kept=kept)

    def _positive(self, column: pa.Array, rows: Positions) -> dict[str, NDArray[np.bool_]]:
        values, missing = self.labels.read(column)
        if self.offences.add(self.layout.label, missing, MissingValueError, MISSING, rows):
            return {}
        self.offences.add(self.layout.label, unholdable(column), LabelError, UNHOLDABLE, rows)
        self.labels.remember(values, rows)
        return self.positive(values)

    def positive(self, values: NDArray[Any]) -> dict[str, NDArray[np.bool_]]:
        """Tell which labels are positive, for each model that has a class of its own, or ``""``."""
        if self.layout.multiclass:
            classes = self.layout.classes
            return {name: self.labels.equal(values, label) for name, label in classes.items()}
        wanted = 1 if self.layout.pos_label is None else self.layout.pos_label
        return {"": self.labels.equal(values, wanted)}

    def _scores(self, name: str, column: pa.Array, rows: Positions) -> NDArray[Any]:
        if kind_of(column.type) == "string":
            return self._texts(name, column, rows, ScoreError)
        values, missing = numbers(column)
        self.offences.add(name, missing, MissingValueError, MISSING, rows)
        self.offences.add(name, unholdable(column), ScoreError, UNHOLDABLE, rows)
        return values

    def _texts(
        self, name: str, column: pa.Array, rows: Positions, error: type[InputError]
    ) -> NDArray[Any]:
        """Refuse texts; where some are numbers, those that are not are named."""
        found, distinct = codes(column)
        self.offences.add(name, found < 0, MissingValueError, MISSING, rows)
        strange = np.array([*(not is_number(text) for text in distinct), False], np.bool_)[found]
        for offences, bad, kind in (
            (self.offences, strange, NOT_NUMBERS),
            (self.as_text, found >= 0, WRITTEN_AS_TEXT),
        ):
            if bad.any():
                example = distinct[found[np.argmax(bad)]]
                offences.add(name, bad, error, kind, rows, example=example)
        return np.zeros(found.size)

    def _coded(self, name: str, column: pa.Array, rows: Positions) -> Coded:
        found, distinct = codes(column)
        self.offences.add(name, found < 0, MissingValueError, MISSING, rows)
        return found, distinct
