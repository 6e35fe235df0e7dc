"""The verdict as a command, and at the head of other answers."""

import io
import json
import re

import numpy as np
import pytest
from rich.console import Console

import isometrics as iso
from isometrics.cli.options import Certainty
from isometrics.cli.output import say
from isometrics.cli.summary import head

from .conftest import sample, write_csv

FEW = ("--resamples", "40")
SURE = Certainty(0.9, resamples=40)


@pytest.fixture
def analysis():
    label, good, bad, group = sample()
    return iso.analyse(label, {"good": good, "bad": bad}, groups=group)


def strict(verdict):
    return json.loads(verdict.to_json())


GOALS = [
    ([], {}),
    (["--beta", 2], {"beta": 2}),
    (["--beta", "inf"], {"beta": np.inf}),
    (["--cost", 0.3], {"cost": 0.3}),
    (["--miss-cost", 5, "--false-alarm-cost", 2], {"miss_cost": 5, "false_alarm_cost": 2}),
    (["--index", "jaccard", "--lambda", 0.3], {"index": "jaccard", "lam": 0.3}),
    (["--min-precision", 0.4], {"min_precision": 0.4}),
    (["--max-fpr", 0.3], {"max_fpr": 0.3}),
    (["--max-fpr", 0.4, "--guarantee", 0.5], {"max_fpr": 0.4, "guarantee": 0.5}),
    (["--min-specificity", 0.6, "--sure", 0.9], {"min_specificity": 0.6, "sure": 0.9}),
    (["--min-recall", 0.5, "--sure", 0.9], {"min_recall": 0.5, "sure": 0.9}),
    (["--budget", 20, "--beta", 1], {"budget": 20, "beta": 1}),
    (["--confidence", 0.8, "--random-state", 3], {"confidence_level": 0.8, "random_state": 3}),
]


@pytest.mark.parametrize(("words", "options"), GOALS, ids=lambda given: str(given)[:30])
def test_a_verdict_is_that_of_the_library(call, predictions, analysis, words, options):
    expected = analysis.verdict(n_resamples=40, by_group=False, **options)
    done = call("verdict", predictions, *words, *FEW)
    assert done.out.splitlines() == expected.lines()
    assert "label: label" in done.err
    data = call("verdict", predictions, *words, *FEW, "--json").data
    assert data["verdict"] == strict(expected)
    assert "label: label" in data["description"]


def test_other_rows(call, predictions, other, analysis, tmp_path):
    data = call("verdict", predictions, "--prevalence", 0.1, *FEW, "--json").data
    expected = analysis.at_prevalence(0.1).verdict(n_resamples=40, by_group=False)
    assert data["verdict"] == strict(expected)
    words = ["verdict", other, "--thresholds-from", predictions, *FEW]
    expected = iso.read_predictions(other).verdict(thresholds_from=analysis, n_resamples=40)
    assert call(*words, "--json").data["verdict"] == strict(expected)
    assert "chosen on the tuning data" in call(*words).out
    label, good, bad, _ = sample()
    names = ("label", "good", "bad", "patient")
    path = write_csv(tmp_path / "p.csv", label, good, bad, np.arange(60) // 3, names=names)
    words = ["verdict", path, "--group", "patient", "--clusters", *FEW, "--json"]
    expected = iso.read_predictions(path, group="patient").verdict(clusters=True, n_resamples=40)
    assert call(*words).data["verdict"] == strict(expected)


def test_groups_and_folds(call, grouped, analysis):
    words = ["verdict", grouped, "--group", "group", *FEW]
    expected = analysis.verdict(n_resamples=40)
    assert call(*words, "--json").data["verdict"] == strict(expected)
    said, _, table = call(*words).out.partition("\n\n")
    assert said.splitlines() == expected.lines()
    title, header, north, south = table.splitlines()
    assert (title, header.split()[:3]) == ("By group:", ["group", "model", "threshold"])
    assert (north.split()[0], south.split()[0]) == ("north", "south")
    data = call("verdict", grouped, "--fold", "group", *FEW, "--json").data
    assert data["verdict"] == strict(analysis.verdict(n_resamples=40, folds=True))


def test_a_column_of_folds_that_is_taken_for_groups(call, grouped, tmp_path):
    """A new user had a fold column, and verdicts for each fold that nobody had asked for."""
    folds = tmp_path / "folds.csv"
    header, *rows = grouped.read_text().splitlines()
    folds.write_text("\n".join([header.replace("group", "Fold"), *rows]))
    hint = "if the scores come from a cross-validation, add --fold Fold\n"
    assert call("verdict", folds, *FEW).err.endswith(hint)
    assert call("verdict", folds, *FEW, "--json").err == ""
    for words in (("--fold", "Fold"), ("--group", "Fold"), ("--group", "")):
        assert hint not in call("verdict", folds, *words, *FEW).err
    assert hint not in call("verdict", grouped, *FEW).err
    # The description begins with the name of the file.
    misleading = grouped.rename(tmp_path / "group: fold (guessed).csv")
    assert hint.lower() not in call("verdict", misleading, *FEW).err


def classes(path, count=3, seed=0):
    rng = np.random.default_rng(seed)
    label = np.arange(120) % count
    scores = rng.random((120, count)) + np.eye(count)[label]
    np.savez(path, y_true=label, y_score=scores)
    return path


def test_each_class_has_a_verdict_that_is_chosen_on_its_own_tuning_data(call, tmp_path):
    paths = [classes(tmp_path / f"{name}.npz", seed=seed) for seed, name in enumerate("ab")]
    tuning, test = map(iso.read_predictions, paths)
    alone = tuning.verdict_by_class(n_resamples=40)
    data = call("verdict", paths[0], *FEW, "--json").data
    assert data["verdict_by_class"] == {name: strict(each) for name, each in alone.items()}
    assert "verdict" not in data
    said = call("verdict", paths[0], *FEW).out.split("\n\n")
    for text, (name, each) in zip(said, alone.items(), strict=True):
        assert text.splitlines()[0] == f"{name}: {each.sentence()}"
    expected = test.verdict_by_class(thresholds_from=tuning, n_resamples=40)
    words = ["verdict", paths[1], "--thresholds-from", paths[0], *FEW]
    data = call(*words, "--json").data["verdict_by_class"]
    assert data == {name: strict(each) for name, each in expected.items()}
    for name, found in expected.items():
        # The same rows are drawn with another seed.
        assert found.threshold_range.lower <= found.threshold <= found.threshold_range.upper
        assert alone[name].threshold_range.lower <= found.threshold
        assert found.threshold <= alone[name].threshold_range.upper
        assert "chosen on the tuning data" in found.method
    refused = call("verdict", paths[0], *FEW, "-o", tmp_path / "rule.json", code=2)
    assert "-o writes the rule of one class; choose one with --scores" in refused.err
    other = classes(tmp_path / "c.npz", 4)
    refused = call("verdict", paths[0], "--thresholds-from", other, *FEW, code=2)
    said = "the tuning data has the classes 0, 1, 2 and 3 but these rows have 0, 1 and 2"
    assert said in refused.err


def test_given_thresholds_beside_the_verdict(call, predictions):
    words = ["verdict", predictions, "--resamples", "20"]
    plain = call(*words).out
    words += ["--threshold", "0.5"]
    title = (
        "Given thresholds beside the best on these rows for F (β 1), each model judged by itself"
    )
    assert call(*words).out.startswith(f"{plain}\n{title}\n")
    rows = call(*words, "--json").data["thresholds"]
    assert {row["rule"] for row in rows} == {"given", "best"}
    costs = ("--miss-cost", "5", "--false-alarm-cost", "1")
    assert "beside the best on these rows for cost per row" in call(*words, *costs).out


@pytest.mark.parametrize("command", ["summary", "compare", "report"])
def test_other_commands_begin_with_the_verdict(call, predictions, analysis, tmp_path, command):
    words = [command, predictions, *FEW] + ["-o", tmp_path / "r.html"] * (command == "report")
    expected = analysis.verdict(n_resamples=40, by_group=False)
    said = call(*words).out.splitlines()
    assert said[0] == expected.sentence()
    assert said[1].startswith("Beware: there are only 20 positives")
    assert said[2] == f"From 40 resamples; isometrics verdict '{predictions}' draws 2,000."
    assert said[3] == ""
    assert call(*words, "--json").data["verdict"] == strict(expected)


def test_the_head_is_for_what_the_command_is_asked_over_all_rows(call, grouped, analysis):
    for words, objective in (
        (["summary", "--beta", 3, 1], {}),
        (["summary", "--beta", 3, 2], {"beta": 3}),
        (["compare", "--index", "jaccard"], {"index": "jaccard"}),
        (["summary", "--confidence", 0.8], {"confidence_level": 0.8}),
    ):
        command, *options = words
        done = call(command, grouped, "--group", "group", *options, *FEW, "--json")
        found = done.data["verdict"]
        expected = analysis.verdict(n_resamples=40, by_group=False, **objective)
        assert found == strict(expected)


def test_many_classes_are_not_all_named_at_the_head(call, tmp_path):
    path = classes(tmp_path / "classes.npz", 7)
    said = call("summary", path, *FEW).out.splitlines()
    assert [line.partition(":")[0] for line in said[:5]] == list("01234")
    assert said[5] == "and 2 more classes"
    assert len(call("summary", path, *FEW, "--json").data["verdict_by_class"]) == 7


def test_a_head_is_never_an_error_and_shows_no_password(analysis):
    found = head(analysis, "f.csv", beta=-1)
    assert found.lines == ["No verdict: --beta must be a number ≥ 0 but is -1."]
    assert found.data == {"verdict": None}
    found = head(analysis, "postgresql://ann:hunter2@host/db?table=t", SURE)
    assert "isometrics verdict 'postgresql://host/db?table=t' draws" in found.lines[-1]


def test_models_with_rows_of_their_own(call, tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("model,label,score\nA,1,0.9\nA,0,0.2\nB,1,0.1\nB,0,0.4\n")
    said = call("summary", path).out.splitlines()
    assert said[0] == "Use A and flag scores of 0.9 or more. F1 is 1.00 on these rows."
    assert said[1].startswith(
        "The choice is the best on these rows; what to expect on new data is not known: each model "
        "has rows"
    )
    done = call("verdict", path, "--min-recall", 0.5, "--sure", 0.9, code=2)
    assert "--sure needs the rows, which this analysis does not have; leave it out" in done.err


@pytest.mark.slow
def test_few_resamples_are_drawn_of_many_rows():
    rng = np.random.default_rng(0)
    label = rng.random(150_000) < 0.5
    scores = rng.normal(label)
    found = head(iso.analyse(label, {"a": scores}), "f.csv")
    # Of a single model fewer are enough.
    assert found.data["verdict"]["replicates"] < 1300
    assert "resamples; isometrics verdict" not in found.lines[-1]
    # Of models that win equally often, more would be.
    scores = scores[:99_000]
    found = head(iso.analyse(label[:99_000], {"a": scores, "b": scores}), "f.csv")
    assert found.lines[-1] == "From 900 resamples; isometrics verdict f.csv draws 2,000."
    assert found.data["verdict"]["replicates"] == 900


@pytest.mark.parametrize("classes", [False, True])
def test_rows_of_long_files_are_not_drawn(classes):
    rng = np.random.default_rng(0)
    label = rng.random(110_000) < 0.5
    models = {"a": rng.normal(label), "b": rng.normal(2 * label)}
    points = {name: iso.OperatingPoints.from_scores(label, each) for name, each in models.items()}
    found = head(iso.Analysis(points, one_vs_rest=classes), "f.csv", SURE)
    best = iso.best_threshold(points["b"])
    start = ("Use b and flag scores of", "") if not classes else ("b: Flag scores of", " as b")
    said = re.fullmatch(rf"{start[0]} (\S+) or more{start[1]}\. (.*)", found.lines[-2])
    assert said[2] == f"F1 is {best.f:.2f} on these rows."
    shown = float(said[1])
    assert np.array_equal(models["b"] >= shown, models["b"] >= best.threshold)
    assert found.lines[-1] == "What to expect on new data, and how sure: isometrics verdict f.csv"
    assert list(found.data) == ["verdict_by_class" if classes else "verdict"]


def test_rows_are_kept_up_to_a_number(call, tmp_path):
    label, good, bad, _ = sample()
    weight = np.full(label.size, 0.001)
    many = [np.tile(column, 4000) for column in (label, good, bad, weight)]
    path = write_csv(tmp_path / "long.csv", *many, names=("label", "good", "bad", "weight"))
    said = call("summary", path).out.splitlines()
    assert said[0].startswith("Use good and flag scores of")
    assert said[0].endswith("on these rows.")
    assert said[1] == f"What to expect on new data, and how sure: isometrics verdict {path}"


def test_sentences_are_wrapped_on_a_terminal(monkeypatch, capsys):
    say(["word " * 30, "", "a bell \a"])
    assert capsys.readouterr().out == f"{'word ' * 30}".strip() + "\n\na bell \\x07\n"
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("COLUMNS", "40")
    say(["word " * 30])
    assert Console().width == 40
    assert max(map(len, terminal.getvalue().splitlines())) == 39
