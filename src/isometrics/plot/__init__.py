"""Pictures of ROC, PR and PRG space with matplotlib: one function for each space."""

from __future__ import annotations

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError("isometrics.plot needs matplotlib: pip install 'isometrics[plot]'") from error

from isometrics.plot.spaces import pr, prg, roc

__all__ = ["roc", "pr", "prg"]
