"""The rows that may be vertices of the hull, found by Triton for torch on CUDA."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isometrics._counting.curves import HullRows, Vertices
from isometrics._counting.triton_sums import MOST_SPANS, Spans, count_spans, spans_of

if TYPE_CHECKING:
    import torch

    from isometrics._counting.array_api import PackedRanking

SPAN_TILE = 1024
ROOM = 1 << 14
"""Points of a chain, with those above it; where there are more, the slower way is taken."""
TILE = 64
"""Points that are compared with so many others at once."""


def hull_rows(
    ranking: PackedRanking,
    vertices: Vertices,
    *,
    spans: Spans | None = None,
    room: int = ROOM,
) -> HullRows | None:
    """Return the vertices of the hull, or None where too many points lie above that of some.

    Notes
    -----
    A point is a row that begins a group of ties, with the positives before it. Every vertex of
    the hull lies on or above the hull of any points. The first of such hulls is that of one point
    of each span, known from counting. Then the point highest above it is taken from each tile,
    where there is one, and the hull of all these lies so close to the last one that few points
    are above it. A tile has at most one such point and a vertex of the first hull, so that three
    edges lie over it; a point above one of them is above the hull.

    On the device hulls may have a point too many, because slopes are rounded; only the host finds
    exactly which points of the last one are vertices. Heights are exact: with fewer than 2**32
    rows they stay below 2**62.
    """
    import torch

    from isometrics._counting import triton_code

    keys, size = ranking.keys, ranking.size
    spans = spans or spans_of(size, SPAN_TILE, fewest_tiles=1)
    room = max(min(room, size + 1), spans.number + 2)

    def integers(*shape: int) -> torch.Tensor:
        return torch.empty(shape, dtype=torch.int64, device=keys.device)

    counts = count_spans(keys, spans)
    states, kept = integers(4, 2), integers(room)
    chain = integers(room, 2)
    triton_code.list_points[(1,)](counts, size, spans.number, chain, states[0], SPANS=MOST_SPANS)
    for step, append in enumerate((triton_code.find_highest, triton_code.find_above, None)):
        points, chain = chain, integers(room, 2)
        grid = (-(-room // TILE),)
        triton_code.thin_points[grid](points, states[step], room, kept, TILE=TILE, num_warps=8)
        triton_code.order_points[grid](
            points, states[step], room, kept, chain, states[step + 1], TILE=TILE, num_warps=8
        )
        if append is not None:
            append[(spans.number,)](
                keys, size, spans.tiles, counts, chain, states[step + 1], room,
                SPANS=MOST_SPANS, TILE=spans.tile,
            )  # fmt: skip
    *_, (_, first), (_, second), (_, length) = states.tolist()
    if max(first, second) > room:
        return None
    row, tp = chain[:length].cpu().numpy().T
    corners = vertices(row - tp, tp)
    row, tp = row[corners], tp[corners]
    # The point before a row belongs to the score above; between two of them is no other one if
    # all rows are tied.
    at = torch.as_tensor(np.concatenate([row[1:] - 1, row[:-1]]), device=keys.device)
    marks, following = np.split((keys[at] >> 1).cpu().numpy(), 2)
    return HullRows(tp, row - tp, marks, marks != following)
