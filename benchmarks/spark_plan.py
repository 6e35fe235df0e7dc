"""What reading would cost a cluster, up to 1e12 rows: computed, not measured.

Usage: python benchmarks/spark_plan.py [--rows 1e6 1e8 1e10 1e12] [--prevalences 0.5 0.01]
       [--bytes-per-row 9] [--split-megabytes 128]

Runs the planner of the passes, the one that reads clusters, on counts that are drawn instead of
counted: scores are those of `benchmarks/spark.py`, two normal distributions 1.5 apart, and the rows
of a piece are drawn from what its range has. Prints one Markdown table:

- passes = 2 + passes over the scores (the first rows, and the totals)
- bytes read = (passes - 1) x rows x bytes per row; the first rows are a few megabytes
- tasks = rows x bytes per row / size of a split, at least 2
- rows shuffled = the sum over all pieces of tasks x (1 - (1 - 1/tasks)^rows of the piece), which is
  how many tasks are expected to have rows of the piece, each of which sends one row for it
- rows collected = the number of pieces that have rows, at most 2^20 a pass
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from isometrics.sources.cluster_passes import FINEST, TOLERANCE, Passes, PassLimits, Plan, Ranges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

APART = 1.5
_LONG = 256
"""Ranges of so many pieces are drawn one by one."""


class _Limits(NamedTuple):
    """What the planner asks its source for."""

    limits: PassLimits = PassLimits()


class DrawnPasses(Passes):
    """Passes over a sample that nobody has: the counts of pieces are drawn.

    Parameters
    ----------
    positives, negatives
        How many rows there are.
    tasks
        How many tasks read them.
    """

    def __init__(self, positives: int, negatives: int, tasks: float) -> None:
        ends = ndtri(1 / negatives), APART - ndtri(1 / positives)
        one, none = np.zeros(1, np.int64), np.full(1, -1)
        self.ranges = Ranges(
            one,
            one,
            none,
            *(np.array([end]) for end in ends),
            *(np.array([count]) for count in (positives, negatives)),
            np.array([positives + negatives]),
        )
        self.number = 0
        self.collected: list[int] = []
        self.shuffled: list[float] = []
        self._tasks = tasks
        self._random = np.random.default_rng(1)
        self._source: Any = _Limits()

    def _refine(self, plan: Plan) -> None:
        finest = plan.pieces == FINEST
        parts = [self._scores_of(self.ranges.take(plan.cut[finest]))]
        if not finest.all():
            parts.append(self._pieces_of(self.ranges.take(plan.cut[~finest]), plan.pieces[~finest]))
        lo, hi, tp, fp = (np.concatenate(column) for column in zip(*parts, strict=True))
        zeros = np.zeros(lo.size, np.int64)
        self.ranges = self.ranges.refine(
            plan.cut, Ranges(zeros, zeros, zeros, lo, hi, tp, fp, tp + fp)
        )
        self.number += 1
        self.collected.append(lo.size)
        # Of a piece of n rows, a task has none with probability (1 - 1/tasks)^n.
        absent = (tp + fp) * np.log1p(-1 / self._tasks)
        self.shuffled.append(float((-self._tasks * np.expm1(absent)).sum()))

    def _scores_of(self, parents: Ranges) -> tuple[NDArray[Any], ...]:
        """Draw every score of some ranges, which are narrow or hold few."""
        rows = parents.positives + parents.negatives
        start = np.repeat(np.cumsum(rows) - rows, rows)
        labels = np.arange(start.size) - start < np.repeat(parents.positives, rows)
        scores = self._random.uniform(np.repeat(parents.lo, rows), np.repeat(parents.hi, rows))
        return scores, scores, labels.astype(np.int64), (~labels).astype(np.int64)

    def _pieces_of(self, parents: Ranges, pieces: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
        """Draw the pieces of ranges: lowest and highest scores, positives and negatives."""
        number = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        lo, hi = np.repeat(parents.lo, pieces), np.repeat(parents.hi, pieces)
        width = (hi - lo) / (np.repeat(pieces, pieces) - 0.5)
        left, right = lo + width * number, np.minimum(lo + width * (number + 1), hi)
        counts = [
            self._draw(rows, pieces, _chances(left - shift, right - shift))
            for rows, shift in ((parents.positives, APART), (parents.negatives, 0.0))
        ]
        size = counts[0] + counts[1]
        # Rows divide a piece into equal parts, on average.
        margin = (right - left) / (size + 1)
        lowest = left + margin
        highest = np.where(size > 1, np.maximum(right - margin, lowest), lowest)
        filled = size > 0
        return lowest[filled], highest[filled], counts[0][filled], counts[1][filled]

    def _draw(
        self, rows: NDArray[np.int64], pieces: NDArray[np.int64], chances: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Draw how many rows of each range fall into each of its pieces, a multinomial each."""
        starts = np.cumsum(pieces) - pieces
        drawn = np.zeros(chances.size, np.int64)
        long = pieces >= _LONG
        for row in np.flatnonzero(long):
            part = slice(starts[row], starts[row] + pieces[row])
            drawn[part] = self._random.multinomial(rows[row], chances[part] / chances[part].sum())
        # Of short ones, the first pieces of all are drawn at once, then the second ones.
        left = rows.copy()
        sums = np.add.reduceat(chances, starts)
        for number in range(int(pieces[~long].max(initial=0))):
            active = np.flatnonzero(~long & (pieces > number))
            index = starts[active] + number
            last = pieces[active] == number + 1
            share = np.where(last, 1.0, np.clip(chances[index] / sums[active], 0.0, 1.0))
            drawn[index] = self._random.binomial(left[active], share)
            left[active] -= drawn[index]
            sums[active] = np.maximum(sums[active] - chances[index], 1e-300)
        return drawn


def _chances(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the chances of a normal score to lie between two values, or in proportion to them."""
    # The tail that is nearer to zero has more digits.
    sign = np.where(left > 0, -1.0, 1.0)
    chances = np.abs(ndtr(sign * right) - ndtr(sign * left))
    return np.maximum(chances, 1e-290)


def planned(
    rows: int, prevalence: float, bytes_per_row: float, split: float
) -> tuple[list[str], DrawnPasses]:
    """Return one line of the table, and the passes it was computed from."""
    positives = round(rows * prevalence)
    tasks = max(2.0, rows * bytes_per_row / split)
    passes = DrawnPasses(positives, rows - positives, tasks)
    passes.run(TOLERANCE, "label")
    # The totals have one row for each label in every task, and the first rows are a thousand.
    collected = 1000 + 2 + sum(passes.collected)
    return [
        f"{rows:.0e}".replace("e+0", "e").replace("e+", "e"),
        f"{prevalence:g}",
        f"{2 + passes.number}",
        _size((1 + passes.number) * rows * bytes_per_row),
        f"{tasks:,.0f}",
        f"{2 * tasks + sum(passes.shuffled):.2g}".replace("e+0", "e").replace("e+", "e"),
        f"{max(passes.collected):,}",
        f"{collected:,}",
    ], passes


def _size(value: float) -> str:
    for unit in ("MB", "GB"):
        value /= 1e6 if unit == "MB" else 1e3
        if value < 1e3:
            return f"{value:.3g} {unit}"
    return f"{value / 1e3:.3g} TB"


def lines(
    rows: list[float], prevalences: list[float], bytes_per_row: float, split: float
) -> Iterator[str]:
    """Return the table as Markdown."""
    head = ["rows", "prevalence", "passes", "bytes read", "tasks a pass", "rows shuffled"]
    head += ["most rows collected in a pass", "rows collected"]
    yield f"| {' | '.join(head)} |"
    yield f"|{'--:|' * len(head)}"
    for size in rows:
        for prevalence in prevalences:
            cells, _ = planned(int(size), prevalence, bytes_per_row, split)
            yield f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, nargs="+", default=[1e6, 1e7, 1e8, 1e9, 1e10, 1e12])
    parser.add_argument("--prevalences", type=float, nargs="+", default=[0.5, 0.01])
    parser.add_argument("--bytes-per-row", type=float, default=9.0)
    parser.add_argument("--split-megabytes", type=float, default=128.0)
    given = parser.parse_args()
    split = given.split_megabytes * 2**20
    for line in lines(given.rows, given.prevalences, given.bytes_per_row, split):
        print(line, flush=True)


if __name__ == "__main__":
    main()
