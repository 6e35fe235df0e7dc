"""The command's answers are those of a small reader that shares no code with it."""

import os

import pytest

from . import differential
from .differential import REFUSED, Case, difference, made, run

FILES = int(os.environ.get("ISOMETRICS_FUZZED", "150"))


def test_the_command_agrees_with_a_second_reader(tmp_path):
    assert run(tmp_path, range(FILES), int(os.environ["ISOMETRICS_SEED"])) == []


def case(data, name="p.csv", **roles):
    defaults = {"scores": ["s"], "positive": "1", "weight": False, "group": False}
    return Case(name, data, defaults | roles)


def late(odd, rows=20_480):
    """Return rows that look like whole numbers until the last ones."""
    return b"y,s\n" + b"0,0\n1,0\n" * (rows // 2) + b"".join(b"%d,%s\n" % pair for pair in odd)


@pytest.mark.parametrize(
    "data",
    [
        late([(1, b".6"), (0, b".4"), (1, b".9")]),
        b"y,s\n#,1\n1,0.5\n0,0.25\n#,0.3\n",
        b"id,y,s\n1,1,0.5\n#2,0,0.75\n3,0,0.25\n",
        b"y,s\n1,0.5\n0,0.25\n1,\n",
        b"s,y,note\n.7,1,a\n.3,0,b\n.3,1,'\n.7,0,'\n",
    ],
)
def test_files_that_were_read_wrongly(tmp_path, data):
    assert difference(case(data), tmp_path) is None


def test_weights_and_groups_that_change_late(tmp_path):
    rows = b"".join(b"%d,%d,1,1\n" % (k % 2, k % 7) for k in range(20_482))
    data = b"y,s,w,g\n" + rows + b"1,3,0.25,1.4\n0,5,0.25,1.4\n"
    assert difference(case(data, weight=True, group=True), tmp_path) is None


ALL = ("s", "(all rows)")


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        (b"y,s\n1,0.5\n0,0.25\n", REFUSED),
        (b"y,s\n1,0.5\n0,0.25\n", {ALL: (1.0, 1.0, 1.0, 1.0 - 1e-9)}),
        (b"y,s\n1,0.5\n0,0.25\n", {ALL: (1.0, 2.0, 1.0, 1.0)}),
        (b"y,s\n1,0.5\n0,0.25\n", {ALL: (1.0, 1.0, 1.0, 1.0), ("s", "x"): (1.0, 1.0, 1.0, 1.0)}),
        (b"y,s\n1,\n0,0.25\n", {ALL: (1.0, 1.0, 1.0, 1.0)}),
    ],
)
def test_a_wrong_answer_is_noticed(tmp_path, monkeypatch, data, wrong):
    assert difference(case(data), tmp_path) is None
    monkeypatch.setattr(differential, "command", lambda *_: wrong)
    assert difference(case(data), tmp_path)


def test_there_are_files_of_every_kind():
    traits = {trait for number in range(200) for trait in made(3, number).traits}
    formats = {"csv", "tsv", "semicolon", "gz", "jsonl", "jsonl.gz", "parquet"}
    assert formats | {"late", "ids"} <= traits
