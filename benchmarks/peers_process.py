"""A child process that prints JSON lines, watched: its time, and the memory of the machine."""

import contextlib
import json
import math
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

POLL = 0.2


class StoppedError(Exception):
    """Raised when the next line did not come in time; `after` is the event before."""

    def __init__(self, after: str, seconds: float) -> None:
        super().__init__(f"nothing within {seconds:g} s after {after or 'the start'}")
        self.after = after


class MemoryShortageError(Exception):
    """Raised when the machine ran out of memory, after the child was stopped."""


def available_memory() -> float:
    """Return the bytes that can still be had on this machine; infinity where it does not tell."""
    path = Path("/proc/meminfo")
    lines = path.read_text().splitlines() if path.exists() else []
    values = [int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable")]
    return values[0] if values else math.inf


def events_of(
    command: list[str],
    *,
    limits: dict[str, float],
    environment: dict[str, str] | None = None,
    reserve: int = 0,
) -> Iterator[dict[str, Any]]:
    """Run a command and yield the objects it prints, up to the one whose event is "done".

    `limits` says how many seconds may pass after an event until the next; "" is the start.
    """
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=os.environ | (environment or {}),
            start_new_session=True,
        )
        lines: queue.Queue[str | None] = queue.Queue()
        reader = threading.Thread(target=_read, args=(process.stdout, lines))
        reader.start()
        try:
            yield from _events(process, lines, errors, limits, reserve)
        finally:
            # Spark's Java process is in the group of its parent.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            reader.join()


def _read(output: IO[str], lines: "queue.Queue[str | None]") -> None:
    """Pass on the lines as they come, and None at the end."""
    with output:
        for line in output:
            # Tools print lines of their own.
            if line.startswith("{"):
                lines.put(line)
    lines.put(None)


def _events(
    process: subprocess.Popen[str],
    lines: "queue.Queue[str | None]",
    errors: IO[str],
    limits: dict[str, float],
    reserve: int,
) -> Iterator[dict[str, Any]]:
    last = ""
    while last != "done":
        line = _next_line(lines, last, limits[last], reserve)
        if line is None:
            process.wait()
            errors.seek(0)
            said = [text for text in errors.read().splitlines() if text.strip()]
            raise ChildProcessError(said[-1].strip() if said else f"exit {process.returncode}")
        event = json.loads(line)
        last = event["event"]
        yield event


def _next_line(
    lines: "queue.Queue[str | None]", last: str, limit: float, reserve: int
) -> str | None:
    deadline = time.monotonic() + limit
    while True:
        try:
            return lines.get(timeout=POLL)
        except queue.Empty:
            if time.monotonic() > deadline:
                raise StoppedError(last, limit) from None
            if available_memory() < reserve / 2:
                raise MemoryShortageError("stopped before the machine ran out of memory") from None
