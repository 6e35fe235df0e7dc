"""Tuning data of the page: the rules that can be best there, with their counts there and here."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics import OperatingPoints
from isometrics.analysis.verdicts import quick_verdicts
from isometrics.report import write_report
from isometrics.report.model import MOST_TUNING_ROWS, as_json, lean, report_model, unpacked
from isometrics.testing.strategies import binary_samples

BETAS = (0, 0.1, 0.5, 1, 2, 10)


def scores(seed, rows, prevalence=0.3, models=("forest", "linear")):
    rng = np.random.default_rng(seed)
    labels = rng.random(rows) < prevalence
    return labels, {name: rng.normal(1.5 * labels) for name in models}


def tables(seed, rows):
    return iso.analyse(*scores(seed, rows)).models


def rules(tuning, points):
    (model,) = report_model({"m": points}, thresholds_from={"m": tuning})["models"]
    names = ("thresholds", "below", "tp", "fp", "tpHere", "fpHere")
    return model, {name: unpacked(model["tuning"][name]) for name in names}


def assert_rules_of(tuning, points):
    model, data = rules(tuning, points)
    thresholds = data["thresholds"]
    for where, tp, fp in ((tuning, "tp", "fp"), (points, "tpHere", "fpHere")):
        # The first rule is the empty one, unless a score is infinite.
        rest = slice(1, None) if tp == "tp" else slice(None)
        at = where.at(thresholds)
        assert np.array_equal(at.tp[rest], data[tp][rest])
        assert np.array_equal(at.fp[rest], data[fp][rest])
    # Between the next lower score of either table and the threshold, nothing changes.
    for threshold, below in zip(thresholds, data["below"], strict=True):
        if np.isfinite(threshold) and np.isfinite(below):
            between = below + (threshold - below) / 2
            if below < between < threshold:
                for where in (tuning, points):
                    pair = where.at([between, threshold])
                    assert pair.tp[0] == pair.tp[1]
                    assert pair.fp[0] == pair.fp[1]
    for beta in BETAS:
        assert iso.best_threshold(tuning, beta=beta).threshold in thresholds
    assert set(tuning.hull().thresholds.astype(float)) <= set(thresholds)
    assert json.loads(as_json(model))["tuning"] == model["tuning"]
    return model


@given(binary_samples(dtypes=("float32", "int8")), binary_samples(dtypes=("float32", "int8")))
def test_small_tables_have_every_rule(one, two):
    tuning, points = (OperatingPoints.from_scores(*each) for each in (one, two))
    model = assert_rules_of(tuning, points)
    assert model["tuning"]["complete"] is True
    assert (model["tuning"]["positives"], model["tuning"]["negatives"]) == (
        tuning.positives,
        tuning.negatives,
    )


@given(binary_samples(weights="float", dtypes=("float32",)), st.integers(0, 3))
def test_weights(sample, seed):
    labels, values, weights = sample
    tuning = OperatingPoints.from_scores(labels, values, sample_weight=weights)
    _, data = rules(tuning, tables(seed, 40)["forest"])
    assert np.array_equal(data["tp"], tuning.tp)
    assert np.array_equal(data["fp"], tuning.fp)


def test_long_tables_have_the_rules_that_can_be_best():
    tuning, points = tables(1, MOST_TUNING_ROWS + 500)["forest"], tables(2, 20_000)["forest"]
    model = assert_rules_of(tuning, points)
    data = model["tuning"]
    assert data["complete"] is False
    assert unpacked(data["thresholds"]).size < 100
    # The table of the page has the rows with these counts.
    pairs = set(zip(unpacked(model["tp"]), unpacked(model["fp"]), strict=True))
    assert set(zip(unpacked(data["tpHere"]), unpacked(data["fpHere"]), strict=True)) <= pairs


def test_what_the_page_does_not_judge_it_does_not_get():
    analysis, tuning = (iso.analyse(*scores(seed, 100)) for seed in (1, 2))
    alone = report_model(analysis.models, rows=analysis.rows)
    assert "rows" in alone
    assert "tuning" not in alone["models"][0]
    both = report_model(analysis.models, rows=analysis.rows, thresholds_from=tuning.models)
    assert "rows" not in both
    assert lean(both) == both


def test_every_kind_of_page_has_it(tmp_path):
    models, tuning = tables(1, 60), tables(2, 60)
    data = report_model(models, thresholds_from=tuning, title="T")
    text = as_json(data["models"][0]["tuning"])
    path = write_report(models, tmp_path / "t.html", thresholds_from=tuning, title="T")
    assert text in path.read_text(encoding="utf-8")
    widget = pytest.importorskip("isometrics.report.widget")
    made = widget.ReportWidget(models, thresholds_from=tuning)
    assert made.data["models"] == data["models"]
    for beta in (0.5, 1, 3):
        made.beta = beta
        for name in models:
            made.model = name
            chosen = iso.best_threshold(tuning[name], beta=beta).threshold
            # The score that flags what the threshold of the tuning data flags.
            assert np.array_equal(
                models[name].at([made.threshold]).tp, models[name].at([chosen]).tp
            )
            assert np.array_equal(
                models[name].at([made.threshold]).fp, models[name].at([chosen]).fp
            )


def test_the_report_of_an_analysis_has_its_choice_and_its_prevalence(tmp_path):
    analysis, tuning = (iso.analyse(*scores(seed, 200)) for seed in (1, 2))
    path = analysis.report(tmp_path / "a.html", thresholds_from=tuning)
    expected = analysis.verdict(thresholds_from=tuning)
    text = path.read_text(encoding="utf-8")
    assert as_json({"lines": expected.lines()})[1:-1] in text
    moved = analysis.at_prevalence(0.01)
    expected = report_model(moved.models, thresholds_from=tuning.at_prevalence(0.01).models)
    for given_tuning in (tuning, tuning.at_prevalence(0.01)):
        path = moved.report(tmp_path / "m.html", thresholds_from=given_tuning, verdict=False)
        text = path.read_text(encoding="utf-8")
        assert as_json(expected["models"][0]["tuning"]) in text
        assert '"verdicts":[]' in text


@pytest.mark.slow
def test_many_rows_are_judged_with_few_resamples():
    names = [f"m{place}" for place in range(12)]
    analysis, tuning = (iso.analyse(*scores(seed, 90_000, models=names)) for seed in (1, 2))
    found = quick_verdicts(analysis, {"thresholds_from": tuning})
    assert found.n_resamples == 100
    assert found.verdicts[""].method.startswith("Model and threshold were chosen on the tuning")
