"""Counts of both classes in intervals of scores: what every source of predictions yields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._counting.hull import vertices
from isometrics._counting.numpy_kernel import running_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts, Floats, Total

    Sums = tuple[Total, Total]
    from isometrics._counting.keys import Order

    Mask = NDArray[np.bool_]
    Indices = NDArray[np.intp]

_SCALE = float(1 << 40)
"""Sums of float weights are scaled to so many rows: the formulas take a single row as 1."""
_SAFETY = 0.75
"""Uncertainty bounds AUROC, AUPR and AUPRG; what is derived from them has wider bounds."""
_ROUNDING = 1e-9
"""How far sums of float weights may differ, as a share, when they are added in another order."""


class Refinement(NamedTuple):
    """Intervals to look into: for all their rows, or only for vertices of the hull."""

    all_rows: Mask
    vertices: Mask

    @property
    def intervals(self) -> Mask:
        """The intervals of both kinds."""
        return self.all_rows | self.vertices


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Sorted, disjoint intervals of scores with the rows of each class in them.

    Scores are held as keys: unsigned integers of the same order. An interval of a single key is
    exact. Any other may hold its rows in any order; so counts are exact at the lower ends of the
    intervals, and nothing more is known.

    Parameters
    ----------
    order
        The map between scores and keys.
    lo, hi
        The lowest and the highest key of each interval, rising. Where one array is both, all
        intervals are exact.
    positives, negatives
        How many rows of each class an interval has, or the sum of their weights. No interval is
        empty.
    """

    order: Order
    lo: NDArray[Any]
    hi: NDArray[Any]
    positives: Counts
    negatives: Counts

    @classmethod
    def empty(cls, order: Order) -> Tally:
        """Return a tally without rows."""
        keys, counts = np.empty(0, order.word), np.empty(0, np.int64)
        return cls(order, keys, keys, counts, counts)

    @classmethod
    def from_rows(
        cls, order: Order, keys: NDArray[Any], labels: Mask, weights: Counts | None = None
    ) -> Tally:
        """Count rows, given by the keys of their scores, score by score."""
        # A stable sort is fast on keys that come in sorted runs.
        rank = np.argsort(keys, kind="stable")
        keys, labels = keys[rank], labels[rank]
        weights = np.ones(keys.size, np.int64) if weights is None else weights[rank]
        first = _first_of_groups(keys[1:] != keys[:-1], keys.size)
        lo = keys[first]
        positives = _sums(np.where(labels, weights, 0), first)
        negatives = _sums(np.where(labels, 0, weights), first)
        return cls(order, lo, lo, positives, negatives)

    @classmethod
    def from_blocks(
        cls,
        order: Order,
        lo: NDArray[Any],
        levels: NDArray[np.uint8],
        positives: Counts,
        negatives: Counts,
    ) -> Tally:
        """Return the tally of aligned blocks of keys, 2**level keys each."""
        hi = lo
        if levels.any():
            word = order.word
            hi = lo + ((word.type(1) << levels.astype(word)) - word.type(1))
        return cls(order, lo, hi, positives, negatives)

    # ------------------------------------------------------------------ what it holds

    @property
    def size(self) -> int:
        """The number of intervals."""
        return self.lo.size

    @property
    def open(self) -> Mask:
        """Which intervals are not exact."""
        return np.asarray(self.lo != self.hi)

    @property
    def exact(self) -> bool:
        """Whether all intervals are exact."""
        return self.hi is self.lo or not self.open.any()

    @property
    def gaps(self) -> Mask:
        """Which intervals may hold several scores: open ones, unless they have a single row."""
        rows = self.positives + self.negatives
        return self.open if rows.dtype.kind == "f" else self.open & (rows > 1)

    @property
    def levels(self) -> NDArray[np.uint8]:
        """The size of the smallest aligned block of keys around each interval: 2**level keys."""
        return np.asarray(np.bitwise_count(self._block_masks()))

    def _block_masks(self) -> NDArray[Any]:
        """Return the bits in which the keys of an interval may differ."""
        masks: NDArray[Any] = self.lo ^ self.hi
        shift = 1
        while shift < self.order.bits:
            masks |= masks >> masks.dtype.type(shift)
            shift *= 2
        return masks

    @property
    def totals(self) -> Sums:
        """The positives and the negatives of all intervals."""
        return (_total(self.positives), _total(self.negatives))

    def curve(self, above: Sums = (0, 0), through: Sums | None = None) -> tuple[Counts, Counts]:
        """Return true and false positives from the row above all intervals to the last one.

        Parameters
        ----------
        above
            The counts of all higher scores.
        through
            The counts of the last row, where sums of weights are rounded otherwise.
        """
        tp, fp = map(curve_of, (self.positives[::-1], self.negatives[::-1]), above)
        for sums, end in zip((tp, fp), through or (), strict=False):
            if sums.dtype.kind == "f":
                np.minimum(sums, end, out=sums)
                sums[-1] = end
        return tp, fp

    # ------------------------------------------------------------------ operations

    def take(self, which: Mask | Indices | slice) -> Tally:
        """Return some of the intervals."""
        lo = self.lo[which]
        hi = lo if self.hi is self.lo else self.hi[which]
        return Tally(self.order, lo, hi, self.positives[which], self.negatives[which])

    def merge(self, *others: Tally) -> Tally:
        """Count the rows of all tallies together; intervals that overlap become one."""
        parts = (self, *others)
        lo = np.concatenate([part.lo for part in parts])
        rank = np.argsort(lo, kind="stable")
        lo = lo[rank]
        exact = all(part.hi is part.lo for part in parts)
        reached = lo
        if not exact:
            reached = np.maximum.accumulate(np.concatenate([part.hi for part in parts])[rank])
        first = _first_of_groups(lo[1:] > reached[:-1], lo.size)
        last = np.append(first[1:], lo.size)[: first.size] - 1
        lo = lo[first]
        # One column after the other takes little memory.
        return Tally(
            self.order,
            lo,
            lo if exact else reached[last],
            _sums(np.concatenate([part.positives for part in parts])[rank], first),
            _sums(np.concatenate([part.negatives for part in parts])[rank], first),
        )

    def join(self, first: Indices) -> Tally:
        """Return longer intervals: from each one given, the lowest among them, up to the next."""
        last = np.append(first[1:], self.size) - 1
        return Tally(
            self.order,
            self.lo[first],
            self.hi[last],
            np.add.reduceat(self.positives, first),
            np.add.reduceat(self.negatives, first),
        )

    def refine(self, finer: Tally) -> Tally:
        """Replace the intervals in which those of `finer` lie by them."""
        left = np.ones(self.size, np.bool_)
        left[self._around(finer)] = False
        rest = self.take(left)
        # They never overlap, so nothing has to be sorted.
        rank = np.searchsorted(rest.lo, finer.lo)
        columns = (
            np.insert(getattr(rest, name), rank, getattr(finer, name))
            for name in ("lo", "hi", "positives", "negatives")
        )
        return Tally(self.order, *columns)

    def is_refined_by(self, finer: Tally, chosen: Mask | None = None) -> bool:
        """Tell whether another tally counts the rows of some intervals, and no others."""
        chosen = np.ones(self.size, np.bool_) if chosen is None else chosen
        around = self._around(finer)
        inside = (finer.lo >= self.lo[around]) & (finer.hi <= self.hi[around]) & chosen[around]
        if not inside.all() or (finer.lo[1:] <= finer.hi[:-1]).any():
            return False
        for mine, theirs in (
            (self.positives, finer.positives),
            (self.negatives, finer.negatives),
        ):
            sums = np.bincount(around, theirs, self.size)[chosen]
            rounding = _ROUNDING if mine.dtype.kind == "f" else 0.0
            expected = mine[chosen]
            if not np.allclose(sums, expected, rtol=rounding, atol=rounding * expected.sum()):
                return False
        return True

    def _around(self, finer: Tally) -> Indices:
        """Return the interval that each one of a finer tally lies in, or begins behind."""
        return np.asarray(np.maximum(np.searchsorted(self.lo, finer.lo, "right") - 1, 0))

    def align(self) -> Tally:
        """Widen intervals to aligned blocks of 2**level keys, and join those that then overlap.

        Two such blocks lie inside each other or apart. So tallies that are aligned stay so when
        they are merged, and keep all ends that both have.
        """
        if self.hi is self.lo:
            return self
        masks = self._block_masks()
        wide = Tally(self.order, self.lo & ~masks, self.hi | masks, self.positives, self.negatives)
        return wide.merge()

    # ------------------------------------------------------------------ what it tells

    def may_hold_vertices(self) -> Mask:
        """Tell which intervals must be looked into to find the rows of the hull.

        Notes
        -----
        Whatever the order inside an interval, its rows lie below and to the right of the corner
        where all its positives come first; so that corner must not lie below the hull of the
        ends. Where an end is a vertex itself, or the most precise row, or the highest score of
        all, its threshold is the lowest score in the interval, which is not known either.
        """
        tp, fp = self._curve()
        corners = vertices(fp, tp)
        there = np.interp(fp[:-1], fp[corners], tp[corners])
        both_classes = (self.positives > 0) & (self.negatives > 0)
        # np.interp rounds; an interval too many costs little.
        needed = both_classes[::-1] & (tp[1:] >= there - 1e-9 * tp[-1])
        needed[corners[1:] - 1] = True
        needed[0] = True
        needed[np.argmax(tp[1:] / (tp[1:] + fp[1:]))] = True
        return np.asarray(needed[::-1] & self.open)

    def uncertainty(self) -> Floats:
        """Return how much each interval may add to the bounds of AUROC, AUPR and AUPRG: 3 rows."""
        tp, fp = (counts.astype(np.float64) for counts in self._curve())
        terms = uncertainty_of(tp[:-1], fp[:-1], np.diff(tp), np.diff(fp))
        return np.where(self.open, terms[:, ::-1], 0.0)

    def to_refine(
        self, tolerance: float, *, room: int | None = None, without_vertices: Mask | None = None
    ) -> Refinement:
        """Choose the intervals whose rows must be ordered.

        First those that may hold vertices of the hull, then those that leave the most uncertainty,
        until what is left is well below the tolerance for every area.

        Parameters
        ----------
        tolerance
            How wide the bounds of an area may be.
        room
            The most rows that the chosen intervals may have; one is always chosen.
        without_vertices
            The intervals that are known to hold no vertices.
        """
        vertex = self.may_hold_vertices()
        if without_vertices is not None:
            vertex &= ~without_vertices
        uncertainty = self.uncertainty()
        # Of equals the highest scores come first.
        falling = np.arange(self.size)[::-1]
        uncertain = falling[:0]
        if uncertainty.sum(axis=1).max() > tolerance * _SAFETY:
            largest = falling[np.argsort(-uncertainty.max(axis=0)[::-1], kind="stable")]
            left = np.cumsum(uncertainty[:, largest][:, ::-1], axis=1)[:, ::-1].max(axis=0)
            uncertain = largest[left > tolerance * _SAFETY]
        ranked = np.concatenate([falling[vertex[::-1]], uncertain])
        chosen, whole = np.zeros((2, self.size), np.bool_)
        if room is not None:
            rows = np.cumsum((self.positives + self.negatives)[ranked])
            ranked = ranked[: max(int(np.searchsorted(rows, room, "right")), 1)]
        chosen[ranked] = True
        whole[uncertain] = True
        return Refinement(chosen & whole, chosen & vertex & ~whole)

    def _curve(self) -> tuple[Counts, Counts]:
        """Return the counts from the empty rule on, sums of weights scaled to many rows."""
        if self.positives.dtype.kind != "f":
            return self.curve()
        scale = _SCALE / (self.positives.sum() + self.negatives.sum())
        scaled = Tally(self.order, self.lo, self.hi, self.positives * scale, self.negatives * scale)
        return scaled.curve()


def curve_of(counts: Counts, above: Total) -> Counts:
    """Return the counts at and above each score, the highest first, behind those of all above."""
    curve = np.empty(counts.size + 1, counts.dtype)
    curve[0] = above
    curve[1:] = running_sum(counts) if counts.dtype.kind == "f" else np.cumsum(counts)
    curve[1:] += curve.dtype.type(above)
    return curve


def uncertainty_of(tp_above: Floats, fp_above: Floats, rise: Floats, run: Floats) -> Floats:
    """Return how much intervals may add to the bounds of AUROC, AUPR and AUPRG: three rows.

    Intervals come from the highest to the lowest, with all counts above and inside each.
    """
    tp, fp = tp_above + rise, fp_above + run
    positives, negatives = float(tp[-1]), float(fp[-1])
    roc = (rise / positives) * (run / negatives)
    best = tp / np.maximum(tp + fp_above, 1)
    worst = tp_above / np.maximum(tp_above + fp, 1)
    # Average precision also depends on which positives of an interval are tied.
    pr = (rise / positives) * (best - worst)
    odds = positives / negatives
    baseline = positives * positives / (positives + negatives)
    start = np.maximum(tp_above, baseline)
    inside = np.maximum(tp - start, 0.0)
    prg = odds * odds * positives * inside * run / (start * start * np.maximum(tp, start))
    return np.array([roc, pr, prg])


def _total(counts: Counts) -> Total:
    if counts.dtype.kind != "f":
        return int(counts.sum())
    # As they are added up along a curve.
    return float(running_sum(counts[::-1])[-1])


def _first_of_groups(changes: Mask, size: int) -> Indices:
    """Return where groups begin: at 0, and behind the changes between neighbours."""
    return np.append(0, np.flatnonzero(changes) + 1) if size else np.empty(0, np.intp)


def _sums(counts: Counts, first: Indices) -> Counts:
    """Return the sums of groups, by where they begin."""
    return np.add.reduceat(counts, first) if first.size else counts[:0]
