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


def printed(parts, capsys, **about):
    answer(about, parts, as_json=False)
    return capsys.readouterr().out


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
    if encoding == "utf-8":
        assert "modèle €😀".encode() in stream.buffer.getvalue()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_json_keeps_every_bit(values):
    text = json.dumps([record["x"] for record in records({"x": np.array(values)})])
    assert np.array_equal(np.array(json.loads(text), float), np.array(values))


def test_long_tables_are_complete():
    assert sum(record["x"] for record in records({"x": np.arange(25_000)})) == 25_000 * 24_999 // 2


def test_other_types_become_text():
    assert output.plain(np.datetime64("2020-01-01")) == "2020-01-01"
    assert output.plain(np.True_) is True
    assert output.plain(1 + 2j) == "(1+2j)"
    assert output.plain((1, (math.nan, "a"))) == [1, [None, "a"]]


def test_text_shows_every_row(capsys):
    part = Part("t", "a title", {"name": [f"row {k}" for k in range(30)], "x": np.arange(30.0)})
    lines = printed([part], capsys).splitlines()
    assert lines[:3] == ["a title", "name     x", "row 0    0"]
    assert len(lines) == 32


def test_people_see_what_is_meant_for_them(capsys):
    parts = [
        Part("t", "one", {"a": [1], "b": [2]}, shown={"a": [1]}, notes=["a note"]),
        Part("t", "two", {"c": [3]}),
    ]
    assert printed(parts, capsys) == "one\na\n1\na note\n\ntwo\nc\n3\n"


@pytest.mark.parametrize("text", [MARKUP, ESCAPE])
def test_piped_text_is_shown_as_it_is(capsys, text):
    out = printed([Part("t", text, {text: [text]}, notes=[text])], capsys)
    assert out.count(cell(text)) == 4
    assert "\x1b" not in out


@pytest.mark.parametrize("text", [MARKUP, ESCAPE, ":smile:", "http://a.b"])
def test_a_terminal_shows_text_as_it_is(monkeypatch, text):
    shown = drawn(monkeypatch, Part("t", text, {text: [text]}, notes=[text]))
    assert shown.count(cell(text)) == 4
    assert "\x1b" not in shown


def test_a_table_that_is_too_wide_is_turned(monkeypatch):
    columns = {"model": ["a", "a"]} | {f"measure {k}": [k, 10 + k] for k in range(9)}
    lines = drawn(monkeypatch, Part("t", "wide", columns)).splitlines()
    words = [line.split() for line in lines]
    assert ["model", "a", "a"] in words
    assert ["measure", "8", "8", "18"] in words
    assert max(map(len, lines)) <= 80


def test_numbers_stand_at_the_right(monkeypatch):
    part = Part("t", "t", {"name": ["a", "bcd"], "x": ["*1.5", "22.25 ± 0.5"]})
    lines = [line.rstrip() for line in drawn(monkeypatch, part).splitlines()]
    assert lines[-1].endswith("22.25 ± 0.5")
    assert lines[-2].endswith("       *1.5")


def test_a_stream_that_has_no_encoding(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    answer({"è": 1}, [], as_json=True)
    assert '"\\u00e8"' in sys.stdout.getvalue()


def test_notes_go_to_the_messages(capsys):
    note(f"label: {ESCAPE}")
    assert capsys.readouterr() == ("", "label: a\\x1b[31mb c\n")
