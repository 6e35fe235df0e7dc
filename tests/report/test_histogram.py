"""Histograms count every item once."""

import numpy as np
import pytest
from hypothesis import given

from isometrics import OperatingPoints
from isometrics.report.model import BINS, histogram_of
from isometrics.testing.strategies import binary_samples


@given(binary_samples(weights="integer", dtypes=("float64", "int64")))
def test_every_item_is_in_one_place(sample):
    labels, scores, weights = sample
    points = OperatingPoints.from_scores(labels, scores, sample_weight=weights)
    found = histogram_of(points.table)
    assert found.positives.size == found.negatives.size == BINS
    assert found.positives.sum() + found.below[0] + found.above[0] == points.positives
    assert found.negatives.sum() + found.below[1] + found.above[1] == points.negatives
    finite = np.asarray(scores, np.float64)[(weights > 0) & np.isfinite(scores)]
    if finite.size:
        assert (found.lo, found.hi) == (finite.min(), finite.max())


def test_bins_are_equally_wide():
    scores = np.linspace(0, 1, 401)
    labels = np.arange(401) % 2 == 0
    found = histogram_of(OperatingPoints.from_scores(labels, scores).table)
    assert (found.positives + found.negatives)[1:-1].tolist() == pytest.approx([10] * 38, abs=1)


def test_infinite_scores_and_unscored_items_stand_apart():
    points = OperatingPoints.from_scores([1, 0, 1], [np.inf, 0.5, 0.25], positives=5, negatives=9)
    found = histogram_of(points.table)
    assert found.above == (1, 0)
    assert found.below == (3, 8)


def test_only_infinite_scores_leave_all_bins_empty():
    found = histogram_of(OperatingPoints.from_scores([1, 0], [np.inf, -np.inf]).table)
    assert (found.lo, found.hi) == (0, 0)
    assert found.positives.sum() == found.negatives.sum() == 0


def test_counts_without_scores_have_none():
    curve = OperatingPoints.from_counts([1], [0], positives=2, negatives=2)
    assert histogram_of(curve.table) is None


def test_the_widest_range_of_scores():
    found = histogram_of(OperatingPoints.from_scores([1, 0], [1.7e308, -1.7e308]).table)
    assert found.positives[-1] == found.negatives[0] == 1
