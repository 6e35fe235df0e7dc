"""A report has the rows of small data, the settings of its verdict, and the numbers to draw."""

import json
import zlib
from dataclasses import replace

import numpy as np
import pytest

import isometrics as iso
from isometrics.analysis.page import rows_of_page
from isometrics.analysis.verdicts import JUDGED_BETAS
from isometrics.report.model import MOST_ROWS, bytes_of, lean, report_model, settings_of, unpacked
from isometrics.verdict.judge import judge_tables

RNG = np.random.default_rng(4)
LABELS = RNG.random(300) < 0.3
MODELS = {"a": RNG.normal(LABELS), "b": RNG.normal(LABELS).round(1)}
ANALYSIS = iso.analyse(LABELS, MODELS)


@pytest.mark.parametrize(
    ("asked", "settings"),
    [
        ({"beta": 2}, {"goal": "f", "beta": 2.0}),
        ({"beta": np.inf}, {"goal": "f", "beta": "inf"}),
        (
            {"miss_cost": 5, "false_alarm_cost": 1},
            {"goal": "money", "missCost": 5.0, "falseAlarmCost": 1.0},
        ),
        ({"min_precision": 0.5}, {"goal": "precision", "minPrecision": 0.5}),
        ({"min_recall": 0.5}, {"goal": "recall", "minRecall": 0.5}),
        ({"max_fpr": 0.25}, {"goal": "alarms", "maxFpr": 0.25}),
        ({"min_specificity": 0.5}, {"goal": "specificity", "minSpecificity": 0.5}),
        ({"budget": 40}, {"goal": "budget", "budget": 40.0, "budgetItems": None}),
        ({"min_precision": 0.4, "min_recall": 0.3}, {"goal": "given"}),
        ({"beta": 2, "min_precision": 0.4}, {"goal": "given"}),
        ({"index": "jaccard"}, {"goal": "given"}),
        ({"min_precision": 0.4, "sure": 0.6}, {"goal": "given"}),
    ],
)
def test_the_page_begins_with_the_settings_of_its_verdict(asked, settings):
    assert settings_of(ANALYSIS.verdict(**asked, n_resamples=20)) == settings


def test_rows_tell_the_rank_of_every_score():
    data = report_model(ANALYSIS.models, rows=ANALYSIS.rows)
    rows = data["rows"]
    assert (unpacked(rows["labels"]) == LABELS).all()
    assert rows["weights"] is None
    assert rows["prevalence"] is None
    for scores, ranks, thresholds in zip(
        MODELS.values(), rows["ranks"], rows["thresholds"], strict=True
    ):
        assert (unpacked(thresholds)[unpacked(ranks) - 1] == scores).all()
    thin = lean(data)
    assert all(model["tp"] is None for model in thin["models"])
    assert all(model["tp"] is not None for model in data["models"])
    # Tables at another prevalence stay.
    moved = ANALYSIS.at_prevalence(0.1)
    data = report_model(moved.models, rows=moved.rows)
    assert data["rows"]["prevalence"] == pytest.approx(0.1)
    assert lean(data) == data


def test_rows_that_the_page_cannot_use_are_left_out():
    def has_rows(analysis, **options):
        return "rows" in report_model(analysis.models, rows=analysis.rows, **options)

    assert has_rows(ANALYSIS)
    rows = ANALYSIS.rows
    folds = iso.analyse(rows.labels, rows.scores, groups=np.arange(300) % 3)
    assert not has_rows(ANALYSIS, verdict=folds.verdict(folds=True))
    many = np.arange(MOST_ROWS + 1)
    assert not has_rows(iso.analyse(many % 2 == 0, {"m": many % 7}))
    beyond = np.array([2**60 + 1, 2**60 + 3, 2**60], dtype=np.int64)
    assert not has_rows(iso.analyse([1, 0, 1], {"m": beyond}))
    analysis = iso.analyse(LABELS, {"a": MODELS["a"]})
    alone = replace(analysis, rows=None)
    assert sorted(rows_of_page(alone).scores["a"]) == sorted(MODELS["a"])
    assert rows_of_page(alone.at_prevalence(0.1)).size == 300
    assert rows_of_page(replace(ANALYSIS, rows=None)) is None
    many = np.arange(MOST_ROWS + 1)
    assert rows_of_page(replace(iso.analyse(many % 2 == 0, {"m": many}), rows=None)) is None
    classes = iso.analyse(np.arange(300) % 3, RNG.random((300, 3)))
    assert rows_of_page(classes) is None


def test_verdicts_for_other_settings_are_stored_where_the_page_has_no_rows():
    verdicts = [ANALYSIS.verdict(**asked, n_resamples=20) for asked in ({"beta": 2}, {"beta": 0.5})]
    costs = ANALYSIS.verdict(miss_cost=5, false_alarm_cost=1, n_resamples=30)
    data = report_model(ANALYSIS.models, other_verdicts=(*verdicts, costs))
    others = data["others"]
    assert (others["betas"], others["replicates"]) == ([0.5, 2.0], 20)
    told = json.loads(zlib.decompress(bytes_of(others["verdicts"]), -zlib.MAX_WBITS))
    assert [each["lines"] for each in told] == [each.lines() for each in (*verdicts, costs)]
    assert [each["settings"]["goal"] for each in told] == ["f", "f", "money"]
    assert told[0]["picture"]["chosen"] == verdicts[0].model
    tables = judge_tables(ANALYSIS.models, verdicts[0].objective, 0.95, "why")
    without = report_model(ANALYSIS.models, other_verdicts=[tables])["others"]["verdicts"]
    assert b'"picture":null' in zlib.decompress(bytes_of(without), -zlib.MAX_WBITS)
    assert "others" not in report_model(ANALYSIS.models)
    unasked = ANALYSIS.verdict(index="jaccard", n_resamples=20)
    assert "others" not in report_model(ANALYSIS.models, other_verdicts=[unasked])
    assert "others" not in report_model(
        ANALYSIS.models, rows=ANALYSIS.rows, other_verdicts=verdicts
    )


@pytest.mark.slow
def test_a_report_stores_verdicts_of_the_rows_it_leaves_out(tmp_path):
    labels = RNG.random(10_500) < 0.3
    analysis = iso.analyse(labels, {"a": RNG.normal(labels), "b": RNG.normal(2 * labels)})
    given = analysis.verdict(beta=2, n_resamples=20)
    page = analysis.report(tmp_path / "page.html", verdict=given).read_text(encoding="utf-8")
    data = json.loads(page.split('id="isometrics-data">', 1)[1].split("</script>", 1)[0])
    assert data["others"]["betas"] == [*JUDGED_BETAS[:-1], "inf"]
    assert data["others"]["replicates"] == 2000
    none = analysis.report(tmp_path / "none.html", verdict=False).read_text(encoding="utf-8")
    assert '"others":' not in none


def test_the_picture_has_every_model():
    verdict = ANALYSIS.verdict(n_resamples=50)
    (told,) = report_model(ANALYSIS.models, verdict=verdict)["verdicts"]
    picture = told["picture"]
    assert [each["name"] for each in picture["models"]] == ["a", "b"]
    chosen = next(each for each in picture["models"] if each["name"] == verdict.model)
    assert chosen["expected"] == verdict.expected
    assert (chosen["lower"], chosen["upper"]) == verdict.interval
    for each in picture["models"]:
        assert each["lower"] < each["expected"] < each["upper"]
    assert picture["everything"] == verdict.doing_nothing["flagging everything"]
    # Without the rows, the page is told who wins at other weights.
    assert np.shape(told["shares"]["wins"]) == (41, 2)
    only = iso.analyse(LABELS, {"a": MODELS["a"]})
    (alone,) = report_model(only.models, verdict=only.verdict(n_resamples=50))["verdicts"]
    assert alone["shares"] is None
