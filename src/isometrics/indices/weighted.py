"""What all weighted indices have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from isometrics.errors import ParameterError
from isometrics.indices.rows import Rows
from isometrics.parameters import (
    clean_lambdas,
    clean_level,
    clean_number,
    clean_prevalence,
    clean_size,
    clean_values,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from isometrics.aliases import Floats

_HALVINGS = 60
_ROUNDING = 1e-12


class WeightedIndex(ABC):
    """A performance index with a weight λ of recall; 1-λ is the weight of precision.

    Attributes
    ----------
    name
        The name by which options know it.
    needs_prevalence
        Whether precision and recall alone do not determine it.
    rises_with_recall
        Whether more recall at the same precision is never worse. Of more and more positive
        predictions, as many false as before, the cost may rise.
    """

    __slots__ = ()

    name: str
    needs_prevalence: bool = False
    rises_with_recall: bool = True

    @abstractmethod
    def of_rows(self, rows: Rows, lam: Floats) -> Floats:
        """Return the index of points that have true positives."""

    @abstractmethod
    def crossing(self, one: Rows, other: Rows, lo: Floats, hi: Floats) -> Floats:
        """Return where the curves of two points meet in [lo, hi]; NaN where they do not."""

    @abstractmethod
    def areas(self, rows: Rows, lo: Floats, hi: Floats) -> Floats:
        """Return the area under the curve of each point from lo to hi."""

    def value(
        self,
        precision: ArrayLike,
        recall: ArrayLike,
        lam: ArrayLike,
        prevalence: float | None = None,
    ) -> float | Floats:
        """Return the index of a precision and a recall at a weight of recall.

        Parameters
        ----------
        precision, recall
            Numbers or arrays between 0 and 1.
        lam
            The weight of recall, between 0 and 1.
        prevalence
            The share of positives, for an index that depends on it.
        """
        rates = np.broadcast_arrays(_rates(precision, "precision"), _rates(recall, "recall"))
        weights = clean_lambdas(lam)
        rows = Rows.of_rates(rates[0], rates[1], self._prevalence(prevalence))
        values = self.of_rows(rows, weights)
        return float(values) if values.ndim == 0 else values

    def isoline(
        self, value: float, lam: float, *, prevalence: float | None = None, size: int = 200
    ) -> tuple[Floats, Floats]:
        """Return the points of PR space where the index has a value, as recalls and precisions.

        Half of the points are evenly spaced in recall and half in precision, so that flat and
        steep parts are both smooth. They come by rising recall.

        Parameters
        ----------
        value
            The value of the index.
        lam
            The weight of recall.
        prevalence
            The share of positives, for an index that depends on it.
        size
            The largest number of points; none where no point has that value.

        Examples
        --------
        >>> from isometrics.indices import index_named
        >>> recall, precision = index_named("kulczynski").isoline(0.5, 0.5, size=6)
        >>> recall + precision
        array([1., 1., 1., 1., 1., 1.])
        """
        value, weight = clean_number(value, "value"), clean_level(lam, "lam")
        known = self._prevalence(prevalence)
        steps = np.linspace(0, 1, clean_size(size) // 2 + 1)[1:]
        precision_there = self._solved(
            lambda unknown: self._at(unknown, steps, weight, known), value, steps.size
        )
        recall_there = np.full(steps.size, np.nan)
        if self.rises_with_recall:
            recall_there = self._solved(
                lambda unknown: self._at(steps, unknown, weight, known), value, steps.size
            )
        x = np.concatenate([steps, recall_there])
        y = np.concatenate([precision_there, steps])
        solved = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        order = solved[np.lexsort((-y[solved], x[solved]))]
        return x[order], y[order]

    def _at(self, precision: Floats, recall: Floats, lam: float, prevalence: float) -> Floats:
        return self.of_rows(Rows.of_rates(precision, recall, prevalence), np.asarray(lam))

    @staticmethod
    def _solved(function: Callable[[Floats], Floats], value: float, size: int) -> Floats:
        """Return where rising functions reach a value between 0 and 1; NaN where they do not."""
        low, high = np.full(size, 2.0**-_HALVINGS), np.ones(size)
        # A line that ends on a border of the square has its end there.
        reached = (function(low) <= value + _ROUNDING) & (function(high) >= value - _ROUNDING)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            below = function(middle) < value
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.where(reached, high, np.nan)

    def _prevalence(self, prevalence: float | None) -> float:
        if prevalence is not None:
            return clean_prevalence(prevalence)
        if self.needs_prevalence:
            raise ParameterError(f"index {self.name!r} needs prevalence=, the share of positives")
        return 0.5

    def __repr__(self) -> str:
        """Return the name."""
        return f"<index {self.name!r}>"


def _rates(rates: ArrayLike, name: str) -> Floats:
    return clean_values(
        rates, name, lambda array: (array >= 0) & (array <= 1), "numbers between 0 and 1"
    )
