"""From rows in a cluster to one table for each model, and for each group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.groups import GroupNames
from isometrics._core.sample import check_totals
from isometrics.errors import OneClassError, ParameterError
from isometrics.sources.arrow import codes
from isometrics.sources.census import INF, Census, census_of, numbers_of
from isometrics.sources.cluster_passes import Passes, Roots
from isometrics.sources.groups import GroupTables, group_tables
from isometrics.sources.leaves import Leaves

if TYPE_CHECKING:
    from collections.abc import Callable

    import narwhals.stable.v2 as nw
    from numpy.typing import NDArray

    from isometrics.points import OperatingPoints
    from isometrics.sources.clusters import ClusterFrame
    from isometrics.sources.columns import Layout

    Progress = Callable[[int, int | None], None]
    ByModel = dict[str, OperatingPoints]

TOLERANCE = 1e-6
"""How wide brackets may be where rows are too many for an exact table."""


class ClusterTables(NamedTuple):
    """The tables of rows in a cluster, and the work it took."""

    points: ByModel
    groups: dict[str, ByModel]
    skipped: dict[str, str]
    collected: list[int]
    """The rows that each pass collected, the first one, which checks all rows, included."""


def read_cluster(
    source: ClusterFrame,
    layout: Layout,
    *,
    tolerance: float | None = None,
    keep_rows: bool = False,
    progress: Progress | None = None,
) -> ClusterTables:
    """Count the predictions of a cluster there; only aggregates are collected.

    Parameters
    ----------
    source
        Where the rows are.
    layout
        Which column is what.
    tolerance
        How wide the brackets of areas may be, by default 1e-6, where a table has more than 2**20
        rows and distinct scores; shorter ones are exact.
    keep_rows
        Refused: rows stay where they are.
    progress
        Called after each pass with the rows it has read.
    """
    if keep_rows:
        raise ParameterError(
            "the rows of a cluster stay there; to compare models on the same rows, read a sample "
            "of them that fits into memory"
        )
    reader = _Reader(source, layout, TOLERANCE if tolerance is None else tolerance, progress)
    points, skipped = reader.models()
    groups, no_groups = reader.groups() if layout.group is not None else ({}, {})
    return ClusterTables(points, groups, skipped | no_groups, reader.collected)


class _Reader:
    """Counts the score columns one after another."""

    def __init__(
        self, source: ClusterFrame, layout: Layout, tolerance: float, progress: Progress | None
    ) -> None:
        self._source = source
        self._layout = layout
        self._tolerance = tolerance
        self._progress = progress
        self._census = census_of(source, layout)
        self.collected = [self._census.totals.num_rows]
        self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self._census.size, self._census.size)

    def models(self) -> tuple[ByModel, dict[str, str]]:
        """Return the tables over all rows, and why some classes have none."""
        layout, skipped = self._layout, {}
        if layout.model is not None:
            (name,) = layout.scores
            found, one_class = self._tables(name, ["model"])
            for only in one_class.values():
                check_totals(
                    int(only == "positives"), int(only == "negatives"), counted=layout.label
                )
            return {model: points for (model,), points in found.items()}, {}
        points: ByModel = {}
        for name in layout.scores:
            positive = self._census.positive_totals(name)
            sums = [self._rows_where(positive), self._rows_where(~positive)]
            try:
                check_totals(*sums, counted=layout.label)
            except OneClassError:
                # Of many classes some may be absent; that leaves the others as they are.
                if not layout.multiclass or len(layout.scores) == 1:
                    raise
                skipped[name] = "no row has this class"
                continue
            points[name] = self._tables(name, [])[0][()]
        return points, skipped

    def groups(self) -> GroupTables:
        """Return the tables of groups, and why some groups have none."""
        keys = ["group"] if self._layout.model is None else ["group", "model"]
        found: dict[str, dict[str, OperatingPoints | str]] = {
            group: {} for (group,) in _series_of(self._census, ["group"]).names
        }
        for name in self._layout.scores:
            tables, one_class = self._tables(name, keys)
            for (group, *model), each in (tables | one_class).items():
                found[group][model[0] if model else name] = each
        return group_tables(found)

    def _rows_where(self, which: NDArray[np.bool_]) -> int:
        return int(self._census.totals["rows"].to_numpy()[which].sum())

    def _tables(
        self, name: str, keys: list[str]
    ) -> tuple[dict[tuple[str, ...], OperatingPoints], dict[tuple[str, ...], str]]:
        """Return the tables of one score column by the values of key columns.

        The second mapping has the series of one class only, and which class that is.
        """
        place = list(self._layout.scores).index(name)
        series = _series_of(self._census, keys)
        leaves, one_class = _ranges(self._census, place, self._census.positive_totals(name), series)
        label = self._layout.label
        roots = Roots(leaves, series.nodes(keys))
        if leaves.open.any():
            passes = Passes(self._source, self._rows(name, place, keys, leaves), roots)
            passes.run(self._tolerance, label)
            leaves = passes.leaves
            self.collected += passes.collected
            for _ in passes.collected:
                self._tell()
        found = {
            series.names[number]: leaves.take(part).points(label)
            for number, part in leaves.of_series()
        }
        return found, {series.names[number]: only for number, only in one_class.items()}

    def _rows(self, name: str, place: int, keys: list[str], leaves: Leaves) -> nw.LazyFrame[Any]:
        """Return the finite scores of one column with their labels as counts."""
        import narwhals.stable.v2 as nw

        score = nw.col(f"score_{place}")
        rows = self._census.rows
        if np.isinf(leaves.lo).any() if leaves.lo.dtype.kind == "f" else False:
            rows = rows.filter((score < INF) & (score > -INF))
        positive = nw.col("label") == self._census.positive_label(name)
        weighted = self._layout.weight is not None
        weight = nw.col("weight") if weighted else nw.lit(1).cast(nw.Int64)
        nothing = weight * 0 if weighted else nw.lit(0).cast(nw.Int64)
        counts = {"tp": nw.when(positive).then(weight).otherwise(nothing)}
        if weighted:
            counts["fp"] = nw.when(positive).then(nothing).otherwise(weight)
        return rows.select(*keys, score=score, **counts)


class _Series(NamedTuple):
    """Which rows of the totals belong together."""

    census: Census
    codes: NDArray[np.int64]
    names: list[tuple[str, ...]]
    """The values of key columns, as texts, for each series."""

    def nodes(self, keys: list[str]) -> Any:
        """Return the table by which rows find their series; None if they are one."""
        if not keys:
            return None
        import pyarrow as pa

        first = np.unique(self.codes, return_index=True)[1]
        table = self.census.totals.select(keys).take(pa.array(first))
        return table.append_column("node", pa.array(np.arange(first.size)))


def _series_of(census: Census, keys: list[str]) -> _Series:
    totals = census.totals
    if not keys:
        return _Series(census, np.zeros(totals.num_rows, np.int64), [()])
    names, ranks = [], []
    for key in keys:
        found, values = codes(totals[key].combine_chunks())
        collected = GroupNames(census.columns[key])
        batch = collected.codes_of(values)
        ordered, rank = collected.in_order()
        names.append(ordered)
        ranks.append(rank[batch[found]])
    distinct, numbers = np.unique(np.stack(ranks), axis=1, return_inverse=True)
    series = [
        tuple(ordered[rank] for ordered, rank in zip(names, each, strict=True))
        for each in distinct.T.tolist()
    ]
    return _Series(census, numbers.ravel(), series)


def _ranges(
    census: Census, place: int, positive: NDArray[np.bool_], series: _Series
) -> tuple[Leaves, dict[int, str]]:
    """Return the ranges of finite scores and those at both infinities, of series of two classes.

    The second mapping has the others, and which class they have.
    """
    count = len(series.names)
    columns = {
        what: numbers_of(census.totals, f"{what}_{place}")
        for what in ("size", "rows", "above", "below", "lo", "hi")
    }
    dtype = columns["size"].dtype

    def summed(values: NDArray[Any], which: NDArray[np.bool_]) -> NDArray[Any]:
        sums = np.zeros(count, dtype)
        np.add.at(sums, series.codes[which], values[which])
        return sums

    lowest, highest = _extremes(columns, series.codes, count)
    number = np.arange(count)
    unknown = np.full(count, -1)
    parts = []
    for what, lo, hi in (
        ("size", lowest, highest),
        ("above", np.full(count, INF), np.full(count, INF)),
        ("below", np.full(count, -INF), np.full(count, -INF)),
    ):
        finite = what == "size"
        tp, fp = summed(columns[what], positive), summed(columns[what], ~positive)
        rows = np.zeros(count, np.int64)
        if finite:
            np.add.at(rows, series.codes, columns["rows"].astype(np.int64))
        some = np.flatnonzero(tp + fp > 0)
        if some.size:
            leaves = Leaves(number, number if finite else unknown, unknown, lo, hi, tp, fp, rows)
            parts.append(leaves.take(some))
    leaves = Leaves(*(np.concatenate(columns) for columns in zip(*parts, strict=True))).ordered()
    totals = [
        np.bincount(leaves.series, counts, count) for counts in (leaves.positives, leaves.negatives)
    ]
    one_class = {
        int(each): "positives" if totals[0][each] > 0 else "negatives"
        for each in np.flatnonzero((totals[0] == 0) | (totals[1] == 0))
    }
    return leaves.take(~np.isin(leaves.series, list(one_class))), one_class


def _extremes(
    columns: dict[str, NDArray[Any]], codes: NDArray[np.int64], count: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the lowest and the highest finite score of each series; 0 where there is none."""
    known = columns["rows"] > 0
    lowest = np.zeros(count, columns["lo"].dtype)
    highest = lowest.copy()
    first = np.unique(codes[known], return_index=True)
    for extremes, name, better in ((lowest, "lo", np.minimum), (highest, "hi", np.maximum)):
        values = columns[name][known]
        extremes[first[0]] = values[first[1]]
        better.at(extremes, codes[known], values)
    return lowest, highest
