"""Pictures with matplotlib: spaces, calibration, indices, comparisons, uncertainty."""

from __future__ import annotations

from isometrics.errors import MissingPackageError

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as error:
    raise MissingPackageError("isometrics.plot needs matplotlib", "isometrics[plot]") from error

from isometrics.plot.results import band, reliability
from isometrics.plot.spaces import panels, pr, prg, roc
from isometrics.plot.tradeoff import comparison, tradeoff

__all__ = [
    "roc",
    "pr",
    "prg",
    "tradeoff",
    "reliability",
    "comparison",
    "panels",
    "band",
]
