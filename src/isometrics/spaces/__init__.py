"""ROC, PR and PRG space: coordinates, interpolation and area of one table, and nothing else."""

from __future__ import annotations

from isometrics.spaces.pr import PRSpace
from isometrics.spaces.prg import PRGSpace
from isometrics.spaces.roc import ROCSpace

__all__ = ["PRGSpace", "PRSpace", "ROCSpace", "SPACES"]

SPACES: dict[str, type[ROCSpace | PRSpace | PRGSpace]] = {
    "roc": ROCSpace,
    "pr": PRSpace,
    "prg": PRGSpace,
}
"""The spaces by the names that options use."""
