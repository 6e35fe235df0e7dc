"""The top of the ranking: precision among the first k, lift, gains, and net benefit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.counts import refuse_other_than_probabilities
from isometrics._core.parameters import parse_values
from isometrics._core.results import ResultTable
from isometrics._core.threshold_text import ThresholdTexts
from isometrics._table.table import Kind
from isometrics.errors import NotAnswerableError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from isometrics._core.arrays import Floats
    from isometrics._table.table import Table
    from isometrics.points import OperatingPoints


def precision_at_k(pts: OperatingPoints, k: ArrayLike) -> Floats:
    """Return the share of positives among the k items with the highest scores.

    Where k falls among items of equal score, this is the expected share for a random order of
    these items. The items between two rows of a curve without thresholds are treated as tied.

    Parameters
    ----------
    pts
        A table with a row for every score, or a curve.
    k
        A number, or an array of numbers, above 0 and at most the number of items, or the sum of
        their weights.

    Notes
    -----
    Between neighbouring rows the expected true positives are linear in k.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.decisions.lift import precision_at_k
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1])
    >>> precision_at_k(pts, [1, 2, 3])
    array([1.        , 0.75      , 0.66666667])
    """
    table = pts.table
    items = float(table.positives + table.negatives)
    sizes = parse_values(
        k, "k", lambda k: (k > 0) & (k <= items), f"above 0 and at most {items:g}, all items"
    )
    return np.asarray(_true_positives(table, sizes) / sizes)


def cumulative_gains(pts: OperatingPoints, share: ArrayLike) -> Floats:
    """Return the share of all positives that the top share of the ranking contains.

    Ties are treated as in `precision_at_k`.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.decisions.lift import cumulative_gains
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1])
    >>> cumulative_gains(pts, [0.25, 0.5, 1.0])
    array([0.5 , 0.75, 1.  ])
    """
    shares = parse_values(share, "share", lambda x: (x >= 0) & (x <= 1), "between 0 and 1")
    table = pts.table
    sizes = shares * (table.positives + table.negatives)
    return np.asarray(_true_positives(table, sizes) / table.positives)


def lift(pts: OperatingPoints, share: ArrayLike) -> Floats:
    """Return how many times as many positives the top share contains as a random share.

    Ties are treated as in `precision_at_k`.

    Notes
    -----
    The cumulative gain divided by the share, which is the precision among the share's items
    divided by the prevalence.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.decisions.lift import lift
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1])
    >>> lift(pts, [0.25, 0.5, 1.0])
    array([2. , 1.5, 1. ])
    """
    shares = parse_values(share, "share", lambda x: (x > 0) & (x <= 1), "above 0 and at most 1")
    return np.asarray(cumulative_gains(pts, shares) / shares)


def _true_positives(table: Table, sizes: Floats) -> Floats:
    """Return the expected true positives among that many items with the highest scores."""
    if table.partial or table.kind not in (Kind.SCORES, Kind.CURVE):
        raise NotAnswerableError(
            f"{table.name} does not know the ranking between its rows; ask the full table of the "
            "scores"
        )
    return np.asarray(np.interp(sizes, table.tp + table.fp, table.tp))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NetBenefit(ResultTable):
    """A decision curve: the net benefit of the model, of treating all, and of treating none.

    Attributes
    ----------
    probability_thresholds
        The probabilities from which on a person is treated.
    model, treat_all, treat_none
        Net true positives for each person; 0 for treating none.
    """

    probability_thresholds: Floats
    model: Floats
    treat_all: Floats
    treat_none: Floats

    def _title(self) -> str:
        return "NetBenefit: net true positives for each item"

    def _columns(self) -> dict[str, Any]:
        return {"probability_threshold": self.probability_thresholds} | self._named(
            "model", "treat_all", "treat_none"
        )

    def _shown(self) -> dict[str, Any]:
        # They were given, so they are printed to their last digit.
        texts = ThresholdTexts(self.probability_thresholds)
        return self._columns() | {"probability_threshold": texts}


def net_benefit(pts: OperatingPoints, probability_thresholds: ArrayLike) -> NetBenefit:
    """Return the decision curve of a model whose scores are probabilities (Vickers & Elkin 2006).

    Parameters
    ----------
    pts
        A table with a row for every score, scores between 0 and 1.
    probability_thresholds
        The probabilities from which on a person is treated, at least 0 and below 1.

    Notes
    -----
    TP/n - FP/n · p/(1-p) for the rule ``score >= p``: treating from the probability p on implies
    that a false positive costs p/(1-p) times what a true positive gains.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.decisions.lift import net_benefit
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> net_benefit(pts, [0.2, 0.5])
    NetBenefit: net true positives for each item
    probability_threshold   model  treat_all  treat_none
                      0.2  0.4375      0.375           0
                      0.5    0.25          0           0
    """
    probabilities = np.atleast_1d(
        parse_values(
            probability_thresholds,
            "probability_thresholds",
            lambda p: (p >= 0) & (p < 1),
            "at least 0 and below 1",
        )
    )
    refuse_other_than_probabilities(pts.thresholds, "net benefit")
    rules, table = pts.at(probabilities), pts.table
    items, odds = table.positives + table.negatives, probabilities / (1 - probabilities)
    return NetBenefit(
        probabilities,
        np.asarray(rules.tp / items - rules.fp / items * odds),
        np.asarray(table.positives / items - table.negatives / items * odds),
        np.zeros(probabilities.size),
    )
