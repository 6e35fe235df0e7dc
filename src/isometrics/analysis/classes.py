"""One classifier of several classes: averages of the gains of its classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.parameters import check_beta, check_choice
from isometrics.decisions.best import best_threshold
from isometrics.errors import EmptyInputError
from isometrics.measures import AUPRG

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from isometrics.points import OperatingPoints

_GAINS: dict[str, Callable[[OperatingPoints, float], float]] = {
    AUPRG.key: lambda table, _: AUPRG.of(table),
    "expected-f-gain": lambda table, beta: table.prg.expected_f_gain(beta),
    "best-f-gain": lambda table, beta: best_threshold(table, beta=beta).f_gain,
}


def macro_average(
    points: Mapping[Any, OperatingPoints], measure: str = AUPRG.key, *, beta: float = 1.0
) -> float:
    """Return the mean of the classes' gains.

    Classes differ in prevalence, so their precision, F and AUPR start from different baselines
    and have no common mean. On the gain scale always-positive is the same for all: a precision
    gain of 0 and a recall gain of 1 (Flach & Kull 2015).

    Parameters
    ----------
    points
        The tables, by class.
    measure
        ``"auprg"``; ``"expected-f-gain"``: the F_β gain expected of a random threshold;
        ``"best-f-gain"``: that of each class's best threshold.
    beta
        The β of the F gains.

    Examples
    --------
    >>> from isometrics.integrations.sklearn import macro_average, points_per_class
    >>> scores = [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.2, 0.3, 0.5], [0.5, 0.7, 0.1]]
    >>> round(macro_average(points_per_class(["a", "b", "c", "a"], scores)), 6)
    0.722222
    """
    gain = _GAINS[check_choice(measure, "measure", tuple(_GAINS))]
    beta = check_beta(beta)
    return float(np.mean([gain(table, beta) for table in tables_of(points)]))


def tables_of(points: Mapping[Any, OperatingPoints]) -> list[OperatingPoints]:
    """Return the tables of classes, of which there must be one or more."""
    if not points:
        raise EmptyInputError("points is empty; at least one class is needed")
    return list(points.values())
