"""How firm a threshold is: where it falls in resamples, and which others are almost as good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.arrays import plain
from isometrics._counting.best_rules import NO_RULE
from isometrics.uncertainty.intervals import UNDEFINED, Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.verdict.contest import Contest

_PLATEAU = 0.01
"""How much of the value thresholds may lose that are almost as good."""
_NEAR = 1024
"""How many rules to both sides are looked at first."""


def threshold_range(contest: Contest, model: int, rules: NDArray[np.int64]) -> Interval:
    """Return the range that holds the thresholds chosen in 95% of the replicates."""
    rules = rules[rules != NO_RULE]
    if rules.size == 0:
        return UNDEFINED
    thresholds = contest.tables[model].thresholds[rules]
    ends = np.quantile(thresholds, [0.025, 0.975], method="inverted_cdf")
    return _interval(ends)


def connected(holds: NDArray[np.bool_], centre: int) -> tuple[int, int]:
    """Return the first and the last index of the run of true values around the centre."""
    before, after = np.flatnonzero(~holds[:centre]), np.flatnonzero(~holds[centre:])
    low = int(before[-1]) + 1 if before.size else 0
    high = centre + int(after[0]) - 1 if after.size else len(holds) - 1
    return low, high


def plateau(contest: Contest, model: int, rule: int) -> Interval:
    """Return the connected range of thresholds that are almost as good as the chosen one."""
    table = contest.tables[model]
    if table.size == 2:
        # There is one score, and no threshold next to it.
        return UNDEFINED
    reach = _NEAR
    while True:
        # Most plateaus are short, and of a long table most rules need not be looked at.
        first, end = max(rule - reach, 0), min(rule + reach + 1, table.size)
        counts = contest.counts(model, np.arange(first, end))
        gain = contest.objective.gain(counts)
        best = float(gain[rule - first])
        holds = (contest.worth(counts) > -np.inf) & (gain >= best - _PLATEAU * abs(best))
        if not holds[rule - first]:
            return UNDEFINED
        low, high = (first + row for row in connected(holds, rule - first))
        if (low > first or first == 0) and (high < end - 1 or end == table.size):
            return _interval(table.thresholds[[high, low]])
        reach *= 4


def _interval(thresholds: NDArray[Any]) -> Interval:
    """Return two thresholds as numbers of Python; integers beyond float64 stay exact."""
    ends: Any = map(plain, thresholds)
    return Interval(*ends)
