"""`isometrics-study ranking`: folders in, tables and pictures out, and what cannot be done."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from isometrics_studies.ranking import openml_tasks

QUICK = ("--models", 4, "--folds", 3)


@pytest.fixture
def folder(tmp_path):
    """Return a folder of two data sets and one that is none."""
    place = tmp_path / "data sets"
    place.mkdir()
    rng = np.random.default_rng(1)
    for name, rows in (("small", 24), ("large", 48)):
        label = np.arange(rows) % 3 == 0
        features = rng.normal(0.5 * label, size=(2, rows)).T
        lines = [f"{a:.4f},{b:.4f},{int(y)}\n" for (a, b), y in zip(features, label, strict=True)]
        (place / f"{name}.csv").write_text("".join(lines))
    (place / "broken.csv").write_text("1,2\n3\n")
    return place


def test_a_study_writes_rows_tables_and_pictures(call, folder, tmp_path):
    out = tmp_path / "out"
    done = call("ranking", "--data", folder, *QUICK, "--chosen", "large", "-o", out)
    assert "2 tasks, and 1 files that are none" in done.err
    assert "Disagreement between measures on 2 tasks" in done.out
    assert "AUPR and AUPRG order differently on data sets/large.csv" in done.out
    written = {path.name for path in out.iterdir()}
    assert {
        "results.parquet",
        "tasks.csv",
        "agreement.csv",
        "picks_f1.csv",
        "pick_differences_expected_f1.csv",
        "reversals-1.csv",
        "heat-map.svg",
        "scatter.svg",
        "parts",
    } <= written
    assert pq.read_table(out / "results.parquet").num_rows == 8
    reversed_pairs = (out / "reversals-1.csv").read_text().count("\n") - 1
    assert ("pair-1.csv" in written) == (reversed_pairs > 0)
    again = call("ranking", "--data", folder, *QUICK, "-o", out, "--json").data
    assert again["tasks"] == 2
    assert list(again["unusable"]) == ["data sets/broken.csv"]
    assert again["agreement"][0]["measure"] == "AUROC"
    assert again["pictures"] == [str(out / "heat-map.svg")]


def test_tasks_are_chosen_by_number_and_by_name(call, folder, tmp_path):
    command = ("ranking", "--data", folder, *QUICK, "--json")
    for wanted, name in (("1", "small"), ("large", "large")):
        out = tmp_path / wanted
        assert call(*command, "--tasks", wanted, "-o", out).data["tasks"] == 1
        assert set(pq.read_table(out / "results.parquet")["task"].to_pylist()) == {
            f"data sets/{name}.csv"
        }


def test_the_points_of_the_clearest_reversed_pair_are_written(call, tmp_path):
    call(
        "ranking",
        "--built-in",
        "--tasks",
        "30%",
        "--models",
        8,
        "--folds",
        3,
        "--chosen",
        "30%",
        "-o",
        tmp_path,
        "--quiet",
    )
    lines = (tmp_path / "pair-1.csv").read_text().splitlines()
    assert lines[0] == "model,tp,fp,positives,negatives"
    assert {line.rsplit(",", 2)[1] for line in lines[1:]} == {"90"}


def test_tasks_of_openml_are_fetched_only_when_asked_for(call, monkeypatch, tmp_path):
    from isometrics_studies.ranking.datasets import built_in_tasks

    fetched = []

    def fetch(number):
        fetched.append(number)
        return built_in_tasks()[number]

    monkeypatch.setattr(openml_tasks, "fetch_task", fetch)
    found = call("ranking", "--openml-tasks", "1, 2", *QUICK, "-o", tmp_path, "--json")
    assert found.data["tasks"] == 2
    assert fetched == [1, 2]


def test_runs_alone_are_a_study(call, tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    header = "".join(
        f"@attribute {name} numeric\n"
        for name in ("fold", "row_id", "confidence.n", "confidence.p")
    )
    for seed in (1, 2):
        rng = np.random.default_rng(seed)
        rows = []
        for row in range(20):
            score = round(float(rng.random()), 3)
            rows.append(f"{row % 2},{row},{1 - score:.3f},{score},{'p' if row % 3 == 0 else 'n'}\n")
        (runs / f"run {seed}.arff").write_text(
            f"@relation x\n{header}@attribute correct {{n,p}}\n@data\n{''.join(rows)}"
        )
    found = call("ranking", "--runs", runs, "-o", tmp_path / "out", "--json").data
    assert found["tasks"] == 1
    table = pq.read_table(tmp_path / "out" / "results.parquet")
    assert table["model"].to_pylist() == ["run 1", "run 2"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "there are no tasks; give folders with --data or --runs, or --built-in"),
        (("--data", "nowhere"), "is no folder"),
        (("--runs", "nowhere"), "is no folder with .arff files"),
        (("--built-in", "--models", "1"), "--models must be a number from 2"),
        (("--built-in", "--folds", "1"), "--folds must be 2 or more"),
        (("--built-in", "--folds", "1000"), "there is no task to run"),
        (("--built-in", "--tasks", "nothing like it"), "no task has 'nothing like it' in its name"),
        (("--built-in", "--jobs", "0"), "--jobs must be"),
        (("--built-in", "--limit", "0"), "--limit must be"),
        (("--built-in", "--random-state", "-1"), "--random-state must be"),
        (("--openml-tasks", "a,b"), "--openml-tasks must be numbers"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_sentence(call, tmp_path, words, said):
    assert said in call("ranking", *words, "-o", tmp_path / "out", code=2).err


def test_the_help_has_an_example(call):
    said = call("ranking", "--help").out
    assert "isometrics-study ranking" in said.partition("For example:")[2]
    assert "ranking" in call("--help").out
