"""Areas added up on a device, in float64 and exact integers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from isometrics.kernels import triton_sums
from isometrics.kernels.array_api import PackedRanking, groups_of

if TYPE_CHECKING:
    from isometrics.kernels.array_api import Groups, Ranking


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


def sums_of(
    ranking: Ranking,
    positives: int,
    negatives: int,
    *,
    everything: bool = True,
    chunk: int | None = None,
) -> DeviceSums:
    """Add up all areas of a ranking whose totals are known, or AUROC, AUPR and AUPRG alone."""
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
        terms = _terms(xp, groups, positives, negatives, baseline)
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


def _terms(xp: Any, groups: Groups, positives: int, negatives: int, baseline: int) -> list[Any]:
    """Return the terms of a chunk; the formulas are those of the spaces.

    Where a group has no positives, its rise of 0 makes its terms in PR and PRG space 0.
    """
    x, y, x_end, y_end = (xp.astype(counts, xp.float64) for counts in groups[:4])
    rise, run = x_end - x, y_end - y
    step = rise + run
    before = x + y
    started = before > 0
    before = xp.where(started, before, xp.ones_like(before))  # from the empty rule, x = y = 0
    growth = xp.log1p(step / before)
    bend = (x * run - rise * y) / step * growth
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
        (bend + rise) / step * rise,
        lost,
        (run - bend) / step * rise,
        rise * at_end,
        rise * (at_start + at_end) / 2,
        *losses,
    ]
