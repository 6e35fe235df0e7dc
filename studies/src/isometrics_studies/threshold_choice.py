"""The expected loss of methods of threshold choice, over all costs or all β."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from isometrics._core.counts import refuse_other_than_probabilities
from isometrics._core.parameters import check_threshold
from isometrics._table.path import hull_of, path_of
from isometrics.decisions.best import optimal_thresholds
from isometrics.errors import NotAnswerableError, UndefinedWarning, warn

if TYPE_CHECKING:
    from isometrics._core.arrays import Floats
    from isometrics.points import OperatingPoints


def fixed(pts: OperatingPoints, threshold: float) -> float:
    """Return the expected loss when one threshold is used for every cost: the error rate.

    Parameters
    ----------
    pts
        A table that has the counts at this threshold.
    threshold
        The threshold.

    Notes
    -----
    The loss at cost proportion c is (2(1-c)·fn + 2c·fp)/n, and c is uniform on [0, 1]; so on
    average both kinds of error have the same weight (Hernández-Orallo et al. 2012).

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics_studies import threshold_choice
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> threshold_choice.fixed(pts, 0.5)
    0.25
    """
    rule = pts.at([check_threshold(threshold)])
    return float((rule.fn[0] + rule.fp[0]) / (pts.positives + pts.negatives))


def score_driven(pts: OperatingPoints) -> float:
    """Return the expected loss when the cost proportion itself is the threshold: the Brier score.

    Parameters
    ----------
    pts
        A table with a row for every score, scores between 0 and 1.

    Notes
    -----
    The rule ``score >= c`` is wrong about a positive of score s for c above s, a loss of (1-s)² in
    total, and about a negative for c up to s, a loss of s² (Hernández-Orallo et al. 2012).

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics_studies import threshold_choice
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> round(threshold_choice.score_driven(pts), 6)
    0.1875
    """
    table, scores = pts.table, _probabilities(pts)
    losses = np.diff(table.tp) * (1 - scores) ** 2 + np.diff(table.fp) * scores**2
    return float(losses.sum() / (table.positives + table.negatives))


def _probabilities(pts: OperatingPoints) -> Floats:
    """Return the distinct scores, which must lie between 0 and 1 and belong to every item."""
    refuse_other_than_probabilities(pts.thresholds, "the score-driven choice")
    scores = pts.thresholds[1:]
    if not pts.table.complete or scores[-1] == -np.inf:
        raise NotAnswerableError("the score-driven choice needs a table of every item's score")
    return np.asarray(scores, np.float64)


def rate_driven(pts: OperatingPoints) -> float:
    """Return the expected loss when the cost proportion determines the predicted positive rate.

    At cost proportion c a share 1-c is predicted positive, with ties broken at random.

    Notes
    -----
    π(1-π)(1 - 2·AUROC) + ⅓ (Hernández-Orallo et al. 2012). So even a perfect ranking loses
    ⅓ - π(1-π), because the rate does not depend on the prevalence.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics_studies import threshold_choice
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> round(threshold_choice.rate_driven(pts), 6)
    0.208333
    """
    prevalence = pts.prevalence
    negative_share = pts.negatives / (pts.positives + pts.negatives)
    return prevalence * negative_share * (1 - 2 * pts.roc.area()) + 1 / 3


def optimal(pts: OperatingPoints) -> float:
    """Return the expected loss when the best threshold is known for every cost proportion.

    It is the area under the lower envelope of the cost curves, on the data that the thresholds
    are tuned on: a lower bound for every other method, not an estimate for new data.

    Notes
    -----
    A segment of the hull with n_j items, a share c_j of them positive, loses n_j·c_j(1-c_j)/n:
    the Brier score of the accuracy-calibrated scores, or refinement loss (Hernández-Orallo et
    al. 2012).

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics_studies import threshold_choice
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> threshold_choice.optimal(pts)
    0.125
    """
    hull = hull_of(pts.table)
    rise, run = np.diff(hull.tp), np.diff(hull.fp)
    losses = rise * (run / (rise + run))
    return float(losses.sum() / (hull.positives + hull.negatives))


def fixed_f_gain(pts: OperatingPoints, threshold: float) -> float:
    """Return the expected loss of F gain when one threshold is used for every β: that of F₁.

    The operating condition is the weight of recall, λ = β²/(1+β²), uniform on [0, 1]; the loss
    is 1 - FG_β, which is linear in λ. Without a true positive it is infinite.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics_studies import threshold_choice
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> threshold_choice.fixed_f_gain(pts, 0.5)
    0.25
    """
    return float(1 - pts.at([check_threshold(threshold)]).f_gain(1.0)[0])


def score_driven_f_gain(pts: OperatingPoints) -> float:
    """Return the expected loss of F gain when 1/(1+β²) itself is the threshold.

    F-calibrated scores are meant to be used in this way, and for them it equals `optimal_f_gain`.
    The weight of recall is uniform, as for `fixed_f_gain`. The loss is infinite if some threshold
    below 1 has no true positive.

    Parameters
    ----------
    pts
        A table with a row for every score, scores between 0 and 1.

    Notes
    -----
    At the weight λ of recall the rule is ``score >= 1 - λ``, so each row is used for the 1-λ
    between its score and the next one, where its loss (P/N)·(λ·fn + (1-λ)·fp)/tp is linear.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics_studies import threshold_choice
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [1.0, 0.8, 0.7, 0.1])
    >>> round(threshold_choice.score_driven_f_gain(pts), 6)
    0.245
    """
    scores = _probabilities(pts)
    if scores[0] < 1:
        return math.inf  # thresholds above the highest score have no true positive
    ends = np.append(scores, 0.0)
    width, precision_weight = ends[:-1] - ends[1:], (ends[:-1] + ends[1:]) / 2
    used = width > 0
    tp, fp, fn = pts.tp[1:][used], pts.fp[1:][used], pts.fn[1:][used]
    if tp[0] == 0:
        return math.inf
    errors = (1 - precision_weight[used]) * fn + precision_weight[used] * fp
    return float(pts.table.odds * np.sum(width[used] * errors / tp))


def optimal_f_gain(pts: OperatingPoints) -> float:
    """Return the expected loss of F gain when the best threshold is known for every β.

    The operating condition is the weight of recall, λ = β²/(1+β²), uniform on [0, 1]; the loss
    is 1 - FG_β. Like `optimal`, it is computed on the data that the thresholds are tuned on.

    Notes
    -----
    The loss of a row is (P/N)·(λ·fn + (1-λ)·fp)/tp, linear in λ; the sum runs over the intervals
    of `optimal_thresholds`. Flach & Kull (2015) leave threshold choice on the gain scale to
    future work; this definition is the one closest to uniform cost proportions.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics_studies import threshold_choice
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> round(threshold_choice.optimal_f_gain(pts), 6)
    0.166667
    """
    best = optimal_thresholds(pts)
    # λ = 1/(1 + 1/β²)
    with np.errstate(divide="ignore"):
        lo, hi = (1 / (1 + 1 / ends) for ends in (best.beta_squared_lo, best.beta_squared_hi))
    width = hi - lo
    recall_weight = (lo + hi) / 2
    precision_weight = 1 - recall_weight
    errors = recall_weight * best.points.fn + precision_weight * best.fp
    return float(pts.table.odds * np.sum(width * errors / best.tp))


def rate_driven_f_gain(pts: OperatingPoints) -> float:
    """Return the expected loss of F gain when the weight of recall determines the rule.

    The rules from a recall of π to the always-positive rule are ordered by
    Δ = recG/π - precG/(1-π), in which Flach & Kull (2015, Theorem 3) assume thresholds to be
    uniform, as the predicted positive rate is in ROC space. At the weight λ = β²/(1+β²) the rule
    at the share λ of this range of Δ is used, and λ is uniform on [0, 1]; the loss is 1 - FG_β.
    NaN, with a warning, when all negatives rank above a recall of π.

    Notes
    -----
    Δ falls linearly with tn/tp, and both losses (P/N)·fn/tp and (P/N)·fp/tp are linear in it
    between rows. So the loss is a sum of integrals of products of linear functions.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics_studies import threshold_choice
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> round(threshold_choice.rate_driven_f_gain(pts), 6)
    0.458333
    """
    positives, negatives = Fraction(pts.positives), Fraction(pts.negatives)
    path = path_of(pts.table)
    start_tp = positives * positives / (positives + negatives)
    start_fp = path.crossing(start_tp)
    if start_fp == negatives:
        warn(
            "the rate-driven loss of F gain is undefined (NaN): all negatives rank above a recall "
            "equal to the prevalence, so there is no way to go",
            UndefinedWarning,
        )
        return math.nan
    row = path.first_row_from(start_tp)
    tp = np.concatenate([[float(start_tp)], path.x[row:]])
    fp = np.concatenate([[float(start_fp)], path.y[row:]])
    # The share of the range of Δ that remains at a row is the weight of precision, 1 - λ.
    precision_weight = (float(negatives) - fp) / tp / float((negatives - start_fp) / start_tp)
    precision_weight[0] = 1.0
    fn_per_tp, fp_per_tp = (float(positives) - tp) / tp, fp / tp
    loss = _integral_of_product(precision_weight, 1 - precision_weight, fn_per_tp)
    loss += _integral_of_product(precision_weight, precision_weight, fp_per_tp)
    return float(pts.table.odds * loss)


def _integral_of_product(x: Floats, f: Floats, g: Floats) -> float:
    """Integrate f·g, where both are linear between neighbours of the falling x.

    Over a step of length h the integral is h·(2(f₀g₀ + f₁g₁) + f₀g₁ + f₁g₀)/6.
    """
    same_end = f[:-1] * g[:-1] + f[1:] * g[1:]
    crossed = f[:-1] * g[1:] + f[1:] * g[:-1]
    return float(np.sum(-np.diff(x) * (2 * same_end + crossed)) / 6)
