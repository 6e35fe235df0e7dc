"""The indices with closed forms: the four of Hanczar & Nadif, the F gain and the cost.

Each is a straight line in λ after a rising map of its values: Kulczynski, the F gain and the cost
as they are, the F-measure and Jaccard through the reciprocal (Jaccard on each half of the λ
axis), Folke through the logarithm. So the curves of two points meet once at most.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from isometrics.indices.rows import Rows, fractions, share, steps
from isometrics.indices.weighted import WeightedIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.aliases import Floats


class ClosedIndex(WeightedIndex):
    """An index whose crossings and areas have closed forms."""

    __slots__ = ()

    has_empty_rule: bool = False
    """Whether the empty rule has a value, and so is a point like any other."""

    linear: bool = False
    """Whether the index itself is a straight line in λ."""

    def __eq__(self, other: object) -> bool:
        """Compare by class: these indices have no parameters."""
        return type(self) is type(other) or NotImplemented

    def __hash__(self) -> int:
        """Hash by class."""
        return hash(type(self))

    @abstractmethod
    def meeting(self, one: Rows, other: Rows) -> Floats:
        """Return where the curves of two points meet in [0, 1]; NaN where they do not."""

    def coordinates(self, rows: Rows) -> tuple[Floats, Floats] | None:  # noqa: ARG002
        """Return the coordinates whose hull is the envelope, unless it is the hull of counts."""
        return None

    def crossing(self, one: Rows, other: Rows, lo: Floats, hi: Floats) -> Floats:
        """Return where the curves of two points meet in [lo, hi]; NaN where they do not."""
        met = self.meeting(one, other)
        with np.errstate(invalid="ignore"):
            return np.where((met >= lo) & (met <= hi), met, np.nan)


class _Straight(ClosedIndex):
    """An index that is a straight line in λ."""

    __slots__ = ()

    linear = True

    def areas(self, rows: Rows, lo: Floats, hi: Floats) -> Floats:
        """Return the area under the curve of each point from lo to hi."""
        return np.asarray((hi - lo) * self.of_rows(rows, (lo + hi) / 2))


class Kulczynski(_Straight):
    """λ·recall + (1-λ)·precision."""

    __slots__ = ()

    name = "kulczynski"

    def of_rows(self, rows: Rows, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        return np.asarray(lam * rows.recall + (1 - lam) * rows.precision)

    def meeting(self, one: Rows, other: Rows) -> Floats:
        """(p₁-p₂)/((p₁-p₂) + (r₂-r₁))."""
        rise, fall = steps(one, other)
        total = Fraction(one.positives) ** 2
        predicted = [fractions(rows.tp) + fractions(rows.fp) for rows in (one, other)]
        return share(fall * total, rise * (predicted[0] * predicted[1]))

    def coordinates(self, rows: Rows) -> tuple[Floats, Floats]:
        """Return the coordinates whose hull is the envelope."""
        return rows.recall, rows.precision


class Folke(ClosedIndex):
    """recall^λ · precision^(1-λ), the weighted Fowlkes-Mallows index.

    Hanczar & Nadif (section 2.4) print the exponents λ/2 and 1-λ/2, which break their own
    conditions and do not give their Table 1; these do.
    """

    __slots__ = ()

    name = "folke"

    def of_rows(self, rows: Rows, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        return np.asarray(rows.recall**lam * rows.precision ** (1 - lam))

    def meeting(self, one: Rows, other: Rows) -> Floats:
        """ln(p₁/p₂)/(ln(p₁/p₂) + ln(r₂/r₁))."""
        rise, fall = steps(one, other)
        predicted, tp = fractions(one.tp) + fractions(one.fp), fractions(other.tp)
        # Exact differences keep the logarithms of almost equal rates accurate.
        precision = _floats(fall / (predicted * tp))
        recall = _floats(rise / (Fraction(one.positives) * fractions(one.tp)))
        return share(np.log1p(precision), np.log1p(recall))

    def areas(self, rows: Rows, lo: Floats, hi: Floats) -> Floats:
        """Return the area under the curve of each point: width · highest · (e^x - 1)/x."""
        # ln(r/p) = ln((tp+fp)/P), which log1p keeps accurate where precision and recall are almost
        # equal, and the logarithm itself where few are predicted positive.
        share = (rows.tp + rows.fp) / rows.positives
        excess = np.maximum((rows.fp - rows.fn) / rows.positives, -0.5)
        slope = np.where(share < 0.5, np.log(share), np.log1p(excess))
        highest = np.where(slope > 0, hi, lo)
        return np.asarray(
            (hi - lo) * self.of_rows(rows, highest) * _fall(-np.abs(slope) * (hi - lo))
        )

    def coordinates(self, rows: Rows) -> tuple[Floats, Floats]:
        """Return the coordinates whose hull is the envelope."""
        return -np.log1p(rows.fn / rows.tp), -np.log1p(rows.fp / rows.tp)


class FMeasure(ClosedIndex):
    """1/(λ/recall + (1-λ)/precision): F_β with λ = β²/(1+β²)."""

    __slots__ = ()

    name = "f-measure"

    def of_rows(self, rows: Rows, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        return _tversky(rows, lam, 1 - lam)

    def meeting(self, one: Rows, other: Rows) -> Floats:
        """Δ(1/p)/(Δ(1/p) + Δ(1/r)), which is β²/(1+β²) of the segment between them."""
        rise, fall = steps(one, other)
        return share(fall, rise)

    def areas(self, rows: Rows, lo: Floats, hi: Floats) -> Floats:
        """Return the area under the curve of each point from lo to hi."""
        return _reciprocal_areas(self, rows, lo, hi, (rows.fn - rows.fp) / rows.tp)


class Jaccard(ClosedIndex):
    """tp/(tp + w(λ)·fn + w(1-λ)·fp) with w(x) = min(2x, 1).

    At the same points it ranks as the F-measure does at β² = 2λ, above λ = ½ at 1/β² = 2(1-λ).
    """

    __slots__ = ()

    name = "jaccard"

    def of_rows(self, rows: Rows, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        return _tversky(rows, np.minimum(2 * lam, 1), np.minimum(2 * (1 - lam), 1))

    def meeting(self, one: Rows, other: Rows) -> Floats:
        """β²/2 up to ½, then 1 - 1/(2β²), with β² = Δ(1/p)/Δ(1/r)."""
        rise, fall = steps(one, other)
        # λ and 1-λ are in the ratio s : 2-s with s the smaller of both over the larger.
        flat = np.asarray(abs(fall) <= abs(rise), dtype=bool)
        smaller, larger = np.where(flat, fall, rise), np.where(flat, rise, fall)
        half = share(smaller, 2 * larger - smaller)
        return np.where(flat, half, 1 - half)

    def areas(self, rows: Rows, lo: Floats, hi: Floats) -> Floats:
        """Return the area under the curve of each point from lo to hi."""
        half = np.clip(0.5, lo, hi)
        left = _reciprocal_areas(self, rows, lo, half, 2 * (rows.fn / rows.tp))
        right = _reciprocal_areas(self, rows, half, hi, -2 * (rows.fp / rows.tp))
        return left + right


class FGain(_Straight):
    """(1-λ)·precision gain + λ·recall gain (Flach & Kull 2015, Th. 2)."""

    __slots__ = ()

    name = "f-gain"
    needs_prevalence = True

    def of_rows(self, rows: Rows, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        odds = rows.positives / rows.negatives
        missed = lam * rows.fn + (1 - lam) * rows.fp
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(1 - odds * (missed / rows.tp))

    def meeting(self, one: Rows, other: Rows) -> Floats:
        """As for the F-measure: both rise with one another."""
        rise, fall = steps(one, other)
        return share(fall, rise)


class Cost(_Straight):
    """λ·tpr + (1-λ)·(1-fpr): 1 minus the normalised expected cost of Drummond & Holte (2006).

    λ is their probability-cost PC(+); the empty rule is a point like any other.
    """

    __slots__ = ()

    name = "cost"
    needs_prevalence = True
    rises_with_recall = False
    has_empty_rule = True

    def of_rows(self, rows: Rows, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""
        specificity = (rows.negatives - rows.fp) / rows.negatives
        return np.asarray(lam * rows.recall + (1 - lam) * specificity)

    def meeting(self, one: Rows, other: Rows) -> Floats:
        """Δfpr/(Δfpr + Δtpr)."""
        rise = (fractions(other.tp) - fractions(one.tp)) * Fraction(one.negatives)
        run = (fractions(other.fp) - fractions(one.fp)) * Fraction(one.positives)
        return share(run, rise)


def _tversky(rows: Rows, missed: Floats, false: Floats) -> Floats:
    """tp/(tp + weighted errors), without the cancellation of sums of reciprocals."""
    with np.errstate(invalid="ignore"):
        return np.asarray(rows.tp / (rows.tp + (missed * rows.fn + false * rows.fp)))


def _reciprocal_areas(
    index: ClosedIndex, rows: Rows, lo: Floats, hi: Floats, slope: Floats
) -> Floats:
    """Return the area where 1/index is a line: width · highest · ln(1+x)/x.

    x is the rise of 1/index over the width in units of its smallest value; it is never negative,
    so nothing cancels.
    """
    highest = index.of_rows(rows, np.where(slope > 0, lo, hi))
    width = hi - lo
    return np.asarray(width * highest * _bend(np.abs(slope) * width * highest))


def _bend(x: Floats) -> Floats:
    """ln(1+x)/x, which is 1 at 0."""
    return np.divide(np.log1p(x), x, out=np.ones_like(x), where=x != 0)


def _fall(x: Floats) -> Floats:
    """(exp(x)-1)/x, which is 1 at 0."""
    return np.divide(np.expm1(x), x, out=np.ones_like(x), where=x != 0)


def _floats(exact: NDArray[np.object_]) -> Floats:
    return np.asarray(exact, dtype=np.float64)
