"""Cells of a ranking: rows that count together, whatever weights a replicate gives them.

A table of n rows is reweighted cell by cell. How many rows a cell may hold depends on what is
asked: for curves and their areas a run of one class is as good as its rows.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics.errors import NotAnswerableError
from isometrics.kernels.plain import running_sum
from isometrics.table import Kind, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.aliases import Counts, Floats

    Indices = NDArray[np.intp]


class Detail(IntEnum):
    """What a cell may hold, from coarse to fine; a finer one serves a coarser purpose too."""

    CUTS = 0
    """All rows between two cuts: enough for the counts at these cuts."""
    RUNS = 1
    """A run of rows of one class: enough for curves, their areas and hulls."""
    NEGATIVE_RUNS = 2
    """A run of negatives, or the positives of one score: enough for average precision."""
    SCORES = 3
    """The rows of one class with one score: enough for everything."""


class Cells(NamedTuple):
    """Cells in the order of the ranking; those of positives and of negatives are numbered apart.

    Before positive cell i stand the negative cells up to `before[i]`; those up to `through[i]`
    are tied with it or stand before it. `positive_rows` and `negative_rows` count, for each row
    of the cells' own table, the cells at or above its threshold.
    """

    thresholds: NDArray[Any]
    positive: Counts
    negative: Counts
    before: Indices
    through: Indices
    positive_rows: Indices
    negative_rows: Indices

    @property
    def counts(self) -> Counts:
        """The rows or weights of all cells, positives first."""
        return np.concatenate([self.positive, self.negative])

    def table(self, weights: Floats, ratio: float = 0.0) -> Table:
        """Return the table under other weights; `ratio` above 0 fixes negatives per positive."""
        size = self.positive.size
        tp = _behind_zero(running_sum(weights[:size]))[self.positive_rows]
        fp = _behind_zero(running_sum(weights[size:]))[self.negative_rows]
        if ratio > 0:
            fp = fp * (tp[-1] * ratio / fp[-1])
        return Table(self.thresholds, tp, fp, float(tp[-1]), float(fp[-1]), Kind.SCORES)


class Scores(NamedTuple):
    """The rows or weights of each distinct score, in descending order, by class."""

    thresholds: NDArray[Any]
    positive: Counts
    negative: Counts


class Grouping(NamedTuple):
    """The cells, and for each distinct score the cell of its positives and of its negatives."""

    cells: Cells
    positive_cell: Indices
    negative_cell: Indices


def scores_of(table: Table) -> Scores:
    """Return what a table of scores says about each of them."""
    if table.kind is not Kind.SCORES:
        raise NotAnswerableError(
            f"{table.kind} cannot be resampled: rows between its rows are not known; "
            "use the full table of the scores"
        )
    return Scores(table.thresholds[1:], np.diff(table.tp), np.diff(table.fp))


def grouping_of(scores: Scores, detail: Detail, cuts: NDArray[Any]) -> Grouping:
    """Return cells of scores; none reaches over a threshold in `cuts`."""
    present = (scores.positive > 0, scores.negative > 0)
    # The first score below a cut begins a cell.
    begins = np.searchsorted(-scores.thresholds, -cuts, "right")
    group = _groups(*present, detail, begins)
    starts = np.append(0, np.flatnonzero(np.diff(group)) + 1)
    sums = [np.add.reduceat(counts, starts) for counts in scores[1:]]
    held = [np.logical_or.reduceat(there, starts) for there in present]
    ranks = [np.cumsum(there) for there in held]
    some = np.flatnonzero(held[0])
    ends = np.append(starts[1:], group.size) - 1
    infinity = np.array([np.inf], scores.thresholds.dtype)
    cells = Cells(
        np.concatenate([infinity, scores.thresholds[ends]]),
        sums[0][held[0]],
        sums[1][held[1]],
        (ranks[1] - held[1])[some],
        ranks[1][some],
        _behind_zero(ranks[0]),
        _behind_zero(ranks[1]),
    )
    return Grouping(cells, *((rank - 1)[group] for rank in ranks))


def _groups(
    positive: NDArray[np.bool_], negative: NDArray[np.bool_], detail: Detail, begins: Indices
) -> Indices:
    """Give scores that count together one number."""
    starts = np.ones(positive.size, np.bool_)
    if detail is Detail.CUTS:
        starts[1:] = False
    elif detail is not Detail.SCORES:
        classes = positive + 2 * negative
        joined = (classes[1:] == classes[:-1]) & (classes[1:] != 3)
        if detail is Detail.NEGATIVE_RUNS:
            joined &= ~positive[1:]
        starts[1:] = ~joined
    starts[begins[begins < starts.size]] = True
    return np.asarray(np.cumsum(starts) - 1)


def _behind_zero(counts: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([np.zeros(1, counts.dtype), counts])
