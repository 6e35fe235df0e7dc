"""Counting in planned bins, compiled by Triton for torch on CUDA."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

TILE = 1024
ROOM = 1 << 16
"""How many rows outside of a plan are listed."""


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
) -> torch.Tensor | None:
    """Add rows to the counts of their bins; return the rows outside, or None if too many are."""
    import torch

    from isometrics.kernels import triton_code

    size = scores.shape[0]
    outside = torch.zeros(1 + room, dtype=torch.int64, device=scores.device)
    flags = labels.contiguous().view(torch.uint8)
    triton_code.bin_tiles[(-(-size // tile),)](
        scores.contiguous(), flags, size, *within, cell_shift, *tables, counts, outside,
        ROOM=room, TILE=tile,
    )  # fmt: skip
    found = int(outside[0])
    return outside[1 : 1 + found] if found <= room else None
