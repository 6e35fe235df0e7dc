"""Errors become one sentence and an exit code; nothing is printed twice, nothing lingers."""

import os
import runpy
import signal
import subprocess
import sys
import warnings

import pytest

from isometrics.cli import main, running
from isometrics.cli.running import application, run
from isometrics.errors import (
    Advice,
    FileError,
    MissingPackageError,
    ParameterError,
    UndefinedWarning,
)


@pytest.fixture(autouse=True)
def console_of_its_own():
    """Give each test a new console: one that could not write remembers what is left to write."""
    application.cache_clear()


def raising(error):
    def command(_):
        raise error

    return command


ENDINGS = [
    (FileError("cannot read\n'x': \x1b[31mgone"), 2, "cannot read 'x': \\x1b[31mgone"),
    (FileNotFoundError(2, "No such file", "a b.csv"), 2, "cannot use 'a b.csv': no such file"),
    (OSError(28, "No space left on device"), 2, "cannot read or write: no space left on device"),
    (OSError("odd"), 2, "cannot read or write: odd"),
    (MemoryError(), 2, "not enough memory; give less data or a --memory-limit"),
    (MissingPackageError("that needs x", "x"), 2, "that needs x: pip install x"),
    (
        ParameterError("no", Advice("give {pos_label}, {memory_limit} or {format}")),
        2,
        "no; give --pos-label, --memory-limit or --from",
    ),
    (KeyboardInterrupt(), 130, "interrupted"),
]


@pytest.mark.parametrize(("error", "code", "sentence"), ENDINGS, ids=lambda x: repr(x)[:30])
def test_what_is_foreseen_is_one_sentence(capsys, error, code, sentence):
    assert run(["x"], raising(error)) == code
    assert capsys.readouterr() == ("", f"isometrics: {sentence}\n")


def test_an_error_after_an_interrupt_is_an_interrupt(capsys):
    """DuckDB raises RuntimeError('Query interrupted')."""

    def command(_):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise RuntimeError("Query interrupted") from None

    assert run(["x"], command) == 130
    assert capsys.readouterr().err == "isometrics: interrupted\n"


@pytest.mark.parametrize("error", [ZeroDivisionError("oops"), ImportError("no name")])
def test_a_defect_asks_for_a_report(capsys, error):
    assert run(["x"], raising(error)) == 1
    printed = capsys.readouterr().err
    assert f"unexpected {type(error).__name__}: {error}" in printed
    assert "--debug" in printed
    assert "Traceback" not in printed
    assert len(printed.splitlines()) == 1
    assert run(["x", "--debug"], raising(error)) == 1
    assert "Traceback" in capsys.readouterr().err


def test_the_module_runs(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["isometrics", "--version"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("isometrics", run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out == "0.2.0\n"


def test_an_interrupt_while_the_command_is_loaded(monkeypatch, capsys):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "run", interrupted)
    assert main([]) == 130
    assert capsys.readouterr().err == "isometrics: interrupted\n"


def test_a_warning_is_one_line(capsys):
    def command(_):
        warnings.warn("the value\nis NaN", UndefinedWarning, stacklevel=1)
        warnings.warn("the value\nis NaN", UndefinedWarning, stacklevel=1)

    assert run([], command) == 0
    assert capsys.readouterr().err == "isometrics: warning: the value is NaN\n" * 2


def test_a_name_the_terminal_cannot_show():
    program = "from isometrics.cli import main; main(['summary', 'a', '--x\\udc80'])"
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )
    assert b"\\udc80" in done.stderr


@pytest.mark.parametrize(
    ("shell", "files"),
    [("bash", "compgen -f"), ("zsh", "'*-o[The file to write.]:o:_files'"), ("fish", " -F -d")],
)
def test_shells_complete_the_names_of_files(shell, files):
    assert files in application("curve").generate_completion(shell=shell)
