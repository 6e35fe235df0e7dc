"""Comparison of models: who is best for which tradeoff, dominance, areas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.parameters import check_choice
from isometrics._core.results import ResultTable
from isometrics._table.path import path_of
from isometrics.comparison.dominance import DominanceMatrix, dominance_matrix
from isometrics.comparison.sentence import sentence_of
from isometrics.comparison.winners import Winners, winners_of
from isometrics.errors import NoCurveError, NotAnswerableError
from isometrics.measures import TRADEOFF_AREA, Shown, registered
from isometrics.points import OperatingPoints
from isometrics.points.models import check_one_prevalence, parse_models
from isometrics.spaces.indices import WeightedIndex, index_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from isometrics._core.arrays import Floats
    from isometrics.spaces import Tradeoff
    from isometrics.spaces.density import DensityLike
    from isometrics.uncertainty.paired import Differences


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Areas(ResultTable):
    """One row for each model, one column for each measure.

    Attributes
    ----------
    names
        The models.
    measures
        What the columns are called.
    values
        The values; NaN where points are not nested and so have no curve, and where rows are
        missing so that only `area_brackets` are known.
    """

    names: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats

    def of(self, measure: str) -> dict[str, float]:
        """Return one measure of all models."""
        check_choice(measure, "measure", self.measures)
        column = self.values[:, self.measures.index(measure)]
        return dict(zip(self.names, column.tolist(), strict=True))

    def _title(self) -> str:
        return f"Areas: {len(self.names)} models by {len(self.measures)} measures"

    def _columns(self) -> dict[str, Any]:
        columns = dict(zip(self.measures, self.values.T, strict=True))
        return {"model": list(self.names)} | columns


def areas_of(models: Mapping[str, OperatingPoints], tradeoff_areas: Iterable[float]) -> Areas:
    """Return the areas of models in all spaces; those in tradeoff space are passed in."""
    measures = [measure for measure in registered(Shown.COMPARED) if measure.higher_is_better]
    values = [
        [
            tradeoff_area if measure is TRADEOFF_AREA else measure.value(points)
            for measure in measures
        ]
        for points, tradeoff_area in zip(models.values(), tradeoff_areas, strict=True)
    ]
    return Areas(tuple(models), tuple(measure.name for measure in measures), np.array(values))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Crossings(ResultTable):
    """One row for each weight of recall at which the best model changes.

    Attributes
    ----------
    lambda_, beta
        The weight of recall, and the same as β.
    before, after
        The best models below and above it.
    value
        The value of the index there.
    """

    lambda_: Floats
    beta: Floats
    before: tuple[tuple[str, ...], ...]
    after: tuple[tuple[str, ...], ...]
    value: Floats

    def __len__(self) -> int:
        """Return the number of crossings."""
        return self.lambda_.size

    def _title(self) -> str:
        return f"Crossings: the best model changes {len(self)} time{'s' * (len(self) != 1)}"

    def _columns(self) -> dict[str, Any]:
        return {
            "lambda": self.lambda_,
            "beta": self.beta,
            "before": [" = ".join(names) for names in self.before],
            "after": [" = ".join(names) for names in self.after],
            "value": self.value,
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UsefulRanges(ResultTable):
    """For each model, the ranges of λ in which it beats every trivial set.

    Attributes
    ----------
    names
        The model of each row; several rows where a model has several ranges.
    lambda_lo, lambda_hi
        The ends of the range; NaN for a model that is useful nowhere.
    """

    names: tuple[str, ...]
    lambda_lo: Floats
    lambda_hi: Floats

    def _title(self) -> str:
        return "UsefulRanges: where models beat every trivial set"

    def _columns(self) -> dict[str, Any]:
        return {
            "model": list(self.names),
            "lambda_lo": self.lambda_lo,
            "lambda_hi": self.lambda_hi,
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(ResultTable):
    """The result of `compare`; it prints as a sentence above the table of winners.

    Attributes
    ----------
    models
        The operating points by name.
    index
        The index that was compared.
    winners
        The best models for each range of λ and of β.
    areas
        The areas of each model in ROC, PR, PRG and tradeoff space.
    useful
        The ranges of λ in which each model beats every trivial set.
    certainty
        How certain it is that one model is better than another, if that was requested.
    """

    models: dict[str, OperatingPoints]
    index: WeightedIndex
    winners: Winners
    areas: Areas
    useful: UsefulRanges
    certainty: Differences | None = None

    @property
    def crossings(self) -> Crossings:
        """Where the best model changes."""
        winners = self.winners
        return Crossings(
            winners.lambda_lo[1:].copy(),
            winners.beta_lo[1:].copy(),
            winners.names[:-1],
            winners.names[1:],
            winners.value_lo[1:].copy(),
        )

    @property
    def dominance(self) -> DominanceMatrix:
        """Which curves lie above which; computed on each access.

        Hulls are compared instead if some points have no curve, because they are not nested or
        because rows are missing.
        """
        return dominance_matrix(self.models, hull=not all(map(_has_curve, self.models.values())))

    @property
    def hull_dominance(self) -> DominanceMatrix:
        """Which hulls lie above which: what random choices between thresholds can achieve."""
        return dominance_matrix(self.models, hull=True)

    def sentence(self) -> str:
        """Return the winners in one sentence, and their certainty, if known, in a second one."""
        sentence = sentence_of(self.winners, list(self.models), self.index.name)
        return sentence if self.certainty is None else f"{sentence} {self.certainty.sentence()}"

    def _title(self) -> str:
        return self.sentence()

    def _columns(self) -> dict[str, Any]:
        return self.winners._columns()


def compare(
    models: Mapping[str, OperatingPoints],
    index: str | WeightedIndex = "f-measure",
    *,
    density: DensityLike = None,
) -> Comparison:
    """Compare models: the best one for every tradeoff, dominance and areas.

    Parameters
    ----------
    models
        The operating points of two models or more, by name, at one prevalence.
    index
        ``"f-measure"``, ``"kulczynski"``, ``"folke"``, ``"jaccard"``, ``"f-gain"``, ``"cost"``
        or a user-defined `Index`.
    density
        The density of λ for the area in tradeoff space; see `Tradeoff.area`.

    Notes
    -----
    Each model is reduced to its optimal tradeoff curve, and the winners form the upper envelope of
    these curves (Hanczar & Nadif, section 5.2). For the built-in indices the curves of two rows
    cross at most once, at a λ in closed form. Models tie exactly where they have the same best
    row; sums of weights, and values of a user-defined index, count as equal within 1e-12. Where no
    model beats the set of everything, which every model can return, that set is the winner.

    Examples
    --------
    >>> import isometrics as iso
    >>> totals = {"positives": 10, "negatives": 30}
    >>> careful = iso.OperatingPoints.from_counts([4, 6], [0, 8], **totals)
    >>> bold = iso.OperatingPoints.from_counts([4, 10], [4, 12], **totals)
    >>> result = iso.compare({"careful": careful, "bold": bold})
    >>> print(result.sentence())
    By f-measure, careful is better for λ < 0.44, bold above.
    >>> result.winners.at(0.5)
    ('bold',)
    """
    named = parse_models(models)
    check_one_prevalence(named)
    chosen = index_named(index)
    curves = {name: points.tradeoff(chosen) for name, points in named.items()}
    return Comparison(
        named,
        chosen,
        winners_of(curves),
        areas_of(named, [curve.area(density=density) for curve in curves.values()]),
        _useful(curves),
    )


def _useful(curves: Mapping[str, Tradeoff]) -> UsefulRanges:
    names, lo, hi = [], [], []
    for name, curve in curves.items():
        ranges = curve.useful_range()
        ends = zip(ranges.lambda_lo.tolist(), ranges.lambda_hi.tolist(), strict=True)
        for low, high in list(ends) or [(np.nan, np.nan)]:
            names.append(name)
            lo.append(low)
            hi.append(high)
    return UsefulRanges(tuple(names), np.array(lo), np.array(hi))


def _has_curve(points: OperatingPoints) -> bool:
    try:
        path_of(points.table)
    except (NoCurveError, NotAnswerableError):
        return False
    return True
