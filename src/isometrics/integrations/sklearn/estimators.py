"""Meta-estimators that decide for F_β: by a threshold, or by F-calibrated scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from isometrics.calibrate import FCalibrator
from isometrics.columns import plain
from isometrics.decide import best_threshold
from isometrics.integrations.sklearn.pooling import PooledScoresClassifier
from isometrics.parameters import clean_beta, clean_choice

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from isometrics.aliases import Floats


def _inner_has(method: str) -> Callable[[Any], bool]:
    def check(self: Any) -> bool:
        # An AttributeError of the inner estimator says best why the method is missing.
        getattr(getattr(self, "estimator_", self.estimator), method)
        return True

    return check


class FBetaThresholdClassifier(PooledScoresClassifier):
    """A classifier with the threshold that is best for F_β, exactly and for every β.

    The scores of rows that a model has not learnt from, out of a cross-validation, are pooled
    into one table of operating points. The best threshold for every β comes from the hull of that
    table, so ``set_params(beta=2)`` after `fit` moves the threshold, without fitting again. Other
    parameters that are set after `fit` count from the next `fit` on.

    Parameters
    ----------
    estimator
        A binary classifier with ``predict_proba`` or ``decision_function``.
    beta
        The β of F_β: above 1 recall counts more; 0 is precision alone, ``inf`` recall alone.
    cv
        Where out-of-fold scores come from: a number of stratified folds (5 by default), a
        splitter, an iterable of splits, or a share of rows, such as 0.2, to be held out once.
        ``"prefit"``: `estimator` is fitted, and ``fit`` gets tuning data that it has not seen;
        a ``FrozenEstimator`` is treated so too.
    response_method
        ``"predict_proba"``, ``"decision_function"``, or ``"auto"``: the first that exists.
    pos_label
        The positive class; by default the second one of ``classes_``.
    refit
        Fit `estimator` on all rows in the end. False keeps the model of a single split. With
        ``cv="prefit"`` there is nothing to refit.
    n_jobs
        How many folds are fitted at the same time.
    random_state
        The seed of the split when `cv` is a share.

    Attributes
    ----------
    estimator_
        The fitted classifier.
    points_
        The operating points of the pooled scores.
    optimal_thresholds_
        The best threshold for every β.
    best_threshold_, best_score_
        The threshold for the current β, and its F_β on the pooled scores.
    classes_
        The two class labels.
    n_features_in_, feature_names_in_
        As seen by ``estimator_``, if it has them.

    Notes
    -----
    ``TunedThresholdClassifierCV`` of scikit-learn evaluates a grid of thresholds in each fold and
    takes the mean of the folds' scores. A mean of F scores over folds has no meaning as an F
    score (Flach & Kull 2015), and folds with few positives make it unstable. Here the counts are
    pooled first, as Forman & Scholz (2010) recommend for F, and all thresholds are compared,
    which costs one sort. A fold may so have rows of one class only, as in leave-one-out.

    The optimum is exact on the pooled scores; on new data it is as good as the sample.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from isometrics.integrations.sklearn import FBetaThresholdClassifier
    >>> X, y = make_classification(1000, weights=[0.9], class_sep=0.8, random_state=42)
    >>> model = FBetaThresholdClassifier(LogisticRegression()).fit(X, y)
    >>> round(model.best_threshold_, 3), round(model.best_score_, 3)
    (0.174, 0.559)
    >>> round(model.set_params(beta=2).best_threshold_, 3)
    0.134
    """

    @property
    def best_threshold_(self) -> float:
        """The threshold that is best for the current β; the highest one of several."""
        check_is_fitted(self, "estimator_")
        beta = clean_beta(self.beta)
        if beta == 0:
            # Precision alone has ties between rows that are no vertices of the hull.
            return best_threshold(self.points_, beta=0).threshold
        return plain(self.optimal_thresholds_.at(beta).thresholds[0])  # type: ignore[return-value]

    @property
    def best_score_(self) -> float:
        """F_β of the current threshold on the pooled scores."""
        return float(self.points_.at(self.best_threshold_).f(self.beta)[0])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row: positive from the best threshold for the current β on."""
        return self._labels(self._scores(X) >= self.best_threshold_)

    @available_if(_inner_has("predict_proba"))
    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the fitted classifier, which the threshold is set on."""
        return np.asarray(self._ask("predict_proba", X))

    @available_if(_inner_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of the probabilities of the fitted classifier."""
        return np.asarray(self._ask("predict_log_proba", X))

    @available_if(_inner_has("decision_function"))
    def decision_function(self, X: Any) -> Floats:
        """Return the decision function of the fitted classifier, whatever the threshold is."""
        return np.asarray(self._ask("decision_function", X))

    def _ask(self, method: str, X: Any) -> Any:
        check_is_fitted(self, "estimator_")
        return getattr(self.estimator_, method)(X)


class FCalibratedClassifier(PooledScoresClassifier):
    """A classifier with F-calibrated scores: from 1/(1+β²) on, positive is best for F_β.

    The map from scores to F-calibrated scores d is learnt from pooled out-of-fold scores. One map
    serves every β, also after `fit`. The scores are no probabilities, and there is no
    ``predict_proba``; that of the classifier itself is ``estimator_.predict_proba``.

    Parameters
    ----------
    estimator, beta, cv, response_method, pos_label, refit, n_jobs, random_state
        As for `FBetaThresholdClassifier`.
    interpolate
        ``"step"`` keeps every decision exact. ``"linear"`` keeps apart rows that the steps tie,
        but decisions near a threshold are no longer those of the table.

    Attributes
    ----------
    calibrator_
        The fitted `isometrics.FCalibrator`.
    estimator_, points_, optimal_thresholds_, classes_, n_features_in_, feature_names_in_
        As for `FBetaThresholdClassifier`.

    Notes
    -----
    F calibration is that of Flach & Kull (2015), section 3.4. Where 1/(1+β²) is the value of a
    segment of the hull, both of its ends are equally good; this class then takes the lower one,
    `FBetaThresholdClassifier` the higher one.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from isometrics.integrations.sklearn import FCalibratedClassifier
    >>> X, y = make_classification(1000, weights=[0.9], class_sep=0.8, random_state=42)
    >>> model = FCalibratedClassifier(LogisticRegression(), beta=2).fit(X, y)
    >>> model.f_calibrated_score(X[8:11]).round(3)
    array([0.092, 0.271, 0.933])
    >>> model.predict(X[8:11]), 1 / (1 + model.beta**2)
    (array([0, 1, 1]), 0.2)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        beta: float = 1.0,
        cv: Any = None,
        interpolate: str = "step",
        response_method: str = "auto",
        pos_label: object = None,
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            beta=beta,
            cv=cv,
            response_method=response_method,
            pos_label=pos_label,
            refit=refit,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.interpolate = interpolate

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any
    ) -> Self:
        """Fit the classifier and learn the map from its out-of-fold scores.

        Parameters
        ----------
        X, y, sample_weight, **fit_params
            As for `FBetaThresholdClassifier`.
        """
        clean_choice(self.interpolate, "interpolate", ("step", "linear"))
        super().fit(X, y, sample_weight=sample_weight, **fit_params)
        self.calibrator_ = FCalibrator.from_points(self.points_)
        return self

    def f_calibrated_score(self, X: Any) -> Floats:
        """Return d for each row, between 0 and 1 and the same for every β."""
        scores = self._scores(X)
        return self.calibrator_.transform(scores, interpolate=self.interpolate)

    def decision_function(self, X: Any) -> Floats:
        """Return d - 1/(1+β²), with the sign turned where the first class is the positive one.

        So values above 0 speak for the second class, as everywhere in scikit-learn. A row at
        exactly 0 is predicted positive.
        """
        margin = self._margin(X)
        return margin if self._positive_place == 1 else -margin

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row: positive where d is 1/(1+β²) or more."""
        return self._labels(self._margin(X) >= 0)

    def _margin(self, X: Any) -> Floats:
        scores = self.f_calibrated_score(X)
        # A product gives inf where a power would overflow.
        beta = clean_beta(self.beta)
        return np.asarray(scores - 1 / (1 + beta * beta))
