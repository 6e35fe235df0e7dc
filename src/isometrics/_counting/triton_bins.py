"""Counting in planned bins, and bounds from their counts, compiled by Triton for CUDA."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from isometrics._counting.array_api import DeviceSums, Ends, baseline_of

if TYPE_CHECKING:
    import torch

TILE = 1024
_OF_NAN = -(2**63)
"""Taken as the lowest integer where a score is NaN; no number has it."""
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
) -> Counted | None:
    """Add rows to the counts of their bins; none of them, if a score is NaN."""
    import torch

    from isometrics._counting import triton_code

    size = scores.shape[0]
    outside = torch.zeros(1 + room, dtype=torch.int64, device=scores.device)
    flags, scores = labels.contiguous().view(torch.uint8), scores.contiguous()
    tiles = torch.empty(-(-size // tile), 2, dtype=torch.int64, device=scores.device)

    def add(times: int) -> None:
        triton_code.bin_tiles[(tiles.shape[0],)](
            scores, flags, size, *within, cell_shift, *tables, counts, outside, tiles,
            TIMES=times, ROOM=room, TILE=tile,
        )  # fmt: skip

    add(1)
    # One wait for the device instead of three.
    results = torch.stack([outside[0], tiles[:, 0].sum(), tiles[:, 1].amin()])
    found, positives, lowest = results.tolist()
    if lowest == _OF_NAN:
        # That is rare, so it is cheaper to take the rows back than to look at all of them before.
        add(-1)
        return None
    return Counted(outside[1 : 1 + found] if found <= room else None, positives, lowest)


def worst_and_best(
    counts: torch.Tensor,
    several: torch.Tensor,
    positives: int,
    negatives: int,
    *,
    tile: int = TILE,
) -> tuple[list[DeviceSums], bool]:
    """Add up areas for the worst and for the best order of the rows inside each bin.

    The second result tells whether no row lies in a bin of several scores.

    Parameters
    ----------
    counts
        Negatives and positives of each bin, from the lowest one on.
    several
        Which bins may hold several scores; rows of the others are tied.
    positives, negatives
        The totals of all bins.
    """
    import torch

    from isometrics._counting import triton_code

    size = several.shape[0]
    baseline = baseline_of(positives, negatives)
    tiles = -(-size // tile)
    inside = torch.empty(tiles, 2, dtype=torch.int64, device=counts.device)
    triton_code.sum_bins[(tiles,)](counts, size, inside, TILE=tile)
    results = torch.empty(5 + 7 * tiles, dtype=torch.float64, device=counts.device)
    triton_code.bound_bins[(tiles,)](
        counts, several, size, inside, positives, baseline, results,
        TILE=tile, TILES=1 << (tiles - 1).bit_length(),
    )  # fmt: skip
    # One wait for the device, and what is left is little for the host.
    found = results.tolist()
    *corner, gap = map(int, found[:5])
    tp_before, fp_before, tp, fp = corner
    worst = Ends(tp_before, fp, tp, fp) if gap else Ends(*corner)
    best = Ends(tp_before, fp_before, tp, fp_before) if gap else Ends(*corner)
    *terms, is_open = (math.fsum(found[place::7]) for place in range(5, 12))
    sums = [
        DeviceSums(pairs, ends, area, lost)
        for ends, (pairs, area, lost) in ((worst, terms[::2]), (best, terms[1::2]))
    ]
    return sums, is_open == 0
