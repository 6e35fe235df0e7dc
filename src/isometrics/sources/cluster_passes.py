"""Scores counted in a cluster, one pass after another, until every table is close enough.

A pass cuts ranges of scores into pieces and counts the rows of each piece. Counts at the borders
of ranges are exact; ranges that may hold vertices of the hull, or that leave the areas most
uncertain, are cut again in the next pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from isometrics._counting.keys import order_of
from isometrics._counting.tally import Tally
from isometrics._table.building import table_of_tally
from isometrics.errors import FileError, ToleranceWarning, warn
from isometrics.measures import AUPR, AUPRG, AUROC, AVERAGE_PRECISION, bounds_of
from isometrics.points import OperatingPoints

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts, Floats
    from isometrics.sources.spark_and_dask import ClusterFrame

FINEST = 1 << 40
"""So many pieces separate the scores of a range, unless they lie extremely close together."""
BOUNDED = (AUROC, AUPR, AVERAGE_PRECISION, AUPRG)
"""The areas that a tolerance is about."""
TOLERANCE = 1e-6
"""How wide bounds may be where rows are too many for an exact table."""
_VERTEX_SHARE = 0.25
"""The share of a pass that may go to vertices of the hull before the uncertainty of areas."""
_AIM = 0.3
"""Uncertainty is reduced this far below the tolerance, as pieces are never equally uncertain."""


# ---------------------------------------------------------------------- ranges


class ScoreRanges(NamedTuple):
    """Ranges with rows: those of one series after those of another, the highest scores first.

    A series is what gets a table of its own: all rows, or those of one model, one group or both.
    """

    series: NDArray[np.int64]
    range_id: NDArray[np.int64]
    """The number by which rows find their range."""
    parent_id: NDArray[np.int64]
    """The range it is a piece of."""
    lo: NDArray[Any]
    """The lowest score."""
    hi: NDArray[Any]
    positives: Counts
    negatives: Counts
    rows: NDArray[np.int64]

    @property
    def open(self) -> NDArray[np.bool_]:
        """Which ranges hold several scores."""
        return np.asarray(self.lo != self.hi)

    def take(self, which: NDArray[Any] | slice) -> ScoreRanges:
        """Return some of them."""
        return ScoreRanges(*(column[which] for column in self))

    def sorted(self) -> ScoreRanges:
        """Return them in their order."""
        return self.take(np.lexsort((self.lo, -self.series))[::-1])

    def refine(self, cut: NDArray[np.intp], pieces: ScoreRanges) -> ScoreRanges:
        """Return the ranges with some of them replaced by their pieces."""
        left = np.ones(self.range_id.size, np.bool_)
        left[cut] = False
        both = zip(self.take(left), pieces, strict=True)
        return ScoreRanges(*(np.concatenate(columns) for columns in both)).sorted()

    def by_series(self) -> Iterator[tuple[int, slice]]:
        """Return the number and the ranges of each series."""
        starts = np.flatnonzero(np.diff(self.series, prepend=-1))
        ends = np.append(starts, self.series.size)[1:]
        for start, end in zip(starts, ends, strict=True):
            yield int(self.series[start]), slice(int(start), int(end))

    def tallies(self) -> dict[int, Tally]:
        """Return the counts of each series."""
        order = order_of(self.lo.dtype)
        lo, hi = order.keys(self.lo), order.keys(self.hi)
        counts = (lo, hi, self.positives, self.negatives)
        return {
            number: Tally(order, *(column[part][::-1] for column in counts))
            for number, part in self.by_series()
        }


# ---------------------------------------------------------------------- which ranges to cut


class PassLimits(NamedTuple):
    """How much the passes over a cluster may do."""

    most_rows: int = 1 << 20
    """The most rows that one pass may collect."""
    most_pieces: int = 1 << 16
    """A range is never cut into more pieces at once, as long as each may hold many rows."""
    most_passes: int = 30
    """Passes over one score column; if bounds are still too wide then, a warning says so."""


def plan_pass(
    ranges: ScoreRanges, tolerances: dict[int, float], limits: PassLimits
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return which ranges the next pass cuts, and into how many pieces; none if all is known.

    Where the rows of all open ranges fit, all scores are told apart. Else those ranges are cut
    that may hold vertices of the hull, or leave the areas most uncertain.

    Parameters
    ----------
    ranges
        What is known so far.
    tolerances
        How wide the bounds of each series may be.
    limits
        How many rows the pass may collect, and how many pieces of a range.
    """
    cut = np.flatnonzero(ranges.open)
    if ranges.rows[cut].sum() > limits.most_rows:
        wanted = _wanted(ranges, tolerances)
        cut = np.flatnonzero((wanted.uncertainty > 0) | wanted.vertex)
        if ranges.rows[cut].sum() > limits.most_rows:
            return _shared(cut, ranges.rows, wanted, limits)
    return cut, np.full(cut.size, FINEST)


class _Wanted(NamedTuple):
    """The reasons to cut each range."""

    uncertainty: Floats
    """How much it may add to the bounds of an area; 0 where that may stay."""
    vertex: NDArray[np.bool_]
    """Whether it may hold vertices of the hull, where there is no other reason."""
    enough: float
    """So many pieces in all reduce the uncertainty below the tolerance."""


def _wanted(ranges: ScoreRanges, tolerances: dict[int, float]) -> _Wanted:
    size = ranges.range_id.size
    uncertainty, vertex, enough = np.zeros(size), np.zeros(size, np.bool_), 0.0
    tallies = ranges.tallies()
    for series, part in ranges.by_series():
        tally, tolerance = tallies[series], tolerances[series]
        choice = tally.to_refine(tolerance)
        if choice.all_rows.any():
            # Ranges that are not cut use half of the tolerance, the pieces of the others the rest.
            choice = tally.to_refine(tolerance / 2)
        largest = np.where(choice.all_rows, tally.uncertainty().max(axis=0), 0.0)
        uncertainty[part], vertex[part] = largest[::-1], choice.vertices[::-1]
        enough += float(np.sqrt(uncertainty[part]).sum()) ** 2 / (_AIM * tolerance)
    return _Wanted(uncertainty, vertex, enough)


def _shared(
    cut: NDArray[np.intp], all_rows: NDArray[np.int64], wanted: _Wanted, limits: PassLimits
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Share the rows that a pass may collect among ranges.

    Notes
    -----
    An uncertainty u is about u/k once its range is cut into k pieces. The sum is smallest where k
    is in proportion to √u.
    """
    most = max(limits.most_rows // 4, 1)
    if cut.size > most:
        urgency = np.where(wanted.vertex[cut], np.inf, wanted.uncertainty[cut])
        cut = np.sort(cut[np.argsort(-urgency, kind="stable")[:most]])
    need, vertex, rows = np.sqrt(wanted.uncertainty[cut]), wanted.vertex[cut], all_rows[cut]
    most_rows = max(limits.most_rows - 2 * cut.size, 0)
    share = np.zeros(cut.size)
    share[vertex] = rows[vertex] * min(1.0, _VERTEX_SHARE * most_rows / max(rows[vertex].sum(), 1))
    left = min(most_rows - share.sum(), wanted.enough)
    satisfied = vertex.copy()
    for _ in range(4):
        unsatisfied = ~satisfied
        if not unsatisfied.any():
            break
        # What is shared out beyond the rows of a range is of no use there.
        over = max(left - rows[satisfied & ~vertex].sum(), 0)
        share[unsatisfied] = need[unsatisfied] * (over / need[unsatisfied].sum())
        satisfied |= rows <= share
    pieces = np.minimum(2 + share.astype(np.int64), limits.most_pieces)
    return cut, np.where(rows <= pieces, FINEST, pieces)


# ---------------------------------------------------------------------- cuts

_MOST_IDS = 1 << 57
"""Numbers of pieces stay unique over all passes."""
_TINY, _UP = 2.0**-960, 2.0**1000
_FAR = 2.0**62
"""Differences of integers below this do not overflow."""


class Cuts(NamedTuple):
    """Ranges and how each is cut: a row's piece is first + ⌊(score · factor - shift) · scale⌋.

    Floating-point arithmetic never reverses the order of two scores, so pieces are ranges again.
    Every range has at least two, as its lowest and its highest score are separated.
    """

    range_id: NDArray[np.int64]
    parent_id: NDArray[np.int64]
    factor: Floats
    """A power of two that keeps differences finite and normal, nearly always 1."""
    shift: NDArray[Any]
    """The lowest score: an integer where integers are subtracted exactly."""
    scale: Floats
    first: NDArray[np.int64]
    """The number of the first piece."""

    def take(self, rows: NDArray[Any]) -> Cuts:
        """Return some of them."""
        return Cuts(*(column[rows] for column in self))


def cut_ranges(ranges: ScoreRanges, pieces: NDArray[np.int64], first: int) -> Cuts:
    """Cut ranges into pieces, numbered from `first` on."""
    pieces = np.minimum(pieces, max(_MOST_IDS // pieces.size, 2))
    starts = first + np.cumsum(pieces) - pieces
    lo, hi = ranges.lo, ranges.hi
    factor = np.ones(lo.size)
    low, high = lo.astype(np.float64), hi.astype(np.float64)
    if lo.dtype.kind in "iu" and (high - low).max() < _FAR:
        shift, length = lo, (hi - lo).astype(np.float64)
    else:
        with np.errstate(over="ignore"):
            distance = high - low
        factor[np.isinf(distance)] = 0.5
        factor[(distance > 0) & (distance < _TINY)] = _UP
        shift = low * factor
        length = high * factor - shift
    # Integers far apart are floats for once, and those close to each other may be equal then.
    apart = length > 0
    scale = np.zeros(lo.size)
    scale[apart] = (pieces[apart] - 0.5) / length[apart]
    return Cuts(ranges.range_id, ranges.parent_id, factor, shift, scale, starts)


def steps_to(last: Cuts, earlier: list[Cuts]) -> list[Cuts]:
    """Return all cuts that lead rows to the last ones, from the whole sample on.

    ScoreRanges that were not cut in a pass keep their number there; other ranges are left out, and
    their rows with them.
    """
    steps = [last]
    for cuts in reversed(earlier):
        wanted = steps[-1]
        index = np.searchsorted(cuts.range_id, wanted.parent_id).clip(max=cuts.range_id.size - 1)
        made = cuts.range_id[index] == wanted.parent_id
        uncut = wanted.take(~made)
        zero = np.zeros(uncut.range_id.size)
        unchanged = Cuts(
            range_id=uncut.range_id,
            parent_id=uncut.parent_id,
            factor=zero,
            shift=zero.astype(cuts.shift.dtype),
            scale=zero,
            first=uncut.range_id,
        )
        both = zip(cuts.take(np.unique(index[made])), unchanged, strict=True)
        steps.append(Cuts(*(np.concatenate(columns) for columns in both)))
    return steps[::-1]


# ---------------------------------------------------------------------- passes


class Passes:
    """Passes over the rows of one score column.

    Parameters
    ----------
    source
        The cluster.
    rows
        Columns ``score``, ``tp`` and ``fp``, and the names of series.
    ranges
        The ranges of whole series, before any is cut.
    ids
        The values of key columns by which rows find the ``range_id`` of their series; None if all
        rows are one series.
    """

    def __init__(
        self,
        source: ClusterFrame,
        rows: nw.LazyFrame[Any],
        ranges: ScoreRanges,
        ids: pa.Table | None,
    ) -> None:
        self.ranges = ranges
        self.number = 0
        """How many passes there were."""
        self._source = source
        self._keys = [] if ids is None else ids.column_names[:-1]
        self._rows = rows
        if ids is not None:
            self._rows = rows.join(source.local(ids, rows, self._keys), on=self._keys, how="inner")
        self._cuts: list[Cuts] = []
        self._next = int(ranges.range_id.max()) + 1

    def run(self, tolerance: float, label: str) -> None:
        """Pass over the rows until all bounds are narrow, and the hull of each series is known.

        `label` is what errors call the labels.
        """
        aims = dict.fromkeys((number for number, _ in self.ranges.by_series()), tolerance)
        limits = self._source.limits
        for _ in range(limits.most_passes):
            cut, pieces = plan_pass(self.ranges, aims, limits)
            while not cut.size and (wide := self._wider_than(tolerance, label)):
                aims |= {number: aims[number] / 2 for number in wide}
                cut, pieces = plan_pass(self.ranges, aims, limits)
            if not cut.size:
                return
            self._refine(cut, pieces)
        if wide := self._wider_than(tolerance, label):
            warn(
                f"the areas are known to {max(wide.values()):.2g} only, after "
                f"{limits.most_passes} passes; tolerance= asks for {tolerance:.2g}",
                ToleranceWarning,
            )

    def _wider_than(self, tolerance: float, label: str) -> dict[int, float]:
        """Return the series whose bounds are too wide, and how wide they are."""
        widths = {
            number: widest_bounds(OperatingPoints(table_of_tally(tally, counted=label)))
            for number, tally in self.ranges.tallies().items()
        }
        return {number: width for number, width in widths.items() if width > tolerance}

    def _refine(self, cut: NDArray[np.intp], pieces: NDArray[np.int64]) -> None:
        """Count the pieces of some ranges, and replace these ranges by them."""
        parents = self.ranges.take(cut)
        cuts = cut_ranges(parents, pieces, self._next)
        self._next = int(cuts.first[-1] + pieces[-1])
        counted = self._source.collect(self._counted(steps_to(cuts, self._cuts)), "scores")
        self.number += 1
        found = self._pieces(counted, parents, cuts)
        self._cuts.append(cuts.take(np.argsort(cuts.range_id)))
        self.ranges = self.ranges.refine(cut, found)

    def _counted(self, steps: list[Cuts]) -> nw.LazyFrame[Any]:
        """Return the aggregation of one pass: the rows of each piece, and its extreme scores."""
        rows = self._rows
        for number, cuts in enumerate(steps):
            names = ("factor", "shift", "scale", "first")
            if number == 0 and not self._keys:
                cut = {name: nw.lit(getattr(cuts, name)[0].item()) for name in names}
            else:
                cut = {name: nw.col(name) for name in names}
                columns = {name: pa.array(getattr(cuts, name)) for name in ("range_id", *names)}
                local = self._source.local(pa.table(columns), rows, ["range_id"])
                rows = rows.join(local, on="range_id", how="inner")
            score = nw.col("score")
            if cuts.shift.dtype.kind in "iu":
                # The lowest one is subtracted exactly from scores that are integers.
                offset = (score - cut["shift"]).cast(nw.Float64)
            else:
                offset = score.cast(nw.Float64) * cut["factor"] - cut["shift"]
            # The offset is never negative, so that cutting off its fraction rounds down.
            piece = cut["first"] + (offset * cut["scale"]).cast(nw.Int64)
            rows = rows.select("score", "tp", "fp", range_id=piece)
        return rows.group_by("range_id").agg(
            nw.len().alias("rows"),
            nw.col("tp", "fp").sum(),
            nw.col("score").min().alias("lo"),
            nw.col("score").max().alias("hi"),
        )

    def _pieces(self, counted: pa.Table, parents: ScoreRanges, cuts: Cuts) -> ScoreRanges:
        """Return the pieces that were counted; together they must be the ranges that were cut."""
        counted = counted.sort_by("range_id")
        range_id, rows, tp, fp, lo, hi = (
            counted[name].to_numpy() for name in ("range_id", "rows", "tp", "fp", "lo", "hi")
        )
        rows = rows.astype(np.int64)
        # Whole weights come as floats.
        tp, fp = (counts.astype(parents.positives.dtype) for counts in (tp, fp))
        parent = np.searchsorted(cuts.first, range_id, "right") - 1
        pieces = ScoreRanges(
            series=parents.series[parent],
            range_id=range_id,
            parent_id=parents.range_id[parent],
            lo=lo,
            hi=hi,
            positives=tp,
            negatives=fp,
            rows=rows,
        ).sorted()
        finer = pieces.tallies()
        for number, tally in parents.tallies().items():
            if number not in finer or not tally.is_refined_by(finer[number]):
                raise FileError(
                    f"the predictions of {self._source.name} changed while they were read; keep a "
                    "fixed copy, and read that"
                )
        return pieces


def widest_bounds(points: OperatingPoints) -> float:
    """Return how far the bounds of the areas that a tolerance is about are apart at most."""
    if not points.table.partial:
        return 0.0
    return max(bracket.width for bracket in bounds_of(points, BOUNDED).values())
