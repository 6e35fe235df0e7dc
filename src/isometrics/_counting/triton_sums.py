"""Packing and adding up in one pass each, compiled by Triton for torch on CUDA.

A tile of rows is loaded once, and everything is computed from it in registers. Plain array
operations would write and read every intermediate result.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._counting.keys import Packing, packing_within

if TYPE_CHECKING:
    import torch

TILE = 1024
FEW_WARPS, MANY_WARPS = {"TILE": 512, "num_warps": 4}, {"TILE": 1024, "num_warps": 8}
"""Rows of a tile and the warps that share them; on an H200 these were fastest for all terms, and
for the first two alone."""


@cache
def _is_installed() -> bool:
    from importlib.util import find_spec

    return find_spec("triton") is not None


def can_run_on(array: Any) -> bool:
    """Tell whether an array is torch's, on a device that Triton compiles for."""
    return type(array).__module__.startswith("torch") and array.is_cuda and _is_installed()


def wait_for(array: torch.Tensor) -> None:
    """Let all work on an array's device be done."""
    import torch

    torch.cuda.synchronize(array.device)


def positives(labels: torch.Tensor, tile: int = TILE) -> int:
    """Count labels; torch itself would make integers of all of them before."""
    import torch

    from isometrics._counting import triton_code

    size = labels.shape[0]
    counts = torch.empty(-(-size // tile), dtype=torch.int64, device=labels.device)
    flags = labels.contiguous().view(torch.uint8)
    triton_code.count_labels[(counts.shape[0],)](flags, size, counts, TILE=tile)
    return int(counts.sum())


def packed(
    scores: torch.Tensor, labels: torch.Tensor, tile: int = TILE
) -> tuple[torch.Tensor, Packing] | None:
    """Return the keys of scores and labels, and how they were packed; None where no bit is free."""
    import torch

    from isometrics._counting import triton_code

    bits = 8 * scores.itemsize
    word = torch.int64 if bits == 64 else torch.int32
    raw, size = scores.contiguous().view(word), scores.shape[0]
    tiles = -(-size // tile)
    kind = {"FLOAT": scores.is_floating_point(), "BITS": bits, "TILE": tile}
    ranges = torch.empty(tiles, 3, dtype=torch.int64, device=scores.device)
    triton_code.range_tiles[(tiles,)](raw, size, ranges, **kind)
    lowest, highest, gap = ranges.amin(0).tolist()
    dtype = np.dtype(f"{'f' if kind['FLOAT'] else 'i'}{scores.itemsize}")
    packing = packing_within(lowest, -1 - highest, lambda: gap, dtype)
    if packing is None:
        return None
    keys = torch.empty(
        size, dtype=torch.int64 if packing.width == 64 else torch.int32, device=scores.device
    )
    flags = labels.contiguous().view(torch.uint8)
    triton_code.pack_tiles[(tiles,)](raw, flags, size, packing.gap, packing.centre, keys, **kind)
    return keys, packing


def sums(
    keys: torch.Tensor,
    positives: int,
    negatives: int,
    baseline: int,
    *,
    number: int,
    launch: dict[str, int] | None = None,
) -> tuple[int, list[float], list[int]]:
    """Return the pairs, the first so many terms and the crossing of `device_sums.DeviceSums`."""
    import torch

    from isometrics._counting import triton_code

    size = keys.shape[0]
    launch = launch or (MANY_WARPS if number == 2 else FEW_WARPS)
    tile = launch["TILE"]
    tiles = -(-size // tile)

    def room(*shape: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
        return torch.empty(shape, dtype=dtype, device=keys.device)

    counts, starts = room(tiles), room(tiles)
    triton_code.count_tiles[(tiles,)](keys, size, counts, starts, TILE=tile)
    before = torch.cumsum(counts, 0) - counts
    # A group may have begun in an earlier tile; its start is the latest before this one.
    numbers = torch.arange(tiles, device=keys.device)
    start_place = torch.where(starts >= 0, numbers * tile + (starts >> 16), -1)
    start_tp = torch.where(starts >= 0, before + (starts & 0xFFFF), -1)
    place, tp = (torch.cummax(each, 0).values for each in (start_place, start_tp))
    pairs, terms, crossing = room(tiles), room(tiles, 7, dtype=torch.float64), room(4)
    triton_code.add_tiles[(tiles,)](
        keys, size, before, place, tp, positives, negatives, baseline,
        pairs, terms, crossing, ALL=number > 2, **launch,
    )  # fmt: skip
    return int(pairs.sum()), terms[:, :number].sum(0).tolist(), crossing.tolist()
