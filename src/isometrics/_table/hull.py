"""The one hull: the upper convex hull of the operating points in count space.

Its image in ROC space is the ROC convex hull, in PR space the achievable curve (Davis & Goadrich
2006, Cor. 3.1) and, without the empty rule, in PRG space the PRG hull: the map between the spaces
is projective and keeps lines and convexity. So it is computed once, here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isometrics._core.results import read_only
from isometrics._counting.hull import vertices
from isometrics._table.table import Kind, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

NOTHING, EVERYTHING = "(nothing)", "(everything)"
"""Labels of the two trivial rules in the hull of a family of sets."""


def hull_of(table: Table) -> Table:
    """Return the vertices of the hull, from the empty rule to the always-positive one."""
    if table.kind is Kind.HULL:
        return table
    if not table.nested:
        table = ordered_with_ends(table)
    return table.take(hull_rows(table), Kind.HULL)


def hull_rows(table: Table) -> NDArray[np.intp]:
    """Return the vertices among rows in the order of a curve; they are computed once per table."""
    rows = table._hull_rows
    if rows is None:
        rows = read_only(vertices(table.fp, table.tp))
        object.__setattr__(table, "_hull_rows", rows)
    return rows


def ordered_with_ends(table: Table) -> Table:
    """Add the trivial rules and sort by false, then true positives."""
    widened = with_ends(table)
    return widened.take(np.lexsort((widened.tp, widened.fp)), table.kind)


def with_ends(table: Table) -> Table:
    """Add the trivial rules before and behind the rows."""
    tp = np.concatenate([[0], table.tp, [table.positives]])
    fp = np.concatenate([[0], table.fp, [table.negatives]])
    thresholds = np.concatenate([[np.inf], table.thresholds, [-np.inf]])
    labels = None if table.labels is None else (NOTHING, *table.labels, EVERYTHING)
    return Table(thresholds, tp, fp, table.positives, table.negatives, table.kind, labels)
