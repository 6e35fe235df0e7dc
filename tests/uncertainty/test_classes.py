"""The classes of one classifier, drawn again together: each, and their mean on the gain scale."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics._counting.replicates import PLAIN
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.measures import f_gain_at, optimal_f_gain, parse_measures
from isometrics.uncertainty.bootstrap import evaluator, plan_of
from isometrics.uncertainty.influence import shapes_of
from isometrics.uncertainty.resampling import resampling_of

RANDOM = np.random.default_rng(7)
NAMES = np.array(["bird", "cat", "dog"])
LABELS = NAMES[RANDOM.integers(0, 3, 90)]
SCORES = (RANDOM.dirichlet([1, 1, 1], 90) + 0.3 * (LABELS[:, None] == NAMES)).round(2)
INDICATOR = (RANDOM.random((90, 3)) < 0.4).astype(int)
ANALYSIS = iso.analyse(LABELS, SCORES)
MEASURES = parse_measures(["AUROC", "AUPRG", optimal_f_gain(1), f_gain_at(0.5)])


def points(members, scores, weights=None):
    return iso.OperatingPoints.from_scores(members, scores, sample_weight=weights)


def resampled(labels, scores, **options):
    plan = plan_of(MEASURES, stratified=False, prevalence=None)
    evidence, _ = iso.analyse(labels, scores, **options)._evidence({})
    return resampling_of(evidence, plan)


@given(st.data())
def test_a_replicate_draws_the_rows_of_all_classes_at_once(data):
    """Against tables of the rows written out as often as they are drawn."""
    size = data.draw(st.integers(3, 12))
    labels = ["a", "b", "c", *data.draw(st.lists(st.sampled_from("abc"), min_size=size))]
    flat = st.lists(st.integers(0, 3), min_size=3, max_size=3)
    scores = np.array(data.draw(st.lists(flat, min_size=len(labels), max_size=len(labels))))
    times = np.array(
        data.draw(st.lists(st.integers(0, 3), min_size=len(labels), max_size=len(labels)))
    )
    weights = data.draw(st.sampled_from([None, np.arange(1, len(labels) + 1)]))
    sample = resampled(labels, scores, sample_weight=weights)
    drawn = sample.gathered(PLAIN, times[None].astype(float), sample.buffers(1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = evaluator(sample, MEASURES)(PLAIN, drawn).reshape(3, len(MEASURES))
    rows = np.repeat(np.arange(len(labels)), times)
    for j, name in enumerate("abc"):
        members = np.array([labels[row] == name for row in rows], bool)
        if members.all() or not members.any():
            assert np.isnan(found[j]).all()
            continue
        of = None if weights is None else weights[rows]
        table = points(members, scores[rows, j], of)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = [measure.of(table) for measure in MEASURES]
        np.testing.assert_allclose(found[j], expected, rtol=1e-9, atol=1e-12)


def test_the_mean_has_the_replicates_of_all_classes():
    result = ANALYSIS.bootstrap(MEASURES, n_resamples=200, random_state=1, method="percentile")
    for measure in MEASURES[1:]:
        column = result.measures.index(measure.name)
        found = result.macro_average(measure.name)
        tables = [points(name == LABELS, SCORES[:, j]) for j, name in enumerate(NAMES)]
        values = result.replicates[:, column].mean(axis=0)
        assert found.estimate == pytest.approx(np.mean([measure.of(each) for each in tables]))
        np.testing.assert_allclose(found.interval, np.quantile(values, [0.025, 0.975]))
        assert found.standard_error == pytest.approx(values.std(ddof=1))
    assert "Macro average over the classes, with 95% intervals: AUPRG 0." in repr(result)


@pytest.mark.parametrize("measure", MEASURES[1:3], ids=str)
def test_the_shape_of_the_mean_is_that_of_rows_left_out(measure):
    """Efron & Tibshirani 1993, equation 14.15, for the mean of the classes, by counting again."""
    sample = resampled(LABELS, SCORES)
    mean, seed = np.full((1, 3), 1 / 3), np.random.SeedSequence(0)
    (found,) = shapes_of(sample, mean, [measure], evaluator(sample, [measure]), seed)
    left = []
    for row in range(LABELS.size):
        rest = np.arange(LABELS.size) != row
        tables = [points(LABELS[rest] == name, SCORES[rest, j]) for j, name in enumerate(NAMES)]
        left.append(np.mean([measure.of(each) for each in tables]))
    centred = np.mean(left) - np.array(left)
    acceleration = (centred**3).sum() / (6 * (centred**2).sum() ** 1.5)
    assert found[0, 0] == pytest.approx(acceleration, abs=0.01)


def test_what_is_printed():
    analysis = iso.analyse(LABELS, SCORES, groups=np.arange(90) // 5)
    assert "replicates of 18 clusters" in repr(analysis.bootstrap(n_resamples=50, clusters=True))
    labels, scores = ["a", "b", "c"] * 2, [[1, 0, 0], [0, 1, 0], [0, 0, 1]] * 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = iso.analyse(labels, scores).bootstrap("AUPRG", n_resamples=20)
        said = repr(result).splitlines()[-1]
    assert said.endswith("AUPRG 1 (interval undefined).")


def test_what_classes_have_not_is_refused():
    result = ANALYSIS.bootstrap(n_resamples=20)
    with pytest.raises(NotAnswerableError, match="the classes of one classifier are not rivals"):
        result.differences("AUROC")
    with pytest.raises(NotAnswerableError, match="AUPR of classes has no common mean"):
        result.macro_average("AUPR")
    with pytest.raises(ParameterError, match="each class has positives of its own"):
        ANALYSIS.bootstrap(stratified=True)
    models = iso.bootstrap(LABELS == "dog", SCORES[:, 2], n_resamples=20, random_state=0)
    with pytest.raises(NotAnswerableError, match="these are models"):
        models.macro_average("AUPRG")
    with pytest.raises(iso.InputError, match=r"isometrics\.analyse takes one classifier's scores"):
        iso.bootstrap(LABELS, SCORES)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_summary_of_all_classes_has_intervals(grouped, weighted, tmp_path):
    beside = {"sample_weight": np.arange(90) % 3} if weighted else {}
    beside |= {"groups": np.arange(90) % 2} if grouped else {}
    analysis = iso.analyse(LABELS, SCORES, **beside)
    options = {"confidence_level": 0.9, "n_resamples": 50, "beta": [1, 2]}
    found = analysis.summary(**options)
    assert len(found) == (9 if grouped else 3)
    assert not np.isnan(found.lower).any()
    assert found.intervals.measures == ("AUROC", "AUPR", "AUPRG")
    (note,) = (note for note in found.notes if note.startswith("Macro average"))
    for beta in (1, 2):
        assert f"best F gain (β {beta}) {analysis.macro_average(optimal_f_gain(beta)):.3f}" in (
            note
        )
    drawn = analysis.bootstrap(["AUPRG"], confidence_level=0.9, n_resamples=50).macro_average()
    assert (
        f"AUPRG {drawn.estimate:.3f} ({drawn.interval[0]:.3f} to {drawn.interval[1]:.3f})" in note
    )
    alone = iso.bootstrap(
        LABELS == "dog",
        {"dog": SCORES[:, 2]},
        sample_weight=beside.get("sample_weight"),
        n_resamples=50,
        random_state=0,
    )
    np.testing.assert_array_equal(found.intervals.estimates[2], alone.estimates[0])
    # A file has the same rows.
    frame = pd.DataFrame(SCORES, columns=[f"p_{name}" for name in NAMES]).assign(label=LABELS)
    if weighted:
        frame = frame.assign(weight=beside["sample_weight"])
    if grouped:
        frame = frame.assign(group=beside["groups"])
    file = tmp_path / "animals.csv"
    frame.to_csv(file, index=False)
    read = iso.read_predictions(file)
    assert read.summary(**options).intervals == found.intervals
    np.testing.assert_array_equal(read.summary(**options).lower, found.lower)
    gone = iso.read_predictions(file, keep_rows=False)
    with pytest.raises(NotAnswerableError, match=r"^classes are drawn together from the same rows"):
        gone.summary(**options)


def test_a_class_without_rows_is_left_out_of_the_intervals(tmp_path):
    file = tmp_path / "animals.csv"
    frame = pd.DataFrame(SCORES, columns=NAMES).assign(label=LABELS)
    frame.assign(owl=0.5, weight=(LABELS != "cat") * 2).to_csv(file, index=False)
    read = iso.read_predictions(file, scores=list(NAMES))
    assert list(read.class_rows) == ["bird", "dog"]
    assert read.bootstrap(n_resamples=20).models == ("bird", "dog")
    frame.to_csv(file, index=False)
    assert list(iso.read_predictions(file, keep_rows=90).class_rows) == list(NAMES)
    assert iso.read_predictions(file, keep_rows=89).class_rows == {}
    needed = iso.read_predictions(file, keep_rows="needed")
    assert needed.class_rows["dog"].size == 90


def test_verdicts_of_classes_with_weights_and_clusters():
    groups = np.arange(90) // 3
    weights = 1 + np.arange(90) % 3
    analysis = iso.analyse(LABELS, SCORES, sample_weight=weights, groups=groups)
    dog = iso.analyse(LABELS == "dog", {"dog": SCORES[:, 2]}, sample_weight=weights, groups=groups)
    for options in ({}, {"clusters": True}, {"folds": True}):
        found = analysis.verdict_by_class(n_resamples=50, **options)["dog"]
        alone = dog.verdict(n_resamples=50, by_group=False, **options)
        assert (found.expected, found.interval) == (alone.expected, alone.interval)
    check = analysis.at(0.5, n_resamples=50, clusters=True, by_group=False)
    assert check.lower[-2] == dog.at(0.5, n_resamples=50, clusters=True, by_group=False).lower[-2]
    with pytest.raises(NotAnswerableError, match="clusters=True needs groups"):
        iso.analyse(LABELS, SCORES).at(0.5, clusters=True)
