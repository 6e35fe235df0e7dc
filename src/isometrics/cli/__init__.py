"""The command `isometrics`: prediction files in, tables, pictures and reports out.

The modules of this package import nothing heavy at their top, so that help appears at once.
"""

from __future__ import annotations

from isometrics.cli.running import main

__all__ = ["main"]
