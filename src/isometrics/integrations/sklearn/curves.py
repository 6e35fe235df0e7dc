"""Operating points of folds and of classes, and displays in the manner of scikit-learn's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

import numpy as np
from sklearn.utils import _safe_indexing

from isometrics._core.parameters import check_options
from isometrics._core.score_arrays import (
    parse_predictions,
    rows_of_indicators,
    rows_of_labels,
    sorted_classes,
)
from isometrics.analysis.averages import tables_of
from isometrics.errors import DimensionError, LengthError, OneClassError, ParameterError
from isometrics.integrations.sklearn.estimators import positive_index, positive_scores
from isometrics.measures import area_in
from isometrics.points import OperatingPoints
from isometrics.points.models import count_models

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike

    from isometrics.plot.spaces import PlotOptions
    from isometrics.spaces.indices import WeightedIndex

    class DisplayOptions(PlotOptions, total=False):
        """The options of `PointsDisplay.plot`, besides a name."""

        ax: Axes | None
        curve_kwargs: Mapping[str, Any] | None
        plot_chance_level: bool


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
        weights = None if sample_weight is None else _safe_indexing(sample_weight, rows)
        try:
            tables[str(number)] = OperatingPoints.from_scores(
                _safe_indexing(y, rows),
                positive_scores(estimator, _safe_indexing(X, rows), response_method, pos_label),
                sample_weight=weights,
                pos_label=np.asarray(estimator.classes_)[index],
            )
        except OneClassError as error:
            raise OneClassError(
                f"the test rows of fold {number} have one class only, so they have no curve: "
                f"{error}; use a stratified splitter, or iso.analyse with groups= and the scores "
                "of cross_val_predict"
            ) from error
    return tables


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
    if given.flat and np.ndim(y_score) < 2:
        raise DimensionError(
            f"y_score must have a column for each class but has {np.ndim(y_score)} dimension(s)"
        )
    if given.indicators:
        samples = rows_of_indicators(given)
    else:
        names = given.classes or sorted_classes(given.truth.columns[0])
        columns = given.scores.columns
        if len(names) != len(columns):
            raise LengthError(
                f"y_score has {len(columns)} columns but there are {len(names)} classes; "
                "name those of the columns with classes="
            )
        samples = rows_of_labels(given, dict(zip(names, columns, strict=True)))
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


# ---------------------------------------------------------------------- displays


class PointsDisplay:
    """Base of the displays: one curve, or one for each fold of a cross-validation.

    Parameters
    ----------
    points
        The operating points of one curve, or a list of them.
    name
        The name in the legend.
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
    index: str | WeightedIndex = "f-measure"
    """The index of tradeoff space."""
    defaults_of_folds: ClassVar[dict[str, Any]] = {}

    def __init__(
        self,
        points: OperatingPoints | Sequence[OperatingPoints],
        *,
        name: str | None = None,
        pos_label: object = None,
    ) -> None:
        self.points = points
        self.name = name
        self.pos_label = pos_label

    @property
    def area(self) -> float | list[float]:
        """The area under each curve."""
        return self._areas(self._tables())

    @property
    def hull_area(self) -> float | list[float]:
        """The area under each hull."""
        return self._areas([points.hull() for points in self._tables()])

    def _areas(self, tables: list[OperatingPoints]) -> float | list[float]:
        by_index = self.space == "tradeoff"
        curves = [
            each.tradeoff(self.index) if by_index else getattr(each, self.space) for each in tables
        ]
        areas: float | list[float] = self._each([float(curve.area()) for curve in curves])
        return areas

    def _tables(self) -> list[OperatingPoints]:
        return [self.points] if isinstance(self.points, OperatingPoints) else list(self.points)

    def _each(self, values: list[Any]) -> Any:
        return values[0] if isinstance(self.points, OperatingPoints) else values

    # ------------------------------------------------------------------ drawing

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        plot_chance_level: bool = False,
        **options: Unpack[PlotOptions],
    ) -> Self:
        """Draw the curves and return the display.

        Parameters
        ----------
        ax
            The axes to draw on; by default those of a new figure.
        name
            In place of the display's own name.
        curve_kwargs
            Properties of the lines. Several curves share one look, and one entry of the legend
            with mean and standard deviation of the areas.
        plot_chance_level
            Draw what can be had without a model.
        **options
            Passed on to the function of `isometrics.plot` for this space: ``hull``, ``isolines``,
            ``points``, ``legend``, …, but ``baseline``, which is `plot_chance_level`.
        """
        from isometrics.plot.frame import legend, plain
        from isometrics.plot.spaces import PlotOptions, draw_space

        known = [name for name in PlotOptions.__annotations__ if name != "baseline"]
        check_options(self.plot, options, known)
        self.index = options.get("index", self.index)
        several = not isinstance(self.points, OperatingPoints)
        title = name or self.name or ("folds" if several else "curve")
        models: dict[str, Any] = {title: self.points}
        if several:
            models = {f"{title}, fold {fold}": each for fold, each in enumerate(self._tables())}
        chosen: dict[str, Any] = (self.defaults_of_folds if several else {}) | {**options}
        silent = {"baseline": plot_chance_level, "legend": False}
        drawn = draw_space(self.space, models, ax, chosen | silent)
        self.ax_, self.figure_ = drawn.ax, drawn.ax.figure
        curves, hulls = ([each.line for each in lines] for lines in (drawn.curves, drawn.hulls))
        if several:
            self._share_one_look(curves, plain(title), self.area)
            self._share_one_look(hulls, f"{plain(title)}, hull", self.hull_area)
        for line in curves:
            line.set(**(curve_kwargs or {}))
        self.line_ = self._each(curves)
        self.hull_line_ = self._each(hulls) if hulls else None
        self.chance_level_ = drawn.baseline
        if chosen.get("legend", True):
            legend(drawn, self.space, own_figure=ax is None)
        return self

    def _share_one_look(self, lines: Sequence[Line2D], title: str, areas: Any) -> None:
        """Draw lines alike, with one entry of the legend for their areas."""
        from isometrics.plot.frame import BLUE, LegendCurve

        for line in lines:
            line.set(label="_nolegend_", color=BLUE, alpha=0.5, marker="")
        if lines:
            name = "area" if self.space == "tradeoff" else area_in(self.space).name
            mean_and_deviation = f"{name} {np.mean(areas):.3f} ± {np.std(areas):.3f}"
            LegendCurve.labelled(lines[0], title, mean_and_deviation)

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
        **plot_options
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
        **plot_options: Unpack[DisplayOptions],
    ) -> Self:
        """Draw from labels and scores.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label
            As for `isometrics.OperatingPoints.from_scores`.
        name
            By default ``"Classifier"``.
        **plot_options
            Passed on to `plot`.
        """
        points = OperatingPoints.from_scores(
            y_true, y_score, sample_weight=sample_weight, pos_label=pos_label
        )
        display = cls(points, name="Classifier" if name is None else name, pos_label=pos_label)
        return display.plot(**plot_options)

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
        name: str | None = None,
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
            One name for all folds.
        **plot_options
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
        return cls(list(tables.values()), name=name, pos_label=pos_label).plot(**plot_options)


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
