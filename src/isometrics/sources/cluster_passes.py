"""Scores counted in a cluster, one pass after another, until every table is close enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics.errors import FileError, ToleranceWarning, warn
from isometrics.sources.cuts import Cuts, cuts_of, way_to
from isometrics.sources.leaves import ROOM, Leaves, plan_of, widest

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import pyarrow as pa

    from isometrics.sources.clusters import ClusterFrame
    from isometrics.sources.leaves import Plan

MOST_PASSES = 30
_SAME = 1e-9
"""Sums of weights are rounded, in another order in each pass."""


class Roots(NamedTuple):
    """The ranges of whole series, before any is cut."""

    leaves: Leaves
    names: pa.Table | None
    """The values of key columns by which rows find the ``node`` of their series; None if all
    rows are one series."""


class Passes:
    """Passes over the rows of one score column.

    Parameters
    ----------
    source
        The cluster.
    rows
        Columns ``score``, ``tp`` and, where rows have weights, ``fp``, and the names of series.
    roots
        The series.
    """

    def __init__(self, source: ClusterFrame, rows: nw.LazyFrame[Any], roots: Roots) -> None:
        self.leaves = roots.leaves
        self.collected: list[int] = []
        """How many rows each pass has collected."""
        self._source = source
        self._weighted = "fp" in rows.collect_schema().names()
        self._keys = [] if roots.names is None else roots.names.column_names[:-1]
        self._rows = rows
        if roots.names is not None:
            self._rows = rows.join(
                source.local(roots.names, rows, self._keys), on=self._keys, how="inner"
            )
        self._before: list[Cuts] = []
        self._next = int(self.leaves.node.max()) + 1

    def run(self, tolerance: float, label: str) -> None:
        """Pass over the rows until each bracket is narrow, and the hull of each series is known.

        `label` is what errors call the labels.
        """
        series = [number for number, _ in self.leaves.of_series()]
        aims = dict.fromkeys(series, tolerance)
        for _ in range(MOST_PASSES):
            plan = plan_of(self.leaves, aims, ROOM)
            while not plan.cut.size and (wide := self._wider_than(tolerance, label)):
                aims |= {number: aims[number] / 2 for number in wide}
                plan = plan_of(self.leaves, aims, ROOM)
            if not plan.cut.size:
                return
            self._look(plan)
        if wide := self._wider_than(tolerance, label):
            warn(
                f"the areas are known to {max(wide.values()):.2g} only, after {MOST_PASSES} "
                f"passes; tolerance= asks for {tolerance:.2g}",
                ToleranceWarning,
            )

    def _wider_than(self, tolerance: float, label: str) -> dict[int, float]:
        """Return the series whose brackets are too wide, and how wide they are."""
        widths = {
            number: widest(self.leaves.take(part).points(label))
            for number, part in self.leaves.of_series()
        }
        return {number: width for number, width in widths.items() if width > tolerance}

    def _look(self, plan: Plan) -> None:
        """Count the pieces of some ranges, and put them in their place."""
        cut = self.leaves.take(plan.cut)
        cuts = cuts_of(cut, plan.pieces, self._next)
        self._next = int(cuts.first[-1] + plan.pieces[-1])
        found = self._source.collect(self._counted(way_to(cuts, self._before)))
        self.collected.append(found.num_rows)
        pieces = self._pieces(found, cut, cuts)
        self._before.append(cuts.take(np.argsort(cuts.node)))
        self.leaves = self.leaves.with_pieces(plan.cut, pieces)

    def _counted(self, way: list[Cuts]) -> nw.LazyFrame[Any]:
        """Return the aggregation of one pass: the rows of each piece, and its extreme scores."""
        import narwhals.stable.v2 as nw

        rows = self._rows
        for place, cuts in enumerate(way):
            if place == 0 and not self._keys:
                only = {
                    name: nw.lit(column[0].item())
                    for name, column in cuts._asdict().items()
                    if name not in ("node", "parent")
                }
            else:
                only = {name: nw.col(name) for name in ("factor", "shift", "scale", "first")}
                local = self._source.local(_table(cuts), rows, ["node"])
                rows = rows.join(local, on="node", how="inner")
            rows = rows.select(*self._kept(), node=_piece(only, whole=cuts.whole))
        sums = ["tp", "fp"] if self._weighted else ["tp"]
        return rows.group_by("node").agg(
            nw.len().alias("rows"),
            *(nw.col(name).sum() for name in sums),
            nw.col("score").min().alias("lo"),
            nw.col("score").max().alias("hi"),
        )

    def _kept(self) -> list[str]:
        return ["score", "tp", "fp"] if self._weighted else ["score", "tp"]

    def _pieces(self, found: pa.Table, cut: Leaves, cuts: Cuts) -> Leaves:
        """Return the pieces that were counted; together they must be the ranges that were cut."""
        found = found.sort_by("node")
        node, rows, tp, lo, hi = (
            found[name].to_numpy() for name in ("node", "rows", "tp", "lo", "hi")
        )
        rows = rows.astype(np.int64)
        fp = found["fp"].to_numpy() if self._weighted else rows - tp
        origin = np.searchsorted(cuts.first, node, "right") - 1
        pieces = Leaves(cut.series[origin], node, cut.node[origin], lo, hi, tp, fp, rows)
        inner = np.diff(origin) == 0
        same = True
        for now, before in ((rows, cut.rows), (tp, cut.positives), (fp, cut.negatives)):
            sums = np.bincount(origin, now, cut.node.size)
            rounding = _SAME if before.dtype.kind == "f" else 0.0
            same &= bool(np.allclose(sums, before, rtol=rounding, atol=rounding * before.sum()))
        if not same or (hi[:-1] >= lo[1:])[inner].any():
            raise FileError(
                f"the predictions of {self._source.name} changed while they were read; keep a "
                "fixed copy, and read that"
            )
        return pieces


def _table(cuts: Cuts) -> pa.Table:
    import pyarrow as pa

    columns = cuts._asdict()
    del columns["parent"]
    return pa.table({name: pa.array(column) for name, column in columns.items()})


def _piece(cut: dict[str, nw.Expr], *, whole: bool) -> nw.Expr:
    """Return the piece of a row."""
    import narwhals.stable.v2 as nw

    score = nw.col("score")
    if whole:
        offset = (score - cut["shift"]).cast(nw.Float64)
    else:
        offset = score.cast(nw.Float64) * cut["factor"] - cut["shift"]
    # The offset is never negative, so that cutting off its fraction rounds down.
    return cut["first"] + (offset * cut["scale"]).cast(nw.Int64)
