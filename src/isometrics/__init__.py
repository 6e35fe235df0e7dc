"""Precision-recall analysis: one table of operating points, its spaces, one hull, decisions."""

from __future__ import annotations

from isometrics.errors import InputError, IsometricsError, OneClassError, UndefinedWarning
from isometrics.metrics import (
    PrecisionRecallGainCurve,
    aupr_score,
    auprg_score,
    auroc_score,
    f1_gain_score,
    fbeta_gain_score,
    precision_gain_score,
    precision_recall_gain_curve,
    recall_gain_score,
)
from isometrics.points import OperatingPoints
from isometrics.spaces import PRGSpace, PRSpace, ROCSpace

__version__ = "0.1.0"

__all__ = [
    "InputError",
    "IsometricsError",
    "OneClassError",
    "OperatingPoints",
    "PRGSpace",
    "PRSpace",
    "PrecisionRecallGainCurve",
    "ROCSpace",
    "UndefinedWarning",
    "aupr_score",
    "auprg_score",
    "auroc_score",
    "f1_gain_score",
    "fbeta_gain_score",
    "precision_gain_score",
    "precision_recall_gain_curve",
    "recall_gain_score",
]
