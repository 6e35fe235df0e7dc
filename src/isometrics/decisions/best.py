"""One decision: the best threshold for an F_β, a cost, a constraint or a budget."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.parameters import (
    check_beta,
    check_budget,
    check_choice,
    check_cost,
    check_level,
)
from isometrics._core.results import ResultTable, number, several
from isometrics._table.hull import hull_rows, ordered_with_ends
from isometrics._table.table import Kind, Table
from isometrics.decisions.beta_intervals import OptimalThresholds, optimal_thresholds
from isometrics.decisions.decision import decision_at, decision_of
from isometrics.decisions.objective import free_beta
from isometrics.errors import ParameterError
from isometrics.measures import f_name
from isometrics.points import OperatingPoints
from isometrics.spaces import pr, roc
from isometrics.spaces.indices import ClosedIndex, Rows, WeightedIndex, index_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts, Floats
    from isometrics.decisions.decision import Decision

    Exact = Callable[[Fraction, Fraction], Fraction]


OBJECTIVES = ("accuracy", "youden", "break-even")
_TOLERANCE = 16 * np.finfo(np.float64).eps


def best_threshold(
    pts: OperatingPoints,
    *,
    beta: float | None = None,
    cost: float | None = None,
    objective: str | None = None,
    min_precision: float | None = None,
    min_recall: float | None = None,
    budget: float | None = None,
    index: str | WeightedIndex | None = None,
    lam: float | None = None,
) -> Decision:
    """Return the threshold that is best for one objective, under constraints if any are given.

    Among equally good rows the one with the highest threshold is returned, that is, the one with
    the fewest predicted positives; in a family of sets, then the one with the fewest false
    positives. Ties are determined in exact arithmetic.

    Parameters
    ----------
    pts
        Any table; a family of sets is completed by the two trivial rules.
    beta
        Maximise F_β; 0 is precision and ``inf`` recall. The empty rule is never chosen, unless for
        recall nothing else keeps a budget. Without an objective and without constraints, β is 1.
    cost
        Maximise the accuracy at a cost proportion of false positives. For this, for
        ``"accuracy"`` and for ``"youden"`` the empty rule, at +inf, is a legal answer, unless a
        row has a score of +inf, which no threshold excludes.
    objective
        ``"accuracy"``; ``"youden"``: true minus false positive rate; ``"break-even"``: precision
        and recall closest to each other, among rules with a true positive. The value is then
        precision minus recall.
    min_precision
        Look among the rules that reach this precision; without an objective, for the most recall.
    min_recall
        Look among the rules that reach this recall; without an objective, for the highest
        precision, or with `min_precision` for F₁.
    budget
        Look among the rules with at most this many predicted positives; without an objective, for
        the most recall. If more rows than that tie at the highest score, the empty rule is
        returned. In a table at another prevalence the negatives are scaled, and the budget applies
        to the scaled counts.
    index
        Maximise a weighted index, as named for `OperatingPoints.tradeoff`, at the weight `lam`.
    lam
        The weight of recall for `index`, by default ½; without `index`, for the F-measure.

    Notes
    -----
    Constraints are compared as floats: 8 true positives of 10 reach a recall of 0.8. At β = 0
    recall has no weight, so of several rows with the highest precision the strictest is returned,
    although `optimal_thresholds` lists the last of them. For an index, two rows tie if the rounded
    `lam` equals the rounded end of their intervals.

    Examples
    --------
    >>> import isometrics as iso
    >>> labels, scores = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> pts = iso.OperatingPoints.from_scores(labels, scores)
    >>> iso.best_threshold(pts)
    Decision: threshold 0.6, best for F (β 1): 0.75
    tp  fp  fn  tn  precision  recall  F (β 1)    F gain
     3   1   1   3       0.75    0.75     0.75  0.666667
    >>> float(iso.best_threshold(pts, min_recall=0.9))
    0.3
    >>> float(iso.best_threshold(pts, beta=2, min_precision=0.7))
    0.6
    """
    objectives: dict[str, Any] = {"beta": beta, "cost": cost, "objective": objective}
    objectives |= {"lam": lam} if index is None else {"index": index}
    given = {name: value for name, value in objectives.items() if value is not None}
    if len(given) > 1:
        names = " and ".join(f"{name}=" for name in given)
        raise ParameterError(f"pass one objective only, but {names} are given")
    limits = Limits(
        None if min_precision is None else check_level(min_precision, "min_precision"),
        None if min_recall is None else check_level(min_recall, "min_recall"),
        None if budget is None else check_budget(budget),
    )
    asked = limits.asked
    table = pts.table
    if not given and len(asked) == 1:
        if limits.precision is not None:
            return _for_recall(table, limits.precision)
        if limits.recall is not None:
            return _for_precision(table, limits.recall)
        return _for_budget(table, cast("float", limits.flagged))
    if not given:
        beta = free_beta(asked)
    goal = _goal(beta, cost, objective, index, lam)
    best = _free(pts, goal)
    return best if not asked else _under_limits(pts, goal, limits, best)


class Goal(NamedTuple):
    """An objective in one of four forms; the others are None."""

    beta: float | None = None
    cost: float | None = None
    objective: str | None = None
    weighted_index: WeightedIndex | None = None
    lam: float = 0.5


class Limits(NamedTuple):
    """What a rule must reach: a precision, a recall, and at most so many predicted positives."""

    precision: float | None
    recall: float | None
    flagged: float | None

    @property
    def asked(self) -> list[str]:
        """The names of those that are given."""
        return [name for name, value in self._asdict().items() if value is not None]

    def allowed(self, table: Table) -> NDArray[np.bool_]:
        """Tell which rows keep them; the empty rule has no precision."""
        allowed = np.ones(table.size, np.bool_)
        with np.errstate(invalid="ignore"):
            if self.precision is not None:
                allowed &= pr.precision(table) >= self.precision
            if self.recall is not None:
                allowed &= pr.recall(table) >= self.recall
            if self.flagged is not None:
                allowed &= table.tp + table.fp <= self.flagged
        return allowed

    def __str__(self) -> str:
        """Return what is given in words."""
        levels = {"precision": self.precision, "recall": self.recall}
        said = [f"{name} ≥ {number(level)}" for name, level in levels.items() if level is not None]
        if self.flagged is not None:
            said.append(f"at most {number(self.flagged)} predicted positives")
        return several(said)


def _goal(
    beta: float | None,
    cost: float | None,
    objective: str | None,
    index: str | WeightedIndex | None,
    lam: float | None,
) -> Goal:
    if index is not None or lam is not None:
        chosen = index_named("f-measure" if index is None else index)
        return Goal(weighted_index=chosen, lam=0.5 if lam is None else check_level(lam, "lam"))
    if cost is not None:
        return Goal(cost=check_cost(cost))
    if objective is not None:
        return Goal(objective=check_choice(objective, "objective", OBJECTIVES))
    return Goal(beta=1.0 if beta is None else check_beta(beta))


def _free(pts: OperatingPoints, goal: Goal) -> Decision:
    """Return the best rule where nothing constrains it."""
    if goal.weighted_index is not None:
        return _for_index(pts, goal.weighted_index, goal.lam)
    if goal.cost is not None:
        return _for_cost(pts.table, goal.cost, f"accuracy at cost {number(goal.cost)}")
    if goal.objective is not None:
        by_name = {"accuracy": _for_accuracy, "youden": _for_youden, "break-even": _for_break_even}
        return by_name[goal.objective](pts.table)
    return _for_f(pts, cast("float", goal.beta))


# ---------------------------------------------------------------------- objectives on the hull


def _for_f(pts: OperatingPoints, beta: float) -> Decision:
    if beta == 0:
        table = _with_trivial_rules(pts.table)
        row = _highest_precision(table, np.flatnonzero(table.tp + table.fp > 0))
        return decision_at(OperatingPoints(table), row, f_name(beta), beta)
    return best_of_optimal(optimal_thresholds(pts), beta)


def best_of_optimal(optimal: OptimalThresholds, beta: float) -> Decision:
    """Return the best threshold for a β above 0, from the table of those for all β."""
    return decision_at(optimal.at(beta).points, 0, f_name(beta), beta)


def _for_index(pts: OperatingPoints, index: WeightedIndex, lam: float) -> Decision:
    curve = pts.tradeoff(index)
    objective = f"{index.name} (λ {number(lam)})"
    if index.name == "cost":
        hull = _threshold_hull(pts.table)
        tp_weight = Fraction(lam) / Fraction(hull.positives)
        fp_weight = Fraction(1 - lam) / Fraction(hull.negatives)
        values = index.of_rows(Rows.of_table(hull), np.asarray(lam))
        scale = _linear_scale(hull, tp_weight, fp_weight, values)
        return scale.best(hull, np.arange(hull.size), objective)
    if lam == 0 and isinstance(index, ClosedIndex):
        # Only precision counts, so rows may tie that differ elsewhere on the curve.
        table = _with_trivial_rules(pts.table)
        row = _highest_precision(table, np.flatnonzero(table.tp + table.fp > 0))
        return decision_of(table, row, objective, curve(lam))
    return decision_of(curve.best(lam).table, 0, objective, curve(lam))


def _for_accuracy(table: Table) -> Decision:
    return _for_cost(table, 0.5, "accuracy")


def _for_cost(table: Table, cost: float, objective: str) -> Decision:
    return _best_vertex(_threshold_hull(table), Goal(cost=cost), objective)


def _for_youden(table: Table) -> Decision:
    return _best_vertex(_threshold_hull(table), Goal(objective="youden"), "Youden's J")


def _best_vertex(hull: Table, goal: Goal, objective: str) -> Decision:
    """Return the best vertex by a goal that is linear in the counts.

    Rows that tie with a vertex lie between two vertices that tie, and the first of these has
    fewer predicted positives; so the vertices suffice.
    """
    return _scale_of(hull, goal).best(hull, np.arange(hull.size), objective)


# ---------------------------------------------------------------------- objectives on all rows


def _for_break_even(table: Table) -> Decision:
    table.refuse_gaps("the break-even point")
    table = _with_trivial_rules(table)
    scale = _scale_of(table, Goal(objective="break-even"))
    return scale.best(table, np.flatnonzero(table.tp > 0), "break-even (precision - recall)")


def _for_recall(table: Table, level: float) -> Decision:
    table.refuse_gaps("the best row above a precision")
    table = _with_trivial_rules(table)
    precision = pr.precision(table)
    with np.errstate(invalid="ignore"):
        reached = np.flatnonzero(precision >= level)
    if reached.size == 0:
        raise ParameterError(
            f"no threshold reaches precision {number(level)}; "
            f"the best is {number(float(np.nanmax(precision)))}"
        )
    return _highest_recall(table, reached, f"recall with precision ≥ {number(level)}")


def _for_precision(table: Table, level: float) -> Decision:
    table.refuse_gaps("the best row above a recall")
    table = _with_trivial_rules(table)
    reached = np.flatnonzero((pr.recall(table) >= level) & (table.tp + table.fp > 0))
    row = _highest_precision(table, reached)
    objective = f"precision with recall ≥ {number(level)}"
    return decision_of(table, row, objective, float(pr.precision(table)[row]))


def _for_budget(table: Table, budget: float) -> Decision:
    table.refuse_gaps("the best row within a budget")
    table = _threshold_rules(_with_trivial_rules(table))
    within = np.flatnonzero(table.tp + table.fp <= budget)
    if within.size == 0:
        raise ParameterError(
            f"no threshold has at most {number(budget)} predicted positives: a score of +inf, "
            f"which {number(plain(table.tp[0] + table.fp[0]))} rows have, reaches all of them; "
            "give a larger budget, or finite scores"
        )
    objective = f"recall with at most {number(budget)} predicted positives"
    return _highest_recall(table, within, objective)


def _under_limits(pts: OperatingPoints, goal: Goal, limits: Limits, best: Decision) -> Decision:
    """Return the best rule that keeps the limits; `best` is the one without them."""
    objective = f"{best.objective} with {limits}"
    chosen = OperatingPoints(_points_of(best, pts.table))
    if limits.allowed(chosen.table)[0]:
        # What is best of all is best of those allowed; so a table with gaps may know it.
        return replace(best, objective=objective)
    pts.table.refuse_gaps("the best row under constraints")
    table = _threshold_rules(_with_trivial_rules(pts.table))
    allowed = limits.allowed(table)
    if goal.weighted_index is not None or goal.objective == "break-even":
        allowed &= table.tp > 0
    elif goal.beta is not None and not math.isinf(goal.beta):
        allowed &= table.tp + table.fp > 0
    rows = np.flatnonzero(allowed)
    if rows.size == 0:
        raise ParameterError(f"no threshold has {limits}; ask for less")
    return _scale_of(table, goal).best(table, rows, objective, best.beta)


class _Scale(NamedTuple):
    """What is maximised for each row, approximately and exactly, and what is shown of it."""

    approximate: Floats
    exact: Exact
    margin: float
    shown: Floats

    def best(
        self, table: Table, rows: NDArray[np.intp], objective: str, beta: float = 1.0
    ) -> Decision:
        """Return the best of some rows."""
        row = _best(table, rows, self.approximate, exact=self.exact, margin=self.margin)
        return decision_of(table, row, objective, float(self.shown[row]), beta)


def _points_of(decision: Decision, table: Table) -> Table:
    counts = (np.array([decision.tp]), np.array([decision.fp]))
    return Table(np.array([np.inf]), *counts, table.positives, table.negatives, Kind.SELECTION)


def _scale_of(table: Table, goal: Goal) -> _Scale:
    positives, negatives = Fraction(table.positives), Fraction(table.negatives)
    if goal.beta is not None:
        squared = Fraction(0 if math.isinf(goal.beta) else goal.beta) ** 2
        weight = Fraction(1) if math.isinf(goal.beta) else squared / (1 + squared)
        f = pr.f(table, goal.beta)
        return _Scale(
            f,
            lambda tp, fp: tp / (tp + weight * (positives - tp) + (1 - weight) * fp),
            _TOLERANCE,
            f,
        )
    if goal.weighted_index is not None:
        index, lam = goal.weighted_index, np.asarray(goal.lam)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = index.of_rows(Rows.of_table(table), lam)

        def of_row(tp: Fraction, fp: Fraction) -> Fraction:
            counts = np.asarray(float(tp)), np.asarray(float(fp))
            row = Rows(*counts, table.positives, table.negatives)
            return Fraction(float(index.of_rows(row, lam)))

        return _Scale(values, of_row, 0.0, values)
    if goal.objective == "break-even":
        difference = pr.precision(table) - pr.recall(table)
        return _Scale(
            -np.abs(difference),
            lambda tp, fp: -abs(tp / (tp + fp) - tp / positives),
            _TOLERANCE,
            difference,
        )
    cost = 0.5 if goal.cost is None else goal.cost
    tp_weight, fp_weight, shown = 1 - Fraction(cost), Fraction(cost), roc.accuracy(table, cost)
    if goal.objective == "youden":
        tp_weight, fp_weight = 1 / positives, 1 / negatives
        shown = roc.true_positive_rate(table) - roc.false_positive_rate(table)
    return _linear_scale(table, tp_weight, fp_weight, shown)


def _linear_scale(table: Table, tp_weight: Fraction, fp_weight: Fraction, shown: Floats) -> _Scale:
    """Return tp_weight·tp - fp_weight·fp of each row."""
    gains, losses = float(tp_weight) * table.tp, float(fp_weight) * table.fp
    return _Scale(
        gains - losses,
        lambda tp, fp: tp_weight * tp - fp_weight * fp,
        _TOLERANCE * float((gains + losses).max()),
        shown,
    )


def _with_trivial_rules(table: Table) -> Table:
    """Return all rows, the empty and the always-positive rule included."""
    return table if table.nested else ordered_with_ends(table)


def _threshold_rules(table: Table) -> Table:
    """Leave out the empty rule where a row has a score of +inf, which every threshold accepts."""
    not_empty = table.tp + table.fp > 0
    if (not_empty & (table.thresholds == np.inf)).any():
        return table.take(np.flatnonzero(not_empty), table.kind)
    return table


def _threshold_hull(table: Table) -> Table:
    """Return the hull of the rules that some threshold has."""
    table = _threshold_rules(_with_trivial_rules(table))
    return table.take(hull_rows(table), Kind.HULL)


def _highest_recall(table: Table, rows: NDArray[np.intp], objective: str) -> Decision:
    row = _fewest_predicted(table, rows[table.tp[rows] == table.tp[rows].max()])
    return decision_of(table, row, objective, float(pr.recall(table)[row]))


def _highest_precision(table: Table, rows: NDArray[np.intp]) -> int:
    precision = pr.precision(table)
    integers = table.tp.dtype.kind == table.fp.dtype.kind == "i"
    if integers and table.positives + table.negatives < 2**26:
        # Different precisions differ by 2**-52 or more here, so floats distinguish them.
        return _fewest_predicted(table, rows[precision[rows] == precision[rows].max()])
    return _best(table, rows, precision, exact=lambda tp, fp: tp / (tp + fp), margin=0.0)


def _best(
    table: Table, rows: NDArray[np.intp], approximate: Floats, *, exact: Exact, margin: float
) -> int:
    """Return the row with the highest value; those within the margin are compared exactly."""
    values = approximate[rows]
    candidates = rows[values >= values.max() - margin]
    counts = zip(table.tp[candidates].tolist(), table.fp[candidates].tolist(), strict=True)
    exact_values = [exact(Fraction(tp), Fraction(fp)) for tp, fp in counts]
    highest = max(exact_values)
    return _fewest_predicted(table, candidates[[value == highest for value in exact_values]])


def _fewest_predicted(table: Table, rows: NDArray[np.intp]) -> int:
    """Return the row with the fewest predicted positives.

    Only a family of sets can have several; the first of them has the fewest false positives.
    """
    return int(rows[np.argmin(table.tp[rows] + table.fp[rows])])


ALL_ROWS = "(all rows)"
"""The name of the group where a table holds all groups together."""


class Entry(NamedTuple):
    """A table with the names of its model and its group."""

    model: str
    group: str
    points: OperatingPoints


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Thresholds(ResultTable):
    """One row for each model, group and β: the threshold with the highest F_β.

    Attributes
    ----------
    names, groups
        The model and the group of each row; ``"(all rows)"`` is all groups together.
    beta
        The β of each row.
    threshold
        The best threshold; NaN where a table has none.
    labels
        The name of the best row in a family of sets, else None.
    tp, fp, precision, recall, f
        The counts of the rule ``score >= threshold``, and its measures.
    beta_lo, beta_hi
        The threshold is the best one for every β between these.
    """

    _left: ClassVar[tuple[str, ...]] = ("model", "group", "label")
    _most_rows: ClassVar[int] = 60

    names: tuple[str, ...]
    groups: tuple[str, ...]
    beta: Floats
    threshold: NDArray[Any]
    labels: tuple[object, ...]
    tp: Counts
    fp: Counts
    precision: Floats
    recall: Floats
    f: Floats
    beta_lo: Floats
    beta_hi: Floats

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.names)

    def _title(self) -> str:
        betas = several([number(beta) for beta in dict.fromkeys(self.beta.tolist())])
        return f"Thresholds: best for F with β {betas}"

    def _shown(self) -> dict[str, Any]:
        columns = self._columns()
        if set(self.groups) == {ALL_ROWS}:
            del columns["group"]
        return columns

    def _columns(self) -> dict[str, Any]:
        names: dict[str, Any] = {
            "model": list(self.names),
            "group": list(self.groups),
            "beta": self.beta,
            "threshold": self.threshold,
        }
        if any(label is not None for label in self.labels):
            names["label"] = ["" if label is None else str(label) for label in self.labels]
        measures = ("tp", "fp", "precision", "recall", "f", "beta_lo", "beta_hi")
        return names | self._named(*measures)


def thresholds_of(entries: Iterable[Entry], betas: Sequence[float]) -> Thresholds:
    """Return the best row of each table for each β."""
    rows = [
        (entry.model, entry.group, beta, *best)
        for entry in entries
        for beta, best in zip(betas, _best_rows(entry.points, betas), strict=True)
    ]
    names, groups, beta, threshold, labels, *numbers = zip(*rows, strict=True)
    return Thresholds(
        names, groups, np.array(beta), np.array(threshold), labels, *map(np.array, numbers)
    )


def _best_rows(points: OperatingPoints, betas: Sequence[float]) -> list[tuple[object, ...]]:
    optimal = optimal_thresholds(points.hull())
    rows: list[tuple[object, ...]] = []
    for beta in betas:
        # At β = 0 rows may tie that are not on the hull.
        best = best_of_optimal(optimal, beta) if beta else best_threshold(points, beta=0)
        interval = np.flatnonzero((optimal.tp == best.tp) & (optimal.fp == best.fp))
        lo, hi = beta, beta
        if interval.size:
            lo = math.sqrt(optimal.beta_squared_lo[interval[0]])
            hi = math.sqrt(optimal.beta_squared_hi[interval[0]])
        rows.append(
            (
                best.threshold,
                best.label,
                *(best.tp, best.fp, best.precision, best.recall, best.f),
                *(lo, hi),
            )
        )
    return rows
