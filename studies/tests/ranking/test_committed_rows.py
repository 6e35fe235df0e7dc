"""The committed rows of the study come out again, for tasks that need no files."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from isometrics_studies.ranking.datasets import built_in_tasks
from isometrics_studies.ranking.running import settings_of
from isometrics_studies.ranking.scoring import MEASURES, evaluate_task

COMMITTED = Path(__file__).parents[3] / "docs" / "ranking" / "results.parquet"
# Models without random numbers or a solver that stops early, alike in all versions.
STABLE = (
    "Gaussian naive Bayes",
    "5 nearest neighbours",
    "LDA",
    "nearest neighbour",
    "25 weighted neighbours",
)
TASKS = {task.name: task for task in built_in_tasks()}


@pytest.fixture(scope="module")
def committed():
    rows = pq.read_table(COMMITTED).to_pylist()
    return {(row["task"], row["model"]): row for row in rows}


def test_there_is_one_row_for_each_task_and_model(committed):
    tasks = {task for task, _ in committed}
    models = {model for _, model in committed}
    assert pq.read_table(COMMITTED, columns=["task"]).num_rows == len(committed)
    assert len(committed) == len(tasks) * len(models)
    assert len(models) == 30
    assert set(TASKS) <= tasks


@pytest.mark.parametrize("name", ["built-in/wine", "built-in/normal classes, 10% positive"])
def test_rows_come_out_again(committed, name):
    settings = settings_of()._replace(models=STABLE)
    for row in evaluate_task(TASKS[name], settings):
        known = committed[name, row["model"]]
        for column in ("rows", "positives", "family", "rule"):
            assert row[column] == known[column]
        for measure in MEASURES:
            assert row[measure] == pytest.approx(known[measure], abs=1e-9)
            assert row[f"{measure}_first"] == pytest.approx(known[f"{measure}_first"], abs=1e-6)
        assert row["f1_second"] == pytest.approx(known["f1_second"], abs=1e-6)
