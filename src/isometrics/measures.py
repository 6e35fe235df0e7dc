"""All areas of a table by name, and what a model that tells nothing has of each."""

from __future__ import annotations

import math
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING

from isometrics.errors import NoCurveError, UndefinedWarning
from isometrics.points import OperatingPoints
from isometrics.points.bounds import Bracket, area_brackets, tradeoff_bracket

if TYPE_CHECKING:
    from isometrics._core.arrays import Total

MEASURES = (
    "AUROC",
    "AUPR",
    "average precision",
    "AUPR, linear",
    "AUPR, integer steps",
    "AUPR, max precision",
    "AUPR, normalised",
    "AUPRG",
    "expected F1 gain",
    "expected accuracy",
    "tradeoff area",
)


def measures_of(points: OperatingPoints) -> dict[str, Bracket]:
    """Return the measures of a table, NaN where one is not defined.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.measures import measures_of
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> round(measures_of(pts)["tradeoff area"].lo, 6)
    0.863046
    """
    try:
        with warnings.catch_warnings():
            # The value is NaN; who shows it says why.
            warnings.simplefilter("ignore", UndefinedWarning)
            found = area_brackets(points)
    except NoCurveError:
        found = dict.fromkeys(MEASURES, Bracket(math.nan, math.nan))
    found["tradeoff area"] = tradeoff_bracket(points)
    return {measure: found[measure] for measure in MEASURES}


def constant_score(points: OperatingPoints) -> OperatingPoints:
    """Return the table of a model that gives every row of the same sample one score."""
    return OperatingPoints.from_counts(
        [], [], positives=points.positives, negatives=points.negatives
    )


def baselines_of(points: OperatingPoints) -> dict[str, float]:
    """Return the measures of a model that gives every row one score.

    Notes
    -----
    In PR space its curve is the line of precision π (Davis & Goadrich 2006), in PRG space the
    line of precision gain 0. Along it recall gain takes all values from 0 to 1, and the losses
    1 - F₁ gain have the mean ¾ (Flach & Kull 2015, Th. 3).
    """
    return _constant_measures(points.positives, points.negatives).copy()


@lru_cache(maxsize=1024)
def _constant_measures(positives: Total, negatives: Total) -> dict[str, float]:
    """Return the baselines for totals, which many models and groups share."""
    constant = OperatingPoints.from_counts([], [], positives=positives, negatives=negatives)
    known = {
        "AUROC": 0.5,
        "AUPR, normalised": constant.pr.normalised_area(),
        "AUPRG": 0.0,
        "expected F1 gain": 0.25,
        "expected accuracy": 0.5,
        "tradeoff area": constant.tradeoff().area(),
    }
    # All other measures are areas under the PR curve.
    return {measure: known.get(measure, constant.prevalence) for measure in MEASURES}
