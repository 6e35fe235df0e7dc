"""Sorted runs of both classes read in sections of ascending scores, each small enough to sort."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.sample import LARGEST_COUNT
from isometrics._counting.numpy_kernel import running_sum
from isometrics._table.table import ClassTotals
from isometrics.sources.runs import Run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts

SIZE = 1 << 18


class SectionRows(NamedTuple):
    """Rows of a table in descending order of their keys, the one before them included.

    The first row repeats the last one of the section of higher scores; its key means nothing.
    """

    keys: NDArray[Any]
    tp: Counts
    fp: Counts


class Sections:
    """What sorted runs of positives and negatives say, from the lowest scores on."""

    def __init__(
        self, positives: Sequence[Run], negatives: Sequence[Run], *, size: int = SIZE
    ) -> None:
        self._classes = (positives, negatives)
        runs = [*positives, *negatives]
        self._weighted = runs[0].weights is not None
        self._fractional = runs[0].weights is not None and runs[0].weights.dtype.kind == "f"
        self._borders = _borders(runs, size)
        self._cuts = [
            [[*np.searchsorted(run.keys, self._borders).tolist(), run.keys.size] for run in one]
            for one in self._classes
        ]
        self._starts, self.totals = self._sums()

    @property
    def extremes(self) -> NDArray[Any]:
        """The lowest and the highest key."""
        present = [run.keys for runs in self._classes for run in runs if run.keys.size]
        return np.array([min(keys[0] for keys in present), max(keys[-1] for keys in present)])

    def __iter__(self) -> Iterator[SectionRows]:
        """Yield the sections, the one of the lowest scores first."""
        for place, border in enumerate(self._borders):
            starts, ends = self._starts[place + 1], self._starts[place]
            if all(cut[place] == cut[place + 1] for one in self._cuts for cut in one):
                continue
            if place + 1 < self._borders.size and self._borders[place + 1] - border == 1:
                tp, fp = (np.array(pair) for pair in zip(starts, ends, strict=True))
                yield SectionRows(np.array([border, border]), tp, fp)
                continue
            positives, negatives = (
                _joined([run.part(*cut[place : place + 2]) for run, cut in zip(*one, strict=True)])
                for one in zip(self._classes, self._cuts, strict=True)
            )
            if self._weighted:
                yield _weighted_rows(positives, negatives, starts, ends)
            else:
                yield _counted_rows(positives, negatives, ends)

    def _sums(self) -> tuple[list[ClassTotals], ClassTotals]:
        """Return the counts at or above each border, the highest one last, and the totals."""
        sums: list[list[Any]] = [
            _from_above(*one) for one in zip(self._classes, self._cuts, strict=True)
        ]
        if self._weighted and (self._fractional or sum(one[0] for one in sums) > LARGEST_COUNT):
            sums = [[float(value) for value in one] for one in sums]
        starts = [ClassTotals(*pair) for pair in zip(*sums, strict=True)]
        return starts, starts[0]


def _borders(runs: Sequence[Run], size: int) -> NDArray[Any]:
    """Return the lowest key of each section, from 0 on.

    Scores of both signs never share a section: so the keys of one differ by less than half of
    their word, which leaves a bit for the label. A key with so many rows that they could fill a
    section has a section of its own, which needs no sorting.
    """
    word = runs[0].keys.dtype
    present = [run.keys for run in runs if run.keys.size]
    step = max(size // (4 * len(present)), 1)
    candidates = np.sort(np.concatenate([keys[::step] for keys in present]))
    found, times = np.unique(candidates[:: 4 * len(present)], return_counts=True)
    heavy = found[times > 1]
    behind = heavy[heavy < np.iinfo(word).max] + word.type(1)
    ends = np.array([0, 1 << (8 * word.itemsize - 1)], word)
    return np.unique(np.concatenate([ends, found, behind]))


def _from_above(runs: Sequence[Run], cuts: Sequence[list[int]]) -> list[int | Fraction]:
    """Return the weight of one class at or above each border, exactly; so it never rises."""
    inside: list[int | Fraction] = [0] * (len(cuts[0]) - 1)
    for run, cut in zip(runs, cuts, strict=True):
        for place, (start, end) in enumerate(pairwise(cut)):
            rows = end - start
            inside[place] += rows if run.weights is None else _sum(run.weights[start:end])
    return list(accumulate(reversed(inside), initial=0))[::-1]


def _sum(weights: Counts) -> int | Fraction:
    if weights.dtype.kind == "f":
        return Fraction(float(weights.sum()))
    # A sum of words may overflow; those of their halves do not.
    return (int((weights >> 32).sum()) << 32) + int((weights & 0xFFFFFFFF).sum())


def _joined(parts: list[Run]) -> Run:
    if len(parts) == 1:
        return parts[0]
    keys = np.concatenate([part.keys for part in parts])
    weights = [part.weights for part in parts if part.weights is not None]
    return Run(keys, np.concatenate(weights) if weights else None)


def _counted_rows(positives: Run, negatives: Run, ends: ClassTotals) -> SectionRows:
    """Merge both classes: one key carries the score and the label."""
    word = positives.keys.dtype
    lowest = min(run.keys.min() for run in (positives, negatives) if run.keys.size)
    packed = np.concatenate([negatives.keys, positives.keys])
    packed -= lowest
    packed <<= word.type(1)
    packed[negatives.keys.size :] |= word.type(1)
    packed.sort(kind="stable")  # merges sorted runs, which is all there is to do
    below = np.empty(packed.size + 1, np.int64)
    below[0] = 0
    np.cumsum(packed & word.type(1), dtype=np.int64, out=below[1:])
    packed >>= word.type(1)
    # Where a score begins; behind the last one, nothing is above the section.
    begins = np.append(np.flatnonzero(_new(packed)), packed.size)
    below = below[begins]
    tp = ends.positives - below
    fp = ends.negatives - (begins - below)
    keys = np.append(packed[begins[:-1]] + lowest, word.type(0))
    return SectionRows(keys[::-1], tp[::-1], fp[::-1])


def _weighted_rows(
    positives: Run, negatives: Run, starts: ClassTotals, ends: ClassTotals
) -> SectionRows:
    """Add up weights from the highest score on: so small sums keep their digits."""
    keys = np.concatenate([positives.keys, negatives.keys])
    order = np.argsort(keys, kind="stable")[::-1]
    keys = keys[order]
    last = np.append(keys[1:] != keys[:-1], True)
    sums = []
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        weights = np.concatenate(
            [
                run.weights if one == place else np.zeros_like(run.weights)
                for one, run in enumerate((positives, negatives))
            ]
        )
        # Totals beyond 2**53 are floats, whatever the weights are.
        weights = weights.astype(np.result_type(weights, type(start)), copy=False)
        counts = start + running_sum(weights[order])[last]
        # Sums of one thing in two orders differ by their last bits; neighbours share this row.
        counts = np.minimum(counts, end)
        counts[-1] = end
        sums.append(np.concatenate([[start], counts]))
    return SectionRows(np.concatenate([keys[:1], keys[last]]), *sums)


def _new(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which sorted values differ from the one before."""
    new = np.empty(values.size, np.bool_)
    new[0] = True
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new
