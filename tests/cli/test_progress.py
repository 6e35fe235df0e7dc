"""Progress: nothing at first, nothing for programs, then rows and rows a second."""

import io
import sys
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

from isometrics.cli import main, output
from isometrics.cli.output import meter


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def settings(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(output, "PATIENCE", 0.01)


def appear(monkeypatch):
    """Let messages go to a terminal; pytest would take back what a fixture puts in their place."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    return terminal


def wait_for(text, terminal):
    deadline = time.monotonic() + 30
    while text not in terminal.getvalue():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_rows_appear_when_it_takes_long(monkeypatch):
    terminal = appear(monkeypatch)
    with meter("reading [red]") as progress:
        progress(1500, 3000)
        wait_for("1,500 rows", terminal)
    assert "reading [red]" in terminal.getvalue()
    # Without rows there is a sign of life.
    with meter("drawing", unit="items"):
        wait_for("drawing", terminal)
    monkeypatch.setattr(output, "PATIENCE", 60)
    quick = appear(monkeypatch)
    with meter("reading") as progress:
        progress(10, 10)
    assert quick.getvalue() == ""


def test_programs_see_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    before = threading.active_count()
    with meter("reading") as progress:
        progress(1, 2)
        assert threading.active_count() == before
    assert sys.stderr.getvalue() == ""


def test_the_bar_goes_away_on_an_error(monkeypatch):
    terminal = appear(monkeypatch)
    with pytest.raises(RuntimeError), meter("reading"):  # noqa: PT012
        wait_for("reading", terminal)
        raise RuntimeError
    # The last thing drawn makes the cursor visible and clears the line.
    assert "\x1b[?25h" in terminal.getvalue()


COMMANDS = (
    ("summary", "--confidence", "0.9", "--resamples", "50"),
    ("summary",),
    ("compare", "--confidence", "0.9", "--resamples", "50"),
    ("compare",),
    ("report", "--confidence", "0.9", "--resamples", "50", "-o", "page.html"),
    ("plot", "--confidence", "0.9", "--resamples", "50", "--space", "roc", "pr", "-o", "a.svg"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_there_is_one_bar_at_a_time_and_it_ends_full(command, tmp_path, monkeypatch):
    """Two bars at once overwrite each other, and a bar without a total has no estimate."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    labels = rng.random(120) < 0.4
    rows = zip(labels.astype(int), rng.random(120), rng.random(120), "xy" * 60, strict=True)
    lines = [f"{label},{first:.3f},{second:.3f},{site}" for label, first, second, site in rows]
    (tmp_path / "p.csv").write_text("\n".join(["y,a,b,site", *lines]))
    told, running = {}, []

    @contextmanager
    def watched(task, **_):
        assert not running
        running.append(task)
        told[task] = (0, None)
        yield lambda *rows: told.update({task: rows})
        running.remove(task)

    for module in ("options", "summary", "curves", "verdict"):
        monkeypatch.setattr(f"isometrics.cli.{module}.meter", watched)
    assert main([command[0], "p.csv", "--group", "site", *command[1:]]) == 0
    assert len(told) >= 2
    assert all(done == total for done, total in told.values() if total is not None)
    unknown = {task for task, (_, total) in told.items() if total is None}
    assert unknown <= {"reading", "drawing bands"}
