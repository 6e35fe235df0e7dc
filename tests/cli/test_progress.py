"""Progress: nothing at first, nothing for programs, then rows and rows a second."""

import io
import sys
import threading
import time

import numpy as np
import pytest
from rich.console import Console

from isometrics.cli import main
from isometrics.cli.output import Meter


def drawn_by(meter, console, *, until):
    """Return what a meter has drawn when some text has appeared."""
    deadline = time.monotonic() + 30
    while until not in console.file.getvalue():
        assert time.monotonic() < deadline
        time.sleep(0.01)
        meter(1500, 3000)
    return console.file.getvalue()


@pytest.fixture
def console():
    return Console(file=io.StringIO(), force_terminal=True, width=100, _environ={})


def test_rows_and_rates_appear_when_it_takes_long(console):
    with Meter("reading [red]", patience=0, console=console) as meter:
        drawn = drawn_by(meter, console, until="rows/s")
    assert "1,500 rows, " in drawn
    assert "reading [red]" in drawn


def test_other_things_than_rows_are_counted(console):
    with Meter("drawing", unit="items", patience=0, console=console) as meter:
        assert "1,500 items, " in drawn_by(meter, console, until="items/s")


def test_without_rows_there_is_a_sign_of_life(console):
    with Meter("reading", patience=0, console=console) as meter:
        drawn = drawn_by(lambda *_: None, console, until="reading")
        assert "rows" not in drawn
        meter(0)


def test_what_is_quick_shows_nothing(console):
    with Meter("reading", patience=60, console=console) as meter:
        meter(10, 10)
    assert console.file.getvalue() == ""


def test_what_was_done_before_it_appears_counts(console):
    with Meter("reading", patience=0.05, console=console) as meter:
        meter(7)
        assert "7 rows" in drawn_by(lambda *_: None, console, until="rows/s")


@pytest.mark.parametrize("quiet", [True, False])
def test_programs_see_nothing(monkeypatch, quiet):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    before = threading.active_count()
    with Meter("reading", quiet=quiet, patience=0) as meter:
        meter(1, 2)
        assert threading.active_count() == before
    assert sys.stderr.getvalue() == ""


def test_a_terminal_is_the_default(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Meter("reading", patience=0) as meter:
        drawn_by(meter, Console(stderr=True), until="rows/s")


def test_the_bar_goes_away_on_an_error(console):
    with pytest.raises(RuntimeError), Meter("reading", patience=0, console=console) as meter:  # noqa: PT012
        drawn_by(meter, console, until="rows/s")
        raise RuntimeError
    # The last thing drawn makes the cursor visible and clears the line.
    assert "\x1b[?25h" in console.file.getvalue()


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

    class Watched(Meter):
        def __enter__(self):
            assert not running
            running.append(self)
            return super().__enter__()

        def __exit__(self, *error):
            running.remove(self)
            told[self._task] = self._rows
            super().__exit__(*error)

    for module in ("options", "summary", "compare", "report", "plot", "verdict"):
        monkeypatch.setattr(f"isometrics.cli.{module}.Meter", Watched)
    assert main([command[0], "p.csv", "--group", "site", *command[1:]]) == 0
    assert len(told) >= 2
    assert all(done == total for done, total in told.values() if total is not None)
    unknown = {task for task, (_, total) in told.items() if total is None}
    assert unknown <= {"reading", "drawing bands"}
