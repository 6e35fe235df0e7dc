"""Tasks drawn again, those of one origin together, for intervals of means over tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isometrics.studies.ranking.results import origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isometrics._core.arrays import Floats


class Draws:
    """How often each task is drawn in each resample.

    Parameters
    ----------
    tasks
        The names of the tasks. Origins are drawn with replacement, each with all its tasks.
    resamples
        How many resamples.
    confidence_level
        The level of the intervals.
    random_state
        The seed.
    """

    def __init__(
        self, tasks: Sequence[str], resamples: int, confidence_level: float, random_state: int
    ) -> None:
        names, place = np.unique([origin(task) for task in tasks], return_inverse=True)
        rng = np.random.default_rng(random_state)
        drawn = rng.multinomial(names.size, np.full(names.size, 1 / names.size), resamples)
        self.counts = np.asarray(drawn[:, place], np.float64)
        self.origins = int(names.size)
        self._tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]

    def interval_of_means(self, values: Floats) -> tuple[float, float]:
        """Return a percentile interval of the mean over tasks; NaN is no part of a mean."""
        return self.interval_of_ratios(np.where(np.isnan(values), 0.0, values), ~np.isnan(values))

    def interval_of_ratios(self, above: Floats, below: Floats) -> tuple[float, float]:
        """Return a percentile interval of a sum over tasks divided by another one."""
        with np.errstate(invalid="ignore", divide="ignore"):
            means = (self.counts @ above) / (self.counts @ below)
        return self.interval(means)

    def interval(self, replicates: Floats) -> tuple[float, float]:
        """Return the percentile interval of some replicates; those not defined are left out."""
        defined = replicates[np.isfinite(replicates)]
        if not defined.size:
            return np.nan, np.nan
        low, high = np.quantile(defined, self._tails)
        return float(low), float(high)
