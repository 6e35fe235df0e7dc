"""Pictures with matplotlib: one function for each space, and two for calibration."""

from __future__ import annotations

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError("isometrics.plot needs matplotlib: pip install 'isometrics[plot]'") from error

from isometrics.plot.calibration import calibration_map, reliability
from isometrics.plot.spaces import pr, prg, roc

__all__ = ["roc", "pr", "prg", "calibration_map", "reliability"]
