"""Laws between the spaces, standardised areas, and what the methods refuse."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    average_precision_score,
    confusion_matrix,
    precision_recall_curve,
    roc_auc_score,
)

from isometrics import OperatingPoints
from isometrics.errors import NoCurveError, ParameterError
from isometrics.testing import binary_samples, count_tables

from ..tables import of_counts

LABELS, SCORES = [1, 0, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.1]
POINTS = OperatingPoints.from_scores(LABELS, SCORES)


@given(count_tables(max_count=10**6), st.floats(0.1, 10))
def test_f_gain_is_f_on_the_gain_scale(table, beta):
    """FG = (F - π)/((1-π)F), Flach & Kull 2015, Theorem 2, and the mean of both gains."""
    points = of_counts(table)
    rows = points.tp > 0
    f, pi = points.f(beta)[rows], points.prevalence
    np.testing.assert_allclose(
        points.f_gain(beta)[rows], (f - pi) / ((1 - pi) * f), rtol=1e-7, atol=1e-7
    )
    mean = (points.precision_gain + beta**2 * points.recall_gain)[rows] / (1 + beta**2)
    np.testing.assert_allclose(points.f_gain(beta)[rows], mean, rtol=1e-9, atol=1e-9)


@given(
    st.floats(0.05, 0.95),
    st.floats(0.2, 4),
    st.floats(0.01, 0.99),
    st.floats(0.01, 0.99),
    st.floats(0.1, 0.9),
)
def test_f_isometrics_are_straight_in_prg(f, beta, one, other, prevalence):
    """Points of equal F lie on a line of slope -β² (Flach & Kull 2015, Theorem 2)."""
    recall_weight = beta**2 / (1 + beta**2)
    # On the isometric 1/F = (1-λ)/prec + λ/rec; choose two recalls that leave a precision.
    lowest = recall_weight / (1 / f - (1 - recall_weight))
    recalls = np.array([lowest + share * (1 - lowest) for share in (one, other)])
    precisions = (1 - recall_weight) / (1 / f - recall_weight / recalls)
    tp = 1000 * recalls
    fp = tp * (1 - precisions) / precisions
    negatives = 1000 * (1 - prevalence) / prevalence
    points = OperatingPoints.from_counts(
        tp, fp, positives=1000.0, negatives=float(max(negatives, fp.max())), labels=["a", "b"]
    )
    np.testing.assert_allclose(points.f(beta), f)
    gain_steps = np.diff(points.precision_gain), np.diff(points.recall_gain)
    np.testing.assert_allclose(gain_steps[0], -(beta**2) * gain_steps[1], rtol=1e-6, atol=1e-6)


@given(count_tables(max_count=10**9))
def test_spaces_hold_the_same_points(table):
    """ROC → counts, PR → counts and the gains' definitions (Davis & Goadrich 2006, Th. 3.1)."""
    points = of_counts(table)
    totals = {"positives": points.positives, "negatives": points.negatives}
    assert OperatingPoints.from_roc(points.roc.x, points.roc.y, **totals) == points
    known = points.tp > 0
    again = OperatingPoints.from_pr(points.pr.x[known], points.pr.y[known], **totals)
    np.testing.assert_array_equal(again.tp[again.tp > 0], points.tp[known])
    np.testing.assert_array_equal(again.fp[again.tp > 0], points.fp[known])
    pi = points.prevalence
    for gain, rate in ((points.prg.x, points.pr.x), (points.prg.y, points.pr.y)):
        # φ⁻¹(g) = π/(1 - (1-π)g)
        np.testing.assert_allclose(pi / (1 - (1 - pi) * gain[known]), rate[known], rtol=1e-6)


@given(binary_samples(min_size=4, dtypes=("float32", "float64", "int8")))
def test_agrees_with_scikit_learn(sample):
    labels, scores = sample
    ranks = np.unique(scores, return_inverse=True)[1]
    points = OperatingPoints.from_scores(labels, scores)
    assert points.roc.area() == pytest.approx(roc_auc_score(labels, ranks), rel=1e-12, abs=1e-12)
    average = average_precision_score(labels, ranks)
    assert points.pr.area("average-precision") == pytest.approx(average, rel=1e-12)
    for row, threshold in enumerate(np.unique(ranks)[::-1], start=1):
        tn, fp, fn, tp = confusion_matrix(labels, ranks >= threshold).ravel()
        assert (points.tp[row], points.fp[row]) == (tp, fp)
        assert (points.fn[row], points.tn[row]) == (fn, tn)


def test_partial_roc_area_is_scikit_learns():
    """McClish's standardisation, as ``roc_auc_score(max_fpr=)`` has it."""
    for hi in (0.2, 1 / 3, 0.9):
        expected = roc_auc_score(LABELS, SCORES, max_fpr=hi)
        assert POINTS.roc.standardised_area(0, hi) == pytest.approx(expected, rel=1e-12)
    assert POINTS.roc.standardised_area() == POINTS.roc.area()


def test_no_point_at_recall_0_and_precision_1_is_invented():
    """scikit-learn appends it; here precision starts where the first threshold puts it."""
    points = OperatingPoints.from_scores([0, 1, 1], [3, 2, 1])
    precision, recall, _ = precision_recall_curve([0, 1, 1], [3, 2, 1])
    assert (recall[-1], precision[-1]) == (0, 1)
    assert math.isnan(points.precision[0])
    assert points.pr.interpolate(0) == 0
    assert OperatingPoints.from_scores([1, 0, 1], [1, 1, 0]).pr.interpolate(0) == 0.5


def test_precision_gain_before_the_first_row_is_that_of_the_row():
    """Two positives and a negative tie at the highest score: 1 - (3/5)·(1/2)."""
    points = OperatingPoints.from_scores([1, 1, 0, 0, 1, 0, 0, 0], [5, 5, 5, 4, 3, 2, 1, 0])
    assert points.prg.x[1] == pytest.approx(0.7)
    assert points.prg.interpolate([-5, 0, 0.5]).tolist() == pytest.approx([0.7] * 3, rel=1e-15)


@pytest.mark.parametrize(("lo", "hi"), [(0, 0.3), (0.21, 0.55), (0.4, 1)])
def test_normalised_areas_of_a_range_lie_between_the_least_and_the_width(lo, hi):
    """Boyd et al. (2012), for recalls that lie between those of two rows."""
    worst = OperatingPoints.from_counts(
        [0], [POINTS.negatives], positives=POINTS.positives, negatives=POINTS.negatives
    )
    least = worst.pr.area(lo=lo, hi=hi)
    share = (POINTS.pr.area(lo=lo, hi=hi) - least) / (hi - lo - least)
    assert POINTS.pr.normalised_area(lo, hi) == pytest.approx(share, rel=1e-12)


def test_partial_areas_add_up():
    for area in (POINTS.roc.area, POINTS.prg.area, *map(partial_pr, POINTS.pr.areas())):
        parts = [area(lo=lo, hi=hi) for lo, hi in ((0, 0.21), (0.21, 2 / 3), (2 / 3, 1))]
        assert sum(parts) == pytest.approx(area(), rel=1e-14)


def partial_pr(interpolation):
    return lambda lo=0.0, hi=1.0: POINTS.pr.area(interpolation, lo, hi)


def test_all_pr_areas_come_from_one_pass():
    assert POINTS.pr.areas() == {name: POINTS.pr.area(name) for name in POINTS.pr.areas()}
    assert POINTS.pr.areas(0.1, 0.4)["max-precision"] == POINTS.pr.area("max-precision", 0.1, 0.4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: POINTS.pr.area("trapezoid"), "interpolation must be one of 'davis-goadrich'"),
        (lambda: POINTS.pr.areas(interpolations=("linear", "cubic")), "interpolation must be one"),
        (lambda: POINTS.roc.area(0.5, 0.5), "lo must be below hi"),
        (lambda: POINTS.roc.area(-0.1, 0.5), "lo must be a false positive rate between 0 and 1"),
        (lambda: POINTS.pr.area(hi=1.5), "hi must be a recall between 0 and 1"),
        (lambda: POINTS.prg.area(-math.inf, 0), "lo must be a recall gain"),
        (lambda: POINTS.prg.area("a", 0), "lo must be a recall gain"),
        (lambda: POINTS.roc.standardised_area("a"), "lo must be a false positive rate"),
        (lambda: POINTS.pr.interpolate([0.5, 1.1]), "x must be a recall between 0 and 1"),
        (lambda: POINTS.prg.interpolate(math.nan), "x must be a recall gain"),
        (lambda: POINTS.prg.expected_f_gain(-1), "beta must be a number ≥ 0"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


def test_points_that_are_not_nested_have_no_curve():
    cloud = OperatingPoints.from_counts([3, 1], [1, 2], positives=5, negatives=5, labels=["a", "b"])
    with pytest.raises(NoCurveError, match="rows 0 and 1 are not nested"):
        cloud.roc.area()
    assert cloud.hull().roc.area() == pytest.approx(0.7)


def test_nested_sets_and_selections_have_a_curve():
    """Their rows may come in any order; the trivial rules complete them."""
    rows = POINTS.at([0.5, 0.9, 0.7])
    ordered = OperatingPoints.from_counts([1, 2, 3], [0, 1, 2], positives=3, negatives=3)
    assert rows.prg.area() == ordered.prg.area()
    assert rows.pr.areas() == ordered.pr.areas()


def test_segments_of_prg_space_are_straight():
    """Halfway between two rows in recall gain, the curve is halfway in precision gain."""
    points = OperatingPoints.from_counts([2, 4, 5], [1, 3, 8], positives=5, negatives=10)
    x, y = points.prg.x[1:-1], points.prg.y[1:-1]
    halfway = points.prg.interpolate((x[:-1] + x[1:]) / 2)
    np.testing.assert_allclose(halfway, (y[:-1] + y[1:]) / 2, rtol=1e-12)
