"""Answers: JSON for programs, tables for people, and a user's text is never a command."""

import io
import json
import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isometrics.cli import output
from isometrics.cli.output import Part, answer, cell, note, records

MARKUP = "[red]x[/red]"
ESCAPE = "a\x1b[31mb\nc"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def drawn(monkeypatch, *parts):
    """Return what appears on a terminal of 80 columns."""
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
