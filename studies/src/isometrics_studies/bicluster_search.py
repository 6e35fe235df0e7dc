"""Cheng & Church against ISA on a planted bicluster, over the parameters of both.

The unsupervised half of the experiments of Hanczar & Nadif on the tradeoff space (their figures 5
and 7): each parameter yields a bicluster, and each bicluster a point. The envelope of an
algorithm's points in tradeoff space shows the best bicluster for every weight of recall.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isometrics.points import OperatingPoints
from isometrics_studies.cheng_church import cheng_church
from isometrics_studies.isa import isa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isometrics._core.families import Bicluster
    from isometrics_studies.planted import Planted

THRESHOLDS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0)
"""Standard deviations, for rows and for columns."""

DELTAS = tuple(float(f"{delta:.3g}") for delta in np.geomspace(0.0005, 0.08, len(THRESHOLDS) ** 2))
"""From far below to about the mean squared residue of uniform random cells, 1/12.

As many as there are pairs of thresholds, because the best of more trials is better by chance.
"""


def sweep_cheng_church(
    planted: Planted, deltas: Sequence[float] = DELTAS
) -> dict[float, Bicluster]:
    """Return the bicluster of Cheng & Church for every δ."""
    return {delta: cheng_church(planted.matrix, delta) for delta in deltas}


def sweep_isa(
    planted: Planted,
    thresholds: Sequence[float] = THRESHOLDS,
    *,
    seeds: int = 30,
    seed: int = 0,
) -> dict[tuple[float, float], Bicluster]:
    """Return the bicluster of ISA for every pair of a row and a column threshold that yields one.

    Parameters
    ----------
    planted
        The data.
    thresholds
        Standard deviations, for rows and for columns.
    seeds
        The number of random seeds to start from, for each pair.
    seed
        The seed of the random numbers, the same for each pair.
    """
    biclusters = {
        (row_threshold, column_threshold): isa(
            planted.matrix,
            row_threshold=row_threshold,
            column_threshold=column_threshold,
            seeds=seeds,
            seed=seed,
        )
        for row_threshold in thresholds
        for column_threshold in thresholds
    }
    return {pair: bicluster for pair, bicluster in biclusters.items() if bicluster is not None}


def biclustering_study(
    planted: Planted,
    *,
    deltas: Sequence[float] = DELTAS,
    thresholds: Sequence[float] = THRESHOLDS,
    seeds: int = 30,
    seed: int = 0,
) -> dict[str, OperatingPoints]:
    """Return the points of both algorithms, one for each bicluster, labelled by its parameters.

    Parameters
    ----------
    planted
        The matrix and the bicluster planted in it.
    deltas
        The largest mean squared residues for Cheng & Church.
    thresholds, seeds, seed
        As in `sweep_isa`.

    Examples
    --------
    >>> from isometrics_studies.bicluster_search import biclustering_study
    >>> from isometrics_studies.planted import planted_bicluster
    >>> planted = planted_bicluster((40, 30), (12, 10), noise=0.02, seed=1)
    >>> study = biclustering_study(planted, deltas=[0.001, 0.06], thresholds=[1.0], seeds=5)
    >>> list(study)
    ['CC', 'ISA']
    >>> study["CC"].labels, study["ISA"].labels
    ((0.001, 0.06), ((1.0, 1.0),))
    """
    families = {
        "CC": sweep_cheng_church(planted, deltas),
        "ISA": sweep_isa(planted, thresholds, seeds=seeds, seed=seed),
    }
    return {
        name: OperatingPoints.from_sets(planted.target, family, universe_size=planted.target.shape)
        for name, family in families.items()
    }
