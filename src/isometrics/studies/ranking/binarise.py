"""Two classes from any target, as OpenML made the binary versions of its data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

NATIVE = "two classes"
MAJORITY = "majority against the rest"
MEAN = "split at the mean"


class Binary(NamedTuple):
    """Which rows are positive, and how that was decided."""

    positive: NDArray[np.bool_]
    rule: str


def binarise_classes(classes: Sequence[str]) -> Binary:
    """Return the rarer of two classes as positive; of more, the largest stands against the rest.

    Of classes that are equally large the first in the order of their names is the largest. Of two
    sides that are equally large the largest class is the negative one.

    Examples
    --------
    >>> from isometrics.studies.ranking.binarise import binarise_classes
    >>> binarise_classes(["a", "b", "b", "c", "c", "c", "c"]).positive.tolist()
    [True, True, True, False, False, False, False]
    >>> binarise_classes(["a", "b", "b", "c", "d"]).positive.tolist()
    [False, True, True, False, False]
    """
    given = np.asarray(classes)
    names, counts = np.unique(given, return_counts=True)
    largest = given == names[np.argmax(counts)]
    return Binary(_rarer(largest, ~largest), NATIVE if names.size <= 2 else MAJORITY)


def binarise_numbers(numbers: ArrayLike) -> Binary:
    """Split numbers at their mean; the rarer side is positive, and if both are equal the upper.

    Examples
    --------
    >>> from isometrics.studies.ranking.binarise import binarise_numbers
    >>> binarise_numbers([1, 2, 3, 10]).positive.tolist()
    [False, False, False, True]
    """
    values = np.asarray(numbers, np.float64)
    below = values < values.mean()
    return Binary(_rarer(below, ~below), MEAN)


def _rarer(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the side with fewer rows, and the other one if there is no such side."""
    return one if one.sum() < other.sum() else other
