"""Results as text and HTML tables; whatever a user named is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Columns = Mapping[str, Sequence[object] | np.ndarray[tuple[int], np.dtype[np.generic]]]

_SHOWN = 10


def text_table(title: str, columns: Columns) -> str:
    """Return a title and an aligned table; long tables show their first and last rows."""
    names, rows = list(columns), _shown_rows(columns)
    widths = [max(map(len, cells)) for cells in zip(names, *rows, strict=True)]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in [names, *rows]
    ]
    return "\n".join([title, *lines])


def html_table(title: str, columns: Columns) -> str:
    """Return the same table as HTML."""

    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row(cells, "td") for cells in _shown_rows(columns))
    return (
        f"<table><caption>{escape(title)}</caption><thead>{row(list(columns), 'th')}</thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _shown_rows(columns: Columns) -> list[list[str]]:
    size = len(next(iter(columns.values())))
    half = _SHOWN // 2
    chosen = range(size) if size <= _SHOWN else [*range(half), *range(size - half, size)]
    rows = [[_cell(values[row]) for values in columns.values()] for row in chosen]
    if size > _SHOWN:
        rows.insert(half, ["…"] * len(columns))
    return rows


def number(value: object) -> str:
    """Return integers whole and other numbers to six digits."""
    return f"{float(value):.6g}" if isinstance(value, float | np.floating) else str(value)


def _cell(value: object) -> str:
    # A line break in a user's label would break the table.
    return " ".join(number(value).split())
