"""How many positives and negatives have which score, from the counts of a table alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics.table import Kind

if TYPE_CHECKING:
    from isometrics.aliases import Counts
    from isometrics.table import Table

BINS = 40


class Histogram(NamedTuple):
    """Counts of both classes in bins of equal width; infinite scores stand apart.

    Attributes
    ----------
    lo, hi
        The lowest and the highest finite score.
    positives, negatives
        The counts in each bin.
    below, above
        The positives and negatives with a score of -inf (items that were never scored among
        them) and of +inf.
    """

    lo: float
    hi: float
    positives: Counts
    negatives: Counts
    below: tuple[float, float]
    above: tuple[float, float]


def histogram_of(table: Table) -> Histogram | None:
    """Return the histogram of a table of scores; other tables do not know their scores.

    A score s falls into bin floor((s - lo)/(hi - lo)·40); the highest one into the last bin.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> found = histogram_of(pts.table)
    >>> found.lo, found.hi, int(found.positives[-1]), int(found.negatives[0])
    (0.1, 0.9, 1, 1)
    """
    if table.kind is not Kind.SCORES:
        return None
    scores = table.thresholds[1:].astype(np.float64)
    counts = np.diff(table.tp), np.diff(table.fp)
    finite = np.isfinite(scores)
    apart = [
        tuple(count[scores == end].sum().item() for count in counts) for end in (-np.inf, np.inf)
    ]
    lo, hi = (float(scores[finite].min()), float(scores[finite].max())) if finite.any() else (0, 0)
    # Halves keep the width of the widest range finite.
    width = hi / 2 - lo / 2
    share = (scores[finite] / 2 - lo / 2) / width if width else np.zeros(int(finite.sum()))
    bins = np.minimum((share * BINS).astype(np.intp), BINS - 1)
    sums = []
    for count in counts:
        total = np.zeros(BINS, count.dtype)
        np.add.at(total, bins, count[finite])
        sums.append(total)
    return Histogram(lo, hi, sums[0], sums[1], apart[0], apart[1])
