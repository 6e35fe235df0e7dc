"""The best threshold for every β: the vertices of the hull, each with its interval of β."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.parameters import check_beta
from isometrics._table.hull import hull_of
from isometrics._table.table import Kind, Table
from isometrics.points import OperatingPoints
from isometrics.points.models import check_points
from isometrics.spaces.rows import RowMeasures

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OptimalThresholds(RowMeasures):
    """One row for each threshold that is best for some β, with the interval of these β.

    Attributes
    ----------
    points
        The rows: vertices of the hull, without the empty rule.
    beta_squared_lo, beta_squared_hi
        The row has the highest F_β exactly when β² lies between these. Neighbours share an end,
        and the intervals together cover 0 to ∞.
    lambda_lo, lambda_hi
        The same on the scale of the weight of recall, λ = β²/(1+β²).
    d_lo, d_hi
        The same on the scale of the F-calibrated score, d = 1/(1+β²) = 1 - λ.
    """

    points: OperatingPoints
    beta_squared_lo: Floats
    beta_squared_hi: Floats
    lambda_lo: Floats
    lambda_hi: Floats
    d_lo: Floats
    d_hi: Floats

    @property
    def table(self) -> Table:  # type: ignore[override]
        """The table of the rows."""
        return self.points.table

    def f_at_ends(self) -> tuple[Floats, Floats]:
        """Return each row's F at the lower and at the upper end of its interval."""
        return (
            self._f(self.lambda_lo, self.d_hi),
            self._f(self.lambda_hi, self.d_lo),
        )

    def f_gain_at_ends(self) -> tuple[Floats, Floats]:
        """Return each row's F gain at the lower and at the upper end of its interval."""
        return (
            self._f_gain(self.lambda_lo, self.d_hi),
            self._f_gain(self.lambda_hi, self.d_lo),
        )

    def _errors(self, recall_weight: Floats, precision_weight: Floats) -> Floats:
        return np.asarray(recall_weight * self.points.fn + precision_weight * self.fp)

    def _f(self, recall_weight: Floats, precision_weight: Floats) -> Floats:
        return np.asarray(self.tp / (self.tp + self._errors(recall_weight, precision_weight)))

    def _f_gain(self, recall_weight: Floats, precision_weight: Floats) -> Floats:
        errors = self._errors(recall_weight, precision_weight)
        return np.asarray(1 - self.points.table.odds * (errors / self.tp))

    def at(self, beta: float) -> OptimalThresholds:
        """Return the row that is best for β; two where β is the exact end of an interval.

        Examples
        --------
        >>> import isometrics as iso
        >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
        >>> iso.optimal_thresholds(pts).at(2).thresholds
        array([0.7])
        """
        beta = check_beta(beta)
        # Rounding is monotone, for the product as for the ends, so no optimal row is missed here.
        squared = beta * beta
        rows = np.flatnonzero((self.beta_squared_lo <= squared) & (squared <= self.beta_squared_hi))
        losses = [self._loss(row, beta) for row in rows.tolist()]
        best = min(losses)
        return self._take(rows[[loss == best for loss in losses]])

    def _loss(self, row: int, beta: float) -> Fraction:
        """Return (β²·fn + fp)/tp, which falls as F_β rises, exactly; for β = ∞, fn/tp."""
        tp, fp = Fraction(self.tp[row].item()), Fraction(self.fp[row].item())
        fn = Fraction(self.points.positives) - tp
        return fn / tp if math.isinf(beta) else (Fraction(beta) ** 2 * fn + fp) / tp

    def _take(self, rows: NDArray[np.intp]) -> OptimalThresholds:
        return replace(
            self,
            points=OperatingPoints(self.points.table.take(rows, Kind.SELECTION)),
            beta_squared_lo=self.beta_squared_lo[rows],
            beta_squared_hi=self.beta_squared_hi[rows],
            lambda_lo=self.lambda_lo[rows],
            lambda_hi=self.lambda_hi[rows],
            d_lo=self.d_lo[rows],
            d_hi=self.d_hi[rows],
        )

    def _title(self) -> str:
        rows = "1 threshold is" if len(self) == 1 else f"{len(self)} thresholds are"
        return f"OptimalThresholds: {rows} best for some β"

    def _shown(self) -> dict[str, Any]:
        return (
            self._printed_names()
            | {"β² from": self.beta_squared_lo, "β² to": self.beta_squared_hi}
            | self._named("tp", "fp", "precision", "recall")
        )

    def _columns(self) -> dict[str, Any]:
        f_lo, f_hi = self.f_at_ends()
        f_gain_lo, f_gain_hi = self.f_gain_at_ends()
        return (
            self._names()
            | self._named(
                "beta_squared_lo",
                "beta_squared_hi",
                "lambda_lo",
                "lambda_hi",
                "d_lo",
                "d_hi",
                "tp",
                "fp",
                "precision",
                "recall",
            )
            | {"f_lo": f_lo, "f_hi": f_hi, "f_gain_lo": f_gain_lo, "f_gain_hi": f_gain_hi}
        )


def optimal_thresholds(pts: OperatingPoints) -> OptimalThresholds:
    """Return the best threshold for every β at once, as a table of intervals.

    Parameters
    ----------
    pts
        Any table; without thresholds the rows are identified by their counts or labels.

    Notes
    -----
    The best row for F_β is a vertex of the hull of the PRG points (Flach & Kull 2015). Between
    neighbouring vertices a and b both are equally good at

    β² = -Δ(1/precision)/Δ(1/recall) = (fp_b·tp_a - fp_a·tp_b)/(P·(tp_b - tp_a)),

    computed in exact fractions and rounded once. The interval of the first vertex, the row of
    highest precision, begins at β² = 0. A last vertex that adds only negatives is never better
    than the one before it and ties with it at β = ∞, so its interval is [∞, ∞].

    Examples
    --------
    >>> import isometrics as iso
    >>> labels, scores = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> pts = iso.OperatingPoints.from_scores(labels, scores)
    >>> iso.optimal_thresholds(pts)
    OptimalThresholds: 4 thresholds are best for some β
    threshold  β² from  β² to  tp  fp  precision  recall
          0.9        0  0.125   1   0          1    0.25
          0.6    0.125   1.25   3   1       0.75    0.75
          0.3     1.25    inf   4   3   0.571429       1
          0.2      inf    inf   4   4        0.5       1
    """
    hull = hull_of(check_points(pts, "pts").table)
    shares = segment_shares(hull)
    d = np.array([*map(float, shares), 0.0])
    recall_weight = np.array([*(float(1 - share) for share in shares), 1.0])
    squared = np.array([*map(_beta_squared, shares), math.inf])
    vertices = hull.take(np.arange(1, hull.size), Kind.SELECTION)
    return OptimalThresholds(
        OperatingPoints(vertices),
        squared[:-1],
        squared[1:],
        recall_weight[:-1],
        recall_weight[1:],
        d[1:],
        d[:-1],
    )


def segment_shares(hull: Table) -> list[Fraction]:
    """Return d = 1/(1+β²) of each segment of a hull, exactly; it falls from 1.

    Rounded sums of float weights may make a hull slightly concave; such a segment gets the value
    of the one before it, so that d never rises.
    """
    tp, fp = (list(map(Fraction, counts.tolist())) for counts in (hull.tp, hull.fp))
    positives = Fraction(hull.positives)
    shares = []
    for (tp_a, fp_a), (tp_b, fp_b) in pairwise(zip(tp, fp, strict=True)):
        rise = positives * (tp_b - tp_a)
        shares.append(rise / (rise + fp_b * tp_a - fp_a * tp_b))
    return list(accumulate(shares, min))


def segment_precisions(hull: Table) -> Floats:
    """Return the share of positives in each segment of a hull; it never rises.

    Both ends of a segment are equally accurate at this cost proportion (Flach & Kull 2015).
    """
    rise, run = np.diff(hull.tp), np.diff(hull.fp)
    # Rounded sums of float weights may make the hull slightly concave.
    return np.minimum.accumulate(np.asarray(rise / (rise + run), np.float64))


def _beta_squared(share: Fraction) -> float:
    return float((1 - share) / share) if share else math.inf
