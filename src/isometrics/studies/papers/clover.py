"""AdaBoost and logistic regression on white clover: Figure 5 of Flach & Kull (2015)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from isometrics.errors import FileError
from isometrics.points import OperatingPoints
from isometrics.studies.linear_models import LabelledData, read_data

if TYPE_CHECKING:
    from pathlib import Path

PATTERN = "*white*clover*.arff"
MAJORITY = "0<=WhiteClover-94<8.8225"

RANKINGS = {
    "AdaBoost": "101111101101100111111110100110000000011010000000100000000000000",
    "Logistic regression": "111111110011010101011101000110010100110000000010000000001000000",
}
"""Rankings of 25 positives and 38 negatives, as many as in the data, found by a search: both
areas of both are those that the paper prints."""


def with_printed_areas() -> dict[str, OperatingPoints]:
    """Return the rankings that carry the printed areas."""
    return {
        name: OperatingPoints.from_scores([int(label) for label in row], -np.arange(len(row)))
        for name, row in RANKINGS.items()
    }


def clover_file(folder: Path) -> Path:
    """Return the file of the data inside a folder."""
    found = sorted(folder.rglob(PATTERN)) if folder.is_dir() else []
    if not found:
        raise FileError(
            f"there is no file {PATTERN} in {str(folder)!r}; give the folder that holds OpenML's "
            "or WEKA's white-clover data, or leave --data away"
        )
    return found[0]


@cache
def fitted(path: Path) -> dict[str, OperatingPoints]:
    """Fit both models to the data, by ten stratified folds, and pool their scores.

    The classes but the largest together are positive, as in OpenML's binary version of the data.
    """
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    data = read_data(path, pos_label=MAJORITY)
    data = LabelledData(data.features, ~data.positive)
    models = {
        "AdaBoost": AdaBoostClassifier(random_state=0),
        "Logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000)),
    }
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    points = {}
    for name, model in models.items():
        scores = cross_val_predict(model, *data, cv=folds, method="decision_function")
        points[name] = OperatingPoints.from_scores(data.positive, scores)
    return points
