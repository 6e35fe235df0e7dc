"""The sums of a device in one pass over sorted keys, compiled by Triton for torch on CUDA.

A tile of keys is loaded once, and everything is computed from it in registers. Plain array
operations would write and read every intermediate result.
"""

from __future__ import annotations

from functools import cache
from typing import Any

TILE = 2048
TERMS = 7


@cache
def _is_installed() -> bool:
    from importlib.util import find_spec

    return find_spec("triton") is not None


def can_run_on(keys: Any) -> bool:
    """Tell whether keys are torch's, on a device that Triton compiles for."""
    return type(keys).__module__.startswith("torch") and keys.is_cuda and _is_installed()


def sums(
    keys: Any, positives: int, negatives: int, baseline: int, tile: int = TILE
) -> tuple[int, list[float], list[int]]:
    """Return the pairs, the terms and the crossing of `device_sums.DeviceSums`."""
    import torch

    from isometrics.kernels import triton_code

    size = keys.shape[0]
    tiles = -(-size // tile)

    def room(*shape: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
        return torch.empty(shape, dtype=dtype, device=keys.device)

    counts, starts = room(tiles), room(tiles)
    triton_code.count_tiles[(tiles,)](keys, size, counts, starts, TILE=tile)
    before = torch.cumsum(counts, 0) - counts
    # A group may have begun in an earlier tile; its start is the latest before this one.
    has_start = starts >= 0
    numbers = torch.arange(tiles, device=keys.device)
    start_place = torch.where(has_start, numbers * tile + (starts >> 32), -1)
    start_tp = torch.where(has_start, before + (starts & 0xFFFFFFFF), -1)
    place, tp = (torch.cummax(each, 0).values for each in (start_place, start_tp))
    pairs, terms, crossing = room(tiles), room(tiles, TERMS, dtype=torch.float64), room(4)
    triton_code.add_tiles[(tiles,)](
        keys, size, before, place, tp, float(positives), float(negatives), baseline,
        pairs, terms, crossing, TILE=tile,
    )  # fmt: skip
    return int(pairs.sum()), terms.sum(0).tolist(), crossing.tolist()
