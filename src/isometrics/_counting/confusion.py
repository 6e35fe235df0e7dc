"""The counts of rules and the totals of both classes: every rate and index of them, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.results import number

if TYPE_CHECKING:
    from isometrics._core.arrays import Counts, Floats, Total


class Totals(NamedTuple):
    """The totals of both classes."""

    positives: Total
    negatives: Total


class Confusion(NamedTuple):
    """True and false positives of one rule or of many, under the totals of both classes.

    All four are numbers or arrays that broadcast; totals may differ from rule to rule.
    """

    tp: Any
    fp: Any
    positives: Any
    negatives: Any

    @classmethod
    def of_rates(cls, precision: Floats, recall: Floats, prevalence: float) -> Confusion:
        """Return counts with these rates, scaled to a total of one positive.

        A precision of 0 is only possible at a recall of 0; there are no false positives then, and
        at another recall they are NaN.
        """
        nothing = np.where(recall > 0, np.nan, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            fp = np.where(precision > 0, recall * ((1 - precision) / precision), nothing)
        return cls(np.asarray(recall), fp, 1.0, (1 - prevalence) / prevalence)

    def at_ratio(self, ratio: float) -> Confusion:
        """Scale the negatives to so many for each positive; 0 leaves them."""
        if ratio <= 0:
            return self
        negatives = self.positives * ratio
        factor = divided(negatives, self.negatives)
        return self._replace(fp=self.fp * factor, negatives=negatives)

    def take(self, rows: Any) -> Confusion:
        """Return some of the rules, which have the same totals."""
        return self._replace(tp=self.tp[rows], fp=self.fp[rows])

    def column(self) -> Confusion:
        """Return the rules along the first of two axes, so that λ broadcasts along the second."""
        return self._replace(tp=self.tp[:, None], fp=self.fp[:, None])

    @property
    def fn(self) -> Counts:
        """False negatives."""
        return np.asarray(self.positives - self.tp)

    @property
    def prevalence(self) -> Any:
        """The share of positives, π."""
        return self.positives / (self.positives + self.negatives)

    @property
    def odds(self) -> Any:
        """Positives for each negative, c = π/(1-π)."""
        return self.positives / self.negatives

    @property
    def budget(self) -> Counts:
        """How many rows are flagged."""
        return np.asarray(self.tp + self.fp)

    @property
    def flagged(self) -> Floats:
        """The share of all rows that is flagged."""
        return divided(self.tp + self.fp, self.positives + self.negatives)

    @property
    def precision(self) -> Floats:
        """tp/(tp+fp); NaN where nothing is flagged."""
        return divided(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Floats:
        """tp/P, the true positive rate."""
        return divided(self.tp, self.positives)

    @property
    def false_positive_rate(self) -> Floats:
        """fp/N."""
        return divided(self.fp, self.negatives)

    @property
    def specificity(self) -> Floats:
        """tn/N."""
        return divided(self.negatives - self.fp, self.negatives)

    def f(self, recall_weight: Any, precision_weight: Any) -> Floats:
        """Weighted harmonic mean of recall and precision, tp/(tp + λ·fn + (1-λ)·fp).

        With weights that do not add up to 1 it is the index of Tversky (1977).
        """
        errors = recall_weight * (self.positives - self.tp) + precision_weight * self.fp
        return divided(self.tp, self.tp + errors)

    def f_gain(self, recall_weight: Any, precision_weight: Any) -> Floats:
        """Weighted mean of recall gain and precision gain, 1 - c·(λ·fn + (1-λ)·fp)/tp.

        That is F on the gain scale (Flach & Kull 2015, Th. 2), with the always-positive rule at 0
        and perfection at 1; -∞ without true positives, NaN for the empty rule's precision.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = recall_weight * (self.positives - self.tp) + precision_weight * self.fp
            return np.asarray(1 - self.odds * np.divide(errors, self.tp))

    def accuracy(self, cost: float) -> Floats:
        """Cost-weighted accuracy, 2(1-c)·π·tpr + 2c·(1-π)·(1-fpr).

        So the best threshold for a cost proportion c is the calibrated score c. Flach & Kull
        (2015, section 1) print c and 1-c exchanged, which contradicts their own calibrated scores.
        """
        total = self.positives + self.negatives
        true_positive_share = (self.positives / total) * (self.tp / self.positives)
        true_negative_share = (self.negatives - self.fp) / total
        return np.asarray(2 * (1 - cost) * true_positive_share + 2 * cost * true_negative_share)


def f_weights(beta: float) -> tuple[float, float]:
    """Return the weights of recall and precision in F_β, λ = β²/(1+β²) and 1 - λ = 1/(1+β²)."""
    if beta <= 1:
        return beta * beta / (1 + beta * beta), 1 / (1 + beta * beta)
    inverse = (1 / beta) * (1 / beta)
    return 1 / (1 + inverse), inverse / (1 + inverse)


def f_name(beta: float, what: str = "F") -> str:
    """Return the printed name of F_β, such as ``F (β 1)``, or of something else at this β."""
    return f"{what} (β {number(beta)})"


def divided(part: Any, whole: Any) -> Floats:
    """Divide; NaN where the whole is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(np.asarray(whole) > 0, part / np.asarray(whole), np.nan))


def wilson_bound(share: Any, size: Any, z: float) -> Any:
    """Return Wilson's lower bound of a share of so many rows; the share itself for z = 0.

    With -z it is the upper bound (Wilson 1927).
    """
    # Sums of weights may be rounded to a share just above 1.
    spread = (share * abs(1 - share) / size + z * z / (4 * size * size)) ** 0.5
    return (share + z * z / (2 * size) - z * spread) / (1 + z * z / size)
