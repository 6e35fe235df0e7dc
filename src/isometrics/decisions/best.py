"""One decision: the best threshold for an F_β, a cost, a constraint or a budget."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack, cast

import numpy as np

from isometrics._core.results import number, several
from isometrics._counting.best_rules import Counts
from isometrics._table.hull import hull_of, ordered_with_ends
from isometrics._table.table import Table
from isometrics.decisions.beta_intervals import OptimalThresholds, optimal_thresholds
from isometrics.decisions.decision import decision_at, decision_of
from isometrics.decisions.hidden_rows import may_hide_better
from isometrics.decisions.objective import parse_objective
from isometrics.errors import ParameterError
from isometrics.measures import f_name
from isometrics.points import OperatingPoints
from isometrics.points.models import check_points
from isometrics.spaces import pr
from isometrics.spaces.indices import ClosedIndex, Cost, FGain, FMeasure, Jaccard, Kulczynski

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics.decisions.decision import Decision
    from isometrics.decisions.objective import Objective, RuleOptions
    from isometrics.spaces.indices import WeightedIndex

    Exact = Callable[[Fraction, Fraction], Fraction]

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
    miss_cost: float | None = None,
    false_alarm_cost: float | None = None,
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
        ``"accuracy"``, for ``"youden"`` and for the index ``"cost"`` the empty rule, at +inf, is a
        legal answer.
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
    miss_cost, false_alarm_cost
        Minimise the cost per row, from what each error costs.

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
    check_points(pts, "pts")
    parsed, shown_beta = parse_goal(
        beta=beta,
        cost=cost,
        miss_cost=miss_cost,
        false_alarm_cost=false_alarm_cost,
        index=index,
        lam=lam,
        min_precision=min_precision,
        min_recall=min_recall,
        budget=budget,
        objective=objective,
    )
    best = best_rule(pts, parsed, beta=shown_beta)
    return replace(best, parameters=parsed.parameters)


def parse_goal(**asked: Unpack[RuleOptions]) -> tuple[Objective, float]:
    """Return the objective that `best_threshold` is asked for, and the β of the F shown with it.

    A cost proportion has no unit, so what it makes of the errors is told as an accuracy.
    """
    parsed = parse_objective(**asked)
    if asked.get("cost") is not None:
        parsed = replace(parsed, criterion="accuracy")
    return parsed, 1.0 if asked.get("beta") is None else cast("float", parsed.beta)


def best_rule(pts: OperatingPoints, objective: Objective, *, beta: float = 1.0) -> Decision:
    """Return the best rule for an objective; `beta` is that of the F to show beside it."""
    table = pts.table
    if not objective.constraints:
        return _free(pts, objective, beta)
    if objective.index is not None or (table.partial and table.has_hull):
        # What is best of all is best of those allowed, so a table with gaps may know it; and what
        # ties for an index is told by its intervals.
        best = _free(pts, replace(objective, constraints=()), beta)
        if allowed_rows(best._table, objective)[0]:
            return replace(best, objective=objective.label)
    rules = _with_trivial_rules(table)
    rows = np.flatnonzero(allowed_rows(rules, objective))
    best_row, gain = None, -math.inf
    if rows.size:
        best_row = _scale_of(rules, objective).best(rules, rows, objective.label, beta)
        gain = float(objective.gain(best_row.counts))
    if may_hide_better(table, objective, allowed_rows(table, objective), gain):
        table.refuse_gaps("the best row under constraints")
    if best_row is None:
        raise ParameterError(_refusal(rules, objective))
    return best_row


def allowed_rows(table: Table, objective: Objective) -> NDArray[np.bool_]:
    """Tell which rows keep the constraints and have a value of the objective."""
    allowed = np.ones(table.size, np.bool_)
    if objective.criterion == "break-even":
        allowed = np.asarray(table.tp > 0)
    elif not objective.allows_nothing:
        allowed = np.asarray(table.tp + table.fp > 0)
    for constraint in objective.constraints:
        allowed &= constraint.met_by(table)
    return allowed


def _refusal(table: Table, objective: Objective) -> str:
    """Say which constraint no row keeps."""
    asked = {each.quantity: each.level for each in objective.constraints}
    said = several([each.label for each in objective.constraints])
    if list(asked) == ["precision"] and table.has_hull:
        best = number(float(np.nanmax(pr.precision(table))))
        return f"no threshold reaches precision {number(asked['precision'])}; the best is {best}"
    kept = np.logical_and.reduce([each.met_by(table) for each in objective.constraints])
    # A rule that keeps them may have no value.
    needs = objective.needs if kept.any() else ""
    return f"no threshold{needs} has {said}; {objective.advice}"


def _free(pts: OperatingPoints, objective: Objective, beta: float) -> Decision:
    """Return the best rule where nothing constrains it."""
    if objective.index is not None:
        return _for_index(pts, objective)
    if objective.criterion == "break-even":
        pts.table.refuse_gaps("the break-even point")
        table = _with_trivial_rules(pts.table)
        rows = np.flatnonzero(table.tp > 0)
        return _scale_of(table, objective).best(table, rows, objective.label)
    if objective.beta is None:
        # Rows that tie with a vertex lie between two vertices that tie, and the first of these has
        # fewer predicted positives; so the vertices suffice where gains are linear in the counts.
        hull = hull_of(pts.table)
        return _scale_of(hull, objective).best(hull, np.arange(hull.size), objective.label)
    if objective.beta == 0:
        table = _with_trivial_rules(pts.table)
        rows = np.flatnonzero(table.tp + table.fp > 0)
        return _scale_of(table, objective).best(table, rows, objective.label, beta)
    return replace(best_of_optimal(optimal_thresholds(pts), objective.beta), beta=beta)


def best_of_optimal(optimal: OptimalThresholds, beta: float) -> Decision:
    """Return the best threshold for a β above 0, from the table of those for all β."""
    return decision_at(optimal.at(beta).points, 0, f_name(beta), beta)


def _for_index(pts: OperatingPoints, objective: Objective) -> Decision:
    index, lam = cast("WeightedIndex", objective.index), objective.lam
    curve = pts.tradeoff(index)
    if isinstance(index, Cost):
        hull = hull_of(pts.table)
        return _index_scale(hull, objective).best(hull, np.arange(hull.size), objective.label)
    if lam == 0 and isinstance(index, ClosedIndex):
        # Only precision counts, so rows may tie that differ elsewhere on the curve.
        table = _with_trivial_rules(pts.table)
        rows = np.flatnonzero(table.tp + table.fp > 0)
        row = _precision_scale(table).row(table, rows)
        return decision_of(table, row, objective.label, curve(lam))
    return decision_of(curve.best(lam).table, 0, objective.label, curve(lam))


# ---------------------------------------------------------------------- exact comparison


class _Scale(NamedTuple):
    """What is maximised for each row, approximately and exactly, and what is shown of it."""

    approximate: NDArray[Any]
    exact: Exact | None
    """None where the approximate values are exact, or tell rows apart as exact ones would."""
    margin: float
    shown: Floats

    def best(
        self, table: Table, rows: NDArray[np.intp], objective: str, beta: float = 1.0
    ) -> Decision:
        """Return the best of some rows."""
        row = self.row(table, rows)
        return decision_of(table, row, objective, float(self.shown[row]), beta)

    def row(self, table: Table, rows: NDArray[np.intp]) -> int:
        """Return the best of some rows; those within the margin are compared exactly.

        Of equally good ones the first with the fewest predicted positives is taken. Only a family
        of sets can have several; the first of them has the fewest false positives.
        """
        values = self.approximate[rows]
        candidates = rows[values >= values.max() - self.margin]
        if self.exact is not None:
            counts = zip(table.tp[candidates].tolist(), table.fp[candidates].tolist(), strict=True)
            exact_values = [self.exact(Fraction(tp), Fraction(fp)) for tp, fp in counts]
            highest = max(exact_values)
            candidates = candidates[[value == highest for value in exact_values]]
        return int(candidates[np.argmin(table.tp[candidates] + table.fp[candidates])])


def _scale_of(table: Table, objective: Objective) -> _Scale:
    positives, negatives = Fraction(table.positives), Fraction(table.negatives)
    if objective.beta is not None:
        return _f_scale(table, objective.beta)
    if objective.index is not None:
        return _index_scale(table, objective)
    shown = objective.value(_counts_of(table))
    if objective.criterion == "break-even":
        return _Scale(
            -np.abs(shown),
            lambda tp, fp: -abs(tp / (tp + fp) - tp / positives),
            _TOLERANCE,
            shown,
        )
    if objective.criterion == "youden":
        return _linear_scale(table, 1 / positives, 1 / negatives, shown)
    return _linear_scale(table, *objective.cost_shares, shown)


def _f_scale(table: Table, beta: float) -> _Scale:
    if beta == 0:
        return _precision_scale(table)
    if math.isinf(beta):
        return _Scale(table.tp, None, 0.0, pr.recall(table))
    weight, f = 1 - 1 / (1 + Fraction(beta) ** 2), pr.f(table, beta)
    return _error_scale(table, weight, 1 - weight, f, f)


def _index_scale(table: Table, objective: Objective) -> _Scale:
    """Compare an index exactly where fractions can: not a power, nor the function of a user."""
    index, lam = objective.index, Fraction(objective.lam)
    positives, negatives = Fraction(table.positives), Fraction(table.negatives)
    shown = objective.value(_counts_of(table))
    if isinstance(index, Cost):
        return _linear_scale(table, lam / positives, (1 - lam) / negatives, shown)
    if isinstance(index, FMeasure):
        return _error_scale(table, lam, 1 - lam, shown, shown)
    if isinstance(index, FGain):
        # It ranks rows as F does, whose rounding errors have a bound.
        f = replace(objective, index=FMeasure()).value(_counts_of(table))
        return _error_scale(table, lam, 1 - lam, f, shown)
    if isinstance(index, Jaccard):
        weights = (min(2 * lam, Fraction(1)), min(2 * (1 - lam), Fraction(1)))
        return _error_scale(table, *weights, shown, shown)
    if isinstance(index, Kulczynski):
        return _Scale(
            shown,
            lambda tp, fp: lam * tp / positives + (1 - lam) * tp / (tp + fp),
            _TOLERANCE,
            shown,
        )
    return _Scale(shown, None, 0.0, shown)


def _error_scale(
    table: Table,
    fn_weight: Fraction,
    fp_weight: Fraction,
    approximate: Floats,
    shown: Floats,
) -> _Scale:
    """Return tp/(tp + fn_weight·fn + fp_weight·fp) of each row."""
    positives = Fraction(table.positives)
    return _Scale(
        approximate,
        lambda tp, fp: tp / (tp + fn_weight * (positives - tp) + fp_weight * fp),
        _TOLERANCE,
        shown,
    )


def _counts_of(table: Table) -> Counts:
    return Counts(table.tp, table.fp, table.positives, table.negatives)


def _precision_scale(table: Table) -> _Scale:
    precision = pr.precision(table)
    integers = table.tp.dtype.kind == table.fp.dtype.kind == "i"
    if integers and table.positives + table.negatives < 2**26:
        # Different precisions differ by 2**-52 or more here, so floats distinguish them.
        return _Scale(precision, None, 0.0, precision)
    return _Scale(precision, lambda tp, fp: tp / (tp + fp), 0.0, precision)


def _linear_scale(table: Table, tp_weight: Fraction, fp_weight: Fraction, shown: Floats) -> _Scale:
    """Return tp_weight·tp - fp_weight·fp of each row."""
    gains, losses = float(tp_weight) * table.tp, float(fp_weight) * table.fp
    return _Scale(
        gains - losses,
        lambda tp, fp: tp_weight * tp - fp_weight * fp,
        _TOLERANCE * float((gains + losses).max()),
        shown,
    )


# ---------------------------------------------------------------------- the rules of a table


def _with_trivial_rules(table: Table) -> Table:
    """Return all rows, the empty and the always-positive rule included."""
    return table if table.nested else ordered_with_ends(table)
