"""Sort and count: from clean labels, scores and weights to the rows of a table.

There are two kernels that give the same rows: NumPy's, and loops written in C, which are used where
the package was built with them and they pay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isometrics._counting import compiled_kernel, native, numpy_kernel
from isometrics._counting.choice import compiled_pays
from isometrics._counting.numpy_kernel import Rows, corners_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts
    from isometrics._counting.keys import Encoding

__all__ = [
    "Rows",
    "corner_counts",
    "corners",
    "corners_of",
    "count",
    "sort",
    "sorted_keys",
]


def count(labels: NDArray[np.bool_], scores: NDArray[Any], weights: Counts | None = None) -> Rows:
    """Count the positives and negatives at or above each distinct score."""
    if not compiled_pays(scores.size):
        return numpy_kernel.count(labels, scores, weights)
    return compiled_kernel.count(labels, scores, weights)


def corners(labels: NDArray[np.bool_], scores: NDArray[Any], weights: Counts | None = None) -> Rows:
    """Count at the scores where true positives rise, those before them, and the lowest one.

    The rows left out lie on straight lines of constant true positives between these.
    """
    if not compiled_pays(scores.size):
        return numpy_kernel.count(labels, scores, weights, corners=True)
    return compiled_kernel.count(labels, scores, weights, corners=True)


def corner_counts(
    labels: NDArray[np.bool_], scores: NDArray[Any], weights: Counts | None = None
) -> tuple[Counts, Counts]:
    """Return the true and false positives of corners; their thresholds are not read back."""
    if not native.available():
        return numpy_kernel.corner_counts(labels, scores, weights)
    return compiled_kernel.corner_counts(labels, scores, weights)


def sorted_keys(
    labels: NDArray[np.bool_], scores: NDArray[Any], encoding: Encoding
) -> NDArray[Any]:
    """Return the keys of a sample, the highest score first."""
    if not compiled_pays(scores.size):
        return numpy_kernel.sorted_keys(labels, scores, encoding)
    return compiled_kernel.sorted_keys(labels, scores, encoding)


def sort(keys: NDArray[Any]) -> None:
    """Sort unsigned keys in place."""
    if not compiled_pays(keys.size):
        keys.sort()
        return
    compiled_kernel.sort(keys)
