"""The best thresholds of several tables, and what they achieve on other data."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.counts import parse_thresholds
from isometrics._core.results import ResultTable, join_names, number
from isometrics._core.threshold_text import ThresholdTexts
from isometrics._counting.confusion import f_weights
from isometrics._table.table import lower_scores
from isometrics.decisions.best import best_rule
from isometrics.decisions.decision import Decision, threshold_array
from isometrics.decisions.objective import Ratio, parse_f_objectives
from isometrics.errors import NotAnswerableError, ParameterError, UndefinedWarning, warn
from isometrics.spaces.short_tables import ShortTables, fit_together, is_short

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts, Floats
    from isometrics._table.table import Table
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
    """One row for each model, group and β: the threshold with the highest F_β on these rows.

    On new data expect less of it; `Analysis.verdict` chooses a threshold for these.

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
        betas = join_names([number(beta) for beta in dict.fromkeys(self.beta.tolist())])
        under = f", {self.constraints}" if self.constraints else ""
        return f"Thresholds: best on these rows for F with β {betas}{under}"

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


def thresholds_of(batches: Iterable[Batch], objectives: Sequence[Ratio]) -> Thresholds:
    """Return the best row of each table for each F_β, all under the same constraints."""
    rows: list[tuple[Any, ...]] = []
    each_alone = objectives[0].constraints or 0 in [each.beta for each in objectives]
    for entries, tables in batches:
        found: Iterable[Iterable[tuple[object, ...]]]
        if tables is None or each_alone:
            found = (_best_rows(entry, objectives) for entry in entries)
        else:
            of_beta = [_best_of_short(entries, tables, each.beta) for each in objectives]
            found = zip(*of_beta, strict=True)
        for entry, best in zip(entries, found, strict=True):
            for objective, values in zip(objectives, best, strict=True):
                rows.append((entry.model, entry.group, objective.beta, *values))
    names, groups, beta, threshold, below, labels, *numbers = zip(*rows, strict=True)
    constraints = [each.label for each in objectives[0].constraints]
    columns: Any = (np.array(beta), threshold_array(threshold), labels, *map(np.array, numbers))
    said = join_names(constraints) if constraints else ""
    columns += (said, np.array(below))
    return Thresholds(names, groups, *columns)


def _best_of_short(
    entries: Sequence[Entry], tables: ShortTables, beta: float
) -> Iterator[tuple[object, ...]]:
    """Return what `_best_rows` does for one β, of many short tables."""
    edges = tables.best_edges(beta)
    rows = tables.hulls.ends[edges]
    best = tables.points(rows)
    borders = np.sqrt(np.append(tables.hulls.beta_squared, np.inf))
    is_last = np.append(np.diff(tables.hulls.table) > 0, True)[edges]
    measures = (best.precision, best.recall, best.f(*f_weights(beta)))
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


def decision_or_nan(points: OperatingPoints, objective: Objective, where: str) -> Decision:
    """Return the best rule; NaN, with a warning, where none keeps the constraints."""
    try:
        return best_rule(points, objective)
    except ParameterError as error:
        warn(str(error.within(where)), UndefinedWarning)
        unknown: Any = dict.fromkeys(("threshold", "tp", "fp", "fn", "tn", "value"), math.nan)
        return Decision(
            objective=objective.label,
            parameters=objective.parameters,
            _below=math.nan,
            **unknown,
        )


def _best_rows(entry: Entry, objectives: Sequence[Ratio]) -> Iterator[tuple[object, ...]]:
    points = entry.points
    # The ends of the range are those of vertices, unless a constraint leaves some out.
    table = points.table if objectives[0].constraints else points.hull().table
    for objective in objectives:
        best = decision_or_nan(points, objective, f"{entry.model} {entry.group}")
        f = float(objective.value(best.counts))
        measures = (best.tp, best.fp, best.precision, best.recall, f)
        ends = _range_of_beta(table, objective, best)
        yield best.threshold, best._below, best.label, *measures, *ends


def _range_of_beta(table: Table, objective: Objective, best: Decision) -> tuple[float, float]:
    """Return the β between which a rule is the best of those of a table that are allowed.

    Notes
    -----
    F_β is the higher the higher tp/(β²P + n), with n predicted positives. So the rule a is at least
    as good as b where β²P·(tp_a - tp_b) ≥ tp_b·n_a - tp_a·n_b.
    """
    if math.isnan(best.tp):
        return math.nan, math.nan
    rows = np.flatnonzero(objective.allowed(table.counts))
    tp, predicted = (counts[rows].astype(np.float64) for counts in (table.tp, table.tp + table.fp))
    rise = (best.tp - tp) * table.positives
    needed = tp * (best.tp + best.fp) - best.tp * predicted
    with np.errstate(divide="ignore", invalid="ignore"):
        squared = needed / rise
    low = squared[rise > 0].max(initial=0.0)
    high = squared[rise < 0].min(initial=np.inf)
    return math.sqrt(low), math.sqrt(max(high, 0.0))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation(ResultTable):
    """Measures of thresholds on the tuning data, and on the test data.

    Attributes
    ----------
    betas
        One row for each β.
    thresholds
        The best threshold on the tuning data.
    promised
        F_β, precision and recall on the tuning data: three columns.
    achieved
        The same at the same threshold on the test data; the precision is NaN where no test item
        reaches the threshold.
    best
        The F_β of the best threshold on the test data, which is not known in advance; NaN where
        none keeps the constraints.
    """

    betas: Floats
    thresholds: NDArray[Any]
    promised: Floats
    achieved: Floats
    best: Floats
    _below: NDArray[Any] = field(compare=False)
    """The next lower scores of the tuning and of the test data: two columns."""

    def _title(self) -> str:
        return "Evaluation: thresholds of the tuning data on the test data"

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"beta": self.betas, "threshold": self.thresholds}
        for column, measure in enumerate(("f", "precision", "recall")):
            columns[f"{measure}_promised"] = self.promised[:, column]
            columns[f"{measure}_achieved"] = self.achieved[:, column]
            if measure == "f":
                columns["f_best"] = self.best
        return columns

    def _shown(self) -> dict[str, Any]:
        return self._columns() | {"threshold": ThresholdTexts(self.thresholds, *self._below.T)}


def evaluate(
    *,
    thresholds_from: OperatingPoints,
    on: OperatingPoints,
    betas: Iterable[float] | None = None,
    min_precision: float | None = None,
    min_recall: float | None = None,
    max_fpr: float | None = None,
    min_specificity: float | None = None,
    budget: float | None = None,
) -> Evaluation:
    """Choose thresholds on one sample and evaluate them on another.

    A threshold is optimistic about the data that it was chosen on; only the achieved values
    should be reported (Davis & Goadrich 2006, section 3).

    Parameters
    ----------
    thresholds_from
        The tuning data, with thresholds.
    on
        The test data: a table with a row for every score.
    betas
        The β for which thresholds are chosen, by default 0.5, 1 and 2; under constraints the one
        of what they leave free, as for `best_threshold`.
    min_precision, min_recall, max_fpr, min_specificity, budget
        Choose among the rules that keep these constraints on the tuning data. A budget counts
        rows of the tuning data; `best` has the same share of the test data.

    Examples
    --------
    >>> import isometrics as iso
    >>> tuning = iso.OperatingPoints.from_scores([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1])
    >>> test = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.8, 0.5, 0.3, 0.2])
    >>> result = iso.evaluate(thresholds_from=tuning, on=test, betas=[1])
    >>> result.thresholds, result.best
    (array([0.4]), array([0.8]))
    >>> result.promised
    array([[0.8       , 0.66666667, 1.        ]])
    >>> result.achieved
    array([[0.5, 0.5, 0.5]])
    """
    constraints = {
        "min_precision": min_precision,
        "min_recall": min_recall,
        "max_fpr": max_fpr,
        "min_specificity": min_specificity,
        "budget": budget,
    }
    objectives = parse_f_objectives(betas, constraints)
    table = thresholds_from.table
    if np.isnan(table.thresholds).any():
        raise NotAnswerableError(
            f"thresholds_from is {table.name} whose thresholds are not known; build it from scores"
        )
    decisions = [best_rule(thresholds_from, objective) for objective in objectives]
    rows = table.positives + table.negatives
    found = [
        transferred(decision, objective.for_rows(rows), on)
        for decision, objective in zip(decisions, objectives, strict=True)
    ]
    return Evaluation(
        np.array([objective.beta for objective in objectives]),
        threshold_array([decision.threshold for decision in decisions]),
        np.array([each.promised for each in found]),
        np.array([each.achieved for each in found]),
        np.array([each.best for each in found]),
        np.array([each.below for each in found]),
    )


class Transfer(NamedTuple):
    """What a rule promised on tuning data, and what it achieves on test data."""

    promised: tuple[float, ...]
    """The value of the objective, precision and recall on the tuning data."""
    achieved: tuple[float, ...]
    """The same on the test data."""
    best: float
    """The best value of a rule of the test data; NaN where none keeps the constraints."""
    below: tuple[Any, Any]
    """The next lower score of both."""


def transferred(decision: Decision, objective: Objective, on: OperatingPoints) -> Transfer:
    """Return what a decision does on other data.

    `objective` is that of the decision, with a budget as a share of all rows.
    """
    # A rule that was not found flags nothing.
    is_known = not math.isnan(decision.threshold)
    threshold = parse_thresholds(decision.threshold if is_known else math.inf)
    test = on.at(threshold).table.counts.take(0)
    promised, achieved = (
        tuple(
            float(value) if is_known else math.nan
            for value in (objective.value(each), each.precision, each.recall)
        )
        for each in (decision.counts, test)
    )
    try:
        best = best_rule(on, objective).value
    except ParameterError:
        best = math.nan
    return Transfer(
        promised, achieved, best, (decision._below, lower_scores(on.table, threshold)[0])
    )
