"""The command `isometrics`: prediction files in, tables, pictures and reports out.

The modules of this package import nothing heavy at their top, so that help appears at once.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    arguments
        The words of the command line; by default those of this process.

    Examples
    --------
    >>> from isometrics.cli import main
    >>> main(["--version"])
    0.2.0
    0
    """
    try:
        from isometrics.cli.running import run

        return run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        # The first moment belongs to loading the command.
        print("isometrics: interrupted", file=sys.stderr)
        return 130
