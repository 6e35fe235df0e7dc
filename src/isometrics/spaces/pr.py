"""PR space: precision over recall, where the way between two points is a curve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.parameters import check_choice, check_range, parse_positions
from isometrics._core.results import Value
from isometrics._counting import segments
from isometrics._table.path import Path, exact_share, path_of
from isometrics._table.table import KnownArea, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import ArrayLike

    from isometrics._core.arrays import Floats, Total
    from isometrics._counting.confusion import Totals
    from isometrics._table.path import Pieces, Terms


def area_below(pieces: Pieces) -> Any:
    """Exact areas under precision tp/(tp+fp), fp being linear in tp."""
    return segments.area_below(pieces.part.rise, pieces.step, pieces.bend)


def area_above(pieces: Pieces) -> Any:
    """Exact areas between precision and 1: those of fp/(tp+fp)."""
    return segments.area_above(pieces.part.rise, pieces.part.run, pieces.step, pieces.bend)


def average_precision(pieces: Pieces) -> Any:
    """Areas of steps at the precision of the piece's end."""
    return segments.area_of_step(pieces.part.rise, pieces.precision_at_end)


def linear(pieces: Pieces) -> Any:
    """Areas under straight lines between the precisions of both ends."""
    whole = pieces.whole
    start, end = pieces.precision_at_start, pieces.precision_at_end
    if pieces.part is not whole:
        slope = (end - start) / whole.rise
        start, end = start + slope * pieces.begin, start + slope * pieces.end
    return segments.area_of_line(pieces.part.rise, start, end)


def integer_steps(pieces: Pieces) -> Any:
    """Areas under straight lines between points at every true positive from the start on."""
    whole = pieces.whole
    if whole.rise.max() <= 1:
        return linear(pieces)
    stepped = _stepped(pieces, pieces.end) - _stepped(pieces, pieces.begin)
    # Floats cannot count further steps, whose area differs from the exact one by less than 1.
    uncountable = whole.rise > _MOST_STEPS
    if uncountable.any():
        stepped = np.where(uncountable, area_below(pieces), stepped)
    return stepped


def _stepped(pieces: Pieces, upto: Floats) -> Floats:
    """Area from the segments' starts to `upto`, by steps of 1 and a remainder.

    See `segments.whole_steps` for their sum.
    """
    whole, start, end = pieces.whole, pieces.precision_at_start, pieces.precision_at_end
    with np.errstate(over="ignore"):
        # Beyond the largest float no step is whole, and nothing is added up.
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
    inner = segments.whole_steps(np, whole.x, offset, growth, full)
    before = precision(full)
    after_step = np.minimum(full + 1, whole.rise)
    rest = upto - full
    after = before + (precision(after_step) - before) * rest / (after_step - full)
    whole_steps = np.where(full > 0, start / 2 + inner - before / 2, 0.0)
    return np.asarray(whole_steps + rest * (before + after) / 2)


_MOST_STEPS = 2**53


def max_precision() -> Terms:
    """Return areas of steps at the best precision at this recall or a higher one."""
    best = 0.0

    def areas(pieces: Pieces) -> Floats:
        nonlocal best
        ends = pieces.precision_at_end
        ahead = np.maximum(np.maximum.accumulate(ends[::-1])[::-1], best)
        best = float(ahead[0])
        return np.asarray(pieces.part.rise * ahead)

    return areas


AREAS: dict[str, Callable[[], Terms]] = {
    "davis-goadrich": lambda: area_below,
    "average-precision": lambda: average_precision,
    "linear": lambda: linear,
    "integer-steps": lambda: integer_steps,
    "max-precision": max_precision,
}
"""A fresh area function for each interpolation."""

INTERPOLATIONS = tuple(AREAS)

COMPILED = {
    "davis-goadrich": segments.BELOW,
    "average-precision": segments.STEPS,
    "linear": segments.LINES,
    KnownArea.ABOVE: segments.ABOVE,
}
"""The areas for which there are compiled loops."""


def areas_along(
    path: Path, positives: Total, names: Iterable[str], lo: float = 0.0, hi: float = 1.0
) -> dict[str, float]:
    """Return the areas under a path of some interpolations between two recalls."""
    areas = {name: AREAS[name]() for name in names}
    if hi < 1 and "max-precision" in areas:
        # Its steps look ahead, so the pieces beyond the range are seen first.
        _sums(path, positives, {"max-precision": areas["max-precision"]}, hi, 1.0)
    sums = _sums(path, positives, areas, lo, hi)
    return {name: math.fsum(terms) / positives for name, terms in sums.items()}


def _sums(
    path: Path, positives: Total, areas: Mapping[str, Terms], lo: float, hi: float
) -> dict[str, list[float]]:
    ends = (exact_share(end, positives) for end in (lo, hi))
    return path.sums(areas, *ends, compiled=COMPILED)


def widest_gap(totals: Totals, lo: float = 0.0, hi: float = 1.0) -> float:
    """Return the area above the curve of the worst ranking, between two recalls."""
    positives, negatives = totals.positives, totals.negatives
    return negatives / positives * math.log1p(positives * (hi - lo) / (negatives + positives * lo))


@dataclass(frozen=True, slots=True, eq=False)
class PRSpace(Value):
    """The table seen in PR space.

    Notes
    -----
    Between two rows false positives are linear in true positives, so precision is a curve (Davis
    & Goadrich 2006, section 4). From the empty rule to the first row precision is constant; no
    point (recall 0, precision 1) is invented.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> round(pts.pr.area(), 6)
    0.797267
    >>> round(pts.pr.area("average-precision"), 6)
    0.833333
    """

    table: Table

    @property
    def x(self) -> Floats:
        """Recall of each row."""
        return self.table.counts.recall

    @property
    def y(self) -> Floats:
        """Precision of each row; NaN for the empty rule."""
        return self.table.counts.precision

    def interpolate(self, x: ArrayLike) -> Floats:
        """Return the highest precision of the curve at the recalls `x`; at 0, its limit."""
        at = parse_positions(x, axis="recall")
        path = path_of(self.table)
        recalls = path.x / self.table.positives
        end = np.maximum(np.searchsorted(recalls, at, "left"), 1)
        start = end - 1
        rise = recalls[end] - recalls[start]
        share = np.divide(at - recalls[start], rise, out=np.ones(at.shape), where=rise > 0)
        fp = path.y[start] + share * (path.y[end] - path.y[start])
        tp = at * self.table.positives
        # The limit at a recall of 0 is that of the first row with true positives.
        first = int(np.searchsorted(path.x, 0, "right"))
        limit = 0.0 if path.y[first - 1] > 0 else path.x[first] / (path.x[first] + path.y[first])
        from_nothing = (path.x[start] == 0) & (path.y[start] == 0)
        constant = np.full(at.shape, float(limit))
        return np.asarray(np.divide(tp, tp + fp, out=constant, where=(at > 0) & ~from_nothing))

    def area(
        self, interpolation: str = "davis-goadrich", lo: float = 0.0, hi: float = 1.0
    ) -> float:
        """Return the area under the curve, over all or a part of the recalls.

        Parameters
        ----------
        interpolation
            ``"davis-goadrich"``: the exact area under the achievable interpolation.
            ``"average-precision"``: steps at the precision of the lower threshold, as
            scikit-learn's ``average_precision_score``.
            ``"linear"``: straight lines, which are optimistic; for comparison.
            ``"integer-steps"``: straight lines between points at every whole true positive,
            what the program of Davis & Goadrich prints.
            ``"max-precision"``: steps at the best precision reached at this recall or a higher
            one, the interpolated precision of information retrieval.
        lo, hi
            The range of recall.
        """
        return self.areas(lo, hi, interpolations=(interpolation,))[interpolation]

    def areas(
        self,
        lo: float = 0.0,
        hi: float = 1.0,
        *,
        interpolations: tuple[str, ...] = INTERPOLATIONS,
    ) -> dict[str, float]:
        """Return the areas of several interpolations, by default all, from one pass."""
        for interpolation in interpolations:
            check_choice(interpolation, "interpolation", INTERPOLATIONS)
        lo, hi = check_range(lo, hi, axis="recall")
        if (lo, hi) == (0, 1) and self.table.known.keys() >= set(interpolations):
            return {name: self.table.known[name] for name in interpolations}
        return areas_along(path_of(self.table), self.table.positives, interpolations, lo, hi)

    def normalised_area(self, lo: float = 0.0, hi: float = 1.0) -> float:
        """Return the exact area on a scale from 0, the worst ranking, to 1, a perfect one.

        Notes
        -----
        (AUPR - min)/(1 - min), with min = 1 + ((1-π)/π)·ln(1-π), Boyd et al. (2012). Written with
        the areas above the curves, 1 - (1 - AUPR)/(1 - min), it keeps its digits when π nears 1.
        """
        lo, hi = check_range(lo, hi, axis="recall")
        if (lo, hi) == (0, 1) and KnownArea.ABOVE in self.table.known:
            gap = self.table.known[KnownArea.ABOVE]
        else:
            above: dict[str, Terms] = {KnownArea.ABOVE: area_above}
            sums = _sums(path_of(self.table), self.table.positives, above, lo, hi)
            gap = math.fsum(sums[KnownArea.ABOVE]) / self.table.positives
        return 1 - gap / widest_gap(self.table.totals, lo, hi)
