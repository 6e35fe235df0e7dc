"""Strategies for several models on one sample, and their curves in exact fractions."""

from fractions import Fraction
from itertools import pairwise

from hypothesis import strategies as st

import isometrics as iso


@st.composite
def rivals(draw, models=(2, 3), most=12, nested=False):
    """Draw models with the same totals on a small lattice, where ties and touches are frequent."""
    positives, negatives = draw(st.integers(1, most)), draw(st.integers(1, most))
    named = {}
    for number in range(draw(st.integers(*models))):
        points = draw(
            st.lists(
                st.tuples(st.integers(0, positives), st.integers(0, negatives)),
                min_size=1,
                max_size=5,
            )
        )
        tp, fp = zip(*points, strict=True)
        if nested:
            tp, fp = sorted(tp), sorted(fp)
        named[f"model {number}"] = iso.OperatingPoints.from_counts(
            tp, fp, positives=positives, negatives=negatives
        )
    return named


def rows_of(points):
    trivial = {(0, 0), (points.positives, points.negatives)}
    return sorted({*zip(points.tp.tolist(), points.fp.tolist(), strict=True), *trivial})


def value(index, row, totals, lam):
    """An index of counts by its definition, in fractions where it has any; None if undefined."""
    (tp, fp), (positives, negatives) = row, totals
    if index == "cost":
        return lam * Fraction(tp, positives) + (1 - lam) * (1 - Fraction(fp, negatives))
    if tp == 0:
        return None
    precision, recall = Fraction(tp, tp + fp), Fraction(tp, positives)
    if index == "kulczynski":
        return lam * recall + (1 - lam) * precision
    if index == "folke":
        return float(recall) ** float(lam) * float(precision) ** float(1 - lam)
    if index == "jaccard":
        # The printed form of Hanczar & Nadif, section 2.5.
        w, v = (lambda x: min(2 * x, Fraction(1))), 1 - abs(1 - 2 * lam)
        product = precision * recall
        return product / (w(lam) * precision + w(1 - lam) * recall - v * product)
    f = 1 / (lam / recall + (1 - lam) / precision)
    prevalence = Fraction(positives, positives + negatives)
    return f if index == "f-measure" else (f - prevalence) / ((1 - prevalence) * f)


def fewest(points, tp):
    """The fewest false positives with which the curve reaches so many true positives."""
    rows = rows_of(points)
    for (tp_a, fp_a), (tp_b, fp_b) in pairwise(rows):
        if tp == tp_a:
            return Fraction(fp_a)
        if tp_a < tp < tp_b:
            return fp_a + Fraction(fp_b - fp_a, tp_b - tp_a) * (tp - tp_a)
    return Fraction(next(fp for row, fp in rows if row == tp))


def most(points, fp):
    """The most true positives that the curve reaches with so many false positives."""
    rows = [(fp, tp) for tp, fp in rows_of(points)][::-1]
    for (fp_b, tp_b), (fp_a, tp_a) in pairwise(rows):
        if fp == fp_b:
            return Fraction(tp_b)
        if fp_a < fp < fp_b:
            return tp_a + Fraction(tp_b - tp_a, fp_b - fp_a) * (fp - fp_a)
    return Fraction(max(tp for row, tp in rows if row == fp))
