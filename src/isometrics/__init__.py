"""Precision-recall analysis: one table of operating points, its spaces, one hull, decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isometrics.analysis import Analysis, analyse
    from isometrics.averaging import Average, average
    from isometrics.best_rows import Thresholds
    from isometrics.brackets import AreaBrackets, area_brackets
    from isometrics.calibrate import AccuracyCalibrator, CalibrationSegments, FCalibrator
    from isometrics.comparing import Comparison, compare
    from isometrics.decide import best_threshold
    from isometrics.decision import Decision
    from isometrics.engines.stream import Accumulator
    from isometrics.errors import InputError, IsometricsError, OneClassError, UndefinedWarning
    from isometrics.gain_scores import (
        f1_gain_score,
        fbeta_gain_score,
        precision_gain_score,
        recall_gain_score,
    )
    from isometrics.gaps import Bracket
    from isometrics.indices import Index
    from isometrics.intervals import OptimalThresholds, optimal_thresholds
    from isometrics.metrics import (
        AreaScores,
        PrecisionRecallGainCurve,
        area_scores,
        aupr_score,
        auprg_score,
        auroc_score,
        precision_recall_gain_curve,
        tradeoff_score,
    )
    from isometrics.points import OperatingPoints
    from isometrics.reading import read_predictions
    from isometrics.sets import Bicluster, Matches, best_matches, match_one_to_one
    from isometrics.spaces import PRGSpace, PRSpace, ROCSpace, Tradeoff, TradeoffIntervals
    from isometrics.summary import Summary
    from isometrics.transfer import Evaluation, evaluate
    from isometrics.uncertainty.bands import Band, BetterCurve, CurveReplicates
    from isometrics.uncertainty.bootstrapping import Bootstrap, bootstrap
    from isometrics.uncertainty.curve_replicates import bootstrap_curves
    from isometrics.uncertainty.delong import DeLong, delong
    from isometrics.uncertainty.paired import Differences
else:
    # What is imported above for readers and type checkers is loaded on first use, from here.
    # No module here has the name of a public function: importing it would hide the function.
    _NAMES_OF = {
        "analysis": "Analysis analyse",
        "averaging": "Average average",
        "uncertainty.bands": "Band BetterCurve CurveReplicates",
        "best_rows": "Thresholds",
        "brackets": "AreaBrackets area_brackets",
        "gaps": "Bracket",
        "calibrate": "AccuracyCalibrator CalibrationSegments FCalibrator",
        "comparing": "Comparison compare",
        "uncertainty.curve_replicates": "bootstrap_curves",
        "decide": "best_threshold",
        "decision": "Decision",
        "uncertainty.delong": "DeLong delong",
        "engines.stream": "Accumulator",
        "errors": "InputError IsometricsError OneClassError UndefinedWarning",
        "gain_scores": "f1_gain_score fbeta_gain_score precision_gain_score recall_gain_score",
        "indices": "Index",
        "intervals": "OptimalThresholds optimal_thresholds",
        "metrics": (
            "AreaScores PrecisionRecallGainCurve area_scores aupr_score auprg_score auroc_score "
            "precision_recall_gain_curve tradeoff_score"
        ),
        "uncertainty.paired": "Differences",
        "points": "OperatingPoints",
        "reading": "read_predictions",
        "sets": "Bicluster Matches best_matches match_one_to_one",
        "spaces": "PRGSpace PRSpace ROCSpace Tradeoff TradeoffIntervals",
        "summary": "Summary",
        "transfer": "Evaluation evaluate",
        "uncertainty.bootstrapping": "Bootstrap bootstrap",
    }
    _HOMES = {name: module for module, names in _NAMES_OF.items() for name in names.split()}

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))


__version__ = "0.1.0"

__all__ = [
    "Accumulator",
    "AccuracyCalibrator",
    "Analysis",
    "AreaBrackets",
    "AreaScores",
    "Average",
    "Band",
    "BetterCurve",
    "Bicluster",
    "Bootstrap",
    "Bracket",
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
    "Summary",
    "Thresholds",
    "Tradeoff",
    "TradeoffIntervals",
    "UndefinedWarning",
    "analyse",
    "area_brackets",
    "area_scores",
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
    "read_predictions",
    "recall_gain_score",
    "tradeoff_score",
]
