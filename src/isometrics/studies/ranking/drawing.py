"""Resamples of tasks, by origin, for intervals of means over tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isometrics.studies.ranking.results import origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isometrics._core.arrays import Floats


class Draws:
    """Resamples of tasks: how often each task is drawn in each of them.

    Parameters
    ----------
    tasks
        The names of the tasks. Origins are drawn with replacement, each with all its tasks.
    resamples
        The number of resamples.
    confidence_level
        The level of the intervals.
    random_state
        The seed.
    """

    def __init__(
        self, tasks: Sequence[str], resamples: int, confidence_level: float, random_state: int
    ) -> None:
        names, origin_index = np.unique([origin(task) for task in tasks], return_inverse=True)
        rng = np.random.default_rng(random_state)
        origin_counts = rng.multinomial(names.size, np.full(names.size, 1 / names.size), resamples)
        self.counts = np.asarray(origin_counts[:, origin_index], np.float64)
        self.origins = int(names.size)
        self._tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]

    def interval_of_means(self, values: Floats) -> tuple[float, float]:
        """Return a percentile interval of the mean over tasks, without NaN."""
        return self.interval_of_ratios(np.where(np.isnan(values), 0.0, values), ~np.isnan(values))

    def interval_of_ratios(self, numerators: Floats, denominators: Floats) -> tuple[float, float]:
        """Return a percentile interval of the ratio of two sums over tasks."""
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios = (self.counts @ numerators) / (self.counts @ denominators)
        return self.interval(ratios)

    def interval(self, replicates: Floats) -> tuple[float, float]:
        """Return the percentile interval of replicates, without those that are not finite."""
        defined = replicates[np.isfinite(replicates)]
        if not defined.size:
            return np.nan, np.nan
        low, high = np.quantile(defined, self._tails)
        return float(low), float(high)
