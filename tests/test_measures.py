"""The registry of measures: against the exact reference, by name, and with a new measure."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics.errors import ParameterError
from isometrics.measures import (
    Shown,
    baselines_of,
    constant_score,
    f_at,
    f_gain_at,
    kernel_of,
    measures_of,
    optimal_f,
    optimal_threshold,
    parse_measures,
    precision_at,
    recall_at,
    registered,
)
from isometrics.testing import Curve
from isometrics.testing.strategies import binary_samples

NAMED = {each.name: each for each in registered()}
MEASURES = tuple(each.name for each in registered(Shown.SUMMARY))
POINTS = iso.OperatingPoints.from_scores([1, 0, 1, 1, 0, 0, 1, 0], range(8, 0, -1))


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


@given(binary_samples(dtypes=["float64"]), st.sampled_from([0.5, 1.0, 2.0]))
def test_the_best_threshold_is_that_of_best_threshold(sample, beta):
    points = iso.OperatingPoints.from_scores(*sample)
    best = iso.best_threshold(points, beta=beta)
    assert optimal_threshold(beta).of(points) == best.threshold
    assert optimal_f(beta).of(points) == pytest.approx(best.f, rel=1e-14)


def test_measures_at_a_threshold():
    at = POINTS.at([4.5])
    assert f_at(4.5, beta=2).of(POINTS) == at.f(2)[0]
    assert f_gain_at(4.5).of(POINTS) == at.f_gain()[0]
    assert precision_at(4.5).of(POINTS) == at.precision[0]
    assert recall_at(4.5).of(POINTS) == at.recall[0]
    assert f_gain_at(4.5).name == "F gain (β 1) at 4.5"
    for wrong in (np.nan, "high", None):
        with pytest.raises(ParameterError, match="threshold must be a number but is"):
            f_at(wrong)


def test_named_measures_are_those_of_the_spaces():
    values = {name: measure.of(POINTS) for name, measure in NAMED.items()}
    assert values == {
        "AUROC": POINTS.roc.area(),
        "AUPR": POINTS.pr.area(),
        "average precision": POINTS.pr.area("average-precision"),
        "AUPR, linear": POINTS.pr.area("linear"),
        "AUPR, integer steps": POINTS.pr.area("integer-steps"),
        "AUPR, max precision": POINTS.pr.area("max-precision"),
        "AUPR, normalised": POINTS.pr.normalised_area(),
        "AUPRG": POINTS.prg.area(),
        "expected F1 gain": POINTS.prg.expected_f_gain(),
        "expected accuracy": POINTS.roc.expected_accuracy(),
        "tradeoff area": POINTS.tradeoff().area(),
    }


def test_what_a_measure_may_be():
    def own(points):
        return points.prevalence

    class Callable:
        def __call__(self, points):
            return points.prevalence

    found = parse_measures(["AUROC", own, Callable(), f_at(1)])
    assert [measure.name for measure in found] == ["AUROC", "own", "Callable", "F (β 1) at 1"]
    assert list(map(kernel_of, found)) == ["auroc", None, None, None]
    assert kernel_of(replace(NAMED["AUROC"], of=own)) is None
    assert parse_measures(f_at(1))[0].threshold == 1
    with pytest.raises(ParameterError, match="measures has 'AUPR' twice; leave one of them out"):
        parse_measures(["AUPR", "AUPR"])
    with pytest.raises(ParameterError, match=r"or measures such as f_at\(0.5\), but one is 3"):
        parse_measures([3])
