"""Tasks that need no files: data sets that come with scikit-learn, and some drawn from a seed."""

from __future__ import annotations

import numpy as np

from isometrics.studies.linear_models import gaussian_data
from isometrics.studies.ranking.binarise import NATIVE, binarise_classes
from isometrics.studies.ranking.datasets import DataSet
from isometrics.studies.ranking.models import require_sklearn

_SHIPPED = ("breast_cancer", "iris", "wine")
_DRAWN = {"normal classes, 10% positive": 0.1, "normal classes, 30% positive": 0.3}


def built_in_tasks() -> list[DataSet]:
    """Return five tasks; those drawn are of 300 rows."""
    require_sklearn()
    from sklearn import datasets

    tasks = []
    for name in _SHIPPED:
        values, target = getattr(datasets, f"load_{name}")(return_X_y=True)
        positive, rule = binarise_classes([str(label) for label in target])
        nominal = np.zeros(values.shape[1], np.bool_)
        tasks.append(DataSet(f"built-in/{name}", values, nominal, positive, rule))
    for name, prevalence in _DRAWN.items():
        data = gaussian_data(300, prevalence=prevalence, seed=2015)
        nominal = np.zeros(data.features.shape[1], np.bool_)
        tasks.append(DataSet(f"built-in/{name}", data.features, nominal, data.positive, NATIVE))
    return tasks
