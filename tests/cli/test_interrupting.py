"""Ctrl-C and other deadly signals: a command cleans up, says so and ends."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest
from pyarrow.csv import write_csv

from isometrics.cli.running import run


@pytest.fixture
def hang_ups_end_programs():
    """Under nohup, programs that the tests start would ignore them, as they should."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("hang_ups_end_programs")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_deadly_signals_are_interrupts_within_a_command_alone(capsys, number):
    assert signal.getsignal(number) is signal.SIG_DFL
    assert run(["x"], lambda _: signal.raise_signal(number)) == 128 + number
    assert signal.getsignal(number) is signal.SIG_DFL
    assert capsys.readouterr().err == f"isometrics: ended by {number.name}\n"


def test_what_nohup_ignores_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert run(["x"], lambda _: signal.raise_signal(signal.SIGHUP)) == 0
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_command_runs_in_another_thread_than_the_main_one():
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(run, ["x"], lambda _: 0).result() == 0


SLOW = """
import sys, time
from contextlib import contextmanager
from isometrics.cli import main, output

def slowly(done, total):
    print("ready", file=sys.stderr, flush=True)
    time.sleep(5)

@contextmanager
def meter(task, **_):
    yield slowly

output.meter = meter
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
