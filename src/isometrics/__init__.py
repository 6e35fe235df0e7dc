"""Precision-recall analysis: one table of operating points, its spaces, one hull, decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isometrics._core.version import __version__ as __version__

if TYPE_CHECKING:
    from isometrics.analysis import Analysis, analyse, read_predictions
    from isometrics.analysis.averages import Average, average
    from isometrics.analysis.summary import Summary
    from isometrics.analysis.threshold_check import ThresholdCheck
    from isometrics.calibration.calibrators import (
        AccuracyCalibrator,
        CalibrationSegments,
        FCalibrator,
    )
    from isometrics.comparison.compare import Comparison, compare
    from isometrics.decisions.best import best_threshold
    from isometrics.decisions.beta_intervals import OptimalThresholds, optimal_thresholds
    from isometrics.decisions.decision import Decision
    from isometrics.decisions.files import load_decision
    from isometrics.decisions.thresholds import Thresholds
    from isometrics.decisions.transfer import Evaluation, evaluate
    from isometrics.errors import InputError, IsometricsError, OneClassError, UndefinedWarning
    from isometrics.measures import area_brackets
    from isometrics.points import OperatingPoints
    from isometrics.points.bounds import AreaBrackets, Bracket
    from isometrics.score_functions import (
        AreaScores,
        PrecisionRecallGainCurve,
        area_scores,
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
    from isometrics.sets import Bicluster, Matches, best_matches, match_one_to_one
    from isometrics.sources.streams import Accumulator
    from isometrics.spaces import PRGSpace, PRSpace, ROCSpace, Tradeoff, TradeoffIntervals
    from isometrics.spaces.indices import Index
    from isometrics.uncertainty.bands import Band, BetterCurve, CurveReplicates, bootstrap_curves
    from isometrics.uncertainty.bootstrap import Bootstrap, bootstrap
    from isometrics.uncertainty.delong import DeLong, delong
    from isometrics.uncertainty.paired import Differences
    from isometrics.verdict.verdict import Verdict
else:
    # What is imported above for readers and type checkers is loaded on first use, from here.
    # No module here has the name of a public function: importing it would hide the function.
    _NAMES_OF = {
        "analysis": "Analysis analyse read_predictions",
        "analysis.averages": "Average average",
        "analysis.summary": "Summary",
        "analysis.threshold_check": "ThresholdCheck",
        "calibration.calibrators": "AccuracyCalibrator CalibrationSegments FCalibrator",
        "comparison.compare": "Comparison compare",
        "decisions.best": "best_threshold",
        "decisions.beta_intervals": "OptimalThresholds optimal_thresholds",
        "decisions.decision": "Decision",
        "decisions.files": "load_decision",
        "decisions.thresholds": "Thresholds",
        "decisions.transfer": "Evaluation evaluate",
        "errors": "InputError IsometricsError OneClassError UndefinedWarning",
        "measures": "area_brackets",
        "points": "OperatingPoints",
        "points.bounds": "AreaBrackets Bracket",
        "score_functions": (
            "AreaScores PrecisionRecallGainCurve area_scores aupr_score auprg_score "
            "auroc_score f1_gain_score fbeta_gain_score precision_gain_score "
            "precision_recall_gain_curve recall_gain_score tradeoff_score"
        ),
        "sets": "Bicluster Matches best_matches match_one_to_one",
        "sources.streams": "Accumulator",
        "spaces": "PRGSpace PRSpace ROCSpace Tradeoff TradeoffIntervals",
        "spaces.indices": "Index",
        "uncertainty.bands": "Band BetterCurve CurveReplicates bootstrap_curves",
        "uncertainty.bootstrap": "Bootstrap bootstrap",
        "uncertainty.delong": "DeLong delong",
        "uncertainty.paired": "Differences",
        "verdict.verdict": "Verdict",
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
    "ThresholdCheck",
    "Thresholds",
    "Tradeoff",
    "TradeoffIntervals",
    "UndefinedWarning",
    "Verdict",
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
    "load_decision",
    "match_one_to_one",
    "optimal_thresholds",
    "precision_gain_score",
    "precision_recall_gain_curve",
    "read_predictions",
    "recall_gain_score",
    "tradeoff_score",
]
