"""Sums along paths and hulls of tables, with the compiled loops where they are there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isometrics._counting import native
from isometrics._counting.segments import CHUNK, DOUBLED, DOUBLED_WHOLE
from isometrics._counting.threads import in_threads, threads_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts


SPACING = 64
"""Of so many rows one is looked at first; see `native/curves.c`."""
_EXACT = 2**31


def sums_along(which: int, x: Counts, y: Counts, start: int, end: int) -> list[float] | None:
    """Return sums of chunks of the segments between two rows; None where there are no loops.

    Parameters
    ----------
    which
        One of the formulas, such as `segments.BELOW`.
    x, y
        Counts along the path; x never falls.
    start, end
        The first and the last row.
    """
    if end <= start or not native.available():
        return None
    sums = np.empty(-(-(end - start) // CHUNK))
    # Counts are below 2**53, so that floats hold them too where the other ones are floats.
    dtype = np.int64 if x.dtype == y.dtype == np.int64 else np.float64
    x, y = (native.as_argument(counts[: end + 1], dtype) for counts in (x, y))
    which = DOUBLED_WHOLE if which == DOUBLED and dtype is np.int64 else which

    def add_up(_: int, first: int, last: int) -> None:
        part = sums[first:last]
        native.sum_chunks(which, x, y, x.size, start + first * CHUNK, part, part.size)

    threads = threads_for(end - start)
    in_threads(add_up, [sums.size * part // threads for part in range(threads + 1)])
    return sums.tolist()


def hull_rows(x: Counts, y: Counts) -> NDArray[np.intp] | None:
    """Return the rows of the strict upper hull of nested counts.

    None where there are no loops, and for counts whose products are beyond 64 bits.
    """
    if not native.available() or not _small(x) or not _small(y):
        return None
    rows: NDArray[Any] = np.empty(x.size, np.int64)
    coarse = np.empty(x.size // SPACING + 2, np.int64)
    x, y = native.as_argument(x), native.as_argument(y)
    return rows[: native.hull(x, y, x.size, coarse, rows)].astype(np.intp)


def _small(counts: Counts) -> bool:
    return counts.dtype == np.int64 and int(counts[0]) >= 0 and int(counts[-1]) < _EXACT


Vertices: TypeAlias = Callable[[NDArray[Any], NDArray[Any]], NDArray[np.intp]]
"""Finds the vertices of points by their false and true positives."""


class HullRows(NamedTuple):
    """The vertices of a hull, on the host; the first is the empty rule."""

    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    marks: NDArray[Any]
    """Of each row but the first, which has none; see `array_api.Groups`."""
    gaps: NDArray[np.bool_]
    """For each pair of neighbours, whether the table has other rows between them."""
