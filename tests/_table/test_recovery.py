"""Counts from ROC and PR coordinates: exact round trips (Davis & Goadrich 2006, Th. 3.1)."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve, roc_curve

from isometrics import OperatingPoints
from isometrics.errors import LengthError, MissingValueError, OneClassError, PointsError
from isometrics.testing.strategies import binary_samples, count_tables

from ..tables import refusal

from_roc, from_pr = OperatingPoints.from_roc, OperatingPoints.from_pr


def same_points(recovered, expected):
    """Compare the distinct operating points, to the bit and as integers."""
    assert recovered.tp.dtype == recovered.fp.dtype == np.int64
    points = [list(zip(p.tp.tolist(), p.fp.tolist(), strict=True)) for p in (recovered, expected)]
    assert list(dict.fromkeys(points[0])) == list(dict.fromkeys(points[1]))
    assert (recovered.positives, recovered.negatives) == (expected.positives, expected.negatives)


@given(count_tables(), st.booleans())
def test_roc_gives_its_counts_back(table, reverse):
    tp, fp, positives, negatives = table
    totals = {"positives": positives, "negatives": negatives}
    expected = OperatingPoints.from_counts(tp, fp, **totals)
    step = -1 if reverse else 1
    fpr, tpr = expected.false_positive_rate[::step], expected.recall[::step]
    same_points(from_roc(fpr, tpr, **totals), expected)


@given(count_tables(), st.booleans())
def test_pr_gives_its_counts_back(table, reverse):
    tp, fp, positives, negatives = table
    totals = {"positives": positives, "negatives": negatives}
    rows = [(t, f) for t, f in zip(tp, fp, strict=True) if t > 0]
    expected = OperatingPoints.from_counts(
        [t for t, _ in rows] or [positives], [f for _, f in rows] or [negatives], **totals
    )
    step = -1 if reverse else 1
    recall, precision = expected.recall[::step], expected.precision[::step]
    same_points(from_pr(recall, precision, **totals), expected)


@given(binary_samples(weights="float", max_size=60))
def test_weighted_curves_give_their_counts_back_to_rounding(sample):
    """fp = tp (1 - precision)/precision is off by some ulps of tp + fp, not of fp."""
    labels, scores, weights = sample
    expected = OperatingPoints.from_scores(labels, scores, sample_weight=weights)
    totals = {"positives": expected.positives, "negatives": expected.negatives}
    doubt = 1e-14 * (expected.positives + expected.negatives)
    recovered = from_roc(expected.false_positive_rate, expected.recall, **totals)
    np.testing.assert_allclose(recovered.tp, expected.tp, atol=doubt, rtol=0)
    np.testing.assert_allclose(recovered.fp, expected.fp, atol=doubt, rtol=0)
    known = expected.tp > 0
    recovered = from_pr(expected.recall[known], expected.precision[known], **totals)
    assert len(recovered) == known.sum() + 1
    np.testing.assert_allclose(recovered.tp[1:], expected.tp[known], atol=doubt, rtol=0)
    np.testing.assert_allclose(recovered.fp[1:], expected.fp[known], atol=doubt, rtol=0)


def test_small_totals_are_not_taken_for_rounding():
    """Half of 1e-6 positives is far from all of them, in single precision too."""
    fpr, tpr = (np.array(rates, np.float32) for rates in ([0, 0.1, 0.3, 1], [0, 0.5, 0.8, 1]))
    points = from_roc(fpr, tpr, positives=1e-6, negatives=1)
    np.testing.assert_allclose(points.tp, 1e-6 * tpr.astype(float), rtol=1e-6)
    # 0.1·0.25 + 0.2·0.65 + 0.7·0.9
    assert points.roc.area() == pytest.approx(0.785, rel=1e-6)


@given(
    rates=st.lists(st.tuples(st.floats(0, 1, width=32), st.floats(0, 1, width=32)), max_size=6),
    positives=st.floats(1e-30, 1e30),
    negatives=st.floats(1e-30, 1e30),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_areas_of_rates_do_not_depend_on_the_scale_of_totals(rates, positives, negatives, dtype):
    columns = zip(*rates, (0, 1), strict=True)
    fpr, tpr = (np.array(sorted([0, *column, 1]), dtype) for column in columns)
    points = from_roc(fpr, tpr, positives=positives, negatives=negatives)
    x, y = ([Fraction(float(rate)) for rate in column] for column in (fpr, tpr))
    steps = zip(pairwise(x), pairwise(y), strict=True)
    area = sum((b - a) * (c + d) / 2 for (a, b), (c, d) in steps)
    assert points.roc.area() == pytest.approx(float(area), rel=1e-12, abs=1e-12)


def test_a_precision_that_does_not_tell_its_false_positives_is_refused():
    """One of ten negatives changes the precision of 1e15 positives by half a last digit."""
    message = (
        "the point at position 0 (recall 1, precision 1) does not tell its false positives: "
        "with 1e+15 positives and 1 negatives, the last digit of precision is worth more than a "
        "hundredth of all negatives; use from_counts, from_roc or from_scores instead"
    )
    rates = [1.0, 0.5], [1.0, 1.0]
    refusal(PointsError, message, from_pr, *rates, positives=1e15, negatives=1.0)
    narrow = [1.0, 0.5], np.array([1.0, 1.0], np.float32)
    with pytest.raises(PointsError, match="does not tell its false positives: with 1e"):
        from_pr(*narrow, positives=1e6, negatives=1.0)
    # Whole counts are told apart where their difference is more than rounding.
    precision = [1 - 1 / (5 * 10**13 + 1), 1 - 3 / 1e14]
    points = from_pr([0.5, 1.0], precision, positives=10**14, negatives=3)
    assert points.fp.tolist() == [0, 1, 3]


@given(binary_samples(dtypes=["float16", "float32", "int8"]))
def test_the_curves_of_scikit_learn_are_accepted(sample):
    labels, scores = sample
    expected = OperatingPoints.from_scores(labels, scores)
    # scikit-learn refuses infinite scores.
    finite = np.nan_to_num(scores.astype(float), posinf=1e300, neginf=-1e300)
    totals = {"positives": int(labels.sum()), "negatives": int((~labels).sum())}
    fpr, tpr, _ = roc_curve(labels, finite, drop_intermediate=False)
    same_points(from_roc(fpr, tpr, **totals), expected)
    precision, recall, _ = precision_recall_curve(labels, finite)
    if expected.tp[1] > 0:
        same_points(from_pr(recall, precision, **totals), expected)
    else:
        leading = int((expected.tp[1:] == 0).sum())
        position = len(recall) - 1 - leading
        message = (
            f"the point at position {position} (recall 0, precision 0; {leading} such in all) "
            "does not tell its false positives"
        )
        refusal(PointsError, message, from_pr, recall, precision, **totals)


@pytest.mark.parametrize("function", [from_roc, from_pr])
def test_totals_are_needed(function):
    with pytest.raises(TypeError, match=r"required keyword-only.*: 'positives' and 'negatives'"):
        function([0, 1], [0.5, 0.5])
    message = "the curve has only negatives; both classes are needed"
    refusal(OneClassError, message, function, [0, 1], [1, 1], positives=0, negatives=2)


def test_roc_by_hand():
    points = from_roc([0, 0.25, 1], [0, 2 / 3, 1], positives=3, negatives=4)
    assert points.tp.tolist() == [0, 2, 3]
    assert points.fp.tolist() == [0, 1, 4]
    np.testing.assert_array_equal(points.thresholds, [np.inf, np.nan, -np.inf])


def test_points_of_a_smooth_curve_stay_fractional():
    points = from_roc([0.1], [0.33], positives=4, negatives=5)
    assert points.tp.tolist() == [0, 0.33 * 4, 4]
    assert points.fp.tolist() == [0, 0.5, 5]
    points = from_pr([0.5], [0.9], positives=3, negatives=10)
    np.testing.assert_allclose(points.tp, [0, 1.5, 3])
    np.testing.assert_allclose(points.fp, [0, 1.5 / 9, 10])
    points = from_roc([0.5], [0.5], positives=2.0, negatives=4.5)
    assert points.tp.dtype == points.fp.dtype == np.float64
    assert points.fp.tolist() == [0, 2.25, 4.5]
    for function in (from_roc, from_pr):
        points = function([], [], positives=2, negatives=3)
        assert (points.tp.tolist(), points.fp.tolist()) == ([0, 2], [0, 3])


def test_rounding_is_forgiven_and_nothing_else():
    """A billionth of a positive is no rounding of double precision."""
    off = 1 + 1e-9
    assert from_roc([0.5], [off / 4], positives=4, negatives=2).tp[1] == pytest.approx(
        off, rel=1e-12
    )
    message = "the points are not those of one curve: at position 1 there are fewer true positives"
    totals = {"positives": 4.5, "negatives": 2}
    refusal(PointsError, message, from_roc, [0, 0.5, 1], [0.5, 0.5 / off, 1], **totals)


@pytest.mark.parametrize("precision", [1.0, np.nan])
def test_points_without_a_prediction_are_left_out(precision):
    """(0, 1) is appended by scikit-learn; NaN is this package's own empty rule."""
    with_point = from_pr([1, 0.5, 0], [0.5, 1, precision], positives=2, negatives=2)
    assert with_point == from_pr([1, 0.5], [0.5, 1], positives=2, negatives=2)
    assert from_pr([0], [precision], positives=2, negatives=2).tp.tolist() == [0, 2]


def test_rounding_falls_are_no_falls_and_rounding_beyond_the_negatives_is_cut():
    """A third, computed in two ways, falls by an ulp."""
    third = 1 / 3
    points = from_roc([0.5, 0.5], [third, np.nextafter(third, 0)], positives=1.5, negatives=2.5)
    assert (np.diff(points.tp) >= 0).all()
    points = from_pr([1.0], [np.nextafter(0.25, 0)], positives=1.5, negatives=4.5)
    assert points.fp.tolist() == [0, 4.5]


@pytest.mark.parametrize("function", [from_roc, from_pr])
def test_rates_refused(function):
    """The columns are named, and so is the first row that is wrong."""
    names = {from_roc: ("fpr", "tpr"), from_pr: ("recall", "precision")}[function]
    outside = "{} has values outside [0, 1]: {} in all, the first at position {}"
    missing = "{} has missing values (NaN or null): 1 in all, the first at position 1"
    for x, y, error, message in (
        ([0, 1.5], [1, 1], PointsError, outside.format(names[0], 1, 1)),
        ([0, 1], [-1, -2], PointsError, outside.format(names[1], 2, 0)),
        ([0, np.nan], [1, 1], MissingValueError, missing.format(names[0])),
        ([0, 0.5, 1], [1, 1], LengthError, "{1} has 2 values but {0} has 3".format(*names)),
        (["a", "b"], [1, 1], PointsError, f"{names[0]} has values that are not real numbers"),
    ):
        refusal(error, message, function, x, y, positives=2, negatives=2)
    if function is from_roc:
        message, totals = missing.format("tpr"), {"positives": 2, "negatives": 2}
        refusal(MissingValueError, message, from_roc, [0, 1], [1, np.nan], **totals)


def test_points_refused():
    """Positions are those of the arguments, also where they run from the last rule to the first."""
    at = "the point at position {} (recall {}, precision {}"
    falls = "the points are not those of one curve: at position {} there are fewer {} positives "
    totals = {"positives": 2, "negatives": 2}
    beyond = "0.1) needs 18 false positives but there are only 2 negatives"
    for recall, precision, message in (
        ([1, 0.5, 0, 0], [0.5, 1, 0.5, 0], at.format(2, 0, "0.5; 2 such in all) does not tell")),
        ([1, 0.5], [0.5, 0], at.format(1, 0.5, "0; 1 such in all)")),
        ([0.5, 1], [np.nan, 1], at.format(0, 0.5, "nan; 1 such")),
        ([0, 0.5, 1], [1, 1, 0.1], at.format(2, 1, beyond)),
        ([1], [1e-320], at.format(0, 1, "")),
        ([1, 0.5, 0], [1, 0.5, 1], falls.format(0, "false") + "(0) than before (1)"),
    ):
        refusal(PointsError, message, from_pr, recall, precision, **totals)
    totals = {"positives": 4, "negatives": 4}
    for fpr, tpr, message in (
        ([0, 0.5, 0.25, 1], [0, 0.5, 0.75, 1], falls.format(2, "false") + "(1) than before (2)"),
        ([0, 0.25, 0.5, 1], [0, 0.75, 0.5, 1], falls.format(2, "true") + "(2) than before (3)"),
        ([1, 0.5, 0.75, 0], [1, 0.75, 0.5, 0], falls.format(1, "false") + "(2) than before (3)"),
    ):
        refusal(PointsError, message, from_roc, fpr, tpr, **totals)
    rates = np.array([0, 0.5, 1], np.float32), np.array([0, 0.8, 0.5], np.float32)
    refusal(PointsError, falls.format(2, "true"), from_roc, *rates, positives=1e-6, negatives=1)


@given(count_tables(max_count=1000), st.integers(0, 2**32))
def test_a_planted_fall_is_found(table, seed):
    """One tpr lowered by half a positive below its predecessor cannot be a curve."""
    tp, fp, positives, negatives = table
    totals = {"positives": positives, "negatives": negatives}
    points = OperatingPoints.from_counts(tp, fp, **totals)
    inner = [row for row in range(1, len(points) - 1) if points.tp[row - 1] > 0]
    if inner:
        row = inner[seed % len(inner)]
        tpr = points.recall.copy()
        tpr[row] = (points.tp[row - 1] - 0.5) / positives
        message = f"the points are not those of one curve: at position {row} there are fewer true"
        refusal(PointsError, message, from_roc, points.false_positive_rate, tpr, **totals)


@pytest.mark.parametrize("missing", [pl.Series([None, 0.5]), pa.array([None, 0.5]), [None, 0.5]])
def test_a_null_precision_is_that_of_the_empty_rule(missing):
    """As NaN is: the rule that predicts nothing has no precision."""
    points = OperatingPoints.from_pr([0, 1], missing, positives=2, negatives=4)
    assert points.tp.tolist() == [0, 2, 2]
    assert points.fp.tolist() == [0, 2, 4]


def test_curves_in_single_precision():
    """float32 rates are off by their own ulps, and still name whole counts."""
    points = OperatingPoints.from_counts([3, 7], [1, 60], positives=9, negatives=100)
    totals = {"positives": 9, "negatives": 100}
    rates = points.roc.x.astype(np.float32), points.roc.y.astype(np.float32)
    assert OperatingPoints.from_roc(*rates, **totals) == points
    rates = points.pr.x.astype(np.float32), points.pr.y.astype(np.float32)
    assert OperatingPoints.from_pr(*rates, **totals) == points
