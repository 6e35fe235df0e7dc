"""The command line of `isometrics`, of which a command loads no other."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from cyclopts import App, Group

import isometrics
from isometrics.cli.help import COMMANDS, MORE, PAGE, unwrapped

if TYPE_CHECKING:
    from collections.abc import Callable


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


@cache
def function_of(command: str) -> Callable[..., int | None]:
    """Return the function of a command, which has its name and lies in the module of its name."""
    module = import_module(f"isometrics.cli.{command}")
    function: Callable[..., int | None] = getattr(module, command + "_" * (command == "help"))
    return unwrapped(function)


@cache
def application(only: str = "") -> App:
    """Return the application, with one of its commands or, where there is none such, with all."""
    app = _App(
        name="isometrics",
        usage="",
        help=PAGE,
        help_format="plaintext",
        help_epilogue=MORE,
        # The page above lists them.
        group_commands=Group("Commands", help_formatter=lambda *_: None),
        version=isometrics.__version__,
        exit_on_error=False,
        print_error=False,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for name in [only] if only in COMMANDS else COMMANDS:
        app.command(function_of(name), name=name)
    app.register_install_completion_command(help="Install completion for the shell in use.")
    return app
