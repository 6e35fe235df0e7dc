"""A source of predictions: columns with names, read in batches as often as needed."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from isometrics.engines.arrow import kind_of
from isometrics.engines.listing import python_values
from isometrics.errors import FileError
from isometrics.guesses import Peek

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

BATCH = 1 << 17
FIRST_ROWS = 1000


class Source(Protocol):
    """Anything with named columns that can be read again."""

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


def peek(source: Source) -> dict[str, Peek]:
    """Return the kinds and the first values of all columns."""
    schema = source.schema
    values: dict[str, list[object]] = {name: [] for name in schema.names}
    for batch in source.batches(schema.names, limit=FIRST_ROWS):
        for name in schema.names:
            values[name] += python_values(batch.column(name))
    return {
        field.name: Peek(kind_of(field.type), values[field.name][:FIRST_ROWS]) for field in schema
    }


@contextmanager
def reading(name: str, *errors: type[Exception]) -> Iterator[None]:
    """Turn what libraries raise about a file into one sentence; drivers have their own errors."""
    import pyarrow as pa

    if "duckdb" in sys.modules:
        errors += (sys.modules["duckdb"].Error,)
    try:
        yield
    except OSError as error:
        raise FileError(f"cannot read {name!r}: {_reason(error)}") from error
    except (pa.ArrowException, UnicodeDecodeError, *errors) as error:
        raise FileError(f"cannot read {name!r}: {_first_line(error)}") from error


def _reason(error: OSError) -> str:
    return (error.strerror or _first_line(error)).lower()


def _first_line(error: BaseException) -> str:
    """Return the first line of a library's message, without the kind of error before it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first = lines[0] if lines else type(error).__name__
    _, _, rest = first.partition("Error: ")
    return (rest or first).rstrip(".:")
