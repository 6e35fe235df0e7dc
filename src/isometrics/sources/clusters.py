"""Rows that stay in a cluster: frames of Spark and Dask.

Only aggregates of them are ever collected: the totals of each label, model and group, then the
counts of ranges of scores, pass after pass.
"""

from __future__ import annotations

import copy
import math
import sys
import warnings
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.groups import GroupNames, split_sizes
from isometrics._core.missing import ALL_DROPPED, Dropped
from isometrics._core.sample import check_totals
from isometrics._table.building import table_of_tally
from isometrics.errors import FileError, MissingValueError, OneClassError, ParameterError
from isometrics.points import OperatingPoints
from isometrics.points.models import GroupTables, group_tables
from isometrics.points.table_files import write_groups
from isometrics.sources.arrow import NUMERIC, codes, is_floating, kind_of
from isometrics.sources.batches import (
    ABSENT_CLASS,
    FIRST_ROWS,
    Source,
    Tables,
    columns_of,
    reading,
)
from isometrics.sources.cluster_passes import Passes, PassLimits, Ranges
from isometrics.sources.cluster_totals import INF, ClusterTotals, count_totals, numbers_of
from isometrics.sources.frames import FrameSource
from isometrics.sources.memory_limit import in_megabytes
from isometrics.sources.passes import Pass
from isometrics.sources.spark_work import Work, collect_measured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import narwhals.stable.v2 as nw
    import pyarrow as pa
    from numpy.typing import NDArray

    from isometrics.sources.columns import Layout

    Progress = Callable[[int, int | None], None]
    ByModel = dict[str, OperatingPoints]

_SPARK = ("pyspark", "pyspark[connect]")
_DISTRIBUTED = (*_SPARK, "dask")
_ERRORS = (
    ("pyspark.errors", "PySparkException"),
    ("py4j.protocol", "Py4JError"),
    ("grpc", "RpcError"),
)
_LOST = (
    ("distributed.scheduler", "KilledWorker"),
    ("distributed.scheduler", "NoWorkerError"),
    ("distributed.client", "FutureCancelledError"),
    ("distributed.client", "FuturesCancelledError"),
)
"""What Dask raises when workers died with what only they had, or when none is left."""
_OUT_OF_MEMORY = (
    "Spark ran out of memory; start it with more than the 1 GB of its defaults, such as "
    "spark.driver.memory=4g, and on a cluster spark.executor.memory=4g"
)
TOLERANCE = 1e-6
"""How wide bounds may be where rows are too many for an exact table."""
FIRST = "first rows"
"""The purpose of what is collected to find out what the columns are."""


def frame_source(frame: Any) -> FrameSource | ClusterFrame:
    """Return a data frame as a source: those of Spark and Dask are left where they are."""
    import narwhals.stable.v2 as nw

    given = nw.from_native(frame, pass_through=True) if _may_be_distributed(frame) else None
    if isinstance(given, nw.LazyFrame) and given.implementation.value in _DISTRIBUTED:
        return ClusterFrame(given)
    return FrameSource(frame)


def _may_be_distributed(frame: Any) -> bool:
    return type(frame).__module__.partition(".")[0] in ("pyspark", "dask", "narwhals")


@contextmanager
def asking(name: str, *errors: type[Exception]) -> Iterator[None]:
    """Turn what a cluster's libraries raise into one sentence, and hide what they say of pandas."""
    with reading(name, *errors, *_loaded(_ERRORS)), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        # The tables of cuts are part of what Dask is sent to do, and are as short as they can be.
        warnings.filterwarnings("ignore", "Sending large graph")
        try:
            yield
        except _loaded(_LOST) as error:
            said = str(error).partition("\n")[0].partition(". ")[0].rstrip(".")
            raise FileError.unreadable(
                name,
                f"the Dask cluster lost workers: {said}; look at the logs of its workers, and read "
                "again",
            ) from error
        except _loaded(_ERRORS) as error:
            # Spark tells it in a text alone, often below what failed because of it.
            if "OutOfMemoryError" in str(error):
                raise FileError.unreadable(name, _OUT_OF_MEMORY) from error
            raise


def _loaded(errors: tuple[tuple[str, str], ...]) -> tuple[type[Exception], ...]:
    """Return errors by their names; libraries that are not loaded raise none, and stay so."""
    return tuple(
        getattr(sys.modules[module], error) for module, error in errors if module in sys.modules
    )


class ClusterFrame(Source):
    """A frame of Spark, classic or Connect, or of Dask.

    Parameters
    ----------
    frame
        The frame, through narwhals.
    name
        What messages call it.
    close
        What to call in the end; a frame that was given is left to its owner.
    limits
        How much the passes over its rows may do.
    """

    def __init__(
        self,
        frame: Any,
        name: str = "the data frame",
        close: Callable[[], None] | None = None,
        limits: PassLimits | None = None,
    ) -> None:
        import narwhals.stable.v2 as nw

        native = nw.to_native(frame)
        in_spark = frame.implementation.value in _SPARK
        names = list(native.columns) if in_spark else frame.collect_schema().names()
        if len(set(names)) < len(names):
            raise ParameterError(f"{name} has two columns of one name; rename one")
        if not all(isinstance(column, str) for column in names):
            raise ParameterError(f"column names must be texts but are {names!r}")
        self.name = name
        self.limits = limits or PassLimits()
        self.backend = frame.implementation
        self._session: Any = None
        self._close = close
        # Spark reads dots and small and large letters in names its own way.
        self._aliases = {name: f"column_{index}" for index, name in enumerate(names)}
        if in_spark:
            self._session = native.sparkSession
            native = native.toDF(*self._aliases.values())
            self._frame: nw.LazyFrame[Any] = nw.from_native(native)
        else:
            self._frame = frame.rename(self._aliases)
        self._first: pa.Table | None = None
        self.passes: list[Pass] = []
        """What every collection so far has read, shuffled and collected."""

    @property
    def schema(self) -> pa.Schema:
        """The names and types of all columns."""
        return self.head(list(self._aliases)).schema

    def columns(self, **wanted: str) -> nw.LazyFrame[Any]:
        """Return some columns, under the names of the arguments."""
        import narwhals.stable.v2 as nw

        return self._frame.select(
            **{name: nw.col(self._aliases[column]) for name, column in wanted.items()}
        )

    def collect(self, frame: nw.LazyFrame[Any], purpose: str) -> pa.Table:
        """Compute what is left of a frame, which must be little, and count what that took.

        All that ever comes from the cluster comes through here.
        """
        import narwhals.stable.v2 as nw

        with asking(self.name):
            if self._session is not None:
                table, work = collect_measured(nw.to_native(frame))
            else:
                if self.backend.is_dask():
                    # A scheduler elsewhere would run each step of an expression as a task.
                    frame = nw.from_native(nw.to_native(frame).optimize())
                table, work = frame.collect(backend="pyarrow").to_native(), Work()
        self.passes.append(Pass(purpose, *work, collected=table.num_rows))
        return table

    def local(
        self, table: pa.Table, rows: nw.LazyFrame[Any], keys: Sequence[str]
    ) -> nw.LazyFrame[Any]:
        """Send a small table to wherever the rows are, to be joined with them by key columns."""
        import narwhals.stable.v2 as nw

        with asking(self.name):
            eager = nw.from_native(table, eager_only=True)
            sent: nw.LazyFrame[Any] = eager.lazy(backend=self.backend, session=self._session)
            native = nw.to_native(sent)
            if self._session is not None:
                native = native.hint("broadcast")
            elif self.backend.is_dask():
                # The same texts, numbers and times have several types in pandas.
                types = nw.to_native(rows).dtypes
                native = native.astype({key: types[key] for key in keys})
            joined: nw.LazyFrame[Any] = nw.from_native(native)
            return joined

    def head(self, columns: Sequence[str]) -> pa.Table:
        """Return the first rows of some columns; they are collected once."""
        if self._first is None:
            first = self.collect(self._frame.head(FIRST_ROWS), FIRST)
            # The index of a Dask frame may come as one more column.
            first = first.select(list(self._aliases.values()))
            self._first = first.replace_schema_metadata().rename_columns(list(self._aliases))
        return self._first.select(columns)

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read the first rows of some columns; all rows are never read here."""
        if limit is None:
            raise FileError(
                f"cannot read the rows of {self.name!r} one by one: they stay in the cluster; "
                "write them to Parquet files there and name those"
            )
        yield from self.head(columns).slice(0, limit).to_batches()

    def distinct(self, column: str, most: int) -> list[object]:
        """Return the values of a column without null, or somewhat more than `most` of them."""
        values = self.columns(value=column).drop_nulls().unique().head(most + 1)
        found = self.collect(values, FIRST).column("value").combine_chunks()
        return list(codes(found)[1])

    def extent(self, column: str) -> tuple[float, float]:
        """Return the smallest and the largest number of a column; NaN where it has none."""
        import narwhals.stable.v2 as nw

        value = nw.col("value").cast(nw.Float64())
        values = self.columns(value=column).drop_nulls().filter(~value.is_nan())
        table = self.collect(values.select(low=value.min(), high=value.max()), FIRST)
        low, high = (table.column(name)[0].as_py() for name in ("low", "high"))
        return (math.nan, math.nan) if low is None else (low, high)

    def count_rows(
        self,
        layout: Layout,
        *,
        tolerance: float | None,
        keep_rows: bool,
        progress: Progress | None,
    ) -> Tables:
        """Count the predictions where they are; only aggregates are collected.

        Parameters
        ----------
        layout
            Which column is what.
        tolerance
            How wide the bounds of areas may be, by default 1e-6, where a table has more than
            2**20 rows and distinct scores; shorter ones are exact. Without it groups of fewer rows
            are exact, too, where 30 passes can collect all of them.
        keep_rows
            Refused: rows stay where they are.
        progress
            Called after each pass with the rows it has read.
        """
        if keep_rows:
            raise ParameterError(
                "the rows of a cluster stay there; to compare models on the same rows, read a "
                "sample of them that fits into memory"
            )
        reader = _Reader(self, layout, tolerance, progress)
        points, skipped = reader.models()
        groups, about_groups = GroupTables({}, {}), ""
        if layout.group is not None:
            groups, about_groups = reader.groups()
        passes = tuple(self.passes)
        self.passes.clear()
        over_all = [each for each in passes if each.purpose != FIRST]
        counted = (
            f"counted in the cluster in {len(over_all)} passes, which collected "
            f"{sum(each.collected for each in over_all)} rows"
        )
        return Tables(
            points,
            groups.groups,
            skipped | groups.skipped,
            rows=None,
            without_rows="they stay in the cluster; read a sample of them that fits into memory",
            note="; ".join(filter(None, [counted, about_groups])),
            passes=passes,
        )

    def complete_rows(self, layout: Layout) -> tuple[ClusterFrame, str]:
        """Return the rows that miss no value in any column that is used, and how many others."""
        import narwhals.stable.v2 as nw

        schema = self.schema
        weight = layout.weight
        missing: dict[str, nw.Expr] = {}
        for name in columns_of(layout):
            value = nw.col(self._aliases[name])
            missing[name] = value.is_null()
            if kind_of(schema.field(name).type) == "float" and is_floating(schema.field(name).type):
                missing[name] = missing[name] | value.is_nan().fill_null(True)
        if weight is not None and kind_of(schema.field(weight).type) in NUMERIC:
            # A row of weight 0 is absent, whatever it misses.
            absent = (nw.col(self._aliases[weight]) == 0).fill_null(False)
            missing = {name: flag & ~absent for name, flag in missing.items()}
        incomplete = nw.any_horizontal(*missing.values(), ignore_nulls=False)
        flags = {
            f"missing_{index}": nw.when(flag).then(1).otherwise(0)
            for index, flag in enumerate(missing.values())
        }
        frame = self._frame.with_columns(**flags, incomplete=incomplete)
        # Dask fuses sums of all rows into tasks that miss each other, and those of groups well.
        sums = frame.group_by("incomplete").agg(nw.len().alias("size"), nw.col(*flags).sum())
        counted = self.collect(sums, "missing values").to_pylist()
        dropped = Dropped()
        for counts in counted:
            if counts["incomplete"]:
                dropped.rows = int(counts["size"])
                dropped.columns.update(
                    {name: int(counts[flag]) for name, flag in zip(missing, flags, strict=True)}
                )
        if dropped.rows and len(counted) == 1:
            raise MissingValueError(ALL_DROPPED)
        rest = copy.copy(self)
        rest._frame = frame.filter(~nw.col("incomplete")).select(*self._aliases.values())
        rest._first = None
        return rest, dropped.describe()

    def close(self) -> None:
        """Let go of a session that was opened for this frame."""
        if self._close is not None:
            self._close()


# ---------------------------------------------------------------------- tables


class _Reader:
    """Counts the score columns one after another."""

    def __init__(
        self,
        source: ClusterFrame,
        layout: Layout,
        tolerance: float | None,
        progress: Progress | None,
    ) -> None:
        self._source = source
        self._layout = layout
        self._tolerance = tolerance
        self._progress = progress
        self._totals = count_totals(source, layout)
        self._report_progress()

    def _report_progress(self) -> None:
        if self._progress is not None:
            self._progress(self._totals.size, self._totals.size)

    def models(self) -> tuple[ByModel, dict[str, str]]:
        """Return the tables over all rows, and why some classes have none."""
        layout, skipped = self._layout, {}
        if layout.model is not None:
            (name,) = layout.scores
            tables, one_class = self._tables(self._counter(name, ["model"]))
            for only in one_class.values():
                check_totals(
                    int(only == "positives"), int(only == "negatives"), counted=layout.label
                )
            return {model: points for (model,), points in tables.items()}, {}
        points: ByModel = {}
        for name in layout.scores:
            positive = self._totals.positive_totals(name)
            sums = [self._totals.rows_where(positive), self._totals.rows_where(~positive)]
            try:
                check_totals(*sums, counted=layout.label)
            except OneClassError:
                # Of many classes some may be absent; that leaves the others as they are.
                if not layout.multiclass or len(layout.scores) == 1:
                    raise
                skipped[name] = ABSENT_CLASS
                continue
            points[name] = self._tables(self._counter(name, []))[0][()]
        return points, skipped

    def groups(self) -> tuple[GroupTables, str]:
        """Return the tables of groups, why some groups have none, and what to say about them.

        Groups whose rows are too many for one pass are counted in blocks, each with as many rows as
        a pass may collect, so that their tables are exact. These stay on disk.
        """
        keys = ["group"] if self._layout.model is None else ["group", "model"]
        groups = _series_of(self._totals, ["group"])
        sizes = np.zeros(len(groups.names), np.int64)
        np.add.at(sizes, groups.codes, self._totals.table["rows"].to_numpy().astype(np.int64))
        borders = split_sizes(sizes, self._source.limits.most_rows)
        counters = {name: self._counter(name, keys) for name in self._layout.scores}
        names = [group for (group,) in groups.names]
        n_blocks = borders.size - 1
        too_many = n_blocks > self._source.limits.most_passes
        if n_blocks == 1 or too_many or self._tolerance is not None:
            found = dict(self._count_groups(counters, names, np.array([0, sizes.size])))
            return group_tables(found), ""
        tables, nbytes = write_groups(self._count_groups(counters, names, borders))
        return tables, (
            f"{len(names)} groups were counted in {n_blocks} blocks, and {in_megabytes(nbytes)} of "
            "their tables stay on disk here until the process ends"
        )

    def _count_groups(
        self, counters: dict[str, _Counter], names: list[str], borders: NDArray[np.int64]
    ) -> Iterator[tuple[str, dict[str, OperatingPoints | str]]]:
        """Count the groups between two borders at once, for one score column after another."""
        steps = (borders.size - 1) * len(counters)
        for block, (start, end) in enumerate(pairwise(borders.tolist())):
            by_group: dict[str, dict[str, OperatingPoints | str]] = {
                group: {} for group in names[start:end]
            }
            for index, (name, counter) in enumerate(counters.items()):
                tables, one_class = self._tables(counter, set(by_group))
                for (group, *model), table in (tables | one_class).items():
                    by_group[group][model[0] if model else name] = table
                if self._progress is not None:
                    step = block * len(counters) + index + 1
                    self._progress(self._totals.size * step // steps, self._totals.size)
            yield from by_group.items()

    def _counter(self, name: str, keys: list[str]) -> _Counter:
        """Return what is known of a score column before its rows are counted."""
        column = list(self._layout.scores).index(name)
        series = _series_of(self._totals, keys)
        ranges, one_class = _whole_ranges(
            self._totals, column, self._totals.positive_totals(name), series
        )
        return _Counter(name, column, keys, series, ranges, one_class)

    def _tables(
        self, counter: _Counter, groups: set[str] | None = None
    ) -> tuple[dict[tuple[str, ...], OperatingPoints], dict[tuple[str, ...], str]]:
        """Return the tables of one score column by the values of key columns, of some groups.

        The second mapping has the series of one class only, and which class that is.
        """
        name, column, keys, series, ranges, one_class = counter
        ids = series.ids(keys)
        if groups is not None and ids is not None:
            chosen = np.array([group in groups for group, *_ in series.names], np.bool_)
            ranges = ranges.take(chosen[ranges.series])
            one_class = {number: only for number, only in one_class.items() if chosen[number]}
            ids = ids.filter(chosen)
        label = self._layout.label
        if ranges.open.any():
            rows = self._rows(name, column, keys, counter.ranges)
            passes = Passes(self._source, rows, ranges, ids)
            passes.run(TOLERANCE if self._tolerance is None else self._tolerance, label)
            ranges = passes.ranges
            if groups is None:
                for _ in range(passes.number):
                    self._report_progress()
        tables = {
            series.names[number]: OperatingPoints(table_of_tally(tally, counted=label))
            for number, tally in ranges.tallies().items()
        }
        return tables, {series.names[number]: only for number, only in one_class.items()}

    def _rows(self, name: str, column: int, keys: list[str], ranges: Ranges) -> nw.LazyFrame[Any]:
        """Return the finite scores of one column with their labels as counts."""
        import narwhals.stable.v2 as nw

        score = nw.col(f"score_{column}")
        rows = self._totals.rows
        if ranges.lo.dtype.kind == "f" and np.isinf(ranges.lo).any():
            rows = rows.filter((score < INF) & (score > -INF))
        positive = nw.col("label") == self._totals.positive_label(name)
        weighted = self._layout.weight is not None
        weight = nw.col("weight") if weighted else nw.lit(1).cast(nw.Int64)
        zero = weight * 0 if weighted else nw.lit(0).cast(nw.Int64)
        counts = {"tp": nw.when(positive).then(weight).otherwise(zero)}
        if weighted:
            counts["fp"] = nw.when(positive).then(zero).otherwise(weight)
        return rows.select(*keys, score=score, **counts)


class _Counter(NamedTuple):
    """A score column before its rows are counted."""

    name: str
    column: int
    keys: list[str]
    series: _Series
    ranges: Ranges
    """The ranges of whole series of two classes."""
    one_class: dict[int, str]
    """The other series, and which class they have."""


class _Series(NamedTuple):
    """Which rows of the totals are counted together: those of one table."""

    totals: ClusterTotals
    codes: NDArray[np.int64]
    names: list[tuple[str, ...]]
    """The values of key columns, as texts, for each series."""

    def ids(self, keys: list[str]) -> pa.Table | None:
        """Return the table by which rows find the range of their series; None for one series."""
        if not keys:
            return None
        import pyarrow as pa

        first = np.unique(self.codes, return_index=True)[1]
        table = self.totals.table.select(keys).take(pa.array(first))
        return table.append_column("range_id", pa.array(np.arange(first.size)))


def _series_of(totals: ClusterTotals, keys: list[str]) -> _Series:
    if not keys:
        return _Series(totals, np.zeros(totals.table.num_rows, np.int64), [()])
    names, ranks = [], []
    for key in keys:
        row_codes, values = codes(totals.table[key].combine_chunks())
        group_names = GroupNames(totals.columns[key])
        value_codes = group_names.encode(values)
        ordered, rank = group_names.in_order()
        names.append(list(ordered))
        ranks.append(rank[value_codes[row_codes]])
    distinct, numbers = np.unique(np.stack(ranks), axis=1, return_inverse=True)
    series = [
        tuple(ordered[rank] for ordered, rank in zip(names, ranks_of_series, strict=True))
        for ranks_of_series in distinct.T.tolist()
    ]
    return _Series(totals, numbers.ravel(), series)


def _whole_ranges(
    totals: ClusterTotals, column: int, positive: NDArray[np.bool_], series: _Series
) -> tuple[Ranges, dict[int, str]]:
    """Return the ranges of finite scores and those at both infinities, of series of two classes.

    The second mapping has the others, and which class they have.
    """
    count = len(series.names)
    columns = {
        name: numbers_of(totals.table, f"{name}_{column}")
        for name in ("size", "rows", "above", "below", "lo", "hi")
    }

    def summed(values: NDArray[Any], which: NDArray[np.bool_]) -> NDArray[Any]:
        sums = np.zeros(count, columns["size"].dtype)
        np.add.at(sums, series.codes[which], values[which])
        return sums

    lowest, highest = _extremes(columns, series.codes, count)
    number, none = np.arange(count), np.full(count, -1)
    rows = np.zeros(count, np.int64)
    np.add.at(rows, series.codes, columns["rows"].astype(np.int64))
    parts = []
    for name, ids, lo, hi, size in (
        ("size", number, lowest, highest, rows),
        ("above", none, np.full(count, INF), np.full(count, INF), 0 * rows),
        ("below", none, np.full(count, -INF), np.full(count, -INF), 0 * rows),
    ):
        tp, fp = summed(columns[name], positive), summed(columns[name], ~positive)
        filled = np.flatnonzero(tp + fp > 0)
        if filled.size:
            parts.append(Ranges(number, ids, none, lo, hi, tp, fp, size).take(filled))
    ranges = Ranges(*(np.concatenate(columns) for columns in zip(*parts, strict=True))).sorted()
    positives, negatives = (
        np.bincount(ranges.series, counts, count) for counts in (ranges.positives, ranges.negatives)
    )
    one_class = {
        int(number): "positives" if positives[number] > 0 else "negatives"
        for number in np.flatnonzero((positives == 0) | (negatives == 0))
    }
    return ranges.take(~np.isin(ranges.series, list(one_class))), one_class


def _extremes(
    columns: dict[str, NDArray[Any]], codes: NDArray[np.int64], count: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the lowest and the highest finite score of each series; 0 where there is none."""
    finite = columns["rows"] > 0
    lowest = np.zeros(count, columns["lo"].dtype)
    highest = lowest.copy()
    series, first = np.unique(codes[finite], return_index=True)
    for extremes, name, extreme in ((lowest, "lo", np.minimum), (highest, "hi", np.maximum)):
        values = columns[name][finite]
        extremes[series] = values[first]
        extreme.at(extremes, codes[finite], values)
    return lowest, highest
