"""Arrays of several classes: which column is the positive class's, and a table for each class."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import isometrics as iso
from isometrics.errors import (
    DimensionError,
    EmptyInputError,
    LabelError,
    LengthError,
    MissingValueError,
    NotAnswerableError,
    OneClassError,
    ParameterError,
    ScoreError,
)
from isometrics.measures import optimal_f_gain

RANDOM = np.random.default_rng(7)
NAMES = np.array(["bird", "cat", "dog"])
LABELS = NAMES[RANDOM.integers(0, 3, 60)]
SCORES = RANDOM.dirichlet([1, 1, 1], 60) + 0.4 * (LABELS[:, None] == NAMES)
INDICATOR = (RANDOM.random((60, 3)) < 0.4).astype(int)
YES = np.where(LABELS == "dog", "yes", "no")
TWO = np.column_stack([1 - SCORES[:, 2], SCORES[:, 2]])
DOG = iso.OperatingPoints.from_scores(LABELS == "dog", SCORES[:, 2])


def table(members, scores, weights=None):
    return iso.OperatingPoints.from_scores(members, scores, sample_weight=weights)


def only(analysis):
    (points,) = analysis.models.values()
    return points


@pytest.mark.parametrize(
    "labels", [YES == "yes", (YES == "yes").astype(int), np.where(YES == "yes", 1.0, -1.0)]
)
@pytest.mark.parametrize(
    "kind", [np.asarray, np.ndarray.tolist, pd.DataFrame, csr_array, lambda x: {"score": x}]
)
def test_of_two_columns_the_second_is_the_positive_one(labels, kind):
    if kind is pd.DataFrame and (labels == -1).any():
        kind = lambda x: pd.DataFrame(x, columns=[-1, 1])  # noqa: E731
    analysis = iso.analyse(labels, kind(TWO))
    assert analysis.models == {"score": DOG}
    assert not analysis.one_vs_rest
    assert analysis.rows is not None


@pytest.mark.parametrize("pos_label", ["no", "yes"])
def test_texts_are_in_sorted_order(pos_label):
    scores = TWO[:, int(pos_label == "yes")]
    expected = iso.OperatingPoints.from_scores(YES, scores, pos_label=pos_label)
    assert only(iso.analyse(YES, TWO, pos_label=pos_label)) == expected
    other_order = TWO[:, ::-1]
    named = iso.analyse(YES, other_order, pos_label=pos_label, classes=["yes", "no"])
    assert only(named) == expected
    for frame in (
        pd.DataFrame(other_order, columns=["yes", "no"]),
        pl.DataFrame(other_order, schema=["yes", "no"]),
        pa.table({"yes": other_order[:, 0], "no": other_order[:, 1]}),
    ):
        assert only(iso.analyse(YES, frame, pos_label=pos_label)) == expected
        assert only(iso.analyse(YES, {"rf": frame}, pos_label=pos_label)) == expected


def test_which_text_is_positive_is_asked_and_one_class_refused():
    with pytest.raises(LabelError, match="say which one is positive with pos_label="):
        iso.analyse(np.where(YES == "yes", "dog", "other"), TWO)
    assert iso.analyse(YES, TWO).models == {"score": DOG}
    for labels in (np.ones(60, bool), np.zeros(60, bool)):
        with pytest.raises(OneClassError, match="has only"):
            iso.analyse(labels, TWO)
    with pytest.raises(OneClassError, match="has only"):
        iso.analyse(["yes"] * 60, TWO, pos_label="yes", classes=["no", "yes"])


def test_two_columns_of_a_frame_are_models_unless_they_are_called_as_the_labels():
    numbers = (YES == "yes").astype(int)
    for names in (["A", "B"], ["0", "1"]):
        analysis = iso.analyse(numbers, pd.DataFrame(TWO, columns=names))
        assert list(analysis.models) == names
    mixed = [label if label == "yes" else 0 for label in YES]
    models = iso.analyse(mixed, pd.DataFrame(TWO, columns=["A", "B"]), pos_label="yes").models
    assert models["B"] == DOG
    analysis = iso.analyse(YES, {"A": TWO, "B": SCORES[:, 0]}, pos_label="yes")
    assert analysis.models["A"] == DOG
    assert analysis.models["B"] == table(YES == "yes", SCORES[:, 0])


@pytest.mark.parametrize("scores", [SCORES[:, 0], {"A": SCORES[:, 0], "B": SCORES[:, 1]}])
def test_one_column_for_each_model_has_no_classes(scores):
    with pytest.raises(ParameterError, match="has no column for each class"):
        iso.analyse(YES, scores, pos_label="yes", classes=["no", "yes"])


def test_one_column_and_absent_rows():
    expected = table(YES == "yes", SCORES[:, 2])
    truth = (YES == "yes")[:, None]
    assert only(iso.analyse(truth, SCORES[:, 2:])) == expected
    assert only(iso.analyse(truth, [TWO])) == expected
    assert only(iso.analyse(pd.DataFrame({"y": truth[:, 0]}), SCORES[:, 2])) == expected
    labels, scores = [*YES, "maybe", None], np.vstack([TWO, [[0.5, 0.5], [0.5, np.nan]]])
    weights = [1] * 60 + [0, 0]
    assert only(iso.analyse(labels, scores, sample_weight=weights, pos_label="yes")) == DOG


@given(st.data())
def test_bootstrap_takes_what_analyse_takes(data):
    drawn = st.lists(st.tuples(st.sampled_from(["no", "yes"]), st.integers(0, 5)), max_size=30)
    rows = [("no", 3), ("no", 1), ("yes", 2), ("yes", 3), *data.draw(drawn)]
    labels, scores = (np.array(each) for each in zip(*rows, strict=True))
    both = np.column_stack([5 - scores, scores])
    draws = {"n_resamples": 5, "random_state": 0, "stratified": True, "method": "percentile"}
    options = {"pos_label": "yes", "measures": "AUROC", **draws}
    expected = iso.bootstrap(labels, scores, **options)
    for kind in (np.asarray, np.ndarray.tolist, lambda x: pd.DataFrame(x, columns=["no", "yes"])):
        result = iso.bootstrap(labels, kind(both), **options)
        np.testing.assert_array_equal(result.replicates, expected.replicates)
    named = iso.bootstrap(labels[:, None], {"A": both, "B": scores}, **options)
    np.testing.assert_array_equal(named.replicates[0], named.replicates[1])
    assert iso.delong(labels, both, pos_label="yes") == iso.delong(labels, scores, pos_label="yes")
    curves = {"space": "roc", "pos_label": "yes", "n_resamples": 5, "random_state": 0}
    curves["stratified"] = True
    band = iso.bootstrap_curves(labels, both, **curves).band()
    assert band == iso.bootstrap_curves(labels, scores, **curves).band()


@pytest.mark.parametrize("kind", [np.asarray, np.ndarray.tolist, csr_array])
def test_each_class_against_the_rest(kind):
    analysis = iso.analyse(LABELS, kind(SCORES))
    assert analysis.one_vs_rest
    assert analysis.models == {
        name: table(name == LABELS, SCORES[:, j]) for j, name in enumerate(NAMES)
    }
    assert analysis.description == "60 rows; classes: bird, cat and dog"
    assert repr(analysis).startswith("Analysis: 3 classes\n")


@pytest.mark.parametrize("before", ["", "p_"])
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, dict])
def test_columns_with_the_names_of_classes_may_have_any_order(before, kind):
    columns = {f"{before}{name}": SCORES[:, j] for j, name in reversed(list(enumerate(NAMES)))}
    analysis = iso.analyse(LABELS, kind(columns))
    assert analysis.models == iso.analyse(LABELS, SCORES).models


def test_weights_and_groups():
    weights, groups = RANDOM.integers(0, 3, 60), np.array(["n", "s"])[RANDOM.integers(0, 2, 60)]
    analysis = iso.analyse(LABELS, SCORES, sample_weight=weights, groups=groups)
    for j, name in enumerate(NAMES):
        members = name == LABELS
        assert analysis.models[name] == table(members, SCORES[:, j], weights)
        for group in ("n", "s"):
            rows = groups == group
            expected = table(members[rows], SCORES[rows, j], weights[rows])
            assert analysis.groups[group][name] == expected
    assert "with weights; groups: n and s; classes: bird" in analysis.description


def test_a_class_without_rows_is_left_out():
    analysis = iso.analyse(LABELS, np.hstack([SCORES, SCORES[:, :1]]), classes=[*NAMES, "eel"])
    assert list(analysis.models) == list(NAMES)
    assert analysis.skipped == {"eel": "no row has this class"}
    assert "left out: eel (no row has this class)" in analysis.description
    indicator = np.hstack([INDICATOR, np.ones((60, 1), int)])
    analysis = iso.analyse(indicator, np.hstack([SCORES, SCORES[:, :1]]))
    assert analysis.skipped == {"3": "every row has this class"}
    with pytest.raises(OneClassError, match=r"no class has both .*: 0 \(every row has this class"):
        iso.analyse(np.ones((60, 3)), SCORES)
    analysis = iso.analyse(LABELS, SCORES, pos_label="dog")
    assert analysis.models == {"dog": DOG}
    assert analysis.one_vs_rest
    assert not any("Macro" in note for note in analysis.summary().notes)
    with pytest.raises(LabelError, match=r"^pos_label is 'eel', which is not among the classes"):
        iso.analyse(LABELS, SCORES, pos_label="eel")


def multilabel(names=("0", "1", "2")):
    return {name: table(INDICATOR[:, j], SCORES[:, j]) for j, name in enumerate(names)}


@pytest.mark.parametrize(
    "kind", [np.asarray, csr_array, np.ndarray.tolist, lambda x: x == 1, pd.DataFrame]
)
def test_indicators(kind):
    analysis = iso.analyse(kind(INDICATOR), SCORES)
    assert analysis.one_vs_rest
    assert analysis.models == multilabel()
    named = iso.analyse(kind(INDICATOR), SCORES, classes=NAMES)
    assert named.models == multilabel(NAMES)


def test_names_of_columns():
    truth = pd.DataFrame(INDICATOR, columns=NAMES)
    assert iso.analyse(truth, SCORES).models == multilabel(NAMES)
    scores = pl.DataFrame(SCORES, schema=list(NAMES))
    assert iso.analyse(INDICATOR, scores).models == multilabel(NAMES)
    assert iso.analyse(truth, scores.select("dog", "cat", "bird")).models == multilabel(NAMES)
    with pytest.raises(ParameterError, match="the columns 'bird', 'cat' and 'dog' but scores has"):
        iso.analyse(truth, pd.DataFrame(SCORES, columns=["a", "b", "c"]))
    codes = np.searchsorted(NAMES, LABELS)
    expected = list(iso.analyse(LABELS, SCORES).models.values())
    for labels in (codes, codes.astype(float), pd.Series(codes)):
        analysis = iso.analyse(labels, pd.DataFrame(SCORES))
        assert list(analysis.models) == ["0", "1", "2"]
        assert list(analysis.models.values()) == expected


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_outputs_of_a_multi_output_classifier(kind):
    outputs = kind([np.column_stack([1 - each, each]) for each in SCORES.T])
    assert iso.analyse(INDICATOR, outputs).models == multilabel()
    weights = np.arange(60)
    weighted = iso.analyse(INDICATOR, outputs, sample_weight=weights).models
    assert weighted["1"] == table(INDICATOR[:, 1], SCORES[:, 1], weights)


@pytest.mark.parametrize(("columns", "options"), [(1, {}), (3, {}), (2, {"pos_label": 1})])
def test_outputs_of_other_than_two_classes(columns, options):
    outputs = [np.zeros((60, columns if j == 1 else 2)) for j in range(3)]
    with pytest.raises(DimensionError, match=r"^scores has an array for each of 3 outputs; each"):
        iso.analyse(INDICATOR, outputs, **options)


def test_averages_are_on_the_gain_scale():
    analysis = iso.analyse(LABELS, SCORES)
    tables = analysis.models.values()
    gains = [t.f_gain(2)[1:].max() for t in tables]
    assert analysis.macro_average(optimal_f_gain(2)) == pytest.approx(np.mean(gains))
    note = analysis.summary(beta=2).notes[-1]
    assert note == (
        f"Macro average over the classes: AUPRG {analysis.macro_average():.6g}, best F gain (β 2) "
        f"{np.mean(gains):.6g}."
    )
    assert iso.average(analysis, prevalence=0.3).folds == tuple(NAMES)
    with pytest.raises(NotAnswerableError, match="these are models"):
        iso.analyse(YES == "yes", TWO).macro_average()


def test_classes_are_no_rivals():
    """With as many rows of each class, models of one sample would be compared."""
    labels = np.repeat(NAMES, 20)
    scores = RANDOM.random((60, 3)) + (labels[:, None] == NAMES)
    printed = repr(iso.analyse(labels, scores).summary())
    assert printed.startswith("Summary: 3 classes, 20 positives, 40 negatives")
    assert "*" not in printed
    assert "The classes differ in prevalence" in repr(iso.analyse(INDICATOR, SCORES).summary())
    labels = np.resize(["ant", "bee", "cat"], 90)
    verdicts = iso.analyse(labels, np.random.default_rng(4).random((90, 3))).verdict_by_class(
        n_resamples=50
    )
    start = "For this class the model is not better than flagging everything, beyond chance."
    assert verdicts["ant"].sentence().startswith(start)
    scores = SCORES + 2 * (LABELS[:, None] == NAMES)
    dog = iso.analyse(LABELS, scores).verdict_by_class(n_resamples=20)["dog"]
    told = f"Flag scores of {dog.threshold_text} or more as dog. Expect F1 "
    assert dog.sentence().startswith(told)


def test_intervals_of_one_class_of_a_file(tmp_path):
    frame = pd.DataFrame(SCORES, columns=NAMES)
    file = tmp_path / "animals.csv"
    frame.assign(label=LABELS, weight=1 + np.arange(60) % 3).to_csv(file, index=False)
    options = {"confidence_level": 0.9, "n_resamples": 50}
    for more in ({"weight": False}, {"keep_rows": "needed"}):
        one = iso.read_predictions(file, pos_label="dog", **more)
        assert one.summary(**options).intervals.models == ("dog",)


@given(st.data())
def test_random_labels(data):
    """Against one table for each class, made of its own labels."""
    n_classes = data.draw(st.integers(3, 5))
    kinds = [range(n_classes), "abcde"[:n_classes], [-2.5, 0, 1, 7, 9][:n_classes]]
    names = list(data.draw(st.sampled_from(kinds)))
    size = data.draw(st.integers(1, 12))
    labels = names + data.draw(st.lists(st.sampled_from(names), min_size=size, max_size=size))
    flat = st.lists(st.integers(-3, 3), min_size=n_classes, max_size=n_classes)
    scores = np.array(data.draw(st.lists(flat, min_size=len(labels), max_size=len(labels))))
    models = iso.analyse(labels, scores).models
    for j, (name, points) in enumerate(zip(names, models, strict=True)):
        members = [label == name for label in labels]
        assert models[points] == table(members, scores[:, j])
    order = data.draw(st.permutations(range(n_classes)))
    for kind in (np.asarray, lambda x: pl.DataFrame(x, schema=list("vwxyz"[:n_classes]))):
        other = iso.analyse(labels, kind(scores[:, order]), classes=[names[j] for j in order])
        assert other.models == models


FLAGS = YES == "yes"
HALF = SCORES[:, :2]
MISSING = np.where(SCORES > 1, np.nan, SCORES)
ONE = SCORES[:, 0]


@pytest.mark.parametrize(
    ("labels", "scores", "options", "error", "message"),
    [
        (LABELS, HALF, {}, LengthError, "2 columns but there are 3 classes ('bird', 'cat'"),
        (LABELS, SCORES.T, {}, LengthError, "scores has 60 columns but there are 3 classes"),
        (FLAGS, SCORES, {}, LengthError, "2 classes (False and True); name models, as in"),
        (LABELS, SCORES[:9], {}, LengthError, "scores[:, 0] has 9 values but y_true has 60"),
        (LABELS, SCORES, {"classes": NAMES[:2]}, LabelError, "not among the classes, such as"),
        (LABELS, SCORES, {"classes": ["bird", "cat", "eel"]}, LabelError, "such as 'dog'"),
        (YES, TWO, {"classes": ["a", "b"], "pos_label": "yes"}, LabelError, "such as"),
        (LABELS, SCORES, {"classes": "abc"}, ParameterError, "classes must be a list of labels"),
        (LABELS, SCORES, {"classes": ["a"]}, ParameterError, "must have two labels or more"),
        (LABELS, SCORES, {"classes": [1, 1.0, 2]}, ParameterError, "that differ as texts but has"),
        (FLAGS, ONE, {"classes": [0, 1]}, ParameterError, "has no column for each class"),
        (LABELS, {"A": ONE, "B": ONE}, {}, LabelError, "scores are 'A' and 'B';"),
        (LABELS, {"A": SCORES}, {"classes": NAMES}, DimensionError, "one classifier's scores"),
        (FLAGS, {"A": SCORES}, {}, DimensionError, "scores['A'] must be one-dimensional"),
        (INDICATOR, HALF, {}, LengthError, "scores has 2 columns but y_true has 3; both"),
        (INDICATOR, ONE, {}, DimensionError, "y_true has 3 columns, one for each class, but"),
        (INDICATOR * 2 - 1, SCORES, {}, DimensionError, "an indicator of 0 and 1"),
        (NAMES[INDICATOR], SCORES, {}, DimensionError, "other values with pos_label="),
        (INDICATOR, SCORES, {"classes": [1, 2]}, LengthError, "classes has 2 labels but y_true"),
        (LABELS, [TWO, TWO], {}, DimensionError, "an array for each of 2 outputs; each needs"),
        (LABELS, SCORES[None, None], {}, DimensionError, "scores must be one-dimensional"),
        (LABELS, [[1, 2], [1]], {}, DimensionError, "scores has rows of different lengths"),
        ([*LABELS[:-1], 1], SCORES, {}, LabelError, "have no order; name the classes"),
        (LABELS, SCORES.astype(str) + "x", {}, ScoreError, "scores[:, 0] has values that are not"),
        (LABELS, MISSING, {}, MissingValueError, "scores[:, 0] has miss"),
        ([*LABELS[:-1], None], SCORES, {}, MissingValueError, "y_true has missing values"),
        (INDICATOR[:, :0], SCORES[:, :0], {}, EmptyInputError, "y_true has no columns"),
        (LABELS, {}, {"classes": NAMES}, ParameterError, "scores is empty; give the scores of one"),
        (LABELS, SCORES, {"pos_label": ["dog"]}, LabelError, "pos_label must be one value"),
        (FLAGS, pd.DataFrame(SCORES), {}, ParameterError, "must be a text but is 0"),
    ],
)
def test_refusals(labels, scores, options, error, message):
    with pytest.raises(error) as caught:
        iso.analyse(labels, scores, **options)
    assert message in str(caught.value)


FUNCTIONS = {
    "from_scores": lambda: iso.OperatingPoints.from_scores(LABELS, SCORES),
    "labels": lambda: iso.OperatingPoints.from_scores(LABELS, SCORES[:, 0]),
    "indicators": lambda: iso.auprg_score(INDICATOR, SCORES[:, 0]),
    "auroc_score": lambda: iso.auroc_score(LABELS, SCORES),
    "auprg_score": lambda: iso.auprg_score(LABELS, SCORES),
    "area_scores": lambda: iso.area_scores(LABELS, SCORES),
    "tradeoff_score": lambda: iso.tradeoff_score(LABELS, SCORES),
    "f1_gain_score": lambda: iso.f1_gain_score(LABELS, SCORES),
    "precision_recall_gain_curve": lambda: iso.precision_recall_gain_curve(LABELS, SCORES),
    "delong": lambda: iso.delong(LABELS, SCORES),
    "update": lambda: iso.Accumulator().update(LABELS, SCORES),
    "best_threshold": lambda: iso.best_threshold(SCORES),
    "optimal_thresholds": lambda: iso.optimal_thresholds(SCORES),
    "area_brackets": lambda: iso.area_brackets(SCORES),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_other_functions_name_the_one_that_takes_several_classes(name):
    with pytest.raises(iso.IsometricsError, match=r"isometrics\.analyse takes one classifier's"):
        FUNCTIONS[name]()


def test_an_analysis_draws_its_rows_itself():
    with pytest.raises(ParameterError, match=r"an Analysis has methods of its own, such as boot"):
        iso.bootstrap(iso.analyse(LABELS, SCORES))
