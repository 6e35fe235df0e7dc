"""Answers: JSON for programs, tables and progress for people, and text is never a command."""

import io
import json
import math
import sys
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isometrics.cli import main, output
from isometrics.cli.output import Part, answer, cell, meter, note, records

MARKUP = "[red]x[/red]"
ESCAPE = "a\x1b[31mb\nc"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def drawn(monkeypatch, *parts):
    monkeypatch.setenv("COLUMNS", "80")
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", Terminal())
        answer({}, parts, as_json=False)
        return sys.stdout.getvalue()


def test_json_has_no_nan_and_no_infinity(capsys):
    values = np.array([0.1, math.nan, math.inf, -math.inf])
    part = Part("points", "a title", {"x": values, "names": ["a", None, MARKUP, "β"]})
    answer({"description": "d"}, [part], as_json=True)
    assert json.loads(capsys.readouterr().out, parse_constant=pytest.fail) == {
        "description": "d",
        "points": [
            {"x": 0.1, "names": "a"},
            {"x": None, "names": None},
            {"x": "Infinity", "names": MARKUP},
            {"x": "-Infinity", "names": "β"},
        ],
    }


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "utf-8", "cp1252"])
def test_json_is_valid_in_every_encoding(monkeypatch, encoding):
    name = "modèle €😀\udc80"
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="backslashreplace")
    monkeypatch.setattr(sys, "stdout", stream)
    answer({"name": name}, [], as_json=True)
    stream.flush()
    assert json.loads(stream.buffer.getvalue().decode(encoding)) == {"name": name}
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    answer({"name": "è"}, [], as_json=True)
    assert '"\\u00e8"' in sys.stdout.getvalue()
    if encoding == "utf-8":
        assert "modèle €😀".encode() in stream.buffer.getvalue()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=20))
def test_json_keeps_every_bit(values):
    text = json.dumps([record["x"] for record in records({"x": np.array(values)})])
    assert np.array_equal(np.array(json.loads(text), float), np.array(values))


def test_other_types_become_text():
    assert output.plain(np.datetime64("2020-01-01")) == "2020-01-01"
    assert output.plain(np.True_) is True
    assert output.plain(1 + 2j) == "(1+2j)"
    assert output.plain((1, (math.nan, "a"))) == [1, [None, "a"]]


@pytest.mark.parametrize("text", [MARKUP, ESCAPE, ":smile:", "http://a.b"])
def test_text_is_shown_as_it_is(monkeypatch, capsys, text):
    part = Part("t", text, {text: [text]}, notes=[text])
    answer({}, [part], as_json=False)
    for shown in (drawn(monkeypatch, part), capsys.readouterr().out):
        assert shown.count(cell(text)) == 4
        assert "\x1b" not in shown


def test_people_see_every_row_of_what_is_meant_for_them(capsys):
    parts = [
        Part("t", "one", {"a": [1], "b": [2]}, shown={"a": [1]}, notes=["a note"]),
        Part(
            "t", "two", {"c": [f"row {k}" for k in range(30)], "x": [*range(28), "*1.5", "2 ± 1"]}
        ),
    ]
    answer({}, parts, as_json=False)
    out = capsys.readouterr().out
    assert out.startswith("one\na\n1\na note\n\ntwo\nc           x\nrow 0       0\n")
    assert out.endswith("row 28   *1.5\nrow 29  2 ± 1\n")
    assert out.count("row") == 30


def test_a_table_that_is_too_wide_is_turned(monkeypatch):
    columns = {"model": ["a", "a"]} | {f"measure {k}": [k, 10 + k] for k in range(9)}
    lines = drawn(monkeypatch, Part("t", "wide", columns)).splitlines()
    words = [line.split() for line in lines]
    assert ["model", "a", "a"] in words
    assert ["measure", "8", "8", "18"] in words
    assert max(map(len, lines)) <= 80


def test_notes_go_to_the_messages(capsys):
    note(f"label: {ESCAPE}")
    assert capsys.readouterr() == ("", "label: a\\x1b[31mb c\n")


def appear(monkeypatch):
    """Let messages go to a terminal; pytest would take back what a fixture puts in their place."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(output, "PATIENCE", 0.01)
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
    quick = appear(monkeypatch)
    monkeypatch.setattr(output, "PATIENCE", 60)
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
