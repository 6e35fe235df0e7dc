"""What to beware of in a verdict, in plain words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from isometrics._counting.best_rules import Counts, lower_bound
from isometrics.measures import AUROC
from isometrics.points import OperatingPoints

if TYPE_CHECKING:
    from isometrics.verdict.choice import Choice
    from isometrics.verdict.contest import Contest

FEW = 50
"""Positives below which the correction was found to be too weak in places."""
_FEW_SCORES = 5
_FEW_FLAGGED = 20
_Z = 1.96
"""Standard errors of an interval of 95%."""
REVERSED = "are the scores reversed, or is the other class the positive one?"
PREDICTIONS = "these look like predictions, not scores"


def is_below_chance(auroc: float, positives: float, negatives: float) -> bool:
    """Tell whether an AUROC is below 0.5 by more than chance allows, at a level of 5%.

    Notes
    -----
    Where scores say nothing, the variance is ``(P + N + 1) / (12 P N)``, that of the statistic of
    Mann and Whitney (1947).
    """
    error = math.sqrt((positives + negatives + 1) / (12 * positives * negatives))
    return auroc < 0.5 - _Z * error


def has_two_scores(points: OperatingPoints) -> bool:
    """Tell whether a table of scores has two thresholds, not counting that of the empty rule."""
    thresholds = points.table.thresholds
    return thresholds.size == 3 and bool(np.isfinite(thresholds[1:].astype(np.float64)).all())


def caveats_of(contest: Contest, choice: Choice, expected: float) -> tuple[str, ...]:
    """Return the warnings of a verdict."""
    positives = int(np.count_nonzero(contest.rankings[0].positive))
    rows = contest.rankings[0].positive.size
    said = []
    fewer, name = min((positives, "positive"), (rows - positives, "negative"))
    if fewer < FEW:
        said.append(
            f"there {'is' if fewer == 1 else 'are'} only {fewer} {name}{'s' * (fewer != 1)}; with "
            f"fewer than {FEW} the expected value may still be too good, and no interval is sure"
        )
    if math.isnan(expected):
        said.append(
            f"with {fewer} {name} row{'s' * (fewer != 1)} nothing is left to judge a choice on"
        )
    points = OperatingPoints(contest.tables[choice.model])
    area = points.roc.area()
    if is_below_chance(area, positives, rows - positives):
        said.append(f"{AUROC.name} is {area:.3f}, below 0.5 beyond chance; {REVERSED}")
    distinct = contest.tables[choice.model].size - 1
    if distinct == 1:
        said.append("all scores are equal, so that no threshold tells rows apart")
    elif distinct == 2:
        said.append(f"there are only two distinct scores; {PREDICTIONS}")
    elif distinct <= _FEW_SCORES:
        said.append(f"there are only {distinct} distinct scores to choose a threshold from")
    said += _no_false_positives(contest, choice)
    if fewer >= FEW:
        said += _few_flagged(contest, choice)
    return tuple(said)


def _few_flagged(contest: Contest, choice: Choice) -> list[str]:
    """Warn that the precision of a few rows is hardly known."""
    ranking = contest.rankings[choice.model]
    flagged = ranking.positive[ranking.rule <= choice.rules[choice.model]]
    if not 0 < flagged.size < _FEW_FLAGGED:
        return []
    low = lower_bound(float(flagged.mean()), flagged.size, _Z)
    counts = Counts(low, 1 - low, *contest.totals).at_ratio(contest.ratio)
    verb = "is" if flagged.size == 1 else "are"
    return [
        f"only {flagged.size} of {ranking.positive.size:,} rows {verb} flagged; the precision of "
        f"so few is hardly known, and may be as low as {counts.precision:.2f}"
    ]


def _no_false_positives(contest: Contest, choice: Choice) -> list[str]:
    """Warn that there may be false positives although n rows have none: up to a rate of 3/n."""
    table = contest.tables[choice.model]
    rule = choice.rules[choice.model]
    ranking = contest.rankings[choice.model]
    flagged = ranking.rule <= rule
    if table.fp[rule] > 0 or not flagged.any():
        return []
    negatives = int(np.count_nonzero(~ranking.positive))
    possible = 1 - 0.05 ** (1 / negatives)
    return [
        f"no false positive was seen among {negatives:,} negatives, which is no proof: up to "
        f"{_in_words(possible)} are possible"
    ]


def _in_words(share: float) -> str:
    """Return a small share in words, such as 3 in 10,000."""
    scale = 10 ** math.ceil(-math.log10(share))
    return f"{round(share * scale)} in {scale:,}"
