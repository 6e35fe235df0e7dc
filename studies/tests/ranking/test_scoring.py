"""Scores of held-out folds, their measures, and reasons where there are none."""

import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

import isometrics as iso
from isometrics.errors import ParameterError
from isometrics_studies.ranking import scoring
from isometrics_studies.ranking.datasets import DataSet, built_in_tasks
from isometrics_studies.ranking.models import MODELS, first_models, model_named
from isometrics_studies.ranking.running import settings_of
from isometrics_studies.ranking.scoring import MEASURES, evaluate_task, measures_of

WINE = built_in_tasks()[2]


def mixed(rows=60, seed=1):
    """Return a task with numbers, codes and missing values."""
    rng = np.random.default_rng(seed)
    positive = np.arange(rows) % 3 == 0
    values = np.column_stack(
        [rng.normal(positive), rng.integers(0, 4, rows), rng.normal(size=rows)]
    )
    values[rng.random((rows, 3)) < 0.1] = np.nan
    return DataSet("mixed", values, np.array([False, True, False]), positive, "two classes")


def test_all_models_have_names_families_and_scores():
    assert len(MODELS) >= 30
    assert len({model.name for model in MODELS}) == len(MODELS)
    assert len({model.family for model in MODELS}) >= 8
    rows = evaluate_task(mixed(), settings_of(models=len(MODELS), folds=2))
    assert [row["model"] for row in rows] == [model.name for model in MODELS]
    for row in rows:
        assert row["reason"] == ""
        assert 0.3 < row["auroc"] <= 1
        assert row["rows"] == 60
        assert row["positives"] == 20


def test_models_are_taken_from_the_head_of_the_list():
    assert first_models(2) == tuple(model.name for model in MODELS[:2])
    for count in (1, len(MODELS) + 1):
        with pytest.raises(
            ParameterError, match=f"a number from 2 to {len(MODELS)} but is {count}"
        ):
            first_models(count)
    with pytest.raises(ParameterError, match="model must be one of"):
        model_named("a model nobody made")


def test_scores_are_those_of_scikit_learn():
    settings = settings_of(models=2, folds=5, random_state=3)
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    split = StratifiedKFold(5, shuffle=True, random_state=3)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    expected = cross_val_predict(
        pipeline, WINE.values, WINE.positive, cv=split, method="predict_proba"
    )[:, 1]
    (model, scored), *_ = scoring.cross_validated(WINE, settings)
    assert model.name == "logistic regression"
    assert scored.scores == pytest.approx(expected, abs=1e-9)
    row = evaluate_task(WINE, settings)[0]
    assert row["auroc"] == pytest.approx(roc_auc_score(WINE.positive, expected), abs=1e-9)
    assert (
        scoring.points_of_models(WINE, settings)["logistic regression"].roc.area() == row["auroc"]
    )


def test_measures_of_halves_are_those_of_their_rows():
    rng = np.random.default_rng(5)
    positive = np.arange(40) % 4 == 0
    scores, first = np.round(rng.normal(positive), 1), np.arange(40) < 20
    result = measures_of(positive, scores, first)
    for suffix, rows in (("", slice(None)), ("_first", first), ("_second", ~first)):
        points = iso.OperatingPoints.from_scores(positive[rows], scores[rows])
        assert result[f"aupr{suffix}"] == points.pr.area()
        assert result[f"auprg{suffix}"] == points.prg.area()
        assert result[f"tradeoff_folke{suffix}"] == points.tradeoff("folke").area()
        gain = points.prg.expected_f_gain()
        # The gain is 1 - odds·(1/F - 1), so that its mean is that of a harmonic mean of F.
        odds = points.positives / points.negatives
        assert result[f"expected_f1{suffix}"] == pytest.approx(1 / (1 + (1 - gain) / odds))
    for half, rows, others in (("first", first, ~first), ("second", ~first, first)):
        chosen = scores[others]
        best = max(
            (
                Fraction(
                    int(2 * (positive[others] & (chosen >= cut)).sum()),
                    int(positive[others].sum() + (chosen >= cut).sum()),
                ),
                cut,
            )
            for cut in np.unique(chosen)
        )[1]
        assert result[f"f1_{half}"] == pytest.approx(f1_score(positive[rows], scores[rows] >= best))


def test_without_scores_or_halves_there_are_no_numbers():
    positive = np.arange(10) < 3
    nothing = measures_of(positive, None, positive)
    unhalved = measures_of(positive, -np.arange(10.0), np.zeros(10, bool))
    assert nothing.keys() == unhalved.keys()
    assert all(map(math.isnan, nothing.values()))
    halves = [name for name in unhalved if name.endswith(("_first", "_second"))]
    assert {name for name, value in unhalved.items() if math.isnan(value)} == set(halves)
    assert unhalved["auroc"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("model", "limit", "reason"),
    [
        ("tree of depth 4", 300.0, "ValueError: Input X contains infinity or a value too large"),
        ("Gaussian naive Bayes", 300.0, "gives scores that are not finite"),
        ("logistic regression", 1e-12, "would take more than 1e-12 s of processor time"),
    ],
)
def test_a_model_without_scores_has_a_row_with_the_reason(model, limit, reason):
    values = np.random.default_rng(0).normal(size=(30, 2))
    values[0, 0] = 1e300  # its square is infinite
    data = DataSet("one huge", values, np.zeros(2, bool), np.arange(30) % 3 == 0, "two classes")
    settings = settings_of(models=2, folds=2, limit=limit)._replace(models=(model,))
    (row,) = evaluate_task(data, settings)
    assert row["reason"].startswith(reason)
    assert all(math.isnan(row[measure]) for measure in MEASURES)
