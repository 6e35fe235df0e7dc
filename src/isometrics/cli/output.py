"""What a command answers, tables for people and JSON for programs, and how far it is."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from contextlib import contextmanager
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from isometrics._core.files import number_or_null

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from isometrics._core.results import ResultTable
    from isometrics.analysis import Analysis
    from isometrics.decisions.thresholds import Entry


Columns = dict[str, Any]
"""Equally long lists or arrays by their names."""


class Part(NamedTuple):
    """One table of an answer."""

    key: str
    """Its name in JSON."""
    title: str
    """The line above it."""
    columns: Columns
    shown: Columns | None = None
    """What people see of it, if not all columns."""
    notes: Sequence[str] = ()
    """Lines below it."""


def part_of(key: str, table: ResultTable, title: str | None = None) -> Part:
    """Return a result as a part of an answer."""
    shown = table._shown()
    return Part(key, title or table._title(), table._columns(), shown, table._notes(shown))


def answer(about: dict[str, object], parts: Sequence[Part], *, as_json: bool) -> None:
    """Print the tables of an answer, or all of it as one JSON object."""
    if as_json:
        # What the encoding of the stream may not have is escaped.
        is_unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
        said = about | as_data(parts)
        print(json.dumps(said, ensure_ascii=not is_unicode, allow_nan=False, indent=2))
        return
    for number, part in enumerate(parts):
        title, columns = cell(part.title), part.columns if part.shown is None else part.shown
        readable = {
            cell(name): [cell(value) for value in column] for name, column in columns.items()
        }
        print(*[""] * (number > 0), _as_text(title, readable), *map(cell, part.notes), sep="\n")


def say(lines: Sequence[str]) -> None:
    """Print sentences; on a terminal, wrapped to its width."""
    width = get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    for line in lines:
        print(*(wrap(cell(line), width, break_on_hyphens=False) or [""]), sep="\n")


def note(text: str) -> None:
    """Say something beside the answer, on the stream of messages."""
    print(cell(text), file=sys.stderr, flush=True)


Progress = Callable[[int, int | None], None]
"""What is told the rows, or other units, done and in all."""

_OTHER_NAMES = {
    "betas": "--beta",
    "confidence_level": "--confidence",
    "format": "--from",
    "lam": "--lambda",
    "measures": "--measure",
    "n_jobs": "--jobs",
    "n_resamples": "--resamples",
    "spaces": "--space",
}
"""Options whose names are not those of the parameters in Python."""


def option_of(parameter: str) -> str:
    """Return the option that has the name of a parameter in Python."""
    return _OTHER_NAMES.get(parameter, f"--{parameter.replace('_', '-')}")


# ---------------------------------------------------------------------- JSON


def as_data(parts: Sequence[Part]) -> dict[str, object]:
    """Return tables by their keys, each a list of its rows."""
    return {part.key: list(records(part.columns)) for part in parts}


def records(columns: Columns) -> Iterator[dict[str, object]]:
    """Yield the rows of a table as objects that JSON can hold."""
    # Thresholds that are printed as texts are the numbers they are here.
    lists = (each.tolist() if hasattr(each, "tolist") else each for each in columns.values())
    for row in zip(*lists, strict=True):
        yield dict(zip(columns, map(plain, row), strict=True))


def plain(value: Any) -> object:
    """Return a value as JSON has it: NaN is null, and infinities are texts.

    Examples
    --------
    >>> [plain(value) for value in (0.5, float("nan"), float("-inf"), None, "a", ("b", 1))]
    [0.5, None, '-Infinity', None, 'a', ['b', 1]]
    """
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float):
        return number_or_null(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | str) else str(value)


# ---------------------------------------------------------------------- text


def cell(value: object) -> str:
    r"""Return a value as text that stays on one line and cannot steer a terminal.

    Examples
    --------
    >>> cell("two\nlines"), cell("a bell \a"), cell(1 / 3)
    ('two lines', 'a bell \\x07', '0.333333')
    """
    from isometrics._core.results import number

    text = " ".join(number(value).split())
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )


def _as_text(title: str, columns: dict[str, list[str]]) -> str:
    """Return an aligned table; one that a terminal is too narrow for is laid on its side."""
    from isometrics._core.results import text_table

    width = get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    for shown in (columns, _turned(columns), columns):
        left = [name for name, values in shown.items() if not any(map(_is_number, values))]
        lines = text_table(title, shown, left=left, most=sys.maxsize).splitlines()
        if max(map(len, lines[1:])) <= width:
            break
    return "\n".join(line.rstrip() for line in lines)


def _turned(columns: dict[str, list[str]]) -> dict[str, list[str]]:
    """Make rows of the columns: the first one gives the new names."""
    first, *others = columns
    turned = {first: others}
    for row, name in enumerate(columns[first]):
        turned[free_name(name, turned)] = [columns[other][row] for other in others]
    return turned


def free_name(name: str, names: Collection[str]) -> str:
    """Return a name that none of the columns has: this one, or with spaces behind it."""
    while name in names:
        name += " "
    return name


def _is_number(text: str) -> bool:
    try:
        float(text.lstrip("*").partition(" ±")[0])
    except ValueError:
        return False
    return True


def stacked(analysis: Analysis, columns_of: Callable[[Entry], Columns]) -> Columns:
    """Return the columns of every table below each other, with the names of model and group."""
    tables: list[Columns] = []
    for entry in analysis._entries(by_group=True):
        found = columns_of(entry)
        size = len(next(iter(found.values())))
        group = {"group": [entry.group] * size} if analysis.groups else {}
        tables.append({"model": [entry.model] * size} | group | found)
    return {name: joined([table[name] for table in tables]) for name in tables[0]}


def joined(parts: list[Any]) -> Any:
    """Return columns below each other as one."""
    import numpy as np

    from isometrics._core.threshold_text import ThresholdTexts

    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    if all(isinstance(part, ThresholdTexts) for part in parts):
        return ThresholdTexts.joined(parts)
    return [value for part in parts for value in part]


# ---------------------------------------------------------------------- progress

PATIENCE = 2.0


@contextmanager
def meter(task: str, *, unit: str = "rows", quiet: bool = False) -> Iterator[Progress]:
    """Show a progress bar on the stream of messages, once it is worth it.

    Yields a function that is told the rows, or other units, done and in all, or None where nobody
    knows.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed:,} {task.fields[unit]}", markup=False),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    shown = bar.add_task(task, total=None, unit=unit)
    timer = threading.Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done, total: bar.update(shown, completed=done, total=total)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
