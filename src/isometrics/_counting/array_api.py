"""Sort, count and add up where the arrays are: torch, CuPy and JAX arrays stay on their device."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from isometrics._core.arrays import namespace_of, to_host
from isometrics._core.labels import positive_by_convention
from isometrics._core.sample import has_nan
from isometrics._counting import segments, triton_sums
from isometrics._counting.keys import Packing, order_on_device, packing_of, scores_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.sample import Sample


class Ends(NamedTuple):
    """A group of tied rows: the counts before and behind it."""

    tp_before: int
    fp_before: int
    tp: int
    fp: int


class DeviceSums(NamedTuple):
    """Sums over all groups of tied rows."""

    pairs: float
    """Twice the pairs of a positive and a negative in the right order, ties counted half.

    An integer, but for the bounds of a stream.
    """
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
    integer_steps: float = math.nan
    """This and the next are areas in PR space that are added up for the bounds of a stream."""
    max_precision: float = math.nan


def sums_of(ranking: Ranking, *, everything: bool = True, chunk: int | None = None) -> DeviceSums:
    """Add up all areas of a ranking, or AUROC, AUPR and AUPRG alone."""
    positives, negatives = ranking.positives, ranking.size - ranking.positives
    baseline = baseline_of(positives, negatives)
    number = 7 if everything else 2
    if isinstance(ranking, PackedRanking) and triton_sums.can_run_on(ranking.keys):
        pairs, terms, ends = triton_sums.sums(
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


def baseline_of(positives: int, negatives: int) -> int:
    """Return the fewest true positives with a recall gain of 0 or more."""
    return -(-(positives**2) // (positives + negatives))


def _crossing(xp: Any, groups: Groups, baseline: int) -> Ends | None:
    (rows,) = xp.nonzero((groups.tp_before < baseline) & (groups.tp >= baseline))
    if rows.shape[0] == 0:
        return None
    return Ends(*(int(counts[rows[0]]) for counts in groups[:4]))


def terms_of(xp: Any, groups: Groups, positives: int, negatives: int, baseline: int) -> list[Any]:
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


class Groups(NamedTuple):
    """Neighbouring groups of tied rows: counts before and behind each, on the device."""

    tp_before: Any
    fp_before: Any
    tp: Any
    fp: Any
    marks: Any
    """What tied rows have in common, from which `Ranking.scores` reads their score."""


class Ranking(Protocol):
    """Rows from the highest score on."""

    @property
    def xp(self) -> Any:
        """The array API of the library that the rows belong to."""
        ...

    @property
    def size(self) -> int:
        """The number of rows."""
        ...

    @property
    def positives(self) -> int:
        """The number of positive rows."""
        ...

    def part(self, start: int, stop: int) -> tuple[Any, Any]:
        """Return marks, equal for tied rows alone, and labels as integers."""
        ...

    def scores(self, marks: NDArray[Any]) -> NDArray[Any]:
        """Return the scores of marks that were moved to the host."""
        ...


@dataclass(frozen=True, slots=True)
class PackedRanking:
    """Sorted keys, which hold the labels."""

    xp: Any
    keys: Any
    packing: Packing
    positives: int

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.keys.shape[0])

    def part(self, start: int, stop: int) -> tuple[Any, Any]:
        """Return marks and labels of some rows."""
        keys = self.keys[start:stop]
        return keys >> 1, self.xp.astype(~keys & 1, self.xp.int64)

    def scores(self, marks: NDArray[Any]) -> NDArray[Any]:
        """Return the scores of marks."""
        return self.packing.scores(marks << 1)


@dataclass(frozen=True, slots=True)
class GatheredRanking:
    """Marks and labels in the order of the scores, where no key can hold both."""

    xp: Any
    marks: Any
    labels: Any
    dtype: np.dtype[Any] | None
    """The type of the scores that marks are the order of; None where marks are scores."""
    positives: int

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.marks.shape[0])

    def part(self, start: int, stop: int) -> tuple[Any, Any]:
        """Return marks and labels of some rows."""
        return self.marks[start:stop], self.xp.astype(self.labels[start:stop], self.xp.int64)

    def scores(self, marks: NDArray[Any]) -> NDArray[Any]:
        """Return the scores of marks; -0.0 equals 0.0, and the plain one is shown."""
        return marks + marks.dtype.type(0) if self.dtype is None else scores_of(marks, self.dtype)


def ranking_of(sample: Sample) -> PackedRanking | GatheredRanking | None:
    """Sort the rows of a sample; None where a score is NaN, or labels are not 0/1 or -1/+1."""
    labels, scores = sample.labels, sample.only_scores
    xp = namespace_of(scores)
    if triton_sums.can_run_on(scores):
        positives, is_valid, packing = triton_sums.survey(scores, labels)
        if is_valid and packing is not None:
            keys = triton_sums.pack(scores, labels, packing)
            return PackedRanking(xp, sort_keys(xp, keys), packing, positives)
        labels = labels == 1
    else:
        labels = positive_by_convention(labels, xp)
        is_valid = labels is not None and not has_nan(scores)
        positives = int(xp.count_nonzero(labels)) if is_valid else 0
    if not is_valid:
        return None
    order, dtype = _order(xp, scores)
    packing = None if dtype is None else packing_of(xp, order, dtype)
    if packing is not None:
        keys = packing.pack(xp, order, labels)
        return PackedRanking(xp, sort_keys(xp, keys), packing, positives)
    by_score = xp.argsort(order, descending=True, stable=True)
    return GatheredRanking(
        xp, xp.take(order, by_score), xp.take(labels, by_score), dtype, positives
    )


def _order(xp: Any, scores: Any) -> tuple[Any, np.dtype[Any] | None]:
    """Return integers in the order of scores, and the type they are read back with."""
    if not xp.isdtype(scores.dtype, "real floating"):
        return scores, np.dtype(np.int64 if scores.dtype == xp.int64 else np.int32)
    if not hasattr(scores, "view"):  # the standard has no way to read the bits of floats
        return scores, None
    dtype = np.dtype(np.float64 if scores.dtype == xp.float64 else np.float32)
    return order_on_device(xp, scores), dtype


def sort_keys(xp: Any, keys: Any) -> Any:
    """Sort keys, in place where that is faster."""
    if triton_sums.can_run_on(keys) and triton_sums.sort_in_place(keys):
        return keys
    return xp.sort(keys)


def groups_of(ranking: Ranking, chunk: int | None = None) -> Iterator[Groups]:
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
        yield Groups(
            _behind(xp, tp_before, tp), _behind(xp, fp_before, fp), tp, fp, xp.take(marks, rows)
        )
        tp_before, fp_before = int(tp[-1]), int(fp[-1])


def _behind(xp: Any, first: int, counts: Any) -> Any:
    return xp.concat([xp.full_like(counts[:1], first), counts[:-1]])


def gathered(ranking: Ranking) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """Return the scores and counts of all groups, on the host."""
    parts = [
        (ranking.scores(to_host(each.marks)), to_host(each.tp), to_host(each.fp))
        for each in groups_of(ranking)
    ]
    scores, tp, fp = (np.concatenate(part) for part in zip(*parts, strict=True))
    return scores, tp, fp
