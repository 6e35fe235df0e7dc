"""Rows sorted by score, in memory or on disk: every score is counted by itself."""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics import _counting
from isometrics._core.sample import LARGEST_COUNT, UNNAMED, Sample, as_thresholds, check_totals
from isometrics._core.writing import ScratchFolder, scratch_errors
from isometrics._counting.keys import Order, order_of
from isometrics._counting.tally import Section, Tally
from isometrics._table.building import table_of_sample
from isometrics._table.table import ClassTotals, Kind, Table
from isometrics.points import OperatingPoints
from isometrics.points.compact import Compacting
from isometrics.sources.arrow import prefetch
from isometrics.sources.batches import Feeder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts

SMALL = 1 << 20
"""So many rows are counted at once, as `OperatingPoints.from_scores` does."""
RUN_ROWS = 1 << 21
SECTION_ROWS = 1 << 18
BYTES_OF_A_ROW = 64
"""A full table and what building it takes, for each distinct score."""
_SHORT = 1 << 14
"""So few rows are sorted and merged sooner than a thread takes up the work."""


@lru_cache(maxsize=1)
def _threads_of(process: int) -> ThreadPoolExecutor:  # noqa: ARG001
    """Return the threads that sort and copy for all tables; a forked process needs its own."""
    return ThreadPoolExecutor(2)


class SortedRows(Feeder):
    """Counts scores one by one: rows are sorted, and go to the disk where memory is short.

    Parameters
    ----------
    dtype
        The type of the scores.
    weights
        The type of the weights, int64 or float64; None without weights.
    folder
        Where rows go that do not fit into memory.
    """

    def __init__(
        self, dtype: np.dtype[Any], weights: np.dtype[Any] | None, *, folder: SpillFolder
    ) -> None:
        self._order = order_of(dtype)
        self._small: list[Sample] | None = []
        self._small_bytes = 0
        self._classes = tuple(Runs(self._order.word, weights, folder=folder) for _ in range(2))
        self.rows = 0
        """The number of rows."""

    def append(
        self, labels: NDArray[np.bool_], scores: NDArray[Any], weights: Counts | None
    ) -> None:
        """Add rows."""
        self.rows += labels.size
        sample = Sample(labels, {UNNAMED: scores}, weights)
        if self._small is None:
            self._sort(sample)
            return
        self._small.append(sample)
        self._small_bytes += sample.nbytes
        if self.rows > SMALL:
            self._start_sorting()

    def _start_sorting(self) -> None:
        small, self._small, self._small_bytes = self._small, None, 0
        for sample in small or ():
            self._sort(sample)

    def _sort(self, sample: Sample) -> None:
        labels, weights = sample.labels, sample.weights
        keys = self._order.keys(sample.only_scores)
        for runs, rows in zip(self._classes, (labels, ~labels), strict=True):
            runs.append(keys[rows], None if weights is None else weights[rows])

    @property
    def nbytes(self) -> int:
        """The memory that rows take."""
        return self._small_bytes + sum(runs.nbytes for runs in self._classes)

    def spill(self) -> None:
        """Move all rows to the disk."""
        self._start_sorting()
        for runs in self._classes:
            runs.spill()

    def runs(self) -> tuple[list[Run], list[Run]]:
        """Return the sorted runs of positives and of negatives."""
        self._start_sorting()
        positives, negatives = (runs.sorted() for runs in self._classes)
        return positives, negatives

    def points(self, name: str, *, budget: int) -> OperatingPoints:
        """Return the table; `name` is what errors call the labels.

        A table that is too long for `budget` bytes is compacted: its hull and its areas stay
        exact.
        """
        fits = self.rows * BYTES_OF_A_ROW <= budget
        if fits and self._small is not None:
            return OperatingPoints(table_of_sample(Sample.joined(self._small), counted=name))
        sections = Sections(self._order, *self.runs())
        check_totals(*sections.totals, counted=name)
        if fits:
            return OperatingPoints(_full_table(sections, self.rows))
        compacting = Compacting(ClassTotals(*sections.totals))
        for section in prefetch(iter(sections)):
            compacting.add(_thresholds(section.tally), *section.curve())
        return OperatingPoints(compacting.table())


def with_limit(points: OperatingPoints, memory_limit: str) -> OperatingPoints:
    """Return a table that knows under which limit it would have all its rows."""
    table = points.table
    if table.gaps is None:
        return points
    return OperatingPoints(replace(table, gaps=replace(table.gaps, memory_limit=memory_limit)))


def _thresholds(tally: Tally) -> NDArray[Any]:
    """Return the scores of exact intervals, the highest first."""
    return as_thresholds(tally.order.scores(tally.lo[::-1]))


def _full_table(sections: Sections, rows: int) -> Table:
    """Fill the rows of a whole table from its end, where the lowest scores are."""
    totals = sections.totals
    counts = np.result_type(*(np.asarray(total).dtype for total in totals))
    thresholds = np.empty(rows + 1, sections.threshold_type)
    tp, fp = np.empty(rows + 1, counts), np.empty(rows + 1, counts)
    start = rows + 1
    for section in iter(sections) if rows <= _SHORT else prefetch(iter(sections)):
        end, start = start, start - section.tally.size
        written = None
        if section.tally.size > _SHORT:
            # Writing to fresh memory is slow, so two threads share the work.
            written = _threads_of(os.getpid()).submit(_write, thresholds[start:end], section.tally)
        else:
            _write(thresholds[start:end], section.tally)
        # The first row is that of the section above, which writes it again with the same counts.
        section.write_curve(tp[start - 1 : end], fp[start - 1 : end])
        if written is not None:
            written.result()
    # There is a row for the empty rule: ties only make room.
    thresholds[start - 1], tp[start - 1], fp[start - 1] = np.inf, 0, 0
    thresholds, tp, fp = (column[start - 1 :] for column in (thresholds, tp, fp))
    if start > (rows + 1) // 2:
        thresholds, tp, fp = thresholds.copy(), tp.copy(), fp.copy()
    return Table(thresholds, tp, fp, *totals, Kind.SCORES)


def _write(thresholds: NDArray[Any], tally: Tally) -> None:
    thresholds[:] = _thresholds(tally)


# ---------------------------------------------------------------------- sorted runs


class Run(NamedTuple):
    """Keys in ascending order, and the weights of their rows where they have any."""

    keys: NDArray[Any]
    weights: Counts | None

    @property
    def nbytes(self) -> int:
        """The bytes of all rows."""
        return self.keys.nbytes + (0 if self.weights is None else self.weights.nbytes)

    def sort(self) -> Run:
        """Return the rows in the order of their keys; without weights they are sorted in place."""
        if self.weights is None:
            _counting.sort(self.keys)
            return self
        order = np.argsort(self.keys, kind="stable")
        return Run(self.keys[order], self.weights[order])

    def part(self, start: int, end: int) -> Run:
        """Return some of the rows, in memory."""
        weights = None if self.weights is None else np.asarray(self.weights[start:end])
        return Run(np.asarray(self.keys[start:end]), weights)


def _concatenated(runs: Sequence[Run]) -> Run:
    """Return all rows, one run behind the other."""
    weights = [run.weights for run in runs if run.weights is not None]
    keys = np.concatenate([run.keys for run in runs])
    return Run(keys, np.concatenate(weights) if weights else None)


class SpillFolder:
    """A folder for what does not fit into memory; it is removed with everything in it."""

    def __init__(self) -> None:
        self._folder: ScratchFolder | None = None
        self._files = 0

    def __enter__(self) -> SpillFolder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def write(self, values: NDArray[Any]) -> NDArray[Any]:
        """Write an array and return it as a read-only view of its file."""
        path = self.write_columns([values], f"{values.nbytes} bytes of sorted scores")
        return np.memmap(path, values.dtype, "r", shape=values.shape)

    def write_columns(self, columns: Sequence[NDArray[Any]], what: str) -> Path:
        """Write arrays one behind the other into a file; `what` is what errors call them."""
        if self._folder is None:
            self._folder = ScratchFolder()
        path = Path(self._folder.name, f"{self._files}.bin")
        self._files += 1
        with scratch_errors(self._folder.name, what), path.open("wb") as file:
            for column in columns:
                file.write(column.data)
        return path


class Runs:
    """Rows of one class that arrive in chunks and leave as sorted runs.

    Parameters
    ----------
    dtype
        The type of the keys.
    weights
        The type of the weights, or None.
    folder
        Where runs go that do not fit into memory.
    """

    def __init__(
        self, dtype: np.dtype[Any], weights: np.dtype[Any] | None, *, folder: SpillFolder
    ) -> None:
        self._folder = folder
        self._empty = Run(np.empty(0, dtype), None if weights is None else np.empty(0, weights))
        self._unsorted: list[Run] = []
        self._unsorted_rows = 0
        self._held: list[Future[Run]] = []
        self._spilled: list[Run] = []
        self.nbytes = 0
        """The memory that rows take."""

    def append(self, keys: NDArray[Any], weights: Counts | None) -> None:
        """Add rows in any order."""
        run = Run(keys, weights)
        self._unsorted.append(run)
        self._unsorted_rows += keys.size
        self.nbytes += run.nbytes
        if self._unsorted_rows >= RUN_ROWS:
            self._end_run()

    def _end_run(self) -> None:
        run = _concatenated([self._empty, *self._unsorted])
        self._unsorted, self._unsorted_rows = [], 0
        if run.keys.size > _SHORT:
            self._held.append(_threads_of(os.getpid()).submit(run.sort))
            return
        done: Future[Run] = Future()
        done.set_result(run.sort())
        self._held.append(done)

    def spill(self) -> None:
        """Move all rows to the disk."""
        if self._unsorted_rows:
            self._end_run()
        for run in (each.result() for each in self._held):
            weights = None if run.weights is None else self._folder.write(run.weights)
            self._spilled.append(Run(self._folder.write(run.keys), weights))
        self._held, self.nbytes = [], 0

    def sorted(self) -> list[Run]:
        """Return all runs, one at least."""
        if self._unsorted_rows or not (self._held or self._spilled):
            self._end_run()
        return self._spilled + [run.result() for run in self._held]


# ---------------------------------------------------------------------- sections


class Sections:
    """The tally of sorted runs in sections, each small enough to be sorted in the cache.

    Parameters
    ----------
    order
        The map between scores and keys.
    positives, negatives
        The runs of both classes.
    """

    def __init__(self, order: Order, positives: Sequence[Run], negatives: Sequence[Run]) -> None:
        self._order = order
        self._classes = (positives, negatives)
        runs = [*positives, *negatives]
        weights = runs[0].weights
        self._weighted = weights is not None
        self._borders = _borders(runs)
        self._cuts = [
            [[*np.searchsorted(run.keys, self._borders).tolist(), run.keys.size] for run in each]
            for each in self._classes
        ]
        sums: list[list[Any]] = [
            _from_above(*each) for each in zip(self._classes, self._cuts, strict=True)
        ]
        fractional = weights is not None and weights.dtype.kind == "f"
        if fractional or (self._weighted and sum(each[0] for each in sums) > LARGEST_COUNT):
            sums = [[float(value) for value in each] for each in sums]
        self._from_above: list[tuple[Any, Any]] = list(zip(*sums, strict=True))
        """The counts at or above each border, and at last 0."""
        self.totals = self._from_above[0]

    @property
    def threshold_type(self) -> np.dtype[Any]:
        """The type that holds all scores."""
        keys = [run.keys for runs in self._classes for run in runs if run.keys.size]
        ends = [min(each[0] for each in keys), max(each[-1] for each in keys)]
        return as_thresholds(self._order.scores(np.array(ends))).dtype

    def __iter__(self) -> Iterator[Section]:
        """Yield the sections, the one of the lowest scores first."""
        for index, border in enumerate(self._borders):
            through, above = self._from_above[index : index + 2]
            if all(cut[index] == cut[index + 1] for each in self._cuts for cut in each):
                continue
            if index + 1 < self._borders.size and self._borders[index + 1] - border == 1:
                lo = np.array([border])
                counts = (
                    np.array([end - start]) for end, start in zip(through, above, strict=True)
                )
                yield Section(Tally(self._order, lo, lo, *counts), above, through)
                continue
            positives, negatives = (
                _concatenated(
                    [run.part(*cut[index : index + 2]) for run, cut in zip(*each, strict=True)]
                )
                for each in zip(self._classes, self._cuts, strict=True)
            )
            if self._weighted:
                tally = _add_weights(self._order, positives, negatives, type(above[0]))
            else:
                tally = _count_rows(self._order, positives, negatives)
            yield Section(tally, above, through)


def _borders(runs: Sequence[Run]) -> NDArray[Any]:
    """Return the lowest key of each section, from 0 on.

    Scores of both signs never share a section: so the keys of one differ by less than half of
    their word, which leaves a bit for the label. A key with so many rows that they could fill a
    section has a section of its own, which needs no sorting.
    """
    word = runs[0].keys.dtype
    present = [run.keys for run in runs if run.keys.size]
    step = max(SECTION_ROWS // (4 * len(present)), 1)
    candidates = np.sort(np.concatenate([keys[::step] for keys in present]))
    borders, times = np.unique(candidates[:: 4 * len(present)], return_counts=True)
    heavy = borders[times > 1]
    behind = heavy[heavy < np.iinfo(word).max] + word.type(1)
    ends = np.array([0, 1 << (8 * word.itemsize - 1)], word)
    return np.unique(np.concatenate([ends, borders, behind]))


def _from_above(runs: Sequence[Run], cuts: Sequence[list[int]]) -> list[int | Fraction]:
    """Return the weight of one class at or above each border, exactly; so it never rises."""
    inside: list[int | Fraction] = [0] * (len(cuts[0]) - 1)
    for run, cut in zip(runs, cuts, strict=True):
        for index, (start, end) in enumerate(pairwise(cut)):
            rows = end - start
            inside[index] += rows if run.weights is None else _exact_sum(run.weights[start:end])
    return list(accumulate(reversed(inside), initial=0))[::-1]


def _exact_sum(weights: Counts) -> int | Fraction:
    if weights.dtype.kind == "f":
        return Fraction(float(weights.sum()))
    # A sum of words may overflow; those of their halves do not.
    return (int((weights >> 32).sum()) << 32) + int((weights & 0xFFFFFFFF).sum())


def _count_rows(order: Order, positives: Run, negatives: Run) -> Tally:
    """Count the rows of both classes by score: one key carries the score and the label."""
    word = positives.keys.dtype
    lowest = min(run.keys.min() for run in (positives, negatives) if run.keys.size)
    packed = np.concatenate([negatives.keys, positives.keys])
    packed -= lowest
    packed <<= word.type(1)
    packed[negatives.keys.size :] |= word.type(1)
    packed.sort(kind="stable")  # merges sorted runs, which is all there is to do
    labels = (packed & word.type(1)).astype(np.int64)
    packed >>= word.type(1)
    new = packed[1:] != packed[:-1]
    if new.all():
        packed += lowest
        return Tally(order, packed, packed, labels, 1 - labels)
    first = np.append(0, np.flatnonzero(new) + 1)
    lo = packed[first] + lowest
    rises = np.add.reduceat(labels, first)
    return Tally(order, lo, lo, rises, np.diff(first, append=packed.size) - rises)


def _add_weights(order: Order, positives: Run, negatives: Run, total: type) -> Tally:
    """Add up the weights of both classes by score."""
    run = _concatenated([positives, negatives])
    assert run.weights is not None
    labels = np.arange(run.keys.size) < positives.keys.size
    # Totals beyond 2**53 are floats, whatever the weights are.
    weights = run.weights.astype(np.result_type(run.weights, total), copy=False)
    return Tally.from_rows(order, run.keys, labels, weights)
