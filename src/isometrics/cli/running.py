"""Running a command: errors become one sentence and an exit code; signals leave no half file."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
import warnings
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

from isometrics.cli.help import COMMANDS, MORE, PAGE, print_page
from isometrics.cli.output import cell, option_of
from isometrics.errors import IsometricsError, UndefinedWarning, redacted, require, system_reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from cyclopts import App

BAD_INPUT = 2
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


_MODULES = {
    "apply": "copies",
    "calibrate": "copies",
    "compare": "summary",
    "convert": "copies",
    "curve": "curves",
    "demo": "demo_and_doctor",
    "doctor": "demo_and_doctor",
    "plot": "curves",
    "report": "summary",
    "serve": "summary",
    "thresholds": "verdict",
    "tradeoff": "curves",
}
"""Where the function of a command lies, if not in the module of its name."""


def unwrapped(command: Callable[..., Any]) -> Callable[..., Any]:
    """Join the lines of each paragraph of the help, so that they break where the terminal ends.

    Lines of a paragraph begin at the same column; examples stay as they are.
    """
    lines: list[str] = []
    for line in cleandoc(command.__doc__ or "").splitlines():
        above = lines[-1] if lines else ""
        margins = {len(text) - len(text.lstrip()) for text in (line, above)}
        is_apart = any(text.lstrip().startswith(("---", "isometrics ")) for text in (line, above))
        if line and above and len(margins) == 1 and not is_apart:
            lines[-1] = f"{above} {line.strip()}"
        else:
            # The name of a parameter stands above an underline, too.
            lines.append(line)
    command.__doc__ = "\n".join(lines)
    return command


@cache
def application(only: str = "") -> App:
    """Return the application, with one of its commands or, where there is none such, with all."""
    from cyclopts import App, Group

    from isometrics._core import __version__

    app = App(
        name="isometrics",
        usage="",
        help=PAGE,
        help_format="plaintext",
        help_epilogue=MORE,
        # The page above lists them.
        group_commands=Group("Commands", help_formatter=lambda *_: None),
        version=__version__,
        exit_on_error=False,
        print_error=False,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for name in [only] if only in COMMANDS else COMMANDS:
        module = import_module(f"isometrics.cli.{_MODULES.get(name, name)}")
        # Python has a function `help` of its own.
        app.command(unwrapped(getattr(module, name + "_" * (name == "help"))), name=name)
    app.register_install_completion_command(help="Install completion for the shell in use.")
    return app


def isometrics(words: list[str]) -> int | None:
    """Run a command of `isometrics`. To list what there is loads no library."""
    require("the command isometrics", "cyclopts", "rich", "duckdb", "pyarrow")
    first = words[0] if words else "--help"
    if first.startswith("-") and first != "-" and {"--help", "-h"} & {first, *words}:
        print_page()
        return None
    app = application(first)
    code: int | None = app(words)
    return code


def run(arguments: Sequence[str], command: Callable[[list[str]], int | None] = isometrics) -> int:
    """Run a command, by default that of `isometrics`; what it raises becomes an exit code."""
    words = list(arguments)
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show must not end the program.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    received: list[int] = []
    try:
        with warnings.catch_warnings(), _signals_as_interrupts() as received:
            warnings.simplefilter("always", UndefinedWarning)
            warnings.showwarning = lambda message, *_, **__: print(
                f"isometrics: warning: {cell(message)}", file=sys.stderr
            )
            code = command(words)
            print(end="", flush=True)
    except BaseException as error:
        if "--debug" in words:
            traceback.print_exc()
        if isinstance(error, KeyboardInterrupt) and not received:
            received = [signal.SIGINT]
        if received:
            code, sentence = 128 + received[0], _SENTENCES[received[0]]
        else:
            code, sentence = _ending(error)
        if sentence:
            print(f"isometrics: {redacted(sentence)}", file=sys.stderr)
    return code or 0


def _ending(error: BaseException) -> tuple[int, str]:
    """Return the exit code after an error, and what to say."""
    # Rich leaves the program when a pipe is closed.
    if isinstance(error.__context__ if isinstance(error, SystemExit) else error, BrokenPipeError):
        # Who reads the output has read enough.
        _abandon_output()
        return 0, ""
    if isinstance(error, OSError) or isinstance(error.__cause__, OSError):
        # What could not be written would be tried again, and fail without a sentence.
        _abandon_output()
    if isinstance(error, IsometricsError):
        return BAD_INPUT, cell(error.phrase(option_of))
    if isinstance(error, OSError):
        where = f"use {os.fsdecode(error.filename)!r}" if error.filename else "read or write"
        return BAD_INPUT, f"cannot {where}: {system_reason(error)}"
    if isinstance(error, MemoryError):
        return BAD_INPUT, "not enough memory; give less data or a --memory-limit"
    from cyclopts import CycloptsError

    if isinstance(error, CycloptsError):
        hint = "Give files first, then options; --help says what is accepted."
        return BAD_INPUT, f"{cell(error)} {hint}"
    return 1, (
        f"unexpected {type(error).__name__}: {cell(error)}; this is a defect of isometrics, run "
        "the command again with --debug and report what it prints"
    )


def _abandon_output() -> None:
    """Send what is still to be written nowhere; Python would try again when it ends."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
