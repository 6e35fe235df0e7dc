"""Tradeoff space: an index over the weight λ of recall, where every point is a whole curve."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from isometrics._core.parameters import check_level, check_range, check_size, parse_lambdas
from isometrics._core.results import ResultTable, Value, html_table, number, text_table
from isometrics._counting.hull import vertices
from isometrics._table.hull import with_ends
from isometrics._table.table import Kind, Table
from isometrics.errors import ParameterError
from isometrics.spaces import pr
from isometrics.spaces.density import DensityLike, beta_masses, parse_density
from isometrics.spaces.indices import ClosedIndex, Rows, WeightedIndex, index_named
from isometrics.spaces.ranges import STEPS, grid_with, ranges_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Counts, Floats
    from isometrics._counting.hull import Indices


_CELLS = 1 << 20
_SHORTEST = 1e-12
"""Pieces that are found numerically and are shorter than this are rounding."""

_DOUBT = 8 * np.finfo(np.float64).eps


class Envelope(NamedTuple):
    """Rows in the order of λ, and the ends of their pieces; neighbours share an end."""

    rows: Indices
    ends: Floats


def completed(table: Table) -> Table:
    """Return a table with both trivial rules among its rows."""
    return table if table.nested else with_ends(table)


def envelope_of(table: Table, index: WeightedIndex) -> Envelope:
    """Return the envelope of the rows of a table, and of no others."""
    if not isinstance(index, ClosedIndex):
        if not table.has_whole_curve:
            table.refuse_gaps(f"the best rows for the index {index.name!r}")
        return _searched(table, index)
    rows = hull_rows(table, with_empty_rule=index.has_empty_rule)
    points = Rows.of_table(table).take(rows)
    place = index.coordinates(points)
    if place is not None:
        # The curve of a point that is best for these is convex in the coordinates of the hull of
        # counts, 1/recall and 1/precision; so no point inside that hull can be best.
        rows = rows[vertices(*place)]
        points = Rows.of_table(table).take(rows)
    before, after = points.take(np.s_[:-1]), points.take(np.s_[1:])
    return _pieces(rows, index.meeting(before, after))


def _pieces(rows: Indices, meetings: Floats, shortest: float = 0.0) -> Envelope:
    """Drop pieces without length; sums of float weights may bend a hull by their last bits."""
    ends = np.concatenate([[0.0], np.maximum.accumulate(meetings), [1.0]])
    long = np.flatnonzero(np.diff(ends) > shortest)
    return Envelope(rows[long], np.concatenate([[0.0], ends[long[1:]], [1.0]]))


def front(table: Table, *, with_empty_rule: bool = False) -> Indices:
    """Return the rows that no other one has more true and not more false positives than."""
    order = np.s_[:] if table.nested else np.lexsort((table.tp, table.fp))
    tp, fp = table.tp[order], table.fp[order]
    last = np.flatnonzero(np.append(fp[1:] != fp[:-1], True))
    highest = np.maximum.accumulate(tp[last])
    rises = np.append(with_empty_rule or tp[last[0]] > 0, highest[1:] > highest[:-1])
    return np.asarray(np.arange(table.size)[order][last[rises]])


def hull_rows(table: Table, *, with_empty_rule: bool = False) -> Indices:
    """Return the rows on the hull of counts, up to the first of most true positives."""
    rows = front(table, with_empty_rule=with_empty_rule)
    tp, fp = table.tp[rows], table.fp[rows]
    if with_empty_rule:
        return np.asarray(rows[vertices(fp, tp)])
    # The empty rule is no row here, but the hull begins there: its first vertex is the row of
    # highest precision.
    corners = vertices(np.concatenate([[0], fp]), np.concatenate([[0], tp]))
    return np.asarray(rows[corners[1:] - 1])


# ---------------------------------------------------------------------- any rising function


def _searched(table: Table, index: WeightedIndex) -> Envelope:
    """Find the envelope numerically: a grid, then every change between neighbours by bisection.

    Where two winners meet, either no point is better, or the best one there splits the interval.
    """
    rows = _pr_front(table)
    points = Rows.of_table(table).take(rows)
    lam = np.linspace(0, 1, STEPS + 1)
    best, _ = _winners(points, index, lam)
    while True:
        change = np.flatnonzero(best[1:] != best[:-1])
        one, other = points.take(best[change]), points.take(best[change + 1])
        met = index.crossing(one, other, lam[change], lam[change + 1])
        # Equal values at both ends: any border will do.
        met = np.where(np.isnan(met), lam[change + 1], met)
        there, highest = _winners(points, index, met)
        level = index.of_rows(one, met)
        better = highest > level + _DOUBT * np.maximum(1, abs(level))
        # A winner that is one of both sides is that side's own rounding.
        better &= (there != best[change]) & (there != best[change + 1])
        better &= (met > lam[change]) & (met < lam[change + 1])
        if not better.any():
            break
        places = change[better] + 1
        lam = np.insert(lam, places, met[better])
        best = np.insert(best, places, there[better])
    winners = np.append(best[change], best[-1])
    return _pieces(rows[winners], met, _SHORTEST)


def _pr_front(table: Table) -> Indices:
    """Return the rows that no other one exceeds in precision and recall, by rising recall."""
    rows = front(table)
    precision = Rows.of_table(table).take(rows).precision
    ahead = np.maximum.accumulate(precision[::-1])[::-1]
    return np.asarray(rows[np.append(precision[:-1] > ahead[1:], True)])


def _winners(points: Rows, index: WeightedIndex, lam: Floats) -> tuple[Indices, Floats]:
    """Return the best point at each weight, and its value; blocks bound the memory."""
    best = np.zeros(lam.size, np.intp)
    highest = np.full(lam.size, -np.inf)
    step = max(_CELLS // max(lam.size, 1), 1)
    for start in range(0, points.tp.size, step):
        block = points.take(np.s_[start : start + step])
        values = index.of_rows(block.column(), lam)
        row = values.argmax(axis=0)
        value = np.take_along_axis(values, row[None], axis=0)[0]
        best = np.where(value > highest, start + row, best)
        highest = np.maximum(highest, value)
    return best, highest


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TradeoffIntervals(ResultTable):
    """One row for each piece of the optimal tradeoff curve: who is best for which λ.

    Attributes
    ----------
    table
        The operating points of the pieces.
    lambda_lo, lambda_hi
        The row is best exactly when the weight of recall lies between these. Neighbours share an
        end, and all intervals together cover 0 to 1.
    value_lo, value_hi
        The index at both ends.
    """

    table: Table
    lambda_lo: Floats
    lambda_hi: Floats
    value_lo: Floats
    value_hi: Floats

    @property
    def thresholds(self) -> NDArray[Any]:
        """The thresholds; NaN where the table has none."""
        return self.table.thresholds

    @property
    def labels(self) -> tuple[object, ...] | None:
        """Names of the rows of a family of sets."""
        return self.table.labels

    @property
    def tp(self) -> Counts:
        """True positives."""
        return self.table.tp

    @property
    def fp(self) -> Counts:
        """False positives."""
        return self.table.fp

    @property
    def precision(self) -> Floats:
        """Precision of each row; NaN for the empty rule."""
        return pr.precision(self.table)

    @property
    def recall(self) -> Floats:
        """Recall of each row."""
        return pr.recall(self.table)

    def take(self, rows: NDArray[np.intp]) -> TradeoffIntervals:
        """Return some of the pieces."""
        return replace(
            self,
            table=self.table.take(rows, Kind.SELECTION),
            lambda_lo=self.lambda_lo[rows],
            lambda_hi=self.lambda_hi[rows],
            value_lo=self.value_lo[rows],
            value_hi=self.value_hi[rows],
        )

    def __len__(self) -> int:
        """Return the number of pieces."""
        return self.table.size

    def _title(self) -> str:
        pieces = "1 row is" if len(self) == 1 else f"{len(self)} rows are"
        return f"TradeoffIntervals: {pieces} best for some λ"

    def _columns(self) -> dict[str, Any]:
        names: dict[str, Any] = (
            {"threshold": self.thresholds} if self.labels is None else {"label": list(self.labels)}
        )
        return names | {
            "lambda_lo": self.lambda_lo,
            "lambda_hi": self.lambda_hi,
            "tp": self.tp,
            "fp": self.fp,
            "precision": self.precision,
            "recall": self.recall,
            "value_lo": self.value_lo,
            "value_hi": self.value_hi,
        }


MAXIMAL, MINIMAL, EMPTY = "maximal set", "minimal set", "empty rule"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UsefulRange(ResultTable):
    """The ranges of λ in which a tradeoff curve lies above every baseline.

    Attributes
    ----------
    lambda_lo, lambda_hi
        The ends of each range; at the ends the curve and a baseline are equal.
    """

    lambda_lo: Floats
    lambda_hi: Floats

    @property
    def length(self) -> float:
        """The share of all λ that the ranges cover."""
        return float(np.sum(self.lambda_hi - self.lambda_lo))

    def __len__(self) -> int:
        """Return the number of ranges."""
        return self.lambda_lo.size

    def _title(self) -> str:
        ranges = "1 range" if len(self) == 1 else f"{len(self)} ranges"
        return f"UsefulRange: {ranges} of λ, of length {self.length:.6g}"

    def _columns(self) -> dict[str, Any]:
        return {"lambda_lo": self.lambda_lo, "lambda_hi": self.lambda_hi}


def baselines(table: Table, index: WeightedIndex) -> Table:
    """Return the trivial sets as rows with names, by false positives.

    The minimal set is one true positive, so it needs positives that are counted, not weighed; for
    an index that has a value for the empty rule, that takes its place.
    """
    positives, negatives = table.positives, table.negatives
    names: tuple[str, ...]
    if isinstance(index, ClosedIndex) and index.has_empty_rule:
        names, tp, fp = (EMPTY, MAXIMAL), [0, positives], [0, negatives]
    elif isinstance(positives, int | np.integer):
        names, tp, fp = (MINIMAL, MAXIMAL), [1, positives], [0, negatives]
    else:
        names, tp, fp = (MAXIMAL,), [positives], [negatives]
    unknown = np.full(len(tp), np.nan)
    return Table(unknown, np.array(tp), np.array(fp), positives, negatives, Kind.SETS, names)


def useful_range(
    index: WeightedIndex, curve: TradeoffIntervals, trivial: TradeoffIntervals
) -> UsefulRange:
    """Return where a curve lies above the curve of the trivial sets.

    Between the ends of all pieces one point of the curve meets one trivial set; in a closed form
    once at most.
    """
    ends = np.union1d(curve.lambda_lo, trivial.lambda_lo)
    if not isinstance(index, ClosedIndex):

        def states(lam: Floats) -> NDArray[np.bool_]:
            mine, theirs = (index.of_rows(rows, lam) for rows in _pairs(curve, trivial, lam))
            return (mine > theirs)[:, None]

        starts, found = ranges_of(states, grid_with(ends))
        useful = np.flatnonzero(found[:, 0])
        return UsefulRange(starts[useful], np.append(starts[1:], 1.0)[useful])
    met = index.crossing(*_pairs(curve, trivial, ends), ends, np.append(ends[1:], 1.0))
    cuts = np.unique(np.concatenate([ends, met[np.isfinite(met)], [1.0]]))
    middle = (cuts[:-1] + cuts[1:]) / 2
    mine, theirs = _pairs(curve, trivial, middle)
    above = index.of_rows(mine, middle) > index.of_rows(theirs, middle)
    # Neighbouring parts that are all above are one range.
    edges = np.diff(np.concatenate([[False], above, [False]]).astype(np.int8))
    return UsefulRange(cuts[edges == 1], cuts[edges == -1])


def _pairs(one: TradeoffIntervals, other: TradeoffIntervals, lam: Floats) -> tuple[Rows, Rows]:
    """Return the points that are best in two curves from these weights on."""
    mine, theirs = (
        Rows.of_table(curve.table).take(np.searchsorted(curve.lambda_lo, lam, "right") - 1)
        for curve in (one, other)
    )
    return mine, theirs


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tradeoff(Value):
    """The optimal tradeoff curve: the best value of an index for every weight λ of recall.

    Make one with `OperatingPoints.tradeoff`. It is the upper envelope of the curves of all
    points (Hanczar & Nadif), exact for the built-in indices. Call it for its values.

    Attributes
    ----------
    rows
        All points, the always-positive rule among them.
    index
        The index.
    intervals
        The pieces of the curve: which point is best for which λ.

    Examples
    --------
    >>> import isometrics as iso
    >>> labels, scores = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> t = iso.OperatingPoints.from_scores(labels, scores).tradeoff("f-measure")
    >>> t
    Tradeoff (f-measure): 3 rows are best for some λ, area 0.812803
    threshold  lambda_lo  lambda_hi  tp  fp  precision  recall  value_lo  value_hi
          0.9          0   0.111111   1   0          1    0.25         1      0.75
          0.6   0.111111   0.555556   3   1       0.75    0.75      0.75      0.75
          0.3   0.555556          1   4   3   0.571429       1      0.75         1
    >>> t(0.5)
    0.75
    """

    rows: Table
    index: WeightedIndex
    intervals: TradeoffIntervals

    @overload
    def __call__(self, lam: float) -> float: ...

    @overload
    def __call__(self, lam: ArrayLike) -> float | Floats: ...

    def __call__(self, lam: ArrayLike) -> float | Floats:
        """Return the best value of the index at a weight of recall, or at an array of them."""
        weights = parse_lambdas(lam)
        piece = self._piece(weights)
        values = self.index.of_rows(self._points().take(piece), weights)
        return float(values) if weights.ndim == 0 else np.asarray(values)

    def best(self, lam: float) -> TradeoffIntervals:
        """Return the row that is best at a weight of recall; two where their pieces meet."""
        weight = check_level(lam, "lam")
        here = (self.intervals.lambda_lo <= weight) & (weight <= self.intervals.lambda_hi)
        return self.intervals.take(np.flatnonzero(here))

    def area(self, lo: float = 0.0, hi: float = 1.0, density: DensityLike = None) -> float:
        """Return the area under the curve, or its mean under a density over λ.

        Parameters
        ----------
        lo, hi
            The range of the weight of recall.
        density
            What is known about λ: ``("beta", a, b)``, ``"triangular"`` or ``("triangular",
            mode)``, a frozen distribution of `scipy.stats`, or any function of λ that is ≥ 0. It
            need not have integral 1.

        Notes
        -----
        Without a density this is the area ∫ I*(λ) dλ from lo to hi, so divide by hi - lo for the
        mean of a part. With a density f it is the mean ∫ I*(λ) f(λ) dλ / ∫ f(λ) dλ, both from lo
        to hi: the value to expect when λ lies in that range. Areas of built-in indices, and means
        of those that are lines in λ under a Beta density, are closed forms; the others are
        integrated adaptively on each piece, to about 1e-11.

        Examples
        --------
        >>> import isometrics as iso
        >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
        >>> t = pts.tradeoff("kulczynski")
        >>> round(t.area(), 6), round(t.area(0.5, 1), 6)
        (0.9, 0.458333)
        >>> round(t.area(density=("beta", 2, 2)), 6)
        0.876
        """
        lo, hi = check_range(lo, hi, axis="weight of recall")
        ends = np.concatenate([self.intervals.lambda_lo, [1.0]])
        ends = np.clip(ends, lo, hi)
        reached = np.flatnonzero(ends[1:] > ends[:-1])
        points = self._points().take(reached)
        starts, stops = ends[:-1][reached], ends[1:][reached]
        if density is None:
            return math.fsum(self.index.areas(points, starts, stops).tolist())
        return self._mean(points, np.append(starts, stops[-1:]), density)

    def _mean(self, points: Rows, ends: Floats, density: DensityLike) -> float:
        weighing = parse_density(density, float(ends[0]), float(ends[-1]))
        line = isinstance(self.index, ClosedIndex) and self.index.linear
        if line and isinstance(density, tuple) and density[0] == "beta":
            a, b = weighing.beta
            at_0, at_1 = (self.index.of_rows(points, np.asarray(end)) for end in (0.0, 1.0))
            # λ·f(λ) is a/(a+b) times the density of Beta(a+1, b), likewise for 1-λ.
            mass = beta_masses(ends, a, b)
            recall = beta_masses(ends, a + 1, b) * (a / (a + b))
            precision = beta_masses(ends, a, b + 1) * (b / (a + b))
            return float(math.fsum((precision * at_0 + recall * at_1).tolist()) / math.fsum(mass))
        pieces = list(
            zip(range(points.tp.size), ends[:-1].tolist(), ends[1:].tolist(), strict=True)
        )

        def height(row: int, lam: float) -> float:
            return float(self.index.of_rows(points.take(row), np.asarray(lam)))

        total = [weighing.integral(lambda _: 1.0, lo, hi) for _, lo, hi in pieces]
        value = [
            weighing.integral(lambda lam, row=row: height(row, lam), lo, hi)  # type: ignore[misc]
            for row, lo, hi in pieces
        ]
        return math.fsum(value) / math.fsum(total)

    def useful_range(self) -> UsefulRange:
        """Return the weights of recall for which the curve beats what needs no algorithm.

        The curve is compared with the maximal set, which is everything, and the minimal set, one
        true positive alone, where the positives are counted in whole rows. Random sets have the
        precision of the maximal set and a smaller recall, so they are never better than it. For
        ``"cost"`` the empty rule takes the place of the minimal set.

        Notes
        -----
        The ends are the exact crossings of the curves.

        Examples
        --------
        >>> import isometrics as iso
        >>> labels = [1, 0, 1, 1, 0, 0, 1, 0]
        >>> pts = iso.OperatingPoints.from_scores(labels, range(8, 0, -1))
        >>> pts.tradeoff("kulczynski").useful_range()
        UsefulRange: 1 range of λ, of length 0.666667
        lambda_lo  lambda_hi
         0.333333          1
        """
        trivial = tradeoff_of_rows(baselines(self.rows, self.index), self.index)
        return useful_range(self.index, self.intervals, trivial.intervals)

    def with_constraints(
        self, *, min_precision: float | None = None, min_recall: float | None = None
    ) -> Tradeoff:
        """Return the curve of those points only that reach a precision, a recall, or both.

        Levels are compared as floats: 8 true positives of 10 reach a recall of 0.8.
        """
        wanted = {
            name: check_level(level, f"min_{name}")
            for name, level in (("precision", min_precision), ("recall", min_recall))
            if level is not None
        }
        if not wanted:
            raise ParameterError("pass min_precision=, min_recall= or both")
        self.rows.refuse_gaps("the best rows under constraints")
        rates = {"precision": pr.precision(self.rows), "recall": pr.recall(self.rows)}
        kept = np.full(self.rows.size, True)
        for name, level in wanted.items():
            reached = kept & (rates[name] >= level)
            # The empty rule has no precision, and without true positives nothing is reached.
            reached &= self.rows.tp > 0
            if not reached.any():
                others = [f"{n} ≥ {number(wanted[n])}" for n in wanted if n != name]
                among = f" with {' and '.join(others)}" if not kept.all() else ""
                highest = float(np.nanmax(rates[name][kept]))
                raise ParameterError(
                    f"no point reaches {name} {number(level)}{among}; the best is {number(highest)}"
                )
            kept = reached
        return tradeoff_of_rows(self.rows.take(np.flatnonzero(kept), Kind.SELECTION), self.index)

    def curves(self, lam: ArrayLike, *, most: int = 200) -> Floats:
        """Return the curves of the points themselves, one row each, to draw behind the best one.

        Parameters
        ----------
        lam
            The weights of recall.
        most
            The largest number of curves. Of more points, some are taken that are spread evenly
            over the rows. Points without true positives have no curve but the axis, and none is
            returned.
        """
        weights = np.atleast_1d(parse_lambdas(lam))
        some = np.flatnonzero(self.rows.tp > 0)
        if some.size > check_size(most, "most"):
            some = some[np.linspace(0, some.size - 1, most).round().astype(np.intp)]
        return self.index.of_rows(Rows.of_table(self.rows).take(some).column(), weights)

    def _points(self) -> Rows:
        return Rows.of_table(self.intervals.table)

    def _piece(self, weights: Floats) -> NDArray[np.intp]:
        return np.asarray(np.searchsorted(self.intervals.lambda_lo, weights, "right") - 1)

    def _title(self) -> str:
        rows = self.intervals._title().split(": ")[1]
        return f"Tradeoff ({self.index.name}): {rows}, area {number(self.area())}"

    def __repr__(self) -> str:
        """Return the pieces as a table."""
        return text_table(self._title(), self.intervals._columns())

    def _repr_html_(self) -> str:
        """Return the same for notebooks."""
        return html_table(self._title(), self.intervals._columns())


def tradeoff_of(table: Table, index: str | WeightedIndex) -> Tradeoff:
    """Return the optimal tradeoff curve of a table, completed by the always-positive rule."""
    return tradeoff_of_rows(completed(table), index_named(index))


def tradeoff_of_rows(rows: Table, index: WeightedIndex) -> Tradeoff:
    """Return the optimal tradeoff curve of the rows of a table, and of no others."""
    found = envelope_of(rows, index)
    best = rows.take(found.rows, Kind.SELECTION)
    lo, hi = found.ends[:-1], found.ends[1:]
    values = (index.of_rows(Rows.of_table(best), end) for end in (lo, hi))
    return Tradeoff(rows, index, TradeoffIntervals(best, lo, hi, *values))
