"""The table of operating points: counts under fixed totals, and tables made from tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.counts import (
    HIGHEST_SCORE,
    LEAST_TOTAL,
    MOST_TOTAL,
    check_totals,
)
from isometrics._core.parameters import check_beta, check_cost
from isometrics._core.results import ResultTable, Value, read_only
from isometrics._core.threshold_text import ThresholdTexts, threshold_text
from isometrics._counting.confusion import Confusion, Totals, f_weights
from isometrics._counting.keys import ScoreCounts
from isometrics.errors import Advice, NotAnswerableError, ParameterError, ScoreError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts, Floats, Total


class Kind(StrEnum):
    """What the rows of a table are, in the words of its error messages."""

    SCORES = "a table with a row for every distinct score"
    CURVE = "a curve without thresholds"
    HULL = "a hull"
    SELECTION = "a selection of rows"
    SETS = "a family of sets"


class KnownArea(StrEnum):
    """What may be known of a whole table of which only some rows are kept, areas most of all."""

    ROC = "area in ROC space"
    DAVIS_GOADRICH = "davis-goadrich"
    AVERAGE_PRECISION = "average-precision"
    LINEAR = "linear"
    INTEGER_STEPS = "integer-steps"
    MAX_PRECISION = "max-precision"
    ABOVE = "area above the curve in PR space"
    PRG = "area in PRG space"
    Y0 = "precision gain where recall gain is 0"
    MISSES = "expected false negatives for each true positive"
    FALSE_ALARMS = "expected false positives for each true positive"


@dataclass(frozen=True, slots=True, eq=False)
class Gaps(Value):
    """Where rows of a table are missing, and what is known of them.

    Attributes
    ----------
    between
        For each pair of neighbouring rows, whether rows between them may be missing.
    known
        Measures of the whole table, by the names of `KnownArea`.
    has_hull
        Whether all vertices of the whole table's hull, and its first row of highest precision,
        are among the rows; inside bins that nobody looked into, others may lie above.
    memory_limit
        The memory limit under which no row would be missing, as a user writes it; empty where it is
        not what left rows out.
    """

    between: NDArray[np.bool_]
    known: Mapping[str, float] = field(default_factory=dict)
    has_hull: bool = True
    memory_limit: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, eq=False)
class Table(Value):
    """Operating points (tp, fp) under the totals `positives` and `negatives`.

    Notes
    -----
    Tables of scores, curves and hulls are nested (both counts never fall) and begin with the
    empty rule and end with the always-positive one. Selections and sets hold the rows they were
    asked for, in that order. Thresholds that are not known are NaN.

    The threshold +inf is that of the empty rule alone: no score reaches it. A score of +inf stands
    at `HIGHEST_SCORE`, which it reaches, and no other score may.

    A partial table has only some of the rows: those of corners, of a hull, of borders of bins, or
    as many as memory allows. `gaps` tells where others are missing and what is known of these;
    which source left them out makes no difference to any question that is asked of the table.

    `below` has the next lower score of each row, from which its threshold can be told by fewer
    digits: -inf where there is none, NaN where it is not known. A table of scores has them in its
    rows, so it is None there, and in tables that have no scores.
    """

    thresholds: NDArray[Any]
    tp: Counts
    fp: Counts
    positives: Total
    negatives: Total
    kind: Kind
    labels: tuple[object, ...] | None = None
    gaps: Gaps | None = None
    below: NDArray[Any] | None = field(default=None, compare=False)
    _hull_rows: NDArray[np.intp] | None = field(default=None, init=False, repr=False)
    """The vertices of the hull, once they were asked for; see `isometrics._table.path`."""

    def __post_init__(self) -> None:
        """Tell a score of +inf from the empty rule, and make the arrays read-only."""
        if self.kind is Kind.SCORES and self.thresholds[1:2] == np.inf:
            if (self.thresholds[2:3] >= HIGHEST_SCORE).any():
                raise ScoreError(
                    f"scores of +inf and of {HIGHEST_SCORE!r}, the highest float64, or more cannot "
                    "be told apart; give ranks instead of scores, or clip them"
                )
            # In place: a long table may lie on the disk, and nobody else has it yet.
            self.thresholds[1] = HIGHEST_SCORE
            if self.below is not None:
                self.below[0] = HIGHEST_SCORE
        Value.__post_init__(self)

    @classmethod
    def of_rows(
        cls,
        thresholds: NDArray[Any],
        tp: Counts,
        fp: Counts,
        totals: Totals,
        *,
        gaps: Gaps | None = None,
        below: NDArray[Any] | None = None,
    ) -> Table:
        """Return a table of scores from rows that lack the empty rule."""
        below = None if below is None else np.concatenate([thresholds[:1], below])
        rows = ScoreCounts.of_rows(thresholds, tp, fp)
        return cls(*rows, *totals, Kind.SCORES, gaps=gaps, below=below)

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.tp.size

    @property
    def totals(self) -> Totals:
        """The totals of both classes."""
        return Totals(self.positives, self.negatives)

    @property
    def counts(self) -> Confusion:
        """The counts of all rows, from which every rate follows."""
        return Confusion(self.tp, self.fp, self.positives, self.negatives)

    @property
    def prevalence(self) -> float:
        """The share of positives, π."""
        return self.positives / (self.positives + self.negatives)

    @property
    def odds(self) -> float:
        """Positives for each negative, c = π / (1 - π)."""
        return self.positives / self.negatives

    @property
    def has_whole_curve(self) -> bool:
        """Whether no row that may be missing lies off the straight lines between the others.

        Along a gap without a rise the true positives are constant, so the path is known.
        """
        if self.gaps is None:
            return True
        return not (self.gaps.between & (self.tp[1:] > self.tp[:-1])).any()

    @property
    def has_hull(self) -> bool:
        """Whether no row that may be missing is a vertex of the hull."""
        return self.gaps is None or self.gaps.has_hull

    @property
    def partial(self) -> bool:
        """Whether rows are missing between the rows."""
        return self.gaps is not None

    @property
    def complete(self) -> bool:
        """Whether there is a row for every distinct score."""
        return self.kind is Kind.SCORES and self.gaps is None

    @property
    def nested(self) -> bool:
        """Whether both counts never fall from one row to the next, trivial rules included."""
        return self.kind not in (Kind.SELECTION, Kind.SETS)

    @property
    def known(self) -> Mapping[str, float]:
        """The measures computed before rows were left out, by the names of `KnownArea`."""
        return {} if self.gaps is None else self.gaps.known

    @property
    def name(self) -> str:
        """What the table is, in the words of error messages."""
        if self.gaps is None:
            return str(self.kind)
        some = "that keeps only some rows" if self.has_hull else "with rows at the borders of bins"
        return f"a table {some}"

    def refuse_gaps(self, what: str) -> None:
        """Refuse a table with missing rows where every row may count."""
        if self.partial:
            raise NotAnswerableError(
                f"{self.name} cannot tell {what}: it may lie between its {self.size} rows",
                self.advice(
                    "build the full table, with rows='all', a higher {memory_limit} and no "
                    "{tolerance}"
                ),
            )

    def advice(self, otherwise: str) -> Advice:
        """Return how to get a table with all rows: under which memory limit, or as said."""
        if self.gaps is not None and self.gaps.memory_limit:
            return Advice("raise {memory_limit} to {} to keep all rows", self.gaps.memory_limit)
        return Advice(otherwise)

    def take(self, rows: NDArray[np.intp], kind: Kind) -> Table:
        """Return some of the rows, in the order asked for."""
        labels = None if self.labels is None else tuple(self.labels[row] for row in rows)
        return Table(
            self.thresholds[rows],
            self.tp[rows],
            self.fp[rows],
            self.positives,
            self.negatives,
            kind,
            labels,
            below=self.next_lower(rows),
        )

    def next_lower(self, rows: NDArray[np.intp] | None = None) -> NDArray[Any]:
        """Return the next lower score of some rows; -inf if there is none, NaN if unknown."""
        rows = np.arange(self.size) if rows is None else rows
        if self.below is not None:
            return self.below[rows]
        lower = np.full(rows.size, np.nan, self.thresholds.dtype)
        if self.kind is Kind.SCORES:
            is_last = rows == self.size - 1
            lower[is_last] = -np.inf
            upper_rows = rows[~is_last]
            lower[~is_last] = self.thresholds[upper_rows + 1]
            if self.gaps is not None:
                lower[np.flatnonzero(~is_last)[self.gaps.between[upper_rows]]] = np.nan
        return lower

    def threshold_texts(self) -> ThresholdTexts:
        """Return the thresholds as they are printed."""
        return ThresholdTexts(self.thresholds, self.next_lower())


def at_thresholds(table: Table, wanted: NDArray[Any]) -> Table:
    """Return the rows of the rule ``score >= t``, in the order asked for."""
    rows = rows_at(table, wanted)
    return Table(
        wanted, table.tp[rows], table.fp[rows], table.positives, table.negatives, Kind.SELECTION
    )


def lower_scores(table: Table, thresholds: NDArray[Any]) -> NDArray[Any]:
    """Return the highest score below each threshold, as `Table.next_lower` does."""
    return table.next_lower(rows_at(table, thresholds))


def rows_at(table: Table, wanted: NDArray[Any]) -> NDArray[np.intp]:
    """Return the row of the rule ``score >= t`` for each threshold t.

    Where not every score has a row, what lies between the rows is not known.
    """
    if table.complete:
        return np.asarray(np.searchsorted(-table.thresholds, -wanted, "right") - 1)
    known = np.append(table.thresholds, np.nan)
    order = np.argsort(known, kind="stable")
    rows = order[np.searchsorted(known[order], wanted, "right") - 1]
    unknown = np.flatnonzero(known[rows] != wanted)
    if unknown.size:
        raise NotAnswerableError(
            f"{table.name} cannot tell the counts at threshold "
            f"{threshold_text(wanted[unknown[0]])}",
            table.advice("ask the full table of the scores"),
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
    gaps = table.gaps
    if gaps is not None:
        # Both rates stay, so what only depends on them stays.
        known = {name: area for name, area in gaps.known.items() if name == KnownArea.ROC}
        gaps = replace(gaps, known=known)
    fp = np.asarray(table.fp * factor)
    return replace(table, fp=fp, negatives=negatives, gaps=gaps)


def merged(one: Table, two: Table) -> Table:
    """Return the table of both samples together."""
    for table in (one, two):
        if not table.complete:
            raise NotAnswerableError(
                f"{table.name} cannot be merged: rows between its rows are not known; "
                "merge the full tables of the scores first"
            )
    totals = check_totals(
        one.positives + two.positives, one.negatives + two.negatives, counted="the sum"
    )
    thresholds = np.union1d(one.thresholds[1:], two.thresholds[1:])[::-1]
    rows = at_thresholds(one, thresholds), at_thresholds(two, thresholds)
    tp, fp = rows[0].tp + rows[1].tp, rows[0].fp + rows[1].fp
    return Table.of_rows(thresholds, tp, fp, Totals(*totals))


class RowMeasures(ResultTable):
    """Base of results that have a row for each of some operating points; arrays are read-only."""

    __slots__ = ()

    table: Table

    @property
    def thresholds(self) -> NDArray[Any]:
        """Thresholds in descending order, behind the +inf of the empty rule; NaN if unknown."""
        return self.table.thresholds

    @property
    def labels(self) -> tuple[object, ...] | None:
        """Names or parameter values of the rows of a family of sets."""
        return self.table.labels

    @property
    def tp(self) -> Counts:
        """True positives."""
        return self.table.tp

    @property
    def fp(self) -> Counts:
        """False positives."""
        return self.table.fp

    @property
    def fn(self) -> Counts:
        """False negatives."""
        return read_only(self.table.counts.fn)

    @property
    def tn(self) -> Counts:
        """True negatives."""
        return read_only(self.table.negatives - self.table.fp)

    @property
    def positives(self) -> Total:
        """The total of positives, P."""
        return self.table.positives

    @property
    def negatives(self) -> Total:
        """The total of negatives, N."""
        return self.table.negatives

    @property
    def prevalence(self) -> float:
        """The share of positives, π = P/(P+N)."""
        return self.table.prevalence

    @property
    def precision(self) -> Floats:
        """tp/(tp+fp); NaN for the empty rule, which predicts nothing."""
        return read_only(self.table.counts.precision)

    @property
    def recall(self) -> Floats:
        """tp/P."""
        return read_only(self.table.counts.recall)

    @property
    def false_positive_rate(self) -> Floats:
        """fp/N."""
        return read_only(self.table.counts.false_positive_rate)

    @property
    def precision_gain(self) -> Floats:
        """1 - c·fp/tp with c = P/N; -inf without true positives, NaN for the empty rule."""
        return read_only(self.table.counts.f_gain(0, 1))

    @property
    def recall_gain(self) -> Floats:
        """1 - c·fn/tp with c = P/N; -inf without true positives."""
        return read_only(self.table.counts.f_gain(1, 0))

    def f(self, beta: float = 1.0) -> Floats:
        """F_β of each row; β above 1 favours recall, ``inf`` is recall itself."""
        return read_only(self.table.counts.f(*f_weights(check_beta(beta))))

    def f_gain(self, beta: float = 1.0) -> Floats:
        """F_β of each row on the gain scale, where it may be averaged."""
        return read_only(self.table.counts.f_gain(*f_weights(check_beta(beta))))

    def accuracy(self, cost: float = 0.5) -> Floats:
        """Accuracy of each row at a cost proportion of false positives; ½ is plain accuracy.

        Notes
        -----
        2(1-c)·π·tpr + 2c·(1-π)·(1-fpr) (Flach & Kull 2015, section 1, with c and 1-c exchanged).
        A perfect rule has 2(1-c)·π + 2c·(1-π). That is 1 where c or π is ½, and more, up to 2,
        where errors of the commoner class are the costlier ones.
        """
        return read_only(self.table.counts.accuracy(check_cost(cost)))

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.table.size

    def _names(self) -> dict[str, Any]:
        """Return the column that tells which row is which."""
        if self.labels is None:
            return {"threshold": self.thresholds}
        return {"label": list(self.labels)}

    def _printed_names(self) -> dict[str, Any]:
        """Return the same for the printout, with thresholds as short as they can be."""
        return {"threshold": self.table.threshold_texts()} if self.labels is None else self._names()
