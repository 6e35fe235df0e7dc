"""Several classes: one table for each, averages on the gain scale, one pooled table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.arrays import column
from isometrics._core.class_rows import parse_predictions, rows_of_indicators, rows_of_labels
from isometrics._core.class_scores import parse_matrix, sorted_classes
from isometrics.analysis.classes import tables_of
from isometrics.errors import DimensionError, LengthError, OneClassError
from isometrics.points.models import count_models

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from isometrics.points import OperatingPoints


def points_per_class(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    classes: Sequence[object] | None = None,
    sample_weight: ArrayLike | None = None,
) -> dict[Any, OperatingPoints]:
    """Return the operating points of each class against the rest.

    Parameters
    ----------
    y_true
        One label a row; or, for multilabel data, an indicator matrix with a column for each
        class, sparse or not.
    y_score
        A matrix of scores with a column for each class, such as ``predict_proba`` gives.
    classes
        The classes in the order of the columns, such as ``estimator.classes_``. By default the
        sorted labels of `y_true`, or for multilabel data the numbers of the columns.
    sample_weight
        Weights of the rows.

    Examples
    --------
    >>> from isometrics.integrations.sklearn import points_per_class
    >>> scores = [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.2, 0.3, 0.5], [0.5, 0.4, 0.1]]
    >>> tables = points_per_class(["a", "b", "c", "b"], scores)
    >>> {name: points.roc.area() for name, points in tables.items()}
    {'a': 1.0, 'b': 1.0, 'c': 1.0}
    """
    given = parse_predictions(
        y_true, y_score, "y_score", sample_weight=sample_weight, classes=classes
    )
    matrix, truth = parse_matrix(y_score, "y_score"), parse_matrix(y_true, "y_true")
    if matrix is None:
        raise DimensionError(
            f"y_score must have a column for each class but has {np.ndim(y_score)} dimension(s)"
        )
    if truth is None:
        names = given.classes or sorted_classes(column(y_true, "y_true"))
        if len(names) != len(matrix.columns):
            raise LengthError(
                f"y_score has {len(matrix.columns)} columns but there are {len(names)} classes; "
                "name those of the columns with classes="
            )
        samples = rows_of_labels(given, dict(zip(names, matrix.columns, strict=True)))
    else:
        samples = rows_of_indicators(given._replace(scores=y_score), truth)
    tables = {}
    for name, sample in samples.items():
        try:
            (tables[name],) = count_models(sample).values()
        except OneClassError as error:
            none = not sample.labels.any()
            raise OneClassError(
                f"class {name!r} has only {'negatives' if none else 'positives'} among the rows "
                "that count; leave its column out, or add rows"
            ) from error
    return tables


def micro_points(points: Mapping[Any, OperatingPoints]) -> OperatingPoints:
    """Return the pooled table: every pair of a row and a class is an item, under one threshold.

    It is the sum of the tables, which equals the table of the ravelled indicator and score
    matrices and needs no second look at them. Scores of the classes must be comparable, as
    probabilities are; frequent classes dominate.

    Parameters
    ----------
    points
        The tables, by class.

    Examples
    --------
    >>> from isometrics.integrations.sklearn import micro_points, points_per_class
    >>> scores = [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.2, 0.3, 0.5], [0.5, 0.7, 0.1]]
    >>> pooled = micro_points(points_per_class(["a", "b", "c", "a"], scores))
    >>> pooled.positives, pooled.negatives
    (4, 8)
    """
    first, *others = tables_of(points)
    return sum(others, start=first)
