"""Several spaces in one figure: all four, or some side by side with one legend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np
from matplotlib import pyplot as plt

from isometrics._core.parameters import check_choice, check_options
from isometrics.errors import ParameterError
from isometrics.plot.frame import TITLES, areas_of, titles_of
from isometrics.plot.spaces import SPACES, PlotOptions, options_by_space

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from isometrics.plot.marks import Models

_WIDTH, _HEIGHT = 4.7, 4.9
"""Inches of a panel."""
_ENTRY, _LINE = 4.7, 0.2
"""Inches of an entry of the legend."""


def overview(
    pts: Models,
    axes: Sequence[Axes] | NDArray[Any] | None = None,
    **options: Unpack[PlotOptions],
) -> NDArray[Any]:
    """Draw all four spaces: ROC, PR, PRG and tradeoff space.

    Parameters
    ----------
    pts
        The operating points of one model, or of several by name.
    axes
        Four axes to draw on; by default those of a new figure, two by two.
    options
        Options of `roc`, `pr`, `prg` and `tradeoff`; each is passed to the spaces that have it.
        `points` means thresholds to mark, so it is not passed to `tradeoff`.

    Returns
    -------
    numpy.ndarray
        The axes, in the shape of `axes`.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics import plot
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> axes = plot.overview(pts, hull=False)
    >>> [ax.get_title() for ax in axes.flat]
    ['ROC', 'PR', 'PRG', 'tradeoff']
    """
    check_options(overview, options, PlotOptions.__annotations__)
    passed = options_by_space(pts, options)
    if axes is None:
        _, axes = plt.subplots(2, 2, figsize=(11.2, 10.8), layout="constrained")
    axes_array = np.asarray(axes, dtype=object)
    if axes_array.size != len(SPACES):
        raise ParameterError(f"must be four axes but has {axes_array.size}", parameter="axes")
    _draw_panels(pts, axes_array, passed)
    return axes_array


def panels(
    pts: Models,
    spaces: Sequence[str],
    axes: Sequence[Axes] | NDArray[Any] | None = None,
    **options: Unpack[PlotOptions],
) -> NDArray[Any]:
    """Draw some spaces side by side, with one legend below them.

    Parameters
    ----------
    pts
        The operating points of one model, or of several by name.
    spaces
        Names among ``"roc"``, ``"pr"``, ``"prg"`` and ``"tradeoff"``, in the order of the panels.
    axes
        As many axes to draw on, of one figure; by default those of a new figure, in one row.
    options
        Options of `roc`, `pr`, `prg` and `tradeoff`, as for `overview`; ``legend=False`` leaves out
        the legend, with the areas under each model's curves.

    Returns
    -------
    numpy.ndarray
        The axes, in the shape of `axes`.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics import plot
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> axes = plot.panels({"A": pts}, ["roc", "pr"], isolines=False, baseline=False, hull=False)
    >>> axes[0].figure.legends[0].get_texts()[0].get_text()
    'A (AUROC 0.750, AUPR 0.797)'
    """
    check_options(panels, options, PlotOptions.__annotations__)
    chosen = _parse_spaces(spaces)
    passed = options_by_space(pts, options)
    own_figure = axes is None
    if axes is None:
        size = (_WIDTH * len(chosen), _HEIGHT)
        _, axes = plt.subplots(1, len(chosen), figsize=size, layout="constrained", squeeze=False)
        axes = axes[0]
    axes_array = np.asarray(axes, dtype=object)
    if axes_array.size != len(chosen):
        raise ParameterError(
            f"must be {len(chosen)}, one for each space, but has {axes_array.size}",
            parameter="axes",
        )
    _draw_panels(pts, axes_array, {space: passed[space] | {"legend": False} for space in chosen})
    if options.get("legend", True):
        _draw_legend(dict(zip(chosen, axes_array.flat, strict=True)), grow=own_figure)
    return axes_array


def _draw_panels(pts: Models, axes: NDArray[Any], options: Mapping[str, Mapping[str, Any]]) -> None:
    """Draw each space with its options on the next one of the axes, below its title."""
    for (space, own), ax in zip(options.items(), axes.flat, strict=True):
        SPACES[space](pts, ax, **own)
        # The padding leaves room for labels of lines above the axes.
        ax.set_title(TITLES.get(space, space), pad=16)


def _draw_legend(panels: dict[str, Axes], *, grow: bool) -> None:
    """Draw one legend below all panels: each model once, with its areas, then other lines.

    Lines of different meaning look alike in different panels, so the legend says where they are.
    """
    curves: dict[str, Artist] = {}
    areas: dict[str, list[str]] = {}
    others: dict[str, Artist] = {}
    titles_by_label: dict[str, list[str]] = {}
    for space, ax in panels.items():
        handles, labels = ax.get_legend_handles_labels()
        titles, texts = titles_of(handles), areas_of(handles)
        for handle, label in zip(handles, labels, strict=True):
            if handle in titles:
                curves.setdefault(titles[handle], handle)
                text = texts[handle]
                text = f"tradeoff {text}" if space == "tradeoff" else text
                areas.setdefault(titles[handle], []).append(text)
            else:
                others.setdefault(label, handle)
                titles_by_label.setdefault(label, []).append(ax.get_title())
    entries = {f"{title} ({', '.join(areas[title])})": line for title, line in curves.items()}
    for label, handle in others.items():
        everywhere = len(titles_by_label[label]) == len(panels)
        entries[label if everywhere else f"{label} ({', '.join(titles_by_label[label])})"] = handle
    figure = cast("Figure", ax.figure)
    n_columns = max(1, min(len(entries), round(figure.get_size_inches()[0] / _ENTRY)))
    if grow:
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + _LINE * -(-len(entries) // n_columns))
    outside = figure.get_layout_engine() is not None
    figure.legend(
        list(entries.values()),
        list(entries),
        loc="outside lower center" if outside else "lower center",
        ncols=n_columns,
        fontsize="small",
        frameon=False,
    )


def _parse_spaces(spaces: Sequence[str]) -> list[str]:
    chosen = [check_choice(space, "space", tuple(SPACES)) for space in spaces]
    if not chosen:
        raise ParameterError("is empty; name at least one", parameter="spaces")
    if len(set(chosen)) < len(chosen):
        raise ParameterError(f"must be different but are {', '.join(chosen)}", parameter="spaces")
    return chosen
