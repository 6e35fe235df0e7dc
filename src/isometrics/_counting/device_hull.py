"""The rows of a device's ranking that may be vertices of the hull; only they come to the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from isometrics._core.arrays import to_host
from isometrics._counting import triton_hull, triton_sums
from isometrics._counting.array_api import PackedRanking, groups_of
from isometrics._counting.curves import HullRows, Vertices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from isometrics._counting.array_api import Groups, Ranking

Chunks: TypeAlias = "Callable[[], Iterable[Groups]]"
"""Yields groups of rows anew, from the highest score on."""

SPACING = 1 << 12
_EXACT = 2**62
_DOUBT = 1e-12


class HostRows(NamedTuple):
    """Rows of a table by their numbers; row 0 is the empty rule."""

    row: NDArray[np.int64]
    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    marks: NDArray[Any]
    """Of each row but the first, which has none."""

    def take(self, indices: NDArray[Any]) -> HostRows:
        """Keep some rows, the first among them."""
        row, tp, fp, marks = self
        return HostRows(row[indices], tp[indices], fp[indices], marks[indices[1:] - 1])


def hull_rows(ranking: Ranking, vertices: Vertices) -> HullRows:
    """Return the vertices of the hull."""
    found = None
    if isinstance(ranking, PackedRanking) and triton_sums.can_run_on(ranking.keys):
        found = triton_hull.hull_rows(ranking, vertices)
    return hull_in_chunks(ranking, vertices) if found is None else found


def hull_in_chunks(
    ranking: Ranking, vertices: Vertices, *, spacing: int = SPACING, chunk: int | None = None
) -> HullRows:
    """Return the vertices of the hull, by array operations on chunks of rows."""
    return hull_of_groups(ranking.xp, lambda: groups_of(ranking, chunk), vertices, spacing)


def hull_of_groups(xp: Any, chunks: Chunks, vertices: Vertices, spacing: int) -> HullRows:
    """Return the vertices of the hull of groups of rows.

    Notes
    -----
    The hull of every `spacing`-th row lies on or below the hull of all. A row that is not above
    it is no vertex of the latter, unless it is one of the former.
    """
    coarse = _spaced(chunks, spacing)
    coarse = coarse.take(vertices(coarse.fp, coarse.tp))
    lines = _lines(coarse, spacing)
    exact = int(coarse.tp[-1]) * int(coarse.fp[-1]) < _EXACT
    found = [
        _above(xp, groups, lines, first, spacing, exact=exact)
        for first, groups in _numbered(chunks)
    ]
    row, tp, fp, marks = (np.concatenate(part) for part in zip(coarse, *found, strict=True))
    behind = np.argsort(row[1:], kind="stable")
    order = np.concatenate([[0], behind + 1])
    merged = HostRows(row[order], tp[order], fp[order], marks[behind])
    rows = merged.take(vertices(merged.fp, merged.tp))
    return HullRows(rows.tp, rows.fp, rows.marks, np.diff(rows.row) > 1)


def _numbered(chunks: Chunks) -> Iterator[tuple[int, Groups]]:
    """Yield groups with the number of the first one's row."""
    first = 1
    for groups in chunks():
        yield first, groups
        first += int(groups.tp.shape[0])


def _spaced(chunks: Chunks, spacing: int) -> HostRows:
    """Return every so many rows, and the last one."""
    parts = []
    for first, groups in _numbered(chunks):
        count = int(groups.tp.shape[0])
        offset = min(-first % spacing, count)
        kept = [to_host(each[offset::spacing]) for each in groups[2:]]
        parts.append((first + np.arange(offset, count, spacing), *kept))
        last = first + count - 1, groups
    end, groups = last
    if end % spacing:
        parts.append((np.array([end]), *(to_host(each[-1:]) for each in groups[2:])))
    row, tp, fp, marks = (np.concatenate(part) for part in zip(*parts, strict=True))
    row, tp, fp = (np.concatenate([[0], each]) for each in (row, tp, fp))
    return HostRows(row, tp, fp, marks)


def _lines(coarse: HostRows, spacing: int) -> NDArray[np.int64]:
    """Return, for each block of rows, where the line above it starts and how it runs."""
    blocks = np.arange(0, coarse.row[-1], spacing)
    segment = np.searchsorted(coarse.row, blocks, "right") - 1
    corners = np.stack([coarse.fp, coarse.tp])
    lines: NDArray[np.int64] = np.concatenate([corners[:, :-1], np.diff(corners)])[:, segment]
    return lines


def _above(
    xp: Any, groups: Groups, lines: NDArray[np.int64], first: int, spacing: int, *, exact: bool
) -> tuple[NDArray[Any], ...]:
    """Return the rows above the line of their block, on the host.

    Products are exact with fewer than 2**32 rows, as they stay below 2**62. Beyond they are floats,
    and a row that may be above the line is taken too.
    """
    device = groups.tp.device
    numbers = xp.arange(int(groups.tp.shape[0]), dtype=xp.int64, device=device) + first
    block = (numbers - 1) // spacing
    x, y, run, rise = (xp.take(xp.asarray(each, device=device), block) for each in lines)
    up, right = groups.tp - y, groups.fp - x
    doubt = 0
    if not exact:
        up, right, run, rise = (xp.astype(each, xp.float64) for each in (up, right, run, rise))
        doubt = _DOUBT * right * rise
    (indices,) = xp.nonzero(up * run > right * rise - doubt)
    return tuple(to_host(xp.take(each, indices)) for each in (numbers, *groups[2:]))
