"""The iterative signature algorithm.

J. Ihmels, S. Bergmann and N. Barkai, "Defining transcription modules using large-scale gene
expression data", 2004.

Written after descriptions of the algorithm, and not compared with the authors' program: rows are
taken above a threshold, columns beyond one on either side, both weighted by their scores.
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

_STEPS = 100


def signature(
    matrix: ArrayLike, seed_rows: ArrayLike, *, row_threshold: float, column_threshold: float
) -> Bicluster | None:
    """Return the fixed point that the iteration reaches from some rows; None if it reaches none.

    Parameters
    ----------
    matrix
        The data, rows being genes and columns conditions.
    seed_rows
        The rows to start from: positions or a mask.
    row_threshold, column_threshold
        How many standard deviations above the mean the score of a row must be, and how far from
        the mean, above or below, that of a column.

    Notes
    -----
    With each column of the matrix standardised over the rows, the score of a column is its mean
    over the chosen rows, weighted by their scores. With each row standardised over the columns,
    the score of a row is its mean over the chosen columns, weighted by theirs. Scores are
    standardised, and those beyond the threshold choose rows and columns anew. At a fixed point the
    same rows and columns come back. Some seeds end in a cycle, or choose nothing.
    """
    data = _parse_matrix(matrix)
    over_rows, over_columns = _standard(data, 0), _standard(data, 1)
    rows = np.zeros(data.shape[0])
    rows[np.asarray(seed_rows)] = 1.0
    last: tuple[bytes, bytes] | None = None
    for _ in range(_STEPS):
        columns = _beyond(rows @ over_rows, column_threshold, below=True)
        rows = _beyond(over_columns @ columns, row_threshold, below=False)
        if not rows.any() or not columns.any():
            return None
        now = ((rows != 0).tobytes(), (columns != 0).tobytes())
        if now == last:
            return Bicluster(rows != 0, columns != 0, data.shape)
        last = now
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
    """Return the bicluster that most random seeds lead to; None if none leads to any.

    Parameters
    ----------
    matrix, row_threshold, column_threshold
        As in `signature`.
    seeds
        How many random sets of rows to start from.
    seed_size
        The number of rows in each, by default a tenth of all.
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
    reached: Counter[Bicluster] = Counter()
    for _ in range(seeds):
        start = rng.choice(data.shape[0], size, replace=False)
        found = signature(
            data, start, row_threshold=row_threshold, column_threshold=column_threshold
        )
        if found is not None:
            reached[found] += 1
    return max(reached, key=lambda found: (reached[found], found.size), default=None)


def _parse_matrix(matrix: ArrayLike) -> Floats:
    data = np.asarray(matrix, np.float64)
    if data.ndim != 2 or min(data.shape) < 2 or not np.isfinite(data).all():
        raise ParameterError(
            "matrix must have two rows and two columns at least, and hold finite numbers"
        )
    return data


def _standard(values: Floats, axis: int) -> Floats:
    """Subtract the mean and divide by the standard deviation; what does not vary becomes 0."""
    centred = values - values.mean(axis, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis, keepdims=True))
    scale = np.abs(values).max(axis, keepdims=True)
    varies = spread > 1e-12 * scale
    return np.asarray(np.divide(centred, spread, out=np.zeros_like(centred), where=varies))


def _beyond(sums: Floats, threshold: float, *, below: bool) -> Floats:
    """Return the standardised scores beyond the threshold, and 0 elsewhere."""
    scores = _standard(sums, 0)
    size: NDArray[np.float64] = np.abs(scores) if below else scores
    return np.where(size > threshold, scores, 0.0)
