"""The rule and the model that are best in the sample itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics._core.results import number, several
from isometrics._counting.best_rules import NO_RULE, Counts, at_least_finite
from isometrics.errors import NotAnswerableError
from isometrics.verdict.contest import Chooser
from isometrics.verdict.estimates import best_models

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics.verdict.contest import Choices, Contest


class Choice(NamedTuple):
    """The best rule of each model in the sample, and which model is best."""

    rules: tuple[int, ...]
    gains: Floats
    model: int

    @property
    def order(self) -> NDArray[np.intp]:
        """The models from the best to the worst; models without a rule come last."""
        gains = at_least_finite(self.gains)
        return np.argsort(-np.where(np.isnan(gains), -np.inf, gains), kind="stable")


def choose(contest: Contest) -> Choice:
    """Return the best rule of each model in the sample itself."""
    return choose_each([contest], "plain")[0]


def choose_each(contests: Sequence[Contest], kernel: str) -> list[Choice]:
    """Return the choice for each objective; the rows, which are the same, are added up once."""
    chosen = Chooser(contests, kernel).choose(np.ones((1, contests[0].units.shape[0]), np.uint8))
    return [_choice(*each) for each in zip(contests, chosen, strict=True)]


def _choice(contest: Contest, chosen: Choices) -> Choice:
    gains = contest.objective.gain(chosen.counts(contest.ratio))[:, 0]
    rules = chosen.rule[:, 0]
    if (rules == NO_RULE).all():
        raise NotAnswerableError(_no_rule(contest))
    model = int(best_models(at_least_finite(gains)[:, None])[0])
    return Choice(tuple(rules.tolist()), np.where(rules == NO_RULE, np.nan, gains), model)


def _no_rule(contest: Contest) -> str:
    objective = contest.objective
    asked = several([str(each) for each in objective.constraints])
    how = "" if objective.sure is None else f" with {number(100 * objective.sure)}% confidence"
    nothing = Counts(0.0, 0.0, *contest.totals)
    kept = all(each.met(each.of(nothing)) for each in objective.constraints)
    # A rule that keeps them may have no value.
    needs = objective.needs if kept else ""
    return f"no threshold{needs} of any model has {asked}{how}; {objective.advice}"
