"""How the best threshold and its F_β depend on the prevalence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.parameters import check_beta, check_prevalence
from isometrics._core.results import ResultTable, number
from isometrics._core.threshold_text import ThresholdTexts
from isometrics.decisions.best import best_threshold
from isometrics.errors import ParameterError
from isometrics.measures import f_name

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from isometrics._core.arrays import Floats
    from isometrics.points import OperatingPoints


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrevalenceSensitivity(ResultTable):
    """The best threshold and its F_β over a range of prevalences.

    Attributes
    ----------
    beta
        The β.
    own
        The prevalence of the sample.
    prevalences
        The prevalences.
    thresholds
        The best threshold at each of them; NaN where the table has none.
    precision, recall, f, f_gain
        Its measures at that prevalence.
    f_unchanged
        The F_β of the sample's own best threshold at that prevalence.
    """

    beta: float
    own: float
    prevalences: Floats
    thresholds: Floats
    precision: Floats
    recall: Floats
    f: Floats
    f_gain: Floats
    f_unchanged: Floats
    _below: Floats | None = field(default=None, compare=False)
    """The next lower scores, as in `threshold_text`."""

    @property
    def lost(self) -> Floats:
        """The F_β lost by using the sample's own best threshold."""
        return np.asarray(self.f - self.f_unchanged)

    def _title(self) -> str:
        return (
            f"PrevalenceSensitivity: {f_name(self.beta)} of a sample of prevalence "
            f"{number(self.own)} at {self.prevalences.size} others"
        )

    def _columns(self) -> dict[str, Any]:
        return {"prevalence": self.prevalences, "threshold": self.thresholds} | self._named(
            "precision", "recall", "f", "f_gain", "f_unchanged", "lost"
        )

    def _shown(self) -> dict[str, Any]:
        return self._columns() | {"threshold": ThresholdTexts(self.thresholds, self._below)}


def prevalence_sensitivity(
    pts: OperatingPoints, prevalences: ArrayLike, *, beta: float = 1.0
) -> PrevalenceSensitivity:
    """Return the best threshold and its expected F_β, over a range of prevalences.

    True and false positive rates are assumed to be those of the sample.

    Parameters
    ----------
    pts
        Any table of operating points.
    prevalences
        The prevalences, for example ``np.geomspace(0.001, 0.5, 50)``.
    beta
        The β.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.decisions.prevalence import prevalence_sensitivity
    >>> labels, scores = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> pts = iso.OperatingPoints.from_scores(labels, scores)
    >>> prevalence_sensitivity(pts, [0.05, 0.5, 0.8]).thresholds.tolist()
    [0.9, 0.6, 0.3]
    """
    beta = check_beta(beta)
    values = [check_prevalence(value) for value in np.atleast_1d(np.asarray(prevalences)).tolist()]
    if not values:
        raise ParameterError("prevalences is empty; give at least one")
    own = best_threshold(pts, beta=beta)
    # The best row may be a trivial rule, which need not be a row of the table.
    own_rule = pts.from_counts(
        [own.tp], [own.fp], positives=pts.positives, negatives=pts.negatives, labels=["own"]
    )
    rows = []
    for prevalence in values:
        best = best_threshold(pts.at_prevalence(prevalence), beta=beta)
        f_unchanged = float(own_rule.at_prevalence(prevalence).f(beta)[0])
        measures = (best.precision, best.recall, best.f, best.f_gain)
        rows.append((best.threshold, best._below, *measures, f_unchanged))
    thresholds, below, *measured = zip(*rows, strict=True)
    columns: Any = [np.array(column, np.float64) for column in measured]
    columns.append(np.array(below, pts.thresholds.dtype))
    return PrevalenceSensitivity(
        beta,
        pts.prevalence,
        np.array(values),
        np.array(thresholds, pts.thresholds.dtype),
        *columns,
    )
