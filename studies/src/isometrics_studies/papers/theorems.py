"""Theorems 0 to 4 of Flach & Kull (2015), checked on random tables in exact fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from isometrics.measures import EXPECTED_ACCURACY
from isometrics.points import OperatingPoints
from isometrics_studies.papers.item import Number

TABLES = 60
SQUARED_BETAS = (Fraction(1, 16), Fraction(1, 4), Fraction(1), Fraction(9))
_TOLERANCE = 1e-12


class Counts(NamedTuple):
    """A row of a table, in integers."""

    tp: int
    fp: int
    positives: int
    negatives: int

    @property
    def odds(self) -> Fraction:
        """Positives to negatives."""
        return Fraction(self.positives, self.negatives)

    @property
    def precision(self) -> Fraction:
        """The share of positives among the predicted ones."""
        return Fraction(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Fraction:
        """The share of positives that are predicted positive."""
        return Fraction(self.tp, self.positives)

    @property
    def precision_gain(self) -> Fraction:
        """1 - π/(1-π)·FP/TP (Definition 1)."""
        return 1 - self.odds * Fraction(self.fp, self.tp)

    @property
    def recall_gain(self) -> Fraction:
        """1 - π/(1-π)·FN/TP (Definition 1)."""
        return 1 - self.odds * Fraction(self.positives - self.tp, self.tp)

    def f(self, squared_beta: Fraction) -> Fraction:
        """Return the weighted harmonic mean of precision and recall (equation 2)."""
        return (1 + squared_beta) / (1 / self.precision + squared_beta / self.recall)


@cache
def tables() -> tuple[tuple[OperatingPoints, tuple[Counts, ...]], ...]:
    """Return random rankings with ties, with their rows from the first true positive on."""
    rng = np.random.default_rng(15)
    result = []
    for _ in range(TABLES):
        positives, negatives = (int(count) for count in rng.integers(2, 13, 2))
        labels = np.arange(positives + negatives) < positives
        scores = rng.integers(0, 15, labels.size) + rng.integers(-2, 6) * labels
        points = OperatingPoints.from_scores(labels, scores)
        rows = zip(points.tp.tolist(), points.fp.tolist(), strict=True)
        counts = (Counts(tp, fp, positives, negatives) for tp, fp in rows if tp)
        result.append((points, tuple(counts)))
    return tuple(result)


def _neighbours() -> list[tuple[Counts, Counts]]:
    return [pair for _, rows in tables() for pair in pairwise(rows)]


def _largest_deviation(name: str, deviations: list[Fraction]) -> Number:
    return Number.claimed(f"{name} is off by", float(max(map(abs, deviations))))


def _n_deviating(deviations: list[float]) -> Number:
    """Count the deviations of our own functions, which round, beyond twelve digits."""
    n_deviating = sum(abs(deviation) > _TOLERANCE for deviation in deviations)
    return Number.claimed("off by 1e-12 in our code", float(n_deviating))


# ---------------------------------------------------------------------- Theorem 0


def theorem_0() -> list[Number]:
    """E[acc] = ½ + π(1-π)(2·AUC - 1), with the predicted positive rate uniform."""
    exact, code = [], []
    for points, rows in tables():
        positives, negatives = rows[0].positives, rows[0].negatives
        total = positives + negatives
        ends = list(zip(points.tp.tolist(), points.fp.tolist(), strict=True))
        accuracy, area = Fraction(0), Fraction(0)
        for (tp, fp), (tp_next, fp_next) in pairwise(ends):
            width = Fraction(tp_next + fp_next - tp - fp, total)
            mean_accuracy = Fraction(tp + tp_next - fp - fp_next + 2 * negatives, 2 * total)
            accuracy += width * mean_accuracy
            area += Fraction((fp_next - fp) * (tp + tp_next), 2 * positives * negatives)
        share = Fraction(positives, total)
        formula = Fraction(1, 2) + share * (1 - share) * (2 * area - 1)
        exact.append(accuracy - formula)
        code.append(points.roc.expected_accuracy() - float(accuracy))
    return [_largest_deviation(EXPECTED_ACCURACY.name, exact), _n_deviating(code)]


# ---------------------------------------------------------------------- Theorem 1


def theorem_1() -> list[Number]:
    """Mixtures of two tables lie between their points, at α·TP₁/(α·TP₁ + (1-α)·TP₂)."""
    precision, recall = [], []
    for first, second in _neighbours():
        odds, positives = first.odds, first.positives
        for alpha in (Fraction(1, 5), Fraction(1, 2), Fraction(7, 8)):
            tp = alpha * first.tp + (1 - alpha) * second.tp
            fp = alpha * first.fp + (1 - alpha) * second.fp
            share = alpha * first.tp / tp
            mixed = share * first.precision_gain + (1 - share) * second.precision_gain
            precision.append(1 - odds * fp / tp - mixed)
            mixed = share * first.recall_gain + (1 - share) * second.recall_gain
            recall.append(1 - odds * (positives - tp) / tp - mixed)
    return [
        _largest_deviation("precision gain", precision),
        _largest_deviation("recall gain", recall),
    ]


# ---------------------------------------------------------------------- Theorem 2


def theorem_2() -> list[Number]:
    """PrecG + β²·recG = (1+β²)·FG, with FG = (F-π)/((1-π)F)."""
    exact, code = [], []
    for points, rows in tables():
        share = Fraction(rows[0].positives, rows[0].positives + rows[0].negatives)
        for squared in SQUARED_BETAS:
            gains = points.f_gain(float(squared) ** 0.5)[points.tp > 0]
            for row, ours in zip(rows, gains.tolist(), strict=True):
                f = row.f(squared)
                gain = (f - share) / ((1 - share) * f)
                left_side = row.precision_gain + squared * row.recall_gain
                exact.append(left_side - (1 + squared) * gain)
                code.append((ours - float(gain)) / max(1.0, abs(float(gain))))
    return [_largest_deviation("F gain", exact), _n_deviating(code)]


# ---------------------------------------------------------------------- Theorem 3


class _CurveIntegrals(NamedTuple):
    """The quantities of Theorem 3 for a PRG curve, exactly."""

    y0: Fraction
    area: Fraction
    expected: Fraction | None
    n_falls: int


def _integrate(points: OperatingPoints, rows: tuple[Counts, ...]) -> _CurveIntegrals:
    """Integrate along the PRG curve from recall gain 0 on."""
    positives, negatives = rows[0].positives, rows[0].negatives
    share, odds = Fraction(positives, positives + negatives), rows[0].odds
    start = share * positives
    curve: list[tuple[Fraction, Fraction]] = []
    counts = [(Fraction(tp), Fraction(fp)) for tp, fp in zip(points.tp, points.fp, strict=True)]
    for (tp, fp), (tp_next, fp_next) in pairwise(counts):
        if tp < start < tp_next:
            crossing_fp = fp + (fp_next - fp) * (start - tp) / (tp_next - tp)
            curve.append((Fraction(0), 1 - odds * crossing_fp / start))
        if tp_next >= start:
            gain = 1 - odds * (positives - tp_next) / tp_next
            curve.append((gain, 1 - odds * fp_next / tp_next))
    y0, area, f_gain, n_falls = curve[0][1], Fraction(0), Fraction(0), 0
    for (x, y), (x_next, y_next) in pairwise(curve):
        delta_step = (x_next - x) / share - (y_next - y) / (1 - share)
        n_falls += delta_step < 0
        area += (x_next - x) * (y + y_next) / 2
        f_gain += delta_step * (x + y + x_next + y_next) / 4
    length = 1 / share + y0 / (1 - share)
    return _CurveIntegrals(y0, area, f_gain / length if length else None, n_falls)


def theorem_3() -> list[Number]:
    """E[FG₁] from the area and y₀, with Δ = recG/π - precG/(1-π) uniform."""
    exact, code, n_undefined, n_falls = [], [], 0, 0
    for points, rows in tables():
        share = Fraction(rows[0].positives, rows[0].positives + rows[0].negatives)
        y0, area, expected, falls = _integrate(points, rows)
        n_falls += falls
        if expected is None:
            n_undefined += 1
            continue
        numerator = area / 2 + Fraction(1, 4) - share * (1 - y0**2) / 4
        exact.append(expected - numerator / (1 - share * (1 - y0)))
        code.append((points.prg.expected_f_gain() - float(expected)) / max(1.0, abs(float(area))))
    return [
        _largest_deviation("expected F₁ gain", exact),
        _n_deviating(code),
        Number.claimed("segments along which Δ falls", float(n_falls)),
        Number.claimed(
            "tables where it is undefined",
            float(n_undefined),
            "The theorem needs a negative behind recall π: where all of them come before, y₀ is "
            "1 - 1/π, Δ takes one value, and the formula is 0/0 (errata, Flach and Kull, "
            "Theorem 3).",
        ),
    ]


# ---------------------------------------------------------------------- Theorem 4


def theorem_4() -> list[Number]:
    """Two points have the same F exactly at β² = -Δ(1/prec)/Δ(1/rec)."""
    exact, n_elsewhere, n_outside = [], 0, 0
    for _, rows in tables():
        for first, second in combinations(rows, 2):
            if first.recall == second.recall or first.precision == second.precision:
                continue
            squared = -(1 / first.precision - 1 / second.precision) / (
                1 / first.recall - 1 / second.recall
            )
            if first.precision < second.precision:
                n_outside += squared < 0
                continue
            exact.append(first.f(squared) - second.f(squared))
            n_elsewhere += sum(
                first.f(squared * k) == second.f(squared * k) for k in (Fraction(1, 2), 2)
            )
    return [
        _largest_deviation("F of both points", exact),
        Number.claimed("pairs equal at another β² too", float(n_elsewhere)),
        Number("pairs outside its condition", float(n_outside)),
    ]
