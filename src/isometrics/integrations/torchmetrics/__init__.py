"""isometrics as metrics of torchmetrics: for training loops, several processes and labels."""

from __future__ import annotations

from isometrics.errors import MissingPackageError

try:
    import torchmetrics as _torchmetrics  # noqa: F401
except ImportError as error:
    raise MissingPackageError(
        "isometrics.integrations.torchmetrics needs torchmetrics", "isometrics[torch]"
    ) from error

from isometrics.integrations.torchmetrics.metrics import (
    BinaryAUPR,
    BinaryAUPRG,
    MultilabelAUPR,
    MultilabelAUPRG,
    PrecisionRecallGainCurve,
)

__all__ = [
    "BinaryAUPR",
    "BinaryAUPRG",
    "MultilabelAUPR",
    "MultilabelAUPRG",
    "PrecisionRecallGainCurve",
]
