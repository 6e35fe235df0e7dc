"""Linear discriminant analysis against a linear support vector machine, on rare positives.

The supervised half of the experiments of Hanczar & Nadif on the tradeoff space (their figures 6
and 8). scikit-learn is imported when a model is fitted.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics.errors import LabelError, MissingValueError, ParameterError
from isometrics.points import OperatingPoints

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats

_MISSING = {"", "?", "<null>"}


class LabelledData(NamedTuple):
    """The features of items, and which items are positive."""

    features: Floats
    positive: NDArray[np.bool_]


def gaussian_data(
    rows: int = 2000,
    *,
    prevalence: float = 0.1,
    distance: float = 1.5,
    dimensions: int = 5,
    seed: int = 0,
) -> LabelledData:
    """Draw two normal classes with different covariances, so that no linear model is optimal.

    Parameters
    ----------
    rows
        The number of items.
    prevalence
        The share of positives; there are at least two.
    distance
        The distance of the class means, along the first dimension.
    dimensions
        The number of features. In the second half of them, the standard deviation of positives is
        twice that of negatives.
    seed
        The seed of the random numbers.
    """
    rng = np.random.default_rng(seed)
    positive = np.arange(rows) < max(2, round(rows * prevalence))
    features = rng.normal(size=(rows, dimensions))
    wide = np.arange(dimensions) >= (dimensions + 1) // 2
    features *= np.where(positive[:, None] & wide, 2.0, 1.0)
    features[:, 0] += distance * positive
    return LabelledData(features, positive)


def read_data(path: str | PathLike[str], *, pos_label: str | None = None) -> LabelledData:
    """Read a file of numbers with the class in its last column: KEEL, numeric ARFF or CSV.

    Parameters
    ----------
    path
        The file. Lines of a KEEL or ARFF header begin with ``@`` or ``%``; a CSV file has no
        header. A text column is converted to a column of 0 and 1 for each of its values.
    pos_label
        The class that is positive, by default the rarest.
    """
    with Path(path).open(newline="", encoding="utf-8") as file:
        body = (line for line in file if line.strip() and line.lstrip()[0] not in "@%")
        rows = [[cell.strip() for cell in row] for row in csv.reader(body)]
    if not rows or any(len(row) != len(rows[0]) for row in rows) or len(rows[0]) < 2:
        raise ParameterError(
            f"{path} must hold rows of equal length, with features and then a class"
        )
    missing = sum(cell in _MISSING for row in rows for cell in row)
    if missing:
        raise MissingValueError(f"{path} has missing values: {missing} in all")
    *columns, classes = (np.array(column) for column in zip(*rows, strict=True))
    values, counts = np.unique(classes, return_counts=True)
    positive = str(values[np.argmin(counts)]) if pos_label is None else pos_label
    if positive not in values or values.size < 2:
        raise LabelError(
            f"{path} has the classes {', '.join(map(repr, values.tolist()))}; two are needed, and "
            f"{positive!r} must be one"
        )
    features = np.column_stack([_parse_feature(column) for column in columns])
    return LabelledData(features, classes == positive)


def _parse_feature(column: NDArray[np.str_]) -> Floats:
    """Return numbers as one column, and texts as one column of 0 and 1 for each value."""
    try:
        numbers = column.astype(np.float64)
    except ValueError:
        return np.asarray(column[:, None] == np.unique(column), np.float64)
    return numbers[:, None]


def lda_and_svm(
    data: LabelledData, *, test_share: float = 0.5, seed: int = 0
) -> dict[str, OperatingPoints]:
    """Fit both models to training data and count their operating points on test data.

    Parameters
    ----------
    data
        From `gaussian_data` or `read_data`.
    test_share
        The share of each class that is used for testing.
    seed
        The seed of the split.

    Notes
    -----
    Features are standardised on the training data. The models are scikit-learn's
    ``LinearDiscriminantAnalysis`` and ``LinearSVC``, whose decision values are the scores.
    """
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    split = train_test_split(*data, test_size=test_share, stratify=data.positive, random_state=seed)
    features, test_features, positive, test_positive = split
    models = {
        "LDA": LinearDiscriminantAnalysis(),
        # The primal problem has a unique solution, so the result does not depend on a seed.
        "SVM": LinearSVC(dual=False),
    }
    points = {}
    for name, model in models.items():
        fitted = make_pipeline(StandardScaler(), model).fit(features, positive)
        scores = fitted.decision_function(test_features)
        points[name] = OperatingPoints.from_scores(test_positive, scores)
    return points
