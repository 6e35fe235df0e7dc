"""PRG space: precision gain over recall gain, where F_β has straight isometrics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.parameters import check_beta, check_range, parse_positions
from isometrics._core.results import Value
from isometrics._counting import segments
from isometrics._counting.confusion import f_weights
from isometrics._counting.segments import CHUNK
from isometrics._table.path import Path, path_of
from isometrics._table.table import KnownArea, Table
from isometrics.errors import UndefinedWarning, warn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import ArrayLike

    from isometrics._core.arrays import Floats
    from isometrics._counting.confusion import Totals
    from isometrics._table.path import Exact, Pieces


@dataclass(frozen=True, slots=True, eq=False)
class PRGSpace(Value):
    """The table in PRG space (Flach & Kull 2015), where straight lines are achievable.

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
        return self.table.counts.f_gain(1, 0)

    @property
    def y(self) -> Floats:
        """Precision gain of each row."""
        return self.table.counts.f_gain(0, 1)

    @property
    def y0(self) -> float:
        """Precision gain where recall gain is 0, that is, at a recall of π."""
        if KnownArea.Y0 in self.table.known:
            return self.table.known[KnownArea.Y0]
        tp = true_positives_at(0, self.table.totals)
        return gain_at(tp, path_of(self.table).crossing(tp), self.table.totals)

    def interpolate(self, x: ArrayLike) -> Floats:
        """Return the highest precision gain of the curve at the recall gains `x`."""
        positions = parse_positions(x, axis="recall gain", lowest=-math.inf)
        path, odds = path_of(self.table), self.table.odds
        with np.errstate(divide="ignore", invalid="ignore"):
            # Losses, 1 - gain, keep their digits; the recall loss falls along the path.
            recall_loss = odds * ((self.table.positives - path.x) / path.x)
            precision_loss = odds * (path.y / path.x)
            gain = 1 - recall_loss
            end = np.searchsorted(gain, positions, "left")
            start = np.maximum(end - 1, 0)
            # Measured from the end, whose losses are the smaller ones, nothing cancels.
            share = (1 - positions - recall_loss[end]) / (recall_loss[start] - recall_loss[end])
            step = precision_loss[start] - precision_loss[end]
            loss = precision_loss[end] + np.clip(share, 0, 1) * step
            # Where a segment starts without true positives, fp/tp is affine in 1/tp.
            slope = (path.y[end] - path.y[start]) / (path.x[end] - path.x[start])
            from_zero = odds * slope + path.y[start] / self.table.positives * (1 - positions + odds)
        loss = np.where(path.x[start] == 0, from_zero, loss)
        return np.asarray(1 - np.where(gain[end] == positions, precision_loss[end], loss))

    def area(self, lo: float = 0.0, hi: float = 1.0) -> float:
        """Return the signed area under the curve, over recall gains from `lo` to `hi`.

        The area from 0 to 1 is 1 for a perfect ranking and 0 for scores that are all tied. A
        ranking worse than that has a negative area, the worst one -(1-π)/(2π): where few
        positives rank below many negatives, it is a large negative number.
        """
        lo, hi = check_range(lo, hi, axis="recall gain", lowest=-math.inf)
        if (lo, hi) == (0, 1) and KnownArea.PRG in self.table.known:
            return self.table.known[KnownArea.PRG]
        return area_along(path_of(self.table), self.table.totals, lo, hi)

    def expected_f_gain(self, beta: float = 1.0) -> float:
        """Return the F_β gain expected when thresholds are drawn uniformly in Δ.

        NaN, with a warning, when all negatives rank above a recall of π.

        Notes
        -----
        Δ = recG/π - precG/(1-π) (Flach & Kull 2015, Th. 3, for every β). Along the path Δ is an
        affine function of tn/tp, and the losses 1 - gain are linear on every piece of it; so the
        expectation is 1 minus a mean of positive terms, which never cancel.
        """
        recall_weight, precision_weight = f_weights(check_beta(beta))
        misses, false_alarms = self._expected_losses()
        return 1 - self.table.odds * (recall_weight * misses + precision_weight * false_alarms)

    def expected_reciprocal_f(self) -> float:
        """Return the expectation of 1/F₁ under the same distribution as `expected_f_gain`."""
        return 1 + sum(self._expected_losses()) / 2

    def _expected_losses(self) -> tuple[float, float]:
        """Return the means of fn/tp and fp/tp, uniform in tn/tp from recall π on."""
        known = self.table.known
        if KnownArea.MISSES in known:
            losses = known[KnownArea.MISSES], known[KnownArea.FALSE_ALARMS]
        else:
            path, totals = path_of(self.table), self.table.totals
            tp = true_positives_at(0, totals)
            crossing, row = (tp, path.crossing(tp)), path.first_row_from(tp)
            first = loss_of_piece(totals, crossing, path.at(row))
            losses = mean_losses([first, *loss_terms(path, totals, row)], totals, crossing)
        if math.isnan(losses[0]):
            warn(
                "the expected F gain is undefined (NaN): all negatives rank above a recall equal "
                "to the prevalence, so there is nothing to average over",
                UndefinedWarning,
            )
        return losses


# ---------------------------------------------------------------------- sums along the path

Point = tuple[Fraction, Fraction]


def area_along(path: Path, totals: Totals, lo: float = 0.0, hi: float = 1.0) -> float:
    """Return the signed area under a path between two recall gains."""
    start, end = (true_positives_at(gain, totals) for gain in (lo, hi))
    lost: float = lost_area(math.fsum(lost_sums(path, start, end)), totals)
    return (hi - lo) - lost


def true_positives_at(gain: float, totals: Totals) -> Fraction:
    """Return the true positives at a recall gain, exactly: cP/(1 + c - gain)."""
    positives, scale = totals.positives.as_integer_ratio()
    negatives, negative_scale = totals.negatives.as_integer_ratio()
    part, unit = gain.as_integer_ratio()
    # P·P/(P + N·(1 - gain)), all multiplied by the scales.
    rest = negatives * scale * (unit - part)
    return Fraction(
        positives * positives * negative_scale * unit,
        scale * (positives * negative_scale * unit + rest),
    )


def gain_at(tp: Fraction, fp: Fraction, totals: Totals) -> float:
    """Return the precision gain of a point, rounded once."""
    return float(1 - Fraction(totals.positives) / Fraction(totals.negatives) * fp / tp)


def lost_sums(path: Path, lo: Exact, hi: Exact) -> list[float]:
    """Return the sums of `segments.gain_loss` from lo to hi true positives."""
    terms, compiled = {"lost": _gain_loss}, {"lost": segments.LOST}
    return path.sums(terms, lo, hi, compiled=compiled)["lost"]


def lost_area(lost: Any, totals: Any) -> Any:
    """Return the area between the curve and 1, from the sum of `segments.gain_loss`.

    Along the path the recall gain moves by c·P·Δtp/(tp·tp′), and 1 - precision gain is c·fp/tp.
    """
    odds = totals.positives / totals.negatives
    return odds * odds / 2 * totals.positives * lost


def _gain_loss(pieces: Pieces) -> Any:
    return segments.gain_loss(*pieces.part[:5])


def loss_terms(path: Path, totals: Totals, row: int) -> Iterator[tuple[float, float]]:
    """Yield the terms of the means of fn/tp and fp/tp over the rows from `row` on.

    Notes
    -----
    From row i to row i+1, tn/tp falls by (tnᵢ·Δtp + tpᵢ·Δfp)/(tpᵢ·tpᵢ₊₁), and both losses are
    linear in tn/tp. So the integral of a loss is the step times the mean of the loss at both ends.
    """
    positives, negatives = totals.positives, totals.negatives
    for begin in range(row, path.x.size - 1, CHUNK):
        rows = slice(begin, begin + CHUNK + 1)
        x, y = path.x[rows], path.y[rows]
        tps = x.astype(np.float64)
        steps = (negatives - y[:-1]) * (np.diff(x) / tps[1:]) / tps[:-1] + np.diff(y) / tps[1:]
        losses = ((positives - x) / tps, y / tps)
        misses, false_alarms = (float(np.sum((v[:-1] + v[1:]) * steps)) / 2 for v in losses)
        yield misses, false_alarms


def loss_of_piece(totals: Totals, start: Point, end: Point) -> tuple[float, float]:
    """Return the terms of one straight piece, computed exactly and rounded once."""
    positives, negatives = Fraction(totals.positives), Fraction(totals.negatives)
    (tp, fp), (end_tp, end_fp) = start, end
    step = (negatives - fp) / tp - (negatives - end_fp) / end_tp
    misses = ((positives - tp) / tp + (positives - end_tp) / end_tp) * step / 2
    return float(misses), float((fp / tp + end_fp / end_tp) * step / 2)


def mean_losses(
    terms: Iterable[tuple[float, float]], totals: Totals, crossing: Point
) -> tuple[float, float]:
    """Return the means of both losses; NaN where no negative is left to average over."""
    tp, fp = crossing
    length = (Fraction(totals.negatives) - fp) / tp
    if length == 0:
        return math.nan, math.nan
    misses, false_alarms = zip(*terms, strict=True)
    return math.fsum(misses) / float(length), math.fsum(false_alarms) / float(length)
