"""A classifier with the table of its out-of-fold scores: what both meta-estimators share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedShuffleSplit, check_cv
from sklearn.utils import Bunch, _safe_indexing, check_array, column_or_1d, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from isometrics.errors import (
    LabelError,
    LengthError,
    OneClassError,
    ParameterError,
    ScoreError,
    warn,
)
from isometrics.integrations.sklearn.response import positive_place, positive_scores
from isometrics.intervals import optimal_thresholds
from isometrics.parameters import clean_beta
from isometrics.points import OperatingPoints

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class _Fold(NamedTuple):
    estimator: Any
    rows: NDArray[np.intp]
    scores: NDArray[Any]


class PooledScoresClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Base of the meta-estimators: fits a classifier, and tabulates scores it did not learn from.

    Subclasses decide from the table.
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
        clean_beta(self.beta)
        if y is None:
            raise LabelError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        X, y = indexable(X, y)
        y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
        kind = type_of_target(y, input_name="y")
        if kind != "binary":
            # The words are those that scikit-learn's own checks look for.
            raise LabelError(f"Only binary classification is supported. Unknown label type: {kind}")
        labels = column_or_1d(y, warn=True)
        weights = None if sample_weight is None else _row_weights(sample_weight, labels)
        _refuse_one_class(labels if weights is None else labels[weights != 0], "y has")
        routed = self._routed(weights, fit_params)
        folds = self._folds(X, labels, routed)
        self._tabulate(folds, labels, weights)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    # ------------------------------------------------------------------ scores

    def _folds(self, X: Any, y: NDArray[Any], routed: Bunch) -> list[_Fold]:
        """Fit `estimator_` and return the scores of rows that the scoring model has not seen."""
        if isinstance(self.estimator, FrozenEstimator) or self._cv_is("prefit"):
            # Nothing is learnt here, so every row can be scored by the one model there is.
            self.estimator_ = _fitted(self.estimator)
            scores = positive_scores(self.estimator_, X, self.response_method, self.pos_label)
            return [_Fold(self.estimator_, np.arange(y.size), scores)]
        splits = list(self._splitter(y).split(X, y, **routed.splitter.split))
        if not self.refit and len(splits) > 1:
            raise ParameterError(
                f"refit=False keeps the model of the only split, but cv makes {len(splits)} splits"
            )
        folds: list[_Fold] = Parallel(n_jobs=self.n_jobs)(
            delayed(_fold)(self, X, y, split, number=number, fit_params=routed.estimator.fit)
            for number, split in enumerate(splits)
        )
        self.estimator_ = (
            clone(self.estimator).fit(X, y, **routed.estimator.fit)
            if self.refit
            else folds[0].estimator
        )
        return folds

    def _splitter(self, y: NDArray[Any]) -> Any:
        if isinstance(self.cv, float):
            return StratifiedShuffleSplit(
                n_splits=1, test_size=self.cv, random_state=self.random_state
            )
        return check_cv(self.cv, y=y, classifier=True)

    def _cv_is(self, name: str) -> bool:
        return isinstance(self.cv, str) and self.cv == name

    def _tabulate(self, folds: list[_Fold], y: NDArray[Any], weights: NDArray[Any] | None) -> None:
        classes = self.classes_
        strange = ~np.isin(y, classes)
        if strange.any():
            raise LabelError(
                f"y has the label {y[strange].tolist()[0]!r}, which is not among the classes "
                f"{classes.tolist()!r} of the fitted estimator"
            )
        scores = np.concatenate([fold.scores for fold in folds])
        # A fold of one row, as in leave-one-out, says nothing about constant scores.
        long = [fold.scores for fold in folds if fold.rows.size > 1] or [scores]
        if all((part == part[0]).all() for part in long):
            raise ScoreError(
                f"{type(self.estimator).__name__} gives every row the same score, so no threshold "
                "can tell the classes apart"
            )
        rows = np.concatenate([fold.rows for fold in folds])
        # What the table was counted with holds until the next fit, whatever is set meanwhile.
        self._positive_place = positive_place(classes, self.pos_label)
        self._response_method = self.response_method
        positive = classes[self._positive_place]
        self.points_ = OperatingPoints.from_scores(
            y[rows] == positive,
            scores,
            sample_weight=None if weights is None else weights[rows],
        )
        self.optimal_thresholds_ = optimal_thresholds(self.points_)

    # ------------------------------------------------------------------ answers

    @property
    def classes_(self) -> NDArray[Any]:
        """The two class labels."""
        # An AttributeError before `fit`, as for any attribute that fit sets.
        return np.asarray(self.estimator_.classes_)

    def _scores(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self, "estimator_")
        return positive_scores(
            self.estimator_, X, self._response_method, self.classes_[self._positive_place]
        )

    def _labels(self, positive: NDArray[np.bool_]) -> NDArray[Any]:
        place = self._positive_place
        return np.asarray(self.classes_[np.where(positive, place, 1 - place)])

    # ------------------------------------------------------------------ scikit-learn's protocols

    def _routed(self, weights: NDArray[Any] | None, fit_params: dict[str, Any]) -> Bunch:
        """Return what goes to the classifier's ``fit`` and to the splitter's ``split``."""
        if get_config()["enable_metadata_routing"]:
            return process_routing(self, "fit", sample_weight=weights, **fit_params)
        given = dict(fit_params)
        if weights is not None and has_fit_parameter(self.estimator, "sample_weight"):
            given["sample_weight"] = weights
        elif weights is not None:
            warn(
                f"{type(self.estimator).__name__}.fit takes no sample_weight, so the weights count "
                "in the choice of the threshold only; metadata routing can pass them further",
                UserWarning,
            )
        return Bunch(estimator=Bunch(fit=given), splitter=Bunch(split={}))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return where metadata goes: to the table, the classifier and the splitter."""
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        to_split = MethodMapping().add(caller="fit", callee="split")
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(estimator=self.estimator, method_mapping=to_fit)
            .add(splitter=self.cv, method_mapping=to_split)
        )

    def __sklearn_tags__(self) -> Any:
        """Take two classes only, and the kinds of input that the classifier takes."""
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags


def _fold(
    owner: PooledScoresClassifier,
    X: Any,
    y: NDArray[Any],
    split: tuple[NDArray[np.intp], NDArray[np.intp]],
    *,
    number: int,
    fit_params: dict[str, Any],
) -> _Fold:
    train, test = map(np.asarray, split)
    _refuse_one_class(y[train], f"the training rows of fold {number} have")
    estimator = clone(owner.estimator).fit(
        _safe_indexing(X, train), y[train], **_rows_of(fit_params, train, y.size)
    )
    scores = positive_scores(
        estimator, _safe_indexing(X, test), owner.response_method, owner.pos_label
    )
    return _Fold(estimator, test, scores)


def _rows_of(params: dict[str, Any], rows: NDArray[np.intp], size: int) -> dict[str, Any]:
    """Cut the parameters that have one value a row."""
    return {
        name: _safe_indexing(value, rows)
        if hasattr(value, "__len__") and not isinstance(value, str) and len(value) == size
        else value
        for name, value in params.items()
    }


def _fitted(estimator: Any) -> Any:
    try:
        check_is_fitted(estimator)
    except NotFittedError as error:
        raise NotFittedError(
            f'cv="prefit" needs a fitted estimator, but this {type(estimator).__name__} is not '
            "fitted; call its fit first"
        ) from error
    return estimator


def _refuse_one_class(y: NDArray[Any], who: str) -> None:
    classes = np.unique(y).tolist()
    if len(classes) == 1:
        raise OneClassError(f"{who} one class only, {classes[0]!r}, but two are needed")


def _row_weights(sample_weight: ArrayLike, y: NDArray[Any]) -> NDArray[Any]:
    # Integers stay integers, so that the counts of the table stay exact.
    weights = check_array(sample_weight, ensure_2d=False, dtype=None, input_name="sample_weight")
    if weights.shape != y.shape:
        raise LengthError(
            f"sample_weight has the shape {weights.shape} but one weight for each of the "
            f"{y.size} rows is needed"
        )
    return np.asarray(weights)
