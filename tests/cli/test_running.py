"""Errors become one sentence and an exit code; nothing is printed twice, nothing lingers.

Before NumPy is loaded, the command sets up what it needs, and leaves the rest alone.
"""

import ctypes
import importlib
import io
import os
import runpy
import signal
import subprocess
import sys
import warnings

import pytest

from isometrics.cli import main, running
from isometrics.cli.app import COMMANDS, app
from isometrics.cli.running import keep_freed_memory, prefer_fast_sort, run, tune
from isometrics.errors import (
    Advice,
    FileError,
    MissingPackageError,
    ParameterError,
    UndefinedWarning,
)


@pytest.fixture(autouse=True)
def console_of_its_own(monkeypatch):
    """Give each test a new console: one that could not write remembers what is left to write."""
    monkeypatch.setattr(app, "_fallback_console", None)


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
    (
        RuntimeError("can't start new thread"),
        2,
        "cannot start a thread: the system limits processes or memory; see ulimit -a",
    ),
]


@pytest.mark.parametrize(("error", "code", "sentence"), ENDINGS, ids=lambda x: repr(x)[:30])
def test_what_is_foreseen_is_one_sentence(monkeypatch, capsys, error, code, sentence):
    monkeypatch.setattr(running, "_abandon_output", lambda: None)
    assert run(["x"], raising(error)) == code
    assert capsys.readouterr() == ("", f"isometrics: {sentence}\n")


def test_long_texts_are_shortened(capsys):
    assert run([], raising(FileError(f"no {'x' * 5000} here; do that"))) == 2
    printed = capsys.readouterr().err
    assert len(printed) < 1100
    assert "xx … xx" in printed
    assert printed.endswith("here; do that\n")


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


def test_debug_shows_where_it_happened(capsys):
    assert run(["x", "--debug"], raising(FileError("gone"))) == 2
    printed = capsys.readouterr().err
    assert "Traceback" in printed
    assert printed.endswith("isometrics: gone\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["summmary", "x"], 'Unknown command "summmary". Did you mean "summary"?'),
        (["summary"], "requires an argument"),
        (["summary", "x", "--labl", "y"], "Unknown option: --labl. Did you mean --label?"),
        (["summary", "--labl", "x"], "There is no option --labl"),
        (["summary", "x", "--beta", "one"], 'unable to convert "one" into float'),
        (["curve", "x", "--space", "prag"], 'Choose from: "roc", "pr", "prg", "tradeoff"'),
        (["curve", "x", "y"], "Unused Tokens"),
        (["curve", "x", "-o"], "requires an argument"),
    ],
)
def test_a_word_that_is_not_understood(capsys, words, sentence):
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert len(err.splitlines()) == 1


def test_words_of_the_process_are_the_default(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["isometrics", "--version"])
    assert main() == 0
    assert capsys.readouterr().out == "0.2.0\n"


def test_an_interrupt_while_the_command_is_loaded(monkeypatch, capsys):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "run", interrupted)
    assert main([]) == 130
    assert capsys.readouterr().err == "isometrics: interrupted\n"


def test_without_a_command_there_is_help(capsys):
    assert main([]) == 0
    printed = capsys.readouterr().out
    assert "exit-codes" in printed
    for command in ("summary", "curve", "thresholds", "compare", "tradeoff", "calibrate", "plot"):
        assert f" {command} " in printed


@pytest.mark.parametrize("command", [c.__name__.rstrip("_") for c in COMMANDS])
def test_the_help_of_a_command_has_an_example(capsys, command):
    assert main([command, "--help"]) == 0
    printed = capsys.readouterr().out
    assert "For example:" in printed
    assert f"isometrics {command}" in printed.partition("For example:")[2]


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


# ---------------------------------------------------------------------- standard output


class Full:
    """A stream on a full disk."""

    def __init__(self, path="/dev/full"):
        self.file = open(path, "w")  # noqa: PTH123, SIM115

    def write(self, text):
        return self.file.write(text)

    def flush(self):
        self.file.flush()

    def fileno(self):
        return self.file.fileno()


def test_a_full_disk_behind_standard_output(monkeypatch, capsys):
    stream = Full()
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["--version"]) == 2
    # What is left goes nowhere: Python would fail again when it closes the file.
    stream.file.close()
    assert "no space left on device" in capsys.readouterr().err


def test_a_closed_pipe_is_no_error(monkeypatch, capsys):
    reader, writer = os.pipe()
    os.close(reader)
    stream = Full(writer)
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["--version"]) == 0
    stream.file.close()
    assert capsys.readouterr().err == ""


SMALL = "label,score\n1,0.9\n0,0.8\n1,0.7\n0,0.1\n"


@pytest.mark.parametrize(
    ("closed", "words", "code"),
    [
        ("stdin", ["summary", "-"], 2),
        ("stdin", ["summary", "FILE"], 0),
        ("stdout", ["summary", "FILE"], 2),
        ("stdout", ["summary", "FILE", "--json"], 2),
        ("stderr", ["summary", "FILE"], 0),
        ("stderr", ["summary", "nowhere.csv"], 2),
    ],
)
def test_a_closed_stream(tmp_path, monkeypatch, capsys, *, closed, words, code):
    """Python sets it to None."""
    file = tmp_path / "small.csv"
    file.write_text(SMALL)
    monkeypatch.setattr(sys, closed, None)
    assert main([str(file) if word == "FILE" else word for word in words]) == code
    getattr(sys, closed).close()
    said = capsys.readouterr().err
    assert "defect" not in said
    assert ("is closed" in said) == (code == 2 and closed != "stderr")


def test_all_streams_closed(tmp_path):
    (tmp_path / "small.csv").write_text(SMALL)
    command = f"exec {sys.executable} -m isometrics convert small.csv out.csv <&- >&- 2>&-"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, check=False)
    # The file is there, but its name could not be printed.
    assert done.returncode == 2
    assert (tmp_path / "out.csv").read_text() == SMALL


def test_a_stream_without_a_file_is_left_alone(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    running._abandon_output()


def test_the_module_runs(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["isometrics", "--version"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("isometrics", run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out == "0.2.0\n"


def test_importing_the_module_runs_nothing():
    assert importlib.import_module("isometrics.__main__").main is main


def test_bash_completes_the_names_of_files(tmp_path):
    """Where the script knows no word, bash goes on with files."""
    (tmp_path / "predictions.csv").write_text("")
    script = tmp_path / "completion"
    script.write_text(app.generate_completion(shell="bash"))
    assert "complete -o bashdefault -o default -F _isometrics isometrics" in script.read_text()
    program = f"source {script}; complete -p isometrics"
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "complete -o bashdefault -o default -F _isometrics isometrics\n"


def limited(kilobytes, *words):
    command = f'ulimit -v {kilobytes}; exec "$0" -m isometrics "$@"'
    return subprocess.run(
        ["bash", "-c", command, sys.executable, *words], capture_output=True, text=True, check=False
    )


def test_too_little_address_space_is_said_before_libraries_crash(tmp_path):
    (tmp_path / "small.csv").write_text(SMALL)
    done = limited(500_000, "summary", str(tmp_path / "small.csv"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "isometrics: the address space is limited to 512 MB, too little to load libraries; "
        "allow 1000 MB or more with ulimit -v\n"
    )


def test_help_needs_little_address_space():
    assert limited(500_000, "--version").stdout == "0.2.0\n"


@pytest.mark.parametrize("limit", [-1, 10**6])
def test_address_space(monkeypatch, capsys, limit):
    monkeypatch.setattr(running.resource, "getrlimit", lambda _: (limit, -1))
    assert run(["x"], lambda _: 0) == (0 if limit < 0 else 2)
    assert ("address space" in capsys.readouterr().err) == (limit > 0)


def test_systems_without_such_limits(monkeypatch):
    monkeypatch.setattr(running, "resource", None)
    assert run(["x"], lambda _: 0) == 0


def test_windows_that_matplotlib_does_not_know(tmp_path):
    """No command opens a window, so what a user prefers is left aside."""
    file = tmp_path / "small.csv"
    file.write_text(SMALL)
    subprocess.run(
        [sys.executable, "-m", "isometrics", "plot", str(file), "-o", str(tmp_path / "pr.png")],
        check=True,
        env=os.environ | {"MPLBACKEND": "bogus"},
    )
    assert (tmp_path / "pr.png").exists()


# ---------------------------------------------------------------------- before NumPy is loaded

VARIABLE = "NPY_DISABLE_CPU_FEATURES"
ZEN_4 = "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nflags\t\t: fpu avx2 avx512f sse4a\n"


@pytest.fixture
def before_numpy(monkeypatch):
    monkeypatch.delitem(sys.modules, "numpy")
    monkeypatch.setattr(os, "environ", {})


@pytest.mark.usefixtures("before_numpy")
@pytest.mark.parametrize(
    ("text", "disabled"),
    [
        (ZEN_4, True),
        (ZEN_4 + "\n" + ZEN_4, True),
        (ZEN_4.replace("avx512f ", ""), False),
        (ZEN_4.replace("25", "26"), False),
        (ZEN_4.replace("AuthenticAMD", "GenuineIntel"), False),
        ("Processor: something else\n", False),
    ],
)
def test_only_the_processors_that_need_it(tmp_path, text, disabled):
    description = tmp_path / "cpuinfo"
    description.write_text(text)
    prefer_fast_sort(description)
    assert (VARIABLE in os.environ) == disabled


@pytest.mark.usefixtures("before_numpy")
def test_systems_without_a_description(tmp_path):
    prefer_fast_sort(tmp_path / "missing")
    assert VARIABLE not in os.environ


@pytest.mark.usefixtures("before_numpy")
def test_what_the_user_set_stays(tmp_path):
    description = tmp_path / "cpuinfo"
    description.write_text(ZEN_4)
    os.environ[VARIABLE] = "AVX2"
    prefer_fast_sort(description)
    assert os.environ[VARIABLE] == "AVX2"


@pytest.mark.usefixtures("before_numpy")
class CLibrary:
    """Takes note of what it is asked for."""

    def __init__(self):
        self.asked, self.answer = {}, 1

    def mallopt(self, name, value):
        self.asked[name] = value
        return self.answer


@pytest.fixture
def c_library(before_numpy, monkeypatch):
    """Replace the C library of a process that has not loaded NumPy."""
    del before_numpy
    library = CLibrary()
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    return library


def test_only_a_process_of_its_own_is_tuned(c_library, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", pytest)
    tune()
    assert c_library.asked == {}
    assert VARIABLE not in os.environ
    monkeypatch.delitem(sys.modules, "numpy")
    tune()
    assert c_library.asked


@pytest.mark.parametrize("answer", [0, 1])
def test_freed_memory_is_kept_where_the_library_agrees(c_library, answer):
    c_library.answer = answer
    assert keep_freed_memory() == bool(answer)
    assert c_library.asked[-3] == 64 << 20


@pytest.mark.parametrize("variable", ["MALLOC_ARENA_MAX", "GLIBC_TUNABLES"])
def test_settings_of_the_user_for_memory_stay(c_library, variable):
    os.environ[variable] = "1"
    assert not keep_freed_memory()
    assert c_library.asked == {}


@pytest.mark.usefixtures("before_numpy")
@pytest.mark.parametrize("error", [AttributeError, TypeError])
def test_other_libraries_are_left_alone(monkeypatch, error):
    def load(_):
        raise error

    monkeypatch.setattr(ctypes, "CDLL", load)
    assert not keep_freed_memory()


@pytest.mark.usefixtures("before_numpy")
@pytest.mark.skipif(sys.platform != "linux", reason="other systems clear pages in other ways")
def test_large_arrays_that_follow_each_other_take_the_same_pages():
    """In processes of their own: what one sets, no other can take back."""
    code = """
import resource, sys
from isometrics.cli import running
kept = sys.argv[1] == "kept" and running.keep_freed_memory()
import numpy as np
start = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(50):
    np.ones(5_000_000)
print(int(kept), resource.getrusage(resource.RUSAGE_SELF).ru_minflt - start)
"""
    environment = {"PATH": os.defpath, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}

    def faults(word):
        command = [sys.executable, "-c", code, word]
        found = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        return map(int, found.stdout.split())

    (kept, few), (_, many) = faults("kept"), faults("given back")
    if kept:
        assert few * 4 < many


@pytest.mark.usefixtures("before_numpy")
@pytest.mark.parametrize("backend", ["bogus", "module://inline", None])
def test_the_choice_of_a_notebook_stays(monkeypatch, backend):
    monkeypatch.delitem(sys.modules, "matplotlib", raising=False)
    monkeypatch.delenv("MPLBACKEND", raising=False)
    if backend is not None:
        monkeypatch.setenv("MPLBACKEND", backend)
    running.tune()
    assert os.environ.get("MPLBACKEND") == (None if backend == "bogus" else backend)


@pytest.mark.parametrize(
    "file", ["no.csv", "no.CSV.GZ", "no/*.pq", "no.xlsx", "no.xlsm", "no.arff", "no.npz", "no.list"]
)
def test_a_missing_file_after_values_is_told_by_its_suffix(call, file):
    """Every suffix that is read, and not only some of them."""
    done = call("summary", "--scores", "good", file, code=2)
    assert f"isometrics: cannot read '{file}': " in done.err


@pytest.mark.parametrize("word", ["bad", "csv", ".csv", "v1.2", "no.pkl"])
def test_other_words_after_values_are_values(call, word):
    assert "cannot read" not in call("summary", "--scores", "good", word, code=2).err
