"""PR space: precision over recall, where the way between two points is a curve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from isometrics.parameters import clean_choice, clean_positions, clean_range
from isometrics.path import Path, path_of
from isometrics.spaces import pr_pieces
from isometrics.table import Measure, Table
from isometrics.values import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

    from isometrics.aliases import Counts, Floats

INTERPOLATIONS = tuple(pr_pieces.AREAS)

_COMPILED = {
    "davis-goadrich": "below",
    "average-precision": "average_precision",
    "linear": "linear",
    "above": "above",
}
"""The areas for which there are compiled loops."""


def recall(table: Table) -> Floats:
    """Share of the positives predicted positive, tp / P."""
    return table.tp / table.positives


def precision(table: Table) -> Floats:
    """Share of the predicted positives that are positive; NaN for the empty rule."""
    predicted = table.tp + table.fp
    return _ratio(table.tp, predicted)


def f(table: Table, beta: float) -> Floats:
    """Weighted harmonic mean of precision and recall, F_β.

    Notes
    -----
    tp / (tp + λ·fn + (1-λ)·fp) with λ = β²/(1+β²), the weight of recall.
    """
    recall_weight, precision_weight = f_weights(beta)
    missed = recall_weight * (table.positives - table.tp) + precision_weight * table.fp
    total = table.tp + missed
    return _ratio(table.tp, total)


def _ratio(part: Counts, whole: Counts) -> Floats:
    """Divide; 0/0 is NaN."""
    return np.asarray(np.divide(part, whole, out=np.full(whole.shape, np.nan), where=whole > 0))


def _bend(u: float) -> float:
    """Return 1 - ln(1+u)/u, to full relative precision for small u too.

    With s = u/(2+u), ln(1+u) = 2·artanh(s) = 2s + 2s³·(1/3 + s²/5 + …) and 1 - 2s/u = s.
    """
    if u > 1:
        return 1 - math.log1p(u) / u
    s = u / (2 + u)
    series = math.fsum(s ** (2 * k) / (2 * k + 3) for k in range(16))
    return s - s * s * (1 - s) * series


def f_weights(beta: float) -> tuple[float, float]:
    """Return the weights of recall and precision, λ = β²/(1+β²) and 1 - λ = 1/(1+β²)."""
    if beta <= 1:
        return beta * beta / (1 + beta * beta), 1 / (1 + beta * beta)
    inverse = (1 / beta) * (1 / beta)
    return 1 / (1 + inverse), inverse / (1 + inverse)


@dataclass(frozen=True, slots=True, eq=False)
class PRSpace(Value):
    """The table seen in PR space.

    Notes
    -----
    Between two rows false positives are linear in true positives, so precision is a curve (Davis
    & Goadrich 2006, section 4). From the empty rule to the first row precision is constant; no
    point (recall 0, precision 1) is invented.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> round(pts.pr.area(), 6)
    0.797267
    >>> round(pts.pr.area("average-precision"), 6)
    0.833333
    """

    table: Table

    @property
    def x(self) -> Floats:
        """Recall of each row."""
        return recall(self.table)

    @property
    def y(self) -> Floats:
        """Precision of each row; NaN for the empty rule."""
        return precision(self.table)

    def interpolate(self, x: ArrayLike) -> Floats:
        """Return the highest precision of the curve at the recalls `x`; at 0, its limit."""
        at = clean_positions(x, axis="recall")
        path = path_of(self.table)
        recalls = path.x / self.table.positives
        end = np.maximum(np.searchsorted(recalls, at, "left"), 1)
        start = end - 1
        rise = recalls[end] - recalls[start]
        share = np.divide(at - recalls[start], rise, out=np.ones(at.shape), where=rise > 0)
        fp = path.y[start] + share * (path.y[end] - path.y[start])
        tp = at * self.table.positives
        limit = self._precision_at_zero(path)
        from_nothing = (path.x[start] == 0) & (path.y[start] == 0)
        constant = np.full(at.shape, limit)
        return np.asarray(np.divide(tp, tp + fp, out=constant, where=(at > 0) & ~from_nothing))

    def area(
        self, interpolation: str = "davis-goadrich", lo: float = 0.0, hi: float = 1.0
    ) -> float:
        """Return the area under the curve, over all or a part of the recalls.

        Parameters
        ----------
        interpolation
            ``"davis-goadrich"``: the exact area under the achievable interpolation.
            ``"average-precision"``: steps at the precision of the lower threshold, as
            scikit-learn's ``average_precision_score``.
            ``"linear"``: straight lines, which are optimistic; for comparison.
            ``"integer-steps"``: straight lines between points at every whole true positive,
            what the program of Davis & Goadrich prints.
            ``"max-precision"``: steps at the best precision reached at this recall or a higher
            one, the interpolated precision of information retrieval.
        lo, hi
            The range of recall.
        """
        clean_choice(interpolation, "interpolation", INTERPOLATIONS)
        return self._areas((interpolation,), lo, hi)[interpolation]

    def areas(
        self,
        lo: float = 0.0,
        hi: float = 1.0,
        *,
        interpolations: tuple[str, ...] = INTERPOLATIONS,
    ) -> dict[str, float]:
        """Return the areas of several interpolations, by default all, from one pass."""
        for interpolation in interpolations:
            clean_choice(interpolation, "interpolation", INTERPOLATIONS)
        return self._areas(interpolations, lo, hi)

    def standardised_area(
        self, interpolation: str = "davis-goadrich", lo: float = 0.0, hi: float = 1.0
    ) -> float:
        """Return the mean precision over a range of recall: the partial area over its width."""
        lo, hi = clean_range(lo, hi, axis="recall")
        return self.area(interpolation, lo, hi) / (hi - lo)

    def minimum_area(self, lo: float = 0.0, hi: float = 1.0) -> float:
        """Return the area below which no curve can lie, that of the worst ranking.

        Notes
        -----
        Boyd et al. (2012): 1 + ((1-π)/π)·ln(1-π) over all recalls, which cancels where π is small.
        With u = P·(hi-lo)/(N + P·lo) it is (hi-lo)·(1 - ln(1+u)/u) + lo·ln(1+u), whose terms
        are both positive.
        """
        lo, hi = clean_range(lo, hi, axis="recall")
        positives, negatives = self.table.positives, self.table.negatives
        growth = positives * (hi - lo) / (negatives + positives * lo)
        return (hi - lo) * _bend(growth) + lo * math.log1p(growth)

    def normalised_area(self, lo: float = 0.0, hi: float = 1.0) -> float:
        """Return the exact area on a scale from 0, the worst ranking, to 1, a perfect one.

        Notes
        -----
        (AUPR - min)/(1 - min), Boyd et al. (2012). Written with the areas above the curves,
        1 - (1 - AUPR)/(1 - min), it keeps its digits when π nears 1.
        """
        lo, hi = clean_range(lo, hi, axis="recall")
        if (lo, hi) == (0, 1) and Measure.ABOVE in self.table.known:
            gap = self.table.known[Measure.ABOVE]
        else:
            terms, pieces = self._whole_terms(("above",), lo, hi)
            terms["above"] += map(pr_pieces.area_above, pieces)
            gap = math.fsum(terms["above"]) / self.table.positives
        return 1 - gap / self._widest_gap(lo, hi)

    def _widest_gap(self, lo: float, hi: float) -> float:
        positives, negatives = self.table.positives, self.table.negatives
        return (
            negatives / positives * math.log1p(positives * (hi - lo) / (negatives + positives * lo))
        )

    def _areas(self, names: tuple[str, ...], lo: float, hi: float) -> dict[str, float]:
        lo, hi = clean_range(lo, hi, axis="recall")
        if (lo, hi) == (0, 1) and self.table.known.keys() >= set(names):
            return {name: self.table.known[name] for name in names}
        areas = {name: pr_pieces.AREAS[name]() for name in names}
        if hi < 1 and "max-precision" in areas:
            # Its steps look ahead, so the pieces beyond the range are seen first.
            for pieces in self._pieces(hi, 1.0):
                areas["max-precision"](pieces)
        sums, cut_or_all = self._whole_terms(names, lo, hi)
        for pieces in cut_or_all:
            for name, area in areas.items():
                sums[name].append(area(pieces))
        return {name: math.fsum(terms) / self.table.positives for name, terms in sums.items()}

    def _whole_terms(
        self, names: tuple[str, ...], lo: float, hi: float
    ) -> tuple[dict[str, list[float]], Iterator[pr_pieces.PrecisionPieces]]:
        """Return what compiled loops have added up, and the pieces that are left to add."""
        positives = Fraction(self.table.positives)
        ends = Fraction(lo) * positives, Fraction(hi) * positives
        path = path_of(self.table)
        sums: dict[str, list[float]] = {name: [] for name in names}
        if not _COMPILED.keys() >= sums.keys():
            return sums, self._pieces(lo, hi)
        for name in names:
            found = path.whole_sums(_COMPILED[name], *ends)
            if found is None:
                return sums, self._pieces(lo, hi)
            sums[name] += found
        return sums, map(pr_pieces.PrecisionPieces, path.cut_pieces(*ends))

    def _pieces(self, lo: float, hi: float) -> Iterator[pr_pieces.PrecisionPieces]:
        positives = Fraction(self.table.positives)
        pieces = path_of(self.table).rising_pieces(
            Fraction(lo) * positives, Fraction(hi) * positives
        )
        return map(pr_pieces.PrecisionPieces, pieces)

    def _precision_at_zero(self, path: Path) -> float:
        first = int(np.searchsorted(path.x, 0, "right"))
        if path.y[first - 1] > 0:
            return 0.0
        return float(path.x[first] / (path.x[first] + path.y[first]))
