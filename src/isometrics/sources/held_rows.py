"""Rows held in memory: groups are counted from them at the end, and intervals need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from isometrics._core.sample import Sample
from isometrics.errors import Advice, ParameterError
from isometrics.points.models import GroupTables, count_groups
from isometrics.sources.memory_limit import limit_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from isometrics.sources.columns import Layout

_BYTES_OF_A_LABEL, _BYTES_OF_A_WEIGHT, _BYTES_OF_A_GROUP = 1, 8, 4
_JOINING = 2
"""Rows are joined once at the end, and stand twice in memory for a moment."""
_WORKING = 3
"""Splitting and counting take so many times the memory of the rows themselves."""
_BYTES_OF_A_TABLE = 24_000
"""What the table of one model in one group takes until its numbers are printed, measured."""
_SHARE_OF_ROWS_UNASKED_FOR = 4
"""Rows that nobody asked for may fill this part of the memory that the tables may fill."""

_TOO_MANY = "they do not fit into the memory limit beside the tables; raise memory_limit="
_NOT_WANTED = "keep_rows=False was given"
NOT_SHARED = "each model has rows of its own"
MANY_ROWS = "there are more than keep_rows= allows"


class Keeping(NamedTuple):
    """Whether rows are kept for intervals."""

    budget: int | None = None
    """The bytes that kept rows may fill; None where none are kept."""
    required: bool = False
    """Whether rows that do not fit are refused."""
    reason: str = ""
    """Why none are kept, where intervals may need them."""
    most_rows: int | None = None
    """The number of rows beyond which none are kept; None for any number."""


def keeping(layout: Layout, budget: int, keep_rows: bool | int | str | None) -> Keeping:
    """Decide which rows are kept; see `read_predictions`."""
    if keep_rows is False:
        return Keeping(reason=_NOT_WANTED)
    unasked_for = keep_rows is None or (isinstance(keep_rows, int) and keep_rows is not True)
    if layout.model is not None and unasked_for:
        return Keeping(reason=NOT_SHARED)
    if layout.model is not None:
        raise ParameterError(
            "rows are kept to compare models on the same rows, so each model needs a column "
            "of its own"
        )
    plain = len(layout.scores) == 1 and layout.weight is None and layout.group is None
    if plain and keep_rows is not True:
        # Its table says how many rows of which class have which score, which is all there is.
        return Keeping()
    if unasked_for:
        most = None if keep_rows is None else int(keep_rows)
        return Keeping(budget // _SHARE_OF_ROWS_UNASKED_FOR, most_rows=most)
    return Keeping(budget, required=True)


def shortage_of(
    layout: Layout, schema: pa.Schema, rows: int, budget: int, kept: Keeping
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
    needed = rows * row_bytes * _WORKING
    if layout.group is not None and needed > budget:
        return ParameterError(
            f"the groups of {rows:,} rows do not fit into the memory limit",
            Advice(
                "raise {memory_limit} to {} or more, or leave the groups out", limit_for(needed)
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
        Whether groups are counted at the end; rows that do not fit are then refused.
    budget
        The bytes of memory to stay within.
    kept
        Whether rows are kept for intervals.
    """

    def __init__(self, *, grouped: bool, budget: int, kept: Keeping) -> None:
        self._grouped = grouped
        self._budget = budget
        self._kept = kept
        self._fit = kept.budget is not None
        self._batches: dict[tuple[str, ...], list[Sample]] = {}
        self._nbytes = 0
        self._rows = 0
        self._reason = kept.reason

    def append(self, samples: Sequence[Sample]) -> None:
        """Hold the rows of a batch; those of all classes are the same rows."""
        if not (self._grouped or self._fit):
            return
        self._rows += max((sample.size for sample in samples), default=0)
        for sample in samples:
            self._batches.setdefault(tuple(sample.scores), []).append(sample)
            self._nbytes += sample.nbytes
            if self._grouped and sample.groups is not None:
                self._check_groups(len(sample.groups.names))
        if self._fit:
            self._check_kept()

    def _check_groups(self, groups: int) -> None:
        tables = groups * sum(map(len, self._batches))
        needed = self._nbytes * _WORKING + tables * _BYTES_OF_A_TABLE
        if needed > self._budget:
            raise ParameterError(
                f"the tables of {groups} groups and more do not fit into the memory limit",
                Advice("raise {memory_limit} above {}, or leave the groups out", limit_for(needed)),
            )

    def _check_kept(self) -> None:
        many = self._kept.most_rows is not None and self._rows > self._kept.most_rows
        fit = self._kept.budget is None or _JOINING * self._nbytes <= self._kept.budget
        if fit and not many:
            return
        if self._kept.required:
            raise ParameterError(
                "the rows do not fit into the memory limit",
                Advice(
                    "raise {memory_limit} above {}, or do without intervals, which need all rows",
                    limit_for(_JOINING * self._nbytes),
                ),
            )
        self._fit = False
        self._reason = MANY_ROWS if many else _TOO_MANY
        if not self._grouped:
            self._batches.clear()

    def finish(self, models: Iterable[str]) -> tuple[GroupTables, dict[str, Sample], str]:
        """Return the tables of groups, the rows that are kept, and why there are none.

        Groups have their models in the given order. Rows are by class; those of models that share
        their labels are under the name of the first.
        """
        joined = {names: Sample.joined(batches) for names, batches in self._batches.items()}
        order = {name: place for place, name in enumerate(models)}
        samples = [joined[names] for names in sorted(joined, key=lambda names: order[names[0]])]
        tables = count_groups(samples) if self._grouped else GroupTables({}, {})
        if not self._fit:
            return tables, {}, self._reason
        # Weights and groups of one class are those of all.
        _, _, weights, groups = samples[0]
        rows = {
            next(iter(each.scores)): each._replace(weights=weights, groups=groups)
            for each in samples
        }
        return tables, rows, ""
