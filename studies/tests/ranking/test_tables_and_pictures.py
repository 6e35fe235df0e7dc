"""Tables of a study on screen and as files, and its pictures."""

import csv

import numpy as np
import pytest

import isometrics as iso
from isometrics.errors import EmptyInputError
from isometrics_studies.ranking import pictures
from isometrics_studies.ranking.datasets import DataSet, Unusable, built_in_tasks
from isometrics_studies.ranking.results import TaskResult, results_of
from isometrics_studies.ranking.running import run_study, settings_of
from isometrics_studies.ranking.tables import (
    PairPoints,
    TaskList,
    read_points,
    tables_of,
    write_csv,
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    table = run_study(built_in_tasks()[2:], settings_of(models=4, folds=3), folder)
    return results_of(table)


def test_the_list_of_tasks_has_every_file(tmp_path):
    task = DataSet(
        "a", np.ones((3, 2)), np.zeros(2, bool), np.arange(3) < 1, "two classes", ("one", "two")
    )
    listed = TaskList((task,), (Unusable("b", "is broken, badly"),))
    assert repr(listed).startswith("1 tasks, and 1 files that are none")
    write_csv(tmp_path / "tasks.csv", listed)
    with (tmp_path / "tasks.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    assert first == {
        "task": "a",
        "used": "True",
        "rows": "3",
        "features": "2",
        "positives": "1",
        "rule": "two classes",
        "note": "without one, two",
    }
    assert (second["task"], second["rows"], second["note"]) == ("b", "", "is broken, badly")


def test_a_study_has_five_tables(results):
    tables = tables_of(results)
    assert list(tables) == [
        "agreement",
        "picks_f1",
        "pick_differences_f1",
        "picks_expected_f1",
        "pick_differences_expected_f1",
    ]
    again = tables_of(results)
    for name, table in tables.items():
        assert repr(table) == repr(again[name])


def test_tasks_that_tell_nothing_are_left_out(results):
    alone = TaskResult(
        results[0].name,
        results[0].models[:1],
        {name: values[:1] for name, values in results[0].columns.items()},
    )
    assert tables_of([*results, alone])["agreement"].tasks == len(results)
    with pytest.raises(EmptyInputError, match="nothing to rank"):
        tables_of([alone])
    whole = [
        TaskResult(
            task.name,
            task.models,
            {
                name: values * (np.nan if "f1_" in name else 1)
                for name, values in task.columns.items()
            },
        )
        for task in results
    ]
    assert list(tables_of(whole)) == ["agreement"]


def test_points_are_read_as_they_were_written(tmp_path):
    rng = np.random.default_rng(1)
    label = rng.random(30) < 0.4
    models = {
        name: iso.OperatingPoints.from_scores(label, rng.normal(label)) for name in ("a, b", "c")
    }
    pair = PairPoints("some task", models)
    assert repr(pair).startswith("Operating points of a, b and c on some task")
    write_csv(tmp_path / "pair.csv", pair)
    result = read_points(tmp_path / "pair.csv")
    assert list(result) == ["a, b", "c"]
    for name, points in models.items():
        assert result[name].tp.tolist() == points.tp.tolist()
        assert result[name].fp.tolist() == points.fp.tolist()
        assert result[name].prg.area() == points.prg.area()


def test_pictures_show_the_numbers(results, tmp_path):
    figure = pictures.draw_heat_map(results)
    mesh = figure.axes[0].collections[0]
    assert np.asarray(mesh.get_array()).sum() == pytest.approx(12)
    assert figure.axes[0].get_xlabel() == "rank by AUPR"
    figure = pictures.draw_scatter(results[:2], marked=results[0].models[:1])
    first, second, ring = figure.axes[0].lines
    assert first.get_xdata() == pytest.approx(results[0].columns["aupr"])
    assert second.get_ydata() == pytest.approx(results[1].columns["auprg"])
    assert ring.get_xdata() == pytest.approx(results[0].columns["aupr"][:1])
    label = np.arange(20) % 3 == 0
    models = {
        name: iso.OperatingPoints.from_scores(label, np.sin(np.arange(20.0) * step))
        for name, step in (("one", 1), ("two", 2))
    }
    figure = pictures.draw_pair(models)
    pictures.save(pictures.draw_pair(models), tmp_path / "a.svg")
    pictures.save(figure, tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "true positive rate",
        "precision",
        "precision gain",
    ]
