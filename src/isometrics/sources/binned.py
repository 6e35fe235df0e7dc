"""Rows counted in bins: exact at their borders, and inside those bins that matter."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics._counting.hull import vertices
from isometrics.sources.bins import doubts

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SAFETY = 0.75
"""The doubts bound AUROC, AUPR and AUPRG; what is derived from them has wider brackets."""


class Borders(NamedTuple):
    """Bins with rows, from the highest on, and the counts above and below each."""

    bins: NDArray[np.int64]
    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    tp_above: NDArray[np.int64]
    fp_above: NDArray[np.int64]

    @property
    def positives(self) -> NDArray[np.int64]:
        """The positives inside each bin."""
        return self.tp - self.tp_above

    @property
    def negatives(self) -> NDArray[np.int64]:
        """The negatives inside each bin."""
        return self.fp - self.fp_above

    def may_hold_vertices(self) -> NDArray[np.bool_]:
        """Tell which bins may hold vertices of the hull.

        Whatever the order inside a bin, its rows lie below and to the right of the corner where
        all its positives come first; so that corner must lie above the hull of the borders. A
        border that is a vertex itself has the lowest score of the bin as its threshold.
        """
        tp, fp = np.concatenate([[0], self.tp]), np.concatenate([[0], self.fp])
        corners = vertices(fp, tp)
        there = np.interp(self.fp_above, fp[corners], tp[corners])
        mixed = (self.positives > 0) & (self.negatives > 0)
        # np.interp rounds; a bin too many costs little.
        above = mixed & (self.tp >= there - 1e-9 * self.tp[-1])
        above[corners[1:] - 1] = True
        above[0] = True  # the highest score of all
        above[np.argmax(self.tp / (self.tp + self.fp))] = True  # the first one of highest precision
        return np.asarray(above)

    def doubts(self) -> NDArray[np.float64]:
        """Return how much each bin may add to the bracket of AUROC, AUPR and AUPRG: three rows."""
        counts = (self.tp_above, self.fp_above, self.positives, self.negatives)
        return doubts(*(each.astype(np.float64) for each in counts))


class Choice(NamedTuple):
    """Bins to look into: all their rows, or only for vertices of the hull."""

    all_rows: NDArray[np.bool_]
    vertices: NDArray[np.bool_]

    @property
    def bins(self) -> NDArray[np.bool_]:
        """All of them."""
        return self.all_rows | self.vertices


def bins_to_refine(borders: Borders, tolerance: float, seen: Choice, room: int) -> Choice:
    """Return the bins whose order must be known, as far as `room` rows go.

    All that may hold vertices of the hull, then those that leave the most doubt, until what is
    left over is well below the tolerance for every area.
    """
    vertex = borders.may_hold_vertices() & ~seen.bins
    doubts = np.where(seen.all_rows, 0.0, borders.doubts())
    doubtful = np.empty(0, np.intp)
    if doubts.sum(axis=1).max() > tolerance * _SAFETY:
        order = np.argsort(-doubts.max(axis=0), kind="stable")
        left = np.cumsum(doubts[:, order][:, ::-1], axis=1)[:, ::-1].max(axis=0)
        doubtful = order[left > tolerance * _SAFETY]
    ranked = np.concatenate([np.flatnonzero(vertex), doubtful])
    rows = np.cumsum((borders.positives + borders.negatives)[ranked])
    some = np.zeros(vertex.size, np.bool_)
    some[ranked[: max(int(np.searchsorted(rows, room, "right")), 1)]] = True
    whole = np.zeros(vertex.size, np.bool_)
    whole[doubtful] = True
    return Choice(some & whole, some & vertex & ~whole)
