"""The rows that may be vertices of the hull, found by Triton for torch on CUDA."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._counting.curves import HullRows, Vertices

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray

    from isometrics._counting.array_api import PackedRanking

TILE = 1024
SHARE, FEWEST = 32, 1 << 16
"""There is room for one of so many rows, and for a few; more are left to the slower way."""


def hull_rows(
    ranking: PackedRanking, vertices: Vertices, *, tile: int = TILE, room: int | None = None
) -> HullRows | None:
    """Return the vertices of the hull, or None where too many rows lie above that of a few.

    Notes
    -----
    Of each tile, the point before its last group of ties is known when its positives are counted.
    The hull of these points has at most one vertex inside a tile, so two of its edges are enough
    to tell which rows of the tile lie above it: those above either. A tile whose first negatives
    and last positives make no point above them is not even looked at.
    """
    import torch

    from isometrics._counting import triton_code

    keys, size = ranking.keys, ranking.size
    tiles = -(-size // tile)
    counts, starts = torch.empty(2, tiles, dtype=torch.int64, device=keys.device)
    triton_code.count_tiles[(tiles,)](keys, size, counts, starts, TILE=tile)
    behind = torch.cumsum(counts, 0)
    upto, first = (each.cpu().numpy() for each in (behind, starts))
    begun = np.flatnonzero(first >= 0)
    before = np.concatenate([[0], upto[:-1]])
    row = np.concatenate([[0], begun * tile + (first[begun] >> 16), [size]])
    tp = np.concatenate([[0], (before + (first & 0xFFFF))[begun], upto[-1:]])
    corners = vertices(row - tp, tp)
    row, tp = row[corners], tp[corners]
    edges = np.stack([row[:-1] - tp[:-1], tp[:-1], np.diff(row - tp), np.diff(tp)], axis=1)
    ends = np.arange(tiles) * tile + np.array([[0], [tile - 1]])
    touched = np.minimum(np.searchsorted(row, ends, "right"), row.size - 1) - 1
    room = max(size // SHARE, FEWEST) if room is None else room
    found = torch.zeros(1 + 2 * room, dtype=torch.int64, device=keys.device)
    # As a constant of the code, the room would have it compiled anew for every size.
    triton_code.find_above[(tiles,)](
        keys, size, behind, *_moved(keys, touched, edges), found, room, TILE=tile
    )
    number = int(found[0])
    if number > room:
        return None
    rows, tps = found[1 : 1 + 2 * number].view(-1, 2).cpu().numpy().T
    row, tp = np.concatenate([row, rows]), np.concatenate([tp, tps])
    row, place = np.unique(row, return_index=True)
    tp = tp[place]
    corners = vertices(row - tp, tp)
    row, tp = row[corners], tp[corners]
    # The point before a row belongs to the score above; between two of them is no other one if
    # all rows are tied.
    (at,) = _moved(keys, np.concatenate([row[1:] - 1, row[:-1]]))
    marks, following = np.split((keys[at] >> 1).cpu().numpy(), 2)
    return HullRows(tp, row - tp, marks, marks != following)


def _moved(keys: torch.Tensor, *arrays: NDArray[Any]) -> list[torch.Tensor]:
    import torch

    return [torch.as_tensor(np.ascontiguousarray(each), device=keys.device) for each in arrays]
