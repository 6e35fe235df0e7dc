"""The two kernels of the bootstrap: plain NumPy, and loops compiled by Numba (extra ``fast``).

Both use the same random words in the same way, and the same formulas in the same order; so the
same seed draws the same weights with either, and areas have the same bits.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.parameters import check_choice
from isometrics._counting import replicate_loops
from isometrics._counting.draws import areas_plain, pick_plain
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics._counting.draws import Alias, Order, Pick

KERNELS = ("auto", "plain", "compiled")

_PAYS = 2e7
"""Draws from which on the second that Numba needs to start is made up for."""


class Kernel(NamedTuple):
    """Three tasks: draw weights, gather the weights of rows into cells, compute areas."""

    name: str
    pick: Pick
    gather: Callable[..., None]
    areas: Callable[..., None]


def kernel_named(name: str, draws: float) -> Kernel:
    """Return a kernel; ``"auto"`` is the compiled one where it is installed and pays."""
    check_choice(name, "kernel", KERNELS)
    installed = find_spec("numba") is not None
    if name == "compiled" and not installed:
        raise ParameterError(
            "kernel='compiled' needs Numba, which is not installed: pip install 'isometrics[fast]'"
        )
    if name == "plain" or not installed or (name == "auto" and draws < _PAYS):
        return PLAIN
    return _compiled()


def _gather_plain(weights: Floats, cell: NDArray[np.intp], sums: Floats) -> None:
    """Add up the weights of the rows of each cell, for one replicate."""
    sums[:] = np.bincount(cell, weights, minlength=sums.size)


PLAIN = Kernel("plain", pick_plain, _gather_plain, areas_plain)


@cache
def _compiled() -> Kernel:
    from isometrics._counting.curve_loops import exact as compile_loop

    pick_words = compile_loop(replicate_loops.pick)

    def pick(
        words: np.random.BitGenerator,
        which: NDArray[np.uint8],
        alias: Alias,
        units: NDArray[np.intp],
        weights: Floats,
    ) -> None:
        state: Any = words.state
        pick_words(state["state"]["state"], which, alias, units, weights)
        words.state = state

    fill_areas = compile_loop(replicate_loops.fill_areas)

    def areas(positive: Floats, negative: Floats, order: Order, found: Floats) -> None:
        # NumPy adds several numbers at once, a loop one after the other.
        totals = np.stack([positive.sum(axis=1), negative.sum(axis=1)])
        fill_areas(positive, negative, totals, order, found)

    return Kernel("compiled", pick, compile_loop(replicate_loops.gather), areas)
