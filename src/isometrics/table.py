"""The table of operating points: counts under fixed totals, and nothing else.

Everything the package computes is a function of this table. It is small, frozen and dumb; the
checks happen where data enters (`isometrics.inputs` and the constructors of `OperatingPoints`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from isometrics.aliases import Counts, Total
from isometrics.errors import NotAnswerableError
from isometrics.values import Value

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Kind(StrEnum):
    """What the rows of a table are, in the words of its error messages."""

    SCORES = "a table with a row for every distinct score"
    CURVE = "a curve without thresholds"
    HULL = "a hull"
    SELECTION = "a selection of rows"
    SETS = "a family of sets"
    COMPACT = "a table that keeps only some rows"
    BINNED = "a table with rows at the borders of bins"


class Measure(StrEnum):
    """What is known of a whole table even where only some of its rows are kept."""

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


class Totals(Protocol):
    """What the totals of a table, or those alone, can be asked for."""

    @property
    def positives(self) -> Total:
        """The total of positives, P."""
        ...

    @property
    def negatives(self) -> Total:
        """The total of negatives, N."""
        ...


class ClassTotals(NamedTuple):
    """The totals of both classes."""

    positives: Total
    negatives: Total


@dataclass(frozen=True, slots=True, eq=False)
class Table(Value):
    """Operating points (tp, fp) under the totals `positives` and `negatives`.

    Notes
    -----
    Tables of scores, curves and hulls are nested (both counts never fall) and begin with the
    empty rule and end with the always-positive one. Selections and sets hold the rows they were
    asked for, in that order. Thresholds that are not known are NaN.

    A compact table keeps some rows of a longer one, those of its hull among them. `gaps` tells
    behind which rows others were left out, and `known` has what was computed before that. A
    binned table has gaps too, and its hull is only that of its rows: others may lie above it.
    """

    thresholds: NDArray[Any]
    tp: Counts
    fp: Counts
    positives: Total
    negatives: Total
    kind: Kind
    labels: tuple[object, ...] | None = None
    gaps: NDArray[np.bool_] | None = None
    """For each pair of neighbours in such a table, whether rows between them may be missing."""
    known: Mapping[str, float] = field(default_factory=dict)
    """Measures of the whole table that was compacted, by the names of `Measure`."""

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.tp.size

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

        Along a gap without a rise the true positives are constant, so the way is known.
        """
        return self.gaps is None or not (self.gaps & (self.tp[1:] > self.tp[:-1])).any()

    @property
    def partial(self) -> bool:
        """Whether rows are missing between the rows."""
        return self.kind in (Kind.COMPACT, Kind.BINNED)

    def refuse_gaps(self, what: str) -> None:
        """Refuse a table with missing rows where every row may count."""
        if self.partial:
            raise NotAnswerableError(
                f"{self.kind} cannot tell {what}: it may lie between its {self.size} rows; build "
                "the full table, with rows='all', a higher memory_limit= and no tolerance="
            )

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
        )
