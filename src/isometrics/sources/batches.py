"""A source of predictions: columns with names, read in batches as often as needed."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from isometrics.errors import FileError
from isometrics.sources.arrow import kind_of
from isometrics.sources.columns import Peek

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts
    from isometrics._core.sample import Sample
    from isometrics.points import OperatingPoints
    from isometrics.sources.columns import Layout
    from isometrics.sources.passes import Pass

BATCH_ROWS = 1 << 17
_BATCH_VALUES = 1 << 20
"""Rows of many columns come in shorter batches, so that a batch takes some megabytes at most."""
FIRST_ROWS = 1000
ABSENT_CLASS = "no row has this class"
"""Why a class of one classifier has no table."""
_LONGEST = 400
"""The characters of a library's message that are repeated."""


_ORIGINAL = re.compile(r"\nOriginal Line:\s*\n?.*\n")


class ColumnTypesChangedError(Exception):
    """Later rows have other types than the first ones; the schema is right now, so read again."""


class Source(Protocol):
    """Anything with named columns that can be read again.

    A source whose rows are counted where they are, as those of a cluster, has a method
    `count_rows` besides, and its batches serve for the first rows alone.
    """

    @property
    def name(self) -> str:
        """What messages call it."""
        ...

    @property
    def rows(self) -> int | None:
        """The number of rows, where it is known beforehand."""
        ...

    @property
    def schema(self) -> pa.Schema:
        """The names and types of all columns."""
        ...

    def batches(
        self, columns: Sequence[str], *, limit: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns, all rows or the first ones."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


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


def peek(source: Source) -> dict[str, Peek]:
    """Return the kinds and the first values of all columns."""
    schema = source.schema
    kinds = {field.name: kind_of(field.type) for field in schema}
    values: dict[str, list[object]] = {name: [] for name in kinds}
    # Values of other kinds tell nothing, and some have no counterpart in Python.
    wanted = [name for name, kind in kinds.items() if kind != "other"]
    for batch in source.batches(wanted, limit=FIRST_ROWS) if wanted else ():
        for name in wanted:
            values[name] += batch.column(name).to_pylist()
    return {name: Peek(kind, values[name][:FIRST_ROWS]) for name, kind in kinds.items()}


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
