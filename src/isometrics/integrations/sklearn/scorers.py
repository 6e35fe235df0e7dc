"""Scorers for ``cross_validate``, ``GridSearchCV`` and the like, as objects and by name.

scikit-learn offers no public way to add names to its own registry, so ``scoring="auprg"`` is not
understood there: pass the objects, or ``scoring=get_scorer("auprg")``.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sklearn.metrics import make_scorer

from isometrics._core.parameters import check_beta, check_choice
from isometrics.points import OperatingPoints
from isometrics.score_functions import (
    aupr_score,
    auprg_score,
    auroc_score,
    fbeta_gain_score,
    tradeoff_score,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike


def achievable_aupr_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the area under the achievable PR curve, the image of the ROC convex hull.

    Davis & Goadrich (2006), section 5, propose it as a target for learning.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As for `isometrics.aupr_score`.

    Examples
    --------
    >>> from isometrics.integrations.sklearn import achievable_aupr_score
    >>> round(achievable_aupr_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]), 6)
    0.887327
    """
    points = OperatingPoints.from_scores(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight
    )
    return points.hull().pr.area()


def _of_scores(function: Callable[..., Any]) -> Any:
    # The order is that of scikit-learn's own scorers of rankings.
    return make_scorer(function, response_method=("decision_function", "predict_proba"))


def make_f_gain_scorer(beta: float = 1.0, *, pos_label: object = None) -> Any:
    """Return a scorer of the F_β gain of predicted classes.

    Without a true positive the gain is -inf: such a model is worse than any other.

    Parameters
    ----------
    beta
        0 is the precision gain, ``inf`` the recall gain.
    pos_label
        The positive class, where it is not 1.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from isometrics.integrations.sklearn import make_f_gain_scorer
    >>> X, y = make_classification(300, random_state=0)
    >>> cross_val_score(LogisticRegression(), X, y, scoring=make_f_gain_scorer(2)).round(3)
    array([0.896, 0.936, 0.936, 0.929, 0.899])
    """
    return make_scorer(fbeta_gain_score, beta=check_beta(beta), pos_label=pos_label)


auprg_scorer = _of_scores(auprg_score)
"""`isometrics.auprg_score` of a model's scores."""

aupr_scorer = _of_scores(aupr_score)
"""`isometrics.aupr_score` of a model's scores."""

achievable_aupr_scorer = _of_scores(achievable_aupr_score)
"""`achievable_aupr_score` of a model's scores."""

auroc_scorer = _of_scores(auroc_score)
"""`isometrics.auroc_score` of a model's scores."""

tradeoff_scorer = _of_scores(tradeoff_score)
"""`isometrics.tradeoff_score` of a model's scores, by the F-measure."""

f_gain_scorer = make_f_gain_scorer()
"""The F₁ gain of a model's predicted classes."""

SCORERS: Mapping[str, Any] = MappingProxyType(
    {
        "auprg": auprg_scorer,
        "aupr": aupr_scorer,
        "achievable_aupr": achievable_aupr_scorer,
        "auroc": auroc_scorer,
        "f_gain": f_gain_scorer,
        "tradeoff": tradeoff_scorer,
    }
)
"""The scorers by name."""


def get_scorer(name: str) -> Any:
    """Return a scorer by its name in `SCORERS`.

    Examples
    --------
    >>> from isometrics.integrations.sklearn import SCORERS, get_scorer
    >>> sorted(SCORERS)
    ['achievable_aupr', 'aupr', 'auprg', 'auroc', 'f_gain', 'tradeoff']
    >>> get_scorer("auprg")
    make_scorer(auprg_score, response_method=('decision_function', 'predict_proba'))
    """
    return SCORERS[check_choice(name, "name", tuple(SCORERS))]
