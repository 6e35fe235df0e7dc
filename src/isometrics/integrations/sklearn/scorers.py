"""Scorers for ``cross_validate``, ``GridSearchCV`` and the like, as objects and by name.

scikit-learn offers no public way to add names to its own registry, so ``scoring="auprg"`` is not
understood there: pass the objects, or ``scoring=get_scorer("auprg")``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from sklearn.metrics import make_scorer

from isometrics._core.parameters import check_beta, check_choice
from isometrics.measures import (
    ACHIEVABLE_AUPR,
    AUPR,
    AUPRG,
    AUROC,
    TRADEOFF_AREA,
    ComparedMeasures,
    Measure,
    f_key,
    measure_named,
    registered,
)
from isometrics.score_functions import SCORE_FUNCTIONS, fbeta_gain_score, measure_score

if TYPE_CHECKING:
    from collections.abc import Mapping


def _make_scorer(measure: Measure, pos_label: object = None) -> Any:
    """Return the scorer of a measure, by the score function of its own where there is one."""
    # The order of methods is that of scikit-learn's own scorers of rankings.
    options: dict[str, Any] = {"response_method": ("decision_function", "predict_proba")}
    if pos_label is not None:
        # scikit-learn takes the scores of this class then.
        options["pos_label"] = pos_label
    if measure in SCORE_FUNCTIONS:
        return make_scorer(SCORE_FUNCTIONS[measure], **options)
    return make_scorer(measure_score, measure=measure, **options)


@cache
def _scorer_of(measure: Measure) -> Any:
    """Return the one scorer of a measure."""
    return _make_scorer(measure)


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


auprg_scorer = _scorer_of(AUPRG)
"""`isometrics.auprg_score` of a model's scores."""

aupr_scorer = _scorer_of(AUPR)
"""`isometrics.aupr_score` of a model's scores."""

achievable_aupr_scorer = _scorer_of(ACHIEVABLE_AUPR)
"""The area under the achievable PR curve, the image of the ROC hull (Davis & Goadrich 2006)."""

auroc_scorer = _scorer_of(AUROC)
"""`isometrics.auroc_score` of a model's scores."""

tradeoff_scorer = _scorer_of(TRADEOFF_AREA)
"""`isometrics.tradeoff_score` of a model's scores, by the F-measure."""

f_gain_scorer = make_f_gain_scorer()
"""The F₁ gain of a model's predicted classes."""

F1_GAIN = f"{f_key(1)}_gain"
SCORERS: Mapping[str, Any] = ComparedMeasures(
    _scorer_of,
    {
        ACHIEVABLE_AUPR.key: achievable_aupr_scorer,
        F1_GAIN: f_gain_scorer,
    },
)
"""The scorers by name, those of measures that you register among them."""


def get_scorer(name: str, *, pos_label: object = None) -> Any:
    """Return a scorer by its name in `SCORERS`, or by the name of any other measure.

    Parameters
    ----------
    name
        The name; capital letters do not matter.
    pos_label
        The positive class, where labels are not 0/1, -1/+1 or booleans. The scores are then those
        of this class.

    Examples
    --------
    >>> from isometrics.integrations.sklearn import SCORERS, get_scorer
    >>> sorted(SCORERS)
    ['achievable_aupr', 'aupr', 'auprg', 'auroc', 'average_precision', 'f1_gain', 'tradeoff_area']
    >>> get_scorer("auprg")
    make_scorer(auprg_score, response_method=('decision_function', 'predict_proba'))
    """
    measures = {each.key: each for each in registered() if each.higher_is_better}
    named = measure_named(name) if isinstance(name, str) and name not in SCORERS else None
    if named is not None and named.key in measures:
        name = named.key
    check_choice(name, "name", tuple(dict.fromkeys((*SCORERS, *measures))))
    if pos_label is None:
        return SCORERS[name]
    if name == F1_GAIN:
        return make_f_gain_scorer(pos_label=pos_label)
    return _make_scorer(measures[name], pos_label)
