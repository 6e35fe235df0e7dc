"""Several classes: one table for each, averages on the gain scale, one pooled table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.parameters import check_beta, check_choice
from isometrics.decisions.best import best_threshold
from isometrics.errors import DimensionError, EmptyInputError, LengthError, OneClassError
from isometrics.measures import AUPRG
from isometrics.points import OperatingPoints

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

_GAINS: dict[str, Callable[[OperatingPoints, float], float]] = {
    AUPRG.key: lambda table, _: AUPRG.of(table),
    "expected-f-gain": lambda table, beta: table.prg.expected_f_gain(beta),
    "best-f-gain": lambda table, beta: best_threshold(table, beta=beta).f_gain,
}


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
    scores = np.asarray(y_score)
    if scores.ndim != 2:
        raise DimensionError(
            f"y_score must have a column for each class but has {scores.ndim} dimension(s)"
        )
    members, names = _members(y_true, classes)
    if len(names) != scores.shape[1]:
        raise LengthError(
            f"y_score has {scores.shape[1]} columns but there are {len(names)} classes; name those "
            "of the columns with classes="
        )
    tables = {}
    for place, name in enumerate(names):
        try:
            tables[name] = OperatingPoints.from_scores(
                members[:, place], scores[:, place], sample_weight=sample_weight
            )
        except OneClassError as error:
            none = not members[:, place].any()
            raise OneClassError(
                f"class {name!r} has only {'negatives' if none else 'positives'} among the rows "
                "that count; leave its column out, or add rows"
            ) from error
    return tables


def _members(
    y_true: ArrayLike, classes: Sequence[object] | None
) -> tuple[NDArray[np.bool_], list[Any]]:
    """Return who belongs to which class, a column for each, and the names of the classes."""
    dense: Any = y_true.toarray() if hasattr(y_true, "toarray") else np.asarray(y_true)
    given = None if classes is None else np.asarray(classes).tolist()
    if dense.ndim == 2:
        if not np.isin(dense, (0, 1)).all():
            raise DimensionError(
                "y_true is a matrix, so it must be an indicator of 0 and 1 with a column for "
                "each class"
            )
        return dense.astype(np.bool_), list(range(dense.shape[1])) if given is None else given
    names = np.unique(dense).tolist() if given is None else given
    return np.column_stack([dense == name for name in names]), names


def macro_average(
    points: Mapping[Any, OperatingPoints], measure: str = AUPRG.key, *, beta: float = 1.0
) -> float:
    """Return the mean of the classes' gains.

    Classes differ in prevalence, so their precision, F and AUPR start from different baselines
    and have no common mean. On the gain scale always-positive is the same for all: a precision
    gain of 0 and a recall gain of 1 (Flach & Kull 2015).

    Parameters
    ----------
    points
        The tables, by class.
    measure
        ``"auprg"``; ``"expected-f-gain"``: the F_β gain expected of a random threshold;
        ``"best-f-gain"``: that of each class's best threshold.
    beta
        The β of the F gains.

    Examples
    --------
    >>> from isometrics.integrations.sklearn import macro_average, points_per_class
    >>> scores = [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.2, 0.3, 0.5], [0.5, 0.7, 0.1]]
    >>> round(macro_average(points_per_class(["a", "b", "c", "a"], scores)), 6)
    0.722222
    """
    gain = _GAINS[check_choice(measure, "measure", tuple(_GAINS))]
    beta = check_beta(beta)
    return float(np.mean([gain(table, beta) for table in _some(points)]))


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
    first, *others = _some(points)
    return sum(others, start=first)


def _some(points: Mapping[Any, OperatingPoints]) -> list[OperatingPoints]:
    if not points:
        raise EmptyInputError("points is empty; at least one class is needed")
    return list(points.values())
