"""Ctrl-C: the block ends by itself, or the process ends a moment later."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pyarrow as pa
import pytest
from pyarrow.csv import write_csv

from isometrics._core.writing import whole_file
from isometrics.cli.running import prompt_interrupts
from isometrics.errors import FileError


def test_a_block_that_ends_in_time_is_left_alone():
    ends = []
    with pytest.raises(KeyboardInterrupt), prompt_interrupts(ends.append, grace=30):  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        time.sleep(30)
    assert ends == []


def test_a_block_that_does_not_listen_is_ended(tmp_path, capsys):
    ended = threading.Event()
    codes = []

    def end(code):
        codes.append(code)
        ended.set()

    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        # The file is gone before the block ends, and so cannot be completed.
        with (  # noqa: PT012
            prompt_interrupts(end, grace=0.01),
            pytest.raises(FileError, match="no such file"),
            whole_file(tmp_path / "out") as file,
        ):
            file.write("half")
            signal.raise_signal(signal.SIGINT)
            assert ended.wait(30)
    finally:
        signal.signal(signal.SIGINT, before)
    assert list(tmp_path.iterdir()) == []
    assert codes == [130]
    assert capsys.readouterr().err == "isometrics: interrupted\n"


def test_other_signals_end_nothing():
    ends, before = [], signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        with prompt_interrupts(ends.append, grace=0):
            signal.raise_signal(signal.SIGUSR1)
            time.sleep(0.05)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert ends == []


@pytest.fixture
def hang_ups_end_programs():
    """Under nohup, programs that the tests start would ignore them, as they should."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("hang_ups_end_programs")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_deadly_signals_are_raised_in_the_block_alone(number):
    assert signal.getsignal(number) is signal.SIG_DFL
    with pytest.raises(KeyboardInterrupt), prompt_interrupts(pytest.fail, grace=30) as heard:  # noqa: PT012
        signal.raise_signal(number)
        time.sleep(30)
    assert heard.number == number
    assert signal.getsignal(number) is signal.SIG_DFL


def test_what_nohup_ignores_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with prompt_interrupts(pytest.fail):
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_former_receiver_of_signals_is_restored():
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer)
    try:
        with prompt_interrupts():
            pass
        assert signal.set_wakeup_fd(-1) == writer
    finally:
        signal.set_wakeup_fd(-1)
        os.close(reader)
        os.close(writer)


def test_elsewhere_than_in_the_main_thread_nothing_is_changed():
    done = []

    def work():
        with prompt_interrupts():
            done.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(done) == 1


def test_compiled_code_that_never_listens(tmp_path):
    program = f"""
import numpy as np, sys
from isometrics.cli.running import prompt_interrupts
from isometrics._core.writing import whole_file
values = np.random.default_rng(0).random(40_000_000)
with prompt_interrupts(), whole_file({str(tmp_path / "out")!r}) as file:
    print("ready", flush=True)
    values.sort(kind="heapsort")
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout.readline() == b"ready\n"
    # Until the sort has begun, Python itself would listen.
    time.sleep(0.5)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == b"isometrics: interrupted\n"
    assert time.monotonic() - start < 10
    assert list(tmp_path.iterdir()) == []


SLOW = """
import sys, time
from isometrics.cli import main
from isometrics.cli.output import Meter

def slowly(self, done, total=None):
    print("ready", file=sys.stderr, flush=True)
    time.sleep(5)

Meter.__call__ = slowly
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.usefixtures("hang_ups_end_programs")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("command", ["summary", "convert"])
def test_a_command_is_interrupted(tmp_path, command, number):
    """In the midst of reading: no output, no file beside it, and no temporary file."""
    rows = 500_000
    rng = np.random.default_rng(0)
    columns = {"label": rng.integers(0, 2, rows), "score": rng.random(rows)}
    data, scratch, out = tmp_path / "data.csv", tmp_path / "scratch", tmp_path / "out"
    write_csv(pa.table(columns), data)
    for folder in (scratch, out):
        folder.mkdir()
    words = ["summary", "-"] if command == "summary" else ["convert", "-", out / "copy.parquet"]
    with data.open("rb") as source:
        process = subprocess.Popen(
            [sys.executable, "-c", SLOW, *words],
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"TMPDIR": str(scratch)},
        )
        assert process.stderr.readline() == b"ready\n"
        assert list(scratch.iterdir())
        process.send_signal(number)
        start = time.monotonic()
        printed, messages = process.communicate(timeout=60)
    # Python may end itself by the same signal, which shells call 130, too.
    assert process.returncode in (128 + number, -number), messages
    assert printed == b""
    said = "interrupted" if number == signal.SIGINT else f"ended by {number.name}"
    assert messages.decode().splitlines()[-1] == f"isometrics: {said}"
    # A second, with some to spare on a machine that is busy with other tests.
    assert time.monotonic() - start < 4
    assert [*scratch.iterdir(), *out.iterdir()] == []
