"""The top of the ranking against all orders of ties, and decision curves."""

from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sklearn

import isometrics as iso
from isometrics.decisions.lift import cumulative_gains, lift, net_benefit, precision_at_k
from isometrics.errors import NotAnswerableError, ParameterError, ScoreError
from isometrics.testing.strategies import binary_samples

SMALL = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1])


@given(binary_samples(max_size=6))
def test_precision_is_the_mean_over_all_orders_of_ties(sample):
    y_true, y_score = sample
    y_score = y_score + 0  # -0.0 equals 0.0
    orders = [
        order
        for order in permutations(range(y_true.size))
        if all(y_score[a] >= y_score[b] for a, b in pairwise(order))
    ]
    pts = iso.OperatingPoints.from_scores(y_true, y_score)
    for k in range(1, y_true.size + 1):
        found = sum(int(y_true[list(order[:k])].sum()) for order in orders)
        expected = float(Fraction(found, len(orders) * k))
        assert precision_at_k(pts, k) == pytest.approx(expected, rel=1e-12, abs=1e-15)
        share = k / y_true.size
        gain = expected * k / y_true.sum()
        assert cumulative_gains(pts, share) == pytest.approx(gain, rel=1e-9, abs=1e-12)
        assert lift(pts, share) == pytest.approx(gain / share, rel=1e-9, abs=1e-12)


@given(binary_samples())
def test_the_ends_of_the_gains(sample):
    pts = iso.OperatingPoints.from_scores(*sample)
    gains = cumulative_gains(pts, np.linspace(0, 1, 7))
    assert gains[0] == 0
    assert gains[-1] == 1
    assert (np.diff(gains) >= 0).all()
    assert lift(pts, 1.0) == 1


def test_precision_of_the_whole_is_the_prevalence():
    assert precision_at_k(SMALL, 4) == 0.5
    assert precision_at_k(SMALL, np.array([[1, 2], [3, 4]])).shape == (2, 2)
    with pytest.raises(NotAnswerableError, match="a hull does not know the ranking between"):
        precision_at_k(SMALL.hull(), 1)


@pytest.mark.parametrize(
    ("of", "given_value", "message"),
    [
        *(
            (precision_at_k, k, "k must be above 0 and at most 4, all items")
            for k in (0, 5, -1, np.nan, "two", None)
        ),
        (lift, [0, 0.5], "share must be above 0 and at most 1"),
        (cumulative_gains, 1.5, "share must be between 0 and 1"),
        (net_benefit, [1.0], "must be at least 0 and below 1"),
    ],
)
def test_what_no_share_can_be_is_refused(of, given_value, message):
    with pytest.raises(ParameterError, match=message):
        of(SMALL, given_value)


@given(binary_samples(dtypes=["float64"]), st.lists(st.floats(0, 0.99), min_size=1))
def test_net_benefit_by_definition(sample, chosen):
    """The formula of Vickers & Elkin (2006) on scikit-learn's confusion matrix."""
    y_true, y_score = sample[0], np.clip(sample[1], 0, 1)
    curve = net_benefit(iso.OperatingPoints.from_scores(y_true, y_score), chosen)
    for row, p in enumerate(chosen):
        for benefit, predicted in (
            (curve.model, y_score >= p),
            (curve.treat_all, np.ones(y_true.size, bool)),
            (curve.treat_none, np.zeros(y_true.size, bool)),
        ):
            counts = sklearn.confusion_matrix(y_true, predicted, labels=[False, True])
            expected = (counts[1, 1] - counts[0, 1] * p / (1 - p)) / y_true.size
            assert benefit[row] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_net_benefit_needs_probabilities():
    with pytest.raises(ScoreError, match="net benefit needs probabilities between 0 and 1"):
        net_benefit(iso.OperatingPoints.from_scores([1, 0], [-3, 0.5]), 0.5)


def test_net_benefit_is_printed_with_the_probabilities_that_were_given():
    columns = ["probability_threshold", "model", "treat_all", "treat_none"]
    probabilities = iso.OperatingPoints.from_scores([1, 0], [0.75, 0.25])
    first, header, row = repr(net_benefit(probabilities, 0.123456789)).splitlines()
    assert first == "NetBenefit: net true positives for each item"
    assert header.split() == columns
    assert row.split()[0] == "0.123456789"
