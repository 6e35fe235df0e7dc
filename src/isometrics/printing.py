"""Results as text and HTML tables; whatever a user named is escaped."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    Columns = Mapping[str, Sequence[object] | np.ndarray[tuple[int], np.dtype[np.generic]]]

WIDTH = 100
"""How many letters wide a printout should be at most."""

_SHOWN = 10
_NAMED = 10


def text_table(
    title: str,
    columns: Columns,
    *,
    left: Collection[str] = (),
    notes: Sequence[str] = (),
    most: int = _SHOWN,
) -> str:
    """Return a title and an aligned table; long tables show their first and last rows.

    Parameters
    ----------
    title
        The line above the table.
    columns
        The columns by name.
    left
        The columns that begin at the left; numbers end at the right.
    notes
        Sentences below the table.
    most
        The largest number of rows shown.
    """
    names, rows = list(map(_cell, columns)), _shown_rows(columns, most)
    widths = [max(map(len, cells)) for cells in zip(names, *rows, strict=True)]
    sides = [str.ljust if name in left else str.rjust for name in columns]
    lines = [
        "  ".join(side(cell, width) for side, cell, width in zip(sides, row, widths, strict=True))
        for row in [names, *rows]
    ]
    wrapped = [line for note in notes for line in wrap(note, WIDTH, subsequent_indent="  ")]
    return "\n".join([title, *lines, *wrapped])


def html_table(
    title: str, columns: Columns, *, notes: Sequence[str] = (), most: int = _SHOWN
) -> str:
    """Return the same table as HTML."""

    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row(cells, "td") for cells in _shown_rows(columns, most))
    table = (
        f"<table><caption>{escape(title)}</caption><thead>{row(list(columns), 'th')}</thead>"
        f"<tbody>{body}</tbody></table>"
    )
    return table + "".join(f"<p>{escape(note)}</p>" for note in notes)


def table_width(columns: Columns) -> int:
    """Return how many letters wide a text table is."""
    widest = [
        max(len(_cell(value)) for value in [name, *values]) for name, values in columns.items()
    ]
    return sum(widest) + 2 * (len(widest) - 1)


def _shown_rows(columns: Columns, most: int) -> list[list[str]]:
    size = len(next(iter(columns.values())))
    half = most // 2
    chosen = range(size) if size <= most else [*range(half), *range(size - half, size)]
    rows = [[_cell(values[row]) for values in columns.values()] for row in chosen]
    if size > most:
        rows.insert(half, ["…"] * len(columns))
    return rows


def number(value: object) -> str:
    """Return integers whole and other numbers to six digits."""
    return f"{float(value):.6g}" if isinstance(value, float | np.floating) else str(value)


def bracketed(lo: float, hi: float) -> str:
    """Return a number that is known to lie between two others, such as ``0.9123 ± 0.0002``.

    What is printed contains both; where six digits do not tell them apart, it is one number.
    """
    if number(lo) == number(hi):
        return number(lo)
    if not math.isfinite(hi - lo):
        return f"{number(lo)} to {number(hi)}"
    digits = max(-Decimal(hi - lo).adjusted(), 0)
    low, high = (Fraction(end) * 10**digits for end in (lo, hi))
    middle = round((low + high) / 2)
    margin = math.ceil(max(high - middle, middle - low))
    return f"{Decimal(middle).scaleb(-digits):f} ± {Decimal(margin).scaleb(-digits):f}"


def several(names: Sequence[str], last: str = "and", most: int = _NAMED) -> str:
    """Return names in a row, the last one behind a word; of very many, the first ones."""
    shown = [_cell(name) or repr(name) for name in names]
    if len(shown) > most:
        shown = [*shown[: most - 1], f"{len(shown) - most + 1} more"]
    *first, final = shown
    return f"{', '.join(first)} {last} {final}" if first else final


def _cell(value: object) -> str:
    # A line break in a user's label would break the table.
    return " ".join(number(value).split())
