"""How many labelled rows an interval of a given width needs, from a pilot sample."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.parameters import (
    check_choice,
    check_confidence,
    check_half_width,
    check_prevalence,
    check_ratio,
)
from isometrics._core.results import ResultTable, number
from isometrics.errors import NotAnswerableError
from isometrics.measures import AUPRG, IN_KERNELS, Detail
from isometrics.uncertainty.influence import influence_of
from isometrics.uncertainty.intervals import NORMAL
from isometrics.uncertainty.paired import percent
from isometrics.uncertainty.resampling import grouping_of, scores_of

if TYPE_CHECKING:
    from isometrics._core.arrays import Floats
    from isometrics.points import OperatingPoints


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampleSize(ResultTable):
    """How many positives and negatives an interval needs.

    Attributes
    ----------
    measure
        The area.
    estimate
        Its value in the pilot sample.
    half_width
        Half the width that was asked for.
    half_width_now
        Half the width of the pilot sample's own interval.
    positives, negatives
        The rows needed.
    positives_now, negatives_now
        The rows of the pilot sample.
    confidence_level
        The confidence.
    """

    measure: str
    estimate: float
    half_width: float
    half_width_now: float
    positives: int
    negatives: int
    positives_now: int
    negatives_now: int
    confidence_level: float

    def sentence(self) -> str:
        """Return the answer in words."""
        return (
            f"A {percent(self.confidence_level)} interval of {self.measure} of about "
            f"±{number(self.half_width)} takes about {self.positives} positives and "
            f"{self.negatives} negatives; the pilot's {self.positives_now} and "
            f"{self.negatives_now} give ±{self.half_width_now:.3g}."
        )

    def _title(self) -> str:
        return self.sentence()

    def _columns(self) -> dict[str, Any]:
        return {
            "sample": ["pilot", "needed"],
            "positives": [self.positives_now, self.positives],
            "negatives": [self.negatives_now, self.negatives],
            "half_width": [self.half_width_now, self.half_width],
        }


def sample_size(
    pilot: OperatingPoints,
    *,
    half_width: float,
    measure: str = AUPRG.name,
    prevalence: float | None = None,
    negatives_per_positive: float | None = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """Return how many labelled rows an interval of a given width needs.

    Parameters
    ----------
    pilot
        A table of whole rows.
    half_width
        The largest acceptable half of the interval's width.
    measure
        ``"AUROC"``, ``"AUPR"``, ``"average precision"`` or ``"AUPRG"``.
    prevalence
        The prevalence at which the model will be used; by default that of the pilot.
    negatives_per_positive
        If given, positives and negatives are collected separately in this ratio, and the area is
        evaluated at `prevalence`, which is known. By default rows are collected as they come at
        that prevalence, so the number of positives is random.
    confidence_level
        The confidence of the interval.

    Notes
    -----
    The variance of an area is the sum of the squared influence of the rows, and falls with one
    over their number in each class. The half width is that of the normal interval. The pilot's
    variance is itself an estimate: with 30 positives the answer may be off by half, so take the
    order of magnitude from a small pilot, and ask again when there is more data.

    Examples
    --------
    >>> import numpy as np
    >>> import isometrics as iso
    >>> from isometrics.uncertainty.sample_size import sample_size
    >>> labels = np.arange(400) < 80
    >>> scores = np.random.default_rng(0).normal(1.5 * labels)
    >>> pilot = iso.OperatingPoints.from_scores(labels, scores)
    >>> found = sample_size(pilot, half_width=0.02, measure="AUROC")
    >>> found.positives_now, found.positives
    (80, 295)
    """
    kernels = {each.name: kernel for kernel, each in IN_KERNELS.items()}
    kernel = kernels[check_choice(measure, "measure", tuple(kernels))]
    width, level = check_half_width(half_width), check_confidence(confidence_level)
    ratio = pilot.negatives / pilot.positives
    if prevalence is not None:
        share = check_prevalence(prevalence)
        ratio = (1 - share) / share
    scores = scores_of(pilot.table)
    if scores.positive.dtype.kind == "f" or scores.negative.dtype.kind == "f":
        raise NotAnswerableError(
            "the counts of this pilot sample are not whole rows; pass a table of unweighted scores"
        )
    cells = grouping_of(scores, Detail.SCORES, np.empty(0)).cells
    counts = (cells.positive.astype(np.float64), cells.negative.astype(np.float64))
    if negatives_per_positive is None:
        moved = (counts[0], counts[1] * (ratio * pilot.positives / pilot.negatives))
        influence = influence_of(kernel, cells, *moved)
        # The squares add up to the variance that the moved sample itself would give.
        squares = sum(float(w @ e**2) for w, e in zip(moved, influence, strict=True))
        for_one = squares * pilot.positives
        per_positive = ratio
    else:
        per_positive = check_ratio(negatives_per_positive, "negatives_per_positive")
        influence = influence_of(kernel, cells, *counts, ratio=ratio)
        spread = [_spread(w, e) for w, e in zip(counts, influence, strict=True)]
        for_one = spread[0] + spread[1] / per_positive
    # `for_one` is the variance that a single positive with its negatives would give.
    z = NORMAL.inv_cdf((1 + level) / 2)
    positives = math.ceil(z * z * for_one / (width * width))
    now = for_one / pilot.positives
    if negatives_per_positive is not None:
        now = spread[0] / pilot.positives + spread[1] / pilot.negatives
    return SampleSize(
        measure,
        IN_KERNELS[kernel].of(pilot if prevalence is None else pilot.at_prevalence(prevalence)),
        width,
        z * math.sqrt(now),
        positives,
        math.ceil(positives * per_positive),
        int(pilot.positives),
        int(pilot.negatives),
        level,
    )


def _spread(weights: Floats, influence: Floats) -> float:
    """Return the variance that one row of a class would give: its rows' times their number."""
    total = float(weights.sum())
    centred = influence - float(weights @ influence) / total
    return total * float(weights @ centred**2)
