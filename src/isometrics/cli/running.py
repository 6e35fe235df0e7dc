"""Running a command: errors become one sentence and an exit code; signals leave no half file.

Before NumPy is loaded, `tune` sets it and the C library up. A library must leave this to the
program it is part of; the command is a program of its own.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import socket
import sys
import threading
import traceback
import warnings
from contextlib import contextmanager, suppress
from errno import EBADF
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cyclopts import CycloptsError

from isometrics._core.writing import remove_abandoned, remove_unfinished
from isometrics.cli.app import app
from isometrics.cli.options import option_of
from isometrics.cli.output import cell
from isometrics.errors import (
    IsometricsError,
    ParameterError,
    UndefinedWarning,
    redacted,
    system_reason,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType


GRACE = 0.5
_SHOW_CURSOR = "\x1b[?25h"
_SENTENCES: dict[int, str] = {signal.SIGINT: "interrupted"} | {
    # Windows has no SIGHUP.
    getattr(signal, name): f"ended by {name}"
    for name in ("SIGTERM", "SIGHUP")
    if hasattr(signal, name)
}


class ReceivedSignal:
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
) -> Iterator[ReceivedSignal]:
    """End the process soon after Ctrl-C, SIGTERM or SIGHUP, even while compiled code is at work.

    Python raises KeyboardInterrupt between two of its own instructions only, and a sort or a query
    can take minutes until the next one. So a thread hears of the signal too. If the block has not
    ended after a short grace, the thread cleans up and ends the process. A signal that the process
    was started to ignore, as ``nohup`` does, stays ignored.

    Yields
    ------
    ReceivedSignal
        The signal, which libraries may turn into errors of their own; it is certain after the
        block.
    """
    received_signal = ReceivedSignal()
    if threading.current_thread() is not threading.main_thread():
        yield received_signal
        return
    receiver, sender = socket.socketpair()
    sender.setblocking(False)
    wakeup = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    deadly = [number for number in _SENTENCES if signal.getsignal(number) is signal.SIG_DFL]
    for number in deadly:
        signal.signal(number, _raise)
    left = threading.Event()
    watcher = threading.Thread(target=_watch, args=(receiver, received_signal, left, grace, end))
    watcher.daemon = True
    watcher.start()
    try:
        yield received_signal
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
    received_signal: ReceivedSignal,
    left: threading.Event,
    grace: float,
    end: Callable[[int], object],
) -> None:
    # A closed socket sends nothing, which is how a block that ended says so.
    while received := receiver.recv(1):
        number = received[0]
        if number not in _SENTENCES:
            continue
        received_signal.number = number
        if not left.wait(grace):
            cursor = _SHOW_CURSOR * sys.stderr.isatty()
            print(f"{cursor}isometrics: {sentence(number)}", file=sys.stderr, flush=True)
            remove_unfinished()
            end(exit_code(number))


FINE = 0
UNEXPECTED = 1
BAD_INPUT = 2
_LONGEST = 1000
LEAST_ADDRESS_SPACE = 1_000_000_000
"""Below it, DuckDB crashes while it starts its threads; measured at 500 to 700 MB."""
_ONLY_TOLD = {"--help", "-h", "--version"}
# Windows has no such limits.
resource: Any = import_module("resource") if find_spec("resource") else None


def run(arguments: Sequence[str], command: Callable[[list[str]], int | None] = app) -> int:
    """Run a command, by default that of `isometrics`; what it raises becomes an exit code."""
    words = list(arguments)
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show must not end the program.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    signals = None
    try:
        with _short_warnings(), prompt_interrupts() as signals:
            remove_abandoned()
            if not _ONLY_TOLD & {*words}:
                _refuse_little_address_space()
            code = command(_files_first(words))
            sys.stdout.flush()
    except BaseException as error:
        if "--debug" in words:
            traceback.print_exc()
        # Libraries turn Ctrl-C into errors of their own.
        number = signals.number if signals else None
        ending = _ending(error) if number is None else _interruption(number)
        if number is not None:
            # Some may have been created, but not yet entered.
            remove_unfinished()
        if ending.sentence:
            print(f"isometrics: {_shortened(redacted(ending.sentence))}", file=sys.stderr)
        return ending.code
    return code or FINE


def _files_first(words: list[str]) -> list[str]:
    """Move files that follow ``--scores a b`` before it, where no file follows the command.

    Such options take all words up to the next option, and would take the file for a value.
    """
    if len(words) < 2 or not words[1].startswith("-") or words[1] == "-":
        return words
    # Where no file is there, one that is missing is told from a value by its name.
    is_file = _is_source if any(map(_is_source, words[1:])) else _looks_like_file
    files: list[str] = []
    others: list[str] = []
    values: int | None = None
    moving = False
    for word in words:
        if word.startswith("-") and word != "-":
            option, equals, _ = word.partition("=")
            values = len(equals) if option in _SEVERAL_VALUES else None
        elif values and (moving or is_file(word)):
            # A file follows one value at least, and a second file may follow it.
            files.append(word)
            moving = True
            continue
        elif values is not None:
            values += 1
        moving = False
        others.append(word)
    return [*others[:1], *files, *others[1:]]


_SEVERAL_VALUES = {
    *("--scores", "--space", "--beta", "--cost", "--min-precision", "--min-recall", "--budget"),
    *("--lambda", "--objective", "--threshold"),
}
"""Options that take all words up to the next option, in commands that take several values."""


def _is_source(word: str) -> bool:
    return word == "-" or "://" in word or os.path.lexists(word)


def _looks_like_file(word: str) -> bool:
    from isometrics.formats.registry import FORMATS
    from isometrics.sources.files import EXCEL_SUFFIXES, SUFFIXES, suffix_of

    of_formats = [suffix for entry in FORMATS.values() for suffix in entry.suffixes]
    return suffix_of(Path(word)) in {*SUFFIXES, *EXCEL_SUFFIXES, *of_formats}


def _refuse_little_address_space() -> None:
    """Raise where libraries could not even be loaded: some crash instead of saying so."""
    if resource is None:
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < LEAST_ADDRESS_SPACE:
        raise ParameterError(
            f"the address space is limited to {limit / 1e6:.0f} MB, too little to load libraries; "
            f"allow {LEAST_ADDRESS_SPACE / 1e6:.0f} MB or more with ulimit -v"
        )


def _open_closed_streams() -> None:
    """Give streams that were closed a file, so that no other file takes their number.

    Messages go nowhere; to read from a closed standard input or to write to a closed standard
    output remains an error.
    """
    for name, flags, mode in (
        ("stdin", os.O_WRONLY, "r"),
        ("stdout", os.O_RDONLY, "w"),
        ("stderr", os.O_WRONLY, "w"),
    ):
        if getattr(sys, name) is None:
            file = os.open(os.devnull, flags)
            setattr(sys, name, open(file, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


class _Ending(NamedTuple):
    code: int
    sentence: str = ""


def _interruption(number: int) -> _Ending:
    return _Ending(exit_code(number), sentence(number))


def _ending(error: BaseException) -> _Ending:
    if isinstance(error, KeyboardInterrupt):
        return _interruption(signal.SIGINT)
    # Rich leaves the program when a pipe is closed.
    if isinstance(error.__context__ if isinstance(error, SystemExit) else error, BrokenPipeError):
        # Who reads the output has read enough.
        _abandon_output()
        return _Ending(FINE)
    if (sentence := _foreseen(error)) is not None:
        return _Ending(BAD_INPUT, sentence)
    return _Ending(
        UNEXPECTED,
        f"unexpected {type(error).__name__}: {cell(error)}; this is a defect of isometrics, run "
        "the command again with --debug and report what it prints",
    )


def _foreseen(error: BaseException) -> str | None:
    """Return what to say about an error that is not ours."""
    if isinstance(error, CycloptsError):
        return f"{cell(error)} Add --help to see what is accepted."
    if isinstance(error, OSError):
        _abandon_output()
        return _about_the_system(error)
    if isinstance(error, MemoryError):
        return "not enough memory; give less data or a --memory-limit"
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return "cannot start a thread: the system limits processes or memory; see ulimit -a"
    if isinstance(error, IsometricsError):
        return cell(error.phrase(option_of))
    return None


def _about_the_system(error: OSError) -> str:
    if error.errno == EBADF:
        return "standard input or standard output is closed; open it or name a file"
    where = f"use {os.fsdecode(error.filename)!r}" if error.filename else "read or write"
    return f"cannot {where}: {system_reason(error)}"


def _shortened(sentence: str) -> str:
    """Leave out the middle of a sentence that repeats a long text of the user's."""
    if len(sentence) <= _LONGEST:
        return sentence
    return f"{sentence[: _LONGEST // 2]} … {sentence[-_LONGEST // 2 :]}"


def _abandon_output() -> None:
    """Send what is still to be written nowhere; Python would try again when it ends."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


@contextmanager
def _short_warnings() -> Iterator[None]:
    def show(message: Warning | str, *_: object, **__: object) -> None:
        print(f"isometrics: warning: {cell(message)}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always", UndefinedWarning)
        warnings.showwarning = show
        yield


# ---------------------------------------------------------------------- before NumPy is loaded

_FEATURES = "NPY_DISABLE_CPU_FEATURES"
_SLOW_WITH_AVX512 = re.compile(
    r"^vendor_id\s*:\s*AuthenticAMD$.*^cpu family\s*:\s*25$.*^flags\s*:.*\bavx512f\b",
    re.MULTILINE | re.DOTALL,
)

_BACKEND = "MPLBACKEND"
_THRESHOLDS = {-3: 64 << 20, -1: 128 << 20}
"""M_MMAP_THRESHOLD and M_TRIM_THRESHOLD of glibc's ``malloc.h``."""
_MALLOC = ("MALLOC_", "GLIBC_TUNABLES")


def tune() -> None:
    """Set up NumPy and matplotlib, unless they were loaded by someone else already.

    What a user has set in the environment stays, but for windows of matplotlib, which no command
    opens.
    """
    if "numpy" not in sys.modules:
        prefer_fast_sort()
        keep_freed_memory()
    backend = os.environ.get(_BACKEND, "module")
    if "matplotlib" not in sys.modules and not backend.startswith("module"):
        # Matplotlib refuses to load if it does not know the user's choice of windows, of which no
        # command opens any. A module is the choice of a notebook that called the command.
        del os.environ[_BACKEND]


def prefer_fast_sort(description: Path = Path("/proc/cpuinfo")) -> None:
    """Have NumPy sort without AVX-512 on processors of AMD's fourth Zen generation.

    They store compressed vectors so slowly that NumPy's sort with AVX-512 takes four to seven
    times as long as that with AVX2.
    """
    if _FEATURES in os.environ:
        return
    try:
        text = description.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return  # other systems tell nothing there
    if _SLOW_WITH_AVX512.search(text.split("\n\n", maxsplit=1)[0]):
        # The first is what NumPy 2.4 and later call it, the second its name before; NumPy
        # passes over names it does not know.
        os.environ[_FEATURES] = "X86_V4 AVX512_SKX AVX512_ICL"


def keep_freed_memory() -> bool:
    """Have glibc keep memory of arrays that were freed for those that follow; tell whether it does.

    By default it gives large pieces back to the system, which clears each page of the next one
    again. With rows that come in millions of equal arrays, that is a tenth of all the time.
    """
    if any(name.startswith(_MALLOC) for name in os.environ):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, TypeError):
        return False  # other C libraries
    return all(mallopt(name, value) for name, value in _THRESHOLDS.items())
