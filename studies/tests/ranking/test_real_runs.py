"""Real runs of OpenML, where a folder with them is named by ISOMETRICS_DATA.

The files belong to others and are not part of the repository; without the folder there is no test
here, rather than one that is skipped.
"""

import os
from pathlib import Path

import arff
import pytest
from sklearn.metrics import roc_auc_score

from isometrics_studies.ranking.runs import read_runs

FOLDER = Path(os.environ.get("ISOMETRICS_DATA", ""), "openml_predictions")
DIABETES = "EvaluationEngine_task115_diabetes_predictions"

if "ISOMETRICS_DATA" in os.environ:

    def test_files_about_the_same_rows_are_models_of_one_task():
        tasks, unusable = read_runs(FOLDER)
        sizes = sorted((row["rows"], row["positives"]) for task in tasks for row in task.rows())
        assert sizes == [(150, 50), (625, 288), (625, 288), (768, 268), (3125, 1440)]
        assert sorted(len(task.runs) for task in tasks) == [1, 1, 1, 2]
        assert [(each.name, "learning curve" in each.reason) for each in unusable] == [
            ("openml-r_run1.predictions.arff", True)
        ]

    def test_areas_are_those_of_other_readers():
        with (FOLDER / f"{DIABETES}.arff").open(encoding="utf-8") as file:
            content = arff.load(file)
        names = [name for name, _ in content["attributes"]]
        truth = next(names.index(name) for name in ("correct", "truth") if name in names)
        labels = [row[truth] for row in content["data"]]
        rare = min(set(labels), key=labels.count)
        scores = [row[names.index(f"confidence.{rare}")] for row in content["data"]]
        positive = [label == rare for label in labels]
        (ours,) = (
            row for task in read_runs(FOLDER)[0] for row in task.rows() if row["model"] == DIABETES
        )
        assert ours["auroc"] == pytest.approx(roc_auc_score(positive, scores), rel=1e-12)
