"""What a command answers, tables for people and JSON for programs, and how far it is."""

from __future__ import annotations

import json
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from isometrics._core.json_files import number_or_null

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from types import TracebackType

    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table

    from isometrics._core.results import ResultTable
    from isometrics.analysis import Analysis
    from isometrics.decisions.thresholds import Entry


Columns = dict[str, Any]
"""Equally long lists or arrays by their names."""

_CHUNK = 10_000


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
        print(json_text(about | as_data(parts)))
        return
    show = _on_terminal if sys.stdout.isatty() else _as_text
    for number, part in enumerate(parts):
        title, columns = cell(part.title), part.columns if part.shown is None else part.shown
        readable = {
            cell(name): [cell(value) for value in column] for name, column in columns.items()
        }
        print(*[""] * (number > 0), show(title, readable), *map(cell, part.notes), sep="\n")


def say(lines: Sequence[str]) -> None:
    """Print sentences; on a terminal, wrapped to its width."""
    from textwrap import wrap

    width = sys.maxsize
    if sys.stdout.isatty():
        from rich.console import Console

        width = Console().width
    for line in lines:
        print(*(wrap(cell(line), width, break_on_hyphens=False) or [""]), sep="\n")


def note(text: str) -> None:
    """Say something beside the answer, on the stream of messages."""
    print(cell(text), file=sys.stderr, flush=True)


_OTHER_NAMES = {
    "betas": "--beta",
    "confidence_level": "--confidence",
    "format": "--from",
    "lam": "--lambda",
    "measures": "--measure",
    "n_jobs": "--jobs",
    "n_resamples": "--resamples",
}
"""Options whose names are not those of the parameters in Python."""


def option_of(parameter: str) -> str:
    """Return the option that has the name of a parameter in Python."""
    return _OTHER_NAMES.get(parameter, f"--{parameter.replace('_', '-')}")


# ---------------------------------------------------------------------- JSON


def json_text(said: object) -> str:
    """Return data as JSON for standard output; what its encoding may not have is escaped."""
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    return json.dumps(said, ensure_ascii=not unicode, allow_nan=False, indent=2)


def as_data(parts: Sequence[Part]) -> dict[str, object]:
    """Return tables by their keys, each a list of its rows."""
    return {part.key: list(records(part.columns)) for part in parts}


def records(columns: Columns) -> Iterator[dict[str, object]]:
    """Yield the rows of a table as objects that JSON can hold."""
    size = len(next(iter(columns.values())))
    for start in range(0, size, _CHUNK):
        chunk = [plain_list(values[start : start + _CHUNK]) for values in columns.values()]
        for row in zip(*chunk, strict=True):
            yield dict(zip(columns, row, strict=True))


def plain_list(values: Any) -> list[object]:
    """Return values as JSON has them."""
    return [plain(value) for value in (values.tolist() if hasattr(values, "tolist") else values)]


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
    from isometrics._core.results import text_table

    left = [name for name, values in columns.items() if not any(map(_is_number, values))]
    lines = text_table(title, columns, left=left, most=sys.maxsize).splitlines()
    return "\n".join(line.rstrip() for line in lines)


def _on_terminal(title: str, columns: dict[str, list[str]]) -> str:
    """Return a table that fits the terminal, with every column.

    One that is too wide is laid on its side. If it is still too wide, its columns are spread over
    several tables, each of which begins with the first column.
    """
    from rich.console import Console

    console = Console(highlight=False)
    tables = (
        min(
            (_split(each, console.width) for each in (columns, _turned(columns))),
            # Several tables are as long as all their rows and heads.
            key=lambda tables: (
                len(tables) > 1,
                len(tables) * (len(next(iter(tables[0].values()))) + 3),
            ),
        )
        if _width(columns) > console.width
        else [columns]
    )
    with console.capture() as drawn:
        for table in tables:
            console.print(_rich_table(table))
    return f"{title}\n{drawn.get().rstrip()}"


def _split(columns: dict[str, list[str]], width: int) -> list[dict[str, list[str]]]:
    """Return tables of at most this width; only a column that is wider by itself is folded."""
    first, *others = columns
    tables = [{first: columns[first]}]
    for name in others:
        wider = tables[-1] | {name: columns[name]}
        if len(wider) > 2 and _width(wider) > width:
            wider = {first: columns[first], name: columns[name]}
            tables.append(wider)
        else:
            tables[-1] = wider
    return tables


def _width(columns: dict[str, list[str]]) -> int:
    """Return how wide `_rich_table` draws a table; each column has two spaces and a line."""
    from rich.cells import cell_len

    widest = (max(map(cell_len, (name, *values))) for name, values in columns.items())
    return sum(width + 3 for width in widest) + 1


def _rich_table(columns: dict[str, list[str]]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    # As `Text`, what a user named is never markup.
    table = Table(box=SIMPLE_HEAD)
    for name, values in columns.items():
        at_right = any(map(_is_number, values))
        table.add_column(Text(name), justify="right" if at_right else "left", overflow="fold")
    for row in zip(*columns.values(), strict=True):
        table.add_row(*map(Text, row))
    return table


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
    entries = list(analysis._entries(by_group=True))
    found = [columns_of(entry) for entry in entries]
    sizes = [len(next(iter(columns.values()))) for columns in found]
    stack: Columns = {"model": _repeated([entry.model for entry in entries], sizes)}
    if analysis.groups:
        stack["group"] = _repeated([entry.group for entry in entries], sizes)
    for name in found[0]:
        stack[name] = joined([columns[name] for columns in found])
    return stack


def _repeated(names: list[str], sizes: list[int]) -> list[str]:
    return [name for name, size in zip(names, sizes, strict=True) for _ in range(size)]


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


class Meter:
    """A progress bar on the stream of messages that appears when it is worth it.

    Call it with the rows, or other units, done and in all, or None where nobody knows.
    """

    def __init__(
        self,
        task: str,
        *,
        unit: str = "rows",
        quiet: bool = False,
        patience: float = PATIENCE,
        console: Console | None = None,
    ) -> None:
        self._task = task
        self._unit = unit
        self._console = console
        self._lock = threading.Lock()
        self._rows: tuple[int, int | None] = (0, None)
        self._bar: Progress | None = None
        shown = not quiet and (console is not None or sys.stderr.isatty())
        self._timer = threading.Timer(patience, self._appear) if shown else None

    def __call__(self, done: int, total: int | None = None) -> None:
        """Take note of the rows done so far."""
        with self._lock:
            self._rows = (done, total)
            if self._bar is not None:
                self._update(self._bar)

    def __enter__(self) -> Self:
        """Start to wait."""
        self._start = time.monotonic()
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        if self._bar is not None:
            self._bar.stop()

    def _appear(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        with self._lock:
            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TextColumn("{task.fields[rows]}", markup=False),
                TimeRemainingColumn(),
                console=self._console or Console(stderr=True),
                transient=True,
            )
            self._bar.add_task(self._task, total=None, rows="")
            self._update(self._bar)
            self._bar.start()

    def _update(self, bar: Progress) -> None:
        done, total = self._rows
        rate = done / max(time.monotonic() - self._start, 1e-9)
        speed = f", {rate:,.0f} {self._unit}/s" if rate >= 1 else ""
        rows = f"{done:,} {self._unit}{speed}" if done else ""
        bar.update(bar.task_ids[0], completed=done, total=total, rows=rows)
