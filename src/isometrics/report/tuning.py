"""Tuning data on the page: what thresholds promised there, and what they achieve here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.results import several
from isometrics._table.table import rows_at
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.points.compact import rows_to_keep
from isometrics.report.packing import packed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from isometrics.points import OperatingPoints

MOST_ROWS = 2000
"""Rows of the tuning data of all models together up to which the page has all of them."""


class Rules(NamedTuple):
    """The rules of the tuning data of one model."""

    rows: NDArray[np.intp]
    """The rows of the page's table that flag the same."""
    data: dict[str, Any]


def tuning_data(
    thresholds_from: Mapping[str, OperatingPoints], models: Mapping[str, OperatingPoints]
) -> dict[str, Rules]:
    """Return for each model the rules of the tuning data, with their counts there and here.

    Parameters
    ----------
    thresholds_from
        The tuning data of each model: tables of scores.
    models
        The models of the page, with a row for every score.

    Notes
    -----
    Of long tables, the rows are those that can be best for an F_β or for costs: the vertices of the
    hull, and the most precise row. Under a constraint another row may be best, so ``complete``
    tells whether all rows are there. ``below`` is the highest score below a threshold in either
    data set, so that a shorter number between the two flags the same rows in both.

    Examples
    --------
    >>> import isometrics as iso
    >>> tuning = iso.OperatingPoints.from_scores([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1])
    >>> test = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.8, 0.5, 0.3, 0.2])
    >>> rows, data = tuning_data({"forest": tuning}, {"forest": test})["forest"]
    >>> rows, data["positives"], data["complete"]
    (array([0, 0, 1, 2, 4]), 2, True)
    """
    if set(thresholds_from) != set(models):
        raise ParameterError(
            f"the tuning data has the models {several(list(thresholds_from))} but the page has "
            f"{several(list(models))}; give both the same models"
        )
    for name, points in thresholds_from.items():
        if not points.table.nested or np.isnan(points.table.thresholds).any():
            raise NotAnswerableError(
                f"the tuning data of {several([name])} is {points.table.name}, which has no "
                "threshold for every row; build it from scores"
            )
    n_rows = sum(points.table.size for points in thresholds_from.values())
    return {
        name: _rules(thresholds_from[name], points, every=n_rows <= MOST_ROWS)
        for name, points in models.items()
    }


def _rules(tuning: OperatingPoints, points: OperatingPoints, *, every: bool) -> Rules:
    table = tuning.table
    rows = np.arange(table.size) if every else rows_to_keep(table, 0)
    thresholds = table.thresholds[rows]
    here = rows_at(points.table, thresholds)
    below = np.fmax(table.next_lower(rows), points.table.next_lower(here))
    data = {
        "positives": plain(table.positives),
        "negatives": plain(table.negatives),
        "complete": rows.size == table.size and not table.partial,
        "thresholds": packed(thresholds.astype(np.float64)),
        "below": packed(below.astype(np.float64)),
        "tp": packed(table.tp[rows]),
        "fp": packed(table.fp[rows]),
        # At the same thresholds, in the data of the page.
        "tpHere": packed(points.table.tp[here]),
        "fpHere": packed(points.table.fp[here]),
    }
    return Rules(here, data)
