"""What every row of a table has: counts, rates, scores and gains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isometrics._core.parameters import check_beta, check_cost
from isometrics._core.results import ResultTable, read_only
from isometrics.spaces import pr, prg, roc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts, Floats, Total
    from isometrics._table.table import Table


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
        return read_only(self.table.positives - self.table.tp)

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
        return read_only(pr.precision(self.table))

    @property
    def recall(self) -> Floats:
        """tp/P."""
        return read_only(pr.recall(self.table))

    @property
    def false_positive_rate(self) -> Floats:
        """fp/N."""
        return read_only(roc.false_positive_rate(self.table))

    @property
    def precision_gain(self) -> Floats:
        """1 - c·fp/tp with c = P/N; -inf without true positives, NaN for the empty rule."""
        return read_only(prg.precision_gain(self.table))

    @property
    def recall_gain(self) -> Floats:
        """1 - c·fn/tp with c = P/N; -inf without true positives."""
        return read_only(prg.recall_gain(self.table))

    def f(self, beta: float = 1.0) -> Floats:
        """F_β of each row; β above 1 favours recall, ``inf`` is recall itself."""
        return read_only(pr.f(self.table, check_beta(beta)))

    def f_gain(self, beta: float = 1.0) -> Floats:
        """F_β of each row on the gain scale, where it may be averaged."""
        return read_only(prg.f_gain(self.table, check_beta(beta)))

    def accuracy(self, cost: float = 0.5) -> Floats:
        """Accuracy of each row at a cost proportion of false positives; ½ is plain accuracy.

        Notes
        -----
        2(1-c)·π·tpr + 2c·(1-π)·(1-fpr) (Flach & Kull 2015, section 1, with c and 1-c exchanged).
        A perfect rule has 2(1-c)·π + 2c·(1-π). That is 1 where c or π is ½, and more, up to 2,
        where errors of the commoner class are the costlier ones.
        """
        return read_only(roc.accuracy(self.table, check_cost(cost)))

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
