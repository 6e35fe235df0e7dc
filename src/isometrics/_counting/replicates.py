"""The two kernels of the bootstrap: plain NumPy, and loops written in C.

Both use the same random words in the same way, and the same formulas in the same order; so the
same seed draws the same weights with either, and areas have the same bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.parameters import check_choice
from isometrics._counting import native
from isometrics._counting.draws import areas_plain, pick_plain
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._counting.draws import Alias, Order, Pick

KERNELS = ("auto", "plain", "compiled")


class Kernel(NamedTuple):
    """Three tasks: draw weights, gather the weights of rows into cells, compute areas."""

    name: str
    pick: Pick
    gather: Callable[..., None]
    areas: Callable[..., None]


def kernel_named(name: str) -> Kernel:
    """Return a kernel; ``"auto"`` is the compiled one where the package was built with it."""
    check_choice(name, "kernel", KERNELS)
    if name == "plain" or (name == "auto" and not native.available()):
        return PLAIN
    if not native.available():
        raise ParameterError(native.MISSING)
    return COMPILED


def _gather_plain(weights: Floats, cell: NDArray[np.intp], sums: Floats) -> None:
    """Add up the weights of the rows of each cell, for one replicate."""
    sums[:] = np.bincount(cell, weights, minlength=sums.size)


PLAIN = Kernel("plain", pick_plain, _gather_plain, areas_plain)


def _pick(
    words: np.random.BitGenerator,
    which: NDArray[np.uint8],
    alias: Alias,
    units: NDArray[np.intp],
    weights: NDArray[Any],
) -> None:
    """Draw with the generator of `words`, whose state moves on as if it had drawn."""
    state: Any = words.state
    own = state["state"]["state"]
    native.pick(own, which, *alias, units, units.size, weights, *weights.shape)
    words.state = state


def _gather(weights: Floats, cell: NDArray[np.intp], sums: Floats) -> None:
    """Add up the weights of the rows of each cell, for one replicate."""
    native.gather(weights, cell, cell.size, sums, sums.size)


def _areas(positive: Floats, negative: Floats, order: Order, found: Floats) -> None:
    """Fill one row of `AREAS` for each row of weights."""
    # NumPy adds several numbers at once, a loop one after the other.
    totals = np.stack([positive.sum(axis=1), negative.sum(axis=1)])
    strides = (positive.strides[0] // 8, negative.strides[0] // 8)
    native.fill_areas(
        positive, strides[0], negative, strides[1], *positive.shape, totals, *order, found
    )


COMPILED = Kernel("compiled", _pick, _gather, _areas)
