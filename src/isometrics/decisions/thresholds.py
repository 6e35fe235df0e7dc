"""The best thresholds of several models and groups, and the β for which they stay best."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.results import ResultTable, number, several
from isometrics._core.threshold_text import ThresholdTexts
from isometrics.decisions.best import allowed_rows, best_of_optimal, best_rule
from isometrics.decisions.beta_intervals import optimal_thresholds
from isometrics.decisions.decision import Decision, threshold_array
from isometrics.errors import ParameterError, UndefinedWarning, warn
from isometrics.spaces import pr
from isometrics.spaces.short_tables import ShortTables, fit_together, is_short

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts, Floats
    from isometrics._table.table import Table
    from isometrics.decisions.beta_intervals import OptimalThresholds
    from isometrics.decisions.objective import Objective
    from isometrics.points import OperatingPoints


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

    Under constraints it is the highest of the rules that keep them; where none does, all of its
    row is NaN, with a warning.

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
        The threshold is the best one for every β between these, under the same constraints.
    constraints
        The constraints in words; empty if there are none.
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
    constraints: str = ""
    _below: NDArray[Any] | None = field(default=None, compare=False)
    """The next lower scores, as in `threshold_text`."""

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.names)

    def _title(self) -> str:
        betas = several([number(beta) for beta in dict.fromkeys(self.beta.tolist())])
        under = f", {self.constraints}" if self.constraints else ""
        return f"Thresholds: best for F with β {betas}{under}"

    def _shown(self) -> dict[str, Any]:
        columns = self._columns() | {"threshold": self._threshold_texts()}
        if set(self.groups) == {ALL_ROWS}:
            del columns["group"]
        return columns

    def _threshold_texts(self, rows: slice = np.s_[:]) -> ThresholdTexts:
        below = None if self._below is None else self._below[rows]
        return ThresholdTexts(self.threshold[rows], below)

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


class Batch(NamedTuple):
    """Entries that are measured together."""

    entries: list[Entry]
    tables: ShortTables | None
    """Their tables; None where each is measured by itself."""


_FEWEST = 16
"""Fewer tables are not measured together."""


def batches_of(entries: Iterable[Entry]) -> Iterator[Batch]:
    """Split entries, in their order, into batches; each entry is looked at once, and not kept."""
    batch: list[Entry] = []
    n_rows = n_counted = 0

    def finished() -> Batch:
        tables = [entry.points.table for entry in batch]
        return Batch(batch, ShortTables.of_tables(tables) if len(batch) >= _FEWEST else None)

    for entry in entries:
        table = entry.points.table
        short = is_short(table)
        n_rows += table.size
        n_counted += int(table.positives + table.negatives)
        if batch and not (short and fit_together(len(batch) + 1, n_rows, n_counted)):
            yield finished()
            batch = []
        if not batch:
            n_rows, n_counted = table.size, int(table.positives + table.negatives)
        if short:
            batch.append(entry)
        else:
            yield Batch([entry], None)
    if batch:
        yield finished()


def thresholds_of(batches: Iterable[Batch], objectives: Sequence[Objective]) -> Thresholds:
    """Return the best row of each table for each F_β, all under the same constraints."""
    rows = [
        (entry.model, entry.group, objective.beta, *best)
        for batch in batches
        for entry, found in zip(batch.entries, _best_of_batch(batch, objectives), strict=True)
        for objective, best in zip(objectives, found, strict=True)
    ]
    names, groups, beta, threshold, below, labels, *numbers = zip(*rows, strict=True)
    constraints = [each.label for each in objectives[0].constraints]
    columns: Any = (np.array(beta), threshold_array(threshold), labels, *map(np.array, numbers))
    said = several(constraints) if constraints else ""
    columns += (said, np.array(below))
    return Thresholds(names, groups, *columns)


def _best_of_batch(
    batch: Batch, objectives: Sequence[Objective]
) -> Iterable[Sequence[tuple[object, ...]]]:
    if batch.tables is None or objectives[0].constraints or 0 in [o.beta for o in objectives]:
        return (_best_rows(entry, objectives) for entry in batch.entries)
    betas = (cast("float", objective.beta) for objective in objectives)
    found = [_best_of_short(batch.entries, batch.tables, beta) for beta in betas]
    return zip(*found, strict=True)


def _best_of_short(
    entries: Sequence[Entry], tables: ShortTables, beta: float
) -> Iterator[tuple[object, ...]]:
    """Return what `_best_rows` does for one β, of many short tables."""
    edges = tables.best_edges(beta)
    rows = tables.hulls.ends[edges]
    best = tables.points(rows)
    borders = np.sqrt(np.append(tables.hulls.beta_squared, np.inf))
    is_last = np.append(np.diff(tables.hulls.table) > 0, True)[edges]
    measures = (pr.precision(best), pr.recall(best), pr.f(best, beta))
    ends = (borders[edges], np.where(is_last, np.inf, borders[edges + 1]))
    for entry, row, *numbers in zip(
        entries,
        (rows - tables.starts).tolist(),
        *(column.tolist() for column in (best.tp, best.fp, *measures, *ends)),
        strict=True,
    ):
        scores = entry.points.table.thresholds
        below = scores[row + 1] if row + 1 < scores.size else -np.inf
        yield plain(scores[row]), below, None, *numbers


def decision_or_nan(
    points: OperatingPoints, objective: Objective, beta: float, where: str
) -> Decision:
    """Return the best rule; NaN, with a warning, where none keeps the constraints."""
    try:
        best = best_rule(points, objective, beta=beta)
        return replace(best, parameters=objective.parameters)
    except ParameterError as error:
        warn(str(error.within(where)), UndefinedWarning)
        unknown: Any = dict.fromkeys(("threshold", "tp", "fp", "fn", "tn", "value"), math.nan)
        return Decision(objective=objective.label, beta=beta, _below=math.nan, **unknown)


def _best_rows(entry: Entry, objectives: Sequence[Objective]) -> list[tuple[object, ...]]:
    points = entry.points
    constrained = bool(objectives[0].constraints)
    optimal = None if constrained else optimal_thresholds(points.hull())
    rows: list[tuple[object, ...]] = []
    for objective in objectives:
        beta = cast("float", objective.beta)
        if optimal is not None and beta:
            best = best_of_optimal(optimal, beta)
        else:
            # At β = 0 rows may tie that are not on the hull.
            best = decision_or_nan(points, objective, beta, f"{entry.model} {entry.group}")
        measures = (best.tp, best.fp, best.precision, best.recall, best.f)
        ends = (
            _range_of_optimal(optimal, best)
            if optimal is not None
            else _range_under_constraints(points.table, objective, best)
        )
        rows.append((best.threshold, best._below, best.label, *measures, *ends))
    return rows


def _range_of_optimal(optimal: OptimalThresholds, best: Decision) -> tuple[float, float]:
    """Return the β between which a rule is the best of all."""
    interval = np.flatnonzero((optimal.tp == best.tp) & (optimal.fp == best.fp))
    if not interval.size:
        return best.beta, best.beta
    row = interval[0]
    return math.sqrt(optimal.beta_squared_lo[row]), math.sqrt(optimal.beta_squared_hi[row])


def _range_under_constraints(
    table: Table, objective: Objective, best: Decision
) -> tuple[float, float]:
    """Return the β between which a rule is the best of those that keep the constraints.

    Notes
    -----
    F_β is the higher the higher tp/(β²P + n), with n predicted positives. So the rule a is at least
    as good as b where β²P·(tp_a - tp_b) ≥ tp_b·n_a - tp_a·n_b.
    """
    if math.isnan(best.tp):
        return math.nan, math.nan
    rows = np.flatnonzero(allowed_rows(table, objective))
    tp, predicted = (counts[rows].astype(np.float64) for counts in (table.tp, table.tp + table.fp))
    rise = (best.tp - tp) * table.positives
    needed = tp * (best.tp + best.fp) - best.tp * predicted
    with np.errstate(divide="ignore", invalid="ignore"):
        squared = needed / rise
    low = max(squared[rise > 0].max(initial=0.0), 0.0)
    high = squared[rise < 0].min(initial=np.inf)
    return math.sqrt(low), math.sqrt(high)
