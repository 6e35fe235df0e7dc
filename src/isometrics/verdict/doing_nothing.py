"""What flagging everything, nothing or rows at random achieves, and whether a choice is better."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics._counting.best_rules import Counts

if TYPE_CHECKING:
    from isometrics._core.arrays import Floats
    from isometrics.verdict.choice import Choice
    from isometrics.verdict.contest import Choices, Contest


class TrivialRule(NamedTuple):
    """Flagging everything or nothing: the better one of those that are allowed."""

    flag_all: bool
    gain: float


def _trivial_rule(contest: Contest) -> TrivialRule | None:
    """Return the best trivial rule; None where none keeps the constraints."""
    positives, negatives = contest.totals
    rules = Counts(np.array([0.0, positives]), np.array([0.0, negatives]), positives, negatives)
    rules = rules.at_ratio(contest.ratio)
    worth = contest.worth(rules)
    best = 1 if worth[1] >= worth[0] else 0
    if worth[best] == -np.inf:
        return None
    return TrivialRule(bool(best), float(contest.objective.gain(rules)[best]))


def better_than_nothing(
    contest: Contest,
    choices: Choices,
    choice: Choice,
    fixed: Floats,
    corrected: float,
) -> bool | None:
    """Tell whether the choice beats the best trivial rule in all but 5% of the replicates.

    `fixed` are the gains of the chosen rule there.

    None where that is not known: the value is not defined in the sample, or the choice flags so few
    rows that it has no value in more than 5% of the replicates.
    """
    base = _trivial_rule(contest)
    if base is None:
        return None
    share = 1.0 if base.flag_all else 0.0
    totals = (choices.positives, choices.negatives)
    counts = Counts(share * totals[0], share * totals[1], *totals).at_ratio(contest.ratio)
    differences = fixed - contest.objective.gain(counts)
    both_classes = (totals[0] > 0) & (totals[1] > 0)
    known = differences[both_classes & ~np.isnan(differences)]
    if known.size < 2 or known.size < 0.95 * np.count_nonzero(both_classes):
        return None
    if (known == 0).all():
        # The choice is the trivial rule itself.
        return False
    lead = float(choice.gains[choice.model]) - base.gain
    noise = float(np.quantile(known, 0.05)) - lead
    return bool(corrected - base.gain + noise > 0)


def doing_nothing(contest: Contest, counts: Counts) -> dict[str, float]:
    """Return the values of the trivial rules, and of a coin that flags as many rows.

    Those that break a constraint, or for which the objective is not defined, have NaN.
    """
    positives, negatives = counts.positives, counts.negatives
    share = float(counts.flagged)
    shares = {"flagging everything": 1.0, "flagging nothing": 0.0, "flagging at random": share}
    rules = {
        name: Counts(each * positives, each * negatives, positives, negatives)
        for name, each in shares.items()
    }
    allowed = {name: contest.worth(rule)[0] > -np.inf for name, rule in rules.items()}
    return {
        name: float(contest.objective.value(rule)) if allowed[name] else math.nan
        for name, rule in rules.items()
    }
