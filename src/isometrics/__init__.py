"""Precision-recall analysis: one table of operating points, its spaces, one hull, decisions."""

from __future__ import annotations

from isometrics.average import Average, average
from isometrics.bands import Band, BetterCurve, CurveReplicates
from isometrics.calibrate import AccuracyCalibrator, CalibrationSegments, FCalibrator
from isometrics.compare import Comparison, compare
from isometrics.curve_replicates import bootstrap_curves
from isometrics.decide import best_threshold
from isometrics.decision import Decision
from isometrics.delong import DeLong, delong
from isometrics.errors import InputError, IsometricsError, OneClassError, UndefinedWarning
from isometrics.indices import Index
from isometrics.intervals import OptimalThresholds, optimal_thresholds
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
    tradeoff_score,
)
from isometrics.paired import Differences
from isometrics.points import OperatingPoints
from isometrics.sets import Bicluster, Matches, best_matches, match_one_to_one
from isometrics.spaces import PRGSpace, PRSpace, ROCSpace, Tradeoff, TradeoffIntervals
from isometrics.transfer import Evaluation, evaluate
from isometrics.uncertainty import Bootstrap, bootstrap

__version__ = "0.1.0"

__all__ = [
    "AccuracyCalibrator",
    "Average",
    "Band",
    "BetterCurve",
    "Bicluster",
    "Bootstrap",
    "CalibrationSegments",
    "Comparison",
    "CurveReplicates",
    "DeLong",
    "Decision",
    "Differences",
    "Evaluation",
    "FCalibrator",
    "Index",
    "InputError",
    "IsometricsError",
    "Matches",
    "OneClassError",
    "OperatingPoints",
    "OptimalThresholds",
    "PRGSpace",
    "PRSpace",
    "PrecisionRecallGainCurve",
    "ROCSpace",
    "Tradeoff",
    "TradeoffIntervals",
    "UndefinedWarning",
    "aupr_score",
    "auprg_score",
    "auroc_score",
    "average",
    "best_matches",
    "best_threshold",
    "bootstrap",
    "bootstrap_curves",
    "compare",
    "delong",
    "evaluate",
    "f1_gain_score",
    "fbeta_gain_score",
    "match_one_to_one",
    "optimal_thresholds",
    "precision_gain_score",
    "precision_recall_gain_curve",
    "recall_gain_score",
    "tradeoff_score",
]
