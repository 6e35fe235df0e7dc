"""A few hundred mutated files through every command, or as many as ``ISOMETRICS_FUZZED`` says.

Files and changes are drawn anew in every run, whose end prints the seed.
"""

import os

import pytest

from isometrics.cli import help as pages

from .fuzzing import COMMANDS, attempt, corpus, fuzz, judged, quietly

SEED = int(os.environ["ISOMETRICS_SEED"])
MUTATIONS = int(os.environ.get("ISOMETRICS_FUZZED", "300"))


def test_mutated_files_never_break_a_command(tmp_path):
    codes, failures = fuzz(tmp_path, MUTATIONS, SEED)
    assert failures == []
    # Enough files must survive for the commands themselves to be tried.
    assert codes[0] > MUTATIONS // 20
    assert codes[2] > MUTATIONS // 20


@pytest.mark.parametrize("name", corpus(SEED))
def test_the_files_are_valid_before_they_are_mutated(tmp_path, name):
    words = ["--pos-label", "y"] if name == "weka.csv" else []
    (tmp_path / name).write_bytes(corpus(SEED)[name])
    code, _, err = quietly(["summary", str(tmp_path / name), *words])
    assert code == 0, err


def test_every_command_is_tried():
    tried = {words[0] for words in COMMANDS}
    assert {*pages.COMMANDS} - tried == {"demo", "doctor", "help", "serve"}


def test_what_is_wrong_is_noticed(tmp_path):
    fine = ("", "isometrics: no\n", set(), {"out.csv"})
    assert judged(2, *fine) is None
    assert "exit code 1" in judged(1, *fine)
    assert "left" in judged(0, *fine)
    assert "left" in judged(2, "", "isometrics: no\n", {"out.csv"}, {"out.csv"})
    assert "traceback" in judged(2, "", "Traceback\n", set(), set())
    assert "control" in judged(0, "\x1b[31m", "", set(), set())
    assert "no plain sentence" in judged(2, "half a table", "isometrics: no\n", set(), set())
    data = b"label,score\n1,0.9\n0,0.2\n"
    problem, code = attempt(tmp_path / "run", "x.csv", data, ["curve", "-o", "OUT.csv"], None)
    assert (problem, code) == (None, 0)
