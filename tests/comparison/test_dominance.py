"""Dominance against its definition in exact fractions (Davis & Goadrich 2006, Th. 3.2)."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics.comparison import dominance_matrix
from isometrics.errors import NoCurveError, ParameterError

from .rivals import fewest, most, rivals, rows_of

NEAR = Fraction(1, 10**9)
pairs = rivals(models=(2, 2), nested=True).map(lambda named: tuple(named.values()))


def dominance(a, b, *, hull=False):
    matrix = dominance_matrix({"A": a, "B": b}, hull=hull)
    turned = {"dominates": "is dominated", "is dominated": "dominates"}
    relation = matrix.of("A", "B")
    assert matrix.of("B", "A") == turned.get(relation, relation)
    return relation


def verdict(leads):
    ahead, behind = any(lead > 0 for lead in leads), any(lead < 0 for lead in leads)
    return {(1, 0): "dominates", (0, 1): "is dominated", (0, 0): "equal", (1, 1): "cross"}[
        ahead, behind
    ]


def beside(places, low, high):
    places = sorted({low, high, *places})
    middles = [(first + second) / 2 for first, second in pairwise(places)]
    near = [place + step for place in places for step in (-NEAR, 0, NEAR)]
    return [place for place in near + middles if low <= place <= high]


def in_roc(a, b):
    """By definition: the true positive rate at every false positive rate."""
    places = {Fraction(fp) for points in (a, b) for _, fp in rows_of(points)}
    at = beside(places, Fraction(0), Fraction(a.negatives))
    return verdict([most(a, fp) - most(b, fp) for fp in at])


def in_pr(a, b, lowest=Fraction(0)):
    """By definition: the precision at every recall, but for a recall of 0."""
    places = {Fraction(tp) for points in (a, b) for tp, _ in rows_of(points)}
    places = {place for place in places if place >= lowest}
    at = [tp for tp in beside(places, lowest, Fraction(a.positives)) if tp > 0]
    return verdict([tp / (tp + fewest(a, tp)) - tp / (tp + fewest(b, tp)) for tp in at])


@given(pairs)
@settings(max_examples=60)
def test_dominance_in_roc_is_dominance_in_pr(pair):
    """Davis & Goadrich (2006), Th. 3.2: both by their definitions, and here."""
    assert in_roc(*pair) == in_pr(*pair) == dominance(*pair)


def by_rows_only(a, b):
    """A planted bug: curves are compared at the rows of the first one only."""
    return verdict([fewest(b, tp) - fewest(a, tp) for tp, _ in rows_of(a)])


@pytest.mark.parametrize("wrong", [by_rows_only, lambda a, b: in_pr(a, b, Fraction(a.positives))])
def test_the_law_catches_a_planted_bug(wrong):
    @given(pairs)
    @settings(
        max_examples=5000, derandomize=True, database=None, phases=[Phase.generate], deadline=None
    )
    def holds(pair):
        assert wrong(*pair) == in_roc(*pair)

    with pytest.raises(AssertionError):
        holds()


@given(rivals(models=(2, 2)).map(lambda named: tuple(named.values())))
@settings(max_examples=60)
def test_hulls_of_any_points(pair):
    first, second = (points.hull() for points in pair)
    assert dominance(*pair, hull=True) == in_pr(first, second)


TOTALS = {"positives": 20, "negatives": 2000}
CURVE_I = iso.OperatingPoints.from_counts([9, 13, 20], [0, 84, 2000], **TOTALS)
CURVE_II = iso.OperatingPoints.from_counts([20], [500], **TOTALS)


def test_other_totals_and_large_counts():
    """One negative of 10**12 decides, and no float can see it."""
    big = 10**12
    totals = {"positives": big, "negatives": big}
    first = iso.OperatingPoints.from_counts([big // 3], [big // 7], **totals)
    second = iso.OperatingPoints.from_counts([big // 3], [big // 7 + 1], **totals)
    assert dominance(first, second) == "dominates"
    assert dominance(first, first) == "equal"
    double = iso.OperatingPoints.from_counts(
        [18, 26, 40], [0, 168, 4000], positives=40, negatives=4000
    )
    assert dominance(CURVE_I, double) == "equal"
    balanced = iso.OperatingPoints.from_counts(
        [45, 65, 100], [0, 42, 1000], positives=100, negatives=1000
    )
    assert dominance(CURVE_I, balanced) == "equal"
    scale = 1 / 7
    totals = {"positives": 20 * scale, "negatives": 2000 * scale}
    first = iso.OperatingPoints.from_counts(
        np.array([9, 13, 20]) * scale, np.array([0, 84, 2000]) * scale, **totals
    )
    second = iso.OperatingPoints.from_counts([20 * scale], [500 * scale], **totals)
    assert dominance(first, second) == "cross"
    assert dominance(first, CURVE_I) == "equal"


@given(st.integers(0, 10**6))
@settings(max_examples=60)
def test_sums_of_weights_in_another_order_are_equal(seed):
    rng = np.random.default_rng(seed)
    labels = np.append([True, False], rng.random(40) < 0.4)
    weights, ranks = rng.random(42) + 0.01, rng.integers(0, 12, 42)
    order = rng.permutation(42)
    first = iso.OperatingPoints.from_scores(labels, ranks, sample_weight=weights)
    second = iso.OperatingPoints.from_scores(
        labels[order], ranks[order], sample_weight=weights[order] / 3
    )
    assert dominance(first, second) == "equal"


def test_long_curves_are_compared_to_the_last_row():
    """A sample of rows shows most crossings; a lead of one row is found too."""
    labels = np.arange(20_000) % 3 == 0
    scores = -np.arange(20_000.0)
    first = iso.OperatingPoints.from_scores(labels, scores)
    swapped = labels.copy()
    swapped[[10_001, 10_002]] = swapped[[10_002, 10_001]]
    second = iso.OperatingPoints.from_scores(swapped, scores)
    assert dominance(first, second) == "is dominated"
    rng = np.random.default_rng(0)
    noise = iso.OperatingPoints.from_scores(labels, rng.random(20_000))
    assert dominance(first, noise) == "cross"


def test_the_matrix_and_its_faces():
    perfect = iso.OperatingPoints.from_counts([20], [0], **TOTALS)
    models = {"I": CURVE_I, "II": CURVE_II, "<b>": perfect, "model": CURVE_I}
    result = dominance_matrix(models)
    # Davis & Goadrich (2006), figure 7: that of larger area in ROC space has the smaller in PR.
    assert result.of("I", "II") == "cross"
    assert result.of("I", "<b>") == "is dominated"
    assert result.of("<b>", "II") == "dominates"
    assert result.of("model", "I") == "equal"
    assert "<b>" not in result._repr_html_()
    assert result.to_frame("pandas").shape == (4, 5)
    assert dominance_matrix(models, hull=True).of("<b>", "I") == "dominates"
    with pytest.raises(ParameterError, match="model must be one of 'I', 'II'"):
        result.of("III", "I")


def test_errors():
    sets = iso.OperatingPoints.from_counts([5, 9], [9, 5], **TOTALS)
    with pytest.raises(NoCurveError, match="have no curve of their own"):
        dominance(sets, CURVE_I)
    with pytest.raises(ParameterError, match="two models or more but got 1"):
        dominance_matrix({"A": CURVE_I})
