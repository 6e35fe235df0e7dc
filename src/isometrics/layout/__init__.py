"""Which column of a table of predictions is what, said by the user or guessed."""

from __future__ import annotations

from isometrics.layout.guesses import Peek
from isometrics.layout.roles import Layout, layout_of

__all__ = ["Layout", "Peek", "layout_of"]
