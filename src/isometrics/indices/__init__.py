"""The weighted indices: one number from precision, recall and the weight λ of recall.

Four are those of Hanczar & Nadif: ``"kulczynski"``, ``"f-measure"``, ``"folke"`` and
``"jaccard"``. Two more are straight lines in λ: ``"f-gain"``, dual to PRG space, and ``"cost"``,
dual to ROC space. `Index` makes one of any rising function.
"""

from __future__ import annotations

from isometrics.errors import ParameterError
from isometrics.indices.closed import (
    ClosedIndex,
    Cost,
    FGain,
    FMeasure,
    Folke,
    Jaccard,
    Kulczynski,
)
from isometrics.indices.custom import Index
from isometrics.indices.rows import Rows
from isometrics.indices.weighted import WeightedIndex

__all__ = ["INDICES", "ClosedIndex", "Index", "Rows", "WeightedIndex", "index_named"]

INDICES: dict[str, ClosedIndex] = {
    index.name: index for index in (Kulczynski(), FMeasure(), Folke(), Jaccard(), FGain(), Cost())
}
"""The built-in indices by name."""


def index_named(index: str | WeightedIndex) -> WeightedIndex:
    """Return a built-in index by its name; an index is returned as it is.

    Examples
    --------
    >>> round(index_named("jaccard").value(precision=0.8, recall=0.5, lam=0.2), 4)
    0.6061
    """
    if isinstance(index, WeightedIndex):
        return index
    if isinstance(index, str) and index in INDICES:
        return INDICES[index]
    raise ParameterError(
        f"index must be one of {', '.join(map(repr, INDICES))} or an iso.Index but is {index!r}"
    )
