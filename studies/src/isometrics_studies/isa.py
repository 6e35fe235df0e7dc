"""The iterative signature algorithm.

J. Ihmels, S. Bergmann and N. Barkai, "Defining transcription modules using large-scale gene
expression data", 2004.

Written from descriptions of the algorithm, and not compared with the authors' program: rows above
a threshold are chosen, and columns beyond one on either side, both weighted by their scores.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from isometrics._core.families import Bicluster
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Floats

_MAX_ITERATIONS = 100


def signature(
    matrix: ArrayLike, seed_rows: ArrayLike, *, row_threshold: float, column_threshold: float
) -> Bicluster | None:
    """Return the fixed point that the iteration reaches from seed rows, or None.

    Parameters
    ----------
    matrix
        The data, rows being genes and columns conditions.
    seed_rows
        The rows to start from: positions or a mask.
    row_threshold, column_threshold
        The number of standard deviations by which the score of a row must exceed the mean, and by
        which that of a column must differ from it, above or below.

    Notes
    -----
    With each column of the matrix standardised over the rows, the score of a column is its mean
    over the chosen rows, weighted by their scores. With each row standardised over the columns,
    the score of a row is its mean over the chosen columns, weighted by theirs. Scores are
    standardised, and those beyond the threshold determine the next rows and columns. At a fixed
    point these are the same as before. Some seeds end in a cycle, or without rows or columns.
    """
    data = _parse_matrix(matrix)
    over_rows, over_columns = _standardise(data, 0), _standardise(data, 1)
    row_scores = np.zeros(data.shape[0])
    row_scores[np.asarray(seed_rows)] = 1.0
    previous: tuple[bytes, bytes] | None = None
    for _ in range(_MAX_ITERATIONS):
        column_scores = _scores_beyond(row_scores @ over_rows, column_threshold, below=True)
        row_scores = _scores_beyond(over_columns @ column_scores, row_threshold, below=False)
        rows, columns = row_scores != 0, column_scores != 0
        if not rows.any() or not columns.any():
            return None
        current = rows.tobytes(), columns.tobytes()
        if current == previous:
            return Bicluster(rows, columns, data.shape)
        previous = current
    return None


def isa(
    matrix: ArrayLike,
    *,
    row_threshold: float,
    column_threshold: float,
    seeds: int = 30,
    seed_size: int | None = None,
    seed: int = 0,
) -> Bicluster | None:
    """Return the bicluster that most random seeds lead to, or None.

    Parameters
    ----------
    matrix, row_threshold, column_threshold
        As in `signature`.
    seeds
        The number of random sets of rows to start from.
    seed_size
        The number of rows in each set, by default a tenth of all rows.
    seed
        The seed of the random numbers.

    Notes
    -----
    Of biclusters that equally many seeds lead to, the one with more cells is returned, then the
    one reached first.
    """
    data = _parse_matrix(matrix)
    size = max(2, data.shape[0] // 10) if seed_size is None else seed_size
    if seeds < 1 or not 1 <= size <= data.shape[0]:
        raise ParameterError(
            f"seeds must be 1 or more and seed_size at most {data.shape[0]} rows but they are "
            f"{seeds} and {size}"
        )
    rng = np.random.default_rng(seed)
    counts: Counter[Bicluster] = Counter()
    for _ in range(seeds):
        seed_rows = rng.choice(data.shape[0], size, replace=False)
        bicluster = signature(
            data, seed_rows, row_threshold=row_threshold, column_threshold=column_threshold
        )
        if bicluster is not None:
            counts[bicluster] += 1
    return max(counts, key=lambda bicluster: (counts[bicluster], bicluster.size), default=None)


def _parse_matrix(matrix: ArrayLike) -> Floats:
    data = np.asarray(matrix, np.float64)
    if data.ndim != 2 or min(data.shape) < 2 or not np.isfinite(data).all():
        raise ParameterError(
            "must have two rows and two columns at least, and hold finite numbers",
            parameter="matrix",
        )
    return data


def _standardise(values: Floats, axis: int) -> Floats:
    """Subtract the mean and divide by the standard deviation; constant values become 0."""
    centred = values - values.mean(axis, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis, keepdims=True))
    scale = np.abs(values).max(axis, keepdims=True)
    varies = deviation > 1e-12 * scale
    return np.asarray(np.divide(centred, deviation, out=np.zeros_like(centred), where=varies))


def _scores_beyond(sums: Floats, threshold: float, *, below: bool) -> Floats:
    """Return the standardised scores beyond the threshold, on both sides if `below`, else 0."""
    scores = _standardise(sums, 0)
    magnitude: NDArray[np.float64] = np.abs(scores) if below else scores
    return np.where(magnitude > threshold, scores, 0.0)
