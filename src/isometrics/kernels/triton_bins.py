"""Counting in planned bins, compiled by Triton for torch on CUDA."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import torch

TILE = 1024
ROOM = 1 << 16
"""How many rows outside of a plan are listed."""


class Counted(NamedTuple):
    """What was found beside the counts of bins."""

    outside: torch.Tensor | None
    """The rows outside of the plan, or None if they are too many to be listed."""
    positives: int
    lowest: int
    """The lowest integer of the order of the scores."""


def count(
    scores: torch.Tensor,
    labels: torch.Tensor,
    within: tuple[int, int],
    cell_shift: int,
    tables: tuple[torch.Tensor, ...],
    counts: torch.Tensor,
    *,
    tile: int = TILE,
    room: int = ROOM,
) -> Counted:
    """Add rows to the counts of their bins."""
    import torch

    from isometrics.kernels import triton_code

    size = scores.shape[0]
    outside = torch.zeros(1 + room, dtype=torch.int64, device=scores.device)
    flags = labels.contiguous().view(torch.uint8)
    tiles = torch.empty(-(-size // tile), 2, dtype=torch.int64, device=scores.device)
    triton_code.bin_tiles[(tiles.shape[0],)](
        scores.contiguous(), flags, size, *within, cell_shift, *tables, counts, outside, tiles,
        ROOM=room, TILE=tile,
    )  # fmt: skip
    # One wait for the device instead of three.
    results = torch.stack([outside[0], tiles[:, 0].sum(), tiles[:, 1].amin()])
    found, positives, lowest = results.tolist()
    return Counted(outside[1 : 1 + found] if found <= room else None, positives, lowest)
