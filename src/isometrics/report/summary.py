"""The first answer of the page as plain HTML, for readers without scripts."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

from isometrics._core.results import number, several
from isometrics.measures import AUPR, AUPRG, AUROC

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

AREAS = tuple(measure.name for measure in (AUROC, AUPR, AUPRG))
"""The areas that are shown, as in the table of the page."""
_UNDEFINED = "–"
_DIRECTED = re.compile(
    "[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff"
    "\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
"""Controls of direction, and letters that are written from right to left."""


def summary_html(data: Mapping[str, Any]) -> str:
    """Return the sentences of the verdicts and a table of the areas.

    Parameters
    ----------
    data
        The data of the page, as `report_model` returns it.

    Notes
    -----
    The HTML has no styles, scripts or attributes that a Content-Security-Policy could forbid, and
    all names in it are escaped.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.report.model import report_model
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> "<td>0.750</td>" in summary_html(report_model({"forest": pts}))
    True
    """
    names = [model["name"] for model in data["models"]]
    lines = [f"<p>{_isolated(line, names)}</p>" for line in verdict_lines(data)]
    head = ("model", *AREAS, "positives", "negatives")
    rows = [
        f'<tr><th scope="row">{escape(model["name"])}</th>'
        + "".join(f"<td>{text}</td>" for text in _numbers(model))
        + "</tr>"
        for model in data["models"]
    ]
    table = (
        "<table><caption>The models and their areas</caption><thead><tr>"
        + "".join(f'<th scope="col">{name}</th>' for name in head)
        + f"</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )
    return "".join([*lines, table]) if rows else "".join(lines)


def verdict_lines(data: Mapping[str, Any]) -> list[str]:
    """Return the sentences of the verdicts, each verdict's first one with its name if it has any.

    Examples
    --------
    >>> verdict_lines({"verdicts": [{"name": "cat", "lines": ["Use A.", "Sure."]}]})
    ['cat: Use A.', 'Sure.']
    """
    lines: list[str] = []
    for verdict in data["verdicts"]:
        first, *others = verdict["lines"]
        lines += [f"{verdict['name']}: {first}" if verdict["name"] else first, *others]
    return lines


def _isolated(line: str, names: Iterable[str]) -> str:
    """Return a sentence as HTML, in which no name turns the direction of the text around it."""
    texts = {text for name in names for text in (name, several([name])) if _DIRECTED.search(text)}
    if not texts:
        return escape(line)
    pattern = "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True))
    parts = re.split(f"({pattern})", line)
    return "".join(
        f"<bdi>{escape(part)}</bdi>" if part in texts else escape(part) for part in parts
    )


def _numbers(model: Mapping[str, Any]) -> list[str]:
    areas = [_area(model["areas"].get(name)) for name in AREAS]
    return [*areas, number(model["positives"]), number(model["negatives"])]


def _area(limits: list[float | None] | None) -> str:
    """Return an area with three decimals, or both its limits where these differ."""
    if limits is None or None in limits:
        return _UNDEFINED
    lo, hi = (f"{limit:.3f}" for limit in limits)
    return lo if lo == hi else f"{lo}–{hi}"
