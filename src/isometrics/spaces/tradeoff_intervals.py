"""The pieces of an optimal tradeoff curve as a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.results import ResultTable
from isometrics.spaces import pr
from isometrics.table import Kind, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.aliases import Counts, Floats


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TradeoffIntervals(ResultTable):
    """One row for each piece of the optimal tradeoff curve: who is best for which λ.

    Attributes
    ----------
    table
        The operating points of the pieces.
    lambda_lo, lambda_hi
        The row is best exactly when the weight of recall lies between these. Neighbours share an
        end, and all intervals together cover 0 to 1.
    value_lo, value_hi
        The index at both ends.
    """

    table: Table
    lambda_lo: Floats
    lambda_hi: Floats
    value_lo: Floats
    value_hi: Floats

    @property
    def thresholds(self) -> NDArray[Any]:
        """The thresholds; NaN where the table has none."""
        return self.table.thresholds

    @property
    def labels(self) -> tuple[object, ...] | None:
        """Names of the rows of a family of sets."""
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
    def precision(self) -> Floats:
        """Precision of each row; NaN for the empty rule."""
        return pr.precision(self.table)

    @property
    def recall(self) -> Floats:
        """Recall of each row."""
        return pr.recall(self.table)

    def take(self, rows: NDArray[np.intp]) -> TradeoffIntervals:
        """Return some of the pieces."""
        return replace(
            self,
            table=self.table.take(rows, Kind.SELECTION),
            lambda_lo=self.lambda_lo[rows],
            lambda_hi=self.lambda_hi[rows],
            value_lo=self.value_lo[rows],
            value_hi=self.value_hi[rows],
        )

    def __len__(self) -> int:
        """Return the number of pieces."""
        return self.table.size

    def _title(self) -> str:
        pieces = "1 row is" if len(self) == 1 else f"{len(self)} rows are"
        return f"TradeoffIntervals: {pieces} best for some λ"

    def _columns(self) -> dict[str, Any]:
        names: dict[str, Any] = (
            {"threshold": self.thresholds} if self.labels is None else {"label": list(self.labels)}
        )
        return names | {
            "lambda_lo": self.lambda_lo,
            "lambda_hi": self.lambda_hi,
            "tp": self.tp,
            "fp": self.fp,
            "precision": self.precision,
            "recall": self.recall,
            "value_lo": self.value_lo,
            "value_hi": self.value_hi,
        }
