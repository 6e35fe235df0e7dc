"""All areas by name, against the exact reference; and what a constant score has of each."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics.measures import MEASURES, baselines_of, constant_score, measures_of
from isometrics.testing import Curve, binary_samples


@given(binary_samples(max_size=12))
@settings(max_examples=40)
def test_areas_are_those_of_the_reference(sample):
    found = measures_of(iso.OperatingPoints.from_scores(*sample))
    exact = Curve.of_scores(*(values.tolist() for values in sample))
    assert tuple(found) == MEASURES
    assert all(lo == hi or math.isnan(lo) for lo, hi in found.values())
    assert found["AUROC"].lo == pytest.approx(float(exact.roc_area()), rel=1e-12)
    assert found["AUPRG"].lo == pytest.approx(float(exact.prg_area()), rel=1e-12, abs=1e-12)
    names = {
        "AUPR": "davis-goadrich",
        "average precision": "average-precision",
        "AUPR, linear": "linear",
        "AUPR, integer steps": "integer-steps",
        "AUPR, max precision": "max-precision",
    }
    for name, interpolation in names.items():
        area = float(exact.pr_area(interpolation))
        assert found[name].lo == pytest.approx(area, rel=1e-12), name


@given(binary_samples(max_size=20, weights="float"))
@settings(max_examples=40)
def test_every_measure_is_that_of_the_points(sample):
    labels, scores, weights = sample
    points = iso.OperatingPoints.from_scores(labels, scores, sample_weight=weights)
    found = {name: bracket.lo for name, bracket in measures_of(points).items()}
    assert found["AUROC"] == points.roc.area()
    assert found["AUPR"] == points.pr.area()
    assert found["AUPR, normalised"] == points.pr.normalised_area()
    assert found["expected accuracy"] == points.roc.expected_accuracy()
    assert found["tradeoff area"] == points.tradeoff().area()
    if not math.isnan(found["expected F1 gain"]):
        assert found["expected F1 gain"] == points.prg.expected_f_gain()


@given(st.integers(1, 10**6), st.integers(1, 10**6))
@settings(max_examples=60)
def test_baselines_are_the_measures_of_one_score_for_all(positives, negatives):
    points = iso.OperatingPoints.from_counts([1], [0], positives=positives, negatives=negatives)
    constant = constant_score(points)
    assert constant.tp.tolist() == [0, positives]
    found = measures_of(constant)
    for name, baseline in baselines_of(points).items():
        assert baseline == pytest.approx(found[name].lo, rel=1e-9, abs=1e-9), name


def test_what_a_constant_score_has():
    known = baselines_of(iso.OperatingPoints.from_counts([1], [0], positives=1, negatives=3))
    assert known["AUROC"] == known["expected accuracy"] == 0.5
    assert known["AUPR"] == known["average precision"] == 0.25
    assert known["AUPRG"] == 0
    assert known["expected F1 gain"] == 0.25
    # ∫ dλ / (1 + 3(1-λ)) = ln(4)/3
    assert known["tradeoff area"] == pytest.approx(math.log(4) / 3, rel=1e-12)


def test_points_without_a_curve():
    sets = iso.OperatingPoints.from_counts(
        [3, 2], [1, 0], positives=5, negatives=5, labels=["a", "b"]
    )
    nested = measures_of(sets)
    assert nested["AUROC"].lo == sets.roc.area()
    crossed = iso.OperatingPoints.from_counts(
        [3, 2], [0, 1], positives=5, negatives=5, labels=["a", "b"]
    )
    found = measures_of(crossed)
    assert found.pop("tradeoff area").lo == crossed.tradeoff().area()
    assert all(math.isnan(lo) and math.isnan(hi) for lo, hi in found.values())


def test_an_undefined_expectation_is_nan_without_a_warning():
    reversed_ = iso.OperatingPoints.from_scores([0, 1], [2, 1])
    found = measures_of(reversed_)
    assert math.isnan(found["expected F1 gain"].lo)
    assert found["AUROC"].lo == 0
