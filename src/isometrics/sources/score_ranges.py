"""Rows that do not fit into memory, read several times: each pass counts the lowest scores left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.counts import as_thresholds, check_totals
from isometrics._counting import compiled_kernel
from isometrics._counting.confusion import Totals
from isometrics._counting.keys import Order, order_of
from isometrics._counting.tally import Tally
from isometrics.errors import FileError
from isometrics.points import OperatingPoints
from isometrics.points.compact import Compacting
from isometrics.sources.batches import prefetch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from isometrics._core.sample import Sample

    Keys = NDArray[Any]
    Mask = NDArray[np.bool_]

BYTES_OF_A_KEY = 9
"""What a row takes that is held, with what sorting takes."""
_PIECE_ROWS = 1 << 17
_RUN_ROWS = 1 << 20
_SECTION_ROWS = 1 << 18
_STEP = 1 << 10
"""One of so many sorted keys tells where the others lie."""
_SAMPLED_ROWS = 1 << 16
_FILLED = 0.95
"""How much of its room a pass should fill, as far as a sample of the rows tells."""


class ScoreRanges:
    """Counts the scores of each model in passes, each of which holds as many rows as fit.

    A pass holds the lowest scores that are left, sorts them, and counts them in their order. Rows
    have neither weights nor groups.

    Parameters
    ----------
    budget
        The bytes that the rows of all models may fill.
    rows
        About how many rows there are.
    models
        The number of models.
    """

    def __init__(self, budget: int, rows: int, models: int) -> None:
        self._room = budget // (BYTES_OF_A_KEY * models)
        self._rows = rows
        self._models: dict[str, _Model] = {}

    def append(self, sample: Sample) -> None:
        """See the rows of a batch, in each pass."""
        for name, scores in sample.scores.items():
            if name not in self._models:
                self._models[name] = _Model(order_of(scores.dtype), self._room, self._rows)
            self._models[name].append(sample.labels, scores)

    def end_pass(self, enough: str) -> bool:
        """End a pass; tell whether another one is needed.

        `enough` is the memory limit under which all rows fit.
        """
        wanted = [model.end_pass(enough) for model in self._models.values()]
        return any(wanted)

    def points(self, name: str, label: str, _enough: str) -> OperatingPoints:
        """Return the table of all rows of a model; errors call the labels `label`."""
        return self._models[name].points(label)


class _Model:
    """The rows of one model: those up to `begin` are counted, those below `end` are held."""

    def __init__(self, order: Order, room: int, rows: int) -> None:
        self._order, self._room, self._rows = order, room, rows
        self._held = _HeldKeys(room + _PIECE_ROWS, order.word)
        self._begin: Any = None
        self._end: Any = None
        self._at_end = np.zeros(2, np.int64)
        """How many rows of both classes have the score `end`; they may be more than fit."""
        self._seen = 0
        """The rows of this pass, of all scores."""
        self._totals, self._left = np.zeros((2, 2), np.int64)
        self._sampled: list[NDArray[Any]] = []
        self._sample = np.empty(0, order.dtype)
        self._compacting: Compacting | None = None
        self._finished = False

    def append(self, labels: Mask, scores: NDArray[Any]) -> None:
        """Hold the rows of a batch that belong to this pass."""
        if self._finished:
            return
        if self._compacting is None:
            self._totals += _of_both(labels)
            self._sampled.append(scores[:: self._rows // _SAMPLED_ROWS + 1].copy())
        for start in range(0, scores.size, _PIECE_ROWS):
            rows = slice(start, start + _PIECE_ROWS)
            self._append_piece(labels[rows], scores[rows])

    def _append_piece(self, labels: Mask, scores: NDArray[Any]) -> None:
        self._seen += scores.size
        if self._end is not None:
            self._at_end += _of_both(labels[scores == self._end])
            labels, scores = _rows_where(scores < self._end, labels, scores)
        if self._begin is not None:
            labels, scores = _rows_where(scores > self._begin, labels, scores)
        keys = self._order.keys(scores)
        self._held.append(*_rows_where(labels, keys), *_rows_where(~labels, keys))
        while self._held.size > self._room:
            # The highest scores are left to later passes, so that the rest of this one should fit.
            sampled = self._held.sampled()
            end = sampled[int(_FILLED * min(self._seen / self._rows, 1) * sampled.size)]
            self._end = self._order.scores(np.array([end]))[0]
            self._at_end = self._held.end_at(end)

    def end_pass(self, enough: str) -> bool:
        """Count the rows of this pass; tell whether another one is needed."""
        self._finished |= 0 in self._totals
        if self._finished:
            return False
        if self._compacting is None:
            self._left = self._totals.copy()
            self._sample = np.sort(np.concatenate(self._sampled))
            self._compacting = Compacting(Totals(*self._totals.tolist()), memory_limit=enough)
        for tally in prefetch(self._tallies()):
            self._left -= np.array(tally.totals)
            if self._left.min() < 0:
                raise _changed()
            thresholds = as_thresholds(tally.order.scores(tally.lo[::-1]))
            self._compacting.add(thresholds, *tally.curve((*self._left.tolist(),)))
        if not self._left.any():
            self._finished = True
            return False
        if self._end is None:
            raise _changed()
        higher = self._sample[np.searchsorted(self._sample, self._end, "right") :]
        rank = int(_FILLED * self._room * self._sample.size / self._totals.sum())
        self._begin, self._end = self._end, higher[rank] if rank < higher.size else None
        self._at_end[:] = self._seen = 0
        self._held.clear()
        return True

    def points(self, label: str) -> OperatingPoints:
        """Return the table, once all rows are counted."""
        check_totals(*self._totals.tolist(), counted=label)
        assert self._compacting is not None
        return OperatingPoints(self._compacting.table())

    def _tallies(self) -> Iterator[Tally]:
        """Yield the counts of the rows that are held, the lowest scores first."""
        positives, negatives = self._held.runs()
        runs, first = [*positives, *negatives], len(positives)
        borders = self._borders()
        cuts = [[*np.searchsorted(run, borders).tolist(), run.size] for run in runs]
        for section, border in enumerate(borders):
            ends = (cut[section : section + 2] for cut in cuts)
            parts = [run[start:end] for run, (start, end) in zip(runs, ends, strict=True)]
            tp, fp = (sum(map(len, each)) for each in (parts[:first], parts[first:]))
            if tp + fp == 0:
                continue
            if section + 1 < borders.size and borders[section + 1] - border == 1:
                yield _tally_of_one(self._order, border, tp, fp)
            else:
                yield _tally_of(self._order, border, np.concatenate(parts), tp)
        if self._at_end.any():
            key = self._order.keys(np.array([self._end]))
            yield _tally_of_one(self._order, key[0], *self._at_end.tolist())

    def _borders(self) -> Keys:
        """Return the lowest key of each section, from 0 on.

        Scores of both signs never share a section: so the keys of one differ by less than half of
        their word, which leaves a bit for the label. A key of so many rows that they fill a section
        has one of its own, which needs no sorting.
        """
        word = self._order.word
        borders, times = np.unique(
            self._held.sampled()[:: _SECTION_ROWS // _STEP], return_counts=True
        )
        # Behind the highest key of all comes 0.
        behind = borders[times > 1] + word.type(1)
        ends = np.array([0, 1 << (self._order.bits - 1)], word)
        return np.unique(np.concatenate([ends, borders, behind]))


class _HeldKeys:
    """Keys of both classes, in runs of which all but the last ones are sorted.

    They are in one array, because the memory of many that come and go is not given back.
    """

    def __init__(self, most: int, word: np.dtype[Any]) -> None:
        self._keys = np.empty(most, word)
        self.clear()

    def clear(self) -> None:
        """Let go of all keys."""
        self.size = self._sorted = 0
        """How many keys there are, and how many runs are sorted."""
        self._runs: list[tuple[int, int, int]] = []
        """Where the positives of a run begin, where its negatives do, and where it ends."""

    def append(self, positives: Keys, negatives: Keys) -> None:
        """Add keys in any order."""
        self._add(positives, negatives)
        if self.size - self._sorted_keys >= _RUN_ROWS:
            self._sort()

    def _add(self, positives: Keys, negatives: Keys) -> None:
        middle = self.size + positives.size
        end = middle + negatives.size
        self._keys[self.size : middle] = positives
        self._keys[middle:end] = negatives
        self._runs.append((self.size, middle, end))
        self.size = end

    @property
    def _sorted_keys(self) -> int:
        return self._runs[self._sorted - 1][2] if self._sorted else 0

    def _sort(self) -> None:
        """Make one sorted run of all that are not sorted."""
        if self._sorted < len(self._runs):
            positives, negatives = map(np.concatenate, self._parts(self._sorted))
            self.size = self._sorted_keys
            del self._runs[self._sorted :]
            for keys in (positives, negatives):
                compiled_kernel.sort(keys)
            self._add(positives, negatives)
            self._sorted += 1

    def _parts(self, first: int) -> tuple[list[Keys], list[Keys]]:
        runs = self._runs[first:]
        return (
            [self._keys[start:middle] for start, middle, _ in runs],
            [self._keys[middle:end] for _, middle, end in runs],
        )

    def runs(self) -> tuple[list[Keys], list[Keys]]:
        """Return sorted keys of positives and of negatives."""
        self._sort()
        return self._parts(0)

    def sampled(self) -> Keys:
        """Return one of so many keys and the lowest of each run, in their order."""
        positives, negatives = self.runs()
        return np.sort(np.concatenate([run[::_STEP] for run in [*positives, *negatives]]))

    def end_at(self, key: Any) -> NDArray[np.int64]:
        """Let go of a key and all above it; return how many rows of both classes have it."""
        runs = list(zip(*self.runs(), strict=True))
        self.clear()
        with_key = np.zeros(2, np.int64)
        for run in runs:
            firsts = [np.searchsorted(keys, key) for keys in run]
            ends = [np.searchsorted(keys, key, "right") for keys in run]
            with_key += np.subtract(ends, firsts)
            # They only move to the front.
            self._add(*(keys[:first] for keys, first in zip(run, firsts, strict=True)))
        self._sorted = len(self._runs)
        return with_key


def _changed() -> FileError:
    return FileError("the predictions changed while they were read; read them again")


def _of_both(labels: Mask) -> tuple[int, int]:
    """Return how many rows of both classes there are."""
    positives = int(np.count_nonzero(labels))
    return positives, labels.size - positives


def _rows_where(wanted: Mask, *columns: NDArray[Any]) -> list[NDArray[Any]]:
    """Return some rows; by their numbers this is faster than by a mask."""
    (rows,) = wanted.nonzero()
    return [column[rows] for column in columns]


def _tally_of(order: Order, border: Any, keys: Keys, positives: int) -> Tally:
    """Count the keys of a section, of which the positives come first."""
    one = order.word.type(1)
    keys -= border
    keys <<= one
    keys[:positives] |= one
    compiled_kernel.sort(keys)
    labels = (keys & one).astype(np.int64)
    keys >>= one
    keys += border
    new = np.append(True, keys[1:] != keys[:-1])
    if new.all():
        return Tally(order, keys, keys, labels, 1 - labels)
    first = np.flatnonzero(new)
    lo, positive = keys[first], np.add.reduceat(labels, first)
    return Tally(order, lo, lo, positive, np.diff(first, append=keys.size) - positive)


def _tally_of_one(order: Order, key: Any, positives: int, negatives: int) -> Tally:
    """Return the counts of a single key."""
    lo = np.array([key], order.word)
    return Tally(order, lo, lo, np.array([positives]), np.array([negatives]))
