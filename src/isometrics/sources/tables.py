"""From a source of predictions to one table for each model and group, and what reading cost."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from isometrics._core.parameters import check_number
from isometrics._core.results import text_table
from isometrics.errors import Advice, OneClassError, ParameterError
from isometrics.sources.batches import columns_of, prefetch
from isometrics.sources.binned_rows import BinnedRows
from isometrics.sources.cleaning import Cleaner
from isometrics.sources.held_rows import FinishedRows, HeldRows
from isometrics.sources.memory_limit import limit_for, rows_budget
from isometrics.sources.sorted_rows import BYTES_OF_A_ROW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from isometrics._core.sample import Sample
    from isometrics.points import OperatingPoints
    from isometrics.sources.batches import Source
    from isometrics.sources.column_roles import Layout

    Progress = Callable[[int, int | None], None]


ABSENT_CLASS = "no row has this class"
"""Why a class of one classifier has no table."""
_UNITS = ("B", "kB", "MB", "GB", "TB")
_LEAST_PREFIXED = 10_000


class Pass(NamedTuple):
    """One query over the rows, counted by its engine; None is what that does not report."""

    purpose: str
    rows: int | None
    """How many rows were read."""
    bytes: int | None
    """How many bytes were read from files."""
    shuffled: int | None
    """How many rows went from one task of a cluster to another."""
    collected: int
    """How many rows of the result came into this process."""


class Tables(NamedTuple):
    """The tables of a source."""

    points: dict[str, OperatingPoints]
    """For each model, over all rows."""
    groups: Mapping[str, dict[str, OperatingPoints]]
    """For each group, the same; empty without groups."""
    skipped: dict[str, str]
    """Groups without a table, and why."""
    rows: Sample | None
    """The rows themselves, where they were kept; None for classes."""
    without_rows: str = ""
    """Why the rows were not kept, where intervals may need them."""
    note: str = ""
    """What else there is to say about how rows were counted."""
    positive: object = None
    """The positive label, where labels such as yes and no told it; None where it is clear."""
    class_rows: dict[str, Sample] = {}  # noqa: RUF012
    """The rows of each class of one classifier, where they were kept."""
    passes: tuple[Pass, ...] = ()
    """What each pass over the rows has read and collected."""


def read_tables(
    source: Source,
    layout: Layout,
    *,
    memory_limit: str | int | None = None,
    tolerance: float | None = None,
    keep_rows: bool | int | str | None = None,
    progress: Progress | None = None,
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
        Called with the rows read so far and the number of all rows, where that is known; anew in
        each pass over the source.
    drop_missing
        Leave out rows that miss a value in any column that is used, for all models.
    notify
        Called before rows are read, where their table will keep only some of its rows.
    """
    budget = rows_budget(memory_limit)
    if tolerance is not None:
        tolerance = check_number(tolerance, "tolerance", "strictly between 0 and 1")
    bins = None
    if tolerance is not None and layout.weight is None and layout.group is None:
        bins = BinnedRows(layout.label, tolerance, budget)
    held = HeldRows(layout, budget, keep_rows, counted=bins is None, source=source)
    if source.count_rows is not None:
        rows, note = source.complete_rows(layout) if drop_missing else (source, "")
        assert rows.count_rows is not None
        tables = rows.count_rows(
            layout, tolerance=tolerance, keep_rows=held.required, progress=progress
        )
        return tables._replace(note="; ".join(filter(None, [note, tables.note])))
    source.settle(columns_of(layout), columns_of(layout))
    known = held.required and source.rows is not None
    shortage = held.foresee(source.schema, source.rows or 0) if known else None
    if shortage is not None:
        _refuse_or_notify(shortage, layout, notify, drop_missing=drop_missing)
    bytes_of_tables = (source.rows or 0) * BYTES_OF_A_ROW * len(layout.scores)
    if bytes_of_tables > budget and notify is not None and tolerance is None and not layout.model:
        notify(
            Advice(
                "the tables of {} rows do not fit into the memory limit, and keep some of their "
                "rows; areas and hulls are exact, but other thresholds may not be answered; raise "
                "{memory_limit} to {} to keep all",
                f"{source.rows:,}",
                limit_for(bytes_of_tables),
            )
        )
    with closing(held):
        passes: list[Pass] = []
        finished: FinishedRows | None = None
        while True:
            cleaner = Cleaner(layout, source, drop_missing=drop_missing)
            for batch in prefetch(source.batches(columns_of(layout))):
                samples = cleaner.samples(batch)
                if progress is not None:
                    progress(cleaner.rows, source.rows)
                if bins is not None:
                    bins.append(samples)
                if finished is None or bins is None:
                    held.append(samples)
            cleaner.finish()
            # This process reads all rows.
            before = sum(each.bytes or 0 for each in passes)
            read = None if source.bytes_read is None else source.bytes_read - before
            passes.append(Pass("scores", cleaner.rows, read, 0, cleaner.rows))
            if finished is None:
                named = None if layout.model is None else cleaner.names[layout.model]
                models = list(layout.scores if named is None else named.in_order()[0])
                finished = held.finish(models, progress)
            if not (held if bins is None else bins).end_pass():
                break
        points, skipped = _tables(models, layout, (held if bins is None else bins).points)
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
            cleaner.positive_label if isinstance(cleaner.positive_label, str) else None,
            {name: kept_rows[name] for name in points if by_class and kept_rows},
            tuple(passes),
        )


def _tables(
    models: Sequence[str], layout: Layout, count: Callable[[str], OperatingPoints]
) -> tuple[dict[str, OperatingPoints], dict[str, str]]:
    """Return the table of each model, and why some have none."""
    points: dict[str, OperatingPoints] = {}
    skipped: dict[str, str] = {}
    for model in models:
        try:
            points[model] = count(model)
        except OneClassError:
            # Of many classes some may be absent; that leaves the others as they are.
            if not layout.multiclass or len(models) == 1:
                raise
            skipped[model] = ABSENT_CLASS
    return points, skipped


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


def explain_passes(passes: Iterable[Pass]) -> str:
    """Return the passes as a table, with their sums in its last line.

    Examples
    --------
    >>> print(explain_passes([Pass("totals", 3000, 52_000, 8, 2), Pass("scores", 3000, 0, 90, 70)]))
    2 passes
    pass  purpose  rows read  bytes read  rows shuffled  rows collected
       1  totals       3,000       52 kB              8               2
       2  scores       3,000         0 B             90              70
     all               6,000       52 kB             98              72
    """
    listed = list(passes)
    if not listed:
        return "no passes were counted; the data was given in memory"
    total = Pass(
        "",
        _sum(each.rows for each in listed),
        _sum(each.bytes for each in listed),
        _sum(each.shuffled for each in listed),
        sum(each.collected for each in listed),
    )
    rows = [*listed, total]
    columns = {
        "pass": [*map(str, range(1, len(rows))), "all"],
        "purpose": [each.purpose for each in rows],
        "rows read": [_count(each.rows) for each in rows],
        "bytes read": [_bytes(each.bytes) for each in rows],
        "rows shuffled": [_count(each.shuffled) for each in rows],
        "rows collected": [_count(each.collected) for each in rows],
    }
    title = f"{len(listed)} pass{'es' * (len(listed) > 1)}"
    return text_table(title, columns, left=["purpose"], most=len(rows))


def _sum(values: Iterable[int | None]) -> int | None:
    """Return the sum; None if a part is not known."""
    parts = list(values)
    return None if None in parts else sum(value for value in parts if value is not None)


def _count(value: int | None) -> str:
    return "not told" if value is None else f"{value:,}"


def _bytes(value: int | None) -> str:
    """Return bytes with at least two digits, in the unit that suits them."""
    if value is None:
        return _count(value)
    power = 0
    while value >= _LEAST_PREFIXED * 1000**power and power < len(_UNITS) - 1:
        power += 1
    return f"{value / 1000**power:,.0f} {_UNITS[power]}"
