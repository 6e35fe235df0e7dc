"""The worst and the best order of the rows inside bins, by array operations on their counts."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from isometrics._core.arrays import to_host
from isometrics._counting import segments
from isometrics._counting.array_api import DeviceSums, Ends, Groups, baseline_of, terms_of
from isometrics._counting.device_hull import hull_of_groups

if TYPE_CHECKING:
    from isometrics._counting.curves import HullRows, Vertices

SPACING = 1 << 7
"""Bins between those whose hull tells which others may be on it."""


class Bins(NamedTuple):
    """Counts of bins, on a device."""

    counts: Any
    """Negatives and positives of each bin, from the lowest one on."""
    several: Any
    """Which bins may hold several scores; rows of the others are tied."""


class BinWays:
    """The worst way through bins, where negatives of each come first, and the best one.

    Parameters
    ----------
    xp
        The array API of the library that the counts belong to.
    bins
        The bins, which hold all rows.
    positives, negatives
        The totals of both classes.

    Notes
    -----
    No area rises where no true positives do, and no vertex of a hull is there but its last one. So
    only bins with positives are looked at.
    """

    def __init__(self, xp: Any, bins: Bins, positives: int, negatives: int) -> None:
        self._xp = xp
        self.totals = positives, negatives
        negative, positive = (xp.flip(counts) for counts in (bins.counts[::2], bins.counts[1::2]))
        tp, fp = xp.cumulative_sum(positive), xp.cumulative_sum(negative)
        is_open, rows = xp.flip(bins.several) > 0, positive + negative
        self._any_open = xp.any(is_open & (rows > 0))
        gap = is_open & (rows > 1)
        (positive_bins,) = xp.nonzero(positive > 0)
        columns = (tp - positive, fp - negative, tp, fp)
        x, y, x_end, y_end = (xp.take(counts, positive_bins) for counts in columns)
        self._gap = xp.take(gap, positive_bins)
        self._ends = Groups(x, y, x_end, y_end, x_end)
        self._worst = self._ends._replace(fp_before=xp.where(self._gap, y_end, y))
        self._best = self._ends._replace(fp=xp.where(self._gap, y, y_end))

    @cached_property
    def is_exact(self) -> bool:
        """Whether no row lies in a bin of several scores."""
        return not bool(self._any_open)

    @cached_property
    def sums(self) -> tuple[DeviceSums, DeviceSums]:
        """Sums that bound those of every order; see `isometrics.points.bounds.GapBounds.pr`."""
        xp, gap = self._xp, self._gap
        low, high = (self._terms(way) for way in (self._worst, self._best))
        tied = self._tied_steps()
        # Where the steps of a gap lie is not known. They are lowest if they are many; straight
        # lines lie below the curve, and are highest if they are many.
        low["integer_steps"] = xp.where(gap, low["linear"], tied)
        high["integer_steps"] = xp.where(gap, high["davis_goadrich"], tied)
        low["average_precision"] = xp.where(gap, low["davis_goadrich"], low["average_precision"])
        high["linear"] = xp.where(gap, high["davis_goadrich"], high["linear"])
        terms = [*low.values(), *high.values()]
        crossings = [each for way in (self._worst, self._best) for each in self._crossing(way)]
        # One wait for the device.
        parts = [xp.stack([xp.sum(each) for each in terms]), xp.concat(crossings)]
        found = to_host(xp.concat(parts)).tolist()
        size = len(low)
        names = list(low)

        def sums(start: int, corner: int) -> DeviceSums:
            named = dict(zip(names, found[start : start + size], strict=True))
            ends = map(int, found[2 * size + corner : 2 * size + corner + 4])
            return DeviceSums(crossing=Ends(*ends), **named)

        return sums(0, 0), sums(size, 4)

    def _terms(self, way: Groups) -> dict[str, Any]:
        """Return the terms of each bin by the names of `DeviceSums`."""
        xp, (positives, negatives) = self._xp, self.totals
        baseline = baseline_of(positives, negatives)
        x, y, x_end, y_end = (xp.astype(counts, xp.float64) for counts in way[:4])
        below, lost, above, average_precision, linear, *_ = terms_of(
            xp, way, positives, negatives, baseline
        )
        best = _highest_from_here(xp, x_end / (x_end + y_end))
        return {
            "pairs": (x_end - x) * ((negatives - y) + (negatives - y_end)),
            "davis_goadrich": below,
            "lost": lost,
            "above": above,
            "average_precision": average_precision,
            "linear": linear,
            "max_precision": (x_end - x) * best,
        }

    def _tied_steps(self) -> Any:
        """Return the areas of integer steps of bins with one score; others have any."""
        xp = self._xp
        x, y, x_end, y_end = (xp.astype(counts, xp.float64) for counts in self._ends[:4])
        rise, run = x_end - x, y_end - y
        at_end = x_end / (x_end + y_end)
        at_start = xp.where(x + y > 0, x / xp.where(x + y > 0, x + y, x_end), at_end)
        if not bool(xp.any(~self._gap & (rise > 1))):
            return segments.area_of_line(rise, at_start, at_end)
        growth = 1 + run / rise
        inner = segments.whole_steps(xp, x, (x + y) / growth, growth, rise - 1)
        return inner + (at_start + at_end) / 2

    def _crossing(self, way: Groups) -> list[Any]:
        """Return the counts before and behind the bin where the recall gain is 0."""
        xp = self._xp
        row = xp.sum(xp.astype(way.tp < baseline_of(*self.totals), xp.int64))
        at = xp.reshape(row, (1,))
        return [xp.astype(xp.take(counts, at), xp.float64) for counts in way[:4]]

    def hull(self, vertices: Vertices, *, best: bool) -> HullRows:
        """Return the vertices of the hull of the bins' ends, or of the best way.

        The worst way has the hull of the ends: its other corners lie to the right of them.
        """
        xp = self._xp
        ways = self._best if best else self._ends
        positives, negatives = self.totals
        last = Groups(*(counts[-1:] for counts in ways))
        last = last._replace(
            tp=xp.full_like(last.tp, positives), fp=xp.full_like(last.fp, negatives)
        )
        rows = Groups(*(xp.concat(pair) for pair in zip(ways, last, strict=True)))
        return hull_of_groups(xp, lambda: [rows], vertices, SPACING)


def _highest_from_here(xp: Any, values: Any) -> Any:
    """Return the highest of each value and all behind it; the standard has no such function."""
    shift = 1
    while shift < values.shape[0]:
        values = xp.concat([xp.maximum(values[:-shift], values[shift:]), values[-shift:]])
        shift *= 2
    return values
