"""What reading cost: the passes over the rows, and what each read, shuffled and collected."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from isometrics._core.results import text_table

if TYPE_CHECKING:
    from collections.abc import Iterable

_UNKNOWN = "not told"
_UNITS = ("B", "kB", "MB", "GB", "TB")
_LEAST_PREFIXED = 10_000


class Pass(NamedTuple):
    """One query over the rows, counted by its engine; None is what that does not report."""

    purpose: str
    rows: int | None
    """How many rows were read."""
    bytes: int | None
    """How many bytes were read from files."""
    shuffled: int | None
    """How many rows went from one task of a cluster to another."""
    collected: int
    """How many rows of the result came into this process."""


def explain_passes(passes: Iterable[Pass]) -> str:
    """Return the passes as a table, with their sums in its last line.

    Examples
    --------
    >>> print(explain_passes([Pass("totals", 3000, 52_000, 8, 2), Pass("scores", 3000, 0, 90, 70)]))
    2 passes
    pass  purpose  rows read  bytes read  rows shuffled  rows collected
       1  totals       3,000       52 kB              8               2
       2  scores       3,000         0 B             90              70
     all               6,000       52 kB             98              72
    """
    listed = list(passes)
    if not listed:
        return "no passes were counted; the data was given in memory"
    total = Pass(
        "",
        _sum(each.rows for each in listed),
        _sum(each.bytes for each in listed),
        _sum(each.shuffled for each in listed),
        sum(each.collected for each in listed),
    )
    rows = [*listed, total]
    columns = {
        "pass": [*map(str, range(1, len(rows))), "all"],
        "purpose": [each.purpose for each in rows],
        "rows read": [_count(each.rows) for each in rows],
        "bytes read": [_bytes(each.bytes) for each in rows],
        "rows shuffled": [_count(each.shuffled) for each in rows],
        "rows collected": [_count(each.collected) for each in rows],
    }
    title = f"{len(listed)} pass{'es' * (len(listed) > 1)}"
    return text_table(title, columns, left=["purpose"], most=len(rows))


def _sum(values: Iterable[int | None]) -> int | None:
    """Return the sum; None if a part is not known."""
    parts = list(values)
    return None if None in parts else sum(value for value in parts if value is not None)


def _count(value: int | None) -> str:
    return _UNKNOWN if value is None else f"{value:,}"


def _bytes(value: int | None) -> str:
    """Return bytes with at least two digits, in the unit that suits them."""
    if value is None:
        return _UNKNOWN
    power = 0
    while value >= _LEAST_PREFIXED * 1000**power and power < len(_UNITS) - 1:
        power += 1
    return f"{value / 1000**power:,.0f} {_UNITS[power]}"
