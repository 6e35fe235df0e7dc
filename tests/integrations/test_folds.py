"""Folds of scikit-learn's cross_validate become tables that can be averaged."""

import numpy as np
import pytest

import isometrics as iso
from isometrics.errors import OneClassError, ParameterError

pytest.importorskip("sklearn")
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, cross_validate

from isometrics.integrations.sklearn import RocHullDisplay, points_per_fold

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


def test_results_without_estimators():
    for make in (points_per_fold, RocHullDisplay.from_cv_results):
        with pytest.raises(ParameterError, match="cv_results has no fitted estimators and rows; c"):
            make({"test_score": [1.0]}, X, Y)
    with pytest.raises(ParameterError, match="these are the scores of cross_validate"):
        iso.average(cross_validate(LogisticRegression(), X, Y))


def test_a_fold_of_one_class_is_named():
    order = np.argsort(Y, kind="stable")
    kept = {"return_estimator": True, "return_indices": True, "scoring": "accuracy"}
    results = cross_validate(LogisticRegression(), X[order], Y[order], cv=KFold(5), **kept)
    with pytest.raises(
        OneClassError, match="the test rows of fold 0 have one class only"
    ) as caught:
        points_per_fold(results, X[order], Y[order])
    assert "has only negatives" in str(caught.value)
