"""The rules that the page copies are those of Python, and flag the rows that they count."""

import json
import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest

import isometrics as iso
from isometrics.decisions.decision import data_of, decision_of_data
from isometrics.report.model import report_model

NAMES = ["forest", 'a "b"; --', "it's <b>\\n", "näme\n😀"]


@pytest.fixture
def copies(ask):
    """Return a function that gives the rules of every row of every model, as the page does."""
    return lambda data, **settings: ask("rules", data, {"source": None} | settings)


def drawn_models(seed, kind):
    rng = np.random.default_rng(seed)
    labels = rng.random(60) < 0.4
    labels[:2] = [True, False]
    scores = {name: rng.normal(labels) for name in NAMES}
    if kind == "tiny":
        scores = {name: each * 1e-320 for name, each in scores.items()}
    elif kind == "float32":
        scores = {name: each.astype(np.float32) for name, each in scores.items()}
    elif kind == "infinite":
        scores = {
            name: np.where(each > 1, np.inf, np.where(each < -1, -np.inf, each.round()))
            for name, each in scores.items()
        }
    elif kind == "integers":
        scores = {name: (each * 2.0**50).astype(np.int64) for name, each in scores.items()}
    return labels, scores


KINDS = ["float64", "float32", "tiny", "infinite", "integers"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("beta", "prevalence"), [(1.0, None), (0.5, 0.01), (2.0, None)])
def test_the_page_copies_the_rule_of_python(copies, drawn_seed, kind, beta, prevalence):
    labels, scores = drawn_models(drawn_seed, kind)
    analysis = iso.analyse(labels, scores)
    data = report_model(analysis.models)
    found = copies(data, beta=beta, prevalence=prevalence)
    if prevalence is not None:
        analysis = analysis.at_prevalence(prevalence)
    for name, rows in zip(NAMES, found, strict=True):
        right = data_of(analysis.decision(name, beta=beta))
        (best,) = [row for row in rows if row["best"]]
        told = json.loads(best["json"])
        assert list(told) == list(right)
        inexact = ("prevalence", "value", "fp", "tn")
        for field in set(right) - {"fingerprint", *inexact}:
            assert told[field] == right[field], field
        for field in inexact:
            assert told[field] == pytest.approx(right[field], rel=1e-12), field
        assert told["fingerprint"] is None


@pytest.mark.parametrize("kind", KINDS)
def test_every_copy_flags_the_rows_that_it_counts(copies, tmp_path, drawn_seed, kind):
    labels, scores = drawn_models(drawn_seed, kind)
    data = report_model(iso.analyse(labels, scores).models)
    frame = pd.DataFrame(scores)
    found = copies(data)
    for name, rows in zip(NAMES, found, strict=True):
        for row in rows:
            decision = decision_of_data(json.loads(row["json"]))
            path = tmp_path / "rule.json"
            path.write_text(row["json"], encoding="utf-8")
            assert iso.load_decision(path) == decision
            flagged = decision.predict(scores[name])
            assert (flagged & labels).sum() == decision.tp
            assert (flagged & ~labels).sum() == decision.fp
            names = {"new_scores": frame}
            exec(row["python"], names)
            assert names["flagged"].tolist() == flagged.tolist()
            new_scores = frame
            with duckdb.connect() as connection:
                connection.register("new_scores", new_scores)
                told = connection.execute(row["sql"]).fetchall()
            assert [values[-1] for values in told] == flagged.tolist()


def test_another_database_reads_the_statement(copies, drawn_seed):
    labels, scores = drawn_models(drawn_seed, "float64")
    rows = copies(report_model(iso.analyse(labels, scores).models))
    columns = ", ".join('"' + name.replace('"', '""') + '" REAL' for name in NAMES)
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE new_scores ({columns})")
    values = np.column_stack(list(scores.values())).tolist()
    connection.executemany("INSERT INTO new_scores VALUES (?, ?, ?, ?)", values)
    for name, each in zip(NAMES, rows, strict=True):
        for row in each:
            flagged = decision_of_data(json.loads(row["json"])).predict(scores[name])
            told = connection.execute(row["sql"]).fetchall()
            assert [bool(one[-1]) for one in told] == flagged.tolist()
    connection.close()


def test_columns_of_a_dropped_file(copies, drawn_seed):
    labels, scores = drawn_models(drawn_seed, "float64")
    data = report_model({"forest": iso.OperatingPoints.from_scores(labels, scores["forest"])})
    layout = {"label": "y", "scores": ["p"], "model": "m", "weight": None, "positive": "yes"}
    source = {"file": "a.csv", "layout": layout}
    ((_, row, *_),) = copies(data, source=source)
    told = json.loads(row["json"])
    assert (told["model"], told["scores"], told["model_column"]) == ("forest", "p", "m")
    assert told["pos_label"] == "yes"
    assert row["sql"].startswith('SELECT *, "p" >= ')
    assert row["python"].startswith('flagged = new_scores["p"] >= ')
    source["layout"] |= {"model": None, "scores": ["forest"]}
    ((_, row, *_),) = copies(data, source=source)
    told = json.loads(row["json"])
    assert (told["scores"], told["model_column"]) == ("forest", None)


GOALS = [
    (
        {"goal": "money", "missCost": 4, "falseAlarmCost": 1},
        {"miss_cost": 4, "false_alarm_cost": 1},
    ),
    ({"goal": "precision", "minPrecision": 0.6}, {"min_precision": 0.6}),
    ({"goal": "recall", "minRecall": 0.75}, {"min_recall": 0.75}),
    ({"goal": "alarms", "maxFpr": 0.2}, {"max_fpr": 0.2}),
    ({"goal": "specificity", "minSpecificity": 0.7}, {"min_specificity": 0.7}),
    ({"goal": "budget", "budget": 20}, {"budget": 20}),
]


@pytest.mark.parametrize(("settings", "asked"), GOALS)
def test_the_rule_of_what_matters_is_that_of_python(copies, drawn_seed, settings, asked):
    labels, scores = drawn_models(drawn_seed, "float64")
    analysis = iso.analyse(labels, scores)
    found = copies(report_model(analysis.models), **settings)
    for name, rows in zip(NAMES, found, strict=True):
        right = data_of(analysis.decision(name, **asked))
        (best,) = [json.loads(row["json"]) for row in rows if row["best"]]
        for field in ("threshold", "objective", "parameters", "tp", "fp", "fn", "tn"):
            assert best[field] == right[field], field
        assert best["value"] == pytest.approx(right["value"], rel=1e-12)


def test_a_row_that_was_chosen_by_hand(copies, drawn_seed):
    labels, scores = drawn_models(drawn_seed, "float64")
    (rows,) = copies(report_model({"m": iso.OperatingPoints.from_scores(labels, scores["forest"])}))
    by_words = {each["objective"]: each for each in (json.loads(row["json"]) for row in rows)}
    assert set(by_words) == {"F (β 1)", "chosen by hand"}
    assert by_words["chosen by hand"]["parameters"] == {}
    assert np.isnan(decision_of_data(by_words["chosen by hand"]).value)


def test_what_is_no_rule_about_scores_is_not_offered(copies, drawn_seed):
    labels, scores = drawn_models(drawn_seed, "float64")
    points = iso.OperatingPoints.from_scores(labels, scores["forest"])
    data = report_model({"m": points})
    assert all(row["rule"] for row in copies(data)[0])
    turned = copies(data, otherClass=True)
    assert not any(row["rule"] for row in turned[0])
    sets = iso.OperatingPoints.from_counts(
        [1, 3], [0, 1], positives=4, negatives=4, labels=["a", "b"]
    )
    beyond = iso.OperatingPoints.from_scores([1, 0, 1], np.array([2**60 + 1, 2**60 + 3, 2**60]))
    curve = iso.OperatingPoints.from_roc([0.5], [0.5], positives=4, negatives=4)
    for others in ({"sets": sets}, {"beyond": beyond}):
        assert not any(row["rule"] for row in copies(report_model(others))[0])
    rows = copies(report_model({"curve": curve}))[0]
    assert not all(row["rule"] for row in rows)
