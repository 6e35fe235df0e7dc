"""Meta-estimators that set thresholds or calibrate on out-of-fold scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedShuffleSplit, check_cv
from sklearn.utils import Bunch, _safe_indexing, check_array, column_or_1d, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params, check_is_fitted, has_fit_parameter

from isometrics._core.parameters import check_beta, check_choice
from isometrics.calibration import FCalibrator
from isometrics.decisions.best import best_threshold
from isometrics.errors import LabelError, ParameterError, ScoreError, warn
from isometrics.points import OperatingPoints

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Floats


METHODS = ("predict_proba", "decision_function")


def positive_scores(
    estimator: Any, X: Any, response_method: str = "auto", pos_label: object = None
) -> NDArray[Any]:
    """Return one score for each row; higher scores mean the positive class is more likely."""
    index = positive_index(estimator.classes_, pos_label)
    method = response_name(estimator, response_method)
    values = np.asarray(getattr(estimator, method)(X))
    if method == "predict_proba":
        return np.asarray(values[:, index])
    # The decision function of two classes is high for the second one.
    return values if index == 1 else -values


def response_name(estimator: Any, response_method: str) -> str:
    """Return the name of the method that returns the scores: the first that the estimator has."""
    check_choice(response_method, "response_method", ("auto", *METHODS))
    candidates = METHODS if response_method == "auto" else (response_method,)
    for name in candidates:
        if hasattr(estimator, name):
            return name
    raise ParameterError(
        f"{type(estimator).__name__} has no {' and no '.join(candidates)}, which scores come from"
    )


def positive_index(classes: NDArray[Any], pos_label: object = None) -> int:
    """Return the index of the positive one of two classes; by default it is the second."""
    labels: list[object] = np.asarray(classes).tolist()
    if len(labels) != 2:
        raise LabelError(f"two classes are needed but the classifier has {len(labels)}: {labels!r}")
    if pos_label is None:
        return 1
    if pos_label not in labels:
        raise LabelError(
            f"{pos_label!r} is not among the classes {labels!r}", parameter="pos_label"
        )
    return labels.index(pos_label)


class _Fold(NamedTuple):
    estimator: Any
    rows: NDArray[np.intp]
    scores: NDArray[Any]


class PooledScoresClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Base of the meta-estimators: fits a classifier and counts its out-of-fold scores.

    Subclasses predict from the operating points of these scores.
    """

    def __init__(
        self,
        estimator: Any,
        *,
        beta: float = 1.0,
        cv: Any = None,
        response_method: str = "auto",
        pos_label: object = None,
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.beta = beta
        self.cv = cv
        self.response_method = response_method
        self.pos_label = pos_label
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any
    ) -> Self:
        """Fit the classifier and tabulate its out-of-fold scores.

        Parameters
        ----------
        X
            Training data, as the classifier takes it.
        y
            Labels of two classes.
        sample_weight
            Weights of the rows in the table, and for the classifier if it takes weights. With
            metadata routing its request decides whether it gets them.
        **fit_params
            Passed on to the classifier, and with metadata routing to the splitter.
        """
        check_beta(self.beta)
        if y is None:
            raise LabelError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        X, y, sample_weight = indexable(X, y, sample_weight)
        y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
        kind = type_of_target(y, input_name="y")
        if kind != "binary":
            # scikit-learn's checks of estimators search for this sentence.
            raise LabelError(f"Only binary classification is supported. Unknown label type: {kind}")
        labels = column_or_1d(y, warn=True)
        weights = None if sample_weight is None else np.asarray(sample_weight)
        routed = self._route(weights, fit_params)
        folds = self._fit_folds(X, labels, routed)
        self._tabulate(folds, labels, weights)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    # ------------------------------------------------------------------ scores

    def _fit_folds(self, X: Any, y: NDArray[Any], routed: Bunch) -> list[_Fold]:
        """Fit `estimator_`, and return scores of rows that the scoring model was not fitted on."""
        if isinstance(self.estimator, FrozenEstimator) or str(self.cv) == "prefit":
            # The model was fitted on other rows, so that it can score all of these.
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
            scores = positive_scores(self.estimator_, X, self.response_method, self.pos_label)
            return [_Fold(self.estimator_, np.arange(y.size), scores)]
        if isinstance(self.cv, float):
            splitter = StratifiedShuffleSplit(1, test_size=self.cv, random_state=self.random_state)
        else:
            splitter = check_cv(self.cv, y=y, classifier=True)
        splits = list(splitter.split(X, y, **routed.splitter.split))
        if not self.refit and len(splits) > 1:
            raise ParameterError(
                f"refit=False keeps the model of the only split, but cv makes {len(splits)} splits"
            )
        folds: list[_Fold] = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_fold)(self, X, y, split, routed.estimator.fit) for split in splits
        )
        self.estimator_ = folds[0].estimator
        if self.refit:
            self.estimator_ = clone(self.estimator).fit(X, y, **routed.estimator.fit)
        return folds

    def _tabulate(self, folds: list[_Fold], y: NDArray[Any], weights: NDArray[Any] | None) -> None:
        classes = self.classes_
        is_unknown = ~np.isin(y, classes)
        if is_unknown.any():
            raise LabelError(
                f"y has the label {y[is_unknown].tolist()[0]!r}, which is not among the classes "
                f"{classes.tolist()!r} of the fitted estimator"
            )
        scores = np.concatenate([fold.scores for fold in folds])
        # A fold of one row, as in leave-one-out, always has constant scores.
        in_folds = [fold.scores for fold in folds if fold.rows.size > 1] or [scores]
        if all((each == each[0]).all() for each in in_folds):
            raise ScoreError(
                f"{type(self.estimator).__name__} gives every row the same score, so no threshold "
                "can tell the classes apart"
            )
        rows = np.concatenate([fold.rows for fold in folds])
        # Predictions use the parameters of the last fit, whatever set_params has changed since.
        self._positive_index = positive_index(classes, self.pos_label)
        self._response_method = self.response_method
        positive = classes[self._positive_index]
        self.points_ = OperatingPoints.from_scores(
            y[rows] == positive,
            scores,
            sample_weight=None if weights is None else weights[rows],
        )

    # ------------------------------------------------------------------ predictions

    @property
    def classes_(self) -> NDArray[Any]:
        """The two class labels."""
        # An AttributeError before `fit`, as for any attribute that fit sets.
        return np.asarray(self.estimator_.classes_)

    @property
    def _fitted(self) -> Any:
        check_is_fitted(self, "estimator_")
        return self.estimator_

    def _scores(self, X: Any) -> NDArray[Any]:
        return positive_scores(
            self._fitted, X, self._response_method, self.classes_[self._positive_index]
        )

    def _labels(self, positive: NDArray[np.bool_]) -> NDArray[Any]:
        index = self._positive_index
        return np.asarray(self.classes_[np.where(positive, index, 1 - index)])

    # ------------------------------------------------------------------ scikit-learn's protocols

    def _route(self, weights: NDArray[Any] | None, fit_params: dict[str, Any]) -> Bunch:
        """Return the arguments of the classifier's ``fit`` and of the splitter's ``split``."""
        if get_config()["enable_metadata_routing"]:
            return process_routing(self, "fit", sample_weight=weights, **fit_params)
        params = dict(fit_params)
        if weights is not None and has_fit_parameter(self.estimator, "sample_weight"):
            params["sample_weight"] = weights
        elif weights is not None:
            warn(
                f"{type(self.estimator).__name__}.fit takes no sample_weight, so the weights count "
                "in the choice of the threshold only; metadata routing can pass them further",
                UserWarning,
            )
        return Bunch(estimator=Bunch(fit=params), splitter=Bunch(split={}))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return how metadata is routed: to this estimator, the classifier and the splitter."""
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        to_split = MethodMapping().add(caller="fit", callee="split")
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(estimator=self.estimator, method_mapping=to_fit)
            .add(splitter=self.cv, method_mapping=to_split)
        )

    def __sklearn_tags__(self) -> Any:
        """Return the tags of a binary classifier that takes the input of its classifier."""
        tags = super().__sklearn_tags__()
        input_tags = get_tags(self.estimator).input_tags
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = input_tags.sparse
        tags.input_tags.allow_nan = input_tags.allow_nan
        return tags


def _fit_fold(
    owner: PooledScoresClassifier, X: Any, y: NDArray[Any], split: Any, fit_params: dict[str, Any]
) -> _Fold:
    train, test = split
    params = _check_method_params(X, fit_params, indices=train)
    estimator = clone(owner.estimator).fit(_safe_indexing(X, train), y[train], **params)
    scores = positive_scores(
        estimator, _safe_indexing(X, test), owner.response_method, owner.pos_label
    )
    return _Fold(estimator, np.asarray(test), scores)


def _estimator_has(method: str) -> Callable[[Any], bool]:
    def check(self: Any) -> bool:
        # The AttributeError of the classifier gives the reason why the method is missing.
        getattr(getattr(self, "estimator_", self.estimator), method)
        return True

    return check


class FBetaThresholdClassifier(PooledScoresClassifier):
    """A classifier with the threshold that is best for F_β, exactly and for every β.

    The out-of-fold scores of a cross-validation are pooled into one table of operating points. The
    best threshold for every β comes from the hull of that table, so ``set_params(beta=2)`` after
    `fit` moves the threshold without fitting again. Other parameters that are set after `fit` take
    effect at the next `fit`.

    Parameters
    ----------
    estimator
        A binary classifier with ``predict_proba`` or ``decision_function``.
    beta
        The β of F_β: above 1 recall counts more; 0 is precision alone, ``inf`` recall alone.
    cv
        The cross-validation: a number of stratified folds (5 by default), a splitter, an iterable
        of splits, or a share of rows, such as 0.2, to be held out once. ``"prefit"``: `estimator`
        is fitted already, and ``fit`` takes tuning data that it was not fitted on; so does a
        ``FrozenEstimator``.
    response_method
        ``"predict_proba"``, ``"decision_function"``, or ``"auto"``: the first that exists.
    pos_label
        The positive class; by default the second one of ``classes_``.
    refit
        Fit `estimator` on all rows in the end. False keeps the model of a single split. Ignored
        with ``cv="prefit"``.
    n_jobs
        The number of folds that are fitted at the same time.
    random_state
        The seed of the split when `cv` is a share.

    Attributes
    ----------
    estimator_
        The fitted classifier.
    points_
        The operating points of the pooled scores.
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
    which costs one sort. So the test rows of a fold may have one class only, as in leave-one-out.

    The threshold is exactly optimal on the pooled scores; on new data it is an estimate.

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
        """The best threshold for the current β; the highest of several equally good ones."""
        check_is_fitted(self, "estimator_")
        return best_threshold(self.points_, beta=self.beta).threshold

    @property
    def best_score_(self) -> float:
        """F_β of the current threshold on the pooled scores."""
        return float(self.points_.at(self.best_threshold_).f(self.beta)[0])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row: positive at or above the best threshold for β."""
        return self._labels(self._scores(X) >= self.best_threshold_)

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the fitted classifier; the threshold is not applied."""
        return np.asarray(self._fitted.predict_proba(X))

    @available_if(_estimator_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of the probabilities of the fitted classifier."""
        return np.asarray(self._fitted.predict_log_proba(X))

    @available_if(_estimator_has("decision_function"))
    def decision_function(self, X: Any) -> Floats:
        """Return the decision function of the fitted classifier; the threshold is not applied."""
        return np.asarray(self._fitted.decision_function(X))


class FCalibratedClassifier(PooledScoresClassifier):
    """A classifier with F-calibrated scores, whose best threshold for F_β is 1/(1+β²).

    The map from scores to F-calibrated scores d is fitted to pooled out-of-fold scores. The same
    map is used for every β, which may be changed after `fit`. The scores are not probabilities, so
    there is no ``predict_proba``; that of the classifier itself is ``estimator_.predict_proba``.

    Parameters
    ----------
    estimator, beta, cv, response_method, pos_label, refit, n_jobs, random_state
        As for `FBetaThresholdClassifier`.

    Attributes
    ----------
    calibrator_
        The fitted `isometrics.FCalibrator`.
    estimator_, points_, classes_, n_features_in_, feature_names_in_
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

    @property
    def calibrator_(self) -> FCalibrator:
        """The map of the pooled scores."""
        check_is_fitted(self, "estimator_")
        return FCalibrator.from_points(self.points_)

    def f_calibrated_score(self, X: Any) -> Floats:
        """Return d for each row, between 0 and 1 and the same for every β."""
        return self.calibrator_.transform(self._scores(X))

    def decision_function(self, X: Any) -> Floats:
        """Return d - 1/(1+β²), with the sign reversed if the first class is the positive one.

        So values above 0 mean the second class, as everywhere in scikit-learn. A row at exactly 0
        is predicted positive.
        """
        margin = self._margin(X)
        return margin if self._positive_index == 1 else -margin

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row: positive where d is 1/(1+β²) or more."""
        return self._labels(self._margin(X) >= 0)

    def _margin(self, X: Any) -> Floats:
        scores = self.f_calibrated_score(X)
        # A product overflows to inf, where a power would raise OverflowError.
        beta = check_beta(self.beta)
        return np.asarray(scores - 1 / (1 + beta * beta))
