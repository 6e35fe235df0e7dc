"""Rows held as long as they are needed: groups are counted from them, and intervals need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from isometrics._core.sample import Sample
from isometrics.errors import Advice, ParameterError
from isometrics.points.models import GroupTables, count_groups
from isometrics.sources.group_rows import GroupRows
from isometrics.sources.memory_limit import limit_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from isometrics.sources.columns import Layout
    from isometrics.sources.sorted_rows import SpillFolder

    Progress = Callable[[int, int | None], None]

_BYTES_OF_A_LABEL, _BYTES_OF_A_WEIGHT, _BYTES_OF_A_GROUP = 1, 8, 4
_JOINING = 2
"""Rows are joined once at the end, and stand twice in memory for a moment."""
_WORKING = 3
"""Splitting and counting take so many times the memory of the rows themselves."""
_BYTES_OF_A_TABLE = 8_000
"""What the table of one model in one group takes until its numbers are printed, measured."""
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


class KeepPolicy(NamedTuple):
    """Whether rows are kept for intervals."""

    budget: int | None = None
    """The bytes that kept rows may fill; None where none are kept."""
    required: bool = False
    """Whether rows that do not fit are refused."""
    reason: str = ""
    """Why none are kept, where intervals may need them."""
    most_rows: int | None = None
    """The number of rows beyond which none are kept; None for any number."""


def keep_policy(layout: Layout, budget: int, keep_rows: bool | int | str | None) -> KeepPolicy:
    """Decide which rows are kept; see `read_predictions`."""
    if keep_rows is False:
        return KeepPolicy(reason=_NOT_WANTED)
    unasked_for = keep_rows is None or (isinstance(keep_rows, int) and keep_rows is not True)
    if layout.model is not None and unasked_for:
        return KeepPolicy(reason=NOT_SHARED)
    if layout.model is not None:
        raise ParameterError(
            "rows are kept to compare models on the same rows, so each model needs a column "
            "of its own"
        )
    plain = len(layout.scores) == 1 and layout.weight is None and layout.group is None
    if plain and keep_rows is not True:
        # Its table says how many rows of which class have which score, which is all there is.
        return KeepPolicy()
    if unasked_for:
        most = None if keep_rows is None else int(keep_rows)
        return KeepPolicy(budget // _SHARE_OF_ROWS_UNASKED_FOR, most_rows=most)
    return KeepPolicy(budget, required=True)


def shortage_of(
    layout: Layout, schema: pa.Schema, rows: int, budget: int, kept: KeepPolicy
) -> ParameterError | None:
    """Say what will not fit into memory, with the limit under which it does, before reading."""
    types = [schema.field(name).type for name in layout.scores.values()]
    # Each class has labels of its own, and is held with its weights and groups until the end.
    n_samples = len(layout.scores) if layout.multiclass else 1
    beside = _BYTES_OF_A_LABEL + _BYTES_OF_A_WEIGHT * (layout.weight is not None)
    beside += _BYTES_OF_A_GROUP * (layout.group is not None)
    row_bytes = sum(map(_bytes_of, types)) + n_samples * beside
    if kept.required and _JOINING * rows * row_bytes > budget:
        return ParameterError(
            f"{rows:,} rows do not fit into the memory limit",
            Advice(
                "raise {memory_limit} to {}, or do without intervals, which need all rows",
                limit_for(_JOINING * rows * row_bytes),
            ),
        )
    return None


def _bytes_of(dtype: pa.DataType) -> int:
    """Return the memory of one score of a type, or less."""
    try:
        return min(max(int(dtype.bit_width) // 8, 1), 8)
    except ValueError:
        return 1


class HeldRows:
    """The samples of all batches, held as long as they are needed.

    Parameters
    ----------
    grouped
        Whether groups are counted at the end; rows that do not fit are then moved to the disk, and
        so are the tables of groups.
    budget
        The bytes of memory to stay within.
    kept
        Whether rows are kept for intervals.
    folder
        Where rows go that do not fit into memory.
    shortage
        How rows are refused that do not fit, where their number was known before reading.
    """

    def __init__(
        self,
        *,
        grouped: bool,
        budget: int,
        kept: KeepPolicy,
        folder: SpillFolder,
        shortage: ParameterError | None = None,
    ) -> None:
        self._grouped = grouped
        self._budget = budget
        self._kept = kept
        self._fit = kept.budget is not None
        self._folder = folder
        self._shortage = shortage
        self._batches: dict[tuple[str, ...], list[Sample]] = {}
        self._nbytes = 0
        self._rows = 0
        self._reason = kept.reason
        self._on_disk: GroupRows | None = None

    @property
    def spilled(self) -> bool:
        """Whether rows of groups are on disk."""
        return self._on_disk is not None

    def append(self, samples: Sequence[Sample]) -> None:
        """Hold the rows of a batch; those of all classes are the same rows."""
        if not (self._grouped or self._fit):
            return
        self._rows += max((sample.size for sample in samples), default=0)
        for sample in samples:
            if self._on_disk is not None:
                self._on_disk.append(sample)
            if self._fit or self._on_disk is None:
                self._batches.setdefault(tuple(sample.scores), []).append(sample)
                self._nbytes += sample.nbytes
            if self._on_disk is None and sample.groups is not None:
                self._spill_if_short(len(sample.groups.names))
        if self._fit:
            self._check_kept()

    def _spill_if_short(self, groups: int) -> None:
        """Move rows to the disk where they, or the tables of their groups, do not fit."""
        tables = groups * sum(map(len, self._batches))
        if self._nbytes * _WORKING + tables * _BYTES_OF_A_TABLE <= self._budget:
            return
        self._on_disk = GroupRows(self._folder, self._budget)
        for batches in self._batches.values():
            for sample in batches:
                self._on_disk.append(sample)
        if not self._fit:
            self._batches.clear()

    def _check_kept(self) -> None:
        many = self._kept.most_rows is not None and self._rows > self._kept.most_rows
        fit = self._kept.budget is None or _JOINING * self._nbytes <= self._kept.budget
        if fit and not many:
            return
        if self._kept.required:
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
        if not self._grouped or self.spilled:
            self._batches.clear()

    def finish(
        self, models: Sequence[str], label: str, progress: Progress | None = None
    ) -> FinishedRows:
        """Return the tables of groups, and the rows that are kept.

        Groups have their models in the given order; `label` is what errors call the labels, and
        `progress` is told of the rows of groups that are counted.
        """
        joined = {names: Sample.joined(batches) for names, batches in self._batches.items()}
        order = {name: position for position, name in enumerate(models)}
        samples = [joined[names] for names in sorted(joined, key=lambda names: order[names[0]])]
        tables, note = GroupTables({}, {}), ""
        if self._on_disk is not None:
            tables, note = self._on_disk.tables(models, label, progress)
        elif self._grouped:
            tables = count_groups(samples, progress)
        if not self._fit:
            return FinishedRows(tables, {}, self._reason, note)
        # Weights and groups of one class are those of all.
        _, _, weights, groups = samples[0]
        rows = {
            next(iter(each.scores)): each._replace(weights=weights, groups=groups)
            for each in samples
        }
        return FinishedRows(tables, rows, "", note)
