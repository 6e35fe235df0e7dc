"""Scores of a fitted classifier for its positive class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.errors import LabelError, ParameterError
from isometrics.parameters import clean_choice

if TYPE_CHECKING:
    from numpy.typing import NDArray

METHODS = ("predict_proba", "decision_function")


def positive_scores(
    estimator: Any, X: Any, response_method: str = "auto", pos_label: object = None
) -> NDArray[Any]:
    """Return one score a row: the higher, the more likely the positive class."""
    place = positive_place(estimator.classes_, pos_label)
    method = response_name(estimator, response_method)
    values = np.asarray(getattr(estimator, method)(X))
    if method == "predict_proba":
        return np.asarray(values[:, place])
    # Decision functions of two classes speak for the second one.
    return values if place == 1 else -values


def response_name(estimator: Any, response_method: str) -> str:
    """Return the name of the method that gives the scores, the first that the estimator has."""
    clean_choice(response_method, "response_method", ("auto", *METHODS))
    wanted = METHODS if response_method == "auto" else (response_method,)
    for name in wanted:
        if hasattr(estimator, name):
            return name
    raise ParameterError(
        f"{type(estimator).__name__} has no {' and no '.join(wanted)}, which scores come from"
    )


def positive_place(classes: NDArray[Any], pos_label: object = None) -> int:
    """Return where the positive class stands among two; by default it is the second."""
    known: list[object] = np.asarray(classes).tolist()
    if len(known) != 2:
        raise LabelError(f"two classes are needed but the classifier has {len(known)}: {known!r}")
    if pos_label is None:
        return 1
    if pos_label not in known:
        raise LabelError(f"pos_label {pos_label!r} is not among the classes {known!r}")
    return known.index(pos_label)
