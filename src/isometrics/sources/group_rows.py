"""Rows of groups on disk, from where they are counted group by group.

Rows arrive in any order and go to the disk in runs. Once all groups are known, each run is sorted
by group, and blocks of some groups are read from all runs together. Within a group rows keep the
order in which they arrived, so its tables are to the bit those of rows in memory.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.groups import split_sizes
from isometrics._core.sample import LARGEST_COUNT, Sample
from isometrics.errors import Advice, ParameterError
from isometrics.points.models import count_group
from isometrics.points.table_files import BYTES_OF_AN_ENTRY, write_groups
from isometrics.sources.memory_limit import in_megabytes, limit_for
from isometrics.sources.sorted_rows import BYTES_OF_A_ROW, SortedRows, with_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from isometrics._core.groups import GroupNames
    from isometrics.points import OperatingPoints
    from isometrics.points.models import GroupTables
    from isometrics.sources.sorted_rows import SpillFolder

    Progress = Callable[[int, int | None], None]
    ModelTables = dict[str, OperatingPoints | str]
    """The table of each model, or the only class that its rows have."""

_SHARE = 8
"""A run, and a block of groups, may fill one of so many parts of the memory for rows: while one is
read and sorted it stands in memory three times, beside the rows of the tables of all groups."""
_WHAT = "rows of groups"


class GroupRows:
    """Rows of groups that do not fit into memory.

    Parameters
    ----------
    folder
        Where the rows go.
    budget
        The bytes of memory to stay within.
    """

    def __init__(self, folder: SpillFolder, budget: int) -> None:
        self._folder = folder
        self._budget = budget
        self._block_bytes = max(budget // _SHARE, 1)
        self._samples: dict[tuple[str, ...], _Spilled] = {}
        self._names: GroupNames | None = None
        self._rows = 0

    def append(self, sample: Sample) -> None:
        """Add the rows of a batch; samples of the same models belong together."""
        assert sample.groups is not None
        key = tuple(sample.scores)
        if key not in self._samples:
            self._samples[key] = _Spilled(key, self._folder)
        self._samples[key].append(sample)
        self._names = sample.groups.names
        self._rows += sample.size
        self._refuse_names(len(self._names))
        if sum(each.pending_bytes for each in self._samples.values()) > self._block_bytes:
            for each in self._samples.values():
                each.spill()

    def _refuse_names(self, groups: int) -> None:
        needed = groups * sum(map(len, self._samples)) * BYTES_OF_AN_ENTRY
        if needed > self._budget:
            raise ParameterError(
                f"the names of {groups} groups and more do not fit into the memory limit",
                Advice("raise {memory_limit} above {}, or leave the groups out", limit_for(needed)),
            )

    def tables(
        self, models: Sequence[str], label: str, progress: Progress | None
    ) -> tuple[GroupTables, str]:
        """Count all groups; return their tables, which stay on disk, and a sentence about that.

        Parameters
        ----------
        models
            The models in their order.
        label
            What errors call the labels.
        progress
            Called with the rows that were counted and the number of all rows.
        """
        assert self._names is not None
        names, ranks = self._names.in_order()
        samples = sorted(self._samples.values(), key=lambda each: models.index(each.models[0]))
        sizes: NDArray[np.int64] = np.sum([each.sizes(ranks) for each in samples], axis=0)
        widths = np.sum([each.sizes(ranks) * each.row_bytes for each in samples], axis=0)
        borders = split_sizes(widths, self._block_bytes)
        for each in samples:
            each.sort(ranks, borders)
        texts = list(names)

        def counted() -> Iterator[tuple[str, ModelTables]]:
            done = 0
            for block, (start, end) in enumerate(pairwise(borders.tolist())):
                if end - start == 1 and widths[start] > self._block_bytes:
                    found = iter([self._large_group(samples, block, label)])
                else:
                    ranks = np.arange(start, end + 1)
                    found = _count_block([each.read(block, ranks) for each in samples], end - start)
                yield from zip(texts[start:end], found, strict=True)
                done += int(sizes[start:end].sum())
                if progress is not None:
                    progress(done, int(sizes.sum()))

        tables, nbytes = write_groups(counted())
        note = (
            f"{len(texts)} groups did not fit into the memory limit: their {self._rows} rows were "
            f"sorted on disk, and {in_megabytes(nbytes)} of tables stay there until the process "
            "ends"
        )
        return tables, note

    def _large_group(self, samples: Sequence[_Spilled], block: int, label: str) -> ModelTables:
        """Count a group that does not fit into memory by sorting its scores on disk."""
        found: ModelTables = {}
        for each in samples:
            found |= each.count_large(block, label, self._budget, self._block_bytes)
        return found


def _count_block(rows: Sequence[_Block], n_groups: int) -> Iterator[ModelTables]:
    """Count the groups of a block, of which all samples have some rows or none."""
    for index in range(n_groups):
        found: ModelTables = {}
        for each in rows:
            sample = each.of_group(index)
            if sample.size:
                found |= count_group(sample)
        yield found


class _Block(NamedTuple):
    """Rows of some groups, one group after another."""

    borders: list[int]
    """The first row of each group, and at last the number of rows."""
    rows: Sample

    def of_group(self, index: int) -> Sample:
        """Return the rows of a group."""
        first, last = self.borders[index : index + 2]
        _, scores, weights, _ = self.rows
        return Sample(
            self.rows.labels[first:last],
            {name: values[first:last] for name, values in scores.items()},
            None if weights is None else weights[first:last],
        )


class _Run(NamedTuple):
    """A file of columns, one behind the other: groups, labels, scores, and weights if any."""

    path: Path
    size: int
    dtypes: tuple[np.dtype[Any], ...]
    starts: NDArray[np.int64]
    """The first row of each block, once rows are sorted, and at last the number of rows."""

    def read(self, start: int, end: int) -> list[NDArray[Any]]:
        """Return some rows of all columns."""
        columns, offset = [], 0
        with self.path.open("rb") as file:
            for dtype in self.dtypes:
                file.seek(offset + start * dtype.itemsize)
                columns.append(np.fromfile(file, dtype, end - start))
                offset += self.size * dtype.itemsize
        return columns


class _Spilled:
    """The rows of models that share them, or of one model."""

    def __init__(self, models: tuple[str, ...], folder: SpillFolder) -> None:
        self.models = models
        self.pending_bytes = 0
        self.row_bytes = 0
        self._folder = folder
        self._pending: list[Sample] = []
        self._runs: list[_Run] = []
        self._sizes = np.zeros(0, np.int64)
        self._weight = 0.0

    def append(self, sample: Sample) -> None:
        """Add rows."""
        assert sample.groups is not None
        self._pending.append(sample)
        self.pending_bytes += sample.nbytes
        self.row_bytes = max(self.row_bytes, -(-sample.nbytes // max(sample.size, 1)))
        counts = np.bincount(sample.groups.codes, minlength=self._sizes.size)
        counts[: self._sizes.size] += self._sizes
        self._sizes = counts
        if sample.weights is not None:
            self._weight += float(sample.weights.astype(np.float64).sum())

    def sizes(self, ranks: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the number of rows of each group, in the order of groups."""
        sizes = np.zeros(ranks.size, np.int64)
        sizes[ranks[: self._sizes.size]] = self._sizes
        return sizes

    def spill(self) -> None:
        """Move rows that are in memory to the disk, as they came."""
        if not self._pending:
            return
        rows = [_columns_of(each) for each in self._pending]
        self._pending, self.pending_bytes = [], 0
        columns = [np.concatenate(column) for column in zip(*rows, strict=True)]
        self._runs.append(self._write(columns, np.zeros(0, np.int64)))

    def _write(self, columns: list[NDArray[Any]], starts: NDArray[np.int64]) -> _Run:
        path = self._folder.write_columns(columns, _WHAT)
        dtypes = tuple(column.dtype for column in columns)
        return _Run(path, columns[0].size, dtypes, starts)

    def sort(self, ranks: NDArray[np.intp], borders: NDArray[np.int64]) -> None:
        """Sort the rows of each run by group, and note where blocks begin."""
        self.spill()
        for index, run in enumerate(self._runs):
            codes, *columns = run.read(0, run.size)
            run.path.unlink()
            rank_of_row = ranks[codes]
            order = np.argsort(rank_of_row, kind="stable")
            sorted_ranks = rank_of_row[order].astype(codes.dtype)
            self._runs[index] = self._write(
                [sorted_ranks, *(column[order] for column in columns)],
                np.searchsorted(sorted_ranks, borders),
            )

    def read(self, block: int, groups: NDArray[np.int64]) -> _Block:
        """Return the rows of a block, of all `groups` but the last, with which the next begins."""
        parts = [run.read(*run.starts[block : block + 2].tolist()) for run in self._runs]
        ranks, *columns = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(ranks, kind="stable")
        borders = np.searchsorted(ranks[order], groups).tolist()
        return _Block(borders, self._sample([column[order] for column in columns]))

    def _sample(self, columns: list[NDArray[Any]]) -> Sample:
        labels, *others = columns
        scores = dict(zip(self.models, others, strict=False))
        weights = others[-1] if len(others) > len(self.models) else None
        if weights is not None and self._weight > LARGEST_COUNT:
            # As in memory: where the sum of all whole weights is not exact, they are floats.
            weights = weights.astype(np.float64)
        return Sample(labels, scores, weights)

    def count_large(self, block: int, label: str, budget: int, chunk_bytes: int) -> ModelTables:
        """Count the models of a block that is one group, in chunks of its rows."""
        rows = max(chunk_bytes // self.row_bytes, 1)
        feeders: list[SortedRows] = []
        size = positives = 0
        for run in self._runs:
            first, last = run.starts[block : block + 2].tolist()
            for start in range(first, last, rows):
                columns = run.read(start, min(start + rows, last))[1:]
                sample = self._sample(columns)
                weights = sample.weights
                if not feeders:
                    kind = None if weights is None else weights.dtype
                    feeders = [
                        SortedRows(each.dtype, kind, folder=self._folder)
                        for each in sample.scores.values()
                    ]
                for feeder, scores in zip(feeders, sample.scores.values(), strict=True):
                    feeder.append(sample.labels, scores, weights)
                    if sum(each.nbytes for each in feeders) > budget // 2:
                        feeder.spill()
                size += sample.size
                positives += int(np.count_nonzero(sample.labels))
        if not 0 < positives < size:
            only = "positives" if positives else "negatives"
            return dict.fromkeys(self.models, only) if size else {}
        enough = limit_for(size * BYTES_OF_A_ROW * len(self.models))
        share = budget // (2 * len(self.models))
        return {
            name: with_limit(feeder.points(label, budget=share), enough)
            for name, feeder in zip(self.models, feeders, strict=True)
        }


def _columns_of(sample: Sample) -> list[NDArray[Any]]:
    assert sample.groups is not None
    weights = [] if sample.weights is None else [sample.weights]
    return [sample.groups.codes, sample.labels, *sample.scores.values(), *weights]
