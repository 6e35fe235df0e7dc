"""What a rule is chosen for: a cost, an F or a function of its counts, and its constraints."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypedDict, cast

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
from isometrics._core.results import Value, join_names, number
from isometrics._counting.confusion import Confusion, divided, f_name, f_weights
from isometrics.errors import Advice, ParameterError
from isometrics.spaces.indices import ClosedIndex, FGain, FMeasure, index_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._table.table import Table
    from isometrics.spaces.indices import WeightedIndex

_LARGEST_SHORT = 1e6
"""Below it a whole β stands in the name of F, as in F2."""
_MOST_COST = 1e100
"""Sums of costs over all rows, and what is divided by these, stay far from the ends of floats."""

_ROUNDING = 1e-12
"""Sums of weights in another order may miss a level by this much."""
_TOLERANCE = 16 * np.finfo(np.float64).eps
"""Gains that are closer are compared in fractions."""


class ObjectiveOptions(TypedDict, total=False):
    """What rules are chosen for, and what they must keep; see `best_threshold`."""

    beta: float | None
    cost: float | None
    miss_cost: float | None
    false_alarm_cost: float | None
    index: str | WeightedIndex | None
    lam: float | None
    objective: str | None
    min_precision: float | None
    min_recall: float | None
    max_fpr: float | None
    min_specificity: float | None
    budget: float | None


# ---------------------------------------------------------------------- constraints


class Quantity(NamedTuple):
    """What a constraint may be about: a rate or a number of `Confusion`."""

    option: str
    """The parameter that asks for it."""
    label: str
    """A constraint as tables show it."""
    is_limit: bool = False
    """Whether the level is the highest that is allowed, not the lowest."""
    unit: float = 1.0
    """How many of what is printed the level 1 is."""


QUANTITIES = {
    "precision": Quantity("min_precision", "precision ≥ {}"),
    "recall": Quantity("min_recall", "recall ≥ {}"),
    "false_positive_rate": Quantity(
        "max_fpr", "false positive rate ≤ {}%", is_limit=True, unit=100
    ),
    "specificity": Quantity("min_specificity", "specificity ≥ {}"),
    "budget": Quantity("budget", "at most {} predicted positives", is_limit=True),
    # A budget where the number of rows is known.
    "flagged": Quantity("budget", "at most {}% flagged", is_limit=True, unit=100),
}


class Constraint(NamedTuple):
    """A quantity that a rule must keep: at or above a level, or at or below it for a limit."""

    quantity: str
    """A key of `QUANTITIES`."""
    level: float
    budget: float | None = None
    """The number of flagged rows that a share was asked for as; None for other quantities."""

    @property
    def is_limit(self) -> bool:
        """Whether the level is the highest that is allowed, not the lowest."""
        return QUANTITIES[self.quantity].is_limit

    def of(self, counts: Confusion) -> Floats:
        """Return the quantity of rules."""
        quantity: Floats = getattr(counts, self.quantity)
        return quantity

    @property
    def limit(self) -> float:
        """The level, eased by what rounding may add or take."""
        return self.level * (1 + _ROUNDING if self.is_limit else 1 - _ROUNDING)

    def met(self, quantity: Any) -> Any:
        """Tell whether the quantity keeps the level to the rounding; NaN does not."""
        return quantity <= self.limit if self.is_limit else quantity >= self.limit

    def kept_by(self, counts: Confusion) -> NDArray[np.bool_]:
        """Tell which rules of a table keep the level as floats; a share of all rows is rounded."""
        quantity = self.of(counts)
        if self.quantity == "flagged":
            return np.asarray(self.met(quantity))
        return np.asarray(quantity <= self.level if self.is_limit else quantity >= self.level)

    def __str__(self) -> str:
        """Return the constraint in the words of a sentence."""
        if self.is_limit:
            return self.label
        more = " or more" if self.level < 1 else ""
        return f"{self.quantity} of {number(self.level)}{more}"

    @property
    def label(self) -> str:
        """The constraint as tables show it."""
        quantity = QUANTITIES[self.quantity]
        return quantity.label.format(number(quantity.unit * self.level))


# ---------------------------------------------------------------------- the three kinds


@dataclass(frozen=True, slots=True, eq=False)
class Objective(Value, ABC):
    """What is made as high, or for a cost as low, as the constraints allow.

    It is one of three things: `Linear`, `Ratio` or `Function`. Its *value* is what users see; its
    *gain* is what is compared, of which more is better, and which has no unit.

    Attributes
    ----------
    constraints
        What a rule must keep.
    sure
        The confidence with which rates must keep their levels; None asks it of the values seen.
    effective
        How many independent rows a weight of 1 is worth, for `sure`.
    guarantee
        The probability with which all constraints are proven to hold in the population.
    """

    constraints: tuple[Constraint, ...] = ()
    sure: float | None = None
    effective: float = 1.0
    guarantee: float | None = None

    @property
    @abstractmethod
    def name(self) -> str:
        """What is maximised or minimised, in words."""

    @property
    @abstractmethod
    def arguments(self) -> dict[str, float | str]:
        """The arguments of `parse_objective` that say the same, without constraints."""

    @property
    @abstractmethod
    def limits(self) -> tuple[float, float]:
        """The least and the highest value there can be."""

    @abstractmethod
    def value(self, counts: Confusion) -> Floats:
        """Return the value of rules; NaN where it is not defined."""

    @abstractmethod
    def exact_gain(self, tp: Fraction, fp: Fraction, counts: Confusion) -> Fraction:
        """Return what ranks a rule as its gain does, exactly; totals are those of `counts`."""

    @property
    def label(self) -> str:
        """The objective with its constraints as tables show it."""
        return _joined(self.name, [each.label for each in self.constraints])

    def __str__(self) -> str:
        """Return the objective with its constraints, in words."""
        how = "" if self.sure is None else f" ({number(100 * self.sure)}% sure)"
        if self.guarantee is not None:
            how = f" (proven at {number(100 * self.guarantee)}%)"
        return _joined(self.name, list(map(str, self.constraints))) + how

    @property
    def parameters(self) -> dict[str, float | str]:
        """The arguments of `parse_objective` that say the same, without what constraints imply."""
        asked = self.arguments
        for quantity, level, budget in self.constraints:
            asked[QUANTITIES[quantity].option] = level if budget is None else budget
        how = {"sure": self.sure, "guarantee": self.guarantee}
        return asked | {name: level for name, level in how.items() if level is not None}

    @property
    @abstractmethod
    def higher_is_better(self) -> bool:
        """Whether the value is maximised."""

    @property
    @abstractmethod
    def allows_nothing(self) -> bool:
        """Whether flagging nothing is a legal answer."""

    @property
    def needs(self) -> str:
        """What a rule must do to have a value, behind its name; empty where nothing is needed."""
        return "" if self.allows_nothing else " that flags a row"

    @property
    def on_hull(self) -> bool:
        """Whether a vertex of the hull is best, and flags no more than other rows that are."""
        return True

    def may_miss_best(self, table: Table) -> bool:  # noqa: ARG002
        """Tell whether a row that a table left out may be better than all others."""
        return False

    @property
    def weights(self) -> tuple[float, float] | None:
        """The weights of misses and false alarms; None where they do not tell the gain."""
        return None

    @property
    def advice(self) -> str:
        """What to do where no rule keeps the constraints."""
        kinds = {each.is_limit for each in self.constraints}
        if kinds == {True, False}:
            return "ask for less, or allow more"
        return "allow more" if True in kinds else "ask for less"

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

    def allowed(self, counts: Confusion) -> NDArray[np.bool_]:
        """Tell which rules keep the constraints and have a value."""
        flagged = np.asarray(counts.budget)
        allowed = np.full(flagged.shape, True) if self.allows_nothing else flagged > 0
        for constraint in self.constraints:
            allowed &= constraint.kept_by(counts)
        return allowed

    def gain(self, counts: Confusion) -> Floats:
        """Return what is maximised; NaN where it is not defined."""
        return self.value(counts)

    def ranked(self, counts: Confusion) -> tuple[NDArray[Any], bool]:
        """Return what ranks rules as gains do, and whether it is exact."""
        return self.gain(counts), False

    def best_of(self, counts: Confusion) -> NDArray[np.intp]:
        """Return the rules that are better than all others and equally good, exactly."""
        ranks, is_exact = self.ranked(counts)
        best = np.flatnonzero(ranks >= ranks.max() - (0.0 if is_exact else _TOLERANCE))
        if is_exact or best.size == 1:
            return best
        totals = Confusion(0, 0, Fraction(counts.positives), Fraction(counts.negatives))
        rules = zip(counts.tp[best].tolist(), counts.fp[best].tolist(), strict=True)
        gains = [self.exact_gain(Fraction(tp), Fraction(fp), totals) for tp, fp in rules]
        highest = max(gains)
        return best[[gain == highest for gain in gains]]

    @property
    def unit(self) -> float:
        """How much a difference of 1 between gains is in the user's unit."""
        return 1.0

    def value_of_gain(self, gain: float) -> float:
        """Return the value with a gain that was estimated, in the user's unit.

        Corrections, and rounding, may carry an estimate past all values that there can be.
        """
        value = gain if self.higher_is_better else 0.0 - gain * self.unit
        # NaN stays.
        return min(max(value, self.limits[0]), self.limits[1])

    @property
    def gain_limits(self) -> tuple[float, float]:
        """A range that holds every gain."""
        if self.higher_is_better:
            return self.limits
        return -self.limits[1] / self.unit, 0.0


def _joined(name: str, constraints: list[str]) -> str:
    return f"{name} with {join_names(constraints)}" if constraints else name


@dataclass(frozen=True, slots=True, eq=False)
class Linear(Objective):
    """The cost of errors, miss·fn + alarm·fp, as low as possible; or the accuracy.

    Attributes
    ----------
    costs
        What a miss and a false alarm cost, in the user's unit.
    cost
        The cost proportion of false alarms, where that was given; `costs` are then rounded.
    as_accuracy
        Whether the value is the share of rows without an error; both costs are then equal.
    """

    costs: tuple[float, float] = (0.5, 0.5)
    cost: float | None = None
    as_accuracy: bool = False

    # Flagging nothing has a cost, too.
    allows_nothing: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The cost per row, or the accuracy."""
        return "accuracy" if self.as_accuracy else "cost per row"

    @property
    def arguments(self) -> dict[str, float | str]:
        """The cost proportion, or both costs."""
        if self.as_accuracy:
            return {"objective": "accuracy"}
        if self.cost is not None:
            return {"cost": self.cost}
        return dict(zip(("miss_cost", "false_alarm_cost"), self.costs, strict=True))

    @property
    def limits(self) -> tuple[float, float]:
        """From nothing to every row being of the more expensive error."""
        return 0.0, 1.0 if self.as_accuracy else max(self.costs)

    @property
    def higher_is_better(self) -> bool:
        """Whether it is the accuracy."""
        return self.as_accuracy

    @property
    def unit(self) -> float:
        """The sum of both costs."""
        return 1.0 if self.as_accuracy else sum(self.costs)

    @property
    def cost_shares(self) -> tuple[Fraction, Fraction]:
        """The costs of a miss and of a false alarm as exact shares of their sum."""
        if self.cost is not None:
            return 1 - Fraction(self.cost), Fraction(self.cost)
        miss, alarm = map(Fraction, self.costs)
        return miss / (miss + alarm), alarm / (miss + alarm)

    @property
    def weights(self) -> tuple[float, float]:
        """The shares of both costs."""
        miss, alarm = map(float, self.cost_shares)
        return miss, alarm

    def value(self, counts: Confusion) -> Floats:
        """Return the cost per row, or the accuracy."""
        return counts.accuracy(0.5) if self.as_accuracy else self._per_row(counts, *self.costs)

    def gain(self, counts: Confusion) -> Floats:
        """Return minus the cost per row over the sum of both costs, or the accuracy."""
        if self.as_accuracy:
            return self.value(counts)
        return np.asarray(-self._per_row(counts, *self.weights))

    @staticmethod
    def _per_row(counts: Confusion, miss: float, alarm: float) -> Floats:
        tp, fp, positives, negatives = counts
        return divided(miss * (positives - tp) + alarm * fp, positives + negatives)

    def exact_gain(self, tp: Fraction, fp: Fraction, counts: Confusion) -> Fraction:
        """Return what is lost, as a negative number."""
        miss, alarm = self.cost_shares
        positives: Fraction = counts.positives
        return -(miss * (positives - tp) + alarm * fp)


@dataclass(frozen=True, slots=True, eq=False)
class Ratio(Objective):
    """F_β, tp/(tp + λ·fn + (1-λ)·fp) with λ = β²/(1+β²); β is 0 for precision, ∞ for recall."""

    beta: float = 1.0

    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @property
    def name(self) -> str:
        """The name of the F, such as F1."""
        if self.beta in (0.0, math.inf):
            return "recall" if self.beta else "precision"
        is_short = self.beta.is_integer() and self.beta < _LARGEST_SHORT
        return f"F{self.beta:.0f}" if is_short else f_name(self.beta)

    @property
    def label(self) -> str:
        """The same with β apart; precision and recall have their names under constraints."""
        name = self.name if self.beta in (0.0, math.inf) and self.constraints else f_name(self.beta)
        return _joined(name, [each.label for each in self.constraints])

    @property
    def arguments(self) -> dict[str, float | str]:
        """The β, unless constraints ask for it."""
        implied = self.constraints and _free_beta([each.quantity for each in self.constraints])
        return {} if self.beta == implied else {"beta": self.beta}

    @property
    def allows_nothing(self) -> bool:
        """Flagging nothing has a recall, of 0."""
        return self.beta == math.inf

    @property
    def on_hull(self) -> bool:
        """Of the most precise rows the hull has the last."""
        return self.beta > 0

    @property
    def weights(self) -> tuple[float, float]:
        """The weights of recall and precision."""
        return f_weights(self.beta)

    def value(self, counts: Confusion) -> Floats:
        """Return F."""
        return counts.f(*self.weights)

    def ranked(self, counts: Confusion) -> tuple[NDArray[Any], bool]:
        """Return F; for recall the true positives, which are exact."""
        if self.beta == math.inf:
            return np.asarray(counts.tp), True
        return self.value(counts), self.beta == 0 and _tells_precisions_apart(counts)

    def exact_gain(self, tp: Fraction, fp: Fraction, counts: Confusion) -> Fraction:
        """Return F."""
        weight = 1 - 1 / (1 + Fraction(self.beta) ** 2)
        return _exact_ratio(weight, 1 - weight, tp, fp, counts)


def _tells_precisions_apart(counts: Confusion) -> bool:
    """Tell whether different precisions differ by 2**-52 or more, so that floats are exact."""
    whole = counts.tp.dtype.kind == counts.fp.dtype.kind == "i"
    return bool(whole and counts.positives + counts.negatives < 2**26)


def _exact_ratio(
    fn_weight: Fraction, fp_weight: Fraction, tp: Fraction, fp: Fraction, counts: Confusion
) -> Fraction:
    positives: Fraction = counts.positives
    return tp / (tp + fn_weight * (positives - tp) + fp_weight * fp)


_YOUDEN = "youden"
"""A function of the counts that is no weighted index."""

_EXACT: dict[str, Callable[[Fraction, Fraction, Fraction, Confusion], Fraction]] = {
    _YOUDEN: lambda _, tp, fp, of: tp / of.positives - fp / of.negatives,
    "cost": lambda lam, tp, fp, of: lam * tp / of.positives - (1 - lam) * fp / of.negatives,
    "f-measure": lambda lam, tp, fp, of: _exact_ratio(lam, 1 - lam, tp, fp, of),
    "f-gain": lambda lam, tp, fp, of: _exact_ratio(lam, 1 - lam, tp, fp, of),
    "jaccard": lambda lam, tp, fp, of: _exact_ratio(
        min(2 * lam, Fraction(1)), min(2 * (1 - lam), Fraction(1)), tp, fp, of
    ),
    "kulczynski": lambda lam, tp, fp, of: lam * tp / of.positives + (1 - lam) * tp / (tp + fp),
}
"""What ranks rules as a function of their counts does, in fractions; not of a power."""


@dataclass(frozen=True, slots=True, eq=False)
class Function(Objective):
    """Any function of the counts: a weighted index, or Youden's J."""

    index: WeightedIndex | str = _YOUDEN
    lam: float = 0.5
    """The weight of recall in an index."""

    higher_is_better: ClassVar[bool] = True

    @property
    def _key(self) -> str:
        """The name by which tables know the function; empty for one of the user's own."""
        if isinstance(self.index, str):
            return self.index
        return self.index.name if isinstance(self.index, ClosedIndex) else ""

    @property
    def name(self) -> str:
        """The name of the function, with the weight of an index."""
        if isinstance(self.index, str):
            return "Youden's J"
        return f"{self.index.name} (λ {number(self.lam)})"

    @property
    def arguments(self) -> dict[str, float | str]:
        """The name of the function, or an index and its weight."""
        if isinstance(self.index, str):
            return {"objective": self.index}
        return {"index": self.index.name, "lam": self.lam}

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the highest value there can be."""
        if not self._key or self._key == "f-gain":
            return -math.inf, 1.0 if self._key else math.inf
        return (-1.0 if self._key == _YOUDEN else 0.0), 1.0

    @property
    def allows_nothing(self) -> bool:
        """Whether the function needs no precision."""
        return self._key in (_YOUDEN, "cost")

    @property
    def on_hull(self) -> bool:
        """Whether it has a closed form, and recall a weight."""
        is_precision = self.lam == 0 and not self.allows_nothing
        return bool(self._key) and not is_precision

    def may_miss_best(self, table: Table) -> bool:
        """Tell whether a row that a table left out may be better than all others."""
        return not (self._key or table.has_whole_curve)

    def value(self, counts: Confusion) -> Floats:
        """Return the function.

        An index that needs a precision is NaN for the empty rule. Without a true positive the F
        gain is minus infinity.
        """
        if self._key == _YOUDEN:
            return np.asarray(counts.recall - counts.false_positive_rate)
        tp, fp, positives = np.broadcast_arrays(*counts[:3])
        index = cast("WeightedIndex", self.index)
        with np.errstate(divide="ignore", invalid="ignore"):
            rows = Confusion(tp, fp, cast("Any", positives), counts.negatives)
            value = index.of_rows(rows, np.asarray(self.lam))
        if self.allows_nothing:
            return value
        if not self._key:
            # The function of a user may divide by the sum of precision and recall.
            value = np.where((tp == 0) & np.isnan(value), 0.0, value)
        return np.where(tp + fp > 0, value, np.nan)

    def ranked(self, counts: Confusion) -> tuple[NDArray[Any], bool]:
        """Return the gain; instead of the F gain F, whose rounding errors have a bound."""
        if self.lam == 0 and not self.allows_nothing and self._key in _EXACT:
            return counts.precision, _tells_precisions_apart(counts)
        if isinstance(self.index, FGain):
            return replace(self, index=FMeasure()).value(counts), False
        return self.gain(counts), self._key not in _EXACT

    def exact_gain(self, tp: Fraction, fp: Fraction, counts: Confusion) -> Fraction:
        """Return what ranks rules as the function does."""
        return _EXACT[self._key](Fraction(self.lam), tp, fp, counts)


# ---------------------------------------------------------------------- from parameters


def parse_objective(
    *,
    beta: float | None = None,
    cost: float | None = None,
    miss_cost: float | None = None,
    false_alarm_cost: float | None = None,
    index: str | WeightedIndex | None = None,
    lam: float | None = None,
    objective: str | None = None,
    min_precision: float | None = None,
    min_recall: float | None = None,
    max_fpr: float | None = None,
    min_specificity: float | None = None,
    budget: float | None = None,
    sure: float | None = None,
    guarantee: float | None = None,
) -> Objective:
    """Check an objective and its constraints.

    Without an objective, one constraint asks for the most of what it does not constrain, two
    levels for F₁.
    """
    levels = (
        ("precision", min_precision, check_level),
        ("recall", min_recall, check_level),
        ("false_positive_rate", max_fpr, check_level),
        ("specificity", min_specificity, check_level),
        ("budget", budget, check_budget),
    )
    constraints = tuple(
        Constraint(quantity, check(level, QUANTITIES[quantity].option))
        for quantity, level, check in levels
        if level is not None
    )
    how = _parse_confidence(constraints, sure, guarantee)
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
    if index is not None or lam is not None:
        weight = 0.5 if lam is None else check_level(lam, "lam")
        return Function(**how, index=index_named(index or "f-measure"), lam=weight)
    if cost is not None:
        share = check_cost(cost)
        return Linear(**how, costs=(1 - share, share), cost=share)
    if miss_cost is not None or false_alarm_cost is not None:
        return Linear(**how, costs=_costs(miss_cost, false_alarm_cost))
    if objective == "accuracy":
        return Linear(**how, as_accuracy=True)
    if objective is not None:
        check_choice(objective, "objective", ("accuracy", _YOUDEN))
        return Function(**how, index=objective)
    if beta is None:
        beta = _free_beta([each.quantity for each in constraints])
    return Ratio(**how, beta=check_beta(beta))


BETAS = (0.5, 1.0, 2.0)
"""The β of F where nothing is asked for."""


def parse_f_objectives(
    betas: float | Iterable[float] | None, constraints: dict[str, Any]
) -> list[Ratio]:
    """Return an objective for each β, under the same constraints.

    Without β it is that of what the constraints leave free, or `BETAS` where there are none.
    """
    if betas is not None:
        betas = parse_betas(betas)
    elif all(level is None for level in constraints.values()):
        betas = BETAS
    else:
        return [cast("Ratio", parse_objective(**constraints))]
    return [cast("Ratio", parse_objective(beta=beta, **constraints)) for beta in betas]


def _parse_confidence(
    constraints: tuple[Constraint, ...], sure: float | None, guarantee: float | None
) -> Any:
    """Return what all objectives are made with: their constraints, and how these must hold."""
    quantities = [each.quantity for each in constraints]
    if "false_positive_rate" in quantities and "specificity" in quantities:
        raise ParameterError(
            "a specificity is 1 minus a false positive rate",
            Advice("give {max_fpr} or {min_specificity}"),
        )
    if sure is not None:
        sure = check_confidence(sure, name="sure")
        if set(quantities) <= {"budget"}:
            raise ParameterError(
                "asks how sure a rate is",
                Advice("give {min_precision}, {min_recall}, {max_fpr} or {min_specificity}"),
                parameter="sure",
            )
    if guarantee is not None:
        guarantee = check_confidence(guarantee, name="guarantee")
        if not constraints:
            raise ParameterError(
                "is that a constraint holds",
                Advice("give one, such as {min_precision}"),
                parameter="guarantee",
            )
        if sure is not None:
            raise ParameterError("what is proven is sure", Advice("give {sure} or {guarantee}"))
    return {"constraints": constraints, "sure": sure, "guarantee": guarantee}


def _costs(miss_cost: float | None, false_alarm_cost: float | None) -> tuple[float, float]:
    if miss_cost is None or false_alarm_cost is None:
        raise ParameterError(
            "the cost of one error is given without that of the other",
            Advice("pass both {miss_cost} and {false_alarm_cost}"),
        )
    costs = []
    for name, value in (("miss_cost", miss_cost), ("false_alarm_cost", false_alarm_cost)):
        checked = check_number(value, name)
        if checked and not 1 / _MOST_COST <= checked <= _MOST_COST:
            raise ParameterError(
                f"must be 0 or lie between {1 / _MOST_COST:g} and {_MOST_COST:g} but is {value!r}",
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
