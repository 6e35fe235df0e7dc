"""scikit-learn shaped functions against scikit-learn, on the gain scale (Flach & Kull 2015)."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sklearn

import isometrics as iso
from isometrics.errors import (
    DimensionError,
    EmptyInputError,
    LabelError,
    LengthError,
    MissingValueError,
    OneClassError,
    ParameterError,
    WeightError,
)
from isometrics.measures import Measure, measure_named, registered
from isometrics.score_functions import measure_score
from isometrics.testing.strategies import binary_samples

LABELS, SCORES = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]

GAINS = {
    "precision": (iso.precision_gain_score, sklearn.precision_score),
    "recall": (iso.recall_gain_score, sklearn.recall_score),
    "f1": (iso.f1_gain_score, sklearn.f1_score),
    "f0.5": (
        lambda *arguments, **keywords: iso.fbeta_gain_score(*arguments, beta=0.5, **keywords),
        lambda *arguments, **keywords: sklearn.fbeta_score(*arguments, beta=0.5, **keywords),
    ),
}
only_gains = pytest.mark.parametrize("gain", [gain for gain, _ in GAINS.values()], ids=GAINS.keys())
every_gain = pytest.mark.parametrize(("gain", "score"), GAINS.values(), ids=GAINS.keys())


def phi(value, prevalence):
    """φ(x) = (1 - π/x)/(1 - π)."""
    value = np.asarray(value, float)
    with np.errstate(divide="ignore"):
        return (1 - prevalence / value) / (1 - prevalence)


def refusal(error, message, function, *arguments, **keywords):
    with pytest.raises(error, match=re.escape(message)) as caught:
        function(*arguments, **keywords)
    assert type(caught.value) is error


# Hard predictions of two classes -------------------------------------------------------------


@st.composite
def predictions(draw, classes=2):
    """Draw labels, predictions and integer weights; the first class is predicted once or more."""
    label = st.integers(0, classes - 1)
    rows = draw(st.lists(st.tuples(label, label, st.integers(1, 5)), max_size=30))
    fixed = [(k, k, 1) for k in range(classes)]
    return [np.array(column) for column in zip(*draw(st.permutations(rows + fixed)), strict=True)]


@every_gain
@given(predictions(), st.booleans())
def test_binary_gains_are_converted_scores(gain, score, sample, weighted):
    y_true, y_pred, weights = sample
    weights = weights if weighted else None
    pi = np.average(y_true, weights=weights)
    expected = score(y_true, y_pred, sample_weight=weights)
    result = gain(y_true, y_pred, sample_weight=weights)
    assert type(result) is float
    assert result == pytest.approx(phi(expected, pi), rel=1e-12, abs=1e-12)
    as_negative = score(y_true, y_pred, sample_weight=weights, pos_label=0)
    assert gain(y_true, y_pred, sample_weight=weights, pos_label=0) == pytest.approx(
        phi(as_negative, 1 - pi), rel=1e-12, abs=1e-12
    )
    assert gain(y_true, y_pred, sample_weight=weights, prevalence=0.2) == pytest.approx(
        phi(expected, 0.2), rel=1e-12, abs=1e-12
    )


@every_gain
def test_no_true_positive_is_minus_infinity(gain, score):
    assert score([1, 1, 0], [0, 0, 1]) == 0
    assert gain([1, 1, 0], [0, 0, 1]) == -math.inf
    assert math.isnan(gain([0, 0, 0], [0, 0, 0], prevalence=0.5, undefined="nan"))


@pytest.mark.parametrize(
    ("gain", "y_true", "y_pred", "prevalence", "reason"),
    [
        (iso.precision_gain_score, [1, 0], [0, 0], None, "neither a true positive nor an error"),
        (iso.recall_gain_score, [0, 0], [1, 0], 0.5, "neither a true positive nor an error"),
        (iso.f1_gain_score, [0, 0], [0, 0], 0.5, "neither a true positive nor an error"),
        (iso.f1_gain_score, [0, 0], [1, 0], None, "has only negatives"),
        (iso.f1_gain_score, [1, 1], [1, 0], None, "has only positives"),
    ],
)
def test_undefined_gains(gain, y_true, y_pred, prevalence, reason):
    refusal(OneClassError, reason, gain, y_true, y_pred, prevalence=prevalence)
    assert math.isnan(gain(y_true, y_pred, prevalence=prevalence, undefined="nan"))
    # A reference prevalence defines the gain of one class.
    assert iso.f1_gain_score([1, 1], [1, 0], prevalence=0.5) == pytest.approx(phi(2 / 3, 0.5))
    assert iso.f1_gain_score([0, 0], [1, 0], prevalence=0.5) == -math.inf


def test_beta_from_precision_to_recall():
    y_true, y_pred = [1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]
    weights = [1, 2, 3, 4, 5, 6]
    ends = {0: iso.precision_gain_score, 1: iso.f1_gain_score, math.inf: iso.recall_gain_score}
    for beta, gain in ends.items():
        result = iso.fbeta_gain_score(y_true, y_pred, beta=beta, sample_weight=weights)
        assert result == gain(y_true, y_pred, sample_weight=weights)
    with pytest.raises(TypeError, match="'beta'"):
        iso.fbeta_gain_score(y_true, y_pred)


# More classes --------------------------------------------------------------------------------


@every_gain
@given(predictions(classes=3), st.data())
def test_multiclass_gains_are_averaged_as_gains(gain, score, sample, data):
    y_true, y_pred, weights = sample
    weights = data.draw(st.sampled_from([None, weights]))
    labels = data.draw(st.sampled_from([None, [2, 0], [1]]))
    words = data.draw(st.booleans())
    classes = [0, 1, 2] if labels is None else labels
    each = score(y_true, y_pred, average=None, labels=labels, sample_weight=weights)
    pi = np.array([np.average(y_true == label, weights=weights) for label in classes])
    expected = phi(each, pi)
    if words:
        names = np.array(["ant", "bee", "cat"])
        y_true, y_pred = names[y_true], names[y_pred]
        labels = None if labels is None else names[labels].tolist()
    keywords = {"labels": labels, "sample_weight": weights}
    result = gain(y_true, y_pred, average=None, **keywords)
    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)
    macro = gain(y_true, y_pred, average="macro", **keywords)
    assert type(macro) is float
    assert macro == pytest.approx(expected.mean(), rel=1e-12, abs=1e-12)
    by_support = gain(y_true, y_pred, average="weighted", **keywords)
    assert by_support == pytest.approx(np.average(expected, weights=pi), rel=1e-12, abs=1e-12)
    pooled = score(*sample[:2], average="micro", labels=classes, sample_weight=weights)
    micro = gain(y_true, y_pred, average="micro", **keywords)
    assert micro == pytest.approx(float(phi(pooled, pi.mean())), rel=1e-12, abs=1e-12)


def test_classes_without_a_true_positive():
    y_true, y_pred = [0, 0, 1, 2], [0, 0, 2, 1]
    np.testing.assert_array_equal(
        iso.f1_gain_score(y_true, y_pred, average=None), [1, -math.inf, -math.inf]
    )
    for average in ("macro", "weighted"):
        assert iso.f1_gain_score(y_true, y_pred, average=average) == -math.inf


def test_classes_that_are_only_predicted():
    y_true, y_pred = [0, 0, 1, 1], [0, 0, 1, 2]
    result = iso.f1_gain_score(y_true, y_pred, average=None, undefined="nan")
    np.testing.assert_allclose(result, [1, phi(2 / 3, 0.5), math.nan])
    for average in (None, "macro"):
        refusal(OneClassError, "only negatives", iso.f1_gain_score, y_true, y_pred, average=average)
    assert math.isnan(iso.f1_gain_score(y_true, y_pred, average="macro", undefined="nan"))
    # Without a positive it has no weight, and its gain is not asked for.
    assert iso.f1_gain_score(y_true, y_pred, average="weighted") == pytest.approx(
        (1 + float(phi(2 / 3, 0.5))) / 2
    )


@pytest.mark.parametrize("average", [None, "macro", "micro", "weighted"])
def test_labels_that_do_not_occur(average):
    keywords = {"average": average, "labels": [7]}
    refusal(OneClassError, "undefined", iso.f1_gain_score, [0, 1], [0, 1], **keywords)
    assert np.isnan(iso.f1_gain_score([0, 1], [0, 1], undefined="nan", **keywords)).all()
    keywords["labels"] = []
    refusal(ParameterError, "labels is empty", iso.f1_gain_score, [0, 1], [0, 1], **keywords)


# What is refused -----------------------------------------------------------------------------

MISSING = "has missing values (NaN or null): 1 in all, the first at position 2"


@pytest.mark.parametrize("average", ["binary", None])
@pytest.mark.parametrize("hole", [np.nan, None])
@pytest.mark.parametrize("name", ["y_true", "y_pred"])
def test_missing_labels(average, hole, name):
    columns = {"y_true": [1, 0, 1, 0], "y_pred": [1, 0, 0, 1]}
    columns[name] = [1, 0, hole, 1]
    with pytest.raises(MissingValueError, match=re.escape(f"{name} {MISSING}")):
        iso.f1_gain_score(**columns, average=average)
    weights = [1, 1, 0, 1]
    kept = [[column[row] for row in (0, 1, 3)] for column in columns.values()]
    np.testing.assert_array_equal(
        iso.f1_gain_score(**columns, average=average, sample_weight=weights),
        iso.f1_gain_score(*kept, average=average),
    )


@pytest.mark.parametrize(
    ("y_true", "y_pred", "options", "message"),
    [
        ([1, 0, 1], [1, 2, 0], {}, r"^y_pred has labels besides 1 and (2|0).* position [12]$"),
        ([1, 0, 2], [1, 0, 0], {}, r"^y_true has labels besides 1 and 0.* position 2$"),
        ([1, 0, 1, 0], [2, 1, 7, 0], {"sample_weight": [0, 1, 1, 1]}, r"^y_pred .* position [23]$"),
        ([1, 0, 1], [0.9, 0.2, 0.3], {}, "^y_pred has labels besides 0.9 and 0.2"),
        (list("aba"), list("aba"), {}, "y_true has the labels 'a' and 'b'; say which"),
        (list("aba"), list("aba"), {"pos_label": "c"}, "pos_label 'c' is not among"),
        (list("aba"), list("acc"), {"pos_label": "a"}, "^y_pred .*'c'.*2 in all.* position 1$"),
        ([1, 0, 1], ["1", "0", "1"], {"pos_label": 1}, "y_pred"),
        ([1, 0, 1], np.array(["1", "0", "1"]), {"pos_label": 1}, "y_pred"),
        (np.array([1, 0, 1]), np.array(["1", "0", "1"]), {"pos_label": "1"}, "y_true"),
    ],
)
def test_labels_refused(y_true, y_pred, options, message):
    with pytest.raises(LabelError, match=message):
        iso.f1_gain_score(y_true, y_pred, **options)


def test_parameters_refused():
    averages = "average must be one of 'binary', 'macro', 'micro', 'weighted' but is 'samples'"
    for keywords, message in (
        ({"average": "samples"}, averages),
        ({"labels": [1]}, "labels= is for several classes"),
        ({"average": "macro", "pos_label": 1}, "pos_label= is for average='binary'"),
        ({"undefined": "zero"}, "undefined must be one of 'raise', 'nan' but is 'zero'"),
        ({"prevalence": 1}, "prevalence must be strictly between 0 and 1 but is 1"),
        ({"beta": -1}, "beta must be a number ≥ 0 but is -1"),
    ):
        options = {"beta": 1} | keywords
        refusal(ParameterError, message, iso.fbeta_gain_score, LABELS, LABELS, **options)
    message = "y_true must be one-dimensional but has shape (2, 2)"
    refusal(DimensionError, message, iso.f1_gain_score, np.eye(2), np.eye(2), average="macro")


@only_gains
def test_rows_that_do_not_fit(gain):
    for average in ("binary", "macro"):
        message = "y_pred has 1 values but y_true has 2"
        refusal(LengthError, message, gain, [1, 0], [1], average=average)
        refusal(EmptyInputError, "y_true is empty", gain, [], [], average=average)
        weights = {"sample_weight": [0, 0], "average": average}
        refusal(WeightError, "zero for every row", gain, [1, 0], [1, 0], **weights)


# Areas ---------------------------------------------------------------------------------------

AREAS = {
    "auprg": (iso.auprg_score, lambda points: points.prg.area()),
    "aupr": (iso.aupr_score, lambda points: points.pr.area()),
    "auroc": (iso.auroc_score, lambda points: points.roc.area()),
}
only_areas = pytest.mark.parametrize("area", [area for area, _ in AREAS.values()], ids=AREAS.keys())
every_area = pytest.mark.parametrize(("area", "of_points"), AREAS.values(), ids=AREAS.keys())


@every_area
@given(binary_samples(weights="float"))
def test_areas_are_those_of_the_table(area, of_points, sample):
    labels, scores, weights = sample
    words = np.where(labels, "yes", "no")
    keywords = {"sample_weight": weights, "pos_label": "yes"}
    expected = of_points(iso.OperatingPoints.from_scores(words, scores, **keywords))
    result = area(words, scores, **keywords)
    assert type(result) is float
    # Other rows are added up, the corners, so the last bits may differ.
    assert result == pytest.approx(expected, rel=1e-13, abs=1e-15)


@only_areas
def test_areas_of_one_class(area):
    for labels, only in (([1, 1], "positives"), ([0, 0], "negatives")):
        refusal(OneClassError, f"y_true has only {only}", area, labels, [1, 2])
        assert math.isnan(area(labels, [1, 2], undefined="nan"))
    assert math.isnan(area(["no", "no"], [1, 2], pos_label="yes", undefined="nan"))
    message = "undefined must be one of 'raise', 'nan' but is 'zero'"
    refusal(ParameterError, message, area, [1, 0], [1, 2], undefined="zero")
    # Only one class is "undefined"; any other fault is a fault.
    options = {"sample_weight": [0, 0], "undefined": "nan"}
    refusal(WeightError, "zero for every row", area, [1, 0], [1, 2], **options)


def test_interpolation_is_passed_on():
    message = "interpolation must be one of 'davis-goadrich'"
    refusal(ParameterError, message, iso.aupr_score, LABELS, SCORES, interpolation="spline")
    assert iso.aupr_score(LABELS, SCORES, interpolation="average-precision") == pytest.approx(5 / 6)
    gain = Measure("gain at recall π", lambda points: points.prg.y0, stored="Y0")
    points = iso.OperatingPoints.from_scores(LABELS, SCORES)
    # What tables may store need not be an area.
    assert measure_score(LABELS, SCORES, measure=gain) == points.prg.y0


@given(binary_samples(weights="integer"))
def test_the_gain_curve_has_the_rows_of_the_table(sample):
    labels, scores, weights = sample
    words = np.where(labels, "yes", "no")
    keywords = {"sample_weight": weights, "pos_label": "yes"}
    curve = iso.precision_recall_gain_curve(words, scores, **keywords)
    points = iso.OperatingPoints.from_scores(words, scores, **keywords)
    np.testing.assert_array_equal(curve.precision_gain, points.precision_gain)
    np.testing.assert_array_equal(curve.recall_gain, points.recall_gain)
    np.testing.assert_array_equal(curve.thresholds, points.thresholds)
    precision_gain, recall_gain, thresholds = curve
    assert precision_gain.size == recall_gain.size == thresholds.size


@pytest.mark.parametrize("rows", [40, 5_000])
@pytest.mark.parametrize("weighted", [False, True])
def test_areas_without_a_table_are_those_of_its_corners(rows, weighted):
    generator = np.random.default_rng(rows)
    labels = generator.random(rows) < 0.3
    scores = np.round(generator.normal(1.0 * labels), 1)
    weights = generator.random(rows) if weighted else None
    corners = iso.OperatingPoints.from_scores(labels, scores, sample_weight=weights, rows="corners")
    for name in ("AUROC", "AUPRG", *(each.name for each in registered() if each.interpolation)):
        value = measure_score(labels, scores, measure=name, sample_weight=weights)
        assert value == measure_named(name).of(corners), name


@pytest.mark.parametrize(
    "words", [("yes", "no"), ("T", "F"), ("positive", "negative"), ("Pos", "Neg")]
)
def test_words_that_say_which_label_is_positive(words, tmp_path):
    labels = [words[0], words[1], words[0], words[1]]
    assert iso.auroc_score(labels, [4, 3, 2, 1]) == 0.75
    lines = [f"{label},{score}" for label, score in zip(labels, [4.5, 3.5, 2.5, 1.5], strict=True)]
    path = tmp_path / "predictions.csv"
    path.write_text("\n".join(["label,score", *lines]), encoding="utf-8")
    assert iso.read_predictions(path).models["score"].roc.area() == 0.75
    with pytest.raises(iso.InputError, match="say which one is positive"):
        iso.auroc_score([words[0], "other"], [2, 1])
