"""The meta-estimators: exact on their table, for every β, wherever scikit-learn puts them."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("sklearn")

import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneOut,
    StratifiedShuffleSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import isometrics as iso
from isometrics.errors import LabelError, ParameterError, ScoreError
from isometrics.integrations.sklearn import FBetaThresholdClassifier, FCalibratedClassifier

METAS = [FBetaThresholdClassifier, FCalibratedClassifier]
BETAS = [0.0, 0.3, 0.5, 1.0, 1.7, 2.0, 10.0, 1e200, math.inf]


class Given(ClassifierMixin, BaseEstimator):
    def fit(self, _, y):
        self.classes_ = np.unique(y)
        self.fitted_ = True
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]


def data(rows=300, seed=0, **options):
    return make_classification(
        rows, weights=[0.8], class_sep=0.6, flip_y=0.1, random_state=seed, **options
    )


X, y = data()


def brute_force(y, scores, beta):
    values = []
    for threshold in np.unique(scores):
        result = scores >= threshold
        tp, fp, fn = (result & y).sum(), (result & ~y).sum(), (~result & y).sum()
        if math.isinf(beta):
            values.append(tp / (tp + fn))
        else:
            squared = beta * beta
            values.append((1 + squared) * tp / ((1 + squared) * tp + squared * fn + fp))
    return max(values)


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 8)), min_size=2, max_size=30),
    st.sampled_from([beta for beta in BETAS if beta != 1e200]),
)
def test_predictions_reach_the_highest_f_of_all_thresholds(rows, beta):
    y, scores = np.array([row[0] for row in rows]), np.array([float(row[1]) for row in rows])
    if y.all() or not y.any() or (scores == scores[0]).all():
        return
    X = scores[:, None]
    prefit = Given().fit(X, y)
    best = brute_force(y, scores, beta)
    for meta in METAS:
        model = meta(prefit, cv="prefit", beta=beta).fit(X, y)
        result = model.predict(X)
        pooled = iso.OperatingPoints.from_scores(y, result)
        assert pooled.f(beta)[1] == pytest.approx(best, rel=1e-12)
    assert FBetaThresholdClassifier(prefit, cv="prefit", beta=beta).fit(
        X, y
    ).best_score_ == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("beta", BETAS)
def test_the_threshold_is_the_best_of_the_pooled_out_of_fold_scores(beta):
    model = FBetaThresholdClassifier(LogisticRegression(), beta=beta).fit(X, y)
    scores = cross_val_predict(LogisticRegression(), X, y, method="predict_proba")[:, 1]
    points = iso.OperatingPoints.from_scores(y, scores)
    assert np.array_equal(model.points_.tp, points.tp)
    assert np.array_equal(model.points_.thresholds, points.thresholds)
    assert model.best_threshold_ == float(iso.best_threshold(points, beta=beta))
    full = LogisticRegression().fit(X, y).predict_proba(X)[:, 1]
    assert np.array_equal(model.predict(X), (full >= model.best_threshold_).astype(int))


@pytest.mark.parametrize("meta", METAS)
def test_beta_moves_the_decision_without_fitting(meta):
    model = meta(LogisticRegression()).fit(X, y)
    inner = model.estimator_
    shares = []
    for beta in (0.2, 1, 5, math.inf):
        shares.append(model.set_params(beta=beta).predict(X).mean())
        fresh = meta(LogisticRegression(), beta=beta).fit(X, y)
        assert np.array_equal(fresh.predict(X), model.predict(X))
    assert shares == sorted(shares)
    assert shares[0] < shares[-1]
    assert model.estimator_ is inner
    with pytest.raises(ParameterError, match="beta must be a number ≥ 0 but is -2"):
        model.set_params(beta=-2).predict(X)


def test_f_calibrated_scores_cut_at_every_beta_where_the_threshold_is():
    threshold = FBetaThresholdClassifier(LogisticRegression()).fit(X, y)
    calibrated = FCalibratedClassifier(LogisticRegression()).fit(X, y)
    scores = calibrated.f_calibrated_score(X)
    assert ((scores >= 0) & (scores <= 1)).all()
    for beta in (0.3, 0.7, 1.1, 3.3):
        expected = threshold.set_params(beta=beta).predict(X)
        assert np.array_equal(expected, scores >= 1 / (1 + beta**2))
        margin = calibrated.set_params(beta=beta).decision_function(X)
        assert np.array_equal(margin >= 0, scores >= 1 / (1 + beta**2))
    assert not hasattr(calibrated, "predict_proba")


@pytest.mark.parametrize("meta", METAS)
def test_a_frozen_estimator_is_a_prefit_one(meta):
    fitted = LogisticRegression().fit(X[:150], y[:150])
    prefit = meta(fitted, cv="prefit").fit(X[150:], y[150:])
    frozen = meta(FrozenEstimator(fitted)).fit(X[150:], y[150:])
    assert prefit.estimator_ is fitted
    assert np.array_equal(prefit.points_.tp, frozen.points_.tp)
    assert np.array_equal(prefit.predict(X), frozen.predict(X))
    assert prefit.points_.positives + prefit.points_.negatives == 150


def test_a_share_is_held_out_once():
    kept = FBetaThresholdClassifier(LogisticRegression(), cv=0.25, refit=False, random_state=3).fit(
        X, y
    )
    assert kept.points_.positives + kept.points_.negatives == 75
    split = StratifiedShuffleSplit(1, test_size=0.25, random_state=3)
    same = FBetaThresholdClassifier(LogisticRegression(), cv=split, refit=False).fit(X, y)
    assert same.best_threshold_ == kept.best_threshold_
    train, _ = next(split.split(X, y))
    expected = LogisticRegression().fit(X[train], y[train])
    assert np.array_equal(kept.estimator_.coef_, expected.coef_)
    refitted = FBetaThresholdClassifier(LogisticRegression(), cv=0.25, random_state=3).fit(X, y)
    assert refitted.best_threshold_ == kept.best_threshold_
    assert not np.array_equal(refitted.estimator_.coef_, expected.coef_)


def test_a_fold_may_have_one_class():
    X, y = data(60)
    model = FBetaThresholdClassifier(GaussianNB(), cv=LeaveOneOut()).fit(X, y)
    assert model.points_.positives + model.points_.negatives == 60
    order = np.argsort(y)
    halves = [(np.setdiff1d(np.arange(60), rows), rows) for rows in np.array_split(order, 12)]
    assert FBetaThresholdClassifier(LogisticRegression(), cv=halves).fit(X, y).best_score_ > 0


def test_decision_functions_serve_too():
    for inner in (LinearSVC(), RidgeClassifier()):
        model = FBetaThresholdClassifier(inner).fit(X, y)
        expected = model.estimator_.decision_function(X) >= model.best_threshold_
        assert np.array_equal(model.predict(X), expected.astype(int))
        assert np.array_equal(model.decision_function(X), model.estimator_.decision_function(X))
        assert not hasattr(model, "predict_proba")
    named = FBetaThresholdClassifier(LogisticRegression(), response_method="decision_function")
    assert named.fit(X, y).points_.thresholds[-1] < 0
    log = named.predict_log_proba(X)
    assert np.array_equal(log, named.estimator_.predict_log_proba(X))


@pytest.mark.parametrize("response", ["predict_proba", "decision_function"])
@pytest.mark.parametrize("meta", METAS)
def test_the_positive_class_can_be_the_first_one(meta, response):
    names = np.where(y == 1, "bad", "good")
    model = meta(LogisticRegression(), pos_label="bad", response_method=response).fit(X, names)
    assert model.classes_.tolist() == ["bad", "good"]
    assert model.points_.positives == y.sum()
    plain = meta(LogisticRegression(), response_method=response).fit(X, y)
    agree = (model.predict(X) == "bad") == (plain.predict(X) == 1)
    assert agree.mean() > 0.99
    if meta is FCalibratedClassifier:
        margin = model.decision_function(X)
        assert np.array_equal(margin[margin != 0] > 0, (model.predict(X) == "good")[margin != 0])


def test_weights_count_in_the_table_and_in_the_model():
    weights = np.random.default_rng(0).integers(0, 4, y.size)
    model = FBetaThresholdClassifier(LogisticRegression()).fit(X, y, sample_weight=weights)
    assert model.points_.positives == weights[y == 1].sum()
    expected = LogisticRegression().fit(X, y, sample_weight=weights)
    assert np.array_equal(model.estimator_.coef_, expected.coef_)
    model = FBetaThresholdClassifier(make_pipeline(StandardScaler(), GaussianNB()))
    with pytest.warns(UserWarning, match="Pipeline.fit takes no sample_weight"):
        model.fit(X, y, sample_weight=weights)
    assert model.points_.positives == weights[y == 1].sum()


def test_other_parameters_of_fit_reach_the_model_row_by_row():
    seen = []

    class Recording(GaussianNB):
        def fit(self, X, y, sample_weight=None, tag=None, rows=None):
            seen.append((len(X), tag, None if rows is None else len(rows)))
            return super().fit(X, y, sample_weight)

    X, y = data(100)
    FBetaThresholdClassifier(Recording(), cv=2).fit(X, y, tag="x", rows=list(range(100)))
    assert seen == [(50, "x", 50), (50, "x", 50), (100, "x", 100)]


@pytest.mark.parametrize("meta", METAS)
def test_metadata_is_routed(meta):
    weights = np.random.default_rng(0).integers(1, 4, y.size)
    groups = np.arange(y.size) % 10
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            LogisticRegression().set_fit_request(sample_weight=True),
        )
        model = meta(pipeline, cv=GroupKFold(5)).set_fit_request(sample_weight=True)
        model.fit(X, y, sample_weight=weights, groups=groups)
        assert model.points_.positives == weights[y == 1].sum()
        scaled = StandardScaler().fit_transform(X)
        expected = LogisticRegression().fit(scaled, y, sample_weight=weights)
        assert np.allclose(model.estimator_[-1].coef_, expected.coef_)
        scoring = sklearn.metrics.get_scorer("f1").set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"beta": [0.5, 2]}, scoring=scoring, cv=GroupKFold(3))
        search.fit(X, y, sample_weight=weights, groups=groups)
        assert search.best_params_["beta"] in {0.5, 2}
        unset = meta(LogisticRegression())
        with pytest.raises(ValueError, match="not explicitly set as requested or not requested"):
            unset.fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("meta", METAS)
def test_threads_and_pipelines_of_frames(meta):
    frame = pd.DataFrame(X, columns=[f"x{place}" for place in range(X.shape[1])])
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), meta(GaussianNB()))
    assert pipeline.fit(frame, y)[-1].feature_names_in_.tolist() == list(frame.columns)
    assert (cross_val_score(pipeline, frame, y, scoring="f1", cv=3) > 0).all()
    one, two = (meta(LogisticRegression(), n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert np.array_equal(one.predict(X), two.predict(X))


FITTED = LogisticRegression().fit(X, y)
THREE = np.arange(y.size) % 3
OF_THREE = LogisticRegression().fit(X, THREE)
PROBA = {"response_method": "predict_proba"}
REFUSED = [
    ({"beta": -1}, y, ParameterError, "beta must be a number ≥ 0 but is -1"),
    ({"beta": math.nan}, y, ParameterError, "beta must be a number ≥ 0 but is nan"),
    ({"response_method": "predict"}, y, ParameterError, "response_method must be one of 'auto', "),
    ({"refit": False}, y, ParameterError, "keeps the model of the only split, but cv makes 5"),
    ({"pos_label": 7}, y, LabelError, "pos_label 7 is not among the classes [0, 1]"),
    ({"estimator": LinearSVC()} | PROBA, y, ParameterError, "LinearSVC has no predict_proba, whi"),
    ({"estimator": DummyClassifier()}, y, ScoreError, "DummyClassifier gives every row the same "),
    ({}, np.ones_like(y), ValueError, "class"),
    ({}, THREE, LabelError, "Only binary classification is supported. Unknown label type: multi"),
    ({"cv": "prefit"}, y, NotFittedError, "LogisticRegression instance is not fitted yet"),
    ({"cv": "prefit", "estimator": FITTED}, y + 1, LabelError, "y has the label 2, which is not"),
    ({"cv": "prefit", "estimator": OF_THREE}, y, LabelError, "needed but the classifier has 3"),
]


@pytest.mark.parametrize("meta", METAS)
def test_what_cannot_be_fitted(meta):
    for options, labels, error, message in REFUSED:
        model = meta(**{"estimator": LogisticRegression()} | options)
        with pytest.raises(error, match=re.escape(message)):
            model.fit(X, labels)
    model = meta(LogisticRegression())
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        model.predict(X)
    with pytest.raises(AttributeError):
        _ = model.classes_
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        meta(LogisticRegression()).fit(X, y, sample_weight=[1, 2, 3])


@pytest.mark.parametrize("kind", [FBetaThresholdClassifier, FCalibratedClassifier])
@pytest.mark.parametrize(
    "changed", [{"pos_label": 0}, {"response_method": "decision_function"}, {"pos_label": "typo"}]
)
def test_what_is_set_after_fit_counts_from_the_next_fit_on(kind, changed):
    """The table was counted with the old value, so a threshold of it means nothing to the new."""
    model = kind(LogisticRegression(), response_method="predict_proba").fit(X, y)
    expected = model.predict(X)
    model.set_params(**changed)
    assert np.array_equal(model.predict(X), expected)
    if kind is FCalibratedClassifier:
        assert np.array_equal(model.decision_function(X) >= 0, expected == 1)
    if "typo" not in changed.values():
        anew = kind(LogisticRegression(), **({"response_method": "predict_proba"} | changed))
        assert np.array_equal(model.fit(X, y).predict(X), anew.fit(X, y).predict(X))
