"""Terms of straight segments of a path through count space, and how they are added up.

A segment leads from (x, y) to (x + rise, y + run). Areas in every space are sums of terms of
segments. Each formula is written once, with the four operations of floats alone: the same source
works on arrays of NumPy and on arrays of the array API; `native/formulas.h` has the same operations
in the same order for the compiled loops. They round in the same way everywhere, and sums are taken
in one order; so an area has the same bits whichever kernel computed it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats

CHUNK = 1 << 14
"""Segments that are added up together; the sums of chunks are added up exactly."""

LANES = 1 << 7
"""Terms of a chunk that stand so far apart are added up in turn, and lanes in pairs."""

SHORT, TINY = 1e-3, 1e-300
"""Steps below this share of all that is predicted have a logarithm that is a short series, where
that total has a reciprocal."""

SERIES = 0.1
"""Up to here the logarithm of 1 + value is a series; beyond, it is that of the C library."""

DIRECT = 24
"""Terms of a harmonic sum that are added one by one before a series takes over."""

LARGEST = float(np.finfo(np.float64).max)


class Segments(NamedTuple):
    """Straight segments from (x, y) to (x_end, y_end), which lie (rise, run) apart."""

    x: Floats
    y: Floats
    x_end: Floats
    y_end: Floats
    rise: Floats
    run: Floats

    @classmethod
    def between(cls, x: Floats, y: Floats, x_end: Floats, y_end: Floats) -> Segments:
        """Return the segments between points."""
        return cls(x, y, x_end, y_end, x_end - x, y_end - y)


class Ends(NamedTuple):
    """A group of tied rows: the counts before and behind it."""

    tp_before: int
    fp_before: int
    tp: int
    fp: int


class DeviceSums(NamedTuple):
    """Sums over all groups of tied rows."""

    pairs: int
    """Twice the pairs of a positive and a negative in the right order, ties counted half."""
    crossing: Ends
    """Where the true positives reach the baseline, a recall gain of 0."""
    davis_goadrich: float
    """The area in PR space, in units of true positives."""
    lost: float
    """The area between the PRG curve and 1 behind the crossing, without its factors."""
    above: float = math.nan
    """This and the next two are further areas in PR space; NaN where they were not asked for."""
    average_precision: float = math.nan
    linear: float = math.nan
    misses: float = math.nan
    """This and the next are the sums for the expected losses behind the crossing."""
    false_alarms: float = math.nan


def baseline_of(positives: int, negatives: int) -> int:
    """Return the fewest true positives with a recall gain of 0 or more."""
    return -(-(positives**2) // (positives + negatives))


# ---------------------------------------------------------------------- formulas


def log_rate(total: Any, step: Any) -> Any:
    """Return ln(1 + step/total)/step for a step that is short against the total.

    It is 2·artanh(z/2)/step with z = 2·step/(2·total + step); what the series leaves out is below
    1e-21 of the rest.
    """
    # Here and below arrays are changed in place, which saves fetching memory.
    middle = 2 * total
    middle += step
    per_middle = 2 / middle
    square = step * per_middle
    square *= square
    series = square * (1 / 80)
    series += 1 / 12
    series *= square
    series += 1
    series *= per_middle
    return series


def log1p_series(value: Any) -> Any:
    """Return ln(1 + value) for 0 <= value <= `SERIES`, as 2·artanh(value/(2 + value)).

    What the series leaves out is below 1e-19 of the rest.
    """
    ratio = value / (2 + value)
    square = ratio * ratio
    series = square * (1 / 13)
    series += 1 / 11
    series *= square
    series += 1 / 9
    series *= square
    series += 1 / 7
    series *= square
    series += 1 / 5
    series *= square
    series += 1 / 3
    series *= square
    series += 1
    ratio *= 2
    series *= ratio
    return series


def bend(x: Any, y: Any, rise: Any, run: Any, rate: Any) -> Any:
    """Return what a segment has in precision beyond the share of positives on it.

    `rate` is ln(1 + step/total)/step, with the total x + y and the step rise + run.
    """
    bent = x * run
    bent -= rise * y
    bent *= rate
    return bent


def area_below(rise: Any, step: Any, bent: Any) -> Any:
    """Area under precision x/(x + y) over a segment, exactly; `bent` is its `bend`.

    Notes
    -----
    False positives are linear in true ones (Davis & Goadrich 2006, section 4). With n = x + y and
    w = rise + run, ∫₀¹ (x + u·rise)/(n + u·w) du = (rise + (x·run - rise·y)·ln(1 + w/n)/w)/w. Both
    terms are at most of the order of w, so nothing is lost for short segments. From the empty rule
    (n = 0) precision is constant, and the bend is 0.
    """
    area = rise / step
    area *= rise + bent
    return area


def area_above(rise: Any, run: Any, step: Any, bent: Any) -> Any:
    """Area between precision and 1, exactly: that of y/(x + y)."""
    area = rise / step
    area *= run - bent
    return area


def area_of_step(rise: Any, precision_at_end: Any) -> Any:
    """Area of a step at the precision of the segment's end: average precision."""
    return rise * precision_at_end


def area_of_line(rise: Any, precision: Any, precision_at_end: Any) -> Any:
    """Area under a straight line between the precisions of both ends."""
    area = precision + precision_at_end
    area *= rise
    area *= 0.5
    return area


def gain_loss(x: Any, y: Any, x_end: Any, y_end: Any, rise: Any) -> Any:
    """Return (1/x - 1/x′)·(y/x + y′/x′), what the area above a PRG curve is made of."""
    return (rise / x) * (y / x + y_end / x_end) / x_end


def gain_loss_at_once(x: Any, y: Any, x_end: Any, y_end: Any, rise: Any) -> Any:
    """Return the same with one division, for weights whose fourth powers floats can hold."""
    inverse = 1 / (x * x_end)
    return rise * inverse * inverse * (y * x_end + y_end * x)


def doubled_area(rise: Any, y: Any, y_end: Any) -> Any:
    """Twice the area under y over x."""
    return rise * (y + y_end)


BELOW, ABOVE, STEPS, LINES, LOST, DOUBLED, DOUBLED_WHOLE = range(7)
"""The formulas by the numbers that compiled loops know. The last is for integers: where the doubled
areas of a chunk stay below 2**53, no order of adding them up changes their sum."""

# ---------------------------------------------------------------------- arrays of any library


def harmonic(xp: Any, offset: Any, count: Any) -> Any:
    """Return the sum of 1/(offset + k) for k = 1 … count, to full relative precision.

    The first terms are added one by one; from there the Euler-Maclaurin series of the digamma
    function converges at once. Its differences are factored, so they do not cancel.
    """
    total = nothing = xp.zeros_like(offset + count)
    for k in range(1, DIRECT + 1):
        total = total + xp.where(k <= count, 1 / (offset + k), nothing)
    low = offset + (DIRECT + 1)
    steps = xp.where(count > DIRECT, count - DIRECT, nothing)
    high = low + steps
    # ψ(high) - ψ(low), ψ(z) = ln z - 1/(2z) - 1/(12z²) + 1/(120z⁴) - 1/(252z⁶) + …
    one, other = 1 / low, 1 / high
    gap = steps * one * other
    squares = gap * (one + other)
    fourths = squares * (one**2 + other**2)
    sixths = one**6 - other**6
    return total + xp.log1p(steps / low) + gap / 2 + squares / 12 - fourths / 120 + sixths / 252


def whole_steps(xp: Any, x: Any, offset: Any, growth: Any, count: Any) -> Any:
    """Return the sum of the precisions at 1, 2, … count true positives behind a segment's start.

    Notes
    -----
    At k steps from the start precision is (x + k)/(n + a·k), a = 1 + run/rise being the growth,
    which is 1/a + (x - q)/a · 1/(q + k) with the offset q = n/a. The sum over k is a difference of
    harmonic numbers, so a segment of 1e12 steps costs no more than one of two.
    """
    return count / growth + (x - offset) / growth * harmonic(xp, offset, count)


# ---------------------------------------------------------------------- arrays of NumPy


def log_rates(total: Floats, step: Floats) -> Floats:
    """Return ln(1 + step/total)/step of many segments.

    Long steps are few, because each adds its share to what the next ones start from. The logarithms
    of NumPy are not used for them: they depend on what the processor can do.
    """
    is_long = step >= SHORT * total
    if min(total[:2].tolist()) < TINY:  # totals rise, but for the first one
        is_long |= total < TINY
    (long,) = is_long.nonzero()
    if long.size == total.size:
        return _long_rates(total, step)
    rates: Floats = log_rate(total, step)
    if long.size:
        rates[long] = _long_rates(total.take(long), step.take(long))
    return rates


def _long_rates(total: Floats, step: Floats) -> Floats:
    # What overflows, just behind the empty rule, is multiplied by 0.
    with np.errstate(over="ignore", invalid="ignore"):
        rates = _log1p(np.minimum(step / total, LARGEST))
        rates /= step
    return np.minimum(rates, LARGEST, out=rates)


def _log1p(values: Floats) -> Floats:
    logs: Floats = log1p_series(values)
    (large,) = (values > SERIES).nonzero()
    if large.size:
        logs[large] = list(map(math.log1p, values.take(large).tolist()))
    return logs


def added_up(terms: Iterable[Floats], lane: NDArray[np.intp] | None = None) -> list[float]:
    """Add up the terms of a chunk by each of some formulas, in the order of the compiled loops.

    `lane` has the lane of each term where those of some segments are left out.
    """
    if lane is None:
        lanes = [_in_lanes(each) for each in terms]
    else:
        lanes = [np.asarray(np.bincount(lane, each, LANES), np.float64) for each in terms]
    eight = _folded(lanes[0] if len(lanes) == 1 else np.array(lanes).T, 8)
    # Python adds up a few numbers faster than NumPy.
    return [
        ((a + e) + (c + g)) + ((b + f) + (d + h))
        for a, b, c, d, e, f, g, h in eight.reshape(8, -1).T.tolist()
    ]


def rows_added_up(terms: Floats) -> Floats:
    """Add up the terms of each row, in the same order."""
    return _folded(_in_lanes(terms.T), 1).ravel()


def _in_lanes(terms: Floats) -> Floats:
    """Add up terms that stand `LANES` rows apart."""
    size = terms.shape[0]
    full = size - size % LANES
    lanes = np.zeros((LANES, *terms.shape[1:]))
    lanes[: size - full] = terms[full:]
    if full:
        # The rest comes last.
        lanes += np.add.reduce(terms[:full].reshape(-1, *lanes.shape), axis=0)
    return lanes


def _folded(lanes: Floats, down_to: int) -> Floats:
    """Add up lanes in pairs, until so many rows are left."""
    size = LANES
    while size > down_to:
        size //= 2
        lanes = lanes[:size] + lanes[size:]
    return lanes
