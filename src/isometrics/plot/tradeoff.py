"""Plots of tradeoff space, and of the indices in PR space (Hanczar & Nadif)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import pyplot as plt

from isometrics._core.parameters import check_level, check_size
from isometrics._core.results import number
from isometrics.plot.frame import MARGIN, label_with_area, mark_baseline
from isometrics.plot.frame import frame as pr_frame
from isometrics.plot.frame import legend as draw_legend
from isometrics.plot.marks import Models, named
from isometrics.plot.styles import BASELINE, BLACK, ISOLINE, plain, style_of
from isometrics.spaces.indices import Rows, WeightedIndex, index_named
from isometrics.spaces.tradeoff import MAXIMAL, baselines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from isometrics._core.arrays import Floats
    from isometrics.plot.styles import Style
    from isometrics.spaces import Tradeoff

NAMES = {
    "kulczynski": "Kulczynski index",
    "f-measure": "F-measure",
    "folke": "Folke index",
    "jaccard": "Jaccard index",
    "f-gain": "F gain",
    "cost": "1 - normalised expected cost",
}
LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)
_GRID = np.linspace(0, 1, 401)
_LETTER, _LINE = 0.0135, 0.03
"""Width of a letter and height of a line of small text, relative to axes of the default size."""


def tradeoff(
    pts: Models,
    ax: Axes | None = None,
    *,
    index: str | WeightedIndex = "f-measure",
    points: bool = True,
    baseline: bool = True,
    intervals: bool = True,
    legend: bool = True,
    most: int = 60,
) -> Axes:
    """Draw optimal tradeoff curves: the best value of an index over the weight λ of recall.

    Parameters
    ----------
    pts
        The operating points of one model, or of several by name.
    ax
        The axes to draw on; by default those of a new figure.
    index
        The index, as for `OperatingPoints.tradeoff`.
    points
        Draw the curves of the points themselves in grey, if there is only one model.
    baseline
        Draw the trivial sets, and shade where the maximal set is better.
    intervals
        Mark the ends of the pieces and write the threshold or label of each piece above the axes,
        if there is only one model. Pieces that are too short have no label.
    legend
        Draw a legend, with the areas under the curves.
    most
        The largest number of grey curves.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics import plot
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> ax = plot.tradeoff(pts, index="jaccard")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['single points', 'minimal set', 'maximal set', 'best (area 0.775)']
    """
    weighted_index = index_named(index)
    most = check_size(most, "most")
    models = named(pts)
    curves = [points_.tradeoff(weighted_index) for _, points_ in models]
    own_figure = ax is None
    ax = _frame(ax, weighted_index, curves)
    single_model = len(models) == 1
    if single_model and points:
        _draw_points(ax, curves[0], most)
    if baseline:
        _draw_trivial_sets(ax, curves)
    lines = []
    for model, ((name, _), curve) in enumerate(zip(models, curves, strict=True)):
        lines.append(_draw_envelope(ax, curve, name, style_of(model, len(models)), model))
    if single_model and intervals:
        _label_pieces(ax, curves[0])
    if legend:
        draw_legend(ax, lines, own_figure=own_figure)
    return ax


def _frame(ax: Axes | None, index: WeightedIndex, curves: Sequence[Tradeoff]) -> Axes:
    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 5.4), layout="constrained")
    # A user-defined index need not lie between 0 and 1.
    values = np.concatenate([[0.0, 1.0], *(curve(_GRID) for curve in curves)])
    low, high = float(values.min()), float(values.max())
    margin = MARGIN * (high - low)
    name = NAMES.get(index.name, plain(index.name))
    ax.set(xlabel="λ, the weight of recall", ylabel=name)
    ax.set(xlim=(-MARGIN, 1 + MARGIN), ylim=(low - margin, high + margin))
    ax.grid(color="0.94", linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def _draw_points(ax: Axes, curve: Tradeoff, most: int) -> None:
    """Draw the curve of each point, as in Hanczar & Nadif's Fig. 4."""
    label = "single points"
    for values in curve.curves(_GRID, most=most):
        ax.plot(_GRID, values, color="0.75", linewidth=0.6, zorder=1.3, label=label)
        label = "_nolegend_"


def _draw_trivial_sets(ax: Axes, curves: Sequence[Tradeoff]) -> None:
    """Draw the trivial sets once for each pair of totals, and shade below the maximal ones."""
    tables = {
        (curve.rows.positives, curve.rows.negatives): baselines(curve.rows, curve.index)
        for curve in curves
    }
    index, labelled, maximal = curves[0].index, set(), []
    for table in tables.values():
        names = table.labels or ()
        for name, values in zip(
            names, index.of_rows(Rows.of_table(table).column(), _GRID), strict=True
        ):
            is_maximal = name == MAXIMAL
            (line,) = ax.plot(
                _GRID,
                values,
                color=BASELINE,
                linewidth=1.2,
                linestyle="-" if is_maximal else ":",
                zorder=1.5,
                label="_nolegend_" if name in labelled else str(name),
            )
            labelled.add(name)
            if is_maximal:
                mark_baseline(line)
                maximal.append(values)
    # With several prevalences, shade what is worse than the maximal set for all of them.
    floor = ax.get_ylim()[0]
    ax.fill_between(_GRID, floor, np.min(maximal, axis=0), color="0.9", linewidth=0, zorder=1.1)


def _draw_envelope(ax: Axes, curve: Tradeoff, name: str | None, style: Style, model: int) -> Line2D:
    lam = np.union1d(_GRID, curve.intervals.lambda_lo)
    title = "best" if name is None else plain(name)
    line_options: dict[str, Any] = {"color": BLACK, "linewidth": 2.4}
    if name is not None:
        markers = np.searchsorted(lam, np.linspace(0.05, 0.93, 9) + 0.012 * model)
        line_options = {
            "color": style.curve,
            "linewidth": 2.0,
            "marker": style.marker,
            "markersize": 5,
        }
        line_options["markevery"] = markers.tolist()
    (line,) = ax.plot(lam, curve(lam), zorder=3, **line_options)
    label_with_area(line, title, f"area {curve.area():.3f}")
    return line


def _label_pieces(ax: Axes, curve: Tradeoff) -> None:
    """Mark where the best point changes, and label the points above the axes."""
    pieces = curve.intervals
    values = pieces.value_lo[1:]
    floor = ax.get_ylim()[0]
    ax.vlines(pieces.lambda_lo[1:], floor, values, color="0.45", linestyle=":", linewidth=0.9)
    names: Sequence[Any] = (
        pieces.table.threshold_texts() if pieces.labels is None else pieces.labels
    )
    middles = (pieces.lambda_lo + pieces.lambda_hi) / 2
    widths = pieces.lambda_hi - pieces.lambda_lo
    above: dict[str, Any] = {
        "xycoords": ("data", "axes fraction"),
        "textcoords": "offset points",
        "va": "bottom",
        "fontsize": 8,
        "annotation_clip": False,
    }
    what = "threshold" if pieces.labels is None else "set"
    ax.annotate(what, (-MARGIN, 1), xytext=(-4, 3), ha="right", color=BASELINE, **above)
    for row in np.flatnonzero(widths >= _LINE).tolist():
        name = names[row] if pieces.labels is None else number(names[row])[:14]
        degrees = 0 if len(name) * _LETTER <= widths[row] else 90
        middle = (middles[row], 1)
        ax.annotate(plain(name), middle, xytext=(0, 3), ha="center", rotation=degrees, **above)


def index_isolines(
    index: str | WeightedIndex = "f-measure",
    ax: Axes | None = None,
    *,
    lams: Sequence[float] = (0.2, 0.5, 0.8),
    levels: Sequence[float] = LEVELS,
    prevalence: float | None = None,
    legend: bool = True,
) -> Axes:
    """Draw lines of equal index in PR space: bold at λ = ½, dotted below, thin above.

    Parameters
    ----------
    index
        The index, as for `OperatingPoints.tradeoff`.
    ax
        The axes to draw on; by default those of a new figure.
    lams
        The weights of recall.
    levels
        The values of the index.
    prevalence
        The share of positives, for an index that depends on it.
    legend
        Draw a legend, below the axes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> from isometrics import plot
    >>> ax = plot.index_isolines("jaccard", levels=[0.5])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['λ = 0.2', 'λ = 0.5', 'λ = 0.8']
    """
    weighted_index = index_named(index)
    weights = [check_level(lam, "lam") for lam in lams]
    ax = pr_frame(ax, "pr")
    ax.set_title(NAMES.get(weighted_index.name, plain(weighted_index.name)))
    ax.plot([0, 1], [0, 1], color=ISOLINE, linewidth=0.8, zorder=1.2)
    for lam in weights:
        label = f"λ = {number(lam)}"
        for level in levels:
            recall, precision = weighted_index.isoline(level, lam, prevalence=prevalence, size=400)
            if recall.size:
                ax.plot(recall, precision, color=BLACK, label=label, **_line_style(lam))
                label = "_nolegend_"
                if lam == 0.5:
                    _label_isoline(ax, recall, precision, level)
    if legend:
        location: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.12)}
        ax.legend(fontsize="small", frameon=False, ncols=len(weights), **location)
    return ax


def _line_style(lam: float) -> dict[str, Any]:
    if lam == 0.5:
        return {"linewidth": 2.2, "zorder": 2.2}
    return {"linewidth": 1.0, "zorder": 2.0, "linestyle": ":" if lam < 0.5 else "-"}


def _label_isoline(ax: Axes, recall: Floats, precision: Floats, level: float) -> None:
    """Write the value of a line where precision and recall are equal."""
    middle = int(np.argmin(np.abs(recall - precision)))
    ax.text(
        recall[middle],
        precision[middle],
        number(float(level)),
        fontsize=8,
        ha="center",
        va="center",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
        zorder=2.5,
    )
