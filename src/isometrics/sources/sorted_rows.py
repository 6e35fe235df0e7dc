"""Rows that do not fit into memory: DuckDB keeps and sorts them, and they come back as counts."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import groupby, pairwise
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.lib.format import read_array, write_array

from isometrics._core.counts import LARGEST_COUNT, as_thresholds, check_totals
from isometrics._core.files import ScratchFolder, scratch_errors
from isometrics._core.sample import split_sizes
from isometrics._counting.confusion import Totals
from isometrics._counting.keys import Order, order_of
from isometrics._counting.tally import Tally
from isometrics._table.building import table_of_tally
from isometrics.errors import Advice, FileError, require
from isometrics.points import OperatingPoints
from isometrics.points.compact import Compacting
from isometrics.points.models import write_groups
from isometrics.sources.batches import as_numpy, prefetch
from isometrics.sources.files import settings
from isometrics.sources.memory_limit import in_megabytes

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from isometrics._core.sample import GroupNames, Sample
    from isometrics.points.models import GroupTables

    Progress = Callable[[int, int | None], None]

BYTES_OF_A_ROW = 64
"""A full table and what building it takes, for each row and each of its models."""
_LEAST_MEMORY = 80_000_000
"""What DuckDB needs to sort tens of millions of rows at once; it takes some 40 MB beside it."""
_ROWS_AT_ONCE = 30_000_000
"""So many rows are sorted within the least memory; the number grows with the memory's square,
because all runs of a sort are merged at once, and each is a share of the memory."""
_SAMPLED_KEYS = 10_000
_BATCH_ROWS = 1 << 18


class SortedRows:
    """Rows of all models in a database on disk, from where they come sorted.

    Scores are stored as the unsigned integers of their order, so that DuckDB compares them as
    NumPy does.

    Parameters
    ----------
    budget
        The bytes of memory to stay within; three quarters of them are DuckDB's.
    """

    def __init__(self, budget: int) -> None:
        require("sorting rows that do not fit into memory", "duckdb")
        import duckdb

        memory = max(budget * 3 // 4, _LEAST_MEMORY)
        # Rows whose tables fill half of the memory fill a quarter of it while they are sorted.
        self._table_budget = budget // 2
        self._rows_at_once = int(_ROWS_AT_ONCE * (memory / _LEAST_MEMORY) ** 2)
        self._folder = ScratchFolder()
        path = Path(self._folder.name, "rows.duckdb")
        # Compression would take longer than the disk.
        config = settings(memory, self._folder.name) | {"force_compression": "uncompressed"}
        self._connection = duckdb.connect(str(path), config=config)
        # It would go to stdout.
        self._connection.execute("SET enable_progress_bar = false")
        self._models: dict[str, _Model] = {}
        self._reading: Generator[_Counts, None, None] | None = None
        self._empty = True
        self._rows = self._scores = 0
        self._weighted = False
        self._names: GroupNames | None = None

    def close(self) -> None:
        """Remove the rows."""
        # After an error a thread may still be reading, and DuckDB refuses to close meanwhile.
        if self._reading is not None:
            self._reading.close()
        self._connection.close()
        self._folder.close()

    def append(self, sample: Sample) -> None:
        """Add the rows of a batch."""
        import pyarrow as pa

        weights, groups = sample.weights, sample.groups
        self._rows += sample.size
        self._scores += sample.size * len(sample.scores)
        for name, scores in sample.scores.items():
            if name not in self._models:
                self._models[name] = _Model(len(self._models), order_of(scores.dtype))
            model = self._models[name]
            columns: dict[str, NDArray[Any]] = {
                "model": np.full(sample.size, model.code, np.int32),
                "key": model.order.keys(scores).astype(np.uint64),
                "positive": sample.labels,
            }
            if groups is not None:
                columns["group_code"] = groups.codes.astype(np.int32)
            if weights is not None:
                columns["weight"] = weights.astype(np.float64)
                model.weighted, model.whole = True, weights.dtype.kind != "f"
                model.weight += float(columns["weight"].sum())
            with self._errors():
                relation = self._connection.from_arrow(pa.table(columns))
                if self._empty:
                    self._empty = False
                    # What is written in one transaction is written once.
                    self._connection.begin()
                    relation.create("rows")
                else:
                    relation.insert_into("rows")
        self._weighted = weights is not None
        self._names = None if groups is None else groups.names

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn what DuckDB raises, by itself or through Arrow, into one sentence."""
        import duckdb

        try:
            yield
        except (duckdb.Error, OSError) as error:
            reason = str(error).splitlines()[0].rpartition("Error: ")[2]
            raise FileError(
                f"cannot sort rows in {self._folder.name!r}: {reason}",
                Advice("set TMPDIR to a folder with room, or raise {memory_limit}"),
            ) from error

    # ------------------------------------------------------------------ tables

    def points(self, name: str, label: str, enough: str) -> OperatingPoints:
        """Return the table of all rows of a model.

        Errors call the labels `label`; `enough` is the memory limit under which all rows fit.
        """
        model = self._models[name]
        (points,) = (
            each.points(model, label, self._room(), enough)
            for each in self._tables("model::BIGINT", f"model = {model.code}")
        )
        return points

    def group_tables(
        self, models: Sequence[str], label: str, enough: str, progress: Progress | None
    ) -> tuple[GroupTables, str]:
        """Count all groups; return their tables, which stay on disk, and a sentence about that.

        Parameters
        ----------
        models
            The models in their order.
        label
            What errors call the labels.
        enough
            The memory limit under which all rows fit.
        progress
            Called with the rows that were counted and the number of all rows.
        """
        assert self._names is not None
        texts, number = list(self._names), len(self._models)
        names = {model.code: name for name, model in self._models.items()}

        def counted() -> Iterator[tuple[str, dict[str, OperatingPoints | str]]]:
            done = 0
            tables = self._tables(f"group_code::BIGINT * {number} + model", "true")
            for group, parts in groupby(tables, key=lambda each: each.code // number):
                found: dict[str, OperatingPoints | str] = {}
                for each in parts:
                    name = names[each.code % number]
                    done += int(sum(each.rows))
                    if 0 in each.rows:
                        found[name] = "positives" if each.rows.positives else "negatives"
                        continue
                    found[name] = each.points(self._models[name], label, self._room(), enough)
                yield texts[group], {name: found[name] for name in models if name in found}
                if progress is not None:
                    progress(done * self._rows // self._scores, self._rows)

        tables, nbytes = write_groups(counted(), self._names.in_order()[0])
        note = (
            f"{len(texts)} groups did not fit into the memory limit: their rows were sorted on "
            f"disk, and {in_megabytes(nbytes)} of tables stay there until the process ends"
        )
        return tables, note

    def _room(self) -> int:
        """Return how many rows a full table may have."""
        return self._table_budget // (BYTES_OF_A_ROW * len(self._models))

    def _tables(self, table: str, where: str) -> Iterator[_SortedTable]:
        """Yield what is known of each table, of which an SQL expression is the number."""
        import pyarrow as pa

        # Sorting needs what reading has left.
        pa.default_memory_pool().release_unused()
        codes, positives, negatives = self._select(
            f"SELECT {table} AS code, count_if(positive), count_if(NOT positive) "
            f"FROM rows WHERE {where} GROUP BY code ORDER BY code"
        )
        parts = groupby(
            self._parts(table, where, codes, positives + negatives), key=attrgetter("table")
        )
        for (code, counts), *rows in zip(parts, positives, negatives, strict=True):
            yield _SortedTable(code, Totals(*map(int, rows)), counts)

    def _parts(
        self, table: str, where: str, codes: NDArray[np.int64], rows: NDArray[np.int64]
    ) -> Iterator[_Counts]:
        """Yield the counts of sorted rows, table by table, the lowest scores first.

        Where there are too many rows to be sorted at once, ranges of tables are, and of scores in
        a long table.
        """
        last = None
        weight = ", weight" if self._weighted else ""
        for start, end in pairwise(split_sizes(rows, self._rows_at_once).tolist()):
            inside = f"{where} AND {table} BETWEEN {codes[start]} AND {codes[end - 1]}"
            # DuckDB takes longer for columns that only travel along than for those that it sorts
            # by; so the number of a table that is alone is left out, and ties have one order.
            code = "" if end - start == 1 else f"{table} AS code, "
            times = -(-int(rows[start:end].sum()) // self._rows_at_once)
            for range_of_keys in self._ranges(inside, times):
                batches = self._batches(
                    f"SELECT {code}key, positive{weight} FROM rows "
                    f"WHERE {inside} AND {range_of_keys} ORDER BY ALL"
                )
                self._reading = prefetch(_Counts.of(each, codes[start]) for each in batches)
                for batch in self._reading:
                    # Rows of the last score may go on in the next batch.
                    counts = batch
                    if last is not None:
                        counts = _Counts(*map(np.concatenate, zip(last, batch, strict=True)))
                        counts = counts.summed()
                    yield from counts.take(slice(-1)).split()
                    last = counts.take(slice(-1, None))
        assert last is not None
        yield last

    def _ranges(self, where: str, number: int) -> list[str]:
        """Return conditions for ranges of keys with about as many rows each, the lowest first."""
        if number == 1:
            return ["true"]
        (keys,) = self._select(
            f"SELECT key FROM (SELECT key FROM rows WHERE {where}) USING SAMPLE {_SAMPLED_KEYS}"
        )
        inner = np.unique(np.quantile(keys, np.arange(1, number) / number, method="nearest"))
        borders = [0, *inner.tolist(), 2**64]
        return [f"key >= {low} AND key < {high}" for low, high in pairwise(borders)]

    def _batches(self, query: str) -> Iterator[dict[str, NDArray[Any]]]:
        with self._errors():
            for batch in self._connection.sql(query).to_arrow_reader(_BATCH_ROWS):
                yield {name: as_numpy(batch.column(name)) for name in batch.schema.names}

    def _select(self, query: str) -> list[NDArray[Any]]:
        """Return the columns of a short result."""
        with self._errors():
            return list(self._connection.sql(query).fetchnumpy().values())


class _Model:
    """What is known of a model."""

    def __init__(self, code: int, order: Order) -> None:
        self.code = code
        self.order = order
        self.weighted = False
        self.weight = 0.0
        """The sum of all weights."""
        self.whole = True

    @property
    def type(self) -> type[np.float64 | np.int64]:
        """The type of counts: sums of whole weights are exact up to 2**53, and floats beyond."""
        return np.int64 if self.whole and self.weight <= LARGEST_COUNT else np.float64


class _Counts(NamedTuple):
    """Counts of both classes by table and score, the lowest scores of a table first."""

    codes: NDArray[Any]
    """The numbers of tables."""
    keys: NDArray[Any]
    positives: NDArray[Any]
    negatives: NDArray[Any]

    @classmethod
    def of(cls, columns: dict[str, NDArray[Any]], code: int) -> _Counts:
        """Count sorted rows; those without numbers of tables belong to one table."""
        keys, labels = columns["key"], columns["positive"]
        codes = columns.get("code", np.full(keys.size, code, np.int64))
        weights = columns.get("weight", np.ones(keys.size))
        return cls(codes, keys, weights * labels, weights * ~labels).summed()

    @property
    def table(self) -> int:
        """The number of the only table."""
        return int(self.codes[0])

    def tally(self, model: _Model) -> Tally:
        """Return the counts of one table, which is a model's."""
        lo = self.keys.astype(model.order.word)
        counts = (each.astype(model.type) for each in (self.positives, self.negatives))
        return Tally(model.order, lo, lo, *counts)

    def take(self, rows: slice) -> _Counts:
        """Return some of the counts."""
        return _Counts(*(column[rows] for column in self))

    def summed(self) -> _Counts:
        """Add up what belongs to one score of one table."""
        new = (self.codes[1:] != self.codes[:-1]) | (self.keys[1:] != self.keys[:-1])
        if new.all():
            return self
        first = np.append(0, np.flatnonzero(new) + 1)
        sums = (np.add.reduceat(counts, first) for counts in (self.positives, self.negatives))
        return _Counts(self.codes[first], self.keys[first], *sums)

    def split(self) -> Iterator[_Counts]:
        """Yield the counts of each table."""
        borders = np.flatnonzero(np.diff(self.codes)) + 1
        for start, end in pairwise([0, *borders.tolist(), self.codes.size]):
            if start < end:
                yield self.take(slice(start, end))


class _SortedTable(NamedTuple):
    """The rows of one model, in one group or in all, which can be read once."""

    code: int
    rows: Totals
    """The rows of both classes."""
    parts: Iterator[_Counts]

    def points(self, model: _Model, label: str, room: int, enough: str) -> OperatingPoints:
        """Return the table; one of more rows than there is room for is compacted."""
        if sum(self.rows) <= room:
            counts = _Counts(*map(np.concatenate, zip(*self.parts, strict=True)))
            return OperatingPoints(table_of_tally(counts.tally(model), counted=label))
        check_totals(*self.rows, counted=label)
        with TemporaryFile() as file:
            totals, sections = self.rows, _with_rows_above(self.rows, self._tallies(model))
            if model.weighted:
                totals, sections = _with_weights_above(model.order, self._tallies(model), file)
            compacting = Compacting(Totals(*check_totals(*totals)), memory_limit=enough)
            for tally, above in sections:
                compacting.add(
                    as_thresholds(tally.order.scores(tally.lo[::-1])), *tally.curve(above)
                )
        return OperatingPoints(compacting.table())

    def _tallies(self, model: _Model) -> Iterator[Tally]:
        return (part.tally(model) for part in self.parts)


def _with_rows_above(totals: Totals, tallies: Iterable[Tally]) -> Iterator[tuple[Tally, Totals]]:
    """Yield tallies, the lowest scores first, with the counts of all higher scores."""
    positives, negatives = totals
    for tally in tallies:
        inside = tally.totals
        positives, negatives = positives - inside[0], negatives - inside[1]
        yield tally, Totals(positives, negatives)


def _with_weights_above(
    order: Order, tallies: Iterable[Tally], file: IO[bytes]
) -> tuple[Totals, Iterator[tuple[Tally, Totals]]]:
    """Return the sums of weights, and tallies with the sums of all higher scores.

    Sums are added up from the highest score on, as in memory, so that nothing cancels. They are
    known once all tallies were seen; so these go through a file.
    """
    sums = []
    with scratch_errors(gettempdir(), "sorted rows"):
        for tally in tallies:
            for column in (tally.lo, tally.positives, tally.negatives):
                write_array(file, column, allow_pickle=False)
            sums.append(tally.totals)
    from_above = np.cumsum(sums[::-1], axis=0)[::-1].tolist()
    file.seek(0)

    def sections() -> Iterator[tuple[Tally, Totals]]:
        for above in [*from_above[1:], (0, 0)]:
            lo, positives, negatives = (read_array(file) for _ in range(3))
            yield Tally(order, lo, lo, positives, negatives), Totals(*above)

    return Totals(*from_above[0]), sections()
