"""Plots of tradeoff space (Hanczar & Nadif), and of comparisons in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

from isometrics._core.parameters import check_options
from isometrics._core.results import number
from isometrics._table.path import EVERYTHING, NOTHING
from isometrics.comparison import Comparison
from isometrics.errors import ParameterError
from isometrics.plot.frame import (
    BASELINE,
    BLACK,
    MARGIN,
    Drawn,
    LegendCurve,
    lambda_frame,
    legend,
    named,
    plain,
    style_of,
)
from isometrics.spaces.indices import index_named
from isometrics.spaces.tradeoff import MAXIMAL, baselines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from isometrics._core.arrays import Floats
    from isometrics.plot.frame import Models, Style
    from isometrics.spaces import Tradeoff
    from isometrics.spaces.indices import WeightedIndex


NAMES = {
    "kulczynski": "Kulczynski index",
    "f-measure": "F-measure",
    "folke": "Folke index",
    "jaccard": "Jaccard index",
    "f-gain": "F gain",
    "cost": "1 - normalised expected cost",
}
_GRID = np.linspace(0, 1, 401)
_MOST_POINTS = 60
"""So many points have a grey curve at most."""
_LETTER, _LINE = 0.0135, 0.03
"""Width of a letter and height of a line of small text, relative to axes of the default size."""


class TradeoffOptions(TypedDict, total=False):
    """The options of `tradeoff`."""

    index: str | WeightedIndex
    baseline: bool
    legend: bool


def tradeoff(pts: Models, ax: Axes | None = None, **options: Unpack[TradeoffOptions]) -> Axes:
    """Draw optimal tradeoff curves: the best value of an index over the weight λ of recall.

    Of a single model, the curves of the points themselves are drawn in grey, and the threshold or
    label of each piece of the best curve stands above the axes where there is room.

    Parameters
    ----------
    pts
        The operating points of one model, or of several by name.
    ax
        The axes to draw on; by default those of a new figure.
    index
        The index, as for `OperatingPoints.tradeoff`; by default the F-measure.
    baseline
        Draw the trivial sets, and shade where the maximal set is better.
    legend
        Draw a legend, with the areas under the curves.

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
    check_options(tradeoff, options, TradeoffOptions.__annotations__)
    return draw_tradeoff(pts, ax, options).ax


def draw_tradeoff(pts: Models, ax: Axes | None, options: TradeoffOptions) -> Drawn:
    """Draw what `tradeoff` draws."""
    index = index_named(options.get("index", "f-measure"))
    models = named(pts)
    curves = [points.tradeoff(index) for _, points in models]
    own_figure = ax is None
    # A user-defined index need not lie between 0 and 1.
    values = np.concatenate([[0.0, 1.0], *(curve(_GRID) for curve in curves)])
    low, high = float(values.min()), float(values.max())
    margin = MARGIN * (high - low)
    ax = lambda_frame(ax, name_of(index.name))
    ax.set_ylim(low - margin, high + margin)
    single_model = len(models) == 1
    if single_model:
        _draw_points(ax, curves[0])
    baseline = _draw_trivial_sets(ax, curves) if options.get("baseline", True) else None
    lines = [
        _draw_envelope(ax, curve, name, style_of(row, len(models)), row)
        for row, ((name, _), curve) in enumerate(zip(models, curves, strict=True))
    ]
    if single_model:
        _label_pieces(ax, curves[0])
    drawn = Drawn(ax, lines, [], baseline)
    if options.get("legend", True):
        legend(drawn, "tradeoff", own_figure=own_figure)
    return drawn


def name_of(index: str) -> str:
    """Return the name of an index as it stands at an axis."""
    return NAMES.get(index, plain(index))


def _draw_points(ax: Axes, curve: Tradeoff) -> None:
    """Draw the curve of each point, as in Hanczar & Nadif's Fig. 4."""
    label = "single points"
    for values in curve.curves(_GRID, most=_MOST_POINTS):
        ax.plot(_GRID, values, color="0.75", linewidth=0.6, zorder=1.3, label=label)
        label = "_nolegend_"


def _draw_trivial_sets(ax: Axes, curves: Sequence[Tradeoff]) -> Line2D:
    """Draw the trivial sets once for each pair of totals, and shade below the maximal ones.

    The line of the first maximal set is returned.
    """
    tables = {
        (curve.rows.positives, curve.rows.negatives): baselines(curve.rows, curve.index)
        for curve in curves
    }
    index, maximal = curves[0].index, []
    look: dict[str, Any] = {"color": BASELINE, "linewidth": 1.2, "zorder": 1.5}
    for position, table in enumerate(tables.values()):
        names = table.labels or ()
        for name, values in zip(names, index.of_rows(table.counts.column(), _GRID), strict=True):
            dashes = "-" if name == MAXIMAL else ":"
            label = "_nolegend_" if position else str(name)
            (line,) = ax.plot(_GRID, values, dashes, label=label, **look)
            if name == MAXIMAL:
                maximal.append(line)
    # With several prevalences, shade what is worse than the maximal set for all of them.
    floor = ax.get_ylim()[0]
    heights: list[Any] = [line.get_ydata() for line in maximal]
    highest = np.min(heights, axis=0)
    ax.fill_between(_GRID, floor, highest, color="0.9", linewidth=0, zorder=1.1)
    return maximal[0]


def _draw_envelope(
    ax: Axes, curve: Tradeoff, name: str | None, style: Style, model: int
) -> LegendCurve:
    lam = np.union1d(_GRID, curve.intervals.lambda_lo)
    title = "best" if name is None else plain(name)
    look: dict[str, Any] = {"color": BLACK, "linewidth": 2.4}
    if name is not None:
        markers = np.searchsorted(lam, np.linspace(0.05, 0.93, 9) + 0.012 * model)
        look = {"color": style.curve, "linewidth": 2.0, "marker": style.marker, "markersize": 5}
        look["markevery"] = markers.tolist()
    (line,) = ax.plot(lam, curve(lam), zorder=3, **look)
    return LegendCurve.labelled(line, title, f"area {curve.area():.3f}")


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


STRIP = (0.13, 0.06)
"""Distances of the bottom and the top of the strip below the curves, relative to their height."""

_TRIVIAL: dict[str, Any] = {"facecolor": "0.88", "hatch": "///", "edgecolor": "0.6"}


def comparison(result: Comparison, ax: Axes | None = None, *, legend: bool = True) -> Axes:
    """Draw the best value of each model for every λ, and a strip of the winners.

    The winner for a λ is the model with the highest value.

    Parameters
    ----------
    result
        The result of `compare`.
    ax
        The axes to draw on; by default those of a new figure.
    legend
        Draw a legend, with the areas under the curves.

    Returns
    -------
    matplotlib.axes.Axes
        The axes. The strip lies below the curves, in the colours of the models; models that tie
        share its height, and it is hatched where a trivial set is better than every model.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics import plot
    >>> totals = {"positives": 10, "negatives": 30}
    >>> careful = iso.OperatingPoints.from_counts([4, 6], [0, 8], **totals)
    >>> bold = iso.OperatingPoints.from_counts([4, 10], [4, 12], **totals)
    >>> ax = plot.comparison(iso.compare({"careful": careful, "bold": bold}))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('λ, the weight of recall', 'F-measure')
    """
    if not isinstance(result, Comparison):
        raise ParameterError(
            f"must be what compare() returned but is {type(result).__name__}", parameter="result"
        )
    axes = tradeoff(result.models, ax, index=result.index, legend=False)
    _draw_strip(axes, result)
    if legend:
        lines, labels = axes.get_legend_handles_labels()
        if {EVERYTHING, NOTHING} & {names[0] for names in result.winners.names}:
            lines.append(Patch(**_TRIVIAL))
            labels.append("a trivial set wins")
        axes.legend(lines, labels, loc="upper center", fontsize="small", framealpha=0.9)
    return axes


def _draw_strip(ax: Axes, result: Comparison) -> None:
    """Extend the axes below the curves, and draw the winners there."""
    low, high = ax.get_ylim()
    bottom, top = (low - distance * (high - low) for distance in STRIP)
    ax.set_yticks([tick for tick in ax.get_yticks() if low <= tick <= high])
    ax.set_ylim(bottom - 0.02 * (high - low), high)
    # Hide the curves of trivial sets that reach into the strip.
    ax.axhspan(ax.get_ylim()[0], low, color="white", linewidth=0, zorder=1.9)
    winners, models = result.winners, list(result.models)
    for names, lo, hi in zip(winners.names, winners.lambda_lo, winners.lambda_hi, strict=True):
        height = (top - bottom) / len(names)
        for row, name in enumerate(names):
            bar_options: dict[str, Any] = _TRIVIAL
            if name in models:
                bar_options = {"facecolor": style_of(models.index(name), len(models)).curve}
            y_range = (top - (row + 1) * height, height)
            ax.broken_barh([(lo, hi - lo)], y_range, linewidth=0, zorder=2, **bar_options)
        if len(names) == 1 and names[0] in models:
            middle = (float(lo + hi) / 2, (top + bottom) / 2)
            _draw_name(ax, names[0], middle, float(hi - lo), bar_options["facecolor"])
    crossings = winners.lambda_lo[1:]
    ax.vlines(crossings, bottom, high, color="0.6", linewidth=0.7, zorder=1.95)
    _label_crossings(ax, crossings, top)


def _label_crossings(ax: Axes, crossings: Floats, top: float) -> None:
    """Write λ where the winner changes, unless the label would overlap the one before it."""
    last = -1.0
    offset: dict[str, Any] = {"xytext": (2, 2), "textcoords": "offset points"}
    for lam in crossings.tolist():
        if lam - last > 6 * _LETTER:
            ax.annotate(f"{lam:.2g}", (lam, top), fontsize=7, color="0.3", **offset)
            last = lam


def _draw_name(ax: Axes, name: str, middle: tuple[float, float], width: float, colour: str) -> None:
    """Write a name on its section of the strip, if there is room for it."""
    if width < _LETTER * (len(name) + 1):
        return
    red, green, blue = to_rgb(colour)
    dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.55
    ax.text(
        *middle,
        plain(name),
        ha="center",
        va="center",
        fontsize=8,
        color="white" if dark else "black",
        zorder=2.5,
    )
