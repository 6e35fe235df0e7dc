"""What a rule is chosen for: an F_β, a cost, an index or a criterion, and its constraints."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast

import numpy as np

from isometrics._core.parameters import (
    check_beta,
    check_budget,
    check_choice,
    check_confidence,
    check_cost,
    check_level,
    check_number,
    parse_betas,
)
from isometrics._core.results import Value, number, several
from isometrics._counting.best_rules import Counts, divided
from isometrics.errors import Advice, ParameterError
from isometrics.measures import f_name
from isometrics.spaces import pr
from isometrics.spaces.indices import ClosedIndex, FGain, Rows, index_named
from isometrics.spaces.pr import f_weights
from isometrics.spaces.roc import accuracy_of_counts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._table.table import Table
    from isometrics.spaces.indices import WeightedIndex

CRITERIA = ("accuracy", "youden", "break-even")
"""The objectives that have a name and no number."""

_LARGEST_SHORT = 1e6
"""Below it a whole β stands in the name of F, as in F2."""
_MOST_COST = 1e100
"""Sums of costs over all rows, and what is divided by these, stay far from the ends of floats."""

_ROUNDING = 1e-12
"""Sums of weights in another order may miss a level by this much."""


class ObjectiveOptions(TypedDict, total=False):
    """What rules are chosen for, and what they must keep; see `best_threshold`."""

    beta: float | None
    cost: float | None
    miss_cost: float | None
    false_alarm_cost: float | None
    index: str | WeightedIndex | None
    lam: float | None
    min_precision: float | None
    min_recall: float | None
    budget: float | None


class RuleOptions(ObjectiveOptions, total=False):
    """The same with the criteria that have a name."""

    objective: str | None


def within(value: float, limits: tuple[float, float]) -> float:
    """Return the value of a range that is nearest to a value; NaN stays."""
    return min(max(value, limits[0]), limits[1])


class Constraint(NamedTuple):
    """A quantity that a rule must keep: at or above a level, or at or below it where it flags."""

    quantity: str
    """``"precision"`` or ``"recall"``, at least; ``"budget"``, a number of flagged rows, or
    ``"flagged"``, their share of all rows, at most."""
    level: float
    budget: float | None = None
    """The number of flagged rows that a share was asked for as; None for other quantities."""

    @property
    def is_limit(self) -> bool:
        """Whether the level is the highest that is allowed, not the lowest."""
        return self.quantity in ("budget", "flagged")

    def of(self, counts: Counts) -> Floats:
        """Return the quantity of rules."""
        quantity: Floats = getattr(counts, self.quantity)
        return quantity

    @property
    def limit(self) -> float:
        """The level, eased by what rounding may add or take."""
        if self.is_limit:
            return self.level * (1 + _ROUNDING)
        return max(self.level - _ROUNDING, 0.0)

    def met(self, quantity: Any) -> Any:
        """Tell whether the quantity keeps the level to the rounding; NaN does not."""
        return quantity <= self.limit if self.is_limit else quantity >= self.limit

    def met_by(self, table: Table) -> NDArray[np.bool_]:
        """Tell which rows of a table keep the level as floats; the empty rule has no precision."""
        if self.quantity == "flagged":
            return np.asarray(
                table.tp + table.fp <= self.limit * (table.positives + table.negatives)
            )
        if self.quantity == "budget":
            return np.asarray(table.tp + table.fp <= self.level)
        share = pr.precision(table) if self.quantity == "precision" else pr.recall(table)
        with np.errstate(invalid="ignore"):
            return np.asarray(share >= self.level)

    def __str__(self) -> str:
        """Return the constraint in the words of a sentence."""
        if self.is_limit:
            return self.label
        more = " or more" if self.level < 1 else ""
        return f"{self.quantity} of {number(self.level)}{more}"

    @property
    def label(self) -> str:
        """The constraint as tables show it."""
        if self.quantity == "flagged":
            return f"at most {number(100 * self.level)}% flagged"
        if self.quantity == "budget":
            return f"at most {number(self.level)} predicted positives"
        return f"{self.quantity} ≥ {number(self.level)}"


@dataclass(frozen=True, slots=True, eq=False)
class Objective(Value):
    """What is made as high, or for a cost as low, as the constraints allow.

    Attributes
    ----------
    beta
        The β of F_β, None for other objectives; 0 is precision and infinity recall.
    costs
        What a miss and a false alarm cost, in the user's unit; None for other objectives.
    index, lam
        A weighted index and its weight of recall, None for other objectives.
    constraints
        What a rule must keep.
    sure
        The confidence with which precision and recall must keep their levels; None asks it of
        the values seen.
    effective
        How many independent rows a weight of 1 is worth, for `sure`.
    cost
        The cost proportion of false alarms, where that was given; `costs` are then rounded.
    criterion
        ``"accuracy"`` (at `costs`), ``"youden"`` or ``"break-even"``; None for other objectives.
    """

    beta: float | None = 1.0
    costs: tuple[float, float] | None = None
    index: WeightedIndex | None = None
    lam: float = 0.5
    constraints: tuple[Constraint, ...] = ()
    sure: float | None = None
    effective: float = 1.0
    cost: float | None = None
    criterion: str | None = None

    @property
    def name(self) -> str:
        """What is maximised or minimised, in words."""
        if self.criterion is not None:
            return self._criterion_name
        if self.costs is not None:
            return "cost per row"
        if self.index is not None:
            return f"{self.index.name} (λ {number(self.lam)})"
        beta = 1.0 if self.beta is None else self.beta
        if beta in (0.0, math.inf):
            return "recall" if beta else "precision"
        return f"F{beta:.0f}" if beta.is_integer() and beta < _LARGEST_SHORT else f_name(beta)

    @property
    def _criterion_name(self) -> str:
        if self.criterion == "accuracy":
            at_cost = "" if self.cost is None else f" at cost {number(self.cost)}"
            return f"accuracy{at_cost}"
        return "Youden's J" if self.criterion == "youden" else "break-even (precision - recall)"

    @property
    def label(self) -> str:
        """The objective with its constraints as tables show it."""
        if self.beta is None or (self.beta in (0.0, math.inf) and self.constraints):
            name = self.name
        else:
            name = f_name(self.beta)
        if not self.constraints:
            return name
        return f"{name} with {several([each.label for each in self.constraints])}"

    @property
    def parameters(self) -> dict[str, float | str]:
        """The arguments of `parse_objective` that say the same, without what constraints imply."""
        asked: dict[str, float | str] = {}
        if self.beta is not None:
            implied = self.constraints and _free_beta([each.quantity for each in self.constraints])
            asked |= {} if self.beta == implied else {"beta": self.beta}
        elif self.cost is not None:
            asked["cost"] = self.cost
        elif self.index is not None:
            asked |= {"index": self.index.name, "lam": self.lam}
        elif self.criterion is not None:
            asked["objective"] = self.criterion
        else:
            costs = cast("tuple[float, float]", self.costs)
            asked |= zip(("miss_cost", "false_alarm_cost"), costs, strict=True)
        for quantity, level, budget in self.constraints:
            if quantity in ("budget", "flagged"):
                asked["budget"] = level if budget is None else budget
            else:
                asked[f"min_{quantity}"] = level
        return asked if self.sure is None else asked | {"sure": self.sure}

    @property
    def higher_is_better(self) -> bool:
        """Whether the value is maximised."""
        return self.costs is None or self.criterion is not None

    @property
    def allows_nothing(self) -> bool:
        """Whether flagging nothing is a legal answer."""
        if isinstance(self.index, ClosedIndex):
            return self.index.has_empty_rule
        return self.costs is not None or self.criterion == "youden" or self.beta == math.inf

    @property
    def needs(self) -> str:
        """What a rule must do to have a value, behind its name; empty where nothing is needed."""
        if self.allows_nothing:
            return ""
        return " that finds a positive" if self.criterion == "break-even" else " that flags a row"

    @property
    def advice(self) -> str:
        """What to do where no rule keeps the constraints."""
        kinds = {each.is_limit for each in self.constraints}
        if kinds == {True, False}:
            return "ask for less, or allow more"
        return "allow more" if True in kinds else "ask for less"

    @property
    def cost_shares(self) -> tuple[Fraction, Fraction]:
        """The costs of a miss and of a false alarm as exact shares of their sum."""
        if self.cost is not None:
            return 1 - Fraction(self.cost), Fraction(self.cost)
        miss, alarm = map(Fraction, cast("tuple[float, float]", self.costs))
        return miss / (miss + alarm), alarm / (miss + alarm)

    def for_rows(self, rows: float) -> Objective:
        """Return the same with the budget as a share of so many rows, which replicates keep."""
        return replace(
            self,
            constraints=tuple(
                Constraint("flagged", min(each.level / rows, 1.0), each.level)
                if each.quantity == "budget"
                else each
                for each in self.constraints
            ),
        )

    def gain(self, counts: Counts) -> Floats:
        """Return what is maximised; NaN where it is not defined.

        That is the value; of a cost minus the value, divided by the sum of both costs, so that
        gains do not depend on the unit of the costs.
        """
        if not self.higher_is_better:
            shares = map(float, self.cost_shares)
            return np.asarray(-_cost_per_row(counts, *shares))
        if self.criterion == "break-even":
            return -np.abs(self.value(counts))
        return self.value(counts)

    def value(self, counts: Counts) -> Floats:
        """Return F, the index, the criterion or the cost per row of rules.

        An index that needs a precision is NaN for the empty rule. Without a true positive the F
        gain is minus infinity.
        """
        tp, fp, positives, negatives = counts
        if self.criterion == "youden":
            return np.asarray(tp / positives - fp / negatives)
        if self.criterion == "break-even":
            return np.where(tp > 0, counts.precision - counts.recall, np.nan)
        if self.costs is not None and self.criterion is None:
            return _cost_per_row(counts, *self.costs)
        if self.costs is not None:
            return accuracy_of_counts(tp, fp, positives, negatives, cost=float(self.cost_shares[1]))
        if self.index is not None:
            return self._index_value(self.index, counts)
        recall_weight, precision_weight = f_weights(1.0 if self.beta is None else self.beta)
        missed = recall_weight * (positives - tp) + precision_weight * fp
        return divided(tp, tp + missed)

    def _index_value(self, index: WeightedIndex, counts: Counts) -> Floats:
        tp, fp, positives = np.broadcast_arrays(*counts[:3])
        with np.errstate(divide="ignore", invalid="ignore"):
            rows = Rows(tp, fp, cast("Any", positives), counts.negatives)
            value = index.of_rows(rows, np.asarray(self.lam))
        if self.allows_nothing:
            return value
        if not isinstance(index, ClosedIndex):
            # The function of a user may divide by the sum of precision and recall.
            value = np.where((tp == 0) & np.isnan(value), 0.0, value)
        return np.where(tp + fp > 0, value, np.nan)

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the highest value there can be."""
        if self.criterion in ("youden", "break-even"):
            return -1.0, 1.0
        if self.criterion == "accuracy":
            return 0.0, 2 * float(max(self.cost_shares))
        if self.costs is not None:
            return 0.0, max(self.costs)
        if isinstance(self.index, FGain):
            return -math.inf, 1.0
        if self.index is None or isinstance(self.index, ClosedIndex):
            return 0.0, 1.0
        return -math.inf, math.inf

    @property
    def gain_limits(self) -> tuple[float, float]:
        """A range that holds every gain."""
        if self.higher_is_better:
            return self.limits
        return -float(max(self.cost_shares)), 0.0

    @property
    def unit(self) -> float:
        """How much a difference of 1 between gains is in the user's unit."""
        return 1.0 if self.higher_is_better else sum(cast("tuple[float, float]", self.costs))

    def value_of_gain(self, gain: float) -> float:
        """Return the value with a gain that was estimated, in the user's unit.

        Corrections, and rounding, may carry an estimate past all values that there can be.
        """
        value = gain if self.higher_is_better else 0.0 - gain * self.unit
        return within(value, self.limits)

    def __str__(self) -> str:
        """Return the objective with its constraints, in words."""
        if not self.constraints:
            return self.name
        sure = "" if self.sure is None else f" ({number(100 * self.sure)}% sure)"
        return f"{self.name} with {several(list(map(str, self.constraints)))}{sure}"


def _cost_per_row(counts: Counts, miss: float, alarm: float) -> Floats:
    tp, fp, positives, negatives = counts
    return divided(miss * (positives - tp) + alarm * fp, positives + negatives)


def parse_objective(
    *,
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
    objective: str | None = None,
) -> Objective:
    """Check an objective and its constraints.

    Without an objective, one constraint asks for the most of what it does not constrain, two
    levels for F₁.
    """
    constraints = []
    if min_precision is not None:
        constraints.append(Constraint("precision", check_level(min_precision, "min_precision")))
    if min_recall is not None:
        constraints.append(Constraint("recall", check_level(min_recall, "min_recall")))
    if budget is not None:
        constraints.append(Constraint("budget", check_budget(budget)))
    if sure is not None:
        sure = check_confidence(sure, "sure")
        if min_precision is None and min_recall is None:
            raise ParameterError(
                "asks how sure a precision or a recall is",
                Advice("give {min_precision} or {min_recall}"),
                parameter="sure",
            )
    given = {
        "{beta}": beta is not None,
        "{cost}": cost is not None,
        "{miss_cost} and {false_alarm_cost}": miss_cost is not None or false_alarm_cost is not None,
        "{objective}": objective is not None,
        "{index}": index is not None,
        "{lam}": index is None and lam is not None,
    }
    names = [name for name, is_given in given.items() if is_given]
    if len(names) > 1:
        raise ParameterError(
            "more than one objective is given", Advice(f"pass one of {' and '.join(names)}")
        )
    asked = Objective(None, constraints=tuple(constraints), sure=sure)
    if index is not None or lam is not None:
        weight = 0.5 if lam is None else check_level(lam, "lam")
        return replace(
            asked, index=index_named("f-measure" if index is None else index), lam=weight
        )
    if cost is not None:
        share = check_cost(cost)
        return replace(asked, costs=(1 - share, share), cost=share)
    if miss_cost is not None or false_alarm_cost is not None:
        return replace(asked, costs=_costs(miss_cost, false_alarm_cost))
    if objective is not None:
        criterion = check_choice(objective, "objective", CRITERIA)
        costs = (0.5, 0.5) if criterion == "accuracy" else None
        return replace(asked, criterion=criterion, costs=costs)
    if beta is None:
        beta = _free_beta([each.quantity for each in constraints])
    return replace(asked, beta=check_beta(beta))


BETAS = (0.5, 1.0, 2.0)
"""The β of F where nothing is asked for."""


def parse_f_objectives(
    betas: float | Iterable[float] | None, constraints: dict[str, Any]
) -> list[Objective]:
    """Return an objective for each β, under the same constraints.

    Without β it is that of what the constraints leave free, or `BETAS` where there are none.
    """
    if betas is not None:
        return [parse_objective(beta=beta, **constraints) for beta in parse_betas(betas)]
    if all(level is None for level in constraints.values()):
        return [parse_objective(beta=beta) for beta in BETAS]
    return [parse_objective(**constraints)]


def _costs(miss_cost: float | None, false_alarm_cost: float | None) -> tuple[float, float]:
    if miss_cost is None or false_alarm_cost is None:
        raise ParameterError(
            "the cost of one error is given without that of the other",
            Advice("pass both {miss_cost} and {false_alarm_cost}"),
        )
    costs = []
    for name, value in (("miss_cost", miss_cost), ("false_alarm_cost", false_alarm_cost)):
        checked = check_number(value, name)
        if not 0 <= checked < math.inf:
            raise ParameterError(f"must be a finite number ≥ 0 but is {value!r}", parameter=name)
        if checked and not 1 / _MOST_COST <= checked <= _MOST_COST:
            raise ParameterError(
                f"must be 0 or lie between {1 / _MOST_COST:g} and {_MOST_COST:g} but is {value!r}; "
                "give both costs in another unit",
                parameter=name,
            )
        costs.append(checked)
    if sum(costs) == 0:
        raise ParameterError("miss_cost and false_alarm_cost are both 0; give what an error costs")
    return costs[0], costs[1]


def _free_beta(quantities: list[str]) -> float:
    """Return the β of what constraints of these quantities leave to maximise."""
    if "precision" in quantities and "recall" in quantities:
        return 1.0
    if "recall" in quantities:
        return 0.0
    return math.inf if quantities else 1.0
