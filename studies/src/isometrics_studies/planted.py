"""A random matrix with a planted bicluster, which algorithms should find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isometrics._core.families import Bicluster
from isometrics._core.results import Value

if TYPE_CHECKING:
    from isometrics._core.arrays import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Planted(Value):
    """A matrix and the bicluster planted in it."""

    matrix: Floats
    target: Bicluster


def planted_bicluster(
    shape: tuple[int, int] = (100, 60),
    size: tuple[int, int] = (30, 20),
    *,
    level: float = 0.0,
    noise: float = 0.0,
    seed: int = 0,
) -> Planted:
    """Plant an additive bicluster in a matrix of uniform random numbers.

    Parameters
    ----------
    shape
        Rows and columns of the matrix.
    size
        Rows and columns of the bicluster; which ones is random.
    level
        The constant added to all cells of the bicluster. At 0 they have the range and the mean of
        all other cells, and differ from these only by their coherence.
    noise
        The standard deviation of normal noise added to the cells of the bicluster. A uniform
        random cell has a standard deviation of 0.289.
    seed
        The seed of the random numbers.

    Notes
    -----
    The matrix is uniform on [0, 1]. A cell of the bicluster is the level plus a row effect plus a
    column effect, both uniform on [0, 0.5] (the additive model of Madeira & Oliveira,
    "Biclustering algorithms for biological data analysis: a survey", 2004).

    Examples
    --------
    >>> from isometrics_studies.planted import planted_bicluster
    >>> planted_bicluster((20, 10), (5, 4)).target
    Bicluster: 5 rows × 4 columns of a 20 × 10 matrix
    """
    rng = np.random.default_rng(seed)
    matrix = rng.random(shape)
    target = Bicluster(
        rng.choice(shape[0], size[0], replace=False),
        rng.choice(shape[1], size[1], replace=False),
        shape,
    )
    effects = rng.uniform(0, 0.5, size[0])[:, None] + rng.uniform(0, 0.5, size[1])
    matrix[np.ix_(target.rows, target.columns)] = level + effects + noise * rng.normal(size=size)
    return Planted(matrix, target)
