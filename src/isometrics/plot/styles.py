"""Colours, lines and markers that colour-blind readers can distinguish, also in grey print.

The colours are those of Okabe & Ito (2008), *Color Universal Design*. Models differ in their
markers too, and a hull is always dashed.
"""

from __future__ import annotations

from typing import NamedTuple

from matplotlib.colors import to_hex, to_rgb

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
    shade = "0.45" if colour == BLACK else _darker(colour)
    return Style(colour, shade, marker)


def _darker(colour: str) -> str:
    red, green, blue = to_rgb(colour)
    return to_hex((0.55 * red, 0.55 * green, 0.55 * blue))


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
