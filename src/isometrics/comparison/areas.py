"""The areas of several models in all spaces."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.brackets import EXACT
from isometrics.errors import NoCurveError, NotAnswerableError
from isometrics.parameters import clean_choice
from isometrics.results import ResultTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from isometrics.aliases import Floats
    from isometrics.points import OperatingPoints

COMPARED = ("AUROC", "AUPR", "average precision", "AUPRG")
TRADEOFF_AREA = "tradeoff area"


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
        clean_choice(measure, "measure", self.measures)
        column = self.values[:, self.measures.index(measure)]
        return dict(zip(self.names, column.tolist(), strict=True))

    def _title(self) -> str:
        return f"Areas: {len(self.names)} models by {len(self.measures)} measures"

    def _columns(self) -> dict[str, Any]:
        columns = dict(zip(self.measures, self.values.T, strict=True))
        return {"model": list(self.names)} | columns


def areas_of(models: Mapping[str, OperatingPoints], tradeoff_areas: Iterable[float]) -> Areas:
    """Return the areas of models in all spaces; those in tradeoff space are known already."""
    values = [
        [*(_defined(EXACT[name], points) for name in COMPARED), tradeoff_area]
        for points, tradeoff_area in zip(models.values(), tradeoff_areas, strict=True)
    ]
    return Areas(tuple(models), (*COMPARED, TRADEOFF_AREA), np.array(values))


def _defined(area: Callable[[OperatingPoints], float], points: OperatingPoints) -> float:
    try:
        return area(points)
    except (NoCurveError, NotAnswerableError):
        return math.nan
