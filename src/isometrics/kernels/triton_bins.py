"""Counting in planned bins, compiled by Triton for torch on CUDA."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

TILE = 1024


def count(
    scores: torch.Tensor,
    labels: torch.Tensor,
    within: tuple[int, int],
    cell_shift: int,
    tables: tuple[torch.Tensor, ...],
    counts: torch.Tensor,
    tile: int = TILE,
) -> int:
    """Add rows to the counts of their bins; return how many lie outside of the range."""
    import torch

    from isometrics.kernels import triton_code

    size = scores.shape[0]
    outside = torch.zeros(1, dtype=torch.int32, device=scores.device)
    flags = labels.contiguous().view(torch.uint8)
    triton_code.bin_tiles[(-(-size // tile),)](
        scores.contiguous(), flags, size, *within, cell_shift, *tables, counts, outside, TILE=tile
    )
    return int(outside)
