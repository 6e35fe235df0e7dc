"""Displays in the manner of scikit-learn's, drawn by `isometrics.plot`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from isometrics.integrations.sklearn.points_display import PointsDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from isometrics.indices import WeightedIndex
    from isometrics.points import OperatingPoints


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
        self, ax: Axes | None = None, *, index: str | WeightedIndex | None = None, **options: Any
    ) -> Self:
        """Draw the curves and return the display.

        Parameters
        ----------
        ax
            The axes to draw on; by default those of a new figure.
        index
            The index, as for `isometrics.OperatingPoints.tradeoff`; by default the F-measure.
        **options
            As for the other displays, and those of `isometrics.plot.tradeoff`.
        """
        if index is not None:
            self.index = index
        return super().plot(ax, index=self.index, **options)

    def _area(self, points: OperatingPoints) -> float:
        return points.tradeoff(self.index).area()
