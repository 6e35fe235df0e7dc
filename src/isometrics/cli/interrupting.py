"""Ctrl-C and other signals end the program within a second, and leave nothing half-written."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from isometrics.writing import remove_unfinished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

GRACE = 0.5
_SHOW_CURSOR = "\x1b[?25h"
_SENTENCES: dict[int, str] = {signal.SIGINT: "interrupted"} | {
    # Windows has no SIGHUP.
    getattr(signal, name): f"ended by {name}"
    for name in ("SIGTERM", "SIGHUP")
    if hasattr(signal, name)
}


class Heard:
    """Which signal asked the program to end, if any did."""

    number: int | None = None


class Ended(KeyboardInterrupt):
    """A signal asks the program to end; libraries clean up as they do after Ctrl-C."""


def exit_code(number: int) -> int:
    """Return the exit code that shells give to a program that a signal ended."""
    return 128 + number


def sentence(number: int) -> str:
    """Return what to say when a signal ends the program."""
    return _SENTENCES[number]


@contextmanager
def prompt_interrupts(
    end: Callable[[int], object] = os._exit, grace: float = GRACE
) -> Iterator[Heard]:
    """End the process soon after Ctrl-C, SIGTERM or SIGHUP, even while compiled code is at work.

    Python raises KeyboardInterrupt between two of its own instructions only, and a sort or a query
    can take minutes until the next one. So a thread hears of the signal too. If the block has not
    ended after a short grace, the thread cleans up and ends the process. A signal that the process
    was started to ignore, as ``nohup`` does, stays ignored.

    Yields
    ------
    Heard
        The signal, which libraries may turn into errors of their own; it is certain after the
        block.
    """
    heard = Heard()
    if threading.current_thread() is not threading.main_thread():
        yield heard
        return
    receiver, sender = socket.socketpair()
    sender.setblocking(False)
    wakeup = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    deadly = [number for number in _SENTENCES if signal.getsignal(number) is signal.SIG_DFL]
    for number in deadly:
        signal.signal(number, _raise)
    left = threading.Event()
    watcher = threading.Thread(target=_watch, args=(receiver, heard, left, grace, end))
    watcher.daemon = True
    watcher.start()
    try:
        yield heard
    finally:
        left.set()
        signal.set_wakeup_fd(wakeup)
        sender.close()
        watcher.join()
        receiver.close()
        for number in deadly:
            signal.signal(number, signal.SIG_DFL)


def _raise(_: int, __: FrameType | None) -> None:
    raise Ended


def _watch(
    receiver: socket.socket,
    heard: Heard,
    left: threading.Event,
    grace: float,
    end: Callable[[int], object],
) -> None:
    # A closed socket sends nothing, which is how a block that ended says so.
    while received := receiver.recv(1):
        number = received[0]
        if number not in _SENTENCES:
            continue
        heard.number = number
        if not left.wait(grace):
            cursor = _SHOW_CURSOR * sys.stderr.isatty()
            print(f"{cursor}isometrics: {sentence(number)}", file=sys.stderr, flush=True)
            remove_unfinished()
            end(exit_code(number))
