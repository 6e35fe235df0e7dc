"""Rows done and rows a second, on the terminal, for what takes longer than two seconds."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

    from rich.console import Console
    from rich.progress import Progress

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

    @property
    def rows(self) -> int:
        """The rows done so far."""
        return self._rows[0]

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
