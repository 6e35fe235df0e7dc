"""Predictions of OpenML runs: files about the same rows are models of one task."""

import sys
import types

import numpy as np
import pandas as pd
import pytest

import isometrics as iso
from isometrics.errors import FileError
from isometrics_studies.ranking.openml_tasks import fetch_task
from isometrics_studies.ranking.running import run_study, settings_of
from isometrics_studies.ranking.runs import read_run, read_runs

HEADER = """@relation {relation}
@attribute repeat numeric
@attribute fold numeric
{sample}@attribute row_id numeric
@attribute prediction {{a,b,c}}
@attribute correct {{a,b,c}}
@attribute confidence.a numeric
@attribute confidence.b numeric
@attribute confidence.c numeric
@data
"""
TRUTH = "aababccabaacabab"


def predictions(seed, *, relation="x", order=1, truth=TRUTH, sample=None):
    rng = np.random.default_rng(seed)
    rows = []
    for row, name in enumerate(truth):
        a, b, c = rng.dirichlet([1, 1, 1]).round(3)
        part = "" if sample is None else f"{sample(row)},"
        rows.append(f"0,{row % 4},{part}{row},a,{name},{a},{b},{c}\n")
    declared = "" if sample is None else "@attribute sample numeric\n"
    return HEADER.format(relation=relation, sample=declared) + "".join(rows[::order])


@pytest.fixture
def folder(tmp_path):
    files = {
        "one": predictions(1, relation="openml_task_7_predictions"),
        "two": predictions(2, order=-1),
        "other": predictions(3, relation="openml_task_7_predictions", truth=TRUTH[::-1]),
        "third": predictions(3, truth="ab" * 8),
        "curve": predictions(4, sample=lambda row: row % 2),
        "single": predictions(5, truth="a" * 16),
        "broken": "@relation x\n@attribute a real\n@data\n1\n",
    }
    for name, content in files.items():
        (tmp_path / f"{name}.arff").write_text(content)
    return tmp_path


def test_files_about_the_same_rows_are_models_of_one_task(folder):
    tasks, unusable = read_runs(folder)
    result = {task.name: [run.name for run in task.runs] for task in tasks}
    assert result == {
        "OpenML task 7": ["one", "two"],
        "OpenML task 7, as in other": ["other"],
        "the task of third": ["third"],
    }
    assert {each.name for each in unusable} == {"curve.arff", "single.arff", "broken.arff"}
    reasons = {each.name: each.reason for each in unusable}
    assert reasons["curve.arff"].startswith("curve.arff holds a learning curve")
    assert reasons["single.arff"] == "single.arff has rows of one class only"


def test_the_largest_class_stands_against_the_rest(folder):
    run = read_run(folder / "one.arff")
    lines = (folder / "one.arff").read_text().splitlines()[-len(TRUTH) :]
    cells = [line.split(",") for line in lines]
    positive = [cell[4] != "a" for cell in cells]
    scores = [float(cell[6]) + float(cell[7]) for cell in cells]
    assert run.positive.sum() == sum(positive) == 8
    points = iso.OperatingPoints.from_scores(run.positive, run.scores)
    expected = iso.OperatingPoints.from_scores(positive, scores)
    assert points.pr.area() == pytest.approx(expected.pr.area())
    turned = read_run(folder / "two.arff")
    assert (turned.rows, turned.fold.tolist()) == (run.rows, run.fold.tolist())


def test_runs_have_the_rows_of_a_study(folder, tmp_path):
    tasks, _ = read_runs(folder)
    table = run_study([], settings_of(), tmp_path / "out", runs=tasks).to_pylist()
    assert [row["model"] for row in table if row["family"] == "OpenML run"] == [
        run.name for task in tasks for run in task.runs
    ]
    run = tasks[0].runs[0]
    (row,) = (row for row in table if row["model"] == run.name)
    first = run.fold < 2
    half = iso.OperatingPoints.from_scores(run.positive[first], run.scores[first])
    assert row["auprg_first"] == pytest.approx(half.prg.area(), rel=1e-6)
    assert row["auprg"] == iso.OperatingPoints.from_scores(run.positive, run.scores).prg.area()


def test_a_folder_without_runs_is_told(tmp_path):
    for place in (tmp_path, tmp_path / "missing"):
        with pytest.raises(FileError, match=r"is no folder with \.arff files"):
            read_runs(place)


# ---------------------------------------------------------------------- tasks of OpenML


class Task:
    """What openml says of a task, without a network."""

    target_name = "kind"

    def __init__(self, answers):
        self.answers = answers

    def get_dataset(self):
        return self

    def get_data(self, target):
        assert target == "kind"
        frame = pd.DataFrame(
            {
                "size": [1.5, np.nan, 2.0, 4.0, 5.0],
                "colour": pd.Categorical(["red", None, "blue", "red", "red"]),
            }
        )
        return frame, self.answers, [False, True], ["size", "colour"]


def install(monkeypatch, get_task):
    class ServerError(Exception):
        """Like the base of openml's own errors."""

    module = types.ModuleType("openml")
    module.tasks = types.SimpleNamespace(get_task=get_task)
    module.exceptions = types.SimpleNamespace(PyOpenMLError=ServerError)
    monkeypatch.setitem(sys.modules, "openml", module)
    return ServerError


@pytest.mark.parametrize(
    ("answers", "positive", "rule"),
    [
        (pd.Series(["x", "y", "y", "y", None], dtype="category"), [1, 0, 0, 0], "two classes"),
        (pd.Series([1.0, 2.0, 9.0, 2.0, 1.0]), [0, 0, 1, 0, 0], "split at the mean"),
    ],
)
def test_a_task_of_openml_becomes_a_data_set(monkeypatch, answers, positive, rule):
    asked = []

    def get_task(number):
        asked.append(number)
        return Task(answers)

    install(monkeypatch, get_task)
    data = fetch_task(115)
    assert asked == [115]
    assert (data.name, data.rule) == ("OpenML task 115", rule)
    assert data.positive.tolist() == positive
    assert data.nominal.tolist() == [False, True]
    assert data.values[:3, 0] == pytest.approx([1.5, np.nan, 2.0], nan_ok=True)
    assert data.values[:3, 1] == pytest.approx([1, np.nan, 0], nan_ok=True)


def test_a_missing_network_is_told_in_one_sentence(monkeypatch):
    def offline(_):
        raise ConnectionError("Max retries exceeded (Caused by NameResolutionError('x'))")

    install(monkeypatch, offline)
    with pytest.raises(FileError) as told:
        fetch_task(115)
    assert str(told.value) == (
        "cannot fetch OpenML task 115: Max retries exceeded; this needs a connection to "
        "openml.org or the data in the cache of openml"
    )
    errors = []

    def unknown(_):
        raise errors[0]("Unknown task")

    errors.append(install(monkeypatch, unknown))
    with pytest.raises(FileError, match="OpenML task 3: Unknown task"):
        fetch_task(3)


def test_a_missing_package_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "openml", None)
    with pytest.raises(ImportError, match=r"pip install 'isometrics-studies\[openml\]'"):
        fetch_task(115)


@pytest.mark.slow
def test_the_package_has_what_is_asked_of_it():
    openml = pytest.importorskip("openml")
    assert callable(openml.tasks.get_task)
    assert issubclass(openml.exceptions.OpenMLServerException, openml.exceptions.PyOpenMLError)
    assert openml.tasks.OpenMLSupervisedTask.get_dataset
    assert openml.datasets.OpenMLDataset.get_data
