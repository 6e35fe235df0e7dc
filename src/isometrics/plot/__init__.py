"""Pictures with matplotlib: spaces, calibration, indices, comparisons, uncertainty."""

from __future__ import annotations

from isometrics.errors import MissingPackageError

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as error:
    raise MissingPackageError("isometrics.plot needs matplotlib", "isometrics[plot]") from error

from isometrics.plot.bands import band, better
from isometrics.plot.calibration import calibration_map, reliability
from isometrics.plot.comparison import comparison
from isometrics.plot.panels import overview, panels
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
    "panels",
    "band",
    "better",
]
