"""Tables from tables: rows at given thresholds, another prevalence, two samples together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.inputs import LEAST_TOTAL, MOST_TOTAL, clean_totals
from isometrics.table import Kind, Measure, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray


def at_thresholds(table: Table, wanted: NDArray[Any]) -> Table:
    """Return the rows of the rule ``score >= t``, in the order asked for."""
    if table.kind is Kind.SCORES:
        rows = np.searchsorted(-table.thresholds, -wanted, "right") - 1
    else:
        rows = _listed_rows(table, wanted)
    return Table(
        wanted, table.tp[rows], table.fp[rows], table.positives, table.negatives, Kind.SELECTION
    )


def _listed_rows(table: Table, wanted: NDArray[Any]) -> NDArray[np.intp]:
    """Find thresholds among the rows; what lies between these is not known."""
    known = np.append(table.thresholds, np.nan)
    order = np.argsort(known, kind="stable")
    # The last of equals: behind the empty rule at +inf a score of +inf may stand.
    rows = order[np.searchsorted(known[order], wanted, "right") - 1]
    unknown = np.flatnonzero(known[rows] != wanted)
    if unknown.size:
        raise NotAnswerableError(
            f"{table.kind} cannot tell the counts at threshold {wanted[unknown[0]]:g}; "
            "ask the full table of the scores"
        )
    return rows


def at_prevalence(table: Table, prevalence: float) -> Table:
    """Scale false positives and negatives by one factor, so that both rates stay."""
    factor = table.odds * (1 - prevalence) / prevalence
    negatives = table.negatives * factor
    if not LEAST_TOTAL <= negatives <= MOST_TOTAL:
        small = not negatives < LEAST_TOTAL
        raise ParameterError(
            f"prevalence {prevalence!r} is too {'small' if small else 'large'}: "
            f"{table.positives:g} positives would stand among "
            + (f"{MOST_TOTAL:g} negatives or more" if small else f"{LEAST_TOTAL:g} or fewer")
        )
    return Table(
        table.thresholds,
        table.tp,
        np.asarray(table.fp * factor),
        table.positives,
        negatives,
        table.kind,
        table.labels,
        table.gaps,
        # Both rates stay, so what only depends on them stays.
        {name: area for name, area in table.known.items() if name == Measure.ROC},
    )


def merged(one: Table, two: Table) -> Table:
    """Return the table of both samples together."""
    for table in (one, two):
        if table.kind is not Kind.SCORES:
            raise NotAnswerableError(
                f"{table.kind} cannot be merged: rows between its rows are not known; "
                "merge the full tables of the scores first"
            )
    totals = clean_totals(
        one.positives + two.positives, one.negatives + two.negatives, counted="the sum"
    )
    thresholds = np.union1d(one.thresholds[1:], two.thresholds[1:])[::-1]
    rows = at_thresholds(one, thresholds), at_thresholds(two, thresholds)
    zero = np.zeros(1, np.int64)
    return Table(
        np.concatenate([one.thresholds[:1], thresholds]),
        np.concatenate([zero, rows[0].tp + rows[1].tp]),
        np.concatenate([zero, rows[0].fp + rows[1].fp]),
        *totals,
        Kind.SCORES,
    )
