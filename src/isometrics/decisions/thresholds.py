"""The best thresholds of several models and groups, and the β for which they stay best."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from isometrics._core.results import ResultTable, number, several
from isometrics.decisions.best import best_of_optimal, best_threshold
from isometrics.decisions.beta_intervals import optimal_thresholds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts, Floats
    from isometrics.points import OperatingPoints

ALL_ROWS = "(all rows)"
"""The name of the group where a table holds all groups together."""


class Entry(NamedTuple):
    """A table with the names of its model and its group."""

    model: str
    group: str
    points: OperatingPoints


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Thresholds(ResultTable):
    """One row for each model, group and β: the threshold with the highest F_β.

    Attributes
    ----------
    names, groups
        The model and the group of each row; ``"(all rows)"`` is all groups together.
    beta
        The β of each row.
    threshold
        The best threshold; NaN where a table has none.
    labels
        The name of the best row in a family of sets, else None.
    tp, fp, precision, recall, f
        The counts of the rule ``score >= threshold``, and its measures.
    beta_lo, beta_hi
        The threshold is the best one for every β between these.
    """

    _left: ClassVar[tuple[str, ...]] = ("model", "group", "label")
    _most_rows: ClassVar[int] = 60

    names: tuple[str, ...]
    groups: tuple[str, ...]
    beta: Floats
    threshold: NDArray[Any]
    labels: tuple[object, ...]
    tp: Counts
    fp: Counts
    precision: Floats
    recall: Floats
    f: Floats
    beta_lo: Floats
    beta_hi: Floats

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.names)

    def _title(self) -> str:
        betas = several([number(beta) for beta in dict.fromkeys(self.beta.tolist())])
        return f"Thresholds: best for F with β {betas}"

    def _shown(self) -> dict[str, Any]:
        columns = self._columns()
        if set(self.groups) == {ALL_ROWS}:
            del columns["group"]
        return columns

    def _columns(self) -> dict[str, Any]:
        names: dict[str, Any] = {
            "model": list(self.names),
            "group": list(self.groups),
            "beta": self.beta,
            "threshold": self.threshold,
        }
        if any(label is not None for label in self.labels):
            names["label"] = ["" if label is None else str(label) for label in self.labels]
        measures = ("tp", "fp", "precision", "recall", "f", "beta_lo", "beta_hi")
        return names | self._named(*measures)


def thresholds_of(entries: Iterable[Entry], betas: Sequence[float]) -> Thresholds:
    """Return the best row of each table for each β."""
    rows = [
        (entry.model, entry.group, beta, *best)
        for entry in entries
        for beta, best in zip(betas, _best_rows(entry.points, betas), strict=True)
    ]
    names, groups, beta, threshold, labels, *numbers = zip(*rows, strict=True)
    return Thresholds(
        names, groups, np.array(beta), np.array(threshold), labels, *map(np.array, numbers)
    )


def _best_rows(points: OperatingPoints, betas: Sequence[float]) -> list[tuple[object, ...]]:
    optimal = optimal_thresholds(points.hull())
    rows: list[tuple[object, ...]] = []
    for beta in betas:
        # At β = 0 rows may tie that are not on the hull.
        best = best_of_optimal(optimal, beta) if beta else best_threshold(points, beta=0)
        interval = np.flatnonzero((optimal.tp == best.tp) & (optimal.fp == best.fp))
        lo, hi = beta, beta
        if interval.size:
            lo = math.sqrt(optimal.beta_squared_lo[interval[0]])
            hi = math.sqrt(optimal.beta_squared_hi[interval[0]])
        rows.append(
            (
                best.threshold,
                best.label,
                *(best.tp, best.fp, best.precision, best.recall, best.f),
                *(lo, hi),
            )
        )
    return rows
