"""A user's own index: what is checked, and that it finds what the closed forms find."""

import numpy as np
import pytest
from hypothesis import given, settings

from isometrics import Index, OperatingPoints
from isometrics.errors import ParameterError
from isometrics.testing import point_clouds

from ..tables import of_counts
from .plain_indices import PLAIN

OWN = {name: Index(name, function) for name, function in PLAIN.items() if name != "cost"}


@pytest.mark.parametrize("name", OWN)
@given(point_clouds(max_points=20, max_count=1000))
@settings(max_examples=40)
def test_plain_functions_give_the_break_points_of_the_closed_forms(name, cloud):
    own, closed = (of_counts(cloud).tradeoff(index) for index in (OWN[name], name))
    # A piece that is shorter than its ends are accurate may be missed.
    found, exact = (
        curve.intervals.take(
            np.flatnonzero(curve.intervals.lambda_hi - curve.intervals.lambda_lo > 1e-9)
        )
        for curve in (own, closed)
    )
    assert found.tp.tolist() == exact.tp.tolist()
    np.testing.assert_allclose(found.lambda_lo, exact.lambda_lo, atol=1e-10)
    lam = np.linspace(0, 1, 101)
    np.testing.assert_allclose(own(lam), closed(lam), rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("name", OWN)
def test_plain_functions_give_all_pieces_of_a_ranking(name):
    rng = np.random.default_rng(5)
    labels = np.arange(2000) < 400
    points = OperatingPoints.from_scores(labels, rng.normal(1.5 * labels))
    own, closed = points.tradeoff(OWN[name]), points.tradeoff(name)
    assert len(closed.intervals) >= 8
    assert own.intervals.tp.tolist() == closed.intervals.tp.tolist()
    np.testing.assert_allclose(own.intervals.lambda_lo, closed.intervals.lambda_lo, atol=1e-10)
    assert own.area() == pytest.approx(closed.area(), abs=1e-10)
    ranges = [curve.useful_range() for curve in (own, closed)]
    np.testing.assert_allclose(ranges[0].lambda_lo, ranges[1].lambda_lo, atol=1e-10)
    np.testing.assert_allclose(ranges[0].lambda_hi, ranges[1].lambda_hi, atol=1e-10)


def test_many_points_are_searched_in_blocks():
    """More cells than one block holds."""
    rng = np.random.default_rng(6)
    tp = np.sort(rng.choice(10**6, 20_000, replace=False)) + 1
    fp = np.sort(rng.choice(10**6, 20_000, replace=False))
    points = OperatingPoints.from_counts(tp, fp, positives=10**6 + 1, negatives=10**6)
    own, closed = (points.tradeoff(index) for index in (OWN["f-measure"], "f-measure"))
    lam = np.linspace(0, 1, 33)
    np.testing.assert_allclose(own(lam), closed(lam), rtol=1e-14)


def test_a_constant_index_has_one_piece():
    points = OperatingPoints.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    flat = points.tradeoff(Index("flat", lambda p, r, lam: 0 * (p + r + lam)))
    assert len(flat.intervals) == 1
    assert flat.area() == 0


def test_an_index_of_precision_and_then_of_recall():
    """A jump in λ: both neighbours are best on their side."""
    step = Index("step", lambda p, r, lam: np.where(lam < 0.3, p, r))
    points = OperatingPoints.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    found = points.tradeoff(step).intervals
    assert found.thresholds.tolist() == [4, 2]
    assert found.lambda_lo[1] == pytest.approx(0.3, abs=1e-12)


def test_area_of_kinks_and_narrow_peaks():
    """A kink, and a peak of width 0.01 and height 1 above the precision of 1."""
    points = OperatingPoints.from_scores([1, 0, 1, 0], [4, 2, 3, 1])
    kink = Index("kink", lambda p, r, lam: p * abs(lam - 0.37) + 0 * r)
    assert points.tradeoff(kink).area() == pytest.approx((0.37**2 + 0.63**2) / 2, rel=1e-10)
    peak = Index("peak", lambda p, r, lam: p + r * np.maximum(0, 1 - abs(lam - 0.4321) / 0.005))
    assert points.tradeoff(peak).area() == pytest.approx(1.005, rel=1e-10)


def test_an_area_that_is_infinite_is_refused():
    points = OperatingPoints.from_scores([1, 0, 1, 0], [4, 2, 3, 1])
    pole = Index("pole", lambda p, r, lam: p * r / abs(lam - 1 / 3))
    with pytest.raises(ParameterError, match="'pole' has no finite area from lam 0"):
        points.tradeoff(pole).area()


def test_a_fall_within_the_tolerance_is_rounding():
    """A fall of 1e-9, or of that share of a value above 1, is accepted; twice as much is not."""

    def step(start, end):
        return lambda precision, *_: np.where(precision > 0.5, end, start)

    for level in (0, 1, 1000):
        fall = 1e-9 * max(level, 1)
        Index("own", step(level, level - fall))
        with pytest.raises(ParameterError, match="index 'own' falls where precision rises"):
            Index("own", step(level, level - 2 * fall))


@pytest.mark.parametrize(
    ("name", "function", "message"),
    [
        ("", np.add, "the name of an index must be a text but is ''"),
        ("own", 3, "the function of index 'own' must be callable but is 3"),
        ("own", lambda p, r, lam: p - r + lam, "index 'own' falls where recall rises, at lam 0;"),
        ("own", lambda p, r, lam: r - lam * p, "falls where precision rises, at lam 0.125"),
        ("cost", PLAIN["cost"], "index 'cost' falls where recall rises"),
        (
            "own",
            lambda p, r, lam: p * r / lam,
            "is not finite at precision 0.04, recall 0.04, lam 0",
        ),
        ("own", lambda *_: "text", "must return an array of numbers .* but returned 'text'"),
        ("own", lambda *_: np.ones(7), "must return an array of numbers as large as"),
    ],
)
def test_functions_that_are_no_index(name, function, message):
    with pytest.raises(ParameterError, match=message):
        Index(name, function)


def test_points_that_no_set_can_have_are_not_checked():
    def specific(p, r, lam, prevalence):
        fpr = prevalence / (1 - prevalence) * r * (1 / p - 1)
        return np.where(fpr > 1 + 1e-12, np.nan, lam * r + (1 - lam) * p)

    assert Index("specific", specific).needs_prevalence


def test_arguments_are_counted_by_position():
    assert Index("a", lambda p, r, lam, prevalence=0.5: p + r + lam * prevalence).needs_prevalence
    assert not Index("b", lambda p, r, lam, sharp=2: p + r**sharp + lam).needs_prevalence
    assert not Index("c", lambda *rates: rates[0]).needs_prevalence


def test_a_function_without_a_signature():
    class Blind:
        __signature__ = "none"

        def __call__(self, p, r, lam):
            return p + r * lam

    assert not Index("blind", Blind()).needs_prevalence
