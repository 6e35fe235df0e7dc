"""Tradeoff space: an index over the weight λ of recall, where every point is a whole curve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np

from isometrics.errors import ParameterError
from isometrics.indices import ClosedIndex, Rows, WeightedIndex, index_named
from isometrics.parameters import clean_lambdas, clean_level, clean_range, clean_size
from isometrics.printing import html_table, number, text_table
from isometrics.spaces import pr
from isometrics.spaces.baselines import UsefulRange, baselines, useful_range
from isometrics.spaces.density import DensityLike, beta_masses, clean_density
from isometrics.spaces.envelope import completed, envelope_of
from isometrics.spaces.tradeoff_intervals import TradeoffIntervals
from isometrics.table import Kind, Table
from isometrics.values import Value

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isometrics.aliases import Floats


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
        weights = clean_lambdas(lam)
        piece = self._piece(weights)
        values = self.index.of_rows(self._points().take(piece), weights)
        return float(values) if weights.ndim == 0 else np.asarray(values)

    def best(self, lam: float) -> TradeoffIntervals:
        """Return the row that is best at a weight of recall; two where their pieces meet."""
        weight = clean_level(lam, "lam")
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
        lo, hi = clean_range(lo, hi, axis="weight of recall")
        ends = np.concatenate([self.intervals.lambda_lo, [1.0]])
        ends = np.clip(ends, lo, hi)
        reached = np.flatnonzero(ends[1:] > ends[:-1])
        points = self._points().take(reached)
        starts, stops = ends[:-1][reached], ends[1:][reached]
        if density is None:
            return math.fsum(self.index.areas(points, starts, stops).tolist())
        return self._mean(points, np.append(starts, stops[-1:]), density)

    def _mean(self, points: Rows, ends: Floats, density: DensityLike) -> float:
        weighing = clean_density(density, float(ends[0]), float(ends[-1]))
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
            name: clean_level(level, f"min_{name}")
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
        weights = np.atleast_1d(clean_lambdas(lam))
        some = np.flatnonzero(self.rows.tp > 0)
        if some.size > clean_size(most, "most"):
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
