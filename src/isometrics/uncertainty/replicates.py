"""Measures of replicates: from the weights of cells to numbers, by a kernel where it can."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isometrics.kernels.reweighted import AREAS, Order
from isometrics.points import OperatingPoints
from isometrics.uncertainty.measures import is_area
from isometrics.uncertainty.resampling import Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from isometrics.aliases import Floats
    from isometrics.kernels.replicates import Kernel
    from isometrics.uncertainty.measures import Measure
    from isometrics.uncertainty.resampling import Evaluate, Resampling


def plan_of(
    measures: Sequence[Measure], *, scheme: str, stratified: bool, prevalence: float | None
) -> Plan:
    """Return how to draw for some measures: as coarsely as the most demanding one allows."""
    cuts = [measure.threshold for measure in measures if measure.threshold is not None]
    detail = max(measure.detail for measure in measures)
    return Plan(detail, np.array(cuts, np.float64), scheme, stratified, prevalence)


def evaluator(sample: Resampling, measures: Sequence[Measure]) -> Evaluate:
    """Return a function from the weights of replicates to the measures of all models."""
    areas = {place: AREAS.index(each.name) for place, each in enumerate(measures) if is_area(each)}
    stepwise = AREAS.index("average precision") in areas.values()
    others = [(place, each.of) for place, each in enumerate(measures) if place not in areas]

    orders = [
        # Half the bytes are read twice as fast.
        Order(each.before.astype(np.int32), each.through.astype(np.int32), sample.ratio, stepwise)
        for each in sample.cells
    ]

    def evaluate(kernel: Kernel, weights: list[Floats]) -> Floats:
        replicates = weights[0].shape[0]
        values = np.empty((replicates, len(weights), len(measures)))
        for model, drawn in enumerate(weights):
            if areas:
                found = np.empty((replicates, len(AREAS)))
                size = sample.cells[model].positive.size
                kernel.areas(drawn[:, :size], drawn[:, size:], orders[model], found)
                values[:, model, list(areas)] = found[:, list(areas.values())]
            for row in range(replicates) if others else ():
                values[row, model] = _others(values[row, model], others, sample, model, drawn[row])
        return values.reshape(replicates, -1)

    return evaluate


def _others(
    values: Floats,
    measures: Sequence[tuple[int, Callable[[OperatingPoints], float]]],
    sample: Resampling,
    model: int,
    drawn: Floats,
) -> Floats:
    """Fill in the measures that need a table of their own."""
    size = sample.cells[model].positive.size
    one_class = not drawn[:size].any() or not drawn[size:].any()
    points = None if one_class else OperatingPoints(sample.cells[model].table(drawn, sample.ratio))
    for place, of in measures:
        values[place] = np.nan if points is None else of(points)
    return values
