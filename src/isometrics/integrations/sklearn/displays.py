"""Displays in the manner of scikit-learn's, from estimators, predictions or folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

import numpy as np
from sklearn.utils import _safe_indexing

from isometrics._core.parameters import check_options
from isometrics.errors import LengthError, OneClassError, ParameterError
from isometrics.integrations.sklearn.estimators import positive_index, positive_scores
from isometrics.points import OperatingPoints

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from isometrics.plot.spaces import SpaceOptions
    from isometrics.spaces.indices import WeightedIndex

    class DisplayOptions(SpaceOptions, total=False):
        """The options of `PointsDisplay.plot`, besides axes and a name."""

        curve_kwargs: Styles
        plot_chance_level: bool
        chance_level_kw: Mapping[str, Any] | None
        despine: bool


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
        index = positive_index(estimator.classes_, pos_label)
        try:
            tables[str(number)] = OperatingPoints.from_scores(
                _safe_indexing(y, rows),
                positive_scores(estimator, _safe_indexing(X, rows), response_method, pos_label),
                sample_weight=None
                if sample_weight is None
                else _safe_indexing(sample_weight, rows),
                pos_label=np.asarray(estimator.classes_)[index],
            )
        except OneClassError as error:
            raise OneClassError(
                f"the test rows of fold {number} have one class only, so they have no curve: "
                f"{error}; use a stratified splitter, or iso.analyse with groups= and the scores "
                "of cross_val_predict"
            ) from error
    return tables


Styles = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None


class PointsDisplay:
    """Base of the displays: one curve, or one for each fold of a cross-validation.

    Parameters
    ----------
    points
        The operating points of one curve, or a list of them.
    name
        The name in the legend; for several curves also a list of names.
    pos_label
        The positive class, for the record.

    Attributes
    ----------
    line_, hull_line_, chance_level_
        What `plot` drew, a list where there are several curves; None where it drew none.
    ax_, figure_
        Where it drew.
    """

    space: ClassVar[str]
    defaults_of_folds: ClassVar[dict[str, Any]] = {}

    def __init__(
        self,
        points: OperatingPoints | Sequence[OperatingPoints],
        *,
        name: str | Sequence[str] | None = None,
        pos_label: object = None,
    ) -> None:
        self.points = points
        self.name = name
        self.pos_label = pos_label

    @property
    def area(self) -> float | list[float]:
        """The area under each curve."""
        areas: float | list[float] = self._each([self._area(points) for points in self._tables()])
        return areas

    @property
    def hull_area(self) -> float | list[float]:
        """The area under each hull."""
        hulls = [points.hull() for points in self._tables()]
        areas: float | list[float] = self._each([self._area(hull) for hull in hulls])
        return areas

    def _area(self, points: OperatingPoints) -> float:
        return float(getattr(points, self.space).area())

    def _tables(self) -> list[OperatingPoints]:
        return [self.points] if isinstance(self.points, OperatingPoints) else list(self.points)

    def _each(self, values: list[Any]) -> Any:
        return values[0] if isinstance(self.points, OperatingPoints) else values

    # ------------------------------------------------------------------ drawing

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | Sequence[str] | None = None,
        curve_kwargs: Styles = None,
        plot_chance_level: bool = False,
        chance_level_kw: Mapping[str, Any] | None = None,
        despine: bool = False,
        **options: Unpack[SpaceOptions],
    ) -> Self:
        """Draw the curves and return the display.

        Parameters
        ----------
        ax
            The axes to draw on; by default those of a new figure.
        name
            In place of the display's own name.
        curve_kwargs
            Properties of the lines; a list gives one mapping to each curve. Several curves
            without a list share one look, and one entry of the legend with mean and standard
            deviation of the areas.
        plot_chance_level
            Draw what can be had without a model.
        chance_level_kw
            Properties of that line.
        despine
            Leave out the upper and the right border.
        **options
            Passed on to the function of `isometrics.plot` for this space: ``hull``, ``isolines``,
            ``points``, ``annotate_hull``, ``grid_of``, ``legend``, …
        """
        from isometrics.integrations.sklearn.artists import draw
        from isometrics.plot.spaces import SpaceOptions

        check_options(self.plot, options, SpaceOptions.__annotations__)
        several = not isinstance(self.points, OperatingPoints)
        tables = self._tables()
        styles = _styles(curve_kwargs, len(tables))
        names = _names(self.name if name is None else name, len(tables))
        chosen = {
            **(self.defaults_of_folds if several else {}),
            **options,
            "baseline": plot_chance_level,
        }
        drawn = draw(self.space, dict(zip(names, tables, strict=True)), ax, chosen)
        if several and not isinstance(curve_kwargs, Sequence):
            areas = [self._area(points) for points in tables]
            hull_areas = [self._area(points.hull()) for points in tables]
            title = _title(self.name if name is None else name)
            drawn.share_one_look(self.space, areas, hull_areas, title)
        for line, style in zip(drawn.curves, styles, strict=True):
            line.set(**style)
        if plot_chance_level:
            drawn.chance_level.set(**(chance_level_kw or {}))
        if despine:
            drawn.despine()
        if chosen.get("legend", True):
            drawn.legend()
        self.ax_, self.figure_ = drawn.ax, drawn.ax.figure
        self.line_ = self._each(drawn.curves)
        self.hull_line_ = self._each(drawn.hulls) if drawn.hulls else None
        self.chance_level_ = drawn.chance_level
        return self

    # ------------------------------------------------------------------ constructors

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        response_method: str = "auto",
        pos_label: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_options: Unpack[DisplayOptions],
    ) -> Self:
        """Score data with a fitted classifier, and draw.

        Parameters
        ----------
        estimator
            A fitted classifier of two classes.
        X, y, sample_weight
            Data that it has not learnt from.
        response_method
            ``"predict_proba"``, ``"decision_function"``, or ``"auto"``: the first that exists.
        pos_label
            The positive class; by default the second one of ``estimator.classes_``.
        name
            By default the name of the estimator's class.
        ax, **plot_options
            Passed on to `plot`.
        """
        if pos_label is None:
            pos_label = np.asarray(estimator.classes_)[positive_index(estimator.classes_)]
        scores = positive_scores(estimator, X, response_method, pos_label)
        return cls.from_predictions(
            y,
            scores,
            sample_weight=sample_weight,
            pos_label=pos_label,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            **plot_options,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_options: Unpack[DisplayOptions],
    ) -> Self:
        """Draw from labels and scores.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label
            As for `isometrics.OperatingPoints.from_scores`.
        name
            By default ``"Classifier"``.
        ax, **plot_options
            Passed on to `plot`.
        """
        points = OperatingPoints.from_scores(
            y_true, y_score, sample_weight=sample_weight, pos_label=pos_label
        )
        display = cls(points, name="Classifier" if name is None else name, pos_label=pos_label)
        return display.plot(ax, **plot_options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        response_method: str = "auto",
        pos_label: object = None,
        name: str | Sequence[str] | None = None,
        ax: Axes | None = None,
        **plot_options: Unpack[DisplayOptions],
    ) -> Self:
        """Draw one curve for each fold of a cross-validation.

        Parameters
        ----------
        cv_results
            From ``cross_validate(..., return_estimator=True, return_indices=True)``.
        X, y, sample_weight
            The data that was cross-validated.
        response_method, pos_label
            As for `from_estimator`.
        name
            One name for all folds, or a list of names.
        ax, **plot_options
            Passed on to `plot`.
        """
        tables = points_per_fold(
            cv_results,
            X,
            y,
            sample_weight=sample_weight,
            response_method=response_method,
            pos_label=pos_label,
        )
        return cls(list(tables.values()), name=name, pos_label=pos_label).plot(ax, **plot_options)


def _styles(curve_kwargs: Styles, curves: int) -> list[Mapping[str, Any]]:
    if curve_kwargs is None or isinstance(curve_kwargs, Mapping):
        return [curve_kwargs or {}] * curves
    if len(curve_kwargs) != curves:
        raise LengthError(
            f"curve_kwargs has {len(curve_kwargs)} values but there are {curves} curves"
        )
    return list(curve_kwargs)


def _title(name: str | Sequence[str] | None) -> str:
    return name if isinstance(name, str) else "folds"


def _names(name: str | Sequence[str] | None, curves: int) -> list[str]:
    """Return different names, since the curves are told apart by them."""
    if name is None or isinstance(name, str):
        if curves == 1:
            return ["curve" if name is None else name]
        return [
            f"fold {fold}" if name is None else f"{name}, fold {fold}" for fold in range(curves)
        ]
    if len(name) != curves or len(set(name)) != curves:
        raise LengthError(
            f"name has {len(set(name))} different names but there are {curves} curves"
        )
    return list(name)


class PrecisionRecallGainDisplay(PointsDisplay):
    """Precision-recall-gain curves (Flach & Kull 2015), with ``isometrics.plot.prg``.

    Use `from_estimator`, `from_predictions` or `from_cv_results`.

    Examples
    --------
    >>> from isometrics.integrations.sklearn import PrecisionRecallGainDisplay
    >>> display = PrecisionRecallGainDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> display.area, display.line_.get_label()
    (0.25, 'Classifier (AUPRG 0.250)')
    """

    space = "prg"
    defaults_of_folds: ClassVar[dict[str, Any]] = {"hull": False}


class AchievablePrecisionRecallDisplay(PointsDisplay):
    """PR curves with the achievable curves of their hulls (Davis & Goadrich 2006).

    Drawn with ``isometrics.plot.pr``. Use `from_estimator`, `from_predictions` or
    `from_cv_results`.

    Examples
    --------
    >>> from isometrics.integrations.sklearn import AchievablePrecisionRecallDisplay
    >>> display = AchievablePrecisionRecallDisplay.from_predictions([1, 0, 1], [0.9, 0.8, 0.7])
    >>> display.hull_line_.get_label()
    'Classifier, hull (AUPR 0.887)'
    """

    space = "pr"


class RocHullDisplay(PointsDisplay):
    """ROC curves with their convex hulls, with ``isometrics.plot.roc``.

    Use `from_estimator`, `from_predictions` or `from_cv_results`. Lines of equal accuracy need
    one prevalence, which folds seldom have; ``isolines=True`` draws them where they have.

    Examples
    --------
    >>> from isometrics.integrations.sklearn import RocHullDisplay
    >>> display = RocHullDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> display.area, display.hull_area
    (0.75, 0.875)
    """

    space = "roc"
    defaults_of_folds: ClassVar[dict[str, Any]] = {"isolines": False}


class TradeoffDisplay(PointsDisplay):
    """The best value of an index for every weight of recall, with ``isometrics.plot.tradeoff``.

    Use `from_estimator`, `from_predictions` or `from_cv_results`; ``index=`` chooses the index.

    Examples
    --------
    >>> from isometrics.integrations.sklearn import TradeoffDisplay
    >>> labels, scores = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> display = TradeoffDisplay.from_predictions(labels, scores, index="jaccard")
    >>> display.line_.get_label()
    'Classifier (area 0.775)'
    """

    space = "tradeoff"
    index: str | WeightedIndex = "f-measure"

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | Sequence[str] | None = None,
        **options: Unpack[DisplayOptions],
    ) -> Self:
        """Draw the curves and return the display.

        Parameters
        ----------
        ax
            The axes to draw on; by default those of a new figure.
        name
            In place of the display's own name.
        **options
            As for the other displays, and those of `isometrics.plot.tradeoff`: ``index``, by
            default the F-measure, ``intervals`` and ``most``.
        """
        self.index = options.setdefault("index", self.index)
        return super().plot(ax, name=name, **options)

    def _area(self, points: OperatingPoints) -> float:
        return points.tradeoff(self.index).area()
