"""The curves of the page as a small picture, for notebooks that were converted or printed."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.results import several
from isometrics._table.table import Kind, Table
from isometrics.report.model import unpacked
from isometrics.spaces import SPACES
from isometrics.spaces.trace import trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b8578a", "#1b2330", "#3a9bd6", "#b97f00", "#7a4fc9")
"""Those of the page; a picture shows so many models at most."""
TITLES = {
    "roc": ("ROC", "false positive rate", "recall"),
    "pr": ("Precision–recall", "recall", "precision"),
    "prg": ("Precision–recall gain", "recall gain", "precision gain"),
}
SIDE, GAP, TOP, LEFT, LINE = 220, 66, 26, 46, 18
_LETTERS = 60


def curves_image(data: Mapping[str, Any]) -> str:
    """Return an ``img`` element with the ROC, PR and PRG curves of the models.

    The picture is an SVG inside the address of the image, where browsers run no scripts.

    Parameters
    ----------
    data
        The data of the page, as `report_model` returns it.
    """
    names = [model["name"] for model in data["models"]]
    picture = b64encode(curves_svg(data).encode("utf-8", "replace")).decode("ascii")
    alternative = escape(
        f"ROC, precision-recall and precision-recall gain curves of {several(names)}"
    )
    return f'<img alt="{alternative}" src="data:image/svg+xml;base64,{picture}">'


def curves_svg(data: Mapping[str, Any]) -> str:
    """Return the ROC, PR and PRG curves of up to eight models as an SVG.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.report.model import report_model
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> picture = curves_svg(report_model({"forest": pts}))
    >>> picture.count("<polyline"), ">forest</text>" in picture
    (3, True)
    """
    models = data["models"][: len(COLOURS)]
    more = len(data["models"]) - len(models)
    panels = [_panel(space, number, models) for number, space in enumerate(TITLES)]
    width = LEFT + len(TITLES) * (SIDE + GAP) - GAP + 12
    legend_top = TOP + SIDE + 50
    legend = [
        f'<path d="M{LEFT},{legend_top + LINE * number - 4}h24" stroke="{COLOURS[number]}" '
        f'stroke-width="3"/><text x="{LEFT + 32}" y="{legend_top + LINE * number}">'
        f"{escape(_shortened(model['name']))}</text>"
        for number, model in enumerate(models)
    ]
    if more:
        y = legend_top + LINE * len(models)
        legend.append(f'<text x="{LEFT + 32}" y="{y}">and {more} more</text>')
    height = legend_top + LINE * len(legend)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12" fill="#1b2330">'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
        f"{''.join(panels)}{''.join(legend)}</svg>"
    )


def _panel(space: str, number: int, models: Iterable[Mapping[str, Any]]) -> str:
    title, x, y = TITLES[space]
    left, middle = LEFT + number * (SIDE + GAP), SIDE / 2
    drawn = [_curve(space, model, colour) for model, colour in zip(models, COLOURS, strict=False)]
    ticks = [
        f'<text x="{position * SIDE:g}" y="{SIDE + 15}" text-anchor="middle">{position:g}</text>'
        f'<text x="-6" y="{(1 - position) * SIDE + 4:g}" text-anchor="end">{position:g}</text>'
        for position in (0, 0.5, 1)
    ]
    return (
        f'<svg x="{left - LEFT}" y="0" width="{SIDE + LEFT + 12}" height="{TOP + SIDE + 34}">'
        f'<g transform="translate({LEFT},{TOP})">'
        f'<text x="0" y="-9" font-weight="bold">{title}</text>'
        f'<rect width="{SIDE}" height="{SIDE}" fill="none" stroke="#868f9b"/>{"".join(ticks)}'
        f'<text x="{middle:g}" y="{SIDE + 29}" text-anchor="middle">{x}</text>'
        f'<text transform="translate(-32,{middle:g}) rotate(-90)" text-anchor="middle">{y}</text>'
        # What leaves the square is cut off.
        f'<svg width="{SIDE}" height="{SIDE}">{"".join(drawn)}</svg></g></svg>'
    )


def _curve(space: str, model: Mapping[str, Any], colour: str) -> str:
    thresholds, tp, fp = (unpacked(model[name]) for name in ("thresholds", "tp", "fp"))
    is_nested = model["kind"] not in ("sets", "selection")
    totals = model["positives"], model["negatives"]
    table = Table(thresholds, tp, fp, *totals, Kind.CURVE if is_nested else Kind.SETS)
    if is_nested:
        points = _in_pixels(*trace(table, space, width=SIDE, height=SIDE))
        return (
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" '
            'stroke-linejoin="round"/>'
        )
    view = SPACES[space](table)
    dots = [point.split(",") for point in _in_pixels(view.x, view.y).split()]
    return "".join(f'<circle cx="{x}" cy="{y}" r="2.5" fill="{colour}"/>' for x, y in dots)


def _in_pixels(x: ArrayLike, y: ArrayLike) -> str:
    """Return points in halves of a pixel, without those that are undefined or equal the last."""
    xs, ys = np.asarray(x, float), np.asarray(y, float)
    shown = np.isfinite(xs) & np.isfinite(ys)
    # Gains fall without limit; far below the square nothing is seen.
    pixels = np.round(np.column_stack([xs[shown], 1 - np.maximum(ys[shown], -9)]) * 2 * SIDE) / 2
    is_new = np.ones(len(pixels), bool)
    is_new[1:] = (pixels[1:] != pixels[:-1]).any(axis=1)
    return " ".join(f"{px:g},{py:g}" for px, py in pixels[is_new])


def _shortened(name: str) -> str:
    return name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}…"
