"""The commands of `isometrics`, by task, in the order in which help lists them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from cyclopts import App, Group

import isometrics
from isometrics.cli.apply import apply
from isometrics.cli.calibrate import calibrate
from isometrics.cli.compare import compare
from isometrics.cli.convert import convert
from isometrics.cli.curve import curve
from isometrics.cli.demo import demo
from isometrics.cli.doctor import doctor
from isometrics.cli.help import MORE, help_, unwrapped
from isometrics.cli.plot import plot
from isometrics.cli.report import report
from isometrics.cli.serve import serve
from isometrics.cli.summary import summary
from isometrics.cli.thresholds import thresholds
from isometrics.cli.tradeoff import tradeoff
from isometrics.cli.verdict import verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    Command = Callable[..., int | None]

TASKS: dict[str, tuple[Command, ...]] = {
    "Decide": (verdict, summary, thresholds, apply, compare),
    "Look": (report, serve, plot, curve, tradeoff),
    "Prepare files": (convert, calibrate),
    "Learn and check": (demo, help_, doctor),
}

COMMANDS = tuple(command for commands in TASKS.values() for command in commands)

EXAMPLES = """\
Precision-recall analysis of prediction files: verdicts, areas, thresholds, reports.

For example:
  isometrics verdict FILE   which model, which threshold
  isometrics report FILE    a page to look at and to share
  isometrics help files     what a FILE looks like"""


class _App(App):
    """An application whose completion goes on with the names of files."""

    def generate_completion(self, **options: Any) -> str:
        """Return the script; where it knows no word, bash and zsh complete files, as fish does."""
        script: str = super().generate_completion(**options)
        script = re.sub("^complete -F", "complete -o bashdefault -o default -F", script, flags=re.M)
        if not script.startswith("#compdef"):
            return script
        # What zsh is to complete stands behind a second colon; where it does not, it is nothing.
        positional = r"^(\s+'(?:\d+|\*):(?:[^':\\]|\\.)*)'"
        option = r"^(\s+'\*?-[\w-]+\[(?:[^'\\\]]|\\.)*\]:[\w-]+)'"
        for pattern in (positional, option):
            script = re.sub(pattern, r"\1:_files'", script, flags=re.M)
        return script


app = _App(
    name="isometrics",
    help=EXAMPLES,
    help_format="plaintext",
    help_epilogue=MORE,
    group_commands=Group("Options", sort_key=len(TASKS)),
    version=isometrics.__version__,
    exit_on_error=False,
    print_error=False,
    result_action="return_value",
    suppress_keyboard_interrupt=False,
)
for position, (task, commands) in enumerate(TASKS.items()):
    group = Group(task, sort_key=position)
    for number, command in enumerate(commands):
        name = command.__name__.rstrip("_")
        app.command(unwrapped(command), name=name, sort_key=number, group=group)
app.register_install_completion_command(help="Install completion for the shell in use.")
