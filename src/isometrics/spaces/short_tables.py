"""The measures of many short tables at once, from arrays over the rows of all of them.

Thousands of groups have tables of few rows, for each of which calls of NumPy would cost far more
than the arithmetic. The terms of sums are those of a single table. They are added up in another
order, in which the areas of so few rows agree within 1e-12.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import prepend_zero
from isometrics._counting import segments
from isometrics._counting.confusion import Confusion, Totals, f_weights
from isometrics._counting.hull import vertices
from isometrics._table.path import Pieces
from isometrics.spaces import pr, prg
from isometrics.spaces.indices import FMeasure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts, Floats
    from isometrics._table.table import Table

    Indices = NDArray[np.intp]

MOST_ROWS = 1 << 12
_EXACT = 2**53
"""Floats hold all integers up to here."""
_MOST_PRODUCT = 2**30
"""The coordinates of hulls stay below 2**31 where tables times counted rows stay below this."""
_MOST_TOGETHER = 2**18
"""Arrays over so many rows stay small."""


def is_short(table: Table) -> bool:
    """Tell whether a table can stand among others: few rows, all there, with whole counts."""
    positives, negatives = table.positives, table.negatives
    return (
        table.size <= MOST_ROWS
        and table.complete
        and isinstance(positives, int)
        and isinstance(negatives, int)
        and 2 * positives * (positives + negatives) < _EXACT
        and positives + negatives <= _MOST_PRODUCT
        and table.tp.dtype.kind == table.fp.dtype.kind == "i"
    )


def fit_together(n_tables: int, n_rows: int, n_counted: int) -> bool:
    """Tell whether so many tables, of so many rows that counted so many, can stand together."""
    return n_rows <= _MOST_TOGETHER and n_tables * n_counted <= _MOST_PRODUCT


class HullEdges(NamedTuple):
    """The edges of hulls, each from one vertex to the next, its end."""

    ends: Indices
    """The rows of the ends among those of all tables."""
    table: Indices
    rise: NDArray[np.int64]
    """P·(tp_b - tp_a) of the edge from a to b."""
    fall: NDArray[np.int64]
    """tp_a·fp_b - tp_b·fp_a."""

    @property
    def beta_squared(self) -> Floats:
        """The β² for which both vertices are equally good; ∞ where only negatives are added."""
        borders = np.full(self.rise.size, np.inf)
        return np.asarray(np.divide(self.fall, self.rise, out=borders, where=self.rise > 0))


class ShortTables:
    """Tables of `is_short`, one behind the other.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> ShortTables.of_tables([pts.table, pts.table]).roc_area
    array([0.75, 0.75])
    """

    def __init__(self, tp: Counts, fp: Counts, sizes: NDArray[np.int64]) -> None:
        self.tp, self.fp = tp, fp
        last = np.cumsum(sizes) - 1
        self.starts = last + 1 - sizes
        self.positives, self.negatives = tp[last], fp[last]
        self._table = np.repeat(np.arange(sizes.size), sizes)

    @classmethod
    def of_tables(cls, tables: Sequence[Table]) -> ShortTables:
        """Return tables of `is_short` together."""
        return cls(
            np.concatenate([table.tp for table in tables]),
            np.concatenate([table.fp for table in tables]),
            np.array([table.size for table in tables]),
        )

    def constants(self) -> ShortTables:
        """Return the tables of models that give every row of the same samples one score."""
        tp, fp = (
            np.column_stack([np.zeros_like(totals), totals]).ravel()
            for totals in (self.positives, self.negatives)
        )
        return ShortTables(tp, fp, np.full(self.positives.size, 2))

    def __len__(self) -> int:
        """Return the number of tables."""
        return self.positives.size

    @property
    def prevalence(self) -> Floats:
        """The share of positives of each table."""
        return np.asarray(self.positives / (self.positives + self.negatives))

    def points(self, rows: Indices) -> Any:
        """Return some rows of all tables, each with the totals of its table, as `Rows`."""
        table = self._table[rows]
        totals: Any = (self.positives[table], self.negatives[table])
        return Confusion(self.tp[rows], self.fp[rows], *totals)

    def f_of_everything(self, betas: Sequence[float]) -> Floats:
        """Return F_β of always answering "positive", a row for each table, a column for each β."""
        last_rows = np.append(self.starts[1:], self.tp.size) - 1
        everything = self.points(last_rows)
        return np.column_stack([everything.f(*f_weights(beta)) for beta in betas])

    def _sum(self, terms: Any, table: Indices) -> Floats:
        return np.asarray(np.bincount(table, terms, len(self)), np.float64)

    # ------------------------------------------------------------------ areas

    def _segments(self, rows: Indices) -> segments.Segments:
        """Return the segments from some rows to the next ones."""
        columns = (counts[each] for each in (rows, rows + 1) for counts in (self.tp, self.fp))
        return segments.Segments.between(*(column.astype(np.float64) for column in columns))

    @cached_property
    def _rises(self) -> Indices:
        """The rows behind which true positives rise; from one table to the next they fall."""
        return np.flatnonzero(self.tp[1:] > self.tp[:-1])

    @cached_property
    def _pieces(self) -> Pieces:
        return Pieces(self._segments(self._rises))

    def _pr_sum(self, terms: Floats) -> Floats:
        return self._sum(terms, self._table[self._rises]) / self.positives

    def pr_area(self, interpolation: str) -> Floats:
        """Return the area under the PR curve of each table."""
        if interpolation != "max-precision":
            return self._pr_sum(pr.AREAS[interpolation]()(self._pieces))
        best = self._pieces.precision_at_end.copy()
        for piece_range in pairwise([*np.searchsorted(self._rises, self.starts), best.size]):
            backwards = best[slice(*piece_range)][::-1]
            np.maximum.accumulate(backwards, out=backwards)
        return self._pr_sum(segments.area_of_step(self._pieces.part.rise, best))

    def normalised_pr_area(self) -> Floats:
        """Return the area under the PR curve on a scale from 0, the worst ranking, to 1."""
        totals = zip(self.positives.tolist(), self.negatives.tolist(), strict=True)
        widest = np.array([pr.widest_gap(Totals(*each)) for each in totals])
        return np.asarray(1 - self._pr_sum(pr.area_above(self._pieces)) / widest)

    @cached_property
    def roc_area(self) -> Floats:
        """The area under the ROC curve of each table."""
        run = np.diff(self.fp)
        run[self.starts[1:] - 1] = 0
        doubled = segments.doubled_area(run, self.tp[:-1], self.tp[1:])
        areas = self._sum(doubled, self._table[1:]) / (2 * self.positives * self.negatives)
        return np.asarray(areas)

    def expected_accuracy(self) -> Floats:
        """Return the expected accuracy of each table; see `ROCSpace.expected_accuracy`."""
        variance = self.prevalence * (1 - self.prevalence)
        return np.asarray(0.5 + variance * (2 * self.roc_area - 1))

    # ------------------------------------------------------------------ PRG space

    @cached_property
    def _gain_segments(self) -> tuple[segments.Segments, Indices, Floats, Floats]:
        """The segments from a recall of π on, their tables, and fn and tn where they start."""
        positives, negatives = self.positives, self.negatives
        total, squared = positives + negatives, positives * positives
        is_before = self.tp * total[self._table] < squared[self._table]
        rows = np.flatnonzero(~is_before[:-1] & (self._table[:-1] == self._table[1:]))
        ends = self.starts + self._sum(is_before, self._table).astype(np.intp)
        # The first one is cut. All differences are of integers, so nothing cancels.
        _, y, x_end, y_end, rise, run = self._segments(ends - 1)
        before = (squared - self.tp[ends - 1] * total) / total
        left = (self.tp[ends] * total - squared) / total
        cut = segments.Segments(
            squared / total, y + run * (before / rise), x_end, y_end, left, run * (left / rise)
        )
        whole, table = self._segments(rows), self._table[rows]
        return (
            segments.Segments(*map(np.append, cut, whole)),
            np.append(np.arange(len(self)), table),
            np.append(positives * negatives / total, positives[table] - whole.x),
            np.append(negatives - y_end + cut.run, negatives[table] - whole.y),
        )

    def prg_area(self) -> Floats:
        """Return the area under the PRG curve of each table, recall gains from 0 to 1."""
        parts, table, _, _ = self._gain_segments
        lost = self._sum(segments.gain_loss(*parts[:5]), table)
        return np.asarray(1 - prg.lost_area(lost, self))

    def expected_f_gain(self) -> Floats:
        """Return the expected F₁ gain; NaN where all negatives rank above a recall of π.

        The sums are those of `prg.loss_terms`.
        """
        (x, y, x_end, y_end, rise, run), table, fn, tn = self._gain_segments
        steps = tn * (rise / x_end) / x + run / x_end
        missed = fn / x + (fn - rise) / x_end
        losses = self._sum((missed + y / x + y_end / x_end) * steps / 4, table)
        first = np.s_[: len(self)]
        with np.errstate(invalid="ignore"):
            means = losses / (tn[first] / x[first])
        return np.asarray(1 - self.positives / self.negatives * means)

    # ------------------------------------------------------------------ hulls

    @cached_property
    def hulls(self) -> HullEdges:
        """The edges of the hulls, in the order of tables and rows.

        Notes
        -----
        All hulls are found as one. The map u = fp + tp, v = tp + c·u keeps which points lie above
        a line, and gives the path of a table slopes dv/du between c and c + 1. With a c that falls
        by 2 from one table to the next, the ends of tables are vertices of the path through all.
        """
        rows = np.delete(np.arange(self.tp.size), self.starts)
        first = np.append(True, np.diff(self._table[rows]) > 0)
        tp, fp = self.tp[rows], self.fp[rows]
        rise = np.diff(tp, prepend=0)
        step = np.diff(tp + fp, prepend=0)
        rise[first], step[first] = tp[first], (tp + fp)[first]
        slope = 2 * (len(self) - 1 - self._table[rows])
        u, v = np.cumsum(step), np.cumsum(rise + slope * step)
        ends = rows[vertices(prepend_zero(u), prepend_zero(v))[1:] - 1]
        table = self._table[ends]
        starts = np.append(0, ends[:-1])
        starts[np.append(True, np.diff(table) > 0)] = self.starts
        tp_a, fp_a, tp_b, fp_b = self.tp[starts], self.fp[starts], self.tp[ends], self.fp[ends]
        return HullEdges(
            ends, table, self.positives[table] * (tp_b - tp_a), fp_b * tp_a - fp_a * tp_b
        )

    def tradeoff_area(self) -> Floats:
        """Return the area under the optimal tradeoff curve of the F-measure."""
        ends, table, rise, fall = self.hulls
        lo = fall / (rise + fall)
        hi = np.append(lo[1:], 1.0)
        hi[np.append(np.diff(table) > 0, True)] = 1.0
        return self._sum(FMeasure().areas(self.points(ends), lo, hi), table)

    def best_edges(self, beta: float) -> Indices:
        """Return the edge of each hull whose end has the highest F_β, β > 0.

        Of equally good ends it is the first. The borders of β² are quotients of integers: rounding
        does not change their order, and what rounds to β² itself is compared exactly.
        """
        edges = self.hulls
        squared, borders = beta * beta, edges.beta_squared
        below = borders < squared
        for edge in np.flatnonzero((borders == squared) & (edges.rise > 0)).tolist():
            below[edge] = int(edges.fall[edge]) < Fraction(beta) ** 2 * int(edges.rise[edge])
        firsts = np.searchsorted(edges.table, np.arange(len(self)))
        return firsts + self._sum(below, edges.table).astype(np.intp) - 1
