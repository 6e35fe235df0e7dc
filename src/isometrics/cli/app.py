"""The commands of `isometrics`, in the order in which help lists them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from cyclopts import App

import isometrics
from isometrics.cli.apply import apply
from isometrics.cli.calibrate import calibrate
from isometrics.cli.compare import compare
from isometrics.cli.convert import convert
from isometrics.cli.curve import curve
from isometrics.cli.demo import demo
from isometrics.cli.doctor import doctor
from isometrics.cli.plot import plot
from isometrics.cli.report import report
from isometrics.cli.serve import serve
from isometrics.cli.study import study
from isometrics.cli.summary import summary
from isometrics.cli.thresholds import thresholds
from isometrics.cli.tradeoff import tradeoff
from isometrics.cli.verdict import verdict

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS: tuple[Callable[..., int | None], ...] = (
    verdict,
    summary,
    thresholds,
    apply,
    compare,
    tradeoff,
    curve,
    calibrate,
    plot,
    report,
    serve,
    convert,
    demo,
    doctor,
)

EXIT_CODES = """\
Exit codes:
  0    fine
  1    a defect of isometrics; run again with --debug and report it
  2    a file or an option that cannot be used
  129  ended by SIGHUP
  130  interrupted with Ctrl-C
  143  ended by SIGTERM"""


class _App(App):
    """An application whose bash completion goes on with the names of files."""

    def generate_completion(self, **options: Any) -> str:
        """Return the script; where it knows no word, bash completes as it does without it."""
        script: str = super().generate_completion(**options)
        return re.sub("^complete -F", "complete -o bashdefault -o default -F", script, flags=re.M)


app = _App(
    name="isometrics",
    help="Precision-recall analysis of prediction files: verdicts, areas, thresholds, reports.",
    help_format="plaintext",
    help_epilogue=EXIT_CODES,
    version=isometrics.__version__,
    exit_on_error=False,
    print_error=False,
    result_action="return_value",
    suppress_keyboard_interrupt=False,
)
for place, command in enumerate(COMMANDS):
    app.command(command, sort_key=place)
study.sort_key = len(COMMANDS)
app.command(study)
app.register_install_completion_command(help="Install completion for the shell in use.")
