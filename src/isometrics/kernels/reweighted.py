"""Areas of a ranking whose cells are given other weights: the NumPy kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics.aliases import Floats

AREAS = ("AUROC", "AUPR", "average precision", "AUPRG")
"""What the kernels compute, in their order."""


class Order(NamedTuple):
    """How cells stand in the ranking, those of positives and those of negatives numbered apart.

    Before positive cell i stand the negative cells up to `before[i]`; those up to `through[i]` are
    tied with it or stand before it. With a `ratio` above 0 the negatives are scaled to so many for
    each positive, which is how another prevalence is looked at. Average precision is computed if
    `stepwise`, which needs the positives of each score apart.
    """

    before: NDArray[np.int32]
    through: NDArray[np.int32]
    ratio: float
    stepwise: bool


class _Way(NamedTuple):
    """The curve over each positive cell: from (x, y) to (x_end, y_end)."""

    x: Floats
    y: Floats
    x_end: Floats
    y_end: Floats


def areas_plain(positive: Floats, negative: Floats, order: Order, areas: Floats) -> None:
    """Fill one row of `AREAS` for each row of weights; NaN for a row without one class."""
    tp = np.cumsum(positive, axis=1)
    fp = np.zeros((negative.shape[0], negative.shape[1] + 1))
    np.cumsum(negative, axis=1, out=fp[:, 1:])
    total, others = tp[:, -1:].copy(), fp[:, -1:].copy()
    with np.errstate(divide="ignore", invalid="ignore"):
        if order.ratio > 0:
            fp *= total * order.ratio / others
            others = total * order.ratio
        y, y_end = fp[:, order.before], fp[:, order.through]
        x = tp - positive
        areas[:, 0] = np.sum(positive * (2 * others - y - y_end), axis=1)
        areas[:, 0] /= (2 * total * others)[:, 0]
        areas[:, 1] = np.sum(_below_curve(x, positive, y, y_end - y), axis=1) / total[:, 0]
        areas[:, 2] = np.nan
        if order.stepwise:
            steps = np.divide(tp, tp + y_end, out=np.zeros_like(tp), where=positive > 0)
            areas[:, 2] = np.sum(positive * steps, axis=1) / total[:, 0]
        areas[:, 3] = _gain_area(_Way(x, y, tp, y_end), total, others)
    areas[(total == 0)[:, 0] | (others == 0)[:, 0]] = np.nan


def _below_curve(x: Floats, rise: Floats, y: Floats, run: Floats) -> Floats:
    """Area under tp/(tp+fp) over each cell; see `isometrics.spaces.pr_pieces`."""
    step = rise + run
    predicted = x + y
    bend = (x * run - rise * y) / step
    curved = bend * np.log1p(step / predicted)
    # From the empty rule precision is constant; a cell without weight has no area.
    curved[predicted == 0] = 0
    area: Floats = rise * (rise + curved) / step
    area[rise == 0] = 0
    return area


def _gain_area(way: _Way, total: Floats, others: Floats) -> Floats:
    """Area under precision gain from recall gain 0 on; see `isometrics.spaces.prg`."""
    crossing = total * (total / (total + others))
    start = np.maximum(way.x, crossing)
    share = (start - way.x) / (way.x_end - way.x)
    y_start = np.where(start > way.x, way.y + share * (way.y_end - way.y), way.y)
    width = (way.x_end - start) / start / way.x_end
    lost = width * (y_start / start + way.y_end / way.x_end)
    lost[(way.x_end <= crossing) | (way.x_end <= way.x)] = 0
    odds = total / others
    area: Floats = 1 - (odds * odds * total)[:, 0] / 2 * np.sum(lost, axis=1)
    return area
