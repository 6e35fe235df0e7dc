"""Help: topics, commands by task, lines that break where the terminal ends."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from isometrics import measures
from isometrics.cli import help as help_module
from isometrics.cli import main
from isometrics.cli.help import COMMANDS, PAGE, TASKS, TOPICS
from isometrics.cli.running import application, unwrapped

app = application()
FOLDER = Path(help_module.__file__).parent / "topics"
TEXTS = {topic: (FOLDER / f"{topic}.txt").read_text("utf-8") for topic in TOPICS}
EXAMPLE = re.compile(r"^  (isometrics .*)$", re.MULTILINE)


def told(capsys, *words):
    assert main(list(words)) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_fits_a_narrow_terminal(capsys, topic):
    printed = told(capsys, "help", topic)
    assert printed == TEXTS[topic]
    assert max(map(len, printed.splitlines())) <= 80


def test_texts_of_topics_name_what_exists():
    assert {path.stem for path in FOLDER.iterdir()} == {*TOPICS}
    areas = [measures.AUROC.name, measures.AUPR.name, measures.AUPRG.name]
    assert re.findall(r"^AU\w+", TEXTS["words"], re.MULTILINE) == areas
    examples = [each for text in TEXTS.values() for each in EXAMPLE.findall(text)]
    assert len(examples) >= 8
    for example in examples:
        command, bound, _ = app.parse_args(shlex.split(example)[1:], print_error=False)
        assert bound.arguments, (command, example)
    options = {
        name
        for command in app
        if not command.startswith("-")
        for argument in app[command].assemble_argument_collection()
        for name in argument.names
    }
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", "\n".join(TEXTS.values())))
    assert len(named) >= 15
    assert named - options == {"--help"}


def test_all_ways_to_ask_give_the_same(capsys):
    page = told(capsys, "--help")
    assert all(topic in page for topic in TOPICS)
    assert all(topic in told(capsys, "help", "help") for topic in TOPICS)
    for words in ([], ["-h"], ["help"], ["--json", "--help"]):
        assert told(capsys, *words) == page
    assert told(capsys, "help", "verdict") == told(capsys, "verdict", "--help")


def test_commands_are_listed_by_task(capsys):
    page = told(capsys, "--help")
    places = [page.index(f"\n{task}:\n") for task in TASKS]
    assert places == sorted(places)
    assert {name for name in app if not name.startswith("-")} == {*COMMANDS}
    for command in COMMANDS:
        assert re.search(rf"^  {command} ", page, re.MULTILINE), command
    assert {name for name in application("verdict") if not name.startswith("-")} == {"verdict"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_examples(capsys, command):
    assert f"  isometrics {command}" in told(capsys, command, "--help")


@pytest.mark.parametrize("width", ["60", "80", "120"])
def test_help_fits_the_terminal(width):
    # In a process of its own: a console that was made before keeps its width.
    page = subprocess.run(
        [sys.executable, "-m", "isometrics", "--help"],
        env=os.environ | {"COLUMNS": width, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout
    assert max(map(len, page.splitlines())) <= int(width)
    assert all(len(line) <= 60 for line in PAGE.splitlines())


def test_paragraphs_are_joined_and_examples_stay():
    def command():
        """Do it.

        A long paragraph
        goes on here.

        For example:
          isometrics one

        Parameters
        ----------
        first
            Its meaning,
            in two lines.
        """

    assert unwrapped(command).__doc__ == (
        "Do it.\n\nA long paragraph goes on here.\n\n"
        "For example:\n  isometrics one\n\n"
        "Parameters\n----------\nfirst\n    Its meaning, in two lines."
    )
