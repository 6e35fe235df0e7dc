"""The path through count space from the empty rule to the always-positive one, in pieces.

Areas in every space are sums over straight pieces of this path. Whole pieces come in chunks of
arrays that stay in the processor's cache; the one or two pieces that a range cuts come one at a
time, their ends computed with fractions and rounded once.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from isometrics._core.results import read_only
from isometrics._counting import native, segments
from isometrics._counting.hull import vertices
from isometrics._counting.native import in_threads, threads_for
from isometrics._counting.segments import CHUNK, DOUBLED, DOUBLED_WHOLE, LANES, Segments
from isometrics._table.table import Kind, Table
from isometrics.errors import NoCurveError, NotAnswerableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts, Floats, Total


Exact: TypeAlias = Fraction | int | float
"""A number that is meant as it is, to the last bit."""

Terms: TypeAlias = "Callable[[Pieces], Floats]"
"""Returns one term of a sum for each of some pieces."""


class Pieces:
    """Parts of segments, x being true and y false positives, and what several formulas need.

    Parameters
    ----------
    part, whole
        The parts, and the segments they are parts of; the same where nothing is cut.
    begin, end
        Where each part begins and ends, measured along the rise of the whole segment.
    positions
        Where the pieces stand in a chunk of segments, if some are left out.
    """

    def __init__(
        self,
        part: Segments,
        whole: Segments | None = None,
        begin: Floats | None = None,
        end: Floats | None = None,
        *,
        positions: NDArray[np.intp] | None = None,
    ) -> None:
        self.part = part
        self.whole = part if whole is None else whole
        self.begin = np.zeros(1) if begin is None else begin
        self.end = part.rise if end is None else end
        self._lane = None if positions is None else positions & (LANES - 1)

    def totals(self, terms: Iterable[Terms]) -> list[float]:
        """Add up each of some terms over the pieces, in the one order that all kernels have."""
        values = (terms_of(self) for terms_of in terms)
        if self.part.x.size == 1:
            return [value.item() + 0.0 for value in values]  # sums are never -0.0
        return segments.added_up(values, self._lane)

    @cached_property
    def step(self) -> Floats:
        """How much each part adds to all that is predicted positive."""
        return self.part.rise + self.part.run

    @cached_property
    def bend(self) -> Floats:
        """The bend of each part; see `segments.bend`."""
        x, y, _, _, rise, run = self.part
        rates = segments.log_rates(_or_one(x + y), self.step)
        bend: Floats = segments.bend(x, y, rise, run, rates)
        return bend

    @cached_property
    def precision_at_end(self) -> Floats:
        """Precision where the segment ends."""
        return self.whole.x_end / (self.whole.x_end + self.whole.y_end)

    @cached_property
    def precision_at_start(self) -> Floats:
        """Precision where the segment starts; from the empty rule, that of its end."""
        predicted = self.whole.x + self.whole.y
        from_nothing = predicted == 0
        precision = self.whole.x / _or_one(predicted)
        precision[from_nothing] = self.precision_at_end[from_nothing]
        return precision


def _or_one(predicted: Floats) -> Floats:
    """Replace 0 by 1 in divisors: where a segment begins at the empty rule."""
    predicted[predicted == 0] = 1.0
    return predicted


def exact_share(share: float, total: Total) -> Exact:
    """Return a share of a total, not rounded."""
    if share in (0, 1):
        return total if share else 0
    return Fraction(share) * Fraction(total)


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

    def first_row_from(self, x: Exact) -> int:
        """Return the first row with at least x."""
        if self.x.dtype.kind == "i":
            return int(self.x.searchsorted(math.ceil(x)))
        nearest = float(x)
        return int(self.x.searchsorted(nearest, "left" if nearest >= x else "right"))

    def crossing(self, x: Fraction) -> Fraction:
        """Return the smallest y at which the path reaches x, exactly."""
        row = self.first_row_from(x)
        (end_x, end_y) = self.at(row)
        if end_x == x:
            return end_y
        (start_x, start_y) = self.at(row - 1)
        return start_y + (end_y - start_y) * (x - start_x) / (end_x - start_x)

    def sums(
        self,
        terms: Mapping[str, Terms],
        lo: Exact,
        hi: Exact,
        *,
        compiled: Mapping[str, int],
        rising: bool = True,
    ) -> dict[str, list[float]]:
        """Return sums of terms over chunks of the path between x = lo and x = hi, last ones first.

        Parameters
        ----------
        terms
            Functions of pieces, by name.
        lo, hi
            The ends; the piece that an end cuts has a sum of its own.
        compiled
            Which of them have a compiled loop; see `segments.BELOW`.
        rising
            Whether pieces along which x does not rise have no terms, and are left out.
        """
        found: dict[str, list[float]] = {name: [] for name in terms}

        def add(pieces: Pieces, names: Iterable[str]) -> None:
            totals = pieces.totals(terms[name] for name in names)
            for name, total in zip(names, totals, strict=True):
                found[name].append(total)

        first, last = self.first_row_from(lo), self.first_row_from(hi)
        if self.x[last].item() > hi:
            add(self._cut(last, lo, hi), terms)
            last -= 1
        added_up = {
            name: sums_along(compiled[name], self.x, self.y, first, last)
            for name in terms.keys() & compiled.keys()
        }
        for chunk in reversed(range(-(-(last - first) // CHUNK))):
            left = []
            for name in terms:
                sums = added_up.get(name)
                if sums is None:
                    left.append(name)
                else:
                    found[name].append(sums[chunk])
            start = first + chunk * CHUNK
            pieces = self._chunk(start, min(start + CHUNK, last), rising) if left else None
            if pieces is not None:
                add(pieces, left)
        if first <= last and self.x[first].item() > lo:
            add(self._cut(first, lo, hi), terms)
        return found

    def _chunk(self, start: int, end: int, rising: bool) -> Pieces | None:
        rows = slice(start, end + 1)
        # Floats hold counts up to 2**53 exactly.
        x, y = (counts[rows].astype(np.float64, copy=False) for counts in self)
        if not rising:
            return Pieces(Segments.between(x[:-1], y[:-1], x[1:], y[1:]))
        (rises,) = (x[1:] != x[:-1]).nonzero()
        if rises.size == 0:
            return None
        parts = Segments.between(*(column.take(rises) for column in (x, y, x[1:], y[1:])))
        return Pieces(parts, positions=rises)

    def _cut(self, row: int, lo: Exact, hi: Exact) -> Pieces:
        """Return the part of the segment that ends in `row` between lo and hi.

        All numbers are integers over one scale, so that each result is rounded once.
        """
        counts = (column[index].item() for index in (row - 1, row) for column in self)
        ratios = [number.as_integer_ratio() for number in (*counts, lo, hi)]
        scale = math.lcm(*(denominator for _, denominator in ratios))
        x, y, x_end, y_end, low, high = (
            numerator * (scale // denominator) for numerator, denominator in ratios
        )
        rise, run = x_end - x, y_end - y
        begin, end = max(low - x, 0), min(high - x, rise)
        width, y_scale = end - begin, rise * scale
        part = (
            (x + begin) / scale,
            (y * rise + run * begin) / y_scale,
            (x + end) / scale,
            (y * rise + run * end) / y_scale,
            width / scale,
            run * width / y_scale,
        )
        whole = (number / scale for number in (x, y, x_end, y_end, rise, run))
        columns = np.array([*part, *whole, begin / scale, end / scale])[:, np.newaxis]
        return Pieces(Segments(*columns[:6]), Segments(*columns[6:12]), columns[12], columns[13])


def sums_along(which: int, x: Counts, y: Counts, start: int, end: int) -> list[float] | None:
    """Return sums of chunks of the segments between two rows; None where there are no loops.

    Parameters
    ----------
    which
        One of the formulas, such as `segments.BELOW`.
    x, y
        Counts along the path; x never falls.
    start, end
        The first and the last row.
    """
    if end <= start or not native.available():
        return None
    sums = np.empty(-(-(end - start) // CHUNK))
    # Counts are below 2**53, so that floats hold them too where the other ones are floats.
    dtype = np.int64 if x.dtype == y.dtype == np.int64 else np.float64
    x, y = (native.as_argument(counts[: end + 1], dtype) for counts in (x, y))
    which = DOUBLED_WHOLE if which == DOUBLED and dtype is np.int64 else which

    def add_up(_: int, first: int, last: int) -> None:
        part = sums[first:last]
        native.sum_chunks(which, x, y, x.size, start + first * CHUNK, part, part.size)

    threads = threads_for(end - start)
    in_threads(add_up, [sums.size * part // threads for part in range(threads + 1)])
    return sums.tolist()


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


NOTHING, EVERYTHING = "(nothing)", "(everything)"
"""Labels of the two trivial rules in the hull of a family of sets."""


def hull_of(table: Table) -> Table:
    """Return the vertices of the hull, from the empty rule to the always-positive one."""
    if table.kind is Kind.HULL:
        return table
    if not table.nested:
        table = ordered_with_ends(table)
    return table.take(hull_rows(table), Kind.HULL)


def hull_rows(table: Table) -> NDArray[np.intp]:
    """Return the vertices among rows in the order of a curve; they are computed once per table."""
    rows = table._hull_rows
    if rows is None:
        rows = read_only(vertices(table.fp, table.tp))
        object.__setattr__(table, "_hull_rows", rows)
    return rows


def ordered_with_ends(table: Table) -> Table:
    """Add the trivial rules and sort by false, then true positives."""
    widened = with_ends(table)
    return widened.take(np.lexsort((widened.tp, widened.fp)), table.kind)


def with_ends(table: Table) -> Table:
    """Add the trivial rules before and behind the rows."""
    tp = np.concatenate([[0], table.tp, [table.positives]])
    fp = np.concatenate([[0], table.fp, [table.negatives]])
    thresholds = np.concatenate([[np.inf], table.thresholds, [-np.inf]])
    labels = None if table.labels is None else (NOTHING, *table.labels, EVERYTHING)
    return Table(thresholds, tp, fp, table.positives, table.negatives, table.kind, labels)
