"""Averages on the gain scale, and vertical averages."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import isometrics as iso
from isometrics.errors import NotAnswerableError, OneClassError, ParameterError, UndefinedWarning
from isometrics.testing.strategies import binary_samples

RNG = np.random.default_rng(31)
LABELS = np.arange(200) % 4 == 0
SCORES = RNG.normal(1.2 * LABELS)
FOLDS = [iso.OperatingPoints.from_scores(LABELS[k::5], SCORES[k::5]) for k in range(5)]
ONE, TWO = (
    iso.OperatingPoints.from_counts(tp, fp, positives=10, negatives=30, thresholds=[0.9, 0.5])
    for tp, fp in (([4, 8], [0, 4]), ([2, 10], [6, 30]))
)


def test_means_by_hand():
    """At 0.9: F is 8/14 and 4/18, their gains 1 - (6 + 0)/2/4/3 and 1 - (8 + 6)/2/2/3."""
    result = iso.average([ONE, TWO], threshold=0.9)
    gains = [1 - 3 / 4 / 3, 1 - 7 / 2 / 3]
    mean = np.mean(gains)
    assert result.gain[0, 4] == pytest.approx(mean)
    assert result.of("F (β 1)") == pytest.approx(0.25 / (1 - 0.75 * mean))
    assert result.arithmetic[0, 4] == pytest.approx((8 / 14 + 4 / 18) / 2)
    assert result.of("F (β 1)") < result.arithmetic[0, 4]
    assert result.deviation[0, 4] == pytest.approx(np.std(gains, ddof=1))
    areas = [points.roc.area() for points in (ONE, TWO)]
    assert result.of("AUROC") == pytest.approx(np.mean(areas))
    assert np.isnan(result.gain[0, :2]).all()
    # On the gain scale F is a weighted mean of precision and recall, and so are averages.
    result = iso.average(FOLDS, beta=2, threshold=0.8)
    precision, recall, f = result.gain[0, 2:]
    assert f == pytest.approx(0.2 * precision + 0.8 * recall)


@given(binary_samples(), st.sampled_from([0.5, 1, 3]), st.integers(1, 4))
def test_the_average_of_equal_folds_is_each_of_them(sample, beta, folds):
    points = iso.OperatingPoints.from_scores(*sample)
    result = iso.average([points] * folds, beta=beta)
    best = iso.best_threshold(points, beta=beta)
    expected = [points.roc.area(), points.prg.area(), best.precision, best.recall, best.f]
    np.testing.assert_allclose(result.mean[0], expected, rtol=1e-12, atol=1e-12)
    assert result.prevalence == pytest.approx(points.prevalence)


def test_faces_and_vertical_averages():
    result = iso.average(dict(zip("abcde", FOLDS, strict=True)), prevalence=0.25)
    assert result.folds == tuple("abcde")
    assert repr(result).startswith("Average: 5 folds at prevalence 0.25\n  measure ")
    assert "model" not in result.to_frame("pandas").columns
    result = iso.average(FOLDS)
    for space in ("roc", "prg"):
        band = result.curve(space, x=[0.2, 0.6], confidence_level=0.9)
        heights = np.array([getattr(fold, space).interpolate([0.2, 0.6]) for fold in FOLDS])
        np.testing.assert_allclose(band.estimate, heights.mean(axis=0))
        half = stats.t(4).ppf(0.95) * heights.std(axis=0, ddof=1) / np.sqrt(5)
        np.testing.assert_allclose(band.upper - band.estimate, half)
        np.testing.assert_allclose(band.estimate - band.lower, half)
        assert band.kind == "folds"
    assert result.curve().x.size == 101
    with pytest.raises(ParameterError, match="space must be one of 'roc', 'prg' but is 'pr'"):
        result.curve("pr")
    with pytest.raises(NotAnswerableError, match="a band from folds needs two folds or more"):
        iso.average([ONE]).curve()
    assert np.isnan(iso.average([ONE]).deviation).all()


def test_folds_of_different_prevalence_need_a_choice():
    other = iso.OperatingPoints.from_scores([1, 0, 1, 1], [4, 3, 2, 1])
    with pytest.raises(ParameterError) as caught:
        iso.average([ONE, other])
    assert str(caught.value) == (
        "the prevalences of the folds differ, from 0.25 to 0.75, and precision, F and AUPRG depend "
        "on it; choose a common one with prevalence='pooled', 'mean' or a number"
    )
    assert iso.average([ONE, other], prevalence="mean").prevalence == 0.5
    assert iso.average([ONE, other], prevalence="pooled").prevalence == pytest.approx(13 / 44)
    fixed = iso.average([ONE, other], prevalence=0.1)
    moved = [points.at_prevalence(0.1) for points in (ONE, other)]
    assert fixed.of("AUPRG") == pytest.approx(np.mean([points.prg.area() for points in moved]))
    with pytest.raises(
        ParameterError, match="prevalence must be one of 'refuse', 'pooled', 'mean'"
    ):
        iso.average([ONE], prevalence="own")
    folds = [
        iso.OperatingPoints.from_scores(np.arange(size) < positives, np.arange(size, 0, -1))
        for size, positives in ((10, 3), (10, 4), (11, 4))
    ]
    assert iso.average(folds).prevalence == pytest.approx(11 / 31)


def test_several_models_and_groups():
    groups = {"north": {"A": ONE, "B": TWO}, "south": {"B": ONE, "A": TWO}}
    for tables in (groups, SimpleNamespace(groups=groups)):
        result = iso.average(tables)
        assert result.models == ("A", "B")
        assert result.of("AUROC", "A") == pytest.approx(result.of("AUROC", "B"))
        assert result.to_frame("pandas")["model"].tolist() == ["A"] * 5 + ["B"] * 5
        assert len(result) == 10
    with pytest.raises(ParameterError, match="model must be one of 'A', 'B' but is None"):
        result.of("AUROC")
    with pytest.raises(ParameterError, match=r"fold 'south' has \['B'\] and fold 'north' has"):
        iso.average({"north": {"A": ONE}, "south": {"B": ONE}})


def test_a_fold_without_true_positives_has_an_f_of_0():
    nothing = iso.OperatingPoints.from_scores([1, 0, 0, 0] * 10, np.tile([1, 2, 1, 1], 10))
    with pytest.warns(UndefinedWarning, match="the precision of fold '0' is undefined .NaN.: none"):
        result = iso.average([ONE, nothing], threshold=1.5, prevalence="pooled")
    assert np.isnan(result.of("precision"))
    assert result.of("F (β 1)") == 0
    assert result.gain[0, 4] == -np.inf


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        (3, "tables must be a list of OperatingPoints or a mapping of folds to them but is int"),
        ("abc", "tables must be a list of OperatingPoints or a mapping of folds to them but is s"),
        ([], "tables is empty; at least one fold is needed"),
        ([3], "models must be a mapping of names to OperatingPoints but is int"),
        ([{}], "tables is empty; at least one fold is needed"),
        ([{"A": 3}], "models['A'] must be OperatingPoints but is int"),
        ({1: ONE, "1": TWO}, "tables has two folds whose names read the same"),
        ({"fit_time": [1.0]}, "pass points_per_fold(cv_results, X, y) of isometrics.integrations"),
    ],
)
def test_what_is_refused(tables, said):
    with pytest.raises(ParameterError) as caught:
        iso.average(tables)
    assert said in str(caught.value)


ONE_CLASS = ([1, 0, 1, 0, 0, 0, 1, 0], [8, 7, 6, 5, 4.5, 3, 2, 1], list("aabbcdee"))


@pytest.mark.parametrize("read", [False, True], ids=["analyse", "read_predictions"])
def test_folds_of_one_class_are_counted_but_not_averaged(read):
    labels, scores, folds = ONE_CLASS
    if read:
        frame = pd.DataFrame({"label": labels, "score": scores, "fold": folds})
        analysis = iso.read_predictions(frame, group="fold")
    else:
        analysis = iso.analyse(labels, scores, groups=folds)
    with pytest.warns(UndefinedWarning) as told:
        result = iso.average(analysis)
    said = str(told[0].message)
    assert said.startswith("the averages leave out 2 of 5 folds, which have one class only: 'c' (")
    assert "'d' (only negatives" in said
    assert said.endswith("; prevalence='pooled' counts their rows")
    assert sorted(result.folds) == ["a", "b", "e"]
    assert result.prevalence == 0.5
    with pytest.warns(UndefinedWarning):
        assert iso.average(analysis, prevalence="pooled").prevalence == 3 / 8


def test_a_fold_of_one_class_for_one_model_is_left_out_for_all():
    """In a long table a model may have rows of its own."""
    labels, scores, folds = ONE_CLASS
    rows = {"label": labels * 2, "score": scores * 2, "fold": folds + list("aabbccee")}
    frame = pd.DataFrame(rows | {"model": ["A"] * 8 + ["B"] * 8})
    frame.loc[12, "label"] = 1
    analysis = iso.read_predictions(frame, group="fold", model="model")
    assert set(analysis.groups["c"]) == {"B"}
    with pytest.warns(UndefinedWarning, match="2 of 5 folds"):
        result = iso.average(analysis, prevalence="pooled")
    assert sorted(result.folds) == ["a", "b", "e"]
    assert result.prevalence == 7 / 16
    analysis = iso.analyse([1, 0, 1], [3, 2, 1], groups=list("aba"))
    with pytest.raises(OneClassError, match="no fold has both classes, which averages need: 'a'"):
        iso.average(analysis)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1.0, 7.0, 1e9])
def test_whether_prevalences_differ_does_not_depend_on_the_scale_of_weights(scale):
    def fold(labels, weight):
        scores = np.arange(len(labels), 0, -1)
        weights = np.full(len(labels), weight * scale)
        return iso.OperatingPoints.from_scores(labels, scores, sample_weight=weights)

    equal = [fold([1, 0, 0], 1.0), fold([1, 0, 0] * 2, 3.0)]
    assert iso.average(equal).prevalence == pytest.approx(1 / 3)
    with pytest.raises(ParameterError, match="the prevalences of the folds differ"):
        iso.average([fold([1, 0, 0], 1.0), fold([1, 1, 0], 1.0)])
