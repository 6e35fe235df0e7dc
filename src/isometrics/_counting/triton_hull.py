"""The rows that may be vertices of the hull, found by Triton for torch on CUDA."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._counting.curves import HullRows, Vertices
from isometrics._counting.triton_sums import Spans, count_spans, spans_of

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray

    from isometrics._counting.array_api import PackedRanking

SHARE, FEWEST = 256, 1 << 14
"""There is room for one of so many rows, and for a few; more are left to the slower way."""


class _Chain(NamedTuple):
    """Points of the table in their order, each as the row before which it lies and its positives.

    All products are exact: with fewer than 2**32 rows they stay below 2**62.
    """

    row: NDArray[np.int64]
    tp: NDArray[np.int64]

    def hull(self, vertices: Vertices) -> _Chain:
        """Return the vertices."""
        corners = vertices(self.row - self.tp, self.tp)
        return _Chain(self.row[corners], self.tp[corners])

    def with_points(self, points: NDArray[np.int64]) -> _Chain:
        """Insert points, in whatever order they are; some may be there already."""
        row, first = np.unique(np.concatenate([self.row, points[:, 0]]), return_index=True)
        return _Chain(row, np.concatenate([self.tp, points[:, 1]])[first])


def hull_rows(
    ranking: PackedRanking,
    vertices: Vertices,
    *,
    spans: Spans | None = None,
    room: int | None = None,
) -> HullRows | None:
    """Return the vertices of the hull, or None where too many rows lie above that of some.

    Notes
    -----
    Every vertex of the hull lies on or above the hull of any points of the table. The first of
    such hulls is that of one point of each span, known from counting. Then the highest point above
    it is taken from each tile, where there is one, and the hull of all these lies so close to the
    last one that few rows are above it. A tile has at most one such point and a vertex of the
    first hull, so that three edges lie over it; a row above one of them is above the hull.
    """
    import torch

    from isometrics._counting import triton_code

    keys, size = ranking.keys, ranking.size
    spans = spans or spans_of(size)
    counts = count_spans(keys, spans)
    chain = _first_points(counts.cpu().numpy(), size).hull(vertices)

    def points_above(kernel: Any, chain: _Chain, most: int, *options: int) -> Any:
        """Return the points that a kernel lists, or None if they are more than there is room."""
        number = torch.zeros(1, dtype=torch.int64, device=keys.device)
        found = torch.empty((most, 2), dtype=torch.int64, device=keys.device)
        kernel[(spans.number,)](
            keys, size, spans.tiles, counts, _moved(keys, np.stack(chain, axis=1)), chain.row.size,
            number, found, *options, SPANS=spans.padded, TILE=spans.tile,
        )  # fmt: skip
        listed = int(number)
        return None if listed > most else found[:listed].cpu().numpy()

    points = points_above(triton_code.find_highest, chain, spans.tiles * spans.number)
    chain = chain.with_points(points).hull(vertices)
    room = max(size // SHARE, FEWEST) if room is None else room
    points = points_above(triton_code.find_above, chain, room, room)
    if points is None:
        return None
    row, tp = chain.with_points(points).hull(vertices)
    # The point before a row belongs to the score above; between two of them is no other one if
    # all rows are tied.
    at = _moved(keys, np.concatenate([row[1:] - 1, row[:-1]]))
    marks, following = np.split((keys[at] >> 1).cpu().numpy(), 2)
    return HullRows(tp, row - tp, marks, marks != following)


def _first_points(counts: NDArray[np.int64], size: int) -> _Chain:
    """Return both ends, and the point before the last group that begins in each span."""
    positives, row, before = counts.T
    behind = np.cumsum(positives)
    begun = np.flatnonzero(row > 0)
    tp = (behind - positives + before)[begun]
    return _Chain(
        np.concatenate([[0], row[begun], [size]]), np.concatenate([[0], tp, behind[-1:]])
    )


def _moved(keys: torch.Tensor, array: NDArray[Any]) -> torch.Tensor:
    import torch

    return torch.as_tensor(np.ascontiguousarray(array), device=keys.device)
