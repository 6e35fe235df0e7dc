"""The folds of a cross-validation: one table of operating points each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import _safe_indexing

from isometrics.errors import OneClassError, ParameterError
from isometrics.integrations.sklearn.response import positive_place, positive_scores
from isometrics.points import OperatingPoints

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike


def points_per_fold(
    cv_results: Mapping[str, Any],
    X: Any,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    response_method: str = "auto",
    pos_label: object = None,
) -> dict[str, OperatingPoints]:
    """Return the operating points of each fold of a cross-validation, for `isometrics.average`.

    Parameters
    ----------
    cv_results
        From ``cross_validate(..., return_estimator=True, return_indices=True)``.
    X, y, sample_weight
        The data that was cross-validated.
    response_method
        ``"predict_proba"``, ``"decision_function"``, or ``"auto"``: the first that exists.
    pos_label
        The positive class; by default the second one of ``estimator.classes_``.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> import isometrics as iso
    >>> from isometrics.integrations.sklearn import points_per_fold
    >>> X, y = make_classification(random_state=0)
    >>> kept = {"return_estimator": True, "return_indices": True}
    >>> folds = points_per_fold(cross_validate(LogisticRegression(), X, y, **kept), X, y)
    >>> list(folds)
    ['0', '1', '2', '3', '4']
    >>> round(iso.average(folds).of("AUROC"), 3)
    0.9
    """
    if not {"estimator", "indices"} <= set(cv_results):
        raise ParameterError(
            "cv_results has no fitted estimators and rows; call cross_validate with "
            "return_estimator=True and return_indices=True"
        )
    tables = {}
    folds = zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True)
    for number, (estimator, rows) in enumerate(folds):
        place = positive_place(estimator.classes_, pos_label)
        try:
            tables[str(number)] = OperatingPoints.from_scores(
                _safe_indexing(y, rows),
                positive_scores(estimator, _safe_indexing(X, rows), response_method, pos_label),
                sample_weight=None
                if sample_weight is None
                else _safe_indexing(sample_weight, rows),
                pos_label=np.asarray(estimator.classes_)[place],
            )
        except OneClassError as error:
            raise OneClassError(
                f"the test rows of fold {number} have one class only, so they have no curve: "
                f"{error}; use a stratified splitter, or iso.analyse with groups= and the scores "
                "of cross_val_predict"
            ) from error
    return tables
