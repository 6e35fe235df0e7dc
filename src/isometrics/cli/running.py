"""Running a command: what a command raises becomes one sentence and an exit code."""

from __future__ import annotations

import os
import re
import signal
import sys
import traceback
import warnings
from contextlib import contextmanager, suppress
from errno import EBADF
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from cyclopts import CycloptsError

from isometrics.cli.app import app
from isometrics.cli.interrupting import exit_code, prompt_interrupts, sentence
from isometrics.cli.output import cell
from isometrics.errors import IsometricsError, ParameterError, UndefinedWarning, redacted
from isometrics.writing import remove_abandoned, remove_unfinished

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FINE = 0
UNEXPECTED = 1
BAD_INPUT = 2
_LONGEST = 1000
LEAST_ADDRESS_SPACE = 1_000_000_000
"""Below it, DuckDB crashes while it starts its threads; measured at 500 to 700 MB."""
_ONLY_TOLD = {"--help", "-h", "--version"}
# Windows has no such limits.
resource: Any = import_module("resource") if find_spec("resource") else None
_OPTION = re.compile(
    r"(?<![\w'])(label|scores|model|weight|group|pos_label|memory_limit|tolerance)=(?![\w'\"])"
)
"""Options as messages name them for Python; on the command line they have other names."""


def run(arguments: Sequence[str]) -> int:
    """Run a command; whatever it raises becomes an exit code."""
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
            code = app(words)
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
    missing_part = isinstance(error, ImportError) and "pip install" in str(error)
    if missing_part or isinstance(error, IsometricsError):
        return _OPTION.sub(lambda found: f"--{found[1].replace('_', '-')}", cell(error))
    return None


def _about_the_system(error: OSError) -> str:
    if error.errno == EBADF:
        return "standard input or standard output is closed; open it or name a file"
    reason = (error.strerror or cell(error)).lower()
    where = f"use {os.fsdecode(error.filename)!r}" if error.filename else "read or write"
    return f"cannot {where}: {reason}"


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
