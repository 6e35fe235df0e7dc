"""`isometrics help`: a page for each command, and one for each topic that several share."""

from __future__ import annotations

from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING

from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

TASKS: Mapping[str, Mapping[str, str]] = {
    "Decide": {
        "verdict": "Which model, which threshold, and how sure",
        "summary": "All areas, baselines, the best thresholds",
        "thresholds": "The best thresholds for F, costs, constraints",
        "apply": "Flag the rows of a file by a saved rule",
        "compare": "Who is best for which weight of recall",
    },
    "Look": {
        "report": "All of it as one HTML page, to share",
        "serve": "The same page in the browser, until Ctrl-C",
        "plot": "Pictures of one space or several",
        "curve": "The points of a curve, as a file",
        "tradeoff": "The best threshold by the weight of recall",
    },
    "Prepare files": {
        "convert": "Write predictions in another format",
        "calibrate": "Learn calibrated scores, or apply them",
    },
    "Learn and check": {
        "demo": "Simulate two fraud models, and choose one",
        "help": "Explain a topic or a command",
        "doctor": "What is installed, and whether it works",
    },
}
"""The commands by task, with what each is for."""
COMMANDS = tuple(name for commands in TASKS.values() for name in commands)

TOPICS = ("files", "objectives", "certainty", "words", "rules", "exit-codes")
"""What several commands have in common; each is a text in the folder `topics`."""


_LISTED = "".join(
    f"\n{task}:\n" * (name == next(iter(commands))) + f"  {name:<12}{what}\n"
    for task, commands in TASKS.items()
    for name, what in commands.items()
)
PAGE = f"""\
Usage: isometrics COMMAND

Precision-recall analysis of prediction files.

For example:
  isometrics verdict FILE   which model, which threshold
  isometrics report FILE    a page to look at and to share
  isometrics help files     what a FILE looks like
{_LISTED}
Options:
  --help (-h)           What you are reading
  --install-completion  Install completion for the shell
  --version             Print the version"""
"""What help prints first, in lines of 60 characters or less."""

MORE = f"More: isometrics help TOPIC, where TOPIC is {', '.join(TOPICS)} or a command."


def print_page() -> None:
    """Print what the command can do; no library is loaded for it."""
    print(PAGE, fill(MORE, get_terminal_size().columns), sep="\n\n")


def help_(topic: str | None = None, /) -> None:
    """Explain a topic or a command; without one, list both.

    For example:
      isometrics help objectives
      isometrics help verdict

    Parameters
    ----------
    topic
        files, objectives, certainty, words, rules, exit-codes, or the name of a command.
    """
    if not topic:
        print_page()
    elif topic in TOPICS:
        from pathlib import Path

        print((Path(__file__).parent / "topics" / f"{topic}.txt").read_text("utf-8"), end="")
    elif topic in COMMANDS:
        from isometrics.cli.running import application

        application(topic).help_print([topic])
    else:
        raise ParameterError(
            f"there is no topic or command {topic!r}; topics are {', '.join(TOPICS)}, and "
            "isometrics --help lists the commands"
        )
