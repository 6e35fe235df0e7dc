"""Tradeoff space: an index over the weight λ of recall, where every point is a curve."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from isometrics._core.parameters import check_level, check_range, check_size, parse_lambdas
from isometrics._core.results import ResultTable, number
from isometrics._counting.hull import vertices
from isometrics._table.hull import hull_rows, with_ends
from isometrics._table.table import Kind, Table
from isometrics.errors import ParameterError
from isometrics.spaces import pr
from isometrics.spaces.density import DensityLike, beta_masses, parse_density
from isometrics.spaces.indices import ClosedIndex, Rows, WeightedIndex, index_named
from isometrics.spaces.ranges import STEPS, grid_with, ranges_of
from isometrics.spaces.rows import RowMeasures

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Floats
    from isometrics._counting.hull import Indices


MAXIMAL, MINIMAL, EMPTY = "maximal set", "minimal set", "empty rule"


_BLOCK_VALUES = 1 << 20
_SHORTEST = 1e-12
"""Pieces from the numerical search that are shorter than this are rounding errors."""

_TOLERANCE = 8 * np.finfo(np.float64).eps


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TradeoffIntervals(RowMeasures):
    """One row for each piece of the optimal tradeoff curve: which point is best for which λ.

    Attributes
    ----------
    table
        The operating points of the pieces.
    lambda_lo, lambda_hi
        The row is best exactly when the weight of recall lies between these. Neighbours share an
        end, and the intervals together cover 0 to 1.
    value_lo, value_hi
        The index at both ends.
    """

    table: Table
    lambda_lo: Floats
    lambda_hi: Floats
    value_lo: Floats
    value_hi: Floats

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

    def _extent(self) -> str:
        pieces = "1 row is" if len(self) == 1 else f"{len(self)} rows are"
        return f"{pieces} best for some λ"

    def _title(self) -> str:
        return f"TradeoffIntervals: {self._extent()}"

    def _columns(self) -> dict[str, Any]:
        columns = ("lambda_lo", "lambda_hi", "tp", "fp", "precision", "recall")
        values = ("value_lo", "value_hi")
        return self._names() | self._named(*columns, *values)

    def _shown(self) -> dict[str, Any]:
        return self._columns() | self._printed_names()


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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tradeoff(ResultTable):
    """The optimal tradeoff curve: the best value of an index for every weight λ of recall.

    Make one with `OperatingPoints.tradeoff`. It is the upper envelope of the curves of all
    points (Hanczar & Nadif), exact for the built-in indices. Call it to get its values.

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
        values = self.index.of_rows(_best_at(self.intervals, weights), weights)
        return float(values) if weights.ndim == 0 else np.asarray(values)

    def best(self, lam: float) -> TradeoffIntervals:
        """Return the row that is best at a weight of recall; two where their pieces meet."""
        weight = check_level(lam, "lam")
        contains = (self.intervals.lambda_lo <= weight) & (weight <= self.intervals.lambda_hi)
        return self.intervals.take(np.flatnonzero(contains))

    def area(self, lo: float = 0.0, hi: float = 1.0, density: DensityLike = None) -> float:
        """Return the area under the curve, or its mean under a density over λ.

        Parameters
        ----------
        lo, hi
            The range of the weight of recall.
        density
            The density of λ: ``("beta", a, b)``, ``"triangular"`` or ``("triangular", mode)``, a
            frozen distribution of `scipy.stats`, or any function of λ that is ≥ 0. Its integral
            need not be 1.

        Notes
        -----
        Without a density this is the area ∫ I*(λ) dλ from lo to hi, so divide by hi - lo for the
        mean over a range. With a density f it is the mean ∫ I*(λ) f(λ) dλ / ∫ f(λ) dλ, both from
        lo to hi: the expected value when λ lies in that range. Areas of built-in indices have
        closed forms, and so have means under a Beta density of those that are linear in λ; the
        others are integrated adaptively on each piece, to about 1e-11.

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
        ends = np.clip(np.append(self.intervals.lambda_lo, 1.0), lo, hi)
        in_range = np.flatnonzero(ends[1:] > ends[:-1])
        points = Rows.of_table(self.intervals.table).take(in_range)
        starts, stops = ends[:-1][in_range], ends[1:][in_range]
        if density is None:
            return math.fsum(self.index.areas(points, starts, stops).tolist())
        return self._mean(points, np.append(starts, stops[-1:]), density)

    def _mean(self, points: Rows, ends: Floats, density: DensityLike) -> float:
        parsed = parse_density(density, float(ends[0]), float(ends[-1]))
        linear = isinstance(self.index, ClosedIndex) and self.index.linear
        if linear and isinstance(density, tuple) and density[0] == "beta":
            a, b = parsed.beta
            at_0, at_1 = (self.index.of_rows(points, np.asarray(end)) for end in (0.0, 1.0))
            # λ·f(λ) is a/(a+b) times the density of Beta(a+1, b), likewise for 1-λ.
            mass = beta_masses(ends, a, b)
            weight_of_1 = beta_masses(ends, a + 1, b) * (a / (a + b))
            weight_of_0 = beta_masses(ends, a, b + 1) * (b / (a + b))
            terms = (weight_of_0 * at_0 + weight_of_1 * at_1).tolist()
            return float(math.fsum(terms) / math.fsum(mass))
        pieces = list(
            zip(range(points.tp.size), ends[:-1].tolist(), ends[1:].tolist(), strict=True)
        )

        def value(row: int, lam: float) -> float:
            return float(self.index.of_rows(points.take(row), np.asarray(lam)))

        masses = [parsed.integral(lambda _: 1.0, lo, hi) for _, lo, hi in pieces]
        integrals = [
            parsed.integral(lambda lam, row=row: value(row, lam), lo, hi)  # type: ignore[misc]
            for row, lo, hi in pieces
        ]
        return math.fsum(integrals) / math.fsum(masses)

    def useful_range(self) -> UsefulRange:
        """Return the weights of recall for which the curve is better than every trivial set.

        The trivial sets are the maximal set, which contains everything, and the minimal set, a
        single true positive, where positives are counted in whole rows. Random sets have the
        precision of the maximal set and a smaller recall, so they are never better than it. For
        ``"cost"`` the empty rule replaces the minimal set.

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
        """Return the curve of only those points that reach a precision, a recall, or both.

        Levels are compared as floats: 8 true positives of 10 reach a recall of 0.8.
        """
        levels = {
            name: check_level(level, f"min_{name}")
            for name, level in (("precision", min_precision), ("recall", min_recall))
            if level is not None
        }
        if not levels:
            raise ParameterError("pass min_precision=, min_recall= or both")
        self.rows.refuse_gaps("the best rows under constraints")
        rates = {"precision": pr.precision(self.rows), "recall": pr.recall(self.rows)}
        selected = np.full(self.rows.size, True)
        for name, level in levels.items():
            reached = selected & (rates[name] >= level)
            # The empty rule has no precision, and rows without true positives reach no level.
            reached &= self.rows.tp > 0
            if not reached.any():
                others = [f"{n} ≥ {number(levels[n])}" for n in levels if n != name]
                among = f" with {' and '.join(others)}" if not selected.all() else ""
                highest = float(np.nanmax(rates[name][selected]))
                raise ParameterError(
                    f"no point reaches {name} {number(level)}{among}; the best is {number(highest)}"
                )
            selected = reached
        rows = self.rows.take(np.flatnonzero(selected), Kind.SELECTION)
        return tradeoff_of_rows(rows, self.index)

    def curves(self, lam: ArrayLike, *, most: int = 200) -> Floats:
        """Return the curves of the points themselves, one row each, to draw behind the envelope.

        Parameters
        ----------
        lam
            The weights of recall.
        most
            The largest number of curves. If there are more points, evenly spaced rows are chosen.
            Points without true positives are left out: their curve is the axis.
        """
        weights = np.atleast_1d(parse_lambdas(lam))
        rows = np.flatnonzero(self.rows.tp > 0)
        if rows.size > check_size(most, "most"):
            rows = rows[np.linspace(0, rows.size - 1, most).round().astype(np.intp)]
        return self.index.of_rows(Rows.of_table(self.rows).take(rows).column(), weights)

    def _title(self) -> str:
        rows = self.intervals._extent()
        return f"Tradeoff ({self.index.name}): {rows}, area {number(self.area())}"

    def _columns(self) -> dict[str, Any]:
        return self.intervals._columns()

    def _shown(self) -> dict[str, Any]:
        return self.intervals._shown()


def tradeoff_of(table: Table, index: str | WeightedIndex) -> Tradeoff:
    """Return the optimal tradeoff curve of a table, completed by the always-positive rule."""
    return tradeoff_of_rows(completed(table), index_named(index))


def completed(table: Table) -> Table:
    """Return the table with both trivial rules added where its kind does not include them."""
    return table if table.nested else with_ends(table)


def tradeoff_of_rows(rows: Table, index: WeightedIndex) -> Tradeoff:
    """Return the optimal tradeoff curve of the rows of a table, without adding trivial rules."""
    envelope = envelope_of(rows, index)
    best = rows.take(envelope.rows, Kind.SELECTION)
    lo, hi = envelope.ends[:-1], envelope.ends[1:]
    values = (index.of_rows(Rows.of_table(best), end) for end in (lo, hi))
    return Tradeoff(rows, index, TradeoffIntervals(best, lo, hi, *values))


class Envelope(NamedTuple):
    """The best rows in the order of λ, and the ends of their pieces; neighbours share an end."""

    rows: Indices
    ends: Floats


def envelope_of(table: Table, index: WeightedIndex) -> Envelope:
    """Return the upper envelope of the curves of the rows of a table."""
    if not isinstance(index, ClosedIndex):
        if not table.has_whole_curve:
            table.refuse_gaps(f"the best rows for the index {index.name!r}")
        return _search_envelope(table, index)
    rows = envelope_rows(table, with_empty_rule=index.has_empty_rule)
    points = Rows.of_table(table).take(rows)
    coordinates = index.coordinates(points)
    if coordinates is not None:
        # For every λ such an index is a convex function of 1/recall and 1/precision, and in these
        # coordinates the hull of counts is convex too. A convex function is highest at a vertex, so
        # no row inside the hull of counts can be best.
        rows = rows[vertices(*coordinates)]
        points = Rows.of_table(table).take(rows)
    before, after = points.take(np.s_[:-1]), points.take(np.s_[1:])
    return _envelope_with_borders(rows, index.meeting(before, after))


def _envelope_with_borders(rows: Indices, borders: Floats, shortest: float = 0.0) -> Envelope:
    """Drop pieces without length, which rounded sums of float weights may cause."""
    ends = np.concatenate([[0.0], np.maximum.accumulate(borders), [1.0]])
    long = np.flatnonzero(np.diff(ends) > shortest)
    return Envelope(rows[long], np.concatenate([[0.0], ends[long[1:]], [1.0]]))


def front(table: Table, *, with_empty_rule: bool = False) -> Indices:
    """Return the rows of the ROC Pareto front, by rising false positives.

    No other row has more true positives and as few false positives, or fewer.
    """
    order = np.s_[:] if table.nested else np.lexsort((table.tp, table.fp))
    tp, fp = table.tp[order], table.fp[order]
    last = np.flatnonzero(np.append(fp[1:] != fp[:-1], True))
    highest = np.maximum.accumulate(tp[last])
    rises = np.append(with_empty_rule or tp[last[0]] > 0, highest[1:] > highest[:-1])
    return np.asarray(np.arange(table.size)[order][last[rises]])


def envelope_rows(table: Table, *, with_empty_rule: bool = False) -> Indices:
    """Return the rows on the hull of counts, up to the first with the most true positives."""
    if table.kind is Kind.SCORES and table.tp.dtype.kind == table.fp.dtype.kind == "i":
        # No two rows are equal, so these are vertices of the table's own hull.
        corners = hull_rows(table)
        tp, fp = table.tp[corners], table.fp[corners]
        return np.asarray(corners[np.append(with_empty_rule and fp[1] > 0, tp[1:] > tp[:-1])])
    rows = front(table, with_empty_rule=with_empty_rule)
    tp, fp = table.tp[rows], table.fp[rows]
    if with_empty_rule:
        return np.asarray(rows[vertices(fp, tp)])
    # The empty rule is not one of the rows, but the hull begins there: its next vertex is the row
    # of highest precision.
    corners = vertices(np.concatenate([[0], fp]), np.concatenate([[0], tp]))
    return np.asarray(rows[corners[1:] - 1])


def _search_envelope(table: Table, index: WeightedIndex) -> Envelope:
    """Search the envelope numerically, for an index without closed forms.

    The best points are determined on a grid of λ. Where neighbours of the grid have different best
    points, bisection locates the λ at which their curves cross. If a third point is better there,
    it is inserted into the grid, and the search is repeated.
    """
    rows = _pr_front(table)
    points = Rows.of_table(table).take(rows)
    lam = np.linspace(0, 1, STEPS + 1)
    best, _ = _best_points(points, index, lam)
    while True:
        change = np.flatnonzero(best[1:] != best[:-1])
        left, right = best[change], best[change + 1]
        left_points = points.take(left)
        crossing = index.crossing(left_points, points.take(right), lam[change], lam[change + 1])
        # The values are equal at both ends, so any border between them is right.
        crossing = np.where(np.isnan(crossing), lam[change + 1], crossing)
        third, highest = _best_points(points, index, crossing)
        value = index.of_rows(left_points, crossing)
        better = highest > value + _TOLERANCE * np.maximum(1, abs(value))
        # If the best point is one of the two, it is only better by rounding.
        better &= (third != left) & (third != right)
        better &= (crossing > lam[change]) & (crossing < lam[change + 1])
        if not better.any():
            break
        positions = change[better] + 1
        lam = np.insert(lam, positions, crossing[better])
        best = np.insert(best, positions, third[better])
    return _envelope_with_borders(rows[np.append(left, best[-1])], crossing, _SHORTEST)


def _pr_front(table: Table) -> Indices:
    """Return the rows of the PR Pareto front, by rising recall.

    No other row exceeds them in precision and recall.
    """
    rows = front(table)
    precision = Rows.of_table(table).take(rows).precision
    highest_from_here = np.maximum.accumulate(precision[::-1])[::-1]
    return np.asarray(rows[np.append(precision[:-1] > highest_from_here[1:], True)])


def _best_points(points: Rows, index: WeightedIndex, lam: Floats) -> tuple[Indices, Floats]:
    """Return the best point at each weight, and its value, in blocks of limited memory."""
    best = np.zeros(lam.size, np.intp)
    highest = np.full(lam.size, -np.inf)
    step = max(_BLOCK_VALUES // max(lam.size, 1), 1)
    for start in range(0, points.tp.size, step):
        block = points.take(np.s_[start : start + step])
        values = index.of_rows(block.column(), lam)
        row = values.argmax(axis=0)
        value = np.take_along_axis(values, row[None], axis=0)[0]
        best = np.where(value > highest, start + row, best)
        highest = np.maximum(highest, value)
    return best, highest


def baselines(table: Table, index: WeightedIndex) -> Table:
    """Return the trivial sets as labelled rows, by rising false positives.

    The minimal set is a single true positive, so it exists only where positives are counted and
    not weighted. For an index that has a value for the empty rule, the empty rule replaces it.
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
    """Return the ranges of λ in which a curve lies above the curve of the trivial sets.

    Between neighbouring ends of pieces the same point and the same trivial set are best; for an
    index with closed forms, their curves cross once at most.
    """
    ends = np.union1d(curve.lambda_lo, trivial.lambda_lo)
    if not isinstance(index, ClosedIndex):

        def is_above(lam: Floats) -> NDArray[np.bool_]:
            points, sets = _best_at(curve, lam), _best_at(trivial, lam)
            return (index.of_rows(points, lam) > index.of_rows(sets, lam))[:, None]

        starts, states = ranges_of(is_above, grid_with(ends))
        useful = np.flatnonzero(states[:, 0])
        return UsefulRange(starts[useful], np.append(starts[1:], 1.0)[useful])
    points, sets = _best_at(curve, ends), _best_at(trivial, ends)
    crossings = index.crossing(points, sets, ends, np.append(ends[1:], 1.0))
    borders = np.unique(np.concatenate([ends, crossings[np.isfinite(crossings)], [1.0]]))
    middle = (borders[:-1] + borders[1:]) / 2
    points, sets = _best_at(curve, middle), _best_at(trivial, middle)
    above = index.of_rows(points, middle) > index.of_rows(sets, middle)
    # Neighbouring intervals that are above the trivial sets form one range.
    edges = np.diff(np.concatenate([[False], above, [False]]).astype(np.int8))
    return UsefulRange(borders[edges == 1], borders[edges == -1])


def _best_at(curve: TradeoffIntervals, lam: Floats) -> Rows:
    """Return the point that is best at each weight; where two pieces meet, the second one's."""
    return Rows.of_table(curve.table).take(np.searchsorted(curve.lambda_lo, lam, "right") - 1)
