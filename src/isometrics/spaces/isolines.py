"""Lines of equal F score, accuracy, precision and recall in any space, as coordinates.

In the losses of PRG space, 1 - gain, every one of these isometrics is a straight line (Flach &
Kull 2015, Th. 1 and 2). So a line is written once, in losses, and read in the space asked for: in
ROC and PRG space it is straight and two points are enough, in PR space it is a hyperbola.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from isometrics._core.parameters import (
    check_accuracy,
    check_beta,
    check_choice,
    check_cost,
    check_gain,
    check_prevalence,
    check_score,
    check_size,
)
from isometrics.spaces import SPACES
from isometrics.spaces.pr import f_weights

if TYPE_CHECKING:
    from isometrics._core.arrays import Floats

    Coordinates: TypeAlias = tuple[Floats, Floats]

__all__ = [
    "accuracy_isoline",
    "f_gain_isoline",
    "f_isoline",
    "grid",
    "precision_isoline",
    "recall_isoline",
]

_ROUNDING = 1e-12
"""How far outside the unit square rounding may put a point that belongs on its border."""


def f_isoline(
    value: float, space: str, prevalence: float, *, beta: float = 1.0, size: int = 200
) -> Coordinates:
    """Return the points of one F_β as x and y, cut exactly at the borders of the unit square.

    Parameters
    ----------
    value
        The F score, above 0 and at most 1.
    space
        ``"roc"``, ``"pr"`` or ``"prg"``.
    prevalence
        The share of positives. Lines of equal F in PR space do not depend on it.
    beta
        The weight of recall; ``inf`` is recall itself.
    size
        The number of points of a curve. Straight lines have two, which coincide where only a
        corner has that value, and none where no point of the square has it.

    Notes
    -----
    With λ = β²/(1+β²), 1/F = (1-λ)/precision + λ/recall; so the line is a hyperbola in PR space.
    In the others it is straight, in PRG space with slope -β².

    Examples
    --------
    >>> x, y = f_isoline(0.5, "pr", 0.2, size=3)
    >>> x.round(4), y.round(4)
    (array([0.3333, 0.4   , 1.    ]), array([1.    , 0.6667, 0.3333]))
    >>> f_isoline(0.5, "prg", 0.2)
    (array([0.5, 1. ]), array([1. , 0.5]))
    """
    value = check_score(value)
    share = check_prevalence(prevalence)
    recall_weight, precision_weight = f_weights(check_beta(beta))
    loss = _odds(share) * ((1 - value) / value)
    return _Line(recall_weight, precision_weight, loss).within(space, share, size)


def f_gain_isoline(
    value: float, space: str, prevalence: float, *, beta: float = 1.0, size: int = 200
) -> Coordinates:
    """Return the points of one F_β gain; see `f_isoline`.

    Notes
    -----
    precision gain + β²·recall gain = (1+β²)·FG (Flach & Kull 2015, Th. 2).

    Examples
    --------
    The minor diagonal of PRG space is the F₁ of the always-positive rule:

    >>> f_gain_isoline(0.5, "prg", 0.2)
    (array([0., 1.]), array([1., 0.]))
    """
    gain, share = check_gain(value), check_prevalence(prevalence)
    return _Line(*f_weights(check_beta(beta)), 1 - gain).within(space, share, size)


def accuracy_isoline(
    value: float, space: str, prevalence: float, *, cost: float = 0.5, size: int = 200
) -> Coordinates:
    """Return the points of one accuracy at a cost proportion of false positives.

    Parameters
    ----------
    value
        The accuracy, as `OperatingPoints.accuracy` gives it.
    space, prevalence, size
        As for `f_isoline`.
    cost
        The cost proportion of false positives; ½ is plain accuracy.

    Notes
    -----
    2(1-c)·π·tpr + 2c·(1-π)·(1-fpr), see `OperatingPoints.accuracy`. In PR space lines of an
    accuracy below that of the empty rule run into the corner (0, 0).

    Examples
    --------
    >>> accuracy_isoline(0.75, "roc", 0.5)
    (array([0. , 0.5]), array([0.5, 1. ]))
    """
    accuracy, share, proportion = (
        check_accuracy(value),
        check_prevalence(prevalence),
        check_cost(cost),
    )
    # a·tpr - b·fpr = d, divided by tpr: 1/tpr is 1 + recall loss/odds, fpr/tpr precision loss.
    a, b = 2 * (1 - proportion) * share, 2 * proportion * (1 - share)
    d = accuracy - b
    return _Line(d / _odds(share), b, a - d).within(space, share, size)


def precision_isoline(
    value: float, space: str, prevalence: float, *, size: int = 200
) -> Coordinates:
    """Return the points of one precision: F_0; see `f_isoline`.

    Examples
    --------
    >>> precision_isoline(0.5, "roc", 0.5)
    (array([0., 1.]), array([0., 1.]))
    """
    return f_isoline(value, space, prevalence, beta=0.0, size=size)


def recall_isoline(value: float, space: str, prevalence: float, *, size: int = 200) -> Coordinates:
    """Return the points of one recall: F_∞; see `f_isoline`.

    Examples
    --------
    >>> recall_isoline(0.25, "pr", 0.5)
    (array([0.25, 0.25]), array([0., 1.]))
    """
    return f_isoline(value, space, prevalence, beta=np.inf, size=size)


def grid(space_from: str, space_to: str, prevalence: float, *, steps: int = 20) -> Coordinates:
    """Return the points of a regular grid of one space, seen in another one.

    Where the points crowd, the first space sees more detail than the second (Flach & Kull 2015,
    Fig. 3). Points outside the unit square of the second space are left out.

    Parameters
    ----------
    space_from, space_to
        ``"roc"``, ``"pr"`` or ``"prg"``.
    prevalence
        The share of positives.
    steps
        Steps of the grid from 0 to 1 along each axis.

    Examples
    --------
    >>> x, y = grid("prg", "roc", 0.5, steps=2)
    >>> x.size, float(y.min()), np.unique(y).round(4)
    (9, 0.5, array([0.5   , 0.6667, 1.    ]))
    """
    check_choice(space_from, "space_from", tuple(SPACES))
    check_choice(space_to, "space_to", tuple(SPACES))
    odds = _odds(check_prevalence(prevalence))
    places = np.linspace(0, 1, check_size(steps, "steps") + 1)
    x, y = (axis.ravel() for axis in np.meshgrid(places, places, indexing="ij"))
    with np.errstate(divide="ignore", invalid="ignore"):
        if space_from == "pr":
            x, y = odds * x * (1 - y) / y, x
        elif space_from == "prg":
            recall = odds / (odds + 1 - x)
            x, y = (1 - y) * recall, recall
        if space_to == "pr":
            x, y = y, y / (y + x / odds)
        elif space_to == "prg":
            x, y = 1 - odds * (1 - y) / y, 1 - x / y
        inside = (abs(x - 0.5) <= 0.5 + _ROUNDING) & (abs(y - 0.5) <= 0.5 + _ROUNDING)
    return np.clip(x[inside], 0, 1), np.clip(y[inside], 0, 1)


def _odds(prevalence: float) -> float:
    return prevalence / (1 - prevalence)


class _Line(NamedTuple):
    """Points with recall·(1 - recall gain) + precision·(1 - precision gain) = loss."""

    recall: float
    precision: float
    loss: float

    def within(self, space: str, prevalence: float, size: int) -> Coordinates:
        """Return the part of the line in the unit square of a space."""
        check_choice(space, "space", tuple(SPACES))
        size = check_size(size)
        odds = _odds(prevalence)
        if space == "prg":
            # In losses the unit square is the unit square again.
            x, y = _straight(self.recall, self.precision, self.loss)
            return 1 - x[::-1], 1 - y[::-1]
        if space == "roc":
            # The losses are c·(1-tpr)/tpr and fpr/tpr; times tpr this is a line.
            missed = self.recall * odds
            return _straight(self.precision, -(missed + self.loss), -missed)
        # The losses are c·(1/recall - 1) and c·(1/precision - 1).
        excess = self.loss / odds
        if self.precision == 0:
            return _straight(excess + self.recall, 0.0, self.recall)
        if self.recall == 0:
            return _straight(0.0, excess + self.precision, self.precision)
        return _hyperbola(self.recall, self.precision, excess, size)


def _straight(a: float, b: float, c: float) -> Coordinates:
    """Return the ends of a·x + b·y = c in the unit square, the one with the smaller x first."""
    if abs(a) > abs(b):
        y, x = _straight(b, a, c)
        order = np.argsort(x, kind="stable")
        return x[order], y[order]
    if b == 0:
        return np.empty(0), np.empty(0)
    lo, hi = 0.0, 1.0
    bottom = top = np.nan
    if a != 0:
        bottom, top = c / a, (c - b) / a
        lo, hi = max(lo, min(bottom, top)), min(hi, max(bottom, top))
    x = np.array([lo, hi])
    with np.errstate(over="ignore"):
        y = (c - a * x) / b
    if lo > hi + _ROUNDING or (abs(y - 0.5) > 0.5 + _ROUNDING).any():
        return np.empty(0), np.empty(0)
    # An end on a border lies there exactly, and rounding does not swap the ends.
    y = np.where(x == bottom, 0.0, np.where(x == top, 1.0, np.clip(y, 0, 1)))
    return np.sort(np.clip(x, 0, 1)), y


def _hyperbola(recall: float, precision: float, excess: float, size: int) -> Coordinates:
    """Return points of the unit square with recall·(1/x - 1) + precision·(1/y - 1) = excess.

    They come by rising x. Half of them are evenly spaced in x, half in y, so that flat and steep
    parts are both smooth.
    """
    height = precision / (precision + excess) if precision + excess > 0 else np.inf
    if recall < 0:
        # Worse than the empty rule: precision rises from the corner.
        start, end = (0.0, 0.0), (1.0, height)
    elif height > 1 + _ROUNDING:
        return np.empty(0), np.empty(0)
    else:
        # Without room above the corner (1, 1) the line is that corner.
        room = recall + excess
        start, end = (min(recall / room, 1.0) if room > 0 else 1.0, 1.0), (1.0, min(height, 1.0))
    total = excess + recall + precision
    inner_x = np.linspace(start[0], end[0], size // 2 + 1)[1:-1]
    inner_y = np.linspace(start[1], end[1], size - size // 2 + 1)[1:-1]
    x = np.concatenate([inner_x, recall * inner_y / (total * inner_y - precision)])
    y = np.concatenate([precision * inner_x / (total * inner_x - recall), inner_y])
    order = np.argsort(x, kind="stable")
    ends = np.array([start, end]).T
    # Rounding must not carry a point beyond the ends.
    inner = np.clip([x[order], y[order]], ends.min(axis=1)[:, None], ends.max(axis=1)[:, None])
    x, y = np.column_stack([ends[:, 0], inner, ends[:, 1]])
    return x, y
