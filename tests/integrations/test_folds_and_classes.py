"""Tables of folds and of classes, and their means on the gain scale."""

import numpy as np
import pytest

import isometrics as iso
from isometrics.errors import (
    DimensionError,
    EmptyInputError,
    LengthError,
    OneClassError,
    ParameterError,
)
from isometrics.measures import optimal_f_gain

pytest.importorskip("sklearn")
from scipy.sparse import csr_array
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, cross_validate

from isometrics.integrations.sklearn import (
    RocHullDisplay,
    macro_average,
    micro_points,
    points_per_class,
    points_per_fold,
)

X, Y = make_classification(n_samples=120, flip_y=0.2, random_state=1)
KEPT = {"return_estimator": True, "return_indices": True, "scoring": "roc_auc"}


def test_each_fold_has_the_table_of_its_test_rows():
    results = cross_validate(LogisticRegression(), X, Y, **KEPT)
    folds = points_per_fold(results, X, Y)
    areas = [points.roc.area() for points in folds.values()]
    np.testing.assert_allclose(areas, results["test_score"])
    assert iso.average(folds).of("AUROC") == pytest.approx(results["test_score"].mean())


def test_weights_and_the_positive_class():
    results = cross_validate(LogisticRegression(), X, Y, **KEPT)
    weights = np.arange(1, 121)
    folds = points_per_fold(results, X, Y, sample_weight=weights, pos_label=0)
    rows = results["indices"]["test"][2]
    scores = results["estimator"][2].predict_proba(X[rows])[:, 0]
    expected = roc_auc_score(Y[rows] == 0, scores, sample_weight=weights[rows])
    assert folds["2"].roc.area() == pytest.approx(expected)


def test_folds_that_are_refused():
    for make in (points_per_fold, RocHullDisplay.from_cv_results):
        with pytest.raises(ParameterError, match="cv_results has no fitted estimators and rows; c"):
            make({"test_score": [1.0]}, X, Y)
    with pytest.raises(ParameterError, match="these are the scores of cross_validate"):
        iso.average(cross_validate(LogisticRegression(), X, Y))
    order = np.argsort(Y, kind="stable")
    kept = {"return_estimator": True, "return_indices": True, "scoring": "accuracy"}
    results = cross_validate(LogisticRegression(), X[order], Y[order], cv=KFold(5), **kept)
    with pytest.raises(
        OneClassError, match="the test rows of fold 0 have one class only"
    ) as caught:
        points_per_fold(results, X[order], Y[order])
    assert "has only negatives" in str(caught.value)


pytest.importorskip("sklearn")


IRIS, NUMBERS = load_iris(return_X_y=True)
LABELS = np.array(["setosa", "versicolor", "virginica"])[NUMBERS]
MODEL = LogisticRegression(C=0.01).fit(IRIS, LABELS)
SCORES = MODEL.predict_proba(IRIS)
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
    weights = np.arange(150)
    tables = points_per_class(LABELS, SCORES, sample_weight=weights)
    assert tables["setosa"].positives == weights[LABELS == "setosa"].sum()
    pooled = micro_points(points_per_class(LABELS, SCORES))
    same(pooled, iso.OperatingPoints.from_scores(INDICATOR.ravel(), SCORES.ravel()))
    one = {"a": pooled}
    assert micro_points(one) is pooled


@pytest.mark.parametrize("kind", [np.asarray, csr_array, np.ndarray.tolist])
def test_multilabel_indicators(kind):
    tables = points_per_class(kind(INDICATOR), SCORES)
    by_label = points_per_class(LABELS, SCORES)
    assert list(tables) == [0, 1, 2]
    for first, second in zip(tables.values(), by_label.values(), strict=True):
        same(first, second)
    named = points_per_class(kind(INDICATOR), SCORES, classes=["a", "b", "c"])
    assert list(named) == ["a", "b", "c"]


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
    ones, some = np.ones((3, 2), int), ["setosa", "virginica", "d"]
    for given, options, error, said in (
        ((LABELS, SCORES[:, 0]), {}, DimensionError, "y_score must have a column for each class"),
        ((LABELS, SCORES[:, :2]), {}, LengthError, "y_score has 2 columns but there are 3 classes"),
        ((INDICATOR * 2 - 1, SCORES), {}, DimensionError, "must be an indicator of 0 and 1"),
        ((SCORES, SCORES), {}, DimensionError, "must be an indicator of 0 and 1"),
        ((LABELS, SCORES), {"classes": some}, OneClassError, "class 'd' has only negatives among"),
        ((ones, ones / 2), {}, OneClassError, "class 0 has only positives among the rows"),
    ):
        with pytest.raises(error, match=said):
            points_per_class(*given, **options)
    with pytest.raises(ParameterError, match="measure must be on the gain scale"):
        macro_average(points_per_class(LABELS, SCORES), "aupr")
    with pytest.raises(EmptyInputError, match="points is empty"):
        macro_average({})
