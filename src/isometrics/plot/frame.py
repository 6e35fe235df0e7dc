"""Axes, legends, and styles that colour-blind readers can distinguish."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex, to_rgb

from isometrics.errors import ParameterError
from isometrics.points import OperatingPoints
from isometrics.points.models import named_models

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


BLACK, BLUE, VERMILLION, GREEN = "#000000", "#0072B2", "#D55E00", "#009E73"
PURPLE, SKY_BLUE, ORANGE = "#CC79A7", "#56B4E9", "#E69F00"

BASELINE, ISOLINE, ISOLINE_LABEL = "0.35", "0.72", "0.4"


class Style(NamedTuple):
    """Colours and marker of a model."""

    curve: str
    hull: str
    marker: str


_COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, BLACK, SKY_BLUE, ORANGE)
_MARKERS = ("o", "^", "s", "D", "v", "P", "X", "<", ">", "*")


def style_of(model: int, models: int) -> Style:
    """Return the style of one of several models.

    The hull of a single model has another colour than the curve. With several models, it has a
    darker shade of its model's colour.
    """
    colour, marker = _COLOURS[model % len(_COLOURS)], _MARKERS[model % len(_MARKERS)]
    if models == 1:
        return Style(colour, VERMILLION, marker)
    red, green, blue = (0.55 * part for part in to_rgb(colour))
    return Style(colour, "0.45" if colour == BLACK else to_hex((red, green, blue)), marker)


def plain(text: object) -> str:
    r"""Return a user's text, escaped for matplotlib.

    A pair of ``$`` would start a formula, and labels that begin with ``_`` would be left out of
    the legend.

    Examples
    --------
    >>> plain("up to $5, from $3")
    'up to \\$5, from \\$3'
    >>> plain("_private")
    ' _private'
    """
    escaped = str(text).replace("$", r"\$")
    return f" {escaped}" if escaped.startswith("_") else escaped


Models: TypeAlias = OperatingPoints | Mapping[str, OperatingPoints]


def named(pts: Models) -> list[tuple[str | None, OperatingPoints]]:
    """Return the models with their names; a single model has none."""
    if isinstance(pts, OperatingPoints):
        return [(None, pts)]
    if not named_models(pts):
        raise ParameterError("is empty; at least one model is needed", parameter="pts")
    return list(pts.items())


class LegendCurve(NamedTuple):
    """A line in the legend: what it shows, and the area under it; of single points ``""``."""

    line: Line2D
    title: str
    area: str

    @classmethod
    def labelled(cls, line: Line2D, title: str, area: str) -> LegendCurve:
        """Label a line in the legend with its title and the area under it."""
        line.set_label(f"{title} ({area})" if area else title)
        return cls(line, title, area)


class Drawn(NamedTuple):
    """What was drawn of models in a space."""

    ax: Axes
    curves: list[LegendCurve]
    hulls: list[LegendCurve]
    baseline: Line2D | None
    """What is achieved without a model."""


MARGIN = 0.02

NAMES = {
    "roc": ("false positive rate", "true positive rate"),
    "pr": ("recall", "precision"),
    "prg": ("recall gain", "precision gain"),
    "reliability": ("predicted probability", "share of positives"),
}
TITLES = {"roc": "ROC", "pr": "PR", "prg": "PRG"}


def axes_for(ax: Axes | None, x: str, y: str, *, size: tuple[float, float] = (5.6, 5.6)) -> Axes:
    """Set up the axes, by default those of a new figure, with labels and a light grid."""
    if ax is None:
        _, ax = plt.subplots(figsize=size, layout="constrained")
    ax.set(xlabel=x, ylabel=y)
    ax.grid(color="0.94", linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def frame(ax: Axes | None, space: str, low: float = 0.0) -> Axes:
    """Set up the axes, by default those of a new figure, for a space."""
    ax = axes_for(ax, *NAMES[space])
    limits = (low - MARGIN, 1 + MARGIN)
    ax.set(xlim=limits, ylim=limits)
    ax.set_aspect("equal")
    return ax


def lambda_frame(ax: Axes | None, y: str, *, height: float = 5.4) -> Axes:
    """Set up the axes, by default those of a new figure, over the weight of recall."""
    ax = axes_for(ax, "λ, the weight of recall", y, size=(6.4, height))
    ax.set_xlim(-MARGIN, 1 + MARGIN)
    return ax


_CORNERS = {
    "roc": ("lower right", "upper left"),
    "pr": ("lower left", "upper right"),
    "prg": ("lower left", "upper right"),
    "tradeoff": ("lower center", "upper center"),
}
"""Where high curves leave room, and where low ones do."""
_LOW = 0.4
_MOST_ENTRIES = 9
"""A legend with more covers too much."""


def legend(drawn: Drawn, space: str, *, own_figure: bool) -> None:
    """Draw the legend where the curves leave room; a long one below the axes."""
    ax = drawn.ax
    lines, labels = ax.get_legend_handles_labels()
    corners = [np.asarray(curve.line.get_xydata(), np.float64).T for curve in drawn.curves]
    middles = [float(np.interp(0.5, x, y)) for x, y in corners]
    high, low = _CORNERS[space]
    where: dict[str, Any] = {"loc": low if min(middles) < _LOW else high}
    if own_figure and len(lines) > _MOST_ENTRIES:
        # A figure created here can grow.
        where = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.12), "ncols": 2}
        figure = cast("Figure", ax.figure)
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + 0.4 + 0.11 * (len(lines) + 1))
        ax.set_anchor("N")
    ax.legend(lines, labels, fontsize="small", framealpha=0.9, **where)
