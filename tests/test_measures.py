"""The registry of measures: against the exact reference, by name, and with a new measure."""

import copy
import json
import math
import pickle
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics._counting.replicates import AREAS
from isometrics.cli import main
from isometrics.errors import ParameterError
from isometrics.measures import (
    AUPRG,
    AUROC,
    Measure,
    Shown,
    area_brackets,
    area_in,
    baselines_of,
    constant_table,
    f_at,
    f_gain_at,
    kernel_of,
    measures_of,
    optimal_f,
    optimal_f_gain,
    optimal_threshold,
    parse_measures,
    precision_at,
    recall_at,
    register,
    registered,
    unregister,
)
from isometrics.score_functions import measure_score
from isometrics.testing.strategies import binary_samples

NAMED = {each.name: each for each in registered()}
MEASURES = tuple(each.name for each in registered(Shown.SUMMARY))
POINTS = iso.OperatingPoints.from_scores([1, 0, 1, 1, 0, 0, 1, 0], range(8, 0, -1))


@given(st.integers(1, 10**6), st.integers(1, 10**6))
@settings(max_examples=60)
def test_baselines_are_the_measures_of_one_score_for_all(positives, negatives):
    points = iso.OperatingPoints.from_counts([1], [0], positives=positives, negatives=negatives)
    constant = constant_table(points.positives, points.negatives)
    assert constant.tp.tolist() == [0, positives]
    found = measures_of(constant)
    for name, baseline in baselines_of(points).items():
        assert baseline == pytest.approx(found[name].lo, rel=1e-9, abs=1e-9), name


def test_what_a_constant_score_has():
    known = baselines_of(iso.OperatingPoints.from_counts([1], [0], positives=1, negatives=3))
    assert known["AUROC"] == known["expected accuracy"] == 0.5
    assert known["AUPR"] == known["average precision"] == 0.25
    assert known["AUPRG"] == 0
    assert known["expected F1 gain"] == 0.25
    # ∫ dλ / (1 + 3(1-λ)) = ln(4)/3
    assert known["tradeoff area"] == pytest.approx(math.log(4) / 3, rel=1e-12)


def test_points_without_a_curve():
    sets = iso.OperatingPoints.from_counts(
        [3, 2], [1, 0], positives=5, negatives=5, labels=["a", "b"]
    )
    nested = measures_of(sets)
    assert nested["AUROC"].lo == sets.roc.area()
    crossed = iso.OperatingPoints.from_counts(
        [3, 2], [0, 1], positives=5, negatives=5, labels=["a", "b"]
    )
    found = measures_of(crossed)
    assert found.pop("tradeoff area").lo == crossed.tradeoff().area()
    assert all(math.isnan(lo) and math.isnan(hi) for lo, hi in found.values())


def test_an_undefined_expectation_is_nan_without_a_warning():
    reversed_ = iso.OperatingPoints.from_scores([0, 1], [2, 1])
    found = measures_of(reversed_)
    assert math.isnan(found["expected F1 gain"].lo)
    assert found["AUROC"].lo == 0


@given(binary_samples(dtypes=["float64"]), st.sampled_from([0.5, 1.0, 2.0]))
def test_the_best_threshold_is_that_of_best_threshold(sample, beta):
    points = iso.OperatingPoints.from_scores(*sample)
    best = iso.best_threshold(points, beta=beta)
    assert optimal_threshold(beta).of(points) == best.threshold
    assert optimal_f(beta).of(points) == pytest.approx(best.f, rel=1e-14)
    assert optimal_f_gain(beta).of(points) == pytest.approx(best.f_gain, rel=1e-12)


def test_measures_at_a_threshold():
    at = POINTS.at([4.5])
    assert f_at(4.5, beta=2).of(POINTS) == at.f(2)[0]
    assert f_gain_at(4.5).of(POINTS) == at.f_gain()[0]
    assert precision_at(4.5).of(POINTS) == at.precision[0]
    assert recall_at(4.5).of(POINTS) == at.recall[0]
    assert f_gain_at(4.5).name == "F gain (β 1) at 4.5"
    for wrong in (np.nan, "high", None):
        with pytest.raises(ParameterError, match="threshold must be a number but is"):
            f_at(wrong)


def test_named_measures_are_those_of_the_spaces():
    values = {name: measure.of(POINTS) for name, measure in NAMED.items()}
    assert values == {
        "AUROC": POINTS.roc.area(),
        "AUPR": POINTS.pr.area(),
        "average precision": POINTS.pr.area("average-precision"),
        "AUPR, linear": POINTS.pr.area("linear"),
        "AUPR, integer steps": POINTS.pr.area("integer-steps"),
        "AUPR, max precision": POINTS.pr.area("max-precision"),
        "AUPR, normalised": POINTS.pr.normalised_area(),
        "AUPRG": POINTS.prg.area(),
        "expected F1 gain": POINTS.prg.expected_f_gain(),
        "expected accuracy": POINTS.roc.expected_accuracy(),
        "tradeoff area": POINTS.tradeoff().area(),
        "achievable AUPR": POINTS.hull().pr.area(),
    }
    found = measures_of(POINTS)
    assert tuple(found) == MEASURES
    for name, (lo, hi) in found.items():
        assert lo == hi == pytest.approx(values[name], rel=1e-12)
    names = {space: area_in(space).name for space in ("roc", "pr", "prg", "tradeoff")}
    assert list(names.values()) == ["AUROC", "AUPR", "AUPRG", "tradeoff area"]
    spaces = Counter(measure.space for measure in NAMED.values())
    assert spaces == {"roc": 2, "pr": 6, "prg": 2, "tradeoff": 1, None: 1}


def test_what_a_measure_may_be():
    def own(points):
        return points.prevalence

    class Callable:
        def __call__(self, points):
            return points.prevalence

    found = parse_measures(["AUROC", own, Callable(), f_at(1)])
    assert [measure.name for measure in found] == ["AUROC", "own", "Callable", "F (β 1) at 1"]
    assert list(map(kernel_of, found)) == ["auroc", None, None, None]
    assert kernel_of(replace(NAMED["AUROC"], of=own)) is None
    assert {*map(kernel_of, NAMED.values())} == {*AREAS, None}
    assert parse_measures(f_at(1))[0].threshold == 1
    with pytest.raises(ParameterError, match="measures has 'AUPR' twice; leave one of them out"):
        parse_measures(["AUPR", "AUPR"])
    with pytest.raises(ParameterError, match=r"or measures such as f_at\(0.5\), but one is 3"):
        parse_measures([3])
    message = r"^measures must be names among 'AUROC', .* best F; there is no measure 'AUC'$"
    with pytest.raises(ParameterError, match=message):
        parse_measures("AUC")


def half(_):
    return 0.5


def best_accuracy(points):
    return float(points.accuracy().max())


@pytest.fixture(name="new")
def new_measure():
    measure = register(Measure("best accuracy", best_accuracy, baseline=half))
    yield measure
    unregister(measure)


def sample_of_two():
    rng = np.random.default_rng(0)
    labels = np.arange(80) < 30
    return labels, {name: rng.normal(shift * labels) for name, shift in (("a", 1), ("b", 2))}


@pytest.mark.usefixtures("new")
def test_a_new_measure_is_in_every_result(tmp_path, capsys):
    labels, scores = sample_of_two()
    analysis = iso.analyse(labels, scores)
    values = [best_accuracy(points) for points in analysis.models.values()]
    summary = analysis.summary()
    column = summary.measures.index("best accuracy")
    assert summary.values[:, column].tolist() == values
    assert summary.baseline[:, column].tolist() == [0.5, 0.5]
    assert analysis.bootstrap("best accuracy", n_resamples=20).estimates[:, 0].tolist() == values
    compared = analysis.compare(confidence_level=0.9, measure="best accuracy", n_resamples=20)
    assert list(compared.areas.of("best accuracy").values()) == values
    assert compared.certainty.measure == "best accuracy"
    assert [metric.key for metric in registered(Shown.COMPARED)][-1] == "best_accuracy"
    assert measure_score(labels, scores["a"], measure="best_accuracy") == values[0]
    assert area_brackets(analysis.models["a"])["best accuracy"] == (values[0], values[0])

    file = tmp_path / "predictions.csv"
    rows = zip(labels.astype(int), *scores.values(), strict=True)
    file.write_text("label,a,b\n" + "\n".join(",".join(map(str, row)) for row in rows))
    assert main(["summary", str(file), "--json", "--quiet"]) == 0
    rows = json.loads(capsys.readouterr().out)["summary"]
    assert [row["best_accuracy"] for row in rows] == pytest.approx(values)


@pytest.mark.slow
def test_a_new_measure_has_a_scorer_and_metrics(new):
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression

    from isometrics.integrations.sklearn import SCORERS, get_scorer

    labels, scores = sample_of_two()
    features = np.column_stack(list(scores.values()))
    model = LogisticRegression().fit(features, labels)
    expected = measure_score(labels, model.decision_function(features), measure=new)
    assert "best_accuracy" in SCORERS
    assert get_scorer("best_accuracy")(model, features, labels) == expected
    assert get_scorer("aupr_linear")(model, features, labels) == iso.aupr_score(
        labels, model.decision_function(features), interpolation="linear"
    )


def test_a_new_measure_says_nothing_where_rows_are_missing(new):
    labels, scores = sample_of_two()
    points = iso.OperatingPoints.from_scores(labels, scores["a"]).compact(10)
    assert points.table.partial
    assert area_brackets(points)["best accuracy"] == (-math.inf, math.inf)
    assert math.isnan(new.value(points))
    analysis = iso.Analysis({"m": points})
    assert "-inf to inf" in repr(analysis.summary())
    assert np.isnan(analysis.summary().to_frame("polars")["best_accuracy"][0])


def test_a_measure_by_which_nobody_is_better_marks_nobody():
    measure = register(replace(optimal_threshold(), baseline=lambda _: math.nan))
    try:
        labels, scores = sample_of_two()
        analysis = iso.analyse(labels, scores)
        printed = repr(analysis.summary()).splitlines()
        assert not any("*" in line for line in printed if line.startswith(measure.name))
        assert measure.name not in analysis.compare().areas.measures
    finally:
        unregister(measure)


@pytest.mark.usefixtures("new")
def test_names_and_keys_are_registered_once():
    for twin in (Measure("best accuracy", best_accuracy, key="other"), replace(AUROC, name="new")):
        with pytest.raises(ParameterError, match=r"already; give '.*' a name and a key of its own"):
            register(twin)
    for other in (AUROC, f_at(1)):
        with pytest.raises(ParameterError, match="was not registered; only such measures are"):
            unregister(other)


def test_measures_survive_pickling(new):
    for measure in registered():
        assert pickle.loads(pickle.dumps(measure)).name == measure.name
    assert pickle.loads(pickle.dumps(AUPRG)) is copy.deepcopy(AUPRG) is AUPRG
    assert pickle.loads(pickle.dumps(new)).of is best_accuracy
    assert (str(AUPRG), repr(AUPRG)) == ("AUPRG", "Measure('AUPRG')")


def test_the_page_has_the_names_in_one_module_too():
    source = Path(__file__).parents[1] / "web" / "src"
    names = [measure.name for measure in registered(Shown.SUMMARY) if measure.of_curve]
    twin = (source / "measures.ts").read_text(encoding="utf-8")
    assert re.findall(r'^export const \w+ = "(.*)";$', twin, re.MULTILINE) == names
    quoted = re.compile(rf"[\"'`](?:[^\"'`\n]* )?(?:{'|'.join(map(re.escape, names))})\b")
    others = [path for path in source.rglob("*.ts") if path.name != "measures.ts"]
    assert [path.name for path in others if quoted.search(path.read_text(encoding="utf-8"))] == []
