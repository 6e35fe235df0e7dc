"""Area under precision over pieces of the path (x = tp, y = fp), in units of true positives.

`AREAS` maps the name of each interpolation to a factory of functions from `PrecisionPieces` to
the area under them. The pieces of one path must be given last ones first.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from isometrics.aliases import Floats
    from isometrics.path import Pieces


class PrecisionPieces:
    """Pieces with the precisions at the ends of their whole segments, computed once."""

    def __init__(self, pieces: Pieces) -> None:
        self.part, self.whole, self.begin, self.end = pieces

    @property
    def width(self) -> Floats:
        """The rise of each part."""
        return self.part.rise

    @cached_property
    def precision_at_end(self) -> Floats:
        """Precision where the segment ends."""
        return self.whole.x_end / (self.whole.x_end + self.whole.y_end)

    @cached_property
    def precision_at_start(self) -> Floats:
        """Precision where the segment starts; from the empty rule, that of its end."""
        predicted = self.whole.x + self.whole.y
        from_nothing = predicted[0] == 0
        if from_nothing:
            predicted[0] = 1.0
        precision = self.whole.x / predicted
        if from_nothing:
            precision[0] = self.precision_at_end[0]
        return precision


_LARGEST = np.finfo(np.float64).max


def area_below(pieces: PrecisionPieces) -> float:
    """Exact area under precision tp/(tp+fp), fp being linear in tp."""
    return float(np.sum(_areas_below(pieces)))


def _areas_below(pieces: PrecisionPieces) -> Floats:
    part = pieces.part
    return _areas_of_share(part.rise, part.x, part.rise, part.y, part.run)


def area_above(pieces: PrecisionPieces) -> float:
    """Exact area between precision and 1: that of fp/(tp+fp)."""
    part = pieces.part
    return float(np.sum(_areas_of_share(part.rise, part.y, part.run, part.x, part.rise)))


def _areas_of_share(
    width: Floats, one: Floats, one_step: Floats, other: Floats, other_step: Floats
) -> Floats:
    """Areas under one/(one+other) while both move linearly by their steps.

    Notes
    -----
    With n = one+other and w = its step, ∫₀¹ (one + u·one_step)/(n + u·w) du =
    (one_step + (one·other_step - one_step·other)/w · ln(1 + w/n))/w. Both terms are at most of
    the order of 1, so nothing is lost for short pieces; log1p keeps ln(1 + w/n)/w accurate.
    From the empty rule (n = 0) the share is constant.
    """
    total = one + other
    if total[0] == 0:
        total[0] = 1.0  # the logarithm's factor is 0 there
    step = one_step + other_step
    bend = one * other_step
    bend -= one_step * other
    bend /= step
    with np.errstate(over="ignore"):
        growth = step / total
    # A cut just behind the empty rule may overflow; precision is constant there, bend is 0.
    bend *= np.log1p(np.minimum(growth, _LARGEST, out=growth))
    bend += one_step
    bend /= step
    bend *= width
    return bend


def average_precision(pieces: PrecisionPieces) -> float:
    """Sum steps at the precision of the piece's end."""
    return float(np.sum(pieces.width * pieces.precision_at_end))


def linear(pieces: PrecisionPieces) -> float:
    """Sum under straight lines between the precisions of both ends."""
    whole = pieces.whole
    start, end = pieces.precision_at_start, pieces.precision_at_end
    if pieces.part is not whole:
        slope = (end - start) / whole.rise
        start, end = start + slope * pieces.begin, start + slope * pieces.end
    return float(np.sum(pieces.width * (start + end))) / 2


def integer_steps(pieces: PrecisionPieces) -> float:
    """Sum under straight lines between points at every true positive from the start on."""
    whole = pieces.whole
    if (whole.rise <= 1).all():
        return linear(pieces)
    stepped = _stepped(pieces, pieces.end) - _stepped(pieces, pieces.begin)
    # Floats cannot count further steps, whose area differs from the exact one by less than 1.
    uncountable = whole.rise > _MOST_STEPS
    if uncountable.any():
        stepped = np.where(uncountable, _areas_below(pieces), stepped)
    return float(np.sum(stepped))


def _stepped(pieces: PrecisionPieces, upto: Floats) -> Floats:
    """Area from the segments' starts to `upto`, by steps of 1 and a remainder.

    Notes
    -----
    At k steps from the start precision is (x + k)/(n + a·k), a = 1 + run/rise, which is
    1/a + (x - q)/a · 1/(q + k) with q = n/a. The sum over k is a difference of harmonic
    numbers, so a segment of 1e12 steps costs no more than one of two.
    """
    whole, start, end = pieces.whole, pieces.precision_at_start, pieces.precision_at_end
    growth = 1 + whole.run / whole.rise
    offset = (whole.x + whole.y) / growth

    def precision(steps: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            inside = (whole.x + steps) / (growth * (offset + steps))
        constant = offset == 0
        return np.where(
            constant, end, np.where(steps == 0, start, np.where(steps >= whole.rise, end, inside))
        )

    full = np.maximum(np.minimum(np.ceil(upto), _MOST_STEPS) - 1, 0)
    inner = full / growth + (whole.x - offset) / growth * _harmonic(offset, full)
    before = precision(full)
    after_step = np.minimum(full + 1, whole.rise)
    rest = upto - full
    after = before + (precision(after_step) - before) * rest / (after_step - full)
    whole_steps = np.where(full > 0, start / 2 + inner - before / 2, 0.0)
    area: Floats = whole_steps + rest * (before + after) / 2
    return area


_MOST_STEPS = 2**53
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
    one, other = 1 / low, 1 / high
    gap = steps * one * other
    squares = gap * (one + other)
    fourths = squares * (one**2 + other**2)
    sixths = one**6 - other**6
    return total + np.log1p(steps / low) + gap / 2 + squares / 12 - fourths / 120 + sixths / 252


def max_precision() -> Callable[[PrecisionPieces], float]:
    """Return a sum of steps at the best precision at this recall or a higher one."""
    best = 0.0

    def area(pieces: PrecisionPieces) -> float:
        nonlocal best
        ends = pieces.precision_at_end
        ahead = np.maximum(np.maximum.accumulate(ends[::-1])[::-1], best)
        best = float(ahead[0])
        return float(np.sum(pieces.width * ahead))

    return area


AREAS: dict[str, Callable[[], Callable[[PrecisionPieces], float]]] = {
    "davis-goadrich": lambda: area_below,
    "average-precision": lambda: average_precision,
    "linear": lambda: linear,
    "integer-steps": lambda: integer_steps,
    "max-precision": max_precision,
}
"""A fresh area function for each interpolation."""
