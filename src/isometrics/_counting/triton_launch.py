"""Programs of Triton, which `triton_code` has: how they are run and what they return."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._counting.hull import HullRows, vertices
from isometrics._counting.keys import SIGNED, Packing, packing_within

if TYPE_CHECKING:
    import torch

    from isometrics._counting.array_api import SortedKeys


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


BIN_TILE = 1024
_OF_NAN = -(2**63)
"""Taken as the lowest integer where a score is NaN; no number has it."""
OUTSIDE_ROOM = 1 << 16
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
    tile: int = BIN_TILE,
    room: int = OUTSIDE_ROOM,
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


SPAN_TILE = 1024
POINTS_ROOM = 1 << 14
"""Points of a chain, with those above it; where there are more, the slower way is taken."""


def hull_rows(
    ranking: SortedKeys, *, spans: Spans | None = None, room: int = POINTS_ROOM
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

    Points are found on the device, and the hull of the few that are found on the host. Heights are
    exact: with fewer than 2**32 rows they stay below 2**62.
    """
    import torch

    from isometrics._counting import triton_code

    keys, size = ranking.keys, ranking.size
    spans = spans or spans_of(size, SPAN_TILE, fewest_tiles=1)
    room = max(min(room, size + 1), spans.number + 2)
    counts = count_spans(keys, spans)
    count, row, before = counts.cpu().numpy().T
    begun = row > 0
    tp = np.concatenate([[0], (np.cumsum(count) - count + before)[begun], [count.sum()]])
    row = np.concatenate([[0], row[begun], [size]])
    for append in (triton_code.find_highest, triton_code.find_above):
        corners = vertices(row - tp, tp)
        # The first line is the state of the chain; one transfer takes all there, another one back.
        points = np.zeros((1 + room, 2), np.int64)
        points[0] = corners.size
        points[1 : 1 + corners.size] = np.stack([row[corners], tp[corners]], 1)
        chain = torch.from_numpy(points).to(keys.device)
        append[(spans.number,)](
            keys, size, spans.tiles, counts, chain[1:], chain[0], room,
            SPANS=MOST_SPANS, TILE=spans.tile,
        )  # fmt: skip
        points = chain.cpu().numpy()
        number = int(points[0, 1])
        if number > room:
            return None
        found = points[1 : 1 + number]
        row, tp = found[np.argsort(found[:, 0])].T
    corners = vertices(row - tp, tp)
    row, tp = row[corners], tp[corners]
    # The point before a row belongs to the score above; between two of them is no other one if
    # all rows are tied.
    at = torch.as_tensor(np.concatenate([row[1:] - 1, row[:-1]]), device=keys.device)
    marks, following = np.split((keys[at] >> 1).cpu().numpy(), 2)
    return HullRows(tp, row - tp, marks, marks != following)
