"""From a source of predictions to one table for each model, and for each group."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.groups import GroupNames
from isometrics._core.parameters import check_tolerance
from isometrics._core.sample import Sample
from isometrics.errors import OneClassError
from isometrics.sources.arrow import ahead
from isometrics.sources.batches import columns_of
from isometrics.sources.binned_rows import BinnedRows
from isometrics.sources.cleaning import Chunk, Cleaner
from isometrics.sources.cluster_passes import read_cluster
from isometrics.sources.clusters import ClusterFrame
from isometrics.sources.groups import GroupedRows
from isometrics.sources.kept import KeptRows, RowKeeper, shares_rows
from isometrics.sources.memory import rows_budget
from isometrics.sources.sorted_rows import SortedRows, SpillFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from isometrics.points import OperatingPoints
    from isometrics.sources.batches import Feeder, Source
    from isometrics.sources.columns import Layout

    Progress = Callable[[int, int | None], None]
    MakeFeeder = Callable[[np.dtype[Any], np.dtype[Any] | None], Feeder]


_BYTES_OF_A_KEY = 24
"""What a row takes that is kept and sorted in a later pass."""

_SHARE_OF_KEPT_ROWS = 4
"""Rows that nobody asked for may fill this part of the memory that the tables may fill."""

_TOO_MANY = "they do not fit into the memory limit beside the tables; raise memory_limit="
_NOT_WANTED = "keep_rows=False was given"
_NOT_SHARED = "each model has rows or a positive class of its own"
_IN_CLUSTER = "they stay in the cluster; read a sample of them that fits into memory"


class Tables(NamedTuple):
    """The tables of a source."""

    points: dict[str, OperatingPoints]
    """For each model, over all rows."""
    groups: dict[str, dict[str, OperatingPoints]]
    """For each group, the same; empty without groups."""
    skipped: dict[str, str]
    """Groups without a table, and why."""
    rows: KeptRows | None
    """The rows themselves, where they were kept."""
    without_rows: str = ""
    """Why the rows were not kept, where intervals may need them."""
    note: str = ""
    """What else there is to say about how rows were counted."""


def read_tables(
    source: Source,
    layout: Layout,
    *,
    memory_limit: str | int | None = None,
    tolerance: float | None = None,
    keep_rows: bool | None = None,
    progress: Progress | None = None,
    feeder: MakeFeeder | None = None,
) -> Tables:
    """Count the predictions of a source.

    Parameters
    ----------
    source
        Where the rows come from.
    layout
        Which column is what.
    memory_limit
        The memory to keep within, as a number of bytes or a text such as ``"2GB"``; by default
        half of what the machine has.
    tolerance
        Be content with areas that are known this closely, and spare the sort.
    keep_rows
        Keep the rows beside their tables, and refuse those that do not fit; by default, keep them
        where they tell more than the tables and fit.
    progress
        Called with the rows read so far and the number of all rows, where that is known.
    feeder
        Makes what counts the rows of a model, from the types of scores and weights; by default,
        rows are sorted, or counted in bins where there is a tolerance.
    """
    budget = rows_budget(memory_limit)
    if tolerance is not None:
        tolerance = check_tolerance(tolerance)
    if isinstance(source, ClusterFrame):
        return _of_cluster(source, layout, tolerance, keep_rows=keep_rows, progress=progress)
    keeper, reason = _keeper(layout, budget, keep_rows)
    rows: KeptRows | None = None
    with SpillFolder() as folder:
        models = _Models(layout, budget, feeder or _feeders(layout, tolerance, folder))
        while True:
            cleaner = Cleaner(layout, source.schema)
            for chunk in _chunks(source, cleaner, progress):
                models.append(chunk)
                if keeper is not None:
                    keeper.append(chunk)
            cleaner.finish()
            if keeper is not None:
                reason = "" if keeper.fits else _TOO_MANY
                rows, keeper = keeper.rows(), None
            if not models.look_again():
                return models.tables()._replace(rows=rows, without_rows=reason)


def _keeper(layout: Layout, budget: int, keep_rows: bool | None) -> tuple[RowKeeper | None, str]:
    """Return what keeps the rows, or None and the reason where they are not kept."""
    if keep_rows is not None:
        return (RowKeeper(layout, budget), "") if keep_rows else (None, _NOT_WANTED)
    if not shares_rows(layout):
        return None, _NOT_SHARED
    if len(layout.scores) == 1 and layout.weight is None and layout.group is None:
        # Its table says how many rows of which class have which score, which is all there is.
        return None, ""
    return RowKeeper(layout, budget // _SHARE_OF_KEPT_ROWS, required=False), ""


def _of_cluster(
    source: ClusterFrame,
    layout: Layout,
    tolerance: float | None,
    *,
    keep_rows: bool | None,
    progress: Progress | None,
) -> Tables:
    found = read_cluster(
        source, layout, tolerance=tolerance, keep_rows=bool(keep_rows), progress=progress
    )
    note = (
        f"counted in the cluster in {len(found.collected)} passes, which collected "
        f"{sum(found.collected)} rows"
    )
    return Tables(found.points, found.groups, found.skipped, None, _IN_CLUSTER, note)


def _chunks(source: Source, cleaner: Cleaner, progress: Progress | None) -> Iterator[Chunk]:
    done = 0
    for batch in ahead(source.batches(columns_of(cleaner.layout))):
        chunk = cleaner.chunk(batch)
        done += batch.num_rows
        if progress is not None:
            progress(done, source.rows)
        if chunk is not None:
            yield chunk


def _feeders(layout: Layout, tolerance: float | None, folder: SpillFolder) -> MakeFeeder:
    """Return what makes the feeders of files: bins count rows, and no weights and groups."""
    if tolerance is None or layout.weight is not None or layout.group is not None:
        return partial(SortedRows, folder=folder)
    return lambda dtype, _: BinnedRows(dtype, tolerance, folder=folder)


class _Models:
    """The rows of each model on their way into a table."""

    def __init__(self, layout: Layout, budget: int, feeder: MakeFeeder) -> None:
        self._layout = layout
        self._budget = budget
        self._feeder = feeder
        self._tables: dict[str, Feeder] = {}
        self._names = None if layout.model is None else GroupNames(layout.model)
        self._grouped = None if layout.group is None else GroupedRows(layout.group, budget)

    def append(self, chunk: Chunk) -> None:
        """Add clean rows to the tables of their models."""
        for name, scores in chunk.scores.items():
            labels = chunk.positive(name)
            if chunk.models is None or self._names is None:
                self._add(name, labels, scores, chunk, np.s_[:])
                continue
            found, values = chunk.models
            codes = self._names.codes_of(values)[found]
            for model, rows in self._names.rows_by_group(codes).items():
                self._add(model, labels, scores, chunk, rows)
        self._spill()

    def _add(
        self,
        model: str,
        labels: NDArray[np.bool_],
        scores: NDArray[Any],
        chunk: Chunk,
        rows: NDArray[np.intp] | slice,
    ) -> None:
        weights = None if chunk.weights is None else chunk.weights[rows]
        if model not in self._tables:
            kind = None if weights is None else weights.dtype
            self._tables[model] = self._feeder(scores.dtype, kind)
        self._tables[model].append(labels[rows], scores[rows], weights)
        if self._grouped is not None and chunk.groups is not None:
            codes, values = chunk.groups
            sample = Sample(labels[rows], scores[rows], weights)
            self._grouped.append(model, sample, codes[rows], values)

    def _spill(self) -> None:
        """Move the rows of the largest tables to the disk, until the others fit."""
        tables = sorted(self._tables.values(), key=lambda table: table.nbytes)
        held = sum(table.nbytes for table in tables)
        while held > self._budget:
            table = tables.pop()
            held -= table.nbytes
            table.spill()

    def look_again(self) -> bool:
        """End a pass; tell whether another one is needed."""
        room = self._budget // (_BYTES_OF_A_KEY * len(self._tables))
        wanted = [table.end_pass(self._layout.label, room) for table in self._tables.values()]
        return any(wanted)

    def tables(self) -> Tables:
        """Return all tables."""
        share = self._budget // len(self._tables)
        points: dict[str, OperatingPoints] = {}
        tables = self._tables
        if self._names is not None:
            tables = {model: tables[model] for model in self._names.in_order()[0]}
        groups, skipped = ({}, {}) if self._grouped is None else self._grouped.tables(tables)
        for model, table in tables.items():
            try:
                points[model] = table.points(self._layout.label, budget=share)
            except OneClassError:
                # Of many classes some may be absent; that leaves the others as they are.
                if not self._layout.multiclass or len(self._tables) == 1:
                    raise
                skipped[model] = "no row has this class"
        return Tables(points, groups, skipped, None)
