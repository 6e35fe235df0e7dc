"""Rankings of models by several measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.comparison.areas import areas_of
from isometrics.comparison.disagreement import (
    Disagreement,
    clean_scores,
    disagreement,
    disagreement_of,
)
from isometrics.models import clean_models
from isometrics.parameters import clean_choice
from isometrics.results import ResultTable

if TYPE_CHECKING:
    from isometrics.aliases import Floats
    from isometrics.comparison.disagreement import Scores
    from isometrics.indices import WeightedIndex
    from isometrics.points import OperatingPoints

__all__ = ["Disagreement", "Ranking", "disagreement", "rank_models"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ranking(ResultTable):
    """Models ranked by several measures; rank 1 is the best, tied models share the mean rank.

    Attributes
    ----------
    names
        The models.
    measures
        The measures.
    values
        One row for each model, one column for each measure.
    ranks
        The ranks, in the same places.
    """

    names: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats
    ranks: Floats

    def best(self, measure: str) -> tuple[str, ...]:
        """Return the model, or the tied models, with the highest value of a measure."""
        clean_choice(measure, "measure", self.measures)
        column = self.values[:, self.measures.index(measure)]
        return tuple(self.names[row] for row in np.flatnonzero(column == np.fmax.reduce(column)))

    def disagreement(self) -> Disagreement:
        """Return how much the measures disagree about these models."""
        return disagreement_of(self.measures, [self.values])

    def _title(self) -> str:
        tied = "" if self.ranks.size and (self.ranks % 1 == 0).all() else "; ties share a mean rank"
        return f"Ranking: {len(self.names)} models by {len(self.measures)} measures{tied}"

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"model": list(self.names)}
        for place, measure in enumerate(self.measures):
            columns[measure] = self.values[:, place]
            columns[f"rank by {measure}"] = self.ranks[:, place]
        return columns


def rank_models(
    models: Mapping[str, OperatingPoints] | Scores, *, index: str | WeightedIndex = "f-measure"
) -> Ranking:
    """Rank models by the areas in all spaces, or by measures of your own.

    Parameters
    ----------
    models
        The operating points of two models or more by name; or for each model a mapping of its
        measures to their values, where more is better.
    index
        The index of the tradeoff area, for operating points.

    Notes
    -----
    Tied models share the mean of the ranks that they take up.

    Examples
    --------
    >>> from isometrics.comparison.ranking import rank_models
    >>> scores = {
    ...     "LDA": {"AUROC": 0.90, "AUPRG": 0.60},
    ...     "SVM": {"AUROC": 0.88, "AUPRG": 0.70},
    ...     "tree": {"AUROC": 0.88, "AUPRG": 0.50},
    ... }
    >>> rank_models(scores)
    Ranking: 3 models by 2 measures; ties share a mean rank
    model  AUROC  rank by AUROC  AUPRG  rank by AUPRG
      LDA    0.9              1    0.6              2
      SVM   0.88            2.5    0.7              1
     tree   0.88            2.5    0.5              3
    """
    if isinstance(models, Mapping) and any(
        isinstance(scores, Mapping) for scores in models.values()
    ):
        names, measures, values = clean_scores(models, "models")
    else:
        named = clean_models(models)
        areas = areas_of(named, [points.tradeoff(index).area() for points in named.values()])
        names, measures, values = areas.names, areas.measures, areas.values
    return Ranking(names, measures, values, _ranks(values))


def _ranks(values: Floats) -> Floats:
    """Return mean ranks down each column, 1 for the highest; values without order share NaN."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-values, axis=0, nan_policy="omit"))
