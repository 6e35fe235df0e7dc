"""Sums along long paths and hulls of long tables, with the compiled loops once they are loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isometrics._counting.choice import loaded_and_pays, threads_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts


SUMS = ("below", "above", "average_precision", "linear", "lost", "doubled")
_EXACT = 2**31


def sums_along(name: str, x: Counts, y: Counts, start: int, end: int) -> list[float] | None:
    """Return sums of blocks of the segments between two rows; None where loops do not pay.

    Parameters
    ----------
    name
        One of `SUMS`; see the loop of that name in `curve_loops`.
    x, y
        Counts along the path; x never falls.
    start, end
        The first and the last row.
    """
    if not loaded_and_pays(end - start):
        return None
    from isometrics._counting import curve_loops
    from isometrics._counting.numba_kernel import in_threads

    blocks = -(-(end - start) // curve_loops.BLOCK)
    sums = np.empty(blocks)
    loop = getattr(curve_loops, name)
    x, y = np.ascontiguousarray(x[: end + 1]), np.ascontiguousarray(y[: end + 1])

    def add_up(_: int, first: int, last: int) -> None:
        loop(x, y, start + first * curve_loops.BLOCK, sums[first:last])

    threads = threads_for(end - start)
    in_threads(add_up, [blocks * part // threads for part in range(threads + 1)])
    return sums.tolist()


def hull_rows(x: Counts, y: Counts) -> NDArray[np.intp] | None:
    """Return the rows of the strict upper hull of nested counts; None where loops do not pay."""
    if not loaded_and_pays(x.size) or not _small(x) or not _small(y):
        return None
    from isometrics._counting import curve_loops

    rows: NDArray[Any] = np.empty(x.size, np.int64)
    found = curve_loops.hull(np.ascontiguousarray(x), np.ascontiguousarray(y), rows)
    return rows[:found].astype(np.intp)


def _small(counts: Counts) -> bool:
    return counts.dtype == np.int64 and abs(int(counts[0])) < _EXACT > abs(int(counts[-1]))


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
