"""The code that Triton compiles; `triton_sums` runs it."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def _later(one, other):  # type: ignore[no-untyped-def]
    return tl.maximum(one, other)


@triton.jit
def _log1p(value):  # type: ignore[no-untyped-def]
    """ln(1 + value) for value > 0: 2·artanh(value/(2 + value)) where 1 + value would round it."""
    part = value / (2 + value)
    square = part * part
    series = 1.0 / 13
    series = series * square + 1.0 / 11
    series = series * square + 1.0 / 9
    series = series * square + 1.0 / 7
    series = series * square + 1.0 / 5
    series = series * square + 1.0 / 3
    series = series * square + 1.0
    return tl.where(value < 0.1, 2 * part * series, tl.log(1 + value))


@triton.jit
def count_tiles(keys, size, counts, starts, TILE: tl.constexpr):  # type: ignore[no-untyped-def]
    """Count the positives of each tile, and find where its last group of ties begins.

    A start is ``place in the tile << 32 | positives before it in the tile``, or -1.
    """
    tile = tl.program_id(0).to(tl.int64)
    inside = tl.arange(0, TILE)
    rows = tile * TILE + inside
    present = rows < size
    key = tl.load(keys + rows, mask=present, other=0)
    previous = tl.load(keys + rows - 1, mask=present & (rows > 0), other=0)
    label = tl.where(present, (~key & 1).to(tl.int32), 0)
    begins = present & ((rows == 0) | ((key >> 1) != (previous >> 1)))
    upto = tl.cumsum(label, 0)
    start = (inside.to(tl.int64) << 32) | (upto - label).to(tl.int64)
    tl.store(counts + tile, tl.sum(label, 0).to(tl.int64))
    tl.store(starts + tile, tl.max(tl.where(begins, start, -1), 0))


@triton.jit
def add_tiles(  # type: ignore[no-untyped-def]
    keys, size, before, place, tp_there, positives, negatives, baseline, pairs, terms, crossing,
    TILE: tl.constexpr,
):  # fmt: skip
    """Add up the terms of the groups that end in each tile; see `device_sums` for the formulas."""
    tile = tl.program_id(0).to(tl.int64)
    inside = tl.arange(0, TILE)
    rows = tile * TILE + inside
    present = rows < size
    key = tl.load(keys + rows, mask=present, other=0)
    previous = tl.load(keys + rows - 1, mask=present & (rows > 0), other=0)
    following = tl.load(keys + rows + 1, mask=rows + 1 < size, other=0)
    mark = key >> 1
    label = tl.where(present, (~key & 1).to(tl.int32), 0)
    begins = present & ((rows == 0) | (mark != (previous >> 1)))
    ends = present & ((rows + 1 == size) | (mark != (following >> 1)))
    upto = tl.cumsum(label, 0)
    tp = tl.load(before + tile) + upto
    fp = rows + 1 - tp
    # Where each row's group began: in this tile, or where the latest group before it did.
    start = tl.where(begins, (inside.to(tl.int64) << 32) | (upto - label).to(tl.int64), -1)
    start = tl.associative_scan(start, 0, _later)
    here = start >= 0
    carried = tl.maximum(tile - 1, 0)
    row_before = tl.where(here, tile * TILE + (start >> 32), tl.load(place + carried))
    tp_before = tl.where(
        here, tl.load(before + tile) + (start & 0xFFFFFFFF), tl.load(tp_there + carried)
    )
    fp_before = row_before - tp_before
    pair = tl.where(ends, (fp - fp_before) * (tp_before + tp), 0)
    tl.store(pairs + tile, tl.sum(pair, 0))
    crosses = ends & (tp_before < baseline) & (tp >= baseline)
    tl.store(crossing + inside * 0, tp_before, mask=crosses)
    tl.store(crossing + inside * 0 + 1, fp_before, mask=crosses)
    tl.store(crossing + inside * 0 + 2, tp, mask=crosses)
    tl.store(crossing + inside * 0 + 3, fp, mask=crosses)

    x, y = tp_before.to(tl.float64), fp_before.to(tl.float64)
    x_end, y_end = tp.to(tl.float64), fp.to(tl.float64)
    rise = tl.where(ends, x_end - x, 0.0)
    run = y_end - y
    step = tl.where(ends, rise + run, 1.0)
    total = x + y
    started = total > 0
    total = tl.where(started, total, 1.0)
    bend = (x * run - rise * y) / step * _log1p(step / total)
    at_end = x_end / tl.where(present, x_end + y_end, 1.0)
    at_start = tl.where(started, x / total, at_end)
    out = terms + tile * 7
    tl.store(out, tl.sum((bend + rise) / step * rise, 0))
    tl.store(out + 1, tl.sum((run - bend) / step * rise, 0))
    tl.store(out + 2, tl.sum(rise * at_end, 0))
    tl.store(out + 3, tl.sum(rise * (at_start + at_end) / 2, 0))
    behind = ends & (tp_before >= baseline)
    x, x_end = tl.where(behind, x, 1.0), tl.where(behind, x_end, 1.0)
    misses = (positives - x) / x + (positives - x_end) / x_end
    false_alarms = y / x + y_end / x_end
    moved = (negatives - y) * (rise / x_end) / x + run / x_end
    lost = rise / x / (x_end / positives) * false_alarms
    tl.store(out + 4, tl.sum(tl.where(behind, lost, 0.0), 0))
    tl.store(out + 5, tl.sum(tl.where(behind, misses * moved / 2, 0.0), 0))
    tl.store(out + 6, tl.sum(tl.where(behind, false_alarms * moved / 2, 0.0), 0))
