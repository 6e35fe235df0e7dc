"""The best threshold at other prevalences is that of the moved table."""

from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics.decisions.prevalence import PrevalenceSensitivity, prevalence_sensitivity
from isometrics.errors import ParameterError
from isometrics.testing.strategies import binary_samples, point_clouds


@given(binary_samples(dtypes=["float64"]))
def test_each_row_is_the_decision_at_its_prevalence(sample):
    points = iso.OperatingPoints.from_scores(*sample)
    prevalences = [0.01, 0.3, 0.9]
    result = prevalence_sensitivity(points, prevalences, beta=2)
    own = iso.best_threshold(points, beta=2)
    for row, prevalence in enumerate(prevalences):
        moved = points.at_prevalence(prevalence)
        best = iso.best_threshold(moved, beta=2)
        assert result.thresholds[row] == best.threshold
        assert result.f[row] == best.f
        assert result.f_unchanged[row] == pytest.approx(moved.at([own.threshold]).f(2)[0])
    assert (result.lost >= -1e-12).all()
    assert result.own == points.prevalence


def test_nothing_is_lost_at_the_own_prevalence():
    points = iso.OperatingPoints.from_scores([1, 0, 1, 1, 0, 0, 1, 0], range(8, 0, -1))
    assert prevalence_sensitivity(points, 0.5).lost.tolist() == [0.0]


def test_families_of_sets_may_be_best_with_everything():
    sets = iso.OperatingPoints.from_counts(
        [1, 2], [3, 2], positives=10, negatives=4, labels=["x", "y"]
    )
    result = prevalence_sensitivity(sets, [0.1, 0.9])
    assert iso.best_threshold(sets).tp == 10
    assert np.isfinite(result.f).all()
    assert result.f_unchanged[1] == result.f[1]


def test_faces_and_refusals():
    points = iso.OperatingPoints.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    result = prevalence_sensitivity(points, np.geomspace(0.01, 0.5, 4))
    assert repr(result).splitlines()[0] == (
        "PrevalenceSensitivity: F (β 1) of a sample of prevalence 0.5 at 4 others"
    )
    assert "lost" in result.to_frame("pandas").columns
    with pytest.raises(ParameterError, match="prevalences is empty; give at least one"):
        prevalence_sensitivity(points, [])
    with pytest.raises(ParameterError, match="prevalence must be strictly between 0 and 1 but is"):
        prevalence_sensitivity(points, [0.0])


def test_everything_is_kept_where_the_table_has_no_such_row():
    """Of 10 and 5 everything has F₁ 0.8, the best; at 0.01 it has 2·0.01/(1 + 0.01)."""
    sets = iso.OperatingPoints.from_counts(
        [1, 5], [0, 4], positives=10, negatives=5, labels=["a", "b"]
    )
    found = prevalence_sensitivity(sets, [0.01])
    assert found.f_unchanged[0] == pytest.approx(0.02 / 1.01, rel=1e-15)
    assert found.lost[0] == pytest.approx(2 / 11 - 0.02 / 1.01, rel=1e-14)


@given(cloud=point_clouds(max_count=10**6), prevalence=st.floats(1e-6, 1 - 1e-6))
@settings(max_examples=50)
def test_the_own_rule_never_beats_the_best(cloud, prevalence):
    """And its F₁ is that of its rates at the new prevalence."""
    tp, fp, positives, negatives = cloud
    sets = iso.OperatingPoints.from_counts(
        tp, fp, positives=positives, negatives=negatives, labels=list(range(len(tp)))
    )
    own = iso.best_threshold(sets)
    found = prevalence_sensitivity(sets, [prevalence])
    factor = Fraction(positives, negatives) * (1 / Fraction(prevalence) - 1)
    f = 2 * own.tp / (own.tp + positives + own.fp * factor)
    assert found.f_unchanged[0] == pytest.approx(float(f), rel=1e-12)
    assert found.lost[0] >= -1e-12


def test_thresholds_are_printed_as_short_as_the_next_score_allows():
    points = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.91234567, 0.8, 0.61234567, 0.1])
    result = prevalence_sensitivity(points, [0.01, 0.9])
    assert result.thresholds.tolist() == [0.91234567, 0.61234567]
    assert [line.split()[1] for line in repr(result).splitlines()[2:]] == ["0.912", "0.612"]
    given = [getattr(result, field.name) for field in fields(result) if field.name != "_below"]
    assert PrevalenceSensitivity(*given) == result
