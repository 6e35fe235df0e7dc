"""What can be had without an algorithm, and where a tradeoff curve beats it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.indices import ClosedIndex, Rows, WeightedIndex
from isometrics.results import ResultTable
from isometrics.spaces.ranges import grid_with, ranges_of
from isometrics.table import Kind, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.aliases import Floats
    from isometrics.spaces.tradeoff_intervals import TradeoffIntervals

MAXIMAL, MINIMAL, EMPTY = "maximal set", "minimal set", "empty rule"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UsefulRange(ResultTable):
    """The ranges of λ in which a tradeoff curve lies above every baseline.

    Attributes
    ----------
    lambda_lo, lambda_hi
        The ends of each range; at the ends the curve and a baseline are equal.
    """

    lambda_lo: Floats
    lambda_hi: Floats

    @property
    def length(self) -> float:
        """The share of all λ that the ranges cover."""
        return float(np.sum(self.lambda_hi - self.lambda_lo))

    def __len__(self) -> int:
        """Return the number of ranges."""
        return self.lambda_lo.size

    def _title(self) -> str:
        ranges = "1 range" if len(self) == 1 else f"{len(self)} ranges"
        return f"UsefulRange: {ranges} of λ, of length {self.length:.6g}"

    def _columns(self) -> dict[str, Any]:
        return {"lambda_lo": self.lambda_lo, "lambda_hi": self.lambda_hi}


def baselines(table: Table, index: WeightedIndex) -> Table:
    """Return the trivial sets as rows with names, by false positives.

    The minimal set is one true positive, so it needs positives that are counted, not weighed; for
    an index that has a value for the empty rule, that takes its place.
    """
    positives, negatives = table.positives, table.negatives
    names: tuple[str, ...]
    if isinstance(index, ClosedIndex) and index.has_empty_rule:
        names, tp, fp = (EMPTY, MAXIMAL), [0, positives], [0, negatives]
    elif isinstance(positives, int | np.integer):
        names, tp, fp = (MINIMAL, MAXIMAL), [1, positives], [0, negatives]
    else:
        names, tp, fp = (MAXIMAL,), [positives], [negatives]
    unknown = np.full(len(tp), np.nan)
    return Table(unknown, np.array(tp), np.array(fp), positives, negatives, Kind.SETS, names)


def useful_range(
    index: WeightedIndex, curve: TradeoffIntervals, trivial: TradeoffIntervals
) -> UsefulRange:
    """Return where a curve lies above the curve of the trivial sets.

    Between the ends of all pieces one point of the curve meets one trivial set; in a closed form
    once at most.
    """
    ends = np.union1d(curve.lambda_lo, trivial.lambda_lo)
    if not isinstance(index, ClosedIndex):

        def states(lam: Floats) -> NDArray[np.bool_]:
            mine, theirs = (index.of_rows(rows, lam) for rows in _pairs(curve, trivial, lam))
            return (mine > theirs)[:, None]

        starts, found = ranges_of(states, grid_with(ends))
        useful = np.flatnonzero(found[:, 0])
        return UsefulRange(starts[useful], np.append(starts[1:], 1.0)[useful])
    met = index.crossing(*_pairs(curve, trivial, ends), ends, np.append(ends[1:], 1.0))
    cuts = np.unique(np.concatenate([ends, met[np.isfinite(met)], [1.0]]))
    middle = (cuts[:-1] + cuts[1:]) / 2
    mine, theirs = _pairs(curve, trivial, middle)
    above = index.of_rows(mine, middle) > index.of_rows(theirs, middle)
    # Neighbouring parts that are all above are one range.
    edges = np.diff(np.concatenate([[False], above, [False]]).astype(np.int8))
    return UsefulRange(cuts[edges == 1], cuts[edges == -1])


def _pairs(one: TradeoffIntervals, other: TradeoffIntervals, lam: Floats) -> tuple[Rows, Rows]:
    """Return the points that are best in two curves from these weights on."""
    mine, theirs = (
        Rows.of_table(curve.table).take(np.searchsorted(curve.lambda_lo, lam, "right") - 1)
        for curve in (one, other)
    )
    return mine, theirs
