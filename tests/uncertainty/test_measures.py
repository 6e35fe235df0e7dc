"""Measures of a table, and how they are named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics.errors import ParameterError
from isometrics.testing.strategies import binary_samples
from isometrics.uncertainty.measures import (
    NAMED,
    f_at,
    f_gain_at,
    is_area,
    optimal_f,
    optimal_threshold,
    parse_measures,
    precision_at,
    recall_at,
)

POINTS = iso.OperatingPoints.from_scores([1, 0, 1, 1, 0, 0, 1, 0], range(8, 0, -1))


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
    assert [is_area(measure) for measure in found] == [True, False, False, False]
    assert not is_area(NAMED["AUROC"]._replace(of=own))
    assert parse_measures(f_at(1))[0].threshold == 1
    with pytest.raises(ParameterError, match="measures has 'AUPR' twice; leave one of them out"):
        parse_measures(["AUPR", "AUPR"])
    with pytest.raises(ParameterError, match=r"or measures such as f_at\(0.5\), but one is 3"):
        parse_measures([3])
