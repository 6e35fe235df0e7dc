"""ROC, PR, PRG and tradeoff space: coordinates, interpolation and areas of a table."""

from __future__ import annotations

from isometrics.spaces.pr import PRSpace
from isometrics.spaces.prg import PRGSpace
from isometrics.spaces.roc import ROCSpace
from isometrics.spaces.tradeoff import Tradeoff, TradeoffIntervals

__all__ = ["PRGSpace", "PRSpace", "ROCSpace", "SPACES", "Tradeoff", "TradeoffIntervals"]

SPACES: dict[str, type[ROCSpace | PRSpace | PRGSpace]] = {
    "roc": ROCSpace,
    "pr": PRSpace,
    "prg": PRGSpace,
}
"""The spaces in which a row is a point, by the names that options accept."""
