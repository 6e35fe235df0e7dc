"""Groups of rows on the page: what one rule does in each of them, and their curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.json_files import finite_or_null
from isometrics.report.packing import packed
from isometrics.spaces.trace import rows_to_explore

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from isometrics._table.table import Table
    from isometrics.points import OperatingPoints

MOST_GROUPS = 100
"""So many groups are on the page, the largest ones."""
MOST_POINTS = 12_000
"""So many points all curves of groups have together at most."""
_FEWEST, _MOST = 20, 100
"""Points of one curve."""
_MOST_REASONS = 20
"""So many groups that could not be judged are named."""


class GroupRow(NamedTuple):
    """One group: the rule that was chosen on all rows, and the group's own choice.

    What is not known is NaN.
    """

    name: str
    models: Mapping[str, OperatingPoints]
    model: str
    """The model of the group's own verdict."""
    threshold: str
    """Its threshold as text."""
    expected: float
    lower: float
    upper: float
    """What to expect of the group's own verdict on new data, with an interval."""
    sentence: str
    """The group's own verdict in words."""
    value: float
    value_lower: float
    value_upper: float
    """What the common rule achieves in this group, with an interval."""
    counts: tuple[float, float]
    """True and false positives of the common rule in this group."""
    own_threshold: str
    """The best threshold of the common model in this group as text."""
    own_value: float
    """What it achieves on these rows."""
    own_counts: tuple[float, float]
    gain: float
    gain_lower: float
    gain_upper: float
    """How much better the own threshold is to be expected to be than the common one."""


class Groups(NamedTuple):
    """All groups of a report, the one that the common rule serves worst first."""

    objective: str
    higher_is_better: bool
    model: str
    threshold: str
    """The common rule."""
    confidence_level: float
    lines: list[str]
    """Whether one threshold serves all groups, in words."""
    rows: list[GroupRow]
    left_out: dict[str, str]
    """Groups that could not be judged, and why."""
    smaller: int
    """How many groups are too small to be among those that were judged."""


def groups_data(groups: Groups) -> dict[str, Any]:
    """Return the data of the page about groups.

    Notes
    -----
    There are at most `MOST_GROUPS` groups and `MOST_POINTS` points of curves, about 100 kB but for
    the names.
    """
    names = list(dict.fromkeys(name for row in groups.rows for name in row.models))
    n_curves = min(len(groups.rows) * max(len(names), 1), MOST_POINTS // _FEWEST)
    n_points = min(max(MOST_POINTS // max(n_curves, 1), _FEWEST), _MOST)
    drawn = n_curves // max(len(names), 1)
    return {
        "objective": groups.objective,
        "higherIsBetter": groups.higher_is_better,
        "model": groups.model,
        "threshold": groups.threshold,
        "level": groups.confidence_level,
        "lines": groups.lines,
        "rows": [
            _row(row, n_points if number < drawn else 0) for number, row in enumerate(groups.rows)
        ],
        "leftOut": list(groups.left_out.items())[:_MOST_REASONS],
        "nLeftOut": len(groups.left_out),
        "smaller": groups.smaller,
    }


_NUMBERS = {
    "expected": "expected",
    "lower": "lower",
    "upper": "upper",
    "value": "value",
    "value_lower": "valueLower",
    "value_upper": "valueUpper",
    "own_value": "ownValue",
    "gain": "gain",
    "gain_lower": "gainLower",
    "gain_upper": "gainUpper",
}


def _row(row: GroupRow, n_points: int) -> dict[str, Any]:
    points = row.models[row.model]
    return {
        "name": row.name,
        "model": row.model,
        "threshold": row.threshold,
        "sentence": row.sentence,
        "ownThreshold": row.own_threshold,
        "positives": float(points.positives),
        "negatives": float(points.negatives),
        "counts": [finite_or_null(count) for count in row.counts],
        "ownCounts": [finite_or_null(count) for count in row.own_counts],
        "curves": {name: _curve(each.table, n_points) for name, each in row.models.items()}
        if n_points
        else {},
    } | {key: finite_or_null(getattr(row, name)) for name, key in _NUMBERS.items()}


def _curve(table: Table, n_points: int) -> dict[str, Any]:
    rows = _thinned(table, n_points)
    return {
        "tp": packed(table.tp[rows]),
        "fp": packed(table.fp[rows]),
        "positives": float(table.positives),
        "negatives": float(table.negatives),
    }


def _thinned(table: Table, n_points: int) -> NDArray[np.intp]:
    """Return rows to draw a small curve from: both ends, and others evenly along the curve."""
    rows = rows_to_explore(table)
    if rows.size <= n_points:
        return rows
    tp, fp = table.tp[rows], table.fp[rows]
    length = np.cumsum(
        np.diff(tp, prepend=0) / float(table.positives)
        + np.diff(fp, prepend=0) / float(table.negatives)
    )
    # Precision changes fastest where little is flagged, so points lie denser there.
    wanted = length[-1] * np.linspace(0, 1, n_points) ** 2
    kept: NDArray[np.intp] = rows[np.unique(np.searchsorted(length, wanted).clip(0, rows.size - 1))]
    return kept
