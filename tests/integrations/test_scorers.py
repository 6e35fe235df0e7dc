"""The scorers give the package's values wherever scikit-learn takes a scorer."""

import math

import numpy as np
import pytest

pytest.importorskip("sklearn")

import sklearn
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer, roc_auc_score
from sklearn.model_selection import TunedThresholdClassifierCV, cross_validate
from sklearn.naive_bayes import GaussianNB

import isometrics as iso
from isometrics.errors import ParameterError
from isometrics.integrations.sklearn import (
    SCORERS,
    auprg_scorer,
    f_gain_scorer,
    get_scorer,
    make_f_gain_scorer,
)

X, Y = make_classification(400, weights=[0.7], flip_y=0.1, class_sep=0.7, random_state=1)
MODEL = LogisticRegression().fit(X, Y)
PROBABILITIES = MODEL.predict_proba(X)[:, 1]


def test_values():
    points = iso.OperatingPoints.from_scores(Y, MODEL.decision_function(X))
    expected = {
        "auprg": points.prg.area(),
        "aupr": points.pr.area(),
        "achievable_aupr": points.hull().pr.area(),
        "auroc": roc_auc_score(Y, PROBABILITIES),
        "average_precision": points.pr.area("average-precision"),
        "f1_gain": iso.f1_gain_score(Y, MODEL.predict(X)),
        "tradeoff_area": points.tradeoff("f-measure").area(),
    }
    assert {name: scorer(MODEL, X, Y) for name, scorer in SCORERS.items()} == pytest.approx(
        expected, rel=1e-12
    )


def test_thresholds_tuned_for_the_f_gain():
    tuned = TunedThresholdClassifierCV(MODEL, scoring=f_gain_scorer, cv="prefit", refit=False).fit(
        X, Y
    )
    grid = np.linspace(PROBABILITIES.min(), PROBABILITIES.max(), 100)
    best = max(f1_score(Y, np.greater_equal(PROBABILITIES, cut)) for cut in grid)
    # The gain rises with F₁, so on one fold both have the same best threshold.
    assert f1_score(Y, tuned.predict(X)) == pytest.approx(best)


def test_other_beta_and_labels():
    names = np.where(Y == 1, "good", "bad")
    model = LogisticRegression().fit(X, names)
    for beta in (0, 0.5, 2, math.inf):
        scorer = make_f_gain_scorer(beta, pos_label="good")
        expected = iso.fbeta_gain_score(Y, MODEL.predict(X), beta=beta)
        assert scorer(model, X, names) == pytest.approx(expected, rel=1e-12)
    by_hand = make_scorer(iso.auprg_score, response_method="predict_proba", pos_label="good")
    assert by_hand(model, X, names) == pytest.approx(auprg_scorer(MODEL, X, Y), rel=1e-12)
    with pytest.raises(ParameterError, match="beta must be a number ≥ 0 but is -1"):
        make_f_gain_scorer(-1)
    with pytest.raises(iso.InputError, match="say which one is positive with pos_label="):
        auprg_scorer(model, X, names)


def test_names():
    assert get_scorer("auprg") is get_scorer("AUPRG") is auprg_scorer
    assert get_scorer("Average precision") is SCORERS["average_precision"]
    for name in ("f1", "F1"):
        with pytest.raises(ParameterError, match=f"name must be one of 'aur.* but is '{name}'"):
            get_scorer(name)
    with pytest.raises(TypeError):
        SCORERS["mine"] = auprg_scorer


def test_weights_are_routed():
    weights = np.random.default_rng(0).integers(1, 5, Y.size)
    with sklearn.config_context(enable_metadata_routing=True):
        for name, scorer in SCORERS.items():
            weighted = sklearn.base.clone(scorer, safe=False).set_score_request(sample_weight=True)
            result = cross_validate(
                LogisticRegression().set_fit_request(sample_weight=False),
                X,
                Y,
                scoring=weighted,
                params={"sample_weight": weights},
            )
            plain = cross_validate(LogisticRegression(), X, Y, scoring=scorer)
            assert not np.allclose(result["test_score"], plain["test_score"]), name


@pytest.mark.parametrize("name", list(SCORERS))
@pytest.mark.parametrize("model", [LogisticRegression(), GaussianNB()])
@pytest.mark.parametrize("pos_label", ["bad", "good"])
def test_labels_that_are_texts(name, model, pos_label):
    """The positive class is named; scikit-learn then gives the scores of that class."""
    texts = np.where(Y, "good", "bad")
    model.fit(X, texts)
    scorer = get_scorer(name, pos_label=pos_label)
    if name == "f1_gain":
        expected = iso.f1_gain_score(texts, model.predict(X), pos_label=pos_label)
    else:
        scores = model.predict_proba(X)[:, list(model.classes_).index(pos_label)]
        if hasattr(model, "decision_function"):
            scores = model.decision_function(X) * (1 if pos_label == "good" else -1)
        expected = SCORERS[name]._score_func(texts == pos_label, scores, **SCORERS[name]._kwargs)
    assert scorer(model, X, texts) == pytest.approx(expected, rel=1e-12)
    cross_validate(model, X, texts, scoring=scorer, error_score="raise")
