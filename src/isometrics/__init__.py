"""Precision-recall analysis: one table of operating points, its spaces, one hull, decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isometrics._core import __version__ as __version__

if TYPE_CHECKING:
    # Each name is imported as itself, which tells type checkers that it is public.
    from isometrics.analysis import Analysis as Analysis
    from isometrics.analysis import analyse as analyse
    from isometrics.analysis import read_predictions as read_predictions
    from isometrics.analysis.averages import Average as Average
    from isometrics.analysis.averages import average as average
    from isometrics.analysis.summary import Summary as Summary
    from isometrics.analysis.threshold_check import ThresholdCheck as ThresholdCheck
    from isometrics.calibration import AccuracyCalibrator as AccuracyCalibrator
    from isometrics.calibration import CalibrationSegments as CalibrationSegments
    from isometrics.calibration import FCalibrator as FCalibrator
    from isometrics.comparison import Comparison as Comparison
    from isometrics.comparison import compare as compare
    from isometrics.decisions.best import OptimalThresholds as OptimalThresholds
    from isometrics.decisions.best import best_threshold as best_threshold
    from isometrics.decisions.best import optimal_thresholds as optimal_thresholds
    from isometrics.decisions.decision import Decision as Decision
    from isometrics.decisions.decision import load_decision as load_decision
    from isometrics.decisions.thresholds import Evaluation as Evaluation
    from isometrics.decisions.thresholds import Thresholds as Thresholds
    from isometrics.decisions.thresholds import evaluate as evaluate
    from isometrics.errors import InputError as InputError
    from isometrics.errors import IsometricsError as IsometricsError
    from isometrics.errors import OneClassError as OneClassError
    from isometrics.errors import UndefinedWarning as UndefinedWarning
    from isometrics.measures import area_brackets as area_brackets
    from isometrics.points import OperatingPoints as OperatingPoints
    from isometrics.points.bounds import AreaBrackets as AreaBrackets
    from isometrics.points.bounds import Bracket as Bracket
    from isometrics.score_functions import AreaScores as AreaScores
    from isometrics.score_functions import PrecisionRecallGainCurve as PrecisionRecallGainCurve
    from isometrics.score_functions import area_scores as area_scores
    from isometrics.score_functions import aupr_score as aupr_score
    from isometrics.score_functions import auprg_score as auprg_score
    from isometrics.score_functions import auroc_score as auroc_score
    from isometrics.score_functions import f1_gain_score as f1_gain_score
    from isometrics.score_functions import fbeta_gain_score as fbeta_gain_score
    from isometrics.score_functions import precision_gain_score as precision_gain_score
    from isometrics.score_functions import (
        precision_recall_gain_curve as precision_recall_gain_curve,
    )
    from isometrics.score_functions import recall_gain_score as recall_gain_score
    from isometrics.score_functions import tradeoff_score as tradeoff_score
    from isometrics.sets import Bicluster as Bicluster
    from isometrics.sets import Matches as Matches
    from isometrics.sets import best_matches as best_matches
    from isometrics.sets import match_one_to_one as match_one_to_one
    from isometrics.sources.streams import Accumulator as Accumulator
    from isometrics.spaces import PRGSpace as PRGSpace
    from isometrics.spaces import PRSpace as PRSpace
    from isometrics.spaces import ROCSpace as ROCSpace
    from isometrics.spaces import Tradeoff as Tradeoff
    from isometrics.spaces import TradeoffIntervals as TradeoffIntervals
    from isometrics.spaces.indices import Index as Index
    from isometrics.uncertainty.bands import Band as Band
    from isometrics.uncertainty.bands import CurveReplicates as CurveReplicates
    from isometrics.uncertainty.bands import bootstrap_curves as bootstrap_curves
    from isometrics.uncertainty.bootstrap import Bootstrap as Bootstrap
    from isometrics.uncertainty.bootstrap import bootstrap as bootstrap
    from isometrics.uncertainty.delong import DeLong as DeLong
    from isometrics.uncertainty.delong import delong as delong
    from isometrics.uncertainty.intervals import Differences as Differences
    from isometrics.verdict.verdict import Verdict as Verdict
else:
    from threading import RLock

    # What is imported above for readers and type checkers is loaded on first use, from here.
    # No module here has the name of a public function: importing it would hide the function.
    _NAMES_OF = {
        "analysis": "Analysis analyse read_predictions",
        "analysis.averages": "Average average",
        "analysis.summary": "Summary",
        "analysis.threshold_check": "ThresholdCheck",
        "calibration": "AccuracyCalibrator CalibrationSegments FCalibrator",
        "comparison": "Comparison compare",
        "decisions.best": "OptimalThresholds best_threshold optimal_thresholds",
        "decisions.decision": "Decision load_decision",
        "decisions.thresholds": "Evaluation Thresholds evaluate",
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
        "uncertainty.bands": "Band CurveReplicates bootstrap_curves",
        "uncertainty.bootstrap": "Bootstrap bootstrap",
        "uncertainty.delong": "DeLong delong",
        "uncertainty.intervals": "Differences",
        "verdict.verdict": "Verdict",
    }
    _HOMES = {name: module for module, names in _NAMES_OF.items() for name in names.split()}
    __all__ = sorted(_HOMES)  # noqa: PLE0605

    # A thread that imports a module and one that imports its package wait for each other
    # (before Python 3.13), so one thread imports at a time.
    _loading = RLock()

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        with _loading:
            value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted(set(globals()) | set(__all__))
