"""An error about an option has the name of the option, whatever Python calls the parameter."""

import pytest

import isometrics as iso
from isometrics.cli.help import COMMANDS
from isometrics.cli.running import application
from isometrics.measures import registered

WORDS = dict.fromkeys(COMMANDS, "grouped.csv") | {
    "apply": "rule.json grouped.csv",
    "calibrate": "grouped.csv -o map.json",
    "plot": "grouped.csv -o pr.png",
    "serve": "grouped.csv --no-open",
    "convert": "grouped.csv out.roc --scores good",
    **dict.fromkeys(("demo", "doctor", "help"), ""),
}
"""Every command, with what it needs."""

SURE = ["--confidence", "0.95"]
REFUSED = {
    "--beta": ["-1"],
    "--budget": ["-1"],
    "--column": ["good"],
    "--confidence": ["2"],
    "--cost": ["2"],
    "--decimal": [";"],
    "--dpi": ["5"],
    "--false-alarm-cost": ["-1", "--miss-cost", "1"],
    "--fold": ["nope"],
    "--from": ["excel"],
    "--group": ["nope"],
    "--index": ["nope"],
    "--kind": ["nope"],
    "--label": ["nope"],
    "--lambda": ["2"],
    "--measure": ["nope", *SURE],
    "--memory-limit": ["1B"],
    "--min-precision": ["2"],
    "--min-recall": ["-0.5"],
    "--max-fpr": ["1.5"],
    "--min-specificity": ["-1"],
    "--miss-cost": ["-1", "--false-alarm-cost", "1"],
    "--model": ["nope"],
    "--negatives": ["-1", "--positives", "3", "--from", "ROC"],
    "--objective": ["nope"],
    "--port": ["70000"],
    "--pos-label": ["nope"],
    "--positives": ["-1", "--negatives", "3", "--from", "ROC"],
    "--prevalence": ["2"],
    "--random-state": ["-1", *SURE],
    "--resamples": ["1", *SURE],
    "--scores": ["nope"],
    "--space": ["nope"],
    "--sure": ["2", "--min-recall", "0.5"],
    "--guarantee": ["2", "--min-recall", "0.5"],
    "--to": ["xlsx"],
    "--threshold": ["nan"],
    "--tolerance": ["2"],
    "--weight": ["nope"],
}
"""Of every option that refuses something, a value that it refuses, and what it needs for that."""

FILES = {"--apply", "--on", "--output", "--thresholds-from"}
TEXTS = {"--host", "--title"}
FLAGS = {
    *("--all", "--clusters", "--debug", "--drop-missing", "--explain", "--header", "--hull"),
    *("--isolines", "--json", "--open", "--pairs", "--quiet", "--strict"),
}


def options_of(command):
    arguments = application()[command].assemble_argument_collection()
    return {name for argument in arguments for name in argument.names if name.startswith("--")}


OPTIONS = {command: options_of(command) for command in WORDS}


def test_every_option_is_known_here():
    named = set().union(*OPTIONS.values())
    assert {name for name in named if not name.startswith("--no-")} == (
        REFUSED.keys() | FILES | TEXTS | FLAGS
    )


@pytest.mark.parametrize(
    ("command", "option"),
    [(command, name) for command, names in OPTIONS.items() for name in sorted(names & {*REFUSED})],
)
def test_an_error_has_the_name_of_the_option(call, grouped, monkeypatch, command, option):
    monkeypatch.chdir(grouped.parent)
    more = REFUSED[option]
    if command == "apply":
        iso.read_predictions(grouped).decision("good").save("rule.json")
    if command == "convert" and "ROC" in more:
        grouped.write_text("0.5 0.5\n")
    done = call(command, *WORDS[command].split(), option, *more, code=2)
    assert option in done.err.splitlines()[-1]


def test_an_option_that_a_format_lacks(call, tmp_path):
    (tmp_path / "model.list").write_text("0.5 1\n0.4 0\n")
    words = ["--from", "list", "--positives", "3"]
    done = call("convert", tmp_path / "model.list", tmp_path / "p.csv", *words, code=2)
    assert done.err.startswith("isometrics: --positives is not an option of list")


@pytest.mark.parametrize(
    "words",
    [
        ["FILE", "--scores", "good", "bad"],
        ["FILE", "--scores", "good", "--scores", "bad"],
        ["FILE", "--scores=good", "--scores=bad"],
        ["--quiet", "FILE", "--scores", "good", "bad"],
    ],
)
def test_several_scores(call, grouped, words):
    expected = call("thresholds", grouped, "--json").data["thresholds"]
    done = call("thresholds", *(grouped if word == "FILE" else word for word in words), "--json")
    assert done.data["thresholds"] == expected
    done = call("thresholds", grouped, "--scores", "A=good", "bad", "--json")
    assert {row["model"] for row in done.data["thresholds"]} == {"A", "bad"}


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        ("F1", "best F (β 1)"),
        ("f0.5", "best F (β 0.5)"),
        ("aupr", "AUPR"),
        ("AUPRG", "AUPRG"),
        ("Average_Precision", "average precision"),
        ("aupr, linear", "AUPR, linear"),
    ],
)
def test_a_measure_by_any_of_its_names(call, grouped, given, printed):
    done = call("compare", grouped, *SURE, "--resamples", "20", "--measure", given)
    assert f"by {printed} with" in done.out


def test_measures_are_listed_in_help_and_in_the_error(call, grouped, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    said = [call("compare", "--help").out, call("compare", grouped, "--measure", "AUC", code=2).err]
    for text in (" ".join(each.replace("│", " ").split()) for each in said):
        for measure in registered():
            assert repr(measure.name) in text
        assert "'F1'" in text
    assert said[1].startswith("isometrics: --measure must be names among 'AUROC', 'AUPR'")
