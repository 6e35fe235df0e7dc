"""The commands that answer with tables: they say what the library says."""

import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isometrics as iso
from isometrics.analysis import analyse
from isometrics.cli import main
from isometrics.errors import ParameterError

# pytest's importlib mode has no package to import a neighbour from.
from .conftest import sample, write_csv


@pytest.fixture
def tables():
    label, good, bad, group = sample()
    scores = {"good": good, "bad": bad}
    return analyse(label, scores, groups=group)


def same(found, expected):
    if isinstance(expected, float | np.floating) and not np.isfinite(expected):
        assert found == (None if np.isnan(expected) else f"{'-' * (expected < 0)}Infinity")
    else:
        assert found == expected


def check_rows(rows, columns):
    assert rows
    for name, values in columns.items():
        assert len(rows) == len(values)
        for row, value in zip(rows, list(values), strict=True):
            same(row[name], value.item() if hasattr(value, "item") else value)


def test_summary(call, predictions, grouped, tables):
    data = call("summary", predictions, "--json").data
    check_rows(data["summary"], tables.summary(by_group=False)._columns())
    assert "label: label" in data["description"]
    data = call("summary", grouped, "--group", "group", "--json", "--beta", "1").data
    check_rows(data["summary"], tables.summary(beta=[1])._columns())
    done = call("summary", predictions)
    assert done.out.endswith(f"\n\n{tables.summary(by_group=False)!r}\n")
    assert done.out.startswith(
        f"{tables.verdict().sentence()}\nBeware: there are only 20 positives"
    )
    assert "label: label" in done.err


def test_a_group_of_one_class_is_left_out_aloud(call, tmp_path):
    label, good, *_ = sample()
    group = np.where(np.arange(label.size) == 0, "lonely", "all others")
    path = write_csv(tmp_path / "g.csv", label, good, group, names=("label", "good", "group"))
    done = call("summary", path, "--group", "group")
    assert "group 'lonely' is left out" in done.err
    assert list(call("summary", path, "--json").data["skipped"]) == ["lonely"]
    assert call("summary", path, "--group", "", "--json").data["skipped"] == {}


def test_columns_are_chosen(call, predictions, tables):
    done = call("curve", predictions, "--scores", "mine=bad", "--label", "label", "--space", "roc")
    lines = done.out.splitlines()
    assert lines[0] == "model,threshold,tp,fp,false_positive_rate,recall"
    assert len(lines) == len(tables.models["bad"]) + 1
    assert all(line.startswith("mine,") for line in lines[1:])


OBJECTIVES = {
    "": [{"beta": 0.5}, {"beta": 1}, {"beta": 2}],
    "--cost 0.3": [{"cost": 0.3}],
    "--min-precision 0.5": [{"min_precision": 0.5}],
    "--min-recall 0.5": [{"min_recall": 0.5}],
    "--budget 10": [{"budget": 10}],
    "--max-fpr 0.1 0.2": [{"max_fpr": 0.1}, {"max_fpr": 0.2}],
    "--min-specificity 0.9": [{"min_specificity": 0.9}],
    "--miss-cost 5 --false-alarm-cost 2": [{"miss_cost": 5, "false_alarm_cost": 2}],
    "--index jaccard --lambda 0.3": [{"index": "jaccard", "lam": 0.3}],
    "--lambda 0.3": [{"lam": 0.3}],
    "--beta 1 --min-precision 0.4": [{"beta": 1, "min_precision": 0.4}],
    "--beta 1 2 --cost 0.2 --budget 20": [
        each | {"budget": 20} for each in ({"beta": 1}, {"beta": 2}, {"cost": 0.2})
    ],
    "--objective youden --min-recall 0.6 --min-precision 0.3": [
        {"objective": "youden", "min_precision": 0.3, "min_recall": 0.6}
    ],
}


@pytest.mark.parametrize("words", OBJECTIVES)
def test_thresholds(call, grouped, tables, words):
    done = call("thresholds", grouped, "--group", "group", *words.split(), "--json")
    groups = {"(all rows)": tables.models} | tables.groups
    rows = done.data["thresholds"]
    for row, options in zip(rows, OBJECTIVES[words] * 6, strict=True):
        points = groups[row["group"]][row["model"]]
        if row["threshold"] is None:
            with pytest.raises(ParameterError, match="no threshold"):
                iso.best_threshold(points, **options)
            continue
        best = iso.best_threshold(points, **options)
        for name in ("objective", "threshold", "value", "tp", "fp", "recall"):
            same(row[name], getattr(best, name))


def test_constraints_apply_to_all_objectives_at_all_levels(call, predictions):
    words = ["--beta", 1, 2, "--cost", 0.2, "--min-recall", 0.5, 0.9, "--budget", 50, "--json"]
    rows = call("thresholds", predictions, *words).data["thresholds"]
    limits = [f"recall ≥ {level} and at most 50 predicted positives" for level in (0.5, 0.9)]
    names = ["F (β 1)", "F (β 2)", "cost per row"]
    expected = [f"{name} with {limit}" for name in names for limit in limits]
    assert [row["objective"] for row in rows] == expected * 2
    # Alone, they ask for what they leave.
    words = ["--min-recall", 0.5, 0.9, "--budget", 50, "--json"]
    rows = call("thresholds", predictions, *words).data["thresholds"]
    expected = [f"precision with recall ≥ {level}" for level in (0.5, 0.9)]
    expected.append("recall with at most 50 predicted positives")
    assert [row["objective"] for row in rows] == expected * 2


def test_a_given_threshold_stands_beside_the_best(call, predictions, tables):
    words = ["--threshold", 0.5, 1, "--beta", 2, "--resamples", 40]
    data = call("thresholds", predictions, *words, "--json").data
    rows = data["thresholds"]
    check = tables.at([0.5, 1], beta=2, by_group=False, n_resamples=40)
    assert data["objective"] == "F (β 2)"
    assert [row["rule"] for row in rows] == list(check.rules)
    for name in ("threshold", "value", "expected", "lower", "upper", "shortfall", "tp", "recall"):
        assert [row[name] for row in rows] == getattr(check, name).tolist()
    assert call("thresholds", predictions, *words).out.splitlines()[-4:] == check.lines()
    by_default = call("thresholds", predictions, *words[:3], *words[5:], "--json").data
    assert by_default["objective"] == "F (β 1)"


def test_thresholds_are_judged_on_other_data_with_intervals(call, predictions, other):
    tuning, test = map(iso.read_predictions, (predictions, other))
    words = ["--threshold", 0.5, "--on", other, "--beta", 1, "--resamples", 40]
    rows = call("thresholds", predictions, *words, "--json").data["thresholds"]
    check = test.at(0.5, n_resamples=40, thresholds_from=tuning)
    assert [row["lower"] for row in rows] == check.lower.tolist()
    assert [row["shortfall"] for row in rows] == check.shortfall.tolist()
    assert call("thresholds", predictions, *words).out.splitlines()[-2:] == check.lines()


def test_tables_without_rows_say_why_they_have_no_intervals(call, tmp_path):
    """Each model has rows of its own, and their weights are not whole."""
    path = tmp_path / "long.csv"
    rows = [f"{name},{label},{score},0.5" for name in "AB" for label, score in [(1, 0.9), (0, 0.2)]]
    path.write_text("\n".join(["model,label,score,weight", *rows]))
    done = call("thresholds", path, "--threshold", 0.5, "--weight", "weight", "--beta", 1)
    assert "There are no intervals: each model has rows" in done.out
    assert (
        "\nAt 0.5, A has F1 1.000; the best threshold on these rows, 0.9, has 1.000.\n" in done.out
    )


def test_all_thresholds(call, predictions, tables):
    rows = call("thresholds", predictions, "--all", "--json").data["thresholds"]
    good = [row for row in rows if row["model"] == "good"]
    check_rows(good, iso.optimal_thresholds(tables.models["good"])._columns())


@pytest.mark.parametrize(
    "levels", [{}, {"beta": 1, "min_precision": 0.5}, {"beta": 1, "min_recall": 0.5, "budget": 50}]
)
def test_thresholds_on_other_data(call, predictions, other, tables, levels):
    words = [f"--{name}={level}".replace("_", "-") for name, level in levels.items()]
    rows = call("thresholds", predictions, *words, "--on", other, "--json").data["thresholds"]
    asked = {"betas" if name == "beta" else name: level for name, level in levels.items()}
    label, good, bad, _ = sample(seed=2)
    for model, scores in (("good", good), ("bad", bad)):
        test = iso.OperatingPoints.from_scores(label, scores)
        found = iso.evaluate(thresholds_from=tables.models[model], on=test, **asked)._columns()
        expected = {name: found[name] for name in ("threshold", "precision_achieved")}
        for name in ("promised", "achieved", "best"):
            expected[f"value_{name}"] = found[f"f_{name}"]
        check_rows([row for row in rows if row["model"] == model], expected)


def test_a_precision_that_one_model_does_not_reach(call, predictions, other):
    done = call("thresholds", predictions, "--min-precision", 1, "--json")
    rows = {(row["model"], row["objective"]): row for row in done.data["thresholds"]}
    assert rows["good", "recall with precision ≥ 1"]["precision"] == 1
    missed = rows["bad", "recall with precision ≥ 1"]
    assert missed["threshold"] is missed["tp"] is missed["value"] is None
    assert "warning: bad (all rows): no threshold reaches precision 1" in done.err
    words = ["--min-precision", 1, "--on", other, "--json"]
    good, bad = call("thresholds", predictions, *words).data["thresholds"]
    assert good["value_achieved"] is not None
    assert bad["value_achieved"] is bad["recall_achieved"] is bad["threshold"] is None


def test_a_budget_that_excludes_a_score_of_infinity(call, tmp_path):
    file = tmp_path / "infinite.csv"
    file.write_text("label,score\n1,inf\n0,0.5\n1,0.25\n")
    none, one = call("thresholds", file, "--budget", 0, 1, "--json").data["thresholds"]
    assert none["objective"] == "recall with at most 0 predicted positives"
    assert (none["threshold"], none["tp"]) == ("Infinity", 0)
    assert (one["threshold"], one["tp"]) == (sys.float_info.max, 1)


def test_other_data_must_have_the_same_models(call, predictions, tmp_path):
    label, good, *_ = sample()
    path = write_csv(tmp_path / "one.csv", label, good, names=("label", "good"))
    done = call("thresholds", predictions, "--on", path, code=2)
    assert "has no model 'bad', only 'good'" in done.err


def test_compare(call, predictions, tables, grouped):
    data = call("compare", predictions, "--json").data
    found = tables.compare()
    assert data["sentence"] == found.sentence()
    check_rows(data["winners"], found.winners._columns())
    check_rows(data["areas"], found.areas._columns())
    check_rows(data["dominance"], found.dominance._columns())
    assert "groups" not in data
    words = ["compare", grouped, "--group", "group", "--index", "jaccard"]
    data = call(*words, "--json").data
    south = iso.compare(tables.groups["south"], "jaccard")
    assert data["groups"]["south"]["sentence"] == south.sentence()
    check_rows(data["groups"]["south"]["winners"], south.winners._columns())
    out = call(*words).out
    assert tables.compare("jaccard").sentence() in out
    assert f"south: {south.sentence()}" in out


@pytest.mark.slow
def test_every_two_of_very_many_models_are_compared_only_when_asked(call, tmp_path):
    scores = np.random.default_rng(0).random((20, 101))
    names = [f"m{k}" for k in range(101)]
    table = pa.table({"label": [1, 0] * 10} | {name: scores[:, k] for k, name in enumerate(names)})
    pq.write_table(table, tmp_path / "many.parquet")
    words = ["compare", tmp_path / "many.parquet", "--label", "label", "--json"]
    for name in names:
        words += ["--scores", name]
    few = call(*words)
    assert few.data["pairs"] is False
    assert "dominance" not in few.data
    assert len(few.data["areas"]) == 101
    assert few.err == ("which model dominates which is left out; add --pairs\n")
    all_of_them = call(*words, "--pairs").data
    assert len(all_of_them["dominance"]) == 101
    assert "dominance" not in call(*words[:11], "--no-pairs").data


def test_tradeoff(call, predictions, tables):
    words = ["--index", "folke", "--lambda", 0.2, 0.8, "--json"]
    data = call("tradeoff", predictions, *words).data
    curve = tables.models["bad"].tradeoff("folke")
    bad = {key: [row for row in data[key] if row["model"] == "bad"] for key in DATA}
    check_rows(bad["intervals"], curve.intervals._columns())
    assert bad["areas"][0]["area"] == curve.area()
    check_rows(bad["useful"], curve.useful_range()._columns())
    assert [row["value"] for row in bad["values"]] == [curve(0.2), curve(0.8)]
    assert bad["values"][0]["threshold"] == curve.best(0.2).thresholds[0]
    data = call("tradeoff", predictions, "--min-recall", 0.7, "--json").data
    curve = tables.models["good"].tradeoff().with_constraints(min_recall=0.7)
    assert data["areas"][0]["area"] == curve.area()
    assert "values" not in data


DATA = ("intervals", "areas", "useful", "values")


@given(st.lists(st.sampled_from(["--json", "--quiet", "-o", "--beta", "x", "-", "1"]), max_size=6))
def test_words_in_any_order_never_break(words):
    code = main(["summary", "no such file.csv", *words])
    assert code == 2


READERS = {"csv": pl.read_csv, "parquet": pl.read_parquet, "jsonl": pl.read_ndjson}


@pytest.mark.parametrize("suffix", READERS)
def test_the_summary_as_a_file(call, grouped, tmp_path, suffix):
    """A row for each model and group, as `to_frame` has them; the path stands in the last line."""
    target = tmp_path / f"areas.{suffix}"
    expected = iso.read_predictions(grouped).summary(beta=1).to_frame("polars")
    done = call("summary", grouped, "--beta", "1", "-o", target)
    assert done.out.splitlines()[-1] == str(target)
    assert "Expect F1 " in done.out
    written = READERS[suffix](target)
    assert sorted(written.columns) == sorted(expected.columns)
    assert written["model"].to_list() == expected["model"].to_list()
    np.testing.assert_allclose(written["auprg"], expected["auprg"], rtol=1e-15)
    done = call("summary", grouped, "--beta", "1", "-o", target, "--json")
    assert done.data["written"] == str(target)
    assert "summary" not in done.data


@pytest.mark.parametrize("options", [[], ["--all"], ["--beta", "1", "--min-recall", "0.5", "0.9"]])
@pytest.mark.parametrize("suffix", READERS)
def test_thresholds_as_a_file(call, tmp_path, options, suffix):
    scores = np.random.default_rng(0).normal(size=50)
    columns = (np.arange(50) % 2, scores, scores[::-1], np.arange(50) % 3)
    file = write_csv(tmp_path / "long.csv", *columns)
    target = tmp_path / f"thresholds.{suffix}"
    expected = call("thresholds", file, *options, "--json").data["thresholds"]
    assert call("thresholds", file, *options, "-o", target).out == f"{target}\n"
    for row, wanted in zip(READERS[suffix](target).to_dicts(), expected, strict=True):
        assert row["model"] == wanted["model"]
        threshold = float(row["threshold"])
        assert threshold == float(wanted["threshold"])
        assert threshold in scores or np.isinf(threshold)
        assert row["tp"] == wanted["tp"]
    done = call("thresholds", file, *options, "-o", target, "--json")
    assert done.data["written"] == str(target)
