"""Biclusters with a small mean squared residue.

Y. Cheng and G. M. Church, "Biclustering of expression data", 2000.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isometrics._core.families import Bicluster
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Floats

    Mask = NDArray[np.bool_]

_ROUNDING = 16 * np.finfo(np.float64).eps


def mean_squared_residue(block: ArrayLike) -> float:
    """Return H, the mean squared residue of a block: 0 for row effects plus column effects.

    The residue of a cell is a_ij - a_iJ - a_Ij + a_IJ, with the means of its row, of its column
    and of the block.

    Examples
    --------
    >>> from isometrics_studies.cheng_church import mean_squared_residue
    >>> mean_squared_residue([[1, 2], [3, 4]]), mean_squared_residue([[1, 0], [0, 1]])
    (0.0, 0.25)
    """
    return float(_squared_residues(np.asarray(block, np.float64)).mean())


def cheng_church(
    matrix: ArrayLike, delta: float, *, alpha: float = 1.2, multiple_from: int = 100
) -> Bicluster:
    """Return a large bicluster whose mean squared residue is at most δ.

    Parameters
    ----------
    matrix
        The data.
    delta
        The largest allowed mean squared residue; a larger δ yields a larger bicluster.
    alpha
        Rows and columns whose mean squared residue exceeds α·H are deleted together.
    multiple_from
        The number of rows, or of columns, from which on several are deleted together.

    Notes
    -----
    Multiple node deletion, single node deletion and node addition (algorithms 2, 1 and 3 of the
    paper), in this order. Node addition never raises H: the means of the new block fit it at least
    as well as the old ones. Rows that mirror the bicluster (the last step of algorithm 3) are not
    added, since the cells of a mirrored row do not follow the additive model. The algorithm is
    deterministic; of equally bad rows and columns the first is deleted, rows before columns.

    Examples
    --------
    >>> from isometrics_studies.cheng_church import cheng_church
    >>> cheng_church([[1, 2, 9], [2, 3, 0], [3, 4, 7], [8, 0, 1]], 0.0).columns
    array([0, 1])
    """
    data = np.asarray(matrix, np.float64)
    if data.ndim != 2 or data.size == 0 or not np.isfinite(data).all():
        raise ParameterError("must be two-dimensional and hold finite numbers", parameter="matrix")
    if not delta >= 0 or not alpha >= 1:
        raise ParameterError(f"delta must be ≥ 0 and alpha ≥ 1 but they are {delta} and {alpha}")
    rows, columns = (np.ones(length, np.bool_) for length in data.shape)
    _delete_many(data, rows, columns, delta, alpha=alpha, multiple_from=multiple_from)
    _delete_single(data, rows, columns, delta)
    _add(data, rows, columns, delta)
    return Bicluster(rows, columns, data.shape)


def _squared_residues(block: Floats) -> Floats:
    if 1 in block.shape:  # fitted exactly, but for rounding
        return np.zeros(block.shape)
    residues = block - block.mean(1, keepdims=True) - block.mean(0) + block.mean()
    return np.asarray(residues**2)


def _delete_many(
    data: Floats, rows: Mask, columns: Mask, delta: float, *, alpha: float, multiple_from: int
) -> None:
    """Algorithm 2: delete all rows, then all columns, that are much worse than the block."""
    deleted = True
    while deleted:
        deleted = False
        for side, axis in ((rows, 1), (columns, 0)):
            squared = _squared_residues(data[np.ix_(rows, columns)])
            if squared.mean() <= delta:
                return
            if np.count_nonzero(side) >= multiple_from:
                # The mean over the nodes is H, so at least one node stays.
                exceeds = squared.mean(axis) > alpha * squared.mean()
                side[np.flatnonzero(side)[exceeds]] = False
                deleted |= bool(exceeds.any())


def _delete_single(data: Floats, rows: Mask, columns: Mask, delta: float) -> None:
    """Algorithm 1: delete the worst row or column until the block is good enough."""
    while True:
        squared = _squared_residues(data[np.ix_(rows, columns)])
        if squared.mean() <= delta:
            return
        row_means, column_means = squared.mean(1), squared.mean(0)
        if row_means.max() >= column_means.max():
            rows[np.flatnonzero(rows)[row_means.argmax()]] = False
        else:
            columns[np.flatnonzero(columns)[column_means.argmax()]] = False


def _add(data: Floats, rows: Mask, columns: Mask, delta: float) -> None:
    """Algorithm 3: add columns, then rows, that fit the block at least as well as it does."""
    added = True
    while added:
        added = False
        for matrix, inside, others in ((data.T, columns, rows), (data, rows, columns)):
            extended = inside | _fitting_rows(matrix, inside, others)
            block = matrix[np.ix_(extended, others)]
            # In exact arithmetic H cannot rise; rounding must not raise it above δ.
            if extended.sum() > inside.sum() and mean_squared_residue(block) <= delta:
                inside[:] = extended
                added = True


def _fitting_rows(matrix: Floats, inside: Mask, columns: Mask) -> Mask:
    """Return a mask of the rows whose mean squared residue against the block is at most H."""
    selected = matrix[:, columns]
    block = selected[inside]
    residues = selected - selected.mean(1, keepdims=True) - block.mean(0) + block.mean()
    # Rows that fit exactly must not be excluded by rounding.
    rounding = (_ROUNDING * np.abs(selected).max()) ** 2
    return np.asarray((residues**2).mean(1) <= _squared_residues(block).mean() + rounding)
