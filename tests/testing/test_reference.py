"""The reference is checked by hand-worked values, other programs and second definitions."""

import importlib
import importlib.util
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

import isometrics.testing
from isometrics.testing import Curve, Row, binary_samples, count, count_tables, point_clouds

HALF = Fraction(1, 2)
LABELS = [int(label) for label in "1110111111011101001000101"]
RANKED = Curve.of_scores(LABELS, range(len(LABELS), 0, -1))
TIED = Curve.of([], [], 3, 5)
PERFECT = Curve.of([1, 3, 3], [0, 0, 2], 3, 5)
WORST = Curve.of([0, 1], [5, 5], 3, 5)
# Two points share tp = 2 = pi P, so the curve drops vertically just where recall gain is 0.
DROP = Curve.of([2, 2, 3], [1, 2, 2], 4, 4)

curves = count_tables().map(lambda table: Curve.of(*table))
small_curves = count_tables(max_points=6, max_count=30).map(lambda table: Curve.of(*table))
exact = settings(deadline=None)  # rational arithmetic takes its time
shares = st.fractions(0, 1, max_denominator=50)


# Counting ------------------------------------------------------------------------------------


def test_count_by_hand():
    rows = count([1, 0, 1, 0, 1], [0.0, -0.0, np.inf, -np.inf, 0.5], [1, 0.5, 2, 1, 0])
    assert rows == [
        Row(np.inf, 0, 0),
        Row(np.inf, 2, 0),
        Row(0.0, 3, HALF),
        Row(-np.inf, 3, Fraction(3, 2)),
    ]
    assert str(rows[2].threshold) == "0.0"


def test_floats_are_exact_rationals():
    tp = count([1, 1, 1], [1, 1, 1], [0.1, 0.2, 0.3])[-1].tp
    assert tp == Fraction(0.1) + Fraction(0.2) + Fraction(0.3) != Fraction(0.1 + 0.2 + 0.3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 0], [1]), "have 2, 1 and 2 values"),
        (([1, 0], [1, np.nan]), "NaN"),
        (([1, 0], [1, 2], [1, -1]), "negative weight"),
        (([1, 0], [1, 2], [1, np.inf]), "not a finite number"),
        (([1, 0], [1, 2], [1, np.nan]), "not a finite number"),
    ],
)
def test_count_rejects(arguments, message):
    with pytest.raises(ValueError, match=message):
        count(*arguments)


# Golden values -------------------------------------------------------------------------------


def test_worked_example():
    """25 ranked labels, 16 of them positive; values worked out independently."""
    assert float(RANKED.prg_area()) == pytest.approx(0.432462103574, abs=5e-13)
    assert float(RANKED.y0()) == pytest.approx(0.652778, abs=5e-7)
    assert float(RANKED.hull().prg_area()) == pytest.approx(0.535962, abs=5e-7)
    assert float(RANKED.pr_area()) == pytest.approx(0.838401, abs=5e-7)
    assert float(RANKED.pr_area("average-precision")) == pytest.approx(0.845782, abs=5e-7)
    assert float(RANKED.roc_area()) == pytest.approx(0.743056, abs=5e-7)


def test_davis_goadrich_table_1():
    curve = Curve.of([5, 10], [5, 30], 20, 2000)
    precisions = [curve.pr_interpolate(Fraction(tp, 20)) for tp in range(5, 11)]
    assert precisions == [Fraction(tp, tp + 5 * (tp - 4)) for tp in range(5, 11)]
    assert [round(float(p), 3) for p in precisions] == [0.5, 0.375, 0.318, 0.286, 0.265, 0.25]


def test_davis_goadrich_figure_6():
    """The paper prints .031 and .50, from rounded ends; see the exact values here."""
    curve = Curve.of([9], [0], 433, 56164)
    assert float(curve.pr_area()) == pytest.approx(0.02947, abs=5e-6)
    assert 0.49 < curve.pr_area("linear") < 0.52
    at_two_percent = Curve.of([Fraction(866, 100)], [0], 433, 56164)
    assert float(at_two_percent.pr_area()) == pytest.approx(0.02866, abs=5e-6)
    integer_steps = at_two_percent.pr_area("integer-steps")  # 8.66, 9.66, ..., 432.66, 433
    assert float(integer_steps) == pytest.approx(0.029466, abs=5e-7)


@pytest.mark.parametrize(
    ("tp", "fp", "interpolation", "roc_area", "pr_area"),
    [
        ([9, 13, 20], [0, 84, 2000], "davis-goadrich", 0.81345, 0.5138),
        ([8, 11, 18], [0, 15, 1200], "integer-steps", 0.81313, 0.51379),
        ([20], [500], "davis-goadrich", 0.875, 0.03846),
    ],
)
def test_davis_goadrich_figure_7(tp, fp, interpolation, roc_area, pr_area):
    """The paper prints .813 / .514 for curve I and .875 / .038 for curve II."""
    curve = Curve.of(tp, fp, 20, 2000)
    assert float(curve.roc_area()) == pytest.approx(roc_area, abs=5.1e-6)
    assert float(curve.pr_area(interpolation)) == pytest.approx(pr_area, abs=5e-5)


def test_trivial_rankings():
    assert PERFECT.prg_area() == PERFECT.y0() == PERFECT.roc_area() == PERFECT.pr_area() == 1
    assert PERFECT.normalised_pr_area() == 1
    assert TIED.prg_area() == TIED.y0() == 0
    assert TIED.pr_area() == pytest.approx(3 / 8)
    assert TIED.roc_area() == HALF
    assert WORST.roc_area() == 0
    assert WORST.normalised_pr_area() == 0
    assert WORST.y0() == 1 - 1 / WORST.prevalence
    assert WORST.expected_f_gain() is None
    assert WORST.expected_reciprocal_f() is None


def test_piecewise_linear_areas_by_hand():
    """One negative leads; the curve drops at tp = 1 and ends at (2, 3) of P = 2, N = 3."""
    curve = Curve.of([0, 1, 1], [1, 1, 2], 2, 3)
    step = (HALF + Fraction(2, 5)) / 2
    assert curve.pr_area("average-precision") == pytest.approx(float(step))
    assert curve.pr_area("max-precision") == pytest.approx(float(step))
    linear = ((0 + HALF) / 2 + (Fraction(1, 3) + Fraction(2, 5)) / 2) / 2
    assert curve.pr_area("linear") == pytest.approx(float(linear))
    assert curve.pr_area("integer-steps") == pytest.approx(float(linear))
    # A later point of higher precision lifts the envelope, not the step.
    later = Curve.of([1, 3], [2, 2], 3, 4)
    assert later.pr_area("average-precision") == pytest.approx(1 / 9 + 2 / 3 * 3 / 5)
    assert later.pr_area("max-precision") == pytest.approx(3 / 5)


def test_integer_steps_take_the_remainder_last():
    """tp from 1/2 to 2: stops at 1/2, 3/2 and 2."""
    curve = Curve.of([HALF, 2], [1, 3], 2, 3)
    heights = [Fraction(1, 3), Fraction(3, 2) / (Fraction(3, 2) + Fraction(7, 3)), Fraction(2, 5)]
    area = HALF * heights[0] + (heights[0] + heights[1]) / 2 + (heights[1] + heights[2]) / 4
    assert curve.pr_area("integer-steps") == pytest.approx(float(area / 2))


def test_coordinates():
    curve = Curve.of([0, 2, 2], [1, 1, 2], 4, 4)
    third, two_thirds = Fraction(1, 3), Fraction(2, 3)
    assert curve.points == ((0, 0), (0, 1), (2, 1), (2, 2), (4, 4))
    assert curve.precision() == [None, 0, two_thirds, HALF, HALF]
    assert curve.recall() == [0, 0, HALF, HALF, 1]
    assert curve.false_positive_rate() == [0, Fraction(1, 4), Fraction(1, 4), HALF, 1]
    assert curve.precision_gain() == [None, -np.inf, HALF, 0, 0]
    assert curve.recall_gain() == [-np.inf, -np.inf, 0, 0, 1]
    assert curve.f() == [0, 0, Fraction(4, 7), HALF, two_thirds]
    assert curve.f(0) == curve.precision()
    assert curve.f_gain() == [-np.inf, -np.inf, Fraction(1, 4), 0, HALF]
    assert curve.f_gain(0)[0] is None
    assert curve.accuracy() == [HALF, Fraction(3, 8), Fraction(5, 8), HALF, HALF]
    assert curve.accuracy(0) == curve.recall()
    assert curve.accuracy(1) == [1 - fpr for fpr in curve.false_positive_rate()]
    assert curve.pr_interpolate(0) == 0
    assert curve.pr_interpolate(third) == Fraction(4, 3) / (Fraction(4, 3) + 1)
    assert curve.pr_interpolate(HALF) == two_thirds
    assert curve.roc_interpolate(0) == 0
    assert curve.roc_interpolate(Fraction(1, 4)) == HALF
    assert curve.roc_interpolate(Fraction(3, 4)) == Fraction(3, 4)
    assert curve.roc_interpolate(1) == 1
    assert curve.y0() == curve.prg_interpolate(0) == HALF


def test_drop_at_recall_gain_zero_counts_in_the_expectation():
    """Delta is -1, 0, 2/3, 2 and f gain 1/4, 0, 1/2, 1/2 from (2, 1) on; the drop is the first."""
    area = Fraction(1, 8) + Fraction(2, 3) / 4 + Fraction(4, 3) / 2
    assert DROP.y0() == HALF
    assert DROP.expected_f_gain() == area / 3 == closed_form(DROP, 1)


# Two definitions of the same thing -----------------------------------------------------------


def closed_form(curve, beta):
    """Expected F gain from area and y0 alone (Flach & Kull 2015, Theorem 3, for any beta)."""
    area, y0, pi, weight = curve.prg_area(), curve.y0(), curve.prevalence, Fraction(beta) ** 2
    length = (1 + weight) * (1 - pi + pi * y0)
    if length == 0:
        return None
    return ((area + weight / 2) * (1 - pi) + pi * (y0**2 / 2 + weight * area)) / length


@given(curves, st.fractions(0, 10, max_denominator=20))
@exact
def test_expected_f_gain_is_the_closed_form(curve, beta):
    assert curve.expected_f_gain(beta) == closed_form(curve, beta)


@given(curves)
@exact
def test_expected_reciprocal_f_follows_from_expected_f_gain(curve):
    pi, expected = curve.prevalence, curve.expected_f_gain()
    reciprocal = None if expected is None else (1 - (1 - pi) * expected) / pi
    assert curve.expected_reciprocal_f() == reciprocal


@given(curves)
@exact
def test_expected_accuracy_follows_from_the_roc_area(curve):
    pi = curve.prevalence
    assert curve.expected_accuracy() == HALF + pi * (1 - pi) * (2 * curve.roc_area() - 1)


@given(small_curves)
@settings(max_examples=25, deadline=None)
def test_curved_area_is_the_integral_of_the_interpolation(curve):
    corners = sorted({float(recall) for recall in curve.recall()})
    with mpmath.workdps(20):
        integral = mpmath.quad(
            # Inside the segments only: at a drop the interpolation is the end of the left one.
            lambda recall: mpmath.mpf(float(curve.pr_interpolate(float(recall)))),
            corners,
        )
    assert float(curve.pr_area()) == pytest.approx(float(integral), abs=1e-9)


@given(curves, st.fractions(-20, 1, max_denominator=50))
@exact
def test_gain_curve_is_straight_between_points(curve, recall_gain):
    """Flach & Kull 2015, Theorem 1: lines in count space are lines in gain space."""
    tp = curve._tp_at_gain(recall_gain)
    for a, b in curve._rises():
        if 0 < a[0] < tp <= b[0]:
            (x0, y0), (x1, y1) = curve._gains(a), curve._gains(b)
            expected = y0 + (y1 - y0) * (recall_gain - x0) / (x1 - x0)
            assert curve.prg_interpolate(recall_gain) == expected


@given(curves, st.lists(shares, min_size=3, max_size=3).map(sorted))
@exact
def test_partial_areas_add_up(curve, cuts):
    lo, mid, hi = cuts
    assert curve.roc_area(lo, mid) + curve.roc_area(mid, hi) == curve.roc_area(lo, hi)
    lower = lo * 30 - 29  # recall gains go below zero
    split = curve.prg_area(lower, mid) + curve.prg_area(mid, 1) if lower <= mid else None
    assert split in (None, curve.prg_area(lower, 1))
    for interpolation in ("davis-goadrich", "average-precision", "linear", "max-precision"):
        parts = curve.pr_area(interpolation, lo, mid) + curve.pr_area(interpolation, mid, hi)
        assert mpmath.almosteq(parts, curve.pr_area(interpolation, lo, hi), 1e-14, 1e-14)


def test_gain_area_below_zero_by_hand():
    """All tied: precision gain is 0 everywhere. Perfect: it is 1 everywhere."""
    assert TIED.prg_area(-100, 1) == 0
    assert PERFECT.prg_area(-100, 1) == 101
    assert PERFECT.prg_area(-3, -2) == 1


@given(curves)
@exact
def test_minimum_is_the_area_of_the_worst_ranking(curve):
    worst = Curve.of([0], [curve.negatives], curve.positives, curve.negatives)
    with mpmath.workdps(60):
        # Boyd et al. 2012.
        pi = mpmath.mpf(curve.prevalence.numerator) / curve.prevalence.denominator
        minimum = 1 + (1 - pi) / pi * mpmath.log(1 - pi)
    assert mpmath.almosteq(worst.pr_area(), minimum, 1e-15, 1e-30)
    # Sixty digits, less what cancels: a worst ranking in several segments is 0 to about 1e-50.
    for area in (curve.normalised_pr_area(), curve.normalised_pr_area(Fraction(1, 4), HALF)):
        assert -1e-30 < area < 1 + mpmath.mpf(1e-15)


@given(curves)
@exact
def test_max_precision_bounds_the_step(curve):
    assert curve.pr_area("average-precision") <= curve.pr_area("max-precision")


def test_integer_steps_lie_between_linear_and_curved():
    """Segments of one true positive are straight; many small steps follow the curve."""
    assert RANKED.pr_area("integer-steps") == RANKED.pr_area("linear")
    fine = Curve.of([9000, 13000, 20000], [0, 84000, 2000000], 20000, 2000000)
    assert float(fine.pr_area("integer-steps")) == pytest.approx(float(fine.pr_area()), abs=1e-6)


# Hull ----------------------------------------------------------------------------------------


@given(point_clouds())
@exact
def test_hull_is_convex_and_covers_every_point(cloud):
    hull = Curve.hull_of_points(*cloud)
    vertices = hull.points
    for a, b, c in zip(vertices, vertices[1:], vertices[2:], strict=False):
        assert cross(a, b, c) > 0
    for point in zip(cloud[0], cloud[1], strict=True):
        assert all(cross(a, b, point) >= 0 for a, b in pairwise(vertices))
    assert set(vertices) <= {*zip(cloud[0], cloud[1], strict=True), (0, 0), tuple(cloud[2:])}


def cross(a, b, c):
    """Positive where the path a, b, c turns towards more false positives."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@given(curves)
@exact
def test_hull_of_a_curve(curve):
    hull = curve.hull()
    assert hull.hull() == hull
    assert set(hull.points) <= set(curve.points)
    assert hull.roc_area() >= curve.roc_area()
    assert hull.prg_area() >= curve.prg_area()


# Other programs ------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [None, "integer", "float"])
def test_scikit_learn_agrees(weights):
    @given(binary_samples(weights=weights))
    @exact
    def agrees(sample):
        y_true, y_score, *rest = sample
        weight = rest[0] if rest else None
        curve = Curve.of_scores(y_true, y_score, weight)
        # Ranks have the same areas; scikit-learn rejects infinite and overflows on huge scores.
        ranks = np.unique(y_score, return_inverse=True)[1]
        roc_area = roc_auc_score(y_true, ranks, sample_weight=weight)
        average_precision = average_precision_score(y_true, ranks, sample_weight=weight)
        assert float(curve.roc_area()) == pytest.approx(roc_area, abs=1e-12)
        assert float(curve.pr_area("average-precision")) == pytest.approx(
            average_precision, abs=1e-12
        )

    agrees()


# Errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Curve.of([1, 2], [2, 1], 3, 3), r"\(1, 2\) and \(2, 1\) are not nested"),
        (lambda: Curve.of([4], [1], 3, 3), "lies outside"),
        (lambda: Curve.of([], [], 0, 3), "both must be above 0"),
        (lambda: Curve(((Fraction(0), Fraction(0)),), Fraction(1), Fraction(1)), "must run from"),
        (lambda: TIED.roc_area(-1), "give 0 <= lo <= hi <= 1"),
        (lambda: TIED.prg_area(0, 2), "give lo <= hi <= 1"),
        (lambda: TIED.pr_area("trapezoid"), "accepted: 'davis-goadrich'"),
        (lambda: TIED.normalised_pr_area(1, 1), "needs lo < hi"),
        (lambda: TIED.roc_interpolate(2), "fpr is 2"),
        (lambda: TIED.prg_interpolate(2), "at most 1"),
        (lambda: TIED.prg_interpolate(-np.inf), "not a finite number"),
        (lambda: TIED.accuracy(2), "cost is 2"),
    ],
)
def test_errors_say_what_to_do(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# Strategies ----------------------------------------------------------------------------------


@given(st.data(), st.sampled_from([None, "integer", "float"]), st.booleans())
@exact
def test_what_is_drawn(data, weights, ties):
    sample = binary_samples(min_size=4, max_size=9, weights=weights, ties=ties)
    y_true, y_score, *rest = data.draw(sample)
    assert 4 <= len(y_true) == len(y_score) <= 9
    assert len(rest) == bool(weights)
    assert y_true.dtype == bool
    weight = rest[0] if rest else np.ones(len(y_true))
    assert min(weight[y_true].sum(), weight[~y_true].sum()) > 0
    assert not np.isnan(y_score).any()
    assert ties or len(np.unique(y_score)) == len(y_score)
    for tp, fp, positives, negatives in (data.draw(count_tables()), data.draw(point_clouds())):
        assert 1 <= len(tp) == len(fp) <= 12
        assert 0 <= min(tp) <= max(tp) <= positives <= 10**12
        assert 0 <= min(fp) <= max(fp) <= negatives <= 10**12
        assert min(positives, negatives) >= 1


# The package ---------------------------------------------------------------------------------


def test_public_names():
    assert set(isometrics.testing.__all__) <= set(dir(isometrics.testing))
    with pytest.raises(AttributeError, match="no attribute 'curve'"):
        _ = isometrics.testing.curve


@pytest.mark.parametrize(("name", "needs"), [("reference", "mpmath"), ("strategies", "hypothesis")])
def test_missing_dependency_names_the_extra(name, needs, monkeypatch):
    module = importlib.import_module(f"isometrics.testing.{name}")
    spec = importlib.util.spec_from_file_location("without", Path(module.__file__))
    monkeypatch.setitem(sys.modules, needs, None)
    with pytest.raises(ImportError, match=r"pip install 'isometrics\[testing\]'"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
