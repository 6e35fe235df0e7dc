"""Lines of equal F score, accuracy, precision and recall in any space, as coordinates.

In the losses of PRG space, 1 - gain, every one of these isometrics is a straight line (Flach &
Kull 2015, Th. 1 and 2). So a line is defined once, in losses, and converted to the requested space:
in ROC and PRG space it is straight and two points are enough, in PR space it is a hyperbola.
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
    """Return x and y of the points with an F_β, clipped exactly to the unit square.

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
        The number of points of a curve. Straight lines have two, which coincide if only a corner
        has that value, and none if no point of the square has it.

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
    """Return the points with an F_β gain; see `f_isoline`.

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
    """Return the points with an accuracy at a cost proportion of false positives.

    Parameters
    ----------
    value
        The accuracy, as `OperatingPoints.accuracy` defines it.
    space, prevalence, size
        As for `f_isoline`.
    cost
        The cost proportion of false positives; ½ is plain accuracy.

    Notes
    -----
    2(1-c)·π·tpr + 2c·(1-π)·(1-fpr), see `OperatingPoints.accuracy`. In PR space the line of an
    accuracy below that of the empty rule ends in the corner (0, 0).

    Examples
    --------
    >>> accuracy_isoline(0.75, "roc", 0.5)
    (array([0. , 0.5]), array([0.5, 1. ]))
    """
    accuracy, share = check_accuracy(value), check_prevalence(prevalence)
    proportion = check_cost(cost)
    # The line a·tpr - b·fpr = d, divided by tpr, is linear in the losses: 1/tpr is
    # 1 + recall loss/odds, and fpr/tpr is the precision loss.
    a, b = 2 * (1 - proportion) * share, 2 * proportion * (1 - share)
    d = accuracy - b
    return _Line(d / _odds(share), b, a - d).within(space, share, size)


def precision_isoline(
    value: float, space: str, prevalence: float, *, size: int = 200
) -> Coordinates:
    """Return the points with a precision, which is F_0; see `f_isoline`.

    Examples
    --------
    >>> precision_isoline(0.5, "roc", 0.5)
    (array([0., 1.]), array([0., 1.]))
    """
    return f_isoline(value, space, prevalence, beta=0.0, size=size)


def recall_isoline(value: float, space: str, prevalence: float, *, size: int = 200) -> Coordinates:
    """Return the points with a recall, which is F_∞; see `f_isoline`.

    Examples
    --------
    >>> recall_isoline(0.25, "pr", 0.5)
    (array([0.25, 0.25]), array([0., 1.]))
    """
    return f_isoline(value, space, prevalence, beta=np.inf, size=size)


def grid(space_from: str, space_to: str, prevalence: float, *, steps: int = 20) -> Coordinates:
    """Return the points of a regular grid in one space, converted to another one.

    Where the points are dense, the first space shows more detail than the second (Flach & Kull
    2015, Fig. 3). Points outside the unit square of the second space are left out.

    Parameters
    ----------
    space_from, space_to
        ``"roc"``, ``"pr"`` or ``"prg"``.
    prevalence
        The share of positives.
    steps
        The number of steps from 0 to 1 along each axis.

    Examples
    --------
    >>> x, y = grid("prg", "roc", 0.5, steps=2)
    >>> x.size, float(y.min()), np.unique(y).round(4)
    (9, 0.5, array([0.5   , 0.6667, 1.    ]))
    """
    check_choice(space_from, "space_from", tuple(SPACES))
    check_choice(space_to, "space_to", tuple(SPACES))
    odds = _odds(check_prevalence(prevalence))
    ticks = np.linspace(0, 1, check_size(steps, "steps") + 1)
    x, y = (axis.ravel() for axis in np.meshgrid(ticks, ticks, indexing="ij"))
    with np.errstate(divide="ignore", invalid="ignore"):
        # To ROC space first, and from there to the second space.
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
    """The points with a·(1 - recall gain) + b·(1 - precision gain) = loss.

    a is the weight of recall and b that of precision.
    """

    a: float
    b: float
    loss: float

    def within(self, space: str, prevalence: float, size: int) -> Coordinates:
        """Return the section of the line in the unit square of a space."""
        check_choice(space, "space", tuple(SPACES))
        size = check_size(size)
        odds = _odds(prevalence)
        if space == "prg":
            # The losses of the points in the unit square are the unit square too.
            x, y = _straight(self.a, self.b, self.loss)
            return 1 - x[::-1], 1 - y[::-1]
        if space == "roc":
            # The losses are c·(1-tpr)/tpr and fpr/tpr; times tpr this is a line.
            missed = self.a * odds
            return _straight(self.b, -(missed + self.loss), -missed)
        # The losses are c·(1/recall - 1) and c·(1/precision - 1).
        excess = self.loss / odds
        if self.b == 0:
            return _straight(excess + self.a, 0.0, self.a)
        if self.a == 0:
            return _straight(0.0, excess + self.b, self.b)
        return _hyperbola(self.a, self.b, excess, size)


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
    # An end on a border must lie there exactly, and rounding must not swap the ends.
    y = np.where(x == bottom, 0.0, np.where(x == top, 1.0, np.clip(y, 0, 1)))
    return np.sort(np.clip(x, 0, 1)), y


def _hyperbola(a: float, b: float, excess: float, size: int) -> Coordinates:
    """Return points of the unit square with a·(1/x - 1) + b·(1/y - 1) = excess, by rising x.

    Half of them are evenly spaced in x and half in y, so that flat and steep sections are both
    smooth.
    """
    y_at_1 = b / (b + excess) if b + excess > 0 else np.inf
    if a < 0:
        # Worse than the empty rule: precision rises from the corner (0, 0).
        start, end = (0.0, 0.0), (1.0, y_at_1)
    elif y_at_1 > 1 + _ROUNDING:
        return np.empty(0), np.empty(0)
    else:
        # If the line does not enter the square, it is the corner (1, 1).
        x_at_1 = min(a / (a + excess), 1.0) if a + excess > 0 else 1.0
        start, end = (x_at_1, 1.0), (1.0, min(y_at_1, 1.0))
    total = excess + a + b
    inner_x = np.linspace(start[0], end[0], size // 2 + 1)[1:-1]
    inner_y = np.linspace(start[1], end[1], size - size // 2 + 1)[1:-1]
    x = np.concatenate([inner_x, a * inner_y / (total * inner_y - b)])
    y = np.concatenate([b * inner_x / (total * inner_x - a), inner_y])
    order = np.argsort(x, kind="stable")
    ends = np.array([start, end]).T
    # Rounding must not move a point beyond the ends.
    inner = np.clip([x[order], y[order]], ends.min(axis=1)[:, None], ends.max(axis=1)[:, None])
    x, y = np.column_stack([ends[:, 0], inner, ends[:, 1]])
    return x, y
