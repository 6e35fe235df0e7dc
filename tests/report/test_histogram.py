"""Histograms count every item once."""

import numpy as np
import pytest
from hypothesis import given

from isometrics import OperatingPoints
from isometrics.report.model import BINS, histogram_of, unpacked
from isometrics.testing.strategies import binary_samples


@given(binary_samples(weights="integer", dtypes=("float64", "int64")))
def test_every_item_is_in_one_place(sample):
    labels, scores, weights = sample
    points = OperatingPoints.from_scores(labels, scores, sample_weight=weights)
    result = histogram_of(points.table)
    assert unpacked(result["positives"]).size == unpacked(result["negatives"]).size == BINS
    assert (
        unpacked(result["positives"]).sum() + result["below"][0] + result["above"][0]
        == points.positives
    )
    assert (
        unpacked(result["negatives"]).sum() + result["below"][1] + result["above"][1]
        == points.negatives
    )
    finite = np.asarray(scores, np.float64)[(weights > 0) & np.isfinite(scores)]
    if finite.size:
        assert (result["lo"], result["hi"]) == (finite.min(), finite.max())


def test_bins_are_equally_wide():
    scores = np.linspace(0, 1, 401)
    labels = np.arange(401) % 2 == 0
    result = histogram_of(OperatingPoints.from_scores(labels, scores).table)
    assert (unpacked(result["positives"]) + unpacked(result["negatives"]))[
        1:-1
    ].tolist() == pytest.approx([10] * 38, abs=1)


def test_infinite_scores_and_unscored_items_stand_apart():
    points = OperatingPoints.from_scores([1, 0, 1], [np.inf, 0.5, 0.25], positives=5, negatives=9)
    result = histogram_of(points.table)
    assert result["above"] == [1, 0]
    assert result["below"] == [3, 8]


def test_extreme_scores_and_no_scores():
    wide = histogram_of(OperatingPoints.from_scores([1, 0], [1.7e308, -1.7e308]).table)
    assert unpacked(wide["positives"])[-1] == unpacked(wide["negatives"])[0] == 1
    infinite = histogram_of(OperatingPoints.from_scores([1, 0], [np.inf, -np.inf]).table)
    assert (infinite["lo"], infinite["hi"]) == (0, 0)
    assert unpacked(infinite["positives"]).sum() == unpacked(infinite["negatives"]).sum() == 0
    curve = OperatingPoints.from_counts([1], [0], positives=2, negatives=2)
    assert histogram_of(curve.table) is None
