"""The code that Triton compiles; `triton_sums` runs it."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def _later(one, other):
    return tl.maximum(one, other)


@triton.jit
def _float64(count):
    """Make a float of a count; Triton would round floats that it is given to 32 bits."""
    return tl.full([], count, tl.float64)


@triton.jit
def _small_log1p(value):
    """ln(1 + value) for 0 <= value < 0.1, as 2·artanh(value/(2 + value))."""
    part = value / (2 + value)
    square = part * part
    series = 1.0 / 13
    series = series * square + 1.0 / 11
    series = series * square + 1.0 / 9
    series = series * square + 1.0 / 7
    series = series * square + 1.0 / 5
    series = series * square + 1.0 / 3
    series = series * square + 1.0
    return 2 * part * series


@triton.jit
def _log1p(value):
    """ln(1 + value) for value >= 0, also where 1 + value would round it."""
    return tl.where(value < 0.1, _small_log1p(value), tl.log(1 + value))


@triton.jit
def _order(raw, FLOAT: tl.constexpr, BITS: tl.constexpr):
    """Return integers in the order of scores, from their bits; see `keys.order_on_device`."""
    if FLOAT:
        order = raw ^ ((raw >> (BITS - 1)) & ((1 << (BITS - 1)) - 1))
        return tl.where(order == -1, 0, order)
    else:
        return raw


@triton.jit
def count_labels(labels, size, counts, TILE: tl.constexpr):
    """Count the positives of each tile."""
    tile = tl.program_id(0).to(tl.int64)
    rows = tile * TILE + tl.arange(0, TILE)
    label = tl.load(labels + rows, mask=rows < size, other=0).to(tl.int32)
    tl.store(counts + tile, tl.sum(label, 0))


@triton.jit
def range_tiles(raw, size, ranges, FLOAT: tl.constexpr, BITS: tl.constexpr, TILE: tl.constexpr):
    """Find the lowest and the highest integer of each tile, and the gap next to 0."""
    tile = tl.program_id(0).to(tl.int64)
    rows = tile * TILE + tl.arange(0, TILE)
    present = rows < size
    # Beyond the end, the first row stands once more.
    order = _order(tl.load(raw + tl.where(present, rows, 0)), FLOAT, BITS).to(tl.int64)
    beyond = tl.where(order < 0, ~order, order - 1)
    beyond = tl.where(order == 0, 0x7FFFFFFFFFFFFFFF, beyond)
    tl.store(ranges + tile * 3, tl.min(order, 0))
    tl.store(ranges + tile * 3 + 1, -1 - tl.max(order, 0))
    tl.store(ranges + tile * 3 + 2, tl.min(beyond, 0))


@triton.jit
def pack_tiles(
    raw, labels, size, gap, centre, keys,
    FLOAT: tl.constexpr, BITS: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """Pack scores and labels into keys; see `keys.Packing`."""
    rows = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    present = rows < size
    order = _order(tl.load(raw + rows, mask=present, other=0), FLOAT, BITS).to(tl.int64)
    label = tl.load(labels + rows, mask=present, other=0).to(tl.int64)
    order -= tl.where(order > 0, gap, tl.where(order < 0, -gap, 0))
    key = ~((order - centre) * 2 + label)
    tl.store(keys + rows, key, mask=present)


@triton.jit
def count_tiles(keys, size, counts, starts, TILE: tl.constexpr):
    """Count the positives of each tile, and find where its last group of ties begins.

    A start is ``place in the tile << 16 | positives before it in the tile``, or -1.
    """
    tile = tl.program_id(0).to(tl.int64)
    inside = tl.arange(0, TILE)
    rows = tile * TILE + inside
    present = rows < size
    key = tl.load(keys + rows, mask=present, other=0)
    previous = tl.load(keys + rows - 1, mask=present & (rows > 0), other=0)
    label = tl.where(present, (~key & 1).to(tl.int32), 0)
    begins = present & ((rows == 0) | ((key >> 1) != (previous >> 1)))
    last = tl.max(tl.where(begins, inside, -1), 0)
    earlier = tl.sum(tl.where(inside < last, label, 0), 0)
    tl.store(counts + tile, tl.sum(label, 0))
    tl.store(starts + tile, tl.where(last >= 0, (last << 16) | earlier, -1))


@triton.jit
def add_tiles(
    keys, size, before, place, tp_there, positives, negatives, baseline, pairs, terms, crossing,
    ALL: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """Add up the terms of the groups that end in each tile; see `device_sums` for the formulas.

    Without ALL, only those of AUPR and AUPRG.
    """
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
    start = tl.where(begins, (inside << 16) | (upto - label), -1)
    start = tl.associative_scan(start, 0, _later)
    here = start >= 0
    carried = tl.maximum(tile - 1, 0)
    row_before = tl.where(here, tile * TILE + (start >> 16), tl.load(place + carried))
    tp_before = tl.where(
        here, tl.load(before + tile) + (start & 0xFFFF), tl.load(tp_there + carried)
    )
    fp_before = row_before - tp_before
    pair = tl.where(ends, (fp - fp_before) * (tp_before + tp), 0)
    tl.store(pairs + tile, tl.sum(pair, 0))
    crosses = ends & (tp_before < baseline) & (tp >= baseline)
    tl.store(crossing + inside * 0, tp_before, mask=crosses)
    tl.store(crossing + inside * 0 + 1, fp_before, mask=crosses)
    tl.store(crossing + inside * 0 + 2, tp, mask=crosses)
    tl.store(crossing + inside * 0 + 3, fp, mask=crosses)

    positives, negatives = _float64(positives), _float64(negatives)
    x, y = tp_before.to(tl.float64), fp_before.to(tl.float64)
    x_end, y_end = tp.to(tl.float64), fp.to(tl.float64)
    rise = tl.where(ends, x_end - x, 0.0)
    run = y_end - y
    # Divisions are dear; each of these is used several times.
    per_step = 1.0 / tl.where(ends, rise + run, 1.0)
    total = x + y
    started = total > 0
    per_total = 1.0 / tl.where(started, total, 1.0)
    growth = (rise + run) * per_total
    # A branch of the whole tile: the logarithm costs more than all the rest.
    if tl.max(growth, 0) < 0.1:
        growth = _small_log1p(growth)
    else:
        growth = _log1p(growth)
    bend = (x * run - rise * y) * per_step * growth
    share = per_step * rise
    out = terms + tile * 7
    tl.store(out, tl.sum((bend + rise) * share, 0))
    behind = ends & (tp_before >= baseline)
    per_x = tl.where(behind, 1.0, 0.0) / tl.where(behind, x, 1.0)
    per_end = 1.0 / tl.where(behind, x_end, 1.0)
    false_alarms = y * per_x + y_end * per_end
    if ALL:
        at_end = x_end / tl.where(present, x_end + y_end, 1.0)
        at_start = tl.where(started, x * per_total, at_end)
        tl.store(out + 2, tl.sum((run - bend) * share, 0))
        tl.store(out + 3, tl.sum(rise * at_end, 0))
        tl.store(out + 4, tl.sum(rise * (at_start + at_end) / 2, 0))
        misses = (positives - x) * per_x + (positives - x_end) * per_end
        moved = ((negatives - y) * rise * per_x + tl.where(behind, run, 0.0)) * per_end
        tl.store(out + 5, tl.sum(misses * moved / 2, 0))
        tl.store(out + 6, tl.sum(false_alarms * moved / 2, 0))
    tl.store(out + 1, tl.sum(rise * per_x * per_end * positives * false_alarms, 0))


@triton.jit
def _is_above(tp, fp, edges, edge):
    """Tell which points lie above the line of an edge: x, y, and how far it runs and rises."""
    at = edges + edge * 4
    run, rise = tl.load(at + 2), tl.load(at + 3)
    return (tp - tl.load(at + 1)) * run > (fp - tl.load(at)) * rise


@triton.jit
def find_above(
    keys, size, behind, touched, edges, found, room, TILE: tl.constexpr
):  # fmt: skip
    """List the rows that begin a group above the hull of few points; see `triton_hull`.

    `behind` has the positives up to the end of each tile, `touched` the edges over its first and
    over its last row.
    """
    tile = tl.program_id(0).to(tl.int64)
    left = tl.load(touched + tile)
    right = tl.load(touched + tl.num_programs(0) + tile)
    before = tl.load(behind + tile - 1, mask=tile > 0, other=0)
    highest, fewest = tl.load(behind + tile), tile * TILE - before
    reaches = _is_above(highest, fewest, edges, left) | _is_above(highest, fewest, edges, right)
    if reaches:  # pragma: no branch: the interpreter returns from a line of its own
        rows = tile * TILE + tl.arange(0, TILE)
        present = rows < size
        key = tl.load(keys + rows, mask=present, other=0)
        previous = tl.load(keys + rows - 1, mask=present & (rows > 0), other=0)
        label = tl.where(present, (~key & 1).to(tl.int32), 0)
        tp = before + tl.cumsum(label, 0) - label
        fp = rows - tp
        above = _is_above(tp, fp, edges, left) | _is_above(tp, fp, edges, right)
        chosen = present & (rows > 0) & ((key >> 1) != (previous >> 1)) & above
        number = tl.sum(chosen.to(tl.int64), 0)
        start = tl.atomic_add(found, number, sem="relaxed")
        place = start + tl.cumsum(chosen.to(tl.int64), 0) - 1
        fits = chosen & (place < room)
        tl.store(found + 1 + place * 2, rows, mask=fits)
        tl.store(found + 2 + place * 2, tp, mask=fits)


@triton.jit
def bin_tiles(
    scores, labels, size, lowest, highest, cell_shift, parts, bins, counts, outside, tiles,
    TIMES: tl.constexpr, ROOM: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """Count rows in planned bins, and find those outside; see `sources.devices`.

    Of each tile, the number of positives and the lowest integer are kept, -2**63 for NaN.
    """
    tile = tl.program_id(0).to(tl.int64)
    rows = tile * TILE + tl.arange(0, TILE)
    present = rows < size
    score = tl.load(scores + rows, mask=present, other=0).to(tl.float64)
    order = _order(score.to(tl.int64, bitcast=True), True, 64)
    label = tl.load(labels + rows, mask=present, other=0).to(tl.int32)
    tl.store(tiles + tile * 2, tl.sum(label, 0))
    reached = tl.where(score == score, order, -0x7FFFFFFFFFFFFFFF - 1)  # noqa: PLR0124
    tl.store(tiles + tile * 2 + 1, tl.min(tl.where(present, reached, 0x7FFFFFFFFFFFFFFF), 0))
    planned = present & (order >= lowest) & (order <= highest)
    place = tl.where(planned, (order >> cell_shift) - (lowest >> cell_shift), 0)
    one = tl.full([], 1, tl.int64)
    inside = order & ((one << cell_shift) - 1)
    entry = tl.load(parts + place).to(tl.int64)
    place = tl.where(planned, (entry >> 6) + (inside >> (entry & 63)), 0)
    inside = inside & ((one << (entry & 63)) - 1)
    entry = tl.load(bins + place).to(tl.int64)
    place = (entry >> 6) + (inside >> (entry & 63))
    place = tl.where(planned, place * 2 + label, 0)
    tl.atomic_add(counts + place, TIMES, mask=planned, sem="relaxed")
    # The places of rows outside, as far as there is room for them.
    strange = present & ~planned
    found = tl.atomic_add(outside + place * 0, 1, mask=strange, sem="relaxed")
    tl.store(outside + 1 + found, rows, mask=strange & (found < ROOM))


@triton.jit
def sum_bins(counts, size, found, TILE: tl.constexpr):
    """Add up the positives and negatives of each tile of bins, the highest ones first."""
    tile = tl.program_id(0).to(tl.int64)
    rows = tile * TILE + tl.arange(0, TILE)
    place = (size - 1 - rows) * 2
    tl.store(found + tile * 2, tl.sum(tl.load(counts + place + 1, mask=rows < size, other=0), 0))
    tl.store(found + tile * 2 + 1, tl.sum(tl.load(counts + place, mask=rows < size, other=0), 0))


@triton.jit
def _rise_terms(x, y, rise, run, positives, behind):
    """Return the terms of segments in PR and in PRG space; see `device_sums`."""
    step = tl.where(rise > 0, rise + run, 1.0)
    total = x + y
    growth = _log1p(step / tl.where(total > 0, total, 1.0))
    below = (rise + (x * run - rise * y) / step * growth) / step * rise
    start, end = tl.where(behind, x, 1.0), tl.where(behind, x + rise, 1.0)
    lost = rise / start / (end / positives) * (y / start + (y + run) / end)
    return below, tl.where(behind, lost, 0.0)


@triton.jit
def bound_bins(
    counts, several, size, found, positives, baseline, results,
    TILE: tl.constexpr, TILES: tl.constexpr,
):  # fmt: skip
    """Add up twice the pairs and the terms of `add_tiles`, each for the worst and the best way.

    The worst way through a bin of several scores has all its negatives first, the best one all its
    positives. `results` has the bin where the true positives reach the baseline, then the sums of
    each tile; `found` is from `sum_bins`.
    """
    tile = tl.program_id(0).to(tl.int64)
    inside = tl.arange(0, TILE)
    rows = tile * TILE + inside
    place = size - 1 - rows
    positive = tl.load(counts + place * 2 + 1, mask=rows < size, other=0)
    negative = tl.load(counts + place * 2, mask=rows < size, other=0)
    gap = tl.load(several + place, mask=rows < size, other=0) > 0
    tiles = tl.arange(0, TILES)
    tp = tl.sum(tl.load(found + tiles * 2, mask=tiles < tile, other=0), 0)
    fp = tl.sum(tl.load(found + tiles * 2 + 1, mask=tiles < tile, other=0), 0)
    tp += tl.cumsum(positive, 0)
    fp += tl.cumsum(negative, 0)
    tp_before, fp_before = tp - positive, fp - negative
    crosses = (rows < size) & (tp_before < baseline) & (tp >= baseline)
    at = results + inside * 0
    tl.store(at, tp_before.to(tl.float64), mask=crosses)
    tl.store(at + 1, fp_before.to(tl.float64), mask=crosses)
    tl.store(at + 2, tp.to(tl.float64), mask=crosses)
    tl.store(at + 3, fp.to(tl.float64), mask=crosses)
    tl.store(at + 4, gap.to(tl.float64), mask=crosses)

    x, y = tp_before.to(tl.float64), fp_before.to(tl.float64)
    x_end, y_end = tp.to(tl.float64), fp.to(tl.float64)
    rise, run = x_end - x, y_end - y
    behind = tp_before >= baseline
    positives = _float64(positives)
    out = results + 5 + tile * 6
    tl.store(out, tl.sum(run * tl.where(gap, 2 * x, x + x_end), 0))
    tl.store(out + 1, tl.sum(run * tl.where(gap, 2 * x_end, x + x_end), 0))
    slope = tl.where(gap, 0.0, run)
    below, lost = _rise_terms(x, tl.where(gap, y_end, y), rise, slope, positives, behind)
    tl.store(out + 2, tl.sum(below, 0))
    tl.store(out + 4, tl.sum(lost, 0))
    below, lost = _rise_terms(x, y, rise, slope, positives, behind)
    tl.store(out + 3, tl.sum(below, 0))
    tl.store(out + 5, tl.sum(lost, 0))
