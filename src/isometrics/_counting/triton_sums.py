"""Packing and adding up in one pass each, compiled by Triton for torch on CUDA.

A tile of rows is loaded once, and everything is computed from it in registers. Plain array
operations would write and read every intermediate result.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._counting.keys import SIGNED, Packing, packing_within

if TYPE_CHECKING:
    import torch

TILE = 512
MOST_SPANS, FEWEST_TILES = 2048, 4
"""Rows are cut into tiles, and tiles into so many spans of so many; one program works on a span.

Each program adds up the counts of all spans before, so that more of them cost more.
"""


class Spans(NamedTuple):
    """How rows are cut."""

    tile: int
    """Rows of a tile."""
    tiles: int
    """Tiles of a span."""
    number: int


def spans_of(
    size: int, tile: int = TILE, most: int = MOST_SPANS, fewest_tiles: int = FEWEST_TILES
) -> Spans:
    """Cut rows into spans of equally many tiles."""
    tiles = -(-size // tile)
    in_a_span = max(-(-tiles // most), fewest_tiles)
    return Spans(tile, in_a_span, -(-tiles // in_a_span))


class Survey(NamedTuple):
    """What is found of a sample before it is sorted."""

    positives: int
    is_valid: bool
    """Whether no score is NaN, and labels are truth values, 0 and 1, or -1 and 1."""
    packing: Packing | None
    """How scores and labels are packed; None where no bit is free."""


@cache
def _is_installed() -> bool:
    from importlib.util import find_spec

    return find_spec("triton") is not None


def can_run_on(array: Any) -> bool:
    """Tell whether an array is torch's, on a device that Triton compiles for."""
    return type(array).__module__.startswith("torch") and array.is_cuda and _is_installed()


def survey(scores: torch.Tensor, labels: torch.Tensor, spans: Spans | None = None) -> Survey:
    """Look at all rows once; one wait for the device."""
    import torch

    from isometrics._counting import triton_code

    spans = spans or spans_of(scores.shape[0])
    results = torch.empty((spans.number, 5), dtype=torch.int64, device=scores.device)
    triton_code.survey_spans[(spans.number,)](
        *_raw(scores, labels), spans.tiles, results,
        **_kind(scores), TRUTH=labels.dtype == torch.bool, TILE=spans.tile,
    )  # fmt: skip
    each = results.cpu().numpy()
    lowest, highest = int(each[:, 0].min()), int(each[:, 1].max())
    dtype = np.dtype(f"{'f' if scores.is_floating_point() else 'i'}{scores.itemsize}")
    # The integers of NaN lie beyond those of the infinities.
    infinity = int(np.array(np.inf, dtype).view(SIGNED[dtype.itemsize])) if dtype.kind == "f" else 0
    has_nan = dtype.kind == "f" and (highest > infinity or lowest < ~infinity)
    packing = packing_within(lowest, highest, lambda: int(each[:, 2].min()), dtype)
    others = int(np.bitwise_or.reduce(each[:, 4]))
    return Survey(int(each[:, 3].sum()), not has_nan and others < 3, packing)


def pack(
    scores: torch.Tensor, labels: torch.Tensor, packing: Packing, tile: int = TILE
) -> torch.Tensor:
    """Return the keys of scores and labels."""
    import torch

    from isometrics._counting import triton_code

    word = torch.int64 if packing.width == 64 else torch.int32
    keys = torch.empty(scores.shape[0], dtype=word, device=scores.device)
    triton_code.pack_tiles[(-(-scores.shape[0] // tile),)](
        *_raw(scores, labels), packing.gap, packing.centre, keys, **_kind(scores), TILE=tile
    )
    return keys


def _raw(scores: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, int]:
    """Return the bits of scores and labels, and the number of rows."""
    import torch

    word = torch.int64 if scores.itemsize == 8 else torch.int32
    labels = labels.contiguous()
    flags = labels.view(torch.uint8) if labels.dtype == torch.bool else labels
    return scores.contiguous().view(word), flags, scores.shape[0]


def _kind(scores: torch.Tensor) -> dict[str, int]:
    return {"FLOAT": scores.is_floating_point(), "BITS": 8 * scores.itemsize}


def sort_in_place(keys: torch.Tensor) -> bool:
    """Sort keys by CuPy, where it is installed; torch would carry their positions along."""
    import torch

    try:
        import cupy
    except ImportError:
        return False
    stream = torch.cuda.current_stream(keys.device)
    with cupy.cuda.Device(keys.device.index):
        cupy_stream = cupy.cuda.get_current_stream()
        # Each library has a stream of its own, but by default both have the same.
        is_same = cupy_stream.ptr == stream.cuda_stream
        if not is_same:
            stream.synchronize()
        cupy.asarray(keys).sort()
        if not is_same:
            cupy_stream.synchronize()
    return True


def count_spans(keys: torch.Tensor, spans: Spans) -> torch.Tensor:
    """Count the positives of spans of sorted keys, and find their last groups of ties."""
    import torch

    from isometrics._counting import triton_code

    counts = torch.empty((spans.number, 3), dtype=torch.int64, device=keys.device)
    triton_code.count_spans[(spans.number,)](
        keys, keys.shape[0], spans.tiles, counts, TILE=spans.tile
    )
    return counts


def sums(
    keys: torch.Tensor,
    positives: int,
    negatives: int,
    baseline: int,
    *,
    number: int,
    spans: Spans | None = None,
) -> tuple[int, list[float], list[int]]:
    """Return the pairs, the first so many terms and the crossing of `array_api.DeviceSums`."""
    import torch

    from isometrics._counting import triton_code

    spans = spans or spans_of(keys.shape[0])
    results = torch.empty(4 + 11 * spans.number, dtype=torch.float64, device=keys.device)
    triton_code.add_spans[(spans.number,)](
        keys, keys.shape[0], spans.tiles, count_spans(keys, spans), positives, negatives, baseline,
        results, results[4:], ALL=number > 2, SPANS=MOST_SPANS, TILE=spans.tile,
    )  # fmt: skip
    # One wait for the device, and what is left is little for the host.
    found = results.cpu().numpy()
    each = found[4:].reshape(-1, 11)
    at_negatives, boxes, rise, run = each[:, 7:].T.astype(np.int64)
    pairs = 2 * int(at_negatives.sum()) - int(boxes.sum()) - int((rise * run).sum())
    terms = np.ascontiguousarray(each[:, :number].T).sum(1)  # pairwise, along rows of memory
    return pairs, terms.tolist(), found[:4].astype(np.int64).tolist()
