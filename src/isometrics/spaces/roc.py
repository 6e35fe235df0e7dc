"""ROC space: true positive rate over false positive rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.parameters import check_range, parse_positions
from isometrics._core.results import Value
from isometrics._counting import segments
from isometrics._table.path import Path, exact_share, path_of
from isometrics._table.table import KnownArea, Table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from isometrics._core.arrays import Floats
    from isometrics._counting.confusion import Totals
    from isometrics._table.path import Exact, Pieces


def area_along(path: Path, totals: Totals, lo: float = 0.0, hi: float = 1.0) -> float:
    """Return the area under a path between two false positive rates."""
    ends = (exact_share(end, totals.negatives) for end in (lo, hi))
    sums = doubled_sums(path.flipped(), *ends)
    return math.fsum(sums) / (2 * totals.positives * totals.negatives)


def doubled_sums(path: Path, lo: Exact, hi: Exact) -> list[float]:
    """Return the sums of twice the area between lo and hi false positives, in pairs of rows.

    The path has x = fp and y = tp.
    """

    def doubled_area(pieces: Pieces) -> Any:
        part = pieces.part
        return segments.doubled_area(part.rise, part.y, part.y_end)

    compiled = {"doubled": segments.DOUBLED}
    return path.sums({"doubled": doubled_area}, lo, hi, compiled=compiled, rising=False)["doubled"]


@dataclass(frozen=True, slots=True, eq=False)
class ROCSpace(Value):
    """The table in ROC space, where straight lines between rows are achievable.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> pts.roc.area()
    0.75
    """

    table: Table

    @property
    def x(self) -> Floats:
        """False positive rate of each row."""
        return self.table.counts.false_positive_rate

    @property
    def y(self) -> Floats:
        """True positive rate of each row."""
        return self.table.counts.recall

    def interpolate(self, x: ArrayLike) -> Floats:
        """Return the highest true positive rate of the curve at the false positive rates `x`."""
        positions = parse_positions(x, axis="false positive rate")
        path = path_of(self.table)
        fpr, tpr = path.y / self.table.negatives, path.x / self.table.positives
        start = np.searchsorted(fpr, positions, "right") - 1
        end = np.minimum(start + 1, fpr.size - 1)
        run = fpr[end] - fpr[start]
        # The last row has no successor; there the result is the row itself.
        share = np.divide(positions - fpr[start], run, out=np.zeros(run.shape), where=run > 0)
        return np.asarray(tpr[start] + share * (tpr[end] - tpr[start]))

    def area(self, lo: float = 0.0, hi: float = 1.0) -> float:
        """Return the area under the curve, over all false positive rates or a range of them."""
        lo, hi = check_range(lo, hi, axis="false positive rate")
        if (lo, hi) == (0, 1) and KnownArea.ROC in self.table.known:
            return self.table.known[KnownArea.ROC]
        return area_along(path_of(self.table), self.table.totals, lo, hi)

    def standardised_area(self, lo: float = 0.0, hi: float = 1.0) -> float:
        """Return the partial area mapped to ½ for the diagonal and 1 for a perfect ranking.

        Notes
        -----
        McClish (1989): ½·(1 + (area - min)/(max - min)), with min = (hi² - lo²)/2 under the
        diagonal and max = hi - lo.
        """
        lo, hi = check_range(lo, hi, axis="false positive rate")
        width, middle = hi - lo, (hi + lo) / 2
        return 0.5 * (1 + (self.area(lo, hi) / width - middle) / (1 - middle))

    def expected_accuracy(self) -> float:
        """Return the accuracy expected when every predicted positive rate is equally likely.

        Notes
        -----
        ½ + π(1-π)·(2·AUROC - 1); Flach & Kull (2015), Theorem 0's linear relation.
        """
        prevalence = self.table.prevalence
        negative_share = self.table.negatives / (self.table.positives + self.table.negatives)
        return 0.5 + prevalence * negative_share * (2 * self.area() - 1)
