"""From a source of predictions to one table for each model, and for each group."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from isometrics._core.parameters import check_tolerance
from isometrics.errors import Advice, OneClassError, ParameterError
from isometrics.points import OperatingPoints
from isometrics.sources.arrow import prefetch
from isometrics.sources.batches import ABSENT_CLASS, Tables, columns_of
from isometrics.sources.binned_rows import BinnedRows
from isometrics.sources.cleaning import Cleaner
from isometrics.sources.held_rows import HeldRows, keep_policy, shortage_of
from isometrics.sources.memory_limit import limit_for, rows_budget
from isometrics.sources.passes import Pass
from isometrics.sources.sorted_rows import BYTES_OF_A_ROW, SortedRows, SpillFolder, with_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy as np

    from isometrics._core.sample import Sample
    from isometrics.sources.batches import Feeder, Source
    from isometrics.sources.columns import Layout

    Progress = Callable[[int, int | None], None]
    MakeFeeder = Callable[[np.dtype[Any], np.dtype[Any] | None], Feeder]


_SHARE_BESIDE_GROUPS = 4
"""Where rows of groups are on disk, the tables over all rows leave them 3 of 4 parts."""
_BYTES_OF_A_KEY = 24
"""What a row takes that is kept and sorted in a later pass."""


def read_tables(
    source: Source,
    layout: Layout,
    *,
    memory_limit: str | int | None = None,
    tolerance: float | None = None,
    keep_rows: bool | int | str | None = None,
    progress: Progress | None = None,
    feeder: MakeFeeder | None = None,
    drop_missing: bool = False,
    notify: Callable[[Advice], None] | None = None,
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
        Accept areas that are known to within this tolerance, and avoid sorting all rows.
    keep_rows
        Keep the rows beside their tables: always, never, or, by default, where they tell more than
        the tables and fit; ``"needed"`` refuses those that tell more and do not fit, and a number
        keeps none where there are more.
    progress
        Called with the rows read so far and the number of all rows, where that is known.
    feeder
        Makes what counts the rows of a model, from the types of scores and weights; by default,
        rows are sorted, or counted in bins where there is a tolerance.
    drop_missing
        Leave out rows that miss a value in any column that is used, for all models.
    notify
        Called before rows are read, where their table will keep only some of its rows.
    """
    budget = rows_budget(memory_limit)
    if tolerance is not None:
        tolerance = check_tolerance(tolerance)
    kept = keep_policy(layout, budget, keep_rows)
    if source.count_rows is not None:
        rows, note = source.complete_rows(layout) if drop_missing else (source, "")
        assert rows.count_rows is not None
        tables = rows.count_rows(
            layout, tolerance=tolerance, keep_rows=kept.required, progress=progress
        )
        return tables._replace(note="; ".join(filter(None, [note, tables.note])))
    source.settle(columns_of(layout), columns_of(layout))
    n_rows = source.rows
    shortage = None if n_rows is None else shortage_of(layout, source.schema, n_rows, budget, kept)
    if shortage is not None:
        _refuse_or_notify(shortage, layout, notify, drop_missing=drop_missing)
    if n_rows is not None and notify is not None and tolerance is None and layout.model is None:
        _notify_of_gaps(n_rows, len(layout.scores), budget, notify)
    with SpillFolder() as folder:
        models = _Models(layout, budget, feeder or _feeders(layout, tolerance, folder))
        grouped = layout.group is not None
        passes: list[Pass] = []
        held: HeldRows | None = HeldRows(
            grouped=grouped, budget=budget, kept=kept, folder=folder, shortage=shortage
        )
        while True:
            cleaner = Cleaner(layout, source, drop_missing=drop_missing)
            for samples in _batches(source, cleaner, progress):
                models.append(samples)
                if held is not None:
                    held.append(samples)
                if held is not None and held.spilled:
                    models.spill(budget // _SHARE_BESIDE_GROUPS)
            cleaner.finish()
            passes.append(_pass(source, cleaner.rows, passes))
            names = None if layout.model is None else cleaner.models.in_order()[0]
            if held is not None:
                finished = held.finish(models.names(names), layout.label, progress)
                held = None
            if not models.look_again():
                break
        points, skipped = models.points(names)
        # Each of several classes has its own labels, like a model that is alone.
        by_class = layout.multiclass and len(layout.scores) > 1
        groups, kept_rows, reason, note = finished
        dropped = "" if cleaner.dropped is None else cleaner.dropped.describe()
        return Tables(
            points,
            groups.groups,
            groups.skipped | skipped,
            None if by_class else next(iter(kept_rows.values()), None),
            reason,
            "; ".join(filter(None, [dropped, note])),
            cleaner.positive_word,
            {name: kept_rows[name] for name in points if by_class and kept_rows},
            tuple(passes),
        )


def _pass(source: Source, rows: int, earlier: Sequence[Pass]) -> Pass:
    """Return what a pass over the rows of a source has cost; this process reads all of them."""
    read = source.bytes_read
    if read is not None:
        read -= sum(each.bytes or 0 for each in earlier)
    return Pass("scores", rows, read, shuffled=0, collected=rows)


def _refuse_or_notify(
    shortage: ParameterError,
    layout: Layout,
    notify: Callable[[Advice], None] | None,
    *,
    drop_missing: bool,
) -> None:
    """Refuse rows that will not fit; where some may be left out, say only that they may not."""
    if not drop_missing and layout.weight is None:
        raise shortage
    if notify is None or shortage.advice is None:
        return
    what = "miss a value" if drop_missing else "have a weight of 0"
    notify(
        Advice(
            f"{{}}, unless enough of them {what} and are left out, which is not known before they "
            f"are read; to be safe {shortage.advice.template}",
            shortage.problem,
            *shortage.advice.values,
        )
    )


def _notify_of_gaps(rows: int, models: int, budget: int, notify: Callable[[Advice], None]) -> None:
    """Say that tables will not have all their rows, and which limit would do."""
    if rows * BYTES_OF_A_ROW <= budget // models:
        return
    notify(
        Advice(
            "the tables of {} rows do not fit into the memory limit, and keep some of their rows; "
            "areas and hulls are exact, but other thresholds may not be answered; raise "
            "{memory_limit} to {} to keep all",
            f"{rows:,}",
            limit_for(rows * BYTES_OF_A_ROW * models),
        )
    )


def _batches(source: Source, cleaner: Cleaner, progress: Progress | None) -> Iterator[list[Sample]]:
    done = 0
    for batch in prefetch(source.batches(columns_of(cleaner.layout))):
        samples = cleaner.samples(batch)
        done += batch.num_rows
        if progress is not None:
            progress(done, source.rows)
        yield samples


def _feeders(layout: Layout, tolerance: float | None, folder: SpillFolder) -> MakeFeeder:
    """Return a constructor of feeders; bins serve only rows without weights and groups."""
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

    def append(self, samples: list[Sample]) -> None:
        """Add the rows of a batch to the tables of their models."""
        for sample in samples:
            for name, scores in sample.scores.items():
                if name not in self._tables:
                    kind = None if sample.weights is None else sample.weights.dtype
                    self._tables[name] = self._feeder(scores.dtype, kind)
                self._tables[name].append(sample.labels, scores, sample.weights)
        self.spill(self._budget)

    def spill(self, budget: int) -> None:
        """Move the rows of the largest tables to the disk, until the others fit."""
        tables = sorted(self._tables.values(), key=lambda table: table.nbytes)
        held = sum(table.nbytes for table in tables)
        while held > budget:
            table = tables.pop()
            held -= table.nbytes
            table.spill()

    def look_again(self) -> bool:
        """End a pass; tell whether another one is needed."""
        room = self._budget // (_BYTES_OF_A_KEY * len(self._tables))
        wanted = [table.end_pass(self._layout.label, room) for table in self._tables.values()]
        return any(wanted)

    def names(self, in_order: Iterable[str] | None) -> list[str]:
        """Return the names of the models: those of a column in its order, else as they came."""
        return list(self._tables if in_order is None else in_order)

    def points(
        self, in_order: Iterable[str] | None
    ) -> tuple[dict[str, OperatingPoints], dict[str, str]]:
        """Return the table of each model, and why some have none."""
        share = self._budget // len(self._tables)
        points: dict[str, OperatingPoints] = {}
        skipped: dict[str, str] = {}
        most = max(getattr(table, "rows", 0) for table in self._tables.values())
        enough = limit_for(most * BYTES_OF_A_ROW * len(self._tables))
        for model in self.names(in_order):
            try:
                counted = self._tables[model].points(self._layout.label, budget=share)
                points[model] = with_limit(counted, enough if most else "")
            except OneClassError:
                # Of many classes some may be absent; that leaves the others as they are.
                if not self._layout.multiclass or len(self._tables) == 1:
                    raise
                skipped[model] = ABSENT_CLASS
        return points, skipped
