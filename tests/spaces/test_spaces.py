"""Laws between the spaces, standardised areas, and what the methods refuse."""

import math

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import (
    average_precision_score,
    confusion_matrix,
    precision_recall_curve,
    roc_auc_score,
)

from isometrics import OperatingPoints
from isometrics.errors import NoCurveError, ParameterError
from isometrics.testing import binary_samples

LABELS, SCORES = [1, 0, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.1]
POINTS = OperatingPoints.from_scores(LABELS, SCORES)


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
