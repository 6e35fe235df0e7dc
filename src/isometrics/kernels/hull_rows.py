"""What a device finds of a hull."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vertices: TypeAlias = Callable[[NDArray[Any], NDArray[Any]], NDArray[np.intp]]
"""Finds the vertices of points by their false and true positives."""


class HullRows(NamedTuple):
    """The vertices of a hull, on the host; the first is the empty rule."""

    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    marks: NDArray[Any]
    """Of each row but the first, which has none; see `array_api.Groups`."""
    gaps: NDArray[np.bool_]
    """For each pair of neighbours, whether the table has other rows between them."""
