"""Ctrl-C ends the program within a second, and leaves nothing half-written."""

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

INTERRUPTED = 130
GRACE = 0.5
_SHOW_CURSOR = "\x1b[?25h"


@contextmanager
def prompt_interrupts(
    end: Callable[[int], object] = os._exit, grace: float = GRACE
) -> Iterator[threading.Event]:
    """End the process soon after Ctrl-C, even while compiled code is at work.

    Python raises KeyboardInterrupt between two of its own instructions only, and a sort or a query
    can take minutes until the next one. So a thread hears of the signal too. If the block has not
    ended after a short grace, the thread cleans up and ends the process.

    Yields
    ------
    threading.Event
        Whether there was a Ctrl-C, which libraries may turn into errors of their own; it is
        certain after the block.
    """
    heard = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield heard
        return
    receiver, sender = socket.socketpair()
    sender.setblocking(False)
    before = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    left = threading.Event()
    watcher = threading.Thread(target=_watch, args=(receiver, heard, left, grace, end))
    watcher.daemon = True
    watcher.start()
    try:
        yield heard
    finally:
        left.set()
        signal.set_wakeup_fd(before)
        sender.close()
        watcher.join()
        receiver.close()


def _watch(
    receiver: socket.socket,
    heard: threading.Event,
    left: threading.Event,
    grace: float,
    end: Callable[[int], object],
) -> None:
    # A closed socket sends nothing, which is how a block that ended says so.
    while number := receiver.recv(1):
        if number[0] != signal.SIGINT:
            continue
        heard.set()
        if not left.wait(grace):
            remove_unfinished()
            print(_SHOW_CURSOR * sys.stderr.isatty() + "isometrics: interrupted", file=sys.stderr)
            sys.stderr.flush()
            end(INTERRUPTED)
