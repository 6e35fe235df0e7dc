"""Several spaces in one figure."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import pyplot as plt

from isometrics.errors import ParameterError
from isometrics.plot.frame import TITLES
from isometrics.plot.options import Models, named
from isometrics.plot.spaces import pr, prg, roc
from isometrics.plot.tradeoff import tradeoff

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

SPACES: dict[str, Callable[..., Axes]] = {"roc": roc, "pr": pr, "prg": prg, "tradeoff": tradeoff}


def overview(
    pts: Models, axes: Sequence[Axes] | NDArray[Any] | None = None, **options: Any
) -> NDArray[Any]:
    """Draw all four spaces: ROC, PR, PRG and tradeoff space.

    Parameters
    ----------
    pts
        The operating points of one model, or of several by name.
    axes
        Four axes to draw on; by default those of a new figure, two by two.
    options
        Options of `roc`, `pr`, `prg` and `tradeoff`; each space takes those it has. `points`
        means thresholds to mark, so `tradeoff` does not take it.

    Returns
    -------
    numpy.ndarray
        The axes, in the shape in which they stand.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics import plot
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> axes = plot.overview(pts, hull=False)
    >>> [ax.get_title() for ax in axes.flat]
    ['ROC', 'PR', 'PRG', 'tradeoff']
    """
    named(pts)
    taken = {space: _options_of(space) for space in SPACES}
    taken["tradeoff"].discard("points")
    unknown = sorted(set(options) - set().union(*taken.values()))
    if unknown:
        raise ParameterError(
            f"no space has the option {unknown[0]!r}; "
            f"they have {', '.join(sorted(set().union(*taken.values())))}"
        )
    if axes is None:
        _, axes = plt.subplots(2, 2, figsize=(11.2, 10.8), layout="constrained")
    places = np.asarray(axes, dtype=object)
    if places.size != len(SPACES):
        raise ParameterError(f"axes must be four axes but has {places.size}")
    for (space, draw), ax in zip(SPACES.items(), places.flat, strict=True):
        mine = {name: value for name, value in options.items() if name in taken[space]}
        draw(pts, ax, **(_defaults(space, pts) | mine))
        # Above the axes there may be labels of lines.
        ax.set_title(TITLES.get(space, space), pad=16)
    return places


def draw_space(space: str, pts: Models, ax: Axes | None, **options: Any) -> Axes:
    """Draw one space by its name, with the options it has."""
    unknown = sorted(set(options) - _options_of(space))
    if unknown:
        raise ParameterError(
            f"the {space} space has no option {unknown[0]!r}; "
            f"it has {', '.join(sorted(_options_of(space)))}"
        )
    return SPACES[space](pts, ax, **(_defaults(space, pts) | options))


def _options_of(space: str) -> set[str]:
    parameters = signature(SPACES[space]).parameters.values()
    return {each.name for each in parameters if each.kind is Parameter.KEYWORD_ONLY}


def _defaults(space: str, pts: Models) -> dict[str, Any]:
    """Leave out lines of equal accuracy where the models have no common ones."""
    prevalences = {points.prevalence for _, points in named(pts)}
    return {"isolines": False} if space == "roc" and len(prevalences) > 1 else {}
