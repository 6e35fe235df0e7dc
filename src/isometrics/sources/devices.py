"""Rows that lie on a device, counted there in planned bins: a tally that stays on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import column, is_array, namespace_of, plain, to_host
from isometrics._core.rows import has_nan
from isometrics._counting import triton_launch
from isometrics._counting.bins import plan_bins
from isometrics._counting.keys import order_of, order_on_device
from isometrics._counting.tally import Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.sample import Sample

PLANNED_ON = 1 << 16
"""Rows that a plan is made on."""
_ORDER = order_of(np.dtype(np.float64))


class CountedBatch(NamedTuple):
    """What was found while counting a batch."""

    positives: int
    lowest: int
    """The lowest key."""
    keys: NDArray[Any]
    """Keys and labels of the rows outside the plan, on the host: they were not counted."""
    labels: NDArray[np.bool_]


class DeviceBins:
    """Counts of planned bins, which stay on the device until they are asked for.

    Parameters
    ----------
    sample
        The first rows, on some of which the bins are planned.
    most
        The most bins.

    Notes
    -----
    Keys are signed here: devices shift and compare unsigned integers of 64 bits poorly. The plan
    is two tables, one of the parts of cells and one of the bins of parts; an entry is the number
    of the first one, shifted by 6 bits, and how far the key inside is shifted to count from there.
    """

    def __init__(self, sample: Sample, most: int) -> None:
        step = -(-sample.size // PLANNED_ON)
        labels, scores = sample.labels, sample.only_scores
        xp = namespace_of(scores)
        # Both ends make the plan wide enough for all of these rows.
        ends = [xp.argmin(scores), xp.argmax(scores)]
        first, truth = (
            np.concatenate([to_host(rows[::step]), *(to_host(rows[end])[None] for end in ends)])
            for rows in (scores, labels)
        )
        self._plan = plan_bins(Tally.from_rows(_ORDER, _keys(first), truth), most)
        tables = (
            (cut.first << 6 | cut.shift.astype(np.int64)).astype(np.int32)
            for cut in (self._plan.parts, self._plan.cut)
        )
        self._tables = tuple(xp.asarray(table, device=scores.device) for table in tables)
        self._counts: Any = np.zeros(2 * self._plan.size, np.int64)
        self._on_device = False

    @property
    def _range(self) -> tuple[int, int]:
        return self._plan.lowest - 2**63, self._plan.highest - 2**63

    def append(self, sample: Sample) -> CountedBatch | None:
        """Count rows; if a score is NaN, count none of them and return None."""
        labels, scores = sample.labels, sample.only_scores
        xp = namespace_of(scores)
        if triton_launch.can_run_on(scores):
            if not self._on_device:
                self._counts = xp.asarray(self._counts, device=scores.device)
                self._on_device = True
            counted = triton_launch.count(
                scores, labels, self._range, self._plan.cell_shift, self._tables, self._counts
            )
            if counted is None:
                return None
            outside, positives, lowest = counted
            left = self._left(sample, self._outside(sample) if outside is None else outside)
            return CountedBatch(positives, lowest + 2**63, *left)
        if has_nan(scores):
            return None
        left = self._left(sample, self._outside(sample))
        order = float64_order(xp, scores)
        batch = CountedBatch(int(xp.count_nonzero(labels)), int(xp.min(order)) + 2**63, *left)
        lowest, highest = self._range
        if batch.keys.size:
            (rows,) = xp.nonzero((order >= lowest) & (order <= highest))
            order, labels = xp.take(order, rows), xp.take(labels, rows)
        bins = (order >> self._plan.cell_shift) - (lowest >> self._plan.cell_shift)
        inside = order & ((1 << self._plan.cell_shift) - 1)
        for table in self._tables:
            entry = xp.astype(xp.take(table, bins), xp.int64)
            shift = entry & 63
            bins = (entry >> 6) + (inside >> shift)
            inside = inside & ((xp.ones_like(shift) << shift) - 1)
        values, counts = xp.unique_counts(bins * 2 + xp.astype(labels, xp.int64))
        self._counts[to_host(values)] += to_host(counts)
        return batch

    def _outside(self, sample: Sample) -> Any:
        """Return the numbers of the rows outside the plan."""
        xp = namespace_of(sample.only_scores)
        order = float64_order(xp, sample.only_scores)
        lowest, highest = self._range
        return xp.nonzero((order < lowest) | (order > highest))[0]

    @staticmethod
    def _left(sample: Sample, rows: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return the keys and labels of some rows, on the host."""
        labels, scores = sample.labels, sample.only_scores
        xp = namespace_of(scores)
        if rows.shape[0] == 0:
            return np.empty(0, _ORDER.word), np.empty(0, np.bool_)
        return _keys(to_host(xp.take(scores, rows))), to_host(xp.take(labels, rows))

    def tally(self) -> Tally:
        """Return the bins with rows."""
        counts = to_host(self._counts) if self._on_device else self._counts
        negatives, positives = counts[::2], counts[1::2]
        bins = np.flatnonzero(negatives + positives)
        return Tally(_ORDER, *self._plan.ends(bins), positives[bins], negatives[bins])


def _keys(scores: NDArray[Any]) -> NDArray[Any]:
    return _ORDER.keys(scores.astype(np.float64))


def float64_order(xp: Any, scores: Any) -> Any:
    """Return signed integers in the order of float scores, of whatever width they are."""
    return order_on_device(xp, xp.astype(scores, xp.float64))


def can_count(sample: Sample) -> bool:
    """Tell whether rows can be counted where they are: their scores are floats, of known bits."""
    scores = sample.only_scores
    floats = namespace_of(scores).isdtype(scores.dtype, "real floating")
    return bool(floats) and hasattr(scores, "view")


def negative_label(sample: Sample, y_true: Any, pos_label: object) -> object:
    """Return the label of the rows that are not positive; None if there are none.

    There are at most two labels, because others are refused before. One comes to the host.
    """
    xp = namespace_of(sample.labels)
    # A view of truth values as numbers takes no memory, where the library has one.
    labels = sample.labels
    flags = labels.view(xp.int8) if hasattr(labels, "view") else xp.astype(labels, xp.int8)
    row = int(xp.argmin(flags))
    on_device = is_array(y_true)
    given = to_host(y_true[row : row + 1]) if on_device else column(y_true, "y_true").values[[row]]
    positive = 1 if pos_label is None else pos_label
    return None if given[0] == positive else plain(given[0])
