"""Cuts of ranges into equal pieces, and the way of a row through one cut after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics.sources.leaves import Leaves

_MOST_NODES = 1 << 57
"""Numbers of pieces stay unique over all passes."""
_TINY, _UP = 2.0**-960, 2.0**1000
_FAR = 2.0**62
"""Differences of integers below this do not overflow."""


class Cuts(NamedTuple):
    """Ranges and how each is cut: a row's piece is first + ⌊(score · factor - shift) · scale⌋.

    Floating-point arithmetic never turns the order of two scores around, so pieces are ranges
    again. Every range has at least two, as its lowest and its highest score part.
    """

    node: NDArray[np.int64]
    parent: NDArray[np.int64]
    factor: Floats
    """A power of two that keeps differences finite and normal, nearly always 1."""
    shift: NDArray[Any]
    """The lowest score: an integer where integers are subtracted exactly."""
    scale: Floats
    first: NDArray[np.int64]

    def take(self, rows: NDArray[Any]) -> Cuts:
        """Return some of them."""
        return Cuts(*(column[rows] for column in self))

    @property
    def whole(self) -> bool:
        """Whether scores are integers, from which the lowest one is subtracted exactly."""
        return self.shift.dtype.kind in "iu"


def cuts_of(leaves: Leaves, pieces: NDArray[np.int64], first: int) -> Cuts:
    """Cut ranges into pieces, numbered from `first` on."""
    pieces = np.minimum(pieces, max(_MOST_NODES // pieces.size, 2))
    starts = first + np.cumsum(pieces) - pieces
    lo, hi = leaves.lo, leaves.hi
    factor = np.ones(lo.size)
    low, high = lo.astype(np.float64), hi.astype(np.float64)
    if lo.dtype.kind in "iu" and (high - low).max() < _FAR:
        shift, length = lo, (hi - lo).astype(np.float64)
    else:
        with np.errstate(over="ignore"):
            distance = high - low
        factor[np.isinf(distance)] = 0.5
        factor[(distance > 0) & (distance < _TINY)] = _UP
        shift = low * factor
        length = high * factor - shift
    # Integers far apart are floats for once, and those close to each other may be equal then.
    apart = length > 0
    scale = np.zeros(lo.size)
    scale[apart] = (pieces[apart] - 0.5) / length[apart]
    return Cuts(leaves.node, leaves.parent, factor, shift, scale, starts)


def way_to(last: Cuts, before: list[Cuts]) -> list[Cuts]:
    """Return all cuts that lead rows to the last ones, from the whole sample on.

    Ranges that were not cut in a pass keep their number there; other ranges are left out, and
    their rows with them.
    """
    way = [last]
    for cuts in reversed(before):
        wanted = way[-1]
        place = np.searchsorted(cuts.node, wanted.parent).clip(max=cuts.node.size - 1)
        made = cuts.node[place] == wanted.parent
        kept = wanted.take(~made)
        nothing = np.zeros(kept.node.size)
        through = Cuts(
            kept.node, kept.parent, nothing, nothing.astype(cuts.shift.dtype), nothing, kept.node
        )
        origin = cuts.take(np.unique(place[made]))
        way.append(Cuts(*(np.concatenate(both) for both in zip(origin, through, strict=True))))
    return way[::-1]
