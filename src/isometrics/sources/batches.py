"""A source of predictions: columns with names, read in batches as often as needed."""

from __future__ import annotations

import math
import os
import re
import sys
from abc import abstractmethod
from collections import Counter
from contextlib import contextmanager
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from isometrics.errors import Advice, FileError, ParameterError
from isometrics.sources.arrow import codes, kind_of, numbers
from isometrics.sources.columns import Peek
from isometrics.sources.written_numbers import is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts
    from isometrics._core.sample import Sample
    from isometrics._core.writing import ScratchFolder
    from isometrics.errors import IsometricsError
    from isometrics.points import OperatingPoints
    from isometrics.sources.columns import Layout
    from isometrics.sources.passes import Pass
    from isometrics.sources.problems import Line

BATCH_ROWS = 1 << 17
_BATCH_VALUES = 1 << 20
"""Rows of many columns come in shorter batches, so that a batch takes some megabytes at most."""
FIRST_ROWS = 1000
ABSENT_CLASS = "no row has this class"
"""Why a class of one classifier has no table."""
DROP_MISSING = Advice("leave out rows with missing values with {drop_missing:True}")
_LONGEST = 400
"""The characters of a library's message that are repeated."""


_ORIGINAL = re.compile(r"\nOriginal Line:\s*\n?.*\n")


class Source:
    """Named columns that can be read again, and what a reader may ask besides.

    A subclass has a `schema` and `batches`. What else it knows replaces the answers below.
    """

    name: str
    """What messages call it."""
    rows: int | None = None
    """The number of rows, where it is known beforehand."""
    ordered = True
    """Whether rows come in the order in which they are kept; if not, who copies them says so."""
    bytes_read: int | None = None
    """How many bytes all passes have read, where that is known."""
    takes_writing = False
    """Whether a user may say how its numbers and its header are written."""
    decimal: str | None = None
    """The mark before decimals that a user gave."""
    has_lines = False
    """Whether rows stand on lines of text or in rows of a sheet, which messages name."""
    line_name = "line"
    """What a line is called."""
    count_rows: CountRows | None = None
    """Counts the rows where they are, as in a cluster; `batches` serve for the first rows alone."""
    progress: Callable[[int, int | None], None] | None = None
    """Told of rows that are read before `batches` are asked for."""

    @property
    @abstractmethod
    def schema(self) -> pa.Schema:
        """The names and types of all columns; those of text that was not looked at are texts."""
        ...

    @abstractmethod
    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns, all rows or the first ones."""
        ...

    @cached_property
    def belongings(self) -> list[ScratchFolder]:
        """Folders that are removed with the source."""
        return []

    def close(self) -> None:
        """Let go of files and connections."""
        for folder in self.belongings:
            folder.cleanup()

    def settle(self, columns: Sequence[str], needed: Collection[str] = ()) -> None:
        """Find out the types of columns from all rows, where the schema does not have them.

        Those that are `needed` will be read.
        """

    def distinct(self, column: str, most: int) -> list[object]:
        """Return the values of a column without null, or somewhat more than `most` of them."""
        found: dict[object, None] = {}
        for batch in self.batches([column]):
            # A query that is left half read would block the connection of its owner.
            if len(found) <= most:
                found |= dict.fromkeys(codes(batch.column(column))[1])
        return list(found)

    def extent(self, column: str) -> tuple[float, float]:
        """Return the smallest and the largest number of a column; NaN where it has none."""
        low = high = math.nan
        for batch in self.batches([column]):
            values, missing = numbers(batch.column(column))
            present = values if missing is None else values[~missing]
            if present.size:
                low, high = np.fmin(low, present.min()), np.fmax(high, present.max())
        return float(low), float(high)

    def is_number(self, text: str) -> bool:
        """Tell whether a text is a number as the source writes them."""
        return is_number(text)

    def keep_texts(self, numbers: Mapping[str, str]) -> bool:  # noqa: ARG002
        """Read all columns as they are written, and some numbers under other names besides.

        Tell whether the source has texts to keep.
        """
        return False

    def lines(self, positions: Sequence[int]) -> Mapping[int, Line]:  # noqa: ARG002
        """Return the lines of some rows by their positions; none where they cannot be known."""
        return {}

    def broken_lines(self) -> list[IsometricsError]:
        """Return what is wrong with lines that are no rows."""
        return []

    def notes(self) -> list[str]:
        """Return what a user should know about how rows were read."""
        return []

    def missing_advice(self, column: str) -> Advice | None:  # noqa: ARG002
        """Return what to do about missing values of a column."""
        return DROP_MISSING if self.has_lines else None

    def complete_rows(self, layout: Layout) -> tuple[Source, str]:  # noqa: ARG002
        """Return the rows without missing values, of a source that counts its rows itself."""
        raise ParameterError(
            f"cannot be used with {self.name!r}, which counts its rows itself; leave them "
            "out there",
            parameter="drop_missing",
        )


class GivenSource(Source):
    """A source of a user: an object with ``name``, ``rows``, ``schema``, ``batches``, ``close``."""

    def __init__(self, given: Any) -> None:
        self._given = given
        self.name = given.name
        self.rows = given.rows
        self.count_rows = getattr(given, "count_rows", None)

    @property
    def schema(self) -> pa.Schema:
        """The names and types of all columns."""
        schema: pa.Schema = self._given.schema
        return schema

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns."""
        yield from self._given.batches(columns, limit=limit)

    def close(self) -> None:
        """Let go of files and connections."""
        super().close()
        self._given.close()


class Tables(NamedTuple):
    """The tables of a source."""

    points: dict[str, OperatingPoints]
    """For each model, over all rows."""
    groups: Mapping[str, dict[str, OperatingPoints]]
    """For each group, the same; empty without groups."""
    skipped: dict[str, str]
    """Groups without a table, and why."""
    rows: Sample | None
    """The rows themselves, where they were kept; None for classes."""
    without_rows: str = ""
    """Why the rows were not kept, where intervals may need them."""
    note: str = ""
    """What else there is to say about how rows were counted."""
    positive: object = None
    """The positive label, where labels such as yes and no told it; None where it is clear."""
    class_rows: dict[str, Sample] = {}  # noqa: RUF012
    """The rows of each class of one classifier, where they were kept."""
    passes: tuple[Pass, ...] = ()
    """What each pass over the rows has read and collected."""


class CountRows(Protocol):
    """The method of a source that counts its rows itself."""

    def __call__(
        self,
        layout: Layout,
        *,
        tolerance: float | None,
        keep_rows: bool,
        progress: Callable[[int, int | None], None] | None,
    ) -> Tables:
        """Return the tables; arguments as in `isometrics.sources.tables.read_tables`."""
        ...


class Feeder(Protocol):
    """Counts the clean rows of one model in a `Tally`, in one pass over them or several."""

    @property
    def nbytes(self) -> int:
        """The memory that rows take which could move to the disk."""
        return 0

    def append(
        self, labels: NDArray[np.bool_], scores: NDArray[Any], weights: Counts | None
    ) -> None:
        """Count the rows of a batch."""
        ...

    def spill(self) -> None:
        """Move rows that are kept to the disk."""

    def end_pass(self, name: str, room: int) -> bool:  # noqa: ARG002
        """End a pass; tell whether another one is needed, in which `room` rows may be kept.

        `name` is what errors call the labels.
        """
        return False

    def points(self, name: str, *, budget: int) -> OperatingPoints:
        """Return the table of all rows, within some bytes."""
        ...


def batch_rows(columns: int) -> int:
    """Return the number of rows to read at a time.

    Examples
    --------
    >>> batch_rows(2), batch_rows(300), batch_rows(10**7)
    (131072, 3495, 1)
    """
    return min(BATCH_ROWS, max(_BATCH_VALUES // max(columns, 1), 1))


def peek(source: Source, wanted: Collection[str] | None = None) -> dict[str, Peek]:
    """Return what is known of all columns; of those that are not wanted, that they are there."""
    names = source.schema.names
    looked_at = [name for name in names if wanted is None or name in wanted]
    source.settle(looked_at, wanted or ())
    kinds = {name: kind_of(source.schema.field(name).type) for name in looked_at}
    values: dict[str, list[object]] = {name: [] for name in names}
    # Values of other kinds tell nothing, and some have no counterpart in Python.
    told = [name for name, kind in kinds.items() if kind != "other"]
    for batch in source.batches(told, limit=FIRST_ROWS) if told else ():
        for name in told:
            values[name] += batch.column(name).to_pylist()
    return {
        name: Peek(
            kinds.get(name, "other"),
            values[name][:FIRST_ROWS],
            cache(partial(source.distinct, name)),
            cache(partial(source.extent, name)),
        )
        for name in names
    }


def columns_of(layout: Layout) -> list[str]:
    """Return the columns that a layout uses."""
    named = (layout.label, *layout.scores.values(), layout.model, layout.weight, layout.group)
    return [name for name in named if name is not None]


MIXED_LINE_ENDS = (
    r"some lines end in another way than others, of \r\n, \n and \r, or quotes do not match; save "
    "it again with one kind of line end"
)


@contextmanager
def reading(name: str, *errors: type[Exception]) -> Iterator[None]:
    """Turn what libraries raise about a file into one sentence; drivers have their own errors."""
    import pyarrow as pa

    if "duckdb" in sys.modules:
        errors += (sys.modules["duckdb"].Error,)
    try:
        yield
    except OSError as error:
        reason = error.strerror.lower() if error.strerror else _first_line(error, name)
        raise FileError.unreadable(name, reason) from error
    except UnicodeEncodeError as error:
        raise FileError.unreadable(
            name, "its name is not UTF-8, which the reader needs; rename it"
        ) from error
    except (pa.ArrowException, UnicodeDecodeError, *errors) as error:
        if type(error).__name__ == "OutOfMemoryException":
            raise FileError.unreadable(
                name,
                "it takes more memory than the limit leaves to its reader",
                Advice("raise {memory_limit}, or save fewer columns"),
            ) from error
        raise FileError.unreadable(name, _first_line(error, name)) from error


def refuse_doubled(file: object, names: Sequence[str]) -> None:
    """Refuse a file with two columns of one name."""
    counts = Counter(names)
    twice = next((name for name, count in counts.items() if count > 1), None)
    if twice is not None:
        raise FileError.unreadable(file, f"it has two columns called {twice!r}; rename one of them")


def _first_line(error: BaseException, name: str) -> str:
    """Return what a library's message begins with, without the kind of error and the file's name.

    Libraries say what is wrong in texts alone. DuckDB names the line of a CSV file, shows it
    whole, and only then says what is wrong.
    """
    # Errors of Spark have a message, but no arguments.
    said = str(error.args[0] if error.args else error)
    said = _ORIGINAL.sub("\n", said)
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    first = lines[0] if lines else type(error).__name__
    _, _, rest = first.partition("Error: ")
    said = rest or first
    if said.startswith("CSV Error on Line:"):
        said = ", ".join([said, *lines[1:2]])
    elif "state machine reached an invalid state" in said:
        said = MIXED_LINE_ENDS
    elif said.startswith("Error when sniffing file"):
        said = "".join(lines[1:2])
    said = said.replace(f' in file "{os.path.abspath(name)}"', "")  # noqa: PTH100
    return f"{said:.{_LONGEST}}".rstrip(".:")
