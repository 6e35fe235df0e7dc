"""Tradeoff space: the best value of an index for every weight λ of recall."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, overload

import numpy as np

from isometrics._core.parameters import (
    check_level,
    check_range,
    check_size,
    parse_lambdas,
    parse_numbers,
)
from isometrics._core.results import ResultTable, number
from isometrics._counting.confusion import Confusion
from isometrics._counting.hull import vertices
from isometrics._table.path import hull_rows, with_ends
from isometrics._table.table import Kind, RowMeasures, Table
from isometrics.errors import ParameterError
from isometrics.spaces.indices import ClosedIndex, WeightedIndex, index_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Floats
    from isometrics._counting.hull import Indices

    States = NDArray[Any]


DensityLike: TypeAlias = Any
"""A name, a tuple of a name and parameters, a frozen distribution, or None."""


def parse_density(density: DensityLike) -> Any:
    """Return a density as a distribution with `cdf` and `ppf`."""
    from scipy import stats

    name, *parameters = density if isinstance(density, tuple) and density else (density,)
    numbers = parse_numbers(parameters)
    match name, None if numbers is None else numbers.tolist():
        case "beta", [a, b] if min(a, b) > 0 and max(a, b) < math.inf:
            return stats.beta(a, b)
        case "triangular", []:
            return stats.triang(0.5)
        case "triangular", [mode] if 0 <= mode <= 1:
            return stats.triang(mode)
    if callable(getattr(density, "cdf", None)) and callable(getattr(density, "ppf", None)):
        return density
    raise ParameterError(
        "density must be ('beta', a, b) with a > 0 and b > 0, 'triangular', ('triangular', mode) "
        f"with a mode between 0 and 1, or a frozen distribution of scipy.stats but is {density!r}"
    )


STEPS = 1024
"""Steps of the grid over λ; a range shorter than a step may be missed."""

SHORTEST = 1e-6
"""Ranges shorter than this are treated as rounding errors of a crossing."""

_BISECTIONS = 42
_TERNARY_STEPS = 32
_MAX_BORDERS = 1 << 16


class WinnerRanges(NamedTuple):
    """Start and state of each range; the first starts at 0, and neighbours differ in state."""

    starts: Floats
    states: States


def grid_with(*ends: Floats) -> Floats:
    """Return a grid over λ with the given ends of pieces, and the midpoints between all of them."""
    lam = np.unique(np.concatenate([np.linspace(0, 1, STEPS + 1), *ends]))
    return np.unique(np.concatenate([lam, (lam[:-1] + lam[1:]) / 2]))


def with_closest(lam: Floats, gaps: Callable[[Floats], Floats]) -> Floats:
    """Return a grid with the weights added at which a contender's gap to the best has a minimum.

    `gaps` has a column for each contender, ≥ 0, and 0 for the best one. A contender whose gap has
    a minimum between two weights of the grid may be best there for a short range, so the minimum
    is located by ternary search.
    """
    values = gaps(lam)
    inner = values[1:-1]
    is_minimum = (inner > 0) & (inner <= values[:-2]) & (inner <= values[2:])
    rows, columns = np.nonzero(is_minimum & ((inner < values[:-2]) | (inner < values[2:])))
    lo, hi = lam[rows], lam[rows + 2]
    minimum_index = np.arange(rows.size)
    for _ in range(_TERNARY_STEPS):
        third = (hi - lo) / 3
        left, right = (gaps(at)[minimum_index, columns] for at in (lo + third, hi - third))
        lo, hi = np.where(left > right, lo + third, lo), np.where(left > right, hi, hi - third)
    return np.unique(np.concatenate([lam, (lo + hi) / 2]))


def ranges_of(
    states: Callable[[Floats], States], lam: Floats, shortest: float = SHORTEST
) -> WinnerRanges:
    """Return the ranges in which the states, one row for each weight, are constant.

    Where neighbours of the grid `lam` differ in state, bisection locates the border between them.
    Where the midpoint has a third state, the interval is split there and both borders are located.
    A range that is shorter than `shortest` is replaced by a border at its middle.
    """
    grid_states = states(lam)
    change = np.flatnonzero((grid_states[1:] != grid_states[:-1]).any(axis=1))
    lo, hi = lam[change], lam[change + 1]
    before, after = grid_states[change], grid_states[change + 1]
    for _ in range(_BISECTIONS):
        middle = (lo + hi) / 2
        middle_states = states(middle)
        is_before = (middle_states == before).all(axis=1)
        is_third = ~is_before & ~(middle_states == after).all(axis=1)
        if lo.size + is_third.sum() > _MAX_BORDERS:
            break
        left_halves = (lo[is_third], middle[is_third], before[is_third], middle_states[is_third])
        right = is_before | is_third
        lo, hi = np.where(right, middle, lo), np.where(right, hi, middle)
        before = np.where(is_third[:, None], middle_states, before)
        lo, hi, before, after = (
            np.concatenate(pair) for pair in zip((lo, hi, before, after), left_halves, strict=True)
        )
    order = np.argsort(lo, kind="stable")
    starts = np.append(0.0, hi[order])
    ends = np.append(starts[1:], 1.0)
    long = np.flatnonzero(ends - starts >= shortest)
    found = np.concatenate([grid_states[:1], after[order]])[long]
    starts = np.append(0.0, (ends[long][:-1] + starts[long][1:]) / 2)
    differs = np.append(True, (found[1:] != found[:-1]).any(axis=1))
    return WinnerRanges(starts[differs], found[differs])


MAXIMAL, MINIMAL, EMPTY = "maximal set", "minimal set", "empty rule"


_BLOCK_VALUES = 1 << 20
_SHORTEST = 1e-12
"""Pieces from the numerical search that are shorter than this are rounding errors."""


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
            The density of λ: ``("beta", a, b)``, ``"triangular"`` or ``("triangular", mode)``, or
            a frozen distribution of `scipy.stats`.

        Notes
        -----
        Without a density this is the area ∫ I*(λ) dλ from lo to hi, so divide by hi - lo for the
        mean over a range. With a density f it is the mean ∫ I*(λ) f(λ) dλ / ∫ f(λ) dλ, both from
        lo to hi: the expected value when λ lies in that range. Areas of built-in indices have
        closed forms; means are integrated adaptively over the mass of the density, to about 1e-11.

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
        # Jaccard's weights have a kink at ½, which its own areas know.
        borders = [1.0] if density is None else [0.5, 1.0]
        ends = np.unique(np.clip(np.append(self.intervals.lambda_lo, borders), lo, hi))
        points = _best_at(self.intervals, ends[:-1])
        if density is None:
            return math.fsum(self.index.areas(points, ends[:-1], ends[1:]).tolist())
        return self._mean(points, ends, density)

    def _mean(self, points: Confusion, ends: Floats, density: DensityLike) -> float:
        from scipy.integrate import quad

        distribution = parse_density(density)
        masses = distribution.cdf(ends)
        steps, mass = np.diff(masses), masses[-1] - masses[0]
        if not mass > 0:
            raise ParameterError(
                f"density is 0 everywhere from {number(ends[0])} to {number(ends[-1])}"
            )

        def density_times_index(share: float) -> float:
            """Return the sum over the pieces, as far into the mass of each."""
            lam = distribution.ppf(masses[:-1] + share * steps)
            return float(steps @ self.index.of_rows(points, np.clip(lam, ends[:-1], ends[1:])))

        # Over the mass, a density that is infinite or a narrow peak is like any other. With
        # full_output, quad warns of nothing; an index jumps at most, which costs few digits.
        total, *_ = quad(
            density_times_index, 0, 1, epsabs=1e-13, epsrel=1e-12, limit=500, full_output=1
        )
        return float(total / mass)

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
        rates = {"precision": self.rows.counts.precision, "recall": self.rows.counts.recall}
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
        return self.index.of_rows(self.rows.counts.take(rows).column(), weights)

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
    values = (index.of_rows(best.counts, end) for end in (lo, hi))
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
    points = table.counts.take(rows)
    coordinates = index.coordinates(points)
    if coordinates is not None:
        # For every λ such an index is a convex function of 1/recall and 1/precision, and in these
        # coordinates the hull of counts is convex too. A convex function is highest at a vertex, so
        # no row inside the hull of counts can be best.
        rows = rows[vertices(*coordinates)]
        points = table.counts.take(rows)
    before, after = points.take(np.s_[:-1]), points.take(np.s_[1:])
    # Rounded sums of float weights may cause pieces without length.
    borders = np.maximum.accumulate(index.meeting(before, after))
    ends = np.concatenate([[0.0], borders, [1.0]])
    long = np.flatnonzero(np.diff(ends) > 0)
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

    It is among the rows of the PR Pareto front, by rising recall: no other row exceeds them in
    precision and recall.
    """
    rows = front(table)
    precision = table.counts.take(rows).precision
    highest_from_here = np.maximum.accumulate(precision[::-1])[::-1]
    rows = rows[np.append(precision[:-1] > highest_from_here[1:], True)]
    points = table.counts.take(rows)
    starts, best = ranges_of(
        lambda lam: _best_points(points, index, lam)[:, np.newaxis],
        np.linspace(0, 1, STEPS + 1),
        _SHORTEST,
    )
    return Envelope(rows[best[:, 0]], np.append(starts, 1.0))


def _best_points(points: Confusion, index: WeightedIndex, lam: Floats) -> Indices:
    """Return the best point at each weight, in blocks of limited memory."""
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
    return best


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


def _best_at(curve: TradeoffIntervals, lam: Floats) -> Confusion:
    """Return the point that is best at each weight; where two pieces meet, the second one's."""
    return curve.table.counts.take(np.searchsorted(curve.lambda_lo, lam, "right") - 1)
