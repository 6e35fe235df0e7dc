"""Every number of every space against exact arithmetic, on counts up to 1e12.

Prevalences run from 1e-12 to 1 - 1e-12, with single positives, leading negatives, vertical drops,
ties and perfect rankings among the tables.
"""

import math
import warnings
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from isometrics import OperatingPoints, UndefinedWarning
from isometrics.spaces.pr import INTERPOLATIONS
from isometrics.testing import Curve, binary_samples, count_tables

pytestmark = pytest.mark.usefixtures("either_kernel")

tables = count_tables()
small_tables = count_tables(max_count=2000)
betas = st.sampled_from([0.0, 0.3, 1.0, 2.0, 7.0])
rates = st.floats(0, 1)


def both(table):
    tp, fp, positives, negatives = table
    points = OperatingPoints.from_counts(tp, fp, positives=positives, negatives=negatives)
    return points, Curve.of(tp, fp, positives, negatives)


def assert_accurate(got, exact):
    """1e-12, relative above 1 and absolute below."""
    exact = float(exact)
    assert abs(got - exact) <= 1e-12 * max(1.0, abs(exact)), (got, exact)


@given(tables)
def test_areas(table):
    points, curve = both(table)
    assert_accurate(points.roc.area(), curve.roc_area())
    assert_accurate(points.roc.expected_accuracy(), curve.expected_accuracy())
    for name in ("davis-goadrich", "average-precision", "linear", "max-precision"):
        assert_accurate(points.pr.area(name), curve.pr_area(name))
    assert_accurate(points.pr.normalised_area(), curve.normalised_pr_area())
    assert_accurate(points.prg.area(), curve.prg_area())
    assert_accurate(points.prg.y0, curve.y0())


@pytest.mark.parametrize("most", [1e15, 2.0**53, 2.0**54, 1e20, 1e29])
def test_integer_steps_of_blocks_that_floats_cannot_count(most):
    """So many steps have the exact area: they differ from it by less than one true positive."""
    labels, scores = [1, 0, 1, 0, 1, 0], [5, 4, 3, 3, 2, 1]
    weights = [1.0, 2.0, most, 3 * most, most / 3, most / 7]
    points = OperatingPoints.from_scores(labels, scores, sample_weight=weights)
    assert points.pr.area("integer-steps") == pytest.approx(points.pr.area(), rel=1e-12)
    part = points.pr.area("integer-steps", 0.2, 0.6)
    assert part == pytest.approx(points.pr.area("davis-goadrich", 0.2, 0.6), rel=1e-12)


@given(small_tables)
def test_integer_steps(table):
    points, curve = both(table)
    assert_accurate(points.pr.area("integer-steps"), curve.pr_area("integer-steps"))


@given(tables)
def test_integer_steps_of_long_segments(table):
    """1e12 steps cannot be added one by one; their sum is a difference of digamma values."""
    points, curve = both(table)
    with mpmath.workdps(60):
        area = mpmath.fsum(map(_stepped_area, curve.points, curve.points[1:]))
        exact = area / int(curve.positives)
    assert_accurate(points.pr.area("integer-steps"), exact)


def _stepped_area(start, end):
    """Trapezoids between the points at start, one true positive later, …, end."""
    (tp, fp), (tp_end, fp_end) = start, end
    steps, last = tp_end - tp, _mpf(Fraction(tp_end) / max(tp_end + fp_end, 1))
    if steps == 0 or tp + fp == 0:
        return _mpf(steps) * last
    growth = 1 + (fp_end - fp) / steps
    offset = (tp + fp) / growth
    # Precision after k steps is 1/growth + (tp - offset)/growth · 1/(offset + k).
    harmonic = mpmath.digamma(_mpf(offset + steps)) - mpmath.digamma(_mpf(offset + 1))
    inner = _mpf((steps - 1) / growth) + _mpf((tp - offset) / growth) * harmonic
    return (_mpf(tp / (tp + fp)) + last) / 2 + inner


def _mpf(value):
    return mpmath.mpf(value.numerator) / value.denominator


@given(tables, betas)
def test_expectations(table, beta):
    points, curve = both(table)
    exact = curve.expected_f_gain(beta)
    if exact is None:
        sentence = (
            r"^the expected F gain is undefined \(NaN\): all negatives rank above a recall equal "
            "to the prevalence, so there is nothing to average over$"
        )
        with pytest.warns(UndefinedWarning, match=sentence):
            assert math.isnan(points.prg.expected_f_gain(beta))
        with pytest.warns(UndefinedWarning, match=sentence):
            assert math.isnan(points.prg.expected_reciprocal_f())
    else:
        assert_accurate(points.prg.expected_f_gain(beta), exact)
        assert_accurate(points.prg.expected_reciprocal_f(), curve.expected_reciprocal_f())


@given(tables, rates, rates)
def test_partial_areas(table, one, other):
    lo, hi = sorted((one, other))
    assume(hi - lo > 1e-6)
    points, curve = both(table)
    assert_accurate(points.roc.area(lo, hi), curve.roc_area(lo, hi))
    for name in ("davis-goadrich", "average-precision", "linear", "max-precision"):
        assert_accurate(points.pr.area(name, lo, hi), curve.pr_area(name, lo, hi))
    assert_accurate(points.pr.normalised_area(lo, hi), curve.normalised_pr_area(lo, hi))
    assert_accurate(points.prg.area(lo, hi), curve.prg_area(lo, hi))
    assert_accurate(points.prg.area(-5 * hi, lo), curve.prg_area(-5 * hi, lo))


@given(small_tables, rates, rates)
def test_partial_integer_steps(table, one, other):
    lo, hi = sorted((one, other))
    assume(hi - lo > 1e-6)
    points, curve = both(table)
    exact = curve.pr_area("integer-steps", lo, hi)
    assert_accurate(points.pr.area("integer-steps", lo, hi), exact)


@given(tables, st.lists(rates, min_size=1, max_size=4))
def test_interpolation(table, at):
    points, curve = both(table)
    for got, x in zip(points.roc.interpolate(at), at, strict=True):
        # tpr may rise by 1 within one ulp of fpr: then any value on the rise is right.
        below, above = (curve.roc_interpolate(min(1.0, max(0.0, x + d))) for d in (-1e-15, 1e-15))
        assert float(below) - 1e-12 <= got <= float(above) + 1e-12
    for got, x in zip(points.pr.interpolate(at), at, strict=True):
        near = [curve.pr_interpolate(min(1.0, max(0.0, x + d))) for d in (-1e-15, 0.0, 1e-15)]
        assert float(min(near)) - 1e-12 <= got <= float(max(near)) + 1e-12
    for got, x in zip(points.prg.interpolate(at), at, strict=True):
        near = [float(curve.prg_interpolate(min(1.0, x + d))) for d in (-1e-15, 0.0, 1e-15)]
        slack = 1e-12 * max(1.0, abs(got))
        assert min(near) - slack <= got <= max(near) + slack


@given(tables)
def test_interpolation_meets_the_rows(table):
    """At the rows themselves the curve has their coordinates, on drops the upper end."""
    points, _ = both(table)
    with_positives = np.flatnonzero(points.tp > 0)
    first = with_positives[np.unique(points.tp[with_positives], return_index=True)[1]]
    for space in (points.pr, points.prg):
        np.testing.assert_allclose(
            space.interpolate(space.x[first]), space.y[first], rtol=1e-12, atol=1e-12
        )
    last = points.fp.size - 1 - np.unique(points.fp[::-1], return_index=True)[1]
    np.testing.assert_array_equal(points.roc.interpolate(points.roc.x[last]), points.roc.y[last])


@given(tables, betas, rates)
def test_coordinates(table, beta, cost):
    points, _ = both(table)
    curve = Curve.of(points.tp, points.fp, points.positives, points.negatives)
    rows = {(int(tp), int(fp)): number for number, (tp, fp) in enumerate(curve.points)}
    columns = [
        (points.precision, curve.precision()),
        (points.recall, curve.recall()),
        (points.false_positive_rate, curve.false_positive_rate()),
        (points.precision_gain, curve.precision_gain()),
        (points.recall_gain, curve.recall_gain()),
        (points.f(beta), curve.f(beta)),
        (points.f_gain(beta), curve.f_gain(beta)),
        (points.accuracy(cost), curve.accuracy(cost)),
    ]
    for got, exact in columns:
        for row, tp, fp in zip(got, points.tp, points.fp, strict=True):
            value = exact[rows[int(tp), int(fp)]]
            if value is None:
                assert math.isnan(row)
            elif math.isinf(value):
                assert row == value
            else:
                assert_accurate(row, value)


@given(binary_samples(weights="float"), betas)
def test_weighted_samples(sample, beta):
    """Float weights: the reference adds the same weights without rounding."""
    labels, scores, weights = sample
    points = OperatingPoints.from_scores(labels, scores, sample_weight=weights)
    curve = Curve.of_scores(labels, scores, weights)
    assert_accurate(points.roc.area(), curve.roc_area())
    for name in INTERPOLATIONS:
        assert points.pr.area(name) == pytest.approx(float(curve.pr_area(name)), rel=1e-11)
    assert points.prg.area() == pytest.approx(float(curve.prg_area()), rel=1e-10, abs=1e-10)
    exact = curve.expected_f_gain(beta)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        got = points.prg.expected_f_gain(beta)
    if exact is not None and not math.isnan(got):
        assert got == pytest.approx(float(exact), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("rows", [2**14, 2**14 + 1, 2**16 + 3])
def test_blocks(rows):
    """Areas of tables longer than a block are those of one long sum."""
    rng = np.random.default_rng(rows)
    labels = rng.random(rows) < 0.3
    points = OperatingPoints.from_scores(labels, rng.permutation(rows) // 2)
    tp, fp = points.tp.astype(float), points.fp.astype(float)
    recall = np.diff(tp) / tp[-1]
    assert_accurate(points.pr.area("average-precision"), np.sum(recall * tp[1:] / (tp + fp)[1:]))
    trapezoids = np.diff(fp) / fp[-1] * (tp[1:] + tp[:-1]) / 2 / tp[-1]
    assert_accurate(points.roc.area(), np.sum(trapezoids))
    best = np.maximum.accumulate((tp / np.maximum(tp + fp, 1))[::-1])[::-1]
    assert_accurate(points.pr.area("max-precision"), np.sum(recall * best[1:]))
    gains, precision_gains = points.recall_gain, points.precision_gain
    kept = gains > 0
    tail = (
        np.sum(np.diff(gains[kept]) * (precision_gains[kept][1:] + precision_gains[kept][:-1])) / 2
    )
    first = gains[kept][0] * (precision_gains[kept][0] + points.prg.y0) / 2
    assert_accurate(points.prg.area(), tail + first)
