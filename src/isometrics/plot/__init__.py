"""Pictures with matplotlib: a function for each space and for all, for calibration, indices."""

from __future__ import annotations

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError("isometrics.plot needs matplotlib: pip install 'isometrics[plot]'") from error

from isometrics.plot.calibration import calibration_map, reliability
from isometrics.plot.comparison import comparison
from isometrics.plot.overview import overview
from isometrics.plot.spaces import pr, prg, roc
from isometrics.plot.tradeoff import index_isolines, tradeoff

__all__ = [
    "roc",
    "pr",
    "prg",
    "tradeoff",
    "index_isolines",
    "calibration_map",
    "reliability",
    "comparison",
    "overview",
]
