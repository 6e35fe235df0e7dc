"""One table for each class, means on the gain scale, and the pooled table."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from scipy.sparse import csr_array
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

import isometrics as iso
from isometrics.errors import (
    DimensionError,
    EmptyInputError,
    LengthError,
    OneClassError,
    ParameterError,
)
from isometrics.integrations.sklearn import macro_average, micro_points, points_per_class
from isometrics.measures import optimal_f_gain

X, NUMBERS = load_iris(return_X_y=True)
LABELS = np.array(["setosa", "versicolor", "virginica"])[NUMBERS]
MODEL = LogisticRegression(C=0.01).fit(X, LABELS)
SCORES = MODEL.predict_proba(X)
INDICATOR = (LABELS[:, None] == MODEL.classes_).astype(int)


def same(one, two):
    assert np.array_equal(one.thresholds, two.thresholds)
    assert np.array_equal(one.tp, two.tp)
    assert np.array_equal(one.fp, two.fp)


def test_each_class_against_the_rest():
    tables = points_per_class(LABELS, SCORES, classes=MODEL.classes_)
    assert list(tables) == MODEL.classes_.tolist()
    for place, name in enumerate(tables):
        same(tables[name], iso.OperatingPoints.from_scores(INDICATOR[:, place], SCORES[:, place]))
    assert list(points_per_class(LABELS, SCORES)) == list(tables)


@pytest.mark.parametrize("kind", [np.asarray, csr_array, np.ndarray.tolist])
def test_multilabel_indicators(kind):
    tables = points_per_class(kind(INDICATOR), SCORES)
    by_label = points_per_class(LABELS, SCORES)
    assert list(tables) == [0, 1, 2]
    for first, second in zip(tables.values(), by_label.values(), strict=True):
        same(first, second)
    named = points_per_class(kind(INDICATOR), SCORES, classes=["a", "b", "c"])
    assert list(named) == ["a", "b", "c"]


def test_weights():
    weights = np.arange(150)
    tables = points_per_class(LABELS, SCORES, sample_weight=weights)
    assert tables["setosa"].positives == weights[LABELS == "setosa"].sum()


def test_the_micro_table_is_that_of_the_ravelled_matrices():
    pooled = micro_points(points_per_class(LABELS, SCORES))
    same(pooled, iso.OperatingPoints.from_scores(INDICATOR.ravel(), SCORES.ravel()))
    one = {"a": pooled}
    assert micro_points(one) is pooled


def test_macro_averages():
    tables = points_per_class(LABELS, SCORES)
    rows = tables.values()
    assert macro_average(tables) == pytest.approx(np.mean([t.prg.area() for t in rows]))
    assert macro_average(tables, "expected F1 gain") == pytest.approx(
        np.mean([t.prg.expected_f_gain() for t in rows])
    )
    best = [max(t.f_gain(2)[1:]) for t in rows]
    assert macro_average(tables, optimal_f_gain(2)) == pytest.approx(np.mean(best))


def test_wrong_input():
    with pytest.raises(DimensionError, match="y_score must have a column for each class"):
        points_per_class(LABELS, SCORES[:, 0])
    with pytest.raises(LengthError, match="y_score has 2 columns but there are 3 classes"):
        points_per_class(LABELS, SCORES[:, :2])
    with pytest.raises(DimensionError, match="must be an indicator of 0 and 1"):
        points_per_class(INDICATOR * 2 - 1, SCORES)
    with pytest.raises(DimensionError, match="must be an indicator of 0 and 1"):
        points_per_class(SCORES, SCORES)
    with pytest.raises(OneClassError, match="class 'd' has only negatives among the rows"):
        points_per_class(LABELS, SCORES, classes=["setosa", "virginica", "d"])
    with pytest.raises(OneClassError, match="class 0 has only positives among the rows"):
        points_per_class(np.ones((3, 2), int), [[0.1, 0.2], [0.1, 0.2], [0.1, 0.2]])
    with pytest.raises(ParameterError, match="measure must be on the gain scale"):
        macro_average(points_per_class(LABELS, SCORES), "aupr")
    with pytest.raises(EmptyInputError, match="points is empty"):
        macro_average({})
