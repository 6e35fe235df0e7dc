"""The plot of a comparison: the models' tradeoff curves above a strip of winners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

from isometrics._table.hull import EVERYTHING, NOTHING
from isometrics.comparison.compare import Comparison
from isometrics.errors import ParameterError
from isometrics.plot.styles import plain, style_of
from isometrics.plot.tradeoff import tradeoff

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from isometrics._core.arrays import Floats

STRIP = (0.13, 0.06)
"""Distances of the bottom and the top of the strip below the curves, relative to their height."""

_LETTER = 0.0135
"""The width of a letter, relative to axes of the default size."""

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
        # The upper envelopes of the indices are low in the middle, so there is room above. A
        # search for the best location takes matplotlib long, and it warns about it.
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
    for lam in crossings.tolist():
        inwards = lam > 1 - 4.5 * _LETTER
        # A label to the left of its line needs twice the room: the one before is to the right.
        if lam - last > (9 if inwards else 4.5) * _LETTER:
            ax.annotate(
                f"{lam:.2f}" if 0.01 <= lam <= 0.99 else f"{lam:.4g}",
                (lam, top),
                xytext=(-2 if inwards else 2, 2),
                textcoords="offset points",
                ha="right" if inwards else "left",
                fontsize=7,
                color="0.3",
            )
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
