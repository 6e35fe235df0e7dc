"""Sort, count and add up where the arrays are: torch, CuPy and JAX arrays stay on their device."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import namespace_of, to_host
from isometrics._core.labels import positive_by_convention
from isometrics._core.rows import has_nan
from isometrics._counting import segments, triton_launch
from isometrics._counting.hull import HullRows, vertices
from isometrics._counting.keys import Packing, order_on_device, packing_of
from isometrics._counting.segments import DeviceSums, Ends, baseline_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from isometrics._core.sample import Sample


def sums_of(
    ranking: SortedKeys, *, everything: bool = True, chunk: int | None = None
) -> DeviceSums:
    """Add up all areas of a ranking, or AUROC, AUPR and AUPRG alone."""
    positives, negatives = ranking.positives, ranking.size - ranking.positives
    baseline = baseline_of(positives, negatives)
    number = 7 if everything else 2
    if triton_launch.can_run_on(ranking.keys):
        pairs, terms, ends = triton_launch.sums(
            ranking.keys, positives, negatives, baseline, number=number
        )
        return DeviceSums(pairs, Ends(*ends), *terms)
    xp, pairs, crossing = ranking.xp, 0, None
    found: list[list[float]] = []
    for groups in groups_of(ranking, chunk):
        pairs += int(xp.sum((groups.fp - groups.fp_before) * (groups.tp_before + groups.tp)))
        terms = terms_of(xp, groups, positives, negatives, baseline)
        found.append([float(xp.sum(term)) for term in terms[:number]])
        crossing = crossing or _crossing(xp, groups, baseline)
    assert crossing is not None, "all positives are reached in the end"
    return DeviceSums(pairs, crossing, *map(math.fsum, zip(*found, strict=True)))


def _crossing(xp: Any, groups: TieGroups, baseline: int) -> Ends | None:
    (rows,) = xp.nonzero((groups.tp_before < baseline) & (groups.tp >= baseline))
    if rows.shape[0] == 0:
        return None
    return Ends(*(int(counts[rows[0]]) for counts in groups[:4]))


def terms_of(
    xp: Any, groups: TieGroups, positives: int, negatives: int, baseline: int
) -> list[Any]:
    """Return the terms of a chunk; the formulas are those of the spaces.

    Where a group has no positives, its rise of 0 makes its terms in PR and PRG space 0.
    """
    x, y, x_end, y_end = (xp.astype(counts, xp.float64) for counts in groups[:4])
    rise, run = x_end - x, y_end - y
    step = rise + run
    before = x + y
    started = before > 0
    before = xp.where(started, before, xp.ones_like(before))  # from the empty rule, x = y = 0
    bend = segments.bend(x, y, rise, run, xp.log1p(step / before) / step)
    at_end = x_end / (x_end + y_end)
    at_start = xp.where(started, x / before, at_end)
    behind = groups.tp_before >= baseline
    one, nothing = xp.ones_like(x), xp.zeros_like(x)
    x, x_end = (xp.where(behind, counts, one) for counts in (x, x_end))  # elsewhere perhaps 0
    misses = (positives - x) / x + (positives - x_end) / x_end
    false_alarms = y / x + y_end / x_end
    moved = (negatives - y) * (rise / x_end) / x + run / x_end
    behind_crossing = (
        rise / x / (x_end / positives) * false_alarms,
        misses * moved / 2,
        false_alarms * moved / 2,
    )
    lost, *losses = (xp.where(behind, term, nothing) for term in behind_crossing)
    return [
        segments.area_below(rise, step, bend),
        lost,
        segments.area_above(rise, run, step, bend),
        segments.area_of_step(rise, at_end),
        segments.area_of_line(rise, at_start, at_end),
        *losses,
    ]


_FEWEST, _MOST = 1 << 16, 1 << 22
"""Rows of a chunk; the smallest is what a device needs to be busy."""


class TieGroups(NamedTuple):
    """Neighbouring groups of tied rows: counts before and behind each, on the device."""

    tp_before: Any
    fp_before: Any
    tp: Any
    fp: Any
    marks: Any
    """What tied rows have in common, from which `SortedKeys.scores` reads their score."""


@dataclass(frozen=True, slots=True)
class SortedKeys:
    """Rows from the highest score on, as keys that hold scores and labels."""

    xp: Any
    """The array API of the library that the keys belong to."""
    keys: Any
    packing: Packing
    positives: int

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.keys.shape[0])

    def part(self, start: int, stop: int) -> tuple[Any, Any]:
        """Return marks, equal for tied rows alone, and labels as integers."""
        keys = self.keys[start:stop]
        return keys >> 1, self.xp.astype(~keys & 1, self.xp.int64)

    def scores(self, marks: NDArray[Any]) -> NDArray[Any]:
        """Return the scores of marks that were moved to the host."""
        return self.packing.scores(marks << 1)


def sorted_keys_of(sample: Sample) -> SortedKeys | None:
    """Sort the rows of a sample.

    None where a score is NaN, labels are not 0/1 or -1/+1, or no key can hold both: the host looks
    at these samples.
    """
    labels, scores = sample.labels, sample.only_scores
    xp = namespace_of(scores)
    if triton_launch.can_run_on(scores):
        positives, is_valid, packing = triton_launch.survey(scores, labels)
        if not is_valid or packing is None:
            return None
        keys = triton_launch.pack(scores, labels, packing)
    else:
        labels = positive_by_convention(labels, xp)
        order = None if labels is None or has_nan(scores) else _order(xp, scores)
        kind = "f" if xp.isdtype(scores.dtype, "real floating") else "i"
        dtype = np.dtype(f"{kind}{8 if scores.dtype in (xp.int64, xp.float64) else 4}")
        packing = None if order is None else packing_of(xp, order, dtype)
        if packing is None:
            return None
        positives = int(xp.count_nonzero(labels))
        keys = packing.pack(xp, order, labels)
    return SortedKeys(xp, sort_keys(xp, keys), packing, positives)


def _order(xp: Any, scores: Any) -> Any:
    """Return integers in the order of scores; None where the bits of floats cannot be read."""
    if not xp.isdtype(scores.dtype, "real floating"):
        return scores
    return order_on_device(xp, scores) if hasattr(scores, "view") else None


def sort_keys(xp: Any, keys: Any) -> Any:
    """Sort keys, in place where that is faster."""
    if triton_launch.can_run_on(keys) and triton_launch.sort_in_place(keys):
        return keys
    return xp.sort(keys)


def groups_of(ranking: SortedKeys, chunk: int | None = None) -> Iterator[TieGroups]:
    """Yield all groups of tied rows, from the highest score on."""
    xp, size = ranking.xp, ranking.size
    chunk = min(max(size // 16, _FEWEST), _MOST) if chunk is None else chunk
    counted, tp_before, fp_before = 0, 0, 0
    for start in range(0, size, chunk):
        stop = min(start + chunk, size)
        marks, labels = ranking.part(start, min(stop + 1, size))
        ends = marks[1:] != marks[:-1]
        if stop == size:
            ends = xp.concat([ends, marks[-1:] == marks[-1:]])  # the last row ends a group
        labels = labels[: stop - start]
        above = xp.cumulative_sum(labels) + counted
        counted = int(above[-1])
        (rows,) = xp.nonzero(ends)
        if rows.shape[0] == 0:
            continue
        tp = xp.take(above, rows)
        fp = xp.astype(rows, xp.int64) + (start + 1) - tp
        yield TieGroups(
            _behind(xp, tp_before, tp), _behind(xp, fp_before, fp), tp, fp, xp.take(marks, rows)
        )
        tp_before, fp_before = int(tp[-1]), int(fp[-1])


def _behind(xp: Any, first: int, counts: Any) -> Any:
    return xp.concat([xp.full_like(counts[:1], first), counts[:-1]])


def gathered(ranking: SortedKeys) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """Return the scores and counts of all groups, on the host."""
    parts = [
        (ranking.scores(to_host(each.marks)), to_host(each.tp), to_host(each.fp))
        for each in groups_of(ranking)
    ]
    scores, tp, fp = (np.concatenate(part) for part in zip(*parts, strict=True))
    return scores, tp, fp


def hull_rows(ranking: SortedKeys) -> HullRows:
    """Return the vertices of the hull."""
    on_device = triton_launch.can_run_on(ranking.keys)
    found = triton_launch.hull_rows(ranking) if on_device else None
    return hull_in_chunks(ranking) if found is None else found


def hull_in_chunks(ranking: SortedKeys, chunk: int | None = None) -> HullRows:
    """Return the vertices of the hull; chunk by chunk the host joins rows to those it has."""
    first, kept = 1, [np.zeros(1, np.int64)] * 3
    for groups in groups_of(ranking, chunk):
        tp, fp, marks = (to_host(each) for each in groups[2:])
        if len(kept) == 3:
            kept = [*kept, marks[:1]]  # the empty rule has no mark
        found = (np.arange(first, first + tp.size), tp, fp, marks)
        kept = [np.concatenate(both) for both in zip(kept, found, strict=True)]
        corners = vertices(kept[2], kept[1])
        kept = [column[corners] for column in kept]
        first += tp.size
    rows, tp, fp, marks = kept
    return HullRows(tp, fp, marks[1:], np.diff(rows) > 1)
