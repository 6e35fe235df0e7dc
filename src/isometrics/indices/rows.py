"""Counts of several points under common totals: what an index is computed from."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.aliases import Counts, Floats, Total
    from isometrics.table import Table

_exact = np.frompyfunc(Fraction, 1, 1)


class Rows(NamedTuple):
    """True and false positives of points, and the totals."""

    tp: Counts
    fp: Counts
    positives: Total
    negatives: Total

    @classmethod
    def of_table(cls, table: Table) -> Rows:
        """Take the counts of a table."""
        return cls(table.tp, table.fp, table.positives, table.negatives)

    @classmethod
    def of_rates(cls, precision: Floats, recall: Floats, prevalence: float) -> Rows:
        """Recover counts for one positive in all; without precision, from recall 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            false = np.where(precision > 0, recall * ((1 - precision) / precision), 0.0)
        return cls(np.asarray(recall), false, 1.0, (1 - prevalence) / prevalence)

    @property
    def fn(self) -> Counts:
        """False negatives."""
        return np.asarray(self.positives - self.tp)

    @property
    def precision(self) -> Floats:
        """tp/(tp+fp); NaN for the empty rule."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.tp / (self.tp + self.fp))

    @property
    def recall(self) -> Floats:
        """tp/P."""
        return np.asarray(self.tp / self.positives)

    @property
    def prevalence(self) -> float:
        """The share of positives."""
        return self.positives / (self.positives + self.negatives)

    def take(self, rows: Any) -> Rows:
        """Return some of the points."""
        return self._replace(tp=self.tp[rows], fp=self.fp[rows])

    def column(self) -> Rows:
        """Return the points down a first axis, so that weights go along a second one."""
        return self._replace(tp=self.tp[:, None], fp=self.fp[:, None])


def steps(one: Rows, other: Rows) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return P·(tp₂ - tp₁) and tp₁·fp₂ - tp₂·fp₁, exactly, as fractions.

    The first has the sign of the difference in recall, the second that of the difference in
    precision the other way round; both are needed without rounding, since points of a hull may
    be almost collinear.
    """
    tp_1, fp_1, tp_2, fp_2 = map(fractions, (one.tp, one.fp, other.tp, other.fp))
    return np.asarray(Fraction(one.positives) * (tp_2 - tp_1)), tp_1 * fp_2 - tp_2 * fp_1


def fractions(counts: Counts) -> NDArray[Any]:
    """Return counts as exact fractions."""
    return np.asarray(_exact(counts), dtype=object)


def share(part: NDArray[Any], rest: NDArray[Any]) -> Floats:
    """Return part/(part + rest), rounded once; NaN unless both are ≥ 0 or both are ≤ 0."""
    part, rest = np.asarray(part), np.asarray(rest)
    # Two points of which one dominates the other do not meet, nor do equal points.
    meet = ((part >= 0) & (rest >= 0) | (part <= 0) & (rest <= 0)) & (part + rest != 0)
    meet = np.asarray(meet, dtype=bool)
    result = np.full(part.shape, np.nan)
    result[meet] = (part[meet] / (part[meet] + rest[meet])).astype(np.float64)
    return result
