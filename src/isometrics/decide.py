"""One decision: where to cut, for an F_β, a cost, a constraint or a budget."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from isometrics.columns import plain
from isometrics.decision import Decision, decision_at, decision_of
from isometrics.errors import ParameterError
from isometrics.hull import ordered_with_ends, vertices
from isometrics.indices import ClosedIndex, Rows, WeightedIndex, index_named
from isometrics.intervals import OptimalThresholds, optimal_thresholds
from isometrics.parameters import (
    clean_beta,
    clean_budget,
    clean_choice,
    clean_cost,
    clean_level,
)
from isometrics.points import OperatingPoints
from isometrics.printing import number
from isometrics.spaces import pr, roc
from isometrics.table import Kind, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from isometrics.aliases import Floats

    Exact = Callable[[Fraction, Fraction], Fraction]

OBJECTIVES = ("accuracy", "youden", "break-even")
_DOUBT = 16 * np.finfo(np.float64).eps


def best_threshold(  # noqa: PLR0911 (one for each objective)
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
    """Return the threshold that is best for one objective; without any, for F₁.

    Among equally good rows the one with the highest threshold is taken, that is, the one with
    the fewest predicted positives; in a family of sets, then the one with the fewest false ones.
    Ties are found in exact arithmetic.

    Parameters
    ----------
    pts
        Any table; a family of sets is completed by the two trivial rules.
    beta
        Maximise F_β; 0 is precision and ``inf`` recall. The empty rule is never chosen.
    cost
        Maximise the accuracy at a cost proportion of false positives. For this, for
        ``"accuracy"`` and for ``"youden"`` the empty rule, at +inf, is a legal answer, unless a
        row has a score of +inf, which no threshold excludes.
    objective
        ``"accuracy"``; ``"youden"``: true minus false positive rate; ``"break-even"``: precision
        and recall closest to each other, among rules with a true positive. The value is then
        precision minus recall.
    min_precision
        Maximise recall among the rules that reach this precision.
    min_recall
        Maximise precision among the rules that reach this recall.
    budget
        Maximise recall with at most so many predicted positives. If the highest score alone has
        more ties than that, only the empty rule keeps within it. At another prevalence the
        negatives of a table are scaled, and a budget counts what they are scaled to.
    index
        Maximise a weighted index, as named for `OperatingPoints.tradeoff`, at the weight `lam`.
    lam
        The weight of recall for `index`, by default ½; alone, that of the F-measure.

    Notes
    -----
    Constraints are compared as floats: 8 true positives of 10 reach a recall of 0.8. At β = 0
    recall counts for nothing, so of several rows with the highest precision the strictest is
    taken, though `optimal_thresholds` lists the last of them. For an index, two rows tie where
    the rounded `lam` is the rounded end of their intervals.

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
    """
    given: dict[str, object] = {
        "beta": beta,
        "cost": cost,
        "objective": objective,
        "min_precision": min_precision,
        "min_recall": min_recall,
        "budget": budget,
        "index": index,
    }
    if index is None:
        given["lam"] = lam
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise ParameterError(
            f"pass one objective only, but {' and '.join(f'{name}=' for name in named)} are given"
        )
    table = pts.table
    if index is not None or lam is not None:
        chosen_index = index_named("f-measure" if index is None else index)
        return _for_index(pts, chosen_index, 0.5 if lam is None else clean_level(lam, "lam"))
    if cost is not None:
        return _for_cost(table, clean_cost(cost), f"accuracy at cost {number(float(cost))}")
    if objective is not None:
        clean_choice(objective, "objective", OBJECTIVES)
        chosen = {"accuracy": _for_accuracy, "youden": _for_youden, "break-even": _for_break_even}
        return chosen[objective](table)
    if min_precision is not None:
        return _for_recall(table, clean_level(min_precision, "min_precision"))
    if min_recall is not None:
        return _for_precision(table, clean_level(min_recall, "min_recall"))
    if budget is not None:
        return _for_budget(table, clean_budget(budget))
    return _for_f(pts, 1.0 if beta is None else clean_beta(beta))


# ---------------------------------------------------------------------- objectives on the hull


def _for_f(pts: OperatingPoints, beta: float) -> Decision:
    if beta == 0:
        table = _rows(pts.table)
        row = _most_precise(table, np.flatnonzero(table.tp + table.fp > 0))
        return decision_at(OperatingPoints(table), row, "F (β 0)", beta)
    return best_of_optimal(optimal_thresholds(pts), beta)


def best_of_optimal(optimal: OptimalThresholds, beta: float) -> Decision:
    """Return the best threshold for one β above 0 where those for all β are known."""
    return decision_at(optimal.at(beta).points, 0, f"F (β {number(beta)})", beta)


def _for_index(pts: OperatingPoints, index: WeightedIndex, lam: float) -> Decision:
    curve = pts.tradeoff(index)
    objective = f"{index.name} (λ {number(lam)})"
    if index.name == "cost":
        hull = _hull_of_rules(pts.table)
        weights = Fraction(lam) / Fraction(hull.positives), Fraction(1 - lam)
        row = _best_line(hull, weights[0], weights[1] / Fraction(hull.negatives))
        value = index.of_rows(Rows.of_table(hull).take(row), np.asarray(lam))
        return decision_of(hull, row, objective, float(value))
    if lam == 0 and isinstance(index, ClosedIndex):
        # Only precision counts, so rows tie that the curve tells apart.
        table = _rows(pts.table)
        row = _most_precise(table, np.flatnonzero(table.tp + table.fp > 0))
        return decision_of(table, row, objective, curve(lam))
    return decision_of(curve.best(lam).table, 0, objective, curve(lam))


def _for_accuracy(table: Table) -> Decision:
    return _for_cost(table, 0.5, "accuracy")


def _for_cost(table: Table, cost: float, objective: str) -> Decision:
    hull = _hull_of_rules(table)
    row = _best_line(hull, 1 - Fraction(cost), Fraction(cost))
    return decision_of(hull, row, objective, float(roc.accuracy(hull, cost)[row]))


def _for_youden(table: Table) -> Decision:
    hull = _hull_of_rules(table)
    row = _best_line(hull, 1 / Fraction(hull.positives), 1 / Fraction(hull.negatives))
    rates = roc.true_positive_rate(hull) - roc.false_positive_rate(hull)
    return decision_of(hull, row, "Youden's J", float(rates[row]))


def _best_line(hull: Table, gain: Fraction, price: Fraction) -> int:
    """Return the vertex with the highest gain·tp - price·fp.

    Rows that tie with a vertex lie between two vertices that tie, and the first of these has
    fewer predicted positives; so the vertices suffice.
    """
    earned, paid = float(gain) * hull.tp, float(price) * hull.fp
    margin = _DOUBT * float((earned + paid).max())
    rows = np.arange(hull.size)
    return _best(hull, rows, earned - paid, lambda tp, fp: gain * tp - price * fp, margin)


# ---------------------------------------------------------------------- objectives on all rows


def _for_break_even(table: Table) -> Decision:
    table.refuse_gaps("the break-even point")
    table = _rows(table)
    total = Fraction(table.positives)
    difference = pr.precision(table) - pr.recall(table)
    row = _best(
        table,
        np.flatnonzero(table.tp > 0),
        -np.abs(difference),
        lambda tp, fp: -abs(tp / (tp + fp) - tp / total),
        _DOUBT,
    )
    return decision_of(table, row, "break-even (precision - recall)", float(difference[row]))


def _for_recall(table: Table, level: float) -> Decision:
    table.refuse_gaps("the best row above a precision")
    table = _rows(table)
    precision = pr.precision(table)
    with np.errstate(invalid="ignore"):
        reached = np.flatnonzero(precision >= level)
    if reached.size == 0:
        raise ParameterError(
            f"no threshold reaches precision {number(level)}; "
            f"the best is {number(float(np.nanmax(precision)))}"
        )
    objective = f"recall with precision ≥ {number(level)}"
    return _most_recall(table, reached, objective)


def _for_precision(table: Table, level: float) -> Decision:
    table.refuse_gaps("the best row above a recall")
    table = _rows(table)
    reached = np.flatnonzero((pr.recall(table) >= level) & (table.tp + table.fp > 0))
    row = _most_precise(table, reached)
    objective = f"precision with recall ≥ {number(level)}"
    return decision_of(table, row, objective, float(pr.precision(table)[row]))


def _for_budget(table: Table, budget: float) -> Decision:
    table.refuse_gaps("the best row within a budget")
    table = _of_thresholds(_rows(table))
    within = np.flatnonzero(table.tp + table.fp <= budget)
    if within.size == 0:
        raise ParameterError(
            f"no threshold has at most {number(budget)} predicted positives: a score of +inf, "
            f"which {number(plain(table.tp[0] + table.fp[0]))} rows have, reaches all of them; "
            "give a larger budget, or finite scores"
        )
    objective = f"recall with at most {number(budget)} predicted positives"
    return _most_recall(table, within, objective)


def _rows(table: Table) -> Table:
    """Return all rows, the trivial rules included."""
    return ordered_with_ends(table) if table.kind in (Kind.SELECTION, Kind.SETS) else table


def _of_thresholds(table: Table) -> Table:
    """Return the rules that thresholds have: a score of +inf is predicted positive by all."""
    some = table.tp + table.fp > 0
    if (some & (table.thresholds == np.inf)).any():
        return table.take(np.flatnonzero(some), table.kind)
    return table


def _hull_of_rules(table: Table) -> Table:
    """Return the hull of the rules that thresholds have."""
    table = _of_thresholds(_rows(table))
    return table.take(vertices(table.fp, table.tp), Kind.HULL)


def _most_recall(table: Table, rows: NDArray[np.intp], objective: str) -> Decision:
    row = _fewest(table, rows[table.tp[rows] == table.tp[rows].max()])
    return decision_of(table, row, objective, float(pr.recall(table)[row]))


def _most_precise(table: Table, rows: NDArray[np.intp]) -> int:
    precision = pr.precision(table)
    whole = table.tp.dtype.kind == table.fp.dtype.kind == "i"
    if whole and table.positives + table.negatives < 2**26:
        # Different shares of so few items differ by 2**-52 or more, so floats tell them apart.
        return _fewest(table, rows[precision[rows] == precision[rows].max()])
    return _best(table, rows, precision, lambda tp, fp: tp / (tp + fp), 0.0)


def _best(
    table: Table, rows: NDArray[np.intp], approximate: Floats, exact: Exact, margin: float
) -> int:
    """Return the best of some rows; those within rounding of the best are compared exactly."""
    values = approximate[rows]
    near = rows[values >= values.max() - margin]
    counts = zip(table.tp[near].tolist(), table.fp[near].tolist(), strict=True)
    decided = [exact(Fraction(tp), Fraction(fp)) for tp, fp in counts]
    best = max(decided)
    return _fewest(table, near[[value == best for value in decided]])


def _fewest(table: Table, rows: NDArray[np.intp]) -> int:
    """Return the row with the fewest predicted positives.

    Of several, which only a family of sets has, the first one has the fewest false positives.
    """
    return int(rows[np.argmin(table.tp[rows] + table.fp[rows])])
