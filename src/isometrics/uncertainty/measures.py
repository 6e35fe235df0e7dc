"""What can be resampled: areas by name, values at a threshold, best thresholds, own functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics._core.parameters import check_beta, check_threshold
from isometrics._core.results import number
from isometrics._counting.draws import AREAS
from isometrics.errors import ParameterError
from isometrics.points.bounds import EXACT
from isometrics.uncertainty.resampling import Detail

if TYPE_CHECKING:
    from typing import TypeAlias

    from isometrics.points import OperatingPoints

    MeasureLike: TypeAlias = "str | Measure | Callable[[OperatingPoints], float]"


class Measure(NamedTuple):
    """A number that summarises operating points.

    Attributes
    ----------
    name
        What it is called in tables.
    of
        The function that computes it.
    detail
        What a cell may hold for it, see `isometrics.uncertainty.resampling.Detail`.
    threshold
        A threshold that must stay apart, where it is asked for one.
    higher_is_better
        Whether one model can be better than another by it; a threshold only lies higher.
    """

    name: str
    of: Callable[[OperatingPoints], float]
    detail: Detail = Detail.SCORES
    threshold: float | None = None
    higher_is_better: bool = True


_DETAILS = {
    "average precision": Detail.NEGATIVE_RUNS,
    "AUPR, linear": Detail.SCORES,
    "AUPR, integer steps": Detail.SCORES,
    "AUPR, max precision": Detail.SCORES,
}
"""For all other areas a run of one class is one cell."""

NAMED: dict[str, Measure] = {
    name: Measure(name, area, _DETAILS.get(name, Detail.RUNS)) for name, area in EXACT.items()
} | {
    "tradeoff area": Measure("tradeoff area", lambda points: points.tradeoff().area(), Detail.RUNS)
}


def f_at(threshold: float, *, beta: float = 1.0) -> Measure:
    """Return the measure F_β of the rule ``score >= threshold``.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.uncertainty.measures import f_at
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> f_at(0.7).name, f_at(0.7).of(pts)
    ('F (β 1) at 0.7', 0.8)
    """
    beta = check_beta(beta)
    return _at(threshold, f"F (β {number(beta)})", lambda chosen: chosen.f(beta)[0])


def f_gain_at(threshold: float, *, beta: float = 1.0) -> Measure:
    """Return the measure F_β gain of the rule ``score >= threshold``."""
    beta = check_beta(beta)
    return _at(threshold, f"F gain (β {number(beta)})", lambda chosen: chosen.f_gain(beta)[0])


def precision_at(threshold: float) -> Measure:
    """Return the measure precision of the rule ``score >= threshold``."""
    return _at(threshold, "precision", lambda chosen: chosen.precision[0])


def recall_at(threshold: float) -> Measure:
    """Return the measure recall of the rule ``score >= threshold``."""
    return _at(threshold, "recall", lambda chosen: chosen.recall[0])


def _at(threshold: float, what: str, of: Callable[[OperatingPoints], float]) -> Measure:
    place = check_threshold(threshold)
    return Measure(
        f"{what} at {number(place)}",
        lambda points: float(of(points.at([place]))),
        Detail.CUTS,
        place,
    )


def optimal_threshold(beta: float = 1.0) -> Measure:
    """Return the measure best threshold for F_β; of equally good ones, the highest."""
    beta = check_beta(beta)

    def of(points: OperatingPoints) -> float:
        return float(points.thresholds[_best_row(points, beta)])

    name = f"best threshold (β {number(beta)})"
    return Measure(name, of, Detail.SCORES, higher_is_better=False)


def optimal_f(beta: float = 1.0) -> Measure:
    """Return the measure F_β at its best threshold."""
    beta = check_beta(beta)

    def of(points: OperatingPoints) -> float:
        return float(points.f(beta)[_best_row(points, beta)])

    return Measure(f"best F (β {number(beta)})", of, Detail.RUNS)


def _best_row(points: OperatingPoints, beta: float) -> int:
    values = points.f(beta)
    # Equal values may differ in their last bits; the first row has the highest threshold.
    return int(np.argmax(values >= np.nanmax(values) * (1 - 1e-15)))


def parse_measures(measures: MeasureLike | Iterable[MeasureLike]) -> tuple[Measure, ...]:
    """Check measures: names, `Measure`s and functions of operating points, no name twice."""
    several = isinstance(measures, Iterable) and not isinstance(measures, str | Measure)
    given = tuple(measures) if several else (measures,)  # type: ignore[arg-type]
    if not given:
        raise ParameterError("measures is empty; give at least one")
    found = tuple(map(_parse_measure, given))
    names = [measure.name for measure in found]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"measures has {name!r} twice; leave one of them out")
    return found


def _parse_measure(given: object) -> Measure:
    if isinstance(given, Measure):
        return given
    if isinstance(given, str) and given in NAMED:
        return NAMED[given]
    if callable(given) and not isinstance(given, str):
        return Measure(getattr(given, "__name__", type(given).__name__), given)
    raise ParameterError(
        f"measures must be names among {', '.join(map(repr, NAMED))}, functions of operating "
        f"points or measures such as f_at(0.5), but one is {given!r}"
    )


def is_area(measure: Measure) -> bool:
    """Tell whether the kernels compute the measure themselves."""
    return measure.name in AREAS and NAMED.get(measure.name) is measure
