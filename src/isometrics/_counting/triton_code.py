"""The code that Triton compiles; `triton_launch` runs it."""

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
def _rows_of(tile, size, TILE: tl.constexpr):
    """Return the rows of a tile, and which of them exist."""
    rows = tile * TILE + tl.arange(0, TILE)
    return rows, rows < size


@triton.jit
def _load_tile(keys, tile, size, TILE: tl.constexpr):
    """Return the rows of a tile, their marks, their labels, and which rows begin a group."""
    rows, present = _rows_of(tile, size, TILE)
    key = tl.load(keys + rows, mask=present, other=0)
    previous = tl.load(keys + rows - 1, mask=present & (rows > 0), other=0)
    label = tl.where(present, (~key & 1).to(tl.int32), 0)
    begins = present & ((rows == 0) | ((key >> 1) != (previous >> 1)))
    return rows, key >> 1, label, begins


@triton.jit(do_not_specialize=["tiles"])
def survey_spans(
    raw, labels, size, tiles, results,
    FLOAT: tl.constexpr, BITS: tl.constexpr, TRUTH: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """Find the lowest and the highest integer of each span of tiles, and the gap next to 0.

    The fourth result is the number of positives, whose label is 1. Unless labels are truth values,
    the fifth tells by its bits whether there are others: 0, -1, or any.
    """
    span = tl.program_id(0).to(tl.int64)
    inside = tl.arange(0, TILE)
    # Beyond the end, the first row stands once more.
    any_row = _order(tl.load(raw + inside * 0), FLOAT, BITS)
    lowest, highest = any_row, any_row
    most = tl.full([TILE], (1 << (BITS - 1)) - 1, raw.dtype.element_ty)
    gap = most
    positives = tl.zeros([TILE], tl.int32)
    others = positives
    for tile in range(span * tiles, tl.minimum((span + 1) * tiles, tl.cdiv(size, TILE))):
        rows, present = _rows_of(tile, size, TILE)
        order = _order(tl.load(raw + rows, mask=present, other=0), FLOAT, BITS)
        order = tl.where(present, order, any_row)
        lowest, highest = tl.minimum(lowest, order), tl.maximum(highest, order)
        beyond = tl.where(order < 0, ~order, order - 1)
        gap = tl.minimum(gap, tl.where(order == 0, most, beyond))
        label = tl.load(labels + rows, mask=present, other=0)
        if TRUTH:
            positives += label.to(tl.int32)
        else:
            number = label.to(tl.float64)
            positives += (number == 1).to(tl.int32)
            other = tl.where(number == 0, 1, tl.where(number == -1, 2, 4))
            others |= tl.where(present & (number != 1), other, 0)
    out = results + span * 5
    tl.store(out, tl.min(lowest, 0).to(tl.int64))
    tl.store(out + 1, tl.max(highest, 0).to(tl.int64))
    tl.store(out + 2, tl.min(gap, 0).to(tl.int64))
    tl.store(out + 3, tl.sum(positives.to(tl.int64), 0))
    zero, minus = tl.max(others & 1, 0), tl.max(others & 2, 0)
    tl.store(out + 4, (zero | minus | tl.max(others & 4, 0)).to(tl.int64))


@triton.jit(do_not_specialize=["gap", "centre"])
def pack_tiles(
    raw, labels, size, gap, centre, keys,
    FLOAT: tl.constexpr, BITS: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """Pack scores and labels into keys; see `keys.Packing`."""
    rows, present = _rows_of(tl.program_id(0).to(tl.int64), size, TILE)
    word = keys.dtype.element_ty
    order = _order(tl.load(raw + rows, mask=present, other=0), FLOAT, BITS).to(word)
    label = (tl.load(labels + rows, mask=present, other=0) == 1).to(word)
    order -= tl.where(order > 0, gap, tl.where(order < 0, -gap, 0)).to(word)
    order -= tl.full([], centre, word)
    tl.store(keys + rows, ~(order * 2 + label), mask=present)


@triton.jit(do_not_specialize=["tiles"])
def count_spans(keys, size, tiles, counts, TILE: tl.constexpr):
    """Count the positives of each span of tiles, and find where its last group of ties begins.

    Counts are the positives, the row of that beginning, or -1, and the positives before it.
    """
    span = tl.program_id(0).to(tl.int64)
    end = tl.minimum((span + 1) * tiles, tl.cdiv(size, TILE))
    begun = tl.full([TILE], -1, tl.int64)
    positives = tl.zeros([TILE], tl.int32)
    for tile in range(span * tiles, end):
        rows, _, label, begins = _load_tile(keys, tile, size, TILE)
        begun = tl.where(begins, rows, begun)
        positives += label
    latest = tl.max(begun, 0)
    behind = tl.zeros([TILE], tl.int32)
    # Mostly one tile more.
    for tile in range(tl.where(latest < 0, end, latest // TILE), end):
        rows, _, label, _ = _load_tile(keys, tile, size, TILE)
        behind += tl.where(rows >= latest, label, 0)
    count = tl.sum(positives.to(tl.int64), 0)
    tl.store(counts + span * 3, count)
    tl.store(counts + span * 3 + 1, latest)
    tl.store(counts + span * 3 + 2, count - tl.sum(behind.to(tl.int64), 0))


@triton.jit(do_not_specialize=["tiles", "positives", "negatives", "baseline"])
def add_spans(
    keys, size, tiles, counts, positives, negatives, baseline, crossing, results,
    ALL: tl.constexpr, SPANS: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """Add up the terms of the groups that end in each span; see `array_api.terms_of` for them.

    Without ALL, only those of AUPR and AUPRG. `counts` is from `count_spans`. The last four
    results make the pairs: the true positives at each negative, rise times run of the groups that
    begin and end in the span, and rise and run of the one that began before. All of them are
    whole numbers below 2**53.
    """
    span = tl.program_id(0).to(tl.int64)
    first, end = span * tiles, tl.minimum((span + 1) * tiles, tl.cdiv(size, TILE))
    spans = tl.arange(0, SPANS)
    earlier = spans < span
    count = tl.load(counts + spans * 3, mask=earlier, other=0)
    begun = tl.load(counts + spans * 3 + 1, mask=earlier, other=-1)
    before = tl.load(counts + spans * 3 + 2, mask=earlier, other=0)
    # Counts before the span, and where the group began that is open there.
    tp = tl.sum(count, 0)
    latest_span = tl.max(tl.where(begun >= 0, spans, -1), 0)
    tp_open = tl.where(spans < latest_span, count, 0) + tl.where(spans == latest_span, before, 0)
    tp_open = tl.sum(tp_open, 0)
    row_open = tl.max(begun, 0)

    inside = tl.arange(0, TILE)
    behind_row = (inside + 1).to(tl.float64)
    positives, negatives = _float64(positives), _float64(negatives)
    below = tl.zeros([TILE], tl.float64)
    lost, above, precision, linear, misses, alarms = below, below, below, below, below, below
    boxes = below
    negatives_here = tl.zeros([TILE], tl.int32)
    pairs = tp * 0
    open_rise = _float64(0)
    open_run = _float64(0)
    for tile in range(first, end):
        start = tile * TILE
        rows, mark, label, begins = _load_tile(keys, tile, size, TILE)
        present = rows < size
        following = tl.load(keys + rows + 1, mask=rows + 1 < size, other=0)
        ends = present & ((rows + 1 == size) | (mark != (following >> 1)))
        upto = tl.cumsum(label, 0)
        number = tl.sum(label, 0)
        # Where each row's group began: in this tile, or where the latest group before it did.
        begin = tl.where(begins, (inside << 16) | (upto - label), -1)
        latest = tl.max(begin, 0)
        begin = tl.associative_scan(begin, 0, _later)
        here = begin >= 0
        # Positives of a group come first, so that a negative has all of them behind it.
        negatives_here += tl.where(present & (label == 0), upto, 0)
        pairs += tp * (tl.minimum(size - start, TILE) - number)

        offset, base = start.to(tl.float64), tp.to(tl.float64)
        total_end = offset + behind_row
        total = tl.where(here, offset + (begin >> 16).to(tl.float64), row_open.to(tl.float64))
        x_end = base + upto.to(tl.float64)
        x = tl.where(here, base + (begin & 0xFFFF).to(tl.float64), tp_open.to(tl.float64))
        y, y_end = total - x, total_end - x_end
        step, run = total_end - total, y_end - y
        rise = tl.where(ends, x_end - x, 0.0)
        box = rise * run
        if row_open < first * TILE:
            ended = ends & ~here
            open_rise += tl.sum(tl.where(ended, rise, 0.0), 0)
            open_run += tl.sum(tl.where(ended, run, 0.0), 0)
            box = tl.where(here, box, 0.0)
        boxes += box
        if (tp_open < baseline) & (tp + number >= baseline):
            crosses = ends & (x < baseline) & (x_end >= baseline)
            tl.store(crossing + inside * 0, x, mask=crosses)
            tl.store(crossing + inside * 0 + 1, y, mask=crosses)
            tl.store(crossing + inside * 0 + 2, x_end, mask=crosses)
            tl.store(crossing + inside * 0 + 3, y_end, mask=crosses)

        # Divisions are dear: one of them makes the reciprocals of all three divisors.
        behind = ends & (x >= baseline)
        square = tl.where(behind, x * x_end, 1.0)
        both = total + total_end
        per_all = 1.0 / (both * (step * square))
        per_both = per_all * (step * square)
        share = rise * (per_all * (both * square))
        per_square = tl.where(behind, per_all * (both * step), 0.0)
        # The rate is the logarithm of total_end / total, for each row of the step.
        part = step * per_both
        part *= part
        if (start + TILE - row_open) * 512 < row_open:
            # No step of this tile is longer than a part of 512 of what lies before it.
            rate = 2 * per_both * ((part * (1.0 / 5) + 1.0 / 3) * part + 1)
        else:
            growth = step / tl.where(total > 0, total, 1.0)
            rate = _log1p(growth) / step
        bend = (x * run - rise * y) * rate
        below += (bend + rise) * share
        false_alarms = (y * x_end + y_end * x) * per_square
        lost += rise * per_square * false_alarms
        if ALL:
            started = tl.where(total > 0, total, 1.0)
            per_all = 1.0 / (started * total_end)
            at_end = x_end * (per_all * started)
            at_start = tl.where(total > 0, x * (per_all * total_end), at_end)
            above += (run - bend) * share
            precision += rise * at_end
            linear += rise * (at_start + at_end)
            moved = ((negatives - y) * rise + run * x) * per_square
            misses += ((positives - x) * x_end + (positives - x_end) * x) * per_square * moved
            alarms += false_alarms * moved
        tp_open = tl.where(latest >= 0, tp + (latest & 0xFFFF), tp_open)
        row_open = tl.where(latest >= 0, start + (latest >> 16), row_open)
        tp += number
    out = results + span * 11
    tl.store(out, tl.sum(below, 0))
    tl.store(out + 1, tl.sum(lost, 0) * positives)
    tl.store(out + 2, tl.sum(above, 0))
    tl.store(out + 3, tl.sum(precision, 0))
    tl.store(out + 4, tl.sum(linear, 0) / 2)
    tl.store(out + 5, tl.sum(misses, 0) / 2)
    tl.store(out + 6, tl.sum(alarms, 0) / 2)
    tl.store(out + 7, (pairs + tl.sum(negatives_here.to(tl.int64), 0)).to(tl.float64))
    tl.store(out + 8, tl.sum(boxes, 0))
    tl.store(out + 9, open_rise)
    tl.store(out + 10, open_run)


@triton.jit
def _edge_over(chain, length, row):
    """Return the number of the edge over a row: that of the last vertex at or before it."""
    edge = row * 0
    step = edge + (1 << 30)
    while step > 0:
        ahead = edge + step
        vertex = tl.load(chain + ahead * 2, mask=ahead < length, other=0x7FFFFFFFFFFFFFFF)
        edge = tl.where(vertex <= row, ahead, edge)
        step = step // 2
    return edge


@triton.jit
def _edge_from(chain, length, edge, row):
    """Return the same for a row behind another, from the edge over that one on."""
    while tl.load(chain + (edge + 1) * 2, mask=edge + 1 < length, other=0x7FFFFFFFFFFFFFFF) <= row:
        edge += 1
    return edge


@triton.jit
def _height(tp, fp, chain, length, edge):
    """Return how far points lie above the line of an edge, in units of that edge."""
    at = chain + tl.minimum(edge, length - 2) * 2
    row, y = tl.load(at), tl.load(at + 1)
    rise = tl.load(at + 3) - y
    run = tl.load(at + 2) - row - rise
    return (tp - y) * run - (fp - (row - y)) * rise


@triton.jit(do_not_specialize=["tiles", "room"])
def find_highest(
    keys, size, tiles, counts, chain, state, room, SPANS: tl.constexpr, TILE: tl.constexpr
):
    """Append to a chain, of each tile, the point highest above it; see `triton_launch.hull_rows`.

    The state of a chain is its length, and the number of points with those appended.
    """
    span = tl.program_id(0).to(tl.int64)
    spans = tl.arange(0, SPANS)
    tp = tl.sum(tl.load(counts + spans * 3, mask=spans < span, other=0), 0)
    inside = tl.arange(0, TILE)
    length = tl.load(state)
    edge = _edge_over(chain, length, span * tiles * TILE)
    end = tl.minimum((span + 1) * tiles, tl.cdiv(size, TILE))
    # The interpreter returns from a line of its own.
    for tile in range(span * tiles, end):  # pragma: no branch
        rows, _, label, begins = _load_tile(keys, tile, size, TILE)
        positives = tl.sum(label, 0)
        edge = _edge_from(chain, length, edge, tile * TILE)
        if _height(tp + positives, tile * TILE - tp, chain, length, edge) > 0:
            before = tp + tl.cumsum(label, 0) - label
            height = _height(before, rows - before, chain, length, edge)
            height = tl.where(begins, height, 0)
            highest = tl.max(height, 0)
            chosen = tl.min(tl.where(height == highest, inside, TILE), 0)
            if highest > 0:
                place = tl.atomic_add(state + 1, 1, sem="relaxed")
                tl.store(chain + place * 2, tile * TILE + chosen, mask=place < room)
                tp_there = tl.sum(tl.where(inside == chosen, before, 0), 0)
                tl.store(chain + place * 2 + 1, tp_there, mask=place < room)
        tp += positives


@triton.jit(do_not_specialize=["tiles", "room"])
def find_above(
    keys, size, tiles, counts, chain, state, room, SPANS: tl.constexpr, TILE: tl.constexpr
):
    """Append to a chain all points above it; it has two vertices in a tile at most."""
    span = tl.program_id(0).to(tl.int64)
    spans = tl.arange(0, SPANS)
    tp = tl.sum(tl.load(counts + spans * 3, mask=spans < span, other=0), 0)
    length = tl.load(state)
    edge = _edge_over(chain, length, span * tiles * TILE)
    end = tl.minimum((span + 1) * tiles, tl.cdiv(size, TILE))
    # The interpreter returns from a line of its own.
    for tile in range(span * tiles, end):  # pragma: no branch
        rows, _, label, begins = _load_tile(keys, tile, size, TILE)
        positives = tl.sum(label, 0)
        edge = _edge_from(chain, length, edge, tile * TILE)
        highest, fewest = tp + positives, tile * TILE - tp
        reaches = _height(highest, fewest, chain, length, edge) > 0
        reaches |= _height(highest, fewest, chain, length, edge + 1) > 0
        reaches |= _height(highest, fewest, chain, length, edge + 2) > 0
        if reaches:
            before = tp + tl.cumsum(label, 0) - label
            above = _height(before, rows - before, chain, length, edge) > 0
            above |= _height(before, rows - before, chain, length, edge + 1) > 0
            above |= _height(before, rows - before, chain, length, edge + 2) > 0
            chosen = (begins & above).to(tl.int64)
            many = tl.sum(chosen, 0)
            if many > 0:
                place = tl.atomic_add(state + 1, many, sem="relaxed") + tl.cumsum(chosen, 0) - 1
                fits = (chosen > 0) & (place < room)
                tl.store(chain + place * 2, rows, mask=fits)
                tl.store(chain + place * 2 + 1, before, mask=fits)
        tp += positives


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
