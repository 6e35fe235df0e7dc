"""Running a command: errors become one sentence and an exit code; signals leave no half file."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
import warnings
from contextlib import contextmanager, suppress
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from isometrics.cli.help import print_page
from isometrics.cli.output import cell, option_of
from isometrics.errors import IsometricsError, UndefinedWarning, redacted, require, system_reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from cyclopts import App

FINE = 0
UNEXPECTED = 1
BAD_INPUT = 2
_LONGEST = 1000
_SENTENCES: dict[int, str] = {signal.SIGINT: "interrupted"} | {
    # Windows has no SIGHUP.
    getattr(signal, name): f"ended by {name}"
    for name in ("SIGTERM", "SIGHUP")
    if hasattr(signal, name)
}


@contextmanager
def _signals_as_interrupts() -> Iterator[list[int]]:
    """Raise KeyboardInterrupt at other deadly signals, too, and yield those that came.

    Libraries clean up as they do after Ctrl-C, and may turn it into errors of their own. A signal
    that the process was started to ignore, as ``nohup`` does, stays ignored.
    """
    received: list[int] = []

    def interrupt(number: int, _: FrameType | None) -> None:
        received.append(number)
        raise KeyboardInterrupt

    before = {}
    # Python lets no other thread change what signals do.
    if threading.current_thread() is threading.main_thread():
        for number in _SENTENCES:
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, interrupt)
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def isometrics(words: list[str]) -> int | None:
    """Run a command of `isometrics`. To list what there is loads no library."""
    require("the command isometrics", "cyclopts", "rich", "duckdb", "pyarrow")
    first = words[0] if words else "--help"
    if _is_option(first) and {"--help", "-h"} & {first, *words}:
        print_page()
        return None
    from isometrics.cli.app import application

    app = application(first)
    code: int | None = app(_file_first(words, app))
    return code


def run(arguments: Sequence[str], command: Callable[[list[str]], int | None] = isometrics) -> int:
    """Run a command, by default that of `isometrics`; what it raises becomes an exit code."""
    words = list(arguments)
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show must not end the program.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    received: list[int] = []
    try:
        with _short_warnings(), _signals_as_interrupts() as received:
            code = command(words)
            sys.stdout.flush()
    except BaseException as error:
        if "--debug" in words:
            traceback.print_exc()
        ending = _interruption(received[0]) if received else _ending(error)
        if ending.sentence:
            print(f"isometrics: {_shortened(redacted(ending.sentence))}", file=sys.stderr)
        return ending.code
    return code or FINE


def _file_first(words: list[str], app: App) -> list[str]:
    """Move a file behind ``--scores a b``, which would take it for a value, to the command."""
    command, *others = words or [""]
    if not others or not _is_option(others[0]) or _is_option(command) or command not in app:
        return words
    greedy = {
        name
        for argument in app[command].assemble_argument_collection()
        if argument.parameter.consume_multiple
        for name in argument.names
    }
    values = None
    for start, word in enumerate(others):
        if _is_option(word):
            option, equals, _ = word.partition("=")
            values = len(equals) if option in greedy else None
        elif values and _is_source(word):
            files = list(takewhile(lambda word: not _is_option(word), others[start:]))
            return [command, *files, *others[:start], *others[start + len(files) :]]
        elif values is not None:
            values += 1
    return words


def _is_source(word: str) -> bool:
    return word == "-" or "://" in word or os.path.lexists(word)


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"


def _open_closed_streams() -> None:
    """Open streams that were closed to nowhere, so that no other file takes their number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


class _Ending(NamedTuple):
    code: int
    sentence: str = ""


def _interruption(number: int) -> _Ending:
    return _Ending(128 + number, _SENTENCES[number])


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
    if isinstance(error, OSError) or isinstance(error.__cause__, OSError):
        # What could not be written would be tried again, and fail without a sentence.
        _abandon_output()
    if isinstance(error, OSError):
        return _about_the_system(error)
    if isinstance(error, MemoryError):
        return "not enough memory; give less data or a --memory-limit"
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return "cannot start a thread: the system limits processes or memory; see ulimit -a"
    if isinstance(error, IsometricsError):
        return cell(error.phrase(option_of))
    from cyclopts import CycloptsError

    if isinstance(error, CycloptsError):
        return f"{cell(error)} Give files first, then options; --help says what is accepted."
    return None


def _about_the_system(error: OSError) -> str:
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
