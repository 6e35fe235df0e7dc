"""The intervals of β against brute force in exact fractions (Flach & Kull 2015, section 3.4)."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics.errors import ParameterError
from isometrics.testing.strategies import binary_samples, count_tables, point_clouds

LABELS = [1, 0, 1, 1, 0, 0, 1, 0]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
SMALL = iso.OperatingPoints.from_scores(LABELS, SCORES)

tables = (count_tables() | point_clouds()).map(
    lambda drawn: iso.OperatingPoints.from_counts(
        *drawn[:2], positives=drawn[2], negatives=drawn[3]
    )
) | (binary_samples() | binary_samples(weights="integer")).map(
    lambda sample: iso.OperatingPoints.from_scores(
        *sample[:2], sample_weight=sample[2] if len(sample) > 2 else None
    )
)
weighted = binary_samples(weights="float").map(
    lambda sample: iso.OperatingPoints.from_scores(*sample[:2], sample_weight=sample[2])
)
betas = (
    st.sampled_from([0.0, 1e-200, 0.25, 0.5, 1.0, 2.0, 1e200, math.inf])
    | st.floats(2**-20, 2**20)
    | st.integers(0, 100).map(float)
)


def exact_f(tp, fp, positives, beta):
    tp, fp, positives = Fraction(tp), Fraction(fp), Fraction(positives)
    if math.isinf(beta):
        return tp / positives
    squared = Fraction(beta) ** 2
    return (1 + squared) * tp / ((1 + squared) * tp + squared * (positives - tp) + fp)


def highest_f(pts, beta):
    """The highest F_β over all rows but the empty rule, and always-positive."""
    rows = {*zip(pts.tp.tolist(), pts.fp.tolist(), strict=True), (pts.positives, pts.negatives)}
    return max(exact_f(*row, pts.positives, beta) for row in rows if sum(row) > 0)


def exact_ends(best):
    """-Δ(1/precision)/Δ(1/recall) from one vertex to the next, from the definition."""
    total = Fraction(best.points.positives)
    rows = [
        (Fraction(tp), Fraction(fp))
        for tp, fp in zip(best.tp.tolist(), best.fp.tolist(), strict=True)
    ]
    ends = []
    for a, b in pairwise(rows):
        precisions = (b[0] + b[1]) / b[0] - (a[0] + a[1]) / a[0]
        recalls = total / b[0] - total / a[0]
        ends.append(-precisions / recalls if recalls else math.inf)
    return [Fraction(0), *ends, math.inf]


@given(tables)
def test_intervals_cover_everything_and_their_ends_are_rounded_once(pts):
    best = iso.optimal_thresholds(pts)
    ends = exact_ends(best)
    assert best.beta_squared_lo.tolist() == [float(end) for end in ends[:-1]]
    assert best.beta_squared_hi.tolist() == [float(end) for end in ends[1:]]
    assert (ends[0], ends[-1]) == (0, math.inf)
    proper = ends if ends[-2] != math.inf else ends[:-1]
    assert all(a < b for a, b in pairwise(proper))
    assert (best.tp > 0).all()
    assert len(best) == len(pts.hull()) - 1


@given(tables, betas)
def test_a_vertex_is_best_exactly_inside_its_interval(pts, beta):
    best = iso.optimal_thresholds(pts)
    ends = exact_ends(best)
    squared = math.inf if math.isinf(beta) else Fraction(beta) ** 2
    highest = highest_f(pts, beta)
    inside = []
    for row, (tp, fp) in enumerate(zip(best.tp.tolist(), best.fp.tolist(), strict=True)):
        is_inside = ends[row] <= squared <= ends[row + 1]
        assert is_inside == (exact_f(tp, fp, pts.positives, beta) == highest)
        if is_inside:
            inside.append((tp, fp))
    at = best.at(beta)
    assert list(zip(at.tp.tolist(), at.fp.tolist(), strict=True)) == inside
    assert 1 <= len(at) <= 2


@given(weighted, betas)
def test_float_weights_are_best_to_rounding(pts, beta):
    best = iso.optimal_thresholds(pts)
    assert (np.diff(best.beta_squared_lo) >= 0).all()
    row = best.at(beta)
    reached = exact_f(row.tp[0].item(), row.fp[0].item(), pts.positives, beta)
    assert float(reached) == pytest.approx(float(highest_f(pts, beta)), rel=1e-12)


@given(st.integers(1, 10**5), st.integers(1, 1000))
def test_a_beta_on_the_exact_end_has_two_rows(tp, beta):
    """From (tp, 0) to (2·tp, fp), half and all of the positives, β² = fp/(2·tp)."""
    pts = iso.OperatingPoints.from_counts(
        [tp, 2 * tp], [0, 2 * tp * beta**2], positives=2 * tp, negatives=2**50
    )
    best = iso.optimal_thresholds(pts)
    assert best.at(beta).tp.tolist() == [tp, 2 * tp]
    assert best.at(np.nextafter(beta, 0)).tp.tolist() == [tp]
    assert best.at(np.nextafter(beta, 2000)).tp.tolist() == [2 * tp]


def test_tables_without_thresholds():
    curve = iso.OperatingPoints.from_counts([1, 3], [0, 1], positives=4, negatives=4)
    best = iso.optimal_thresholds(curve)
    assert np.isnan(best.thresholds[:2]).all()
    assert best.labels is None
    sets = iso.OperatingPoints.from_counts(
        [1, 3, 2], [0, 1, 3], positives=4, negatives=4, labels=["a", "b", "c"]
    )
    assert iso.optimal_thresholds(sets).labels == ("a", "b", "(everything)")
    assert iso.optimal_thresholds(sets).to_frame("polars")["label"].to_list()[:2] == ["a", "b"]
    assert iso.optimal_thresholds(sets).at(1).labels == ("b",)


def test_faces_and_a_refusal():
    best = iso.optimal_thresholds(SMALL)
    assert repr(best).startswith("OptimalThresholds: 4 thresholds are best for some β\n")
    assert repr(best.at(1)).startswith("OptimalThresholds: 1 threshold is best for some β")
    assert best._repr_html_().startswith("<table><caption>OptimalThresholds")
    with pytest.raises(ParameterError, match="beta must be a number ≥ 0 but is -1"):
        iso.optimal_thresholds(SMALL).at(-1)
