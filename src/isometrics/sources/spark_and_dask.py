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
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from pyarrow import types

from isometrics._core.arrays import ALL_DROPPED, MISSING, Column, RowNumbers
from isometrics._core.counts import LARGEST_COUNT, check_totals
from isometrics._core.rows import INFINITE, NEGATIVE, Dropped
from isometrics._core.sample import GroupNames
from isometrics._table.building import table_of_tally
from isometrics.errors import (
    FileError,
    MissingValueError,
    ParameterError,
    ScoreError,
    WeightError,
)
from isometrics.points import OperatingPoints
from isometrics.points.models import GroupTables, group_tables
from isometrics.sources.batches import (
    FIRST_ROWS,
    NUMERIC,
    WHOLE_DIGITS,
    Source,
    codes,
    columns_of,
    kind_of,
    numbers,
    reading,
)
from isometrics.sources.cleaning import Cleaner, as_column
from isometrics.sources.cluster_passes import TOLERANCE, Passes, PassLimits, ScoreRanges
from isometrics.sources.files import FrameSource
from isometrics.sources.tables import ABSENT_CLASS, Pass, Tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from isometrics.sources.batches import Batches
    from isometrics.sources.column_roles import Layout

    Progress = Callable[[int, int | None], None]
    ByModel = dict[str, OperatingPoints]

INF = float("inf")
_SPARK = ("pyspark", "pyspark[connect]")
_DISTRIBUTED = (*_SPARK, "dask")
_ERRORS = (
    ("pyspark.errors", "PySparkException"),
    ("py4j.protocol", "Py4JError"),
    ("grpc", "RpcError"),
    ("distributed.scheduler", "KilledWorker"),
    ("distributed.scheduler", "NoWorkerError"),
    ("distributed.client", "FutureCancelledError"),
    ("distributed.client", "FuturesCancelledError"),
)
"""What Spark and Dask raise; libraries that are not loaded raise none, and stay so."""
_OUT_OF_MEMORY = (
    "Spark ran out of memory; start it with more than the 1 GB of its defaults, such as "
    "spark.driver.memory=4g, and on a cluster spark.executor.memory=4g"
)
FIRST = "first rows"
"""The purpose of what is collected to find out what the columns are."""


def frame_source(frame: Any) -> FrameSource | ClusterFrame:
    """Return a data frame as a source: those of Spark and Dask are left where they are."""
    if type(frame).__module__.partition(".")[0] in ("pyspark", "dask", "narwhals"):
        given = nw.from_native(frame, pass_through=True)
        if isinstance(given, nw.LazyFrame) and given.implementation.value in _DISTRIBUTED:
            return ClusterFrame(given)
    return FrameSource(frame)


@contextmanager
def asking(name: str) -> Iterator[None]:
    """Turn what a cluster's libraries raise into one sentence, and hide what they say of pandas."""
    loaded = [(sys.modules[module], error) for module, error in _ERRORS if module in sys.modules]
    errors = tuple(getattr(module, error) for module, error in loaded)
    with reading(name, *errors, RuntimeError, ValueError), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        # The tables of cuts are part of what Dask is sent to do, and are as short as they can be.
        warnings.filterwarnings("ignore", "Sending large graph")
        try:
            yield
        except errors as error:
            # Spark tells it in a text alone, often below what failed because of it.
            if "OutOfMemoryError" in str(error):
                raise FileError.unreadable(name, _OUT_OF_MEMORY) from error
            raise


class ClusterFrame(Source):
    """A frame of Spark, classic or Connect, or of Dask.

    Parameters
    ----------
    frame
        The frame, through narwhals.
    name
        What messages call it.
    limits
        How much the passes over its rows may do.
    """

    def __init__(
        self, frame: Any, name: str = "the data frame", limits: PassLimits | None = None
    ) -> None:
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
        """What every collection so far has collected."""

    @cached_property
    def schema(self) -> pa.Schema:
        """The names and types of all columns."""
        return self.head(list(self._aliases)).schema

    def columns(self, **wanted: str) -> nw.LazyFrame[Any]:
        """Return some columns, under the names of the arguments."""
        return self._frame.select(
            **{name: nw.col(self._aliases[column]) for name, column in wanted.items()}
        )

    def collect(self, frame: nw.LazyFrame[Any], purpose: str) -> pa.Table:
        """Compute what is left of a frame, which must be little, and note how many rows came.

        All that ever comes from the cluster comes through here.
        """
        with asking(self.name):
            if self.backend.is_dask():
                # A scheduler elsewhere would run each step of an expression as a task.
                frame = nw.from_native(nw.to_native(frame).optimize())
            table = (
                frame.collect(backend="pyarrow").to_native()
                if self._session is None
                else nw.to_native(frame).toArrow()
            )
        self.passes.append(Pass(purpose, None, None, None, collected=table.num_rows))
        return table

    def local(
        self, table: pa.Table, rows: nw.LazyFrame[Any], keys: Sequence[str]
    ) -> nw.LazyFrame[Any]:
        """Send a small table to wherever the rows are, to be joined with them by key columns."""
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

    def batches(self, columns: Sequence[str], *, limit: int | None = None) -> Batches:
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
            2**20 rows and distinct scores; shorter ones are exact.
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
        reader = ClusterTables(self, layout, tolerance, progress)
        points, skipped = reader.models()
        groups = GroupTables({}, {}) if layout.group is None else reader.groups()
        passes = tuple(self.passes)
        self.passes.clear()
        over_all = [each for each in passes if each.purpose != FIRST]
        return Tables(
            points,
            groups.groups,
            skipped | groups.skipped,
            rows=None,
            without_rows="they stay in the cluster; read a sample of them that fits into memory",
            note=f"counted in the cluster in {len(over_all)} passes, which collected "
            f"{sum(each.collected for each in over_all)} rows",
            passes=passes,
        )

    def complete_rows(self, layout: Layout) -> tuple[ClusterFrame, str]:
        """Return the rows that miss no value in any column that is used, and how many others."""
        missing: dict[str, nw.Expr] = {}
        for name in columns_of(layout):
            value, dtype = nw.col(self._aliases[name]), self.schema.field(name).type
            missing[name] = value.is_null()
            if types.is_floating(dtype):
                missing[name] = missing[name] | value.is_nan().fill_null(True)
        weight = layout.weight
        if weight is not None and kind_of(self.schema.field(weight).type) in NUMERIC:
            # A row of weight 0 is absent, whatever it misses.
            absent = (nw.col(self._aliases[weight]) == 0).fill_null(False)
            missing = {name: flag & ~absent for name, flag in missing.items()}
        incomplete = nw.any_horizontal(*missing.values(), ignore_nulls=False)
        flags = {f"missing_{index}": as_count(flag) for index, flag in enumerate(missing.values())}
        frame = self._frame.with_columns(**flags, incomplete=incomplete)
        # Dask fuses sums of all rows into tasks that miss each other, and those of groups well.
        sums = frame.group_by("incomplete").agg(nw.len().alias("size"), nw.col(*flags).sum())
        counted = self.collect(sums, "missing values").to_pylist()
        dropped = Dropped()
        for counts in filter(itemgetter("incomplete"), counted):
            dropped.rows = counts["size"]
            dropped.columns.update(dict(zip(missing, map(counts.get, flags), strict=True)))
        if dropped.rows and len(counted) == 1:
            raise MissingValueError(ALL_DROPPED)
        rest = copy.copy(self)
        rest._frame = frame.filter(~nw.col("incomplete")).select(*self._aliases.values())
        rest._first = None
        return rest, dropped.describe()


# ---------------------------------------------------------------------- the first pass


def _keys(layout: Layout) -> dict[str, str]:
    """Return the columns that rows are counted by: those of labels, models and groups."""
    named = {"label": layout.label, "model": layout.model, "group": layout.group}
    return {role: name for role, name in named.items() if name is not None}


def _typed(source: ClusterFrame, layout: Layout) -> nw.LazyFrame[Any]:
    """Return the rows of some weight, in types that hold all their values exactly."""
    named = _keys(layout) | {f"score_{k}": name for k, name in enumerate(layout.scores.values())}
    if layout.weight is not None:
        named["weight"] = layout.weight
    typed = {}
    for role, name in named.items():
        dtype = source.schema.field(name).type
        kind = nw.Float64 if role == "weight" else _type_of(dtype, score=role.startswith("score_"))
        typed[role] = nw.col(role) if kind is None else nw.col(role).cast(kind)
    if layout.weight is None:
        return source.columns(**named).select(**typed, weight=nw.lit(1.0))
    rows = source.columns(**named).select(**typed)
    # A row of weight 0 is absent; one that misses its weight is not.
    return rows.filter((nw.col("weight") != 0).fill_null(True))


def _type_of(dtype: pa.DataType, *, score: bool) -> Any:
    """Return the type to cast to; None for those that are fine."""
    kind = kind_of(dtype)
    if types.is_dictionary(dtype):
        of_kind = {"string": nw.String, "integer": nw.Int64, "float": nw.Float64}
        return of_kind.get(kind)
    if kind == "float" and (score or types.is_decimal(dtype)):
        return nw.Int64 if _holds_integers(dtype) else nw.Float64
    if score and kind in ("integer", "boolean"):
        return nw.UInt64 if types.is_uint64(dtype) else nw.Int64
    return None


def _holds_integers(dtype: pa.DataType) -> bool:
    whole = types.is_decimal(dtype) and dtype.scale <= 0 and dtype.precision <= WHOLE_DIGITS
    return whole or kind_of(dtype) != "float"


def _missing_flag(name: str, *, floats: bool) -> nw.Expr:
    missing = nw.col(name).is_null()
    return as_count(missing | nw.col(name).is_nan() if floats else missing)


def as_count(condition: nw.Expr) -> nw.Expr:
    """Return 1 where a condition holds, else 0."""
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0)).cast(nw.Int64)


def _totals(source: ClusterFrame, rows: nw.LazyFrame[Any], layout: Layout) -> pa.Table:
    """Count rows by label, model and group, with the extremes of the scores.

    For each score column there are how many rows miss it, the weight of all others, the weights
    at both infinities, the number of finite scores, the lowest and the highest of these.
    """
    keys = list(_keys(layout))
    weight = nw.col("weight")
    parts: dict[str, nw.Expr] = {
        "weight": weight,
        "missing": _missing_flag("weight", floats=True),
        "negative": as_count(weight < 0),
        "infinite": as_count(weight == INF),
    }
    sums, extremes = list(parts), []
    types = rows.collect_schema()

    def weight_where(condition: nw.Expr) -> nw.Expr:
        return nw.when(condition).then(weight).otherwise(nw.lit(0.0))

    for index in range(len(layout.scores)):
        score, floats = nw.col(f"score_{index}"), types[f"score_{index}"] == nw.Float64
        finite = (score < INF) & (score > -INF) if floats else ~score.is_null()
        parts |= {
            f"missing_{index}": _missing_flag(f"score_{index}", floats=floats),
            f"size_{index}": weight_where(finite),
            f"rows_{index}": as_count(finite),
            f"above_{index}": weight_where(score == INF) if floats else nw.lit(0.0),
            f"below_{index}": weight_where(score == -INF) if floats else nw.lit(0.0),
            f"finite_{index}": nw.when(finite).then(score) if floats else score,
        }
        sums += [f"{what}_{index}" for what in ("missing", "size", "rows", "above", "below")]
        extremes += [
            nw.col(f"finite_{index}").min().alias(f"lo_{index}"),
            nw.col(f"finite_{index}").max().alias(f"hi_{index}"),
        ]
    counted = (
        rows.select(*keys, **parts)
        .group_by(*keys)
        .agg(nw.len().alias("rows"), *(nw.col(name).sum() for name in sums), *extremes)
    )
    totals = source.collect(counted.head(source.limits.most_rows + 1), "totals")
    if totals.num_rows > source.limits.most_rows:
        several = " and ".join(map(repr, _keys(layout).values()))
        raise ParameterError(
            f"{several} have more than {source.limits.most_rows} combinations of values; labels, "
            "models and groups must be few enough to be counted one by one"
        )
    return totals.sort_by([(key, "ascending") for key in keys])


def _recount(totals: pa.Table, labels: Column, first_rows: int, cleaner: Cleaner) -> int:
    """Tell the checks how many rows there are of each kind, and return how many in all."""
    layout, times = cleaner.layout, totals["rows"].to_numpy()

    def flagged(name: str) -> int:
        return int(totals[name].to_numpy().sum())

    cleaner.recount(first_rows, int(times.sum()), float(totals["weight"].to_numpy().sum()))
    missing = labels.missing()
    present = np.ones(labels.values.size, np.bool_) if missing is None else ~missing
    cleaner.classes.recount(labels.take(np.flatnonzero(present)), times[present])
    counts = {
        name: int(times[codes(totals[role].combine_chunks())[0] < 0].sum())
        for role, name in _keys(layout).items()
    }
    counts |= {name: flagged(f"missing_{k}") for k, name in enumerate(layout.scores.values())}
    if layout.weight is not None:
        counts[layout.weight] = flagged("missing")
        for flag, what in (("negative", NEGATIVE), ("infinite", INFINITE)):
            cleaner.found.recount(layout.weight, flagged(flag), WeightError, what)
    for name, count in counts.items():
        cleaner.found.recount(name, count, MissingValueError, MISSING)
    return int(times.sum())


# ---------------------------------------------------------------------- tables


class _Series(NamedTuple):
    """Which rows of the totals are counted together: those of one table."""

    codes: NDArray[np.int64]
    names: list[tuple[str, ...]]
    """The values of key columns, as texts, for each series."""


class ClusterTables:
    """Checks all rows by the rules of every other engine, and counts the score columns one by one.

    Only the first rows are looked at one by one: they tell positions, and the order of labels.
    """

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
        cleaner = Cleaner(layout, source)
        first = source.head(columns_of(layout))
        for batch in first.combine_chunks().to_batches():
            cleaner.samples(batch)
        if first.num_rows < FIRST_ROWS:
            cleaner.finish()
        numeric = dict.fromkeys(layout.scores.values(), ScoreError) | {layout.weight: WeightError}
        for name, error in numeric.items():
            if name is not None and kind_of(dtype := source.schema.field(name).type) not in NUMERIC:
                raise error(
                    f"{name} holds {dtype} values where numbers are needed; cast it in the cluster"
                )
        self._rows = _typed(source, layout)
        self._totals = _totals(source, self._rows, layout)
        """One row for each label, model and group."""
        labels = as_column(layout.label, self._column("label"), RowNumbers(None))
        self._size = _recount(self._totals, labels, first.num_rows, cleaner)
        cleaner.finish()
        self._positive = cleaner.positive(labels)
        # Floats add up whole weights exactly, as long as the sum is no larger than this.
        self._whole = self._totals["weight"].to_numpy().sum() <= LARGEST_COUNT and (
            layout.weight is None or _holds_integers(source.schema.field(layout.weight).type)
        )
        self._report_progress()

    def _column(self, name: str) -> pa.Array:
        return self._totals[name].combine_chunks()

    def _report_progress(self) -> None:
        if self._progress is not None:
            self._progress(self._size, self._size)

    def models(self) -> tuple[ByModel, dict[str, str]]:
        """Return the tables over all rows, and why some classes have none."""
        layout = self._layout
        points: ByModel = {}
        skipped: dict[str, str] = {}
        keys = [] if layout.model is None else ["model"]
        for name in layout.scores:
            for names, table in self._tables(name, keys).items():
                if isinstance(table, OperatingPoints):
                    points[names[0] if names else name] = table
                # Of many classes some may be absent; that leaves the others as they are.
                elif layout.multiclass and len(layout.scores) > 1:
                    skipped[name] = ABSENT_CLASS
                else:
                    is_positive = table == "positives"
                    check_totals(int(is_positive), int(not is_positive), counted=layout.label)
        return points, skipped

    def groups(self) -> GroupTables:
        """Return the tables of groups, and why some groups have none."""
        keys = ["group"] if self._layout.model is None else ["group", "model"]
        found: dict[str, dict[str, OperatingPoints | str]] = {}
        for name in self._layout.scores:
            for (group, *model), table in self._tables(name, keys).items():
                found.setdefault(group, {})[model[0] if model else name] = table
        return group_tables(found)

    def _tables(self, name: str, keys: list[str]) -> dict[tuple[str, ...], OperatingPoints | str]:
        """Return the tables of one score column by the values of key columns.

        A series of one class only has the name of that class instead.
        """
        column = list(self._layout.scores).index(name)
        positive = self._positive[name if name in self._positive else ""]
        series = self._series(keys)
        ranges, one_class = self._whole_ranges(column, positive, series)
        label = self._layout.label
        if ranges.open.any():
            score = nw.col(f"score_{column}")
            rows = self._rows
            if np.isinf(ranges.lo.astype(np.float64)).any():
                rows = rows.filter((score < INF) & (score > -INF))
            is_positive = nw.col("label") == self._totals["label"][int(positive.argmax())].as_py()
            rows = rows.select(
                *keys,
                score=score,
                tp=nw.when(is_positive).then(nw.col("weight")).otherwise(nw.lit(0.0)),
                fp=nw.when(is_positive).then(nw.lit(0.0)).otherwise(nw.col("weight")),
            )
            passes = Passes(self._source, rows, ranges, self._ids(keys, series.codes))
            passes.run(TOLERANCE if self._tolerance is None else self._tolerance, label)
            ranges = passes.ranges
            for _ in range(passes.number):
                self._report_progress()
        found: dict[int, OperatingPoints | str] = {
            number: OperatingPoints(table_of_tally(tally, counted=label))
            for number, tally in ranges.tallies().items()
        }
        found |= one_class
        return {series.names[number]: found[number] for number in sorted(found)}

    def _series(self, keys: list[str]) -> _Series:
        if not keys:
            return _Series(np.zeros(self._totals.num_rows, np.int64), [()])
        names, ranks = [], []
        for key in keys:
            row_codes, values = codes(self._column(key))
            group_names = GroupNames(_keys(self._layout)[key])
            value_codes = group_names.encode(values)
            ordered, rank = group_names.in_order()
            names.append(list(ordered))
            ranks.append(rank[value_codes[row_codes]])
        distinct, numbers = np.unique(np.stack(ranks), axis=1, return_inverse=True)
        series = [
            tuple(ordered[rank] for ordered, rank in zip(names, ranks_of_series, strict=True))
            for ranks_of_series in distinct.T.tolist()
        ]
        return _Series(numbers.ravel(), series)

    def _ids(self, keys: list[str], series: NDArray[np.int64]) -> pa.Table | None:
        """Return the table by which rows find the range of their series; None for one series."""
        if not keys:
            return None
        first = np.unique(series, return_index=True)[1]
        table = self._totals.select(keys).take(pa.array(first))
        return table.append_column("range_id", pa.array(np.arange(first.size)))

    def _whole_ranges(
        self, column: int, positive: NDArray[np.bool_], series: _Series
    ) -> tuple[ScoreRanges, dict[int, str]]:
        """Return the ranges of finite scores and at both infinities, of series of two classes.

        The second mapping has the others, and which class they have.
        """
        count = len(series.names)
        columns = {
            name: numbers(self._column(f"{name}_{column}")).values
            for name in ("size", "rows", "above", "below", "lo", "hi")
        }

        def summed(values: NDArray[Any], which: NDArray[np.bool_]) -> NDArray[Any]:
            sums = np.zeros(count, np.int64 if self._whole else np.float64)
            np.add.at(sums, series.codes[which], values[which].astype(sums.dtype))
            return sums

        finite = columns["rows"] > 0
        dtype = columns["lo"].dtype
        ends = np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)
        lowest, highest = np.full(count, ends.max, dtype), np.full(count, ends.min, dtype)
        np.minimum.at(lowest, series.codes[finite], columns["lo"][finite])
        np.maximum.at(highest, series.codes[finite], columns["hi"][finite])
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
                parts.append(ScoreRanges(number, ids, none, lo, hi, tp, fp, size).take(filled))
        joined = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        ranges = ScoreRanges(*joined).sorted()
        positives, negatives = (
            np.bincount(ranges.series, counts, count)
            for counts in (ranges.positives, ranges.negatives)
        )
        one_class = {
            int(number): "positives" if positives[number] > 0 else "negatives"
            for number in np.flatnonzero((positives == 0) | (negatives == 0))
        }
        return ranges.take(~np.isin(ranges.series, list(one_class))), one_class
