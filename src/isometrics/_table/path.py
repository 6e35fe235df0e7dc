"""The way from the empty rule to the always-positive one through count space, cut into pieces.

Areas in every space are sums over straight pieces of this way. Whole pieces come in blocks of
arrays that stay in the processor's cache; the one or two pieces that a range cuts come one at a
time, their ends computed with fractions and rounded once.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics._counting.curves import sums_along
from isometrics._table.table import Table
from isometrics.errors import NoCurveError, NotAnswerableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from isometrics._core.arrays import Counts, Floats

BLOCK = 1 << 14


class Segments(NamedTuple):
    """Straight segments from (x, y) to (x_end, y_end), which lie (rise, run) apart."""

    x: Floats
    y: Floats
    x_end: Floats
    y_end: Floats
    rise: Floats
    run: Floats


class Pieces(NamedTuple):
    """Parts of segments: from `begin` to `end`, measured along the rise of the whole segment."""

    part: Segments
    whole: Segments
    begin: Floats
    end: Floats


class Path(NamedTuple):
    """A nested sequence of counts: x and y never fall."""

    x: Counts
    y: Counts

    def flipped(self) -> Path:
        """Exchange the axes."""
        return Path(self.y, self.x)

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The first and the last x, exactly."""
        return self.at(0)[0], self.at(-1)[0]

    def at(self, row: int) -> tuple[Fraction, Fraction]:
        """Return a row exactly."""
        return Fraction(self.x[row].item()), Fraction(self.y[row].item())

    def first_row_from(self, x: Fraction) -> int:
        """Return the first row with at least x."""
        if self.x.dtype.kind == "i":
            return int(np.searchsorted(self.x, math.ceil(x)))
        nearest = float(x)
        return int(np.searchsorted(self.x, nearest, "left" if nearest >= x else "right"))

    def crossing(self, x: Fraction) -> Fraction:
        """Return the smallest y at which the path reaches x, exactly."""
        row = self.first_row_from(x)
        (end_x, end_y) = self.at(row)
        if end_x == x:
            return end_y
        (start_x, start_y) = self.at(row - 1)
        return start_y + (end_y - start_y) * (x - start_x) / (end_x - start_x)

    def pieces(self, lo: Fraction, hi: Fraction) -> Iterator[Pieces]:
        """Yield the pieces between x = lo and x = hi, last ones first."""
        return self._pieces(lo, hi, self._block)

    def rising_pieces(self, lo: Fraction, hi: Fraction) -> Iterator[Pieces]:
        """Yield the pieces that rise between x = lo and x = hi, last ones first."""
        return self._pieces(lo, hi, self._rising_block)

    def cut_pieces(self, lo: Fraction, hi: Fraction) -> Iterator[Pieces]:
        """Yield only those pieces, two at most, that x = lo or x = hi cuts."""
        return self._pieces(lo, hi, lambda _start, _end: iter(()))

    def whole_sums(self, name: str, lo: Fraction, hi: Fraction) -> list[float] | None:
        """Return sums over the segments that neither x = lo nor x = hi cuts, if compiled.

        `name` is one of `kernels.curves.SUMS`.
        """
        first, last = self.first_row_from(lo), self.first_row_from(hi)
        last -= self.at(last)[0] > hi
        return sums_along(name, self.x, self.y, first, last)

    def _pieces(
        self, lo: Fraction, hi: Fraction, block: Callable[[int, int], Iterator[Pieces]]
    ) -> Iterator[Pieces]:
        first, last = self.first_row_from(lo), self.first_row_from(hi)
        if self.at(last)[0] > hi:
            yield self._cut(last, lo, hi)
            last -= 1
        for end in range(last, first, -BLOCK):
            yield from block(max(first, end - BLOCK), end)
        if first <= last and self.at(first)[0] > lo:
            yield self._cut(first, lo, hi)

    def _block(self, start: int, end: int) -> Iterator[Pieces]:
        x, y = self._floats(start, end)
        yield _whole(x[:-1], y[:-1], x[1:], y[1:])

    def _rising_block(self, start: int, end: int) -> Iterator[Pieces]:
        x, y = self._floats(start, end)
        rises = np.flatnonzero(x[1:] != x[:-1])
        if rises.size:
            ends = rises + 1
            yield _whole(x[rises], y[rises], x[ends], y[ends])

    def _floats(self, start: int, end: int) -> tuple[Floats, Floats]:
        """Return rows as floats, which hold counts up to 2**53 exactly."""
        rows = slice(start, end + 1)
        return (
            self.x[rows].astype(np.float64, copy=False),
            self.y[rows].astype(np.float64, copy=False),
        )

    def _cut(self, row: int, lo: Fraction, hi: Fraction) -> Pieces:
        """Return the part of the segment that ends in `row` between lo and hi."""
        (x, y), (x_end, y_end) = self.at(row - 1), self.at(row)
        rise, run = x_end - x, y_end - y
        begin, end = max(lo - x, Fraction(0)), min(hi - x, rise)
        slope = run / rise
        part = _rounded(x + begin, y + slope * begin, end - begin, slope * (end - begin))
        offsets = (np.array([float(begin)]), np.array([float(end)]))
        return Pieces(part, _rounded(x, y, rise, run), *offsets)


def _whole(x: Floats, y: Floats, x_end: Floats, y_end: Floats) -> Pieces:
    segments = Segments(x, y, x_end, y_end, x_end - x, y_end - y)
    return Pieces(segments, segments, np.zeros(1), segments.rise)


def _rounded(x: Fraction, y: Fraction, rise: Fraction, run: Fraction) -> Segments:
    values = (x, y, x + rise, y + run, rise, run)
    return Segments(*(np.array([float(value)]) for value in values))


def path_of(table: Table) -> Path:
    """Return the path of the table's curve, x = tp and y = fp, completed by both trivial rules."""
    if not table.has_whole_curve:
        raise NotAnswerableError(
            f"{table.name} cannot answer this exactly: the curve between its {table.size} rows is "
            "not known; ask area_brackets() for bounds, or build the full table"
        )
    if table.nested:
        return Path(table.tp, table.fp)
    tp = np.concatenate([[0], table.tp, [table.positives]])
    fp = np.concatenate([[0], table.fp, [table.negatives]])
    order = np.lexsort((fp, tp))
    tp, fp = tp[order], fp[order]
    falls = np.flatnonzero(fp[1:] < fp[:-1])
    if falls.size:
        one, other = sorted((order[falls[0]] - 1, order[falls[0] + 1] - 1))
        raise NoCurveError(
            f"rows {one} and {other} are not nested (one has more true positives, the other more "
            "false positives), so these points have no curve of their own; use their hull()"
        )
    return Path(tp, fp)
