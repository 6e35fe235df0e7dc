"""Numbers printed in the papers and worked by hand, each with its source."""

import numpy as np
import pytest

from isometrics import OperatingPoints

RANKING = [int(label) for label in "1110111111011101001000101"]


def test_ranking_of_25_labels():
    """Values worked out in rational arithmetic, independently of this package."""
    points = OperatingPoints.from_scores(RANKING, -np.arange(25))
    assert points.prg.area() == pytest.approx(0.432462103574, abs=5e-13)
    assert points.prg.y0 == pytest.approx(0.652778, abs=5e-7)
    assert points.hull().prg.area() == pytest.approx(0.535962, abs=5e-7)
    assert points.pr.area() == pytest.approx(0.838401, abs=5e-7)
    assert points.pr.area("average-precision") == pytest.approx(0.845782, abs=5e-7)
    assert points.roc.area() == pytest.approx(0.743056, abs=5e-7)


@pytest.mark.parametrize("scores", [[3, 3, 3, 1, 1], [5, 4, 3, 2, 1], [5, 5, 3, 2, 2]])
def test_perfect_ranking(scores):
    points = OperatingPoints.from_scores([1, 1, 1, 0, 0], scores)
    assert points.prg.area() == points.prg.y0 == points.roc.area() == points.pr.area() == 1


def test_all_tied():
    points = OperatingPoints.from_scores([1, 1, 0, 0, 0], np.ones(5))
    assert points.prg.area() == pytest.approx(0, abs=1e-15)
    assert points.prg.y0 == 0
    assert points.pr.area() == points.prevalence == 0.4
    assert points.roc.area() == 0.5


def test_davis_goadrich_table_1():
    """Between (5, 5) and (10, 30), one negative step is five: precision is a curve."""
    points = OperatingPoints.from_counts([5, 10], [5, 30], positives=20, negatives=2000)
    recall = np.array([0.25, 0.30, 0.35, 0.40, 0.45, 0.50])
    printed = [0.500, 0.375, 0.318, 0.286, 0.265, 0.250]
    np.testing.assert_allclose(points.pr.interpolate(recall), printed, atol=5e-4)


@pytest.mark.parametrize(
    ("tp", "interpolation", "area"),
    [
        (8.66, "davis-goadrich", 0.02866),
        (9, "davis-goadrich", 0.02947),
        (8.66, "integer-steps", 0.029466),
    ],
)
def test_davis_goadrich_figure_6(tp, interpolation, area):
    """One point at recall .02 and precision 1 of 433 positives in 56,164 negatives.

    The paper prints .031 for the curve; the differences are roundings of the point's ends.
    """
    points = OperatingPoints.from_counts([tp], [0], positives=433, negatives=56164)
    assert points.pr.area(interpolation) == pytest.approx(area, abs=5e-6)


def test_davis_goadrich_figure_6_straight_line():
    """The straight line claims about .50 where .03 can be had."""
    points = OperatingPoints.from_counts([9], [0], positives=433, negatives=56164)
    assert points.pr.area("linear") == pytest.approx(0.50, abs=0.02)


def test_davis_goadrich_figure_7():
    """AUROC prefers curve II, AUPR curve I: .813/.514 against .875/.038."""
    totals = {"positives": 20, "negatives": 2000}
    one = OperatingPoints.from_counts([9, 13, 20], [0, 84, 2000], **totals)
    other = OperatingPoints.from_counts([8, 11, 18], [0, 15, 1200], **totals)
    two = OperatingPoints.from_counts([20], [500], **totals)
    assert (one.roc.area(), one.pr.area()) == pytest.approx((0.81345, 0.5138), abs=5e-5)
    assert other.roc.area() == pytest.approx(0.81313, abs=5e-5)
    assert other.pr.area("integer-steps") == pytest.approx(0.51379, abs=5e-6)
    assert (two.roc.area(), two.pr.area()) == pytest.approx((0.875, 0.03846), abs=5e-6)


# Flach & Kull 2015 ---------------------------------------------------------------------------

# A good ranking, one with y0 < 1, one worse than always-positive, with negative y0 and area.
RANKINGS = ["111011011000100", "0110110100", "01101110", "000100101001"]


@pytest.fixture(params=RANKINGS)
def points(request):
    labels = [int(label) for label in request.param]
    return OperatingPoints.from_scores(labels, -np.arange(len(labels)))


def test_theorem_0_expected_accuracy(points):
    """Accuracy averaged over all predicted positive rates is linear in AUROC."""
    rate = (points.tp + points.fp) / len(points.tp[1:])
    accuracy = points.accuracy()
    area = np.sum(np.diff(rate) * (accuracy[1:] + accuracy[:-1]) / 2)
    assert points.roc.expected_accuracy() == pytest.approx(area, rel=1e-12)
    pi = points.prevalence
    assert area == pytest.approx(0.5 + pi * (1 - pi) * (2 * points.roc.area() - 1), rel=1e-12)


def test_theorem_1_mixtures_lie_on_straight_lines(points):
    """A mixture of two tables lies on the line between them, at α·tp₁/(α·tp₁ + (1-α)·tp₂)."""
    rows = np.flatnonzero(points.tp)
    one, two = rows[0], rows[len(rows) // 2]
    for share in (0.2, 0.5, 0.9):
        tp, fp = (share * c[one] + (1 - share) * c[two] for c in (points.tp, points.fp))
        mixed = OperatingPoints.from_counts(
            [tp], [fp], positives=points.positives, negatives=points.negatives, labels=["mixed"]
        )
        place = share * points.tp[one] / tp
        for gain in ("precision_gain", "recall_gain"):
            ends = getattr(points, gain)
            expected = place * ends[one] + (1 - place) * ends[two]
            assert getattr(mixed, gain)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("beta", [0.5, 1, 3])
def test_theorem_2_f_gain(points, beta):
    """precG + β² recG = (1+β²) FG with FG = (F - π)/((1-π)F)."""
    rows, pi = points.tp > 0, points.prevalence
    f = points.f(beta)[rows]
    left = (points.precision_gain + beta**2 * points.recall_gain)[rows]
    np.testing.assert_allclose(left, (1 + beta**2) * (f - pi) / ((1 - pi) * f), atol=1e-12)


def test_theorem_3_expected_f_gain(points):
    """E[FG₁] from the area and y₀, with the interval's end -y₀/(1-π)."""
    area, y0, pi = points.prg.area(), points.prg.y0, points.prevalence
    expected = (area / 2 + 1 / 4 - pi * (1 - y0**2) / 4) / (1 - pi * (1 - y0))
    assert points.prg.expected_f_gain() == pytest.approx(expected, rel=1e-12)
    reciprocal = (1 - (1 - pi) * expected) / pi
    assert points.prg.expected_reciprocal_f() == pytest.approx(reciprocal, rel=1e-12)


@pytest.mark.parametrize("beta", [0.5, 2.0])
def test_theorem_3_for_every_beta(points, beta):
    """The general result: [(A + β²/2)(1-π) + π(y₀²/2 + β²A)] / [(1+β²)(1 - π + πy₀)]."""
    area, y0, pi = points.prg.area(), points.prg.y0, points.prevalence
    above = (area + beta**2 / 2) * (1 - pi) + pi * (y0**2 / 2 + beta**2 * area)
    expected = above / ((1 + beta**2) * (1 - pi + pi * y0))
    assert points.prg.expected_f_gain(beta) == pytest.approx(expected, rel=1e-12)


def test_theorem_4_beta_of_equal_f(points):
    """Two points have the same F exactly at β² = -Δ(1/prec)/Δ(1/rec)."""
    hull = points.hull()
    precision, recall = hull.precision[1:], hull.recall[1:]
    for a in range(len(recall) - 1):
        if recall[a] < recall[a + 1]:
            ratio = -(1 / precision[a] - 1 / precision[a + 1]) / (1 / recall[a] - 1 / recall[a + 1])
            f = hull.f(np.sqrt(ratio))[1:]
            assert f[a] == pytest.approx(f[a + 1], rel=1e-12)


def test_negative_areas_have_no_lower_bound():
    """Few positives that rank late among many negatives."""
    labels = np.zeros(100_000, bool)
    labels[-10:] = True
    points = OperatingPoints.from_scores(labels, -np.arange(labels.size))
    assert points.prg.area() < -1000
    assert points.prg.y0 == pytest.approx(1 - 1 / points.prevalence, rel=1e-3)
