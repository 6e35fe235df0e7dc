"""What a rule is chosen for: an F_β, a cost or a weighted index, alone or under constraints."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from isometrics._core.parameters import (
    check_beta,
    check_budget,
    check_confidence,
    check_cost,
    check_level,
    check_number,
)
from isometrics._core.results import Value, number, several
from isometrics._counting.best_rules import Counts, divided
from isometrics.errors import Advice, ParameterError
from isometrics.measures import f_name
from isometrics.spaces.indices import Rows, index_named
from isometrics.spaces.pr import f_weights

if TYPE_CHECKING:
    from isometrics._core.arrays import Floats
    from isometrics.spaces.indices import WeightedIndex

_ROUNDING = 1e-12
"""Sums of weights in another order may miss a level by this much."""


class Constraint(NamedTuple):
    """A quantity that a rule must keep at or above (for ``flagged`` at or below) a level."""

    quantity: str
    """``"precision"``, ``"recall"`` or ``"flagged"``, the share of the rows that is flagged."""
    level: float

    def of(self, counts: Counts) -> Floats:
        """Return the quantity of rules."""
        quantity: Floats = getattr(counts, self.quantity)
        return quantity

    @property
    def limit(self) -> float:
        """The level, eased by what rounding may add or take."""
        if self.quantity == "flagged":
            return self.level * (1 + _ROUNDING)
        return max(self.level - _ROUNDING, 0.0)

    def met(self, quantity: Any) -> Any:
        """Tell whether the quantity keeps the level; NaN does not."""
        return quantity <= self.limit if self.quantity == "flagged" else quantity >= self.limit

    def __str__(self) -> str:
        """Return the constraint in words."""
        if self.quantity == "flagged":
            return f"at most {number(100 * self.level)}% flagged"
        return f"{self.quantity} of {number(self.level)} or more"


@dataclass(frozen=True, slots=True, eq=False)
class Objective(Value):
    """What is made as high, or for a cost as low, as the constraints allow.

    Attributes
    ----------
    beta
        The β of F_β, None for other objectives; 0 is precision and infinity recall.
    costs
        What a miss and a false alarm cost, None for other objectives.
    index, lam
        A weighted index and its weight of recall, None for other objectives.
    constraints
        What a rule must keep.
    sure
        The confidence with which precision and recall must keep their levels; None asks it of
        the values seen.
    effective
        How many independent rows a weight of 1 is worth, for `sure`.
    """

    beta: float | None = 1.0
    costs: tuple[float, float] | None = None
    index: WeightedIndex | None = None
    lam: float = 0.5
    constraints: tuple[Constraint, ...] = ()
    sure: float | None = None
    effective: float = 1.0

    @property
    def name(self) -> str:
        """What is maximised or minimised, in words."""
        if self.costs is not None:
            return "cost per row"
        if self.index is not None:
            return f"{self.index.name} (λ {number(self.lam)})"
        beta = 1.0 if self.beta is None else self.beta
        if beta in (0.0, math.inf):
            return "recall" if beta else "precision"
        return f"F{number(beta)}" if beta.is_integer() else f_name(beta)

    @property
    def higher_is_better(self) -> bool:
        """Whether the value is maximised."""
        return self.costs is None

    @property
    def allows_nothing(self) -> bool:
        """Whether flagging nothing is a legal answer."""
        return self.costs is not None or self.beta == math.inf

    def gain(self, counts: Counts) -> Floats:
        """Return what is maximised: the value, or minus the cost; NaN where not defined."""
        tp, fp, positives, negatives = counts
        if self.costs is not None:
            miss, alarm = self.costs
            return np.asarray(-(miss * (positives - tp) + alarm * fp) / (positives + negatives))
        if self.index is not None:
            tp, fp, positives = np.broadcast_arrays(tp, fp, positives)
            with np.errstate(divide="ignore", invalid="ignore"):
                rows = Rows(tp, fp, cast("Any", positives), negatives)
                value = self.index.of_rows(rows, np.asarray(self.lam))
            return np.where(tp > 0, value, np.where(tp + fp > 0, 0.0, np.nan))
        recall_weight, precision_weight = f_weights(1.0 if self.beta is None else self.beta)
        missed = recall_weight * (positives - tp) + precision_weight * fp
        return divided(tp, tp + missed)

    def value(self, counts: Counts) -> Floats:
        """Return F, the index or the cost per row of rules."""
        return self.gain(counts) if self.higher_is_better else -self.gain(counts)

    def __str__(self) -> str:
        """Return the objective with its constraints, in words."""
        if not self.constraints:
            return self.name
        sure = "" if self.sure is None else f" ({number(100 * self.sure)}% sure)"
        return f"{self.name} with {several(list(map(str, self.constraints)))}{sure}"


def parse_objective(
    *,
    rows: float,
    beta: float | None = None,
    cost: float | None = None,
    miss_cost: float | None = None,
    false_alarm_cost: float | None = None,
    index: str | WeightedIndex | None = None,
    lam: float | None = None,
    min_precision: float | None = None,
    min_recall: float | None = None,
    budget: float | None = None,
    sure: float | None = None,
) -> Objective:
    """Check an objective and its constraints.

    A budget is a number of rows of the `rows` there are. Without an objective, one constraint asks
    for the most of what it does not constrain, two levels for F₁.
    """
    constraints = []
    if min_precision is not None:
        constraints.append(Constraint("precision", check_level(min_precision, "min_precision")))
    if min_recall is not None:
        constraints.append(Constraint("recall", check_level(min_recall, "min_recall")))
    if budget is not None:
        constraints.append(Constraint("flagged", min(check_budget(budget) / rows, 1.0)))
    if sure is not None:
        sure = check_confidence(sure, "sure")
        if min_precision is None and min_recall is None:
            raise ParameterError(
                "asks how sure a precision or a recall is",
                Advice("give {min_precision} or {min_recall}"),
                parameter="sure",
            )
    given = {
        "beta=": beta is not None,
        "cost=": cost is not None,
        "miss_cost= and false_alarm_cost=": miss_cost is not None or false_alarm_cost is not None,
        "index=": index is not None,
        "lam=": index is None and lam is not None,
    }
    names = [name for name, is_given in given.items() if is_given]
    if len(names) > 1:
        raise ParameterError(f"pass one objective only, but {' and '.join(names)} are given")
    kept = tuple(constraints)
    if index is not None or lam is not None:
        weight = 0.5 if lam is None else check_level(lam, "lam")
        chosen = index_named("f-measure" if index is None else index)
        return Objective(None, None, chosen, weight, kept, sure)
    if cost is not None:
        share = check_cost(cost)
        return Objective(None, (1 - share, share), constraints=kept, sure=sure)
    if miss_cost is not None or false_alarm_cost is not None:
        costs = _costs(miss_cost, false_alarm_cost)
        return Objective(None, costs, constraints=kept, sure=sure)
    if beta is None:
        beta = free_beta([each.quantity for each in constraints])
    return Objective(check_beta(beta), constraints=kept, sure=sure)


def _costs(miss_cost: float | None, false_alarm_cost: float | None) -> tuple[float, float]:
    if miss_cost is None or false_alarm_cost is None:
        raise ParameterError(
            "miss_cost and false_alarm_cost belong together: give what each error costs"
        )
    costs = []
    for name, value in (("miss_cost", miss_cost), ("false_alarm_cost", false_alarm_cost)):
        checked = check_number(value, name)
        if not 0 <= checked < math.inf:
            raise ParameterError(f"must be a finite number ≥ 0 but is {value!r}", parameter=name)
        costs.append(checked)
    if sum(costs) == 0:
        raise ParameterError("miss_cost and false_alarm_cost are both 0; give what an error costs")
    return costs[0], costs[1]


def free_beta(quantities: list[str]) -> float:
    """Return the β of what constraints of these quantities leave to maximise."""
    if "precision" in quantities and "recall" in quantities:
        return 1.0
    if "recall" in quantities:
        return 0.0
    return math.inf if quantities else 1.0
