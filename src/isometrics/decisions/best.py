"""The best threshold of a table: for every β, and for one objective under constraints."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.parameters import check_beta
from isometrics._core.results import join_names, number
from isometrics._table.path import hull_of, ordered_with_ends
from isometrics._table.table import Kind, RowMeasures, Table
from isometrics.decisions.decision import decision_of
from isometrics.decisions.objective import parse_objective
from isometrics.errors import ParameterError
from isometrics.points import OperatingPoints
from isometrics.points.models import check_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._table.table import Table
    from isometrics.decisions.decision import Decision
    from isometrics.decisions.objective import Objective
    from isometrics.spaces.indices import WeightedIndex


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OptimalThresholds(RowMeasures):
    """One row for each threshold that is best for some β, with the interval of these β.

    Attributes
    ----------
    points
        The rows: vertices of the hull, without the empty rule.
    beta_squared_lo, beta_squared_hi
        The row has the highest F_β exactly when β² lies between these. Neighbours share an end,
        and the intervals together cover 0 to ∞.
    """

    points: OperatingPoints
    beta_squared_lo: Floats
    beta_squared_hi: Floats

    @property
    def table(self) -> Table:  # type: ignore[override]
        """The table of the rows."""
        return self.points.table

    def at(self, beta: float) -> OptimalThresholds:
        """Return the row that is best for β; two where β is the exact end of an interval.

        Examples
        --------
        >>> import isometrics as iso
        >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
        >>> iso.optimal_thresholds(pts).at(2).thresholds
        array([0.7])
        """
        beta = check_beta(beta)
        # Rounding is monotone, for the product as for the ends, so no optimal row is missed here.
        squared = beta * beta
        rows = np.flatnonzero((self.beta_squared_lo <= squared) & (squared <= self.beta_squared_hi))
        losses = []
        for row in rows.tolist():
            # (β²·fn + fp)/tp falls as F_β rises, exactly; for β = ∞, fn/tp.
            tp, fp = Fraction(self.tp[row].item()), Fraction(self.fp[row].item())
            fn = Fraction(self.points.positives) - tp
            losses.append(fn / tp if math.isinf(beta) else (Fraction(beta) ** 2 * fn + fp) / tp)
        best = min(losses)
        rows = rows[[loss == best for loss in losses]]
        return replace(
            self,
            points=OperatingPoints(self.points.table.take(rows, Kind.SELECTION)),
            beta_squared_lo=self.beta_squared_lo[rows],
            beta_squared_hi=self.beta_squared_hi[rows],
        )

    def _title(self) -> str:
        rows = "1 threshold is" if len(self) == 1 else f"{len(self)} thresholds are"
        return f"OptimalThresholds: {rows} best for some β"

    def _shown(self) -> dict[str, Any]:
        return (
            self._printed_names()
            | {"β² from": self.beta_squared_lo, "β² to": self.beta_squared_hi}
            | self._named("tp", "fp", "precision", "recall")
        )

    def _columns(self) -> dict[str, Any]:
        ends = ("beta_squared_lo", "beta_squared_hi")
        return self._names() | self._named(*ends, "tp", "fp", "precision", "recall")


def optimal_thresholds(pts: OperatingPoints) -> OptimalThresholds:
    """Return the best threshold for every β at once, as a table of intervals.

    Parameters
    ----------
    pts
        Any table; without thresholds the rows are identified by their counts or labels.

    Notes
    -----
    The best row for F_β is a vertex of the hull of the PRG points (Flach & Kull 2015). Between
    neighbouring vertices a and b both are equally good at

    β² = -Δ(1/precision)/Δ(1/recall) = (fp_b·tp_a - fp_a·tp_b)/(P·(tp_b - tp_a)),

    computed in exact fractions and rounded once. The interval of the first vertex, the row of
    highest precision, begins at β² = 0. A last vertex that adds only negatives is never better
    than the one before it and ties with it at β = ∞, so its interval is [∞, ∞].

    Examples
    --------
    >>> import isometrics as iso
    >>> labels, scores = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> pts = iso.OperatingPoints.from_scores(labels, scores)
    >>> iso.optimal_thresholds(pts)
    OptimalThresholds: 4 thresholds are best for some β
    threshold  β² from  β² to  tp  fp  precision  recall
          0.9        0  0.125   1   0          1    0.25
          0.6    0.125   1.25   3   1       0.75    0.75
          0.3     1.25    inf   4   3   0.571429       1
          0.2      inf    inf   4   4        0.5       1
    """
    hull = hull_of(check_points(pts, "pts").table)
    shares = segment_shares(hull)
    squared = np.array([*(float((1 - d) / d) if d else math.inf for d in shares), math.inf])
    vertices = hull.take(np.arange(1, hull.size), Kind.SELECTION)
    return OptimalThresholds(OperatingPoints(vertices), squared[:-1], squared[1:])


def segment_shares(hull: Table) -> list[Fraction]:
    """Return d = 1/(1+β²) of each segment of a hull, exactly; it falls from 1.

    Rounded sums of float weights may make a hull slightly concave; such a segment gets the value
    of the one before it, so that d never rises.
    """
    tp, fp = (list(map(Fraction, counts.tolist())) for counts in (hull.tp, hull.fp))
    positives = Fraction(hull.positives)
    shares = []
    for (tp_a, fp_a), (tp_b, fp_b) in pairwise(zip(tp, fp, strict=True)):
        rise = positives * (tp_b - tp_a)
        shares.append(rise / (rise + fp_b * tp_a - fp_a * tp_b))
    return list(accumulate(shares, min))


def segment_precisions(hull: Table) -> Floats:
    """Return the share of positives in each segment of a hull; it never rises.

    Both ends of a segment are equally accurate at this cost proportion (Flach & Kull 2015).
    """
    rise, run = np.diff(hull.tp), np.diff(hull.fp)
    # Rounded sums of float weights may make the hull slightly concave.
    return np.minimum.accumulate(np.asarray(rise / (rise + run), np.float64))


def best_threshold(
    pts: OperatingPoints,
    *,
    beta: float | None = None,
    cost: float | None = None,
    objective: str | None = None,
    min_precision: float | None = None,
    min_recall: float | None = None,
    max_fpr: float | None = None,
    min_specificity: float | None = None,
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
        Minimise the cost per row at a cost proportion of false positives; a miss then costs
        ``1 - cost``. For costs, for ``"accuracy"``, for ``"youden"`` and for the index ``"cost"``
        the empty rule, at +inf, is a legal answer.
    objective
        ``"accuracy"``, or ``"youden"``: true minus false positive rate.
    min_precision
        Look among the rules that reach this precision; without an objective, for the most recall.
    min_recall
        Look among the rules that reach this recall; without an objective, for the highest
        precision, or with `min_precision` for F₁.
    max_fpr, min_specificity
        Look among the rules with at most this false positive rate, or with at least this
        specificity, which is 1 minus that rate; without an objective, for the most recall.
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
    although `optimal_thresholds` lists the last of them.

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
    parsed = parse_objective(
        beta=beta,
        cost=cost,
        miss_cost=miss_cost,
        false_alarm_cost=false_alarm_cost,
        index=index,
        lam=lam,
        objective=objective,
        min_precision=min_precision,
        min_recall=min_recall,
        max_fpr=max_fpr,
        min_specificity=min_specificity,
        budget=budget,
    )
    return best_rule(check_points(pts, "pts"), parsed)


def best_rule(pts: OperatingPoints, objective: Objective) -> Decision:
    """Return the best rule for an objective."""
    table = pts.table
    if not objective.constraints:
        return _best_of_all(table, objective)
    if table.partial and table.has_hull:
        # What is best of all is best of those allowed, so a table with gaps may know it.
        best = _best_of_all(table, replace(objective, constraints=()))
        if objective.allowed(best.counts):
            return replace(best, objective=objective.label, parameters=objective.parameters)
    rules = _with_trivial_rules(table)
    rows = np.flatnonzero(objective.allowed(rules.counts))
    if may_hide_better(table, objective):
        table.refuse_gaps("the best row under constraints")
    if not rows.size:
        counts, asked = rules.counts, objective.constraints
        if [each.quantity for each in asked] == ["precision"] and rules.has_hull:
            reached = number(float(np.nanmax(counts.precision)))
            raise ParameterError(
                f"no threshold reaches precision {number(asked[0].level)}; the best is {reached}"
            )
        kept = np.logical_and.reduce([each.kept_by(counts) for each in asked]).any()
        # A rule that keeps them may have no value.
        needs = objective.needs if kept else ""
        said = join_names([each.label for each in asked])
        raise ParameterError(f"no threshold{needs} has {said}; {objective.advice}")
    return _best_of_rows(rules, rows, objective)


def _best_of_all(table: Table, objective: Objective) -> Decision:
    """Return the best rule where nothing constrains it."""
    if objective.may_miss_best(table):
        table.refuse_gaps(f"the best row for {objective.name}")
    rules = hull_of(table) if objective.on_hull else _with_trivial_rules(table)
    return _best_of_rows(rules, np.flatnonzero(objective.allowed(rules.counts)), objective)


def _best_of_rows(table: Table, rows: NDArray[np.intp], objective: Objective) -> Decision:
    """Return the best of some rows, and of equally good ones the one that flags the fewest.

    Only a family of sets can have several of these; the first has the fewest false positives.
    """
    best = rows[objective.best_of(table.counts.take(rows))]
    return decision_of(table, int(best[np.argmin(table.counts.budget[best])]), objective)


def _with_trivial_rules(table: Table) -> Table:
    """Return all rows, the empty and the always-positive rule included."""
    return table if table.nested else ordered_with_ends(table)


def may_hide_better(table: Table, objective: Objective) -> bool:
    """Tell whether a missing row may be better than all rows there are, under constraints.

    Notes
    -----
    A row between two rows has at least the counts of the first and at most those of the second.
    Where true positives do not rise, it is no better than the first. Elsewhere it may be as good
    as a rule with the true positives of the second and the false positives of the first, which
    has the highest precision and recall, and the highest gain.
    """
    if table.gaps is None:
        return False
    allowed = objective.allowed(table.counts)
    rises = table.tp[1:] > table.tp[:-1]
    # Where the empty rule is no answer, the next row may be one, though it has no true positive.
    rises[0] |= not allowed[0]
    gap = np.flatnonzero(table.gaps.between & rises)
    first = table.counts.take(gap)
    highest = first._replace(tp=table.tp[gap + 1])
    possible = np.ones(gap.size, np.bool_)
    for constraint in objective.constraints:
        possible &= constraint.kept_by(first if constraint.is_limit else highest)
    best = np.max(objective.gain(table.counts.take(allowed)), initial=-np.inf)
    gain = objective.gain(highest)
    # Of a rule without predicted positives there is no gain; one next to it has the lowest.
    gain = np.where(np.isnan(gain), objective.gain_limits[0], gain)
    return bool((possible & (gain >= best)).any())
