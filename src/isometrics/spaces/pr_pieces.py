"""Area under precision over pieces of the path (x = tp, y = fp), in units of true positives.

`AREAS` maps the name of each interpolation to a factory of functions from `Pieces` to the area
under them. The pieces of one path must be given last ones first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from isometrics.path import Pieces, Segments

    Floats = NDArray[np.float64]


def area_below(pieces: Pieces) -> float:
    """Exact area under precision tp/(tp+fp), fp being linear in tp."""
    part = pieces.part
    return float(np.sum(part.rise * _mean_share(part.x, part.rise, part.y, part.run)))


def area_above(pieces: Pieces) -> float:
    """Exact area between precision and 1: that of fp/(tp+fp)."""
    part = pieces.part
    return float(np.sum(part.rise * _mean_share(part.y, part.run, part.x, part.rise)))


def _mean_share(one: Floats, one_step: Floats, other: Floats, other_step: Floats) -> Floats:
    """Mean of one/(one+other) while both move linearly by their steps.

    Notes
    -----
    With n = one+other and w = its step, ∫₀¹ (one + u·one_step)/(n + u·w) du =
    one_step/w + (one·other_step - one_step·other)/w² · ln(1 + w/n). Both terms are at most of
    the order of 1, so nothing is lost for short pieces; log1p keeps ln(1 + w/n)/w accurate.
    From the empty rule (n = 0) the share is constant.
    """
    total = one + other
    step = one_step + other_step
    with np.errstate(divide="ignore", invalid="ignore"):
        bend = (one * other_step - one_step * other) / step
        curved = bend * (np.log1p(step / total) / step)
    if total[0] == 0:
        curved[0] = 0.0
    return one_step / step + curved


def average_precision(pieces: Pieces) -> float:
    """Steps at the precision of the piece's end."""
    return float(np.sum((pieces.end - pieces.begin) * _precision_at_end(pieces.whole)))


def linear(pieces: Pieces) -> float:
    """Straight lines between the precisions of both ends."""
    whole = pieces.whole
    start, end = _precision_at_start(whole), _precision_at_end(whole)
    middle = (pieces.begin + pieces.end) / 2 / whole.rise
    return float(np.sum((pieces.end - pieces.begin) * (start + (end - start) * middle)))


def integer_steps(pieces: Pieces) -> float:
    """Straight lines between points at every whole number of true positives from the start on."""
    whole = pieces.whole
    if (whole.rise <= 1).all():
        return linear(pieces)
    if pieces.part is whole:
        return float(np.sum(_stepped(whole, whole.rise)))
    return float(np.sum(_stepped(whole, pieces.end) - _stepped(whole, pieces.begin)))


def _stepped(whole: Segments, upto: Floats) -> Floats:
    """Area from the segments' starts to `upto`, by steps of 1 and a remainder.

    Notes
    -----
    At k steps from the start precision is (x + k)/(n + a·k), a = 1 + run/rise, which is
    1/a + (x - q)/a · 1/(q + k) with q = n/a. The sum over k is a difference of harmonic
    numbers, so a segment of 1e12 steps costs no more than one of two.
    """
    start, end = _precision_at_start(whole), _precision_at_end(whole)
    growth = 1 + whole.run / whole.rise
    offset = (whole.x + whole.y) / growth

    def precision(steps: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            inside = (whole.x + steps) / (growth * (offset + steps))
        constant = offset == 0
        return np.where(constant, end, np.where(steps == 0, start, np.where(steps >= whole.rise, end, inside)))

    full = np.maximum(np.ceil(upto) - 1, 0)
    inner = full / growth + (whole.x - offset) / growth * _harmonic(offset, full)
    before = precision(full)
    after_step = np.minimum(full + 1, whole.rise)
    rest = upto - full
    after = before + (precision(after_step) - before) * rest / (after_step - full)
    whole_steps = np.where(full > 0, start / 2 + inner - before / 2, 0.0)
    return whole_steps + rest * (before + after) / 2


_DIRECT = 24


def _harmonic(offset: Floats, count: Floats) -> Floats:
    """Sum of 1/(offset + k) for k = 1 … count, to full relative precision.

    The first terms are added one by one; from there the Euler-Maclaurin series of the digamma
    function converges at once. Its differences are factored, so they do not cancel.
    """
    total = np.zeros(np.broadcast(offset, count).shape)
    for k in range(1, _DIRECT + 1):
        total += np.where(k <= count, 1 / (offset + k), 0.0)
    low = offset + _DIRECT + 1
    steps = np.maximum(count - _DIRECT, 0)
    high = low + steps
    # ψ(high) - ψ(low), ψ(z) = ln z - 1/(2z) - 1/(12z²) + 1/(120z⁴) - 1/(252z⁶) + …
    gap = steps / (low * high)
    squares = gap * (1 / low + 1 / high)
    fourths = squares * (1 / low**2 + 1 / high**2)
    sixths = 1 / low**6 - 1 / high**6
    return total + np.log1p(steps / low) + gap / 2 + squares / 12 - fourths / 120 + sixths / 252


def max_precision() -> Callable[[Pieces], float]:
    """Steps at the best precision at this recall or a higher one."""
    best = 0.0

    def area(pieces: Pieces) -> float:
        nonlocal best
        ends = _precision_at_end(pieces.whole)
        ahead = np.maximum(np.maximum.accumulate(ends[::-1])[::-1], best)
        best = float(ahead[0])
        return float(np.sum((pieces.end - pieces.begin) * ahead))

    return area


def _precision_at_end(whole: Segments) -> Floats:
    tp = whole.x + whole.rise
    return tp / (tp + (whole.y + whole.run))


def _precision_at_start(whole: Segments) -> Floats:
    """Precision where the segment starts; from the empty rule, that of its end."""
    predicted = whole.x + whole.y
    if predicted[0] == 0:
        predicted[0] = 1.0
        precision = whole.x / predicted
        precision[0] = whole.rise[0] / (whole.rise[0] + whole.run[0])
        return precision
    return whole.x / predicted


AREAS: dict[str, Callable[[], Callable[[Pieces], float]]] = {
    "davis-goadrich": lambda: area_below,
    "average-precision": lambda: average_precision,
    "linear": lambda: linear,
    "integer-steps": lambda: integer_steps,
    "max-precision": max_precision,
}
"""A fresh area function for each interpolation."""
