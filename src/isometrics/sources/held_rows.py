"""Rows held as long as they are needed: tables are counted from them, and intervals need them."""

from __future__ import annotations

from contextlib import ExitStack, closing
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from isometrics._core.sample import Sample
from isometrics._table.building import table_of_sample
from isometrics.errors import Advice, ParameterError
from isometrics.points import OperatingPoints
from isometrics.points.models import BYTES_OF_AN_ENTRY, GroupTables, count_groups
from isometrics.sources.memory_limit import limit_for
from isometrics.sources.score_ranges import BYTES_OF_A_KEY, ScoreRanges
from isometrics.sources.sorted_rows import BYTES_OF_A_ROW, SortedRows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from isometrics.sources.batches import Source
    from isometrics.sources.column_roles import Layout

    Progress = Callable[[int, int | None], None]

_BYTES_OF_A_LABEL, _BYTES_OF_A_WEIGHT, _BYTES_OF_A_GROUP = 1, 8, 4
_JOINING = 2
"""Rows are joined once at the end, and stand twice in memory for a moment."""
_BYTES_IN_GROUPS = 32
"""What a row takes beside that in the tables of its groups."""
_BYTES_OF_A_TABLE = 8_000
"""What the table of one model in one group takes until its numbers are printed, measured."""
_MOST_PASSES = 8
"""Rows that take more passes are sorted on disk."""
_SHARE_OF_ROWS_UNASKED_FOR = 4
"""Rows that nobody asked for may fill this part of the memory that the tables may fill."""

_TOO_MANY = "they do not fit into the memory limit beside the tables; raise memory_limit="
_NOT_WANTED = "keep_rows=False was given"
NOT_SHARED = "each model has rows of its own"
MANY_ROWS = "there are more than keep_rows= allows"


class FinishedRows(NamedTuple):
    """What is left of all rows."""

    groups: GroupTables
    rows: dict[str, Sample]
    """The rows that are kept, by class; those of models that share their labels are under the name
    of the first."""
    reason: str
    """Why no rows are kept."""
    note: str
    """What there is to say about groups that did not fit into memory."""


class HeldRows:
    """The rows of all batches, from which tables are counted, and which intervals may need.

    Rows whose tables do not fit into memory are moved to the disk.

    Parameters
    ----------
    layout
        Which column is what.
    budget
        The bytes of memory to stay within.
    keep_rows
        Which rows are kept for intervals; see `read_predictions`.
    counted
        Whether tables are counted from these rows; else they are held for intervals alone.
    source
        Where the rows come from, which may be read again.
    """

    def __init__(
        self,
        layout: Layout,
        budget: int,
        keep_rows: bool | int | str | None = None,
        *,
        counted: bool,
        source: Source | None = None,
    ) -> None:
        self._layout = layout
        self._grouped = layout.group is not None
        self._budget = budget
        self._counted = counted
        self._batches: dict[tuple[str, ...], list[Sample]] = {}
        self._samples: list[Sample] = []
        self._models: dict[str, None] = {}
        self._nbytes = self._rows = self._scores = self._groups = self._needed = 0
        self._source = source
        self._moved: SortedRows | ScoreRanges | None = None
        """What counts the tables where they do not fit."""
        self._finished = False
        self._resources = ExitStack()
        self.close = self._resources.close
        """Remove what is on disk."""
        unasked_for = keep_rows is None or (isinstance(keep_rows, int) and keep_rows is not True)
        plain = len(layout.scores) == 1 and layout.weight is None and not self._grouped
        # The table of one model says how many rows of which class have which score, which is all.
        self._fit = keep_rows is True or not (keep_rows is False or layout.model or plain)
        self._reason = ""
        """Why no rows are kept, where intervals may need them."""
        if keep_rows is False:
            self._reason = _NOT_WANTED
        elif layout.model is not None and unasked_for:
            self._reason = NOT_SHARED
        elif layout.model is not None:
            raise ParameterError(
                "rows are kept to compare models on the same rows, so each model needs a column "
                "of its own"
            )
        self.required = self._fit and not unasked_for
        """Whether rows that do not fit are refused."""
        self._shortage: ParameterError | None = None
        self._room = budget if self.required else budget // _SHARE_OF_ROWS_UNASKED_FOR
        self._most_rows = keep_rows if unasked_for else None

    def foresee(self, schema: pa.Schema, rows: int) -> ParameterError | None:
        """Say that so many rows to be kept will not fit, with the limit under which they do."""
        layout, row_bytes = self._layout, 0
        for name in layout.scores.values():
            try:
                row_bytes += min(max(int(schema.field(name).type.bit_width) // 8, 1), 8)
            except ValueError:  # texts, and others of no fixed width
                row_bytes += 1
        # Each class has labels of its own, and is held with its weights and groups until the end.
        n_samples = len(layout.scores) if layout.multiclass else 1
        beside = _BYTES_OF_A_LABEL + _BYTES_OF_A_WEIGHT * (layout.weight is not None)
        beside += _BYTES_OF_A_GROUP * self._grouped
        needed = _JOINING * rows * (row_bytes + n_samples * beside)
        if needed > self._room:
            self._shortage = ParameterError(
                f"{rows:,} rows do not fit into the memory limit",
                Advice(
                    "raise {memory_limit} to {}, or do without intervals, which need all rows",
                    limit_for(needed),
                ),
            )
        return self._shortage

    def append(self, samples: Sequence[Sample]) -> None:
        """Hold the rows of a batch; those of all classes are the same rows.

        In later passes they are counted, where tables do not fit.
        """
        if not self._finished:
            self._hold(samples)
        elif self._moved is not None:
            for sample in samples:
                self._moved.append(sample)

    def _hold(self, samples: Sequence[Sample]) -> None:
        self._rows += max((sample.size for sample in samples), default=0)
        for sample in samples:
            self._models |= dict.fromkeys(sample.scores)
            self._scores += sample.size * len(sample.scores)
            if sample.groups is not None:
                self._groups = len(sample.groups.names)
            if self._moved is not None:
                self._moved.append(sample)
            if self._fit or (self._counted and self._moved is None):
                self._batches.setdefault(tuple(sample.scores), []).append(sample)
            if self._fit:
                self._nbytes += sample.nbytes
        tables = self._groups * len(self._models)
        # What the tables of all rows take, and what building them takes.
        self._needed = self._scores * (BYTES_OF_A_ROW + _BYTES_IN_GROUPS * self._grouped)
        self._needed += tables * _BYTES_OF_A_TABLE
        if self._counted and self._moved is None and self._needed > self._budget:
            self._moved = self._ranges()
            if self._moved is None:
                self._moved = self._resources.enter_context(closing(SortedRows(self._budget)))
            for sample in chain.from_iterable(self._batches.values()):
                self._moved.append(sample)
            if not self._fit:
                self._batches.clear()
        needed = tables * BYTES_OF_AN_ENTRY
        if self._moved is not None and needed > self._budget:
            raise ParameterError(
                f"the names of {self._groups} groups and more do not fit into the memory limit",
                Advice("raise {memory_limit} above {}, or leave the groups out", limit_for(needed)),
            )
        if self._fit:
            self._check_kept()

    def _ranges(self) -> ScoreRanges | None:
        """Return what counts rows in several passes, where these take less time than the disk."""
        layout, source = self._layout, self._source
        rows = source.rows if source is not None and source.reads_fast else None
        if rows is None or self._grouped or layout.weight is not None or layout.model is not None:
            return None
        models = len(layout.scores)
        # Rows that are kept for intervals may fill as much.
        room = self._budget // (2 if self._fit else 1)
        if rows * models * BYTES_OF_A_KEY > _MOST_PASSES * room:
            return None
        return ScoreRanges(room, rows, models)

    def _check_kept(self) -> None:
        many = isinstance(self._most_rows, int) and self._rows > self._most_rows
        if _JOINING * self._nbytes <= self._room and not many:
            return
        if self.required:
            # Of the rows that were read so far, a limit would not do for the rest.
            raise self._shortage or ParameterError(
                "the rows do not fit into the memory limit",
                Advice(
                    "raise {memory_limit} above {}, or do without intervals, which need all rows",
                    limit_for(_JOINING * self._nbytes),
                ),
            )
        self._fit = False
        self._reason = MANY_ROWS if many else _TOO_MANY
        if not self._counted or self._moved is not None:
            self._batches.clear()

    def finish(self, models: Sequence[str], progress: Progress | None = None) -> FinishedRows:
        """Return the tables of groups, and the rows that are kept.

        Groups have their models in the given order; `progress` is told of the rows of groups that
        are counted.
        """
        self._finished = True
        for names in sorted(self._batches, key=lambda names: models.index(names[0])):
            if batches := self._batches.pop(names):
                self._samples.append(Sample.joined(batches))
                batches.clear()
        tables, note = GroupTables({}, {}), ""
        if isinstance(self._moved, SortedRows) and self._grouped:
            enough = limit_for(self._needed)
            tables, note = self._moved.group_tables(models, self._layout.label, enough, progress)
        elif self._grouped:
            tables = count_groups(self._samples, progress)
        if not self._fit:
            return FinishedRows(tables, {}, self._reason, note)
        rows = {next(iter(sample.scores)): sample for sample in self._samples}
        return FinishedRows(tables, rows, "", note)

    def end_pass(self) -> bool:
        """End a pass; tell whether another one is needed."""
        if isinstance(self._moved, ScoreRanges):
            return self._moved.end_pass(limit_for(self._needed))
        return False

    def points(self, model: str) -> OperatingPoints:
        """Return the table of all rows of a model, once they are finished."""
        if self._moved is not None:
            return self._moved.points(model, self._layout.label, limit_for(self._needed))
        (sample,) = (each for each in self._samples if model in each.scores)
        return OperatingPoints(table_of_sample(sample.of_model(model), counted=self._layout.label))
