"""PRG space: precision gain over recall gain, where F_β has straight isometrics."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from isometrics.errors import UndefinedWarning
from isometrics.parameters import clean_beta, clean_positions, clean_range
from isometrics.path import Path, path_of
from isometrics.spaces.pr import f_weights
from isometrics.table import Table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isometrics.aliases import Floats


def precision_gain(table: Table) -> Floats:
    """1 - c·fp/tp: precision on the scale where always-positive is 0 and perfect is 1."""
    return 1 - table.odds * _per_true_positive(table.fp, table)


def recall_gain(table: Table) -> Floats:
    """1 - c·fn/tp: recall on the scale where a recall of π is 0 and a full one is 1."""
    return 1 - table.odds * _per_true_positive(table.positives - table.tp, table)


def f_gain(table: Table, beta: float) -> Floats:
    """F_β on the gain scale: the weighted arithmetic mean of both gains (Flach & Kull, Th. 2)."""
    recall_weight, precision_weight = f_weights(beta)
    missed = recall_weight * (table.positives - table.tp) + precision_weight * table.fp
    return 1 - table.odds * _per_true_positive(missed, table)


def _per_true_positive(missed: NDArray[np.int64] | Floats, table: Table) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return missed / table.tp


@dataclass(frozen=True, slots=True)
class PRGSpace:
    """The table seen in PRG space (Flach & Kull 2015); straight lines are achievable.

    Rows without true positives lie at -∞; the precision gain of the empty rule is NaN.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> round(pts.prg.area(), 6), pts.prg.y0
    (0.25, 1.0)
    """

    table: Table

    @property
    def x(self) -> Floats:
        """Recall gain of each row."""
        return recall_gain(self.table)

    @property
    def y(self) -> Floats:
        """Precision gain of each row."""
        return precision_gain(self.table)

    @property
    def y0(self) -> float:
        """Precision gain where recall gain is 0, that is, at a recall of π."""
        tp, fp = self._baseline_crossing(path_of(self.table))
        return float(1 - Fraction(self.table.positives) / Fraction(self.table.negatives) * fp / tp)

    def interpolate(self, x: ArrayLike) -> Floats:
        """Return the highest precision gain of the curve at the recall gains `x`."""
        at = clean_positions(x, axis="recall gain", lowest=-math.inf)
        path, odds = path_of(self.table), self.table.odds
        with np.errstate(divide="ignore", invalid="ignore"):
            # Losses, 1 - gain, keep their digits; that of recall falls along the path.
            recall_loss = odds * ((self.table.positives - path.x) / path.x)
            precision_loss = odds * (path.y / path.x)
            end = np.searchsorted(-recall_loss, at - 1, "left")
            start = np.maximum(end - 1, 0)
            # Measured from the end, whose losses are the smaller ones, nothing cancels.
            back = (1 - at - recall_loss[end]) / (recall_loss[start] - recall_loss[end])
            loss = precision_loss[end] + back * (precision_loss[start] - precision_loss[end])
            # Where a segment starts without true positives, fp/tp is affine in 1/tp.
            slope = (path.y[end] - path.y[start]) / (path.x[end] - path.x[start])
            from_zero = odds * slope + (path.y[start] / self.table.positives) * (1 - at + odds)
        loss = np.where(path.x[start] == 0, from_zero, loss)
        return np.asarray(1 - np.where(recall_loss[end] == 1 - at, precision_loss[end], loss))

    def area(self, lo: float = 0.0, hi: float = 1.0) -> float:
        """Return the signed area under the curve, over recall gains from 0 to 1 or a part.

        The whole area is 1 for a perfect ranking and 0 for scores that are all tied. A ranking
        worse than that has a negative area, and there is no lower bound: a few positives that
        all rank late among many negatives give large negative values.
        """
        lo, hi = clean_range(lo, hi, axis="recall gain", lowest=-math.inf)
        positives, odds = self.table.positives, self.table.odds
        pieces = path_of(self.table).rising_pieces(
            self._true_positives(Fraction(lo)), self._true_positives(Fraction(hi))
        )
        lost = []
        for part, *_ in pieces:
            # In recall r the gain moves by c·Δr/(r·r), and 1 - precision gain is c·fp/tp.
            width = (part.rise / part.x) / (part.x_end / positives)
            lost.append(float(np.sum(width * (part.y / part.x + part.y_end / part.x_end))))
        return (hi - lo) - odds * odds / 2 * math.fsum(lost)

    def standardised_area(self, lo: float = 0.0, hi: float = 1.0) -> float:
        """Return the mean precision gain over a range of recall gain."""
        lo, hi = clean_range(lo, hi, axis="recall gain", lowest=-math.inf)
        return self.area(lo, hi) / (hi - lo)

    def expected_f_gain(self, beta: float = 1.0) -> float:
        """Return the F_β gain expected when thresholds are drawn uniformly in Δ.

        NaN, with a warning that says so, when all negatives rank above a recall of π.

        Notes
        -----
        Δ = recG/π - precG/(1-π) (Flach & Kull 2015, Th. 3, for every β). Along the path Δ is an
        affine function of tn/tp, and the losses 1 - gain are linear on every piece of it; so the
        expectation is 1 minus a mean of positive terms, which never cancel.
        """
        recall_weight, precision_weight = f_weights(clean_beta(beta))
        return 1 - self.table.odds * self._expected_misses(recall_weight, precision_weight)

    def expected_reciprocal_f(self) -> float:
        """Return the expectation of 1/F₁ under the same distribution as `expected_f_gain`."""
        return 1 + self._expected_misses(0.5, 0.5)

    def _expected_misses(self, recall_weight: float, precision_weight: float) -> float:
        """Return the mean of (λ·fn + (1-λ)·fp)/tp, uniform in tn/tp from recall π on."""
        path = path_of(self.table)
        positives, negatives = self.table.positives, self.table.negatives
        tp, fp = self._baseline_crossing(path)
        if fp == Fraction(negatives):
            warnings.warn(
                "the expected F gain is undefined (NaN): all negatives rank above a recall equal "
                "to the prevalence, so there is nothing to average over",
                UndefinedWarning,
                stacklevel=4,
            )
            return math.nan
        row = path.first_row_from(tp)

        def misses(fn: Floats, fp: Floats, tp: Floats) -> Floats:
            return (recall_weight * fn + precision_weight * fp) / tp

        # The first, cut piece: its ends are exact before they are rounded.
        row_tp, row_fp = path.at(row)
        first_step = (Fraction(negatives) - fp) / tp - (Fraction(negatives) - row_fp) / row_tp
        start = misses(*_rounded(Fraction(positives) - tp, fp, tp))
        end = misses(*_rounded(Fraction(positives) - row_tp, row_fp, row_tp))
        terms = [float(((start + end) * float(first_step)).item())]
        for begin in range(row, path.x.size - 1, 1 << 14):
            x = path.x[begin : begin + (1 << 14) + 1]
            y = path.y[begin : begin + (1 << 14) + 1]
            tps = x.astype(np.float64)
            missed = misses(positives - x, y, tps)
            # tn/tp falls from one row to the next by (tn·rise + tp·run)/(tp·tp of the next).
            steps = (negatives - y[:-1]) * (np.diff(x) / tps[1:]) / tps[:-1] + np.diff(y) / tps[1:]
            terms.append(float(np.sum((missed[:-1] + missed[1:]) * steps)))
        return math.fsum(terms) / 2 / float((Fraction(negatives) - fp) / tp)

    def _baseline_crossing(self, path: Path) -> tuple[Fraction, Fraction]:
        """Return the true and (fewest) false positives where recall gain is 0, exactly."""
        tp = self._true_positives(Fraction(0))
        return tp, path.crossing(tp)

    def _true_positives(self, gain: Fraction) -> Fraction:
        """Return the true positives at a recall gain: cP/(1 + c - gain)."""
        positives, negatives = Fraction(self.table.positives), Fraction(self.table.negatives)
        return positives * positives / (positives + negatives * (1 - gain))


def _rounded(*values: Fraction) -> tuple[Floats, ...]:
    return tuple(np.array(float(value)) for value in values)
